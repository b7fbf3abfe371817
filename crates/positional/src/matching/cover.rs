//! A matching for all winning sets of a position.
//!
//! Instances of matching sets are chosen that have neither winning sets nor cores in common; one assignment of points
//! then gives their winning sets the markers of their own and all other winning sets a pair
//! ([`pairing`](crate::pairing)). Winning sets that overlap, as lines of four in a row of five, may be covered together
//! by what they have in common, so this is tried with the common points in place of the sets, too.

use super::check::check;
use super::configuration::Configuration;
use super::discover::{Forms, discover};
use super::recognize::{Instance, recognize};
use super::strategy::{assign_bits, deficiency_bits, matching_set, pairs};
use super::{MatchingPart, MatchingSet};
use crate::hypergraph::Hypergraph;
use crate::maker_breaker::components;
use crate::pairing::hales_jewett;
use crate::periodic;
use crate::points::{MAX_MATCHED, MAX_POINTS, Point, Points, minimal};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::{Budget, Poll, Stopped};

/// The number of attempts with one family of sets.
#[derive(Clone, Copy, Debug)]
struct AttemptLimits {
    /// Most instances of a configuration.
    instances: usize,
    /// Most choices of instances.
    choices: usize,
    /// Most markers to be saved for each winning set. The best configuration of the paper saves 6 for 7.
    saved: f64,
}

/// For a question that is asked once.
const THOROUGH: AttemptLimits = AttemptLimits { instances: 20_000, choices: 3_000, saved: 1.0 };

/// For a question that is asked at each node of a search.
const QUICK: AttemptLimits = AttemptLimits { instances: 100, choices: 50, saved: 0.86 };

/// For games of more than [`MAX_POINTS`], whose winning sets are hundreds: each choice looks through all instances.
const LARGE: AttemptLimits = AttemptLimits { instances: 1_000, choices: 100, saved: 1.0 };

/// Steps of the search between two checks of the budget.
const POLL_EVERY: u32 = 256;

/// Sets that have at least so many points in common are covered together; the last of these tries covers none together.
const OVERLAPS: [usize; 4] = [usize::MAX, 4, 3, 2];

/// The target of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoverTarget {
    /// Pairs.
    Pairing,
    /// Pairs and the configurations of the [library](Configuration::library).
    Configurations,
    /// Pairs and matching sets of any form, up to seven winning sets.
    Search,
}

/// Finds matchings, and remembers what it needs for that.
pub struct Cover {
    library: Vec<Configuration>,
    limits: AttemptLimits,
    forms: Forms,
}

impl Default for Cover {
    fn default() -> Self {
        Cover::new(Configuration::library())
    }
}

/// As [`Cover::find`], once.
///
/// # Errors
///
/// The budget ends.
pub fn cover(sets: &[Points], effort: CoverTarget, budget: &Budget) -> Result<Option<Vec<MatchingPart>>, Stopped> {
    Cover::default().find(sets, effort, budget)
}

/// As [`cover`], for open winning sets of a game of any number of points. With more than [`MAX_MATCHED`], pairs alone are
/// looked for.
///
/// # Errors
///
/// The budget ends.
pub fn cover_game(
    game: &Hypergraph,
    open: &[Vec<Point>],
    effort: CoverTarget,
    budget: &Budget,
) -> Result<Option<Vec<MatchingPart>>, Stopped> {
    if game.len() > MAX_POINTS {
        let pairs = hales_jewett(open, budget)?;
        let parts = pairs.map(|pairs| pairs.into_iter().map(MatchingPart::Pair).collect());
        if let Some(parts) = parts.or_else(|| periodic::cover(game, open)) {
            return Ok(Some(parts));
        }
    }
    Cover::of_game(game.len()).find_lists(game.len(), open, effort, budget)
}

/// The sets as bits.
fn bits<const N: usize>(sets: &[Vec<Point>]) -> Vec<Points<N>> {
    sets.iter().map(|set| set.iter().copied().collect()).collect()
}

impl Cover {
    /// Looks for these configurations.
    pub fn new(library: Vec<Configuration>) -> Cover {
        Cover { library, limits: THOROUGH, forms: Forms::default() }
    }

    /// Tries what befits a game of so many points.
    pub fn of_game(points: usize) -> Cover {
        let limits = if points > MAX_POINTS { LARGE } else { THOROUGH };
        Cover { limits, ..Cover::default() }
    }

    /// Tries little, as befits a node of a search.
    pub fn quick() -> Cover {
        Cover { limits: QUICK, ..Cover::default() }
    }

