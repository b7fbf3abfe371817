//! The spellings of ids, each made once.

use ludolog::engine::value::{IdTable, Value};
use std::ops::Range;

/// The spellings so far.
#[derive(Default)]
pub struct FactSpellings {
    /// One after the other.
    text: String,
    /// Where the spelling of an id is in the text; empty if it was not asked for.
    places: IdTable<Range<usize>>,
    digits: itoa::Buffer,
}

impl FactSpellings {
    /// The spelling of an id: digits, or what `spell` makes of it when it is asked for the first time.
    pub fn of<E>(&mut self, value: Value, spell: impl FnOnce() -> Result<String, E>) -> Result<&str, E> {
        if let Some(n) = value.as_small_integer() {
            return Ok(self.digits.format(n));
        }
        let place = self.places.entry(value);
        if place.start == place.end {
            let start = self.text.len();
            self.text += &spell()?;
            *place = start..self.text.len();
        }
        Ok(&self.text[place.clone()])
    }
}
