//! Symbols of conditions that nothing else has, and that are spelled nearly as one that a fact, a head or a table has: slips of the pen. With one,
//! a condition never holds, and its negation always does.

use crate::analysis::clause::{CheckedProgram, Elements, Literal};
use crate::analysis::formula::symbols_of_term;
use indexmap::IndexMap;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Operation, Term, nearest};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The fewest letters of symbols that are near each other by no chance.
const SHORTEST: usize = 4;

/// More symbols that nothing has are of a generated program, or of one whose facts are elsewhere.
const MOST_SLIPS: usize = 64;

/// Among more symbols of about the same length, near ones are no slips.
const MOST_NEAR: usize = 1000;

/// How near a symbol has to be to another one to be told as a slip for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// The same but for capitals. Rules may ask for symbols that a table of other days has.
    Capitals,
    /// Or as few letters away as a slip of the pen.
    Letters,
}

/// Symbols that conditions ask for, with the first place of each.
type Asked<'p> = IndexMap<&'p Name, Span, FxBuildHasher>;

/// Reports symbols that bodies ask for, each once. Nothing is told of a program that makes symbols of others, or to which events bring them;
/// `given` are the terms of what is given to it. Nothing is told of a symbol that is not among the first `most` terms, if there are more.
pub(super) fn check<'p>(
    bodies: impl Iterator<Item = &'p [Literal]>,
    checked: &'p CheckedProgram,
    given: impl Iterator<Item = &'p Term> + Clone,
    most: usize,
    nearness: Nearness,
    syntax_at: impl Fn(Span) -> Syntax,
    found: &mut Vec<Diagnostic>,
) {
    let mut asked = Asked::default();
    for body in bodies {
        visit(body, &mut |symbol, span| _ = asked.entry(symbol).or_insert(span), &mut |_| {});
    }
    if asked.is_empty() || !checked.transitions.is_empty() || makes_symbols(checked) {
        return;
    }
    let heads = checked.facts.iter().chain(checked.rules.iter().map(|rule| &rule.head));
    let terms = heads.flat_map(|head| &head.args).chain(given);
    checked.bodies().for_each(|body| visit(body, &mut |_, _| {}, &mut |term| remove_symbols(&mut asked, term)));
    for (read, term) in terms.clone().enumerate() {
        if asked.is_empty() || read == most {
            return;
        }
        remove_symbols(&mut asked, term);
    }
    if asked.len() > MOST_SLIPS {
        return;
    }
    let meant = meant(&asked, terms, nearness);
    for ((symbol, span), meant) in asked.into_iter().zip(meant) {
        let Some(meant) = meant else { continue };
        let [asked, meant] = [&**symbol, meant].map(|text| print_term(&Term::Symbol(text.into()), syntax_at(span)));
        found.push(
            Diagnostic::warning(Code::UnknownName, format!("no fact or rule has `{asked}`"))
                .at(span, "so nothing is equal to it")
                .help(format!("did you mean `{meant}`?"))
                .respelled(span, asked, meant),
        );
    }
}

/// The symbols of a term are not looked for any more.
fn remove_symbols<'p>(asked: &mut Asked<'p>, term: &'p Term) {
    symbols_of_term(term, &mut |symbol| _ = asked.swap_remove(symbol));
}

