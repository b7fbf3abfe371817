//! The passes, one after the other.

use super::demand::HandedOn;
use super::ground::{self, Evaluate};
use super::passes::{Optimization, Pass};
use super::prune::Reason;
use super::{Closure, Inputs, Model, OptimizedProgram, Target, auto, closure, cost, demand, prune, reorder, text};
use crate::analysis::clause::{Clause, Goal, StratifiedProgram, TransitionClause};
use crate::analysis::restratify;
use ludolog_syntax::ast::{Atom, Predicate};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// What to optimize for.
pub struct Settings<'a> {
    pub optimization: Optimization,
    pub target: Target,
    /// The one goal that will be asked; the optimized program answers no other. Without it all predicates are kept.
    pub goal: Option<&'a Goal>,
    pub inputs: &'a Inputs,
    /// The evaluation that grounding needs (an engine, which stands behind this room).
    pub evaluate: &'a Evaluate<'a>,
    /// Grounding keeps the rules when there would be more facts than this.
    pub max_facts: u64,
}

/// Grounding's usual limit.
pub const MAX_FACTS: u64 = 5_000_000;

/// The result: what to run, what to ask, and how it came about.
#[derive(Clone, Debug)]
pub struct Optimized {
    pub program: OptimizedProgram,
    /// The goal to ask instead of the one given: the same variables, perhaps other predicates.
    pub goal: Option<Goal>,
    pub steps: Vec<Step>,
}

/// What one pass did.
#[derive(Clone, Debug)]
pub struct Step {
    pub pass: Pass,
    pub changes: Vec<Change>,
    /// What cannot be seen from the changes.
    pub notes: Vec<String>,
    /// Expected work of the goal before and after, in the units of the cost model.
    pub cost: (f64, f64),
    pub duration: Duration,
}

/// One change: what stood there and what stands there now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub before: Vec<Part>,
    pub after: Vec<Part>,
    /// Why, where it is not plain.
    pub reason: Option<String>,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Rule(Clause),
    Transition(TransitionClause),
    Goal(Goal),
    /// So many facts of a predicate.
    Facts(Predicate, usize),
}

/// The program on its way through the passes.
#[derive(Clone)]
pub(super) struct Work {
    pub program: OptimizedProgram,
    pub goal: Option<Goal>,
}

/// What a pass reports.
#[derive(Default)]
pub(super) struct Report {
    pub changes: Vec<Change>,
    pub notes: Vec<String>,
}

/// Runs the selected passes.
pub fn optimize(stratified: StratifiedProgram, settings: &Settings) -> Optimized {
    let mut work = Work { program: stratified.into(), goal: settings.goal.cloned() };
    let mut steps: Vec<Step> = Vec::new();
    for pass in settings.optimization.passes() {
        let start = Instant::now();
        let before = match steps.last() {
            Some(step) => step.cost.1,
            None => work.cost(settings),
        };
        let report = match settings.optimization {
            Optimization::Auto => auto::run_if_it_pays(pass, &mut work, settings),
            _ => Some(run(pass, &mut work, settings)),
        };
        let Some(report) = report else { continue };
        let after = if report.changes.is_empty() { before } else { work.cost(settings) };
        let cost = (before, after);
        steps.push(Step { pass, changes: report.changes, notes: report.notes, cost, duration: start.elapsed() });
    }
    Optimized { program: work.program, goal: work.goal, steps }
}

impl Report {
    fn note(mut self, note: &str) -> Self {
        self.notes.push(note.to_owned());
        self
    }
}

impl Change {
    fn gone(part: Part, reason: &str) -> Self {
        Self { before: vec![part], after: Vec::new(), reason: Some(reason.to_owned()) }
    }
}

impl Work {
    /// Brings the strata up to date with the rules. No pass makes a negative cycle where there was none.
    pub fn restratify(&mut self) {
        let program = std::mem::take(&mut self.program.stratified.program);
        self.program.stratified =
            restratify(program).expect("removing rules and adding facts keeps a program stratified");
    }

    pub fn cost(&self, settings: &Settings) -> f64 {
        let model = Model::new(&self.program.stratified, settings.inputs, settings.target);
        model.program_cost(&self.program.stratified, self.goal.as_ref())
    }
}

