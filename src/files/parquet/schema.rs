//! A look at the columns in the footer of a Parquet file, before it is read as a whole: the crate `parquet` follows nested columns as deep as
//! they are, and makes room for as many as a column says that it has.
//!
//! A footer is a structure of Thrift in the compact protocol:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

use super::{damaged, other_writer};
use ludolog_syntax::DatabaseFault;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};

/// What a file begins and ends with.
const MAGIC: [u8; 4] = *b"PAR1";

/// The end of a file whose footer is encrypted.
const ENCRYPTED: [u8; 4] = *b"PARE";

/// Bytes behind the footer: its length and [`MAGIC`].
const TAIL: u64 = 8;

/// Most structures that lie within each other where they are skipped. Types of columns have three.
const DEEPEST: usize = 16;

/// The number of the list of columns among the fields of a footer.
const COLUMNS: i16 = 2;

/// The numbers of fields of a column.
const NAME: i16 = 4;
const CHILDREN: i16 = 5;

/// The types of the compact protocol that are met here.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Checks that a file has a footer, and plain columns.
///
/// # Errors
///
/// It is no Parquet file, is cut short, is encrypted, or has columns within a column.
pub fn check(file: &File, metadata: &Metadata) -> Result<(), DatabaseFault> {
    let unread = |error: io::Error| DatabaseFault { reason: error.to_string(), help: String::new() };
    let length = metadata.len();
    let mut file = file;
    let mut begin = Vec::new();
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut begin).map_err(unread)?;
    if begin == ENCRYPTED {
        return Err(other_writer("it is encrypted"));
    }
    if begin != MAGIC {
        let help = "is it the right file? One of Parquet begins with `PAR1`".to_owned();
        return Err(DatabaseFault { reason: "it is no Parquet file".to_owned(), help });
    }
    if length < MAGIC.len() as u64 + TAIL {
        return Err(damaged("it ends before its columns are named"));
    }
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(length - TAIL)).map_err(unread)?;
    file.read_exact(&mut tail).map_err(unread)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic != MAGIC {
        return Err(damaged("its end is missing"));
    }
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = (length - TAIL).checked_sub(size).filter(|start| *start >= MAGIC.len() as u64);
    file.seek(SeekFrom::Start(start.ok_or_else(|| damaged("its footer is longer than the file"))?)).map_err(unread)?;
    let mut footer = Vec::new();
    file.take(size).read_to_end(&mut footer).map_err(unread)?;
    let mut footer = Thrift(&footer);
    let columns = footer.columns().ok_or_else(|| damaged("its footer names no columns"))?;
    check_columns(&columns)
}

/// A column as the footer names it.
struct NamedColumn {
    name: String,
    /// The number of columns within it.
    children: u64,
}

/// Checks that the first column is the table, and that all others are in it.
fn check_columns(columns: &[NamedColumn]) -> Result<(), DatabaseFault> {
    let Some((table, columns)) = columns.split_first() else { return Err(damaged("its footer names no columns")) };
    if columns.is_empty() {
        let help = "a fact has arguments: write a table with a column".to_owned();
        return Err(DatabaseFault { reason: "it has no columns".to_owned(), help });
    }
    if let Some(nested) = columns.iter().find(|column| column.children > 0) {
        let reason = format!("its column `{}` is nested: a list, a map or a structure", nested.name);
        let help = "an argument is a number or a text: write a row for each element, and a column for each part";
        return Err(DatabaseFault { reason, help: help.to_owned() });
    }
    if table.children != columns.len() as u64 {
        return Err(damaged("its footer names another number of columns than it has"));
    }
    Ok(())
}

/// The bytes of a structure from here on. `None` of all that is read: there are no more.
struct Thrift<'b>(&'b [u8]);

impl Thrift<'_> {
    /// The columns of a footer; empty if it has none.
    fn columns(&mut self) -> Option<Vec<NamedColumn>> {
        let mut number = 0;
        while let Some(kind) = self.field(&mut number)? {
            if (number, kind) == (COLUMNS, LIST) {
                let (count, kind) = self.list()?;
                return if kind == STRUCT { (0..count).map(|_| self.column()).collect() } else { None };
            }
            self.skip(kind, 0)?;
        }
        Some(Vec::new())
    }

    fn column(&mut self) -> Option<NamedColumn> {
        let mut column = NamedColumn { name: String::new(), children: 0 };
        let mut number = 0;
        while let Some(kind) = self.field(&mut number)? {
            match (number, kind) {
                (NAME, BINARY) => {
                    let length = self.varint()?;
                    column.name = String::from_utf8_lossy(self.bytes(length)?).into_owned();
                }
                (CHILDREN, I32) => column.children = zigzag(self.varint()?).try_into().ok()?,
                (_, kind) => self.skip(kind, 0)?,
            }
        }
        Some(column)
    }

    /// The type of the next field of a structure, after the one of this number; `Some(None)` at its end.
    fn field(&mut self, number: &mut i16) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *number = match head >> 4 {
            0 => zigzag(self.varint()?).try_into().ok()?,
            step => number.checked_add(i16::from(step))?,
        };
        Some(Some(head & 0x0F))
    }

    /// The number of elements of a list, and their type.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        // Each element takes a byte at least.
        (count <= self.0.len() as u64).then_some((count, head & 0x0F))
    }

    /// Skips a value that lies within so many others.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => {}
            BYTE => _ = self.byte()?,
            I16..=I64 => _ = self.varint()?,
            DOUBLE => _ = self.bytes(8)?,
            BINARY => {
                let length = self.varint()?;
                self.bytes(length)?;
            }
            LIST | SET if depth < DEEPEST => {
                let (count, kind) = self.list()?;
                // Truths are bytes in lists.
                let kind = if matches!(kind, TRUE | FALSE) { BYTE } else { kind };
                (0..count).try_for_each(|_| self.skip(kind, depth + 1))?;
            }
            STRUCT if depth < DEEPEST => {
                let mut number = 0;
                while let Some(kind) = self.field(&mut number)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: u64) -> Option<&[u8]> {
        let (bytes, rest) = self.0.split_at_checked(count.try_into().ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A number of seven bits a byte, the last byte without the eighth.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

/// The integer that a number stands for: 0, -1, 1, -2, ….
fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
