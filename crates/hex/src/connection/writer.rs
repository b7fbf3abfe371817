//! Derivations as lines of a proof.

use super::{ConnectionEnd, ConnectionKind, ConnectionRule, Connections, DerivationStep};
use crate::board::Cell;
use crate::cells::{CellSet, MAX_WIDTH};
use crate::certificate::{ProofBuilder, ProofLine, Unfounded};
use crate::hexagon::HexagonBoard;
use std::collections::VecDeque;

/// Writes connections, with all that they follow from, into a proof of the same player on the same board.
#[derive(Debug)]
pub struct DerivationWriter<'a, B: HexagonBoard> {
    builder: &'a mut ProofBuilder<B>,
    connections: &'a Connections<MAX_WIDTH, B>,
    mine: CellSet<MAX_WIDTH>,
}

impl<'a, B: HexagonBoard> DerivationWriter<'a, B> {
    /// Writes connections of that closure.
    pub fn new(
        builder: &'a mut ProofBuilder<B>,
        connections: &'a Connections<MAX_WIDTH, B>,
    ) -> DerivationWriter<'a, B> {
        DerivationWriter { builder, connections, mine: connections.mine() }
    }

    /// Writes the connection of this kind between two ends within `carrier`, and returns its line.
    ///
    /// # Errors
    ///
    /// Why it does not follow: the closure has no such connection.
    pub fn write(
        &mut self,
        (x, y): (ConnectionEnd, ConnectionEnd),
        kind: ConnectionKind,
        carrier: CellSet<MAX_WIDTH>,
    ) -> Result<ProofLine, Unfounded> {
        let steps = self.connections.derive(x, y, kind, carrier);
        let steps = steps.ok_or_else(|| Unfounded::new("a connection cannot be derived again"))?;
        self.write_steps((x, y), &steps)
    }

    /// Writes a derivation of a connection between two ends, and returns the line of its conclusion.
    ///
    /// # Errors
    ///
    /// Why a step does not follow.
    pub fn write_steps(
        &mut self,
        (x, y): (ConnectionEnd, ConnectionEnd),
        steps: &[DerivationStep<MAX_WIDTH>],
    ) -> Result<ProofLine, Unfounded> {
        let mut written: Vec<WrittenConnection> = Vec::with_capacity(steps.len());
        for step in steps {
            let line = self.write_step(steps, step, &written)?;
            written.push(line);
        }
        match *written.last().ok_or_else(|| Unfounded::new("an empty derivation"))? {
            WrittenConnection::Full(line) => self.between(x, line, y),
            WrittenConnection::Semi(key, line) => {
                let line = self.between(x, line, y)?;
                self.builder.movement(key, line)
            }
        }
    }

    /// The line, which joins the groups of two ends, between the ends themselves.
    fn between(&mut self, x: ConnectionEnd, line: ProofLine, y: ConnectionEnd) -> Result<ProofLine, Unfounded> {
        let mut lines = vec![line];
        let board = self.connections.board();
        let groups = [x, y].map(|end| ConnectionEnd::from_index(self.connections.group_of(end).into(), board));
        if groups[0] != x {
            lines.insert(0, self.path(x, groups[0])?);
        }
        if groups[1] != y {
            lines.push(self.path(groups[1], y)?);
        }
        self.builder.and(&lines)
    }

    /// Writes a shortest chain of the player's stones from `x` to `y`.
    ///
    /// # Errors
    ///
    /// That there is none.
    pub fn path(&mut self, x: ConnectionEnd, y: ConnectionEnd) -> Result<ProofLine, Unfounded> {
        let path = self.chain(x, y)?;
        self.builder.path(&path)
    }

    /// Writes that the player's stones have won: a chain between the edges, or from one stone to each of three.
    ///
    /// # Errors
    ///
    /// That they have not.
    pub fn won(&mut self) -> Result<ProofLine, Unfounded> {
        let board = self.connections.board();
        if board.edges_join() {
            return self.path(ConnectionEnd::FIRST, ConnectionEnd::LAST);
        }
        let at_all = |stone: &Cell| board.edges().all(|edge| self.chain(ConnectionEnd::Cell(*stone), edge).is_ok());
        let stone = self.mine.iter().find(at_all).ok_or_else(|| Unfounded::new("no group touches all edges"))?;
        let paths = board.edges().map(|edge| self.path(ConnectionEnd::Cell(stone), edge));
        let paths = paths.collect::<Result<Vec<ProofLine>, Unfounded>>()?;
        self.builder.three(&paths)
    }

    fn touches(&self, x: ConnectionEnd, y: ConnectionEnd) -> bool {
        self.connections.board().touches(self.connections.player(), x, y)
    }

    fn write_step(
        &mut self,
        steps: &[DerivationStep<MAX_WIDTH>],
        step: &DerivationStep<MAX_WIDTH>,
        written: &[WrittenConnection],
    ) -> Result<WrittenConnection, Unfounded> {
        let (x, y) = step.ends;
        Ok(match step.rule {
            ConnectionRule::Adjacent => WrittenConnection::Full(self.path(x, y)?),
            ConnectionRule::Template(index) => WrittenConnection::Full(self.template(index, step.ends)?),
            ConnectionRule::And(over) => {
                let parts: Vec<WrittenConnection> = step.from.iter().map(|&from| written[from]).collect();
                // An end may lie in the carrier of the other part.
                let ends: CellSet<MAX_WIDTH> = [x, y].into_iter().filter_map(ConnectionEnd::cell).collect();
                let mut lines = Vec::with_capacity(parts.len());
                for part in &parts {
                    let held = self.builder.carrier(part.line()) & ends;
                    lines.push(self.builder.given(held, part.line())?);
                }
                let line = self.builder.and(&lines)?;
                let key = parts.iter().find_map(|part| part.key());
                match (key, over) {
                    (Some(key), _) => WrittenConnection::Semi(key, line),
                    (None, ConnectionEnd::Cell(cell)) if !self.mine.contains(cell) => {
                        WrittenConnection::Semi(cell, line)
                    }
                    _ => WrittenConnection::Full(line),
                }
            }
            ConnectionRule::Three(end) => {
                let parts: Vec<WrittenConnection> = step.from.iter().map(|&from| written[from]).collect();
                let lines: Vec<ProofLine> = parts.iter().map(|part| part.line()).collect();
                let line = self.builder.three(&lines)?;
                let key = parts.iter().find_map(|part| part.key());
                match key.or_else(|| end.cell().filter(|&cell| !self.mine.contains(cell))) {
                    Some(key) => WrittenConnection::Semi(key, line),
                    None => WrittenConnection::Full(line),
                }
            }
            ConnectionRule::Or => WrittenConnection::Full(match self.bridge(steps, step)? {
                Some(bridge) => bridge,
                None => {
                    let mut semis = Vec::with_capacity(step.from.len());
                    for &from in &step.from {
                        if let WrittenConnection::Semi(key, line) = written[from] {
                            semis.push(self.builder.movement(key, line)?);
                        }
                    }
                    self.builder.or(&semis)?
                }
            }),
        })
    }

    /// The step as a bridge, where it is one: both its moves touch one cell of either end.
    fn bridge(
        &mut self,
        steps: &[DerivationStep<MAX_WIDTH>],
        step: &DerivationStep<MAX_WIDTH>,
    ) -> Result<Option<ProofLine>, Unfounded> {
        let [c, d] = step.carrier.iter().collect::<Vec<_>>()[..] else { return Ok(None) };
        let is_plain = |&from: &usize| {
            !matches!(steps[from].rule, ConnectionRule::Three(_))
                && steps[from].from.iter().all(|&part| steps[part].rule == ConnectionRule::Adjacent)
        };
        if !step.from.iter().all(is_plain) {
            return Ok(None);
        }
        let touching = |end: ConnectionEnd| {
            let cells = self.group(end).into_iter();
            cells.rev().find(|&at| [c, d].iter().all(|&cell| self.touches(at, ConnectionEnd::Cell(cell))))
        };
        let (x, y) = step.ends;
        let (Some(from), Some(to)) = (touching(x), touching(y)) else { return Ok(None) };
        let mut lines = Vec::new();
        if x != from {
            lines.push(self.path(x, from)?);
        }
        lines.push(self.builder.bridge(from, to, c, d)?);
        if y != to {
            lines.push(self.path(to, y)?);
        }
        Ok(Some(self.builder.and(&lines)?))
    }

    /// The end and the stones that are joined to it.
    fn group(&self, end: ConnectionEnd) -> Vec<ConnectionEnd> {
        let mut group = vec![end];
        let mut i = 0;
        while let Some(&at) = group.get(i) {
            i += 1;
            if at != end || !matches!(at, ConnectionEnd::Cell(cell) if !self.mine.contains(cell)) {
                let stones = self.mine.iter();
                let next =
                    stones.map(ConnectionEnd::Cell).filter(|&next| self.touches(at, next) && !group.contains(&next));
                group.extend(next.collect::<Vec<_>>());
            }
        }
        group
    }

    /// A shortest way from `x` to `y` over the winner's stones, each touching the next.
    fn chain(&self, x: ConnectionEnd, y: ConnectionEnd) -> Result<Vec<ConnectionEnd>, Unfounded> {
        let stones: Vec<ConnectionEnd> = self.mine.iter().map(ConnectionEnd::Cell).chain([y]).collect();
        let mut before: Vec<Option<ConnectionEnd>> = vec![None; stones.len()];
        let mut queue = VecDeque::from([x]);
        while let Some(at) = queue.pop_front() {
            if at == y {
                let previous =
                    |end: &ConnectionEnd| stones.iter().rposition(|stone| stone == end).and_then(|i| before[i]);
                let mut path: Vec<ConnectionEnd> = std::iter::successors(Some(y), previous).collect();
                path.reverse();
                return Ok(path);
            }
            for (i, &next) in stones.iter().enumerate() {
                if next != x && before[i].is_none() && self.touches(at, next) {
                    before[i] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        Err(Unfounded::new("stones that should touch do not"))
    }

    /// The lines of a template, from the group of the end that is no edge of it.
    fn template(&mut self, index: usize, (x, y): (ConnectionEnd, ConnectionEnd)) -> Result<ProofLine, Unfounded> {
        let templates = self.connections.board().templates(self.connections.player());
        let placed = templates.get(index).ok_or_else(|| Unfounded::new("no template of this board"))?;
        let line = placed.write(self.builder)?;
        let line = self.builder.given(placed.carrier & self.mine, line)?;
        let group = if x == placed.edge { y } else { x };
        if group == placed.end {
            return Ok(line);
        }
        let path = self.path(group, placed.end)?;
        self.builder.and(&[path, line])
    }
}

/// A connection as the certificate has it: a semi-connection as its first move and what is full after it.
#[derive(Clone, Copy)]
enum WrittenConnection {
    Full(ProofLine),
    Semi(Cell, ProofLine),
}

impl WrittenConnection {
    fn line(self) -> ProofLine {
        match self {
            WrittenConnection::Full(line) | WrittenConnection::Semi(_, line) => line,
        }
    }

    fn key(self) -> Option<Cell> {
        match self {
            WrittenConnection::Full(_) => None,
            WrittenConnection::Semi(key, _) => Some(key),
        }
    }
}
