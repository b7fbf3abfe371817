//! Closures: `p = base ∘ step*`, represented in space proportional to the graph instead of the relation.
//!
//! ```text
//! p(C.., X, Y) :- base(C.., X, Y).
//! p(C.., X, Z) :- p(C.., X, Y) & step(C.., Y, Z).
//! ```
//!
//! A node is a value with the values of the context `C..`. If `step` is symmetric (a property of the data, not of the
//! text) and `base` stays inside its components, `p(X, ·)` is the component of `X`: a union-find with member lists
//! takes near constant time per step row (Tarjan, *Efficiency of a good but not linear set union algorithm*, 1975) and
//! is maintained incrementally. Otherwise each strongly connected component of `step` gets the bit set of the
//! components that it reaches, in O(components · steps / 64) (Purdom, *A transitive closure algorithm*, 1970). Pairs
//! are never stored, only enumerated on request.

mod progress;
mod transpose;

use super::components;
use super::index::KeyedRow;
use super::relation::Relation;
use crate::contract::HeldFacts;
use crate::ranks::RankRange;
use crate::tuples::Tuples;
use crate::value::Value;
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use petgraph::algo::kosaraju_scc;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;
use transpose::transposed;

/// The number of a closure in the engine.
pub type ClosureId = usize;

/// Most bits of all bit sets together, 256 MiB. A larger closure is run by its rules instead.
const MOST_BITS: usize = 1 << 31;

/// Bits of a word of a bit set.
const WORD: usize = 64;

/// A node whose context has fewer values is looked up without an allocation.
const FEW_VALUES: usize = 8;

/// The closure of two relations.
pub struct ClosureRelation {
    /// Context and id of every node; the row number is the node.
    nodes: Relation,
    /// The nodes at the left end of base pairs, in order of arrival.
    sources: Vec<u32>,
    /// By node: whether it is in `sources`.
    is_source: Vec<bool>,
    /// The key of a node that is looked up, kept for its space.
    key: Vec<Value>,
    /// The numbers of base rows and of step rows read so far.
    read: (usize, usize),
    shape: ClosureShape,
    /// Increases with every change of the pairs.
    version: u32,
}

enum ClosureShape {
    Undirected {
        components: UnionFind<u32>,
        /// The nodes of each component, at its representative.
        members: Vec<Vec<u32>>,
    },
    Directed(Condensed),
}

/// Strongly connected components, with those that they reach.
#[derive(Default)]
struct Condensed {
    component: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// The bit set of components that each source reaches, by index in `sources`, `words` words each.
    reached: Vec<u64>,
    words: usize,
    /// The index in `sources` of each node that is a source.
    place: Vec<u32>,
    /// The bit set of sources that reach each component, by index in `sources`: `reached` transposed when it is first asked for.
    reaching: OnceLock<Vec<u64>>,
}

/// The state of an enumeration of pairs.
#[derive(Default)]
pub struct Cursor {
    /// The bound values of columns.
    bound: Vec<Option<Value>>,
    sources: RemainingSources,
    /// The source whose targets are being enumerated.
    source: Option<u32>,
    /// The target, if it is bound.
    target: Option<u32>,
    component: usize,
    member: usize,
}

/// The sources still to be enumerated.
#[derive(Default)]
enum RemainingSources {
    #[default]
    None,
    One(u32),
    /// All sources from this index on.
    All(usize),
    /// The members of a component from this index on.
    Component(u32, usize),
    /// Those from this index on that reach a component.
    Reaching(u32, usize),
}

/// The reason why a closure is not up to date; it is empty then.
#[derive(Debug)]
pub enum Incomplete {
    /// The bit sets would exceed [`MOST_BITS`].
    TooLarge,
    /// The budget ended.
    Stopped(Stopped),
}

impl From<Stopped> for Incomplete {
    fn from(stopped: Stopped) -> Self {
        Incomplete::Stopped(stopped)
    }
}

