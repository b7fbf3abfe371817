//! Symbols that spell numbers, where numbers are probably meant: in facts whose column has integers, and where they are ordered; and symbols that spell
//! none, where integers are made of them.

use super::orders::{OrderedColumn, columns_of, ordered_columns, positive, tell_orders};
use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::formula::symbols_of_term;
use crate::analysis::given::{Column, GivenColumns, spells_integer};
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_value};
use crate::optimize::binding::terms;
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, is_decimal, is_integer};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports facts with a symbol that spells an integer in a column that has integers, each column once. In the rulesheets of games, `01` is a name as
/// any other: `may_mean_integers` says of which texts integers are expected.
pub(super) fn check_facts(
    checked: &CheckedProgram,
    kinds: &ColumnKinds,
    may_mean_integers: impl Fn(Span) -> bool,
    found: &mut Vec<Diagnostic>,
) {
    let mut told: FxHashSet<Column> = FxHashSet::default();
    for fact in &checked.facts {
        let Some((column, text)) = spelled_among_integers(fact, kinds) else { continue };
        if may_mean_integers(fact.span) && told.insert((fact.signature(), column)) {
            let symbol = shown(&fact.args[column]);
            let message = format!("`{symbol}` is a symbol, where other facts have integers");
            let way_out =
                if is_integer(text) { format!("write `{text}`") } else { "integers are written as `-31`".to_owned() };
            let help =
                format!("{way_out}; if the symbol is meant, say so in a comment: `ludolog: allow mixed-numbers`");
            let place = format!("in column {} of `{}`", column + 1, fact.predicate);
            found.push(Diagnostic::warning(Code::MixedNumbers, message).at(fact.span, place).help(help));
        }
    }
}

/// Reports words of `.kif` texts that spell integers of more than 64 bits, each once: they are symbols there. In `.dl` they are errors.
pub(super) fn check_long(checked: &CheckedProgram, syntax_at: impl Fn(Span) -> Syntax, found: &mut Vec<Diagnostic>) {
    let mut told: FxHashSet<Name> = FxHashSet::default();
    let mut tell = |term: &Term, span: Span| {
        symbols_of_term(term, &mut |text| {
            let is_long = is_integer(text) && text.parse::<i64>().is_err();
            if is_long && syntax_at(span) == Syntax::Kif && told.insert(text.clone()) {
                let message = format!("`{text}` is a symbol, since integers have at most 64 bits");
                let help = format!("write a float, `{text}.0`, or another name if no number is meant");
                found.push(Diagnostic::warning(Code::MixedNumbers, message).at(span, "a symbol").help(help));
            }
        });
    };
    checked.facts.iter().for_each(|fact| fact.args.iter().for_each(|arg| tell(arg, fact.span)));
    checked.rules.iter().for_each(|rule| rule.head.args.iter().for_each(|arg| tell(arg, rule.span)));
    for literal in checked.bodies().flatten() {
        terms(literal).for_each(|term| tell(term, literal.span()));
    }
}

/// The first argument of a fact that is a symbol and spells an integer, if its column has integers.
fn spelled_among_integers<'f>(fact: &'f Atom, kinds: &ColumnKinds) -> Option<(usize, &'f str)> {
    let spelled = fact.args.iter().enumerate().filter_map(|(column, arg)| match arg {
        Term::Symbol(text) if spells_integer(text) => Some((column, &**text)),
        _ => None,
    });
    let has_integers = |kinds: Kinds| kinds.meets(Kinds::INTEGER) && !kinds.is_unknown();
    spelled.into_iter().find(|&(column, _)| has_integers(kinds.column(fact, column)))
}

/// Reports orders among symbols of columns whose facts all spell numbers, `S > T` and the least and greatest of them, each once.
pub(super) fn check_orders(
    checked: &CheckedProgram,
    kinds: &ColumnKinds,
    syntax_at: impl Fn(Span) -> Syntax,
    found: &mut Vec<Diagnostic>,
) {
    let spelled = spelled_columns(checked, kinds, syntax_at);
    if !spelled.is_empty() {
        let tell = |_: &Column, name: &Name, place| order_of_spelled(name, place);
        tell_orders(&ordered_columns(checked), |column| spelled.contains(column), tell, found);
    }
}

fn order_of_spelled(name: &Name, place: Span) -> Diagnostic {
    let name = shown(&Term::Variable(name.clone()));
    let message = format!("`{name}` is a symbol that spells a number, and symbols are ordered by their characters");
    let help = format!(
        "write the facts without quotes, or `N is to_number({name})`, and order these; if symbols are meant, say so in a comment: \
         `ludolog: allow mixed-numbers`"
    );
    Diagnostic::warning(Code::MixedNumbers, message).at(place, "`'10'` comes before `'9'`").help(help)
}

