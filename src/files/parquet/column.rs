//! The columns of a Parquet file: the types of their values, and some values at a time.
//!
//! A type is physical, as values are stored, and logical, as they are meant; older writers know the converted types instead:
//! <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md>.

use super::pages::CheckedPages;
use super::spelled::{self, Unit};
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::ColumnDescriptor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most digits behind the point of a decimal: those of its largest type.
const MOST_DECIMALS: i32 = 38;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueType {
    /// Symbols `true` and `false`.
    Truth,
    Integer,
    Unsigned,
    Real,
    Text,
    /// A number with so many digits behind the point; without any it is an integer.
    Decimal(u32),
    /// Days since 1970.
    Date,
    /// The time since midnight.
    Time(Unit),
    /// The time since 1970, and whether it is that of UTC.
    Timestamp(Unit, bool),
    /// Sixteen bytes.
    Uuid,
}

/// A value of a row.
#[derive(Clone, Debug)]
pub enum OwnedValue {
    Null,
    Integer(i64),
    Real(f64),
    Truth(bool),
    Bytes(ByteArray),
    Spelled(String),
    LongNumber,
}

impl ValueType {
    /// The type of a column; `None` if its values stand for none of a fact.
    pub fn of(column: &ColumnDescriptor) -> Option<ValueType> {
        if column.max_rep_level() > 0 {
            return None;
        }
        let physical = column.physical_type();
        let value = match column.logical_type_ref() {
            Some(logical) => of_logical(logical)?,
            None => of_converted(column, physical)?,
        };
        value.fits(physical).then_some(value)
    }

    /// Whether values of this type are stored so.
    fn fits(self, physical: Physical) -> bool {
        match self {
            ValueType::Truth => physical == Physical::BOOLEAN,
            ValueType::Integer | ValueType::Unsigned | ValueType::Time(_) => {
                matches!(physical, Physical::INT32 | Physical::INT64)
            }
            ValueType::Timestamp(..) => matches!(physical, Physical::INT64 | Physical::INT96),
            ValueType::Real => matches!(physical, Physical::FLOAT | Physical::DOUBLE),
            ValueType::Date => physical == Physical::INT32,
            ValueType::Text => matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY),
            ValueType::Uuid => physical == Physical::FIXED_LEN_BYTE_ARRAY,
            ValueType::Decimal(_) => {
                !matches!(physical, Physical::BOOLEAN | Physical::INT96 | Physical::FLOAT | Physical::DOUBLE)
            }
        }
    }
}

fn of_logical(logical: &LogicalType) -> Option<ValueType> {
    Some(match logical {
        LogicalType::String | LogicalType::Enum | LogicalType::Json => ValueType::Text,
        LogicalType::Decimal(decimal) => decimal_of(decimal.scale)?,
        LogicalType::Date => ValueType::Date,
        LogicalType::Time(time) => ValueType::Time(time.unit.into()),
        LogicalType::Timestamp(time) => ValueType::Timestamp(time.unit.into(), time.is_adjusted_to_u_t_c),
        LogicalType::Integer(integer) if integer.is_signed => ValueType::Integer,
        LogicalType::Integer(_) => ValueType::Unsigned,
        LogicalType::Uuid => ValueType::Uuid,
        // No row has a value.
        LogicalType::Unknown => ValueType::Integer,
        _ => return None,
    })
}

fn of_converted(column: &ColumnDescriptor, physical: Physical) -> Option<ValueType> {
    Some(match column.converted_type() {
        ConvertedType::NONE => match physical {
            Physical::BOOLEAN => ValueType::Truth,
            Physical::INT32 | Physical::INT64 => ValueType::Integer,
            Physical::INT96 => ValueType::Timestamp(Unit::Nanoseconds, false),
            Physical::FLOAT | Physical::DOUBLE => ValueType::Real,
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => ValueType::Text,
        },
        ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => ValueType::Text,
        ConvertedType::DECIMAL => decimal_of(column.type_scale())?,
        ConvertedType::DATE => ValueType::Date,
        ConvertedType::TIME_MILLIS => ValueType::Time(Unit::Milliseconds),
        ConvertedType::TIME_MICROS => ValueType::Time(Unit::Microseconds),
        ConvertedType::TIMESTAMP_MILLIS => ValueType::Timestamp(Unit::Milliseconds, true),
        ConvertedType::TIMESTAMP_MICROS => ValueType::Timestamp(Unit::Microseconds, true),
        ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64 => {
            ValueType::Integer
        }
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            ValueType::Unsigned
        }
        _ => return None,
    })
}

fn decimal_of(scale: i32) -> Option<ValueType> {
    (0..=MOST_DECIMALS).contains(&scale).then_some(ValueType::Decimal(scale as u32))
}

