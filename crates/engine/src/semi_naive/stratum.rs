//! Strata: the relations that each reads, their new rows, and when it has to restart.
//!
//! A stratum restarts if a relation that it negates grew, or if one that it reads lost a row; otherwise it continues
//! with the delta. A stop in the middle costs no more than the round, or the share of a recursion, that it ends.

mod closures;
mod held;
mod outgrown;
mod plans;

pub use held::Held;
use outgrown::made_of;
pub use plans::Taken;

use super::SemiNaive;
use super::choice::Chooser;
use super::closure::ClosureId;
use super::heuristics::Heuristic;
use super::machine::Frontier;
use super::names::{ClauseNames, RowSource};
use super::pivot;
use super::plan::{Plan, is_large};
use super::relation::RelationId;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::Atom;
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A rule with its plans, compiled when first run.
pub struct StratumRule {
    pub clause: Arc<Clause>,
    /// Known once its stratum is prepared.
    pub names: Arc<ClauseNames>,
    full: Option<Box<Plan>>,
    /// Whether a plan was made for it.
    has_run: bool,
    /// The relations that it joins, if it derives a part of rules and reads what they derive.
    made_of: Box<[RelationId]>,
    /// By body literal: its relation, if a round may begin with its delta.
    starts: Box<[Option<RelationId>]>,
    /// Plans by the body literal that reads the delta.
    deltas: Box<[Option<Box<Plan>>]>,
}

impl StratumRule {
    pub fn new(clause: Arc<Clause>) -> Self {
        let deltas = clause.body.iter().map(|_| None).collect();
        Self {
            names: Arc::default(),
            made_of: Box::default(),
            starts: vec![None; clause.body.len()].into(),
            clause,
            full: None,
            has_run: false,
            deltas,
        }
    }

    /// The body literals with whose delta a round may begin.
    pub fn starts(&self) -> impl Iterator<Item = RelationId> {
        self.starts.iter().copied().flatten()
    }

    /// The plan that begins with the delta of a body literal, or with no delta.
    fn plan(&mut self, delta: Option<usize>) -> &mut Option<Box<Plan>> {
        match delta {
            Some(delta) => &mut self.deltas[delta],
            None => &mut self.full,
        }
    }
}

/// The position up to which a stratum has read a source.
struct ReadPosition {
    source: RowSource,
    negated: bool,
    seen: usize,
    epoch: u32,
}

/// A component of the dependency graph with its rules.
pub struct Stratum {
    rules: Arc<[usize]>,
    /// Those that do not choose; out of here while they run.
    steady: Box<[usize]>,
    heads: Arc<[RelationId]>,
    reads: Box<[ReadPosition]>,
    /// The closure that takes the place of the rules, with its base and step.
    closure: Option<(ClosureId, RelationId, RelationId)>,
    /// The evaluator that takes the place of rules.
    evaluator: Option<usize>,
    /// The column that the recursion of its only predicate keeps.
    pivot: Option<usize>,
    /// Whether a predicate has a lattice column.
    has_lattice: bool,
    /// The number of keys when their [levels](super::levels) were found last in this run.
    pub(super) keys_with_levels: usize,
    /// Whether the rows of a round may lead to others in the next one: its rules read its predicates, or leave rows for later.
    has_rounds: bool,
    /// Whether its only relation has totals instead of rows: it may not derive a tuple twice.
    pub(super) has_totals: bool,
    /// The rules that choose, which run when the others have come to their end.
    pub(super) choosers: Vec<Chooser>,
    progress: StratumState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StratumState {
    /// Never run.
    Fresh,
    /// Stopped by a limit in the first round: the derived facts hold, more may follow.
    Unfinished,
    /// All that follows from the rows that it has seen is derived.
    Done,
}

/// The evaluation that a stratum needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StratumEvaluation {
    Nothing,
    /// All rules over combinations with a new row.
    Delta,
    /// All rules over all rows, keeping the derived facts.
    Full,
    /// All rules over all rows, after clearing the derived facts.
    Restart,
}

