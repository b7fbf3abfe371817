//! The command line: one file per command.
//!
//! Exit status: 0 for success or "yes", 1 for "no" (no answer, a difference found), 2 for an error, 130 when
//! interrupted.

mod bench;
mod case;
mod check;
mod choice;
mod convert;
mod explain;
mod facts;
mod file;
mod fmt;
mod game;
mod hex;
mod interrupt;
mod plan;
mod query;
mod repl;
mod rules;
mod snapshot;
mod table;
mod test;
mod tree;
mod why;
mod why_not;

use clap::{Parser, Subcommand};
use ludolog::diagnostic::{Diagnostics, Sources, render};
use ludolog::engine::SessionError;
use ludolog::files::FileSystem;
use ludolog::formulation::shipped::Shipped;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "ludolog", version, about = "Game rules as logic: check, query, explain, benchmark and play them")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Prove rule files safe, stratified, finite and of one arity for each predicate
    Check(check::CheckArgs),
    /// Say at length what a diagnostic means and how to repair its cause
    Explain(explain::ExplainArgs),
    /// Answer goals from rule files
    ///
    /// Exit status: 0 with answers, 1 without, 2 on error.
    Query(query::QueryArgs),
    /// Show why a fact holds, as a derivation tree; for a win in a position, also the board with the chain marked
    Why(why::WhyArgs),
    /// Show why a fact does not hold: for each rule that could derive it, the first condition that fails
    ///
    /// Exit status: 0 if it does not hold, 1 if it does, 2 on error.
    WhyNot(why_not::WhyNotArgs),
    /// State, ask and change line by line, from a terminal or a script on standard input
    ///
    /// A statement with its period is added (in kif, one in parentheses), a goal is asked (in kif, behind `?-`), and `help`
    /// lists the commands. Ctrl-C interrupts what runs, Ctrl-D ends. The history is kept in the user's state folder,
    /// `$XDG_STATE_HOME/ludolog`. In a script, errors do not stop what follows. Exit status: 0, or 2 if anything failed.
    Repl(repl::ReplArgs),
    /// Print the facts that rule files derive
    Facts(facts::FactsArgs),
    /// Hold the derived facts of rule files against snapshots
    Test(test::TestArgs),
    /// Measure wordings, optimizations and engines against each other
    Bench(bench::BenchArgs),
    /// Bring rule files into the canonical layout
    ///
    /// Files with errors are reported and left alone.
    Fmt(fmt::FmtArgs),
    /// Write a rule file in the other syntax
    Convert(convert::ConvertArgs),
    /// Show what the optimizer does to rule files, and what it expects to gain
    Plan(plan::PlanArgs),
    /// List, print and copy the rule files and positions that come with Ludolog
    Rules(rules::RulesArgs),
    /// Play rulesheets of the Game Description Language
    Game(game::GameArgs),
    /// Work with Hex positions and the rules that judge them
    Hex(hex::HexArgs),
}

/// The files that arguments and includes name: those of the file system and those that come with Ludolog.
const FILES: Shipped<FileSystem> = Shipped(FileSystem);

/// The result of a command that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, or "yes": exit status 0.
    Success,
    /// The answer is "no", or a difference was found: exit status 1.
    Negative,
}

/// The reason why a command did not complete: exit status 2, or 130 when interrupted.
pub enum Failure {
    /// Errors in the user's files or goals.
    Diagnostics(Box<Sources>, Diagnostics),
    /// Any other error.
    Message(String),
    /// Ctrl-C; the results until then have been printed.
    Interrupted,
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Rejected(sources, wrong) => Failure::Diagnostics(sources, wrong),
            SessionError::Stopped(stopped) => case::explain(&stopped),
            SessionError::Refused(refused) => Failure::Message(refused.to_string()),
        }
    }
}

/// Shows diagnostics on standard error.
fn show(sources: &Sources, warnings: &Diagnostics) {
    anstream::eprint!("{}", render::to_text(warnings, sources, std::io::stderr().is_terminal()));
}

/// `1 fact`, `2 facts`, …
fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

/// Writes to standard output. A reader that closes the pipe early is no failure.
fn print(text: &str) -> Result<(), Failure> {
    print_to(std::io::stdout().lock(), text)
}

/// Writes text with ANSI styles to standard output, without the styles where they would not show.
fn print_styled(text: &str) -> Result<(), Failure> {
    print_to(anstream::stdout().lock(), text)
}

fn print_to(mut out: impl Write, text: &str) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Message(format!("cannot print: {error}"))),
        _ => Ok(()),
    }
}

/// Runs the command of the process's arguments.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let result: Result<Outcome, Failure> = match cli.command {
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Query(args)) => query::run(args),
        Some(Command::Why(args)) => why::run(&args),
        Some(Command::WhyNot(args)) => why_not::run(&args),
        Some(Command::Repl(args)) => repl::run(&args),
        Some(Command::Facts(args)) => facts::run(args),
        Some(Command::Test(args)) => test::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Fmt(args)) => fmt::run(args),
        Some(Command::Convert(args)) => convert::run(args),
        Some(Command::Plan(args)) => plan::run(args),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Game(args)) => game::run(args),
        Some(Command::Hex(args)) => hex::run(args),
        None => bench::run_quick(),
    };
    match result {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(Failure::Interrupted) => {
            anstream::eprintln!("interrupted");
            ExitCode::from(interrupt::EXIT_STATUS)
        }
        Err(Failure::Diagnostics(sources, diagnostics)) => {
            show(&sources, &diagnostics);
            ExitCode::from(2)
        }
        Err(Failure::Message(message)) => {
            anstream::eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
