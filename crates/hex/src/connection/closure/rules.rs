//! The AND and OR rules themselves.

use super::{Connections, EndIndex, RuleOrigin, WaitingEntry, pair};
use crate::board::Cell;
use crate::cells::CellSet;
use crate::connection::ConnectionKind::{self, Full, Semi};
use crate::connection::{ConnectionBoard, ConnectionEnd};

impl<const W: usize, B: ConnectionBoard> Connections<W, B> {
    /// The AND rule: joins connection `one`, from `outer` to `middle`, with those from `middle` on.
    ///
    /// ```text
    /// full(x, z, C ∪ D)       :- full(x, y, C) & full(y, z, D) & ours(y) & C ∩ D = ∅.
    /// semi(x, z, C ∪ D)       :- full(x, y, C) & semi(y, z, D) & ours(y) & C ∩ D = ∅.
    /// semi(x, z, C ∪ D ∪ {y}) :- full(x, y, C) & full(y, z, D) & empty(y) & C ∩ D = ∅.
    /// ```
    ///
    /// with neither of x and z in the other's carrier. An edge as the middle is left to
    /// [`over_edges`](Connections::over_edges) unless the limits say otherwise.
    pub(super) fn and(&mut self, one: WaitingEntry, carrier: CellSet<W>, outer: EndIndex, middle: EndIndex) {
        let center = self.cell_of(middle);
        let is_ours = match center {
            None if !self.limits.over_edges || !self.board.edges_join() => return,
            None => true,
            Some(cell) => self.mine.contains(cell),
        };
        if !is_ours && one.kind == ConnectionKind::Semi {
            return;
        }
        let middle_cell = center.filter(|_| !is_ours);
        let half = Half { one, carrier, outer, middle, middle_cell };
        let kinds = if is_ours && one.kind == ConnectionKind::Full { 2 } else { 1 };
        let leaves_edges_out = !self.board.edges_join() && self.is_edge(outer);
        for word in 0..self.group.len().div_ceil(64) {
            let partners = self.lists[..kinds].iter().map(|lists| lists.partners(middle, word));
            let mut partners = partners.fold(0, |all, partners| all | partners);
            while partners != 0 {
                let far = (64 * word) as EndIndex + partners.trailing_zeros() as EndIndex;
                partners &= partners - 1;
                if far != outer
                    && !(leaves_edges_out && self.is_edge(far))
                    && !self.cell_of(far).is_some_and(|cell| carrier.contains(cell))
                {
                    ConnectionKind::BOTH[..kinds].iter().for_each(|&kind| self.join(&half, far, kind));
                }
            }
        }
    }

    /// The AND rule for those connections on that have this kind and lead to `far`.
    #[inline]
    fn join(&mut self, half: &Half<W>, far: EndIndex, other_kind: ConnectionKind) {
        let Half { one, carrier, outer, middle, middle_cell } = *half;
        let outer_cell = self.cell_of(outer);
        let other_pair = pair(middle, far);
        let kind = if middle_cell.is_some() { ConnectionKind::Semi } else { one.kind.max(other_kind) };
        let joined = middle_cell.map_or(carrier, |cell| carrier.with(cell));
        // Only the list from `outer` to `far` changes meanwhile.
        for place in self.lists[other_kind as usize].places(other_pair) {
            let other = self.lists[other_kind as usize].entry(place);
            if other.is_combined
                && other.carrier.is_disjoint(&carrier)
                && !outer_cell.is_some_and(|cell| other.carrier.contains(cell))
            {
                let origin = || RuleOrigin::And(one.number, other.number);
                self.offer(outer, far, kind, joined | other.carrier, origin);
            }
        }
    }

