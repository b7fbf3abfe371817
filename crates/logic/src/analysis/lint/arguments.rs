//! Operations that are terms: in the arguments of what is derived, `double(X, X * 2) :- number(X)` derives `double(1, 1 * 2)`; and of symbols
//! under `=`, as `Z = S + 'x'`. So are aggregates of other languages in heads, as `total(X, sum(Y)) :- cost(X, Y)`.

use super::{dates, shown};
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_term};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::print_term;
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports operations on numbers in facts, heads and effects, each operator of a predicate once, unless a condition reads terms of the
/// operator; and aggregates in heads of `.dl` texts.
pub(super) fn check(
    checked: &CheckedProgram,
    kinds: &ColumnKinds,
    syntax_at: impl Fn(Span) -> Syntax,
    found: &mut Vec<Diagnostic>,
) {
    let mut read = None;
    let mut reads = |operator, arity| {
        let read: &mut FxHashSet<_> = read.get_or_insert_with(|| operators_read(checked, kinds));
        read.contains(&(operator, arity))
    };
    let mut aggregates_read: FxHashMap<&Name, bool> = FxHashMap::default();
    let mut told: FxHashSet<(Predicate, &Name)> = FxHashSet::default();
    let mut has_pairs = None;
    for (atom, body) in checked.conclusions() {
        if let Some((term, functor, function, variable)) = aggregate(atom)
            && syntax_at(atom.span) == Syntax::Datalog
            && !*aggregates_read.entry(functor).or_insert_with(|| reads_compound(checked, functor))
            && told.insert((atom.signature(), functor))
        {
            found.push(told_of_aggregate(term, function, variable, atom.span));
        }
        let Some((term, operator, arity)) = operation(atom) else { continue };
        if let Some(name) = hyphenated(term)
            && syntax_at(atom.span) == Syntax::Datalog
        {
            let has_pairs = *has_pairs.get_or_insert_with(|| has_differences(checked));
            if !has_pairs && told.insert((atom.signature(), operator)) {
                found.push(told_of_hyphens(term, &name, atom.span));
            }
            continue;
        }
        let are_numbers = || kinds.variables(body).is_some_and(|variables| is_of_numbers(term, &variables));
        if reads(operator, arity) || !are_numbers() || dates::of_atom(atom).is_some() {
            continue;
        }
        if told.insert((atom.signature(), operator)) {
            found.push(told_of(term, atom.span, syntax_at(atom.span)));
        }
    }
    let mut told: FxHashSet<Span> = FxHashSet::default();
    for body in checked.bodies() {
        let mut variables = None;
        for literal in body {
            let Literal::Compare(comparison) = literal else { continue };
            let Some((term, operator, arity)) = equated(comparison) else { continue };
            let variables = variables.get_or_insert_with(|| kinds.variables(body).unwrap_or_default());
            let symbol = operands(term).find(|operand| is_symbol(operand, variables));
            if let Some(symbol) = symbol
                && syntax_at(comparison.span) == Syntax::Datalog
                && !reads(operator, arity)
                && told.insert(comparison.span)
            {
                found.push(told_of_symbol(term, symbol, comparison.span));
            }
        }
    }
}

/// The side of `=` that is an operation, with its operator and arity.
fn equated(comparison: &Comparison) -> Option<(&Term, &Name, usize)> {
    let Comparison { comparator: Comparator::Equal, left, right, .. } = comparison else { return None };
    [left, right].into_iter().find_map(|side| match side {
        Term::Compound(functor, args) if is_operator(functor, args.len()) => Some((side, functor, args.len())),
        _ => None,
    })
}

/// Whether a variable has symbols alone. Constants are as often the names of unknowns.
fn is_symbol(operand: &Term, variables: &VariableKinds) -> bool {
    let kinds = of_term(operand, variables);
    matches!(operand, Term::Variable(_)) && kinds.meets(Kinds::SYMBOL) && !kinds.meets(Kinds::NUMBER | Kinds::COMPOUND)
}

fn told_of_symbol(term: &Term, symbol: &Term, place: Span) -> Diagnostic {
    let [term, symbol] = [term, symbol].map(shown);
    Diagnostic::warning(Code::UncomputedFunction, format!("`{term}` is a term here, and not computed"))
        .at(place, format!("`{symbol}` is a symbol, and no number"))
        .help(format!(
            "`Z is cat({symbol}, 'x')` joins symbols, `Z is to_number({symbol})` is the number that one spells; if the term is meant, say \
             so in a comment: `ludolog: allow uncomputed-function`"
        ))
}

fn told_of(term: &Term, place: Span, syntax: Syntax) -> Diagnostic {
    let term = print_term(term, syntax);
    let way_out = match syntax {
        Syntax::Datalog => format!("compute it in the body, as in `Value is {term}`, and write `Value` here"),
        Syntax::Kif => format!(
            "compute it in the body, as in `(is ?value {term})`, and write `?value` here; for other players, which know no \
             arithmetic, state facts as `(succ 1 2)` and read them"
        ),
    };
    Diagnostic::warning(Code::UncomputedFunction, format!("`{term}` is a term here, and not computed"))
        .at(place, "arguments are terms")
        .help(format!("{way_out}; if the term is meant, say so in a comment: `ludolog: allow uncomputed-function`"))
}

fn told_of_hyphens(term: &Term, name: &str, place: Span) -> Diagnostic {
    Diagnostic::warning(
        Code::UncomputedFunction,
        format!("`{}` is a term here: a difference, and no name", shown(term)),
    )
    .at(place, "`-` is an operator")
    .help(format!(
        "quote the name: `'{name}'`; if the term is meant, say so in a comment: `ludolog: allow uncomputed-function`"
    ))
}

