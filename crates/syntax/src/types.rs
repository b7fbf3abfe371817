//! Facts from outside, held to the types that a program declares of their columns.
//!
//! Tables write numbers as they come, `2` beside `2.5`, and codes as numbers. In a column of floats an integer is the float nearest to it, and a
//! symbol that spells a number with a fraction or an exponent, or an integer of more than 64 bits, that number; in a column of symbols an integer is the symbol that spells it. All
//! else has the type that is declared.

use super::ast::{Atom, ColumnType, ColumnTypes, Float, Item, Name, Statement, Term, TypeDefinitions};
use super::{Facts, Table, name};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span, counted};
use crate::{Syntax, print_term};
use std::collections::HashMap;

/// The value that a term is in a column of a type: of an integer in one of symbols, the symbol that spells it.
///
/// # Errors
///
/// The term is of another type, and stands for no value of this one.
fn converted(term: &Term, wanted: &ColumnType, definitions: &TypeDefinitions) -> Result<Term, ()> {
    match (term, wanted) {
        (term, wanted) if definitions.admits(wanted, term) => Ok(term.clone()),
        (Term::Integer(n), ColumnType::Float) => Float::new(*n as f64).map(Term::Float).ok_or(()),
        (Term::Symbol(text), ColumnType::Float) => {
            Float::spelled(text).or_else(|| long_integer(text)).map(Term::Float).ok_or(())
        }
        (Term::Integer(n), ColumnType::Symbol) => Ok(Term::symbol(&n.to_string())),
        (Term::Integer(n), ColumnType::Defined(_)) => {
            Some(Term::symbol(&n.to_string())).filter(|symbol| definitions.admits(wanted, symbol)).ok_or(())
        }
        _ => Err(()),
    }
}

/// The float nearest to an integer of more than 64 bits.
fn long_integer(text: &str) -> Option<Float> {
    let is_long = name::is_integer(text) && name::integer(text).is_none();
    text.parse().ok().filter(|_| is_long).and_then(Float::new)
}

impl Facts {
    /// Makes the facts those that statements of a program declare the types of. The errors are values of another type, of each column of a table the
    /// first one, numbers of columns, and in tables integers of more than 64 bits where no type says what they are.
    pub(super) fn hold_to_types(&mut self, items: &[Item]) -> Diagnostics {
        let mut declared: HashMap<&str, (&ColumnTypes, Span)> = HashMap::new();
        for item in items {
            if let Statement::Type(types) = &item.statement
                && let Some(name) = types.predicate.written()
            {
                declared.entry(name).or_insert((types, item.span));
            }
        }
        let mut wrong = Diagnostics::new();
        let of = |name: &Name| declared.get(&**name).copied();
        for table in &self.tables {
            let types = of(&table.predicate().name.text().into()).map(|(types, _)| types);
            long_integers(table, types).for_each(|fault| wrong.push(fault));
        }
        if declared.is_empty() {
            return wrong;
        }
        let definitions = TypeDefinitions::of(items);
        for fact in &mut self.atoms {
            let Some((types, place)) = fact.predicate.written().and_then(|name| of(&name.into())) else { continue };
            if let Some(fault) = of_fact(fact, types, &definitions) {
                wrong.push(fault.at(fact.span, "this fact").at(place, "declared here"));
            }
        }
        for table in &mut self.tables {
            let name: Name = table.predicate().name.text().into();
            let Some((types, place)) = of(&name) else { continue };
            of_table(table, types, &definitions)
                .into_iter()
                .for_each(|fault| wrong.push(fault.at(place, "declared here")));
        }
        wrong
    }
}

/// Converts the arguments of a fact, or says what is wrong with it.
fn of_fact(fact: &mut Atom, types: &ColumnTypes, definitions: &TypeDefinitions) -> Option<Diagnostic> {
    if fact.args.len() != types.columns.len() {
        return Some(other_length(types, "this fact", fact.args.len()));
    }
    for (column, (arg, wanted)) in fact.args.iter_mut().zip(&types.columns).enumerate() {
        match converted(arg, wanted, definitions) {
            Ok(value) => *arg = value,
            Err(()) => return Some(other_type(types, column, arg, &format!("this fact has `{arg}`"), definitions)),
        }
    }
    None
}

/// The integers of a table that do not fit 64 bits, in columns of which no type says that they are symbols or floats.
fn long_integers(table: &Table, types: Option<&ColumnTypes>) -> impl Iterator<Item = Diagnostic> {
    let is_any = move |column: usize| {
        let declared = types.and_then(|types| types.columns.get(column));
        declared.is_none_or(|declared| *declared == ColumnType::Any)
    };
    table.long_integers().iter().filter(move |found| is_any(found.column)).map(|found| {
        let more =
            if found.count > 1 { format!(", the first of {} in its column", found.count) } else { String::new() };
        let predicate = print_term(&Term::symbol(table.predicate().name.text()), Syntax::Datalog);
        let of = |column| if column == found.column { ", symbol" } else { ", any" };
        let columns: String = (0..table.predicate().arity).map(of).collect();
        Diagnostic::error(Code::Syntax, "this integer is too large")
            .at(found.place, format!("integers have at most 64 bits{more}"))
            .help(format!("if symbols are meant, declare them: `:- type({predicate}{columns}).`"))
    })
}

/// Converts the columns of a table, or says what is wrong with them.
fn of_table(table: &mut Table, types: &ColumnTypes, definitions: &TypeDefinitions) -> Vec<Diagnostic> {
    let name = table.name().to_owned();
    let arity = table.predicate().arity;
    if arity != types.columns.len() {
        return vec![other_length(types, &format!("`{name}`"), arity)];
    }
    let columns = types.columns.iter().enumerate();
    let faults = columns.filter_map(|(column, wanted)| {
        let (row, term, count) = table.convert_column(column, |term| converted(term, wanted, definitions).ok())?;
        let more = if count > 1 { format!(", the first of {count}") } else { String::new() };
        let found = format!("row {} of `{name}` has `{term}`{more}", row + 1);
        Some(other_type(types, column, &term, &found, definitions))
    });
    faults.collect()
}

fn other_length(types: &ColumnTypes, place: &str, columns: usize) -> Diagnostic {
    let declared = types.columns.len();
    let message = format!(
        "`{}` is declared with {}, and {place} has {columns}",
        types.predicate.text(),
        counted(declared, "column")
    );
    Diagnostic::error(Code::ColumnType, message).help("declare a type for each column; `any` is one, too")
}

fn other_type(
    types: &ColumnTypes,
    column: usize,
    term: &Term,
    found: &str,
    definitions: &TypeDefinitions,
) -> Diagnostic {
    let wanted = types.columns[column].name();
    let message = format!("column {} of `{}` is declared `{wanted}`, and {found}", column + 1, types.predicate.text());
    let part = definitions.fault(&types.columns[column], term, &|_, _| true);
    let way_out = part.and_then(|(part, wanted)| definitions.way_out(wanted, part));
    let any = match types.columns[column] {
        ColumnType::Float => "correct the value, or declare the column `any` and compute with `to_float(X)`",
        _ => "correct the value, or declare the column `any`",
    };
    let help = way_out.unwrap_or_else(|| any.to_owned());
    Diagnostic::error(Code::ColumnType, message).help(help)
}
