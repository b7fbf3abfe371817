//! The rewriting of a program with negative cycles.

use super::{Decided, Founded, GroundedRule, NegativeComponent, ThreeValued};
use crate::analysis::body::Body;
use crate::analysis::clause::{Aggregation, CheckedProgram, Clause, Literal, StratifiedProgram};
use crate::analysis::strata::in_order;
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites a program so that no predicate depends on its own negation; one that has no such predicate stays as it is.
pub fn rewritten(stratified: StratifiedProgram) -> StratifiedProgram {
    if stratified.negative.is_empty() {
        return stratified;
    }
    let undefinable = undefinable(&stratified);
    let StratifiedProgram { program, strata, negative, .. } = stratified;
    let mut rewriting = Rewriting::new(&program, &strata, &negative, &undefinable);
    for rule in &program.rules {
        rewriting.rule(rule);
    }
    rewriting.bridges(&program.rules);
    let Rewriting { three_valued, rules, .. } = rewriting;
    let given_as = three_valued.given_as();
    let mut facts = program.facts;
    for fact in &mut facts {
        if let Some(given) = given_as.get(&fact.signature()) {
            fact.predicate = given.name.clone();
        }
    }
    let mut transitions = program.transitions;
    for transition in &mut transitions {
        transition.conditions.change(|literal| *literal = three_valued.certain(literal));
    }
    let program = CheckedProgram {
        facts,
        rules,
        transitions,
        queries: program.queries,
        constraints: program.constraints,
        three_valued,
        lattices: program.lattices,
        choices: program.choices,
        types: program.types,
    };
    in_order(program)
}

/// The predicates that may have undefined facts: those of negative cycles, and those that depend on one, but for what aggregates range
/// over.
pub fn undefinable(stratified: &StratifiedProgram) -> FxHashSet<Predicate> {
    let mut undefinable: FxHashSet<Predicate> = FxHashSet::default();
    if stratified.negative.is_empty() {
        return undefinable;
    }
    let by_head = stratified.program.rules_by_head();
    for (number, stratum) in stratified.strata.iter().enumerate() {
        let reads = |literal: &Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => undefinable.contains(&atom.signature()),
            _ => false,
        };
        let mut rules = stratum.iter().filter_map(|predicate| by_head.get(predicate)).flatten();
        if stratified.negative.contains(&number) || rules.any(|rule| rule.body.iter().any(reads)) {
            undefinable.extend(stratum.iter().cloned());
        }
    }
    undefinable
}

/// The predicate that a purpose makes of a predicate.
fn made(purpose: fn(Predicate) -> Purpose, of: &Predicate) -> Predicate {
    Predicate::new(purpose(of.clone()), of.arity)
}

fn columns(predicate: &Predicate) -> Vec<Term> {
    (1..=predicate.arity).map(|i| Term::variable(&format!("x{i}"))).collect()
}

fn atom_of(predicate: &Predicate, args: Vec<Term>) -> Atom {
    Atom { predicate: predicate.name.clone(), args, span: Span::NONE }
}

struct Rewriting {
    three_valued: ThreeValued,
    /// By predicate of a negative cycle: the number of its component.
    component: FxHashMap<Predicate, usize>,
    /// By predicate of a negative cycle: its envelope.
    envelopes: FxHashMap<Predicate, Predicate>,
    rules: Vec<Clause>,
    /// The number of predicates made of instances and of projections.
    made: usize,
}

impl Rewriting {
    fn new(
        program: &CheckedProgram,
        strata: &[Vec<Predicate>],
        negative: &[usize],
        undefinable: &FxHashSet<Predicate>,
    ) -> Self {
        let mut this = Self {
            three_valued: ThreeValued::default(),
            component: FxHashMap::default(),
            envelopes: FxHashMap::default(),
            rules: Vec::new(),
            made: 0,
        };
        for (number, &stratum) in negative.iter().enumerate() {
            this.three_valued.components.push(NegativeComponent { predicates: Vec::new(), instances: Vec::new() });
            strata[stratum].iter().for_each(|predicate| this.found(predicate, number));
        }
        for predicate in strata.iter().flatten().filter(|predicate| undefinable.contains(*predicate)) {
            let possible = || made(Purpose::Possible, predicate);
            this.three_valued.possible.entry(predicate.clone()).or_insert_with(possible);
        }
        let bodies = program.rules.iter().map(|rule| &rule.body);
        let conditions = program.transitions.iter().map(|transition| &transition.conditions);
        let queries = program.goals().map(|goal| &goal.body);
        for literal in bodies.chain(conditions).chain(queries).flatten() {
            if let Literal::Aggregate(aggregation) = literal {
                this.decide(aggregation, program);
            }
        }
        this
    }

