//! Facts in canonical order, as rows of ids: the way from an engine to a file or a page without syntax trees.
//!
//! Ids do not come in the order of their terms. So the ids that occur are ranked once, cells are exchanged for their ranks,
//! and rows are sorted as plain numbers.

use crate::contract::Engine;
use crate::tuples::Tuples;
use crate::value::{Interner, SMALL_INTEGERS, Value};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Facts in canonical order: by predicate name, arity, then arguments from left to right, integers before symbols before
/// compounds.
pub struct Listing<'e> {
    interner: Cow<'e, Interner>,
    relations: Vec<Listed>,
    /// The reason why facts may be missing; `None` if all are there.
    pub stopped: Option<Stopped>,
}

/// The facts of one predicate.
pub struct Listed {
    predicate: Predicate,
    tuples: Tuples,
}

impl Listed {
    /// The predicate.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// The number of facts.
    pub fn count(&self) -> usize {
        self.tuples.count()
    }

    /// The arguments of each fact.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        self.tuples.rows()
    }
}

/// Facts as an engine lists them.
pub(crate) struct Gathered {
    /// The terms of ids, if the engine has none.
    own: Interner,
    relations: Vec<Listed>,
    /// The reason why facts may be missing; `None` if all are there.
    pub stopped: Option<Stopped>,
}

impl Gathered {
    /// Gathers the facts of these predicates, as [`Listing::new`].
    pub fn new(
        engine: &mut dyn Engine,
        predicates: impl Iterator<Item = Predicate>,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut own = Interner::new();
        let mut relations = Vec::new();
        let mut stopped = None;
        for predicate in predicates {
            budget.check()?;
            match tuples_of(engine, &predicate, &mut own, budget) {
                Ok(tuples) => relations.push(Listed { predicate, tuples }),
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
            relations.push(Listed { predicate, tuples });
        }
        Ok(Gathered { own, relations, stopped: None })
    }

    /// Sorts the facts, which are those of this engine.
    pub fn listed<'e>(self, engine: &'e mut dyn Engine, budget: &Budget) -> Result<Listing<'e>, Stopped> {
        let Gathered { own, mut relations, stopped } = self;
        let interner = match engine.as_rows() {
            Some(rows) => Cow::Borrowed(rows.interner()),
            None => Cow::Owned(own),
        };
        let ranks = Ranks::new(&interner, relations.iter().flat_map(|listed| listed.tuples.cells()));
        for listed in &mut relations {
            budget.check()?;
            ranks.sort(&mut listed.tuples);
        }
        Ok(Listing { interner, relations, stopped })
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
    pub fn relations(&self) -> &[Listed] {
        &self.relations
    }

    /// The term of an id.
    pub fn term(&self, value: Value) -> Term {
        self.interner.term(value)
    }

    /// The facts as atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.relations.iter().flat_map(|listed| {
            listed.rows().map(|row| Atom {
                predicate: listed.predicate.name.clone(),
                args: row.iter().map(|value| self.term(*value)).collect(),
                span: Span::NONE,
            })
        })
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

/// Numbers for ids, in the order of their terms. Integers that are their own ids need no table.
struct Ranks {
    /// By id: its place among the ranked ids. Arbitrary for ids that do not occur.
    place: Vec<u32>,
    /// All other ids that occur, in the order of their terms.
    ranked: Vec<Value>,
    /// The number of those that are integers below all that are their own ids.
    below: u32,
}

/// The number of integers that are their own ids.
const SMALL: u32 = 1 << 31;

impl Ranks {
    fn new<'v>(interner: &Interner, values: impl Iterator<Item = &'v Value>) -> Self {
        let mut occurs: Vec<bool> = Vec::new();
        for value in values.filter(|value| value.as_small_integer().is_none()) {
            if occurs.is_empty() {
                occurs.resize(interner.len(), false);
            }
            occurs[value.0 as usize] = true;
        }
        let ids = occurs.iter().enumerate().filter(|(_, occurs)| **occurs);
        let mut ranked: Vec<Value> = ids.map(|(id, _)| Value(id as u32)).collect();
        ranked.sort_unstable_by(|a, b| interner.compare(*a, *b));
        let mut place = vec![0; occurs.len()];
        for (i, value) in ranked.iter().enumerate() {
            place[value.0 as usize] = i as u32;
        }
        let is_below = |value: &Value| interner.as_integer(*value).is_some_and(|n| n < *SMALL_INTEGERS.start());
        let below = ranked.partition_point(is_below) as u32;
        Ranks { place, ranked, below }
    }

    /// Sorts rows of ids.
    fn sort(&self, tuples: &mut Tuples) {
        let (arity, cells) = tuples.cells_mut();
        let mut keys: Vec<u32> = std::mem::take(cells).into_iter().map(|cell| self.key(cell)).collect();
        sort_rows(&mut keys, arity);
        *cells = keys.into_iter().map(|key| self.value(key)).collect();
    }

    #[inline]
    fn key(&self, value: Value) -> u32 {
        match value.as_small_integer() {
            Some(n) => self.below + (n - SMALL_INTEGERS.start()) as u32,
            None => match self.place[value.0 as usize] {
                place if place < self.below => place,
                place => SMALL + place,
            },
        }
    }

    #[inline]
    fn value(&self, key: u32) -> Value {
        match key.checked_sub(self.below) {
            None => self.ranked[key as usize],
            Some(offset) => match Value::small_integer(SMALL_INTEGERS.start() + i64::from(offset)) {
                Some(value) => value,
                None => self.ranked[(key - SMALL) as usize],
            },
        }
    }
}

/// Sorts rows that stand one after the other.
fn sort_rows(keys: &mut Vec<u32>, arity: usize) {
    match arity {
        0 => {}
        1 => keys.sort_unstable(),
        2 => keys.as_chunks_mut::<2>().0.sort_unstable_by_key(|[a, b]| u64::from(*a) << 32 | u64::from(*b)),
        3 => keys.as_chunks_mut::<3>().0.sort_unstable(),
        4 => keys.as_chunks_mut::<4>().0.sort_unstable(),
        _ => {
            let mut rows: Vec<&[u32]> = keys.chunks_exact(arity).collect();
            rows.sort_unstable();
            *keys = rows.concat();
        }
    }
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

    #[test]
    fn rows_are_sorted_from_left_to_right_whatever_their_length() {
        for arity in 1..8 {
            // A de Bruijn-like spread: each column is a different multiple of the row number.
            let rows: Vec<Vec<u32>> = (0..200u32)
                .map(|row| (0..arity).map(|column| row * (7 * column + 3) % (5 + column)).collect())
                .collect();
            let mut keys = rows.concat();
            sort_rows(&mut keys, arity as usize);
            let mut expected = rows;
            expected.sort();
            assert_eq!(keys, expected.concat());
        }
    }
}
