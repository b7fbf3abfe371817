//! *Groups*: the tuples of an aggregate are derived for the groups that are asked for, not for all there could be.
//!
//! ```text
//! common(A, C, N) :- fof(A, C) & N = count{ T : interest(A, T), interest(C, T) }.
//!
//! count@1(A, C, T) :- interest(A, T) & interest(C, T).                  % all pairs with a common interest
//! count@1(A, C, T) :- fof(A, C) & interest(A, T) & interest(C, T).      % those of the groups
//! ```
//!
//! The groups are what the rest of the body binds: the rows of one subgoal, or `group@count@1(A, C)`, derived from the
//! subgoals that share variables with the group; where these are a product, as of `lang(A, de)` and `tag(_, T)`, also from one of its factors,
//! for its columns of the group alone. This is the demand of [magic sets](super::demand) where no goal hands on
//! anything: an aggregate needs all tuples of a group, and no other group's (I. S. Mumick, H. Pirahesh, R. Ramakrishnan, *The
//! magic of duplicates and aggregates*, VLDB 1990).
//!
//! Tuples that more than one literal reads stay whole, and so do those that the groups themselves depend on. Where a rule of the groups subsumes
//! the rules of the tuples, as in `sold(S, I, N) :- sale(S, I, _) & N = count{ R : sale(S, I, R) }`, each tuple has its group: asking
//! for it would leave none out.

use super::binding::{ClauseVariables, LiteralShape};
use super::change::{ProgramChange, ProgramPart};
use super::cost::Model;
use super::parts::cost_of;
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::prune::subsumes;
use crate::analysis::body::Body;
use crate::analysis::clause::{Aggregation, CheckedProgram, Clause, Literal};
use fixedbitset::FixedBitSet;
use ludolog_syntax::ast::{Atom, Predicate, Purpose, Term};
use ludolog_syntax::budget::Stopped;
use rustc_hash::FxHashMap;

/// The share of the cost of an aggregate's tuples that must be left: a relation of groups may have to be kept.
const GAIN: f64 = 0.9;

/// The same where a derived relation has the groups as they are. Its size may be expected far too high, as where a recursion counts its steps,
/// and the price is low: at worst each tuple is looked up in it, where the engine tries orders.
const GAIN_OF_DERIVED: f64 = 1.3;

/// The price of groups of which some columns are left open, beside the same cost with all of them: it leaves in what nobody asks for.
const FACTOR: f64 = 2.0;

/// The cost of a tuple beside that of a row looked at: it is looked up among all tuples or groups, which rarely are in the cache, and
/// is kept or changes a total.
pub const TAKE_IN: f64 = 6.0;

/// The pass. It pays where the cost model expects the tuples of the groups to be much less work than all tuples. It is right
/// whatever the facts are: it closes the predicates that it makes, and no others.
pub struct Groups;

impl Pass for Groups {
    fn name(&self) -> &'static str {
        "groups"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        run(work, f64::INFINITY, context)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        run(work, GAIN, context).map(PassReport::if_changed)
    }
}

/// An aggregate whose groups can be asked for.
struct Candidate {
    /// The predicate of its tuples.
    tuples: Predicate,
    /// The atom of a group.
    group: Atom,
    /// The columns of the tuples that its arguments are, in order.
    columns: Vec<usize>,
    /// The rule that derives the groups, if no subgoal has them as they are.
    made: Option<Clause>,
    /// Whether a derived relation has them as they are.
    is_derived: bool,
}

impl Candidate {
    /// The atom of the group of the tuples that a rule gives.
    fn group_of(&self, rule: &Clause) -> Atom {
        let args = self.columns.iter().map(|&column| rule.head.args[column].clone()).collect();
        Atom { args, ..self.group.clone() }
    }

    /// The rule of the groups of the tuples that a rule copies from the relation of another; `None` if it does not copy them.
    fn copied(&self, rule: &Clause, of_copied: &Clause) -> Option<Clause> {
        let [Literal::Positive(copied)] = &rule.body[..] else { return None };
        if copied.signature() != of_copied.head.signature() {
            return None;
        }
        let value = |term: &Term| copied.args.iter().position(|arg| arg == term).map(|i| &of_copied.head.args[i]);
        let mut head = self.group_of(rule);
        for arg in &mut head.args {
            *arg = value(arg)?.clone();
        }
        Some(Clause { head, ..of_copied.clone() })
    }

