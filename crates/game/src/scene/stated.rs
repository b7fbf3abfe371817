//! Boards that rulesheets state, as facts:
//!
//! * `(picture_cell C X Y)`: the middle of the cell `C`, in hundredths of a unit to the right and down.
//! * `(picture_corner C K X Y)`: the corner `K` of its outline, 0, 1, …; a cell without corners is a point.
//! * `(picture_link C X1 Y1 X2 Y2)`: the cell `C` is a line between two points.
//! * `(picture_label C S T)`: the label `T` on the side `S` of the cell `C`, which is `above`, `below` or `left`.
//! * `(picture_line S X1 Y1 X2 Y2)`: a line of the board, which belongs to the role or side `S`; a plain one if `S` is `board`.
//!
//! A cell is one argument, or several, which all cells have as many of: `(picture_cell 1 2 X Y)` is the cell that
//! `(stone red 1 2)` is about.

use crate::canonical;
use ludolog_logic::analysis::clause::CheckedProgram;
use ludolog_picture::{
    BoardLine, Geometry, LabelSide, Outline, PictureCell, PictureLabel, PicturePoint, Weight, owners,
};
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

/// The predicates that state a picture.
const PREDICATES: [&str; 5] = ["picture_cell", "picture_corner", "picture_link", "picture_label", "picture_line"];

/// The sides of cells on which labels stand, by their names.
const SIDES: [(&str, LabelSide); 3] =
    [("above", LabelSide::Above), ("below", LabelSide::Below), ("left", LabelSide::Left)];

