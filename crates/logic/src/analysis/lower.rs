//! From formulas as written to clauses.
//!
//! Negation is pushed inwards to the atoms (negation normal form), then disjunction outwards (disjunctive normal form):
//! one clause for each way to satisfy the body. A rule that would become more than [`MAX_ALTERNATIVES`] clauses is cut:
//! what has been gathered so far becomes the definition of an auxiliary predicate, and the rest of the body goes on
//! from one literal of it, so that the result stays linear in the number of disjunctions instead of exponential.
//!
//! * `aggregate`: the tuples of aggregates.

mod aggregate;

use super::body::Body;
use super::built_in::{BuiltIn, MATCHES, MEMBER};
use super::choice::{self, RuleChoices};
use super::clause::{CheckedProgram, Clause, Elements, Goal, Literal, TransitionClause};
use super::formula::{self, answer_variables, fresh_variable};
use super::lattice;
use super::pattern;
use super::safety::OrderedStatement;
use super::types::TypeStatements;
use ludolog_syntax::ast::{
    self, Atom, Comparator, Comparison, Effect, Formula, LoweredSubject, Name, Predicate, PredicateName, Program,
    Purpose, Term,
};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{ColdSort, Syntax};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most clauses that one rule becomes without an auxiliary predicate.
const MAX_ALTERNATIVES: usize = 1000;

