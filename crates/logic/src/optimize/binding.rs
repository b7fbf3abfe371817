//! The variables that a literal needs bound and those that it binds, as sets of numbers.
//!
//! An order of a body is safe when each literal finds bound what it needs ([`LiteralShape::is_ready`]); after it, all
//! of its [`variables`](LiteralShape::variables) are bound. A [`Body`](crate::analysis::body::Body) keeps such an
//! order.

use super::sums;
use crate::analysis::body::may_be_local;
use crate::analysis::clause::{Elements, Literal};
use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use ludolog_syntax::ast::{Comparator, Name, Term};
use rustc_hash::FxBuildHasher;

/// The variables of a clause by number, with how many times each occurs.
#[derive(Default)]
pub struct ClauseVariables<'a> {
    occurrences: IndexMap<&'a Name, usize, FxBuildHasher>,
    /// The number of variables of the head, which come first; `None` of a body without a head, all of whose bindings are wanted.
    in_head: Option<usize>,
    /// The variables that are elements of ranges in the body, so that they are integers.
    in_ranges: Vec<&'a Name>,
}

impl<'a> ClauseVariables<'a> {
    /// Numbers the variables of a head and a body in order of occurrence.
    pub fn of(head: &'a [Term], body: &'a [Literal]) -> Self {
        let mut variables = Self::default();
        let mut count = |name| *variables.occurrences.entry(name).or_default() += 1;
        head.iter().for_each(|arg| arg.for_each_variable(&mut count));
        let in_head = Some(variables.occurrences.len());
        ClauseVariables { in_head, ..variables }.with(body)
    }

    /// Numbers the variables of a body without a head.
    pub fn of_goal(body: &'a [Literal]) -> Self {
        Self::default().with(body)
    }

    fn with(mut self, body: &'a [Literal]) -> Self {
        let mut count = |name| *self.occurrences.entry(name).or_default() += 1;
        body.iter().for_each(|literal| literal.for_each_variable(&mut count));
        for literal in body {
            if let Literal::Member {
                element: Term::Variable(name),
                elements: Elements::Range(..),
                negated: false,
                ..
            } = literal
            {
                self.in_ranges.push(name);
            }
        }
        self
    }

    /// Whether a variable of this clause has the name.
    pub fn has(&self, name: &str) -> bool {
        self.occurrences.keys().any(|other| ***other == *name)
    }

    /// Whether a variable is an element of a range of the body.
    pub fn is_in_range(&self, name: &Name) -> bool {
        self.in_ranges.contains(&name)
    }

    /// Whether all variables of the head are bound: no other binding leads to another head.
    pub fn has_head(&self, bound: &FixedBitSet) -> bool {
        self.in_head.is_some_and(|count| bound.count_ones(..count) == count)
    }

    /// The number of variables.
    pub fn count(&self) -> usize {
        self.occurrences.len()
    }

    /// The empty set of variables.
    pub fn none(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.count())
    }

    /// The number of a variable of this clause.
    ///
    /// # Panics
    ///
    /// When the variable is of another clause.
    pub fn index(&self, name: &Name) -> usize {
        self.occurrences.get_index_of(name).expect("the variable is of this clause")
    }

    /// The variables of a term as a set.
    pub fn set(&self, term: &Term) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.count());
        term.for_each_variable(&mut |name| set.insert(self.index(name)));
        set
    }

    /// Whether a variable is local to the negation in which it occurs.
    pub fn is_local(&self, name: &Name) -> bool {
        may_be_local(name) && self.occurrences.get(name) == Some(&1)
    }
}

/// The top-level terms of a literal.
pub fn terms(literal: &Literal) -> impl Iterator<Item = &Term> {
    let mut parameters: &[Term] = &[];
    let (many, one, two): (&[Term], Option<&Term>, [Option<&Term>; 2]) = match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => (&atom.args, None, [None, None]),
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            (&[], None, [Some(&comparison.left), Some(&comparison.right)])
        }
        Literal::Member { element, elements, .. } => (&[], Some(element), elements.terms()),
        Literal::Aggregate(aggregation) => {
            parameters = &aggregation.parameters;
            (aggregation.group(), Some(&aggregation.result), [None, None])
        }
    };
    many.iter().chain(one).chain(two.into_iter().flatten()).chain(parameters)
}

