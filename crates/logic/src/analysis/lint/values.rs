//! Computations and comparisons of terms that they are not of: arithmetic of symbols, division by zero, an order of a symbol and a number, a
//! range of symbols, a regular expression that is to match a number.

use super::shown;
use crate::analysis::clause::{Elements, Literal, cons};
use crate::analysis::kinds::{Kinds, VariableKinds, of_term, of_value};
use ludolog_syntax::ast::{Comparator, Comparison, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};

/// What is told of a condition that never holds since a term in it has no value, or nothing relates two.
pub(super) fn of_literal(literal: &Literal, variables: &VariableKinds) -> Option<Diagnostic> {
    match literal {
        Literal::Compare(comparison) => of_comparison(comparison, variables),
        Literal::Member { element, elements: Elements::Range(from, to), negated: false, span } => {
            let bounds = [from, to].into_iter().find_map(|bound| {
                let within = valueless(bound, Comparator::Is, variables);
                within.map(|valueless| valueless.told(*span)).or_else(|| no_integer(bound, *span, variables))
            });
            bounds.or_else(|| no_integer(element, *span, variables))
        }
        Literal::Member { element, elements: Elements::List(list), negated, span } => {
            no_list(element, list, *negated, variables)
                .map(|warning| warning.at(*span, format!("`{}` is no list", shown(list))))
        }
        _ => None,
    }
}

/// What is told of a term of a range that is no integer.
fn no_integer(term: &Term, span: Span, variables: &VariableKinds) -> Option<Diagnostic> {
    let is_other = !is_one_of(Kinds::INTEGER, of_value(term, Comparator::Is, variables));
    is_other.then(|| {
        never("a range has integers, so that the condition never holds")
            .at(span, format!("`{}` is no integer", shown(term)))
            .help("the bounds and the element of a range are integers; symbols are listed, `member(X, [a, b])`")
    })
}

/// What is told of a search in what is no list. That nothing is in the empty list is told elsewhere.
fn no_list(element: &Term, list: &Term, negated: bool, variables: &VariableKinds) -> Option<Diagnostic> {
    let is_list = match list {
        Term::Compound(..) => cons(list).is_some(),
        Term::Symbol(name) => &**name == "nil",
        list => is_one_of(Kinds::COMPOUND, of_term(list, variables)),
    };
    if is_list {
        return None;
    }
    let holds = if negated { "always" } else { "never" };
    let warning = never(&format!("`member` looks for elements of a list, so that the condition {holds} holds"));
    Some(match cons(element) {
        Some(_) => warning.help(format!("the element comes first: `member({}, {})`", shown(list), shown(element))),
        None => warning.help("lists are written as `[a, b]`, or come from a column that holds them; what a predicate holds of is asked by a condition, as `p(X)`"),
    })
}

fn of_comparison(comparison: &Comparison, variables: &VariableKinds) -> Option<Diagnostic> {
    let &Comparison { comparator, ref left, ref right, span } = comparison;
    // What `=` and `!=` cannot compute is a term.
    if matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
        return None;
    }
    if comparator == Comparator::Matches {
        let is_other = !is_one_of(Kinds::SYMBOL, of_value(left, comparator, variables));
        return is_other.then(|| {
            never("a regular expression matches symbols, so that the condition never holds")
                .at(span, format!("`{}` is no symbol", shown(left)))
                .help(format!("`to_string({})` is the symbol that spells a number", shown(left)))
        });
    }
    if let Some(valueless) = [left, right].into_iter().find_map(|side| valueless(side, comparator, variables)) {
        return Some(valueless.told(span));
    }
    let of = [left, right].map(|side| of_value(side, comparator, variables));
    if comparator == Comparator::Is && matches!(right, Term::Variable(_)) && of[1] == Kinds::SYMBOL {
        let [left, right] = [left, right].map(shown);
        return Some(
            never(&format!("`{right}` is a symbol, and `is` computes numbers, so that the condition never holds"))
                .at(span, format!("`{right}` has no value"))
                .help(format!("two names for one term are told by `{left} = {right}`")),
        );
    }
    let are_known = of.iter().all(|&kinds| kinds != Kinds::NONE && !kinds.is_unknown() && !kinds.has_decimals());
    // Integers and floats that meet are told as such.
    let are_numbers = of.iter().all(|kinds| kinds.meets(Kinds::NUMBER));
    let are_related = (of[0] & of[1]).meets(Kinds::NUMBER | Kinds::SYMBOL);
    if comparator == Comparator::Is || !are_known || are_numbers || are_related {
        return None;
    }
    let [left, right] =
        [(left, of[0]), (right, of[1])].map(|(side, kinds)| format!("`{}` ({})", shown(side), kinds.text()));
    let relation = if comparator.orders() { "order" } else { "comparison of values" };
    Some(
        never(&format!("no {relation} relates the two, so that the condition never holds"))
            .at(span, format!("{left} and {right}"))
            .help(format!("numbers are compared with numbers, symbols with symbols; {SPELLED}")),
    )
}

