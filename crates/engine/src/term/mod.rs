//! Compiled terms. A [`Pattern`] matches a value and binds slots, a [`Template`] builds or computes a value from slots,
//! a [`Test`] compares two templates.
//!
//! A slot is a register for one variable of a clause. The compiler knows at each point which slots are bound.

mod called;
mod exact;
mod float;
mod limit;
mod narrowing;

pub use exact::{NoValue, Obstacle};
pub use limit::{Limit, LimitTemplate, narrowed, order, side};
pub use narrowing::Narrowing;

use crate::value::number::Site;
use crate::value::{Functor, Intern, Interner, Value};
use ludolog_syntax::ast::{Comparator, Name, Operation, Term};
use ludolog_syntax::diagnostic::Span;
use num_bigint::BigInt;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The register of one variable of a clause.
pub type Slot = u32;

/// A pattern to match a value against; matching binds slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Matches any value.
    Any,
    /// Matches this value.
    Constant(Value),
    /// The first occurrence of a variable: binds its slot.
    Bind(Slot),
    /// A later occurrence of a variable: matches the value of its slot.
    Check(Slot),
    /// Matches a compound by its functor and arguments.
    Compound(Functor, Box<[Pattern]>),
}

impl Pattern {
    /// Whether `value` matches. Slots may be overwritten even if it does not.
    ///
    /// # Panics
    ///
    /// If a slot of the pattern is beyond `slots`.
    #[inline(always)]
    pub fn matches(&self, value: Value, slots: &mut [Value], interner: &Interner) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Constant(constant) => *constant == value,
            Pattern::Bind(slot) => {
                slots[*slot as usize] = value;
                true
            }
            Pattern::Check(slot) => slots[*slot as usize] == value,
            Pattern::Compound(functor, patterns) => Self::matches_parts(*functor, patterns, value, slots, interner),
        }
    }

    fn matches_parts(
        functor: Functor,
        patterns: &[Pattern],
        value: Value,
        slots: &mut [Value],
        interner: &Interner,
    ) -> bool {
        match interner.as_compound(value) {
            Some((other, args)) if other == functor => {
                patterns.iter().zip(args).all(|(pattern, &arg)| pattern.matches(arg, slots, interner))
            }
            _ => false,
        }
    }
}

/// The operation of one or two integers; `None` on division by zero, on overflow, and for an operation of other things. That of
/// one integer takes it as `b`.
#[inline]
pub fn apply(operation: Operation, a: i64, b: i64) -> Option<i64> {
    match operation {
        Operation::Add => a.checked_add(b),
        Operation::Subtract => a.checked_sub(b),
        Operation::Negate => b.checked_neg(),
        Operation::Multiply => a.checked_mul(b),
        Operation::Divide => {
            let quotient = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        Operation::Modulo => {
            // What -1 leaves is 0 of the least integer too, though the quotient does not fit.
            let remainder = if b == -1 { 0 } else { a.checked_rem(b)? };
            Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
        }
        Operation::Minimum => Some(a.min(b)),
        Operation::Maximum => Some(a.max(b)),
        Operation::Absolute => b.checked_abs(),
        _ => seldom(operation, a, b),
    }
}

/// [`apply`] of the operations that are seldom.
fn seldom(operation: Operation, a: i64, b: i64) -> Option<i64> {
    // More bits than there are leave the sign.
    let count = || u32::try_from(b).ok().or((b > 0).then_some(u32::MAX));
    match operation {
        Operation::Power => match (a, count()?) {
            (0 | 1, n) => Some(if n == 0 { 1 } else { a }),
            (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
            (_, n) => a.checked_pow(n),
        },
        Operation::ShiftLeft => match count()? {
            _ if a == 0 => Some(0),
            n @ 0..=62 => a.checked_mul(1 << n),
            63 if a == -1 => Some(i64::MIN),
            _ => None,
        },
        Operation::ShiftRight => Some(a >> count()?.min(63)),
        Operation::BitAnd => Some(a & b),
        Operation::BitOr => Some(a | b),
        Operation::BitXor => Some(a ^ b),
        Operation::BitNot => Some(!b),
        _ => None,
    }
}

/// Most bytes of a symbol that is computed; a longer one cannot be computed.
const LONGEST_SYMBOL: usize = 1 << 20;

/// Compounds of so many parts are built without an allocation.
const FEW_PARTS: usize = 8;

/// A term to be built from bound slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// This value.
    Constant(Value),
    /// The value of a slot.
    Slot(Slot),
    /// A compound built from its parts.
    Compound(Functor, Box<[Template]>),
    /// A number; the compound of the site's functor if none is computed.
    Compute(Box<Computation>),
    /// A symbol.
    Text(Box<Computation>),
    /// A float.
    Float(Box<Computation>),
    /// A term that a function in Rust makes.
    Called(Box<Computation>),
}

/// What an operation makes of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Computation {
    operation: Operation,
    /// The functor and the place of the operation.
    site: Site,
    parts: Box<[Template]>,
}

