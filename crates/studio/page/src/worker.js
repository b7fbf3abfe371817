// The library in a worker, so that typing never waits for it.

import init, { LanguageServer } from "./ludolog.js";

const server = init().then(() => new LanguageServer());

self.onmessage = async ({ data: { name, text } }) => {
  try {
    self.postMessage({ result: (await server)[name](text) });
  } catch (error) {
    self.postMessage({ error: String(error.message ?? error) });
  }
};
