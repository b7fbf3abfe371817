//! Writing proofs, and making them short.
//!
//! What is derived twice is written once, a reply that an `or` does not need is left out, and so is, in the end, every
//! line that the last one does not rest on; an `and` that serves one other `and` only is written into that. The builder
//! applies the rules of [`verify`](super::verify), but nobody trusts it: who reads the file derives each line again.

use super::verify::{Cells, Connection, Context};
use super::{Certificate, Line, MAX_SIDE, Proof, Step};
use crate::board::{Cell, Player};
use crate::connection::{End, Kind};
use crate::position::Position;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::hash::BuildHasher;

/// A proof in the making.
#[derive(Clone, Debug)]
pub struct Builder {
    position: Position,
    winner: Player,
    derived: Vec<Connection>,
    /// The lines by what they derive. Equal connections are one line, the one that was derived first.
    lines: HashTable<Line>,
    steps: Vec<Step>,
    /// How many lines each line would take if nothing were shared.
    costs: Vec<u64>,
}

impl Builder {
    /// A proof that `winner` wins the position; who is to move is read from it. `None` on boards with a side of more than
    /// [`MAX_SIDE`].
    pub fn new(position: &Position, winner: Player) -> Option<Builder> {
        let board = position.board();
        (board.width().max(board.height()) <= MAX_SIDE).then(|| Builder {
            position: position.clone(),
            winner,
            derived: Vec::new(),
            lines: HashTable::new(),
            steps: Vec::new(),
            costs: Vec::new(),
        })
    }

    /// Two ends that touch. As with all lines, the error says why it does not follow.
    pub fn touch(&mut self, x: End, y: End) -> Result<Line, String> {
        self.derive(Step::Touch(x, y))
    }

    /// Two ends that both touch the cells `c` and `d`.
    pub fn bridge(&mut self, x: End, y: End, c: Cell, d: Cell) -> Result<Line, String> {
        self.derive(Step::Bridge(x, y, c, d))
    }

    /// Full connections in a row; one alone is itself.
    pub fn and(&mut self, lines: &[Line]) -> Result<Line, String> {
        match lines {
            &[line] => Ok(line),
            _ => self.derive(Step::And(lines.to_vec())),
        }
    }

    /// The chain of ends of which each touches the next.
    pub fn path(&mut self, ends: &[End]) -> Result<Line, String> {
        let touches =
            ends.windows(2).map(|pair| self.touch(pair[0], pair[1])).collect::<Result<Vec<Line>, String>>()?;
        self.and(&touches)
    }

    /// The semi-connection that is `line` after the winner's move to `cell`.
    pub fn movement(&mut self, cell: Cell, line: Line) -> Result<Line, String> {
        self.derive(Step::Move(cell, line))
    }

    /// Semi-connections of which one is left whatever the opponent takes. Those that are not needed for that are left out:
    /// large carriers first, and of equals those with the longer proof.
    pub fn or(&mut self, lines: &[Line]) -> Result<Line, String> {
        let mut lines = lines.to_vec();
        lines.sort_by_key(|&line| (Reverse(self[line].carrier.len()), Reverse(self.costs[line.index()]), line));
        lines.dedup();
        // What all from each place on have in common.
        let all = Cells::all(self.position.board());
        let mut later = vec![all; lines.len() + 1];
        for (i, &line) in lines.iter().enumerate().rev() {
            later[i] = later[i + 1] & self[line].carrier;
        }
        let mut common = all;
        let mut kept = Vec::new();
        for (i, &line) in lines.iter().enumerate() {
            if !common.is_disjoint(&later[i + 1]) {
                common &= self[line].carrier;
                kept.push(line);
            }
        }
        kept.sort_unstable();
        self.derive(Step::Or(kept))
    }

    /// The line with these cells as stones; with none, itself.
    pub fn given(&mut self, cells: Cells, line: Line) -> Result<Line, String> {
        match cells.is_empty() {
            true => Ok(line),
            false => self.derive(Step::Given(cells.iter().collect(), line)),
        }
    }

    /// The line without the stones on `c` and `d`, which the winner captures.
    pub fn captured(&mut self, c: Cell, d: Cell, line: Line) -> Result<Line, String> {
        self.derive(Step::Captured(c, d, line))
    }

