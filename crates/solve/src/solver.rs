//! The rounds of all peers: forward to all states, then backward to their values.
//!
//! Values are goals. For one role, a state is worth the best goal that can be reached from it. For two roles whose
//! goals add up to the same at every end, the value of a state is found from both sides: with the values above the half
//! of the sum, the greatest first,
//!
//! ```text
//! forces(v, s) :- ends(s, u), u ≥ v.
//! forces(v, s) :- first role chooses in s, some successor t: forces(v, t).
//! forces(v, s) :- second role chooses in s, every successor t: forces(v, t).
//! ```
//!
//! and likewise for the second role with the values below. States from which a role can force an end of half of the sum,
//! and no more, are worth that. In the rest nobody can force any end without loss: play need not end. Each state counts the successors that are not known to be forced, so that a side takes time
//! linear in the joint moves; rounds are distances: the side that forces hurries, the other one delays.

use crate::checkpoint::{Checkpoint, PeerLog};
use crate::exchange::{Exchange, PeerCounts, ThreadPeers};
use crate::shard::{KnownValue, NO_DISTANCE, Numbering, OVER, Shard, UNLABELLED, hash, owner};
use crate::solution::{Level, SolvedStates, StateValue};
use ludolog_game::{Role, State, StateMachine};
use ludolog_propnet::NetMachine;
use ludolog_propnet::machine::{Expansion, MoveChooser};
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::{Budget, Stopped};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::num::NonZero;
use std::ops::Range;

/// States that a peer expands between two exchanges: enough to hide their cost, few enough for what is exchanged to
/// stay in the cache.
const EXPANDED: usize = 1 << 13;

/// States that a peer walks back from between two exchanges. They are less work, and need fewer words.
const WALKED: usize = 1 << 15;

/// Most different goals at the ends.
const MAX_VALUES: usize = 250;

/// Why a game is not solved.
#[derive(Clone, Debug, PartialEq)]
pub enum Unsolved {
    /// The budget ended; its bytes are those of all tables.
    Stopped(Stopped),
    /// Several roles have more than one legal move in this state.
    Simultaneous(State),
    /// This role has no legal move in this state, which is not terminal.
    Stuck(Term, State),
    /// A role does not have exactly one goal in this terminal state.
    NoGoal(State),
    /// Goals of two roles that add up to different numbers at different ends.
    NotOpposed(Vec<i64>, Vec<i64>),
    /// The game has more roles than two; how many.
    Roles(usize),
    /// The game hides its states (GDL-II).
    Hidden,
    /// A role moves at random.
    Chance,
    /// There are more different goals than values that a label holds.
    TooManyGoals,
    /// There are more states or joint moves than numbers for them.
    TooManyStates,
    /// The checkpoint cannot be read or written; why.
    Checkpoint(String),
    /// Another process says why.
    Elsewhere,
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolved::Stopped(stopped) => stopped.fmt(f),
            Unsolved::Simultaneous(_) => f.write_str(
                "several roles have a choice in the same state, so that best play would be by chance; \
                 only games whose roles take turns are solved",
            ),
            Unsolved::Stuck(role, _) => write!(f, "`{role}` has no legal move in a state that is not terminal"),
            Unsolved::NoGoal(_) => f.write_str("in some terminal state a role does not have exactly one goal"),
            Unsolved::NotOpposed(a, b) => write!(
                f,
                "the goals of the two roles are not opposed: {a:?} at one end and {b:?} at another add up to different numbers"
            ),
            Unsolved::Roles(roles) => {
                write!(f, "the game has {roles} roles; games of one role and of two opposed roles are solved")
            }
            Unsolved::Chance => f.write_str(
                "a role moves at random, so that the value of a state is an expectation; only games without chance are solved",
            ),
            Unsolved::Hidden => f.write_str(
                "the game hides its states, so that best play would be by chance; only games whose states are seen are solved",
            ),
            Unsolved::TooManyGoals => write!(f, "there are more than {MAX_VALUES} different goals"),
            Unsolved::TooManyStates => f.write_str("there are too many states or joint moves to be numbered"),
            Unsolved::Checkpoint(reason) => write!(f, "the checkpoint cannot be used: {reason}"),
            Unsolved::Elsewhere => f.write_str("another process stopped, and says why"),
        }
    }
}

