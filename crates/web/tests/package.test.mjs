// The package as its users get it, under node: `node --test crates/web/tests`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import init, { Game, Hex, LanguageServer, Session, check, convert, format } from "../pkg/ludolog.js";

await init({ module_or_path: readFileSync(new URL("../pkg/ludolog_bg.wasm", import.meta.url)) });

const PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).";

test("facts come and go, and goals have answers", () => {
  const session = new Session(PATHS);
  assert.equal(session.insert("edge(a, b)"), true);
  assert.equal(session.insert("edge(a, b)"), false);
  session.insert("edge(b, 3)");
  assert.deepEqual(session.query("path(a, X)"), { variables: ["X"], rows: [[3], ["b"]] });
  assert.deepEqual(session.query("path(a, 3)").rows, [[]]);
  assert.deepEqual(session.facts("path"), ["path(a, 3)", "path(a, b)", "path(b, 3)"]);
  assert.equal(session.retract("edge(b, 3)"), true);
  assert.deepEqual(session.query("path(a, 3)").rows, []);
});

test("a chain of 300 nodes has 300 · 301 / 2 paths", () => {
  const session = new Session(`edge(X, Y) :- X in 1..300 & Y is X + 1. ${PATHS}`);
  assert.equal(session.query("path(X, Y)").rows.length, 45_150);
});

test("answers are explained", () => {
  const session = new Session(`${PATHS} edge(a, b). edge(b, c).`);
  const why = session.why("path(a, c)");
  assert.equal(why.holds, true);
  assert.equal(why.steps.length, 4);
  assert.match(why.text, /^path\(a, c\) .*rules\.dl:1/);
  assert.equal(session.why("path(c, a)").holds, false);
  const whyNot = session.whyNot("path(c, a)");
  assert.equal(whyNot.holds, false);
  assert.equal(whyNot.denials[0].rules.length, 2);
  assert.match(session.whyNot("path(a, c)").text, /holds/);
});

test("files are included, those that come with Ludolog too", () => {
  const files = { "lib/steps.kif": "(edge 1 2)" };
  const session = new Session(`:- include('lib/steps.kif'). :- include('std:lib/hex-board.dl'). ${PATHS}`, { files });
  assert.deepEqual(session.query("path(1, X)").rows, [[2]]);
  assert.throws(() => new Session(":- input(edge, 'edge.tsv.gz'). p(X) :- edge(X, X).", { files: { "edge.tsv.gz": "1\t1" } }), /compressed/);
  assert.throws(() => new Session(":- include('lib/steps.kif')."), /there is no file `lib\/steps\.kif`/);
});

test("what is wrong with rules is thrown with its places", () => {
  assert.throws(
    () => new Session("p(X) :- q(Y)."),
    (error) => {
      assert.equal(error.diagnostics[0].code, "unsafe-variable");
      assert.match(error.message, /rules\.dl:1:1/);
      return true;
    },
  );
  const found = check("p(X) :- qq(X). q(1).\np(X :- q(X).");
  assert.deepEqual(found.map((one) => one.code), ["unknown-predicate", "syntax"]);
  assert.deepEqual(check("(role red) (init (on a))", { syntax: "kif" }).map((one) => one.code).slice(0, 1), ["incomplete-game"]);
  assert.throws(() => check("p.", { syntax: "prolog" }), /is no syntax/);
  assert.throws(() => new Session("p.").query("p("), /parenthes/);
});

test("layout and the other syntax", () => {
  assert.equal(format("p( X):-q(X)."), "p(X) :- q(X).\n");
  assert.equal(convert("win(P) :- line(P) & ~lost(P)."), "(<= (win ?p) (line ?p) (not (lost ?p)))\n");
  assert.equal(convert("(p a)", { syntax: "kif" }), "p(a).\n");
});

test("work ends after its milliseconds, and the rest goes on", () => {
  const session = new Session("n(X) :- X in 1..100000. p(X, Y, Z) :- n(X) & n(Y) & n(Z).");
  const start = performance.now();
  let told;
  try {
    told = session.query("p(X, Y, Z) & X > Y & Y > Z", 200).stopped;
  } catch (error) {
    told = error.message;
  }
  assert.ok(told, "it cannot have finished");
  assert.ok(performance.now() - start < 10_000);
  assert.equal(session.query("n(7)").rows.length, 1);
});

