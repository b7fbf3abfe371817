//! What takes longer than a keystroke: on a thread of its own, or step by step where there is none.

use crossbeam_channel::{Receiver, Sender, unbounded};
use ludolog_syntax::budget::{Budget, Clock, SystemClock};
use ludolog_syntax::diagnostic::SourceId;
use ludolog_workspace::Analysis;
use ludolog_workspace::findings::Findings;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

/// The time that is taken for a text.
const TIME: Duration = Duration::from_secs(5);

/// As [`TIME`], where nothing else is done meanwhile.
const TIME_IN_TURN: Duration = Duration::from_millis(300);

/// The time of all jobs.
static CLOCK: LazyLock<SystemClock> = LazyLock::new(SystemClock::default);

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
    due: Duration,
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

/// Who does the work.
enum Worker {
    /// A thread, which takes jobs as they come.
    Thread(Sender<Job>),
    /// Whoever calls [`Background::step`], where there are no threads.
    Caller(VecDeque<Job>, Sender<Found>),
}

/// The work on texts.
pub struct Background {
    limits: Budget,
    worker: Worker,
    /// What comes out.
    pub found: Receiver<Found>,
    /// What was begun about each text, and how to give it up.
    begun: HashMap<PathBuf, (Arc<Analysis>, Arc<AtomicBool>)>,
}

impl Background {
    /// Starts a thread.
    pub fn start(limits: Budget) -> io::Result<Background> {
        let (jobs, to_do) = unbounded::<Job>();
        let (done, found) = unbounded();
        let of_thread = limits.clone();
        thread::Builder::new().name("findings".into()).spawn(move || {
            for job in to_do {
                thread::sleep(job.due.saturating_sub(CLOCK.now()));
                if find(job, &of_thread, TIME).is_some_and(|found| done.send(found).is_err()) {
                    break;
                }
            }
        })?;
        Ok(Background { limits, worker: Worker::Thread(jobs), found, begun: HashMap::new() })
    }

    /// Work that is done step by step.
    pub fn in_turn(limits: Budget) -> Background {
        let (done, found) = unbounded();
        Background { limits, worker: Worker::Caller(VecDeque::new(), done), found, begun: HashMap::new() }
    }

    /// Does what is to be done about one text; whether there was any.
    pub fn step(&mut self) -> bool {
        let Worker::Caller(jobs, done) = &mut self.worker else { return false };
        let Some(job) = jobs.pop_front() else { return false };
        if let Some(found) = find(job, &self.limits, TIME_IN_TURN) {
            // The other end lies in the same structure.
            _ = done.send(found);
        }
        true
    }

    /// Begins to find out about a text, unless it is what was begun before; that is given up otherwise.
    pub fn begin(&mut self, path: &Path, analysis: Arc<Analysis>, source: SourceId) {
        if self.begun.get(path).is_some_and(|(before, _)| Arc::ptr_eq(before, &analysis)) {
            return;
        }
        self.give_up(path);
        let given_up = Arc::new(AtomicBool::new(false));
        self.begun.insert(path.to_owned(), (analysis.clone(), given_up.clone()));
        let job = Job { path: path.to_owned(), analysis, source, due: CLOCK.now() + CALM, given_up };
        match &mut self.worker {
            // The thread lives as long as this.
            Worker::Thread(jobs) => _ = jobs.send(job),
            Worker::Caller(jobs, _) => jobs.push_back(job),
        }
    }

    /// Gives up what was begun about a text.
    pub fn give_up(&mut self, path: &Path) {
        if let Some((_, flag)) = self.begun.remove(path) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// What there is to find about a text; nothing, if nobody wants to know any more.
fn find(job: Job, limits: &Budget, time: Duration) -> Option<Found> {
    let budget = limits.clone().with_max_facts(MAX_FACTS).with_timeout(time).with_interrupt(job.given_up);
    budget.check().ok()?;
    let findings = Findings::of(&job.analysis, job.source, &budget).ok()?;
    Some(Found { path: job.path, analysis: job.analysis, findings })
}
