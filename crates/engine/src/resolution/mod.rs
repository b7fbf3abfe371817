//! The top-down engine: resolution from left to right, without memory.
//!
//! SLD resolution with negation as finite failure, as in Prolog and Epilog (Clark, *Negation as Failure*, 1978): the
//! first subgoal of a goal is matched with the facts and then the rules of its predicate, in program order; the body of
//! a matching rule replaces the subgoal; on failure, the machine backtracks to the last choice. There are no tables: a
//! predicate with rules is derived again at every call. So the cost depends on the wording of the rules, and the first
//! answer comes early. A call that repeats one of its callers would never terminate: it stops with [`Stopped::Loop`].
//!
//! The answers of safe programs are ground, and the bound arguments of each call are known at compile time. So there is
//! no unification at run time: a predicate is compiled for each binding pattern, on the first call with it. In other
//! respects the machine is that of D. H. D. Warren, *An Abstract Prolog Instruction Set*, 1983.
//!
//! * `table`: facts with indices.
//! * `database`: facts and rules by predicate.
//! * `code`: the operations.
//! * `compile`: from clauses to operations.
//! * `frame`: calls.
//! * `machine`: runs operations.
//! * `endless`: detects loops.

mod code;
mod compile;
mod contract;
mod database;
mod endless;
mod frame;
mod machine;
mod table;

pub use contract::RESOLUTION;
pub use machine::MAX_FRAMES;

use crate::contract::Openness;
use crate::value::Value;
use code::ClauseCode;
use compile::CompiledQuery;
use database::{Database, Fact, RelationId};
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Literal, TransitionClause};
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Effect, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use machine::{Event, ResolutionMachine};
use table::Table;

/// Most operations of compiled code. Code of old goals is not reclaimed one by one: beyond this, all code is dropped
/// and compiled again as needed.
const MAX_CODE: usize = 1 << 20;

/// A program under top-down resolution.
///
/// All facts are derived on demand, so [`update`](crate::Engine::update) does nothing. Memory is that of the given
/// facts, of the nested calls (at most [`MAX_FRAMES`], then [`Stopped::TooDeep`]) and of the distinct terms ever built.
#[derive(Clone)]
pub struct Resolution {
    openness: Openness,
    database: Database,
    transitions: Vec<ResolutionTransition>,
    code: ClauseCode,
    machine: ResolutionMachine,
}

#[derive(Clone)]
struct ResolutionTransition {
    conditions: Body,
    /// The arguments of all effects, concatenated.
    args: Vec<Term>,
    effects: Vec<EffectChange>,
    /// The compiled conditions. Answers are instances of the arguments.
    query: Option<CompiledQuery>,
}

/// The change that an effect makes to the facts of a predicate.
#[derive(Clone, Copy)]
struct EffectChange {
    relation: RelationId,
    arity: usize,
    adds: bool,
}

impl ResolutionTransition {
    fn new(clause: &TransitionClause, database: &mut Database) -> Self {
        let change = |effect: &Effect| {
            let (adds, atom) = match effect {
                Effect::Add(atom) => (true, atom),
                Effect::Delete(atom) => (false, atom),
            };
            EffectChange { relation: database.relation(&atom.signature()), arity: atom.args.len(), adds }
        };
        let effects = clause.effects.iter().map(change).collect();
        let args = clause.effects.iter().flat_map(|(Effect::Add(atom) | Effect::Delete(atom))| &atom.args);
        Self { conditions: clause.conditions.clone(), args: args.cloned().collect(), effects, query: None }
    }
}

impl Resolution {
    /// An engine with the facts and rules of a program.
    ///
    /// # Panics
    ///
    /// Never: without limits, nothing stops early.
    pub fn new(program: &OptimizedProgram) -> Self {
        Self::load(program, &Budget::unlimited()).expect("nothing stops loading without limits")
    }

    /// As [`new`](Self::new), within a budget.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Internal`] of an unsafe program.
    pub fn load(program: &OptimizedProgram, budget: &Budget) -> Result<Self, Stopped> {
        program.stratified.program.check_safety().map_err(Stopped::Internal)?;
        let openness = Openness::of(program);
        let program = &program.stratified.program;
        let mut database = Database::new(program, budget)?;
        let transitions =
            program.transitions.iter().map(|clause| ResolutionTransition::new(clause, &mut database)).collect();
        Ok(Self { openness, database, transitions, code: ClauseCode::default(), machine: ResolutionMachine::default() })
    }

