//! The floats that terms evaluate to. Those of random programs are few and short, so that their sums are exact.

use super::arithmetic::{integer, symbol};
use ludolog::syntax::ast::{Float, Term};
use ludolog::syntax::is_decimal;

/// The float that a ground term evaluates to; `None` if there is none.
pub fn float(term: &Term) -> Option<f64> {
    let Term::Compound(name, args) = term else {
        return if let Term::Float(float) = term { Some(float.get()) } else { None };
    };
    let number = match (&**name, &**args) {
        ("+", [a, b]) => float(a)? + float(b)?,
        ("-", [a, b]) => float(a)? - float(b)?,
        ("-", [a]) => 0.0 - float(a)?,
        ("*", [a, b]) => float(a)? * float(b)?,
        ("/", [a, b]) => float(a)? / float(b)?,
        ("min", [a, b]) => [float(a)?, float(b)?].into_iter().fold(f64::INFINITY, f64::min),
        ("max", [a, b]) => [float(a)?, float(b)?].into_iter().fold(f64::NEG_INFINITY, f64::max),
        ("abs", [a]) => f64::max(float(a)?, 0.0 - float(a)?),
        ("power", [a, b]) => float(a)?.powf(float(b)?),
        ("sqrt", [a]) => float(a)?.powf(0.5),
        ("exp", [a]) => float(a)?.exp(),
        ("log", [a]) => float(a)?.ln(),
        ("to_float", [a]) => match (integer(a), float(a), symbol(a)) {
            (Some(n), ..) => n as f64,
            (None, Some(number), _) => number,
            (None, None, text) => {
                let text = text.filter(|text| is_decimal(text) || is_digits(text))?;
                text.parse().ok()?
            }
        },
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn is_digits(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// The integer that a function makes of a float; `None` of other terms.
pub fn rounded(name: &str, of: &Term) -> Option<i64> {
    let number = float(of)?;
    let below = number.floor();
    let above = -(-number).floor();
    let whole = match name {
        "floor" => below,
        "ceiling" => above,
        // Halves go away from zero.
        "round" if number - below < above - number || number - below == above - number && number < 0.0 => below,
        "round" => above,
        _ => return None,
    };
    (-9.2e18..9.2e18).contains(&whole).then_some(whole as i64)
}

/// The sum of floats that have no more than 60 bits behind the point, rounded once.
pub fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let unit = 2f64.powi(60);
    numbers.map(|number| (number * unit) as i128).sum::<i128>() as f64 / unit
}

/// The term of a float.
pub fn term(number: f64) -> Option<Term> {
    Float::new(number).map(Term::Float)
}
