//! Literals as alternatives of simple conditions, for systems that compare terms of one sort only, or all terms by one order.
//!
//! `X < Y` holds of two integers or of two symbols, and `~(X < Y)` also of an integer and a symbol. Each sort that both sides may
//! have is an alternative of its own, so a rule becomes one rule for each.

use crate::sorts::{RuleSorts, Sort, computed};
use ludolog_logic::analysis::clause::{Aggregation, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Operation, Term};

/// One simple condition.
#[derive(Clone, Debug)]
pub(crate) enum Condition<'a> {
    /// An atom holds.
    Holds(&'a Atom),
    /// No instance of an atom holds.
    Fails(&'a Atom),
    /// Two values of this one sort are related so: by `Equal`, `NotEqual` or an ordering. The sides compute as under `is`.
    Related(Comparator, &'a Term, &'a Term, Sort),
    /// Two terms are the same as they stand.
    Same(&'a Term, &'a Term),
    /// Two terms differ as they stand.
    Different(&'a Term, &'a Term),
    /// A term is of this one sort.
    Is(&'a Term, Sort),
    /// The first is an integer from the second to the third.
    Within(&'a Term, &'a Term, &'a Term),
    /// The result is the value of an aggregate.
    Aggregate(&'a Aggregation),
}

impl Condition<'_> {
    /// Whether no values fulfill it, as `X < X`.
    pub fn is_never(&self) -> bool {
        let is_strict = |comparator: &Comparator| {
            matches!(comparator, Comparator::NotEqual | Comparator::Less | Comparator::Greater)
        };
        match self {
            Condition::Related(comparator, left, right, _) => is_strict(comparator) && left == right,
            Condition::Different(left, right) => left == right,
            _ => false,
        }
    }
}

/// Conditions that hold together.
pub(crate) type Conjunction<'a> = Vec<Condition<'a>>;

/// The alternatives of a literal, or what it is that has none.
pub(crate) fn alternatives<'a>(literal: &'a Literal, sorts: RuleSorts) -> Result<Vec<Conjunction<'a>>, &'static str> {
    Ok(match literal {
        Literal::Positive(atom) => vec![vec![Condition::Holds(atom)]],
        Literal::Negative(atom) => vec![vec![Condition::Fails(atom)]],
        Literal::Aggregate(aggregation) => vec![vec![Condition::Aggregate(aggregation)]],
        Literal::Compare(comparison) => compared(comparison, sorts)?,
        Literal::NotCompare(comparison) => not_compared(comparison, sorts)?,
        Literal::Member { element, elements: Elements::Range(from, to), negated: false, .. } => {
            vec![vec![Condition::Within(element, from, to)]]
        }
        Literal::Member { element, elements: Elements::Range(from, to), .. } => outside(element, from, to, sorts)?,
        Literal::Member { .. } => return Err("a list"),
    })
}

/// The sorts of values that both sides may have.
fn common(left: Sort, right: Sort) -> impl Iterator<Item = Sort> {
    [Sort::INTEGER, Sort::SYMBOL].into_iter().filter(move |sort| left.meets(*sort) && right.meets(*sort))
}

/// The relation of values that a comparator stands for.
fn relation(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Is | Comparator::SameValue => Comparator::Equal,
        Comparator::OtherValue => Comparator::NotEqual,
        other => other,
    }
}

/// The relation of two values that are not related so.
fn inverse(comparator: Comparator) -> Comparator {
    match relation(comparator) {
        Comparator::Less => Comparator::GreaterOrEqual,
        Comparator::LessOrEqual => Comparator::Greater,
        Comparator::Greater => Comparator::LessOrEqual,
        Comparator::GreaterOrEqual => Comparator::Less,
        Comparator::NotEqual => Comparator::Equal,
        _ => Comparator::NotEqual,
    }
}

fn compares_terms(comparator: Comparator) -> bool {
    matches!(comparator, Comparator::Equal | Comparator::NotEqual)
}

fn compared<'a>(comparison: &'a Comparison, sorts: RuleSorts) -> Result<Vec<Conjunction<'a>>, &'static str> {
    related(comparison, sorts, relation(comparison.comparator))
}

fn not_compared<'a>(comparison: &'a Comparison, sorts: RuleSorts) -> Result<Vec<Conjunction<'a>>, &'static str> {
    let Comparison { comparator, left, right, .. } = comparison;
    for side in [left, right] {
        always_computes(side, *comparator, sorts)?;
    }
    let mut found = related(comparison, sorts, inverse(*comparator))?;
    if compares_terms(*comparator) {
        return Ok(found);
    }
    // Values of different sorts are not related, and compounds are no values.
    let [left_sort, right_sort] = [left, right].map(|side| sorts.side(side, *comparator).0);
    for (side, sort) in [(left, left_sort), (right, right_sort)] {
        if sort.meets(Sort::COMPOUND) {
            found.push(vec![Condition::Is(side, Sort::COMPOUND)]);
        }
    }
    for (a, b) in [(Sort::INTEGER, Sort::SYMBOL), (Sort::SYMBOL, Sort::INTEGER)] {
        if left_sort.meets(a) && right_sort.meets(b) {
            let left = (!a.holds(left_sort)).then_some(Condition::Is(left, a));
            let right = (!b.holds(right_sort)).then_some(Condition::Is(right, b));
            found.push(left.into_iter().chain(right).collect());
        }
    }
    Ok(found)
}

