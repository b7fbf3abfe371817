//! Play of games that hide their states, and of games of chance (GDL-II).
//!
//! A role knows its own moves and its percepts. Its player holds the states that agree with them ([`belief`]), and learns
//! strategies for the information sets of all roles ([`regrets`]): in the start clock by lines from the first state; while
//! it is to move, by further ones if these learn the whole game, or else by lines from the states held possible. So in
//! games that are small enough its play comes near to an equilibrium, and in larger ones it searches the game that is left,
//! as determinized search does (Cowling, Powley and Whitehouse, *Information Set Monte Carlo Tree Search*, 2012), but with
//! one strategy for all states that a role cannot tell apart.
//!
//! * [`belief`]: states that agree with what was seen.
//! * [`histories`]: information sets by number.
//! * [`regrets`]: strategies by counterfactual regret minimization.

pub mod belief;
pub mod histories;
pub mod regrets;

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, is_stop, legal_moves, place};
use belief::{Belief, Observation, Particle, drawn, drawn_place, uniform};
use histories::Histories;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use ludolog_logic::analysis::is_random;
use ludolog_syntax::budget::Stopwatch;
use regrets::Regrets;
use std::time::Duration;

/// Lines for each information set, with which a game counts as learned from its first state: it is small enough for all of
/// it to be learned, and no information set needs a search of its own.
const LINES_A_SET: u64 = 50;

/// The part of a play clock in which states are looked for.
const SHARE: u32 = 3;

/// The chance with which others are taken to move at random.
const DOUBT: f64 = 0.2;

/// Moves with a smaller chance are noise of learning, and are not made (Ganzfried, Sandholm and Waugh, *Strategy
/// purification and thresholding*, 2012).
const LEAST_CHANCE: f64 = 0.02;

/// The remark where percepts agree with no state.
const DISAGREES: &str = "no state agrees with what was seen, so all are held possible";

/// Whether a role is chance.
pub(crate) fn is_nature(machine: &dyn StateMachine, role: Role) -> bool {
    is_random(&machine.roles()[place(role)])
}

/// Follows a match by what a role sees, for whoever needs legal moves only.
#[derive(Debug)]
pub struct Follower {
    role: Role,
    seed: u64,
    known: Option<(Histories, Belief)>,
}

impl Follower {
    /// A follower for a role, at the beginning.
    pub fn new(role: Role, seed: u64) -> Follower {
        Follower { role, seed, known: None }
    }

    /// Whether certainly no state in which the game goes on agrees with what was seen when legal moves were asked for last.
    pub fn is_refuted(&self) -> bool {
        self.known.as_ref().is_some_and(|(_, belief)| belief.is_refuted())
    }

    /// The legal moves of the role after all that it saw since the beginning.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn legal_moves(
        &mut self,
        machine: &mut dyn StateMachine,
        seen: &[Observation],
        budget: &Budget,
    ) -> Result<Vec<Move>, GameError> {
        let Follower { role, seed, known } = self;
        let (histories, belief) = known.get_or_insert_with(|| {
            let mut histories = Histories::default();
            let belief = Belief::new(machine, *role, &mut histories, *seed);
            (histories, belief)
        });
        machine.set_budget(budget.rest());
        let half = budget.part_of_rest(|left| left / 2);
        belief.follow(machine, histories, seen, &uniform, &half)?;
        belief.legal_moves(machine)
    }
}

/// Plays by regrets and beliefs.
pub struct Cfr {
    game: Game,
    role: Role,
    /// Most bytes of what is learned.
    memory: usize,
    draw: Draw,
    histories: Histories,
    belief: Belief,
    /// What lines from the first state have taught.
    regrets: Regrets,
}

impl Cfr {
    /// A player of this role with at most so many bytes. The same seed makes the same draws.
    pub fn new(game: Game, role: Role, memory: usize, seed: u64) -> Self {
        let mut histories = Histories::default();
        let belief = Belief::new(game.reader(), role, &mut histories, seed);
        let regrets = Regrets::default();
        Cfr { game, role, memory, draw: Draw::new(seed), histories, belief, regrets }
    }

    /// What is known of the first state.
    fn first(&mut self) -> Particle {
        let machine = self.game.machine();
        let sets = self.histories.first(machine);
        Particle { state: machine.initial_state().clone(), sets, weight: 1.0 }
    }

    /// Samples lines from states until the budget ends.
    fn learn(&mut self, from: &[Particle], local: Option<&mut Regrets>, budget: &Budget) -> Result<(), GameError> {
        let Cfr { game, histories, regrets, draw, memory, .. } = self;
        let machine = game.machine();
        let regrets = local.unwrap_or(regrets);
        while budget.check().is_ok() {
            machine.set_budget(budget.rest());
            let from = drawn(from, draw).clone();
            match regrets.sample(machine, histories, &from, draw, *memory) {
                Err(error) if is_stop(&error) => break,
                sampled => sampled?,
            }
        }
        Ok(())
    }

