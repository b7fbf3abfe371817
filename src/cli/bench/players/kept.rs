//! How often a search keeps the value of a solved state.

use super::{CONFIDENCE, GAME, PlayersArgs, RATE, budget, read, tell, watched};
use crate::cli::game::explain;
use crate::cli::players::database;
use crate::cli::{Failure, Outcome, interrupt};
use ludolog::bench::fields;
use ludolog::bench::playouts::per_second;
use ludolog::bench::report::{Field, Fields, Record};
use ludolog::engine::Budget;
use ludolog::game::{Draw, GameError, Move, PlayoutEnd, Role, State, StateMachine, StateMachineExt};
use ludolog::player::matches::thinking_time;
use ludolog::player::mcts::SearchSettings;
use ludolog::player::score::mean_with_confidence_95;
use ludolog::player::{GameReasoner, Mcts, Player};
use ludolog::propnet::NetMachine;
use ludolog::solve::Database;
use ludolog::syntax::Syntax;
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// Random playouts in a row without a new position, after which there are taken to be no more.
const PATIENCE: u64 = 10_000;

/// A state whose value a role keeps or gives away.
struct ValuedState {
    state: State,
    role: Role,
    keeping: HashSet<Move>,
}

fields! {
    PLAYER: "player" Plain;
    POSITIONS: "positions" Plain;
    KEPT: "value_kept" OfHundred; // The share of moves that kept the value of their state.
}

const COLUMNS: [(&str, Field); 6] = [
    ("game", GAME),
    ("player", PLAYER),
    ("positions", POSITIONS),
    ("value kept", KEPT),
    ("95 %", CONFIDENCE),
    ("playouts a second", RATE),
];

/// Asks the full search, and each variation that is named, about the same positions.
pub fn run(args: &PlayersArgs, path: &Path) -> Result<Outcome, Failure> {
    let [game] = &args.games[..] else {
        return Err(Failure::Message("a database is that of one game; give one GAME with --database".to_owned()));
    };
    let (name, rules) = read(game)?;
    let database = database(path)?;
    let GameReasoner::Net(_, machine) = &rules else { return Err(other_game(path, &name)) };
    if !rules.net().is_some_and(|net| database.is_of(net)) {
        return Err(other_game(path, &name));
    }
    let explain = |error| explain(&error, Syntax::Kif);
    let budget = budget();
    let positions = positions(&mut machine.clone(), &database, args.positions, args.seed, &budget).map_err(explain)?;
    let same = |_: &mut SearchSettings| {};
    let named = args.variation.iter().map(|variation| (variation.name, variation.change));
    let records = watched(false, interrupt::flag(), |monitor| {
        monitor.expect((1 + args.variation.len()) * positions.len());
        let mut records = Vec::new();
        for (player, change) in std::iter::once(("mcts", same as fn(&mut SearchSettings))).chain(named) {
            // By position: 100 where the value was kept, else 0.
            let mut kept = Vec::new();
            let mut playouts = 0;
            let mut time = Duration::ZERO;
            for (number, position) in (0..).zip(&positions) {
                if budget.check().is_err() || monitor.begin(&format!("{name}: {player}")).is_err() {
                    break;
                }
                let mut settings = SearchSettings { seed: args.seed.wrapping_add(number), ..SearchSettings::default() };
                change(&mut settings);
                // A tree of its own for each position.
                let mut mcts = Mcts::new(rules.game(&budget).map_err(explain)?, position.role, settings);
                mcts.prepare(&budget);
                let clock = budget.clone().with_time(thinking_time(args.play_clock));
                let choice = mcts.play(&position.state, &clock).map_err(explain)?;
                kept.push(if position.keeping.contains(&choice.made) { 100.0 } else { 0.0 });
                playouts += choice.report.playouts;
                time += choice.report.time;
            }
            let score = mean_with_confidence_95(&kept);
            let record = Record::default().with(GAME, name.as_str()).with(PLAYER, player).with(POSITIONS, kept.len());
            let record = record.with(KEPT, score.map(|(mean, _)| mean));
            let record = record.with(CONFIDENCE, score.map(|(_, interval)| interval));
            records.push(record.with(RATE, per_second(playouts, time)));
        }
        Ok::<_, Failure>(records)
    });
    tell(&records?, &COLUMNS, args.format, &budget)
}

fn other_game(path: &Path, name: &str) -> Failure {
    Failure::Message(format!("{} is no database of {name}; write one with `game solve --database`", path.display()))
}

/// Different states of random play in which some moves keep the value and others do not.
fn positions(
    machine: &mut NetMachine,
    database: &Database,
    count: u64,
    seed: u64,
    budget: &Budget,
) -> Result<Vec<ValuedState>, GameError> {
    let initial = machine.initial_state().clone();
    let mut draw = Draw::new(seed);
    let longest = machine.playout(&initial, usize::MAX, |_, moves| moves[draw.below(moves.len())])?.steps;
    let mut positions = Vec::new();
    let mut seen = HashSet::new();
    let mut idle = 0;
    while positions.len() < count as usize && idle < PATIENCE && budget.check().is_ok() {
        idle += 1;
        let steps = draw.below(longest.max(1));
        let played = machine.playout(&initial, steps, |_, moves| moves[draw.below(moves.len())])?;
        if played.end != PlayoutEnd::MaxSteps || !seen.insert(played.state.clone()) {
            continue;
        }
        if let Some(position) = position(machine, database, played.state)? {
            positions.push(position);
            idle = 0;
        }
    }
    Ok(positions)
}

/// A state as a question; `None` if all moves are as good.
fn position(machine: &mut NetMachine, database: &Database, state: State) -> Result<Option<ValuedState>, GameError> {
    let value = |machine: &NetMachine, state: &State| database.label(machine, state).and_then(|label| label.value);
    let Some(here) = value(machine, &state) else { return Ok(None) };
    let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
    let Some(chooser) = legal.iter().position(|moves| moves.len() > 1) else { return Ok(None) };
    let mut keeping = HashSet::new();
    for joint in machine.legal_joint_moves(&state)?.collect::<Vec<_>>() {
        let next = machine.next_state(&state, &joint)?;
        if value(machine, &next) == Some(here) {
            keeping.insert(joint[chooser]);
        }
    }
    let is_question = keeping.len() < legal[chooser].len();
    Ok(is_question.then_some(ValuedState { state, role: Role(chooser as u32), keeping }))
}
