//! The contract of every reasoner about a game: roles, states, legal moves, next states, goals.
//!
//! Modeled on the `StateMachine` of ggp-base (Schreiber and others), which separates three groups of methods:
//!
//! * *required*: what a game is. A reasoner defines these.
//! * *advanced*: the same questions about many states at once. They have default implementations that ask one after the
//!   other; a reasoner that answers many at once overrides them. A single state is a batch of one.
//! * *convenience*: what follows from the others, in [`StateMachineExt`]. No reasoner defines these.
//!
//! Inside, roles, moves and facts are numbers; [`Term`]s come in and go out at the surface only. Numbers mean something
//! to the machine that gave them and to no other: on those of another it may panic or answer nonsense.

use crate::draw::Draw;
use crate::error::GameError;
use ludolog_engine::Budget;
use ludolog_logic::analysis::is_random;
use ludolog_syntax::ast::Term;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::slice;

/// A role: its place in [`StateMachine::roles`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Role(pub u32);

/// A move, as numbered by a machine. The same move of two roles may have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u32);

/// What a role may see of a joint move (GDL-II), as numbered by a machine. The same percept of two roles has the same
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Percept(pub u32);

/// By role, in the order of [`StateMachine::roles`]: what it sees of a joint move, in the order of the terms.
pub type Percepts = Vec<Vec<Percept>>;

/// One move for each role, in the order of [`StateMachine::roles`].
pub type JointMove = Box<[Move]>;

/// The legal moves of each role, in the order of [`StateMachine::roles`].
pub type LegalMoves = Vec<Vec<Move>>;

/// The goal value of each role, in the order of [`StateMachine::roles`]; `None` unless it is exactly one integer.
pub type Goals = Vec<Option<i64>>;

/// The set of facts that are true between two joint moves, as words of the machine that made it: states of one machine
/// are equal if their words are.
#[derive(Clone, Debug)]
pub struct State(StateWords);

#[derive(Clone, Debug)]
enum StateWords {
    Few(u8, [u32; State::INLINE_WORDS]),
    Many(Box<[u32]>),
}

impl State {
    /// Most words of a state that need no memory of their own.
    pub const INLINE_WORDS: usize = 5;

    /// The state of these words. For machines: others get states from one.
    #[inline]
    pub fn of_words<W: ExactSizeIterator<Item = u32>>(words: impl IntoIterator<IntoIter = W>) -> Self {
        let words = words.into_iter();
        let count = words.len();
        if count > Self::INLINE_WORDS {
            return Self(StateWords::Many(words.collect()));
        }
        let mut few = [0; Self::INLINE_WORDS];
        few.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        Self(StateWords::Few(count as u8, few))
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[u32] {
        match &self.0 {
            StateWords::Few(count, words) => &words[..usize::from(*count)],
            StateWords::Many(words) => words,
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::of_words([])
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for State {
    fn cmp(&self, other: &Self) -> Ordering {
        self.words().cmp(other.words())
    }
}

/// Why a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutEnd {
    /// The state is terminal.
    Terminal,
    /// This role has no legal move.
    Stuck(Role),
    /// As many joint moves as were asked for were made.
    MaxSteps,
}

/// A game played by choosing legal moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Why it ended.
    pub end: PlayoutEnd,
    /// The number of joint moves.
    pub steps: usize,
    /// The state reached.
    pub state: State,
    /// The goals of all roles there.
    pub goals: Goals,
}

/// The end of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayoutOutcome {
    /// Why it ended.
    pub end: PlayoutEnd,
    /// The number of joint moves.
    pub steps: usize,
    /// The goals of all roles in the last state.
    pub goals: Goals,
    /// The moves made by roles in their turn, each once, in no order; none of a machine that does not record them.
    pub moves: Vec<Move>,
}

/// Chooses a move of a playout: called with the number of the playout in its batch, a role, and its legal moves (at
/// least one, sorted), of which it returns one.
///
/// Within a playout calls come step by step, and within a step role by role. Calls of different playouts may alternate.
pub type Chooser<'a> = dyn FnMut(usize, Role, &[Move]) -> Move + 'a;

/// A game that can be asked about any state in any order.
///
/// Answers depend on the arguments alone, and all machines for one rulesheet give the same, up to numbering. Questions
/// about one state are cheapest when asked together.
///
/// # Errors
///
/// Every question returns [`GameError::Stopped`] when it does not end within the budget. The machine can be asked
/// again.
pub trait StateMachine {
    // Required.

