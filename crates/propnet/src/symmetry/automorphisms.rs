//! Automorphisms of a graph with colors, by individualization and refinement.

use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::content::mix;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most colors that a search keeps, of all vertices after all steps: half a gigabyte.
const MAX_COLORS: usize = 1 << 26;

/// Mixed into the color that a vertex has for its own.
const OWN: u64 = u64::MAX;

/// A graph with colors of vertices and edges.
pub struct ColoredGraph {
    colors: Vec<u64>,
    /// By vertex: where its edges begin in `edges`.
    starts: Vec<u32>,
    /// The edges in both directions: kind and neighbor, sorted by vertex.
    edges: Vec<(u8, u32)>,
    /// The vertices whose images matter.
    acting: Vec<u32>,
    /// The number of vertices that were given a color of their own.
    fixed: u64,
}

impl ColoredGraph {
    /// A graph of edges from one vertex to another, each of some kind.
    pub fn new(colors: Vec<u64>, edges: &[(u32, u8, u32)], acting: Vec<u32>) -> ColoredGraph {
        let mut directed: Vec<(u32, (u8, u32))> = Vec::with_capacity(2 * edges.len());
        for &(from, kind, to) in edges {
            directed.push((from, (2 * kind, to)));
            directed.push((to, (2 * kind + 1, from)));
        }
        directed.sort_unstable();
        let start = |vertex: usize| directed.partition_point(|&(from, _)| (from as usize) < vertex) as u32;
        let starts = (0..=colors.len()).map(start).collect();
        let edges = directed.into_iter().map(|(_, edge)| edge).collect();
        ColoredGraph { colors, starts, edges, acting, fixed: 0 }
    }

    fn neighbors(&self, vertex: usize) -> &[(u8, u32)] {
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Refines colors by those of neighbors, this many times, or as long as that makes more of them. Returns how often.
    fn refine(&self, colors: &mut Vec<u64>, rounds: Option<usize>) -> usize {
        let mut count = distinct(colors);
        for round in 0.. {
            if rounds == Some(round) {
                return round;
            }
            let sum = |vertex: usize| {
                let neighbors = self.neighbors(vertex).iter();
                neighbors
                    .fold(0u64, |sum, &(kind, other)| sum.wrapping_add(mix(colors[other as usize], u64::from(kind))))
            };
            *colors = (0..colors.len()).map(|vertex| mix(colors[vertex], sum(vertex))).collect();
            let now = distinct(colors);
            if rounds.is_none() && now == count {
                return round + 1;
            }
            count = now;
        }
        unreachable!("the number of colors has an end")
    }

    /// Gives a color of its own to the first vertex that matters and has none.
    pub fn fix_one(&mut self) {
        let mut colors = self.colors.clone();
        self.refine(&mut colors, None);
        if let Some(vertex) = ambiguous(&colors, &self.acting) {
            self.fixed += 1;
            self.colors[vertex as usize] = mix(OWN, self.fixed);
        }
    }

    /// Whether a permutation of vertices keeps colors and edges.
    fn is_automorphism(&self, image: &[u32]) -> bool {
        (0..self.colors.len()).all(|vertex| {
            let there = image[vertex] as usize;
            let edges = self.neighbors(there);
            self.colors[vertex] == self.colors[there]
                && edges.len() == self.neighbors(vertex).len()
                && self
                    .neighbors(vertex)
                    .iter()
                    .all(|&(kind, other)| edges.binary_search(&(kind, image[other as usize])).is_ok())
        })
    }
}

fn distinct(colors: &[u64]) -> usize {
    colors.iter().collect::<FxHashSet<_>>().len()
}

/// The first of some vertices whose color another vertex has as well.
fn ambiguous(colors: &[u64], vertices: &[u32]) -> Option<u32> {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    colors.iter().for_each(|&color| *counts.entry(color).or_default() += 1);
    vertices.iter().copied().find(|&vertex| counts[&colors[vertex as usize]] > 1)
}

fn sorted(colors: &[u64]) -> Vec<u64> {
    let mut colors = colors.to_vec();
    colors.sort_unstable();
    colors
}

/// A vertex that gets a color of its own, and what comes of that.
struct Individualization {
    vertex: u32,
    rounds: usize,
    colors: Vec<u64>,
    sorted: Vec<u64>,
}

/// The images of the vertices that matter by each automorphism, once for each way to permute them; `None` if there are
/// more than `most`. Of a graph with too many vertices to tell apart, only the identity.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn automorphisms(graph: &ColoredGraph, most: usize, budget: &Budget) -> Result<Option<Vec<Vec<u32>>>, Stopped> {
    let Some(mut search) = AutomorphismSearch::new(graph, most, budget)? else {
        return Ok(Some(vec![graph.acting.clone()]));
    };
    let base = search.base.clone();
    search.extend(0, base)?;
    Ok((search.images.len() <= most).then_some(search.images))
}

