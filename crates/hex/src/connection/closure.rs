//! The closure of the AND and OR rules, smallest carriers first.
//!
//! Connections wait in buckets by the size of their carrier. The smallest is taken out, combined by the rules with
//! those that were taken out before it, and its consequences wait in turn. A connection never follows from larger ones,
//! so each one taken out is minimal, and the [`ConnectionLimits`] drop the largest carriers.
//!
//! The player joins edges or, on a cylinder, goes around: then the nodes are the places of a board unrolled over two turns, and
//! carriers are cells all the same, so that both rules hold of them. What leads around stands between the edges, which no cell
//! touches.
//!
//! When stones are added, a connection that loses a cell to the opponent is dropped, a stone of the player leaves the
//! carriers that it is in, and ends that are joined become one. Only the connections that changed so, and those at an
//! end that changed, are combined again.

mod base;
mod places;
mod rules;

use super::limits::ConnectionLimits;
use super::{ConnectionBoard, ConnectionEnd, ConnectionKind};
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::position::Position;
use base::TemplateEntry;
use places::PlaceGraph;
use rules::Alternatives;
use std::sync::Arc;

/// The [index](ConnectionEnd::index) of an end.
pub(super) type EndIndex = u16;
const NONE: u32 = u32::MAX;

/// One connection, a link of the list of its pair of ends.
#[derive(Clone, Copy, Debug)]
struct ConnectionEntry<const W: usize> {
    carrier: CellSet<W>,
    next: u32,
    x: EndIndex,
    y: EndIndex,
    size: u16,
    kind: ConnectionKind,
    state: EntryState,
}

/// Connections before stones were added.
struct EarlierConnections<'a, const W: usize> {
    group: &'a [EndIndex],
    /// The first entry of each pair of nodes: full connections, semi-connections.
    heads: [&'a [u32]; 2],
    entries: &'a [ConnectionEntry<W>],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryState {
    Waiting,
    /// Combined with all that were combined before it.
    Combined,
    /// A smaller carrier does the same.
    Dropped,
}

/// The rule that a connection follows by, and the numbers of the connections that it follows from.
#[derive(Clone, Debug)]
pub(super) enum RuleOrigin {
    Adjacent,
    Template(u32),
    And(u32, u32),
    Or(Box<[u32]>),
}

/// The connections of one player in one position, closed under the AND and OR rules within [`ConnectionLimits`]; only
/// minimal carriers are kept.
#[derive(Debug)]
pub struct Connections<const W: usize, B: ConnectionBoard = Board> {
    board: B,
    player: Player,
    limits: ConnectionLimits,
    mine: CellSet<W>,
    theirs: CellSet<W>,
    places: Arc<PlaceGraph>,
    /// The node that stands for the group of each node; for an empty cell, itself.
    group: Vec<EndIndex>,
    /// The first full connection of each pair of nodes, as a square matrix; smaller carriers come first.
    fulls: Vec<u32>,
    /// The same for semi-connections.
    semis: Vec<u32>,
    entries: Vec<ConnectionEntry<W>>,
    /// Waiting entries by the size of their carrier.
    waiting: Vec<Vec<u32>>,
    /// The templates of the board; none where the limits leave them out.
    templates: Arc<[TemplateEntry<W>]>,
    /// Origins by entry, when they are asked for.
    origins: Option<Vec<RuleOrigin>>,
    /// Connections combined so far: the work done.
    combined: u64,
}

impl<const W: usize, B: ConnectionBoard> Clone for Connections<W, B> {
    fn clone(&self) -> Connections<W, B> {
        Connections {
            group: self.group.clone(),
            fulls: self.fulls.clone(),
            semis: self.semis.clone(),
            entries: self.entries.clone(),
            waiting: vec![Vec::new(); self.waiting.len()],
            places: self.places.clone(),
            templates: self.templates.clone(),
            origins: self.origins.clone(),
            ..*self
        }
    }
}

impl<const W: usize> Connections<W> {
    /// The connections of `player` in a position.
    ///
    /// # Panics
    ///
    /// As [`new`](Connections::new).
    pub fn of_position(position: &Position, player: Player, limits: ConnectionLimits) -> Connections<W> {
        let [mine, theirs] = [player, player.opponent()].map(|player| position.stones_of(player).collect());
        Connections::new(position.board(), player, mine, theirs, limits)
    }
}

