//! Certificates of what the solver finds.
//!
//! The search knows who wins but leans on cells that are filled in and moves that are left out. A certificate is to be
//! checked without any of that, so it is made anew: by van Rijswijck's pattern search for the winner alone, with plain
//! connections at every position and the solver as the oracle that names a winning reply. A position with the loser to
//! move is the OR of the semi-connections from edge to edge; as long as a cell is common to all of them, the loser
//! moves there, the winner replies, and the win after that is one semi-connection more. What was proved once is used
//! wherever it fits.
//!
//! Dead cells and those that the loser captures are left to him; those that the winner captures are stones until the
//! line is found, and are then taken back by the rule for them. On the empty 7×7 board that is worth a factor of
//! seventy.

use super::Solver;
use crate::board::{Board, Cell, Player};
use crate::cells::{CellSet, MAX_WIDTH};
use crate::certificate::{ProofBuilder, ProofLine, Unfounded, WinCertificate, is_fit, pairing};
use crate::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections, DerivationWriter};
use crate::inferior::Rings;
use crate::position::Position;
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;

/// The limits of the connections that lines are written of. Templates would make certificates longer, not shorter.
const LIMITS: ConnectionLimits = ConnectionLimits { templates: false, ..ConnectionLimits::USUAL };

/// Cells as certificates hold them.
type Cells = CellSet<MAX_WIDTH>;

/// Writes down why `winner` wins the position, which the solver found; its `to_move` is part of the claim.
///
/// `progress` is called with the number of lines now and then.
///
/// # Errors
///
/// [`Unproved`]: why there is no certificate.
pub fn certificate(
    solver: &Solver,
    position: &Position,
    to_move: Player,
    winner: Player,
    budget: &Budget,
    progress: &dyn Fn(usize),
) -> Result<WinCertificate, Unproved> {
    let mut position = position.clone();
    position.to_move = Some(to_move);
    if position.stones().next().is_none()
        && let Some(certificate) = pairing(position.board())
    {
        return Ok(certificate);
    }
    let board = position.board();
    if !is_fit(board) {
        return Err(Unproved::TooLarge(board));
    }
    if board.goes_around(winner) {
        return Err(Unproved::Around);
    }
    let [mine, theirs] = [winner, winner.opponent()].map(|player| position.stones_of(player).collect::<Cells>());
    let mut prover = Prover {
        solver,
        board,
        winner,
        rings: Rings::new(board),
        builder: ProofBuilder::new(board, winner),
        budget,
        fulls: Vec::new(),
        semis: Vec::new(),
        progress,
    };
    // A game that is over has no move left.
    let line = if to_move == winner && position.winner().is_none() {
        prover.semi(mine, theirs)
    } else {
        prover.full(mine, theirs)
    };
    line.map(|line| WinCertificate::new(&position, winner, prover.builder.finish(line)))
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq)]
pub enum Unproved {
    /// The budget stopped the search.
    Stopped(Stopped),
    /// Certificates are for boards of at most [`MAX_SIDE`](crate::certificate::MAX_SIDE) a side.
    TooLarge(Board),
    /// The calculus derives connections between edges, and the winner makes a chain around the board.
    Around,
    /// The player does not win, or a rule does not apply as it should: the solver was wrong.
    Wrong(String),
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproved::Stopped(stopped) => stopped.fmt(f),
            Unproved::TooLarge(board) => write!(f, "{board} is too large a board"),
            Unproved::Around => f.write_str("there are no certificates of chains around a cylinder"),
            Unproved::Wrong(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Unproved {}

impl From<Stopped> for Unproved {
    fn from(stopped: Stopped) -> Unproved {
        Unproved::Stopped(stopped)
    }
}

impl From<Unfounded> for Unproved {
    fn from(reason: Unfounded) -> Unproved {
        Unproved::Wrong(reason.to_string())
    }
}

struct Prover<'a> {
    solver: &'a Solver,
    board: Board,
    winner: Player,
    rings: Rings,
    builder: ProofBuilder,
    budget: &'a Budget,
    /// The full connections between the edges so far.
    fulls: Vec<ProofLine>,
    /// The semi-connections between the edges so far.
    semis: Vec<ProofLine>,
    progress: &'a dyn Fn(usize),
}

impl Prover<'_> {
    /// A full connection between the edges, in a position that is won with the loser to move. Goes as deep as there are
    /// cells.
    fn full(&mut self, mine: Cells, theirs: Cells) -> Result<ProofLine, Unproved> {
        if let Some(line) = self.known(ConnectionKind::Full, &mine, &theirs)? {
            return Ok(line);
        }
        self.budget.check()?;
        let filled = self.fill_in(mine, theirs);
        let mut line = self.derive_full(filled.mine, filled.theirs)?;
        line = self.without_captured(line, &mine, &filled.pairs)?;
        self.fulls.push(line);
        (self.progress)(self.builder.len());
        Ok(line)
    }