impl Stratum {
    pub fn new(heads: Vec<RelationId>, rules: Vec<usize>) -> Self {
        let rules: Arc<[usize]> = rules.into();
        Self {
            steady: rules.iter().copied().collect(),
            rules,
            heads: heads.into(),
            reads: Box::default(),
            closure: None,
            evaluator: None,
            pivot: None,
            has_lattice: false,
            keys_with_levels: 0,
            has_rounds: true,
            has_totals: false,
            choosers: Vec::new(),
            progress: StratumState::Fresh,
        }
    }

    /// A stratum whose predicates an evaluator derives.
    pub fn of_evaluator(heads: Vec<RelationId>, evaluator: Option<usize>) -> Self {
        Self { evaluator, ..Self::new(heads, Vec::new()) }
    }

    pub fn heads(&self) -> &[RelationId] {
        &self.heads
    }

    pub fn rules(&self) -> &[usize] {
        &self.rules
    }

    /// The relations that it derives and reads.
    pub fn relations(&self) -> impl Iterator<Item = RelationId> {
        let reads = self.reads.iter().map(|read| read.source.relation);
        let inputs = self.closure.iter().flat_map(|&(_, base, step)| [base, step]);
        self.heads.iter().copied().chain(reads).chain(inputs)
    }

    /// The closures that it derives and reads.
    pub fn closures(&self) -> impl Iterator<Item = ClosureId> {
        let own = self.closure.iter().map(|&(closure, ..)| closure);
        self.reads.iter().filter_map(|read| read.source.closure).chain(own)
    }

    /// Whether all that follows from the rows that it has seen is derived.
    pub fn is_done(&self) -> bool {
        self.progress == StratumState::Done
    }

    /// Whether there is something to derive its predicates by.
    pub fn is_derived(&self) -> bool {
        !self.rules.is_empty() || self.evaluator.is_some() || self.has_lattice
    }

    /// The only head and its [pivot](super::pivot), if there is one.
    pub fn pivot(&self) -> Option<(RelationId, usize)> {
        self.heads.first().copied().zip(self.pivot)
    }
}

impl SemiNaive {
    /// Sets the sources that the rules of a stratum read, or the closure that replaces them.
    pub(super) fn prepare_stratum(&mut self, stratum: usize) {
        let heads = self.strata[stratum].heads.clone();
        let closure = heads.iter().find_map(|&head| {
            let id = *self.closure_of.get(self.relations.predicate(head))?;
            let (base, step) = self.closure_inputs[id].clone();
            Some((id, self.relations.id(&base), self.relations.id(&step)))
        });
        let mut seen = FxHashSet::default();
        let mut reads = Vec::new();
        for &rule in &*self.strata[stratum].rules.clone() {
            let clause = self.rules[rule].clause.clone();
            let names = self.tables().names(&clause);
            for (place, (literal, source)) in clause.body.iter().zip(&names.sources).enumerate() {
                let &Some(source) = source else { continue };
                let negated = !matches!(literal, Literal::Positive(_));
                let may_start = !negated && source.closure.is_none();
                self.rules[rule].starts[place] = may_start.then_some(source.relation);
                if closure.is_none() && seen.insert((source, negated)) {
                    reads.push(ReadPosition { source, negated, seen: 0, epoch: 0 });
                }
            }
            self.rules[rule].made_of = made_of(&clause, &names, &heads);
            self.rules[rule].names = Arc::new(names);
        }
        for &head in &*heads {
            let Some(order) = self.relations[head].order().map(Atom::signature) else { continue };
            let source = self.tables().source(order);
            if seen.insert((source, true)) {
                reads.push(ReadPosition { source, negated: true, seen: 0, epoch: 0 });
            }
        }
        if let Some(evaluator) = self.strata[stratum].evaluator {
            let sources =
                self.evaluators[evaluator].reads.iter().map(|&relation| RowSource { relation, closure: None });
            reads.extend(sources.map(|source| ReadPosition { source, negated: true, seen: 0, epoch: 0 }));
        }
        let has_lattice = heads.iter().any(|&head| self.relations[head].has_lattice());
        let has_totals = heads.iter().any(|&head| self.relations[head].totals().is_some());
        let choosers = self.choosers(&heads);
        let pivot = match heads[..] {
            [head] if self.relations.heuristics().has(Heuristic::Shares) && !has_lattice && choosers.is_empty() => {
                let clauses = self.strata[stratum].rules.iter().map(|&rule| &*self.rules[rule].clause);
                pivot::column(self.relations.predicate(head), clauses)
            }
            _ => None,
        };
        let mut starts = self.strata[stratum].rules.iter().flat_map(|&rule| self.rules[rule].starts.iter().flatten());
        let has_rounds = has_lattice || !choosers.is_empty() || starts.any(|start| heads.contains(start));
        let stratum = &mut self.strata[stratum];
        (stratum.reads, stratum.closure, stratum.pivot, stratum.progress) =
            (reads.into(), closure, pivot, StratumState::Fresh);
        stratum.has_lattice = has_lattice;
        stratum.has_rounds = has_rounds;
        stratum.has_totals = has_totals;
        let steady = stratum.rules.iter().copied();
        stratum.steady = steady.filter(|rule| !choosers.iter().any(|chooser| chooser.rule == *rule)).collect();
        stratum.choosers = choosers;
    }