impl Unsolved {
    /// The state in which that is so.
    pub fn state(&self) -> Option<&State> {
        match self {
            Unsolved::Simultaneous(state) | Unsolved::Stuck(_, state) | Unsolved::NoGoal(state) => Some(state),
            _ => None,
        }
    }
}

impl std::error::Error for Unsolved {}

impl From<Stopped> for Unsolved {
    fn from(stopped: Stopped) -> Self {
        Unsolved::Stopped(stopped)
    }
}

/// The progress of the peers.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerProgress {
    /// The level that is expanded, or the distance that is labelled.
    pub depth: usize,
    /// Whether all states are found, and labels are.
    pub backward: bool,
    /// The states found by all peers.
    pub states: u64,
    /// The states that are left at this depth.
    pub left: u64,
    /// The bytes that all peers take.
    pub bytes: u64,
}

/// Solves a game on some threads, or on as many as a checkpoint has states of, from where that stopped. What is known
/// after a stop is in the solution as well. `watch` is told of the progress after each round.
pub fn solve(
    machine: &NetMachine,
    threads: NonZero<usize>,
    checkpoint: Option<&Checkpoint>,
    budget: &Budget,
    watch: &mut dyn FnMut(&PeerProgress),
) -> SolvedStates {
    let threads = checkpoint.and_then(Checkpoint::peers).unwrap_or(threads.get());
    let shared = ThreadPeers::new(threads);
    let run = |index: usize, watch: &mut dyn FnMut(&PeerProgress)| {
        Peer::new(machine.clone(), shared.peer(index), budget, watch).run(checkpoint)
    };
    let parts: Vec<PeerResult> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|index| scope.spawn(move || run(index, &mut |_| {}))).collect();
        let first = run(0, watch);
        let others =
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    });
    SolvedStates::of_parts(parts, 0, threads)
}

/// The result of one peer.
pub(crate) struct PeerResult {
    pub shard: Shard,
    /// The values, descending; labels are their places.
    pub values: Vec<i64>,
    /// The sum of the goals of two roles.
    pub sum: Option<i128>,
    /// Of all peers. After a stop, of the levels that are complete.
    pub levels: Vec<Level>,
    pub edges: u64,
    /// The value of the first state.
    pub initial: Option<StateValue>,
    pub ended: Option<Unsolved>,
}

pub(crate) struct Peer<'p, E> {
    machine: NetMachine,
    exchange: E,
    budget: Budget,
    watch: &'p mut dyn FnMut(&PeerProgress),
    shard: Shard,
    outboxes: Vec<Vec<u64>>,
    inboxes: Vec<Vec<u64>>,
    /// The goals of all roles at the ends that this peer has found.
    goals: Vec<Vec<i64>>,
    /// Why this peer wants all to stop.
    trouble: Option<Unsolved>,
    progress: PeerProgress,
}

/// The goals at the ends.
#[derive(Default)]
struct EndGoals {
    /// Those of the first role, descending.
    values: Vec<i64>,
    /// The sum of the goals of two roles.
    sum: Option<i128>,
}

/// The side that forces values, and when a value is worth forcing.
struct ForcingSide {
    role: u8,
    /// The places of the values in the order in which they are forced.
    values: Vec<usize>,
}