/// Whether an argument of a rule is a difference with variables: then such terms are meant, as pairs `X - Y`.
fn has_differences(checked: &CheckedProgram) -> bool {
    let heads = checked.conclusions().map(|(atom, _)| atom);
    let mut atoms = checked.bodies().flatten().filter_map(Literal::atom).chain(heads);
    atoms.any(|atom| compounds(atom).any(|(term, sign, args)| &**sign == "-" && args.len() == 2 && !term.is_ground()))
}

/// The name that a difference of symbols, or of symbols and integers, is without blanks, as `new-york`.
fn hyphenated(term: &Term) -> Option<String> {
    fn spell(term: &Term, text: &mut String, has_symbol: &mut bool) -> bool {
        match term {
            Term::Symbol(name) => {
                *has_symbol = true;
                text.push_str(name);
                true
            }
            Term::Integer(n) => {
                text.push_str(&n.to_string());
                *n >= 0
            }
            Term::Compound(sign, args) if &**sign == "-" && args.len() == 2 => {
                let is_name = spell(&args[0], text, has_symbol);
                text.push('-');
                is_name && spell(&args[1], text, has_symbol)
            }
            _ => false,
        }
    }
    let mut text = String::new();
    let mut has_symbol = false;
    (spell(term, &mut text, &mut has_symbol) && has_symbol).then_some(text)
}

fn told_of_aggregate(term: &Term, function: AggregateFunction, variable: &Name, place: Span) -> Diagnostic {
    let name = function.name();
    let variable = shown(&Term::Variable(variable.clone()));
    let lattice = format!("; `{name} {variable}` without parentheses keeps one value for all others");
    let lattice = if function.joins() { &*lattice } else { "" };
    Diagnostic::warning(Code::UncomputedFunction, format!("`{}` is a term here, and not computed", shown(term)))
        .at(place, "arguments are terms")
        .help(format!(
            "an aggregate stands in the body, `Value = {name} {{ {variable} : … }}`, beside conditions for the other \
             variables{lattice}; if the term is meant, say so in a comment: `ludolog: allow uncomputed-function`"
        ))
}

/// The way out for a term in a condition where its value is meant.
pub(super) fn way_out(term: &Term) -> String {
    match hyphenated(term) {
        Some(name) => format!("`-` is an operator: if a name is meant, quote it, `'{name}'`"),
        None => {
            format!("arguments are terms: compute it before, as in `Value is {}`, and write `Value` here", shown(term))
        }
    }
}

/// The operators and arities of the terms that conditions read: those of which an operand is known by nothing else.
fn operators_read<'c>(checked: &'c CheckedProgram, kinds: &ColumnKinds) -> FxHashSet<(&'c Name, usize)> {
    let mut read = FxHashSet::default();
    for body in checked.bodies() {
        for (term, operator, arity) in body.iter().filter_map(Literal::atom).filter_map(operation) {
            let variables = kinds.variables(body).unwrap_or_default();
            if operands(term).any(|operand| of_term(operand, &variables).is_unknown()) {
                read.insert((operator, arity));
            }
        }
    }
    read
}

/// The first operation in the arguments of an atom, with its operator and arity.
pub(super) fn operation(atom: &Atom) -> Option<(&Term, &Name, usize)> {
    let mut compounds = compounds(atom).map(|(term, functor, args)| (term, functor, args.len()));
    compounds.find(|(_, functor, arity)| is_operator(functor, *arity))
}

/// The first argument that is an aggregate in other languages, `sum(X)`: with its functor, the aggregate and its variable.
fn aggregate(atom: &Atom) -> Option<(&Term, &Name, AggregateFunction, &Name)> {
    atom.args.iter().find_map(|arg| {
        let Term::Compound(functor, args) = arg else { return None };
        let [Term::Variable(variable)] = &args[..] else { return None };
        AggregateFunction::of(functor).map(|function| (arg, functor, function, variable))
    })
}

/// Whether a condition reads compounds of one argument with this functor.
fn reads_compound(checked: &CheckedProgram, functor: &Name) -> bool {
    let mut atoms = checked.bodies().flatten().filter_map(Literal::atom);
    atoms.any(|atom| compounds(atom).any(|(_, other, args)| other == functor && args.len() == 1))
}

/// The compounds in the arguments of an atom, outer ones first.
fn compounds(atom: &Atom) -> impl Iterator<Item = (&Term, &Name, &[Term])> {
    let mut left: Vec<&Term> = atom.args.iter().filter(|arg| matches!(arg, Term::Compound(..))).rev().collect();
    std::iter::from_fn(move || {
        while let Some(term) = left.pop() {
            if let Term::Compound(functor, args) = term {
                left.extend(args.iter().rev());
                return Some((term, functor, &args[..]));
            }
        }
        None
    })
}

fn is_operator(functor: &Name, arity: usize) -> bool {
    Operation::of(functor, arity).is_some_and(Operation::is_operator)
}

/// Whether an operand is a number, and none is something else for certain.
fn is_of_numbers(operation: &Term, variables: &VariableKinds) -> bool {
    let kinds = || operands(operation).map(|operand| of_term(operand, variables));
    let is_number = |kinds: Kinds| kinds != Kinds::NONE && !kinds.meets(Kinds::SYMBOL | Kinds::COMPOUND);
    kinds().any(is_number) && kinds().all(|kinds| is_number(kinds) || kinds.is_unknown())
}

/// What an operation, with those in it, computes with.
fn operands(operation: &Term) -> impl Iterator<Item = &Term> {
    let mut left = vec![operation];
    std::iter::from_fn(move || {
        while let Some(term) = left.pop() {
            match term {
                Term::Compound(functor, args) if is_operator(functor, args.len()) => left.extend(args.iter()),
                operand => return Some(operand),
            }
        }
        None
    })
}
