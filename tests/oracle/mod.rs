//! A naive bottom-up evaluator, written to be obviously correct: facts are a set of ground atoms, a rule joins all
//! facts, each stratum is repeated until no fact is new, and every update starts from the given facts.

use ludolog::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog::engine::{Answers, Budget, Engine, Refused, Stopped, Work};
use ludolog::syntax::ast::{Atom, Comparator, Effect, Name, Predicate, Term};
use std::collections::{BTreeMap, BTreeSet};

type Fact = (Predicate, Vec<Term>);
type Substitution = BTreeMap<Name, Term>;

pub struct Oracle {
    program: StratifiedProgram,
    given: BTreeSet<Fact>,
    /// The perfect model as of the last update.
    model: BTreeSet<Fact>,
}

impl Oracle {
    pub fn new(program: &StratifiedProgram) -> Self {
        let given = program.program.facts.iter().map(fact).collect();
        Self { program: program.clone(), given, model: BTreeSet::new() }
    }

    fn perfect_model(&self, given: &BTreeSet<Fact>) -> BTreeSet<Fact> {
        let mut model = given.clone();
        for stratum in &self.program.strata {
            let rules = || self.program.program.rules.iter().filter(|rule| stratum.contains(&rule.head.signature()));
            loop {
                let derived: Vec<Fact> = rules()
                    .flat_map(|rule| {
                        let bindings = solutions(&rule.body, &model);
                        bindings.into_iter().map(|binding| instance(&rule.head, &binding)).collect::<Vec<_>>()
                    })
                    .collect();
                let before = model.len();
                model.extend(derived);
                if model.len() == before {
                    break;
                }
            }
        }
        model
    }
}

impl Engine for Oracle {
    fn insert(&mut self, atom: &Atom) -> Result<bool, Refused> {
        match atom.is_ground() {
            true => Ok(self.given.insert(fact(atom))),
            false => Err(Refused::NotGround(atom.clone())),
        }
    }

    fn retract(&mut self, atom: &Atom) -> Result<bool, Refused> {
        Ok(self.given.remove(&fact(atom)))
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.given.retain(|(other, _)| other != predicate);
        self.given.extend(facts.iter().map(fact));
        Ok(())
    }

    fn update(&mut self, _budget: &Budget) -> Result<(), Stopped> {
        self.model = self.perfect_model(&self.given);
        Ok(())
    }

    fn solve(&mut self, goal: &Goal, first: bool, _budget: &Budget) -> Answers {
        let answers: BTreeSet<Vec<Term>> = solutions(&goal.body, &self.model)
            .iter()
            .map(|binding| goal.variables.iter().map(|name| binding[name].clone()).collect())
            .collect();
        let wanted = if first { 1 } else { usize::MAX };
        Answers { rows: answers.into_iter().take(wanted).collect(), stopped: None }
    }

    fn fire(&mut self, event: &Atom, _budget: &Budget) -> Result<(), Stopped> {
        let mut with_event = self.given.clone();
        with_event.insert(fact(event));
        let old = self.perfect_model(&with_event);
        let (mut deletions, mut additions) = (BTreeSet::new(), BTreeSet::new());
        for transition in &self.program.program.transitions {
            for binding in solutions(&transition.conditions, &old) {
                for effect in &transition.effects {
                    match effect {
                        Effect::Delete(atom) => deletions.insert(instance(atom, &binding)),
                        Effect::Add(atom) => additions.insert(instance(atom, &binding)),
                    };
                }
            }
        }
        self.given.retain(|fact| !deletions.contains(fact));
        self.given.extend(additions);
        Ok(())
    }

