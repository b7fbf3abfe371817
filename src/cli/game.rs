//! `ludolog game`: rulesheets as games.

mod compare;
mod explain;
mod learn;
mod net;
mod playouts;
pub mod reasoner;
mod show;
mod solve;
mod trace;
mod tree;

use super::case::{StateArgs, duration};
use super::{Failure, Outcome, counted, limits};
use clap::{Args, Subcommand};
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Setting, Stopped};
use ludolog::game::{GameError, Interpreted, JointMove, State, StateMachine, StateMachineExt, canonical};
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Formula, Term};
use ludolog::syntax::{self, Syntax};
use std::time::Duration;

#[derive(Args)]
pub struct GameArgs {
    #[command(subcommand)]
    command: GameCommand,
}

impl GameArgs {
    /// Whether `--max-memory` is the limit of the command's own tables.
    pub fn limits_tables(&self) -> bool {
        matches!(self.command, GameCommand::Solve(_))
    }
}

#[derive(Subcommand)]
enum GameCommand {
    /// Draw a state of a game, at first or after some moves, with its legal moves, end and goals
    ///
    /// Drawn are the boards that the rulesheet states by `picture_cell`, or else those that are recognized among the
    /// facts; other facts are listed.
    Show(show::ShowArgs),
    /// Show why something holds after some joint moves: a legal move, a goal, the end, any fact; or why it does not
    ///
    /// If it holds, its derivation, as `why` shows it; else the rules that could derive it, each with the first
    /// condition that fails, as `why-not` shows them. Exit status: 0 if it holds, 1 if it does not, 2 on error.
    Explain(explain::GameExplainArgs),
    /// Play at random for some seconds: how many playouts, how long, with which goals
    Playouts(playouts::PlayoutsArgs),
    /// Learn what states of a game for two are worth, and print what weighs most
    ///
    /// Weights of facts, and of facts that hold together, are learned from random games, then from games of alpha-beta
    /// search against itself. With `--output`, `match`, `serve` and `tournament` play by them with `--judge`. Needs a net.
    Learn(learn::LearnArgs),
    /// Show a game as a network of gates: its sizes step by step, or a picture
    Net(net::NetArgs),
    /// Count the sequences of joint moves of each length, and the states that they lead to
    Perft(trace::PerftArgs),
    /// Play by seeds and find all states after a few moves, with digests that other reasoners can be compared by
    Trace(trace::TraceArgs),
    /// Label all states of a small game with what best play comes to, and print the tree
    Tree(tree::TreeArgs),
    /// Solve a whole game: find all its states, and who wins each of them under best play
    ///
    /// For two roles that take turns and whose goals are opposed, states are won, lost or drawn; for one role, each has
    /// the best goal that can be reached. Needs a net, and memory for all states. Exit status: 0 if the game is solved,
    /// 2 if not, 130 after Ctrl-C, also with the states found until then.
    Solve(solve::SolveArgs),
    /// Compare the interpreted rules and the net on random playouts
    ///
    /// Exit status: 0 if they agree, 1 if they part, 2 on error.
    #[command(alias = "verify")]
    Compare(compare::CompareArgs),
}

/// The time of a command.
#[derive(Args)]
struct TimeArgs {
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
}

impl TimeArgs {
    /// The budget of a run that starts now.
    fn start(&self) -> Budget {
        budget(self.timeout)
    }
}

pub fn run(args: GameArgs) -> Result<Outcome, Failure> {
    match args.command {
        GameCommand::Show(args) => show::run(&args),
        GameCommand::Explain(args) => explain::run(&args),
        GameCommand::Playouts(args) => playouts::run(&args),
        GameCommand::Learn(args) => learn::run(&args),
        GameCommand::Net(args) => net::run(&args),
        GameCommand::Perft(args) => trace::perft(&args),
        GameCommand::Trace(args) => trace::trace(&args),
        GameCommand::Tree(args) => tree::run(&args),
        GameCommand::Solve(args) => solve::run(&args),
        GameCommand::Compare(args) => compare::run(&args),
    }
}

/// Makes joint moves, which are read from texts, one after the other.
fn play(
    game: &mut impl StateMachine,
    state: &mut State,
    moves: &[String],
    syntax: Syntax,
    sources: &mut Sources,
) -> Result<(), Failure> {
    for (step, text) in moves.iter().enumerate() {
        let (joint, _) = joint_move(game, state, step, text, syntax, sources)?;
        *state = game.next_state(state, &joint).map_err(|error| explain(&error, syntax))?;
    }
    Ok(())
}

/// Reads a joint move that is legal after `step` others; with its moves as terms.
fn joint_move(
    game: &mut impl StateMachine,
    state: &State,
    step: usize,
    text: &str,
    syntax: Syntax,
    sources: &mut Sources,
) -> Result<(JointMove, Vec<Term>), Failure> {
    let explain = |error| explain(&error, syntax);
    let moves = read_moves(text, game.roles().len(), syntax, sources)?;
    if game.is_terminal(state).map_err(explain)? {
        return Err(Failure::Message(format!("the game is over after {}", counted(step, "joint move"))));
    }
    Ok((game.joint_move(state, &moves).map_err(explain)?, moves))
}

