//! The arguments that all commands share which run programs: rule files, the case, the engine and the budget.

use super::{FILES, Failure, game, limits, show};
use crate::cli::choice::choice;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ludolog::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog::analysis::{self, Analyzed};
use ludolog::diagnostic::{Code, Diagnostic, Diagnostics, Sources, render};
use ludolog::engine::{Budget, EngineDescription, Session, Setting, Stopped};
use ludolog::formulation;
use ludolog::hex::Position;
use ludolog::hex::notation::{self, GameNotation, ReadGame, hexworld};
use ludolog::optimize::{BrokenPass, Demand, Inputs, Optimization, Pass};
use ludolog::syntax::ast::{Name, Predicate, Program, Term};
use ludolog::syntax::{self, FactFile, Facts, Files, Syntax};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::{Duration, TryFromFloatSecsError};

#[derive(Args)]
pub struct CaseArgs {
    /// Take the facts from a board position (a file, as std:positions/p9.txt, an SGF file or a HexWorld link); rules
    /// with transitions on place/2 get its stones as events, one after the other
    #[arg(long, value_name = "FILE")]
    pub position: Option<PathBuf>,
    #[command(flatten)]
    pub facts: FactArgs,
    #[command(flatten)]
    pub state: StateArgs,
    /// The engine to run
    #[arg(long, value_parser = choice::<&'static EngineDescription>(), default_value = "semi-naive")]
    pub engine: &'static EngineDescription,
    /// none, grounding, reordering, both, auto, or passes joined by commas: pruning, grounding, closure, demand, groups,
    /// keys, split, reordering
    #[arg(long, value_name = "O", default_value_t)]
    pub optimize: Optimization,
    /// Share the work of the engine semi-naive among this many threads, with the same facts in the same order [default:
    /// as many as the machine has processors]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZero<u8>>,
    #[command(flatten)]
    pub budget: LimitArgs,
    /// Run also recursion that is not seen to end, up to the limit of facts
    #[arg(long, requires = "max_facts")]
    pub allow_growing: bool,
    /// The seed of functional choices; without, the first ones in the order of output are chosen
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub seed: u64,
    /// The syntax of files whose extension names none, and of goals
    #[arg(long, value_parser = choice::<Syntax>())]
    pub syntax: Option<Syntax>,
}

/// Files of facts.
#[derive(Args, Clone, Default)]
pub struct FactArgs {
    /// Add the facts of a rule file or of a table: edge.tsv, edge.csv, edge.jsonl and edge.csv.gz hold the facts of edge; edge=FILE
    /// is a table of another name, edge=- one on standard input, edge=FILE.sqlite a table of a database, also as FILE.sqlite#edge,
    /// edge.parquet a Parquet file
    #[arg(long, value_name = "[P=]FILE", value_parser = OsStringValueParser::new().map(fact_file))]
    pub facts: Vec<FactFile>,
    /// Skip the first row of each table, its header
    #[arg(long, requires = "facts")]
    pub header: bool,
}

impl FactArgs {
    /// The files.
    pub fn files(&self) -> Vec<FactFile> {
        self.facts.iter().map(|file| FactFile { header: self.header, ..file.clone() }).collect()
    }
}

/// The file that an argument names, which need not be text.
fn fact_file(argument: OsString) -> FactFile {
    match argument.to_str().map(str::parse) {
        Some(Ok(file)) => file,
        _ => PathBuf::from(argument).into(),
    }
}

/// The state that a game is asked in.
#[derive(Args, Clone)]
pub struct StateArgs {
    /// Ask a game of the Game Description Language in its initial state: its facts are `true`
    #[arg(long, value_enum)]
    pub state: Option<StateName>,
    /// From that state make this joint move first: one move for each role, in order, as in '(mark 1 1) noop' or
    /// 'mark(1, 1), noop'; give it again for the next one
    #[arg(long = "move", value_name = "MOVES", requires = "state")]
    pub moves: Vec<String>,
    /// In the state reached consider this joint move, written as for --move: its `does` facts hold, so that `next` can
    /// be asked
    #[arg(long, value_name = "MOVES", requires = "state")]
    pub does: Option<String>,
}

/// The states of a game that have a name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateName {
    /// The facts of `init`
    Init,
}

