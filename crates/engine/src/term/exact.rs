//! The exact values of templates, whatever their size, and the reasons why some have none.

use super::{Computation, Template, float};
use crate::value::number::{Exact, NoResult, apply, spelled};
use crate::value::{Interner, Value};
use ludolog_logic::analysis::pattern::Pattern;
use ludolog_syntax::ast::{Comparator, Comparison, Operation, Term};
use ludolog_syntax::{Syntax, print_term};
use num_bigint::BigInt;

/// The reason why an expression has no value, or why two cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue {
    /// The operation that has none; `None` for a plain term and for a comparison.
    pub operation: Option<Term>,
    /// The reason.
    pub obstacle: Obstacle,
}

/// The fault of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It is not of the kind that is needed.
    Kind(Term),
    /// Two sides of a comparison, or two operands, are of different kinds.
    Kinds([Term; 2]),
    /// The result, in digits, does not fit 64 bits.
    Beyond(String),
    /// The result is infinite or no number.
    NotFinite,
    /// The divisor is zero.
    DivisionByZero,
    /// The exponent, or the number of bits to shift by, is negative.
    Negative,
    /// The symbol spells no integer.
    NoInteger(String),
    /// The symbol spells no number.
    NoNumber(String),
    /// The text is no regular expression, with the reason.
    NoPattern(String, String),
    /// A function in Rust has no value of its arguments.
    NoResult,
    /// A symbol has no such part, or would be too long.
    NoSuchSymbol,
}

impl NoValue {
    /// The reason why a comparison of ground sides, of which the left one may be a variable for `is`, is neither true nor false;
    /// `None` if it is one of them, or compares terms.
    pub fn of(comparison: &Comparison) -> Option<NoValue> {
        let &Comparison { comparator, ref left, ref right, span } = comparison;
        let mut interner = Interner::new();
        let mut value = |term: &Term| {
            let side = Template::compile(term, Some((comparator, span)), &mut interner, &mut |_| 0);
            if let Some(term) = side.called(&[], &interner) {
                return Ok(term);
            }
            let fits = matches!(side, Template::Text(..)) || comparator != Comparator::Is;
            match side.exact(&[], &interner)? {
                Exact::Integer(n) => i64::try_from(&n)
                    .map(Term::Integer)
                    .map_err(|_| NoValue { operation: Some(term.clone()), obstacle: Obstacle::Beyond(n.to_string()) }),
                Exact::Float(float) => Ok(Term::Float(float)),
                Exact::Symbol(text) if fits => Ok(Term::symbol(&text)),
                Exact::Symbol(_) => Err(NoValue { operation: None, obstacle: Obstacle::Kind(term.clone()) }),
            }
        };
        if let Comparator::Equal | Comparator::NotEqual = comparator {
            return None;
        }
        let right = match right.is_ground().then(|| value(right))? {
            Ok(right) => right,
            Err(none) => return Some(none),
        };
        if comparator == Comparator::Is {
            return None;
        }
        match left.is_ground().then(|| value(left))? {
            Err(none) => Some(none),
            Ok(left) if comparator == Comparator::Matches => no_match([left, right]),
            Ok(left) if kind(&left) == kind(&right) => None,
            Ok(left) => Some(NoValue { operation: None, obstacle: Obstacle::Kinds([left, right]) }),
        }
    }

    /// The reason in words, with terms in this syntax.
    pub fn text(&self, syntax: Syntax) -> String {
        let is = |term: &Term| format!("`{}` is {}", print_term(term, syntax), kind(term));
        let obstacle = match &self.obstacle {
            Obstacle::Kind(term) => is(term),
            Obstacle::Kinds([left @ Term::Integer(_), right @ Term::Float(_)])
            | Obstacle::Kinds([left @ Term::Float(_), right @ Term::Integer(_)]) => {
                format!("{}, {}: `to_float` makes a float of an integer", is(left), is(right))
            }
            Obstacle::Kinds([left, right]) => format!("{}, {}", is(left), is(right)),
            Obstacle::Beyond(digits) => format!("{digits} does not fit 64 bits"),
            Obstacle::NotFinite => "its result is no finite number".to_owned(),
            Obstacle::DivisionByZero => "division by zero".to_owned(),
            Obstacle::Negative => "its second argument is negative".to_owned(),
            Obstacle::NoInteger(text) => format!("`{}` spells no integer", print_term(&Term::symbol(text), syntax)),
            Obstacle::NoNumber(text) => format!("`{}` spells no number", print_term(&Term::symbol(text), syntax)),
            Obstacle::NoPattern(text, reason) => {
                format!("`{}` is no regular expression: {reason}", print_term(&Term::symbol(text), syntax))
            }
            Obstacle::NoResult => "the function has none of these arguments".to_owned(),
            Obstacle::NoSuchSymbol => "there is no such symbol".to_owned(),
        };
        match &self.operation {
            Some(operation) => format!("`{}` has no value: {obstacle}", print_term(operation, syntax)),
            None => obstacle,
        }
    }
}

