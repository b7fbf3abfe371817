//! Y-reduction: the board is made smaller until one cell is left.
//!
//! Y is played on a triangle of cells; who joins all three sides wins. Take each three cells that form a small triangle
//! (pointing one way) for one cell of a smaller board, and let the player with most of its stones own it: on a full
//! board the winner stays the same, down to the single cell of the smallest board (C. Schensted, C. Titus, *Mudcrack Y
//! and Poly-Y*, 1975). With empty cells, let each cell hold the probability that Red will own it: 1 at red stones, 0 at
//! blue ones, ½ at empty cells. As if the three cells of a triangle were independent, which they are not, the
//! probability of a majority is ab + bc + ca − 2abc, and the last cell holds an estimate of who will win (S. Meyers's
//! proposal, in van Rijswijck, *Search and evaluation in Hex*, section 4).
//!
//! So what is reduced is a triangle by nature, and other boards are evaluated as parts of one. Hex is Y on a larger
//! triangle with stones set beforehand: the board lies in a corner, all cells below it are Red's and all cells to the
//! right are Blue's, so that a red chain from top to bottom, and no other, joins three sides. The reduction treats that
//! corner unlike the opposite one, so it is made twice, with the board turned by 180° too, and the mean is taken.
//!
//! Nearly certain wins are common: where a player lacks n cells in a row, the estimate falls like 2^−2ⁿ. So each cell holds the
//! probabilities of both players, of which the small one is exact to the last digits; one less the other would be 1 and 0.
//!
//! The figure of a cell is how fast the last cell's probability grows with its own: all of them at once by going back
//! through the steps (reverse differentiation). Time and space O(m³), m = width + height − 1.

use super::PlayerEvaluation;
use crate::board::{Board, Cell, Player};
use crate::position::Position;

/// The largest figure of a player who has not won.
const LARGEST_BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// The estimated probability that the player wins, and for each empty cell by how much this would grow for each
/// unit of probability of owning the cell. Exactly 1 for who has won, and 0 for the other.
pub fn side(position: &Position, player: Player) -> PlayerEvaluation {
    let board = position.board();
    let (upright, turned) =
        (Reduction::of(position, |cell| cell), Reduction::of(position, |cell| half_turn(board, cell)));
    let value = |player: Player| f64::midpoint(upright.value.of(player), turned.value.of(player));
    let figure = |cell: Cell| f64::midpoint(upright.slope(board, cell), turned.slope(board, half_turn(board, cell)));
    let figures = board.cells().map(|cell| position.stone(cell).is_none().then(|| figure(cell))).collect();
    // Certain is only who has won.
    let most = if value(player.opponent()) > 0.0 { LARGEST_BELOW_ONE } else { 1.0 };
    PlayerEvaluation::new(value(player).min(most), figures)
}

/// The cell at the place of this one when the board is turned by 180°.
fn half_turn(board: Board, cell: Cell) -> Cell {
    Cell::from_index(board.len() - 1 - cell.index())
}

/// The result of reducing a board to one cell.
struct Reduction {
    /// The probabilities in the last cell.
    value: CellOdds,
    /// The derivative of Red's by that in each cell of the board.
    slopes: Vec<Vec<f64>>,
}

impl Reduction {
    /// `source` says which cell of the position stands at a place of the board.
    fn of(position: &Position, source: impl Fn(Cell) -> Cell) -> Reduction {
        let mut layers = Vec::new();
        let mut last = OddsTriangle::of(position, source);
        while let Some(next) = last.reduced() {
            layers.push(std::mem::replace(&mut last, next));
        }
        let slopes = layers.iter().rev().fold(vec![vec![1.0]], |slopes, layer| layer.slopes(&slopes));
        Reduction { value: last.rows[0][0], slopes }
    }

    fn slope(&self, board: Board, cell: Cell) -> f64 {
        self.slopes[board.row(cell)][board.column(cell)]
    }
}

/// The probabilities that Red and that Blue will own a cell: one less each other, and 0 only where that is certain.
#[derive(Clone, Copy)]
struct CellOdds {
    red: f64,
    blue: f64,
}

