//! `ludolog query`: answers goals with bindings.

use super::case::{CaseArgs, Loaded};
use super::output::{TableFormat, print_json, term};
use super::processes::ProcessArgs;
use super::watch::{self, WatchArgs};
use super::{Failure, Outcome, counted, print};
use clap::Args;
use ludolog::analysis::clause::{Goal, Literal};
use ludolog::engine::Solution;
use ludolog::syntax::ast::{Atom, Formula, Term};
use ludolog::syntax::{Syntax, print_formula, print_term};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct QueryArgs {
    /// Rule files, then the goal, as in 'win(P)' or '(win ?p)'; without a goal the files' own queries are asked
    #[arg(required = true, value_names = ["FILE", "GOAL"])]
    files_and_goal: Vec<String>,
    #[command(flatten)]
    case: CaseArgs,
    /// Stop at the first answer
    #[arg(long)]
    first: bool,
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Answers all goals. The outcome is negative if any has no answer.
pub fn run(args: &QueryArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == TableFormat::Json, || answer(args))
}

fn answer(args: &QueryArgs) -> Result<Outcome, Failure> {
    let (files, goal) = split_goal(&args.files_and_goal);
    let mut loaded = args.case.load(&files)?;
    args.processes.apply(&mut loaded.session, goal.unwrap_or_default())?;
    let goals = match goal {
        Some(text) => vec![loaded.session.goal(text)?],
        None => loaded.session.program().program.queries.clone(),
    };
    if goals.is_empty() {
        return Err(Failure::Message(
            "no goal: give one, as in 'win(P)', or write `?- win(P).` in the file".to_owned(),
        ));
    }
    let atoms = goals.iter().flat_map(|goal| &goal.body).filter_map(Literal::atom);
    loaded.note_case(atoms.map(Atom::signature));
    let mut outcome = Outcome::Success;
    let mut solved = Vec::new();
    for goal in &goals {
        let session = &mut loaded.session;
        let answers = if args.first { session.first(goal) } else { session.solve(goal) };
        let answers = answers.map_err(|stopped| args.case.explain(&stopped, true))?;
        let is_told = is_told(&answers);
        match args.format {
            TableFormat::Json => {}
            _ if !is_told => {}
            TableFormat::Text => print(&table(goal, &answers, &loaded, goals.len() > 1))?,
            TableFormat::Csv => print(&csv(goal, &answers, loaded.syntax)?)?,
        }
        if answers.rows.is_empty() {
            outcome = Outcome::Negative;
        }
        let stopped = answers.stopped.clone();
        if args.format == TableFormat::Json {
            solved.push(answers);
        }
        if let Some(stopped) = &stopped {
            outcome = match (args.case.explain(stopped, true), args.format) {
                (Failure::Interrupted, TableFormat::Json) => Outcome::Interrupted,
                (_, TableFormat::Json) => Outcome::Failed,
                (failure, _) => return Err(failure),
            };
            break;
        }
    }
    if args.format == TableFormat::Json {
        let report = |(goal, answers)| Report { goal, answers, syntax: loaded.syntax };
        print_json(&goals.iter().zip(&solved).map(report).collect::<Vec<_>>())?;
    }
    Ok(outcome)
}

/// Splits arguments into files and a goal. The last one is the goal, unless it is a file or looks like one.
pub fn split_goal(arguments: &[String]) -> (Vec<PathBuf>, Option<&str>) {
    let is_file = |text: &str| text == "-" || Path::new(text).exists() || Syntax::of(Path::new(text)).is_some();
    let (files, goal) = match arguments.split_last() {
        Some((last, files)) if !files.is_empty() && !is_file(last) => (files, Some(last.as_str())),
        _ => (arguments, None),
    };
    (files.iter().map(PathBuf::from).collect(), goal)
}

/// Whether answers are told. Those that came before a stop are, unless time is over; that there is none is not known then.
pub fn is_told(answers: &Solution) -> bool {
    match &answers.stopped {
        Some(stopped) => !stopped.is_out_of_time() && !answers.rows.is_empty(),
        None => true,
    }
}

/// The answers as a table, or as a word if the goal has no variables.
pub fn table(goal: &Goal, answers: &Solution, loaded: &Loaded, with_goal: bool) -> String {
    let heading = if with_goal { format!("?- {}.\n", goal_text(goal, loaded.syntax)) } else { String::new() };
    let count = answers.rows.len();
    if goal.variables.is_empty() {
        return heading + if count == 0 { "no\n" } else { "yes\n" };
    }
    if count == 0 {
        return heading + "no answers\n";
    }
    let names = goal.variables.iter().map(|name| print_term(&Term::Variable(name.clone()), loaded.syntax));
    let mut table = super::table::new(names.collect::<Vec<_>>());
    for row in &answers.rows {
        table.add_row(row.iter().map(|term| print_term(term, loaded.syntax)));
    }
    format!("{heading}{}{}\n", super::table::text(&table), counted(count, "answer"))
}

/// The goal as written, conjunct by conjunct.
pub fn goal_text(goal: &Goal, syntax: Syntax) -> String {
    let formulas = goal.body.iter().map(|literal| print_formula(&Formula::from(literal), syntax));
    formulas.collect::<Vec<_>>().join(if syntax == Syntax::Kif { " " } else { " & " })
}

fn csv(goal: &Goal, answers: &Solution, syntax: Syntax) -> Result<String, Failure> {
    if goal.variables.is_empty() {
        // A table without columns has no rows to count: print a word.
        return Ok(if answers.rows.is_empty() { "no\n" } else { "yes\n" }.to_owned());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::fmt::Display| Failure::Message(format!("cannot write the table: {error}"));
    writer.write_record(goal.variables.iter().map(|name| column(name, syntax))).map_err(|error| failed(&error))?;
    for row in &answers.rows {
        writer.write_record(row.iter().map(|term| print_term(term, syntax))).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The JSON of a goal with its answers.
struct Report<'a> {
    goal: &'a Goal,
    answers: &'a Solution,
    syntax: Syntax,
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Report { goal, answers, syntax } = *self;
        let columns: Vec<String> = goal.variables.iter().map(|name| column(name, syntax)).collect();
        // Without answers, a run that stopped early does not know.
        let holds = (answers.stopped.is_none() || answers.holds()).then_some(answers.holds());
        let mut report = serializer.serialize_map(None)?;
        report.serialize_entry("goal", &goal_text(goal, syntax))?;
        report.serialize_entry("variables", &columns)?;
        report.serialize_entry("holds", &holds)?;
        report.serialize_entry("answers", &Rows { columns: &columns, rows: &answers.rows, syntax })?;
        report.serialize_entry("stopped", &answers.stopped.as_ref().map(ToString::to_string))?;
        report.end()
    }
}

/// Answers as an array of objects.
struct Rows<'a> {
    columns: &'a [String],
    rows: &'a [Vec<Term>],
    syntax: Syntax,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row).map(|(name, value)| (name.clone(), term(value, self.syntax)));
            Value::Object(cells.collect::<Map<_, _>>())
        }))
    }
}

/// The column heading of a variable: its name without GDL's question mark.
fn column(name: &ludolog::syntax::ast::Name, syntax: Syntax) -> String {
    print_term(&Term::Variable(name.clone()), syntax).trim_start_matches('?').to_owned()
}
