//! *Demand*: derives only facts that the goal asks for (magic sets).
//!
//! The goal's constants, and the bindings that one subgoal hands to the next, are followed through the rules (F.
//! Bancilhon, D. Maier, Y. Sagiv, J. Ullman, *Magic sets and other strange ways to implement logic programs*, PODS
//! 1986; C. Beeri, R. Ramakrishnan, *On the power of magic*, 1991). A predicate called with its first column bound
//! becomes `p@bf`, and its rules start from what is demanded of it:
//!
//! ```text
//! p@bf(X, Z) :- demand@p@bf(X) & e(X, Y) & p@bf(Y, Z).
//! demand@p@bf(Y) :- demand@p@bf(X) & e(X, Y).
//! demand@p@bf(a).                                              % the goal p(a, Z)
//! ```
//!
//! Bindings are handed on from left to right, in the order that the cost model finds best for a rule entered with these
//! bindings. Where that hands on too much ([`HandedOn::Sideways`] makes `reach@bb` from `reach(P, C) & last(P, C)`, and
//! goes back from the last line before it goes forth), it can be held to the goal's own constants
//! ([`HandedOn::FromHead`]).
//!
//! Kept whole, under their own names, are predicates that
//!
//! * stand under a negation (unless [`Negated::Demanded`]) or in a transition's conditions, with all they depend on: so no
//!   new negative cycle can arise (it is checked all the same). An aggregate asks for the tuples of its group, where that makes no
//!   negative cycle;
//! * the caller wants whole (those run as a closure, say), with all they depend on;
//! * are called with nothing bound. Their rules still hand on bindings to others.
//!
//! If a recursion would hand on a term that it builds or computes, demands might never end: the program stays as it is.
//!
//! A call that binds more than another call of the same predicate uses the other's version. Facts of a predicate with
//! rules, given or still to come, are read through `p@bf(X, Y) :- demand@p@bf(X) & p(X, Y).`

use super::binding;
use super::change::{ProgramChange, ProgramPart};
use super::cost::{self, BoundColumns, Model, bound_by_head};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::prune::relevant;
use super::reorder::{Reordering, best_body};
use super::statistics::{RecursionDepth, are_plain};
use crate::analysis::body::Body;
use crate::analysis::clause::{CheckedProgram, Clause, Goal, Literal, StratifiedProgram};
use crate::analysis::restratify;
use binding::ClauseVariables;
use ludolog_syntax::ast::{Atom, Comparator, Name, Predicate, PredicateName, Purpose, Term, pattern_text};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::Span;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most patterns of one predicate that get versions of their own; with more, it is kept whole.
const MOST_PATTERNS: usize = 4;

/// The share of the cost that must be left before bindings are handed on sideways. It must promise a multiple, because
/// what recursion demands is hard to foresee.
const SIDEWAYS_GAIN: f64 = 0.1;

/// The share of the cost that must be left where recursion goes far: a quarter less is worth a bet.
const FAR_GAIN: f64 = 0.75;

/// The pass. It pays when the program for the goal is expected to cost less than before. It closes the predicates that
/// it makes, and those of which only rules are read.
pub struct Demand;

impl Pass for Demand {
    fn name(&self) -> &'static str {
        "demand"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        run(work, HandedOn::Sideways, context)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        if context.cost_model.calls || work.goal.is_none() {
            return Ok(None);
        }
        let mut tried: Vec<(PassProgram, PassReport, f64)> = Vec::new();
        for (handed_on, gain) in [(HandedOn::FromHead, 1.0), (HandedOn::Sideways, SIDEWAYS_GAIN)] {
            let mut changed = work.clone();
            let report = run(&mut changed, handed_on, context)?;
            if !report.changes.is_empty() {
                tried.push((changed, report, gain));
            }
        }
        if tried.is_empty() {
            return Ok(None);
        }
        // All are compared as they will run.
        let reordered = |work: &PassProgram| {
            let mut work = work.clone();
            Reordering.run(&mut work, context).map(|_| work)
        };
        let before = reordered(work)?;
        let mut best = None;
        let mut least = before.cost(context)?;
        let mut declined = None;
        for (changed, report, gain) in tried {
            let after = reordered(&changed)?;
            let cost = after.cost(context)?;
            if cost < gain * least {
                (best, least) = (Some((changed, report, after)), cost);
            } else {
                declined = Some((report, after));
            }
        }
        if let Some((changed, report, after)) = best {
            // A demand may follow a path to its end.
            let far = |work: &PassProgram| work.cost_reaching(RecursionDepth::Far, context);
            if far(&after)? < FAR_GAIN * far(&before)? {
                *work = changed;
                return Ok(Some(report));
            }
            // Where two may pay, the one that binds more saves more if it does.
            declined.get_or_insert((report, after));
        }
        Ok(declined.map(|(report, after)| PassReport { declined: Some(Box::new(after)), ..report }))
    }
}

