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

export function fail(place, error) {
  place.replaceChildren(element("p", { className: "error", textContent: error.message }));
}

/** The answers to a goal as a table that sorts by a click on a column. */
export function makeAnswers(client, about, syntax, explain) {
  const show = (variables, rows, stopped) => {
    if (variables.length === 0) {
      by("rows").replaceChildren(element("p", { textContent: rows.length ? "yes" : "no" }));
      return;
    }
    let sorted = { column: -1, down: false };
    const body = element("tbody");
    const fill = (count) => {
      const lines = rows.slice(0, count).map((row) => {
        const line = element("tr", { tabIndex: 0 }, ...row.map((value) => element("td", { textContent: value })));
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
    const csv = element("button", { textContent: "Save as CSV", onclick: () => save(variables, rows) });
    const count = `${rows.length} answer${rows.length === 1 ? "" : "s"}${stopped ? ` so far: ${stopped}` : ""}; a click explains one `;
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
    by("rows").replaceChildren(element("p", {}, count, csv), element("div", { className: "scroll" }, table), more);
    fill(ROWS);
  };
  const ask = async () => {
    try {
      const { variables, rows, stopped } = await client().request("studio/query", { ...about(), goal: by("goal").value });
      show(variables, rows, stopped);
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

function save(variables, rows) {
  const cell = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  const text = [variables, ...rows].map((row) => row.map(cell).join(",")).join("\n");
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "answers.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Why a fact holds, or why it does not; lines that name a rule lead there. */
export function makeWhy(client, about, select, goTo) {
  const explain = async (fact) => {
    by("fact").value = fact;
    select("why");
    try {
      const why = await client().request("studio/why", { ...about(), fact });
      const told = why.holds ? why : await client().request("studio/whyNot", { ...about(), fact });
      const lines = told.text.split("\n").map((line) => {
        const place = /\s{4}\S*:(\d+)(\s|$)/.exec(line);
        const shown = element("span", { textContent: `${line}\n` });
        if (place) {
          shown.style.cursor = "pointer";
          shown.title = "to the rule";
          shown.onclick = () => goTo(Number(place[1]));
        }
        return shown;
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
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
    return element("div", { className: "scroll" }, table);
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
