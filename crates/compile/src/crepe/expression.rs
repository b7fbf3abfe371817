//! Terms and computations as expressions of Rust.

use super::ColumnType;
use crate::names::{self, Symbols};
use crate::sorts::{RuleSorts, computed};
use ludolog_syntax::ast::{Comparator, Name, Operation, Term};
use rustc_hash::FxHashMap;

/// A term without variables, as a value of a type; `symbol` writes a symbol.
pub(super) fn constant(term: &Term, wanted: ColumnType, symbol: &impl Fn(&str) -> String) -> String {
    let is_term = wanted == ColumnType::Term;
    match term {
        Term::Integer(n) if is_term => format!("Term::Integer({n})"),
        Term::Integer(n) => n.to_string(),
        Term::Float(float) => float.to_string(),
        Term::Symbol(name) if is_term => format!("Term::Symbol({})", symbol(name)),
        Term::Symbol(name) => symbol(name),
        Term::Compound(functor, args) => {
            let args: Vec<String> = args.iter().map(|arg| constant(arg, ColumnType::Term, symbol)).collect();
            format!("compound({}, &[{}])", symbol(functor), args.join(", "))
        }
        Term::Variable(_) => String::new(),
    }
}

/// The names and types of the variables of a rule.
pub(super) struct Expressions<'e> {
    pub(super) variables: &'e FxHashMap<Name, String>,
    pub(super) sorts: RuleSorts<'e>,
    /// The names of symbols.
    pub(super) symbols: &'e Symbols,
}

impl Expressions<'_> {
    /// The name of a variable.
    pub(super) fn variable(&self, name: &Name) -> &str {
        self.variables.get(name).map_or("_", String::as_str)
    }

    /// A symbol, or a functor.
    pub(super) fn symbol_named(&self, name: &str) -> String {
        format!("*{}", self.symbols.name(name))
    }

    /// The type of a term as it stands.
    pub(super) fn type_of(&self, term: &Term) -> ColumnType {
        ColumnType::of(self.sorts.term(term))
    }

    /// The type of the value of a side of a comparison.
    pub(super) fn type_of_value(&self, side: &Term, comparator: Comparator) -> ColumnType {
        ColumnType::of(self.sorts.side(side, comparator).0)
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
                format!("compound({}, &[{}])", self.symbol_named(functor), args.join(", "))
            }
            other => constant(other, wanted, &|name| self.symbol_named(name)),
        }
    }

    /// The integer of a side of a comparison: an operand.
    pub(super) fn integer(&self, side: &Term, comparator: Comparator) -> String {
        let Some((operation, operands)) = computed(side, comparator) else {
            return match (side, self.type_of(side)) {
                (Term::Integer(n), _) => n.to_string(),
                (Term::Variable(name), ColumnType::Integer | ColumnType::Term) => self.variable(name).to_owned(),
                _ => "None".to_owned(),
            };
        };
        if operation.makes_symbols() {
            return "None".to_owned();
        }
        match operation {
            Operation::Length => return format!("length({})", self.symbol(&operands[0], comparator)),
            Operation::Number => return format!("number({})", self.optional(&operands[0], comparator)),
            _ => {}
        }
        let values: Vec<String> = operands.iter().map(|operand| self.integer(operand, comparator)).collect();
        let name = names::of_operation(operation);
        format!("{name}({})", values.join(", "))
    }

    /// The symbol of a side of a comparison: an operand.
    pub(super) fn symbol(&self, side: &Term, comparator: Comparator) -> String {
        match computed(side, comparator) {
            None => match (side, self.type_of(side)) {
                (Term::Symbol(name), _) => self.symbol_named(name),
                (Term::Variable(name), ColumnType::Symbol | ColumnType::Term) => self.variable(name).to_owned(),
                _ => "None".to_owned(),
            },
            Some((Operation::Join | Operation::Spelling, operands)) => {
                let values: Vec<String> = operands.iter().map(|operand| self.optional(operand, comparator)).collect();
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

    /// The term of a side of a comparison: an operand.
    pub(super) fn value(&self, side: &Term, comparator: Comparator) -> String {
        match computed(side, comparator) {
            None => self.term(side, ColumnType::Term),
            Some((operation, _)) if operation.makes_symbols() => {
                format!("{}.map(Term::Symbol)", self.symbol(side, comparator))
            }
            Some(_) => format!("{}.map(Term::Integer)", self.integer(side, comparator)),
        }
    }

    /// A side of a comparison, an `Option<Term>`.
    pub(super) fn optional(&self, side: &Term, comparator: Comparator) -> String {
        let value = self.value(side, comparator);
        if computed(side, comparator).is_some() { value } else { format!("Some({value})") }
    }
}
