//! Edge templates: connections of a cell to an edge that are proved once and recognized in positions.
//!
//! A template is a stone, cells that have to be empty, its carrier, and sometimes further stones, such that the player
//! joins the stone to the edge although the opponent moves first. The rules for [connections](crate::connection) find
//! small ones by themselves. They miss larger ones: those that need more connections side by side than the limits
//! keep, and those that no AND and no OR derives.
//!
//! The catalogue is a file, made by [`find`] and [`prove`]: of each template a proof in the calculus of
//! [certificates](crate::certificate). What a template claims is nothing but what the lines of its proof derive, so that
//! a wrong line loses the template and cannot make a wrong one. On a board the proof is written out wherever the template
//! is used, moved, turned and mirrored; [`verify`](mod@crate::certificate::verify) knows of no templates.
//!
//! * [`find`]: all templates of a region, by exact search; [`prove`]: their proofs.
//! * [`mod@file`]: the catalogue as text.
//! * `place`: the templates of a board.
//!
//! Source of the term: R. Hayward and B. Toft, *Hex: The Full Story*, 2019. The templates are our own.

pub mod file;
pub mod find;
mod place;
pub mod prove;

pub use place::{PlacedTemplate, placed};

use crate::board::{Board, Cell, Player};
use crate::certificate::verify::{DerivedConnection, ProofCells, VerifyContext};
use crate::certificate::{Inference, Unfounded};
use crate::connection::{ConnectionEnd, ConnectionKind};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A proved full connection of a red cell to the bottom of a board, or of the top to the bottom of boards of that height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeTemplate {
    board: Board,
    end: ConnectionEnd,
    needs: ProofCells,
    carrier: ProofCells,
    steps: Vec<Inference>,
}

/// A cell of a template by its place beside the end, or beside the first cell below the top: columns to the right, rows down.
type Offset = (isize, isize);

impl EdgeTemplate {
    /// Whose template it is; for Blue it is turned.
    pub const PLAYER: Player = Player::Red;

    /// The template that the last of these lines derives.
    ///
    /// # Errors
    ///
    /// Why a line does not follow, or that the last one is no full connection to the bottom: of the top, or of a cell by
    /// lines that are not about the top.
    pub fn new(board: Board, steps: Vec<Inference>) -> Result<EdgeTemplate, Unfounded> {
        let mut derived: Vec<DerivedConnection> = Vec::with_capacity(steps.len());
        let mut is_across = false;
        for step in &steps {
            let context = VerifyContext { board, winner: EdgeTemplate::PLAYER, earlier: &derived };
            let connection = context.derive(step)?;
            is_across |= connection.ends[0] == ConnectionEnd::FIRST;
            derived.push(connection);
        }
        match derived.last() {
            Some(&DerivedConnection { ends, kind: ConnectionKind::Full, carrier, needs }) => match ends {
                [ConnectionEnd::LAST, end] if !is_across => Ok(EdgeTemplate { board, end, needs, carrier, steps }),
                [end @ ConnectionEnd::FIRST, ConnectionEnd::LAST] => {
                    Ok(EdgeTemplate { board, end, needs, carrier, steps })
                }
                _ => Err(Unfounded::new("the last line is no connection of a cell, or the top, to the bottom")),
            },
            _ => Err(Unfounded::new("the last line is no full connection")),
        }
    }

    /// The board that the proof is about.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The cell that is joined to the bottom, or the top.
    pub fn end(&self) -> ConnectionEnd {
        self.end
    }

    /// Further stones that it takes.
    pub fn needs(&self) -> ProofCells {
        self.needs
    }

    /// The cells that have to be empty.
    pub fn carrier(&self) -> ProofCells {
        self.carrier
    }

    /// The lines of the proof.
    pub fn steps(&self) -> &[Inference] {
        &self.steps
    }

    /// The row of the end, from 1 at the edge; of the top, the number of rows.
    pub fn row(&self) -> usize {
        self.board.height() - self.board.row(self.anchor())
    }

    /// The end, or the first cell below the top.
    fn anchor(&self) -> Cell {
        self.end.cell().unwrap_or(Cell::from_index(0))
    }

    fn offset(&self, cell: Cell) -> Offset {
        offset(self.board, self.anchor(), cell)
    }

    /// Carrier and needs by their places: the same for the same template on another board.
    pub fn shape(&self) -> [BTreeSet<Offset>; 2] {
        [self.carrier, self.needs].map(|cells| cells.iter().map(|cell| self.offset(cell)).collect())
    }

    /// The shape in a mirror that stands upright on the edge.
    pub fn mirrored_shape(&self) -> [BTreeSet<Offset>; 2] {
        self.shape().map(|cells| cells.into_iter().map(mirrored).collect())
    }
}

/// The place of a cell beside another.
fn offset(board: Board, end: Cell, cell: Cell) -> Offset {
    let of = |cell| (board.column(cell) as isize, board.row(cell) as isize);
    let (here, end) = (of(cell), of(end));
    (here.0 - end.0, here.1 - end.1)
}

/// The place in a mirror that stands upright on the edge: rows stay, and each row is half a cell to the right of the one
/// above.
fn mirrored((right, down): Offset) -> Offset {
    (-right - down, down)
}

/// The catalogue, in the order of its file. Its proofs are gone through once, when it is asked for first.
pub fn catalogue() -> &'static [EdgeTemplate] {
    static CATALOGUE: OnceLock<Vec<EdgeTemplate>> = OnceLock::new();
    CATALOGUE.get_or_init(|| file::read(file::CATALOGUE).into_iter().filter_map(Result::ok).collect())
}
