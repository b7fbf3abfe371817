//! Facts in canonical order, as rows of ids: the way from an engine to a file or a page without syntax trees.
//!
//! Ids do not come in the order of their terms. So the ids that occur are ranked once, cells are exchanged for their ranks,
//! and rows are sorted as plain numbers. Many facts of an engine that [holds](HeldFacts) them are not copied all at once:
//! ranges of their first arguments are copied and sorted one after the other, each when it is read.

use crate::contract::{Engine, HeldFacts, Rows};
use crate::ranks::{RankBounds, RankRange, Ranks};
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Fewer facts of a predicate are copied at once.
const FEWEST_IN_PARTS: usize = 1 << 17;

/// Most parts of the facts of a predicate. Each is found by a look at the first arguments of all facts.
const PARTS: usize = 8;

/// Facts by whose first arguments the parts are chosen.
const SAMPLE: usize = 1024;

/// Facts in canonical order: by predicate name, arity, then arguments from left to right, integers before symbols before
/// compounds.
pub struct Listing<'e> {
    interner: Cow<'e, Interner>,
    ranks: Ranks,
    relations: Vec<Listed<'e>>,
    /// The reason why facts may be missing; `None` if all are there.
    pub stopped: Option<Stopped>,
}

/// The facts of one predicate.
pub struct Listed<'e> {
    predicate: Predicate,
    count: usize,
    facts: ListedFacts<'e>,
}

enum ListedFacts<'e> {
    /// Sorted.
    Copied(Tuples),
    /// To be copied and sorted by ranges of their first arguments.
    Held(&'e dyn HeldFacts, Vec<RankBounds>),
}

impl Listed<'_> {
    /// The predicate.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// The number of facts.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The values that occur in the facts, and perhaps others, in parts.
    fn values(&self) -> Vec<&[Value]> {
        match &self.facts {
            ListedFacts::Copied(tuples) => vec![tuples.cells()],
            ListedFacts::Held(held, _) => held.values(),
        }
    }

    fn sort(&mut self, ranks: &Ranks) {
        match &mut self.facts {
            ListedFacts::Copied(tuples) => ranks.sort(tuples),
            ListedFacts::Held(held, parts) => *parts = ranks.split(&held.sample(SAMPLE), PARTS),
        }
    }

    fn parts(&self) -> usize {
        match &self.facts {
            ListedFacts::Copied(_) => 1,
            ListedFacts::Held(_, parts) => parts.len(),
        }
    }

    fn part(&self, number: usize, ranks: &Ranks) -> Cow<'_, Tuples> {
        let (held, bounds) = match &self.facts {
            ListedFacts::Copied(tuples) => return Cow::Borrowed(tuples),
            ListedFacts::Held(held, parts) => (held, parts[number]),
        };
        let mut tuples = Tuples::new(self.predicate.arity);
        // Some parts are larger than others, and room that is not written takes no memory.
        tuples.reserve(self.count / self.parts() * 5 / 4);
        held.copy_part(&RankRange::new(ranks, bounds), &mut tuples);
        ranks.sort(&mut tuples);
        Cow::Owned(tuples)
    }
}

/// Facts as an engine lists them.
pub(crate) struct Gathered {
    /// The terms of ids, if the engine has none.
    own: Interner,
    relations: Vec<(Predicate, GatheredFacts)>,
    /// The reason why facts may be missing; `None` if all are there.
    pub stopped: Option<Stopped>,
}

enum GatheredFacts {
    Copied(Tuples),
    /// So many that the engine holds.
    Held(usize),
}

impl Gathered {
    /// Gathers the facts of these predicates, as [`Listing::new`].
    pub fn new(
        engine: &mut dyn Engine,
        predicates: impl Iterator<Item = Predicate>,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        Self::in_parts(engine, predicates, FEWEST_IN_PARTS, budget)
    }

    /// The same, where as many facts of a predicate and more are not copied at once.
    fn in_parts(
        engine: &mut dyn Engine,
        predicates: impl Iterator<Item = Predicate>,
        fewest: usize,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut own = Interner::new();
        let mut relations = Vec::new();
        let mut stopped = None;
        for predicate in predicates {
            budget.check()?;
            match facts_of(engine, &predicate, fewest, &mut own, budget) {
                Ok(facts) => relations.push((predicate, facts)),
                Err(reason) if reason.is_out_of_time() => return Err(reason),
                Err(reason) => stopped = stopped.or(Some(reason)),
            }
        }
        Ok(Gathered { own, relations, stopped })
    }

