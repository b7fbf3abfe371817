// Matches: tournaments as they run, and records to walk through.

import { boxes, chart, checked, element, fail, followed, save, showBoard, table } from "./panels.js";

const by = (id) => document.getElementById(id);

/** Milliseconds between two looks at a tournament. */
const LOOK = 400;

/** The players that meet at first. */
const CHOSEN = ["mcts", "random"];

/** Milliseconds of a state when the record plays by itself. */
const STEP = 1000;

/** The panel of matches. `playOn` shows the game panel after some joint moves. */
export function makeMatches(client, uri, name, playOn) {
  let run = {};
  let rows = [];
  let replay = null;
  let at = 0;
  let timer = null;

  const say = (words) => (by("matches-said").textContent = words);

  const showScores = (told) => {
    const ranked = [...told.scores].sort((one, other) => other.mean - one.mean);
    const lines = ranked.map(({ player, seats, mean, confidence_95: [low, high], faults }) => [
      player,
      seats,
      mean.toFixed(1),
      `${low.toFixed(1)} to ${high.toFixed(1)}`,
      faults,
    ]);
    by("matches-scores").replaceChildren(lines.length ? table("scores", ["player", "seats", "mean goal", "95 %", "faults"], lines) : "");
    showBoard(by("matches-running"), told.running?.svg, "the board of the match that is played");
    // What changes with each move is shown, and not announced.
    by("matches-now").textContent = told.running ? `now ${told.running.players.join(" against ")}, ${told.running.plies} joint moves` : "";
    const done = `${rows.length} of ${told.scheduled} matches`;
    if (by("matches-said").textContent !== done) say(done);
  };

  const showRows = (roles) => {
    const watch = (row) => element("button", { type: "button", textContent: `Watch match ${row.number + 1}`, onclick: () => watchMatch(row.number) });
    const lines = rows.map((row) => [watch(row), ...row.players.map((player, role) => `${player} ${row.goals[role]}`), row.steps, row.faults.reduce((sum, one) => sum + one, 0)]);
    by("matches-rows").replaceChildren(lines.length ? table("matches", ["match", ...roles, "joint moves", "faults"], lines) : "");
  };

  const start = async () => {
    const mine = (run = {});
    rows = [];
    for (const part of ["matches-scores", "matches-rows", "matches-running", "matches-now"]) by(part).replaceChildren();
    by("matches-stop").disabled = false;
    say("The game is being read …");
    const players = checked(by("matches-players"));
    const playClock = Number(by("matches-clock").value);
    try {
      const asked = { uri: uri(), name: name(), players, rounds: Number(by("matches-rounds").value), playClock, startClock: Math.max(1000, playClock) };
      await client().request("studio/tournament", asked);
      const progress = () => client().request("studio/tournamentProgress", { from: rows.length });
      await followed(progress, LOOK, () => mine === run, (told) => {
        rows.push(...told.rows);
        showScores(told);
        if (told.rows.length) showRows(told.roles);
      });
    } catch (error) {
      say("");
      fail(by("matches-rows"), error);
    } finally {
      if (mine === run) by("matches-stop").disabled = true;
    }
  };

  const watchMatch = async (number) => {
    try {
      const record = await client().request("studio/record", { from: number });
      await open(JSON.stringify(record, null, 2));
      by("replay-slider").focus();
    } catch (error) {
      fail(by("replay-said"), error);
    }
  };

  /** Opens the record of a match. */
  const open = async (text) => {
    pause();
    replay = { ...(await client().request("studio/replay", { uri: uri(), text })), text };
    by("replay").hidden = false;
    by("replay-title").textContent = `${replay.game}: ${replay.roles.map((role, number) => `${role} (${replay.players?.[number] ?? "?"}) ${replay.goals?.[number] ?? "–"}`).join(", ")}`;
    const slider = by("replay-slider");
    slider.max = replay.states - 1;
    const entries = ["start", ...replay.moves.map((joint, number) => `${joint.join(" · ")}${replay.errors?.[number]?.some(Boolean) ? " (fault)" : ""}`)];
    const buttons = entries.map((textContent, number) => element("li", {}, element("button", { type: "button", textContent, onclick: () => goTo(number) })));
    by("replay-moves").replaceChildren(...buttons);
    const points = replay.roles.map((_, role) => {
      const told = replay.values.map((ply, number) => [number, ply[role]]).filter(([, value]) => value !== null && value !== undefined);
      return told.length > 1 ? told : undefined;
    });
    chart(by("replay-chart"), replay.roles, points);
    await goTo(0);
  };

  /** Shows a state. A studio that has forgotten the match is given it again. */
  const goTo = async (wanted) => {
    if (!replay) return;
    at = Math.max(0, Math.min(wanted, replay.states - 1));
    const mine = at;
    by("replay-slider").value = at;
    const ask = () => client().request("studio/frame", { from: mine });
    const again = () => client().request("studio/replay", { uri: uri(), text: replay.text }).then(ask);
    try {
      const frame = await ask().catch(again);
      if (mine !== at) return;
      showBoard(by("replay-board"), frame.svg, `the board in state ${at}`);
      by("replay-facts").replaceChildren(...frame.facts.map((fact) => element("li", { textContent: fact })));
      const errors = (replay.errors?.[at] ?? []).filter(Boolean);
      const made = replay.moves[at] ? `next: ${replay.roles.map((role, number) => `${role} ${replay.moves[at][number]}`).join(", ")}` : "the end";
      by("replay-said").textContent = `State ${at} of ${replay.states - 1}, ${made}${errors.length ? `; ${errors.join("; ")}` : ""}`;
      const entries = [...by("replay-moves").querySelectorAll("button")];
      for (const [number, entry] of entries.entries()) {
        if (number === at) entry.setAttribute("aria-current", "step");
        else entry.removeAttribute("aria-current");
      }
      entries[at]?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      pause();
      fail(by("replay-said"), error);
    }
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    by("replay-play").textContent = "Play";
    by("replay-play").setAttribute("aria-pressed", "false");
  };

  const play = () => {
    if (timer !== null) return pause();
    if (at >= replay.states - 1) at = -1;
    by("replay-play").textContent = "Pause";
    by("replay-play").setAttribute("aria-pressed", "true");
    const step = () => {
      goTo(at + 1);
      if (at >= replay.states - 1) pause();
    };
    timer = setInterval(step, STEP / Number(by("replay-speed").value));
    step();
  };

  by("matches-form").onsubmit = (event) => {
    event.preventDefault();
    start();
  };
  by("matches-stop").onclick = () => client().request("studio/stop", { name: "tournament" });
  by("replay-file").onchange = async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    try {
      await open(await file.text());
    } catch (error) {
      by("replay").hidden = false;
      fail(by("replay-said"), new Error(`${file.name}: ${error.message}`));
    }
    target.value = "";
  };
  by("replay-first").onclick = () => goTo(0);
  by("replay-back").onclick = () => goTo(at - 1);
  by("replay-forward").onclick = () => goTo(at + 1);
  by("replay-last").onclick = () => goTo(Infinity);
  by("replay-play").onclick = play;
  by("replay-speed").onchange = () => {
    if (timer === null) return;
    pause();
    play();
  };
  by("replay-slider").oninput = ({ target }) => goTo(Number(target.value));
  by("replay-save").onclick = () => replay && save("match.json", "application/json", replay.text);
  by("replay-on").onclick = () => replay && playOn([...replay.opening, ...replay.moves.slice(0, at)]);
  by("replay").onkeydown = (event) => {
    if (event.target.matches("input, select, button") && event.key === " ") return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key];
    if (event.key === " ") play();
    else if (to === undefined || event.target.matches("select")) return;
    else goTo(to);
    event.preventDefault();
  };
  by("tab-matches").addEventListener("selected", async () => {
    if (by("matches-players").querySelector("input")) return;
    try {
      const players = await client().request("studio/players", {});
      boxes(by("matches-players"), "Players", players.map((player) => ({ ...player, isChosen: CHOSEN.includes(player.name) })));
    } catch (error) {
      say(error.message);
    }
  });
}