impl<'p, E: Exchange> Peer<'p, E> {
    pub fn new(
        mut machine: NetMachine,
        exchange: E,
        budget: &Budget,
        watch: &'p mut dyn FnMut(&PeerProgress),
    ) -> Peer<'p, E> {
        let peers = exchange.peers();
        let width = machine.row_words();
        machine.set_budget(Budget::unlimited());
        Peer {
            machine,
            exchange,
            budget: budget.clone(),
            watch,
            shard: Shard::new(width),
            outboxes: vec![Vec::new(); peers],
            inboxes: vec![Vec::new(); peers],
            goals: Vec::new(),
            trouble: None,
            progress: PeerProgress::default(),
        }
    }

    pub fn run(mut self, checkpoint: Option<&Checkpoint>) -> PeerResult {
        let solved = match self.machine.roles().len() {
            _ if self.machine.hides() => Err(Unsolved::Hidden),
            _ if self.machine.has_chance() => Err(Unsolved::Chance),
            1 | 2 => self.enumerate(checkpoint).and_then(|()| self.label()),
            roles => Err(Unsolved::Roles(roles)),
        };
        let ended = solved.as_ref().err().cloned();
        let EndGoals { values, sum } = solved.unwrap_or_default();
        let (levels, edges) = self.count(values.len());
        let initial = ended.is_none().then(|| self.initial(&values)).flatten();
        PeerResult { shard: self.shard, values, sum, levels, edges, initial, ended }
    }

    /// Exchanges, and tells others how much work this peer has left at this depth. Returns how much all have.
    fn round(&mut self, left: usize) -> Result<u64, Unsolved> {
        self.send(left);
        self.receive()
    }

    /// Begins a round.
    fn send(&mut self, left: usize) {
        if let (None, Err(stopped)) = (&self.trouble, self.budget.check()) {
            self.trouble = Some(stopped.into());
        }
        if self.trouble.is_none() && self.shard.is_full(Numbering::new(self.exchange.peers())) {
            self.trouble = Some(Unsolved::TooManyStates);
        }
        let boxes = self.outboxes.iter().chain(&self.inboxes).map(|words| 8 * words.capacity()).sum::<usize>();
        let note: PeerCounts = [
            left as u64,
            (self.shard.bytes() + boxes) as u64,
            u64::from(self.trouble.is_some()),
            self.shard.rows.len() as u64,
        ];
        self.exchange.send(&mut self.outboxes, note);
    }

    /// Ends the round that was begun.
    fn receive(&mut self) -> Result<u64, Unsolved> {
        let [left, bytes, troubles, states] = self.exchange.receive(&mut self.inboxes);
        if troubles > 0 {
            return Err(self.trouble.clone().unwrap_or(Unsolved::Elsewhere));
        }
        // All peers know the sum, so they stop in the same round.
        if let Err(stopped @ Stopped::TooMuchMemory { .. }) = self.budget.check_bytes(bytes) {
            return Err(stopped.into());
        }
        self.progress = PeerProgress { states, left, bytes, ..self.progress };
        if self.exchange.index() == 0 {
            (self.watch)(&self.progress);
        }
        Ok(left)
    }

    /// Exchanges without a note, also after a stop.
    fn tell_all(&mut self) {
        self.exchange.send(&mut self.outboxes, PeerCounts::default());
        self.exchange.receive(&mut self.inboxes);
    }

    /// Goes through `work`, some of it between two exchanges, while the words of the exchange before travel: `produce`
    /// fills outboxes, and `consume` empties inboxes. Ends when all peers have gone through their work.
    fn rounds(
        &mut self,
        work: Range<usize>,
        mut produce: impl FnMut(&mut Self, Range<usize>),
        mut consume: impl FnMut(&mut Self),
    ) -> Result<(), Unsolved> {
        let most = if self.progress.backward { WALKED } else { EXPANDED };
        let mut next = work.start;
        let mut begin = |peer: &mut Self| {
            let chunk = next..work.end.min(next + most);
            next = chunk.end;
            produce(peer, chunk);
            work.end - next
        };
        let mut left = begin(self);
        loop {
            self.send(left);
            left = begin(self);
            let all = self.receive()?;
            consume(self);
            if all == 0 {
                return Ok(());
            }
        }
    }

    /// Finds all states, level by level, from a checkpoint on.
    fn enumerate(&mut self, checkpoint: Option<&Checkpoint>) -> Result<(), Unsolved> {
        let mut log = None;
        if let Some(checkpoint) = checkpoint {
            let roles = self.machine.roles().len();
            let found = checkpoint.file(self.exchange.index(), &mut self.shard, &mut self.goals, roles);
            log = self.checked(found).map(|log| (checkpoint, log));
        }
        if checkpoint.and_then(Checkpoint::peers).is_none() {
            let first = self.first_row();
            if owner(hash(&first), self.exchange.peers()) == self.exchange.index() {
                self.shard.begin(&first);
            }
        }
        self.progress.depth = self.shard.levels.len() - 1;
        // Go on only if all peers have what they need.
        self.round(0)?;
        let mut expansion = Expansion::default();
        loop {
            let end = self.shard.rows.len();
            let produce = |peer: &mut Self, chunk| peer.expand(chunk, &mut expansion);
            let consume = |peer: &mut Self| peer.inboxes.iter().for_each(|inbox| peer.shard.receive(inbox));
            self.rounds(self.shard.known.len()..end, produce, consume)?;
            self.shard.levels.push(end);
            let added = self.round(self.shard.rows.len() - end)?;
            if added == 0 {
                return Ok(());
            }
            if let Some((checkpoint, log)) = &mut log {
                self.save(checkpoint, log)?;
            }
            self.progress.depth += 1;
        }
    }

    /// Writes what a level has added, and when all peers have, that it counts.
    fn save(&mut self, checkpoint: &Checkpoint, log: &mut PeerLog) -> Result<(), Unsolved> {
        let length = log.append(&self.shard, &self.goals);
        let length = self.checked(length);
        self.outboxes[0].extend(length);
        self.round(0)?;
        if self.exchange.index() == 0 {
            let lengths: Vec<u64> = self.inboxes.iter().flatten().copied().collect();
            let written = checkpoint.write(&lengths);
            self.checked(written);
        }
        Ok(())
    }

    /// The result of the file system; an error is trouble.
    fn checked<T>(&mut self, result: io::Result<T>) -> Option<T> {
        result.map_err(|error| self.trouble = Some(Unsolved::Checkpoint(error.to_string()))).ok()
    }

    /// Finds who has the turn in some states, and puts their successors into the outboxes.
    fn expand(&mut self, states: Range<usize>, expansion: &mut Expansion) {
        let Peer { shard, machine, outboxes, .. } = self;
        let width = shard.rows.width();
        let peers = outboxes.len();
        let index = self.exchange.index();
        let numbering = Numbering::new(peers);
        let rows = &shard.rows.words()[width * states.start..width * states.end];
        if let Err(stopped) = machine.expand(rows, expansion) {
            self.trouble = Some(stopped.into());
            return;
        }
        let roles = machine.roles().len();
        let mut goals = expansion.goals.chunks_exact(roles);
        for (place, turn) in expansion.turns.iter().enumerate() {
            let state = || machine.state_of_row(shard.rows.row(states.start + place));
            let (turn, count) = match *turn {
                MoveChooser::Of(role) => (role.0 as u8, Ok(0)),
                MoveChooser::Over => (OVER, known_goals(&mut self.goals, goals.next().unwrap_or_default(), state)),
                MoveChooser::Several => (OVER, Err(Unsolved::Simultaneous(state()))),
                MoveChooser::Stuck(Role(role)) => {
                    (OVER, Err(Unsolved::Stuck(machine.roles()[role as usize].clone(), state())))
                }
            };
            shard.known.push(KnownValue { count: *count.as_ref().unwrap_or(&0), turn, label: UNLABELLED });
            self.trouble = self.trouble.take().or(count.err());
        }
        for (&parent, row) in expansion.parents.iter().zip(expansion.successors.chunks_exact(width)) {
            let parent = states.start + parent as usize;
            shard.known[parent].count += 1;
            let outbox = &mut outboxes[owner(hash(row), peers)];
            outbox.extend_from_slice(row);
            outbox.push(numbering.join(index, parent));
        }
    }

    /// Makes the goals that any peer has found known to all.
    fn values(&mut self) -> Result<EndGoals, Unsolved> {
        let roles = self.machine.roles().len();
        for outbox in &mut self.outboxes {
            outbox.extend(self.goals.iter().flatten().map(|&goal| goal as u64));
        }
        self.round(0)?;
        let words = self.inboxes.iter().flat_map(|inbox| inbox.chunks_exact(roles));
        let all: BTreeSet<Vec<i64>> = words.map(|goals| goals.iter().map(|&goal| goal as i64).collect()).collect();
        let sum = all.first().filter(|_| roles == 2).map(|goals| total(goals));
        if let (Some(first), Some(sum)) = (all.first(), sum)
            && let Some(other) = all.iter().find(|goals| total(goals) != sum)
        {
            return Err(Unsolved::NotOpposed(first.clone(), other.clone()));
        }
        let values: BTreeSet<i64> = all.iter().map(|goals| goals[0]).collect();
        if values.len() > MAX_VALUES {
            Err(Unsolved::TooManyGoals)
        } else {
            Ok(EndGoals { values: values.into_iter().rev().collect(), sum })
        }
    }

    /// Labels all states with the places of their values.
    fn label(&mut self) -> Result<EndGoals, Unsolved> {
        let EndGoals { values, sum } = self.values()?;
        self.progress = PeerProgress { backward: true, ..self.progress };
        let twice = |place: usize| 2 * i128::from(values[place]);
        let places = 0..values.len();
        let (middle, sides) = match sum {
            None => (None, vec![ForcingSide { role: 0, values: places.collect() }]),
            Some(sum) => {
                let above =
                    ForcingSide { role: 0, values: places.clone().filter(|&place| twice(place) > sum).collect() };
                let below =
                    ForcingSide { role: 1, values: places.clone().rev().filter(|&place| twice(place) < sum).collect() };
                (places.clone().find(|&place| twice(place) == sum), vec![above, below])
            }
        };
        let shard = &mut self.shard;
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); values.len()];
        for (number, known) in (0..).zip(&mut shard.known).filter(|(_, known)| known.turn == OVER) {
            let goals = &self.goals[known.count as usize];
            let label = values.partition_point(|&value| value > goals[0]);
            (known.count, known.label) = (0, label as u8);
            ends[label].push(number);
        }
        for side in sides {
            for value in side.values {
                self.force(side.role, value as u8, std::mem::take(&mut ends[value]))?;
            }
        }
        if let Some(middle) = middle {
            self.force_half(middle as u8)?;
        }
        for known in self.shard.known.iter_mut().filter(|known| known.label == UNLABELLED) {
            known.count = NO_DISTANCE;
        }
        Ok(EndGoals { values, sum })
    }

    /// Labels the states in which a role can force half of the sum, and neither can force more. They have no distance: of
    /// two roles that both avoid a loss, none hurries.
    fn force_half(&mut self, value: u8) -> Result<(), Unsolved> {
        for role in [0, 1] {
            // What the first role forces is good enough for the second one.
            let known = (0..).zip(&self.shard.known).filter(|(_, known)| known.label == value);
            let here = known.map(|(number, _)| number).collect();
            self.force(role, value, here)?;
        }
        for known in self.shard.known.iter_mut().filter(|known| known.label == value && known.turn != OVER) {
            known.count = NO_DISTANCE;
        }
        Ok(())
    }

    /// Labels all states in which a side can force a value, from states that have it.
    fn force(&mut self, role: u8, value: u8, mut here: Vec<u32>) -> Result<(), Unsolved> {
        let numbering = Numbering::new(self.exchange.peers());
        let mut distance = 0;
        loop {
            let mut next = Vec::new();
            self.progress.depth = distance as usize;
            let produce = |peer: &mut Self, chunk: Range<usize>| {
                let Peer { shard, outboxes, .. } = peer;
                shard.parents(&here[chunk], |parent| {
                    let (owner, parent) = numbering.split(parent);
                    outboxes[owner].push(parent.into());
                });
            };
            let consume = |peer: &mut Self| {
                let Peer { shard, inboxes, .. } = peer;
                for parents in inboxes {
                    shard.change(parents, |number, known| {
                        if known.turn != role {
                            known.count -= 1;
                            if known.count > 0 {
                                return;
                            }
                        }
                        (known.label, known.count) = (value, distance + 1);
                        next.push(number);
                    });
                }
            };
            self.rounds(0..here.len(), produce, consume)?;
            if self.round(next.len())? == 0 {
                return Ok(());
            }
            here = next;
            distance += 1;
        }
    }

    /// The value of the first state, by the peer that owns it: it is the first of its states.
    fn initial(&mut self, values: &[i64]) -> Option<StateValue> {
        let owns = self.exchange.index() == owner(hash(&self.first_row()), self.exchange.peers());
        let known = self.shard.known.first().filter(|_| owns);
        for outbox in &mut self.outboxes {
            outbox.clear();
            outbox.extend(known.iter().flat_map(|known| [u64::from(known.label), u64::from(known.count)]));
        }
        self.tell_all();
        let [label, distance] = *self.inboxes.iter().find_map(|inbox| inbox.first_chunk())?;
        Some(StateValue::new(values, label as u8, distance as u32))
    }

    /// The first state as a row.
    fn first_row(&self) -> Vec<u64> {
        let mut row = Vec::new();
        self.machine.push_row(self.machine.initial_state(), &mut row);
        row
    }

    /// The states of all levels, and all joint moves, of all peers.
    fn count(&mut self, values: usize) -> (Vec<Level>, u64) {
        let shard = &self.shard;
        let width = values + 3;
        let mut words = vec![shard.edges.len() as u64];
        for level in shard.levels.windows(2) {
            let start = words.len();
            words.resize(start + width, 0);
            let counts = &mut words[start..];
            let known = &shard.known[level[0]..level[1]];
            counts[values + 1] = known.iter().filter(|known| known.turn == OVER).count() as u64;
            counts[values + 2] = known.len() as u64;
            for known in known {
                counts[usize::from(known.label).min(values)] += 1;
            }
        }
        self.outboxes.iter_mut().for_each(|outbox| outbox.clone_from(&words));
        self.tell_all();
        let mut sums = vec![0; words.len()];
        for inbox in &self.inboxes {
            sums.iter_mut().zip(inbox).for_each(|(sum, word)| *sum += word);
        }
        let level = |counts: &[u64]| Level {
            states: counts[values + 2],
            terminal: counts[values + 1],
            values: counts[..values].to_vec(),
        };
        (sums[1..].chunks_exact(width).map(level).collect(), sums[0])
    }
}

/// The number of the goals of an end among those that are known.
fn known_goals(known: &mut Vec<Vec<i64>>, goals: &[Option<i64>], state: impl Fn() -> State) -> Result<u32, Unsolved> {
    let is_same = |other: &Vec<i64>| other.iter().zip(goals).all(|(other, goal)| Some(*other) == *goal);
    if let Some(number) = known.iter().position(is_same) {
        return Ok(number as u32);
    }
    let goals = goals.iter().copied().collect::<Option<Vec<i64>>>().ok_or_else(|| Unsolved::NoGoal(state()))?;
    if let Some(first) = known.first().filter(|first| first.len() == 2 && total(first) != total(&goals)) {
        return Err(Unsolved::NotOpposed(first.clone(), goals));
    }
    if known.len() == MAX_VALUES {
        return Err(Unsolved::TooManyGoals);
    }
    known.push(goals);
    Ok(known.len() as u32 - 1)
}

fn total(goals: &[i64]) -> i128 {
    goals.iter().map(|&goal| i128::from(goal)).sum()
}
