//! A position of Hex, as JSON.

use ludolog_certificate::Certificate;
use ludolog_hex::board::{Cell, Player};
use ludolog_hex::cells::CellSet;
use ludolog_hex::certificate::{WinCertificate, page};
use ludolog_hex::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use ludolog_hex::evaluation::{self, Evaluation};
use ludolog_hex::position::Position;
use ludolog_hex::solver::{Solver, proof};
use ludolog_hex::survey::{InferiorCells, MustPlay, names};
use ludolog_hex::{by_width, draw};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::{Diagnostics, Sources};
use serde_json::{Value, json};

/// A position of Hex, and what its solver has found out.
pub struct HexBoard {
    position: Position,
    /// The solver for boards of this size; `None` where they are too large.
    solver: Option<Solver>,
}

/// A view of a position: what is marked, and what is told.
struct View {
    position: Position,
    marked: Vec<Cell>,
    heat: Option<Vec<Option<f64>>>,
    lines: Vec<String>,
}

impl View {
    fn of(position: &Position) -> View {
        View { position: position.clone(), marked: Vec::new(), heat: None, lines: Vec::new() }
    }
}

impl HexBoard {
    /// A position: an empty board, as `5x5`, or a text in one of the forms of position files.
    ///
    /// # Errors
    ///
    /// All that is wrong with the text, and the text that the places refer to.
    pub fn read(text: &str) -> Result<HexBoard, (Sources, Diagnostics)> {
        let position = match text.trim().parse() {
            Ok(board) => Position::new(board),
            Err(_) => {
                let mut sources = Sources::new();
                let source = sources.add("position", text);
                Position::parse(text, source).map_err(|wrong| (sources, wrong))?
            }
        };
        Ok(HexBoard { solver: Solver::new(position.board()), position })
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Goes to another position. A solver for boards of this size is kept with all that it knows.
    pub fn go_to(&mut self, other: HexBoard) {
        if self.position.board() == other.position.board() {
            self.position = other.position;
        } else {
            *self = other;
        }
    }

    /// Puts a stone of a player on an empty cell; without a player, the cell is emptied. The other player moves next.
    ///
    /// # Errors
    ///
    /// There is no such cell, or there is a stone on it.
    pub fn put(&mut self, player: Option<Player>, cell: &str) -> Result<(), String> {
        let cell = self.cell(cell)?;
        match player {
            Some(player) if self.position.place(player, cell) => self.position.to_move = Some(player.opponent()),
            Some(_) => return Err("there is a stone on this cell".to_owned()),
            None => {
                let mut rest = Position::new(self.position.board());
                rest.to_move = self.position.stone(cell).or(self.position.to_move);
                for (player, other) in self.position.stones().filter(|&(_, other)| other != cell) {
                    rest.place(player, other);
                }
                self.position = rest;
            }
        }
        Ok(())
    }

    /// The cell of a name.
    ///
    /// # Errors
    ///
    /// There is no such cell on the board.
    pub fn cell(&self, name: &str) -> Result<Cell, String> {
        let found = self.position.board().cell_of_name(name);
        found.ok_or_else(|| format!("there is no cell `{name}` on this board"))
    }

    /// The position as a page shows it: `position` (a text), `cells` (`name` and `stone` of each, row by row), `columns`, `toMove`,
    /// `winner`, and of the view an `svg` and `lines`. A view is `stones`, `must-play`, `inferior`, `wins`, `connection` (from one of
    /// the ends to the other: cells, or `top`, `bottom`, `left`, `right`), or the name of an evaluation.
    ///
    /// # Errors
    ///
    /// There is no such view or end, or the board is too large for it.
    pub fn shown(&self, view: &str, ends: &[String], budget: &Budget) -> Result<Value, String> {
        let board = self.position.board();
        let too_large = || format!("a board of {board} is too large for this");
        let seen = match view {
            "stones" => self.stones(),
            "must-play" => by_width!(board.len(), W => self.must_play::<W>()).ok_or_else(too_large)?,
            "inferior" => by_width!(board.len(), W => self.inferior::<W>()).ok_or_else(too_large)?,
            "connection" => by_width!(board.len(), W => self.connection::<W>(ends)).ok_or_else(too_large)??,
            "wins" => self.wins(budget)?,
            measure => self.evaluation(measure)?,
        };
        let cells = board.cells().map(|cell| {
            let stone = self.position.stone(cell).map(Player::name);
            json!({ "name": board.name(cell), "stone": stone })
        });
        let svg = match &seen.heat {
            Some(heat) => draw::heat_to_svg(&seen.position, heat, view),
            None => draw::to_svg(&seen.position, &seen.marked),
        };
        Ok(json!({
            "position": self.position.to_string(),
            "cells": cells.collect::<Vec<_>>(),
            "columns": board.width(),
            "toMove": self.position.turn().name(),
            "winner": self.position.winner().map(Player::name),
            "svg": svg,
            "lines": seen.lines,
        }))
    }

    /// The stones, with the chain of who has won.
    fn stones(&self) -> View {
        let mut view = View::of(&self.position);
        if let Some(winner) = self.position.winner() {
            view.marked = self.position.chain(winner).unwrap_or_default();
            view.lines.push(format!("{winner} has won"));
        }
        view
    }

    fn connections<const W: usize>(&self, player: Player) -> Connections<W> {
        let limits = ConnectionLimits::USUAL.on(self.position.board());
        Connections::of_position(&self.position, player, limits)
    }

    fn must_play<const W: usize>(&self) -> View {
        let mut view = self.stones();
        if self.position.winner().is_none() {
            let opponent = self.position.turn().opponent();
            let must_play = MustPlay::against(&self.connections::<W>(opponent));
            view.marked = must_play.cells.into_iter().flatten().collect();
            view.lines.push(must_play.to_string());
        }
        view
    }

    fn inferior<const W: usize>(&self) -> View {
        let found = InferiorCells::<W>::of_position(&self.position, &[self.position.turn()]);
        let lines = found.lines();
        View { position: found.filled, marked: found.added, heat: None, lines }
    }

    /// The smallest connection of a player between two ends, and how many there are.
    fn connection<const W: usize>(&self, ends: &[String]) -> Result<View, String> {
        let [from, to] = ends else { return Err("a connection has two ends".to_owned()) };
        let board = self.position.board();
        let of = |player: Player| {
            let end = |name: &str| {
                let end = ConnectionEnd::from_name(name, board, player)?;
                let owner = end.cell().and_then(|cell| self.position.stone(cell));
                owner.is_none_or(|owner| owner == player).then_some(end)
            };
            Some((player, end(from)?, end(to)?))
        };
        let movers = [self.position.turn(), self.position.turn().opponent()];
        let (player, x, y) = movers
            .into_iter()
            .find_map(of)
            .filter(|(_, x, y)| x != y)
            .ok_or_else(|| format!("`{from}` and `{to}` are not two ends of one player"))?;
        let connections = self.connections::<W>(player);
        let mut view = View::of(&self.position);
        if connections.is_joined(x, y) {
            view.lines.push(format!("{player} has joined {from} and {to}"));
            return Ok(view);
        }
        let mut smallest: Option<CellSet<W>> = None;
        for kind in ConnectionKind::BOTH {
            let carriers: Vec<CellSet<W>> = connections.carriers(x, y, kind).collect();
            let least = carriers.iter().copied().min_by_key(|carrier| carrier.len());
            let cells = least.map_or_else(String::new, |least| format!(", in {}", names(board, least).join(" ")));
            view.lines.push(format!("{player} from {from} to {to}, {kind}: {} known{cells}", carriers.len()));
            smallest = smallest.or(least);
        }
        view.marked = smallest.into_iter().flatten().collect();
        Ok(view)
    }

    /// The evaluation by the measure of that name.
    fn measured(&self, name: &str) -> Result<Evaluation, String> {
        let measure = evaluation::named(name).ok_or_else(|| {
            let names: Vec<&str> = evaluation::ALL.iter().map(|measure| measure.name).collect();
            format!("there is no measure `{name}`; there are {}", names.join(", "))
        })?;
        let board = self.position.board();
        let too_large = || format!("a board of {board} is too large for this measure");
        evaluation::is_fit(board).then(|| measure.evaluate(&self.position)).ok_or_else(too_large)
    }

    fn evaluation(&self, name: &str) -> Result<View, String> {
        let evaluation = self.measured(name)?;
        let measure = evaluation.measure;
        let sides = Player::BOTH.map(|player| format!("{player} {}", figure(evaluation.of(player).value)));
        let mut view = View::of(&self.position);
        view.heat = Some(evaluation.heat(None));
        view.lines.push(format!("{} ({}): {}", measure.title, measure.unit, sides.join(", ")));
        view.lines.push(format!("warm: {}", measure.figure));
        Ok(view)
    }

    /// The evaluation by a measure: `red`, `blue`, and the `heat` of each cell.
    ///
    /// # Errors
    ///
    /// There is no such measure, or the board is too large for it.
    pub fn evaluate(&self, measure: &str) -> Result<Value, String> {
        let evaluation = self.measured(measure)?;
        let finite = |player: Player| Some(evaluation.of(player).value).filter(|value| value.is_finite());
        let [red, blue] = Player::BOTH.map(finite);
        Ok(json!({ "red": red, "blue": blue, "heat": evaluation.heat(None) }))
    }

    fn solver(&self) -> Result<&Solver, String> {
        self.solver.as_ref().ok_or_else(|| "the board is too large to solve".to_owned())
    }

    /// The moves that win for the player to move, as far as the budget goes. What was found is kept for the next call.
    fn wins(&self, budget: &Budget) -> Result<View, String> {
        let mover = self.position.turn();
        let solver = self.solver()?;
        let mut view = self.stones();
        if self.position.winner().is_some() {
            return Ok(view);
        }
        let mut open = 0;
        for cell in self.position.empty_cells() {
            match solver.wins_after(&self.position, mover, cell, 1, budget) {
                Ok(true) => view.marked.push(cell),
                Ok(false) => {}
                Err(_) => open += 1,
            }
        }
        let moves = names(self.position.board(), view.marked.iter().copied()).join(" ");
        let won = if moves.is_empty() { "none" } else { &moves };
        view.lines.push(format!("{mover} to move wins by: {won}"));
        if open > 0 {
            view.lines.push(format!("not decided: {open} moves"));
        }
        Ok(view)
    }

    /// Who wins when this player moves next and both play best: `winner` (null if the time did not suffice: the next call goes on),
    /// `move` (one that wins, if the player to move does), and the progress: `nodes`, `proved`, `win` and `loss` (proof and
    /// disproof number).
    ///
    /// # Errors
    ///
    /// The board is too large.
    pub fn solve(&self, to_move: Player, budget: &Budget) -> Result<Value, String> {
        let solver = self.solver()?;
        let winner = solver.winner(&self.position, to_move, 1, budget).ok();
        let by = winner.and_then(|_| solver.winning_move(&self.position, to_move, 1, budget).ok().flatten());
        let progress = solver.progress(&self.position, to_move);
        Ok(json!({
            "winner": winner.map(Player::name),
            "move": by.map(|cell| self.position.board().name(cell)),
            "nodes": progress.nodes,
            "proved": progress.proved,
            "win": progress.win,
            "loss": progress.loss,
        }))
    }

    /// A checked proof of who wins with the player to move: `certificate` (as `ludolog verify` reads it), `page` (to walk through, in
    /// HTML), `lines` (their number).
    ///
    /// # Errors
    ///
    /// The budget ends first, or the board is too large.
    pub fn prove(&self, budget: &Budget) -> Result<Value, String> {
        let to_move = self.position.turn();
        if self.position.winner().is_some() {
            return Err("the game is over".to_owned());
        }
        let solver = self.solver()?;
        let winner = solver.winner(&self.position, to_move, 1, budget).map_err(|stopped| stopped.to_string())?;
        let proved = proof::certificate(solver, &self.position, to_move, winner, budget, &|_| {});
        let text = proved.map_err(|why| why.to_string())?.to_text();
        // Read and checked as anybody would.
        let checked = WinCertificate::accept(text.as_bytes()).map_err(|refusal| refusal.to_string())?;
        Ok(json!({ "certificate": text, "page": page::to_html(&checked), "lines": checked.len() }))
    }
}

fn figure(value: f64) -> String {
    if value.is_infinite() {
        "∞".to_owned()
    } else {
        format!("{:.3}", value).trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}
