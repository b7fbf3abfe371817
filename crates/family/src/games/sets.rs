//! Games of winning sets: k in a row, lines of cubes, and set-coloring games.
//!
//! In the first two, whoever completes a set first wins. A set-coloring game (van Rijswijck, *Set colouring games*,
//! 2006) is a payoff of colored boards: Max wants it to be true. One that grows with Max's cells is told by its minimal
//! sets of cells, which are winning sets, and the game is decided when Max has one or Min has a cell of each.

use super::hex::begun_by;
use super::{FamilyGame, GameSources};
use crate::board::picture::{self, PlanePoint, polygon, towards};
use crate::rulesheet::{NodeName, Rulesheet, stone};
use crate::size::{NoSuchGame, Parameter, SizeForm};
use ludolog_positional::position::Player;
use ludolog_positional::{PointBoard, Position};

/// The distance of cells, in hundredths of a unit.
const APART: f64 = 100.0;

/// Most cells and most sets of a game: games with more take minutes to load.
const MOST_CELLS: usize = 400;
const MOST_SETS: usize = 2000;

/// Columns, rows and cells in a line.
const MNK: SizeForm = SizeForm::of(
    &[
        Parameter { name: "columns", least: 1, most: 19 },
        Parameter { name: "rows", least: 1, most: 19 },
        Parameter { name: "in a row", least: 1, most: 19 },
    ],
    &[4, 4, 4],
);

/// The names of the players of X and O.
const STRONG: [&str; 2] = ["cross", "nought"];
const PAYOFF: [&str; 2] = ["max", "min"];

/// K in a row.
pub const IN_A_ROW: FamilyGame = FamilyGame {
    name: "in-a-row",
    about: "K in a row on columns and rows; with --sets, any winning sets",
    form: MNK,
    rules: |size| strong(&mnk(size)?, &format!("{} in a row on {} columns and {} rows", size[2], size[0], size[1])),
    given: GameSources::Sets(|position| strong(position, "A positional game")),
};

/// The lines of a cube.
pub const CUBE: FamilyGame = FamilyGame {
    name: "cube",
    about: "Tic-tac-toe in n dimensions: a line of a cube wins",
    form: SizeForm {
        parameters: &[
            Parameter { name: "side", least: 1, most: 8 },
            Parameter { name: "dimensions", least: 1, most: 5 },
        ],
        usual: &[3, 3],
        separator: '^',
        repeats: false,
    },
    rules: |size| {
        let board = PointBoard::Cube { side: size[0], dimensions: size[1] as u32 };
        strong(
            &position(board)?,
            &format!("Tic-tac-toe on a cube of {} dimensions with sides of {} cells", size[1], size[0]),
        )
    },
    given: GameSources::Nothing,
};

/// Set-coloring games.
pub const SET_COLORING: FamilyGame = FamilyGame {
    name: "set-coloring",
    about: "Max completes a winning set, Min takes a cell of each: k in a row; with --sets, any payoff that grows with Max's cells",
    form: MNK,
    rules: |size| {
        let game = format!("{} in a row on {} columns and {} rows", size[2], size[0], size[1]);
        payoff(&mnk(size)?, &format!("A set-coloring game: {game}"))
    },
    given: GameSources::Sets(|position| payoff(position, "A set-coloring game")),
};

fn mnk(size: &[usize]) -> Result<Position, NoSuchGame> {
    position(PointBoard::Mnk { width: size[0], height: size[1], k: size[2] })
}

fn position(board: PointBoard) -> Result<Position, NoSuchGame> {
    let game = board.hypergraph().map_err(|error| NoSuchGame { message: error.to_string() })?;
    if game.sets().is_empty() {
        return Err(NoSuchGame { message: format!("{board} has no line: it is longer than columns and rows") });
    }
    Ok(Position::new(game))
}

/// Whoever completes a winning set first wins.
fn strong(position: &Position, title: &str) -> Result<String, NoSuchGame> {
    rulesheet(position, &format!("{title}: whoever completes a winning set first wins."), "strong", STRONG)
}

/// Max completes a winning set, or Min takes a cell of each.
fn payoff(position: &Position, title: &str) -> Result<String, NoSuchGame> {
    let title = format!("{title}. Max wins with all cells of a winning set, Min with a cell of each.");
    rulesheet(position, &title, "set-coloring", PAYOFF)
}

fn rulesheet(position: &Position, title: &str, rules: &str, sides: [&str; 2]) -> Result<String, NoSuchGame> {
    let game = position.game();
    if game.len() > MOST_CELLS || game.sets().len() > MOST_SETS {
        let message = format!(
            "{} cells and {} winning sets: the rules have at most {MOST_CELLS} and {MOST_SETS}",
            game.len(),
            game.sets().len()
        );
        return Err(NoSuchGame { message });
    }
    let names: Vec<NodeName> = game.names().iter().map(|name| name.as_str().into()).collect();
    let side = |player: Player| sides[usize::from(player == Player::O)];
    let members = game
        .sets()
        .iter()
        .enumerate()
        .flat_map(|(number, set)| set.iter().map(move |&point| (number + 1, point as usize)).collect::<Vec<_>>());
    let stones = Player::BOTH.into_iter().flat_map(|player| {
        position.claimed(player).map(move |point| (side(player), point as usize)).collect::<Vec<_>>()
    });
    let sheet = Rulesheet::new(title).includes(&["place", "first-wins", "sets", rules]);
    let sheet = begun_by(sheet, &sides, side(position.to_move))
        .facts("init", stones.map(|(side, point)| stone(side, &names[point])))
        .paragraph("The board: cells and winning sets.")
        .facts("cell", &names)
        .facts("set", 1..=game.sets().len())
        .facts("member", members.map(|(number, point)| (number, &names[point])));
    Ok(draw(sheet, position, &names).into_text())
}

/// Squares where the board has columns and rows, points on a circle where it has none.
fn draw(sheet: Rulesheet, position: &Position, names: &[NodeName]) -> Rulesheet {
    let sheet = sheet.paragraph(picture::TITLE);
    let Some(places) = position.game().places() else {
        let radius = APART * names.len() as f64 / std::f64::consts::TAU;
        let at = |point: usize| towards((0.0, 0.0), radius, 360.0 * point as f64 / names.len() as f64 - 90.0);
        return sheet.facts("picture_cell", names.iter().enumerate().map(|(i, name)| (name, at(i))));
    };
    let centers: Vec<PlanePoint> = places.iter().map(|&(x, y)| (x as f64 * APART, y as f64 * APART)).collect();
    let corners = names.iter().zip(&centers).flat_map(|(name, &center)| {
        let outline = polygon(center, 4, APART / 2f64.sqrt(), 45.0).into_iter().enumerate();
        outline.map(move |(k, corner)| (name, k, corner))
    });
    sheet
        .facts("picture_cell", names.iter().zip(&centers).map(|(name, &center)| (name, center)))
        .facts("picture_corner", corners)
}
