//! Games and players.

use crate::error::told;
use crate::options::{self, Options};
use crate::to_js;
use ludolog::studio::{PlayedGame, budget};
use serde_json::json;
use wasm_bindgen::prelude::*;

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
  /** The joint moves that the player expects. */
  line: string[][];
}
"#;

/// A game in some state.
#[wasm_bindgen]
pub struct Game(PlayedGame);

#[wasm_bindgen]
impl Game {
    /// The game of a rulesheet, or of a game that comes with Ludolog, by its name: `std:games/connect-four.kif`.
    #[wasm_bindgen(constructor)]
    pub fn new(rulesheet: &str, options: Option<Options>, milliseconds: Option<f64>) -> Result<Game, JsValue> {
        let (session, syntax) = options::session(rulesheet, options.as_ref())?;
        PlayedGame::new(&session, syntax, &budget(milliseconds)).map(Game).map_err(told)
    }

    /// The names of the roles.
    #[wasm_bindgen(getter)]
    pub fn roles(&self) -> Vec<String> {
        self.0.roles()
    }

    /// Whether the game runs on a net of gates, and not on its rules alone.
    #[wasm_bindgen(getter, js_name = hasNet)]
    pub fn has_net(&self) -> bool {
        self.0.has_net()
    }

    /// The facts of the state.
    pub fn facts(&self) -> Vec<String> {
        self.0.facts()
    }

    /// The legal moves of each role; none when the game is over.
    #[wasm_bindgen(unchecked_return_type = "string[][]")]
    pub fn legal(&mut self) -> Result<JsValue, JsValue> {
        to_js(&json!(self.0.legal().map_err(told)?))
    }

    /// Makes a move for each role, as [`legal`](Self::legal) writes them.
    pub fn play(&mut self, moves: Vec<String>) -> Result<(), JsValue> {
        self.0.play(moves).map_err(told)
    }

    /// Takes back the last moves; false in the first state.
    pub fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Whether the game is over.
    #[wasm_bindgen(js_name = isOver)]
    pub fn is_over(&mut self) -> Result<bool, JsValue> {
        self.0.is_over().map_err(told)
    }

    /// What the state is worth to each role; null where the rules do not say.
    #[wasm_bindgen(unchecked_return_type = "(number | null)[]")]
    pub fn goals(&mut self) -> Result<JsValue, JsValue> {
        to_js(&json!(self.0.goals().map_err(told)?))
    }

    /// The state as a picture in SVG; nothing if no board is stated or found.
    pub fn svg(&self) -> Option<String> {
        self.0.svg()
    }

    /// Random playouts from the state, for so many milliseconds.
    #[wasm_bindgen(unchecked_return_type = "Playouts")]
    pub fn playouts(&mut self, milliseconds: f64) -> Result<JsValue, JsValue> {
        to_js(&self.0.playouts(&budget(Some(milliseconds))).map_err(told)?)
    }

    /// The move of a player (`auto`, `mcts`, `alpha-beta`, `random` …) for a role, by its number, after so many milliseconds. A player
    /// keeps what it has found out for the next time.
    #[wasm_bindgen(unchecked_return_type = "Choice")]
    pub fn choose(&mut self, role: usize, player: &str, milliseconds: f64) -> Result<JsValue, JsValue> {
        to_js(&self.0.choose(role, player, &budget(Some(milliseconds))).map_err(told)?)
    }
}
