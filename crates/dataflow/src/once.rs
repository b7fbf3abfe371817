//! Operators that derive facts once: a row is derived or it is not, and nothing is ever taken away.
//!
//! ```text
//! p(X, Z) :- p(X, Y) & e(Y, Z).        p ─by Y→ looked up in the table of e, once that is complete ─→ p, if it is a new row
//! p(X, Z) :- p(X, Y) & p(Y, Z).        either side goes into its table by Y, and is then looked up in that of the other
//! ```
//!
//! Rows need no time: whatever order they come in, each pair of rows meets, as in a symmetric hash join (Wilschut and
//! Apers, *Dataflow query execution in a parallel main-memory environment*, 1991), and a relation takes a row in once.
//! The relations that negations and aggregates read are complete before these begin. So a row costs one entry of a hash
//! set, and one for each of its indices that a loop adds to, which is a small part of what [differential
//! operators](crate::incremental) keep of it.

use crate::best::LatticeColumn;
use crate::operators::{Epoch, Loop, Operators, OwnerColumns, RowCounts, Time, place};
use crate::row::Row;
use crate::stage::Results;
use differential_dataflow::{ExchangeData, VecCollection};
use ludolog_engine::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::vec::IntoIter;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::operator::empty;
use timely::dataflow::operators::{
    CapabilitySet, Concat, Concatenate, ConnectLoop, Enter, Feedback, Leave, Operator, Probe,
};
use timely::dataflow::{ProbeHandle, Scope, Stream};
use timely::order::Product;

/// The operators for facts that stay as they are.
pub struct Once;

/// Elements on their way.
pub struct ElementFlow<'s, T: Time, D: ExchangeData> {
    stream: Stream<'s, T, Vec<D>>,
    /// Whether it depends on a variable of the loop, so that it is complete only when the loop has ended.
    grows: bool,
}

impl<T: Time, D: ExchangeData> Clone for ElementFlow<'_, T, D> {
    fn clone(&self) -> Self {
        ElementFlow { stream: self.stream.clone(), grows: self.grows }
    }
}

/// Values by key, as lists within one vector.
struct KeyedLists<R> {
    /// By key, the place of its last value.
    last: FxHashMap<R, usize>,
    /// Values, each with the place of the one before; of the first one of a key, [`NONE`].
    values: Vec<(R, usize)>,
}

/// No place of a value.
const NONE: usize = usize::MAX;

impl<R> Default for KeyedLists<R> {
    fn default() -> Self {
        KeyedLists { last: FxHashMap::default(), values: Vec::new() }
    }
}

impl<R: Row> KeyedLists<R> {
    fn insert(&mut self, key: R, value: R) {
        let before = self.last.insert(key, self.values.len());
        self.values.push((value, before.unwrap_or(NONE)));
    }

    fn has(&self, key: &R) -> bool {
        self.last.contains_key(key)
    }

    /// The values of a key among the first `count` values.
    fn of(&self, key: &R, count: usize) -> impl Iterator<Item = &R> {
        let last = self.last.get(key).map(|&place| (place, &self.values[place]));
        let values = std::iter::successors(last, |(_, (_, before))| Some((*before, self.values.get(*before)?)));
        values.skip_while(move |(place, _)| *place >= count).map(|(_, (value, _))| value)
    }
}

/// A table with the pairs that have come into it. It is complete when there are no more of them; pairs themselves come
/// only from flows that grow.
struct FilledTable<'s, T: Time, R: Row> {
    table: Rc<RefCell<KeyedLists<R>>>,
    pairs: Stream<'s, T, Vec<(R, R)>>,
}

impl<T: Time, R: Row> Clone for FilledTable<'_, T, R> {
    fn clone(&self) -> Self {
        FilledTable { table: self.table.clone(), pairs: self.pairs.clone() }
    }
}

/// Pairs with the workers that own their keys, and their table, made when somebody looks into it.
pub struct OwnedPairs<'s, T: Time, R: Row> {
    pairs: ElementFlow<'s, T, (R, R)>,
    filled: Rc<OnceCell<FilledTable<'s, T, R>>>,
}

impl<T: Time, R: Row> Clone for OwnedPairs<'_, T, R> {
    fn clone(&self) -> Self {
        OwnedPairs { pairs: self.pairs.clone(), filled: self.filled.clone() }
    }
}