#[derive(Args, Clone, Copy)]
pub struct LimitArgs {
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    pub timeout: Duration,
    /// Stop when more facts than this are held [default: 50000000; with --max-memory, as many as it has room for]
    #[arg(long, value_name = "N")]
    pub max_facts: Option<u64>,
}

/// The facts that a run may hold where neither they nor its memory are limited by the user: recursion that grows without end stops
/// before a machine is full.
const MAX_FACTS: u64 = 50_000_000;

impl LimitArgs {
    /// The budget of a run that starts now.
    pub fn start(&self) -> Budget {
        let budget = limits::budget().with_timeout(self.timeout);
        match self.max_facts.or((!limits::is_memory_given()).then_some(MAX_FACTS)) {
            Some(max) => budget.with_max_facts(max),
            None => budget,
        }
    }
}

/// Parses a number of threads or workers.
pub fn threads(text: &str) -> Result<NonZero<u8>, String> {
    text.parse().map_err(|_| format!("a number from 1 to {} is needed", u8::MAX))
}

/// Parses a duration: a number of seconds, or numbers with units.
pub fn duration(text: &str) -> Result<Duration, DurationError> {
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(DurationError::OutOfRange),
        Err(_) => humantime::parse_duration(text).map_err(DurationError::Malformed),
    }
}

/// The reason why a text is no duration.
#[derive(Debug)]
pub enum DurationError {
    OutOfRange(TryFromFloatSecsError),
    Malformed(humantime::DurationError),
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DurationError::OutOfRange(error) => error.fmt(f),
            DurationError::Malformed(error) => write!(f, "{error}; write as in 500ms, 5s or 15m"),
        }
    }
}

impl std::error::Error for DurationError {}

/// A program with a case, read and analyzed, ready for queries.
pub struct LoadedCase {
    pub session: Session,
    /// The position of the case, if it has one.
    pub position: Option<Position>,
    /// The syntax in which to print terms: that of the first file.
    pub syntax: Syntax,
    /// The names of the predicates that the program declares as its results.
    pub outputs: Vec<Name>,
    /// The warnings about the program and the goals that were told when they were read.
    pub warnings: Diagnostics,
    missing: Missing,
}

/// The predicates of a game that nobody can derive for want of a state or a joint move, and what is said of that.
#[derive(Default)]
struct Missing {
    dependents: BTreeSet<Predicate>,
    note: &'static str,
}

impl LoadedCase {
    /// A session that is asked as it stands, without a position or a state.
    pub fn plain(session: Session, syntax: Syntax) -> Self {
        let outputs = Vec::new();
        let warnings = Diagnostics::new();
        LoadedCase { session, position: None, syntax, outputs, warnings, missing: Missing::default() }
    }

    /// The warnings about the program, as `check` writes them.
    pub fn warnings_as_json(&self) -> serde_json::Value {
        render::to_json(&self.warnings, self.session.sources())
    }

    /// Reads a goal, and tells what is odd about it.
    pub fn goal(&mut self, text: &str) -> Result<Goal, Failure> {
        let goal = self.session.goal(text)?;
        let warnings = self.session.goal_warnings(&goal, syntax::looks_of(text));
        show(self.session.sources(), &warnings);
        self.warnings.extend(warnings);
        Ok(goal)
    }

    /// Lets the session give up facts while it answers, since no question is asked twice.
    pub fn ask_once(&mut self) {
        let setting = Setting { asked_once: true, ..self.session.setting().clone() };
        self.session.set_setting(setting);
    }

    /// Whether a goal has undefined answers and no true one.
    pub fn is_undefined(&mut self, goal: &Goal) -> Result<bool, Failure> {
        self.session.is_undefined(goal).map_err(|stopped| explain(&stopped))
    }

    /// Checks that predicates named on the command line are known to the rules or the case.
    pub fn check_known(&self, wanted: &[Predicate]) -> Result<(), Failure> {
        let session = &self.session;
        analysis::check_known(wanted, session.program(), &session.case().predicates())
            .map_err(|wrong| Failure::Diagnostics(Box::new(session.sources().clone()), wrong))
    }

    /// Says on standard error what is odd about the case for somebody who asks for these predicates: one of them
    /// depends on the state of a game or on its joint move, and there is none; or there are tables that nobody reads.
    pub fn note_case(&self, asked: impl IntoIterator<Item = Predicate>) {
        let asked: Vec<Predicate> = asked.into_iter().collect();
        if asked.iter().any(|predicate| self.missing.dependents.contains(predicate)) {
            anstream::eprintln!("note: {}", self.missing.note);
        }
        let tables = self.session.case().tables.iter().map(|table| &**table);
        show(self.session.sources(), &analysis::unread(&self.session.program().program, tables, asked));
    }
}

