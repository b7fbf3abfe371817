// The studio: one text, an engine that knows what it means, and panels beside it.

import { makeBench } from "./bench.js";
import { Client } from "./client.js";
import { applyEdits, changesOf, makeEditor, position, showDiagnostics, showHints, showLenses, showTokens } from "./editor.js";
import { ServerEngine, WorkerEngine } from "./engine.js";
import { makeGame } from "./game.js";
import { makeHex } from "./hex.js";
import { makeMatches } from "./matches.js";
import { element, makeAnswers, makeCosts, makeTabs, makeWhy } from "./panels.js";
import { pack, unpack } from "./share.js";

const by = (id) => document.getElementById(id);
const KEPT = "ludolog-studio";

/** The page asks again for lenses when it is told to. */
const INITIALIZE = { processId: null, capabilities: { workspace: { codeLens: { refreshSupport: true } } } };

const EXAMPLE = `% Who reaches whom. A comment with a question shows its answer:
% ? path(a, X)
edge(a, b).
edge(b, c).
edge(c, d).

path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y) & edge(Y, Z).
`;

const token = new URLSearchParams(location.search).get("token");
const engine = token ? new ServerEngine(token) : new WorkerEngine();

let version = 0;
let text = { name: "rules.dl", text: EXAMPLE };
let view;
let client;
let diagnostics = [];
let isBack = true;

const syntax = () => by("syntax").value;
const uri = () => text.uri ?? `untitled:${text.name.replaceAll(/[^\w.-]/g, "_")}`;
const say = (words) => (by("status").textContent = words);

/** Begins, or begins again when the engine is back. */
async function begin() {
  await client.request("initialize", INITIALIZE);
  await open();
}

function open() {
  version += 1;
  const languageId = syntax() === "kif" ? "gdl" : "datalog";
  const textDocument = { uri: uri(), languageId, version, text: view.state.doc.toString() };
  const opened = version;
  return client.notify("textDocument/didOpen", { textDocument }).then(() => look(opened));
}

/** Asks for what is seen in a version of the text, unless there is another one: who types fast asks once. */
async function look(asked = version) {
  if (asked !== version) return;
  const textDocument = { uri: uri() };
  const tokens = await client.request("textDocument/semanticTokens/full", { textDocument }).catch(() => null);
  if (asked !== version) return;
  if (tokens) showTokens(view, tokens.data);
  const end = position(view.state.doc, view.state.doc.length);
  const range = { start: { line: 0, character: 0 }, end };
  const hints = by("hints").checked ? await client.request("textDocument/inlayHint", { textDocument, range }).catch(() => null) : [];
  if (hints && asked === version) showHints(view, hints);
}

async function lenses() {
  const asked = version;
  const found = await client.request("textDocument/codeLens", { textDocument: { uri: uri() } }).catch(() => null);
  if (found && asked === version) showLenses(view, found);
}

/** Diagnostics whose fixes are asked for: each fix is tried, and a text with more of them than one reads would keep the engine. */
const MENDED = 40;

/** Diagnostics with the changes that mend them. */
async function withFixes(list) {
  if (list.length === 0) return null;
  const context = { diagnostics: list.slice(0, MENDED) };
  const actions = await client
    .request("textDocument/codeAction", { textDocument: { uri: uri() }, range: list[0].range, context })
    .catch(() => []);
  const of = (one) => actions.filter((action) => JSON.stringify(action.diagnostics?.[0]) === JSON.stringify(one));
  const fix = (action) => ({ title: action.title, edits: Object.values(action.edit.changes)[0] });
  return list.map((one) => ({ ...one, fixes: of(one).map(fix) }));
}

function notified(method, params) {
  if (method === "workspace/codeLens/refresh") lenses();
  if (method !== "textDocument/publishDiagnostics" || params.uri !== uri()) return;
  diagnostics = params.diagnostics;
  showDiagnostics(view, diagnostics, withFixes);
  const errors = diagnostics.filter((one) => one.severity === 1).length;
  const words = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  say(`${words(errors, "error")}, ${words(diagnostics.length - errors, "remark")}`);
  const go = (one) => () => goTo(one.range.start.line + 1);
  by("list").replaceChildren(
    ...diagnostics.map((one) =>
      element("li", {}, element("button", { textContent: `${one.range.start.line + 1}: ${one.message}`, onclick: go(one) })),
    ),
  );
  by("tab-problems").textContent = diagnostics.length ? `Problems (${diagnostics.length})` : "Problems";
  lenses();
}

/** The engine does not answer: the text is kept, and asked again. */
function lost(error) {
  if (!isBack) return;
  isBack = false;
  say(`the engine does not answer (${error.message}); the text is kept`);
  const again = async () => {
    try {
      const message = { jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE };
      await engine.take(JSON.stringify(message));
      isBack = true;
      await open();
      say("the engine is back");
    } catch {
      setTimeout(again, 1000);
    }
  };
  setTimeout(again, 1000);
}

function goTo(line) {
  const at = view.state.doc.line(Math.min(line, view.state.doc.lines));
  view.dispatch({ selection: { anchor: at.from }, scrollIntoView: true });
  view.focus();
}

