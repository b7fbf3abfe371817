//! The operators that rules become, as a contract that two kinds fulfil: [`Once`](crate::once::Once), for facts that stay as they
//! are, and [`Incremental`](crate::incremental::Incremental), for facts that come and go.

use crate::row::Row;
use crate::stage::Results;
use differential_dataflow::lattice::Lattice;
use differential_dataflow::{ExchangeData, VecCollection};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use timely::dataflow::{ProbeHandle, Scope};
use timely::order::Product;
use timely::progress::Timestamp;

/// The number of an update.
pub type Epoch = u32;

/// The number of a round within an update.
type Round = u32;

/// The time within a loop.
pub type Loop = Product<Epoch, Round>;

/// A time of operators.
pub trait Time: Timestamp + Lattice {}

impl<T: Timestamp + Lattice> Time for T {}

/// Operators on rows. A relation is a flow without duplicates, whose rows are with the workers that own them; other flows may have
/// some.
pub trait Operators: Sized + 'static {
    /// Rows, or keys with values, on their way.
    type Flow<'s, T: Time, D: ExchangeData>: Clone;
    /// Values by key, each with the worker that owns the key.
    type Index<'s, T: Time, R: Row>: Clone;
    /// A relation of a loop, used before it is defined.
    type Variable<'s, R: Row>;
    /// The rows of a relation that a worker owns.
    type Held<R: Row>: Default + Clone;

    /// The given rows of a predicate, handed to the workers that own them.
    fn given<'s, R: Row>(rows: VecCollection<'s, Epoch, R, isize>) -> Self::Flow<'s, Epoch, R>;

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

    /// The index of pairs.
    fn index<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R>;

    /// An index that has each key of the pairs, with one of its values.
    fn keys<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R>;

    /// An index with one value for each key: that of its distinct values. The pairs do not depend on a variable of a loop.
    fn totals<'s, T: Time, R: Row>(
        pairs: Self::Flow<'s, T, (R, R)>,
        total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
    ) -> Self::Index<'s, T, R>;

    /// What becomes of each key that both indices have, with a value of each.
    fn join<'s, T: Time, R: Row, D: ExchangeData>(
        indices: [Self::Index<'s, T, R>; 2],
        make: impl FnMut(&R, &R, &R) -> Results<D> + Clone + 'static,
    ) -> Self::Flow<'s, T, D>;

    /// What becomes of the keys, with their values, on the left that the right side does not have. The right side comes from
    /// [`keys`](Self::keys) or has each key once, and does not depend on a variable of a loop.
    fn without<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R) -> R + Clone + 'static,
    ) -> Self::Flow<'s, T, R>;

    /// Each row once, with the worker that owns it.
    fn distinct<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, T, R>;

    /// As [`distinct`](Self::distinct), outside of loops.
    fn distinct_outside<'s, R: Row>(
        rows: Self::Flow<'s, Epoch, R>,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, Epoch, R>;

    /// Holds the rows of a relation, and adds their number to `count`; `is_derived` if they come from
    /// [`distinct`](Self::distinct) with the same arguments.
    fn hold<R: Row>(
        rows: Self::Flow<'_, Epoch, R>,
        is_derived: bool,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
        probe: &ProbeHandle<Epoch>,
    );

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
