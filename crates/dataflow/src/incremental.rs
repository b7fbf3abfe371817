//! Operators that keep what they derive up to date, on differential dataflow.
//!
//! Time is the number of the update, and within a loop also that of the round (McSherry, Murray, Isaacs and Isard,
//! *Differential dataflow*, CIDR 2013): a change of facts is a change at a new time, and costs what it changes. Every
//! operator keeps what it has read with its times, so that any of it may be taken away.

use crate::best::LatticeColumn;
use crate::distinct::{OwnedRelation, distinct};
use crate::operators::{Epoch, Loop, Operators, OwnerColumns, RowCounts, Time, place};
use crate::row::Row;
use crate::stage::Results;
use differential_dataflow::difference::Semigroup;
use differential_dataflow::operators::arrange::arrangement::arrange_core;
use differential_dataflow::operators::arrange::{Arranged, TraceAgent};
use differential_dataflow::operators::iterate::VecVariable;
use differential_dataflow::trace::implementations::{ValBatcher, ValBuilder, ValSpine};
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
type ArrangedIndex<'s, T, R> = Arranged<'s, TraceAgent<ValSpine<R, R, T, isize>>>;

impl Operators for Incremental {
    type Flow<'s, T: Time, D: ExchangeData> = VecCollection<'s, T, D, isize>;
    type Index<'s, T: Time, R: Row> = ArrangedIndex<'s, T, R>;
    type Variable<'s, R: Row> = VecVariable<'s, Loop, R, isize>;
    type Held<R: Row> = Rc<RefCell<OwnedRelation<R>>>;

    fn given<'s, R: Row>(rows: VecCollection<'s, Epoch, R, isize>, owner: OwnerColumns) -> Self::Flow<'s, Epoch, R> {
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
        reduce(pairs, Box::new(|values| values.next().cloned()))
    }

    fn totals<'s, T: Time, R: Row>(
        pairs: Self::Flow<'s, T, (R, R)>,
        total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
    ) -> Self::Index<'s, T, R> {
        reduce(pairs, Box::new(move |values| Some(total(values))))
    }

    fn join<'s, T: Time, R: Row, D: ExchangeData>(
        [left, right]: [Self::Index<'s, T, R>; 2],
        make: impl FnMut(&R, &R, &R) -> Results<D> + Clone + 'static,
    ) -> Self::Flow<'s, T, D> {
        left.join_core(right, make)
    }

    fn gather<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R, &mut dyn Iterator<Item = &R>) -> Option<R> + Clone + 'static,
    ) -> Self::Flow<'s, T, R> {
        // Each pair on the left meets nothing, besides what it meets on the right.
        let nothing = left.clone().as_collection(|key, value| ((key.clone(), value.clone()), None));
        let met = left.join_core(right, |key, value, other| Some(((key.clone(), value.clone()), Some(other.clone()))));
        let gathered = nothing.concat(met).reduce(move |(key, value), others, made: &mut Vec<(R, isize)>| {
            made.extend(
                make(key, value, &mut others.iter().filter_map(|(other, _)| other.as_ref())).map(|row| (row, 1)),
            );
        });
        gathered.map(|(_, row)| row)
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
        owner: OwnerColumns,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, T, R> {
        distinct(by_owner(rows, owner).inner, held.clone(), count.clone()).as_collection()
    }

    fn best<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: OwnerColumns,
        lattice: LatticeColumn,
        held: &Self::Held<R>,
        counts: &RowCounts,
    ) -> Self::Flow<'s, T, R> {
        let of_value = |value| R::of([value].into_iter());
        let column = lattice.clone();
        let pairs = rows.map(move |row| (column.key(&row), of_value(column.value(&row))));
        let column = lattice.clone();
        let joined = reduce(
            Self::by_key(pairs),
            Box::new(move |values| column.join(&mut values.map(|value| value.cells()[0])).map(of_value)),
        );
        let best = joined.as_collection(move |key, value| lattice.row(key, value.cells()[0]));
        let replaced = counts.replaced.clone();
        let best = best.inspect(move |(_, _, change)| {
            if *change < 0 {
                replaced.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self::distinct(best, owner, held, &counts.held)
    }

    fn settled<'s, R: Row>(rows: Self::Flow<'s, Epoch, R>, _: &Self::Held<R>) -> Self::Flow<'s, Epoch, R> {
        rows
    }

    fn probe<R: Row>(rows: Self::Flow<'_, Epoch, R>, probe: &ProbeHandle<Epoch>) {
        rows.probe_with(probe);
    }

    fn for_each<R: Row>(held: &Self::Held<R>, visit: impl FnMut(&R)) {
        held.borrow().rows().for_each(visit);
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
fn by_owner<'s, T: Time, R: Row>(
    rows: VecCollection<'s, T, R, isize>,
    owner: OwnerColumns,
) -> VecCollection<'s, T, R, isize> {
    place(rows.inner, move |(row, _, _): &(R, T, isize)| owner.of(row)).as_collection()
}

/// A value of values, or none.
type TotalOfRows<R> = dyn Fn(&mut dyn Iterator<Item = &R>) -> Option<R>;

/// One value for each key, or none. The function is boxed, since what it is handed to takes long to compile.
fn reduce<'s, T: Time, R: Row>(
    pairs: VecCollection<'s, T, (R, R), isize>,
    total: Box<TotalOfRows<R>>,
) -> ArrangedIndex<'s, T, R> {
    Incremental::index(pairs).reduce_abelian::<_, ValBuilder<R, R, T, isize>, ValSpine<R, R, T, isize>, _, _>(
        "Reduce",
        move |_, values, totals: &mut Vec<(R, isize)>| {
            totals.extend(total(&mut values.iter().map(|(value, _)| *value)).map(|total| (total, 1)));
        },
        push_updates,
    )
}

/// Hands the updates of a key over to the builder of a batch.
fn push_updates<K: Clone, V, T, D: Semigroup>(batch: &mut Vec<((K, V), T, D)>, key: &K, updates: &mut Vec<(V, T, D)>) {
    batch.clear();
    batch.extend(updates.drain(..).map(|(value, time, change)| ((key.clone(), value), time, change)));
}
