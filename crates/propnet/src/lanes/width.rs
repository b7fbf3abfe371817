//! Lanes of a width that is chosen at run time, and the fastest mode and width of a game.
//!
//! Lanes are generic in their width, and generic code has the optimization level of the crate that asks for it. So what
//! others play with is asked for here.

use super::{Lanes, PlayoutPolicy, PlyGroup, Tally};
use crate::net::Net;
use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::budget::{Clock, ThreadClock};
use std::time::Duration;

/// The time for which each mode is tried at each width.
pub const TRIAL: Duration = Duration::from_millis(40);

/// The time that the programs of one mode may take to make.
const MAX_COMPILING: Duration = Duration::from_secs(5);

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

/// Makes the programs of each of these modes, and finds by a trial of each which of them is fastest, and at which of
/// these widths. The trials are compared by joint moves, since long games do not end in a trial. A mode whose programs
/// take too long to make is left out if one before it has some.
///
/// # Errors
///
/// [`Stopped`], when the budget ends before a mode was tried, and when the policy does not suit the game.
///
/// # Panics
///
/// Without modes or widths.
pub fn fastest(
    net: &Net,
    policy: PlayoutPolicy,
    modes: &[PlyGroup],
    widths: &[Width],
    seed: u64,
    trial: Duration,
    budget: &Budget,
) -> Result<(Lanes, Width), Stopped> {
    let mut best: Option<(f64, Lanes, Width)> = None;
    for &mode in modes {
        // Programs for each ply may take long; running free always can.
        let share = budget.time_left().unwrap_or(MAX_COMPILING).min(MAX_COMPILING);
        let lanes = match Lanes::new(net, mode, policy, &budget.clone().with_time(share)) {
            Ok(lanes) => lanes,
            Err(Stopped::Timeout(_)) if best.is_some() => continue,
            Err(stopped) => return Err(stopped),
        };
        let rate = |width: Width| {
            let start = ThreadClock.now();
            let budget = Budget::unlimited().with_timeout(trial);
            width.play(&lanes, seed, &budget).steps as f64 / (ThreadClock.now() - start).as_secs_f64()
        };
        let rates = widths.iter().map(|&width| (rate(width), width));
        if let Some((rate, width)) = rates.max_by(|a, b| a.0.total_cmp(&b.0))
            && best.as_ref().is_none_or(|(least, ..)| rate > *least)
        {
            best = Some((rate, lanes, width));
        }
    }
    let (_, lanes, width) = best.expect("there are modes and widths");
    Ok((lanes, width))
}