impl Template {
    /// Whether its value is read and not made.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self, Template::Slot(_) | Template::Constant(_))
    }

    /// Compiles `term`. As a side of a comparison, which stands at a place, its compounds of an [`Operation`] compute.
    pub fn compile(
        term: &Term,
        side_of: Option<(Comparator, Span)>,
        interner: &mut Interner,
        slot_of: &mut impl FnMut(&Name) -> Slot,
    ) -> Template {
        match term {
            Term::Variable(name) => Template::Slot(slot_of(name)),
            Term::Integer(n) => Template::Constant(interner.integer(*n)),
            Term::Float(float) => Template::Constant(interner.float(*float)),
            Term::Symbol(name) => Template::Constant(interner.symbol(name)),
            Term::Compound(name, args) => {
                let functor = interner.functor(name, args.len());
                let parts: Box<[Template]> =
                    args.iter().map(|arg| Template::compile(arg, side_of, interner, slot_of)).collect();
                let side = side_of.filter(|(comparator, _)| comparator.computes(name, args.len()));
                let Some((operation, (_, span))) = Operation::of(name, args.len()).zip(side) else {
                    return Template::Compound(functor, parts);
                };
                let computation = Box::new(Computation { operation, site: interner.site(functor, span), parts });
                match operation {
                    Operation::Called(_) => {
                        interner.expect_floats();
                        Template::Called(computation)
                    }
                    _ if operation.makes_symbols() => Template::Text(computation),
                    _ if operation.makes_floats() => {
                        interner.expect_floats();
                        Template::Float(computation)
                    }
                    _ => Template::Compute(computation),
                }
            }
        }
    }

    /// The operation of integers with two parts that the template computes.
    #[inline]
    pub fn operation(&self) -> Option<(Operation, &[Template; 2])> {
        match self {
            Template::Compute(computation) => {
                let parts = <&[Template; 2]>::try_from(&*computation.parts).ok()?;
                Some((computation.operation, parts))
            }
            _ => None,
        }
    }

    /// The value, if it is read and not made.
    #[inline]
    fn plain_value(&self, slots: &[Value]) -> Option<Value> {
        match self {
            Template::Constant(value) => Some(*value),
            Template::Slot(slot) => Some(slots[*slot as usize]),
            _ => None,
        }
    }

    /// The integer, if the template is one that is its own id.
    #[inline]
    fn small_integer(&self, slots: &[Value]) -> Option<i64> {
        self.plain_value(slots)?.as_small_integer()
    }

    /// The integer that is read and not made, if it is one.
    #[inline]
    pub fn integer_of_plain(&self, slots: &[Value], interner: &Interner) -> Option<i64> {
        interner.as_integer(self.plain_value(slots)?)
    }

    /// The integer that the template evaluates to, if it does so from integers that are their own ids. Nothing is noted.
    #[inline(always)]
    pub fn integer_of_small(&self, slots: &[Value]) -> Option<i64> {
        match self {
            Template::Compute(computation) => computation.integer_of_small(slots),
            _ => self.small_integer(slots),
        }
    }

    /// The integer that the template evaluates to; `None` if its value is none of 64 bits. One that does not fit is noted.
    #[inline(always)]
    pub fn integer(&self, slots: &[Value], interner: &Interner) -> Option<i64> {
        match self {
            Template::Constant(value) => interner.as_integer(*value),
            Template::Slot(slot) => interner.as_integer(slots[*slot as usize]),
            Template::Compound(..) | Template::Text(..) | Template::Float(..) => None,
            Template::Compute(computation) => computation.integer(slots, interner),
            Template::Called(..) => match self.called(slots, interner) {
                Some(Term::Integer(integer)) => Some(integer),
                _ => None,
            },
        }
    }

    /// The symbol that the template is or makes; `None` if its value is none.
    pub(super) fn symbol<'i>(&self, slots: &[Value], interner: &'i Interner) -> Option<Cow<'i, str>> {
        match self {
            Template::Constant(value) => interner.as_symbol(*value).map(|name| Cow::Borrowed(&**name)),
            Template::Slot(slot) => interner.as_symbol(slots[*slot as usize]).map(|name| Cow::Borrowed(&**name)),
            Template::Compound(..) | Template::Compute(..) | Template::Float(..) => None,
            Template::Called(..) => match self.called(slots, interner) {
                Some(Term::Symbol(text)) => Some(Cow::Owned(text.to_string())),
                _ => None,
            },
            Template::Text(computation) if computation.operation == Operation::Part => {
                let [text, start, length] = &computation.parts[..] else { return None };
                let text = text.symbol(slots, interner)?;
                let size = |part: &Template| match part.integer(slots, interner) {
                    Some(integer) => usize::try_from(integer).ok(),
                    None => part.kept_integer(slots, interner).and_then(|integer| usize::try_from(integer).ok()),
                };
                let start = size(start)?;
                let length = size(length)?;
                // The place of each character, and of the end.
                let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(start);
                let first = places.next()?;
                let last = if length == 0 { first } else { places.nth(length - 1)? };
                Some(Cow::Owned(text[first..last].to_owned()))
            }
            Template::Text(computation) => {
                let mut joined = String::new();
                for part in &computation.parts {
                    joined += &part.spelling(slots, interner)?;
                    if joined.len() > LONGEST_SYMBOL {
                        return None;
                    }
                }
                Some(Cow::Owned(joined))
            }
        }
    }

    /// The symbol that the template is or makes, or that spells its number; `None` if it is or computes neither.
    fn spelling<'i>(&self, slots: &[Value], interner: &'i Interner) -> Option<Cow<'i, str>> {
        if let Some(integer) = self.integer(slots, interner) {
            return Some(integer.to_string().into());
        }
        let float = if interner.has_floats() { self.float(slots, interner) } else { None };
        match (float, self.kept_integer(slots, interner)) {
            (Some(float), _) => Some(float.to_string().into()),
            (None, Some(integer)) => Some(integer.to_string().into()),
            (None, None) => self.symbol(slots, interner),
        }
    }

    /// The value that `is` computes: a number, or the symbol that an operation makes; `None` if there is none.
    #[inline(always)]
    pub fn computed(&self, slots: &[Value], interner: &mut impl Intern) -> Option<Value> {
        match self {
            Template::Text(..) => {
                let symbol = Name::from(self.symbol(slots, interner.known())?);
                Some(interner.symbol(&symbol))
            }
            Template::Called(..) => {
                let term = self.called(slots, interner.known())?;
                Some(interner.ground(&term))
            }
            _ => match self.integer(slots, interner.known()) {
                Some(integer) => Some(interner.integer(integer)),
                None => self.other_number(slots, interner),
            },
        }
    }

    /// The integer of any size that the template evaluates to, where such integers are kept.
    #[inline]
    fn kept_integer(&self, slots: &[Value], interner: &Interner) -> Option<BigInt> {
        if interner.keeps_beyond() { self.exact_integer(slots, interner) } else { None }
    }

    // Out of the loops that compute in 64 bits.
    #[cold]
    #[inline(never)]
    fn exact_value(&self, slots: &[Value], interner: &mut impl Intern) -> Option<Value> {
        self.exact_integer(slots, interner.known()).map(|number| interner.number(&number))
    }

    /// The value of the template: computed if possible, otherwise built.
    #[inline(always)]
    pub fn value(&self, slots: &[Value], interner: &mut impl Intern) -> Value {
        match self {
            Template::Constant(value) => *value,
            Template::Slot(slot) => slots[*slot as usize],
            Template::Compound(functor, parts) => Self::build(*functor, parts, slots, interner),
            Template::Compute(computation) => match computation.integer(slots, interner.known()) {
                Some(n) => interner.integer(n),
                None => match self.other_number(slots, interner) {
                    Some(number) => number,
                    None => computation.build(slots, interner),
                },
            },
            Template::Float(computation) => match self.float(slots, interner.known()) {
                Some(float) => interner.float(float),
                None => computation.build(slots, interner),
            },
            Template::Called(computation) => match self.called(slots, interner.known()) {
                Some(term) => interner.ground(&term),
                None => computation.build(slots, interner),
            },
            Template::Text(computation) => computation.build(slots, interner),
        }
    }

    fn build(functor: Functor, parts: &[Template], slots: &[Value], interner: &mut impl Intern) -> Value {
        if parts.len() > FEW_PARTS {
            let args: Vec<Value> = parts.iter().map(|part| part.value(slots, interner)).collect();
            return interner.compound(functor, &args);
        }
        let mut args = [Value::default(); FEW_PARTS];
        for (arg, part) in args.iter_mut().zip(parts) {
            *arg = part.value(slots, interner);
        }
        interner.compound(functor, &args[..parts.len()])
    }
}

