//! Pictures as text.
//!
//! Boards whose cells lie in rows can be read as text: a line for each row, with rows shifted by half a cell where
//! their cells lie between those of the next row, as hexagons do. All else (edges of graphs, tilings of several forms)
//! would be a scatter of letters, so its cells are listed by what stands there.

use crate::symbols::count;
use crate::{Figure, Geometry, Ground, LabelSide, Outline, Picture, color, legend};
use anstyle::{AnsiColor, Color, RgbColor, Style};
use std::collections::{BTreeMap, BTreeSet};

/// Spaces between boards.
const GAP: usize = 3;

/// The symbol of an empty cell.
const EMPTY: &str = ".";

/// Hundredths of a unit within which rows and columns are the same: coordinates are rounded.
const TOLERANCE: i64 = 6;

/// The least share of cells in the rectangle around them: a scatter of cells is no board.
const SPARSEST: f64 = 0.2;

/// Most names of cells in a line of a list.
const MOST_LISTED: usize = 60;

/// Pictures beside each other, as many as fit the width; with titles if there are several; then what their short forms
/// mean. With `styled`, pieces have the colors of their owners, what is new is bold, and what is lit reversed.
pub fn to_text(pictures: &[Picture], width: usize, styled: bool) -> String {
    let is_titled = pictures.len() > 1;
    let mut blocks = Vec::new();
    let mut lists = String::new();
    for picture in pictures {
        match TextRows::of(picture.geometry) {
            Some(rows) => blocks.push(rows.block(picture, is_titled, styled)),
            None => lists += &list(picture, is_titled, width),
        }
    }
    let meanings = legend(if blocks.is_empty() { &[] } else { pictures });
    let meanings: Vec<String> = meanings.iter().map(|(symbol, content)| format!("{symbol} = {content}")).collect();
    beside(&blocks, width) + &columns(&meanings, "", width) + &lists
}

/// The rows of a board.
struct TextRows {
    /// By cell: row, and column in halves of a cell.
    places: Vec<(usize, usize)>,
    rows: usize,
    halves: usize,
    is_shifted: bool,
}

impl TextRows {
    /// The rows of a board that can be read as text.
    fn of(geometry: &Geometry) -> Option<TextRows> {
        // Cells of one form: rows of a tiling of several forms touch otherwise than they seem to.
        let mut forms = geometry.cells.iter().map(|cell| match &cell.outline {
            Outline::Polygon(corners) => Some(corners.len()).filter(|corners| *corners != 3),
            Outline::Point => Some(0),
            Outline::Segment(..) => None,
        });
        let form = forms.next()??;
        if !forms.all(|other| other == Some(form)) {
            return None;
        }
        let rows = lanes(geometry.cells.iter().map(|cell| i64::from(cell.center.y)))?;
        let halves = Self::halves(geometry, &rows)?;
        let places: Vec<(usize, usize)> = rows.into_iter().zip(halves).collect();
        let distinct: BTreeSet<&(usize, usize)> = places.iter().collect();
        let (rows, halves) = places.iter().fold((0, 0), |(a, b), &(row, half)| (a.max(row + 1), b.max(half + 1)));
        let mut sides: BTreeMap<usize, usize> = BTreeMap::new();
        let straight = places.iter().all(|(row, half)| *sides.entry(*row).or_insert(half % 2) == half % 2);
        let is_dense = places.len() as f64 >= SPARSEST * (rows * halves.div_ceil(2)) as f64;
        let is_shifted = places.iter().any(|(_, half)| half % 2 == 1);
        (straight && is_dense && distinct.len() == places.len()).then_some(TextRows {
            places,
            rows,
            halves,
            is_shifted,
        })
    }

    /// By cell: its column in halves of the least distance within a row.
    fn halves(geometry: &Geometry, rows: &[usize]) -> Option<Vec<usize>> {
        let xs = || geometry.cells.iter().map(|cell| i64::from(cell.center.x));
        let mut sorted: Vec<(usize, i64)> = rows.iter().copied().zip(xs()).collect();
        sorted.sort_unstable();
        let pairs = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let step = pairs.map(|pair| pair[1].1 - pair[0].1).min().unwrap_or(i64::from(crate::UNIT)) as f64;
        let left = xs().min()?;
        let half = |x: i64| {
            let exact = 2.0 * (x - left) as f64 / step;
            let off = (exact - exact.round()).abs() * step / 2.0;
            (step > 0.0 && off <= TOLERANCE as f64).then_some(exact.round() as usize)
        };
        xs().map(half).collect()
    }

