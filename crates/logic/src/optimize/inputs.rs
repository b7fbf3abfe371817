//! The predicates that change with the case at hand.

use super::samples::SAMPLE;
use super::universes::{SampledValues, expected_distinct};
use crate::analysis::clause::{Clause, Literal, StratifiedProgram};
use ludolog_syntax::ast::{Atom, Effect, Predicate};
use ludolog_syntax::{Table, Value};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The predicates whose facts change with the case at hand: `stone`, `empty` and `to_move` for a board, `true` and
/// `does` for a game; and a sample of such facts, from which sizes are taken. Every pass keeps them open (see
/// [`OptimizedProgram`](super::OptimizedProgram)).
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The predicates.
    pub predicates: BTreeSet<Predicate>,
    /// Facts of a typical case; their predicates are among the predicates.
    pub sample: Vec<Atom>,
    /// Samples of large relations, which are facts of a typical case too.
    pub counted: Vec<CountedSample>,
}

/// Some facts of a relation whose rows are counted, evenly spread.
#[derive(Clone, Debug)]
pub struct CountedSample {
    predicate: Predicate,
    /// The number of its facts, at least one.
    pub len: usize,
    /// The number of rows that they are from.
    pub rows: usize,
    /// The expected number of distinct values in each column of all rows. Counted once, since the sizes of a program's
    /// relations are estimated many times.
    pub distinct: Vec<f64>,
    /// The table that they stand in, if they are no list.
    table: Option<Arc<Table>>,
    /// Made of a table when they are needed first: most estimates are made of the numbers.
    facts: OnceLock<Vec<Atom>>,
}

impl CountedSample {
    /// A sample of a table; `None` if the table has no rows.
    fn of_table(table: &Arc<Table>) -> Option<Self> {
        let rows = table.rows_of_file();
        let len = table.sample(SAMPLE).len();
        let distinct = |column: usize| {
            let mut cells: Vec<Value> = table.sample(SAMPLE).map(|row| row[column]).collect();
            cells.sort_unstable();
            expected_distinct(cells.chunk_by(Value::eq).map(<[Value]>::len), rows as f64 / len as f64)
        };
        let predicate = table.predicate().clone();
        let distinct = (0..predicate.arity).map(distinct).collect();
        let table = Some(Arc::clone(table));
        (len > 0).then(|| Self { predicate, len, rows, distinct, table, facts: OnceLock::new() })
    }

    /// Facts of one predicate that are evenly spread among so many; `None` if there are none.
    pub fn of_facts(facts: Vec<Atom>, rows: usize) -> Option<Self> {
        let predicate = facts.first()?.signature();
        let len = facts.len();
        let distinct = |column: usize| {
            let mut values = SampledValues::default();
            facts.iter().for_each(|fact| values.count(&fact.args[column]));
            values.distinct(rows as f64 / len as f64)
        };
        let distinct = (0..predicate.arity).map(distinct).collect();
        Some(Self { predicate, len, rows, distinct, table: None, facts: facts.into() })
    }

    /// The predicate of the facts.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// The facts.
    pub fn facts(&self) -> &[Atom] {
        let of_table = || self.table.iter().flat_map(|table| table.atoms(table.sample(SAMPLE))).collect();
        self.facts.get_or_init(of_table)
    }
}

impl Inputs {
    /// The inputs that the program itself shows: every predicate with neither fact nor rule, those that transitions
    /// add or delete, and the given facts of predicates that are derived without rules.
    pub fn of(stratified: &StratifiedProgram) -> Self {
        let program = &stratified.program;
        let defined = program.defined();
        let rules = program.rules.iter().map(|rule| &rule.body);
        let transitions = program.transitions.iter().map(|transition| &transition.conditions);
        let mut predicates = BTreeSet::new();
        for literal in rules.chain(transitions).flatten() {
            if let Some(atom) = literal.atom()
                && !defined.contains(&atom.signature())
            {
                predicates.insert(atom.signature());
            }
        }
        for effect in program.transitions.iter().flat_map(|transition| &transition.effects) {
            let (Effect::Add(atom) | Effect::Delete(atom)) = effect;
            predicates.insert(atom.signature());
        }
        for founded in program.three_valued.components.iter().flat_map(|component| &component.predicates) {
            predicates.insert(founded.given.clone());
        }
        Self { predicates, ..Self::default() }
    }

    /// These predicates are inputs too.
    pub fn with_predicates(mut self, predicates: impl IntoIterator<Item = Predicate>) -> Self {
        self.predicates.extend(predicates);
        self
    }

    /// Facts of a typical case, for sizes only; their predicates are inputs.
    pub fn with_sample(mut self, facts: impl IntoIterator<Item = Atom>) -> Self {
        self.sample.extend(facts);
        let predicates: FxHashSet<Predicate> = self.sample.iter().map(Atom::signature).collect();
        self.predicates.extend(predicates);
        self
    }

    /// The facts of a table, for sizes only; its predicate is an input.
    pub fn with_table(mut self, table: &Arc<Table>) -> Self {
        self.predicates.insert(table.predicate().clone());
        self.counted.extend(CountedSample::of_table(table));
        self
    }

    /// All facts that there will be of a predicate without rules, for sizes only; none where there is no sample.
    pub fn with_all(mut self, predicate: &Predicate, sample: Option<CountedSample>) -> Self {
        if sample.is_none() {
            self.predicates.remove(predicate);
        }
        self.counted.extend(sample);
        self
    }

    /// The inputs and all predicates that depend on them.
    pub fn dependents(&self, stratified: &StratifiedProgram) -> FxHashSet<Predicate> {
        let mut dependents: FxHashSet<Predicate> = self.predicates.iter().cloned().collect();
        let depends = |rule: &Clause, dependents: &FxHashSet<Predicate>| {
            rule.body.iter().filter_map(Literal::atom).any(|atom| dependents.contains(&atom.signature()))
        };
        let by_head = stratified.program.rules_by_head();
        let derived: FxHashSet<&Predicate> =
            stratified.program.three_valued.derivations().flat_map(|(derived, _)| derived).collect();
        for component in &stratified.strata {
            let rules = || component.iter().flat_map(|p| by_head.get(p).into_iter().flatten());
            // What is derived without rules depends on given facts.
            let is_dependent = |p: &Predicate| dependents.contains(p) || derived.contains(p);
            if component.iter().any(is_dependent) || rules().any(|rule| depends(rule, &dependents)) {
                dependents.extend(component.iter().cloned());
            }
        }
        dependents
    }
}