    /// The AND rule over an edge, where it goes on to another edge:
    ///
    /// ```text
    /// full(x, f, (C ∪ D) ∖ {x}) :- full(x, e, C) & full(e, f, D) & C ∩ D ⊆ {x}.
    /// ```
    ///
    /// The end x may lie in D, since it is the player's wherever the connection is of use. Whoever has full(e, f) wins, so
    /// that these are told but not combined further, which would take many times as long.
    pub(super) fn over_edges(&mut self) {
        if !self.limits.templates || !self.board.edges_join() {
            return;
        }
        let edges = 0..self.places.first_place();
        let pairs = edges.clone().flat_map(|e| edges.clone().map(move |f| (e, f)));
        for (e, f) in pairs.filter(|&(e, f)| e != f) {
            let across = self.list(e, f, ConnectionKind::Full).to_vec();
            if across.is_empty() {
                continue;
            }
            for x in self.places.first_place()..self.group.len() as EndIndex {
                let ends: CellSet<W> = self.cell_of(x).into_iter().collect();
                for one in self.list(x, e, ConnectionKind::Full).to_vec() {
                    for &other in &across {
                        let [near, far] = [one, other].map(|entry| entry.carrier - ends);
                        if near.is_disjoint(&far) {
                            let origin = || RuleOrigin::And(one.number, other.number);
                            self.offer(x, f, ConnectionKind::Full, near | far, origin);
                        }
                    }
                }
            }
        }
        self.waiting.iter_mut().for_each(Vec::clear);
    }

    /// The rule of chains around the board: a connection from a place to the same one a turn on, whose ends are one cell or
    /// two places of one stone's groups.
    ///
    /// ```text
    /// full(around, C)       :- full(x, x + turn, C) & ours(x).
    /// semi(around, C)       :- semi(x, x + turn, C) & ours(x).
    /// semi(around, C ∪ {x}) :- full(x, x + turn, C) & empty(x).
    /// ```
    ///
    /// The player has no edges; what leads around stands between them.
    pub(super) fn around(&mut self, entry: WaitingEntry, carrier: CellSet<W>) {
        let (Some(one), Some(other)) = (self.cell_of(entry.x), self.cell_of(entry.y)) else { return };
        let group = |place: usize| self.group[usize::from(self.places.first_place()) + place];
        let turn = self.board.cell_count();
        let is_turn = |cell: Cell| {
            let ends = (group(cell.index()), group(cell.index() + turn));
            ends == (entry.x, entry.y) || ends == (entry.y, entry.x)
        };
        let is_ours = self.mine.contains(one);
        let closes = if is_ours { self.mine.iter().any(is_turn) } else { one == other };
        if closes && (is_ours || entry.kind == ConnectionKind::Full) {
            let kind = if is_ours { entry.kind } else { ConnectionKind::Semi };
            let carrier = if is_ours { carrier } else { carrier.with(one) };
            let [first, last] = [ConnectionEnd::FIRST, ConnectionEnd::LAST].map(|edge| self.node(edge));
            self.offer(first, last, kind, carrier, || RuleOrigin::Adjacent);
        }
    }

    /// The rule of Y: one end with connections to all three edges.
    ///
    /// ```text
    /// full(all, C ∪ D ∪ E)       :- full(x, e, C) & full(x, f, D) & full(x, g, E) & ours(x).
    /// semi(all, C ∪ D ∪ E)       :- full(x, e, C) & full(x, f, D) & semi(x, g, E) & ours(x).
    /// semi(all, C ∪ D ∪ E ∪ {x}) :- full(x, e, C) & full(x, f, D) & full(x, g, E) & empty(x).
    /// ```
    ///
    /// with C, D and E disjoint. The edges join nothing; what touches all of them stands between the first two.
    pub(super) fn three(&mut self, one: WaitingEntry, carrier: CellSet<W>) {
        let [x, edge] = if self.is_edge(one.x) { [one.y, one.x] } else { [one.x, one.y] };
        let Some(cell) = self.cell_of(x).filter(|_| self.is_edge(edge)) else { return };
        let is_ours = self.mine.contains(cell);
        if !is_ours && one.kind == ConnectionKind::Semi {
            return;
        }
        // One of the three may be semi.
        let kinds: &[[ConnectionKind; 2]] = match (is_ours, one.kind) {
            (true, ConnectionKind::Full) => &[[Full, Full], [Full, Semi], [Semi, Full]],
            _ => &[[Full, Full]],
        };
        let mut others = (0..self.places.first_place()).filter(|&other| other != edge);
        let (Some(f), Some(g)) = (others.next(), others.next()) else { return };
        let [first, last] = [ConnectionEnd::FIRST, ConnectionEnd::LAST].map(|edge| self.node(edge));
        for &[to_f, to_g] in kinds {
            let kind = if is_ours { one.kind.max(to_f).max(to_g) } else { Semi };
            let all = if is_ours { carrier } else { carrier.with(cell) };
            // Only the list between the first two edges changes meanwhile.
            for f in self.lists[to_f as usize].places(pair(x, f)) {
                let second = self.lists[to_f as usize].entry(f);
                if !second.is_combined || !second.carrier.is_disjoint(&carrier) {
                    continue;
                }
                let taken = carrier | second.carrier;
                for g in self.lists[to_g as usize].places(pair(x, g)) {
                    let third = self.lists[to_g as usize].entry(g);
                    if third.is_combined && third.carrier.is_disjoint(&taken) {
                        let origin = || RuleOrigin::Three([one.number, second.number, third.number]);
                        self.offer(first, last, kind, all | taken | third.carrier, origin);
                    }
                }
            }
        }
    }

