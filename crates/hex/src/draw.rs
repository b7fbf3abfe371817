//! A position as a picture: for the terminal, or as SVG; plain with marked cells, or as a heat map that shows for each
//! empty cell how much it matters.

use super::board::{Board, Cell, Player, column_name};
use super::hexagon::{HexagonBoard, LabelSide, Neighbor};
use super::position::Position;
use super::position::text::stone_letter;
use anstyle::{AnsiColor, Color, RgbColor, Style};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// The board as a rhombus with column letters and row numbers. A marked cell has a `*` behind it; with `color` stones
/// are colored and marked cells reversed besides.
pub fn to_text(position: &Position, marked: &[Cell], color: bool) -> String {
    let is_marked = marks(position.board(), marked);
    rhombus(position.board(), |cell| {
        let stone = position.stone(cell);
        let marked = is_marked[cell.index()];
        let style = if marked { style(stone).invert() } else { style(stone) };
        (stone_letter(stone), if marked { "*" } else { "" }, if color { style } else { Style::new() })
    })
}

/// The same board with a digit in each empty cell, from 0 for no heat to 9 for the most; with `color` on warm ground.
/// `heat` is by [`Cell::index`], from 0 to 1; a cell without has a `.`, as in plain pictures.
pub fn heat_to_text(position: &Position, heat: &[Option<f64>], color: bool) -> String {
    rhombus(position.board(), |cell| {
        let stone = position.stone(cell);
        let (symbol, style) = match level(heat, cell) {
            Some(level) if stone.is_none() => (digit(level), warm(level)),
            _ => (stone_letter(stone), style(stone)),
        };
        (symbol, "", if color { style } else { Style::new() })
    })
}

