//! Hex and its variants on boards with four borders.

use super::Game;
use crate::board::Board;
use crate::board::hexagons::rhombus;
use crate::rulesheet::Rulesheet;
use crate::size::{Form, Parameter, columns_and_rows};

/// Columns and rows of boards on which both sides join their borders.
const PLANE: &[Parameter] = &columns_and_rows(1, 19, 5);

/// The sides, of which the first one moves first.
pub(super) const SIDES: [&str; 2] = ["red", "blue"];

/// Facts of two roles that take turns and play the sides of their own names.
#[must_use]
pub(super) fn two_roles(sheet: Rulesheet, [first, second]: [&str; 2]) -> Rulesheet {
    let both = [first, second];
    sheet
        .paragraph("Each role plays the side of its name.")
        .facts("role", both)
        .facts("side", both)
        .facts("plays", both.map(|role| format!("{role} {role}")))
        .facts("follows", [format!("{first} {second}"), format!("{second} {first}")])
        .facts("begins", [first])
}

/// The facts of a board whose sides join their borders, and its picture.
#[must_use]
pub(super) fn joined_borders(sheet: Rulesheet, board: &Board) -> Rulesheet {
    board.draw(board.write(sheet).facts("joins", ["red top bottom", "blue left right"]))
}

/// Hex with the swap rule.
pub const SWAP: Game = Game {
    name: "hex-swap",
    about: "Hex, where the second player may take the side of the first stone instead of the second move",
    form: Form::of(PLANE),
    rules: |size| {
        let sheet = Rulesheet::new(&format!(
            "Hex on {} columns and {} rows: red joins top and bottom, blue left and right.\n\
             After the first stone the second player may swap sides.",
            size[0], size[1]
        ));
        let sheet = sheet
            .includes(&["place", "swap", "first-wins", "connection", "joined", "join-wins"])
            .paragraph("The first player begins with red.")
            .facts("role", ["first", "second"])
            .facts("side", SIDES)
            .facts("follows", ["first second", "second first"])
            .facts("begins", ["first"])
            .facts("init", ["(color first red)", "(color second blue)"]);
        Ok(joined_borders(sheet, &rhombus(size[0], size[1])).into_text())
    },
};
