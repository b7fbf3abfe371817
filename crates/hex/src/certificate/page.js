"use strict";
const proof = JSON.parse(document.getElementById("proof").textContent);
const { cells, beside, steps, header } = proof;
const at = (id) => document.getElementById(id);
const bit = (cell) => 1n << BigInt(cell);
const has = (set, cell) => (set >> BigInt(cell)) & 1n;
const members = (set) => cells.map((_, cell) => cell).filter((cell) => has(set, cell));
const name = (end) => (end < 0 ? proof.edges[-1 - end] : cells[end]);
const shade = (i) => `hsl(${(45 + i * 137.5) % 360} 75% 55%)`;

// The connection that each line derives, as the verifier computes it.
const derived = [];
for (const [rule, ...rest] of steps) {
  if (rule === "touch" || rule === "bridge") {
    const [x, y, ...between] = rest;
    derived.push({ ends: [x, y], carrier: between.reduce((set, cell) => set | bit(cell), 0n), needs: 0n });
  } else if (rule === "move") {
    const [cell, line] = rest;
    const { ends, carrier, needs } = derived[line];
    derived.push({ ends, carrier: carrier | bit(cell), needs: needs & ~bit(cell) });
  } else if (rule === "given") {
    const [stones, line] = rest;
    const { ends, carrier, needs } = derived[line];
    const given = stones.reduce((set, cell) => set | bit(cell), 0n);
    derived.push({ ends, carrier: carrier & ~given, needs: needs | given });
  } else if (rule === "captured") {
    const [c, d, line] = rest;
    const { ends, carrier, needs } = derived[line];
    const pair = bit(c) | bit(d);
    derived.push({ ends, carrier: carrier | pair, needs: needs & ~pair });
  } else {
    const parts = rest.map((line) => derived[line]);
    const unite = (of) => parts.reduce((set, part) => set | of(part), 0n);
    let [ends, needs] = [parts[0].ends, unite((part) => part.needs)];
    if (rule === "and") {
      const count = new Map();
      parts.forEach((part) => part.ends.forEach((end) => count.set(end, (count.get(end) || 0) + 1)));
      ends = [...count.keys()].filter((end) => count.get(end) === 1);
      [...count.keys()].filter((end) => end >= 0 && count.get(end) > 1).forEach((end) => (needs |= bit(end)));
      ends.filter((end) => end >= 0).forEach((end) => (needs &= ~bit(end)));
    }
    if (rule === "three") {
      needs |= bit(ends.find((end) => end >= 0));
      ends = [-1, -2, -3];
    }
    derived.push({ ends, carrier: unite((part) => part.carrier), needs });
  }
}

// A part is a pair of cells, or a line that still asks for replies.
const partOfLine = (line) => ({ line, carrier: derived[line].carrier });
const partOfPair = ([a, b]) => ({ pair: [a, b], carrier: bit(a) | bit(b) });

// The parts of a full connection that reply for themselves.
function independent(line) {
  const parts = [];
  const open = [line];
  while (open.length > 0) {
    const next = open.pop();
    const [rule, ...rest] = steps[next];
    if (rule === "and" || rule === "three") open.push(...rest.reverse());
    else if (rule === "given") open.push(rest[1]);
    else if (rule === "captured") {
      parts.push(partOfPair(rest));
      open.push(rest[2]);
    }
    else if (derived[next].carrier) parts.push(partOfLine(next));
  }
  return parts;
}

// The move that a semi-connection begins with, the line after it, and the pairs captured meanwhile; null when it is full.
function beginning(line) {
  const pairs = [];
  for (;;) {
    const [rule, ...rest] = steps[line];
    if (rule === "move") return { cell: rest[0], then: rest[1], pairs };
    if (rule === "captured") pairs.push(partOfPair(rest));
    else if (rule !== "given") return null;
    line = rest[rest.length - 1];
  }
}

// The reply of a part to a move in its carrier, and what is left of it.
function reply(part, cell) {
  if (part.pair) return { cell: part.pair.find((other) => other !== cell), left: [] };
  const [rule, ...rest] = steps[part.line];
  if (rule === "bridge") return { cell: rest.slice(2).find((other) => other !== cell), left: [] };
  const semi = rest.find((line) => !has(derived[line].carrier, cell));
  const { cell: move, then, pairs } = beginning(semi);
  return { cell: move, left: [...pairs, ...independent(then)], semi };
}

