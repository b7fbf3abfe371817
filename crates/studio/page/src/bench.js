// Benchmarks: what is measured, rows as they come, and the ratio to an earlier report.

import { boxes, checked, element, fail, followed, save, table } from "./panels.js";

const by = (id) => document.getElementById(id);

/** Milliseconds between two looks at a run. */
const LOOK = 300;

/** Where the browser keeps reports, and how many. */
const KEPT = "ludolog-bench";
const MOST = 5;

/** The position on the panel of Hex, among those of the benchmark. */
const BOARD = "the board on the panel of Hex";

/** The rows of two reports are about the same run if these are the same. */
const KEY = ["formulation", "optimization", "engine", "position"];

const time = (nanoseconds) => {
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const [unit, size] = units.find(([, size]) => nanoseconds >= size) ?? ["ns", 1];
  return `${(nanoseconds / size).toPrecision(3)} ${unit}`;
};

/** The reports that the browser keeps, the last one first. */
function kept() {
  try {
    const list = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(list) ? list.filter((report) => Array.isArray(report?.rows)) : [];
  } catch {
    return [];
  }
}

function keep(report) {
  try {
    localStorage.setItem(KEPT, JSON.stringify([report, ...kept()].slice(0, MOST)));
  } catch {
    // A browser without room for it keeps the ones before.
  }
}

const name = (report) => `${report.benchmark}, ${report.environment?.date ?? "of unknown date"}, ${report.rows.length} rows`;