fn run(work: &mut PassProgram, handed_on: HandedOn, context: &PassContext) -> Result<PassReport, Stopped> {
    let mut report = PassReport::default();
    let Some(goal) = &work.goal else { return Ok(report.note("without a goal, everything is demanded")) };
    if context.cost_model.calls {
        return Ok(report.note(&format!("{} derives only what is asked for as it is", context.cost_model.name)));
    }
    let stratified = &work.program.stratified;
    let model = Model::new(stratified, context.inputs, context.cost_model, context.budget)?;
    let may_grow = |predicate: &Predicate| context.inputs.predicates.contains(predicate);
    let whole: Vec<Predicate> = work.program.closures.iter().map(|closure| closure.predicate.clone()).collect();
    let negated = Negated::Whole;
    let reorder = context.reorders;
    let grouped = DemandSettings { whole: &whole, may_grow: &may_grow, handed_on, negated, groups: true, reorder };
    let demanded = match demand(stratified, goal, &grouped, &model)? {
        None => demand(stratified, goal, &DemandSettings { groups: false, ..grouped }, &model)?,
        demanded => demanded,
    };
    let Some(demanded) = demanded else {
        return Ok(report.note("the goal binds nothing that a rule could use"));
    };
    for (predicate, pattern) in &demanded.versions {
        report.notes.push(format!("`{}` is called as {}", predicate, pattern_text(*pattern, predicate.arity)));
    }
    let old = &stratified.program;
    let new = &demanded.stratified.program;
    let before = differing(&old.rules, &new.rules);
    let after = differing(&new.rules, &old.rules);
    report.changes.push(ProgramChange {
        before: ProgramPart::rules(before),
        after: ProgramPart::rules(after),
        reason: None,
    });
    report
        .changes
        .push(ProgramChange::replaced(ProgramPart::Goal(goal.clone()), ProgramPart::Goal(demanded.goal.clone())));
    work.program.stratified = demanded.stratified;
    work.program.closed.extend(demanded.closed);
    work.goal = Some(demanded.goal);
    Ok(report)
}

/// The rules of one list that are not in the other.
fn differing(rules: &[Clause], others: &[Clause]) -> Vec<Clause> {
    let others: FxHashSet<(&Atom, &[Literal])> = others.iter().map(|rule| (&rule.head, &rule.body[..])).collect();
    rules.iter().filter(|rule| !others.contains(&(&rule.head, &rule.body[..]))).cloned().collect()
}

/// The program rewritten for one goal.
pub struct Demanded {
    /// The rewritten program.
    pub stratified: StratifiedProgram,
    /// The goal to ask instead.
    pub goal: Goal,
    /// The versions made, in order of discovery.
    pub versions: Vec<(Predicate, BoundColumns)>,
    /// Predicates of which later facts would not be read: those made here, and those whose versions read only rules.
    pub closed: Vec<Predicate>,
}

/// Which bindings are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedOn {
    /// The goal's constants, from head to subgoal.
    FromHead,
    /// Those and what the subgoals before have bound.
    Sideways,
}

/// The treatment of predicates that stand under a negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negated {
    /// They are kept whole: the result is stratified.
    Whole,
    /// They are demanded as all others. Demands then leave out negative literals, which makes them wider, and the
    /// result is stratified as a rule, though not always.
    Demanded,
}

