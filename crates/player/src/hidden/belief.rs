//! The states that a role takes to be possible: those that agree with its moves and percepts.
//!
//! After each joint move, every joint move that others may have made in a state held possible so far is tried, and what
//! leads to other percepts is left out. A state weighs as much as the moves of chance and of the others that lead to it
//! are likely. As long as all states can be held, the belief is exact; of too many, some are drawn by weight (systematic
//! resampling: Kitagawa, *Monte Carlo filter and smoother for non-Gaussian nonlinear state space models*, 1996). When
//! they run out, others are looked for by playing from an earlier turn at which all were held and rejecting what would
//! have been seen otherwise (Schofield and Thielscher, *General game playing with imperfect information*, 2019).

use super::histories::{Histories, InformationSet};
use crate::player::{at_least_one, place};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, JointMove, JointMoves, LegalMoves, Move, Percept, Role, State, StateMachine};
use ludolog_syntax::ast::Term;
use rustc_hash::FxHashMap;
use std::slice;

/// The most states that are held.
const MOST: usize = 2_000;

/// The most joint moves that are tried in a state; of more, as many are drawn.
const MOST_JOINT_MOVES: usize = 256;

/// Fewer states than this are replenished, if some were left out before.
const FEW: usize = 50;

/// The most particles that are asked for legal moves.
const MOST_ASKED: usize = 64;

/// The most playouts that look for states.
const TRIES: usize = 20_000;

/// What a role learns of a joint move in a game that hides its states: the move that it made, and its percepts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Observation {
    /// Its move.
    pub made: Option<Term>,
    /// What it saw, in any order.
    pub percepts: Vec<Term>,
}

/// A state that is possible.
#[derive(Clone, Debug)]
pub struct Particle {
    /// The state.
    pub state: State,
    /// What each role knows in it.
    pub sets: Box<[InformationSet]>,
    /// How likely it is, beside the others.
    pub weight: f64,
}

/// The particles after a number of joint moves.
#[derive(Clone, Debug, Default)]
struct Bag {
    particles: Vec<Particle>,
    /// Whether no possible state is left out.
    is_complete: bool,
    /// Whether the percepts that led here agree with some state.
    agrees: bool,
    /// Whether all states were looked at, and none agrees.
    is_refuted: bool,
}

/// The chance of each of the legal moves that a role makes by its information set.
pub type Policy<'p> = dyn Fn(Role, InformationSet, &[Move]) -> Vec<f64> + 'p;

/// All moves with the same chance.
pub fn uniform(_: Role, _: InformationSet, moves: &[Move]) -> Vec<f64> {
    vec![1.0 / moves.len() as f64; moves.len()]
}

/// An observation in the numbers of a machine.
struct Seen<'o> {
    made: &'o Option<Term>,
    /// Sorted; `None` if nobody can see one of them.
    percepts: Option<Vec<Percept>>,
}

impl<'o> Seen<'o> {
    fn new(machine: &mut dyn StateMachine, seen: &'o Observation) -> Self {
        let percepts: Option<Vec<Percept>> = seen.percepts.iter().map(|seen| machine.percept_of(seen)).collect();
        let sorted = |mut percepts: Vec<Percept>| {
            percepts.sort_unstable();
            percepts.dedup();
            percepts
        };
        Seen { made: &seen.made, percepts: percepts.map(sorted) }
    }

    /// Whether a role would have seen this; `percepts` come in any order, each once.
    fn agrees(&self, percepts: &[Percept]) -> bool {
        self.percepts.as_ref().is_some_and(|seen| {
            seen.len() == percepts.len() && percepts.iter().all(|percept| seen.binary_search(percept).is_ok())
        })
    }

    /// The legal moves in a state whose role has made the move; `None` if it was not legal.
    fn legal(
        &self,
        machine: &mut dyn StateMachine,
        state: &State,
        role: Role,
    ) -> Result<Option<LegalMoves>, GameError> {
        let mut legal = machine.all_legal_moves(slice::from_ref(state))?.swap_remove(0);
        let own = &mut legal[place(role)];
        own.retain(|&made| Some(machine.move_term(made)) == self.made.as_ref());
        Ok(legal.iter().all(|moves| !moves.is_empty()).then_some(legal))
    }
}