/** The panel of benchmarks. `position` is that of the panel of Hex, if there is one. */
export function makeBench(client, about, position) {
  let rows = [];
  let report = null;
  let earlier = null;
  let run = {};
  let isReady = false;

  const say = (words) => (by("bench-said").textContent = words);
  const isHex = () => by("bench-subject").value === "hex";

  /** The choices that there are, asked for once. */
  const prepare = async () => {
    if (isReady) return;
    try {
      const choices = await client().request("studio/benchChoices", {});
      isReady = true;
      boxes(by("bench-engines"), "Engines", choices.engines);
      boxes(by("bench-optimizations"), "Optimizations", choices.optimizations);
      boxes(by("bench-formulations"), "Formulations", choices.formulations);
      const option = ({ name, title, isChosen }) => element("option", { value: name, textContent: `${name}: ${title}`, selected: isChosen });
      by("bench-position").replaceChildren(...choices.positions.map(option), element("option", { value: BOARD, textContent: BOARD }));
      by("bench-form").hidden = false;
      say("");
    } catch (error) {
      say(error.message);
    }
    offer();
  };

  /** The reports that may be compared with. */
  const offer = () => {
    const chosen = by("bench-earlier").value;
    const list = kept().map((one, number) => element("option", { value: String(number), textContent: name(one) }));
    by("bench-earlier").replaceChildren(element("option", { value: "", textContent: "none" }), ...list);
    if (chosen === "file" && earlier) by("bench-earlier").append(element("option", { value: "file", textContent: `file: ${name(earlier)}`, selected: true }));
  };

  const show = () => {
    by("bench-save").disabled = report === null;
    if (rows.length === 0) {
      by("bench-rows").replaceChildren();
      return;
    }
    const key = (row) => JSON.stringify(KEY.map((field) => row[field]));
    const before = new Map((earlier?.rows ?? []).map((row) => [key(row), row]));
    const outcome = (row) => (row.outcome === "finished" && row.median_ns !== null ? time(row.median_ns) : (row.reason ?? row.outcome));
    const answer = (row) => (row.answer === null || row.answer === undefined ? String(row.tuples ?? "") : row.answer ? "yes" : "no");
    const compared = (row) => {
      const other = before.get(key(row));
      if (!other) return ["", ""];
      const ratio = row.median_ns && other.median_ns ? (row.median_ns / other.median_ns).toFixed(2) : "";
      return [outcome(other), ratio];
    };
    const heads = ["program", "position", "engine", "optimization", "time", "probes", "derived", "answer or tuples", "savings"];
    const lines = rows.map((row) => {
      const savings = row.rsf === null || row.rsf === undefined ? "" : `${row.rsf_at_least ? "≥ " : ""}${row.rsf.toPrecision(3)}`;
      const cells = [row.formulation, row.position, row.engine, row.optimization, outcome(row), row.probes ?? "", row.derived ?? "", answer(row), savings];
      return earlier ? [...cells, ...compared(row)] : cells;
    });
    const parts = [table("measured", earlier ? [...heads, "earlier time", "ratio"] : heads, lines)];
    if (earlier) {
      const now = new Set(rows.map(key));
      const missing = earlier.rows.filter((row) => !now.has(key(row))).length;
      const both = rows.map(compared).filter(([, ratio]) => ratio !== "").length;
      parts.unshift(element("p", { textContent: `${both} rows are measured in both reports, ${missing} in the earlier one alone; a ratio below 1 is faster than before` }));
    }
    by("bench-rows").replaceChildren(...parts);
  };

  const start = async () => {
    const mine = (run = {});
    rows = [];
    report = null;
    show();
    say("The benchmark has begun.");
    by("bench-stop").disabled = false;
    const board = isHex() && by("bench-position").value === BOARD;
    const asked = {
      ...about(),
      goal: by("bench-goal").value,
      engines: checked(by("bench-engines")),
      optimizations: checked(by("bench-optimizations")),
      formulations: isHex() ? checked(by("bench-formulations")) : [],
      name: board ? "board" : by("bench-position").value,
      position: board ? (position() ?? "") : "",
      milliseconds: Number(by("bench-limit").value),
    };
    try {
      if (isHex() && asked.formulations.length === 0) throw new Error("choose a formulation");
      await client().request("studio/bench", asked);
      const progress = () => client().request("studio/benchProgress", { from: rows.length });
      const ended = await followed(progress, LOOK, () => mine === run, (told) => {
        rows.push(...told.rows);
        by("bench-step").textContent = told.isRunning ? `${told.done} of ${told.total} steps: ${told.step}` : "";
        if (told.rows.length) show();
      });
      if (!ended) return;
      report = JSON.parse(ended.report);
      rows = report.rows;
      keep(report);
      offer();
      const wrong = ended.failures.length ? `; wrong: ${ended.failures.join("; ")}` : "";
      say(`${rows.length} rows${report.interrupted ? ", stopped before the end" : ""}${wrong}`);
      show();
    } catch (error) {
      say("");
      fail(by("bench-rows"), error);
    } finally {
      if (mine === run) {
        by("bench-stop").disabled = true;
        by("bench-step").textContent = "";
      }
    }
  };

  const open = async (file) => {
    try {
      const read = JSON.parse(await file.text());
      if (!Array.isArray(read?.rows)) throw new Error("it has no rows");
      earlier = read;
      by("bench-earlier").append(element("option", { value: "file", textContent: `file: ${name(read)}` }));
      by("bench-earlier").value = "file";
      show();
      say(`compared with ${file.name}`);
    } catch (error) {
      say(`${file.name} is no report of a benchmark of rules: ${error.message}`);
    }
  };

  by("bench-form").onsubmit = (event) => {
    event.preventDefault();
    start();
  };
  by("bench-stop").onclick = () => client().request("studio/stop", { name: "bench" });
  by("bench-subject").onchange = () => {
    for (const part of ["bench-formulations", "bench-position-label"]) by(part).hidden = !isHex();
    by("bench-goal-label").hidden = isHex();
  };
  by("bench-earlier").onchange = ({ target }) => {
    if (target.value !== "file") earlier = target.value === "" ? null : kept()[Number(target.value)];
    show();
  };
  by("bench-file").onchange = ({ target }) => {
    if (target.files[0]) open(target.files[0]);
    target.value = "";
  };
  by("bench-save").onclick = () => save("report.json", "application/json", `${JSON.stringify(report, null, 2)}\n`);
  by("tab-bench").addEventListener("selected", () => {
    if (!by("bench-goal").value) by("bench-goal").value = by("goal").value;
    prepare();
  });
}