/// The choices that a rewriting leaves open.
pub struct DemandSettings<'a> {
    /// Predicates to be kept whole, with all they depend on.
    pub whole: &'a [Predicate],
    /// Whether a predicate with rules may get facts besides.
    pub may_grow: &'a dyn Fn(&Predicate) -> bool,
    /// Which bindings are handed on.
    pub handed_on: HandedOn,
    /// Which predicates under a negation are demanded.
    pub negated: Negated,
    /// Whether aggregates demand the tuples of their groups; else these are kept whole.
    pub groups: bool,
    /// Whether the rules choose the order of handing on.
    pub reorder: bool,
}

/// Rewrites the program for the goal; `None` when nothing bound reaches a predicate with rules, or when the result
/// would not be stratified.
///
/// # Errors
///
/// The reason, when the model's budget ends first.
pub fn demand(
    stratified: &StratifiedProgram,
    goal: &Goal,
    settings: &DemandSettings,
    model: &Model,
) -> Result<Option<Demanded>, Stopped> {
    let program = &stratified.program;
    let by_head = program.rules_by_head();
    let whole = kept_whole(stratified, goal, settings);
    let mut calls =
        CallPatterns { whole: &whole, by_head: &by_head, full: FxHashSet::default(), patterns: FxHashMap::default() };
    let mut adorned = loop {
        let (adorned, stable) =
            Adorner { settings, model, calls: &mut calls, adorned: Adorned::default(), demands: FxHashSet::default() }
                .run(goal)?;
        if stable {
            break adorned;
        }
    };
    if adorned.versions.is_empty() || adorned.builds_terms {
        return Ok(None);
    }
    let mut given_rules = Vec::new();
    let mut closed = Vec::new();
    let has_facts: FxHashSet<Predicate> = program.facts.iter().map(Atom::signature).collect();
    for (predicate, pattern) in &adorned.versions {
        if has_facts.contains(predicate) || (settings.may_grow)(predicate) {
            let columns: Vec<Term> = (0..predicate.arity).map(|i| Term::variable(&format!("c{i}"))).collect();
            let given = Atom::new(&predicate.name, columns);
            let body = vec![Literal::Positive(demand_for(&given, *pattern)), Literal::Positive(given.clone())].into();
            given_rules.push(Clause { head: version_of(&given, *pattern), body, span: Span::NONE });
        } else {
            closed.push(predicate.clone());
        }
    }
    adorned.rules.splice(0..0, given_rules);
    let adorned = adorned.with_copies_merged();
    let mut rules = Vec::new();
    let mut facts = program.facts.clone();
    for rule in adorned.rules {
        if !by_head.contains_key(&rule.head.signature()) {
            closed.push(rule.head.signature());
        }
        if rule.body.is_empty() { facts.push(rule.head) } else { rules.push(rule) }
    }
    rules.extend(program.rules.iter().filter(|rule| whole.contains(&rule.head.signature())).cloned());
    let rewritten = CheckedProgram {
        facts,
        rules,
        transitions: program.transitions.clone(),
        queries: program.queries.clone(),
        constraints: program.constraints.clone(),
        three_valued: program.three_valued.clone(),
        lattices: program.lattices.clone(),
        choices: program.choices.clone(),
        types: program.types.clone(),
    };
    let goal = Goal { body: adorned.goal, ..goal.clone() };
    model.budget().check()?;
    let stratified = restratify(rewritten);
    model.budget().check()?;
    Ok(stratified.map(|stratified| Demanded { stratified, goal, versions: adorned.versions, closed }))
}

/// The predicates that must be derived as a whole: those under negations, in transitions, read by what derives without
/// rules, [selective](StratifiedProgram::selective), or wanted whole, and all that these depend on.
fn kept_whole(stratified: &StratifiedProgram, goal: &Goal, settings: &DemandSettings) -> FxHashSet<Predicate> {
    let program = &stratified.program;
    let is_whole = |literal: &&Literal| match literal {
        Literal::Aggregate(_) => !settings.groups,
        _ => settings.negated == Negated::Whole && literal.needs_all(),
    };
    let bodies = program.rules.iter().flat_map(|rule| &rule.body).chain(&goal.body);
    let negated = bodies.filter(is_whole).filter_map(Literal::atom).map(Atom::signature);
    let conditions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    let conditions = conditions.filter_map(Literal::atom).map(Atom::signature);
    let read = program.three_valued.derivations().flat_map(|(_, read)| read);
    let mut selective = stratified.selective();
    if !selective.is_empty() {
        let relevant = relevant(program, goal);
        selective.retain(|predicate| relevant.contains(predicate));
    }
    let wanted = settings.whole.iter().cloned();
    program.with_dependencies(negated.chain(conditions).chain(read).chain(selective).chain(wanted))
}

