//! Hypergraphs of winning sets, and the two families of boards that games are played on.

use crate::points::{MAX_POINTS, Point, Points};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Most winning sets of a generated board: more would not fit into memory comfortably.
const MAX_SETS: usize = 1 << 20;

/// Sets that are looked at between two checks of the budget.
const POLL_EVERY: u32 = 1 << 12;

/// A finite set of points, and winning sets of them.
///
/// Winning sets are not empty, have each point once, ascending, and differ from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypergraph {
    names: Vec<String>,
    sets: Vec<Vec<Point>>,
    /// Column and row of each point on a drawing, if the game has a board.
    places: Option<Vec<(usize, usize)>>,
    /// The name of the board in files, as in `mnk: 4x4x4`.
    board: Option<PointBoard>,
}

/// A board from which winning sets follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointBoard {
    /// `k` points in a row, a column or a diagonal of a board with `width` columns and `height` rows.
    Mnk {
        /// The number of columns.
        width: usize,
        /// The number of rows.
        height: usize,
        /// The number of points in a line.
        k: usize,
    },
    /// The lines of `side` points in a cube of that side in `dimensions` dimensions: 3-D tic-tac-toe and its relatives.
    Cube {
        /// The number of points of an edge, and of a line.
        side: usize,
        /// The number of dimensions.
        dimensions: u32,
    },
}

/// Why points and sets are no hypergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoHypergraph {
    /// A winning set has no points: the game would be over before it begins. The number of the set, from 0.
    EmptySet(usize),
    /// A winning set has a point twice. The number of the set, from 0, and the point.
    Twice(usize, Point),
    /// A board has no points, or lines of no points.
    NoBoard(PointBoard),
    /// A board has more points or lines than can be kept.
    TooLarge(PointBoard),
}

impl fmt::Display for NoHypergraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoHypergraph::EmptySet(set) => write!(f, "winning set {} has no points", set + 1),
            NoHypergraph::Twice(set, point) => write!(f, "winning set {} has point {point} twice", set + 1),
            NoHypergraph::NoBoard(board) => {
                write!(f, "{board} is no board: sides, lengths and dimensions are at least 1")
            }
            NoHypergraph::TooLarge(board) => write!(f, "{board} has more points or lines than {MAX_SETS}"),
        }
    }
}

impl std::error::Error for NoHypergraph {}

impl fmt::Display for PointBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PointBoard::Mnk { width, height, k } => write!(f, "{width}x{height}x{k}"),
            PointBoard::Cube { side, dimensions } => write!(f, "{side}^{dimensions}"),
        }
    }
}

impl PointBoard {
    /// Reads `4x5x4`: columns, rows, points in a line.
    pub fn parse_mnk(text: &str) -> Option<PointBoard> {
        let mut numbers = text.split('x').map(|part| part.trim().parse::<u16>().ok().map(usize::from));
        let board = PointBoard::Mnk { width: numbers.next()??, height: numbers.next()??, k: numbers.next()?? };
        numbers.next().is_none().then_some(board)
    }

    /// Reads `3^3`: side, dimensions.
    pub fn parse_cube(text: &str) -> Option<PointBoard> {
        let (side, dimensions) = text.split_once('^')?;
        let side = usize::from(side.trim().parse::<u16>().ok()?);
        Some(PointBoard::Cube { side, dimensions: u32::from(dimensions.trim().parse::<u8>().ok()?) })
    }

    /// The game on the empty board.
    ///
    /// # Errors
    ///
    /// [`NoHypergraph::NoBoard`], [`NoHypergraph::TooLarge`].
    pub fn hypergraph(self) -> Result<Hypergraph, NoHypergraph> {
        match self {
            PointBoard::Mnk { width, height, k } => self.mnk(width, height, k),
            PointBoard::Cube { side, dimensions } => self.cube(side, dimensions),
        }
    }

