//! What takes longer than a keystroke, on a thread of its own.

use crossbeam_channel::{Receiver, Sender, unbounded};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::SourceId;
use ludolog_workspace::Analysis;
use ludolog_workspace::findings::Findings;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time that is taken for a text.
const TIME: Duration = Duration::from_secs(5);

/// The time for which a text has to be left alone before work on it begins.
const CALM: Duration = Duration::from_millis(200);

/// Facts that are derived for a text at most.
const MAX_FACTS: u64 = 2_000_000;

/// A text to find out about.
struct Job {
    path: PathBuf,
    analysis: Arc<Analysis>,
    source: SourceId,
    /// When the work may begin.
    due: Instant,
    given_up: Arc<AtomicBool>,
}

/// What was found out about a text.
pub struct Found {
    /// The text.
    pub path: PathBuf,
    /// The analysis that was looked at.
    pub analysis: Arc<Analysis>,
    /// What there is.
    pub findings: Findings,
}

/// The thread and its work.
pub struct Background {
    jobs: Sender<Job>,
    /// What comes out.
    pub found: Receiver<Found>,
    /// What was begun about each text, and how to give it up.
    begun: HashMap<PathBuf, (Arc<Analysis>, Arc<AtomicBool>)>,
}

impl Background {
    /// Starts the thread.
    pub fn start(limits: Budget) -> io::Result<Background> {
        let (jobs, to_do) = unbounded::<Job>();
        let (done, found) = unbounded();
        thread::Builder::new().name("findings".into()).spawn(move || {
            for job in to_do {
                thread::sleep(job.due.saturating_duration_since(Instant::now()));
                let budget = limits.clone().with_max_facts(MAX_FACTS).with_timeout(TIME);
                let budget = budget.with_interrupt(job.given_up);
                if let Ok(findings) = Findings::of(&job.analysis, job.source, &budget)
                    && done.send(Found { path: job.path, analysis: job.analysis, findings }).is_err()
                {
                    break;
                }
            }
        })?;
        Ok(Background { jobs, found, begun: HashMap::new() })
    }

    /// Begins to find out about a text, unless it is what was begun before; that is given up otherwise.
    pub fn begin(&mut self, path: &Path, analysis: Arc<Analysis>, source: SourceId) {
        if self.begun.get(path).is_some_and(|(before, _)| Arc::ptr_eq(before, &analysis)) {
            return;
        }
        self.give_up(path);
        let given_up = Arc::new(AtomicBool::new(false));
        self.begun.insert(path.to_owned(), (analysis.clone(), given_up.clone()));
        // The thread lives as long as this.
        let due = Instant::now() + CALM;
        _ = self.jobs.send(Job { path: path.to_owned(), analysis, source, due, given_up });
    }

    /// Gives up what was begun about a text.
    pub fn give_up(&mut self, path: &Path) {
        if let Some((_, flag)) = self.begun.remove(path) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}
