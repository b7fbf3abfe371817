//! Narrowing: the integers that a slot may hold where a comparison holds of what is computed from it.
//!
//! In `pt(A, X) & pt(B, Y) & abs(X - Y) < 4` the comparison leaves seven integers for `Y`, whatever `X` is. From the leaves of both sides to the comparison
//! the integers are found that each part may be, and from there back to the slot those that are left (HC4: Benhamou, Goualard, Granvilliers and Puget,
//! *Revising hull and box consistency*, ICLP 1999). All integers for which the comparison holds are left, and others may be. O(depth · parts).

use super::{Computation, Slot, Template, apply};
use ludolog_syntax::ast::{Comparator, Operation};

/// The integers from the least to the greatest; `None` is an end that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    least: Option<i128>,
    greatest: Option<i128>,
}

/// One of two ends; neither is known if one of both is not.
fn of_both(a: Option<i128>, b: Option<i128>, choose: impl Fn(i128, i128) -> i128) -> Option<i128> {
    a.zip(b).map(|(a, b)| choose(a, b))
}

/// One of two ends, as far as they are known.
fn of_known(a: Option<i128>, b: Option<i128>, choose: impl Fn(i128, i128) -> i128) -> Option<i128> {
    of_both(a, b, choose).or(a).or(b)
}

impl Interval {
    const ALL: Interval = Interval { least: None, greatest: None };

    fn at(integer: i128) -> Interval {
        Interval { least: Some(integer), greatest: Some(integer) }
    }

    /// The only integer.
    fn only(self) -> Option<i128> {
        self.least.filter(|_| self.least == self.greatest)
    }

    fn and(self, other: Interval) -> Interval {
        Interval {
            least: of_known(self.least, other.least, i128::max),
            greatest: of_known(self.greatest, other.greatest, i128::min),
        }
    }

    fn negated(self) -> Interval {
        let negated = |end: Option<i128>| end.and_then(i128::checked_neg);
        Interval { least: negated(self.greatest), greatest: negated(self.least) }
    }

    fn plus(self, other: Interval) -> Interval {
        let sum = |a: Option<i128>, b| a.zip(b).and_then(|(a, b)| i128::checked_add(a, b));
        Interval { least: sum(self.least, other.least), greatest: sum(self.greatest, other.greatest) }
    }

    /// All products of two integers.
    fn times(self, other: Interval) -> Interval {
        let ends = [self.least, self.greatest].map(|a| [other.least, other.greatest].map(|b| a?.checked_mul(b?)));
        let products: Option<Vec<i128>> = ends.into_iter().flatten().collect();
        match products {
            Some(products) => {
                Interval { least: products.iter().copied().min(), greatest: products.iter().copied().max() }
            }
            None => Interval::ALL,
        }
    }

    /// The absolute values.
    fn absolute(self) -> Interval {
        let magnitude = |end: i128| end.checked_abs();
        let greatest = self.least.zip(self.greatest).and_then(|(a, b)| Some(magnitude(a)?.max(magnitude(b)?)));
        let nearest = match (self.least, self.greatest) {
            (Some(least), _) if least > 0 => least,
            (_, Some(greatest)) if greatest < 0 => greatest.checked_neg().unwrap_or(0),
            _ => 0,
        };
        Interval { least: Some(nearest), greatest }
    }

    /// The squares.
    fn squared(self) -> Interval {
        let Interval { least, greatest } = self.absolute();
        let square = |end: Option<i128>| end.and_then(|end| end.checked_mul(end));
        Interval { least: square(least).or(Some(0)), greatest: square(greatest) }
    }

    /// The integers whose product with a factor is within.
    fn divided_by(self, factor: i128) -> Interval {
        let positive = if factor < 0 { self.negated() } else { self };
        let factor = factor.saturating_abs();
        if factor == 0 {
            return Interval::ALL;
        }
        let upwards = |end: i128| -(-end).div_euclid(factor);
        Interval {
            least: positive.least.filter(|&end| end != i128::MIN).map(upwards),
            greatest: positive.greatest.map(|end| end.div_euclid(factor)),
        }
    }

