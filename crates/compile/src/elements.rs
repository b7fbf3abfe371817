//! `member` and negations of compounds as rules, for systems that have neither.
//!
//! The elements of the lists that a `member` looks into become a predicate, over the lists that its body finds before:
//!
//! ```text
//! list(L) :- before(L).                        element(cons(X, T), X) :- list(cons(X, T)).
//! list(T) :- list(cons(H, T)).                 element(cons(H, T), X) :- list(cons(H, T)) & element(T, X).
//! ```
//!
//! `~p(X, f(_))` becomes `~some(X)` with `some(X) :- p(X, f(_)).`, since only variables that stand for a whole column are nobody's there.

use crate::Refusals;
use crate::translatable::Translatable;
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Name, PredicateName, Purpose, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashSet;

/// The program without `member` of lists.
pub(crate) fn without_members(program: &Translatable, refusals: &mut Refusals) -> Translatable {
    let mut changed = program.clone();
    let mut added = Vec::new();
    for (number, rule) in changed.rules.iter_mut().enumerate() {
        let mut literals = rule.body.to_vec();
        for place in 0..literals.len() {
            let Literal::Member { element, elements: Elements::List(list), negated, span } = &literals[place] else {
                continue;
            };
            if *negated && program.has_recursive(rule, &literals[..place]) {
                refusals.add(*span, "a list without an element in a recursive rule");
            }
            let lists = PredicateName::from(Purpose::Lists { rule: number, place });
            let members = PredicateName::from(Purpose::Element { rule: number, place });
            let atom = Atom { predicate: members.clone(), args: vec![list.clone(), element.clone()], span: *span };
            let found = Atom { predicate: lists.clone(), args: vec![list.clone()], span: *span };
            added.push(Clause { head: found, body: literals[..place].iter().cloned().collect(), span: *span });
            added.extend(element_rules(&lists, &members, *span));
            literals[place] = if *negated { Literal::Negative(atom) } else { Literal::Positive(atom) };
        }
        rule.body = literals.into();
    }
    changed.rules.extend(added);
    changed
}

/// The rules that take the lists of one predicate apart.
fn element_rules(lists: &PredicateName, members: &PredicateName, span: Span) -> [Clause; 3] {
    let variable = Term::variable;
    let cons = |head: &str| Term::compound("cons", vec![variable(head), variable("tail")]);
    let atom = |predicate: &PredicateName, args: Vec<Term>| Atom { predicate: predicate.clone(), args, span };
    let is_list = |head: &str| Literal::Positive(atom(lists, vec![cons(head)]));
    let rule = |head: Atom, literals: Vec<Literal>| Clause { head, body: Body::from(literals), span };
    let further = Literal::Positive(atom(members, vec![variable("tail"), variable("element")]));
    [
        rule(atom(lists, vec![variable("tail")]), vec![is_list("head")]),
        rule(atom(members, vec![cons("element"), variable("element")]), vec![is_list("element")]),
        rule(atom(members, vec![cons("head"), variable("element")]), vec![is_list("head"), further]),
    ]
}

/// The program without negations of atoms in which compounds have variables of their own.
pub(crate) fn without_negated_patterns(program: &Translatable) -> Translatable {
    let mut changed = program.clone();
    let mut added = Vec::new();
    for (number, rule) in changed.rules.iter_mut().enumerate() {
        let mut literals = rule.body.to_vec();
        for place in 0..literals.len() {
            let Literal::Negative(atom) = &literals[place] else { continue };
            let bound = bound(&literals, place, &rule.head);
            let mut own = false;
            for arg in atom.args.iter().filter(|arg| matches!(arg, Term::Compound(..))) {
                arg.for_each_variable(&mut |name| own |= !bound.contains(name));
            }
            if !own {
                continue;
            }
            let mut shared: Vec<Name> = Vec::new();
            atom.args.iter().for_each(|arg| {
                arg.for_each_variable(&mut |name| {
                    if bound.contains(name) && !shared.contains(name) {
                        shared.push(name.clone());
                    }
                });
            });
            let predicate = PredicateName::from(Purpose::Projection { rule: number, place });
            let args = shared.into_iter().map(Term::Variable).collect();
            let projection = Atom { predicate, args, span: atom.span };
            let body = Body::from(vec![Literal::Positive(atom.clone())]);
            added.push(Clause { head: projection.clone(), body, span: atom.span });
            literals[place] = Literal::Negative(projection);
        }
        rule.body = literals.into();
    }
    changed.rules.extend(added);
    changed
}

/// The variables of a rule outside of one literal.
fn bound(literals: &[Literal], place: usize, head: &Atom) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    let mut add = |name: &Name| _ = names.insert(name.clone());
    head.args.iter().for_each(|arg| arg.for_each_variable(&mut add));
    let others = literals.iter().enumerate().filter(|(i, _)| *i != place);
    others.for_each(|(_, literal)| literal.for_each_variable(&mut add));
    names
}
