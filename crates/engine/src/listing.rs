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

    /// The values that occur in the facts, and perhaps others.
    fn values(&self) -> &[Value] {
        match &self.facts {
            ListedFacts::Copied(tuples) => tuples.cells(),
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
        let ranks = Ranks::new(&interner, relations.iter().flat_map(Listed::values));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ENGINES;
    use crate::{Session, Setting};
    use ludolog_syntax::{Syntax, print_term};

    /// Worked out by hand from the order that `docs/architecture.md` states.
    #[test]
    fn integers_come_before_symbols_before_compounds() {
        let terms = "p(f(b)). p(b). p(-1). p(f(a, a)). p(9000000000). p('10'). p(10). p(-9000000000). p(a). p(f(10)).
            p(e(z)). p(2). p(1073741824). p(1073741823). p(-1073741824). p(-1073741825).";
        let sorted = "-9000000000 -1073741825 -1073741824 -1 2 10 1073741823 1073741824 9000000000 '10' a b e(z) f(10) \
            f(a, a) f(b)";
        for engine in ENGINES {
            let session = Session::of_text(terms, Syntax::Datalog).unwrap();
            let mut session = session.with_setting(Setting { engine: engine.clone(), ..Setting::default() });
            let listing = session.listing(|_| true).unwrap();
            let texts: Vec<String> = listing.atoms().map(|fact| print_term(&fact.args[0], Syntax::Datalog)).collect();
            assert_eq!(texts.join(" "), sorted);
            let solution = session.query("p(X)").unwrap();
            let texts: Vec<String> = solution.answers().map(|row| print_term(&row[0], Syntax::Datalog)).collect();
            assert_eq!(texts.join(" "), sorted);
        }
    }

    /// Stored facts with first arguments of all kinds, one of which most have, and the pairs of closures with one context and none: in
    /// parts they come as they do when they are sorted as a whole.
    #[test]
    fn parts_come_in_the_order_of_the_whole() {
        let text =
            "n(0). n(-7). n(12). n(9000000000). n(-9000000000). n(1.5). n(a). n(b). n(f(1)). n(f(a)). n(g(0, b)).
            p(X, Y) :- n(X) & n(Y). p(c, X) :- I in 1..500 & X is I * 7.
            edge(k, X, Y) :- X in 1..40 & Y is X + 1. edge(j, X, Y) :- X in 1..40 & Y is X * 2. edge(j, 3, 1).
            step(X, Y) :- edge(_, X, Y).
            reach(X, Y) :- step(X, Y). reach(X, Z) :- reach(X, Y) & step(Y, Z).
            along(C, X, Y) :- edge(C, X, Y). along(C, X, Z) :- along(C, X, Y) & edge(C, Y, Z).";
        let budget = Budget::unlimited();
        for optimization in ["none", "closure"] {
            let session = Session::of_text(text, Syntax::Datalog).unwrap();
            let setting = Setting { optimization: optimization.parse().unwrap(), ..Setting::default() };
            let prepared = session.with_setting(setting).prepare(None).unwrap();
            let mut engine = prepared.load(&budget).unwrap();
            engine.update(&budget).unwrap();
            let mut listed = |fewest| {
                let predicates = engine.predicates().into_iter();
                let gathered = Gathered::in_parts(&mut *engine, predicates, fewest, &budget).unwrap();
                let listing = gathered.listed(&mut *engine, &budget).unwrap();
                let parts: usize = listing.relations().iter().map(|listed| listing.parts(listed).count()).sum();
                let closures = listing.relations().iter().filter(|listed| match listed.facts {
                    ListedFacts::Copied(_) => false,
                    ListedFacts::Held(held, _) => !held.are_stored(),
                });
                let closures = closures.count();
                let facts: Vec<String> = listing.atoms().map(|fact| fact.to_string()).collect();
                assert_eq!(facts.len(), listing.relations().iter().map(Listed::count).sum::<usize>());
                (facts, parts, closures)
            };
            let (whole, as_whole, _) = listed(usize::MAX);
            let (parts, in_parts, closures) = listed(1);
            assert_eq!(parts, whole, "{optimization}");
            assert!(in_parts > 3 * as_whole, "{optimization}: {in_parts} parts of {as_whole} predicates");
            assert_eq!(closures, if optimization == "closure" { 2 } else { 0 });
        }
    }

    /// The pairs of a closure that are more than the limit of facts are not listed, in parts as at once.
    #[test]
    fn pairs_beyond_the_limit_of_facts_are_refused() {
        let text = "edge(X, Y) :- X in 1..100 & Y is X + 1.
            reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y) & edge(Y, Z).";
        let session = Session::of_text(text, Syntax::Datalog).unwrap();
        let setting = Setting { optimization: "closure".parse().unwrap(), ..Setting::default() };
        let prepared = session.with_setting(setting).prepare(None).unwrap();
        let unlimited = Budget::unlimited();
        let mut engine = prepared.load(&unlimited).unwrap();
        engine.update(&unlimited).unwrap();
        // 100 edges, and 100 · 101 / 2 pairs.
        for (max, fewest) in [(5049, 1), (5049, usize::MAX), (5050, 1), (5050, usize::MAX)] {
            let budget = Budget::unlimited().with_max_facts(max);
            let predicates = engine.predicates().into_iter();
            let gathered = Gathered::in_parts(&mut *engine, predicates, fewest, &budget).unwrap();
            assert_eq!(gathered.stopped.is_some(), max < 5050, "{max} {fewest}");
            assert_eq!(gathered.relations.len(), if max < 5050 { 1 } else { 2 });
        }
    }
}
