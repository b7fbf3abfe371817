// The rules: CodeMirror with what the language server tells.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  WidgetType,
  drawSelection,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";

const KINDS = ["comment", "variable", "number", "operator", "keyword", "function", "struct", "constant"];

const setTokens = StateEffect.define();
const setLenses = StateEffect.define();
const setHints = StateEffect.define();

const field = (effect) =>
  StateField.define({
    create: () => Decoration.none,
    update(value, transaction) {
      const set = transaction.effects.find((one) => one.is(effect));
      return set ? set.value : value.map(transaction.changes);
    },
    provide: (own) => EditorView.decorations.from(own),
  });

/** A remark within the text: a lens at the end of a line, or a hint behind a name. */
class Remark extends WidgetType {
  constructor(className, text, title = "") {
    super();
    this.className = className;
    this.text = text;
    this.title = title;
  }
  eq(other) {
    return other.className === this.className && other.text === this.text;
  }
  toDOM() {
    const shown = document.createElement("span");
    shown.className = this.className;
    shown.textContent = this.text;
    shown.title = this.title;
    return shown;
  }
}

/** The place of a position, at the end of its line or of the text if it lies behind. */
export function offset(doc, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.from + character, found.to);
}

export function position(doc, at) {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

/** Markdown of hovers: code, bold and text, as elements. */
function shown(markdown) {
  const whole = document.createElement("div");
  for (const [index, part] of markdown.split(/```\w*\n([\s\S]*?)\n```/).entries()) {
    if (index % 2) {
      const pre = document.createElement("pre");
      pre.textContent = part;
      whole.append(pre);
    } else if (part.trim()) {
      const text = document.createElement("div");
      text.textContent = part.trim().replaceAll("**", "").replaceAll("`", "");
      whole.append(text);
    }
  }
  return whole;
}

export function makeEditor(parent, { text, changed, client, uri, moved }) {
  const place = (view, at) => ({ textDocument: { uri: uri() }, position: position(view.state.doc, at) });
  const hover = hoverTooltip(async (view, at) => {
    const found = await client()
      .request("textDocument/hover", place(view, at))
      .catch(() => null);
    return found && { pos: at, above: true, create: () => ({ dom: shown(found.contents.value) }) };
  });
  const complete = async (context) => {
    const word = context.matchBefore(/\??[\w-]+/);
    if (!word && !context.explicit) return null;
    const items = await client()
      .request("textDocument/completion", place(context.view, context.pos))
      .catch(() => []);
    const options = items.map((item) => ({ label: item.label, detail: item.detail, boost: -Number(item.sortText) }));
    return { from: word ? word.from : context.pos, options, validFor: /^\??[\w-]*$/ };
  };
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        autocompletion({ override: [complete] }),
        hover,
        field(setTokens),
        field(setLenses),
        field(setHints),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Rules" }),
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update);
          if (update.selectionSet) moved(update.state);
        }),
      ],
    }),
  });
}

/** The changes of an update as the protocol has them, one after the other. */
export function changesOf(update) {
  const changes = [];
  // From the end to the beginning, places of earlier ones stay.
  update.changes.iterChanges((from, to, _a, _b, inserted) => {
    const doc = update.startState.doc;
    changes.unshift({ range: { start: position(doc, from), end: position(doc, to) }, text: inserted.toString() });
  });
  return changes;
}

/** Shows diagnostics; their fixes are asked for when they are looked at. */
export function showDiagnostics(view, diagnostics, fixesOf) {
  const doc = view.state.doc;
  const severities = { 1: "error", 2: "warning", 3: "info" };
  const list = diagnostics.map((one) => {
    const from = offset(doc, one.range.start);
    const to = offset(doc, one.range.end);
    return {
      from,
      to,
      severity: severities[one.severity] ?? "info",
      source: one.code,
      message: one.message,
      actions: (one.fixes ?? []).map((fix) => ({ name: fix.title, apply: () => applyEdits(view, fix.edits) })),
    };
  });
  view.dispatch(setDiagnostics(view.state, list));
  if (fixesOf) {
    fixesOf(diagnostics).then((mended) => {
      if (mended && view.state.doc.eq(doc)) showDiagnostics(view, mended);
    });
  }
}

export function applyEdits(view, edits) {
  const doc = view.state.doc;
  view.dispatch({
    changes: edits.map((edit) => ({
      from: offset(doc, edit.range.start),
      to: offset(doc, edit.range.end),
      insert: edit.newText,
    })),
  });
  view.focus();
}

export function showTokens(view, data) {
  const doc = view.state.doc;
  const marks = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at < data.length; at += 5) {
    const [down, right, length, kind] = data.slice(at, at + 4);
    character = down ? right : character + right;
    line += down;
    const from = offset(doc, { line, character });
    const to = offset(doc, { line, character: character + length });
    if (from < to) marks.push(Decoration.mark({ class: `tok-${KINDS[kind]}` }).range(from, to));
  }
  view.dispatch({ effects: setTokens.of(Decoration.set(marks, true)) });
}

export function showLenses(view, lenses) {
  const doc = view.state.doc;
  const byLine = new Map();
  for (const lens of lenses) {
    if (["run", "play"].includes(lens.command.title)) continue;
    const { line } = lens.range.start;
    byLine.set(line, [...(byLine.get(line) ?? []), lens.command.title]);
  }
  const widgets = [...byLine]
    .filter(([line]) => line < doc.lines)
    .map(([line, titles]) => Decoration.widget({ widget: new Remark("cm-lens", titles.join(" · ")), side: 1 }).range(doc.line(line + 1).to));
  view.dispatch({ effects: setLenses.of(Decoration.set(widgets, true)) });
}

/** Shows hints behind names: modes of sub-goals, and what is asked of a head. */
export function showHints(view, hints) {
  const doc = view.state.doc;
  const widget = (hint) => Decoration.widget({ widget: new Remark("cm-hint", hint.label, hint.tooltip), side: 1 });
  const widgets = hints.map((hint) => widget(hint).range(offset(doc, hint.position)));
  view.dispatch({ effects: setHints.of(Decoration.set(widgets, true)) });
}
