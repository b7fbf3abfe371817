//! A game on record.
//!
//! A record is a row of [`RecordNode`]s, as in SGF's main line: each may set cells up, say who is to move, and hold one
//! [`Turn`]. Every node is checked when it is added, so that a record always stands for a position.
//!
//! After a swap of pieces all stones have changed color and the board is reflected in its long diagonal, from a1 to
//! the opposite corner, so that the first player now has the second player's part on an equal board. After a swap of
//! sides the stones stay and the players change colors: the color that swapped is to move again.

use crate::board::{Board, Cell, Player};
use crate::position::{HeaderClaim, Position};
use std::collections::BTreeMap;
use std::fmt;

/// The action of a player in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A stone on the cell.
    Play(Cell),
    /// All stones change color and the board is reflected.
    SwapPieces,
    /// The stones stay and the players change colors.
    SwapSides,
    /// Nothing.
    Pass,
    /// The player gives up.
    Resign,
    /// Lost on time or by the referee.
    Forfeit,
}

/// A player's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The player.
    pub player: Player,
    /// The action.
    pub action: Action,
}

/// A property without a meaning here: kept, with values as they are written, to be written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name, in capital letters.
    pub name: String,
    /// Its values, with their escapes.
    pub values: Vec<String>,
}

/// One step of a record. What is set up comes first, then who is to move, then the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordNode {
    /// Cells that get a stone or are cleared, whatever was there; of several for one cell the last counts.
    pub setup: Vec<(Cell, Option<Player>)>,
    /// The player to move, where the node says so.
    pub to_move: Option<Player>,
    /// The turn that is taken.
    pub turn: Option<Turn>,
    /// A comment.
    pub comment: Option<String>,
    /// Further properties.
    pub other: Vec<Property>,
}

impl RecordNode {
    /// The cells that are set up, row by row; of several contents of one cell the last.
    pub fn last_setup(&self) -> BTreeMap<Cell, Option<Player>> {
        self.setup.iter().copied().collect()
    }
}

impl From<Turn> for RecordNode {
    fn from(turn: Turn) -> RecordNode {
        RecordNode { turn: Some(turn), ..RecordNode::default() }
    }
}

/// Why a turn cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// There is a stone on the cell.
    Occupied,
    /// There is no stone to be swapped.
    NothingToSwap,
    /// The reflection of a board that is not square is another board.
    NotSquare,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Illegal::Occupied => "occupied",
            Illegal::NothingToSwap => "no stone to swap",
            Illegal::NotSquare => "pieces swap on square boards only",
        })
    }
}

impl std::error::Error for Illegal {}

/// A game, from the empty board to where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The name of the game.
    pub name: Option<String>,
    /// The source of the game.
    pub from: Option<String>,
    /// The state of the position that the record ends in, as it is claimed.
    pub known: Option<HeaderClaim>,
    board: Board,
    nodes: Vec<RecordNode>,
    state: RecordState,
}

/// The state of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RecordState {
    stones: Vec<Option<Player>>,
    /// The last moves, as far as they alternate, begin with Red and are undisturbed by anything else: what a
    /// [`Position`] can hold as its moves.
    moves: Vec<Cell>,
    to_move: Option<Player>,
    /// The player who has resigned or forfeited.
    lost: Option<Player>,
}

impl RecordState {
    fn new(board: Board) -> RecordState {
        RecordState { stones: vec![None; board.len()], moves: Vec::new(), to_move: Some(Player::Red), lost: None }
    }

    fn apply(&mut self, board: Board, node: &RecordNode) -> Result<(), Illegal> {
        let turn = self.check(board, node)?;
        if !node.setup.is_empty() {
            self.moves.clear();
            self.to_move = None;
            node.setup.iter().for_each(|&(cell, stone)| self.stones[cell.index()] = stone);
        }
        self.to_move = node.to_move.or(self.to_move);
        let Some(Turn { player, action }) = turn else { return Ok(()) };
        match action {
            Action::Play(cell) => {
                self.stones[cell.index()] = Some(player);
                if player != Player::BOTH[self.moves.len() % 2] {
                    self.moves.clear();
                }
                if player == Player::BOTH[self.moves.len() % 2] {
                    self.moves.push(cell);
                }
                self.to_move = Some(player.opponent());
            }
            Action::SwapPieces => {
                self.moves.clear();
                let before = std::mem::replace(&mut self.stones, vec![None; board.len()]);
                for cell in board.cells() {
                    if let Some(mirrored) = mirror(board, cell) {
                        self.stones[mirrored.index()] = before[cell.index()].map(Player::opponent);
                    }
                }
                self.to_move = Some(player.opponent());
            }
            Action::SwapSides => self.to_move = Some(player),
            Action::Pass => {
                self.moves.clear();
                self.to_move = Some(player.opponent());
            }
            Action::Resign | Action::Forfeit => self.lost = Some(player),
        }
        Ok(())
    }