    /// As [`Cover::find`], for winning sets in a game of this many points, in sets of the width that these need; `None` for more than
    /// [`MAX_MATCHED`].
    ///
    /// # Errors
    ///
    /// The budget ends.
    pub fn find_lists(
        &mut self,
        points: usize,
        sets: &[Vec<Point>],
        effort: CoverTarget,
        budget: &Budget,
    ) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        match points.div_ceil(MAX_POINTS) {
            0 | 1 => self.find(&bits::<1>(sets), effort, budget),
            2 => self.find(&bits::<2>(sets), effort, budget),
            3 | 4 => self.find(&bits::<4>(sets), effort, budget),
            _ if points <= MAX_MATCHED => self.find(&bits::<16>(sets), effort, budget),
            _ => Ok(None),
        }
    }

    /// A matching that covers these winning sets, or `None` if none is found. It is [checked](check).
    ///
    /// # Errors
    ///
    /// The budget ends.
    pub fn find<const N: usize>(
        &mut self,
        sets: &[Points<N>],
        effort: CoverTarget,
        budget: &Budget,
    ) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        let sets = minimal(sets);
        if sets.first().is_some_and(|set| set.len() < 2) {
            return Ok(None);
        }
        let (mut matching, rest) = peeled(&sets);
        for component in components(&rest) {
            match self.component(&component, effort, budget)? {
                Some(parts) => matching.extend(parts),
                None => return Ok(None),
            }
        }
        Ok(Some(matching))
    }

    /// A matching of sets that hang together.
    fn component<const N: usize>(
        &mut self,
        sets: &[Points<N>],
        effort: CoverTarget,
        budget: &Budget,
    ) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let lists: Vec<Vec<Point>> = sets.iter().map(|set| set.iter().collect()).collect();
        // Small games have few sets in a row, and find smaller matchings in the families below.
        if N > 1
            && let Some(matching) = pairs(&chained(sets, &mut poll)?)
            && check(&matching, &lists, |_| true).is_ok()
        {
            return Ok(Some(matching));
        }
        let mut families: Vec<Vec<Points<N>>> = Vec::new();
        for overlap in OVERLAPS {
            let family = joined(sets, overlap, &mut poll)?;
            if !families.contains(&family) {
                families.push(family);
            }
        }
        let efforts = [CoverTarget::Pairing, CoverTarget::Configurations, CoverTarget::Search];
        for effort in efforts.into_iter().filter(|&wanted| wanted <= effort) {
            for family in &families {
                let Some(matching) = self.family(family, effort, &mut poll)? else { continue };
                if check(&matching, &lists, |_| true).is_ok() {
                    return Ok(Some(matching));
                }
            }
        }
        Ok(None)
    }

    /// A matching of a family of sets.
    fn family<const N: usize>(
        &mut self,
        sets: &[Points<N>],
        effort: CoverTarget,
        poll: &mut Poll<'_>,
    ) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        if effort == CoverTarget::Pairing {
            return Ok(pairs(sets));
        }
        let missing = deficiency_bits(sets);
        if missing as f64 > self.limits.saved * sets.len() as f64 {
            return Ok(None);
        }
        let instances = match effort {
            CoverTarget::Search => discover(sets, self.limits.instances, &mut self.forms, poll)?,
            _ => {
                let mut all = Vec::new();
                for configuration in self.library.iter().filter(|known| known.groups.len() <= sets.len()) {
                    all.extend(recognize(configuration, sets, self.limits.instances, poll)?);
                }
                all
            }
        };
        let mut instances: Vec<(isize, Instance<N>)> =
            instances.into_iter().map(|instance| (instance.reduction(), instance)).collect();
        instances.cold_sort_by_key(|(reduction, instance)| (std::cmp::Reverse(*reduction), instance.groups.len()));
        let chosen = Vec::new();
        let left = self.limits.choices;
        let mut choice = InstanceChoice { sets, instances: &instances, chosen, left, poll };
        choice.search(0, vec![false; sets.len()], Points::EMPTY, missing as isize)
    }
}

/// Pairs for sets that have two points of their own, which cost nobody anything, and the other sets. A set that loses
/// its neighbors may come to have such points.
fn peeled<const N: usize>(sets: &[Points<N>]) -> (Vec<MatchingPart>, Vec<Points<N>>) {
    let mut pairs = Vec::new();
    let mut rest = sets.to_vec();
    loop {
        let mut once = Points::EMPTY;
        let mut twice = Points::EMPTY;
        for &set in &rest {
            twice = twice | (once & set);
            once = once | set;
        }
        let before = rest.len();
        rest.retain(|&set| {
            let mut own = (set - twice).iter();
            match (own.next(), own.next()) {
                (Some(a), Some(b)) => {
                    pairs.push(MatchingPart::Pair([a, b]));
                    false
                }
                _ => true,
            }
        });
        if rest.len() == before {
            return (pairs, rest);
        }
    }
}

/// The sets in the order of their points, each joined with those after it as long as two points are common to all of these, which then
/// stand for them. So lines along one row share pairs of neighbors, one after the other.
fn chained<const N: usize>(sets: &[Points<N>], poll: &mut Poll<'_>) -> Result<Vec<Points<N>>, Stopped> {
    let mut ordered = sets.to_vec();
    ordered.cold_sort_by_key(|set| set.iter().collect::<Vec<Point>>());
    let mut is_joined = vec![false; ordered.len()];
    let mut family = Vec::new();
    for (i, &set) in ordered.iter().enumerate() {
        poll.step()?;
        if is_joined[i] {
            continue;
        }
        let mut common = set;
        for (j, &other) in ordered.iter().enumerate().skip(i + 1) {
            if !is_joined[j] && (common & other).len() >= 2 {
                common = common & other;
                is_joined[j] = true;
            }
        }
        family.push(common);
    }
    Ok(minimal(&family))
}

