//! Pictures of positions that lie on a board, for the terminal and as SVG.

use crate::matching::MatchingPart;
use crate::points::Point;
use crate::position::{Player, Position};
use ludolog_picture::color::Color;
use ludolog_picture::{BoardLine, Figure, Geometry, Owner, Picture, PictureCell, Weight, svg, text};

/// Names of parts on a picture; further ones repeat.
const LETTERS: &[u8] = b"abcdefghijklmnpqrstuvwyz";

/// The first part that each of `points` points is a marker of, by the number of the part.
fn parts_of(matching: &[MatchingPart], points: usize) -> Vec<Option<usize>> {
    let mut parts = vec![None; points];
    for (number, part) in matching.iter().enumerate() {
        part.markers().into_iter().for_each(|point| _ = parts[point as usize].get_or_insert(number));
    }
    parts
}

/// The letter of a part on a picture.
pub fn letter(part: usize) -> char {
    char::from(LETTERS[part % LETTERS.len()])
}

/// A row a line: `X`, `O`, the [letter] of the part that a marker is in, or `.`; `None` if the game has no board.
pub fn to_text(position: &Position, matching: &[MatchingPart]) -> Option<String> {
    let geometry = geometry(position, matching)?;
    Some(text::to_text(&[picture(position, &geometry, matching)], usize::MAX, false))
}

/// The board with its marks; the sets that `player` may still complete as lines, and the markers of a matching against
/// them as pieces with letters. A line has the color of the part that covers it, and is thin if that is a pair. `None`
/// if the game has no board.
pub fn to_svg(position: &Position, player: Player, matching: &[MatchingPart]) -> Option<String> {
    let mut geometry = geometry(position, matching)?;
    for set in position.game().sets() {
        if set.iter().any(|&point| position.mark(point) == Some(player.opponent())) {
            continue;
        }
        let owner = covering(matching, set);
        let is_pair = owner.is_none_or(|part| matches!(matching[part], MatchingPart::Pair(_)));
        let weight = if is_pair { Weight::Thin } else { Weight::Thick };
        let points = set.iter().map(|&point| geometry.cells[point as usize].center).collect();
        geometry.lines.push(BoardLine { points, owner, weight });
    }
    Some(svg::to_svg(&picture(position, &geometry, matching)))
}

/// A square for each point. The parts of the matching are owners without names: their letters tell them apart.
fn geometry(position: &Position, matching: &[MatchingPart]) -> Option<Geometry> {
    let game = position.game();
    let places = game.places()?.iter().enumerate();
    let cells =
        places.map(|(point, &place)| PictureCell::square(place, game.name(point as Point).to_owned())).collect();
    let part = |part| Owner { name: String::new(), symbol: letter(part).to_string(), color: Color::turn(part) };
    Some(Geometry { cells, owners: (0..matching.len()).map(part).collect(), ..Geometry::default() })
}

fn picture<'g>(position: &Position, geometry: &'g Geometry, matching: &[MatchingPart]) -> Picture<'g> {
    let mut picture = Picture::new(geometry, position.name.as_deref().unwrap_or("positional game"));
    let parts = parts_of(matching, position.game().len());
    for ((point, figure), part) in picture.figures.iter_mut().enumerate().zip(parts) {
        *figure = match (position.mark(point as Point), part) {
            (Some(mark), _) => Figure { content: mark.to_string(), ..Figure::default() },
            (None, Some(part)) => Figure { content: letter(part).to_string(), owner: Some(part), ..Figure::default() },
            (None, None) => Figure::default(),
        };
    }
    picture
}

/// The part that covers a set.
fn covering(matching: &[MatchingPart], set: &[Point]) -> Option<usize> {
    let lists = [set.to_vec()];
    matching.iter().position(|part| crate::matching::check(std::slice::from_ref(part), &lists, |_| true).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::PointBoard;

    #[test]
    fn pictures_show_marks_and_parts() {
        let mut position = Position::new(PointBoard::parse_mnk("3x2x3").unwrap().hypergraph().unwrap());
        position.claim(Player::X, 0);
        position.claim(Player::O, 5);
        let matching = [MatchingPart::Pair([1, 2])];
        assert_eq!(to_text(&position, &matching).unwrap(), "X a a\n. . O\n");
        let svg = to_svg(&position, Player::X, &matching).unwrap();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (1, 2));
    }

    #[test]
    fn cubes_are_drawn_layer_by_layer() {
        let position = Position::new(PointBoard::parse_cube("2^3").unwrap().hypergraph().unwrap());
        assert_eq!(to_text(&position, &[]).unwrap(), ". .   . .\n. .   . .\n");
    }
}