/// The alternatives in which the sides are related so: `Equal`, `NotEqual` or an ordering.
fn related<'a>(
    comparison: &'a Comparison,
    sorts: RuleSorts,
    wanted: Comparator,
) -> Result<Vec<Conjunction<'a>>, &'static str> {
    let Comparison { comparator, left, right, .. } = comparison;
    let [(left_sort, left_computes), (right_sort, right_computes)] =
        [left, right].map(|side| sorts.side(side, *comparator));
    let compares_terms = compares_terms(*comparator);
    if compares_terms {
        check_terms(comparison, sorts)?;
        if !left_computes && !right_computes {
            let is_equal = wanted == Comparator::Equal;
            let condition = if is_equal { Condition::Same(left, right) } else { Condition::Different(left, right) };
            return Ok(vec![vec![condition]]);
        }
    }
    let of_sort = |sort| vec![Condition::Related(wanted, left, right, sort)];
    let mut found: Vec<Conjunction> = common(left_sort, right_sort).map(of_sort).collect();
    if compares_terms && wanted == Comparator::NotEqual {
        let (other, sort) = if left_computes { (right, right_sort) } else { (left, left_sort) };
        found.extend(others(other, sort, Sort::INTEGER));
    }
    Ok(found)
}

/// The alternatives in which a term is of another sort than this one.
fn others(term: &Term, sort: Sort, than: Sort) -> impl Iterator<Item = Conjunction<'_>> {
    let kinds = [Sort::INTEGER, Sort::SYMBOL, Sort::COMPOUND].into_iter();
    kinds.filter(move |kind| *kind != than && sort.meets(*kind)).map(move |kind| vec![Condition::Is(term, kind)])
}

fn outside<'a>(
    element: &'a Term,
    from: &'a Term,
    to: &'a Term,
    sorts: RuleSorts,
) -> Result<Vec<Conjunction<'a>>, &'static str> {
    for bound in [from, to] {
        always_computes(bound, Comparator::Is, sorts)?;
    }
    let related = |comparator, a, b| vec![Condition::Related(comparator, a, b, Sort::INTEGER)];
    let sort = sorts.term(element);
    // A variable of which nothing is known occurs nowhere else: the range is empty.
    let mut found = if matches!(element, Term::Variable(_)) && sort == Sort::NONE {
        vec![related(Comparator::Greater, from, to)]
    } else {
        vec![related(Comparator::Less, element, from), related(Comparator::Greater, element, to)]
    };
    found.extend(others(element, sort, Sort::INTEGER));
    for bound in [from, to] {
        found.extend(others(bound, sorts.side(bound, Comparator::Is).0, Sort::INTEGER));
    }
    Ok(found)
}

/// Checks that a side of a negated comparison is computed whatever its variables are.
fn always_computes(side: &Term, comparator: Comparator, sorts: RuleSorts) -> Result<(), &'static str> {
    let Some((operation, operands)) = computed(side, comparator) else { return Ok(()) };
    let is_safe = |second: i64| match operation {
        Operation::Divide | Operation::Modulo => second != 0,
        _ => second >= 0,
    };
    let may_fail = operation.may_be_undefined()
        && !matches!(operands.get(1), Some(Term::Integer(second)) if is_safe(*second))
        || operation.is_of_symbols();
    let has_others = operands.iter().any(|operand| !Sort::INTEGER.holds(sorts.side(operand, comparator).0));
    if may_fail || has_others {
        return Err("a negated comparison that perhaps cannot be computed");
    }
    operands.iter().try_for_each(|operand| always_computes(operand, comparator, sorts))
}

/// Checks that `=` and `!=` of terms can be told from those of values before the program runs.
pub(crate) fn check_terms(comparison: &Comparison, sorts: RuleSorts) -> Result<(), &'static str> {
    for side in [&comparison.left, &comparison.right] {
        match computed(side, comparison.comparator) {
            Some(_) if always_computes(side, comparison.comparator, sorts).is_err() => {
                return Err("`=` or `!=` of what is perhaps no integer, and a term then");
            }
            None if computes_within(side, comparison.comparator) => return Err("an operation within a term"),
            _ => {}
        }
    }
    Ok(())
}

fn computes_within(term: &Term, comparator: Comparator) -> bool {
    match term {
        Term::Compound(_, args) => {
            args.iter().any(|arg| computed(arg, comparator).is_some() || computes_within(arg, comparator))
        }
        _ => false,
    }
}
