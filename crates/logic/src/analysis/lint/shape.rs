//! The terms that stand in one place of facts and heads.

use ludolog_syntax::ast::{Float, Name, Term};
use rustc_hash::FxHashMap;

/// All terms that were added, each place of them for itself: of `f(a, b)` and `f(c, d)` it also admits `f(a, d)`.
#[derive(Default)]
pub(super) struct TermShape<'a> {
    /// Whether a variable stood here.
    any: bool,
    /// The shapes of the arguments, by what stood before them.
    terms: FxHashMap<OutsideShape<'a>, Vec<TermShape<'a>>>,
}

#[derive(PartialEq, Eq, Hash)]
enum OutsideShape<'a> {
    Integer(i64),
    Float(Float),
    Symbol(&'a Name),
    Compound(&'a Name, usize),
}

impl<'a> TermShape<'a> {
    pub(super) fn add(&mut self, term: &'a Term) {
        let Some((outside, args)) = split(term) else {
            self.any = true;
            return;
        };
        let shapes = self.terms.entry(outside).or_default();
        shapes.resize_with(args.len(), TermShape::default);
        shapes.iter_mut().zip(args).for_each(|(shape, arg)| shape.add(arg));
    }

    /// Whether an instance of the term may be one of an added term.
    pub(super) fn admits(&self, term: &Term) -> bool {
        let Some((outside, args)) = split(term) else { return true };
        self.any
            || self
                .terms
                .get(&outside)
                .is_some_and(|shapes| shapes.iter().zip(args).all(|(shape, arg)| shape.admits(arg)))
    }
}

/// The outermost part of a term and its arguments; `None` for a variable.
fn split(term: &Term) -> Option<(OutsideShape<'_>, &[Term])> {
    match term {
        Term::Variable(_) => None,
        Term::Integer(n) => Some((OutsideShape::Integer(*n), &[])),
        Term::Float(float) => Some((OutsideShape::Float(*float), &[])),
        Term::Symbol(name) => Some((OutsideShape::Symbol(name), &[])),
        Term::Compound(name, args) => Some((OutsideShape::Compound(name, args.len()), args)),
    }
}
