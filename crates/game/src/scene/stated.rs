//! Boards that rulesheets state, as facts:
//!
//! * `(picture_cell C X Y)`: the middle of the cell `C`, in hundredths of a unit to the right and down.
//! * `(picture_corner C K X Y)`: the corner `K` of its outline, 0, 1, …; a cell without corners is a point.
//! * `(picture_link C X1 Y1 X2 Y2)`: the cell `C` is a line between two points.
//! * `(picture_line S X1 Y1 X2 Y2)`: a line of the board, which belongs to the role or side `S`; a plain one if `S` is `board`.

use crate::canonical;
use ludolog_logic::analysis::clause::CheckedProgram;
use ludolog_picture::{Cell, Geometry, Line, Outline, Point, Weight, owners};
use ludolog_syntax::ast::{Atom, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;

/// Most cells, and most lines, of a picture: no picture of more can be read.
pub const MOST_CELLS: usize = 20_000;

/// Most hundredths of a unit from the origin.
pub const FARTHEST: i64 = 1_000_000;

/// The owner of plain lines.
const PLAIN: &str = "board";

/// The predicates that state a picture, with their arities.
const PREDICATES: [(&str, usize); 4] =
    [("picture_cell", 3), ("picture_corner", 4), ("picture_link", 5), ("picture_line", 5)];

/// Why the picture that a rulesheet states cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPicture {
    /// The predicate is derived by rules.
    Derived(&'static str),
    /// The fact is not of the form that is given besides.
    Form(String, &'static str),
    /// The fact has a coordinate that is too far from the origin.
    TooFar(String),
    /// The cell has several places.
    SeveralPlaces(String),
    /// The cell has corners or is a line, and has no place.
    NoPlace(String),
    /// The cell has several corners with this number.
    SeveralCorners(String, i64),
    /// The cell has one corner or two, which enclose nothing.
    FewCorners(String),
    /// The cell is a line and has corners.
    LinkWithCorners(String),
    /// There are more cells or lines than can be drawn.
    TooMany(usize),
}

impl fmt::Display for NoPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPicture::Derived(predicate) => write!(f, "`{predicate}` is derived by rules; state its facts"),
            NoPicture::Form(fact, form) => {
                write!(f, "`{fact}` states no picture; write `{form}` with integers for places")
            }
            NoPicture::TooFar(fact) => {
                write!(f, "`{fact}` is too far away; coordinates go from −{FARTHEST} to {FARTHEST}")
            }
            NoPicture::SeveralPlaces(cell) => {
                write!(f, "the cell `{cell}` has several places; state one `picture_cell` or `picture_link` for it")
            }
            NoPicture::NoPlace(cell) => {
                write!(f, "the cell `{cell}` has corners and no place; state its `picture_cell`")
            }
            NoPicture::SeveralCorners(cell, number) => {
                write!(f, "the cell `{cell}` has several corners {number}; number them 0, 1, … around it")
            }
            NoPicture::FewCorners(cell) => {
                write!(f, "the cell `{cell}` has fewer than three corners; state more `picture_corner` for it, or none")
            }
            NoPicture::LinkWithCorners(cell) => {
                write!(f, "the cell `{cell}` has `picture_link` and `picture_corner`; state one of them")
            }
            NoPicture::TooMany(count) => {
                write!(f, "{count} cells and lines are too many for a picture, which may have {MOST_CELLS} of each")
            }
        }
    }
}

impl std::error::Error for NoPicture {}

/// The board that a rulesheet states.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The board; the roles own first, in order, then the other sides.
    pub geometry: Geometry,
    /// By cell: its number.
    pub cells: FxHashMap<Term, usize>,
}

