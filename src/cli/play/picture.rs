//! States as text: boards with their coordinates, and lists in columns.

use crate::cli::table;
use anstyle::Style;
use ludolog::game::grid::{Board, Layout};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use std::collections::{BTreeMap, BTreeSet};

/// The width of pictures where the terminal does not say it.
const WIDTH: usize = 100;

/// Longest texts of cells that are shown as they are, in characters.
const SHORT: usize = 2;

/// Spaces between columns and between boards.
const GAP: usize = 3;

/// Most lines of facts below boards, and without boards.
const MOST_LINES: [usize; 2] = [12, 40];

/// How the states of a game are drawn.
pub struct Picture {
    layout: Layout,
    /// The short form of each text that is too long for a cell.
    short: BTreeMap<String, String>,
    /// By board, the widest cell, so that boards keep their width.
    wide: BTreeMap<String, usize>,
    syntax: Syntax,
}

impl Picture {
    /// The pictures of a game, with short forms for what stands on its boards in these states.
    pub fn new(layout: Layout, states: &[Vec<Term>], syntax: Syntax) -> Self {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for facts in states {
            for board in layout.view(facts).boards {
                let shown = board.cells.iter().flatten().filter(|content| !board.is_blank(content));
                texts.entry(board.name.to_owned()).or_default().extend(shown.map(|content| board.text(content)));
            }
        }
        let short = shortened(&texts.values().flatten().cloned().collect());
        let width = |text: &String| count(short.get(text).unwrap_or(text));
        let wide = texts.iter().map(|(name, texts)| (name.clone(), texts.iter().map(width).max().unwrap_or(1)));
        Picture { layout, wide: wide.collect(), short, syntax }
    }

    /// A state as text with styles: what differs from the state before is bold.
    pub fn draw(&self, facts: &[Term], before: Option<&[Term]>) -> String {
        let view = self.layout.view(facts);
        let earlier = before.map(|facts| self.layout.view(facts).boards);
        let is_titled = view.boards.len() > 1;
        let mut legend = BTreeMap::new();
        let blocks = view.boards.iter().enumerate().map(|(number, board)| {
            let earlier = earlier.as_ref().map(|boards| &boards[number]);
            self.block(board, earlier, is_titled, &mut legend)
        });
        let mut text = beside(&blocks.collect::<Vec<_>>(), width());
        if !legend.is_empty() {
            let entries: Vec<String> = legend.iter().map(|(short, long)| format!("{short} = {long}")).collect();
            text += &columns(&entries, "", width());
        }
        let mut others: Vec<String> = view.others.iter().map(|fact| print_term(fact, self.syntax)).collect();
        others.sort();
        let listed = columns(&others, "", width());
        match listed.lines().count() <= MOST_LINES[usize::from(view.boards.is_empty())] {
            true => text + &listed,
            false => format!("{text}{} more facts; `facts` prints them\n", others.len()),
        }
    }

    /// A board, with the meaning of the short forms on it.
    fn block(
        &self,
        board: &Board,
        earlier: Option<&Board>,
        is_titled: bool,
        legend: &mut BTreeMap<String, String>,
    ) -> Block {
        let label = |term: &Term| print_term(term, self.syntax);
        let shown = |board: &Board, column: usize, row: usize| match board.cell(column, row) {
            None => (if board.is_on(column, row) { "·" } else { "" }).to_owned(),
            Some(content) if board.is_blank(content) => "·".to_owned(),
            Some(content) => {
                let text = board.text(content);
                self.short.get(&text).cloned().unwrap_or(text)
            }
        };
        let places = || (0..board.rows.len()).flat_map(|row| (0..board.columns.len()).map(move |column| (column, row)));
        for (column, row) in places() {
            let text = board.cell(column, row).map(|content| board.text(content));
            if let Some((long, short)) = text.and_then(|text| self.short.get_key_value(&text)) {
                legend.insert(short.clone(), long.clone());
            }
        }
        let texts = places().map(|(column, row)| shown(board, column, row)).chain(board.columns.iter().map(label));
        let known = self.wide.get(board.name).copied();
        let wide = texts.map(|text| count(&text)).chain(known).max().unwrap_or(1);
        let margin = board.rows.iter().map(|row| count(&label(row))).max().unwrap_or(0);
        let full = margin + 2 + board.columns.len() * (wide + 1);
        let mut block = Block { width: full, lines: Vec::new() };
        if is_titled {
            let title = board.title();
            block.width = full.max(count(&title));
            block.push(&title, count(&title));
        }
        for row in (0..board.rows.len()).rev() {
            let mut line = format!("{:>margin$} │", label(&board.rows[row]));
            for column in 0..board.columns.len() {
                let text = shown(board, column, row);
                let is_new = earlier.is_some_and(|earlier| shown(earlier, column, row) != text);
                let style = if is_new { Style::new().bold() } else { Style::new() };
                line += &format!(" {}{style}{text}{style:#}", " ".repeat(wide - count(&text)));
            }
            block.push(&line, full);
        }
        block.push(&format!("{:margin$} └{}", "", "─".repeat(board.columns.len() * (wide + 1))), full);
        let labels = board.columns.iter().map(|column| format!(" {:>wide$}", label(column)));
        block.push(&format!("{:margin$}  {}", "", labels.collect::<String>()), full);
        block
    }
}

