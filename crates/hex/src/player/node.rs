//! The nodes of the tree and their values.
//!
//! The figures of each kind have a list of their own. The children of a node are neighbors in all of them, so that a
//! search goes through a few short slices where it chooses among them and where it learns of a playout.

use super::playout::{BorderedBoard, BorderedContent};
use std::ops::Range;

/// The value of a child without any visits.
const FIRST_PLAY: f32 = 0.5;

/// Visits after which the AMAF figures, however many, have half of the weight.
const AMAF_HALF_LIFE: f32 = 1000.0;

/// No list of cells.
pub const NONE: u32 = u32::MAX;

/// Whether whoever makes the move wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescentOutcome {
    Won,
    Lost,
}

/// What a node leads to.
#[derive(Clone, Debug)]
pub struct NodeLinks {
    first_child: u32,
    children: u32,
    /// The number of the list of cells that the expert filled in here; [`NONE`] before it is asked.
    pub filled: u32,
    pub proved: Option<DescentOutcome>,
}

/// Moves by number and how they fared, each for the player who makes it. Number 0 is the root.
#[derive(Debug, Default)]
pub struct MoveNodes {
    pub places: Vec<u32>,
    pub visits: Vec<u32>,
    pub wins: Vec<f32>,
    amaf_visits: Vec<u32>,
    amaf_wins: Vec<u32>,
    pub priors: Vec<f32>,
    pub links: Vec<NodeLinks>,
}

