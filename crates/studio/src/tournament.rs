//! A round robin at the game that is open, between players of this process, match after match.

use crate::game::words;
use crate::runs::{LongRun, RunResult, RunState};
use ludolog_game::Role;
use ludolog_game::canonical;
use ludolog_game::scene::Scene;
use ludolog_logic::analysis::is_random;
use ludolog_picture::svg;
use ludolog_player::matches::Nature;
use ludolog_player::{Clocks, GameReasoner, Local, Match, MatchRecord, Options, PlayerKind, Seat};
use ludolog_protocol::tournament::{Fixture, PlayedMatch, Score, schedule};
use ludolog_protocol::{About, record};
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Budget;
use serde_json::{Value, json};
use std::time::Duration;

/// Matches of a tournament at most; longer ones are for `ludolog tournament`, which keeps them in files.
const MAX_MATCHES: usize = 500;

/// Joint moves of a match at most.
const MAX_STEPS: usize = 1_000;

/// The longest clock.
const LONGEST_CLOCK: Duration = Duration::from_secs(600);

/// A game that matches are played of.
pub(crate) struct TournamentGame {
    /// The name of its rulesheet.
    pub name: String,
    /// What answers for the game.
    pub rules: GameReasoner,
    /// How its states are drawn.
    pub scene: Scene,
    /// Its roles.
    pub roles: Vec<Term>,
    /// Whether it hides its states.
    pub hides: bool,
}

impl TournamentGame {
    /// The numbers of the roles that players play: all but chance.
    fn played_roles(&self) -> Vec<usize> {
        (0..self.roles.len()).filter(|&role| !is_random(&self.roles[role])).collect()
    }
}

/// The match that is being played, as it stands.
struct RunningMatch {
    players: Vec<String>,
    plies: usize,
    state: Vec<Term>,
    before: Option<Vec<Term>>,
}

/// The progress of a tournament.
pub(crate) struct TournamentProgress {
    scheduled: usize,
    players: Vec<String>,
    scene: Scene,
    roles: Vec<String>,
    played: Vec<(PlayedMatch, Value)>,
    scores: Vec<Value>,
    running: Option<RunningMatch>,
}

impl TournamentProgress {
    /// As JSON: `scores`, the matches played from this one on as `rows`, and the one that is `running`.
    pub fn tell(&self, from: usize) -> Value {
        let row = |(number, (played, _)): (usize, &(PlayedMatch, Value))| {
            json!({
                "number": number,
                "players": self.names(&played.fixture),
                "goals": played.goals,
                "faults": played.faults,
                "steps": played.steps,
            })
        };
        let running = self.running.as_ref().map(|running| {
            let view = self.scene.view_after(&running.state, running.before.as_deref());
            let svg = (!view.pictures.is_empty()).then(|| svg::sheet(&view.pictures, "running"));
            json!({ "players": running.players, "plies": running.plies, "svg": svg })
        });
        json!({
            "scheduled": self.scheduled,
            "roles": self.roles,
            "scores": self.scores,
            "rows": self.played.iter().enumerate().skip(from).map(row).collect::<Vec<_>>(),
            "running": running,
        })
    }

    /// The record of a match, as `ludolog match --record` writes it; `None` if there is no such match.
    pub fn record(&self, number: usize) -> Option<&Value> {
        self.played.get(number).map(|(_, record)| record)
    }

    fn names(&self, fixture: &Fixture) -> Vec<String> {
        fixture.players.iter().map(|&player| self.players[player].clone()).collect()
    }

    /// Adds a match, and sets the scores anew.
    fn push(&mut self, played: PlayedMatch, record: Value) {
        self.played.push((played, record));
        self.running = None;
        let score = |(player, name): (usize, &String)| {
            let score = Score::of(player, self.played.iter().map(|(played, _)| played))?;
            let Score { seats, mean, confidence_95, faults } = score;
            Some(
                json!({ "player": name, "seats": seats, "mean": mean, "confidence_95": confidence_95, "faults": faults }),
            )
        };
        self.scores = self.players.iter().enumerate().filter_map(score).collect();
    }
}

/// The players, rounds and clocks that a page has chosen.
pub(crate) struct TournamentChoice<'a> {
    /// The names of the players.
    pub players: &'a [String],
    /// The number of rounds.
    pub rounds: u64,
    /// The time before the first move, and for each.
    pub clocks: Clocks,
    /// What holds for all work.
    pub limits: Budget,
}

