//! Lanes: as many random playouts as a block has bits, at once.
//!
//! A round looks at all states (which are terminal, how many moves are legal), draws a number for each role and lane,
//! and steps to the next states. The goals of finished games wait until one lane has finished twice, so that the gates
//! of goals are run rarely.
//!
//! Lanes run *free*: one whose game is over starts anew at once, and every round runs the same gates. Or they run *in
//! step*: all are at the same ply (`ply`), whose gates are fewer because much is known at each ply; a lane whose game
//! is over starts anew where the first state agrees with what is known, if lanes are `refilled`, or with all others.

mod ages;
mod batch;
mod decisive;
mod ended;
mod foresight;
mod guide;
pub mod kernel;
mod ply;
mod random;
mod random_net;
mod table;
mod turns;
mod watch;
mod width;

pub use batch::{PlayoutFeed, PlayoutStart};
pub use decisive::{DecisiveTurns, EndGoals};
pub use ended::{EndedPlayout, EndedPlayouts};
pub use foresight::PlayoutPolicy;
pub use watch::{MoveFinder, WatchedState};
pub use width::{TRIAL, Width, fastest};

use crate::net::Net;
use crate::program::{Instructions, Port, Scheduler};
use ages::Ages;
use kernel::{Block, KernelWork, widest};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::State;
use ludolog_syntax::ast::Term;
use ply::Plies;
use random_net::RandomNet;
use std::ops::Range;
use table::LaneStates;
use turns::{KnownFacts, Turns};
use watch::Observer;

/// Rounds between two checks of the budget.
const POLL_EVERY: u64 = 16;

/// Joint moves after which a playout that is under way at the deadline is given up.
pub const MAX_STEPS: u64 = 10_000;

/// The plies of playouts that are evaluated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyGroup {
    /// At any ply.
    Free,
    /// At the same ply; games that are over begin anew together.
    InStep,
    /// At the same ply; games that are over begin anew at the next ply that agrees with the first state.
    Refilled,
}

impl PlyGroup {
    /// All modes.
    pub const ALL: [PlyGroup; 3] = [PlyGroup::Free, PlyGroup::InStep, PlyGroup::Refilled];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            PlyGroup::Free => "free",
            PlyGroup::InStep => "in-step",
            PlyGroup::Refilled => "refilled",
        }
    }
}

/// The use that is made of the moves of playouts from given states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveUse {
    /// Whether playouts tell the moves that were made.
    pub told: bool,
    /// Whether moves that brought their role more are made more often, where playouts come from a feed.
    pub guiding: bool,
}

impl MoveUse {
    /// The number of different uses.
    pub const COUNT: usize = 4;

    /// A number for each use.
    pub fn number(self) -> usize {
        usize::from(self.told) + 2 * usize::from(self.guiding)
    }
}

/// The programs that play a game at random.
pub struct Lanes {
    mode: PlyGroup,
    plies: Plies,
    /// Finds the goals of states in slots of their own.
    goals: Instructions,
    goal_slots: usize,
    facts: Vec<LaneFact>,
    roles: Vec<LaneRole>,
    uses: MoveUse,
    /// The moves that playouts from given states record, by their numbers among those of all roles.
    recorded: Vec<u32>,
    /// By ply: what a given state has to agree with to be played from there; no ply where lanes begin with the first
    /// state alone.
    known: Vec<KnownFacts>,
}

struct LaneFact {
    slot: u32,
    goal_slot: u32,
    initial: bool,
}

struct LaneRole {
    term: Term,
    /// The places of its recorded moves.
    recorded: Range<usize>,
    goals: Vec<(i64, Port)>,
}

