//! The relaxed program: what may hold in some state, as a program without state.
//!
//! `true` holds of all that is in the first state or comes `next`, `does` of all that is `legal`, and a negation of
//! what depends on the state always holds. So whatever holds in a state that can be reached is a fact of the relaxed
//! program.

use super::Keyword;
use super::constant::{self, Functors};
use super::eliminate::eliminate;
use super::unread;
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Literal, StratifiedProgram};
use ludolog_logic::analysis::{hides, restratify};
use ludolog_logic::optimize::binding::ClauseVariables;
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Rule, Statement, Term};
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::{Syntax, print_statement};
use rustc_hash::FxHashSet;

/// A rule whose head depends on the state, with the relation of its instances.
pub struct Instances {
    /// The head of the rule.
    pub head: Atom,
    /// The literals that depend on the state.
    pub body: Vec<Literal>,
    /// The variables of the rule, in the order of the relation's columns.
    pub variables: Vec<Name>,
    /// The relation.
    pub predicate: Predicate,
    /// The number of the rule that this one was split from, if it was.
    pub split: Option<usize>,
}

impl Instances {
    /// The rule, without the conditions that hold in every state.
    pub fn text(&self) -> String {
        let body = self.body.iter().map(|literal| literal.into()).collect();
        print_statement(&Statement::Rule(Rule::new(self.head.clone(), body)), Syntax::Kif).trim_end().to_owned()
    }
}

/// A rulesheet without state.
pub struct Relaxed {
    /// The program whose facts are the ground rules.
    pub program: StratifiedProgram,
    /// The rules that depend on the state.
    pub instances: Vec<Instances>,
    /// The roles that are given as facts, in the order of the rulesheet.
    pub roles: Vec<Term>,
    /// The rules that a game machine asks for: as written, with negations projected, and with variables eliminated.
    pub rules: [usize; 3],
    /// The functions whose facts never change.
    pub constant: Functors,
}

/// Relaxes the part of a rulesheet that a game machine asks for. Variables that occur in few literals are eliminated,
/// except from the rules that are to stay `whole`, each by its number. If `bounded`, facts and moves are those of
/// `base` and `input`, where the rulesheet says which there are.
pub fn relax(program: &StratifiedProgram, whole: &FxHashSet<usize>, bounded: bool) -> Relaxed {
    let bounds = if bounded { bounds(program) } else { Vec::new() };
    let mut program = ludolog_game::program::relevant(program, &bounds).program;
    let constant = constant::separate(&mut program);
    unread::remove(&mut program);
    let mut dynamic = dynamic_predicates(&program);
    let mut rules = Vec::new();
    let mut counts = [program.rules.len(), 0, 0];
    for (number, rule) in program.rules.iter().enumerate() {
        let written = if dynamic.contains(&rule.head.signature()) {
            project_negations(rule, &mut dynamic, number)
        } else {
            vec![rule.clone()]
        };
        counts[1] += written.len();
        for rule in written {
            let split = if whole.contains(&number) { vec![rule] } else { eliminate(rule, &mut dynamic) };
            let of = (split.len() > 1).then_some(number);
            rules.extend(split.into_iter().map(|rule| (rule, of)));
        }
    }
    counts[2] = rules.len();
    let (given, facts): (Vec<Atom>, Vec<Atom>) =
        program.facts.iter().cloned().partition(|fact| dynamic.contains(&fact.signature()));
    let given = given.into_iter().map(|head| Clause { head, body: Body::default(), span: Span::NONE });
    let mut relaxed = CheckedProgram { facts, ..CheckedProgram::default() };
    let mut instances: Vec<Instances> = Vec::new();
    for (rule, split) in rules.into_iter().chain(given.map(|rule| (rule, None))) {
        if !dynamic.contains(&rule.head.signature()) {
            relaxed.rules.push(rule);
            continue;
        }
        let is_dynamic = |literal: &Literal| literal.atom().is_some_and(|atom| dynamic.contains(&atom.signature()));
        let mut variables: Vec<Name> = Vec::new();
        for literal in rule.body.iter().filter(|literal| !matches!(literal, Literal::Negative(_))) {
            literal.for_each_variable(&mut |name| {
                if !variables.contains(name) {
                    variables.push(name.clone());
                }
            });
        }
        let atom =
            Atom::new(Purpose::Instance(instances.len()), variables.iter().cloned().map(Term::Variable).collect());
        let predicate = atom.signature();
        let positive = |literal: &&Literal| !(matches!(literal, Literal::Negative(_)) && is_dynamic(literal));
        let body: Body = rule.body.iter().filter(positive).cloned().collect();
        if body.is_empty() {
            relaxed.facts.push(atom.clone());
        } else {
            relaxed.rules.push(Clause { head: atom.clone(), body, span: rule.span });
        }
        let body = vec![Literal::Positive(atom)].into();
        relaxed.rules.push(Clause { head: rule.head.clone(), body, span: rule.span });
        let body = rule.body.into_iter().filter(is_dynamic).collect();
        instances.push(Instances { head: rule.head, body, variables, predicate, split });
    }
    for (head, body, bound) in
        [("true", "init", None), ("true", "next", Some("base")), ("does", "legal", Some("input"))]
    {
        let arity = if head == "does" { 2 } else { 1 };
        let args: Vec<Term> = (0..arity).map(|i| Term::variable(&format!("X{i}"))).collect();
        let bound = bound.filter(|bound| bounds.contains(&Predicate::new(*bound, arity)));
        let body = [body].into_iter().chain(bound);
        let body = body.map(|name| Literal::Positive(Atom::new(name, args.clone()))).collect();
        relaxed.rules.push(Clause { head: Atom::new(head, args), body, span: Span::NONE });
    }
    let roles = program.facts.iter().filter(|fact| fact.signature() == Predicate::new("role", 1));
    let roles = roles.map(|fact| fact.args[0].clone()).collect();
    let program = restratify(relaxed).expect("no negation of what depends on the state is left");
    Relaxed { program, instances, roles, rules: counts, constant }
}

