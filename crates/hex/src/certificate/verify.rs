//! The calculus, and the check of a proof by it.
//!
//! Nothing here searches: each line is computed from those before it, in one pass over the proof. The rules and why
//! they are sound stand in the [module above](super).

use super::{Line, MAX_SIDE, Refusal, Step};
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{End, Kind};
use crate::position::Position;

/// Cells of a board of at most [`MAX_SIDE`] a side.
pub type Cells = CellSet<6>;

/// What a line derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Connection {
    /// Two different ends, the lesser first.
    pub ends: [End; 2],
    pub kind: Kind,
    /// What has to be empty. Contains no end.
    pub carrier: Cells,
    /// What has to hold the winner's stones, besides the ends. Contains no end, and nothing of the carrier.
    pub needs: Cells,
}

impl Connection {
    fn full(x: End, y: End) -> Connection {
        Connection { ends: [x.min(y), x.max(y)], kind: Kind::Full, carrier: Cells::EMPTY, needs: Cells::EMPTY }
    }

    fn end_cells(&self) -> Cells {
        self.ends.into_iter().filter_map(End::cell).collect()
    }

    /// The end opposite to `end`, if that is one.
    fn opposite(&self, end: End) -> Option<End> {
        let [x, y] = self.ends;
        if end == x { Some(y) } else { (end == y).then_some(x) }
    }
}

/// Lines and board as the rules see them.
pub struct Context<'a> {
    pub board: Board,
    pub winner: Player,
    pub earlier: &'a [Connection],
}

/// Checks the whole proof; what the last line says when it is right.
pub fn verify(position: &Position, winner: Player, steps: &[Step], win: Line) -> Result<Connection, Refusal> {
    let board = position.board();
    if board.width().max(board.height()) > MAX_SIDE {
        let reason = format!("{board} is too large: connections are checked on boards up to {MAX_SIDE}x{MAX_SIDE}");
        return Err(Refusal { line: super::text::BOARD, reason });
    }
    let mut derived: Vec<Connection> = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let connection = Context { board, winner, earlier: &derived }
            .derive(step)
            .map_err(|reason| Refusal { line: Line::new(index).number(), reason })?;
        derived.push(connection);
    }
    let context = Context { board, winner, earlier: &derived };
    context.check_win(position, win).map_err(|reason| Refusal { line: Line::new(steps.len()).number(), reason })
}