/// The states that a role takes to be possible, after each joint move.
#[derive(Debug)]
pub struct Belief {
    role: Role,
    bags: Vec<Bag>,
    draw: Draw,
}

impl Belief {
    /// The belief of a role before the first move.
    pub fn new(machine: &dyn StateMachine, role: Role, histories: &mut Histories, seed: u64) -> Belief {
        let first = Particle { state: machine.initial_state().clone(), sets: histories.first(machine), weight: 1.0 };
        let bag = Bag { particles: vec![first], is_complete: true, agrees: true, is_refuted: false };
        Belief { role, bags: vec![bag], draw: Draw::new(seed) }
    }

    fn last(&self) -> &Bag {
        self.bags.last().expect("there is a first state")
    }

    /// The states that are possible after the last joint move, of which there is at least one; the weights sum to 1.
    pub fn particles(&self) -> &[Particle] {
        &self.last().particles
    }

    /// Whether the particles are all states that are possible.
    pub fn is_complete(&self) -> bool {
        self.last().is_complete
    }

    /// Whether some state agrees with all that was seen. If none does, the particles are those of percepts that are not
    /// looked at.
    pub fn agrees(&self) -> bool {
        self.bags.iter().all(|bag| bag.agrees)
    }

    /// Whether certainly no state in which the game goes on agrees with all that was seen.
    pub fn is_refuted(&self) -> bool {
        self.bags.iter().any(|bag| bag.is_refuted)
    }

    /// Follows the match up to the last of all observations since its beginning; earlier ones are known. The game is not
    /// over there. Others are taken to move by a policy.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when the budget ends before there is a state.
    pub fn follow(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        seen: &[Observation],
        policy: &Policy<'_>,
        budget: &Budget,
    ) -> Result<(), GameError> {
        self.bags.truncate(seen.len() + 1);
        while self.bags.len() <= seen.len() {
            let observations = &seen[..self.bags.len()];
            let bag = self.next_bag(&mut *machine, histories, observations, policy, budget)?;
            self.bags.push(bag);
        }
        Ok(())
    }

    fn next_bag(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        observations: &[Observation],
        policy: &Policy<'_>,
        budget: &Budget,
    ) -> Result<Bag, GameError> {
        let seen = Seen::new(machine, observations.last().expect("there is one for each joint move"));
        let mut found = self.successors(machine, histories, Some(&seen), policy, budget)?;
        if found.particles.len() < FEW && !found.is_complete {
            self.replenish(machine, histories, observations, (policy, budget), &mut found)?;
        }
        let is_refuted = found.particles.is_empty() && found.is_complete;
        if found.particles.is_empty() {
            found = self.successors(machine, histories, None, policy, &budget.renewed())?;
            found.agrees = false;
        }
        if found.particles.is_empty() {
            // The game would be over, or nobody could move: what was told is of another game.
            found = Bag { agrees: false, ..self.last().clone() };
        }
        found.is_refuted = is_refuted;
        found.normalize(&mut self.draw);
        Ok(found)
    }

    /// The states after a joint move that agree with what was seen of it, or all.
    fn successors(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        seen: Option<&Seen<'_>>,
        policy: &Policy<'_>,
        budget: &Budget,
    ) -> Result<Bag, GameError> {
        let Belief { role, bags, draw } = self;
        let last = bags.last().expect("there is a first state");
        let mut order: Vec<&Particle> = last.particles.iter().collect();
        (1..order.len()).for_each(|place| order.swap(place, draw.below(place + 1)));
        let mut merged: FxHashMap<(State, Box<[InformationSet]>), f64> = FxHashMap::default();
        let mut is_complete = last.is_complete;
        for particle in order {
            if !merged.is_empty() && budget.check().is_err() {
                is_complete = false;
                break;
            }
            budget.check()?;
            let legal = match seen {
                Some(seen) => seen.legal(machine, &particle.state, *role)?,
                None => Some(machine.all_legal_moves(slice::from_ref(&particle.state))?.swap_remove(0)),
            };
            let Some(legal) = legal else { continue };
            let (joints, all) = joint_moves(machine, (particle, &legal, *role), policy, draw);
            is_complete &= all;
            for (joint, chance) in joints {
                if let Some(seen) = seen
                    && !seen.agrees(&machine.percepts(&particle.state, &joint)?[place(*role)])
                {
                    continue;
                }
                let next = machine.next_state(&particle.state, &joint)?;
                if !machine.is_terminal(&next)? {
                    let sets = histories.after(machine, &particle.sets, (&particle.state, &joint, &next))?;
                    *merged.entry((next, sets)).or_default() += particle.weight * chance;
                }
            }
        }
        let mut particles: Vec<Particle> =
            merged.into_iter().map(|((state, sets), weight)| Particle { state, sets, weight }).collect();
        particles.sort_unstable_by(|a, b| (&a.state, &a.sets).cmp(&(&b.state, &b.sets)));
        Ok(Bag { particles, is_complete, agrees: true, is_refuted: false })
    }

