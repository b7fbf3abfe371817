// The studio in headless Chromium, with the engine on a local server, and, where crates/web/pkg is built, with the engine in the page.
//
// `LUDOLOG=path/to/ludolog node --test tests/`

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";

const command = process.env.LUDOLOG ?? "ludolog";
const names = ["chromium", "chromium-browser", "google-chrome"];
const found = names.map((name) => spawnSync("which", [name]).stdout.toString().trim()).find(Boolean);
const skip = found === undefined && "there is no Chromium";
const room = mkdtempSync(join(tmpdir(), "ludolog-studio-"));
const browser = skip ? undefined : await chromium.launch({ executablePath: found, args: ["--no-sandbox"] });
const servers = [];
const hosts = [];

after(async () => {
  await browser?.close();
  servers.forEach((server) => server.kill("SIGINT"));
  for (const host of hosts) {
    host.closeAllConnections();
    host.close();
  }
  rmSync(room, { recursive: true, force: true });
});

/** A studio on a server, by its link. */
async function served(...args) {
  const server = spawn(command, ["studio", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  return { server, link: /http:\S+/.exec(line)[0] };
}

/** A page without console errors. */
async function opened(link, size = { width: 1200, height: 800 }) {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(link);
  await page.waitForFunction(() => /error|remark/.test(document.getElementById("status").textContent));
  return page;
}

const text = (page) => page.evaluate(() => window.studio.view.state.doc.toString());
const type = (page, words) =>
  page.evaluate((words) => {
    const { view } = window.studio;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: words } });
  }, words);

