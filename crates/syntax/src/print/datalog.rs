//! `.dl`: infix rules.

use super::{Anonymous, INDENT, NamePosition, WIDTH, layout, name};
use crate::Syntax;
use crate::ast::*;
use crate::{directive, foreign};

pub(super) fn statement(out: &mut String, statement: &Statement, anonymous: &Anonymous) {
    let conjuncts = |formulas: &[Formula]| -> Vec<String> {
        formulas
            .iter()
            .map(|formula| {
                let mut text = String::new();
                // A disjunction is looser than the conjunction that it may stand in.
                grouped(&mut text, formula, matches!(formula, Formula::Or(_)) && formulas.len() > 1, anonymous);
                text
            })
            .collect()
    };
    match statement {
        Statement::Rule(rule) => {
            let mut open = String::new();
            head(&mut open, rule, anonymous);
            if !rule.body.is_empty() {
                open.push_str(" :-");
            }
            layout(out, &open, &conjuncts(&rule.body), " &", ".");
        }
        Statement::Transition(transition) => {
            let effects = transition.effects.iter().map(|effect| {
                let mut text = String::new();
                let (Effect::Add(changed) | Effect::Delete(changed)) = effect;
                if matches!(effect, Effect::Delete(_)) {
                    text.push('~');
                }
                atom(&mut text, changed, anonymous);
                text
            });
            let effects: Vec<String> = effects.collect();
            let mut before = String::new();
            let mut after = String::new();
            layout(&mut before, "", &conjuncts(&transition.conditions), " &", "");
            layout(&mut after, "==>", &effects, " &", ".");
            out.push_str(&before);
            let fits = before.chars().count() + after.chars().count() < WIDTH;
            out.push_str(if fits { " " } else { INDENT });
            out.push_str(&after);
        }
        Statement::Query(query) => layout(out, "?-", &conjuncts(&query.body), " &", "."),
        Statement::Constraint(query) => {
            let mut parts = conjuncts(&query.body);
            if let (Some(Formula::Atom(first)), Some(part)) = (query.body.first(), parts.first_mut())
                && is_read_as_directive(&first.predicate)
            {
                *part = format!("({part})");
            }
            layout(out, ":-", &parts, " &", ".");
        }
        Statement::Include(path) => {
            out.push_str(":- include(");
            name::write_quoted(out, path, '\'');
            out.push_str(").");
        }
        Statement::Use(Use { path, renamed }) => {
            out.push_str(":- use(");
            name::write_quoted(out, path, '\'');
            for (inner, outer) in renamed {
                out.push_str(", ");
                name::write_name(out, inner, NamePosition::Functor, Syntax::Datalog);
                out.push_str(" = ");
                name::write_name(out, outer, NamePosition::Functor, Syntax::Datalog);
            }
            out.push_str(").");
        }
        Statement::Input(input) => {
            out.push_str(":- input(");
            name::write_name(out, &input.predicate, NamePosition::Functor, Syntax::Datalog);
            out.push_str(", ");
            name::write_quoted(out, &input.path, '\'');
            out.push_str(if input.header { ", header)." } else { ")." });
        }
        Statement::Type(ColumnTypes { predicate, columns }) => {
            out.push_str(":- type(");
            name::write_name(out, predicate.text(), NamePosition::Functor, Syntax::Datalog);
            for column in columns {
                out.push_str(", ");
                name::write_name(out, column.name(), NamePosition::Functor, Syntax::Datalog);
            }
            out.push_str(").");
        }
        Statement::Define(_) => {
            for (i, word) in directive::words(statement).into_iter().flatten().enumerate() {
                out.push_str(match i {
                    0 => ":- ",
                    1 => "(",
                    _ => ", ",
                });
                name::write_name(out, word, NamePosition::Functor, Syntax::Datalog);
            }
            out.push_str(").");
        }
        Statement::Output(predicate) => {
            out.push_str(":- output(");
            name::write_name(out, predicate, NamePosition::Functor, Syntax::Datalog);
            out.push_str(").");
        }
    }
}