    /// Looks for states by playing from the last turn at which all were held.
    fn replenish(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        observations: &[Observation],
        (policy, budget): (&Policy<'_>, &Budget),
        found: &mut Bag,
    ) -> Result<(), GameError> {
        let Belief { role, bags, draw } = self;
        let from = bags.iter().rposition(|bag| bag.is_complete).unwrap_or_default();
        let seen: Vec<Seen<'_>> = observations[from..].iter().map(|seen| Seen::new(machine, seen)).collect();
        let share = found.particles.iter().map(|particle| particle.weight).sum::<f64>();
        let weight = if found.particles.is_empty() { 1.0 } else { share / found.particles.len() as f64 };
        for _ in 0..TRIES {
            if found.particles.len() >= FEW || budget.check().is_err() {
                break;
            }
            let start = drawn(&bags[from].particles, draw).clone();
            if let Some(particle) = play(machine, histories, start, (&seen, *role), policy, draw)? {
                let is_known = |other: &Particle| other.state == particle.state && other.sets == particle.sets;
                if !found.particles.iter().any(is_known) {
                    found.particles.push(Particle { weight, ..particle });
                }
            }
        }
        Ok(())
    }

    /// The legal moves of the role: those that the particles have in common, of which some are asked. Where they have none,
    /// which GDL-II forbids, those of the most likely one.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], also where there is none.
    pub fn legal_moves(&self, machine: &mut dyn StateMachine) -> Result<Vec<Move>, GameError> {
        let mut common: Option<Vec<Move>> = None;
        for particle in self.particles().iter().take(MOST_ASKED) {
            let legal = machine.legal_moves(&particle.state, self.role)?;
            match &mut common {
                None => common = Some(legal),
                Some(common) if *common == legal => {}
                Some(common) => common.retain(|made| legal.contains(made)),
            }
        }
        match common.filter(|moves| !moves.is_empty()) {
            Some(moves) => Ok(moves),
            None => {
                let likely = self.particles().iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
                let legal = likely.map(|likely| machine.legal_moves(&likely.state, self.role)).transpose()?;
                at_least_one(legal.unwrap_or_default())
            }
        }
    }
}

impl Bag {
    /// Draws some of too many particles, and lets their weights sum to 1.
    fn normalize(&mut self, draw: &mut Draw) {
        let total = self.particles.iter().map(|particle| particle.weight).sum::<f64>();
        if self.particles.len() > MOST {
            let step = total / MOST as f64;
            let mut mark = unit(draw) * step;
            let mut reached = 0.0;
            self.particles.retain_mut(|particle| {
                reached += particle.weight;
                let hits = ((reached - mark) / step).ceil().max(0.0);
                mark += hits * step;
                particle.weight = hits * step;
                hits > 0.0
            });
            self.is_complete = false;
        }
        let total = self.particles.iter().map(|particle| particle.weight).sum::<f64>();
        let even = 1.0 / self.particles.len().max(1) as f64;
        self.particles.iter_mut().for_each(|particle| {
            particle.weight = if total > 0.0 { particle.weight / total } else { even };
        });
    }
}

/// A number from 0 to 1, without 1.
pub(super) fn unit(draw: &mut Draw) -> f64 {
    const STEPS: usize = 1 << 31;
    draw.below(STEPS) as f64 / STEPS as f64
}

/// A place that is drawn by these chances.
pub(super) fn drawn_place(chances: &[f64], draw: &mut Draw) -> usize {
    let mut mark = unit(draw) * chances.iter().sum::<f64>();
    let found = chances.iter().position(|chance| {
        mark -= chance;
        mark < 0.0
    });
    found.unwrap_or(chances.len() - 1)
}

/// A particle that is drawn by its weight.
pub(super) fn drawn<'p>(particles: &'p [Particle], draw: &mut Draw) -> &'p Particle {
    let mut mark = unit(draw) * particles.iter().map(|particle| particle.weight).sum::<f64>();
    let found = particles.iter().find(|particle| {
        mark -= particle.weight;
        mark < 0.0
    });
    found.unwrap_or_else(|| particles.last().expect("there is a particle"))
}