/// The outcomes of the playouts of some lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Playouts that have ended.
    pub playouts: u64,
    /// Joint moves made until the deadline, of playouts that had not ended by then, too.
    pub steps: u64,
    /// Joint moves of the playouts that have ended.
    pub moves: u64,
    /// Playouts that were given up; none of them is in another number but `steps`.
    pub endless: u64,
    /// Rounds of all lanes together. A lane makes a joint move in a round or none: its game is over, or begins.
    pub lane_rounds: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
    /// By role: the playouts that ended with each goal value, ascending by value.
    pub goals: Vec<Vec<(i64, u64)>>,
    /// By role: the playouts that ended without exactly one goal value, among them those that were stuck.
    pub without_goal: Vec<u64>,
}

impl Tally {
    /// The share of lane-rounds in which a joint move is made; `None` without lanes.
    pub fn busy(&self) -> Option<f64> {
        (self.lane_rounds > 0).then(|| self.steps as f64 / self.lane_rounds as f64)
    }

    /// Adds the outcomes of other lanes of the same game.
    pub fn add(&mut self, other: &Tally) {
        if self.goals.is_empty() {
            *self = other.clone();
            return;
        }
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.moves += other.moves;
        self.endless += other.endless;
        self.lane_rounds += other.lane_rounds;
        self.stuck += other.stuck;
        for (mine, theirs) in self.goals.iter_mut().flatten().zip(other.goals.iter().flatten()) {
            mine.1 += theirs.1;
        }
        self.without_goal.iter_mut().zip(&other.without_goal).for_each(|(mine, theirs)| *mine += theirs);
    }
}

impl Lanes {
    /// Makes the programs of a net, whose playouts choose their moves by a policy.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Unsupported`], when the policy takes too many gates.
    pub fn new(net: &Net, mode: PlyGroup, policy: PlayoutPolicy, budget: &Budget) -> Result<Lanes, Stopped> {
        let random = RandomNet::new(net, policy, budget)?;
        let plies = match mode {
            PlyGroup::Free => Plies::free(&random),
            PlyGroup::InStep | PlyGroup::Refilled => Plies::in_step(&random, budget)?,
        };
        Ok(Lanes::of(net, &random, mode, plies))
    }

    /// Makes the programs for playouts from given states, whose moves are used so. Where facts tell whose turn it is, they are made for each turn by itself, and suit the states that are reachable; see
    /// [`suit`](Self::suit).
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn for_states(net: &Net, policy: PlayoutPolicy, uses: MoveUse, budget: &Budget) -> Result<Lanes, Stopped> {
        let Some(turns) = Turns::new(net, budget)? else { return Lanes::for_any_states(net, policy, uses, budget) };
        let random = RandomNet::for_states(net, policy, uses, budget)?;
        let mut lanes = Lanes::of(net, &random, PlyGroup::Refilled, Plies::by_turn(&random, &turns));
        lanes.uses = uses;
        lanes.known = turns.0.iter().map(|known| KnownFacts::new(known)).collect();
        Ok(lanes)
    }