let kept;
function keep() {
  clearTimeout(kept);
  kept = setTimeout(() => {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...text, text: view.state.doc.toString() }));
    } catch {
      say("the browser has no room to keep this text");
    }
  }, 300);
}

function changed(update) {
  version += 1;
  keep();
  const contentChanges = changesOf(update);
  const typed = version;
  client.notify("textDocument/didChange", { textDocument: { uri: uri(), version }, contentChanges }).then(() => look(typed));
  game.changed();
}

async function first() {
  if (location.hash.startsWith("#std:")) return text;
  if (location.hash.length > 1) {
    const shared = await unpack(location.hash.slice(1)).catch((error) => void say(`the link is damaged: ${error.message}`));
    if (shared) return shared;
  }
  const given = await engine.first().catch(() => null);
  if (given?.files) return opened(given.files[0]);
  if (given) return given;
  const own = browsers();
  return own && !own.uri ? own : text;
}

/** The text that the browser keeps, if there is one. */
function browsers() {
  try {
    const own = JSON.parse(localStorage.getItem(KEPT));
    return typeof own?.text === "string" && typeof own?.name === "string" ? own : null;
  } catch {
    return null;
  }
}

/** A file of the folder: as it is on the disk, or as it was changed here since. */
async function opened(name) {
  const file = await client.request("studio/open", { name });
  const own = browsers();
  const isChanged = own?.uri === file.uri && own.saved === file.text;
  return { ...file, saved: file.text, text: isChanged ? own.text : file.text };
}

client = new Client(engine, { notified, lost });
const select = makeTabs();
const game = makeGame(() => client, uri);
const about = () => ({ uri: uri(), ...game.asked() });
const explain = makeWhy(() => client, about, select, goTo);
makeAnswers(() => client, about, syntax, explain);
makeCosts(() => client, about, goTo);
makeBench(() => client, about, makeHex(() => client));
const playOn = (moves) => {
  select("game");
  return game.goTo(moves);
};
makeMatches(() => client, uri, () => text.name, playOn);

text = await first();
by("save").hidden = !text.uri;
by("syntax").value = /\.(kif|gdl)$/.test(text.name) ? "kif" : "dl";
view = makeEditor(by("rules"), { text: text.text, changed, client: () => client, uri, moved: () => {} });
window.studio = { view, position };

by("syntax").onchange = async () => {
  await client.notify("textDocument/didClose", { textDocument: { uri: uri() } });
  text = { name: `rules.${syntax()}`, text: view.state.doc.toString() };
  by("save").hidden = true;
  keep();
  open();
};
by("hints").onchange = () => look();
by("format").onclick = async () => {
  const options = { tabSize: 4, insertSpaces: true };
  try {
    applyEdits(view, await client.request("textDocument/formatting", { textDocument: { uri: uri() }, options }));
  } catch (error) {
    say(error.message);
  }
};
by("share").onclick = async () => {
  location.hash = await pack({ name: text.name, text: view.state.doc.toString() });
  const link = location.href.replace(/\?token=[^#]*/, "");
  await navigator.clipboard?.writeText(link).then(
    () => say("the link is in the clipboard"),
    () => say("the link is in the address bar"),
  );
};
/** Shows a file: one of the folder, or one that comes with Ludolog, by its name. */
async function show(name) {
  const isShipped = name.startsWith("std:");
  const next = isShipped ? { name: name.split("/").pop(), text: await client.request("studio/read", { name }) } : await opened(name);
  await client.notify("textDocument/didClose", { textDocument: { uri: uri() } });
  text = next;
  by("syntax").value = /\.(kif|gdl)$/.test(name) ? "kif" : "dl";
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next.text } });
  open();
  game.changed();
  by("save").hidden = isShipped;
}

by("library").onchange = ({ target }) => {
  if (!target.value) return;
  if (target.value.startsWith("std:")) history.replaceState(null, "", `#${target.value}`);
  show(target.value).catch((error) => say(error.message));
};

/** Writes a file of the folder, if it is on the disk as it was read. */
async function save() {
  const now = view.state.doc.toString();
  try {
    await client.request("studio/save", { name: text.name, text: now, before: text.saved });
    text.saved = now;
    keep();
    say(`${text.name} is saved`);
  } catch (error) {
    say(error.message);
  }
}
by("save").onclick = save;
addEventListener("keydown", (event) => {
  if (!text.uri || event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  save();
});

try {
  await begin();
  const names = await client.request("studio/library", {});
  const files = names.filter((name) => /\.(dl|kif)$/.test(name) && !/WxH|<|\^/.test(name));
  const tutorials = (name) => (name.includes("tutorials/") ? 0 : 1);
  files.sort((a, b) => tutorials(a) - tutorials(b));
  const option = (name) => element("option", { value: name, textContent: name.replace("std:", "") });
  const own = await client.request("studio/files", {});
  const folder = own.length ? [element("optgroup", { label: "Folder" }, ...own.map(option))] : [];
  by("library").append(...folder, element("optgroup", { label: "With Ludolog" }, ...files.map(option)));
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (files.includes(wanted)) {
    by("library").value = wanted;
    await show(wanted);
  }
} catch (error) {
  say(error.message);
}
