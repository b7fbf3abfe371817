//! Hex on other boards: cylinder, tilings, more dimensions, and graphs.

use super::hex::{PLANE, SIDES, begun_by, join_game, roles};
use super::{FamilyGame, GameSources, SheetWriter};
use crate::board::hexagons::{cube, cylinder};
use crate::board::tiling::Tiling;
use crate::board::{Border, CellGraph};
use crate::graph::UndirectedGraph;
use crate::rulesheet::{NodeName, Rulesheet};
use crate::size::{NoSuchGame, Parameter, SizeForm};

/// Columns around a cylinder, of which three keep two cells from being neighbors twice, and rows.
const AROUND: &[Parameter] =
    &[Parameter { name: "columns around", least: 3, most: 19 }, Parameter { name: "rows", least: 1, most: 19 }];

/// Columns and rows of the largest cells; the smaller ones come besides.
const LARGE_CELLS: &[Parameter] =
    &[Parameter { name: "columns", least: 1, most: 9 }, Parameter { name: "rows", least: 1, most: 9 }];

/// The side of a cube and its dimensions.
const CUBE_FORM: SizeForm = SizeForm {
    parameters: &[Parameter { name: "side", least: 1, most: 16 }, Parameter { name: "dimensions", least: 2, most: 4 }],
    usual: &[3, 3],
    separator: '^',
    repeats: false,
};

/// Most cells of a cube: games with more take minutes to load.
const MOST_CELLS: usize = 256;

/// The players of the dimensions, in the order of their turns.
const PLAYERS: [&str; 4] = ["red", "blue", "green", "yellow"];

/// Hex on a cylinder, or annulus.
pub const CYLINDER: FamilyGame = FamilyGame {
    name: "hex-cylinder",
    about: "Hex on a cylinder: top to bottom against a chain around it",
    form: SizeForm::of(AROUND, &[4, 4]),
    rules: |size| {
        let title = format!(
            "Hex on a cylinder, {} columns around and {} rows high: red joins top and bottom, blue makes a chain around it.\n\
             On a board where three cells meet in every corner there is a chain around exactly if red cannot join top and\n\
             bottom any more.",
            size[0], size[1]
        );
        let rules = ["place", "first-wins", "connection", "joined", "join-wins", "cut"];
        let board = cylinder(size[0], size[1]);
        let sheet = roles(Rulesheet::new(&title).includes(&rules), &SIDES);
        Ok(board.draw(board.write(sheet).facts("joins", [["red", "top", "bottom"]])).into_text())
    },
    given: GameSources::Nothing,
};

/// Hex on a tiling.
const fn tiled(name: &'static str, about: &'static str, rules: SheetWriter) -> FamilyGame {
    FamilyGame { name, about, form: SizeForm::of(LARGE_CELLS, &[3, 3]), rules, given: GameSources::Nothing }
}

fn tiling(tiling: Tiling, cells: &str, size: &[usize]) -> Result<String, NoSuchGame> {
    let title = format!(
        "Hex on {cells}, {} columns and {} rows of the largest: red joins top and bottom, blue left and right.",
        size[0], size[1]
    );
    Ok(join_game(&title, &["join-wins"], &tiling.board(size[0], size[1])).into_text())
}

/// Hex on 4.8.8.
pub const OCTAGONS: FamilyGame =
    tiled("hex-4.8.8", "Hex on octagons and squares", |size| tiling(Tiling::Octagons, "octagons and squares", size));

/// Hex on 3.12.12.
pub const DODECAGONS: FamilyGame = tiled("hex-3.12.12", "Hex on dodecagons and triangles", |size| {
    tiling(Tiling::Dodecagons, "dodecagons and triangles", size)
});

/// Hex on 4.6.12.
pub const DODECAGONS_APART: FamilyGame = tiled("hex-4.6.12", "Hex on dodecagons, hexagons and squares", |size| {
    tiling(Tiling::DodecagonsApart, "dodecagons, hexagons and squares", size)
});

/// Hex on squares, or on a graph from a file.
pub const GRAPH: FamilyGame = FamilyGame {
    name: "hex-graph",
    about: "Hex on a grid of squares, where a draw exists; on any graph with --graph",
    form: SizeForm::of(PLANE, &[5, 5]),
    rules: |size| {
        let title = format!(
            "Hex on the squares of {} columns and {} rows: red joins top and bottom, blue left and right.\n\
             Diagonals do not link, so a draw is possible.",
            size[0], size[1]
        );
        Ok(join_game(&title, &["join-wins"], &Tiling::Squares.board(size[0], size[1])).into_text())
    },
    given: GameSources::Graph(on_graph),
};

/// Hex on a graph with the borders `top`, `bottom`, `left` and `right`.
fn on_graph(_: &[usize], graph: &UndirectedGraph) -> Result<String, NoSuchGame> {
    let mut board = CellGraph::of_graph(graph);
    for (name, owner) in [("top", SIDES[0]), ("bottom", SIDES[0]), ("left", SIDES[1]), ("right", SIDES[1])] {
        let cells: Vec<usize> =
            graph.borders.iter().filter(|(border, _)| *border == NodeName::from(name)).map(|&(_, node)| node).collect();
        if cells.is_empty() {
            let message = format!("the border `{name}` has no node: write border({name}, a) for each of them");
            return Err(NoSuchGame { message });
        }
        board.borders.push(Border { name, owner: Some(owner), cells, direction: f64::NAN });
    }
    let title = "Hex on a graph: red joins top and bottom, blue left and right.";
    let rules = ["place", "first-wins", "connection", "joined", "join-wins"];
    let first = graph.first_of(&SIDES)?;
    let sheet = begun_by(Rulesheet::new(title).includes(&rules), &SIDES, first);
    let sheet = board.write(sheet).facts("joins", [["red", "top", "bottom"], ["blue", "left", "right"]]);
    Ok(graph.draw_edges(board.draw(sheet)).into_text())
}

/// Hex in n dimensions.
pub const CUBE: FamilyGame = FamilyGame {
    name: "hex-cube",
    about: "Hex in n dimensions, a player for each (Gale): opposite faces of a cube",
    form: CUBE_FORM,
    rules: |size| {
        let [side, dimensions] = [size[0], size[1]];
        if side.pow(dimensions as u32) > MOST_CELLS {
            return Err(NoSuchGame {
                message: format!("hex-cube: {side}^{dimensions} has more than {MOST_CELLS} cells"),
            });
        }
        let title = format!(
            "Hex in {dimensions} dimensions on a cube with sides of {side} cells: each player joins two opposite faces.\n\
             A cell is named by its coordinates; neighbors differ by at most 1 in each, all upwards or all downwards."
        );
        let players = &PLAYERS[..dimensions];
        let board = cube(side, players);
        let rules = ["place", "first-wins", "connection", "joined", "join-wins"];
        let sheet = board.write(roles(Rulesheet::new(&title).includes(&rules), players));
        let joins = board.borders.chunks(2).zip(players);
        let joins = joins.map(|(faces, player)| (*player, faces[0].name, faces[1].name));
        Ok(board.draw(sheet.facts("joins", joins)).into_text())
    },
    given: GameSources::Nothing,
};
