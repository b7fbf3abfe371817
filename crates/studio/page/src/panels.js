// Answers, explanations and games beside the rules.

const by = (id) => document.getElementById(id);

/** Rows that are shown before more are asked for. */
const ROWS = 500;

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** The tabs of the side, by click and by arrow keys. */
export function makeTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const select = (tab) => {
    for (const one of tabs) {
      const is = one === tab;
      one.setAttribute("aria-selected", String(is));
      one.tabIndex = is ? 0 : -1;
      by(one.getAttribute("aria-controls")).hidden = !is;
    }
    tab.dispatchEvent(new Event("selected"));
  };
  for (const [index, tab] of tabs.entries()) {
    tab.onclick = () => select(tab);
    tab.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      select(next);
      next.focus();
    };
  }
  return (id) => select(by(`tab-${id}`));
}

/** Boxes to be checked, with a legend. */
export function boxes(place, legend, list) {
  const box = ({ name, title, isChosen }) => {
    const input = element("input", { type: "checkbox", value: name, checked: isChosen });
    return element("label", { title: title ?? "" }, input, ` ${name}`);
  };
  place.replaceChildren(element("legend", { textContent: legend }), ...list.map(box));
}

/** The values of the boxes that are checked. */
export const checked = (place) => [...place.querySelectorAll("input:checked")].map(({ value }) => value);

/** A table with a caption that is heard and not seen; the first column scrolls with the others in a box of their own. */
export function table(caption, heads, rows) {
  const numeric = (value) => typeof value === "number" || /^[≥ ]*[\d.,]+( (ns|µs|ms|s))?$/.test(value);
  const cell = (value) => (value instanceof Node ? element("td", {}, value) : element("td", { textContent: value, className: numeric(value) ? "number" : "" }));
  const head = element("tr", {}, ...heads.map((textContent) => element("th", { scope: "col", textContent })));
  const lines = rows.map((row) => element("tr", {}, ...row.map(cell)));
  const made = element("table", {}, element("caption", { className: "heard", textContent: caption }), element("thead", {}, head), element("tbody", {}, ...lines));
  return scrolled(made, caption);
}

/** A box that scrolls by the arrow keys as well. */
function scrolled(content, name) {
  const box = element("div", { className: "scroll", tabIndex: 0, role: "region" }, content);
  box.setAttribute("aria-label", name);
  return box;
}

/** Saves a text as a file. */
export function save(name, kind, text) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: kind })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Asks how far a run is until it ends: its result, or nothing if another one has taken its place. */
export async function followed(ask, interval, isMine, tell) {
  for (;;) {
    const told = await ask();
    if (!isMine()) return null;
    tell(told);
    if (told.error) throw new Error(told.error);
    if (!told.isRunning) return told.result;
    await new Promise((go) => setTimeout(go, interval));
  }
}

/** The width and height of a chart of expectations. */
const CHART = [300, 70];

/** What roles expected as a chart, a line for each that has points: pairs of a number of moves and a value. */
export function chart(place, roles, points) {
  const [width, height] = CHART;
  const drawn = roles.map((name, role) => ({ name, role, points: points[role] })).filter((one) => one.points?.length);
  place.hidden = drawn.length === 0;
  if (place.hidden) return;
  const last = Math.max(1, ...drawn.flatMap((one) => one.points).map(([at]) => at));
  const spot = ([at, value]) => `${(at / last) * width},${height - (value / 100) * height}`;
  const line = (one) => `<polyline class="role${one.role % 4}" points="${one.points.map(spot).join(" ")}"></polyline>`;
  place.innerHTML = `<svg viewBox="-4 -4 ${width + 8} ${height + 8}" role="img" aria-label="what players expected">${drawn.map(line).join("")}</svg>`;
  const told = ({ name, role, points }) => element("span", { className: `role${role % 4}`, textContent: `${name} ${points.at(-1)[1].toFixed(0)}` });
  place.append(element("p", {}, ...drawn.map(told)));
}

