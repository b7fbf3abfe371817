//! Comparisons that keep a number within bounds.

use crate::analysis::clause::{Clause, Elements, Literal};
use ludolog_syntax::ast::{Comparator, Name, Operation, Term};

/// `smaller < larger` or `smaller <= larger`.
struct GuardBound<'a> {
    smaller: &'a Term,
    larger: &'a Term,
    strict: bool,
}

/// The kinds of numbers, which no comparison relates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    Integer,
    Float,
}

impl NumberKind {
    /// The kind that a value is computed as; `None` of one that is a symbol. Variables count as integers: negations of comparisons with floats
    /// are bounds only where an expression says that it is one.
    fn computed(value: &Term) -> Option<NumberKind> {
        match value {
            Term::Compound(functor, args)
                if Operation::of(functor, args.len()).is_some_and(Operation::makes_symbols) =>
            {
                None
            }
            _ if value.makes_float() => Some(NumberKind::Float),
            _ => Some(NumberKind::Integer),
        }
    }
}

/// The order comparisons of one rule.
pub(super) struct Guards<'a>(Vec<GuardBound<'a>>);

impl<'a> Guards<'a> {
    pub(super) fn new(clause: &'a Clause) -> Self {
        let kind = |term: &Term| match term {
            Term::Variable(_) => clause.body.iter().find_map(|literal| match literal {
                Literal::Compare(c) if c.comparator == Comparator::Is && c.left == *term => {
                    NumberKind::computed(&c.right)
                }
                _ => None,
            }),
            Term::Integer(_) | Term::Float(_) => NumberKind::computed(term),
            _ => None,
        };
        let bound = |literal: &'a Literal| {
            let (c, comparator) = match literal {
                Literal::Compare(c) => (c, c.comparator),
                Literal::NotCompare(c) if c.comparator == Comparator::Matches => return None,
                Literal::NotCompare(c) if kind(&c.left).is_some() && kind(&c.left) == kind(&c.right) => {
                    (c, opposite(c.comparator))
                }
                _ => return None,
            };
            let strict = matches!(comparator, Comparator::Less | Comparator::Greater);
            match comparator {
                Comparator::Less | Comparator::LessOrEqual => {
                    Some(GuardBound { smaller: &c.left, larger: &c.right, strict })
                }
                Comparator::Greater | Comparator::GreaterOrEqual => {
                    Some(GuardBound { smaller: &c.right, larger: &c.left, strict })
                }
                Comparator::Is
                | Comparator::Equal
                | Comparator::NotEqual
                | Comparator::SameValue
                | Comparator::OtherValue
                | Comparator::Matches => None,
            }
        };
        let mut bounds: Vec<GuardBound> = clause.body.iter().filter_map(bound).collect();
        for literal in &clause.body {
            if let Literal::Member { element, elements: Elements::Range(from, to), negated: false, .. } = literal {
                bounds.push(GuardBound { smaller: from, larger: element, strict: false });
                bounds.push(GuardBound { smaller: element, larger: to, strict: false });
            }
        }
        Self(bounds)
    }

    /// Whether `name` is compared to stay below a term that is `limited`.
    pub(super) fn has_upper(&self, name: &Name, limited: &dyn Fn(&Term) -> bool) -> bool {
        self.0.iter().any(|bound| moved_variable(bound.smaller) == Some(name) && limited(bound.larger))
    }

    pub(super) fn has_lower(&self, name: &Name, limited: &dyn Fn(&Term) -> bool) -> bool {
        self.0.iter().any(|bound| moved_variable(bound.larger) == Some(name) && limited(bound.smaller))
    }

    /// Whether `name` is a symbol no longer than a term that is `limited`.
    pub(super) fn has_length_limit(&self, name: &Name, limited: &dyn Fn(&Term) -> bool) -> bool {
        let is_length = |term: &Term| match term {
            Term::Compound(functor, args) if Operation::of(functor, args.len()) == Some(Operation::Length) => {
                matches!(&args[0], Term::Variable(other) if other == name)
            }
            _ => false,
        };
        self.0.iter().any(|bound| is_length(bound.smaller) && limited(bound.larger))
    }

    /// Whether the rule asks that one variable be less than another.
    pub(super) fn is_less(&self, smaller: &Name, larger: &Name) -> bool {
        let is = |term: &Term, name: &Name| matches!(term, Term::Variable(other) if other == name);
        self.0.iter().any(|bound| bound.strict && is(bound.smaller, smaller) && is(bound.larger, larger))
    }

    /// Reads `value`, which the variable `to` is, as a step from a variable: by a constant, or by a variable that
    /// `finite` holds of and that is compared not to be negative; or `to` itself is compared with where it comes from.
    pub(super) fn step<'t>(
        &self,
        to: &Name,
        value: &'t Term,
        finite: &dyn Fn(&Name) -> bool,
    ) -> Option<VariableStep<'t>> {
        let Term::Compound(functor, args) = value else { return None };
        let [left, right] = &args[..] else { return None };

        let sized = match (&**functor, left, right) {
            ("+", Term::Variable(from), by) if self.size(by, finite).is_some() => Some((from, by, true)),
            ("+", by, Term::Variable(from)) => Some((from, by, true)),
            ("-", Term::Variable(from), by) => Some((from, by, false)),
            _ => None,
        };
        let sized = sized.and_then(|(from, by, plus)| {
            let size = self.size(by, finite)?;
            Some(VariableStep { from, up: plus == (size >= 0), strict: size != 0 })
        });
        sized.or_else(|| self.compared(to, [left, right].map(variable)))
    }

    /// The step from one of these variables that a comparison with `to` tells.
    fn compared<'t>(&self, to: &Name, from: [Option<&'t Name>; 2]) -> Option<VariableStep<'t>> {
        from.into_iter().flatten().find_map(|from| {
            let step = |up, strict| Some(VariableStep { from, up, strict });
            self.0.iter().find_map(|bound| match (variable(bound.smaller)?, variable(bound.larger)?) {
                (smaller, larger) if smaller == from && larger == to => step(true, bound.strict),
                (smaller, larger) if smaller == to && larger == from => step(false, bound.strict),
                _ => None,
            })
        })
    }

    /// Whether a comparison keeps a variable from being negative.
    pub(super) fn is_not_negative(&self, name: &Name) -> bool {
        self.size(&Term::Variable(name.clone()), &|_| true).is_some()
    }

    /// The least size of a step: a constant, or the lower bound of a variable that is never negative. A step of floats counts as 1 or -1, unless
    /// it is 0.
    fn size(&self, by: &Term, finite: &dyn Fn(&Name) -> bool) -> Option<i64> {
        match by {
            Term::Integer(n) => Some(*n),
            Term::Float(step) => Some(step.get().total_cmp(&0.0) as i64),
            Term::Variable(name) if finite(name) => {
                let lower = self.0.iter().filter(|bound| bound.larger == by).filter_map(|bound| match bound.smaller {
                    Term::Integer(n) => n.checked_add(i64::from(bound.strict)),
                    Term::Float(least) if least.get() < 0.0 => Some(-1),
                    Term::Float(least) => Some(i64::from(bound.strict || least.get() > 0.0)),
                    _ => None,
                });
                lower.max().filter(|&size| size >= 0)
            }
            _ => None,
        }
    }
}

