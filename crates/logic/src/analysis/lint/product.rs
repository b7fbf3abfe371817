//! Bodies that fall into parts without a common variable: each way to satisfy one is combined with each way to satisfy
//! the other.
//!
//! `cell(X, Y) :- column(X) & row(Y).` means just that. So a part is reported only if the head does not read it and it
//! joins literals of its own: it asks whether something exists, and should be a predicate that is asked once.

use crate::analysis::clause::{CheckedProgram, Literal};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Atom, Effect, Name, Program};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports the first part of each `.dl` rule that neither the head nor the rest of the body has to do with.
pub(super) fn check(checked: &CheckedProgram, program: &Program, found: &mut Vec<Diagnostic>) {
    let mut reported: FxHashSet<Span> = FxHashSet::default();
    let rules = checked.rules.iter().map(|rule| (vec![&rule.head], &rule.body, rule.span));
    let transitions = checked.transitions.iter();
    let transitions = transitions.map(|rule| {
        let heads: Vec<&Atom> = rule.effects.iter().map(Effect::atom).collect();
        (heads, &rule.conditions, rule.span)
    });
    for (heads, body, span) in rules.chain(transitions) {
        if program.syntax_at(span) == Syntax::Datalog
            && let Some((part, rest)) = unrelated(&heads, body)
            && reported.insert(span)
        {
            found.push(
                Diagnostic::warning(Code::CrossProduct, "a part of this rule shares no variable with the rest of it")
                    .at(part, "this and what is joined with it")
                    .at(rest, "is combined with each match of this")
                    .help("join the two by a variable, or make the part a predicate of its own, without arguments"),
            );
        }
    }
}

/// A literal of a part that is joined with neither the heads nor the rest of the body, and the first literal of the rest.
fn unrelated(heads: &[&Atom], body: &[Literal]) -> Option<(Span, Span)> {
    // The heads are one node more.
    let mut parts: UnionFind<usize> = UnionFind::new(body.len() + 1);
    let mut first: FxHashMap<&Name, usize> = FxHashMap::default();
    let mut has_variables = vec![false; body.len()];
    let mut join = |name, node| _ = parts.union(*first.entry(name).or_insert(node), node);
    for (i, literal) in body.iter().enumerate() {
        literal.for_each_variable(&mut |name| {
            has_variables[i] = true;
            join(name, i);
        });
    }
    heads.iter().flat_map(|head| &head.args).for_each(|arg| arg.for_each_variable(&mut |name| join(name, body.len())));
    let related = parts.find(body.len());
    let mut positives: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, _) in body.iter().enumerate().filter(|(_, literal)| matches!(literal, Literal::Positive(_))) {
        *positives.entry(parts.find(i)).or_default() += 1;
    }
    let is_joined = |i: &usize| parts.find(*i) != related && positives.get(&parts.find(*i)).is_some_and(|&n| n > 1);
    let part = (0..body.len()).find(is_joined)?;
    let rest = (0..body.len()).find(|&i| has_variables[i] && parts.find(i) != parts.find(part))?;
    Some((body[part].span(), body[rest].span()))
}
