//! Orders among variables whose values are symbols that people read in another order: dates with the year behind, and numbers with a unit or a
//! mark, as `50%`, `$3.50` and `9:30`.

use super::aggregates::positive_atoms;
use super::{dates, shown};
use crate::analysis::clause::{Aggregation, CheckedProgram, Literal};
use crate::analysis::given::{Column, GivenColumns};
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparison, Join, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{is_decimal, is_integer};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of a column that are looked at for two in another order than their numbers.
const MOST_VALUES: usize = 1 << 16;

/// Reports orders among dates with the year behind, and among quantities of which two stand in another order than their numbers; each once. Only
/// of columns that have such values alone.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let ordered = ordered_columns(checked);
    if ordered.is_empty() {
        return;
    }
    let columns = ordered.iter().map(|ordered| ordered.column.clone());
    let is_such = |term: &Term| dates::has_year_behind(term) || is_quantity(term);
    let mut of_dates: FxHashSet<Column> = FxHashSet::default();
    let mut misread: FxHashMap<Column, [&Term; 2]> = FxHashMap::default();
    for (column, values) in given.values_of_columns(columns, &checked.facts, is_such) {
        if values.iter().all(|value| dates::has_year_behind(value)) {
            of_dates.insert(column);
        } else if values.iter().all(|value| is_quantity(value))
            && let Some(pair) = misread_pair(values)
        {
            misread.insert(column, pair);
        }
    }
    let order_of_dates = |_: &Column, name: &Name, place| dates::order_of(&Term::Variable(name.clone()), place);
    tell_orders(&ordered, |column| of_dates.contains(column), order_of_dates, found);
    let order_of_quantities = |column: &Column, name: &Name, place| order_of_quantities(misread[column], name, place);
    tell_orders(&ordered, |column| misread.contains_key(column), order_of_quantities, found);
}

fn order_of_quantities(pair: [&Term; 2], name: &Name, place: Span) -> Diagnostic {
    let [before, after] = pair.map(shown);
    let name = shown(&Term::Variable(name.clone()));
    Diagnostic::warning(Code::CharacterOrder, format!("`{name}` is ordered by its characters, and not by its numbers"))
        .at(place, format!("`{before}` comes before `{after}`"))
        .help("write the numbers alone, or with as many digits in each, as `'09:30'`; if the order does not matter, say so in a comment: `ludolog: allow character-order`")
}

/// Whether a term is a symbol that begins with a number, or with the sign of a currency, and is none.
fn is_quantity(term: &Term) -> bool {
    let Term::Symbol(text) = term else { return false };
    let begins = text.strip_prefix(['$', '€', '£']).unwrap_or(text);
    begins.starts_with(|first: char| first.is_ascii_digit())
        && !is_integer(text)
        && !is_decimal(text)
        && !dates::has_year_behind(term)
}

/// Two quantities that stand in one order by their characters and in the other by their numbers; `None` where there are none, or where values
/// differ in more than their numbers.
fn misread_pair<'t>(values: Vec<&'t Term>) -> Option<[&'t Term; 2]> {
    let text = |term: &'t Term| match term {
        Term::Symbol(text) => Some((&**text, term)),
        _ => None,
    };
    let mut texts: Vec<(&'t str, &'t Term)> = values.into_iter().take(MOST_VALUES).filter_map(text).collect();
    texts.sort_unstable();
    let is_misread = |key: &dyn Fn(&str) -> Option<[String; 4]>| {
        let keys: Vec<[String; 4]> = texts.iter().map_while(|(text, _)| key(text)).collect();
        let place = keys.windows(2).position(|pair| pair[0] > pair[1]);
        (keys.len() == texts.len()).then_some(place.map(|at| [texts[at].1, texts[at + 1].1]))
    };
    if let Some(pair) = is_misread(&of_thousands).or_else(|| is_misread(&of_half_day)) {
        return pair;
    }
    let &(first, _) = texts.first()?;
    if !texts.iter().all(|(text, _)| marks(text).eq(marks(first))) {
        return None;
    }
    // Digits behind the point of a decimal are in the order of their characters.
    let is_decimal = numbers(first).count() == 2 && marks(first).any(|marks| marks == "." || marks == ",");
    let compared = if is_decimal { 1 } else { usize::MAX };
    let key = |text| numbers(text).take(compared).map(|digits| (digits.len(), digits));
    let misread = texts.windows(2).find(|pair| key(pair[0].0).gt(key(pair[1].0)));
    misread.map(|pair| [pair[0].1, pair[1].1])
}

