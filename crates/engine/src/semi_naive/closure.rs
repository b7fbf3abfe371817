//! Closures: `p = base ∘ step*`, represented in space proportional to the graph instead of the relation.
//!
//! ```text
//! p(C.., X.., Y) :- base(C.., X.., Y).
//! p(C.., X.., Z) :- p(C.., X.., Y) & step(C.., Y, Z).
//! ```
//!
//! A node is a value `Y` with the values of the context `C..`, a [source](sources) are the values `C.., X..`: a node as well, where `X` is one value.
//! Then, if `step` is symmetric (a property of the data, not of the
//! text) and `base` stays inside its components, `p(X, ·)` is the component of `X`: a union-find with member lists
//! takes near constant time per step row (Tarjan, *Efficiency of a good but not linear set union algorithm*, 1975) and
//! is maintained incrementally. Otherwise each source gets the [set](sets) of the strongly connected components of `step` that it
//! [reaches](condensed). Pairs are never stored, only enumerated on request.

mod condensed;
mod enumeration;
mod nodes;
mod progress;
mod sets;
mod sources;
mod transpose;

use super::relation::Relation;
use crate::contract::HeldFacts;
use crate::ranks::RankRange;
use crate::tuples::Tuples;
use crate::value::Value;
use condensed::{ClosureGraph, Condensed};
pub use enumeration::Cursor;
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use nodes::Nodes;
use petgraph::unionfind::UnionFind;
use sources::Sources;

/// The number of a closure in the engine.
pub type ClosureId = usize;

/// The closure of two relations.
pub struct ClosureRelation {
    /// The number of values that all steps share.
    context: usize,
    nodes: Nodes,
    sources: Sources,
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

/// Rows read, components reached, or bit sets joined, between two checks of the budget.
const POLL_EVERY: u32 = 4096;

/// Sources that are looked at for an estimate.
const SAMPLE: usize = 32;

impl ClosureRelation {
    /// The closure of an empty base and an empty step of these arities.
    pub fn new(base: usize, step: usize, version: u32) -> Self {
        let context = step - 2;
        let sources = Sources::new(context, base - context - 1);
        let shape = match sources {
            Sources::Nodes { .. } => ClosureShape::Undirected { components: UnionFind::new(0), members: Vec::new() },
            Sources::Rows(_) => ClosureShape::Directed(Box::default()),
        };
        Self { context, nodes: Nodes::new(step - 1), sources, key: Vec::new(), read: (0, 0), shape, version }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Estimates the pairs that match a source, or any, and a target, or any.
    pub fn fan_out(&self, has_source: bool, has_target: bool) -> f64 {
        let sources = self.sources.len();
        let sample = (0..sources as u32).step_by(sources.div_ceil(SAMPLE).max(1));
        let seen = sample.len().max(1) as f64;
        let targets = sample.map(|source| self.targets_of(source)).sum::<usize>() as f64 / seen;
        let of_source = if has_target { targets / self.nodes().max(1) as f64 } else { targets };
        if has_source { of_source } else { of_source * sources as f64 }
    }

    /// Counts the targets of a source, in time linear in their components.
    fn targets_of(&self, source: u32) -> usize {
        match &self.shape {
            ClosureShape::Undirected { .. } => self.pairs_from(source) as usize,
            ClosureShape::Directed(condensed) => condensed.sizes(source).map(|(_, nodes)| nodes).sum(),
        }
    }

    pub fn version(&self) -> u32 {
        self.version
    }

    /// The node of the value of a row in a column.
    fn node(&mut self, row: &[Value], column: usize) -> u32 {
        self.key.clear();
        self.key.extend_from_slice(&row[..self.context]);
        self.key.push(row[column]);
        if let Some(node) = self.nodes.find(&self.key) {
            return node;
        }
        let node = self.nodes.add(&self.key);
        if let ClosureShape::Undirected { components, members } = &mut self.shape {
            components.new_set();
            members.push(vec![node]);
        }
        node
    }

    /// The nodes at both ends of a step.
    fn ends(&mut self, row: &[Value]) -> (u32, u32) {
        (self.node(row, row.len() - 2), self.node(row, row.len() - 1))
    }

    /// The source of a base row, and the node that it starts from.
    fn start(&mut self, row: &[Value]) -> (u32, u32) {
        let last = row.len() - 1;
        let source = match &mut self.sources {
            Sources::Rows(sources) => sources.add(&row[..last]),
            Sources::Nodes { .. } => {
                let node = self.node(row, last - 1);
                self.sources.add_node(node)
            }
        };
        (source, self.node(row, last))
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
            *self = ClosureRelation::new(base.arity(), step.arity(), self.version);
        }
        read
    }

