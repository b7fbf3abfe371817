//! Names, where they stand, and which of them are the same.

use ludolog_syntax::ast::{
    Atom, ColumnType, Effect, Formula, Name, Program, Statement, Term, TypeDefinitions, TypeValues,
};
use ludolog_syntax::diagnostic::{SourceId, Sources, Span};
use ludolog_syntax::{Syntax, Token, TokenKind, print_term};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The functors of `.kif` that stand for the terms of an aggregate and for a range.
const TEMPLATE: &str = ":";
const RANGE: &str = "..";

/// What a name stands for. Two places with equal symbols mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// A predicate with its arity.
    Predicate(Name, usize),
    /// A functor with its arity, or a constant, whose arity is 0. The state facts and moves of a game are such.
    Term(Name, usize),
    /// A variable of the statement of this number in this text.
    Variable(Name, SourceId, usize),
    /// A word of the language with its arity, where it is read as such: of a directive, the function of an aggregate.
    Word(Name, usize),
    /// The path of a file in a directive.
    Path(Name),
}

impl Symbol {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Symbol::Predicate(name, _) | Symbol::Term(name, _) | Symbol::Word(name, _) => name,
            Symbol::Variable(name, ..) | Symbol::Path(name) => name,
        }
    }

    /// The symbol in a message about a text: a variable as it is spelled there, any other with its arity.
    pub fn spelled(&self, syntax: Syntax) -> String {
        match self {
            Symbol::Variable(name, ..) => print_term(&Term::Variable(name.clone()), syntax),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Predicate(name, arity) | Symbol::Term(name, arity) if *arity > 0 => write!(f, "{name}/{arity}"),
            _ => f.write_str(self.name()),
        }
    }
}

/// A place where a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// What it stands for.
    pub symbol: Symbol,
    /// The place of the name alone.
    pub span: Span,
    /// The number of the statement in its text.
    pub statement: usize,
    /// Whether it stands in the head of a rule, in a fact, or in the effects of a transition.
    pub in_head: bool,
}

/// All names among the tokens of the texts of a program, in the order of the tokens.
pub(crate) fn occurrences(sources: &Sources, program: &Program, tokens: &[Token]) -> Vec<Occurrence> {
    let start = |atom: &Atom| (atom.span.source, atom.span.start);
    let mut atoms = HashSet::new();
    for_each_atom(program, &mut |atom| _ = atoms.insert(start(atom)));
    let orders: HashSet<(SourceId, u32)> = orders(program).map(start).collect();
    let found = tokens.iter().filter_map(|token| {
        let source = token.span.source;
        let text = sources.get(source).map_or("", |source| &source.text);
        // In `.kif` an atom begins with the parenthesis before its name.
        let before = text[..token.span.start as usize].trim_end().strip_suffix('(').map(|before| before.len() as u32);
        let starts = [Some(token.span.start), before];
        if let TokenKind::Name(name, _) = &token.kind
            && orders.contains(&(source, token.span.start))
        {
            let symbol = Symbol::Predicate(name.clone(), 2);
            return Some(Occurrence { symbol, span: token.span, statement: token.statement, in_head: false });
        }
        occurrence(token, starts.into_iter().flatten().any(|start| atoms.contains(&(source, start))))
    });
    let mut found: Vec<Occurrence> = found.collect();
    words_of_conditions(&mut found, program);
    name_in_directives(&mut found, program);
    found
}

/// Makes the names that `.kif` reads as functions of aggregates and lattices, as ranges and as choices such words. In `.dl` they are no names.
fn words_of_conditions(found: &mut [Occurrence], program: &Program) {
    let is = |one: &Occurrence, wanted: &str| matches!(&one.symbol, Symbol::Term(name, 1..) if **name == *wanted);
    for at in 0..found.len() {
        let Symbol::Term(name, arity @ 1..) = &found[at].symbol else { continue };
        if program.syntax_at(found[at].span) != Syntax::Kif {
            continue;
        }
        let behind = |number: usize, wanted: &str| {
            found.get(at + number).is_some_and(|one| is_together(one, &found[at]) && is(one, wanted))
        };
        let is_word = match &**name {
            TEMPLATE | RANGE => true,
            // Behind a variable or an integer, which is no name.
            "in" => behind(1, RANGE) || behind(2, RANGE),
            "best" => behind(1, TEMPLATE) || behind(2, TEMPLATE),
            _ => behind(1, TEMPLATE),
        };
        if is_word {
            found[at].symbol = Symbol::Word(name.clone(), *arity);
        }
    }
}

fn is_together(a: &Occurrence, b: &Occurrence) -> bool {
    (a.span.source, a.statement) == (b.span.source, b.statement)
}