    fn forget_code(&mut self) {
        self.code = ClauseCode::default();
        self.transitions.iter_mut().for_each(|transition| transition.query = None);
    }

    /// Adds a fact; `false` if it held already. Drops code that was compiled when the predicate had no facts.
    fn add(&mut self, relation: RelationId, row: &[Value]) -> bool {
        let Some((_, known)) = self.database.relations.get_index(relation) else {
            return false;
        };
        if !known.has_facts && !known.rules.is_empty() {
            self.forget_code();
        }
        self.database.insert(relation, row)
    }

    /// Finds the instances of `results` for which `body` holds, or the `first` of them.
    fn ask(&mut self, body: &[Literal], results: &[Term], first: bool, budget: &Budget) -> (Table, Option<Stopped>) {
        if self.code.ops.len() > MAX_CODE {
            self.forget_code();
        }
        let query = compile::query(body, results, &mut self.code, &mut self.database);
        let mut answers = Table::new(results.len());
        // Without variables there is at most one answer.
        let stopped = self.run(query, first || results.is_empty(), &mut answers, budget).err();
        (answers, stopped)
    }

    /// Runs a query to its end, or to its `first` answer, and adds new answers to `answers`.
    fn run(&mut self, query: CompiledQuery, first: bool, answers: &mut Table, budget: &Budget) -> Result<(), Stopped> {
        self.machine.start(query);
        self.database.interner.forget_excess();
        self.database.interner.take_overflow();
        loop {
            let event = self.machine.run(&self.code, &mut self.database, budget)?;
            self.database.interner.check_overflow()?;
            match event {
                Event::Answer => {
                    // An answer is built whole after the last call.
                    if let Some(excess) = self.database.interner.excess() {
                        return Err(Stopped::TermTooLarge(excess));
                    }
                    answers.insert(&self.machine.answer);
                    if first {
                        return Ok(());
                    }
                    if let Some(max) = budget.max_facts().filter(|&max| answers.len() as u64 > max) {
                        return Err(Stopped::TooManyFacts(max));
                    }
                }
                Event::Exhausted => return Ok(()),
                Event::Compile(procedure) => compile::procedure(procedure, &mut self.code, &mut self.database),
            }
        }
    }

