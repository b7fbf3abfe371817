//! Configurations among winning sets.
//!
//! The markers of a configuration that are in several of its winning sets, its *cores*, have to be found among the
//! common points of winning sets. A marker of a single winning set may be any further point of it; how many a winning
//! set needs is its *demand*. So an instance names cores and demands only, and one assignment of points serves many
//! instances.

use super::configuration::Configuration;
use crate::points::{Point, Points};
use ludolog_syntax::budget::{Poll, Stopped};
use rustc_hash::FxHashSet;

/// Winning sets of a position that have a matching set in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance<const N: usize = 1> {
    /// The winning sets, as numbers.
    pub groups: Vec<usize>,
    /// The markers that are in several of the winning sets.
    pub cores: Points<N>,
    /// The number of markers of its own that each winning set needs.
    pub demands: Vec<usize>,
}

impl<const N: usize> Instance<N> {
    /// The number of markers that a pairing of the winning sets would need more.
    pub fn reduction(&self) -> isize {
        2 * self.groups.len() as isize - self.cores.len() as isize - self.demands.iter().sum::<usize>() as isize
    }
}

/// The instances of a configuration among winning sets, each once, at most `most` of them. A winning set may have more
/// of the cores than the configuration says.
///
/// # Errors
///
/// The budget ends.
pub fn recognize<const N: usize>(
    configuration: &Configuration,
    sets: &[Points<N>],
    most: usize,
    poll: &mut Poll<'_>,
) -> Result<Vec<Instance<N>>, Stopped> {
    let count = |marker: Point| configuration.groups.iter().filter(|group| group.contains(&marker)).count();
    let is_core: Vec<bool> = (0..configuration.markers() as Point).map(|marker| count(marker) > 1).collect();
    let cores = |group: &Vec<Point>| group.iter().copied().filter(|&marker| is_core[marker as usize]).collect();
    let groups: Vec<Vec<Point>> = configuration.groups.iter().map(cores).collect();
    let own = |(group, cores): (&Vec<Point>, &Vec<Point>)| group.len() - cores.len();
    let demands: Vec<usize> = configuration.groups.iter().zip(&groups).map(own).collect();
    let mut embedding = Embedding {
        order: connected_order(&groups),
        groups,
        demands,
        sets,
        most,
        sets_of: vec![usize::MAX; configuration.groups.len()],
        points_of: vec![None; is_core.len()],
        cores: Points::EMPTY,
        seen: FxHashSet::default(),
        found: Vec::new(),
        poll,
    };
    if configuration.groups.len() <= sets.len() {
        embedding.group(0)?;
    }
    Ok(embedding.found)
}