    /// A line that holds in the position.
    fn known(&mut self, kind: ConnectionKind, mine: &Cells, theirs: &Cells) -> Result<Option<ProofLine>, Unproved> {
        let lines = match kind {
            ConnectionKind::Full => &self.fulls,
            ConnectionKind::Semi => &self.semis,
        };
        match lines.iter().find(|&&line| self.fits(line, mine, theirs)) {
            Some(&line) => Ok(Some(self.builder.given(self.builder.carrier(line) & *mine, line)?)),
            None => Ok(None),
        }
    }

    /// The line without the winner's captured cells.
    fn without_captured(
        &mut self,
        mut line: ProofLine,
        mine: &Cells,
        pairs: &[[Cell; 2]],
    ) -> Result<ProofLine, Unproved> {
        for (i, &[c, d]) in pairs.iter().enumerate().rev() {
            let needs = self.builder.needs(line);
            if !needs.contains(c) && !needs.contains(d) {
                continue;
            }
            let plain = self.builder.captured(c, d, line);
            line = match plain {
                Ok(line) => line,
                Err(_) => {
                    // It rests on stones around that the line does not need.
                    let stones = pairs[..i].iter().flatten().fold(*mine, |stones, &cell| stones.with(cell));
                    let around = self.rings.around::<MAX_WIDTH>(c) | self.rings.around(d);
                    let given = self.builder.given((stones & around) - needs, line)?;
                    self.builder.captured(c, d, given)?
                }
            };
        }
        Ok(line)
    }

    /// The position with dead and captured cells as stones, the dead ones the loser's.
    fn fill_in(&self, mine: Cells, theirs: Cells) -> FilledPosition {
        let loser = self.winner.opponent();
        let mut stones = [mine; 2];
        stones[loser as usize] = theirs;
        let mut pairs = Vec::new();
        self.rings.fill_in_telling([loser, self.winner], &mut stones, |player, pair| {
            if player == self.winner {
                pairs.push(pair);
            }
        });
        FilledPosition { mine: stones[self.winner as usize], theirs: stones[loser as usize], pairs }
    }

