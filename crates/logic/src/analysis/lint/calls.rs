//! Terms where a value is computed that are no functions: conditions with them never hold.

use crate::analysis::clause::Literal;
use crate::analysis::names::NamesBySize;
use ludolog_syntax::ast::{AggregateFunction, Comparator, Comparison, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, functions, print_term};
use rustc_hash::FxHashSet;

/// Most arguments of a function whose name is one of the language, but for `cat`.
const MOST_ARGUMENTS: usize = 3;

/// Reports the first compound of each comparison that stands for a value, and is no function.
pub(super) fn check<'c>(bodies: impl Iterator<Item = &'c [Literal]>, found: &mut Vec<Diagnostic>) {
    let mut reported: FxHashSet<Span> = FxHashSet::default();
    for literal in bodies.flatten() {
        let Literal::Compare(comparison) = literal else { continue };
        let Some(term) = uncomputed(comparison) else { continue };
        if reported.insert(comparison.span) {
            let text = print_term(term, Syntax::Datalog);
            let message = format!("`{text}` is no function, so that the condition never holds");
            let wrong = Diagnostic::warning(Code::UnknownFunction, message).at(comparison.span, "it has no value here");
            found.push(advised(wrong, term, comparison.span));
        }
    }
}

/// The first compound in what a comparison computes that is no operation.
fn uncomputed(comparison: &Comparison) -> Option<&Term> {
    let &Comparison { comparator, ref left, ref right, .. } = comparison;
    if matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
        return None;
    }
    let mut open = vec![right, left];
    while let Some(term) = open.pop() {
        let Term::Compound(name, args) = term else { continue };
        match Operation::of(name, args.len()) {
            None => return Some(term),
            // Its arguments are any terms.
            Some(Operation::Called(_)) => {}
            Some(_) => open.extend(args.iter().rev()),
        }
    }
    None
}

/// The aggregate that a name is, or in another language that has no function of this name.
fn aggregate_meant(name: &str, arity: usize) -> Option<&str> {
    let is_function = Operation::named_elsewhere(name, arity).is_some();
    let elsewhere = || AggregateFunction::named_elsewhere(name).filter(|_| !is_function);
    AggregateFunction::of(name).map(|_| name).or_else(elsewhere)
}

/// The warning with the function that was probably meant, or all that can be said.
fn advised(wrong: Diagnostic, term: &Term, place: Span) -> Diagnostic {
    let Term::Compound(name, args) = term else { return wrong };
    if let (Some(aggregate), [of]) = (aggregate_meant(name, args.len()), &args[..]) {
        let of = print_term(of, Syntax::Datalog);
        return wrong.help(format!("an aggregate is written `N = {aggregate} {{ {of} : p({of}) }}`"));
    }
    let of_language = |name: &str| (1..=MOST_ARGUMENTS).filter(|arity| Operation::of(name, *arity).is_some()).collect();
    let arities: Vec<usize> = of_language(name);
    if let Some(arity) = arities.first() {
        return wrong.help(format!("`{name}` has {arity} argument{}", if *arity == 1 { "" } else { "s" }));
    }
    if let Some(meant) = Operation::named_elsewhere(name, args.len()) {
        return wrong.help(format!("the function is `{meant}`")).respelled(place, &**name, meant);
    }
    let language = Operation::FUNCTIONS.iter().filter(|other| Operation::of(other, args.len()).is_some());
    let language = language.map(|other| Predicate::new(*other, args.len()));
    let registered = functions::names().into_iter().map(|(name, arity)| Predicate::new(name.as_str(), arity));
    let known: Vec<Predicate> = language.chain(registered).collect();
    match NamesBySize::of(&known).meant(&Predicate::new(&**name, args.len())) {
        Some(meant) => {
            wrong.help(format!("did you mean `{}`?", meant.name)).respelled(place, &**name, meant.name.text())
        }
        None => wrong.help(
            "`=` and `!=` compare terms; functions are those of the language, and in the library those that were registered",
        ),
    }
}