    /// The turn of the node, if it can be taken after what the node sets up.
    fn check(&self, board: Board, node: &RecordNode) -> Result<Option<Turn>, Illegal> {
        let stone = |cell: Cell| {
            let set_up = node.setup.iter().rev().find(|(other, _)| *other == cell);
            set_up.map_or(self.stones[cell.index()], |&(_, stone)| stone)
        };
        match node.turn.map(|turn| turn.action) {
            Some(Action::Play(cell)) if stone(cell).is_some() => Err(Illegal::Occupied),
            Some(Action::SwapPieces) if board.width() != board.height() => Err(Illegal::NotSquare),
            Some(Action::SwapPieces | Action::SwapSides) if board.cells().all(|cell| stone(cell).is_none()) => {
                Err(Illegal::NothingToSwap)
            }
            _ => Ok(node.turn),
        }
    }
}

/// The cell's reflection in the long diagonal, where that is on the board.
pub fn mirror(board: Board, cell: Cell) -> Option<Cell> {
    board.cell(board.row(cell), board.column(cell))
}

impl GameRecord {
    /// An empty board, Red to move.
    pub fn new(board: Board) -> GameRecord {
        GameRecord { name: None, from: None, known: None, board, nodes: Vec::new(), state: RecordState::new(board) }
    }