function start() {
  const stones = [...proof.stones];
  if (proof.win === null) {
    const free = proof.pairs.filter((pair) => pair.every((cell) => stones[cell] === ""));
    return { stones, parts: free.map(partOfPair), moves: [], said: "Of each pair you get one cell, the proof the other." };
  }
  const first = beginning(proof.win);
  if (!first) return { stones, parts: independent(proof.win), moves: [], said: "Your move." };
  const { cell, then, pairs } = first;
  stones[cell] = proof.winner;
  return { stones, parts: [...pairs, ...independent(then)], moves: [[null, cell]], said: `The proof begins with ${cells[cell]}.` };
}

let game = start();
let history = [];
let inspected = null;

function play(cell) {
  inspected = null;
  if (game.stones[cell] !== "") {
    game.said = `${cells[cell]} is taken.`;
    return show();
  }
  history.push(game);
  const stones = [...game.stones];
  stones[cell] = proof.loser;
  const part = game.parts.find((part) => has(part.carrier, cell));
  if (!part) {
    const said = `${cells[cell]} is in no carrier: no reply is needed.`;
    game = { ...game, stones, moves: [...game.moves, [cell, null]], said };
    return show();
  }
  const answer = reply(part, cell);
  const isPlayed = stones[answer.cell] === "";
  if (isPlayed) stones[answer.cell] = proof.winner;
  const parts = game.parts.flatMap((other) => (other === part ? answer.left : [other]));
  const why = part.pair ? "the other of the pair" : answer.semi === undefined ? `line ${part.line + header + 1}` : `line ${part.line + header + 1}, by ${answer.semi + header + 1}`;
  let said = `To ${cells[cell]} the reply is ${cells[answer.cell]} (${why}).`;
  if (!isPlayed) said = `The reply to ${cells[cell]}, ${cells[answer.cell]}, is there already (${why}).`;
  if (parts.length === 0) said += ` Nothing can part ${proof.edges.join(" and ")} any more.`;
  game = { stones, parts, moves: [...game.moves, [cell, isPlayed ? answer.cell : null]], said };
  show();
}

const said = (line) => {
  const [rule, ...rest] = steps[line];
  const { ends } = derived[line];
  const joins = ends.map(name).join(" – ");
  const numbers = (lines) => lines.map((other) => other + header + 1).join(" ");
  if (rule === "touch") return `${joins} touch`;
  if (rule === "bridge") return `${joins} bridge over ${rest.slice(2).map(name).join(" and ")}`;
  if (rule === "and") return `${joins} and ${numbers(rest)}`;
  if (rule === "three") return `${joins} three ${numbers(rest)}`;
  if (rule === "move") return `${joins} move ${cells[rest[0]]}, then ${numbers(rest.slice(1))}`;
  if (rule === "given") return `${joins} given ${rest[0].map(name).join(" ")}, as ${numbers(rest.slice(1))}`;
  if (rule === "captured") return `${joins} captured ${cells[rest[0]]} ${cells[rest[1]]}, as ${numbers(rest.slice(2))}`;
  return `${joins} or ${numbers(rest)}`;
};

// A list entry that can be chosen.
function entry(text, color, chosen, act) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  if (color) button.style.setProperty("--shade", color);
  if (chosen) button.setAttribute("aria-current", "true");
  button.addEventListener("click", act);
  item.append(button);
  return item;
}

const inspect = (line) => {
  inspected = line;
  first = Math.min(first, line);
  if (line >= first + PAGE) first = line - PAGE + 1;
  show();
};

const PAGE = 40;
let first = Math.max(0, steps.length - PAGE);

