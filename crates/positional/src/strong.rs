//! Strong games: whether a player can win, by search with cut-offs.
//!
//! *P cannot win* is decided by all moves of P and one move of the other player B at each position. P has won when a
//! set of P's is complete before one of B's; B may draw or win. Sets of which one point is missing force replies. A
//! point is dead if every winning set through it has marks of both players; positions that differ in dead points alone
//! are one.
//!
//! If P moves and B has a pairing, or a matching, against the sets that P may still complete, P cannot win: a cut-off.

use crate::matching::{Cover, CoverTarget, MatchingPart};
use crate::points::{Point, Points};
use crate::position::{Player, Position, PositionBits, TooManyPoints};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::fmt;
use std::ops::BitOr;

/// Bytes of a remembered position in the table, about.
const BYTES_PER_POSITION: u64 = 80;

/// The winner under best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrongOutcome {
    /// This player wins.
    Win(Player),
    /// Nobody wins.
    Draw,
}

impl fmt::Display for StrongOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StrongOutcome::Win(player) => write!(f, "{player} wins"),
            StrongOutcome::Draw => write!(f, "a draw"),
        }
    }
}

/// The marks of a position, as the player of a search and the opponent have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marks {
    /// Of the player who wants to win.
    pub player: Points,
    /// Of the player who wants to prevent that.
    pub blocker: Points,
    /// Whether the player who wants to win is to move.
    pub player_moves: bool,
}

impl Marks {
    /// The marks after the move of who is to move.
    pub fn after(self, point: Point) -> Marks {
        if self.player_moves {
            Marks { player: self.player.with(point), player_moves: false, ..self }
        } else {
            Marks { blocker: self.blocker.with(point), player_moves: true, ..self }
        }
    }
}

/// The outcome of a position at sight, or the moves to try.
pub enum Sight {
    /// The player cannot win: there is no set left, or the blocker completes one of its own first.
    Held,
    /// The player completes a set.
    Won,
    /// These moves decide, the most urgent first.
    Moves(Vec<Point>),
}

/// The search whether a player can win, which remembers positions.
pub struct StrongSearch<'b> {
    sets: Vec<Points>,
    all: Points,
    /// The method that cuts off; `None` for nothing.
    cutoff: Option<CoverTarget>,
    cover: Cover,
    known: FxHashMap<(Marks, Points), bool>,
    budget: &'b Budget,
    nodes: u64,
}

