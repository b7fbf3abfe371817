//! `ludolog query`: answers goals with bindings.
//!
//! * `write`: the formats of answers.

mod write;

use super::case::{CaseArgs, warn_of_broken};
use super::output::{RowFormat, print_json, print_with};
use super::processes::ProcessArgs;
use super::watch::{self, WatchArgs};
use super::{Failure, Outcome, constraints};
use clap::Args;
use ludolog::analysis::clause::Literal;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Solution, Stopped};
use ludolog::syntax::ast::Atom;
use ludolog::syntax::{Syntax, parse_goal};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use write::Answered;

#[derive(Args)]
#[command(override_usage = "ludolog query [OPTIONS] <FILE>... [GOAL]")]
pub struct QueryArgs {
    /// Rule files, then the goal, as in 'win(P)' or '(win ?p)'; without a goal the files' own queries are asked
    #[arg(required = true, value_name = "FILE")]
    files_and_goal: Vec<String>,
    #[command(flatten)]
    case: CaseArgs,
    /// Stop at the first answer
    #[arg(long)]
    first: bool,
    #[arg(long, value_enum, default_value_t)]
    format: RowFormat,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Answers all goals. The outcome is negative if any has no answer, or else undefined if any has undefined answers alone.
pub fn run(args: &QueryArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == RowFormat::Json, || answer(args))
}

fn answer(args: &QueryArgs) -> Result<Outcome, Failure> {
    let (files, goal) = split_goal(&args.files_and_goal)?;
    let mut loaded = args.case.load_from(&args.processes.files()?, &files)?;
    loaded.ask_once();
    args.processes.apply(&mut loaded.session, goal.unwrap_or_default())?;
    let goals = match goal {
        Some(text) => vec![loaded.goal(text)?],
        None => loaded.session.program().program.queries.clone(),
    };
    if goals.is_empty() {
        return Err(Failure::Message(
            "no goal: give one, as in 'win(P)', or write `?- win(P).` in the file".to_owned(),
        ));
    }
    let atoms = goals.iter().flat_map(|goal| &goal.body).filter_map(Literal::atom);
    loaded.note_case(atoms.map(Atom::signature));
    let kept = constraints::check(&mut loaded, &args.case);
    let syntax = loaded.syntax;
    let warnings = loaded.warnings_as_json();
    let warnings = &warnings;
    let mut outcome = Outcome::Success;
    let mut solved = Vec::new();
    for goal in &goals {
        let session = &mut loaded.session;
        let answers = if args.first { session.first(goal) } else { session.solve(goal) };
        let answers = answers.map_err(|stopped| args.case.explain(&loaded.session, &stopped, Some(goal)))?;
        warn_of_broken(loaded.session.broken_passes());
        let answered = Answered { goal, answers: &answers, syntax, warnings };
        match args.format {
            RowFormat::Json => {}
            _ if !is_told(&answers) => {}
            RowFormat::Text => print_with(|out| answered.write_table(goals.len() > 1, out))?,
            RowFormat::Dl => print_with(|out| answered.write_statements(Syntax::Datalog, out))?,
            RowFormat::Kif => print_with(|out| answered.write_statements(Syntax::Kif, out))?,
            RowFormat::Csv => print_with(|out| answered.write_separated(b',', out))?,
            RowFormat::Tsv => print_with(|out| answered.write_separated(b'\t', out))?,
            RowFormat::Jsonl => print_with(|out| answered.write_json_lines(out))?,
        }
        outcome = match (answers.holds(), answers.is_undefined()) {
            (true, _) => outcome,
            (false, true) if outcome == Outcome::Success => Outcome::Undefined,
            (false, true) => outcome,
            (false, false) => Outcome::Negative,
        };
        let stopped = answers.stopped.clone();
        if args.format == RowFormat::Json {
            solved.push(answers);
        }
        if let Some(stopped) = &stopped {
            outcome = match (args.case.explain(&loaded.session, stopped, Some(goal)), args.format) {
                (Failure::Interrupted, RowFormat::Json) => Outcome::Interrupted,
                (_, RowFormat::Json) => Outcome::Failed,
                (failure, _) => return Err(failure),
            };
            break;
        }
    }
    if args.format == RowFormat::Json && kept.is_ok() {
        let all = goals.iter().zip(&solved).map(|(goal, answers)| Answered { goal, answers, syntax, warnings });
        print_json(&all.collect::<Vec<_>>())?;
    }
    kept.map(|()| outcome)
}

/// Splits arguments into files and a goal. The last one is the goal, unless it is a file or looks like one.
///
/// # Errors
///
/// One that is no file looks like a goal in another place.
pub fn split_goal(arguments: &[String]) -> Result<(Vec<PathBuf>, Option<&str>), Failure> {
    let is_file = |text: &str| text == "-" || Path::new(text).exists() || Syntax::of(Path::new(text)).is_some();
    let (files, goal) = match arguments.split_last() {
        Some((last, files)) if !files.is_empty() && !is_file(last) => (files, Some(last.as_str())),
        _ => (arguments, None),
    };
    match files.iter().find(|text| text.contains('(') && !is_file(text)) {
        Some(goal) => Err(Failure::Message(format!(
            "`{goal}` is no file: one goal stands behind the files; several are queries in a file, as `?- win(P).`"
        ))),
        None => Ok((files.iter().map(PathBuf::from).collect(), goal)),
    }
}

/// The text of a fact; where it only is one with outer parentheses, as `legal o (mark 1 1)`, with them.
pub fn in_parentheses(text: &str) -> Cow<'_, str> {
    let is_condition =
        |text: &str, syntax| parse_goal(text, &mut Sources::new(), syntax).is_ok_and(|query| query.body.len() == 1);
    let within = format!("({text})");
    if !is_condition(text, None) && is_condition(&within, Some(Syntax::Kif)) { within.into() } else { text.into() }
}

/// Whether answers are told. Those that came before a stop are, unless time or memory is over: to write them takes more of these.
/// That there is none is not known then.
pub fn is_told(answers: &Solution) -> bool {
    match &answers.stopped {
        Some(Stopped::Timeout(_) | Stopped::Interrupted | Stopped::TooMuchMemory { .. }) => false,
        Some(_) => answers.holds(),
        None => true,
    }
}
