//! Sums of floats that do not depend on the order of what is added: exact in fixed point, and rounded once.
//!
//! A float is an integer times 2^-1074, so a sum is an integer, too. It is kept in digits of 32 bits, each with room for the carries of
//! some additions (R. M. Neal, *Fast exact summation using small and large superaccumulators*, 2015). Digits are there as far as numbers
//! reach, and four of them are one integer, since there may be a sum for each of many groups, mostly of numbers that are alike.

use ludolog_syntax::ast::Float;

/// Bits of a digit.
const BITS: usize = 32;

/// The bits of a digit without carries.
const DIGIT: i64 = (1 << BITS) - 1;

/// Bits of the integer that a float of 64 bits is.
const PRECISION: usize = 53;

/// Additions after which carries are moved on: each adds less than 2^32 to a digit of 63 bits.
const CARRY_AFTER: u32 = 1 << 30;

/// An exact sum of floats.
#[derive(Clone, Debug, Default)]
pub struct FloatSum {
    /// The number of floats.
    count: u64,
    sum: Sum,
}

#[derive(Clone, Debug)]
enum Sum {
    /// An integer of 128 bits, the low half first, that counts 2^(32 · place - 1074).
    Short {
        place: u32,
        halves: [u64; 2],
    },
    Long(Box<LongSum>),
}

/// A sum in digits.
#[derive(Clone, Debug)]
struct LongSum {
    /// The place of the first digit: it counts 2^(32 · place - 1074).
    place: usize,
    digits: Vec<i64>,
    /// Additions since carries were moved on.
    added: u32,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum::Short { place: 0, halves: [0; 2] }
    }
}

/// The sum of an integer at one place and another at another one, at the lower of both; `None` if it does not fit 128 bits.
fn short_sum((place, sum): (u32, i128), (other, more): (u32, i128)) -> Option<(u32, i128)> {
    if sum == 0 {
        return Some((other, more));
    }
    let least = place.min(other);
    let moved = |place: u32, integer: i128| {
        let bits = (place - least) * BITS as u32;
        let moved = integer.checked_shl(bits)?;
        (moved >> bits == integer).then_some(moved)
    };
    Some((least, moved(place, sum)?.checked_add(moved(other, more)?)?))
}

fn integer_of(halves: [u64; 2]) -> i128 {
    (u128::from(halves[0]) | u128::from(halves[1]) << 64) as i128
}

impl Sum {
    /// Adds an integer of 85 bits at a place.
    fn add(&mut self, place: usize, integer: i128) {
        match self {
            Sum::Long(long) => long.add(place, integer),
            Sum::Short { place: own, halves } => {
                match short_sum((*own, integer_of(*halves)), (place as u32, integer)) {
                    Some((place, sum)) => *self = Sum::Short { place, halves: [sum as u64, (sum >> 64) as u64] },
                    None => {
                        let mut long = self.to_long();
                        long.add(place, integer);
                        *self = Sum::Long(Box::new(long));
                    }
                }
            }
        }
    }

    fn to_long(&self) -> LongSum {
        match self {
            Sum::Long(long) => (**long).clone(),
            Sum::Short { place, halves } => {
                let sum = integer_of(*halves);
                let digit = |i: usize| (sum >> (i * BITS)) as i64 & DIGIT;
                // The last one has the sign.
                let digits = vec![digit(0), digit(1), digit(2), (sum >> (3 * BITS)) as i64];
                LongSum { place: *place as usize, digits, added: 1 }
            }
        }
    }
}

impl FloatSum {
    /// The number of floats that were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a float.
    pub fn add(&mut self, float: Float) {
        let bits = float.get().to_bits();
        let fraction = bits & ((1 << (PRECISION - 1)) - 1);
        let (integer, power) = match (bits >> (PRECISION - 1)) as usize & 0x7ff {
            0 => (fraction, 0),
            exponent => (fraction | 1 << (PRECISION - 1), exponent - 1),
        };
        self.count += 1;
        if integer > 0 {
            let wide = i128::from(integer) << (power % BITS);
            self.sum.add(power / BITS, if bits >> 63 == 0 { wide } else { -wide });
        }
    }

    /// The float nearest to the sum, of two as near the even one; `None` if it is too large.
    pub fn value(&self) -> Option<Float> {
        self.sum.to_long().value()
    }
}

impl LongSum {
    /// Adds an integer of 85 bits at a place.
    fn add(&mut self, place: usize, integer: i128) {
        let at = self.reach(place);
        let magnitude = integer.unsigned_abs();
        for (i, digit) in self.digits[at..at + 3].iter_mut().enumerate() {
            let part = (magnitude >> (i * BITS)) as i64 & DIGIT;
            *digit += if integer > 0 { part } else { -part };
        }
        self.added += 1;
        if self.added == CARRY_AFTER {
            carry(&mut self.digits);
            self.added = 0;
        }
    }

    /// Makes room for three digits from this place on; the index of the first.
    fn reach(&mut self, place: usize) -> usize {
        if place < self.place {
            self.digits.splice(..0, std::iter::repeat_n(0, self.place - place));
            self.place = place;
        }
        let at = place - self.place;
        if self.digits.len() < at + 3 {
            self.digits.resize(at + 3, 0);
        }
        at
    }

