//! Integers and floats that meet where only numbers of one kind do: in arithmetic, comparisons, aggregates, and columns of one variable; and
//! symbols and compounds that an aggregate, or a lattice column, meets among numbers.

use super::{decimals, disjoint, shown};
use crate::analysis::clause::{Aggregation, CheckedProgram, Elements, Literal};
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_value};
use ludolog_syntax::ast::{AggregateFunction, Comparator, Comparison, Join, Name, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// What is told of a comparison that mixes integers and floats, or may do so, of a variable that is an integer in one condition and a float in
/// another, and of an aggregate of terms that have no sum, or no order.
pub(super) fn of_literal(literal: &Literal, kinds: &ColumnKinds, variables: &VariableKinds) -> Option<Diagnostic> {
    let fault = match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => of_comparison(comparison, variables),
        Literal::Positive(atom) => atom.args.iter().enumerate().find_map(|(column, arg)| match arg {
            Term::Variable(name) => of_column(name, kinds.column(atom, column), variables),
            Term::Integer(_) | Term::Float(_) => of_number(arg, kinds.column(atom, column)),
            _ => None,
        }),
        Literal::Aggregate(aggregation) => of_aggregate(aggregation, kinds),
        Literal::Member { element: Term::Variable(name), elements: Elements::List(list), negated: false, .. } => {
            of_column(name, disjoint::members(list), variables)
        }
        _ => None,
    };
    fault.map(|fault| fault.diagnostic(literal.span()))
}

/// Reports each lattice column of values of several types, or of none that it keeps the best of.
pub(super) fn check_lattices(checked: &CheckedProgram, kinds: &ColumnKinds, found: &mut Vec<Diagnostic>) {
    let mut seen: FxHashSet<Predicate> = FxHashSet::default();
    for rule in &checked.rules {
        let Some(lattice) = checked.lattices.get(&rule.head.signature()) else { continue };
        if let Join::Function(function) = lattice.join
            && seen.insert(rule.head.signature())
        {
            let values = kinds.column(&rule.head, lattice.column);
            let place = rule.head.span;
            match of_lattice(function, values) {
                Some(fault) => found.push(fault.diagnostic(place)),
                None if values.has_decimals() => found.push(decimals::of_function(function, place)),
                None => {}
            }
        }
    }
}

/// Integers and floats that meet.
struct MixedNumbers {
    /// What is said of the place.
    message: String,
    /// What is an integer and what is a float.
    label: String,
    help: String,
    /// The integer that is to be a float, with that float, if that is the way out.
    made_float: Option<(String, String)>,
}

impl MixedNumbers {
    fn diagnostic(self, place: Span) -> Diagnostic {
        let warning = Diagnostic::warning(Code::MixedNumbers, self.message).at(place, self.label).help(self.help);
        match self.made_float {
            Some((integer, float)) => warning.respelled(place, integer, float),
            None => warning,
        }
    }
}

/// The variable that has numbers of one kind before, and of the other in this column.
fn of_column(name: &Name, column: Kinds, variables: &VariableKinds) -> Option<MixedNumbers> {
    let before = *variables.get(name)?;
    let [before_text, here] = [before, column].map(only_number);
    let (before, here) = (before_text?, here?);
    (before != here).then(|| {
        let variable = shown(&Term::Variable(name.clone()));
        MixedNumbers {
            message: format!("`{variable}` is {before} in one condition and {here} in this one: both never hold"),
            label: format!("{here} here"),
            help: "give them two variables, and compare these: `X =:= to_float(N)`".to_owned(),
            made_float: None,
        }
    })
}

/// The terms of an aggregate that may be of several kinds, or of none that it is computed of. Decimals are told as such, and tests that read
/// values from outside may leave all terms of a kind out.
fn of_aggregate(aggregation: &Aggregation, kinds: &ColumnKinds) -> Option<MixedNumbers> {
    let function = aggregation.function;
    let terms = kinds.column(&aggregation.atom, aggregation.bound);
    if function == AggregateFunction::Count || !aggregation.tests.alternatives.is_empty() || are_alike(function, terms)
    {
        return None;
    }
    let names: Vec<String> = taken_together(function).iter().map(|kind| kind.text()).collect();
    let message =
        format!("`{}` may have no value: its terms are to be all of one type, {}", function.name(), names.join(" or "));
    Some(of_several_types(message, terms))
}

