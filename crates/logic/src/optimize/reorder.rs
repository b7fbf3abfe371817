//! *Reordering*: puts the subgoals of every body into the order that is [expected](super::cost) to be least work.
//!
//! The search goes forward from the empty prefix. Filters (comparisons, and lookups of which everything is bound) are
//! placed as soon as they can be; for the rest, prefixes that hold the same literals are compared and the cheapest is
//! kept, which is dynamic programming over subsets (Selinger et al. 1979) and exact as long as a layer fits into the
//! beam: up to ten generators. Longer bodies get a narrower beam, down to a greedy choice, so that time stays within
//! some thousand prefixes. Among equals the author's order wins, and it stays altogether when it is as good.
//!
//! Some literals may not move:
//! * a negation or comparison stands behind what binds it, whatever the head's call binds, so that the text stays safe; a sum whose
//!   result is bound before is [solved](sums);
//! * in rounds the first recursive subgoal comes first: a round starts from its delta;
//! * where predicates are called nothing that stands before a subgoal that may come to recursion moves behind it: it may be what makes
//!   that recursion end.
//!
//! Of an engine that calls an order is judged under the binding patterns of the calls that the goal leads to; callees
//! are ordered before their callers, and all of it twice, because a caller's new order gives its callees new patterns.

use super::binding::ClauseVariables;
use super::change::{ProgramChange, ProgramPart};
use super::cost::{self, BoundColumns, ExpectedWork, Model, Priced};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::sums;
use crate::analysis::body::Body;
use crate::analysis::clause::{Clause, Goal, Literal, StratifiedProgram, TransitionClause};
use fixedbitset::FixedBitSet;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Effect, Predicate};
use ludolog_syntax::budget::Stopped;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Prefixes tried for one long body, roughly.
const EFFORT: usize = 1500;
/// Widest beam; enough for all subsets of ten generators.
const BEAM: usize = 256;
/// Bodies longer than this are left alone.
const LONGEST: usize = 2000;
/// Rounds in which the callers' new orders are taken back to their callees.
const ROUNDS: usize = 2;
/// The weight of the pattern with all columns free beside those of the calls found: it only decides between equals.
const FREE_WEIGHT: f64 = 0.01;
/// The share of the author's cost below which another order counts as better; above it, differences are rounding.
const BETTER: f64 = 0.999;
/// The same for another order of subgoals that read a lattice. Its rows are expected to be as many as its keys at most, and how near to each
/// other the keys are that an order comes to in turn is not priced: the author's order tends to follow them.
const MUCH_BETTER: f64 = 0.75;

/// The pass. It always pays, because it keeps an order that is as good as any, and it is right whatever the facts are:
/// it closes no predicate.
pub struct Reordering;

impl Pass for Reordering {
    fn name(&self) -> &'static str {
        "reordering"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        let mut report = PassReport::default();
        let stratified = &work.program.stratified;
        let mut model = Model::new(stratified, context.inputs, context.cost_model, context.budget)?;
        let reordered = reorder(stratified, work.goal.as_ref(), &mut model)?;
        let program = &mut work.program.stratified.program;
        let mut change =
            |before: ProgramPart, after: ProgramPart| report.changes.push(ProgramChange::replaced(before, after));
        for (i, body) in reordered.rules {
            let before = program.rules[i].clone();
            program.rules[i].body = body;
            change(ProgramPart::Rule(before), ProgramPart::Rule(program.rules[i].clone()));
        }
        for (i, conditions) in reordered.transitions {
            let before = program.transitions[i].clone();
            program.transitions[i].conditions = conditions;
            change(ProgramPart::Transition(before), ProgramPart::Transition(program.transitions[i].clone()));
        }
        if let (Some(goal), Some(body)) = (&mut work.goal, reordered.goal) {
            let before = goal.clone();
            goal.body = body;
            change(ProgramPart::Goal(before), ProgramPart::Goal(goal.clone()));
        }
        Ok(report)
    }
}

