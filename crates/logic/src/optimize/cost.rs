//! Prices: the expected work of an order of subgoals, by the [cost model](super::cost_model) of an engine.
//!
//! A body is run from left to right. With `b` bindings before a literal, the literal costs
//!
//! * `b · (1 + fan-out)` when its rows are looked up: each binding enters an index and meets `fan-out` rows (see
//!   [`statistics`](super::statistics));
//! * `b · C(p, bound columns)` when the engine [calls](CostModel::calls) and `p` has rules, because they are derived again at
//!   every call: `C` is what the bodies of its rules cost with these columns of the head bound;
//! * `0.3 b` for a comparison, which touches no relation, and `0.3 b` for each element of a range whose variable is not bound;
//! * in a body that asks for [groups](super::groups), once the rows of a derived relation that is looked up by some of its columns, times the price of
//!   a row of an index, divided by the number of subgoals that read the relation, which may share it: few groups are asked for of many rows.
//!   Elsewhere most indices are of use to several rules;
//!
//! and leaves `b · fan-out` bindings (for a negation or a comparison, the share that it lets through). The cost of a
//! body is the sum over its literals, where an engine that [proves once](CostModel::proves_once) divides what comes after the head is bound
//! by the expected number of proofs. Bottom-up evaluation runs every rule once over the final relations, and in
//! [rounds](CostModel::rounds) a recursive rule once from each of its recursive subgoals (each tuple is a delta once),
//! so a program costs the sum over its rules; an engine that calls costs what the goal's calls cost.

use super::binding::{ClauseVariables, LiteralShape};
use super::cost_model::CostModel;
use super::inputs::Inputs;
use super::round;
use super::selectivity::{assigned, range, selectivity};
use super::statistics::{LiteralRowCount, RecursionDepth, Statistics};
use super::sums;
use crate::analysis::body::Body;
use crate::analysis::clause::{Clause, Goal, Literal, StratifiedProgram, independent_parts};
use fixedbitset::FixedBitSet;
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::RefCell;

/// The cost of a comparison, in lookups.
const TEST: f64 = 0.3;
/// Deepest call within calls that is priced; deeper ones count as lookups.
const DEPTH: usize = 40;
/// Highest cost, so that sums and products stay finite.
const MOST: f64 = 1e30;
/// The share of bindings that a negation is taken to let through at least and at most: an estimate of a fan-out is too
/// rough to tell never from always.
const NEGATION: (f64, f64) = (0.1, 0.9);
/// The size of the universe of a variable that only comparisons mention.
const COMPUTED_UNIVERSE: f64 = 5.0;

/// The price of a row of an index, in rows looked at: it is hashed, put where no other row is near, and kept.
const INDEX: f64 = 8.0;

/// Which columns of a call are bound; columns beyond the 64th count as free.
pub type BoundColumns = u64;

/// The prices of one program on one engine.
pub struct Model<'p> {
    /// The engine.
    pub cost_model: CostModel,
    /// The sizes that costs are made of.
    pub statistics: Statistics<'p>,
    budget: &'p Budget,
    rules: FxHashMap<Predicate, Vec<Cow<'p, Clause>>>,
    /// The component of each predicate with rules.
    components: FxHashMap<&'p Predicate, usize>,
    /// The number of subgoals that read each predicate.
    readers: FxHashMap<Predicate, f64>,
    /// Predicates that are recursive or call one that is.
    recursive: FxHashSet<Predicate>,
    /// The costs of calls that have been priced.
    calls: RefCell<FxHashMap<Predicate, FxHashMap<BoundColumns, f64>>>,
}

/// The expected result of a body.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedJoin {
    /// Its cost.
    pub cost: f64,
    /// The bindings that it leaves.
    pub bindings: f64,
}

/// So many proofs of a head that are expected may be none of most heads, and then all is searched: of three in a row, which a game ends by, say.
const FEW_PROOFS: f64 = 4.0;

