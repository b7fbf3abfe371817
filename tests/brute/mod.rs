//! Connections by exhaustive search.

use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::connection::{ConnectionEnd, ConnectionKind};
use ludolog::hex::position::Position;

/// Whether the player connects the ends by moves in the carrier, which is empty, if the opponent owns all other cells.
pub fn holds(
    position: &Position,
    player: Player,
    ends: [ConnectionEnd; 2],
    kind: ConnectionKind,
    carrier: &[Cell],
) -> bool {
    let mut position = position.clone();
    let others: Vec<Cell> = position.empty_cells().filter(|cell| !carrier.contains(cell)).collect();
    for cell in others {
        let owner = if ends.contains(&ConnectionEnd::Cell(cell)) { player } else { player.opponent() };
        position.place(owner, cell);
    }
    carrier.iter().all(|&cell| position.stone(cell).is_none())
        && joins(&position, player, ends, kind == ConnectionKind::Semi)
}

/// The position with one more stone.
pub fn with(position: &Position, player: Player, cell: Cell) -> Position {
    let mut next = position.clone();
    assert!(next.place(player, cell));
    next
}

fn joins(position: &Position, winner: Player, ends: [ConnectionEnd; 2], ours: bool) -> bool {
    if are_joined(position, winner, ends) {
        return true;
    }
    let mover = if ours { winner } else { winner.opponent() };
    let mut results =
        position.empty_cells().map(|cell| joins(&with(position, mover, cell), winner, ends, !ours)).peekable();
    results.peek().is_some() && if ours { results.any(|joins| joins) } else { results.all(|joins| joins) }
}

/// Whether stones, and edges as large stones, connect the two ends.
fn are_joined(position: &Position, player: Player, [from, to]: [ConnectionEnd; 2]) -> bool {
    let mut rest: Vec<ConnectionEnd> = position
        .stones_of(player)
        .map(ConnectionEnd::Cell)
        .chain([ConnectionEnd::FIRST, ConnectionEnd::LAST])
        .collect();
    let mut reached = vec![from];
    rest.retain(|&end| end != from);
    while let Some(at) = reached.pop() {
        if at == to {
            return true;
        }
        let (next, others) = rest.into_iter().partition(|&end| touch(position.board(), player, at, end));
        rest = others;
        reached.extend::<Vec<ConnectionEnd>>(next);
    }
    false
}

/// Whether cells, or a cell and an edge of the player, are neighbors.
pub fn touch(board: Board, player: Player, x: ConnectionEnd, y: ConnectionEnd) -> bool {
    match (x, y) {
        (ConnectionEnd::Cell(x), ConnectionEnd::Cell(y)) => board.neighbors(x).any(|cell| cell == y),
        (ConnectionEnd::Cell(cell), ConnectionEnd::FIRST) | (ConnectionEnd::FIRST, ConnectionEnd::Cell(cell)) => {
            board.is_first(player, cell)
        }
        (ConnectionEnd::Cell(cell), ConnectionEnd::LAST) | (ConnectionEnd::LAST, ConnectionEnd::Cell(cell)) => {
            board.is_last(player, cell)
        }
        _ => false,
    }
}
