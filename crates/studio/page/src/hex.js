// A board of Hex: stones by click, what deduction sees of it, the solver, and proofs.

import { element, fail, save } from "./panels.js";

const by = (id) => document.getElementById(id);

/** Milliseconds of the solver between two looks at the page. */
const SLICE = 500;

/** The panel of Hex. */
export function makeHex(client) {
  let past = [];
  let shown;
  let ends = [];
  let work = 0;
  let busy = Promise.resolve();

  const view = () => by("hex-view").value;
  const say = (words) => (by("hex-said").textContent = words);
  const lines = (texts) => by("hex-lines").replaceChildren(...texts.map((textContent) => element("li", { textContent })));

  const ask = (method, params) => client().request(`studio/${method}`, { position: shown?.position ?? by("hex-size").value, ...params });

  /** Asks for the position with what the view shows of it; requests wait for each other. */
  const look = (params = {}) => {
    work += 1;
    busy = busy.then(async () => {
      const isOpen = view() === "connection" && ends.length < 2;
      const before = shown?.position;
      try {
        shown = await ask("hex", { view: isOpen ? "stones" : view(), between: ends, milliseconds: 5000, ...params });
        if (params.cell) past.push(before);
        draw();
        lines(isOpen ? ["Choose two cells, or a cell and an edge."] : shown.lines);
        say(shown.winner ? `${shown.winner} has won` : `${shown.toMove} to move`);
      } catch (error) {
        fail(by("hex-lines"), error);
      }
    });
    return busy;
  };

  /** The board, whose cells are buttons: one in the tab order, the others by the arrow keys. */
  const draw = () => {
    const at = [...by("hex-board").querySelectorAll(".cells > *")].indexOf(document.activeElement);
    by("hex-board").innerHTML = shown.svg;
    by("hex-board").querySelector("svg").setAttribute("role", "group");
    const cells = [...by("hex-board").querySelectorAll(".cells > *")];
    for (const [number, cell] of cells.entries()) {
      const { name, stone } = shown.cells[number];
      cell.setAttribute("role", "button");
      cell.setAttribute("aria-label", `${name}, ${stone ?? "empty"}`);
      cell.setAttribute("tabindex", number === Math.max(at, 0) ? "0" : "-1");
      cell.onclick = () => choose(shown.cells[number]);
      cell.onkeydown = (event) => {
        const { columns } = shown;
        const column = number % columns;
        const next = { ArrowLeft: column > 0 ? -1 : 0, ArrowRight: column + 1 < columns ? 1 : 0, ArrowUp: -columns, ArrowDown: columns }[event.key];
        if (event.key === "Enter" || event.key === " ") choose(shown.cells[number]);
        else if (next === undefined) return;
        event.preventDefault();
        if (!next || !cells[number + next]) return;
        cell.setAttribute("tabindex", "-1");
        cells[number + next].setAttribute("tabindex", "0");
        cells[number + next].focus();
      };
    }
    if (at >= 0) cells[at]?.focus();
    by("hex-undo").disabled = past.length === 0;
  };

  const choose = ({ name, stone }) => {
    if (view() === "connection") return end(name);
    if (stone) return look({ cell: name });
    const placed = by("hex-stone").value;
    return look({ cell: name, stone: placed === "turn" ? shown.toMove : placed });
  };

  /** One end of a connection more; a third one is the first of another. */
  const end = (name) => {
    ends = ends.length < 2 ? [...ends, name] : [name];
    return look();
  };

  const goTo = (position) => {
    shown = position === undefined ? undefined : { position };
    return look();
  };

  /** Lets the solver work in slices until it is done, or something else is asked. */
  const solve = async () => {
    await busy;
    if (!shown || shown.winner) return;
    const mine = ++work;
    by("hex-stop").disabled = false;
    try {
      for (;;) {
        const found = await ask("solveHex", { milliseconds: SLICE });
        if (mine !== work) return;
        if (found.winner) {
          lines([`${found.winner} wins with ${shown.toMove} to move${found.move ? ` by ${found.move}` : ", whatever the move"}`, `${found.nodes} positions searched`]);
          mark(found.move);
          return;
        }
        lines([`${found.nodes} positions searched, ${found.proved} proved`, `to be decided at least: ${found.win} for a win, ${found.loss} for a loss`]);
      }
    } catch (error) {
      fail(by("hex-lines"), error);
    } finally {
      by("hex-stop").disabled = true;
    }
  };

  const mark = (name) => {
    const number = shown.cells.findIndex((cell) => cell.name === name);
    by("hex-board").querySelectorAll(".cells > *")[number]?.classList.add("found");
  };

  /** Makes the move that the solver finds, so that a proof can be played against. */
  const reply = async () => {
    await busy;
    if (!shown || shown.winner) return;
    const mine = ++work;
    try {
      let found = await ask("solveHex", { milliseconds: SLICE });
      while (!found.winner && mine === work) found = await ask("solveHex", { milliseconds: SLICE });
      if (mine !== work) return;
      if (found.move) await look({ cell: found.move, stone: shown.toMove });
      else lines([`${shown.toMove} has no move that wins`]);
    } catch (error) {
      fail(by("hex-lines"), error);
    }
  };

  const prove = async () => {
    await busy;
    if (!shown) return;
    lines(["The proof is being written …"]);
    try {
      const proof = await ask("proveHex", { milliseconds: 30000 });
      const parts = [
        ["Save as a page to walk through", () => save("proof.html", "text/html", proof.page)],
        ["Save for `ludolog verify`", () => save("proof.hexproof", "text/plain", proof.certificate)],
      ];
      const buttons = parts.map(([textContent, onclick]) => element("button", { textContent, onclick }));
      by("hex-lines").replaceChildren(element("li", { textContent: `A proof of ${proof.lines} lines, checked` }), ...buttons.map((button) => element("li", {}, button)));
    } catch (error) {
      fail(by("hex-lines"), error);
    }
  };

  by("hex-new").onsubmit = (event) => {
    event.preventDefault();
    past = [];
    ends = [];
    goTo(undefined);
  };
  by("hex-undo").onclick = () => goTo(past.pop());
  by("hex-view").onchange = () => {
    ends = [];
    by("hex-edges").hidden = view() !== "connection";
    look();
  };
  for (const edge of by("hex-edges").querySelectorAll("button")) edge.onclick = () => end(edge.textContent);
  by("hex-solve").onclick = solve;
  by("hex-stop").onclick = () => (work += 1);
  by("hex-reply").onclick = reply;
  by("hex-prove").onclick = prove;
  by("tab-hex").addEventListener("selected", () => shown || look());
  /** The position that is shown, if one is. */
  return () => shown?.position;
}
