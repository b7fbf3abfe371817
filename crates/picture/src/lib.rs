//! Pictures of boards: hexagons, triangles, squares, graphs and tilings.
//!
//! A [`Geometry`] is all that the pictures of one board share: cells in the plane, lines, labels, and the owners of
//! pieces with their colors. A [`Picture`] adds a [`Figure`] for each cell: what stands there. Both are plain data;
//! whoever knows a game makes them, and this crate draws them.
//!
//! * [`mod@svg`]: one style for all boards.
//! * [`text`]: boards whose cells lie in rows, straight or shifted by half a cell; others as lists by owner.
//! * [`color`]: colors that the color-blind can tell apart.
//! * [`page`]: one head and style for all pages with boards, tables and plots.
//! * [`symbols`]: short forms of what stands on cells.
//!
//! ```
//! use ludolog_picture::{Figure, Geometry, Picture, owners, text};
//!
//! let board = Geometry::squares(3, 2, owners(["red", "blue"]));
//! let mut picture = Picture::new(&board, "a stone in a corner");
//! picture.figures[0] = Figure { content: "red".to_owned(), owner: Some(0), ..Figure::default() };
//! assert_eq!(text::to_text(&[picture], 80, false), "R . .\n. . .\n");
//! ```

pub mod color;
pub mod page;
pub mod svg;
pub mod symbols;
pub mod text;

#[cfg(test)]
mod tests;

use color::Color;
use std::collections::{BTreeMap, BTreeSet};

/// Hundredths in a unit, the distance of neighbors on a common board.
pub const UNIT: i32 = 100;

/// A point of the plane in hundredths of a unit, to the right and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PicturePoint {
    /// To the right.
    pub x: i32,
    /// Down.
    pub y: i32,
}

impl PicturePoint {
    /// The point at this place.
    pub const fn new(x: i32, y: i32) -> PicturePoint {
        PicturePoint { x, y }
    }

    fn distance(self, other: PicturePoint) -> f64 {
        let [x, y] = [(self.x, other.x), (self.y, other.y)].map(|(a, b)| f64::from(a) - f64::from(b));
        x.hypot(y)
    }
}

/// The form of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outline {
    /// A polygon with these corners, in order around it.
    Polygon(Vec<PicturePoint>),
    /// A point, drawn as a small circle.
    Point,
    /// A line between two points, as an edge of a graph.
    Segment(PicturePoint, PicturePoint),
}

/// A place where something may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureCell {
    /// The name of the cell.
    pub name: String,
    /// Its middle.
    pub center: PicturePoint,
    /// Its form.
    pub outline: Outline,
}

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Broad, and below the cells: a side of the board that belongs to an owner.
    Border,
    /// Above the cells.
    Thin,
    /// Above the cells, stronger.
    Thick,
}

/// A line of the board through two points or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardLine {
    /// The points, in order.
    pub points: Vec<PicturePoint>,
    /// The number of the owner, who gives it its color; none for a plain line.
    pub owner: Option<usize>,
    /// Its style.
    pub weight: Weight,
}

/// The side of a cell on which a label stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelSide {
    /// Above the cell.
    Above,
    /// Below the cell.
    Below,
    /// To the left of the cell.
    Left,
}

/// A short text beside a cell, as the name of its row or column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureLabel {
    /// The number of the cell.
    pub cell: usize,
    /// Its place.
    pub side: LabelSide,
    /// The text.
    pub text: String,
}

/// A role, or whatever else pieces and lines may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The name.
    pub name: String,
    /// Its short form in pictures made of text.
    pub symbol: String,
    /// The color.
    pub color: Color,
}

impl Owner {
    /// Whether the color tells the name, or there is none to tell.
    fn is_told(&self) -> bool {
        self.name.is_empty() || Color::named(&self.name) == Some(self.color)
    }
}

/// Owners of these names. A name that is a color has that color, the others take turns among the colors left; symbols
/// are all different.
pub fn owners<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Vec<Owner> {
    let names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
    let named: Vec<Option<Color>> = names.iter().map(|name| Color::named(name)).collect();
    let mut turns = color::TURNS.into_iter().filter(|color| !named.contains(&Some(*color))).collect::<Vec<_>>();
    if turns.is_empty() {
        turns.extend(color::TURNS);
    }
    let mut turns = turns.into_iter().cycle();
    let distinct: BTreeSet<String> = names.iter().cloned().collect();
    let short = symbols::initials(&distinct);
    let owner = |(name, color): (String, Option<Color>)| Owner {
        symbol: short.get(&name).unwrap_or(&name).to_uppercase(),
        color: color.or_else(|| turns.next()).unwrap_or(Color::Blue),
        name,
    };
    names.into_iter().zip(named).map(owner).collect()
}

/// All that the pictures of one board share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// The cells.
    pub cells: Vec<PictureCell>,
    /// The lines, drawn in order.
    pub lines: Vec<BoardLine>,
    /// The labels beside cells.
    pub labels: Vec<PictureLabel>,
    /// The owners of pieces and lines.
    pub owners: Vec<Owner>,
}

