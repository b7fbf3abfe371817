//! Programs that are planned again while they run, behind a predicate that has many more or fewer facts than expected (progressive optimization,
//! V. Markl et al., *Robust query processing through progressive optimization*, SIGMOD 2004).
//!
//! The sizes of all predicates are estimated before the first stratum runs: what a comparison lets through, or how often pairs meet, is a guess, and
//! so is all above it. Behind a stratum that was misjudged the rest of the program is optimized by the facts that are there, and the engine keeps
//! those that are complete.

use super::case_engine::CaseEngine;
use super::runner::Runner;
use crate::contract::CompletePredicate;
use crate::costs::now;
use crate::prepared::{Held, Prepared, prepare_behind};
use ludolog_logic::analysis::clause::{Clause, Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::restratify;
use ludolog_logic::optimize::prune::relevant;
use ludolog_logic::optimize::{CountedSample, Demand, Expectations, ExpectedSize, Optimization};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The time to optimize each rule, in nanoseconds of work.
const PLANNING_PER_RULE: u64 = 44_000;

/// The most facts of a predicate from which its distinct values are estimated.
const SAMPLE: usize = 1024;

/// The factor by which the work of a whole program is expected to be off at most.
const MOST_MISJUDGED: f64 = 4.0;

/// When a program is planned again.
#[derive(Clone, Copy, Debug, Default)]
struct Thresholds {
    /// The factor by which a size may be off.
    factor: f64,
    /// Sizes below do not matter.
    fewest: f64,
    /// The expected work of the rest beside that of planning it.
    share: u64,
    /// The share of the expected work of the rest that a new plan may leave at most, with what it derives again.
    gain: f64,
}

/// Where planning is a small part of the work. A plan that leaves more differs by rounding.
const USUAL: Thresholds = Thresholds { factor: 2.0, fewest: 64.0, share: 16, gain: 0.97 };

/// Wherever a size is another one.
const EARLY: Thresholds = Thresholds { factor: 1.0, fewest: 0.0, share: 0, gain: f64::INFINITY };

/// What a program is planned for.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    expectations: Expectations,
    thresholds: Thresholds,
    /// The least cost for which the rest is planned again.
    least: f64,
}

impl Expected {
    /// The sizes outside of which it may pay to plan again: joins grow as what they read.
    pub fn bounds(&self) -> Vec<(Predicate, Range<u64>)> {
        let bounds = |ExpectedSize { predicate, facts, cost_of_joins }: &ExpectedSize| {
            let Thresholds { factor, fewest, .. } = self.thresholds;
            let growth = (self.least / cost_of_joins.max(1.0)).max(factor);
            let most = (facts * growth).max(fewest);
            let is_enough = *cost_of_joins >= self.least && *facts >= fewest;
            let fewest = if is_enough { facts / factor } else { 0.0 };
            (predicate.clone(), fewest as u64..(most as u64).saturating_add(1))
        };
        self.expectations.sizes.iter().map(bounds).collect()
    }
}