    /// Gathers the rows that the second predicate of each pair has and the first does not have, as facts of the first. Pairs come
    /// in canonical order.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn of_differences(
        engine: &mut dyn Engine,
        pairs: Vec<(Predicate, Predicate)>,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut own = Interner::new();
        let mut relations = Vec::new();
        for (predicate, more) in pairs {
            let less = tuples_of(engine, &predicate, &mut own, budget)?;
            let less: FxHashSet<&[Value]> = less.rows().collect();
            let mut tuples = Tuples::new(predicate.arity);
            let more = tuples_of(engine, &more, &mut own, budget)?;
            more.rows().filter(|row| !less.contains(row)).for_each(|row| tuples.push(row));
            relations.push((predicate, GatheredFacts::Copied(tuples)));
        }
        Ok(Gathered { own, relations, stopped: None })
    }

    /// Sorts the facts, which are those of this engine.
    pub fn listed<'e>(self, engine: &'e mut dyn Engine, budget: &Budget) -> Result<Listing<'e>, Stopped> {
        let Gathered { own, relations: gathered, stopped } = self;
        let rows: Option<&'e dyn Rows> = engine.as_rows().map(|rows| &*rows);
        let interner = rows.map_or(Cow::Owned(own), |rows| Cow::Borrowed(rows.interner()));
        let mut relations = Vec::with_capacity(gathered.len());
        for (predicate, facts) in gathered {
            let (count, facts) = match facts {
                GatheredFacts::Copied(tuples) => (tuples.count(), ListedFacts::Copied(tuples)),
                GatheredFacts::Held(count) => {
                    let held = rows.and_then(|rows| rows.held(&predicate));
                    let held = held.ok_or_else(|| Stopped::Internal(format!("`{predicate}` is not held")))?;
                    (count, ListedFacts::Held(held, Vec::new()))
                }
            };
            relations.push(Listed { predicate, count, facts });
        }
        let ranks = Ranks::new(&interner, relations.iter().flat_map(Listed::values).flatten());
        for listed in &mut relations {
            budget.check()?;
            listed.sort(&ranks);
        }
        Ok(Listing { interner, ranks, relations, stopped })
    }
}

impl<'e> Listing<'e> {
    /// Lists the facts of these predicates, which come in canonical order. If the engine stops early for want of anything but
    /// time, the facts of the other predicates, with the reason.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when time is over or somebody interrupts.
    pub fn new(
        engine: &'e mut dyn Engine,
        predicates: impl Iterator<Item = Predicate>,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        Gathered::new(engine, predicates, budget)?.listed(engine, budget)
    }

    /// The predicates with their facts.
    pub fn relations(&self) -> &[Listed<'e>] {
        &self.relations
    }

    /// The arguments of each fact of a predicate, some facts at a time, so that not all are copied at once.
    pub fn parts<'l>(&'l self, listed: &'l Listed) -> impl Iterator<Item = Cow<'l, Tuples>> {
        (0..listed.parts()).map(move |number| listed.part(number, &self.ranks))
    }

    /// The term of an id.
    pub fn term(&self, value: Value) -> Term {
        self.interner.term(value)
    }

    /// The facts as atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.relations.iter().flat_map(move |listed| {
            self.parts(listed).flat_map(move |part| {
                let rows = 0..part.count();
                rows.map(move |row| Atom {
                    predicate: listed.predicate.name.clone(),
                    args: part.row(row).iter().map(|value| self.term(*value)).collect(),
                    span: Span::NONE,
                })
            })
        })
    }
}

/// The facts of a predicate, copied if they are fewer than `fewest` or the engine does not hold them.
fn facts_of(
    engine: &mut dyn Engine,
    predicate: &Predicate,
    fewest: usize,
    own: &mut Interner,
    budget: &Budget,
) -> Result<GatheredFacts, Stopped> {
    let count = engine.as_count().map_or(0, |count| count.count(predicate));
    let held = engine.as_rows().and_then(|rows| rows.held(predicate)).filter(|_| count >= fewest as u64);
    match (held, budget.max_facts()) {
        (None, _) => tuples_of(engine, predicate, own, budget).map(GatheredFacts::Copied),
        (Some(held), Some(max)) if !held.are_stored() && count > max => Err(Stopped::TooManyFacts(max)),
        (Some(_), _) => Ok(GatheredFacts::Held(count as usize)),
    }
}

/// The rows of a predicate, with ids of the engine if it has rows, and otherwise of the interner given.
fn tuples_of(
    engine: &mut dyn Engine,
    predicate: &Predicate,
    own: &mut Interner,
    budget: &Budget,
) -> Result<Tuples, Stopped> {
    let mut tuples = Tuples::new(predicate.arity);
    tuples.reserve(engine.as_count().map_or(0, |count| count.count(predicate)) as usize);
    match engine.as_rows() {
        Some(rows) => rows.for_each_row(predicate, budget, &mut |row| tuples.push(row))?,
        None => engine.facts(predicate, budget)?.iter().for_each(|fact| tuples.push(&own.row(&fact.args))),
    }
    Ok(tuples)
}

/// Sorts rows of ids, and exchanges the ids for those of an interner that has no other terms. The cost depends on the rows alone, so
/// that few answers are cheap where there are many terms.
pub(crate) fn sort_apart(tuples: &mut Tuples, interner: &Interner) -> Interner {
    let (mut own, mut ids) = (Interner::new(), FxHashMap::<Value, Value>::default());
    let (_, cells) = tuples.cells_mut();
    for cell in cells.iter_mut().filter(|cell| cell.as_small_integer().is_none()) {
        *cell = *ids.entry(*cell).or_insert_with(|| own.ground(&interner.term(*cell)));
    }
    Ranks::new(&own, tuples.cells().iter()).sort(tuples);
    own
}
