//! Reasoners in lockstep: the same playouts by all of them, up to the state where they part.
//!
//! Machines walk along random joint moves, state by state, and are asked again about many of these states at once.
//! Lanes choose their own moves, so machines play again what lanes have played. The first machine is the one that the
//! others are held against: it says which moves there are to draw from.

use crate::lanes::WatchedState;
use crate::net::Net;
use ludolog_engine::Budget;
use ludolog_game::{
    Draw, GameError, JointMove, LegalMoves, Move, Role, State, StateMachine, StateMachineExt, canonical,
};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use std::fmt;

/// States that a machine is asked about at once: more than it evaluates together.
const BATCH: usize = 600;

/// An answer to a question about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Whether it holds.
    Truth(bool),
    /// The number of moves, or the goal; `None` for no single goal.
    Number(Option<i64>),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Truth(true) => f.write_str("yes"),
            Said::Truth(false) => f.write_str("no"),
            Said::Number(Some(number)) => write!(f, "{number}"),
            Said::Number(None) => f.write_str("none"),
        }
    }
}

/// The first question that reasoners answer differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyDifference {
    /// The playout, counted from 1.
    pub playout: u64,
    /// The joint moves that lead from the first state to the one in question, one move for each role.
    pub moves: Vec<Vec<Term>>,
    /// The question: an atom, as in `true (cell 1 1 x)`, or words.
    pub question: String,
    /// The answer of each reasoner that was asked, by name.
    pub said: Vec<(String, Said)>,
}

impl fmt::Display for ReplyDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said: Vec<String> = self.said.iter().map(|(name, said)| format!("{name}: {said}")).collect();
        let playout = self.playout;
        let ply = self.moves.len();
        let question = &self.question;
        write!(f, "playout {playout}, ply {ply}: `{question}`: {}", said.join(", "))
    }
}

/// The answers of a reasoner for a state.
struct StateReplies {
    facts: Vec<Term>,
    terminal: bool,
    legal: LegalReply,
    /// `None` if it was not asked.
    goals: Option<Vec<Option<i64>>>,
}

/// The legal moves of each role, or how many they are.
enum LegalReply {
    Moves(Vec<Vec<Term>>),
    Numbers(Vec<u64>),
}

impl LegalReply {
    fn number(&self, role: usize) -> u64 {
        match self {
            LegalReply::Moves(moves) => moves[role].len() as u64,
            LegalReply::Numbers(numbers) => numbers[role],
        }
    }
}

/// A machine on its way.
struct Walker<'m> {
    name: String,
    machine: Box<dyn StateMachine + 'm>,
    state: State,
    legal: LegalMoves,
    /// The states that it shall be asked about again, with what it said of them one by one.
    asked: Vec<AskedQuestion>,
}

struct AskedQuestion {
    playout: u64,
    /// The joint moves that lead to the state.
    moves: Vec<Vec<Term>>,
    state: State,
    terminal: bool,
    legal: LegalMoves,
    step: Option<(JointMove, State)>,
}

/// Machines that are compared with each other, and with lanes.
pub struct Lockstep<'m> {
    walkers: Vec<Walker<'m>>,
    roles: Vec<Term>,
    /// Whether states shall consist of the same facts.
    same_facts: bool,
    /// The playouts that all agreed on.
    pub playouts: u64,
    /// The states that all agreed on.
    pub states: u64,
}

/// A difference that is found ends a walk, as an error does.
enum WalkEnd {
    Parted(Box<ReplyDifference>),
    Error(GameError),
}

impl<E: Into<GameError>> From<E> for WalkEnd {
    fn from(error: E) -> Self {
        WalkEnd::Error(error.into())
    }
}

fn parted(result: Result<(), WalkEnd>) -> Result<Option<ReplyDifference>, GameError> {
    match result {
        Ok(()) => Ok(None),
        Err(WalkEnd::Parted(difference)) => Ok(Some(*difference)),
        Err(WalkEnd::Error(error)) => Err(error),
    }
}