    /// Makes what a predicate of a negative cycle needs.
    fn found(&mut self, predicate: &Predicate, number: usize) {
        let [possible, given, envelope] =
            [Purpose::Possible, Purpose::Given, Purpose::Envelope].map(|purpose| made(purpose, predicate));
        let head = |predicate: &Predicate| atom_of(predicate, columns(predicate));
        let rule = |of: &Predicate, from: &Predicate| Clause {
            head: head(of),
            body: vec![Literal::Positive(head(from))].into(),
            span: Span::NONE,
        };
        self.rules.push(rule(&envelope, &given));
        self.three_valued.possible.insert(predicate.clone(), possible.clone());
        self.component.insert(predicate.clone(), number);
        self.envelopes.insert(predicate.clone(), envelope.clone());
        let component = &mut self.three_valued.components[number];
        component.instances.push(GroundedRule {
            rows: head(&given),
            head: head(predicate),
            positive: Vec::new(),
            negative: Vec::new(),
            certain: Vec::new(),
            written: None,
        });
        let bound = rule(predicate, &envelope);
        component.predicates.push(Founded { predicate: predicate.clone(), possible, given, bound });
    }

    /// Makes a copy of the predicate whose facts an aggregate needs decided.
    fn decide(&mut self, aggregation: &Aggregation, program: &CheckedProgram) {
        let predicate = aggregation.atom.signature();
        let bodies = program.rules.iter().filter(|rule| rule.head.signature() == predicate).flat_map(|rule| &rule.body);
        let undefinable =
            bodies.filter(|literal| self.three_valued.may_be_undefined(literal)).filter_map(Literal::atom);
        let over =
            undefinable.map(Atom::signature).find(|read| !read.is_auxiliary()).unwrap_or_else(|| predicate.clone());
        let ThreeValued { decided, possible, .. } = &mut self.three_valued;
        if let Some(possible) = possible.get(&predicate)
            && decided.iter().all(|other| other.predicate != predicate)
        {
            let copy = made(Purpose::Decided, &predicate);
            let span = aggregation.written.0.span;
            decided.push(Decided { possible: possible.clone(), copy, over, span, predicate });
        }
    }

    /// Adds what replaces a rule.
    fn rule(&mut self, rule: &Clause) {
        let head = rule.head.signature();
        if let Some(&number) = self.component.get(&head) {
            return self.instances(rule, number);
        }
        self.rules.push(Clause { body: self.version(rule, ThreeValued::certain), ..rule.clone() });
        // A body without undefined instances gives no more possible facts than true ones.
        if rule.body.iter().any(|literal| self.three_valued.may_be_undefined(literal)) {
            let possible = self.three_valued.possible(&Literal::Positive(rule.head.clone()));
            let body = self.version(rule, ThreeValued::possible);
            self.rules.extend(possible.atom().map(|head| Clause { head: head.clone(), body, span: rule.span }));
        }
    }

    fn version(&self, rule: &Clause, of: impl Fn(&ThreeValued, &Literal) -> Literal) -> Body {
        rule.body.iter().map(|literal| of(&self.three_valued, literal)).collect()
    }

    /// Adds the rules by which true facts are possible.
    fn bridges(&mut self, rules: &[Clause]) {
        let heads: FxHashSet<Predicate> = rules.iter().map(|rule| rule.head.signature()).collect();
        for (predicate, possible) in &self.three_valued.possible {
            if !self.component.contains_key(predicate) && heads.contains(predicate) {
                let [head, body] = [possible, predicate].map(|of| atom_of(of, columns(predicate)));
                self.rules.push(Clause { head, body: vec![Literal::Positive(body)].into(), span: Span::NONE });
            }
        }
    }

