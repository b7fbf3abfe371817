//! Workloads: programs in folders, with tables of facts and goals; the optimizer's choice against the best by hand.
//!
//! ```text
//! FOLDER/polonius/polonius.dl      the program
//!                 borrow.tsv       the facts of `borrow`
//!                 goals.txt        goals to ask besides deriving everything, one a line
//! ```
//!
//! What is timed is the whole way from tables in memory to the answer: optimizing, loading and deriving, as a session
//! does them. A choice of the optimizer that is revised on the way thus counts with all that it took. Time is that of
//! the processor, so that what else the machine does has no part in it.

use super::matrix::{self, *};
use super::measure::{self, Sampling};
use super::monitor::{Interrupted, Monitor};
use super::report::fields::*;
use super::report::{Benchmark, PAGE, Report};
use super::task::TaskResult;
use ludolog_engine::{Budget, Case, Session, SessionError, Setting, Stopped};
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::{analyze_within, unread};
use ludolog_syntax::ast::{Atom, Predicate, Program, Statement};
use ludolog_syntax::budget::{Clock, ThreadClock};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, Sources};
use ludolog_syntax::{ColdSort, FactFile, Facts, Files, Syntax, Table, load_facts, load_within, open};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "workloads",
    heading: "Does the optimizer choose well?",
    lead: |_| {
        "Programs with tables of facts, all that follows and single goals, under each optimization: the choice of auto against the \
         best by hand."
            .to_owned()
    },
    method: |_| {
        "Times are medians of the samples that fit a small budget after a warm-up, in processor time; what is timed is the \
         whole way from tables in memory to the answer: optimizing, loading, deriving. A run over its limit did not \
         finish and has no time. All variants have to derive as much."
            .to_owned()
    },
    text: matrix::choices_alone,
    sections: matrix::sections,
};

/// The extension of programs.
const PROGRAM: &str = "dl";

/// The endings of tables.
const TABLES: [&str; 4] = [".tsv", ".csv", ".tsv.gz", ".csv.gz"];

/// The name of the file of goals.
const GOALS: &str = "goals.txt";

/// The character with which a comment in a file of goals begins, as in programs.
const COMMENT: char = '%';

/// The data of a row that derives everything.
const ALL_FACTS: &str = "all facts";

/// The data of a row that asks a goal.
const ASKED: &str = "goals";

/// A program with its tables, and the goals to ask.
pub struct Workload {
    /// The name: that of its folder; in a folder with several programs, of those that are named otherwise, with the
    /// file's.
    pub name: String,
    session: Session,
    /// The predicates with rules.
    derived: BTreeSet<Predicate>,
    /// Goals as written, and read.
    goals: Vec<(String, Goal)>,
}

impl Workload {
    /// A program with the facts of its session, and goals as written and read.
    pub fn new(name: String, session: Session, goals: Vec<(String, Goal)>) -> Workload {
        let derived = session.program().program.rules.iter().map(|rule| rule.head.signature()).collect();
        Workload { name, session, derived, goals }
    }

    /// The program.
    pub(crate) fn program(&self) -> &StratifiedProgram {
        self.session.program()
    }

    /// The goals to ask besides deriving everything, as written and read.
    pub(crate) fn goals(&self) -> &[(String, Goal)] {
        &self.goals
    }

    /// The predicates with rules.
    pub(crate) fn derived(&self) -> &BTreeSet<Predicate> {
        &self.derived
    }

    /// The facts of its tables, and those that stand beside its rules.
    pub(crate) fn facts(&self) -> Vec<Atom> {
        let case = self.session.case();
        case.facts.iter().cloned().chain(case.tables.iter().flat_map(|table| table.atoms(table.rows()))).collect()
    }