/// The columns of facts of `.dl` texts whose values are all symbols that spell numbers, and are not declared.
fn spelled_columns(
    checked: &CheckedProgram,
    kinds: &ColumnKinds,
    syntax_at: impl Fn(Span) -> Syntax,
) -> FxHashSet<Column> {
    let mut columns: FxHashMap<Column, bool> = FxHashMap::default();
    for fact in checked.facts.iter().filter(|fact| syntax_at(fact.span) == Syntax::Datalog) {
        for (column, arg) in fact.args.iter().enumerate() {
            let spells = matches!(arg, Term::Symbol(text) if is_integer(text) || is_decimal(text));
            *columns.entry((fact.signature(), column)).or_insert(kinds.declared(fact, column).is_none()) &= spells;
        }
    }
    columns.into_iter().filter_map(|(column, are_spelled)| are_spelled.then_some(column)).collect()
}

/// What is told of an order that compares symbols with one that spells a number, unless they are of a column that is declared.
pub(super) fn of_literal(
    literal: &Literal,
    body: &[Literal],
    kinds: &ColumnKinds,
    variables: &VariableKinds,
) -> Option<Diagnostic> {
    let Literal::Compare(comparison) = literal else { return None };
    let &Comparison { comparator, ref left, ref right, span } = comparison;
    if !comparator.orders() {
        return None;
    }
    let spells_number = |side: &Term| matches!(side, Term::Symbol(text) if is_integer(text) || is_decimal(text));
    let (number, other) = match [left, right].map(spells_number) {
        [true, false] => (left, right),
        [false, true] => (right, left),
        _ => return None,
    };
    let (Term::Symbol(text), true) = (number, of_value(other, comparator, variables).meets(Kinds::SYMBOL)) else {
        return None;
    };
    if body.iter().any(|literal| is_declared(other, literal, kinds)) {
        return None;
    }
    let [symbol, other] = [number, other].map(shown);
    let message = format!("`{symbol}` is a symbol, and symbols are ordered by their characters");
    Some(
        Diagnostic::warning(Code::MixedNumbers, message)
            .at(span, "`'10'` comes before `'9'`")
            .help(format!(
                "compare `to_number({other})` with `{text}`; if the symbol is meant, say so in a comment: `ludolog: allow mixed-numbers`"
            )),
    )
}

/// Whether a term is an argument in a column of symbols by declaration.
fn is_declared(term: &Term, literal: &Literal, kinds: &ColumnKinds) -> bool {
    let Literal::Positive(atom) = literal else { return false };
    let mut columns = atom.args.iter().enumerate().filter(|(_, arg)| *arg == term);
    columns.any(|(column, _)| kinds.declared(atom, column) == Some(Kinds::SYMBOL))
}

/// Reports conditions that compute `to_number` of a column of facts and tables in which no symbol spells an integer, each once; not those at the places told
/// already. Columns that rules derive are left out, as are those that `given` may have further facts of.
pub(super) fn check_conversions(
    checked: &CheckedProgram,
    given: &GivenColumns,
    mut told: FxHashSet<Span>,
    found: &mut Vec<Diagnostic>,
) {
    let converted: Vec<OrderedColumn> = checked.bodies().flat_map(converted_columns).collect();
    if converted.is_empty() || !given.are_complete() {
        return;
    }
    let derived: FxHashSet<Predicate> = checked.rules.iter().map(|rule| rule.head.signature()).collect();
    let columns = converted.iter().map(|variable| variable.column.clone());
    let columns = columns.filter(|(predicate, _)| !derived.contains(predicate));
    let values = given.values_of_columns(
        columns,
        &checked.facts,
        |term| matches!(term, Term::Symbol(text) if !is_of_digits(text.strip_prefix('-').unwrap_or(text))),
    );
    for OrderedColumn { column, name, place } in converted {
        let Some(values) = values.get(&column).filter(|_| told.insert(place)) else { continue };
        let name = shown(&Term::Variable(name.clone()));
        let warning = Diagnostic::warning(
            Code::NoValue,
            format!("`to_number({name})` has no value, so that the condition never holds"),
        )
        .at(place, format!("no value of `{name}` spells an integer"));
        let help = "`to_number` is of digits, perhaps behind a minus sign";
        let have_decimals = values.iter().any(|term| matches!(term, Term::Symbol(text) if is_decimal(text)));
        found.push(if have_decimals {
            warning.help(format!(
                "{help}; `to_float({name})` is the number that a decimal spells, and compared with floats"
            ))
        } else {
            warning.help(help)
        });
    }
}

fn is_of_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The columns of the variables of which conditions of a body compute `to_number`.
fn converted_columns(body: &[Literal]) -> Vec<OrderedColumn<'_>> {
    let mut found = Vec::new();
    for literal in body {
        let Literal::Compare(Comparison { comparator, left, right, span }) = literal else { continue };
        // What `=` and `!=` cannot compute is a term.
        if matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
            continue;
        }
        let mut open = vec![left, right];
        while let Some(term) = open.pop() {
            let Term::Compound(functor, args) = term else { continue };
            match &args[..] {
                [Term::Variable(name)] if Operation::of(functor, 1) == Some(Operation::Number) => {
                    found.extend(positive(body).flat_map(|atom| columns_of(atom, &[name], *span)));
                }
                args => open.extend(args),
            }
        }
    }
    found
}
