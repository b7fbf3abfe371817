//! Writing proofs, and making them short.
//!
//! A connection that is derived twice is written once. Replies that an `or` does not need are left out, and in the end
//! so are the lines that the last one does not rest on. An `and` that serves one other `and` only is written into that.
//! The builder applies the rules of [`verify`](super::verify), but need not be trusted: the check derives each line
//! again.

use super::verify::{DerivedConnection, ProofCells, Unfounded, VerifyContext};
use super::{Inference, Proof, ProofLine};
use crate::board::{Board, Cell, Player};
use crate::connection::{ConnectionEnd, ConnectionKind};
use crate::hexagon::HexagonBoard;
use hashbrown::HashTable;
use ludolog_syntax::ColdSort;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::hash::BuildHasher;

/// A proof in the making.
#[derive(Clone, Debug)]
pub struct ProofBuilder<B: HexagonBoard = Board> {
    board: B,
    winner: Player,
    derived: Vec<DerivedConnection>,
    /// The lines by what they derive. Equal connections are one line, the one that was derived first.
    lines: HashTable<ProofLine>,
    steps: Vec<Inference>,
    /// By line, the number of lines that it would take if nothing were shared.
    costs: Vec<u64>,
}

impl<B: HexagonBoard> ProofBuilder<B> {
    /// A proof without lines that `winner` wins a position on this board.
    ///
    /// # Panics
    ///
    /// When the board has more cells than a set of [`ProofCells`] holds; all that are [fit](super::is_fit) have fewer.
    pub fn new(board: B, winner: Player) -> ProofBuilder<B> {
        assert!(board.cell_count() <= ProofCells::CAPACITY, "{board} has more cells than the sets hold");
        ProofBuilder {
            board,
            winner,
            derived: Vec::new(),
            lines: HashTable::new(),
            steps: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Two ends that touch.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn touch(&mut self, x: ConnectionEnd, y: ConnectionEnd) -> Result<ProofLine, Unfounded> {
        self.derive(Inference::Touch(x, y))
    }

    /// Two ends that both touch the cells `c` and `d`.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn bridge(&mut self, x: ConnectionEnd, y: ConnectionEnd, c: Cell, d: Cell) -> Result<ProofLine, Unfounded> {
        self.derive(Inference::Bridge(x, y, c, d))
    }

    /// Full connections in a row; one alone is itself.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn and(&mut self, lines: &[ProofLine]) -> Result<ProofLine, Unfounded> {
        match lines {
            &[line] => Ok(line),
            _ => self.derive(Inference::And(lines.to_vec())),
        }
    }

