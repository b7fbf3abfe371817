//! Recursion that keeps the value of a column, the *pivot*: all that follows from a row has the same value there, as
//! the first node of paths that grow at their end. So the rows fall into shares, by ranges of values, that never meet:
//! each is brought to its end by itself, one after the other or [at once](super::parallel).
//!
//! Wolfson and Silberschatz (*Distributed processing of logic programs*, SIGMOD 1988) call such rules decomposable;
//! Seib and Lausen (*Parallelizing Datalog programs by generalized pivoting*, PODS 1991) tell which rules are.

use super::SemiNaive;
use super::machine::Frontier;
use super::relation::{Relation, RelationId, Relations};
use super::stratum::Held;
use crate::value::Value;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};

/// Fewer new rows are not worth their distribution. Plans made for so many stay as they are while the relation grows,
/// whatever the number of threads.
const FEWEST_ROWS: usize = 2048;

/// Most shares. Each has rounds of its own, which should not become many and short.
const SHARES: usize = 64;

/// Fewer shares would not keep several threads busy.
const FEWEST_SHARES: usize = 8;

/// Rows from which the ranges of the shares are chosen.
const SAMPLE: usize = 1024;

/// The pivot of a predicate with these clauses: a column whose variable each recursive clause has in its head and in
/// its only recursive literal. `None` if there is none, or no recursion.
pub fn column<'c>(predicate: &Predicate, clauses: impl Iterator<Item = &'c Clause>) -> Option<usize> {
    let is_own = |literal: &&Literal| literal.atom().is_some_and(|atom| atom.signature() == *predicate);
    let mut columns: Vec<usize> = (0..predicate.arity).collect();
    let mut is_recursive = false;
    for clause in clauses {
        let mut own = clause.body.iter().filter(is_own);
        let Some(literal) = own.next() else { continue };
        let (Literal::Positive(atom), None) = (literal, own.next()) else { return None };
        // The value of an aggregate is kept for a run, and there are more runs.
        if clause.body.iter().any(|literal| matches!(literal, Literal::Aggregate(_))) {
            return None;
        }
        let keeps = |arg: &Term, column: usize| matches!(arg, Term::Variable(_)) && *arg == atom.args[column];
        columns.retain(|&column| keeps(&clause.head.args[column], column));
        is_recursive = true;
    }
    columns.first().copied().filter(|_| is_recursive)
}

/// The position that the shares of a delta have reached: all is derived that follows from some rows.
pub struct SharesReached {
    /// Those of the delta before this one.
    pub delta: usize,
    /// Those derived from it before this one.
    pub derived: usize,
}

/// The delta of a relation by ranges of the values in a column.
pub struct Shares {
    pub head: RelationId,
    column: usize,
    /// The least value of each share but the first.
    bounds: Vec<u32>,
    /// By share: its rows of the delta.
    pub deltas: Vec<Frontier>,
    pub reached: SharesReached,
}

impl Shares {
    /// Puts the rows of a delta in the order of their shares; `None` if they have too few values, or other rows are in
    /// the majority.
    fn of(relations: &mut Relations, head: RelationId, column: usize, delta: Frontier) -> Option<Self> {
        let relation = &mut relations[head];
        let Frontier { old, end } = delta;
        if end - old < relation.begins_at(FEWEST_ROWS) || end < 2 * old || relation.has_removed() {
            return None;
        }
        let mut sample: Vec<u32> =
            (old..end).step_by((end - old).div_ceil(SAMPLE)).map(|row| relation.row(row)[column].0).collect();
        sample.sort_unstable();
        let mut bounds: Vec<u32> = sample.chunks(sample.len().div_ceil(SHARES)).map(|chunk| chunk[0]).collect();
        bounds.dedup();
        if bounds.len() < FEWEST_SHARES {
            return None;
        }
        bounds.remove(0);
        let reached = SharesReached { delta: old, derived: end };
        let mut shares = Shares { head, column, bounds, deltas: Vec::new(), reached };
        let rows = shares.rows(relation, old, end);
        let mut next = old;
        for rows in &rows {
            let end = next + rows.len() / relation.arity();
            shares.deltas.push(Frontier { old: next, end });
            next = end;
        }
        relation.reorder(old, &rows.concat());
        Some(shares)
    }

    /// Rows of the relation by share.
    pub fn rows(&self, relation: &Relation, low: usize, high: usize) -> Vec<Vec<Value>> {
        let mut rows = vec![Vec::new(); self.bounds.len() + 1];
        for row in (low..high).map(|row| relation.row(row)) {
            rows[self.bounds.partition_point(|&least| least <= row[self.column].0)].extend_from_slice(row);
        }
        rows
    }
}

impl SemiNaive {
    /// Brings the recursion of a stratum to its end by shares. `None` if it is not worth it, or derivations are
    /// recorded, which name rows by their numbers. What a stop leaves is the new delta.
    #[inline(never)]
    pub(super) fn run_shares(
        &mut self,
        stratum: usize,
        rules: &[usize],
        frontiers: &mut Vec<Frontier>,
        held: Held,
        budget: &Budget,
    ) -> Option<Result<(), Stopped>> {
        let (head, column) = self.strata[stratum].pivot().filter(|_| self.derivations.is_none())?;
        let delta = frontiers[head];
        let mut shares = Shares::of(&mut self.relations, head, column, delta)?;
        let mut plans = Vec::new();
        self.take_plans(rules, frontiers, budget, &mut plans);
        let mut result = self.run_shares_at_once(&plans, &mut shares, frontiers, held, budget);
        let Shares { deltas, mut reached, .. } = shares;
        let mut rounds = 0;
        let left = reached.delta;
        for share in deltas.into_iter().filter(|share| share.old >= left) {
            let mut round = 0;
            frontiers[head] = share;
            while result.is_ok() && frontiers[head].old < frontiers[head].end {
                let old = self.relations[head].len();
                result = self.run_plans(&plans, frontiers, held, budget);
                // Rounds of several shares count once.
                round += 1;
                if round > rounds {
                    rounds = round;
                    self.note_round(stratum, true);
                }
                frontiers[head] = Frontier { old, end: self.relations[head].len() };
            }
            if result.is_ok() {
                reached = SharesReached { delta: share.end, derived: self.relations[head].len() };
            }
        }
        self.put_plans_back(&mut plans);
        let relation = &mut self.relations[head];
        if result.is_err() {
            relation.rotate(reached.delta, delta.end, reached.derived);
        }
        frontiers[head] = Frontier { old: reached.derived - (delta.end - reached.delta), end: relation.len() };
        Some(result)
    }
}
