// The two engines that answer messages: a local server, or the library in a worker. Both have `take(text)` and `goOn()`.

/** A studio on this machine, by the token of the link. */
export class ServerEngine {
  constructor(token) {
    this.headers = { "x-ludolog-token": token, "x-ludolog-tab": crypto.randomUUID() };
  }

  async post(path, body) {
    const response = await fetch(path, { method: "POST", headers: this.headers, body });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  take(text) {
    return this.post("take", text);
  }

  goOn() {
    return this.post("go-on");
  }

  /** The text that the command was given. */
  first() {
    return this.post("first");
  }
}

/** The library as WebAssembly, in a worker. */
export class WorkerEngine {
  constructor() {
    this.waiting = [];
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.shift();
      if (data.error) reject(new Error(data.error));
      else resolve(data.result);
    };
  }

  call(name, text) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.worker.postMessage({ name, text });
    });
  }

  async take(text) {
    return (await this.call("take", text)).map((message) => JSON.parse(message));
  }

  async goOn() {
    return (await this.call("goOn"))?.map((message) => JSON.parse(message)) ?? null;
  }

  async first() {
    return null;
  }
}
