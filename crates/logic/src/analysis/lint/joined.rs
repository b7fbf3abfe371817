//! Columns of names that a condition joins, and that have no name in common: where names of the one would be names of the other but for capitals,
//! blanks and marks, as `Ann Lee` and `ann_lee`, and where their declared types have no value in common.

use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::{Column, GivenColumns};
use ludolog_syntax::ast::{Name, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most names of a column that are looked for in another one.
const MOST_NAMES: usize = 1 << 16;

/// A variable of two columns, with the place of the second one.
struct Joined<'p> {
    name: &'p Name,
    columns: [Column; 2],
    place: Span,
}

/// Reports the conditions of bodies, each once, that join two columns of facts and tables whose names never meet. Columns that rules derive are left out,
/// as are those that `given` may have further facts of.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let joined: Vec<Joined> = checked.bodies().flat_map(joined_columns).collect();
    if joined.is_empty() {
        return;
    }
    let types = checked.types.symbols_of_columns();
    let derived: FxHashSet<Predicate> = checked.rules.iter().map(|rule| rule.head.signature()).collect();
    let asked = joined.iter().flat_map(|joined| joined.columns.iter().cloned());
    let asked = asked.filter(|(predicate, _)| given.are_complete() && !derived.contains(predicate));
    let values = given.values_of_columns(asked, &checked.facts, |term| matches!(term, Term::Symbol(_)));
    let mut places: FxHashSet<Span> = FxHashSet::default();
    for Joined { name, columns, place } in &joined {
        let of_types = columns.each_ref().map(|column| types.get(column));
        let of_names = columns.each_ref().map(|column| values.get(column));
        let warning = match (of_types, of_names) {
            ([Some(first), Some(second)], _) => {
                let meet = first.symbols.iter().any(|symbol| second.symbols.contains(symbol));
                (!meet).then(|| types_apart(name, [first.name, second.name], *place))
            }
            (_, [Some(first), Some(second)]) => {
                written_differently(first, second).map(|pair| names_apart(columns, pair, *place))
            }
            _ => None,
        };
        found.extend(warning.filter(|_| places.insert(*place)));
    }
}

fn types_apart(name: &Name, types: [&str; 2], place: Span) -> Diagnostic {
    let name = shown(&Term::Variable(name.clone()));
    let [first, second] = types;
    Diagnostic::warning(
        Code::DisjointTypes,
        format!("no value of `{name}` is of type `{first}` and of type `{second}`"),
    )
    .at(place, "so it never holds; negated, it always does")
    .help("join columns of one type, or give both types the values that they share")
}

fn names_apart([first, second]: &[Column; 2], pair: [&Term; 2], place: Span) -> Diagnostic {
    let [one, other] = pair.map(shown);
    let column = |(predicate, column): &Column| format!("column {} of `{}`", column + 1, predicate.name);
    let message = format!("{} and {} have no name in common", column(first), column(second));
    Diagnostic::warning(Code::DisjointTypes, message).at(place, format!("`{one}` and `{other}` are two names")).help(
        "write the names of both in one way; if they are meant, say so in a comment: `ludolog: allow disjoint-types`",
    )
}

/// The columns of a variable in two literals of a body, of which the first is positive.
fn joined_columns(body: &[Literal]) -> Vec<Joined<'_>> {
    let mut first: FxHashMap<&Name, Column> = FxHashMap::default();
    let mut found = Vec::new();
    // Negations come behind what binds their variables.
    let (positive, others): (Vec<&Literal>, Vec<&Literal>) =
        body.iter().partition(|literal| matches!(literal, Literal::Positive(_)));
    for literal in positive.iter().chain(&others) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        for (column, arg) in atom.args.iter().enumerate() {
            let Term::Variable(name) = arg else { continue };
            let column = (atom.signature(), column);
            match first.get(name) {
                Some(other) if *other != column => {
                    found.push(Joined { name, columns: [other.clone(), column], place: atom.span });
                }
                None if matches!(literal, Literal::Positive(_)) => _ = first.insert(name, column),
                _ => {}
            }
        }
    }
    found
}

/// Names of two columns, one of each, that are the same but for capitals, blanks and marks; `None` if there are none, if some name is in both, or if both
/// have many.
fn written_differently<'t>(first: &[&'t Term], second: &[&'t Term]) -> Option<[&'t Term; 2]> {
    let is_second_longer = first.len() <= second.len();
    let (few, many) = if is_second_longer { (first, second) } else { (second, first) };
    if few.len() > MOST_NAMES {
        return None;
    }
    let names: FxHashSet<&Term> = few.iter().copied().collect();
    if many.iter().any(|name| names.contains(name)) {
        return None;
    }
    let folded_names: FxHashMap<String, &Term> = few.iter().filter_map(|name| Some((folded(name)?, *name))).collect();
    let [one, other] = many.iter().find_map(|name| Some([*folded_names.get(&folded(name)?)?, *name]))?;
    Some(if is_second_longer { [one, other] } else { [other, one] })
}

/// The letters and digits of a symbol, without regard to capitals; `None` if it has none.
fn folded(name: &Term) -> Option<String> {
    let Term::Symbol(text) = name else { return None };
    let folded: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    (!folded.is_empty()).then_some(folded)
}
