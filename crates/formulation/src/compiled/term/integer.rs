/// The integers of rows: numbers of cells, columns and rows.
pub type Integer = i32;
