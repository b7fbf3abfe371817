//! Certificates: proofs that a player wins a position, for anybody to check.
//!
//! A certificate says: on this position, with this player to move, `winner` wins. Whoever found that out, and how, does
//! not matter; [`Certificate::check`](ludolog_certificate::Certificate::check) reads the file, goes through the proof once, and accepts or refuses it.
//!
//! * [`verify`](mod@verify): the calculus of connections, and the loop that applies it to a file. This is what has to
//!   be trusted.
//! * [`pairing`](mod@pairing): the other kind of proof, for boards with a longer side: a reply to each cell.
//! * [`text`]: the file.
//! * [`builder`]: writes proofs for a solver, and makes them short.
//! * [`page`]: a proof to walk through, as one page of HTML.
//!
//! # The calculus
//!
//! A proof is a list of lines. Each derives one connection of the winner from connections of earlier lines. A
//! connection has two ends (edges or cells), a *carrier* and *needs* (sets of cells, without the ends, without a common
//! cell), and is full or semi. It claims of **every** position in which the ends that are cells and all needs hold the
//! winner's stones, and all of the carrier is empty:
//!
//! * *full*: the winner, if the opponent moves first, can join the ends by playing in the carrier only;
//! * *semi*: the same if the winner moves first.
//!
//! "Join" means by a chain of the winner's stones, in which each edge counts as one big stone of its owner.
//!
//! | line | derives | if |
//! | --- | --- | --- |
//! | `touch X Y` | full, carrier ∅, needs ∅ | X and Y are adjacent, or a cell and an edge it lies at |
//! | `bridge X Y C D` | full, carrier {C, D} | the cells C ≠ D each touch X ≠ Y |
//! | `and I J …` | full, carriers and needs united, shared cells needed | I, J, … are full and form a chain of ends without repetition; carriers are disjoint and contain no end or need of another |
//! | `move C I` | semi, carrier of I with C, needs of I without C | I is full, C is no end of it and not in its carrier |
//! | `or I J …` | full, carriers and needs united | I, J, … are semi with the same ends, no cell is in all carriers, no carrier has a cell that another needs |
//! | `given C … I` | I with C … needed and not in the carrier | no C is an end of I |
//! | `captured C D I` | I with C, D in the carrier and not needed | I joins the edges, C and D are not in its carrier, and a stone on either kills the other |
//! | `win I` | the claim | I joins the winner's edges, is full (or semi, with the winner to move), its needs are the winner's stones, its carrier is empty |
//!
//! **Each line is sound.** `touch` and `move` are plain. In `and`, the parts are local patterns that reply
//! independently (the decomposition of Yang, Liao and Pawlak): the winner answers in the part where the opponent
//! played. No part can disturb another, because their carriers are disjoint and no stone that one needs is a cell that
//! another waits for. When all are joined, the ends are joined through the shared ends, which are the winner's: a cell
//! by being needed, an edge by being an edge. In `or`, whatever cell the opponent takes, some semi-connection does not
//! have it in its carrier, and nobody can take a cell that it needs, since that holds a stone; the winner now has the
//! first move in it. A move outside all carriers asks for no reply, and a move that the winner has to make anyway does
//! no harm, since in Hex a stone more never hurts its owner. `bridge` is short for two `touch`es and their `and`
//! through C, a `move` there, the same through D, and an `or`. These are the AND and OR rules of Anshelevich (*A
//! hierarchical approach to computer Hex*, 2002), with the needs made explicit, so that a line says what it says on
//! every board with these cells and can be used in many places.
//!
//! `given` says less than what it is made from: there are more stones. `captured` is the one rule that looks at the
//! whole board. A cell is *killed* when, with the stones needed as the only ones of the winner's and the carrier filled
//! in any way, the six cells and edges around it never show a player's stones in two separate runs: then each player's
//! neighbors of the cell are joined around it, and its color does not matter (Hayward and van Rijswijck, *Hex and
//! combinatorics*, 2006). So the winner plays as I says and answers C with D and D with C. In the end the opponent's
//! stone on one of them may be taken for the winner's without changing who has won, and with both I wins. Other cells
//! than those of needs and carrier may be taken for the opponent's throughout, since fewer stones of his only help.
//!
//! **Every win has a proof.** Where the winner's chain is complete, it is an `and` of `touch`es. Where the opponent is
//! to move and each move `d` has a reply `r` to a position that is won by some line I, the carrier of `move r I` lacks
//! `d`, since `d` is not empty there. So no cell is in the carriers of all these semi-connections between the winner's
//! edges, and `or` proves the position: van Rijswijck's pattern search (*Search and evaluation in Hex*, 2002) is this
//! `or` over the whole board.
//!
//! **On a cylinder** all of this holds of Red, whose edges are the rims. The rules speak of touching only, and around a cell lie
//! six different cells or edges there too, each touching the next, since at least three columns go around. Blue has no edges
//! there, so that no line joins them: a chain around is never claimed.
//!
//! **On a triangle**, the board of Y, a player wins by a group that touches all three sides, and a side is nobody's stone. It is the end of
//! connections, which claim a chain of stones up to it, and never joins two of them. There is one rule more, and `win` takes what it derives:
//!
//! | line | derives | if |
//! | --- | --- | --- |
//! | `three I J K` | full, joins all sides; carriers and needs united, the cell needed | I, J and K are full and lead from one cell to the three sides; carriers are disjoint and contain no need of another, nor the cell |
//!
//! The three parts reply independently, as those of an `and` do. What `move`, `or`, `given` and `captured` derive from lines that join all sides joins
//! all sides. `and` and `bridge` never have two sides as ends.
//!
//! A ring that meets a side shows two places beyond the board for each side that the cell touches. Such a run of places counts as one change
//! of color for each side: at one side, the neighbors of a color are one run that begins or ends at it, so that a stone of this color on the cell
//! joins nothing and touches no side that the run does not touch; a corner touches two sides, and its two neighbors, one at each, have one color.
//! As elsewhere two changes in all are harmless, so that at a side there is one at most among the four neighbors, and none in a corner.
//!
//! Checking costs a few operations on sets of 361 bits for each line number in the file.

