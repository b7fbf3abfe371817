//! The closure of the AND and OR rules, smallest carriers first.
//!
//! Connections wait in buckets by the size of their carrier. The smallest is taken out, combined by the rules with those
//! that were taken out before it, and what follows waits in turn. A connection never follows from larger ones, so each
//! one taken out is minimal, and what the [`Limits`] drop are the largest carriers.
//!
//! When stones are added, what has lost a cell to the opponent goes away, what has gained one shrinks, and ends that
//! grow together become one. Only the connections that changed so, and those at an end that changed, are combined again.

mod rules;

use super::limits::Limits;
use super::{End, Kind};
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::position::Position;
use rules::Alternatives;

/// The number of an end: the two edges, then the cells.
pub(super) type Node = u16;
pub(super) const FIRST: Node = 0;
pub(super) const LAST: Node = 1;
const NONE: u32 = u32::MAX;

pub(super) fn node_of(cell: Cell) -> Node {
    cell.index() as Node + 2
}

fn cell_of(node: Node) -> Option<Cell> {
    node.checked_sub(2).map(|index| Cell::from_index(index.into()))
}

pub(super) fn node_of_end(end: End) -> Node {
    match end {
        End::First => FIRST,
        End::Last => LAST,
        End::Cell(cell) => node_of(cell),
    }
}

pub(super) fn end_of(node: Node) -> End {
    match node {
        FIRST => End::First,
        LAST => End::Last,
        _ => End::Cell(Cell::from_index(usize::from(node) - 2)),
    }
}

/// One connection, a link of the list of its pair of ends.
#[derive(Clone, Copy, Debug)]
struct Entry<const W: usize> {
    carrier: CellSet<W>,
    next: u32,
    x: Node,
    y: Node,
    size: u16,
    kind: Kind,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    /// Combined with all that were combined before it.
    Combined,
    /// A smaller carrier does the same.
    Dropped,
}

/// How a connection came about, by the numbers of the connections that it was made from.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    Adjacent,
    And(u32, u32),
    Or(Box<[u32]>),
}

/// The connections of one player in one position, closed under the AND and OR rules within [`Limits`]; only minimal
/// carriers are kept.
#[derive(Debug)]
pub struct Connections<const W: usize> {
    board: Board,
    player: Player,
    limits: Limits,
    mine: CellSet<W>,
    theirs: CellSet<W>,
    /// The node that stands for the group of each node; for an empty cell, itself.
    group: Vec<Node>,
    /// The first full connection of each pair of nodes, as a square matrix; smaller carriers come first.
    fulls: Vec<u32>,
    /// The same for semi-connections.
    semis: Vec<u32>,
    entries: Vec<Entry<W>>,
    /// Waiting entries by the size of their carrier.
    waiting: Vec<Vec<u32>>,
    /// Reasons by entry, when they are asked for.
    reasons: Option<Vec<Reason>>,
    /// Connections combined so far: the work done.
    combined: u64,
}

impl<const W: usize> Clone for Connections<W> {
    fn clone(&self) -> Connections<W> {
        Connections {
            group: self.group.clone(),
            fulls: self.fulls.clone(),
            semis: self.semis.clone(),
            entries: self.entries.clone(),
            waiting: vec![Vec::new(); self.waiting.len()],
            reasons: self.reasons.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Connections<W>) {
        (self.board, self.player, self.limits) = (other.board, other.player, other.limits);
        (self.mine, self.theirs, self.combined) = (other.mine, other.theirs, other.combined);
        self.group.clone_from(&other.group);
        self.fulls.clone_from(&other.fulls);
        self.semis.clone_from(&other.semis);
        self.entries.clone_from(&other.entries);
        self.reasons.clone_from(&other.reasons);
    }
}

impl<const W: usize> Connections<W> {
    /// The connections of `player` with stones on `mine`, and the opponent's on `theirs`.
    ///
    /// # Panics
    ///
    /// Where the board has more cells than a `CellSet<W>` holds.
    pub fn new(board: Board, player: Player, mine: CellSet<W>, theirs: CellSet<W>, limits: Limits) -> Connections<W> {
        Connections::build(board, player, mine, theirs, limits, None)
    }

    /// The connections of `player` in a position; panics as [`new`](Connections::new) does.
    pub fn of_position(position: &Position, player: Player, limits: Limits) -> Connections<W> {
        let [mine, theirs] = [player, player.opponent()].map(|player| position.stones_of(player).collect());
        Connections::new(position.board(), player, mine, theirs, limits)
    }

