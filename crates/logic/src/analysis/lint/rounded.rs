//! Floats that arithmetic rounds, where they are to be equal to others: `0.1 + 0.2` is not `0.3`.

use super::shown;
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use crate::analysis::given::Column;
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_value};
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;

/// Reports conditions by which a float that arithmetic rounds equals a constant, or a value that is not computed, each once. Two that are computed
/// may well be equal, as the least cost and the cost that it is of; and so may be what ends at zero.
///
/// Cost: linear in the length of the program, but for columns that rules compute from each other.
pub(super) fn check(checked: &CheckedProgram, kinds: &ColumnKinds, found: &mut Vec<Diagnostic>) {
    if !checked.bodies().flatten().any(may_round) {
        return;
    }
    let columns = rounded_columns(checked);
    let mut told: FxHashSet<Span> = FxHashSet::default();
    for body in checked.bodies() {
        let rounded = rounded_variables(body, &columns);
        let variables = LazyCell::new(|| kinds.variables(body));
        for literal in body {
            let equal = match literal {
                Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
                    let are_floats = || variables.as_ref().is_some_and(|variables| are_floats(comparison, variables));
                    rounded.equal_by(comparison).filter(|_| are_floats())
                }
                Literal::Positive(atom) | Literal::Negative(atom) => constant_in(atom, &columns),
                _ => None,
            };
            if let Some(equal) = equal
                && told.insert(literal.span())
            {
                found.push(told_of(equal, literal.span()));
            }
        }
    }
}

fn told_of(equal: &Term, place: Span) -> Diagnostic {
    let equal = shown(equal);
    Diagnostic::warning(Code::RoundedFloat, format!("a float that arithmetic rounds is to equal `{equal}`"))
        .at(place, "as `0.1 + 0.2`, which is 0.30000000000000004")
        .help("ask for a small difference, as in `abs(X - 0.3) < 0.000001`, or compute with integers, as cents; if equal bits are meant, say so in a comment: `ludolog: allow rounded-float`")
}

/// Whether a literal may make a float that is rounded.
fn may_round(literal: &Literal) -> bool {
    match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            let none = FxHashSet::default();
            [&comparison.left, &comparison.right].into_iter().any(|side| rounds(side, comparison.comparator, &none))
        }
        Literal::Aggregate(aggregation) => {
            matches!(aggregation.function, AggregateFunction::Sum | AggregateFunction::Average)
        }
        _ => false,
    }
}

/// Whether a side of a comparison is computed by an operation that rounds, or of variables that are.
fn rounds(side: &Term, comparator: Comparator, rounded: &FxHashSet<&Name>) -> bool {
    use Operation::{Add, Divide, Exponential, Logarithm, Multiply, Power, SquareRoot, Subtract};
    match side {
        Term::Variable(name) => rounded.contains(name),
        Term::Compound(functor, args) if comparator.computes(functor, args.len()) => {
            let operation = Operation::of(functor, args.len());
            let is_rounding = |operation| {
                matches!(operation, Add | Subtract | Multiply | Divide | Power | SquareRoot | Exponential | Logarithm)
            };
            operation.is_some_and(is_rounding) || args.iter().any(|arg| rounds(arg, comparator, rounded))
        }
        _ => false,
    }
}

/// The variables of a body that are rounded, and those that have other values of relations.
struct RoundedVariables<'b> {
    rounded: FxHashSet<&'b Name>,
    stored: FxHashSet<&'b Name>,
}

fn rounded_variables<'b>(body: &'b [Literal], columns: &FxHashSet<Column>) -> RoundedVariables<'b> {
    let [mut rounded, mut stored] = [FxHashSet::default(), FxHashSet::default()];
    for literal in body {
        let Literal::Positive(atom) = literal else { continue };
        for (column, arg) in atom.args.iter().enumerate() {
            if let Term::Variable(name) = arg {
                let is_rounded = columns.contains(&(atom.signature(), column));
                if is_rounded { &mut rounded } else { &mut stored }.insert(name);
            }
        }
    }
    for literal in body {
        if let Some(name) = rounded_by(literal, &rounded, columns)
            && !stored.contains(name)
        {
            rounded.insert(name);
        }
    }
    RoundedVariables { rounded, stored }
}