/// The patterns in which predicates are called, as far as is known.
struct CallPatterns<'a> {
    by_head: &'a FxHashMap<Predicate, Vec<&'a Clause>>,
    whole: &'a FxHashSet<Predicate>,
    /// Predicates that are called with nothing bound.
    full: FxHashSet<Predicate>,
    /// The patterns of all others, none of them binding all that another binds.
    patterns: FxHashMap<Predicate, Vec<BoundColumns>>,
}

impl CallPatterns<'_> {
    /// The version that a call uses; none for a predicate that is read under its own name. The second value is whether
    /// this call takes back what was decided before.
    fn version(&mut self, predicate: &Predicate, pattern: BoundColumns) -> (Option<BoundColumns>, bool) {
        if !self.by_head.contains_key(predicate) || self.whole.contains(predicate) || self.full.contains(predicate) {
            return (None, false);
        }
        let patterns = self.patterns.entry(predicate.clone()).or_default();
        if let Some(&wider) = patterns.iter().find(|&&wider| pattern != 0 && wider & pattern == wider) {
            return (Some(wider), false);
        }
        let before = patterns.len();
        patterns.retain(|&narrower| narrower & pattern != pattern);
        let replaced = patterns.len() < before;
        if pattern == 0 || patterns.len() == MOST_PATTERNS {
            patterns.clear();
            self.full.insert(predicate.clone());
            return (None, before > 0);
        }
        patterns.push(pattern);
        (Some(pattern), replaced)
    }
}

/// The result of following the bindings.
#[derive(Default)]
struct Adorned {
    goal: Body,
    versions: Vec<(Predicate, BoundColumns)>,
    /// The rules of versions, of demands, and of predicates that are called with nothing bound.
    rules: Vec<Clause>,
    /// Whether a recursion demands terms that it builds or computes.
    builds_terms: bool,
}

impl Adorned {
    /// Makes one demand of those that are copies of each other, as where two predicates hand on to each other what they
    /// are asked. They are the same set, which no estimate of their sizes would see.
    fn with_copies_merged(mut self) -> Self {
        let demands: Vec<PredicateName> =
            self.versions.iter().map(|(predicate, pattern)| demand_name(predicate.clone(), *pattern)).collect();
        let numbers: FxHashMap<&PredicateName, u32> = demands.iter().zip(0..).collect();
        let number = |atom: &Atom| numbers.get(&atom.predicate).copied();
        let copies = self.rules.iter().filter_map(|rule| match &rule.body[..] {
            [Literal::Positive(only)] if only.args == rule.head.args && are_plain(only.args.iter()) => {
                number(&rule.head).zip(number(only))
            }
            _ => None,
        });
        let graph: DiGraph<(), ()> = DiGraph::from_edges(copies);
        let mut merged: FxHashMap<PredicateName, PredicateName> = FxHashMap::default();
        for same in kosaraju_scc(&graph).iter().filter(|same| same.len() > 1) {
            let name = same.iter().min().map(|first| &demands[first.index()]);
            merged.extend(same.iter().filter_map(|other| Some((demands[other.index()].clone(), name?.clone()))));
        }
        let rename = |atom: &mut Atom| {
            if let Some(name) = merged.get(&atom.predicate) {
                atom.predicate = name.clone();
            }
        };
        for rule in &mut self.rules {
            rename(&mut rule.head);
            rule.body.change(|literal| {
                if let Literal::Positive(atom) = literal {
                    rename(atom);
                }
            });
        }
        let mut seen = FxHashSet::default();
        self.rules.retain(|rule| {
            !is_tautology(&rule.head, &rule.body) && seen.insert((rule.head.clone(), rule.body.clone()))
        });
        self
    }
}

