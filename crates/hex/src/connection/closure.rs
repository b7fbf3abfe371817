//! The closure of the AND and OR rules, smallest carriers first.
//!
//! Connections wait in buckets by the size of their carrier. The smallest is taken out, combined by the rules with
//! those that were taken out before it, and its consequences wait in turn. A connection never follows from larger ones,
//! so each one taken out is minimal, and the [`ConnectionLimits`] drop the largest carriers.
//!
//! The player joins edges or, on a cylinder, goes around: then the nodes are the places of a board unrolled over two turns, and
//! carriers are cells all the same, so that both rules hold of them. What leads around stands between the edges, which no cell
//! touches. In Y it is what joins all three edges that stands between the first two, since no other connection does.
//!
//! When stones are added, a connection that loses a cell to the opponent is dropped, a stone of the player leaves the
//! carriers that it is in, and ends that are joined become one. Only the connections that changed so, and those at an
//! end that changed, are combined again.

mod base;
mod lists;
mod places;
mod rules;

use super::limits::ConnectionLimits;
use super::{ConnectionBoard, ConnectionEnd, ConnectionKind};
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::position::Position;
use base::TemplateEntry;
use lists::{ConnectionEntry, PairLists, pair};
use places::PlaceGraph;
use rules::Alternatives;
use std::sync::Arc;

/// The [index](ConnectionEnd::index) of an end.
pub(super) type EndIndex = u16;

/// Times as many are kept of those that join three edges as of others, since all of them stand between the same two ends.
const OF_THREE: usize = 4;

/// A connection that waits to be combined with others.
#[derive(Clone, Copy, Debug)]
struct WaitingEntry {
    x: EndIndex,
    y: EndIndex,
    kind: ConnectionKind,
    number: u32,
}

/// Connections before stones were added.
struct EarlierConnections<'a, const W: usize> {
    group: &'a [EndIndex],
    /// Full connections, semi-connections.
    lists: &'a [PairLists<W>; 2],
}

/// The rule that a connection follows by, and the numbers of the connections that it follows from.
#[derive(Clone, Debug)]
pub(super) enum RuleOrigin {
    Adjacent,
    Template(u32),
    And(u32, u32),
    Three([u32; 3]),
    Or(Box<[u32]>),
}

/// A connection and its origin.
#[derive(Clone, Debug)]
pub(super) struct RecordedEntry<const W: usize> {
    pub(super) ends: (ConnectionEnd, ConnectionEnd),
    pub(super) kind: ConnectionKind,
    pub(super) carrier: CellSet<W>,
    pub(super) origin: RuleOrigin,
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
    /// Full connections, semi-connections.
    lists: [PairLists<W>; 2],
    /// The number of connections taken in so far.
    count: u32,
    /// Waiting entries by the size of their carrier.
    waiting: Vec<Vec<WaitingEntry>>,
    /// The templates of the board; none where the limits leave them out.
    templates: Arc<[TemplateEntry<W>]>,
    /// All connections taken in, when their origins are asked for.
    recorded: Option<Vec<RecordedEntry<W>>>,
    /// Connections combined so far: the work done.
    combined: u64,
}

