//! What a program means, read off its text: the oracle that everything else is held against.
//!
//! It reads the syntax tree and shares the parser alone with what it judges: no clauses, no normal forms, no strata. A body is
//! a set of conditions under a substitution. Whichever of them has what it needs is read next: an atom extends the
//! substitution by each fact that matches, a negation holds if there is no solution of what it negates, an aggregate gathers the
//! set of its tuples. A variable that none of them binds ranges over the active domain.
//!
//! The perfect model needs no order of strata. Given what to deny, the rules have a least model: negations and aggregates are read in
//! the model of the round before. If that is right in the first n strata, this one is in the first n + 1, so that the
//! first model that comes twice is the perfect one.
//!
//! * [`arithmetic`]: the values of expressions and of aggregates.
//! * `regular`: regular expressions.
//! * `choice`: rules that choose.
//! * [`core`]: the same for programs that analysis has lowered, as an engine.
//! * [`well_founded`]: the three-valued model of programs that have no perfect one.

mod arithmetic;
mod choice;
mod core;
mod floats;
mod regular;
pub mod well_founded;

use arithmetic::{compare, computed, integer, tuple_term};
use ludolog::syntax::ast::{
    Aggregate, AggregateFunction, Atom, Comparator, Comparison, Effect, Formula, Join, Lattice, Name, Predicate,
    Program, Rule, Statement, Term, Transition,
};
use std::collections::{BTreeMap, BTreeSet};

/// Facts by predicate.
pub type FactSet = BTreeMap<Predicate, BTreeSet<Vec<Term>>>;
type Substitution = BTreeMap<Name, Term>;

/// Most rounds until the model comes twice.
const MOST_ROUNDS: usize = 300;

/// A program with its facts. It is an [`Engine`](ludolog::engine::Engine), too.
pub struct Oracle {
    rules: Vec<(Rule, Scope)>,
    /// The rules that choose, with what they depend on.
    choosing: Vec<choice::ChoosingRule>,
    transitions: Vec<Transition>,
    defined: Defined,
    lattices: BTreeMap<Predicate, Lattice>,
    given: FactSet,
    /// The perfect model as of the last update.
    model: FactSet,
}

impl Oracle {
    /// A program as written, without its queries.
    pub fn of_text(program: &Program) -> Self {
        let mut rules = Vec::new();
        let mut transitions = Vec::new();
        let mut has_table = false;
        for item in &program.items {
            match &item.statement {
                Statement::Input(table) if &*table.predicate == "matches" => has_table = true,
                Statement::Rule(rule) => rules.push(rule.clone()),
                Statement::Transition(transition) => transitions.push(transition.clone()),
                Statement::Query(_)
                | Statement::Constraint(_)
                | Statement::Include(_)
                | Statement::Use(_)
                | Statement::Input(_)
                | Statement::Output(_)
                | Statement::Type(_)
                | Statement::Define(_) => {}
            }
        }
        let mut oracle = Self::of_rules(rules, transitions);
        oracle.defined.matches |= has_table;
        oracle
    }

    fn of_rules(rules: Vec<Rule>, transitions: Vec<Transition>) -> Self {
        let effects = transitions.iter().flat_map(|transition| &transition.effects).map(Effect::atom);
        let mut heads = rules.iter().map(|rule| &rule.head);
        let member = heads.clone().any(is_member);
        let defined = Defined { member, matches: heads.by_ref().chain(effects).any(is_test) };
        let lattices = rules.iter().filter_map(|rule| Some((rule.head.signature(), rule.lattice.clone()?))).collect();
        let (facts, rules): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(|rule| rule.body.is_empty());
        let mut given = FactSet::new();
        facts.iter().for_each(|fact| _ = insert(&mut given, &fact.head));
        let lattices: BTreeMap<Predicate, Lattice> = lattices;
        let needed: BTreeMap<&Predicate, BTreeSet<Predicate>> =
            lattices.keys().map(|predicate| (predicate, needed_by(predicate, &rules))).collect();
        let all = rules.clone();
        let mut settled: Vec<BTreeSet<Predicate>> = Vec::new();
        for rule in rules.iter().filter(|rule| !choice::chooses(rule)) {
            let is_settled =
                |(_, needed): &(&&Predicate, &BTreeSet<Predicate>)| !needed.contains(&rule.head.signature());
            settled.push(needed.iter().filter(is_settled).map(|(predicate, _)| (*predicate).clone()).collect());
        }
        let mut settled = settled.into_iter();
        let (choosing, rules): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(choice::chooses);
        let choosing = choosing.into_iter().map(|rule| choice::ChoosingRule::new(rule, &all)).collect();
        let with_scope = |rule: Rule| {
            let scope = Scope::new(&[&rule.head], &rule.body);
            let scope = Scope { settled: settled.next().unwrap_or_default(), ..scope };
            (rule, scope)
        };
        let rules = rules.into_iter().map(with_scope).collect();
        Oracle { rules, choosing, transitions, defined, lattices, given, model: FactSet::new() }
    }