    /// The deletions and additions of the transition rules whose conditions hold.
    fn effects(&mut self, budget: &Budget) -> Result<[Vec<Fact>; 2], Stopped> {
        let mut deletions = Vec::new();
        let mut additions = Vec::new();
        for i in 0..self.transitions.len() {
            let ResolutionTransition { conditions, args, query, .. } = &mut self.transitions[i];
            let compile = || compile::query(conditions, args, &mut self.code, &mut self.database);
            let mut answers = Table::new(args.len());
            let query = *query.get_or_insert_with(compile);
            self.run(query, false, &mut answers, budget)?;
            for answer in answers.rows() {
                let mut rest = answer;
                for effect in &self.transitions[i].effects {
                    let (row, others) = rest.split_at(effect.arity);
                    let changes = if effect.adds { &mut additions } else { &mut deletions };
                    changes.push((effect.relation, row.to_vec()));
                    rest = others;
                }
            }
        }
        Ok([deletions, additions])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Answers, Engine};
    use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Elements, Goal, StratifiedProgram};
    use ludolog_syntax::ast::{Atom, Comparator, Comparison, Predicate};
    use ludolog_syntax::budget::Excess;
    use ludolog_syntax::diagnostic::Span;

    /// A variable if it begins upper-case, else an integer or a symbol.
    fn term(text: &str) -> Term {
        match text.parse() {
            Ok(n) => Term::Integer(n),
            Err(_) if text.starts_with(|c: char| c.is_ascii_uppercase()) => Term::variable(text),
            Err(_) => Term::symbol(text),
        }
    }

    fn atom(predicate: &str, args: &[&str]) -> Atom {
        Atom::new(predicate, args.iter().map(|arg| term(arg)).collect())
    }

    fn holds(predicate: &str, args: &[&str]) -> Literal {
        Literal::Positive(atom(predicate, args))
    }

    fn compare(left: Term, comparator: Comparator, right: Term) -> Literal {
        Literal::Compare(Comparison { comparator, left, right, span: Span::NONE })
    }

    fn rule(head: Atom, body: Vec<Literal>) -> Clause {
        Clause { head, body: body.into(), span: Span::NONE }
    }

    fn engine(facts: Vec<Atom>, rules: Vec<Clause>, transitions: Vec<TransitionClause>) -> Resolution {
        let program = CheckedProgram { facts, rules, transitions, ..CheckedProgram::default() };
        let stratified = StratifiedProgram { program, ..StratifiedProgram::default() };
        Resolution::new(&stratified.into())
    }

    fn ask(engine: &mut Resolution, body: Literal, variables: &[&str]) -> Answers {
        let variables = variables.iter().map(|&name| name.into()).collect();
        engine.solve(&Goal { body: vec![body].into(), variables, span: Span::NONE }, false, &Budget::unlimited())
    }

    fn path() -> Vec<Clause> {
        vec![
            rule(atom("path", &["X", "Y"]), vec![holds("edge", &["X", "Y"])]),
            rule(atom("path", &["X", "Z"]), vec![holds("edge", &["X", "Y"]), holds("path", &["Y", "Z"])]),
        ]
    }

    #[test]
    fn answers_come_in_the_order_of_facts_and_rules_each_once() {
        let edges = [("a", "c"), ("a", "b"), ("b", "d"), ("c", "d")];
        let facts = edges.iter().map(|(x, y)| atom("edge", &[x, y])).collect();
        let mut engine = engine(facts, path(), vec![]);
        let answers = ask(&mut engine, holds("path", &["a", "Y"]), &["Y"]);
        assert_eq!(answers.stopped, None);
        assert_eq!(answers.rows, [[term("c")], [term("b")], [term("d")]]);
    }

    #[test]
    fn a_loop_is_told_with_the_answers_found_before() {
        let facts = vec![atom("edge", &["a", "b"]), atom("edge", &["b", "a"])];
        let mut engine = engine(facts, path(), vec![]);
        let answers = ask(&mut engine, holds("path", &["a", "Y"]), &["Y"]);
        assert_eq!(answers.rows, [[term("b")], [term("a")]]);
        assert!(matches!(answers.stopped, Some(Stopped::Loop(goal)) if goal.predicate == "path"));
    }

    #[test]
    fn a_loop_of_last_calls_is_told() {
        let rules = vec![
            rule(atom("ping", &["X"]), vec![holds("pong", &["X", "X"])]),
            rule(atom("pong", &["Y", "Y"]), vec![holds("ping", &["Y"])]),
        ];
        let answers = ask(&mut engine(vec![], rules, vec![]), holds("ping", &["a"]), &[]);
        assert_eq!(answers.rows.len(), 0);
        assert!(matches!(answers.stopped, Some(Stopped::Loop(_))));
    }

    /// `N in From..To`.
    fn within(from: i64, to: i64) -> Literal {
        let elements = Elements::Range(Term::Integer(from), Term::Integer(to));
        Literal::Member { element: term("N"), elements, negated: false, span: Span::NONE }
    }

    /// `M is N + Difference`.
    fn next(difference: i64) -> Literal {
        compare(term("M"), Comparator::Is, Term::compound("+", vec![term("N"), Term::Integer(difference)]))
    }

    /// `count(N) :- N in 0..0.` and `count(N) :- N in 1..1000000 & M is N + -1 & count(M).`
    fn count() -> Vec<Clause> {
        vec![
            rule(atom("count", &["N"]), vec![within(0, 0)]),
            rule(atom("count", &["N"]), vec![within(1, 1_000_000), next(-1), holds("count", &["M"])]),
        ]
    }

    #[test]
    fn last_calls_take_no_room() {
        let mut engine = engine(vec![], count(), vec![]);
        let budget = Budget::unlimited().with_max_facts(10);
        let goal = Goal { body: vec![holds("count", &["100000"])].into(), variables: vec![], span: Span::NONE };
        let answers = engine.solve(&goal, true, &budget);
        assert_eq!((answers.rows.len(), answers.stopped), (1, None));
        assert_eq!(engine.work().derived, 100_001);
    }

    #[test]
    fn growing_calls_end_too_deep() {
        // deep(N) :- N in 0..1000000000 & M is N + 1 & ~deep(M).
        let body = vec![within(0, 1_000_000_000), next(1), Literal::Negative(atom("deep", &["M"]))];
        let rules = vec![rule(atom("deep", &["N"]), body)];
        let answers = ask(&mut engine(vec![], rules, vec![]), holds("deep", &["0"]), &[]);
        assert_eq!(answers.stopped, Some(Stopped::TooDeep(MAX_FRAMES)));
    }

    #[test]
    fn growing_terms_stop_a_goal_and_not_the_next() {
        // grow(X) :- grow(f(X)).
        let body = Literal::Positive(Atom::new("grow", vec![Term::compound("f", vec![term("X")])]));
        let mut engine = engine(vec![atom("p", &["a"])], vec![rule(atom("grow", &["X"]), vec![body])], vec![]);
        for _ in 0..2 {
            assert_eq!(
                ask(&mut engine, holds("grow", &["a"]), &[]).stopped,
                Some(Stopped::TermTooLarge(Excess::Depth(crate::value::MAX_DEPTH)))
            );
            assert_eq!(ask(&mut engine, holds("p", &["X"]), &["X"]).stopped, None);
        }
    }

    #[test]
    fn a_predicate_with_rules_takes_facts_later() {
        let rules = vec![rule(atom("p", &["X"]), vec![holds("q", &["X"])])];
        let mut engine = engine(vec![atom("q", &["a"])], rules, vec![]);
        assert_eq!(ask(&mut engine, holds("p", &["X"]), &["X"]).rows, [[term("a")]]);
        assert_eq!(engine.insert(&atom("p", &["b"])), Ok(true));
        assert_eq!(engine.insert(&atom("p", &["b"])), Ok(false));
        assert_eq!(ask(&mut engine, holds("p", &["X"]), &["X"]).rows, [[term("b")], [term("a")]]);
        assert_eq!(ask(&mut engine, holds("p", &["b"]), &[]).rows.len(), 1);
    }

    /// `move(X, Y) & at(X) ==> ~at(X) & at(Y) & ~mark(X).`
    fn moves() -> TransitionClause {
        TransitionClause {
            conditions: vec![holds("move", &["X", "Y"]), holds("at", &["X"])].into(),
            effects: vec![
                Effect::Add(atom("at", &["Y"])),
                Effect::Delete(atom("at", &["X"])),
                Effect::Delete(atom("mark", &["X"])),
            ],
            span: Span::NONE,
        }
    }

    #[test]
    fn deletions_come_before_additions_and_the_event_goes() {
        let mut engine = engine(vec![atom("at", &["a"]), atom("mark", &["a"])], vec![], vec![moves()]);
        engine.fire(&atom("move", &["a", "a"]), &Budget::unlimited()).unwrap();
        assert_eq!(engine.facts(&Predicate::new("at", 1), &Budget::unlimited()).unwrap(), [atom("at", &["a"])]);
        assert_eq!(engine.facts(&Predicate::new("mark", 1), &Budget::unlimited()).unwrap(), []);
        engine.fire(&atom("move", &["b", "c"]), &Budget::unlimited()).unwrap();
        engine.fire(&atom("move", &["a", "b"]), &Budget::unlimited()).unwrap();
        assert_eq!(engine.facts(&Predicate::new("at", 1), &Budget::unlimited()).unwrap(), [atom("at", &["b"])]);
        assert_eq!(engine.predicates(), [Predicate::new("at", 1)]);
    }

    #[test]
    fn a_stopped_event_changes_nothing() {
        let rules = vec![rule(atom("at", &["X"]), vec![holds("at", &["X"])])];
        let mut engine = engine(vec![atom("at", &["a"]), atom("mark", &["a"])], rules, vec![moves()]);
        assert!(matches!(engine.fire(&atom("move", &["b", "c"]), &Budget::unlimited()), Err(Stopped::Loop(_))));
        assert_eq!(engine.facts(&Predicate::new("mark", 1), &Budget::unlimited()).unwrap(), [atom("mark", &["a"])]);
        assert_eq!(engine.facts(&Predicate::new("move", 2), &Budget::unlimited()).unwrap(), []);
    }
}
