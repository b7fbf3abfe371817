//! `ludolog bench peers`: programs on the other systems that are installed.

use super::{Common, failure, or_all};
use crate::cli::compile::SystemName;
use crate::cli::{FILES, Failure, Outcome, limits};
use clap::Args;
use ludolog::bench::peers::{self, PEERS, Peer, Task};
use ludolog::bench::{datalog, workload};
use ludolog::compile::System;
use ludolog::diagnostic::Sources;
use ludolog::optimize::Optimization;
use std::path::PathBuf;

#[derive(Args)]
pub struct PeersArgs {
    /// A folder with a workload, or of such folders, as for `bench datalog`, instead of the programs made here
    #[arg(value_name = "DIR", conflicts_with = "program")]
    workloads: Option<PathBuf>,
    /// Only these programs
    #[arg(long, value_name = "NAME", num_args = 1..)]
    program: Vec<&'static datalog::GenericProgram>,
    /// Only these systems, besides Ludolog
    #[arg(long, value_enum, value_name = "SYSTEM", num_args = 1..)]
    system: Vec<SystemName>,
    #[command(flatten)]
    common: Common,
}

/// Measures all programs on all systems.
pub fn run(args: &PeersArgs) -> Result<Outcome, Failure> {
    let common = &args.common;
    let tasks = match &args.workloads {
        Some(folder) => {
            workload::read(&FILES, folder, &limits::budget())?.iter().map(Task::of_workload).collect::<Vec<_>>()
        }
        None => {
            let programs = or_all(&args.program, datalog::PROGRAMS.iter());
            let tasks = programs.into_iter().map(Task::of_program).collect::<Result<_, _>>();
            tasks.map_err(|wrong| failure(Sources::new(), wrong))?
        }
    };
    let chosen: Vec<System> = args.system.iter().map(|&name| name.into()).collect();
    let is_asked = |peer: &&Peer| chosen.is_empty() || chosen.contains(&peer.system);
    let failed = |error: std::io::Error| Failure::Message(format!("cannot make a folder for the systems: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let command = std::env::current_exe().map_err(failed)?;
    let setup = peers::Setup {
        tasks,
        peers: PEERS.iter().filter(is_asked).collect(),
        optimizations: or_all(&common.optimization, [Optimization::None, Optimization::Auto].into_iter()),
        sampling: common.sampling(),
        command: &command,
        folder: folder.path(),
    };
    common.report(|monitor| peers::run(setup, monitor))
}
