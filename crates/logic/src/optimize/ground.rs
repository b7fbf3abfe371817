//! *Grounding*: replaces the predicates that do not depend on the case at hand by their facts.
//!
//! A predicate that does not depend on an [input](super::inputs::Inputs) (the column of a cell, adjacency, the first
//! and last lines) is the same in every case. It is evaluated here, once, bottom-up; the facts take the place of the
//! rules. (H. Guru, A. Weng, *Optimizing Hex*, 2019, section 4, do this by hand.)

use super::change::{ProgramChange, ProgramPart};
use super::cost::Model;
use super::inputs::Inputs;
use super::pass::{Grounder, Pass, PassContext, PassProgram, PassReport};
use super::program::OptimizedProgram;
use super::prune;
use super::reorder::reorder;
use super::statistics::{RecursionDepth, Statistics};
use crate::analysis::clause::{CheckedProgram, Goal, StratifiedProgram};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::Stopped;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most facts that grounding is expected to make for an engine that would derive them only once. A fact of the
/// optimized program takes some 0.35 µs more than one that the engine derives: so many cost no more than 35 ms.
const FACTS_DERIVED_ONCE: f64 = 100_000.0;

/// The pass. It closes the predicates that it evaluates and all that they read.
///
/// It pays when something depends on the inputs, because then the ground part is used again from case to case; for an
/// engine that derives that part only once anyway, only while it is small. When the whole program is known, an engine
/// that calls may still gain from facts in place of calls: if evaluating them is expected to cost less than the goal
/// does without.
pub struct Grounding;

impl Pass for Grounding {
    fn name(&self) -> &'static str {
        "grounding"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        let predicates = groundable(&work.program.stratified, context.inputs);
        ground(work, predicates, context)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        let predicates = worth_grounding(work, context)?;
        if predicates.is_empty() { Ok(None) } else { ground(work, predicates, context).map(Some) }
    }
}

fn ground(work: &mut PassProgram, predicates: Vec<Predicate>, context: &PassContext) -> Result<PassReport, Stopped> {
    let mut report = PassReport::default();
    let stratified = &work.program.stratified;
    let grounded = evaluate(stratified, work.goal.as_ref(), predicates, context, &mut report.notes)?;
    let Some(grounded) = grounded else { return Ok(report) };
    let by_head = stratified.program.rules_by_head();
    for (predicate, facts) in &grounded {
        let rules = by_head.get(predicate).into_iter().flatten().copied();
        let before = rules.cloned().map(ProgramPart::Rule).collect();
        report.changes.push(match facts {
            Some(facts) => {
                let after = vec![ProgramPart::Facts(predicate.clone(), facts.len())];
                ProgramChange { before, after, reason: None }
            }
            None => ProgramChange {
                before,
                after: Vec::new(),
                reason: Some("only rules that are facts now read it".to_owned()),
            },
        });
    }
    // The facts follow from what is known now of the predicates themselves and of all that they read.
    let closed = stratified.program.with_dependencies(grounded.keys().cloned());
    work.program.closed.extend(closed);
    replace(&mut work.program.stratified, grounded);
    work.restratify()?;
    Ok(report)
}

/// The groundable predicates whose facts are expected to cost less than their rules.
fn worth_grounding(work: &PassProgram, context: &PassContext) -> Result<Vec<Predicate>, Stopped> {
    let stratified = &work.program.stratified;
    let mut predicates = groundable(stratified, context.inputs);
    if predicates.is_empty() {
        return Ok(predicates);
    }
    let inputs = Inputs::default();
    let statistics = Statistics::new(stratified, &inputs, RecursionDepth::Usual, context.budget)?;
    let rows = |predicate: &Predicate| statistics.rows(predicate);
    let program = &stratified.program;
    let ground: FxHashSet<&Predicate> = predicates.iter().collect();
    let is_reused =
        !program.transitions.is_empty() || program.rules.iter().any(|rule| !ground.contains(&rule.head.signature()));
    if context.cost_model.calls {
        predicates.retain(|predicate| rows(predicate) <= context.max_facts as f64);
        if !is_reused {
            let part = dependencies(stratified, &predicates);
            let model = Model::new(&part, &inputs, context.grounder.cost_model, context.budget)?;
            if model.program_cost(&part, None, &FxHashSet::default())? > work.cost(context)? {
                predicates.clear();
            }
        }
    } else if is_reused {
        let mut left = FACTS_DERIVED_ONCE;
        predicates.retain(|predicate| {
            left -= rows(predicate);
            left >= 0.0
        });
    } else {
        predicates.clear();
    }
    Ok(predicates)
}

/// The predicates with rules that depend on no input and on nothing [selective](StratifiedProgram::selective), in evaluation order.
pub fn groundable(stratified: &StratifiedProgram, inputs: &Inputs) -> Vec<Predicate> {
    let dependents = inputs.dependents(stratified);
    let selective = Inputs::default().with_predicates(stratified.selective()).dependents(stratified);
    let heads: FxHashSet<Predicate> = stratified.program.rules.iter().map(|rule| rule.head.signature()).collect();
    let is_ground = |predicate: &&Predicate| {
        heads.contains(*predicate) && !dependents.contains(*predicate) && !selective.contains(*predicate)
    };
    stratified.strata.iter().flatten().filter(is_ground).cloned().collect()
}

