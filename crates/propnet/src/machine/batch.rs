//! The net of many states: a state is a lane.

use crate::bits::{SIDE, StateBits, ones_of_word, transpose};
use crate::graph::Signal;
use crate::lanes::kernel::{Block, KernelWork, run, widest};
use crate::net::Net;
use crate::program::{Instructions, Port, Scheduler};
use ludolog_game::Move;
use std::ops::Range;

/// Words of a block: four are what AVX2 takes at once.
const WORDS: usize = 4;

/// States that are evaluated together.
pub const LANES: usize = Block::<WORDS>::LANES;

/// The programs of a net, each in slots of its own.
pub struct Programs {
    terminal: LaneProgram,
    legal: LaneProgram,
    next: LaneProgram,
    goals: LaneProgram,
    /// By move of all roles: the slot that says whether it is made, for the program that finds next states.
    does: Vec<u32>,
}

/// A program and where its signals are.
pub struct LaneProgram {
    program: Instructions,
    slots: usize,
    /// By fact.
    facts: Vec<u32>,
    ports: Vec<Port>,
}

impl LaneProgram {
    /// The program that finds these signals, with the places of its slots.
    pub fn new(net: &Net, signals: impl Iterator<Item = Signal>) -> (LaneProgram, Scheduler<'_>) {
        let signals: Vec<Signal> = signals.collect();
        let mut scheduler = Scheduler::new(&net.graph, signals.iter().copied());
        let program = scheduler.program(&signals);
        let part = LaneProgram {
            program,
            slots: scheduler.slots(),
            facts: net.facts.iter().map(|fact| scheduler.port(fact.now).slot).collect(),
            ports: signals.into_iter().map(|signal| scheduler.port(signal)).collect(),
        };
        (part, scheduler)
    }
}

impl Programs {
    /// The programs of a net.
    pub fn new(net: &Net) -> Programs {
        let moves = || net.roles.iter().flat_map(|role| &role.moves);
        let goals = net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal));
        let (next, scheduler) = LaneProgram::new(net, net.facts.iter().map(|fact| fact.next));
        Programs {
            terminal: LaneProgram::new(net, [net.terminal].into_iter()).0,
            legal: LaneProgram::new(net, moves().map(|made| made.legal)).0,
            next,
            goals: LaneProgram::new(net, goals).0,
            does: moves().map(|made| scheduler.port(made.does).slot).collect(),
        }
    }
}

/// The lanes of some states.
#[derive(Clone, Default)]
pub struct Batch {
    slots: Vec<Block<WORDS>>,
    words: Vec<u64>,
}

/// Values by lane, as words of 64.
pub struct LaneRows<'b> {
    words: &'b [u64],
    width: usize,
}

impl LaneRows<'_> {
    /// The words of a lane.
    pub fn row(&self, lane: usize) -> &[u64] {
        &self.words[lane * self.width..][..self.width]
    }

    /// The places, among those in a range, of the values of a lane that hold, ascending.
    pub fn ones(&self, lane: usize, range: &Range<u32>) -> impl Iterator<Item = u32> {
        self.words_of(lane, range).flat_map(|(first, word)| ones_of_word(word).map(move |bit| first + bit as u32))
    }

    /// The number of values of a lane, in a range, that hold.
    pub fn count(&self, lane: usize, range: &Range<u32>) -> usize {
        self.words_of(lane, range).map(|(_, word)| word.count_ones() as usize).sum()
    }

    /// The words of a lane that have values in a range, without other values: each with the place of its first one.
    fn words_of(&self, lane: usize, range: &Range<u32>) -> impl Iterator<Item = (u32, u64)> {
        const BITS: u32 = u64::BITS;
        let row = self.row(lane);
        let start = range.start;
        let end = range.end;
        (start / BITS..end.div_ceil(BITS)).map(move |number| {
            let first = number * BITS;
            let low = u64::MAX << start.saturating_sub(first);
            let high = u64::MAX >> (first + BITS).saturating_sub(end);
            (first, row[number as usize] & low & high)
        })
    }
}