    /// The strata that these relations depend on, in evaluation order.
    pub(super) fn strata_of(&self, relations: impl IntoIterator<Item = RelationId>) -> Vec<usize> {
        let mut wanted: FxHashSet<RelationId> = relations.into_iter().collect();
        // A stratum comes after those that it reads.
        let mut needed = Vec::new();
        for (number, stratum) in self.strata.iter().enumerate().rev() {
            if stratum.heads().iter().any(|head| wanted.contains(head)) {
                needed.push(number);
                wanted.extend(stratum.evaluator.iter().flat_map(|&evaluator| &self.evaluators[evaluator].reads));
                let orders = stratum.heads().iter().filter_map(|&head| self.relations[head].order());
                wanted.extend(orders.filter_map(|order| self.relations.get(&order.signature())));
                for &rule in stratum.rules() {
                    let atoms = self.rules[rule].clause.body.iter().filter_map(|literal| literal.atom());
                    wanted.extend(atoms.filter_map(|atom| self.relations.get(&atom.signature())));
                }
            }
        }
        needed.reverse();
        needed
    }

    /// Makes the stratum that derives a relation restart at the next update.
    pub(super) fn restart(&mut self, relation: RelationId) {
        if let Some(stratum) = self.strata.iter_mut().find(|stratum| stratum.heads.contains(&relation)) {
            stratum.progress = StratumState::Fresh;
        }
    }

    /// Makes all strata restart if a computation did not fit: rows that do not depend on it may be missing too.
    fn restart_after_overflow(&mut self) {
        if self.interner.check_overflow().is_err() {
            self.interner.take_overflow();
            self.strata.iter_mut().for_each(|stratum| stratum.progress = StratumState::Fresh);
        }
    }

