//! An engine of one's own: naive bottom-up evaluation, to be chosen beside the engines of the library.
//!
//! Run with `cargo run --example toy_engine -- tests/programs/strata.dl 'calm(X)' --engine toy`.

use ludolog::analysis::clause::{Goal, Literal};
use ludolog::engine::contract::Openness;
use ludolog::engine::{Answers, Load, Refused, Work};
use ludolog::optimize::{CostModel, OptimizedProgram};
use ludolog::prelude::*;
use ludolog::syntax::ast::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The engine as it is known before it is loaded.
pub const TOY: EngineDescription = EngineDescription {
    name: "toy",
    summary: "Bottom-up, everything again and again",
    cost_model: CostModel {
        name: "naive",
        calls: false,
        rounds: false,
        closures: false,
        ranges: false,
        proves_once: false,
        work_nanoseconds: 1000,
    },
    optimized: true,
    interrupt: true,
    well_founded: false,
    lattices: false,
    choices: false,
    make: Load::Plain(&|program, _| Ok(Box::new(Toy::new(program)))),
    make_recording: None,
};

type Bindings = BTreeMap<Name, Term>;
type Facts = BTreeMap<Predicate, BTreeSet<Vec<Term>>>;

/// A program with its given facts, and with all facts as of the last update.
struct Toy {
    program: OptimizedProgram,
    given: Facts,
    all: Facts,
}

impl Toy {
    fn new(program: &OptimizedProgram) -> Toy {
        let mut given = Facts::new();
        for fact in &program.stratified.program.facts {
            given.entry(fact.signature()).or_default().insert(fact.args.clone());
        }
        Toy { program: program.clone(), given, all: Facts::new() }
    }

    /// The bindings under which a body holds.
    fn solutions(&self, body: &[Literal], budget: &Budget) -> Result<Vec<Bindings>, Stopped> {
        let mut solutions = vec![Bindings::new()];
        for literal in body {
            let mut next = Vec::new();
            for bindings in solutions {
                budget.check()?;
                match literal {
                    Literal::Positive(atom) => next.extend(self.matches(atom, &bindings)),
                    Literal::Negative(atom) => next.extend(Some(bindings).filter(|b| self.matches(atom, b).is_empty())),
                    _ => return Err(Stopped::Unsupported("the engine toy knows atoms, and nothing else".to_owned())),
                }
            }
            solutions = next;
        }
        Ok(solutions)
    }

    /// The bindings under which an atom is a fact.
    fn matches(&self, atom: &Atom, bindings: &Bindings) -> Vec<Bindings> {
        let matched = |row: &Vec<Term>| {
            let mut bindings = bindings.clone();
            atom.args.iter().zip(row).all(|(arg, term)| unify(arg, term, &mut bindings)).then_some(bindings)
        };
        self.all.get(&atom.signature()).into_iter().flatten().filter_map(matched).collect()
    }
}

/// Whether a ground term is an instance of a pattern, whose variables are bound.
fn unify(pattern: &Term, term: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, term) {
        (Term::Variable(name), _) => bindings.entry(name.clone()).or_insert_with(|| term.clone()) == term,
        (Term::Compound(f, parts), Term::Compound(g, others)) if f == g && parts.len() == others.len() => {
            parts.iter().zip(others).all(|(part, other)| unify(part, other, bindings))
        }
        _ => pattern == term,
    }
}

impl Engine for Toy {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        Openness::of(&self.program).check(fact)?;
        Ok(self.given.entry(fact.signature()).or_default().insert(fact.args.clone()))
    }

    fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        self.all = self.given.clone();
        let program = self.program.stratified.clone();
        for stratum in &program.strata {
            let mut grows = true;
            while std::mem::take(&mut grows) {
                for rule in program.program.rules.iter().filter(|rule| stratum.contains(&rule.head.signature())) {
                    for bindings in self.solutions(&rule.body, budget)? {
                        let value = &mut |name: &Name| bindings.get(name).cloned();
                        let row = rule.head.args.iter().map(|arg| arg.replace_variables(value)).collect();
                        grows |= self.all.entry(rule.head.signature()).or_default().insert(row);
                    }
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        let found = self.solutions(&goal.body, budget);
        let stopped = found.as_ref().err().cloned();
        let row = |bindings: Bindings| goal.variables.iter().map(|name| bindings[name].clone()).collect();
        let rows: BTreeSet<Vec<Term>> = found.unwrap_or_default().into_iter().map(row).collect();
        Answers { rows: rows.into_iter().take(if first { 1 } else { usize::MAX }).collect(), stopped }
    }

    fn fire(&mut self, _: &Atom, _: &Budget) -> Result<(), Stopped> {
        Err(Stopped::Unsupported("the engine toy has no events".to_owned()))
    }

    fn facts(&mut self, predicate: &Predicate, _: &Budget) -> Result<Vec<Atom>, Stopped> {
        let rows = self.all.get(predicate).into_iter().flatten();
        Ok(rows.map(|row| Atom::new(&predicate.name, row.clone())).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let heads = self.program.stratified.program.rules.iter().map(|rule| rule.head.signature());
        let all: BTreeSet<Predicate> = heads.chain(self.all.keys().cloned()).collect();
        all.into_iter().filter(|predicate| !predicate.is_auxiliary()).collect()
    }

    fn work(&self) -> Work {
        Work::default()
    }
}

/// Answers a goal on the engine that is chosen by name.
pub(crate) fn query(file: &str, goal: &str, engine: &str) -> Result<String, Box<dyn std::error::Error>> {
    let engine = ludolog::engines().chain([&TOY]).find(|known| known.name == engine).ok_or("no such engine")?;
    let setting = Setting { engine: engine.clone(), ..Setting::default() };
    let mut session = Session::of_text(&std::fs::read_to_string(file)?, Syntax::Datalog)?.with_setting(setting);
    Ok(session.query(goal)?.to_string())
}

/// Prints the answers to a goal.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, goal, _, engine] = &arguments[..] else { return Err("usage: FILE GOAL --engine NAME".into()) };
    print!("{}", query(file, goal, engine)?);
    Ok(())
}
