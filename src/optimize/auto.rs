//! *Auto*: each pass where it pays, by the cost model.
//!
//! * pruning always pays.
//! * grounding pays when something depends on the inputs, because then the ground part is used again from case to case;
//!   for semi-naive evaluation, which derives that part only once anyway, only while it is small. When the whole program is
//!   known, resolution may still gain from facts in place of calls: if evaluating them is expected to cost less than the
//!   goal does without.
//! * closure pays whenever one is recognized, for the engine that can run it.
//! * demand pays when the program for the goal is expected to cost less than before.
//! * reordering keeps an order that is as good as any.

use super::ground;
use super::passes::Pass;
use super::pipeline::{Report, Settings, Work, run, run_grounding};
use super::{Inputs, Model, Target};
use crate::syntax::ast::Predicate;

/// Most facts that grounding makes for an engine that would derive them only once.
const FACTS_DERIVED_ONCE: f64 = 50_000.0;

/// Runs a pass if it is expected to pay.
pub(super) fn run_if_it_pays(pass: Pass, work: &mut Work, settings: &Settings) -> Option<Report> {
    match pass {
        Pass::Pruning | Pass::Reordering => Some(run(pass, work, settings)),
        Pass::Grounding => {
            let predicates = worth_grounding(work, settings);
            (!predicates.is_empty()).then(|| run_grounding(work, predicates, settings))
        }
        Pass::Closure => (settings.target == Target::SemiNaive).then(|| run(pass, work, settings)),
        Pass::Demand if settings.target == Target::SemiNaive && work.goal.is_some() => {
            let before = work.clone();
            let report = run(pass, work, settings);
            if report.changes.is_empty() || work.cost(settings) < before.cost(settings) {
                return Some(report);
            }
            *work = before;
            None
        }
        Pass::Demand => None,
    }
}

fn worth_grounding(work: &Work, settings: &Settings) -> Vec<Predicate> {
    let mut predicates = ground::groundable(&work.stratified, settings.inputs);
    if predicates.is_empty() {
        return predicates;
    }
    let inputs = Inputs::default();
    let model = Model::new(&work.stratified, &inputs, Target::SemiNaive);
    let rows = |predicate: &Predicate| model.statistics.rows(predicate);
    let is_reused = work.stratified.program.rules.iter().any(|rule| !predicates.contains(&rule.head.signature()))
        || !work.stratified.program.transitions.is_empty();
    match settings.target {
        Target::SemiNaive if !is_reused => predicates.clear(),
        Target::SemiNaive => {
            let mut left = FACTS_DERIVED_ONCE;
            predicates.retain(|predicate| {
                let count = rows(predicate);
                left -= count;
                left >= 0.0
            });
        }
        Target::Resolution => {
            predicates.retain(|predicate| rows(predicate) <= settings.max_facts as f64);
            let evaluation = || {
                let part = ground::dependencies(&work.stratified, &predicates);
                Model::new(&part, &inputs, Target::SemiNaive).program_cost(&part, None)
            };
            if !is_reused && evaluation() > work.cost(settings) {
                predicates.clear();
            }
        }
    }
    predicates
}