    /// Updates strata, in evaluation order, from their sources.
    pub(super) fn run_strata(
        &mut self,
        strata: impl IntoIterator<Item = usize>,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        // Nobody asks for it where facts have no limit.
        let mut held = budget.max_facts().map_or(0, |_| self.held());
        budget.check_facts(held)?;
        self.start_run();
        self.restart_after_overflow();
        if std::mem::take(&mut self.has_new_table) {
            self.forget_members();
        }
        for stratum in strata {
            if self.forgotten.as_ref().is_some_and(|forgotten| forgotten.is_complete(stratum)) {
                continue;
            }
            // Most strata of a game do not depend on its state.
            let mode = self.mode(stratum);
            if mode == StratumEvaluation::Nothing && self.strata[stratum].closure.is_none() {
                self.forget_behind(stratum);
                continue;
            }
            let elsewhere = held - self.held_by(stratum, budget);
            let start = self.start_of_cost(budget);
            let result = self.run_stratum(stratum, mode, elsewhere, budget);
            self.note_stratum(stratum, start, budget);
            result.map_err(|stopped| self.with_largest(stopped))?;
            self.forget_derived(stratum);
            held = elsewhere + self.held_by(stratum, budget);
            if self.forgotten.is_some() {
                self.forget_behind(stratum);
                held = budget.max_facts().map_or(0, |_| self.held());
            }
            self.check_size(stratum)?;
        }
        Ok(())
    }

    /// The number of facts of the predicates of a stratum; zero where facts have no limit.
    fn held_by(&self, stratum: usize, budget: &Budget) -> u64 {
        let heads = budget.max_facts().map(|_| self.strata[stratum].heads.iter());
        heads.into_iter().flatten().map(|&head| self.relations[head].live() as u64).sum()
    }

    /// Updates a stratum from its sources; `elsewhere` facts of other strata are held.
    fn run_stratum(
        &mut self,
        stratum: usize,
        mode: StratumEvaluation,
        elsewhere: u64,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        if let Some((closure, base, step)) = self.strata[stratum].closure {
            let start = self.start_of_cost(budget);
            let result = self.run_closure(stratum, closure, base, step, budget);
            self.note_closure(stratum, start, budget);
            return result;
        }
        let evaluator = self.strata[stratum].evaluator;
        if mode == StratumEvaluation::Restart || evaluator.is_some() {
            if self.strata[stratum].has_lattice {
                self.order_values(&self.strata[stratum].heads.clone(), budget)?;
            }
            self.clear_derived(stratum);
        }
        self.strata[stratum].progress = StratumState::Unfinished;
        match evaluator {
            Some(evaluator) => {
                let start = self.start_of_cost(budget);
                let result = self.run_evaluator(evaluator, elsewhere, budget);
                self.note_closure(stratum, start, budget);
                result?;
                let read: Vec<usize> = self.relations.iter().map(|(_, relation)| relation.len()).collect();
                self.note_seen(stratum, |relation| read[relation]);
                Ok(())
            }
            None => {
                for number in 0..self.strata[stratum].heads.len() {
                    self.relations[self.strata[stratum].heads[number]].remember_members();
                }
                self.run_rounds(stratum, mode, elsewhere, budget)
            }
        }
    }

    /// Leaves the given facts of a stratum alone.
    fn clear_derived(&mut self, stratum: usize) {
        for number in 0..self.strata[stratum].heads.len() {
            let head = self.strata[stratum].heads[number];
            self.relations[head].clear();
            if let Some(given) = self.given.get(head).and_then(Option::as_ref) {
                for row in given.rows() {
                    self.relations[head].improve(row, true, &mut self.interner);
                }
            }
            if let Some(notes) = self.derivations.as_mut().and_then(|all| all.get_mut(head)) {
                notes.clear();
            }
        }
        self.strata[stratum].choosers.iter_mut().for_each(Chooser::forget);
    }

    /// Notes that all is derived from the first rows of each relation that the stratum reads.
    fn note_seen(&mut self, stratum: usize, seen: impl Fn(RelationId) -> usize) {
        let Self { strata, relations, closures, .. } = self;
        let stratum = &mut strata[stratum];
        for read in &mut stratum.reads {
            let RowSource { relation, closure } = read.source;
            (read.seen, read.epoch) = match closure {
                None => (seen(relation), relations[relation].epoch()),
                Some(closure) => (0, closures[closure].version()),
            };
        }
        stratum.progress = StratumState::Done;
    }