/// Lines of one width.
struct Block {
    width: usize,
    lines: Vec<String>,
}

impl Block {
    /// Adds a line of this width.
    fn push(&mut self, line: &str, width: usize) {
        self.lines.push(format!("{line}{}", " ".repeat(self.width - width)));
    }
}

/// Boards beside each other, as many as fit.
fn beside(blocks: &[Block], width: usize) -> String {
    let mut text = String::new();
    let mut rest = blocks;
    while let Some(first) = rest.first() {
        let (mut taken, mut used) = (1, first.width);
        while let Some(next) = rest.get(taken).filter(|next| used + GAP + next.width <= width) {
            (taken, used) = (taken + 1, used + GAP + next.width);
        }
        let (row, after) = rest.split_at(taken);
        for line in 0..row.iter().map(|block| block.lines.len()).max().unwrap_or(0) {
            let parts = row.iter().map(|block| match block.lines.get(line) {
                Some(line) => line.clone(),
                None => " ".repeat(block.width),
            });
            text += parts.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end();
            text.push('\n');
        }
        rest = after;
    }
    text
}

/// Texts in columns as wide as the widest, column by column, with `indent` before each line.
pub fn columns(texts: &[String], indent: &str, width: usize) -> String {
    let wide = texts.iter().map(|text| count(text)).max().unwrap_or(0);
    let fit = (width.saturating_sub(count(indent)) + GAP) / (wide + GAP);
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

/// The width of the terminal.
pub fn width() -> usize {
    // A terminal that does not know its width has none.
    table::width().filter(|width| *width > 0).map_or(WIDTH, usize::from)
}

fn count(text: &str) -> usize {
    text.chars().count()
}

/// Short forms for the texts that are too long, all different: the initials of their words, with as many letters of the last
/// word as that takes.
fn shortened(texts: &BTreeSet<String>) -> BTreeMap<String, String> {
    if texts.iter().all(|text| count(text) <= SHORT) {
        return BTreeMap::new();
    }
    let mut taken: BTreeSet<String> = texts.iter().filter(|text| count(text) <= SHORT).cloned().collect();
    let mut left: Vec<&String> = texts.iter().filter(|text| count(text) > SHORT).collect();
    let mut short = BTreeMap::new();
    for letters in 1.. {
        let forms: Vec<String> = left.iter().map(|text| initials(text, letters)).collect();
        let is_unique = |form: &String| {
            !taken.contains(form) && forms.iter().filter(|other| *other == form).count() == 1 && *form != "·"
        };
        let unique: Vec<bool> = forms.iter().map(is_unique).collect();
        let longest = left.iter().map(|text| count(text)).max().unwrap_or(0);
        let mut kept = Vec::new();
        for ((text, form), is_unique) in left.into_iter().zip(forms).zip(unique) {
            match is_unique {
                true if form != *text => {
                    taken.insert(form.clone());
                    short.insert(text.clone(), form);
                }
                true => _ = taken.insert(form),
                false => kept.push(text),
            }
        }
        left = kept;
        if left.is_empty() || letters > longest {
            break;
        }
    }
    short
}

/// The first letters of the words of a text, and so many of the last one.
fn initials(text: &str, letters: usize) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut form = String::new();
    for (place, word) in words.iter().enumerate() {
        // A number is shown as a whole.
        let taken = match place + 1 == words.len() {
            _ if word.bytes().all(|c| c.is_ascii_digit()) => word.len(),
            true => letters,
            false => 1,
        };
        form.extend(word.chars().take(taken));
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(texts: &[&str]) -> Vec<(String, String)> {
        shortened(&texts.iter().map(ToString::to_string).collect()).into_iter().collect()
    }

    #[test]
    fn long_texts_get_different_short_forms() {
        let form = |text: &str, short: &str| (text.to_owned(), short.to_owned());
        assert_eq!(short(&["x", "o", "wp"]), []);
        assert_eq!(short(&["white", "black"]), [form("black", "b"), form("white", "w")]);
        assert_eq!(short(&["w", "white"]), [form("white", "wh")]);
        let pieces = ["white king", "white knight", "black king", "white pawn"];
        let expected = [("black king", "bk"), ("white king", "wki"), ("white knight", "wkn"), ("white pawn", "wp")];
        assert_eq!(short(&pieces), expected.map(|(text, short)| form(text, short)));
    }

    #[test]
    fn columns_fit_the_width() {
        let texts: Vec<String> = ["a", "bb", "c", "dd", "e"].map(String::from).into();
        assert_eq!(columns(&texts, "  ", 12), "  a    dd\n  bb   e\n  c\n");
        assert_eq!(columns(&texts, "", 1).lines().count(), 5);
        assert_eq!(columns(&[], "", 10), "");
    }
}
