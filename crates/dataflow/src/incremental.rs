//! Operators that keep what they derive up to date, on differential dataflow.
//!
//! Time is the number of the update, and within a loop also that of the round (McSherry, Murray, Isaacs and Isard, *Differential
//! dataflow*, CIDR 2013): a change of facts is a change at a new time, and costs what it changes. Every operator keeps what it has
//! read with its times, so that any of it may be taken away.

use crate::operators::{Epoch, Loop, Operators, Owner, Time, place};
use crate::row::Row;
use crate::stage::Results;
use differential_dataflow::consolidation::consolidate;
use differential_dataflow::difference::Semigroup;
use differential_dataflow::operators::ThresholdTotal;
use differential_dataflow::operators::arrange::arrangement::arrange_core;
use differential_dataflow::operators::arrange::{Arranged, TraceAgent};
use differential_dataflow::operators::iterate::VecVariable;
use differential_dataflow::trace::implementations::{
    KeyBatcher, KeyBuilder, KeySpine, ValBatcher, ValBuilder, ValSpine,
};
use differential_dataflow::{AsCollection, ExchangeData, VecCollection};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::{ProbeHandle, Scope};
use timely::order::Product;

/// The operators for facts that come and go.
pub struct Incremental;

/// Values by key.
type Index<'s, T, R> = Arranged<'s, TraceAgent<ValSpine<R, R, T, isize>>>;

/// The rows of a relation that a worker owns.
#[derive(Debug)]
pub struct Held<R> {
    /// The rows as of some update, sorted.
    settled: Vec<R>,
    /// The changes of updates after it that are complete.
    recent: Vec<(R, isize)>,
    /// Changes of the current update, or of one that other workers have begun.
    arriving: Vec<(R, Epoch, isize)>,
}

impl<R> Default for Held<R> {
    fn default() -> Self {
        Held { settled: Vec::new(), recent: Vec::new(), arriving: Vec::new() }
    }
}

/// Recent changes are settled when they are more than this and than the rows that are settled, so that a small change costs no
/// pass over all rows.
const FEW: usize = 1 << 10;

impl<R: Row> Held<R> {
    /// Takes in the changes of all updates before this one; those of the last one that do not cancel out.
    pub fn complete(&mut self, epoch: Epoch) -> &[(R, isize)] {
        if self.recent.len() > FEW.max(self.settled.len()) {
            self.settle();
        }
        let arrived = self.arriving.extract_if(.., |(_, time, _)| *time < epoch);
        let mut changes: Vec<(R, isize)> = arrived.map(|(row, _, change)| (row, change)).collect();
        consolidate(&mut changes);
        let start = self.recent.len();
        self.recent.append(&mut changes);
        &self.recent[start..]
    }

    /// Brings the settled rows up to date.
    fn settle(&mut self) {
        if self.recent.is_empty() {
            return;
        }
        let mut all: Vec<(R, isize)> = std::mem::take(&mut self.settled).into_iter().map(|row| (row, 1)).collect();
        all.append(&mut self.recent);
        consolidate(&mut all);
        self.settled = all.into_iter().map(|(row, _)| row).collect();
        self.settled.shrink_to_fit();
    }
}

impl Operators for Incremental {
    type Flow<'s, T: Time, D: ExchangeData> = VecCollection<'s, T, D, isize>;
    type Index<'s, T: Time, R: Row> = Index<'s, T, R>;
    type Variable<'s, R: Row> = VecVariable<'s, Loop, R, isize>;
    type Held<R: Row> = Rc<RefCell<Held<R>>>;