impl Computation {
    /// The integer that is computed, if it is one of two integers that are their own ids, or are computed from such.
    fn integer_of_small(&self, slots: &[Value]) -> Option<i64> {
        match &*self.parts {
            [a, b] => apply(self.operation, a.integer_of_small(slots)?, b.integer_of_small(slots)?),
            _ => None,
        }
    }

    /// The integer that is computed; `None` if there is none of 64 bits. One that does not fit is noted.
    fn integer(&self, slots: &[Value], interner: &Interner) -> Option<i64> {
        let &Computation { operation, site, ref parts } = self;
        let fitting = |a, b| {
            let result = apply(operation, a, b);
            if result.is_none() {
                interner.note_operation(operation, site, a, b);
            }
            result
        };
        match &**parts {
            [a, b] => fitting(a.integer(slots, interner)?, b.integer(slots, interner)?),
            [text] if operation == Operation::Length => {
                i64::try_from(text.symbol(slots, interner)?.chars().count()).ok()
            }
            [text] if operation == Operation::Number => match text.integer(slots, interner) {
                None => {
                    let text = text.symbol(slots, interner)?;
                    let digits = text.parse().ok().filter(|_| !text.starts_with('+'));
                    if digits.is_none() {
                        interner.note_spelled(site, &text);
                    }
                    digits
                }
                integer => integer,
            },
            [float] if operation.rounds() => float.rounded(operation, site, slots, interner),
            [b] => fitting(0, b.integer(slots, interner)?),
            _ => None,
        }
    }

