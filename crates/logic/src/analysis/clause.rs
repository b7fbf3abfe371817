//! The core form that analysis proves, the optimizer rewrites and the engines run.

use super::body::Body;
use super::types::TypeStatements;
use super::well_founded::ThreeValued;
use crate::optimize::binding::terms_mut;
use indexmap::IndexMap;
use ludolog_syntax::ast::{
    Aggregate, AggregateFunction, Atom, Comparison, Effect, Formula, Item, Lattice, Name, Predicate, Program, Query,
    Range, Rule, Statement, Term, Transition,
};
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::{ColdSort, Syntax, print_statement};
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

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
    /// Holds when the result is the value of an aggregate, and binds its variables.
    Aggregate(Aggregation),
    /// `member(Element, List)`, the built-in test of list membership unless the program defines `member/2`, and
    /// `Element in From..To`. The list or the bounds are bound before; a positive one binds the variables of its element.
    Member {
        /// The element.
        element: Term,
        /// The list or the range.
        elements: Elements,
        /// Whether the element must be absent.
        negated: bool,
        /// The place in its text.
        span: Span,
    },
}

/// Whether a term is a variable, or has it somewhere in it.
pub fn mentions(term: &Term, variable: &Name) -> bool {
    let mut found = false;
    term.for_each_variable(&mut |other| found |= other == variable);
    found
}

/// The literals of a body in parts that share no variable, in their order.
pub fn independent_parts(body: &[Literal]) -> Vec<Vec<Literal>> {
    let mut parts: UnionFind<usize> = UnionFind::new(body.len());
    let mut first: FxHashMap<&Name, usize> = FxHashMap::default();
    for (number, literal) in body.iter().enumerate() {
        literal.for_each_variable(&mut |name| _ = parts.union(*first.entry(name).or_insert(number), number));
    }
    let mut literals: IndexMap<usize, Vec<Literal>> = IndexMap::new();
    for (number, literal) in body.iter().enumerate() {
        literals.entry(parts.find(number)).or_default().push(literal.clone());
    }
    literals.into_values().collect()
}

/// The first element and the rest of a list; `None` at its end.
pub(crate) fn cons(list: &Term) -> Option<(&Term, &Term)> {
    match list {
        Term::Compound(functor, args) if &**functor == "cons" && args.len() == 2 => Some((&args[0], &args[1])),
        _ => None,
    }
}

/// An aggregate in core form: its tuples are the facts of an auxiliary predicate of a lower stratum.
#[derive(Clone, Debug)]
pub struct Aggregation {
    /// The term that the value is compared with.
    pub result: Term,
    /// The function.
    pub function: AggregateFunction,
    /// The atom whose instances are the tuples: first the arguments that are bound before the literal, then a variable for each
    /// term of a tuple and for each other value that the tests read. These variables stand nowhere else.
    pub atom: Atom,
    /// The number of arguments that are bound before.
    pub bound: usize,
    /// The terms that the tests read from outside of the braces, bound before the literal.
    pub parameters: Vec<Term>,
    /// The tests of its tuples.
    pub tests: Arc<TupleTests>,
    /// The aggregate as written, and its variables that those arguments and the parameters replace.
    pub written: Arc<(Aggregate, Vec<Name>)>,
}

/// Conditions on the tuples of an aggregate that cannot do without values from outside of its braces: comparisons and members, which
/// read no relation and have one solution at most. They are written with the variables of the tuples' atom, and with names of
/// the aggregate as written for the parameters.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct TupleTests {
    /// The number of terms of a tuple.
    pub tuple: usize,
    /// The number of other values that the tests read, in the last columns.
    pub others: usize,
    /// A row is a tuple if all literals of one of these hold, in this order; each row is one if there are none.
    pub alternatives: Vec<Vec<Literal>>,
}

impl Aggregation {
    /// The arguments of the atom that are bound before the literal.
    pub fn group(&self) -> &[Term] {
        &self.atom.args[..self.bound]
    }

    /// All terms that are bound before the literal: those of the group and the parameters.
    pub fn outer(&self) -> impl Iterator<Item = &Term> {
        self.group().iter().chain(&self.parameters)
    }

    /// The variables for the terms of a tuple.
    pub fn tuple(&self) -> &[Term] {
        &self.atom.args[self.bound..self.bound + self.tests.tuple]
    }