/// The variable that a literal may bind to a rounded value.
fn rounded_by<'b>(literal: &'b Literal, rounded: &FxHashSet<&Name>, columns: &FxHashSet<Column>) -> Option<&'b Name> {
    let (made, is_rounded) = match literal {
        Literal::Compare(Comparison {
            comparator: comparator @ (Comparator::Is | Comparator::Equal),
            left,
            right,
            ..
        }) => (left, rounds(right, *comparator, rounded)),
        Literal::Aggregate(aggregation) => {
            let first = (aggregation.atom.signature(), aggregation.bound);
            let is_rounded = match aggregation.function {
                AggregateFunction::Sum | AggregateFunction::Average => true,
                AggregateFunction::Minimum | AggregateFunction::Maximum => columns.contains(&first),
                AggregateFunction::Count | AggregateFunction::Union => false,
            };
            (&aggregation.result, is_rounded)
        }
        _ => return None,
    };
    match made {
        Term::Variable(name) if is_rounded => Some(name),
        _ => None,
    }
}

impl RoundedVariables<'_> {
    /// The side of a comparison that a rounded float on the other side is to equal, or not, if it is not rounded.
    fn equal_by<'c>(&self, comparison: &'c Comparison) -> Option<&'c Term> {
        use Comparator::{Equal, Is, NotEqual, OtherValue, SameValue};
        let Comparison { comparator, left, right, .. } = comparison;
        let is_given = |side: &Term| match side {
            Term::Float(float) => float.get() != 0.0,
            Term::Variable(name) => self.stored.contains(name) && !self.rounded.contains(name),
            _ => false,
        };
        let asks = matches!(comparator, Is | Equal | NotEqual | SameValue | OtherValue);
        let pairs = [(left, right), (right, left)];
        let pair = pairs.into_iter().find(|(one, other)| rounds(one, *comparator, &self.rounded) && is_given(other));
        pair.filter(|_| asks).map(|(_, given)| given)
    }
}

/// Whether both sides of a comparison are floats for certain.
fn are_floats(comparison: &Comparison, variables: &VariableKinds) -> bool {
    [&comparison.left, &comparison.right]
        .into_iter()
        .all(|side| of_value(side, comparison.comparator, variables) == Kinds::FLOAT)
}

/// The first float of an atom that stands in a column of rounded ones.
fn constant_in<'a>(atom: &'a Atom, columns: &FxHashSet<Column>) -> Option<&'a Term> {
    let mut floats =
        atom.args.iter().enumerate().filter(|(_, arg)| matches!(arg, Term::Float(float) if float.get() != 0.0));
    floats.find(|&(column, _)| columns.contains(&(atom.signature(), column))).map(|(_, float)| float)
}

/// The columns of heads that rules compute by operations that round, or of such columns.
fn rounded_columns(checked: &CheckedProgram) -> FxHashSet<Column> {
    let mut readers: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
    for rule in &checked.rules {
        for literal in &rule.body {
            let read = match literal {
                Literal::Aggregate(aggregation) => Some(&aggregation.atom),
                literal => literal.atom(),
            };
            if let Some(atom) = read {
                readers.entry(atom.signature()).or_default().push(rule);
            }
        }
    }
    let mut columns: FxHashSet<Column> = FxHashSet::default();
    let mut open: Vec<&Clause> = checked.rules.iter().rev().collect();
    while let Some(rule) = open.pop() {
        let rounded = rounded_variables(&rule.body, &columns).rounded;
        for (column, arg) in rule.head.args.iter().enumerate() {
            if let Term::Variable(name) = arg
                && rounded.contains(name)
                && columns.insert((rule.head.signature(), column))
            {
                open.extend(readers.get(&rule.head.signature()).into_iter().flatten());
            }
        }
    }
    columns
}