/// The values of a lattice column that may be of several kinds, or of none that has better ones.
fn of_lattice(function: AggregateFunction, values: Kinds) -> Option<MixedNumbers> {
    let message = match function {
        AggregateFunction::Union => "`union` leaves out values that are no integers".to_owned(),
        _ => format!("`{}` may keep one of values of several types, of which none is better", function.name()),
    };
    (!are_alike(function, values)).then(|| of_several_types(message, values))
}

/// The kinds of which a function takes terms together.
fn taken_together(function: AggregateFunction) -> &'static [Kinds] {
    match function {
        AggregateFunction::Count => &[],
        AggregateFunction::Union => &[Kinds::INTEGER],
        AggregateFunction::Sum | AggregateFunction::Average => &[Kinds::INTEGER, Kinds::FLOAT],
        AggregateFunction::Minimum | AggregateFunction::Maximum => &[Kinds::INTEGER, Kinds::FLOAT, Kinds::SYMBOL],
    }
}

/// Whether terms are of one kind that a function takes, as far as is known.
fn are_alike(function: AggregateFunction, terms: Kinds) -> bool {
    let is_known = !terms.is_unknown() && !terms.has_decimals();
    !is_known || terms == Kinds::NONE || taken_together(function).contains(&terms)
}

fn of_several_types(message: String, terms: Kinds) -> MixedNumbers {
    MixedNumbers {
        message,
        label: format!("these may be {}", terms.text()),
        help: "leave out what is of another type, as `X > 0` leaves out floats and symbols, or declare the columns: `:- type(p, integer).`".to_owned(),
        made_float: None,
    }
}

/// A number in a column that has numbers of the other kind alone.
fn of_number(number: &Term, column: Kinds) -> Option<MixedNumbers> {
    let here = only_number(Kinds::of(number))?;
    let there = only_number(column)?;
    (here != there).then(|| MixedNumbers {
        message: format!("`{}` is {here}, and the column has none: this never holds", shown(number)),
        label: format!("each of its values is {there}"),
        help: match number {
            Term::Integer(_) => format!("write `{}`", float_of(number)),
            _ => "write an integer".to_owned(),
        },
        made_float: matches!(number, Term::Integer(_)).then(|| (shown(number), float_of(number))),
    })
}

/// The numbers that these kinds are, if they are all of one kind.
fn only_number(kinds: Kinds) -> Option<&'static str> {
    match kinds {
        Kinds::INTEGER => Some("an integer"),
        Kinds::FLOAT => Some("a float"),
        _ => None,
    }
}

/// The first mixture in a comparison.
fn of_comparison(comparison: &Comparison, variables: &VariableKinds) -> Option<MixedNumbers> {
    let &Comparison { comparator, ref left, ref right, .. } = comparison;
    if comparator == Comparator::Matches {
        return None;
    }
    let within = [left, right].into_iter().find_map(|side| of_operation(side, comparator, variables));
    within.or_else(|| {
        // An unbound side is bound to the value.
        let is_bound = |side: &Term| !matches!(side, Term::Variable(name) if !variables.contains_key(name));
        let sides = [left, right].map(|side| (side, of_value(side, comparator, variables)));
        let mixture = Mixture::of(sides).filter(|_| is_bound(left) && is_bound(right))?;
        if matches!(comparator, Comparator::Equal | Comparator::NotEqual) && !mixture.is_certain {
            return None;
        }
        let related = if mixture.is_certain {
            "an integer is compared with a float"
        } else {
            "integers may be compared with floats"
        };
        let holds = match comparator {
            Comparator::NotEqual => "these always differ",
            _ => "no comparison relates the two",
        };
        Some(mixture.told(format!("{related}: {holds}")))
    })
}

