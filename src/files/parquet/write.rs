//! Facts of one predicate as a Parquet file, whose columns have the types of the first fact.

use ludolog_syntax::DatabaseFault;
use ludolog_syntax::ast::Term;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows of a group, which are in memory as a whole.
const GROUP: usize = 1 << 16;

/// A Parquet file that rows are added to. Without [`finish`](Self::finish) it has no end, and is none.
pub struct ParquetWriter<W: Write + Send> {
    /// The place, until the first row says the types of the columns.
    out: Option<W>,
    file: Option<SerializedFileWriter<W>>,
    /// The values of the group that is not written.
    columns: Vec<ColumnValues>,
    arity: usize,
}

/// The values of a column.
enum ColumnValues {
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Texts(Vec<ByteArray>),
}

impl<W: Write + Send> ParquetWriter<W> {
    /// A table with so many columns, which are `c1`, `c2`, ….
    pub fn new(out: W, columns: usize) -> Self {
        ParquetWriter { out: Some(out), file: None, columns: Vec::new(), arity: columns }
    }

    /// Adds a row. Integers, floats and symbols are values; each column has those of one type.
    ///
    /// # Errors
    ///
    /// A term is none of these, or of another type than those before it, or the row cannot be written.
    pub fn push(&mut self, row: &[Term]) -> Result<(), DatabaseFault> {
        if self.out.is_some() {
            self.begin(row.iter().map(ColumnValues::of).collect::<Result<_, _>>()?)?;
        }
        for (number, (column, term)) in self.columns.iter_mut().zip(row).enumerate() {
            column.push(term, number + 1)?;
        }
        if self.columns.first().is_some_and(|column| column.len() == GROUP) { self.write_group() } else { Ok(()) }
    }

    /// Writes what the file ends with. A table without rows has columns of texts.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn finish(mut self) -> Result<(), DatabaseFault> {
        if self.out.is_some() {
            self.begin((0..self.arity).map(|_| ColumnValues::Texts(Vec::new())).collect())?;
        }
        if self.columns.first().is_some_and(|column| column.len() > 0) {
            self.write_group()?;
        }
        let closed = self.file.take().map(SerializedFileWriter::close).transpose();
        closed.map(|_| ()).map_err(|error| unwritten(&error))
    }

    /// Writes what the file begins with.
    fn begin(&mut self, columns: Vec<ColumnValues>) -> Result<(), DatabaseFault> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let begin = || {
            let fields = columns.iter().enumerate().map(|(number, column)| column.field(number + 1).map(Arc::new));
            let schema = Type::group_type_builder("schema").with_fields(fields.collect::<Result<_, _>>()?).build()?;
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        };
        self.file = Some(begin().map_err(|error: ParquetError| unwritten(&error))?);
        self.columns = columns;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), DatabaseFault> {
        let ParquetWriter { file: Some(file), columns, .. } = self else { return Ok(()) };
        let mut write = || {
            let mut group = file.next_row_group()?;
            for column in &mut *columns {
                if let Some(writer) = group.next_column()? {
                    column.write(writer)?;
                }
            }
            group.close().map(|_| ())
        };
        write().map_err(|error: ParquetError| unwritten(&error))
    }
}

impl ColumnValues {
    /// No values yet, of the type of this one.
    fn of(term: &Term) -> Result<ColumnValues, DatabaseFault> {
        match term {
            Term::Integer(_) => Ok(ColumnValues::Integers(Vec::new())),
            Term::Float(_) => Ok(ColumnValues::Reals(Vec::new())),
            Term::Symbol(_) => Ok(ColumnValues::Texts(Vec::new())),
            Term::Variable(_) | Term::Compound(..) => Err(no_constant(term)),
        }
    }

    /// Adds a value to the column of this number.
    fn push(&mut self, term: &Term, number: usize) -> Result<(), DatabaseFault> {
        match (self, term) {
            (ColumnValues::Integers(integers), Term::Integer(integer)) => integers.push(*integer),
            (ColumnValues::Reals(reals), Term::Float(float)) => reals.push(float.get()),
            (ColumnValues::Texts(texts), Term::Symbol(symbol)) => texts.push(ByteArray::from(&**symbol)),
            (_, Term::Variable(_) | Term::Compound(..)) => return Err(no_constant(term)),
            (column, term) => {
                let reason = format!("{term} stands in column {number}, which has {} before it", column.words());
                let help = "a column of Parquet has values of one type; --format dl or jsonl writes all".to_owned();
                return Err(DatabaseFault { reason, help });
            }
        }
        Ok(())
    }

    fn words(&self) -> &'static str {
        match self {
            ColumnValues::Integers(_) => "integers",
            ColumnValues::Reals(_) => "floats",
            ColumnValues::Texts(_) => "symbols",
        }
    }

    fn len(&self) -> usize {
        match self {
            ColumnValues::Integers(values) => values.len(),
            ColumnValues::Reals(values) => values.len(),
            ColumnValues::Texts(values) => values.len(),
        }
    }

    /// The description of the column of this number.
    fn field(&self, number: usize) -> Result<Type, ParquetError> {
        let (physical, logical) = match self {
            ColumnValues::Integers(_) => (Physical::INT64, None),
            ColumnValues::Reals(_) => (Physical::DOUBLE, None),
            ColumnValues::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let name = format!("c{number}");
        let builder = Type::primitive_type_builder(&name, physical);
        builder.with_repetition(Repetition::REQUIRED).with_logical_type(logical).build()
    }

    /// Moves all values into a group of rows.
    fn write(&mut self, mut writer: SerializedColumnWriter) -> Result<(), ParquetError> {
        match self {
            ColumnValues::Integers(values) => {
                writer.typed::<Int64Type>().write_batch(values, None, None)?;
                values.clear();
            }
            ColumnValues::Reals(values) => {
                writer.typed::<DoubleType>().write_batch(values, None, None)?;
                values.clear();
            }
            ColumnValues::Texts(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, None, None)?;
                values.clear();
            }
        }
        writer.close()
    }
}

fn no_constant(term: &Term) -> DatabaseFault {
    DatabaseFault { reason: format!("{term} is no constant"), help: "--format dl or jsonl writes it".to_owned() }
}

/// The fault of a place that does not take what is written.
fn unwritten(error: &ParquetError) -> DatabaseFault {
    let reason = match error {
        ParquetError::External(error) => error.to_string(),
        error => error.to_string(),
    };
    DatabaseFault { reason, help: String::new() }
}
