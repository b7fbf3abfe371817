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
//! The figure of a cell is how fast the last cell's probability grows with its own: all of them at once by going back
//! through the steps (reverse differentiation). Time and space O(m³), m = width + height − 1.

use super::PlayerEvaluation;
use crate::board::{Board, Cell, Player};
use crate::position::Position;

/// The estimated probability that the player wins, and for each empty cell by how much this would grow for each
/// unit of probability of owning the cell. 1 for who has won, and 0 for the other.
pub fn side(position: &Position, player: Player) -> PlayerEvaluation {
    let board = position.board();
    let (upright, turned) =
        (Reduction::of(position, |cell| cell), Reduction::of(position, |cell| half_turn(board, cell)));
    let red = f64::midpoint(upright.value, turned.value);
    let figure = |cell: Cell| f64::midpoint(upright.slope(board, cell), turned.slope(board, half_turn(board, cell)));
    let figures = board.cells().map(|cell| position.stone(cell).is_none().then(|| figure(cell))).collect();
    PlayerEvaluation::new(if player == Player::Red { red } else { 1.0 - red }, figures)
}

/// The cell at the place of this one when the board is turned by 180°.
fn half_turn(board: Board, cell: Cell) -> Cell {
    Cell::from_index(board.len() - 1 - cell.index())
}

/// The result of reducing a board to one cell.
struct Reduction {
    /// The probability in the last cell.
    value: f64,
    /// Its derivative by the probability in each cell of the board.
    slopes: FigureTriangle,
}

impl Reduction {
    /// `source` says which cell of the position stands at a place of the board.
    fn of(position: &Position, source: impl Fn(Cell) -> Cell) -> Reduction {
        let mut layers = Vec::new();
        let mut last = FigureTriangle::of(position, source);
        while let Some(next) = last.reduced() {
            layers.push(std::mem::replace(&mut last, next));
        }
        let one = FigureTriangle { rows: vec![vec![1.0]] };
        let slopes = layers.iter().rev().fold(one, |slopes, layer| layer.slopes(&slopes));
        Reduction { value: last.rows[0][0], slopes }
    }

    fn slope(&self, board: Board, cell: Cell) -> f64 {
        self.slopes.rows[board.row(cell)][board.column(cell)]
    }
}

/// A figure for each cell of a Y board: in a board of m rows, row i has m − i cells.
struct FigureTriangle {
    rows: Vec<Vec<f64>>,
}

impl FigureTriangle {
    /// The probability that Red will own each cell of the board and of what surrounds it.
    fn of(position: &Position, source: impl Fn(Cell) -> Cell) -> FigureTriangle {
        let board = position.board();
        let side = board.width() + board.height() - 1;
        let probability =
            |column: usize, row: usize| match board.cell(column, row).map(|cell| position.stone(source(cell))) {
                Some(None) => 0.5,
                Some(Some(Player::Red)) => 1.0,
                Some(Some(Player::Blue)) => 0.0,
                // Below the board is Red's, to the right Blue's.
                None if row >= board.height() => 1.0,
                None => 0.0,
            };
        let rows = (0..side).map(|row| (0..side - row).map(|column| probability(column, row)).collect());
        FigureTriangle { rows: rows.collect() }
    }

    /// The next smaller board; `None` for a single cell.
    fn reduced(&self) -> Option<FigureTriangle> {
        let rows: Vec<Vec<f64>> = self
            .rows
            .windows(2)
            .map(|rows| rows[0].windows(2).zip(&rows[1]).map(|(upper, &c)| majority(upper[0], upper[1], c)).collect())
            .collect();
        (!rows.is_empty()).then_some(FigureTriangle { rows })
    }

    /// The derivatives of the final figure by the cells of this board, from those by the cells of the next smaller one.
    fn slopes(&self, smaller: &FigureTriangle) -> FigureTriangle {
        let mut slopes: Vec<Vec<f64>> = self.rows.iter().map(|row| vec![0.0; row.len()]).collect();
        for (row, line) in smaller.rows.iter().enumerate() {
            for (column, slope) in line.iter().enumerate() {
                let corners = [(row, column), (row, column + 1), (row + 1, column)];
                let [a, b, c] = corners.map(|(row, column)| self.rows[row][column]);
                let growth = [either(b, c), either(a, c), either(a, b)];
                for ((row, column), growth) in corners.into_iter().zip(growth) {
                    slopes[row][column] += slope * growth;
                }
            }
        }
        FigureTriangle { rows: slopes }
    }
}

/// The probability that at least two of three independent events happen; exact where two are certain or impossible.
fn majority(a: f64, b: f64, c: f64) -> f64 {
    (1.0 - c) * (a * b) + c * (1.0 - (1.0 - a) * (1.0 - b))
}

/// The probability that exactly one of two independent events happens: a third then decides.
fn either(a: f64, b: f64) -> f64 {
    a * (1.0 - b) + b * (1.0 - a)
}