    /// The compound that stands where nothing is computed.
    fn build(&self, slots: &[Value], interner: &mut impl Intern) -> Value {
        let (functor, _) = interner.known().site_of(self.site);
        Template::build(functor, &self.parts, slots, interner)
    }
}

/// A comparison whose sides are both bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The relation to test.
    pub comparator: Comparator,
    /// Whether the test holds where the relation does not.
    pub negated: bool,
    /// The left side.
    pub left: Template,
    /// The right side.
    pub right: Template,
}

impl Test {
    /// Whether the test holds. `<`, `<=`, `>` and `>=` relate integers, floats or symbols, `is` what its right side computes.
    #[inline]
    pub fn holds(&self, slots: &[Value], interner: &mut impl Intern) -> bool {
        // Most tests are of small integers, and of what is computed from them.
        let integers = self.left.integer_of_small(slots).zip(self.right.integer_of_small(slots));
        let holds = integers.and_then(|(left, right)| self.relates(left, right));
        holds.unwrap_or_else(|| self.holds_of_any(slots, interner))
    }

    /// Whether the test holds of two integers; `None` if it is not one that relates such.
    #[inline]
    pub fn relates(&self, left: i64, right: i64) -> Option<bool> {
        let relates = || relates(self.comparator, left.cmp(&right)) != self.negated;
        (self.comparator != Comparator::Matches).then(relates)
    }

