//! Random playouts a CPU-second, of each wording on each reasoner under each optimization.
//!
//! All machines are made first and take turns then, so that what the machine does besides meets all of them alike.

use super::*;
use crate::playouts::{PlayoutCount, by_machine, by_net};
use ludolog_engine::{Budget, Setting, Work};
use ludolog_game::{GameError, Interpreted};
use ludolog_logic::optimize::Optimization;
use ludolog_player::game::Timed;
use ludolog_propnet::{Lanes, NetMachine, PlayoutPolicy, PlyGroup, TRIAL, Width, fastest};
use ludolog_syntax::ColdSort;

/// The reasoner that plays hundreds of games at once on a net.
pub const LANES: &str = "lanes";

/// The reasoner that asks a net state by state.
pub const NET: &str = "net";

/// Samples of each rate.
const ROUNDS: u32 = 5;

enum RateMachine {
    Lanes(Box<Lanes>, Width),
    Net(Box<NetMachine>),
    Rules(Box<Timed>),
}

impl RateMachine {
    fn play(&mut self, seed: u64, budget: &Budget, patience: &Budget) -> Result<PlayoutCount, GameError> {
        match self {
            RateMachine::Lanes(lanes, width) => Ok(by_net(lanes, *width, 1, seed, budget, patience)),
            RateMachine::Net(machine) => by_machine(&mut **machine, seed, budget, patience),
            RateMachine::Rules(machine) => by_machine(&mut **machine, seed, budget, patience),
        }
    }

    fn work(&self) -> u64 {
        match self {
            RateMachine::Rules(machine) => {
                let Work { derived, probes } = machine.rules().work();
                derived + probes
            }
            _ => 0,
        }
    }
}

/// A machine with what it has played.
struct RateRunner {
    /// The number of its rate in the report.
    rate: usize,
    machine: RateMachine,
    samples: Vec<f64>,
    moves: u64,
    work: u64,
    spent: Duration,
}

/// Measures all wordings.
pub(super) fn measure(
    setup: &WordingSetup,
    games: &[PlayableWording],
    results: &mut Record,
    monitor: &mut Monitor<'_>,
) -> Result<(), Interrupted> {
    monitor.expect(games.len() * (1 + ENGINES.len()) + ROUNDS as usize);
    let mut runners = Vec::new();
    for game in games {
        monitor.begin(&format!("{}: lanes", game.formulation.name))?;
        by_gates(setup, game, results, &mut runners);
        for engine in ENGINES {
            monitor.begin(&format!("{}: {}", game.formulation.name, engine.name))?;
            for optimization in Optimization::NAMED {
                let setting =
                    Setting { engine: engine.clone(), optimization: optimization.clone(), ..Setting::default() };
                let machine = Interpreted::with_setting(&game.program, setting, setup.ready());
                let rate = unmeasured(game, engine.name).with(OPTIMIZATION, optimization.to_string());
                match machine {
                    Ok(machine) => {
                        let is_as_written = machine.prepared().setting().optimization == Optimization::None;
                        let kept_as_written = is_as_written && optimization != Optimization::None;
                        let machine = RateMachine::Rules(Box::new(Timed::new(machine)));
                        enter(results, &mut runners, rate.with(KEPT_AS_WRITTEN, kept_as_written), machine);
                    }
                    Err(error) => results.push(RATES, rate.with(REASON, error.to_string())),
                }
            }
        }
    }
    for round in 0..ROUNDS {
        monitor.begin(&format!("random playouts, round {} of {ROUNDS}", round + 1))?;
        let mut rates: Vec<&mut Record> = results.records_mut(RATES).collect();
        for runner in runners.iter_mut().filter(|runner| runner.spent < setup.play.seconds) {
            sample(setup, round, runner, rates[runner.rate]);
            monitor.check()?;
        }
        // A sample that lasts longer than its share ends the sampling of its machine.
        runners.retain(|runner| !rates[runner.rate].has(REASON));
    }
    Ok(())
}

/// The rate of a wording on a reasoner that has not played yet.
fn unmeasured(game: &PlayableWording, reasoner: &str) -> Record {
    let rate = Record::of(RATE_ROW).with(FORMULATION, game.formulation.name).with(REASONER, reasoner);
    rate.with(KEPT_AS_WRITTEN, false).with(SAMPLES, 0_usize)
}

fn enter(results: &mut Record, runners: &mut Vec<RateRunner>, rate: Record, machine: RateMachine) {
    let place = results.list(RATES).len();
    let work = machine.work();
    results.push(RATES, rate);
    runners.push(RateRunner { rate: place, machine, samples: Vec::new(), moves: 0, work, spent: Duration::ZERO });
}

/// Enters the machines that evaluate the net of a game; the row tells why it has none.
fn by_gates(setup: &WordingSetup, game: &PlayableWording, results: &mut Record, runners: &mut Vec<RateRunner>) {
    let Some(net) = &game.net else { return };
    match fastest(net, PlayoutPolicy::Uniform, &PlyGroup::ALL, &Width::ALL, setup.play.seed, TRIAL, &setup.ready()) {
        Ok((lanes, width)) => {
            enter(results, runners, unmeasured(game, LANES), RateMachine::Lanes(Box::new(lanes), width))
        }
        Err(stopped) => results.push(RATES, unmeasured(game, LANES).with(REASON, stopped.to_string())),
    }
    enter(
        results,
        runners,
        unmeasured(game, NET),
        RateMachine::Net(Box::new(NetMachine::new(net, Budget::unlimited()))),
    );
}

fn sample(setup: &WordingSetup, round: u32, runner: &mut RateRunner, rate: &mut Record) {
    let share = setup.play.seconds / ROUNDS;
    let seed = setup.play.seed.wrapping_add(u64::from(round));
    let played = match runner.machine.play(seed, &setup.budget(share), &setup.ready()) {
        Ok(played) => played,
        Err(error) => {
            rate.set(REASON, error.to_string());
            return;
        }
    };
    if let Some(found) = played.playouts_in(played.cpu) {
        runner.spent += played.wall;
        runner.moves += played.tally.steps;
        runner.samples.push(found);
        runner.samples.cold_sort_by(f64::total_cmp);
        let [first, last] = [0, runner.samples.len() - 1].map(|place| runner.samples[place]);
        rate.set(RATE, [runner.samples[runner.samples.len() / 2], first, last]);
        rate.set(SAMPLES, runner.samples.len());
        let work = runner.machine.work() - runner.work;
        rate.set(WORK, (work > 0).then(|| work as f64 / runner.moves as f64));
    } else if !runner.samples.is_empty() {
        runner.spent = setup.play.seconds;
    } else if played.tally.playouts > 0 {
        rate.set(REASON, format!("no move was made in {} s", share.as_secs_f64()));
    } else {
        rate.set(REASON, format!("no playout ended in {} s", setup.play.timeout.as_secs_f64()));
    }
}