/// The groups in an order in which each, but for the first, has as many markers as possible in common with those
/// before.
fn connected_order(groups: &[Vec<Point>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < groups.len() {
        let known = |marker: &&Point| order.iter().any(|&before| groups[before].contains(marker));
        let left = (0..groups.len()).filter(|group| !order.contains(group));
        order.extend(left.max_by_key(|&group| (groups[group].iter().filter(known).count(), std::cmp::Reverse(group))));
    }
    order
}

struct Embedding<'a, 'b, const N: usize> {
    order: Vec<usize>,
    /// The cores of each group of the configuration.
    groups: Vec<Vec<Point>>,
    demands: Vec<usize>,
    sets: &'a [Points<N>],
    most: usize,
    /// The winning set of each group.
    sets_of: Vec<usize>,
    /// The point of each core.
    points_of: Vec<Option<Point>>,
    cores: Points<N>,
    seen: FxHashSet<(Vec<(usize, usize)>, Points<N>)>,
    found: Vec<Instance<N>>,
    poll: &'a mut Poll<'b>,
}

impl<const N: usize> Embedding<'_, '_, N> {
    /// Chooses the winning set of the group at this place of the order.
    fn group(&mut self, at: usize) -> Result<(), Stopped> {
        self.poll.step()?;
        if self.found.len() >= self.most {
            return Ok(());
        }
        let Some(&group) = self.order.get(at) else {
            self.keep();
            return Ok(());
        };
        let placed: Points<N> = self.groups[group].iter().filter_map(|&core| self.points_of[core as usize]).collect();
        let further = self.groups[group].iter().filter(|&&core| self.points_of[core as usize].is_none());
        let places: Vec<Points<N>> = further.filter_map(|&core| Some(self.common(at, core)? - self.cores)).collect();
        for (set, &points) in self.sets.iter().enumerate() {
            let is_possible = placed.is_subset(points) && places.iter().all(|&place| place.meets(points));
            if is_possible && !self.sets_of.contains(&set) {
                self.sets_of[group] = set;
                if self.has_room(group) {
                    self.core(at, 0)?;
                }
                self.sets_of[group] = usize::MAX;
            }
        }
        Ok(())
    }

    /// Chooses the point of a core of that group, if it is in a group before.
    fn core(&mut self, at: usize, index: usize) -> Result<(), Stopped> {
        let group = self.order[at];
        let Some(&core) = self.groups[group].get(index) else { return self.group(at + 1) };
        let common = self.common(at, core).filter(|_| self.points_of[core as usize].is_none());
        let Some(common) = common else { return self.core(at, index + 1) };
        for point in ((common & self.sets[self.sets_of[group]]) - self.cores).iter() {
            self.points_of[core as usize] = Some(point);
            self.cores = self.cores.with(point);
            if self.order[..=at].iter().all(|&group| self.has_room(group)) {
                self.core(at, index + 1)?;
            }
            self.cores = self.cores.without(point);
            self.points_of[core as usize] = None;
        }
        Ok(())
    }

    /// The common points of the winning sets of the groups before that have this core; `None` if none has.
    fn common(&self, at: usize, core: Point) -> Option<Points<N>> {
        let before = self.order[..at].iter().filter(|&&before| self.groups[before].contains(&core));
        before.map(|&before| self.sets[self.sets_of[before]]).reduce(|common, set| common & set)
    }

    /// Whether the winning set of a group has as many points that are no cores as the group still needs: for its further
    /// cores, and for markers of its own.
    fn has_room(&self, group: usize) -> bool {
        let further = self.groups[group].iter().filter(|&&core| self.points_of[core as usize].is_none()).count();
        (self.sets[self.sets_of[group]] - self.cores).len() >= self.demands[group] + further
    }

    fn keep(&mut self) {
        let mut pairs: Vec<(usize, usize)> = self.sets_of.iter().copied().zip(self.demands.iter().copied()).collect();
        pairs.sort_unstable();
        if self.seen.insert((pairs, self.cores)) {
            let groups = self.sets_of.clone();
            let demands = self.demands.clone();
            self.found.push(Instance { groups, cores: self.cores, demands });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::PointBoard;
    use ludolog_syntax::budget::Budget;

    fn instances(name: &str, sets: &[Points]) -> Vec<Instance> {
        let library = Configuration::library();
        let configuration = library.iter().find(|configuration| configuration.name == name).unwrap();
        recognize(configuration, sets, 10_000, &mut Poll::new(&Budget::unlimited(), 100)).unwrap()
    }

    #[test]
    fn each_configuration_is_found_in_itself() {
        for configuration in Configuration::library() {
            let found = instances(&configuration.name, &configuration.sets());
            assert!(!found.is_empty(), "{configuration}");
            let expected = 2 * configuration.groups.len() as isize - configuration.markers() as isize;
            assert!(found.iter().all(|instance| instance.reduction() == expected), "{configuration}");
        }
    }

    /// On 4x4 a triangle is a row, a column and a diagonal, or a line and both diagonals, which meet nowhere else: on
    /// empty 4x4 diagonals have no common point. So of a row and a column that meet off a diagonal there are 12 for
    /// each diagonal. Each of the three sides may be the one without a marker of its own.
    #[test]
    fn triangles_of_4x4_are_as_many_as_counted_by_hand() {
        let sets = PointBoard::parse_mnk("4x4x4").unwrap().hypergraph().unwrap().as_bits().unwrap();
        assert_eq!(instances("Triangle", &sets).len(), 2 * 12 * 3);
    }

    #[test]
    fn nothing_is_found_where_there_is_too_little() {
        assert_eq!(instances("Triangle", &Configuration::cycle(4).sets()), []);
        assert_eq!(instances("FlatStar", &Configuration::cycle(3).sets()), []);
    }
}
