//! The engines there are, described: all that other rooms need to know to choose one and load it.

use crate::contract::{Capabilities, Engine};
use crate::resolution::Resolution;
use crate::semi_naive::SemiNaive;
use ludolog_logic::optimize::{OptimizedProgram, Target};
use ludolog_syntax::budget::Stopped;
use std::fmt;

/// How an engine is loaded. The flag asks it to record derivations.
type Load = fn(&OptimizedProgram, bool) -> Box<dyn Engine>;

/// An engine by name: what it is, what it can do, what its work costs, and how it is loaded.
pub struct EngineDescription {
    /// The name that users choose it by.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// What it can do beyond answering.
    pub capabilities: Capabilities,
    /// The cost model that the optimizer plans with.
    pub target: Target,
    /// Makes an engine. Callers use [`EngineDescription::load`].
    pub make: Load,
}

impl EngineDescription {
    /// Loads a program. With `record`, derivations can be asked for afterwards, at a few words a fact.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine cannot record derivations.
    pub fn load(&self, program: &OptimizedProgram, record: bool) -> Result<Box<dyn Engine>, Stopped> {
        match record && !self.capabilities.explain {
            true => Err(Stopped::Unsupported(format!("the engine {} cannot explain what it derives", self.name))),
            false => Ok((self.make)(program, record)),
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

/// Bottom-up, each fact once: the default.
pub static SEMI_NAIVE: EngineDescription = EngineDescription {
    name: "semi-naive",
    summary: "Bottom-up, each fact once",
    capabilities: Capabilities { explain: true, count: true, retract: true, interrupt: true, optimized: true },
    target: Target::SemiNaive,
    make: |program, record| match record {
        true => Box::new(SemiNaive::recording(program)),
        false => Box::new(SemiNaive::new(program)),
    },
};

/// Top-down, left to right, without memory.
pub static RESOLUTION: EngineDescription = EngineDescription {
    name: "resolution",
    summary: "Top-down, left to right, without memory",
    capabilities: Capabilities { explain: false, count: false, retract: true, interrupt: true, optimized: true },
    target: Target::Resolution,
    make: |program, _| Box::new(Resolution::new(program)),
};

/// The engines of this crate, in the order in which users read them. A new engine is one more line here.
pub static ENGINES: [&EngineDescription; 2] = [&RESOLUTION, &SEMI_NAIVE];