impl Batch {
    /// Which of at most [`LANES`] states are terminal, as one value.
    pub fn terminal(&mut self, programs: &Programs, states: &[impl StateBits]) -> LaneRows<'_> {
        self.values(&programs.terminal, states)
    }

    /// The legal moves of all roles in at most [`LANES`] states.
    pub fn legal(&mut self, programs: &Programs, states: &[impl StateBits]) -> LaneRows<'_> {
        self.values(&programs.legal, states)
    }

    /// The goals of all roles in at most [`LANES`] states.
    pub fn goals(&mut self, programs: &Programs, states: &[impl StateBits]) -> LaneRows<'_> {
        self.values(&programs.goals, states)
    }

    /// The signals of a program in at most [`LANES`] states.
    pub fn values(&mut self, program: &LaneProgram, states: &[impl StateBits]) -> LaneRows<'_> {
        self.evaluate(program, states, |state, number| state.word(number), |_| {})
    }

    /// The facts after at most [`LANES`] joint moves, each of the moves of all roles as they are numbered.
    pub fn next(&mut self, programs: &Programs, steps: &[(impl StateBits, &[Move])]) -> LaneRows<'_> {
        self.evaluate(
            &programs.next,
            steps,
            |(state, _), number| state.word(number),
            |slots| {
                programs.does.iter().for_each(|&slot| slots[slot as usize] = Block::NONE);
                for (lane, (_, joint)) in steps.iter().enumerate() {
                    joint.iter().for_each(|made| slots[programs.does[made.0 as usize] as usize].insert(lane));
                }
            },
        )
    }

    /// Runs a program on the states of lanes, after `prepare` has set the slots of other inputs.
    fn evaluate<L>(
        &mut self,
        part: &LaneProgram,
        lanes: &[L],
        word: impl Fn(&L, usize) -> u64,
        prepare: impl FnOnce(&mut [Block<WORDS>]),
    ) -> LaneRows<'_> {
        if self.slots.len() < part.slots {
            self.slots.resize(part.slots, Block::NONE);
        }
        prepare(&mut self.slots);
        let width = part.ports.len().div_ceil(SIDE);
        self.words.resize(lanes.len() * width, 0);
        widest(LaneEvaluation { part, lanes, word, slots: &mut self.slots, words: &mut self.words, width });
        LaneRows { words: &self.words, width }
    }
}

struct LaneEvaluation<'e, L, W> {
    part: &'e LaneProgram,
    lanes: &'e [L],
    word: W,
    slots: &'e mut [Block<WORDS>],
    words: &'e mut [u64],
    width: usize,
}

impl<L, W: Fn(&L, usize) -> u64> KernelWork for LaneEvaluation<'_, L, W> {
    type Output = ();

    #[inline(always)]
    fn work(mut self) {
        self.load();
        run(&self.part.program, self.slots);
        self.read();
    }
}

impl<L, W: Fn(&L, usize) -> u64> LaneEvaluation<'_, L, W> {
    /// Moves states, a row of facts each, to the slots of the facts, a row of lanes each.
    #[inline(always)]
    fn load(&mut self) {
        for (word, lanes) in self.lanes.chunks(SIDE).enumerate() {
            for (number, facts) in self.part.facts.chunks(SIDE).enumerate() {
                let mut square = [0; SIDE];
                for (row, lane) in square.iter_mut().zip(lanes) {
                    *row = (self.word)(lane, number);
                }
                transpose(&mut square);
                for (&fact, &lanes) in facts.iter().zip(&square) {
                    self.slots[fact as usize].0[word] = lanes;
                }
            }
        }
    }

    /// Moves values, a row of lanes each, to rows of values.
    #[inline(always)]
    fn read(&mut self) {
        for (word, rows) in self.words.chunks_mut((SIDE * self.width).max(1)).enumerate() {
            for (number, ports) in self.part.ports.chunks(SIDE).enumerate() {
                let mut square = [0; SIDE];
                for (lanes, port) in square.iter_mut().zip(ports) {
                    *lanes = self.slots[port.slot as usize].complemented(port.complemented).0[word];
                }
                transpose(&mut square);
                for (row, &values) in rows.chunks_mut(self.width).zip(&square) {
                    row[number] = values;
                }
            }
        }
    }
}
