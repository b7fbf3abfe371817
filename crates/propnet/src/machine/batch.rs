//! The net of many states: a state is a lane.

use crate::bits::{SIDE, ones, transpose};
use crate::lanes::kernel::{Block, Work, run, widest};
use crate::net::Net;
use crate::program::{Port, Program, Scheduler};
use ludolog_game::{Move, State};

/// Words of a block: four are what AVX2 takes at once.
const WORDS: usize = 4;

/// States that are evaluated together.
pub const LANES: usize = Block::<WORDS>::LANES;

/// Words of a state that make a row of a square of bits.
const WORDS_OF_ROW: usize = SIDE / u32::BITS as usize;

/// The programs of a net.
pub struct Programs {
    /// Finds terminal states and legal moves.
    look: Program,
    /// Finds next states.
    step: Program,
    /// Finds goals, in slots of its own.
    goals: Program,
    /// The number of slots of the first two programs, and of the last one.
    slots: [usize; 2],
    /// By fact: its slot for the first two programs, and for the last one.
    facts: [Vec<u32>; 2],
    /// By move of all roles: the slot that says whether it is made.
    does: Vec<u32>,
    terminal: [Port; 1],
    /// By role.
    legal: Vec<Vec<Port>>,
    next: Vec<Port>,
    /// By role.
    goal_ports: Vec<Vec<Port>>,
}

impl Programs {
    /// The programs of a net.
    pub fn new(net: &Net) -> Programs {
        let moves = || net.roles.iter().flat_map(|role| &role.moves);
        let seen: Vec<_> = moves().map(|made| made.legal).chain([net.terminal]).collect();
        let next: Vec<_> = net.facts.iter().map(|fact| fact.next).collect();
        let mut scheduler = Scheduler::new(&net.graph, seen.iter().chain(&next).copied());
        let (look, step) = (scheduler.program(&seen), scheduler.program(&next));
        let values: Vec<_> = net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal)).collect();
        let mut of_goals = Scheduler::new(&net.graph, values.iter().copied());
        let goals = of_goals.program(&values);
        let facts = |scheduler: &Scheduler| net.facts.iter().map(|fact| scheduler.port(fact.now).slot).collect();
        let goal_ports =
            |role: &crate::net::NetRole| role.goals.iter().map(|(_, signal)| of_goals.port(*signal)).collect();
        let legal = |role: &crate::net::NetRole| role.moves.iter().map(|made| scheduler.port(made.legal)).collect();
        Programs {
            look,
            step,
            goals,
            slots: [scheduler.slots(), of_goals.slots()],
            facts: [facts(&scheduler), facts(&of_goals)],
            does: moves().map(|made| scheduler.port(made.does).slot).collect(),
            terminal: [scheduler.port(net.terminal)],
            legal: net.roles.iter().map(legal).collect(),
            next: next.iter().map(|&signal| scheduler.port(signal)).collect(),
            goal_ports: net.roles.iter().map(goal_ports).collect(),
        }
    }
}

/// The lanes of some states.
#[derive(Clone, Default)]
pub struct Batch {
    slots: [Vec<Block<WORDS>>; 2],
}

/// Values by lane, as words of 64.
pub struct Rows {
    words: Vec<u64>,
    width: usize,
}

impl Rows {
    /// The words of a lane.
    pub fn row(&self, lane: usize) -> &[u64] {
        &self.words[lane * self.width..][..self.width]
    }

    /// The places of the values of a lane that hold, ascending.
    pub fn ones(&self, lane: usize) -> impl Iterator<Item = usize> {
        ones(self.row(lane))
    }
}

impl Batch {
    /// Which of at most [`LANES`] states are terminal.
    pub fn terminal(&mut self, programs: &Programs, states: &[&State]) -> Rows {
        self.looked(programs, states);
        self.read(0, &programs.terminal, states.len())
    }

    /// By role the legal moves in at most [`LANES`] states.
    pub fn legal(&mut self, programs: &Programs, states: &[&State]) -> Vec<Rows> {
        self.looked(programs, states);
        programs.legal.iter().map(|ports| self.read(0, ports, states.len())).collect()
    }

    /// The facts after joint moves, each with the moves of all roles as they are numbered, in at most [`LANES`] states.
    pub fn next(&mut self, programs: &Programs, states: &[&State], joint: &[&[Move]]) -> Rows {
        self.looked(programs, states);
        let slots = &mut self.slots[0];
        programs.does.iter().for_each(|&slot| slots[slot as usize] = Block::NONE);
        for (lane, joint) in joint.iter().enumerate() {
            joint.iter().for_each(|made| slots[programs.does[made.0 as usize] as usize].insert(lane));
        }
        widest(Run { program: &programs.step, slots });
        self.read(0, &programs.next, states.len())
    }

    /// By role the goals, as they are numbered in the net, of at most [`LANES`] states.
    pub fn goals(&mut self, programs: &Programs, states: &[&State]) -> Vec<Rows> {
        self.load(programs, 1, states);
        widest(Run { program: &programs.goals, slots: &mut self.slots[1] });
        programs.goal_ports.iter().map(|ports| self.read(1, ports, states.len())).collect()
    }

    fn looked(&mut self, programs: &Programs, states: &[&State]) {
        self.load(programs, 0, states);
        widest(Run { program: &programs.look, slots: &mut self.slots[0] });
    }

    fn load(&mut self, programs: &Programs, of: usize, states: &[&State]) {
        self.slots[of].resize(programs.slots[of], Block::NONE);
        widest(Load { facts: &programs.facts[of], states, slots: &mut self.slots[of] });
    }

    fn read(&self, of: usize, ports: &[Port], lanes: usize) -> Rows {
        let width = ports.len().div_ceil(SIDE);
        let mut words = vec![0; lanes * width];
        widest(Read { ports, slots: &self.slots[of], words: &mut words, width });
        Rows { words, width }
    }
}

struct Run<'r> {
    program: &'r Program,
    slots: &'r mut [Block<WORDS>],
}

impl Work for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        run(self.program, self.slots);
    }
}

/// Moves states, a row of facts each, to the slots of the facts, a row of lanes each.
struct Load<'l> {
    facts: &'l [u32],
    states: &'l [&'l State],
    slots: &'l mut [Block<WORDS>],
}

impl Work for Load<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for word in 0..WORDS {
            let states = self.states.get(SIDE * word..).unwrap_or_default();
            for (number, facts) in self.facts.chunks(SIDE).enumerate() {
                let mut square = [0; SIDE];
                for (row, state) in square.iter_mut().zip(states) {
                    let words = &state.words()[WORDS_OF_ROW * number..];
                    *row = u64::from(words[0]) | words.get(1).map_or(0, |&high| u64::from(high) << u32::BITS);
                }
                transpose(&mut square);
                for (&fact, &lanes) in facts.iter().zip(&square) {
                    self.slots[fact as usize].0[word] = lanes;
                }
            }
        }
    }
}

/// Moves values, a row of lanes each, to rows of values.
struct Read<'r> {
    ports: &'r [Port],
    slots: &'r [Block<WORDS>],
    words: &'r mut [u64],
    width: usize,
}

impl Work for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for (word, rows) in self.words.chunks_mut((SIDE * self.width).max(1)).enumerate() {
            for (number, ports) in self.ports.chunks(SIDE).enumerate() {
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
