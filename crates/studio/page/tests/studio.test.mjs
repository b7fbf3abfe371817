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

/** Whether the text of an element matches, in the end. */
const told = (page, id, pattern) =>
  page.waitForFunction(([id, source]) => new RegExp(source).test(document.getElementById(id).textContent), [id, pattern.source]);

/** Keeps the boxes of these names checked, and no others. */
async function choose(page, place, names) {
  for (const box of await page.locator(`#${place} input`).all()) await box.setChecked(names.includes(await box.getAttribute("value")));
}

/** What a click saves, as JSON. */
async function saved(page, id) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
  const path = join(room, `${Math.random()}.json`);
  await download.saveAs(path);
  return { path, json: JSON.parse(readFileSync(path, "utf8")) };
}

/** The record of a match that the command has written is walked through, whatever text is open. */
async function replay(page) {
  const record = join(room, "match.json");
  rmSync(record, { force: true });
  const ran = spawnSync(command, ["match", "std:games/tic-tac-toe.kif", "random", "random", "--start-clock", "1s", "--play-clock", "1s", "--record", record]);
  assert.equal(ran.status, 0, String(ran.stderr));
  const { moves, states } = JSON.parse(readFileSync(record, "utf8"));
  await page.click("#tab-matches");
  await page.setInputFiles("#replay-file", record);
  await told(page, "replay-said", new RegExp(`^State 0 of ${moves.length}, next: `));
  assert.equal(await page.locator("#replay-moves li").count(), states.length);
  // By keys: to the end, and one back.
  await page.focus("#replay-slider");
  await page.keyboard.press("End");
  await told(page, "replay-said", new RegExp(`^State ${moves.length} of ${moves.length}, the end`));
  await page.keyboard.press("ArrowLeft");
  await told(page, "replay-said", new RegExp(`^State ${moves.length - 1} of`));
  // Every mark of the state is told by its cell.
  const marks = states.at(-2).match(/\(mark \d \d \w+\)/g);
  const cells = await page.locator("#replay-board .cells > *").evaluateAll((list) => list.map((cell) => cell.getAttribute("aria-label")));
  assert.equal(cells.length, 9);
  assert.equal(cells.filter((cell) => !/empty$/.test(cell)).length, marks.length, cells.join());
  await page.click("#replay-first");
  await page.selectOption("#replay-speed", "5");
  await page.click("#replay-play");
  await told(page, "replay-said", new RegExp(`^State ${moves.length} of`));
  await page.waitForFunction(() => document.getElementById("replay-play").textContent === "Play");
  // What is no record is told, and the one before stays.
  writeFileSync(join(room, "nonsense.json"), '{ "states": 3 }');
  await page.setInputFiles("#replay-file", join(room, "nonsense.json"));
  await told(page, "replay-said", /nonsense.json: this is no record of a match/);
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
  await replay(page);
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
  // A benchmark by keys alone; no panel is wider than the page.
  await page.focus("#tab-why");
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-bench", "aria-selected"), "true");
  await page.waitForSelector("#bench-form:not([hidden])");
  await page.focus("#bench-engines input >> nth=0");
  await page.keyboard.press("Space");
  await page.selectOption("#bench-limit", "250");
  await page.focus("#bench-goal");
  await page.keyboard.press("Enter");
  await told(page, "bench-said", /^5 rows$/);
  await replay(page);
  for (const tab of await page.locator("[role=tab]").all()) {
    await tab.click();
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector("[role=tabpanel]:not([hidden])").scrollWidth]);
    assert.ok(wide.every((width) => width <= 390), `${await tab.textContent()}: ${wide}`);
  }
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

const CLOSURE = "% ? path(a, X)\nedge(a, b).\nedge(b, c).\npath(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n";