/// The first mixture in what a side computes, from within.
fn of_operation(side: &Term, comparator: Comparator, variables: &VariableKinds) -> Option<MixedNumbers> {
    let Term::Compound(functor, args) = side else { return None };
    let operation = Operation::of(functor, args.len()).filter(|_| comparator.computes(functor, args.len()))?;
    if let Some(within) = args.iter().find_map(|arg| of_operation(arg, comparator, variables)) {
        return Some(within);
    }
    let text = shown(side);
    match &args[..] {
        [left, right] if operation.is_of_floats() => {
            let mixture = Mixture::of([left, right].map(|arg| (arg, of_value(arg, comparator, variables))))?;
            let mixes = if mixture.is_certain { "mixes" } else { "may mix" };
            Some(mixture.told(format!("`{text}` {mixes} integers and floats, and has no value then")))
        }
        [operand] if operation.rounds() || operation.makes_floats() && operation != Operation::Float => {
            let is_certain = may_be(Kinds::INTEGER, Kinds::FLOAT, of_value(operand, comparator, variables))?;
            let (has_no, is) = certainty(is_certain);
            Some(MixedNumbers {
                message: format!("`{text}` {has_no} value: it is computed of floats"),
                label: format!("`{}` {is} an integer", shown(operand)),
                help: format!("write `{}`", float_of(operand)),
                made_float: Some((shown(operand), float_of(operand))),
            })
        }
        operands if !operation.is_of_floats() && !operation.is_of_symbols() => {
            let of_operand = |arg| may_be(Kinds::FLOAT, Kinds::INTEGER, of_value(arg, comparator, variables));
            let (float, is_certain) = operands.iter().find_map(|arg| Some((arg, of_operand(arg)?)))?;
            let (has_no, is) = certainty(is_certain);
            Some(MixedNumbers {
                message: format!("`{text}` {has_no} value: it is computed of integers"),
                label: format!("`{}` {is} a float", shown(float)),
                help: format!("`floor({0})` and `round({0})` are integers", shown(float)),
                made_float: None,
            })
        }
        _ => None,
    }
}

/// Whether values of these kinds have certainly no value of a function of `taken` numbers; `None` if none may be a number of the other kind, or nothing
/// is known. Symbols among them are told elsewhere.
fn may_be(other: Kinds, taken: Kinds, kinds: Kinds) -> Option<bool> {
    let is_other = kinds.meets(other) && !kinds.is_unknown() && !kinds.has_decimals();
    let is_certain = kinds == other;
    (is_other && (is_certain || kinds.meets(taken))).then_some(is_certain)
}

/// The words for what is so, and for what may be.
fn certainty(is_certain: bool) -> (&'static str, &'static str) {
    if is_certain { ("has no", "is") } else { ("may have no", "may be") }
}

/// Two terms of which one may be an integer and the other a float.
struct Mixture<'t> {
    integer: &'t Term,
    float: &'t Term,
    /// Whether they cannot be numbers of one kind.
    is_certain: bool,
}

impl<'t> Mixture<'t> {
    /// The mixture of two terms with their kinds; `None` if they mix nothing, or nothing is known of one.
    fn of([(left, of_left), (right, of_right)]: [(&'t Term, Kinds); 2]) -> Option<Mixture<'t>> {
        if of_left.is_unknown() || of_right.is_unknown() {
            return None;
        }
        let is_certain = !of_left.meets(of_right);
        if of_left.meets(Kinds::INTEGER) && of_right.meets(Kinds::FLOAT) {
            return Some(Mixture { integer: left, float: right, is_certain });
        }
        let is_turned = of_left.meets(Kinds::FLOAT) && of_right.meets(Kinds::INTEGER);
        is_turned.then_some(Mixture { integer: right, float: left, is_certain })
    }

    fn told(&self, message: String) -> MixedNumbers {
        let [integer, float] = [self.integer, self.float].map(shown);
        let label = if self.is_certain {
            format!("`{integer}` is an integer, `{float}` a float")
        } else {
            format!("`{integer}` may be an integer, `{float}` a float")
        };
        let float = float_of(self.integer);
        MixedNumbers { message, label, help: format!("write `{float}`"), made_float: Some((integer, float)) }
    }
}

/// The way to make a float of an integer.
pub(super) fn float_of(integer: &Term) -> String {
    match integer {
        Term::Integer(n) => format!("{n}.0"),
        term => format!("to_float({})", shown(term)),
    }
}
