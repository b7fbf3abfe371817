//! `ludolog why-not`: prints the reasons why a fact does not hold as a tree.

use super::case::explain_in;
use super::output::{Format, print_json};
use super::why::QuestionArgs;
use super::{Failure, Outcome, print};
use clap::Args;
use ludolog::engine::WhyNot;
use ludolog::engine::explanation::why_not;

#[derive(Args)]
#[command(override_usage = "ludolog why-not [OPTIONS] <FILE>... <FACT>")]
pub struct WhyNotArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// How many levels of failing conditions to explain
    #[arg(long, value_name = "N", default_value_t = DEPTH)]
    depth: usize,
}

/// Levels of failing conditions that are explained unless asked otherwise.
pub const DEPTH: usize = 1;

/// Refutes the fact, or tells why it is undefined. The outcome is negative if it holds.
pub fn run(args: &WhyNotArgs) -> Result<Outcome, Failure> {
    let (mut loaded, goal) = args.question.load()?;
    let told = loaded.session.why_not(&goal, args.depth);
    let told = told.map_err(|stopped| explain_in(&loaded.session, &stopped))?;
    match args.question.format {
        Format::Text => print(&why_not::to_text(&goal, &told, &loaded.session, loaded.syntax))?,
        Format::Json => {
            let mut document = why_not::to_json(&goal, &told, &loaded.session, loaded.syntax);
            document["warnings"] = loaded.warnings_as_json();
            print_json(&document)?;
        }
    }
    Ok(match told {
        WhyNot::Holds => Outcome::Negative,
        WhyNot::Refuted(_) => Outcome::Success,
        WhyNot::Undefined(_) => Outcome::Undefined,
    })
}