/// Rows read, or bit sets joined, between two checks of the budget.
const POLL_EVERY: u32 = 4096;

impl ClosureRelation {
    /// The closure of empty relations of this arity.
    pub fn new(arity: usize, version: u32) -> Self {
        let mut nodes = Relation::new(arity - 1);
        nodes.keep_row_numbers();
        let shape = ClosureShape::Undirected { components: UnionFind::new(0), members: Vec::new() };
        Self { nodes, sources: Vec::new(), is_source: Vec::new(), key: Vec::new(), read: (0, 0), shape, version }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    pub fn version(&self) -> u32 {
        self.version
    }

    fn node(&mut self, row: &[Value], column: usize) -> u32 {
        self.key.clear();
        self.key.extend_from_slice(&row[..row.len() - 2]);
        self.key.push(row[column]);
        if let Some(node) = self.nodes.find(&self.key) {
            return node as u32;
        }
        let node = self.nodes.len() as u32;
        self.nodes.insert(&self.key);
        self.is_source.push(false);
        if let ClosureShape::Undirected { components, members } = &mut self.shape {
            components.new_set();
            members.push(vec![node]);
        }
        node
    }

    /// The nodes at both ends of a row.
    fn ends(&mut self, row: &[Value]) -> (u32, u32) {
        (self.node(row, row.len() - 2), self.node(row, row.len() - 1))
    }

    /// Reads the new rows of its relations, which must only have grown since the last call.
    pub fn update(&mut self, base: &Relation, step: &Relation, budget: &Budget) -> Result<(), Incomplete> {
        if self.read == (base.len(), step.len()) {
            return Ok(());
        }
        let read = self.read_rows(base, step, budget);
        if read.is_err() {
            *self = ClosureRelation::new(base.arity(), self.version);
        }
        read
    }

    fn read_rows(&mut self, base: &Relation, step: &Relation, budget: &Budget) -> Result<(), Incomplete> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        self.version += 1;
        if matches!(self.shape, ClosureShape::Undirected { .. }) {
            if is_symmetric(step, self.read.1, &mut poll)? && self.join_all(base, step, &mut poll)? {
                self.read = (base.len(), step.len());
                return Ok(());
            }
            self.shape = ClosureShape::Directed(Condensed::default());
        }
        self.read = (base.len(), step.len());
        self.condense(base, step, &mut poll)
    }

    /// Reads new rows of a symmetric step relation, and whether the base stays within the components.
    fn join_all(&mut self, base: &Relation, step: &Relation, poll: &mut Poll) -> Result<bool, Stopped> {
        let mut pairs = Vec::new();
        for row in base.rows_from(self.read.0) {
            poll.step()?;
            let (source, target) = self.ends(row);
            self.note_source(source);
            pairs.push((source, target));
        }
        for row in step.rows_from(self.read.1) {
            poll.step()?;
            let (from, to) = self.ends(row);
            self.join(from, to);
        }
        let ClosureShape::Undirected { components, .. } = &self.shape else { return Ok(false) };
        Ok(pairs.into_iter().all(|(source, target)| components.equiv(source, target)))
    }

    fn note_source(&mut self, source: u32) {
        if !std::mem::replace(&mut self.is_source[source as usize], true) {
            self.sources.push(source);
        }
    }

    /// Joins the components of two nodes, the smaller member list into the larger.
    fn join(&mut self, from: u32, to: u32) {
        let ClosureShape::Undirected { components, members } = &mut self.shape else { return };
        let a = components.find_mut(from);
        let b = components.find_mut(to);
        if components.union(a, b) {
            let (mut large, mut small) =
                (std::mem::take(&mut members[a as usize]), std::mem::take(&mut members[b as usize]));
            if large.len() < small.len() {
                std::mem::swap(&mut large, &mut small);
            }
            large.append(&mut small);
            members[components.find_mut(a) as usize] = large;
        }
    }