    /// Whether each tuple is seen to have its group, by its rule or by those of the relation that this copies.
    fn has_all(&self, program: &CheckedProgram) -> bool {
        let groups = self.group.signature();
        let rules_of =
            |predicate: Predicate| program.rules.iter().filter(move |rule| rule.head.signature() == predicate);
        let has_group =
            |of_tuple: &Clause| rules_of(groups.clone()).chain(&self.made).any(|general| subsumes(general, of_tuple));
        let copies_such = |rule: &Clause| {
            let read = rule.body.first().and_then(Literal::atom).map(Atom::signature);
            let mut copied =
                read.into_iter().flat_map(rules_of).map(|of_copied| self.copied(rule, of_copied)).peekable();
            copied.peek().is_some() && copied.all(|of_tuple| of_tuple.is_some_and(|of_tuple| has_group(&of_tuple)))
        };
        rules_of(self.tuples.clone())
            .all(|rule| has_group(&Clause { head: self.group_of(rule), ..rule.clone() }) || copies_such(rule))
    }
}

fn run(work: &mut PassProgram, gain: f64, context: &PassContext) -> Result<PassReport, Stopped> {
    let mut report = PassReport::default();
    if context.cost_model.calls {
        return Ok(report.note(&format!("{} derives each group when it is asked for", context.cost_model.name)));
    }
    let found = candidates(work);
    if found.is_empty() {
        return Ok(report);
    }
    let model = Model::new(&work.program.stratified, context.inputs, context.cost_model, context.budget)?;
    let mut before = Vec::with_capacity(found.len());
    for ways in &found {
        before.push(cost_of_tuples(&ways[0].tuples, None, &model, context)?);
    }
    let mut chosen: Vec<Option<(f64, &Candidate)>> = vec![None; found.len()];
    for way in 0..found.iter().map(Vec::len).max().unwrap_or_default() {
        // All ask for groups while the result is priced.
        let written = work.program.stratified.program.rules.clone();
        let asked: Vec<&Candidate> = found.iter().filter_map(|ways| ways.get(way)).collect();
        ask(&mut work.program.stratified.program, &asked);
        work.restratify()?;
        let model = Model::new(&work.program.stratified, context.inputs, context.cost_model, context.budget)?;
        for (number, ways) in found.iter().enumerate() {
            let Some(candidate) = ways.get(way) else { continue };
            let mut after = cost_of_tuples(&candidate.tuples, candidate.made.as_ref(), &model, context)?;
            if candidate.columns.len() < ways[0].columns.len() {
                after *= FACTOR;
            }
            let gain = if candidate.is_derived { gain.max(GAIN_OF_DERIVED) } else { gain };
            if after < gain * before[number] && chosen[number].is_none_or(|(least, _)| after < least) {
                chosen[number] = Some((after, candidate));
            }
        }
        work.program.stratified.program.rules = written;
    }
    let chosen: Vec<&Candidate> = chosen.into_iter().flatten().map(|(_, candidate)| candidate).collect();
    for (before, after) in ask(&mut work.program.stratified.program, &chosen) {
        report.changes.push(ProgramChange::replaced(ProgramPart::Rule(before), ProgramPart::Rule(after)));
    }
    for made in chosen.into_iter().filter_map(|candidate| candidate.made.clone()) {
        work.program.closed.insert(made.head.signature());
        let after = vec![ProgramPart::Rule(made)];
        report.changes.push(ProgramChange { before: Vec::new(), after, reason: None });
    }
    work.restratify()?;
    Ok(report)
}

