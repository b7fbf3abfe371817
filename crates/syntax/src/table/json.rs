//! JSON lines to rows: an array or an object a line. JSON tells numbers and strings apart, so a string is a symbol even if it spells
//! an integer.

use super::rows::{ReadRows, RowFault};
use memchr::memchr;
use serde_json::{Map, Number, Value};
use std::ops::Range;

impl ReadRows {
    /// Reads the row of the line that begins at `at`, and returns where the next line begins.
    pub(super) fn json_row(&mut self, text: &[u8], at: usize) -> Result<usize, RowFault> {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        let next = (end + 1).min(text.len());
        let line = text[at..end].strip_suffix(b"\r").unwrap_or(&text[at..end]);
        let whole = at..at + line.len();
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let place = at + error.column().saturating_sub(1).min(line.len().saturating_sub(1));
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            RowFault::Json(place..place + 1, reason, "each line is an array, as `[1, \"a\"]`, or an object")
        })?;
        match value {
            Value::Array(values) if values.is_empty() => {
                Err(RowFault::Json(whole, "no columns".to_owned(), "a row has one value at least"))
            }
            Value::Array(values) if self.keys.is_none() => {
                values.iter().try_for_each(|value| self.json_value(value, &whole))?;
                Ok(next)
            }
            Value::Object(fields) if !fields.is_empty() && (self.keys.is_some() || self.cells.is_empty()) => {
                self.json_fields(&fields, &whole)?;
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
    fn json_fields(&mut self, fields: &Map<String, Value>, line: &Range<usize>) -> Result<(), RowFault> {
        let keys = self.keys.get_or_insert_with(|| fields.keys().cloned().collect()).clone();
        let help = "all lines have the keys of the first one, which say the order of the columns";
        if let Some(other) = fields.keys().find(|key| !keys.contains(key)) {
            return Err(RowFault::Json(line.clone(), format!("the first line has no key `{other}`"), help));
        }
        for key in &keys {
            let value = fields.get(key);
            let missing = || RowFault::Json(line.clone(), format!("the key `{key}` is missing"), help);
            self.json_value(value.ok_or_else(missing)?, line)?;
        }
        Ok(())
    }

    fn json_value(&mut self, value: &Value, line: &Range<usize>) -> Result<(), RowFault> {
        let wrong = |label: String, help| RowFault::Json(line.clone(), label, help);
        match value {
            Value::String(text) => self.symbol(text),
            Value::Bool(truth) => self.symbol(if *truth { "true" } else { "false" }),
            Value::Number(number) => self.integer(integer(number).map_err(|(label, help)| wrong(label, help))?),
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

/// The integer that a number is, or what is wrong with it and a way out.
fn integer(number: &Number) -> Result<i64, (String, &'static str)> {
    let help = "count in a smaller unit, or write a string, which is a symbol";
    number.as_i64().ok_or_else(|| match number.as_u64() {
        Some(_) => (format!("{number} has more than 64 bits"), help),
        None => (format!("{number} is no integer of 64 bits"), help),
    })
}
