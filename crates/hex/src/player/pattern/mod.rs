//! Moves weighed by what lies around them.
//!
//! The chance that a move is made is proportional to the exponential of the sum of its features' weights, a generalized
//! Bradley–Terry model (Coulom, *Computing "Elo ratings" of move patterns in the game of Go*, 2007; for Hex: Huang,
//! Arneson, Hayward, Müller, Pawlewicz, *MoHex 2.0: a pattern-based MCTS Hex player*, 2013). Features are those of Red's
//! board: Blue sees it reflected, with the colors exchanged. A half turn changes none of them. They are
//!
//! * the six cells around;
//! * each cell at the distance of a bridge, with the two cells between;
//! * the direction of the opponent's last move, if it is at most two steps away, with the cells that it may cut;
//! * the distances from the edges.
//!
//! `learn` finds weights from the moves of games; `weights.txt` has those of games of the player against itself.

mod learn;

pub use learn::{MoveChoice, learn, surprise};

use super::playout::{BorderedBoard, BorderedContent, EMPTY, NOBODY, stone};
use crate::board::Player;
use crate::hexagon::RING;
use std::fmt::Write;
use std::sync::Arc;

/// The number of codes of the contents of six cells, two bits each.
const RINGS: usize = 1 << 12;

/// Directions that no half turn exchanges.
const AXES: usize = 3;

/// The first feature of each kind, after the cells around.
const BRIDGES: usize = RINGS;
const NEXT_TO_LAST: usize = BRIDGES + AXES * (1 << 6);
const BRIDGE_FROM_LAST: usize = NEXT_TO_LAST + AXES * (1 << 8);
const IN_LINE_WITH_LAST: usize = BRIDGE_FROM_LAST + AXES * (1 << 4);
const DISTANCES: usize = IN_LINE_WITH_LAST + AXES * (1 << 2);

/// Distances from an edge that are told apart.
const LINES: usize = 5;

/// The least sum of weights: no prior is zero, whatever multiplies it.
const LEAST_SUM: f32 = -30.0;

/// The number of features.
const FEATURES: usize = DISTANCES + LINES * LINES;

/// The contents of a cell as each player sees them.
const SEEN: [[BorderedContent; 4]; 2] = {
    let [red, blue] = [stone(Player::Red), stone(Player::Blue)];
    [[EMPTY, red, blue, NOBODY], [EMPTY, blue, red, NOBODY]]
};

/// The weights of all features.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternWeights(Vec<f32>);

impl PatternWeights {
    /// The weights by which no move is preferred.
    pub fn none() -> PatternWeights {
        PatternWeights(vec![0.0; FEATURES])
    }

    /// The weights that [`HexPlayer::new`](super::HexPlayer::new) plays with.
    pub fn shipped() -> PatternWeights {
        PatternWeights::parse(include_str!("weights.txt"))
    }

    /// Reads what [`to_text`](PatternWeights::to_text) writes. Lines that are no weight of a feature are passed over.
    pub fn parse(text: &str) -> PatternWeights {
        let mut weights = PatternWeights::none();
        for line in text.lines() {
            let Some((feature, weight)) = line.split_once(' ') else { continue };
            let place = feature.parse().ok().and_then(|feature: usize| weights.0.get_mut(feature));
            if let (Some(place), Ok(weight)) = (place, weight.parse::<i32>()) {
                *place = weight as f32 / 100.0;
            }
        }
        weights
    }

    /// A line for each feature whose weight is not zero: its number, and its weight in hundredths.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (feature, weight) in self.0.iter().enumerate() {
            let hundredths = (100.0 * weight).round();
            if hundredths != 0.0 {
                let _ = writeln!(text, "{feature} {hundredths}");
            }
        }
        text
    }

    fn sum(&self, features: &[u32]) -> f32 {
        features.iter().map(|&feature| self.0[feature as usize]).sum()
    }
}

/// The features of moves on fields of one board, and their weights.
#[derive(Clone, Debug)]
pub struct MovePatterns {
    weights: Arc<PatternWeights>,
    /// By player, the steps around a place in the order of Red's board.
    steps: [[isize; 6]; 2],
    /// By player and place, the feature of the distances from the edges; zero beyond the board.
    distances: [Vec<u32>; 2],
}