/// What depends on a state or a joint move that a case does not have; nothing if the program is no game.
fn missing(program: &StratifiedProgram, given: &[Predicate], has_state: bool) -> Missing {
    let init = Predicate::new("init", 1);
    let truth = Predicate::new("true", 1);
    let does = Predicate::new("does", 2);
    let is_stated = |predicate| program.program.facts.iter().any(|fact| fact.signature() == predicate);
    let given = |predicate| given.contains(&predicate) || is_stated(predicate);
    if !program.program.defined().contains(&init) {
        return Missing::default();
    }
    let (inputs, note) = if !has_state && !given(truth.clone()) {
        (vec![truth, does], "asked in an empty state, where nothing is `true`; --state init asks the initial state")
    } else if !given(does.clone()) {
        (vec![does], "asked without a joint move, where nothing is `does`; --does 'MOVES' considers one")
    } else {
        return Missing::default();
    };
    Missing { dependents: Inputs::default().with_predicates(inputs).dependents(program).into_iter().collect(), note }
}

impl CaseArgs {
    /// Reads the rule files and the case, and prints warnings about them.
    pub fn load(&self, paths: &[PathBuf]) -> Result<LoadedCase, Failure> {
        self.load_from(&FILES, paths)
    }

    /// [`CaseArgs::load`] from other files.
    pub fn load_from(&self, files: &dyn Files, paths: &[PathBuf]) -> Result<LoadedCase, Failure> {
        let mut sources = Sources::new();
        // Collect the errors of all files before failing.
        let mut wrong = Diagnostics::new();
        let budget = self.budget.start();
        let running = RunningAs { may_grow: self.allow_growing, seed: self.seed };
        let read = read_running(files, paths, self.syntax, running, &mut sources, &budget);
        let read = keep(read.map_err(|stopped| explain(&stopped))?, &mut wrong);
        let game = self.position.as_deref().and_then(|path| keep(read_game(path, &mut sources), &mut wrong));
        let program = read.as_ref().map(|(program, ..)| program);
        let facts = syntax::load_facts(files, &self.facts.files(), self.syntax, program, &mut sources, &budget);
        let facts = keep(facts.map_err(|stopped| explain(&stopped))?, &mut wrong);
        let (Some((program, mut analyzed, stated)), Some(facts), false) = (read, facts, wrong.has_errors()) else {
            return Err(Failure::Diagnostics(Box::new(sources), wrong));
        };
        analyzed.define(&[&stated.empty[..], &facts.empty].concat());
        let position = game.as_ref().map(|game| game.record.position());
        let of_position = |position: &Position| formulation::case(position, &analyzed.stratified);
        let mut case = position.as_ref().map(of_position).unwrap_or_default();
        case.extend(stated);
        case.extend(facts);
        let syntax = paths.first().and_then(|file| Syntax::of(file)).or(self.syntax).unwrap_or(Syntax::Datalog);
        if let Some(StateName::Init) = self.state.state {
            let state = game::state_after(&analyzed.stratified, &self.state, syntax, &mut sources, &budget)?;
            case.facts.extend(state);
        }
        let missing = missing(&analyzed.stratified, &case.predicates(), self.state.state.is_some());
        analyzed.warnings.extend(game.map(|game| game.warnings).unwrap_or_default());
        let of_position: Vec<Predicate> = position.iter().flat_map(|_| formulation::position_predicates()).collect();
        let mut warnings = analyzed.warnings_given(&[case.predicates(), of_position.clone()].concat());
        let columns = case.columns(&analyzed.stratified.program).with_others(of_position);
        warnings.extend(analysis::lint_answers(&program, &columns, &budget));
        show(&sources, &warnings);
        let threads = self.threads.map(NonZero::<usize>::from).or_else(|| available_parallelism().ok());
        let setting = Setting {
            engine: self.engine.clone(),
            optimization: self.optimize.clone(),
            threads: threads.unwrap_or(NonZero::<usize>::MIN),
            ..Setting::default()
        };
        let outputs = std::mem::take(&mut analyzed.outputs);
        let session = Session::new(analyzed, sources).with_case(case).with_setting(setting).with_budget(budget);
        Ok(LoadedCase { session, position, syntax, outputs, warnings, missing })
    }
}

