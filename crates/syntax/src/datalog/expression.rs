//! Trees of operators: what they mean, by their roots.

use super::grammar::Rule as G;
use super::{DatalogResult, Token};
use crate::aggregate;
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic, Replacement, Span};
use crate::{MAX_NESTING, Syntax, as_symbols, print_term, split};

/// A tree under construction.
pub struct Expression {
    pub kind: StatementKind,
    pub span: Span,
    /// The nesting of the tree.
    pub depth: usize,
}

/// The meaning of a tree by its root.
pub enum StatementKind {
    /// A name, perhaps with arguments: an atom or a term, as the place demands. `f` and `f()` are one atom, but two
    /// terms.
    Applied(Name, Option<Vec<Term>>),
    Term(Term),
    /// A term that computes with the values of aggregates, which stands in comparisons alone. The results are its
    /// variables.
    Computed(Term, Vec<Aggregate>),
    /// `min D`, which stands as an argument of a head alone.
    Best(Join, Term),
    /// An atom with a lattice column, which is a head.
    Head(Name, Vec<Term>, Lattice),
    /// `1..9`, which stands behind `in` alone, with the aggregates of its bounds.
    Range(Term, Term, Vec<Aggregate>),
    Formula(Formula),
}

/// A prefix in front of its operand.
pub fn apply(mark: &Token, operand: Expression, mark_span: Span) -> DatalogResult<Expression> {
    let depth = operand.depth + 1;
    let span = mark_span.to(operand.span);
    let kind = match mark.as_rule() {
        G::negation => StatementKind::Formula(Formula::Not(Box::new(formula(operand)?))),
        _ => operation("-", [operand])?,
    };
    checked(kind, span, depth)
}

/// An infix operator between its operands.
pub fn combine(left: Expression, mark: G, text: &str, right: Expression) -> DatalogResult<Expression> {
    let span = left.span.to(right.span);
    let depth = left.depth.max(right.depth);
    match mark {
        G::and | G::or => {
            // A chain is one flat list, however long.
            let mut list = Vec::new();
            let right = formula(right)?;
            for side in [formula(left)?, right] {
                match side {
                    Formula::And(inner) if mark == G::and => append(&mut list, inner),
                    Formula::Or(inner) if mark == G::or => append(&mut list, inner),
                    other => list.push(other),
                }
            }
            let formula = if mark == G::and { Formula::And(list) } else { Formula::Or(list) };
            checked(StatementKind::Formula(formula), span, depth)
        }
        G::comparator if text == "in" => {
            let StatementKind::Range(from, to, aggregates) = right.kind else {
                return Err(no_range(left.span, &right));
            };
            let range = Range { element: range_element(left)?, from, to, span };
            checked(StatementKind::Formula(aggregate::ranged(aggregates, range)), span, depth + 1)
        }
        G::range => {
            let mut aggregates = Vec::new();
            let from = computed(left, &mut aggregates)?;
            let to = computed(right, &mut aggregates)?;
            checked(StatementKind::Range(from, to, aggregates), span, depth + 1)
        }
        G::comparator => {
            if let StatementKind::Formula(Formula::Compare(first)) = &left.kind {
                return Err(chained(first, left.span, span));
            }
            let mut aggregates = Vec::new();
            let left = computed(left, &mut aggregates)?;
            let right = computed(right, &mut aggregates)?;
            let comparison = Comparison { comparator: comparator(text), left, right, span };
            checked(StatementKind::Formula(aggregate::compared(aggregates, comparison)), span, depth + 1)
        }
        _ => checked(operation(text, [left, right])?, span, depth + 1),
    }
}

