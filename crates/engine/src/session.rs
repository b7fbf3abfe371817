//! Sessions: a program with a case, from text to sorted answers.

use crate::case::Case;
use crate::contract::{Answers, Engine, Refused};
use crate::derivation::Derivation;
use crate::listing::Listing;
use crate::prepared::{Prepared, Setting, prepare};
use crate::profile::{Phases, Profile, now};
use crate::refutation::{Refutation, Refuter};
use ludolog_logic::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::{self, Analyzed};
use ludolog_logic::optimize::{Demand, Optimization};
use ludolog_syntax::ast::{Atom, Formula, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostics, Sources, render};
use ludolog_syntax::{Syntax, parse, parse_goal, print_term};
use std::fmt;

/// How many times the expected work a bet of the optimizer may take before the other program has a turn.
const OFF: u64 = 4;

/// The least work of the first turn, some tens of milliseconds: less is not worth another program.
const FIRST_TURN: u64 = 1_000_000;

/// How many times as long as the turn before each turn is.
const PATIENCE: u64 = 4;

/// A program with the facts of a case, ready for queries.
///
/// It hides the rewriting of goals, the order in which engines find answers, and replanning: every answer is that of
/// the program with the facts given so far.
///
/// ```
/// use ludolog_engine::Session;
/// use ludolog_syntax::Syntax;
///
/// let rules = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).";
/// let mut session = Session::of_text(rules, Syntax::Datalog)?;
/// session.insert("edge(a, b)")?;
/// session.insert("edge(b, c)")?;
/// assert_eq!(session.query("path(a, Y)")?.to_string(), "Y = b\nY = c\n");
/// # Ok::<(), ludolog_engine::SessionError>(())
/// ```
pub struct Session {
    analyzed: Analyzed,
    sources: Sources,
    case: Case,
    setting: Setting,
    budget: Budget,
    loaded: Option<Loaded>,
}

/// An engine that holds the facts of the case, for one goal or for all.
struct Loaded {
    asked: Option<Goal>,
    prepared: Prepared,
    engine: Box<dyn Engine>,
    /// The reason why facts may be missing; `None` if all are derived.
    stopped: Option<Stopped>,
    /// The probes for earlier answers.
    spent: u64,
    phases: Phases,
}

/// The answers to a goal, sorted: integers before symbols before compounds, column by column.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The names of the columns: the goal's variables.
    pub variables: Vec<Name>,
    /// One row for each answer. A goal without variables that holds has one empty row.
    pub rows: Vec<Vec<Term>>,
    /// The reason why answers may be missing; `None` if the answers are complete.
    pub stopped: Option<Stopped>,
    /// The rows and clause heads that the engine matched for these answers, without what it had derived before.
    pub probes: u64,
}

impl Solution {
    /// Whether there is an answer.
    pub fn holds(&self) -> bool {
        !self.rows.is_empty()
    }
}

