//! Closures: facts that depend on each other, as one gate with an output for each of them.
//!
//! ```text
//! reach(C) :- first(C) & stone(C).                      base of C: stone(C), if C is on the first edge
//! reach(C) :- stone(C) & reach(D).   D beside C         step of C: guard stone(C), any of its neighbors D
//! ```
//!
//! The outputs are the least solution: a fact holds if a chain of steps leads to it from a base. Facts are in bases and
//! steps only as they are, never complemented, so the solution is reached from below, in any order of the steps.
//!
//! Gates alone have to repeat all steps for each link of the longest chain that there may be, which has as many links
//! as there are facts: n rounds of n steps. A closure is n steps, which are repeated as far as there are chains. Graphs
//! that are taken apart gate by gate [unroll](GateGraph::unrolling) closures to such rounds, and graphs for lanes those
//! of few members.

use crate::graph::{GateGraph, Signal};
use ludolog_syntax::ColdSort;
use std::ops::Range;

/// Most gates that a closure is unrolled to.
const MAX_UNROLLED: usize = 2_000_000;

/// One of several facts that depend on each other. It holds if its base or a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// A condition without members.
    pub base: Signal,
    /// The ways to it from other members.
    pub steps: Vec<ClosureStep>,
}

/// A way from members to a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClosureStep {
    /// A condition without members.
    pub guard: Signal,
    /// Members by number; of each of these lists at least one has to hold.
    pub any: Vec<Vec<u32>>,
}

/// Facts that depend on each other, as nodes of a graph.
#[derive(Clone, Debug)]
pub struct ClosureGates {
    /// The facts. Each reads others, and none is constant.
    pub members: Vec<Member>,
    /// The node of the first; those of the others follow.
    pub first: usize,
}

impl ClosureGates {
    /// The signals that it depends on, those of constants and repeated ones too.
    pub fn inputs(&self) -> impl Iterator<Item = Signal> {
        self.members.iter().flat_map(|member| member.steps.iter().map(|step| step.guard).chain([member.base]))
    }

    /// The nodes of the members.
    pub fn nodes(&self) -> Range<usize> {
        self.first..self.first + self.members.len()
    }

    /// The members with other signals for inputs.
    pub(crate) fn members_by(&self, signal: impl Fn(Signal) -> Signal) -> Vec<Member> {
        let step = |step: &ClosureStep| ClosureStep { guard: signal(step.guard), any: step.any.clone() };
        let member =
            |member: &Member| Member { base: signal(member.base), steps: member.steps.iter().map(step).collect() };
        self.members.iter().map(member).collect()
    }

    /// The number of members that its steps read.
    pub fn reads(&self) -> usize {
        reads(&self.members)
    }

    /// Finds which members hold where inputs hold as `value` says.
    pub fn least(&self, value: impl Fn(Signal) -> bool) -> Vec<bool> {
        least(&self.members, value)
    }
}

fn reads(members: &[Member]) -> usize {
    members.iter().flat_map(|member| &member.steps).flat_map(|step| &step.any).map(Vec::len).sum()
}

/// The least solution: rounds of all steps, there and back again, until one changes nothing.
fn least(members: &[Member], value: impl Fn(Signal) -> bool) -> Vec<bool> {
    let mut holds: Vec<bool> = members.iter().map(|member| value(member.base)).collect();
    let leads = |step: &ClosureStep, holds: &[bool]| {
        value(step.guard) && step.any.iter().all(|any| any.iter().any(|&member| holds[member as usize]))
    };
    let mut settle = |number: usize| {
        let changes = !holds[number] && members[number].steps.iter().any(|step| leads(step, &holds));
        holds[number] |= changes;
        changes
    };
    loop {
        let there = (0..members.len()).fold(false, |changed, number| settle(number) | changed);
        let back = there && (0..members.len()).rev().fold(false, |changed, number| settle(number) | changed);
        if !back {
            return holds;
        }
    }
}