    /// Derives all facts, and returns them.
    pub fn derive(&mut self) -> &FactSet {
        self.model = self.perfect_model(&self.given);
        &self.model
    }

    /// The answers to a query in the model as of the last update: the values of its named variables, in the order in which these
    /// stand in it, outside of braces.
    pub fn answers(&self, body: &[Formula]) -> BTreeSet<Vec<Term>> {
        let scope = Scope::new(&[], body);
        let mut names: Vec<Name> = Vec::new();
        for_each_outer_variable(body, &mut |name| {
            if !name.starts_with('_') && !names.contains(name) {
                names.push(name.clone());
            }
        });
        let solutions = self.solve(&scope, body, &self.model, &self.model);
        solutions.iter().map(|solution| names.iter().map(|name| solution[name].clone()).collect()).collect()
    }

    fn solve(&self, scope: &Scope, body: &[Formula], affirmed: &FactSet, denied: &FactSet) -> Vec<Substitution> {
        let interpretation = Interpretation { affirmed, denied, settled: denied, scope, defined: self.defined };
        interpretation.solutions(&body.iter().collect::<Vec<_>>(), &Substitution::new())
    }

    fn perfect_model(&self, given: &FactSet) -> FactSet {
        let mut model = given.clone();
        for _ in 0..MOST_ROUNDS {
            let next = self.least_model(given, &model);
            if next == model {
                return model;
            }
            model = next;
        }
        panic!("the program depends on its own negation")
    }

    /// The least model of the rules, where what `denied` has not is false in a negation.
    fn least_model(&self, given: &FactSet, denied: &FactSet) -> FactSet {
        let mut model = FactSet::new();
        for (predicate, facts) in given {
            facts.iter().for_each(|fact| _ = self.derive_into(&mut model, denied, predicate, fact.clone()));
        }
        let mut chosen = choice::Chosen::default();
        loop {
            self.close(&mut model, denied);
            if !self.choose(&mut chosen, &mut model, denied) {
                return model;
            }
        }
    }

    /// Adds all that rules derive without a choice.
    fn close(&self, model: &mut FactSet, denied: &FactSet) {
        let mut grows = true;
        while grows {
            grows = false;
            for (rule, scope) in &self.rules {
                for solution in &self.solve(scope, &rule.body, model, denied) {
                    let fact = instance(&rule.head, solution);
                    grows |= self.derive_into(model, denied, &fact.signature(), fact.args);
                }
            }
        }
    }

