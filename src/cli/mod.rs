//! The command line: one file per command.
//!
//! Exit status: 0 for success or "yes", 1 for "no" (no answer, a difference found), 2 for an error, 3 for "undefined", 130 when
//! interrupted.

mod bench;
mod case;
mod check;
mod choice;
mod compile;
mod constraints;
mod convert;
mod editor;
mod explain;
mod facts;
mod file;
mod fmt;
mod game;
mod games;
mod hex;
mod interrupt;
mod limits;
mod lsp;
mod matches;
mod openings;
mod output;
mod packaging;
mod plan;
mod play;
mod players;
mod positional;
mod processes;
mod profile;
mod progress;
mod prove;
mod query;
mod repl;
mod rules;
mod rulesheet;
mod scene;
mod serve;
mod snapshot;
mod spelling;
mod studio;
mod table;
mod test;
mod tournament;
mod updates;
mod verify;
mod watch;
mod why;
mod why_not;
mod words;

use anstream::{AutoStream, ColorChoice};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ludolog::diagnostic::{Diagnostics, Sources, counted, render};
use ludolog::engine::SessionError;
use ludolog::formulation::LIBRARY;
use ludolog::shipped::Shipped;
use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;
use watch::RecordedFileSystem;

#[derive(Parser)]
#[command(name = "ludolog", version, about = "Game rules as logic: check, query, explain, benchmark and play them")]
struct Cli {
    #[command(flatten)]
    color: colorchoice_clap::Color,
    /// Stop when the process holds more memory than this, as in 500M or 16G [default: three quarters of the machine's]
    #[arg(long, value_name = "SIZE", global = true, value_parser = limits::bytes)]
    max_memory: Option<u64>,
    /// Replace files that are there; without, they are told and kept
    #[arg(long, global = true)]
    force: bool,
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
    /// Exit status: 0 with answers, 1 without, 2 on error, 3 if there are undefined answers alone.
    Query(query::QueryArgs),
    /// Show why a fact holds, as a derivation tree; for a win in a position, also the board with the chain marked
    Why(why::WhyArgs),
    /// Show why a fact does not hold: for each rule that could derive it, the first condition that fails
    ///
    /// Exit status: 0 if it does not hold, 1 if it does, 2 on error, 3 if it is undefined.
    WhyNot(why_not::WhyNotArgs),
    /// State, ask and change line by line, from a terminal or a script on standard input
    ///
    /// A statement with its period is added (in kif, one in parentheses), a goal is asked (in kif, behind `?-`), and `help`
    /// lists the commands. Ctrl-C interrupts what runs, Ctrl-D ends. The history is kept in the user's state folder,
    /// `$XDG_STATE_HOME/ludolog`. In a script, errors do not stop what follows. Exit status: 0, or 2 if anything failed.
    Repl(repl::ReplArgs),
    /// Print the facts that rule files derive
    Facts(facts::FactsArgs),
    /// Print how derived facts change while given ones come and go
    ///
    /// A line of standard input is a change of the given facts, `+edge(a, b).` or `-edge(a, b).`; an empty line, and the end of the
    /// input, end a batch of them. After each batch the derived facts that went and that came are printed in the same form, with
    /// an empty line behind them. A batch with an error changes nothing. The time limit is that of each batch. (To run a command
    /// again when its files change, give it --watch.) Exit status: 0, 2 if anything failed, 130 when interrupted.
    Watch(updates::UpdateArgs),
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
    /// Write a program for another system: Soufflé, clingo, SWI-Prolog, or a crate with crepe
    ///
    /// The program derives the same facts there. What that system cannot say is refused, with the place. Exit status: 0, 2 on error.
    Compile(compile::CompileArgs),
    /// Show what the optimizer does to rule files, and what it expects to gain
    Plan(plan::PlanArgs),
    /// Show where the time of a run goes: by phase, stratum, rule and subgoal
    ///
    /// Runs a goal, or derives all facts, with the engine semi-naive. A run that is stopped tells its costs until then.
    /// Exit status: 0, 2 on error or after a stop, 130 when interrupted.
    Profile(profile::ProfileArgs),
    /// List, print and copy the rule files and positions that come with Ludolog
    Rules(rules::RulesArgs),
    /// List, print and copy the games that come with Ludolog
    Games(games::GamesArgs),
    /// Play rulesheets of the Game Description Language
    Game(game::GameArgs),
    /// Play a game by hand against players, from a terminal or a script on standard input
    ///
    /// The state is drawn as boards where it has any, and legal moves are numbered. A line is a move, by its number or its
    /// text, or a command; `help` lists them: hints, undo, why a move is legal or not. Ctrl-C ends the thinking of players,
    /// who then make the best move so far; Ctrl-D ends. Exit status: 0, or 2 if the game or a player cannot be had.
    Play(play::PlayArgs),
    /// Play a match between players, and keep its clocks
    ///
    /// Exit status: 0, or 1 if a player was late or answered with an illegal move.
    Match(matches::MatchArgs),
    /// Play a round robin between players, with rotated seats; a tournament that was stopped goes on where it was
    ///
    /// The directory has a line for each match that has ended (results.jsonl), the matches as JSON and as pages, and a page
    /// with the scores (report.html). Exit status: 0, 1 if a player was late or answered with an illegal move, 2 on error,
    /// 130 when interrupted.
    Tournament(tournament::TournamentArgs),
    /// Play for a game manager: a player over HTTP that speaks the protocol of general game playing
    ///
    /// Answers (info), (ping), (preview …), (start …), (play …), (stop …) and (abort …). Each match has a player of its own.
    Serve(serve::ServeArgs),
    /// Serve an editor: rule files with what is wrong, what names mean, and changes to make
    ///
    /// Speaks the Language Server Protocol over standard input and output; editors start it. `crates/lsp/editors` has settings
    /// for some of them. Exit status: 0, or 1 if the editor left without a word.
    Lsp(lsp::LspArgs),
    /// Write, ask and play rules in a browser, served on this machine alone
    ///
    /// Prints a link with a token, which no other page can know. The text is kept in the browser, and a link can hold it.
    Studio(studio::StudioArgs),
    /// Work with Hex positions and the rules that judge them
    Hex(hex::HexArgs),
    /// Work with positional games: k in a row, 3-D tic-tac-toe, and any other winning sets
    Positional(positional::PositionalArgs),
    /// Prove what is true of a position, for anybody to check
    Prove(prove::ProveArgs),
    /// Check a proof: that a player wins a position of Hex, that a positional game is a draw, that Short wins
    ///
    /// Exit status: 0 when it is accepted, 1 when it is refused, 2 when it cannot be read.
    Verify(verify::VerifyArgs),
    /// Print a script that completes commands and options in a shell
    Completions(packaging::CompletionsArgs),
    /// Write manual pages, one for each command
    Man(packaging::ManArgs),
}

