//! The engine `crepe`: recognizes a program that is a formulation, and runs the compiled formulation.

use crate::case::{is_of_position, position_of};
use crate::{ALL, Formulation};
use ludolog_engine::semi_naive::{COST_MODEL, SemiNaive};
use ludolog_engine::{
    Answers, Budget, Count, Engine, EngineDescription, Load, Memory, Refused, Retract, Stopped, Work,
};
use ludolog_hex::board::Player;
use ludolog_hex::position::Position;
use ludolog_logic::analysis;
use ludolog_logic::analysis::clause::{CheckedProgram, Goal};
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::diagnostic::Sources;

/// The engine of the compiled Hex formulations.
pub const CREPE: EngineDescription = EngineDescription {
    name: "crepe",
    summary: "The Hex formulations as compiled in",
    cost_model: COST_MODEL,
    optimized: false,
    interrupt: false,
    well_founded: false,
    lattices: false,
    choices: false,
    make: Load::Plain(&|program, _| Ok(Box::new(Crepe::new(program)))),
    make_recording: None,
};

/// A compiled formulation with the facts of a position.
///
/// The program is given as rules, which do not mention compiled code. Each update reads the position from the facts,
/// recognizes the formulation by its rules, runs the compiled program, and holds its facts beside the given ones.
pub struct Crepe {
    program: CheckedProgram,
    given: Vec<Atom>,
    /// The events so far.
    events: Vec<Atom>,
    /// The given and derived facts, in an engine without rules.
    held: SemiNaive,
    /// Whether `held` is up to date.
    is_current: bool,
}

impl Crepe {
    /// The engine for a program as written.
    pub fn new(program: &OptimizedProgram) -> Crepe {
        let mut program = program.stratified.program.clone();
        let given = std::mem::take(&mut program.facts);
        Crepe {
            program,
            given,
            events: Vec::new(),
            held: SemiNaive::new(&OptimizedProgram::default()),
            is_current: false,
        }
    }

    /// Runs the formulation on the position that the facts describe.
    fn run(&self) -> Result<Vec<Atom>, Stopped> {
        let unsupported = |reason: &str| Stopped::Unsupported(format!("the engine crepe {reason}"));
        let position = position_of(self.given.iter().chain(&self.events))
            .ok_or_else(|| unsupported("runs compiled Hex formulations only; give it a --position"))?;
        // The others only for the message: their texts may be large.
        let (compiled, others): (Vec<_>, Vec<_>) = ALL.iter().partition(|formulation| formulation.compiled.is_some());
        let formulation = compiled.into_iter().chain(others).find(|formulation| self.says(formulation, &position));
        let formulation =
            formulation.ok_or_else(|| unsupported("has only the formulations of rules/hex compiled in"))?;
        let compiled =
            formulation.compiled.as_ref().ok_or_else(|| unsupported("has no program for this formulation"))?;
        let run = compiled.prepare(false, true, &position);
        let run = run.ok_or_else(|| unsupported("has no program of this formulation for boards of this size"))?;
        Ok(compiled.facts(&position).unwrap_or_else(|| {
            // A program that represents its relations differently still computes the winner.
            let win = |player: Player| Atom::new("win", vec![Term::symbol(player.name())]);
            run().into_iter().map(win).collect()
        }))
    }

    /// Whether the program is a formulation for this board, and all given facts belong to it or describe the position.
    fn says(&self, formulation: &Formulation, position: &Position) -> bool {
        let Ok(text) = formulation.text(position.board()) else { return false };
        let mut sources = Sources::new();
        let source = sources.add(formulation.name, text);
        let parsed = ludolog_syntax::parse(source, &sources, Syntax::Datalog).into_result();
        let analyzed = parsed.and_then(|program| analysis::analyze(&program));
        analyzed.is_ok_and(|analyzed| {
            let mut program = analyzed.stratified.program;
            let facts = std::mem::take(&mut program.facts);
            program.says_the_same_as(&self.program)
                && facts.iter().all(|fact| self.given.contains(fact))
                && self.given.iter().all(|fact| is_of_position(fact) || facts.contains(fact))
        })
    }
}

impl Engine for Crepe {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        if !fact.is_ground() {
            return Err(Refused::NotGround(fact.clone()));
        }
        let is_new = !self.given.contains(fact);
        if is_new {
            self.given.push(fact.clone());
            self.is_current = false;
        }
        Ok(is_new)
    }

    fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        budget.check()?;
        if !self.is_current {
            let derived = self.run()?;
            self.held = SemiNaive::new(&OptimizedProgram::default());
            for fact in self.given.iter().chain(&derived) {
                self.held.insert(fact)?;
            }
            self.is_current = true;
        }
        Ok(())
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        self.held.solve(goal, first, budget)
    }

    fn fire(&mut self, event: &Atom, _budget: &Budget) -> Result<(), Stopped> {
        self.events.push(event.clone());
        self.is_current = false;
        Ok(())
    }

    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        self.held.facts(predicate, budget)
    }

    fn predicates(&self) -> Vec<Predicate> {
        self.held.predicates()
    }

    fn work(&self) -> Work {
        Work::default()
    }

    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        Some(self)
    }

    fn as_count(&self) -> Option<&dyn Count> {
        Some(self)
    }
}

impl Retract for Crepe {
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused> {
        let Some(at) = self.given.iter().position(|given| given == fact) else { return Ok(false) };
        self.given.remove(at);
        self.is_current = false;
        Ok(true)
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.given.retain(|given| given.signature() != *predicate);
        self.is_current = false;
        facts.iter().try_for_each(|fact| self.insert(fact).map(|_| ()))
    }
}

impl Count for Crepe {
    fn count(&self, predicate: &Predicate) -> u64 {
        self.held.count(predicate)
    }

    fn memory(&self) -> Memory {
        self.held.memory()
    }
}