impl Stated {
    /// The board that a rulesheet states; `None` if it states none. Cells are in the order of their terms.
    ///
    /// # Errors
    ///
    /// What is wrong with the facts.
    pub fn of(program: &CheckedProgram, roles: &[Term]) -> Result<Option<Stated>, NoPicture> {
        let is_derived = |(name, arity): &&(&str, usize)| {
            program.rules.iter().any(|rule| &*rule.head.predicate == *name && rule.head.args.len() == *arity)
        };
        if let Some((name, _)) = PREDICATES.iter().find(is_derived) {
            return Err(NoPicture::Derived(name));
        }
        let mut places: BTreeMap<&Term, Point> = BTreeMap::new();
        let mut links: BTreeMap<&Term, [Point; 2]> = BTreeMap::new();
        let mut corners: BTreeMap<&Term, BTreeMap<i64, Point>> = BTreeMap::new();
        let mut lines = Vec::new();
        for fact in &program.facts {
            match (&*fact.predicate, &*fact.args) {
                ("picture_cell", [cell, at @ ..]) => {
                    let [place] = points(fact, at, "(picture_cell C X Y)")?;
                    if places.insert(cell, place).is_some_and(|other| other != place) {
                        return Err(NoPicture::SeveralPlaces(canonical::text(cell)));
                    }
                }
                ("picture_link", [cell, at @ ..]) => {
                    let ends: [Point; 2] = points(fact, at, "(picture_link C X1 Y1 X2 Y2)")?;
                    if links.insert(cell, ends).is_some_and(|other| other != ends) {
                        return Err(NoPicture::SeveralPlaces(canonical::text(cell)));
                    }
                }
                ("picture_corner", [cell, Term::Integer(number), at @ ..]) => {
                    let [corner] = points(fact, at, CORNER)?;
                    let before = corners.entry(cell).or_default().insert(*number, corner);
                    if before.is_some_and(|other| other != corner) {
                        return Err(NoPicture::SeveralCorners(canonical::text(cell), *number));
                    }
                }
                ("picture_corner", _) => return Err(NoPicture::Form(spell(fact), CORNER)),
                ("picture_line", [side, at @ ..]) => {
                    let ends: [Point; 2] = points(fact, at, "(picture_line S X1 Y1 X2 Y2)")?;
                    lines.push((side, ends));
                }
                _ => {}
            }
        }
        if places.is_empty() && links.is_empty() && corners.is_empty() {
            return Ok(None);
        }
        let drawn = (places.len() + links.len()).max(lines.len()).max(corners.len());
        if drawn > MOST_CELLS {
            return Err(NoPicture::TooMany(drawn));
        }
        for (cell, [from, to]) in &links {
            let middle = Point::new((from.x + to.x) / 2, (from.y + to.y) / 2);
            places.entry(cell).or_insert(middle);
        }
        let mut made = Vec::new();
        for (&cell, &center) in &places {
            let corners = corners.remove(cell).map(|corners| corners.into_values().collect::<Vec<_>>());
            let outline = match (corners, links.get(cell)) {
                (Some(_), Some(_)) => return Err(NoPicture::LinkWithCorners(canonical::text(cell))),
                (Some(corners), None) if corners.len() < 3 => {
                    return Err(NoPicture::FewCorners(canonical::text(cell)));
                }
                (Some(corners), None) => Outline::Polygon(corners),
                (None, Some(&[from, to])) => Outline::Segment(from, to),
                (None, None) => Outline::Point,
            };
            made.push(Cell { name: canonical::text(cell), center, outline });
        }
        if let Some(cell) = corners.keys().next() {
            return Err(NoPicture::NoPlace(canonical::text(cell)));
        }
        let has_polygons = made.iter().any(|cell| matches!(cell.outline, Outline::Polygon(_)));
        let (names, lines) = lines_of(&lines, roles, has_polygons);
        let geometry = Geometry { cells: made, lines, labels: Vec::new(), owners: owners(names) };
        let cells = places.into_keys().cloned().zip(0..).collect();
        Ok(Some(Stated { geometry, cells }))
    }
}

const CORNER: &str = "(picture_corner C K X Y)";

/// The names of the owners, and the lines. Sides of cells are broad borders below them, other lines lie above.
fn lines_of(lines: &[(&Term, [Point; 2])], roles: &[Term], has_polygons: bool) -> (Vec<String>, Vec<Line>) {
    let mut names: Vec<String> = roles.iter().map(canonical::text).collect();
    let made = lines.iter().map(|(side, ends)| {
        let name = canonical::text(side);
        let owner = (name != PLAIN).then(|| {
            names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        });
        let weight = match owner {
            None => Weight::Thin,
            Some(_) if has_polygons => Weight::Border,
            Some(_) => Weight::Thick,
        };
        Line { points: ends.to_vec(), owner, weight }
    });
    let made = made.collect();
    (names, made)
}

/// The points of the last arguments of a fact.
fn points<const N: usize>(fact: &Atom, at: &[Term], form: &'static str) -> Result<[Point; N], NoPicture> {
    let wrong = || NoPicture::Form(spell(fact), form);
    if at.len() != 2 * N {
        return Err(wrong());
    }
    let mut points = [Point::default(); N];
    for (point, pair) in points.iter_mut().zip(at.chunks(2)) {
        let [Term::Integer(x), Term::Integer(y)] = pair else { return Err(wrong()) };
        if [x, y].into_iter().any(|at| !(-FARTHEST..=FARTHEST).contains(at)) {
            return Err(NoPicture::TooFar(spell(fact)));
        }
        *point = Point::new(*x as i32, *y as i32);
    }
    Ok(points)
}

fn spell(fact: &Atom) -> String {
    canonical::text(&Term::Compound(fact.predicate.clone(), fact.args.clone()))
}