/// Puts the group in front of the rules of tuples; the rules before and after.
fn ask(program: &mut CheckedProgram, candidates: &[&Candidate]) -> Vec<(Clause, Clause)> {
    let by_tuples: FxHashMap<&Predicate, &Candidate> =
        candidates.iter().map(|&candidate| (&candidate.tuples, candidate)).collect();
    let mut changed = Vec::new();
    for rule in &mut program.rules {
        let Some(candidate) = by_tuples.get(&rule.head.signature()) else { continue };
        let group = Literal::Positive(candidate.group_of(rule));
        let body: Body = std::iter::once(group).chain(rule.body.iter().cloned()).collect::<Vec<_>>().into();
        let after = Clause { body, ..rule.clone() };
        changed.push((std::mem::replace(rule, after.clone()), after));
    }
    program.rules.extend(candidates.iter().filter_map(|candidate| candidate.made.clone()));
    changed
}

/// The aggregates whose groups can be asked for, each with the ways to do so.
fn candidates(work: &PassProgram) -> Vec<Vec<Candidate>> {
    let program = &work.program.stratified.program;
    let mut readers: FxHashMap<Predicate, usize> = FxHashMap::default();
    let bodies = program.rules.iter().map(|rule| &rule.body);
    let conditions = program.transitions.iter().map(|transition| &transition.conditions);
    let goals = program.goals().chain(&work.goal).map(|goal| &goal.body);
    for atom in bodies.chain(conditions).chain(goals).flat_map(|body| body.iter()).filter_map(Literal::atom) {
        *readers.entry(atom.signature()).or_default() += 1;
    }
    for predicate in program.three_valued.derivations().flat_map(|(_, read)| read) {
        *readers.entry(predicate.clone()).or_default() += 1;
    }
    let is_derived = |predicate: &Predicate| {
        program.rules.iter().any(|rule| rule.head.signature() == *predicate)
            && !program.facts.iter().any(|fact| fact.signature() == *predicate)
    };
    let mut found = Vec::new();
    for rule in &program.rules {
        for literal in &rule.body {
            let Literal::Aggregate(aggregation) = literal else { continue };
            let tuples = aggregation.atom.signature();
            let is_whole = matches!(tuples.name.purpose(), Some(Purpose::Definition { .. } | Purpose::Tested { .. }));
            if aggregation.bound > 0 && is_whole && readers.get(&tuples) == Some(&1) && is_derived(&tuples) {
                let mut ways = ways(program, rule, aggregation, &is_derived);
                ways.retain(|way| !way.has_all(program));
                found.extend((!ways.is_empty()).then_some(ways));
            }
        }
    }
    found
}

