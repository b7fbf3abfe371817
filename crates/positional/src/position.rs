//! Positions: the marks of both players on a hypergraph, and who is to move.

use crate::hypergraph::Hypergraph;
use crate::points::{MAX_POINTS, Point, Points};
use std::fmt;

/// A player, named by the mark: X begins on an empty board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Moves first on an empty board.
    X,
    /// Moves second on an empty board.
    O,
}

impl Player {
    /// Both, X first.
    pub const BOTH: [Player; 2] = [Player::X, Player::O];

    /// The other one.
    pub fn opponent(self) -> Player {
        match self {
            Player::X => Player::O,
            Player::O => Player::X,
        }
    }

    /// `x` or `o`, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Player::X => "x",
            Player::O => "o",
        }
    }

    /// The player of a name.
    pub fn of_name(name: &str) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| player.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::X => "X",
            Player::O => "O",
        })
    }
}

/// A position of a positional game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    game: Hypergraph,
    marks: Vec<Option<Player>>,
    /// Who moves.
    pub to_move: Player,
    /// A name for people.
    pub name: Option<String>,
    /// The source of the position.
    pub from: Option<String>,
}

impl Position {
    /// The position without marks; X is to move.
    pub fn new(game: Hypergraph) -> Position {
        Position { marks: vec![None; game.len()], game, to_move: Player::X, name: None, from: None }
    }

    /// The game.
    pub fn game(&self) -> &Hypergraph {
        &self.game
    }

    /// Who has claimed the point.
    pub fn mark(&self, point: Point) -> Option<Player> {
        self.marks[point as usize]
    }

    /// Claims a point for a player; `false`, and nothing changes, if it is claimed.
    pub fn claim(&mut self, player: Player, point: Point) -> bool {
        let is_free = self.marks[point as usize].is_none();
        if is_free {
            self.marks[point as usize] = Some(player);
        }
        is_free
    }

    /// Takes the mark of a point away.
    pub fn release(&mut self, point: Point) {
        self.marks[point as usize] = None;
    }

    /// The points of a player, ascending.
    pub fn claimed(&self, player: Player) -> impl Iterator<Item = Point> {
        let of_player =
            move |(point, mark): (usize, &Option<Player>)| (*mark == Some(player)).then_some(point as Point);
        self.marks.iter().enumerate().filter_map(of_player)
    }

    /// The first winning set of which a player has claimed every point.
    pub fn complete_set(&self, player: Player) -> Option<&[Point]> {
        let is_complete = |set: &&Vec<Point>| set.iter().all(|&point| self.mark(point) == Some(player));
        self.game.sets().iter().find(is_complete).map(Vec::as_slice)
    }

    /// The player who has claimed a whole winning set; X if both have, which cannot come about in play.
    pub fn winner(&self) -> Option<Player> {
        Player::BOTH.into_iter().find(|&player| self.complete_set(player).is_some())
    }

    /// The winning sets that a player may still claim, those without a mark of the opponent, as the points that are
    /// missing. A set that is claimed is empty.
    pub fn open_sets(&self, player: Player) -> Vec<Vec<Point>> {
        let is_open = |set: &&Vec<Point>| set.iter().all(|&point| self.mark(point) != Some(player.opponent()));
        let missing = |set: &Vec<Point>| set.iter().copied().filter(|&point| self.mark(point).is_none()).collect();
        self.game.sets().iter().filter(is_open).map(missing).collect()
    }

    /// The position as bits.
    ///
    /// # Errors
    ///
    /// The game has more than [`MAX_POINTS`] points.
    pub fn bits(&self) -> Result<PositionBits, TooManyPoints> {
        let sets = self.game.as_bits().ok_or(TooManyPoints(self.game.len()))?;
        let [x, o] = Player::BOTH.map(|player| self.claimed(player).collect());
        Ok(PositionBits { sets, all: (0..self.game.len() as Point).collect(), x, o })
    }
}

/// A game has this many points, more than [`MAX_POINTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPoints(pub usize);

impl fmt::Display for TooManyPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the game has {} points; games are searched up to {MAX_POINTS}", self.0)
    }
}

impl std::error::Error for TooManyPoints {}

/// Winning sets and marks as bits.
#[derive(Clone, Debug)]
pub struct PositionBits {
    /// The winning sets.
    pub sets: Vec<Points>,
    /// All points.
    pub all: Points,
    /// Claimed by X.
    pub x: Points,
    /// Claimed by O.
    pub o: Points,
}

impl PositionBits {
    /// The points of a player.
    pub fn of(&self, player: Player) -> Points {
        match player {
            Player::X => self.x,
            Player::O => self.o,
        }
    }

    /// As [`Position::open_sets`].
    pub fn open_sets(&self, player: Player) -> Vec<Points> {
        let own = self.of(player);
        let other = self.of(player.opponent());
        self.sets.iter().filter(|set| !set.meets(other)).map(|&set| set - own).collect()
    }

    /// Points that nobody has claimed.
    pub fn free(&self) -> Points {
        self.all - self.x - self.o
    }
}