/// Runs one pass, whether it pays or not.
pub(super) fn run(pass: Pass, work: &mut Work, settings: &Settings) -> Report {
    match pass {
        Pass::Pruning => run_pruning(work),
        Pass::Grounding => run_grounding(work, ground::groundable(&work.program.stratified, settings.inputs), settings),
        Pass::Closure => run_closure(work, settings),
        Pass::Demand => run_demand(work, HandedOn::Sideways, settings),
        Pass::Reordering => run_reordering(work, settings),
    }
}

fn run_pruning(work: &mut Work) -> Report {
    let mut report = Report::default();
    drop_irrelevant(work, &mut report);
    let program = &mut work.program.stratified.program;
    let redundant = prune::redundant_rules(&program.rules);
    // From the last, so that the numbers of those before stay.
    for (i, reason) in redundant.into_iter().rev() {
        let rule = program.rules.remove(i);
        report.changes.push(match reason {
            Reason::Tautology => Change::gone(Part::Rule(rule), "its head stands in its body"),
            Reason::Subsumed(general) => {
                let reason = format!("a special case of `{}`", text::clause(&general));
                Change::gone(Part::Rule(rule), &reason)
            }
        });
    }
    for rule in &mut program.rules {
        if let Some((body, implied)) = prune::prune_body(&rule.head.args, &rule.body) {
            let before = rule.clone();
            rule.body = body;
            let reasons = implied.iter().map(|gone| match gone.literal == gone.by {
                true => format!("`{}` stands there twice", text::literal(&gone.literal)),
                false => format!("`{}` is implied by `{}`", text::literal(&gone.literal), text::literal(&gone.by)),
            });
            let reason = Some(reasons.collect::<Vec<_>>().join("; "));
            let (before, after) = (vec![Part::Rule(before)], vec![Part::Rule(rule.clone())]);
            report.changes.push(Change { before, after, reason });
        }
    }
    work.restratify();
    report
}

/// Drops what the goal, if there is one, does not depend on.
fn drop_irrelevant(work: &mut Work, report: &mut Report) {
    let Some(goal) = &work.goal else { return };
    let program = &mut work.program.stratified.program;
    let relevant = prune::relevant(program, goal);
    let (kept, dropped) = program.rules.drain(..).partition(|rule| relevant.contains(&rule.head.signature()));
    program.rules = kept;
    program.facts.retain(|fact| relevant.contains(&fact.signature()));
    for rule in dropped {
        report.changes.push(Change::gone(Part::Rule(rule), "the goal does not depend on it"));
    }
}

pub(super) fn run_grounding(work: &mut Work, predicates: Vec<Predicate>, settings: &Settings) -> Report {
    let mut report = Report::default();
    let Some(grounded) =
        ground::evaluate(&work.program.stratified, work.goal.as_ref(), predicates, settings, &mut report.notes)
    else {
        return report;
    };
    for (predicate, facts) in &grounded {
        let rules = work.program.stratified.program.rules.iter().filter(|rule| rule.head.signature() == *predicate);
        let before = rules.cloned().map(Part::Rule).collect();
        report.changes.push(match facts {
            Some(facts) => {
                let after = vec![Part::Facts(predicate.clone(), facts.len())];
                Change { before, after, reason: None }
            }
            None => {
                Change { before, after: Vec::new(), reason: Some("only rules that are facts now read it".to_owned()) }
            }
        });
    }
    // The facts are those that follow from what is known now: of the predicates themselves and of all that they read.
    let grounded_predicates: Vec<Predicate> = grounded.keys().cloned().collect();
    work.program.closed.extend(ground::read_by(&work.program.stratified, &grounded_predicates));
    ground::replace(&mut work.program.stratified, grounded);
    work.restratify();
    report
}

