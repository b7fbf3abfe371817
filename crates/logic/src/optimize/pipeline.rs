//! The passes, one after the other.

use super::change::ProgramChange;
use super::check::OriginalProgram;
use super::cost_model::CostModel;
use super::inputs::Inputs;
use super::pass::{Grounder, Pass, PassContext, PassProgram};
use super::program::OptimizedProgram;
use super::reorder::Reordering;
use super::selection::Optimization;
use crate::analysis::clause::{Goal, StratifiedProgram};
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;
use std::time::Duration;

/// The selection of passes and the circumstances under which they run.
pub struct PassSettings<'a> {
    /// The passes to run.
    pub optimization: Optimization,
    /// Passes to leave out of them.
    pub left_out: &'a [&'static dyn Pass],
    /// The engine that will run the program.
    pub cost_model: CostModel,
    /// The one goal that will be asked; the optimized program answers no other. Without it all predicates are kept.
    pub goal: Option<&'a Goal>,
    /// The predicates whose facts change with the case at hand.
    pub inputs: &'a Inputs,
    /// The engine that grounding needs, which this crate does not know.
    pub grounder: Grounder<'a>,
    /// Grounding keeps the rules when there would be more facts than this.
    pub max_facts: u64,
    /// Whether the steps tell the expected costs, which take time to estimate.
    pub priced: bool,
    /// Limits the time of all passes together.
    pub budget: &'a Budget,
}

/// Grounding's usual limit.
pub const MAX_FACTS: u64 = 5_000_000;

/// The result of the passes.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The program to run.
    pub program: OptimizedProgram,
    /// The goal to ask instead of the one given: the same variables, perhaps other predicates.
    pub goal: Option<Goal>,
    /// The passes that ran, in order.
    pub steps: Vec<PassRun>,
    /// The passes that were left out because an earlier attempt found them broken.
    pub broken: Vec<BrokenPass>,
    /// The same with changes that `auto` does not expect to pay, as far as a pass says that they
    /// [may](super::pass::PassReport::declined).
    pub declined: Option<Box<Optimized>>,
}

/// A pass whose result does not hold what the [check](super::check) asks: a fault of Ludolog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPass {
    /// The pass.
    pub pass: &'static dyn Pass,
    /// The first fault found, in words.
    pub fault: String,
}

impl fmt::Display for BrokenPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pass {} is left out, since its result is faulty: {}", self.pass, self.fault)
    }
}

/// The reason for which a program was not optimized.
#[derive(Clone, Debug, PartialEq)]
pub enum Unoptimized {
    /// The budget has ended.
    Stopped(Stopped),
    /// A pass is broken. Without it the others may run.
    Broken(BrokenPass),
}

impl From<Stopped> for Unoptimized {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// The run of one pass.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The pass.
    pub pass: &'static dyn Pass,
    /// The changes that it made.
    pub changes: Vec<ProgramChange>,
    /// Remarks that the changes do not show.
    pub notes: Vec<String>,
    /// Expected work of the goal before and after, in the units of the cost model, if it is
    /// [priced](PassSettings::priced).
    pub cost: Option<(f64, f64)>,
    /// The time that it took, where the budget has a clock.
    pub duration: Option<Duration>,
}

