//! Proofs of edge templates.
//!
//! The rules for connections derive what they can. Where they end, exact search names a reply to each move that is left:
//! a win after that is one semi-connection more, and once no cell is common to all of them, they are a full one. It is the
//! way of [`solver::proof`](crate::solver::proof) with another oracle, on a region.

use super::EdgeTemplate;
use super::find::NotFound;
use crate::board::{Board, Cell};
use crate::cells::MAX_WIDTH;
use crate::certificate::verify::ProofCells;
use crate::certificate::{Inference, Proof, ProofBuilder, ProofLine, Unfounded};
use crate::connection::complete::ConnectionQuestion;
use crate::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections, DerivationWriter};
use ludolog_syntax::budget::Budget;

/// Limits of the closure within a carrier: few cells, so that more connections than usual are cheap.
const LIMITS: ConnectionLimits =
    ConnectionLimits { fulls: 20, semis: 60, alternatives: 5, templates: false, ..ConnectionLimits::USUAL };

/// Proves that Red joins the end to the bottom within the carrier; the carrier of the proof may be smaller.
///
/// # Errors
///
/// [`NotFound`]: the budget stopped it, or Red does not.
pub fn prove(board: Board, end: ConnectionEnd, carrier: ProofCells, budget: &Budget) -> Result<EdgeTemplate, NotFound> {
    let builder = ProofBuilder::new(board, EdgeTemplate::PLAYER);
    let mut prover = TemplateProver { board, end, builder, known: Vec::new(), budget };
    let line = prover.full(ProofCells::EMPTY, carrier)?;
    let steps: Vec<Inference> = match prover.builder.finish(line) {
        Proof::Connections { steps, .. } => steps,
        Proof::Pairing(_) => Vec::new(),
    };
    Ok(EdgeTemplate::new(board, steps)?)
}

struct TemplateProver<'a> {
    board: Board,
    end: ConnectionEnd,
    builder: ProofBuilder,
    /// The full connections so far.
    known: Vec<ProofLine>,
    budget: &'a Budget,
}

impl TemplateProver<'_> {
    /// A full connection where the cells of `mine` are Red's and all others than those of `open` Blue's. Goes as deep as
    /// there are cells.
    fn full(&mut self, mine: ProofCells, open: ProofCells) -> Result<ProofLine, NotFound> {
        let known = self.known.iter().copied().find(|&line| {
            self.builder.needs(line).is_subset(&mine) && self.builder.carrier(line).is_subset(&(mine | open))
        });
        if let Some(line) = known {
            return Ok(self.builder.given(self.builder.carrier(line) & mine, line)?);
        }
        let ends = (self.end, ConnectionEnd::LAST);
        let stones = self.end.cell().map_or(mine, |end| mine.with(end));
        let theirs = ProofCells::all(self.board) - stones - open;
        let connections = Connections::new(self.board, EdgeTemplate::PLAYER, stones, theirs, LIMITS);
        let smallest = connections.carriers(ends.0, ends.1, ConnectionKind::Full).min_by_key(ProofCells::len);
        let mut writer = DerivationWriter::new(&mut self.builder, &connections);
        let line = if connections.is_joined(ends.0, ends.1) {
            writer.path(ends.0, ends.1)?
        } else if let Some(carrier) = smallest {
            writer.write(ends, ConnectionKind::Full, carrier)?
        } else {
            self.by_replies(mine, open, &connections)?
        };
        self.known.push(line);
        Ok(line)
    }

    /// The same by a reply to each move that leaves no known semi-connection.
    fn by_replies(
        &mut self,
        mine: ProofCells,
        open: ProofCells,
        connections: &Connections<MAX_WIDTH>,
    ) -> Result<ProofLine, NotFound> {
        let ends = (self.end, ConnectionEnd::LAST);
        let mut must_play = open;
        let mut semis = Vec::new();
        for carrier in connections.carriers(ends.0, ends.1, ConnectionKind::Semi) {
            if !must_play.is_subset(&carrier) {
                let mut writer = DerivationWriter::new(&mut self.builder, connections);
                let semi = writer.write(ends, ConnectionKind::Semi, carrier)?;
                must_play &= carrier;
                semis.push(semi);
            }
        }
        while let Some(cell) = must_play.first() {
            self.budget.check()?;
            let left = open.without(cell);
            let (reply, carrier) = self.reply(mine, left)?;
            let full = self.full(mine.with(reply), carrier)?;
            if !self.builder.needs(full).contains(reply) {
                return Ok(full);
            }
            let semi = self.builder.movement(reply, full)?;
            must_play &= self.builder.carrier(semi);
            semis.push(semi);
        }
        Ok(self.builder.or(&semis)?)
    }

    /// A move of Red's that joins the end to the bottom, and the cells that it needs besides, as few as possible.
    fn reply(&self, mine: ProofCells, open: ProofCells) -> Result<(Cell, ProofCells), NotFound> {
        let mut best: Option<(Cell, ProofCells)> = None;
        for cell in open {
            let mine = mine.with(cell);
            let end: ProofCells = self.end.cell().into_iter().collect();
            let theirs = ProofCells::all(self.board) - mine - open - end;
            let question = ConnectionQuestion {
                board: self.board,
                player: EdgeTemplate::PLAYER,
                mine,
                theirs,
                ends: (self.end, ConnectionEnd::LAST),
                kind: ConnectionKind::Full,
            };
            let found = question.within(open.without(cell), self.budget)?.carrier;
            if let Some(carrier) = found
                && best.is_none_or(|(_, least)| carrier.len() < least.len())
            {
                best = Some((cell, carrier));
            }
        }
        best.ok_or_else(|| Unfounded::new("there is no reply in a carrier that should have one").into())
    }
}
