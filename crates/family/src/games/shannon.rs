//! Shannon switching: Short joins two nodes of a graph, Cut keeps them apart.
//!
//! On vertices, the sides claim nodes; Hex is that game on the graph of its board, with two more nodes beyond red's borders.

use super::Game;
use super::hex::two_roles;
use crate::board::hexagons::rhombus;
use crate::board::{Board, Border};
use crate::rulesheet::Rulesheet;
use crate::size::{Form, columns_and_rows};

/// The sides.
const SIDES: [&str; 2] = ["short", "cut"];

/// Shannon switching on vertices.
pub const VERTICES: Game = Game {
    name: "shannon-vertices",
    about: "Shannon switching on the vertices of a graph; on columns and rows, that of Hex",
    form: Form::of(&columns_and_rows(1, 19, 4)),
    rules: |size| {
        let title = format!(
            "Shannon switching on the vertices of a board of Hex with {} columns and {} rows: Short joins the source above to\n\
             the target below, Cut keeps them apart.",
            size[0], size[1]
        );
        let mut board = rhombus(size[0], size[1]);
        board.borders.truncate(2);
        for (border, name) in board.borders.iter_mut().zip(["source", "target"]) {
            *border = Border { name, owner: Some(SIDES[0]), ..border.clone() };
        }
        Ok(rulesheet(&title, &board))
    },
};

/// The rules on a board with the borders `source` and `target`, which are the neighbors of the two nodes to join.
fn rulesheet(title: &str, board: &Board) -> String {
    let sheet = Rulesheet::new(title).includes(&["place", "first-wins", "connection", "joined", "join-wins", "cut"]);
    let sheet = board.write(two_roles(sheet, SIDES)).facts("joins", ["short source target"]);
    board.draw(sheet).into_text()
}
