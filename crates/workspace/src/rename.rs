//! Another name, in all files that are read together.

use crate::Analysis;
use crate::describe::{is_gdl_keyword, is_gdl_word};
use crate::symbol::Symbol;
use ludolog_syntax::ast::{Atom, Formula, Item, Name, Statement, Term};
use ludolog_syntax::diagnostic::{SourceId, Sources};
use ludolog_syntax::{Syntax, parse, parse_goal, print_term};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The constants that mean something in a game: the role of chance, and what managers send for no moves.
const RESERVED: [&str; 2] = ["random", "nil"];

/// A change of a text: these bytes become that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextChange {
    /// The bytes that go.
    pub start: usize,
    /// The byte behind the last of them.
    pub end: usize,
    /// What takes their place.
    pub text: String,
}

impl TextChange {
    /// A change of this range.
    pub fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        TextChange { start: range.start, end: range.end, text: text.into() }
    }

    /// The text after changes that do not overlap, in the order of places.
    pub fn apply(text: &str, changes: &[TextChange]) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut at = 0;
        for change in changes {
            changed.push_str(text.get(at..change.start).unwrap_or_default());
            changed.push_str(&change.text);
            at = change.end;
        }
        changed.push_str(text.get(at..).unwrap_or_default());
        changed
    }
}

/// A file in which a symbol occurs, with the places and how it is spelled there.
pub type Places = BTreeMap<PathBuf, BTreeSet<(usize, usize)>>;

/// The places of a symbol of the text of `path` in all files that are read together with it.
pub fn references(analyses: &[Arc<Analysis>], symbol: &Symbol, path: &Path) -> Places {
    let mut places = Places::new();
    for analysis in analyses {
        // A text has another number in each analysis.
        let Some((source, _)) = analysis.source(path) else { continue };
        let symbol = match symbol {
            Symbol::Variable(name, _, statement) => Symbol::Variable(name.clone(), source, *statement),
            other => other.clone(),
        };
        for one in analysis.occurrences_of(&symbol) {
            let Some(path) = analysis.path(one.span.source) else { continue };
            places.entry(path.to_owned()).or_default().insert((one.span.start as usize, one.span.end as usize));
        }
    }
    places
}

/// The changes that give a symbol of the text of `path` another name, by file.
///
/// # Errors
///
/// Why it cannot have that name, in words: the name is none, GDL or a file that cannot be changed keeps the old one, or
/// something else has the new one already.
pub fn rename(
    analyses: &[Arc<Analysis>],
    symbol: &Symbol,
    path: &Path,
    new: &str,
) -> Result<BTreeMap<PathBuf, Vec<TextChange>>, String> {
    let Some((source, syntax)) = analyses.first().and_then(|analysis| analysis.source(path)) else {
        return Err("this file cannot be read".to_owned());
    };
    let new = read_name(symbol, new, syntax)?;
    for analysis in analyses {
        refuse_clash(analysis, symbol, &new, (source, syntax))?;
    }
    let mut changes = BTreeMap::new();
    for (file, places) in references(analyses, symbol, path) {
        if file.to_string_lossy().starts_with("std:") {
            return Err(format!("`{symbol}` is also a name of `{}`, which comes with Ludolog", file.display()));
        }
        let syntax = analyses.iter().find_map(|analysis| analysis.source(&file)).map_or(syntax, |(_, syntax)| syntax);
        let spelled = spell(symbol, &new, syntax);
        if !names_predicate(symbol, &spelled, &new, syntax) {
            return Err(format!("`{spelled}` is a word of the language"));
        }
        let text = analyses.iter().find_map(|analysis| {
            let (source, _) = analysis.source(&file)?;
            Some(analysis.sources.get(source)?.text.clone())
        });
        // The names in the directives of `.kif` stand in double quotes.
        let is_quoted = |start: usize| {
            let text = text.as_ref().and_then(|text| text.get(start..));
            syntax == Syntax::Kif && text.is_some_and(|text| text.starts_with('"'))
        };
        let of_file = places.into_iter().map(|(start, end)| {
            let spelled = if is_quoted(start) { format!("{new:?}") } else { spelled.clone() };
            TextChange::new(start..end, spelled)
        });
        changes.insert(file, of_file.collect());
    }
    Ok(changes)
}