/// The sets, with those replaced by their common points that have at least `overlap` of them.
fn joined<const N: usize>(sets: &[Points<N>], overlap: usize, poll: &mut Poll<'_>) -> Result<Vec<Points<N>>, Stopped> {
    let mut family = sets.to_vec();
    loop {
        let mut best: Option<(usize, usize, usize)> = None;
        for (i, &one) in family.iter().enumerate() {
            poll.step()?;
            for (j, &other) in family.iter().enumerate().skip(i + 1) {
                let common = (one & other).len();
                if common >= overlap && best.is_none_or(|(most, ..)| common > most) {
                    best = Some((common, i, j));
                }
            }
        }
        let Some((_, i, j)) = best else { return Ok(minimal(&family)) };
        let other = family.swap_remove(j);
        family[i] = family[i] & other;
    }
}

/// The choice of instances.
struct InstanceChoice<'a, 'b, const N: usize> {
    sets: &'a [Points<N>],
    /// With their reductions, the largest first.
    instances: &'a [(isize, Instance<N>)],
    chosen: Vec<usize>,
    left: usize,
    poll: &'a mut Poll<'b>,
}

impl<const N: usize> InstanceChoice<'_, '_, N> {
    /// Chooses among the instances from this one on; `missing` is how many markers have to be saved still.
    fn search(
        &mut self,
        from: usize,
        taken: Vec<bool>,
        cores: Points<N>,
        missing: isize,
    ) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        if missing <= 0
            && let Some(matching) = self.assign(&taken, cores)
        {
            return Ok(Some(matching));
        }
        for index in from..self.instances.len() {
            self.poll.step()?;
            let (reduction, instance) = &self.instances[index];
            // Later instances save no more than this one, and have at least three winning sets each.
            let room = taken.iter().filter(|&&is_taken| !is_taken).count() / 3;
            if self.left == 0 || reduction * (room as isize) < missing {
                return Ok(None);
            }
            if instance.cores.meets(cores) || instance.groups.iter().any(|&group| taken[group]) {
                continue;
            }
            self.left -= 1;
            let mut taken = taken.clone();
            instance.groups.iter().for_each(|&group| taken[group] = true);
            self.chosen.push(index);
            let found = self.search(index + 1, taken, cores | instance.cores, missing - reduction)?;
            self.chosen.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Markers for all sets, given the chosen instances.
    fn assign(&self, taken: &[bool], cores: Points<N>) -> Option<Vec<MatchingPart>> {
        let mut demands: Vec<usize> = taken.iter().map(|&is_taken| if is_taken { 0 } else { 2 }).collect();
        for &index in &self.chosen {
            let instance = &self.instances[index].1;
            instance.groups.iter().zip(&instance.demands).for_each(|(&group, &demand)| demands[group] = demand);
        }
        let free: Vec<Points<N>> = self.sets.iter().map(|&set| set - cores).collect();
        let own = assign_bits(&free, &demands)?;
        let mut matching = Vec::new();
        for &index in &self.chosen {
            let instance = &self.instances[index].1;
            let own = instance.groups.iter().flat_map(|&group| own[group].iter().copied());
            let markers = instance.cores | own.collect();
            let sets: Vec<Points<N>> = instance.groups.iter().map(|&group| self.sets[group] & markers).collect();
            matching.push(matching_set(&sets)?);
        }
        let pairs = own.iter().zip(taken).filter(|&(_, &is_taken)| !is_taken);
        matching.extend(pairs.map(|(pair, _)| MatchingPart::Pair([pair[0], pair[1]])));
        Some(matching)
    }
}

impl MatchingSet {
    /// The markers as bits.
    pub fn points(&self) -> Points {
        self.coverings.iter().map(|covering| covering.marker).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::PointBoard;

    /// Each line of three in a row on one row holds one of the pairs of neighbors 1 2, 3 4, …; the rest are lengths at which sets take
    /// further words.
    #[test]
    fn lines_along_a_long_row_share_pairs_of_neighbors() {
        for length in [129, 130, 256, 257, 270, 280, 300, 513, 600, 1000] {
            let game = PointBoard::parse_mnk(&format!("{length}x1x3")).unwrap().hypergraph().unwrap();
            let found = cover_game(&game, game.sets(), CoverTarget::Configurations, &Budget::unlimited()).unwrap();
            let parts = found.unwrap_or_else(|| panic!("no pairs on {length} points"));
            let mut partner = vec![None; length];
            for part in &parts {
                let MatchingPart::Pair([a, b]) = *part else { panic!("{part:?} is no pair") };
                for [one, other] in [[a, b], [b, a]] {
                    assert_eq!(partner[one as usize].replace(other), None, "{one} is in two pairs");
                }
            }
            let is_held = |x: u32| {
                (x..x + 3).any(|point| partner[point as usize].is_some_and(|other| (x..x + 3).contains(&other)))
            };
            assert!((0..length as u32 - 2).all(is_held), "{length}");
        }
    }
}
