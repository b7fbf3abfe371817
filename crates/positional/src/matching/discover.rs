//! Matching sets of any form, by search: connected winning sets, and whether Breaker can cover them.
//!
//! Connected winning sets are enumerated up to a number. Their common points are cores; each may need points of its own
//! besides, none or one, since two would be a pair. Which needs are the least is decided by searching coverings, once for
//! each form: what forms are alike but for the names of their points is remembered.

use super::recognize::Instance;
use super::strategy::matching_set;
use crate::points::{Point, Points};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::{Poll, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most winning sets of an instance.
const MAX_GROUPS: usize = 7;

/// Most markers of an instance, which bounds the time to decide about one form.
const MAX_MARKERS: usize = 12;

/// The forms that were decided: the least needs of the winning sets.
#[derive(Default)]
pub struct Forms(FxHashMap<Vec<Points>, Vec<u32>>);

/// Instances of up to seven connected winning sets that save markers, smaller ones first, about `most` of them.
///
/// # Errors
///
/// The budget ends.
pub fn discover<const N: usize>(
    sets: &[Points<N>],
    most: usize,
    forms: &mut Forms,
    poll: &mut Poll<'_>,
) -> Result<Vec<Instance<N>>, Stopped> {
    let mut found = Vec::new();
    let mut layer: FxHashSet<Vec<usize>> = (0..sets.len()).map(|set| vec![set]).collect();
    for size in 2..=MAX_GROUPS {
        let mut larger: FxHashSet<Vec<usize>> = FxHashSet::default();
        for groups in &layer {
            let all = groups.iter().fold(Points::EMPTY, |all, &group| all | sets[group]);
            for next in (0..sets.len()).filter(|next| !groups.contains(next) && all.meets(sets[*next])) {
                poll.step()?;
                let mut groups = groups.clone();
                groups.push(next);
                groups.sort_unstable();
                larger.insert(groups);
            }
        }
        if size >= 3 {
            let mut sorted: Vec<&Vec<usize>> = larger.iter().collect();
            sorted.sort_unstable();
            for groups in sorted {
                poll.step()?;
                instances(sets, groups, forms, &mut found);
                if found.len() >= most {
                    return Ok(found);
                }
            }
        }
        layer = larger;
    }
    Ok(found)
}

fn instances<const N: usize>(sets: &[Points<N>], groups: &[usize], forms: &mut Forms, found: &mut Vec<Instance<N>>) {
    let mut once = Points::EMPTY;
    let mut cores = Points::EMPTY;
    for &group in groups {
        cores = cores | (once & sets[group]);
        once = once | sets[group];
    }
    // A winning set with a single core is the leaf of a tree: a pair does as well.
    let common: Vec<Points<N>> = groups.iter().map(|&group| sets[group] & cores).collect();
    if cores.len() > MAX_MARKERS || common.iter().any(|set| set.len() < 2) {
        return;
    }
    for &needs in forms.least_needs(&common) {
        let demands: Vec<usize> = (0..groups.len()).map(|i| (needs >> i & 1) as usize).collect();
        let has_room = |(group, demand): (&usize, &usize)| (sets[*group] - cores).len() >= *demand;
        let instance = Instance { groups: groups.to_vec(), cores, demands };
        if instance.reduction() > 0 && instance.groups.iter().zip(&instance.demands).all(has_room) {
            found.push(instance);
        }
    }
}

impl Forms {
    /// The least sets of winning sets, as bits, that need a marker of their own besides these cores so that there is a
    /// matching set.
    fn least_needs<const N: usize>(&mut self, common: &[Points<N>]) -> &[u32] {
        // Points in the order of their first use: sets that differ in the numbers of their points are one form.
        let mut numbers: FxHashMap<Point, Point> = FxHashMap::default();
        let form: Vec<Points> = common
            .iter()
            .map(|set| {
                let number = |point| {
                    let next = numbers.len() as Point;
                    *numbers.entry(point).or_insert(next)
                };
                set.iter().map(number).collect()
            })
            .collect();
        let cores = numbers.len();
        self.0.entry(form).or_insert_with_key(|form| decide(form, cores))
    }
}

fn decide(form: &[Points], cores: usize) -> Vec<u32> {
    let count = form.len();
    let mut order: Vec<u32> = (0..1 << count).collect();
    order.cold_sort_by_key(|needs| needs.count_ones());
    let mut least: Vec<u32> = Vec::new();
    for needs in order {
        let markers = cores + needs.count_ones() as usize;
        if markers > MAX_MARKERS || markers >= 2 * count || least.iter().any(|fewer| fewer & needs == *fewer) {
            continue;
        }
        let mut own = cores as Point;
        let sets: Vec<Points> = (0..count)
            .map(|i| match needs >> i & 1 {
                0 => form[i],
                _ => {
                    own += 1;
                    form[i].with(own - 1)
                }
            })
            .collect();
        if matching_set(&sets).is_some() {
            least.push(needs);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::super::configuration::Configuration;
    use super::*;
    use ludolog_syntax::budget::Budget;

    /// The search, which knows no configuration, finds each of them with no more markers.
    #[test]
    fn configurations_are_discovered() {
        for configuration in Configuration::named() {
            let sets = configuration.sets();
            let budget = Budget::unlimited();
            let mut poll = Poll::new(&budget, 100);
            let found = discover(&sets, 10_000, &mut Forms::default(), &mut poll).unwrap();
            let best =
                found.iter().filter(|instance| instance.groups.len() == sets.len()).map(Instance::reduction).max();
            let stated = 2 * sets.len() as isize - configuration.markers() as isize;
            assert!(best >= Some(stated), "{configuration}: {best:?} instead of {stated}");
        }
    }
}
