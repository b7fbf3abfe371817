//! Integers that do not fit 64 bits.
//!
//! Engines compute with 64 bits. A result that does not fit is noted in the [`Interner`], and the engine stops: the
//! answer may depend on it. Whether it does is a question of two models of the program as written: one in which a
//! computation that does not fit has no value ([`Beyond::Skip`]), and one in which integers have any size
//! ([`Beyond::Keep`]). If both give the same answers, these are the answers. So an engine that never meets the
//! computation, in whatever order it joins and whatever it derives, agrees with one that does.

use super::{Functor, Interner, Value};
use indexmap::IndexSet;
use ludolog_syntax::ast::{Float, Operation, Term};
use ludolog_syntax::budget::{Overflow, Stopped};
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::{Syntax, print_term};
use num_bigint::BigInt;
use num_integer::Integer;
use rustc_hash::FxBuildHasher;
use std::sync::OnceLock;

/// Most bits of an integer that is kept, so that repeated squares end soon.
const MOST_BITS: u64 = 1 << 12;

/// The treatment of integers that do not fit 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// They are an error.
    #[default]
    Refuse,
    /// They are no values: what computes them fails.
    Skip,
    /// They are values, up to some thousand bits; larger ones are an error.
    Keep,
}

/// The place of a computation in the rules, by its number in an [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(u32);

/// The state of an interner about computations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arithmetic {
    sites: IndexSet<(Functor, Span), FxBuildHasher>,
    beyond: Beyond,
    /// The first computation that did not fit.
    overflow: OnceLock<Box<Overflow>>,
}

/// The value of an expression, whatever its size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exact {
    /// An integer.
    Integer(BigInt),
    /// A float.
    Float(Float),
    /// A symbol.
    Symbol(String),
}

/// The reason why an operation of integers has no exact result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoResult {
    /// It is not defined of these operands.
    Undefined,
    /// It has more than [`MOST_BITS`] bits.
    TooLarge,
}

/// The exact result of an operation of integers, as a template computes it in 64 bits.
pub(crate) fn apply(operation: Operation, a: &BigInt, b: &BigInt) -> Result<BigInt, NoResult> {
    let is_zero = *b == BigInt::ZERO;
    let is_negative = *b < BigInt::ZERO;
    Ok(match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Negate => -b,
        Operation::Multiply => a * b,
        Operation::Divide | Operation::Modulo if is_zero => return Err(NoResult::Undefined),
        Operation::Power | Operation::ShiftLeft | Operation::ShiftRight if is_negative => {
            return Err(NoResult::Undefined);
        }
        Operation::Divide => a.div_floor(b),
        Operation::Modulo => a.mod_floor(b),
        Operation::Minimum => a.min(b).clone(),
        Operation::Maximum => a.max(b).clone(),
        Operation::Absolute if *b < BigInt::ZERO => -b,
        Operation::Absolute => b.clone(),
        Operation::Power if is_zero => BigInt::from(1),
        // A larger exponent changes no more than the sign.
        Operation::Power if a.bits() <= 1 => a.pow(if b.is_even() { 2 } else { 1 }),
        Operation::Power => a.pow(exponent(a.bits() - 1, b)?),
        Operation::ShiftLeft if *a == BigInt::ZERO => BigInt::ZERO,
        Operation::ShiftLeft => a << exponent(1, b)?,
        Operation::ShiftRight => a >> u32::try_from(b).unwrap_or(u32::MAX),
        Operation::BitAnd => a & b,
        Operation::BitOr => a | b,
        Operation::BitXor => a ^ b,
        Operation::BitNot => -b - 1,
        _ => return Err(NoResult::Undefined),
    })
}

/// An exponent of a base that makes a power this number of bits longer with each step, unless it makes too many.
fn exponent(bits: u64, exponent: &BigInt) -> Result<u32, NoResult> {
    let exponent = u32::try_from(exponent).map_err(|_| NoResult::TooLarge)?;
    if bits * u64::from(exponent) <= MOST_BITS { Ok(exponent) } else { Err(NoResult::TooLarge) }
}

/// The integer that a text spells: digits, perhaps behind a minus sign.
pub(crate) fn spelled(text: &str) -> Result<BigInt, NoResult> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoResult::Undefined);
    }
    // A digit has more than three bits.
    if digits.trim_start_matches('0').len() as u64 > MOST_BITS / 3 {
        return Err(NoResult::TooLarge);
    }
    text.parse().map_err(|_| NoResult::Undefined)
}

/// An integer that is too large to be written, in words.
fn too_large() -> String {
    format!("an integer of more than {MOST_BITS} bits")
}

impl Interner {
    /// The number of a computation by a functor at a place.
    pub(crate) fn site(&mut self, functor: Functor, span: Span) -> Site {
        Site(self.numbers.sites.insert_full((functor, span)).0 as u32)
    }

    /// The functor and the place of a computation.
    pub(crate) fn site_of(&self, site: Site) -> (Functor, Span) {
        self.numbers.sites[site.0 as usize]
    }

