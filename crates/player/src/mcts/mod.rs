//! Monte-Carlo tree search for any number of players, with simultaneous moves and playouts in batches.
//!
//! Upper confidence bounds lead down the tree (Kocsis and Szepesvári, 2006), as in CadiaPlayer (Finnsson and Björnsson,
//! *Simulation-based approach to general game playing*, 2008). Many leaves are chosen before the first of them is
//! valued, because a net answers for hundreds of states nearly in the time of one: a batch of leaves gets its states,
//! ends and legal moves together, and its playouts run side by side. Where several roles choose at once they mix their
//! moves (`matching.rs`).
//!
//! Threads share the tree, which is locked while leaves are chosen and outcomes are entered; machines work outside.

mod amaf;
mod matching;
mod node;
mod store;
mod tree;

pub use tree::Policy;

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, SearchTimes, is_stop, legal_moves, place, values};
use amaf::PlayedMoves;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Goals, Move, Role, State, StateMachine};
use ludolog_propnet::{NetMachine, PlayoutPolicy};
use ludolog_syntax::budget::Stopwatch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tree::{Simulation, Tree};

/// Joint moves after which a playout is given up.
const MAX_STEPS: usize = 1_000;

/// Least batches of a search: one of fewer learns too little from one for the next.
const BATCHES: u32 = 4;

/// Most instructions of playouts that look ahead, as a multiple of those of uniform ones. Where they see most they cost
/// five times as much; beyond this, nothing was measured.
const MAX_PLAYOUT_COST: f64 = 10.0;

/// The part of the start clock in which the programs of such playouts are made: one in so many.
const LOOKAHEAD_SHARE: u32 = 4;

/// The settings of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// The rule by which moves are chosen in the tree.
    pub policy: Policy,
    /// Leaves in a batch.
    pub leaves: usize,
    /// Playouts of a batch, shared among its leaves.
    pub playouts: usize,
    /// Whether playouts of a batch run side by side.
    pub lanes: bool,
    /// The choice of moves in playouts that run side by side, where it suits the game and its cost.
    pub playout_policy: PlayoutPolicy,
    /// Whether values of moves made at any time are used, in games where moves keep their meaning.
    pub amaf: bool,
    /// Whether the tree is kept for the next move.
    pub keep: bool,
    /// Whether to think when there is but one legal move.
    pub ponder: bool,
    /// Threads.
    pub threads: usize,
    /// Most bytes of the tree.
    pub memory: usize,
    /// Most simulations for a move, for searches that shall not depend on the clock.
    pub simulations: Option<u64>,
    /// The seed of all choices.
    pub seed: u64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            policy: Policy { exploration: 0.4, solver: true, transpositions: true },
            leaves: 128,
            playouts: 512,
            lanes: true,
            playout_policy: PlayoutPolicy::Cautious,
            amaf: true,
            keep: true,
            ponder: false,
            threads: 1,
            memory: 512 << 20,
            simulations: None,
            seed: 1,
        }
    }
}

/// The search without one of its ingredients, or with another setting.
pub struct Variation {
    /// The name.
    pub name: &'static str,
    /// Its description, in a line.
    pub summary: &'static str,
    /// Changes the settings.
    pub change: fn(&mut SearchSettings),
}

/// The variations whose strength is worth a measurement.
pub static VARIATIONS: [Variation; 11] = [
    Variation {
        name: "uniform",
        summary: "Playouts that see no move ahead",
        change: |s| s.playout_policy = PlayoutPolicy::Uniform,
    },
    Variation { name: "no-lanes", summary: "Playouts one after the other", change: |s| s.lanes = false },
    Variation { name: "no-solver", summary: "Nothing is proven", change: |s| s.policy.solver = false },
    Variation {
        name: "no-transpositions",
        summary: "Each line has nodes of its own",
        change: |s| s.policy.transpositions = false,
    },
    Variation { name: "no-tree-kept", summary: "Each move begins with an empty tree", change: |s| s.keep = false },
    Variation {
        name: "no-amaf",
        summary: "A move is worth what it brought first, not at any time",
        change: |s| s.amaf = false,
    },
    Variation { name: "one-leaf", summary: "A batch of playouts from one leaf", change: |s| s.leaves = 1 },
    Variation { name: "few-leaves", summary: "A quarter of the leaves in a batch", change: |s| s.leaves /= 4 },
    Variation { name: "many-leaves", summary: "Four times the leaves in a batch", change: |s| s.leaves *= 4 },
    Variation { name: "less-exploration", summary: "A smaller C of UCT", change: |s| s.policy.exploration *= 0.6 },
    Variation { name: "more-exploration", summary: "A greater C of UCT", change: |s| s.policy.exploration *= 2.5 },
];

