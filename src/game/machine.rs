//! What may be done in a state, and what comes of it.
//!
//! A [`State`] is the set of facts that `true` holds of, a joint move one move for each role. They are put into the engine
//! as the whole of `true` and `does`; the engine derives anew what depends on them and keeps all else, so what does not
//! depend on the state is derived once, in [`Game::new`].

use crate::analysis::clause::{CheckedProgram, Literal, StratifiedProgram};
use crate::engine::semi_naive::SemiNaive;
use crate::engine::{Engine, Limits, Stopped};
use crate::optimize::OptimizedProgram;
use crate::syntax::ast::{Atom, Predicate, Term};
use rustc_hash::{FxHashMap, FxHashSet};

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
    state: Predicate,
    does: Predicate,
    next: Predicate,
    legal: Predicate,
    goal: Predicate,
    terminal: Predicate,
}

impl Game {
    /// Derives what holds in every state. `limits` hold for this and for each later question.
    pub fn new(program: &StratifiedProgram, limits: Limits) -> Result<Self, GameError> {
        let (role, init) = (Predicate::new("role", 1), Predicate::new("init", 1));
        let relations = Relations {
            state: Predicate::new("true", 1),
            does: Predicate::new("does", 2),
            next: Predicate::new("next", 1),
            legal: Predicate::new("legal", 2),
            goal: Predicate::new("goal", 2),
            terminal: Predicate::new("terminal", 0),
        };
        let asked = [&role, &init, &relations.next, &relations.legal, &relations.goal, &relations.terminal];
        let stratified = restricted_to(program, &asked);
        let mut engine = SemiNaive::new(&OptimizedProgram { stratified, closures: Vec::new() });
        engine.update(&limits)?;
        let first_argument = |atom: Atom| atom.args.into_iter().next();
        let initial = State::new(engine.facts(&init, &limits)?.into_iter().filter_map(first_argument).collect());
        let mut roles: Vec<Term> = Vec::new();
        let given = program.program.facts.iter().filter(|fact| fact.signature() == role).cloned();
        let mut derived = engine.facts(&role, &limits)?;
        derived.sort_by(|a, b| a.args.cmp(&b.args));
        for name in given.chain(derived).filter_map(first_argument) {
            if !roles.contains(&name) {
                roles.push(name);
            }
        }
        if roles.is_empty() {
            return Err(GameError::NoRoles);
        }
        Ok(Self { engine, limits, roles, initial, state: None, moves: Vec::new(), relations })
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
        Ok(State::new(next.into_iter().filter_map(|atom| atom.args.into_iter().next()).collect()))
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

fn second_arguments(atoms: Vec<Atom>, first: &Term) -> Vec<Term> {
    let of_first = atoms.into_iter().filter(|atom| atom.args[0] == *first);
    of_first.filter_map(|atom| atom.args.into_iter().nth(1)).collect()
}

/// The program without what the asked predicates do not depend on (`base` and `input`, say, which may be large).
fn restricted_to(program: &StratifiedProgram, asked: &[&Predicate]) -> StratifiedProgram {
    let mut rules_of: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
    for (i, rule) in program.program.rules.iter().enumerate() {
        rules_of.entry(rule.head.signature()).or_default().push(i);
    }
    let mut needed: FxHashSet<Predicate> = FxHashSet::default();
    let mut open: Vec<Predicate> = asked.iter().copied().cloned().collect();
    while let Some(predicate) = open.pop() {
        if !needed.insert(predicate.clone()) {
            continue;
        }
        for &rule in rules_of.get(&predicate).into_iter().flatten() {
            open.extend(program.program.rules[rule].body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom.signature()),
                Literal::Compare(_) | Literal::Member { .. } => None,
            }));
        }
    }
    let facts = program.program.facts.iter().filter(|fact| needed.contains(&fact.signature()));
    let rules = program.program.rules.iter().filter(|rule| needed.contains(&rule.head.signature()));
    let strata = program.strata.iter().filter(|stratum| stratum.iter().all(|predicate| needed.contains(predicate)));
    StratifiedProgram {
        program: CheckedProgram {
            facts: facts.cloned().collect(),
            rules: rules.cloned().collect(),
            ..CheckedProgram::default()
        },
        strata: strata.cloned().collect(),
    }
}
