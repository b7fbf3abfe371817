//! `ludolog hex htp`.

use super::EffortArgs;
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::htp::HtpSession;
use std::io::BufRead;

#[derive(Args)]
pub struct HtpArgs {
    #[command(flatten)]
    effort: EffortArgs,
}

pub fn run(args: &HtpArgs) -> Result<Outcome, Failure> {
    let mut session = HtpSession::new(args.effort.effort(), args.effort.budget(), args.effort.seed);
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| Failure::Message(format!("cannot read commands: {error}")))?;
        let Some(reply) = session.answer(&String::from_utf8_lossy(&line)) else { continue };
        print(&reply.to_string())?;
        if reply.quits {
            break;
        }
    }
    Ok(Outcome::Success)
}
