//! Positions of Hex.

use crate::error::{rejected, told};
use crate::to_js;
use ludolog::diagnostic::Sources;
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::solver::Solver;
use ludolog::hex::{Position, draw, evaluation};
use ludolog::studio::budget;
use serde_json::json;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What is known of a position when the player to move moves next. */
export interface Solved {
  /** `"red"` or `"blue"`; null if the time did not suffice: ask again to go on. */
  winner: "red" | "blue" | null;
  /** A winning move, if the player to move wins. */
  move: string | null;
  nodes: number;
}
/** The evaluation of a position for both players. */
export interface Evaluation {
  red: number | null;
  blue: number | null;
  /** By cell, row by row, from 0 to 1: how much it matters to both; null where there is a stone. */
  heat: (number | null)[];
}
"#;

/// A position of Hex.
#[wasm_bindgen]
pub struct Hex {
    position: Position,
    solver: Option<Solver>,
}

#[wasm_bindgen]
impl Hex {
    /// An empty board, as `5x5`, or a position as text.
    #[wasm_bindgen(constructor)]
    pub fn new(position: &str) -> Result<Hex, JsValue> {
        let position = match position.trim().parse() {
            Ok(board) => Position::new(board),
            Err(_) => {
                let mut sources = Sources::new();
                let source = sources.add("position", position);
                Position::parse(position, source).map_err(|wrong| rejected(&sources, &wrong))?
            }
        };
        Ok(Hex { solver: Solver::new(position.board()), position })
    }

    /// Places a stone of `red` or `blue` on an empty cell, as `c4`.
    pub fn place(&mut self, player: &str, cell: &str) -> Result<(), JsValue> {
        let player: Player = player.parse().map_err(told)?;
        let cell = self.cell(cell)?;
        if self.position.place(player, cell) { Ok(()) } else { Err(told("there is a stone on this cell")) }
    }

    /// Who has won, if somebody has.
    pub fn winner(&self) -> Option<String> {
        self.position.winner().map(|player| player.name().to_owned())
    }

    /// Who wins when this player moves next and both play best. What was found in vain is kept for the next call.
    #[wasm_bindgen(unchecked_return_type = "Solved")]
    pub fn solve(&mut self, to_move: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        let to_move: Player = to_move.parse().map_err(told)?;
        let budget = budget(milliseconds);
        let solver = self.solver.as_ref().ok_or_else(|| told("the board is too large to solve"))?;
        let winner = solver.winner(&self.position, to_move, 1, &budget).ok();
        let by = winner.and_then(|_| solver.winning_move(&self.position, to_move, 1, &budget).ok().flatten());
        to_js(&json!({
            "winner": winner.map(Player::name),
            "move": by.map(|cell| self.position.board().name(cell)),
            "nodes": solver.nodes(),
        }))
    }

    /// The evaluation by a measure, as `two-distance` or `resistance`.
    #[wasm_bindgen(unchecked_return_type = "Evaluation")]
    pub fn evaluate(&self, measure: &str) -> Result<JsValue, JsValue> {
        let measure = evaluation::named(measure).ok_or_else(|| {
            let names: Vec<&str> = evaluation::ALL.iter().map(|measure| measure.name).collect();
            told(format!("there is no measure `{measure}`; there are {}", names.join(", ")))
        })?;
        if !evaluation::is_fit(self.position.board()) {
            return Err(told("the board is too large for this measure"));
        }
        let evaluation = measure.evaluate(&self.position);
        let finite = |value: f64| value.is_finite().then_some(value);
        to_js(&json!({
            "red": finite(evaluation.red.value),
            "blue": finite(evaluation.blue.value),
            "heat": evaluation.heat(None),
        }))
    }

    /// The position as text, which the constructor reads.
    #[wasm_bindgen(js_name = toString)]
    pub fn text(&self) -> String {
        self.position.to_string()
    }

    /// The position as a picture in SVG, with some cells marked.
    pub fn svg(&self, marked: Option<Vec<String>>) -> Result<String, JsValue> {
        let marked = marked.unwrap_or_default();
        let cells: Vec<Cell> = marked.iter().map(|name| self.cell(name)).collect::<Result<_, _>>()?;
        Ok(draw::to_svg(&self.position, &cells))
    }
}

impl Hex {
    fn cell(&self, name: &str) -> Result<Cell, JsValue> {
        let board = self.position.board();
        let found = board.cells().find(|cell| board.name(*cell) == name);
        found.ok_or_else(|| told(format!("there is no cell `{name}` on this board")))
    }
}