    /// The OR rule: joins semi-connection `one` with others between the same ends so that no cell is common to all.
    ///
    /// ```text
    /// full(x, y, C₁ ∪ … ∪ Cₙ) :- semi(x, y, C₁) & … & semi(x, y, Cₙ) & C₁ ∩ … ∩ Cₙ = ∅.
    /// ```
    pub(super) fn or(&mut self, one: WaitingEntry, carrier: CellSet<W>, alternatives: &mut Alternatives<W>) {
        let others = self.list(one.x, one.y, ConnectionKind::Semi).iter();
        let combined = others.filter(|other| other.is_combined && other.number != one.number);
        alternatives.others.clear();
        alternatives.others.extend(combined.map(|other| (other.number, other.carrier)));
        // Cells that are common to all alternatives from one on stay common whichever of them are chosen.
        alternatives.common.clear();
        let mut common = carrier;
        for (_, carrier) in alternatives.others.iter().rev() {
            common &= *carrier;
            alternatives.common.push(common);
        }
        if !common.is_empty() {
            return;
        }
        alternatives.common.reverse();
        alternatives.chosen.clear();
        alternatives.chosen.push(one.number);
        self.choose(one.x, one.y, alternatives, 0, carrier, carrier);
    }

    /// Tries each alternative from `start` on beside those chosen, which have `meet` in common and `union` in all. Goes
    /// as deep as there are cells, since each choice takes one at least from what is common.
    fn choose(
        &mut self,
        x: EndIndex,
        y: EndIndex,
        alternatives: &mut Alternatives<W>,
        start: usize,
        meet: CellSet<W>,
        union: CellSet<W>,
    ) {
        let is_last = alternatives.chosen.len() + 1 >= self.limits.alternatives;
        for i in start..alternatives.others.len() {
            if !(alternatives.common[i] & meet).is_empty() {
                return;
            }
            let (number, carrier) = alternatives.others[i];
            let next = meet & carrier;
            if next == meet || is_last && !next.is_empty() {
                continue;
            }
            let wider = union | carrier;
            if self.is_too_large(&wider) || self.is_full_within(x, y, &wider) {
                continue;
            }
            alternatives.chosen.push(number);
            if next.is_empty() {
                let origin = || RuleOrigin::Or(alternatives.chosen.as_slice().into());
                self.offer(x, y, ConnectionKind::Full, wider, origin);
            } else {
                self.choose(x, y, alternatives, i + 1, next, wider);
            }
            alternatives.chosen.pop();
        }
    }

    fn is_full_within(&self, x: EndIndex, y: EndIndex, cells: &CellSet<W>) -> bool {
        self.list(x, y, ConnectionKind::Full).iter().any(|entry| entry.carrier.is_subset(cells))
    }
}

/// The connection that the AND rule goes on from.
#[derive(Clone, Copy)]
struct Half<const W: usize> {
    one: WaitingEntry,
    carrier: CellSet<W>,
    outer: EndIndex,
    /// Where the rule goes on, and its cell, if that is empty.
    middle: EndIndex,
    middle_cell: Option<Cell>,
}

/// Buffers of the OR rule.
#[derive(Default)]
pub(super) struct Alternatives<const W: usize> {
    others: Vec<(u32, CellSet<W>)>,
    /// By place, the cells that the given one and all others from there on have in common.
    common: Vec<CellSet<W>>,
    chosen: Vec<u32>,
}