impl MovePatterns {
    /// The patterns of the board of a field.
    pub fn new(field: &BorderedBoard, weights: Arc<PatternWeights>) -> MovePatterns {
        let board = field.board();
        let step = |right: isize, down: isize| down * field.stride() as isize + right;
        let steps = [RING.map(|(right, down)| step(right, down)), RING.map(|(right, down)| step(down, right))];
        let distances = Player::BOTH.map(|player| {
            let mut distances = vec![0; field.stride() * (board.height() + 2)];
            for cell in board.cells() {
                let from_edges = |player: Player| {
                    let line = board.line(player, cell);
                    line.min(board.lines(player) - 1 - line).min(LINES - 1)
                };
                let feature = DISTANCES + from_edges(player) * LINES + from_edges(player.opponent());
                distances[field.place(cell)] = feature as u32;
            }
            distances
        });
        MovePatterns { weights, steps, distances }
    }

    /// How much rather a move at an empty place is made than others: in proportion to its chance.
    pub fn strength(&self, field: &BorderedBoard, place: usize, player: Player, last: Option<usize>) -> f32 {
        let mut sum = 0.0;
        self.features(field, place, player, last, |feature| sum += self.weights.0[feature]);
        sum.max(LEAST_SUM).exp()
    }

    /// The features of a move at an empty place after the opponent's move at `last`.
    fn features(
        &self,
        field: &BorderedBoard,
        place: usize,
        player: Player,
        last: Option<usize>,
        mut each: impl FnMut(usize),
    ) {
        let distances = &self.distances[player as usize];
        let steps = &self.steps[player as usize];
        let seen = |place: usize| usize::from(SEEN[player as usize][usize::from(field.content(place))]);
        let places = steps.map(|step| place.wrapping_add_signed(step));
        let around = places.map(seen);
        let is_on_board = places.map(|place| distances[place] != 0);
        let ring = around.iter().rev().fold(0, |code, content| code << 2 | content);
        each(ring.min((ring >> 6 | ring << 6) % RINGS));
        each(distances[place] as usize);
        for i in 0..6 {
            let next = (i + 1) % 6;
            let axis = i % AXES;
            let between = around[i] | around[next] << 2;
            // Nothing lies beyond an edge.
            let far = (is_on_board[i] && is_on_board[next]).then(|| places[i].wrapping_add_signed(steps[next]));
            each(BRIDGES + (axis << 6 | far.map_or(usize::from(NOBODY), seen) << 4 | between));
            if last.is_none() {
                continue;
            }
            if last == far {
                each(BRIDGE_FROM_LAST + (axis << 4 | between));
            }
            if last == Some(places[i]) {
                let beside = [1, 2, 4, 5].iter().fold(axis, |code, turn| code << 2 | around[(i + turn) % 6]);
                each(NEXT_TO_LAST + beside);
            }
            if is_on_board[i] && last == Some(places[i].wrapping_add_signed(steps[i])) {
                each(IN_LINE_WITH_LAST + (axis << 2 | around[i]));
            }
        }
    }