    /// The alternatives of the tests, for these parameters.
    pub fn tests(&self) -> Vec<Vec<Literal>> {
        let mut value = |name: &Name| self.value(name);
        let mut alternatives = self.tests.alternatives.clone();
        for literal in alternatives.iter_mut().flatten() {
            terms_mut(literal).for_each(|term| *term = term.replace_variables(&mut value));
        }
        alternatives
    }

    /// The term for a variable of the aggregate as written, if it is bound before the literal.
    fn value(&self, name: &Name) -> Option<Term> {
        let place = self.written.1.iter().position(|other| other == name)?;
        self.outer().nth(place).cloned()
    }

    /// The aggregate as written, for this group and result.
    fn formula(&self) -> Formula {
        let aggregate = &self.written.0;
        let mut value = |name: &Name| self.value(name);
        let mut shown = replace_in_aggregate(aggregate, &mut value);
        shown.result = self.result.clone();
        Formula::Aggregate(shown)
    }
}

fn replace_in_aggregate(aggregate: &Aggregate, value: &mut dyn FnMut(&Name) -> Option<Term>) -> Aggregate {
    Aggregate {
        template: aggregate.template.iter().map(|term| term.replace_variables(&mut |name| value(name))).collect(),
        body: aggregate.body.iter().map(|part| replace_in_formula(part, value)).collect(),
        ..aggregate.clone()
    }
}

fn replace_in_formula(formula: &Formula, value: &mut dyn FnMut(&Name) -> Option<Term>) -> Formula {
    let mut term = |term: &Term| term.replace_variables(&mut |name| value(name));
    match formula {
        Formula::Atom(atom) => Formula::Atom(Atom { args: atom.args.iter().map(term).collect(), ..atom.clone() }),
        Formula::Compare(c) => Formula::Compare(Comparison { left: term(&c.left), right: term(&c.right), ..c.clone() }),
        Formula::Range(r) => {
            Formula::Range(Range { element: term(&r.element), from: term(&r.from), to: term(&r.to), span: r.span })
        }
        Formula::Aggregate(aggregate) => Formula::Aggregate(replace_in_aggregate(aggregate, value)),
        Formula::Not(inner) => Formula::Not(Box::new(replace_in_formula(inner, value))),
        Formula::And(list) => Formula::And(list.iter().map(|part| replace_in_formula(part, value)).collect()),
        Formula::Or(list) => Formula::Or(list.iter().map(|part| replace_in_formula(part, value)).collect()),
    }
}

impl PartialEq for Aggregation {
    fn eq(&self, other: &Self) -> bool {
        (&self.result, self.function, &self.atom, &self.parameters, &self.tests)
            == (&other.result, other.function, &other.atom, &other.parameters, &other.tests)
    }
}

impl Eq for Aggregation {}

/// The elements that a [`Literal::Member`] tests or enumerates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Elements {
    /// Those of a list.
    List(Term),
    /// The integers from the first to the second, which compute.
    Range(Term, Term),
}

impl Elements {
    /// The list, or the two bounds.
    pub fn terms(&self) -> [Option<&Term>; 2] {
        match self {
            Elements::List(list) => [Some(list), None],
            Elements::Range(from, to) => [Some(from), Some(to)],
        }
    }

    /// The same, to be changed.
    pub fn terms_mut(&mut self) -> [Option<&mut Term>; 2] {
        match self {
            Elements::List(list) => [Some(list), None],
            Elements::Range(from, to) => [Some(from), Some(to)],
        }
    }

    /// Calls `visit` with every variable occurrence, left to right.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        self.terms().into_iter().flatten().for_each(|term| term.for_each_variable(visit));
    }

    /// The elements with each term replaced.
    ///
    /// # Errors
    ///
    /// Those of `map`.
    pub fn map<E>(&self, mut map: impl FnMut(&Term) -> Result<Term, E>) -> Result<Elements, E> {
        Ok(match self {
            Elements::List(list) => Elements::List(map(list)?),
            Elements::Range(from, to) => Elements::Range(map(from)?, map(to)?),
        })
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Literal::Positive(a), Literal::Positive(b)) | (Literal::Negative(a), Literal::Negative(b)) => a == b,
            (Literal::Compare(a), Literal::Compare(b)) | (Literal::NotCompare(a), Literal::NotCompare(b)) => a == b,
            (
                Literal::Member { element, elements, negated, .. },
                Literal::Member { element: other_element, elements: other_elements, negated: other_negated, .. },
            ) => (element, elements, negated) == (other_element, other_elements, other_negated),
            (Literal::Aggregate(a), Literal::Aggregate(b)) => a == b,
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
            Literal::Member { element, elements, negated, .. } => (element, elements, negated).hash(state),
            Literal::Aggregate(aggregation) => {
                (&aggregation.result, aggregation.function, &aggregation.atom, &aggregation.parameters).hash(state);
            }
        }
    }
}