impl Geometry {
    /// A board of squares without labels, row by row from the top.
    pub fn squares(columns: usize, rows: usize, owners: Vec<Owner>) -> Geometry {
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cells =
            places.map(|place| PictureCell::square(place, format!("{},{}", place.0 + 1, place.1 + 1))).collect();
        Geometry { cells, owners, ..Geometry::default() }
    }
}

impl PictureCell {
    /// The square of a column and a row, counted from the left and from the top.
    pub fn square((column, row): (usize, usize), name: String) -> PictureCell {
        let half = UNIT / 2;
        let center = PicturePoint::new(column as i32 * UNIT + half, row as i32 * UNIT + half);
        let corner = |(right, down)| PicturePoint::new(center.x + right * half, center.y + down * half);
        let corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)].map(corner);
        PictureCell { name, center, outline: Outline::Polygon(corners.into()) }
    }

    /// The hexagon, a unit wide and with a corner at the top, at a place: half widths from the left, and rows from the
    /// top. Hexagons that touch share their corners.
    pub fn hexagon((right, row): (usize, usize), name: String) -> PictureCell {
        let right = right as i32;
        let down = 3 * row as i32;
        let corners = [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)];
        let corners = corners.map(|(x, y)| hexagonal(right + x, down + y));
        PictureCell { name, center: hexagonal(right, down), outline: Outline::Polygon(corners.into()) }
    }
}

/// The point so many half widths of a hexagon to the right and quarters of its height down.
fn hexagonal(right: i32, down: i32) -> PicturePoint {
    // Half the width is √3/2 of the side, a quarter of the height 1/2 of it.
    let quarter = f64::from(UNIT) / 12f64.sqrt();
    PicturePoint::new(right * UNIT / 2, (f64::from(down) * quarter).round() as i32)
}

/// The filling of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// As all others.
    #[default]
    Plain,
    /// Not on the board.
    Absent,
    /// Highlighted.
    Lit,
    /// A shade from 0 to 9, the warmest.
    Heat(u8),
    /// A pale color by its number, for a kind of content.
    Tint(usize),
}

/// The shades of heat.
pub const LEVELS: u8 = 10;

/// The content of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    /// All that is to be said of it; empty in an empty cell.
    pub content: String,
    /// Its short form, if that is another one. An owner's piece that has none shows the owner alone.
    pub symbol: Option<String>,
    /// The number of its owner.
    pub owner: Option<usize>,
    /// The filling of the cell.
    pub ground: Ground,
    /// Whether it was not there in the state before.
    pub is_new: bool,
}

impl Figure {
    /// An empty cell with a heat from 0 to 1, as a shade and as its number.
    pub fn of_heat(heat: f64) -> Figure {
        let level = (heat.clamp(0.0, 1.0) * f64::from(LEVELS - 1)).round() as u8;
        Figure { symbol: Some(level.to_string()), ground: Ground::Heat(level), ..Figure::default() }
    }
}

/// A board with what stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture<'g> {
    /// The board.
    pub geometry: &'g Geometry,
    /// The description of the picture, for whoever cannot see it.
    pub title: String,
    /// By cell: what stands there.
    pub figures: Vec<Figure>,
}

impl<'g> Picture<'g> {
    /// The empty board.
    pub fn new(geometry: &'g Geometry, title: impl Into<String>) -> Picture<'g> {
        Picture { geometry, title: title.into(), figures: vec![Figure::default(); geometry.cells.len()] }
    }

    /// Marks the figures that differ from those of the state before.
    pub fn mark_new(&mut self, before: &Picture) {
        for (figure, before) in self.figures.iter_mut().zip(&before.figures) {
            figure.is_new = figure.content != before.content;
        }
    }

    /// The cells with what stands there.
    fn cells(&self) -> impl Iterator<Item = (&'g PictureCell, &Figure)> {
        self.geometry.cells.iter().zip(&self.figures)
    }

    fn owner(&self, figure: &Figure) -> Option<&'g Owner> {
        self.geometry.owners.get(figure.owner?)
    }

    /// The text written on a piece; none if its owner says all.
    fn written<'f>(&self, figure: &'f Figure) -> Option<&'f str> {
        let text = figure.symbol.as_deref().unwrap_or(&figure.content);
        let is_owner = figure.symbol.is_none() && self.owner(figure).is_some_and(|owner| owner.name == figure.content);
        (!is_owner && !text.is_empty()).then_some(text)
    }
}

/// The short forms on pictures, with what they stand for; without those of owners whose name is their color.
pub fn legend<'p>(pictures: &'p [Picture]) -> BTreeMap<&'p str, &'p str> {
    let mut legend = BTreeMap::new();
    for picture in pictures {
        for figure in picture.figures.iter().filter(|figure| !figure.content.is_empty()) {
            match (&figure.symbol, picture.owner(figure)) {
                (Some(symbol), _) => _ = legend.insert(&**symbol, &*figure.content),
                (None, Some(owner)) if picture.written(figure).is_none() && !owner.is_told() => {
                    legend.insert(&*owner.symbol, &*owner.name);
                }
                _ => {}
            }
        }
    }
    legend
}