/// The expected work of a body from left to right, as far as it has been priced.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedWork {
    /// The bindings so far.
    pub bindings: f64,
    cost: f64,
    /// The bindings with which the head was bound, if it is.
    heads: Option<f64>,
    /// The cost since then, of all proofs of these heads.
    of_proofs: f64,
}

impl ExpectedWork {
    /// Nothing is priced; the head may be bound.
    pub fn new(has_head: bool) -> Self {
        ExpectedWork { bindings: 1.0, cost: 0.0, heads: has_head.then_some(1.0), of_proofs: 0.0 }
    }

    /// Adds a literal, of which each entry costs so much and leaves so many bindings, after which the head may be bound.
    pub fn enter(&mut self, (each, fan_out): (f64, f64), has_head: bool) {
        let cost = self.bindings * each;
        match self.heads {
            Some(_) => self.of_proofs += cost,
            None => self.cost += cost,
        }
        self.bindings *= fan_out;
        if has_head {
            self.heads.get_or_insert(self.bindings);
        }
    }

    /// Adds what is done once.
    pub fn prepare(&mut self, cost: f64) {
        self.cost += cost;
    }

    /// The cost. Of a head with many proofs, which are as hard to find as each other, that of the first counts.
    pub fn cost(&self) -> f64 {
        let proofs = self.heads.map_or(1.0, |heads| self.bindings / heads);
        self.cost + self.of_proofs / if proofs > FEW_PROOFS { proofs / FEW_PROOFS } else { 1.0 }
    }
}

/// A literal made ready for pricing under any set of bound variables.
pub struct Priced {
    /// The variables that it needs and binds.
    pub shape: LiteralShape,
    kind: SubgoalKind,
}

enum SubgoalKind {
    /// Rows matching the constants, the variables, for a derived predicate that is called the variables of each
    /// column, and the cost of an index.
    Lookup {
        rows: f64,
        variables: Vec<LookupVariable>,
        call: Option<(Predicate, Vec<FixedBitSet>)>,
        negative: bool,
        index: f64,
    },
    /// The share of bindings let through; another where the variable that it sets is bound already.
    Test { selectivity: f64, assigned: Option<(usize, f64)> },
    /// The elements of a range, and the share of the values of its variable that are among them where it is bound.
    Range { variable: usize, elements: f64, share: f64 },
}

/// A variable of a lookup: its number, the size of its universe, and the smaller sizes when certain other literals of
/// the body have bound it before.
struct LookupVariable {
    variable: usize,
    size: f64,
    after: Vec<(usize, f64)>,
}

impl<'p> Model<'p> {
    /// Estimates the sizes of all relations; nothing is priced yet.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first. It limits what is priced later, too.
    pub fn new(
        stratified: &'p StratifiedProgram,
        inputs: &'p Inputs,
        cost_model: CostModel,
        budget: &'p Budget,
    ) -> Result<Self, Stopped> {
        Self::reaching(RecursionDepth::Usual, stratified, inputs, cost_model, budget)
    }

