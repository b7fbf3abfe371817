//! Columns that comparisons narrow: by a limit that is bound before, or by what they [compute](Narrowing) with the column.

use super::{PlanCompiler, is_large};
use crate::semi_naive::relation::RelationId;
use crate::term::{Narrowing, Template};
use crate::value::Intern;
use ludolog_logic::analysis::clause::{Literal, mentions};
use ludolog_logic::optimize::bounds::{Bound, bounded_columns, may_bound};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Term};
use rustc_hash::FxHashMap;

/// A column that comparisons narrow.
pub(super) struct NarrowColumn<'l> {
    pub column: usize,
    /// Those that do so by themselves: a value within all of them passes their literals.
    pub bounds: Vec<Bound<'l>>,
    /// Those that compute with it, which test what is left, with the indices of their literals.
    pub narrowings: Vec<(usize, Narrowing)>,
    /// Whether both of its ends are known.
    pub is_closed: bool,
}

/// The narrowings of literals.
pub(super) fn narrowed_by(of_literals: Vec<(usize, Narrowing)>) -> Box<[Narrowing]> {
    of_literals.into_iter().map(|(_, narrowing)| narrowing).collect()
}

/// Whether a literal may narrow a column.
pub(super) fn may_narrow(literal: &Literal) -> bool {
    may_bound(literal)
        || matches!(literal, Literal::Compare(c) if matches!(c.comparator, Comparator::SameValue | Comparator::Is))
}

/// Most parts of a comparison that narrows: it takes longer than to test some rows.
const MOST_PARTS: usize = 32;

/// A term with what is computed in place of the variables that it is computed for; `None` if it has more parts than are left.
fn substituted(term: &Term, computed: &FxHashMap<&Name, &Term>, left: &mut usize) -> Option<Term> {
    *left = left.checked_sub(1)?;
    match term {
        Term::Variable(name) => match computed.get(name) {
            Some(value) => substituted(value, computed, left),
            None => Some(term.clone()),
        },
        Term::Compound(functor, args) => {
            let args: Option<Vec<Term>> = args.iter().map(|arg| substituted(arg, computed, left)).collect();
            Some(Term::Compound(functor.clone(), args?))
        }
        _ => Some(term.clone()),
    }
}

impl PlanCompiler<'_, '_, '_> {
    /// The columns of an atom that the literals after it narrow, which found `before` bound, by slot.
    pub(super) fn narrow_columns<'l>(
        &mut self,
        atom: &Atom,
        relation: RelationId,
        before: &[bool],
        after: &[(usize, &'l Literal)],
    ) -> Vec<NarrowColumn<'l>> {
        let names = self.names;
        let is_bound = |name: &Name| before[names.slot(name) as usize];
        let bounded = bounded_columns(atom, &is_bound, after.iter().copied());
        let mut columns: Vec<NarrowColumn> = bounded
            .into_iter()
            .map(|bounded| NarrowColumn {
                is_closed: bounded.is_closed(),
                column: bounded.column,
                bounds: bounded.bounds,
                narrowings: Vec::new(),
            })
            .collect();
        // What few rows there are, is tested in no time.
        if !is_large(&self.tables.relations[relation]) {
            return columns;
        }
        for (column, arg) in atom.args.iter().enumerate() {
            let Term::Variable(name) = arg else { continue };
            let narrowings = if is_bound(name) { Vec::new() } else { self.narrowings(name, before, after) };
            if narrowings.is_empty() {
                continue;
            }
            let is_closed = narrowings.iter().any(|(_, narrowing)| narrowing.is_closed);
            match columns.iter_mut().find(|known| known.column == column) {
                Some(known) => {
                    known.is_closed |= is_closed;
                    known.narrowings = narrowings;
                }
                None => columns.push(NarrowColumn { column, bounds: Vec::new(), narrowings, is_closed }),
            }
        }
        columns
    }

    /// What comparisons that compute with a variable leave of it.
    fn narrowings(&mut self, name: &Name, before: &[bool], after: &[(usize, &Literal)]) -> Vec<(usize, Narrowing)> {
        let names = self.names;
        let is_bound = |name: &Name| before[names.slot(name) as usize];
        // What is computed on the way to a comparison.
        let computed: FxHashMap<&Name, &Term> = after
            .iter()
            .filter_map(|(_, literal)| match literal {
                Literal::Compare(Comparison {
                    comparator: Comparator::Is, left: Term::Variable(name), right, ..
                }) => (!is_bound(name)).then_some((name, right)),
                _ => None,
            })
            .collect();
        let mut narrowings = Vec::new();
        for &(number, literal) in after {
            let Literal::Compare(Comparison { comparator, left, right, span }) = literal else { continue };
            let mut parts_left = MOST_PARTS;
            let [Some(left_side), Some(right_side)] =
                [left, right].map(|side| substituted(side, &computed, &mut parts_left))
            else {
                continue;
            };
            let sides = [left_side, right_side];
            let occurs = |side: &Term| matches!(side, Term::Compound(..)) && mentions(side, name);
            if !sides.iter().any(occurs) || *comparator == Comparator::Is && !self.all_bound_in(left, before) {
                continue;
            }
            let mut free = Vec::new();
            for side in &sides {
                side.for_each_variable(&mut |name| free.extend((!is_bound(name)).then(|| names.slot(name))));
            }
            let sides = sides.map(|side| self.template(&side, Some((*comparator, *span))));
            let interner = self.tables.interner.known();
            let constant = |leaf: &Template| leaf.integer_of_plain(&[], interner);
            let narrowing = Narrowing::of(*comparator, sides, names.slot(name), free.into(), constant);
            narrowings.extend(narrowing.map(|narrowing| (number, narrowing)));
        }
        narrowings
    }
}