    /// Three full connections from one cell to the three edges.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn three(&mut self, lines: &[ProofLine]) -> Result<ProofLine, Unfounded> {
        let lines = lines.try_into().map_err(|_| Unfounded::new("`three` takes three lines"))?;
        self.derive(Inference::Three(lines))
    }

    /// The chain of ends of which each touches the next.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn path(&mut self, ends: &[ConnectionEnd]) -> Result<ProofLine, Unfounded> {
        let touches =
            ends.windows(2).map(|pair| self.touch(pair[0], pair[1])).collect::<Result<Vec<ProofLine>, Unfounded>>()?;
        self.and(&touches)
    }

    /// The semi-connection that is `line` after the winner's move to `cell`.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn movement(&mut self, cell: Cell, line: ProofLine) -> Result<ProofLine, Unfounded> {
        self.derive(Inference::Move(cell, line))
    }

    /// Semi-connections of which one is left after any move of the opponent. Those that are not needed for that are
    /// left out: large carriers first, and of equals those with the longer proof.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn or(&mut self, lines: &[ProofLine]) -> Result<ProofLine, Unfounded> {
        let mut lines = lines.to_vec();
        lines.cold_sort_by_key(|&line| (Reverse(self[line].carrier.len()), Reverse(self.costs[line.index()]), line));
        lines.dedup();
        // By place, the cells that all lines from there on have in common.
        let all = ProofCells::first_cells(self.board.cell_count());
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
        self.derive(Inference::Or(kept))
    }

    /// The line with these cells as stones; with none, itself.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn given(&mut self, cells: ProofCells, line: ProofLine) -> Result<ProofLine, Unfounded> {
        if cells.is_empty() { Ok(line) } else { self.derive(Inference::Given(cells.iter().collect(), line)) }
    }

    /// The line without the stones on `c` and `d`, which the winner captures.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn captured(&mut self, c: Cell, d: Cell, line: ProofLine) -> Result<ProofLine, Unfounded> {
        self.derive(Inference::Captured(c, d, line))
    }

    fn derive(&mut self, step: Inference) -> Result<ProofLine, Unfounded> {
        let connection = self.context().derive(&step)?;
        let hash = FxBuildHasher.hash_one(connection);
        if let Some(&line) = self.lines.find(hash, |line| self.derived[line.index()] == connection) {
            return Ok(line);
        }
        let line = ProofLine::new(self.steps.len());
        self.lines.insert_unique(hash, line, |line| FxBuildHasher.hash_one(self.derived[line.index()]));
        let parts = step.parts().iter().map(|part| self.costs[part.index()]);
        self.costs.push(parts.fold(1, u64::saturating_add));
        self.derived.push(connection);
        self.steps.push(step);
        Ok(line)
    }

    fn context(&self) -> VerifyContext<'_, B> {
        VerifyContext { board: self.board, winner: self.winner, earlier: &self.derived }
    }

    /// The number of lines so far.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing is derived yet.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The ends that the line joins.
    pub fn ends(&self, line: ProofLine) -> [ConnectionEnd; 2] {
        self[line].ends
    }

    /// Whether the line is full or semi.
    pub fn kind(&self, line: ProofLine) -> ConnectionKind {
        self[line].kind
    }

    /// The cells that have to be empty.
    pub fn carrier(&self, line: ProofLine) -> ProofCells {
        self[line].carrier
    }

    /// The cells, besides the ends, that have to hold the winner's stones.
    pub fn needs(&self, line: ProofLine) -> ProofCells {
        self[line].needs
    }

    /// The proof that ends with this line, which should join the winner's edges.
    pub fn finish(self, win: ProofLine) -> Proof {
        let steps = self.flattened(win);
        let mut numbers = vec![ProofLine::new(0); steps.len()];
        let mut written: Vec<Inference> = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            let Some(mut step) = step else { continue };
            match &mut step {
                Inference::Touch(..) | Inference::Bridge(..) => {}
                Inference::Move(_, line) | Inference::Given(_, line) | Inference::Captured(_, _, line) => {
                    *line = numbers[line.index()]
                }
                Inference::And(lines) | Inference::Or(lines) => {
                    lines.iter_mut().for_each(|line| *line = numbers[line.index()])
                }
                Inference::Three(lines) => *lines = lines.map(|line| numbers[line.index()]),
            }
            numbers[index] = ProofLine::new(written.len());
            written.push(step);
        }
        Proof::Connections { steps: written, win: numbers[win.index()] }
    }

    /// The lines up to `win` that it rests on, with chains that only one other chain uses written out in it.
    fn flattened(&self, win: ProofLine) -> Vec<Option<Inference>> {
        let mut uses = vec![0u32; win.index() + 1];
        uses[win.index()] = 1;
        for (index, step) in self.steps[..=win.index()].iter().enumerate().rev() {
            if uses[index] > 0 {
                step.parts().iter().for_each(|part| uses[part.index()] += 1);
            }
        }
        let mut steps: Vec<Option<Inference>> = Vec::with_capacity(uses.len());
        for (step, &used) in self.steps.iter().zip(&uses) {
            let mut step = (used > 0).then(|| step.clone());
            if let Some(Inference::And(lines)) = &mut step
                && let Some(flat) = self.flat(lines, &steps, &uses)
            {
                lines.iter().filter(|line| !flat.contains(line)).for_each(|line| steps[line.index()] = None);
                *lines = flat;
            }
            steps.push(step);
        }
        steps
    }

    /// The chain with those chains written out in it that no other line uses, if that is a chain too.
    fn flat(&self, lines: &[ProofLine], steps: &[Option<Inference>], uses: &[u32]) -> Option<Vec<ProofLine>> {
        let context = self.context();
        let ends = context.chain(lines).ok()?;
        let mut flat = Vec::with_capacity(lines.len());
        for (&line, &start) in lines.iter().zip(&ends) {
            match &steps[line.index()] {
                Some(Inference::And(inner)) if uses[line.index()] == 1 => {
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

impl<B: HexagonBoard> std::ops::Index<ProofLine> for ProofBuilder<B> {
    type Output = DerivedConnection;

    fn index(&self, line: ProofLine) -> &DerivedConnection {
        &self.derived[line.index()]
    }
}