/// Whether a constraint that begins with this predicate would be read as a directive.
fn is_read_as_directive(predicate: &PredicateName) -> bool {
    let is_name = |name: &str| directive::NAMES.contains(&name) || foreign::prolog_directive_help(name).is_some();
    predicate.written().is_some_and(is_name)
}

pub(super) fn formula(out: &mut String, formula: &Formula, anonymous: &Anonymous) {
    match formula {
        Formula::Atom(inner) => atom(out, inner, anonymous),
        Formula::Compare(Comparison { comparator: Comparator::Matches, left, right, .. }) => {
            out.push_str(name::MATCHES);
            out.push('(');
            term(out, left, anonymous);
            out.push_str(", ");
            term(out, right, anonymous);
            out.push(')');
        }
        Formula::Compare(comparison) => {
            term(out, &comparison.left, anonymous);
            out.push(' ');
            out.push_str(spelling(comparison.comparator));
            out.push(' ');
            term(out, &comparison.right, anonymous);
        }
        Formula::Aggregate(aggregate) => {
            term(out, &aggregate.result, anonymous);
            out.push_str(" = ");
            out.push_str(aggregate.function.name());
            for (i, part) in aggregate.template.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { " { " });
                term(out, part, anonymous);
            }
            out.push_str(" : ");
            let is_alone = aggregate.body.len() == 1;
            joined(out, &aggregate.body, " & ", anonymous, |part| matches!(part, Formula::Or(_)) && !is_alone);
            out.push_str(" }");
        }
        Formula::Range(range) => {
            term(out, &range.element, anonymous);
            out.push_str(" in ");
            term(out, &range.from, anonymous);
            out.push_str(name::RANGE);
            term(out, &range.to, anonymous);
        }
        Formula::Not(inner) => {
            out.push('~');
            let binds = matches!(**inner, Formula::Atom(_) | Formula::Not(_));
            grouped(out, inner, !binds, anonymous);
        }
        Formula::And(list) => {
            joined(out, list, " & ", anonymous, |part| matches!(part, Formula::Or(_) | Formula::And(_)))
        }
        Formula::Or(list) => joined(out, list, " | ", anonymous, |part| matches!(part, Formula::Or(_))),
    }
}

fn joined(
    out: &mut String,
    list: &[Formula],
    separator: &str,
    anonymous: &Anonymous,
    group: impl Fn(&Formula) -> bool,
) {
    for (i, part) in list.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        grouped(out, part, group(part), anonymous);
    }
}

fn grouped(out: &mut String, inner: &Formula, group: bool, anonymous: &Anonymous) {
    if group {
        out.push('(');
    }
    formula(out, inner, anonymous);
    if group {
        out.push(')');
    }
}

fn spelling(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Is => "is",
        Comparator::Equal => "=",
        Comparator::NotEqual => "!=",
        Comparator::SameValue => "=:=",
        Comparator::OtherValue => "=\\=",
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
        Comparator::Matches => name::MATCHES,
    }
}

pub(super) fn atom(out: &mut String, atom: &Atom, anonymous: &Anonymous) {
    if let Some((keys, values)) = atom.as_choice() {
        out.push_str("choice(");
        for (i, part) in keys.iter().chain(values).enumerate() {
            out.push_str(match i {
                0 if keys.is_empty() => "; ",
                0 => "",
                _ if i == keys.len() => "; ",
                _ => ", ",
            });
            term(out, part, anonymous);
        }
        return out.push(')');
    }
    name::write_name(out, atom.predicate.text(), NamePosition::Functor, Syntax::Datalog);
    if !atom.args.is_empty() {
        arguments(out, '(', &atom.args, ')', None, anonymous);
    }
}