    /// The stones that stand there from the start as set-up, then the moves.
    pub fn of_position(position: &Position) -> GameRecord {
        let mut record = GameRecord::new(position.board());
        let setup: Vec<_> = position.setup().map(|(player, cell)| (cell, Some(player))).collect();
        let moves: Vec<Turn> =
            position.moves().map(|(player, cell)| Turn { player, action: Action::Play(cell) }).collect();
        if !setup.is_empty() {
            let to_move = if moves.is_empty() { position.to_move } else { Some(Player::Red) };
            record.add(RecordNode { setup, to_move, ..RecordNode::default() });
        }
        for turn in moves {
            record.add(turn.into());
        }
        if position.to_move.is_some() && record.to_move() != position.to_move {
            record.add(RecordNode { to_move: position.to_move, ..RecordNode::default() });
        }
        record.name.clone_from(&position.name);
        record.from.clone_from(&position.from);
        record.known = position.known;
        record
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The nodes, from the first.
    pub fn nodes(&self) -> &[RecordNode] {
        &self.nodes
    }

    /// Adds a node, whose cells are on this record's board.
    ///
    /// # Errors
    ///
    /// Why its turn cannot be taken; nothing changes then.
    pub fn push(&mut self, node: RecordNode) -> Result<(), Illegal> {
        self.state.apply(self.board, &node)?;
        self.nodes.push(node);
        self.known = None;
        Ok(())
    }

    /// Adds a turn.
    ///
    /// # Errors
    ///
    /// As [`push`](GameRecord::push).
    pub fn take(&mut self, player: Player, action: Action) -> Result<(), Illegal> {
        self.push(Turn { player, action }.into())
    }

    /// Adds a node that cannot be illegal.
    fn add(&mut self, node: RecordNode) {
        let added = self.push(node);
        debug_assert_eq!(added, Ok(()));
    }

    /// Takes the last step back; `None` when there is none.
    pub fn undo(&mut self) -> Option<RecordNode> {
        let undone = self.nodes.pop()?;
        self.known = None;
        self.state = RecordState::new(self.board);
        for node in &self.nodes {
            let applied = self.state.apply(self.board, node);
            debug_assert_eq!(applied, Ok(()));
        }
        Some(undone)
    }

    /// The stone on a cell now.
    pub fn stone(&self, cell: Cell) -> Option<Player> {
        self.state.stones[cell.index()]
    }

    /// The side to move; `None` where cells were set up and nothing says whose turn it is.
    pub fn to_move(&self) -> Option<Player> {
        self.state.to_move
    }

    /// The player who has resigned or forfeited.
    pub fn lost(&self) -> Option<Player> {
        self.state.lost
    }

    /// The position that the record ends in, with the moves as far as a position can tell them.
    pub fn position(&self) -> Position {
        let mut position = Position::new(self.board);
        let mut stones = self.state.stones.clone();
        self.state.moves.iter().for_each(|cell| stones[cell.index()] = None);
        for cell in self.board.cells() {
            if let Some(player) = stones[cell.index()] {
                position.place(player, cell);
            }
        }
        for &cell in &self.state.moves {
            position.play(cell);
        }
        position.name.clone_from(&self.name);
        position.from.clone_from(&self.from);
        position.known = self.known;
        position.to_move = self.state.to_move;
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{Blue, Red};

    /// A record on a 3x3 board; `-` passes, `s` swaps pieces, `S` swaps sides.
    fn record(turns: &[(Player, &str)]) -> GameRecord {
        let mut record = GameRecord::new(Board::new(3, 3).unwrap());
        for &(player, text) in turns {
            let action = match text {
                "-" => Action::Pass,
                "s" => Action::SwapPieces,
                "S" => Action::SwapSides,
                cell => Action::Play(record.board().cell_of_name(cell).unwrap()),
            };
            record.take(player, action).unwrap();
        }
        record
    }

    fn shown(record: &GameRecord) -> String {
        record.position().to_string()
    }

    #[test]
    fn moves_that_alternate_stay_moves() {
        assert_eq!(
            shown(&record(&[(Red, "b1"), (Blue, "a3"), (Red, "c3")])),
            "size: 3x3\nto-move: blue\nmoves: b1 a3 c3\n"
        );
    }

    #[test]
    fn a_swap_of_pieces_recolors_and_reflects() {
        // b1 is column 2 of row 1; its reflection column 1 of row 2.
        assert_eq!(
            shown(&record(&[(Red, "b1"), (Blue, "s"), (Red, "c3"), (Blue, "b2")])),
            "size: 3x3\nto-move: red\nblue: a2\nmoves: c3 b2\n"
        );
    }

    #[test]
    fn a_swap_of_sides_leaves_the_stones() {
        assert_eq!(record(&[(Red, "b1"), (Blue, "S")]).to_move(), Some(Blue));
        assert_eq!(
            shown(&record(&[(Red, "b1"), (Blue, "S"), (Blue, "b2")])),
            "size: 3x3\nto-move: red\nmoves: b1 b2\n"
        );
    }

    #[test]
    fn passes_and_moves_out_of_turn_are_set_up() {
        assert_eq!(
            shown(&record(&[(Red, "a1"), (Blue, "-"), (Red, "b1")])),
            "size: 3x3\nto-move: blue\nred: a1\nmoves: b1\n"
        );
        let twice = record(&[(Blue, "a1"), (Blue, "a2")]);
        assert_eq!(shown(&twice), "to-move: red\nB . .\n B . .\n  . . .\n");
    }

    #[test]
    fn what_is_illegal_changes_nothing() {
        let mut game = record(&[(Red, "b1")]);
        let before = game.clone();
        let b1 = game.board().cell_of_name("b1").unwrap();
        assert_eq!(game.take(Blue, Action::Play(b1)), Err(Illegal::Occupied));
        assert_eq!(game, before);
        assert_eq!(record(&[]).take(Blue, Action::SwapPieces), Err(Illegal::NothingToSwap));
        let mut wide = GameRecord::new(Board::new(3, 2).unwrap());
        wide.take(Red, Action::Play(b1)).unwrap();
        assert_eq!(wide.take(Blue, Action::SwapPieces), Err(Illegal::NotSquare));
        assert_eq!(wide.take(Blue, Action::SwapSides), Ok(()));
    }

    #[test]
    fn undo_goes_back_over_a_swap() {
        let mut game = record(&[(Red, "b1"), (Blue, "s"), (Red, "c3")]);
        game.undo();
        game.undo();
        assert_eq!(game, record(&[(Red, "b1")]));
        game.undo();
        assert_eq!(game.undo(), None);
        assert_eq!(game, record(&[]));
    }
}
