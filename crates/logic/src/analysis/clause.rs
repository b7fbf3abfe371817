//! The core form that analysis proves, the optimizer rewrites and the engines run.

use ludolog_syntax::ast::{
    Atom, Comparison, Effect, Formula, Item, Name, Predicate, Program, Query, Rule, Statement, Term, Transition,
};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};

/// One conjunct of a body. Equality ignores spans, as everywhere in the syntax.
#[derive(Clone, Debug)]
pub enum Literal {
    /// Holds when an instance of the atom does, and binds its variables.
    Positive(Atom),
    /// Holds when no instance of the atom does. Variables that occur nowhere else are local to it (`~p(X, _)`); all
    /// others are bound by literals before it.
    Negative(Atom),
    /// A comparison; `is` and `=` may bind a variable.
    Compare(Comparison),
    /// Holds when the comparison does not, also because it cannot be computed: `~(X > 2)` holds of a symbol, and is not
    /// `X <= 2`. All its variables are bound by literals before it.
    NotCompare(Comparison),
    /// `member(Element, List)`: the built-in test of list membership, unless the program defines `member/2`.
    /// The list is bound before; a positive one binds the variables of its element.
    Member {
        /// The element.
        element: Term,
        /// The list.
        list: Term,
        /// Whether the element must be absent.
        negated: bool,
        /// The place in its text.
        span: Span,
    },
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Literal::Positive(a), Literal::Positive(b)) | (Literal::Negative(a), Literal::Negative(b)) => a == b,
            (Literal::Compare(a), Literal::Compare(b)) | (Literal::NotCompare(a), Literal::NotCompare(b)) => a == b,
            (
                Literal::Member { element, list, negated, .. },
                Literal::Member { element: other_element, list: other_list, negated: other_negated, .. },
            ) => (element, list, negated) == (other_element, other_list, other_negated),
            _ => false,
        }
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.hash(state),
            Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
                let Comparison { comparator, left, right, .. } = comparison;
                (comparator, left, right).hash(state);
            }
            Literal::Member { element, list, negated, .. } => (element, list, negated).hash(state),
        }
    }
}

impl Literal {
    /// The atom of a positive or negative literal.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } => None,
        }
    }

    /// The place in its text.
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.span,
            Literal::Compare(comparison) | Literal::NotCompare(comparison) => comparison.span,
            Literal::Member { span, .. } => *span,
        }
    }

    /// Calls `visit` with every variable occurrence, left to right.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_variable(visit));
            }
            Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
                comparison.left.for_each_variable(visit);
                comparison.right.for_each_variable(visit);
            }
            Literal::Member { element, list, .. } => {
                element.for_each_variable(visit);
                list.for_each_variable(visit);
            }
        }
    }
}

/// `head :- body`, safe when read from left to right: each literal finds bound what it needs bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The atom that it derives.
    pub head: Atom,
    /// The conditions, in a safe order.
    pub body: Vec<Literal>,
    /// The place of the rule in its text.
    pub span: Span,
}

/// A transition rule in core form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionClause {
    /// The conditions, in a safe order.
    pub conditions: Vec<Literal>,
    /// The facts that it adds and deletes.
    pub effects: Vec<Effect>,
    /// The place of the rule in its text.
    pub span: Span,
}

/// A conjunction to be solved. The answers bind `variables`, the named ones in the order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The subgoals, in a safe order.
    pub body: Vec<Literal>,
    /// The variables that answers bind.
    pub variables: Vec<Name>,
    /// The place of the goal in its text.
    pub span: Span,
}

/// A program proved to have one arity for each use, safe clauses, and no recursion through growing terms.
#[derive(Clone, Debug, Default)]
pub struct CheckedProgram {
    /// Ground facts, in source order.
    pub facts: Vec<Atom>,
    /// Rules with a body, in source order. An `or` has become several rules.
    pub rules: Vec<Clause>,
    /// Transition rules, in source order.
    pub transitions: Vec<TransitionClause>,
    /// Goals that the program itself asks, in source order.
    pub queries: Vec<Goal>,
}

impl CheckedProgram {
    /// The rules of each predicate, in source order.
    pub fn rules_by_head(&self) -> FxHashMap<Predicate, Vec<&Clause>> {
        let mut rules: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
        for rule in &self.rules {
            rules.entry(rule.head.signature()).or_default().push(rule);
        }
        rules
    }

