//! The values of expressions, of comparisons, and of aggregates over sets of tuples.

use super::floats::{self, float, rounded};
use super::regular;
use ludolog::syntax::ast::{AggregateFunction, Comparator, Term};
use std::collections::BTreeSet;

/// Whether a comparison of ground terms holds.
pub fn compare(comparator: Comparator, left: &Term, right: &Term) -> bool {
    let integers = integer(left).zip(integer(right));
    let floats = float(left).zip(float(right)).and_then(|(a, b)| a.partial_cmp(&b));
    let symbols = || Some(symbol(left)?.cmp(&symbol(right)?));
    let order = integers.map(|(a, b)| a.cmp(&b)).or(floats).or_else(symbols);
    match comparator {
        Comparator::Equal => computed(left) == computed(right),
        Comparator::NotEqual => computed(left) != computed(right),
        Comparator::Is => value(right).is_some_and(|right| {
            let number = integer(left).map(Term::Integer).or(float(left).and_then(floats::term));
            number.or(symbol(left).map(|name| Term::symbol(&name))) == Some(right)
        }),
        Comparator::Matches => {
            symbol(left).zip(symbol(right)).is_some_and(|(text, pattern)| regular::matches(&pattern, &text))
        }
        Comparator::SameValue => order.is_some_and(|order| order.is_eq()),
        Comparator::OtherValue => order.is_some_and(|order| order.is_ne()),
        Comparator::Less => order.is_some_and(|order| order.is_lt()),
        Comparator::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Comparator::Greater => order.is_some_and(|order| order.is_gt()),
        Comparator::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
    }
}

/// A term of a tuple of an aggregate: what an operation computes, any other term as it stands; `None` if it cannot be computed.
pub fn tuple_term(term: &Term) -> Option<Term> {
    const OPERATIONS: [(&str, usize); 27] = [
        ("to_float", 1),
        ("floor", 1),
        ("ceiling", 1),
        ("round", 1),
        ("sqrt", 1),
        ("exp", 1),
        ("log", 1),
        ("power", 2),
        ("band", 2),
        ("bor", 2),
        ("bxor", 2),
        ("bnot", 1),
        ("bshl", 2),
        ("bshr", 2),
        ("to_number", 1),
        ("to_string", 1),
        ("+", 2),
        ("-", 2),
        ("*", 2),
        ("/", 2),
        ("mod", 2),
        ("-", 1),
        ("min", 2),
        ("max", 2),
        ("abs", 1),
        ("length", 1),
        ("substring", 3),
    ];
    match term {
        Term::Compound(name, args)
            if OPERATIONS.contains(&(name, args.len())) || &**name == "cat" && args.len() > 1 =>
        {
            value(term)
        }
        _ => Some(term.clone()),
    }
}

/// The value of an aggregate over tuples; `None` if it has none.
pub fn aggregate(function: AggregateFunction, tuples: &BTreeSet<Vec<Term>>) -> Option<Term> {
    let firsts: Vec<&Term> = tuples.iter().map(|tuple| &tuple[0]).collect();
    let integers: Option<Vec<i64>> =
        firsts.iter().map(|term| if let Term::Integer(n) = term { Some(*n) } else { None }).collect();
    let are_symbols = firsts.iter().all(|term| matches!(term, Term::Symbol(_)));
    let are_floats = !firsts.is_empty() && firsts.iter().all(|term| matches!(term, Term::Float(_)));
    if are_floats && matches!(function, AggregateFunction::Sum | AggregateFunction::Average) {
        let sum: f64 = firsts.iter().filter_map(|term| float(term)).sum();
        return floats::term(if function == AggregateFunction::Sum { sum } else { sum / firsts.len() as f64 });
    }
    let comparable =
        (integers.is_some() || are_floats || are_symbols).then(|| firsts.iter().copied().collect::<BTreeSet<&Term>>());
    match function {
        AggregateFunction::Count => Some(Term::Integer(tuples.len() as i64)),
        AggregateFunction::Sum => {
            let sum: i128 = integers?.into_iter().map(i128::from).sum();
            i64::try_from(sum).ok().map(Term::Integer)
        }
        AggregateFunction::Average => {
            let integers = integers?;
            let sum: i128 = integers.iter().copied().map(i128::from).sum();
            // The greatest integer whose product with their number is no more than their sum.
            let count = integers.len() as i128;
            let quotient = if count > 0 { sum / count } else { return None };
            let mean = if quotient * count > sum { quotient - 1 } else { quotient };
            i64::try_from(mean).ok().map(Term::Integer)
        }
        AggregateFunction::Minimum => comparable?.first().map(|term| (*term).clone()),
        AggregateFunction::Maximum => comparable?.last().map(|term| (*term).clone()),
    }
}