/** Shows a board whose cells tell their contents one by one, to those who do not see it. */
export function showBoard(place, svg, name) {
  place.innerHTML = svg ?? "";
  const board = place.querySelector("svg");
  if (!board) return;
  board.setAttribute("role", "group");
  board.setAttribute("aria-label", name);
  const title = (part) => part.querySelector("title")?.textContent ?? "";
  const contents = new Map();
  for (const piece of board.querySelectorAll("g:not(.cells):not(.labels) > title")) {
    const [cell, ...content] = piece.textContent.split(": ");
    if (content.length) contents.set(cell, content.join(": "));
    piece.parentNode.setAttribute("aria-hidden", "true");
  }
  for (const labels of board.querySelectorAll(".labels")) labels.setAttribute("aria-hidden", "true");
  for (const cell of board.querySelectorAll(".cells > *")) {
    const own = title(cell);
    cell.setAttribute("role", "img");
    cell.setAttribute("aria-label", `${own}: ${contents.get(own) ?? "empty"}`);
  }
}

export function fail(place, error) {
  place.replaceChildren(element("p", { className: "error", textContent: error.message }));
}

/** The answers to a goal as a table that sorts by a click on a column. */
export function makeAnswers(client, about, syntax, explain) {
  const show = ({ variables, rows: sure, undefined: open = [], stopped, concerns }) => {
    const warned = concerns ? [element("p", { className: "error", textContent: concerns })] : [];
    if (variables.length === 0) {
      const word = sure.length ? "yes" : open.length ? "undefined" : "no";
      by("rows").replaceChildren(...warned, element("p", { textContent: word }));
      return;
    }
    // Rows are known as undefined by themselves, wherever sorting puts them.
    const undefinedRows = new Set(open);
    const rows = [...sure, ...open];
    let sorted = { column: -1, down: false };
    const body = element("tbody");
    const fill = (count) => {
      const lines = rows.slice(0, count).map((row) => {
        const isUndefined = undefinedRows.has(row);
        const line = element("tr", { tabIndex: 0, className: isUndefined ? "undefined" : "", title: isUndefined ? "undefined" : "" }, ...row.map((value) => element("td", { textContent: value })));
        const act = () => explain(filled(by("goal").value, variables, row, syntax()));
        line.onclick = act;
        line.onkeydown = ({ key }) => key === "Enter" && act();
        return line;
      });
      body.replaceChildren(...lines);
      more.hidden = rows.length <= count;
      more.textContent = `show all ${rows.length} rows`;
    };
    const more = element("button", { onclick: () => fill(rows.length) });
    const heads = variables.map((name, column) => {
      const sort = () => {
        sorted = { column, down: sorted.column === column && !sorted.down };
        const sign = sorted.down ? -1 : 1;
        const order = (a, b) => (a === b ? 0 : typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1);
        rows.sort((a, b) => sign * order(a[column], b[column]));
        fill(ROWS);
      };
      return element("th", { scope: "col" }, element("button", { type: "button", textContent: name, onclick: sort }));
    });
    const csv = element("button", { textContent: "Save as CSV", onclick: () => saveRows(variables, sure) });
    const unknown = open.length ? `, ${open.length} undefined` : "";
    const count = `${sure.length} answer${sure.length === 1 ? "" : "s"}${unknown}${stopped ? ` so far: ${stopped}` : ""}; a click explains one `;
    const caption = element("caption", { className: "heard", textContent: "answers" });
    const table = element("table", {}, caption, element("thead", {}, element("tr", {}, ...heads)), body);
    by("rows").replaceChildren(...warned, element("p", {}, count, csv), scrolled(table, "answers"), more);
    fill(ROWS);
  };
  const ask = async () => {
    try {
      show(await client().request("studio/query", { ...about(), goal: by("goal").value }));
    } catch (error) {
      fail(by("rows"), error);
    }
  };
  by("ask").onsubmit = (event) => {
    event.preventDefault();
    ask();
  };
  return { ask };
}

