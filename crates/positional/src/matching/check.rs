//! The check of matchings, which has to be trusted.
//!
//! A matching covers a winning set if one of its parts does: a pair that has both markers in it, or a matching set of
//! which each covering has the reply in it or covers it by what goes on then. Breaker replies within the part that
//! Maker plays in, and anywhere else to other moves. So Breaker gets a point of each covered set before Maker has all
//! of it: a set of which Maker takes no marker stays incomplete, and after a marker either the reply is in the set or a
//! smaller matching covers it.

use super::{MatchingPart, depth};
use crate::points::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// A fault of a matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A marker that nobody may take, because it is claimed or lies outside of the matching set.
    Forbidden(Point),
    /// A marker in two parts, or twice in one.
    Twice(Point),
    /// The reply to the marker is that marker, or no marker of the set.
    Reply(Point, Point),
    /// No part covers the winning set of this number.
    Uncovered(usize),
}

impl Flaw {
    /// The flaw in words, with the names of points.
    pub fn describe(&self, name: impl Fn(Point) -> String) -> String {
        match *self {
            Flaw::Forbidden(point) => format!("{} cannot be a marker here", name(point)),
            Flaw::Twice(point) => format!("{} is a marker twice", name(point)),
            Flaw::Reply(marker, reply) => format!("{} is no reply to {}", name(reply), name(marker)),
            Flaw::Uncovered(set) => format!("winning set {} is not covered", set + 1),
        }
    }
}

/// Checks that a matching covers all winning sets. These are the points that Maker lacks, of sets without a point of
/// Breaker's; Maker moves. `is_free` says which points may be markers.
///
/// # Errors
///
/// The first flaw.
pub fn check(matching: &[MatchingPart], sets: &[Vec<Point>], is_free: impl Fn(Point) -> bool) -> Result<(), Flaw> {
    well_formed(matching, &is_free)?;
    let mut partners: FxHashMap<Point, Point> = FxHashMap::default();
    for part in matching {
        if let &MatchingPart::Pair([a, b]) = part {
            partners.extend([(a, b), (b, a)]);
        }
    }
    let others: Vec<&MatchingPart> = matching.iter().filter(|part| matches!(part, MatchingPart::Set(_))).collect();
    let is_covered = |set: &FxHashSet<Point>| {
        set.iter().any(|point| partners.get(point).is_some_and(|partner| set.contains(partner)))
            || others.iter().any(|part| covers(part, set))
    };
    match sets.iter().position(|set| !is_covered(&set.iter().copied().collect())) {
        Some(set) => Err(Flaw::Uncovered(set)),
        None => Ok(()),
    }
}

/// Checks that markers may be taken, are in one part only, and have replies in the same part.
fn well_formed(matching: &[MatchingPart], may_take: &dyn Fn(Point) -> bool) -> Result<(), Flaw> {
    let mut seen = FxHashSet::default();
    for marker in matching.iter().flat_map(MatchingPart::markers) {
        if !may_take(marker) {
            return Err(Flaw::Forbidden(marker));
        }
        if !seen.insert(marker) {
            return Err(Flaw::Twice(marker));
        }
    }
    for part in matching {
        let MatchingPart::Set(set) = part else { continue };
        let markers = part.markers();
        for covering in &set.coverings {
            let marker = covering.marker;
            let reply = covering.reply;
            if reply == marker || !markers.contains(&reply) {
                return Err(Flaw::Reply(marker, reply));
            }
            well_formed(&covering.rest, &|point| markers.contains(&point) && point != marker && point != reply)?;
        }
    }
    Ok(())
}

fn covers(part: &MatchingPart, set: &FxHashSet<Point>) -> bool {
    match part {
        MatchingPart::Pair(pair) => pair.iter().all(|marker| set.contains(marker)),
        MatchingPart::Set(matching_set) => {
            // Without markers nothing is replied.
            !matching_set.coverings.is_empty()
                && matching_set
                    .coverings
                    .iter()
                    .all(|covering| set.contains(&covering.reply) || covering.rest.iter().any(|part| covers(part, set)))
        }
    }
}

/// The size of a matching: the table of the paper has these figures of its configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchingSize {
    /// The number of markers.
    pub markers: usize,
    /// The number of winning sets that are covered.
    pub groups: usize,
    /// The number of exchanges before pairs are left.
    pub depth: usize,
}

impl MatchingSize {
    /// The size of a matching that covers these many winning sets.
    pub fn of(matching: &[MatchingPart], groups: usize) -> MatchingSize {
        let markers = matching.iter().map(|part| part.markers().len()).sum();
        MatchingSize { markers, groups, depth: depth(matching) }
    }

    /// The number of markers that a pairing would need more; negative if it needs fewer.
    pub fn reduction(self) -> isize {
        2 * self.groups as isize - self.markers as isize
    }

    /// Markers for each winning set.
    pub fn coverage_ratio(self) -> f64 {
        self.markers as f64 / self.groups as f64
    }
}
