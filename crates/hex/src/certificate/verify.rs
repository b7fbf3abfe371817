//! The calculus, and the check of a proof by it.
//!
//! Nothing here searches: each line is computed from those before it, in one pass over the proof. The rules and why
//! they are sound stand in the [module above](super). They hold on every [`HexagonBoard`]; the file is about a
//! [`Board`], rhombus, cylinder or triangle.

use super::{Inference, ProofLine};
use crate::board::{Board, Cell, Player};
use crate::cells::{CellSet, MAX_WIDTH};
use crate::connection::{ConnectionEnd, ConnectionKind};
use crate::hexagon::{HexagonBoard, Neighbor};
use ludolog_certificate::Refusal;
use std::fmt;

/// Cells of a board that proofs by connections are about.
pub type ProofCells = CellSet<MAX_WIDTH>;

/// Why a line does not follow by its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfounded(String);

impl fmt::Display for Unfounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfounded {}

impl Unfounded {
    /// The reason in words.
    pub fn new(reason: impl Into<String>) -> Unfounded {
        Unfounded(reason.into())
    }
}

/// The refusal of a line for this reason.
fn unfounded<T>(reason: impl Into<String>) -> Result<T, Unfounded> {
    Err(Unfounded::new(reason))
}

/// The connection that a line derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DerivedConnection {
    /// Two different ends, the lesser first.
    pub ends: [ConnectionEnd; 2],
    /// Full or semi.
    pub kind: ConnectionKind,
    /// The cells that have to be empty. Contains no end.
    pub carrier: ProofCells,
    /// The cells that have to hold the winner's stones, besides the ends. Contains no end, and nothing of the carrier.
    pub needs: ProofCells,
}

impl DerivedConnection {
    fn full(x: ConnectionEnd, y: ConnectionEnd) -> DerivedConnection {
        DerivedConnection {
            ends: [x.min(y), x.max(y)],
            kind: ConnectionKind::Full,
            carrier: ProofCells::EMPTY,
            needs: ProofCells::EMPTY,
        }
    }

    fn end_cells(&self) -> ProofCells {
        self.ends.into_iter().filter_map(ConnectionEnd::cell).collect()
    }

    /// The end opposite to `end`, if that is one.
    fn opposite(&self, end: ConnectionEnd) -> Option<ConnectionEnd> {
        let [x, y] = self.ends;
        if end == x { Some(y) } else { (end == y).then_some(x) }
    }
}

/// All that the rules look at.
pub struct VerifyContext<'a, B: HexagonBoard = Board> {
    /// The board, of at most [`ProofCells::CAPACITY`](CellSet::CAPACITY) cells.
    pub board: B,
    /// The player whose connections are derived.
    pub winner: Player,
    /// The connections of the lines so far.
    pub earlier: &'a [DerivedConnection],
}

/// The position that a proof claims a win of: stones on a board of at most [`ProofCells::CAPACITY`](CellSet::CAPACITY)
/// cells.
pub struct WinClaim<B, S> {
    /// The board.
    pub board: B,
    /// The stone on each cell.
    pub stone: S,
    /// Who is to move; `None` claims the win whoever is.
    pub to_move: Option<Player>,
    /// Who is claimed to win.
    pub winner: Player,
}

impl<B: HexagonBoard, S: Fn(Cell) -> Option<Player>> WinClaim<B, S> {
    /// Checks a whole proof, of which the line `win` proves the claim.
    ///
    /// # Errors
    ///
    /// The first line that does not follow, or that `win` does not prove the claim.
    pub fn verify(&self, steps: &[Inference], win: ProofLine) -> Result<(), Refusal> {
        let mut derived: Vec<DerivedConnection> = Vec::with_capacity(steps.len());
        let refusal = |index, reason: Unfounded| {
            let line = ProofLine::new(index).number();
            Refusal::of_line(line, reason.to_string())
        };
        for (index, step) in steps.iter().enumerate() {
            let connection = self.context(&derived).derive(step).map_err(|reason| refusal(index, reason))?;
            derived.push(connection);
        }
        self.check_win(&self.context(&derived), win).map_err(|reason| refusal(steps.len(), reason))
    }

