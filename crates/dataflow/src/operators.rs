//! The operators that rules become, as a contract that two kinds fulfil: [`Once`](crate::once::Once), for facts that
//! stay as they are, and [`Incremental`](crate::incremental::Incremental), for facts that come and go.

use crate::best::LatticeColumn;
use crate::row::Row;
use crate::stage::Results;
use differential_dataflow::lattice::Lattice;
use differential_dataflow::{ExchangeData, VecCollection};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use timely::dataflow::operators::ok_err::OkErr;
use timely::dataflow::operators::{Concat, Exchange};
use timely::dataflow::{ProbeHandle, Scope, Stream};
use timely::order::Product;
use timely::progress::Timestamp;

/// The number of an update.
pub type Epoch = u32;

/// The number of a round within an update.
pub type Round = u32;

/// The time within a loop.
pub type Loop = Product<Epoch, Round>;

/// A time of operators.
pub trait Time: Timestamp + Lattice {
    /// The time of an update and of a round; outside of loops there is one round.
    fn at(epoch: Epoch, round: Round) -> Self;

    /// The update and the round.
    fn parts(&self) -> (Epoch, Round);
}

impl Time for Epoch {
    fn at(epoch: Epoch, _: Round) -> Epoch {
        epoch
    }

    fn parts(&self) -> (Epoch, Round) {
        (*self, 0)
    }
}

impl Time for Loop {
    fn at(epoch: Epoch, round: Round) -> Loop {
        Product::new(epoch, round)
    }

    fn parts(&self) -> (Epoch, Round) {
        (self.outer, self.inner)
    }
}

/// The numbers of rows of the workers of a process.
#[derive(Clone, Debug, Default)]
pub struct RowCounts {
    /// The rows of all relations.
    pub held: Arc<AtomicI64>,
    /// The rows with a lattice column whose value got better, since the last update began.
    pub replaced: Arc<AtomicI64>,
}

impl RowCounts {
    /// The number of rows that were derived, those included that others have replaced.
    pub fn derived(&self) -> u64 {
        let sum = self.held.load(Ordering::Relaxed) + self.replaced.load(Ordering::Relaxed);
        sum.max(0) as u64
    }
}

/// The columns of a relation whose values say which worker owns a row.
#[derive(Clone, Debug)]
pub struct OwnerColumns(pub Arc<[usize]>);

impl OwnerColumns {
    /// The number of the owner of a row, modulo the number of workers.
    pub fn of<R: Row>(&self, row: &R) -> u64 {
        R::of(self.0.iter().map(|&column| row.cells()[column])).owner()
    }
}

/// Sends each element to the worker that owns it. Those that stay are not written as bytes.
pub fn place<'s, T: Time, D: ExchangeData>(
    elements: Stream<'s, T, Vec<D>>,
    owner: impl Fn(&D) -> u64 + Clone + 'static,
) -> Stream<'s, T, Vec<D>> {
    let scope = elements.scope();
    let here = scope.index() as u64;
    let workers = scope.peers() as u64;
    if workers == 1 {
        return elements;
    }
    let owner_of = owner.clone();
    // The remainder, as an exchange finds it: a division takes as long as the rest.
    let mask = workers.is_power_of_two().then_some(workers - 1);
    let is_here = move |element: &D| {
        let owner = owner_of(element);
        mask.map_or_else(|| owner % workers, |mask| owner & mask) == here
    };
    let (stay, go) = elements
        .ok_err::<Vec<D>, _, Vec<D>, _, _>(move |element| if is_here(&element) { Ok(element) } else { Err(element) });
    stay.concat(go.exchange(owner))
}

