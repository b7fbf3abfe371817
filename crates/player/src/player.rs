//! The contract of players.

use crate::hidden::belief::Observation;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Draw, GameError, JointMove, Move, PlayoutEnd, Role, State, StateMachine};
use std::time::Duration;

/// A player of one role in one match.
///
/// A player has a machine of its own; states and moves are numbers of that machine. A `Seat` speaks to it in terms.
///
/// Players think until their budget ends, and answer with what they have found until then: they poll the budget, and
/// the match leaves a margin between the budget and the clock.
pub trait Player: Send {
    /// The machine whose numbers the player takes and gives.
    fn machine(&mut self) -> &mut dyn StateMachine;

    /// Gets ready for the match within the start clock; moves will have the play clock.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    fn start(&mut self, budget: &Budget, play_clock: Duration) -> Result<SearchReport, GameError>;

    /// Chooses a legal move in a state that is not terminal, within the play clock.
    ///
    /// # Errors
    ///
    /// [`GameError`], when not even the legal moves could be found.
    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError>;

    /// Chooses a legal move in a game that hides its states, by all that the role has seen since the first state.
    ///
    /// # Errors
    ///
    /// [`GameError`], when not even the legal moves could be found; [`Stopped::Unsupported`] of players that need states.
    fn play_hidden(&mut self, seen: &[Observation], budget: &Budget) -> Result<Choice, GameError> {
        _ = (seen, budget);
        Err(Stopped::Unsupported("this player needs to know the state".to_owned()).into())
    }
}

/// A move chosen, and why.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    pub made: Move,
    /// The report that led to it.
    pub report: SearchReport,
}

/// The work of a player and its expectation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchReport {
    /// Playouts to the end of the game.
    pub playouts: u64,
    /// Batches of them, in tree search.
    pub batches: u64,
    /// The time of tree search by what it went into.
    pub times: SearchTimes,
    /// States looked at.
    pub nodes: u64,
    /// The longest line looked at, in joint moves.
    pub depth: usize,
    /// The goal that the player expects.
    pub value: Option<f64>,
    /// Whether the value is proven.
    pub proven: bool,
    /// The joint moves that it expects, from the state it was asked about.
    pub line: Vec<JointMove>,
    /// The time it took.
    pub time: Duration,
    /// Remarks, in words.
    pub note: Option<String>,
}

/// The time of tree search by what it went into, of all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTimes {
    /// Leaves were chosen, with the wait for the tree.
    pub choosing: Duration,
    /// Their states and playouts were found.
    pub playing: Duration,
    /// Outcomes were entered.
    pub entering: Duration,
}

/// A role's place in a slice by role.
pub(crate) fn place(role: Role) -> usize {
    role.0 as usize
}

/// The goals of all roles as players take them. Where one role alone has no single goal it gets what the others leave of
/// 100: rulesheets forget to exclude the goal of a loss where a role has won. Else what is no goal counts 0.
pub(crate) fn settled(goals: &[Option<i64>]) -> impl Iterator<Item = i64> + '_ {
    let is_alone = goals.len() > 1 && goals.iter().filter(|goal| goal.is_none()).count() == 1;
    let given = || goals.iter().flatten().fold(0i64, |sum, &goal| sum.saturating_add(goal));
    let left = if is_alone { 100i64.saturating_sub(given()).max(0) } else { 0 };
    goals.iter().map(move |goal| goal.unwrap_or(left))
}

/// The goals of all roles as [`settled`], as numbers from 0 to 1.
pub(crate) fn values(goals: &[Option<i64>]) -> impl Iterator<Item = f32> + '_ {
    settled(goals).map(|goal| goal.clamp(0, 100) as f32 / 100.0)
}

/// The legal moves of a role, of which there is at least one.
pub(crate) fn legal_moves(
    machine: &mut dyn StateMachine,
    state: &State,
    role: Role,
    budget: &Budget,
) -> Result<Vec<Move>, GameError> {
    machine.set_budget(budget.rest());
    at_least_one(machine.legal_moves(state, role)?)
}

/// Legal moves of which there has to be one.
pub(crate) fn at_least_one(legal: Vec<Move>) -> Result<Vec<Move>, GameError> {
    if legal.is_empty() {
        Err(Stopped::Unsupported("a player without a legal move was asked for one".to_owned()).into())
    } else {
        Ok(legal)
    }
}

/// The state after so many random joint moves from the first one; `None` if the game is over before, or there.
pub(crate) fn after_random_moves(
    machine: &mut dyn StateMachine,
    plies: usize,
    draw: &mut Draw,
) -> Result<Option<State>, GameError> {
    let initial = machine.initial_state().clone();
    let mut choose = |_: usize, _: Role, moves: &[Move]| moves[draw.below(moves.len())];
    let played = machine.playouts(&[initial], plies, &mut choose)?.swap_remove(0);
    Ok((played.end == PlayoutEnd::MaxSteps).then_some(played.state))
}

/// Frees a value that takes long to free: on a thread of its own, or here if there is none.
pub(crate) fn free_elsewhere<T: Send + 'static>(value: T) {
    if !cfg!(target_family = "wasm") {
        _ = std::thread::Builder::new().spawn(move || drop(value));
    }
}

/// Whether an error says that time is over.
pub(crate) fn is_stop(error: &GameError) -> bool {
    matches!(error.stopped(), Some(Stopped::Timeout(_) | Stopped::Interrupted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_role_without_a_single_goal_gets_what_is_left() {
        let settled = |goals: &[Option<i64>]| settled(goals).collect::<Vec<_>>();
        assert_eq!(settled(&[Some(0), None]), [0, 100]);
        assert_eq!(settled(&[None, Some(70)]), [30, 70]);
        assert_eq!(settled(&[Some(30), None, Some(20)]), [30, 50, 20]);
        assert_eq!(settled(&[Some(i64::MAX), None, Some(1)]), [i64::MAX, 0, 1]);
        assert_eq!(settled(&[None, None]), [0, 0]);
        assert_eq!(settled(&[None]), [0]);
        assert_eq!(settled(&[Some(40), Some(40)]), [40, 40]);
    }
}