    /// Chooses one of the legal moves of the role in states that are possible.
    fn decide(&mut self, particles: &[Particle], legal: &[Move], budget: &Budget) -> Result<Choice, GameError> {
        if let [only] = legal {
            return Ok(Choice { made: *only, report: SearchReport::default() });
        }
        let watch = Stopwatch::start(budget);
        let own = |particle: &Particle| particle.sets[place(self.role)];
        let is_learned = self.regrets.lines() >= LINES_A_SET * self.regrets.len() as u64;
        let is_known = is_learned && particles.iter().all(|particle| self.regrets.visits(own(particle)) > 0);
        let mut local = Regrets::default();
        let lines = self.regrets.lines();
        if is_known {
            let first = self.first();
            self.learn(&[first], None, budget)?;
        } else {
            self.learn(particles, Some(&mut local), budget)?;
        }
        let role = self.role;
        let regrets = if is_known { &self.regrets } else { &local };
        let mut chances = vec![0.0; legal.len()];
        for particle in particles {
            let average = regrets.average(particle.sets[place(role)], legal).into_iter();
            chances.iter_mut().zip(average).for_each(|(sum, chance)| *sum += particle.weight * chance);
        }
        let machine = self.game.reader();
        let others = (0..machine.roles().len() as u32).map(Role).filter(|&of| of != role && !is_nature(machine, of));
        let best = chances.iter().copied().fold(0.0, f64::max);
        let made = if is_known && others.count() > 0 {
            let kept: Vec<f64> =
                chances.iter().map(|&chance| if chance < LEAST_CHANCE { 0.0 } else { chance }).collect();
            drawn_place(if best < LEAST_CHANCE { &chances } else { &kept }, &mut self.draw)
        } else {
            chances.iter().position(|&chance| chance == best).unwrap_or_default()
        };
        let chance = 100.0 * chances[made];
        let text = format!("{} held possible, played with a chance of {chance:.0} in 100", counted(particles.len()));
        let report = SearchReport {
            playouts: if is_known { self.regrets.lines() - lines } else { local.lines() },
            nodes: regrets.len() as u64,
            depth: regrets.depth(),
            value: regrets.value(role),
            time: watch.elapsed(),
            note: Some(text),
            ..SearchReport::default()
        };
        Ok(Choice { made: legal[made], report })
    }
}

fn counted(states: usize) -> String {
    format!("{states} state{}", if states == 1 { "" } else { "s" })
}

impl Player for Cfr {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        let first = self.first();
        // Without a limit of time there is no end.
        if budget.time_left().is_some() {
            self.learn(&[first], None, budget)?;
        }
        Ok(SearchReport {
            playouts: self.regrets.lines(),
            nodes: self.regrets.len() as u64,
            depth: self.regrets.depth(),
            value: self.regrets.value(self.role),
            time: watch.elapsed(),
            ..SearchReport::default()
        })
    }

    /// Chooses a move in a game of chance that hides nothing.
    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let machine = self.game.machine();
        if machine.hides() {
            let reason = "the state of a game that hides it was told to a player".to_owned();
            return Err(Stopped::Unsupported(reason).into());
        }
        let legal = legal_moves(machine, state, self.role, budget)?;
        let roles = machine.roles().len() as u32;
        let sets = self.histories.of_state(state, roles);
        self.decide(&[Particle { state: state.clone(), sets, weight: 1.0 }], &legal, budget)
    }

    fn play_hidden(&mut self, seen: &[Observation], budget: &Budget) -> Result<Choice, GameError> {
        let Cfr { game, histories, belief, regrets, .. } = self;
        let machine = game.machine();
        machine.set_budget(budget.rest());
        let policy = |_: Role, set, moves: &[Move]| {
            let doubt = DOUBT / moves.len() as f64;
            regrets.average(set, moves).into_iter().map(|chance| doubt + (1.0 - DOUBT) * chance).collect()
        };
        belief.follow(machine, histories, seen, &policy, &budget.part_of_rest(|left| left / SHARE))?;
        let legal = belief.legal_moves(machine)?;
        let particles = belief.particles().to_vec();
        let agrees = belief.agrees();
        let mut choice = self.decide(&particles, &legal, budget)?;
        if !agrees {
            let note = choice.report.note.get_or_insert_default();
            *note = [DISAGREES, note].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        }
        Ok(choice)
    }
}
