//! Steps that are not symmetric: components of nodes that reach each other, with those that each source reaches.
//!
//! A search from each source finds what it reaches in O(steps that it meets), as the rules would, without a set of pairs: numbers of 32 bits
//! are all that stays. Where searches take little, each node is a component of its own, since to find the strongly connected ones takes longer.
//! Where sources reach much of the graph, bit sets are merged instead, in
//! O(components · steps / 64) (Purdom, *A transitive closure algorithm*, 1970).

use super::sets::{Sets, WORD};
use crate::semi_naive::components;
use crate::semi_naive::lists::Lists;
use ludolog_syntax::budget::{Poll, Stopped};
use petgraph::algo::kosaraju_scc;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// Bit sets of more words, 256 MiB, are made where lists would take as much memory.
const MANY_WORDS: usize = 1 << 25;

/// Bit sets of fewer words are not compared with lists: they stay in the cache.
const FEWEST_WORDS: usize = 1 << 12;

/// The words that are merged while a search makes a step.
const WORDS_PER_STEP: usize = 8;

/// The numbers of a list that take as much memory as a word.
const NUMBERS_PER_WORD: usize = 2;

/// The steps of searches, for each node and each step, that take less than to find strongly connected components.
const STEPS_PER_EDGE: usize = 8;

/// More new rows are not taken in one by one.
const FEW_ROWS: usize = 64;

/// The part of the steps that may have come one by one.
const NEW_SHARE: usize = 8;

/// A list of at most so many numbers is gone through, in a loop that runs in vectors.
const MOST_COMPARED: usize = 256;

/// Components, with those that sources reach.
#[derive(Default)]
pub(super) struct Condensed {
    components: Components,
    /// The components that each source reaches.
    reached: Sets,
    /// The sources that reach each component: `reached` transposed when it is first asked for.
    reaching: OnceLock<Sets>,
    counts: OnceLock<Vec<u64>>,
    /// The steps between components, if sources have lists, which [grow](Self::grow) then.
    steps: Option<GrownSteps>,
}

/// Steps between components, and those that came after.
struct GrownSteps {
    next: Lists<u32>,
    added: FxHashMap<u32, Vec<u32>>,
    /// The number of those that came after.
    count: usize,
}

impl GrownSteps {
    fn targets(&self, component: u32) -> impl Iterator<Item = u32> {
        let added = self.added.get(&component).map_or(&[][..], |targets| targets);
        self.next.list(component as usize).iter().chain(added).copied()
    }
}

impl From<Lists<u32>> for GrownSteps {
    fn from(next: Lists<u32>) -> Self {
        Self { next, added: FxHashMap::default(), count: 0 }
    }
}

/// Nodes in components, those of which reach each other.
#[derive(Default)]
struct Components {
    of_node: Vec<u32>,
    members: Lists<u32>,
}

impl Components {
    /// Each node alone.
    fn single(nodes: usize) -> Components {
        let all: Vec<u32> = (0..nodes as u32).collect();
        Components { members: Lists { ends: (1..=nodes).collect(), items: all.clone() }, of_node: all }
    }

    /// The strongly connected components, each after those that it reaches.
    fn strong(nodes: usize, steps: &[(u32, u32)]) -> Components {
        let mut of_node = vec![0; nodes];
        let mut members: Lists<u32> = Lists::default();
        for (component, nodes) in (0..).zip(kosaraju_scc(&components::graph(nodes, steps))) {
            for node in nodes {
                of_node[node.index()] = component;
                members.items.push(node.index() as u32);
            }
            members.ends.push(members.items.len());
        }
        Components { of_node, members }
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    /// Adds nodes, each a component of its own, until there are so many.
    fn add_single(&mut self, nodes: usize) {
        for node in self.of_node.len()..nodes {
            self.of_node.push(self.len() as u32);
            self.members.items.push(node as u32);
            self.members.ends.push(self.members.items.len());
        }
    }

    /// By component, those that steps lead to.
    fn next(&self, steps: &[(u32, u32)]) -> Lists<u32> {
        let between = steps.iter().map(|&(from, to)| (self.of_node[from as usize] as usize, self.of_node[to as usize]));
        Lists::grouped(self.len(), between.filter(|&(from, to)| from != to as usize))
    }
}

/// What a closure is of: so many sources, their pairs with the nodes that they start from, and steps between so many nodes.
pub(super) struct ClosureGraph<'a> {
    pub nodes: usize,
    pub sources: usize,
    pub pairs: &'a [(u32, u32)],
    pub steps: &'a [(u32, u32)],
}