fn head(out: &mut String, rule: &Rule, anonymous: &Anonymous) {
    name::write_name(out, rule.head.predicate.text(), NamePosition::Functor, Syntax::Datalog);
    if !rule.head.args.is_empty() {
        arguments(out, '(', &rule.head.args, ')', rule.lattice.as_ref(), anonymous);
    }
}

fn join(out: &mut String, join: &Join) {
    match join {
        Join::Function(function) => out.push_str(function.name()),
        Join::Order(order) => {
            out.push_str(Join::BEST);
            out.push('(');
            name::write_name(out, order.predicate.text(), NamePosition::Alone, Syntax::Datalog);
            out.push(')');
        }
    }
}

fn arguments(
    out: &mut String,
    open: char,
    args: &[Term],
    close: char,
    lattice: Option<&Lattice>,
    anonymous: &Anonymous,
) {
    out.push(open);
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if let Some(lattice) = lattice.filter(|lattice| lattice.column == i) {
            join(out, &lattice.join);
            out.push(' ');
            operand(out, arg, binding(arg) < 3, anonymous);
            continue;
        }
        term(out, arg, anonymous);
    }
    out.push(close);
}

pub(super) fn term(out: &mut String, term: &Term, anonymous: &Anonymous) {
    match term {
        Term::Variable(variable) if anonymous.0.contains(variable) => out.push('_'),
        Term::Variable(variable) => name::write_variable(out, variable, Syntax::Datalog),
        Term::Integer(integer) => out.push_str(&integer.to_string()),
        Term::Float(float) => out.push_str(&float.to_string()),
        Term::Symbol(symbol) if &**symbol == "nil" => out.push_str("[]"),
        Term::Symbol(symbol) => name::write_name(out, symbol, NamePosition::Alone, Syntax::Datalog),
        Term::Compound(functor, args) => match (&**functor, args.as_slice()) {
            ("cons", [_, _]) => list(out, term, anonymous),
            ("+" | "-" | "*" | "/" | "mod", [left, right]) => {
                let level = binding(term);
                operand(out, left, binding(left) < level, anonymous);
                out.push(' ');
                out.push_str(functor);
                out.push(' ');
                operand(out, right, binding(right) <= level, anonymous);
            }
            ("-", [inner]) => {
                out.push('-');
                // `-3` would be the number.
                operand(
                    out,
                    inner,
                    binding(inner) < 3 || matches!(inner, Term::Integer(_) | Term::Float(_)),
                    anonymous,
                );
            }
            _ => {
                name::write_name(out, functor, NamePosition::Functor, Syntax::Datalog);
                arguments(out, '(', args, ')', None, anonymous);
            }
        },
    }
}

fn operand(out: &mut String, inner: &Term, group: bool, anonymous: &Anonymous) {
    if group {
        out.push('(');
    }
    term(out, inner, anonymous);
    if group {
        out.push(')');
    }
}

/// The precedence of a term's operator: sums, products, negatives, and all that needs no parentheses.
fn binding(term: &Term) -> u8 {
    match term {
        Term::Compound(functor, args) => match (&**functor, args.len()) {
            ("+" | "-", 2) => 0,
            ("*" | "/" | "mod", 2) => 1,
            ("-", 1) => 2,
            _ => 3,
        },
        _ => 3,
    }
}

/// `[a, b | T]`. Lists made at run time may be long: the spine is followed in a loop.
fn list(out: &mut String, mut list: &Term, anonymous: &Anonymous) {
    let mut open = "[";
    loop {
        match list {
            Term::Compound(functor, args) if &**functor == "cons" && args.len() == 2 => {
                out.push_str(open);
                term(out, &args[0], anonymous);
                open = ", ";
                list = &args[1];
            }
            Term::Symbol(symbol) if &**symbol == "nil" => break,
            tail => {
                out.push_str(" | ");
                term(out, tail, anonymous);
                break;
            }
        }
    }
    out.push(']');
}
