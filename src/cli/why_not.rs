//! `ludolog why-not`: prints the reasons why a fact does not hold as a tree.

use super::case::{LoadedCase, explain_in};
use super::output::{Format, print_json};
use super::query::goal_text;
use super::why::QuestionArgs;
use super::{Failure, Outcome, print};
use clap::Args;
use ludolog::analysis::clause::Goal;
use ludolog::engine::explanation::why_not;

#[derive(Args)]
pub struct WhyNotArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// How many levels of failing conditions to explain
    #[arg(long, value_name = "N", default_value_t = DEPTH)]
    depth: usize,
}

/// Levels of failing conditions that are explained unless asked otherwise.
pub const DEPTH: usize = 1;

/// Refutes the fact. The outcome is negative if it holds.
pub fn run(args: &WhyNotArgs) -> Result<Outcome, Failure> {
    let (mut loaded, goal) = args.question.load()?;
    if loaded.is_undefined(&goal)? {
        return tell_cycle(args, &loaded, &goal);
    }
    let refutation = loaded.session.why_not(&goal, args.depth);
    let refutation = refutation.map_err(|stopped| explain_in(&loaded.session, &stopped))?;
    let fact = goal_text(&goal, loaded.syntax);
    match (&refutation, args.question.format) {
        (None, Format::Text) => print(&why_not::holds(&fact, goal.variables.is_empty()))?,
        (Some(refutation), Format::Text) => print(&why_not::to_text(refutation, &loaded.session, loaded.syntax))?,
        (_, Format::Json) => {
            let mut document = why_not::to_json(&fact, refutation.as_ref(), &loaded.session, loaded.syntax);
            document["warnings"] = loaded.warnings_as_json();
            print_json(&document)?;
        }
    }
    Ok(if refutation.is_some() { Outcome::Success } else { Outcome::Negative })
}

/// Tells through which facts an undefined one depends on its own negation.
fn tell_cycle(args: &WhyNotArgs, loaded: &LoadedCase, goal: &Goal) -> Result<Outcome, Failure> {
    let cycle = loaded.session.why_undefined(goal).map_err(|stopped| explain_in(&loaded.session, &stopped))?;
    let fact = goal_text(goal, loaded.syntax);
    match args.question.format {
        Format::Text => print(&why_not::cycle_text(&fact, cycle.as_ref(), &loaded.session, loaded.syntax))?,
        Format::Json => {
            let mut document = why_not::cycle_to_json(&fact, cycle.as_ref(), &loaded.session, loaded.syntax);
            document["warnings"] = loaded.warnings_as_json();
            print_json(&document)?;
        }
    }
    Ok(Outcome::Undefined)
}
