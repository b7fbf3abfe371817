//! A legal move of the rules alone, for a player that is not ready or late.
//!
//! A player needs machines, a net, preparations; a legal move needs the joint moves so far and one question. The player
//! and its stand-in follow a match, each in its own time, by what its manager has [`Transcript`].

use crate::host::{LOOK, lock};
use crate::message::MessageRefusal;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, Interpreted, JointMove, Move, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog_logic::analysis::clause::{Literal, StratifiedProgram};
use ludolog_logic::analysis::restratify;
use ludolog_player::Observation;
use ludolog_player::hidden::Follower;
use ludolog_player::matches::{Position, ToldMove};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use std::sync::{Mutex, OnceLock};

/// The messages of the manager of a match, an entry for each PLAY.
#[derive(Default)]
pub struct Transcript {
    entries: Vec<ToldMove>,
    /// Whether the last one has been answered by a move.
    answered: bool,
    /// Whether the one before it had been.
    answered_before: bool,
}

impl Transcript {
    /// Notes what a message tells, unless it is the last one said again because it was not answered.
    pub fn note(&mut self, made: &ToldMove) {
        if self.answered || self.entries.last() != Some(made) {
            self.entries.push(made.clone());
            self.answered_before = self.answered;
        }
        self.answered = false;
    }

    /// Notes that the last message is answered by a move.
    pub fn answer(&mut self) {
        self.answered = true;
    }

    /// Forgets an entry that is wrong, if it is the last.
    fn withdraw(&mut self, entry: usize, made: &ToldMove) {
        if self.entries.len() == entry + 1 && self.entries.last() == Some(made) {
            self.entries.pop();
            self.answered = self.answered_before;
        }
    }

    fn since(&self, entry: usize) -> Vec<ToldMove> {
        self.entries.get(entry..).unwrap_or_default().to_vec()
    }
}

/// The position up to which a machine has followed a match.
pub struct Course {
    /// The number of the role that is played.
    pub role: usize,
    /// What the role knows after the joint moves made so far.
    pub position: Position,
    /// The number of joint moves made.
    steps: u64,
    /// The entries that are read.
    read: usize,
}

/// Why a joint move was not made.
enum Unmade {
    /// The message is wrong.
    Wrong(MessageRefusal),
    /// The machine has not found out.
    Stopped(GameError),
}

impl From<GameError> for Unmade {
    fn from(error: GameError) -> Unmade {
        match error.stopped() {
            Some(_) => Unmade::Stopped(error),
            None => Unmade::Wrong(refusal(error)),
        }
    }
}

impl Course {
    /// The first state, for a role.
    ///
    /// # Errors
    ///
    /// There is no such role.
    pub fn new(machine: &dyn StateMachine, role: &Term) -> Result<Course, MessageRefusal> {
        let roles = machine.roles();
        let Some(number) = place(roles, role) else {
            let roles: Vec<String> = roles.iter().map(canonical::text).collect();
            let role = canonical::text(role);
            return Err(MessageRefusal::Wrong(format!("there is no role {role}; there are {}", roles.join(", "))));
        };
        Ok(Course { role: number, position: Position::first(machine), steps: 0, read: 0 })
    }

