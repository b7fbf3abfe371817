//! Proofs that a player cannot win, the cheapest first.

use super::{NoWinClaim, ProofStep};
use crate::criterion;
use crate::hypergraph::Hypergraph;
use crate::matching::{Cover, CoverTarget, MatchingPart};
use crate::pairing::hales_jewett;
use crate::periodic;
use crate::points::{MAX_POINTS, Point};
use crate::position::{Player, Position};
use crate::strong::{Marks, Sight, StrongSearch, StrongUnsolved};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// The method of a proof at the position itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// There is no set left that the player may complete.
    Nothing,
    /// The opponent could steal the strategy.
    Stealing,
    /// A pairing.
    Pairing,
    /// A matching with configurations of the paper.
    Configurations,
    /// A matching with matching sets of other forms.
    Matching,
    /// The criterion of Erdős and Selfridge.
    Weights,
    /// A search.
    Search,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Nothing => "no winning set is open",
            Method::Stealing => "strategy stealing",
            Method::Pairing => "a pairing",
            Method::Configurations => "matching sets",
            Method::Matching => "matching sets of other forms",
            Method::Weights => "the criterion of Erdős and Selfridge",
            Method::Search => "a search",
        })
    }
}

/// The result of the attempt to prove that a player cannot win.
#[derive(Clone, Debug, PartialEq)]
pub enum Proved {
    /// The player cannot win.
    Held {
        /// The proof.
        claim: NoWinClaim,
        /// Its method.
        method: Method,
        /// The number of positions that were looked at.
        nodes: u64,
    },
    /// The player wins under best play.
    Wins {
        /// The number of positions that were looked at.
        nodes: u64,
    },
    /// The position is over.
    Over {
        /// The player who has claimed a whole winning set.
        winner: Player,
    },
}

/// Proves that the player cannot win the position, or finds out that the player can. Without search, `effort` is the
/// most that is tried; a search has it as cut-off.
///
/// # Errors
///
/// The budget ends, or a game with too many points for a search has no other proof.
pub fn prove(
    position: &Position,
    player: Player,
    effort: CoverTarget,
    budget: &Budget,
) -> Result<Proved, StrongUnsolved> {
    if let Some(winner) = position.winner() {
        return Ok(Proved::Over { winner });
    }
    let open = position.open_sets(player);
    let at_sight =
        |step, method| Ok(Proved::Held { claim: NoWinClaim { player, steps: vec![step] }, method, nodes: 1 });
    if open.is_empty() {
        return at_sight(ProofStep::Matching { parts: Vec::new() }, Method::Nothing);
    }
    if position.to_move != player && can_steal(position, player) {
        return at_sight(ProofStep::Stealing, Method::Stealing);
    }
    if let Some(pairs) = hales_jewett(&open, budget)? {
        let parts = pairs.into_iter().map(MatchingPart::Pair).collect();
        return at_sight(ProofStep::Matching { parts }, Method::Pairing);
    }
    if criterion::breaker_wins(open.iter().map(Vec::len), position.to_move == player) {
        return at_sight(ProofStep::Weights, Method::Weights);
    }
    if let Some((parts, method)) = matching(position.game(), &open, effort, budget)? {
        return at_sight(ProofStep::Matching { parts }, method);
    }
    let (bits, marks) = position.marks(player)?;
    // In a search, matching sets of any form cost more than the nodes that they save.
    let mut search = StrongSearch::new(&bits, Some(effort.min(CoverTarget::Configurations)), budget);
    if !search.holds(marks)? {
        return Ok(Proved::Wins { nodes: search.nodes() });
    }
    let nodes = search.nodes();
    let mut writer = ProofWriter { search, steps: Vec::new(), of_marks: FxHashMap::default() };
    writer.step(marks)?;
    Ok(Proved::Held { claim: NoWinClaim { player, steps: writer.steps }, method: Method::Search, nodes })
}

/// Whether each set that the player may complete contains one that the opponent may complete. Only equal ones are
/// looked for, which is enough where a game begins.
fn can_steal(position: &Position, player: Player) -> bool {
    let own: FxHashSet<Vec<Point>> = position.open_sets(player.opponent()).into_iter().collect();
    position.open_sets(player).iter().all(|set| own.contains(set))
}

/// A matching with the least effort that finds one.
fn matching(
    game: &Hypergraph,
    open: &[Vec<Point>],
    effort: CoverTarget,
    budget: &Budget,
) -> Result<Option<(Vec<MatchingPart>, Method)>, Stopped> {
    if game.len() > MAX_POINTS
        && let Some(parts) = periodic::cover(game, open)
    {
        return Ok(Some((parts, Method::Pairing)));
    }
    let mut cover = Cover::of_game(game.len());
    let methods = [
        (CoverTarget::Pairing, Method::Pairing),
        (CoverTarget::Configurations, Method::Configurations),
        (CoverTarget::Search, Method::Matching),
    ];
    for (tried, method) in methods.into_iter().filter(|&(tried, _)| tried <= effort) {
        if let Some(parts) = cover.find_lists(game.len(), open, tried, budget)? {
            return Ok(Some((parts, method)));
        }
    }
    Ok(None)
}

/// Writes the steps of a search that has succeeded.
struct ProofWriter<'b> {
    search: StrongSearch<'b>,
    steps: Vec<ProofStep>,
    of_marks: FxHashMap<Marks, usize>,
}

impl ProofWriter<'_> {
    /// The number of the step that proves that the player cannot win from here.
    fn step(&mut self, marks: Marks) -> Result<usize, Stopped> {
        if let Some(&step) = self.of_marks.get(&marks) {
            return Ok(step);
        }
        let step = if self.search.open(marks.player, marks.blocker).next().is_none() {
            ProofStep::Matching { parts: Vec::new() }
        } else if marks.player_moves {
            self.replies(marks)?
        } else {
            self.answer(marks)?
        };
        self.steps.push(step);
        let number = self.steps.len() - 1;
        self.of_marks.insert(marks, number);
        Ok(number)
    }

    fn replies(&mut self, marks: Marks) -> Result<ProofStep, Stopped> {
        if let Some(parts) = self.search.matching(marks)? {
            return Ok(ProofStep::Matching { parts });
        }
        let free = self.search.live(marks) - marks.player - marks.blocker;
        let moves = free.iter().map(|point| Ok((point, self.step(marks.after(point))?)));
        Ok(ProofStep::Replies { moves: moves.collect::<Result<_, Stopped>>()? })
    }

    fn answer(&mut self, marks: Marks) -> Result<ProofStep, Stopped> {
        if let Some(to) = self.search.singles(marks.blocker, marks.player).first() {
            return Ok(ProofStep::Move { to, then: None });
        }
        let Sight::Moves(moves) = self.search.sight(marks) else { unreachable!("the player is held here") };
        for to in moves {
            if self.search.holds(marks.after(to))? {
                return Ok(ProofStep::Move { to, then: Some(self.step(marks.after(to))?) });
            }
        }
        unreachable!("the player is held here, by some move")
    }
}
