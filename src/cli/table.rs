//! Tables on standard output: a line under the header, none between rows.
//!
//! A table fits the terminal. Where output is no terminal it is as wide as its cells, so that each row is one line for the
//! programs that read it.

use comfy_table::{ContentArrangement, LineStyle, Row, Table, TableStyle};

/// A table with this header.
pub fn new(header: impl Into<Row>) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─');
    table.load_style(TableStyle::new().header_separator(line));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    table.column_iter_mut().for_each(|column| _ = column.set_padding((0, 2)));
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
