//! `.kif`: one parenthesized form a statement.

use super::{NamePosition, layout, name};
use crate::Syntax;
use crate::ast::*;
use crate::directive;
use crate::kif::spelling;
use std::collections::HashSet;

/// The comparators that a program defines as predicates and never compares by. A file that holds the whole program
/// needs no quotes around them, as GDL has none.
#[derive(Default)]
pub(super) struct OwnNames(HashSet<&'static str>);

impl OwnNames {
    pub(super) fn of<'a>(statements: impl Iterator<Item = &'a Statement>) -> OwnNames {
        let mut defined = HashSet::new();
        let mut compared = HashSet::new();
        for statement in statements {
            let body = match statement {
                Statement::Rule(rule) => {
                    if rule.head.args.len() == 2 && !is_like_rule(&rule.head) {
                        defined.extend(name::KIF_COMPARATORS.into_iter().find(|word| rule.head.predicate == *word));
                    }
                    &rule.body
                }
                Statement::Transition(transition) => &transition.conditions,
                Statement::Query(query) | Statement::Constraint(query) => &query.body,
                Statement::Include(_)
                | Statement::Use(_)
                | Statement::Input(_)
                | Statement::Output(_)
                | Statement::Type(_)
                | Statement::Define(_) => continue,
            };
            body.iter().for_each(|formula| comparisons(formula, &mut compared));
        }
        OwnNames(defined.difference(&compared).copied().collect())
    }
}

fn comparisons(formula: &Formula, found: &mut HashSet<&'static str>) {
    match formula {
        Formula::Atom(_) | Formula::Range(_) => {}
        // It is written with `=`.
        Formula::Aggregate(aggregate) => {
            found.insert(spelling(Comparator::Equal));
            aggregate.body.iter().for_each(|formula| comparisons(formula, found));
        }
        Formula::Compare(comparison) => drop(found.insert(spelling(comparison.comparator))),
        Formula::Not(inner) => comparisons(inner, found),
        Formula::And(list) | Formula::Or(list) => list.iter().for_each(|formula| comparisons(formula, found)),
    }
}

pub(super) fn statement(out: &mut String, statement: &Statement, own: &OwnNames) {
    let text = |formula: &Formula| {
        let mut text = String::new();
        self::formula(&mut text, formula, own);
        text
    };
    match statement {
        Statement::Rule(rule) if rule.body.is_empty() => {
            if rule.head.args.is_empty() {
                // A fact looks like a statement, even one word.
                out.push('(');
                atom(out, &rule.head, own);
                out.push(')');
            } else {
                head(out, rule, own)
            }
        }
        Statement::Rule(rule) => {
            let mut open = "(<= ".to_owned();
            head(&mut open, rule, own);
            layout(out, &open, &rule.body.iter().map(text).collect::<Vec<_>>(), "", ")");
        }
        Statement::Transition(transition) => {
            let effects = transition.effects.iter().map(|effect| {
                let mut text = String::new();
                match effect {
                    Effect::Add(added) => atom(&mut text, added, own),
                    Effect::Delete(deleted) => {
                        text.push_str("(not ");
                        atom(&mut text, deleted, own);
                        text.push(')');
                    }
                }
                text
            });
            let mut conditions = String::new();
            conjunction(&mut conditions, &transition.conditions.iter().map(text).collect::<Vec<_>>());
            let mut all = String::new();
            conjunction(&mut all, &effects.collect::<Vec<_>>());
            layout(out, "(==>", &[conditions, all], "", ")");
        }
        Statement::Query(query) => {
            layout(out, "(?-", &query.body.iter().map(text).collect::<Vec<_>>(), "", ")");
        }
        Statement::Constraint(query) => {
            layout(out, "(<= ()", &query.body.iter().map(text).collect::<Vec<_>>(), "", ")");
        }
        Statement::Include(_)
        | Statement::Use(_)
        | Statement::Input(_)
        | Statement::Output(_)
        | Statement::Type(_)
        | Statement::Define(_) => {
            for (i, word) in directive::words(statement).into_iter().flatten().enumerate() {
                match i {
                    0 => out.push_str(&format!("({word}")),
                    _ => {
                        out.push(' ');
                        name::write_quoted(out, word, '"');
                    }
                }
            }
            out.push(')');
        }
    }
}

fn conjunction(out: &mut String, parts: &[String]) {
    match parts {
        [part] => out.push_str(part),
        parts => layout(out, "(and", parts, "", ")"),
    }
}