impl<'b> StrongSearch<'b> {
    /// A search over these winning sets.
    pub fn new(bits: &PositionBits, cutoff: Option<CoverTarget>, budget: &'b Budget) -> StrongSearch<'b> {
        let sets = bits.sets.clone();
        let known = FxHashMap::default();
        StrongSearch { sets, all: bits.all, cutoff, cover: Cover::quick(), known, budget, nodes: 0 }
    }

    /// The number of positions that were looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the player cannot win. Nobody has a complete set.
    ///
    /// # Errors
    ///
    /// The budget ends, or the table has as many positions as its memory allows.
    pub fn holds(&mut self, marks: Marks) -> Result<bool, Stopped> {
        self.nodes += 1;
        let moves = match self.sight(marks) {
            Sight::Held => return Ok(true),
            Sight::Won => return Ok(false),
            Sight::Moves(moves) => moves,
        };
        let key = self.key(marks);
        if let Some(&holds) = self.known.get(&key) {
            return Ok(holds);
        }
        self.budget.check_bytes(self.known.len() as u64 * BYTES_PER_POSITION)?;
        // Where a reply is forced, matching sets are looked for after it.
        let is_forced = moves.len() == 1;
        let mut holds = !is_forced && self.matching(marks)?.is_some();
        if !holds {
            // The player needs one move that wins, the blocker one that holds.
            holds = marks.player_moves;
            for point in moves {
                if self.holds(marks.after(point))? != marks.player_moves {
                    holds = !marks.player_moves;
                    break;
                }
            }
        }
        self.known.insert(key, holds);
        Ok(holds)
    }

    /// The matching that cuts off at a position.
    ///
    /// # Errors
    ///
    /// The budget ends.
    pub fn matching(&mut self, marks: Marks) -> Result<Option<Vec<MatchingPart>>, Stopped> {
        let Some(effort) = self.cutoff.filter(|_| marks.player_moves) else { return Ok(None) };
        let open: Vec<Points> = self.open(marks.player, marks.blocker).collect();
        self.cover.find(&open, effort, self.budget)
    }

    /// The sets without a mark of the opponent, as what is missing.
    pub(crate) fn open(&self, own: Points, other: Points) -> impl Iterator<Item = Points> {
        self.sets.iter().filter(move |set| !set.meets(other)).map(move |&set| set - own)
    }

    /// The points that some winning set without marks of both players has.
    pub(crate) fn live(&self, marks: Marks) -> Points {
        let is_live = |set: &&Points| !(set.meets(marks.player) && set.meets(marks.blocker));
        self.sets.iter().filter(is_live).fold(Points::EMPTY, |live, &set| live | set)
    }

    /// The points that complete a set.
    pub(crate) fn singles(&self, own: Points, other: Points) -> Points {
        self.open(own, other).filter(|set| set.len() == 1).fold(Points::EMPTY, Points::bitor)
    }

    /// The outcome without search, if it is known.
    pub fn sight(&self, marks: Marks) -> Sight {
        if self.open(marks.player, marks.blocker).next().is_none() {
            return Sight::Held;
        }
        let wins = self.singles(marks.player, marks.blocker);
        let threats = self.singles(marks.blocker, marks.player);
        let (own, other) = if marks.player_moves { (wins, threats) } else { (threats, wins) };
        let (own_end, other_end) =
            if marks.player_moves { (Sight::Won, Sight::Held) } else { (Sight::Held, Sight::Won) };
        if !own.is_empty() {
            return own_end;
        }
        match other.len() {
            0 => Sight::Moves(self.moves(marks)),
            1 => Sight::Moves(other.iter().collect()),
            _ => other_end,
        }
    }

    /// Moves to live points, those in the fullest and most sets first. A move elsewhere is no better than any of them.
    fn moves(&self, marks: Marks) -> Vec<Point> {
        let free = self.live(marks) - marks.player - marks.blocker;
        let weight = |point: Point| -> u64 {
            let of = |own, other| {
                let through = self.open(own, other).filter(move |set| set.contains(point));
                through.map(|set| 1u64 << (4 * (12 - set.len().min(12)))).sum::<u64>()
            };
            of(marks.player, marks.blocker) + of(marks.blocker, marks.player)
        };
        let mut moves: Vec<(u64, Point)> = free.iter().map(|point| (weight(point), point)).collect();
        moves.sort_unstable_by_key(|&(weight, point)| (Reverse(weight), point));
        moves.into_iter().map(|(_, point)| point).collect()
    }

    /// The position without the colors of dead points, and the dead points.
    fn key(&self, marks: Marks) -> (Marks, Points) {
        let live = self.live(marks);
        (Marks { player: marks.player & live, blocker: marks.blocker & live, ..marks }, self.all - live)
    }
}

impl Position {
    /// The marks for the question whether a player can win.
    ///
    /// # Errors
    ///
    /// There are too many points.
    pub fn marks(&self, player: Player) -> Result<(PositionBits, Marks), TooManyPoints> {
        let bits = self.bits()?;
        let marks = Marks {
            player: bits.of(player),
            blocker: bits.of(player.opponent()),
            player_moves: self.to_move == player,
        };
        Ok((bits, marks))
    }
}

/// A solved position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrongResult {
    /// The winner under best play.
    pub outcome: StrongOutcome,
    /// The number of positions that were looked at.
    pub nodes: u64,
}

/// Why a position is not solved.
#[derive(Clone, Debug, PartialEq)]
pub enum StrongUnsolved {
    /// The game is too large.
    TooManyPoints(TooManyPoints),
    /// The budget ends.
    Stopped(Stopped),
}

impl From<TooManyPoints> for StrongUnsolved {
    fn from(points: TooManyPoints) -> Self {
        StrongUnsolved::TooManyPoints(points)
    }
}

impl From<Stopped> for StrongUnsolved {
    fn from(stopped: Stopped) -> Self {
        StrongUnsolved::Stopped(stopped)
    }
}

/// Who wins the strong game under best play.
///
/// # Errors
///
/// [`StrongUnsolved`].
pub fn solve(
    position: &Position,
    cutoff: Option<CoverTarget>,
    budget: &Budget,
) -> Result<StrongResult, StrongUnsolved> {
    if let Some(winner) = position.winner() {
        return Ok(StrongResult { outcome: StrongOutcome::Win(winner), nodes: 0 });
    }
    let mut nodes = 0;
    for player in [position.to_move, position.to_move.opponent()] {
        let (bits, marks) = position.marks(player)?;
        // Who moves second on an empty board cannot win: the other one could steal the strategy.
        if !marks.player_moves && marks.player.is_empty() && marks.blocker.is_empty() {
            continue;
        }
        let mut search = StrongSearch::new(&bits, cutoff, budget);
        let holds = search.holds(marks)?;
        nodes += search.nodes();
        if !holds {
            return Ok(StrongResult { outcome: StrongOutcome::Win(player), nodes });
        }
    }
    Ok(StrongResult { outcome: StrongOutcome::Draw, nodes })
}