impl CellOdds {
    const RED: CellOdds = CellOdds { red: 1.0, blue: 0.0 };
    const BLUE: CellOdds = CellOdds { red: 0.0, blue: 1.0 };
    const OPEN: CellOdds = CellOdds { red: 0.5, blue: 0.5 };

    fn of(self, player: Player) -> f64 {
        match player {
            Player::Red => self.red,
            Player::Blue => self.blue,
        }
    }

    /// The same with the players exchanged.
    fn exchanged(self) -> CellOdds {
        CellOdds { red: self.blue, blue: self.red }
    }
}

/// The probabilities for each cell of a Y board: in a board of m rows, row i has m − i cells.
struct OddsTriangle {
    rows: Vec<Vec<CellOdds>>,
}

impl OddsTriangle {
    /// The probabilities that Red and that Blue will own each cell of the board and of what surrounds it.
    fn of(position: &Position, source: impl Fn(Cell) -> Cell) -> OddsTriangle {
        let board = position.board();
        let side = board.width() + board.height() - 1;
        let probability =
            |column: usize, row: usize| match board.cell(column, row).map(|cell| position.stone(source(cell))) {
                Some(None) => CellOdds::OPEN,
                Some(Some(Player::Red)) => CellOdds::RED,
                Some(Some(Player::Blue)) => CellOdds::BLUE,
                // Below the board is Red's, to the right Blue's.
                None if row >= board.height() => CellOdds::RED,
                None => CellOdds::BLUE,
            };
        let rows = (0..side).map(|row| (0..side - row).map(|column| probability(column, row)).collect());
        OddsTriangle { rows: rows.collect() }
    }

    /// The next smaller board; `None` for a single cell.
    fn reduced(&self) -> Option<OddsTriangle> {
        let rows: Vec<Vec<CellOdds>> = self
            .rows
            .windows(2)
            .map(|rows| rows[0].windows(2).zip(&rows[1]).map(|(upper, &c)| majority(upper[0], upper[1], c)).collect())
            .collect();
        (!rows.is_empty()).then_some(OddsTriangle { rows })
    }

    /// The derivatives of the final figure by the cells of this board, from those by the cells of the next smaller one.
    fn slopes(&self, smaller: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut slopes: Vec<Vec<f64>> = self.rows.iter().map(|row| vec![0.0; row.len()]).collect();
        for (row, line) in smaller.iter().enumerate() {
            for (column, slope) in line.iter().enumerate() {
                let corners = [(row, column), (row, column + 1), (row + 1, column)];
                let [a, b, c] = corners.map(|(row, column)| self.rows[row][column]);
                let growth = [either(b, c), either(a, c), either(a, b)];
                for ((row, column), growth) in corners.into_iter().zip(growth) {
                    slopes[row][column] += slope * growth;
                }
            }
        }
        slopes
    }
}

/// The probabilities that at least two of three independent cells are of each player; exact where two are certain.
fn majority(a: CellOdds, b: CellOdds, c: CellOdds) -> CellOdds {
    let [red, blue] = [[a, b, c], [a, b, c].map(CellOdds::exchanged)].map(|cells| reds_majority(&cells));
    match (red > 0.0, blue > 0.0) {
        (true, false) => CellOdds::RED,
        (false, true) => CellOdds::BLUE,
        _ => CellOdds { red, blue },
    }
}

/// The probability that at least two of three cells are Red's, a sum without differences. It is 0 only if it must be: what is too
/// small for a float is the smallest one.
fn reds_majority(cells: &[CellOdds; 3]) -> f64 {
    let [a, b, c] = cells;
    let is_possible = cells.iter().filter(|cell| cell.red > 0.0).count() >= 2;
    let least = if is_possible { f64::MIN_POSITIVE } else { 0.0 };
    (a.red * b.red + c.red * either(*a, *b)).max(least)
}

/// The probability that exactly one of two independent cells is Red's: a third then decides.
fn either(a: CellOdds, b: CellOdds) -> f64 {
    a.red * b.blue + b.red * a.blue
}