    fn derive(&mut self, step: Step) -> Result<Line, String> {
        let connection = self.context().derive(&step)?;
        let hash = FxBuildHasher.hash_one(connection);
        if let Some(&line) = self.lines.find(hash, |line| self.derived[line.index()] == connection) {
            return Ok(line);
        }
        let line = Line::new(self.steps.len());
        self.lines.insert_unique(hash, line, |line| FxBuildHasher.hash_one(self.derived[line.index()]));
        let parts = step.parts().iter().map(|part| self.costs[part.index()]);
        self.costs.push(parts.fold(1, u64::saturating_add));
        self.derived.push(connection);
        self.steps.push(step);
        Ok(line)
    }

    fn context(&self) -> Context<'_> {
        Context { board: self.position.board(), winner: self.winner, earlier: &self.derived }
    }

    /// How many lines there are so far.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub fn ends(&self, line: Line) -> [End; 2] {
        self[line].ends
    }

    pub fn kind(&self, line: Line) -> Kind {
        self[line].kind
    }

    /// The cells that have to be empty.
    pub fn carrier(&self, line: Line) -> Cells {
        self[line].carrier
    }

    /// The cells, besides the ends, that have to hold the winner's stones.
    pub fn needs(&self, line: Line) -> Cells {
        self[line].needs
    }

    /// The proof that ends with this line, which should join the winner's edges.
    pub fn finish(self, win: Line) -> Certificate {
        let steps = self.flattened(win);
        let mut numbers = vec![Line::new(0); steps.len()];
        let mut written: Vec<Step> = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            let Some(mut step) = step else { continue };
            match &mut step {
                Step::Touch(..) | Step::Bridge(..) => {}
                Step::Move(_, line) | Step::Given(_, line) | Step::Captured(_, _, line) => {
                    *line = numbers[line.index()]
                }
                Step::And(lines) | Step::Or(lines) => lines.iter_mut().for_each(|line| *line = numbers[line.index()]),
            }
            numbers[index] = Line::new(written.len());
            written.push(step);
        }
        let proof = Proof::Connections { steps: written, win: numbers[win.index()] };
        Certificate::new(&self.position, self.winner, proof)
    }

    /// The lines up to `win` that it rests on, chains within chains written out where nobody else uses them.
    fn flattened(&self, win: Line) -> Vec<Option<Step>> {
        let mut uses = vec![0u32; win.index() + 1];
        uses[win.index()] = 1;
        for (index, step) in self.steps[..=win.index()].iter().enumerate().rev() {
            if uses[index] > 0 {
                step.parts().iter().for_each(|part| uses[part.index()] += 1);
            }
        }
        let mut steps: Vec<Option<Step>> = Vec::with_capacity(uses.len());
        for (step, &used) in self.steps.iter().zip(&uses) {
            let mut step = (used > 0).then(|| step.clone());
            if let Some(Step::And(lines)) = &mut step
                && let Some(flat) = self.flat(lines, &steps, &uses)
            {
                lines.iter().filter(|line| !flat.contains(line)).for_each(|line| steps[line.index()] = None);
                *lines = flat;
            }
            steps.push(step);
        }
        steps
    }

    /// The chain with the chains in it that nobody else uses written out, if that is a chain too.
    fn flat(&self, lines: &[Line], steps: &[Option<Step>], uses: &[u32]) -> Option<Vec<Line>> {
        let context = self.context();
        let ends = context.chain(lines).ok()?;
        let mut flat = Vec::with_capacity(lines.len());
        for (&line, &start) in lines.iter().zip(&ends) {
            match &steps[line.index()] {
                Some(Step::And(inner)) if uses[line.index()] == 1 => {
                    let forward = context.chain(inner).ok()?.first() == Some(&start);
                    let count = flat.len();
                    flat.extend_from_slice(inner);
                    if !forward {
                        flat[count..].reverse();
                    }
                }
                _ => flat.push(line),
            }
        }
        context.chain(&flat).is_ok().then_some(flat)
    }
}

impl std::ops::Index<Line> for Builder {
    type Output = Connection;

    fn index(&self, line: Line) -> &Connection {
        &self.derived[line.index()]
    }
}