    /// Optimizes, loads and derives once, and answers the goal if there is one; the time is the CPU time of the thread.
    /// The tuples are the answers, or else all facts of predicates with rules.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget of the sampling ends.
    pub fn run(
        &mut self,
        goal: Option<&Goal>,
        setting: &Setting,
        sampling: &Sampling,
    ) -> Result<(Duration, TaskResult), Stopped> {
        let session = &mut self.session;
        // Drops the engine of the run before.
        session.set_setting(setting.clone());
        session.set_budget(sampling.budget());
        let start = ThreadClock.now();
        let answers = match goal {
            Some(goal) => Some(session.solve(goal)?),
            None => None,
        };
        let engine = session.engine(goal)?;
        let took = ThreadClock.now().saturating_sub(start);
        if let Some(stopped) = answers.as_ref().and_then(|answers| answers.stopped.clone()) {
            return Err(stopped);
        }
        let work = engine.work();
        let count = engine.as_count();
        let memory = count.map(|count| count.memory());
        let count_all = || count.map(|count| self.derived.iter().map(|predicate| count.count(predicate)).sum());
        let run = TaskResult {
            derived: Some(work.derived),
            probes: Some(work.probes),
            bytes: memory.map(|memory| memory.bytes),
            facts: memory.map(|memory| memory.facts),
            tuples: answers.map_or_else(count_all, |answers| Some(answers.count() as u64)),
            ..TaskResult::default()
        };
        Ok((took, run))
    }