    /// Adds a fact, of a predicate with a lattice column in place of one with a worse value, and unless there is one with a
    /// better value. Values that are united are replaced by their union, and orders are those of the round before.
    fn derive_into(&self, model: &mut FactSet, denied: &FactSet, predicate: &Predicate, mut fact: Vec<Term>) -> bool {
        let facts = model.entry(predicate.clone()).or_default();
        if let Some(Lattice { column, join }) = self.lattices.get(predicate) {
            let is_union = matches!(join, Join::Function(AggregateFunction::Union));
            if is_union && !matches!(fact[*column], Term::Integer(_)) {
                return false;
            }
            let has_key = |other: &&Vec<Term>| (0..fact.len()).all(|i| i == *column || other[i] == fact[i]);
            if let Some(known) = facts.iter().find(has_key).cloned() {
                if let Join::Function(AggregateFunction::Union) = join {
                    let both = [&known, &fact].map(|one| vec![one[*column].clone()]).into();
                    fact[*column] = arithmetic::aggregate(AggregateFunction::Union, &both).expect("integers");
                }
                let is_better = match join {
                    Join::Function(AggregateFunction::Union) => fact != known,
                    Join::Function(AggregateFunction::Minimum) => fact[*column] < known[*column],
                    Join::Function(_) => fact[*column] > known[*column],
                    Join::Order(order) => {
                        all_below(&fact[*column], denied.get(&order.signature())).contains(&known[*column])
                    }
                };
                if !is_better {
                    return false;
                }
                facts.remove(&known);
            }
        }
        facts.insert(fact)
    }

    /// The facts to delete and to add when an event happens.
    fn effects(&self, event: &Atom) -> [Vec<Atom>; 2] {
        let mut with_event = self.given.clone();
        insert(&mut with_event, event);
        let old = self.perfect_model(&with_event);
        let [mut deletions, mut additions] = [Vec::new(), Vec::new()];
        for Transition { conditions, effects } in &self.transitions {
            let heads: Vec<&Atom> = effects.iter().map(Effect::atom).collect();
            for solution in self.solve(&Scope::new(&heads, conditions), conditions, &old, &old) {
                for effect in effects {
                    let list = if matches!(effect, Effect::Add(_)) { &mut additions } else { &mut deletions };
                    list.push(instance(effect.atom(), &solution));
                }
            }
        }
        [deletions, additions]
    }
}

fn insert(model: &mut FactSet, fact: &Atom) -> bool {
    model.entry(fact.signature()).or_default().insert(fact.args.clone())
}

/// All values that a value is better than by facts of an order, and by those in turn.
fn all_below(value: &Term, order: Option<&BTreeSet<Vec<Term>>>) -> BTreeSet<Term> {
    let mut below = BTreeSet::new();
    loop {
        let is_at_top = |fact: &&Vec<Term>| fact[0] == *value || below.contains(&fact[0]);
        let more: BTreeSet<Term> = order.into_iter().flatten().filter(is_at_top).map(|fact| fact[1].clone()).collect();
        if more == below {
            return below;
        }
        below = more;
    }
}

/// The predicate and all that it depends on.
fn needed_by(predicate: &Predicate, rules: &[Rule]) -> BTreeSet<Predicate> {
    let mut needed = BTreeSet::new();
    let mut open = vec![predicate.clone()];
    while let Some(next) = open.pop() {
        if needed.insert(next.clone()) {
            for rule in rules.iter().filter(|rule| rule.head.signature() == next) {
                rule.body.iter().for_each(|condition| note_predicates(condition, &mut open));
                open.extend(rule.order().map(Atom::signature));
            }
        }
    }
    needed
}

fn note_predicates(condition: &Formula, found: &mut Vec<Predicate>) {
    match condition {
        Formula::Atom(atom) => found.push(atom.signature()),
        Formula::Not(inner) => note_predicates(inner, found),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| note_predicates(part, found)),
        Formula::Aggregate(aggregate) => aggregate.body.iter().for_each(|part| note_predicates(part, found)),
        Formula::Compare(_) | Formula::Range(_) => {}
    }
}

/// Which of the names that mean something are predicates of the program.
#[derive(Clone, Copy)]
struct Defined {
    member: bool,
    matches: bool,
}

/// Whether an atom looks like the test of a regular expression.
fn is_test(atom: &Atom) -> bool {
    atom.predicate == "matches" && atom.args.len() == 2
}

fn is_member(atom: &Atom) -> bool {
    atom.predicate == "member" && atom.args.len() == 2
}

/// The variables of a statement that have a meaning of their own.
struct Scope {
    /// Those that stand outside of braces. Such a one means the same within them; all others are local to their aggregate.
    outer: BTreeSet<Name>,
    /// Those that occur once and whose name begins with `_`: any value will do.
    any: BTreeSet<Name>,
    /// Predicates with lattice columns that do not depend on the head of the rule.
    settled: BTreeSet<Predicate>,
}