    /// The names of the roles, in the order of the rulesheet.
    fn roles(&self) -> &[Term];

    /// The first state.
    fn initial_state(&self) -> &State;

    /// The legal moves of a role, in the order of their terms.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<Move>, GameError>;

    /// The state after a joint move: one move for each role, in the order of [`roles`](Self::roles). Whether the moves
    /// are legal is not asked here; see [`StateMachineExt::joint_move`].
    ///
    /// # Errors
    ///
    /// [`GameError::WrongCount`] and [`GameError::Stopped`].
    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, GameError>;

    /// Whether the game is over.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn is_terminal(&mut self, state: &State) -> Result<bool, GameError>;

    /// The goal value of a role; `None` unless it is exactly one integer.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn goal(&mut self, state: &State, role: Role) -> Result<Option<i64>, GameError>;

    /// The facts of a state, sorted.
    fn facts(&self, state: &State) -> Vec<Term>;

    /// The state of these ground facts.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when the machine has no numbers left or cannot represent a fact.
    fn state_of(&mut self, facts: Vec<Term>) -> Result<State, GameError>;

    /// The term of a move.
    fn move_term(&self, made: Move) -> &Term;

    /// Whether the game hides its states (GDL-II): a role knows its own moves and what it sees of each joint move, and
    /// nothing else. No game of plain GDL does.
    fn hides(&self) -> bool {
        false
    }

    /// Whether a role moves at random, so that values of states are expectations.
    fn has_chance(&self) -> bool {
        self.roles().iter().any(is_random)
    }

    /// What each role sees of a joint move made in a state (Thielscher, *A general game description language for
    /// incomplete information games*, 2010, section 3). Nothing, if the game does not hide its states.
    ///
    /// # Errors
    ///
    /// [`GameError::WrongCount`] and [`GameError::Stopped`].
    fn percepts(&mut self, state: &State, joint: &[Move]) -> Result<Percepts, GameError> {
        _ = (state, joint);
        Ok(vec![Vec::new(); self.roles().len()])
    }

    /// The term of a percept.
    ///
    /// # Panics
    ///
    /// When no answer of the machine has it.
    fn percept_term(&self, seen: Percept) -> &Term {
        unreachable!("no percept {} was given", seen.0)
    }

    /// The number of a percept; `None` if no role can see it. A machine that learns its percepts while it is asked may
    /// not know one yet, and gives it a number.
    fn percept_of(&mut self, seen: &Term) -> Option<Percept> {
        _ = seen;
        None
    }

    /// Sets the budget of each question from now on: every question about one state has all of its time.
    fn set_budget(&mut self, budget: Budget);

    // Advanced.

    /// Whether the game is over, by state.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], as soon as one question does not end.
    fn are_terminal(&mut self, states: &[State]) -> Result<Vec<bool>, GameError> {
        states.iter().map(|state| self.is_terminal(state)).collect()
    }

    /// The legal moves of all roles, by state.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], as soon as one question does not end.
    fn all_legal_moves(&mut self, states: &[State]) -> Result<Vec<LegalMoves>, GameError> {
        let of_state = |state| role_numbers(self.roles()).map(|role| self.legal_moves(state, role)).collect();
        states.iter().map(of_state).collect()
    }

    /// The goals of all roles, by state.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], as soon as one question does not end.
    fn all_goals(&mut self, states: &[State]) -> Result<Vec<Goals>, GameError> {
        let of_state = |state| role_numbers(self.roles()).map(|role| self.goal(state, role)).collect();
        states.iter().map(of_state).collect()
    }