/// One line per answer, as in `X = 1, Y = b`; `yes` or `no` for a goal without variables.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.variables.is_empty() {
            return writeln!(f, "{}", if self.holds() { "yes" } else { "no" });
        }
        for row in &self.rows {
            for (column, (name, term)) in self.variables.iter().zip(row).enumerate() {
                let comma = if column > 0 { ", " } else { "" };
                let [name, term] = [&Term::Variable(name.clone()), term].map(|term| print_term(term, Syntax::Datalog));
                write!(f, "{comma}{name} = {term}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The reason why a session cannot answer or change.
#[derive(Clone, Debug)]
pub enum SessionError {
    /// A text has errors; the diagnostics say where.
    Rejected(Box<Sources>, Diagnostics),
    /// The budget ended, or the engine cannot run the program.
    Stopped(Stopped),
    /// A fact is not ground, or its change is not permitted.
    Refused(Refused),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Rejected(sources, wrong) => f.write_str(&render::to_lines(wrong, sources)),
            SessionError::Stopped(stopped) => stopped.fmt(f),
            SessionError::Refused(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<Stopped> for SessionError {
    fn from(stopped: Stopped) -> Self {
        SessionError::Stopped(stopped)
    }
}

impl From<Refused> for SessionError {
    fn from(refused: Refused) -> Self {
        SessionError::Refused(refused)
    }
}

impl Session {
    /// A session of an analyzed program, with the sources that its spans refer to.
    pub fn new(analyzed: Analyzed, sources: Sources) -> Session {
        Session {
            analyzed,
            sources,
            case: Case::default(),
            setting: Setting::default(),
            budget: Budget::unlimited(),
            loaded: None,
        }
    }

    /// Parses and analyzes one text. Includes are not resolved.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all errors of the text.
    pub fn of_text(text: &str, syntax: Syntax) -> Result<Session, SessionError> {
        let mut sources = Sources::new();
        let source = sources.add("text", text);
        let analyzed = parse(source, &sources, syntax).into_result().and_then(|program| analysis::analyze(&program));
        match analyzed {
            Ok(analyzed) => Ok(Session::new(analyzed, sources)),
            Err(wrong) => Err(SessionError::Rejected(Box::new(sources), wrong)),
        }
    }

    /// Replaces the case.
    pub fn with_case(mut self, case: Case) -> Session {
        self.set_case(case);
        self
    }

    /// Sets the case of all queries from now on.
    pub fn set_case(&mut self, case: Case) {
        (self.case, self.loaded) = (case, None);
    }

    /// Replaces the engine and options.
    pub fn with_setting(mut self, setting: Setting) -> Session {
        self.set_setting(setting);
        self
    }

    /// Sets the engine and options of all queries from now on.
    pub fn set_setting(&mut self, setting: Setting) {
        (self.setting, self.loaded) = (setting, None);
    }

    /// The engine and options.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Sets the budget of all queries from now on.
    pub fn with_budget(mut self, budget: Budget) -> Session {
        self.set_budget(budget);
        self
    }

    /// The budget of all queries.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Sets the budget of all queries from now on; [`Budget::renewed`] gives the next one the whole time again.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The program.
    pub fn program(&self) -> &StratifiedProgram {
        &self.analyzed.stratified
    }

    /// The texts that spans refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The warnings about the program with this case.
    pub fn warnings(&self) -> Diagnostics {
        self.analyzed.warnings_given(&self.case.predicates())
    }

    /// The case, including all changes so far.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Parses a goal in either syntax and checks it against the program and the case.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all errors of the goal.
    pub fn goal(&mut self, text: &str) -> Result<Goal, SessionError> {
        parse_goal(text, &mut self.sources, None)
            .and_then(|query| analysis::goal(&query, &self.analyzed.stratified, &self.case.predicates()))
            .map_err(|wrong| SessionError::Rejected(Box::new(self.sources.clone()), wrong))
    }

    /// Parses a ground fact.
    fn fact(&mut self, text: &str) -> Result<Atom, SessionError> {
        let rejected = |sources: &Sources, wrong| SessionError::Rejected(Box::new(sources.clone()), wrong);
        let query = parse_goal(text, &mut self.sources, None).map_err(|wrong| rejected(&self.sources, wrong))?;
        let no_fact = || Stopped::Unsupported("a fact is one ground atom, as in edge(a, b)".to_owned());
        match &query.body[..] {
            [Formula::Atom(atom)] if atom.is_ground() => Ok(atom.clone()),
            [Formula::Atom(atom)] => Err(Refused::NotGround(atom.clone()).into()),
            _ => Err(no_fact().into()),
        }
    }

    /// Adds a fact to the case; `false` if the case has it already.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the text is not a ground fact.
    pub fn insert(&mut self, fact: &str) -> Result<bool, SessionError> {
        let fact = self.fact(fact)?;
        Ok(self.insert_fact(fact))
    }

    /// Adds a ground fact to the case; `false` if the case has it already. If the plan treats the facts of its
    /// predicate as final, the next query replans.
    pub fn insert_fact(&mut self, fact: Atom) -> bool {
        if self.case.contains(&fact) {
            return false;
        }
        self.change(|engine| engine.insert(&fact).map(|_| ()));
        self.case.facts.push(fact);
        true
    }

    /// Removes a fact from the case; `false` if the case does not have it.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the text is not a ground fact.
    pub fn retract(&mut self, fact: &str) -> Result<bool, SessionError> {
        let fact = self.fact(fact)?;
        Ok(self.retract_fact(&fact))
    }

    /// Removes a ground fact from the case; `false` if the case does not have it.
    pub fn retract_fact(&mut self, fact: &Atom) -> bool {
        if !self.case.remove(fact) {
            return false;
        }
        // A fact that the program also states still holds.
        match self.analyzed.stratified.program.facts.contains(fact) || self.case.geometry.contains(fact) {
            true => {}
            false => self.change(|engine| engine.retract(fact).map(|_| ())),
        }
        true
    }

    /// Applies a change to the loaded engine, and drops the engine if it refuses.
    fn change(&mut self, change: impl FnOnce(&mut dyn Engine) -> Result<(), Refused>) {
        if let Some(loaded) = &mut self.loaded {
            // Events were applied to the old facts, so the engine has to replay them.
            let changed = if self.case.events.is_empty() { change(&mut *loaded.engine).is_ok() } else { false };
            if !changed {
                self.loaded = None;
            }
        }
    }

    /// Optimizes for a goal, or for all predicates, without running the program.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn prepare(&self, goal: Option<&Goal>) -> Result<Prepared, Stopped> {
        prepare(&self.analyzed.stratified, &self.case, goal, &self.setting, &self.budget)
    }

    /// The engine, updated for the goal, or for all predicates.
    fn load(&mut self, goal: Option<&Goal>) -> Result<&mut Loaded, Stopped> {
        let fits = |loaded: &Loaded| loaded.asked.is_none() || loaded.asked.as_ref() == goal;
        let loaded = match self.loaded.take().filter(fits) {
            Some(mut loaded) => {
                loaded.update(&self.budget)?;
                loaded
            }
            None => self.start(goal)?,
        };
        Ok(self.loaded.insert(loaded))
    }

    /// A new engine, updated for the goal, or for all predicates.
    fn start(&self, goal: Option<&Goal>) -> Result<Loaded, Stopped> {
        let (loaded, updated) = self.race(goal, false)?;
        updated.map(|()| loaded)
    }

    /// A new engine with the program optimized and loaded, not run.
    fn optimized(&self, setting: &Setting, goal: Option<&Goal>, profile: bool) -> Result<Loaded, Stopped> {
        let begin = now(&self.budget);
        let prepared = prepare(&self.analyzed.stratified, &self.case, goal, setting, &self.budget)?;
        let optimizing = now(&self.budget) - begin;
        let mut loaded = Loaded::new(prepared, goal, profile, &self.budget)?;
        loaded.phases.optimizing = optimizing;
        Ok(loaded)
    }

    /// A new engine, and whether it could be updated for the goal, or for all predicates.
    ///
    /// What recursion demands is hard to foresee. Where `auto` has bet on demand, that program and the one without demand
    /// take turns, each with four times the work of the turn before, so that the answer costs no more than a few times
    /// what the better of them does; the first turn is long enough for a bet that was right.
    fn race(&self, goal: Option<&Goal>, profile: bool) -> Result<(Loaded, Result<(), Stopped>), Stopped> {
        let budget = &self.budget;
        let mut loaded = self.optimized(&self.setting, goal, profile)?;
        let Some(expected) = loaded.prepared.bet_on(&Demand) else {
            let updated = loaded.update(budget);
            return Ok((loaded, updated));
        };
        let mut turn = (expected as u64).saturating_mul(OFF).max(FIRST_TURN);
        if let Some(updated) = loaded.update_for(turn, budget) {
            return Ok((loaded, updated));
        }
        let setting = Setting { left_out: vec![&Demand], ..self.setting.clone() };
        let mut other = self.optimized(&setting, goal, profile)?;
        loop {
            std::mem::swap(&mut loaded, &mut other);
            turn = turn.saturating_mul(PATIENCE);
            if let Some(updated) = loaded.update_for(turn, budget) {
                loaded.phases.rival = other.phases.total();
                return Ok((loaded, updated));
            }
        }
    }

    /// Runs a goal, or lists the derived facts that are wanted, with a count of costs. Runs anew each time, as a query of a new session
    /// does. A run that is stopped while it derives or answers has the costs until then.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the engine has no profile, or the budget ends before the engine runs.
    pub fn profile(&self, goal: Option<&Goal>, wanted: impl Fn(&Predicate) -> bool) -> Result<Profile, Stopped> {
        if !self.setting.engine.capabilities.profile {
            let name = self.setting.engine.name;
            return Err(Stopped::Unsupported(format!("the engine {name} cannot tell what a rule costs")));
        }
        let (mut loaded, updated) = self.race(goal, true)?;
        let begin = now(&self.budget);
        let (answers, stopped) = match (updated, goal) {
            (Err(stopped), _) => (None, Some(stopped)),
            (Ok(()), Some(goal)) => {
                let solution = loaded.solve(goal, false, &self.budget);
                (Some(solution.rows.len()), solution.stopped)
            }
            (Ok(()), None) => {
                let predicates = loaded.engine.predicates().into_iter().filter(wanted);
                match Listing::new(&mut *loaded.engine, predicates, &self.budget) {
                    Ok(listing) => {
                        let facts = listing.relations().iter().map(|listed| listed.count()).sum();
                        (Some(facts), loaded.stopped.clone().or(listing.stopped))
                    }
                    Err(stopped) => (None, Some(stopped)),
                }
            }
        };
        loaded.phases.answering = now(&self.budget) - begin;
        Ok(Profile {
            evaluation: loaded.engine.evaluation().unwrap_or_default(),
            work: loaded.engine.work(),
            memory: loaded.engine.memory(),
            prepared: loaded.prepared,
            phases: loaded.phases,
            answers,
            stopped,
        })
    }

    /// Answers a goal given as text, in either syntax.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the goal has errors or the program cannot be run. If the budget ends during the run,
    /// [`Solution::stopped`] says so.
    pub fn query(&mut self, goal: &str) -> Result<Solution, SessionError> {
        let goal = self.goal(goal)?;
        Ok(self.solve(&goal)?)
    }

    /// Answers a goal.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run. If the budget ends during the run, [`Solution::stopped`] says so.
    pub fn solve(&mut self, goal: &Goal) -> Result<Solution, Stopped> {
        let budget = self.budget.clone();
        Ok(self.load(Some(goal))?.solve(goal, false, &budget))
    }

    /// Finds one answer of a goal: the first one that the engine finds.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve).
    pub fn first(&mut self, goal: &Goal) -> Result<Solution, Stopped> {
        let budget = self.budget.clone();
        Ok(self.load(Some(goal))?.solve(goal, true, &budget))
    }

    /// The engine, with all facts derived that the goal needs, or all facts; it counts them and its work.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run or the budget ended before all facts were derived.
    pub fn engine(&mut self, goal: Option<&Goal>) -> Result<&dyn Engine, Stopped> {
        let loaded = self.load(goal)?;
        match &loaded.stopped {
            Some(stopped) => Err(stopped.clone()),
            None => Ok(&*loaded.engine),
        }
    }

    /// The predicates that have rules or facts, sorted.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run.
    pub fn predicates(&mut self) -> Result<Vec<Predicate>, Stopped> {
        Ok(self.load(None)?.engine.predicates())
    }

    /// The facts of these predicates in canonical order: by predicate name, arity, then arguments from left to right,
    /// integers before symbols before compounds. If the run stopped early for want of anything but time, the facts found
    /// before the stop, with the reason.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run, time is over, or somebody interrupts.
    pub fn facts(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<(Vec<Atom>, Option<Stopped>), Stopped> {
        let budget = self.budget.clone();
        let listing = self.listing(wanted)?;
        let facts = listing.atoms().collect();
        budget.check()?;
        Ok((facts, listing.stopped))
    }

    /// The same facts in the same order as rows of ids, in a fraction of the space.
    ///
    /// # Errors
    ///
    /// As [`facts`](Self::facts).
    pub fn listing(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<Listing<'_>, Stopped> {
        let budget = self.budget.clone();
        let loaded = self.load(None)?;
        // The engine has the predicates in canonical order.
        let predicates = loaded.engine.predicates().into_iter().filter(wanted);
        let mut listing = Listing::new(&mut *loaded.engine, predicates, &budget)?;
        listing.stopped = loaded.stopped.clone().or(listing.stopped);
        Ok(listing)
    }

    /// Explains the first instance of a goal that is a single fact; `None` if it has none. The only pass that runs is
    /// reordering, so that the derivation refers to the rules as written.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, the goal is not a single fact, or the engine cannot explain.
    pub fn why(&self, goal: &Goal) -> Result<Option<Derivation>, Stopped> {
        let atom = single_fact(goal)?;
        let budget = &self.budget;
        let optimization = Optimization::Reordering;
        let setting = Setting { optimization, record: true, ..self.setting.clone() };
        let prepared = prepare(&self.analyzed.stratified, &self.case, Some(goal), &setting, budget)?;
        let mut loaded = Loaded::new(prepared, Some(goal), false, budget)?;
        loaded.engine.update(budget)?;
        let solution = loaded.solve(goal, false, budget);
        let Some(row) = solution.rows.first() else {
            return solution.stopped.map_or(Ok(None), Err);
        };
        let mut value = |name: &Name| goal.variables.iter().position(|other| other == name).map(|at| row[at].clone());
        let args = atom.args.iter().map(|arg| arg.replace_variables(&mut value)).collect();
        Ok(loaded.engine.derivation(&Atom { args, ..atom.clone() }))
    }

    /// Refutes a goal that is a single fact: for each rule that could derive an instance of it, the first condition that
    /// fails, and so on, `depth` levels deep. `None` if an instance holds. The refutation refers to the rules as written;
    /// any engine can make it. Given facts are those after the events of the case.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, the goal is not a single fact, or the program cannot be run.
    pub fn why_not(&self, goal: &Goal, depth: usize) -> Result<Option<Refutation>, Stopped> {
        let atom = single_fact(goal)?;
        let budget = &self.budget;
        let setting = Setting { optimization: Optimization::Reordering, ..self.setting.clone() };
        let mut loaded = self.optimized(&setting, None, false)?;
        loaded.engine.update(budget)?;
        let program = &self.analyzed.stratified.program;
        let mut defined = analysis::definable(program, analysis::has_roles(program));
        defined.extend(self.case.predicates());
        let (rules, split) = (program.rules_by_head(), analysis::split_predicates(program));
        Refuter { engine: &mut *loaded.engine, rules, defined, split, budget }.refute(atom, depth)
    }
}

impl Loaded {
    /// A new engine with the facts of the case, which counts costs in a profile if asked to.
    fn new(prepared: Prepared, goal: Option<&Goal>, profile: bool, budget: &Budget) -> Result<Loaded, Stopped> {
        let begin = now(budget);
        let mut engine = prepared.load(budget)?;
        if profile {
            engine.start_profile();
        }
        let loaded = now(budget);
        prepared.insert_facts(&mut *engine, budget)?;
        let inserted = now(budget);
        prepared.fire_events(&mut *engine, budget)?;
        let (loading, inserting, events) = (loaded - begin, inserted - loaded, now(budget) - inserted);
        let phases = Phases { loading, inserting, events, ..Phases::default() };
        Ok(Loaded { asked: goal.cloned(), prepared, engine, stopped: None, spent: 0, phases })
    }

    /// Derives. A stop for want of anything but time is noted, since what is derived can still be asked.
    fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let begin = now(budget);
        let updated = self.engine.update(budget);
        self.phases.deriving += now(budget) - begin;
        self.note(updated)
    }

    /// Derives with at most so many probes; `None` if they were not enough.
    fn update_for(&mut self, probes: u64, budget: &Budget) -> Option<Result<(), Stopped>> {
        let limit = self.engine.work().probes.saturating_add(probes);
        match self.update(&budget.clone().with_max_probes(limit)) {
            Ok(()) if matches!(self.stopped, Some(Stopped::TooManyProbes(_))) => None,
            updated => Some(updated),
        }
    }

    fn note(&mut self, updated: Result<(), Stopped>) -> Result<(), Stopped> {
        match updated {
            Err(stopped) if stopped.is_out_of_time() || matches!(stopped, Stopped::Unsupported(_)) => Err(stopped),
            updated => {
                self.stopped = updated.err();
                Ok(())
            }
        }
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Solution {
        let asked = self.asked.as_ref().and_then(|_| self.prepared.goal()).unwrap_or(goal);
        // Facts may be missing after a stop, so that a negation may hold in vain, and an aggregate be too small.
        let negates = asked.body.iter().any(Literal::needs_all);
        let mut answers = match &self.stopped {
            Some(_) if negates => Answers::default(),
            _ => self.engine.solve(asked, first, budget),
        };
        answers.rows.sort();
        let stopped = self.stopped.clone().or(answers.stopped);
        let spent = std::mem::replace(&mut self.spent, self.engine.work().probes);
        Solution { variables: goal.variables.clone(), rows: answers.rows, stopped, probes: self.spent - spent }
    }
}

/// The atom of a goal that can be explained.
fn single_fact(goal: &Goal) -> Result<&Atom, Stopped> {
    match &goal.body[..] {
        [Literal::Positive(atom)] => Ok(atom),
        _ => {
            Err(Stopped::Unsupported("only a single fact can be explained, not a conjunction or a negation".to_owned()))
        }
    }
}
