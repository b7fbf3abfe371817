//! Hales-Jewett pairings: points of their own for each winning set.
//!
//! If each winning set has two points of its own, Breaker answers the one with the other and so has a point of each set
//! (Hales and Jewett, *Regularity and positional games*, 1963). A pairing is a matching in the bipartite graph of sets,
//! each taken twice, and points; Hopcroft and Karp (*An n^{5/2} algorithm for maximum matchings in bipartite graphs*,
//! 1973) find a largest one in O(E √V).

use crate::points::Point;
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::FxHashMap;

/// No slot, no point.
const NONE: u32 = u32::MAX;

/// Edges that are looked at between two checks of the budget.
const POLL_EVERY: u32 = 1 << 14;

/// A pairing of these sets, a pair for each; `None` if there is none.
///
/// # Errors
///
/// The budget ends.
pub fn hales_jewett(sets: &[Vec<Point>], budget: &Budget) -> Result<Option<Vec<[Point; 2]>>, Stopped> {
    let pairs = assign(sets, &vec![2; sets.len()], budget)?;
    Ok(pairs.map(|pairs| pairs.into_iter().map(|pair| [pair[0], pair[1]]).collect()))
}

/// As many points of each set as it demands, no point for two sets; `None` if that is not possible.
///
/// # Errors
///
/// The budget ends.
pub fn assign(sets: &[Vec<Point>], demands: &[usize], budget: &Budget) -> Result<Option<Vec<Vec<Point>>>, Stopped> {
    let (mut matching, points) = Matching::new(sets, demands, budget);
    if points.len() < matching.point_of.len() || matching.complete()? > 0 {
        return Ok(None);
    }
    let mut assigned: Vec<Vec<Point>> = vec![Vec::new(); sets.len()];
    for (slot, &set) in matching.set_of_slot.iter().enumerate() {
        assigned[set as usize].push(points[matching.point_of[slot] as usize]);
    }
    Ok(Some(assigned))
}

/// The number of points missing for each set to have as many of its own as it demands.
///
/// # Errors
///
/// The budget ends.
pub fn deficiency(sets: &[Vec<Point>], demands: &[usize], budget: &Budget) -> Result<usize, Stopped> {
    Matching::new(sets, demands, budget).0.complete()
}

/// A matching of slots, which are sets taken as often as they demand points, with points.
struct Matching<'a> {
    /// The points of each set, numbered from 0.
    edges: Vec<Vec<u32>>,
    set_of_slot: Vec<u32>,
    point_of: Vec<u32>,
    slot_of: Vec<u32>,
    /// The length of the shortest alternating path from a free slot, by slot.
    levels: Vec<u32>,
    /// The next edge to try, by slot.
    next: Vec<usize>,
    poll: Poll<'a>,
}

impl<'a> Matching<'a> {
    /// The matching without pairs, and the points by number.
    fn new(sets: &[Vec<Point>], demands: &[usize], budget: &'a Budget) -> (Self, Vec<Point>) {
        let mut numbers: FxHashMap<Point, u32> = FxHashMap::default();
        let mut points: Vec<Point> = Vec::new();
        let mut number = |&point: &Point| {
            *numbers.entry(point).or_insert_with(|| {
                points.push(point);
                points.len() as u32 - 1
            })
        };
        let edges = sets.iter().map(|set| set.iter().map(&mut number).collect()).collect();
        let set_of_slot: Vec<u32> =
            demands.iter().enumerate().flat_map(|(set, &demand)| std::iter::repeat_n(set as u32, demand)).collect();
        let total = set_of_slot.len();
        let matching = Matching {
            edges,
            point_of: vec![NONE; total],
            slot_of: vec![NONE; points.len()],
            levels: vec![NONE; total],
            next: vec![0; total],
            set_of_slot,
            poll: Poll::new(budget, POLL_EVERY),
        };
        (matching, points)
    }

    /// Matches as many slots as possible, and counts the others.
    fn complete(&mut self) -> Result<usize, Stopped> {
        // Most slots are matched at first sight.
        for slot in 0..self.point_of.len() {
            let edges = &self.edges[self.set_of_slot[slot] as usize];
            if let Some(&point) = edges.iter().find(|&&point| self.slot_of[point as usize] == NONE) {
                (self.point_of[slot], self.slot_of[point as usize]) = (point, slot as u32);
            }
        }
        loop {
            let free: Vec<u32> =
                (0..self.point_of.len() as u32).filter(|&slot| self.point_of[slot as usize] == NONE).collect();
            if free.is_empty() || !self.layer(&free)? {
                return Ok(free.len());
            }
            self.next.fill(0);
            for slot in free {
                self.augment(slot)?;
            }
        }
    }