impl Runner<'_> {
    /// The sizes that a program is planned for, if it may be planned again: nothing but its answers is asked, and nothing changes.
    pub fn expect(&self, prepared: &mut Prepared) -> Result<Expected, Stopped> {
        let setting = prepared.setting();
        let program = &self.program.program;
        let is_fixed = program.transitions.is_empty() && self.case.events.is_empty();
        let may_replan = setting.asked_once && setting.optimization == Optimization::Auto && !setting.record;
        // Another engine takes the place of a bet on demand that is lost.
        if !may_replan || !is_fixed || !program.three_valued.components.is_empty() || prepared.bet_on(&Demand).is_some()
        {
            return Ok(Expected::default());
        }
        let mut thresholds = None;
        setting.engine.has(|engine| {
            thresholds = engine.as_replan().map(|replan| if replan.is_early() { EARLY } else { USUAL });
            thresholds.is_some()
        });
        let Some(thresholds) = thresholds else { return Ok(Expected::default()) };
        let least = (self.probes_in(thresholds.share * PLANNING_PER_RULE) * program.rules.len() as u64) as f64;
        let joins = prepared.optimized.steps.last().and_then(|step| step.cost);
        if joins.is_some_and(|(_, cost)| cost * MOST_MISJUDGED < least) {
            return Ok(Expected::default());
        }
        Ok(Expected { expectations: prepared.expect(self.budget)?, thresholds, least })
    }

    /// Derives, and plans again where sizes are not those expected.
    pub fn update(&self, loaded: &mut CaseEngine, goal: Option<&Goal>, budget: &Budget) -> Result<(), Stopped> {
        let mut updated = loaded.update(budget);
        while let Err(Stopped::Misjudged(_)) = updated {
            self.replan(loaded, goal)?;
            updated = loaded.update(budget);
        }
        updated
    }

    /// Plans the program again behind what is derived, if that is expected to pay, and expects other sizes.
    fn replan(&self, loaded: &mut CaseEngine, goal: Option<&Goal>) -> Result<(), Stopped> {
        let begin = now(self.budget);
        let Expected { thresholds, least, .. } = std::mem::take(&mut loaded.expected);
        let Some(replan) = loaded.engine.as_replan() else { return Ok(()) };
        let complete = replan.complete();
        let planned = &loaded.prepared.optimized.program.stratified.program.rules;
        let read = read_by_rest(planned.iter().chain(&self.program.program.rules), &complete);
        let derived = complete.iter().filter(|one| one.is_derived).map(|one| {
            let most = if read.contains(&one.predicate) { SAMPLE } else { 0 };
            let sample = CountedSample::of_facts(replan.sample(&one.predicate, most), one.facts as usize);
            (one.predicate.clone(), sample)
        });
        let derived: FxHashMap<Predicate, Option<CountedSample>> = derived.collect();
        let as_planned = loaded.prepared.expect_rest(&derived, self.budget)?;
        let mut planned = None;
        if as_planned.cost >= least
            && let Some((program, held)) = self.rest(&loaded.prepared, &complete, &derived, goal)
        {
            // A bet on demand takes another engine with the facts of the case.
            let setting = self.setting_without(&[&Demand]);
            let mut prepared = prepare_behind(&program, self.case, held, goal, &setting, self.budget)?;
            let expectations = prepared.expect(self.budget)?;
            let pays = expectations.cost <= thresholds.gain * as_planned.cost;
            planned = pays.then_some((prepared, expectations));
        }
        loaded.phases.optimizing += now(self.budget) - begin;
        let expectations = match planned {
            Some((prepared, expectations)) => {
                loaded.go_on_with(prepared, self.budget)?;
                expectations
            }
            None => as_planned,
        };
        // Next time it has to promise twice as much.
        loaded.expect(Expected { expectations, thresholds, least: 2.0 * least });
        Ok(())
    }

    /// The rules of predicates whose facts are not held, with the facts that are; `None` if they have no strata.
    fn rest(
        &self,
        prepared: &Prepared,
        complete: &[CompletePredicate],
        samples: &FxHashMap<Predicate, Option<CountedSample>>,
        goal: Option<&Goal>,
    ) -> Option<(StratifiedProgram, Held)> {
        let given: FxHashSet<Predicate> = self.case.predicates().into_iter().collect();
        let already: FxHashMap<&Predicate, &Option<CountedSample>> =
            prepared.held().derived.iter().map(|(predicate, sample)| (predicate, sample)).collect();
        // A pass may leave out facts of what is made up, or closed.
        let is_whole = |one: &Predicate| !one.is_auxiliary() && !prepared.optimized.program.closed.contains(one);
        let mut program = self.program.program.clone();
        let by_rules: FxHashSet<Predicate> = program.rules.iter().map(|rule| rule.head.signature()).collect();
        let mut held = Held::default();
        for CompletePredicate { predicate, is_derived, .. } in complete.iter().filter(|one| one.is_held) {
            let is_whole = is_whole(predicate);
            let may_hold = *is_derived && is_whole && !given.contains(predicate);
            let sample = if may_hold { samples.get(predicate) } else { None };
            match sample.or(already.get(predicate).copied()) {
                Some(sample) => held.derived.push((predicate.clone(), sample.clone())),
                None if is_whole && !by_rules.contains(predicate) => held.given.push(predicate.clone()),
                None => {}
            }
        }
        let derived: FxHashSet<Predicate> = held.derived.iter().map(|(predicate, _)| predicate.clone()).collect();
        program.rules.retain(|rule| !derived.contains(&rule.head.signature()));
        program.facts.retain(|fact| !derived.contains(&fact.signature()));
        program.lattices.retain(|predicate, _| !derived.contains(predicate));
        program.choices.retain(|predicate, _| !derived.contains(predicate));
        let needed = goal.map(|goal| relevant(&program, goal));
        let is_needed = |one: &Predicate| needed.as_ref().is_none_or(|needed| needed.contains(one));
        held.given.retain(is_needed);
        held.derived.retain(|(predicate, _)| is_needed(predicate));
        Some((restratify(program)?, held))
    }
}

/// The predicates that rules of others than these read.
fn read_by_rest<'r>(rules: impl Iterator<Item = &'r Clause>, complete: &[CompletePredicate]) -> FxHashSet<Predicate> {
    let complete: FxHashSet<&Predicate> = complete.iter().map(|one| &one.predicate).collect();
    let rest = rules.filter(|rule| !complete.contains(&rule.head.signature()));
    rest.flat_map(|rule| &rule.body).filter_map(Literal::atom).map(Atom::signature).collect()
}