    fn block(&self, picture: &Picture, is_titled: bool, styled: bool) -> TextBlock {
        let geometry = picture.geometry;
        let labels = |wanted: LabelSide| {
            let of_side = geometry.labels.iter().filter(move |label| label.side == wanted);
            of_side.filter_map(|label| Some((*self.places.get(label.cell)?, &*label.text)))
        };
        let shown: Vec<String> = picture.figures.iter().map(|figure| symbol(picture, figure)).collect();
        let above = labels(LabelSide::Above).chain(labels(LabelSide::Below)).map(|(_, text)| count(text));
        let wide = shown.iter().map(|text| count(text)).chain(above).max().unwrap_or(1);
        // Half a cell is a whole number of characters.
        let pitch = if self.is_shifted { (wide + 1).next_multiple_of(2) } else { wide + 1 };
        let is_marked = picture.figures.iter().any(|figure| figure.ground == Ground::Lit);
        let margin = labels(LabelSide::Left).map(|(_, text)| count(text)).max().unwrap_or(0);
        let framed = !self.is_shifted && margin > 0 && labels(LabelSide::Below).next().is_some();
        let start = if framed { margin + 3 } else { margin + usize::from(margin > 0) };
        let full = start + self.halves.saturating_sub(1) * pitch / 2 + wide + usize::from(is_marked);

        let mut block = TextBlock { width: full, lines: Vec::new() };
        if is_titled {
            block.width = full.max(count(&picture.title));
            block.push(LineBuffer::plain(&picture.title));
        }
        let names = |side: LabelSide| {
            let mut named: Vec<(usize, &str)> = labels(side).map(|((_, half), text)| (half, text)).collect();
            named.sort_unstable();
            let mut line = LineBuffer::default();
            named.into_iter().for_each(|(half, text)| {
                line.put(start + half * pitch / 2 + wide - count(text).min(wide), text, Style::new())
            });
            line
        };
        if labels(LabelSide::Above).next().is_some() {
            block.push(names(LabelSide::Above));
        }
        let mut cells: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.rows];
        self.places.iter().enumerate().for_each(|(cell, &(row, half))| cells[row].push((half, cell)));
        let lefts: BTreeMap<usize, (usize, &str)> =
            labels(LabelSide::Left).map(|((row, half), text)| (row, (half, text))).collect();
        for (row, mut cells) in cells.into_iter().enumerate() {
            cells.sort_unstable();
            let mut line = LineBuffer::default();
            if let Some((half, text)) = lefts.get(&row) {
                let shift = if framed { 0 } else { half * pitch / 2 };
                line.put(shift + margin - count(text), text, Style::new());
            }
            if framed {
                line.put(margin + 1, "│", Style::new());
            }
            for (half, cell) in cells {
                let text = &shown[cell];
                let figure = &picture.figures[cell];
                let style = if styled { style(picture, figure) } else { Style::new() };
                if text.is_empty() {
                    continue;
                }
                let mark = if figure.ground == Ground::Lit { "*" } else { "" };
                line.put(start + half * pitch / 2 + wide - count(text), &format!("{text}{mark}"), style);
            }
            block.push(line);
        }
        if framed {
            let mut line = LineBuffer::default();
            line.put(margin + 1, &format!("└{}", "─".repeat((full - start) + 1)), Style::new());
            block.push(line);
        }
        if labels(LabelSide::Below).next().is_some() {
            block.push(names(LabelSide::Below));
        }
        block
    }
}

/// The numbers of the lanes that these coordinates lie in, lanes being as far apart as the nearest two, or a multiple
/// of that; `None` if they are not.
fn lanes(coordinates: impl Iterator<Item = i64> + Clone) -> Option<Vec<usize>> {
    let mut sorted: Vec<i64> = coordinates.clone().collect();
    sorted.sort_unstable();
    let mut starts: Vec<i64> = Vec::new();
    for at in sorted {
        if starts.last().is_none_or(|last| at - last > TOLERANCE) {
            starts.push(at);
        }
    }
    let step = starts.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(1);
    let mut numbers = vec![0];
    for pair in starts.windows(2) {
        let times = (pair[1] - pair[0] + step / 2) / step;
        if (pair[1] - pair[0] - times * step).abs() > TOLERANCE * times {
            return None;
        }
        numbers.push(numbers[numbers.len() - 1] + times as usize);
    }
    Some(coordinates.map(|at| numbers[starts.partition_point(|start| *start <= at) - 1]).collect())
}

/// The text of a cell.
fn symbol(picture: &Picture, figure: &Figure) -> String {
    match (picture.written(figure), picture.owner(figure), figure.ground) {
        (Some(text), ..) => text.to_owned(),
        (None, Some(owner), _) => owner.symbol.clone(),
        (None, None, Ground::Absent) => String::new(),
        (None, None, _) => EMPTY.to_owned(),
    }
}