impl<const W: usize, B: ConnectionBoard> Connections<W, B> {
    /// The connections of `player` with stones on `mine`, and the opponent's on `theirs`.
    ///
    /// # Panics
    ///
    /// When the board has more cells than a `CellSet<W>` holds.
    pub fn new(
        board: B,
        player: Player,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        limits: ConnectionLimits,
    ) -> Connections<W, B> {
        Connections::build(board, player, mine, theirs, limits, None)
    }

    /// As [`new`](Connections::new), and keeps the origin of each connection.
    pub(super) fn recording(
        board: B,
        player: Player,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        limits: ConnectionLimits,
    ) -> Connections<W, B> {
        Connections::build(board, player, mine, theirs, limits, Some(Vec::new()))
    }

    fn build(
        board: B,
        player: Player,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        limits: ConnectionLimits,
        origins: Option<Vec<RuleOrigin>>,
    ) -> Connections<W, B> {
        assert!(board.cell_count() <= CellSet::<W>::CAPACITY, "{board} has more cells than the sets hold");
        let places = PlaceGraph::new(board, player);
        let nodes = usize::from(places.nodes());
        let mut connections = Connections {
            board,
            player,
            limits,
            mine,
            theirs,
            places: Arc::new(places),
            group: Vec::new(),
            fulls: vec![NONE; nodes * nodes],
            semis: vec![NONE; nodes * nodes],
            entries: Vec::new(),
            waiting: vec![Vec::new(); board.cell_count() + 1],
            templates: if limits.templates { Self::templates(board, player) } else { Arc::default() },
            origins,
            combined: 0,
        };
        connections.group = connections.groups();
        connections.touch(|_| true);
        connections.offer_templates();
        connections.close(None);
        connections
    }

    /// Adds stones on empty cells. Afterwards the connections are at least those that [`new`](Connections::new) would
    /// find, except where limits were reached. Without AND over edges there may be more, since a connection derived
    /// through an empty cell stays when a stone there has joined an edge.
    pub fn add(&mut self, mine: CellSet<W>, theirs: CellSet<W>) {
        let nodes = self.fulls.len();
        let group = std::mem::take(&mut self.group);
        let fulls = std::mem::replace(&mut self.fulls, Vec::with_capacity(nodes));
        let semis = std::mem::replace(&mut self.semis, Vec::with_capacity(nodes));
        let entries = std::mem::take(&mut self.entries);
        let before = EarlierConnections { group: &group, heads: [&fulls, &semis], entries: &entries };
        self.carry_over(before, mine, theirs, None);
    }

    /// Becomes the connections of `other` with stones added as by [`add`](Connections::add), without a copy of those
    /// that they replace.
    ///
    /// With a kind to stop at, no more is derived once the edges have a connection of this kind or are joined: then some
    /// connections are missing, but none of that kind between the edges has a smaller carrier. Nothing may follow such
    /// connections.
    pub fn follow(
        &mut self,
        other: &Connections<W, B>,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        stop_at: Option<ConnectionKind>,
    ) {
        (self.board, self.player, self.limits) = (other.board, other.player, other.limits);
        (self.mine, self.theirs, self.combined) = (other.mine, other.theirs, other.combined);
        self.places.clone_from(&other.places);
        self.templates.clone_from(&other.templates);
        self.carry_over(
            EarlierConnections { group: &other.group, heads: [&other.fulls, &other.semis], entries: &other.entries },
            mine,
            theirs,
            stop_at,
        );
    }

    /// Takes over what is left of earlier connections when stones are added, and closes it.
    fn carry_over(
        &mut self,
        before: EarlierConnections<W>,
        mine: CellSet<W>,
        theirs: CellSet<W>,
        stop_at: Option<ConnectionKind>,
    ) {
        debug_assert!((mine | theirs).is_disjoint(&(self.mine | self.theirs)) && mine.is_disjoint(&theirs));
        self.mine |= mine;
        self.theirs |= theirs;
        self.group = self.groups();
        // An end has changed when it became a stone or its group grew: its connections are to be combined again.
        let mut changed = vec![false; self.group.len()];
        for (node, (&old, &new)) in before.group.iter().zip(&self.group).enumerate() {
            let is_new = self.cell_of(node as EndIndex).is_some_and(|cell| mine.contains(cell));
            if old != new || is_new {
                changed[usize::from(new)] = true;
            }
        }
        self.entries.clear();
        for heads in [&mut self.fulls, &mut self.semis] {
            heads.clear();
            heads.resize(before.heads[0].len(), NONE);
        }
        let again = self.keep(&before, &changed, mine, theirs);
        if !mine.is_empty() {
            self.touch(|node| changed[usize::from(node)]);
        }
        for (x, y, kind, carrier) in again {
            self.offer(x, y, kind, carrier, RuleOrigin::Adjacent);
        }
        self.offer_templates();
        self.close(stop_at);
    }