    /// Whether a relation that the stratum reads is so large that the order of joins matters.
    fn reads_many_rows(&self, stratum: usize) -> bool {
        self.strata[stratum].reads.iter().any(|read| is_large(&self.relations[read.source.relation]))
    }

    fn mode(&self, stratum: usize) -> StratumEvaluation {
        let stratum = &self.strata[stratum];
        match stratum.progress {
            _ if !stratum.is_derived() => return StratumEvaluation::Nothing,
            StratumState::Fresh => return StratumEvaluation::Restart,
            // A given row that is not taken in is told by a run.
            _ if stratum.has_lattice && stratum.heads.iter().any(|&head| self.relations[head].has_unordered()) => {
                return StratumEvaluation::Restart;
            }
            StratumState::Unfinished | StratumState::Done => {}
        }
        let mut mode =
            if stratum.progress == StratumState::Done { StratumEvaluation::Nothing } else { StratumEvaluation::Full };
        for read in &stratum.reads {
            let (changed, lost, in_full) = match read.source.closure {
                None => {
                    let relation = &self.relations[read.source.relation];
                    (relation.len() != read.seen, relation.epoch() != read.epoch, false)
                }
                Some(closure) => (self.closures[closure].version() != read.epoch, false, true),
            };
            if lost || changed && read.negated {
                return StratumEvaluation::Restart;
            }
            if changed && mode != StratumEvaluation::Full {
                mode = if in_full { StratumEvaluation::Full } else { StratumEvaluation::Delta };
            }
        }
        // What is chosen first may depend on each candidate, and a tuple of all rows may be in its total.
        let restarts = match mode {
            StratumEvaluation::Nothing => false,
            StratumEvaluation::Full => stratum.has_totals || !stratum.choosers.is_empty(),
            StratumEvaluation::Delta | StratumEvaluation::Restart => !stratum.choosers.is_empty(),
        };
        if restarts { StratumEvaluation::Restart } else { mode }
    }

    /// Runs the rules of a stratum, round after round. What few strata need is not inlined, so that the code of small ones stays in the processor's
    /// caches: a game that is interpreted runs some ten strata for each state.
    fn run_rounds(
        &mut self,
        stratum: usize,
        mode: StratumEvaluation,
        elsewhere: u64,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        // A count of their users costs as much as a short run.
        let rules = std::mem::take(&mut self.strata[stratum].steady);
        let Stratum { has_lattice, has_rounds, has_totals, .. } = self.strata[stratum];
        let Self { strata, relations, .. } = self;
        if has_lattice {
            strata[stratum].keys_with_levels = 0;
            strata[stratum].heads.iter().for_each(|&head| relations[head].begin_rounds());
        }
        if has_totals {
            strata[stratum].heads.iter().for_each(|&head| relations[head].note_change());
        }
        let mut frontiers = self.first_frontiers(stratum, mode);
        let is_total = |&head: &RelationId| self.relations[head].totals().is_some();
        let has_totals_alone = has_totals && self.strata[stratum].heads.iter().all(is_total);
        let before = elsewhere + self.held_by(stratum, budget);
        let held = Held { before, derived: self.work.derived, has_totals_alone };
        let mut first = true;
        let result = loop {
            let is_whole = first && mode != StratumEvaluation::Delta;
            let run = self.run_round(stratum, &rules, is_whole, &mut frontiers, held, budget);
            let run = if has_lattice { run.and_then(|()| self.check_ordered(stratum)) } else { run };
            if run.is_err() {
                break run;
            }
            if first {
                // After the first round only the stratum's own relations have a delta.
                first = false;
                for read in &self.strata[stratum].reads {
                    let relation = read.source.relation;
                    frontiers[relation].old = frontiers[relation].end;
                }
            }
            if !has_rounds {
                break Ok(());
            }
            if has_lattice && let Err(stopped) = self.find_levels_if_due(stratum, &rules, &frontiers, held, budget) {
                break Err(stopped);
            }
            if !self.advance(stratum, &mut frontiers) {
                if self.strata[stratum].choosers.is_empty() {
                    break Ok(());
                }
                match self.choose(stratum, &mut frontiers, held, budget) {
                    Ok(true) => continue,
                    Ok(false) => break Ok(()),
                    Err(stopped) => break Err(stopped),
                }
            }
            if let Some(result) = self.run_shares(stratum, &rules, &mut frontiers, held, budget) {
                break result;
            }
        };
        self.strata[stratum].steady = rules;
        let result = result.map_err(|stopped| self.unsettled(stratum, self.work.derived - held.derived, stopped));
        let has_begun = !first || mode == StratumEvaluation::Delta;
        self.note_end(stratum, &result, has_begun && !has_totals, &frontiers);
        self.frontiers = frontiers;
        result
    }