    /// Measures a goal, or the derivation of everything, in all ways.
    fn compare(
        &mut self,
        goal: Option<&(String, Goal)>,
        variants: &Variants,
        report: &mut Report,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Interrupted> {
        let (name, data) = match goal {
            None => (self.name.clone(), ALL_FACTS),
            Some((text, _)) => (format!("{} ?- {text}", self.name), ASKED),
        };
        let goal = goal.map(|(_, goal)| goal);
        let sampling = &variants.sampling;
        variants.compare(&name, data, report, monitor, |engine, optimization, row| {
            let setting = Setting { engine: engine.clone(), optimization: optimization.clone(), ..Setting::default() };
            let (spread, run) = measure::measure(sampling, || self.run(goal, &setting, sampling))?;
            matrix::enter(row, spread, &run);
            Ok(())
        })
    }
}

/// Reads the workloads of a folder: those of its programs, or else of the programs of each folder in it that is not the
/// report of a benchmark. All programs of a folder get all its tables.
///
/// # Errors
///
/// [`SessionError::Rejected`]: a folder cannot be read or has no program, a program, table or goal has errors, or no
/// program of its folder reads a table. [`SessionError::Stopped`], when the budget ends.
pub fn read(files: &dyn Files, folder: &Path, budget: &Budget) -> Result<Vec<Workload>, SessionError> {
    let folders = if with_extension(&entries(folder)?, PROGRAM).is_empty() {
        entries(folder)?.into_iter().filter(|path| path.is_dir() && !path.join(PAGE).exists()).collect()
    } else {
        vec![folder.to_path_buf()]
    };
    if folders.is_empty() {
        return Err(rejected(no_program(folder)));
    }
    let mut workloads = Vec::new();
    for folder in folders {
        workloads.extend(read_one(files, &folder, budget)?);
    }
    Ok(workloads)
}

/// The workloads of the programs in a folder.
fn read_one(files: &dyn Files, folder: &Path, budget: &Budget) -> Result<Vec<Workload>, SessionError> {
    let entries = entries(folder)?;
    let programs = with_extension(&entries, PROGRAM);
    if programs.is_empty() {
        return Err(rejected(no_program(folder)));
    }
    let mut sources = Sources::new();
    let is_table = |path: &&PathBuf| TABLES.iter().any(|ending| path.to_string_lossy().ends_with(ending));
    let tables: Vec<FactFile> = entries.iter().filter(is_table).map(FactFile::from).collect();
    let goals = match entries.iter().find(|path| path.ends_with(GOALS)) {
        Some(path) => read_goals(files, path)?,
        None => Vec::new(),
    };
    let mut workloads = Vec::new();
    // Programs that declare no types share the tables, which are read for the first of them.
    let mut untyped: Option<Case> = None;
    let mut any_tables = None;
    for path in &programs {
        let (mut session, stated, typed) = read_program(files, path, &tables, &sources, budget)?;
        let mut case = match (typed, &untyped) {
            (Some(typed), _) => case_of(typed),
            (None, Some(shared)) => shared.clone(),
            (None, None) => {
                let facts = load_facts(files, &tables, None, None, &mut sources, budget)?;
                let facts = facts.map_err(|wrong| SessionError::Rejected(Box::new(sources.clone()), wrong))?;
                untyped.insert(case_of(facts)).clone()
            }
        };
        any_tables.get_or_insert_with(|| case.tables.clone());
        case.extend(stated);
        session.set_case(case);
        let goals = goals.iter().map(|goal| goal.read(&mut session)).collect::<Result<Vec<_>, SessionError>>()?;
        workloads.push(Workload::new(name(folder, path, programs.len()), session, goals));
    }
    match read_by_none(&workloads, &any_tables.unwrap_or_default()) {
        unread if unread.is_empty() => Ok(workloads),
        unread => Err(SessionError::Rejected(Box::new(sources), unread)),
    }
}

fn case_of(facts: Facts) -> Case {
    let mut case = Case::default();
    case.extend(facts);
    case
}

/// A program and the facts of the tables that it names; if it declares types of columns, also those of the folder's tables, read
/// as declared.
fn read_program(
    files: &dyn Files,
    path: &Path,
    tables: &[FactFile],
    sources: &Sources,
    budget: &Budget,
) -> Result<(Session, Facts, Option<Facts>), SessionError> {
    let mut sources = sources.clone();
    let read = match load_within(files, &[path], None, &mut sources, budget)? {
        Ok(loaded) => {
            let typed = typed_facts(files, &loaded.program, tables, &mut sources, budget)?;
            match (typed, analyze_within(&loaded.program, budget)?) {
                (Ok(typed), Ok(analyzed)) => Ok((analyzed, loaded.facts, typed)),
                (Err(wrong), _) | (_, Err(wrong)) => Err(wrong),
            }
        }
        Err(wrong) => Err(wrong),
    };
    match read {
        Ok((analyzed, facts, typed)) => Ok((Session::new(analyzed, sources), facts, typed)),
        Err(wrong) => Err(SessionError::Rejected(Box::new(sources), wrong)),
    }
}

/// The facts of tables as a program declares the types of their columns; `None` if it declares none.
fn typed_facts(
    files: &dyn Files,
    program: &Program,
    tables: &[FactFile],
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Option<Facts>, Diagnostics>, Stopped> {
    if !program.items.iter().any(|item| matches!(item.statement, Statement::Type(_))) {
        return Ok(Ok(None));
    }
    Ok(load_facts(files, tables, None, Some(program), sources, budget)?.map(Some))
}

/// A goal as written, with its place.
struct WrittenGoal {
    text: String,
    /// The file and the line.
    place: String,
}

impl WrittenGoal {
    fn read(&self, session: &mut Session) -> Result<(String, Goal), SessionError> {
        match session.goal(&self.text) {
            Ok(goal) => Ok((self.text.clone(), goal)),
            Err(SessionError::Rejected(sources, wrong)) => {
                let mut placed = Diagnostics::new();
                for error in wrong.iter() {
                    let message = format!("{}: {}", self.place, error.message);
                    placed.push(Diagnostic { message, ..error.clone() });
                }
                Err(SessionError::Rejected(sources, placed))
            }
            Err(error) => Err(error),
        }
    }
}

/// The goals of a file.
fn read_goals(files: &dyn Files, path: &Path) -> Result<Vec<WrittenGoal>, SessionError> {
    let mut sources = Sources::new();
    // The text is not parsed as rules; naming a syntax avoids the error for an unknown extension.
    let opened = open(files, path, Some(Syntax::Datalog), &mut sources).map_err(rejected)?;
    let text = sources.get(opened.source).map_or("", |source| &source.text);
    let lines = text.lines().map(str::trim).enumerate();
    let goals = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(COMMENT));
    let written = |(i, line): (usize, &str)| WrittenGoal {
        text: line.to_string(),
        place: format!("{}, line {}", path.display(), i + 1),
    };
    Ok(goals.map(written).collect())
}

/// An error for each table that no program of its folder reads: a run without it would measure something else.
fn read_by_none(workloads: &[Workload], tables: &[Arc<Table>]) -> Diagnostics {
    let mut found = Diagnostics::new();
    for table in tables {
        let mut warnings = workloads.iter().map(|workload| unread(&workload.session.program().program, [&**table], []));
        let Some(first) = warnings.next() else { continue };
        if !first.is_empty() && warnings.all(|others| !others.is_empty()) {
            for warning in first.iter() {
                found.push(Diagnostic { severity: Severity::Error, ..warning.clone() });
            }
        }
    }
    found
}

/// The name of a program, one of `count` in its folder.
fn name(folder: &Path, program: &Path, count: usize) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let folder = text(folder.file_name());
    let file = text(program.file_stem());
    if folder.is_empty() {
        file
    } else if count == 1 || folder == file {
        folder
    } else {
        format!("{folder}/{file}")
    }
}

