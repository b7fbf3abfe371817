//! Rules that never fire, whatever facts are added to predicates that the program does not define.
//!
//! A rule fires if its comparisons may hold together, if each positive literal may match a fact or head, and if all of
//! its predicates may hold; and a predicate may hold if one of its rules fires. That is the least model of Horn clauses
//! over predicates, found in linear time (W. F. Dowling, J. H. Gallier: *Linear-time algorithms for testing the
//! satisfiability of propositional Horn formulae*, 1984). Only causes are reported: not what depends on them.

use super::arguments;
use super::comparisons;
use super::shape::TermShape;
use super::shown;
use crate::analysis::clause::{CheckedProgram, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Effect, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports rules that never fire, and predicates whose rules wait for each other. Rules at the places `explained` are
/// reported for another reason.
pub(super) fn check(
    program: &CheckedProgram,
    given: &[Predicate],
    is_game: bool,
    explained: &FxHashSet<Span>,
    found: &mut Vec<Diagnostic>,
) {
    let shapes = Shapes::new(program, given, is_game);
    let causes: Vec<Option<Diagnostic>> = program.rules.iter().map(|rule| cause(&rule.body, &shapes)).collect();
    report_rules(program, &causes, explained.clone(), found);
    report_cycles(program, is_game, &causes, &shapes, found);
    for transition in &program.transitions {
        found.extend(cause(&transition.conditions, &shapes));
    }
}

/// The reason in its own body why a rule never fires.
fn cause(body: &[Literal], shapes: &Shapes) -> Option<Diagnostic> {
    let never = |message: String| Diagnostic::warning(Code::NeverFires, message);
    if let Some((span, earlier)) = comparisons::contradiction(body) {
        let found = never("this rule never fires: its comparisons contradict each other".to_owned());
        return Some(match earlier {
            Some(earlier) => found.at(span, "this does not hold").at(earlier, "where this does"),
            None => never("this rule never fires: a comparison never holds".to_owned()).at(span, "this does not hold"),
        });
    }
    if let Some((span, sides)) = comparisons::assignment(body) {
        let [name, sum] = sides.map(shown);
        let found = never(format!("this rule never fires: `{name}` has one value, and `{sum}` is another"));
        let found = found.at(span, "this does not hold");
        return Some(found.help(format!("give the new value a name of its own, as in `Next is {sum}`")));
    }
    let negated: FxHashMap<&Atom, Span> = body
        .iter()
        .filter_map(|literal| match literal {
            Literal::Negative(atom) => Some((atom, atom.span)),
            _ => None,
        })
        .collect();
    body.iter().find_map(|literal| match literal {
        Literal::Positive(atom) => match negated.get(atom) {
            Some(&negation) => Some(
                never("this rule never fires: it needs a condition and its negation".to_owned())
                    .at(negation, "this does not hold")
                    .at(atom.span, "where this does"),
            ),
            None if !shapes.admit(atom) => {
                let found = never("this rule never fires: no fact or head matches one of its conditions".to_owned())
                    .at(atom.span, format!("there is no such `{}`", atom.signature()));
                Some(match arguments::operation(atom) {
                    Some((term, ..)) => found.help(arguments::way_out(term)),
                    None => found,
                })
            }
            None => None,
        },
        Literal::Member { elements: Elements::List(Term::Symbol(name)), negated: false, span, .. }
            if &**name == "nil" =>
        {
            Some(never("this rule never fires: the list is empty".to_owned()).at(*span, "nothing is a member of it"))
        }
        Literal::Member {
            elements: Elements::Range(Term::Integer(from), Term::Integer(to)),
            negated: false,
            span,
            ..
        } if from > to => Some(
            never("this rule never fires: the range is empty".to_owned())
                .at(*span, "its last bound is below its first"),
        ),
        _ => None,
    })
}

/// One report for each rule as written, if none of the clauses that it became fires. What is in `fires` at first is
/// not reported.
fn report_rules(
    program: &CheckedProgram,
    causes: &[Option<Diagnostic>],
    mut fires: FxHashSet<Span>,
    found: &mut Vec<Diagnostic>,
) {
    for (rule, cause) in program.rules.iter().zip(causes) {
        if cause.is_none() || rule.head.signature().is_auxiliary() {
            fires.insert(rule.span);
        }
    }
    for (rule, cause) in program.rules.iter().zip(causes) {
        if fires.insert(rule.span) {
            found.extend(cause.clone());
        }
    }
}

/// Reports each cycle of predicates that hold only if one of them holds already.
fn report_cycles(
    program: &CheckedProgram,
    is_game: bool,
    causes: &[Option<Diagnostic>],
    shapes: &Shapes,
    found: &mut Vec<Diagnostic>,
) {
    let rules: Vec<&Clause> =
        program.rules.iter().zip(causes).filter(|(_, cause)| cause.is_none()).map(|(rule, _)| rule).collect();
    let impossible = impossible(&rules, program, is_game, shapes);
    let number = |atom: &Atom| impossible.get(&atom.signature()).copied();
    let mut waits: DiGraph<(), ()> = DiGraph::new();
    impossible.iter().for_each(|_| _ = waits.add_node(()));
    for rule in &rules {
        let Some(head) = number(&rule.head) else { continue };
        positive(rule)
            .filter_map(number)
            .for_each(|read| _ = waits.add_edge(NodeIndex::new(head), NodeIndex::new(read), ()));
    }
    let mut component_of = vec![0; impossible.len()];
    let components = kosaraju_scc(&waits);
    for (i, component) in components.iter().enumerate() {
        component.iter().for_each(|&node| component_of[node.index()] = i);
    }
    // A component is a cause if each of its rules waits for the component and no rule for another.
    let mut is_cause = vec![true; components.len()];
    let mut waiting: Vec<Option<(&Clause, &Atom)>> = vec![None; components.len()];
    for rule in rules {
        let Some(component) = number(&rule.head).map(|head| component_of[head]) else { continue };
        let within = positive(rule).find(|atom| number(atom).is_some_and(|read| component_of[read] == component));
        let outside = positive(rule).filter_map(number).any(|read| component_of[read] != component);
        is_cause[component] &= within.is_some() && !outside;
        if let Some(atom) = within {
            waiting[component].get_or_insert((rule, atom));
        }
    }
    for (rule, atom) in waiting.into_iter().zip(is_cause).filter_map(|(waiting, is_cause)| waiting.filter(|_| is_cause))
    {
        let head = rule.head.signature();
        if !head.is_auxiliary() {
            found.push(
                Diagnostic::warning(
                    Code::NeverFires,
                    format!("`{head}` never holds: each of its rules waits for `{head}` itself"),
                )
                .at(atom.span, "this holds no earlier than the head")
                .help("add a fact or a rule to begin with"),
            );
        }
    }
}

/// The predicates that cannot hold, numbered in the order of their rules.
fn impossible(
    rules: &[&Clause],
    program: &CheckedProgram,
    is_game: bool,
    shapes: &Shapes,
) -> FxHashMap<Predicate, usize> {
    let mut missing: Vec<usize> = vec![0; rules.len()];
    let mut readers: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
    let stated = program.facts.iter().map(Atom::signature).chain(program.changed());
    let given: FxHashSet<Predicate> = stated.chain(shapes.given.iter().cloned()).collect();
    let is_state = |predicate: &Predicate| {
        matches!((predicate.name.written(), predicate.arity), (Some("true"), 1) | (Some("does"), 2))
    };
    let needs_rule = |predicate: &Predicate| {
        shapes.is_defined(predicate) && !given.contains(predicate) && !(is_game && is_state(predicate))
    };
    let mut possible: FxHashSet<Predicate> = FxHashSet::default();
    let mut open: Vec<Predicate> = Vec::new();
    for (i, rule) in rules.iter().enumerate() {
        for atom in positive(rule) {
            let predicate = atom.signature();
            if needs_rule(&predicate) {
                missing[i] += 1;
                readers.entry(predicate).or_default().push(i);
            }
        }
        if missing[i] == 0 {
            open.push(rule.head.signature());
        }
    }
    while let Some(predicate) = open.pop() {
        if !possible.insert(predicate.clone()) {
            continue;
        }
        for &reader in readers.get(&predicate).into_iter().flatten() {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                open.push(rules[reader].head.signature());
            }
        }
    }
    let mut impossible = FxHashMap::default();
    for rule in rules {
        let head = rule.head.signature();
        if !given.contains(&head) && !possible.contains(&head) {
            let number = impossible.len();
            impossible.entry(head).or_insert(number);
        }
    }
    impossible
}