/// Lowers every statement and puts its literals into a safe order. What cannot be made safe is reported and kept, so
/// that later checks see the whole program.
pub(super) fn lower(
    program: &Program,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<CheckedProgram, Stopped> {
    let mut lowering = Lowering::new(BuiltIn::of(program), budget);
    lowering.seed = program.seed;
    lowering.program.types = TypeStatements::of(program);
    lowering.program.lattices = lattice::declared(program, found);
    for item in &program.items {
        budget.check()?;
        lowering.syntax = program.syntax_at(item.span);
        match &item.statement {
            ast::Statement::Rule(rule) => lowering.rule(rule, item.span, found)?,
            ast::Statement::Transition(transition) => lowering.transition(transition, item.span, found)?,
            ast::Statement::Query(query) => {
                let goal = lowering.query(query, item.span, found)?;
                lowering.program.queries.push(goal);
            }
            ast::Statement::Constraint(query) => {
                let goal = lowering.query(query, item.span, found)?;
                lowering.program.constraints.push(goal);
            }
            ast::Statement::Include(_)
            | ast::Statement::Use(_)
            | ast::Statement::Input(_)
            | ast::Statement::Output(_)
            | ast::Statement::Type(_)
            | ast::Statement::Define(_) => {}
        }
    }
    found.append(&mut lowering.found);
    Ok(lowering.program)
}

/// A goal on its own: its alternatives, each a conjunction in safe order.
pub(super) fn lower_goal(
    query: &ast::Query,
    built_in: BuiltIn,
    span: Span,
    syntax: Syntax,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Body>, Stopped> {
    let mut lowering = Lowering::new(built_in, budget);
    let mut statement = OrderedStatement::new(&[], &query.body, syntax);
    let bodies = lowering.bodies(LoweredSubject::Query, &[], &query.body, span, &mut statement)?;
    let bodies = bodies.into_iter().map(|body| statement.arrange(&[], body)).collect();
    found.append(&mut lowering.found);
    found.extend(statement.into_diagnostics(span));
    Ok(bodies)
}

/// A formula whose negations stand at its literals.
#[derive(Clone)]
enum Normal {
    Literal(Literal),
    All(Vec<Normal>),
    Any(Vec<Normal>),
}

impl Normal {
    /// The number of conjunctions of its disjunctive form.
    fn alternatives(&self) -> usize {
        match self {
            Normal::Literal(_) => 1,
            Normal::All(parts) => parts.iter().fold(1, |n, part| n.saturating_mul(part.alternatives())),
            Normal::Any(parts) => parts.iter().fold(0, |n, part| n.saturating_add(part.alternatives())),
        }
    }

    fn count_variables(&self, counts: &mut FxHashMap<Name, usize>) {
        match self {
            Normal::Literal(literal) => literal.for_each_variable(&mut |name| {
                *counts.entry(name.clone()).or_default() += 1;
            }),
            Normal::All(parts) | Normal::Any(parts) => parts.iter().for_each(|part| part.count_variables(counts)),
        }
    }
}

struct Lowering<'a> {
    /// The syntax of the statement at hand.
    syntax: Syntax,
    built_in: BuiltIn,
    /// The seed of choices.
    seed: u64,
    auxiliaries: usize,
    program: CheckedProgram,
    /// Faults within aggregates and regular expressions.
    found: Vec<Diagnostic>,
    budget: &'a Budget,
}

impl<'a> Lowering<'a> {
    fn new(built_in: BuiltIn, budget: &'a Budget) -> Self {
        Self {
            syntax: Syntax::Datalog,
            built_in,
            seed: 0,
            auxiliaries: 0,
            program: CheckedProgram::default(),
            found: Vec::new(),
            budget,
        }
    }

    fn rule(&mut self, rule: &ast::Rule, span: Span, found: &mut Vec<Diagnostic>) -> Result<(), Stopped> {
        if rule.body.is_empty() && rule.head.is_ground() {
            self.program.facts.push(rule.head.clone());
            return Ok(());
        }
        let choices = RuleChoices::of(rule, self.program.choices.len() + 1, span);
        let (head, body) = match &choices {
            Some((choices, rest)) => (choices.candidate(), rest),
            None => (rule.head.clone(), &rule.body),
        };
        let heads = [&head];
        let mut statement = OrderedStatement::new(&heads, &rule.body, self.syntax);
        let subject = LoweredSubject::Rule(rule.head.predicate.clone());
        for body in self.bodies(subject, &heads, body, span, &mut statement)? {
            self.budget.check()?;
            let body = statement.arrange(&heads, body);
            self.program.rules.push(Clause { head: head.clone(), body, span });
        }
        found.extend(statement.into_diagnostics(span));
        if let Some((choices, _)) = &choices {
            choices.finish(self.seed, &mut self.program);
        }
        Ok(())
    }

    fn transition(
        &mut self,
        transition: &ast::Transition,
        span: Span,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(), Stopped> {
        let atoms: Vec<&Atom> = transition
            .effects
            .iter()
            .map(|effect| match effect {
                Effect::Add(atom) | Effect::Delete(atom) => atom,
            })
            .collect();
        let mut statement = OrderedStatement::new(&atoms, &transition.conditions, self.syntax);
        for body in self.bodies(LoweredSubject::Transition, &atoms, &transition.conditions, span, &mut statement)? {
            self.budget.check()?;
            let conditions = statement.arrange(&atoms, body);
            let effects = transition.effects.clone();
            self.program.transitions.push(TransitionClause { conditions, effects, span });
        }
        found.extend(statement.into_diagnostics(span));
        Ok(())
    }

    /// A query with alternatives asks for an auxiliary predicate that has them as its rules.
    fn query(&mut self, query: &ast::Query, span: Span, found: &mut Vec<Diagnostic>) -> Result<Goal, Stopped> {
        let variables = answer_variables(&query.body);
        let head = Atom::new(
            self.auxiliary_name(LoweredSubject::Query),
            variables.iter().map(|name| Term::Variable(name.clone())).collect(),
        );
        let mut statement = OrderedStatement::new(&[], &query.body, self.syntax);
        let mut bodies = self.bodies(LoweredSubject::Query, &[&head], &query.body, span, &mut statement)?;
        let body = if bodies.len() == 1 {
            statement.arrange(&[], bodies.remove(0))
        } else {
            let head = Atom { span, ..head };
            for body in bodies {
                self.budget.check()?;
                let body = statement.arrange(&[&head], body);
                self.program.rules.push(Clause { head: head.clone(), body, span });
            }
            vec![Literal::Positive(head)].into()
        };
        found.extend(statement.into_diagnostics(span));
        Ok(Goal { body, variables, span })
    }

    /// The disjunctive normal form of `body`; `heads` are what else its variables stand in.
    fn bodies(
        &mut self,
        of: LoweredSubject,
        heads: &[&Atom],
        body: &[Formula],
        span: Span,
        statement: &mut OrderedStatement,
    ) -> Result<Vec<Vec<Literal>>, Stopped> {
        let outside = self.outside(heads, body, statement);
        let mut conjuncts: Vec<Normal> = Vec::with_capacity(body.len());
        for formula in body {
            conjuncts.push(self.normal(formula, false, &outside, span)?);
        }
        let mut needed = FxHashMap::default();
        for head in heads {
            head.args.iter().for_each(|arg| {
                arg.for_each_variable(&mut |name| {
                    *needed.entry(name.clone()).or_default() += 1;
                })
            });
        }
        self.expand(Vec::new(), conjuncts, needed, &mut Cut { of, span, statement })
    }

    /// The variables outside of the aggregates of a statement. Reports aggregates that stand where none may.
    fn outside<'b>(
        &self,
        heads: &[&'b Atom],
        body: &'b [Formula],
        statement: &mut OrderedStatement,
    ) -> OuterVariables<'b> {
        let mut names = FxHashSet::default();
        let mut has_aggregates = false;
        formula::for_each_aggregate(body, false, &mut |aggregate, negated| {
            has_aggregates = true;
            let misplaced = |message: &str, help: &str| {
                Diagnostic::error(Code::MisplacedAggregate, message).at(aggregate.span, "an aggregate").help(help)
            };
            if negated {
                let help = "name its value, and negate a comparison: `N = count { X : p(X) } & N != 3`";
                statement.report(misplaced("an aggregate stands under a negation", help));
            }
            formula::for_each_aggregate(&aggregate.body, false, &mut |inner, _| {
                let help = "give the inner one a rule of its own, and read its head";
                statement.report(
                    Diagnostic::error(Code::MisplacedAggregate, "an aggregate stands within another")
                        .at(inner.span, "the inner one")
                        .help(help),
                );
            });
        });
        if has_aggregates {
            heads
                .iter()
                .flat_map(|head| &head.args)
                .for_each(|arg| arg.for_each_variable(&mut |name| _ = names.insert(name)));
            formula::for_each_variable(body, &mut |name| _ = names.insert(name));
        }
        OuterVariables { heads: heads.iter().map(|head| head.signature()).collect(), names, body }
    }

    fn normal(
        &mut self,
        formula: &Formula,
        negated: bool,
        outside: &OuterVariables,
        span: Span,
    ) -> Result<Normal, Stopped> {
        let mut parts = |formulas: &[Formula]| -> Result<Vec<Normal>, Stopped> {
            formulas.iter().map(|part| self.normal(part, negated, outside, span)).collect()
        };
        Ok(match formula {
            Formula::Atom(atom) => Normal::Literal(self.literal(atom, negated)),
            Formula::Compare(comparison) if negated => Normal::Literal(negation(comparison)),
            Formula::Compare(comparison) => Normal::Literal(Literal::Compare(comparison.clone())),
            Formula::Range(range) => Normal::Literal(Literal::Member {
                element: range.element.clone(),
                elements: Elements::Range(range.from.clone(), range.to.clone()),
                negated,
                span: range.span,
            }),
            Formula::Aggregate(aggregate) => self.value(aggregate, outside, span)?,
            Formula::Not(inner) => self.normal(inner, !negated, outside, span)?,
            Formula::And(formulas) if negated => Normal::Any(parts(formulas)?),
            Formula::Or(formulas) if negated => Normal::All(parts(formulas)?),
            Formula::And(formulas) => Normal::All(parts(formulas)?),
            Formula::Or(formulas) => Normal::Any(parts(formulas)?),
        })
    }

    fn literal(&mut self, atom: &Atom, negated: bool) -> Literal {
        if atom.as_choice().is_some() {
            self.found.push(choice::misplaced(atom.span));
        }
        match (&atom.args[..], negated) {
            ([element, list], _) if self.built_in.member && atom.predicate == MEMBER => {
                let elements = Elements::List(list.clone());
                Literal::Member { element: element.clone(), elements, negated, span: atom.span }
            }
            ([text, pattern], _) if self.built_in.matches && atom.predicate == MATCHES => {
                self.found.extend(pattern::check(pattern, atom.span));
                let comparator = Comparator::Matches;
                let test = Comparison { comparator, left: text.clone(), right: pattern.clone(), span: atom.span };
                if negated { Literal::NotCompare(test) } else { Literal::Compare(test) }
            }
            (_, true) => Literal::Negative(atom.clone()),
            (_, false) => Literal::Positive(atom.clone()),
        }
    }

    /// All ways to satisfy `prefix` and `conjuncts` together. `needed` counts the occurrences of each variable outside.
    fn expand(
        &mut self,
        prefix: Vec<Literal>,
        conjuncts: Vec<Normal>,
        needed: FxHashMap<Name, usize>,
        cut: &mut Cut,
    ) -> Result<Vec<Vec<Literal>>, Stopped> {
        let total = conjuncts.iter().fold(1usize, |n, part| n.saturating_mul(part.alternatives()));
        if total == 0 {
            return Ok(Vec::new());
        }
        let mut parts = flatten(conjuncts);
        if total > MAX_ALTERNATIVES {
            // The auxiliary predicates must be safe on their own: what binds comes first.
            parts.cold_sort_by_key(|part| matches!(part, Normal::Any(_)));
        }
        // Occurrences of each variable in later parts and outside; each part takes its own away.
        let mut needed = needed;
        if total > MAX_ALTERNATIVES {
            parts.iter().for_each(|part| part.count_variables(&mut needed));
        }
        let mut alternatives = vec![prefix];
        for part in parts {
            self.budget.check()?;
            if total > MAX_ALTERNATIVES {
                let mut here = FxHashMap::default();
                part.count_variables(&mut here);
                for (name, count) in here {
                    *needed.entry(name).or_default() -= count;
                }
            }
            match part {
                Normal::Literal(literal) => alternatives.iter_mut().for_each(|body| body.push(literal.clone())),
                Normal::All(_) => unreachable!("conjunctions are flattened"),
                Normal::Any(branches) => {
                    let ways = branches.iter().fold(0usize, |n, branch| n.saturating_add(branch.alternatives()));
                    if alternatives.len().saturating_mul(ways) > MAX_ALTERNATIVES && alternatives.len() > 1 {
                        // The branches may test what only the prefix binds.
                        let mut kept = needed.clone();
                        branches.iter().for_each(|branch| branch.count_variables(&mut kept));
                        alternatives = vec![vec![self.define(alternatives, &kept, cut)?]];
                    }
                    let outside = if ways > MAX_ALTERNATIVES { needed.clone() } else { FxHashMap::default() };
                    let mut longer = Vec::new();
                    for (body, branch) in alternatives.iter().flat_map(|body| branches.iter().map(move |b| (body, b))) {
                        longer.extend(self.expand(body.clone(), vec![branch.clone()], outside.clone(), cut)?);
                    }
                    alternatives = longer;
                    if alternatives.len() > MAX_ALTERNATIVES {
                        alternatives = vec![vec![self.define(alternatives, &needed, cut)?]];
                    }
                }
            }
        }
        Ok(alternatives)
    }

    /// Makes `bodies` the rules of a new auxiliary predicate over what they all bind of the variables needed elsewhere.
    fn define(
        &mut self,
        bodies: Vec<Vec<Literal>>,
        needed: &FxHashMap<Name, usize>,
        cut: &mut Cut,
    ) -> Result<Literal, Stopped> {
        let arranged = bodies.into_iter().map(|body| self.budget.check().map(|()| cut.statement.arrange(&[], body)));
        let bodies: Vec<_> = arranged.collect::<Result<_, _>>()?;
        let mut bound: Vec<Name> = bodies.first().map(Body::bound).unwrap_or_default();
        bound.retain(|name| needed.get(name).is_some_and(|&count| count > 0));
        for body in bodies.iter().skip(1) {
            let others: FxHashSet<Name> = body.bound().into_iter().collect();
            bound.retain(|name| others.contains(name));
        }
        let head = Atom {
            predicate: self.auxiliary_name(cut.of.clone()),
            args: bound.into_iter().map(Term::Variable).collect(),
            span: cut.span,
        };
        for body in bodies {
            self.program.rules.push(Clause { head: head.clone(), body, span: cut.span });
        }
        Ok(Literal::Positive(head))
    }

    fn auxiliary_name(&mut self, of: LoweredSubject) -> PredicateName {
        self.auxiliaries += 1;
        Purpose::Definition { of, number: self.auxiliaries }.into()
    }
}

/// The variables of a statement outside of its aggregates, and its conditions.
struct OuterVariables<'a> {
    heads: Vec<Predicate>,
    names: FxHashSet<&'a Name>,
    body: &'a [Formula],
}