    fn derive_full(&mut self, mine: Cells, theirs: Cells) -> Result<ProofLine, Unproved> {
        let connections = Connections::new(self.board, self.winner, mine, theirs, LIMITS);
        if connections.is_won() {
            let mut writer = DerivationWriter::new(&mut self.builder, &connections);
            return Ok(writer.won()?);
        }
        if let Some(carrier) = smallest(&connections, ConnectionKind::Full)
            && let Some(line) = self.write(&connections, ConnectionKind::Full, carrier)?
        {
            return Ok(line);
        }
        let mut must_play = Cells::all(self.board) - mine - theirs;
        let mut semis: Vec<ProofLine> = Vec::new();
        for semi in self.semis.clone() {
            if self.fits(semi, &mine, &theirs) && !must_play.is_subset(&self.builder.carrier(semi)) {
                must_play &= self.builder.carrier(semi);
                semis.push(self.builder.given(self.builder.carrier(semi) & mine, semi)?);
            }
        }
        for carrier in connections.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Semi) {
            if !must_play.is_subset(&carrier)
                && let Some(semi) = self.write(&connections, ConnectionKind::Semi, carrier)?
            {
                must_play &= self.builder.carrier(semi);
                semis.push(semi);
            }
        }
        let currents = super::order::currents(&connections).shares;
        loop {
            let strongest = must_play.iter().max_by(|a, b| currents[a.index()].total_cmp(&currents[b.index()]));
            let Some(cell) = strongest else { break };
            let semi = self.semi(mine, theirs.with(cell))?;
            if self.builder.kind(semi) == ConnectionKind::Full {
                return Ok(semi);
            }
            must_play &= self.builder.carrier(semi);
            semis.push(semi);
        }
        Ok(self.builder.or(&semis)?)
    }

    /// A semi-connection, or even a full one, between the edges, in a position that is won with the winner to move.
    fn semi(&mut self, mine: Cells, theirs: Cells) -> Result<ProofLine, Unproved> {
        self.budget.check()?;
        if let Some(line) = self.known(ConnectionKind::Semi, &mine, &theirs)? {
            return Ok(line);
        }
        let filled = self.fill_in(mine, theirs);
        let connections = Connections::new(self.board, self.winner, filled.mine, filled.theirs, LIMITS);
        if connections.is_won() || smallest(&connections, ConnectionKind::Full).is_some() {
            return self.full(mine, theirs);
        }
        let connected = match smallest(&connections, ConnectionKind::Semi) {
            Some(carrier) => self.write(&connections, ConnectionKind::Semi, carrier)?,
            None => None,
        };
        let semi = match connected {
            Some(semi) => semi,
            None => {
                let cell = self.reply(filled.mine, filled.theirs)?;
                let full = self.full(filled.mine.with(cell), filled.theirs)?;
                self.builder.movement(cell, full)?
            }
        };
        let semi = self.without_captured(semi, &mine, &filled.pairs)?;
        self.semis.push(semi);
        Ok(semi)
    }

    /// A winning move of the winner's.
    fn reply(&self, mine: Cells, theirs: Cells) -> Result<Cell, Unproved> {
        let mut position = Position::new(self.board);
        mine.iter().for_each(|cell| {
            position.place(self.winner, cell);
        });
        theirs.iter().for_each(|cell| {
            position.place(self.winner.opponent(), cell);
        });
        let found = self.solver.winning_move(&position, self.winner, 1, self.budget)?;
        found.ok_or_else(|| {
            Unproved::Wrong(format!("{} should win but has no winning move in\n{position}", self.winner))
        })
    }

    /// Whether a line holds in a position, maybe with stones of the winner's in its carrier.
    fn fits(&self, line: ProofLine, mine: &Cells, theirs: &Cells) -> bool {
        self.builder.needs(line).is_subset(mine) && self.builder.carrier(line).is_disjoint(theirs)
    }

    /// Writes the derivation of a connection between the edges; `None` if the limits drop what it follows from, as they may
    /// where all cells outside of its carrier are the opponent's.
    fn write(
        &mut self,
        connections: &Connections<MAX_WIDTH>,
        kind: ConnectionKind,
        carrier: Cells,
    ) -> Result<Option<ProofLine>, Unproved> {
        // A position has dozens of connections, and each derivation makes a closure.
        self.budget.check()?;
        let ends = (ConnectionEnd::FIRST, ConnectionEnd::LAST);
        let Some(steps) = connections.derive(ends.0, ends.1, kind, carrier) else { return Ok(None) };
        Ok(Some(DerivationWriter::new(&mut self.builder, connections).write_steps(ends, &steps)?))
    }
}

/// A position with its dead and captured cells filled in.
struct FilledPosition {
    mine: Cells,
    theirs: Cells,
    /// The winner's captured cells, each pair resting on those before it.
    pairs: Vec<[Cell; 2]>,
}

fn smallest(connections: &Connections<MAX_WIDTH>, kind: ConnectionKind) -> Option<Cells> {
    connections.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind).min_by_key(CellSet::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Red joins the edges of 3×3 from its center by bridges, without a move of the search.
    #[test]
    fn derivations_look_at_the_time() {
        let mut position = Position::new(Board::new(3, 3).expect("a board"));
        position.place(Player::Red, position.board().cell(1, 1).expect("a cell"));
        let solver = Solver::new(position.board()).expect("a board that is small enough");
        let proof = |budget: &Budget| certificate(&solver, &position, Player::Blue, Player::Red, budget, &|_| ());
        assert!(proof(&Budget::unlimited()).is_ok());
        assert!(matches!(proof(&Budget::unlimited().with_timeout(Duration::ZERO)), Err(Unproved::Stopped(_))));
    }
}
