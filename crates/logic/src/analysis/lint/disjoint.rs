//! Conditions that want a variable to be of two types, as a join of numbers with names, and constants of a type that a column has none of.
//! Integers and floats that meet are told by `numbers`, constants that match no fact of the program by `firing`.

use super::values::SPELLED;
use super::{arguments, shown};
use crate::analysis::clause::{Elements, Literal, cons};
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_term, of_value};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use ludolog_syntax::is_integer;

/// What is told of a condition that never holds for the types of its terms, or of a negated one that always does.
pub(super) fn of_literal(literal: &Literal, kinds: &ColumnKinds, variables: &VariableKinds) -> Option<Diagnostic> {
    let disjoint = match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => of_atom(atom, kinds, variables)?,
        Literal::Compare(comparison) => of_comparison(comparison, variables)?,
        Literal::Member { element, elements: Elements::List(list), .. } => {
            Disjoint::of(element, of_term(element, variables), members(list))?
        }
        _ => return None,
    };
    let holds = if is_negated(literal) { "always" } else { "never" };
    let [is, others] = [disjoint.is, disjoint.others].map(Kinds::text);
    let [a_is, an_other] = [&is, &others].map(|kinds| with_article(kinds));
    let warning = format!("no {is} is {an_other}, so that the condition {holds} holds");
    let warning = Diagnostic::warning(Code::DisjointTypes, warning)
        .at(literal.span(), format!("`{}` is {a_is}, and here {an_other}", shown(disjoint.term)));
    Some(match disjoint.way_out() {
        Some(help) => warning.help(help),
        None => warning,
    })
}

/// A term that is of other types than what it is to be equal to.
struct Disjoint<'t> {
    term: &'t Term,
    is: Kinds,
    others: Kinds,
}

impl<'t> Disjoint<'t> {
    /// Of a term whose kinds are none of these others, as far as both are known; `None` for numbers on both sides, for decimals of tables,
    /// and for what may be a list on both.
    fn of(term: &'t Term, is: Kinds, others: Kinds) -> Option<Disjoint<'t>> {
        let is_known = |kinds: Kinds| kinds != Kinds::NONE && !kinds.is_unknown() && !kinds.has_decimals();
        let are_numbers = is.meets(Kinds::NUMBER) && others.meets(Kinds::NUMBER);
        // Of lists, the empty one is a symbol, and the others are compounds.
        let may_be_lists = |one: Kinds, other: Kinds| one.meets(Kinds::COMPOUND) && other.meets(Kinds::SYMBOL);
        let are_lists = may_be_lists(is, others) || may_be_lists(others, is);
        let is_disjoint = is_known(is) && is_known(others) && !is.meets(others);
        (is_disjoint && !are_numbers && !are_lists).then_some(Disjoint { term, is, others })
    }

    /// The way to make a number of a symbol or of an operation, or a symbol of a number.
    fn way_out(&self) -> Option<String> {
        match self.term {
            Term::Integer(n) if self.others.meets(Kinds::SYMBOL) => Some(format!("write `'{n}'`")),
            Term::Compound(functor, args)
                if self.others.meets(Kinds::NUMBER) && Operation::of(functor, args.len()).is_some() =>
            {
                Some(arguments::way_out(self.term))
            }
            Term::Symbol(text) if self.others.meets(Kinds::INTEGER) && is_integer(text) => {
                Some(format!("write `{text}`"))
            }
            _ if (self.is | self.others).meets(Kinds::NUMBER) && (self.is | self.others).meets(Kinds::SYMBOL) => {
                Some(format!("{SPELLED}; `to_string(X)` is the symbol that spells a number"))
            }
            _ => None,
        }
    }
}

/// The first argument that is of other types than its column, or than an earlier column in which it stands, too.
fn of_atom<'a>(atom: &'a Atom, kinds: &ColumnKinds, variables: &VariableKinds) -> Option<Disjoint<'a>> {
    atom.args.iter().enumerate().find_map(|(column, arg)| {
        let earlier = atom.args[..column].iter().rposition(|other| matches!(arg, Term::Variable(_)) && other == arg);
        let is = earlier.map_or(of_term(arg, variables), |earlier| kinds.column(atom, earlier));
        Disjoint::of(arg, is, kinds.column(atom, column))
    })
}

fn of_comparison<'c>(comparison: &'c Comparison, variables: &VariableKinds) -> Option<Disjoint<'c>> {
    let &Comparison { comparator, ref left, ref right, .. } = comparison;
    let is = match comparator {
        Comparator::Is => of_term(left, variables),
        Comparator::Equal => of_value(left, comparator, variables),
        _ => return None,
    };
    Disjoint::of(left, is, of_value(right, comparator, variables))
}

/// The kinds of the members of a list; all where its end is not known.
pub(super) fn members(mut list: &Term) -> Kinds {
    let mut kinds = Kinds::NONE;
    while let Some((first, rest)) = cons(list) {
        kinds = kinds | Kinds::of(first);
        list = rest;
    }
    if matches!(list, Term::Symbol(_)) { kinds } else { Kinds::UNKNOWN }
}

fn is_negated(literal: &Literal) -> bool {
    matches!(literal, Literal::Negative(_) | Literal::Member { negated: true, .. })
}

fn with_article(kinds: &str) -> String {
    let article = if kinds.starts_with('i') { "an" } else { "a" };
    format!("{article} {kinds}")
}