test("a game is played to its end", () => {
  const game = new Game("std:games/tic-tac-toe.kif");
  assert.deepEqual(game.roles, ["cross", "nought"]);
  assert.equal(game.hasNet, true);
  assert.equal(game.legal()[0].length, 9);
  assert.throws(() => game.play(["(put 9 9)", "wait"]), /is not a legal move of cross/);
  assert.throws(() => game.play(["wait"]), /1 moves for 2 roles/);
  // Two in a row and the turn: the third wins.
  for (const [x, o] of [["(put 1 1)", "(put 2 1)"], ["(put 1 2)", "(put 2 2)"]]) {
    game.play([x, "wait"]);
    game.play(["wait", o]);
  }
  const choice = game.choose(0, "mcts", 300);
  assert.equal(choice.move, "(put 1 3)");
  assert.equal(choice.value, 100);
  game.play([choice.move, "wait"]);
  assert.equal(game.isOver(), true);
  assert.deepEqual(game.goals(), [100, 0]);
  assert.deepEqual(game.legal(), [[], []]);
  assert.throws(() => game.choose(0, "mcts", 100), /the game is over/);
  assert.match(game.svg(), /^<svg/);
  assert.equal(game.undo(), true);
  assert.equal(game.isOver(), false);
  assert.throws(() => game.choose(7, "mcts", 100), /no role/);
  assert.throws(() => game.choose(0, "deep blue", 100), /deep blue/);
});

test("random playouts have the goals that the rules allow", () => {
  const { count, means } = new Game("std:games/tic-tac-toe.kif").playouts(300);
  assert.ok(count >= 1024);
  // Of random games of tic-tac-toe, 58.49 % are won by who begins and 28.81 % by the other: 64.84 and 35.16 points.
  assert.ok(Math.abs(means[0] - 64.84) < 2, `${means[0]}`);
  assert.ok(Math.abs(means[1] - 35.16) < 2, `${means[1]}`);
});

test("Hex is solved", () => {
  const hex = new Hex("3x3");
  // Who begins wins Hex, on any empty board (Nash).
  assert.equal(hex.solve("red").winner, "red");
  assert.equal(hex.solve("blue").winner, "blue");
  hex.place("red", "b2");
  assert.equal(hex.solve("blue").winner, "red");
  assert.equal(hex.evaluate("two-distance").heat.length, 9);
  assert.throws(() => hex.place("red", "b2"), /there is a stone/);
  assert.throws(() => hex.place("red", "z9"), /no cell/);
  assert.throws(() => hex.place("red", 9), { name: "TypeError", message: "a text is wanted, not number 9" });
  assert.throws(() => new Hex(5, 5), { name: "TypeError", message: "a text is wanted, not number 5" });
  assert.throws(() => hex.evaluate("luck"), /there are/);
  assert.match(hex.svg(["b2"]), /^<svg/);
  assert.equal(new Hex(hex.toString()).solve("blue").winner, "red");
  assert.equal(hex.winner(), undefined);
});

test("the language server mends a rule", () => {
  const server = new LanguageServer();
  const take = (message) => server.take(JSON.stringify({ jsonrpc: "2.0", ...message })).map((text) => JSON.parse(text));
  take({ id: 1, method: "initialize", params: { capabilities: {} } });
  const uri = "untitled:rules";
  const text = "edge(a, b).\npath(X, Y) :- egde(X, Y).\n% ? edge(a, X)\n";
  take({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "datalog", version: 1, text } } });
  const told = server.goOn().map((text) => JSON.parse(text));
  const { diagnostics } = told.find((one) => one.method === "textDocument/publishDiagnostics").params;
  assert.equal(diagnostics[0].code, "unknown-predicate");
  const params = { textDocument: { uri }, range: diagnostics[0].range, context: { diagnostics } };
  const [fix] = take({ id: 2, method: "textDocument/codeAction", params })[0].result;
  assert.equal(fix.title, "write `edge` in place of `egde`");
  while (server.goOn() !== undefined);
  const lenses = take({ id: 3, method: "textDocument/codeLens", params: { textDocument: { uri } } })[0].result;
  assert.ok(lenses.some((lens) => lens.command.title === "1 answer: b"));
  assert.equal(JSON.parse(server.take("{ nonsense")[0]).error.code, -32700);
});
