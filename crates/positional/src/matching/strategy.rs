//! Coverings of given winning sets, found by trying replies.

use super::{Covering, MatchingPart, MatchingSet};
use crate::pairing::{assign, deficiency};
use crate::points::{Point, Points};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::Budget;

/// Most markers of winning sets whose coverings are looked for: the work grows with their factorial.
pub const MAX_MARKERS: usize = 24;

/// A part that covers these winning sets with their points as markers, with as few exchanges as possible; `None` if
/// there is none, if there are more than [`MAX_MARKERS`] points, or if pairs would do.
pub fn matching_set<const N: usize>(sets: &[Points<N>]) -> Option<MatchingPart> {
    let markers = Points::union(sets);
    if markers.len() > MAX_MARKERS {
        return None;
    }
    (1..=markers.len() / 2).find_map(|depth| whole(sets, depth))
}

/// A matching with at most this many exchanges: pairs, or a matching set of all points.
fn matching<const N: usize>(sets: &[Points<N>], depth: usize) -> Option<Vec<MatchingPart>> {
    if let Some(pairs) = pairs(sets) {
        return Some(pairs);
    }
    Some(vec![whole(sets, depth)?])
}

/// A matching set of all points.
fn whole<const N: usize>(sets: &[Points<N>], depth: usize) -> Option<MatchingPart> {
    if depth == 0 || sets.iter().any(|set| set.len() < 2) {
        return None;
    }
    let markers = Points::union(sets);
    let coverings = markers.iter().map(|marker| covering(sets, markers, marker, depth)).collect::<Option<_>>()?;
    Some(MatchingPart::Set(MatchingSet { coverings }))
}

fn covering<const N: usize>(sets: &[Points<N>], markers: Points<N>, marker: Point, depth: usize) -> Option<Covering> {
    let mut replies: Vec<(usize, Point)> =
        markers.without(marker).iter().map(|reply| (through(sets, reply), reply)).collect();
    // The more sets a reply is in, the fewer are left.
    replies.cold_sort_by_key(|&(count, reply)| (std::cmp::Reverse(count), reply));
    replies.into_iter().find_map(|(_, reply)| {
        let left: Vec<Points<N>> =
            sets.iter().filter(|set| !set.contains(reply)).map(|set| set.without(marker)).collect();
        let rest = matching(&left, depth - 1)?;
        Some(Covering { marker, reply, rest })
    })
}

fn through<const N: usize>(sets: &[Points<N>], point: Point) -> usize {
    sets.iter().filter(|set| set.contains(point)).count()
}

/// A pair for each set.
pub fn pairs<const N: usize>(sets: &[Points<N>]) -> Option<Vec<MatchingPart>> {
    // There is no time to run out of.
    let pairs = assign_bits(sets, &vec![2; sets.len()])?;
    Some(pairs.into_iter().map(|pair| MatchingPart::Pair([pair[0], pair[1]])).collect())
}

/// As [`assign`], for sets as bits.
pub fn assign_bits<const N: usize>(sets: &[Points<N>], demands: &[usize]) -> Option<Vec<Vec<Point>>> {
    let available = Points::union(sets).len();
    if demands.iter().sum::<usize>() > available {
        return None;
    }
    let lists: Vec<Vec<Point>> = sets.iter().map(|set| set.iter().collect()).collect();
    assign(&lists, demands, &Budget::unlimited()).ok().flatten()
}

/// As [`deficiency`] of a pairing, for sets as bits.
pub fn deficiency_bits<const N: usize>(sets: &[Points<N>]) -> usize {
    let lists: Vec<Vec<Point>> = sets.iter().map(|set| set.iter().collect()).collect();
    // An unlimited budget does not end.
    deficiency(&lists, &vec![2; sets.len()], &Budget::unlimited()).unwrap_or_default()
}