    /// The state after each of these steps.
    ///
    /// # Errors
    ///
    /// As [`next_state`](Self::next_state), as soon as one question does not end.
    fn next_states(&mut self, steps: &[(&State, &[Move])]) -> Result<Vec<State>, GameError> {
        steps.iter().map(|(state, joint)| self.next_state(state, joint)).collect()
    }

    /// One playout from each of these states, with at most `max_steps` joint moves.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], as soon as one question does not end.
    fn playouts(
        &mut self,
        starts: &[State],
        max_steps: usize,
        choose: &mut Chooser<'_>,
    ) -> Result<Vec<Playout>, GameError> {
        let play = |(number, start): (usize, &State)| {
            let mut state = start.clone();
            let mut joint = Vec::with_capacity(self.roles().len());
            let mut steps = 0;
            let end = 'playout: loop {
                if self.is_terminal(&state)? {
                    break PlayoutEnd::Terminal;
                }
                if steps == max_steps {
                    break PlayoutEnd::MaxSteps;
                }
                joint.clear();
                let legal = self.all_legal_moves(slice::from_ref(&state))?;
                for (role, moves) in (0..).map(Role).zip(legal.iter().flatten()) {
                    if moves.is_empty() {
                        break 'playout PlayoutEnd::Stuck(role);
                    }
                    joint.push(choose(number, role, moves));
                }
                state = self.next_state(&state, &joint)?;
                steps += 1;
            };
            let goals = role_numbers(self.roles()).map(|role| self.goal(&state, role)).collect::<Result<_, _>>()?;
            Ok(Playout { end, steps, state, goals })
        };
        starts.iter().enumerate().map(play).collect()
    }

    /// One playout of uniformly random legal moves from each of these states, with at most `max_steps` joint moves. The
    /// same seed gives the same playouts on machines of the same kind.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], as soon as one question does not end.
    fn random_playouts(
        &mut self,
        starts: &[State],
        max_steps: usize,
        seed: u64,
    ) -> Result<Vec<PlayoutOutcome>, GameError> {
        let mut draw = Draw::new(seed);
        let played = self.playouts(starts, max_steps, &mut |_, _, moves| moves[draw.below(moves.len())])?;
        Ok(played
            .into_iter()
            .map(|Playout { end, steps, goals, .. }| PlayoutOutcome { end, steps, goals, moves: Vec::new() })
            .collect())
    }
}

/// Questions whose answers follow from those of a [`StateMachine`].
pub trait StateMachineExt: StateMachine {
    /// All roles, in order.
    fn role_numbers(&self) -> impl Iterator<Item = Role> + use<Self> {
        role_numbers(self.roles())
    }