impl Condensed {
    /// What sources reach.
    pub fn of(graph: &ClosureGraph, poll: &mut Poll) -> Result<Condensed, Stopped> {
        poll.step()?;
        let &ClosureGraph { nodes, sources, pairs, steps } = graph;
        let starts = |components: &Components| {
            let starts = pairs.iter().map(|&(source, target)| (source as usize, components.of_node[target as usize]));
            Lists::grouped(sources, starts)
        };
        let mut found = None;
        if words_of_all(nodes, sources) >= FEWEST_WORDS {
            let single = Components::single(nodes);
            let next = single.next(steps);
            let mut limits = SearchLimits::before_bits(sources, &next);
            limits.steps = limits.steps.min(STEPS_PER_EDGE * (nodes + steps.len()));
            let lists = listed(&starts(&single), &next, limits, poll)?;
            found = lists.map(|lists| (single, Sets::Lists(lists.into()), Some(next.into())));
        }
        let (components, reached, steps) = match found {
            Some(found) => found,
            None => {
                let strong = Components::strong(nodes, steps);
                let next = strong.next(steps);
                let reached = sets(&starts(&strong), &next, poll)?;
                let steps = matches!(reached, Sets::Lists(_)).then(|| next.into());
                (strong, reached, steps)
            }
        };
        Ok(Condensed { components, reached, reaching: OnceLock::new(), counts: OnceLock::new(), steps })
    }

    /// Whether so many new rows may be [taken in](Self::grow).
    pub fn may_grow(&self, rows: usize) -> bool {
        self.steps.as_ref().is_some_and(|steps| {
            rows <= FEW_ROWS && steps.count + rows <= FEW_ROWS + steps.next.items.len() / NEW_SHARE
        })
    }

    /// Takes in what has come to the graph: `pairs` and `steps` are the new ones alone, nodes and sources count all of them. Only the lists of sources that
    /// reach what new steps lead from are searched on: O(lists + steps from what is reached anew). Components stay as they are, also where
    /// some reach each other now. `false`, and nothing is changed, where lists do not pay any more.
    pub fn grow(&mut self, graph: &ClosureGraph, poll: &mut Poll) -> Result<bool, Stopped> {
        let &ClosureGraph { nodes, sources, pairs, steps } = graph;
        let Sets::Lists(reached) = &mut self.reached else { return Ok(false) };
        let Some(known) = &mut self.steps else { return Ok(false) };
        let words = words_of_all(self.components.len(), sources);
        if reached.most_numbers() > words.saturating_mul(NUMBERS_PER_WORD) {
            return Ok(false);
        }
        self.components.add_single(nodes);
        known.next.ends.resize(self.components.len(), known.next.items.len());
        (reached.len()..sources).for_each(|_| reached.add_set());
        let component = |node: u32| self.components.of_node[node as usize];
        let steps: Vec<(u32, u32)> = steps.iter().map(|&(from, to)| (component(from), component(to))).collect();
        for &(from, to) in &steps {
            known.added.entry(from).or_default().push(to);
        }
        known.count += steps.len();
        let mut is_reached = vec![false; self.components.len()];
        for source in 0..sources {
            poll.step()?;
            let list = reached.list(source);
            let starts = pairs.iter().filter(|(from, _)| *from as usize == source).map(|&(_, to)| component(to));
            let on = steps.iter().filter(|(from, _)| list.contains(from)).map(|&(_, to)| to);
            let news: Vec<u32> = starts.chain(on).filter(|to| !list.contains(to)).collect();
            if !news.is_empty() {
                let grown = search_on(list.to_vec(), news, known, &mut is_reached, poll)?;
                reached.grow(source, grown);
            }
        }
        self.reaching = OnceLock::new();
        self.counts = OnceLock::new();
        Ok(true)
    }

    /// The number of components, if sources have lists of those that they reach.
    #[cfg(test)]
    pub fn listed_components(&self) -> Option<usize> {
        matches!(self.reached, Sets::Lists(_)).then(|| self.components.len())
    }

    /// The number of the component of a node.
    pub fn component(&self, node: u32) -> u32 {
        self.components.of_node[node as usize]
    }

