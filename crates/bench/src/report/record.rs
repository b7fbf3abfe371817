//! What is measured, as data: a record has a value for each field of its benchmark, in their order.
//!
//! A benchmark declares its fields, what varies and what is measured, with the units in which they are told. Records are
//! JSON objects as they stand, and the rows of all tables.

use crate::report::format;
use serde::{Serialize, Serializer};

/// How values are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// As they are written.
    Plain,
    /// With their magnitude, as in `12.5k`.
    Magnitude,
    /// As times, from nanoseconds.
    Nanoseconds,
    /// As times, from seconds.
    Seconds,
    /// With so many digits behind the point.
    Decimals(usize),
    /// Parts of one as percents.
    Percent,
    /// Of a hundred, as percents with a digit behind the point.
    OfHundred,
    /// Not by themselves: values that are made of others.
    List,
}

/// The character with which the names of fields begin that are not written.
const HIDDEN: char = '.';

/// What varies, or what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in JSON and CSV.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
}

impl Field {
    /// A field whose values are told in this unit.
    pub const fn new(name: &'static str, unit: Unit) -> Field {
        Field { name, unit }
    }

    /// A name, a reason, an exact number.
    pub const fn plain(name: &'static str) -> Field {
        Field::new(name, Unit::Plain)
    }

    /// A list of values, empty at first.
    pub const fn list(name: &'static str) -> Field {
        Field::new(name, Unit::List)
    }
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Not measured.
    None,
    /// Yes or no.
    Flag(bool),
    /// A count.
    Count(u64),
    /// A figure.
    Number(f64),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Values of fields.
    Record(Record),
}

/// A value for each field, in their order. Fields are found by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record(Vec<(&'static str, Value)>);

impl Record {
    /// A record without values.
    pub fn of(fields: &[Field]) -> Record {
        let empty = |field: &Field| match field.unit {
            Unit::List => Value::List(Vec::new()),
            _ => Value::None,
        };
        Record(fields.iter().map(|field| (field.name, empty(field))).collect())
    }

    /// The record with this value.
    #[must_use]
    pub fn with(mut self, field: Field, value: impl Into<Value>) -> Record {
        self.set(field, value);
        self
    }

    /// Sets the value of a field. A field that the record does not have becomes its last.
    pub fn set(&mut self, field: Field, value: impl Into<Value>) {
        *self.entry(field) = value.into();
    }

    /// Sets the value of a field that the record has.
    pub fn fill(&mut self, field: Field, value: impl Into<Value>) {
        if self.0.iter().any(|(name, _)| *name == field.name) {
            self.set(field, value);
        }
    }

    /// Adds to a list.
    pub fn push(&mut self, field: Field, value: impl Into<Value>) {
        match self.entry(field) {
            Value::List(values) => values.push(value.into()),
            other => *other = Value::List(vec![value.into()]),
        }
    }

    /// The names of the fields that are written, with their values.
    fn written(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().filter(|(name, _)| !name.starts_with(HIDDEN)).map(|(name, value)| (*name, value))
    }

    /// Adds to a count.
    pub fn add(&mut self, field: Field, count: u64) {
        self.set(field, self.count(field).unwrap_or(0) + count);
    }

