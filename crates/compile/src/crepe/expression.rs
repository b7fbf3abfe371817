//! Terms and computations as expressions of Rust.

use super::ColumnType;
use crate::names;
use crate::sorts::{RuleSorts, computed};
use ludolog_syntax::ast::{Comparator, Name, Operation, Term};
use rustc_hash::FxHashMap;

/// A term without variables, as a value of a type.
pub(super) fn constant(term: &Term, wanted: ColumnType) -> String {
    let is_term = wanted == ColumnType::Term;
    match term {
        Term::Integer(n) if is_term => format!("Term::Integer({n})"),
        Term::Integer(n) => format!("{n}i64"),
        Term::Symbol(name) if is_term => format!("Term::Symbol({name:?})"),
        Term::Symbol(name) => format!("{name:?}"),
        Term::Compound(functor, args) => {
            let args: Vec<String> = args.iter().map(|arg| constant(arg, ColumnType::Term)).collect();
            format!("compound({functor:?}, &[{}])", args.join(", "))
        }
        Term::Variable(_) => String::new(),
    }
}

/// The names and types of the variables of a rule.
pub(super) struct Expressions<'e> {
    pub(super) variables: &'e FxHashMap<Name, String>,
    pub(super) sorts: RuleSorts<'e>,
}

impl Expressions<'_> {
    /// The name of a variable.
    pub(super) fn variable(&self, name: &Name) -> &str {
        self.variables.get(name).map_or("_", String::as_str)
    }

    /// The type of a term as it stands.
    pub(super) fn type_of(&self, term: &Term) -> ColumnType {
        ColumnType::of(self.sorts.term(term))
    }

    /// A term as a value of a type: its own, or `Term`.
    pub(super) fn term(&self, term: &Term, wanted: ColumnType) -> String {
        match term {
            Term::Variable(name) if wanted == ColumnType::Term && self.type_of(term) != wanted => {
                format!("Term::from({})", self.variable(name))
            }
            Term::Variable(name) => self.variable(name).to_owned(),
            Term::Compound(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.term(arg, ColumnType::Term)).collect();
                format!("compound({functor:?}, &[{}])", args.join(", "))
            }
            other => constant(other, wanted),
        }
    }

    /// The integer of a side of a comparison, an `Option<i64>`.
    pub(super) fn integer(&self, side: &Term, comparator: Comparator) -> String {
        let Some((operation, operands)) = computed(side, comparator) else {
            return match (side, self.type_of(side)) {
                (Term::Integer(n), _) => format!("Some({n}i64)"),
                (Term::Variable(name), ColumnType::Integer) => format!("Some({})", self.variable(name)),
                (Term::Variable(name), ColumnType::Term) => format!("{}.integer()", self.variable(name)),
                _ => "None".to_owned(),
            };
        };
        if operation.makes_symbols() {
            return "None".to_owned();
        }
        if operation == Operation::Length {
            return format!("length({})", self.symbol(&operands[0], comparator));
        }
        let values: Vec<String> = operands.iter().map(|operand| self.integer(operand, comparator)).collect();
        let name = names::of_operation(operation);
        format!("{name}({})", values.join(", "))
    }

    /// The symbol of a side of a comparison, an `Option<Symbol>`.
    pub(super) fn symbol(&self, side: &Term, comparator: Comparator) -> String {
        match computed(side, comparator) {
            None => match (side, self.type_of(side)) {
                (Term::Symbol(name), _) => format!("Some({name:?})"),
                (Term::Variable(name), ColumnType::Symbol) => format!("Some({})", self.variable(name)),
                (Term::Variable(name), ColumnType::Term) => format!("{}.symbol()", self.variable(name)),
                _ => "None".to_owned(),
            },
            Some((Operation::Join, operands)) => {
                let values: Vec<String> = operands.iter().map(|operand| self.value(operand, comparator)).collect();
                format!("join(&[{}])", values.join(", "))
            }
            Some((Operation::Part, [text, start, length])) => format!(
                "part({}, {}, {})",
                self.symbol(text, comparator),
                self.integer(start, comparator),
                self.integer(length, comparator)
            ),
            Some(_) => "None".to_owned(),
        }
    }

    /// A side of a comparison, an `Option<Term>`.
    pub(super) fn value(&self, side: &Term, comparator: Comparator) -> String {
        match computed(side, comparator) {
            None => format!("Some({})", self.term(side, ColumnType::Term)),
            Some((operation, _)) if operation.makes_symbols() => {
                format!("{}.map(Term::Symbol)", self.symbol(side, comparator))
            }
            Some(_) => format!("{}.map(Term::Integer)", self.integer(side, comparator)),
        }
    }
}