pub mod builder;
pub mod page;
pub mod pairing;
pub mod text;
pub mod verify;

pub use builder::ProofBuilder;
pub use pairing::pairing;
pub use verify::{DerivedConnection, Unfounded, WinClaim};

use super::board::{Board, Cell, Player};
use super::connection::ConnectionEnd;
use super::position::Position;
use ludolog_certificate::Refusal;
use std::fmt;

/// Proofs by connections are for boards with sides up to this.
pub const MAX_SIDE: usize = 19;

/// Whether the board is small enough for proofs by connections: no side is longer than [`MAX_SIDE`].
pub fn is_fit(board: Board) -> bool {
    board.width().max(board.height()) <= MAX_SIDE
}

/// A line of a proof that derives a connection, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProofLine(u32);

impl ProofLine {
    /// The number of lines that a file has before the first of these.
    pub const HEADER: usize = 6;

    fn new(index: usize) -> ProofLine {
        ProofLine(index as u32)
    }

    /// The place in an array over the proof's lines.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number of this line in the file, by which other lines refer to it.
    pub fn number(self) -> usize {
        self.index() + ProofLine::HEADER + 1
    }
}

impl fmt::Display for ProofLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// A line of a proof: a rule and what it is applied to; see the table [above](self#the-calculus).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inference {
    /// Two ends that touch.
    Touch(ConnectionEnd, ConnectionEnd),
    /// Two ends that both touch each of two cells.
    Bridge(ConnectionEnd, ConnectionEnd, Cell, Cell),
    /// Full connections in a row.
    And(Vec<ProofLine>),
    /// Full connections from one cell to all three sides of a triangle.
    Three([ProofLine; 3]),
    /// The line after the winner's move to the cell.
    Move(Cell, ProofLine),
    /// Semi-connections without a common cell.
    Or(Vec<ProofLine>),
    /// The line with these cells as stones of the winner's.
    Given(Vec<Cell>, ProofLine),
    /// Two cells of which either kills the other, for a line that takes both for the winner's stones.
    Captured(Cell, Cell, ProofLine),
}

