//! Another name, in all files that are read together.

use crate::Analysis;
use crate::describe::{is_gdl_keyword, is_gdl_word};
use crate::symbol::Symbol;
use ludolog_syntax::ast::{Atom, ColumnType, Formula, Item, Name, Operation, Statement, Term, TypeDefinitions};
use ludolog_syntax::diagnostic::{SourceId, Sources};
use ludolog_syntax::{Syntax, parse, parse_goal, print_term};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The constants that mean something in a game: the role of chance, and what managers send for no moves.
const RESERVED: [&str; 2] = ["random", "nil"];

/// The functors of lists, with their arities.
const LISTS: [(&str, usize); 2] = [("nil", 0), ("cons", 2)];

/// The conditions that mean something by their names where programs do not define them.
const CONDITIONS: [(&str, usize); 2] = [("member", 2), ("matches", 2)];

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
    for analysis in analyses {
        check_renamable(analysis, symbol)?;
    }
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
        if !names_symbol(symbol, &spelled, &new, syntax) {
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

/// Whether a spelling before the arguments of a predicate is read as its name, in conditions and in heads, and before those of a functor as its
/// own; whether a symbol is neither.
fn names_symbol(symbol: &Symbol, spelled: &str, name: &Name, syntax: Syntax) -> bool {
    let (Symbol::Predicate(_, arity) | Symbol::Term(_, arity @ 1..)) = symbol else { return true };
    let arguments = vec!["1"; (*arity).max(1)];
    let fact = match syntax {
        Syntax::Kif => format!("({spelled} {})", arguments.join(" ")),
        Syntax::Datalog => format!("{spelled}({}).", arguments.join(", ")),
    };
    if let Symbol::Term(..) = symbol {
        let term = syntax_term(fact.trim_end_matches('.'), syntax);
        return matches!(term, Some(Term::Compound(functor, args)) if functor == *name && args.len() == *arity);
    }
    let mut sources = Sources::new();
    let is_so_named = |atom: &Atom| atom.predicate == **name;
    let goal = parse_goal(&fact, &mut sources, Some(syntax));
    let is_condition = goal.is_ok_and(|goal| matches!(&goal.body[..], [Formula::Atom(atom)] if is_so_named(atom)));
    let source = sources.add("fact", fact);
    let program = parse(source, &sources, syntax).program;
    let is_head = |item: &Item| matches!(&item.statement, Statement::Rule(rule) if is_so_named(&rule.head));
    is_condition && program.items.first().is_some_and(is_head)
}

/// The owner of a symbol that programs cannot use as they like: in a game GDL, or the language. A predicate of conditions that the language
/// has is the program's own where `is_defined`. `None` for all others.
fn owner(analysis: &Analysis, symbol: &Symbol, is_defined: bool) -> Option<&'static str> {
    let is_game = analysis.is_game();
    let is_of_language = match symbol {
        Symbol::Predicate(name, arity) if is_game && is_gdl_keyword(name, *arity) => return Some("GDL"),
        Symbol::Term(name, 0) if is_game && RESERVED.contains(&&**name) => return Some("GDL"),
        Symbol::Predicate(name, arity) => !is_defined && CONDITIONS.contains(&(&**name, *arity)),
        Symbol::Term(name, arity) => LISTS.contains(&(&**name, *arity)) || Operation::of(name, *arity).is_some(),
        Symbol::Word(..) => true,
        Symbol::Variable(..) | Symbol::Path(_) => false,
    };
    is_of_language.then_some("the language")
}

/// Whether a predicate has rules or facts.
fn is_defined(analysis: &Analysis, symbol: &Symbol) -> bool {
    analysis.occurrences_of(symbol).any(|one| one.in_head)
}

/// Checks that a symbol may have another name.
///
/// # Errors
///
/// Why it may not, in words: it is a word of the language or of GDL, or a path.
pub fn check_renamable(analysis: &Analysis, symbol: &Symbol) -> Result<(), String> {
    if let Symbol::Path(path) = symbol {
        return Err(format!("`{path}` is the path of a file, and no name"));
    }
    match owner(analysis, symbol, is_defined(analysis, symbol)) {
        Some(owner) => Err(format!("`{symbol}` is a word of {owner}")),
        None => Ok(()),
    }
}

