//! The AND and OR rules themselves.

use super::{ConnectionEntry, Connections, EndIndex, EntryState, NONE, RuleOrigin};
use crate::board::Cell;
use crate::cells::CellSet;
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind};

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
    pub(super) fn and(&mut self, one: u32, outer: EndIndex, middle: EndIndex) {
        let entry = self.entries[one as usize];
        let carrier = entry.carrier;
        let center = self.cell_of(middle);
        let is_ours = match center {
            None if !self.limits.over_edges => return,
            None => true,
            Some(cell) => self.mine.contains(cell),
        };
        if !is_ours && entry.kind == ConnectionKind::Semi {
            return;
        }
        let joined = match center {
            Some(cell) if !is_ours => carrier.with(cell),
            _ => carrier,
        };
        let outer_cell = self.cell_of(outer);
        let row = usize::from(middle) * self.group.len();
        for far in 0..self.group.len() as EndIndex {
            let heads = [
                self.fulls[row + usize::from(far)],
                if is_ours && entry.kind == ConnectionKind::Full { self.semis[row + usize::from(far)] } else { NONE },
            ];
            if heads == [NONE; 2] || far == outer || self.cell_of(far).is_some_and(|cell| carrier.contains(cell)) {
                continue;
            }
            for mut at in heads {
                while at != NONE {
                    let other = self.entries[at as usize];
                    if other.state == EntryState::Combined
                        && other.carrier.is_disjoint(&carrier)
                        && !outer_cell.is_some_and(|cell| other.carrier.contains(cell))
                    {
                        let kind = if is_ours { entry.kind.max(other.kind) } else { ConnectionKind::Semi };
                        self.offer(outer, far, kind, joined | other.carrier, RuleOrigin::And(one, at));
                    }
                    at = other.next;
                }
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
        if !self.limits.templates {
            return;
        }
        let edges = 0..EndIndex::from(B::EDGES);
        let pairs = edges.clone().flat_map(|e| edges.clone().map(move |f| (e, f)));
        for (e, f) in pairs.filter(|&(e, f)| e != f) {
            let across: Vec<u32> = self.list(e, f, ConnectionKind::Full).collect();
            if across.is_empty() {
                continue;
            }
            for x in EndIndex::from(B::EDGES)..self.group.len() as EndIndex {
                let ends: CellSet<W> = self.cell_of(x).into_iter().collect();
                for one in self.list(x, e, ConnectionKind::Full).collect::<Vec<u32>>() {
                    for &other in &across {
                        let [near, far] = [one, other].map(|entry| self.entries[entry as usize].carrier - ends);
                        if near.is_disjoint(&far) {
                            self.offer(x, f, ConnectionKind::Full, near | far, RuleOrigin::And(one, other));
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
    pub(super) fn around(&mut self, entry: &ConnectionEntry<W>) {
        let (Some(one), Some(other)) = (self.cell_of(entry.x), self.cell_of(entry.y)) else { return };
        let group = |place: usize| self.group[usize::from(B::EDGES) + place];
        let turn = self.board.cell_count();
        let is_turn = |cell: Cell| {
            let ends = (group(cell.index()), group(cell.index() + turn));
            ends == (entry.x, entry.y) || ends == (entry.y, entry.x)
        };
        let is_ours = self.mine.contains(one);
        let closes = if is_ours { self.mine.iter().any(is_turn) } else { one == other };
        if closes && (is_ours || entry.kind == ConnectionKind::Full) {
            let kind = if is_ours { entry.kind } else { ConnectionKind::Semi };
            let carrier = if is_ours { entry.carrier } else { entry.carrier.with(one) };
            let [first, last] = [ConnectionEnd::FIRST, ConnectionEnd::LAST].map(Self::node);
            self.offer(first, last, kind, carrier, RuleOrigin::Adjacent);
        }
    }

    /// The OR rule: joins semi-connection `one` with others between the same ends so that no cell is common to all.
    ///
    /// ```text
    /// full(x, y, C₁ ∪ … ∪ Cₙ) :- semi(x, y, C₁) & … & semi(x, y, Cₙ) & C₁ ∩ … ∩ Cₙ = ∅.
    /// ```
    pub(super) fn or(&mut self, one: u32, alternatives: &mut Alternatives<W>) {
        let entry = self.entries[one as usize];
        alternatives.others.clear();
        let others = self.list(entry.x, entry.y, ConnectionKind::Semi).filter(|&at| at != one);
        let combined = others.filter(|&at| self.entries[at as usize].state == EntryState::Combined);
        alternatives.others.extend(combined.map(|at| (at, self.entries[at as usize].carrier)));
        // Cells that are common to all alternatives from one on stay common whichever of them are chosen.
        alternatives.common.clear();
        let mut common = entry.carrier;
        for (_, carrier) in alternatives.others.iter().rev() {
            common &= *carrier;
            alternatives.common.push(common);
        }
        if !common.is_empty() {
            return;
        }
        alternatives.common.reverse();
        alternatives.chosen.clear();
        alternatives.chosen.push(one);
        self.choose(entry.x, entry.y, alternatives, 0, entry.carrier, entry.carrier);
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
        for i in start..alternatives.others.len() {
            if !(alternatives.common[i] & meet).is_empty() {
                return;
            }
            let (number, carrier) = alternatives.others[i];
            let (next, wider) = (meet & carrier, union | carrier);
            if next == meet || wider.len() > self.limits.carrier || self.is_full_within(x, y, &wider) {
                continue;
            }
            alternatives.chosen.push(number);
            if next.is_empty() {
                let origin = match self.origins {
                    Some(_) => RuleOrigin::Or(alternatives.chosen.as_slice().into()),
                    None => RuleOrigin::Adjacent,
                };
                self.offer(x, y, ConnectionKind::Full, wider, origin);
            } else if alternatives.chosen.len() < self.limits.alternatives {
                self.choose(x, y, alternatives, i + 1, next, wider);
            }
            alternatives.chosen.pop();
        }
    }

    fn is_full_within(&self, x: EndIndex, y: EndIndex, cells: &CellSet<W>) -> bool {
        self.list(x, y, ConnectionKind::Full).any(|at| self.entries[at as usize].carrier.is_subset(cells))
    }
}

/// Buffers of the OR rule.
#[derive(Default)]
pub(super) struct Alternatives<const W: usize> {
    others: Vec<(u32, CellSet<W>)>,
    /// By place, the cells that the given one and all others from there on have in common.
    common: Vec<CellSet<W>>,
    chosen: Vec<u32>,
}
