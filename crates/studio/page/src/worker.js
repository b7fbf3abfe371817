// The library in a worker, so that typing never waits for it.

import init, { LanguageServer } from "./ludolog.js";

const server = init().then(() => new LanguageServer());

self.onmessage = async ({ data: { name, text } }) => {
  try {
    self.postMessage({ result: (await server)[name](text) });
  } catch (error) {
    const isBug = error instanceof WebAssembly.RuntimeError;
    const told = isBug ? `the engine has ended by a bug of Ludolog (${error.message}): load the page again` : error.message;
    self.postMessage({ error: String(told ?? error) });
  }
};