    /// The values of a slot, a bit each, for which the test holds; at most 64. `None` unless it relates the slot to another one or to a constant,
    /// and both sides are small integers wherever their order matters.
    #[inline]
    pub fn holds_of_each(&self, slot: Slot, values: impl Iterator<Item = Value>, slots: &[Value]) -> Option<u64> {
        let is_slot = |side: &Template| *side == Template::Slot(slot);
        let (other, is_left) = match (is_slot(&self.left), is_slot(&self.right)) {
            (true, false) => (self.right.plain_value(slots)?, true),
            (false, true) => (self.left.plain_value(slots)?, false),
            _ => return None,
        };
        let mut values = values.enumerate();
        let holds = |number: usize, relates: bool| u64::from(relates != self.negated) << number;
        match self.comparator {
            Comparator::Equal => Some(values.fold(0, |all, (number, value)| all | holds(number, value == other))),
            Comparator::NotEqual => Some(values.fold(0, |all, (number, value)| all | holds(number, value != other))),
            Comparator::Matches => None,
            comparator => {
                let other = other.as_small_integer()?;
                values.try_fold(0, |all, (number, value)| {
                    let order = value.as_small_integer()?.cmp(&other);
                    let order = if is_left { order } else { order.reverse() };
                    Some(all | holds(number, relates(comparator, order)))
                })
            }
        }
    }

    fn holds_of_any(&self, slots: &[Value], interner: &mut impl Intern) -> bool {
        let integers =
            |interner: &Interner| Some((self.left.integer(slots, interner)?, self.right.integer(slots, interner)?));
        let related = match self.comparator {
            Comparator::Equal => self.left.value(slots, interner) == self.right.value(slots, interner),
            Comparator::NotEqual => self.left.value(slots, interner) != self.right.value(slots, interner),
            Comparator::Is => match self.right {
                Template::Text(..) => {
                    let right = self.right.symbol(slots, interner.known());
                    right.is_some() && self.left.symbol(slots, interner.known()) == right
                }
                Template::Called(..) => {
                    let right = self.right.called(slots, interner.known());
                    right.is_some() && self.left.computed_term(slots, interner.known()) == right
                }
                _ => match integers(interner.known()) {
                    Some((a, b)) => a == b,
                    None => self.order_of_others(slots, interner.known()).is_some_and(Ordering::is_eq),
                },
            },
            Comparator::Matches => {
                let text = self.left.symbol(slots, interner.known());
                let pattern = self.right.symbol(slots, interner.known());
                text.zip(pattern).is_some_and(|(text, pattern)| interner.known().matches(&text, &pattern))
            }
            other => self.order(slots, interner.known()).is_some_and(|order| relates(other, order)),
        };
        related != self.negated
    }

    /// The order of two integers, of two floats, or that of two symbols by their characters; `None` of anything else.
    #[inline]
    fn order(&self, slots: &[Value], interner: &Interner) -> Option<Ordering> {
        let order = match self.left.integer(slots, interner) {
            Some(left) => self.right.integer(slots, interner).map(|right| left.cmp(&right)),
            None => self.left.symbol(slots, interner).zip(self.right.symbol(slots, interner)).map(|(a, b)| a.cmp(&b)),
        };
        order.or_else(|| self.order_of_others(slots, interner))
    }

