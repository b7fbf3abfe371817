//! Matching sets: replies to every marker that cover more winning sets than pairs of markers can.
//!
//! A *matching* is a list of parts without common markers. A part is a pair, or a *matching set* (N, G, C): whichever
//! marker of N Maker takes, Breaker has a reply in N, and the winning sets of G without that reply have a matching
//! within the other markers (Uiterwijk, *Set Matching: an enhancement of the Hales-Jewett pairing strategy*, definition
//! 4). Here a matching set is its coverings C, one for each marker; N are their markers, and G is whatever they cover.
//!
//! A pairing needs two markers for each winning set. A matching set needs fewer: its *reduction* is 2|G| − |N|, and its
//! *coverage ratio* |N| / |G|.
//!
//! * [`check`](mod@check): whether a matching covers winning sets. This is what has to be trusted.
//! * [`configuration`]: the configurations of the paper.
//! * [`strategy`]: the coverings of given winning sets.
//! * [`recognize`]: configurations among the winning sets of a position.
//! * [`discover`]: matching sets of any form among them.
//! * [`mod@cover`]: a matching for all winning sets of a position.

pub mod check;
pub mod configuration;
pub mod cover;
pub mod discover;
pub mod recognize;
pub mod strategy;

pub use check::{Flaw, check};
pub use configuration::Configuration;
pub use cover::{Cover, CoverTarget, cover, cover_game};

use crate::points::Point;
use serde::{Deserialize, Serialize};

/// A part of a matching; `P` is how points are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MatchingPart<P = Point> {
    /// Two markers: the reply to one is the other. It covers the winning sets with both.
    Pair([P; 2]),
    /// A matching set.
    Set(MatchingSet<P>),
}

/// The replies to each of some markers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchingSet<P = Point> {
    /// One for each marker.
    pub coverings: Vec<Covering<P>>,
}

/// The reply to a marker, and what goes on then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covering<P = Point> {
    /// Maker's move.
    pub marker: P,
    /// Breaker's reply, another marker of the set.
    pub reply: P,
    /// A matching, within the other markers, for the winning sets without the reply.
    pub rest: Vec<MatchingPart<P>>,
}

impl<P> MatchingPart<P> {
    /// The part with other names of the points; the first error if a point has none.
    ///
    /// # Errors
    ///
    /// Those of `name`.
    pub fn renamed<Q, E>(&self, name: &mut impl FnMut(&P) -> Result<Q, E>) -> Result<MatchingPart<Q>, E> {
        Ok(match self {
            MatchingPart::Pair([a, b]) => MatchingPart::Pair([name(a)?, name(b)?]),
            MatchingPart::Set(set) => {
                let mut coverings = Vec::with_capacity(set.coverings.len());
                for Covering { marker, reply, rest } in &set.coverings {
                    let marker = name(marker)?;
                    let reply = name(reply)?;
                    let rest = rest.iter().map(|part| part.renamed(name)).collect::<Result<_, E>>()?;
                    coverings.push(Covering { marker, reply, rest });
                }
                MatchingPart::Set(MatchingSet { coverings })
            }
        })
    }
}

impl MatchingPart {
    /// The markers.
    pub fn markers(&self) -> Vec<Point> {
        match self {
            MatchingPart::Pair(pair) => pair.to_vec(),
            MatchingPart::Set(set) => set.coverings.iter().map(|covering| covering.marker).collect(),
        }
    }

    /// The number of exchanges before pairs are left.
    pub fn depth(&self) -> usize {
        match self {
            MatchingPart::Pair(_) => 0,
            MatchingPart::Set(set) => 1 + set.coverings.iter().map(|covering| depth(&covering.rest)).max().unwrap_or(0),
        }
    }
}

/// The number of exchanges of a matching before pairs are left.
pub fn depth(matching: &[MatchingPart]) -> usize {
    matching.iter().map(MatchingPart::depth).max().unwrap_or(0)
}
