//! Games by interpretation: the rulesheet runs on an engine, state by state.
//!
//! The facts of a state and the moves of a joint move are put into the engine as the whole of `true` and `does`; the
//! engine derives anew what depends on them and keeps all else, so what does not depend on the state is derived once.
//!
//! Facts and moves are numbered as they come up, and go in and out of the engine as ids of its own: terms are made when
//! they get a number, and read when somebody asks for them. Numbers outlive the engine, so another one can take over.
//!
//! * `extension`: the answers about a state.
//! * `load`: a rulesheet gets ready.
//! * `numbers`: facts and moves by number.
//! * `question`: what an engine is asked about a state.
//! * `race`: the choice of the engine and of what it runs.
//! * `rival`: the change to another engine while a game is played.
//! * `settle`: questions at which the engine stopped since an integer does not fit 64 bits.

mod extension;
mod load;
mod numbers;
mod question;
mod race;
mod rival;
mod settle;

use crate::contract::{LegalMoves, Move, Percept, Percepts, Role, State, StateMachine, StateMachineExt};
use crate::error::GameError;
use ludolog_engine::value::Value;
use ludolog_engine::{Budget, Engine, EngineDescription, Prepared, Refused, Rows, Stopped, Work};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_syntax::ast::{Atom, Predicate, PredicateName, Term};
use ludolog_syntax::diagnostic::Span;
use numbers::{MAX_NUMBERS, Numbers};
use question::{HeldState, Predicates, StateQuestion};
use rival::{Account, Rival};
use std::sync::Arc;

/// A game whose rulesheet runs on an engine.
pub struct Interpreted {
    /// The part of the rulesheet that is run, as written or by demand.
    program: Arc<StratifiedProgram>,
    scope: Scope,
    prepared: Prepared,
    engine: Box<dyn Engine>,
    budget: Budget,
    predicates: Predicates,
    roles: Vec<Term>,
    /// The ids of the roles in the engine.
    role_values: Vec<Value>,
    initial: State,
    facts: Numbers,
    moves: Numbers,
    percepts: Numbers,
    /// Whether the rulesheet hides its states.
    hides: bool,
    entered: HeldState,
    /// The rows that go into the engine, one after the other.
    cells: Vec<Value>,
    /// The engine that takes over if the engine fails or takes far more work.
    rival: Option<Rival>,
    /// The predicate that had most facts when an engine could not get ready, and how many.
    grown: Option<(Predicate, u64)>,
    account: Account,
}

/// The part that is derived of the relations that depend on the state.
#[derive(Clone, Copy)]
enum Scope {
    /// All of them, but for what is far too large.
    Whole,
    /// The facts that are asked for.
    Demanded,
}

impl Scope {
    /// The time that a unit of work takes, in nanoseconds. By demand, more rules run for fewer rows each, so a unit
    /// takes about a third more.
    fn work_nanoseconds(self, engine: &EngineDescription) -> u64 {
        match self {
            Scope::Whole => engine.cost_model.work_nanoseconds,
            Scope::Demanded => engine.cost_model.work_nanoseconds * 4 / 3,
        }
    }
}

impl Interpreted {
    /// The rulesheet as optimized, with the report of each pass.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// The work of the engine since it was loaded.
    pub fn work(&self) -> Work {
        self.engine.work()
    }

    fn facts_of_true(&self, state: &State) -> Vec<Atom> {
        let name = &self.predicates.state.name;
        state.words().iter().map(|&fact| atom(name, vec![self.facts.term(fact).clone()])).collect()
    }

    fn facts_of_does(&self, joint: &[Move]) -> Vec<Atom> {
        let name = &self.predicates.does.name;
        let does = |(role, &made): (&Term, &Move)| atom(name, vec![role.clone(), self.moves.term(made.0).clone()]);
        self.roles.iter().zip(joint).map(does).collect()
    }

    /// The state of these facts.
    fn state_of_cells(&mut self, cells: &[Value]) -> Result<State, GameError> {
        let Self { engine, facts, .. } = self;
        let interner = rows(engine).interner();
        let numbers = cells.iter().map(|&value| facts.of(value, interner)).collect::<Result<_, _>>();
        let mut numbers: Vec<u32> = numbers.map_err(|stopped| full(&self.predicates.state, stopped))?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(State::of_words(numbers))
    }