/// Plays by tree search.
pub struct Mcts {
    game: Game,
    role: Role,
    settings: SearchSettings,
    tree: Tree,
    searches: u64,
}

impl Mcts {
    /// A player of this role.
    pub fn new(game: Game, role: Role, settings: SearchSettings) -> Self {
        let roles = game.reader().roles().len();
        let mut tree = Tree::new(roles, settings.policy, settings.memory, settings.seed);
        tree.keep_amaf(owners(&game));
        Mcts { game, role, settings, tree, searches: 0 }
    }

    /// Makes the programs of the playouts that the settings ask for, if they are worth what they cost; else playouts are
    /// uniform.
    pub fn prepare(&mut self, budget: &Budget) {
        if let Game::Net(_, machine) = &mut self.game {
            prepare_playouts(machine, &self.settings, budget);
        }
        self.tree.keep_amaf(owners(&self.game));
    }

    /// The best move of a state as far as the tree knows, without a search.
    fn known_move(&mut self, state: &State) -> Option<Move> {
        self.tree.set_root(state, self.settings.keep);
        self.tree.best_move(place(self.role))
    }

    /// The chances with which a role makes its moves in the state that was searched last, as far as the tree knows; none
    /// without a search. Where the others have no choice the best move has them all.
    pub fn strategy(&self, role: Role) -> Vec<(Move, f32)> {
        self.tree.strategy(place(role))
    }

    /// Searches from a state until the budget ends or the value of the state is known.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn search(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        self.searches += 1;
        self.tree.set_root(state, self.settings.keep);
        let made = self.tree.made;
        let seed = self.settings.seed ^ self.searches.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let effort = Effort::default();
        let mut others = self.game.others(self.settings.threads.saturating_sub(1));
        let settings = &self.settings;
        let role = self.role;
        let is_net = matches!(self.game, Game::Net(..));
        let shared = Mutex::new(&mut self.tree);
        let result = std::thread::scope(|scope| {
            let shared = &shared;
            let effort = &effort;
            for (number, machine) in (1..).zip(&mut others) {
                let draw = Draw::new(seed.wrapping_add(number));
                scope.spawn(move || Worker { machine, is_net, settings, role, effort, draw }.run(shared, budget));
            }
            let machine = self.game.machine();
            Worker { machine, is_net, settings, role, effort, draw: Draw::new(seed) }.run(shared, budget)
        });
        result?;
        let (value, proven) = self.tree.value(place(self.role));
        Ok(SearchReport {
            playouts: effort.playouts.load(Ordering::Relaxed),
            batches: effort.batches.load(Ordering::Relaxed),
            times: effort.times(),
            nodes: self.tree.made - made,
            depth: self.tree.depth,
            value: Some(f64::from(value) * 100.0),
            proven,
            line: self.tree.line(),
            time: watch.elapsed(),
            note: None,
        })
    }
}

/// By move of a game: the role whose it is; none where playouts do not tell the moves made.
fn owners(game: &Game) -> Vec<u32> {
    match game {
        Game::Net(net, machine) if machine.records_moves() => {
            (0..).zip(&net.roles).flat_map(|(place, role)| std::iter::repeat_n(place, role.moves.len())).collect()
        }
        Game::Net(..) | Game::Interpreted(_) => Vec::new(),
    }
}

/// Lets a machine choose the moves of playouts by the policy of a search, if that is worth what it costs, and tell them
/// where the search makes use of that.
pub(crate) fn prepare_playouts(machine: &mut NetMachine, settings: &SearchSettings, budget: &Budget) {
    if is_affordable(machine, settings.playout_policy, budget) {
        machine.set_playout_policy(settings.playout_policy);
    }
    let moves: usize = machine.net().roles.iter().map(|role| role.moves.len()).sum();
    let is_used = settings.amaf && settings.lanes && moves <= amaf::MAX_MOVES;
    if is_used && amaf::keep_meaning(machine, settings.seed, budget) {
        // Without their programs playouts are as they were.
        _ = machine.record_moves(budget);
    }
}

/// Whether the lookahead of playouts is worth what it costs, as far as the budget tells. Where several roles have a
/// choice at once, as in the first state, it sees nothing.
fn is_affordable(machine: &mut NetMachine, policy: PlayoutPolicy, budget: &Budget) -> bool {
    let initial = machine.initial_state().clone();
    let choosers =
        machine.all_legal_moves(&[initial]).map(|legal| legal.iter().flatten().filter(|moves| moves.len() > 1).count());
    choosers.is_ok_and(|choosers| choosers <= 1)
        && machine.playout_cost(policy, budget).is_ok_and(|cost| cost <= MAX_PLAYOUT_COST)
}

/// One thread of a search.
struct Worker<'w> {
    machine: &'w mut dyn StateMachine,
    is_net: bool,
    settings: &'w SearchSettings,
    role: Role,
    effort: &'w Effort,
    draw: Draw,
}