/// The symbol among the terms that each of the others is probably a slip for: the same but for capitals, or the nearest of a few. Reads the terms
/// once.
fn meant<'p>(asked: &Asked, terms: impl Iterator<Item = &'p Term>, nearness: Nearness) -> Vec<Option<&'p str>> {
    let lengths: Vec<usize> = asked.keys().map(|symbol| symbol.chars().count()).collect();
    let any_length: FxHashSet<usize> = lengths.iter().copied().collect();
    let mut same: FxHashMap<String, Option<&'p str>> =
        asked.keys().map(|symbol| (symbol.to_lowercase(), None)).collect();
    let is_word = |symbol: &str| nearness == Nearness::Letters && !is_numbered(symbol);
    let are_words: Vec<bool> =
        asked.keys().zip(&lengths).map(|(s, &length)| length >= SHORTEST && is_word(s)).collect();
    let mut near: Vec<FxHashSet<&'p str>> = vec![FxHashSet::default(); asked.len()];
    let mut note = |other: &'p Name| {
        let length = other.chars().count();
        if any_length.contains(&length)
            && let Some(least) = same.get_mut(&other.to_lowercase())
        {
            *least = least.iter().copied().chain([&**other]).min();
        }
        if !is_word(other) {
            return;
        }
        for ((near, &is_word), asked) in near.iter_mut().zip(&are_words).zip(&lengths) {
            if is_word && near.len() <= MOST_NEAR && length.abs_diff(*asked) <= 2 {
                near.insert(other);
            }
        }
    };
    terms.for_each(|term| symbols_of_term(term, &mut note));
    let one = |(symbol, near): (&&Name, FxHashSet<&'p str>)| {
        let few = if near.len() > MOST_NEAR { FxHashSet::default() } else { near };
        same[&symbol.to_lowercase()].or_else(|| nearest(symbol, few.into_iter()))
    };
    asked.keys().zip(near).map(one).collect()
}

/// Visits the symbols that a body asks for, which stand for an argument or are compared with a variable that a subgoal binds, and all its other
/// terms.
fn visit<'p>(body: &'p [Literal], asked: &mut impl FnMut(&'p Name, Span), others: &mut impl FnMut(&'p Term)) {
    let bound = compared_and_bound(body);
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                for arg in &atom.args {
                    match arg {
                        Term::Symbol(symbol) => asked(symbol, atom.span),
                        other => others(other),
                    }
                }
            }
            Literal::Compare(Comparison { comparator, left, right, span })
            | Literal::NotCompare(Comparison { comparator, left, right, span }) => match (comparator, left, right) {
                (Comparator::Equal | Comparator::NotEqual, Term::Variable(name), Term::Symbol(symbol))
                | (Comparator::Equal | Comparator::NotEqual, Term::Symbol(symbol), Term::Variable(name))
                    if bound.contains(name) =>
                {
                    asked(symbol, *span);
                }
                _ => [left, right].into_iter().for_each(&mut *others),
            },
            Literal::Aggregate(aggregation) => aggregation.outer().for_each(&mut *others),
            Literal::Member { element, elements, .. } => {
                others(element);
                if let Elements::List(list) = elements {
                    others(list);
                }
            }
        }
    }
}

/// The variables that subgoals of a body bind, if it compares some.
fn compared_and_bound(body: &[Literal]) -> FxHashSet<&Name> {
    let compares = |literal: &Literal| matches!(literal, Literal::Compare(_) | Literal::NotCompare(_));
    let mut bound = FxHashSet::default();
    if !body.iter().any(compares) {
        return bound;
    }
    for literal in body {
        if let Literal::Positive(atom) = literal {
            bound.extend(atom.args.iter().filter_map(|arg| match arg {
                Term::Variable(name) => Some(name),
                _ => None,
            }));
        }
    }
    bound
}

/// Whether a condition computes symbols, which may be any.
fn makes_symbols(checked: &CheckedProgram) -> bool {
    let makes = |term: &Term| match term {
        Term::Compound(name, args) => Operation::of(name, args.len()).is_some_and(Operation::makes_symbols),
        _ => false,
    };
    let mut comparisons = checked.bodies().flatten().filter_map(|literal| match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => Some(comparison),
        _ => None,
    });
    comparisons.any(|comparison| makes(&comparison.left) || makes(&comparison.right))
}

/// Whether a symbol has digits: numbered names are near each other, and no slips.
fn is_numbered(symbol: &str) -> bool {
    symbol.chars().any(char::is_numeric)
}