    /// Adds the ground instances of a rule of a negative cycle.
    fn instances(&mut self, rule: &Clause, number: usize) {
        let bound: FxHashSet<Name> = rule.body.bound().into_iter().collect();
        let mut body = Vec::new();
        let mut positive = Vec::new();
        let mut negative = Vec::new();
        let mut certain = Vec::new();
        for literal in &rule.body {
            let inside = literal.atom().is_some_and(|atom| self.component.get(&atom.signature()) == Some(&number));
            match literal {
                Literal::Positive(atom) if inside => {
                    body.push(Literal::Positive(self.enveloped(atom)));
                    positive.push(atom.clone());
                }
                Literal::Negative(atom) if inside => negative.push(self.some_of(atom, &bound, number)),
                Literal::Positive(_) | Literal::Negative(_) if self.three_valued.may_be_undefined(literal) => {
                    body.push(self.three_valued.possible(literal));
                    certain.push(match self.three_valued.certain(literal) {
                        Literal::Negative(atom) => Literal::Negative(self.some_of_earlier(atom, &bound)),
                        literal => literal,
                    });
                }
                literal => body.push(self.three_valued.certain(literal)),
            }
        }
        let head = rule.head.clone();
        let read = [&head].into_iter().chain(&positive).chain(&negative);
        let rows = self.rows(read.chain(certain.iter().filter_map(Literal::atom)), body.into(), rule);
        self.envelop(&rows, &head);
        let written = Some(rule.clone());
        let instances = GroundedRule { rows, head, positive, negative, certain, written };
        self.three_valued.components[number].instances.push(instances);
    }

    fn enveloped(&self, atom: &Atom) -> Atom {
        Atom { predicate: self.envelopes[&atom.signature()].name.clone(), ..atom.clone() }
    }

    fn envelop(&mut self, rows: &Atom, head: &Atom) {
        let body = vec![Literal::Positive(rows.clone())].into();
        self.rules.push(Clause { head: self.enveloped(head), body, span: head.span });
    }

    /// An atom over variables whose rows are the instances of a body in which these atoms are needed.
    fn rows<'a>(&mut self, needed: impl Iterator<Item = &'a Atom>, body: Body, rule: &Clause) -> Atom {
        let mut variables: Vec<&Name> = Vec::new();
        needed.flat_map(|atom| &atom.args).for_each(|arg| {
            arg.for_each_variable(&mut |name| {
                if !variables.contains(&name) {
                    variables.push(name);
                }
            });
        });
        // A single atom over different variables has the instances as its own rows.
        if let [Literal::Positive(atom)] = &body[..]
            && atom
                .args
                .iter()
                .enumerate()
                .all(|(i, arg)| matches!(arg, Term::Variable(_)) && !atom.args[..i].contains(arg))
        {
            return atom.clone();
        }
        self.made += 1;
        let args = variables.into_iter().cloned().map(Term::Variable).collect::<Vec<_>>();
        let rows = Predicate::new(Purpose::Instance(self.made), args.len());
        let rows = Atom { span: rule.span, ..atom_of(&rows, args) };
        self.rules.push(Clause { head: rows.clone(), body, span: rule.span });
        rows
    }

    /// The atom itself, or one of a projection to the variables that are bound, if it has others.
    fn some_of(&mut self, atom: &Atom, bound: &FxHashSet<Name>, number: usize) -> Atom {
        let Some(projected) = self.projection(atom, bound) else { return atom.clone() };
        self.found(&projected.signature(), number);
        let rule =
            Clause { head: projected.clone(), body: vec![Literal::Positive(atom.clone())].into(), span: atom.span };
        self.instances(&rule, number);
        if let Some(instances) = self.three_valued.components[number].instances.last_mut() {
            instances.written = None;
        }
        projected
    }

    /// As [`some_of`](Self::some_of), of a predicate of an earlier stratum.
    fn some_of_earlier(&mut self, atom: Atom, bound: &FxHashSet<Name>) -> Atom {
        let Some(projected) = self.projection(&atom, bound) else { return atom };
        let body = vec![Literal::Positive(atom)].into();
        self.rules.push(Clause { head: projected.clone(), body, span: projected.span });
        projected
    }

    fn projection(&mut self, atom: &Atom, bound: &FxHashSet<Name>) -> Option<Atom> {
        let (mut args, mut has_own): (Vec<Term>, bool) = (Vec::new(), false);
        atom.args.iter().for_each(|arg| {
            arg.for_each_variable(&mut |name| {
                if !bound.contains(name) {
                    has_own = true
                } else if !args.contains(&Term::Variable(name.clone())) {
                    args.push(Term::Variable(name.clone()))
                }
            });
        });
        if !has_own {
            return None;
        }
        self.made += 1;
        let predicate = Predicate::new(Purpose::Projection { rule: self.made, place: 0 }, args.len());
        Some(Atom { span: atom.span, ..atom_of(&predicate, args) })
    }
}