/// The groups of an aggregate in the body of a rule: those of all subgoals that have a part in them, those of one that has them as they are, and
/// those of each factor, where all are a product.
/// Nothing if the body without it does not bind them, or if they depend on it.
fn ways(
    program: &CheckedProgram,
    rule: &Clause,
    aggregation: &Aggregation,
    is_derived: &dyn Fn(&Predicate) -> bool,
) -> Vec<Candidate> {
    let group = aggregation.group();
    let variables = ClauseVariables::of(&rule.head.args, &rule.body);
    let shapes: Vec<LiteralShape> = rule.body.iter().map(|literal| LiteralShape::new(literal, &variables)).collect();
    let mut wanted = FixedBitSet::with_capacity(variables.count());
    group.iter().for_each(|term| wanted.union_with(&variables.set(term)));
    if wanted.is_clear() {
        return Vec::new();
    }
    let late = late(&rule.body, &shapes, variables.set(&aggregation.result), &wanted);
    let bound_by = |literals: &FixedBitSet| {
        let mut bound = FixedBitSet::with_capacity(variables.count());
        literals.ones().for_each(|i| bound.union_with(&shapes[i].variables));
        bound
    };
    let mut taken = taken(&rule.body, &shapes, &wanted, &late);
    if !wanted.is_subset(&bound_by(&taken)) {
        taken = self::taken(&rule.body, &shapes, &wanted, &variables.none());
    }
    let body: Vec<Literal> = taken.ones().map(|i| rule.body[i].clone()).collect();
    let read = body.iter().filter_map(Literal::atom).map(Atom::signature);
    let tuples = aggregation.atom.signature();
    let depends = program.with_dependencies(read).iter().any(|of| *of == tuples || *of == rule.head.signature());
    if depends || !wanted.is_subset(&bound_by(&taken)) {
        return Vec::new();
    }
    let are_distinct =
        group.iter().enumerate().all(|(i, arg)| matches!(arg, Term::Variable(_)) && !group[..i].contains(arg));
    let is_whole =
        |literal: &&Literal| matches!(literal, Literal::Positive(atom) if are_distinct && atom.args == group);
    let whole = body.iter().find(is_whole).and_then(Literal::atom).map(|atom| Candidate {
        tuples: tuples.clone(),
        group: atom.clone(),
        columns: (0..group.len()).collect(),
        made: None,
        is_derived: is_derived(&atom.signature()),
    });
    let made = |columns: Vec<usize>, body: Vec<Literal>| {
        let args = columns.iter().map(|&column| group[column].clone()).collect();
        let head = Atom::new(Purpose::Group(tuples.clone()), args);
        let made = Clause { head: head.clone(), body: body.into(), span: rule.span };
        let is_safe = made.is_safe();
        let candidate = Candidate { tuples: tuples.clone(), group: head, columns, made: Some(made), is_derived: false };
        is_safe.then_some(candidate)
    };
    let mut parts = factors(&taken, &shapes);
    // A range alone says little.
    parts.retain(|part| part.ones().any(|i| matches!(rule.body[i], Literal::Positive(_))));
    let of_part = |part: &FixedBitSet| {
        let bound = bound_by(part);
        let columns = (0..group.len()).filter(|&i| variables.set(&group[i]).is_subset(&bound)).collect::<Vec<usize>>();
        if columns.is_empty() { None } else { made(columns, part.ones().map(|i| rule.body[i].clone()).collect()) }
    };
    let of_parts: Vec<Candidate> =
        if parts.len() > 1 { parts.iter().filter_map(of_part).collect() } else { Vec::new() };
    let of_all = (body.len() > 1 || whole.is_none()).then(|| made((0..group.len()).collect(), body.clone())).flatten();
    of_all.into_iter().chain(whole).chain(of_parts).collect()
}

/// The variables of the value, and those that are computed from it, but for those of the group.
fn late(body: &[Literal], shapes: &[LiteralShape], value: FixedBitSet, wanted: &FixedBitSet) -> FixedBitSet {
    let mut late: FixedBitSet = value.difference(wanted).collect();
    late.grow(wanted.len());
    loop {
        let mut next = late.clone();
        for (literal, shape) in body.iter().zip(shapes) {
            if matches!(literal, Literal::Compare(_)) && !shape.variables.is_disjoint(&late) {
                let is_computed = |&variable: &usize| {
                    let mut others = shape.variables.clone();
                    others.remove(variable);
                    !wanted.contains(variable) && shape.is_ready(&others)
                };
                next.extend(shape.variables.ones().filter(is_computed));
            }
        }
        if next == late {
            return late;
        }
        late = next;
    }
}

/// The subgoals of a body that share variables with the group, or with others that do, and what they make ready. A subgoal with a variable of
/// `late` is taken for its columns of the group alone: with others it is a join that only the value makes small.
fn taken(body: &[Literal], shapes: &[LiteralShape], wanted: &FixedBitSet, late: &FixedBitSet) -> FixedBitSet {
    let mut bound = FixedBitSet::with_capacity(wanted.len());
    let mut taken = FixedBitSet::with_capacity(body.len());
    loop {
        let is_next = |i: &usize| {
            let shape = &shapes[*i];
            let shares = !shape.variables.is_disjoint(&bound) || !shape.variables.is_disjoint(wanted);
            let is_late = !shape.variables.is_disjoint(late);
            let is_restriction = || shape.variables.difference(late).all(|variable| wanted.contains(variable));
            !taken.contains(*i)
                && match &body[*i] {
                    Literal::Positive(_) => shares && (!is_late || is_restriction()),
                    Literal::Aggregate(_) => false,
                    _ => shape.is_ready(&bound),
                }
        };
        let Some(next) = (0..body.len()).find(is_next) else { return taken };
        taken.insert(next);
        bound.union_with(&shapes[next].variables);
    }
}