/// New bodies, by number of rule and of transition, and for the goal.
#[derive(Default)]
pub struct Reordered {
    /// The rules that change.
    pub rules: Vec<(usize, Body)>,
    /// The transition rules whose conditions change.
    pub transitions: Vec<(usize, Body)>,
    /// The goal, if it changes.
    pub goal: Option<Body>,
}

/// Finds the best order of every body. The model prices the new orders afterwards.
///
/// # Errors
///
/// The reason, when the model's budget ends first.
pub fn reorder(stratified: &StratifiedProgram, goal: Option<&Goal>, model: &mut Model) -> Result<Reordered, Stopped> {
    let program = &stratified.program;
    let mut numbers: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
    for (i, rule) in program.rules.iter().enumerate() {
        numbers.entry(rule.head.signature()).or_default().push(i);
    }
    let mut bodies: Vec<Body> = program.rules.iter().map(|rule| rule.body.clone()).collect();
    let mut transitions: Vec<Body> = program.transitions.iter().map(|t| t.conditions.clone()).collect();
    let mut goal_body = goal.map(|goal| goal.body.clone());
    let mut last_patterns = None;
    for _ in 0..ROUNDS {
        let patterns = call_patterns(stratified, &bodies, &transitions, goal_body.as_deref(), &numbers, model);
        if last_patterns.as_ref() == Some(&patterns) {
            break;
        }
        for predicate in stratified.strata.iter().flatten() {
            for (k, &i) in numbers.get(predicate).into_iter().flatten().enumerate() {
                let rule = &program.rules[i];
                if let Some(body) = best_rule(rule, patterns.get(predicate), model)? {
                    model.improve(predicate, k, body.clone());
                    bodies[i] = body;
                }
            }
        }
        let events = event_predicates(stratified, model);
        for (transition, body) in program.transitions.iter().zip(&mut transitions) {
            if let Some(better) = best_transition(transition, &events, model)? {
                *body = better;
            }
        }
        if let Some(goal) = goal {
            let variables = ClauseVariables::of_goal(&goal.body);
            let nothing = FixedBitSet::with_capacity(variables.count());
            let better = best_body(&variables, &goal.body, vec![(nothing, 1.0)], None, model)?;
            goal_body = Some(better.unwrap_or_else(|| goal.body.clone()));
        }
        last_patterns = Some(patterns);
    }
    let changed = |new: Vec<Body>, old: Vec<&Body>| {
        new.into_iter().enumerate().filter(|(i, body)| body != old[*i]).collect::<Vec<_>>()
    };
    Ok(Reordered {
        rules: changed(bodies, program.rules.iter().map(|rule| &rule.body).collect()),
        transitions: changed(transitions, program.transitions.iter().map(|t| &t.conditions).collect()),
        goal: goal_body.filter(|body| goal.is_some_and(|goal| goal.body != *body)),
    })
}