impl Scope {
    fn new(heads: &[&Atom], body: &[Formula]) -> Self {
        let mut counts: BTreeMap<&Name, usize> = BTreeMap::new();
        let mut outer = BTreeSet::new();
        for arg in heads.iter().flat_map(|head| &head.args) {
            arg.for_each_variable(&mut |name| {
                *counts.entry(name).or_default() += 1;
                outer.insert(name.clone());
            });
        }
        body.iter()
            .for_each(|condition| condition.for_each_variable(&mut |name| *counts.entry(name).or_default() += 1));
        for_each_outer_variable(body, &mut |name| _ = outer.insert(name.clone()));
        let any = counts.iter().filter(|(name, count)| **count == 1 && name.starts_with('_'));
        let any = any.map(|(name, _)| (*name).clone()).collect();
        Scope { outer, any, settled: BTreeSet::new() }
    }
}

/// Calls `visit` with the variables outside of the braces of aggregates.
fn for_each_outer_variable<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Name)) {
    for condition in body {
        match condition {
            Formula::Aggregate(aggregate) => aggregate.result.for_each_variable(visit),
            Formula::Not(inner) => for_each_outer_variable(std::slice::from_ref(inner), visit),
            Formula::And(parts) | Formula::Or(parts) => for_each_outer_variable(parts, visit),
            Formula::Atom(_) | Formula::Compare(_) | Formula::Range(_) => condition.for_each_variable(visit),
        }
    }
}

/// Conditions as read in a model.
struct Interpretation<'a> {
    /// The facts that hold.
    affirmed: &'a FactSet,
    /// The facts that a negation, and an aggregate, finds.
    denied: &'a FactSet,
    /// The facts of the round before, of which conditions read lattice columns outside of their recursion.
    settled: &'a FactSet,
    scope: &'a Scope,
    defined: Defined,
}

