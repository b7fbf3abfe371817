//! A position as a picture: plain with marked cells, or as a heat map that shows for each empty cell how much it
//! matters.

use super::board::{Cell, Player};
use super::hexagon::{HexagonBoard, Neighbor};
use super::position::Position;
use ludolog_picture::{
    BoardLine, Figure, Geometry, Ground, Outline, Picture, PictureLabel, PicturePoint, Weight, owners, svg, text,
};
use ludolog_syntax::ColdSort;
use std::collections::BTreeMap;

/// The board as a rhombus with column letters and row numbers. A marked cell has a `*` behind it; with `color` stones
/// are colored and marked cells reversed besides.
pub fn to_text(position: &Position, marked: &[Cell], color: bool) -> String {
    let geometry = geometry(position.board());
    let picture = picture(position.board(), &geometry, |cell| position.stone(cell), title(position), marked);
    text::to_text(&[picture], usize::MAX, color)
}

/// The same board with a digit in each empty cell, from 0 for no heat to 9 for the most; with `color` on warm ground.
/// `heat` is by [`Cell::index`], from 0 to 1; a cell without has a `.`, as in plain pictures.
pub fn heat_to_text(position: &Position, heat: &[Option<f64>], color: bool) -> String {
    let geometry = geometry(position.board());
    text::to_text(&[heat_picture(position, &geometry, heat, title(position))], usize::MAX, color)
}

/// The board as hexagons, a picture for itself or for inside a page: red edges above and below, blue ones left and
/// right, marked cells highlighted.
pub fn to_svg(position: &Position, marked: &[Cell]) -> String {
    board_to_svg(position.board(), |cell| position.stone(cell), &title(position), marked)
}

/// The same picture of any board of hexagons.
pub fn board_to_svg<B: HexagonBoard>(
    board: B,
    stone: impl Fn(Cell) -> Option<Player>,
    title: &str,
    marked: &[Cell],
) -> String {
    svg::to_svg(&picture(board, &geometry(board), stone, title.to_owned(), marked))
}

/// The same board with warm empty cells; `heat` as in [`heat_to_text`]. The title says `what` is shown, too.
pub fn heat_to_svg(position: &Position, heat: &[Option<f64>], what: &str) -> String {
    let title = format!("{}: {what}", title(position));
    svg::to_svg(&heat_picture(position, &geometry(position.board()), heat, title))
}

fn title(position: &Position) -> String {
    format!("{}, {}", position.name.as_deref().unwrap_or("Hex position"), position.board())
}

/// A board of hexagons, whose cells are in their order.
pub fn geometry<B: HexagonBoard>(board: B) -> Geometry {
    let hexagon = |cell| ludolog_picture::PictureCell::hexagon(board.place(cell), board.cell_name(cell));
    let cells: Vec<_> = board.cells().map(hexagon).collect();
    let label = |(cell, side, text): (Cell, _, _)| PictureLabel { cell: cell.index(), side, text };
    let labels = board.labels().into_iter().map(label).collect();
    let lines = border(board, &cells);
    Geometry { cells, lines, labels, owners: owners(Player::BOTH.map(Player::name)) }
}

fn picture<'g, B: HexagonBoard>(
    board: B,
    geometry: &'g Geometry,
    stone: impl Fn(Cell) -> Option<Player>,
    title: String,
    marked: &[Cell],
) -> Picture<'g> {
    let mut picture = Picture::new(geometry, title);
    for (cell, figure) in board.cells().zip(&mut picture.figures) {
        if let Some(player) = stone(cell) {
            *figure = Figure { content: player.name().to_owned(), owner: Some(player as usize), ..Figure::default() };
        }
    }
    marked.iter().for_each(|cell| picture.figures[cell.index()].ground = Ground::Lit);
    picture
}

fn heat_picture<'g>(position: &Position, geometry: &'g Geometry, heat: &[Option<f64>], title: String) -> Picture<'g> {
    let mut picture = picture(position.board(), geometry, |cell| position.stone(cell), title, &[]);
    for (figure, heat) in picture.figures.iter_mut().zip(heat) {
        if let (None, Some(heat)) = (figure.owner, heat) {
            *figure = Figure::of_heat(*heat);
        }
    }
    picture
}

/// The border of the board, clockwise, as one line for each run of sides with the same owner.
fn border<B: HexagonBoard>(board: B, cells: &[ludolog_picture::PictureCell]) -> Vec<BoardLine> {
    // By the point at which it begins, each side that faces an edge: where it ends, and the owner.
    let mut sides: BTreeMap<PicturePoint, (PicturePoint, Player)> = BTreeMap::new();
    for (cell, drawn) in board.cells().zip(cells) {
        let Outline::Polygon(corners) = &drawn.outline else { continue };
        for (i, next) in board.ring(cell).into_iter().enumerate() {
            if let Neighbor::Edge(owner) = next {
                // The ring begins at the right, the corners at the top.
                sides.insert(corners[(i + 1) % 6], (corners[(i + 2) % 6], owner));
            }
        }
    }
    let owners_before: BTreeMap<PicturePoint, Player> = sides.values().copied().collect();
    let is_start =
        |(from, (_, owner)): &(&PicturePoint, &(PicturePoint, Player))| owners_before.get(from) != Some(owner);
    let mut starts: Vec<PicturePoint> = sides.iter().filter(is_start).map(|(&from, _)| from).collect();
    // Red below Blue where they meet.
    starts.cold_sort_by_key(|start| sides[start].1);
    let line = |start: PicturePoint| {
        let (mut at, owner) = sides[&start];
        let mut points = vec![start, at];
        while let Some(&(next, _)) = sides.get(&at).filter(|(_, next)| *next == owner) {
            points.push(next);
            at = next;
        }
        BoardLine { points, owner: Some(owner as usize), weight: Weight::Border }
    };
    starts.into_iter().map(line).collect()
}