/// `draw` gives a cell's letter, the mark behind it (none, or one character), and their style.
fn rhombus(board: Board, draw: impl Fn(Cell) -> (char, &'static str, Style)) -> String {
    let last_name = column_name(board.width() - 1);
    // Each row is shifted by half a cell, so a cell is an even number of characters wide.
    let cell_width = if last_name.len() == 1 { 2 } else { 4 };
    let margin = board.height().to_string().len() + 1;

    let mut text = " ".repeat(margin);
    for column in 0..board.width() {
        let _ = write!(text, "{:<cell_width$}", column_name(column));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    for row in 0..board.height() {
        let shift = row * cell_width / 2;
        let mut line = format!("{:shift$}{:>width$} ", "", row + 1, width = margin - 1);
        for column in 0..board.width() {
            let Some(cell) = board.cell(column, row) else { continue };
            let (letter, mark, style) = draw(cell);
            let _ = write!(line, "{style}{letter}{mark}{style:#}");
            line.extend(std::iter::repeat_n(' ', cell_width - 1 - mark.len()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn style(stone: Option<Player>) -> Style {
    match stone {
        Some(Player::Red) => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold(),
        Some(Player::Blue) => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Blue))).bold(),
        None => Style::new().dimmed(),
    }
}

/// The number of shades of heat.
const LEVELS: u8 = 10;

/// The shade of a cell, from 0.
fn level(heat: &[Option<f64>], cell: Cell) -> Option<u8> {
    heat[cell.index()].map(|heat| (heat.clamp(0.0, 1.0) * f64::from(LEVELS - 1)).round() as u8)
}

fn digit(level: u8) -> char {
    char::from(b'0' + level)
}

/// The color of a shade: from the board's own to a strong orange.
fn shade(level: u8) -> [u8; 3] {
    const COLD: [u8; 3] = [0xf4, 0xef, 0xe4];
    const HOT: [u8; 3] = [0xe6, 0x7a, 0x00];
    let part = f64::from(level) / f64::from(LEVELS - 1);
    std::array::from_fn(|i| (f64::from(COLD[i]) * (1.0 - part) + f64::from(HOT[i]) * part).round() as u8)
}

fn warm(level: u8) -> Style {
    let [red, green, blue] = shade(level);
    let black = Color::Ansi(AnsiColor::Black);
    Style::new().fg_color(Some(black)).bg_color(Some(Color::Rgb(RgbColor(red, green, blue))))
}

fn marks<B: HexagonBoard>(board: B, marked: &[Cell]) -> Vec<bool> {
    let mut is_marked = vec![false; board.cell_count()];
    marked.iter().for_each(|cell| is_marked[cell.index()] = true);
    is_marked
}

/// Half the width and a quarter of the height of a hexagon with its point up: √3/2 and 1/2 of its side.
const SIDE: f64 = 20.0;
const HALF_WIDTH: f64 = 17.320_508_075_688_775;
const QUARTER: f64 = SIDE / 2.0;
const MARGIN: f64 = 30.0;

/// The middle or a corner of a hexagon: half widths and quarter heights from the middle of one at the place (0, 0). The
/// corner that hexagons share is the same point for each of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    right: isize,
    down: isize,
}

impl Point {
    fn center<B: HexagonBoard>(board: B, cell: Cell) -> Point {
        let (right, row) = board.place(cell);
        Point { right: right as isize, down: 3 * row as isize }
    }

    /// The corners of the hexagon around this center, clockwise from the top.
    fn corners(self) -> [Point; 6] {
        [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)]
            .map(|(right, down)| Point { right: self.right + right, down: self.down + down })
    }

    fn coordinates(self) -> (f64, f64) {
        (MARGIN + HALF_WIDTH * (self.right + 1) as f64, MARGIN + QUARTER * (self.down + 2) as f64)
    }
}

/// Points as SVG lists them.
fn list(points: &[Point]) -> String {
    let point = |point: &Point| {
        let (x, y) = point.coordinates();
        format!("{x:.1},{y:.1}")
    };
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

/// The middle of a cell.
pub(super) fn center<B: HexagonBoard>(board: B, cell: Cell) -> (f64, f64) {
    Point::center(board, cell).coordinates()
}

/// The corners of a cell, as SVG lists points.
pub(super) fn outline<B: HexagonBoard>(board: B, cell: Cell) -> String {
    list(&Point::center(board, cell).corners())
}

/// The board as hexagons, a picture for itself or for inside a page: red edges above and below, blue ones left and
/// right, marked cells highlighted. Text takes the color of what is around it.
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
    let is_marked = marks(board, marked);
    let (lit, plain): (Vec<Cell>, Vec<Cell>) = board.cells().partition(|cell| is_marked[cell.index()]);
    svg(board, stone, title, &[(plain, "#f4efe4".to_owned()), (lit, "#ffd54a".to_owned())], |_| None)
}

fn title(position: &Position) -> String {
    format!("{}, {}", position.name.as_deref().unwrap_or("Hex position"), position.board())
}

/// The same board with warm empty cells; `heat` as in [`heat_to_text`]. The title says `what` is shown, too.
pub fn heat_to_svg(position: &Position, heat: &[Option<f64>], what: &str) -> String {
    let level = |cell: Cell| level(heat, cell).filter(|_| position.stone(cell).is_none());
    let shades: Vec<(Vec<Cell>, String)> = (0..LEVELS)
        .map(|shown| {
            let [red, green, blue] = shade(shown);
            let cells = position.board().cells().filter(|&cell| level(cell).unwrap_or(0) == shown);
            (cells.collect(), format!("#{red:02x}{green:02x}{blue:02x}"))
        })
        .collect();
    let title = format!("{}: {what}", title(position));
    svg(position.board(), |cell| position.stone(cell), &title, &shades, |cell| level(cell).map(digit))
}

/// `ground` says which cells have which color, `label` what is written on a cell.
fn svg<B: HexagonBoard>(
    board: B,
    stone: impl Fn(Cell) -> Option<Player>,
    title: &str,
    ground: &[(Vec<Cell>, String)],
    label: impl Fn(Cell) -> Option<char>,
) -> String {
    let places = || board.cells().map(|cell| Point::center(board, cell));
    let last = Point {
        right: places().map(|place| place.right).max().unwrap_or(0) + 1,
        down: places().map(|place| place.down).max().unwrap_or(0) + 2,
    };
    let (width, height) = last.coordinates();
    let (width, height) = (width + MARGIN, height + MARGIN);

    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" role="img">"#
    );
    let _ = writeln!(svg, "\n<title>{}</title>", escape(title));
    edges(&mut svg, board);
    for (cells, fill) in ground {
        hexagons(&mut svg, board, cells, fill);
    }
    for (player, fill) in [(Player::Red, RED), (Player::Blue, BLUE)] {
        let _ = writeln!(svg, r##"<g fill="{fill}" stroke="#222" stroke-width="0.8">"##);
        for cell in board.cells().filter(|&cell| stone(cell) == Some(player)) {
            let (x, y) = center(board, cell);
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{:.1}"/>"#, HALF_WIDTH * 0.68);
        }
        svg.push_str("</g>\n");
    }
    let written = board.cells().filter_map(|cell| Some((center(board, cell), label(cell)?)));
    texts(&mut svg, "#222", written);
    labels(&mut svg, board);
    svg.push_str("</svg>\n");
    svg
}

const RED: &str = "#cf3a2f";
const BLUE: &str = "#2f62c4";

/// Each edge as one broad line, of which the cells cover the inner half.
fn edges<B: HexagonBoard>(svg: &mut String, board: B) {
    for (owner, points) in border(board) {
        let color = match owner {
            Player::Red => RED,
            Player::Blue => BLUE,
        };
        let _ = writeln!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{color}" stroke-width="9" stroke-linejoin="round"/>"#,
            list(&points)
        );
    }
}

/// The border of the board, clockwise, as one line for each run of sides with the same owner.
fn border<B: HexagonBoard>(board: B) -> Vec<(Player, Vec<Point>)> {
    // By the point at which it begins, each side that faces an edge: where it ends, and the owner.
    let mut sides: BTreeMap<Point, (Point, Player)> = BTreeMap::new();
    for cell in board.cells() {
        let corners = Point::center(board, cell).corners();
        for (i, next) in board.ring(cell).into_iter().enumerate() {
            if let Neighbor::Edge(owner) = next {
                // The ring begins at the right, the corners at the top.
                sides.insert(corners[(i + 1) % 6], (corners[(i + 2) % 6], owner));
            }
        }
    }
    let owners_before: BTreeMap<Point, Player> = sides.values().copied().collect();
    let is_start = |(from, (_, owner)): &(&Point, &(Point, Player))| owners_before.get(from) != Some(owner);
    let mut starts: Vec<Point> = sides.iter().filter(is_start).map(|(&from, _)| from).collect();
    // Red below Blue where they meet.
    starts.sort_by_key(|start| sides[start].1);
    let line = |start: Point| {
        let (mut at, owner) = sides[&start];
        let mut points = vec![start, at];
        while let Some(&(next, _)) = sides.get(&at).filter(|(_, next)| *next == owner) {
            points.push(next);
            at = next;
        }
        (owner, points)
    };
    starts.into_iter().map(line).collect()
}

fn hexagons<B: HexagonBoard>(svg: &mut String, board: B, cells: &[Cell], fill: &str) {
    if cells.is_empty() {
        return;
    }
    let _ = write!(svg, r##"<path fill="{fill}" stroke="#8d8674" stroke-width="1" d=""##);
    for &cell in cells {
        for (i, corner) in Point::center(board, cell).corners().into_iter().enumerate() {
            let (x, y) = corner.coordinates();
            let _ = write!(svg, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
        }
        svg.push('Z');
    }
    svg.push_str("\"/>\n");
}

/// The names of columns and rows beside the board.
fn labels<B: HexagonBoard>(svg: &mut String, board: B) {
    let beside = board.labels().into_iter().map(|(cell, side, name)| {
        let (x, y) = center(board, cell);
        match side {
            LabelSide::Above => ((x, y - SIDE - 9.0), name),
            LabelSide::Left => ((x - HALF_WIDTH - 15.0, y), name),
        }
    });
    texts(svg, "currentColor", beside);
}

/// Short texts, each in the middle of a place.
fn texts<T: Display>(svg: &mut String, fill: &str, texts: impl Iterator<Item = ((f64, f64), T)>) {
    let mut texts = texts.peekable();
    if texts.peek().is_none() {
        return;
    }
    let _ =
        writeln!(svg, r#"<g fill="{fill}" font-family="system-ui, sans-serif" font-size="12" text-anchor="middle">"#);
    for ((x, y), text) in texts {
        let _ = writeln!(svg, r#"<text x="{x:.1}" y="{:.1}">{text}</text>"#, y + 4.0);
    }
    svg.push_str("</g>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