test("a benchmark runs row by row, is stopped, and compared with an earlier one", { skip }, async () => {
  const { link } = await served();
  const page = await opened(link);
  await type(page, CLOSURE);
  await page.click("#tab-bench");
  await page.waitForSelector("#bench-form:not([hidden])");
  await choose(page, "bench-engines", ["semi-naive"]);
  await choose(page, "bench-optimizations", ["none", "auto"]);
  await page.selectOption("#bench-limit", "250");
  await page.fill("#bench-goal", "path(a, X)");
  const run = async () => {
    await page.click("#bench-form button >> text=Start");
    await told(page, "bench-said", /^2 rows$/);
    return saved(page, "#bench-save");
  };
  const first = await run();
  assert.equal(first.json.benchmark, "workloads");
  assert.deepEqual(first.json.rows.map((row) => [row.optimization, row.outcome, row.tuples]), [["none", "finished", 2], ["auto", "finished", 2]]);
  await page.setInputFiles("#bench-file", first.path);
  const second = await run();
  const cells = await page.locator("#bench-rows tbody tr").evaluateAll((rows) => rows.map((row) => row.lastChild.textContent));
  const ratios = second.json.rows.map((row, number) => (row.median_ns / first.json.rows[number].median_ns).toFixed(2));
  assert.deepEqual(cells, ratios);
  // The browser keeps both, and an earlier one of other rows has nothing in common.
  await page.reload();
  await page.waitForFunction(() => /error|remark/.test(document.getElementById("status").textContent));
  await page.click("#tab-bench");
  await page.waitForFunction(() => document.querySelectorAll("#bench-earlier option").length === 3);
  await page.waitForSelector("#bench-form:not([hidden])");
  await page.selectOption("#bench-subject", "hex");
  await page.selectOption("#bench-position", "3x3 longest");
  await choose(page, "bench-formulations", ["reachability"]);
  await choose(page, "bench-engines", ["semi-naive"]);
  await choose(page, "bench-optimizations", ["none"]);
  await page.selectOption("#bench-earlier", "1");
  await page.click("#bench-form button >> text=Start");
  await told(page, "bench-said", /^1 rows$/);
  await told(page, "bench-rows", /0 rows are measured in both reports, 2 in the earlier one alone/);
  // The position is won.
  assert.match(await page.textContent("#bench-rows tbody"), /reachability3x3 longest.*yes/);
  await choose(page, "bench-formulations", ["reachability", "cluster", "power-set"]);
  await choose(page, "bench-optimizations", ["none", "grounding", "reordering", "both", "auto"]);
  await page.click("#bench-form button >> text=Start");
  await told(page, "bench-step", /of \d+ steps/);
  await page.click("#bench-stop");
  await told(page, "bench-said", /stopped before the end/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a tournament is watched, its matches are replayed and played on", { skip }, async () => {
  const { link } = await served();
  const page = await opened(link);
  await page.selectOption("#library", "std:games/tic-tac-toe.kif");
  await page.waitForFunction(() => document.getElementById("syntax").value === "kif");
  await page.click("#tab-matches");
  await page.waitForSelector("#matches-players input");
  await choose(page, "matches-players", ["random", "legal"]);
  await page.fill("#matches-rounds", "2");
  await page.selectOption("#matches-clock", "100");
  await page.click("#matches-form button >> text=Start");
  // Two players, each in both seats, two rounds.
  await told(page, "matches-said", /^4 of 4 matches$/);
  const means = await page.locator("#matches-scores tbody td:nth-child(3)").allTextContents();
  assert.equal(means.map(Number).reduce((sum, mean) => sum + mean, 0), 100, "what one wins the other loses");
  const steps = Number(await page.locator("#matches-rows tbody tr:nth-child(1) td:nth-child(4)").textContent());
  await page.click("#matches-rows button >> nth=0");
  await told(page, "replay-said", new RegExp(`^State 0 of ${steps}, next`));
  const { json } = await saved(page, "#replay-save");
  assert.equal(json.moves.length, steps);
  await page.click("#replay-moves button >> nth=2");
  await told(page, "replay-said", /^State 2 of/);
  await page.click("#replay-on");
  await told(page, "score", /^2 moves so far/);
  // One that takes long is stopped: nobody solves this game while it is watched.
  await page.selectOption("#library", "std:games/connect-four.kif");
  await page.waitForFunction(() => document.querySelector("#rules .cm-content").textContent.includes("seven columns"));
  await page.click("#tab-matches");
  await choose(page, "matches-players", ["mcts"]);
  await page.selectOption("#matches-clock", "5000");
  await page.click("#matches-form button >> text=Start");
  await told(page, "matches-now", /now mcts against mcts/);
  await page.click("#matches-stop");
  await page.waitForFunction(() => document.getElementById("matches-stop").disabled);
  await told(page, "matches-said", /^0 of 2 matches$/);
  // Nobody is asked for the impossible.
  await page.fill("#matches-rounds", "250");
  await choose(page, "matches-players", ["mcts", "random", "legal"]);
  await page.click("#matches-form button >> text=Start");
  await told(page, "matches-rows", /has 500 matches at most/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("modes and demand stand behind names", { skip }, async () => {
  const { link } = await served();
  const page = await opened(link);
  await type(page, CLOSURE);
  const hints = () => page.locator("#rules .cm-hint").allTextContents();
  await page.waitForFunction(() => document.querySelectorAll("#rules .cm-hint").length === 4);
  // The question binds the first argument of `path`, and the recursion hands it on.
  assert.deepEqual(await hints(), ["asked +-", "--", "--", "+-"]);
  await page.uncheck("#hints");
  await page.waitForFunction(() => document.querySelectorAll("#rules .cm-hint").length === 0);
  await page.context().close();
});

/** The roles of what is operated, each of which has to have a name. */
const OPERATED = ["button", "textbox", "combobox", "checkbox", "slider", "spinbutton", "tab", "link", "listbox"];

test("a screen reader is told the names of all controls, the heads of tables and the cells of boards", { skip }, async () => {
  const { link } = await served();
  const page = await opened(link);
  const session = await page.context().newCDPSession(page);
  /** The nodes of the page as a screen reader meets them, with the lists of what is below them. */
  const nodes = async () => {
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const all = new Map(nodes.map((node) => [node.nodeId, node]));
    const below = (node) => (node.childIds ?? []).map((id) => all.get(id)).filter(Boolean).flatMap((child) => [child, ...below(child)]);
    return nodes.filter((node) => !node.ignored).map((node) => ({ role: node.role.value, name: node.name?.value ?? "", below: () => below(node) }));
  };
  const check = async (panel) => {
    const met = await nodes();
    for (const { role } of met.filter((node) => OPERATED.includes(node.role) && node.name.trim() === "")) assert.fail(`${panel}: a ${role} has no name`);
    for (const table of met.filter((node) => node.role === "table")) {
      assert.notEqual(table.name, "", `${panel}: a table has no name`);
      assert.ok(table.below().some((node) => node.role?.value === "columnheader"), `${panel}: the table ${table.name} has no heads`);
    }
    assert.ok(met.some((node) => node.role === "tabpanel" && node.name !== ""), panel);
    assert.ok(met.some((node) => node.role === "status"), `${panel}: nothing tells what happens`);
    return met;
  };
  const has = (met, role, name) => assert.ok(met.some((node) => node.role === role && name.test(node.name)), `a ${role} ${name}`);
  await type(page, CLOSURE);
  await page.fill("#goal", "path(a, X)");
  await page.press("#goal", "Enter");
  await page.waitForSelector("#rows tbody tr");
  has(await check("answers"), "table", /answers/);
  await page.click("#tab-costs");
  await page.press("#measured", "Enter");
  await page.waitForSelector("#work tbody tr");
  has(await check("costs"), "table", /work by rule/);
  await page.click("#tab-why");
  await check("why");
  await page.click("#tab-bench");
  await page.waitForSelector("#bench-form:not([hidden])");
  await choose(page, "bench-engines", ["semi-naive"]);
  await choose(page, "bench-optimizations", ["none"]);
  await page.click("#bench-form button >> text=Start");
  await told(page, "bench-said", /^1 rows$/);
  const bench = await check("bench");
  has(bench, "group", /Engines/);
  has(bench, "table", /measured/);
  await page.click("#tab-problems");
  await check("problems");
  await page.selectOption("#library", "std:games/tic-tac-toe.kif");
  await page.waitForFunction(() => document.getElementById("syntax").value === "kif");
  await page.click("#tab-game");
  await page.selectOption("#seats select >> nth=1", "you");
  await page.getByRole("button", { name: "(put 2 2)", exact: true }).click();
  await told(page, "score", /^1 moves/);
  const game = await check("game");
  has(game, "group", /the board after 1 moves/);
  const cells = game.filter((node) => node.role === "image" && /: /.test(node.name)).map((node) => node.name);
  assert.equal(cells.filter((cell) => /: empty$/.test(cell)).length, 8, cells.join());
  assert.equal(cells.length, 9, cells.join());
  await page.click("#tab-hex");
  await page.waitForSelector("#hex-board .cells");
  const hex = await check("hex");
  assert.equal(hex.filter((node) => node.role === "button" && /^[a-e][1-5], empty$/.test(node.name)).length, 25);
  await page.click("#tab-matches");
  await page.waitForSelector("#matches-players input");
  await replay(page);
  const matches = await check("matches");
  has(matches, "slider", /state/);
  has(matches, "group", /the board in state/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