fn positive(rule: &Clause) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    })
}

/// The facts that may hold.
struct Shapes<'a> {
    /// The arguments of the facts and heads of each predicate; of `true` and `does` in a game, those that the game
    /// gives.
    known: FxHashMap<Predicate, Vec<TermShape<'a>>>,
    /// Predicates of which there are facts besides.
    given: &'a [Predicate],
}

impl<'a> Shapes<'a> {
    fn new(program: &'a CheckedProgram, given: &'a [Predicate], is_game: bool) -> Self {
        let mut shapes = Self { known: FxHashMap::default(), given };
        for head in program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head)) {
            shapes.add(head.signature(), &head.args);
            match (head.predicate.written(), head.args.len()) {
                (Some("init" | "next"), 1) if is_game => shapes.add(Predicate::new("true", 1), &head.args),
                (Some("legal"), 2) if is_game => shapes.add(Predicate::new("does", 2), &head.args),
                _ => {}
            }
        }
        for effect in program.transitions.iter().flat_map(|transition| &transition.effects) {
            if let Effect::Add(atom) = effect {
                shapes.add(atom.signature(), &atom.args);
            }
        }
        given.iter().for_each(|predicate| _ = shapes.known.remove(predicate));
        shapes
    }

    fn add(&mut self, predicate: Predicate, args: &'a [Term]) {
        let shapes = self.known.entry(predicate).or_default();
        shapes.resize_with(args.len(), TermShape::default);
        shapes.iter_mut().zip(args).for_each(|(shape, arg)| shape.add(arg));
    }

    /// Whether a fact or head has this predicate.
    fn is_defined(&self, predicate: &Predicate) -> bool {
        self.known.contains_key(predicate)
    }

    /// Whether a fact or head may match the atom, or the predicate is an input.
    fn admit(&self, atom: &Atom) -> bool {
        let shapes = self.known.get(&atom.signature());
        shapes.is_none_or(|shapes| shapes.iter().zip(&atom.args).all(|(shape, arg)| shape.admits(arg)))
    }
}
