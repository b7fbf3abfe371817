//! The description of an engine: all that is known of it before it is loaded.

use super::Engine;
use ludolog_logic::optimize::{CostModel, OptimizedProgram};
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;
use std::sync::Arc;

/// A function that constructs an engine within a budget.
pub type Make = dyn Fn(&OptimizedProgram, &Budget) -> Result<Box<dyn Engine>, Stopped> + Send + Sync;

/// The constructor of an engine.
#[derive(Clone)]
pub enum Load {
    /// Of an engine without settings of its own.
    Plain(&'static Make),
    /// Of one with settings of its own, as the processes that it runs on.
    Configured(Arc<Make>),
}

/// The description of an engine: what others must know to choose it, to prepare a program for it, and to load it. Two
/// descriptions are equal if their names are.
///
/// Operations that some engines have and others have not are no part of it: an [`Engine`] tells them itself.
#[derive(Clone)]
pub struct EngineDescription {
    /// The name that users choose it by.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// The cost model that the optimizer plans with.
    pub cost_model: CostModel,
    /// Whether it runs optimized programs. Otherwise it needs the program as written.
    pub optimized: bool,
    /// Whether a run stops when its budget ends. Otherwise only ending the process stops it.
    pub interrupt: bool,
    /// Whether predicates that depend on their own negation get their well-founded model. Otherwise such a program is refused.
    pub well_founded: bool,
    /// Whether predicates with lattice columns are derived. Otherwise a program that has them is refused.
    pub lattices: bool,
    /// Whether rules choose. Otherwise a program in which some do is refused.
    pub choices: bool,
    /// Constructs it. Callers use [`load`](Self::load), which refuses what the engine cannot run.
    pub make: Load,
    /// Constructs it so that it records derivations for [`Explain`](super::Explain), which costs a few words per fact; `None` if
    /// it cannot explain.
    pub make_recording: Option<Load>,
}

impl EngineDescription {
    /// Loads a program.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine has no well-founded semantics, no lattice columns or no choices and the program needs them,
    /// or [`Stopped`], when the budget ends.
    pub fn load(&self, program: &OptimizedProgram, budget: &Budget) -> Result<Box<dyn Engine>, Stopped> {
        self.load_by(&self.make, program, budget)
    }

    /// Loads a program so that the engine [explains](Engine::as_explain) what it derives.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load), and [`Stopped::Unsupported`], when the engine cannot record derivations.
    pub fn load_recording(&self, program: &OptimizedProgram, budget: &Budget) -> Result<Box<dyn Engine>, Stopped> {
        let name = self.name;
        match &self.make_recording {
            Some(make) => self.load_by(make, program, budget),
            None => Err(Stopped::Unsupported(format!("the engine {name} cannot explain what it derives"))),
        }
    }

    fn load_by(&self, make: &Load, program: &OptimizedProgram, budget: &Budget) -> Result<Box<dyn Engine>, Stopped> {
        if !self.well_founded && !program.stratified.program.three_valued.is_empty() {
            let name = self.name;
            return Err(Stopped::Unsupported(format!(
                "the engine {name} cannot run a predicate that depends on its own negation; the engine semi-naive can"
            )));
        }
        if !self.lattices
            && let Some(predicate) = program.stratified.program.lattices.keys().min()
        {
            let name = self.name;
            return Err(Stopped::Unsupported(format!(
                "the engine {name} cannot run `{predicate}`, which keeps the best value of a column; the engine semi-naive can"
            )));
        }
        if let Some((choice, _)) = program.stratified.program.choices.iter().next().filter(|_| !self.choices) {
            let name = self.name;
            let head = choice.name.origin();
            return Err(Stopped::Unsupported(format!(
                "the engine {name} cannot choose, as a rule for `{head}` does; the engine semi-naive can"
            )));
        }
        match make {
            Load::Plain(make) => make(program, budget),
            Load::Configured(make) => make(program, budget),
        }
    }

    /// Whether the engine has an [optional](super::optional) operation, as one without a program tells.
    pub fn has(&self, operation: impl FnOnce(&mut dyn Engine) -> bool) -> bool {
        let empty = self.load(&OptimizedProgram::default(), &Budget::unlimited());
        empty.is_ok_and(|mut engine| operation(&mut *engine))
    }
}

impl PartialEq for EngineDescription {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for EngineDescription {}

impl fmt::Debug for EngineDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for EngineDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
