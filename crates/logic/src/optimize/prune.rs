//! *Pruning*: removes subgoals and rules that the others imply.
//!
//! A conjunction says no more than another when there is a homomorphism from it into the other: a mapping of variables
//! to terms under which each of its literals becomes a literal of the other (A. Chandra, P. Merlin, *Optimal
//! implementation of conjunctive queries in relational data bases*, STOC 1977). So
//!
//! * a positive literal goes when the body maps into what is left without it, the head's variables and those of negations
//!   and comparisons staying as they are: `q(Z)` in `r(X, Y) :- p(X, Y) & q(Y) & q(Z)`;
//! * a rule goes when another with the same head maps into it, or when its own head stands in its body;
//! * with a goal, every rule goes that the goal does not depend on.
//!
//! Finding a homomorphism is NP-complete in general; the search stops after 500 matched literals and then leaves
//! things as they are.

use super::binding::{self, ClauseVariables};
use super::change::{ProgramChange, ProgramPart};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::text;
use crate::analysis::body::Body;
use crate::analysis::clause::{CheckedProgram, Clause, Goal, Literal};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most literals matched in one search.
const EFFORT: usize = 500;
/// Bodies longer than this are left alone.
const LONGEST: usize = 300;
/// Most rules of one predicate that are compared with each other.
const MOST_RULES: usize = 300;

/// The pass. It always pays, and it is right whatever the facts are: it closes no predicate.
pub struct Pruning;

impl Pass for Pruning {
    fn name(&self) -> &'static str {
        "pruning"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        let mut report = PassReport::default();
        drop_irrelevant(work, &mut report);
        let selective = work.program.stratified.selective();
        let program = &mut work.program.stratified.program;
        let selected = program.rules.extract_if(.., |rule| selective.contains(&rule.head.signature()));
        let selected: Vec<Clause> = selected.collect();
        let mut redundant = redundant_rules(&program.rules, context.budget)?.into_iter().peekable();
        let mut kept = Vec::with_capacity(program.rules.len());
        for (i, rule) in program.rules.drain(..).enumerate() {
            report.changes.push(match redundant.next_if(|(number, _)| *number == i) {
                None => {
                    kept.push(rule);
                    continue;
                }
                Some((_, PruneReason::Tautology)) => {
                    ProgramChange::removed(ProgramPart::Rule(rule), "its head stands in its body")
                }
                Some((_, PruneReason::Subsumed(general))) => {
                    let reason = format!("a special case of `{}`", text::clause(&general));
                    ProgramChange::removed(ProgramPart::Rule(rule), &reason)
                }
            });
        }
        for rule in &mut kept {
            if let Some((body, implied)) = prune_body(&rule.head.args, &rule.body, context.budget)? {
                let before = rule.clone();
                rule.body = body;
                let reasons = implied.iter().map(|gone| {
                    if gone.literal == gone.by {
                        format!("`{}` stands there twice", text::literal(&gone.literal))
                    } else {
                        format!("`{}` is implied by `{}`", text::literal(&gone.literal), text::literal(&gone.by))
                    }
                });
                let reason = Some(reasons.collect::<Vec<_>>().join("; "));
                let before = vec![ProgramPart::Rule(before)];
                let after = vec![ProgramPart::Rule(rule.clone())];
                report.changes.push(ProgramChange { before, after, reason });
            }
        }
        kept.extend(selected);
        program.rules = kept;
        work.restratify()?;
        Ok(report)
    }
}

/// Drops what the goal, if there is one, does not depend on.
fn drop_irrelevant(work: &mut PassProgram, report: &mut PassReport) {
    let Some(goal) = &work.goal else { return };
    let program = &mut work.program.stratified.program;
    let relevant = relevant(program, goal);
    let (kept, dropped) = program.rules.drain(..).partition(|rule| relevant.contains(&rule.head.signature()));
    program.rules = kept;
    program.facts.retain(|fact| relevant.contains(&fact.signature()));
    program.three_valued.retain(&relevant);
    for rule in dropped {
        report.changes.push(ProgramChange::removed(ProgramPart::Rule(rule), "the goal does not depend on it"));
    }
}

/// A subgoal that went, with the one that it became under the homomorphism.
pub struct Implied {
    /// The subgoal that went.
    pub literal: Literal,
    /// The subgoal that implies it.
    pub by: Literal,
}

