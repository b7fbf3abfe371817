//! Parquet files: each is one table, named after the file. Some rows of all columns are in memory at a time.
//!
//! * `schema`: the columns of a footer, before the crate `parquet` reads it; `pages`: the same of pages.
//! * `column`: the types of columns, and their values; `spelled`: decimals, dates and times as texts.
//! * `write`: facts as a file.
//!
//! The format: <https://parquet.apache.org/docs/file-format/>.

mod column;
mod pages;
mod schema;
mod spelled;
mod write;

pub use write::ParquetWriter;

use super::{Unreadable, check_steady, unreadable};
use column::{ColumnReading, OwnedValue, ValueType};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::{Database, DatabaseFault, DatabaseValue};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;

/// Rows that are decoded at a time: a value takes some forty bytes then.
const BATCH: usize = 1024;

/// A Parquet file that is open for reading.
struct ParquetFile {
    /// The name of its table.
    name: String,
    /// The reader, or what is wrong with the file, which is told with a way out when it is asked for its table.
    opened: Result<SerializedFileReader<File>, DatabaseFault>,
    /// The file itself, with its metadata before it was read.
    steady: (File, Metadata),
    budget: Budget,
}

/// Opens the file at `path` within a budget.
///
/// # Errors
///
/// Why it cannot be read.
pub(super) fn open(path: &Path, budget: &Budget) -> Result<Box<dyn Database>, Unreadable> {
    let open = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    };
    let steady = open().map_err(unreadable)?;
    if steady.1.is_dir() {
        return Err(unreadable(ErrorKind::IsADirectory.into()));
    }
    let opened = schema::check(&steady.0, &steady.1).and_then(|()| {
        let reader = steady.0.try_clone().map_err(ParquetError::from).and_then(SerializedFileReader::new);
        reader.map_err(|error| fault(&error))
    });
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    Ok(Box::new(ParquetFile { name, opened, steady, budget: budget.clone() }))
}

/// The reason of an error, and a way out.
fn fault(error: &ParquetError) -> DatabaseFault {
    if let ParquetError::NYI(reason) = error {
        return other_writer(&format!("it has what is not read here ({reason})"));
    }
    let reason = error.to_string();
    damaged(reason.split_once(": ").map_or(&*reason, |(_, reason)| reason))
}

fn damaged(reason: &str) -> DatabaseFault {
    let reason = format!("it is damaged or cut short ({reason})");
    DatabaseFault { reason, help: "copy it again, or write it again".to_owned() }
}

/// The fault of a file that other programs read.
fn other_writer(reason: &str) -> DatabaseFault {
    let help = "write it again as a plain table, compressed with snappy, gzip, zstd or not at all".to_owned();
    DatabaseFault { reason: reason.to_owned(), help }
}

impl ParquetFile {
    fn reader(&self) -> Result<&SerializedFileReader<File>, DatabaseFault> {
        self.opened.as_ref().map_err(Clone::clone)
    }

    /// The names of the columns, and the types of their values.
    fn types(&self) -> Result<Vec<(String, ValueType)>, DatabaseFault> {
        let schema = self.reader()?.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter().map(|column| {
            let value = ValueType::of(column).ok_or_else(|| {
                let reason = format!("its column `{}` has {}", column.name(), column::words(column));
                let help = "write it as a text or a number, or leave the column out".to_owned();
                DatabaseFault { reason, help }
            })?;
            Ok((column.name().to_owned(), value))
        });
        columns.collect()
    }

    /// Hands over the rows of one group. Whether there may be more.
    fn each_of_group(
        &self,
        group: &dyn RowGroupReader,
        types: &[(String, ValueType)],
        take: &mut dyn FnMut(&[DatabaseValue]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, DatabaseFault> {
        let mut columns = Vec::with_capacity(types.len());
        for (number, (name, value)) in types.iter().enumerate() {
            check_part(name, group.metadata().column(number))?;
            columns.push(ColumnReading::new(group, number, *value).map_err(|error| fault(&error))?);
        }
        let mut left =
            usize::try_from(group.metadata().num_rows()).map_err(|_| damaged("a negative number of rows"))?;
        while left > 0 {
            let rows = left.min(BATCH);
            for (column, (name, _)) in columns.iter_mut().zip(types) {
                if let Err(stopped) = self.budget.check() {
                    return Err(DatabaseFault { reason: stopped.to_string(), help: String::new() });
                }
                column.read(rows).map_err(|error| fault(&error))?;
                if column.values.len() != rows {
                    return Err(damaged(&format!("its column `{name}` has too few rows")));
                }
            }
            for row in 0..rows {
                let values: Vec<DatabaseValue> = columns.iter().map(|column| column.values[row].borrow()).collect();
                if take(&values).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            left -= rows;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Checks that the part of a column in a group lies in the file, and is compressed in a way that is read.
fn check_part(name: &str, part: &ColumnChunkMetaData) -> Result<(), DatabaseFault> {
    let start = part.dictionary_page_offset().unwrap_or(part.data_page_offset());
    if start < 0 || part.compressed_size() < 0 {
        return Err(damaged(&format!("its column `{name}` begins before the file")));
    }
    let other = match part.compression() {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => return Ok(()),
        Compression::BROTLI(_) => "brotli",
        Compression::LZO => "lzo",
        Compression::LZ4 | Compression::LZ4_RAW => "lz4",
    };
    Err(other_writer(&format!("its column `{name}` is compressed with {other}")))
}

impl Database for ParquetFile {
    fn tables(&mut self) -> Result<Vec<String>, DatabaseFault> {
        self.reader().map(|_| vec![self.name.clone()])
    }

    fn columns(&mut self, _table: &str) -> Result<Vec<String>, DatabaseFault> {
        Ok(self.types()?.into_iter().map(|(name, _)| name).collect())
    }

    fn rows(
        &mut self,
        _table: &str,
        take: &mut dyn FnMut(&[DatabaseValue]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        let reader = self.reader()?;
        let types = self.types()?;
        for number in 0..reader.num_row_groups() {
            let group = reader.get_row_group(number).map_err(|error| fault(&error))?;
            let read = self.each_of_group(&*group, &types, take);
            let (file, before) = &self.steady;
            if let Err(error) = check_steady(file, before) {
                return Err(DatabaseFault { reason: error.to_string(), help: "read it when it is written".to_owned() });
            }
            if read?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl OwnedValue {
    fn borrow(&self) -> DatabaseValue<'_> {
        match self {
            OwnedValue::Null => DatabaseValue::Null,
            OwnedValue::Integer(integer) => DatabaseValue::Integer(*integer),
            OwnedValue::Real(real) => DatabaseValue::Real(*real),
            OwnedValue::Truth(truth) => DatabaseValue::Text(if *truth { b"true" } else { b"false" }),
            OwnedValue::Bytes(bytes) => DatabaseValue::Text(bytes.data()),
            OwnedValue::Spelled(text) => DatabaseValue::Text(text.as_bytes()),
            OwnedValue::LongNumber => DatabaseValue::LongNumber,
        }
    }
}