    fn read_rows(&mut self, base: &Relation, step: &Relation, budget: &Budget) -> Result<(), Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        self.version += 1;
        let first_end = if matches!(self.sources, Sources::Nodes { .. }) { self.context } else { base.arity() - 1 };
        let starts = base.rows_from(self.read.0).map(|row| &row[first_end..]);
        self.nodes.expect(starts.chain(step.rows_from(self.read.1).map(|row| &row[self.context..])));
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
        let pairs: Vec<(u32, u32)> = base.rows_from(bases).map(|row| self.start(row)).collect();
        let steps: Vec<(u32, u32)> = step.rows_from(steps).map(|row| self.ends(row)).collect();
        let graph = ClosureGraph { nodes: self.nodes.len(), sources: self.sources.len(), pairs: &pairs, steps: &steps };
        let ClosureShape::Directed(condensed) = &mut self.shape else { return Ok(false) };
        condensed.grow(&graph, poll)
    }

    /// Reads new rows of a symmetric step relation, and whether the base stays within the components.
    fn join_all(&mut self, base: &Relation, step: &Relation, poll: &mut Poll) -> Result<bool, Stopped> {
        let mut pairs = Vec::new();
        for row in base.rows_from(self.read.0) {
            poll.step()?;
            pairs.push(self.start(row));
        }
        for row in step.rows_from(self.read.1) {
            poll.step()?;
            let (from, to) = self.ends(row);
            self.join(from, to);
        }
        let ClosureShape::Undirected { components, .. } = &self.shape else { return Ok(false) };
        let is_joined = |(source, target)| self.sources.node(source).is_some_and(|node| components.equiv(node, target));
        Ok(pairs.into_iter().all(is_joined))
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
            pairs.push(self.start(row));
        }
        let mut steps = Vec::with_capacity(step.live());
        for row in step.rows() {
            poll.step()?;
            steps.push(self.ends(row));
        }
        let graph = ClosureGraph { nodes: self.nodes.len(), sources: self.sources.len(), pairs: &pairs, steps: &steps };
        self.shape = ClosureShape::Directed(Box::new(Condensed::of(&graph, poll)?));
        Ok(())
    }

    /// Counts the pairs without enumerating them.
    pub fn pairs(&self) -> u64 {
        (0..self.sources.len() as u32).map(|source| self.pairs_from(source)).sum()
    }

    /// Counts the pairs of a source.
    fn pairs_from(&self, source: u32) -> u64 {
        match &self.shape {
            ClosureShape::Undirected { components, members, .. } => {
                let node = self.sources.node(source);
                node.map_or(0, |node| members[components.find(node) as usize].len() as u64)
            }
            ClosureShape::Directed(condensed) => condensed.counts()[source as usize],
        }
    }

    /// The values of a source.
    #[inline]
    fn source_row(&self, source: u32) -> &[Value] {
        self.sources.row(source, &self.nodes)
    }

    pub fn bytes(&self) -> usize {
        let shape = match &self.shape {
            ClosureShape::Undirected { members, .. } => {
                members.iter().map(|list| list.capacity() * 4 + 24).sum::<usize>() + members.len() * 5
            }
            ClosureShape::Directed(condensed) => condensed.bytes(),
        };
        shape + self.nodes.bytes() + self.sources.bytes()
    }
}

impl HeldFacts for ClosureRelation {
    fn are_stored(&self) -> bool {
        false
    }

    fn values(&self) -> Vec<&[Value]> {
        vec![self.nodes.values(), self.sources.values()]
    }

