//! What may be done in a state, and what comes of it.
//!
//! A [`State`] is the set of facts that `true` holds of, a joint move one move for each role. They are put into the engine
//! as the whole of `true` and `does`; the engine derives anew what depends on them and keeps all else, so what does not
//! depend on the state is derived once, in [`Game::new`].

use super::program;
use crate::analysis::clause::StratifiedProgram;
use crate::engine::semi_naive::SemiNaive;
use crate::engine::{Engine, Limits, Stopped};
use crate::optimize::OptimizedProgram;
use crate::syntax::ast::{Atom, Predicate, Term};
use rustc_hash::FxHashSet;

/// Most facts that are derived as a whole, wanted or not.
const MAX_WHOLE: u64 = 500_000;

/// A set of ground terms, sorted: what is true between two joint moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(Vec<Term>);

impl State {
    pub fn new(mut facts: Vec<Term>) -> Self {
        facts.sort();
        facts.dedup();
        Self(facts)
    }

    pub fn facts(&self) -> &[Term] {
        &self.0
    }
}

/// Why a game could not be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum GameError {
    /// The program does not say who plays.
    NoRoles,
    /// A joint move has one move for each role.
    WrongCount {
        given: usize,
        roles: Vec<Term>,
    },
    IllegalMove {
        role: Term,
        given: Term,
        legal: Vec<Term>,
    },
    /// A limit was hit while deriving.
    Stopped(Stopped),
}

impl From<Stopped> for GameError {
    fn from(stopped: Stopped) -> Self {
        GameError::Stopped(stopped)
    }
}

/// A game ready to be played.
///
/// Life cycle: [`new`](Game::new), then questions about any state in any order; those about one state are cheapest when
/// asked together.
pub struct Game {
    engine: SemiNaive,
    limits: Limits,
    roles: Vec<Term>,
    initial: State,
    /// What `true` and `does` hold of in the engine.
    state: Option<State>,
    moves: Vec<Term>,
    relations: Relations,
}

/// The predicates of GDL that the machine reads and writes.
struct Relations {
    role: Predicate,
    init: Predicate,
    state: Predicate,
    does: Predicate,
    next: Predicate,
    legal: Predicate,
    goal: Predicate,
    terminal: Predicate,
}

impl Game {
    /// Derives what holds in every state, and what holds in the first. `limits` hold for this and for each later question.
    ///
    /// Some rulesheets define relations that are far too large to be derived as a whole, and only ask for a few of their
    /// facts. When more than [`MAX_WHOLE`] facts come up, those are derived by demand instead.
    pub fn new(program: &StratifiedProgram, limits: Limits) -> Result<Self, GameError> {
        let program = program::relevant(program);
        let most = limits.max_facts.map_or(MAX_WHOLE, |most| most.min(MAX_WHOLE));
        let mut game = Self::with_engine(&program, limits.clone().with_max_facts(most));
        let mut started = game.start();
        if started == Err(GameError::Stopped(Stopped::TooManyFacts(most))) {
            let large = game.predicates_larger_than(MAX_WHOLE / 50)?;
            if let Some(demanded) = program::demanded(&program, &large) {
                game = Self::with_engine(&demanded, limits.clone());
            }
            game.limits = limits.clone();
            started = game.start();
        }
        started?;
        game.limits = limits;
        Ok(game)
    }

    fn with_engine(program: &StratifiedProgram, limits: Limits) -> Self {
        let optimized = OptimizedProgram { stratified: program.clone(), closures: Vec::new() };
        let role = Predicate::new("role", 1);
        let facts = program.program.facts.iter().filter(|fact| fact.signature() == role);
        Self {
            engine: SemiNaive::new(&optimized),
            limits,
            roles: facts.map(|fact| fact.args[0].clone()).collect(),
            initial: State::default(),
            state: None,
            moves: Vec::new(),
            relations: Relations {
                role,
                init: Predicate::new("init", 1),
                state: Predicate::new("true", 1),
                does: Predicate::new("does", 2),
                next: Predicate::new("next", 1),
                legal: Predicate::new("legal", 2),
                goal: Predicate::new("goal", 2),
                terminal: Predicate::new("terminal", 0),
            },
        }
    }