    fn mnk(self, width: usize, height: usize, k: usize) -> Result<Hypergraph, NoHypergraph> {
        if width == 0 || height == 0 || k == 0 {
            return Err(NoHypergraph::NoBoard(self));
        }
        if width * height > MAX_SETS / 4 {
            return Err(NoHypergraph::TooLarge(self));
        }
        let places: Vec<(usize, usize)> = (0..width * height).map(|point| (point % width, point / width)).collect();
        let mut sets = Vec::new();
        for &(x, y) in &places {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let line: Option<Vec<Point>> = (0..k as isize)
                    .map(|step| {
                        let x = x.checked_add_signed(dx * step)?;
                        let y = y.checked_add_signed(dy * step)?;
                        (x < width && y < height).then_some((y * width + x) as Point)
                    })
                    .collect();
                sets.extend(line.map(|mut line| {
                    line.sort_unstable();
                    line
                }));
            }
        }
        // One point is a line in each direction.
        let mut seen = FxHashSet::default();
        sets.retain(|set| seen.insert(set.clone()));
        let names = places.iter().map(|&(x, y)| format!("{}{}", letters(x), y + 1)).collect();
        Ok(Hypergraph { names, sets, places: Some(places), board: Some(self) })
    }

    /// A line is a point that moves from edge to edge: each coordinate rises, falls, or keeps its value, and not all
    /// keep.
    fn cube(self, side: usize, dimensions: u32) -> Result<Hypergraph, NoHypergraph> {
        if side == 0 || dimensions == 0 {
            return Err(NoHypergraph::NoBoard(self));
        }
        let size = side.checked_pow(dimensions).filter(|&size| size <= MAX_SETS);
        let lines = (side + 2).checked_pow(dimensions).filter(|&lines| lines <= 2 * MAX_SETS);
        let (Some(size), Some(lines)) = (size, lines) else { return Err(NoHypergraph::TooLarge(self)) };
        let digits = |mut number: usize, base: usize| -> Vec<usize> {
            let digit = |_| {
                let digit = number % base;
                number /= base;
                digit
            };
            (0..dimensions).map(digit).collect()
        };
        // A digit below the side is a fixed coordinate, the two others rise and fall.
        let mut sets: Vec<Vec<Point>> = Vec::new();
        for line in 0..lines {
            let line = digits(line, side + 2);
            // Of a line and its reverse take the one whose first moving coordinate rises.
            if line.iter().find(|&&digit| digit >= side) != Some(&side) {
                continue;
            }
            let point = |step: usize| {
                let coordinate = |&digit: &usize| match digit {
                    fixed if fixed < side => fixed,
                    rising if rising == side => step,
                    _ => side - 1 - step,
                };
                line.iter().rev().fold(0, |point, digit| point * side + coordinate(digit)) as Point
            };
            let mut set: Vec<Point> = (0..side).map(point).collect();
            set.sort_unstable();
            sets.push(set);
        }
        let mut seen = FxHashSet::default();
        sets.retain(|set| seen.insert(set.clone()));
        let coordinates: Vec<Vec<usize>> = (0..size).map(|point| digits(point, side)).collect();
        let names = coordinates.iter().map(|at| match at[..] {
            [x] => letters(x),
            [x, y, ref more @ ..] => {
                let more: String = more.iter().map(|z| format!(".{}", z + 1)).collect();
                format!("{}{}{more}", letters(x), y + 1)
            }
            [] => unreachable!("there is a dimension"),
        });
        // Odd dimensions go across, even ones down, blocks a column or row apart.
        let along = |at: &[usize], first: usize| {
            at.iter().skip(first).step_by(2).fold((0, 1), |(place, unit), z| (place + z * unit, unit * side + 1)).0
        };
        let places = coordinates.iter().map(|at| (along(at, 0), along(at, 1))).collect();
        Ok(Hypergraph { names: names.collect(), sets, places: Some(places), board: Some(self) })
    }
}

/// The name of a column, from 0: `a` to `z`, then `aa`, `ab`, ….
pub fn letters(mut number: usize) -> String {
    let mut name = Vec::new();
    loop {
        name.push(b'a' + (number % 26) as u8);
        match (number / 26).checked_sub(1) {
            Some(rest) => number = rest,
            None => break name.iter().rev().map(|&letter| char::from(letter)).collect(),
        }
    }
}