/// Tells the names in directives apart: predicates, types, paths, and words of the language.
fn name_in_directives(found: &mut [Occurrence], program: &Program) {
    let mut arities: HashMap<Name, usize> = HashMap::new();
    for one in found.iter() {
        if let Symbol::Predicate(name, arity) = &one.symbol {
            arities.entry(name.clone()).or_insert(*arity);
        }
    }
    let predicate = |one: &mut Occurrence| {
        if let Symbol::Term(name, 0) = &one.symbol
            && let Some(arity) = arities.get(name)
        {
            one.symbol = Symbol::Predicate(name.clone(), *arity);
        }
    };
    let types = TypeDefinitions::of(&program.items);
    // A record is the functor of its compounds.
    let column = |one: &mut Occurrence| {
        let Symbol::Term(name, 0) = &one.symbol else { return };
        one.symbol = match (ColumnType::of(name), types.get(name)) {
            (ColumnType::Defined(_), Some(TypeValues::Record(fields))) => Symbol::Term(name.clone(), fields.len()),
            (ColumnType::Defined(_), _) => return,
            _ => Symbol::Word(name.clone(), 0),
        };
    };
    let path = |one: &mut Occurrence| one.symbol = Symbol::Path(one.symbol.name().into());
    let word = |one: &mut Occurrence| one.symbol = Symbol::Word(one.symbol.name().into(), 0);
    for statement in found.chunk_by_mut(is_together) {
        let Some((first, names)) = statement.split_first_mut() else { continue };
        let Symbol::Term(directive, arity @ 1..) = &first.symbol else { continue };
        match (&**directive, names) {
            ("include", [file]) => path(file),
            ("use", [file, names @ ..]) => {
                path(file);
                names.iter_mut().for_each(predicate);
            }
            ("input", [name, file, header @ ..]) => {
                predicate(name);
                path(file);
                header.iter_mut().for_each(word);
            }
            ("output", [name]) => predicate(name),
            ("type", [name, columns @ ..]) => {
                name.symbol = Symbol::Predicate(name.symbol.name().into(), columns.len());
                columns.iter_mut().for_each(column);
            }
            ("enumeration", _) => {}
            ("record", names) => names.iter_mut().for_each(column),
            _ => continue,
        }
        first.symbol = Symbol::Word(directive.clone(), *arity);
    }
}

fn occurrence(token: &Token, is_predicate: bool) -> Option<Occurrence> {
    let symbol = match token.kind.clone() {
        TokenKind::Name(name, arity) if is_predicate => Symbol::Predicate(name, arity),
        TokenKind::Name(name, arity) => Symbol::Term(name, arity),
        TokenKind::Variable(name) if &*name != "_" => Symbol::Variable(name, token.span.source, token.statement),
        _ => return None,
    };
    Some(Occurrence { symbol, span: token.span, statement: token.statement, in_head: token.in_head })
}

/// The atoms by which lattice columns are ordered, each of which stands as its name alone.
fn orders(program: &Program) -> impl Iterator<Item = &Atom> {
    program.items.iter().filter_map(|item| match &item.statement {
        Statement::Rule(rule) => rule.order(),
        _ => None,
    })
}

/// Calls `visit` with every atom as written, left to right.
pub(crate) fn for_each_atom<'p>(program: &'p Program, visit: &mut impl FnMut(&'p Atom)) {
    for item in &program.items {
        match &item.statement {
            Statement::Rule(rule) => {
                visit(&rule.head);
                rule.body.iter().for_each(|formula| atoms_of(formula, visit));
            }
            Statement::Transition(transition) => {
                transition.conditions.iter().for_each(|formula| atoms_of(formula, visit));
                transition.effects.iter().map(Effect::atom).for_each(&mut *visit);
            }
            Statement::Query(query) | Statement::Constraint(query) => {
                query.body.iter().for_each(|formula| atoms_of(formula, visit))
            }
            Statement::Include(_)
            | Statement::Use(_)
            | Statement::Input(_)
            | Statement::Output(_)
            | Statement::Type(_)
            | Statement::Define(_) => {}
        }
    }
}

fn atoms_of<'p>(formula: &'p Formula, visit: &mut impl FnMut(&'p Atom)) {
    match formula {
        Formula::Atom(atom) => visit(atom),
        Formula::Compare(_) | Formula::Range(_) => {}
        Formula::Aggregate(aggregate) => aggregate.body.iter().for_each(|inner| atoms_of(inner, visit)),
        Formula::Not(inner) => atoms_of(inner, visit),
        Formula::And(list) | Formula::Or(list) => list.iter().for_each(|inner| atoms_of(inner, visit)),
    }
}
