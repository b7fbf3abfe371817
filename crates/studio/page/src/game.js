// A game by hand, against players, or between players.

import { chart, element, fail, showBoard } from "./panels.js";

const by = (id) => document.getElementById(id);

/** Moves that are none. */
const WAITING = /^\(?(noop|wait)\)?$/i;

/** Milliseconds of a player between two looks at what it thinks. */
const THINKING = 300;

/** Who may have a seat. */
const SEATS = ["you", "auto", "mcts", "alpha-beta", "random"];

export function makeGame(client, uri) {
  let moves = [];
  /** What players expected, by role: pairs of the number of moves and a value. */
  let expected = [];
  /** The moves that you have chosen, by role, while others of yours are missing. */
  let chosen = new Map();
  /** Changes when what runs has to stop. */
  let run = {};
  let thinking = null;

  const state = () => client().request("studio/game", { uri: uri(), moves });
  const ask = (role, player, milliseconds) =>
    client().request("studio/choose", { uri: uri(), moves, role, player, milliseconds });
  const seat = (role) => by("seats").querySelectorAll("select")[role]?.value ?? "you";
  const isYours = (role) => seat(role) === "you";

  /** The roles that have a choice; where nobody has, the one whose move is not to wait. */
  const choosers = ({ legal }) => {
    const several = legal.map((list, role) => (list.length > 1 ? role : -1)).filter((role) => role >= 0);
    if (several.length) return several;
    return legal.map((list, role) => (list.length && !WAITING.test(list[0]) ? role : -1)).filter((role) => role >= 0);
  };

  /** A seat for each role: you have the first, a player the others. */
  const seats = (roles) => {
    const now = [...by("seats").querySelectorAll("label")].map((label) => label.dataset.role);
    if (now.join() === roles.join()) return;
    const select = (role) => {
      const made = element("select", { onchange: proceed }, ...SEATS.map((name) => element("option", { textContent: name })));
      made.value = role === 0 ? "you" : "auto";
      return made;
    };
    const labels = roles.map((name, role) => {
      const label = element("label", {}, `${name} `, select(role));
      label.dataset.role = name;
      return label;
    });
    by("seats").replaceChildren(...labels);
  };

  const show = (shown) => {
    stopThinking();
    seats(shown.roles);
    by("thoughts").replaceChildren();
    showBoard(by("board"), shown.svg, `the board after ${moves.length} moves`);
    by("facts").replaceChildren(...(shown.svg ? [] : shown.facts.map((fact) => element("li", { textContent: fact }))));
    const goals = shown.goals.map((goal, role) => `${shown.roles[role]}: ${goal ?? "–"}`).join(", ");
    by("score").textContent = shown.isOver ? `The game is over. ${goals}` : `${moves.length} moves so far`;
    const yours = choosers(shown).filter((role) => isYours(role) && !chosen.has(role)).slice(0, 1);
    const buttons = yours.flatMap((role) => [
      element("h3", { textContent: shown.roles[role] }),
      ...shown.legal[role].map((made) => element("button", { textContent: made, onclick: () => choose(role, made) })),
    ]);
    by("moves").replaceChildren(...buttons);
    by("undo").disabled = moves.length === 0;
    chart(by("chart"), shown.roles, expected);
  };

  /** A move of yours; the game goes on when all of yours are chosen. */
  const choose = (role, made) => {
    chosen.set(role, made);
    by("moves").replaceChildren();
    return proceed();
  };

  /** The move of a player for a role, with what it expects noted. */
  const thought = async (role, player, shown) => {
    by("score").textContent = `${shown.roles[role]} thinks …`;
    const choice = await ask(role, player, Number(by("time").value));
    if (choice.value !== null) (expected[role] ??= []).push([moves.length, choice.value]);
    return choice.move;
  };

  /** Lets players move until you have a choice, or the game is over. */
  const proceed = async () => {
    const mine = (run = {});
    try {
      let shown = await state();
      while (mine === run && !shown.isOver) {
        const acting = choosers(shown);
        if (acting.length === 0 || acting.some((role) => isYours(role) && !chosen.has(role))) break;
        by("pause").disabled = false;
        const joint = [];
        for (const [role, legal] of shown.legal.entries()) {
          if (chosen.has(role)) joint.push(chosen.get(role));
          else if (legal.length > 1) joint.push(await thought(role, seat(role), shown));
          else joint.push(legal[0]);
          if (mine !== run) return;
        }
        chosen = new Map();
        moves = [...moves, joint];
        shown = await state();
        if (mine === run) show(shown);
      }
      if (mine === run) show(shown);
    } catch (error) {
      if (mine === run) fail(by("moves"), error);
    } finally {
      if (mine === run) by("pause").disabled = true;
    }
  };

  const stopThinking = () => {
    thinking = null;
    by("think").textContent = "Think";
  };

  /** The player that is asked for advice: that of the first seat that has one. */
  const adviser = () => [...by("seats").querySelectorAll("select")].map(({ value }) => value).find((value) => value !== "you") ?? "auto";

  /** Lets a player think about the state until it is stopped, and shows what it expects. */
  const think = async () => {
    const isStop = thinking !== null;
    stopThinking();
    if (isStop) return;
    const mine = (thinking = {});
    by("think").textContent = "Stop";
    try {
      const now = await state();
      const [role] = choosers(now);
      let playouts = 0;
      while (mine === thinking && role !== undefined && !now.isOver) {
        const choice = await ask(role, adviser(), THINKING);
        if (mine !== thinking) return;
        playouts += choice.playouts;
        const value = choice.value === null ? "" : ` expects ${choice.value.toFixed(1)}${choice.proven ? " (proven)" : ""}`;
        const line = choice.line.map((joint) => joint.filter((made) => !WAITING.test(made)).join(", "));
        by("thoughts").replaceChildren(
          element("li", { textContent: `${now.roles[role]}${value}, by ${choice.move}` }),
          element("li", { textContent: `${playouts} playouts, ${choice.nodes} states` }),
          element("li", { textContent: `line: ${line.join(" · ") || "none"}` }),
        );
        if (choice.proven) break;
      }
    } catch (error) {
      fail(by("thoughts"), error);
    } finally {
      if (mine === thinking) stopThinking();
    }
  };

  /** Lets a player choose the move that is yours. */
  const advise = async () => {
    run = {};
    try {
      const shown = await state();
      const role = choosers(shown).find((role) => !chosen.has(role));
      if (role !== undefined && !shown.isOver) await choose(role, await thought(role, adviser(), shown));
    } catch (error) {
      fail(by("moves"), error);
    }
  };

  /** Goes to the state after some moves. */
  const goTo = async (wanted) => {
    run = {};
    moves = wanted;
    expected = expected.map((points) => points?.filter(([at]) => at < moves.length));
    expected = expected.map((points) => (points?.length ? points : undefined));
    chosen = new Map();
    by("pause").disabled = true;
    try {
      show(await state());
    } catch (error) {
      moves = [];
      for (const part of ["board", "facts", "seats", "thoughts"]) by(part).replaceChildren();
      by("score").textContent = "";
      fail(by("moves"), error);
    }
  };
  by("think").onclick = think;
  by("advance").onclick = advise;
  by("pause").onclick = () => goTo(moves);
  by("restart").onclick = () => goTo([]).then(proceed);
  by("undo").onclick = () => goTo(moves.slice(0, -1));
  by("tab-game").addEventListener("selected", () => goTo(moves));
  return {
    /** The joint moves of the state that answers are about; nothing if they are about the rules alone. */
    asked: () => (by("in-state").checked ? { moves, inState: true } : {}),
    /** Goes to the state after some joint moves. */
    goTo,
    changed() {
      moves = [];
      expected = [];
      by("in-state").checked = false;
      if (!by("game").hidden) goTo([]);
    },
  };
}