/// Those of `base` and `input` that the rulesheet defines, and does not let depend on the state.
pub fn bounds(program: &StratifiedProgram) -> Vec<Predicate> {
    let checked = &program.program;
    let dynamic = dynamic_predicates(checked);
    let heads = || checked.facts.iter().chain(checked.rules.iter().map(|rule| &rule.head));
    let bounds = [Predicate::new("base", 1), Predicate::new("input", 2)].into_iter();
    let is_defined = |bound: &Predicate| heads().any(|head| head.signature() == *bound);
    bounds.filter(|bound| is_defined(bound) && !dynamic.contains(bound)).collect()
}

/// The predicates that depend on the state, or are asked in every state.
fn dynamic_predicates(program: &CheckedProgram) -> FxHashSet<Predicate> {
    let hides = hides(program);
    let asked = Keyword::ALL.iter().filter(|(keyword, ..)| hides || *keyword != Keyword::Sees);
    let keywords = asked.map(|&(_, name, arity)| Predicate::new(name, arity));
    let mut dynamic: FxHashSet<Predicate> = keywords.collect();
    loop {
        let before = dynamic.len();
        for rule in &program.rules {
            if rule.body.iter().filter_map(Literal::atom).any(|atom| dynamic.contains(&atom.signature())) {
                dynamic.insert(rule.head.signature());
            }
        }
        if dynamic.len() == before {
            return dynamic;
        }
    }
}

/// The rule, and rules for the negations in it that have variables of their own: `~p(X, _)` becomes `~q(X)` with
/// `q(X) :- p(X, _)`, so that each ground rule denies single atoms.
fn project_negations(rule: &Clause, dynamic: &mut FxHashSet<Predicate>, number: usize) -> Vec<Clause> {
    let variables = ClauseVariables::of(&rule.head.args, &rule.body);
    let mut rules = Vec::new();
    let mut rewritten = rule.body.to_vec();
    for (place, literal) in rewritten.iter_mut().enumerate() {
        let Literal::Negative(atom) = literal else { continue };
        let mut shared: Vec<Term> = Vec::new();
        let mut has_own = false;
        for arg in &atom.args {
            arg.for_each_variable(&mut |name| {
                if variables.is_local(name) {
                    has_own = true
                } else if !shared.contains(&Term::Variable(name.clone())) {
                    shared.push(Term::Variable(name.clone()))
                }
            });
        }
        if !has_own || !dynamic.contains(&atom.signature()) {
            continue;
        }
        let head = Atom::new(Purpose::Projection { rule: number, place }, shared);
        dynamic.insert(head.signature());
        let body = vec![Literal::Positive(std::mem::replace(atom, head.clone()))].into();
        rules.push(Clause { head, body, span: rule.span });
    }
    rules.push(Clause { body: rewritten.into(), ..rule.clone() });
    rules
}