impl GateGraph {
    /// The least solution of facts that depend on each other: the signal of each.
    ///
    /// Members that turn out to be constant, or to depend on no other, are gates or constants.
    pub fn close(&mut self, mut members: Vec<Member>) -> Vec<Signal> {
        let may = least(&members, |signal| signal != Signal::FALSE);
        let must = least(&members, |signal| signal == Signal::TRUE);
        let constant = |(may, must): (bool, bool)| (may == must).then_some(Signal::FALSE.complemented(must));
        let mut values: Vec<Option<Signal>> = may.into_iter().zip(must).map(constant).collect();
        loop {
            let before = values.iter().flatten().count();
            for number in 0..members.len() {
                if values[number].is_none() {
                    self.reduce(&mut members[number], number as u32, &values);
                    values[number] = members[number].steps.is_empty().then_some(members[number].base);
                }
            }
            if values.iter().flatten().count() == before {
                break;
            }
        }
        let open: Vec<usize> = (0..members.len()).filter(|&number| values[number].is_none()).collect();
        let mut numbers = vec![0; members.len()];
        open.iter().zip(0..).for_each(|(&before, number)| numbers[before] = number);
        let mut left: Vec<Member> = open.iter().map(|&number| members[number].clone()).collect();
        for step in left.iter_mut().flat_map(|member| &mut member.steps) {
            step.any.iter_mut().flatten().for_each(|member| *member = numbers[*member as usize]);
        }
        let signals = self.unrolled(&left).unwrap_or_else(|| self.closed(left));
        open.iter().zip(signals).for_each(|(&number, signal)| values[number] = Some(signal));
        values.into_iter().flatten().collect()
    }

    /// Moves members whose signals are known from steps to guards and bases.
    fn reduce(&mut self, member: &mut Member, number: u32, values: &[Option<Signal>]) {
        let mut bases = vec![member.base];
        let mut open = std::mem::take(&mut member.steps);
        while let Some(mut step) = open.pop() {
            // What leads from a member to itself, it does not need.
            step.any.iter_mut().for_each(|any| any.retain(|&other| other != number));
            if step.guard == Signal::FALSE || step.any.contains(&Vec::new()) {
                continue;
            }
            let known = |any: &Vec<u32>| any.iter().position(|&other| values[other as usize].is_some());
            let Some((list, place)) = (0..).zip(&step.any).find_map(|(list, any)| Some((list, known(any)?))) else {
                if step.any.is_empty() {
                    bases.push(step.guard);
                } else {
                    member.steps.push(step);
                }
                continue;
            };
            let other = step.any[list].remove(place);
            let value = values[other as usize].expect("it is known");
            let mut by_it = step.clone();
            by_it.any.remove(list);
            by_it.guard = self.and(step.guard, value);
            open.push(by_it);
            if value != Signal::TRUE {
                open.push(step);
            }
        }
        member.base = self.any(bases);
        if member.base == Signal::TRUE {
            member.steps.clear();
        }
        member.steps.cold_sort();
        member.steps.dedup();
    }

    /// The members as gates: round after round until one changes no signal. `None` if these are more than the graph
    /// unrolls.
    fn unrolled(&mut self, members: &[Member]) -> Option<Vec<Signal>> {
        if members.len() > self.most_unrolled() {
            return None;
        }
        let start = self.nodes().len();
        let mut signals: Vec<Signal> = members.iter().map(|member| member.base).collect();
        // A chain has no more links than there are members.
        for _ in members {
            let mut is_changed = false;
            for (number, member) in members.iter().enumerate() {
                let mut ways = vec![member.base];
                for step in &member.steps {
                    let any = step.any.iter().map(|any| any.iter().map(|&other| signals[other as usize]));
                    let mut all: Vec<Signal> = vec![step.guard];
                    for any in any {
                        all.push(self.any(any));
                    }
                    ways.push(self.all(all));
                }
                let signal = self.any(ways);
                is_changed |= signal != signals[number];
                signals[number] = signal;
            }
            if self.nodes().len() > start + MAX_UNROLLED {
                self.truncate(start);
                return None;
            }
            if !is_changed {
                break;
            }
        }
        Some(signals)
    }

