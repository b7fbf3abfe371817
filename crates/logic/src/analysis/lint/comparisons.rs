//! Comparisons of one body that never hold together.

use crate::analysis::clause::Literal;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};
use ludolog_syntax::diagnostic::Span;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The constants that a variable is compared with.
#[derive(Default)]
struct ComparedConstants<'a> {
    equal: Option<(&'a Term, Span)>,
    unequal: FxHashMap<&'a Term, Span>,
    /// The least integer that is allowed.
    least: Option<(i64, Span)>,
    greatest: Option<(i64, Span)>,
}

/// The place of a comparison that never holds, with that of another that it contradicts, if it takes two.
pub(super) fn contradiction(body: &[Literal]) -> Option<(Span, Option<Span>)> {
    let mut limits: FxHashMap<&Name, ComparedConstants> = FxHashMap::default();
    for literal in body {
        let Literal::Compare(comparison) = literal else { continue };
        let Comparison { comparator, left, right, span } = comparison;
        if *comparator == Comparator::Matches {
            continue;
        }
        if left == right
            && !matches!(comparator, Comparator::Is | Comparator::Equal | Comparator::SameValue)
            && is_plain(left)
        {
            if !matches!(comparator, Comparator::LessOrEqual | Comparator::GreaterOrEqual) {
                return Some((*span, None));
            }
            continue;
        }
        let earlier = match (left, right) {
            (Term::Variable(name), constant) if is_constant(constant) => {
                limits.entry(name).or_default().narrow(*comparator, constant, *span)
            }
            (constant, Term::Variable(name)) if is_constant(constant) => {
                limits.entry(name).or_default().narrow(mirrored(*comparator), constant, *span)
            }
            (left, right) if is_constant(left) && is_constant(right) && !holds(*comparator, left, right) => Some(None),
            _ => None,
        };
        if let Some(earlier) = earlier {
            return Some((*span, earlier));
        }
    }
    going_round(body)
}

/// The place of a comparison that wants a variable to be itself plus or minus an integer other than 0, as assignments of other languages do,
/// with the variable and the sum: no number is so, and no term.
pub(super) fn assignment(body: &[Literal]) -> Option<(Span, [&Term; 2])> {
    body.iter().find_map(|literal| {
        let Literal::Compare(comparison) = literal else { return None };
        let Comparison { comparator, left, right, span } = comparison;
        let equates = matches!(comparator, Comparator::Is | Comparator::Equal | Comparator::SameValue);
        let sides = [(left, right), (right, left)].into_iter().find(|(one, other)| is_shifted(one, other));
        sides.filter(|_| equates).map(|(variable, sum)| (*span, [variable, sum]))
    })
}

/// Whether the second term is the first, a variable, plus or minus an integer other than 0.
fn is_shifted(variable: &Term, sum: &Term) -> bool {
    let (Term::Variable(_), Term::Compound(sign, args)) = (variable, sum) else { return false };
    match &args[..] {
        [first, Term::Integer(n)] => first == variable && *n != 0 && matches!(&**sign, "+" | "-"),
        [Term::Integer(n), second] => second == variable && *n != 0 && &**sign == "+",
        _ => false,
    }
}

/// A comparison of two variables that the orders among all variables exclude, with another of these orders: `X < Y & Y < X`.
///
/// An order is an edge from the lesser variable to the greater one. Those of a strongly connected component are equal, so that nothing within
/// it is less than another, or different from it.
fn going_round(body: &[Literal]) -> Option<(Span, Option<Span>)> {
    let mut orders: DiGraph<(), Span> = DiGraph::new();
    let mut nodes: FxHashMap<&Name, NodeIndex> = FxHashMap::default();
    let mut differ: Vec<(NodeIndex, NodeIndex, Span)> = Vec::new();
    for literal in body {
        let Literal::Compare(Comparison { comparator, left: Term::Variable(left), right: Term::Variable(right), span }) =
            literal
        else {
            continue;
        };
        let [left, right] = [left, right].map(|name| *nodes.entry(name).or_insert_with(|| orders.add_node(())));
        if matches!(comparator, Comparator::Less | Comparator::Greater | Comparator::NotEqual | Comparator::OtherValue)
        {
            differ.push((left, right, *span));
        }
        let (is_below, is_above) = match comparator {
            Comparator::Less | Comparator::LessOrEqual => (true, false),
            Comparator::Greater | Comparator::GreaterOrEqual => (false, true),
            Comparator::Equal | Comparator::SameValue | Comparator::Is => (true, true),
            Comparator::NotEqual | Comparator::OtherValue | Comparator::Matches => (false, false),
        };
        orders.extend_with_edges(is_below.then_some((left, right, *span)));
        orders.extend_with_edges(is_above.then_some((right, left, *span)));
    }
    if differ.is_empty() {
        return None;
    }
    let mut component = vec![0; orders.node_count()];
    for (number, equal) in kosaraju_scc(&orders).into_iter().enumerate() {
        equal.into_iter().for_each(|node| component[node.index()] = number);
    }
    let of = |node: NodeIndex| component[node.index()];
    let (one, _, span) = differ.into_iter().rev().find(|&(one, other, _)| of(one) == of(other))?;
    let within = orders.edge_references().filter(|edge| of(edge.source()) == of(one) && of(edge.target()) == of(one));
    Some((span, within.map(|edge| *edge.weight()).find(|other| *other != span)))
}