    /// Sets the treatment of integers that do not fit 64 bits. Only the semi-naive engine can keep them.
    pub(crate) fn set_beyond(&mut self, beyond: Beyond) {
        self.numbers.beyond = beyond;
    }

    /// Whether integers that do not fit 64 bits are values.
    #[inline]
    pub(crate) fn keeps_beyond(&self) -> bool {
        self.numbers.beyond == Beyond::Keep
    }

    /// Notes that two operands have a result that does not fit 64 bits, unless they have none at all.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_operation(&self, operation: Operation, site: Site, a: i64, b: i64) {
        let value = match apply(operation, &a.into(), &b.into()) {
            _ if self.keeps_beyond() => return,
            Err(NoResult::Undefined) => return,
            Ok(value) => value.to_string(),
            Err(NoResult::TooLarge) => too_large(),
        };
        let (functor, span) = self.site_of(site);
        let (name, arity) = self.functor_name(functor);
        let operands = if arity == 1 { vec![b] } else { vec![a, b] };
        let term = Term::Compound(name.clone(), operands.into_iter().map(Term::Integer).collect());
        self.note(format!("`{}`", print_term(&term, Syntax::Datalog)), value, span);
    }

    /// Notes that the integer that a symbol spells does not fit 64 bits, unless it spells none.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_spelled(&self, site: Site, text: &str) {
        let value = match spelled(text) {
            _ if self.keeps_beyond() => return,
            Err(NoResult::Undefined) => return,
            Ok(value) => value.to_string(),
            Err(NoResult::TooLarge) => too_large(),
        };
        let (functor, span) = self.site_of(site);
        self.note(format!("the `{}` of a symbol", self.functor_name(functor).0), value, span);
    }

    /// Notes that the integer that an operation rounds a float to does not fit 64 bits.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_rounded(&self, site: Site, float: Float, value: &BigInt) {
        if self.keeps_beyond() {
            return;
        }
        let (functor, span) = self.site_of(site);
        self.note(format!("`{}({float})`", self.functor_name(functor).0), value.to_string(), span);
    }

    /// Notes that a computation has a result that is too large to be kept.
    #[cold]
    pub(crate) fn note_too_large(&self) {
        self.note("a computation".to_owned(), too_large(), Span::NONE);
    }

    /// Notes that the aggregate at a site has a value that does not fit 64 bits, or takes in integers that do not.
    #[cold]
    pub(crate) fn note_total(&self, site: Site, value: String) {
        let (functor, span) = self.site_of(site);
        self.note(format!("the `{}`", self.functor_name(functor).0), value, span);
    }

    /// Notes that a range ends with an integer that does not fit 64 bits.
    #[cold]
    pub(crate) fn note_bound(&self, value: &BigInt) {
        self.note("the end of a range".to_owned(), value.to_string(), Span::NONE);
    }

    fn note(&self, operation: String, value: String, span: Span) {
        _ = self.numbers.overflow.set(Box::new(Overflow { operation, value, rule: None, span }));
    }

    /// The first computation that did not fit 64 bits.
    #[inline]
    pub fn overflow(&self) -> Option<&Overflow> {
        self.numbers.overflow.get().map(|overflow| &**overflow)
    }

    /// Forgets the computation that did not fit 64 bits, and returns it. What a run derived without it is incomplete.
    pub fn take_overflow(&mut self) -> Option<Box<Overflow>> {
        self.numbers.overflow.take()
    }

    /// Checks that all computations have fitted.
    ///
    /// # Errors
    ///
    /// [`Stopped::Overflow`], unless they are skipped.
    #[inline]
    pub fn check_overflow(&self) -> Result<(), Stopped> {
        match self.overflow() {
            Some(overflow) if self.numbers.beyond != Beyond::Skip => Err(Stopped::Overflow(Box::new(overflow.clone()))),
            _ => Ok(()),
        }
    }

    /// The value of an integer of any size, where they are kept. One that is too large is noted, and gets a meaningless value.
    pub(crate) fn number(&mut self, n: &BigInt) -> Value {
        if let Ok(n) = i64::try_from(n) {
            return self.integer(n);
        }
        if n.bits() > MOST_BITS {
            self.note_too_large();
            return Value::default();
        }
        self.beyond(n)
    }

    /// The operand that a value is, or the term that is no operand.
    pub(crate) fn exact(&self, value: Value) -> Result<Exact, Term> {
        if let Some(n) = self.as_beyond(value) {
            return Ok(Exact::Integer(n.clone()));
        }
        match self.term(value) {
            Term::Integer(n) => Ok(Exact::Integer(n.into())),
            Term::Float(float) => Ok(Exact::Float(float)),
            Term::Symbol(name) => Ok(Exact::Symbol(name.to_string())),
            other => Err(other),
        }
    }

    /// Whether an integer that does not fit 64 bits is a value or stands in it.
    pub(crate) fn is_beyond(&self, value: Value) -> bool {
        match self.as_compound(value) {
            Some((_, parts)) => parts.iter().any(|&part| self.is_beyond(part)),
            None => self.as_beyond(value).is_some(),
        }
    }
}
