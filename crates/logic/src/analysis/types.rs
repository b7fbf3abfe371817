//! Types that a program declares of its columns, held against its facts and rules.

use super::clause::CheckedProgram;
use super::kinds::{ColumnKinds, GivenColumns, Kinds, of_term};
use super::report::arguments;
use ludolog_syntax::ast::{Atom, ColumnType, ColumnTypes, Predicate, Program, Statement, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashMap;

impl Kinds {
    /// The kinds of a type.
    pub(super) fn of_type(column: ColumnType) -> Kinds {
        match column {
            ColumnType::Any => Kinds::UNKNOWN,
            ColumnType::Integer => Kinds::INTEGER,
            ColumnType::Float => Kinds::FLOAT,
            ColumnType::Symbol => Kinds::SYMBOL,
            // The empty list is a symbol.
            ColumnType::Compound => Kinds::COMPOUND | Kinds::SYMBOL,
        }
    }
}

/// The declarations of a program, by predicate, each with its place.
fn declarations(program: &Program) -> impl Iterator<Item = (&ColumnTypes, Span)> {
    program.items.iter().filter_map(|item| match &item.statement {
        Statement::Type(types) => Some((types, item.span)),
        _ => None,
    })
}

/// Reports what contradicts the declared types: other numbers of arguments, two declarations of a predicate, values in facts and heads that
/// are of another type for certain.
pub(super) fn check(
    program: &Program,
    checked: &CheckedProgram,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let mut declared: FxHashMap<Predicate, (&ColumnTypes, Span)> = FxHashMap::default();
    for (types, place) in declarations(program) {
        let first = declared.entry(types.signature()).or_insert((types, place));
        if first.0.columns != types.columns {
            let message = format!("`{}` is declared with other types elsewhere", types.predicate.text());
            let first = first.1;
            found.push(wrong(message).at(place, "here").at(first, "and here").help("declare it once"));
        }
    }
    if declared.is_empty() {
        return Ok(());
    }
    check_arities(checked, &declared, found);
    for fact in &checked.facts {
        let Some((types, place)) = declared.get(&fact.signature()) else { continue };
        check_terms(fact, types, *place, &|term, wanted| !wanted.admits(term), found);
    }
    let given = GivenColumns::default();
    let Some(kinds) = ColumnKinds::new(program, checked, &given, budget)? else { return Ok(()) };
    for rule in &checked.rules {
        let Some((types, place)) = declared.get(&rule.head.signature()) else { continue };
        let Some(variables) = kinds.variables(&rule.body) else { continue };
        let is_other = |term: &Term, wanted: ColumnType| {
            if term.is_ground() {
                !wanted.admits(term)
            } else {
                !of_term(term, &variables).meets(Kinds::of_type(wanted))
            }
        };
        check_terms(&rule.head, types, *place, &is_other, found);
    }
    Ok(())
}

/// Reports predicates that have another number of arguments wherever they stand.
fn check_arities(
    checked: &CheckedProgram,
    declared: &FxHashMap<Predicate, (&ColumnTypes, Span)>,
    found: &mut Vec<Diagnostic>,
) {
    let mut used: FxHashMap<&str, Vec<(usize, Span)>> = FxHashMap::default();
    checked.for_each_atom(&mut |atom| {
        if let Some(name) = atom.predicate.written() {
            used.entry(name).or_default().push((atom.args.len(), atom.span));
        }
    });
    for (types, place) in declared.values() {
        let uses = types.predicate.written().and_then(|name| used.get(name)).into_iter().flatten();
        let mut uses = uses.peekable();
        let Some(&&(first, span)) = uses.peek() else { continue };
        if uses.all(|(arity, _)| *arity != types.columns.len()) {
            let message = format!(
                "`{}` has {} here, but is declared with {}",
                types.predicate.text(),
                arguments(first),
                arguments(types.columns.len())
            );
            found.push(
                wrong(message)
                    .at(span, "used here")
                    .at(*place, "declared here")
                    .help("declare a type for each argument"),
            );
        }
    }
}

/// Reports the first argument of a fact or head that is of another type.
fn check_terms(
    head: &Atom,
    types: &ColumnTypes,
    place: Span,
    is_other: &dyn Fn(&Term, ColumnType) -> bool,
    found: &mut Vec<Diagnostic>,
) {
    let mut columns = head.args.iter().zip(&types.columns).enumerate();
    let Some((column, (term, wanted))) = columns.find(|(_, (term, wanted))| is_other(term, **wanted)) else { return };
    let text = print_term(term, Syntax::Datalog);
    let message = format!(
        "column {} of `{}` is declared `{}`, and `{text}` is of another type",
        column + 1,
        types.predicate.text(),
        wanted.name()
    );
    let help = match (term, wanted) {
        (Term::Integer(n), ColumnType::Float) => format!("write `{n}.0`"),
        (Term::Variable(_), ColumnType::Float) => format!("make a float of it: `X is to_float({text})`"),
        (Term::Float(_) | Term::Variable(_), ColumnType::Integer) => format!("round it: `N is round({text})`"),
        (Term::Integer(_) | Term::Float(_), ColumnType::Symbol) => format!("quote it: `'{text}'`"),
        _ => "correct it, or declare the column `any`".to_owned(),
    };
    found.push(wrong(message).at(head.span, "here").at(place, "declared here").help(help));
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(Code::ColumnType, message)
}

/// The kinds in the columns of the predicates that a program declares the types of.
pub(super) fn declared_kinds(program: &Program) -> FxHashMap<Predicate, Vec<Kinds>> {
    let kinds = |types: &ColumnTypes| types.columns.iter().map(|column| Kinds::of_type(*column)).collect();
    declarations(program).map(|(types, _)| (types.signature(), kinds(types))).collect()
}
