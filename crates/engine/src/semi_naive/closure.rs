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
//! is maintained incrementally. Otherwise each source gets the [set](sets) of the strongly connected components of `step` that it
//! [reaches](condensed). Pairs are never stored, only enumerated on request.

mod condensed;
mod nodes;
mod progress;
mod sets;
mod transpose;

use super::index::KeyedRow;
use super::relation::Relation;
use crate::contract::HeldFacts;
use crate::ranks::RankRange;
use crate::tuples::Tuples;
use crate::value::Value;
use condensed::{ClosureGraph, Condensed};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use nodes::Nodes;
use petgraph::unionfind::UnionFind;

/// The number of a closure in the engine.
pub type ClosureId = usize;

/// A node whose context has fewer values is looked up without an allocation.
const FEW_VALUES: usize = 8;

/// The closure of two relations.
pub struct ClosureRelation {
    nodes: Nodes,
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
    Directed(Box<Condensed>),
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
    /// The position of the component of the current target among those that the source reaches.
    position: usize,
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

/// Rows read, components reached, or bit sets joined, between two checks of the budget.
const POLL_EVERY: u32 = 4096;

impl ClosureRelation {
    /// The closure of empty relations of this arity.
    pub fn new(arity: usize, version: u32) -> Self {
        let nodes = Nodes::new(arity - 1);
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
            return node;
        }
        let node = self.nodes.add(&self.key);
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

    /// Whether an [update](Self::update) looks up many reverses of step rows, since that of the first new one is there. Takes a look-up, or a scan
    /// where the relation has no set of its rows.
    pub fn may_be_symmetric(&self, step: &Relation) -> bool {
        let mut reverse = Vec::new();
        matches!(self.shape, ClosureShape::Undirected { .. })
            && step.rows_from(self.read.1).next().is_some_and(|row| {
                reverse_into(row, &mut reverse);
                step.contains(&reverse)
            })
    }

    /// Reads the new rows of its relations, which must only have grown since the last call.
    pub fn update(&mut self, base: &Relation, step: &Relation, budget: &Budget) -> Result<(), Stopped> {
        if self.read == (base.len(), step.len()) {
            return Ok(());
        }
        let read = self.read_rows(base, step, budget);
        if read.is_err() {
            *self = ClosureRelation::new(base.arity(), self.version);
        }
        read
    }

    fn read_rows(&mut self, base: &Relation, step: &Relation, budget: &Budget) -> Result<(), Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        self.version += 1;
        self.nodes.expect(base.rows_from(self.read.0).chain(step.rows_from(self.read.1)));
        if matches!(self.shape, ClosureShape::Undirected { .. }) {
            if is_symmetric(step, self.read.1, &mut poll)? && self.join_all(base, step, &mut poll)? {
                self.read = (base.len(), step.len());
                return Ok(());
            }
            self.shape = ClosureShape::Directed(Box::default());
        }
        let are_grown = self.grow(base, step, &mut poll)?;
        self.read = (base.len(), step.len());
        if are_grown { Ok(()) } else { self.condense(base, step, &mut poll) }
    }

    /// Takes in new rows, if these are few and what sources reach can [grow](Condensed::grow).
    fn grow(&mut self, base: &Relation, step: &Relation, poll: &mut Poll) -> Result<bool, Stopped> {
        let (bases, steps) = self.read;
        let ClosureShape::Directed(condensed) = &self.shape else { return Ok(false) };
        if !condensed.may_grow(base.len() - bases + step.len() - steps) {
            return Ok(false);
        }
        let mut pairs = Vec::new();
        for row in base.rows_from(bases) {
            let (source, target) = self.ends(row);
            self.note_source(source);
            pairs.push((source, target));
        }
        let steps: Vec<(u32, u32)> = step.rows_from(steps).map(|row| self.ends(row)).collect();
        let graph = ClosureGraph { nodes: self.nodes.len(), sources: &self.sources, pairs: &pairs, steps: &steps };
        let ClosureShape::Directed(condensed) = &mut self.shape else { return Ok(false) };
        condensed.grow(&graph, poll)
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
    fn condense(&mut self, base: &Relation, step: &Relation, poll: &mut Poll) -> Result<(), Stopped> {
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
        let graph = ClosureGraph { nodes: self.nodes.len(), sources: &self.sources, pairs: &pairs, steps: &steps };
        self.shape = ClosureShape::Directed(Box::new(Condensed::of(&graph, poll)?));
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
            ClosureShape::Directed(condensed) => condensed.counts()[at],
        }
    }