/// Why a rule went.
pub enum PruneReason {
    /// Its head stands in its body.
    Tautology,
    /// It is the same as an earlier rule or a special case of another.
    Subsumed(Box<Clause>),
}

/// A body without its implied subgoals, and these.
pub type PrunedBody = (Body, Vec<Implied>);

/// Removes implied subgoals; `None` when there are none.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn prune_body(head: &[Term], body: &Body, budget: &Budget) -> Result<Option<PrunedBody>, Stopped> {
    let mut body = body.clone();
    let mut implied = Vec::new();
    if body.len() <= LONGEST {
        for i in (0..body.len()).rev() {
            let Some(image) = image_without(head, &body, i, budget)? else { continue };
            let kept = |j: &usize| *j != i;
            let rest: Body = (0..body.len()).filter(kept).map(|j| body[j].clone()).collect();
            if rest.is_safe_for(head) {
                implied.push(Implied { literal: body[i].clone(), by: body[image].clone() });
                body = rest;
            }
        }
    }
    Ok((!implied.is_empty()).then_some((body, implied)))
}

/// The literal that literal `i` becomes when the body maps into itself without it.
fn image_without(head: &[Term], body: &[Literal], i: usize, budget: &Budget) -> Result<Option<usize>, Stopped> {
    let Literal::Positive(atom) = &body[i] else { return Ok((0..i).find(|&j| body[j] == body[i])) };
    let mut fixed: FxHashSet<&Name> = FxHashSet::default();
    let mut fix = |name| _ = fixed.insert(name);
    head.iter().for_each(|arg| arg.for_each_variable(&mut fix));
    for literal in body.iter().filter(|literal| !matches!(literal, Literal::Positive(_))) {
        literal.for_each_variable(&mut fix);
    }
    let is_candidate =
        |j: &usize| *j != i && matches!(&body[*j], Literal::Positive(other) if other.signature() == atom.signature());
    let mut effort = EFFORT;
    for j in (0..body.len()).filter(is_candidate) {
        budget.check()?;
        let mut search =
            HomomorphismSearch { source: body, targets: body, without: Some(i), fixed: &fixed, effort: &mut effort };
        let mut mapping = Mapping::default();
        if search.matches(&body[i], &body[j], &mut mapping) && search.extend(&mut mapping, &mut vec![i]) {
            return Ok(Some(j));
        }
    }
    Ok(None)
}

/// Whether every instance of `special` is one of `general`.
pub fn subsumes(general: &Clause, special: &Clause) -> bool {
    if general.head == special.head && general.body == special.body {
        return true;
    }
    if general.head.signature() != special.head.signature()
        || general.body.len() > LONGEST
        || has_own_variables(general)
    {
        return false;
    }
    let fixed = FxHashSet::default();
    let mut effort = EFFORT;
    let mut search = HomomorphismSearch {
        source: &general.body,
        targets: &special.body,
        without: None,
        fixed: &fixed,
        effort: &mut effort,
    };
    let mut mapping = Mapping::default();
    let heads = general.head.args.iter().zip(&special.head.args);
    heads.into_iter().all(|(from, to)| search.matches_term(from, to, &mut mapping))
        && search.extend(&mut mapping, &mut Vec::new())
}

/// Whether a negation has variables of its own. Such a variable says "none at all" and may not be mapped.
fn has_own_variables(clause: &Clause) -> bool {
    let variables = ClauseVariables::of(&clause.head.args, &clause.body);
    clause
        .body
        .iter()
        .filter(|literal| matches!(literal, Literal::Negative(_) | Literal::Member { negated: true, .. }))
        .any(|literal| {
            let mut own = false;
            literal.for_each_variable(&mut |name| own |= variables.is_local(name));
            own
        })
}

type Mapping<'a> = FxHashMap<&'a Name, &'a Term>;

/// The search for a homomorphism.
struct HomomorphismSearch<'a, 'e> {
    source: &'a [Literal],
    targets: &'a [Literal],
    /// When a body is mapped into itself: the literal that may not be an image. Literals of which no variable has been
    /// moved then stay where they are.
    without: Option<usize>,
    fixed: &'e FxHashSet<&'a Name>,
    effort: &'e mut usize,
}