impl Literal {
    /// The atom that a positive or negative literal or an aggregate reads.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Aggregate(aggregation) => Some(&aggregation.atom),
            Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } => None,
        }
    }

    /// The place in its text.
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.span,
            Literal::Compare(comparison) | Literal::NotCompare(comparison) => comparison.span,
            Literal::Member { span, .. } => *span,
            Literal::Aggregate(aggregation) => aggregation.atom.span,
        }
    }

    /// Whether the literal needs all facts of the predicate that it reads: a negation or an aggregate.
    pub fn needs_all(&self) -> bool {
        matches!(self, Literal::Negative(_) | Literal::Aggregate(_))
    }

    /// Calls `visit` with every variable occurrence, left to right, but for those of the tuples of an aggregate.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        match self {
            Literal::Aggregate(aggregation) => {
                aggregation.result.for_each_variable(visit);
                aggregation.outer().for_each(|arg| arg.for_each_variable(visit));
            }
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_variable(visit));
            }
            Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
                comparison.left.for_each_variable(visit);
                comparison.right.for_each_variable(visit);
            }
            Literal::Member { element, elements, .. } => {
                element.for_each_variable(visit);
                elements.for_each_variable(visit);
            }
        }
    }
}

/// `head :- body`, where the body binds all variables of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The atom that it derives.
    pub head: Atom,
    /// The conditions.
    pub body: Body,
    /// The place of the rule in its text.
    pub span: Span,
}

impl Clause {
    /// Whether the body is safe and binds all variables of the head.
    pub fn is_safe(&self) -> bool {
        self.body.is_safe_for(&self.head.args)
    }
}

/// A transition rule in core form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionClause {
    /// The conditions.
    pub conditions: Body,
    /// The facts that it adds and deletes.
    pub effects: Vec<Effect>,
    /// The place of the rule in its text.
    pub span: Span,
}

/// A conjunction to be solved. The answers bind `variables`, the named ones in the order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The subgoals.
    pub body: Body,
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
    /// Goals that must have no answer, in source order.
    pub constraints: Vec<Goal>,
    /// The derivations of predicates that may have undefined facts; empty for a program as written.
    pub three_valued: ThreeValued,
    /// The predicates of which the fact with the best value holds, by all that their rules derive.
    pub lattices: FxHashMap<Predicate, Lattice>,
    /// The predicates of which each fact is one that was chosen, of the candidates that their only rule copies.
    pub choices: FxHashMap<Predicate, FunctionalChoice>,
    /// The types that goals and further facts are held to.
    pub types: TypeStatements,
}

/// What holds of the facts that a rule has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionalChoice {
    /// The predicate of what it chooses from, with the same columns.
    pub candidates: Predicate,
    /// Columns whose values have one binding of other columns each.
    pub dependencies: Vec<ColumnDependency>,
    /// The seed of the order in which candidates are looked at: 0 is the order of output.
    pub seed: u64,
}

/// A functional dependency between columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDependency {
    /// The columns that something is chosen for.
    pub keys: Vec<usize>,
    /// The columns that are chosen.
    pub values: Vec<usize>,
}

impl CheckedProgram {
    /// Checks that rules, transition rules and queries find bound what they need.
    ///
    /// # Errors
    ///
    /// The first that does not, in words.
    pub fn check_safety(&self) -> Result<(), String> {
        let print = |statement: Statement| print_statement(&statement, Syntax::Datalog);
        if let Some(rule) = self.rules.iter().find(|rule| !rule.is_safe()) {
            return Err(format!("an unsafe rule: {}", print(rule.into())));
        }
        if let Some(transition) = self.transitions.iter().find(|transition| !transition.conditions.is_safe()) {
            return Err(format!("an unsafe transition rule: {}", print(transition.into())));
        }
        match self.goals().find(|goal| !goal.body.is_safe()) {
            Some(goal) => Err(format!("an unsafe query: {}", print(goal.into()))),
            None => Ok(()),
        }
    }