/// Why the picture that a rulesheet states cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPicture {
    /// The predicate is derived by rules.
    Derived(&'static str),
    /// The fact is not of the form that is given besides.
    Form(String, &'static str),
    /// The two cells have different numbers of arguments.
    Arities(String, String),
    /// The fact has a coordinate that is too far from the origin.
    TooFar(String),
    /// The cell has several places.
    SeveralPlaces(String),
    /// The cell has corners or a label, and no place.
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
                write!(f, "`{fact}` states no picture; write {form}")
            }
            NoPicture::Arities(cell, other) => {
                write!(f, "the cells `{cell}` and `{other}` have different numbers of arguments; name all by as many")
            }
            NoPicture::TooFar(fact) => {
                write!(f, "`{fact}` is too far away; coordinates go from −{FARTHEST} to {FARTHEST}")
            }
            NoPicture::SeveralPlaces(cell) => {
                write!(f, "the cell `{cell}` has several places; state one `picture_cell` or `picture_link` for it")
            }
            NoPicture::NoPlace(cell) => {
                write!(f, "the cell `{cell}` has corners or a label and no place; state its `picture_cell`")
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
pub struct StatedBoard {
    /// The board; the roles own first, in order, then the other sides.
    pub geometry: Geometry,
    /// The numbers of cells, by the arguments that name them.
    pub cells: FxHashMap<Box<[Term]>, usize>,
    /// The number of arguments that name a cell.
    pub arity: usize,
}

impl StatedBoard {
    /// The board that a rulesheet states; `None` if it states none. Cells are in the order of their terms.
    ///
    /// # Errors
    ///
    /// Faults of the facts.
    pub fn of(program: &CheckedProgram, roles: &[Term]) -> Result<Option<StatedBoard>, NoPicture> {
        let is_derived = |name: &&str| program.rules.iter().any(|rule| rule.head.predicate == *name);
        if let Some(name) = PREDICATES.into_iter().find(is_derived) {
            return Err(NoPicture::Derived(name));
        }
        let mut stated = PictureFacts::default();
        program.facts.iter().try_for_each(|fact| stated.enter(fact))?;
        if stated.places.is_empty() && stated.links.is_empty() && stated.corners.is_empty() {
            return Ok(None);
        }
        stated.board(roles).map(Some)
    }
}

/// The facts that state a picture, by cells.
#[derive(Default)]
struct PictureFacts<'f> {
    places: BTreeMap<&'f [Term], PicturePoint>,
    links: BTreeMap<&'f [Term], [PicturePoint; 2]>,
    corners: BTreeMap<&'f [Term], BTreeMap<i64, PicturePoint>>,
    labels: Vec<(&'f [Term], LabelSide, String)>,
    lines: Vec<(&'f Term, [PicturePoint; 2])>,
}

impl<'f> PictureFacts<'f> {
    /// Enters a fact if it states a part of a picture.
    fn enter(&mut self, fact: &'f Atom) -> Result<(), NoPicture> {
        match fact.predicate.written() {
            Some("picture_cell") => {
                let (cell, at) = cell_and(fact, 2, CELL)?;
                let [place] = points(fact, at, CELL)?;
                if self.places.insert(cell, place).is_some_and(|other| other != place) {
                    return Err(NoPicture::SeveralPlaces(name(cell)));
                }
            }
            Some("picture_link") => {
                let (cell, at) = cell_and(fact, 4, LINK)?;
                let ends: [PicturePoint; 2] = points(fact, at, LINK)?;
                if self.links.insert(cell, ends).is_some_and(|other| other != ends) {
                    return Err(NoPicture::SeveralPlaces(name(cell)));
                }
            }
            Some("picture_corner") => {
                let (cell, [Term::Integer(number), at @ ..]) = cell_and(fact, 3, CORNER)? else {
                    return Err(NoPicture::Form(spell(fact), CORNER));
                };
                let [corner] = points(fact, at, CORNER)?;
                let before = self.corners.entry(cell).or_default().insert(*number, corner);
                if before.is_some_and(|other| other != corner) {
                    return Err(NoPicture::SeveralCorners(name(cell), *number));
                }
            }
            Some("picture_label") => self.labels.push(label(fact)?),
            Some("picture_line") => {
                let [side, at @ ..] = &*fact.args else { return Err(NoPicture::Form(spell(fact), LINE)) };
                self.lines.push((side, points(fact, at, LINE)?));
            }
            _ => {}
        }
        Ok(())
    }

    /// The board of these facts.
    fn board(mut self, roles: &[Term]) -> Result<StatedBoard, NoPicture> {
        let cells = self.places.len() + self.links.len();
        let drawn = cells.max(self.lines.len()).max(self.corners.len()).max(self.labels.len());
        if drawn > MOST_CELLS {
            return Err(NoPicture::TooMany(drawn));
        }
        for (cell, [from, to]) in &self.links {
            let middle = PicturePoint::new((from.x + to.x) / 2, (from.y + to.y) / 2);
            self.places.entry(cell).or_insert(middle);
        }
        let first = self.places.keys().next().copied().unwrap_or_default();
        if let Some(other) = self.places.keys().find(|cell| cell.len() != first.len()) {
            return Err(NoPicture::Arities(name(first), name(other)));
        }
        let made = self.cells()?;
        let cells: FxHashMap<Box<[Term]>, usize> = self.places.keys().map(|&cell| cell.into()).zip(0..).collect();
        let beside = |(cell, side, text): (&[Term], LabelSide, String)| match cells.get(cell) {
            Some(&cell) => Ok(PictureLabel { cell, side, text }),
            None => Err(NoPicture::NoPlace(name(cell))),
        };
        let labels = self.labels.into_iter().map(beside).collect::<Result<_, _>>()?;
        let has_polygons = made.iter().any(|cell| matches!(cell.outline, Outline::Polygon(_)));
        let (names, lines) = lines_of(&self.lines, roles, has_polygons);
        let geometry = Geometry { cells: made, lines, labels, owners: owners(names) };
        Ok(StatedBoard { geometry, cells, arity: first.len() })
    }

    /// The cells with their outlines, in the order of their terms.
    fn cells(&self) -> Result<Vec<PictureCell>, NoPicture> {
        if let Some(cell) = self.corners.keys().find(|cell| !self.places.contains_key(*cell)) {
            return Err(NoPicture::NoPlace(name(cell)));
        }
        let cell = |(&cell, &center): (&&[Term], &PicturePoint)| {
            let corners = self.corners.get(cell).map(|corners| corners.values().copied().collect::<Vec<_>>());
            let outline = match (corners, self.links.get(cell)) {
                (Some(_), Some(_)) => return Err(NoPicture::LinkWithCorners(name(cell))),
                (Some(corners), None) if corners.len() < 3 => return Err(NoPicture::FewCorners(name(cell))),
                (Some(corners), None) => Outline::Polygon(corners),
                (None, Some(&[from, to])) => Outline::Segment(from, to),
                (None, None) => Outline::Point,
            };
            Ok(PictureCell { name: name(cell), center, outline })
        };
        self.places.iter().map(cell).collect()
    }
}

const CELL: &str = "`(picture_cell C X Y)` with integers X and Y";
const LINK: &str = "`(picture_link C X1 Y1 X2 Y2)` with integers for both points";
const CORNER: &str = "`(picture_corner C K X Y)` with integers K, X and Y";
const LABEL: &str = "`(picture_label C S T)` with `above`, `below` or `left` for S and a constant T";
const LINE: &str = "`(picture_line S X1 Y1 X2 Y2)` with integers for both points";

/// The arguments of a fact that name its cell, and the last ones, as many as said.
fn cell_and<'f>(fact: &'f Atom, last: usize, form: &'static str) -> Result<(&'f [Term], &'f [Term]), NoPicture> {
    match fact.args.len().checked_sub(last) {
        None | Some(0) => Err(NoPicture::Form(spell(fact), form)),
        Some(arity) => Ok(fact.args.split_at(arity)),
    }
}

/// The name of the cell that these arguments name.
fn name(cell: &[Term]) -> String {
    cell.iter().map(canonical::text).collect::<Vec<_>>().join(" ")
}

/// The cell, the side and the text of a label.
fn label(fact: &Atom) -> Result<(&[Term], LabelSide, String), NoPicture> {
    let (cell, [Term::Symbol(side), text @ (Term::Symbol(_) | Term::Integer(_))]) = cell_and(fact, 2, LABEL)? else {
        return Err(NoPicture::Form(spell(fact), LABEL));
    };
    match SIDES.iter().find(|(name, _)| *name == &**side) {
        Some(&(_, side)) => Ok((cell, side, canonical::text(text))),
        None => Err(NoPicture::Form(spell(fact), LABEL)),
    }
}

/// The names of the owners, and the lines. Sides of cells are broad borders below them, other lines lie above.
fn lines_of(lines: &[(&Term, [PicturePoint; 2])], roles: &[Term], has_polygons: bool) -> (Vec<String>, Vec<BoardLine>) {
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
        BoardLine { points: ends.to_vec(), owner, weight }
    });
    let made = made.collect();
    (names, made)
}

/// The points of the last arguments of a fact.
fn points<const N: usize>(fact: &Atom, at: &[Term], form: &'static str) -> Result<[PicturePoint; N], NoPicture> {
    let wrong = || NoPicture::Form(spell(fact), form);
    if at.len() != 2 * N {
        return Err(wrong());
    }
    let mut points = [PicturePoint::default(); N];
    for (point, pair) in points.iter_mut().zip(at.chunks(2)) {
        let [Term::Integer(x), Term::Integer(y)] = pair else { return Err(wrong()) };
        if [x, y].into_iter().any(|at| !(-FARTHEST..=FARTHEST).contains(at)) {
            return Err(NoPicture::TooFar(spell(fact)));
        }
        *point = PicturePoint::new(*x as i32, *y as i32);
    }
    Ok(points)
}

fn spell(fact: &Atom) -> String {
    canonical::text(&Term::compound(fact.predicate.text(), fact.args.clone()))
}
