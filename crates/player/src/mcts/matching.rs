//! Regret matching: how roles that choose at once learn with what chances to make their moves.
//!
//! A role regrets not to have made a move by what it would have gained, the moves of the others being as they were; a
//! joint move is worth the mean of its child. Moves are drawn in proportion to the sums of their regrets, and the mean
//! of these chances over all visits comes near to an equilibrium of two roles with opposite goals (Hart and Mas-Colell, *A
//! simple adaptive procedure leading to correlated equilibrium*, 2000; in tree search Lisý, Kovařík, Lanctot and Bošanský,
//! *Convergence of Monte Carlo tree search in simultaneous move games*, 2013). Sums do not fall below zero, and later
//! visits weigh more, each by its number (Tammelin, *Solving large imperfect information games using CFR+*, 2014).
//!
//! A choice costs O(moves), what is learned from it one look at a child for each move of each role.

use ludolog_game::Draw;

/// The greatest part of choices that are made without regard to regrets.
const MOST_EXPLORATION: f32 = 0.1;

/// The same part, times the root of the visits: others learn to answer such choices, too, so that these keep them from
/// an equilibrium.
const EXPLORATION: f32 = 10.0;

/// Chances below this part of the greatest one are noise, if the visits are few.
const MOST_NOISE: f32 = 0.3;

/// The same part, times the root of the visits, by which the regret of a visit falls.
const NOISE: f32 = 5.0;

/// As [`NOISE`], where joint moves are worth what playouts say. With less, connect four where both drop at once is lost by
/// moves that are second best.
const NOISE_OF_ESTIMATES: f32 = 200.0;

/// What a role has learned of a move where others choose at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveRegret {
    /// The sum of regrets for not having made it.
    regret: f32,
    /// The sum of the chances with which it was made, exploration aside.
    chances: f32,
}

/// Draws a move of a role at the visit of this number.
pub fn choose(moves: &mut [MoveRegret], visit: u32, draw: &mut Draw) -> usize {
    let total: f32 = moves.iter().map(|made| made.regret).sum();
    let even = 1.0 / moves.len() as f32;
    for made in &mut *moves {
        made.chances += visit as f32 * if total > 0.0 { made.regret / total } else { even };
    }
    let exploration = (EXPLORATION / (visit.max(1) as f32).sqrt()).min(MOST_EXPLORATION);
    if total <= 0.0 || fraction(draw) < exploration {
        draw.below(moves.len())
    } else {
        pick(moves.iter().map(|made| made.regret / total), draw)
    }
}

/// Learns from the rewards of all moves of a role, one of which was made.
pub fn learn(moves: &mut [MoveRegret], rewards: &[f32], made: usize) {
    for (other, &reward) in moves.iter_mut().zip(rewards) {
        other.regret = (other.regret + reward - rewards[made]).max(0.0);
    }
}

/// The chances with which a role should make its moves after so many visits, without those that are noise. `is_known`
/// says whether the values of all joint moves are known, not estimated.
pub fn strategy(moves: &[MoveRegret], visits: u32, is_known: bool) -> Vec<f32> {
    let most = moves.iter().fold(0.0f32, |most, made| most.max(made.chances));
    let noise = if is_known { NOISE } else { NOISE_OF_ESTIMATES };
    let least = most * (noise / (visits.max(1) as f32).sqrt()).min(MOST_NOISE);
    let kept = |made: &MoveRegret| if made.chances >= least { made.chances } else { 0.0 };
    let total: f32 = moves.iter().map(kept).sum();
    if total > 0.0 {
        moves.iter().map(|made| kept(made) / total).collect()
    } else {
        vec![1.0 / moves.len() as f32; moves.len()]
    }
}

/// Draws a place by the chances of all.
pub fn pick(chances: impl Iterator<Item = f32>, draw: &mut Draw) -> usize {
    let mut left = fraction(draw);
    let mut last = 0;
    for (place, chance) in chances.enumerate().filter(|(_, chance)| *chance > 0.0) {
        last = place;
        left -= chance;
        if left < 0.0 {
            break;
        }
    }
    last
}

fn fraction(draw: &mut Draw) -> f32 {
    const STEPS: usize = 1 << 24;
    draw.below(STEPS) as f32 / STEPS as f32
}
