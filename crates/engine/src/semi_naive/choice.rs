//! Rules that choose: of the candidates those, one after the other, that agree with all that were chosen before.
//!
//! A stratum first derives all that follows without a further choice. Then the candidates that are new since the last time
//! are looked at in an order that depends on their terms alone, and what is chosen is the next delta. So neither the
//! order of evaluation nor the number of threads has a part in it. Cost: each candidate is sorted once and looked up in a hash
//! table for each of its dependencies.

use super::SemiNaive;
use super::machine::{FirstDerivation, Frontier};
use super::relation::RelationId;
use super::stratum::Held;
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::{ColumnDependency, FunctionalChoice};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::content;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Candidates looked at between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// A rule that chooses.
pub struct Chooser {
    /// The number of the rule that copies candidates.
    pub rule: usize,
    candidates: RelationId,
    chosen: RelationId,
    dependencies: Vec<Dependency>,
    seed: u64,
    /// The number of candidates that were looked at.
    seen: usize,
}

/// Columns with the bindings of others that were chosen for them.
struct Dependency {
    columns: ColumnDependency,
    bindings: FxHashMap<Box<[Value]>, Box<[Value]>>,
}

fn at(row: &[Value], columns: &[usize]) -> Box<[Value]> {
    columns.iter().map(|&column| row[column]).collect()
}

impl Dependency {
    /// Whether a row agrees with what was chosen.
    fn admits(&self, row: &[Value]) -> bool {
        let ColumnDependency { keys, values } = &self.columns;
        let known = self.bindings.get(&at(row, keys));
        known.is_none_or(|known| values.iter().zip(known).all(|(&column, value)| row[column] == *value))
    }

    fn choose(&mut self, row: &[Value]) {
        let ColumnDependency { keys, values } = &self.columns;
        self.bindings.entry(at(row, keys)).or_insert_with(|| at(row, values));
    }
}

impl Chooser {
    /// Forgets what was chosen.
    pub fn forget(&mut self) {
        self.seen = 0;
        self.dependencies.iter_mut().for_each(|dependency| dependency.bindings.clear());
    }

    /// Chooses a row if it agrees with what was chosen; whether it does.
    fn take(&mut self, row: &[Value]) -> bool {
        let is_taken = self.dependencies.iter().all(|dependency| dependency.admits(row));
        if is_taken {
            self.dependencies.iter_mut().for_each(|dependency| dependency.choose(row));
        }
        is_taken
    }

    /// The place of a row in the order of a seed, before the order of output.
    fn rank(&self, row: &[Value], interner: &Interner) -> u64 {
        if self.seed == 0 {
            return 0;
        }
        content::hash_row(self.seed, row.iter().map(|&value| content::hash_term(&interner.term(value))))
    }
}

/// The order of output of two rows.
fn compare(a: &[Value], b: &[Value], interner: &Interner) -> Ordering {
    let mut orders = a.iter().zip(b).map(|(a, b)| interner.compare(*a, *b));
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

impl SemiNaive {
    /// The choosers of the rules of these predicates.
    pub(super) fn choosers(&mut self, heads: &[RelationId]) -> Vec<Chooser> {
        let mut choosers = Vec::new();
        for &chosen in heads {
            let predicate = self.relations.predicate(chosen).clone();
            let Some(choice) = self.choices.get(&predicate) else { continue };
            let FunctionalChoice { candidates, dependencies, seed } = choice.clone();
            let Some(rule) = self.rules.iter().position(|rule| rule.clause.head.signature() == predicate) else {
                continue;
            };
            let with_bindings = |columns| Dependency { columns, bindings: FxHashMap::default() };
            choosers.push(Chooser {
                rule,
                candidates: self.relations.id(&candidates),
                chosen,
                dependencies: dependencies.into_iter().map(with_bindings).collect(),
                seed,
                seen: 0,
            });
        }
        choosers.cold_sort_by_key(|chooser| chooser.rule);
        choosers
    }

    /// Lets the rules of a stratum choose among what is new; whether they have chosen something, which is the delta then.
    #[inline(never)]
    pub(super) fn choose(
        &mut self,
        stratum: usize,
        frontiers: &mut [Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<bool, Stopped> {
        let mut choosers = std::mem::take(&mut self.strata[stratum].choosers);
        let result = choosers.iter_mut().try_fold(false, |any, chooser| {
            let chosen = self.choose_by(chooser, held, budget)?;
            let len = self.relations[chooser.chosen].len();
            frontiers[chooser.chosen] = Frontier { old: len - chosen, end: len };
            Ok(any | (chosen > 0))
        });
        self.strata[stratum].choosers = choosers;
        result
    }

    /// Lets one rule choose; the number of rows that it has chosen.
    fn choose_by(&mut self, chooser: &mut Chooser, held: Held, budget: &Budget) -> Result<usize, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let candidates = &self.relations[chooser.candidates];
        let new = (chooser.seen..candidates.len()).filter(|&number| !candidates.is_removed(number));
        let interner = &self.interner;
        let mut new: Vec<(u64, usize)> =
            new.map(|number| (chooser.rank(candidates.row(number), interner), number)).collect();
        new.sort_unstable_by(|(a, first), (b, second)| {
            a.cmp(b).then_with(|| compare(candidates.row(*first), candidates.row(*second), interner))
        });
        chooser.seen = candidates.len();
        let mut chosen = 0;
        for (_, number) in new {
            poll.step()?;
            let row = self.relations[chooser.candidates].row(number).to_vec();
            if !chooser.take(&row) || !self.relations[chooser.chosen].insert(&row) {
                continue;
            }
            chosen += 1;
            self.work.derived += 1;
            budget.check_facts(held.now(self.work))?;
            if let Some(notes) = &mut self.derivations {
                notes.resize_with(self.relations.len(), Vec::new);
                let note = FirstDerivation { rule: chooser.rule as u32, rows: [number as u32].into() };
                notes[chooser.chosen].resize(self.relations[chooser.chosen].len() - 1, None);
                notes[chooser.chosen].push(Some(note));
            }
        }
        Ok(chosen)
    }
}