/// The sets of these literals that share no variable with each other.
fn factors(literals: &FixedBitSet, shapes: &[LiteralShape]) -> Vec<FixedBitSet> {
    let mut factors: Vec<(FixedBitSet, FixedBitSet)> = Vec::new();
    for i in literals.ones() {
        let mut members = FixedBitSet::with_capacity(shapes.len());
        members.insert(i);
        let mut variables = shapes[i].variables.clone();
        factors.retain(|(other, of_other)| {
            let is_other = of_other.is_disjoint(&shapes[i].variables);
            if !is_other {
                members.union_with(other);
                variables.union_with(of_other);
            }
            is_other
        });
        factors.push((members, variables));
    }
    factors.into_iter().map(|(members, _)| members).collect()
}

/// The expected cost of deriving the tuples of an aggregate, and of keeping them, with the rule that makes their groups.
fn cost_of_tuples(
    tuples: &Predicate,
    made: Option<&Clause>,
    model: &Model,
    context: &PassContext,
) -> Result<f64, Stopped> {
    let mut all = 0.0;
    for rule in model.rules_of(tuples) {
        let (cost, bindings) = cost_of(rule, &|_| false, model, context)?;
        all += cost + TAKE_IN * bindings;
    }
    if let Some(made) = made {
        let (cost, bindings) = cost_of(made, &|_| false, model, context)?;
        // The same group again is found in the cache.
        all += cost + TAKE_IN * bindings.min(model.statistics.rows(&made.head.signature()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Optimization;
    use crate::optimize::testing::rules_after;

    fn forced(source: &str) -> Vec<String> {
        rules_after(source, Optimization::Passes(vec![&Groups]))
    }

    const COMMON: &str = "common(A, C, N) :- fof(A, C) & N = count{ T : interest(A, T), interest(C, T) }.
        fof(1, 2). fof(2, 3). interest(1, 1). interest(2, 1). interest(3, 2).";

    #[test]
    fn the_groups_of_one_subgoal_are_asked_of_it() {
        let rules = forced(COMMON);
        assert!(rules.iter().any(|rule| rule.contains(":- fof(A, C) & interest(A, T) & interest(C, T).")), "{rules:?}");
        assert_eq!(rules.len(), 2, "{rules:?}");
    }

    #[test]
    fn other_groups_are_derived_with_the_tests_of_the_rest() {
        let rules = forced(
            "p(A, C, N, X) :- e(A, B) & f(B, C) & A != C & ~g(C) & other(X)
                & N = sum{ V, T : h(A, T), h(C, T), v(T, V) } & N > 2.
            e(1, 2). f(2, 3). g(4). h(1, 1). h(3, 1). v(1, 7). other(5).",
        );
        let made = rules.iter().find(|rule| rule.starts_with("'group@")).expect("a rule of groups");
        assert!(made.ends_with("(A, C) :- e(A, B) & f(B, C) & A != C & ~g(C)."), "{made}");
        assert!(rules.iter().any(|rule| rule.contains(":- 'group@") && rule.contains("v(T, V)")), "{rules:?}");
    }

    #[test]
    fn groups_that_depend_on_the_value_and_aggregates_without_groups_stay() {
        for stays in ["q(N) :- e(_, _) & N = count{ X : e(X, _) }. e(1, 2).", "q(X) :- e(X, 1)."] {
            let rules = forced(stays);
            assert!(!rules.iter().any(|rule| rule.contains("group@")), "{rules:?}");
        }
        // The first count is no part of the groups of the second.
        let rules = forced(
            "p(X, M) :- e(X, Y) & N = count{ Z : e(Y, Z) } & M = count{ Z : e(X, Z), f(Z, N) }. e(1, 2). f(2, 0).",
        );
        assert!(!rules.iter().any(|rule| rule.starts_with("'group@") && rule.contains("count{")), "{rules:?}");
    }

    /// Of routes the next one is looked up by the value; by its hop alone, it would be joined with a third of all.
    #[test]
    fn groups_are_not_made_of_subgoals_that_need_the_value() {
        let made = |body: &str| {
            let rules = forced(&format!(
                "q(P, L) :- {body} & M = max{{ K : e(P, L, K) }}.
                route(1, 2, 3). told(1, 2, 3). e(1, 2, 3). hop(1, 2). big(1)."
            ));
            let made = rules.into_iter().find(|rule| rule.starts_with("'group@")).expect("a rule of groups");
            made.split_once(" :- ").expect("a body").1.to_owned()
        };
        let of_value = "route(P, L, H) & Q is P + M & N is Q & hop(N, H) & hop(H, M)";
        assert_eq!(made(of_value), "route(P, L, H).");
        // A value that is told for each group restricts the groups.
        assert_eq!(made("told(P, L, M) & big(P)"), "told(P, L, M) & big(P).");
        // Nothing else binds the group.
        assert_eq!(made("hop(P, H) & route(H, M, L)"), "hop(P, H) & route(H, M, L).");
    }

    #[test]
    fn groups_that_all_tuples_have_are_not_asked_for() {
        let facts = "sale(1, 2, 3). sale(2, 2, 4). cheap(2).";
        let kept = [
            "sold(S, I, N) :- sale(_, S, I) & N = count{ R : sale(R, S, I) }.",
            "stock(S, I) :- sale(_, S, I). sold(S, I, N) :- stock(S, I) & N = count{ R : sale(R, S, I) }.",
            "sale(R, S, I) :- new(R, S, I) & old(S). sale(R, S, 7) :- new(R, S, 7).
            sold(S, I, N) :- new(_, S, I) & N = count{ R : sale(R, S, I) }. new(1, 2, 7). old(2).",
        ];
        for rules in kept {
            let rules = forced(&format!("{rules} {facts}"));
            assert!(rules.iter().any(|rule| rule.ends_with(":- sale(R, S, I).")), "{rules:?}");
        }
        // Some sales are of other groups.
        let asked = [
            "stock(S, I) :- sale(_, S, I) & cheap(I). sold(S, I, N) :- stock(S, I) & N = count{ R : sale(R, S, I) }.",
            "sold(S, N) :- sale(_, S, S) & N = count{ R, I : sale(R, S, I) }.",
            "sale(R, S, I) :- new(R, S, I). sale(R, S, 7) :- used(R, S).
            sold(S, I, N) :- new(_, S, I) & N = count{ R : sale(R, S, I) }. new(1, 2, 7). used(2, 2).",
        ];
        for rules in asked {
            let rules = forced(&format!("{rules} {facts}"));
            assert!(!rules.iter().any(|rule| rule.contains(":- sale(R, S, I).")), "{rules:?}");
        }
    }

    /// Of 300 people, each with a topic of ten, a few are asked for, or all pairs.
    #[test]
    fn auto_asks_for_few_groups_and_derives_many_as_they_are() {
        let people: String = (0..300).map(|i| format!("interest({i}, {}). ", i % 10)).collect();
        let rule = "common(A, C, N) :- fof(A, C) & N = count{ T : interest(A, T), interest(C, T) }.";
        let few: String = (0..30).map(|i| format!("fof({i}, {}). ", i + 10)).collect();
        let asks =
            |rules: &[String]| rules.iter().any(|rule| !rule.starts_with("common") && rule.contains("fof(A, C)"));
        assert!(asks(&rules_after(&format!("{rule} {few} {people}"), Optimization::Auto)));
        let all: String = (0..90_000).map(|i| format!("fof({}, {}). ", i / 300, i % 300)).collect();
        assert!(!asks(&rules_after(&format!("{rule} {all} {people}"), Optimization::Auto)));
    }

    /// Of 300 people half are friends, and of these a few are asked for, or all: others that share variables with the group are left out of it then.
    #[test]
    fn groups_are_those_of_the_cheapest_way() {
        let people: String = (0..300).map(|i| format!("interest({i}, {}). ", i % 100)).collect();
        let friends: String = (0..300).map(|i| format!("fof({i}, {}). ", (i + 100) % 300)).collect();
        let asked = |count: usize| {
            let vips: String = (0..count).map(|i| format!("vip({i}). ")).collect();
            let rule = "common(A, C, N) :- fof(A, C) & vip(A) & N = count{ T : interest(A, T), interest(C, T) }.";
            let rules = rules_after(&format!("{rule} {friends} {vips} {people}"), Optimization::Passes(vec![&Groups]));
            rules
                .into_iter()
                .filter(|rule| rule.contains("fof(A, C)") && !rule.starts_with("common"))
                .collect::<Vec<_>>()
        };
        assert!(asked(3)[0].ends_with("(A, C) :- fof(A, C) & vip(A)."), "{:?}", asked(3));
        assert!(asked(300)[0].ends_with(":- fof(A, C) & interest(A, T) & interest(C, T)."), "{:?}", asked(300));
    }

    /// Of 300 people, a tenth speak a language; the topics of all 2,000 pages are asked for with each of them.
    #[test]
    fn auto_asks_for_a_factor_of_the_groups_where_all_are_a_product() {
        let people: String =
            (0..300).map(|i| format!("lang({i}, {}). follow({i}, {}). ", i % 10, (i * 7) % 300)).collect();
        let pages: String = (0..2000).map(|i| format!("like({}, {i}). tag({i}, {}). ", i % 300, i % 40)).collect();
        let rules = rules_after(
            &format!(
                "rec(A, T, N) :- lang(A, 0) & A < 100 & tag(_, T) & N = count {{ P : follow(A, B) & like(B, P) & tag(P, T) }}.
                {people} {pages}"
            ),
            Optimization::Auto,
        );
        let made = rules.iter().find(|rule| rule.starts_with("'group@")).expect("a rule of groups");
        assert_eq!(made, "'group@count@1'(A) :- lang(A, 0) & A < 100.");
        let tuples = rules.iter().find(|rule| rule.starts_with("'count@")).expect("a rule of tuples");
        assert!(tuples.contains(":- 'group@count@1'(A) & follow(A, B) & like(B, P)"), "{tuples}");
    }

    /// A relation of 40,000 pairs that nothing looks up is gone through, and each pair sought among the 100 that are asked for.
    #[test]
    fn many_rows_are_not_indexed_for_few_groups() {
        let steps: String =
            (0..200).map(|i| format!("step({i}, {}). step({i}, {}). ", (i + 1) % 200, (i * 3) % 200)).collect();
        let vips: String = (0..10).map(|i| format!("vip({i}). ")).collect();
        let rules = rules_after(
            &format!(
                "d(X, Y, 1) :- step(X, Y). d(X, Y, N) :- d(X, Z, M) & M < 9 & step(Z, Y) & N is M + 1.
                dist(X, Y, N) :- vip(X) & vip(Y) & N = min {{ M : d(X, Y, M) }}. {steps} {vips}"
            ),
            Optimization::Auto,
        );
        let tuples = rules.iter().find(|rule| rule.starts_with("'min@")).expect("a rule of tuples");
        assert!(tuples.ends_with(":- d(X, Y, M) & 'group@min@1'(X, Y)."), "{tuples}");
    }

    /// A recursion that counts its steps is expected to have far more rows than it has, and so are pairs that are joined from it.
    #[test]
    fn auto_asks_for_groups_that_are_derived() {
        let parents: String = (0..400).map(|i| format!("parent({}, {i}). ", i / 2)).collect();
        let rules = rules_after(
            &format!(
                "up(X, Y, 1) :- parent(Y, X). up(X, Z, N) :- up(X, Y, M) & M < 7 & parent(Z, Y) & N is M + 1.
                near(X, Y) :- up(X, Z, M) & up(Y, Z, M) & X < Y & M <= 2.
                least(X, Y, N) :- near(X, Y) & N = min {{ M : up(X, Z, M) & up(Y, Z, M) }}. {parents}"
            ),
            Optimization::Auto,
        );
        let asks = |rule: &String| rule.starts_with("'min@") && rule.contains("near(X, Y)");
        assert!(rules.iter().any(asks), "{rules:?}");
    }
}