    /// The choice of `chosen` among the empty places of a field.
    pub fn choice(&self, field: &BorderedBoard, chosen: usize, player: Player, last: Option<usize>) -> MoveChoice {
        let features = |place: usize| {
            let mut features = Vec::new();
            self.features(field, place, player, last, |feature| features.push(feature as u32));
            features
        };
        MoveChoice {
            chosen: features(chosen),
            others: field.empty().filter(|&place| place != chosen).map(features).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Cell};
    use crate::position::Position;
    use crate::random::{Random, scatter_without_win};
    use proptest::prelude::*;

    /// The features of a move, in order.
    fn features(position: &Position, cell: Cell, player: Player, last: Option<Cell>) -> Vec<u32> {
        let field = BorderedBoard::new(position);
        let patterns = MovePatterns::new(&field, Arc::new(PatternWeights::none()));
        let choice = patterns.choice(&field, field.place(cell), player, last.map(|last| field.place(last)));
        let mut features = choice.chosen;
        features.sort_unstable();
        features
    }

    /// The position with each stone at the cell that `to` sends it to, and of the player that `by` says.
    fn moved(position: &Position, to: impl Fn(Cell) -> Cell, by: impl Fn(Player) -> Player) -> Position {
        let mut moved = Position::new(position.board());
        for (player, cell) in position.stones() {
            moved.place(by(player), to(cell));
        }
        moved
    }

    proptest! {
        #[test]
        fn features_are_the_same_for_blue_on_the_reflected_board_and_after_a_half_turn(side in 2..8usize, seed: u64) {
            let board = Board::new(side, side).unwrap();
            let mut random = Random::new(seed);
            let stones = 1 + random.below(board.len() / 2);
            let position = scatter_without_win(board, stones, None, &mut random, 100);
            prop_assume!(position.is_some());
            let position = position.unwrap();
            let last = position.stones_of(Player::Red).last();
            let turned = |cell: Cell| Cell::from_index(board.len() - 1 - cell.index());
            let reflected = |cell: Cell| board.cell(board.row(cell), board.column(cell)).unwrap();
            for cell in position.empty_cells() {
                let expected = features(&position, cell, Player::Blue, last);
                let turned_position = moved(&position, turned, |player| player);
                prop_assert_eq!(&features(&turned_position, turned(cell), Player::Blue, last.map(turned)), &expected);
                let exchanged = moved(&position, reflected, Player::opponent);
                prop_assert_eq!(&features(&exchanged, reflected(cell), Player::Red, last.map(reflected)), &expected);
            }
        }
    }

    #[test]
    fn features_by_hand() {
        // Blue's c2 intrudes upon the bridge of Red's c1 with b3, where Red moves.
        let board = Board::new(5, 5).unwrap();
        let cell = |name: &str| board.cell_of_name(name).unwrap();
        let mut position = Position::new(board);
        position.place(Player::Red, cell("c1"));
        position.place(Player::Blue, cell("c2"));
        // Around b3, clockwise from the right: c3 b4 a4 a3 b2 c2, of which the sixth is Blue's, after a half turn the third.
        let around = 0b10_00_00;
        // The cells between and the far one: c3 b4 c4; b4 a4 a5; a4 a3 and Blue's edge; a3 b2 a2; b2 c2 c1; c2 c3 d2.
        let bridges = [0, 0b01_00_00_00, 0b10_10_00_00, 0, 0b01_01_10_00, 0b10_00_00_10];
        // Beside c2, as seen from b3, nothing stands; this is the third axis.
        let next_to_last = 0b10_00_00_00_00;
        // Two rows lie above, and one column to the left.
        let distances = 2 * LINES + 1;
        let mut expected = bridges.map(|code| BRIDGES + code).to_vec();
        expected.extend([around, NEXT_TO_LAST + next_to_last, DISTANCES + distances]);
        let mut expected: Vec<u32> = expected.into_iter().map(|feature| feature as u32).collect();
        expected.sort_unstable();
        assert_eq!(features(&position, cell("b3"), Player::Red, Some(cell("c2"))), expected);
    }

    #[test]
    fn weights_are_read_as_they_are_written() {
        let text: String = include_str!("weights.txt").lines().skip(1).map(|line| format!("{line}\n")).collect();
        assert_eq!(PatternWeights::shipped().to_text(), text);
        let other = PatternWeights::parse("7 120\n999999 3\nx 1\n8\n9 1.5\n");
        assert_eq!(other.to_text(), "7 120\n");
    }

    #[test]
    fn shipped_weights_save_bridges() {
        // Blue's c5 intrudes upon the bridge from d4 to c6.
        let board = Board::new(7, 7).unwrap();
        let cell = |name: &str| board.cell_of_name(name).unwrap();
        let mut position = Position::new(board);
        position.place(Player::Red, cell("d4"));
        position.place(Player::Red, cell("c6"));
        position.place(Player::Blue, cell("c5"));
        let field = BorderedBoard::new(&position);
        let patterns = MovePatterns::new(&field, Arc::new(PatternWeights::shipped()));
        let last = Some(field.place(cell("c5")));
        let strength = |cell: Cell| patterns.strength(&field, field.place(cell), Player::Red, last);
        let best = position.empty_cells().max_by(|a, b| strength(*a).total_cmp(&strength(*b)));
        assert_eq!(best, Some(cell("d5")));
    }
}
