//! A position as a picture: for the terminal, or as SVG.

use super::board::{Board, Cell, Player, column_name};
use super::position::Position;
use super::position::text::stone_letter;
use anstyle::{AnsiColor, Color, Style};
use std::fmt::Write;

/// The board as a rhombus with column letters and row numbers. A marked cell has a `*` behind it; with `color` stones
/// are colored and marked cells reversed besides.
pub fn to_text(position: &Position, marked: &[Cell], color: bool) -> String {
    let board = position.board();
    let is_marked = marks(board, marked);
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
            let stone = position.stone(cell);
            let marked = is_marked[cell.index()];
            let style = if color { style(stone, marked) } else { Style::new() };
            let mark = if marked { "*" } else { "" };
            let _ = write!(line, "{style}{}{mark}{style:#}", stone_letter(stone));
            line.extend(std::iter::repeat_n(' ', cell_width - 1 - mark.len()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn style(stone: Option<Player>, marked: bool) -> Style {
    let style = match stone {
        Some(Player::Red) => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold(),
        Some(Player::Blue) => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Blue))).bold(),
        None => Style::new().dimmed(),
    };
    if marked { style.invert() } else { style }
}

fn marks(board: Board, marked: &[Cell]) -> Vec<bool> {
    let mut is_marked = vec![false; board.len()];
    marked.iter().for_each(|cell| is_marked[cell.index()] = true);
    is_marked
}

/// Half the width and a quarter of the height of a hexagon with its point up: √3/2 and 1/2 of its side.
const SIDE: f64 = 20.0;
const HALF_WIDTH: f64 = 17.320_508_075_688_775;
const QUARTER: f64 = SIDE / 2.0;
const MARGIN: f64 = 30.0;

/// The six corners around a center, clockwise from the top.
#[derive(Clone, Copy)]
enum Corner {
    Top,
    UpperRight,
    LowerRight,
    Bottom,
    LowerLeft,
    UpperLeft,
}

use Corner::{Bottom, LowerLeft, LowerRight, Top, UpperLeft, UpperRight};

impl Corner {
    const ALL: [Corner; 6] = [Top, UpperRight, LowerRight, Bottom, LowerLeft, UpperLeft];

    fn around(self, (x, y): (f64, f64)) -> (f64, f64) {
        match self {
            Top => (x, y - SIDE),
            UpperRight => (x + HALF_WIDTH, y - QUARTER),
            LowerRight => (x + HALF_WIDTH, y + QUARTER),
            Bottom => (x, y + SIDE),
            LowerLeft => (x - HALF_WIDTH, y + QUARTER),
            UpperLeft => (x - HALF_WIDTH, y - QUARTER),
        }
    }
}

/// The middle of a cell. Each row is shifted by half a cell to the right of the one above.
pub(super) fn center(board: Board, cell: Cell) -> (f64, f64) {
    let (column, row) = (board.column(cell) as f64, board.row(cell) as f64);
    (MARGIN + HALF_WIDTH * (1.0 + 2.0 * column + row), MARGIN + SIDE + 1.5 * SIDE * row)
}

/// The corners of a cell, as SVG lists points.
pub(super) fn outline(board: Board, cell: Cell) -> String {
    let corners = Corner::ALL.map(|corner| corner.around(center(board, cell)));
    corners.map(|(x, y)| format!("{x:.1},{y:.1}")).join(" ")
}

/// The board as hexagons, a picture for itself or for inside a page: red edges above and below, blue ones left and
/// right, marked cells highlighted. Text takes the color of what is around it.
pub fn to_svg(position: &Position, marked: &[Cell]) -> String {
    let board = position.board();
    let is_marked = marks(board, marked);
    let (columns, rows) = (board.width() as f64, board.height() as f64);
    let width = 2.0 * MARGIN + HALF_WIDTH * (2.0 * columns + rows - 1.0);
    let height = 2.0 * MARGIN + SIDE * (1.5 * rows + 0.5);

    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" role="img">"#
    );
    let title = position.name.as_deref().unwrap_or("Hex position");
    let _ = writeln!(svg, "\n<title>{}, {board}</title>", escape(title));
    edges(&mut svg, board);

    let (lit, plain): (Vec<Cell>, Vec<Cell>) = board.cells().partition(|cell| is_marked[cell.index()]);
    hexagons(&mut svg, board, &plain, "#f4efe4");
    hexagons(&mut svg, board, &lit, "#ffd54a");
    for (player, fill) in [(Player::Red, RED), (Player::Blue, BLUE)] {
        let _ = writeln!(svg, r##"<g fill="{fill}" stroke="#222" stroke-width="0.8">"##);
        for cell in position.stones_of(player) {
            let (x, y) = center(board, cell);
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{:.1}"/>"#, HALF_WIDTH * 0.68);
        }
        svg.push_str("</g>\n");
    }
    labels(&mut svg, board);
    svg.push_str("</svg>\n");
    svg
}

const RED: &str = "#cf3a2f";
const BLUE: &str = "#2f62c4";

/// Each edge as one broad line, of which the cells cover the inner half.
fn edges(svg: &mut String, board: Board) {
    let (last_column, last_row) = (board.width() - 1, board.height() - 1);
    let along_row = |row| (0..=last_column).filter_map(move |column| board.cell(column, row));
    let along_column = |column| (0..=last_row).filter_map(move |row| board.cell(column, row));
    let sides: [(&str, Vec<Cell>, &[Corner]); 4] = [
        (RED, along_row(0).collect(), &[UpperLeft, Top, UpperRight]),
        (RED, along_row(last_row).collect(), &[LowerLeft, Bottom, LowerRight]),
        (BLUE, along_column(0).collect(), &[UpperLeft, LowerLeft]),
        (BLUE, along_column(last_column).collect(), &[UpperRight, LowerRight]),
    ];
    for (color, cells, corners) in sides {
        let points: Vec<String> = cells
            .into_iter()
            .flat_map(|cell| corners.iter().map(move |corner| corner.around(center(board, cell))))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{color}" stroke-width="9" stroke-linejoin="round"/>"#,
            points.join(" ")
        );
    }
}

fn hexagons(svg: &mut String, board: Board, cells: &[Cell], fill: &str) {
    if cells.is_empty() {
        return;
    }
    let _ = write!(svg, r##"<path fill="{fill}" stroke="#8d8674" stroke-width="1" d=""##);
    for &cell in cells {
        for (i, corner) in Corner::ALL.into_iter().enumerate() {
            let (x, y) = corner.around(center(board, cell));
            let _ = write!(svg, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
        }
        svg.push('Z');
    }
    svg.push_str("\"/>\n");
}

fn labels(svg: &mut String, board: Board) {
    svg.push_str(r#"<g fill="currentColor" font-family="system-ui, sans-serif" font-size="12" text-anchor="middle">"#);
    svg.push('\n');
    let top = (0..board.width()).filter_map(|column| Some((board.cell(column, 0)?, column_name(column), (0.0, -1.0))));
    let left = (0..board.height()).filter_map(|row| Some((board.cell(0, row)?, (row + 1).to_string(), (-1.0, 0.0))));
    for (cell, label, (right, down)) in top.chain(left) {
        let (x, y) = center(board, cell);
        let (x, y) = (x + right * (HALF_WIDTH + 15.0), y + down * (SIDE + 9.0) + 4.0);
        let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}">{label}</text>"#);
    }
    svg.push_str("</g>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