    /// Recomputes the components and the components that they reach, for relations that are not symmetric.
    fn condense(&mut self, base: &Relation, step: &Relation, poll: &mut Poll) -> Result<(), Incomplete> {
        let mut pairs = Vec::with_capacity(base.live());
        for row in base.rows() {
            poll.step()?;
            let (source, target) = self.ends(row);
            self.note_source(source);
            pairs.push((source, target));
        }
        let mut steps = Vec::with_capacity(step.live());
        for row in step.rows() {
            poll.step()?;
            steps.push(self.ends(row));
        }
        let count = self.nodes.len();
        let sources = self.sources.len();
        // Finding all components costs several times as much.
        if is_too_large(components::at_least(count, &steps, |found| is_too_large(found, sources)), sources) {
            return Err(Incomplete::TooLarge);
        }
        poll.step()?;
        let graph = components::graph(count, &steps);
        // Components are in reverse topological order: each comes after those that it reaches.
        let components = kosaraju_scc(&graph);
        if is_too_large(components.len(), sources) {
            return Err(Incomplete::TooLarge);
        }
        let words = components.len().div_ceil(WORD);
        let mut component = vec![0; count];
        for (number, nodes) in components.iter().enumerate() {
            nodes.iter().for_each(|node| component[node.index()] = number as u32);
        }
        let mut reach = vec![0u64; components.len() * words];
        for (number, nodes) in components.iter().enumerate() {
            let (done, current) = reach.split_at_mut(number * words);
            current[number / WORD] |= 1 << (number % WORD);
            let mut seen = FxHashSet::default();
            for next in nodes.iter().flat_map(|&node| graph.neighbors(node)).map(|n| component[n.index()] as usize) {
                poll.step()?;
                if next != number && seen.insert(next) {
                    merge(&mut current[..words], &done[next * words..(next + 1) * words]);
                }
            }
        }
        let mut place = vec![u32::MAX; count];
        self.sources.iter().enumerate().for_each(|(at, &source)| place[source as usize] = at as u32);
        let mut reached = vec![0u64; sources * words];
        for (source, target) in pairs {
            poll.step()?;
            let at = place[source as usize] as usize * words;
            let from = component[target as usize] as usize * words;
            merge(&mut reached[at..at + words], &reach[from..from + words]);
        }
        let members =
            components.into_iter().map(|nodes| nodes.into_iter().map(|node| node.index() as u32).collect()).collect();
        let reaching = OnceLock::new();
        self.shape = ClosureShape::Directed(Condensed { component, members, reached, words, place, reaching });
        Ok(())
    }

    /// Counts the pairs without enumerating them.
    pub fn pairs(&self) -> u64 {
        (0..self.sources.len()).map(|at| self.pairs_from(at)).sum()
    }

    /// Counts the pairs of the source at an index.
    fn pairs_from(&self, at: usize) -> u64 {
        match &self.shape {
            ClosureShape::Undirected { components, members, .. } => {
                members[components.find(self.sources[at]) as usize].len() as u64
            }
            ClosureShape::Directed(Condensed { members, reached, words, .. }) => {
                ones(&reached[at * words..(at + 1) * words], 0).map(|component| members[component].len() as u64).sum()
            }
        }
    }

    /// The node of a value in a context.
    fn find_node(&self, context: impl ExactSizeIterator<Item = Value>, value: Value) -> Option<u32> {
        let count = context.len();
        let row = context.chain([value]);
        // Most have few values, which need no allocation.
        let node = if count < FEW_VALUES {
            let mut key = [Value::default(); FEW_VALUES];
            key.iter_mut().zip(row).for_each(|(part, value)| *part = value);
            self.nodes.find(&key[..=count])
        } else {
            self.nodes.find(&row.collect::<Vec<Value>>())
        };
        node.map(|node| node as u32)
    }