    /// Makes the joint moves that are told and not made yet, and calls `made` with each.
    ///
    /// # Errors
    ///
    /// The message is wrong, and is forgotten; the game is over; or the budget of the machine ends.
    pub fn follow(
        &mut self,
        machine: &mut dyn StateMachine,
        told: &Mutex<Transcript>,
        mut made: impl FnMut(&JointMove),
    ) -> Result<(), MessageRefusal> {
        let entries = lock(told).since(self.read);
        for entry in entries {
            match self.step(machine, &entry) {
                Ok(joint) => joint.iter().for_each(&mut made),
                Err(Unmade::Stopped(error)) => return Err(refusal(error)),
                Err(Unmade::Wrong(refusal)) => {
                    lock(told).withdraw(self.read, &entry);
                    return Err(refusal);
                }
            }
            self.read += 1;
        }
        match &self.position {
            Position::Known(state) if machine.is_terminal(state).map_err(refusal)? => {
                Err(MessageRefusal::Untimely("the game is over".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The legal moves of the role, which follows the match where the game hides its states.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    fn legal_moves(
        &self,
        machine: &mut dyn StateMachine,
        follower: &mut Follower,
        budget: &Budget,
    ) -> Result<Vec<Move>, GameError> {
        match &self.position {
            Position::Known(state) => machine.legal_moves(state, Role(self.role as u32)),
            Position::Hidden(seen) => follower.legal_moves(machine, seen, budget),
        }
    }

    fn step(&mut self, machine: &mut dyn StateMachine, told: &ToldMove) -> Result<Option<JointMove>, Unmade> {
        let state = match &mut self.position {
            Position::Known(state) => state,
            Position::Hidden(seen) => {
                seen.extend(observation(self.steps, told).map_err(Unmade::Wrong)?);
                self.steps = seen.len() as u64;
                return Ok(None);
            }
        };
        let Some(moves) = moves(machine, self.role, self.steps, told).map_err(Unmade::Wrong)? else { return Ok(None) };
        let joint = joint_move(machine, state, &moves)?;
        *state = machine.next_state(state, &joint)?;
        self.steps += 1;
        Ok(Some(joint))
    }
}

/// The rules as a game, once a move was needed.
type FollowedGame = Mutex<Option<(Interpreted, Course, Follower)>>;

/// The stand-in of a player.
pub struct StandIn {
    role: Term,
    /// The rules, once they are read.
    program: OnceLock<Result<StratifiedProgram, MessageRefusal>>,
    game: FollowedGame,
    /// The game [without its end](without_end), where the whole one gives no answer.
    endless: FollowedGame,
}

impl StandIn {
    /// The stand-in for a role.
    pub fn new(role: &Term) -> StandIn {
        StandIn { role: role.clone(), program: OnceLock::new(), game: Mutex::default(), endless: Mutex::default() }
    }

    /// Hands in the rules, or why there are none.
    pub fn read(&self, program: &Result<StratifiedProgram, MessageRefusal>) {
        self.program.get_or_init(|| program.clone());
    }

    /// A legal move after what was told, as soon as there is one. Rules may have legal moves and, within the limits, no answer to whether
    /// they end: then a move is legal, whether the game is over or not.
    ///
    /// # Errors
    ///
    /// As [`Course::follow`], and when nobody waits any more or there is no legal move.
    pub fn legal_move(&self, told: &Mutex<Transcript>, budget: &Budget) -> Result<Term, MessageRefusal> {
        let program = loop {
            budget.check().map_err(|stopped| refusal(stopped.into()))?;
            match self.program.get() {
                Some(program) => break program.as_ref().map_err(Clone::clone)?,
                None => std::thread::sleep(LOOK),
            }
        };
        match self.legal_move_of(&self.game, program, told, budget) {
            Err(MessageRefusal::Late(reason)) if budget.check().is_ok() => match without_end(program) {
                Some(endless) => self.legal_move_of(&self.endless, &endless, told, budget),
                None => Err(MessageRefusal::Late(reason)),
            },
            found => found,
        }
    }

    fn legal_move_of(
        &self,
        game: &FollowedGame,
        program: &StratifiedProgram,
        told: &Mutex<Transcript>,
        budget: &Budget,
    ) -> Result<Term, MessageRefusal> {
        let mut game = lock(game);
        if game.is_none() {
            let machine = Interpreted::at_once(program, budget.clone()).map_err(refusal)?;
            let course = Course::new(&machine, &self.role)?;
            let follower = Follower::new(Role(course.role as u32), 0);
            *game = Some((machine, course, follower));
        }
        let (machine, course, follower) = game.as_mut().expect("it was made if there was none");
        machine.set_budget(budget.clone());
        course.follow(machine, told, |_| ())?;
        let legal = course.legal_moves(machine, follower, budget).map_err(refusal)?;
        let first = legal.first().ok_or_else(|| MessageRefusal::Untimely("there is no legal move".to_owned()))?;
        Ok(machine.move_term(*first).clone())
    }
}

/// The rules without those that say when the game is over and what it is worth; `None` if others read these.
fn without_end(program: &StratifiedProgram) -> Option<StratifiedProgram> {
    let end = [Predicate::new("terminal", 0), Predicate::new("goal", 2)];
    let is_kept = |atom: &Atom| !end.contains(&atom.signature());
    let mut endless = program.program.clone();
    endless.facts.retain(is_kept);
    endless.rules.retain(|rule| is_kept(&rule.head));
    let is_read = !endless.bodies().flatten().filter_map(Literal::atom).all(is_kept);
    if is_read { None } else { restratify(endless) }
}

/// What a message tells of a joint move in a game that hides its states; `None` if it tells of none, or of one that is
/// known already.
fn observation(steps: u64, told: &ToldMove) -> Result<Option<Observation>, MessageRefusal> {
    match told {
        ToldMove::Nothing if steps == 0 => Ok(None),
        ToldMove::Percepts { turn, .. } if *turn == steps => Ok(None),
        ToldMove::Percepts { turn, own, percepts } if *turn == steps + 1 => {
            Ok(Some(Observation { made: own.clone(), percepts: percepts.clone() }))
        }
        ToldMove::Percepts { turn, .. } => {
            Err(MessageRefusal::Untimely(format!("turn {turn} does not follow turn {steps}")))
        }
        ToldMove::Nothing | ToldMove::Joint(_) => {
            let reason = "the game hides its states: the turn, the own move and the percepts are to be told";
            Err(MessageRefusal::Wrong(reason.to_owned()))
        }
    }
}

/// The joint move that a message tells of; `None` if it tells of none, or of one that is made already.
fn moves(
    machine: &dyn StateMachine,
    role: usize,
    steps: u64,
    made: &ToldMove,
) -> Result<Option<Vec<Term>>, MessageRefusal> {
    match made {
        ToldMove::Nothing if steps == 0 => Ok(None),
        ToldMove::Nothing => Err(MessageRefusal::Untimely("the last joint move is missing".to_owned())),
        ToldMove::Joint(moves) => Ok(Some(moves.clone())),
        ToldMove::Percepts { turn, .. } if *turn == steps => Ok(None),
        ToldMove::Percepts { turn, own: Some(own), percepts } if *turn == steps + 1 => {
            let roles = machine.roles();
            let told = |(number, of): (usize, &Term)| {
                if number == role {
                    Some(own.clone())
                } else {
                    percepts.iter().find_map(|percept| match percept {
                        Term::Compound(_, args) if args.len() == 2 && args[0] == *of => Some(args[1].clone()),
                        _ => None,
                    })
                }
            };
            let joint: Option<Vec<Term>> = roles.iter().enumerate().map(told).collect();
            let reason = "the percepts do not tell the moves of all roles, and the rules do not say what a role sees";
            joint.map(Some).ok_or_else(|| MessageRefusal::Wrong(reason.to_owned()))
        }
        ToldMove::Percepts { turn, .. } => {
            Err(MessageRefusal::Untimely(format!("turn {turn} does not follow turn {steps}")))
        }
    }
}

/// The joint move of these terms. Managers that change the case of names are understood.
fn joint_move(machine: &mut dyn StateMachine, state: &State, terms: &[Term]) -> Result<JointMove, GameError> {
    let wrong = match machine.joint_move(state, terms) {
        Err(wrong @ GameError::IllegalMove { .. }) => wrong,
        result => return result,
    };
    let legal = machine.legal_terms(state)?;
    let respell =
        |(term, (_, moves)): (&Term, &(Term, Vec<Term>))| place(moves, term).map(|found| moves[found].clone());
    match terms.iter().zip(&legal).map(respell).collect::<Option<Vec<Term>>>() {
        Some(terms) => machine.joint_move(state, &terms),
        None => Err(wrong),
    }
}

/// The place of a term, or else of one that differs in case only.
fn place(terms: &[Term], term: &Term) -> Option<usize> {
    let text = canonical::text(term);
    let is_respelled = |other: &Term| canonical::text(other).eq_ignore_ascii_case(&text);
    terms.iter().position(|other| other == term).or_else(|| terms.iter().position(is_respelled))
}

/// Why a question of a game has no answer, as a refusal. Another machine may have one where this one has stopped.
pub fn refusal(error: GameError) -> MessageRefusal {
    match (error.stopped(), &error) {
        (Some(Stopped::Timeout(_)), _) => MessageRefusal::Late("there was not enough time".to_owned()),
        (Some(Stopped::Interrupted), _) => MessageRefusal::Untimely("the message was withdrawn".to_owned()),
        (Some(_), _) => MessageRefusal::Late(error.to_string()),
        (None, GameError::IllegalMove { role, given, .. }) => {
            let [role, given] = [role, given].map(canonical::text);
            MessageRefusal::Wrong(format!("{given} was not legal for {role}"))
        }
        (None, _) => MessageRefusal::Wrong(error.to_string()),
    }
}