impl<'a> HomomorphismSearch<'a, '_> {
    /// Extends a mapping to all literals of the source, `done` excepted.
    fn extend(&mut self, mapping: &mut Mapping<'a>, done: &mut Vec<usize>) -> bool {
        let Some(next) = self.next(mapping, done) else { return true };
        done.push(next);
        for target in 0..self.targets.len() {
            if Some(target) == self.without {
                continue;
            }
            if *self.effort == 0 {
                return false;
            }
            let mut extended = mapping.clone();
            if self.matches(&self.source[next], &self.targets[target], &mut extended) {
                *self.effort -= 1;
                if self.extend(&mut extended, done) {
                    *mapping = extended;
                    return true;
                }
            }
        }
        done.pop();
        false
    }

    /// The literal to map next: the one with the most mapped variables. Of a body mapped into itself, only literals
    /// with a variable that has moved need mapping.
    fn next(&self, mapping: &Mapping<'a>, done: &[usize]) -> Option<usize> {
        let open = (0..self.source.len()).filter(|i| !done.contains(i));
        let weigh = |i: usize| {
            let mut mapped = 0;
            let mut moved = 0;
            self.source[i].for_each_variable(&mut |name| {
                if let Some(to) = mapping.get(name) {
                    mapped += 1;
                    moved += usize::from(!matches!(to, Term::Variable(other) if other == name));
                }
            });
            (self.without.is_none() || moved > 0).then_some((mapped, i))
        };
        open.filter_map(weigh).max_by_key(|&(mapped, i)| (mapped, std::cmp::Reverse(i))).map(|(_, i)| i)
    }

    fn matches(&mut self, from: &'a Literal, to: &'a Literal, mapping: &mut Mapping<'a>) -> bool {
        let same_kind = match (from, to) {
            (Literal::Positive(a), Literal::Positive(b)) | (Literal::Negative(a), Literal::Negative(b)) => {
                a.predicate == b.predicate && a.args.len() == b.args.len()
            }
            (Literal::Compare(a), Literal::Compare(b)) | (Literal::NotCompare(a), Literal::NotCompare(b)) => {
                a.comparator == b.comparator
            }
            (Literal::Member { negated: a, elements: c, .. }, Literal::Member { negated: b, elements: d, .. }) => {
                a == b && std::mem::discriminant(c) == std::mem::discriminant(d)
            }
            _ => false,
        };
        same_kind && binding::terms(from).zip(binding::terms(to)).all(|(a, b)| self.matches_term(a, b, mapping))
    }

    fn matches_term(&self, from: &'a Term, to: &'a Term, mapping: &mut Mapping<'a>) -> bool {
        match (from, to) {
            (Term::Variable(name), _) if self.fixed.contains(name) => from == to,
            (Term::Variable(name), _) => *mapping.entry(name).or_insert(to) == to,
            (Term::Compound(f, args), Term::Compound(g, others)) => {
                f == g
                    && args.len() == others.len()
                    && args.iter().zip(others).all(|(a, b)| self.matches_term(a, b, mapping))
            }
            _ => from == to,
        }
    }
}

/// The rules that can go, by number in ascending order, with the reason.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn redundant_rules(rules: &[Clause], budget: &Budget) -> Result<Vec<(usize, PruneReason)>, Stopped> {
    let mut groups: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
    for (i, rule) in rules.iter().enumerate() {
        groups.entry(rule.head.signature()).or_default().push(i);
    }
    let mut redundant = Vec::new();
    for group in groups.into_values() {
        let mut kept: Vec<usize> = Vec::new();
        for i in group {
            budget.check()?;
            let rule = &rules[i];
            if rule.body.iter().any(|literal| matches!(literal, Literal::Positive(atom) if *atom == rule.head)) {
                redundant.push((i, PruneReason::Tautology));
                continue;
            }
            let compared = || kept.iter().copied().take(MOST_RULES);
            if let Some(general) = compared().find(|&j| subsumes(&rules[j], rule)) {
                redundant.push((i, PruneReason::Subsumed(Box::new(rules[general].clone()))));
                continue;
            }
            let special: Vec<usize> = compared().filter(|&j| subsumes(rule, &rules[j])).collect();
            kept.retain(|j| !special.contains(j));
            redundant.extend(special.into_iter().map(|j| (j, PruneReason::Subsumed(Box::new(rule.clone())))));
            kept.push(i);
        }
    }
    redundant.cold_sort_by_key(|(i, _)| *i);
    Ok(redundant)
}

