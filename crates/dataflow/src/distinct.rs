//! The rows of a relation that comes and goes: how often each is derived in which round, and what follows for the
//! relation.
//!
//! As of a round, a row is in the relation if the number of its derivations up to that round is positive. The change of
//! the relation at a round by an update is
//!
//! ```text
//! [derived by this round, after the update] − [derived by this round, before it] − changes at the rounds before
//! ```
//!
//! which can differ from 0 only at rounds at which the row has derivations, before or after. So the rounds at which an
//! update changes derivations are looked at, and for such rows all rounds behind that have some. Differential dataflow
//! finds such times for every reduction and every order of times, from two sorted indices with times. Since updates
//! come one after the other, one hash table is enough.

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

/// Derivations of a row in one round.
#[derive(Clone, Copy)]
struct Derivations {
    round: Round,
    number: isize,
    /// The place of those of another round, in no order; [`NONE`] behind the last.
    next: u32,
}

/// No place.
const NONE: u32 = u32::MAX;

/// A relation that comes and goes, as far as a worker owns it.
pub struct OwnedRelation<R> {
    /// By row, the first of its derivations.
    rows: FxHashMap<R, Derivations>,
    /// The others, as lists.
    others: Vec<Derivations>,
    /// The list of places that are not used.
    free: u32,
    /// The derivations before the current update of the rows that it changes; none in the first one.
    before: FxHashMap<R, Vec<Derivations>>,
}

impl<R> Default for OwnedRelation<R> {
    fn default() -> Self {
        OwnedRelation { rows: FxHashMap::default(), others: Vec::new(), free: NONE, before: FxHashMap::default() }
    }
}

/// All derivations of a row.
fn list(first: Derivations, others: &[Derivations]) -> impl Iterator<Item = Derivations> {
    std::iter::successors(Some(first), |derivations| others.get(derivations.next as usize).copied())
}

/// Whether a row with these derivations is in the relation before a round, and in it.
fn holds(derivations: impl Iterator<Item = Derivations>, round: Round) -> [bool; 2] {
    let mut sums = [0, 0];
    for derivations in derivations {
        sums[0] += if derivations.round < round { derivations.number } else { 0 };
        sums[1] += if derivations.round <= round { derivations.number } else { 0 };
    }
    sums.map(|sum| sum > 0)
}

impl<R: Row> OwnedRelation<R> {
    /// Takes in a change of the derivations of a row; returns the change of the relation in this round, and the next
    /// round to look at.
    fn change(&mut self, row: &R, (epoch, round): (Epoch, Round), change: isize) -> (isize, Option<Round>) {
        let first = self.rows.entry(row.clone()).or_insert(Derivations { round, number: 0, next: NONE });
        let before = match epoch {
            0 => &Vec::new(),
            _ => self.before.entry(row.clone()).or_insert_with(|| list(*first, &self.others).collect()),
        };
        add(first, &mut self.others, &mut self.free, round, change);
        let difference = |[was, is]: [bool; 2]| isize::from(is) - isize::from(was);
        let after = || list(*first, &self.others);
        let found = difference(holds(after(), round)) - difference(holds(before.iter().copied(), round));
        let is_behind = |derivations: &Derivations| derivations.round > round && derivations.number != 0;
        let next = after().chain(before.iter().copied()).filter(is_behind).map(|derivations| derivations.round).min();
        (found, next)
    }

    /// Ends the current update; the rows that it has changed, each with 1 or -1, but none for the first one.
    pub fn complete(&mut self) -> Vec<(R, isize)> {
        let mut changes = Vec::new();
        for (row, before) in self.before.drain() {
            let first = self.rows[&row];
            let [was, is] =
                [holds(before.into_iter(), Round::MAX), holds(list(first, &self.others), Round::MAX)].map(|[_, is]| is);
            if list(first, &self.others).all(|derivations| derivations.number == 0) {
                self.rows.remove(&row);
                let mut place = first.next;
                while place != NONE {
                    let next = std::mem::replace(&mut self.others[place as usize].next, self.free);
                    (self.free, place) = (place, next);
                }
            }
            if was != is {
                changes.push((row, isize::from(is) - isize::from(was)));
            }
        }
        changes
    }

    /// The rows of the relation.
    pub fn rows(&self) -> impl Iterator<Item = &R> {
        let holds = |first: Derivations| holds(list(first, &self.others), Round::MAX)[1];
        self.rows.iter().filter(move |(_, first)| holds(**first)).map(|(row, _)| row)
    }
}

/// Adds to the derivations of a row in a round.
///
/// # Panics
///
/// If there are 2³² of them, which would be 64 GB.
fn add(first: &mut Derivations, others: &mut Vec<Derivations>, free: &mut u32, round: Round, change: isize) {
    // Those of the round, else unused ones.
    for wanted in [|other: &Derivations, round| other.round == round, |other: &Derivations, _| other.number == 0] {
        if wanted(first, round) {
            (first.round, first.number) = (round, first.number + change);
            return;
        }
        let mut place = first.next;
        while let Some(other) = others.get_mut(place as usize) {
            if wanted(other, round) {
                (other.round, other.number) = (round, other.number + change);
                return;
            }
            place = other.next;
        }
    }
    let added = Derivations { round, number: change, next: first.next };
    first.next = *free;
    match others.get_mut(*free as usize) {
        Some(unused) => {
            *free = unused.next;
            *unused = added;
        }
        None => {
            first.next = u32::try_from(others.len()).expect("a place");
            others.push(added);
        }
    }
}

/// Adds up the changes of each row.
fn add_up<R: Row>(changes: &mut Vec<(R, isize)>) {
    changes.sort_unstable();
    changes.dedup_by(|(row, change), (kept, sum)| {
        let is_same = row == kept;
        *sum += if is_same { *change } else { 0 };
        is_same
    });
}

/// Derivations at a time, and the right to send what follows.
type WaitingDerivations<T, R> = (Capability<T>, Vec<(R, isize)>);

/// The changes of a relation that follow from those of its derivations; `count` follows the number of rows.
pub fn distinct<'s, T: Time, R: Row>(
    derivations: Stream<'s, T, Vec<(R, T, isize)>>,
    relation: Rc<RefCell<OwnedRelation<R>>>,
    count: Arc<AtomicI64>,
) -> Stream<'s, T, Vec<(R, T, isize)>> {
    derivations.unary_frontier(Pipeline, "Distinct", move |_, _| {
        let mut waiting: BTreeMap<(Epoch, Round), WaitingDerivations<T, R>> = BTreeMap::new();
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
                let time = *entry.key();
                if frontier.frontier().iter().any(|other| other.parts() <= time) {
                    break;
                }
                let (capability, mut changes) = entry.remove();
                add_up(&mut changes);
                let mut session = output.session(&capability);
                let mut sum = 0;
                let (epoch, _) = time;
                // In the first update only changes count; those that cancel out leave nothing.
                changes.retain(|(_, change)| epoch > 0 || *change != 0);
                for (row, change) in changes {
                    let (change, next) = relation.change(&row, time, change);
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
