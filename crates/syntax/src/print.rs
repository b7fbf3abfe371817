//! Programs as text, which reads back as the same program, in either syntax.
//!
//! The layout is a function of the program alone: one statement a line, a body too long for its line with one condition
//! a line, and a blank line where the subject changes.

mod datalog;
mod kif;

use super::Syntax;
use super::ast::*;
use super::name::{self, NamePosition};
use std::collections::{HashMap, HashSet};

/// Statements longer than this are broken into lines.
const WIDTH: usize = 100;
const INDENT: &str = "\n    ";

/// The whole program, comments included.
pub fn print(program: &Program, syntax: Syntax) -> String {
    let own = kif::OwnNames::of(program.items.iter().map(|item| &item.statement));
    let mut out = String::new();
    let mut last = None;
    for item in &program.items {
        let subject = subject(&item.statement);
        if last.is_some_and(|last| last != subject || !item.comments.is_empty()) {
            out.push('\n');
        }
        last = Some(subject);
        comments(&mut out, &item.comments, syntax);
        statement(&mut out, &item.statement, syntax, &own);
        out.push('\n');
    }
    if !program.items.is_empty() && !program.trailing.is_empty() {
        out.push('\n');
    }
    comments(&mut out, &program.trailing, syntax);
    out
}

/// One statement, without its comments and without a line's end. It means the same in any file: every name that the
/// syntax reserves is quoted.
pub fn print_statement(statement: &Statement, syntax: Syntax) -> String {
    let mut out = String::new();
    self::statement(&mut out, statement, syntax, &kif::OwnNames::default());
    out
}

/// One condition.
pub fn print_formula(formula: &Formula, syntax: Syntax) -> String {
    let mut out = String::new();
    match syntax {
        Syntax::Kif => kif::formula(&mut out, formula, &kif::OwnNames::default()),
        Syntax::Datalog => datalog::formula(&mut out, formula, &Anonymous::default()),
    }
    out
}

/// One atom.
pub fn print_atom(atom: &Atom, syntax: Syntax) -> String {
    let mut out = String::new();
    match syntax {
        Syntax::Kif => kif::atom(&mut out, atom, &kif::OwnNames::default()),
        Syntax::Datalog => datalog::atom(&mut out, atom, &Anonymous::default()),
    }
    out
}

/// One term. In `.kif`, this is the canonical text of GDL: lower case, single spaces.
pub fn print_term(term: &Term, syntax: Syntax) -> String {
    let mut out = String::new();
    match syntax {
        Syntax::Kif => kif::term(&mut out, term),
        Syntax::Datalog => datalog::term(&mut out, term, &Anonymous::default()),
    }
    out
}

fn statement(out: &mut String, statement: &Statement, syntax: Syntax, own: &kif::OwnNames) {
    match syntax {
        Syntax::Kif => kif::statement(out, statement, own),
        Syntax::Datalog => datalog::statement(out, statement, &Anonymous::of(statement)),
    }
}

/// The subject of a statement: neighbors with the same subject stand without a blank line between them.
fn subject(statement: &Statement) -> (u8, &str, usize) {
    match statement {
        Statement::Include(_) | Statement::Use(_) | Statement::Input(_) | Statement::Type(_) | Statement::Define(_) => {
            (0, "", 0)
        }
        // Facts stand in tables, whatever they are about.
        Statement::Rule(rule) if rule.body.is_empty() => (1, "", 0),
        Statement::Rule(rule) => (2, rule.head.predicate.text(), rule.head.args.len()),
        Statement::Transition(_) => (3, "", 0),
        Statement::Output(_) => (4, "", 0),
        Statement::Query(_) => (5, "", 0),
        Statement::Constraint(_) => (6, "", 0),
    }
}

fn comments(out: &mut String, comments: &[String], syntax: Syntax) {
    let mark = match syntax {
        Syntax::Kif => ';',
        Syntax::Datalog => '%',
    };
    for comment in comments {
        out.push(mark);
        // A comment that begins with the mark was written with several: `;;; Title`.
        if !comment.is_empty() && !comment.starts_with(mark) {
            out.push(' ');
        }
        out.push_str(comment);
        out.push('\n');
    }
}

/// Appends `open parts close` in one line if it fits, else the parts a line each, `separator` behind all but the last.
fn layout(out: &mut String, open: &str, parts: &[String], separator: &str, close: &str) {
    let separators = separator.len().max(1) * parts.len();
    let length = open.chars().count() + parts.iter().map(|part| part.chars().count()).sum::<usize>() + separators;
    let (start, between) =
        if length <= WIDTH { (" ", format!("{separator} ")) } else { (INDENT, format!("{separator}{INDENT}")) };
    out.push_str(open);
    if !open.is_empty() && !parts.is_empty() {
        out.push_str(start);
    }
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push_str(&between);
        }
        out.push_str(part);
    }
    out.push_str(close);
}

/// The variables of a statement that `.dl` can write as `_`: numbering the `_` anew gives them the name they have.
#[derive(Default)]
struct Anonymous(HashSet<Name>);

impl Anonymous {
    fn of(statement: &Statement) -> Anonymous {
        let mut occurrences: HashMap<&Name, usize> = HashMap::new();
        let mut candidates = Vec::new();
        for_each_variable(statement, &mut |variable| {
            if let Some(number) = name::anonymous_number(variable) {
                *occurrences.entry(variable).or_default() += 1;
                candidates.push((variable, number));
            }
        });
        // One that occurs twice has to be written out; so has one that is not next in the count. As all numbers below
        // `next` are used or written out, that one's number is greater, and what was decided before stands.
        let mut written: HashSet<usize> =
            candidates.iter().filter(|(variable, _)| occurrences[variable] > 1).map(|(_, number)| *number).collect();
        let mut next = 1;
        let mut anonymous = HashSet::new();
        for (variable, number) in candidates {
            while written.contains(&next) {
                next += 1;
            }
            if number == next {
                anonymous.insert(variable.clone());
                next += 1;
            } else {
                written.insert(number);
            }
        }
        Anonymous(anonymous)
    }
}

/// Calls `visit` with every variable in the order in which the statement is written.
fn for_each_variable<'a>(statement: &'a Statement, visit: &mut impl FnMut(&'a Name)) {
    match statement {
        Statement::Rule(rule) => {
            in_atom(&rule.head, visit);
            rule.body.iter().for_each(|formula| formula.for_each_variable(visit));
        }
        Statement::Transition(transition) => {
            transition.conditions.iter().for_each(|formula| formula.for_each_variable(visit));
            for effect in &transition.effects {
                let (Effect::Add(atom) | Effect::Delete(atom)) = effect;
                in_atom(atom, visit);
            }
        }
        Statement::Query(query) | Statement::Constraint(query) => {
            query.body.iter().for_each(|formula| formula.for_each_variable(visit))
        }
        Statement::Include(_)
        | Statement::Use(_)
        | Statement::Input(_)
        | Statement::Output(_)
        | Statement::Type(_)
        | Statement::Define(_) => {}
    }
}

fn in_atom<'a>(atom: &'a Atom, visit: &mut impl FnMut(&'a Name)) {
    atom.args.iter().for_each(|arg| arg.for_each_variable(visit));
}
