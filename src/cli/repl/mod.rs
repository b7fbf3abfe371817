//! `ludolog repl`: statements, questions and commands one after the other, from a terminal or from a script on standard
//! input.
//!
//! * `input`: which lines belong together, and whether they are statements, a goal or a command.
//! * `workspace`: the program so far and its session, which carry out inputs.
//! * `completion`: the words that may stand at a place.
//! * `terminal`: lines from an editor, with history and completion.

mod completion;
mod input;
mod terminal;
mod workspace;

use super::case::LimitArgs;
use super::choice::choice;
use super::{Failure, Outcome, show};
use clap::Args;
use input::InputReader;
use ludolog::engine::EngineDescription;
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use std::io::{BufRead, IsTerminal};
use std::ops::ControlFlow;
use std::path::PathBuf;
use workspace::Workspace;

#[derive(Args)]
pub struct ReplArgs {
    /// Files to load: rules, tables (.tsv, .csv), board positions (.txt, .sgf)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The engine to run
    #[arg(long, value_parser = choice::<&'static EngineDescription>(), default_value = "semi-naive")]
    engine: &'static EngineDescription,
    /// none, grounding, reordering, both, auto, or passes joined by commas: pruning, grounding, closure, demand, groups,
    /// keys, split, reordering
    #[arg(long, value_name = "O", default_value_t)]
    optimize: Optimization,
    /// The limits of each question
    #[command(flatten)]
    limits: LimitArgs,
    /// The syntax to speak; by default that of the first file, or dl
    #[arg(long, value_parser = choice::<Syntax>())]
    syntax: Option<Syntax>,
}

/// Carries out all inputs. In a script, errors are shown and counted, and make the command fail at its end.
pub fn run(args: &ReplArgs) -> Result<Outcome, Failure> {
    let of_file = || args.files.iter().find_map(|file| Syntax::of(file));
    let syntax = args.syntax.or_else(of_file).unwrap_or(Syntax::Datalog);
    let mut workspace = Workspace::new(syntax, args.engine, args.optimize.clone(), args.limits)?;
    workspace.open(&args.files)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        terminal::run(&mut workspace)
    } else {
        script(&mut workspace, std::io::stdin().lock())
    }
}

fn script(workspace: &mut Workspace, lines: impl BufRead) -> Result<Outcome, Failure> {
    let mut inputs = 0;
    let mut failed = 0;
    let mut reader = InputReader::new(workspace.syntax());
    let mut lines = lines.lines();
    loop {
        let line = lines.next().transpose();
        let line = line.map_err(|error| Failure::Message(format!("cannot read standard input: {error}")))?;
        let is_over = line.is_none();
        let input = match line {
            Some(line) => reader.line(&line),
            None => reader.end(),
        };
        if let Some(awaited) = reader.awaited().filter(|_| reader.ends_with_quit()) {
            anstream::eprintln!("note: `quit` is read as part of an unfinished statement, which waits for {awaited}");
        }
        if let Some(input) = input {
            inputs += 1;
            match workspace.carry_out(&input) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                Err(failure) => {
                    failed += 1;
                    tell(&failure);
                }
            }
        }
        if is_over {
            break;
        }
    }
    match failed {
        0 => Ok(Outcome::Success),
        _ => Err(Failure::Message(format!("{failed} of {} failed", super::counted(inputs, "input")))),
    }
}

/// Shows an error after which the next input follows.
fn tell(failure: &Failure) {
    match failure {
        Failure::Diagnostics(sources, wrong) => show(sources, wrong),
        Failure::Message(message) => anstream::eprintln!("error: {message}"),
        Failure::Interrupted => anstream::eprintln!("interrupted"),
    }
}
