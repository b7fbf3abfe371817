//! The given facts that this process owns. A fact is owned by one process, by its hash: so processes that are given the
//! same facts insert each of them once, and each holds a share of what follows.

use crate::plan::DataflowPlan;
use crate::terms::PackedRows;
use crate::worker::RowChange;
use ludolog_engine::Rows;
use ludolog_engine::semi_naive::SemiNaive;
use ludolog_engine::value::Value;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::content::{hash_atom, hash_bytes, mix};
use ludolog_syntax::{Share, Table};
use ludolog_workers::Processes;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// Rows handed to one worker before the next one gets some.
const PIECE: usize = 1 << 12;

/// The given facts that this process owns.
pub struct GivenFacts {
    /// The facts, in an engine without rules.
    pub facts: SemiNaive,
    /// The predicates of all facts that were given to this process, whichever owns them; empty if there is no other.
    pub stated: BTreeSet<Predicate>,
    /// A hash of the program, of the goal, and of all facts that were given before the first update, whatever their
    /// order.
    pub fingerprint: u64,
    share: Share,
}

impl GivenFacts {
    /// No facts of a program.
    pub fn new(processes: &Processes, plan: &DataflowPlan) -> GivenFacts {
        let mut hasher = Hasher(hash_bytes(env!("CARGO_PKG_VERSION").as_bytes()));
        if processes.count() > 1 {
            write!(hasher, "{:?} {}", plan.strata, processes.goal).expect("a hasher takes all text");
        }
        GivenFacts {
            facts: SemiNaive::new(&OptimizedProgram::default()),
            stated: BTreeSet::new(),
            fingerprint: hasher.0,
            share: processes.share(),
        }
    }

    /// Whether this process owns a fact. Before the first update the fact counts towards the fingerprint.
    pub fn owns(&mut self, fact: &Atom, is_first: bool) -> bool {
        if self.share.is_whole() {
            return true;
        }
        self.stated.insert(fact.signature());
        let hash = hash_atom(fact);
        if is_first {
            self.fingerprint = self.fingerprint.wrapping_add(hash);
        }
        self.share.holds(hash)
    }

    /// Whether a table holds just those of its facts that this process owns. Then all facts of its file count towards
    /// the fingerprint.
    pub fn owns_table(&mut self, table: &Table) -> bool {
        if self.share.is_whole() {
            return true;
        }
        let Some(whole) = table.whole().filter(|whole| whole.share == self.share) else { return false };
        self.stated.insert(table.predicate().clone());
        self.fingerprint = self.fingerprint.wrapping_add(whole.hash);
        true
    }

    /// The rows of a predicate, in pieces of so many.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn pieces(&mut self, predicate: &Predicate, rows: usize, budget: &Budget) -> Result<Vec<PackedRows>, Stopped> {
        let mut cells: Vec<Value> = Vec::new();
        let mut count = 0;
        self.facts.for_each_row(predicate, budget, &mut |row| {
            cells.extend_from_slice(row);
            count += 1;
        })?;
        let interner = self.facts.interner();
        let piece = |from: usize| {
            let mut packed = PackedRows::default();
            for row in from..count.min(from.saturating_add(rows)) {
                packed.push(&cells[row * predicate.arity..][..predicate.arity], interner);
            }
            packed
        };
        Ok((0..count).step_by(rows).map(piece).collect())
    }

    /// All of them, as changes.
    pub fn as_changes(&mut self, predicates: &[Predicate]) -> Vec<RowChange> {
        let mut changes = Vec::new();
        for (number, predicate) in predicates.iter().enumerate() {
            let pieces = self.pieces(predicate, PIECE, &Budget::unlimited()).expect("nothing stops without limits");
            changes.extend(pieces.into_iter().map(|rows| RowChange { predicate: number, rows, comes: true }));
        }
        changes
    }
}

/// A hash of what is written to it.
struct Hasher(u64);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = mix(self.0, hash_bytes(text.as_bytes()));
        Ok(())
    }
}
