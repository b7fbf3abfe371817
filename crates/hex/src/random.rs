//! Random positions, the same for the same seed on every machine.

use super::board::{Board, Cell, Player};
use super::position::Position;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// SplitMix64 (Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014): small, and good enough to
/// scatter stones. Seeds are part of documented commands and of the origins of benchmark positions, so neither the
/// generator nor [`below`](Random::below) may change.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::seed_from_u64(seed))
    }

    /// The next number, of all that there are with equal probability.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is not zero. The bias is below `bound`/2⁶⁴.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}

/// `stones` stones (at most as many as there are cells) on random cells, by turns of both players, Red first, or all
/// of `only` one player.
pub fn scatter(board: Board, stones: usize, only: Option<Player>, random: &mut Random) -> Position {
    let mut cells: Vec<Cell> = board.cells().collect();
    let mut position = Position::new(board);
    for i in 0..stones.min(cells.len()) {
        let chosen = i + random.below(cells.len() - i);
        cells.swap(i, chosen);
        position.place(only.unwrap_or(Player::BOTH[i % 2]), cells[i]);
    }
    position
}

/// As [`scatter`], repeated until neither player has won; `None` after `tries` failures.
pub fn scatter_without_win(
    board: Board,
    stones: usize,
    only: Option<Player>,
    random: &mut Random,
    tries: usize,
) -> Option<Position> {
    (0..tries).map(|_| scatter(board, stones, only, random)).find(|position| position.winner().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_split_mix_64() {
        // The first values for seed 1234567, as published with the reference implementation.
        let mut random = Random::new(1234567);
        assert_eq!(random.next_u64(), 6457827717110365317);
        assert_eq!(random.next_u64(), 3203168211198807973);
    }

    #[test]
    fn stones_are_shared_out() {
        let board = Board::new(5, 4).unwrap();
        let position = scatter(board, 9, None, &mut Random::new(7));
        assert_eq!((position.stones_of(Player::Red).count(), position.stones_of(Player::Blue).count()), (5, 4));
        let position = scatter(board, 20, Some(Player::Blue), &mut Random::new(7));
        assert_eq!(position.winner(), Some(Player::Blue));
        assert!(scatter_without_win(board, 20, None, &mut Random::new(7), 50).is_none());
        assert!(scatter_without_win(board, 8, None, &mut Random::new(7), 50).is_some());
    }
}
