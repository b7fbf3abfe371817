//! Maker-Breaker games solved.
//!
//! Breaker, moving second, wins a game of several components without common points exactly if Breaker wins each. Only
//! minimal winning sets count, and a point is not worth moving to if another is in the same minimal sets and more.
//! Positions that the criterion of Erdős and Selfridge or a pairing decides are not searched, and forced replies are
//! made.

use crate::criterion;
use crate::matching::strategy::pairs;
use crate::points::{Point, Points, minimal};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Positions between two checks of the budget.
const POLL_EVERY: u32 = 16;

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// Wants to claim a whole winning set.
    Maker,
    /// Wants a point of each.
    Breaker,
}

/// A solver, which remembers positions.
pub struct MakerBreakerSolver<'b> {
    /// Whether Breaker wins with Maker to move, by winning sets.
    known: FxHashMap<Vec<Points>, bool>,
    poll: Poll<'b>,
    nodes: u64,
}

impl<'b> MakerBreakerSolver<'b> {
    /// A solver that stops when the budget ends.
    pub fn new(budget: &'b Budget) -> Self {
        MakerBreakerSolver { known: FxHashMap::default(), poll: Poll::new(budget, POLL_EVERY), nodes: 0 }
    }

    /// The number of positions that were looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Who wins. `sets` are the points that Maker lacks, of winning sets without a point of Breaker's.
    ///
    /// # Errors
    ///
    /// The budget ends.
    pub fn winner(&mut self, sets: &[Points], to_move: Mover) -> Result<Mover, Stopped> {
        let sets = minimal(sets);
        let breaker = match to_move {
            Mover::Maker => self.holds(sets)?,
            Mover::Breaker => self.reply(&sets)?.is_some(),
        };
        Ok(if breaker { Mover::Breaker } else { Mover::Maker })
    }

