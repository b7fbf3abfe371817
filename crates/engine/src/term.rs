//! Compiled terms. A [`Pattern`] matches a value and binds slots, a [`Template`] builds or computes a value from slots,
//! a [`Test`] compares two templates.
//!
//! A slot is a register for one variable of a clause. The compiler knows at each point which slots are bound.

use super::value::{Functor, Intern, Interner, Value};
use ludolog_syntax::ast::{Comparator, Name, Operation, Term};
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
fn apply(operation: Operation, a: i64, b: i64) -> Option<i64> {
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
        Operation::Length | Operation::Join | Operation::Part => None,
    }
}

/// Most bytes of a symbol that is computed; a longer one cannot be computed.
const LONGEST_SYMBOL: usize = 1 << 20;

/// A term to be built from bound slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// This value.
    Constant(Value),
    /// The value of a slot.
    Slot(Slot),
    /// A compound built from its parts.
    Compound(Functor, Box<[Template]>),
    /// The integer that the operation computes from its parts; the compound of the functor if a part is no integer.
    Compute(Operation, Functor, Box<[Template]>),
    /// The symbol that the operation makes of its parts.
    Text(Operation, Functor, Box<[Template]>),
}

impl Template {
    /// Compiles `term`. As a side of a comparison, its compounds of an [`Operation`] compute.
    pub fn compile(
        term: &Term,
        side_of: Option<Comparator>,
        interner: &mut Interner,
        slot_of: &mut impl FnMut(&Name) -> Slot,
    ) -> Template {
        match term {
            Term::Variable(name) => Template::Slot(slot_of(name)),
            Term::Integer(n) => Template::Constant(interner.integer(*n)),
            Term::Symbol(name) => Template::Constant(interner.symbol(name)),
            Term::Compound(name, args) => {
                let functor = interner.functor(name, args.len());
                let parts: Box<[Template]> =
                    args.iter().map(|arg| Template::compile(arg, side_of, interner, slot_of)).collect();
                let computes = side_of.is_some_and(|comparator| comparator.computes(name, args.len()));
                match Operation::of(name, args.len()).filter(|_| computes) {
                    Some(operation) if operation.makes_symbols() => Template::Text(operation, functor, parts),
                    Some(operation) => Template::Compute(operation, functor, parts),
                    None => Template::Compound(functor, parts),
                }
            }
        }
    }

    /// The integer that the template evaluates to; `None` if its value is no integer.
    #[inline(always)]
    pub fn integer(&self, slots: &[Value], interner: &Interner) -> Option<i64> {
        match self {
            Template::Constant(value) => interner.as_integer(*value),
            Template::Slot(slot) => interner.as_integer(slots[*slot as usize]),
            Template::Compound(..) | Template::Text(..) => None,
            Template::Compute(operation, _, parts) => Self::compute(*operation, parts, slots, interner),
        }
    }

    fn compute(operation: Operation, parts: &[Template], slots: &[Value], interner: &Interner) -> Option<i64> {
        match parts {
            [a, b] => apply(operation, a.integer(slots, interner)?, b.integer(slots, interner)?),
            [text] if operation == Operation::Length => {
                i64::try_from(text.symbol(slots, interner)?.chars().count()).ok()
            }
            [b] => apply(operation, 0, b.integer(slots, interner)?),
            _ => None,
        }
    }

