//! The rows as CSV: one line per row, the fields as in JSON, an absent value empty.

use super::Row;

/// The rows as CSV, with a header.
///
/// # Panics
///
/// Never: a row has only plain fields, and writing to memory does not fail.
pub fn to_csv(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("a row is flat, and memory takes every write");
    }
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8(bytes).expect("all fields are text")
}