/** The goal with the values of a row in the place of its variables. */
export function filled(goal, variables, row, syntax) {
  let text = goal;
  for (const [index, name] of variables.entries()) {
    const value = row[index];
    const plain = typeof value === "number" || (syntax === "kif" ? /^[^\s()|";?]+$/ : /^[a-z]\w*$/).test(value) || /[([]/.test(value);
    const quoted = plain ? String(value) : syntax === "kif" ? `|${value}|` : `'${value.replaceAll("'", "\\'")}'`;
    const word = syntax === "kif" ? name.replace("?", "\\?") : `\\b${name}`;
    text = text.replace(new RegExp(`${word}(?![\\w-])`, "g"), () => quoted);
  }
  return text;
}

function saveRows(variables, rows) {
  const cell = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  save("answers.csv", "text/csv", [variables, ...rows].map((row) => row.map(cell).join(",")).join("\n"));
}

/** Why a fact holds, or why it does not; lines that name a rule lead there. */
export function makeWhy(client, about, select, goTo) {
  const explain = async (fact) => {
    by("fact").value = fact;
    select("why");
    try {
      const why = await client().request("studio/why", { ...about(), fact });
      const told = why.holds ? why : await client().request("studio/whyNot", { ...about(), fact });
      const lines = told.text.split("\n").flatMap((line) => {
        const place = /\s{4}\S*:(\d+)(\s|$)/.exec(line);
        const go = () => goTo(Number(place[1]));
        return [place ? element("button", { className: "line", title: "to the rule", textContent: line, onclick: go }) : line, "\n"];
      });
      by("tree").replaceChildren(...lines);
    } catch (error) {
      fail(by("tree"), error);
    }
  };
  by("explain").onsubmit = (event) => {
    event.preventDefault();
    explain(by("fact").value);
  };
  return explain;
}

/** The costs of a goal: the work of each rule, which leads to it, and the passes of the optimizer as changes. */
export function makeCosts(client, about, goTo) {
  const time = (nanoseconds) => (nanoseconds < 1e6 ? `${Math.round(nanoseconds / 1e3)} µs` : `${(nanoseconds / 1e6).toFixed(1)} ms`);
  const cost = (number) => (number === null ? "?" : number < 1e6 ? String(Math.round(number)) : number.toExponential(1));
  const number = (value) => element("td", { className: "number", textContent: value });

  const rules = (told) => {
    const names = ["rule", "time", "probes", "new", "known before", "runs"];
    const heads = names.map((name) => element("th", { scope: "col", textContent: name }));
    const rows = told.rules.map((one) => {
      const counts = [time(one.nanoseconds), one.probes, one.derived, one.duplicates, one.runs];
      const line = element("tr", { tabIndex: 0 }, element("td", { textContent: one.rule }), ...counts.map(number));
      const go = () => one.line && goTo(one.line);
      line.onclick = go;
      line.onkeydown = ({ key }) => key === "Enter" && go();
      return line;
    });
    const caption = element("caption", { className: "heard", textContent: "work by rule" });
    const table = element("table", {}, caption, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
    return scrolled(table, "work by rule");
  };

  const pass = (one) => {
    const gain = one.changes.length === 0 ? "nothing to do" : `expected cost ${cost(one.cost_before)} → ${cost(one.cost_after)}`;
    const lines = (texts, sign, className) =>
      texts.flatMap((text) => text.split("\n")).map((line) => element("span", { className, textContent: `${sign} ${line}\n` }));
    const changes = one.changes.flatMap(({ before, after }) => [...lines(before, "-", "removed"), ...lines(after, "+", "added")]);
    const summary = element("summary", { textContent: `${one.pass}: ${gain}` });
    const body = element("pre", { className: "diff" }, ...changes);
    return element("details", { open: changes.length > 0 }, summary, body);
  };

  by("measure").onsubmit = async (event) => {
    event.preventDefault();
    try {
      const told = await client().request("studio/costs", { ...about(), goal: by("measured").value });
      const stopped = told.stopped ? `; stopped: ${told.stopped}` : "";
      const sum = `${told.answers ?? 0} answers, ${told.derived} facts derived by ${told.probes} probes in ${time(told.nanoseconds)}${stopped}`;
      const passes = told.passes.length ? told.passes.map(pass) : [element("p", { textContent: "The rules ran as written." })];
      by("work").replaceChildren(
        element("p", { textContent: sum }),
        rules(told),
        element("h3", { textContent: "Passes of the optimizer" }),
        ...passes,
      );
    } catch (error) {
      fail(by("work"), error);
    }
  };
  by("tab-costs").addEventListener("selected", () => {
    if (!by("measured").value) by("measured").value = by("goal").value;
  });
}
