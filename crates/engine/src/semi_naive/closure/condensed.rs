//! Steps that are not symmetric: their strongly connected components, with those that each source reaches.
//!
//! A search from each source finds what it reaches in O(steps that it meets), as the rules would, without a set of pairs: numbers of 32 bits
//! are all that stays. Where sources reach much of the graph, bit sets are merged instead, in
//! O(components · steps / 64) (Purdom, *A transitive closure algorithm*, 1970).

use super::sets::{Lists, Sets, WORD};
use crate::semi_naive::components;
use ludolog_syntax::budget::{Poll, Stopped};
use petgraph::algo::kosaraju_scc;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// Bit sets of more words, 256 MiB, are made where lists would take as much memory.
const MANY_WORDS: usize = 1 << 25;

/// Bit sets of fewer words are not compared with lists: they stay in the cache.
const FEWEST_WORDS: usize = 1 << 12;

/// The words that are merged while a search makes a step.
const WORDS_PER_STEP: usize = 8;

/// The numbers of a list that take as much memory as a word.
const NUMBERS_PER_WORD: usize = 2;

/// A list of at most so many numbers is gone through, in a loop that runs in vectors.
const MOST_COMPARED: usize = 256;

/// Strongly connected components, with those that sources reach.
#[derive(Default)]
pub(super) struct Condensed {
    /// By node.
    component: Vec<u32>,
    /// The nodes of each component.
    members: Vec<Vec<u32>>,
    /// The components that each source reaches, by its place among the sources.
    reached: Sets,
    /// The place of each node that is a source.
    place: Vec<u32>,
    /// The sources that reach each component, by their places: `reached` transposed when it is first asked for.
    reaching: OnceLock<Sets>,
    counts: OnceLock<Vec<u64>>,
}

impl Condensed {
    /// The components of steps between so many nodes, and those that sources reach, each from its targets in the pairs.
    pub fn of(
        nodes: usize,
        sources: &[u32],
        pairs: &[(u32, u32)],
        steps: &[(u32, u32)],
        poll: &mut Poll,
    ) -> Result<Condensed, Stopped> {
        poll.step()?;
        // They are in reverse topological order: each comes after those that it reaches.
        let components = kosaraju_scc(&components::graph(nodes, steps));
        let mut component = vec![0; nodes];
        for (number, nodes) in components.iter().enumerate() {
            nodes.iter().for_each(|node| component[node.index()] = number as u32);
        }
        let members: Vec<Vec<u32>> =
            components.into_iter().map(|nodes| nodes.into_iter().map(|node| node.index() as u32).collect()).collect();
        let mut place = vec![u32::MAX; nodes];
        (0..).zip(sources).for_each(|(at, &source)| place[source as usize] = at);
        let between = steps.iter().map(|&(from, to)| (component[from as usize], component[to as usize]));
        let next = Lists::grouped(members.len(), between.filter(|(from, to)| from != to));
        let starts = pairs.iter().map(|&(source, target)| (place[source as usize], component[target as usize]));
        let starts = Lists::grouped(sources.len(), starts);
        let reached = reached(&starts, &next, poll)?;
        Ok(Condensed { component, members, reached, place, reaching: OnceLock::new(), counts: OnceLock::new() })
    }

    /// Whether sources have lists of what they reach.
    #[cfg(test)]
    pub fn has_lists(&self) -> bool {
        matches!(self.reached, Sets::Lists(_))
    }

    /// The number of the component of a node.
    pub fn component(&self, node: u32) -> u32 {
        self.component[node as usize]
    }

    /// Whether a source reaches a node.
    pub fn reaches(&self, source: u32, node: u32) -> bool {
        let place = self.place[source as usize];
        let component = self.component[node as usize] as usize;
        match &self.reached {
            Sets::Bits { bits, words } => {
                bits[place as usize * words + component / WORD] >> (component % WORD) & 1 == 1
            }
            Sets::Lists(lists) => {
                let components = lists.list(place as usize);
                if components.len() <= MOST_COMPARED {
                    return components.contains(&(component as u32));
                }
                // The components of a source are in the order of the search, the sources of a component in that of their places.
                match self.reaching() {
                    Sets::Lists(lists) => lists.list(component).binary_search(&place).is_ok(),
                    Sets::Bits { .. } => false,
                }
            }
        }
    }