    /// All that the rules give a role as its goal, sorted.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn goal_values(&mut self, state: &State, role: Role) -> Result<Vec<Term>, GameError> {
        self.ask(state, &[], StateQuestion::Goal)?;
        let Self { engine, entered, role_values, .. } = self;
        let interner = rows(engine).interner();
        let values = entered.answers[StateQuestion::Goal as usize].of_role(role_values[role.0 as usize]);
        let mut values: Vec<Term> = values.map(|value| interner.term(value)).collect();
        values.sort_unstable();
        Ok(values)
    }

    /// The legal moves of a role in the state that was asked about, in the order of their terms.
    fn moves_of(&mut self, role: Role) -> Result<Vec<Move>, GameError> {
        let Self { engine, moves, entered, role_values, .. } = self;
        let interner = rows(engine).interner();
        let legal = entered.answers[StateQuestion::Legal as usize].of_role(role_values[role.0 as usize]);
        let made = legal.map(|value| moves.of(value, interner).map(Move));
        let mut legal = made.collect::<Result<Vec<_>, _>>().map_err(|stopped| full(&self.predicates.legal, stopped))?;
        moves.sort(&mut legal, |made| made.0);
        Ok(legal)
    }

    /// The percepts of a role for the joint move that was asked about, in the order of their terms.
    fn percepts_of(&mut self, role: usize) -> Result<Vec<Percept>, GameError> {
        let Self { engine, percepts, entered, role_values, .. } = self;
        let interner = rows(engine).interner();
        let seen = entered.answers[StateQuestion::Sees as usize].of_role(role_values[role]);
        let seen = seen.map(|value| percepts.of(value, interner).map(Percept));
        let mut seen = seen.collect::<Result<Vec<_>, _>>().map_err(|stopped| full(&self.predicates.sees, stopped))?;
        percepts.sort(&mut seen, |seen| seen.0);
        Ok(seen)
    }
}

impl StateMachine for Interpreted {
    fn roles(&self) -> &[Term] {
        &self.roles
    }

    fn initial_state(&self) -> &State {
        &self.initial
    }

    fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<Move>, GameError> {
        self.ask(state, &[], StateQuestion::Legal)?;
        self.moves_of(role)
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, GameError> {
        if joint.len() != self.roles.len() {
            return Err(GameError::WrongCount { given: joint.len(), roles: self.roles.clone() });
        }
        let cells = std::mem::take(&mut self.ask(state, joint, StateQuestion::Next)?.cells);
        let next = self.state_of_cells(&cells);
        self.entered.answers[StateQuestion::Next as usize].cells = cells;
        next
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        Ok(self.ask(state, &[], StateQuestion::Terminal)?.count > 0)
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Option<i64>, GameError> {
        self.ask(state, &[], StateQuestion::Goal)?;
        let role = self.role_values[role.0 as usize];
        let mut goals = self.entered.answers[StateQuestion::Goal as usize].of_role(role);
        let (Some(goal), None) = (goals.next(), goals.next()) else { return Ok(None) };
        Ok(rows(&mut self.engine).interner().as_integer(goal))
    }

    fn facts(&self, state: &State) -> Vec<Term> {
        let mut facts: Vec<Term> = state.words().iter().map(|&fact| self.facts.term(fact).clone()).collect();
        facts.sort_unstable();
        facts
    }

    fn state_of(&mut self, facts: Vec<Term>) -> Result<State, GameError> {
        let mut cells = Vec::with_capacity(facts.len());
        for fact in facts {
            let Some(value) = rows(&mut self.engine).interner_mut().intern(&fact) else {
                return Err(Refused::NotGround(atom(&self.predicates.state.name, vec![fact])).into());
            };
            cells.push(value);
        }
        self.state_of_cells(&cells)
    }

    fn move_term(&self, made: Move) -> &Term {
        self.moves.term(made.0)
    }

    fn hides(&self) -> bool {
        self.hides
    }

    fn percepts(&mut self, state: &State, joint: &[Move]) -> Result<Percepts, GameError> {
        if joint.len() != self.roles.len() {
            return Err(GameError::WrongCount { given: joint.len(), roles: self.roles.clone() });
        }
        if !self.hides {
            return Ok(vec![Vec::new(); self.roles.len()]);
        }
        self.ask(state, joint, StateQuestion::Sees)?;
        (0..self.roles.len()).map(|role| self.percepts_of(role)).collect()
    }

    fn percept_term(&self, seen: Percept) -> &Term {
        self.percepts.term(seen.0)
    }

    fn percept_of(&mut self, seen: &Term) -> Option<Percept> {
        let Self { engine, percepts, .. } = self;
        let interner = rows(engine).interner_mut();
        let value = interner.intern(seen)?;
        percepts.of(value, interner).ok().map(Percept)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    fn all_legal_moves(&mut self, states: &[State]) -> Result<Vec<LegalMoves>, GameError> {
        let mut all = Vec::with_capacity(states.len());
        for state in states {
            self.ask(state, &[], StateQuestion::Legal)?;
            let roles = self.role_numbers();
            all.push(roles.map(|role| self.moves_of(role)).collect::<Result<_, _>>()?);
        }
        Ok(all)
    }
}

/// The error where all numbers for the facts of a predicate are in use.
fn full(predicate: &Predicate, stopped: Stopped) -> GameError {
    GameError::Grown { predicate: predicate.clone(), facts: MAX_NUMBERS as u64, stopped }
}

fn rows(engine: &mut Box<dyn Engine>) -> &mut dyn Rows {
    engine.as_rows().expect("no machine is made on an engine without rows")
}

fn atom(predicate: &PredicateName, args: Vec<Term>) -> Atom {
    Atom { predicate: predicate.clone(), args, span: Span::NONE }
}

#[cfg(test)]
mod tests {
    use super::question::CHANGES_PER_LOAD;
    use super::*;
    use crate::contract::{JointMove, Playout, PlayoutEnd, PlayoutOutcome};
    use ludolog_engine::{ENGINES, Setting};
    use ludolog_logic::optimize::Optimization;
    use ludolog_syntax::budget::Clock;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse, print_term};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::Duration;

    fn stratified(text: &str) -> StratifiedProgram {
        let mut sources = Sources::new();
        let source = sources.add("test.kif", text);
        let program = parse(source, &sources, Syntax::Kif).into_result().expect("the test parses");
        ludolog_logic::analysis::analyze(&program).expect("the test is sound").stratified
    }

    fn game(text: &str) -> Interpreted {
        Interpreted::new(&stratified(text), Budget::unlimited()).expect("the test is a game")
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

    fn take(n: i64) -> Term {
        Term::compound("take", vec![Term::Integer(n)])
    }

    const LEFT: Role = Role(0);
    const RIGHT: Role = Role(1);

    #[test]
    fn a_joint_move_leads_to_the_next_state() {
        let mut game = game(COINS);
        assert_eq!(show(game.roles()), ["left", "right"]);
        let first = game.initial_state().clone();
        assert_eq!(show(&game.facts(&first)), ["(heap 3)"]);
        let legal = game.legal_moves(&first, LEFT).unwrap();
        assert_eq!(legal.iter().map(|&made| game.move_term(made)).collect::<Vec<_>>(), [&take(1), &take(2)]);
        assert_eq!(game.all_legal_moves(std::slice::from_ref(&first)), Ok(vec![vec![legal.clone(); 2]]));
        let state = game.next_state(&first, &[legal[1], legal[1]]).unwrap();
        assert_eq!(show(&game.facts(&state)), ["(heap 1)", "(took left 2)", "(took right 2)"]);
        assert_eq!(game.goal(&state, LEFT), Ok(Some(100)));
        // Any state may be asked about again, and moves leave nothing behind.
        assert_eq!(game.legal_moves(&first, LEFT).unwrap(), legal);
        let last = game.next_state(&state, &[legal[0], legal[0]]).unwrap();
        assert_eq!(show(&game.facts(&last)), ["(heap 0)", "(took left 1)", "(took right 1)"]);
        assert_eq!((game.is_terminal(&state), game.is_terminal(&last)), (Ok(false), Ok(true)));
        let facts = game.facts(&last);
        assert_eq!(game.state_of(facts), Ok(last));
    }

    #[test]
    fn many_states_are_answered_as_one_by_one() {
        let mut game = game(COINS);
        let first = game.initial_state().clone();
        let joints: Vec<JointMove> = game.legal_joint_moves(&first).unwrap().collect();
        assert_eq!(joints.len(), 4);
        let steps: Vec<(&State, &[Move])> = joints.iter().map(|joint| (&first, &joint[..])).collect();
        let states = game.next_states(&steps).unwrap();
        for ((state, joint), together) in steps.iter().zip(&states) {
            assert_eq!(game.next_state(state, joint).as_ref(), Ok(together));
        }
        for (state, together) in states.iter().zip(game.all_legal_moves(&states).unwrap()) {
            assert_eq!([LEFT, RIGHT].map(|role| game.legal_moves(state, role).unwrap()).to_vec(), together);
        }
        let together = game.playouts(&states, 9, &mut |_, _, legal| legal[0]).unwrap();
        for (state, together) in states.iter().zip(together) {
            assert_eq!(game.playout(state, 9, |_, legal| legal[0]), Ok(together));
        }
    }

    #[test]
    fn playouts_say_why_they_end() {
        let mut game = game(COINS);
        let first = game.initial_state().clone();
        let one_each = game.playout(&first, 9, |_, legal| legal[0]).unwrap();
        assert_eq!((one_each.end, one_each.steps), (PlayoutEnd::Terminal, 3));
        assert_eq!(one_each.goals, [Some(50), Some(50)]);
        let (end, steps) = game.playout(&first, 2, |_, legal| legal[0]).map(|it| (it.end, it.steps)).unwrap();
        assert_eq!((end, steps), (PlayoutEnd::MaxSteps, 2));
        let empty = State::default();
        assert_eq!(game.playout(&empty, 9, |_, legal| legal[0]).unwrap().end, PlayoutEnd::Stuck(LEFT));
        assert_eq!(game.legal_joint_moves(&empty).unwrap().count(), 0);
    }

    #[test]
    fn goals_that_are_none_several_or_no_integer_are_none() {
        let mut game = game(COINS);
        let took = |role, n| Term::compound("took", vec![Term::symbol(role), Term::Integer(n)]);
        let over = Term::compound("heap", vec![Term::Integer(0)]);
        let mut goals = |facts: &[Term]| {
            let state = game.state_of(facts.to_vec()).unwrap();
            game.goals(&state).unwrap()
        };
        assert_eq!(goals(std::slice::from_ref(&over)), [Some(50), Some(50)]);
        assert_eq!(goals(&[over, took("left", 2)]), [None, Some(50)]);
        assert_eq!(goals(&[]), [None, None]);
        assert_eq!(goals(&[took("right", 2)]), [None, None]);
    }

    #[test]
    fn joint_moves_are_checked() {
        let mut game = game(COINS);
        let state = game.initial_state().clone();
        let joint = game.joint_move(&state, &[take(1), take(2)]).unwrap();
        assert_eq!(joint.iter().map(|&made| game.move_term(made)).collect::<Vec<_>>(), [&take(1), &take(2)]);
        assert!(matches!(game.joint_move(&state, &[take(1)]), Err(GameError::WrongCount { given: 1, .. })));
        assert!(matches!(game.next_state(&state, &[]), Err(GameError::WrongCount { given: 0, .. })));
        let illegal = game.joint_move(&state, &[take(1), take(3)]);
        assert_eq!(
            illegal,
            Err(GameError::IllegalMove { role: Term::symbol("right"), given: take(3), legal: vec![take(1), take(2)] })
        );
        assert_eq!(
            illegal.unwrap_err().to_string(),
            "`(take 3)` is not legal for right; legal are:\n  (take 1)\n  (take 2)"
        );
    }

    #[test]
    fn infinite_relations_are_derived_by_demand() {
        for optimization in [Optimization::None, Optimization::Reordering, Optimization::Both] {
            let setting = Setting { optimization, ..Setting::default() };
            let peano = stratified(include_str!("../../../tests/odd/peano.kif"));
            let mut game = Interpreted::with_setting(&peano, setting, Budget::unlimited()).unwrap();
            let state = game.initial_state().clone();
            let two = Term::compound("s", vec![Term::compound("s", vec![Term::symbol("zero")])]);
            let add = game.joint_move(&state, &[Term::compound("add", vec![two])]).unwrap();
            let state = game.next_state(&state, &add).unwrap();
            assert_eq!(show(&game.facts(&state)), ["(count (s (s zero)))"]);
            let state = game.next_state(&state, &add).unwrap();
            assert_eq!(show(&game.facts(&state)), ["(count (s (s (s (s zero)))))"]);
            assert_eq!(game.is_terminal(&state), Ok(true));
            assert_eq!(game.goal(&state, LEFT), Ok(Some(100)));
        }
    }

    #[test]
    fn engines_and_optimizations_agree() {
        let program = stratified(COINS);
        let play = |engine: &EngineDescription, optimization| {
            let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
            let mut game = Interpreted::with_setting(&program, setting, Budget::unlimited()).unwrap();
            let mut state = game.initial_state().clone();
            let mut seen = Vec::new();
            while !game.is_terminal(&state).unwrap() {
                let joint = game.legal_joint_moves(&state).unwrap().last().unwrap();
                seen.push((game.facts(&state), game.legal_terms(&state).unwrap(), game.goals(&state).unwrap()));
                state = game.next_state(&state, &joint).unwrap();
                if game.facts(&state).contains(&Term::compound("heap", vec![Term::Integer(1)])) {
                    break;
                }
            }
            seen
        };
        let expected = play(&Setting::default().engine, Optimization::None);
        for engine in ENGINES {
            for optimization in Optimization::NAMED {
                assert_eq!(play(engine, optimization), expected);
            }
        }
    }

    /// A walker from 0 to 40. Bottom-up, each state has all triples, of which one is asked for; resolution is ahead,
    /// and is in trouble with `reach` when the walk has passed 20 steps and the race is over.
    fn walk(rules: &str) -> String {
        let succ: String = (0..40).map(|n| format!("(succ {n} {})", n + 1)).collect();
        format!(
            "(role walker) (init (at 0)) {succ}
             (<= (triple ?x ?y ?z) (true (at ?w)) (succ ?x ?a) (succ ?y ?b) (succ ?z ?c))
             (<= (legal walker step) (triple 1 2 3))
             (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
             (<= (next (edge ?x ?y)) (true (edge ?x ?y)))
             (<= (reach ?x ?y) (true (edge ?x ?y)))
             (<= (reach ?x ?z) (true (edge ?x ?y)) (reach ?y ?z))
             (<= terminal (true (at 40)))
             {rules}"
        )
    }

    fn walked(rules: &str) -> (&'static str, PlayoutOutcome, &'static str) {
        let mut game = game(&walk(rules));
        let engine = |game: &Interpreted| game.prepared().setting().engine.name;
        let first = engine(&game);
        let start = game.initial_state().clone();
        let Playout { end, steps, goals, .. } = game.playout(&start, 100, |_, legal| legal[0]).unwrap();
        (first, PlayoutOutcome { end, steps, goals, moves: Vec::new() }, engine(&game))
    }

    #[test]
    fn bottom_up_takes_over_where_resolution_loops() {
        // Edges make a ring in the end. Nobody gets from it to 0.
        let rules = "(<= (next (edge ?n ?m)) (true (at ?n)) (succ 30 ?n) (succ ?n ?m))
            (<= (next (edge ?n ?m)) (true (at ?n)) (succ 31 ?n) (succ ?n ?m)) (<= (next (edge 33 31)) (true (at 35)))
            (<= (goal walker 70) (not (reach 31 0))) (<= (goal walker 0) (reach 31 0))";
        let outcome = PlayoutOutcome { end: PlayoutEnd::Terminal, steps: 40, goals: vec![Some(70)], moves: Vec::new() };
        assert_eq!(walked(rules), ("resolution", outcome, "semi-naive"));
    }

    #[test]
    fn bottom_up_takes_over_where_resolution_takes_far_more_work() {
        // Each step from 21 on doubles the ways from 21: there are a million and more in the end, and none to 0.
        let beyond: String = (21..40).map(|n| format!("(beyond 20 {n})")).collect();
        let rules = "(<= (late ?n) (true (at ?n)) (beyond 20 ?n))
            (<= (next (edge ?n (one ?m))) (late ?n) (succ ?n ?m)) (<= (next (edge ?n (two ?m))) (late ?n) (succ ?n ?m))
            (<= (next (edge (one ?m) ?m)) (late ?n) (succ ?n ?m)) (<= (next (edge (two ?m) ?m)) (late ?n) (succ ?n ?m))
            (<= (legal walker run) (reach 21 0)) (goal walker 30)";
        let outcome = PlayoutOutcome { end: PlayoutEnd::Terminal, steps: 40, goals: vec![Some(30)], moves: Vec::new() };
        assert_eq!(walked(&[rules, &beyond].concat()), ("resolution", outcome, "semi-naive"));
    }

    #[test]
    fn a_game_at_once_is_the_same_game() {
        let program = stratified(COINS);
        let mut at_once = Interpreted::at_once(&program, Budget::unlimited()).unwrap();
        let mut raced = game(COINS);
        let one = at_once.initial_state().clone();
        let other = raced.initial_state().clone();
        let played = [at_once.playout(&one, 9, |_, legal| legal[0]), raced.playout(&other, 9, |_, legal| legal[0])];
        let [one, other] = played.map(|played| played.unwrap());
        assert_eq!((one.end, one.steps, one.goals), (other.end, other.steps, other.goals));
        assert_eq!(at_once.facts(&one.state), raced.facts(&other.state));
    }

    /// A clock that goes on by one second whenever it is read.
    #[derive(Default)]
    struct Ticking(AtomicU64);

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn every_question_has_the_whole_budget() {
        let clock = Arc::new(Ticking::default());
        let budget = Budget::unlimited().with_clock(clock.clone()).with_time(Duration::from_secs(10_000));
        let mut game = Interpreted::new(&stratified(COINS), budget).unwrap();
        let first = game.initial_state().clone();
        clock.0.fetch_add(1_000_000, Ordering::Relaxed);
        assert_eq!(game.is_terminal(&first), Ok(false));
        clock.0.fetch_add(1_000_000, Ordering::Relaxed);
        assert_eq!(game.playout(&first, 9, |_, legal| legal[0]).map(|it| it.steps), Ok(3));
        // Without any time nothing is answered; with time again, everything is.
        game.set_budget(Budget::unlimited().with_interrupt(Arc::new(AtomicBool::new(true))));
        let empty = State::default();
        assert_eq!(game.legal_moves(&empty, LEFT), Err(GameError::Stopped(Stopped::Interrupted)));
        game.set_budget(Budget::unlimited());
        assert_eq!(game.legal_moves(&empty, LEFT), Ok(vec![]));
    }

    #[test]
    fn a_fresh_engine_keeps_the_numbers() {
        let mut game = game(COINS);
        let first = game.initial_state().clone();
        let legal = game.legal_moves(&first, LEFT).unwrap();
        let state = game.next_state(&first, &[legal[0], legal[1]]).unwrap();
        game.entered.changes = CHANGES_PER_LOAD;
        assert_eq!(game.legal_moves(&first, LEFT).unwrap(), legal);
        assert!(game.entered.changes < CHANGES_PER_LOAD);
        assert_eq!(game.next_state(&first, &[legal[0], legal[1]]).unwrap(), state);
        game.entered.changes = CHANGES_PER_LOAD;
        let last = game.next_state(&state, &[legal[1], legal[1]]).unwrap();
        assert_eq!(show(&game.facts(&last)), ["(heap 1)", "(took left 2)", "(took right 2)"]);
    }

    #[test]
    fn a_program_without_roles_is_no_game() {
        let program = StratifiedProgram::default();
        assert!(matches!(Interpreted::new(&program, Budget::unlimited()), Err(GameError::NoRoles)));
    }
}
