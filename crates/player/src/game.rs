//! A game as players get it.

use crate::player::place;
use ludolog_engine::{Budget, Setting};
use ludolog_game::{GameError, Interpreted, Move, Percept, Percepts, Role, State, StateMachine};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_propnet::{CompiledGame, Net, NetMachine};
use ludolog_syntax::ast::Term;
use std::sync::Arc;

/// States of which a net makes a batch.
const ENOUGH_FOR_A_BATCH: usize = 64;

/// The reasoner of a game: its net where it has one, else the rules.
#[derive(Clone)]
pub enum GameReasoner {
    /// A network of gates, with the machine to clone.
    Net(Arc<Net>, Box<NetMachine>),
    /// The rules, state by state.
    Interpreted(Arc<StratifiedProgram>),
    /// The rules, state by state, on a given engine and with given passes.
    WithSetting(Arc<(StratifiedProgram, Setting)>),
}

impl GameReasoner {
    /// The rules of a game with a net. All that machines share is made here, before any clock runs.
    pub fn of_net(net: Arc<Net>) -> GameReasoner {
        let mut machine = NetMachine::new(&net, Budget::unlimited());
        let initial = vec![machine.initial_state().clone(); ENOUGH_FOR_A_BATCH];
        // Machines make their programs when they are first asked. Nothing is lost if they cannot: they try again.
        _ = machine.random_playouts(&initial, 0, 0);
        _ = machine.all_legal_moves(&initial);
        GameReasoner::Net(net, Box::new(machine))
    }

    /// The net of a game, if it can be made in half of the time; else the rules.
    ///
    /// # Errors
    ///
    /// [`GameError::NoRoles`], and [`GameError::Stopped`] on interruption.
    pub fn new(program: &StratifiedProgram, budget: &Budget) -> Result<GameReasoner, GameError> {
        Ok(match CompiledGame::if_possible(program, budget)? {
            Ok(compiled) => GameReasoner::of_net(compiled.net),
            Err(_) => GameReasoner::interpreted(program),
        })
    }

    /// The rules of a game without its net, on the engine that suits them.
    pub fn interpreted(program: &StratifiedProgram) -> GameReasoner {
        GameReasoner::Interpreted(Arc::new(program.clone()))
    }

    /// The rules of a game without its net, on this engine and with these passes.
    pub fn with_setting(program: &StratifiedProgram, setting: Setting) -> GameReasoner {
        GameReasoner::WithSetting(Arc::new((program.clone(), setting)))
    }

    /// The net; `None` if the rules are interpreted.
    pub fn net(&self) -> Option<&Arc<Net>> {
        match self {
            GameReasoner::Net(net, _) => Some(net),
            GameReasoner::Interpreted(_) | GameReasoner::WithSetting(_) => None,
        }
    }

    /// Machines of these rules. Questions are without limit until a budget is set, whose end is then that of all
    /// questions.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the rules cannot be interpreted within the budget.
    pub fn game(&self, budget: &Budget) -> Result<Game, GameError> {
        let machine = match self {
            GameReasoner::Net(net, machine) => return Ok(Game::Net(net.clone(), machine.clone())),
            GameReasoner::Interpreted(program) => Interpreted::new(program, budget.clone())?,
            GameReasoner::WithSetting(rules) => Interpreted::with_setting(&rules.0, rules.1.clone(), budget.clone())?,
        };
        Ok(Game::Interpreted(Box::new(Timed::new(machine))))
    }
}

/// The machines of one player: all give the same numbers to facts and moves.
pub enum Game {
    /// The net, with a machine that threads clone.
    Net(Arc<Net>, Box<NetMachine>),
    /// One machine, on one thread.
    Interpreted(Box<Timed>),
}

/// The interpreted rules, whose answers to many questions together have the time of one budget.
///
/// A question to them may take a second, so that a few in a row would outlast any clock if each had all of its time.
pub struct Timed {
    machine: Interpreted,
    budget: Budget,
}

impl Timed {
    /// The answers of a machine, without limit until a budget is set.
    pub fn new(machine: Interpreted) -> Timed {
        Timed { machine, budget: Budget::unlimited() }
    }

    /// The machine that answers.
    pub fn rules(&self) -> &Interpreted {
        &self.machine
    }

    fn ask<T>(&mut self, question: impl FnOnce(&mut Interpreted) -> Result<T, GameError>) -> Result<T, GameError> {
        self.budget.check()?;
        self.machine.set_budget(self.budget.rest());
        question(&mut self.machine)
    }
}

impl StateMachine for Timed {
    fn roles(&self) -> &[Term] {
        self.machine.roles()
    }

    fn initial_state(&self) -> &State {
        self.machine.initial_state()
    }

    fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<Move>, GameError> {
        self.ask(|machine| machine.legal_moves(state, role))
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, GameError> {
        self.ask(|machine| machine.next_state(state, joint))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        self.ask(|machine| machine.is_terminal(state))
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Option<i64>, GameError> {
        self.ask(|machine| machine.goal(state, role))
    }

    fn facts(&self, state: &State) -> Vec<Term> {
        self.machine.facts(state)
    }

    fn state_of(&mut self, facts: Vec<Term>) -> Result<State, GameError> {
        self.machine.state_of(facts)
    }

    fn move_term(&self, made: Move) -> &Term {
        self.machine.move_term(made)
    }

    fn hides(&self) -> bool {
        self.machine.hides()
    }

    fn percepts(&mut self, state: &State, joint: &[Move]) -> Result<Percepts, GameError> {
        self.ask(|machine| machine.percepts(state, joint))
    }

    fn percept_term(&self, seen: Percept) -> &Term {
        self.machine.percept_term(seen)
    }

    fn percept_of(&mut self, seen: &Term) -> Option<Percept> {
        self.machine.percept_of(seen)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }
}

impl Game {
    /// The machine of the player's own thread.
    pub fn machine(&mut self) -> &mut dyn StateMachine {
        match self {
            Game::Net(_, machine) => &mut **machine,
            Game::Interpreted(machine) => &mut **machine,
        }
    }

    /// The machine of the player's own thread, to read from.
    pub fn reader(&self) -> &dyn StateMachine {
        match self {
            Game::Net(_, machine) => &**machine,
            Game::Interpreted(machine) => &**machine,
        }
    }

    /// The goal that no end exceeds for a role, from 0 to 100, as far as is known. Where rules give a role one goal alone, they
    /// leave out those of other ends.
    pub fn greatest_goal(&self, role: Role) -> i64 {
        match self {
            Game::Net(net, _) => match net.roles[place(role)].goals[..] {
                [(least, _), .., (greatest, _)] if least < greatest => greatest.clamp(1, 100),
                _ => 100,
            },
            Game::Interpreted(_) => 100,
        }
    }

    /// The facts that hold in some state, and maybe more; none if that is not known.
    pub fn possible_facts(&self) -> Vec<Term> {
        match self {
            Game::Net(net, _) => {
                let opposites = net.opposites.iter().map(|(term, _)| term);
                net.facts.iter().map(|fact| &fact.term).chain(&net.constants).chain(opposites).cloned().collect()
            }
            Game::Interpreted(_) => Vec::new(),
        }
    }

    /// Machines for at most this many further threads; none if the rules are interpreted.
    pub fn others(&self, threads: usize) -> Vec<NetMachine> {
        match self {
            Game::Net(_, machine) => (0..threads).map(|_| (**machine).clone()).collect(),
            Game::Interpreted(_) => Vec::new(),
        }
    }
}