    /// Whether a source reaches a node.
    pub fn reaches(&self, source: u32, node: u32) -> bool {
        let component = self.components.of_node[node as usize] as usize;
        match &self.reached {
            Sets::Bits { bits, words } => {
                bits[source as usize * words + component / WORD] >> (component % WORD) & 1 == 1
            }
            Sets::Lists(lists) => {
                let components = lists.list(source as usize);
                if components.len() <= MOST_COMPARED {
                    return components.contains(&(component as u32));
                }
                // The components of a source are in the order of the search, the sources of a component in that of their numbers.
                match self.reaching() {
                    Sets::Lists(lists) => lists.list(component).binary_search(&source).is_ok(),
                    Sets::Bits { .. } => false,
                }
            }
        }
    }

    /// The nodes of the component at the first position from this one on among those that a source reaches, with that position.
    #[inline]
    pub fn targets(&self, source: u32, position: usize) -> Option<(usize, &[u32])> {
        let (position, component) = self.reached.next(source as usize, position)?;
        Some((position, self.components.members.list(component)))
    }

    /// The nodes that are reached by any source, each once.
    pub fn reached_nodes(&self) -> Vec<u32> {
        let mut is_reached = vec![false; self.components.len()];
        for source in 0..self.reached.len() {
            self.reached.for_each(source, |component| is_reached[component] = true);
        }
        let components = (0..is_reached.len()).filter(|&component| is_reached[component]);
        components.flat_map(|component| self.components.members.list(component)).copied().collect()
    }

    /// The positions of the components that a source reaches, with their numbers of nodes.
    pub fn sizes(&self, source: u32) -> impl Iterator<Item = (usize, usize)> {
        let of_component = |(position, component)| (position, self.components.members.list(component).len());
        self.reached.from(source as usize, 0).map(of_component)
    }

    /// The number of nodes that each source reaches.
    pub fn counts(&self) -> &[u64] {
        self.counts.get_or_init(|| {
            let members = &self.components.members;
            if let Sets::Lists(lists) = &self.reached
                && members.items.len() == members.len()
            {
                return (0..lists.len()).map(|source| lists.list(source).len() as u64).collect();
            }
            let sizes: Vec<u64> =
                (0..self.components.len()).map(|component| members.list(component).len() as u64).collect();
            let mut counts = vec![0; self.reached.len()];
            for (source, count) in counts.iter_mut().enumerate() {
                self.reached.for_each(source, |component| *count += sizes[component]);
            }
            counts
        })
    }

    /// The sources that reach a component, from a position on, each behind its position.
    #[inline]
    pub fn sources_of(&self, component: u32, position: usize) -> impl Iterator<Item = (usize, usize)> {
        self.reaching().from(component as usize, position)
    }

    /// The most sources that may reach a component.
    pub fn most_sources_of(&self, component: u32) -> usize {
        self.reaching().listed(component as usize).unwrap_or(self.reached.len())
    }

    fn reaching(&self) -> &Sets {
        self.reaching.get_or_init(|| self.reached.transposed(self.components.len()))
    }

    pub fn bytes(&self) -> usize {
        let sets = self.reached.bytes() + self.reaching.get().map_or(0, Sets::bytes);
        let counts = self.counts.get().map_or(0, Vec::capacity) * 8;
        let steps = self.steps.as_ref().map_or(0, |steps| steps.next.bytes() + steps.count * 4);
        self.components.members.bytes() + self.components.of_node.capacity() * 4 + sets + counts + steps
    }
}

/// The words of bit sets of so many components, for each of them and for each source.
fn words_of_all(components: usize, sources: usize) -> usize {
    (components + sources).saturating_mul(components.div_ceil(WORD))
}

/// The limits of searches, beyond which bit sets are made.
#[derive(Clone, Copy)]
struct SearchLimits {
    /// The steps from component to component.
    steps: usize,
    /// The numbers that lists have.
    numbers: usize,
}

impl SearchLimits {
    /// Searches that take less time and memory than bit sets of all components and of so many sources.
    fn before_bits(sources: usize, next: &Lists<u32>) -> SearchLimits {
        let components = next.len();
        let words = words_of_all(components, sources);
        let merged = words.saturating_add(next.items.len().saturating_mul(components.div_ceil(WORD)));
        let numbers = words.saturating_mul(NUMBERS_PER_WORD);
        let steps = merged / WORDS_PER_STEP;
        SearchLimits { steps: if words > MANY_WORDS { steps.max(numbers) } else { steps }, numbers }
    }
}

