//! The rows of a relation that comes and goes: how often each is derived in which round, and what follows for the relation.
//!
//! As of a round, a row is in the relation if the number of its derivations up to that round is positive. What an update changes
//! in the relation at a round is
//!
//! ```text
//! [derived by this round, after the update] − [derived by this round, before it] − changes at the rounds before
//! ```
//!
//! which can differ from 0 only at rounds at which the row has derivations, before or after. So the rounds at which an update changes
//! derivations are looked at, and for such rows all rounds behind that have some. Differential dataflow finds such times for every
//! reduction and every order of times, from two sorted indices with times. Since updates come one after the other, one hash table
//! is enough: about a quarter of the time and of the memory.

use crate::operators::{Epoch, Round, Time};
use crate::row::Row;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use timely::dataflow::Stream;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::{Capability, Operator};

/// The numbers of derivations of a row by round, in ascending order, none of them 0.
#[derive(Clone, Debug)]
enum Derivations {
    /// Those of one round; none, if their number is 0.
    One([(Round, i32); 1]),
    /// Those of several rounds. The box keeps entries small, most of which have one.
    #[expect(clippy::box_collection, reason = "a vector is three words, and a box is one")]
    Many(Box<Vec<(Round, i32)>>),
}

impl Derivations {
    const NONE: Derivations = Derivations::One([(0, 0)]);

    fn as_slice(&self) -> &[(Round, i32)] {
        match self {
            Derivations::One([(_, 0)]) => &[],
            Derivations::One(one) => one,
            Derivations::Many(many) => many,
        }
    }

    fn add(&mut self, round: Round, change: i32) {
        match self {
            Derivations::One([one]) if one.1 == 0 => *one = (round, change),
            Derivations::One([one]) if one.0 == round => one.1 += change,
            Derivations::One([one]) => {
                let mut many = vec![*one, (round, change)];
                many.sort_unstable();
                *self = Derivations::Many(Box::new(many));
            }
            Derivations::Many(many) => match many.binary_search_by_key(&round, |(round, _)| *round) {
                Ok(place) => {
                    many[place].1 += change;
                    if many[place].1 == 0 {
                        many.remove(place);
                    }
                }
                Err(place) => many.insert(place, (round, change)),
            },
        }
    }

    /// Whether the row is in the relation before a round, and in it.
    fn holds(&self, round: Round) -> [bool; 2] {
        let sum = |is_counted: &dyn Fn(Round) -> bool| -> i32 {
            self.as_slice().iter().filter(|(other, _)| is_counted(*other)).map(|(_, number)| number).sum()
        };
        [sum(&|other| other < round) > 0, sum(&|other| other <= round) > 0]
    }

    /// The next round behind this one that has derivations.
    fn next(&self, round: Round) -> Option<Round> {
        self.as_slice().iter().map(|(other, _)| *other).find(|other| *other > round)
    }
}

/// A relation that comes and goes, as far as a worker owns it.
pub struct Relation<R> {
    derivations: FxHashMap<R, Derivations>,
    /// The derivations before the current update, for rows that it derives or no longer derives; none in the first one.
    before: FxHashMap<R, Derivations>,
}

impl<R> Default for Relation<R> {
    fn default() -> Self {
        Relation { derivations: FxHashMap::default(), before: FxHashMap::default() }
    }
}

impl<R: Row> Relation<R> {
    fn add(&mut self, row: &R, (epoch, round): (Epoch, Round), change: i32) {
        if epoch > 0 && !self.before.contains_key(row) {
            let before = self.derivations.get(row).cloned().unwrap_or(Derivations::NONE);
            self.before.insert(row.clone(), before);
        }
        self.derivations.entry(row.clone()).or_insert(Derivations::NONE).add(round, change);
    }

    /// What the current update changes at a round, and the next round to look at.
    fn change(&self, row: &R, round: Round) -> (isize, Option<Round>) {
        let change = |[was, is]: [bool; 2]| isize::from(is) - isize::from(was);
        let after = self.derivations.get(row).unwrap_or(&Derivations::NONE);
        let (mut found, mut next) = (change(after.holds(round)), after.next(round));
        if let Some(before) = self.before.get(row) {
            found -= change(before.holds(round));
            next = [next, before.next(round)].into_iter().flatten().min();
        }
        (found, next)
    }

    /// Ends the current update; the rows that it has changed, each with 1 or -1, but none for the first one.
    pub fn complete(&mut self) -> Vec<(R, isize)> {
        let mut changes = Vec::new();
        for (row, before) in self.before.drain() {
            let after = self.derivations.get(&row).unwrap_or(&Derivations::NONE);
            let [was, is] = [&before, after].map(|derivations| derivations.holds(Round::MAX)[1]);
            if after.as_slice().is_empty() {
                self.derivations.remove(&row);
            }
            if was != is {
                changes.push((row, isize::from(is) - isize::from(was)));
            }
        }
        changes
    }

    /// The rows of the relation.
    pub fn rows(&self) -> impl Iterator<Item = &R> {
        let holds = |derivations: &Derivations| derivations.holds(Round::MAX)[1];
        self.derivations.iter().filter(move |(_, derivations)| holds(derivations)).map(|(row, _)| row)
    }
}

/// Derivations at a time, and the right to send what follows.
type Waiting<T, R> = (Capability<T>, Vec<(R, isize)>);

/// The changes of a relation that follow from those of its derivations; `count` follows the number of rows.
pub fn distinct<'s, T: Time, R: Row>(
    derivations: Stream<'s, T, Vec<(R, T, isize)>>,
    relation: Rc<RefCell<Relation<R>>>,
    count: Arc<AtomicI64>,
) -> Stream<'s, T, Vec<(R, T, isize)>> {
    derivations.unary_frontier(Pipeline, "Distinct", move |_, _| {
        let mut waiting: BTreeMap<(Epoch, Round), Waiting<T, R>> = BTreeMap::new();
        move |(input, frontier), output| {
            input.for_each(|capability, changes| {
                for same in changes.chunk_by(|(_, time, _), (_, other, _)| time == other) {
                    let time = &same[0].1;
                    let new = || (capability.delayed(time, 0), Vec::new());
                    let (_, list) = waiting.entry(time.parts()).or_insert_with(new);
                    list.extend(same.iter().map(|(row, _, change)| (row.clone(), *change)));
                }
            });
            let mut relation = relation.borrow_mut();
            while let Some(entry) = waiting.first_entry() {
                let time @ (epoch, round) = *entry.key();
                if frontier.frontier().iter().any(|other| other.parts() <= time) {
                    break;
                }
                let (capability, changes) = entry.remove();
                changes.iter().for_each(|(row, change)| relation.add(row, time, *change as i32));
                let mut rows: Vec<R> = changes.into_iter().map(|(row, _)| row).collect();
                rows.sort_unstable();
                rows.dedup();
                let mut session = output.session(&capability);
                let mut sum = 0;
                for row in rows {
                    let (change, next) = relation.change(&row, round);
                    if change != 0 {
                        sum += change as i64;
                        session.give((row.clone(), capability.time().clone(), change));
                    }
                    if let Some(next) = next {
                        let new = || (capability.delayed(&T::at(epoch, next)), Vec::new());
                        waiting.entry((epoch, next)).or_insert_with(new).1.push((row, 0));
                    }
                }
                count.fetch_add(sum, Ordering::Relaxed);
            }
        }
    })
}