impl Inference {
    /// The lines that this one builds on.
    pub fn parts(&self) -> &[ProofLine] {
        match self {
            Inference::Touch(..) | Inference::Bridge(..) => &[],
            Inference::Move(_, part) | Inference::Given(_, part) | Inference::Captured(_, _, part) => {
                std::slice::from_ref(part)
            }
            Inference::And(parts) | Inference::Or(parts) => parts,
            Inference::Three(parts) => parts,
        }
    }
}

/// Why the claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The line `win` joins the winner's edges.
    Connections {
        /// The lines.
        steps: Vec<Inference>,
        /// The line that proves the claim.
        win: ProofLine,
    },
    /// Of each of these pairs the winner gets one cell, and that is enough.
    Pairing(Vec<[Cell; 2]>),
}

/// A claim with its proof, which may be wrong until it is [verified](WinCertificate::verify).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinCertificate {
    /// Stones, and who is to move; `None` claims the win whoever is.
    position: Position,
    winner: Player,
    proof: Proof,
}

impl WinCertificate {
    /// The claim that `winner` wins the position, its player to move included, with a proof that may be wrong.
    pub fn new(position: &Position, winner: Player, proof: Proof) -> WinCertificate {
        let mut bare = Position::new(position.board());
        bare.to_move = position.to_move;
        position.stones().for_each(|(player, cell)| {
            bare.place(player, cell);
        });
        WinCertificate { position: bare, winner, proof }
    }

    /// The board of the position.
    pub fn board(&self) -> Board {
        self.position.board()
    }

    /// The stones, and who is to move; without a player to move, the winner is claimed to win in both cases.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Who is claimed to win.
    pub fn winner(&self) -> Player {
        self.winner
    }

    /// The proof of the claim.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// The number of lines of the proof, without header and digest.
    pub fn len(&self) -> usize {
        match &self.proof {
            Proof::Connections { steps, .. } => steps.len(),
            Proof::Pairing(pairs) => pairs.len(),
        }
    }

    /// Never, once verified: nothing follows from nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that the proof proves the claim.
    ///
    /// # Errors
    ///
    /// The first line that does not follow.
    pub fn verify(&self) -> Result<(), Refusal> {
        match &self.proof {
            Proof::Connections { .. } if !is_fit(self.board()) => {
                let most = format!("{MAX_SIDE}x{MAX_SIDE}");
                let reason = format!("{} is too large: connections are checked on boards up to {most}", self.board());
                Err(Refusal::of_line(text::BOARD, reason))
            }
            Proof::Connections { steps, win } => {
                let WinCertificate { position, winner, .. } = self;
                let stone = |cell| position.stone(cell);
                WinClaim { board: position.board(), stone, to_move: position.to_move, winner: *winner }
                    .verify(steps, *win)
            }
            Proof::Pairing(pairs) => pairing::verify(&self.position, self.winner, pairs),
        }
    }

    /// Checks that the claim is about this position: board, stones and, where both say so, who is to move.
    ///
    /// # Errors
    ///
    /// The line of the file that says otherwise.
    pub fn is_for(&self, position: &Position) -> Result<(), Refusal> {
        let board = self.board();
        let refuse = |line, reason| Err(Refusal::of_line(line, reason));
        if board != position.board() {
            return refuse(text::BOARD, format!("the proof is for {board}, the position is {}", position.board()));
        }
        for cell in board.cells() {
            let mine = self.position.stone(cell);
            let theirs = position.stone(cell);
            if mine != theirs {
                let says = |stone: Option<Player>| stone.map_or("empty", Player::name);
                let line = text::stones(mine.or(theirs).unwrap_or(Player::Red));
                let reason = format!("{} is {} here, {} in the position", board.name(cell), says(mine), says(theirs));
                return refuse(line, reason);
            }
        }
        match (self.position.to_move, position.to_move) {
            (Some(mine), Some(theirs)) if mine != theirs => {
                refuse(text::TO_MOVE, format!("{mine} is to move here, {theirs} in the position"))
            }
            _ => Ok(()),
        }
    }
}