/** A small board of Hex: stones, views, a solution, a proof. */
async function hex(page) {
  const cell = (name) => page.click(`#hex-board .cells > [aria-label^="${name},"]`);
  const lines = (pattern) =>
    page.waitForFunction((source) => new RegExp(source).test(document.getElementById("hex-lines").textContent), pattern.source);
  const said = (words) => page.waitForFunction((words) => document.getElementById("hex-said").textContent === words, words);
  await page.click("#tab-hex");
  await page.fill("#hex-size", "3x3");
  await page.press("#hex-size", "Enter");
  await page.waitForFunction(() => document.querySelectorAll("#hex-board .cells > *").length === 9);
  await cell("b2");
  await said("blue to move");
  // Red's stone in the center of 3x3 is joined to both edges by bridges: Blue has lost.
  await page.selectOption("#hex-view", "must-play");
  await lines(/blue to move has lost/);
  await page.selectOption("#hex-view", "connection");
  await page.click("#hex-edges >> text=top");
  await cell("b2");
  await lines(/red from top to b2, full: \d+ known, in b1 c1/);
  await page.selectOption("#hex-view", "resistance");
  await lines(/red .*, blue /);
  await page.selectOption("#hex-view", "stones");
  await page.click("#hex-solve");
  await lines(/red wins with blue to move, whatever the move/);
  await page.click("#hex-prove");
  await lines(/A proof of \d+ lines, checked/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#hex-lines button >> nth=0")]);
  assert.match(readFileSync(await download.path(), "utf8"), /Red wins on 3x3/);
  // Blue enters a bridge, and the best move closes it; by the keyboard, too.
  await cell("b1");
  await said("red to move");
  await page.click("#hex-reply");
  await said("blue to move");
  await page.click("#hex-undo");
  await said("red to move");
  await page.focus("#hex-board .cells > [tabindex='0']");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await said("blue to move");
  assert.equal(await page.getAttribute('#hex-board .cells > [aria-label^="c1,"]', "aria-label"), "c1, red");
}

/** What a person does who comes for the first time. */
async function story(page) {
  // A question in a comment is answered beside it.
  await page.waitForFunction(() => /3 answers: b; c; d/.test(document.querySelector("#rules").textContent));
  // A broken rule is told, and mended by its fix.
  await type(page, "edge(a, b).\nedge(b, c).\npath(X, Y) :- egde(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n");
  await page.waitForFunction(() => document.getElementById("tab-problems").textContent === "Problems (1)");
  await page.click("#tab-problems");
  await page.click("#list button");
  await page.keyboard.press("Control+Shift+KeyM");
  await page.waitForSelector(".cm-diagnosticAction");
  await page.click(".cm-diagnosticAction >> nth=0");
  await page.waitForFunction(() => document.getElementById("tab-problems").textContent === "Problems");
  assert.match(await text(page), /path\(X, Y\) :- edge\(X, Y\)/);
  // Goals are asked, sorted, and explained by a click.
  await page.click("#tab-answers");
  await page.fill("#goal", "path(a, X)");
  await page.press("#goal", "Enter");
  await page.waitForSelector("#rows tbody tr");
  assert.deepEqual(await page.locator("#rows tbody td").allTextContents(), ["b", "c"]);
  await page.click("#rows th button");
  await page.click("#rows th button");
  assert.deepEqual(await page.locator("#rows tbody td").allTextContents(), ["c", "b"]);
  await page.click("#rows tbody tr >> nth=0");
  await page.waitForFunction(() => /^path\(a, c\)/.test(document.getElementById("tree").textContent));
  await page.fill("#fact", "path(c, a)");
  await page.press("#fact", "Enter");
  await page.waitForFunction(() => /does not hold/.test(document.getElementById("tree").textContent));
  await page.click("#tab-answers");
  await page.fill("#goal", "path(a,");
  await page.press("#goal", "Enter");
  await page.waitForSelector("#rows .error");
  // Costs are told by rule, and the passes of the optimizer as changes.
  await page.click("#tab-costs");
  await page.fill("#measured", "path(a, X)");
  await page.press("#measured", "Enter");
  await page.waitForSelector("#work tbody tr");
  assert.match(await page.textContent("#work p"), /^2 answers, \d+ facts derived by \d+ probes/);
  assert.ok((await page.locator("#work tbody tr").count()) >= 2);
  assert.ok((await page.locator("#work details").count()) >= 1);
  await page.click("#work tbody tr >> nth=0");
  // A game is played by hand, and won.
  await page.selectOption("#library", "std:games/tic-tac-toe.kif");
  await page.waitForFunction(() => document.getElementById("syntax").value === "kif");
  await page.click("#tab-game");
  await page.selectOption("#seats select >> nth=1", "you");
  for (const move of ["(put 1 1)", "(put 2 1)", "(put 1 2)", "(put 2 2)", "(put 1 3)"]) {
    await page.getByRole("button", { name: move, exact: true }).click();
  }
  await page.waitForFunction(() => /cross: 100, nought: 0/.test(document.getElementById("score").textContent));
  assert.equal(await page.locator("#board svg").count(), 1);
  await page.click("#undo");
  await page.waitForFunction(() => /4 moves so far/.test(document.getElementById("score").textContent));
  // A goal is asked of the state that is shown, or of the rules alone.
  const holding = async (pattern) => {
    await page.click("#tab-answers");
    await page.fill("#goal", "(true (mark 1 1 ?who))");
    await page.press("#goal", "Enter");
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("rows").textContent), pattern);
    await page.click("#tab-game");
  };
  await page.check("#in-state");
  await holding("1 answer;.*cross");
  await page.uncheck("#in-state");
  await holding("0 answers");
  // Against a player, it moves by itself.
  await page.click("#restart");
  await page.waitForFunction(() => /^0 moves/.test(document.getElementById("score").textContent));
  await page.selectOption("#time", "100");
  await page.selectOption("#seats select >> nth=1", "mcts");
  await page.getByRole("button", { name: "(put 2 2)", exact: true }).click();
  await page.waitForFunction(() => /2 moves so far/.test(document.getElementById("score").textContent));
  // It thinks aloud, and moves for whoever has the choice.
  await page.click("#think");
  await page.waitForFunction(() => /cross expects .*line: /s.test(document.getElementById("thoughts").textContent));
  await page.click("#advance");
  await page.waitForFunction(() => /4 moves so far/.test(document.getElementById("score").textContent));
  assert.equal(await page.textContent("#think"), "Think");
  // Between two players, the whole game is played.
  await page.selectOption("#seats select >> nth=0", "mcts");
  await page.click("#restart");
  await page.waitForFunction(() => /The game is over. cross: (100|50|0), nought: (0|50|100)/.test(document.getElementById("score").textContent));
  assert.equal(await page.locator("#chart polyline").count(), 2);
  await hex(page);
  // A link holds the text.
  const shared = await text(page);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 10);
  assert.deepEqual(page.problems, []);
  return { shared, hash: new URL(page.url()).hash };
}

test("with an engine on this machine", { skip }, async () => {
  const { link } = await served();
  const page = await opened(link);
  const { shared, hash } = await story(page);
  const other = await opened(link + hash);
  assert.equal(await text(other), shared);
  await page.context().close();
  await other.context().close();
});

test("with an engine in the page", { skip: skip || (!existsSync("../../web/pkg/ludolog.js") && "crates/web/pkg is not built") }, async () => {
  const folder = join(room, "static");
  const ran = spawnSync(command, ["studio", "--export", folder, "--package", "../../web/pkg"]);
  assert.equal(ran.status, 0, String(ran.stderr));
  const kinds = { js: "text/javascript", css: "text/css", html: "text/html", wasm: "application/wasm" };
  const host = createServer((request, response) => {
    const path = new URL(request.url, "http://host").pathname.replace(/\/$/, "/index.html");
    if (!existsSync(join(folder, path))) return void response.writeHead(404).end();
    response.setHeader("content-type", kinds[path.split(".").pop()]).end(readFileSync(join(folder, path)));
  });
  hosts.push(host);
  await new Promise((ready) => host.listen(0, "127.0.0.1", ready));
  const page = await opened(`http://127.0.0.1:${host.address().port}/`);
  await story(page);
  await page.context().close();
});