/// The files that arguments and includes name: those of the file system and those that come with Ludolog.
const FILES: Shipped<RecordedFileSystem> = LIBRARY.with(RecordedFileSystem);

/// The result of a command that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, or "yes": exit status 0.
    Success,
    /// The answer is "no", or a difference was found: exit status 1.
    Negative,
    /// Nothing is true, and something is undefined: exit status 3.
    Undefined,
    /// An error, of which the printed JSON tells: exit status 2.
    Failed,
    /// Ctrl-C; the results until then have been printed: exit status 130.
    Interrupted,
}

/// The reason why a command did not complete: exit status 2, or 130 when interrupted. It is told on standard error, or
/// as JSON where that is asked for.
pub enum Failure {
    /// Errors in the user's files or goals.
    Diagnostics(Box<Sources>, Diagnostics),
    /// Any other error.
    Message(String),
    /// Ctrl-C, before there were results.
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
    anstream::eprint!("{}", render::to_text(warnings, sources, true));
}

/// Whether text on standard output is colored. `--color` decides, or else `NO_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR`, or
/// else whether it goes to a terminal.
fn has_color() -> bool {
    AutoStream::choice(&stdout()) != ColorChoice::Never
}

/// Writes to standard output. A reader that closes the pipe early is no failure.
fn print(text: &str) -> Result<(), Failure> {
    print_to(stdout().lock(), text)
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
    let matches = words::understand(Cli::command()).try_get_matches().unwrap_or_else(|error| refuse(&error));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| refuse(&error));
    cli.color.write_global();
    words::notes(&matches, std::env::args_os()).iter().for_each(|note| anstream::eprintln!("{note}"));
    file::set_force(cli.force);
    // `game solve` limits its tables by this option, which it tells before they are made.
    let limits_tables = matches!(&cli.command, Some(Command::Game(args)) if args.limits_tables());
    limits::set_max_memory(cli.max_memory.filter(|_| !limits_tables));
    let result: Result<Outcome, Failure> = match cli.command {
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Query(args)) => query::run(&args),
        Some(Command::Why(args)) => why::run(&args),
        Some(Command::WhyNot(args)) => why_not::run(&args),
        Some(Command::Repl(args)) => repl::run(&args),
        Some(Command::Facts(args)) => facts::run(&args),
        Some(Command::Watch(args)) => updates::run(&args),
        Some(Command::Test(args)) => test::run(&args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Fmt(args)) => fmt::run(args),
        Some(Command::Convert(args)) => convert::run(args),
        Some(Command::Compile(args)) => compile::run(&args),
        Some(Command::Plan(args)) => plan::run(args),
        Some(Command::Profile(args)) => profile::run(&args),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Games(args)) => games::run(&args),
        Some(Command::Game(args)) => game::run(args),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Match(args)) => matches::run(&args),
        Some(Command::Tournament(args)) => tournament::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Lsp(args)) => lsp::run(args),
        Some(Command::Studio(args)) => studio::run(&args),
        Some(Command::Hex(args)) => hex::run(args),
        Some(Command::Positional(args)) => positional::run(args),
        Some(Command::Prove(args)) => prove::run(&args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Completions(args)) => packaging::completions(&args, Cli::command()),
        Some(Command::Man(args)) => packaging::man(&args, Cli::command()),
        None => welcome(),
    };
    ExitCode::from(conclude(result, output::is_json(&matches)))
}