fn run_closure(work: &mut Work, settings: &Settings) -> Report {
    let mut report = Report::default();
    if settings.target == Target::Resolution {
        return report.note("resolution runs a closure as any other rules");
    }
    let program = &work.program.stratified.program;
    let by_head = super::rules_by_head(program);
    let mut recognized = Vec::new();
    for component in &work.program.stratified.strata {
        if let [predicate] = &component[..]
            && !settings.inputs.predicates.contains(predicate)
            && let Some(rules) = by_head.get(predicate)
        {
            let facts: Vec<&Atom> = program.facts.iter().filter(|fact| fact.signature() == *predicate).collect();
            recognized.extend(closure::recognize(predicate, rules, &facts).map(|found| (predicate.clone(), found)));
        }
    }
    let program = &mut work.program.stratified.program;
    for (predicate, found) in recognized {
        let (old, rest) = program.rules.drain(..).partition(|rule: &Clause| rule.head.signature() == predicate);
        program.rules = rest;
        program.facts.retain(|fact| fact.signature() != predicate);
        // The closure is not told of facts of the predicate that come later, and its parts mean nothing to others.
        let made = found.rules.iter().map(|rule| rule.head.signature());
        work.program.closed.extend(made.chain([predicate]));
        program.facts.extend(found.facts);
        program.rules.extend(found.rules.iter().cloned());
        let Closure { predicate: closure, base, step } = &found.closure;
        let (before, after) = (parts(old), parts(found.rules));
        let reason = Some(format!("`{closure}` is the closure of `{base}` under `{step}`"));
        report.changes.push(Change { before, after, reason });
        work.program.closures.push(found.closure);
    }
    work.restratify();
    report
}

pub(super) fn run_demand(work: &mut Work, handed_on: HandedOn, settings: &Settings) -> Report {
    let mut report = Report::default();
    let goal = match (&work.goal, settings.target) {
        (Some(goal), Target::SemiNaive) => goal,
        (None, _) => return report.note("without a goal, everything is demanded"),
        (_, Target::Resolution) => return report.note("resolution derives only what is asked for as it is"),
    };
    let model = Model::new(&work.program.stratified, settings.inputs, settings.target);
    let may_grow = |predicate: &Predicate| settings.inputs.predicates.contains(predicate);
    let reorder = settings.optimization.passes().contains(&Pass::Reordering);
    let closures: Vec<Predicate> = work.program.closures.iter().map(|closure| closure.predicate.clone()).collect();
    let how =
        demand::Settings { whole: &closures, may_grow: &may_grow, handed_on, negated: demand::Negated::Whole, reorder };
    let demanded = demand::demand(&work.program.stratified, goal, &how, &model);
    let Some(demanded) = demanded else { return report.note("the goal binds nothing that a rule could use") };
    for (predicate, pattern) in &demanded.versions {
        report.notes.push(format!("`{}` is called as {}", predicate, cost::pattern_text(*pattern, predicate.arity)));
    }
    let (old, new) = (&work.program.stratified.program, &demanded.stratified.program);
    let (before, after) = (parts(differing(&old.rules, &new.rules)), parts(differing(&new.rules, &old.rules)));
    report.changes.push(Change { before, after, reason: None });
    let (before, after) = (vec![Part::Goal(goal.clone())], vec![Part::Goal(demanded.goal.clone())]);
    report.changes.push(Change { before, after, reason: None });
    work.program.stratified = demanded.stratified;
    work.program.closed.extend(demanded.closed);
    work.goal = Some(demanded.goal);
    report
}

/// The rules of one list that are not in the other.
fn differing(rules: &[Clause], others: &[Clause]) -> Vec<Clause> {
    let others: FxHashSet<String> = others.iter().map(text::clause).collect();
    rules.iter().filter(|rule| !others.contains(&text::clause(rule))).cloned().collect()
}

fn parts(rules: Vec<Clause>) -> Vec<Part> {
    rules.into_iter().map(Part::Rule).collect()
}