    /// As [`for_states`](Self::for_states), for all states.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn for_any_states(net: &Net, policy: PlayoutPolicy, uses: MoveUse, budget: &Budget) -> Result<Lanes, Stopped> {
        let random = RandomNet::for_states(net, policy, uses, budget)?;
        let mut lanes = Lanes::of(net, &random, PlyGroup::Free, Plies::free(&random));
        lanes.uses = uses;
        lanes.known = vec![KnownFacts::new(&[])];
        Ok(lanes)
    }

    /// Whether playouts can begin with all of these states.
    pub fn suit(&self, states: &[State]) -> bool {
        states.iter().all(|state| self.ply_of(state).is_some())
    }

    /// The first ply at which a playout can begin with a state.
    fn ply_of(&self, state: &State) -> Option<usize> {
        self.known.iter().position(|known| known.agrees(state))
    }

    fn of(net: &Net, random: &RandomNet, mode: PlyGroup, plies: Plies) -> Lanes {
        let signals = random.goals.concat();
        let mut scheduler = Scheduler::new(&random.graph, signals.iter().copied());
        let goals = scheduler.program(&signals);
        let facts = random.facts.iter().zip(&plies.facts).map(|(&(input, _, initial), &slot)| LaneFact {
            slot,
            goal_slot: scheduler.port(input).slot,
            initial,
        });
        let facts = facts.collect();
        let roles = net.roles.iter().zip(&random.goals).enumerate().map(|(number, (role, signals))| LaneRole {
            term: role.term.clone(),
            recorded: random.recorded.partition_point(|recorded| recorded.role < number)
                ..random.recorded.partition_point(|recorded| recorded.role <= number),
            goals: role
                .goals
                .iter()
                .zip(signals)
                .map(|(&(value, _), &signal)| (value, scheduler.port(signal)))
                .collect(),
        });
        let roles = roles.collect();
        let recorded = random.recorded.iter().map(|recorded| recorded.number).collect();
        let uses = MoveUse::default();
        let known = Vec::new();
        Lanes { mode, plies, goals, goal_slots: scheduler.slots(), facts, roles, uses, recorded, known }
    }

    /// The names of the roles.
    pub fn roles(&self) -> impl Iterator<Item = &Term> {
        self.roles.iter().map(|role| &role.term)
    }

    /// The mode.
    pub fn mode(&self) -> PlyGroup {
        self.mode
    }

    /// The number of plies with programs of their own.
    pub fn plies(&self) -> usize {
        self.plies.list.len()
    }

    /// The instructions that each round runs, on the average of the plies that repeat.
    pub fn instructions(&self) -> usize {
        self.plies.instructions()
    }

    /// Plays at random on `64·N` lanes until the budget ends. Playouts under way then are left out, long ones more
    /// often than short ones: the number of moves made in a time is right, but outcomes are biased unless each lane
    /// ends many playouts.
    pub fn play<const N: usize>(&self, seed: u64, budget: &Budget) -> Tally {
        let mut playing = Playing::<N>::new(self, seed);
        playing.run(budget);
        playing.finish()
    }

    /// Plays at random on `64·N` lanes until the budget ends, and then what is under way to its end, but no longer than
    /// patience and [`MAX_STEPS`] allow. `at_deadline` is called when the numbers of moves and rounds are taken: at the
    /// end of the budget, or of the last games if all lanes end together.
    ///
    /// Whether a lane begins another playout depends on the playouts before it only, so by Wald's equation (*On
    /// cumulative sums of random variables*, 1944) the expected sum of lengths, or of goals, over the playouts of a
    /// lane is their expected number times the mean: ratios of sums over all lanes are not biased to short playouts.
    pub fn play_out<const N: usize>(
        &self,
        seed: u64,
        budget: &Budget,
        patience: &Budget,
        at_deadline: impl FnOnce(),
    ) -> Tally {
        let mut playing = Playing::<N>::new(self, seed);
        playing.run(budget);
        playing.is_closing = true;
        // The rounds of games that end together get cheaper and less busy towards the end: only whole games tell a
        // rate.
        if self.mode == PlyGroup::InStep {
            playing.drain(patience);
            at_deadline();
        } else {
            at_deadline();
            let Tally { steps, lane_rounds, .. } = playing.tally;
            playing.drain(patience);
            let drained = playing.tally.steps - steps;
            (playing.tally.steps, playing.tally.lane_rounds) = (steps, lane_rounds);
            playing.tally.moves += drained;
        }
        playing.tally.endless = playing.table.alive.count();
        playing.finish()
    }
}

/// Lanes that play the game from its first state again and again.
struct Playing<'l, const N: usize> {
    table: LaneStates<'l, N>,
    /// The lanes among those that wait for their goals that were stuck.
    stuck: Block<N>,
    /// The joint moves made in the playouts under way.
    ages: Ages<N>,
    /// Whether no playout begins any more.
    is_closing: bool,
    tally: Tally,
}

/// Some rounds, compiled for the instructions of the processor.
struct Rounds<'p, 'l, const N: usize>(&'p mut Playing<'l, N>);

