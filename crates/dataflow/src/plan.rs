//! Plans: programs as graphs are built of them.

use crate::best::LatticeColumn;
use crate::operators::OwnerColumns;
use crate::rules::{names_in, width};
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_logic::analysis::restratify;
use ludolog_logic::optimize::{Closure, OptimizedProgram};
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use ludolog_syntax::budget::Stopped;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A program as the graph is built of it.
#[derive(Debug)]
pub struct DataflowPlan {
    /// All predicates. Each has an input.
    pub predicates: Vec<Predicate>,
    /// The rules of each stratum that has some, in the order of evaluation.
    pub strata: Vec<Vec<Clause>>,
    /// The heads of rules.
    pub derived: BTreeSet<Predicate>,
    /// The cells of the widest row.
    pub width: usize,
    /// By predicate, the columns that say who owns a row: those of the first join that needs the rows by values of
    /// columns, so that they are where they are needed; all, if there is no such join.
    pub owners: FxHashMap<Predicate, OwnerColumns>,
    /// The lattice columns of derived predicates. Owners do not depend on them.
    pub lattices: FxHashMap<Predicate, LatticeColumn>,
}

impl DataflowPlan {
    /// The plan of a program. Closures run by their rules.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the program depends on its own negation or orders values by a predicate, and [`Stopped::Internal`] of an unsafe
    /// one.
    pub fn of(program: &OptimizedProgram) -> Result<DataflowPlan, Stopped> {
        program.stratified.program.check_safety().map_err(Stopped::Internal)?;
        if let Some((predicate, order)) = program.stratified.program.orders().first() {
            return Err(Stopped::Unsupported(format!(
                "the engine dataflow cannot run `{predicate}`, whose values `{}` orders; the engine semi-naive can",
                order.signature()
            )));
        }
        let mut checked = program.stratified.program.clone();
        checked.rules.extend(program.closures.iter().flat_map(Closure::rules));
        let mut predicates = Vec::new();
        let mut known = FxHashSet::default();
        checked.for_each_atom(&mut |atom| {
            if known.insert(atom.signature()) {
                predicates.push(atom.signature());
            }
        });
        checked.facts.clear();
        let widest = predicates.iter().map(|predicate| predicate.arity);
        let width = widest.chain(checked.rules.iter().map(width)).max().unwrap_or(0);
        let stratified = restratify(checked)
            .ok_or_else(|| Stopped::Unsupported("the program depends on its own negation".to_owned()))?;
        let rules = stratified.program.rules_by_head();
        let of_stratum = |stratum: &Vec<Predicate>| -> Vec<Clause> {
            stratum.iter().filter_map(|head| rules.get(head)).flatten().map(|rule| (*rule).clone()).collect()
        };
        let strata = stratified.strata.iter().map(of_stratum).filter(|rules| !rules.is_empty()).collect();
        let mut plan = DataflowPlan::new(predicates, strata, width);
        for (predicate, lattice) in &stratified.program.lattices {
            // A pass may have left out all that is said of it.
            let Some(owner) = plan.owners.get_mut(predicate) else { continue };
            *owner = OwnerColumns(owner.0.iter().copied().filter(|&column| column != lattice.column).collect());
            plan.derived.insert(predicate.clone());
            plan.lattices.insert(predicate.clone(), LatticeColumn::new(lattice));
        }
        Ok(plan)
    }

    /// The plan of these strata, without lattice columns.
    pub fn new(predicates: Vec<Predicate>, strata: Vec<Vec<Clause>>, width: usize) -> DataflowPlan {
        let mut owners: FxHashMap<Predicate, OwnerColumns> = FxHashMap::default();
        for (atom, columns) in strata.iter().flatten().flat_map(keys) {
            if !columns.is_empty() {
                owners.entry(atom.signature()).or_insert(OwnerColumns(columns.into()));
            }
        }
        for predicate in &predicates {
            owners.entry(predicate.clone()).or_insert_with(|| OwnerColumns((0..predicate.arity).collect()));
        }
        let derived = strata.iter().flatten().map(|rule| rule.head.signature()).collect();
        DataflowPlan { predicates, strata, derived, width, owners, lattices: FxHashMap::default() }
    }

    /// Whether the rules of a stratum depend on each other.
    pub fn is_recursive(stratum: &[Clause]) -> bool {
        let heads: FxHashSet<Predicate> = stratum.iter().map(|rule| rule.head.signature()).collect();
        let mut read = stratum.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom);
        read.any(|atom| heads.contains(&atom.signature()))
    }
}

/// The columns by which the subgoals of a rule are joined, where they are plain variables.
fn keys(rule: &Clause) -> Vec<(&Atom, Vec<usize>)> {
    let mut keys = Vec::new();
    let mut bound: FxHashSet<Name> = FxHashSet::default();
    let mut first = None;
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                let key: Vec<Name> = names_in(&atom.args).into_iter().filter(|name| bound.contains(name)).collect();
                keys.extend([first.take(), Some(atom)].into_iter().flatten().filter_map(|atom| {
                    let columns = columns_of(atom, &key)?;
                    Some((atom, columns))
                }));
                first = if bound.is_empty() { Some(atom) } else { None };
            }
            Literal::Aggregate(aggregation) => keys.push((&aggregation.atom, (0..aggregation.bound).collect())),
            _ => {}
        }
        literal.for_each_variable(&mut |name| _ = bound.insert(name.clone()));
    }
    keys
}

/// The columns of an atom that hold these variables; `None` if some is no column of its own.
pub fn columns_of(atom: &Atom, names: &[Name]) -> Option<Vec<usize>> {
    let column = |name: &Name| atom.args.iter().position(|arg| matches!(arg, Term::Variable(other) if other == name));
    names.iter().map(column).collect()
}