pub(super) fn run_reordering(work: &mut Work, settings: &Settings) -> Report {
    let mut report = Report::default();
    let mut model = Model::new(&work.program.stratified, settings.inputs, settings.target);
    let reordered = reorder::reorder(&work.program.stratified, work.goal.as_ref(), &mut model);
    let program = &mut work.program.stratified.program;
    let mut change = |before: Part, after: Part| {
        report.changes.push(Change { before: vec![before], after: vec![after], reason: None });
    };
    for (i, body) in reordered.rules {
        let before = program.rules[i].clone();
        program.rules[i].body = body;
        change(Part::Rule(before), Part::Rule(program.rules[i].clone()));
    }
    for (i, conditions) in reordered.transitions {
        let before = program.transitions[i].clone();
        program.transitions[i].conditions = conditions;
        change(Part::Transition(before), Part::Transition(program.transitions[i].clone()));
    }
    if let (Some(goal), Some(body)) = (&mut work.goal, reordered.goal) {
        let before = goal.clone();
        goal.body = body;
        change(Part::Goal(before), Part::Goal(goal.clone()));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::program_and_goal;

    /// What is closed once the pass has run alone, by name.
    fn closed_after(pass: Option<Pass>, text: &str, inputs: &[&str]) -> Vec<String> {
        let (stratified, goal) = program_and_goal(text);
        let inputs = inputs.iter().map(|name| Predicate::new(name, 2));
        let settings = Settings {
            optimization: Optimization::Passes(pass.into_iter().collect()),
            target: Target::SemiNaive,
            goal: Some(&goal),
            inputs: &Inputs::of(&stratified).with_predicates(inputs),
            evaluate: &|_, _, _| Ok(Vec::new()),
            max_facts: MAX_FACTS,
        };
        let program = optimize(stratified, &settings).program;
        let mut closed: Vec<String> = program.closed.iter().map(|predicate| predicate.name.to_string()).collect();
        closed.sort();
        closed
    }

    const PATHS: &str = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z). edge(1, 2).
        hit(X, Y) :- start(X) & path(X, Y). far(X) :- hit(X, 3). ?- hit(1, Y).";

    #[test]
    fn everything_is_open_in_a_program_as_written() {
        assert!(OptimizedProgram::default().is_open(&Predicate::new("edge", 2)));
        assert_eq!(closed_after(None, PATHS, &[]), [""; 0]);
    }

    #[test]
    fn pruning_and_reordering_hold_for_all_facts() {
        assert_eq!(closed_after(Some(Pass::Pruning), PATHS, &[]), [""; 0]);
        assert_eq!(closed_after(Some(Pass::Reordering), PATHS, &[]), [""; 0]);
    }

    #[test]
    fn grounding_closes_what_it_evaluates_and_what_that_reads() {
        assert_eq!(closed_after(Some(Pass::Grounding), PATHS, &[]), ["edge", "path"]);
        assert_eq!(closed_after(Some(Pass::Grounding), PATHS, &["edge"]), [""; 0]);
        assert_eq!(closed_after(Some(Pass::Grounding), PATHS, &["path"]), [""; 0]);
    }

    #[test]
    fn a_closure_is_closed_and_its_base_and_step_are_open() {
        assert_eq!(closed_after(Some(Pass::Closure), PATHS, &[]), ["path"]);
        assert_eq!(closed_after(Some(Pass::Closure), PATHS, &["path"]), [""; 0]);
        let backwards = "path(X, Y) :- step(X, Y). path(X, Z) :- edge(X, Y) & path(Y, Z). ?- path(1, X).";
        let made = ["path", "path@base", "path@closure", "path@step"];
        assert_eq!(closed_after(Some(Pass::Closure), backwards, &[]), made);
    }

    #[test]
    fn demand_closes_what_only_its_rules_are_read_of() {
        let made = ["demand@hit@bf", "demand@path@bf", "hit", "hit@bf", "path", "path@bf"];
        assert_eq!(closed_after(Some(Pass::Demand), PATHS, &[]), made);
        let made: Vec<&str> = made.into_iter().filter(|name| *name != "path").collect();
        assert_eq!(closed_after(Some(Pass::Demand), PATHS, &["path"]), made);
    }

    #[test]
    fn a_predicate_split_by_its_constants_is_closed_from_the_start() {
        let split = "goal(X, 100) :- role(X, line). goal(X, 0) :- role(X, Y) & ~goal(X, 100). ?- goal(red, N).";
        assert_eq!(closed_after(None, split, &[]), ["goal", "goal@_,0", "goal@_,100"]);
    }
}