struct Adorner<'a, 'c, 'p> {
    settings: &'a DemandSettings<'a>,
    model: &'a Model<'p>,
    calls: &'a mut CallPatterns<'c>,
    adorned: Adorned,
    /// The rules of demands made so far.
    demands: FxHashSet<(Atom, Body)>,
}

impl Adorner<'_, '_, '_> {
    /// Follows the bindings from the goal. The second value is whether no decision was taken back on the way.
    fn run(mut self, goal: &Goal) -> Result<(Adorned, bool), Stopped> {
        let mut stable = true;
        let mut open: Vec<(Predicate, BoundColumns)> = Vec::new();
        let mut seen: FxHashSet<(Predicate, BoundColumns)> = FxHashSet::default();
        self.adorned.goal = self.body(None, &[], &goal.body, 0, &mut open, &mut stable)?;
        while let Some((predicate, pattern)) = open.pop() {
            if !seen.insert((predicate.clone(), pattern)) {
                continue;
            }
            if pattern != 0 {
                self.adorned.versions.push((predicate.clone(), pattern));
            }
            for rule in self.calls.by_head.get(&predicate).cloned().into_iter().flatten() {
                let guard = (pattern != 0).then(|| demand_for(&rule.head, pattern));
                let body =
                    self.body(Some(&rule.head), guard.as_slice(), &rule.body, pattern, &mut open, &mut stable)?;
                let head = if pattern == 0 { rule.head.clone() } else { version_of(&rule.head, pattern) };
                self.adorned.rules.push(Clause { head, body, span: rule.span });
            }
        }
        Ok((self.adorned, stable))
    }

    /// Rewrites the body of a rule whose head is called in this pattern, with the demand in front, and adds the demands
    /// that it makes.
    fn body(
        &mut self,
        head: Option<&Atom>,
        guard: &[Atom],
        body: &[Literal],
        pattern: BoundColumns,
        open: &mut Vec<(Predicate, BoundColumns)>,
        stable: &mut bool,
    ) -> Result<Body, Stopped> {
        let head_args = head.map_or(&[][..], |head| &head.args);
        let variables = head.map_or_else(|| ClauseVariables::of_goal(body), |_| ClauseVariables::of(head_args, body));
        let mut bound = bound_by_head(&variables, head_args, pattern);
        let scenarios = vec![(bound.clone(), 1.0)];
        let ordered =
            if self.settings.reorder { best_body(&variables, body, scenarios, None, self.model)? } else { None };
        let mut rewritten: Vec<Literal> = guard.iter().cloned().map(Literal::Positive).collect();
        for literal in ordered.as_deref().unwrap_or(body) {
            self.model.budget().check()?;
            let mut literal = literal.clone();
            if let Some((atom, called)) = call(&mut literal, &|name| bound.contains(variables.index(name))) {
                let predicate = atom.signature();
                let (version, changed) = self.calls.version(&predicate, called);
                *stable &= !changed;
                match version {
                    Some(version) => {
                        let demand = demand_for(atom, version);
                        let recursive = head.is_some_and(|head| self.model.are_mutual(&head.signature(), &predicate));
                        self.adorned.builds_terms |= recursive && builds_terms(&demand, &rewritten);
                        // Without bindings from the side, the demand needs no more than the head's.
                        let sideways = self.settings.handed_on == HandedOn::Sideways;
                        self.add_demand(demand, if sideways { &rewritten } else { &rewritten[..guard.len()] });
                        *atom = version_of(atom, version);
                        open.push((predicate, version));
                    }
                    // Whole predicates are not followed: they keep their rules.
                    None if self.calls.full.contains(&predicate) => open.push((predicate, 0)),
                    None => {}
                }
            }
            if self.settings.handed_on == HandedOn::Sideways && !matches!(literal, Literal::Negative(_)) {
                literal.for_each_variable(&mut |name| bound.insert(variables.index(name)));
            }
            rewritten.push(literal);
        }
        Ok(rewritten.into())
    }

    fn add_demand(&mut self, head: Atom, body: &[Literal]) {
        let kept = |literal: &&Literal| self.settings.negated == Negated::Whole || !literal.needs_all();
        let body: Body = body.iter().filter(kept).cloned().collect();
        if !is_tautology(&head, &body) && self.demands.insert((head.clone(), body.clone())) {
            self.adorned.rules.push(Clause { head, body, span: Span::NONE });
        }
    }
}

