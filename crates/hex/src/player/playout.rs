//! Random games, as many as possible in a second.
//!
//! A playout fills the board: moves beyond a win change nothing, as a full board has exactly one winner and the chain
//! that won stays one. So the winner is determined at the end only, by one flood from Red's first edge. Moves are
//! random, except that a player whose bridge is intruded upon saves it (Gelly and others' idea of patterns for Go; for
//! Hex: Arneson, Hayward, Henderson, *Monte Carlo tree search in Hex*, 2010).

use crate::board::{Board, Cell, Player};
use crate::hexagon::RING;
use crate::position::Position;
use crate::random::Random;

/// The contents of a cell of a [`BorderedBoard`].
pub type BorderedContent = u8;

/// No stone.
pub const EMPTY: BorderedContent = 0;

/// Beyond the corners, where edges of both players meet.
pub const NOBODY: BorderedContent = 3;

/// A player's stone, or the player's edge.
pub const fn stone(player: Player) -> BorderedContent {
    1 + player as BorderedContent
}

/// The board with a border of one cell that holds the players' edges, so that no step leads outside. Cells are places
/// in an array.
#[derive(Clone, Debug)]
pub struct BorderedBoard {
    board: Board,
    stride: usize,
    contents: Vec<BorderedContent>,
}

impl BorderedBoard {
    /// The field of a position.
    pub fn new(position: &Position) -> BorderedBoard {
        let board = position.board();
        let stride = board.width() + 2;
        let mut contents = vec![NOBODY; stride * (board.height() + 2)];
        for column in 1..=board.width() {
            contents[column] = stone(Player::Red);
            contents[column + (board.height() + 1) * stride] = stone(Player::Red);
        }
        for row in 1..=board.height() {
            contents[row * stride] = stone(Player::Blue);
            contents[row * stride + board.width() + 1] = stone(Player::Blue);
        }
        let mut field = BorderedBoard { board, stride, contents };
        for cell in board.cells() {
            let place = field.place(cell);
            field.contents[place] = position.stone(cell).map_or(EMPTY, stone);
        }
        field
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The stones that stand here.
    pub fn position(&self) -> Position {
        let mut position = Position::new(self.board);
        for cell in self.board.cells() {
            let content = self.contents[self.place(cell)];
            if let Some(player) = Player::BOTH.into_iter().find(|&player| stone(player) == content) {
                position.place(player, cell);
            }
        }
        position
    }

    /// The place of a cell of the board.
    pub fn place(&self, cell: Cell) -> usize {
        (self.board.row(cell) + 1) * self.stride + self.board.column(cell) + 1
    }

    /// The cell at a place on the board.
    pub fn cell(&self, place: usize) -> Option<Cell> {
        self.board.cell((place % self.stride).checked_sub(1)?, (place / self.stride).checked_sub(1)?)
    }

    /// The contents of a place.
    pub fn content(&self, place: usize) -> BorderedContent {
        self.contents[place]
    }

    /// Puts a stone on a place.
    pub fn put(&mut self, place: usize, player: Player) {
        self.contents[place] = stone(player);
    }

    /// The empty places, row by row.
    pub fn empty(&self) -> impl Iterator<Item = usize> {
        (0..self.contents.len()).filter(|&place| self.contents[place] == EMPTY)
    }

    /// The player who has joined their edges, by a flood from the first edge of each.
    pub fn winner(&self) -> Option<Player> {
        self.position().winner()
    }

    /// Makes this field a copy of another of the same board.
    pub fn copy_from(&mut self, other: &BorderedBoard) {
        self.contents.copy_from_slice(&other.contents);
    }

    /// The difference between a place and the one below.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The steps in the directions of the [`RING`].
    fn steps(&self) -> [isize; 6] {
        RING.map(|(right, down)| down * self.stride as isize + right)
    }
}

/// By player and the contents around a cell, two bits each, the directions of empty cells between two of the player's, as bits.
static BRIDGES_AROUND: [[u8; 1 << 12]; 2] = {
    let mut bridges = [[0; 1 << 12]; 2];
    let mut ring = 0;
    while ring < 1 << 12 {
        let mut i = 0;
        while i < 6 {
            let before = ring >> (2 * ((i + 5) % 6)) & 3;
            let after = ring >> (2 * ((i + 1) % 6)) & 3;
            if ring >> (2 * i) & 3 == EMPTY as usize && before == after && (before == 1 || before == 2) {
                bridges[before - 1][ring] |= 1 << i;
            }
            i += 1;
        }
        ring += 1;
    }
    bridges
};

/// Buffers of playouts.
#[derive(Debug)]
pub struct Playouts {
    steps: [isize; 6],
    /// The empty places, and where in that list each place is.
    empty: Vec<u32>,
    index: Vec<u32>,
    flood: Vec<u32>,
}

impl Playouts {
    /// Buffers for fields of this size.
    pub fn new(field: &BorderedBoard) -> Playouts {
        let places = field.contents.len();
        Playouts {
            steps: field.steps(),
            empty: Vec::with_capacity(places),
            index: vec![0; places],
            flood: Vec::with_capacity(places),
        }
    }

