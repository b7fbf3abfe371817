//! `ludolog plan`: shows the changes of each optimizer pass, and the expected gain.

use super::case::{self, CaseArgs};
use super::facts::{Selection, wanted};
use super::query::split_goal;
use super::{Failure, Outcome, print_styled};
use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use ludolog::engine::explanation::plan::{ProgramPlan, TextStyle};
use std::path::PathBuf;

#[derive(Args)]
#[command(override_usage = "ludolog plan [OPTIONS] <FILE>... [GOAL]")]
pub struct PlanArgs {
    /// Rule files, then the goal to plan for; without a goal the first query of the files, else what `:- output` declares,
    /// or all predicates
    #[arg(required = true, value_name = "FILE")]
    files_and_goal: Vec<String>,
    #[command(flatten)]
    case: CaseArgs,
    #[arg(long, value_enum, default_value_t)]
    format: PlanFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// Each pass with the rules before and after it, then how each body is run
    #[default]
    Text,
    Json,
    /// The optimized program alone, to be run as it is
    Source,
}

/// Prints the plan for the goal, or for all predicates.
pub fn run(args: PlanArgs) -> Result<Outcome, Failure> {
    let (files, goal): (Vec<PathBuf>, _) = split_goal(&args.files_and_goal)?;
    let mut loaded = args.case.load(&files)?;
    let goal = match goal {
        Some(text) => Some(loaded.goal(text)?),
        None => {
            let program = loaded.session.program();
            let outputs = || loaded.session.goal_of_facts(wanted(&Selection::of(&loaded), program));
            program.program.queries.first().cloned().or_else(outputs)
        }
    };
    let plan = ProgramPlan::new(&loaded.session, goal.as_ref(), loaded.syntax);
    let plan = plan.map_err(|stopped| case::explain(&stopped))?;
    case::warn_of_broken(&plan.prepared.optimized.broken);
    match args.format {
        PlanFormat::Text => print_styled(&styled(&plan))?,
        PlanFormat::Json => {
            let mut json = plan.to_json();
            json["warnings"] = loaded.warnings_as_json();
            super::output::print_json(&json)?;
        }
        PlanFormat::Source => super::print(&plan.source())?,
    }
    Ok(Outcome::Success)
}

/// The text of a plan with ANSI styles.
pub fn styled(plan: &ProgramPlan) -> String {
    let piece = |(style, text)| {
        let style = match style {
            TextStyle::Plain => Style::new(),
            TextStyle::Title => Style::new().bold(),
            TextStyle::Aside => Style::new().dimmed(),
            TextStyle::Removed => AnsiColor::Red.on_default(),
            TextStyle::Added => AnsiColor::Green.on_default(),
        };
        format!("{style}{text}{style:#}")
    };
    plan.text().into_iter().map(piece).collect()
}