impl<const N: usize> KernelWork for Rounds<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for _ in 0..POLL_EVERY {
            self.0.round(&mut ());
        }
    }
}

impl<'l, const N: usize> Playing<'l, N> {
    /// Lanes at the first state.
    fn new(lanes: &'l Lanes, seed: u64) -> Self {
        let goals = |role: &LaneRole| role.goals.iter().map(|&(value, _)| (value, 0)).collect();
        let tally = Tally {
            goals: lanes.roles.iter().map(goals).collect(),
            without_goal: vec![0; lanes.roles.len()],
            ..Tally::default()
        };
        let mut playing = Playing {
            table: LaneStates::new(lanes, seed),
            stuck: Block::NONE,
            ages: Ages::default(),
            is_closing: false,
            tally,
        };
        playing.table.begin();
        playing
    }

    /// Plays until the budget ends.
    fn run(&mut self, budget: &Budget) {
        while budget.check().is_ok() {
            self.rounds();
        }
    }

    /// Plays what is under way to its end.
    fn drain(&mut self, patience: &Budget) {
        for _ in 0..MAX_STEPS.div_ceil(POLL_EVERY) {
            if self.table.alive.is_none() || patience.check().is_err() {
                break;
            }
            self.rounds();
        }
    }

    fn rounds(&mut self) {
        widest(Rounds(self));
        self.tally.lane_rounds += POLL_EVERY * Block::<N>::LANES as u64;
    }

    /// The outcomes, without those of playouts under way.
    fn finish(mut self) -> Tally {
        self.count_goals(&mut ());
        self.tally.moves += self.tally.steps;
        self.tally.moves -= self.ages.sum(self.table.alive);
        self.tally
    }

    #[inline(always)]
    fn round(&mut self, observer: &mut impl Observer<N>) {
        if self.is_closing && self.table.alive.is_none() {
            return;
        }
        let table = &mut self.table;
        let (terminal, over) = table.look();
        observer.looked(table);
        let ended = over & table.alive;
        table.alive = table.alive.without(ended);
        if !ended.is_none() {
            self.end(ended, ended.without(terminal), observer);
        }
        let table = &mut self.table;
        if table.alive.is_none() {
            if !self.is_closing {
                table.begin();
            }
            return;
        }
        self.tally.steps += table.alive.count();
        self.ages.increment(table.alive);
        table.step();
        observer.stepped(table);
        let begins =
            !self.is_closing && table.lanes.mode != PlyGroup::InStep && table.lanes.plies.list[table.next_ply()].starts;
        table.advance(if begins { !table.alive } else { Block::NONE });
    }

    /// Keeps the states of games that have ended until their goals are counted.
    #[inline(always)]
    fn end(&mut self, ended: Block<N>, stuck: Block<N>, observer: &mut impl Observer<N>) {
        if !(ended & self.table.waiting).is_none() {
            self.count_goals(observer);
        }
        self.table.keep(ended);
        self.ages.clear(ended);
        self.stuck = self.stuck | stuck;
        self.tally.playouts += ended.count();
        self.tally.stuck += stuck.count();
    }

    #[inline(always)]
    fn count_goals(&mut self, observer: &mut impl Observer<N>) {
        self.table.find_goals();
        observer.counted(&self.table);
        let waiting = self.table.waiting;
        for (place, role) in self.table.lanes.roles.iter().enumerate() {
            let mut one = Block::NONE;
            let mut several = self.stuck;
            for &(_, port) in &role.goals {
                let goal = self.table.goal(port);
                several = several | (one & goal);
                one = one | goal;
            }
            let good = one.without(several);
            for (&(_, port), (_, count)) in role.goals.iter().zip(&mut self.tally.goals[place]) {
                *count += (self.table.goal(port) & good).count();
            }
            self.tally.without_goal[place] += waiting.without(good).count();
        }
        (self.table.waiting, self.stuck) = (Block::NONE, Block::NONE);
    }
}
