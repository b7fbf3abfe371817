//! Floating-point numbers of 64 bits (IEEE 754) as terms: finite, and with one zero, so that equal numbers are one term.

use crate::name;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A finite number of 64 bits. Zero has no sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float(f64);

impl Float {
    /// The number; `None` of infinities and of what is no number.
    pub fn new(number: f64) -> Option<Float> {
        // The sum turns -0 into 0, and no other number into another.
        number.is_finite().then_some(Float(number + 0.0))
    }

    /// The number nearest to the one that a text spells with a fraction or an exponent, as `-1.5` or `2e-3`; `None` if it spells none, or
    /// one that is too large.
    pub fn spelled(text: &str) -> Option<Float> {
        if name::is_decimal(text) { Float::new(text.parse().ok()?) } else { None }
    }

    /// The number.
    #[inline]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl PartialOrd for Float {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The shortest spelling that is read as this number, with a fraction or an exponent.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_short_and_read_back() {
        for (text, shown) in [
            ("1.50", "1.5"),
            ("-0.0", "0.0"),
            ("1e5", "100000.0"),
            ("1E300", "1e300"),
            ("2.5e-7", "2.5e-7"),
            ("0.1", "0.1"),
            ("123456789.0", "123456789.0"),
            // 2^53 + 1 is no number of 64 bits.
            ("9007199254740993.0", "9007199254740992.0"),
            // The least number, and half of it, which is read as zero.
            ("5e-324", "5e-324"),
            ("1e-324", "0.0"),
        ] {
            let number = Float::spelled(text).unwrap();
            assert_eq!(number.to_string(), shown);
            assert_eq!(Float::spelled(shown), Some(number));
        }
        for text in ["1", "1e999", "-1e400", "inf", "NaN", "1.", "", "1.5x"] {
            assert_eq!(Float::spelled(text), None, "{text}");
        }
        assert_eq!(Float::new(f64::NAN), None);
        assert!(Float::spelled("-1.5") < Float::spelled("-0.5"));
    }
}
