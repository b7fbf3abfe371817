//! Playouts guided by the worth of moves: those that have brought their role most are made more often (move-average
//! sampling; Finnsson and Björnsson, *Simulation-based approach to general game playing*, 2008).
//!
//! Gates do not weigh moves, but a lane can do without some of them: in half of its rounds it makes one of the better
//! half of all moves of its role, and in half of these one of the best sixth, where such a move is legal.

use super::kernel::Block;
use std::ops::Range;

/// Playouts between two rankings.
const RANK_EVERY: u64 = 400;

/// The part of the worth of moves that is left at the next ranking: states move on.
const KEPT: f32 = 0.97;

/// The visits by which a move counts as worth the mean of all.
const PRIOR: f32 = 2.0;

/// The better moves and the best ones of a role: one in so many.
const BETTER: usize = 2;
const BEST: usize = 6;

/// Most goal values of a role: each is counted apart.
const MAX_GOALS: usize = 8;

/// The place of a move among all moves of its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveRank {
    /// Among the best, which are among the better.
    Best,
    /// Among the better.
    Better,
    /// Among the others, or not known.
    Other,
}

#[derive(Clone, Copy, Default)]
struct MoveWorth {
    visits: f32,
    total: f32,
}

/// The worth of the recorded moves.
pub struct Guide {
    worth: Vec<MoveWorth>,
    /// By recorded move.
    ranks: Vec<MoveRank>,
    /// By role: its recorded moves.
    roles: Vec<Range<usize>>,
    /// Playouts since the last ranking.
    entered: u64,
    /// The moves of a role, while they are ranked.
    order: Vec<usize>,
}

impl Guide {
    /// Nothing is known of the recorded moves of roles yet, which have so many goal values each; `None` where a role has
    /// too many of them.
    pub fn new(roles: Vec<Range<usize>>, mut goals: impl Iterator<Item = usize>) -> Option<Guide> {
        let moves = roles.last().map_or(0, |last| last.end);
        goals.all(|count| count <= MAX_GOALS).then(|| Guide {
            worth: vec![MoveWorth::default(); moves],
            ranks: vec![MoveRank::Other; moves],
            roles,
            entered: 0,
            order: Vec::new(),
        })
    }

    /// By recorded move: its rank.
    pub fn ranks(&self) -> &[MoveRank] {
        &self.ranks
    }

    /// Enters the moves made by a role in playouts that have brought it a goal.
    #[inline(always)]
    pub fn enter<const N: usize>(&mut self, role: usize, goal: i64, lanes: Block<N>, made: &[Block<N>]) {
        for number in self.roles[role].clone() {
            let visits = (made[number] & lanes).count() as f32;
            let worth = &mut self.worth[number];
            worth.visits += visits;
            worth.total += visits * goal as f32;
        }
    }

    /// Ranks the moves, if many playouts have ended since the last time.
    pub fn rank(&mut self, ended: u64) {
        self.entered += ended;
        if self.entered < RANK_EVERY {
            return;
        }
        self.entered = 0;
        for moves in &self.roles {
            let worth = &self.worth[moves.clone()];
            let all = worth.iter().fold(MoveWorth::default(), |all, one| MoveWorth {
                visits: all.visits + one.visits,
                total: all.total + one.total,
            });
            let mean = all.total / all.visits.max(1.0);
            let value = |number: usize| {
                let MoveWorth { visits, total } = worth[number];
                (total + PRIOR * mean) / (visits + PRIOR)
            };
            self.order.clear();
            self.order.extend(0..worth.len());
            self.order.sort_unstable_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
            for (place, &number) in self.order.iter().enumerate() {
                self.ranks[moves.start + number] = match place {
                    _ if place < worth.len() / BEST => MoveRank::Best,
                    _ if place < worth.len() / BETTER => MoveRank::Better,
                    _ => MoveRank::Other,
                };
            }
        }
        for worth in &mut self.worth {
            worth.visits *= KEPT;
            worth.total *= KEPT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_ranked_by_what_they_brought_their_role() {
        // Of six moves each: the goal of the first role is 100 in lanes 0 to 31, that of the second is never.
        let mut guide = Guide::new(vec![0..6, 6..12], [2, 2].into_iter()).expect("few goals");
        let made: Vec<Block<1>> = (0..12).map(|number| Block([0xff << (5 * (number % 6))])).collect();
        guide.enter(0, 100, Block([u64::from(u32::MAX)]), &made);
        guide.enter(0, 0, Block([!u64::from(u32::MAX)]), &made);
        guide.enter(1, 0, Block([u64::MAX]), &made);
        guide.rank(RANK_EVERY - 1);
        assert!(guide.ranks().iter().all(|&rank| rank == MoveRank::Other), "too few playouts");
        guide.rank(1);
        // The goal is in all lanes of the first five moves of the first role, and in seven of eight of the sixth; ties by number.
        use MoveRank::{Best, Better, Other};
        assert_eq!(guide.ranks()[..6], [Best, Better, Better, Other, Other, Other]);
        assert_eq!(guide.ranks()[6..], [Best, Better, Better, Other, Other, Other]);
        let reversed: Vec<Block<1>> = made.iter().map(|lanes| Block([lanes.0[0].reverse_bits()])).collect();
        for _ in 0..10 {
            guide.enter(0, 100, Block([u64::from(u32::MAX)]), &reversed);
            guide.enter(0, 0, Block([!u64::from(u32::MAX)]), &reversed);
        }
        guide.rank(RANK_EVERY);
        // One lane of the sixth move has the goal, and none of the others.
        assert_eq!(guide.ranks()[..6], [Better, Better, Other, Other, Other, Best]);
    }

    #[test]
    fn many_goal_values_are_not_counted() {
        assert!(Guide::new(vec![0..1, 1..2], [2, MAX_GOALS + 1].into_iter()).is_none());
    }
}