    /// As [`new`](Connections::new), and keeps how each connection came about.
    pub(super) fn recording(
        board: Board,
        player: Player,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        limits: Limits,
    ) -> Connections<W> {
        Connections::build(board, player, mine, theirs, limits, Some(Vec::new()))
    }

    fn build(
        board: Board,
        player: Player,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        limits: Limits,
        reasons: Option<Vec<Reason>>,
    ) -> Connections<W> {
        assert!(board.len() <= CellSet::<W>::CAPACITY, "{board} has more cells than the sets hold");
        let nodes = board.len() + 2;
        let mut connections = Connections {
            board,
            player,
            limits,
            mine,
            theirs,
            group: Vec::new(),
            fulls: vec![NONE; nodes * nodes],
            semis: vec![NONE; nodes * nodes],
            entries: Vec::new(),
            waiting: vec![Vec::new(); board.len() + 1],
            reasons,
            combined: 0,
        };
        connections.group = connections.groups();
        connections.touch(|_| true);
        connections.close();
        connections
    }

    /// Adds stones on empty cells. What the player has then is at least what [`new`](Connections::new) would find, except
    /// where limits were reached; without AND over edges it may be more, since what was derived through an empty cell stays
    /// when a stone there has joined an edge.
    pub fn add(&mut self, mine: CellSet<W>, theirs: CellSet<W>) {
        debug_assert!((mine | theirs).is_disjoint(&(self.mine | self.theirs)) && mine.is_disjoint(&theirs));
        self.mine |= mine;
        self.theirs |= theirs;
        let before = std::mem::take(&mut self.group);
        self.group = self.groups();
        // An end has changed when it became a stone or its group grew: its connections are to be combined again.
        let mut changed = vec![false; self.group.len()];
        for (node, (&old, &new)) in before.iter().zip(&self.group).enumerate() {
            let is_new = cell_of(node as Node).is_some_and(|cell| mine.contains(cell));
            if old != new || is_new {
                changed[usize::from(new)] = true;
            }
        }
        let old = std::mem::take(&mut self.entries);
        let lists = [std::mem::take(&mut self.fulls), std::mem::take(&mut self.semis)];
        let nodes = self.group.len();
        self.fulls = lists[0].clone();
        self.fulls.fill(NONE);
        self.semis.clone_from(&self.fulls);
        let lost = |node: Node| cell_of(node).is_some_and(|cell| theirs.contains(cell));
        let mut again = Vec::new();
        for heads in &lists {
            for x in 0..nodes {
                for y in 0..x {
                    let mut at = heads[x * nodes + y];
                    while at != NONE {
                        let entry = old[at as usize];
                        at = entry.next;
                        if lost(entry.x) || lost(entry.y) || !entry.carrier.is_disjoint(&theirs) {
                            continue;
                        }
                        let (x, y) = (self.group[usize::from(entry.x)], self.group[usize::from(entry.y)]);
                        let carrier = entry.carrier - mine;
                        let is_same = carrier == entry.carrier && !changed[usize::from(x)] && !changed[usize::from(y)];
                        match is_same {
                            // Among themselves these are minimal and combined already.
                            true => {
                                self.append(Entry { next: NONE, ..entry });
                            }
                            false if x != y => again.push((x, y, entry.kind, carrier)),
                            false => {}
                        }
                    }
                }
            }
        }
        if !mine.is_empty() {
            self.touch(|node| changed[usize::from(node)]);
        }
        for (x, y, kind, carrier) in again {
            self.offer(x, y, kind, carrier, Reason::Adjacent);
        }
        self.close();
    }

    pub fn board(&self) -> Board {
        self.board
    }

    pub fn player(&self) -> Player {
        self.player
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The player's stones.
    pub fn mine(&self) -> CellSet<W> {
        self.mine
    }

    /// The opponent's stones.
    pub fn theirs(&self) -> CellSet<W> {
        self.theirs
    }

    /// Whether the player has joined the edges.
    pub fn is_won(&self) -> bool {
        self.group[usize::from(LAST)] == FIRST
    }

    /// Whether two ends are the same group of stones.
    pub fn is_joined(&self, x: End, y: End) -> bool {
        self.group_of(x) == self.group_of(y)
    }

    /// How many connections were combined with others so far: the work done, the same on every machine.
    pub fn combined(&self) -> u64 {
        self.combined
    }

    /// The carriers of one kind between two ends, small ones first. An end on a stone stands for its group; there is
    /// none at an end of the opponent.
    pub fn carriers(&self, x: End, y: End, kind: Kind) -> impl Iterator<Item = CellSet<W>> + '_ {
        self.list(self.group_of(x), self.group_of(y), kind).map(|at| self.entries[at as usize].carrier)
    }