impl<'s, T: Time, R: Row> OwnedPairs<'s, T, R> {
    /// The index with its table.
    fn filled(&self) -> FilledTable<'s, T, R> {
        let fill = || {
            let table: Rc<RefCell<KeyedLists<R>>> = Rc::default();
            let filled = table.clone();
            let grows = self.pairs.grows;
            let pairs = self.pairs.stream.clone().unary(Pipeline, "Fill", move |_, _| {
                move |input, output| {
                    input.for_each(|capability, pairs| {
                        let mut table = filled.borrow_mut();
                        if grows {
                            pairs.iter().cloned().for_each(|(key, value)| table.insert(key, value));
                            output.session(&capability).give_container(pairs);
                        } else {
                            pairs.drain(..).for_each(|(key, value)| table.insert(key, value));
                        }
                    });
                }
            });
            FilledTable { table, pairs }
        };
        self.filled.get_or_init(fill).clone()
    }
}

/// Pairs to be looked up, and the right to send what follows.
type WaitingPairs<T, R> = (CapabilitySet<T>, IntoIter<(R, R)>);

/// Pairs and values that an operator looks at before others have their turn, so that limits are looked at.
const TURN: usize = 1 << 18;

/// Elements that are sent together.
const CONTAINER: usize = 1 << 10;

/// The elements that `make` adds for each of the pairs and a table; if `waits`, only when the table is complete. `make`
/// returns the number of values that it has looked at.
fn look_up<'s, T: Time, R: Row, D: ExchangeData>(
    pairs: Stream<'s, T, Vec<(R, R)>>,
    filled: FilledTable<'s, T, R>,
    waits: bool,
    mut make: impl FnMut(&KeyedLists<R>, &R, &R, &mut Vec<D>) -> usize + 'static,
) -> Stream<'s, T, Vec<D>> {
    let scope = pairs.scope();
    let FilledTable { table, pairs: filling } = filled;
    let filling = if waits { filling } else { empty(scope) };
    pairs.binary_frontier(filling, Pipeline, Pipeline, "LookUp", move |_, info| {
        let activator = scope.activator_for(info.address);
        let mut waiting: VecDeque<WaitingPairs<T, R>> = VecDeque::new();
        let mut made: Vec<D> = Vec::new();
        move |(input, _), (_, filling), output| {
            input.for_each(|capability, pairs| {
                waiting.push_back((capability.retain_stamp(0), std::mem::take(pairs).into_iter()));
            });
            if !filling.is_empty() {
                return;
            }
            let table = table.borrow();
            let mut seen = 0;
            while let Some((capabilities, pairs)) = waiting.front_mut() {
                let mut session = output.session(&*capabilities);
                while pairs.len() > 0 && seen < TURN {
                    made.reserve(CONTAINER);
                    while made.len() < CONTAINER
                        && seen < TURN
                        && let Some((key, value)) = pairs.next()
                    {
                        seen += 1 + make(&table, &key, &value, &mut made);
                    }
                    session.give_container(&mut made);
                    // It may come back as it went.
                    made.clear();
                }
                drop(session);
                if pairs.len() > 0 {
                    activator.activate();
                    return;
                }
                waiting.pop_front();
            }
        }
    })
}

impl Operators for Once {
    type Flow<'s, T: Time, D: ExchangeData> = ElementFlow<'s, T, D>;
    type Index<'s, T: Time, R: Row> = OwnedPairs<'s, T, R>;
    type Variable<'s, R: Row> = timely::dataflow::operators::feedback::Handle<'s, Loop, Vec<R>>;
    type Held<R: Row> = Rc<RefCell<FxHashSet<R>>>;