/// Operators on rows. A relation is a flow without duplicates, whose rows are with the workers that own them; other
/// flows may have some.
pub trait Operators: Sized + 'static {
    /// Rows, or keys with values, on their way.
    type Flow<'s, T: Time, D: ExchangeData>: Clone;
    /// Values by key, each with the worker that owns the key.
    type Index<'s, T: Time, R: Row>: Clone;
    /// A relation of a loop, used before it is defined.
    type Variable<'s, R: Row>;
    /// The rows of a derived relation that a worker owns.
    type Held<R: Row>: Default + Clone;

    /// The given rows of a predicate, sent to the workers that own them.
    fn given<'s, R: Row>(rows: VecCollection<'s, Epoch, R, isize>, owner: OwnerColumns) -> Self::Flow<'s, Epoch, R>;

    /// The rows or pairs that each element becomes.
    fn flat_map<'s, T: Time, D: ExchangeData, E: ExchangeData>(
        flow: Self::Flow<'s, T, D>,
        make: impl FnMut(&D) -> Results<E> + 'static,
    ) -> Self::Flow<'s, T, E>;

    /// All rows of several flows.
    fn concatenate<'s, T: Time, R: Row>(
        first: Self::Flow<'s, T, R>,
        others: Vec<Self::Flow<'s, T, R>>,
    ) -> Self::Flow<'s, T, R>;

    /// Pairs, sent to the workers that own their keys.
    fn by_key<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Flow<'s, T, (R, R)>;

    /// The index of pairs that are with the workers that own their keys.
    fn index<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R>;

    /// As [`index`](Self::index), with each key once and one of its values.
    fn keys<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R>;

    /// As [`index`](Self::index), with one value for each key: that of its distinct values. The pairs do not depend on
    /// a variable of a loop.
    fn totals<'s, T: Time, R: Row>(
        pairs: Self::Flow<'s, T, (R, R)>,
        total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
    ) -> Self::Index<'s, T, R>;

    /// The elements that `make` makes of each key that both indices have, with a value of each.
    fn join<'s, T: Time, R: Row, D: ExchangeData>(
        indices: [Self::Index<'s, T, R>; 2],
        make: impl FnMut(&R, &R, &R) -> Results<D> + Clone + 'static,
    ) -> Self::Flow<'s, T, D>;

    /// The row that `make` makes of each key on the left with its value and all values that the right side has for it,
    /// of none too; no row where it makes none. The right side does not depend on a variable of a loop.
    fn gather<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R, &mut dyn Iterator<Item = &R>) -> Option<R> + Clone + 'static,
    ) -> Self::Flow<'s, T, R>;

    /// The rows that `make` makes of the keys on the left, with their values, that the right side does not have. The
    /// right side comes from [`keys`](Self::keys) or has each key once, and does not depend on a variable of a loop.
    fn without<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R) -> R + Clone + 'static,
    ) -> Self::Flow<'s, T, R>;

    /// Each row once, with the worker that owns it, which holds it; `count` follows the number of rows.
    fn distinct<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: OwnerColumns,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, T, R>;

    /// For each key, which is made of the columns other than the lattice column, the row with the join of its values, with the worker
    /// that owns it, which holds it. The owner does not depend on the lattice column. Within a loop, rows with worse values may come
    /// before it and stay.
    fn best<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: OwnerColumns,
        lattice: LatticeColumn,
        held: &Self::Held<R>,
        counts: &RowCounts,
    ) -> Self::Flow<'s, T, R>;

    /// The rows of [`best`](Self::best) without those that others have replaced.
    fn settled<'s, R: Row>(rows: Self::Flow<'s, Epoch, R>, held: &Self::Held<R>) -> Self::Flow<'s, Epoch, R>;

    /// Notes in the probe which updates are complete.
    fn probe<R: Row>(rows: Self::Flow<'_, Epoch, R>, probe: &ProbeHandle<Epoch>);

    /// Calls `visit` with the rows that are held.
    fn for_each<R: Row>(held: &Self::Held<R>, visit: impl FnMut(&R));

    /// Brings rows into a loop.
    fn enter<'i, R: Row>(rows: Self::Flow<'_, Epoch, R>, scope: Scope<'i, Loop>) -> Self::Flow<'i, Loop, R>;

    /// Brings rows out of a loop.
    fn leave<'s, R: Row>(rows: Self::Flow<'_, Loop, R>, scope: Scope<'s, Epoch>) -> Self::Flow<'s, Epoch, R>;

    /// A relation that is defined by [`set`](Self::set).
    fn variable<R: Row>(scope: Scope<'_, Loop>) -> (Self::Variable<'_, R>, Self::Flow<'_, Loop, R>);

    /// Defines a relation, for the next round.
    fn set<'s, R: Row>(variable: Self::Variable<'s, R>, rows: Self::Flow<'s, Loop, R>);
}