/// The integer that a ground term evaluates to; `None` if there is none.
pub fn integer(term: &Term) -> Option<i64> {
    match term {
        Term::Integer(n) => Some(*n),
        Term::Variable(_) | Term::Float(_) | Term::Symbol(_) => None,
        Term::Compound(name, args) => match (&**name, &**args) {
            ("floor" | "ceiling" | "round", [a]) => rounded(name, a),
            ("-", [a]) => integer(a)?.checked_neg(),
            ("abs", [a]) => integer(a)?.checked_abs(),
            ("min", [a, b]) => Some(std::cmp::min(integer(a)?, integer(b)?)),
            ("max", [a, b]) => Some(std::cmp::max(integer(a)?, integer(b)?)),
            ("power", [a, b]) => {
                let base = integer(a)?;
                let exponent = integer(b)?;
                match base {
                    _ if exponent < 0 => None,
                    0 | 1 => Some(if exponent == 0 { 1 } else { base }),
                    -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
                    // Any other grows beyond 64 bits in as many steps.
                    _ => (0..exponent.min(65)).try_fold(1i64, |power, _| power.checked_mul(base)),
                }
            }
            ("band", [a, b]) => Some(bitwise(integer(a)?, integer(b)?, |a, b| a && b)),
            ("bor", [a, b]) => Some(bitwise(integer(a)?, integer(b)?, |a, b| a || b)),
            ("bxor", [a, b]) => Some(bitwise(integer(a)?, integer(b)?, |a, b| a != b)),
            ("bnot", [a]) => Some(bitwise(integer(a)?, 0, |a, _| !a)),
            ("bshl", [a, b]) => {
                let start = integer(a)?;
                let count = integer(b)?;
                let doubled = (0..count.min(65)).try_fold(start, |value, _| value.checked_mul(2));
                if count < 0 { None } else { doubled }
            }
            ("bshr", [a, b]) => {
                let start = integer(a)?;
                let count = integer(b)?;
                (count >= 0).then(|| (0..count.min(65)).fold(start, |value, _| value.div_euclid(2)))
            }
            ("to_number", [a]) => integer(a).or_else(|| {
                let text = symbol(a)?;
                let digits = text.strip_prefix('-').unwrap_or(&text);
                let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
                is_number.then(|| text.parse().ok()).flatten()
            }),
            ("length", [a]) => Some(symbol(a)?.chars().count() as i64),
            ("+", [a, b]) => integer(a)?.checked_add(integer(b)?),
            ("-", [a, b]) => integer(a)?.checked_sub(integer(b)?),
            ("*", [a, b]) => integer(a)?.checked_mul(integer(b)?),
            ("/", [a, b]) => floor_divide(integer(a)?, integer(b)?),
            ("mod", [a, b]) => {
                let a = integer(a)?;
                let b = integer(b)?;
                // a - b * floor(a / b) does not overflow 128 bits.
                (b != 0).then(|| i128::from(a) - i128::from(b) * floor(a, b)).and_then(|n| n.try_into().ok())
            }
            _ => None,
        },
    }
}

/// The characters of a symbol, or of the one that an operation makes; `None` if there is none.
pub fn symbol(term: &Term) -> Option<String> {
    let Term::Compound(name, args) = term else {
        return if let Term::Symbol(name) = term { Some(name.to_string()) } else { None };
    };
    match (&**name, &**args) {
        ("cat", [_, _, ..]) | ("to_string", [_]) => {
            let number = |arg: &Term| integer(arg).map(|n| n.to_string()).or(float(arg).map(|n| format!("{n:?}")));
            args.iter().map(|arg| number(arg).or_else(|| symbol(arg))).collect()
        }
        ("substring", [text, start, length]) => {
            let characters: Vec<char> = symbol(text)?.chars().collect();
            let start = usize::try_from(integer(start)?).ok()?;
            let length = usize::try_from(integer(length)?).ok()?;
            Some(characters.get(start..start.checked_add(length)?)?.iter().collect())
        }
        _ => None,
    }
}

/// What `is` computes of its right side.
pub fn value(term: &Term) -> Option<Term> {
    let makes_symbols = matches!(term, Term::Compound(name, _) if matches!(&**name, "cat" | "substring" | "to_string"));
    if makes_symbols {
        return symbol(term).map(|name| Term::symbol(&name));
    }
    integer(term).map(Term::Integer).or(float(term).and_then(floats::term))
}

/// The integer whose bits are those of two others, combined one by one.
fn bitwise(a: i64, b: i64, combine: impl Fn(bool, bool) -> bool) -> i64 {
    let bit = |n: i64, i: u32| n.rotate_right(i).rem_euclid(2) == 1;
    (0..64).fold(0, |all, i| if combine(bit(a, i), bit(b, i)) { all.wrapping_add(1i64.rotate_left(i)) } else { all })
}

fn floor_divide(a: i64, b: i64) -> Option<i64> {
    (b != 0).then(|| floor(a, b)).and_then(|n| n.try_into().ok())
}

/// The greatest integer that is at most `a / b`.
fn floor(a: i64, b: i64) -> i128 {
    let (a, b) = if b < 0 { (-i128::from(a), -i128::from(b)) } else { (i128::from(a), i128::from(b)) };
    a.div_euclid(b)
}

/// A ground term with its operators evaluated where possible. Functions are terms here.
pub fn computed(term: &Term) -> Term {
    let number = |term: &Term| integer(term).map(Term::Integer).or(float(term).and_then(floats::term));
    match (if has_function(term) { None } else { number(term) }, term) {
        (Some(number), _) => number,
        (None, Term::Compound(name, args)) => Term::Compound(name.clone(), args.iter().map(computed).collect()),
        (None, _) => term.clone(),
    }
}

fn has_function(term: &Term) -> bool {
    matches!(term, Term::Compound(name, args)
        if name.starts_with(|c: char| c.is_alphabetic()) && &**name != "mod" || args.iter().any(has_function))
}