/// The order of a number whose thousands stand apart, as `2,800,000`, `$1 200` and `1'000.50`; `None` of any other text.
fn of_thousands(text: &str) -> Option<[String; 4]> {
    const GROUP: usize = 3;
    let text = text.strip_prefix(['$', '€', '£']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mark = whole.chars().find(|c| !c.is_ascii_digit())?;
    let mut groups = whole.split(mark);
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_apart = matches!(mark, ',' | ' ' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}');
    let begins = groups.next().is_some_and(|group| (1..=GROUP).contains(&group.len()) && is_number(group));
    let goes_on = groups.all(|group| group.len() == GROUP && is_number(group));
    let is_one = is_apart && begins && goes_on && is_number(fraction);
    let digits = whole.replace(mark, "");
    is_one
        .then(|| [format!("{:>20}", digits.trim_start_matches('0')), fraction.to_owned(), String::new(), String::new()])
}

/// The order of a time of twelve hours, as `9:00 AM` and `12:30pm`; `None` of any other text.
fn of_half_day(text: &str) -> Option<[String; 4]> {
    let lower = text.to_ascii_lowercase().replace('.', "");
    let half = ["am", "pm"].into_iter().find(|half| lower.ends_with(half))?;
    let mut parts = lower.strip_suffix(half)?.trim_end().split(':').map(str::parse);
    let hour: u32 = parts.next()?.ok().filter(|hour| (1..=12).contains(hour))?;
    let minute: u32 = parts.next().unwrap_or(Ok(0)).ok()?;
    let second: u32 = parts.next().unwrap_or(Ok(0)).ok()?;
    let numbers = [hour % 12, minute, second].map(|number| format!("{number:02}"));
    let [hour, minute, second] = numbers;
    parts.next().is_none().then(|| [half.to_owned(), hour, minute, second])
}

/// The numbers in a text, by their digits without zeros in front.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    digits.map(|digits| digits.trim_start_matches('0'))
}

/// What stands around the numbers in a text.
fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii_digit()).filter(|marks| !marks.is_empty())
}

/// A variable that is held against another one, `S > T`, or against a quantity, or of which the least or the greatest is taken, in a lattice column as well.
pub(super) struct OrderedColumn<'c> {
    /// A column that it stands in.
    pub column: Column,
    /// The variable.
    pub name: &'c Name,
    /// The condition.
    pub place: Span,
}

/// The columns of all variables that bodies order, in the order of the text; some more than once.
pub(super) fn ordered_columns(checked: &CheckedProgram) -> Vec<OrderedColumn<'_>> {
    let mut found = Vec::new();
    for body in checked.bodies() {
        for literal in body {
            let place = literal.span();
            match literal {
                Literal::Compare(Comparison {
                    comparator,
                    left: Term::Variable(left),
                    right: Term::Variable(right),
                    ..
                }) if comparator.orders() => {
                    found.extend(positive(body).flat_map(|atom| columns_of(atom, &[left, right], place)));
                }
                Literal::Aggregate(aggregation) => found.extend(ordered_by_aggregate(aggregation, place)),
                Literal::Compare(Comparison { comparator, left: Term::Variable(name), right: other, .. })
                | Literal::Compare(Comparison { comparator, left: other, right: Term::Variable(name), .. })
                    if comparator.orders() && is_quantity(other) =>
                {
                    found.extend(positive(body).flat_map(|atom| columns_of(atom, &[name], place)));
                }
                _ => {}
            }
        }
    }
    for rule in &checked.rules {
        let Some(lattice) = checked.lattices.get(&rule.head.signature()) else { continue };
        let keeps_least =
            matches!(lattice.join, Join::Function(AggregateFunction::Minimum | AggregateFunction::Maximum));
        if let Some(Term::Variable(name)) = rule.head.args.get(lattice.column).filter(|_| keeps_least) {
            found.extend(positive(&rule.body).flat_map(|atom| columns_of(atom, &[name], rule.head.span)));
        }
    }
    found
}

/// The atoms of the positive literals of a body.
pub(super) fn positive(body: &[Literal]) -> impl Iterator<Item = &Atom> {
    body.iter().filter(|literal| matches!(literal, Literal::Positive(_))).filter_map(Literal::atom)
}

/// The columns of an atom in which one of these variables stands.
pub(super) fn columns_of<'a>(atom: &'a Atom, names: &[&Name], place: Span) -> Vec<OrderedColumn<'a>> {
    let args = atom.args.iter().enumerate().filter_map(|(column, arg)| match arg {
        Term::Variable(name) if names.contains(&name) => {
            Some(OrderedColumn { column: (atom.signature(), column), name, place })
        }
        _ => None,
    });
    args.collect()
}

/// The columns of the variable of which an aggregate takes the least or the greatest.
fn ordered_by_aggregate(aggregation: &Aggregation, place: Span) -> Vec<OrderedColumn<'_>> {
    let written = &aggregation.written.0;
    match (aggregation.function, written.template.first()) {
        (AggregateFunction::Minimum | AggregateFunction::Maximum, Some(Term::Variable(name))) => {
            positive_atoms(written).into_iter().flat_map(|atom| columns_of(atom, &[name], place)).collect()
        }
        _ => Vec::new(),
    }
}

/// Reports the first of these variables of each condition that is of such a column.
pub(super) fn tell_orders(
    ordered: &[OrderedColumn],
    is_such: impl Fn(&Column) -> bool,
    tell: impl Fn(&Column, &Name, Span) -> Diagnostic,
    found: &mut Vec<Diagnostic>,
) {
    let mut told: FxHashSet<Span> = FxHashSet::default();
    for OrderedColumn { column, name, place } in ordered {
        if is_such(column) && told.insert(*place) {
            found.push(tell(column, name, *place));
        }
    }
}
