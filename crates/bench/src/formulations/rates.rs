//! Random playouts a CPU-second, of each wording on each reasoner under each optimization.
//!
//! All machines are made first and take turns then, so that what the machine does besides meets all of them alike.

use super::{Game, Interrupted, Rate, Report, Setup, begin};
use crate::monitor::Monitor;
use crate::playouts::{Played, TRIAL, Width, by_machine, by_net, fastest};
use ludolog_engine::{Budget, Setting, Work};
use ludolog_game::{GameError, Interpreted};
use ludolog_logic::optimize::Optimization;
use ludolog_player::game::Timed;
use ludolog_propnet::{Lanes, Mode, NetMachine};
use std::time::Duration;

/// The reasoner that plays hundreds of games at once on a net.
pub const LANES: &str = "lanes";

/// The reasoner that asks a net state by state.
pub const NET: &str = "net";

/// Samples of each rate.
const SAMPLES: u32 = 5;

enum Machine {
    Lanes(Lanes, Width),
    Net(Box<NetMachine>),
    Rules(Box<Timed>),
}

impl Machine {
    fn play(&mut self, seed: u64, budget: &Budget, patience: &Budget) -> Result<Played, GameError> {
        match self {
            Machine::Lanes(lanes, width) => Ok(by_net(lanes, *width, 1, seed, budget, patience)),
            Machine::Net(machine) => by_machine(&mut **machine, seed, budget, patience),
            Machine::Rules(machine) => by_machine(&mut **machine, seed, budget, patience),
        }
    }

    fn work(&self) -> u64 {
        match self {
            Machine::Rules(machine) => {
                let Work { derived, probes } = machine.rules().work();
                derived + probes
            }
            _ => 0,
        }
    }
}

/// A machine with what it has played.
struct Runner {
    /// The number of its rate in the report.
    rate: usize,
    machine: Machine,
    samples: Vec<f64>,
    moves: u64,
    work: u64,
    spent: Duration,
}

/// Measures all wordings.
pub(super) fn measure(
    setup: &Setup,
    games: &[Game],
    report: &mut Report,
    monitor: &mut Monitor<'_>,
) -> Result<(), Interrupted> {
    monitor.expect(games.len() * (1 + setup.engines.len()) + SAMPLES as usize);
    let mut runners = Vec::new();
    for game in games {
        begin(monitor, &format!("{}: lanes", game.formulation.name))?;
        by_gates(setup, game, report, &mut runners);
        for &engine in &setup.engines {
            begin(monitor, &format!("{}: {}", game.formulation.name, engine.name))?;
            for optimization in &setup.optimizations {
                let setting = Setting { engine, optimization: optimization.clone(), ..Setting::default() };
                let machine = Interpreted::with_setting(&game.program, setting, setup.ready());
                let rate = Rate { optimization: Some(optimization.to_string()), ..empty(game, engine.name) };
                match machine {
                    Ok(machine) => {
                        let is_as_written = machine.prepared().setting().optimization == Optimization::None;
                        let kept_as_written = is_as_written && *optimization != Optimization::None;
                        let machine = Machine::Rules(Box::new(Timed::new(machine)));
                        enter(report, &mut runners, Rate { kept_as_written, ..rate }, machine);
                    }
                    Err(error) => report.rates.push(Rate { reason: Some(error.to_string()), ..rate }),
                }
            }
        }
    }
    for round in 0..SAMPLES {
        begin(monitor, &format!("random playouts, round {} of {SAMPLES}", round + 1))?;
        for runner in runners.iter_mut().filter(|runner| runner.spent < setup.seconds) {
            sample(setup, round, runner, &mut report.rates);
            if monitor.is_interrupted() {
                return Err(Interrupted);
            }
        }
        // A sample that lasts longer than its share ends the sampling of its machine.
        runners.retain(|runner| report.rates[runner.rate].reason.is_none());
    }
    Ok(())
}

fn empty(game: &Game, reasoner: &'static str) -> Rate {
    Rate {
        formulation: game.formulation.name,
        reasoner,
        optimization: None,
        kept_as_written: false,
        playouts_per_cpu_second: None,
        samples: 0,
        work_per_move: None,
        reason: None,
    }
}

fn enter(report: &mut Report, runners: &mut Vec<Runner>, rate: Rate, machine: Machine) {
    let work = machine.work();
    let rate = {
        report.rates.push(rate);
        report.rates.len() - 1
    };
    runners.push(Runner { rate, machine, samples: Vec::new(), moves: 0, work, spent: Duration::ZERO });
}

/// Enters the machines that evaluate the net of a game; the row tells why it has none.
fn by_gates(setup: &Setup, game: &Game, report: &mut Report, runners: &mut Vec<Runner>) {
    let Some(net) = &game.net else { return };
    match fastest(net, &Mode::ALL, &Width::ALL, setup.seed, TRIAL, &setup.ready()) {
        Ok((lanes, width)) => enter(report, runners, empty(game, LANES), Machine::Lanes(lanes, width)),
        Err(stopped) => report.rates.push(Rate { reason: Some(stopped.to_string()), ..empty(game, LANES) }),
    }
    enter(report, runners, empty(game, NET), Machine::Net(Box::new(NetMachine::new(net, Budget::unlimited()))));
}

fn sample(setup: &Setup, round: u32, runner: &mut Runner, rates: &mut [Rate]) {
    let share = setup.seconds / SAMPLES;
    let seed = setup.seed.wrapping_add(u64::from(round));
    let played = runner.machine.play(seed, &setup.budget(share), &setup.ready());
    let rate = &mut rates[runner.rate];
    match played {
        Ok(played) if played.tally.playouts > 0 => {
            runner.spent += played.wall;
            runner.moves += played.tally.steps;
            runner.samples.push(played.playouts_in(played.cpu).unwrap_or_default());
            runner.samples.sort_by(f64::total_cmp);
            let [first, last] = [0, runner.samples.len() - 1].map(|place| runner.samples[place]);
            rate.playouts_per_cpu_second = Some([runner.samples[runner.samples.len() / 2], first, last]);
            rate.samples = runner.samples.len();
            let work = runner.machine.work() - runner.work;
            rate.work_per_move = (work > 0).then(|| work as f64 / runner.moves as f64);
        }
        Ok(_) if rate.samples > 0 => runner.spent = setup.seconds,
        Ok(_) => rate.reason = Some(format!("no playout ended in {} s", setup.timeout.as_secs_f64())),
        Err(error) => rate.reason = Some(error.to_string()),
    }
}