    /// The nodes of the component at the first position from this one on among those that a source reaches, with that position.
    #[inline]
    pub fn targets(&self, source: u32, position: usize) -> Option<(usize, &[u32])> {
        let place = self.place[source as usize] as usize;
        let (position, component) = self.reached.next(place, position)?;
        Some((position, &self.members[component]))
    }

    /// The positions of the components that a source reaches, with their numbers of nodes.
    pub fn sizes(&self, source: u32) -> impl Iterator<Item = (usize, usize)> {
        let place = self.place[source as usize] as usize;
        self.reached.from(place, 0).map(|(position, component)| (position, self.members[component].len()))
    }

    /// The number of nodes that each source reaches, by its place.
    pub fn counts(&self) -> &[u64] {
        self.counts.get_or_init(|| {
            let sizes: Vec<u64> = self.members.iter().map(|nodes| nodes.len() as u64).collect();
            let mut counts = vec![0; self.reached.len()];
            for (place, count) in counts.iter_mut().enumerate() {
                self.reached.for_each(place, |component| *count += sizes[component]);
            }
            counts
        })
    }

    /// The places of the sources that reach a component, from a position on, each with its position.
    #[inline]
    pub fn sources_of(&self, component: u32, position: usize) -> impl Iterator<Item = (usize, usize)> {
        self.reaching().from(component as usize, position)
    }

    fn reaching(&self) -> &Sets {
        self.reaching.get_or_init(|| self.reached.transposed(self.members.len()))
    }

    pub fn bytes(&self) -> usize {
        let members = self.members.iter().map(|list| list.capacity() * 4 + 24).sum::<usize>();
        let sets = self.reached.bytes() + self.reaching.get().map_or(0, Sets::bytes);
        let counts = self.counts.get().map_or(0, Vec::capacity) * 8;
        members + (self.component.capacity() + self.place.capacity()) * 4 + sets + counts
    }
}

/// The components that each source reaches from where it starts.
fn reached(starts: &Lists, next: &Lists, poll: &mut Poll) -> Result<Sets, Stopped> {
    let components = next.ends.len();
    let words = components.div_ceil(WORD);
    let all_words = (components + starts.ends.len()).saturating_mul(words);
    let lists = match all_words {
        ..FEWEST_WORDS => None,
        FEWEST_WORDS..=MANY_WORDS => listed(starts, next, all_words / WORDS_PER_STEP, poll)?,
        _ => listed(starts, next, all_words.saturating_mul(NUMBERS_PER_WORD), poll)?,
    };
    match lists {
        Some(lists) => Ok(Sets::Lists(lists)),
        None => Ok(Sets::Bits { bits: merged(starts, next, words, poll)?, words }),
    }
}

/// The same as lists; `None` after more than so many steps.
fn listed(starts: &Lists, next: &Lists, most_steps: usize, poll: &mut Poll) -> Result<Option<Lists>, Stopped> {
    let mut reached = Lists::default();
    let mut steps = 0;
    // The last source that reached each component, counted from one.
    let mut last = vec![0u32; next.ends.len()];
    for source in 0..starts.ends.len() {
        let mark = source as u32 + 1;
        let mut searched = reached.numbers.len();
        let mut reach = |component: u32, numbers: &mut Vec<u32>| {
            if std::mem::replace(&mut last[component as usize], mark) != mark {
                numbers.push(component);
            }
        };
        starts.list(source).iter().for_each(|&component| reach(component, &mut reached.numbers));
        while let Some(&component) = reached.numbers.get(searched) {
            poll.step()?;
            searched += 1;
            let targets = next.list(component as usize);
            steps += 1 + targets.len();
            targets.iter().for_each(|&component| reach(component, &mut reached.numbers));
        }
        if steps > most_steps {
            return Ok(None);
        }
        reached.ends.push(reached.numbers.len());
    }
    Ok(Some(reached))
}

/// The same as bit sets of so many words.
fn merged(starts: &Lists, next: &Lists, words: usize, poll: &mut Poll) -> Result<Vec<u64>, Stopped> {
    let components = next.ends.len();
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
    let mut reached = vec![0u64; starts.ends.len() * words];
    for source in 0..starts.ends.len() {
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