impl OuterVariables<'_> {
    /// A variable that stands nowhere in the statement, named after `text`.
    fn fresh(&self, text: String) -> Term {
        fresh_variable(text, |name| {
            let mut is_taken = self.names.iter().any(|other| ***other == *name);
            self.body.iter().for_each(|formula| formula.for_each_variable(&mut |other| is_taken |= **other == *name));
            is_taken
        })
    }
}

/// The statement that auxiliary predicates are made for.
struct Cut<'a> {
    of: LoweredSubject,
    span: Span,
    statement: &'a mut OrderedStatement,
}

/// The parts of nested conjunctions, side by side, in order.
fn flatten(conjuncts: Vec<Normal>) -> Vec<Normal> {
    let mut flat = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        match conjunct {
            Normal::All(parts) => flat.extend(flatten(parts)),
            other => flat.push(other),
        }
    }
    flat
}

/// The literal that holds exactly when the comparison does not. `=` and `!=` are each other's opposite for all terms;
/// the other comparators have no opposite, since they hold of integers only.
fn negation(comparison: &Comparison) -> Literal {
    let comparator = match comparison.comparator {
        Comparator::Equal => Comparator::NotEqual,
        Comparator::NotEqual => Comparator::Equal,
        _ => return Literal::NotCompare(comparison.clone()),
    };
    Literal::Compare(Comparison { comparator, ..comparison.clone() })
}