/// Reads and analyzes rule files, within a budget. The facts of their tables are part of the program.
pub fn read<P: AsRef<Path>>(
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Analyzed, Diagnostics>, Stopped> {
    read_from(&FILES, paths, syntax, sources, budget)
}

/// [`read`] from other files.
pub fn read_from<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Analyzed, Diagnostics>, Stopped> {
    match syntax::load_within(files, paths, syntax, sources, budget)? {
        Ok(loaded) => analyze(loaded.with_facts_stated(), budget).map(|read| read.map(|(_, analyzed, _)| analyzed)),
        Err(wrong) => Ok(Err(wrong)),
    }
}

/// What a run may change in the meaning of a program.
#[derive(Clone, Copy)]
struct RunningAs {
    /// Whether recursion that is not seen to end is warned of only.
    may_grow: bool,
    /// The seed of choices.
    seed: u64,
}

/// [`read_from`] with the facts of the tables apart, for a run.
fn read_running<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    running: RunningAs,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<(Program, Analyzed, Facts), Diagnostics>, Stopped> {
    match syntax::load_within(files, paths, syntax, sources, budget)? {
        Ok(mut loaded) => {
            loaded.program.may_grow = running.may_grow;
            loaded.program.seed = running.seed;
            analyze(loaded, budget)
        }
        Err(wrong) => Ok(Err(wrong)),
    }
}

fn analyze(
    loaded: syntax::LoadedProgram,
    budget: &Budget,
) -> Result<Result<(Program, Analyzed, Facts), Diagnostics>, Stopped> {
    let syntax::LoadedProgram { program, facts, diagnostics: mut warnings } = loaded;
    let analyzed = analysis::analyze_within(&program, budget)?;
    Ok(analyzed.map(|mut analyzed| {
        warnings.extend(std::mem::take(&mut analyzed.warnings));
        analyzed.warnings = warnings;
        (program, analyzed, facts)
    }))
}

fn keep<T>(result: Result<T, Diagnostics>, wrong: &mut Diagnostics) -> Option<T> {
    result.map_err(|found| wrong.extend(found)).ok()
}

/// Reads a game: a position file, an SGF file, a HexWorld link, or a file with a link.
pub fn read_game(path: &Path, sources: &mut Sources) -> Result<ReadGame, Diagnostics> {
    let source = match path.to_str().filter(|text| hexworld::is_link(text) && !path.exists()) {
        Some(link) => sources.add("link", link),
        // The text is not parsed as rules; naming a syntax avoids the error for an unknown extension.
        None => match syntax::open(&FILES, path, Some(Syntax::Datalog), sources) {
            Ok(opened) => opened.source,
            Err(wrong) if wrong.code == Code::NotText => match latin_1(path) {
                Some(text) => sources.add(path.display().to_string(), text),
                None => return Err(wrong.into()),
            },
            Err(wrong) => return Err(wrong.into()),
        },
    };
    let text = sources.get(source).map_or("", |source| &source.text);
    let is_sgf = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    let mut read = notation::read(text, source, is_sgf.then_some(GameNotation::Sgf))?;
    read.warnings.extend(std::mem::take(&mut read.irregular));
    Ok(read)
}

/// The text of an SGF file in Latin-1, each of whose bytes is the character of that number. FF\[4\] takes files for that
/// unless they name another character set. `None` for other files, and for standard input, which is read once.
fn latin_1(path: &Path) -> Option<String> {
    if path == Path::new("-") {
        return None;
    }
    let text: String = FILES.read(path).ok()?.into_iter().map(char::from).collect();
    let named = text.split_once("CA[").and_then(|(_, rest)| rest.split(']').next()).unwrap_or("ISO-8859-1");
    let is_latin =
        ["iso-8859-1", "iso8859-1", "latin-1", "latin1"].contains(&named.trim().to_ascii_lowercase().as_str());
    (GameNotation::of(&text) == GameNotation::Sgf && is_latin).then_some(text)
}

/// The message for an engine that stopped early, with advice that helps whatever runs.
pub fn explain(stopped: &Stopped) -> Failure {
    explain_with(stopped, "")
}

/// The message for a session that stopped, with the place of what did not fit.
pub fn explain_in(session: &Session, stopped: &Stopped) -> Failure {
    match stopped {
        Stopped::Overflow(overflow) if !overflow.span.is_none() => {
            let error = Diagnostic::error(Code::IntegerOverflow, overflow.to_string())
                .at(overflow.span, "this is computed")
                .help(FEWER_BITS);
            Failure::Diagnostics(Box::new(session.sources().clone()), error.into())
        }
        Stopped::Undecided(undecided) if !undecided.span.is_none() => {
            let error = Diagnostic::error(Code::WellFounded, undecided.to_string())
                .at(undecided.span, "this aggregate")
                .help(DECIDED_FACTS);
            Failure::Diagnostics(Box::new(session.sources().clone()), error.into())
        }
        Stopped::Unordered(unordered) if !unordered.span.is_none() => {
            let error = Diagnostic::error(Code::LatticeColumn, unordered.to_string())
                .at(unordered.span, "values are ordered by this")
                .help(unordered.way_out());
            Failure::Diagnostics(Box::new(session.sources().clone()), error.into())
        }
        stopped => explain(stopped),
    }
}

/// The way out of an overflow.
const FEWER_BITS: &str = "compare before computing, so that the numbers stay smaller";

/// The way out where an aggregate ranges over undefined facts.
const DECIDED_FACTS: &str =
    "ask for them by `query`, which marks the undefined ones, and let the aggregate range over what is decided";

fn explain_with(stopped: &Stopped, besides: &str) -> Failure {
    let way_out = match stopped {
        Stopped::Unordered(unordered) => &unordered.way_out(),
        Stopped::Overflow(_) => FEWER_BITS,
        Stopped::Undecided(_) => DECIDED_FACTS,
        Stopped::Timeout(_) | Stopped::TooManyProbes(_) => "give it more time with --timeout",
        Stopped::TooMuchMemory { .. } => "give it fewer facts, or allow more with --max-memory",
        Stopped::TooManyFacts(_) => "allow more with --max-facts",
        Stopped::Interrupted => return Failure::Interrupted,
        Stopped::Unsupported(reason) => return Failure::Message(reason.clone()),
        Stopped::Internal(_) => "this is a fault of Ludolog: please report it with the program",
        Stopped::Loop(_) | Stopped::TooDeep(_) => {
            "run it bottom-up with --engine semi-naive; --optimize demand derives only what the goal needs"
        }
        Stopped::TermTooLarge(_) => "bound the recursion that builds it",
        Stopped::Outgrown(_) => "name the passes of --optimize without split",
        Stopped::Misjudged(_) => "name the passes of --optimize",
    };
    Failure::Message(format!("{stopped}; {way_out}{besides}"))
}

/// Warns of passes that were left out because they are broken: a fault of Ludolog that costs time, not answers.
pub fn warn_of_broken(passes: &[BrokenPass]) {
    for broken in passes {
        anstream::eprintln!("warning: {broken}; please report it with the program");
    }
}

impl CaseArgs {
    /// [`explain_in`] for a run with these arguments, which was asked a goal or for all facts.
    pub fn explain(&self, session: &Session, stopped: &Stopped, goal: Option<&Goal>) -> Failure {
        if let Stopped::Overflow(_) | Stopped::Undecided(_) | Stopped::Unordered(_) = stopped {
            return explain_in(session, stopped);
        }
        let is_planned = self.engine.optimized;
        let is_bound =
            |goal: &Goal| goal.body.iter().filter_map(Literal::atom).any(|atom| atom.args.iter().any(Term::is_ground));
        let is_named = self.optimize != Optimization::Auto
            && self.optimize.passes().iter().any(|pass| pass.name() == Demand.name());
        let is_on_demand = is_named || session.ran_on_demand();
        let besides = match stopped {
            Stopped::Loop(_) | Stopped::TooDeep(_) | Stopped::TermTooLarge(_) => "",
            // Advice ends at the pass that derives least: from there it would lead back.
            _ if !is_planned || is_on_demand => "",
            _ if self.optimize != Optimization::Auto => ", or leave the choice of passes to --optimize auto",
            Stopped::TooManyFacts(_) | Stopped::TooMuchMemory { .. } if goal.is_some_and(is_bound) => {
                ", or ask for less with --optimize demand"
            }
            _ => "",
        };
        explain_with(stopped, besides)
    }
}
