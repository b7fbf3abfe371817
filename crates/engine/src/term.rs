//! Compiled terms. A [`Pattern`] matches a value and binds slots, a [`Template`] builds or computes a value from slots,
//! a [`Test`] compares two templates.
//!
//! A slot is a register for one variable of a clause. The compiler knows at each point which slots are bound.

use super::value::{Functor, Interner, Value};
use ludolog_syntax::ast::{Comparator, Name, Term};

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

/// An arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, rounded towards negative infinity.
    Divide,
    /// `a mod b`, with the sign of the divisor.
    Modulo,
    /// `-b`
    Negate,
}

impl Operator {
    /// The operator of this name and arity; `None` if there is none.
    pub fn of(functor: &str, arity: usize) -> Option<Operator> {
        Some(match (functor, arity) {
            ("+", 2) => Operator::Add,
            ("-", 2) => Operator::Subtract,
            ("*", 2) => Operator::Multiply,
            ("/", 2) => Operator::Divide,
            ("mod", 2) => Operator::Modulo,
            ("-", 1) => Operator::Negate,
            _ => return None,
        })
    }

    /// `a op b`; `None` on division by zero and overflow. [`Operator::Negate`] is `0 - b`.
    #[inline]
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Operator::Add => a.checked_add(b),
            Operator::Subtract | Operator::Negate => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Divide => {
                let quotient = a.checked_div(b)?;
                Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
            }
            Operator::Modulo => {
                let remainder = a.checked_rem(b)?;
                Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
            }
        }
    }
}

/// A term to be built from bound slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// This value.
    Constant(Value),
    /// The value of a slot.
    Slot(Slot),
    /// A compound built from its parts.
    Compound(Functor, Box<[Template]>),
    /// The integer that the operator computes from its parts; the compound of the functor if a part is no integer.
    Compute(Operator, Functor, Box<[Template]>),
}

impl Template {
    /// Compiles `term`; with `arithmetic`, compounds of an [`Operator`] compute.
    pub fn compile(
        term: &Term,
        arithmetic: bool,
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
                    args.iter().map(|arg| Template::compile(arg, arithmetic, interner, slot_of)).collect();
                match Operator::of(name, args.len()) {
                    Some(operator) if arithmetic => Template::Compute(operator, functor, parts),
                    _ => Template::Compound(functor, parts),
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
            Template::Compound(..) => None,
            Template::Compute(operator, _, parts) => Self::compute(*operator, parts, slots, interner),
        }
    }

    fn compute(operator: Operator, parts: &[Template], slots: &[Value], interner: &Interner) -> Option<i64> {
        match parts {
            [a, b] => operator.apply(a.integer(slots, interner)?, b.integer(slots, interner)?),
            [b] => operator.apply(0, b.integer(slots, interner)?),
            _ => None,
        }
    }

    /// The value of the template: computed if possible, otherwise built.
    #[inline(always)]
    pub fn value(&self, slots: &[Value], interner: &mut Interner) -> Value {
        match self {
            Template::Constant(value) => *value,
            Template::Slot(slot) => slots[*slot as usize],
            Template::Compute(operator, functor, parts) => match Self::compute(*operator, parts, slots, interner) {
                Some(n) => interner.integer(n),
                None => Self::build(*functor, parts, slots, interner),
            },
            Template::Compound(functor, parts) => Self::build(*functor, parts, slots, interner),
        }
    }

    fn build(functor: Functor, parts: &[Template], slots: &[Value], interner: &mut Interner) -> Value {
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
    /// Whether the test holds. `<`, `<=`, `>`, `>=` and `is` relate integers only.
    #[inline]
    pub fn holds(&self, slots: &[Value], interner: &mut Interner) -> bool {
        let integers =
            |interner: &Interner| Some((self.left.integer(slots, interner)?, self.right.integer(slots, interner)?));
        let related = match self.comparator {
            Comparator::Equal => self.left.value(slots, interner) == self.right.value(slots, interner),
            Comparator::NotEqual => self.left.value(slots, interner) != self.right.value(slots, interner),
            Comparator::Is => integers(interner).is_some_and(|(a, b)| a == b),
            Comparator::Less => integers(interner).is_some_and(|(a, b)| a < b),
            Comparator::LessOrEqual => integers(interner).is_some_and(|(a, b)| a <= b),
            Comparator::Greater => integers(interner).is_some_and(|(a, b)| a > b),
            Comparator::GreaterOrEqual => integers(interner).is_some_and(|(a, b)| a >= b),
        };
        related != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_modulo_floor() {
        assert_eq!(Operator::Divide.apply(7, 2), Some(3));
        assert_eq!(Operator::Divide.apply(-7, 2), Some(-4));
        assert_eq!(Operator::Divide.apply(7, -2), Some(-4));
        assert_eq!(Operator::Modulo.apply(-1, 9), Some(8));
        assert_eq!(Operator::Modulo.apply(1, -9), Some(-8));
        assert_eq!(Operator::Divide.apply(1, 0), None);
        assert_eq!(Operator::Modulo.apply(1, 0), None);
        assert_eq!(Operator::Divide.apply(i64::MIN, -1), None);
        assert_eq!(Operator::Add.apply(i64::MAX, 1), None);
    }

    #[test]
    fn equality_computes_only_with_integers() {
        let mut interner = Interner::new();
        let term = Term::compound("+", vec![Term::symbol("a"), Term::Integer(1)]);
        let mut compile = |t: &Term| Template::compile(t, true, &mut interner, &mut |_| 0);
        let (structural, three) =
            (compile(&term), compile(&Term::compound("+", vec![Term::Integer(1), Term::Integer(2)])));
        let value = structural.value(&[], &mut interner);
        assert_eq!(interner.term(value), term);
        let value = three.value(&[], &mut interner);
        assert_eq!(interner.term(value), Term::Integer(3));
    }
}
