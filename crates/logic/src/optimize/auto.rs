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

use super::demand::HandedOn;
use super::ground;
use super::passes::Pass;
use super::pipeline::{Report, Settings, Work, run, run_demand, run_grounding, run_reordering};
use super::{Inputs, Model, Target};
use ludolog_syntax::ast::Predicate;

/// Most facts that grounding makes for an engine that would derive them only once.
const FACTS_DERIVED_ONCE: f64 = 5_000_000.0;

/// How small the cost must become, beside the best without, before bindings are handed on sideways.
const SIDEWAYS_GAIN: f64 = 0.1;

/// Runs a pass if it is expected to pay.
pub(super) fn run_if_it_pays(pass: Pass, work: &mut Work, settings: &Settings) -> Option<Report> {
    match pass {
        Pass::Pruning | Pass::Reordering => Some(run(pass, work, settings)),
        Pass::Grounding => {
            let predicates = worth_grounding(work, settings);
            (!predicates.is_empty()).then(|| run_grounding(work, predicates, settings))
        }
        Pass::Closure => (settings.target == Target::SemiNaive).then(|| run(pass, work, settings)),
        Pass::Demand => cheapest_demand(work, settings),
    }
}

/// The program as it is, or with the demand that is expected to save most. Handing on sideways must
/// promise a multiple, because what recursion demands is hard to foresee.
fn cheapest_demand(work: &mut Work, settings: &Settings) -> Option<Report> {
    if settings.target == Target::Resolution || work.goal.is_none() {
        return None;
    }
    let tried: Vec<(Work, Report, f64)> = [(HandedOn::FromHead, 1.0), (HandedOn::Sideways, SIDEWAYS_GAIN)]
        .into_iter()
        .filter_map(|(handed_on, gain)| {
            let mut changed = work.clone();
            let report = run_demand(&mut changed, handed_on, settings);
            (!report.changes.is_empty()).then_some((changed, report, gain))
        })
        .collect();
    if tried.is_empty() {
        return None;
    }
    // All are compared as they will run: reordered.
    let cost = |work: &Work| {
        let mut work = work.clone();
        run_reordering(&mut work, settings);
        work.cost(settings)
    };
    let (mut best, mut least) = (None, cost(work));
    for (changed, report, gain) in tried {
        let cost = cost(&changed);
        if cost < gain * least {
            (best, least) = (Some((changed, report)), cost);
        }
    }
    best.map(|(changed, report)| {
        *work = changed;
        report
    })
}

fn worth_grounding(work: &Work, settings: &Settings) -> Vec<Predicate> {
    let mut predicates = ground::groundable(&work.program.stratified, settings.inputs);
    if predicates.is_empty() {
        return predicates;
    }
    let inputs = Inputs::default();
    let model = Model::new(&work.program.stratified, &inputs, Target::SemiNaive);
    let rows = |predicate: &Predicate| model.statistics.rows(predicate);
    let is_reused =
        work.program.stratified.program.rules.iter().any(|rule| !predicates.contains(&rule.head.signature()))
            || !work.program.stratified.program.transitions.is_empty();
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
                let part = ground::dependencies(&work.program.stratified, &predicates);
                Model::new(&part, &inputs, Target::SemiNaive).program_cost(&part, None)
            };
            if !is_reused && evaluation() > work.cost(settings) {
                predicates.clear();
            }
        }
    }
    predicates
}