/// The binding patterns in which each predicate is called; nothing for an engine that makes no calls.
fn call_patterns(
    stratified: &StratifiedProgram,
    bodies: &[Body],
    transitions: &[Body],
    goal: Option<&[Literal]>,
    numbers: &FxHashMap<Predicate, Vec<usize>>,
    model: &Model,
) -> FxHashMap<Predicate, BTreeSet<BoundColumns>> {
    let mut patterns: FxHashMap<Predicate, BTreeSet<BoundColumns>> = FxHashMap::default();
    if !model.cost_model.calls {
        return patterns;
    }
    let mut open: Vec<(Predicate, BoundColumns)> = Vec::new();
    let calls = |body: &[Literal], variables: &ClauseVariables, mut bound: FixedBitSet, open: &mut Vec<_>| {
        for literal in body {
            if let Literal::Aggregate(aggregation) = literal {
                open.push((aggregation.atom.signature(), cost::leading(aggregation.bound)));
            } else if let Some(atom) = literal.atom() {
                let pattern = cost::call_pattern(atom, |name| bound.contains(variables.index(name)));
                open.push((atom.signature(), pattern));
            }
            literal.for_each_variable(&mut |name| bound.insert(variables.index(name)));
        }
    };
    for body in goal.into_iter().chain(transitions.iter().map(|body| &body[..])) {
        let variables = ClauseVariables::of_goal(body);
        let nothing = FixedBitSet::with_capacity(variables.count());
        calls(body, &variables, nothing, &mut open);
    }
    if goal.is_none() {
        let called = bodies.iter().flatten().filter_map(Literal::atom).map(Atom::signature);
        let called: FxHashSet<Predicate> = called.collect();
        let roots = stratified.strata.iter().flatten().filter(|predicate| !called.contains(predicate));
        open.extend(roots.map(|root| (root.clone(), 0)));
    }
    while let Some((predicate, pattern)) = open.pop() {
        let Some(rules) = numbers.get(&predicate) else { continue };
        if !patterns.entry(predicate).or_default().insert(pattern) {
            continue;
        }
        for &i in rules {
            let head = &stratified.program.rules[i].head;
            let variables = ClauseVariables::of(&head.args, &bodies[i]);
            let bound = cost::bound_by_head(&variables, &head.args, pattern);
            calls(&bodies[i], &variables, bound, &mut open);
        }
    }
    patterns
}

/// A better body for a rule that is called in these patterns.
///
/// # Errors
///
/// The reason, when the model's budget ends first.
pub fn best_rule(
    rule: &Clause,
    patterns: Option<&BTreeSet<BoundColumns>>,
    model: &Model,
) -> Result<Option<Body>, Stopped> {
    let variables = ClauseVariables::of(&rule.head.args, &rule.body);
    let mut scenarios: Vec<(FixedBitSet, f64)> = Vec::new();
    for &pattern in patterns.into_iter().flatten().filter(|&&pattern| pattern != 0) {
        scenarios.push((cost::bound_by_head(&variables, &rule.head.args, pattern), 1.0));
    }
    let free_is_called = scenarios.is_empty() || patterns.is_some_and(|patterns| patterns.contains(&0));
    scenarios.push((FixedBitSet::with_capacity(variables.count()), if free_is_called { 1.0 } else { FREE_WEIGHT }));
    let signature = rule.head.signature();
    let is_delta = |literal: &Literal| matches!(literal, Literal::Positive(atom) if model.are_mutual(&atom.signature(), &signature));
    let first = model.cost_model.rounds.then(|| rule.body.iter().position(is_delta)).flatten();
    best_body(&variables, &rule.body, scenarios, first, model)
}

/// Predicates that only events can make true.
fn event_predicates(stratified: &StratifiedProgram, model: &Model) -> FxHashSet<Predicate> {
    let program = &stratified.program;
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    let changed: FxHashSet<Predicate> =
        effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature()).collect();
    let conditions = program.transitions.iter().flat_map(|t| t.conditions.iter().filter_map(Literal::atom));
    let predicates = conditions.map(Atom::signature);
    predicates.filter(|p| !changed.contains(p) && model.statistics.is_unheard_of(p)).collect()
}

fn best_transition(
    transition: &TransitionClause,
    events: &FxHashSet<Predicate>,
    model: &Model,
) -> Result<Option<Body>, Stopped> {
    let variables = ClauseVariables::of_goal(&transition.conditions);
    let is_event = |literal: &Literal| matches!(literal, Literal::Positive(atom) if events.contains(&atom.signature()));
    let event = transition.conditions.iter().position(is_event);
    // An event is one fact: with it in front, its variables are as good as bound.
    let mut bound = FixedBitSet::with_capacity(variables.count());
    if let Some(i) = event {
        transition.conditions[i].for_each_variable(&mut |name| bound.insert(variables.index(name)));
    }
    best_body(&variables, &transition.conditions, vec![(bound, 1.0)], event, model)
}

