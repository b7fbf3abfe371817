//! What is measured, as data: a record is a JSON object, whose values belong to the fields of its benchmark.
//!
//! A benchmark declares its fields, what varies and what is measured, with the units in which they are told. Records are
//! written as they stand, and are the rows of all tables.

use super::format;
use serde_json::{Map, Value};

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

/// What varies, or what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in JSON and CSV. Fields whose names begin with a dot are not written.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
}

/// Declares fields with their names and units, or a kind of record with its fields in order.
#[macro_export]
macro_rules! fields {
    ($($field:ident: $name:literal $unit:expr;)*) => {$(
        pub(crate) const $field: $crate::report::Field = {
            use $crate::report::Unit::*;
            $crate::report::Field { name: $name, unit: $unit }
        };
    )*};
    ($kind:ident = $($field:ident)*) => {
        pub(crate) const $kind: &[$crate::report::Field] = &[$($field),*];
    };
}

/// A value for each field, in their order.
pub type Record = Map<String, Value>;

/// A record by its fields.
pub trait Fields: Sized {
    /// The record.
    fn record(&self) -> &Record;

    /// The record, to be changed.
    fn record_mut(&mut self) -> &mut Record;

    /// A record of these fields, without values.
    fn of(fields: &[Field]) -> Record {
        let empty = |unit| if unit == Unit::List { Value::Array(Vec::new()) } else { Value::Null };
        fields.iter().map(|field| (field.name.to_owned(), empty(field.unit))).collect()
    }

    /// Sets the value of a field. A field that the record does not have becomes its last.
    fn set(&mut self, field: Field, value: impl Into<Value>) {
        self.record_mut().insert(field.name.to_owned(), value.into());
    }

    /// The record with this value.
    #[must_use]
    fn with(mut self, field: Field, value: impl Into<Value>) -> Self {
        self.set(field, value);
        self
    }

    /// Sets the value of a field if the record has the field.
    fn fill(&mut self, field: Field, value: impl Into<Value>) {
        if let Some(old) = self.record_mut().get_mut(field.name) {
            *old = value.into();
        }
    }

    /// Adds to a list.
    fn push(&mut self, field: Field, value: impl Into<Value>) {
        match self.record_mut().get_mut(field.name) {
            Some(Value::Array(values)) => values.push(value.into()),
            _ => self.set(field, [value.into()]),
        }
    }

    /// The value of a field.
    fn value(&self, field: Field) -> &Value {
        self.record().get(field.name).unwrap_or(&Value::Null)
    }

    /// Whether the field has a value.
    fn has(&self, field: Field) -> bool {
        !self.value(field).is_null()
    }

    /// A text, empty if there is none.
    fn text(&self, field: Field) -> &str {
        self.value(field).as_str().unwrap_or_default()
    }

    /// Yes or no.
    fn flag(&self, field: Field) -> Option<bool> {
        self.value(field).as_bool()
    }

    /// Whether the field says yes.
    fn is(&self, field: Field) -> bool {
        self.flag(field) == Some(true)
    }

    /// A count.
    fn count(&self, field: Field) -> Option<u64> {
        self.value(field).as_u64()
    }

    /// A figure or count.
    fn number(&self, field: Field) -> Option<f64> {
        self.value(field).as_f64()
    }

    /// A record within the record.
    fn inner(&self, field: Field) -> Option<&Record> {
        self.value(field).as_object()
    }

    /// The values of a list, none if there is no list.
    fn list(&self, field: Field) -> &[Value] {
        self.value(field).as_array().map_or(&[], Vec::as_slice)
    }

    /// The records of a list.
    fn records(&self, field: Field) -> impl DoubleEndedIterator<Item = &Record> + Clone {
        self.list(field).iter().filter_map(Value::as_object)
    }

    /// The records of a list, to go on with.
    fn records_mut(&mut self, field: Field) -> impl Iterator<Item = &mut Record> {
        let values = self.record_mut().get_mut(field.name).and_then(Value::as_array_mut);
        values.into_iter().flatten().filter_map(Value::as_object_mut)
    }

    /// The figures of a list of so many.
    fn numbers<const N: usize>(&self, field: Field) -> Option<[f64; N]> {
        let numbers: Option<Vec<f64>> = self.list(field).iter().map(Value::as_f64).collect();
        numbers?.try_into().ok()
    }

