//! Programs for the plies of a game, each with what is known at that ply folded into it.
//!
//! From the first state, of which everything is known, facts are followed ply by ply: a fact whose gates fold to a
//! constant is known at the next ply, whatever moves are made (whose turn it is, a step counter, cells that no piece
//! can have reached). The known facts repeat sooner or later; from there on plies repeat as well.

use super::random_net::RandomNet;
use super::turns::Turns;
use crate::graph::Signal;
use crate::program::{Instructions, Port, Scheduler};
use ludolog_engine::{Budget, Stopped};
use rustc_hash::FxHashMap;

/// Most plies with a program of their own.
const MAX_PLIES: usize = 256;

/// Most instructions of all plies together: beyond this, programs come from memory and not from a cache.
const MAX_INSTRUCTIONS: usize = 4_000_000;

/// The programs of one ply.
pub struct PlyPrograms {
    /// Finds which states are terminal and how many moves each role has.
    pub look: Instructions,
    /// Finds the next states.
    pub step: Instructions,
    /// Whether the state is terminal.
    pub terminal: Port,
    /// By role.
    pub choices: Vec<PlyChoice>,
    /// The facts that are not known at the next ply: the fact, and its value there.
    pub moves: Vec<(usize, Port)>,
    /// By recorded move: whether it is made.
    pub recorded: Vec<Port>,
    /// The recorded moves that may be asked for: the place of each, and the slot that asks for it.
    pub hints: Vec<(usize, u32)>,
    /// The facts that are known at the next ply, and are not or otherwise at this one.
    pub constants: Vec<(usize, bool)>,
    /// Whether a new game may begin at this ply: the first state agrees with what is known.
    pub starts: bool,
    /// The next ply.
    pub next: usize,
}

/// The choice of a role's move at a ply.
pub struct PlyChoice {
    /// The number of legal moves, lowest bit first.
    pub total: Vec<Port>,
    /// The slots of the random number below it.
    pub random: Vec<u32>,
}

/// The plies of a game.
pub struct Plies {
    /// The plies; a game begins at the first.
    pub list: Vec<PlyPrograms>,
    /// The slots that they need.
    pub slots: usize,
    /// The slots of the facts.
    pub facts: Vec<u32>,
}

impl Plies {
    /// One ply at which nothing is known: games at it may be of any age.
    pub fn free(net: &RandomNet) -> Plies {
        let mut plies = Plies { list: Vec::new(), slots: 0, facts: Vec::new() };
        let unknown = vec![None; net.facts.len()];
        plies.add(net, &unknown, |_| unknown.clone());
        plies.list[0].next = 0;
        plies
    }

    /// The plies of a cycle, at each of which it is known whose turn it is.
    pub fn by_turn(net: &RandomNet, turns: &Turns) -> Plies {
        let mut plies = Plies { list: Vec::new(), slots: 0, facts: Vec::new() };
        let count = turns.0.len();
        for (ply, known) in turns.0.iter().enumerate() {
            let next = (ply + 1) % count;
            plies.add(net, known, |_| turns.0[next].clone());
            plies.list[ply].next = next;
        }
        plies
    }