    /// A [new](Self::new) model that expects recursion to go so far.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn reaching(
        reach: RecursionDepth,
        stratified: &'p StratifiedProgram,
        inputs: &'p Inputs,
        cost_model: CostModel,
        budget: &'p Budget,
    ) -> Result<Self, Stopped> {
        let by_head = stratified.program.rules_by_head().into_iter();
        let rules: FxHashMap<Predicate, Vec<Cow<Clause>>> =
            by_head.map(|(head, rules)| (head, rules.into_iter().map(Cow::Borrowed).collect())).collect();
        let components: FxHashMap<&Predicate, usize> =
            stratified.strata.iter().enumerate().flat_map(|(i, c)| c.iter().map(move |p| (p, i))).collect();
        let mut recursive: FxHashSet<Predicate> = FxHashSet::default();
        for component in &stratified.strata {
            let bodies = component.iter().filter_map(|p| rules.get(p)).flatten().flat_map(|rule| &rule.body);
            let mut called = bodies.filter_map(Literal::atom).map(Atom::signature);
            if called.any(|callee| recursive.contains(&callee) || component.contains(&callee)) {
                recursive.extend(component.iter().cloned());
            }
        }
        let statistics = Statistics::new(stratified, inputs, reach, budget)?;
        let mut readers: FxHashMap<Predicate, f64> = FxHashMap::default();
        for atom in rules.values().flatten().flat_map(|rule| &rule.body).filter_map(looked_up) {
            *readers.entry(atom.signature()).or_default() += 1.0;
        }
        Ok(Self { cost_model, statistics, budget, rules, components, readers, recursive, calls: RefCell::default() })
    }

    /// The rules of a predicate, as last improved.
    pub fn rules_of(&self, predicate: &Predicate) -> &[Cow<'p, Clause>] {
        self.rules.get(predicate).map_or(&[], Vec::as_slice)
    }

    /// Replaces the body of one rule of a predicate by another order of it, for pricing calls from now on.
    pub fn improve(&mut self, predicate: &Predicate, rule: usize, body: Body) {
        if let Some(rules) = self.rules.get_mut(predicate) {
            rules[rule].to_mut().body = body;
            self.calls.borrow_mut().remove(predicate);
        }
    }

    /// Whether a call of the predicate may come to a recursive one.
    pub fn is_recursive(&self, predicate: &Predicate) -> bool {
        self.recursive.contains(predicate)
    }

    /// Whether two predicates depend on each other (or are the same).
    pub fn are_mutual(&self, a: &Predicate, b: &Predicate) -> bool {
        a == b || self.components.get(a).is_some_and(|component| self.components.get(b) == Some(component))
    }

    /// The budget of all pricing.
    pub fn budget(&self) -> &'p Budget {
        self.budget
    }

    /// Prepares the literals of a body.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn price(&self, variables: &ClauseVariables, body: &[Literal]) -> Result<Vec<Priced>, Stopped> {
        let extents: Vec<Option<LiteralRowCount>> =
            body.iter().map(|literal| Some(self.statistics.extent(looked_up(literal)?))).collect();
        let positive = |j: &usize| matches!(body[*j], Literal::Positive(_));
        let is_group = |atom: &Atom| matches!(atom.predicate.purpose(), Some(Purpose::Group(_)));
        let asks = body.iter().filter_map(looked_up).any(is_group);
        let price = |(i, literal): (usize, &Literal)| {
            self.budget.check()?;
            let kind = match (&extents[i], looked_up(literal)) {
                (Some(extent), Some(atom)) => {
                    let drawn = extent.variables.iter().map(|drawn| {
                        // Only literals that share a source make a difference.
                        let others = (0..body.len()).filter(|j| *j != i && !drawn.sources.is_empty()).filter(positive);
                        let after = others.filter_map(|j| {
                            let other = extents[j].as_ref()?.variables.iter().find(|other| other.name == drawn.name)?;
                            let size = drawn.size_after(&other.sources);
                            (size < drawn.size).then_some((j, size))
                        });
                        LookupVariable {
                            variable: variables.index(drawn.name),
                            size: drawn.size,
                            after: after.collect(),
                        }
                    });
                    let derived = self.cost_model.calls && !self.rules_of(&atom.signature()).is_empty();
                    let columns = || atom.args.iter().map(|arg| variables.set(arg)).collect();
                    SubgoalKind::Lookup {
                        rows: extent.rows,
                        variables: drawn.collect(),
                        call: derived.then(|| (atom.signature(), columns())),
                        negative: !positive(&i),
                        index: if asks { self.index(&atom.signature()) } else { 0.0 },
                    }
                }
                _ => {
                    let universe = |name: &Name| {
                        let drawn = extents.iter().flatten().flat_map(|extent| &extent.variables);
                        drawn.filter(|drawn| drawn.name == name).map(|drawn| drawn.size).reduce(f64::min)
                    };
                    let assigned = assigned(literal)
                        .map(|name| (variables.index(name), 1.0 / universe(name).unwrap_or(COMPUTED_UNIVERSE)));
                    match range(literal) {
                        Some(range) => SubgoalKind::Range {
                            variable: variables.index(range.element),
                            elements: range.elements(),
                            share: range.share(universe(range.element)),
                        },
                        None => SubgoalKind::Test { selectivity: selectivity(literal), assigned },
                    }
                }
            };
            Ok(Priced { shape: LiteralShape::new(literal, variables), kind })
        };
        body.iter().enumerate().map(price).collect()
    }

    /// The cost of the index by which a literal is looked up with these variables bound.
    pub fn index_cost(&self, priced: &Priced, bound: &FixedBitSet) -> f64 {
        let SubgoalKind::Lookup { index, .. } = &priced.kind else { return 0.0 };
        let is_part = !priced.shape.variables.is_subset(bound) && !priced.shape.variables.is_disjoint(bound);
        if is_part { *index } else { 0.0 }
    }

    /// The cost of an index of a derived relation in a body that asks for groups: all of its rows are put into it, once for all subgoals that
    /// read it.
    fn index(&self, predicate: &Predicate) -> f64 {
        match self.readers.get(predicate) {
            Some(readers) if self.cost_model.rounds && !self.rules_of(predicate).is_empty() => {
                INDEX * self.statistics.rows(predicate) / readers
            }
            _ => 0.0,
        }
    }

    /// The cost of one entry of the literal, and the number of bindings that it leaves, with these variables bound and
    /// these literals placed before it.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn enter(
        &self,
        priced: &Priced,
        bound: &FixedBitSet,
        placed: &FixedBitSet,
        depth: usize,
    ) -> Result<(f64, f64), Stopped> {
        Ok(match &priced.kind {
            SubgoalKind::Test { assigned: Some((variable, share)), .. }
                if bound.contains(*variable) && priced.shape.variables.is_subset(bound) =>
            {
                (TEST, *share)
            }
            SubgoalKind::Test { selectivity, .. } => (TEST, *selectivity),
            SubgoalKind::Range { variable, share, .. } if bound.contains(*variable) => (TEST, *share),
            SubgoalKind::Range { elements, .. } => (TEST * elements.max(1.0), *elements),
            SubgoalKind::Lookup { rows, variables, call, negative, .. } => {
                let entered = variables.iter().filter(|drawn| bound.contains(drawn.variable));
                let fan_out = entered.fold(*rows, |rows, drawn| {
                    let before = drawn.after.iter().filter(|(literal, _)| placed.contains(*literal));
                    rows / before.fold(drawn.size, |size, (_, smaller)| size.min(*smaller))
                });
                let cost = match call {
                    Some((predicate, columns)) if depth < DEPTH => {
                        let is_bound = |column: &FixedBitSet| column.is_subset(bound);
                        let pattern = pattern(columns.iter().map(is_bound));
                        self.call_cost(predicate, pattern, depth)? + fan_out
                    }
                    _ => 1.0 + fan_out,
                };
                if *negative { (cost, (1.0 - fan_out).clamp(NEGATION.0, NEGATION.1)) } else { (cost, fan_out) }
            }
        })
    }

    /// The cost of one call with these columns bound.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn call_cost(&self, predicate: &Predicate, pattern: BoundColumns, depth: usize) -> Result<f64, Stopped> {
        if let Some(&cost) = self.calls.borrow().get(predicate).and_then(|costs| costs.get(&pattern)) {
            return Ok(cost);
        }
        let keep = |cost| self.calls.borrow_mut().entry(predicate.clone()).or_default().insert(pattern, cost);
        // A call within this call, by recursion, is priced as a lookup.
        keep(1.0 + self.statistics.rows(predicate));
        let rules = self.rules_of(predicate).iter().map(|rule| self.rule_cost(rule, pattern, depth + 1));
        let cost = (1.0 + rules.sum::<Result<f64, _>>()?).min(MOST);
        keep(cost);
        Ok(cost)
    }

    /// The cost of one run of a rule with these columns of its head bound. In rounds, a recursive rule runs from each
    /// of its recursive subgoals, in the [order of a round](round) that begins there.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rule_cost(&self, rule: &Clause, pattern: BoundColumns, depth: usize) -> Result<f64, Stopped> {
        self.rule_join(rule, pattern, depth).map(|join| join.cost)
    }

    /// The same with the bindings that it leaves.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rule_join(&self, rule: &Clause, pattern: BoundColumns, depth: usize) -> Result<ExpectedJoin, Stopped> {
        let variables = ClauseVariables::of(&rule.head.args, &rule.body);
        let bound = bound_by_head(&variables, &rule.head.args, pattern);
        let rounds = self.rounds(rule)?;
        if rounds.is_empty() {
            return self.join(&variables, &rule.body, bound, depth);
        }
        self.rounds_join(rule, &rounds)
    }

    /// The cost and the bindings of all rounds of a rule, in these orders.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rounds_join(&self, rule: &Clause, rounds: &[Vec<usize>]) -> Result<ExpectedJoin, Stopped> {
        let variables = ClauseVariables::of(&rule.head.args, &rule.body);
        let mut all = ExpectedJoin { cost: 0.0, bindings: 0.0 };
        for order in rounds {
            let body = sums::in_order(&variables, &rule.body, order);
            let join = self.join(&variables, &body, FixedBitSet::with_capacity(variables.count()), 0)?;
            all = ExpectedJoin { cost: all.cost + join.cost, bindings: all.bindings + join.bindings };
        }
        Ok(all)
    }

    /// The orders in which rounds are expected to join the body of a rule, one for each recursive subgoal, which comes
    /// first. Nothing for a rule without recursion, and for an engine without rounds.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rounds(&self, rule: &Clause) -> Result<Vec<Vec<usize>>, Stopped> {
        if !self.cost_model.rounds {
            return Ok(Vec::new());
        }
        let head = rule.head.signature();
        let reads_delta =
            |literal: &Literal| matches!(literal, Literal::Positive(atom) if self.are_mutual(&atom.signature(), &head));
        let deltas: Vec<usize> = (0..rule.body.len()).filter(|&i| reads_delta(&rule.body[i])).collect();
        self.rounds_from(rule, &deltas)
    }

    /// The order of the round that begins at each of these subgoals.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rounds_from(&self, rule: &Clause, deltas: &[usize]) -> Result<Vec<Vec<usize>>, Stopped> {
        if deltas.is_empty() {
            return Ok(Vec::new());
        }
        let variables = ClauseVariables::of(&rule.head.args, &rule.body);
        let literals = self.price(&variables, &rule.body)?;
        let order = |&delta: &usize| {
            round::order(&variables, &rule.body, delta, |i, bound, placed| {
                self.enter(&literals[i], bound, placed, 0).map(|(_, fan_out)| fan_out)
            })
        };
        deltas.iter().map(order).collect()
    }

    /// The cost of a body with these variables bound before it.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn body_cost(
        &self,
        variables: &ClauseVariables,
        body: &[Literal],
        bound: FixedBitSet,
        depth: usize,
    ) -> Result<f64, Stopped> {
        self.join(variables, body, bound, depth).map(|join| join.cost)
    }

    /// The cost of a body with these variables bound before it, and the bindings that it leaves.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn join(
        &self,
        variables: &ClauseVariables,
        body: &[Literal],
        mut bound: FixedBitSet,
        depth: usize,
    ) -> Result<ExpectedJoin, Stopped> {
        let has_head = |bound: &FixedBitSet| self.cost_model.proves_once && variables.has_head(bound);
        let mut work = ExpectedWork::new(has_head(&bound));
        let mut placed = FixedBitSet::with_capacity(body.len());
        for (i, priced) in self.price(variables, body)?.iter().enumerate() {
            work.prepare(self.index_cost(priced, &bound));
            let entry = self.enter(priced, &bound, &placed, depth)?;
            bound.union_with(&priced.shape.variables);
            work.enter(entry, has_head(&bound));
            placed.insert(i);
        }
        Ok(ExpectedJoin { cost: f64::min(work.cost(), MOST), bindings: work.bindings })
    }

    /// The expected cost of the program: of an engine that calls, the calls of the goal (or without one, of all
    /// predicates that no other calls); of another, all rules once, but those of predicates that run as closures, which take time in
    /// proportion to the graph and not to its paths. Parts of the goal that share no variable cost what each of them does: all combinations of
    /// their bindings are answers, whatever the program.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn program_cost(
        &self,
        stratified: &StratifiedProgram,
        goal: Option<&Goal>,
        closures: &FxHashSet<&Predicate>,
    ) -> Result<f64, Stopped> {
        let asked = match goal {
            Some(goal) => {
                let cost = |part: Vec<Literal>| {
                    let variables = ClauseVariables::of_goal(&part);
                    let nothing = FixedBitSet::with_capacity(variables.count());
                    self.body_cost(&variables, &part, nothing, 0)
                };
                independent_parts(&goal.body).into_iter().map(cost).sum::<Result<f64, _>>()?
            }
            None => 0.0,
        };
        let rules = &stratified.program.rules;
        let derived: f64 = if !self.cost_model.calls {
            let run = rules.iter().filter(|rule| closures.is_empty() || !closures.contains(&rule.head.signature()));
            run.map(|rule| self.rule_cost(rule, 0, 0)).sum::<Result<f64, _>>()?
        } else if goal.is_some() {
            0.0
        } else {
            let called = rules.iter().flat_map(|r| r.body.iter().filter_map(Literal::atom)).map(Atom::signature);
            let called: FxHashSet<Predicate> = called.collect();
            let roots = self.rules.keys().filter(|predicate| !called.contains(predicate));
            roots.map(|root| self.call_cost(root, 0, 0)).sum::<Result<f64, _>>()?
        };
        Ok((asked + derived).min(MOST))
    }
}