    /// Keeps the connections that stay as they were, and returns those that stay with other ends or carriers.
    fn keep(
        &mut self,
        before: &EarlierConnections<W>,
        changed: &[bool],
        mine: CellSet<W>,
        theirs: CellSet<W>,
    ) -> Vec<(EndIndex, EndIndex, ConnectionKind, CellSet<W>)> {
        let nodes = self.group.len();
        let places = self.places.clone();
        let lost = |node: usize| places.cell(node as EndIndex).is_some_and(|cell| theirs.contains(cell));
        let mut again = Vec::new();
        for heads in before.heads {
            for x in (0..nodes).filter(|&x| !lost(x)) {
                for y in (0..x).filter(|&y| !lost(y)) {
                    let mut last = NONE;
                    let mut at = heads[x * nodes + y];
                    while at != NONE {
                        let entry = before.entries[at as usize];
                        at = entry.next;
                        if !entry.carrier.is_disjoint(&theirs) {
                            continue;
                        }
                        let x = self.group[usize::from(entry.x)];
                        let y = self.group[usize::from(entry.y)];
                        let carrier = entry.carrier - mine;
                        if carrier == entry.carrier && !changed[usize::from(x)] && !changed[usize::from(y)] {
                            // Among themselves these are minimal and combined already.
                            last = self.append_after(last, ConnectionEntry { next: NONE, ..entry });
                        } else if x != y {
                            again.push((x, y, entry.kind, carrier));
                        }
                    }
                }
            }
        }
        again
    }

    /// The board.
    pub fn board(&self) -> B {
        self.board
    }

    /// The player of these connections.
    pub fn player(&self) -> Player {
        self.player
    }

    /// The limits.
    pub fn limits(&self) -> ConnectionLimits {
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

    /// Whether the player has joined all edges.
    pub fn is_won(&self) -> bool {
        self.group[..B::EDGES.into()].iter().all(|&group| group == self.group[0])
    }

    /// Whether two ends are the same group of stones.
    pub fn is_joined(&self, x: ConnectionEnd, y: ConnectionEnd) -> bool {
        self.group_of(x) == self.group_of(y)
    }

    /// The number of connections combined with others so far: a measure of the work that is the same on every machine.
    pub fn combined(&self) -> u64 {
        self.combined
    }

    /// The carriers of one kind between two ends, small ones first. An end on a stone stands for its group; there is
    /// none at an end of the opponent.
    pub fn carriers(
        &self,
        x: ConnectionEnd,
        y: ConnectionEnd,
        kind: ConnectionKind,
    ) -> impl Iterator<Item = CellSet<W>> + '_ {
        self.list(self.group_of(x), self.group_of(y), kind).map(|at| self.entries[at as usize].carrier)
    }