test("a text that outlives the server", { skip }, async () => {
  const { server, link } = await served("--port", "0");
  const page = await opened(link);
  await type(page, "own(1).\n");
  server.kill("SIGKILL");
  await new Promise((ended) => server.once("exit", ended));
  await page.evaluate(() => window.studio.view.dispatch({ changes: { from: 0, insert: "more(3).\n" } }));
  await page.waitForFunction(() => /the text is kept/.test(document.getElementById("status").textContent));
  const { port } = new URL(link);
  assert.equal(await text(page), "more(3).\nown(1).\n");
  await page.waitForFunction(() => /more/.test(localStorage.getItem("ludolog-studio") ?? ""));
  // The link of the next server has another token: the text is there again.
  const next = await served("--port", port);
  await page.goto(next.link);
  await page.waitForFunction(() => window.studio && /more\(3\)/.test(window.studio.view.state.doc.toString()));
  await page.context().close();
});

test("files of a folder are opened, changed and saved", { skip }, async () => {
  const folder = mkdtempSync(join(room, "folder-"));
  const file = (name) => join(folder, name);
  writeFileSync(file("a.dl"), ":- include('b.dl').\nq(X) :- p(X).\n");
  writeFileSync(file("b.dl"), "p(1).\n");
  const { link } = await served(folder);
  const page = await opened(link);
  assert.match(await text(page), /include/);
  await page.fill("#goal", "q(X)");
  await page.press("#goal", "Enter");
  await page.waitForFunction(() => document.querySelector("#rows tbody")?.textContent === "1");
  await page.selectOption("#library", "b.dl");
  await page.waitForFunction(() => window.studio.view.state.doc.toString() === "p(1).\n");
  await page.evaluate(() => window.studio.view.dispatch({ changes: { from: 0, insert: "p(2).\n" } }));
  // What is not saved outlives the page.
  await page.waitForFunction(() => /p\(2\)/.test(localStorage.getItem("ludolog-studio") ?? ""));
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("#library option").length > 3);
  await page.selectOption("#library", "b.dl");
  await page.waitForFunction(() => window.studio.view.state.doc.toString() === "p(2).\np(1).\n");
  assert.equal(readFileSync(file("b.dl"), "utf8"), "p(1).\n");
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() => /b.dl is saved/.test(document.getElementById("status").textContent));
  assert.equal(readFileSync(file("b.dl"), "utf8"), "p(2).\np(1).\n");
  // A file that somebody else has changed is left as it is.
  writeFileSync(file("b.dl"), "p(9).\n");
  await page.click("#save");
  await page.waitForFunction(() => /has changed since it was read/.test(document.getElementById("status").textContent));
  assert.equal(readFileSync(file("b.dl"), "utf8"), "p(9).\n");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a tutorial opens from a link, and its tasks check themselves", { skip }, async () => {
  const { link } = await served();
  const page = await opened(`${link}#std:tutorials/1-first-rules.dl`);
  await page.waitForFunction(() => (document.querySelector("#rules").textContent.match(/○ not yet/g) ?? []).length === 4);
  await type(page, readFileSync("../../../tests/tutorials/1-first-rules.dl", "utf8"));
  await page.waitForFunction(() => (document.querySelector("#rules").textContent.match(/✓ done/g) ?? []).length === 4);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a narrow page in the dark, by the keyboard", { skip }, async () => {
  const { link } = await served();
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForFunction(() => /remark/.test(document.getElementById("status").textContent));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width}`);
  await page.focus("#tab-answers");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-why", "aria-selected"), "true");
  await page.focus("#fact");
  await page.keyboard.type("path(a, d)");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^path\(a, d\)/.test(document.getElementById("tree").textContent));
  await context.close();
});

test("who is not meant gets nothing", { skip }, async () => {
  const { link } = await served();
  const { origin, searchParams } = new URL(link);
  const token = searchParams.get("token");
  const ask = (headers, body = "{}") => fetch(`${origin}/take`, { method: "POST", headers, body });
  assert.equal((await ask({})).status, 403, "without the token");
  assert.equal((await ask({ "x-ludolog-token": token })).status, 400, "without a tab");
  const known = { "x-ludolog-token": token, "x-ludolog-tab": "1" };
  assert.equal((await ask({ ...known, origin: "http://evil.example" })).status, 403, "another origin");
  const nonsense = await (await ask(known, "{ nonsense")).json();
  assert.equal(nonsense[0].error.code, -32700);
  const early = await (await ask(known, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "studio/query", params: { uri: "untitled:a.dl" } }))).json();
  assert.match(early[0].error.message, /cannot be read/);
  assert.equal((await ask(known, "x".repeat(40 << 20))).status, 413, "40 MB");
  for (let tab = 0; tab < 100; tab += 1) assert.equal((await ask({ ...known, "x-ludolog-tab": `${tab}` })).status, 200);
  const page = await opened(`${link}#not-a-text`);
  assert.match(await text(page), /path\(X, Y\)/);
  await page.context().close();
});