/// By role, the chances of its legal moves; those of the role that believes are even, since it knows its move.
fn chances(
    machine: &dyn StateMachine,
    (particle, legal, role): (&Particle, &LegalMoves, Role),
    policy: &Policy<'_>,
) -> Vec<Vec<f64>> {
    let of_role = |(of, moves): (Role, &Vec<Move>)| {
        if of == role || super::is_nature(machine, of) {
            uniform(of, particle.sets[place(of)], moves)
        } else {
            policy(of, particle.sets[place(of)], moves)
        }
    };
    (0..).map(Role).zip(legal).map(of_role).collect()
}

/// Joint moves with their chances: all, or as many as are tried, drawn; and whether these are all.
fn joint_moves(
    machine: &dyn StateMachine,
    of: (&Particle, &LegalMoves, Role),
    policy: &Policy<'_>,
    draw: &mut Draw,
) -> (Vec<(JointMove, f64)>, bool) {
    let legal = of.1;
    let chances = chances(machine, of, policy);
    let count = legal.iter().fold(1_usize, |count, moves| count.saturating_mul(moves.len()));
    if count > MOST_JOINT_MOVES {
        let one = |draw: &mut Draw| {
            legal.iter().zip(&chances).map(|(moves, chances)| moves[drawn_place(chances, draw)]).collect()
        };
        let even = 1.0 / MOST_JOINT_MOVES as f64;
        return ((0..MOST_JOINT_MOVES).map(|_| (one(draw), even)).collect(), false);
    }
    let chance = |joint: &JointMove| -> f64 {
        let of_role = |((made, moves), chances): ((&Move, &Vec<Move>), &Vec<f64>)| {
            moves.iter().position(|other| other == made).map_or(0.0, |place| chances[place])
        };
        joint.iter().zip(legal).zip(&chances).map(of_role).product()
    };
    let joints = JointMoves::new(legal.clone()).map(|joint| {
        let chance = chance(&joint);
        (joint, chance)
    });
    (joints.collect(), true)
}

/// Plays from a state by drawn moves as long as a role would have seen what it saw; `None` if it would not.
fn play(
    machine: &mut dyn StateMachine,
    histories: &mut Histories,
    start: Particle,
    (seen, role): (&[Seen<'_>], Role),
    policy: &Policy<'_>,
    draw: &mut Draw,
) -> Result<Option<Particle>, GameError> {
    let mut at = start;
    for seen in seen {
        let Some(legal) = seen.legal(machine, &at.state, role)? else { return Ok(None) };
        let chances = chances(machine, (&at, &legal, role), policy);
        let joint: JointMove =
            legal.iter().zip(&chances).map(|(moves, chances)| moves[drawn_place(chances, draw)]).collect();
        if !seen.agrees(&machine.percepts(&at.state, &joint)?[place(role)]) {
            return Ok(None);
        }
        let next = machine.next_state(&at.state, &joint)?;
        if machine.is_terminal(&next)? {
            return Ok(None);
        }
        let sets = histories.after(machine, &at.sets, (&at.state, &joint, &next))?;
        at = Particle { state: next, sets, weight: 1.0 };
    }
    Ok(Some(at))
}
