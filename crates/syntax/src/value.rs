//! Ground terms as numbers of 32 bits, by which tables and engines hold their rows.

use std::ops::RangeInclusive;

/// The number of a ground term: an integer of 31 bits is its own (top bit set); any other term has one of those that hold it, the constants of a
/// [table](crate::Table) or what an engine knows. Their order has no meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Value(pub u32);

/// The bit that marks an integer that is its own number.
const INLINE: u32 = 1 << 31;

/// What a [`Value`] tells by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An integer of 31 bits.
    Integer(i64),
    /// The number of any other term.
    Constant(usize),
}

impl Value {
    /// The integers that are their own numbers.
    pub const SMALL_INTEGERS: RangeInclusive<i64> = -(1 << 30)..=(1 << 30) - 1;

    /// The value of an integer that is its own number.
    #[inline]
    pub fn small_integer(n: i64) -> Option<Value> {
        Self::SMALL_INTEGERS.contains(&n).then_some(Value(INLINE | (n as u32 & !INLINE)))
    }

    /// The integer that is its own number, if this is one.
    #[inline]
    pub fn as_small_integer(self) -> Option<i64> {
        (self.0 & INLINE != 0).then(|| i64::from((self.0 << 1) as i32 >> 1))
    }

    /// The value of the constant of this number.
    pub(crate) fn of_constant(number: usize) -> Value {
        let number = u32::try_from(number).ok().filter(|number| number & INLINE == 0);
        Value(number.expect("fewer constants than memory holds"))
    }

    /// The integer or the number of the constant that it stands for.
    #[inline]
    pub fn content(self) -> Content {
        match self.as_small_integer() {
            Some(n) => Content::Integer(n),
            None => Content::Constant(self.0 as usize),
        }
    }
}