/// The part of a program that these predicates depend on, without transitions and queries.
pub fn dependencies(stratified: &StratifiedProgram, predicates: &[Predicate]) -> StratifiedProgram {
    let read = stratified.program.with_dependencies(predicates.iter().cloned());
    let is_read = |atom: &Atom| read.contains(&atom.signature());
    let program = &stratified.program;
    let facts = program.facts.iter().filter(|fact| is_read(fact)).cloned().collect();
    let rules = program.rules.iter().filter(|rule| is_read(&rule.head)).cloned().collect();
    let strata = stratified
        .strata
        .iter()
        .map(|component| component.iter().filter(|predicate| read.contains(*predicate)).cloned().collect::<Vec<_>>());
    let strata = strata.filter(|component| !component.is_empty()).collect();
    let mut three_valued = program.three_valued.clone();
    three_valued.retain(&read);
    let program = CheckedProgram { facts, rules, three_valued, ..CheckedProgram::default() };
    StratifiedProgram { program, strata, ..StratifiedProgram::default() }
}

/// The facts of each grounded predicate, or none when nothing but other grounded rules reads it.
pub type Grounded = IndexMap<Predicate, Option<Vec<Atom>>>;

/// Evaluates these predicates, as far as the limits allow; the rules of the others stay. Notes which stayed and why.
///
/// # Errors
///
/// The reason, when the time is over or somebody interrupts.
pub fn evaluate(
    stratified: &StratifiedProgram,
    goal: Option<&Goal>,
    predicates: Vec<Predicate>,
    context: &PassContext,
    notes: &mut Vec<String>,
) -> Result<Option<Grounded>, Stopped> {
    if predicates.is_empty() {
        return Ok(None);
    }
    // The rules are run once, whatever engine comes later, in their best order.
    let inputs = Inputs::default();
    let mut part = dependencies(stratified, &predicates);
    let Grounder { cost_model, evaluate: run } = context.grounder;
    let reordered = reorder(&part, None, &mut Model::new(&part, &inputs, cost_model, context.budget)?)?;
    for (i, body) in reordered.rules {
        part.program.rules[i].body = body;
    }
    let needed = goal.map(|goal| still_needed(stratified, goal, &predicates));
    let is_needed = |predicate: &Predicate| needed.as_ref().is_none_or(|needed| needed.contains(predicate));
    let wanted: Vec<Predicate> = predicates.iter().filter(|predicate| is_needed(predicate)).cloned().collect();
    let program = OptimizedProgram { stratified: part, ..OptimizedProgram::default() };
    let stopped = match run(&program, &wanted, context.max_facts) {
        Ok(facts) => {
            let mut facts: FxHashMap<Predicate, Vec<Atom>> = wanted.into_iter().zip(facts).collect();
            let with_facts = |predicate: Predicate| {
                let facts = facts.remove(&predicate);
                (predicate, facts)
            };
            return Ok(Some(predicates.into_iter().map(with_facts).collect()));
        }
        Err(stopped) => stopped,
    };
    // The evaluation has limits of its own; the optimizer goes on while its budget lasts.
    context.budget.check()?;
    // Often it is recursion that grows; the rest may still be small.
    let model = Model::new(stratified, &inputs, cost_model, context.budget)?;
    let (recursive, rest): (Vec<Predicate>, Vec<Predicate>) =
        predicates.into_iter().partition(|predicate| model.is_recursive(predicate));
    let kept = if recursive.is_empty() { &rest } else { &recursive };
    let names = kept.iter().map(|predicate| format!("`{predicate}`")).collect::<Vec<_>>().join(", ");
    notes.push(format!("the rules of {names} stay: {stopped}"));
    if recursive.is_empty() { Ok(None) } else { evaluate(stratified, goal, rest, context, notes) }
}

/// The predicates that the goal and the transitions still depend on when the rules of these are gone.
fn still_needed(stratified: &StratifiedProgram, goal: &Goal, predicates: &[Predicate]) -> FxHashSet<Predicate> {
    let gone: FxHashSet<&Predicate> = predicates.iter().collect();
    let program = &stratified.program;
    let rules = program.rules.iter().filter(|rule| !gone.contains(&rule.head.signature())).cloned().collect();
    let rest =
        CheckedProgram { facts: Vec::new(), rules, queries: Vec::new(), constraints: Vec::new(), ..program.clone() };
    prune::relevant(&rest, goal)
}

/// Replaces the rules of the grounded predicates by their facts.
pub fn replace(stratified: &mut StratifiedProgram, grounded: Grounded) {
    let program = &mut stratified.program;
    program.rules.retain(|rule| !grounded.contains_key(&rule.head.signature()));
    program.facts.retain(|fact| !grounded.contains_key(&fact.signature()));
    program.facts.extend(grounded.into_values().flatten().flatten());
}
