//! A naive bottom-up evaluator, written to be obviously correct: facts are a set of ground atoms, a rule joins all
//! facts, each stratum is repeated until no fact is new, and every update starts from the given facts.

pub mod well_founded;

use ludolog::analysis::clause::{Elements, Goal, Literal, StratifiedProgram};
use ludolog::engine::{Answers, Budget, Engine, Refused, Stopped, Work};
use ludolog::syntax::ast::{AggregateFunction, Atom, Comparator, Effect, Name, Predicate, Term};
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
        Literal::Aggregate(aggregation) => {
            let found = instances(&aggregation.atom, binding, model);
            let tuple = &aggregation.atom.args[aggregation.bound..];
            let tuples: BTreeSet<Vec<Term>> =
                found.iter().map(|found| tuple.iter().map(|term| substitute(term, found)).collect()).collect();
            let value = aggregate(aggregation.function, &tuples);
            value.and_then(|value| extension(&aggregation.result, &value, binding)).into_iter().collect()
        }
        Literal::Member { element, elements: source, negated, .. } => {
            let elements = match source {
                Elements::List(list) => elements(&substitute(list, binding)),
                Elements::Range(from, to) => {
                    let bounds = [from, to].map(|bound| integer(&substitute(bound, binding)));
                    let range = bounds[0].zip(bounds[1]).into_iter().flat_map(|(from, to)| from..=to);
                    range.map(Term::Integer).collect()
                }
            };
            let found = elements.iter().filter_map(|value| extension(element, value, binding));
            if *negated { holds(found.count() == 0) } else { found.collect() }
        }
        Literal::Compare(comparison) => {
            let left = substitute(&comparison.left, binding);
            let right = substitute(&comparison.right, binding);
            let integers = integer(&left).zip(integer(&right));
            let order = integers.map(|(a, b)| a.cmp(&b)).or_else(|| Some(symbol(&left)?.cmp(&symbol(&right)?)));
            match comparison.comparator {
                Comparator::Is if !left.is_ground() => {
                    value(&right).and_then(|value| extension(&left, &value, binding)).into_iter().collect()
                }
                Comparator::Equal if !left.is_ground() => {
                    extension(&left, &computed(&right), binding).into_iter().collect()
                }
                Comparator::Equal if !right.is_ground() => {
                    extension(&right, &computed(&left), binding).into_iter().collect()
                }
                Comparator::Equal => holds(computed(&left) == computed(&right)),
                Comparator::NotEqual => holds(computed(&left) != computed(&right)),
                Comparator::Is => holds(value(&right).is_some_and(|right| {
                    integer(&left).map(Term::Integer).or(symbol(&left).map(|name| Term::symbol(&name))) == Some(right)
                })),
                Comparator::SameValue => holds(order.is_some_and(|order| order.is_eq())),
                Comparator::OtherValue => holds(order.is_some_and(|order| order.is_ne())),
                Comparator::Less => holds(order.is_some_and(|order| order.is_lt())),
                Comparator::LessOrEqual => holds(order.is_some_and(|order| order.is_le())),
                Comparator::Greater => holds(order.is_some_and(|order| order.is_gt())),
                Comparator::GreaterOrEqual => holds(order.is_some_and(|order| order.is_ge())),
            }
        }
        Literal::NotCompare(comparison) => {
            let positive = Literal::Compare(comparison.clone());
            holds(extensions(&positive, binding, model).is_empty())
        }
    }
}

/// The value of an aggregate over tuples; `None` if it has none.
fn aggregate(function: AggregateFunction, tuples: &BTreeSet<Vec<Term>>) -> Option<Term> {
    let firsts: Vec<&Term> = tuples.iter().map(|tuple| &tuple[0]).collect();
    let integers: Option<Vec<i64>> =
        firsts.iter().map(|term| if let Term::Integer(n) = term { Some(*n) } else { None }).collect();
    let are_symbols = firsts.iter().all(|term| matches!(term, Term::Symbol(_)));
    let comparable = (integers.is_some() || are_symbols).then(|| firsts.iter().copied().collect::<BTreeSet<&Term>>());
    match function {
        AggregateFunction::Count => Some(Term::Integer(tuples.len() as i64)),
        AggregateFunction::Sum => {
            let sum: i128 = integers?.into_iter().map(i128::from).sum();
            i64::try_from(sum).ok().map(Term::Integer)
        }
        AggregateFunction::Average => {
            let integers = integers?;
            let sum: i128 = integers.iter().copied().map(i128::from).sum();
            // The greatest integer whose product with their number is no more than their sum.
            let count = integers.len() as i128;
            let quotient = if count > 0 { sum / count } else { return None };
            let mean = if quotient * count > sum { quotient - 1 } else { quotient };
            i64::try_from(mean).ok().map(Term::Integer)
        }
        AggregateFunction::Minimum => comparable?.first().map(|term| (*term).clone()),
        AggregateFunction::Maximum => comparable?.last().map(|term| (*term).clone()),
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
            ("abs", [a]) => integer(a)?.checked_abs(),
            ("min", [a, b]) => Some(std::cmp::min(integer(a)?, integer(b)?)),
            ("max", [a, b]) => Some(std::cmp::max(integer(a)?, integer(b)?)),
            ("length", [a]) => Some(symbol(a)?.chars().count() as i64),
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

/// The characters of a symbol, or of the one that an operation makes; `None` if there is none.
fn symbol(term: &Term) -> Option<String> {
    let Term::Compound(name, args) = term else {
        return if let Term::Symbol(name) = term { Some(name.to_string()) } else { None };
    };
    match (&**name, &**args) {
        ("cat", [_, _, ..]) => {
            args.iter().map(|arg| integer(arg).map(|n| n.to_string()).or_else(|| symbol(arg))).collect()
        }
        ("substring", [text, start, length]) => {
            let characters: Vec<char> = symbol(text)?.chars().collect();
            let (start, length) = (usize::try_from(integer(start)?).ok()?, usize::try_from(integer(length)?).ok()?);
            Some(characters.get(start..start.checked_add(length)?)?.iter().collect())
        }
        _ => None,
    }
}

/// What `is` computes of its right side.
fn value(term: &Term) -> Option<Term> {
    let makes_symbols = matches!(term, Term::Compound(name, _) if matches!(&**name, "cat" | "substring"));
    if makes_symbols { symbol(term).map(|name| Term::symbol(&name)) } else { integer(term).map(Term::Integer) }
}

fn floor_divide(a: i64, b: i64) -> Option<i64> {
    (b != 0).then(|| floor(a, b)).and_then(|n| n.try_into().ok())
}

/// The greatest integer that is at most `a / b`.
fn floor(a: i64, b: i64) -> i128 {
    let (a, b) = if b < 0 { (-i128::from(a), -i128::from(b)) } else { (i128::from(a), i128::from(b)) };
    a.div_euclid(b)
}

/// A ground term with its operators evaluated where possible. Functions are terms here.
fn computed(term: &Term) -> Term {
    match (if has_function(term) { None } else { integer(term) }, term) {
        (Some(n), _) => Term::Integer(n),
        (None, Term::Compound(name, args)) => Term::Compound(name.clone(), args.iter().map(computed).collect()),
        (None, _) => term.clone(),
    }
}

fn has_function(term: &Term) -> bool {
    matches!(term, Term::Compound(name, args)
        if name.starts_with(|c: char| c.is_alphabetic()) && &**name != "mod" || args.iter().any(has_function))
}
