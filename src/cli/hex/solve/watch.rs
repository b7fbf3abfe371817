//! Beside the search: progress on the terminal, and the file to go on from.

use crate::cli::Failure;
use crate::cli::file;
use indicatif::{ProgressBar, ProgressStyle};
use ludolog::hex::board::Player;
use ludolog::hex::position::Position;
use ludolog::hex::solver::Solver;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(200);

/// Time between two saves of the file to go on from.
const BETWEEN_SAVES: Duration = Duration::from_secs(60);

pub struct SolverWatch<'a> {
    solver: &'a Solver,
    /// The file that the solver's table is saved to.
    file: Option<&'a Path>,
    bar: ProgressBar,
    question: Mutex<Option<SolvedQuestion>>,
}

/// The question that is being solved.
struct SolvedQuestion {
    what: String,
    position: Position,
    to_move: Player,
    /// Of its proof, the lines written so far.
    lines: usize,
}

impl<'a> SolverWatch<'a> {
    pub fn new(solver: &'a Solver, file: Option<&'a Path>) -> SolverWatch<'a> {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{elapsed:>4} {spinner} {wide_msg}");
        bar.set_style(style.expect("the template is well formed"));
        SolverWatch { solver, file, bar, question: Mutex::new(None) }
    }

    fn question(&self) -> MutexGuard<'_, Option<SolvedQuestion>> {
        self.question.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is solved from now on.
    pub fn begin(&self, what: &str, position: &Position, to_move: Player) {
        let question = SolvedQuestion { what: what.to_owned(), position: position.clone(), to_move, lines: 0 };
        *self.question() = Some(question);
    }

    /// Says how many lines the proof has.
    pub fn written(&self, lines: usize) {
        self.question().iter_mut().for_each(|question| question.lines = lines);
    }

    /// Keeps watch while the work is done.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let (working, ended) = mpsc::channel::<()>();
            scope.spawn(move || {
                let start = Instant::now();
                let mut saved = start;
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if !self.bar.is_hidden() {
                        self.show(start.elapsed());
                    }
                    if saved.elapsed() >= BETWEEN_SAVES {
                        // The last save, at the end, says what is wrong.
                        let _ = self.save();
                        saved = Instant::now();
                    }
                }
                self.bar.finish_and_clear();
            });
            let result = work();
            drop(working);
            result
        })
    }

    fn show(&self, elapsed: Duration) {
        let question = self.question();
        let Some(SolvedQuestion { what, position, to_move, lines }) = &*question else { return };
        let progress = self.solver.progress(position, *to_move);
        let speed = progress.nodes as f64 / elapsed.as_secs_f64();
        let mut message = format!("{what} {} nodes, {speed:.0}/s, {} proved", progress.nodes, progress.proved);
        message += &match lines {
            0 => format!(", to a win {}, to a loss {}", progress.win, progress.loss),
            lines => format!(", {lines} lines"),
        };
        self.bar.set_message(message);
        self.bar.tick();
    }

    /// Writes the file to go on from, if one is wanted.
    pub fn save(&self) -> Result<(), Failure> {
        self.file.map_or(Ok(()), |path| file::update(path, &self.solver.save()))
    }
}