impl<'m> Lockstep<'m> {
    /// The comparison of these machines for one rulesheet, of which the first decides.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn new(machines: Vec<(&str, Box<dyn StateMachine + 'm>)>) -> Lockstep<'m> {
        Self::with(machines, true)
    }

    /// The comparison of machines for several rulesheets of one game: they shall have the same moves, ends and goals,
    /// and may keep other facts in their states. The first decides.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn of_rulesheets(machines: Vec<(&str, Box<dyn StateMachine + 'm>)>) -> Lockstep<'m> {
        Self::with(machines, false)
    }

    fn with(machines: Vec<(&str, Box<dyn StateMachine + 'm>)>, same_facts: bool) -> Lockstep<'m> {
        let roles = machines.first().expect("a machine decides").1.roles().to_vec();
        let walker = |(name, machine): (&str, Box<dyn StateMachine + 'm>)| Walker {
            name: name.to_owned(),
            state: machine.initial_state().clone(),
            machine,
            legal: LegalMoves::new(),
            asked: Vec::new(),
        };
        Lockstep { walkers: machines.into_iter().map(walker).collect(), roles, same_facts, playouts: 0, states: 0 }
    }

    /// Sets the budget of each later question.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.walkers.iter_mut().for_each(|walker| walker.machine.set_budget(budget.clone()));
    }

    /// One random playout, of at most `max_steps` joint moves, by all machines; the difference if they part.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question or `budget` ends.
    pub fn walk(&mut self, seed: u64, max_steps: usize, budget: &Budget) -> Result<Option<ReplyDifference>, GameError> {
        let mut draw = Draw::new(seed);
        let mut moves = Vec::new();
        self.begin();
        parted(loop {
            let result = budget.check().map_err(WalkEnd::from).and_then(|()| self.compare(&moves, None));
            let over = match result {
                Ok(is_terminal) => is_terminal || moves.len() == max_steps,
                Err(ended) => break Err(ended),
            };
            let legal = &self.walkers[0].legal;
            if over || legal.iter().any(Vec::is_empty) {
                self.playouts += 1;
                break Ok(());
            }
            let machine = &self.walkers[0].machine;
            let joint: Vec<Term> =
                legal.iter().map(|legal| machine.move_term(legal[draw.below(legal.len())]).clone()).collect();
            if let Err(ended) = self.step(&moves, &joint, None) {
                break Err(ended);
            }
            moves.push(joint);
        })
    }

    /// Plays again what a lane of this net has played, with all machines; the difference if they and the lane part.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question or `budget` ends.
    pub fn replay(
        &mut self,
        name: &str,
        net: &Net,
        watched: &[WatchedState],
        budget: &Budget,
    ) -> Result<Option<ReplyDifference>, GameError> {
        let mut moves: Vec<Vec<Term>> = Vec::new();
        self.begin();
        let mut replay = |state: &WatchedState| -> Result<(), WalkEnd> {
            budget.check()?;
            let opposites = net.opposites.iter().filter(|(_, fact)| state.facts.binary_search(fact).is_err());
            let facts = state.facts.iter().map(|&fact| &net.facts[fact].term).chain(&net.constants);
            let mut facts: Vec<Term> = facts.chain(opposites.map(|(term, _)| term)).cloned().collect();
            facts.cold_sort();
            let answers = StateReplies {
                facts,
                terminal: state.terminal,
                legal: LegalReply::Numbers(state.legal.clone()),
                goals: state.goals.clone(),
            };
            if self.compare(&moves, Some((name, answers)))? || self.walkers[0].legal.iter().any(Vec::is_empty) {
                self.playouts += 1;
                moves.clear();
                self.begin();
                return Ok(());
            }
            let mut joint = Vec::new();
            for ((place, role), made) in (0..).zip(&net.roles).zip(&state.made) {
                let [made] = made[..] else {
                    let said = vec![
                        (self.walkers[0].name.clone(), Said::Number(Some(1))),
                        (name.to_owned(), Said::Number(Some(made.len() as i64))),
                    ];
                    let question = format!("number of moves made by {}", canonical::text(&self.roles[place]));
                    return Err(self.difference(&moves, question, said));
                };
                joint.push(role.moves[made].term.clone());
            }
            self.step(&moves, &joint, Some(name))?;
            moves.push(joint);
            Ok(())
        };
        parted(watched.iter().try_for_each(&mut replay))
    }

    /// Asks the machines again, about many states at once, what they have been asked one by one; the difference if they
    /// do not say the same.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question ends.
    pub fn ask_again(&mut self) -> Result<Option<ReplyDifference>, GameError> {
        for walker in &mut self.walkers {
            let asked = std::mem::take(&mut walker.asked);
            if let Some(difference) = walker.ask_again(&asked, &self.roles)? {
                return Ok(Some(difference));
            }
        }
        Ok(None)
    }

    fn begin(&mut self) {
        for walker in &mut self.walkers {
            walker.state = walker.machine.initial_state().clone();
        }
    }

    fn difference(&self, moves: &[Vec<Term>], question: String, said: Vec<(String, Said)>) -> WalkEnd {
        let playout = self.playouts + 1;
        WalkEnd::Parted(Box::new(ReplyDifference { playout, moves: moves.to_vec(), question, said }))
    }

    /// Asks all machines about their states and compares what they say, and what somebody else says. Whether the state
    /// is terminal.
    fn compare(&mut self, moves: &[Vec<Term>], other: Option<(&str, StateReplies)>) -> Result<bool, WalkEnd> {
        let mut answers = Vec::new();
        for walker in &mut self.walkers {
            let mut answer = walker.answers()?;
            if !self.same_facts {
                answer.facts.clear();
            }
            answers.push((walker.name.clone(), answer));
        }
        answers.extend(other.map(|(name, answers)| (name.to_owned(), answers)));
        if let Some((question, said)) = first_difference(&self.roles, &answers) {
            return Err(self.difference(moves, question, said));
        }
        self.states += 1;
        let terminal = answers[0].1.terminal;
        let playout = self.playouts + 1;
        for walker in self.walkers.iter_mut().skip(1).filter(|walker| walker.asked.len() < BATCH) {
            let state = walker.state.clone();
            let legal = walker.legal.clone();
            walker.asked.push(AskedQuestion { playout, moves: moves.to_vec(), state, terminal, legal, step: None });
        }
        Ok(terminal)
    }

    /// Makes a joint move, which somebody has chosen, on all machines.
    fn step(&mut self, moves: &[Vec<Term>], joint: &[Term], chosen_by: Option<&str>) -> Result<(), WalkEnd> {
        for (place, made) in joint.iter().enumerate() {
            let says = |walker: &Walker<'_>| (walker.name.clone(), Said::Truth(walker.find(place, made).is_some()));
            let mut said: Vec<(String, Said)> = self.walkers.iter().map(says).collect();
            if said.iter().any(|(_, said)| *said == Said::Truth(false)) {
                said.extend(chosen_by.map(|name| (name.to_owned(), Said::Truth(true))));
                let question = format!("legal {}", canonical::move_text(&self.roles[place], made));
                return Err(self.difference(moves, question, said));
            }
        }
        for walker in &mut self.walkers {
            let joint: JointMove = (0..).zip(joint).filter_map(|(place, made)| walker.find(place, made)).collect();
            let next = walker.machine.next_state(&walker.state, &joint)?;
            if let Some(asked) = walker.asked.last_mut().filter(|asked| asked.state == walker.state) {
                asked.step = Some((joint, next.clone()));
            }
            walker.state = next;
        }
        Ok(())
    }
}