    /// Fills the field, `player` first, who answers the opponent's move `last`; returns the winner.
    pub fn run(
        &mut self,
        field: &mut BorderedBoard,
        player: Player,
        last: Option<usize>,
        random: &mut Random,
    ) -> Player {
        self.empty.clear();
        for (place, &content) in field.contents.iter().enumerate() {
            if content == EMPTY {
                self.index[place] = self.empty.len() as u32;
                self.empty.push(place as u32);
            }
        }
        let mut player = player;
        let mut last = last;
        while !self.empty.is_empty() {
            let chance = random.next_u64();
            let saved = last.and_then(|last| self.bridge_to_save(field, last, stone(player), chance));
            let place = saved.unwrap_or_else(|| {
                let choice = ((chance >> 32) * self.empty.len() as u64) >> 32;
                self.empty[choice as usize] as usize
            });
            self.take(place);
            field.contents[place] = stone(player);
            last = Some(place);
            player = player.opponent();
        }
        self.winner(field)
    }

    fn take(&mut self, place: usize) {
        let index = self.index[place] as usize;
        self.empty.swap_remove(index);
        if let Some(&moved) = self.empty.get(index) {
            self.index[moved as usize] = index as u32;
        }
    }

    /// The other cell of a bridge of `mine` that the stone at `intruder` has entered: both ends and the cell lie around
    /// the intruder one after the other. Looks around from a random direction on.
    fn bridge_to_save(
        &self,
        field: &BorderedBoard,
        intruder: usize,
        mine: BorderedContent,
        chance: u64,
    ) -> Option<usize> {
        let content = |step: isize| usize::from(field.contents[intruder.wrapping_add_signed(step)]);
        let ring = self.steps.iter().rev().fold(0, |ring, &step| ring << 2 | content(step));
        let bridges = u32::from(BRIDGES_AROUND[usize::from(mine) - 1][ring]);
        if bridges == 0 {
            return None;
        }
        let first = ((chance & 0xffff) as usize * 6) >> 16;
        // Twice around, so that the directions before the first one follow.
        let direction = first + ((bridges * 0b100_0001) >> first).trailing_zeros() as usize;
        Some(intruder.wrapping_add_signed(self.steps[direction % 6]))
    }

    /// The winner on a full field: Red, if red stones lead from the first row to the last; else Blue. Flooded stones
    /// are marked and restored.
    fn winner(&mut self, field: &mut BorderedBoard) -> Player {
        const SEEN: BorderedContent = 4;
        let red = stone(Player::Red);
        let last_row = field.stride * field.board.height();
        self.flood.clear();
        self.flood.extend((field.stride + 1..2 * field.stride - 1).map(|place| place as u32));
        self.flood.retain(|&place| field.contents[place as usize] == red);
        self.flood.iter().for_each(|&place| field.contents[place as usize] |= SEEN);
        let mut winner = Player::Blue;
        let mut next = 0;
        while let Some(&place) = self.flood.get(next) {
            next += 1;
            let place = place as usize;
            if place >= last_row {
                winner = Player::Red;
                break;
            }
            for step in self.steps {
                let neighbor = place.wrapping_add_signed(step);
                // The edge above is no way.
                if neighbor >= field.stride && field.contents[neighbor] == red {
                    field.contents[neighbor] |= SEEN;
                    self.flood.push(neighbor as u32);
                }
            }
        }
        self.flood.iter().for_each(|&place| field.contents[place as usize] &= !SEEN);
        winner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::scatter;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_playout_fills_the_board_and_names_who_has_won(width in 1..8usize, height in 1..8usize, seed: u64) {
            let board = Board::new(width, height).unwrap();
            let mut random = Random::new(seed);
            let stones = random.below(board.len() + 1);
            let position = scatter(board, stones, None, &mut random);
            let mut field = BorderedBoard::new(&position);
            let winner = Playouts::new(&field).run(&mut field, Player::Red, None, &mut random);
            prop_assert_eq!(field.empty().count(), 0);
            let full = field.position();
            prop_assert_eq!(Some(winner), full.winner());
            for (player, cell) in position.stones() {
                prop_assert_eq!(full.stone(cell), Some(player));
            }
        }
    }

    #[test]
    fn bridges_are_saved() {
        // Red's b2 and a4 join over a3 and b3; b2 is joined to the top over b1 and c1.
        let board = Board::new(4, 4).unwrap();
        let cell = |name: &str| board.cell_of_name(name).unwrap();
        let mut position = Position::new(board);
        for name in ["b2", "a4"] {
            position.place(Player::Red, cell(name));
        }
        for (intruder, other) in
            [("a3", Some("b3")), ("b3", Some("a3")), ("b1", Some("c1")), ("c1", Some("b1")), ("d4", None)]
        {
            let mut field = BorderedBoard::new(&position);
            let place = field.place(cell(intruder));
            field.put(place, Player::Blue);
            for chance in [0, 0x4000, 0x8000, 0xc000, 0xffff] {
                let saved = Playouts::new(&field).bridge_to_save(&field, place, stone(Player::Red), chance);
                assert_eq!(saved, other.map(|name| field.place(cell(name))), "{intruder}");
            }
        }
    }
}