/// The error for `X in L`, which may be meant as `member(X, L)`, and for `X in 3-7`.
fn no_range(element: Span, list: &Expression) -> Diagnostic {
    let wrong = Diagnostic::error(Code::Syntax, "`in` needs a range").at(list.span, "no range");
    if let StatementKind::Term(Term::Compound(functor, bounds)) = &list.kind
        && let ("-", [from, to]) = (&**functor, &bounds[..])
    {
        let range = [from, to].map(|bound| print_term(bound, Syntax::Datalog)).join("..");
        return wrong.help(format!("a range is written `{range}`")).replacement(list.span, range);
    }
    let between = Span { end: list.span.start, ..element.behind() };
    wrong.help("write `X in 1..9`; an element of a list is written `member(X, L)`").repair(vec![
        Replacement::new(element.before(), "member("),
        Replacement::new(between, ", "),
        Replacement::new(list.span.behind(), ")"),
    ])
}

/// The error for `A < B < C`, which is a comparison of `A < B`.
fn chained(first: &Comparison, place: Span, whole: Span) -> Diagnostic {
    let between = print_term(&first.right, Syntax::Datalog);
    Diagnostic::error(Code::Syntax, "a comparison has two sides")
        .at(whole, "two in one")
        .help(format!("write two conditions, as `1 < X & X < 9`: the second one begins with `{between}`"))
        .repair(vec![Replacement::new(place.behind(), format!(" & {between}"))])
}

/// An operator applied to its operands.
pub fn operation<const N: usize>(operator: &str, operands: [Expression; N]) -> DatalogResult<StatementKind> {
    let best = |operand: &&Expression| matches!(operand.kind, StatementKind::Best(..));
    if let Some(operand) = operands.iter().find(best) {
        return Err(operator_of_best(operand.span, operator));
    }
    let mut aggregates = Vec::new();
    let args = operands.into_iter().map(|operand| computed(operand, &mut aggregates)).collect::<DatalogResult<_>>()?;
    let term = Term::compound(operator, args);
    Ok(if aggregates.is_empty() { StatementKind::Term(term) } else { StatementKind::Computed(term, aggregates) })
}

/// The error for `min C + W`, which would be a sum of `min C`.
fn operator_of_best(best: Span, operator: &str) -> Diagnostic {
    Diagnostic::error(Code::Syntax, format!("`{operator}` stands beside the best of a lattice column"))
        .at(best, "a variable, a number or a symbol alone is compared")
        .help("compute the value first, in the body: `dist(Y, min D) :- dist(X, C) & edge(X, Y, W) & D is C + W.`")
}

/// A term where aggregates may stand, which are added to `aggregates`.
pub fn computed(expression: Expression, aggregates: &mut Vec<Aggregate>) -> DatalogResult<Term> {
    match expression.kind {
        StatementKind::Computed(term, inner) => {
            aggregates.extend(inner);
            Ok(term)
        }
        _ => term(expression),
    }
}

/// Holds the tree to the limit before anything is built upon it.
pub fn checked(kind: StatementKind, span: Span, depth: usize) -> DatalogResult<Expression> {
    if depth > MAX_NESTING { Err(split::nesting_too_deep(span)) } else { Ok(Expression { kind, span, depth }) }
}

pub fn formula(expression: Expression) -> DatalogResult<Formula> {
    let span = expression.span;
    match expression.kind {
        StatementKind::Formula(formula) => Ok(formula),
        StatementKind::Applied(predicate, args) => {
            Ok(Formula::Atom(Atom { predicate: predicate.into(), args: args.unwrap_or_default(), span }))
        }
        StatementKind::Term(Term::Variable(name)) => Err(variable_condition(span, &name)),
        StatementKind::Range(..) => Err(range_alone(span)),
        StatementKind::Computed(..) => Err(aggregate_alone(span)),
        StatementKind::Best(join, _) | StatementKind::Head(.., Lattice { join, .. }) => Err(best_alone(span, &join)),
        StatementKind::Term(_) => Err(Diagnostic::error(Code::Syntax, "a term stands where a condition is needed")
            .at(span, "this is a term")
            .help("a condition is an atom as `p(X)` or a comparison as `X < Y + 1`; bits are computed by `band(A, B)` and `bor(A, B)`")),
    }
}

