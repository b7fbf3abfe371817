//! Tables on standard output: a line under the header, none between rows.
//!
//! A table fits the terminal. Where output is no terminal it is as wide as its cells, so that each row is one line for the
//! programs that read it.

use comfy_table::{ContentArrangement, LineStyle, Row, Table, TableStyle};
use unicode_width::UnicodeWidthStr;

/// Spaces between two columns.
const GAP: usize = 2;

/// The character of the line under the header.
const RULE: char = '─';

/// A table with this header.
pub fn new(header: impl Into<Row>) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill(RULE);
    table.load_style(TableStyle::new().header_separator(line));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    table.column_iter_mut().for_each(|column| _ = column.set_padding((0, GAP as u16)));
    table
}

/// The table as text, without spaces at the ends of lines.
pub fn text(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The width of the terminal; `None` if standard output is none.
pub fn width() -> Option<u16> {
    Table::new().width()
}

/// The lines of a table that fits the terminal, for tables too long to be held as one: the same as those of [`text`].
pub struct Lines {
    /// The widths of the columns.
    widths: Vec<usize>,
}

impl Lines {
    /// Columns as wide as their headers.
    pub fn new(header: &[String]) -> Self {
        Lines { widths: header.iter().map(|name| columns_of(name)).collect() }
    }

    /// Makes a column wide enough for a cell, which is one line.
    pub fn widen(&mut self, column: usize, cell: &str) {
        self.widths[column] = self.widths[column].max(columns_of(cell));
    }

    /// Whether they fit the terminal.
    pub fn fit(&self) -> bool {
        width().is_none_or(|most| self.width() <= usize::from(most))
    }

    fn width(&self) -> usize {
        self.widths.iter().map(|width| width + GAP).sum()
    }

    /// The header and the line under it.
    pub fn header(&self, header: &[String]) -> String {
        let mut line = String::new();
        header.iter().enumerate().for_each(|(column, name)| self.put(column, name, &mut line));
        line.push('\n');
        line.extend(std::iter::repeat_n(RULE, self.width()));
        line + "\n"
    }

    /// Adds the cell of the next column to a line, which begins empty.
    pub fn put(&self, column: usize, cell: &str, line: &mut String) {
        line.push_str(cell);
        if column + 1 < self.widths.len() {
            line.extend(std::iter::repeat_n(' ', self.widths[column] - columns_of(cell) + GAP));
        }
    }
}

/// The columns of the terminal that a text takes.
fn columns_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_a_table() {
        let header = ["X", "Ünïcode", "Z"].map(str::to_owned);
        let rows = [["1", "a", "'…'"], ["-1000", "'日本語'", "f(a, [b])"], ["2", "'a long cell that is wide'", "'z '"]];
        let mut table = new(header.to_vec());
        let mut lines = Lines::new(&header);
        for row in rows {
            table.add_row(row);
            row.iter().enumerate().for_each(|(column, cell)| lines.widen(column, cell));
        }
        let mut text = lines.header(&header);
        for row in rows {
            row.iter().enumerate().for_each(|(column, cell)| lines.put(column, cell, &mut text));
            text.push('\n');
        }
        assert_eq!(text, super::text(&table));
    }
}
