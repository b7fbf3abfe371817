//! Parts of bodies that are derived on their own: the ways to take one out of a rule, and those that are expected to pay.

use super::binding::ClauseVariables;
use super::change::{ProgramChange, ProgramPart};
use super::cost::Model;
use super::pass::{PassContext, PassProgram, PassReport};
use super::reorder::best_body;
use crate::analysis::clause::{Clause, Literal};
use fixedbitset::FixedBitSet;
use ludolog_syntax::ast::{Atom, PredicateName, Purpose};
use ludolog_syntax::budget::Stopped;
use std::collections::BTreeSet;

/// The cost of a row of a part beside that of a row looked at: it is built, looked up, kept, and entered into an index.
const KEEP: f64 = 2.0;

/// Rounds of taking parts out of what earlier ones have left.
const ROUNDS: usize = 4;

/// A way to take a part out of a rule.
pub struct PartedRule {
    /// The number of the rule.
    pub rule: usize,
    /// The part on its own.
    pub part: Clause,
    /// The rule in place of the rule.
    pub rest: Clause,
}

/// A kind of parts.
pub struct PartKind {
    /// Adds the ways to take such a part out of the rule of a number. The last argument counts the parts that were made.
    pub ways: fn(usize, &Clause, &mut Vec<PartedRule>, &mut usize),
    /// What an engine that keeps no rows does not do with them.
    pub needs_rows: &'static str,
}

/// The predicate whose parts are named after a rule's head: that of the rule from which parts were taken first.
pub fn first_head(rule: &Clause) -> PredicateName {
    match rule.head.predicate.purpose() {
        Some(Purpose::Split { of, .. } | Purpose::Key { of, .. }) => of.clone(),
        _ => rule.head.predicate.clone(),
    }
}

/// Takes parts out of all rules, the best of each, where that leaves no more than a share `gain` of its cost.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn take_parts(
    work: &mut PassProgram,
    kind: &PartKind,
    gain: f64,
    context: &PassContext,
) -> Result<PassReport, Stopped> {
    let mut report = PassReport::default();
    if context.cost_model.calls {
        return Ok(report.note(&format!("{} keeps no rows, so that {}", context.cost_model.name, kind.needs_rows)));
    }
    let selective = work.program.stratified.selective();
    let rules = work.program.stratified.program.rules.iter().enumerate();
    let may_part = rules.filter(|(_, rule)| !selective.contains(&rule.head.signature()));
    let mut open: BTreeSet<usize> = may_part.map(|(number, _)| number).collect();
    let mut made = 0;
    for _ in 0..ROUNDS {
        let rules = &work.program.stratified.program.rules;
        let mut candidates = Vec::new();
        for &rule in &open {
            context.budget.check()?;
            (kind.ways)(rule, &rules[rule], &mut candidates, &mut made);
        }
        if candidates.is_empty() {
            break;
        }
        let chosen = choose(work, candidates, gain, context)?;
        if chosen.is_empty() {
            break;
        }
        open.clear();
        let program = &mut work.program.stratified.program;
        for PartedRule { rule, part, rest } in chosen {
            open.extend([rule, program.rules.len()]);
            work.program.closed.insert(part.head.signature());
            program.rules.push(part.clone());
            let before = std::mem::replace(&mut program.rules[rule], rest.clone());
            let after = vec![ProgramPart::Rule(part), ProgramPart::Rule(rest)];
            report.changes.push(ProgramChange { before: vec![ProgramPart::Rule(before)], after, reason: None });
        }
        work.restratify()?;
    }
    Ok(report)
}

/// The best way to take a part out of each rule, where it leaves no more than a share `gain` of the cost.
fn choose(
    work: &mut PassProgram,
    candidates: Vec<PartedRule>,
    gain: f64,
    context: &PassContext,
) -> Result<Vec<PartedRule>, Stopped> {
    // The parts become rules for a while, so that their sizes are estimated.
    let rules = work.program.stratified.program.rules.len();
    let strata = work.program.stratified.strata.clone();
    work.program.stratified.program.rules.extend(candidates.iter().map(|candidate| candidate.part.clone()));
    work.restratify()?;
    let priced = price(work, &candidates, context);
    work.program.stratified.program.rules.truncate(rules);
    work.program.stratified.strata = strata;
    let mut best: Vec<(PartedRule, f64)> = Vec::new();
    for (candidate, (before, after)) in candidates.into_iter().zip(priced?) {
        if after > gain * before {
            continue;
        }
        match best.last_mut().filter(|(other, _)| other.rule == candidate.rule) {
            Some((_, least)) if after >= *least => {}
            Some(last) => *last = (candidate, after),
            None => best.push((candidate, after)),
        }
    }
    Ok(best.into_iter().map(|(candidate, _)| candidate).collect())
}

/// The costs of the rule of each candidate before and after.
fn price(work: &PassProgram, candidates: &[PartedRule], context: &PassContext) -> Result<Vec<(f64, f64)>, Stopped> {
    let stratified = &work.program.stratified;
    let model = Model::new(stratified, context.inputs, context.cost_model, context.budget)?;
    let mut before: Option<(usize, f64)> = None;
    let price = |candidate: &PartedRule| {
        let rule = &stratified.program.rules[candidate.rule];
        let head = rule.head.signature();
        let recursive = |atom: &Atom| model.are_mutual(&atom.signature(), &head);
        let cost = match before {
            Some((number, cost)) if number == candidate.rule => cost,
            _ => cost_of(rule, &recursive, &model, context)?.0,
        };
        before = Some((candidate.rule, cost));
        let (part, bindings) = cost_of(&candidate.part, &recursive, &model, context)?;
        let positive = candidate.part.body.iter().filter(|literal| matches!(literal, Literal::Positive(_)));
        let is_split = matches!(candidate.part.head.predicate.purpose(), Some(Purpose::Split { .. }));
        if is_split && positive.count() == 1 && !model.statistics.is_projected(&candidate.part, bindings) {
            return Ok((cost, f64::INFINITY));
        }
        let made = candidate.part.head.signature();
        let is_recursive = candidate.part.body.iter().any(|literal| reads(literal, &recursive));
        let follows = |atom: &Atom| recursive(atom) || is_recursive && atom.signature() == made;
        let (rest, _) = cost_of(&candidate.rest, &follows, &model, context)?;
        Ok((cost, part + KEEP * bindings + rest))
    };
    candidates.iter().map(price).collect()
}

fn reads(literal: &Literal, predicate: &dyn Fn(&Atom) -> bool) -> bool {
    matches!(literal, Literal::Positive(atom) if predicate(atom))
}

/// The cost of a rule that is run from each of its recursive subgoals, or else once, and the bindings that it leaves.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn cost_of(
    rule: &Clause,
    recursive: &dyn Fn(&Atom) -> bool,
    model: &Model,
    context: &PassContext,
) -> Result<(f64, f64), Stopped> {
    let deltas: Vec<usize> = (0..rule.body.len()).filter(|&i| reads(&rule.body[i], recursive)).collect();
    let join = if deltas.is_empty() {
        let variables = ClauseVariables::of(&rule.head.args, &rule.body);
        let nothing = FixedBitSet::with_capacity(variables.count());
        let better = if context.reorders {
            best_body(&variables, &rule.body, vec![(nothing.clone(), 1.0)], None, model)?
        } else {
            None
        };
        model.join(&variables, better.as_deref().unwrap_or(&rule.body), nothing, 0)?
    } else {
        model.rounds_join(rule, &model.rounds_from(rule, &deltas)?)?
    };
    Ok((join.cost, join.bindings))
}
