//! Positions of Hex.

use crate::error::{rejected, told};
use crate::to_js;
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::draw;
use ludolog::studio::{HexBoard, budget};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What is known of a position when the player to move moves next. */
export interface Solved {
  /** `"red"` or `"blue"`; null if the time did not suffice: ask again to go on. */
  winner: "red" | "blue" | null;
  /** A winning move, if the player to move wins. */
  move: string | null;
  /** Positions searched so far, and those of them that are proved. */
  nodes: number;
  proved: number;
  /** Proof and disproof number: positions that are to be decided at least until it is a win, or a loss. */
  win: number;
  loss: number;
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
pub struct Hex(HexBoard);

#[wasm_bindgen]
impl Hex {
    /// An empty board, as `5x5`, or a position as text.
    #[wasm_bindgen(constructor)]
    pub fn new(position: &str) -> Result<Hex, JsValue> {
        HexBoard::read(position).map(Hex).map_err(|(sources, wrong)| rejected(&sources, &wrong))
    }

    /// Places a stone of `red` or `blue` on an empty cell, as `c4`.
    pub fn place(&mut self, player: &str, cell: &str) -> Result<(), JsValue> {
        let player: Player = player.parse().map_err(told)?;
        self.0.put(Some(player), cell).map_err(told)
    }

    /// Who has won, if somebody has.
    pub fn winner(&self) -> Option<String> {
        self.0.position().winner().map(|player| player.name().to_owned())
    }

    /// Who wins when this player moves next and both play best. What was found in vain is kept for the next call.
    #[wasm_bindgen(unchecked_return_type = "Solved")]
    pub fn solve(&mut self, to_move: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        let to_move: Player = to_move.parse().map_err(told)?;
        to_js(&self.0.solve(to_move, &budget(milliseconds)).map_err(told)?)
    }

    /// The evaluation by a measure, as `two-distance` or `resistance`.
    #[wasm_bindgen(unchecked_return_type = "Evaluation")]
    pub fn evaluate(&self, measure: &str) -> Result<JsValue, JsValue> {
        to_js(&self.0.evaluate(measure).map_err(told)?)
    }

    /// The position as text, which the constructor reads.
    #[wasm_bindgen(js_name = toString)]
    pub fn text(&self) -> String {
        self.0.position().to_string()
    }

    /// The position as a picture in SVG, with some cells marked.
    pub fn svg(&self, marked: Option<Vec<String>>) -> Result<String, JsValue> {
        let marked = marked.unwrap_or_default();
        let cells: Vec<Cell> = marked.iter().map(|name| self.0.cell(name)).collect::<Result<_, _>>().map_err(told)?;
        Ok(draw::to_svg(self.0.position(), &cells))
    }
}
