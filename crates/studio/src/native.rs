//! The requests that need threads, files of positions and more: benchmarks and tournaments, on a local server alone.

use crate::bench::{self, BenchProgress};
use crate::messages::{Asked, Current, told, words};
use crate::runs::LongRun;
use crate::tournament::{self, TournamentGame, TournamentProgress};
use ludolog_bench::subject::Subject;
use ludolog_engine::Session;
use ludolog_player::Clocks;
use ludolog_syntax::budget::Budget;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The limit of a run of a benchmark at most.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// The parameters of benchmarks and tournaments.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RunAsked {
    engines: Vec<String>,
    optimizations: Vec<String>,
    formulations: Vec<String>,
    players: Vec<String>,
    rounds: u64,
    start_clock: Option<f64>,
    play_clock: Option<f64>,
}

/// The runs of one page.
pub(crate) struct Runs {
    /// What holds for all work.
    limits: Budget,
    bench: Option<LongRun<BenchProgress>>,
    tournament: Option<LongRun<TournamentProgress>>,
}

impl Runs {
    /// No run.
    pub fn new(limits: Budget) -> Runs {
        Runs { limits, bench: None, tournament: None }
    }

    /// Answers a request about a run that there is, or about what one may be chosen of; `None` if it is another request.
    pub fn answer(&mut self, method: &str, asked: &Asked) -> Option<Result<Value, String>> {
        let none = || Err("nothing is running".to_owned());
        Some(match method {
            "benchChoices" => bench::choices(),
            "benchProgress" => match &mut self.bench {
                Some(run) => Ok(run.tell(|progress| progress.tell(asked.from))),
                None => none(),
            },
            "tournamentProgress" => match &mut self.tournament {
                Some(run) => Ok(run.tell(|progress| progress.tell(asked.from))),
                None => none(),
            },
            "record" => {
                let progress = self.tournament.as_ref().map(LongRun::progress);
                let record = progress.as_ref().and_then(|progress| progress.record(asked.from));
                record.cloned().ok_or_else(|| "there is no such match".to_owned())
            }
            "stop" => {
                self.bench.iter().filter(|_| asked.name == "bench").for_each(LongRun::stop);
                self.tournament.iter().filter(|_| asked.name == "tournament").for_each(LongRun::stop);
                Ok(Value::Null)
            }
            _ => return None,
        })
    }

    /// Begins a run about the open text; the one before ends. `None` if it is another request.
    pub fn begin(
        &mut self,
        method: &str,
        asked: &Asked,
        current: &mut Current,
        budget: &Budget,
    ) -> Option<Result<Value, String>> {
        let begun = match method {
            "bench" => self.bench(asked, current),
            "tournament" => self.tournament(asked, current, budget),
            _ => return None,
        };
        Some(begun.map(|()| json!(true)))
    }

    fn bench(&mut self, asked: &Asked, current: &Current) -> Result<(), String> {
        let limit = Duration::from_secs_f64(asked.milliseconds.unwrap_or(1000.0).clamp(1.0, 1e9) / 1000.0);
        let limit = limit.min(LONGEST_RUN);
        let limits = &self.limits;
        let chosen =
            bench::BenchChoice { engines: &asked.run.engines, optimizations: &asked.run.optimizations, limit, limits };
        let program = || current.analysis.analyzed.clone().ok_or_else(|| "the rules have errors".to_owned());
        self.bench = None;
        self.bench = Some(if asked.run.formulations.is_empty() {
            let case = current.queries.session.case().clone();
            let session = Session::new(program()?, current.analysis.sources.clone()).with_case(case);
            bench::program(session, &asked.goal, &chosen).map_err(|error| told(&error))?
        } else {
            let own = || Subject::own(bench::PROGRAM, program()?.stratified).map_err(|wrong| words(&wrong));
            bench::hex(bench::formulations(&asked.run.formulations, own)?, &asked.name, &asked.position, &chosen)?
        });
        Ok(())
    }

    fn tournament(&mut self, asked: &Asked, current: &mut Current, budget: &Budget) -> Result<(), String> {
        let milliseconds =
            |given: Option<f64>| Duration::from_secs_f64(given.unwrap_or(1000.0).clamp(0.0, 1e9) / 1000.0);
        let clocks = Clocks { start: milliseconds(asked.run.start_clock), play: milliseconds(asked.run.play_clock) };
        let arena: TournamentGame = current.game(&[], budget)?.arena(&asked.name);
        let chosen = tournament::TournamentChoice {
            players: &asked.run.players,
            rounds: asked.run.rounds,
            clocks,
            limits: self.limits.clone(),
        };
        self.tournament = None;
        self.tournament = Some(tournament::start(arena, chosen)?);
        Ok(())
    }
}