/// The facts `true(F)` of the state that joint moves lead to from the initial one, and `does(R, M)` of a joint move
/// that is considered there.
pub fn state_after(
    program: &StratifiedProgram,
    args: &StateArgs,
    syntax: Syntax,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Vec<Atom>, Failure> {
    let setting = Setting { optimization: Optimization::None, ..Setting::default() };
    let mut game =
        Interpreted::with_setting(program, setting, budget.clone()).map_err(|error| explain(&error, syntax))?;
    let mut state = game.initial_state().clone();
    play(&mut game, &mut state, &args.moves, syntax, sources)?;
    let mut facts: Vec<Atom> = game.facts(&state).into_iter().map(|fact| Atom::new("true", vec![fact])).collect();
    if let Some(text) = &args.does {
        let (_, moves) = joint_move(&mut game, &state, args.moves.len(), text, syntax, sources)?;
        let roles = game.roles().iter().cloned();
        facts.extend(roles.zip(moves).map(|(role, made)| Atom::new("does", vec![role, made])));
    }
    Ok(facts)
}

/// Reads a joint move: the moves one after the other, with or without parentheses around them all. A text that begins
/// with a parenthesis is KIF.
fn read_moves(text: &str, roles: usize, syntax: Syntax, sources: &mut Sources) -> Result<Vec<Term>, Failure> {
    let trimmed = text.trim();
    let syntax = if trimmed.starts_with('(') { Syntax::Kif } else { syntax };
    let inner = trimmed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut read = |text: &str| match syntax {
        Syntax::Kif => arguments(&format!("(moves {text})"), syntax, sources),
        Syntax::Datalog => arguments(&format!("moves({})", with_commas(text)), syntax, sources),
    };
    let whole = read(trimmed);
    match (&whole, inner) {
        (Some(moves), _) if moves.len() == roles => {}
        // `(noop (mark 1 1))`: the parentheses around all of them.
        (_, Some(inner)) => {
            if let Some(moves) = read(inner).filter(|moves| whole.is_none() || moves.len() == roles) {
                return Ok(moves);
            }
        }
        _ => {}
    }
    let example = match syntax {
        Syntax::Kif => "(mark 1 1) noop",
        Syntax::Datalog => "mark(1, 1) noop",
    };
    whole.ok_or_else(|| {
        Failure::Message(format!("`{text}` is no joint move; write one move for each role, as in '{example}'"))
    })
}

/// Moves of the syntax dl with commas between them, where they are printed with blanks: `mark(1, 1) noop`.
fn with_commas(moves: &str) -> String {
    let mut depth = 0;
    let mut is_quoted = false;
    let mut parts = vec![String::new()];
    for c in moves.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => depth -= 1,
            _ => {}
        }
        let is_between = depth == 0 && !is_quoted && (c == ',' || c.is_whitespace());
        match parts.last_mut() {
            Some(part) if !is_between => part.push(c),
            Some(part) if !part.is_empty() => parts.push(String::new()),
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The arguments of an atom, if the text is one without variables.
fn arguments(text: &str, syntax: Syntax, sources: &mut Sources) -> Option<Vec<Term>> {
    let mut query = syntax::parse_goal(text, sources, Some(syntax)).ok()?;
    match (query.body.pop()?, query.body.is_empty()) {
        (Formula::Atom(atom), true) if atom.is_ground() => Some(atom.args),
        _ => None,
    }
}

/// Most facts that a game holds at once: some gigabytes.
const MAX_FACTS: u64 = 20_000_000;

/// The budget of a command that starts now.
fn budget(timeout: Duration) -> Budget {
    limits::budget().with_timeout(timeout).with_max_facts(MAX_FACTS)
}

/// The state that a message is about, by its facts, in a line of its own; empty if there are none.
fn in_state(facts: &[Term]) -> String {
    match facts {
        [] => String::new(),
        facts => format!("\nin the state {}", facts.iter().map(canonical::text).collect::<Vec<_>>().join(" ")),
    }
}

/// The message for a question that could not be answered, with a way out.
pub fn explain(error: &GameError, syntax: Syntax) -> Failure {
    let text = error.text(syntax);
    Failure::Message(match error.stopped() {
        Some(Stopped::Interrupted) => return Failure::Interrupted,
        Some(Stopped::Timeout(_)) => format!("{text}; give it more time with --timeout"),
        Some(Stopped::TermTooLarge(_)) => format!("{text}; bound the recursion that builds it"),
        Some(Stopped::TooManyFacts(_)) => {
            format!("{text}; give its rules fewer variables, or conditions that leave fewer values for them")
        }
        _ => text,
    })
}