    /// All joint moves of legal moves, the last role's changing fastest. They are as many as the product of the numbers
    /// of legal moves, and are made one at a time.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn legal_joint_moves(&mut self, state: &State) -> Result<JointMoves, GameError> {
        Ok(JointMoves::new(self.all_legal_moves(slice::from_ref(state))?.into_iter().flatten().collect()))
    }

    /// The goals of all roles.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn goals(&mut self, state: &State) -> Result<Goals, GameError> {
        Ok(self.all_goals(slice::from_ref(state))?.swap_remove(0))
    }

    /// Plays from a state, with at most `max_steps` joint moves; `choose` gets a role and its legal moves (at least
    /// one, sorted), and returns one of them. With a random choice this is a random playout.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn playout(
        &mut self,
        start: &State,
        max_steps: usize,
        mut choose: impl FnMut(Role, &[Move]) -> Move,
    ) -> Result<Playout, GameError> {
        let mut played = self.playouts(slice::from_ref(start), max_steps, &mut |_, role, moves| choose(role, moves))?;
        Ok(played.swap_remove(0))
    }

    /// The legal moves of all roles as terms, for display: the roles in order, the moves sorted.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn legal_terms(&mut self, state: &State) -> Result<Vec<(Term, Vec<Term>)>, GameError> {
        let legal = self.all_legal_moves(slice::from_ref(state))?.into_iter().flatten().collect::<LegalMoves>();
        let terms = |moves: Vec<Move>| moves.into_iter().map(|made| self.move_term(made).clone()).collect();
        Ok(self.roles().iter().cloned().zip(legal.into_iter().map(terms)).collect())
    }

    /// What each role sees of a joint move, as terms.
    ///
    /// # Errors
    ///
    /// As [`percepts`](StateMachine::percepts).
    fn percept_terms(&mut self, state: &State, joint: &[Move]) -> Result<Vec<Vec<Term>>, GameError> {
        let percepts = self.percepts(state, joint)?;
        let terms = |seen: Vec<Percept>| seen.into_iter().map(|seen| self.percept_term(seen).clone()).collect();
        Ok(percepts.into_iter().map(terms).collect())
    }

    /// The joint move of these terms, one for each role, when all are legal.
    ///
    /// # Errors
    ///
    /// [`GameError::WrongCount`], [`GameError::IllegalMove`] and [`GameError::Stopped`].
    fn joint_move(&mut self, state: &State, terms: &[Term]) -> Result<JointMove, GameError> {
        if terms.len() != self.roles().len() {
            return Err(GameError::WrongCount { given: terms.len(), roles: self.roles().to_vec() });
        }
        let legal = self.all_legal_moves(slice::from_ref(state))?.into_iter().flatten().collect::<LegalMoves>();
        let find = |((role, given), moves): ((&Term, &Term), &Vec<Move>)| {
            moves.iter().copied().find(|&made| self.move_term(made) == given).ok_or_else(|| GameError::IllegalMove {
                role: role.clone(),
                given: given.clone(),
                legal: moves.iter().map(|&made| self.move_term(made).clone()).collect(),
            })
        };
        self.roles().iter().zip(terms).zip(&legal).map(find).collect()
    }
}

impl<M: StateMachine + ?Sized> StateMachineExt for M {}

fn role_numbers(roles: &[Term]) -> impl Iterator<Item = Role> + use<> {
    (0..roles.len() as u32).map(Role)
}

/// The legal joint moves of a state; see [`StateMachineExt::legal_joint_moves`].
#[derive(Clone, Debug)]
pub struct JointMoves {
    legal: LegalMoves,
    /// For each role the place of its move in the next joint move; `None` after the last.
    next: Option<Vec<usize>>,
}

impl JointMoves {
    /// All combinations of one move of each role; none if a role has no move.
    pub fn new(legal: LegalMoves) -> JointMoves {
        let next = legal.iter().all(|moves| !moves.is_empty()).then(|| vec![0; legal.len()]);
        JointMoves { legal, next }
    }
}

impl Iterator for JointMoves {
    type Item = JointMove;

    fn next(&mut self) -> Option<JointMove> {
        let places = self.next.as_mut()?;
        let joint = self.legal.iter().zip(&*places).map(|(moves, &place)| moves[place]).collect();
        // Count up, the last role's place first.
        let done = self.legal.iter().zip(places).rev().all(|(moves, place)| {
            *place = (*place + 1) % moves.len();
            *place == 0
        });
        if done {
            self.next = None;
        }
        Some(joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_their_words() {
        let few = State::of_words([7, 8]);
        let many = State::of_words(0..9);
        assert_eq!((few.words(), many.words().len()), (&[7, 8][..], 9));
        assert_eq!(few, State::of_words(vec![7, 8]));
        assert_ne!(few, State::of_words([7, 8, 0]));
        assert!(many < few && State::default() < many);
    }

    #[test]
    fn joint_moves_are_all_combinations() {
        let moves = |numbers: &[u32]| numbers.iter().copied().map(Move).collect::<Vec<_>>();
        let legal = vec![moves(&[1, 2]), moves(&[3]), moves(&[4, 5])];
        let joint: Vec<JointMove> = JointMoves { legal, next: Some(vec![0; 3]) }.collect();
        let expected = [[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]];
        assert_eq!(joint, expected.map(|numbers| moves(&numbers).into_boxed_slice()));
    }
}