    pub fn contains(&self, row: &[Value]) -> bool {
        let [context @ .., source, target] = row else { return false };
        let node = |value: &Value| self.find_node(context.iter().copied(), *value);
        match (node(source), node(target)) {
            (Some(source), Some(target)) => self.reaches(source, target),
            _ => false,
        }
    }

    fn reaches(&self, source: u32, target: u32) -> bool {
        self.is_source[source as usize]
            && match &self.shape {
                ClosureShape::Undirected { components, .. } => components.equiv(source, target),
                ClosureShape::Directed(Condensed { component, reached, words, place, .. }) => {
                    let at = place[source as usize] as usize * words;
                    let bit = component[target as usize] as usize;
                    reached[at + bit / 64] >> (bit % 64) & 1 == 1
                }
            }
    }

    /// Starts an enumeration of the rows that agree with `bound`, in the place of the one of `cursor`.
    pub fn begin(&self, bound: impl Iterator<Item = Option<Value>>, cursor: &mut Cursor) {
        let mut values = std::mem::take(&mut cursor.bound);
        values.clear();
        values.extend(bound);
        *cursor = Cursor { bound: values, sources: RemainingSources::All(0), ..Cursor::default() };
        let [ref context @ .., source, target] = cursor.bound[..] else { return };
        if context.contains(&None) {
            return;
        }
        let node = |value| self.find_node(context.iter().map(|value| value.unwrap_or_default()), value);
        if let Some(source) = source {
            cursor.sources = match node(source) {
                Some(source) if self.is_source[source as usize] => RemainingSources::One(source),
                _ => RemainingSources::None,
            };
        } else if let Some(target) = target {
            cursor.target = node(target);
            cursor.sources = match (cursor.target, &self.shape) {
                (None, _) => RemainingSources::None,
                (Some(target), ClosureShape::Undirected { components, .. }) => {
                    RemainingSources::Component(components.find(target), 0)
                }
                (Some(target), ClosureShape::Directed(Condensed { component, .. })) => {
                    RemainingSources::Reaching(component[target as usize], 0)
                }
            };
        }
    }

    /// Writes the next row of an enumeration into `row`; `false` at its end.
    pub fn next(&self, cursor: &mut Cursor, row: &mut Vec<Value>) -> bool {
        while let Some([source, target]) = self.next_pair(cursor) {
            row.clear();
            row.extend_from_slice(self.nodes.row(source as usize));
            row.push(self.value(target));
            if row.iter().zip(&cursor.bound).all(|(value, bound)| bound.is_none_or(|bound| bound == *value)) {
                return true;
            }
        }
        false
    }

    /// Copies the values of the next pairs at the end that is not bound, of an enumeration for which all else is. Their number is less than there
    /// is room for at the end only.
    pub fn read(&self, cursor: &mut Cursor, entries: &mut [KeyedRow]) -> usize {
        let mut count = 0;
        if let RemainingSources::Reaching(component, place) = &mut cursor.sources
            && let ClosureShape::Directed(condensed) = &self.shape
        {
            for (entry, source) in entries.iter_mut().zip(ones(condensed.reaching(*component as usize), *place)) {
                let node = self.sources[source];
                entry.value = self.value(node);
                cursor.source = Some(node);
                *place = source + 1;
                count += 1;
            }
            return count;
        }
        while count < entries.len()
            && let Some([source, target]) = self.next_pair(cursor)
        {
            entries[count].value = self.value(if cursor.target.is_some() { source } else { target });
            count += 1;
        }
        count
    }

    /// The value of a node, without its context.
    #[inline]
    fn value(&self, node: u32) -> Value {
        self.nodes.cells_from(0)[(node as usize + 1) * self.nodes.arity() - 1]
    }

    /// The next source and target of an enumeration.
    #[inline]
    fn next_pair(&self, cursor: &mut Cursor) -> Option<[u32; 2]> {
        loop {
            let source = cursor.source.or_else(|| self.next_source(cursor))?;
            let target = self.next_target(source, cursor);
            cursor.source = target.map(|_| source);
            if let Some(target) = target {
                return Some([source, target]);
            }
        }
    }