impl<'a> ComparedConstants<'a> {
    /// Takes a comparison of the variable with a constant into account. The place of the comparison that it
    /// contradicts, if it does; within, `None` if it never holds by itself.
    fn narrow(&mut self, comparator: Comparator, constant: &'a Term, span: Span) -> Option<Option<Span>> {
        let integer = match constant {
            Term::Integer(n) => Some(*n),
            _ => None,
        };
        match (comparator, integer) {
            (Comparator::NotEqual | Comparator::OtherValue, _) => _ = self.unequal.insert(constant, span),
            (Comparator::Is, _) if matches!(constant, Term::Symbol(_)) => return Some(None),
            (Comparator::Equal | Comparator::SameValue | Comparator::Is, _) => match self.equal {
                Some((other, place)) if other != constant => return Some(Some(place)),
                _ => self.equal = Some((constant, span)),
            },
            (Comparator::Matches, _) => return None,
            // A float or symbol that bounds others: their order is dense, and not followed.
            (_, None) => return None,
            (Comparator::Less, Some(n)) => self.at_most(n.saturating_sub(1), span),
            (Comparator::LessOrEqual, Some(n)) => self.at_most(n, span),
            (Comparator::Greater, Some(n)) => self.at_least(n.saturating_add(1), span),
            (Comparator::GreaterOrEqual, Some(n)) => self.at_least(n, span),
        }
        let limits = [self.least, self.greatest].map(|limit| limit.map(|(_, place)| place));
        let other = |first: Option<Span>, second: Option<Span>| first.filter(|place| *place != span).or(second);
        if let (Some((least, _)), Some((greatest, _))) = (self.least, self.greatest)
            && least > greatest
        {
            return Some(other(limits[0], limits[1]));
        }
        let (value, place) = self.equal?;
        if let Some(differs) = self.unequal.get(value) {
            return Some(other(Some(place), Some(*differs)));
        }
        let too_small = |n: i64| self.least.filter(|(least, _)| n < *least);
        let too_large = |n: i64| self.greatest.filter(|(greatest, _)| n > *greatest);
        let limit = match value {
            Term::Integer(n) => too_small(*n).or(too_large(*n)),
            _ => self.least.or(self.greatest),
        };
        limit.map(|(_, limit)| other(Some(place), Some(limit)))
    }

    fn at_most(&mut self, n: i64, span: Span) {
        if self.greatest.is_none_or(|(greatest, _)| n < greatest) {
            self.greatest = Some((n, span));
        }
    }

    fn at_least(&mut self, n: i64, span: Span) {
        if self.least.is_none_or(|(least, _)| n > least) {
            self.least = Some((n, span));
        }
    }
}

fn is_constant(term: &Term) -> bool {
    matches!(term, Term::Integer(_) | Term::Float(_) | Term::Symbol(_))
}

fn is_plain(term: &Term) -> bool {
    is_constant(term) || matches!(term, Term::Variable(_))
}

fn holds(comparator: Comparator, left: &Term, right: &Term) -> bool {
    let order = match (left, right) {
        (Term::Integer(a), Term::Integer(b)) => Some(a.cmp(b)),
        (Term::Float(a), Term::Float(b)) => Some(a.cmp(b)),
        (Term::Symbol(a), Term::Symbol(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match comparator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        Comparator::Is => left == right && matches!(left, Term::Integer(_) | Term::Float(_)),
        Comparator::Matches => true,
        Comparator::SameValue => order.is_some_and(Ordering::is_eq),
        Comparator::OtherValue => order.is_some_and(Ordering::is_ne),
        Comparator::Less => order.is_some_and(Ordering::is_lt),
        Comparator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Comparator::Greater => order.is_some_and(Ordering::is_gt),
        Comparator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    }
}

/// The comparator that says the same with its sides exchanged.
fn mirrored(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Less => Comparator::Greater,
        Comparator::LessOrEqual => Comparator::GreaterOrEqual,
        Comparator::Greater => Comparator::Less,
        Comparator::GreaterOrEqual => Comparator::LessOrEqual,
        Comparator::Is
        | Comparator::Equal
        | Comparator::NotEqual
        | Comparator::SameValue
        | Comparator::OtherValue
        | Comparator::Matches => comparator,
    }
}