    fn entry(&mut self, field: Field) -> &mut Value {
        let place = self.0.iter().position(|(name, _)| *name == field.name).unwrap_or_else(|| {
            self.0.push((field.name, Value::None));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    /// The value of a field.
    pub fn get(&self, field: Field) -> &Value {
        self.0.iter().find(|(name, _)| *name == field.name).map_or(&Value::None, |(_, value)| value)
    }

    /// Whether the field has a value.
    pub fn has(&self, field: Field) -> bool {
        *self.get(field) != Value::None
    }

    /// A text, empty if there is none.
    pub fn text(&self, field: Field) -> &str {
        match self.get(field) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// A count.
    pub fn count(&self, field: Field) -> Option<u64> {
        match self.get(field) {
            Value::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// A figure or count.
    pub fn number(&self, field: Field) -> Option<f64> {
        self.get(field).number()
    }

    /// Yes or no.
    pub fn flag(&self, field: Field) -> Option<bool> {
        match self.get(field) {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The values of a list, none if there is no list.
    pub fn list(&self, field: Field) -> &[Value] {
        match self.get(field) {
            Value::List(values) => values,
            _ => &[],
        }
    }

    /// The records of a list.
    pub fn records(&self, field: Field) -> impl DoubleEndedIterator<Item = &Record> + Clone {
        self.list(field).iter().filter_map(Value::record)
    }

    /// The figures of a list of so many.
    pub fn numbers<const N: usize>(&self, field: Field) -> Option<[f64; N]> {
        let numbers: Option<Vec<f64>> = self.list(field).iter().map(Value::number).collect();
        numbers?.try_into().ok()
    }

    /// A record within the record.
    pub fn record(&self, field: Field) -> Option<&Record> {
        self.get(field).record()
    }

    /// The records of a list, to go on with.
    pub fn records_mut(&mut self, field: Field) -> impl Iterator<Item = &mut Record> {
        let values = match self.entry(field) {
            Value::List(values) => &mut values[..],
            _ => &mut [],
        };
        values.iter_mut().filter_map(|value| match value {
            Value::Record(record) => Some(record),
            _ => None,
        })
    }

    /// The value of a field in its unit, a list as the interval that it is; empty if there is none.
    pub fn told(&self, field: Field) -> String {
        match (self.get(field), field.unit) {
            (Value::Text(text), _) => text.clone(),
            (Value::Flag(flag), _) => flag.to_string(),
            (Value::List(values), unit) => {
                let figures = values.iter().filter_map(Value::number).map(|figure| told(figure, unit));
                figures.collect::<Vec<_>>().join(" to ")
            }
            (value, unit) => value.number().map_or(String::new(), |number| told(number, unit)),
        }
    }

    /// The value of a field in its unit; a dash if there is none.
    pub fn told_or_dash(&self, field: Field) -> String {
        if self.has(field) { self.told(field) } else { "–".to_owned() }
    }
}

fn told(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Plain | Unit::List => number.to_string(),
        Unit::Magnitude => format::count(number),
        Unit::Nanoseconds => format::time(number),
        Unit::Seconds => format::time(number * 1e9),
        Unit::Decimals(digits) => format!("{number:.digits$}"),
        Unit::OfHundred => format!("{number:.1} %"),
        Unit::Percent => format!("{:.0} %", 100.0 * number),
    }
}

/// Records with the same plain fields as CSV: a header, then a line each, an absent value empty.
///
/// # Panics
///
/// Never: writing to memory does not fail.
pub fn to_csv<'r>(records: impl Iterator<Item = &'r Record> + Clone) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = records.clone().next().map(|record| record.written().map(|(name, _)| name.to_owned()).collect());
    for line in
        header.into_iter().chain(records.map(|record| record.written().map(|(_, value)| value.bare()).collect()))
    {
        let line: Vec<String> = line;
        writer.write_record(line).expect("lines are equally long, and memory takes every write");
    }
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8(bytes).expect("all fields are text")
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.written())
    }
}

impl Value {
    /// The value without quotes; empty if there is none.
    fn bare(&self) -> String {
        match self {
            Value::None => String::new(),
            Value::Text(text) => text.clone(),
            value => serde_json::to_string(value).unwrap_or_default(),
        }
    }

    /// A figure or count.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Count(count) => Some(*count as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A record.
    pub fn record(&self) -> Option<&Record> {
        match self {
            Value::Record(record) => Some(record),
            _ => None,
        }
    }
}

/// Values of a type, as a variant, after a conversion.
macro_rules! value {
    ($($from:ty => $variant:ident, $convert:expr;)*) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Value {
                Value::$variant($convert(value))
            }
        }
    )*};
}

value! {
    bool => Flag, |flag| flag;
    u32 => Count, u64::from;
    u64 => Count, |count| count;
    usize => Count, |count| count as u64;
    f64 => Number, |number| number;
    &str => Text, str::to_owned;
    String => Text, |text| text;
    Record => Record, |record| record;
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, T::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Value {
        Value::List(values.into_iter().map(T::into).collect())
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Value {
        Value::List(values.into_iter().map(T::into).collect())
    }
}
