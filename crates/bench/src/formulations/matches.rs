//! Matches at equal clock: the same tree search on two wordings of the rules, or with and without the optimizer.
//!
//! The time is that of the processor. Seats change after each match. The referee runs the ordinary wording.

use super::*;
use crate::playouts::per_second;
use ludolog_engine::Setting;
use ludolog_formulation::game::ORDINARY;
use ludolog_game::{Interpreted, Role};
use ludolog_logic::optimize::Optimization;
use ludolog_player::mcts::SearchSettings;
use ludolog_player::score::mean_with_confidence_95;
use ludolog_player::{Clocks, GameReasoner, Local, Match, Mcts, Player, Seat};
use ludolog_propnet::PlayoutPolicy;
use ludolog_syntax::budget::ThreadClock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Start clocks are so many play clocks: rules are loaded and optimized within them.
const START: u32 = 4;

/// A pair of players with the rules that they run.
struct Pair {
    pairing: Record,
    /// The wordings of both.
    names: [&'static str; 2],
    rules: [GameReasoner; 2],
    /// By match: the goal of the first.
    goals: Vec<f64>,
    /// Playouts of both, and the time that they took.
    playouts: [(u64, Duration); 2],
    faults: [usize; 2],
}

/// What came of a match, for the player and its opponent.
struct MatchEnd {
    pair: usize,
    /// The goal of the player; `None` if the match was interrupted or the referee failed.
    goal: Option<f64>,
    playouts: [(u64, Duration); 2],
    faults: [usize; 2],
}

/// Plays all pairs.
pub(super) fn play(
    setup: &WordingSetup,
    games: &[PlayableWording],
    results: &mut Record,
    monitor: &mut Monitor<'_>,
) -> Result<(), Interrupted> {
    let Some(ordinary) = games.iter().find(|game| game.formulation.name == ORDINARY.name) else { return Ok(()) };
    let mut pairs = pairs(setup, games, ordinary);
    let referee = rules_of(ordinary, &Interpreted::default_optimization(), true);
    let turns: Vec<(usize, u64)> =
        (0..setup.matches).flat_map(|number| (0..pairs.len()).map(move |pair| (pair, number))).collect();
    let turns: Vec<(usize, u64)> = turns.into_iter().filter(|(pair, _)| !pairs[*pair].pairing.has(REASON)).collect();
    monitor.expect(turns.len());
    let next = AtomicUsize::new(0);
    let (tell, told) = mpsc::channel::<MatchEnd>();
    let all: Vec<[GameReasoner; 2]> = pairs.iter().map(|pair| pair.rules.clone()).collect();
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for _ in 0..setup.threads.max(1) {
            let tell = tell.clone();
            let next = &next;
            let turns = &turns;
            let all = &all;
            let referee = &referee;
            scope.spawn(move || {
                while let Some(&(pair, number)) = turns.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = one(setup, pair, number, &all[pair], referee);
                    if tell.send(ended).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        for ended in told {
            let pair = &mut pairs[ended.pair];
            let kind = title(pair.pairing.text(KIND));
            let [player, opponent] = pair.names;
            result = monitor.begin(&format!("matches, {kind}: {player} against {opponent}"));
            if result.is_err() {
                break;
            }
            pair.enter(&ended);
        }
    });
    results.set(PAIRINGS, pairs.into_iter().map(|pair| pair.pairing).collect::<Vec<_>>());
    result
}

impl Pair {
    /// Two players, each with a wording and an optimization.
    fn new(kind: &str, players: [(&PlayableWording, &Optimization); 2]) -> Pair {
        let as_net = kind == NETS;
        let [player, opponent] = players.map(|(game, optimization)| side(game, optimization, as_net));
        let pairing = Record::of(PAIRING).with(KIND, kind).with(PLAYER, player).with(OPPONENT, opponent);
        let mut pair = Pair {
            pairing,
            names: players.map(|(game, _)| game.formulation.name),
            rules: players.map(|(game, optimization)| rules_of(game, optimization, as_net)),
            goals: Vec::new(),
            playouts: [(0, Duration::ZERO); 2],
            faults: [0; 2],
        };
        pair.tell();
        pair
    }

    fn enter(&mut self, ended: &MatchEnd) {
        let Some(goal) = ended.goal else { return };
        self.goals.push(goal);
        for side in 0..2 {
            self.playouts[side].0 += ended.playouts[side].0;
            self.playouts[side].1 += ended.playouts[side].1;
            self.faults[side] += ended.faults[side];
        }
        self.tell();
    }

    /// Enters the results so far.
    fn tell(&mut self) {
        let score = mean_with_confidence_95(&self.goals);
        self.pairing.set(MATCHES, self.goals.len());
        self.pairing.set(MEAN, score.map(|(mean, _)| mean));
        self.pairing.set(CONFIDENCE, score.map(|(_, interval)| interval));
        self.pairing.set(SEARCH_RATES, self.playouts.map(|(playouts, time)| per_second(playouts, time)));
        self.pairing.set(FAULTS, self.faults);
    }
}

/// Each wording against the ordinary one, as nets and interpreted, and each against itself without the optimizer.
fn pairs(setup: &WordingSetup, games: &[PlayableWording], ordinary: &PlayableWording) -> Vec<Pair> {
    let optimization = Interpreted::default_optimization();
    let mut pairs = Vec::new();
    for kind in [NETS, INTERPRETED] {
        for game in games.iter().filter(|game| game.formulation.name != ORDINARY.name) {
            // Two that are interpreted both are no pair of nets.
            let is_net = [game, ordinary].iter().any(|game| game.net.is_some());
            if kind == NETS && !is_net {
                continue;
            }
            pairs.push(Pair::new(kind, [game, ordinary].map(|game| (game, &optimization))));
        }
    }
    for game in games {
        let mut pair = Pair::new(OPTIMIZER, [(game, &optimization), (game, &Optimization::None)]);
        let setting = Setting { optimization: optimization.clone(), ..Setting::default() };
        let reason = match Interpreted::with_setting(&game.program, setting, setup.ready()) {
            Ok(machine) if machine.prepared().setting().optimization == Optimization::None => {
                Some("no matches, since the optimized rules take no less work and are given up".to_owned())
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        pair.pairing.set(REASON, reason);
        pairs.push(pair);
    }
    pairs
}

fn side(game: &PlayableWording, optimization: &Optimization, as_net: bool) -> Record {
    let is_net = as_net && game.net.is_some();
    let side = Record::default().with(FORMULATION, game.formulation.name);
    let side = side.with(REASONER, if is_net { "net" } else { "interpreted" });
    side.with(OPTIMIZATION, (!is_net).then(|| optimization.to_string()))
}

fn rules_of(game: &PlayableWording, optimization: &Optimization, as_net: bool) -> GameReasoner {
    match &game.net {
        Some(net) if as_net => GameReasoner::of_net(net.clone()),
        _ => {
            let setting = Setting { optimization: optimization.clone(), ..Setting::default() };
            GameReasoner::with_setting(&game.program, setting)
        }
    }
}

/// One match. The player has the first seat in every other one.
fn one(setup: &WordingSetup, pair: usize, number: u64, rules: &[GameReasoner; 2], referee: &GameReasoner) -> MatchEnd {
    let mut ended = MatchEnd { pair, goal: None, playouts: [(0, Duration::ZERO); 2], faults: [0; 2] };
    let budget = setup.play.limits.clone().with_clock(Arc::new(ThreadClock)).with_time(Duration::MAX);
    let Ok(mut game) = referee.game(&budget) else { return ended };
    let roles = game.machine().roles().len();
    // By role: 0 for the player, 1 for its opponent.
    let sides: Vec<usize> = (0..roles).map(|role| (role + number as usize) % 2).collect();
    let seed = setup.play.seed.wrapping_add(number);
    let seat = |(role, &side): (usize, &usize)| -> Box<dyn Seat> {
        let settings = SearchSettings {
            seed: seed.wrapping_mul(2).wrapping_add(side as u64),
            // Those that look ahead are of some formulations only: the reasoners are compared, not what is asked of them.
            playout_policy: PlayoutPolicy::Uniform,
            ..SearchSettings::default()
        };
        let make = Box::new(move |game, role| Ok(Box::new(Mcts::new(game, role, settings.clone())) as Box<dyn Player>));
        Box::new(Local::new(rules[side].clone(), Role(role as u32), "mcts", make))
    };
    let mut seats: Vec<Box<dyn Seat>> = sides.iter().enumerate().map(seat).collect();
    let clocks = Clocks { start: START * setup.play_clock, play: setup.play_clock };
    let played = Match { game: &mut game, seats: &mut seats, clocks, max_steps: setup.board.len() + 1, seed };
    let Ok(record) = played.play(&budget, |_| {}) else { return ended };
    for (role, &side) in sides.iter().enumerate() {
        ended.playouts[side] = record.playouts(role);
        ended.faults[side] = record.faults(role).count();
        if side == 0 && record.end.is_some() {
            ended.goal = record.goals[role].map(|goal| goal as f64);
        }
    }
    ended
}