/// The reason why a symbol cannot be tested with a regular expression; `None` if it can.
fn no_match(sides: [Term; 2]) -> Option<NoValue> {
    let obstacle = match sides {
        [Term::Symbol(_), Term::Symbol(text)] => Obstacle::NoPattern(text.to_string(), Pattern::new(&text).err()?),
        [Term::Symbol(_), other] | [other, _] => Obstacle::Kind(other),
    };
    Some(NoValue { operation: None, obstacle })
}

/// The kind of a term, with its article.
fn kind(term: &Term) -> &'static str {
    match term {
        Term::Variable(_) => "a variable",
        Term::Integer(_) => "an integer",
        Term::Float(_) => "a float",
        Term::Symbol(_) => "a symbol",
        Term::Compound(..) => "a compound term",
    }
}

/// The number or symbol that a term is.
///
/// # Errors
///
/// The term, if it is neither.
fn exact_of(term: Term) -> Result<Exact, Term> {
    match term {
        Term::Integer(integer) => Ok(Exact::Integer(integer.into())),
        Term::Float(float) => Ok(Exact::Float(float)),
        Term::Symbol(text) => Ok(Exact::Symbol(text.to_string())),
        other => Err(other),
    }
}

/// Notes that a result is too large to be kept.
fn too_large(interner: &Interner) -> Obstacle {
    interner.note_too_large();
    Obstacle::Beyond("its result".to_owned())
}

/// The exact value of an operation of operands, which the terms stand for.
fn operate(
    operation: Operation,
    operands: &[Exact],
    terms: impl Fn() -> Vec<Term>,
    interner: &Interner,
) -> Result<Exact, Obstacle> {
    let kind = |at: usize| Obstacle::Kind(terms().swap_remove(at));
    match operands {
        [Exact::Symbol(text)] if operation == Operation::Length => Ok(Exact::Integer(text.chars().count().into())),
        [Exact::Integer(n)] if operation == Operation::Number => Ok(Exact::Integer(n.clone())),
        [Exact::Symbol(text)] if operation == Operation::Number => {
            spelled(text).map(Exact::Integer).map_err(|reason| match reason {
                NoResult::Undefined => Obstacle::NoInteger(text.clone()),
                NoResult::TooLarge => too_large(interner),
            })
        }
        [Exact::Integer(n)] if operation == Operation::Float => {
            float::nearest(n).map(Exact::Float).ok_or(Obstacle::NotFinite)
        }
        [Exact::Symbol(text)] if operation == Operation::Float => {
            float::spelled(text).map(Exact::Float).ok_or_else(|| Obstacle::NoNumber(text.clone()))
        }
        [Exact::Float(a)] if operation.rounds() => {
            Ok(Exact::Integer(float::round(operation, *a).map_or_else(|large| large, BigInt::from)))
        }
        [Exact::Integer(a), Exact::Integer(b)] => operate_on_integers(operation, a, b, interner),
        [Exact::Integer(_)] if operation.makes_floats() || operation.rounds() || operation == Operation::Length => {
            Err(kind(0))
        }
        [Exact::Integer(b)] => operate_on_integers(operation, &BigInt::ZERO, b, interner),
        [.., Exact::Float(_)] if !operation.is_of_floats() => Err(kind(operands.len() - 1)),
        [Exact::Float(_), Exact::Float(b)] if operation == Operation::Divide && b.get() == 0.0 => {
            Err(Obstacle::DivisionByZero)
        }
        [Exact::Float(a), Exact::Float(b)] => {
            float::apply(operation, a.get(), b.get()).map(Exact::Float).ok_or(Obstacle::NotFinite)
        }
        [Exact::Float(b)] => float::apply(operation, 0.0, b.get()).map(Exact::Float).ok_or(Obstacle::NotFinite),
        [Exact::Integer(_), Exact::Float(_)] | [Exact::Float(_), Exact::Integer(_)] if operation.is_of_floats() => {
            let [left, right] = [0, 1].map(|at| terms().swap_remove(at));
            Err(Obstacle::Kinds([left, right]))
        }
        _ => {
            let symbol = operands.iter().position(|operand| matches!(operand, Exact::Symbol(_)));
            let float = || operands.iter().position(|operand| matches!(operand, Exact::Float(_)));
            Err(kind(symbol.or_else(float).unwrap_or_default()))
        }
    }
}