    /// The plies from the first state on, with all that is known at each.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn in_step(net: &RandomNet, budget: &Budget) -> Result<Plies, Stopped> {
        let mut plies = Plies { list: Vec::new(), slots: 0, facts: Vec::new() };
        let mut seen: FxHashMap<Vec<Option<bool>>, usize> = FxHashMap::default();
        let mut history: Vec<Vec<Option<bool>>> = Vec::new();
        let mut known: Vec<Option<bool>> = net.facts.iter().map(|&(_, _, initial)| Some(initial)).collect();
        let mut instructions = 0;
        loop {
            budget.check()?;
            seen.insert(known.clone(), plies.list.len());
            history.push(known.clone());
            let is_long = history.len() >= MAX_PLIES || instructions > MAX_INSTRUCTIONS;
            let next = plies.add(net, &known, |mut next| {
                // Too many plies: forget what differs from two plies before, since players often take turns.
                if is_long && let Some(before) = history.iter().rev().nth(1) {
                    next.iter_mut().zip(before).for_each(|(now, before)| *now = now.filter(|_| now == before));
                }
                next
            });
            let last = plies.list.len() - 1;
            instructions += plies.list[last].look.instructions() + plies.list[last].step.instructions();
            if let Some(&ply) = seen.get(&next) {
                plies.list[last].next = ply;
                return Ok(plies);
            }
            known = next;
        }
    }

    /// The instructions of a ply, on the average of the plies that repeat.
    pub fn instructions(&self) -> usize {
        let repeated = &self.list[self.list.last().map_or(0, |last| last.next)..];
        let all: usize = repeated.iter().map(|ply| ply.look.instructions() + ply.step.instructions()).sum();
        all / repeated.len().max(1)
    }

    /// Adds the ply at which this is known, and returns what is known at the next, as `widen` leaves it.
    fn add(
        &mut self,
        net: &RandomNet,
        known: &[Option<bool>],
        widen: impl FnOnce(Vec<Option<bool>>) -> Vec<Option<bool>>,
    ) -> Vec<Option<bool>> {
        let folded = net.fold(known);
        let constant = |signal: &Signal| match *signal {
            Signal::FALSE => Some(false),
            Signal::TRUE => Some(true),
            _ => None,
        };
        let next = widen(folded.next.iter().map(constant).collect());
        let seen: Vec<Signal> =
            folded.choices.iter().flat_map(|(total, _)| total.iter().copied()).chain([folded.terminal]).collect();
        let open: Vec<usize> = (0..next.len()).filter(|&fact| next[fact].is_none()).collect();
        let moved: Vec<Signal> = open.iter().map(|&fact| folded.next[fact]).collect();
        let made = [&moved[..], &folded.recorded].concat();
        let mut scheduler = Scheduler::new(&folded.graph, seen.iter().chain(&made).copied());
        let look = scheduler.program(&seen);
        let choices = folded.choices.iter().map(|(total, random)| PlyChoice {
            total: total.iter().map(|&bit| scheduler.port(bit)).collect(),
            random: random.iter().map(|&bit| scheduler.port(bit).slot).collect(),
        });
        let choices = choices.collect();
        let terminal = scheduler.port(folded.terminal);
        scheduler.release(seen);
        let step = scheduler.program(&made);
        let moves = open.iter().zip(&moved).map(|(&fact, &signal)| (fact, scheduler.port(signal)));
        let constants = (0..next.len()).filter(|&fact| next[fact] != known[fact]);
        let constants = constants.filter_map(|fact| Some((fact, next[fact]?)));
        let agrees = |(known, (_, _, initial)): (&Option<bool>, &(Signal, Signal, bool))| {
            known.is_none_or(|known| known == *initial)
        };
        self.list.push(PlyPrograms {
            look,
            step,
            terminal,
            choices,
            moves: moves.collect(),
            recorded: folded.recorded.iter().map(|&made| scheduler.port(made)).collect(),
            hints: folded.hints.iter().map(|&(place, hint)| (place, scheduler.port(hint).slot)).collect(),
            constants: constants.collect(),
            starts: known.iter().zip(&net.facts).all(agrees),
            next: self.list.len() + 1,
        });
        self.slots = self.slots.max(scheduler.slots());
        if self.facts.is_empty() {
            // The inputs come in the same order in every folded graph, so they have the same slots.
            let inputs =
                (1..).zip(net.graph.nodes().iter().enumerate().filter(|(_, node)| **node == crate::graph::Node::Input));
            let slots: FxHashMap<usize, u32> = inputs.map(|(slot, (node, _))| (node, slot)).collect();
            self.facts = net.facts.iter().map(|(input, ..)| slots[&input.node()]).collect();
        }
        next
    }
}