    /// A winning move of Breaker; any if there are no sets, `None` if there is none.
    fn reply(&mut self, sets: &[Points]) -> Result<Option<Point>, Stopped> {
        let Some(first) = sets.first() else { return Ok(Some(0)) };
        if first.is_empty() {
            return Ok(None);
        }
        // Sets are sorted by size: a set of one point forces the reply.
        let replies = if first.len() == 1 { first.iter().collect() } else { moves(sets) };
        for reply in replies {
            if self.holds(sets.iter().copied().filter(|set| !set.contains(reply)).collect())? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// Whether Breaker wins with Maker to move. The sets are minimal and sorted.
    fn holds(&mut self, sets: Vec<Points>) -> Result<bool, Stopped> {
        self.poll.step()?;
        self.nodes += 1;
        match sets.first() {
            None => return Ok(true),
            Some(set) if set.len() <= 1 => return Ok(false),
            Some(_) => {}
        }
        if criterion::breaker_wins(sets.iter().map(|set| set.len()), true) {
            return Ok(true);
        }
        if let Some(&holds) = self.known.get(&sets) {
            return Ok(holds);
        }
        let components = components(&sets);
        let holds = match components.len() {
            1 => pairs(&sets).is_some() || !self.maker_wins(&sets)?,
            _ => {
                let mut all = true;
                for component in components {
                    all = all && self.holds(component)?;
                }
                all
            }
        };
        self.known.insert(sets, holds);
        Ok(holds)
    }

    fn maker_wins(&mut self, sets: &[Points]) -> Result<bool, Stopped> {
        for made in moves(sets) {
            let left: Vec<Points> = sets.iter().map(|set| set.without(made)).collect();
            if self.reply(&minimal(&left))?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The points worth moving to, the ones in the smallest and most sets first.
fn moves(sets: &[Points]) -> Vec<Point> {
    let through = |point: Point| -> Vec<bool> { sets.iter().map(|set| set.contains(point)).collect() };
    let mut points: Vec<(u128, Point, Vec<bool>)> = Points::union(sets)
        .iter()
        .map(|point| {
            let sizes = sets.iter().filter(|set| set.contains(point)).map(|set| set.len());
            (criterion::weight(sizes), point, through(point))
        })
        .collect();
    points.sort_unstable_by_key(|&(weight, point, _)| (Reverse(weight), point));
    let mut kept: Vec<(Point, Vec<bool>)> = Vec::new();
    for (_, point, sets) in points {
        let is_in = |more: &Vec<bool>| sets.iter().zip(more).all(|(is_mine, is_theirs)| !is_mine || *is_theirs);
        if !kept.iter().any(|(_, more)| is_in(more)) {
            kept.push((point, sets));
        }
    }
    kept.into_iter().map(|(point, _)| point).collect()
}

/// The sets in groups that have no points in common.
pub fn components<const N: usize>(sets: &[Points<N>]) -> Vec<Vec<Points<N>>> {
    let mut components: Vec<(Points<N>, Vec<Points<N>>)> = Vec::new();
    for &set in sets {
        let (touched, mut rest): (Vec<_>, Vec<_>) = components.into_iter().partition(|(points, _)| points.meets(set));
        let mut joined = (set, Vec::new());
        for (points, sets) in touched {
            joined.0 = joined.0 | points;
            joined.1.extend(sets);
        }
        joined.1.push(set);
        rest.push(joined);
        components = rest;
    }
    let mut components: Vec<Vec<Points<N>>> = components.into_iter().map(|(_, sets)| sets).collect();
    components.iter_mut().for_each(|sets| sets.sort_unstable_by_key(|set| (set.len(), *set)));
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::PointBoard;
    use proptest::prelude::*;

    fn winner(sets: &[Points], to_move: Mover) -> Mover {
        MakerBreakerSolver::new(&Budget::unlimited()).winner(sets, to_move).unwrap()
    }

    /// All lines of play, without any thought.
    fn brute(sets: &[Points], free: Points, to_move: Mover) -> Mover {
        if sets.iter().any(|set| set.is_empty()) {
            return Mover::Maker;
        }
        if free.is_empty() {
            return Mover::Breaker;
        }
        let after = |point: Point| match to_move {
            Mover::Maker => {
                let left: Vec<Points> = sets.iter().map(|set| set.without(point)).collect();
                brute(&left, free.without(point), Mover::Breaker)
            }
            Mover::Breaker => {
                let left: Vec<Points> = sets.iter().copied().filter(|set| !set.contains(point)).collect();
                brute(&left, free.without(point), Mover::Maker)
            }
        };
        let other = if to_move == Mover::Maker { Mover::Breaker } else { Mover::Maker };
        if free.iter().any(|point| after(point) == to_move) { to_move } else { other }
    }

    proptest! {
        #[test]
        fn the_solver_agrees_with_all_lines_of_play(sets in prop::collection::vec(1u128..256, 0..9), maker_moves: bool) {
            let sets: Vec<Points> = sets.into_iter().map(|set| Points([set])).collect();
            let to_move = if maker_moves { Mover::Maker } else { Mover::Breaker };
            prop_assert_eq!(winner(&sets, to_move), brute(&sets, Points([255]), to_move));
        }
    }

    /// The lines of a projective plane over the integers modulo a prime.
    pub fn projective_plane(order: u32) -> Vec<Points> {
        let all: Vec<[u32; 3]> =
            (0..order).flat_map(|x| (0..order).flat_map(move |y| (0..order).map(move |z| [x, y, z]))).collect();
        // One vector of each direction: the first coordinate that is not 0 is 1.
        let directions: Vec<[u32; 3]> = all.into_iter().filter(|v| v.iter().find(|&&c| c != 0) == Some(&1)).collect();
        let is_on = |a: &[u32; 3], b: &[u32; 3]| (0..3).map(|i| a[i] * b[i]).sum::<u32>() % order == 0;
        let line =
            |a| directions.iter().enumerate().filter(|(_, b)| is_on(a, b)).map(|(point, _)| point as Point).collect();
        directions.iter().map(line).collect()
    }

    #[test]
    fn known_games_have_their_winners() {
        let lines = |board: PointBoard| board.hypergraph().unwrap().as_bits().unwrap();
        let mnk = |text| lines(PointBoard::parse_mnk(text).unwrap());
        // Tic-tac-toe is a draw, but Maker, who need not fear for lines of Breaker's, wins it.
        assert_eq!(winner(&mnk("3x3x3"), Mover::Maker), Mover::Maker);
        assert_eq!(winner(&mnk("3x3x3"), Mover::Breaker), Mover::Breaker);
        assert_eq!(winner(&mnk("4x4x4"), Mover::Maker), Mover::Breaker);
        assert_eq!(winner(&mnk("5x5x5"), Mover::Maker), Mover::Breaker);
        assert_eq!(winner(&lines(PointBoard::parse_cube("3^3").unwrap()), Mover::Maker), Mover::Maker);
        // The center of 3^3 is enough for Maker, but not if Breaker takes it.
        assert_eq!(winner(&lines(PointBoard::parse_cube("3^3").unwrap()), Mover::Breaker), Mover::Maker);
        // Fano's plane is a win of Maker; its lines are more than a matching set of few markers can cover.
        assert_eq!(projective_plane(2).len(), 7);
        assert_eq!(winner(&projective_plane(2), Mover::Maker), Mover::Maker);
    }

    /// The lines of an affine plane: those of the projective one without a line and its points.
    fn affine_plane(order: u32) -> Vec<Points> {
        let lines = projective_plane(order);
        let infinity = lines[0];
        lines[1..].iter().map(|&line| line - infinity).collect()
    }

    /// The open question of the paper, whether as many winning sets can be covered as there are markers: winning sets
    /// that do not overlap, and Breaker, who moves second, wins.
    #[test]
    fn planes_have_as_many_winning_sets_as_markers() {
        for (order, expected) in [(2, Mover::Maker), (3, Mover::Breaker)] {
            let plane = projective_plane(order);
            assert_eq!(plane.len(), Points::union(&plane).len());
            assert_eq!(winner(&plane, Mover::Maker), expected, "projective plane of order {order}");
        }
        // Without one of its points there are fewer markers than winning sets.
        let plane: Vec<Points> = projective_plane(3).into_iter().map(|line| line.without(0)).collect();
        assert_eq!((plane.len(), Points::union(&plane).len()), (13, 12));
        assert_eq!(winner(&plane, Mover::Maker), Mover::Breaker);
        let plane = affine_plane(3);
        assert_eq!((plane.len(), Points::union(&plane).len()), (12, 9));
        assert_eq!(winner(&plane, Mover::Maker), Mover::Maker);
        // By the criterion of Erdős and Selfridge: 56 sets of 7 weigh less than a half.
        let plane = affine_plane(7);
        assert_eq!((plane.len(), Points::union(&plane).len()), (56, 49));
        assert_eq!(winner(&plane, Mover::Maker), Mover::Breaker);
    }

    #[test]
    fn a_game_without_sets_is_breakers_and_an_empty_set_is_makers() {
        assert_eq!(winner(&[], Mover::Maker), Mover::Breaker);
        assert_eq!(winner(&[Points::EMPTY], Mover::Breaker), Mover::Maker);
    }
}
