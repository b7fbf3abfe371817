//! Pairs for nine or more in a row, on a board of any size.
//!
//! The endless board is folded onto a torus of 8×8 points. The torus has 32 lines, eight in each direction, and 64 points:
//! each line may get two neighbors of its own. Nine points in a row hold all pairs of neighbors of the line that they are
//! folded onto, so they hold its pair, wherever they are (Hales and Jewett, *Regularity and positional games*, 1963).

use crate::hypergraph::{Hypergraph, PointBoard};
use crate::matching::{MatchingPart, check};
use crate::points::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// The side of the torus.
const SIDE: usize = 8;

/// The directions of lines: columns to the right and rows down.
const DIRECTIONS: [[isize; 2]; 4] = [[1, 0], [0, 1], [1, 1], [-1, 1]];

/// Pairs that cover these open winning sets of a board of nine or more in a row; `None` for other games, and if marks on the
/// board have spoiled the pair of a set.
pub fn cover(game: &Hypergraph, open: &[Vec<Point>]) -> Option<Vec<MatchingPart>> {
    let Some(PointBoard::Mnk { width, height, k: 9.. }) = game.board() else { return None };
    let live: FxHashSet<Point> = open.iter().flatten().copied().collect();
    let pairs = pairs(width, height).into_iter().filter(|pair| pair.iter().all(|point| live.contains(point)));
    let parts: Vec<MatchingPart> = pairs.map(MatchingPart::Pair).collect();
    check(&parts, open, |point| live.contains(&point)).is_ok().then_some(parts)
}

/// The pairs of the torus, unfolded on a board whose points are numbered row by row.
fn pairs(width: usize, height: usize) -> Vec<[Point; 2]> {
    let mut torus = Torus::default();
    torus.search();
    let pair = |point: usize| {
        let [column, row] = [point % width, point / width];
        let direction = torus.pairs.get(&[column % SIDE, row % SIDE])?;
        let [column, row] = [column.checked_add_signed(direction[0])?, row.checked_add_signed(direction[1])?];
        (column < width && row < height).then(|| [point, row * width + column].map(|point| point as Point))
    };
    (0..width * height).filter_map(pair).collect()
}

/// A point of the torus: column and row.
type TorusPoint = [usize; 2];

/// Pairs on the torus, as far as they are chosen.
#[derive(Default)]
struct Torus {
    /// By first point: the direction of the second one.
    pairs: FxHashMap<TorusPoint, [isize; 2]>,
    taken: FxHashSet<TorusPoint>,
    /// The lines that have a pair: direction and number.
    done: FxHashSet<[usize; 2]>,
}

impl Torus {
    /// The pairs of neighbors of a line that are free.
    fn choices(&self, [direction, number]: [usize; 2]) -> Vec<[TorusPoint; 2]> {
        let [right, down] = DIRECTIONS[direction];
        let at = |step: usize| {
            let moved = |from: usize, by: isize| (from + step * by.rem_euclid(SIDE as isize) as usize) % SIDE;
            if down == 0 { [moved(0, right), number] } else { [moved(number, right), moved(0, down)] }
        };
        let pairs = (0..SIDE).map(|step| [at(step), at(step + 1)]);
        pairs.filter(|pair| pair.iter().all(|point| !self.taken.contains(point))).collect()
    }

    /// Gives a pair to each line that has none, the line with the fewest choices first; `false`, and nothing is changed, if
    /// that is not possible.
    fn search(&mut self) -> bool {
        let lines = (0..DIRECTIONS.len()).flat_map(|direction| (0..SIDE).map(move |number| [direction, number]));
        let open = lines.filter(|line| !self.done.contains(line)).map(|line| (line, self.choices(line)));
        let Some((line, choices)) = open.min_by_key(|(_, choices)| choices.len()) else { return true };
        self.done.insert(line);
        for pair in choices {
            self.pairs.insert(pair[0], DIRECTIONS[line[0]]);
            self.taken.extend(pair);
            if self.search() {
                return true;
            }
            self.pairs.remove(&pair[0]);
            pair.iter().for_each(|point| _ = self.taken.remove(point));
        }
        self.done.remove(&line);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check of matchings knows nothing of the torus.
    #[test]
    fn nine_in_a_row_are_covered_on_every_board() {
        for size in ["9x9x9", "19x19x9", "9x40x9", "31x10x9", "25x26x10", "30x12x14"] {
            let game = PointBoard::parse_mnk(size).unwrap().hypergraph().unwrap();
            let parts = cover(&game, game.sets()).expect(size);
            assert_eq!(check(&parts, game.sets(), |_| true), Ok(()), "{size}");
        }
    }

    #[test]
    fn other_games_have_no_such_pairs() {
        for board in [PointBoard::parse_mnk("19x19x8"), PointBoard::parse_cube("9^2")] {
            let game = board.unwrap().hypergraph().unwrap();
            assert_eq!(cover(&game, game.sets()), None);
        }
    }
}