    fn given<'s, R: Row>(rows: VecCollection<'s, Epoch, R, isize>, owner: OwnerColumns) -> Self::Flow<'s, Epoch, R> {
        let rows = rows.inner.unary(Pipeline, "Given", |_, _| {
            |input, output| {
                input.for_each(|capability, rows| {
                    output.session(&capability).give_iterator(rows.drain(..).map(|(row, _, _)| row));
                });
            }
        });
        ElementFlow { stream: place(rows, move |row| owner.of(row)), grows: false }
    }

    fn flat_map<'s, T: Time, D: ExchangeData, E: ExchangeData>(
        flow: Self::Flow<'s, T, D>,
        mut make: impl FnMut(&D) -> Results<E> + 'static,
    ) -> Self::Flow<'s, T, E> {
        let stream = flow.stream.unary(Pipeline, "FlatMap", move |_, _| {
            move |input, output| {
                input.for_each(|capability, elements| {
                    output.session(&capability).give_iterator(elements.iter().flat_map(&mut make));
                });
            }
        });
        ElementFlow { stream, grows: flow.grows }
    }

    fn concatenate<'s, T: Time, R: Row>(
        first: Self::Flow<'s, T, R>,
        others: Vec<Self::Flow<'s, T, R>>,
    ) -> Self::Flow<'s, T, R> {
        let grows = first.grows || others.iter().any(|other| other.grows);
        let scope = first.stream.scope();
        let streams = [first.stream].into_iter().chain(others.into_iter().map(|other| other.stream));
        ElementFlow { stream: scope.concatenate(streams), grows }
    }

    fn by_key<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Flow<'s, T, (R, R)> {
        ElementFlow { stream: place(pairs.stream, |(key, _)| key.owner()), grows: pairs.grows }
    }

    fn index<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R> {
        OwnedPairs { pairs, filled: Rc::default() }
    }

    fn keys<'s, T: Time, R: Row>(pairs: Self::Flow<'s, T, (R, R)>) -> Self::Index<'s, T, R> {
        Self::index(pairs)
    }

    fn totals<'s, T: Time, R: Row>(
        pairs: Self::Flow<'s, T, (R, R)>,
        total: impl Fn(&mut dyn Iterator<Item = &R>) -> R + 'static,
    ) -> Self::Index<'s, T, R> {
        let table: Rc<RefCell<KeyedLists<R>>> = Rc::default();
        let filled = table.clone();
        let totals = pairs.stream.clone().unary_frontier::<CapacityContainerBuilder<_>, _, _, _>(
            Pipeline,
            "Totals",
            move |_, _| {
                let mut tuples: KeyedLists<R> = KeyedLists::default();
                // The totals are not complete before it is dropped.
                let mut capabilities = CapabilitySet::new();
                move |(input, frontier), _| {
                    input.for_each(|capability, pairs| {
                        capability
                            .retain_stamp(0)
                            .iter()
                            .for_each(|capability| capabilities.insert(capability.clone()));
                        pairs.drain(..).for_each(|(group, tuple)| tuples.insert(group, tuple));
                    });
                    if frontier.is_empty() {
                        let tuples = std::mem::take(&mut tuples);
                        let mut totals = filled.borrow_mut();
                        for group in tuples.last.keys() {
                            totals.insert(group.clone(), total(&mut tuples.of(group, usize::MAX)));
                        }
                        capabilities = CapabilitySet::new();
                    }
                }
            },
        );
        OwnedPairs { pairs, filled: Rc::new(OnceCell::from(FilledTable { table, pairs: totals })) }
    }

    fn join<'s, T: Time, R: Row, D: ExchangeData>(
        [left, right]: [Self::Index<'s, T, R>; 2],
        mut make: impl FnMut(&R, &R, &R) -> Results<D> + Clone + 'static,
    ) -> Self::Flow<'s, T, D> {
        // The pairs that each side has looked up. Where both grow, a pair is joined with those that came before it: so
        // each two meet once, when the second of them is looked up.
        let start = if left.pairs.grows && right.pairs.grows { 0 } else { usize::MAX };
        let [lefts, rights] = [(); 2].map(|()| Rc::new(Cell::new(start)));
        let mut make_swapped = make.clone();
        let [rights_before, lefts_before] = [rights.clone(), lefts.clone()];
        let left_first = move |table: &KeyedLists<R>, key: &R, value: &R, made: &mut Vec<D>| {
            lefts.set(lefts.get().saturating_add(1));
            table.of(key, rights_before.get()).inspect(|other| made.extend(make(key, value, other))).count()
        };
        let right_first = move |table: &KeyedLists<R>, key: &R, value: &R, made: &mut Vec<D>| {
            rights.set(rights.get().saturating_add(1));
            table.of(key, lefts_before.get()).inspect(|other| made.extend(make_swapped(key, other, value))).count()
        };
        let stream = match (left.pairs.grows, right.pairs.grows) {
            (_, false) => look_up(left.pairs.stream, right.filled(), true, left_first),
            (false, true) => look_up(right.pairs.stream, left.filled(), true, right_first),
            (true, true) => {
                let left = left.filled();
                let right = right.filled();
                let stream = look_up(left.pairs.clone(), right.clone(), false, left_first);
                stream.concat(look_up(right.pairs, left, false, right_first))
            }
        };
        ElementFlow { stream, grows: left.pairs.grows || right.pairs.grows }
    }

    fn gather<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R, &mut dyn Iterator<Item = &R>) -> Option<R> + Clone + 'static,
    ) -> Self::Flow<'s, T, R> {
        let stream = look_up(left.pairs.stream, right.filled(), true, move |table, key, value, made| {
            let mut looked_at = 0;
            made.extend(make(key, value, &mut table.of(key, usize::MAX).inspect(|_| looked_at += 1)));
            looked_at + 1
        });
        ElementFlow { stream, grows: left.pairs.grows }
    }

    fn without<'s, T: Time, R: Row>(
        left: Self::Index<'s, T, R>,
        right: Self::Index<'s, T, R>,
        make: impl Fn(&R, &R) -> R + Clone + 'static,
    ) -> Self::Flow<'s, T, R> {
        let stream = look_up(left.pairs.stream, right.filled(), true, move |table, key, value, made| {
            if !table.has(key) {
                made.push(make(key, value));
            }
            1
        });
        ElementFlow { stream, grows: left.pairs.grows }
    }

    fn distinct<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: OwnerColumns,
        held: &Self::Held<R>,
        count: &Arc<AtomicI64>,
    ) -> Self::Flow<'s, T, R> {
        let held = held.clone();
        let count = count.clone();
        let placed = place(rows.stream, move |row| owner.of(row));
        let stream = placed.unary(Pipeline, "Distinct", move |_, _| {
            move |input, output| {
                input.for_each(|capability, rows| {
                    let mut set = held.borrow_mut();
                    rows.retain(|row| set.insert(row.clone()));
                    count.fetch_add(rows.len() as i64, Ordering::Relaxed);
                    output.session(&capability).give_container(rows);
                });
            }
        });
        ElementFlow { stream, grows: rows.grows }
    }

    fn best<'s, T: Time, R: Row>(
        rows: Self::Flow<'s, T, R>,
        owner: OwnerColumns,
        lattice: LatticeColumn,
        held: &Self::Held<R>,
        counts: &RowCounts,
    ) -> Self::Flow<'s, T, R> {
        let held = held.clone();
        let counts = counts.clone();
        let placed = place(rows.stream, move |row| owner.of(row));
        let stream = placed.unary(Pipeline, "Best", move |_, _| {
            let mut values: FxHashMap<R, Value> = FxHashMap::default();
            move |input, output| {
                input.for_each(|capability, rows| {
                    let mut set = held.borrow_mut();
                    let mut better: FxHashSet<R> = FxHashSet::default();
                    for row in rows.drain(..).filter(|row| lattice.has(lattice.value(row))) {
                        match values.entry(lattice.key(&row)) {
                            Entry::Vacant(key) => {
                                key.insert(lattice.value(&row));
                                counts.held.fetch_add(1, Ordering::Relaxed);
                                set.insert(row.clone());
                                better.insert(row);
                            }
                            Entry::Occupied(mut known) => {
                                let Some(value) = lattice.improved(lattice.value(&row), *known.get()) else { continue };
                                let worse = lattice.row(known.key(), *known.get());
                                let row = lattice.row(known.key(), value);
                                known.insert(value);
                                counts.replaced.fetch_add(1, Ordering::Relaxed);
                                set.remove(&worse);
                                better.remove(&worse);
                                set.insert(row.clone());
                                better.insert(row);
                            }
                        }
                    }
                    output.session(&capability).give_iterator(better.into_iter());
                });
            }
        });
        ElementFlow { stream, grows: rows.grows }
    }

    fn settled<'s, R: Row>(rows: Self::Flow<'s, Epoch, R>, held: &Self::Held<R>) -> Self::Flow<'s, Epoch, R> {
        let held = held.clone();
        let stream = rows.stream.unary_frontier(Pipeline, "Settled", move |_, _| {
            // Nothing is sent before all have come.
            let mut capabilities = CapabilitySet::new();
            move |(input, frontier), output| {
                input.for_each(|capability, rows| {
                    rows.clear();
                    capability.retain_stamp(0).iter().for_each(|capability| capabilities.insert(capability.clone()));
                });
                if frontier.is_empty() {
                    if let Some(capability) = capabilities.first() {
                        output.session(capability).give_iterator(held.borrow().iter().cloned());
                    }
                    capabilities = CapabilitySet::new();
                }
            }
        });
        ElementFlow { stream, grows: false }
    }

    fn probe<R: Row>(rows: Self::Flow<'_, Epoch, R>, probe: &ProbeHandle<Epoch>) {
        rows.stream.probe_with(probe);
    }

    fn for_each<R: Row>(held: &Self::Held<R>, visit: impl FnMut(&R)) {
        held.borrow().iter().for_each(visit);
    }

    fn enter<'i, R: Row>(rows: Self::Flow<'_, Epoch, R>, scope: Scope<'i, Loop>) -> Self::Flow<'i, Loop, R> {
        ElementFlow { stream: rows.stream.enter(scope), grows: false }
    }

    fn leave<'s, R: Row>(rows: Self::Flow<'_, Loop, R>, scope: Scope<'s, Epoch>) -> Self::Flow<'s, Epoch, R> {
        ElementFlow { stream: rows.stream.leave(scope), grows: false }
    }

    fn variable<R: Row>(scope: Scope<'_, Loop>) -> (Self::Variable<'_, R>, Self::Flow<'_, Loop, R>) {
        let (handle, stream) = scope.feedback(Product::new(0, 1));
        (handle, ElementFlow { stream, grows: true })
    }

    fn set<'s, R: Row>(variable: Self::Variable<'s, R>, rows: Self::Flow<'s, Loop, R>) {
        rows.stream.connect_loop(variable);
    }
}