/// A better order of a body with these variables bound before it, each scenario with its weight; `None` when the
/// author's is as good. `first` is the literal that must come first.
///
/// # Errors
///
/// The reason, when the model's budget ends first.
pub fn best_body(
    variables: &ClauseVariables,
    body: &[Literal],
    scenarios: Vec<(FixedBitSet, f64)>,
    first: Option<usize>,
    model: &Model,
) -> Result<Option<Body>, Stopped> {
    if body.len() < 2 || body.len() > LONGEST {
        return Ok(None);
    }
    let literals = model.price(variables, body)?;
    let is_barrier = |literal: &Literal| {
        model.cost_model.calls && literal.atom().is_some_and(|atom| model.is_recursive(&atom.signature()))
    };
    let barriers = body.iter().map(is_barrier).collect();
    let search = OrderSearch { model, literals, barriers, variables };
    let start = search.start(scenarios);
    let author = (0..body.len()).try_fold(start.clone(), |state, i| search.place(state, i))?;
    let begin = start.clone();
    let best = search.run(start, first)?;
    let forced = first.is_some_and(|first| first != 0);
    let reads_lattice =
        || body.iter().filter_map(Literal::atom).any(|atom| model.statistics.is_lattice(&atom.signature()));
    let is_close = !forced && best.cost() > author.cost() * MUCH_BETTER;
    let best = if is_close && reads_lattice() { search.written(begin)? } else { best };
    let better = if forced { best.order != author.order } else { best.cost() < author.cost() * BETTER };
    Ok(better.then(|| sums::in_order(variables, body, &best.order)))
}

struct OrderSearch<'m, 'p> {
    model: &'m Model<'p>,
    variables: &'m ClauseVariables<'m>,
    literals: Vec<Priced>,
    /// Literals that stay behind all that the author put before them.
    barriers: Vec<bool>,
}

/// A prefix of an order.
#[derive(Clone)]
struct OrderPrefix {
    order: Vec<usize>,
    placed: FixedBitSet,
    /// Variables bound by the prefix itself.
    safe: FixedBitSet,
    scenarios: Vec<Scenario>,
}

#[derive(Clone)]
struct Scenario {
    bound: FixedBitSet,
    work: ExpectedWork,
    weight: f64,
}

impl OrderPrefix {
    fn cost(&self) -> f64 {
        self.scenarios.iter().map(|scenario| scenario.weight * scenario.work.cost()).sum()
    }
}

impl OrderSearch<'_, '_> {
    fn start(&self, scenarios: Vec<(FixedBitSet, f64)>) -> OrderPrefix {
        let scenarios = scenarios.into_iter().map(|(bound, weight)| {
            let work = ExpectedWork::new(self.has_head(&bound));
            Scenario { bound, work, weight }
        });
        OrderPrefix {
            order: Vec::with_capacity(self.literals.len()),
            placed: FixedBitSet::with_capacity(self.literals.len()),
            safe: FixedBitSet::with_capacity(self.variables.count()),
            scenarios: scenarios.collect(),
        }
    }

    fn has_head(&self, bound: &FixedBitSet) -> bool {
        self.model.cost_model.proves_once && self.variables.has_head(bound)
    }

    fn place(&self, mut state: OrderPrefix, i: usize) -> Result<OrderPrefix, Stopped> {
        self.model.budget().check()?;
        let literal = &self.literals[i];
        for scenario in &mut state.scenarios {
            scenario.work.prepare(self.model.index_cost(literal, &scenario.bound));
            let entry = self.model.enter(literal, &scenario.bound, &state.placed, 0)?;
            scenario.bound.union_with(&literal.shape.variables);
            scenario.work.enter(entry, self.has_head(&scenario.bound));
        }
        state.safe.union_with(&literal.shape.variables);
        state.placed.insert(i);
        state.order.push(i);
        Ok(state)
    }

