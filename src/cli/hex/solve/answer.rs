//! The answer of `ludolog hex solve`, as text and as JSON.

use crate::cli::{counted, has_color};
use ludolog::engine::Stopped;
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::draw;
use ludolog::hex::position::Position;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The question besides who wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveTask {
    OneMove,
    AllMoves,
    Openings,
}

pub struct SolvedAnswer {
    pub position: Position,
    pub to_move: Player,
    pub asked: SolveTask,
    pub winner: Option<Player>,
    /// Those that were found.
    pub winning_moves: Vec<Cell>,
    /// By cell, whether moving there wins; where it was asked and found out.
    pub wins: Vec<Option<bool>>,
    /// Whether a symmetry of the board changes nothing, so that one of moves that are alike was asked for.
    pub is_symmetric: bool,
    pub proof: Option<WrittenProof>,
    /// Whether a proof was asked for and not finished.
    pub unproved: bool,
    /// Why not all that was asked is answered.
    pub stopped: Option<Stopped>,
    pub nodes: u64,
    pub seconds: f64,
}

/// The part of several answers that a certificate proves.
const PROVED: &str =
    "it proves who wins, by one of these moves; for another move, solve the position after it with --proof\n";

/// A proof that was written and accepted.
pub struct WrittenProof {
    pub file: PathBuf,
    pub lines: usize,
    pub bytes: usize,
}

impl SolvedAnswer {
    /// Nothing is known yet.
    pub fn new(position: Position, to_move: Player, asked: SolveTask) -> SolvedAnswer {
        SolvedAnswer {
            wins: vec![None; position.board().len()],
            position,
            to_move,
            asked,
            winner: None,
            winning_moves: Vec::new(),
            is_symmetric: false,
            proof: None,
            unproved: false,
            stopped: None,
            nodes: 0,
            seconds: 0.0,
        }
    }

    /// Whether all that was asked is answered.
    pub fn is_complete(&self) -> bool {
        self.winner.is_some() && !self.unproved && (self.asked == SolveTask::OneMove || self.has_all_moves())
    }

    /// Whether the winning moves are all there are.
    fn has_all_moves(&self) -> bool {
        self.position.winner().is_some()
            || self.winner == Some(self.to_move.opponent())
            || self.position.empty_cells().all(|cell| self.wins[cell.index()].is_some())
    }

    pub fn to_json(&self) -> Value {
        let board = self.position.board();
        let name = |winner: Option<Player>| winner.map_or("unknown", Player::name);
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("board", json!(board.to_string()));
        put("to_move", json!(self.to_move.name()));
        put("winner", json!(name(self.winner)));
        put("already", json!(self.position.winner().is_some()));
        put("winning_moves", self.winning_moves.iter().map(|&cell| board.name(cell)).collect());
        put("complete", json!(self.has_all_moves()));
        put("stopped", json!(self.stopped.as_ref().map(Stopped::to_string)));
        if self.asked == SolveTask::Openings {
            let openings = board.cells().map(|cell| (board.name(cell), json!(name(self.winner_after(cell)))));
            put("openings", Value::Object(openings.collect()));
        }
        put("nodes", json!(self.nodes));
        put("seconds", json!(self.seconds));
        let proof = self.proof.as_ref();
        put(
            "proof",
            json!(proof.map(|proof| json!({ "file": proof.file, "lines": proof.lines, "bytes": proof.bytes }))),
        );
        Value::Object(object)
    }

    /// The winner after a move there, where that was asked and found out.
    fn winner_after(&self, cell: Cell) -> Option<Player> {
        let wins = self.wins[cell.index()]?;
        Some(if wins { self.to_move } else { self.to_move.opponent() })
    }

    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(name) = &self.position.name {
            let _ = writeln!(text, "{name}");
        }
        let _ = writeln!(text, "{}", self.verdict());
        let color = has_color();
        let _ = match (self.position.winner(), self.asked) {
            (Some(winner), _) => {
                let chain = self.position.chain(winner).unwrap_or_default();
                write!(text, "{}", draw::to_text(&self.position, &chain, color))
            }
            (None, SolveTask::Openings) => {
                write!(text, "{}{}", self.caption(), draw::to_text(&self.openings(), &[], color))
            }
            (None, _) => write!(text, "{}", draw::to_text(&self.position, &self.winning_moves, color)),
        };
        if let Some(WrittenProof { file, lines, bytes }) = &self.proof {
            let _ = writeln!(text, "proof: {}, {}, {bytes} bytes, verified", file.display(), counted(*lines, "line"));
            if self.asked != SolveTask::OneMove && self.winner == Some(self.to_move) && self.position.winner().is_none()
            {
                text.push_str(PROVED);
            }
        }
        if self.winner.is_some() && self.unproved {
            text.push_str("the proof was not finished\n");
        }
        if let Some(stopped) = &self.stopped {
            let _ = writeln!(text, "{stopped}");
        }
        let _ = writeln!(text, "{} in {:.3} s", counted(self.nodes as usize, "node"), self.seconds);
        text
    }

    /// One line: who wins, and by which moves.
    fn verdict(&self) -> String {
        let board = self.position.board();
        let Some(winner) = self.winner else {
            return format!("not solved: who wins with {} to move is unknown", self.to_move);
        };
        if self.position.winner().is_some() {
            return format!("{winner} has won already");
        }
        let names: Vec<String> = self.winning_moves.iter().map(|&cell| board.name(cell)).collect();
        let moves = match (winner == self.to_move, self.asked, self.has_all_moves()) {
            (false, ..) => ", whatever the move".to_owned(),
            (true, SolveTask::OneMove, _) | (true, _, true) => format!(" by {}", names.join(", ")),
            (true, _, false) => format!(" by {}, and perhaps by others", names.join(", ")),
        };
        format!("{winner} wins with {} to move{moves}", self.to_move)
    }

    /// The caption of the map of openings.
    fn caption(&self) -> String {
        let unknown = if self.has_all_moves() { "" } else { ", . where it is unknown" };
        let alike = match (self.is_symmetric, self.position.board().is_rhombus()) {
            (false, _) => "",
            (true, true) => " (half of them solved, the others being the same turned by 180°)",
            (true, false) => " (one of each kind solved, the others being the same turned or mirrored)",
        };
        format!("who wins when {} begins there{unknown}{alike}:\n", self.to_move)
    }

    /// The map of openings: on each cell a stone of who wins after a first move there.
    fn openings(&self) -> Position {
        let mut map = Position::new(self.position.board());
        for cell in map.board().cells() {
            if let Some(winner) = self.winner_after(cell) {
                map.place(winner, cell);
            }
        }
        map
    }
}