pub fn variable_condition(span: Span, name: &Name) -> Diagnostic {
    let wrong = Diagnostic::error(Code::Syntax, "a variable stands where an atom is needed")
        .at(span, "names that begin upper-case or with `_` are variables")
        .help("begin a predicate's name lower-case, or quote it: 'Name'");
    let written = print_term(&Term::Variable(name.clone()), Syntax::Datalog);
    let symbols = as_symbols(&written).into_iter().flatten();
    symbols.fold(wrong, |wrong, symbol| wrong.replacement(span, symbol))
}

pub fn term(expression: Expression) -> DatalogResult<Term> {
    match expression.kind {
        StatementKind::Term(term) => Ok(term),
        StatementKind::Applied(name, None) => Ok(Term::Symbol(name)),
        StatementKind::Applied(name, Some(args)) => Ok(Term::Compound(name, args)),
        StatementKind::Range(..) => Err(range_alone(expression.span)),
        StatementKind::Computed(..) => Err(aggregate_alone(expression.span)),
        StatementKind::Best(join, _) | StatementKind::Head(.., Lattice { join, .. }) => {
            Err(best_alone(expression.span, &join))
        }
        StatementKind::Formula(_) => Err(condition_as_term(expression.span, TERMS)),
    }
}

/// What a term is.
pub const TERMS: &str =
    "terms are symbols, numbers, variables, `f(X)`, lists and sums; conditions are joined by `&` or `,`";

/// The error for a condition among the arguments of a predicate or functor.
pub fn condition_as_term(span: Span, help: &str) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "a condition stands where a term is needed")
        .at(span, "this is a condition")
        .help(help)
}

/// The element of a range: a value is no expression.
pub fn range_element(expression: Expression) -> DatalogResult<Term> {
    let span = expression.span;
    match term(expression)? {
        element @ (Term::Variable(_) | Term::Integer(_)) => Ok(element),
        _ => Err(Diagnostic::error(Code::Syntax, "only a variable or an integer is in a range")
            .at(span, "neither of them")
            .help("compute it first: `Y is X + 1 & Y in 1..9`")),
    }
}

pub fn range_alone(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "a range stands behind `in` alone")
        .at(span, "no term, and no condition")
        .help("write `X in 1..9`; one fact for each value is the rule `p(X) :- X in 1..9.`")
}

pub fn disjunctive_head(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "a head is one atom, without alternatives").at(span, "a disjunction").help(
        "a rule that may derive one of several facts chooses: `color(X, C) :- node(X) & member(C, [red, green]) & choice(X; C).`",
    )
}

pub fn best_alone(span: Span, join: &Join) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "the best of a lattice column is chosen in a head alone")
        .at(span, "not an argument of a head")
        .help("write `dist(Y, min D) :- …`; conditions read the column as any other: `dist(X, C)`")
        .respelled(span, join.to_string(), "")
}

pub fn aggregate_alone(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "an aggregate stands in a comparison alone")
        .at(span, "not compared")
        .help("give its value a name, and go on with that: `N = count { X : p(X) } & q(N)`")
}

pub fn conjuncts(formula: Formula) -> Vec<Formula> {
    match formula {
        Formula::And(conjuncts) => conjuncts,
        other => vec![other],
    }
}

/// Joins two lists at the cost of the shorter.
fn append(list: &mut Vec<Formula>, inner: Vec<Formula>) {
    if list.is_empty() {
        *list = inner;
    } else {
        list.extend(inner);
    }
}

fn comparator(text: &str) -> Comparator {
    match text {
        "is" => Comparator::Is,
        "!=" | "\\=" => Comparator::NotEqual,
        "=:=" => Comparator::SameValue,
        "=\\=" => Comparator::OtherValue,
        "<" => Comparator::Less,
        "<=" | "=<" => Comparator::LessOrEqual,
        ">" => Comparator::Greater,
        ">=" => Comparator::GreaterOrEqual,
        _ => Comparator::Equal,
    }
}