pub(super) fn formula(out: &mut String, formula: &Formula, own: &OwnNames) {
    match formula {
        Formula::Atom(inner) => atom(out, inner, own),
        Formula::Compare(comparison) => {
            out.push('(');
            out.push_str(spelling(comparison.comparator));
            for side in [&comparison.left, &comparison.right] {
                out.push(' ');
                term(out, side);
            }
            out.push(')');
        }
        Formula::Aggregate(aggregate) => {
            out.push_str("(= ");
            term(out, &aggregate.result);
            out.push_str(" (");
            out.push_str(aggregate.function.name());
            out.push_str(" (");
            out.push_str(name::TEMPLATE);
            arguments(out, &aggregate.template);
            out.push(')');
            for part in &aggregate.body {
                out.push(' ');
                self::formula(out, part, own);
            }
            out.push_str("))");
        }
        Formula::Range(range) => {
            out.push_str("(in ");
            term(out, &range.element);
            out.push_str(" (");
            out.push_str(name::RANGE);
            arguments(out, &[range.from.clone(), range.to.clone()]);
            out.push_str("))");
        }
        Formula::Not(inner) => connective(out, "not", std::slice::from_ref(&**inner), own),
        Formula::And(list) => connective(out, "and", list, own),
        Formula::Or(list) => connective(out, "or", list, own),
    }
}

fn connective(out: &mut String, word: &str, parts: &[Formula], own: &OwnNames) {
    out.push('(');
    out.push_str(word);
    for part in parts {
        out.push(' ');
        formula(out, part, own);
    }
    out.push(')');
}

pub(super) fn atom(out: &mut String, atom: &Atom, own: &OwnNames) {
    atom_with(out, atom, None, own);
}

fn head(out: &mut String, rule: &Rule, own: &OwnNames) {
    atom_with(out, &rule.head, rule.lattice.as_ref(), own);
}

/// Writes an atom, as a head with this lattice column.
fn atom_with(out: &mut String, atom: &Atom, lattice: Option<&Lattice>, own: &OwnNames) {
    if let Some((keys, values)) = atom.as_choice() {
        out.push_str("(choice");
        for part in [keys, values] {
            out.push_str(&format!(" ({}", name::TEMPLATE));
            arguments(out, part);
            out.push(')');
        }
        return out.push(')');
    }
    if !atom.args.is_empty() {
        out.push('(');
    }
    let position = if atom.args.is_empty() { NamePosition::Alone } else { NamePosition::Functor };
    let predicate = atom.predicate.text();
    let compares = name::KIF_COMPARATORS.contains(&predicate) && !own.0.contains(predicate);
    if compares || name::KIF_KEYWORDS.contains(&predicate) || is_like_rule(atom) {
        name::write_quoted(out, predicate, '|');
    } else {
        name::write_name(out, predicate, position, Syntax::Kif);
    }
    for (i, arg) in atom.args.iter().enumerate() {
        match lattice.filter(|lattice| lattice.column == i) {
            Some(lattice) => {
                out.push_str(" (");
                join(out, &lattice.join);
                out.push_str(&format!(" ({}", name::TEMPLATE));
                arguments(out, std::slice::from_ref(arg));
                out.push_str("))");
            }
            None => arguments(out, std::slice::from_ref(arg)),
        }
    }
    if !atom.args.is_empty() {
        out.push(')');
    }
}

/// Whether an atom would be taken for a rule whose arrow is misspelled, as `(= terminal (true begun))`.
fn is_like_rule(atom: &Atom) -> bool {
    let begins_rule = |arg: &Term| match arg {
        Term::Compound(functor, _) => {
            name::GAME_HEADS.contains(&&**functor) || name::GAME_CONDITIONS.contains(&&**functor)
        }
        _ => false,
    };
    name::behind_arrow(atom.predicate.text()).is_some_and(|rest| {
        let first = atom.args.first().and_then(|arg| match arg {
            Term::Symbol(word) => Some(&**word),
            _ => None,
        });
        name::is_terminal(rest, first) || atom.args.iter().any(begins_rule)
    })
}

fn join(out: &mut String, join: &Join) {
    match join {
        Join::Function(function) => out.push_str(function.name()),
        Join::Order(order) => {
            out.push_str(Join::BEST);
            out.push(' ');
            name::write_name(out, order.predicate.text(), NamePosition::Alone, Syntax::Kif);
        }
    }
}

fn arguments(out: &mut String, args: &[Term]) {
    for arg in args {
        out.push(' ');
        term(out, arg);
    }
}

pub(super) fn term(out: &mut String, term: &Term) {
    match term {
        Term::Variable(variable) => name::write_variable(out, variable, Syntax::Kif),
        Term::Integer(integer) => out.push_str(&integer.to_string()),
        Term::Float(float) => out.push_str(&float.to_string()),
        Term::Symbol(symbol) => name::write_name(out, symbol, NamePosition::Alone, Syntax::Kif),
        Term::Compound(functor, args) => {
            out.push('(');
            name::write_name(out, functor, NamePosition::Functor, Syntax::Kif);
            arguments(out, args);
            out.push(')');
        }
    }
}
