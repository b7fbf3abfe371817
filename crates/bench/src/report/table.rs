//! Tables: rows of cells, as text for a terminal and as a part of a page.

use super::record::{Field, Fields, Record};
use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};
use maud::{Markup, html};

/// The terminal that tables are for.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Whether headers are bold and [marks](Mark) have colors.
    pub color: bool,
    /// The columns that tables may take; `None` for as many as they need.
    pub width: Option<u16>,
    /// Spaces between two columns.
    pub gap: u16,
}

impl Default for Terminal {
    fn default() -> Terminal {
        Terminal { color: false, width: None, gap: 1 }
    }
}

/// What a cell says besides its text, by its color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    Plain,
    /// A name, on the left.
    Name,
    /// Measured by others.
    Cited,
    /// The one of its row to look at.
    Chosen,
    /// Wrong.
    Wrong,
    /// Over its limit.
    Stopped,
    /// Impossible.
    Unsupported,
}

impl Mark {
    fn class(self) -> Option<&'static str> {
        match self {
            Mark::Plain | Mark::Chosen => None,
            Mark::Name => Some("name"),
            Mark::Cited => Some("cited"),
            Mark::Wrong => Some("wrong"),
            Mark::Stopped => Some("stopped"),
            Mark::Unsupported => Some("unsupported"),
        }
    }
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct TextCell {
    /// The text.
    pub text: String,
    /// What stands instead of the text on a page.
    pub page: Option<Markup>,
    /// A remark in small print, on a page.
    pub small: String,
    /// A text under the pointer, on a page.
    pub hint: Option<String>,
    /// How much it is shaded on a page, from 0 for not at all to 1.
    pub heat: Option<f64>,
    /// What its color says.
    pub mark: Mark,
    /// Whether the text is on the right, on a terminal.
    pub is_right: bool,
}

impl TextCell {
    /// A text that says more by its color.
    pub fn marked(text: impl Into<String>, mark: Mark) -> TextCell {
        TextCell { mark, ..text.into().into() }
    }

    /// A text on the right.
    pub fn right(text: impl Into<String>) -> TextCell {
        TextCell { is_right: true, ..text.into().into() }
    }

    fn to_html(&self, is_head: bool) -> Markup {
        let class = self.mark.class().or_else(|| self.heat.is_some().then_some("heat"));
        let style = self.heat.map(|heat| format!("--heat:{:.0}%", 100.0 * heat));
        let content = html! {
            @if let Some(page) = &self.page { (page) } @else { (self.text) }
            @if !self.small.is_empty() { " " small { (self.small) } }
        };
        html! {
            @if is_head { th class=[class] title=[&self.hint] { (content) } }
            @else { td class=[class] style=[style] title=[&self.hint] { (content) } }
        }
    }

    fn to_text(&self, terminal: &Terminal) -> comfy_table::Cell {
        let cell = comfy_table::Cell::new(&self.text);
        let cell = if self.is_right { cell.set_alignment(CellAlignment::Right) } else { cell };
        match self.mark {
            Mark::Wrong if terminal.color => cell.fg(Color::Red).add_attribute(Attribute::Bold),
            Mark::Stopped if terminal.color => cell.fg(Color::Yellow),
            Mark::Chosen if terminal.color => cell.add_attribute(Attribute::Bold),
            _ => cell,
        }
    }
}

impl<T: Into<String>> From<T> for TextCell {
    fn from(text: T) -> TextCell {
        TextCell { text: text.into(), ..TextCell::default() }
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    caption: Option<Markup>,
    header: Vec<TextCell>,
    /// Rows, and whether they are emphasized on a page.
    rows: Vec<(bool, Vec<TextCell>)>,
}

impl TextTable {
    /// A table without rows.
    pub fn new<T: Into<TextCell>>(header: impl IntoIterator<Item = T>) -> TextTable {
        TextTable { header: header.into_iter().map(T::into).collect(), ..TextTable::default() }
    }

    /// The fields of records, a row each, below their titles.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>, columns: &[(&str, Field)]) -> TextTable {
        let mut table = TextTable::new(columns.iter().map(|(title, _)| *title));
        for record in records {
            table.push(columns.iter().map(|(_, field)| record.told_or_dash(*field)));
        }
        table
    }

    /// The table with a caption, on a page.
    #[must_use]
    pub fn captioned(self, caption: Markup) -> TextTable {
        TextTable { caption: Some(caption), ..self }
    }

    /// Adds a row.
    pub fn push<T: Into<TextCell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.push_emphasized(false, cells);
    }

    /// Adds a row that is emphasized on a page, or not.
    pub fn push_emphasized<T: Into<TextCell>>(&mut self, is_emphasized: bool, cells: impl IntoIterator<Item = T>) {
        self.rows.push((is_emphasized, cells.into_iter().map(T::into).collect()));
    }

    /// The table as lines, without spaces at their ends.
    pub fn to_text(&self, terminal: Terminal) -> String {
        let mut table = comfy_table::Table::new();
        let line = LineStyle::none().fill('─');
        table.load_style(TableStyle::new().header_separator(line));
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Without it, the library would look at the terminal itself.
        table.force_no_tty();
        if terminal.color {
            table.enforce_styling();
        }
        if let Some(width) = terminal.width {
            table.set_width(width);
        }
        let bold = |cell: comfy_table::Cell| if terminal.color { cell.add_attribute(Attribute::Bold) } else { cell };
        table.set_header(self.header.iter().map(|cell| bold(comfy_table::Cell::new(&cell.text))));
        table.column_iter_mut().for_each(|column| _ = column.set_padding((0, terminal.gap)));
        for (_, cells) in &self.rows {
            table.add_row(cells.iter().map(|cell| cell.to_text(&terminal)));
        }
        table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// The table on a page. The first cell of a row is its head.
    pub fn to_html(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    @if let Some(caption) = &self.caption { caption { (caption) } }
                    thead { tr { @for cell in &self.header { (cell.to_html(true)) } } }
                    tbody {
                        @for (is_emphasized, cells) in &self.rows {
                            tr class=[is_emphasized.then_some("auto")] {
                                @for (place, cell) in cells.iter().enumerate() { (cell.to_html(place == 0)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