impl Interpretation<'_> {
    /// The substitutions beyond this one under which all conditions hold.
    fn solutions(&self, conditions: &[&Formula], binding: &Substitution) -> Vec<Substitution> {
        if conditions.is_empty() {
            return vec![binding.clone()];
        }
        let Some(next) = conditions.iter().position(|condition| self.is_ready(condition, binding)) else {
            return self.over_domain(conditions, binding);
        };
        let mut rest = conditions.to_vec();
        let next = rest.remove(next);
        let with = |parts: &[&Formula]| self.solutions(&[parts, &rest[..]].concat(), binding);
        match next {
            Formula::And(parts) => with(&parts.iter().collect::<Vec<_>>()),
            Formula::Or(parts) => parts.iter().flat_map(|part| with(&[part])).collect(),
            _ if rest.is_empty() => self.extensions(next, binding),
            _ => self.extensions(next, binding).iter().flat_map(|longer| self.solutions(&rest, longer)).collect(),
        }
    }

    /// The solutions where the first variable that is not bound has some value of the active domain.
    fn over_domain(&self, conditions: &[&Formula], binding: &Substitution) -> Vec<Substitution> {
        let mut free = Vec::new();
        conditions.iter().for_each(|condition| self.note_free(condition, binding, &mut free));
        let mut domain = BTreeSet::new();
        self.affirmed.values().flatten().flatten().for_each(|term| note_parts(term, &mut domain));
        conditions.iter().for_each(|condition| note_constants(condition, &mut domain));
        let values = domain.into_iter();
        let bindings =
            values.map(|value| binding.iter().map(|(n, t)| (n.clone(), t.clone())).chain([(free[0].clone(), value)]));
        bindings.flat_map(|longer| self.solutions(conditions, &longer.collect())).collect()
    }

    /// Whether the condition has bound what it needs.
    fn is_ready(&self, condition: &Formula, binding: &Substitution) -> bool {
        let is_bound = |term: &Term| substitute(term, binding).is_ground();
        match condition {
            Formula::Atom(atom) if self.is_built_in(atom) => is_bound(&atom.args[1]),
            Formula::Atom(atom) if self.is_built_in_test(atom) => atom.args.iter().all(is_bound),
            Formula::Atom(_) | Formula::And(_) | Formula::Or(_) => true,
            Formula::Not(inner) => {
                let mut free = Vec::new();
                self.note_free(inner, binding, &mut free);
                free.is_empty()
            }
            Formula::Range(range) => is_bound(&range.from) && is_bound(&range.to),
            Formula::Aggregate(aggregate) => {
                let is_parameter = |name: &Name| self.scope.outer.contains(name);
                let mut ready = true;
                aggregate
                    .for_each_inner_variable(&mut |name| ready &= !is_parameter(name) || binding.contains_key(name));
                ready && (matches!(aggregate.result, Term::Variable(_)) || is_bound(&aggregate.result))
            }
            Formula::Compare(Comparison { comparator, left, right, .. }) => {
                let assigns = |side: &Term, other: &Term| matches!(side, Term::Variable(_)) && is_bound(other);
                match comparator {
                    _ if is_bound(left) && is_bound(right) => true,
                    Comparator::Is => assigns(left, right),
                    Comparator::Equal => assigns(left, right) || assigns(right, left),
                    _ => false,
                }
            }
        }
    }

    fn is_built_in(&self, atom: &Atom) -> bool {
        is_member(atom) && !self.defined.member
    }

    fn is_built_in_test(&self, atom: &Atom) -> bool {
        is_test(atom) && !self.defined.matches
    }

    /// Notes the variables of a condition that need a value and have none.
    fn note_free(&self, condition: &Formula, binding: &Substitution, free: &mut Vec<Name>) {
        condition.for_each_variable(&mut |name| {
            if !binding.contains_key(name) && !self.scope.any.contains(name) {
                free.push(name.clone());
            }
        });
    }

    /// The extensions of `binding` under which a condition that is ready holds.
    fn extensions(&self, condition: &Formula, binding: &Substitution) -> Vec<Substitution> {
        let holds = |condition: bool| if condition { vec![binding.clone()] } else { Vec::new() };
        let among = |pattern: &Term, values: &[Term]| -> Vec<Substitution> {
            values.iter().filter_map(|value| extension(pattern, value, binding)).collect()
        };
        match condition {
            Formula::And(_) | Formula::Or(_) => self.solutions(&[condition], binding),
            Formula::Atom(atom) if self.is_built_in(atom) => {
                among(&atom.args[0], &elements(&substitute(&atom.args[1], binding)))
            }
            Formula::Atom(atom) if self.is_built_in_test(atom) => {
                let [text, pattern] = [0, 1].map(|i| substitute(&atom.args[i], binding));
                holds(compare(Comparator::Matches, &text, &pattern))
            }
            Formula::Atom(atom) => {
                let is_settled = self.scope.settled.contains(&atom.signature());
                let read = if is_settled { self.settled } else { self.affirmed };
                let facts = read.get(&atom.signature()).into_iter().flatten();
                facts.filter_map(|values| all_match(&atom.args, values, binding)).collect()
            }
            Formula::Not(inner) => {
                let opposite = Interpretation { affirmed: self.denied, denied: self.affirmed, ..*self };
                holds(opposite.solutions(&[inner], binding).is_empty())
            }
            Formula::Range(range) => {
                let [from, to] = [&range.from, &range.to].map(|bound| integer(&substitute(bound, binding)));
                let integers = from.zip(to).into_iter().flat_map(|(from, to)| from..=to);
                among(&range.element, &integers.map(Term::Integer).collect::<Vec<_>>())
            }
            Formula::Aggregate(aggregate) => {
                let Some(value) = self.value(aggregate, binding) else { return Vec::new() };
                let result = substitute(&aggregate.result, binding);
                if result.is_ground() { holds(computed(&result) == value) } else { among(&result, &[value]) }
            }
            Formula::Compare(Comparison { comparator, left, right, .. }) => {
                let [left, right] = [left, right].map(|side| substitute(side, binding));
                match comparator {
                    _ if left.is_ground() && right.is_ground() => holds(compare(*comparator, &left, &right)),
                    Comparator::Is => arithmetic::value(&right).map_or(Vec::new(), |value| among(&left, &[value])),
                    _ if right.is_ground() => among(&left, &[computed(&right)]),
                    _ => among(&right, &[computed(&left)]),
                }
            }
        }
    }

    /// The value of an aggregate over the set of its tuples; `None` if it has none.
    fn value(&self, aggregate: &Aggregate, binding: &Substitution) -> Option<Term> {
        let parameters = binding.iter().filter(|(name, _)| self.scope.outer.contains(*name));
        let parameters = parameters.map(|(name, term)| (name.clone(), term.clone())).collect();
        let all = Interpretation { affirmed: self.denied, ..*self };
        let solutions = all.solutions(&aggregate.body.iter().collect::<Vec<_>>(), &parameters);
        let tuple = |solution: &Substitution| -> Option<Vec<Term>> {
            aggregate.template.iter().map(|term| tuple_term(&substitute(term, solution))).collect()
        };
        arithmetic::aggregate(aggregate.function, &solutions.iter().filter_map(tuple).collect())
    }
}