function show() {
  const looking = inspected !== null;
  let shades = game.parts.map((part) => ({ carrier: part.carrier, line: part.line, pair: part.pair }));
  if (looking) {
    const [rule, ...rest] = steps[inspected];
    const parts = rule === "and" || rule === "three" || rule === "or" ? rest : rule === "touch" || rule === "bridge" ? [] : rest.slice(-1);
    shades = rule === "or" || parts.length === 0 ? [{ carrier: derived[inspected].carrier, line: inspected }] : [];
    shades.push(...parts.map((line) => ({ carrier: derived[line].carrier, line, hidden: rule === "or" })));
  }
  document.querySelectorAll(".cell").forEach((group) => {
    const cell = Number(group.dataset.cell);
    const of = shades.findIndex((part) => !part.hidden && has(part.carrier, cell));
    const stone = looking ? "" : game.stones[cell];
    const isEnd = looking && derived[inspected].ends.includes(cell);
    const needed = looking && has(derived[inspected].needs, cell);
    group.setAttribute("class", `cell ${stone}${isEnd ? " end" : ""}${needed ? " needed" : ""}`);
    if (of >= 0) group.style.setProperty("--shade", shade(of));
    else group.style.removeProperty("--shade");
    const turn = game.moves.findIndex((pair) => pair.includes(cell));
    const isMove = looking && steps[inspected][0] === "move" && steps[inspected][1] === cell;
    group.querySelector("text").textContent = isMove ? "1" : looking || turn < 0 ? "" : turn + 1;
    const where = of < 0 ? "" : `, in part ${of + 1}`;
    group.setAttribute("aria-label", `${cells[cell]}${stone ? `, ${stone}` : where}`);
  });
  at("heading").textContent = looking ? `Line ${inspected + header + 1}` : "What is left to do";
  const items = shades.map((part, i) => {
    const text = part.pair ? part.pair.map(name).join(" or ") : `${part.line + header + 1}: ${said(part.line)}`;
    const area = members(part.carrier).map(name).join(" ");
    return entry(part.pair ? text : `${text} (${area || "nothing in the way"})`, part.hidden ? null : shade(i), false, () => {
      if (!part.pair) inspect(part.line);
    });
  });
  if (looking) items.push(entry("Back to the game", null, false, () => { inspected = null; show(); }));
  else if (items.length === 0) items.push(entry("Nothing: the edges can no longer be parted", null, false, () => {}));
  at("parts").replaceChildren(...items);
  at("moves").replaceChildren(...game.moves.map(([theirs, ours]) => {
    const item = document.createElement("li");
    const moved = (player, cell) => (cell === null ? `${player} —` : `${player} ${cells[cell]}`);
    item.textContent = `${moved(proof.loser, theirs)}, ${moved(proof.winner, ours)}`;
    return item;
  }));
  at("said").textContent = looking ? `Line ${inspected + header + 1}: ${said(inspected)}.` : game.said;
  const shown = steps.slice(first, first + PAGE);
  at("lines").replaceChildren(...shown.map((_, i) => {
    const line = first + i;
    return entry(`${line + header + 1}: ${said(line)}`, null, line === inspected, () => inspect(line));
  }));
  at("range").textContent = ` ${first + 1}–${first + shown.length} of ${steps.length}`;
  at("earlier").disabled = first === 0;
  at("later").disabled = first + PAGE >= steps.length;
  at("undo").disabled = history.length === 0;
}

const undo = () => { inspected = null; game = history.pop() || game; show(); };
const restart = () => { inspected = null; history = []; game = start(); show(); };
at("undo").addEventListener("click", undo);
at("restart").addEventListener("click", restart);
at("earlier").addEventListener("click", () => { first = Math.max(0, first - PAGE); show(); });
at("later").addEventListener("click", () => { first = Math.min(Math.max(0, steps.length - PAGE), first + PAGE); show(); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "u" && history.length > 0) undo();
  if (event.key === "r") restart();
});

// One cell is in the tab order; arrows walk over the board.
const groups = [...document.querySelectorAll(".cell")];
groups[0].setAttribute("tabindex", "0");
groups.forEach((group, cell) => {
  group.addEventListener("click", () => play(cell));
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return play(cell);
    }
    const next = beside[cell][["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].indexOf(event.key)] ?? null;
    if (next === null) return;
    event.preventDefault();
    group.setAttribute("tabindex", "-1");
    groups[next].setAttribute("tabindex", "0");
    groups[next].focus();
  });
});
show();