    fn context<'a>(&self, earlier: &'a [DerivedConnection]) -> VerifyContext<'a, B> {
        VerifyContext { board: self.board, winner: self.winner, earlier }
    }

    fn check_win(&self, context: &VerifyContext<B>, line: ProofLine) -> Result<(), Unfounded> {
        let connection = context.lookup(line)?;
        if connection.ends != [ConnectionEnd::FIRST, ConnectionEnd::LAST] {
            let edges: Vec<String> = self.board.edges().map(|edge| context.name(edge)).collect();
            return unfounded(format!("{line} does not join {}", edges.join(" and ")));
        }
        if connection.kind == ConnectionKind::Semi && self.to_move != Some(self.winner) {
            return unfounded(format!("{line} is a semi-connection, and {} need not be to move", self.winner));
        }
        let wrong = |cells: ProofCells, stone: Option<Player>| cells.iter().find(|&cell| (self.stone)(cell) != stone);
        if let Some(cell) = wrong(connection.needs, Some(self.winner)) {
            return unfounded(format!("{line} needs a stone of {} on {}", self.winner, self.board.cell_name(cell)));
        }
        if let Some(cell) = wrong(connection.carrier, None) {
            return unfounded(format!("{} is in the carrier of {line} and not empty", self.board.cell_name(cell)));
        }
        Ok(())
    }
}

