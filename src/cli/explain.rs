//! `ludolog explain`: the long text of a diagnostic.

use super::{Failure, Outcome, print};
use clap::Args;
use ludolog::diagnostic::Code;

#[derive(Args)]
pub struct ExplainArgs {
    /// The code, as `unsafe-variable` of `error[unsafe-variable]`; without one, all are listed
    code: Option<String>,
}

pub fn run(args: &ExplainArgs) -> Result<Outcome, Failure> {
    let Some(name) = &args.code else {
        let line = |code: &Code| {
            let summary = code.explanation().lines().next().unwrap_or_default();
            format!("{:19} {summary}\n", code.name())
        };
        print(&Code::ALL.iter().map(line).collect::<String>())?;
        return Ok(Outcome::Success);
    };
    match Code::of_name(name) {
        Some(code) => print(code.explanation())?,
        None => return Err(Failure::Message(format!("there is no code `{name}`; `ludolog explain` lists them all"))),
    }
    Ok(Outcome::Success)
}