    /// The order of two floats, or of two integers of which one has no 64-bit value, where such integers are kept.
    #[inline]
    fn order_of_others(&self, slots: &[Value], interner: &Interner) -> Option<Ordering> {
        if interner.has_floats()
            && let Some(left) = self.left.float(slots, interner)
        {
            return Some(left.cmp(&self.right.float(slots, interner)?));
        }
        if interner.keeps_beyond() { self.exact_order(slots, interner) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn exact_order(&self, slots: &[Value], interner: &Interner) -> Option<Ordering> {
        Some(self.left.exact_integer(slots, interner)?.cmp(&self.right.exact_integer(slots, interner)?))
    }
}

/// Whether a comparator relates two values of one kind that are so ordered.
#[inline]
fn relates(comparator: Comparator, order: Ordering) -> bool {
    match comparator {
        Comparator::Is | Comparator::Equal | Comparator::SameValue => order.is_eq(),
        Comparator::NotEqual | Comparator::OtherValue => order.is_ne(),
        Comparator::Less => order.is_lt(),
        Comparator::LessOrEqual => order.is_le(),
        Comparator::Greater => order.is_gt(),
        Comparator::GreaterOrEqual => order.is_ge(),
        Comparator::Matches => false,
    }
}

/// The integers of a range, its first and its last; `None` if there are none, or if a bound is none.
#[inline]
pub fn range(bounds: &[Template; 2], slots: &[Value], interner: &Interner) -> Option<(i64, i64)> {
    let [from, to] = bounds.each_ref().map(|bound| bound.integer(slots, interner));
    match from.zip(to) {
        Some((from, to)) => (from <= to).then_some((from, to)),
        None => {
            let [from, to] = bounds.each_ref().map(|bound| bound.kept_integer(slots, interner));
            if let Some((_, to)) = from.zip(to).filter(|(from, to)| from <= to) {
                // A range is not enumerated beyond 64 bits.
                interner.note_bound(&to);
            }
            None
        }
    }
}

/// Whether an integer is in a range.
#[inline]
pub fn is_in_range(element: &Template, bounds: &[Template; 2], slots: &[Value], interner: &Interner) -> bool {
    let [from, to] = bounds;
    let [n, first, last] = [element, from, to].map(|bound| bound.integer(slots, interner));
    match n.zip(first.zip(last)) {
        Some((n, (first, last))) => first <= n && n <= last,
        None => interner.keeps_beyond() && is_in_exact_range(element, bounds, slots, interner),
    }
}

#[cold]
#[inline(never)]
fn is_in_exact_range(element: &Template, bounds: &[Template; 2], slots: &[Value], interner: &Interner) -> bool {
    let [from, to] = bounds;
    let [n, first, last] = [element, from, to].map(|bound| bound.exact_integer(slots, interner));
    n.zip(first.zip(last)).is_some_and(|(n, (first, last))| first <= n && n <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_modulo_floor() {
        assert_eq!(apply(Operation::Divide, 7, 2), Some(3));
        assert_eq!(apply(Operation::Divide, -7, 2), Some(-4));
        assert_eq!(apply(Operation::Divide, 7, -2), Some(-4));
        assert_eq!(apply(Operation::Modulo, -1, 9), Some(8));
        assert_eq!(apply(Operation::Modulo, 1, -9), Some(-8));
        assert_eq!(apply(Operation::Divide, 1, 0), None);
        assert_eq!(apply(Operation::Modulo, 1, 0), None);
        assert_eq!(apply(Operation::Divide, i64::MIN, -1), None);
        assert_eq!(apply(Operation::Add, i64::MAX, 1), None);
    }

    /// Small and large integers, and a symbol, against a constant on either side.
    #[test]
    fn a_test_of_each_value_is_that_of_one() {
        let mut interner = Interner::new();
        let small = [-3, 0, 4, 5, 9].map(|n| interner.integer(n));
        let others = [interner.integer(1 << 40), interner.symbol(&Name::from("a"))];
        let (slot, five) = (Template::Slot(0), Template::Constant(small[3]));
        let orders = [Comparator::Less, Comparator::LessOrEqual, Comparator::Greater, Comparator::GreaterOrEqual];
        let equalities = [Comparator::Equal, Comparator::NotEqual, Comparator::SameValue, Comparator::OtherValue];
        for comparator in orders.into_iter().chain(equalities).chain([Comparator::Is, Comparator::Matches]) {
            for (negated, is_left) in [(false, false), (false, true), (true, false), (true, true)] {
                let [left, right] = if is_left { [&slot, &five] } else { [&five, &slot] }.map(Clone::clone);
                let test = Test { comparator, negated, left, right };
                for values in [&small[..], &[small, [others[0]; 5]].concat(), &[small, [others[1]; 5]].concat()] {
                    let one = |value: &Value| test.holds(&[*value], &mut Interner::clone(&interner));
                    let expected = (0..).zip(values).map(|(bit, value)| u64::from(one(value)) << bit).sum::<u64>();
                    match test.holds_of_each(0, values.iter().copied(), &[small[0]]) {
                        Some(each) => assert_eq!(each, expected, "{test:?}"),
                        None => assert!(comparator == Comparator::Matches || values.len() > small.len(), "{test:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn equality_computes_only_with_integers() {
        let mut interner = Interner::new();
        let term = Term::compound("+", vec![Term::symbol("a"), Term::Integer(1)]);
        let mut compile =
            |t: &Term| Template::compile(t, Some((Comparator::Equal, Span::NONE)), &mut interner, &mut |_| 0);
        let (structural, three) =
            (compile(&term), compile(&Term::compound("+", vec![Term::Integer(1), Term::Integer(2)])));
        let value = structural.value(&[], &mut interner);
        assert_eq!(interner.term(value), term);
        let value = three.value(&[], &mut interner);
        assert_eq!(interner.term(value), Term::Integer(3));
    }
}