fn style(picture: &Picture, figure: &Figure) -> Style {
    let owner = picture.owner(figure);
    let style = match figure.ground {
        Ground::Heat(level) if owner.is_none() => {
            let [red, green, blue] = color::heat(level);
            let black = Color::Ansi(AnsiColor::Black);
            return Style::new().fg_color(Some(black)).bg_color(Some(Color::Rgb(RgbColor(red, green, blue))));
        }
        Ground::Lit => Style::new().invert(),
        _ => Style::new(),
    };
    match owner {
        Some(owner) => style.fg_color(owner.color.ansi().map(Color::Ansi)).bold(),
        None if figure.is_new => style.bold(),
        None if picture.written(figure).is_none() => style.dimmed(),
        None => style,
    }
}

/// A line under way.
#[derive(Default)]
struct LineBuffer {
    text: String,
    /// Characters that show.
    width: usize,
}

impl LineBuffer {
    fn plain(text: &str) -> LineBuffer {
        LineBuffer { text: text.to_owned(), width: count(text) }
    }

    /// Appends a text at a column that is not filled.
    fn put(&mut self, column: usize, text: &str, style: Style) {
        let spaces = column.saturating_sub(self.width);
        self.text += &format!("{}{style}{text}{style:#}", " ".repeat(spaces));
        self.width += spaces + count(text);
    }
}

/// Lines of a board.
struct TextBlock {
    width: usize,
    lines: Vec<LineBuffer>,
}

impl TextBlock {
    fn push(&mut self, line: LineBuffer) {
        self.lines.push(line);
    }
}

/// Boards beside each other, as many as fit.
fn beside(blocks: &[TextBlock], width: usize) -> String {
    let mut text = String::new();
    let mut rest = blocks;
    while let Some(first) = rest.first() {
        let mut taken = 1;
        let mut used = first.width;
        while let Some(next) = rest.get(taken).filter(|next| used + GAP + next.width <= width) {
            (taken, used) = (taken + 1, used + GAP + next.width);
        }
        let (row, after) = rest.split_at(taken);
        for number in 0..row.iter().map(|block| block.lines.len()).max().unwrap_or(0) {
            let mut line = LineBuffer::default();
            let mut left = 0;
            for block in row {
                if let Some(of_block) = block.lines.get(number) {
                    line.text += &format!("{}{}", " ".repeat(left - line.width), of_block.text);
                    line.width = left + of_block.width;
                }
                left += block.width + GAP;
            }
            text += line.text.trim_end();
            text.push('\n');
        }
        rest = after;
    }
    text
}

/// Texts in columns as wide as the widest, column by column, with `indent` before each line.
pub fn columns(texts: &[String], indent: &str, width: usize) -> String {
    let wide = texts.iter().map(|text| count(text)).max().unwrap_or(0);
    let fit = width.saturating_sub(count(indent)).saturating_add(GAP) / (wide + GAP);
    let lines = texts.len().div_ceil(fit.max(1));
    let mut text = String::new();
    for line in 0..lines {
        let of_line = texts.iter().skip(line).step_by(lines);
        let padded = of_line.map(|entry| format!("{entry}{}", " ".repeat(wide + GAP - count(entry))));
        text += format!("{indent}{}", padded.collect::<String>()).trim_end();
        text.push('\n');
    }
    text
}

/// The names of cells by what stands there, owners first; then of the empty ones.
fn list(picture: &Picture, is_titled: bool, width: usize) -> String {
    let mut by_content: BTreeMap<(usize, &str), Vec<String>> = BTreeMap::new();
    for (cell, figure) in picture.cells() {
        let of_all = picture.geometry.owners.len();
        let key = match (figure.owner, &*figure.content) {
            (Some(owner), content) => (owner, content),
            (None, "") if figure.ground == Ground::Absent => continue,
            (None, "") => (of_all + 1, "empty"),
            (None, content) => (of_all, content),
        };
        let mark = if figure.ground == Ground::Lit || figure.is_new { "*" } else { "" };
        by_content.entry(key).or_default().push(format!("{}{mark}", cell.name));
    }
    let mut text = if is_titled { format!("{}\n", picture.title) } else { String::new() };
    for ((_, content), cells) in by_content {
        text += &format!("{content} ({})\n", cells.len());
        text += &columns(&cells[..cells.len().min(MOST_LISTED)], "  ", width);
        if cells.len() > MOST_LISTED {
            text += "  …\n";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_width() {
        let texts: Vec<String> = ["a", "bb", "c", "dd", "e"].map(String::from).into();
        assert_eq!(columns(&texts, "  ", 12), "  a    dd\n  bb   e\n  c\n");
        assert_eq!(columns(&texts, "", 1).lines().count(), 5);
        assert_eq!(columns(&[], "", 10), "");
    }
}