    /// The node of a value in a context.
    fn find_node(&self, context: impl ExactSizeIterator<Item = Value>, value: Value) -> Option<u32> {
        let count = context.len();
        let row = context.chain([value]);
        // Most have few values, which need no allocation.
        if count < FEW_VALUES {
            let mut key = [Value::default(); FEW_VALUES];
            key.iter_mut().zip(row).for_each(|(part, value)| *part = value);
            self.nodes.find(&key[..=count])
        } else {
            self.nodes.find(&row.collect::<Vec<Value>>())
        }
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
                ClosureShape::Directed(condensed) => condensed.reaches(source, target),
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
                (Some(target), ClosureShape::Directed(condensed)) => {
                    RemainingSources::Reaching(condensed.component(target), 0)
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
            for (entry, (at, source)) in entries.iter_mut().zip(condensed.sources_of(*component, *place)) {
                let node = self.sources[source];
                entry.value = self.value(node);
                cursor.source = Some(node);
                *place = at + 1;
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
        self.nodes.values()[(node as usize + 1) * self.nodes.arity() - 1]
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
        (cursor.position, cursor.member) = (0, 0);
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
                let (at, source) = condensed.sources_of(*component, *place).next()?;
                *place = at + 1;
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
            ClosureShape::Directed(condensed) => loop {
                let (position, members) = condensed.targets(source, cursor.position)?;
                if position != cursor.position {
                    (cursor.position, cursor.member) = (position, 0);
                }
                match members.get(cursor.member) {
                    Some(&target) => {
                        cursor.member += 1;
                        return Some(target);
                    }
                    None => (cursor.position, cursor.member) = (position + 1, 0),
                }
            },
        }
    }

    pub fn bytes(&self) -> usize {
        let shape = match &self.shape {
            ClosureShape::Undirected { members, .. } => {
                members.iter().map(|list| list.capacity() * 4 + 24).sum::<usize>() + members.len() * 5
            }
            ClosureShape::Directed(condensed) => condensed.bytes(),
        };
        shape + self.nodes.bytes() + self.sources.capacity() * 4 + self.is_source.capacity()
    }
}

impl HeldFacts for ClosureRelation {
    fn are_stored(&self) -> bool {
        false
    }