    /// Sets the levels; `false` if no free point can be reached.
    fn layer(&mut self, free: &[u32]) -> Result<bool, Stopped> {
        self.levels.fill(NONE);
        free.iter().for_each(|&slot| self.levels[slot as usize] = 0);
        let mut layer = free.to_vec();
        let mut level = 0;
        let mut found = false;
        while !layer.is_empty() && !found {
            level += 1;
            let mut deeper = Vec::new();
            for slot in layer {
                for &point in &self.edges[self.set_of_slot[slot as usize] as usize] {
                    self.poll.step()?;
                    match self.slot_of[point as usize] {
                        NONE => found = true,
                        other if self.levels[other as usize] == NONE => {
                            self.levels[other as usize] = level;
                            deeper.push(other);
                        }
                        _ => {}
                    }
                }
            }
            layer = deeper;
        }
        Ok(found)
    }

    /// Matches a free slot along a shortest alternating path, if there is still one. The path is kept as a list, since
    /// it may be as long as there are sets.
    fn augment(&mut self, start: u32) -> Result<(), Stopped> {
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut slot = start;
        loop {
            let edges = &self.edges[self.set_of_slot[slot as usize] as usize];
            match edges.get(self.next[slot as usize]).copied() {
                Some(point) => {
                    self.poll.step()?;
                    self.next[slot as usize] += 1;
                    match self.slot_of[point as usize] {
                        NONE => {
                            path.push((slot, point));
                            for (slot, point) in path {
                                (self.point_of[slot as usize], self.slot_of[point as usize]) = (point, slot);
                            }
                            return Ok(());
                        }
                        other if self.levels[other as usize] == self.levels[slot as usize] + 1 => {
                            path.push((slot, point));
                            slot = other;
                        }
                        _ => {}
                    }
                }
                None => match path.pop() {
                    Some((before, _)) => slot = before,
                    None => return Ok(()),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::PointBoard;
    use proptest::prelude::*;

    /// Whether there are pairs, tried one set after the other.
    fn brute(sets: &[Vec<Point>], used: u32) -> bool {
        let Some((first, rest)) = sets.split_first() else { return true };
        let free: Vec<Point> = first.iter().copied().filter(|point| used >> point & 1 == 0).collect();
        free.iter().enumerate().any(|(i, a)| free[i + 1..].iter().any(|b| brute(rest, used | 1 << a | 1 << b)))
    }

    proptest! {
        #[test]
        fn a_pairing_is_found_if_there_is_one(sets in prop::collection::vec(prop::collection::btree_set(0u32..10, 1..5), 0..6)) {
            let sets: Vec<Vec<Point>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let found = hales_jewett(&sets, &Budget::unlimited()).unwrap();
            prop_assert_eq!(found.is_some(), brute(&sets, 0));
            let mut points: Vec<Point> = Vec::new();
            for (set, pair) in sets.iter().zip(found.into_iter().flatten()) {
                prop_assert!(pair.iter().all(|point| set.contains(point)));
                points.extend(pair);
            }
            let count = points.len();
            points.sort_unstable();
            points.dedup();
            prop_assert_eq!(points.len(), count);
        }
    }

    #[test]
    fn five_in_a_row_on_5x5_has_a_pairing_and_four_in_a_row_on_4x4_has_none() {
        let pairing = |text| {
            let game = PointBoard::parse_mnk(text).unwrap().hypergraph().unwrap();
            hales_jewett(game.sets(), &Budget::unlimited()).unwrap().map(|pairs| pairs.len())
        };
        assert_eq!((pairing("5x5x5"), pairing("4x4x4")), (Some(12), None));
    }

    #[test]
    fn a_chain_of_many_sets_is_paired_without_deep_recursion() {
        // Each set shares a point with the next; the last one is short of points, so that all have to move up.
        let count: Point = 200_000;
        let mut sets: Vec<Vec<Point>> = (0..count).map(|i| vec![2 * i, 2 * i + 1, 2 * i + 2]).collect();
        sets.push(vec![2 * count, 0]);
        assert_eq!(hales_jewett(&sets, &Budget::unlimited()), Ok(None));
        sets.pop();
        assert!(hales_jewett(&sets, &Budget::unlimited()).unwrap().is_some());
    }
}