    fn is_ready(&self, state: &OrderPrefix, i: usize) -> bool {
        !state.placed.contains(i)
            && self.literals[i].shape.is_ready_or_solved(&state.safe)
            && !(self.barriers[i] && (0..i).any(|j| !state.placed.contains(j)))
    }

    /// Places what only filters or computes: tests first, then lookups with everything bound.
    fn place_filters(&self, mut state: OrderPrefix) -> Result<OrderPrefix, Stopped> {
        loop {
            let is_filter = |i: usize, test: bool| {
                let literal = &self.literals[i];
                let binds_nothing = || literal.shape.variables.is_subset(&state.safe);
                !state.placed.contains(i)
                    && literal.is_test() == test
                    && literal.is_cheap()
                    && (test || binds_nothing())
                    && self.is_ready(&state, i)
            };
            let all = || 0..self.literals.len();
            match all().find(|&i| is_filter(i, true)).or_else(|| all().find(|&i| is_filter(i, false))) {
                Some(i) => state = self.place(state, i)?,
                None => return Ok(state),
            }
        }
    }

    /// The order of the author, but that filters come as soon as they can.
    fn written(&self, start: OrderPrefix) -> Result<OrderPrefix, Stopped> {
        let start = self.place_filters(start)?;
        (0..self.literals.len()).try_fold(start, |state, i| {
            if state.placed.contains(i) { Ok(state) } else { self.place_filters(self.place(state, i)?) }
        })
    }

    fn run(&self, start: OrderPrefix, first: Option<usize>) -> Result<OrderPrefix, Stopped> {
        let count = self.literals.len();
        let generators = self.literals.iter().filter(|literal| !literal.is_test()).count();
        let width = if generators <= 10 { BEAM } else { (2 * EFFORT / (generators * generators)).clamp(1, BEAM) };
        let start = match first {
            Some(i) if self.is_ready(&start, i) => self.place(start, i)?,
            _ => start,
        };
        let mut beam = vec![self.place_filters(start)?];
        let mut best: Option<OrderPrefix> = None;
        while !beam.is_empty() {
            let mut next: Vec<OrderPrefix> = Vec::new();
            let mut known: FxHashMap<FixedBitSet, usize> = FxHashMap::default();
            for state in beam {
                if state.order.len() == count {
                    if best.as_ref().is_none_or(|best| state.cost() < best.cost()) {
                        best = Some(state);
                    }
                    continue;
                }
                for i in self.candidates(&state) {
                    let after = self.place_filters(self.place(state.clone(), i)?)?;
                    match known.get(&after.placed) {
                        Some(&k) if next[k].cost() <= after.cost() => {}
                        Some(&k) => next[k] = after,
                        None => {
                            known.insert(after.placed.clone(), next.len());
                            next.push(after);
                        }
                    }
                }
            }
            if next.len() > width {
                let promise = |state: &OrderPrefix| {
                    let open = (count - state.order.len()) as f64;
                    state.cost() + open * state.scenarios.iter().map(|s| s.weight * s.work.bindings).sum::<f64>()
                };
                next.cold_sort_by(|a, b| promise(a).total_cmp(&promise(b)));
                next.truncate(width);
            }
            beam = next;
        }
        Ok(best.expect("every prefix grows until it is complete"))
    }