/// The name that a person has typed, as a variable or a name of `syntax`.
fn read_name(symbol: &Symbol, typed: &str, syntax: Syntax) -> Result<Name, String> {
    let typed = typed.trim();
    let term = syntax_term(typed, syntax);
    match (symbol, term) {
        (Symbol::Variable(..), Some(Term::Variable(name))) => Ok(name),
        (Symbol::Variable(..), _) => Err(match syntax {
            Syntax::Kif => format!("`{typed}` is no variable; variables begin with `?`"),
            Syntax::Datalog => format!("`{typed}` is no variable; variables begin with a capital letter"),
        }),
        (_, Some(Term::Symbol(name))) => Ok(name),
        _ => Err(format!("`{typed}` is no name; quote it if it has to be one")),
    }
}

/// A text as one term.
fn syntax_term(typed: &str, syntax: Syntax) -> Option<Term> {
    let goal = match syntax {
        Syntax::Kif => format!("(p {typed})"),
        Syntax::Datalog => format!("p({typed})"),
    };
    let query = parse_goal(&goal, &mut Sources::new(), Some(syntax)).ok()?;
    match <[Formula; 1]>::try_from(query.body).ok()? {
        [Formula::Atom(atom)] => <[Term; 1]>::try_from(atom.args).ok().map(|[term]| term),
        _ => None,
    }
}

/// The name as it is spelled in a text.
fn spell(symbol: &Symbol, new: &Name, syntax: Syntax) -> String {
    match symbol {
        Symbol::Variable(..) => print_term(&Term::Variable(new.clone()), syntax),
        _ => print_term(&Term::Symbol(new.clone()), syntax),
    }
}

/// Whether a spelling before the arguments of a predicate is read as its name, in conditions and in heads; whether a symbol is no predicate.
fn names_predicate(symbol: &Symbol, spelled: &str, name: &Name, syntax: Syntax) -> bool {
    let Symbol::Predicate(_, arity) = symbol else { return true };
    let arguments = vec!["1"; (*arity).max(1)];
    let fact = match syntax {
        Syntax::Kif => format!("({spelled} {})", arguments.join(" ")),
        Syntax::Datalog => format!("{spelled}({}).", arguments.join(", ")),
    };
    let mut sources = Sources::new();
    let is_so_named = |atom: &Atom| atom.predicate == **name;
    let goal = parse_goal(&fact, &mut sources, Some(syntax));
    let is_condition = goal.is_ok_and(|goal| matches!(&goal.body[..], [Formula::Atom(atom)] if is_so_named(atom)));
    let source = sources.add("fact", fact);
    let program = parse(source, &sources, syntax).program;
    let is_head = |item: &Item| matches!(&item.statement, Statement::Rule(rule) if is_so_named(&rule.head));
    is_condition && program.items.first().is_some_and(is_head)
}

fn refuse_clash(
    analysis: &Analysis,
    symbol: &Symbol,
    new: &Name,
    (source, syntax): (SourceId, Syntax),
) -> Result<(), String> {
    let renamed = match symbol {
        Symbol::Predicate(name, arity) => {
            if analysis.is_game() && is_gdl_keyword(name, *arity) {
                return Err(format!("`{symbol}` is a word of GDL"));
            }
            if analysis.is_game() && is_gdl_word(new) {
                return Err(format!("`{new}` is a word of GDL"));
            }
            Symbol::Predicate(new.clone(), *arity)
        }
        Symbol::Term(_, arity) => {
            if analysis.is_game() && *arity == 0 && RESERVED.contains(&&**new) {
                return Err(format!("`{new}` is a word of GDL"));
            }
            Symbol::Term(new.clone(), *arity)
        }
        Symbol::Variable(_, _, statement) => Symbol::Variable(new.clone(), source, *statement),
    };
    if renamed != *symbol && analysis.occurrences_of(&renamed).next().is_some() {
        return Err(format!("`{}` is there already: the two would become one", renamed.spelled(syntax)));
    }
    Ok(())
}