/// Notes a ground term and all its parts.
fn note_parts(term: &Term, parts: &mut BTreeSet<Term>) {
    if term.is_ground() {
        parts.insert(term.clone());
    }
    if let Term::Compound(_, args) = term {
        args.iter().for_each(|arg| note_parts(arg, parts));
    }
}

/// Notes the ground terms of a condition.
fn note_constants(condition: &Formula, constants: &mut BTreeSet<Term>) {
    match condition {
        Formula::Atom(atom) => atom.args.iter().for_each(|arg| note_parts(arg, constants)),
        Formula::Compare(comparison) => {
            [&comparison.left, &comparison.right].into_iter().for_each(|side| note_parts(side, constants));
        }
        Formula::Not(inner) => note_constants(inner, constants),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| note_constants(part, constants)),
        Formula::Range(_) | Formula::Aggregate(_) => {}
    }
}

fn instance(atom: &Atom, binding: &Substitution) -> Atom {
    Atom { args: atom.args.iter().map(|arg| substitute(arg, binding)).collect(), ..atom.clone() }
}

fn substitute(term: &Term, binding: &Substitution) -> Term {
    match term {
        Term::Variable(name) => binding.get(name).unwrap_or(term).clone(),
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => term.clone(),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| substitute(arg, binding)).collect())
        }
    }
}

/// Extends `binding` so that `pattern` equals the ground term `value`; `false` if that is impossible.
fn matches(pattern: &Term, value: &Term, binding: &mut Substitution) -> bool {
    match (pattern, value) {
        (Term::Variable(name), _) => binding.entry(name.clone()).or_insert_with(|| value.clone()) == value,
        (Term::Compound(f, patterns), Term::Compound(g, values)) => {
            f == g
                && patterns.len() == values.len()
                && patterns.iter().zip(values).all(|(pattern, value)| matches(pattern, value, binding))
        }
        _ => pattern == value,
    }
}

fn all_match(patterns: &[Term], values: &[Term], binding: &Substitution) -> Option<Substitution> {
    // Most facts differ in a value that is known, and need no substitution of their own.
    let differs = |pattern: &Term, value: &Term| match pattern {
        Term::Variable(name) => binding.get(name).is_some_and(|bound| bound != value),
        Term::Compound(..) => false,
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => pattern != value,
    };
    if patterns.iter().zip(values).any(|(pattern, value)| differs(pattern, value)) {
        return None;
    }
    let mut extended = binding.clone();
    let all = patterns.iter().zip(values).all(|(pattern, value)| matches(pattern, value, &mut extended));
    all.then_some(extended)
}

fn extension(pattern: &Term, value: &Term, binding: &Substitution) -> Option<Substitution> {
    all_match(std::slice::from_ref(pattern), std::slice::from_ref(value), binding)
}

fn elements(list: &Term) -> Vec<Term> {
    let mut elements = Vec::new();
    let mut list = list;
    while let Term::Compound(name, args) = list
        && let ("cons", [first, rest]) = (&**name, &**args)
    {
        elements.push(first.clone());
        list = rest;
    }
    elements
}