    /// All connections: their ends, an edge or the first cell of a group before others, kind and carrier.
    pub fn iter(&self) -> impl Iterator<Item = (End, End, Kind, CellSet<W>)> + '_ {
        let nodes = 0..self.group.len() as Node;
        nodes.clone().flat_map(move |x| (x + 1..nodes.end).map(move |y| (x, y))).flat_map(move |(x, y)| {
            [Kind::Full, Kind::Semi].into_iter().flat_map(move |kind| {
                self.list(x, y, kind).map(move |at| (end_of(x), end_of(y), kind, self.entries[at as usize].carrier))
            })
        })
    }

    /// The pairs of ends that have a connection of this kind.
    pub fn pairs(&self, kind: Kind) -> impl Iterator<Item = (End, End)> + '_ {
        let nodes = 0..self.group.len() as Node;
        nodes
            .clone()
            .flat_map(move |x| (x + 1..nodes.end).map(move |y| (x, y)))
            .filter(move |&(x, y)| self.head(x, y, kind) != NONE)
            .map(|(x, y)| (end_of(x), end_of(y)))
    }

    pub(super) fn group_of(&self, end: End) -> Node {
        self.group[usize::from(node_of_end(end))]
    }

    pub(super) fn list(&self, x: Node, y: Node, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.head(x, y, kind);
        std::iter::from_fn(move || {
            let here = at;
            (here != NONE).then(|| {
                at = self.entries[here as usize].next;
                here
            })
        })
    }

    pub(super) fn carrier(&self, entry: u32) -> CellSet<W> {
        self.entries[entry as usize].carrier
    }

    pub(super) fn ends(&self, entry: u32) -> (End, End) {
        let entry = &self.entries[entry as usize];
        (end_of(entry.x), end_of(entry.y))
    }

    pub(super) fn kind(&self, entry: u32) -> Kind {
        self.entries[entry as usize].kind
    }

    /// How the entry came about; only where [`recording`](Connections::recording).
    pub(super) fn reason(&self, entry: u32) -> Option<&Reason> {
        self.reasons.as_ref().map(|reasons| &reasons[entry as usize])
    }

    fn head(&self, x: Node, y: Node, kind: Kind) -> u32 {
        let at = usize::from(x) * self.group.len() + usize::from(y);
        match kind {
            Kind::Full => self.fulls[at],
            Kind::Semi => self.semis[at],
        }
    }

    fn set_head(&mut self, x: Node, y: Node, kind: Kind, entry: u32) {
        let nodes = self.group.len();
        let heads = match kind {
            Kind::Full => &mut self.fulls,
            Kind::Semi => &mut self.semis,
        };
        heads[usize::from(x) * nodes + usize::from(y)] = entry;
        heads[usize::from(y) * nodes + usize::from(x)] = entry;
    }

    /// For each node the first node of its group, the edges before the cells.
    fn groups(&self) -> Vec<Node> {
        let mut group: Vec<Node> = (0..self.board.len() as Node + 2).collect();
        let mut seen = CellSet::EMPTY;
        let mut stack = Vec::new();
        // From the edges first, so that a group is named by its edge; one that joins both, by the first.
        for (edge, at_edge) in [
            (FIRST, Board::is_first as fn(Board, Player, Cell) -> bool),
            (LAST, Board::is_last as fn(Board, Player, Cell) -> bool),
        ] {
            stack.extend(self.mine.iter().filter(|&cell| at_edge(self.board, self.player, cell)));
            let name = group[usize::from(edge)];
            self.flood(&mut stack, &mut seen, name, &mut group);
        }
        for cell in self.mine {
            stack.push(cell);
            self.flood(&mut stack, &mut seen, node_of(cell), &mut group);
        }
        group
    }

    fn flood(&self, stack: &mut Vec<Cell>, seen: &mut CellSet<W>, name: Node, group: &mut [Node]) {
        while let Some(cell) = stack.pop() {
            if seen.contains(cell) {
                continue;
            }
            seen.insert(cell);
            group[usize::from(node_of(cell))] = name;
            if name == FIRST && self.board.is_last(self.player, cell) {
                group[usize::from(LAST)] = FIRST;
            }
            stack.extend(self.board.neighbors(cell).filter(|&next| self.mine.contains(next) && !seen.contains(next)));
        }
    }

    /// Offers the connections without carrier: between neighbors, where an end is `wanted`.
    fn touch(&mut self, wanted: impl Fn(Node) -> bool) {
        for cell in CellSet::all(self.board) - self.theirs {
            let here = self.group[usize::from(node_of(cell))];
            for next in self.board.neighbors(cell) {
                let there = self.group[usize::from(node_of(next))];
                if cell < next && here != there && !self.theirs.contains(next) && (wanted(here) || wanted(there)) {
                    self.offer(here, there, Kind::Full, CellSet::EMPTY, Reason::Adjacent);
                }
            }
            let edges =
                [(FIRST, self.board.is_first(self.player, cell)), (LAST, self.board.is_last(self.player, cell))];
            for (edge, touches) in edges {
                let edge = self.group[usize::from(edge)];
                if touches && here != edge && (wanted(here) || wanted(edge)) {
                    self.offer(here, edge, Kind::Full, CellSet::EMPTY, Reason::Adjacent);
                }
            }
        }
    }

    /// Takes a connection in, unless a smaller one does the same; drops those it does better than.
    fn offer(&mut self, x: Node, y: Node, kind: Kind, carrier: CellSet<W>, reason: Reason) {
        let size = carrier.len();
        if size > self.limits.carrier {
            return;
        }
        let mut kept = 0;
        for other in [Kind::Full, Kind::Semi] {
            if kind == Kind::Full || other == Kind::Full || kind == other {
                let mut before = NONE;
                let mut at = self.head(x, y, other);
                while at != NONE {
                    let entry = &self.entries[at as usize];
                    let next = entry.next;
                    // A semi-connection does not do what a full one does.
                    if (other == Kind::Full || kind == Kind::Semi) && entry.carrier.is_subset(&carrier) {
                        return;
                    }
                    if (kind == Kind::Full || other == Kind::Semi) && carrier.is_subset(&entry.carrier) {
                        self.unlink(x, y, other, before, at);
                    } else {
                        before = at;
                        kept += usize::from(other == kind);
                    }
                    at = next;
                }
            }
        }
        let most = match kind {
            Kind::Full => self.limits.fulls,
            Kind::Semi => self.limits.semis,
        };
        if kept >= most && !self.make_room(x, y, kind, size) {
            return;
        }
        let entry = Entry { carrier, next: NONE, x, y, size: size as u16, kind, state: State::Waiting };
        let number = self.append(entry);
        if let Some(reasons) = &mut self.reasons {
            reasons.push(reason);
        }
        self.waiting[size].push(number);
    }

    /// Drops the largest carrier of the list, if it is larger than `size`.
    fn make_room(&mut self, x: Node, y: Node, kind: Kind, size: usize) -> bool {
        let mut last = NONE;
        let mut largest = (size, NONE, NONE);
        for at in self.list(x, y, kind).collect::<Vec<_>>() {
            let found = usize::from(self.entries[at as usize].size);
            if found > largest.0 {
                largest = (found, last, at);
            }
            last = at;
        }
        let found = largest.2 != NONE;
        if found {
            self.unlink(x, y, kind, largest.1, largest.2);
        }
        found
    }

    fn unlink(&mut self, x: Node, y: Node, kind: Kind, before: u32, at: u32) {
        let next = self.entries[at as usize].next;
        self.entries[at as usize].state = State::Dropped;
        match before {
            NONE => self.set_head(x, y, kind, next),
            _ => self.entries[before as usize].next = next,
        }
    }

    /// Puts an entry behind the last of its list.
    fn append(&mut self, entry: Entry<W>) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push(entry);
        let mut at = self.head(entry.x, entry.y, entry.kind);
        if at == NONE {
            self.set_head(entry.x, entry.y, entry.kind, number);
        } else {
            while self.entries[at as usize].next != NONE {
                at = self.entries[at as usize].next;
            }
            self.entries[at as usize].next = number;
        }
        number
    }

    /// Combines what waits until nothing new follows.
    fn close(&mut self) {
        let mut alternatives = Alternatives::default();
        for size in 0..self.waiting.len() {
            while let Some(number) = self.waiting[size].pop() {
                let entry = self.entries[number as usize];
                if entry.state == State::Dropped {
                    continue;
                }
                self.entries[number as usize].state = State::Combined;
                self.combined += 1;
                self.and(number, entry.x, entry.y);
                self.and(number, entry.y, entry.x);
                if entry.kind == Kind::Semi {
                    self.or(number, &mut alternatives);
                }
            }
        }
    }
}