impl Priced {
    /// Whether the literal, all of its variables bound, is one lookup or less.
    pub fn is_cheap(&self) -> bool {
        !matches!(&self.kind, SubgoalKind::Lookup { call: Some(_), .. })
    }

    /// Whether the literal touches no relation.
    pub fn is_test(&self) -> bool {
        matches!(self.kind, SubgoalKind::Test { .. })
    }
}

/// The pattern with these columns bound.
pub fn pattern(columns: impl Iterator<Item = bool>) -> BoundColumns {
    columns.take(64).enumerate().fold(0, |pattern, (i, bound)| pattern | u64::from(bound) << i)
}

/// The variables that a call with this pattern binds.
pub fn bound_by_head(variables: &ClauseVariables, head: &[Term], pattern: BoundColumns) -> FixedBitSet {
    let mut bound = FixedBitSet::with_capacity(variables.count());
    for (_, arg) in head.iter().take(64).enumerate().filter(|(i, _)| pattern >> i & 1 == 1) {
        bound.union_with(&variables.set(arg));
    }
    bound
}

/// The pattern of a call by an atom whose variables are bound as told.
pub fn call_pattern(atom: &Atom, is_bound: impl Fn(&Name) -> bool) -> BoundColumns {
    pattern(atom.args.iter().map(|arg: &Term| {
        let mut all = true;
        arg.for_each_variable(&mut |name| all &= is_bound(name));
        all
    }))
}

/// The pattern that binds the first columns.
pub fn leading(columns: usize) -> BoundColumns {
    (0..columns.min(64)).fold(0, |pattern, column| pattern | 1 << column)
}

/// The atom of a positive or negative literal. The value of an aggregate is kept for each group.
fn looked_up(literal: &Literal) -> Option<&Atom> {
    literal.atom().filter(|_| !matches!(literal, Literal::Aggregate(_)))
}