/// The exact value of an operation of integers; that of one takes it as `b`.
fn operate_on_integers(operation: Operation, a: &BigInt, b: &BigInt, interner: &Interner) -> Result<Exact, Obstacle> {
    apply(operation, a, b).map(Exact::Integer).map_err(|reason| match reason {
        NoResult::TooLarge => too_large(interner),
        NoResult::Undefined if matches!(operation, Operation::Divide | Operation::Modulo) => Obstacle::DivisionByZero,
        NoResult::Undefined => Obstacle::Negative,
    })
}

impl Template {
    /// The number or symbol that the template computes, whatever its size.
    ///
    /// # Errors
    ///
    /// [`NoValue`], if it computes none.
    pub fn exact(&self, slots: &[Value], interner: &Interner) -> Result<Exact, NoValue> {
        let of_operation = |obstacle| NoValue { operation: Some(self.instance(slots, interner)), obstacle };
        let plain = |obstacle| NoValue { operation: None, obstacle: Obstacle::Kind(obstacle) };
        match self {
            Template::Constant(value) => interner.exact(*value).map_err(plain),
            Template::Slot(slot) => interner.exact(slots[*slot as usize]).map_err(plain),
            Template::Compound(..) => Err(plain(self.instance(slots, interner))),
            Template::Compute(computation) | Template::Float(computation) => {
                let Computation { operation, parts, .. } = &**computation;
                let mut operands = Vec::with_capacity(2);
                for part in parts {
                    match part.exact(slots, interner) {
                        Ok(operand) => operands.push(operand),
                        Err(NoValue { operation: None, obstacle }) => return Err(of_operation(obstacle)),
                        Err(none) => return Err(none),
                    }
                }
                let terms = || parts.iter().map(|part| part.instance(slots, interner)).collect();
                operate(*operation, &operands, terms, interner).map_err(of_operation)
            }
            Template::Called(computation) => match self.called(slots, interner) {
                Some(term) => exact_of(term).map_err(plain),
                None => {
                    computation.parts.iter().try_for_each(|part| match part.exact(slots, interner) {
                        Err(none) if none.operation.is_some() => Err(none),
                        _ => Ok(()),
                    })?;
                    Err(of_operation(Obstacle::NoResult))
                }
            },
            Template::Text(computation) => match self.symbol(slots, interner) {
                Some(text) => Ok(Exact::Symbol(text.into_owned())),
                None => {
                    computation.parts.iter().try_for_each(|part| part.exact(slots, interner).map(|_| ()))?;
                    Err(of_operation(Obstacle::NoSuchSymbol))
                }
            },
        }
    }

    /// The exact integer; `None` if the template computes none.
    pub(crate) fn exact_integer(&self, slots: &[Value], interner: &Interner) -> Option<BigInt> {
        match self.exact(slots, interner) {
            Ok(Exact::Integer(n)) => Some(n),
            _ => None,
        }
    }

    /// The term with the values of its slots in it, not computed.
    fn instance(&self, slots: &[Value], interner: &Interner) -> Term {
        let compound = |functor, parts: &[Template]| {
            let (name, _) = interner.functor_name(functor);
            Term::Compound(name.clone(), parts.iter().map(|part| part.instance(slots, interner)).collect())
        };
        match self {
            Template::Constant(value) => interner.term(*value),
            Template::Slot(slot) => interner.term(slots[*slot as usize]),
            Template::Compound(functor, parts) => compound(*functor, parts),
            Template::Compute(computation)
            | Template::Text(computation)
            | Template::Float(computation)
            | Template::Called(computation) => compound(interner.site_of(computation.site).0, &computation.parts),
        }
    }
}
