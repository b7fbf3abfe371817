// The package in headless Chromium, where it is installed.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const PAGE = `<!doctype html><script type="module">
  import init, { Session, Game } from "./ludolog.js";
  try {
    await init();
    const session = new Session("edge(X, Y) :- X in 1..100 & Y is X + 1. path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).");
    const game = new Game("std:games/tic-tac-toe.kif");
    const told = session.query("path(X, Y)").rows.length + " rows, " + game.choose(0, "mcts", 100).move;
    await fetch("/told", { method: "POST", body: told });
  } catch (error) {
    await fetch("/told", { method: "POST", body: String(error) });
  }
</script>`;

const chromium = ["chromium", "chromium-browser", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);

test("a page runs it", { skip: chromium === undefined && "there is no Chromium" }, async () => {
  let tell;
  const told = new Promise((resolve) => (tell = resolve));
  const server = createServer(async (request, response) => {
    if (request.url === "/") {
      response.setHeader("content-type", "text/html").end(PAGE);
    } else if (request.url === "/told") {
      let body = "";
      for await (const part of request) body += part;
      response.end();
      tell(body);
    } else if (["/ludolog.js", "/ludolog_bg.wasm"].includes(request.url)) {
      const type = request.url.endsWith(".wasm") ? "application/wasm" : "text/javascript";
      response.setHeader("content-type", type).end(readFileSync(new URL(`../pkg${request.url}`, import.meta.url)));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const profile = mkdtempSync(join(tmpdir(), "ludolog-"));
  const args = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
  const browser = spawn(chromium, [...args, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
  const late = setTimeout(() => tell("nothing in a minute"), 60_000);
  const words = await told;
  clearTimeout(late);
  browser.kill();
  await new Promise((ended) => browser.once("exit", ended));
  server.closeAllConnections();
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  assert.match(words, /^5050 rows, \(put /);
});