/// A value that is a variable, moved.
pub(super) struct VariableStep<'a> {
    pub from: &'a Name,
    pub up: bool,
    /// It moves by a step that is not 0.
    pub strict: bool,
}

fn variable(term: &Term) -> Option<&Name> {
    match term {
        Term::Variable(name) => Some(name),
        _ => None,
    }
}

/// The comparator that holds of two numbers of a kind exactly when `comparator` does not.
fn opposite(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Is | Comparator::Equal => Comparator::NotEqual,
        Comparator::NotEqual => Comparator::Equal,
        Comparator::SameValue => Comparator::OtherValue,
        Comparator::OtherValue => Comparator::SameValue,
        Comparator::Less => Comparator::GreaterOrEqual,
        Comparator::LessOrEqual => Comparator::Greater,
        Comparator::Greater => Comparator::LessOrEqual,
        Comparator::GreaterOrEqual => Comparator::Less,
        Comparator::Matches => Comparator::Matches,
    }
}

/// `X` in `X`, `X + 1`, `1 + X` and `X - 1`.
fn moved_variable(term: &Term) -> Option<&Name> {
    match term {
        Term::Variable(name) => Some(name),
        Term::Compound(functor, args) => match (&**functor, &args[..]) {
            ("+" | "-", [Term::Variable(name), Term::Integer(_) | Term::Float(_)])
            | ("+", [Term::Integer(_) | Term::Float(_), Term::Variable(name)]) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