impl Walker<'_> {
    fn answers(&mut self) -> Result<StateReplies, GameError> {
        let machine = &mut self.machine;
        let mut facts = machine.facts(&self.state);
        facts.cold_sort();
        self.legal = machine.all_legal_moves(std::slice::from_ref(&self.state))?.swap_remove(0);
        let terms = |moves: &Vec<Move>| moves.iter().map(|&made| machine.move_term(made).clone()).collect();
        let legal = LegalReply::Moves(self.legal.iter().map(terms).collect());
        Ok(StateReplies {
            facts,
            legal,
            terminal: machine.is_terminal(&self.state)?,
            goals: Some(machine.goals(&self.state)?),
        })
    }

    /// The legal move of a role that is this term.
    fn find(&self, role: usize, term: &Term) -> Option<Move> {
        self.legal[role].iter().copied().find(|&made| self.machine.move_term(made) == term)
    }

    fn ask_again(&mut self, asked: &[AskedQuestion], roles: &[Term]) -> Result<Option<ReplyDifference>, GameError> {
        let states: Vec<State> = asked.iter().map(|asked| asked.state.clone()).collect();
        let terminal = self.machine.are_terminal(&states)?;
        let legal = self.machine.all_legal_moves(&states)?;
        let steps: Vec<(&AskedQuestion, &JointMove, &State)> =
            asked.iter().filter_map(|asked| asked.step.as_ref().map(|(joint, next)| (asked, joint, next))).collect();
        let batch: Vec<(&State, &[Move])> = steps.iter().map(|(asked, joint, _)| (&asked.state, &joint[..])).collect();
        let next = self.machine.next_states(&batch)?;
        let machine = &self.machine;
        let names = [self.name.clone(), format!("{} in a batch", self.name)];
        let difference = |asked: &AskedQuestion, moves: Vec<Vec<Term>>, question: String, said: [Said; 2]| {
            let said = names.iter().cloned().zip(said).collect();
            Some(ReplyDifference { playout: asked.playout, moves, question, said })
        };
        for ((asked, &terminal), legal) in asked.iter().zip(&terminal).zip(&legal) {
            if asked.terminal != terminal {
                let said = [asked.terminal, terminal].map(Said::Truth);
                return Ok(difference(asked, asked.moves.clone(), "terminal".to_owned(), said));
            }
            for ((role, alone), batch) in (0..).map(Role).zip(&asked.legal).zip(legal) {
                let differs = |made: &&Move| alone.contains(made) != batch.contains(made);
                if let Some(made) = alone.iter().chain(batch).find(differs) {
                    let said = [alone, batch].map(|moves| Said::Truth(moves.contains(made)));
                    let question = canonical::move_text(&roles[role.0 as usize], machine.move_term(*made));
                    return Ok(difference(asked, asked.moves.clone(), format!("legal {question}"), said));
                }
            }
        }
        for ((asked, joint, alone), batch) in steps.iter().zip(&next) {
            let [alone, batch] = [machine.facts(alone), machine.facts(batch)];
            if let Some(fact) = alone.iter().chain(&batch).find(|fact| alone.contains(fact) != batch.contains(fact)) {
                let mut moves = asked.moves.clone();
                moves.push(joint.iter().map(|&made| machine.move_term(made).clone()).collect());
                let said = [&alone, &batch].map(|facts| Said::Truth(facts.contains(fact)));
                return Ok(difference(asked, moves, format!("true {}", canonical::text(fact)), said));
            }
        }
        Ok(None)
    }
}