impl Hypergraph {
    /// A hypergraph of named points. Equal sets are kept once.
    ///
    /// # Errors
    ///
    /// [`NoHypergraph::EmptySet`], [`NoHypergraph::Twice`].
    ///
    /// # Panics
    ///
    /// If a set has a point without a name.
    pub fn new(names: Vec<String>, sets: Vec<Vec<Point>>) -> Result<Hypergraph, NoHypergraph> {
        let mut kept = Vec::with_capacity(sets.len());
        let mut seen: FxHashSet<Vec<Point>> = FxHashSet::default();
        for (number, mut set) in sets.into_iter().enumerate() {
            assert!(set.iter().all(|&point| (point as usize) < names.len()), "points have names");
            set.sort_unstable();
            if set.is_empty() {
                return Err(NoHypergraph::EmptySet(number));
            }
            if let Some(pair) = set.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(NoHypergraph::Twice(number, pair[0]));
            }
            if seen.insert(set.clone()) {
                kept.push(set);
            }
        }
        Ok(Hypergraph { names, sets: kept, places: None, board: None })
    }

    /// The hypergraph of sets that are written as words of one letter a point, as the literature does: `abc`, `adg`, ….
    ///
    /// # Panics
    ///
    /// If a word is empty, has a letter twice, or another character than `a` to `z`.
    pub fn of_words(words: &[&str]) -> Hypergraph {
        let most = words.iter().flat_map(|word| word.bytes()).max().unwrap_or(b'a');
        let names = (b'a'..=most).map(|letter| char::from(letter).to_string()).collect();
        let point = |letter: u8| {
            assert!(letter.is_ascii_lowercase(), "points are letters");
            Point::from(letter - b'a')
        };
        let sets = words.iter().map(|word| word.bytes().map(point).collect());
        Hypergraph::new(names, sets.collect()).expect("words are sets")
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The winning sets.
    pub fn sets(&self) -> &[Vec<Point>] {
        &self.sets
    }

    /// The name of a point.
    pub fn name(&self, point: Point) -> &str {
        &self.names[point as usize]
    }

    /// The names of all points, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of each name.
    pub fn numbers(&self) -> FxHashMap<&str, Point> {
        self.names.iter().enumerate().map(|(point, name)| (name.as_str(), point as Point)).collect()
    }

    /// The board, if the winning sets follow from one.
    pub fn board(&self) -> Option<PointBoard> {
        self.board
    }

    /// Column and row of each point on a drawing, if the game has a board.
    pub fn places(&self) -> Option<&[(usize, usize)]> {
        self.places.as_deref()
    }

    /// The winning sets as bits; `None` with more than [`MAX_POINTS`] points.
    pub fn as_bits(&self) -> Option<Vec<Points>> {
        let bits = |set: &Vec<Point>| set.iter().copied().collect();
        (self.len() <= MAX_POINTS).then(|| self.sets.iter().map(bits).collect())
    }

    /// The number of pairs of winning sets that have more than one common point: such sets *overlap*.
    ///
    /// # Errors
    ///
    /// The budget ends: the work grows with the number of pairs of sets through a point.
    pub fn overlapping(&self, budget: &Budget) -> Result<usize, Stopped> {
        let mut through: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for (number, set) in self.sets.iter().enumerate() {
            set.iter().for_each(|&point| through[point as usize].push(number as u32));
        }
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut overlapping = 0;
        let mut common = vec![0u32; self.sets.len()];
        for (number, set) in self.sets.iter().enumerate() {
            let later = || set.iter().flat_map(|&point| &through[point as usize]).filter(|&&set| set as usize > number);
            for &other in later() {
                poll.step()?;
                common[other as usize] += 1;
                overlapping += usize::from(common[other as usize] == 2);
            }
            later().for_each(|&other| common[other as usize] = 0);
        }
        Ok(overlapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_as_many_lines_as_counted_by_hand() {
        let lines = |text: &str| {
            let board = PointBoard::parse_mnk(text).or_else(|| PointBoard::parse_cube(text)).expect("a board");
            board.hypergraph().expect("a hypergraph").sets().len()
        };
        // ((n + 2)^d - n^d) / 2 lines in a cube.
        assert_eq!(["3^2", "3^3", "4^3", "3^4"].map(lines), [8, 49, 76, 272]);
        assert_eq!(["3x3x3", "4x4x4", "5x5x4", "1x1x1", "2x2x3", "3x1x2"].map(lines), [8, 10, 28, 1, 0, 2]);
        assert_eq!(PointBoard::parse_mnk("4x4"), None);
        assert_eq!(PointBoard::parse_cube("3^"), None);
    }

    #[test]
    fn lines_of_a_square_overlap_only_where_they_are_shorter_than_it() {
        let overlapping = |text| {
            PointBoard::parse_mnk(text).unwrap().hypergraph().unwrap().overlapping(&Budget::unlimited()).unwrap()
        };
        assert_eq!(overlapping("4x4x4"), 0);
        // On 5x5 each of five rows and columns and each long diagonal has two lines.
        assert_eq!(overlapping("5x5x4"), 12);
    }

    #[test]
    fn names_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 52].map(letters), ["a", "z", "aa", "ab", "ba"]);
    }

    #[test]
    fn malformed_sets_are_told() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(Hypergraph::new(names(), vec![vec![0], vec![]]), Err(NoHypergraph::EmptySet(1)));
        assert_eq!(Hypergraph::new(names(), vec![vec![1, 0, 1]]), Err(NoHypergraph::Twice(0, 1)));
        assert_eq!(Hypergraph::new(names(), vec![vec![1, 0], vec![0, 1]]).unwrap().sets(), [[0, 1]]);
    }
}