    fn next_source(&self, cursor: &mut Cursor) -> Option<u32> {
        (cursor.component, cursor.member) = (0, 0);
        match &mut cursor.sources {
            RemainingSources::None => None,
            RemainingSources::One(source) => {
                let source = *source;
                cursor.sources = RemainingSources::None;
                Some(source)
            }
            RemainingSources::All(place) => {
                *place += 1;
                self.sources.get(*place - 1).copied()
            }
            RemainingSources::Component(representative, place) => {
                let ClosureShape::Undirected { members, .. } = &self.shape else { return None };
                let rest = &members[*representative as usize][*place..];
                let skipped = rest.iter().position(|&node| self.is_source[node as usize])?;
                *place += skipped + 1;
                Some(rest[skipped])
            }
            RemainingSources::Reaching(component, place) => {
                let ClosureShape::Directed(condensed) = &self.shape else { return None };
                let source = next_one(condensed.reaching(*component as usize), *place)?;
                *place = source + 1;
                Some(self.sources[source])
            }
        }
    }

    fn next_target(&self, source: u32, cursor: &mut Cursor) -> Option<u32> {
        if let Some(target) = cursor.target {
            cursor.member += 1;
            let is_known = matches!(cursor.sources, RemainingSources::Component(..) | RemainingSources::Reaching(..));
            return (cursor.member == 1 && (is_known || self.reaches(source, target))).then_some(target);
        }
        match &self.shape {
            ClosureShape::Undirected { components, members, .. } => {
                cursor.member += 1;
                members[components.find(source) as usize].get(cursor.member - 1).copied()
            }
            ClosureShape::Directed(Condensed { members, reached, words, place, .. }) => {
                let at = place[source as usize] as usize * words;
                let set = &reached[at..at + words];
                loop {
                    let component = next_one(set, cursor.component)?;
                    if component != cursor.component {
                        (cursor.component, cursor.member) = (component, 0);
                    }
                    match members[component].get(cursor.member) {
                        Some(&target) => {
                            cursor.member += 1;
                            return Some(target);
                        }
                        None => (cursor.component, cursor.member) = (component + 1, 0),
                    }
                }
            }
        }
    }

    pub fn bytes(&self) -> usize {
        let lists = |members: &Vec<Vec<u32>>| members.iter().map(|list| list.capacity() * 4 + 24).sum::<usize>();
        let shape = match &self.shape {
            ClosureShape::Undirected { members, .. } => lists(members) + members.len() * 5,
            ClosureShape::Directed(Condensed { component, members, reached, place, reaching, .. }) => {
                let sets = reached.capacity() + reaching.get().map_or(0, Vec::capacity);
                lists(members) + (component.capacity() + place.capacity()) * 4 + sets * 8
            }
        };
        shape + self.nodes.bytes() + self.sources.capacity() * 4 + self.is_source.capacity()
    }
}

impl Condensed {
    /// The bit set of sources that reach a component.
    fn reaching(&self, component: usize) -> &[u64] {
        let sets = self.reaching.get_or_init(|| transposed(&self.reached, self.words));
        let words = sets.len() / (self.words * WORD);
        &sets[component * words..(component + 1) * words]
    }
}

impl HeldFacts for ClosureRelation {
    fn are_stored(&self) -> bool {
        false
    }

    fn values(&self) -> &[Value] {
        self.nodes.cells_from(0)
    }

    fn sample(&self, count: usize) -> Vec<Value> {
        let stride = (self.pairs() / count as u64).max(1);
        let mut pairs = 0;
        let mut sample = Vec::new();
        for (at, &source) in self.sources.iter().enumerate() {
            let before = pairs / stride;
            pairs += self.pairs_from(at);
            let first = self.nodes.row(source as usize)[0];
            sample.extend((before..pairs / stride).map(|_| first));
        }
        sample
    }

