//! What may be done in a state, and what comes of it.
//!
//! A [`State`] is the set of facts that `true` holds of, a joint move one move for each role. They are put into the engine
//! as the whole of `true` and `does`; the engine derives anew what depends on them and keeps all else, so what does not
//! depend on the state is derived once, in [`Game::new`].

use super::program;
use ludolog_engine::semi_naive::SemiNaive;
use ludolog_engine::{Budget, Engine, Stopped};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax;
use ludolog_syntax::ast::{Atom, Predicate, Term};
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
    budget: Budget,
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
    /// Some rulesheets define relations that are far too large to be derived as a whole, or infinite, and only ask for a few
    /// of their facts. When more than [`MAX_WHOLE`] facts come up, or ever deeper terms, those are derived by demand instead.
    pub fn new(program: &StratifiedProgram, budget: Budget) -> Result<Self, GameError> {
        let program = program::relevant(program);
        let most = budget.max_facts().map_or(MAX_WHOLE, |most| most.min(MAX_WHOLE));
        let mut game = Self::with_engine(&program, budget.clone().with_max_facts(most));
        let mut started = game.start();
        if let Err(GameError::Stopped(Stopped::TooManyFacts(_) | Stopped::TermTooDeep(_))) = started {
            if let Some(demanded) = program::demanded(&program, &game.huge_predicates()?, &budget)? {
                game = Self::with_engine(&demanded, budget.clone());
            }
            game.budget = budget.clone();
            started = game.start();
        }
        started?;
        game.budget = budget;
        Ok(game)
    }

    fn with_engine(program: &StratifiedProgram, budget: Budget) -> Self {
        let optimized = OptimizedProgram::from(program.clone());
        let role = Predicate::new("role", 1);
        let facts = program.program.facts.iter().filter(|fact| fact.signature() == role);
        Self {
            engine: SemiNaive::new(&optimized),
            budget,
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
        self.engine.update(&self.budget)?;
        let mut roles = first_arguments(self.engine.facts(&self.relations.role, &self.budget)?);
        roles.sort();
        self.roles.extend(roles);
        let mut seen = FxHashSet::default();
        self.roles.retain(|role| seen.insert(role.clone()));
        if self.roles.is_empty() {
            return Err(GameError::NoRoles);
        }
        self.initial = State::new(first_arguments(self.engine.facts(&self.relations.init, &self.budget)?));
        self.enter(&self.initial.clone(), &[])
    }

    /// The predicates that came to hold a good part of all facts, or deep terms.
    fn huge_predicates(&mut self) -> Result<Vec<Predicate>, Stopped> {
        let mut huge = Vec::new();
        for predicate in self.engine.predicates() {
            let facts = self.engine.facts(&predicate, &Budget::unlimited())?;
            let is_deep = |fact: &Atom| fact.args.iter().any(|arg| is_deeper_than(arg, ludolog_syntax::MAX_NESTING));
            if facts.len() as u64 > MAX_WHOLE / 50 || facts.iter().any(is_deep) {
                huge.push(predicate);
            }
        }
        Ok(huge)
    }

    /// New limits for the questions from now on.
    pub fn set_limits(&mut self, budget: Budget) {
        self.budget = budget;
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
        let moves = second_arguments(self.engine.facts(&self.relations.legal, &self.budget)?, role);
        Ok(State::new(moves).0)
    }

    pub fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        self.enter(state, &[])?;
        Ok(!self.engine.facts(&self.relations.terminal, &self.budget)?.is_empty())
    }

    /// What a role gets, when that is one integer and one only.
    pub fn goal(&mut self, state: &State, role: &Term) -> Result<Option<i64>, GameError> {
        self.enter(state, &[])?;
        let goals = second_arguments(self.engine.facts(&self.relations.goal, &self.budget)?, role);
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
        let next = self.engine.facts(&self.relations.next, &self.budget)?;
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
            self.engine.replace(&self.relations.state, &facts).map_err(Stopped::from)?;
            self.state = Some(state.clone());
        }
        if self.moves != moves {
            let joint = self.roles.iter().zip(moves);
            let facts: Vec<Atom> =
                joint.map(|(role, made)| Atom::new("does", vec![role.clone(), made.clone()])).collect();
            self.engine.replace(&self.relations.does, &facts).map_err(Stopped::from)?;
            self.moves = moves.to_vec();
        }
        // Also after an error: the engine goes on where it stopped.
        Ok(self.engine.update(&self.budget)?)
    }
}

fn is_deeper_than(term: &Term, levels: usize) -> bool {
    match term {
        Term::Compound(_, args) => levels == 0 || args.iter().any(|arg| is_deeper_than(arg, levels - 1)),
        _ => false,
    }
}

fn first_arguments(atoms: Vec<Atom>) -> Vec<Term> {
    atoms.into_iter().filter_map(|atom| atom.args.into_iter().next()).collect()
}