/// The work of all threads of a search so far; times in nanoseconds.
#[derive(Default)]
struct Effort {
    playouts: AtomicU64,
    batches: AtomicU64,
    choosing: AtomicU64,
    playing: AtomicU64,
    entering: AtomicU64,
}

impl Effort {
    fn times(&self) -> SearchTimes {
        let of = |time: &AtomicU64| Duration::from_nanos(time.load(Ordering::Relaxed));
        SearchTimes { choosing: of(&self.choosing), playing: of(&self.playing), entering: of(&self.entering) }
    }
}

/// Adds the time since the last look at the clock of a budget, which has one.
fn add_time(to: &AtomicU64, since: &mut Option<Duration>, budget: &Budget) {
    let now = budget.now();
    if let (Some(before), Some(now)) = (*since, now) {
        to.fetch_add(now.saturating_sub(before).as_nanos() as u64, Ordering::Relaxed);
    }
    *since = now;
}

/// Sizes of batches in playouts: few, where each takes its time; then as many as fill the words that lanes are made of.
const SIZES: [usize; 5] = [1, 8, 64, 256, 512];

/// Playouts that take as long as one of them on lanes: the instructions of a net are the same for all that fit a
/// vector.
const WORD: usize = 256;

/// The factor by which a batch of the next size takes longer at most, as far as is known before it is tried.
const WIDER: u32 = 3;

/// The times that batches have taken.
struct BatchTimes {
    /// The place of the least size: on a net, one playout takes as long as [`WORD`] of them.
    first: usize,
    most: usize,
    /// The longest time that a batch may take.
    share: Option<Duration>,
    /// By size: the longest time of late.
    times: [Option<Duration>; SIZES.len()],
}

impl BatchTimes {
    fn new(settings: &SearchSettings, is_net: bool, budget: &Budget) -> BatchTimes {
        let share = budget.time_left().map(|left| left / BATCHES);
        let on_lanes = is_net && settings.lanes;
        let first = SIZES.iter().position(|&size| !on_lanes || size >= WORD.min(settings.playouts)).unwrap_or(0);
        BatchTimes { first, most: settings.playouts, share, times: [None; SIZES.len()] }
    }

    /// The size of the next batch: the greatest that is expected to take no more than its share and what is left of the
    /// time, or else the least. One that time interrupts is forgotten, but most take less than the longest of late.
    fn next(&self, budget: &Budget) -> usize {
        let Some((share, left)) = self.share.zip(budget.time_left()) else { return self.most };
        let mut size = SIZES[self.first].min(self.most);
        for (place, &playouts) in SIZES.iter().enumerate().skip(self.first) {
            let expected = match (self.times[place], place.checked_sub(1).and_then(|before| self.times[before])) {
                (Some(time), _) => time,
                // One playout after the other at worst; wider words take longer, but not in proportion.
                (None, Some(time)) => time * ((playouts / SIZES[place - 1]) as u32).min(WIDER),
                (None, _) if place == self.first => Duration::ZERO,
                (None, None) => break,
            };
            if expected > left || expected > share && place > self.first || playouts > self.most {
                break;
            }
            size = playouts;
        }
        size
    }

    fn took(&mut self, size: usize, time: Duration) {
        let place = SIZES.iter().position(|&playouts| size <= playouts).unwrap_or(SIZES.len() - 1);
        // One slow batch is forgotten in some ten.
        self.times[place] = Some(self.times[place].map_or(time, |before| time.max(before.mul_f64(0.9))));
    }
}

