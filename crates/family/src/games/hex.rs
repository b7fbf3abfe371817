//! Hex and its variants on the board of Hex: swap, Beck's Hex, Rex and TRex, dark Hex, and Hex as a case of Y.

use super::{FamilyGame, GameSources};
use crate::board::CellGraph;
use crate::board::hexagons::{name, rhombus, triangle};
use crate::rulesheet::{Rulesheet, stone, terms};
use crate::size::{Parameter, SizeForm, columns_and_rows};
use ludolog_syntax::ast::Term;

/// Columns and rows of boards on which both sides join their borders.
pub(super) const PLANE: &[Parameter] = &columns_and_rows(1, 19);

/// Columns and rows of boards that are part of a triangle with sides of 19 cells.
const IN_TRIANGLE: &[Parameter] = &columns_and_rows(1, 10);

/// The sides, of which the first one moves first.
pub(super) const SIDES: [&str; 2] = ["red", "blue"];

/// The comment above facts of roles.
const ROLES: &str = "Each role plays the side of its name.";

/// Facts of roles that take turns and play the sides of their own names.
#[must_use]
pub(super) fn roles(sheet: Rulesheet, roles: &[&str]) -> Rulesheet {
    begun_by(sheet, roles, roles[0])
}

/// The same, where one of them moves first.
#[must_use]
pub(super) fn begun_by(sheet: Rulesheet, roles: &[&str], first: &str) -> Rulesheet {
    let next = roles.iter().cycle().skip(1);
    sheet
        .paragraph(ROLES)
        .facts("role", roles.iter().copied())
        .facts("side", roles.iter().copied())
        .facts("plays", roles.iter().map(|role| [*role, *role]))
        .facts("follows", roles.iter().zip(next).map(|(role, next)| [*role, *next]))
        .facts("begins", [first])
}

/// Facts of two roles that take turns and may swap sides after the first stone.
#[must_use]
pub(super) fn swap_roles(sheet: Rulesheet) -> Rulesheet {
    sheet
        .paragraph("The first player begins with red.")
        .facts("role", ["first", "second"])
        .facts("side", SIDES)
        .facts("follows", [["first", "second"], ["second", "first"]])
        .facts("begins", ["first"])
        .facts("init", [("first", "red"), ("second", "blue")].map(|of| Term::compound("color", terms(of))))
}

/// The rulesheet of a game on a board on which red and blue join their borders.
pub(super) fn join_game(title: &str, rules: &[&str], board: &CellGraph) -> Rulesheet {
    let rules = [&["place", "first-wins", "connection", "joined"], rules].concat();
    joined_borders(roles(Rulesheet::new(title).includes(&rules), &SIDES), board)
}

/// The facts of a board whose sides join their borders, and its picture.
#[must_use]
fn joined_borders(sheet: Rulesheet, board: &CellGraph) -> Rulesheet {
    board.draw(board.write(sheet).facts("joins", [["red", "top", "bottom"], ["blue", "left", "right"]]))
}

fn on(game: &str, size: &[usize]) -> String {
    format!("{game} on {} columns and {} rows", size[0], size[1])
}

/// Hex with the swap rule.
pub const SWAP: FamilyGame = FamilyGame {
    name: "hex-swap",
    about: "Hex, where the second player may take the side of the first stone",
    form: SizeForm::of(PLANE, &[5, 5]),
    rules: |size| {
        let title = on("Hex", size)
            + ": red joins top and bottom, blue left and right.\nAfter the first stone the second player may swap sides.";
        let rules = ["place", "swap", "first-wins", "connection", "joined", "join-wins"];
        let sheet = swap_roles(Rulesheet::new(&title).includes(&rules));
        Ok(joined_borders(sheet, &rhombus(size[0], size[1])).into_text())
    },
    given: GameSources::Nothing,
};

