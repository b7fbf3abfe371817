//! The orders in which plans join bodies.

use super::{OUTDATED, SMALL, Tables};
use crate::semi_naive::heuristics::Heuristic;
use crate::semi_naive::names::ClauseNames;
use crate::semi_naive::relation::RelationId;
use crate::semi_naive::sample::fan_out;
use crate::term::Slot;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_logic::optimize::binding::{ClauseVariables, LiteralShape};
use ludolog_logic::optimize::{round, sums};
use ludolog_syntax::ast::Term;
use std::borrow::Cow;
use std::convert::Infallible;

/// The elements that a list is expected to have.
const MEMBERS: f64 = 2.0;

/// The order in which a plan joins a body.
#[derive(Clone, Debug)]
pub struct JoinOrder {
    pub literals: Vec<usize>,
    /// The sums that are [solved](sums) in this order, by literal.
    solved: Vec<(usize, Literal)>,
    /// The sizes on which it depends.
    pub(super) sizes: Vec<(RelationId, usize)>,
}

impl JoinOrder {
    /// The order in which the body is written.
    pub fn of_body(clause: &Clause) -> Self {
        JoinOrder { literals: (0..clause.body.len()).collect(), solved: Vec::new(), sizes: Vec::new() }
    }

    /// An order of the body of a clause with these variables.
    fn new(
        clause: &Clause,
        variables: &ClauseVariables,
        literals: Vec<usize>,
        sizes: Vec<(RelationId, usize)>,
    ) -> Self {
        let solved = sums::solved(variables, &clause.body, &literals);
        JoinOrder { literals, solved, sizes }
    }

    /// The literals of the clause by number, with those sums solved.
    pub(super) fn body<'c>(&self, clause: &'c Clause) -> Cow<'c, [Literal]> {
        let mut body = Cow::Borrowed(&clause.body[..]);
        for (place, literal) in &self.solved {
            body.to_mut()[*place] = literal.clone();
        }
        body
    }
}

/// The positive literals of a body.
pub fn positive(clause: &Clause) -> impl Iterator<Item = usize> {
    let is_positive = |&place: &usize| matches!(clause.body[place], Literal::Positive(_));
    (0..clause.body.len()).filter(is_positive)
}

/// An order that binds the head first, by the smallest relations that do, though they may share no variable: one proof of each head is left to find.
/// `None` if no subgoal is left.
pub fn order_from_head(clause: &Clause, names: &ClauseNames, tables: &Tables) -> Option<JoinOrder> {
    let variables = ClauseVariables::of(&clause.head.args, &clause.body);
    let shapes: Vec<LiteralShape> = clause.body.iter().map(|literal| LiteralShape::new(literal, &variables)).collect();
    let is_kept = |place: &usize| names.source(*place).closure.is_none();
    let mut smallest: Vec<usize> = positive(clause).filter(is_kept).collect();
    smallest.sort_by_key(|&place| tables.relations[names.source(place).relation].live());
    let mut missing: Vec<&Slot> = names.variables_of_head().iter().collect();
    let mut open = Vec::with_capacity(clause.body.len());
    for place in smallest {
        let before = missing.len();
        missing.retain(|slot| !names.variables(place).contains(slot));
        open.extend((missing.len() < before).then_some(place));
    }
    if !missing.is_empty() || open.len() == positive(clause).count() {
        return None;
    }
    open.extend((0..clause.body.len()).filter(|place| !open.contains(place)).collect::<Vec<usize>>());
    let mut bound = variables.none();
    let mut literals = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let is_ready = |place: usize| shapes[place].is_ready_or_solved(&bound);
        let is_test = |&place: &usize| !matches!(clause.body[place], Literal::Positive(_)) && is_ready(place);
        let next = open.iter().position(is_test).or_else(|| open.iter().position(|&place| is_ready(place)))?;
        let place = open.remove(next);
        bound.union_with(&shapes[place].variables);
        literals.push(place);
    }
    Some(JoinOrder::new(clause, &variables, literals, Vec::new()))
}

/// The order in which a round whose delta is that of the literal `first` joins the body.
pub fn order_from(clause: &Clause, names: &ClauseNames, first: usize, tables: &mut Tables) -> JoinOrder {
    let mut sizes = Vec::new();
    let relations = positive(clause).map(|place| names.source(place).relation);
    let small: Vec<(RelationId, usize)> = relations.map(|id| (id, tables.relations[id].live())).collect();
    let heuristics = tables.relations.heuristics();
    let few = heuristics.begins_at(SMALL);
    if small.iter().all(|&(_, size)| size <= few) || !heuristics.has(Heuristic::RoundOrders) {
        // No order of few rows takes long enough to be worth a look at them. They are looked at once they are more.
        sizes.extend(small.into_iter().map(|(id, _)| (id, few / OUTDATED)));
        return order_of_few(clause, first, sizes);
    }
    let variables = ClauseVariables::of(&clause.head.args, &clause.body);
    let order = round::order(&variables, &clause.body, first, |literal, bound, _| {
        let Literal::Positive(atom) = &clause.body[literal] else { return Ok::<f64, Infallible>(MEMBERS) };
        let source = names.source(literal);
        if let Some(closure) = source.closure {
            let [sources @ .., target] = &atom.args[..] else { return Ok(0.0) };
            let is_bound = |arg: &Term| variables.set(arg).is_subset(bound);
            return Ok(tables.closures[closure].fan_out(sources.iter().all(is_bound), is_bound(target)));
        }
        let relation = &tables.relations[source.relation];
        sizes.push((source.relation, relation.live()));
        Ok(fan_out(atom, &|name| bound.contains(variables.index(name)), relation, tables.interner))
    });
    let Ok(literals) = order;
    JoinOrder::new(clause, &variables, literals, sizes)
}

/// The order of a body behind the literal `first`, with the sums that can be solved before all others.
fn order_of_few(clause: &Clause, first: usize, sizes: Vec<(RelationId, usize)>) -> JoinOrder {
    let mut rest: Vec<usize> = (0..clause.body.len()).filter(|&place| place != first).collect();
    let mut literals = vec![first];
    // Plans of short runs are made in less time than sets of variables are.
    if !clause.body.iter().any(sums::is_sum) {
        literals.extend(rest);
        return JoinOrder { literals, solved: Vec::new(), sizes };
    }
    let variables = ClauseVariables::of(&clause.head.args, &clause.body);
    let mut bound = LiteralShape::new(&clause.body[first], &variables).variables;
    rest.retain(|&place| {
        let shape = LiteralShape::new(&clause.body[place], &variables);
        let is_solved = !shape.is_ready(&bound) && shape.is_ready_or_solved(&bound);
        if is_solved {
            bound.union_with(&shape.variables);
            literals.push(place);
        }
        !is_solved
    });
    literals.extend(rest);
    JoinOrder::new(clause, &variables, literals, sizes)
}