    /// The symbol that the template is or makes; `None` if its value is none.
    fn symbol<'i>(&self, slots: &[Value], interner: &'i Interner) -> Option<Cow<'i, str>> {
        match self {
            Template::Constant(value) => interner.as_symbol(*value).map(|name| Cow::Borrowed(&**name)),
            Template::Slot(slot) => interner.as_symbol(slots[*slot as usize]).map(|name| Cow::Borrowed(&**name)),
            Template::Compound(..) | Template::Compute(..) => None,
            Template::Text(Operation::Part, _, parts) => {
                let [text, start, length] = &parts[..] else { return None };
                let text = text.symbol(slots, interner)?;
                let start = usize::try_from(start.integer(slots, interner)?).ok()?;
                let length = usize::try_from(length.integer(slots, interner)?).ok()?;
                // The place of each character, and of the end.
                let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(start);
                let first = places.next()?;
                let last = if length == 0 { first } else { places.nth(length - 1)? };
                Some(Cow::Owned(text[first..last].to_owned()))
            }
            Template::Text(_, _, parts) => {
                let mut joined = String::new();
                for part in parts {
                    match part.integer(slots, interner) {
                        Some(integer) => joined += &integer.to_string(),
                        None => joined += &part.symbol(slots, interner)?,
                    }
                    if joined.len() > LONGEST_SYMBOL {
                        return None;
                    }
                }
                Some(Cow::Owned(joined))
            }
        }
    }

    /// The value that `is` computes: an integer, or the symbol that an operation makes; `None` if there is none.
    #[inline(always)]
    pub fn computed(&self, slots: &[Value], interner: &mut impl Intern) -> Option<Value> {
        match self {
            Template::Text(..) => {
                let symbol = Name::from(self.symbol(slots, interner.known())?);
                Some(interner.symbol(&symbol))
            }
            _ => self.integer(slots, interner.known()).map(|integer| interner.integer(integer)),
        }
    }

    /// The value of the template: computed if possible, otherwise built.
    #[inline(always)]
    pub fn value(&self, slots: &[Value], interner: &mut impl Intern) -> Value {
        match self {
            Template::Constant(value) => *value,
            Template::Slot(slot) => slots[*slot as usize],
            Template::Compute(operation, functor, parts) => {
                match Self::compute(*operation, parts, slots, interner.known()) {
                    Some(n) => interner.integer(n),
                    None => Self::build(*functor, parts, slots, interner),
                }
            }
            Template::Compound(functor, parts) | Template::Text(_, functor, parts) => {
                Self::build(*functor, parts, slots, interner)
            }
        }
    }

    fn build(functor: Functor, parts: &[Template], slots: &[Value], interner: &mut impl Intern) -> Value {
        match parts {
            // List cells and other pairs are frequent: avoid the allocation.
            [a, b] => {
                let args = [a.value(slots, interner), b.value(slots, interner)];
                interner.compound(functor, &args)
            }
            _ => {
                let args: Vec<Value> = parts.iter().map(|part| part.value(slots, interner)).collect();
                interner.compound(functor, &args)
            }
        }
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
    /// Whether the test holds. `<`, `<=`, `>` and `>=` relate integers or symbols, `is` what its right side computes.
    #[inline]
    pub fn holds(&self, slots: &[Value], interner: &mut impl Intern) -> bool {
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
                _ => integers(interner.known()).is_some_and(|(a, b)| a == b),
            },
            Comparator::SameValue => self.order(slots, interner.known()).is_some_and(Ordering::is_eq),
            Comparator::OtherValue => self.order(slots, interner.known()).is_some_and(Ordering::is_ne),
            Comparator::Less => self.order(slots, interner.known()).is_some_and(Ordering::is_lt),
            Comparator::LessOrEqual => self.order(slots, interner.known()).is_some_and(Ordering::is_le),
            Comparator::Greater => self.order(slots, interner.known()).is_some_and(Ordering::is_gt),
            Comparator::GreaterOrEqual => self.order(slots, interner.known()).is_some_and(Ordering::is_ge),
        };
        related != self.negated
    }

    /// The order of two integers, or that of two symbols by their characters; `None` of anything else.
    #[inline]
    fn order(&self, slots: &[Value], interner: &Interner) -> Option<Ordering> {
        match self.left.integer(slots, interner) {
            Some(left) => Some(left.cmp(&self.right.integer(slots, interner)?)),
            None => Some(self.left.symbol(slots, interner)?.cmp(&self.right.symbol(slots, interner)?)),
        }
    }
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

    #[test]
    fn equality_computes_only_with_integers() {
        let mut interner = Interner::new();
        let term = Term::compound("+", vec![Term::symbol("a"), Term::Integer(1)]);
        let mut compile = |t: &Term| Template::compile(t, Some(Comparator::Equal), &mut interner, &mut |_| 0);
        let (structural, three) =
            (compile(&term), compile(&Term::compound("+", vec![Term::Integer(1), Term::Integer(2)])));
        let value = structural.value(&[], &mut interner);
        assert_eq!(interner.term(value), term);
        let value = three.value(&[], &mut interner);
        assert_eq!(interner.term(value), Term::Integer(3));
    }
}