/// Beck's Hex.
pub const BECK: FamilyGame = FamilyGame {
    name: "hex-beck",
    about: "Beck's Hex: the second player chooses the cell of the first stone",
    form: SizeForm::of(PLANE, &[5, 5]),
    rules: |size| {
        let title = on("Beck's Hex", size)
            + ": red joins top and bottom, blue left and right.\nBlue chooses the cell of red's first stone, and moves again.";
        let rules = ["place", "beck", "first-wins", "connection", "joined", "join-wins"];
        let sheet = Rulesheet::new(&title)
            .includes(&rules)
            .paragraph("Blue begins, with a stone of red.")
            .facts("role", SIDES)
            .facts("side", SIDES)
            .facts("opposite", [["red", "blue"], ["blue", "red"]])
            .facts("begins", ["blue"]);
        Ok(joined_borders(sheet, &rhombus(size[0], size[1])).into_text())
    },
    given: GameSources::Nothing,
};

/// Reverse Hex.
pub const REX: FamilyGame = FamilyGame {
    name: "rex",
    about: "Rex, reverse Hex: whoever joins their borders loses",
    form: SizeForm::of(PLANE, &[5, 5]),
    rules: |size| {
        let title = on("Rex", size) + ": who joins top and bottom, as red, or left and right, as blue, loses.";
        Ok(join_game(&title, &["rex"], &rhombus(size[0], size[1])).into_text())
    },
    given: GameSources::Nothing,
};

/// Terminated Rex.
pub const TREX: FamilyGame = FamilyGame {
    name: "trex",
    about: "TRex: Rex that ends in a draw when one cell is empty",
    form: SizeForm::of(PLANE, &[5, 5]),
    rules: |size| {
        let title = on("TRex", size)
            + ": who joins top and bottom, as red, or left and right, as blue, loses.\nWith one empty cell left it is a draw.";
        let board = rhombus(size[0], size[1]);
        let order = board.cells.windows(2).map(|pair| (&pair[0].name, &pair[1].name));
        let sheet = join_game(&title, &["rex", "trex"], &board);
        Ok(sheet.paragraph("The order of the cells.").facts("before", order).into_text())
    },
    given: GameSources::Nothing,
};

/// Dark Hex, whose players do not see each other's stones.
pub const DARK: FamilyGame = FamilyGame {
    name: "dark-hex",
    about: "Dark Hex: nobody sees the other's stones, and who tries a taken cell tries again",
    form: SizeForm::of(PLANE, &[4, 4]),
    rules: |size| {
        let title = on("Dark Hex", size)
            + ": red joins top and bottom, blue left and right.\nNobody sees the stones of the other; who tries a taken cell tries again.";
        let rules = ["dark", "first-wins", "connection", "joined", "join-wins"];
        let sheet = roles(Rulesheet::new(&title).includes(&rules), &SIDES);
        Ok(joined_borders(sheet, &rhombus(size[0], size[1])).into_text())
    },
    given: GameSources::Nothing,
};

/// Hex as a position of Y: the board is a corner of a triangle, and the two other corners have stones.
///
/// Column `c` and row `r` of Hex, both from 0, are column `c` and row `c + r` of the triangle: the acute corner is its
/// upper corner. Red's stones below and to the left link the left border to the base, and whoever links the right
/// border to them has joined the first row of Hex to the last; blue's on the other side the right border and the base.
pub const IN_Y: FamilyGame = FamilyGame {
    name: "hex-in-y",
    about: "Hex as a case of Y, in a corner of its board",
    form: SizeForm::of(IN_TRIANGLE, &[3, 3]),
    rules: |size| {
        let [columns, rows] = [size[0], size[1]];
        let title = on("Hex", size)
            + ", in a corner of Y: stones in the two other corners link the base to a side each.\n\
               Column c and row r of Hex, both from 0, are column c and row c + r of the triangle.";
        let side = columns + rows - 1;
        let beyond = |row: usize, column: usize| {
            let owner = if column >= columns { SIDES[1] } else { SIDES[0] };
            let is_beyond = column >= columns || row - column >= rows;
            is_beyond.then(|| stone(owner, &name(column, row).into()))
        };
        let stones = (0..side).flat_map(|row| (0..=row).filter_map(move |column| beyond(row, column)));
        let sheet = Rulesheet::new(&title).includes(&["place", "first-wins", "connection", "y"]);
        let sheet = roles(sheet, &SIDES).paragraph("The stones in the corners.").facts("init", stones);
        let board = triangle(side);
        Ok(board.draw(board.write(sheet)).into_text())
    },
    given: GameSources::Nothing,
};