impl<B: HexagonBoard> VerifyContext<'_, B> {
    /// The connection that a line derives.
    ///
    /// # Errors
    ///
    /// Why the line does not follow.
    pub fn derive(&self, step: &Inference) -> Result<DerivedConnection, Unfounded> {
        match step {
            &Inference::Touch(x, y) => self.touch(x, y),
            &Inference::Bridge(x, y, c, d) => self.bridge(x, y, c, d),
            Inference::And(lines) => self.and(lines),
            &Inference::Move(cell, line) => self.movement(cell, line),
            Inference::Three(lines) => self.three(lines),
            Inference::Or(lines) => self.or(lines),
            Inference::Given(cells, line) => self.given(cells, *line),
            &Inference::Captured(c, d, line) => self.captured(c, d, line),
        }
    }

    fn touch(&self, x: ConnectionEnd, y: ConnectionEnd) -> Result<DerivedConnection, Unfounded> {
        if !self.board.touches(self.winner, x, y) {
            return unfounded(format!("{} and {} do not touch", self.name(x), self.name(y)));
        }
        Ok(DerivedConnection::full(x, y))
    }

    fn bridge(&self, x: ConnectionEnd, y: ConnectionEnd, c: Cell, d: Cell) -> Result<DerivedConnection, Unfounded> {
        if x == y || c == d {
            return unfounded("a bridge has two different ends and two different cells");
        }
        self.check_edges(&[x, y])?;
        for (cell, end) in [(c, x), (c, y), (d, x), (d, y)] {
            self.touch(ConnectionEnd::Cell(cell), end)?;
        }
        Ok(DerivedConnection { carrier: ProofCells::of(c).with(d), ..DerivedConnection::full(x, y) })
    }

    fn and(&self, lines: &[ProofLine]) -> Result<DerivedConnection, Unfounded> {
        let chain = self.chain(lines)?;
        self.check_edges(&chain)?;
        self.unite(lines, [chain[0], chain[lines.len()]], chain.into_iter().filter_map(ConnectionEnd::cell).collect())
    }

    /// Checks that a chain over these ends joins what it should: edges that do not join are no stones of it, so that it leads to one of them at most.
    fn check_edges(&self, chain: &[ConnectionEnd]) -> Result<(), Unfounded> {
        let mut edges = chain.iter().filter(|end| end.cell().is_none());
        let Some(edge) = edges.next().filter(|_| !self.board.edges_join()) else { return Ok(()) };
        let is_end = chain.first() == Some(edge) || chain.last() == Some(edge);
        if is_end && edges.next().is_none() {
            return Ok(());
        }
        unfounded(format!("a chain leads to one side, and not on over {}", self.name(*edge)))
    }

    fn three(&self, lines: &[ProofLine; 3]) -> Result<DerivedConnection, Unfounded> {
        let mut edges: Vec<ConnectionEnd> = self.board.edges().collect();
        if self.board.edges_join() || edges.len() != lines.len() {
            return unfounded("`three` is for boards with three sides");
        }
        let ends = |line: ProofLine| Ok(self.get(line, ConnectionKind::Full)?.ends);
        let [_, center] = ends(lines[0])?;
        let joins = |line: ProofLine| format!("{line} does not join {} and one more side", self.name(center));
        let cell = center.cell().ok_or_else(|| Unfounded(joins(lines[0])))?;
        for &line in lines {
            let [edge, end] = ends(line)?;
            let side = edges.iter().position(|&side| side == edge).filter(|_| end == center);
            edges.remove(side.ok_or_else(|| Unfounded(joins(line)))?);
        }
        self.unite(lines, [ConnectionEnd::FIRST, ConnectionEnd::LAST], ProofCells::of(cell))
    }

    /// Full connections that reply independently, with the cells of `taken` as stones; between `ends`.
    fn unite(
        &self,
        lines: &[ProofLine],
        [x, y]: [ConnectionEnd; 2],
        mut taken: ProofCells,
    ) -> Result<DerivedConnection, Unfounded> {
        let mut united = DerivedConnection::full(x, y);
        for &line in lines {
            let part = self.get(line, ConnectionKind::Full)?;
            if let Some(cell) = (united.carrier & part.carrier).first() {
                let other = self.first_with(lines, |other| other.carrier.contains(cell));
                return unfounded(format!("carriers of {other} and {line} share {}", self.board.cell_name(cell)));
            }
            united.carrier |= part.carrier;
            taken |= part.needs;
        }
        if let Some(cell) = (united.carrier & taken).first() {
            let carrier = self.first_with(lines, |part| part.carrier.contains(cell));
            let other = self.first_with(lines, |part| (part.needs | part.end_cells()).contains(cell));
            return unfounded(format!(
                "{} is in the carrier of {carrier} and a stone of {other}",
                self.board.cell_name(cell)
            ));
        }
        united.needs = taken - united.end_cells();
        Ok(united)
    }

    /// The ends along consecutive connections, one more than there are lines, all different.
    ///
    /// # Errors
    ///
    /// Why the lines are no chain.
    pub fn chain(&self, lines: &[ProofLine]) -> Result<Vec<ConnectionEnd>, Unfounded> {
        let [first, second, ..] = lines else {
            return unfounded("`and` takes two lines or more");
        };
        let ([x, y], next) =
            (self.get(*first, ConnectionKind::Full)?.ends, self.get(*second, ConnectionKind::Full)?.ends);
        let mut chain = match (next.contains(&x), next.contains(&y)) {
            (_, true) => vec![x, y],
            (true, false) => vec![y, x],
            (false, false) => return unfounded(format!("{first} and {second} have no end in common")),
        };
        for &line in &lines[1..] {
            let at = chain[chain.len() - 1];
            let Some(end) = self.get(line, ConnectionKind::Full)?.opposite(at) else {
                return unfounded(format!("{line} does not go on from {}", self.name(at)));
            };
            if chain.contains(&end) {
                return unfounded(format!("the chain comes to {} twice", self.name(end)));
            }
            chain.push(end);
        }
        Ok(chain)
    }

    fn movement(&self, cell: Cell, line: ProofLine) -> Result<DerivedConnection, Unfounded> {
        let then = self.get(line, ConnectionKind::Full)?;
        let name = || self.board.cell_name(cell);
        if then.carrier.contains(cell) {
            return unfounded(format!("{} is in the carrier of {line}", name()));
        }
        if then.end_cells().contains(cell) {
            return unfounded(format!("{} is an end of {line}", name()));
        }
        Ok(DerivedConnection {
            kind: ConnectionKind::Semi,
            carrier: then.carrier.with(cell),
            needs: then.needs.without(cell),
            ends: then.ends,
        })
    }

    fn or(&self, lines: &[ProofLine]) -> Result<DerivedConnection, Unfounded> {
        let [first, _, ..] = lines else {
            return unfounded("`or` takes two lines or more");
        };
        let mut common = self.get(*first, ConnectionKind::Semi)?.carrier;
        let [x, y] = self.get(*first, ConnectionKind::Semi)?.ends;
        let mut united = DerivedConnection::full(x, y);
        for &line in lines {
            let part = self.get(line, ConnectionKind::Semi)?;
            if part.ends != [x, y] {
                return unfounded(format!("{first} and {line} have different ends"));
            }
            common &= part.carrier;
            united.carrier |= part.carrier;
            united.needs |= part.needs;
        }
        if let Some(cell) = common.first() {
            return unfounded(format!("there is no reply to {}: it is in all carriers", self.board.cell_name(cell)));
        }
        if let Some(cell) = (united.carrier & united.needs).first() {
            let carrier = self.first_with(lines, |part| part.carrier.contains(cell));
            let other = self.first_with(lines, |part| part.needs.contains(cell));
            return unfounded(format!(
                "{} is in the carrier of {carrier} and a stone of {other}",
                self.board.cell_name(cell)
            ));
        }
        Ok(united)
    }

    fn given(&self, cells: &[Cell], line: ProofLine) -> Result<DerivedConnection, Unfounded> {
        let mut given = *self.lookup(line)?;
        if cells.is_empty() {
            return unfounded("`given` takes a cell or more");
        }
        for &cell in cells {
            if given.end_cells().contains(cell) {
                return unfounded(format!("{} is an end of {line}", self.board.cell_name(cell)));
            }
            given.carrier.remove(cell);
            given.needs.insert(cell);
        }
        Ok(given)
    }

    fn captured(&self, c: Cell, d: Cell, line: ProofLine) -> Result<DerivedConnection, Unfounded> {
        let mut with = *self.lookup(line)?;
        let name = |cell| self.board.cell_name(cell);
        if with.ends != [ConnectionEnd::FIRST, ConnectionEnd::LAST] {
            return unfounded(format!("cells are captured for what joins the edges, and {line} does not"));
        }
        for cell in [c, d] {
            if with.carrier.contains(cell) {
                return unfounded(format!("{} is in the carrier of {line}", name(cell)));
            }
            with.needs.remove(cell);
            with.carrier.insert(cell);
        }
        for (cell, killer) in [(c, d), (d, c)] {
            if !self.is_killed(cell, killer, &with) {
                return unfounded(format!(
                    "a stone of {} on {} does not kill {}",
                    self.winner,
                    name(killer),
                    name(cell)
                ));
            }
        }
        Ok(with)
    }

    /// Whether a stone of the winner's on `killer` makes the color of its neighbor `cell` not matter, when the winner
    /// has no stones but those that the connection needs. It does when the six cells around never show a player's
    /// stones in two separate runs, however the carrier is filled.
    fn is_killed(&self, cell: Cell, killer: Cell, with: &DerivedConnection) -> bool {
        let around = self.board.ring(cell).map(|next| match next {
            Neighbor::Edge(owner) => Around::Stone(owner),
            Neighbor::Side => Around::Side,
            Neighbor::Cell(next) if next == killer => Around::Killer,
            Neighbor::Cell(next) if with.needs.contains(next) => Around::Stone(self.winner),
            Neighbor::Cell(next) if with.carrier.contains(next) => Around::Open,
            Neighbor::Cell(_) => Around::Stone(self.winner.opponent()),
        });
        // A side takes two places, and counts as a change.
        let sides = around.iter().filter(|&&place| place == Around::Side).count() / 2;
        let runs = |filling: usize| {
            let is_winners = |i: usize| match around[i % 6] {
                Around::Stone(player) => Some(player == self.winner),
                Around::Killer => Some(true),
                Around::Open => Some(filling >> (i % 6) & 1 == 1),
                Around::Side => None,
            };
            let changes = |i: usize| is_winners(i).zip(is_winners(i + 1)).is_some_and(|(here, next)| here != next);
            sides + (0..6).filter(|&i| changes(i)).count()
        };
        around.contains(&Around::Killer) && (0..1 << 6).all(|filling| runs(filling) <= 2)
    }

    fn lookup(&self, line: ProofLine) -> Result<&DerivedConnection, Unfounded> {
        self.earlier.get(line.index()).ok_or_else(|| Unfounded(format!("{line} is no earlier line of the proof")))
    }

    fn get(&self, line: ProofLine, kind: ConnectionKind) -> Result<&DerivedConnection, Unfounded> {
        let found = self.lookup(line)?;
        if found.kind == kind { Ok(found) } else { unfounded(format!("{line} is {}, not {kind}", found.kind)) }
    }

    /// For messages: the first of the lines of which that is true.
    fn first_with(&self, lines: &[ProofLine], is: impl Fn(&DerivedConnection) -> bool) -> ProofLine {
        lines.iter().copied().find(|line| is(&self.earlier[line.index()])).unwrap_or(lines[0])
    }

    fn name(&self, end: ConnectionEnd) -> String {
        end.name(self.board, self.winner)
    }
}

/// The contents of a place next to a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Stone(Player),
    Killer,
    Open,
    Side,
}
