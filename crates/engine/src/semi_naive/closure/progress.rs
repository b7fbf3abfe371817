//! The part of an enumeration of pairs that is done.

use super::enumeration::{Cursor, RemainingSources};
use super::{ClosureRelation, ClosureShape};
use crate::semi_naive::plan::PairEnds;

impl ClosureRelation {
    /// The pairs of an enumeration that come before the current one, and all of it, if each source that is left has as many as the current
    /// one; `None` if no pair is current.
    pub fn progress(&self, cursor: &Cursor) -> Option<[f64; 2]> {
        let source = cursor.source?;
        let [done, all] = match cursor.target {
            None if cursor.ends == PairEnds::Both => self.targets(source, cursor),
            _ => [0, 1],
        };
        let [before, sources] = match cursor.sources {
            RemainingSources::None | RemainingSources::One(_) => [0, 1],
            RemainingSources::All(place) => [place.saturating_sub(1), self.sources.len()],
            RemainingSources::Having(column, place) => {
                let value = cursor.bound[column].unwrap_or_default();
                [place.saturating_sub(1), self.sources.having(column, value).len()]
            }
            RemainingSources::Component(representative, place) => match &self.shape {
                ClosureShape::Undirected { members, .. } => {
                    [place.saturating_sub(1), members[representative as usize].len()]
                }
                ClosureShape::Directed(_) => return None,
            },
            RemainingSources::Reaching(component, place) => self.reaching(component, place),
        };
        Some([(before * all + done) as f64, (sources * all) as f64])
    }

    /// The targets of a source before the current one, and all of them.
    fn targets(&self, source: u32, cursor: &Cursor) -> [usize; 2] {
        let member = cursor.member.saturating_sub(1);
        match &self.shape {
            ClosureShape::Undirected { components, members } => {
                let node = self.sources.node(source);
                [member, node.map_or(0, |node| members[components.find(node) as usize].len())]
            }
            ClosureShape::Directed(condensed) => {
                let sizes = || condensed.sizes(source);
                let before = sizes().take_while(|&(position, _)| position < cursor.position);
                let count = |total: usize, (_, size): (usize, usize)| total + size;
                [before.fold(member, count), sizes().fold(0, count)]
            }
        }
    }

    /// The sources before a position that reach a component, without the last of them, and all that do.
    fn reaching(&self, component: u32, position: usize) -> [usize; 2] {
        let ClosureShape::Directed(condensed) = &self.shape else { return [0, 1] };
        let reaching = || condensed.sources_of(component, 0);
        [reaching().take_while(|&(at, _)| at < position).count().saturating_sub(1), reaching().count()]
    }
}