fn refuse_clash(
    analysis: &Analysis,
    symbol: &Symbol,
    new: &Name,
    (source, syntax): (SourceId, Syntax),
) -> Result<(), String> {
    let renamed = match symbol {
        Symbol::Predicate(_, arity) => Symbol::Predicate(new.clone(), *arity),
        Symbol::Term(_, arity) => Symbol::Term(new.clone(), *arity),
        Symbol::Variable(_, _, statement) => Symbol::Variable(new.clone(), source, *statement),
        Symbol::Word(..) | Symbol::Path(_) => symbol.clone(),
    };
    let types = TypeDefinitions::of(&analysis.loaded.program.items);
    let is_type = |name: &str| types.get(name).is_some();
    let is_renamed_type = matches!(symbol, Symbol::Term(..)) && is_type(symbol.name());
    if matches!(symbol, Symbol::Predicate(..)) && analysis.is_game() && is_gdl_word(new) {
        return Err(format!("`{new}` is a word of GDL"));
    }
    if let Some(owner) = owner(analysis, &renamed, is_defined(analysis, symbol)) {
        return Err(format!("`{new}` is a word of {owner}"));
    }
    if is_renamed_type && !matches!(ColumnType::of(new), ColumnType::Defined(_)) {
        return Err(format!("`{new}` is a word of the language"));
    }
    if renamed != *symbol && (analysis.occurrences_of(&renamed).next().is_some() || is_renamed_type && is_type(new)) {
        return Err(format!("`{}` is there already: the two would become one", renamed.spelled(syntax)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Texts;
    use ludolog_syntax::budget::Budget;
    use std::collections::HashMap;

    /// A text after the name behind a mark got another one, or why it did not.
    fn renamed(extension: &str, text: &str, mark: &str, new: &str) -> Result<String, String> {
        let path = PathBuf::from(format!("rules.{extension}"));
        let mut texts = Texts::new(Arc::new(HashMap::<PathBuf, String>::new()));
        texts.set(&path, text);
        let analysis = Arc::new(Analysis::new(&texts, &path, &Budget::unlimited()).unwrap());
        let (source, _) = analysis.source(&path).unwrap();
        let symbol = analysis.at(source, text.find(mark).unwrap()).unwrap().symbol.clone();
        let changes = rename(&[analysis], &symbol, &path, new)?;
        Ok(TextChange::apply(text, &changes[&path]))
    }

    #[test]
    fn words_of_the_language_are_neither_renamed_nor_names() {
        let word = |word: &str| Err(format!("`{word}` is a word of the language"));
        let lists = "q(X) :- p(X) & r(X). p(a). p(f(1, [])). r([]).";
        assert_eq!(renamed("dl", lists, "a)", "nil"), word("nil"));
        assert_eq!(renamed("dl", lists, "f(", "cons"), word("cons"));
        assert_eq!(renamed("dl", "p(nil). q(X) :- p(X) & X = [].", "nil", "none"), word("nil"));
        let computed = "q(X) :- p(Y) & X is abs(Y). p(f(3)).";
        assert_eq!(renamed("dl", computed, "abs", "g"), word("abs/1"));
        assert_eq!(renamed("dl", computed, "f(", "abs"), word("abs"));
        let conditions = "q(X) :- p(L) & member(X, L). p([1]). r(X) :- s(X, X).";
        assert_eq!(renamed("dl", conditions, "member", "part"), word("member/2"));
        assert_eq!(renamed("dl", conditions, "s(", "matches"), word("matches"));
        let aggregate = "(<= (n ?n) (= ?n (count (: ?x) (p ?x ?y))))\n(p 1 2)\n(p (count 3) 3)\n";
        assert_eq!(renamed("kif", aggregate, "count (:", "sum"), word("count"));
        let other = renamed("kif", aggregate, "count 3", "number");
        assert_eq!(other, Ok(aggregate.replace("count 3", "number 3")));
        let lattice = "(above a b)\n(level x (best above (: a)))\n(<= (n ?x) (p ?x) (in ?x (.. 1 9)))\n(p (in 1 2))\n";
        assert_eq!(renamed("kif", lattice, "best", "worst"), word("best"));
        assert_eq!(renamed("kif", lattice, "in ?x", "within"), word("in"));
        assert_eq!(renamed("kif", lattice, "in 1", "within"), Ok(lattice.replace("in 1", "within 1")));
    }

    #[test]
    fn words_and_paths_of_directives_are_no_names_of_the_program() {
        let input = ":- input(edge, 'edge.csv', header).\nhas(edge, header, 'edge.csv').\nq(X) :- edge(X, integer).\n";
        let has = |new: &str| input.replace("edge, header, 'edge.csv').", new);
        assert_eq!(renamed("dl", input, "header, '", "kopf"), Ok(has("edge, kopf, 'edge.csv').")));
        assert_eq!(renamed("dl", input, "'edge.csv').", "path"), Ok(has("edge, header, path).")));
        assert_eq!(renamed("dl", input, "edge, header, '", "kante"), Ok(has("kante, header, 'edge.csv').")));
        assert_eq!(renamed("dl", input, "header)", "kopf"), Err("`header` is a word of the language".into()));
        let path = Err("`edge.csv` is the path of a file, and no name".into());
        assert_eq!(renamed("dl", input, "'edge.csv', h", "kopf"), path);
        let types =
            "(type \"price\" \"symbol\" \"integer\")\n(price integer 3)\n(price price 4)\n(<= (p ?x) (price ?x ?y))\n";
        assert_eq!(renamed("kif", types, "integer 3", "float"), Ok(types.replace("integer 3", "float 3")));
        let cost = types.replace("\"price\"", "\"cost\"").replace("(price", "(cost");
        assert_eq!(renamed("kif", types, "price ?x", "cost"), Ok(cost));
    }

    #[test]
    fn records_are_renamed_with_their_compounds() {
        let text = ":- record(point, integer, integer).\n:- type(car, symbol, point).\ncar(ann, point(1, 2)).\ncar(point, point(1, 3)).\n";
        let spot =
            text.replace("point(", "spot(").replace("(point, i", "(spot, i").replace("symbol, point", "symbol, spot");
        for mark in ["point, integer", "point).", "point(1, 2)"] {
            assert_eq!(renamed("dl", text, mark, "spot"), Ok(spot.clone()), "{mark}");
            assert_eq!(renamed("dl", text, mark, "symbol"), Err("`symbol` is a word of the language".into()));
        }
    }
}