    /// The predicates that transitions change.
    pub fn changed(&self) -> FxHashSet<Predicate> {
        let effects = self.transitions.iter().flat_map(|transition| &transition.effects);
        effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature()).collect()
    }

    /// The predicates of facts and of heads of rules.
    pub fn defined(&self) -> FxHashSet<Predicate> {
        let heads = self.rules.iter().map(|rule| &rule.head);
        self.facts.iter().chain(heads).map(Atom::signature).collect()
    }

    /// Calls `visit` with every atom: definitions before uses.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom)) {
        self.facts.iter().for_each(&mut *visit);
        self.rules.iter().for_each(|rule| visit(&rule.head));
        for effect in self.transitions.iter().flat_map(|transition| &transition.effects) {
            match effect {
                Effect::Add(atom) | Effect::Delete(atom) => visit(atom),
            }
        }
        let rules = self.rules.iter().flat_map(|rule| &rule.body);
        let transitions = self.transitions.iter().flat_map(|transition| &transition.conditions);
        let queries = self.queries.iter().flat_map(|query| &query.body);
        rules.chain(transitions).chain(queries).filter_map(Literal::atom).for_each(visit);
    }

    /// Whether both consist of the same facts, rules and transition rules, wherever they stand.
    pub fn says_the_same_as(&self, other: &CheckedProgram) -> bool {
        let rules = |a: &Clause, b: &Clause| a.head == b.head && a.body == b.body;
        let transitions =
            |a: &TransitionClause, b: &TransitionClause| a.conditions == b.conditions && a.effects == b.effects;
        self.facts == other.facts
            && self.rules.len() == other.rules.len()
            && self.transitions.len() == other.transitions.len()
            && self.rules.iter().zip(&other.rules).all(|(a, b)| rules(a, b))
            && self.transitions.iter().zip(&other.transitions).all(|(a, b)| transitions(a, b))
    }
}

/// A [`CheckedProgram`] proved, besides, to have no recursion through negation.
#[derive(Clone, Debug, Default)]
pub struct StratifiedProgram {
    /// The program.
    pub program: CheckedProgram,
    /// The defined predicates (heads of facts and rules) by strongly connected component of the dependency graph, in
    /// evaluation order: each component depends on earlier ones and, only positively, on itself.
    pub strata: Vec<Vec<Predicate>>,
}

/// A literal as a condition that can be printed.
impl From<&Literal> for Formula {
    fn from(literal: &Literal) -> Formula {
        match literal {
            Literal::Positive(atom) => Formula::Atom(atom.clone()),
            Literal::Negative(atom) => Formula::Not(Box::new(Formula::Atom(atom.clone()))),
            Literal::Compare(comparison) => Formula::Compare(comparison.clone()),
            Literal::NotCompare(comparison) => Formula::Not(Box::new(Formula::Compare(comparison.clone()))),
            Literal::Member { element, list, negated, span } => {
                let args = vec![element.clone(), list.clone()];
                let test = Formula::Atom(Atom { predicate: "member".into(), args, span: *span });
                if *negated { Formula::Not(Box::new(test)) } else { test }
            }
        }
    }
}

/// A clause as a rule that can be printed.
impl From<&Clause> for Statement {
    fn from(clause: &Clause) -> Statement {
        Statement::Rule(Rule { head: clause.head.clone(), body: conditions(&clause.body) })
    }
}

impl From<&TransitionClause> for Statement {
    fn from(clause: &TransitionClause) -> Statement {
        Statement::Transition(Transition {
            conditions: conditions(&clause.conditions),
            effects: clause.effects.clone(),
        })
    }
}

impl From<&Goal> for Statement {
    fn from(goal: &Goal) -> Statement {
        Statement::Query(Query { body: conditions(&goal.body) })
    }
}

fn conditions(body: &[Literal]) -> Vec<Formula> {
    body.iter().map(Formula::from).collect()
}

/// The program as source again: facts, rules, transitions, queries.
impl From<&CheckedProgram> for Program {
    fn from(program: &CheckedProgram) -> Program {
        let facts = program
            .facts
            .iter()
            .map(|fact| (Statement::Rule(Rule { head: fact.clone(), body: Vec::new() }), fact.span));
        let rules = program.rules.iter().map(|rule| (Statement::from(rule), rule.span));
        let transitions = program.transitions.iter().map(|rule| (Statement::from(rule), rule.span));
        let queries = program.queries.iter().map(|goal| (Statement::from(goal), goal.span));
        let statements = facts.chain(rules).chain(transitions).chain(queries);
        let items = statements.map(|(statement, span)| Item { comments: Vec::new(), statement, span }).collect();
        Program { items, ..Program::default() }
    }
}