/// Whether values may be of kinds that are wanted, as far as is known. Decimals of tables are told as such.
fn is_one_of(wanted: Kinds, kinds: Kinds) -> bool {
    kinds == Kinds::NONE || kinds.meets(wanted) || kinds.has_decimals()
}

/// An operation that has no value.
struct Valueless<'t> {
    operation: &'t Term,
    reason: Reason<'t>,
}

/// The reason why an operation has no value.
enum Reason<'t> {
    /// An operand that is none of these.
    Operand(&'t Term, Kinds),
    /// It divides by zero.
    Zero,
}

impl Valueless<'_> {
    /// What is told of the condition at this place.
    fn told(&self, span: Span) -> Diagnostic {
        let warning = never(&format!("`{}` has no value, so that the condition never holds", shown(self.operation)));
        let Reason::Operand(operand, wanted) = self.reason else {
            return warning.at(span, "nothing is divided by zero").help("divide by something else");
        };
        let operand = shown(operand);
        let (kind, help) = match wanted {
            Kinds::SYMBOL => {
                ("symbol", "the function is of symbols; `to_string(X)` is the symbol that spells a number".to_owned())
            }
            Kinds::INTEGER => ("integer", "the function counts by integers".to_owned()),
            _ => ("number", format!("only numbers are computed; {SPELLED}")),
        };
        warning.at(span, format!("`{operand}` is no {kind}")).help(help.replace('X', &operand))
    }
}

/// The first operation of a side, from within, that has no value whatever its variables are.
fn valueless<'t>(side: &'t Term, comparator: Comparator, variables: &VariableKinds) -> Option<Valueless<'t>> {
    let Term::Compound(functor, args) = side else { return None };
    let operation = Operation::of(functor, args.len()).filter(|_| comparator.computes(functor, args.len()))?;
    if let Some(within) = args.iter().find_map(|arg| valueless(arg, comparator, variables)) {
        return Some(within);
    }
    let valueless = |reason| Some(Valueless { operation: side, reason });
    for (at, operand) in args.iter().enumerate() {
        // Compounds that are no functions are told as such.
        let wanted = wanted(operation, at).filter(|_| !matches!(operand, Term::Compound(..)));
        if let Some(wanted) = wanted.filter(|&wanted| !is_one_of(wanted, of_value(operand, comparator, variables))) {
            return valueless(Reason::Operand(operand, wanted));
        }
    }
    let divides = matches!(operation, Operation::Divide | Operation::Modulo);
    let is_zero = match args.last() {
        Some(Term::Integer(divisor)) => *divisor == 0,
        Some(Term::Float(divisor)) => divisor.get() == 0.0,
        _ => false,
    };
    if divides && is_zero { valueless(Reason::Zero) } else { None }
}

/// The kinds of which an operand has to be, counted from 0; `None` if any will do, or nobody knows.
fn wanted(operation: Operation, at: usize) -> Option<Kinds> {
    match operation {
        Operation::Length => Some(Kinds::SYMBOL),
        Operation::Part => Some(if at == 0 { Kinds::SYMBOL } else { Kinds::INTEGER }),
        Operation::Float => Some(Kinds::NUMBER | Kinds::SYMBOL),
        operation if operation.is_of_symbols() => None,
        _ => Some(Kinds::NUMBER),
    }
}

/// The ways to make numbers of symbols.
pub(super) const SPELLED: &str =
    "`to_number(X)` is the integer that a symbol spells, `to_float(X)` the float of an integer or a decimal";

fn never(message: &str) -> Diagnostic {
    Diagnostic::warning(Code::NoValue, message)
}
