//! Y: a chain that touches all three borders of a triangle.

use super::Game;
use super::hex::{SIDES, two_roles};
use crate::board::hexagons::triangle;
use crate::rulesheet::Rulesheet;
use crate::size::{Form, Parameter};

/// Y on a triangle.
pub const Y: Game = Game {
    name: "y",
    about: "Y: whoever links all three borders of a triangle wins",
    form: Form::of(&[Parameter { name: "cells a side", least: 1, most: 19, usual: 4 }]),
    rules: |size| {
        let title =
            format!("Y on a triangle with {} cells a side: a chain that touches all three borders wins.", size[0]);
        let sheet = Rulesheet::new(&title).includes(&["place", "first-wins", "connection", "y"]);
        let board = triangle(size[0]);
        Ok(board.draw(board.write(two_roles(sheet, SIDES))).into_text())
    },
};
