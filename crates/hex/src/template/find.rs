//! All edge templates of a region, by exact search.

use super::{EdgeTemplate, Offset, offset, prove};
use crate::board::{Board, Cell};
use crate::cells::MAX_WIDTH;
use crate::certificate::Unfounded;
use crate::certificate::verify::ProofCells;
use crate::connection::complete::{ConnectionQuestion, MAX_REGION};
use crate::connection::{ConnectionEnd, ConnectionKind};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::{Budget, Stopped};
use std::collections::BTreeSet;
use std::fmt;

/// The templates to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateQuestion {
    /// All of cells in the upper row of a region with that many columns and rows, which ends at the edge.
    OfCells {
        /// Columns.
        width: usize,
        /// Rows.
        rows: usize,
    },
    /// One from the top to the bottom of a board with that many rows and a column more: there Red wins though Blue moves
    /// first, by [`pairing`](mod@crate::certificate::pairing).
    Across {
        /// Rows.
        rows: usize,
    },
}

/// The questions whose answers are the catalogue.
pub const CATALOGUE: [TemplateQuestion; 7] = [
    TemplateQuestion::OfCells { width: 3, rows: 2 },
    TemplateQuestion::OfCells { width: 7, rows: 3 },
    TemplateQuestion::OfCells { width: 7, rows: 4 },
    TemplateQuestion::Across { rows: 1 },
    TemplateQuestion::Across { rows: 2 },
    TemplateQuestion::Across { rows: 3 },
    TemplateQuestion::Across { rows: 4 },
];

/// Why templates were not found.
#[derive(Clone, Debug, PartialEq)]
pub enum NotFound {
    /// The budget stopped the search, or the region is too large for it.
    Stopped(Stopped),
    /// A connection has no proof: the search was wrong.
    Unproved(Unfounded),
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFound::Stopped(stopped) => stopped.fmt(f),
            NotFound::Unproved(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for NotFound {}

impl From<Stopped> for NotFound {
    fn from(stopped: Stopped) -> NotFound {
        NotFound::Stopped(stopped)
    }
}

impl From<Unfounded> for NotFound {
    fn from(reason: Unfounded) -> NotFound {
        NotFound::Unproved(reason)
    }
}

/// Finds templates with their proofs, for one question after the other, small ones first. Of a template and its mirror
/// image there is one. `tell` is called with each as it is proved.
///
/// # Errors
///
/// [`NotFound`]; a region of more than [`MAX_REGION`] cells is too large.
pub fn find(
    questions: &[TemplateQuestion],
    budget: &Budget,
    tell: &mut dyn FnMut(&EdgeTemplate),
) -> Result<Vec<EdgeTemplate>, NotFound> {
    let mut shapes = BTreeSet::new();
    let mut templates = Vec::new();
    for &question in questions {
        let board = board(question)?;
        for (end, carrier) in carriers(question, board, budget)? {
            let is_across = end == ConnectionEnd::FIRST;
            if shapes.contains(&(is_across, shape(board, end, carrier))) {
                continue;
            }
            let template = prove::prove(board, end, carrier, budget)?;
            for [carrier, _] in [template.shape(), template.mirrored_shape()] {
                shapes.insert((is_across, carrier));
            }
            tell(&template);
            templates.push(template);
        }
    }
    Ok(templates)
}

/// The board of a question: the region, for cells with a row above it that keeps them from the other edge.
fn board(question: TemplateQuestion) -> Result<Board, Stopped> {
    let (width, rows, above) = match question {
        TemplateQuestion::OfCells { width, rows } => (width, rows, 1),
        TemplateQuestion::Across { rows } => (rows + 1, rows, 0),
    };
    let is_small = width.saturating_mul(rows) <= MAX_REGION;
    let board = Board::new(width, rows.saturating_add(above)).filter(|_| is_small && rows > 0);
    board.ok_or_else(|| {
        let size = format!("{width} columns of {rows} rows");
        Stopped::Unsupported(format!("{size} are no region to search, of {MAX_REGION} cells at most"))
    })
}

/// Ends with their carriers, small ones first.
fn carriers(
    question: TemplateQuestion,
    board: Board,
    budget: &Budget,
) -> Result<Vec<(ConnectionEnd, ProofCells)>, Stopped> {
    let mut carriers: Vec<(ConnectionEnd, ProofCells)> = Vec::new();
    match question {
        TemplateQuestion::Across { .. } => {
            let joins = question_of(board, ConnectionEnd::FIRST, ProofCells::EMPTY);
            let found = joins.within(ProofCells::all(board), budget)?.carrier;
            carriers.extend(found.map(|carrier| (ConnectionEnd::FIRST, carrier)));
        }
        TemplateQuestion::OfCells { .. } => {
            let above: ProofCells = board.cells().filter(|&cell| board.row(cell) == 0).collect();
            for end in board.cells().filter(|&cell| board.row(cell) == 1).map(ConnectionEnd::Cell) {
                let found = question_of(board, end, above).minimal_carriers(ProofCells::all(board), budget)?;
                carriers.extend(found.into_iter().map(|carrier| (end, carrier)));
            }
        }
    }
    carriers.cold_sort_by_key(|(_, carrier)| carrier.len());
    Ok(carriers)
}

/// Whether Red joins the end to the bottom.
fn question_of(board: Board, end: ConnectionEnd, theirs: ProofCells) -> ConnectionQuestion<MAX_WIDTH> {
    ConnectionQuestion {
        board,
        player: EdgeTemplate::PLAYER,
        mine: ProofCells::EMPTY,
        theirs,
        ends: (end, ConnectionEnd::LAST),
        kind: ConnectionKind::Full,
    }
}

/// A carrier by the places of its cells.
fn shape(board: Board, end: ConnectionEnd, carrier: ProofCells) -> BTreeSet<Offset> {
    let anchor = end.cell().unwrap_or(Cell::from_index(0));
    carrier.iter().map(|cell| offset(board, anchor, cell)).collect()
}
