//! *Grounding*: replaces the predicates that do not depend on the case at hand by their facts.
//!
//! What does not depend on an [input](super::inputs::Inputs) (the column of a cell, adjacency, the first and last lines)
//! is the same in every case. It is evaluated here, once, bottom-up; the facts take the place of the rules. (H. Guru,
//! A. Weng, *Optimizing Hex*, 2019, section 4, do this by hand.)

use super::pipeline::Settings;
use super::reorder::reorder;
use super::{Inputs, Model, OptimizedProgram, Target, prune};
use crate::analysis::clause::{CheckedProgram, Goal, Literal, StratifiedProgram};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Predicate};
use rustc_hash::FxHashSet;

/// Evaluates a program: all facts of these predicates, or, when there would be more than so many facts (or something
/// else stopped it), the reason.
pub type Evaluate<'a> = dyn Fn(&OptimizedProgram, &[Predicate], u64) -> Result<Vec<Atom>, String> + 'a;

/// The predicates with rules that depend on no input, in evaluation order.
pub fn groundable(stratified: &StratifiedProgram, inputs: &Inputs) -> Vec<Predicate> {
    let dependents = inputs.dependents(stratified);
    let heads: FxHashSet<Predicate> = stratified.program.rules.iter().map(|rule| rule.head.signature()).collect();
    let predicates = stratified.strata.iter().flatten();
    predicates.filter(|predicate| heads.contains(predicate) && !dependents.contains(predicate)).cloned().collect()
}

/// These predicates and all that they depend on.
pub fn read_by(stratified: &StratifiedProgram, predicates: &[Predicate]) -> FxHashSet<Predicate> {
    let by_head = super::rules_by_head(&stratified.program);
    let mut read: FxHashSet<Predicate> = FxHashSet::default();
    let mut open = predicates.to_vec();
    while let Some(predicate) = open.pop() {
        for rule in by_head.get(&predicate).into_iter().flatten() {
            let body = rule.body.iter().filter_map(Literal::atom).map(Atom::signature);
            open.extend(body.filter(|callee| !read.contains(callee)));
        }
        read.insert(predicate);
    }
    read
}

/// The part of a program that these predicates depend on, without transitions and queries.
pub fn dependencies(stratified: &StratifiedProgram, predicates: &[Predicate]) -> StratifiedProgram {
    let read = read_by(stratified, predicates);
    let is_read = |atom: &Atom| read.contains(&atom.signature());
    let program = &stratified.program;
    let facts = program.facts.iter().filter(|fact| is_read(fact)).cloned().collect();
    let rules = program.rules.iter().filter(|rule| is_read(&rule.head)).cloned().collect();
    let strata = stratified
        .strata
        .iter()
        .map(|component| component.iter().filter(|predicate| read.contains(*predicate)).cloned().collect::<Vec<_>>());
    let strata = strata.filter(|component| !component.is_empty()).collect();
    StratifiedProgram { program: CheckedProgram { facts, rules, ..CheckedProgram::default() }, strata }
}

/// The facts of each grounded predicate, or none when nothing but other grounded rules reads it.
pub type Grounded = IndexMap<Predicate, Option<Vec<Atom>>>;

/// Evaluates these predicates, as far as the limits allow; the rules of the others stay. Says in `notes` what stayed and why.
pub fn evaluate(
    stratified: &StratifiedProgram,
    goal: Option<&Goal>,
    predicates: Vec<Predicate>,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Option<Grounded> {
    if predicates.is_empty() {
        return None;
    }
    // The rules are run once, whatever engine comes later, in their best order.
    let inputs = Inputs::default();
    let mut part = dependencies(stratified, &predicates);
    let reordered = reorder(&part, None, &mut Model::new(&part, &inputs, Target::SemiNaive));
    for (i, body) in reordered.rules {
        part.program.rules[i].body = body;
    }
    let needed = goal.map(|goal| still_needed(stratified, goal, &predicates));
    let is_needed = |predicate: &Predicate| needed.as_ref().is_none_or(|needed| needed.contains(predicate));
    let wanted: Vec<Predicate> = predicates.iter().filter(|predicate| is_needed(predicate)).cloned().collect();
    let program = OptimizedProgram { stratified: part, ..OptimizedProgram::default() };
    let stopped = match (settings.evaluate)(&program, &wanted, settings.max_facts) {
        Ok(facts) => {
            let none_yet = |predicate: Predicate| {
                let facts = is_needed(&predicate).then(Vec::new);
                (predicate, facts)
            };
            let mut grounded: Grounded = predicates.into_iter().map(none_yet).collect();
            for fact in facts {
                if let Some(Some(facts)) = grounded.get_mut(&fact.signature()) {
                    facts.push(fact);
                }
            }
            return Some(grounded);
        }
        Err(stopped) => stopped,
    };
    // Often it is recursion that grows; the rest may still be small.
    let model = Model::new(stratified, &inputs, Target::SemiNaive);
    let (recursive, rest): (Vec<Predicate>, Vec<Predicate>) =
        predicates.into_iter().partition(|predicate| model.is_recursive(predicate));
    let kept = if recursive.is_empty() { &rest } else { &recursive };
    let names = kept.iter().map(|predicate| format!("`{predicate}`")).collect::<Vec<_>>().join(", ");
    notes.push(format!("the rules of {names} stay: {stopped}"));
    if recursive.is_empty() { None } else { evaluate(stratified, goal, rest, settings, notes) }
}

/// What the goal and the transitions still depend on when the rules of these predicates are gone.
fn still_needed(stratified: &StratifiedProgram, goal: &Goal, predicates: &[Predicate]) -> FxHashSet<Predicate> {
    let gone: FxHashSet<&Predicate> = predicates.iter().collect();
    let program = &stratified.program;
    let rules = program.rules.iter().filter(|rule| !gone.contains(&rule.head.signature())).cloned().collect();
    let rest =
        CheckedProgram { facts: Vec::new(), rules, transitions: program.transitions.clone(), queries: Vec::new() };
    prune::relevant(&rest, goal)
}

/// Replaces the rules of the grounded predicates by their facts.
pub fn replace(stratified: &mut StratifiedProgram, grounded: Grounded) {
    let program = &mut stratified.program;
    program.rules.retain(|rule| !grounded.contains_key(&rule.head.signature()));
    program.facts.retain(|fact| !grounded.contains_key(&fact.signature()));
    program.facts.extend(grounded.into_values().flatten().flatten());
}