    /// Finds the roles, those given as facts first, and the first state, and enters it.
    fn start(&mut self) -> Result<(), GameError> {
        self.engine.update(&self.limits)?;
        let mut roles = first_arguments(self.engine.facts(&self.relations.role, &self.limits)?);
        roles.sort();
        self.roles.extend(roles);
        let mut seen = FxHashSet::default();
        self.roles.retain(|role| seen.insert(role.clone()));
        if self.roles.is_empty() {
            return Err(GameError::NoRoles);
        }
        self.initial = State::new(first_arguments(self.engine.facts(&self.relations.init, &self.limits)?));
        self.enter(&self.initial.clone(), &[])
    }

    fn predicates_larger_than(&mut self, most: u64) -> Result<Vec<Predicate>, Stopped> {
        let mut large = Vec::new();
        for predicate in self.engine.predicates() {
            if self.engine.facts(&predicate, &Limits::none())?.len() as u64 > most {
                large.push(predicate);
            }
        }
        Ok(large)
    }

    /// New limits for the questions from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Who plays, in the order of the rulesheet.
    pub fn roles(&self) -> &[Term] {
        &self.roles
    }

    pub fn initial_state(&self) -> &State {
        &self.initial
    }

    /// What a role may do, sorted.
    pub fn legal_moves(&mut self, state: &State, role: &Term) -> Result<Vec<Term>, GameError> {
        self.enter(state, &[])?;
        let moves = second_arguments(self.engine.facts(&self.relations.legal, &self.limits)?, role);
        Ok(State::new(moves).0)
    }

    pub fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        self.enter(state, &[])?;
        Ok(!self.engine.facts(&self.relations.terminal, &self.limits)?.is_empty())
    }

    /// What a role gets, when that is one integer and one only.
    pub fn goal(&mut self, state: &State, role: &Term) -> Result<Option<i64>, GameError> {
        self.enter(state, &[])?;
        let goals = second_arguments(self.engine.facts(&self.relations.goal, &self.limits)?, role);
        Ok(match State::new(goals).0[..] {
            [Term::Integer(goal)] => Some(goal),
            _ => None,
        })
    }

    /// The state after a joint move: one move for each role, in the order of [`roles`](Self::roles). Whether the moves
    /// are legal is not asked here; see [`check_moves`](Self::check_moves).
    pub fn next_state(&mut self, state: &State, moves: &[Term]) -> Result<State, GameError> {
        if moves.len() != self.roles.len() {
            return Err(GameError::WrongCount { given: moves.len(), roles: self.roles.clone() });
        }
        self.enter(state, moves)?;
        let next = self.engine.facts(&self.relations.next, &self.limits)?;
        Ok(State::new(first_arguments(next)))
    }

    /// That there is one move for each role, and that each is legal.
    pub fn check_moves(&mut self, state: &State, moves: &[Term]) -> Result<(), GameError> {
        if moves.len() != self.roles.len() {
            return Err(GameError::WrongCount { given: moves.len(), roles: self.roles.clone() });
        }
        for (role, given) in self.roles.clone().into_iter().zip(moves) {
            let legal = self.legal_moves(state, &role)?;
            if legal.binary_search(given).is_err() {
                return Err(GameError::IllegalMove { role, given: given.clone(), legal });
            }
        }
        Ok(())
    }

    /// Makes `state` and `moves` all that `true` and `does` hold of, and derives what follows.
    fn enter(&mut self, state: &State, moves: &[Term]) -> Result<(), GameError> {
        if self.state.as_ref() != Some(state) {
            let facts: Vec<Atom> = state.0.iter().map(|fact| Atom::new("true", vec![fact.clone()])).collect();
            self.engine.replace(&self.relations.state, &facts);
            self.state = Some(state.clone());
        }
        if self.moves != moves {
            let joint = self.roles.iter().zip(moves);
            let facts: Vec<Atom> =
                joint.map(|(role, made)| Atom::new("does", vec![role.clone(), made.clone()])).collect();
            self.engine.replace(&self.relations.does, &facts);
            self.moves = moves.to_vec();
        }
        // Also after an error: the engine goes on where it stopped.
        Ok(self.engine.update(&self.limits)?)
    }
}

fn first_arguments(atoms: Vec<Atom>) -> Vec<Term> {
    atoms.into_iter().filter_map(|atom| atom.args.into_iter().next()).collect()
}

fn second_arguments(atoms: Vec<Atom>, first: &Term) -> Vec<Term> {
    let of_first = atoms.into_iter().filter(|atom| atom.args[0] == *first);
    of_first.filter_map(|atom| atom.args.into_iter().nth(1)).collect()
}
