//! The facts that draw a board. No rule reads them.
//!
//! ```text
//! (picture_cell C X Y)             the center of cell C, in hundredths of a unit, y down
//! (picture_corner C K X Y)         corner K, from 0, of the outline of C; a cell without corners is a point
//! (picture_link C X1 Y1 X2 Y2)     C is the line between two points
//! (picture_label C S T)            the text T on the side S of C: above, below or left
//! (picture_line S X1 Y1 X2 Y2)     a line of the board, which belongs to the side or role S, or to `board`
//! ```

use super::{Border, CellGraph};
use crate::rulesheet::{NodeName, Rulesheet};

/// A point of the plane, in hundredths of a unit to the right and down.
pub type PlanePoint = (f64, f64);

/// The owner of lines that belong to nobody.
pub const NOBODY: &str = "board";

/// The largest angle, in degrees, between a border and an edge of a cell that belongs to it.
const MOST_TURNED: f64 = 70.0;

/// The largest distance of two points that are meant to be one, in hundredths of a unit.
const SAME: f64 = 1.0;

/// The comment above the facts of a picture.
pub const TITLE: &str = "The picture, which no rule reads: hundredths of a unit, to the right and down.";

/// A regular polygon: center, distance of the corners from it, direction of the first corner in degrees.
pub(crate) fn polygon(center: PlanePoint, corners: usize, radius: f64, first: f64) -> Vec<PlanePoint> {
    let corner = |k: usize| towards(center, radius, first + 360.0 * k as f64 / corners as f64);
    (0..corners).map(corner).collect()
}

/// The point in a direction, in degrees clockwise from the right.
pub(crate) fn towards((x, y): PlanePoint, distance: f64, direction: f64) -> PlanePoint {
    let (sin, cos) = direction.to_radians().sin_cos();
    (x + distance * cos, y + distance * sin)
}

/// The edges of an outline.
fn edges(outline: &[PlanePoint]) -> impl Iterator<Item = (PlanePoint, PlanePoint)> {
    outline.iter().copied().zip(outline.iter().copied().cycle().skip(1))
}

fn middle((from, to): (PlanePoint, PlanePoint)) -> PlanePoint {
    ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0)
}

impl CellGraph {
    /// Writes the picture as facts: cells, outlines, labels, and the edges of the board with the sides that own them.
    #[must_use]
    pub fn draw(&self, sheet: Rulesheet) -> Rulesheet {
        let cells = self.cells.iter().map(|cell| (&cell.name, cell.center));
        let corners = self
            .cells
            .iter()
            .flat_map(|cell| cell.outline.iter().enumerate().map(|(k, &corner)| (&cell.name, k, corner)));
        let labels = self.labels.iter().map(|label| {
            let cell = &self.cells[label.cell];
            (&cell.name, label.side, NodeName::from(label.name.as_str()))
        });
        sheet
            .paragraph(TITLE)
            .facts("picture_cell", cells)
            .facts("picture_corner", corners)
            .facts("picture_label", labels)
            .facts("picture_line", self.edge())
    }

    /// The edge of the board, which is the edges of cells that are no neighbor's, with their owners.
    fn edge(&self) -> Vec<(&'static str, PlanePoint, PlanePoint)> {
        let neighbors = self.neighbors();
        let mut lines = Vec::new();
        for (number, cell) in self.cells.iter().enumerate() {
            for edge in edges(&cell.outline) {
                let at = middle(edge);
                let is_here = |other: (PlanePoint, PlanePoint)| {
                    let other = middle(other);
                    (other.0 - at.0).hypot(other.1 - at.1) < SAME
                };
                let is_shared = neighbors[number].iter().any(|&next| edges(&self.cells[next].outline).any(is_here));
                if !is_shared {
                    let direction = (at.1 - cell.center.1).atan2(at.0 - cell.center.0).to_degrees();
                    lines.push((self.owner(number, direction), edge.0, edge.1));
                }
            }
        }
        lines
    }

    /// The owner of the border on which a cell lies in a direction.
    fn owner(&self, cell: usize, direction: f64) -> &'static str {
        let turned = |border: &Border| {
            let angle = (border.direction - direction).rem_euclid(360.0);
            angle.min(360.0 - angle)
        };
        let borders = self.borders.iter().filter(|border| border.cells.contains(&cell));
        let nearest = borders.min_by(|a, b| turned(a).total_cmp(&turned(b)));
        nearest.filter(|border| turned(border) < MOST_TURNED).and_then(|border| border.owner).unwrap_or(NOBODY)
    }
}