    /// A clause as a rule that can be printed, with the lattice column of its head.
    pub fn statement(&self, clause: &Clause) -> Statement {
        Statement::Rule(self.rule(&clause.head, &clause.body))
    }

    fn rule(&self, head: &Atom, body: &[Literal]) -> Rule {
        let lattice = self.lattices.get(&head.signature()).cloned();
        Rule { lattice, ..Rule::new(head.clone(), conditions(body)) }
    }

    /// What is said to hold, to follow or to change: facts, heads and effects, each with its conditions.
    pub fn conclusions(&self) -> impl Iterator<Item = (&Atom, &[Literal])> {
        let facts = self.facts.iter().map(|fact| (fact, &[][..]));
        let heads = self.rules.iter().map(|rule| (&rule.head, &rule.body[..]));
        let effects = self
            .transitions
            .iter()
            .flat_map(|transition| transition.effects.iter().map(|effect| (effect.atom(), &transition.conditions[..])));
        facts.chain(heads).chain(effects)
    }

    /// The queries, then the constraints.
    pub fn goals(&self) -> impl Iterator<Item = &Goal> + Clone {
        self.queries.iter().chain(&self.constraints)
    }

    /// The bodies of the rules, then of the transitions and of the [goals](Self::goals).
    pub fn bodies(&self) -> impl Iterator<Item = &[Literal]> + Clone {
        let rules = self.rules.iter().map(|rule| &rule.body[..]);
        let transitions = self.transitions.iter().map(|transition| &transition.conditions[..]);
        rules.chain(transitions).chain(self.goals().map(|goal| &goal.body[..]))
    }

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

    /// The predicates of facts and of heads of rules, and those that are derived without rules.
    pub fn defined(&self) -> FxHashSet<Predicate> {
        // Facts of a predicate mostly stand together.
        let facts = self.facts.chunk_by(|a, b| a.predicate == b.predicate && a.args.len() == b.args.len());
        let heads = self.rules.iter().map(|rule| &rule.head);
        let mut defined: FxHashSet<Predicate> =
            facts.map(|facts| &facts[0]).chain(heads).map(Atom::signature).collect();
        defined.extend(self.three_valued.derivations().flat_map(|(derived, _)| derived).cloned());
        defined
    }

    /// Whether a predicate has some facts alone of those that its rules derive: the best ones by a lattice column, or those chosen.
    pub fn selects(&self, predicate: &Predicate) -> bool {
        self.lattices.contains_key(predicate) || self.choices.contains_key(predicate)
    }

    /// The atom by which the values of a predicate's lattice column are ordered; `None` if no predicate orders them.
    pub fn order_of(&self, predicate: &Predicate) -> Option<&Atom> {
        self.lattices.get(predicate)?.join.order()
    }

    /// The predicates with lattice columns whose values a predicate orders, each with the atom that does so, sorted.
    pub fn orders(&self) -> Vec<(&Predicate, &Atom)> {
        let orders = self.lattices.iter().filter_map(|(of, lattice)| lattice.join.order().map(|order| (of, order)));
        let mut orders: Vec<(&Predicate, &Atom)> = orders.collect();
        orders.cold_sort_by_key(|(of, _)| *of);
        orders
    }

    /// These predicates and all that they depend on. Linear in the size of the rules.
    pub fn with_dependencies(&self, predicates: impl IntoIterator<Item = Predicate>) -> FxHashSet<Predicate> {
        let by_head = self.rules_by_head();
        let derivations: Vec<(Vec<&Predicate>, Vec<Predicate>)> = self.three_valued.derivations().collect();
        let derivation: FxHashMap<&Predicate, &[Predicate]> =
            derivations.iter().flat_map(|(derived, read)| derived.iter().map(|&one| (one, &read[..]))).collect();
        let mut needed: FxHashSet<Predicate> = FxHashSet::default();
        let mut open: Vec<Predicate> = predicates.into_iter().collect();
        while let Some(predicate) = open.pop() {
            if needed.contains(&predicate) {
                continue;
            }
            for rule in by_head.get(&predicate).into_iter().flatten() {
                let body = rule.body.iter().filter_map(Literal::atom).map(Atom::signature);
                open.extend(body.filter(|read| !needed.contains(read)));
            }
            open.extend(self.order_of(&predicate).map(Atom::signature));
            open.extend(derivation.get(&predicate).into_iter().flat_map(|read| read.iter().cloned()));
            needed.insert(predicate);
        }
        needed
    }