    /// The members as a closure, each once.
    fn closed(&mut self, members: Vec<Member>) -> Vec<Signal> {
        let known = self.closures().iter().position(|closure| closure.members == members);
        let closure = known.unwrap_or_else(|| self.add_closure(members));
        self.closures()[closure].nodes().map(Signal::of).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::lanes::kernel::{Block, run};
    use crate::program::Scheduler;
    use proptest::prelude::*;

    /// Inputs of the closures.
    const INPUTS: usize = 4;

    /// A condition by number, and the steps: the guard, and members.
    type Drawn = (usize, Vec<(usize, Vec<Vec<u32>>)>);

    /// Facts that depend on each other by random steps. Conditions are constants (0 and 1), inputs (2 to 9) and
    /// conjunctions of two.
    pub(crate) fn closures() -> impl Strategy<Value = Vec<Drawn>> {
        let condition = || 0..2 + 2 * INPUTS + INPUTS * INPUTS;
        (1u32..7).prop_flat_map(move |members| {
            let any = prop::collection::vec(0..members, 1..4);
            let step = (condition(), prop::collection::vec(any, 1..3));
            let member = (prop_oneof![2 => Just(0), 1 => condition()], prop::collection::vec(step, 0..4));
            prop::collection::vec(member, members as usize)
        })
    }

    /// A graph with inputs, and the members with its signals.
    pub(crate) fn graph(mut graph: GateGraph, members: &[Drawn]) -> (GateGraph, Vec<Signal>, Vec<Member>) {
        let inputs: Vec<Signal> = (0..INPUTS).map(|_| graph.input()).collect();
        let mut condition = |number: usize| match number {
            0 | 1 => Signal::FALSE.complemented(number == 1),
            2..10 => inputs[(number - 2) / 2].complemented(number % 2 == 1),
            _ => graph.and(inputs[(number - 10) / INPUTS], !inputs[(number - 10) % INPUTS]),
        };
        let mut found = Vec::new();
        for (base, steps) in members {
            let steps =
                steps.iter().map(|(guard, any)| ClosureStep { guard: condition(*guard), any: any.clone() }).collect();
            found.push(Member { base: condition(*base), steps });
        }
        (graph, inputs, found)
    }

    /// The smallest of all sets of members that bases and steps do not lead out of.
    fn smallest(members: &[Member], value: impl Fn(Signal) -> bool) -> u32 {
        let is_closed = |set: &u32| {
            let holds = |member: u32| set >> member & 1 == 1;
            (0..).zip(members).all(|(number, member)| {
                let leads = |step: &ClosureStep| {
                    value(step.guard) && step.any.iter().all(|any| any.iter().any(|&other| holds(other)))
                };
                holds(number) || !(value(member.base) || member.steps.iter().any(leads))
            })
        };
        (0..1 << members.len())
            .filter(is_closed)
            .min_by_key(|set| set.count_ones())
            .expect("all of them are such a set")
    }

    /// The second fact has its base or else the first one, which always holds; the third follows from it.
    #[test]
    fn a_base_that_becomes_true_leaves_nothing_to_derive() {
        let second = (2, vec![(3, vec![vec![0]]), (11, vec![vec![2]])]);
        let drawn = [(1, vec![]), second, (0, vec![(1, vec![vec![1]])])];
        let (mut graph, _, members) = graph(GateGraph::default(), &drawn);
        assert_eq!(graph.close(members), [Signal::TRUE; 3]);
        assert!(graph.closures().is_empty());
    }

    proptest! {
        /// Closures, the gates that they unroll to, what is left of them where inputs are known, and programs of them,
        /// against the definition: the intersection of all solutions.
        #[test]
        fn least_solutions_are_smallest(closure in closures(), known in prop::collection::vec(any::<Option<bool>>(), INPUTS)) {
            let (mut closed, inputs, members) = graph(GateGraph::default(), &closure);
            let signals = closed.close(members.clone());
            let (mut unrolled, ..) = graph(GateGraph::unrolling(), &closure);
            let of_gates = unrolled.close(members.clone());
            prop_assert!(unrolled.closures().is_empty());
            let mut folded = GateGraph::default();
            let mut built = closed.inputs_in(&mut folded);
            for (input, known) in inputs.iter().zip(&known) {
                built[input.node()] = known.map(|known| Signal::FALSE.complemented(known)).or(built[input.node()]);
            }
            let left = closed.build(&signals, &mut folded, &mut built);
            let mut scheduler = Scheduler::new(&closed, signals.iter().copied());
            let program = scheduler.program(&signals);
            let mut lanes = vec![Block([0]); scheduler.slots()];
            for row in 0..1usize << INPUTS {
                (0..INPUTS).for_each(|i| lanes[scheduler.port(inputs[i]).slot as usize].set(row, row >> i & 1 == 1));
            }
            run(&program, &mut lanes);
            for row in 0..1usize << INPUTS {
                let value = |graph: &GateGraph, signals: &[Signal]| -> Vec<bool> {
                    let mut values = vec![false; graph.nodes().len()];
                    (0..INPUTS).for_each(|i| values[i + 1] = row >> i & 1 == 1);
                    graph.evaluate(&mut values);
                    signals.iter().map(|signal| values[signal.node()] != signal.is_complemented()).collect()
                };
                let least = smallest(&members, |signal| value(&closed, &[signal])[0]);
                let expected: Vec<bool> = (0..members.len()).map(|member| least >> member & 1 == 1).collect();
                prop_assert_eq!(&value(&closed, &signals), &expected);
                prop_assert_eq!(&value(&unrolled, &of_gates), &expected);
                if (0..INPUTS).all(|i| known[i].is_none_or(|known| known == (row >> i & 1 == 1))) {
                    prop_assert_eq!(&value(&folded, &left), &expected);
                }
                for (signal, expected) in signals.iter().zip(expected) {
                    let port = scheduler.port(*signal);
                    prop_assert_eq!(lanes[port.slot as usize].contains(row) != port.complemented, expected);
                }
            }
        }
    }

    /// A ring of steps both ways; where its base or its guard is known, no closure is left of it.
    #[test]
    fn what_is_known_is_taken_out() {
        let mut circle = GateGraph::default();
        let base = circle.input();
        let guard = circle.input();
        let member = |number: u32| Member {
            base: if number.is_multiple_of(2) { base } else { Signal::FALSE },
            steps: [1, 4].map(|by| ClosureStep { guard, any: vec![vec![(number + by) % 5]] }).into(),
        };
        let signals = circle.close((0..5).map(member).collect());
        assert_eq!(circle.closures()[0].reads(), 10);
        let with = |base_is: Option<bool>, guard_is: Option<bool>| {
            let mut there = GateGraph::default();
            let mut built = circle.inputs_in(&mut there);
            for (input, known) in [(base, base_is), (guard, guard_is)] {
                built[input.node()] = known.map(|known| Signal::FALSE.complemented(known)).or(built[input.node()]);
            }
            (circle.build(&signals, &mut there, &mut built), there.closures().len())
        };
        assert_eq!(with(Some(false), None), (vec![Signal::FALSE; 5], 0));
        assert_eq!(with(Some(true), Some(true)), (vec![Signal::TRUE; 5], 0));
        assert_eq!(with(None, Some(false)), ([base, Signal::FALSE].into_iter().cycle().take(5).collect(), 0));
    }
}
