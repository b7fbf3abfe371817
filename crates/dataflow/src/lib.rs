//! Rules as a differential dataflow: on several threads, processes and machines, and kept up to date when facts come and go.
//!
//! ```text
//! rules ─Plan→ Graph on every worker      facts ─owner by hash→ workers ─exchange by key→ joins → facts, held by their owners
//! ```
//!
//! Each rule is a few operators of timely dataflow (Murray and others, *Naiad: a timely dataflow system*, 2013), each recursive stratum
//! a loop. There are two kinds of operators. While facts stay as they are, a row costs little more than its entry in a hash
//! set. When they come and go, operators are those of differential dataflow (McSherry, Murray, Isaacs and Isard, *Differential
//! dataflow*, CIDR 2013), which keep what they have read, indexed, and hand on changes: an update costs what it changes, at
//! the price of memory, since every join keeps both of its sides.
//!
//! * `engine`: the [`Engine`](ludolog_engine::Engine): commands for workers; `given`: the given facts.
//! * `crew`: the workers of this process; `plan`: what they build.
//! * `worker`: what a worker does with them.
//! * `graph`: inputs, strata and loops; the rows that a worker owns.
//! * `rules`: rules as joins, differences and reductions.
//! * `operators`: what these are made of; `once`, `incremental`: the two kinds; `distinct`: derivations that come and go;
//!   `best`: rows whose values are joined.
//! * `stage`: what happens between them: comparisons, arithmetic, members.
//! * `row`, `terms`: rows of ids, and ids as contents on their way to another worker.

mod best;
mod crew;
mod distinct;
mod engine;
mod given;
mod graph;
mod incremental;
mod once;
mod operators;
mod plan;
mod row;
mod rules;
mod stage;
mod terms;
mod worker;

pub use engine::Dataflow;
pub use ludolog_workers::Processes;

use ludolog_engine::semi_naive::COST_MODEL;
use ludolog_engine::{EngineDescription, Load};
use ludolog_logic::optimize::CostModel;
use std::sync::Arc;

/// The engine with one worker.
pub const DATAFLOW: EngineDescription = EngineDescription {
    name: "dataflow",
    summary: "Bottom-up, kept up to date, on several processes",
    cost_model: CostModel { ranges: false, proves_once: false, ..COST_MODEL },
    optimized: true,
    interrupt: true,
    well_founded: false,
    lattices: true,
    choices: false,
    make: Load::Plain(&|program, budget| Ok(Box::new(Dataflow::load(program, &Processes::default(), budget)?))),
    make_recording: None,
};

/// The engine on these processes.
pub fn on(processes: Processes) -> EngineDescription {
    let make =
        Load::Configured(Arc::new(move |program, budget| Ok(Box::new(Dataflow::load(program, &processes, budget)?))));
    EngineDescription { make, ..DATAFLOW }
}
