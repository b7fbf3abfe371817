//! The cost of asking "is it won?" after each move of a game, from scratch and incrementally.

use super::MatrixSetup;
use crate::corpus::NamedPosition;
use crate::matrix::*;
use crate::measure::{Spread, time};
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::{Fields, Record, Report};
use crate::task::Task;
use ludolog_engine::{Budget, Engine, EngineDescription, RESOLUTION, SEMI_NAIVE, Stopped};
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Term};
use std::time::{Duration, Instant};

/// The variants: formulation, engine, and whether one engine is updated incrementally.
const VARIANTS: [(&str, &EngineDescription, bool); 5] = [
    ("reachability", &SEMI_NAIVE, false),
    ("reachability", &SEMI_NAIVE, true),
    ("connected", &SEMI_NAIVE, true),
    ("cluster", &SEMI_NAIVE, true),
    ("cluster", &RESOLUTION, true),
];

/// A variant that replays a game: each move is an atom, inserted as a fact or fired as an event.
struct ReplayedVariant<'a> {
    task: &'a Task,
    stones: Vec<Atom>,
    by_events: bool,
    incremental: bool,
}

/// Replays the game in all variants, as often as the budget allows. A wrong answer is a failure.
pub fn run(
    setup: &MatrixSetup,
    entry: &NamedPosition,
    monitor: &mut Monitor<'_>,
    report: &mut Report,
) -> Result<(), Interrupted> {
    let truth = truth(&entry.position);
    let own = setup.own().flat_map(|name| [false, true].map(|incremental| (name, &SEMI_NAIVE, incremental)));
    for (name, engine, incremental) in VARIANTS.into_iter().chain(own) {
        let Some(subject) = setup.formulations.iter().find(|other| other.name() == name) else { continue };
        if !setup.has(name, engine) {
            continue;
        }
        let mut game = Record::of(FOLLOWED).with(GAME, entry.name.as_str()).with(FORMULATION, name);
        game.set(OPTIMIZATION, Optimization::Auto.to_string());
        game.set(ENGINE, engine.name);
        game.set(INCREMENTAL, incremental);
        game.set(WON_AT, truth.iter().position(|won| *won).map(|i| i + 1));
        monitor.begin(&format!("playing {} by {}", entry.name, way(&game)))?;
        let wording = match subject.wording(entry.position.board()) {
            Ok(wording) => wording,
            Err(error) => {
                report.results.push(GAMES, game.with(REASON, error.to_string()));
                continue;
            }
        };
        let case = wording.case(&entry.position);
        let task = wording.optimize(&Optimization::Auto, engine, &case, &setup.variants.sampling.optimizer_budget());
        let by_events = !case.events.is_empty();
        let stones = if by_events {
            entry.position.events()
        } else {
            entry.position.moves().map(|(player, cell)| stone(player.name(), cell.number())).collect()
        };
        let sampled =
            task.and_then(|task| ReplayedVariant { task: &task, stones, by_events, incremental }.sample(setup));
        match sampled {
            Ok((times, answers)) => {
                if let Some(i) = (0..truth.len()).find(|&i| answers[i] != truth[i]) {
                    report.fail(format!("{}: wrong after move {} of {}", way(&game), i + 1, entry.name));
                }
                game.set(PER_MOVE, times.iter().sum::<u64>() as f64 / times.len().max(1) as f64);
                game.set(MOVES, times);
            }
            Err(Stopped::Interrupted) => return Err(Interrupted),
            Err(stopped) => game.set(REASON, stopped.to_string()),
        }
        report.results.push(GAMES, game);
    }
    Ok(())
}

/// Whether the game is won, after each move.
fn truth(game: &Position) -> Vec<bool> {
    let mut position = Position::new(game.board());
    for (player, cell) in game.setup() {
        position.place(player, cell);
    }
    let after = |(player, cell)| {
        position.place(player, cell);
        position.winner().is_some()
    };
    game.moves().map(after).collect()
}

fn stone(player: &str, number: u32) -> Atom {
    Atom::new("stone", vec![Term::symbol(player), Term::Integer(i64::from(number))])
}

impl ReplayedVariant<'_> {
    /// The median time of each move over several games, and the answers.
    fn sample(&self, setup: &MatrixSetup) -> Result<(Vec<u64>, Vec<bool>), Stopped> {
        let start = Instant::now();
        let mut answers = Vec::new();
        let mut samples: Vec<Vec<Duration>> = vec![Vec::new(); self.stones.len()];
        let sampling = &setup.variants.sampling;
        loop {
            answers.clear();
            for (samples, (took, won)) in samples.iter_mut().zip(self.play(setup)?) {
                samples.push(took);
                answers.push(won);
            }
            let games = samples.first().map_or(0, Vec::len);
            let enough = games >= sampling.min_samples && start.elapsed() >= sampling.budget;
            if enough || games >= sampling.max_samples || games == 0 {
                break;
            }
        }
        Ok((samples.into_iter().map(|times| Spread::of(times).median_ns).collect(), answers))
    }

    /// Replays one game: the time of each move, and whether the game is won after it.
    fn play(&self, setup: &MatrixSetup) -> Result<Vec<(Duration, bool)>, Stopped> {
        let budget = setup.variants.sampling.budget();
        let mut living = self.task.start()?;
        living.update(&budget)?;
        let mut moves = Vec::with_capacity(self.stones.len());
        for (i, stone) in self.stones.iter().enumerate() {
            let (took, won) = if self.incremental {
                time(|| self.hear(&mut *living, stone, &budget))
            } else {
                let mut fresh = self.task.start()?;
                for stone in &self.stones[..i] {
                    fresh.insert(stone)?;
                }
                time(|| self.hear(&mut *fresh, stone, &budget))
            };
            moves.push((took, won?));
        }
        Ok(moves)
    }

    /// Adds a stone to the engine, updates it, and asks for a win.
    fn hear(&self, engine: &mut dyn Engine, stone: &Atom, budget: &Budget) -> Result<bool, Stopped> {
        if self.by_events {
            engine.fire(stone, budget)?;
        } else {
            _ = engine.insert(stone)?;
        }
        engine.update(budget)?;
        Ok(self.task.ask(engine, budget)?.unwrap_or(false))
    }
}
