//! The part of an enumeration of pairs that is done.

use super::{ClosureRelation, ClosureShape, Condensed, Cursor, RemainingSources, ones};

impl ClosureRelation {
    /// The pairs of an enumeration that come before the current one, and all of it, if each source that is left has as many as the current
    /// one; `None` if no pair is current.
    pub fn progress(&self, cursor: &Cursor) -> Option<[f64; 2]> {
        let source = cursor.source?;
        let [done, all] = match cursor.target {
            Some(_) => [0, 1],
            None => self.targets(source, cursor),
        };
        let [before, sources] = match cursor.sources {
            RemainingSources::None | RemainingSources::One(_) => [0, 1],
            RemainingSources::All(place) => [place.saturating_sub(1), self.sources.len()],
            RemainingSources::Component(representative, place) => match &self.shape {
                ClosureShape::Undirected { members, .. } => {
                    [place.saturating_sub(1), members[representative as usize].len()]
                }
                ClosureShape::Directed(_) => return None,
            },
            RemainingSources::Reaching(component, place) => self.reaching(component as usize, place),
        };
        Some([(before * all + done) as f64, (sources * all) as f64])
    }

    /// The targets of a source before the current one, and all of them.
    fn targets(&self, source: u32, cursor: &Cursor) -> [usize; 2] {
        let member = cursor.member.saturating_sub(1);
        match &self.shape {
            ClosureShape::Undirected { components, members } => {
                [member, members[components.find(source) as usize].len()]
            }
            ClosureShape::Directed(Condensed { members, reached, words, place, .. }) => {
                let at = place[source as usize] as usize * words;
                let sizes = || ones(&reached[at..at + words], 0).map(|component| [component, members[component].len()]);
                let before = sizes().take_while(|&[component, _]| component < cursor.component);
                let count = |total: usize, [_, size]: [usize; 2]| total + size;
                [before.fold(member, count), sizes().fold(0, count)]
            }
        }
    }

    /// The sources before a place that reach a component, without the last of them, and all that do.
    fn reaching(&self, component: usize, place: usize) -> [usize; 2] {
        let ClosureShape::Directed(condensed) = &self.shape else { return [0, 1] };
        let reaching = || ones(condensed.reaching(component), 0);
        [reaching().take_while(|&source| source < place).count().saturating_sub(1), reaching().count()]
    }
}
