//! Evaluations: how well a player stands, judged without search.
//!
//! All five have one shape. [`Measure`] says what is measured and in which unit; its [`Evaluation`] of a position has
//! for each player a [`PlayerEvaluation`]: a figure for the whole position, and one for each empty cell. [`ALL`] lists
//! them:
//!
//! * [`distance`]: the stones that a player lacks, if the opponent let them.
//! * [`two_distance`]: the same, when the opponent may always close the best way (Queenbee).
//! * [`flow`]: how much can flow from edge to edge.
//! * [`resistance`]: how well the board conducts electricity (Hexy).
//! * [`y_reduction`]: the probability of winning, by reducing the board to a single cell.
//!
//! The first four evaluate the graph of one player, in which the opponent's stones are missing; the last evaluates the
//! whole board. The figures of a finished game are fixed: distances and resistance are 0 for the winner and
//! infinite for the loser, flow the other way round, probabilities 1 and 0.
//!
//! ```
//! use ludolog_hex::{Board, Player, Position, evaluation};
//!
//! let mut position = Position::new(Board::new(5, 5).unwrap());
//! let center = position.board().cell(2, 2).unwrap();
//! position.place(Player::Red, center);
//! let distance = evaluation::named("distance").unwrap().evaluate(&position);
//! assert_eq!((distance.red.value, distance.blue.value), (4.0, 5.0));
//! assert_eq!(distance.ahead(), Some(Player::Red));
//! ```

pub mod distance;
pub mod flow;
mod graph;
pub mod resistance;
pub mod two_distance;
pub mod y_reduction;

use super::board::{Board, Cell, Player};
use super::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use super::position::Position;
use crate::by_width;

/// The longest side of a board that all evaluations take in seconds.
pub const MAX_SIDE: usize = 100;

/// Whether the board is small enough to be evaluated in seconds: no side is longer than [`MAX_SIDE`].
pub fn is_fit(board: Board) -> bool {
    board.width().max(board.height()) <= MAX_SIDE
}

/// Whether low or high figures are the good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureOrder {
    /// Low ones.
    Low,
    /// High ones.
    High,
}

/// A way to evaluate positions.
#[derive(Debug)]
pub struct Measure {
    /// The name on the command line.
    pub name: &'static str,
    /// The measured quantity in a few words.
    pub title: &'static str,
    /// The unit of the figure for a position.
    pub unit: &'static str,
    /// The meaning of the figure of a cell.
    pub figure: &'static str,
    /// Whether low or high figures of a position are good.
    pub values: FigureOrder,
    /// Whether low or high figures mark the cells that matter.
    pub figures: FigureOrder,
    /// Whether the [potential](PlayerEvaluation::potential) decides between equal figures.
    pub by_potential: bool,
    side: fn(&Position, Player) -> PlayerEvaluation,
}

/// All evaluations, from the plainest on.
pub static ALL: [Measure; 5] = [
    Measure {
        name: "distance",
        title: "graph distance",
        unit: "stones that are missing",
        figure: "stones missing from a shortest chain through the cell",
        values: FigureOrder::Low,
        figures: FigureOrder::Low,
        by_potential: false,
        side: distance::side,
    },
    Measure {
        name: "two-distance",
        title: "two-distance, as Queenbee",
        unit: "least sum of a cell's two-distances from both edges",
        figure: "sum of the cell's two-distances from both edges",
        values: FigureOrder::Low,
        figures: FigureOrder::Low,
        by_potential: true,
        side: two_distance::side,
    },
    Measure {
        name: "flow",
        title: "network flow",
        unit: "links that have to be cut",
        figure: "links of the cell that are bottlenecks",
        values: FigureOrder::High,
        figures: FigureOrder::High,
        by_potential: false,
        side: flow::side,
    },
    Measure {
        name: "resistance",
        title: "electrical resistance over full connections, as Hexy",
        unit: "resistance between the edges, one empty cell having 1",
        figure: "part of the current that goes through the cell",
        values: FigureOrder::Low,
        figures: FigureOrder::High,
        by_potential: false,
        side: |position, player| resistance::side(position, player, &linked(position, player)),
    },
    Measure {
        name: "y-reduction",
        title: "Y-reduction",
        unit: "estimated probability of winning",
        figure: "growth of this probability with that of owning the cell",
        values: FigureOrder::High,
        figures: FigureOrder::High,
        by_potential: false,
        side: y_reduction::side,
    },
];

/// The measure of that name.
pub fn named(name: &str) -> Option<&'static Measure> {
    ALL.iter().find(|measure| measure.name == name)
}

impl Measure {
    /// Evaluates the position for both players. Boards that are not [fit](is_fit) may take minutes and gigabytes.
    pub fn evaluate(&'static self, position: &Position) -> Evaluation {
        let [red, blue] = Player::BOTH.map(|player| (self.side)(position, player));
        Evaluation { measure: self, red, blue }
    }
}