impl MoveNodes {
    /// A root without children.
    pub fn new() -> MoveNodes {
        let mut nodes = MoveNodes::default();
        nodes.push(0);
        nodes
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Adds a move that has not been tried.
    fn push(&mut self, place: usize) {
        self.places.push(place as u32);
        self.visits.push(0);
        self.wins.push(0.0);
        self.amaf_visits.push(0);
        self.amaf_wins.push(0);
        self.priors.push(0.0);
        self.links.push(NodeLinks { first_child: 0, children: 0, filled: NONE, proved: None });
    }

    /// Gives a node these moves as children.
    pub fn add_children(&mut self, node: usize, places: impl Iterator<Item = usize>) {
        let first = self.len();
        places.for_each(|place| self.push(place));
        self.set_children(node, first..self.len());
    }

    /// Gives a node copies of the nodes of another tree as children, without their own children.
    pub fn copy_children(&mut self, node: usize, other: &MoveNodes, children: Range<usize>) {
        let first = self.len();
        self.places.extend_from_slice(&other.places[children.clone()]);
        self.visits.extend_from_slice(&other.visits[children.clone()]);
        self.wins.extend_from_slice(&other.wins[children.clone()]);
        self.amaf_visits.extend_from_slice(&other.amaf_visits[children.clone()]);
        self.amaf_wins.extend_from_slice(&other.amaf_wins[children.clone()]);
        self.priors.extend_from_slice(&other.priors[children.clone()]);
        self.links.extend_from_slice(&other.links[children]);
        self.set_children(node, first..self.len());
    }

    /// The numbers of the children.
    pub fn children(&self, node: usize) -> Range<usize> {
        let links = &self.links[node];
        links.first_child as usize..(links.first_child + links.children) as usize
    }

    fn set_children(&mut self, node: usize, children: Range<usize>) {
        let links = &mut self.links[node];
        links.first_child = children.start as u32;
        links.children = children.len() as u32;
    }

    /// Leaves the children of a node for which `weight` knows one, and multiplies their priors by it.
    pub fn weigh_children(&mut self, node: usize, mut weight: impl FnMut(usize) -> Option<f32>) {
        let children = self.children(node);
        let mut kept = children.start;
        for child in children.clone() {
            let Some(weight) = weight(self.places[child] as usize) else { continue };
            self.priors[child] *= weight;
            self.swap(kept, child);
            kept += 1;
        }
        self.set_children(node, children.start..kept);
        self.scale_priors(node);
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.places.swap(a, b);
        self.visits.swap(a, b);
        self.wins.swap(a, b);
        self.amaf_visits.swap(a, b);
        self.amaf_wins.swap(a, b);
        self.priors.swap(a, b);
        self.links.swap(a, b);
    }

    /// Makes the priors of the children add up to 1.
    pub fn scale_priors(&mut self, node: usize) {
        let children = self.children(node);
        let priors = &mut self.priors[children];
        let total: f32 = priors.iter().sum();
        priors.iter_mut().for_each(|prior| *prior /= total);
    }

    /// Counts visits to a node, and how many of them were won.
    pub fn count(&mut self, node: usize, visits: u32, wins: f32) {
        self.visits[node] += visits;
        self.wins[node] += wins;
    }

    /// Counts a playout that filled the field for each child whose cell is `mine`.
    pub fn count_amaf(&mut self, node: usize, field: &BorderedBoard, mine: BorderedContent, is_won: bool) {
        let children = self.children(node);
        let figures = self.amaf_visits[children.clone()].iter_mut().zip(&mut self.amaf_wins[children.clone()]);
        for (&place, (visits, wins)) in self.places[children].iter().zip(figures) {
            // Without a branch, which would be foreseen wrong every other time.
            let is_mine = field.content(place as usize) == mine;
            *visits += u32::from(is_mine);
            *wins += u32::from(is_mine & is_won);
        }
    }

    /// The values of the children for the player who moves at a node, in their order.
    pub fn child_values(&self, node: usize, prior_weight: f32, values: &mut Vec<f32>) {
        let children = self.children(node);
        let attention = prior_weight * (self.visits[node] as f32).sqrt();
        values.clear();
        let own = figures(&self.visits[children.clone()]).zip(&self.wins[children.clone()]);
        let amaf = figures(&self.amaf_visits[children.clone()]).zip(figures(&self.amaf_wins[children.clone()]));
        let priors = &self.priors[children.clone()];
        values.extend(own.zip(amaf).zip(priors).map(|((own, amaf), prior)| value(own, amaf, attention * prior)));
        for (value, links) in values.iter_mut().zip(&self.links[children]) {
            match links.proved {
                Some(DescentOutcome::Won) => *value = f32::INFINITY,
                Some(DescentOutcome::Lost) => *value = f32::NEG_INFINITY,
                None => {}
            }
        }
    }
}

/// Counts as numbers to compute with; by way of `i32`, which several at once are converted from.
fn figures(counts: &[u32]) -> impl ExactSizeIterator<Item = f32> {
    counts.iter().map(|&count| count as i32 as f32)
}

/// The value of a move. Its AMAF figure is trusted by `amaf_visits / known_visits`, its own by the rest; `prior` counts
/// less with each visit. All shares stand on one fraction, since a search divides nowhere as often as here.
fn value((visits, &wins): (f32, &f32), (amaf_visits, amaf_wins): (f32, f32), prior: f32) -> f32 {
    let own_weight = 1.0 + amaf_visits * (1.0 / AMAF_HALF_LIFE);
    let known_wins = wins * own_weight + amaf_wins;
    let known_visits = visits * own_weight + amaf_visits;
    let unknown = f32::from(u8::from(known_visits == 0.0));
    let [wins, weight] = [known_wins + unknown * FIRST_PLAY, known_visits + unknown];
    (wins * (1.0 + visits) + prior * weight) / (weight * (1.0 + visits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn values_are_means_weighed_by_trust() {
        // As in the paper on rapid action value estimation, by one mean after the other.
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let [visits, amaf_visits] = [0, 0].map(|_| {
                let most = random.below(20);
                random.below(1 << most) as f32
            });
            let wins = visits * random.below(100) as f32 / 100.0;
            let amaf_wins = (amaf_visits * random.below(100) as f32 / 100.0).floor();
            let prior = random.below(100) as f32 / 100.0;
            let mean = |wins: f32, visits: f32| if visits == 0.0 { FIRST_PLAY } else { wins / visits };
            let trust = amaf_visits / (amaf_visits + visits + amaf_visits * visits / AMAF_HALF_LIFE).max(1.0);
            let expected =
                (1.0 - trust) * mean(wins, visits) + trust * mean(amaf_wins, amaf_visits) + prior / (1.0 + visits);
            let value = value((visits, &wins), (amaf_visits, amaf_wins), prior);
            assert!(
                (value - expected).abs() < 1e-4,
                "{visits} {wins} {amaf_visits} {amaf_wins} {prior}: {value}, {expected}"
            );
        }
    }
}