    /// The frontiers of the first round. Only those of relations that the stratum reads or derives are used, so the others may be stale.
    fn first_frontiers(&mut self, stratum: usize, mode: StratumEvaluation) -> Vec<Frontier> {
        let mut frontiers = std::mem::take(&mut self.frontiers);
        frontiers.resize(self.relations.len(), Frontier::default());
        for read in &self.strata[stratum].reads {
            let RowSource { relation, closure } = read.source;
            if closure.is_none() {
                let old = if mode == StratumEvaluation::Delta { read.seen } else { 0 };
                frontiers[relation] = Frontier { old, end: self.relations[relation].len() };
            }
        }
        for &head in &*self.strata[stratum].heads {
            let end = self.relations[head].len();
            let old = if mode == StratumEvaluation::Delta { frontiers[head].old } else { 0 };
            frontiers[head] = Frontier { old, end };
        }
        frontiers
    }

    /// Notes which rows a stratum has seen; after a stop those of the last full round, if there is one.
    fn note_end(&mut self, stratum: usize, result: &Result<(), Stopped>, has_full_round: bool, frontiers: &[Frontier]) {
        match result {
            // After the last round all rows are old.
            Ok(()) => self.note_seen(stratum, |relation| frontiers[relation].end),
            Err(Stopped::Unordered(_)) => self.strata[stratum].progress = StratumState::Fresh,
            Err(_) if has_full_round => self.note_seen(stratum, |relation| frontiers[relation].old),
            Err(_) => {}
        }
    }

    /// Runs rules of a stratum once, over all rows or over combinations with a new one.
    fn run_round(
        &mut self,
        stratum: usize,
        rules: &[usize],
        is_whole: bool,
        frontiers: &mut Vec<Frontier>,
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let runs = self.polling.runs();
        let mut plans = std::mem::take(&mut self.taken);
        if is_whole {
            rules.iter().for_each(|&rule| self.take_plan(rule, None, frontiers, budget, &mut plans));
        } else {
            self.take_plans(rules, frontiers, budget, &mut plans);
        }
        let run = if is_whole && self.any_order && self.reads_many_rows(stratum) {
            self.run_tried(&mut plans, frontiers, held, budget)
        } else {
            self.run_plans(&plans, frontiers, held, budget)
        };
        self.put_plans_back(&mut plans);
        self.taken = plans;
        self.note_round(stratum, self.polling.runs() > runs);
        run
    }

    /// Makes the rows that the last round has added the delta of the next one; whether there are any.
    fn advance(&mut self, stratum: usize, frontiers: &mut [Frontier]) -> bool {
        let has_lattice = self.strata[stratum].has_lattice;
        let level = if has_lattice { self.lowest_level(stratum) } else { None };
        let mut new = false;
        for number in 0..self.strata[stratum].heads.len() {
            let head = self.strata[stratum].heads[number];
            frontiers[head] = if has_lattice {
                self.next_delta(head, frontiers[head].end, level)
            } else {
                Frontier { old: frontiers[head].end, end: self.relations[head].len() }
            };
            new |= frontiers[head].old < frontiers[head].end;
        }
        new
    }
}