/// The evaluation of a position for one player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerEvaluation {
    /// The figure for the whole position; may be infinite, is never NaN.
    pub value: f64,
    /// By [`Cell::index`], the figure of each empty cell; may be infinite, is never NaN.
    figures: Vec<Option<f64>>,
}

impl PlayerEvaluation {
    fn new(value: f64, figures: Vec<Option<f64>>) -> PlayerEvaluation {
        PlayerEvaluation { value, figures }
    }

    /// The figure of a cell; `None` when there is a stone.
    pub fn figure(&self, cell: Cell) -> Option<f64> {
        self.figures[cell.index()]
    }

    /// The number of cells that have the figure of the whole position: for distances, the number of ways in which it is
    /// reached. 0 where it is infinite.
    pub fn potential(&self) -> usize {
        self.figures.iter().flatten().filter(|&&figure| figure == self.value && figure.is_finite()).count()
    }

    /// The importance of each empty cell from 0 to 1, on the scale of this position.
    fn heat(&self, order: FigureOrder) -> Vec<Option<f64>> {
        let finite = || self.figures.iter().flatten().copied().filter(|figure| figure.is_finite());
        let least = finite().fold(f64::INFINITY, f64::min);
        let most = finite().fold(f64::NEG_INFINITY, f64::max);
        let has_infinite = self.figures.contains(&Some(f64::INFINITY));
        let heat = |figure: f64| match order {
            FigureOrder::Low if figure.is_infinite() => 0.0,
            // The worst cell that is of any use is warmer than those of none.
            FigureOrder::Low => (most - figure + 1.0) / (most - least + 1.0),
            FigureOrder::High if has_infinite => f64::from(u8::from(figure.is_infinite())),
            FigureOrder::High if most > 0.0 => figure / most,
            FigureOrder::High => 0.0,
        };
        self.figures.iter().map(|figure| figure.map(heat)).collect()
    }
}

/// The evaluation of a position for both players.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The measure it is by.
    pub measure: &'static Measure,
    /// The evaluation for Red.
    pub red: PlayerEvaluation,
    /// The evaluation for Blue.
    pub blue: PlayerEvaluation,
}

impl Evaluation {
    /// The evaluation for a player.
    pub fn of(&self, player: Player) -> &PlayerEvaluation {
        match player {
            Player::Red => &self.red,
            Player::Blue => &self.blue,
        }
    }

    /// The player who stands better; `None` when both stand equally well.
    pub fn ahead(&self) -> Option<Player> {
        /// Closer than this, relatively, is equal: sums of the same numbers in different orders.
        const EQUAL: f64 = 1e-9;
        let red = self.red.value;
        let blue = self.blue.value;
        let low = |red_is_low: bool| if red_is_low { Player::Red } else { Player::Blue };
        if red == blue || (red - blue).abs() <= EQUAL * red.abs().max(blue.abs()).min(f64::MAX) {
            let red = self.red.potential();
            let blue = self.blue.potential();
            return (self.measure.by_potential && red != blue).then(|| low(red > blue));
        }
        Some(match self.measure.values {
            FigureOrder::Low => low(red < blue),
            FigureOrder::High => low(red > blue),
        })
    }

    /// Red's figure by Blue's, for resistance Hexy's E; `None` when both are infinite or both are 0.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.red.value / self.blue.value;
        (!ratio.is_nan()).then_some(ratio)
    }

    /// By [`Cell::index`], the importance of each empty cell to the player, or to both together, from 0 to 1: a good
    /// cell for one is a good cell to take away for the other.
    pub fn heat(&self, player: Option<Player>) -> Vec<Option<f64>> {
        let of = |player: Player| self.of(player).heat(self.measure.figures);
        match player {
            Some(player) => of(player),
            None => {
                let mean = |(red, blue): (Option<f64>, Option<f64>)| Some((red? + blue?) / 2.0);
                of(Player::Red).into_iter().zip(of(Player::Blue)).map(mean).collect()
            }
        }
    }
}

/// The most cells of a carrier: enough for the connection from the third row to the edge.
const CARRIER: usize = 8;

/// The pairs of ends that the player has a full connection of, within [`CARRIER`] cells; none on boards of more than
/// [`MAX_CELLS`](crate::cells::MAX_CELLS).
fn linked(position: &Position, player: Player) -> Vec<(ConnectionEnd, ConnectionEnd)> {
    fn pairs<const W: usize>(position: &Position, player: Player) -> Vec<(ConnectionEnd, ConnectionEnd)> {
        // A bound on the carriers alone keeps the result the same on turned and mirrored boards.
        let limits = ConnectionLimits { carrier: CARRIER, over_edges: false, ..ConnectionLimits::NONE };
        Connections::<W>::of_position(position, player, limits).pairs(ConnectionKind::Full).collect()
    }
    by_width!(position.board().len(), W => pairs::<W>(position, player)).unwrap_or_default()
}