    fn sample(&self, count: usize) -> Vec<Value> {
        let stride = (self.pairs() / count as u64).max(1);
        let mut pairs = 0;
        let mut sample = Vec::new();
        for source in 0..self.sources.len() as u32 {
            let before = pairs / stride;
            pairs += self.pairs_from(source);
            let first = self.source_row(source)[0];
            sample.extend((before..pairs / stride).map(|_| first));
        }
        sample
    }

    fn copy_part(&self, range: &RankRange, to: &mut Tuples) {
        let mut row = Vec::new();
        for source in 0..self.sources.len() as u32 {
            let values = self.source_row(source);
            if range.contains(values[0]) {
                let mut cursor = Cursor::of_source(source, values.len() + 1);
                while self.next(&mut cursor, &mut row) {
                    to.push(&row);
                }
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
        let mut closure = ClosureRelation::new(2, 2, 0);
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
        let mut closure = ClosureRelation::new(2, 2, 0);
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

    /// Rows of two anchors in two contexts that start from some nodes of a ring and of chains; they come in two updates. The first steps lead both
    /// ways, which is no component where several anchors stay. Each part of a row is bound or not.
    #[test]
    fn several_anchors_stay() {
        const NODES: usize = 400;
        let step =
            |n: usize| [n % 2, n, if n.is_multiple_of(40) { (n + 2) % NODES } else { n - n % 40 + (n + 2) % 40 }];
        let start = |n: usize| [n % 2, 1000 + n / 2 % 7, 2000 + n % 3, n * 13 % NODES / 2 * 2 + n % 2];
        let mut relations = [Relation::new(4), Relation::new(3)];
        let mut closure = ClosureRelation::new(4, 3, 0);
        let row = |of: &[usize]| -> Vec<Value> { of.iter().map(|&n| value(n)).collect() };
        for [starts, steps] in [[0..30, 0..NODES / 2], [30..60, NODES / 2..NODES]] {
            starts.for_each(|n| _ = relations[0].insert(&row(&start(n))));
            for [context, from, to] in steps.map(step) {
                relations[1].insert(&row(&[context, from, to]));
                if from < NODES / 4 {
                    relations[1].insert(&row(&[context, to, from]));
                }
            }
            let [base, step] = &relations;
            closure.update(base, step, &Budget::unlimited()).expect("nothing stops it");
            let mut all: BTreeSet<Vec<Value>> = base.rows().map(<[Value]>::to_vec).collect();
            let mut left: Vec<Vec<Value>> = all.iter().cloned().collect();
            while let Some(row) = left.pop() {
                for to in step.rows().filter(|step| step[..2] == [row[0], row[3]]).map(|step| step[2]) {
                    let next = [&row[..3], &[to]].concat();
                    if all.insert(next.clone()) {
                        left.push(next);
                    }
                }
            }
            assert_agrees(&closure, &all);
        }
    }

    /// Whatever of some rows is bound, those of a closure that agree are those of `all` that do.
    fn assert_agrees(closure: &ClosureRelation, all: &BTreeSet<Vec<Value>>) {
        assert_eq!(closure.pairs(), all.len() as u64);
        let mut cursor = Cursor::default();
        for of in all.iter().step_by(17) {
            for mask in 0..1 << of.len() {
                let bound = || of.iter().enumerate().map(|(i, value)| (mask >> i & 1 == 1).then_some(*value));
                closure.begin(bound(), &mut cursor);
                let mut row = Vec::new();
                let found = std::iter::from_fn(|| closure.next(&mut cursor, &mut row).then(|| row.clone()));
                let agrees = |row: &&Vec<Value>| row.iter().zip(bound()).all(|(v, b)| b.is_none_or(|b| b == *v));
                let expected: Vec<Vec<Value>> = all.iter().filter(agrees).cloned().collect();
                let mut found: Vec<Vec<Value>> = found.collect();
                found.sort();
                assert_eq!(found, expected, "bound: {mask:b}");
            }
            assert!(closure.contains(of));
            let another = [&of[..3], &[value(4000)]].concat();
            assert!(!closure.contains(&another));
        }
    }

    /// Ids that are near each other, and then one that is far away; rows come in three updates.
    #[test]
    fn nodes_are_found_by_ids_and_by_hash() {
        let mut steps = Relation::new(2);
        let mut closure = ClosureRelation::new(2, 2, 0);
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
