//! JSON lines to rows: an array or an object a line. JSON tells numbers and strings apart, so a string is a symbol even if it spells
//! an integer.

use super::rows::{ReadRows, RowFault};
use crate::ast::Float;
use crate::name;
use indexmap::IndexMap;
use indexmap::map::Entry;
use memchr::memchr;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Number, Value};
use std::fmt;
use std::ops::Range;

/// The fields of an object in their order, whose keys are all different.
struct JsonFields(IndexMap<String, Value>);

impl<'de> Deserialize<'de> for JsonFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = JsonFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonFields, A::Error> {
        let mut fields = IndexMap::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            match fields.entry(key) {
                Entry::Vacant(free) => _ = free.insert(value),
                Entry::Occupied(taken) => {
                    return Err(A::Error::custom(format_args!("the key `{}` comes twice", taken.key())));
                }
            }
        }
        Ok(JsonFields(fields))
    }
}

/// A line of a file of JSON lines.
enum JsonLine {
    Object(IndexMap<String, Value>),
    Other(Value),
}

impl JsonLine {
    fn read(line: &[u8]) -> Result<JsonLine, serde_json::Error> {
        if line.trim_ascii_start().starts_with(b"{") {
            serde_json::from_slice(line).map(|JsonFields(fields)| JsonLine::Object(fields))
        } else {
            serde_json::from_slice(line).map(JsonLine::Other)
        }
    }
}

/// Whether a line is a row of JSON and hardly anything else: an object, or an array of several values.
pub(super) fn is_row(line: &[u8]) -> bool {
    match JsonLine::read(line) {
        Ok(JsonLine::Object(_)) => true,
        Ok(JsonLine::Other(Value::Array(values))) => values.len() > 1,
        _ => false,
    }
}

impl ReadRows {
    /// Reads the row of the line that begins at `at`, and returns where the next line begins.
    pub(super) fn json_row(&mut self, text: &[u8], at: usize) -> Result<usize, RowFault> {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        let next = (end + 1).min(text.len());
        let line = text[at..end].strip_suffix(b"\r").unwrap_or(&text[at..end]);
        let whole = at..at + line.len();
        let value = JsonLine::read(line).map_err(|error| {
            let place = at + error.column().saturating_sub(1).min(line.len().saturating_sub(1));
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            let help = if error.is_data() {
                "a key is the name of a column: leave one of the two out, or name it otherwise"
            } else {
                "each line is an array, as `[1, \"a\"]`, or an object"
            };
            RowFault::Json(place..place + 1, reason, help)
        })?;
        match value {
            JsonLine::Other(Value::Array(values)) if values.is_empty() => {
                Err(RowFault::Json(whole, "no columns".to_owned(), "a row has one value at least"))
            }
            JsonLine::Other(Value::Array(values)) if self.keys.is_none() => {
                values.iter().try_for_each(|value| self.json_value(value, line, &whole))?;
                Ok(next)
            }
            JsonLine::Object(fields) if !fields.is_empty() && (self.keys.is_some() || self.cells.is_empty()) => {
                self.json_fields(&fields, line, &whole)?;
                Ok(next)
            }
            _ => Err(RowFault::Json(
                whole,
                "no array or object as the lines before".to_owned(),
                "all lines are arrays, or all are objects with the same keys",
            )),
        }
    }

    /// Reads the values of an object in the order of the columns.
    fn json_fields(
        &mut self,
        fields: &IndexMap<String, Value>,
        text: &[u8],
        line: &Range<usize>,
    ) -> Result<(), RowFault> {
        let keys = self.keys.get_or_insert_with(|| fields.keys().cloned().collect()).clone();
        let help = "all lines have the keys of the first one, which say the order of the columns";
        if let Some(other) = fields.keys().find(|key| !keys.contains(key)) {
            return Err(RowFault::Json(line.clone(), format!("the first line has no key `{other}`"), help));
        }
        for key in &keys {
            let value = fields.get(key);
            let missing = || RowFault::Json(line.clone(), format!("the key `{key}` is missing"), help);
            self.json_value(value.ok_or_else(missing)?, text, line)?;
        }
        Ok(())
    }

    /// Reads a value of the line of this text.
    fn json_value(&mut self, value: &Value, text: &[u8], line: &Range<usize>) -> Result<(), RowFault> {
        let wrong = |label: String, help| RowFault::Json(line.clone(), label, help);
        match value {
            Value::String(text) => self.symbol(text),
            Value::Bool(truth) => self.symbol(if *truth { "true" } else { "false" }),
            Value::Number(number) => match (number.as_i64(), float(number, text)) {
                (None, Some(_)) if is_negative_zero(number) && has_only_integer_zeros(text) => self.integer(0),
                (Some(integer), _) => self.integer(integer),
                (None, Some(float)) => self.float(float),
                (None, None) => {
                    let help = "count in a larger unit, or write a string, which is a symbol";
                    return Err(wrong(format!("{number} has more than 64 bits"), help));
                }
            },
            Value::Null => {
                return Err(wrong(
                    "`null` is no value".to_owned(),
                    "leave the line out, or write a symbol: `\"none\"`",
                ));
            }
            Value::Array(_) | Value::Object(_) => {
                let help = "a value is a number, a string, `true` or `false`: write parts as columns of their own";
                return Err(wrong("a value within a value".to_owned(), help));
            }
        }
        Ok(())
    }
}

/// The float that a number of a line is; `None` of an integer, also of one that the reader of JSON takes for a float since it has more than
/// 64 bits.
fn float(number: &Number, line: &[u8]) -> Option<Float> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    if float.abs() >= 2f64.powi(63) && has_long_integer(line) { None } else { Float::new(float) }
}

/// Whether a number of a line of JSON has neither fraction nor exponent, and more than 64 bits.
fn has_long_integer(line: &[u8]) -> bool {
    numbers(line).any(|number| name::is_integer(number) && name::integer(number).is_none())
}

/// Whether the reader of JSON gives a number as the negative zero of floats: that is also what it makes of the integer `-0`.
fn is_negative_zero(number: &Number) -> bool {
    number.as_f64().is_some_and(|float| float == 0.0 && float.is_sign_negative())
}

/// Whether all negative zeros of a line of JSON are written as integers.
fn has_only_integer_zeros(line: &[u8]) -> bool {
    let is_zero = |number: &&str| number.starts_with('-') && number.parse::<f64>().is_ok_and(|float| float == 0.0);
    numbers(line).filter(is_zero).all(|zero| zero == "-0")
}

/// The numbers of a line of JSON, as they are written.
fn numbers(line: &[u8]) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < line.len() {
            let begin = at;
            at += match line[at] {
                b'"' => string_length(&line[at..]),
                b'-' | b'0'..=b'9' => {
                    let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    at += line[at..].iter().take_while(is_part).count();
                    return std::str::from_utf8(&line[begin..at]).ok();
                }
                _ => 1,
            };
        }
        None
    })
}

/// The length of the string, marks included, that a text begins with.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}