    /// The value of a field in its unit, a list as the interval that it is; empty if there is none.
    fn told(&self, field: Field) -> String {
        match self.value(field) {
            Value::String(text) => text.clone(),
            Value::Array(values) => {
                let figures = values.iter().filter_map(Value::as_f64).map(|figure| told(figure, field.unit));
                figures.collect::<Vec<_>>().join(" to ")
            }
            value => value.as_f64().map_or(String::new(), |number| told(number, field.unit)),
        }
    }

    /// The value of a field in its unit; a dash if there is none.
    fn told_or_dash(&self, field: Field) -> String {
        if self.has(field) { self.told(field) } else { "–".to_owned() }
    }
}

impl Fields for Record {
    fn record(&self) -> &Record {
        self
    }

    fn record_mut(&mut self) -> &mut Record {
        self
    }
}

fn told(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Plain | Unit::List => number.to_string(),
        Unit::Magnitude => format::count(number),
        Unit::Nanoseconds => format::time(number),
        Unit::Seconds => format::time(number * 1e9),
        Unit::Decimals(digits) => format!("{number:.digits$}"),
        Unit::Percent => format!("{:.0} %", 100.0 * number),
        Unit::OfHundred => format!("{number:.1} %"),
    }
}

/// Removes the fields that are not written.
pub(super) fn strip(value: &mut Value) {
    match value {
        Value::Object(record) => {
            record.retain(|name, _| !name.starts_with('.'));
            record.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Records of one kind as CSV: a header, then a line each, an absent value empty.
///
/// # Panics
///
/// Never: writing to memory does not fail.
pub(crate) fn to_csv<'r>(records: impl Iterator<Item = &'r Record>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, record) in records.enumerate() {
        let written = || record.iter().filter(|(name, _)| !name.starts_with('.'));
        let bare = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let header = (number == 0).then(|| written().map(|(name, _)| name.clone()).collect());
        for line in header.into_iter().chain([written().map(|(_, value)| bare(value)).collect::<Vec<_>>()]) {
            writer.write_record(line).expect("lines are equally long, and memory takes every write");
        }
    }
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8(bytes).expect("all fields are text")
}

#[cfg(test)]
mod tests {
    use super::*;

    fields! {
        NAME: "name" Plain;
        TIME: "time_ns" Nanoseconds;
        SHARE: "share" Percent;
        RANGE: "range" Decimals(1);
        SECRET: ".secret" Plain;
        INNER: "inner" List;
    }

    fn record() -> Record {
        let inner = Record::default().with(SECRET, "hidden").with(TIME, 1_500);
        let record = Record::of(&[INNER, NAME, TIME, SHARE]).with(NAME, "a, b").with(SHARE, 0.25);
        record.with(RANGE, [1.0, 2.5]).with(SECRET, true).with(INNER, [inner])
    }

    #[test]
    fn values_are_told_in_their_units() {
        let record = record();
        assert_eq!([NAME, TIME, SHARE, RANGE].map(|field| record.told(field)), ["a, b", "", "25 %", "1.0 to 2.5"]);
        assert_eq!(record.told_or_dash(TIME), "–");
        assert_eq!(record.records(INNER).map(|inner| inner.told(TIME)).collect::<Vec<_>>(), ["1.50 µs"]);
        assert_eq!((record.numbers(RANGE), record.numbers::<3>(RANGE)), (Some([1.0, 2.5]), None));
        assert!(record.is(SECRET) && !record.has(TIME));
    }

    #[test]
    fn only_fields_of_a_record_are_filled() {
        let mut record = Record::of(&[TIME]);
        record.fill(TIME, 7);
        record.fill(SHARE, 0.5);
        assert_eq!((record.count(TIME), record.len()), (Some(7), 1));
    }

    #[test]
    fn hidden_fields_are_not_written() {
        let mut json = Value::Object(record());
        strip(&mut json);
        let expected = r#"{"inner":[{"time_ns":1500}],"name":"a, b","time_ns":null,"share":0.25,"range":[1.0,2.5]}"#;
        assert_eq!(json.to_string(), expected);
        let plain = Record::of(&[NAME, SECRET, TIME]).with(NAME, "a, b").with(SECRET, 1);
        assert_eq!(to_csv([&plain, &plain].into_iter()), "name,time_ns\n\"a, b\",\n\"a, b\",\n");
    }
}
