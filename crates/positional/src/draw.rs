//! Pictures of positions that lie on a board, for the terminal and as SVG.

use crate::matching::Part;
use crate::points::Point;
use crate::position::{Player, Position};
use std::fmt::Write;

/// Names of parts on a picture; further ones repeat.
const LETTERS: &[u8] = b"abcdefghijklmnpqrstuvwyz";

/// Colors of parts, by turns: the scheme of Okabe and Ito, which the color-blind can tell apart.
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a00"];

/// Pixels between two points of an SVG.
const STEP: usize = 40;

/// The part that each point is a marker of, by the number of the part.
fn part_of(matching: &[Part], point: Point) -> Option<usize> {
    matching.iter().position(|part| part.markers().contains(&point))
}

/// The letter of a part on a picture.
pub fn letter(part: usize) -> char {
    char::from(LETTERS[part % LETTERS.len()])
}

/// A row a line: `X`, `O`, the [letter] of the part that a marker is in, or `.`; `None` if the game has no board.
pub fn to_text(position: &Position, matching: &[Part]) -> Option<String> {
    let places = position.game().places()?;
    let (columns, rows) = extent(places);
    let mut cells = vec![vec![' '; columns]; rows];
    for (point, &(x, y)) in places.iter().enumerate() {
        let point = point as Point;
        cells[y][x] = match (position.mark(point), part_of(matching, point)) {
            (Some(Player::X), _) => 'X',
            (Some(Player::O), _) => 'O',
            (None, Some(part)) => letter(part),
            (None, None) => '.',
        };
    }
    let line =
        |row: Vec<char>| row.iter().map(char::to_string).collect::<Vec<_>>().join(" ").trim_end().to_owned() + "\n";
    Some(cells.into_iter().map(line).collect())
}

fn extent(places: &[(usize, usize)]) -> (usize, usize) {
    places.iter().fold((0, 0), |(columns, rows), &(x, y)| (columns.max(x + 1), rows.max(y + 1)))
}

/// The board with its marks; the sets that `player` may still complete as lines, and the markers of a matching against
/// them as rings. A line has the color of the part that covers it, and is thin if that is a pair. `None` if the game has
/// no board.
pub fn to_svg(position: &Position, player: Player, matching: &[Part]) -> Option<String> {
    let places = position.game().places()?;
    let (columns, rows) = extent(places);
    let at = |point: Point| {
        let (x, y) = places[point as usize];
        (x * STEP + STEP / 2, y * STEP + STEP / 2)
    };
    let (width, height) = (columns * STEP, rows * STEP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">"
    );
    for point in 0..places.len() as Point {
        let (x, y) = at(point);
        let (x, y) = (x - STEP / 2, y - STEP / 2);
        _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{STEP}\" height=\"{STEP}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".25\"/>"
        );
    }
    for set in position.game().sets() {
        if set.iter().any(|&point| position.mark(point) == Some(player.opponent())) {
            continue;
        }
        let covering = covering(matching, set);
        let color = covering.map_or("currentColor", |part| COLORS[part % COLORS.len()]);
        let is_pair = covering.is_none_or(|part| matches!(matching[part], Part::Pair(_)));
        let stroke = if is_pair { 1 } else { 3 };
        let path: Vec<String> = set.iter().map(|&point| at(point)).map(|(x, y)| format!("{x},{y}")).collect();
        let path = path.join(" ");
        _ = write!(
            svg,
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{stroke}\" stroke-opacity=\".7\"/>"
        );
    }
    for point in 0..places.len() as Point {
        let (x, y) = at(point);
        match (position.mark(point), part_of(matching, point)) {
            (Some(mark), _) => {
                let baseline = y + 8;
                _ = write!(
                    svg,
                    "<text x=\"{x}\" y=\"{baseline}\" text-anchor=\"middle\" font-size=\"24\" fill=\"currentColor\">{mark}</text>"
                );
            }
            (None, Some(part)) => {
                let (color, letter, baseline) = (COLORS[part % COLORS.len()], letter(part), y + 5);
                _ = write!(
                    svg,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"12\" fill=\"{color}\"/><text x=\"{x}\" y=\"{baseline}\" text-anchor=\"middle\" font-size=\"15\" fill=\"#fff\">{letter}</text>"
                );
            }
            (None, None) => {}
        }
    }
    Some(svg + "</svg>")
}

/// The part that covers a set.
fn covering(matching: &[Part], set: &[Point]) -> Option<usize> {
    let lists = [set.to_vec()];
    matching.iter().position(|part| crate::matching::check(std::slice::from_ref(part), &lists, |_| true).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::Board;

    #[test]
    fn pictures_show_marks_and_parts() {
        let mut position = Position::new(Board::parse_mnk("3x2x3").unwrap().hypergraph().unwrap());
        position.claim(Player::X, 0);
        position.claim(Player::O, 5);
        let matching = [Part::Pair([1, 2])];
        assert_eq!(to_text(&position, &matching).unwrap(), "X a a\n. . O\n");
        let svg = to_svg(&position, Player::X, &matching).unwrap();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (1, 2));
    }

    #[test]
    fn cubes_are_drawn_layer_by_layer() {
        let position = Position::new(Board::parse_cube("2^3").unwrap().hypergraph().unwrap());
        assert_eq!(to_text(&position, &[]).unwrap(), ". .   . .\n. .   . .\n");
    }
}