impl Worker<'_> {
    fn run(mut self, shared: &Mutex<&mut Tree>, budget: &Budget) -> Result<(), GameError> {
        let mut simulations: Vec<Simulation> = Vec::new();
        let mut sizes = BatchTimes::new(self.settings, self.is_net, budget);
        let effort = self.effort;
        let mut since = budget.now();
        loop {
            let size = {
                let mut tree = shared.lock().unwrap_or_else(PoisonError::into_inner);
                add_time(&effort.choosing, &mut since, budget);
                simulations.drain(..).for_each(|simulation| tree.finish(simulation));
                add_time(&effort.entering, &mut since, budget);
                let spent = self.settings.simulations.is_some_and(|most| tree.simulations >= most);
                if spent || tree.is_solved(place(self.role)) || budget.check().is_err() {
                    return Ok(());
                }
                let size = sizes.next(budget);
                let leaves = self.settings.leaves.min(size);
                tree.select(leaves, size / leaves, &mut simulations);
                size
            };
            add_time(&effort.choosing, &mut since, budget);
            let start = since;
            if let Err(error) = self.evaluate(&mut simulations, size, budget) {
                let mut tree = shared.lock().unwrap_or_else(PoisonError::into_inner);
                simulations.drain(..).for_each(|simulation| tree.abandon(simulation));
                return if is_stop(&error) { Ok(()) } else { Err(error) };
            }
            effort.batches.fetch_add(1, Ordering::Relaxed);
            add_time(&effort.playing, &mut since, budget);
            if let (Some(start), Some(end)) = (start, since) {
                sizes.took(size, end.saturating_sub(start));
            }
        }
    }

    /// Finds the states that simulations reach, and their values.
    fn evaluate(&mut self, simulations: &mut [Simulation], playouts: usize, budget: &Budget) -> Result<(), GameError> {
        let machine = &mut *self.machine;
        machine.set_budget(budget.rest());
        // Moves of leaves whose moves are not known.
        let open: Vec<usize> = (0..simulations.len()).filter(|&i| simulations[i].joint.is_none()).collect();
        let states: Vec<State> = open.iter().map(|&i| simulations[i].state.clone()).collect();
        let terminal = machine.are_terminal(&states)?;
        let mut made = vec![None; simulations.len()];
        for ((&i, legal), terminal) in open.iter().zip(machine.all_legal_moves(&states)?).zip(terminal) {
            if !terminal {
                made[i] = Tree::random_joint(&legal, simulations[i].random);
                simulations[i].legal = Some(legal);
            }
        }
        // The states reached.
        let steps: Vec<usize> =
            (0..simulations.len()).filter(|&i| simulations[i].joint.is_some() || made[i].is_some()).collect();
        let joint = |i: usize| simulations[i].joint.as_deref().or(made[i].as_deref()).expect("a step has a joint move");
        let moves: Vec<_> = steps.iter().map(|&i| (&simulations[i].state, joint(i))).collect();
        let next = machine.next_states(&moves)?;
        let over = machine.are_terminal(&next)?;
        for ((&i, next), over) in steps.iter().zip(next).zip(over) {
            (simulations[i].next, simulations[i].over) = (Some(next), over);
        }
        // Their values.
        let mut starts = Vec::new();
        let mut of_start = Vec::new();
        let mut ended = Vec::new();
        let mut ends = Vec::new();
        let each = (playouts / simulations.len().max(1)).max(1);
        for (i, simulation) in simulations.iter_mut().enumerate() {
            match &simulation.next {
                Some(next) if !simulation.over => {
                    starts.extend(std::iter::repeat_n(next.clone(), each));
                    of_start.extend(std::iter::repeat_n(i, each));
                }
                reached => {
                    ended.push(i);
                    ends.push(reached.as_ref().unwrap_or(&simulation.state).clone());
                }
            }
        }
        for (i, goals) in ended.into_iter().zip(machine.all_goals(&ends)?) {
            simulations[i].values = values(&goals).collect();
        }
        let outcomes: Vec<(Goals, Vec<Move>)> = if self.settings.lanes {
            let played = machine.random_playouts(&starts, MAX_STEPS, self.draw.below(1 << 30) as u64)?;
            played.into_iter().map(|outcome| (outcome.goals, outcome.moves)).collect()
        } else {
            let draw = &mut self.draw;
            let mut choose = |_: usize, _: Role, moves: &[Move]| moves[draw.below(moves.len())];
            let played = machine.playouts(&starts, MAX_STEPS, &mut choose)?;
            played.into_iter().map(|playout| (playout.goals, Vec::new())).collect()
        };
        self.effort.playouts.fetch_add(outcomes.len() as u64, Ordering::Relaxed);
        for (i, (goals, moves)) in of_start.into_iter().zip(outcomes) {
            let simulation = &mut simulations[i];
            for (sum, value) in simulation.values.iter_mut().zip(values(&goals)) {
                *sum += value / each as f32;
            }
            if !moves.is_empty() {
                simulation.played.push(PlayedMoves { moves, values: values(&goals).collect() });
            }
        }
        Ok(())
    }
}

impl Player for Mcts {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        self.prepare(&budget.part_of_rest(|left| left / LOOKAHEAD_SHARE));
        let initial = self.game.machine().initial_state().clone();
        self.search(&initial, budget)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = match legal_moves(self.game.machine(), state, self.role, budget) {
            Ok(legal) => legal,
            // Time is over before the search begins: what the tree knows of the state is all there is.
            Err(error) => {
                let known = is_stop(&error).then(|| self.known_move(state)).flatten();
                return known.map(|made| Choice { made, report: SearchReport::default() }).ok_or(error);
            }
        };
        if legal.len() == 1 && !self.settings.ponder {
            return Ok(Choice { made: legal[0], report: SearchReport::default() });
        }
        let report = self.search(state, budget)?;
        let made = self.tree.best_move(place(self.role)).unwrap_or(legal[0]);
        Ok(Choice { made, report })
    }
}