/// The same, to be changed.
pub fn terms_mut(literal: &mut Literal) -> impl Iterator<Item = &mut Term> {
    let mut parameters: &mut [Term] = &mut [];
    let (many, one, two): (&mut [Term], Option<&mut Term>, [Option<&mut Term>; 2]) = match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => (&mut atom.args, None, [None, None]),
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            (&mut [], None, [Some(&mut comparison.left), Some(&mut comparison.right)])
        }
        Literal::Member { element, elements, .. } => (&mut [], Some(element), elements.terms_mut()),
        Literal::Aggregate(aggregation) => {
            let group = &mut aggregation.atom.args[..aggregation.bound];
            parameters = &mut aggregation.parameters;
            (group, Some(&mut aggregation.result), [None, None])
        }
    };
    many.iter_mut().chain(one).chain(two.into_iter().flatten()).chain(parameters)
}

/// A literal as a set of variables and the ways to get it going.
pub struct LiteralShape {
    /// The variables that are bound after it: all but those local to a negation.
    pub variables: FixedBitSet,
    /// The literal can stand where one of these sets is bound.
    needs: Vec<FixedBitSet>,
    /// A sum can be [solved](sums) where one of these sets is bound.
    needs_solved: Vec<FixedBitSet>,
}

impl LiteralShape {
    /// The shape of a literal of the clause with these variables.
    pub fn new(literal: &Literal, variables: &ClauseVariables) -> Self {
        let mut all = FixedBitSet::with_capacity(variables.count());
        let is_negation = matches!(literal, Literal::Negative(_) | Literal::Member { negated: true, .. });
        literal.for_each_variable(&mut |name| {
            if !(is_negation && variables.is_local(name)) {
                all.insert(variables.index(name));
            }
        });
        let needs = match literal {
            Literal::Positive(_) => vec![FixedBitSet::with_capacity(variables.count())],
            Literal::Negative(_) | Literal::NotCompare(_) | Literal::Member { negated: true, .. } => vec![all.clone()],
            Literal::Member { elements, .. } => {
                let mut needed = FixedBitSet::with_capacity(variables.count());
                elements.for_each_variable(&mut |name| needed.insert(variables.index(name)));
                vec![needed]
            }
            Literal::Aggregate(aggregation) => {
                let mut needed = FixedBitSet::with_capacity(variables.count());
                aggregation.outer().for_each(|arg| needed.union_with(&variables.set(arg)));
                vec![needed]
            }
            Literal::Compare(comparison) => {
                let mut needs = vec![all.clone()];
                let left = &comparison.left;
                let right = &comparison.right;
                if matches!(comparison.comparator, Comparator::Is | Comparator::Equal)
                    && matches!(left, Term::Variable(_))
                {
                    needs.push(variables.set(right));
                }
                if comparison.comparator == Comparator::Equal && matches!(right, Term::Variable(_)) {
                    needs.push(variables.set(left));
                }
                needs
            }
        };
        let mut needs_solved = Vec::new();
        for (unknown, _) in sums::solutions(literal, variables) {
            let mut needed = all.clone();
            needed.remove(variables.index(unknown));
            needs_solved.push(needed);
        }
        Self { variables: all, needs, needs_solved }
    }

    /// Whether the literal can stand where these variables are bound.
    pub fn is_ready(&self, bound: &FixedBitSet) -> bool {
        self.needs.iter().any(|needs| needs.is_subset(bound))
    }

    /// Whether the literal can stand where these variables are bound, as it is or solved.
    pub fn is_ready_or_solved(&self, bound: &FixedBitSet) -> bool {
        self.is_ready(bound) || self.needs_solved.iter().any(|needs| needs.is_subset(bound))
    }
}