/// The atom that a literal reads, and the columns that are bound when it does: of an aggregate those of its group.
fn call<'l>(literal: &'l mut Literal, is_bound: &dyn Fn(&Name) -> bool) -> Option<(&'l mut Atom, BoundColumns)> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            let called = cost::call_pattern(atom, is_bound);
            Some((atom, called))
        }
        Literal::Aggregate(aggregation) => {
            let group = Atom { args: aggregation.group().to_vec(), ..aggregation.atom.clone() };
            let called = cost::call_pattern(&group, is_bound);
            Some((&mut aggregation.atom, called))
        }
        Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } => None,
    }
}

/// Whether a rule says no more than that what holds holds.
fn is_tautology(head: &Atom, body: &[Literal]) -> bool {
    matches!(body, [Literal::Positive(only)] if only == head)
}

/// Whether a demand holds a term that is built or computed where it is made.
fn builds_terms(demand: &Atom, body: &[Literal]) -> bool {
    demand.args.iter().any(|arg| match arg {
        Term::Compound(..) => !arg.is_ground(),
        Term::Variable(_) => body.iter().any(|literal| match literal {
            Literal::Compare(comparison) if matches!(comparison.comparator, Comparator::Is | Comparator::Equal) => {
                comparison.left == *arg || comparison.right == *arg
            }
            _ => false,
        }),
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => false,
    })
}

/// `p@bf(X, Y)`
fn version_of(atom: &Atom, pattern: BoundColumns) -> Atom {
    Atom { predicate: Purpose::Demanded { of: atom.signature(), pattern }.into(), ..atom.clone() }
}

/// `demand@p@bf(X)`
fn demand_for(atom: &Atom, pattern: BoundColumns) -> Atom {
    let is_bound = |i: &usize| *i < 64 && pattern >> i & 1 == 1;
    let args = (0..atom.args.len()).filter(is_bound).map(|i| atom.args[i].clone()).collect();
    Atom { predicate: demand_name(atom.signature(), pattern), args, span: atom.span }
}