/// The predicates that a goal and the transitions depend on.
pub fn relevant(program: &CheckedProgram, goal: &Goal) -> FxHashSet<Predicate> {
    let conditions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    program.with_dependencies(goal.body.iter().chain(conditions).filter_map(Literal::atom).map(Atom::signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::{program, text};

    /// The body of the only rule after pruning.
    fn pruned(rule: &str) -> String {
        let mut rules = program(rule).program.rules;
        if let Some((body, _)) = prune_body(&rules[0].head.args, &rules[0].body, &Budget::unlimited()).unwrap() {
            rules[0].body = body;
        }
        text(&rules).join("\n")
    }

    #[test]
    fn the_papers_redundant_subgoal_goes() {
        assert_eq!(pruned("r(X, Y) :- p(X, Y) & q(Y) & q(Z)."), "r(X, Y) :- p(X, Y) & q(Y).");
    }

    #[test]
    fn chains_fold_onto_their_core() {
        // e(A, B), e(B, C) maps onto the loop e(X, X).
        assert_eq!(pruned("r(X) :- e(X, X) & e(X, B) & e(B, C)."), "r(X) :- e(X, X).");
        // A path of two steps from X is no path of one.
        let path = "r(X) :- e(X, B) & e(B, C).";
        assert_eq!(pruned(path), path);
        // Two paths side by side are one.
        assert_eq!(pruned("r(X) :- e(X, B) & e(B, C) & e(X, D) & e(D, E)."), "r(X) :- e(X, B) & e(B, C).");
    }

    #[test]
    fn what_negations_and_comparisons_mention_stays() {
        for rule in ["r(X) :- p(X, Y) & p(X, Z) & Y != Z.", "r(X) :- p(X, Y) & p(X, Z) & ~q(Y) & ~s(Z)."] {
            assert_eq!(pruned(rule), rule);
        }
        assert_eq!(pruned("r(X) :- p(X, Y) & p(X, Z) & ~q(Z)."), "r(X) :- p(X, Z) & ~q(Z).");
        assert_eq!(pruned("r(X) :- p(X) & ~q(X) & p(X) & ~q(X)."), "r(X) :- p(X) & ~q(X).");
    }

    #[test]
    fn compound_terms_map_inside() {
        assert_eq!(pruned("r :- true(cell(1, X)) & true(cell(A, B))."), "r :- true(cell(1, X)).");
    }

    #[test]
    fn special_cases_and_tautologies_go() {
        let rules = program(
            "win(P) :- line(P, K) & long(K).
             win(red) :- line(red, 9) & long(9) & stone(red, 1).
             win(Q) :- line(Q, N) & long(N).
             win(P) :- win(P) & stone(P, 3).
             win(P) :- stone(P, 1) & ~stone(P, 2).",
        );
        let gone: Vec<usize> =
            redundant_rules(&rules.program.rules, &Budget::unlimited()).unwrap().into_iter().map(|(i, _)| i).collect();
        assert_eq!(gone, [1, 2, 3]);
    }

    #[test]
    fn none_at_all_is_not_none_of_these() {
        for text in [
            "r(X) :- q(X) & ~p(X, _). r(X) :- q(X) & ~p(X, a).",
            "r(X) :- q(X) & ~member(_, X). r(X) :- q(X) & ~member(a, X).",
        ] {
            let rules = program(text).program.rules;
            assert!(redundant_rules(&rules, &Budget::unlimited()).unwrap().is_empty(), "{text}");
        }
    }

    #[test]
    fn only_what_the_goal_needs_is_relevant() {
        let stratified = program("a(X) :- b(X) & ~c(X). d(X) :- a(X). e ==> f. ?- a(X).");
        let mut names: Vec<String> =
            relevant(&stratified.program, &stratified.program.queries[0]).iter().map(|p| p.to_string()).collect();
        names.sort();
        assert_eq!(names, ["a/1", "b/1", "c/1", "e/0"]);
    }
}