/// The components that each source reaches from where it starts.
fn sets(starts: &Lists<u32>, next: &Lists<u32>, poll: &mut Poll) -> Result<Sets, Stopped> {
    let components = next.len();
    let sources = starts.len();
    if words_of_all(components, sources) >= FEWEST_WORDS
        && let Some(lists) = listed(starts, next, SearchLimits::before_bits(sources, next), poll)?
    {
        return Ok(Sets::Lists(lists.into()));
    }
    let words = components.div_ceil(WORD);
    Ok(Sets::Bits { bits: merged(starts, next, words, poll)?, words })
}

/// The same as lists; `None` beyond the limits.
fn listed(
    starts: &Lists<u32>,
    next: &Lists<u32>,
    limits: SearchLimits,
    poll: &mut Poll,
) -> Result<Option<Lists<u32>>, Stopped> {
    let mut reached: Lists<u32> = Lists::default();
    let mut steps = 0;
    // The last source that reached each component, counted from one.
    let mut last = vec![0u32; next.len()];
    for source in 0..starts.len() {
        let mark = source as u32 + 1;
        let mut searched = reached.items.len();
        let mut reach = |component: u32, numbers: &mut Vec<u32>| {
            if std::mem::replace(&mut last[component as usize], mark) != mark {
                numbers.push(component);
            }
        };
        starts.list(source).iter().for_each(|&component| reach(component, &mut reached.items));
        while let Some(&component) = reached.items.get(searched) {
            poll.step()?;
            searched += 1;
            let targets = next.list(component as usize);
            steps += 1 + targets.len();
            targets.iter().for_each(|&component| reach(component, &mut reached.items));
        }
        if steps > limits.steps || reached.items.len() > limits.numbers {
            return Ok(None);
        }
        reached.ends.push(reached.items.len());
    }
    Ok(Some(reached))
}

/// A list with what is reached from other components besides. Nothing is marked as reached before, and after.
fn search_on(
    mut list: Vec<u32>,
    news: Vec<u32>,
    steps: &GrownSteps,
    is_reached: &mut [bool],
    poll: &mut Poll,
) -> Result<Vec<u32>, Stopped> {
    list.iter().for_each(|&component| is_reached[component as usize] = true);
    let mut searched = list.len();
    let mut reach = |component: u32, list: &mut Vec<u32>| {
        if !std::mem::replace(&mut is_reached[component as usize], true) {
            list.push(component);
        }
    };
    news.into_iter().for_each(|component| reach(component, &mut list));
    while let Some(&component) = list.get(searched) {
        poll.step()?;
        searched += 1;
        steps.targets(component).for_each(|component| reach(component, &mut list));
    }
    list.iter().for_each(|&component| is_reached[component as usize] = false);
    Ok(list)
}

/// The same as bit sets of so many words.
fn merged(starts: &Lists<u32>, next: &Lists<u32>, words: usize, poll: &mut Poll) -> Result<Vec<u64>, Stopped> {
    let components = next.len();
    let mut reach = vec![0u64; components * words];
    for number in 0..components {
        let (done, current) = reach.split_at_mut(number * words);
        current[number / WORD] |= 1 << (number % WORD);
        let mut seen = FxHashSet::default();
        for &next in next.list(number) {
            poll.step()?;
            if seen.insert(next) {
                merge(&mut current[..words], &done[next as usize * words..(next as usize + 1) * words]);
            }
        }
    }
    let mut reached = vec![0u64; starts.len() * words];
    for source in 0..starts.len() {
        for &component in starts.list(source) {
            poll.step()?;
            let from = component as usize * words;
            merge(&mut reached[source * words..(source + 1) * words], &reach[from..from + words]);
        }
    }
    Ok(reached)
}

fn merge(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::budget::Budget;

    /// Each node leads to the next eight, so that a search takes long, and bit sets of all nodes, 1.1 MB that are merged along each step, take longer.
    #[test]
    fn few_sources_have_lists() {
        const NODES: u32 = 3000;
        let steps: Vec<(u32, u32)> =
            (0..NODES).flat_map(|node| (node + 1..(node + 9).min(NODES)).map(move |next| (node, next))).collect();
        let pairs = [(0, 0), (1, 1500), (2, 1)];
        let graph = ClosureGraph { nodes: NODES as usize, sources: 3, pairs: &pairs, steps: &steps };
        let budget = Budget::unlimited();
        let condensed = Condensed::of(&graph, &mut Poll::new(&budget, 1)).expect("nothing stops it");
        assert_eq!(condensed.counts(), [3000, 1500, 2999]);
        assert!(condensed.reaches(1, 1500) && !condensed.reaches(1, 1499) && condensed.reaches(0, 0));
        assert!(condensed.bytes() < 400_000, "{} bytes", condensed.bytes());
    }
}
