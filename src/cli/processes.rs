//! The options by which a command runs on workers of several processes (cargo feature `dataflow`).

#[cfg(feature = "dataflow")]
use super::case::threads;
#[cfg(feature = "dataflow")]
use super::counted;
use super::{FILES, Failure};
use clap::Args;
use ludolog::engine::Session;
use ludolog::syntax::Files;
#[cfg(feature = "dataflow")]
use {
    ludolog::syntax::{Share, SharedFiles},
    ludolog::workers::Processes,
    std::num::NonZero,
    std::path::PathBuf,
};

#[derive(Args)]
pub struct ProcessArgs {
    /// Run over timely dataflow, with this many workers in each process [default with --hosts: 1]
    #[cfg(feature = "dataflow")]
    #[arg(long, value_name = "N", value_parser = threads)]
    workers: Option<NonZero<u8>>,
    /// Run in several processes, on one machine or on many: a line for each of them, as in host:2101, the same file for
    /// all. Each prints its share of facts and answers; the values of a solved game, the first
    #[cfg(feature = "dataflow")]
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// The line of this process among --hosts, from 0
    #[cfg(feature = "dataflow")]
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
}

#[cfg(feature = "dataflow")]
impl ProcessArgs {
    /// The processes of the arguments; `None` if there are no such arguments.
    pub fn processes(&self) -> Result<Option<Processes>, Failure> {
        if self.workers.is_none() && self.hosts.is_none() {
            return Ok(None);
        }
        let workers = self.workers.map_or(NonZero::<usize>::MIN, NonZero::from);
        let Some(path) = &self.hosts else { return Ok(Some(Processes { workers, ..Processes::default() })) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Message(format!("cannot read {}: {error}", path.display())))?;
        let hosts: Vec<String> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let process = self.process.unwrap_or_default();
        if process >= hosts.len() {
            return Err(Failure::Message(format!(
                "--process {process}: {} has {}, numbered from 0",
                path.display(),
                counted(hosts.len(), "line")
            )));
        }
        Ok(Some(Processes { workers, hosts, process, ..Processes::default() }))
    }
}

impl ProcessArgs {
    /// The files of arguments, whose tables are read in shares.
    #[cfg(feature = "dataflow")]
    pub fn files(&self) -> Result<impl Files, Failure> {
        let share = self.processes()?.map_or(Share::WHOLE, |processes| processes.share());
        Ok(SharedFiles { files: FILES, share })
    }

    /// The files of arguments.
    #[cfg(not(feature = "dataflow"))]
    pub fn files(&self) -> Result<impl Files, Failure> {
        Ok(FILES)
    }

    /// Runs a session on the processes of the arguments, which all have to be asked the same goal.
    #[cfg(feature = "dataflow")]
    pub fn apply(&self, session: &mut Session, goal: &str) -> Result<(), Failure> {
        use ludolog::dataflow::{DATAFLOW, on};
        let Some(processes) = self.processes()? else { return Ok(()) };
        let processes = Processes { goal: goal.to_owned(), ..processes };
        let mut setting = session.setting().clone();
        if setting.engine != DATAFLOW {
            return Err(Failure::Message(format!(
                "the engine {} runs in one thread; --workers and --hosts are for --engine dataflow",
                setting.engine
            )));
        }
        if processes.count() > 1 {
            silence_lost_connections();
        }
        setting.engine = on(processes);
        session.set_setting(setting);
        Ok(())
    }

    /// As [`apply`](Self::apply), for a command that is told of facts as it runs: they come to one process.
    pub fn apply_to_one(&self, session: &mut Session) -> Result<(), Failure> {
        #[cfg(feature = "dataflow")]
        if self.processes()?.is_some_and(|processes| processes.count() > 1) {
            return Err(Failure::Message(
                "changes come to one process; run it with --workers, without --hosts".to_owned(),
            ));
        }
        self.apply(session, "")
    }

    /// There are no such arguments.
    #[cfg(not(feature = "dataflow"))]
    pub fn apply(&self, _: &mut Session, _: &str) -> Result<(), Failure> {
        Ok(())
    }
}

/// Keeps threads from printing that another process is gone: the command says so.
#[cfg(feature = "dataflow")]
fn silence_lost_connections() {
    use std::panic::{set_hook, take_hook};
    let others = take_hook();
    set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        if !ludolog::workers::is_lost_connection(thread.name(), &panic.to_string()) {
            others(panic);
        }
    }));
}
