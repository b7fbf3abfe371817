//! Lanes of a width that is chosen at run time.
//!
//! Lanes are generic in their width, and generic code has the optimization level of the crate that asks for it. So what
//! others play with is asked for here.

use super::{Lanes, Tally};
use ludolog_engine::Budget;

/// A number of playouts at once on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 256 lanes.
    W256,
    /// 512 lanes.
    W512,
    /// 1024 lanes.
    W1024,
}

impl Width {
    /// All widths, ascending.
    pub const ALL: [Width; 3] = [Width::W256, Width::W512, Width::W1024];

    /// The number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Width::W256 => 256,
            Width::W512 => 512,
            Width::W1024 => 1024,
        }
    }

    /// [`Lanes::play`] at this width.
    pub fn play(self, lanes: &Lanes, seed: u64, budget: &Budget) -> Tally {
        match self {
            Width::W256 => lanes.play::<4>(seed, budget),
            Width::W512 => lanes.play::<8>(seed, budget),
            Width::W1024 => lanes.play::<16>(seed, budget),
        }
    }

    /// [`Lanes::play_out`] at this width.
    pub fn play_out(
        self,
        lanes: &Lanes,
        seed: u64,
        budget: &Budget,
        patience: &Budget,
        at_deadline: &mut dyn FnMut(),
    ) -> Tally {
        match self {
            Width::W256 => lanes.play_out::<4>(seed, budget, patience, at_deadline),
            Width::W512 => lanes.play_out::<8>(seed, budget, patience, at_deadline),
            Width::W1024 => lanes.play_out::<16>(seed, budget, patience, at_deadline),
        }
    }
}
