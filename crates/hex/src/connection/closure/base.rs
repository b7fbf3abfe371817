//! The connections that no rule derives: neighbors, and the templates of the board.

use super::{Connections, EndIndex, RuleOrigin};
use crate::board::Player;
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
        let places = self.places.clone();
        for node in places.first_place()..places.nodes() {
            let Some(cell) = places.cell(node).filter(|&cell| !self.theirs.contains(cell)) else { continue };
            let here = self.group[usize::from(node)];
            for &next in places.beside(node).iter().filter(|&&next| node < next) {
                let there = self.group[usize::from(next)];
                let is_free = !places.cell(next).is_some_and(|cell| self.theirs.contains(cell));
                if here != there && is_free && (wanted(here) || wanted(there)) {
                    self.offer(here, there, ConnectionKind::Full, CellSet::EMPTY, || RuleOrigin::Adjacent);
                }
            }
            for edge in 0..self.board.edge_count() {
                let there = self.group_of(ConnectionEnd::Edge(edge));
                if self.board.is_at_edge(self.player, edge, cell) && here != there && (wanted(here) || wanted(there)) {
                    self.offer(here, there, ConnectionKind::Full, CellSet::EMPTY, || RuleOrigin::Adjacent);
                }
            }
        }
    }

    pub(super) fn templates(board: B, player: Player) -> Arc<[TemplateEntry<W>]> {
        let entry = |placed: &PlacedTemplate| TemplateEntry {
            end: placed.end.index(board) as EndIndex,
            edge: placed.edge.index(board) as EndIndex,
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
                    let origin = || RuleOrigin::Template(number as u32);
                    self.offer(end, edge, ConnectionKind::Full, template.carrier - self.mine, origin);
                }
            }
        }
    }
}