/// Plays a round robin.
///
/// # Errors
///
/// There is no such player, one does not play the game, or there are too many matches.
pub(crate) fn start(
    arena: TournamentGame,
    chosen: TournamentChoice<'_>,
) -> Result<LongRun<TournamentProgress>, String> {
    let TournamentChoice { players: names, rounds, clocks, limits } = chosen;
    let players = names.iter().map(|name| name.parse().map_err(words)).collect::<Result<Vec<PlayerKind>, String>>()?;
    players.iter().try_for_each(|player| player.0.check(&arena.roles, arena.hides).map_err(words))?;
    let roles = arena.played_roles();
    if players.is_empty() || roles.is_empty() {
        return Err("choose a player for this game".to_owned());
    }
    if clocks.start.max(clocks.play) > LONGEST_CLOCK || clocks.play.is_zero() {
        return Err(format!("a clock has 1 ms to {} s", LONGEST_CLOCK.as_secs()));
    }
    // Counted for one round first: nobody waits for a list of all rounds that is refused.
    let a_round = schedule(&[roles.len()], players.len(), 1).len() as u64;
    if a_round.saturating_mul(rounds) > MAX_MATCHES as u64 {
        let most = format!("a tournament here has {MAX_MATCHES} matches at most; a round has {a_round}");
        return Err(format!("{most}; `ludolog tournament` plays more, and keeps them in files"));
    }
    let fixtures = schedule(&[roles.len()], players.len(), rounds);
    let progress = TournamentProgress {
        scheduled: fixtures.len(),
        players: names.to_vec(),
        scene: arena.scene.clone(),
        roles: roles.iter().map(|&role| canonical::text(&arena.roles[role])).collect(),
        played: Vec::new(),
        scores: Vec::new(),
        running: None,
    };
    LongRun::start(progress, move |shared| {
        let limits = limits.with_interrupt(shared.stop.clone());
        let hall = Hall { arena, players, clocks, limits };
        for (number, fixture) in fixtures.into_iter().enumerate() {
            if shared.is_stopped() {
                break;
            }
            hall.play(number as u64, fixture, shared)?;
        }
        shared.progress().running = None;
        RunResult::Ok(Value::Null)
    })
}

/// Everything that a match needs.
struct Hall {
    arena: TournamentGame,
    players: Vec<PlayerKind>,
    clocks: Clocks,
    limits: Budget,
}

impl Hall {
    /// Plays a match, and adds it to the others; one that was stopped is left out.
    fn play(&self, seed: u64, fixture: Fixture, shared: &RunState<TournamentProgress>) -> Result<(), String> {
        let Hall { arena, players, clocks, limits } = self;
        let budget = limits.clone().with_timeout(Duration::MAX);
        let mut referee = arena.rules.game(&budget).map_err(words)?;
        let roles = arena.played_roles();
        let mut seats: Vec<Box<dyn Seat>> = arena.roles.iter().map(|_| Box::new(Nature) as Box<dyn Seat>).collect();
        for (&role, &player) in roles.iter().zip(&fixture.players) {
            let options = Options { seed: seed * arena.roles.len() as u64 + role as u64, ..Options::default() };
            seats[role] = Box::new(Local::of(arena.rules.clone(), Role(role as u32), players[player], options));
        }
        let about = About::new(&arena.name);
        let names = shared.progress().names(&fixture);
        let watch = |record: &MatchRecord| {
            let mut states = record.states.iter().rev().cloned();
            let state = states.next().unwrap_or_default();
            let before = states.next();
            let players = names.clone();
            shared.progress().running = Some(RunningMatch { players, plies: record.plies.len(), state, before });
        };
        let playing = Match { game: &mut referee, seats: &mut seats, clocks: *clocks, max_steps: MAX_STEPS, seed };
        let played = playing.play(&budget, watch).map_err(words)?;
        if played.end.is_none() {
            return Ok(());
        }
        let told = PlayedMatch {
            fixture,
            id: about.id.clone(),
            goals: roles.iter().map(|&role| played.goals[role].unwrap_or(0)).collect(),
            faults: roles.iter().map(|&role| played.faults(role).count() as u64).collect(),
            steps: played.plies.len() as u64,
        };
        shared.progress().push(told, record::to_json(&about, &played));
        Ok(())
    }
}