    fn given<'s, R: Row>(rows: VecCollection<'s, Epoch, R, isize>, owner: Owner) -> Self::Flow<'s, Epoch, R> {
        by_owner(rows, owner)
    }

    fn flat_map<'s, T: Time, D: ExchangeData, E: ExchangeData>(
        flow: Self::Flow<'s, T, D>,
        mut make: impl FnMut(&D) -> Results<E> + 'static,
    ) -> Self::Flow<'s, T, E> {
        flow.flat_map(move |element| make(&element))
    }

    fn concatenate<'s, T: Time, R: Row>(
        first: Self::Flow<'s, T, R>,
        others: Vec<Self::Flow<'s, T, R>>,
    ) -> Self::Flow<'s, T, R> {
        first.concatenate(others)
    }

    fn by_key<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Flow<'s, T, (R, R)> {
        place(pairs.inner, |((key, _), _, _): &((R, R), T, isize)| key.owner()).as_collection()
    }

    fn index<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R> {
        arrange_core(pairs.inner, Pipeline, "Index", ValBatcher::new)
    }

    fn keys<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R> {
        reduce(pairs, |values| values.next().expect("a key has values").clone())
    }

    fn totals<'s, T: Time, R: Row>(
        pairs: Self::Flow<'s, T, (R, R)>,
        total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
    ) -> Self::Index<'s, T, R> {
        reduce(pairs, total)
    }

    fn join<'s, T: Time, R: Row, D: ExchangeData>(
        [left, right]: [Self::Index<'s, T, R>; 2],
        make: impl FnMut(&R, &R, &R) -> Results<D> + Clone + 'static,
    ) -> Self::Flow<'s, T, D> {
        left.join_core(right, make)
    }

    fn without<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R) -> R + Clone + 'static,
    ) -> Self::Flow<'s, T, R> {
        let all = left.clone().as_collection(make.clone());
        let met = left.join_core(right, move |key, value, _| Some(make(key, value)));
        all.concat(met.negate())
    }

    fn distinct<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: Owner,
        _: &Self::Held<R>,
        _: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, T, R> {
        by_self(rows, owner)
            .reduce_abelian::<_, KeyBuilder<R, T, isize>, KeySpine<R, T, isize>, _, _>(
                "Distinct",
                |_, _, once: &mut Vec<((), isize)>| once.push(((), 1)),
                push_updates,
            )
            .as_collection(|row, ()| row.clone())
    }

    fn distinct_outside<'s, R: Row>(
        rows: Self::Flow<'s, Epoch, R>,
        owner: Owner,
        _: &Self::Held<R>,
        _: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, Epoch, R> {
        by_self(rows, owner).distinct_total()
    }

    fn hold<R: Row>(
        rows: Self::Flow<'_, Epoch, R>,
        _: bool,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
        probe: &ProbeHandle<Epoch>,
    ) {
        let (held, count) = (held.clone(), count.clone());
        rows.inspect_batch(move |_, changes| {
            count.fetch_add(changes.iter().map(|(_, _, change)| *change as i64).sum(), Ordering::Relaxed);
            held.borrow_mut().arriving.extend_from_slice(changes);
        })
        .probe_with(probe);
    }

    fn for_each<R: Row>(held: &Self::Held<R>, visit: impl FnMut(&R)) {
        let mut held = held.borrow_mut();
        held.settle();
        held.settled.iter().for_each(visit);
    }

    fn enter<'i, R: Row>(rows: Self::Flow<'_, Epoch, R>, scope: Scope<'i, Loop>) -> Self::Flow<'i, Loop, R> {
        rows.enter(scope)
    }

    fn leave<'s, R: Row>(rows: Self::Flow<'_, Loop, R>, scope: Scope<'s, Epoch>) -> Self::Flow<'s, Epoch, R> {
        rows.leave(scope)
    }

    fn variable<R: Row>(scope: Scope<'_, Loop>) -> (Self::Variable<'_, R>, Self::Flow<'_, Loop, R>) {
        VecVariable::new(scope, Product::new(0, 1))
    }

    fn set<'s, R: Row>(variable: Self::Variable<'s, R>, rows: Self::Flow<'s, Loop, R>) {
        variable.set(rows);
    }
}

/// Rows, sent to the workers that own them.
fn by_owner<'s, T: Time, R: Row>(rows: VecCollection<'s, T, R, isize>, owner: Owner) -> VecCollection<'s, T, R, isize> {
    place(rows.inner, move |(row, _, _): &(R, T, isize)| owner.of(row)).as_collection()
}

/// Rows by themselves, with the workers that own them.
fn by_self<'s, T: Time, R: Row>(
    rows: VecCollection<'s, T, R, isize>,
    owner: Owner,
) -> Arranged<'s, TraceAgent<KeySpine<R, T, isize>>> {
    arrange_core(by_owner(rows, owner).map(|row| (row, ())).inner, Pipeline, "Rows", KeyBatcher::new)
}

/// One value for each key.
fn reduce<'s, T: Time, R: Row>(
    pairs: VecCollection<'s, T, (R, R), isize>,
    total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
) -> Index<'s, T, R> {
    Incremental::index(pairs).reduce_abelian::<_, ValBuilder<R, R, T, isize>, ValSpine<R, R, T, isize>, _, _>(
        "Reduce",
        move |_, values, totals: &mut Vec<(R, isize)>| {
            totals.push((total(&mut values.iter().map(|(value, _)| *value)), 1));
        },
        push_updates,
    )
}

/// Hands the updates of a key over to the builder of a batch.
fn push_updates<K: Clone, V, T, D: Semigroup>(
    batch: &mut Vec<((K, V), T, D)>,
    key: &K,
    updates: &mut Vec<(V, T, D)>,
) {
    batch.clear();
    batch.extend(updates.drain(..).map(|(value, time, change)| ((key.clone(), value), time, change)));
}