/// Runs the selected passes. The result of each is [checked](super::check).
///
/// # Errors
///
/// The reason, when the budget ends first or a pass is broken.
pub fn optimize(stratified: StratifiedProgram, settings: &PassSettings) -> Result<Optimized, Unoptimized> {
    let PassSettings { optimization, cost_model, inputs, grounder, max_facts, priced, budget, .. } = settings;
    let mut passes = optimization.passes();
    passes.retain(|pass| !settings.left_out.contains(pass));
    let reorders = passes.contains(&(&Reordering as &dyn Pass));
    let cost_model = *cost_model;
    let grounder = *grounder;
    let max_facts = *max_facts;
    let context = PassContext { cost_model, inputs, grounder, max_facts, reorders, budget };
    let program = OptimizedProgram { any_order: reorders, ..stratified.into() };
    let mut work = PassProgram { program, goal: settings.goal.cloned() };
    let outline = if passes.is_empty() { None } else { Some(OriginalProgram::of(&work)) };
    let cost_of = |work: &PassProgram| priced.then(|| work.cost(&context)).transpose();
    let mut steps: Vec<PassRun> = Vec::new();
    let mut before = None;
    let mut declined = None;
    for pass in passes {
        budget.check()?;
        let start = budget.now();
        if before.is_none() {
            before = cost_of(&work)?;
        }
        let report = match optimization {
            Optimization::Auto => pass.run_if_it_pays(&mut work, &context),
            _ => pass.run(&mut work, &context).map(Some),
        };
        let broken = |fault| Unoptimized::Broken(BrokenPass { pass, fault });
        let report = report.map_err(|stopped| match stopped {
            Stopped::Internal(fault) => broken(fault),
            stopped => stopped.into(),
        })?;
        let Some(mut report) = report else { continue };
        let check = |work: &PassProgram| outline.iter().try_for_each(|outline| outline.check(work, inputs));
        if let Some(other) = report.declined.take() {
            check(&other).map_err(broken)?;
            let PassProgram { program, goal } = *other;
            let run = PassRun { pass, changes: report.changes, notes: report.notes, cost: None, duration: None };
            let steps = steps.iter().cloned().chain([run]).collect();
            declined = Some(Box::new(Optimized { program, goal, steps, broken: Vec::new(), declined: None }));
            continue;
        }
        check(&work).map_err(broken)?;
        let after = if report.changes.is_empty() { before } else { cost_of(&work)? };
        let duration = budget.now().zip(start).map(|(now, start)| now.saturating_sub(start));
        let cost = before.zip(after);
        steps.push(PassRun { pass, changes: report.changes, notes: report.notes, cost, duration });
        before = after;
    }
    Ok(Optimized { program: work.program, goal: work.goal, steps, broken: Vec::new(), declined })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyze_within;
    use crate::analysis::clause::Clause;
    use crate::optimize::testing::{BOTTOM_UP, TOP_DOWN, grounder, program, program_and_goal, rules_after, text};
    use crate::optimize::{Closures, Demand, Grounding, PASSES, Pruning};
    use ludolog_syntax::ast::Predicate;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The predicates closed once the pass has run alone, by name.
    fn closed_after(pass: Option<&'static dyn Pass>, text: &str, inputs: &[&str]) -> Vec<String> {
        let (stratified, goal) = program_and_goal(text);
        let inputs = inputs.iter().map(|name| Predicate::new(*name, 2));
        let settings = PassSettings {
            optimization: Optimization::Passes(pass.into_iter().collect()),
            left_out: &[],
            cost_model: BOTTOM_UP,
            goal: Some(&goal),
            inputs: &Inputs::of(&stratified).with_predicates(inputs),
            grounder: grounder(&|_, _, _| Ok(Vec::new())),
            max_facts: MAX_FACTS,
            priced: false,
            budget: &Budget::unlimited(),
        };
        let program = optimize(stratified, &settings).expect("no limits").program;
        let mut closed: Vec<String> = program.closed.iter().map(|predicate| predicate.name.to_string()).collect();
        closed.sort();
        closed
    }

    const PATHS: &str = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z). edge(1, 2).
        hit(X, Y) :- start(X) & path(X, Y). far(X) :- hit(X, 3). ?- hit(1, Y).";

    /// Best values and choices are those of all that rules derive; what lies below and above them is optimized all the same.
    #[test]
    fn rules_of_selective_predicates_stay_as_they_are() {
        let source = "e(1, 2). e(2, 3). e(3, 1). person(1).
            path(X, Y) :- e(X, Y). path(X, Z) :- path(X, Y) & e(Y, Z).
            dist(X, min 0) :- person(X). dist(Y, min D) :- dist(X, C) & e(X, Y) & e(Y, Z) & e(Z, W) & D is C + 1.
            pick(X, Y) :- path(X, Y) & e(Y, Z) & e(Z, _) & choice(X; Y).
            far(X) :- dist(X, D) & e(X, Y) & e(Y, Z) & e(Z, W) & pick(W, D). far(X) :- dist(X, D) & dist(X, _).
            shared(X, N) :- person(X) & N = count { Y, Z : path(X, Y) & dist(Y, Z) }.";
        let rules = &program(source).program.rules;
        let is_selective = |rule: &&Clause| ["dist", "pick"].iter().any(|name| rule.head.predicate == **name);
        let selective: Vec<String> =
            text(rules).into_iter().zip(rules).filter(|(_, rule)| is_selective(rule)).map(|(text, _)| text).collect();
        assert_eq!(selective.len(), 3);
        let mut changed = Vec::new();
        for pass in PASSES.into_iter().filter(|pass| pass.name() != "reordering") {
            let after = rules_after(source, Optimization::Passes(vec![pass]));
            assert!(selective.iter().all(|rule| after.contains(rule)), "{pass}: {after:?}");
            changed.extend((after.len() != rules.len() || after != text(rules)).then(|| pass.name()));
        }
        assert_eq!(changed, ["pruning", "grounding", "closure", "groups", "split"]);
    }

    #[test]
    fn an_interrupted_budget_stops_every_pass_and_the_analysis() {
        let (stratified, goal) = program_and_goal(PATHS);
        let interrupted = Budget::unlimited().with_interrupt(Arc::new(AtomicBool::new(true)));
        for cost_model in [BOTTOM_UP, TOP_DOWN] {
            for pass in PASSES {
                let settings = PassSettings {
                    optimization: Optimization::Passes(vec![pass]),
                    left_out: &[],
                    cost_model,
                    goal: Some(&goal),
                    inputs: &Inputs::of(&stratified),
                    grounder: grounder(&|_, _, _| Ok(Vec::new())),
                    max_facts: MAX_FACTS,
                    priced: false,
                    budget: &interrupted,
                };
                assert_eq!(optimize(stratified.clone(), &settings).err(), Some(Stopped::Interrupted.into()), "{pass}");
            }
        }
        let program = (&stratified.program).into();
        assert_eq!(analyze_within(&program, &interrupted).err(), Some(Stopped::Interrupted));
    }

    #[test]
    fn an_evaluation_that_stops_keeps_the_rules_while_the_budget_lasts() {
        let (stratified, goal) = program_and_goal(PATHS);
        let flag = Arc::new(AtomicBool::new(false));
        let ground = |stopped: Stopped| {
            let stop = |_: &OptimizedProgram, _: &[Predicate], _| {
                flag.store(stopped == Stopped::Interrupted, Ordering::Relaxed);
                Err(stopped.clone())
            };
            let settings = PassSettings {
                optimization: Optimization::Grounding,
                left_out: &[],
                cost_model: BOTTOM_UP,
                goal: Some(&goal),
                inputs: &Inputs::of(&stratified),
                grounder: grounder(&stop),
                max_facts: MAX_FACTS,
                priced: false,
                budget: &Budget::unlimited().with_interrupt(flag.clone()),
            };
            optimize(stratified.clone(), &settings).map(|optimized| optimized.program.closed.len())
        };
        // Its own share of the time, or of the facts, is used up.
        assert_eq!(ground(Stopped::Timeout(Duration::from_secs(1))), Ok(0));
        assert_eq!(ground(Stopped::TooManyFacts(5)), Ok(0));
        assert_eq!(ground(Stopped::Interrupted), Err(Stopped::Interrupted.into()));
    }

    #[test]
    fn everything_is_open_in_a_program_as_written() {
        assert!(OptimizedProgram::default().is_open(&Predicate::new("edge", 2)));
        assert_eq!(closed_after(None, PATHS, &[]), [""; 0]);
    }

    #[test]
    fn pruning_and_reordering_hold_for_all_facts() {
        assert_eq!(closed_after(Some(&Pruning), PATHS, &[]), [""; 0]);
        assert_eq!(closed_after(Some(&Reordering), PATHS, &[]), [""; 0]);
    }

    #[test]
    fn grounding_closes_what_it_evaluates_and_what_that_reads() {
        assert_eq!(closed_after(Some(&Grounding), PATHS, &[]), ["edge", "path"]);
        assert_eq!(closed_after(Some(&Grounding), PATHS, &["edge"]), [""; 0]);
        assert_eq!(closed_after(Some(&Grounding), PATHS, &["path"]), [""; 0]);
    }

    #[test]
    fn a_closure_is_closed_and_its_base_and_step_are_open() {
        assert_eq!(closed_after(Some(&Closures), PATHS, &[]), ["path"]);
        assert_eq!(closed_after(Some(&Closures), PATHS, &["path"]), [""; 0]);
        let backwards = "path(X, Y) :- step(X, Y). path(X, Z) :- edge(X, Y) & path(Y, Z). ?- path(1, X).";
        let made = ["path", "path@base", "path@closure", "path@step"];
        assert_eq!(closed_after(Some(&Closures), backwards, &[]), made);
    }

    #[test]
    fn demand_closes_what_only_its_rules_are_read_of() {
        let made = ["demand@hit@bf", "demand@path@bf", "hit", "hit@bf", "path", "path@bf"];
        assert_eq!(closed_after(Some(&Demand), PATHS, &[]), made);
        let made: Vec<&str> = made.into_iter().filter(|name| *name != "path").collect();
        assert_eq!(closed_after(Some(&Demand), PATHS, &["path"]), made);
    }

    #[test]
    fn a_predicate_split_by_its_constants_is_closed_from_the_start() {
        let split = "goal(X, 100) :- role(X, line). goal(X, 0) :- role(X, Y) & ~goal(X, 100). ?- goal(red, N).";
        assert_eq!(closed_after(None, split, &[]), ["goal", "goal@_,0", "goal@_,100"]);
    }
}
