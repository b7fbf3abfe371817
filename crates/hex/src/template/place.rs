//! The templates of a board: moved along both edges of a player, turned and mirrored.

use super::{EdgeTemplate, catalogue, mirrored};
use crate::board::{Board, Cell, Player};
use crate::cells::MAX_CELLS;
use crate::certificate::verify::ProofCells;
use crate::certificate::{Inference, ProofBuilder, ProofLine, Unfounded};
use crate::connection::ConnectionEnd;
use crate::hexagon::HexagonBoard;
use ludolog_syntax::ColdSort;
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A template at a place of a board.
#[derive(Clone, Debug)]
pub struct PlacedTemplate {
    /// The number in the [catalogue], from 0.
    pub number: usize,
    /// The player's edge.
    pub edge: ConnectionEnd,
    /// The cell, or the other edge, that is joined to it.
    pub end: ConnectionEnd,
    /// Further stones of the player's that it takes.
    pub needs: ProofCells,
    /// The cells that have to be empty.
    pub carrier: ProofCells,
    /// By cell of the template's own board, the cell here; cells that it does not use may be missing.
    cells: Arc<[Option<Cell>]>,
}

impl PlacedTemplate {
    /// Writes the template's proof at this place, and returns the line that it proves.
    ///
    /// # Errors
    ///
    /// Why a line does not follow, or that a cell is missing, neither of which happens on the board that it is placed on.
    pub fn write<B: HexagonBoard>(&self, builder: &mut ProofBuilder<B>) -> Result<ProofLine, Unfounded> {
        let mut lines: Vec<ProofLine> = Vec::new();
        for step in catalogue()[self.number].steps() {
            let at = |parts: &[ProofLine]| parts.iter().map(|part| lines[part.index()]).collect::<Vec<_>>();
            let line = match step {
                &Inference::Touch(x, y) => builder.touch(self.moved(x)?, self.moved(y)?),
                &Inference::Bridge(x, y, c, d) => {
                    builder.bridge(self.moved(x)?, self.moved(y)?, self.cell(c)?, self.cell(d)?)
                }
                Inference::And(parts) => builder.and(&at(parts)),
                &Inference::Move(cell, part) => builder.movement(self.cell(cell)?, lines[part.index()]),
                Inference::Three(parts) => builder.three(&at(parts)),
                Inference::Or(parts) => builder.or(&at(parts)),
                Inference::Given(cells, part) => {
                    let cells = cells.iter().map(|&cell| self.cell(cell)).collect::<Result<ProofCells, Unfounded>>()?;
                    builder.given(cells, lines[part.index()])
                }
                &Inference::Captured(c, d, part) => builder.captured(self.cell(c)?, self.cell(d)?, lines[part.index()]),
            };
            lines.push(line?);
        }
        lines.last().copied().ok_or_else(|| Unfounded::new("a template without lines"))
    }

    fn moved(&self, end: ConnectionEnd) -> Result<ConnectionEnd, Unfounded> {
        match end {
            ConnectionEnd::LAST => Ok(self.edge),
            ConnectionEnd::Edge(_) => Ok(self.end),
            ConnectionEnd::Cell(cell) => self.cell(cell).map(ConnectionEnd::Cell),
        }
    }

    fn cell(&self, cell: Cell) -> Result<Cell, Unfounded> {
        let found = self.cells.get(cell.index()).copied().flatten();
        found.ok_or_else(|| Unfounded::new("a cell of a template beyond the board"))
    }
}

/// The templates that fit on the board for a player, those with small carriers first. They are kept for each board that
/// was asked about. None on boards of more than [`MAX_CELLS`].
pub fn placed(board: Board, player: Player) -> Arc<[PlacedTemplate]> {
    type PlacedByBoard = FxHashMap<(usize, usize, Player), Arc<[PlacedTemplate]>>;
    static KNOWN: LazyLock<Mutex<PlacedByBoard>> = LazyLock::new(Mutex::default);
    if board.len() > MAX_CELLS || !board.is_rhombus() {
        return Arc::default();
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (board.width(), board.height(), player);
    known.entry(key).or_insert_with(|| place_all(board, player)).clone()
}

fn place_all(board: Board, player: Player) -> Arc<[PlacedTemplate]> {
    let mut placed = Vec::new();
    for (number, template) in catalogue().iter().enumerate() {
        let is_across = template.end() == ConnectionEnd::FIRST;
        if is_across && template.row() != board.lines(player) {
            continue;
        }
        // From edge to edge, the other edge and the mirror give nothing else.
        let edges: &[ConnectionEnd] =
            if is_across { &[ConnectionEnd::LAST] } else { &[ConnectionEnd::FIRST, ConnectionEnd::LAST] };
        let has_mirror = !is_across && template.shape() != template.mirrored_shape();
        for &edge in edges {
            for anchor in board.cells().filter(|&cell| row(board, player, edge, cell) == template.row()) {
                for is_mirrored in [false, true].into_iter().take(1 + usize::from(has_mirror)) {
                    placed.extend(place(number, board, player, edge, anchor, is_mirrored));
                }
            }
        }
    }
    placed.cold_sort_by_key(|placed| placed.carrier.len());
    placed.into()
}

/// The row of a cell as seen from an edge of the player's, from 1.
fn row(board: Board, player: Player, edge: ConnectionEnd, cell: Cell) -> usize {
    let line = board.line(player, cell);
    if edge == ConnectionEnd::FIRST { line + 1 } else { board.lines(player) - line }
}

/// The template of that number with its anchor at a cell of its row; `None` where it does not fit.
fn place(
    number: usize,
    board: Board,
    player: Player,
    edge: ConnectionEnd,
    anchor: Cell,
    is_mirrored: bool,
) -> Option<PlacedTemplate> {
    let template = &catalogue()[number];
    let at = |cell: Cell| {
        let offset = template.offset(cell);
        let (right, down) = if is_mirrored { mirrored(offset) } else { offset };
        // The board turned by half has its first edge below; Blue's board is Red's with rows for columns.
        let (right, down) = if edge == ConnectionEnd::FIRST { (-right, -down) } else { (right, down) };
        let (right, down) = if player == EdgeTemplate::PLAYER { (right, down) } else { (down, right) };
        let column = board.column(anchor).checked_add_signed(right)?;
        board.cell(column, board.row(anchor).checked_add_signed(down)?)
    };
    let all = |cells: ProofCells| cells.iter().map(at).collect::<Option<ProofCells>>();
    let (carrier, needs) = (all(template.carrier())?, all(template.needs())?);
    let cells = template.board().cells().map(at).collect();
    let end = template.end().cell().map_or(ConnectionEnd::FIRST, |_| ConnectionEnd::Cell(anchor));
    Some(PlacedTemplate { number, edge, end, needs, carrier, cells })
}
