//! The well-founded model by its definition (A. Van Gelder, K. Ross, J. Schlipf, *The well-founded semantics for general logic
//! programs*, JACM 1991), written to be obviously correct: the rules are made ground, and what is known grows by heads of rules
//! whose bodies are true, and by the greatest unfounded set, until neither adds anything. No strata, no components.

use super::matches;
use ludolog::analysis::clause::{Literal, StratifiedProgram};
use ludolog::syntax::ast::{Atom, Comparator, Name, Predicate, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A ground atom.
pub type Fact = (Predicate, Vec<Term>);
type Substitution = BTreeMap<Name, Term>;

/// A rule without variables. A negative literal with variables of its own says that none of its instances holds.
struct GroundRule {
    head: Fact,
    positive: Vec<Fact>,
    negative: Vec<Fact>,
}

/// The true and the undefined facts.
#[derive(Debug, Default, PartialEq)]
pub struct Model {
    pub truths: BTreeSet<Fact>,
    pub undefined: BTreeSet<Fact>,
}

/// The well-founded model of a program with more facts.
pub fn model(program: &StratifiedProgram, more: impl IntoIterator<Item = Atom>) -> Model {
    let given: BTreeSet<Fact> = program.program.facts.iter().cloned().chain(more).map(|atom| fact(&atom)).collect();
    let (atoms, rules) = ground(program, &given);
    let mut truths = BTreeSet::new();
    let mut falsehoods = BTreeSet::new();
    loop {
        let before = (truths.len(), falsehoods.len());
        let is_true = |rule: &&GroundRule| {
            rule.positive.iter().all(|fact| truths.contains(fact))
                && rule.negative.iter().all(|fact| falsehoods.contains(fact))
        };
        let new: Vec<Fact> =
            given.iter().cloned().chain(rules.iter().filter(is_true).map(|rule| rule.head.clone())).collect();
        let unfounded = greatest_unfounded_set(&atoms, &given, &rules, &truths, &falsehoods);
        truths.extend(new);
        falsehoods.extend(unfounded);
        if (truths.len(), falsehoods.len()) == before {
            let is_undefined = |fact: &&Fact| !truths.contains(*fact) && !falsehoods.contains(*fact);
            let undefined = atoms.iter().filter(is_undefined).cloned().collect();
            return Model { truths, undefined };
        }
    }
}

/// The greatest set of atoms each of whose rules has a literal that is false, or a positive one that is in the set. What is not in
/// it has support: a rule without a false literal whose positive literals have support.
fn greatest_unfounded_set(
    atoms: &BTreeSet<Fact>,
    given: &BTreeSet<Fact>,
    rules: &[GroundRule],
    truths: &BTreeSet<Fact>,
    falsehoods: &BTreeSet<Fact>,
) -> BTreeSet<Fact> {
    let mut supported = given.clone();
    loop {
        let before = supported.len();
        for rule in rules {
            let is_false = rule.positive.iter().any(|fact| falsehoods.contains(fact))
                || rule.negative.iter().any(|fact| truths.contains(fact));
            if !is_false && rule.positive.iter().all(|fact| supported.contains(fact)) {
                supported.insert(rule.head.clone());
            }
        }
        if supported.len() == before {
            return atoms.difference(&supported).cloned().collect();
        }
    }
}

/// All atoms that hold if every negation does, and the instances of the rules over them. All others are false.
fn ground(program: &StratifiedProgram, given: &BTreeSet<Fact>) -> (BTreeSet<Fact>, Vec<GroundRule>) {
    let mut atoms = given.clone();
    loop {
        let mut rules = Vec::new();
        for rule in &program.program.rules {
            let without: Vec<&Literal> =
                rule.body.iter().filter(|literal| !matches!(literal, Literal::Negative(_))).collect();
            for binding in solutions(&without, &atoms) {
                let mut positive = Vec::new();
                let mut negative = Vec::new();
                for literal in &rule.body {
                    match literal {
                        Literal::Positive(atom) => positive.push(instance(atom, &binding)),
                        Literal::Negative(atom) => negative.extend(matching(atom, &binding, &atoms)),
                        _ => {}
                    }
                }
                rules.push(GroundRule { head: instance(&rule.head, &binding), positive, negative });
            }
        }
        let before = atoms.len();
        atoms.extend(rules.iter().map(|rule| rule.head.clone()));
        if atoms.len() == before {
            return (atoms, rules);
        }
    }
}

fn fact(atom: &Atom) -> Fact {
    (atom.signature(), atom.args.clone())
}

fn instance(atom: &Atom, binding: &Substitution) -> Fact {
    (atom.signature(), atom.args.iter().map(|arg| substitute(arg, binding)).collect())
}

fn substitute(term: &Term, binding: &Substitution) -> Term {
    term.replace_variables(&mut |name| binding.get(name).cloned())
}

/// The atoms that are instances of one.
fn matching(atom: &Atom, binding: &Substitution, atoms: &BTreeSet<Fact>) -> Vec<Fact> {
    let is_instance = |(predicate, args): &&Fact| {
        let mut binding = binding.clone();
        *predicate == atom.signature()
            && atom.args.iter().zip(args).all(|(arg, value)| matches(arg, value, &mut binding))
    };
    atoms.iter().filter(is_instance).cloned().collect()
}

/// All bindings under which literals without negation hold, from left to right.
fn solutions(body: &[&Literal], atoms: &BTreeSet<Fact>) -> Vec<Substitution> {
    body.iter().fold(vec![Substitution::new()], |bindings, literal| {
        bindings.iter().flat_map(|binding| extensions(literal, binding, atoms)).collect()
    })
}

fn extensions(literal: &Literal, binding: &Substitution, atoms: &BTreeSet<Fact>) -> Vec<Substitution> {
    match literal {
        Literal::Positive(atom) => {
            let extended = matching(atom, binding, atoms).into_iter().map(|(_, args)| {
                let mut extended = binding.clone();
                atom.args.iter().zip(&args).for_each(|(arg, value)| _ = matches(arg, value, &mut extended));
                extended
            });
            extended.collect()
        }
        Literal::Compare(comparison) => {
            let [left, right] = [&comparison.left, &comparison.right].map(|side| sum(&substitute(side, binding)));
            let mut extended = binding.clone();
            let holds = match comparison.comparator {
                Comparator::Is => matches!(right, Term::Integer(_)) && matches(&left, &right, &mut extended),
                Comparator::NotEqual => left != right,
                Comparator::Less => matches!((&left, &right), (Term::Integer(a), Term::Integer(b)) if a < b),
                other => panic!("random programs have no {other:?}"),
            };
            if holds { vec![extended] } else { Vec::new() }
        }
        other => panic!("random programs have no {other:?}"),
    }
}

/// A term with its sum computed, if it is one of integers.
fn sum(term: &Term) -> Term {
    match term {
        Term::Compound(name, args) => match (&**name, &args[..]) {
            ("+", [Term::Integer(a), Term::Integer(b)]) => Term::Integer(a + b),
            _ => term.clone(),
        },
        _ => term.clone(),
    }
}
