//! The available engines, each with the description by which other crates choose and load it.

use crate::contract::{Capabilities, Engine};
use crate::resolution::Resolution;
use crate::semi_naive::SemiNaive;
use ludolog_logic::optimize::{OptimizedProgram, Target};
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;

/// Constructor of an engine within a budget. The flag makes it record derivations.
type Load = dyn Fn(&OptimizedProgram, bool, &Budget) -> Result<Box<dyn Engine>, Stopped> + Send + Sync;

/// The description of an engine: name, capabilities, cost model and constructor. Two descriptions are equal if their
/// names are.
pub struct EngineDescription {
    /// The name that users choose it by.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// The optional operations that it supports.
    pub capabilities: Capabilities,
    /// The cost model that the optimizer plans with.
    pub target: Target,
    /// Constructs the engine. Callers use [`EngineDescription::load`], which checks the capabilities.
    pub make: &'static Load,
}

impl EngineDescription {
    /// Loads a program. With `record`, the engine records derivations for [`Engine::derivation`], which costs a few
    /// words per fact.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine cannot record derivations or has no well-founded semantics, or [`Stopped`], when the
    /// budget ends.
    pub fn load(&self, program: &OptimizedProgram, record: bool, budget: &Budget) -> Result<Box<dyn Engine>, Stopped> {
        let name = self.name;
        if record && !self.capabilities.explain {
            return Err(Stopped::Unsupported(format!("the engine {name} cannot explain what it derives")));
        }
        if !self.capabilities.well_founded && !program.stratified.program.three_valued.is_empty() {
            return Err(Stopped::Unsupported(format!(
                "the engine {name} cannot run a predicate that depends on its own negation; the engine semi-naive can"
            )));
        }
        (self.make)(program, record, budget)
    }

    /// The time that a unit of [`Work`](crate::contract::Work), a probe or a derived fact, takes on common hardware, in
    /// nanoseconds: to compare the work of different engines. It is the median of the games of the GDL corpus in which a state takes some
    /// hundred units and more; the smaller the game, the more a unit takes, up to eight times as much.
    pub fn work_nanoseconds(&self) -> u64 {
        match self.target {
            Target::SemiNaive => 44,
            Target::Resolution => 23,
        }
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

/// The bottom-up engine, which derives each fact once: the default.
pub static SEMI_NAIVE: EngineDescription = EngineDescription {
    name: "semi-naive",
    summary: "Bottom-up, each fact once",
    capabilities: Capabilities {
        explain: true,
        count: true,
        retract: true,
        interrupt: true,
        optimized: true,
        rows: true,
        profile: true,
        threads: true,
        changes: false,
        well_founded: true,
    },
    target: Target::SemiNaive,
    make: &|program, record, budget| Ok(Box::new(SemiNaive::load(program, record, budget)?)),
};

/// The top-down engine: left to right, without memory.
pub static RESOLUTION: EngineDescription = EngineDescription {
    name: "resolution",
    summary: "Top-down, left to right, without memory",
    capabilities: Capabilities {
        explain: false,
        count: false,
        retract: true,
        interrupt: true,
        optimized: true,
        rows: true,
        profile: false,
        threads: false,
        changes: false,
        well_founded: false,
    },
    target: Target::Resolution,
    make: &|program, _, budget| Ok(Box::new(Resolution::load(program, budget)?)),
};

/// The engines of this crate, in the order in which they are listed to users. Adding an engine adds one line here.
pub static ENGINES: [&EngineDescription; 2] = [&RESOLUTION, &SEMI_NAIVE];