impl<const W: usize, B: ConnectionBoard> Clone for Connections<W, B> {
    fn clone(&self) -> Connections<W, B> {
        Connections {
            group: self.group.clone(),
            lists: self.lists.clone(),
            waiting: vec![Vec::new(); self.waiting.len()],
            places: self.places.clone(),
            templates: self.templates.clone(),
            recorded: self.recorded.clone(),
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
        recorded: Option<Vec<RecordedEntry<W>>>,
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
            lists: [PairLists::new(nodes), PairLists::new(nodes)],
            count: 0,
            waiting: vec![Vec::new(); board.cell_count() + 1],
            templates: if limits.templates { Self::templates(board, player) } else { Arc::default() },
            recorded,
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
        let group = std::mem::take(&mut self.group);
        let lists = std::mem::take(&mut self.lists);
        let before = EarlierConnections { group: &group, lists: &lists };
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
        self.carry_over(EarlierConnections { group: &other.group, lists: &other.lists }, mine, theirs, stop_at);
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
        self.count = 0;
        self.lists.iter_mut().zip(before.lists).for_each(|(lists, before)| lists.reset(before));
        let again = self.keep(&before, &changed, mine, theirs);
        if !mine.is_empty() {
            self.touch(|node| changed[usize::from(node)]);
        }
        for (x, y, kind, carrier) in again {
            self.offer(x, y, kind, carrier, || RuleOrigin::Adjacent);
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
        let lost = |node: EndIndex| places.cell(node).is_some_and(|cell| theirs.contains(cell));
        let mut again = Vec::new();
        for kind in ConnectionKind::BOTH {
            let lists = &before.lists[kind as usize];
            for x in (0..nodes as EndIndex).filter(|&x| !lost(x)) {
                let new_x = self.group[usize::from(x)];
                for y in lists.partners_below(x).filter(|&y| !lost(y)) {
                    let new_y = self.group[usize::from(y)];
                    let is_changed = changed[usize::from(new_x)] || changed[usize::from(new_y)];
                    let list = lists.of(pair(x, y)).iter().filter(|entry| entry.carrier.is_disjoint(&theirs));
                    // Among themselves these are minimal and combined already.
                    let stays = |entry: &&ConnectionEntry<W>| !is_changed && entry.carrier.is_disjoint(&mine);
                    self.lists[kind as usize].extend(x, y, list.clone().filter(stays), &mut self.count);
                    if new_x != new_y {
                        let other = list.filter(|entry| !stays(entry));
                        again.extend(other.map(|entry| (new_x, new_y, kind, entry.carrier - mine)));
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
        self.group[..self.places.first_place().into()].iter().all(|&group| group == self.group[0])
    }

    /// Whether two ends are the same group of stones.
    pub fn is_joined(&self, x: ConnectionEnd, y: ConnectionEnd) -> bool {
        self.group_of(x) == self.group_of(y)
    }

    /// The number of connections combined with others so far: a measure of the work that is the same on every machine.
    pub fn combined(&self) -> u64 {
        self.combined
    }

    /// The memory that the connections take, in bytes.
    pub fn bytes(&self) -> usize {
        self.lists.iter().map(PairLists::bytes).sum()
    }

    /// The carriers of one kind between two ends, small ones first. An end on a stone stands for its group; there is
    /// none at an end of the opponent.
    pub fn carriers(
        &self,
        x: ConnectionEnd,
        y: ConnectionEnd,
        kind: ConnectionKind,
    ) -> impl Iterator<Item = CellSet<W>> + '_ {
        self.list(self.group_of(x), self.group_of(y), kind).iter().map(|entry| entry.carrier)
    }

    /// All connections: their ends, an edge or the first cell of a group before others, kind and carrier.
    pub fn iter(&self) -> impl Iterator<Item = (ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<W>)> + '_ {
        let nodes = 0..self.group.len() as EndIndex;
        nodes.clone().flat_map(move |x| (x + 1..nodes.end).map(move |y| (x, y))).flat_map(move |(x, y)| {
            [ConnectionKind::Full, ConnectionKind::Semi].into_iter().flat_map(move |kind| {
                self.list(x, y, kind).iter().map(move |entry| (self.end(x), self.end(y), kind, entry.carrier))
            })
        })
    }

    /// The pairs of ends that have a connection of this kind.
    pub fn pairs(&self, kind: ConnectionKind) -> impl Iterator<Item = (ConnectionEnd, ConnectionEnd)> + '_ {
        let nodes = self.group.len() as EndIndex;
        let lists = &self.lists[kind as usize];
        (0..nodes)
            .flat_map(move |x| lists.partners_above(x).map(move |y| (x, y)))
            .filter(move |&(x, y)| !self.list(x, y, kind).is_empty())
            .map(|(x, y)| (self.end(x), self.end(y)))
    }

    fn node(&self, end: ConnectionEnd) -> EndIndex {
        end.index(self.board) as EndIndex
    }

    fn end(&self, node: EndIndex) -> ConnectionEnd {
        ConnectionEnd::from_index(node.into(), self.board)
    }

    fn cell_of(&self, node: EndIndex) -> Option<Cell> {
        self.places.cell(node)
    }

    pub(super) fn group_of(&self, end: ConnectionEnd) -> EndIndex {
        self.group[usize::from(self.node(end))]
    }

    /// The number of the first connection of the list whose carrier lies in `carrier`.
    pub(super) fn number_within(
        &self,
        (x, y): (ConnectionEnd, ConnectionEnd),
        kind: ConnectionKind,
        carrier: &CellSet<W>,
    ) -> Option<u32> {
        let list = self.list(self.group_of(x), self.group_of(y), kind);
        list.iter().find(|entry| entry.carrier.is_subset(carrier)).map(|entry| entry.number)
    }

    /// The connection of that number with its origin; only where [`recording`](Connections::recording).
    pub(super) fn recorded(&self, number: u32) -> Option<&RecordedEntry<W>> {
        self.recorded.as_ref()?.get(number as usize)
    }

    /// The connections of one kind between two nodes; none between a node and itself.
    fn list(&self, x: EndIndex, y: EndIndex, kind: ConnectionKind) -> &[ConnectionEntry<W>] {
        if x == y { &[] } else { self.lists[kind as usize].of(pair(x, y)) }
    }

    /// For each node the first node of its group, the edges before the cells. The edges of a player who goes around, which
    /// touch no cell, are one group when there is a chain around; edges that do not join when one group touches all.
    fn groups(&self) -> Vec<EndIndex> {
        let mut group: Vec<EndIndex> = (0..self.places.nodes()).collect();
        let mut stack: Vec<EndIndex> = Vec::new();
        // From the edges first, so that a group is named by its edge; one that joins several, by the first of them.
        let joining = if self.board.edges_join() { self.board.edge_count() } else { 0 };
        for edge in 0..joining {
            if group[usize::from(edge)] == EndIndex::from(edge) {
                stack.extend(self.stones_at(edge));
                self.flood(&mut stack, edge.into(), &mut group);
            }
        }
        for node in self.places.first_place()..self.places.nodes() {
            if group[usize::from(node)] == node && self.is_mine(node) {
                stack.push(node);
                self.flood(&mut stack, node, &mut group);
            }
        }
        let is_won = self.board.goes_around(self.player) && self.is_around()
            || !self.board.edges_join() && self.is_one_at_all_edges(&group);
        if is_won {
            group[..self.places.first_place().into()].fill(self.node(ConnectionEnd::FIRST));
        }
        group
    }

    fn stones_at(&self, edge: u8) -> impl Iterator<Item = EndIndex> + '_ {
        let stones = self.mine.iter().filter(move |&cell| self.board.is_at_edge(self.player, edge, cell));
        stones.map(|cell| self.node(ConnectionEnd::Cell(cell)))
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
            for edge in 0..self.board.edge_count() {
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

    /// Whether one of the groups touches all edges.
    fn is_one_at_all_edges(&self, group: &[EndIndex]) -> bool {
        let at = |edge| self.stones_at(edge).map(|node| group[usize::from(node)]);
        let touches = |edge, wanted| at(edge).any(|group| group == wanted);
        at(0).any(|group| (1..self.board.edge_count()).all(|edge| touches(edge, group)))
    }

    /// Takes a connection in, unless a smaller one does the same; drops those it does better than.
    #[inline]
    fn offer(
        &mut self,
        x: EndIndex,
        y: EndIndex,
        kind: ConnectionKind,
        carrier: CellSet<W>,
        origin: impl FnOnce() -> RuleOrigin,
    ) {
        let here = pair(x, y);
        let is_within = |entry: &ConnectionEntry<W>| entry.carrier.is_subset(&carrier);
        let [fulls, semis] = &self.lists;
        // A semi-connection does not do what a full one does.
        let is_known = fulls.of(here).iter().any(is_within)
            || kind == ConnectionKind::Semi && semis.of(here).iter().any(is_within);
        if !is_known
            && self.take_in(x, y, kind, carrier)
            && let Some(recorded) = &mut self.recorded
        {
            let ends =
                (ConnectionEnd::from_index(x.into(), self.board), ConnectionEnd::from_index(y.into(), self.board));
            recorded.push(RecordedEntry { ends, kind, carrier, origin: origin() });
        }
    }

    /// Takes in a connection that no smaller one replaces, if there is room for it.
    fn take_in(&mut self, x: EndIndex, y: EndIndex, kind: ConnectionKind, carrier: CellSet<W>) -> bool {
        let size = carrier.len();
        if size > self.limits.carrier {
            return false;
        }
        let here = pair(x, y);
        let most = match kind {
            ConnectionKind::Full => self.limits.fulls,
            ConnectionKind::Semi => self.limits.semis,
        };
        let is_of_three = !self.board.edges_join() && self.is_edge(x) && self.is_edge(y);
        let most = if is_of_three { most.saturating_mul(OF_THREE) } else { most };
        self.lists[kind as usize..].iter_mut().for_each(|lists| lists.remove_wider(here, &carrier));
        let lists = &mut self.lists[kind as usize];
        if lists.of(here).len() >= most && !lists.remove_largest(here, size) {
            return false;
        }
        let number = self.count;
        self.count += 1;
        lists.push(x, y, ConnectionEntry { carrier, number, size: size as u16, is_combined: false });
        self.waiting[size].push(WaitingEntry { x, y, kind, number });
        true
    }

    /// Combines what waits until nothing new follows, or the edges have a connection of the kind to stop at.
    fn close(&mut self, stop_at: Option<ConnectionKind>) {
        let mut alternatives = Alternatives::default();
        let goes_around = self.board.goes_around(self.player);
        let edges_join = self.board.edges_join();
        let mut size = 0;
        while size < self.waiting.len() {
            let Some(entry) = self.waiting[size].pop() else {
                size += 1;
                continue;
            };
            let WaitingEntry { x, y, kind, number } = entry;
            let Some(carrier) = self.lists[kind as usize].combine(pair(x, y), number) else { continue };
            if stop_at.is_some_and(|decides| kind <= decides) && self.is_edge(x) && self.is_edge(y) {
                self.waiting.iter_mut().for_each(Vec::clear);
                return;
            }
            self.combined += 1;
            self.and(entry, carrier, x, y);
            self.and(entry, carrier, y, x);
            if kind == ConnectionKind::Semi {
                self.or(entry, carrier, &mut alternatives);
            }
            if goes_around {
                self.around(entry, carrier);
            }
            if !edges_join {
                self.three(entry, carrier);
            }
        }
        self.over_edges();
    }

    fn is_too_large(&self, carrier: &CellSet<W>) -> bool {
        self.limits.carrier < self.board.cell_count() && carrier.len() > self.limits.carrier
    }

    fn is_edge(&self, node: EndIndex) -> bool {
        node < self.places.first_place()
    }
}