fn second_arguments(atoms: Vec<Atom>, first: &Term) -> Vec<Term> {
    let of_first = atoms.into_iter().filter(|atom| atom.args[0] == *first);
    of_first.filter_map(|atom| atom.args.into_iter().nth(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse, print_term};

    fn game(text: &str) -> Game {
        let mut sources = Sources::new();
        let source = sources.add("test.kif", text);
        let program = parse(source, &sources, Syntax::Kif).into_result().expect("the test parses");
        let analyzed = ludolog_logic::analysis::analyze(&program).expect("the test is sound");
        Game::new(&analyzed.stratified, Budget::unlimited()).expect("the test is a game")
    }

    fn show(terms: &[Term]) -> Vec<String> {
        terms.iter().map(|term| print_term(term, Syntax::Kif)).collect()
    }

    /// Two players take one or two coins from a heap of three, at the same time; what is left over stays.
    const COINS: &str = "
        (role left) (role right)
        (init (heap 3))
        (less 3 1 2) (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
        (<= (legal ?r (take ?n)) (role ?r) (true (heap ?h)) (less ?h ?n ?k))
        (<= (legal ?r (take ?n)) (role ?r) (true (heap ?h)) (less ?h ?n ?k))
        (<= (next (heap ?k)) (true (heap ?h)) (does left (take ?n)) (does right (take ?n)) (less ?h ?n ?k))
        (<= (next (heap ?h)) (true (heap ?h)) (does left (take ?m)) (does right (take ?n)) (distinct ?m ?n))
        (<= (next (took ?r ?n)) (does ?r (take ?n)))
        (<= terminal (true (heap 0)))
        (<= (goal ?r 50) (role ?r) terminal)
        (<= (goal left 100) (true (took left 2)))
        (<= (goal right many) (true (took right 2)))";

    #[test]
    fn a_joint_move_leads_to_the_next_state() {
        let mut game = game(COINS);
        assert_eq!(show(game.roles()), ["left", "right"]);
        let first = game.initial_state().clone();
        assert_eq!(show(first.facts()), ["(heap 3)"]);
        let left = game.roles()[0].clone();
        let legal = game.legal_moves(&first, &left).unwrap();
        assert_eq!(show(&legal), ["(take 1)", "(take 2)"]);
        let state = game.next_state(&first, &[legal[1].clone(), legal[1].clone()]).unwrap();
        assert_eq!(show(state.facts()), ["(heap 1)", "(took left 2)", "(took right 2)"]);
        assert_eq!(game.goal(&state, &left), Ok(Some(100)));
        // Any state may be asked about again, and moves leave nothing behind.
        assert_eq!(game.legal_moves(&first, &left).unwrap(), legal);
        let last = game.next_state(&state, &[legal[0].clone(), legal[0].clone()]).unwrap();
        assert_eq!(show(last.facts()), ["(heap 0)", "(took left 1)", "(took right 1)"]);
        assert_eq!((game.is_terminal(&state), game.is_terminal(&last)), (Ok(false), Ok(true)));
    }

    #[test]
    fn goals_that_are_none_several_or_no_integer_are_none() {
        let mut game = game(COINS);
        let state = |text: &[(&str, i64)]| {
            let took = |&(role, n): &(&str, i64)| Term::compound("took", vec![Term::symbol(role), Term::Integer(n)]);
            let heap = Term::compound("heap", vec![Term::Integer(0)]);
            State::new(text.iter().map(took).chain([heap]).collect())
        };
        let roles = game.roles().to_vec();
        assert_eq!(game.goal(&state(&[]), &roles[0]), Ok(Some(50)));
        assert_eq!(game.goal(&state(&[("left", 2)]), &roles[0]), Ok(None));
        let first = game.initial_state().clone();
        assert_eq!(game.goal(&first, &roles[0]), Ok(None));
        assert_eq!(game.goal(&State::new(vec![state(&[("right", 2)]).facts()[1].clone()]), &roles[1]), Ok(None));
    }

    #[test]
    fn joint_moves_are_checked() {
        let mut game = game(COINS);
        let state = game.initial_state().clone();
        let take = |n| Term::compound("take", vec![Term::Integer(n)]);
        assert_eq!(game.check_moves(&state, &[take(1), take(2)]), Ok(()));
        assert!(matches!(game.check_moves(&state, &[take(1)]), Err(GameError::WrongCount { given: 1, .. })));
        assert!(matches!(game.next_state(&state, &[]), Err(GameError::WrongCount { given: 0, .. })));
        let illegal = game.check_moves(&state, &[take(1), take(3)]);
        assert_eq!(
            illegal,
            Err(GameError::IllegalMove { role: Term::symbol("right"), given: take(3), legal: vec![take(1), take(2)] })
        );
    }

    #[test]
    fn infinite_relations_are_derived_by_demand() {
        let mut game = game(include_str!("../../../tests/odd/peano.kif"));
        let state = game.initial_state().clone();
        let two = Term::compound("s", vec![Term::compound("s", vec![Term::symbol("zero")])]);
        let add = Term::compound("add", vec![two]);
        let state = game.next_state(&state, std::slice::from_ref(&add)).unwrap();
        assert_eq!(show(state.facts()), ["(count (s (s zero)))"]);
        let state = game.next_state(&state, &[add]).unwrap();
        assert_eq!(show(state.facts()), ["(count (s (s (s (s zero)))))"]);
        assert_eq!(game.is_terminal(&state), Ok(true));
        let role = game.roles()[0].clone();
        assert_eq!(game.goal(&state, &role), Ok(Some(100)));
    }

    #[test]
    fn a_program_without_roles_is_no_game() {
        let program = StratifiedProgram::default();
        assert!(matches!(Game::new(&program, Budget::unlimited()), Err(GameError::NoRoles)));
    }
}