    fn copy_part(&self, range: &RankRange, to: &mut Tuples) {
        let mut row = Vec::new();
        let first = |source: u32| self.nodes.row(source as usize)[0];
        for &source in self.sources.iter().filter(|source| range.contains(first(**source))) {
            let bound = vec![None; self.nodes.arity() + 1];
            let mut cursor = Cursor { bound, sources: RemainingSources::One(source), ..Cursor::default() };
            while self.next(&mut cursor, &mut row) {
                to.push(&row);
            }
        }
    }
}

/// Whether the reverse of each row from the number `first` on is in the relation too.
fn is_symmetric(step: &Relation, first: usize, poll: &mut Poll) -> Result<bool, Stopped> {
    let mut reverse = Vec::with_capacity(step.arity());
    for row in step.rows_from(first) {
        poll.step()?;
        reverse.clear();
        reverse.extend_from_slice(row);
        reverse.swap(row.len() - 2, row.len() - 1);
        if !step.contains(&reverse) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the bit sets of this many components and sources exceed [`MOST_BITS`].
fn is_too_large(components: usize, sources: usize) -> bool {
    (components + sources).saturating_mul(components.div_ceil(WORD)) > MOST_BITS / WORD
}

fn merge(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
}

/// The positions of the ones of a bit set at or after `from`, ascending.
fn ones(set: &[u64], mut from: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::from_fn(move || {
        let one = next_one(set, from)?;
        from = one + 1;
        Some(one)
    })
}

/// The first one at or after `from`.
fn next_one(set: &[u64], from: usize) -> Option<usize> {
    let mut word = from / 64;
    let mut bits = set.get(word)? & (u64::MAX << (from % 64));
    while bits == 0 {
        word += 1;
        bits = *set.get(word)?;
    }
    Some(word * 64 + bits.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Pairs with a bound end are those of all pairs that have it; all pairs are known by search.
    #[test]
    fn pairs_are_found_by_either_end() {
        let value = |n: usize| Value::small_integer(n as i64).expect("it is small");
        // Chains with side branches, a cycle of three, and nodes 150 to 199 that nothing leads away from.
        let steps = (0..150).map(|n| (n, n + 1 + n % 50)).chain([(7, 3), (3, 5), (5, 7)]);
        let steps: BTreeSet<(usize, usize)> = steps.collect();
        let mut step = Relation::new(2);
        steps.iter().for_each(|&(from, to)| _ = step.insert(&[value(from), value(to)]));
        let mut reached = steps.clone();
        loop {
            let more = reached.iter().flat_map(|&(x, y)| steps.range((y, 0)..(y + 1, 0)).map(move |&(_, z)| (x, z)));
            let more: Vec<(usize, usize)> = more.filter(|pair| !reached.contains(pair)).collect();
            if more.is_empty() {
                break;
            }
            reached.extend(more);
        }
        let mut closure = ClosureRelation::new(2, 0);
        closure.update(&step, &step, &Budget::unlimited()).expect("nothing stops it");
        let found = |bound: [Option<usize>; 2]| -> BTreeSet<Vec<Value>> {
            let mut cursor = Cursor::default();
            closure.begin(bound.into_iter().map(|end| end.map(value)), &mut cursor);
            let mut row = Vec::new();
            std::iter::from_fn(|| closure.next(&mut cursor, &mut row).then(|| row.clone())).collect()
        };
        for node in 0..201 {
            let of = |has: &dyn Fn(&(usize, usize)) -> bool| -> BTreeSet<Vec<Value>> {
                reached.iter().filter(|pair| has(pair)).map(|&(x, y)| vec![value(x), value(y)]).collect()
            };
            assert_eq!(found([Some(node), None]), of(&|pair| pair.0 == node), "from {node}");
            assert_eq!(found([None, Some(node)]), of(&|pair| pair.1 == node), "to {node}");
        }
    }
}