    /// The integers whose magnitude is at most this.
    fn around(magnitude: Option<i128>) -> Interval {
        Interval { least: magnitude.and_then(i128::checked_neg), greatest: magnitude }
    }
}

/// A comparison that narrows a slot, of which only some of the others are bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowing {
    comparator: Comparator,
    left: Template,
    right: Template,
    slot: Slot,
    /// The slots that are not bound, that one included.
    free: Box<[Slot]>,
    /// Whether both ends are known, of an example.
    pub is_closed: bool,
}

/// How what a part computes depends on the value of a slot, as that grows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Fixed,
    /// It only grows, or only falls.
    Monotone,
    /// It falls first, and grows then.
    Valley,
    /// It grows first, and falls then.
    Hill,
}

impl Shape {
    fn negated(self) -> Shape {
        match self {
            Shape::Valley => Shape::Hill,
            Shape::Hill => Shape::Valley,
            other => other,
        }
    }

    /// The shape of a part, if it is known to have one.
    fn of(part: &Template, slot: Slot) -> Option<Shape> {
        use Shape::{Fixed, Monotone, Valley};
        match part {
            Template::Slot(other) if *other == slot => Some(Monotone),
            Template::Slot(_) | Template::Constant(_) => Some(Fixed),
            Template::Compute(computation) => {
                let Computation { operation, parts, .. } = &**computation;
                let shapes: Option<Vec<Shape>> = parts.iter().map(|part| Shape::of(part, slot)).collect();
                match (operation, &shapes?[..]) {
                    (_, shapes) if shapes.iter().all(|shape| *shape == Fixed) => Some(Fixed),
                    (Operation::Add, [Fixed, shape] | [shape, Fixed]) | (Operation::Subtract, [shape, Fixed]) => {
                        Some(*shape)
                    }
                    (Operation::Subtract, [Fixed, shape]) | (Operation::Negate, [shape]) => Some(shape.negated()),
                    (Operation::Multiply, [Monotone, Monotone]) if parts[0] == parts[1] => Some(Valley),
                    (Operation::Absolute, [Monotone]) => Some(Valley),
                    (
                        Operation::Multiply | Operation::Minimum | Operation::Maximum,
                        [Fixed, Monotone] | [Monotone, Fixed],
                    )
                    | (Operation::Divide, [Monotone, Fixed]) => Some(Monotone),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The integers of leaves.
struct Leaves<'n, F> {
    narrowing: &'n Narrowing,
    /// The integer of a constant or of a bound slot, if it is one.
    integer: F,
}

impl Narrowing {
    /// What a comparison tells of a slot, if it may narrow it.
    pub fn of(
        comparator: Comparator,
        [left, right]: [Template; 2],
        slot: Slot,
        free: Box<[Slot]>,
        constant: impl Fn(&Template) -> Option<i64>,
    ) -> Option<Narrowing> {
        use Comparator::{Greater, GreaterOrEqual, Is, Less, LessOrEqual, SameValue};
        if !matches!(comparator, Less | LessOrEqual | Greater | GreaterOrEqual | SameValue | Is) {
            return None;
        }
        let mut narrowing = Narrowing { comparator, left, right, slot, free, is_closed: false };
        // Whether it narrows is seen by an example.
        let example = |leaf: &Template| if let Template::Slot(_) = leaf { Some(1) } else { constant(leaf) };
        let [least, greatest] = narrowing.interval(example)?;
        narrowing.is_closed = least != i64::MIN && greatest != i64::MAX;
        Some(narrowing)
    }

    /// The least and the greatest integer that are left, the least of all 64-bit integers and the greatest where an end is not known; `None` if neither is, or
    /// a leaf that is bound is no integer.
    pub fn interval(&self, integer: impl Fn(&Template) -> Option<i64>) -> Option<[i64; 2]> {
        let leaves = Leaves { narrowing: self, integer };
        let [left, right] = [leaves.may_be(&self.left)?, leaves.may_be(&self.right)?];
        let one = Interval::at(1);
        let at_most = |limit: Interval| Interval { least: None, ..limit };
        let at_least = |limit: Interval| Interval { greatest: None, ..limit };
        let [of_left, of_right] = match self.comparator {
            Comparator::Less => [at_most(right.plus(one.negated())), at_least(left.plus(one))],
            Comparator::LessOrEqual => [at_most(right), at_least(left)],
            Comparator::Greater => [at_least(right.plus(one)), at_most(left.plus(one.negated()))],
            Comparator::GreaterOrEqual => [at_least(right), at_most(left)],
            _ => [right, left],
        };
        let left = leaves.narrowed(&self.left, of_left.and(left))?;
        let Interval { least, greatest } = leaves.narrowed(&self.right, of_right.and(right))?.and(left);
        // Where nothing is left, neither is a 64-bit integer: any order of ends that leaves nothing will do.
        let end = |end: i128| i64::try_from(end.clamp(i64::MIN.into(), i64::MAX.into())).unwrap_or_default();
        (least.is_some() || greatest.is_some()).then(|| [least.map_or(i64::MIN, end), greatest.map_or(i64::MAX, end)])
    }
}

impl Narrowing {
    /// Whether the comparison holds for all values of the slot between two for which it holds, where all other slots are bound.
    pub fn is_convex(&self) -> bool {
        use Comparator::{Greater, GreaterOrEqual, Less, LessOrEqual, SameValue};
        use Shape::{Fixed, Hill, Monotone, Valley};
        let [left, right] = [&self.left, &self.right].map(|side| Shape::of(side, self.slot));
        let is_monotone = matches!((left, right), (Some(Monotone), Some(Fixed)) | (Some(Fixed), Some(Monotone)));
        self.free.iter().all(|free| *free == self.slot)
            && match self.comparator {
                Less | LessOrEqual => {
                    is_monotone || matches!((left, right), (Some(Valley), Some(Fixed)) | (Some(Fixed), Some(Hill)))
                }
                Greater | GreaterOrEqual => {
                    is_monotone || matches!((left, right), (Some(Hill), Some(Fixed)) | (Some(Fixed), Some(Valley)))
                }
                SameValue => is_monotone,
                _ => false,
            }
    }
}

impl<F: Fn(&Template) -> Option<i64>> Leaves<'_, F> {
    /// The integers that a part may be; `None` if it is none, or is not known to be one.
    fn may_be(&self, part: &Template) -> Option<Interval> {
        match part {
            Template::Slot(slot) if self.narrowing.free.contains(slot) => Some(Interval::ALL),
            Template::Slot(_) | Template::Constant(_) => {
                (self.integer)(part).map(|integer| Interval::at(integer.into()))
            }
            Template::Compute(computation) => self.may_be_computed(computation),
            _ => None,
        }
    }

    fn may_be_computed(&self, Computation { operation, parts, .. }: &Computation) -> Option<Interval> {
        let (a, b) = match &**parts {
            [b] => (Interval::at(0), self.may_be(b)?),
            [a, b] => (self.may_be(a)?, self.may_be(b)?),
            _ => return None,
        };
        Some(match operation {
            Operation::Add => a.plus(b),
            Operation::Subtract => a.plus(b.negated()),
            Operation::Negate => b.negated(),
            Operation::Multiply if parts[0] == parts[1] => a.squared(),
            Operation::Multiply => a.times(b),
            Operation::Absolute => b.absolute(),
            Operation::Minimum => Interval {
                least: of_both(a.least, b.least, i128::min),
                greatest: of_known(a.greatest, b.greatest, i128::min),
            },
            Operation::Maximum => Interval {
                least: of_known(a.least, b.least, i128::max),
                greatest: of_both(a.greatest, b.greatest, i128::max),
            },
            _ => match (a.only(), b.only()) {
                (Some(a), Some(b)) => {
                    let [a, b] = [a, b].map(i64::try_from);
                    Interval::at(apply(*operation, a.ok()?, b.ok()?)?.into())
                }
                (None, Some(modulus)) if *operation == Operation::Modulo && modulus > 0 => {
                    Interval { least: Some(0), greatest: Some(modulus - 1) }
                }
                _ => Interval::ALL,
            },
        })
    }

    /// The integers that the slot may hold where a part is one of these; `None` as of [`may_be`](Self::may_be).
    fn narrowed(&self, part: &Template, to: Interval) -> Option<Interval> {
        match part {
            Template::Slot(slot) if *slot == self.narrowing.slot => Some(to),
            Template::Compute(computation) => self.narrowed_computed(computation, to),
            _ => Some(Interval::ALL),
        }
    }

    fn narrowed_computed(&self, Computation { operation, parts, .. }: &Computation, to: Interval) -> Option<Interval> {
        let (left, right) = match &**parts {
            [right] => (None, right),
            [left, right] => (Some(left), right),
            _ => return None,
        };
        let a = left.map_or(Some(Interval::at(0)), |left| self.may_be(left))?;
        let b = self.may_be(right)?;
        let [of_left, of_right] = match operation {
            Operation::Add => [to.plus(b.negated()), to.plus(a.negated())],
            Operation::Subtract => [to.plus(b), a.plus(to.negated())],
            Operation::Negate => [Interval::ALL, to.negated()],
            Operation::Absolute => [Interval::ALL, Interval::around(to.greatest)],
            Operation::Multiply if left == Some(right) => {
                let root = to.greatest.map(|square| if square < 0 { -1 } else { square.isqrt() });
                [Interval::around(root); 2]
            }
            Operation::Multiply => {
                [b, a].map(|factor| factor.only().map_or(Interval::ALL, |factor| to.divided_by(factor)))
            }
            Operation::Divide => match b.only() {
                Some(divisor) if divisor > 0 => {
                    let least = to.least.and_then(|least| least.checked_mul(divisor));
                    let greatest =
                        to.greatest.and_then(|greatest| greatest.checked_mul(divisor)?.checked_add(divisor - 1));
                    [Interval { least, greatest }, Interval::ALL]
                }
                _ => [Interval::ALL; 2],
            },
            Operation::Minimum => [Interval { greatest: None, ..to }; 2],
            Operation::Maximum => [Interval { least: None, ..to }; 2],
            _ => [Interval::ALL; 2],
        };
        let left = left.map_or(Some(Interval::ALL), |left| self.narrowed(left, of_left.and(a)))?;
        Some(self.narrowed(right, of_right.and(b))?.and(left))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Test;
    use super::*;
    use crate::value::{Interner, Value};
    use ludolog_syntax::ast::{Name, Term};
    use ludolog_syntax::diagnostic::Span;
    use proptest::prelude::*;

    fn terms() -> impl Strategy<Value = Term> {
        let leaf = prop_oneof![
            3 => prop::sample::select(&["x", "y", "z"][..]).prop_map(|name| Term::Variable(Name::from(name))),
            1 => (-4..5i64).prop_map(Term::Integer),
        ];
        leaf.prop_recursive(3, 12, 2, |part| {
            let two = prop::sample::select(&["+", "-", "*", "*", "/", "mod", "min", "max"][..]);
            prop_oneof![
                4 => (two, part.clone(), part.clone()).prop_map(|(name, a, b)| Term::compound(name, vec![a, b])),
                1 => part.clone().prop_map(|a| Term::compound("abs", vec![a])),
                1 => part.clone().prop_map(|a| Term::compound("-", vec![a])),
                1 => part.prop_map(|a| Term::compound("*", vec![a.clone(), a])),
            ]
        })
    }

    const COMPARATORS: [Comparator; 5] = [
        Comparator::Less,
        Comparator::LessOrEqual,
        Comparator::Greater,
        Comparator::GreaterOrEqual,
        Comparator::SameValue,
    ];

    proptest! {
        /// Of `x`, where `z` is bound and `y` is not, all integers are left for which the comparison holds with some `y`.
        #[test]
        fn all_integers_are_left_that_pass(
            left in terms(),
            right in terms(),
            comparator in prop::sample::select(&COMPARATORS[..]),
            z in -5..6i64,
        ) {
            let mut interner = Interner::new();
            let mut slot = |name: &Name| ["x", "y", "z"].iter().position(|known| **known == **name).unwrap() as Slot;
            let side_of = Some((comparator, Span::NONE));
            let mut compile = |term: &Term| Template::compile(term, side_of, &mut interner, &mut slot);
            let [left, right] = [compile(&left), compile(&right)];
            let small = |n: i64| Value::small_integer(n).expect("it is small");
            let slots = |x: i64, y: i64| [small(x), small(y), small(z)];
            let constant = |leaf: &Template| leaf.integer_of_small(&[]);
            let Some(narrowing) =
                Narrowing::of(comparator, [left.clone(), right.clone()], 0, [0, 1].into(), constant)
            else {
                return Ok(());
            };
            let Some([least, greatest]) = narrowing.interval(|leaf| leaf.integer_of_small(&slots(0, 0))) else {
                return Ok(());
            };
            let test = Test { comparator, negated: false, left, right };
            for (x, y) in (-30..=30).flat_map(|x| (-9..=9).map(move |y| (x, y))) {
                if test.holds(&slots(x, y), &mut interner) {
                    prop_assert!(least <= x && x <= greatest, "{x}, {y} of {least}..{greatest}");
                }
            }
        }
    }

    #[test]
    fn ends_are_those_that_are_worked_out() {
        let mut interner = Interner::new();
        let variable = |name: &str| Term::Variable(Name::from(name));
        let minus = |a, b| Term::compound("-", vec![a, b]);
        let square = |a: Term| Term::compound("*", vec![a.clone(), a]);
        let distance = Term::compound("abs", vec![minus(variable("z"), variable("x"))]);
        let sum = |a, b| Term::compound("+", vec![a, b]);
        let squares = sum(square(minus(variable("x"), variable("z"))), square(variable("y")));
        let cases = [
            // |10 - x| < 4
            (distance.clone(), Comparator::Less, 4, Some([7, 13])),
            (distance, Comparator::Less, 0, Some([11, 9])),
            // (x - 10)² + y² <= 30
            (squares, Comparator::LessOrEqual, 30, Some([5, 15])),
            // 10 · x <= 99, and > -99
            (Term::compound("*", vec![variable("z"), variable("x")]), Comparator::LessOrEqual, 99, Some([i64::MIN, 9])),
            (Term::compound("*", vec![variable("z"), variable("x")]), Comparator::Greater, -99, Some([-9, i64::MAX])),
            // x / 10 = 4, and x + y = 4
            (Term::compound("/", vec![variable("x"), variable("z")]), Comparator::SameValue, 4, Some([40, 49])),
            (sum(variable("x"), variable("y")), Comparator::SameValue, 4, None),
            (sum(variable("x"), variable("z")), Comparator::SameValue, 4, Some([-6, -6])),
        ];
        for (term, comparator, limit, expected) in cases {
            let mut slot = |name: &Name| ["x", "y", "z"].iter().position(|known| **known == **name).unwrap() as Slot;
            let side_of = Some((comparator, Span::NONE));
            let left = Template::compile(&term, side_of, &mut interner, &mut slot);
            let right = Template::Constant(interner.integer(limit));
            let constant = |leaf: &Template| leaf.integer_of_small(&[]);
            let found = Narrowing::of(comparator, [left, right], 0, [0, 1].into(), constant).and_then(|narrowing| {
                let ten = Value::small_integer(10).expect("it is small");
                narrowing.interval(|leaf| leaf.integer_of_small(&[ten; 3]))
            });
            assert_eq!(found, expected, "{term:?} {comparator:?} {limit}");
        }
    }
}
