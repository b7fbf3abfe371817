//! The spellings of ids, each made once.

use ludolog::engine::value::Value;
use std::ops::Range;

/// The spellings so far.
#[derive(Default)]
pub struct FactSpellings {
    /// One after the other.
    text: String,
    /// By id: where its spelling is in the text; empty if it was not asked for.
    places: Vec<Range<usize>>,
    digits: itoa::Buffer,
}

impl FactSpellings {
    /// The spelling of an id: digits, or what `spell` makes of it when it is asked for the first time.
    pub fn of<E>(&mut self, value: Value, spell: impl FnOnce() -> Result<String, E>) -> Result<&str, E> {
        if let Some(n) = value.as_small_integer() {
            return Ok(self.digits.format(n));
        }
        let id = value.0 as usize;
        if self.places.len() <= id {
            self.places.resize(id + 1, 0..0);
        }
        if self.places[id].is_empty() {
            let start = self.text.len();
            self.text += &spell()?;
            self.places[id] = start..self.text.len();
        }
        Ok(&self.text[self.places[id].clone()])
    }
}