fn demand_name(of: Predicate, pattern: BoundColumns) -> PredicateName {
    Purpose::Demand { of, pattern }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Inputs;
    use crate::optimize::testing::{BOTTOM_UP, grounder, program_and_goal, text};
    use ludolog_syntax::budget::Budget;

    fn demanded(source: &str) -> Option<(Vec<String>, String)> {
        demanded_with(source, Negated::Whole, true)
    }

    fn demanded_with(source: &str, negated: Negated, groups: bool) -> Option<(Vec<String>, String)> {
        let (stratified, goal) = program_and_goal(source);
        let inputs = Inputs::of(&stratified);
        let budget = Budget::unlimited();
        let model = Model::new(&stratified, &inputs, BOTTOM_UP, &budget).unwrap();
        let settings = DemandSettings {
            whole: &[],
            may_grow: &|_| false,
            handed_on: HandedOn::Sideways,
            negated,
            groups,
            reorder: false,
        };
        let demanded = demand(&stratified, &goal, &settings, &model).unwrap()?;
        let program = demanded.stratified.program;
        let mut lines: Vec<String> = program
            .facts
            .iter()
            .map(|fact| {
                let rule = Clause { head: fact.clone(), body: Body::default(), span: Span::NONE };
                crate::optimize::text::clause(&rule)
            })
            .collect();
        lines.extend(text(&program.rules));
        Some((lines, crate::optimize::text::literal(&demanded.goal.body[0])))
    }

    #[test]
    fn left_recursion_demands_one_source() {
        let (lines, goal) =
            demanded("path(X, Y) :- e(X, Y). path(X, Z) :- path(X, Y) & e(Y, Z). ?- path(1, Z).").unwrap();
        assert_eq!(
            lines,
            [
                "'demand@path@bf'(1).",
                "'path@bf'(X, Y) :- 'demand@path@bf'(X) & e(X, Y).",
                "'path@bf'(X, Z) :- 'demand@path@bf'(X) & 'path@bf'(X, Y) & e(Y, Z).",
            ]
        );
        assert_eq!(goal, "'path@bf'(1, Z)");
    }

    #[test]
    fn right_recursion_demands_from_node_to_node() {
        let (lines, _) = demanded("path(X, Y) :- e(X, Y). path(X, Z) :- e(X, Y) & path(Y, Z). ?- path(1, Z).").unwrap();
        assert!(lines.contains(&"'demand@path@bf'(Y) :- 'demand@path@bf'(X) & e(X, Y).".to_owned()), "{lines:?}");
    }

    #[test]
    fn what_stands_under_a_negation_is_kept_whole() {
        let (lines, _) = demanded(
            "win(X) :- move(X, Y) & ~safe(Y). safe(X) :- guard(X, Y) & safe(Y). safe(X) :- home(X). ?- win(a).",
        )
        .unwrap();
        assert!(lines.contains(&"safe(X) :- guard(X, Y) & safe(Y).".to_owned()), "{lines:?}");
        assert!(lines.contains(&"'win@b'(X) :- 'demand@win@b'(X) & move(X, Y) & ~safe(Y).".to_owned()), "{lines:?}");
    }

    #[test]
    fn what_stands_under_a_negation_may_be_demanded() {
        let text = "win(X) :- move(X, Y) & ~safe(Y). safe(X) :- guard(X, Y) & safe(Y). safe(X) :- home(X). ?- win(a).";
        let (lines, _) = demanded_with(text, Negated::Demanded, false).unwrap();
        for line in [
            "'win@b'(X) :- 'demand@win@b'(X) & move(X, Y) & ~'safe@b'(Y).",
            "'demand@safe@b'(Y) :- 'demand@win@b'(X) & move(X, Y).",
            "'safe@b'(X) :- 'demand@safe@b'(X) & guard(X, Y) & 'safe@b'(Y).",
        ] {
            assert!(lines.contains(&line.to_owned()), "{line}: {lines:?}");
        }
        // Here the demand for what is negated comes out of the recursion that negates it.
        let text = "p(X) :- e(X, Y) & p(Y) & ~q(Y). p(X) :- b(X). q(X) :- c(X, Y) & q(Y). q(X) :- d(X). ?- p(a).";
        assert!(demanded_with(text, Negated::Demanded, false).is_none());
        assert!(demanded_with(text, Negated::Whole, false).is_some());
    }

    #[test]
    fn aggregates_demand_the_tuples_of_their_groups() {
        let text = "far(X, N) :- p(X) & N = count{ Y, W : path(X, Y), w(Y, W) }. path(X, Y) :- e(X, Y).
            path(X, Z) :- path(X, Y) & e(Y, Z). p(1). e(1, 2). w(2, 3). ?- far(1, N).";
        let (lines, _) = demanded(text).unwrap();
        assert!(lines.contains(&"'demand@count@1@bff'(X) :- 'demand@far@bf'(X) & p(X).".to_owned()), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("'path@bf'(X, Y) :- 'demand@")), "{lines:?}");
        let (lines, _) = demanded_with(text, Negated::Whole, false).unwrap();
        assert!(lines.contains(&"path(X, Y) :- e(X, Y).".to_owned()), "{lines:?}");
        // Here the groups come out of the recursion that counts them.
        let text = "p(X) :- e(X, Y) & p(Y) & N = count{ Z, W : q(Y, Z), w(Z, W) } & N > 0. p(X) :- b(X).
            q(X, Z) :- c(X, Z). q(X, Z) :- c(X, Y) & q(Y, Z). ?- p(a).";
        assert!(demanded_with(text, Negated::Whole, true).is_none());
        assert!(demanded_with(text, Negated::Whole, false).is_some());
    }

    #[test]
    fn constants_inside_the_rules_are_demanded_of_a_free_goal() {
        let (lines, goal) =
            demanded("q(X) :- p(1, X). p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y) & e(Y, Z). ?- q(X).").unwrap();
        assert_eq!(goal, "q(X)");
        assert!(lines.contains(&"q(X) :- 'p@bf'(1, X).".to_owned()), "{lines:?}");
    }

    #[test]
    fn a_goal_that_binds_nothing_demands_nothing() {
        assert!(demanded("p(X, Y) :- e(X, Y). ?- p(X, Y).").is_none());
        assert!(demanded("p(1, 2). ?- p(1, Y).").is_none());
    }

    #[test]
    fn demands_that_would_grow_for_ever_are_refused() {
        assert!(demanded("p(X) :- q(X) & p(f(X)). p(f(f(a))). p(X) :- q(X). ?- p(a).").is_none());
    }

    /// The given facts of `p` are read for the demand that is the same as that of `q`.
    #[test]
    fn given_facts_are_read_by_a_demand_that_is_merged() {
        assert_eq!(
            demanded("p(X) :- q(X). p(2). q(X) :- p(X) & e(X). ?- q(2).").unwrap().0,
            [
                "p(2).",
                "'demand@q@b'(2).",
                "'p@b'(C0) :- 'demand@q@b'(C0) & p(C0).",
                "'q@b'(X) :- 'demand@q@b'(X) & 'p@b'(X) & e(X).",
                "'p@b'(X) :- 'demand@q@b'(X) & 'q@b'(X).",
            ]
        );
    }

    #[test]
    fn demands_that_copy_each_other_are_one() {
        let rules = "even(X, X) :- node(X). odd(X, Y) :- even(X, Z) & e(Z, Y). even(X, Y) :- odd(X, Z) & e(Z, Y).
            ?- odd(5, X).";
        assert_eq!(
            demanded(rules).unwrap().0,
            [
                "'demand@odd@bf'(5).",
                "'odd@bf'(X, Y) :- 'demand@odd@bf'(X) & 'even@bf'(X, Z) & e(Z, Y).",
                "'even@bf'(X, X) :- 'demand@odd@bf'(X) & node(X).",
                "'even@bf'(X, Y) :- 'demand@odd@bf'(X) & 'odd@bf'(X, Z) & e(Z, Y).",
            ]
        );
        // These have one value in common, and are not the same.
        let (lines, _) =
            demanded("p(0) :- q(0). q(0) :- p(0). p(X) :- e(X, Y) & q(Y). q(X) :- f(X, Y) & p(Y). ?- p(3).").unwrap();
        assert!(lines.contains(&"'demand@q@b'(0) :- 'demand@p@b'(0).".to_owned()), "{lines:?}");
        // Two demands that grow with each other would be expected to reach all nodes.
        let edges: String =
            (0..200).map(|x| format!("e({x}, {}). e({x}, {}). node({x}).", x * 7 % 200, x * x % 200)).collect();
        assert!(pays(&(edges + rules)));
    }

    /// Whether a goal is demanded that follows one of some paths, of so many nodes each.
    fn demand_on_paths(nodes: usize) -> bool {
        let steps = (1..2000).filter(|from| from % nodes != 0).map(|from| format!("next({from}, {}).", from + 1));
        let marks = (1..2000).map(|node| format!("mark({node})."));
        let facts: String = steps.chain(marks).collect();
        pays(&(facts + "ends(X) :- mark(X). ends(X) :- next(X, Y) & ends(Y). ?- ends(1)."))
    }

    /// Whether `auto` expects demand to pay.
    fn pays(source: &str) -> bool {
        let (program, goal) = program_and_goal(source);
        let inputs = Inputs::of(&program);
        let budget = Budget::unlimited();
        let context = PassContext {
            cost_model: BOTTOM_UP,
            inputs: &inputs,
            grounder: grounder(&|_, _, _| Ok(Vec::new())),
            max_facts: 0,
            reorders: true,
            budget: &budget,
        };
        let mut work = PassProgram { program: program.into(), goal: Some(goal) };
        let report = Demand.run_if_it_pays(&mut work, &context).unwrap();
        report.is_some_and(|report| report.declined.is_none())
    }

    #[test]
    fn what_goes_to_the_end_of_a_long_path_is_not_demanded() {
        assert!(demand_on_paths(5));
        assert!(!demand_on_paths(2000));
    }
}
