//! Games and players.

use crate::error::told;
use crate::options::{self, Options, budget};
use crate::to_js;
use ludolog::game::grid::FactPlaces;
use ludolog::game::scene::Scene;
use ludolog::game::{Role, State, StateMachine, StateMachineExt};
use ludolog::picture::svg;
use ludolog::player::{Game as Reasoner, GameReasoner, Options as PlayerOptions, Player, PlayerKind};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// States of one batch of playouts.
const BATCH: usize = 1024;

/// Joint moves of a playout at most.
const MAX_STEPS: usize = 10_000;

/// The clock of a move that a player is told of before the first one.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Random playouts from a state. */
export interface Playouts {
  count: number;
  /** Joint moves of all of them. */
  steps: number;
  /** By role, the mean of its goals; null if there are none. */
  means: (number | null)[];
}
/** A move chosen by a player, and what it expects. */
export interface Choice {
  move: string;
  value: number | null;
  proven: boolean;
  playouts: number;
  nodes: number;
}
"#;

/// A game in some state.
#[wasm_bindgen]
pub struct Game {
    rules: GameReasoner,
    machine: Reasoner,
    scene: Scene,
    /// The states so far, the last one the present.
    states: Vec<State>,
    players: HashMap<(usize, String), Box<dyn Player>>,
    syntax: Syntax,
    seed: u64,
}

#[wasm_bindgen]
impl Game {
    /// The game of a rulesheet, or of a game that comes with Ludolog, by its name: `std:games/connect-four.kif`. GDL's
    /// parentheses are the syntax unless the options say otherwise.
    #[wasm_bindgen(constructor)]
    pub fn new(rulesheet: &str, options: Option<Options>, milliseconds: Option<f64>) -> Result<Game, JsValue> {
        let (session, syntax) = options::session(rulesheet, options.as_ref())?;
        let program = session.program().clone();
        let budget = budget(milliseconds);
        let rules = GameReasoner::new(&program, &budget).map_err(told)?;
        let mut machine = rules.game(&budget).map_err(told)?;
        let possible = machine.possible_facts();
        let board = machine.machine();
        let (layout, states) = FactPlaces::sample(board, &possible, &budget.part_of_rest(|left| left / 4));
        let stated = Scene::stated(&program.program, board.roles()).unwrap_or_default();
        let scene = stated.unwrap_or_else(|| Scene::of_grids(layout, board.roles())).of_states(&states);
        let first = board.initial_state().clone();
        let players = HashMap::new();
        Ok(Game { rules, machine, scene, states: vec![first], players, syntax, seed: 1 })
    }

    /// The names of the roles.
    #[wasm_bindgen(getter)]
    pub fn roles(&self) -> Vec<String> {
        self.machine.reader().roles().iter().map(|role| self.text(role)).collect()
    }

    /// Whether the game runs on a net of gates, and not on its rules alone.
    #[wasm_bindgen(getter, js_name = hasNet)]
    pub fn has_net(&self) -> bool {
        self.rules.net().is_some()
    }

    /// The facts of the state.
    pub fn facts(&self) -> Vec<String> {
        let mut facts: Vec<String> =
            self.machine.reader().facts(self.state()).iter().map(|fact| self.text(fact)).collect();
        facts.sort();
        facts
    }

    /// The legal moves of each role; none when the game is over.
    #[wasm_bindgen(unchecked_return_type = "string[][]")]
    pub fn legal(&mut self) -> Result<JsValue, JsValue> {
        if self.is_over()? {
            return to_js(&json!(vec![Vec::<String>::new(); self.machine.reader().roles().len()]));
        }
        let state = self.state().clone();
        let legal = self.machine().legal_terms(&state).map_err(told)?;
        let moves: Vec<Vec<String>> =
            legal.iter().map(|(_, moves)| moves.iter().map(|made| self.text(made)).collect()).collect();
        to_js(&json!(moves))
    }

    /// Makes a move for each role, as [`legal`](Self::legal) writes them.
    pub fn play(&mut self, moves: Vec<String>) -> Result<(), JsValue> {
        let roles = self.machine.reader().roles().len();
        if moves.len() != roles {
            return Err(told(format!("{} moves for {roles} roles", moves.len())));
        }
        if self.is_over()? {
            return Err(told("the game is over"));
        }
        let state = self.state().clone();
        let legal = self.machine().legal_terms(&state).map_err(told)?;
        let mut joint = Vec::new();
        for ((role, moves_of_role), wanted) in legal.iter().zip(&moves) {
            let found = moves_of_role.iter().find(|made| self.text(made) == *wanted);
            let role = self.text(role);
            joint.push(found.ok_or_else(|| told(format!("`{wanted}` is not a legal move of {role}")))?.clone());
        }
        let joint = self.machine().joint_move(&state, &joint).map_err(told)?;
        let next = self.machine().next_state(&state, &joint).map_err(told)?;
        self.states.push(next);
        Ok(())
    }