/// Says what there is, which is what `ludolog` does without arguments.
fn welcome() -> Result<Outcome, Failure> {
    print(concat!(
        "Ludolog ",
        env!("CARGO_PKG_VERSION"),
        ": game rules as logic\n\n",
        "  ludolog bench hex --quick   who has won at Hex? The question in many wordings, measured in some 20 seconds\n",
        "  ludolog play hex            a game by hand against a player; `ludolog games list` lists the games\n",
        "  ludolog query std:hex/reachability.dl 'win(P)' --position std:positions/5x5-longest.txt\n",
        "                              the answers of a rule file; `why` in the place of `query` explains one\n",
        "  ludolog check FILE          what is wrong with rules of your own\n",
        "  ludolog repl                rules and questions line by line\n",
        "  ludolog --help              all commands\n",
    ))?;
    Ok(Outcome::Success)
}

/// Says what is wrong with the arguments, or prints the help that they ask for, and ends the process.
fn refuse(error: &clap::Error) -> ! {
    if error.use_stderr() && output::is_json_in(std::env::args_os()) {
        _ = output::print_json(&output::refusal(error));
        std::process::exit(ERROR.into());
    }
    error.exit()
}

/// The exit status of an error.
const ERROR: u8 = 2;

/// The exit status of an answer that is neither "yes" nor "no".
const UNDEFINED: u8 = 3;

/// Tells why a command did not complete, if it did not. Returns the exit status.
fn conclude(result: Result<Outcome, Failure>, json: bool) -> u8 {
    let failure = match result {
        Ok(Outcome::Success) => return 0,
        Ok(Outcome::Negative) => return 1,
        Ok(Outcome::Undefined) => return UNDEFINED,
        Ok(Outcome::Failed) => return ERROR,
        Ok(Outcome::Interrupted) => {
            anstream::eprintln!("interrupted");
            return interrupt::EXIT_STATUS;
        }
        Err(failure) => failure,
    };
    match &failure {
        // Output that cannot be printed has no other place to be told than standard error.
        _ if json && output::print_json(&output::failure(&failure)).is_ok() => {}
        Failure::Diagnostics(sources, diagnostics) => show(sources, diagnostics),
        Failure::Message(message) => anstream::eprintln!("error: {message}"),
        Failure::Interrupted => anstream::eprintln!("interrupted"),
    }
    match failure {
        Failure::Interrupted => interrupt::EXIT_STATUS,
        Failure::Diagnostics(..) | Failure::Message(_) => ERROR,
    }
}
