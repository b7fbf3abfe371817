//! Facts that never change: walls, say, of which the rulesheet says only that each is there next when it is there now.
//!
//! ```text
//! next(wall(X, Y)) :- true(wall(X, Y)).      (and no other rule for such facts)
//! ```
//!
//! They are in the first state or never, so rules ask `init` instead of `true` for them, and no longer depend on the state.

use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Literal};
use ludolog_syntax::ast::{Atom, Name, Term};
use rustc_hash::FxHashSet;

/// The functions whose facts never change, each by its name and number of arguments.
pub type Functors = FxHashSet<(Name, usize)>;

/// Removes the rules by which facts stay that never change, and asks `init` for them.
pub fn separate(program: &mut CheckedProgram) -> Functors {
    let functors = constant_functors(program);
    if functors.is_empty() {
        return functors;
    }
    program.rules.retain(|rule| !(is_next(&rule.head) && is_of(&rule.head.args[0], &functors)));
    let ask_init = |literal: &mut Literal| {
        if let Literal::Positive(atom) | Literal::Negative(atom) = literal
            && atom.predicate == "true"
            && matches!(&atom.args[..], [fact] if is_of(fact, &functors))
        {
            *atom = Atom::new("init", atom.args.clone());
        }
    };
    program.rules.iter_mut().for_each(|rule| rule.body.change(ask_init));
    functors
}

/// Whether a fact is of one of these functions.
pub fn is_of(fact: &Term, functors: &Functors) -> bool {
    functor(fact).is_some_and(|functor| functors.contains(&functor))
}

fn constant_functors(program: &CheckedProgram) -> Functors {
    let mut stay = Functors::default();
    let mut change = Functors::default();
    for fact in program.facts.iter().filter(|fact| is_next(fact)) {
        change.extend(functor(&fact.args[0]));
    }
    for rule in program.rules.iter().filter(|rule| is_next(&rule.head)) {
        match functor(&rule.head.args[0]) {
            // Any fact may come of such a rule.
            None => return Functors::default(),
            Some(functor) if stays(rule) => _ = stay.insert(functor),
            Some(functor) => _ = change.insert(functor),
        }
    }
    stay.difference(&change).cloned().collect()
}

fn is_next(atom: &Atom) -> bool {
    atom.predicate == "next" && atom.args.len() == 1
}

/// Whether a rule says that every fact of a function stays.
fn stays(rule: &Clause) -> bool {
    let fact = &rule.head.args[0];
    let [Literal::Positive(read)] = &rule.body[..] else { return false };
    let args = match fact {
        Term::Compound(_, args) => &args[..],
        _ => &[],
    };
    let variables: FxHashSet<&Name> =
        args.iter().filter_map(|arg| if let Term::Variable(name) = arg { Some(name) } else { None }).collect();
    read.predicate == "true" && read.args.len() == 1 && read.args[0] == *fact && variables.len() == args.len()
}

fn functor(fact: &Term) -> Option<(Name, usize)> {
    match fact {
        Term::Symbol(name) => Some((name.clone(), 0)),
        Term::Compound(name, args) => Some((name.clone(), args.len())),
        _ => None,
    }
}