    fn facts(&mut self, predicate: &Predicate, _budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        let of_predicate = self.model.iter().filter(|(p, _)| p == predicate);
        Ok(of_predicate.map(|(p, args)| Atom::new(&p.name, args.clone())).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let heads = self.program.program.rules.iter().map(|rule| rule.head.signature());
        let all: BTreeSet<Predicate> = heads.chain(self.given.iter().map(|(p, _)| p.clone())).collect();
        all.into_iter().filter(|predicate| !predicate.is_auxiliary()).collect()
    }

    fn work(&self) -> Work {
        Work::default()
    }
}

fn fact(atom: &Atom) -> Fact {
    (atom.signature(), atom.args.clone())
}

fn instance(atom: &Atom, binding: &Substitution) -> Fact {
    (atom.signature(), atom.args.iter().map(|arg| substitute(arg, binding)).collect())
}

fn substitute(term: &Term, binding: &Substitution) -> Term {
    match term {
        Term::Variable(name) => binding.get(name).unwrap_or(term).clone(),
        Term::Integer(_) | Term::Symbol(_) => term.clone(),
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

/// All bindings under which a conjunction holds, from left to right.
fn solutions(body: &[Literal], model: &BTreeSet<Fact>) -> Vec<Substitution> {
    body.iter().fold(vec![Substitution::new()], |bindings, literal| {
        bindings.iter().flat_map(|binding| extensions(literal, binding, model)).collect()
    })
}

/// All extensions of `binding` under which a literal holds.
fn extensions(literal: &Literal, binding: &Substitution, model: &BTreeSet<Fact>) -> Vec<Substitution> {
    let holds = |condition: bool| if condition { vec![binding.clone()] } else { Vec::new() };
    match literal {
        Literal::Positive(atom) => instances(atom, binding, model),
        Literal::Negative(atom) => holds(instances(atom, binding, model).is_empty()),
        Literal::Member { element, list, negated, .. } => {
            let elements = elements(&substitute(list, binding));
            let found = elements.iter().filter_map(|value| extension(element, value, binding));
            if *negated { holds(found.count() == 0) } else { found.collect() }
        }
        Literal::Compare(comparison) => {
            let left = substitute(&comparison.left, binding);
            let right = substitute(&comparison.right, binding);
            let integers = integer(&left).zip(integer(&right));
            match comparison.comparator {
                Comparator::Is if !left.is_ground() => {
                    integer(&right).and_then(|n| extension(&left, &Term::Integer(n), binding)).into_iter().collect()
                }
                Comparator::Equal if !left.is_ground() => {
                    extension(&left, &computed(&right), binding).into_iter().collect()
                }
                Comparator::Equal if !right.is_ground() => {
                    extension(&right, &computed(&left), binding).into_iter().collect()
                }
                Comparator::Equal => holds(computed(&left) == computed(&right)),
                Comparator::NotEqual => holds(computed(&left) != computed(&right)),
                Comparator::Is => holds(integers.is_some_and(|(a, b)| a == b)),
                Comparator::Less => holds(integers.is_some_and(|(a, b)| a < b)),
                Comparator::LessOrEqual => holds(integers.is_some_and(|(a, b)| a <= b)),
                Comparator::Greater => holds(integers.is_some_and(|(a, b)| a > b)),
                Comparator::GreaterOrEqual => holds(integers.is_some_and(|(a, b)| a >= b)),
            }
        }
        Literal::NotCompare(comparison) => {
            let positive = Literal::Compare(comparison.clone());
            holds(extensions(&positive, binding, model).is_empty())
        }
    }
}

fn instances(atom: &Atom, binding: &Substitution, model: &BTreeSet<Fact>) -> Vec<Substitution> {
    let signature = atom.signature();
    let facts = model.iter().filter(|(predicate, _)| *predicate == signature);
    facts
        .filter_map(|(_, values)| {
            let mut extended = binding.clone();
            atom.args.iter().zip(values).all(|(arg, value)| matches(arg, value, &mut extended)).then_some(extended)
        })
        .collect()
}

fn extension(pattern: &Term, value: &Term, binding: &Substitution) -> Option<Substitution> {
    let mut extended = binding.clone();
    matches(pattern, value, &mut extended).then_some(extended)
}

fn elements(list: &Term) -> Vec<Term> {
    let (mut elements, mut list) = (Vec::new(), list);
    while let Term::Compound(name, args) = list
        && let ("cons", [first, rest]) = (&**name, &**args)
    {
        elements.push(first.clone());
        list = rest;
    }
    elements
}

/// The integer that a ground term evaluates to; `None` if there is none.
fn integer(term: &Term) -> Option<i64> {
    match term {
        Term::Integer(n) => Some(*n),
        Term::Variable(_) | Term::Symbol(_) => None,
        Term::Compound(name, args) => match (&**name, &**args) {
            ("-", [a]) => integer(a)?.checked_neg(),
            ("+", [a, b]) => integer(a)?.checked_add(integer(b)?),
            ("-", [a, b]) => integer(a)?.checked_sub(integer(b)?),
            ("*", [a, b]) => integer(a)?.checked_mul(integer(b)?),
            ("/", [a, b]) => floor_divide(integer(a)?, integer(b)?),
            ("mod", [a, b]) => {
                let (a, b) = (integer(a)?, integer(b)?);
                // a - b * floor(a / b) does not overflow 128 bits.
                (b != 0).then(|| i128::from(a) - i128::from(b) * floor(a, b)).and_then(|n| n.try_into().ok())
            }
            _ => None,
        },
    }
}

fn floor_divide(a: i64, b: i64) -> Option<i64> {
    (b != 0).then(|| floor(a, b)).and_then(|n| n.try_into().ok())
}

/// The greatest integer that is at most `a / b`.
fn floor(a: i64, b: i64) -> i128 {
    let (a, b) = if b < 0 { (-i128::from(a), -i128::from(b)) } else { (i128::from(a), i128::from(b)) };
    a.div_euclid(b)
}

/// A ground term with its arithmetic evaluated where possible.
fn computed(term: &Term) -> Term {
    match (integer(term), term) {
        (Some(n), _) => Term::Integer(n),
        (None, Term::Compound(name, args)) => Term::Compound(name.clone(), args.iter().map(computed).collect()),
        (None, _) => term.clone(),
    }
}
