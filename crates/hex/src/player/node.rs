//! The nodes of the tree and their values.

use std::ops::Range;

/// The value of a child without any visits.
const FIRST_PLAY: f32 = 0.5;

/// Visits after which the AMAF figures, however many, have half of the weight.
const AMAF_HALF_LIFE: f32 = 1000.0;

/// No node.
pub const NONE: u32 = u32::MAX;

/// A move and how it fared, for the player who makes it.
#[derive(Clone, Debug)]
pub struct MoveNode {
    pub place: u32,
    pub visits: u32,
    pub wins: f32,
    pub amaf_visits: u32,
    pub amaf_wins: u32,
    pub prior: f32,
    /// The children are neighbors in the list of all nodes.
    pub first_child: u32,
    pub children: u32,
    /// The number of the list of cells that the expert filled in here; [`NONE`] before it is asked.
    pub filled: u32,
    pub proved: Option<DescentOutcome>,
}

/// Whether whoever makes the move wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescentOutcome {
    Won,
    Lost,
}

impl MoveNode {
    /// A move that has not been tried.
    pub fn new(place: usize) -> MoveNode {
        MoveNode {
            place: place as u32,
            visits: 0,
            wins: 0.0,
            amaf_visits: 0,
            amaf_wins: 0,
            prior: 0.0,
            first_child: 0,
            children: 0,
            filled: NONE,
            proved: None,
        }
    }

    /// The numbers of the children.
    pub fn range(&self) -> Range<usize> {
        self.first_child as usize..(self.first_child + self.children) as usize
    }

    /// The value for the player who makes the move; `attention` is the weight of priors times the root of the visits to
    /// the parent.
    pub fn value(&self, attention: f32) -> f32 {
        match self.proved {
            Some(DescentOutcome::Won) => return f32::INFINITY,
            Some(DescentOutcome::Lost) => return f32::NEG_INFINITY,
            None => {}
        }
        let visits = self.visits as f32;
        let amaf_visits = self.amaf_visits as f32;
        let mean = |wins: f32, visits: u32| if visits == 0 { FIRST_PLAY } else { wins / visits as f32 };
        let trust = amaf_visits / (amaf_visits + visits + amaf_visits * visits / AMAF_HALF_LIFE).max(1.0);
        let known =
            (1.0 - trust) * mean(self.wins, self.visits) + trust * mean(self.amaf_wins as f32, self.amaf_visits);
        known + attention * self.prior / (1.0 + visits)
    }
}