    /// All connections: their ends, an edge or the first cell of a group before others, kind and carrier.
    pub fn iter(&self) -> impl Iterator<Item = (ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<W>)> + '_ {
        let nodes = 0..self.group.len() as EndIndex;
        nodes.clone().flat_map(move |x| (x + 1..nodes.end).map(move |y| (x, y))).flat_map(move |(x, y)| {
            [ConnectionKind::Full, ConnectionKind::Semi].into_iter().flat_map(move |kind| {
                self.list(x, y, kind)
                    .map(move |at| (Self::end(x), Self::end(y), kind, self.entries[at as usize].carrier))
            })
        })
    }

    /// The pairs of ends that have a connection of this kind.
    pub fn pairs(&self, kind: ConnectionKind) -> impl Iterator<Item = (ConnectionEnd, ConnectionEnd)> + '_ {
        let nodes = 0..self.group.len() as EndIndex;
        nodes
            .clone()
            .flat_map(move |x| (x + 1..nodes.end).map(move |y| (x, y)))
            .filter(move |&(x, y)| self.head(x, y, kind) != NONE)
            .map(|(x, y)| (Self::end(x), Self::end(y)))
    }

    fn node(end: ConnectionEnd) -> EndIndex {
        end.index::<B>() as EndIndex
    }

    fn end(node: EndIndex) -> ConnectionEnd {
        ConnectionEnd::from_index::<B>(node.into())
    }

    fn cell_of(&self, node: EndIndex) -> Option<Cell> {
        self.places.cell(node)
    }

    pub(super) fn group_of(&self, end: ConnectionEnd) -> EndIndex {
        self.group[usize::from(Self::node(end))]
    }

    pub(super) fn list(&self, x: EndIndex, y: EndIndex, kind: ConnectionKind) -> impl Iterator<Item = u32> + '_ {
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

    pub(super) fn ends(&self, entry: u32) -> (ConnectionEnd, ConnectionEnd) {
        let entry = &self.entries[entry as usize];
        (Self::end(entry.x), Self::end(entry.y))
    }

    pub(super) fn kind(&self, entry: u32) -> ConnectionKind {
        self.entries[entry as usize].kind
    }

    /// The origin of the entry; only where [`recording`](Connections::recording).
    pub(super) fn origin(&self, entry: u32) -> Option<&RuleOrigin> {
        self.origins.as_ref().map(|origins| &origins[entry as usize])
    }

    fn head(&self, x: EndIndex, y: EndIndex, kind: ConnectionKind) -> u32 {
        let at = usize::from(x) * self.group.len() + usize::from(y);
        match kind {
            ConnectionKind::Full => self.fulls[at],
            ConnectionKind::Semi => self.semis[at],
        }
    }

    fn set_head(&mut self, x: EndIndex, y: EndIndex, kind: ConnectionKind, entry: u32) {
        let nodes = self.group.len();
        let heads = match kind {
            ConnectionKind::Full => &mut self.fulls,
            ConnectionKind::Semi => &mut self.semis,
        };
        heads[usize::from(x) * nodes + usize::from(y)] = entry;
        heads[usize::from(y) * nodes + usize::from(x)] = entry;
    }

    /// For each node the first node of its group, the edges before the cells. The edges of a player who goes around, which
    /// touch no cell, are one group when there is a chain around.
    fn groups(&self) -> Vec<EndIndex> {
        let mut group: Vec<EndIndex> = (0..self.places.nodes()).collect();
        let mut stack: Vec<EndIndex> = Vec::new();
        // From the edges first, so that a group is named by its edge; one that joins several, by the first of them.
        for edge in 0..B::EDGES {
            if group[usize::from(edge)] == EndIndex::from(edge) {
                stack.extend(self.stones_at(edge));
                self.flood(&mut stack, edge.into(), &mut group);
            }
        }
        for node in EndIndex::from(B::EDGES)..self.places.nodes() {
            if group[usize::from(node)] == node && self.is_mine(node) {
                stack.push(node);
                self.flood(&mut stack, node, &mut group);
            }
        }
        if self.board.goes_around(self.player) && self.is_around() {
            group[usize::from(Self::node(ConnectionEnd::LAST))] = Self::node(ConnectionEnd::FIRST);
        }
        group
    }

    fn stones_at(&self, edge: u8) -> impl Iterator<Item = EndIndex> + '_ {
        let stones = self.mine.iter().filter(move |&cell| self.board.is_at_edge(self.player, edge, cell));
        stones.map(|cell| Self::node(ConnectionEnd::Cell(cell)))
    }

    fn is_mine(&self, node: EndIndex) -> bool {
        self.cell_of(node).is_some_and(|cell| self.mine.contains(cell))
    }

    /// Names the group of the nodes on the stack. The name is that of an edge or of the one node itself.
    fn flood(&self, stack: &mut Vec<EndIndex>, name: EndIndex, group: &mut [EndIndex]) {
        while let Some(node) = stack.pop() {
            if group[usize::from(node)] != node {
                continue;
            }
            group[usize::from(node)] = name;
            for edge in 0..B::EDGES {
                let is_at_edge = |cell| self.board.is_at_edge(self.player, edge, cell);
                if group[usize::from(edge)] > name && self.cell_of(node).is_some_and(is_at_edge) {
                    group[usize::from(edge)] = name;
                    stack.extend(self.stones_at(edge));
                }
            }
            let beside = self.places.beside(node).iter().copied();
            stack.extend(beside.filter(|&next| next != name && group[usize::from(next)] == next && self.is_mine(next)));
        }
    }

    /// Whether the player's stones are a chain around: exactly then the opponent cannot join his edges any more.
    fn is_around(&self) -> bool {
        let opponent = self.player.opponent();
        let free = CellSet::<W>::first_cells(self.board.cell_count()) - self.mine;
        let begin: CellSet<W> = free.iter().filter(|&cell| self.board.is_at_edge(opponent, 0, cell)).collect();
        let reached = begin.closed_under(|cell, _| self.board.neighbors(cell).collect::<CellSet<W>>() & free);
        !reached.iter().any(|cell| self.board.is_at_edge(opponent, 1, cell))
    }

    /// Takes a connection in, unless a smaller one does the same; drops those it does better than.
    fn offer(&mut self, x: EndIndex, y: EndIndex, kind: ConnectionKind, carrier: CellSet<W>, origin: RuleOrigin) {
        let size = carrier.len();
        if size > self.limits.carrier {
            return;
        }
        let mut kept = 0;
        let mut last = NONE;
        for other in [ConnectionKind::Full, ConnectionKind::Semi] {
            if kind == ConnectionKind::Full || other == ConnectionKind::Full || kind == other {
                let mut before = NONE;
                let mut at = self.head(x, y, other);
                while at != NONE {
                    let entry = &self.entries[at as usize];
                    let next = entry.next;
                    // A semi-connection does not do what a full one does.
                    if (other == ConnectionKind::Full || kind == ConnectionKind::Semi)
                        && entry.carrier.is_subset(&carrier)
                    {
                        return;
                    }
                    if (kind == ConnectionKind::Full || other == ConnectionKind::Semi)
                        && carrier.is_subset(&entry.carrier)
                    {
                        self.unlink(x, y, other, before, at);
                    } else {
                        before = at;
                        kept += usize::from(other == kind);
                    }
                    at = next;
                }
                if other == kind {
                    last = before;
                }
            }
        }
        let most = match kind {
            ConnectionKind::Full => self.limits.fulls,
            ConnectionKind::Semi => self.limits.semis,
        };
        if kept >= most {
            if !self.make_room(x, y, kind, size) {
                return;
            }
            last = self.list(x, y, kind).last().unwrap_or(NONE);
        }
        let entry = ConnectionEntry { carrier, next: NONE, x, y, size: size as u16, kind, state: EntryState::Waiting };
        let number = self.append_after(last, entry);
        if let Some(origins) = &mut self.origins {
            origins.push(origin);
        }
        self.waiting[size].push(number);
    }

    /// Drops the largest carrier of the list, if it is larger than `size`.
    fn make_room(&mut self, x: EndIndex, y: EndIndex, kind: ConnectionKind, size: usize) -> bool {
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

    fn unlink(&mut self, x: EndIndex, y: EndIndex, kind: ConnectionKind, before: u32, at: u32) {
        let next = self.entries[at as usize].next;
        self.entries[at as usize].state = EntryState::Dropped;
        match before {
            NONE => self.set_head(x, y, kind, next),
            _ => self.entries[before as usize].next = next,
        }
    }

    /// Puts an entry behind the last of its list.
    fn append_after(&mut self, last: u32, entry: ConnectionEntry<W>) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push(entry);
        match last {
            NONE => self.set_head(entry.x, entry.y, entry.kind, number),
            _ => self.entries[last as usize].next = number,
        }
        number
    }

    /// Combines what waits until nothing new follows, or the edges have a connection of the kind to stop at.
    fn close(&mut self, stop_at: Option<ConnectionKind>) {
        let mut alternatives = Alternatives::default();
        let goes_around = self.board.goes_around(self.player);
        let mut size = 0;
        while size < self.waiting.len() {
            let Some(number) = self.waiting[size].pop() else {
                size += 1;
                continue;
            };
            let entry = self.entries[number as usize];
            if entry.state == EntryState::Dropped {
                continue;
            }
            self.entries[number as usize].state = EntryState::Combined;
            if stop_at.is_some_and(|kind| entry.kind <= kind) && self.is_between_edges(&entry) {
                self.waiting.iter_mut().for_each(Vec::clear);
                return;
            }
            self.combined += 1;
            self.and(number, entry.x, entry.y);
            self.and(number, entry.y, entry.x);
            if entry.kind == ConnectionKind::Semi {
                self.or(number, &mut alternatives);
            }
            if goes_around {
                self.around(&entry);
            }
        }
        self.over_edges();
    }

    fn is_between_edges(&self, entry: &ConnectionEntry<W>) -> bool {
        Self::is_edge(entry.x) && Self::is_edge(entry.y)
    }

    fn is_edge(node: EndIndex) -> bool {
        usize::from(node) < usize::from(B::EDGES)
    }
}