    /// The predicates of all atoms.
    pub fn mentioned(&self) -> BTreeSet<Predicate> {
        let mut mentioned = BTreeSet::new();
        self.for_each_atom(&mut |atom| _ = mentioned.insert(atom.signature()));
        mentioned
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
        let queries = self.goals().flat_map(|query| &query.body);
        rules.chain(transitions).chain(queries).filter_map(Literal::atom).for_each(&mut *visit);
        self.orders().into_iter().for_each(|(_, order)| visit(order));
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

/// A [`CheckedProgram`] in evaluation order, proved besides to have no recursion through negation but where it says so.
#[derive(Clone, Debug, Default)]
pub struct StratifiedProgram {
    /// The program.
    pub program: CheckedProgram,
    /// The defined predicates (heads of facts and rules) by strongly connected component of the dependency graph, in
    /// evaluation order: each component depends on earlier ones and on itself.
    pub strata: Vec<Vec<Predicate>>,
    /// The numbers of the strata that depend on themselves through negation, ascending: their meaning is the
    /// [well-founded model](super::well_founded). All others depend on themselves only positively.
    pub negative: Vec<usize>,
    /// The rules as written of the predicates that are split by their constants; the program has those of their parts.
    pub split: Vec<Clause>,
}

impl StratifiedProgram {
    /// The predicates that [have some facts alone](CheckedProgram::selects) of those that their rules derive, with what recurs with them and what orders
    /// their values. Whoever rewrites the program leaves their rules as they are.
    pub fn selective(&self) -> FxHashSet<Predicate> {
        let selects = |predicate: &Predicate| self.program.selects(predicate);
        let components = self.strata.iter().filter(|component| component.iter().any(selects)).flatten().cloned();
        components.chain(self.program.orders().into_iter().map(|(_, order)| order.signature())).collect()
    }
}

/// A literal as a condition that can be printed.
impl From<&Literal> for Formula {
    fn from(literal: &Literal) -> Formula {
        match literal {
            Literal::Positive(atom) => Formula::Atom(atom.clone()),
            Literal::Negative(atom) => Formula::Not(Box::new(Formula::Atom(atom.clone()))),
            Literal::Compare(comparison) => Formula::Compare(comparison.clone()),
            Literal::NotCompare(comparison) => Formula::Not(Box::new(Formula::Compare(comparison.clone()))),
            Literal::Aggregate(aggregation) => aggregation.formula(),
            Literal::Member { element, elements, negated, span } => {
                let element = element.clone();
                let span = *span;
                let test = match elements {
                    Elements::List(list) => {
                        Formula::Atom(Atom { predicate: "member".into(), args: vec![element, list.clone()], span })
                    }
                    Elements::Range(from, to) => {
                        Formula::Range(Range { element, from: from.clone(), to: to.clone(), span })
                    }
                };
                if *negated { Formula::Not(Box::new(test)) } else { test }
            }
        }
    }
}

/// A clause as a rule that can be printed.
impl From<&Clause> for Statement {
    fn from(clause: &Clause) -> Statement {
        Statement::Rule(Rule::new(clause.head.clone(), conditions(&clause.body)))
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

/// The program as source again: facts, rules, transitions, queries, constraints.
impl From<&CheckedProgram> for Program {
    fn from(program: &CheckedProgram) -> Program {
        let facts = program.facts.iter().map(|fact| (Statement::Rule(program.rule(fact, &[])), fact.span));
        let rules = program.rules.iter().map(|rule| (program.statement(rule), rule.span));
        let transitions = program.transitions.iter().map(|rule| (Statement::from(rule), rule.span));
        let queries = program.queries.iter().map(|goal| (Statement::from(goal), goal.span));
        let constraint = |goal: &Goal| Statement::Constraint(Query { body: conditions(&goal.body) });
        let constraints = program.constraints.iter().map(|goal| (constraint(goal), goal.span));
        let statements = facts.chain(rules).chain(transitions).chain(queries).chain(constraints);
        let items = statements.map(|(statement, span)| Item { comments: Vec::new(), statement, span }).collect();
        Program { items, ..Program::default() }
    }
}
