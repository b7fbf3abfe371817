//! Templates that compute with floats: out of the loops that compute with integers, which ask for floats where they find no integer.

use super::Template;
use crate::value::number::Site;
use crate::value::{Intern, Interner, Value};
use ludolog_syntax::ast::{Float, Operation, Term};
use num_bigint::{BigInt, ToBigInt};

/// The float that an operation computes of one or two; that of one takes it as `b`. `None` if there is no such operation of floats, or if its
/// result is infinite or no number, as of a division by zero.
pub(super) fn apply(operation: Operation, a: f64, b: f64) -> Option<Float> {
    Float::new(match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Negate => -b,
        Operation::Multiply => a * b,
        Operation::Divide => a / b,
        Operation::Minimum => a.min(b),
        Operation::Maximum => a.max(b),
        Operation::Absolute => b.abs(),
        Operation::Power => a.powf(b),
        Operation::Float => b,
        Operation::SquareRoot => b.sqrt(),
        Operation::Exponential => b.exp(),
        Operation::Logarithm => b.ln(),
        _ => return None,
    })
}

/// The integer that an operation rounds a float to.
///
/// # Errors
///
/// The integer, if it does not fit 64 bits; zero of an operation that does not round.
pub(super) fn round(operation: Operation, float: Float) -> Result<i64, BigInt> {
    let whole = match operation {
        Operation::Floor => float.get().floor(),
        Operation::Ceiling => float.get().ceil(),
        Operation::Round => float.get().round(),
        _ => return Err(BigInt::ZERO),
    };
    // Both are powers of two, and exact.
    if whole >= i64::MIN as f64 && whole < -(i64::MIN as f64) {
        Ok(whole as i64)
    } else {
        Err(whole.to_bigint().unwrap_or_default())
    }
}

/// The float nearest to an integer of any size; `None` if it is too large.
pub(super) fn nearest(integer: &BigInt) -> Option<Float> {
    Float::new(integer.to_string().parse().ok()?)
}

/// The float nearest to the number that a text spells: that of an integer or of a float.
pub(super) fn spelled(text: &str) -> Option<Float> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Float::new(text.parse().ok()?)
    } else {
        Float::spelled(text)
    }
}

impl Template {
    /// The float that the template evaluates to; `None` if its value is none.
    #[inline(never)]
    pub(super) fn float(&self, slots: &[Value], interner: &Interner) -> Option<Float> {
        match self {
            Template::Constant(value) => interner.as_float(*value),
            Template::Slot(slot) => interner.as_float(slots[*slot as usize]),
            Template::Compound(..) | Template::Text(..) => None,
            Template::Called(..) => match self.called(slots, interner) {
                Some(Term::Float(float)) => Some(float),
                _ => None,
            },
            Template::Compute(computation) | Template::Float(computation) => {
                let operation = computation.operation;
                match &computation.parts[..] {
                    [part] if operation == Operation::Float => part.to_float(slots, interner),
                    _ if !operation.is_of_floats() || operation.rounds() => None,
                    [a, b] => apply(operation, a.float(slots, interner)?.get(), b.float(slots, interner)?.get()),
                    [b] => apply(operation, 0.0, b.float(slots, interner)?.get()),
                    _ => None,
                }
            }
        }
    }

    /// The float nearest to the number that the template evaluates to, or that its symbol spells.
    fn to_float(&self, slots: &[Value], interner: &Interner) -> Option<Float> {
        if let Some(integer) = self.integer(slots, interner) {
            return Float::new(integer as f64);
        }
        let float = self.float(slots, interner);
        let float = float.or_else(|| spelled(&self.symbol(slots, interner)?));
        float.or_else(|| nearest(&self.kept_integer(slots, interner)?))
    }

    /// The integer that an operation rounds the value of the template to; `None` if it is no float, or if the integer does not fit 64 bits,
    /// which is noted.
    #[inline(never)]
    pub(super) fn rounded(
        &self,
        operation: Operation,
        site: Site,
        slots: &[Value],
        interner: &Interner,
    ) -> Option<i64> {
        let float = self.float(slots, interner)?;
        round(operation, float).map_err(|value| interner.note_rounded(site, float, &value)).ok()
    }

    /// The value of a template that evaluates to no integer of 64 bits and to no symbol: a float, or an integer of any size where such
    /// integers are kept; `None` if it is neither.
    #[inline]
    pub(super) fn other_number(&self, slots: &[Value], interner: &mut impl Intern) -> Option<Value> {
        let known = interner.known();
        if known.has_floats()
            && let Some(float) = self.float(slots, known)
        {
            return Some(interner.float(float));
        }
        if known.keeps_beyond() { self.exact_value(slots, interner) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(text: &str) -> Float {
        Float::spelled(text).unwrap()
    }

    #[test]
    fn operations_without_a_finite_result_have_none() {
        assert_eq!(apply(Operation::Divide, 1.0, 0.0), None);
        assert_eq!(apply(Operation::Divide, 0.0, 0.0), None);
        assert_eq!(apply(Operation::Multiply, 1e200, 1e200), None);
        assert_eq!(apply(Operation::SquareRoot, 0.0, -1.0), None);
        assert_eq!(apply(Operation::Logarithm, 0.0, 0.0), None);
        assert_eq!(apply(Operation::Modulo, 3.0, 2.0), None);
        assert_eq!(apply(Operation::Negate, 0.0, 0.0), Some(float("0.0")));
        assert_eq!(apply(Operation::Power, 2.0, 0.5), apply(Operation::SquareRoot, 0.0, 2.0));
    }

    #[test]
    fn floats_are_rounded_to_integers_of_any_size() {
        for (text, floor, ceiling, nearest) in [
            ("2.5", 2, 3, 3),
            ("-2.5", -3, -2, -3),
            ("0.49", 0, 1, 0),
            ("-9.223372036854775808e18", i64::MIN, i64::MIN, i64::MIN),
        ] {
            let rounded = [Operation::Floor, Operation::Ceiling, Operation::Round].map(|how| round(how, float(text)));
            assert_eq!(rounded, [Ok(floor), Ok(ceiling), Ok(nearest)], "{text}");
        }
        assert_eq!(round(Operation::Floor, float("9.223372036854775808e18")), Err(BigInt::from(1u64 << 63)));
        assert_eq!(nearest(&(BigInt::from(1) << 1024)), None);
        assert_eq!(nearest(&(BigInt::from(1) << 100)), Some(float("1.2676506002282294e30")));
    }

    #[test]
    fn symbols_spell_integers_and_floats() {
        assert_eq!(spelled("007"), Some(float("7.0")));
        assert_eq!(spelled("-2.5e1"), Some(float("-25.0")));
        for text in ["", "-", "x", "1x", "inf", "NaN", "+5", "1e999"] {
            assert_eq!(spelled(text), None, "{text}");
        }
    }
}
