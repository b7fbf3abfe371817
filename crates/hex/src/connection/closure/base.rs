//! The connections that no rule derives: neighbors, and the templates of the board.

use super::{Connections, EndIndex, RuleOrigin};
use crate::board::{Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind};
use crate::template::PlacedTemplate;
use std::sync::Arc;

/// A template as a connection of a pair of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TemplateEntry<const W: usize> {
    end: EndIndex,
    edge: EndIndex,
    needs: CellSet<W>,
    carrier: CellSet<W>,
}

impl<const W: usize, B: ConnectionBoard> Connections<W, B> {
    /// Offers the connections without carrier: between neighbors, where an end is `wanted`.
    pub(super) fn touch(&mut self, wanted: impl Fn(EndIndex) -> bool) {
        for place in (0..self.board.place_count(self.player)).map(Cell::from_index) {
            let cell = self.board.cell_of_place(place);
            if self.theirs.contains(cell) {
                continue;
            }
            let here = self.group_of(ConnectionEnd::Cell(place));
            for next in self.board.places_beside(self.player, place) {
                let there = self.group_of(ConnectionEnd::Cell(next));
                let is_apart = place < next && here != there && !self.theirs.contains(self.board.cell_of_place(next));
                if is_apart && (wanted(here) || wanted(there)) {
                    self.offer(here, there, ConnectionKind::Full, CellSet::EMPTY, RuleOrigin::Adjacent);
                }
            }
            for edge in 0..B::EDGES {
                let there = self.group_of(ConnectionEnd::Edge(edge));
                if self.board.is_at_edge(self.player, edge, cell) && here != there && (wanted(here) || wanted(there)) {
                    self.offer(here, there, ConnectionKind::Full, CellSet::EMPTY, RuleOrigin::Adjacent);
                }
            }
        }
    }

    pub(super) fn templates(board: B, player: Player) -> Arc<[TemplateEntry<W>]> {
        let entry = |placed: &PlacedTemplate| TemplateEntry {
            end: Self::node(placed.end),
            edge: Self::node(placed.edge),
            needs: placed.needs.resized(),
            carrier: placed.carrier.resized(),
        };
        board.templates(player).iter().map(entry).collect()
    }

    /// Offers the templates that the position has. One that was dropped for smaller connections is offered again, since
    /// those may be lost.
    pub(super) fn offer_templates(&mut self) {
        let templates = self.templates.clone();
        for (number, template) in templates.iter().enumerate() {
            let is_free = template.carrier.is_disjoint(&self.theirs)
                && !self.cell_of(template.end).is_some_and(|cell| self.theirs.contains(cell));
            if is_free && template.needs.is_subset(&self.mine) {
                let [end, edge] = [template.end, template.edge].map(|node| self.group[usize::from(node)]);
                if end != edge {
                    let origin = RuleOrigin::Template(number as u32);
                    self.offer(end, edge, ConnectionKind::Full, template.carrier - self.mine, origin);
                }
            }
        }
    }
}