    fn values(&self) -> &[Value] {
        self.nodes.values()
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
        reverse_into(row, &mut reverse);
        if !step.contains(&reverse) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes a row with its ends changed over.
fn reverse_into(row: &[Value], reverse: &mut Vec<Value>) {
    reverse.clear();
    reverse.extend_from_slice(row);
    reverse.swap(row.len() - 2, row.len() - 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn value(n: usize) -> Value {
        Value::small_integer(n as i64).expect("it is small")
    }

    /// What each node reaches by one step and more.
    fn reached(steps: &BTreeSet<(usize, usize)>) -> BTreeMap<usize, BTreeSet<usize>> {
        let next = |node: usize| steps.range((node, 0)..(node + 1, 0)).map(|&(_, to)| to);
        let from = |source: usize| {
            let mut found: BTreeSet<usize> = BTreeSet::new();
            let mut left: Vec<usize> = next(source).collect();
            while let Some(node) = left.pop() {
                if found.insert(node) {
                    left.extend(next(node));
                }
            }
            found
        };
        steps.iter().map(|&(source, _)| (source, from(source))).collect()
    }

    /// Pairs with a bound end are those of all pairs that have it; all pairs are known by search. Every so many nodes are asked for.
    /// Components are counted where they are listed.
    fn assert_pairs(steps: &BTreeSet<(usize, usize)>, nodes: usize, every: usize, listed: Option<usize>) {
        let mut step = Relation::new(2);
        steps.iter().for_each(|&(from, to)| _ = step.insert(&[value(from), value(to)]));
        let mut closure = ClosureRelation::new(2, 0);
        closure.update(&step, &step, &Budget::unlimited()).expect("nothing stops it");
        assert_eq!(listed_components(&closure), listed);
        assert_pairs_of(&closure, steps, nodes, every);
    }

    fn listed_components(closure: &ClosureRelation) -> Option<usize> {
        let ClosureShape::Directed(condensed) = &closure.shape else { panic!("some steps lead one way") };
        condensed.listed_components()
    }

    /// The same of a closure that is made.
    fn assert_pairs_of(closure: &ClosureRelation, steps: &BTreeSet<(usize, usize)>, nodes: usize, every: usize) {
        let reached = reached(steps);
        assert_eq!(closure.pairs(), reached.values().map(|found| found.len() as u64).sum::<u64>());
        let mut cursor = Cursor::default();
        let mut found = |bound: [Option<usize>; 2]| -> BTreeSet<Vec<Value>> {
            closure.begin(bound.into_iter().map(|end| end.map(value)), &mut cursor);
            let mut row = Vec::new();
            std::iter::from_fn(|| closure.next(&mut cursor, &mut row).then(|| row.clone())).collect()
        };
        let pair = |from: usize, to: usize| vec![value(from), value(to)];
        for node in (0..=nodes).step_by(every) {
            let targets = reached.get(&node).into_iter().flatten().map(|&to| pair(node, to));
            assert_eq!(found([Some(node), None]), targets.collect(), "from {node}");
            let sources = reached.iter().filter(|(_, found)| found.contains(&node)).map(|(&from, _)| pair(from, node));
            assert_eq!(found([None, Some(node)]), sources.collect(), "to {node}");
            for to in (0..=nodes).step_by(every) {
                let is_reached = reached.get(&node).is_some_and(|found| found.contains(&to));
                assert_eq!(closure.contains(&pair(node, to)), is_reached, "from {node} to {to}");
            }
        }
    }

    /// Chains with side branches, a cycle of three, and nodes 150 to 199 that nothing leads away from: bits are few.
    #[test]
    fn pairs_are_found_by_either_end() {
        let steps = (0..150).map(|n| (n, n + 1 + n % 50)).chain([(7, 3), (3, 5), (5, 7)]);
        assert_pairs(&steps.collect(), 200, 1, None);
    }

    /// One chain, whose end comes back to the node before, and many steps that lead on to nothing. Of a short chain each node is a component,
    /// of a longer one both at the end are one; its first nodes have long lists.
    #[test]
    fn sources_that_reach_few_nodes_have_lists() {
        for (length, components) in [(100, 101 + 2 * 3699), (350, 350 + 2 * 3699)] {
            let chain = (0..length).map(|n| (n, n + 1)).chain([(length, length - 1)]);
            let steps = chain.chain((301..4000).map(|n| (2 * n, 2 * n + 1)));
            assert_pairs(&steps.collect(), 8000, 37, Some(components));
        }
    }

    /// A chain of which each node reaches all that follow: searches from each of them are given up.
    #[test]
    fn sources_that_reach_many_nodes_have_bits() {
        let steps = (0..1500).map(|n| (n, n + 1)).collect();
        assert_pairs(&steps, 1500, 29, None);
    }

    /// Short chains, whose nodes are components of their own, and a long one besides, so that strongly connected components are found. Steps between them and to new
    /// nodes come one, two, … at a time, also in cycles, until most lists are written anew; nothing is found anew.
    #[test]
    fn lists_grow_with_new_steps() {
        let short = (0..8000).filter(|n| n % 8 != 7).map(|n| (n, n + 1));
        assert_lists_grow(short.clone().collect());
        assert_lists_grow(short.chain((10_000..10_500).map(|n| (n, n + 1))).chain([(10_500, 10_499)]).collect());
    }

    fn assert_lists_grow(mut steps: BTreeSet<(usize, usize)>) {
        let mut step = Relation::new(2);
        steps.iter().for_each(|&(from, to)| _ = step.insert(&[value(from), value(to)]));
        let mut closure = ClosureRelation::new(2, 0);
        closure.update(&step, &step, &Budget::unlimited()).expect("nothing stops it");
        let listed = listed_components(&closure).expect("lists are short");
        let mut nodes = BTreeSet::new();
        for round in 0..40 {
            for number in 0..round % 5 + 1 {
                let from = (round * 1157 + number * 331) % 8000;
                let to = if round % 7 == 3 { 8000 + round } else { (from * 7 + round * 20) % 8000 };
                // One that leads back, and one from a node that was no source.
                let more = [(from, to), (to, from - from % 8), (from - from % 8 + 7, to)];
                for pair in more.into_iter().take(1 + round % 3) {
                    nodes.extend([pair.0, pair.1]);
                    steps.insert(pair);
                    step.insert(&[value(pair.0), value(pair.1)]);
                }
            }
            closure.update(&step, &step, &Budget::unlimited()).expect("nothing stops it");
            assert_pairs_of(&closure, &steps, 8100, 611 + round);
        }
        let new = nodes.iter().filter(|node| **node >= 8000).count();
        assert_eq!(listed_components(&closure), Some(listed + new));
        assert_pairs_of(&closure, &steps, 8100, 37);
    }

    /// Ids that are near each other, and then one that is far away; rows come in three updates.
    #[test]
    fn nodes_are_found_by_ids_and_by_hash() {
        let mut steps = Relation::new(2);
        let mut closure = ClosureRelation::new(2, 0);
        let mut nodes = 0;
        for part in [[50, 60, 40], [39, 61, 62], [70, 1 << 20, 20]] {
            for next in part {
                steps.insert(&[value(45), value(next)]);
                nodes += 1;
            }
            closure.update(&steps, &steps, &Budget::unlimited()).expect("nothing stops it");
            assert_eq!((closure.nodes(), closure.pairs()), (nodes + 1, nodes as u64));
            assert!(part.iter().all(|&next| closure.contains(&[value(45), value(next)])));
            assert!(!closure.contains(&[value(50), value(45)]) && !closure.contains(&[value(45), value(2000)]));
        }
    }
}