/// The search for all automorphisms.
struct AutomorphismSearch<'g> {
    graph: &'g ColoredGraph,
    most: usize,
    budget: &'g Budget,
    /// The colors without any step.
    base: Vec<u64>,
    /// The steps after which each vertex has a color of its own.
    steps: Vec<Individualization>,
    /// The number of steps after which that is so for those that matter.
    acting: usize,
    /// By color after all steps: the vertex.
    last: FxHashMap<u64, u32>,
    /// Those of the vertices that matter.
    images: Vec<Vec<u32>>,
}

impl<'g> AutomorphismSearch<'g> {
    /// A search with its steps; `None` if they are too many.
    fn new(
        graph: &'g ColoredGraph,
        most: usize,
        budget: &'g Budget,
    ) -> Result<Option<AutomorphismSearch<'g>>, Stopped> {
        let mut base = graph.colors.clone();
        graph.refine(&mut base, None);
        let all: Vec<u32> = (0..base.len() as u32).collect();
        let (mut steps, mut acting): (Vec<Individualization>, usize) = (Vec::new(), 0);
        loop {
            budget.check()?;
            let colors = steps.last().map_or(&base, |step| &step.colors);
            let vertex = match ambiguous(colors, &graph.acting) {
                Some(vertex) => {
                    acting = steps.len() + 1;
                    vertex
                }
                None => match ambiguous(colors, &all) {
                    Some(vertex) => vertex,
                    None => break,
                },
            };
            if 2 * (steps.len() + 1) * colors.len() > MAX_COLORS {
                return Ok(None);
            }
            let mut colors = colors.clone();
            colors[vertex as usize] = mix(OWN, colors[vertex as usize]);
            let rounds = graph.refine(&mut colors, None);
            steps.push(Individualization { vertex, rounds, sorted: sorted(&colors), colors });
        }
        let colors = steps.last().map_or(&base, |step| &step.colors);
        let last = (0..).zip(colors).map(|(vertex, &color)| (color, vertex)).collect();
        Ok(Some(AutomorphismSearch { graph, most, budget, base, steps, acting, last, images: Vec::new() }))
    }

    /// Finds the images of the vertices of further steps. Whether there are any.
    fn extend(&mut self, depth: usize, colors: Vec<u64>) -> Result<bool, Stopped> {
        self.budget.check()?;
        let Some(step) = self.steps.get(depth) else {
            let mut image = vec![0; colors.len()];
            for (there, color) in (0..).zip(&colors) {
                let Some(&vertex) = self.last.get(color) else { return Ok(false) };
                image[vertex as usize] = there;
            }
            let is_found = self.graph.is_automorphism(&image);
            if is_found {
                self.images.push(self.graph.acting.iter().map(|&vertex| image[vertex as usize]).collect());
            }
            return Ok(is_found);
        };
        let before = depth.checked_sub(1).map_or(&self.base, |depth| &self.steps[depth].colors);
        let color = before[step.vertex as usize];
        let candidates: Vec<usize> = (0..colors.len()).filter(|&vertex| colors[vertex] == color).collect();
        let mut is_any = false;
        for vertex in candidates {
            let mut there = colors.clone();
            there[vertex] = mix(OWN, color);
            let step = &self.steps[depth];
            self.graph.refine(&mut there, Some(step.rounds));
            if sorted(&there) == step.sorted && self.extend(depth + 1, there)? {
                is_any = true;
                // One image of what does not matter is enough.
                if depth >= self.acting || self.images.len() > self.most {
                    return Ok(true);
                }
            }
        }
        Ok(is_any)
    }
}