    /// The literals to try next: those that share a variable with the prefix, if there are any.
    fn candidates(&self, state: &OrderPrefix) -> Vec<usize> {
        let ready: Vec<usize> = (0..self.literals.len()).filter(|&i| self.is_ready(state, i)).collect();
        let is_connected = |&i: &usize| {
            let variables = &self.literals[i].shape.variables;
            variables.is_clear() || state.scenarios.iter().any(|scenario| !variables.is_disjoint(&scenario.bound))
        };
        let connected: Vec<usize> = ready.iter().copied().filter(is_connected).collect();
        match (connected.is_empty(), ready.is_empty()) {
            (false, _) => connected,
            (true, false) => ready,
            // An order that the analysis found safe by more than this room knows of: go on as the author did.
            (true, true) => (0..self.literals.len()).find(|&i| !state.placed.contains(i)).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::CostModel;
    use crate::optimize::Inputs;
    use crate::optimize::testing::{BOTTOM_UP, TOP_DOWN, program, program_and_goal, text};
    use ludolog_syntax::budget::Budget;

    /// The first rule as reordered for an engine; the text's query is the goal.
    fn reordered(source: &str, cost_model: CostModel) -> String {
        let (mut stratified, goal) = if source.contains("?-") {
            let (stratified, goal) = program_and_goal(source);
            (stratified, Some(goal))
        } else {
            (program(source), None)
        };
        let inputs = Inputs::of(&stratified);
        let budget = Budget::unlimited();
        let mut model = Model::new(&stratified, &inputs, cost_model, &budget).unwrap();
        let new = reorder(&stratified, goal.as_ref(), &mut model).unwrap();
        for (i, body) in new.rules {
            stratified.program.rules[i].body = body;
        }
        text(&stratified.program.rules[..1]).remove(0)
    }

    #[test]
    fn a_head_that_is_bound_first_is_proved_once() {
        // By sizes, each of 20² heads has 50 · 1/2 proofs, and each of 20 · 50 rows 10 partners.
        let facts: String = (0..1000).map(|i| format!("has({}, {}). ", i / 50 + 1, i % 50 * 2 + i / 50 % 2)).collect();
        let rule = format!("r(X, Y) :- a(X) & a(Y) & has(X, Z) & has(Y, Z). {} {facts}", numbers("a", 20));
        assert_eq!(reordered(&rule, BOTTOM_UP), "r(X, Y) :- a(X) & a(Y) & has(X, Z) & has(Y, Z).");
        let all_proofs = CostModel { proves_once: false, ..BOTTOM_UP };
        assert_eq!(reordered(&rule, all_proofs), "r(X, Y) :- a(X) & has(X, Z) & has(Y, Z) & a(Y).");
    }

    fn numbers(predicate: &str, count: usize) -> String {
        (1..=count).map(|i| format!("{predicate}({i}). ")).collect()
    }

    #[test]
    fn the_papers_example() {
        // q is small, r has many rows for each X: q filters before r multiplies.
        let facts: String = (0..400).map(|i| format!("r({}, {}). ", i % 20, i / 20)).collect();
        let rule = format!("s(X, Y) :- p(X) & r(X, Y) & q(X). {} {} {facts}", numbers("p", 20), numbers("q", 20));
        for cost_model in [BOTTOM_UP, TOP_DOWN] {
            assert_eq!(reordered(&rule, cost_model), "s(X, Y) :- p(X) & q(X) & r(X, Y).");
        }
    }

    /// A grid of 1,000 nodes with two ways on from each; distances from 10 of them. There is one for each source and node, however many the
    /// lattice may be given, so neither order is much less work, and rows come by their sources.
    #[test]
    fn a_lattice_has_no_more_rows_than_keys() {
        let ways: String =
            (0..1000).map(|i| format!("e({i}, {}). e({i}, {}). ", (i + 1) % 1000, (i + 32) % 1000)).collect();
        let source = format!(
            "ps(S, X, Y) :- d(S, X, C) & e(X, Y) & d(S, Y, D) & D =:= C + 1.
            d(S, S, min 0) :- src(S). d(S, Y, min D) :- d(S, X, C) & e(X, Y) & D is C + 1. {} {ways}",
            numbers("src", 10)
        );
        assert_eq!(reordered(&source, BOTTOM_UP), "ps(S, X, Y) :- d(S, X, C) & e(X, Y) & d(S, Y, D) & D =:= C + 1.");
        let stratified = program(&source);
        let inputs = Inputs::of(&stratified);
        let budget = Budget::unlimited();
        let rows = |name: &str| {
            let model = Model::new(&stratified, &inputs, BOTTOM_UP, &budget).unwrap();
            model.statistics.rows(&Predicate::new(name, 3))
        };
        assert!((1000.0..=10_010.0).contains(&rows("d")), "{}", rows("d"));
    }

    #[test]
    fn arithmetic_binds_before_a_scan() {
        let rule = format!("next(X, Y) :- cell(X) & cell(Y) & Y is X + 1 & ~edge(X). {} edge(9).", numbers("cell", 81));
        assert_eq!(reordered(&rule, BOTTOM_UP), "next(X, Y) :- cell(X) & Y is X + 1 & cell(Y) & ~edge(X).");
    }

    #[test]
    fn a_sum_is_solved_before_a_scan() {
        let rule = format!("next(X, Y) :- cell(X) & Y is X + 1 & edge(Y). {} edge(9).", numbers("cell", 81));
        assert_eq!(reordered(&rule, BOTTOM_UP), "next(X, Y) :- edge(Y) & X is Y - 1 & cell(X).");
    }

    #[test]
    fn resolution_asks_with_the_callers_bindings() {
        // Called with the second column bound, big/2 is entered from there.
        let facts: String = (0..300).map(|i| format!("e({i}, {}). f({}, {i}). ", i % 100, i % 100)).collect();
        let rule = format!("path(X, Z) :- e(X, Y) & f(Y, Z). {facts} ?- path(X, 7).");
        assert_eq!(reordered(&rule, TOP_DOWN), "path(X, Z) :- f(Y, Z) & e(X, Y).");
    }

    #[test]
    fn recursion_comes_first_bottom_up_and_stays_behind_its_guards_top_down() {
        let rule = "path(X, Z) :- e(X, Y) & path(Y, Z). path(X, Y) :- e(X, Y). e(1, 2). e(2, 3).";
        assert_eq!(reordered(rule, BOTTOM_UP), "path(X, Z) :- path(Y, Z) & e(X, Y).");
        assert_eq!(reordered(rule, TOP_DOWN), "path(X, Z) :- e(X, Y) & path(Y, Z).");
    }

    #[test]
    fn the_power_set_interleaves() {
        // A 3×3 board with adjacency and lines as facts.
        let mut facts = String::new();
        for x in 1..=9_i32 {
            let column = (x - 1) % 3;
            let row = (x - 1) / 3;
            facts += &format!("line(red, {x}, {}). line(blue, {x}, {}). stone(red, {x}). ", row + 1, column + 1);
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)] {
                if (0..3).contains(&(column + dx)) && (0..3).contains(&(row + dy)) {
                    facts += &format!("adjacent({x}, {}). ", x + dx + 3 * dy);
                }
            }
        }
        let rule = "win(P) :- stone(P, A) & stone(P, B) & stone(P, C) & line(P, A, 1) & line(P, B, 2) & line(P, C, 3) & adjacent(A, B) & adjacent(B, C). ";
        let better = reordered(&(rule.to_owned() + &facts), BOTTOM_UP);
        let first_of = |text: &str| better.find(text).expect(text);
        // Cell by cell: all about one stone stands before anything about the one after the next.
        assert!(first_of("line(P, A, 1)") < first_of("stone(P, B)"), "{better}");
        assert!(first_of("adjacent(A, B)") < first_of("adjacent(B, C)"), "{better}");
        assert!(first_of("line(P, B, 2)") < first_of("stone(P, C)"), "{better}");
    }

    #[test]
    fn a_body_of_a_thousand_literals_is_ordered_at_once() {
        let chain: Vec<String> = (0..100).map(|i| format!("p(X{i}, X{})", i + 1)).collect();
        let tests: Vec<String> = (0..900).map(|i| format!("X{} != X{}", i % 100, (i * 7 + 1) % 101)).collect();
        let rule = format!("r(X0) :- {} & {}. p(1, 2). p(2, 3).", chain.join(" & "), tests.join(" & "));
        assert!(reordered(&rule, BOTTOM_UP).starts_with("r(X0) :-\n    p("));
    }
}
