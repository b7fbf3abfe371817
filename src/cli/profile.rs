//! `ludolog profile`: where the time of a run goes, by phase, stratum, rule and subgoal.

use super::bench::make_room;
use super::case::CaseArgs;
use super::facts::{Selection, derived_predicates, wanted};
use super::output::Format;
use super::query::split_goal;
use super::{Failure, Outcome, counted, file, print, table};
use clap::Args;
use ludolog::analysis::clause::Literal;
use ludolog::bench::environment::Environment;
use ludolog::bench::profile::{JoinCost, ProfileReport, ProfiledQuestion, RuleCost, RunKind};
use ludolog::bench::report::format;
use ludolog::syntax::ast::Atom;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args)]
#[command(override_usage = "ludolog profile [OPTIONS] <FILE>... [GOAL]")]
pub struct ProfileArgs {
    /// Rule files, then a goal; without a goal all derived facts are listed, as `facts` does, though not printed
    #[arg(required = true, value_name = "FILE")]
    files_and_goal: Vec<String>,
    #[command(flatten)]
    case: CaseArgs,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a page with all rules and their joins
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the goal, and tells the costs; after a stop, those until then.
pub fn run(args: &ProfileArgs) -> Result<Outcome, Failure> {
    let engine = args.case.engine;
    if !engine.has(|engine| engine.as_profiled().is_some()) {
        let way_out = "use --engine semi-naive";
        return Err(Failure::Message(format!("the engine {engine} cannot tell what a rule costs; {way_out}")));
    }
    make_room(args.html.as_deref())?;
    let environment = Environment::current();
    let (files, goal) = split_goal(&args.files_and_goal)?;
    let begin = Instant::now();
    let mut loaded = args.case.load(&files)?;
    let goal = goal.map(|text| loaded.goal(text)).transpose()?;
    let reading = begin.elapsed();
    match &goal {
        Some(goal) => loaded.note_case(goal.body.iter().filter_map(Literal::atom).map(Atom::signature)),
        None => loaded.note_case(derived_predicates(loaded.session.program())),
    }
    let profile = loaded.session.profile(goal.as_ref(), wanted(&Selection::of(&loaded), loaded.session.program()));
    let profile = profile.map_err(|stopped| args.case.explain(&loaded.session, &stopped, goal.as_ref()))?;
    let question = ProfiledQuestion {
        program: loaded.session.program(),
        sources: loaded.session.sources(),
        syntax: loaded.syntax,
        goal: goal.as_ref(),
        reading,
        warnings: &loaded.warnings,
    };
    let report = ProfileReport::new(&profile, &question, environment);
    if let Some(path) = &args.html {
        file::write(path, report.to_html().as_bytes())?;
    }
    match args.format {
        Format::Json => print(&report.to_json())?,
        Format::Text => print(&text(&report))?,
    }
    match (profile.stopped, args.format) {
        (None, _) => Ok(Outcome::Success),
        (Some(stopped), format) => match (args.case.explain(&loaded.session, &stopped, goal.as_ref()), format) {
            (Failure::Interrupted, _) => Ok(Outcome::Interrupted),
            (_, Format::Json) => Ok(Outcome::Failed),
            (failure, Format::Text) => Err(failure),
        },
    }
}

/// Most rules in text. The page and the JSON have all of them.
const SHOWN: usize = 30;

/// A rule that takes less than 1/`TOLD` of the time of all rules is shown in text without its joins.
const TOLD: u64 = 20;

/// The phases, the strata, the rules by time, and the joins of those that take the most.
fn text(report: &ProfileReport) -> String {
    let time = |ns: u64| format::time(ns as f64);
    let percent = |ns: u64| format!("{:.1} %", report.percent(ns));
    let mut text = String::new();
    let mut phases = table::new(["phase", "time", "share"]);
    for phase in report.phases.iter().filter(|phase| phase.ns > 0) {
        phases.add_row([phase.name.to_owned(), time(phase.ns), percent(phase.ns)]);
    }
    phases.add_row(["the whole run".to_owned(), time(report.total_ns), percent(report.total_ns)]);
    text += &table::text(&phases);
    let mut strata = table::new(["stratum", "rules", "rounds", "facts", "time", "share"]);
    for stratum in &report.strata {
        let counts = [stratum.rules as u64, stratum.rounds, stratum.facts].map(count);
        let row = [stratum.predicates.join(" ")].into_iter().chain(counts);
        strata.add_row(row.chain([time(stratum.ns), percent(stratum.ns)]));
    }
    _ = write!(text, "\n{}", table::text(&strata));
    let mut rules = table::new(["time", "share", "runs", "rows", "new", "known", "rule"]);
    for rule in report.rules.iter().take(SHOWN) {
        let counts = [rule.runs, rule.probes, rule.derived, rule.duplicates].map(count);
        let row = [time(rule.ns), percent(rule.ns)].into_iter().chain(counts);
        rules.add_row(row.chain([named(rule)]));
    }
    _ = write!(text, "\n{}", table::text(&rules));
    let others = report.rules.iter().skip(SHOWN);
    if others.len() > 0 {
        let rules = counted(others.len(), "other rule");
        _ = writeln!(
            text,
            "{rules}, together {}; --html and --format json have all",
            time(others.map(|rule| rule.ns).sum())
        );
    }
    let is_told = |rule: &&RuleCost| !rule.joins.is_empty() && rule.ns * TOLD >= report.rules_ns();
    for rule in report.rules.iter().filter(is_told) {
        _ = write!(text, "\n{}\n", named(rule));
        if let Some(source) = &rule.source {
            _ = writeln!(text, "written as {source}");
        }
        // Before there are rows, only what takes time is worth a table.
        for join in rule.joins.iter().filter(|join| join.probes > 0 || join.ns * TOLD >= rule.ns) {
            let mut subgoals = table::new(["subgoal", "bindings", "rows", "passed on"]);
            for subgoal in &join.subgoals {
                let counts = [subgoal.bindings, subgoal.probes, subgoal.matched].map(count);
                subgoals.add_row([subgoal.text()].into_iter().chain(counts));
            }
            _ = write!(text, "{}\n{}", heading(join), table::text(&subgoals));
        }
    }
    text
}

fn count(n: u64) -> String {
    format::count(n as f64)
}

/// A rule with its place.
fn named(rule: &RuleCost) -> String {
    let kind = match rule.kind {
        RunKind::Closure => "as a closure: ",
        RunKind::WellFounded => "as a well-founded model: ",
        RunKind::Rule | RunKind::Transition | RunKind::Goal => "",
    };
    let place = rule.place();
    let gap = if place.is_empty() { "" } else { "    " };
    format!("{kind}{}{gap}{place}", rule.rule)
}

/// The way of a join, with its runs and time.
fn heading(join: &JoinCost) -> String {
    let from = join.from_new.as_ref().map_or_else(|| "all rows".to_owned(), |literal| format!("new {literal}"));
    let [time, indexing] = [join.ns, join.indexing_ns].map(|ns| format::time(ns as f64));
    format!("from {from}: {}, {time}, of it {indexing} for indices", counted(join.runs as usize, "run"))
}
