//! `ludolog play`: a game by hand against players, from a terminal or from a script on standard input.
//!
//! * `input`: commands, and moves by number or by text.
//! * `session`: the game under way, which carries out inputs.
//! * `hand`: the seat of whoever plays by hand.
//! * `reasons`: why something holds, or does not.
//! * `terminal`: lines from an editor, with history and completion.

mod hand;
mod input;
mod reasons;
mod session;
mod terminal;

use super::case::duration;
use super::game::explain;
use super::matches::{Arena, ClockArgs, Contestant, RecordArgs};
use super::players::PlayerArgs;
use super::progress::ProgressLine;
use super::rulesheet::RulesheetArgs;
use super::{Failure, Outcome, counted, limits, print, scene, show};
use clap::Args;
use ludolog::analysis::is_random;
use ludolog::diagnostic::Sources;
use ludolog::game::{StateMachine, StateMachineExt};
use ludolog::player::{PLAYERS, PlayerKind};
use ludolog::syntax::print_term;
use reasons::Reasons;
use session::{PlaySession, PlaySetup};
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::time::Duration;

/// The player that stands for chance.
const RANDOM: &str = "random";

#[derive(Args)]
#[command(mut_arg("start_clock", |arg| arg.default_value("3s")))]
pub struct PlayArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// A role to play by hand; give it again for several [default: the first role that has a choice]
    #[arg(long = "as", value_name = "ROLE")]
    roles: Vec<String>,
    /// Who plays the other roles, one player for all or one for each, in order: those below, or the address of one
    /// behind HTTP, as http://localhost:9147; a role `random` moves at random
    #[arg(long, value_name = "PLAYER", value_delimiter = ',', default_value = "auto")]
    against: Vec<Contestant>,
    #[command(flatten)]
    clocks: ClockArgs,
    #[command(flatten)]
    options: PlayerArgs,
    /// Stop after this many joint moves
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_steps: usize,
    #[command(flatten)]
    files: RecordArgs,
    /// Stop reading, grounding and explaining after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
}

/// Plays until the end of the inputs.
pub fn run(args: &PlayArgs) -> Result<Outcome, Failure> {
    args.files.check()?;
    let setup = setup(args)?;
    let options = args.options.read(std::slice::from_ref(&setup.arena))?;
    let of_role = |role| options.of(0, role);
    let mut session = PlaySession::start(setup, &of_role)?;
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let played = if is_terminal { terminal::run(&mut session) } else { script(&mut session, std::io::stdin().lock()) };
    session.leave()?;
    let (about, record) = session.about();
    args.files.write(about, record, session.stated())?;
    played.map(|()| Outcome::Success)
}

/// Reads the game, and says who plays which role.
fn setup(args: &PlayArgs) -> Result<PlaySetup, Failure> {
    let budget = || limits::budget().with_timeout(args.timeout);
    if args.rulesheet.game == Path::new("-") {
        return Err(Failure::Message("standard input has the moves; the game has to be a file".to_owned()));
    }
    let mut sources = Sources::new();
    let rulesheet = args.rulesheet.open()?;
    let analyzed = rulesheet.analyze(&mut sources, &budget())?;
    let arena = Arena::of(&rulesheet, &analyzed.stratified, &budget())?;
    let mut game = arena.referee(&budget())?;
    let progress = ProgressLine::new("looking at the game");
    let possible = game.possible_facts();
    let sampling = budget().with_time(scene::SAMPLING.min(args.timeout));
    let scene = scene::of_game(arena.scene.clone(), game.machine(), &possible, &sampling);
    drop(progress);
    game.machine().set_budget(budget());
    let by_hand = by_hand(args, &arena, game.machine())?;
    let players = players(args, &arena, &by_hand)?;
    let reasons = Reasons::new(analyzed, sources, &arena.roles, arena.syntax);
    let adviser = Contestant::Here(PlayerKind(&PLAYERS[0]));
    let clocks = args.clocks.clocks();
    let max_steps = args.max_steps;
    let seed = args.options.seed();
    Ok(PlaySetup { arena, game, scene, reasons, players, adviser, clocks, max_steps, timeout: args.timeout, seed })
}

/// By role: whether it is played by hand.
fn by_hand(args: &PlayArgs, arena: &Arena, machine: &mut dyn StateMachine) -> Result<Vec<bool>, Failure> {
    let names: Vec<String> = arena.roles.iter().map(|role| print_term(role, arena.syntax)).collect();
    let mut by_hand = vec![false; names.len()];
    for wanted in &args.roles {
        let role = names.iter().position(|name| name.eq_ignore_ascii_case(wanted.trim()));
        let unknown = || Failure::Message(format!("there is no role `{wanted}`; there are {}", names.join(", ")));
        by_hand[role.ok_or_else(unknown)?] = true;
    }
    if args.roles.is_empty() {
        let state = machine.initial_state().clone();
        let legal = machine.legal_terms(&state).map_err(|error| explain(&error, arena.syntax))?;
        let chooser = legal.iter().position(|(role, moves)| moves.len() > 1 && !is_random(role));
        let player = || legal.iter().position(|(role, _)| !is_random(role));
        by_hand[chooser.or_else(player).unwrap_or(0)] = true;
    }
    Ok(by_hand)
}

/// By role: who plays it; `None` where it is played by hand.
fn players(args: &PlayArgs, arena: &Arena, by_hand: &[bool]) -> Result<Vec<Option<Contestant>>, Failure> {
    let chance = PLAYERS.iter().find(|player| player.name == RANDOM).expect("there is a random player");
    let others: Vec<usize> =
        (0..by_hand.len()).filter(|&role| !by_hand[role] && !is_random(&arena.roles[role])).collect();
    let is_one = args.against.len() == 1;
    if !is_one && args.against.len() != others.len() {
        let names: Vec<String> = others.iter().map(|&role| print_term(&arena.roles[role], arena.syntax)).collect();
        return Err(Failure::Message(format!(
            "--against takes one player, or {} in this order: {}; {} given",
            counted(others.len(), "player"),
            names.join(", "),
            args.against.len()
        )));
    }
    let mut players: Vec<Option<Contestant>> =
        by_hand.iter().map(|by_hand| (!by_hand).then_some(Contestant::Here(PlayerKind(chance)))).collect();
    for (place, &role) in others.iter().enumerate() {
        let player = args.against[if is_one { 0 } else { place }].clone();
        player.check(arena)?;
        players[role] = Some(player);
    }
    Ok(players)
}

/// Carries out lines, each of which is shown behind its prompt.
fn script(session: &mut PlaySession, lines: impl BufRead) -> Result<(), Failure> {
    for line in lines.lines() {
        let line = line.map_err(|error| Failure::Message(format!("cannot read standard input: {error}")))?;
        print(&format!("{}{line}\n", session.prompt()))?;
        match session.carry_out(&line) {
            Ok(flow) if flow.is_break() => break,
            Ok(_) => {}
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => tell(&failure)?,
        }
    }
    Ok(())
}

/// Says what is wrong with a line: part of the conversation, on standard output.
fn tell(failure: &Failure) -> Result<(), Failure> {
    match failure {
        Failure::Diagnostics(sources, wrong) => {
            show(sources, wrong);
            Ok(())
        }
        Failure::Message(message) => print(&format!("{message}\n")),
        Failure::Interrupted => print("interrupted\n"),
    }
}