/// The type of a column that no fact can have, in words.
pub fn words(column: &ColumnDescriptor) -> String {
    match (column.logical_type_ref(), column.converted_type()) {
        _ if column.max_rep_level() > 0 => "several values in a row".to_owned(),
        (Some(logical), _) => {
            // Without its parameters.
            let name: String = format!("{logical:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
            format!("the type {name}")
        }
        (None, ConvertedType::NONE) => format!("the type {}", column.physical_type()),
        (None, converted) => format!("the type {converted}"),
    }
}

/// A column of a group of rows, and some of its values.
pub struct ColumnReading {
    reader: ColumnReader,
    value: ValueType,
    /// Those read last.
    pub values: Vec<OwnedValue>,
}

impl ColumnReading {
    /// Begins to read a column of a group.
    ///
    /// # Errors
    ///
    /// The file has no such column where it should be.
    pub fn new(group: &dyn RowGroupReader, number: usize, value: ValueType) -> Result<ColumnReading> {
        let descriptor = group.metadata().schema_descr().column(number);
        let pages = CheckedPages::new(group.get_column_page_reader(number)?, descriptor.max_def_level() > 0);
        Ok(ColumnReading { reader: get_column_reader(descriptor, Box::new(pages)), value, values: Vec::new() })
    }

    /// Reads the next rows, or as many as there are.
    ///
    /// # Errors
    ///
    /// The file is damaged.
    pub fn read(&mut self, rows: usize) -> Result<()> {
        // Decoders of the crate panic where values are not as long as a page says.
        let read = catch_unwind(AssertUnwindSafe(|| self.decode(rows)));
        read.unwrap_or_else(|_| Err(ParquetError::General("a page does not hold what it says".to_owned())))
    }

    fn decode(&mut self, rows: usize) -> Result<()> {
        let ColumnReading { reader, value, values } = self;
        values.clear();
        let value = *value;
        match reader {
            ColumnReader::BoolColumnReader(reader) => read(reader, rows, values, |truth| OwnedValue::Truth(*truth)),
            ColumnReader::Int32ColumnReader(reader) => {
                let of = |n: &i32| match value {
                    ValueType::Unsigned => OwnedValue::Integer(i64::from(*n as u32)),
                    _ => integer(i64::from(*n), value),
                };
                read(reader, rows, values, of)
            }
            ColumnReader::Int64ColumnReader(reader) => read(reader, rows, values, |n| integer(*n, value)),
            ColumnReader::Int96ColumnReader(reader) => read(reader, rows, values, |time| {
                let &[low, high, day] = time.data() else { return OwnedValue::LongNumber };
                OwnedValue::Spelled(spelled::julian(day, u64::from(high) << 32 | u64::from(low)))
            }),
            ColumnReader::FloatColumnReader(reader) => {
                read(reader, rows, values, |real| OwnedValue::Real(f64::from(*real)))
            }
            ColumnReader::DoubleColumnReader(reader) => read(reader, rows, values, |real| OwnedValue::Real(*real)),
            ColumnReader::ByteArrayColumnReader(reader) => read(reader, rows, values, |bytes| of_bytes(bytes, value)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                read(reader, rows, values, |bytes| of_bytes(bytes, value))
            }
        }
    }
}

/// Reads the next rows of a column of one physical type.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    values: &mut Vec<OwnedValue>,
    of: impl Fn(&T::T) -> OwnedValue,
) -> Result<()> {
    let mut levels = Vec::new();
    let mut present = Vec::with_capacity(rows);
    reader.read_records(rows, Some(&mut levels), None, &mut present)?;
    if levels.is_empty() {
        values.extend(present.iter().map(of));
        return Ok(());
    }
    let mut present = present.iter();
    values.extend(levels.iter().map(|level| match level {
        0 => OwnedValue::Null,
        _ => present.next().map_or(OwnedValue::Null, &of),
    }));
    Ok(())
}

fn integer(n: i64, value: ValueType) -> OwnedValue {
    match value {
        ValueType::Unsigned if n < 0 => OwnedValue::LongNumber,
        ValueType::Decimal(scale) if scale > 0 => OwnedValue::Spelled(spelled::decimal(i128::from(n), scale)),
        ValueType::Date => OwnedValue::Spelled(spelled::date(n)),
        ValueType::Time(unit) => OwnedValue::Spelled(spelled::time(n, unit)),
        ValueType::Timestamp(unit, is_utc) => OwnedValue::Spelled(spelled::timestamp(n, unit, is_utc)),
        _ => OwnedValue::Integer(n),
    }
}

fn of_bytes(bytes: &ByteArray, value: ValueType) -> OwnedValue {
    match value {
        ValueType::Decimal(scale) => match (big_endian(bytes.data()), scale) {
            (Some(n), 0) => i64::try_from(n).map_or(OwnedValue::LongNumber, OwnedValue::Integer),
            (Some(n), scale) => OwnedValue::Spelled(spelled::decimal(n, scale)),
            (None, _) => OwnedValue::LongNumber,
        },
        ValueType::Uuid => OwnedValue::Spelled(spelled::uuid(bytes.data())),
        _ => OwnedValue::Bytes(bytes.clone()),
    }
}

/// The integer in two's complement; `None` if it has more than 128 bits.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let is_negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let (fill, size) = (if is_negative { 0xFF } else { 0 }, size_of::<i128>());
    let (extension, digits) = bytes.split_at(bytes.len().saturating_sub(size));
    let mut all = [fill; size_of::<i128>()];
    all[size - digits.len()..].copy_from_slice(digits);
    let n = i128::from_be_bytes(all);
    (extension.iter().all(|byte| *byte == fill) && (n < 0) == is_negative).then_some(n)
}