impl Context<'_> {
    /// The connection that a line derives, or why it does not follow.
    pub fn derive(&self, step: &Step) -> Result<Connection, String> {
        match step {
            &Step::Touch(x, y) => self.touch(x, y),
            &Step::Bridge(x, y, c, d) => self.bridge(x, y, c, d),
            Step::And(lines) => self.and(lines),
            &Step::Move(cell, line) => self.movement(cell, line),
            Step::Or(lines) => self.or(lines),
            Step::Given(cells, line) => self.given(cells, *line),
            &Step::Captured(c, d, line) => self.captured(c, d, line),
        }
    }

    fn touch(&self, x: End, y: End) -> Result<Connection, String> {
        if !self.touches(x, y) {
            return Err(format!("{} and {} do not touch", self.name(x), self.name(y)));
        }
        Ok(Connection::full(x, y))
    }

    fn bridge(&self, x: End, y: End, c: Cell, d: Cell) -> Result<Connection, String> {
        if x == y || c == d {
            return Err("a bridge has two different ends and two different cells".to_owned());
        }
        for (cell, end) in [(c, x), (c, y), (d, x), (d, y)] {
            self.touch(End::Cell(cell), end)?;
        }
        Ok(Connection { carrier: Cells::of(c).with(d), ..Connection::full(x, y) })
    }

    fn and(&self, lines: &[Line]) -> Result<Connection, String> {
        let chain = self.chain(lines)?;
        let mut united = Connection::full(chain[0], chain[lines.len()]);
        let mut taken: Cells = chain.iter().copied().filter_map(End::cell).collect();
        for &line in lines {
            let part = self.get(line, Kind::Full)?;
            if let Some(cell) = (united.carrier & part.carrier).first() {
                let other = self.first_with(lines, |other| other.carrier.contains(cell));
                return Err(format!("carriers of {other} and {line} share {}", self.board.name(cell)));
            }
            united.carrier |= part.carrier;
            taken |= part.needs;
        }
        if let Some(cell) = (united.carrier & taken).first() {
            let carrier = self.first_with(lines, |part| part.carrier.contains(cell));
            let other = self.first_with(lines, |part| (part.needs | part.end_cells()).contains(cell));
            return Err(format!("{} is in the carrier of {carrier} and a stone of {other}", self.board.name(cell)));
        }
        united.needs = taken - united.end_cells();
        Ok(united)
    }

    /// The ends along consecutive connections, one more than there are lines, all different.
    pub fn chain(&self, lines: &[Line]) -> Result<Vec<End>, String> {
        let [first, second, ..] = lines else {
            return Err("`and` takes two lines or more".to_owned());
        };
        let ([x, y], next) = (self.get(*first, Kind::Full)?.ends, self.get(*second, Kind::Full)?.ends);
        let mut chain = match (next.contains(&x), next.contains(&y)) {
            (_, true) => vec![x, y],
            (true, false) => vec![y, x],
            (false, false) => return Err(format!("{first} and {second} have no end in common")),
        };
        for &line in &lines[1..] {
            let at = chain[chain.len() - 1];
            let Some(end) = self.get(line, Kind::Full)?.opposite(at) else {
                return Err(format!("{line} does not go on from {}", self.name(at)));
            };
            if chain.contains(&end) {
                return Err(format!("the chain comes to {} twice", self.name(end)));
            }
            chain.push(end);
        }
        Ok(chain)
    }

    fn movement(&self, cell: Cell, line: Line) -> Result<Connection, String> {
        let then = self.get(line, Kind::Full)?;
        let name = || self.board.name(cell);
        if then.carrier.contains(cell) {
            return Err(format!("{} is in the carrier of {line}", name()));
        }
        if then.end_cells().contains(cell) {
            return Err(format!("{} is an end of {line}", name()));
        }
        Ok(Connection {
            kind: Kind::Semi,
            carrier: then.carrier.with(cell),
            needs: then.needs.without(cell),
            ends: then.ends,
        })
    }

    fn or(&self, lines: &[Line]) -> Result<Connection, String> {
        let [first, _, ..] = lines else {
            return Err("`or` takes two lines or more".to_owned());
        };
        let mut common = self.get(*first, Kind::Semi)?.carrier;
        let [x, y] = self.get(*first, Kind::Semi)?.ends;
        let mut united = Connection::full(x, y);
        for &line in lines {
            let part = self.get(line, Kind::Semi)?;
            if part.ends != [x, y] {
                return Err(format!("{first} and {line} have different ends"));
            }
            common &= part.carrier;
            united.carrier |= part.carrier;
            united.needs |= part.needs;
        }
        if let Some(cell) = common.first() {
            return Err(format!("there is no reply to {}: it is in all carriers", self.board.name(cell)));
        }
        if let Some(cell) = (united.carrier & united.needs).first() {
            let carrier = self.first_with(lines, |part| part.carrier.contains(cell));
            let other = self.first_with(lines, |part| part.needs.contains(cell));
            return Err(format!("{} is in the carrier of {carrier} and a stone of {other}", self.board.name(cell)));
        }
        Ok(united)
    }

    fn given(&self, cells: &[Cell], line: Line) -> Result<Connection, String> {
        let mut given = *self.lookup(line)?;
        if cells.is_empty() {
            return Err("`given` takes a cell or more".to_owned());
        }
        for &cell in cells {
            if given.end_cells().contains(cell) {
                return Err(format!("{} is an end of {line}", self.board.name(cell)));
            }
            given.carrier.remove(cell);
            given.needs.insert(cell);
        }
        Ok(given)
    }

    fn captured(&self, c: Cell, d: Cell, line: Line) -> Result<Connection, String> {
        let mut with = *self.lookup(line)?;
        let name = |cell| self.board.name(cell);
        if with.ends != [End::First, End::Last] {
            return Err(format!("cells are captured for what joins the edges, and {line} does not"));
        }
        for cell in [c, d] {
            if with.carrier.contains(cell) {
                return Err(format!("{} is in the carrier of {line}", name(cell)));
            }
            with.needs.remove(cell);
            with.carrier.insert(cell);
        }
        for (cell, killer) in [(c, d), (d, c)] {
            if !self.is_killed(cell, killer, &with) {
                return Err(format!("a stone of {} on {} does not kill {}", self.winner, name(killer), name(cell)));
            }
        }
        Ok(with)
    }

    /// Whether a stone of the winner's on `killer` makes the color of its neighbor `cell` not matter, when the winner has
    /// no stones but those that the connection needs. It does when the six cells around never show a player's
    /// stones in two separate runs, however the carrier is filled.
    fn is_killed(&self, cell: Cell, killer: Cell, with: &Connection) -> bool {
        const AROUND: [(isize, isize); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
        let (column, row) = (self.board.column(cell) as isize, self.board.row(cell) as isize);
        let inside = |at: isize, length: usize| (0..length as isize).contains(&at);
        let around = AROUND.map(|(right, down)| {
            let (column, row) = (column + right, row + down);
            if !inside(row, self.board.height()) {
                return Around::Stone(Player::Red);
            }
            if !inside(column, self.board.width()) {
                return Around::Stone(Player::Blue);
            }
            match self.board.cell(column as usize, row as usize) {
                Some(next) if next == killer => Around::Killer,
                Some(next) if with.needs.contains(next) => Around::Stone(self.winner),
                Some(next) if with.carrier.contains(next) => Around::Open,
                _ => Around::Stone(self.winner.opponent()),
            }
        });
        let runs = |filling: usize| {
            let is_winners = |i: usize| match around[i % 6] {
                Around::Stone(player) => player == self.winner,
                Around::Killer => true,
                Around::Open => filling >> (i % 6) & 1 == 1,
            };
            (0..6).filter(|&i| is_winners(i) != is_winners(i + 1)).count()
        };
        around.contains(&Around::Killer) && (0..1 << 6).all(|filling| runs(filling) <= 2)
    }

    fn check_win(&self, position: &Position, line: Line) -> Result<Connection, String> {
        let connection = *self.lookup(line)?;
        if connection.ends != [End::First, End::Last] {
            let edges = [End::First, End::Last].map(|edge| self.name(edge)).join(" and ");
            return Err(format!("{line} does not join {edges}"));
        }
        if connection.kind == Kind::Semi && position.to_move != Some(self.winner) {
            return Err(format!("{line} is a semi-connection, and {} need not be to move", self.winner));
        }
        let wrong = |cells: Cells, stone: Option<Player>| cells.iter().find(|&cell| position.stone(cell) != stone);
        if let Some(cell) = wrong(connection.needs, Some(self.winner)) {
            return Err(format!("{line} needs a stone of {} on {}", self.winner, self.board.name(cell)));
        }
        if let Some(cell) = wrong(connection.carrier, None) {
            return Err(format!("{} is in the carrier of {line} and not empty", self.board.name(cell)));
        }
        Ok(connection)
    }

    fn touches(&self, x: End, y: End) -> bool {
        match (x, y) {
            (End::Cell(x), End::Cell(y)) => self.board.neighbors(x).any(|neighbor| neighbor == y),
            (End::First, End::Cell(cell)) | (End::Cell(cell), End::First) => self.board.is_first(self.winner, cell),
            (End::Last, End::Cell(cell)) | (End::Cell(cell), End::Last) => self.board.is_last(self.winner, cell),
            (End::First | End::Last, End::First | End::Last) => false,
        }
    }

    fn lookup(&self, line: Line) -> Result<&Connection, String> {
        self.earlier.get(line.index()).ok_or_else(|| format!("{line} is no earlier line of the proof"))
    }

    fn get(&self, line: Line, kind: Kind) -> Result<&Connection, String> {
        let found = self.lookup(line)?;
        if found.kind == kind { Ok(found) } else { Err(format!("{line} is {}, not {kind}", found.kind)) }
    }

    /// For messages: the first of the lines of which that is true.
    fn first_with(&self, lines: &[Line], is: impl Fn(&Connection) -> bool) -> Line {
        lines.iter().copied().find(|line| is(&self.earlier[line.index()])).unwrap_or(lines[0])
    }

    fn name(&self, end: End) -> String {
        end.name(self.board, self.winner)
    }
}

/// What is next to a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Stone(Player),
    Killer,
    Open,
}