    /// The float nearest to the sum.
    fn value(self) -> Option<Float> {
        let LongSum { place, mut digits, .. } = self;
        carry(&mut digits);
        let is_negative = digits.last().is_some_and(|top| *top < 0);
        if is_negative {
            digits.iter_mut().for_each(|digit| *digit = -*digit);
            carry(&mut digits);
        }
        let Some(top) = digits.iter().rposition(|digit| *digit != 0) else { return Float::new(0.0) };
        let first = place * BITS;
        let length = first + top * BITS + (64 - digits[top].leading_zeros() as usize);
        // Sums of few bits are floats themselves.
        let cut = length.saturating_sub(PRECISION);
        let mut integer = bits_from(&digits, first, cut);
        let mut power = cut;
        if cut > 0 {
            let is_half = bits_from(&digits, first, cut - 1) & 1 == 1;
            let is_more = has_bits_below(&digits, first, cut - 1);
            integer += u64::from(is_half && (is_more || integer & 1 == 1));
            if integer == 1 << PRECISION {
                (integer, power) = (integer / 2, power + 1);
            }
        }
        // The first bit is implicit, but for those of the least exponent.
        let exponent = if integer >> (PRECISION - 1) == 0 { 0 } else { power as u64 + 1 };
        if exponent >= 0x7ff {
            return None;
        }
        let sign = u64::from(is_negative) << 63;
        let fraction = integer & ((1 << (PRECISION - 1)) - 1);
        Float::new(f64::from_bits(sign | exponent << (PRECISION - 1) | fraction))
    }
}

/// Moves carries on, so that all digits but the last are neither negative nor longer than 32 bits, and the last is not longer.
fn carry(digits: &mut Vec<i64>) {
    let mut carry = 0;
    for digit in digits.iter_mut() {
        let sum = *digit + carry;
        (*digit, carry) = (sum & DIGIT, sum >> BITS);
    }
    while !matches!(carry, 0 | -1) {
        digits.push(carry & DIGIT);
        carry >>= BITS;
    }
    if let Some(top) = digits.last_mut() {
        *top += carry << BITS;
    }
}

/// The 53 bits from a place on, of digits whose first bit has the place `first`.
fn bits_from(digits: &[i64], first: usize, from: usize) -> u64 {
    let mut bits = 0;
    for (i, digit) in digits.iter().enumerate() {
        let place = first + i * BITS;
        // Digits that the bits have no part in are out of range of the shifts.
        if place + BITS > from && place < from + PRECISION {
            let digit = *digit as u128;
            bits |= if place >= from { digit << (place - from) } else { digit >> (from - place) };
        }
    }
    bits as u64 & ((1 << PRECISION) - 1)
}

/// Whether a bit below a place is set.
fn has_bits_below(digits: &[i64], first: usize, below: usize) -> bool {
    digits.iter().enumerate().any(|(i, digit)| {
        let place = first + i * BITS;
        let kept = below.saturating_sub(place).min(BITS);
        digit & ((1 << kept) - 1) != 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(numbers: &[f64]) -> Option<f64> {
        let mut sum = FloatSum::default();
        numbers.iter().for_each(|number| sum.add(Float::new(*number).unwrap()));
        assert_eq!(sum.count(), numbers.len() as u64);
        sum.value().map(Float::get)
    }

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum(&[]), Some(0.0));
        assert_eq!(sum(&[0.1; 10]), Some(1.0));
        assert_eq!(sum(&[1e100, 1.0, -1e100]), Some(1.0));
        assert_eq!(sum(&[1.0, 1e100, -1e100, -1.0]), Some(0.0));
        assert_eq!(sum(&[-1.5, 0.25]), Some(-1.25));
        // Halfway between two floats, the even one; a little more, the greater one.
        assert_eq!(sum(&[9007199254740992.0, 1.0]), Some(9007199254740992.0));
        assert_eq!(sum(&[9007199254740992.0, 1.0, 1e-300]), Some(9007199254740994.0));
        assert_eq!(sum(&[-9007199254740992.0, -3.0]), Some(-9007199254740996.0));
        assert_eq!(sum(&[9007199254740991.0, 0.5]), Some(9007199254740992.0));
    }

    #[test]
    fn sums_reach_from_the_least_to_the_greatest_float() {
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), Some(f64::MAX));
        assert_eq!(sum(&[f64::MAX, f64::MAX]), None);
        assert_eq!(sum(&[5e-324, 5e-324]), Some(1e-323));
        assert_eq!(sum(&[f64::MIN_POSITIVE, -5e-324]), Some(f64::MIN_POSITIVE - 5e-324));
        assert_eq!(sum(&[1e308, 5e-324, -1e308]), Some(5e-324));
        assert_eq!(sum(&[5e-324, 1e308, -1e308, -1e-323]), Some(-5e-324));
    }

    /// Numbers with 20 bits behind the point have an exact sum of 128 bits.
    #[test]
    fn sums_agree_with_integers_in_any_order() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 20) as i64 - (1 << 43)
        };
        for length in 1..200 {
            let parts: Vec<i64> = (0..length).map(|_| next()).collect();
            let mut numbers: Vec<f64> = parts.iter().map(|part| *part as f64 / 1048576.0).collect();
            let total: i128 = parts.iter().map(|part| i128::from(*part)).sum();
            let expected = total as f64 / 1048576.0;
            assert_eq!(sum(&numbers), Some(expected));
            numbers.reverse();
            assert_eq!(sum(&numbers), Some(expected));
        }
    }
}
