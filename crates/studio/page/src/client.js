// Requests and notifications over an engine. Messages go one after the other; what may wait is done when none is under way.

export class Client {
  constructor(engine, { notified, lost }) {
    this.engine = engine;
    this.notified = notified;
    this.lost = lost;
    this.number = 0;
    this.chain = Promise.resolve();
    this.version = 0;
  }

  send(message) {
    const version = ++this.version;
    const sent = this.chain.then(() => this.engine.take(JSON.stringify({ jsonrpc: "2.0", ...message })));
    // An engine that is lost answers again when it is back.
    this.chain = sent.then(
      () => {},
      (error) => this.lost(error),
    );
    sent.then(
      () => setTimeout(() => this.rest(version), 120),
      () => {},
    );
    return sent.then((messages) => {
      messages.filter((one) => one.method).forEach((one) => this.notified(one.method, one.params));
      return messages;
    });
  }

  notify(method, params) {
    return this.send({ method, params }).catch(() => {});
  }

  async request(method, params) {
    const id = ++this.number;
    const answer = (await this.send({ id, method, params })).find((one) => one.id === id && !one.method);
    if (answer === undefined) throw new Error("no answer");
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  /** Lets the engine do what waits, unless something else was sent meanwhile. */
  async rest(version) {
    while (version === this.version) {
      const turn = this.chain.then(() => this.engine.goOn());
      this.chain = turn.then(
        () => {},
        () => {},
      );
      const messages = await turn.catch(() => null);
      if (messages === null) return;
      messages.filter((one) => one.method).forEach((one) => this.notified(one.method, one.params));
    }
  }
}