/// The files and folders in a folder, without hidden ones, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read the folder {}: {error}", folder.display());
        rejected(Diagnostic::error(Code::UnreadableFile, message).help(LAYOUT))
    };
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let paths = std::fs::read_dir(folder).and_then(|found| found.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = paths.map_err(unreadable)?;
    paths.retain(|path| !is_hidden(path));
    paths.cold_sort();
    Ok(paths)
}

fn with_extension(paths: &[PathBuf], extension: &str) -> Vec<PathBuf> {
    paths.iter().filter(|path| path.extension().is_some_and(|other| other == extension)).cloned().collect()
}

/// The way out for a folder that holds no workload.
const LAYOUT: &str = "a workload is a folder with a program and its tables, as in closure/closure.dl and closure/edge.tsv; name \
                      it, or a folder of such folders";

fn no_program(folder: &Path) -> Diagnostic {
    Diagnostic::error(Code::UnreadableFile, format!("{} has no program (.dl)", folder.display())).help(LAYOUT)
}

fn rejected(wrong: Diagnostic) -> SessionError {
    SessionError::Rejected(Box::default(), wrong.into())
}

/// Runs the benchmark until its end or an interruption. A variant that derives or answers a different number than the
/// first one is a failure.
pub fn run(workloads: &mut [Workload], variants: &Variants, monitor: &mut Monitor<'_>) -> Report {
    monitor.expect(workloads.iter().map(|workload| (1 + workload.goals.len()) * variants.count()).sum());
    let report = Report::new(&BENCHMARK, &[FAILURES, ROWS]).measure(monitor, |report, monitor| {
        for workload in workloads {
            workload.compare(None, variants, report, monitor)?;
            for goal in workload.goals.clone() {
                workload.compare(Some(&goal), variants, report, monitor)?;
            }
        }
        Ok(())
    });
    matrix::with_savings(report)
}

/// Runs the benchmark on one program: on its goals, or on all that it derives if it has none.
pub fn run_one(workload: &mut Workload, variants: &Variants, monitor: &mut Monitor<'_>) -> Report {
    let goals = workload.goals.clone();
    monitor.expect(goals.len().max(1) * variants.count());
    let report = Report::new(&BENCHMARK, &[FAILURES, ROWS]).measure(monitor, |report, monitor| {
        if goals.is_empty() {
            workload.compare(None, variants, report, monitor)?;
        }
        goals.iter().try_for_each(|goal| workload.compare(Some(goal), variants, report, monitor))
    });
    matrix::with_savings(report)
}
