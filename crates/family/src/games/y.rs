//! Y, Havannah and Tex: games on a triangle and on a hexagon.

use super::hex::{SIDES, begun_by, roles, swap_roles};
use super::{FamilyGame, GameSources};
use crate::board::Border;
use crate::board::hexagons::{hexagon_of_hexagons, triangle};
use crate::rulesheet::{Rulesheet, stone};
use crate::size::{Parameter, SizeForm};
use ludolog_syntax::ColdSort;

/// The cells along a side of a hexagon.
const HEXAGON: &[Parameter] = &[Parameter { name: "cells a side", least: 2, most: 10 }];

/// The cells along a side of a triangle.
const TRIANGLE: &[Parameter] = &[Parameter { name: "cells a side", least: 1, most: 19 }];

/// Y on a triangle.
pub const Y: FamilyGame = FamilyGame {
    name: "y",
    about: "Y: a chain that touches all three borders of a triangle wins",
    form: SizeForm::of(TRIANGLE, &[4]),
    rules: |size| {
        let title =
            format!("Y on a triangle with {} cells a side: a chain that touches all three borders wins.", size[0]);
        let sheet = Rulesheet::new(&title).includes(&["place", "first-wins", "connection", "y"]);
        Ok(on_triangle(roles(sheet, &SIDES), size[0]))
    },
    given: GameSources::Nothing,
};

/// Y with the swap rule.
pub const SWAP: FamilyGame = FamilyGame {
    name: "y-swap",
    about: "Y, where the second player may take the side of the first stone",
    form: SizeForm::of(TRIANGLE, &[4]),
    rules: |size| {
        let title = format!(
            "Y on a triangle with {} cells a side: a chain that touches all three borders wins.
             After the first stone the second player may swap sides.",
            size[0]
        );
        let sheet = Rulesheet::new(&title).includes(&["place", "swap", "first-wins", "connection", "y"]);
        Ok(on_triangle(swap_roles(sheet), size[0]))
    },
    given: GameSources::Nothing,
};

fn on_triangle(sheet: Rulesheet, side: usize) -> String {
    let board = triangle(side);
    board.draw(board.write(sheet)).into_text()
}

/// Havannah.
pub const HAVANNAH: FamilyGame = FamilyGame {
    name: "havannah",
    about: "Havannah: a bridge, a fork or a ring wins",
    form: SizeForm::of(HEXAGON, &[4]),
    rules: |size| {
        let title = format!("Havannah with {} cells a side: a bridge, a fork or a ring wins.", size[0]);
        let board = hexagon_of_hexagons(size[0]);
        let (sides, corners) = board.borders.split_at(6);
        let names = |borders: &[&Border]| borders.iter().map(|border| border.name).collect::<Vec<_>>();
        let pairs = (0..6).flat_map(|a| (a + 1..6).map(move |b| names(&[&corners[a], &corners[b]])));
        let triples = (0..6).flat_map(|a| {
            let pairs = (a + 1..6).flat_map(|b| (b + 1..6).map(move |c| (b, c)));
            pairs.map(move |(b, c)| names(&[&sides[a], &sides[b], &sides[c]]))
        });
        let around = board.neighbors().into_iter().filter(|next| next.len() == 6);
        let around = around.map(|next| next.into_iter().map(|cell| &board.cells[cell].name).collect::<Vec<_>>());
        let sheet = Rulesheet::new(&title).includes(&["place", "first-wins", "connection", "havannah"]);
        let sheet = board.write(roles(sheet, &SIDES)).facts("two-corners", pairs).facts("three-sides", triples);
        Ok(board.draw(sheet.facts("around", around)).into_text())
    },
    given: GameSources::Nothing,
};

/// Tex on a board with a rim.
pub const TEX: FamilyGame = FamilyGame {
    name: "tex",
    about: "Tex on a board with a rim: a stone is surrounded, or joined to the rim",
    form: SizeForm::of(HEXAGON, &[4]),
    rules: |size| {
        let title = format!(
            "Tex on a hexagon with {} cells a side: blue surrounds red's first stone, which is in the middle, and red joins it\n\
             to the rim. Without a rim, red could only go on.\n\
             On a board where three cells meet in every corner there is a chain around the stone exactly if red cannot join\n\
             it to the rim any more.",
            size[0]
        );
        let mut board = hexagon_of_hexagons(size[0]);
        let mut rim: Vec<usize> = board.borders.iter().flat_map(|border| border.cells.iter().copied()).collect();
        rim.cold_sort();
        let middle = board.cells.len() / 2;
        let border = |name, cells| Border { name, owner: None, cells, direction: f64::NAN };
        board.borders = vec![border("middle", vec![middle]), border("rim", rim)];
        let rules = ["place", "first-wins", "connection", "joined", "join-wins", "cut"];
        let sheet = begun_by(Rulesheet::new(&title).includes(&rules), &SIDES, SIDES[1])
            .facts("init", [stone("red", &board.cells[middle].name)]);
        Ok(board.draw(board.write(sheet).facts("joins", [["red", "middle", "rim"]])).into_text())
    },
    given: GameSources::Nothing,
};