    /// Takes back the last moves; false in the first state.
    pub fn undo(&mut self) -> bool {
        let has_moves = self.states.len() > 1;
        if has_moves {
            self.states.pop();
        }
        has_moves
    }

    /// Whether the game is over.
    #[wasm_bindgen(js_name = isOver)]
    pub fn is_over(&mut self) -> Result<bool, JsValue> {
        let state = self.state().clone();
        self.machine().is_terminal(&state).map_err(told)
    }

    /// What the state is worth to each role; null where the rules do not say.
    #[wasm_bindgen(unchecked_return_type = "(number | null)[]")]
    pub fn goals(&mut self) -> Result<JsValue, JsValue> {
        let state = self.state().clone();
        to_js(&json!(self.machine().goals(&state).map_err(told)?))
    }

    /// The state as a picture in SVG; nothing if no board is stated or found.
    pub fn svg(&self) -> Option<String> {
        let facts = self.machine.reader().facts(self.state());
        let view = self.scene.view(&facts);
        (!view.pictures.is_empty()).then(|| svg::sheet(&view.pictures, "state"))
    }

    /// Random playouts from the state, for so many milliseconds.
    #[wasm_bindgen(unchecked_return_type = "Playouts")]
    pub fn playouts(&mut self, milliseconds: f64) -> Result<JsValue, JsValue> {
        let budget = budget(Some(milliseconds));
        let roles = self.machine.reader().roles().len();
        let starts = vec![self.state().clone(); BATCH];
        let mut sums = vec![(0i64, 0u64); roles];
        let mut count = 0u64;
        let mut steps = 0u64;
        while budget.check().is_ok() {
            self.seed += 1;
            let seed = self.seed;
            for outcome in self.machine().random_playouts(&starts, MAX_STEPS, seed).map_err(told)? {
                count += 1;
                steps += outcome.steps as u64;
                for ((sum, known), goal) in sums.iter_mut().zip(&outcome.goals) {
                    *sum += goal.unwrap_or_default();
                    *known += u64::from(goal.is_some());
                }
            }
        }
        let mean = |(sum, known): (i64, u64)| (known > 0).then(|| sum as f64 / known as f64);
        let means: Vec<Option<f64>> = sums.into_iter().map(mean).collect();
        to_js(&json!({ "count": count, "steps": steps, "means": means }))
    }

    /// The move of a player (`auto`, `mcts`, `alpha-beta`, `random` …) for a role, by its number, after so many milliseconds. A player
    /// keeps what it has found out for the next time.
    #[wasm_bindgen(unchecked_return_type = "Choice")]
    pub fn choose(&mut self, role: usize, player: &str, milliseconds: f64) -> Result<JsValue, JsValue> {
        if role >= self.machine.reader().roles().len() {
            return Err(told(format!("there is no role of number {role}")));
        }
        if self.is_over()? {
            return Err(told("the game is over"));
        }
        let budget = budget(Some(milliseconds));
        let key = (role, player.to_owned());
        if !self.players.contains_key(&key) {
            let kind: PlayerKind = player.parse().map_err(told)?;
            let options = PlayerOptions { threads: 1, ..PlayerOptions::default() };
            let game = self.rules.game(&budget).map_err(told)?;
            let mut made = kind.0.player(game, Role(role as u32), &options).map_err(told)?;
            made.start(&budget.part_of_rest(|left| left / 4), PLAY_CLOCK).map_err(told)?;
            self.players.insert(key.clone(), made);
        }
        let state = self.state().clone();
        let chosen = self.players.get_mut(&key).map(|player| player.play(&state, &budget));
        let choice = chosen.ok_or_else(|| told("there is no such player"))?.map_err(told)?;
        to_js(&json!({
            "move": self.text(self.machine.reader().move_term(choice.made)),
            "value": choice.report.value,
            "proven": choice.report.proven,
            "playouts": choice.report.playouts,
            "nodes": choice.report.nodes,
        }))
    }
}

impl Game {
    fn state(&self) -> &State {
        // There is always the first one.
        &self.states[self.states.len() - 1]
    }

    fn machine(&mut self) -> &mut dyn StateMachine {
        self.machine.machine()
    }

    fn text(&self, term: &Term) -> String {
        print_term(term, self.syntax)
    }
}
