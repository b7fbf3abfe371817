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
    pub stratified: StratifiedProgram,
    pub closures: Vec<Closure>,
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
    let mut work = Work { stratified, closures: Vec::new(), goal: settings.goal.cloned() };
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
    let program = OptimizedProgram { stratified: work.stratified, closures: work.closures };
    Optimized { program, goal: work.goal, steps }
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
        let program = std::mem::take(&mut self.stratified.program);
        self.stratified = restratify(program).expect("removing rules and adding facts keeps a program stratified");
    }

    pub fn cost(&self, settings: &Settings) -> f64 {
        let model = Model::new(&self.stratified, settings.inputs, settings.target);
        model.program_cost(&self.stratified, self.goal.as_ref())
    }
}

/// Runs one pass, whether it pays or not.
pub(super) fn run(pass: Pass, work: &mut Work, settings: &Settings) -> Report {
    match pass {
        Pass::Pruning => run_pruning(work),
        Pass::Grounding => run_grounding(work, ground::groundable(&work.stratified, settings.inputs), settings),
        Pass::Closure => run_closure(work, settings),
        Pass::Demand => run_demand(work, HandedOn::Sideways, settings),
        Pass::Reordering => run_reordering(work, settings),
    }
}

fn run_pruning(work: &mut Work) -> Report {
    let mut report = Report::default();
    drop_irrelevant(work, &mut report);
    let program = &mut work.stratified.program;
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
    let program = &mut work.stratified.program;
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
        ground::evaluate(&work.stratified, work.goal.as_ref(), predicates, settings, &mut report.notes)
    else {
        return report;
    };
    for (predicate, facts) in &grounded {
        let rules = work.stratified.program.rules.iter().filter(|rule| rule.head.signature() == *predicate);
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
    ground::replace(&mut work.stratified, grounded);
    work.restratify();
    report
}

fn run_closure(work: &mut Work, settings: &Settings) -> Report {
    let mut report = Report::default();
    if settings.target == Target::Resolution {
        return report.note("resolution runs a closure as any other rules");
    }
    let program = &work.stratified.program;
    let by_head = super::rules_by_head(program);
    let mut recognized = Vec::new();
    for component in &work.stratified.strata {
        if let [predicate] = &component[..]
            && !settings.inputs.predicates.contains(predicate)
            && let Some(rules) = by_head.get(predicate)
        {
            let facts: Vec<&Atom> = program.facts.iter().filter(|fact| fact.signature() == *predicate).collect();
            recognized.extend(closure::recognize(predicate, rules, &facts).map(|found| (predicate.clone(), found)));
        }
    }
    let program = &mut work.stratified.program;
    for (predicate, found) in recognized {
        let (old, rest) = program.rules.drain(..).partition(|rule: &Clause| rule.head.signature() == predicate);
        program.rules = rest;
        program.facts.retain(|fact| fact.signature() != predicate);
        program.facts.extend(found.facts);
        program.rules.extend(found.rules.iter().cloned());
        let Closure { predicate: closure, base, step } = &found.closure;
        let (before, after) = (parts(old), parts(found.rules));
        let reason = Some(format!("`{closure}` is the closure of `{base}` under `{step}`"));
        report.changes.push(Change { before, after, reason });
        work.closures.push(found.closure);
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
    let model = Model::new(&work.stratified, settings.inputs, settings.target);
    let may_grow = |predicate: &Predicate| settings.inputs.predicates.contains(predicate);
    let reorder = settings.optimization.passes().contains(&Pass::Reordering);
    let closures: Vec<Predicate> = work.closures.iter().map(|closure| closure.predicate.clone()).collect();
    let how =
        demand::Settings { whole: &closures, may_grow: &may_grow, handed_on, negated: demand::Negated::Whole, reorder };
    let demanded = demand::demand(&work.stratified, goal, &how, &model);
    let Some(demanded) = demanded else { return report.note("the goal binds nothing that a rule could use") };
    for (predicate, pattern) in &demanded.versions {
        report.notes.push(format!("`{}` is called as {}", predicate, cost::pattern_text(*pattern, predicate.arity)));
    }
    let (old, new) = (&work.stratified.program, &demanded.stratified.program);
    let (before, after) = (parts(differing(&old.rules, &new.rules)), parts(differing(&new.rules, &old.rules)));
    report.changes.push(Change { before, after, reason: None });
    let (before, after) = (vec![Part::Goal(goal.clone())], vec![Part::Goal(demanded.goal.clone())]);
    report.changes.push(Change { before, after, reason: None });
    work.stratified = demanded.stratified;
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
    let mut model = Model::new(&work.stratified, settings.inputs, settings.target);
    let reordered = reorder::reorder(&work.stratified, work.goal.as_ref(), &mut model);
    let program = &mut work.stratified.program;
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