/// The first question that is answered differently, with all answers to it.
fn first_difference(roles: &[Term], answers: &[(String, StateReplies)]) -> Option<(String, Vec<(String, Said)>)> {
    let (_, decides) = answers.first()?;
    let said = |says: &dyn Fn(&StateReplies) -> Option<Said>| -> Vec<(String, Said)> {
        answers.iter().filter_map(|(name, answers)| Some((name.clone(), says(answers)?))).collect()
    };
    let parts = |said: &[(String, Said)]| said.windows(2).any(|pair| pair[0].1 != pair[1].1);
    let only = |all: &[Term], others: &[Term]| all.iter().find(|term| others.binary_search(term).is_err()).cloned();
    for (_, other) in answers {
        let fact = only(&decides.facts, &other.facts).or_else(|| only(&other.facts, &decides.facts));
        if let Some(fact) = fact {
            let holds = |answers: &StateReplies| Some(Said::Truth(answers.facts.binary_search(&fact).is_ok()));
            return Some((format!("true {}", canonical::text(&fact)), said(&holds)));
        }
    }
    let terminal = said(&|answers| Some(Said::Truth(answers.terminal)));
    if parts(&terminal) {
        return Some(("terminal".to_owned(), terminal));
    }
    for (place, role) in roles.iter().enumerate() {
        let moves = answers.iter().filter_map(|(_, answers)| match &answers.legal {
            LegalReply::Moves(moves) => Some(&moves[place]),
            LegalReply::Numbers(_) => None,
        });
        let moves: Vec<&Vec<Term>> = moves.collect();
        for other in moves.iter().skip(1) {
            if let Some(made) = only(moves[0], other).or_else(|| only(other, moves[0])) {
                let is_legal = |answers: &StateReplies| match &answers.legal {
                    LegalReply::Moves(moves) => Some(Said::Truth(moves[place].contains(&made))),
                    LegalReply::Numbers(_) => None,
                };
                return Some((format!("legal {}", canonical::move_text(role, &made)), said(&is_legal)));
            }
        }
        let numbers = said(&|answers| Some(Said::Number(Some(answers.legal.number(place) as i64))));
        if parts(&numbers) {
            return Some((format!("number of legal moves of {}", canonical::text(role)), numbers));
        }
    }
    for (place, role) in roles.iter().enumerate() {
        let goals = said(&|answers| Some(Said::Number(answers.goals.as_ref()?[place])));
        if parts(&goals) {
            return Some((format!("goal {}", canonical::text(role)), goals));
        }
    }
    None
}
