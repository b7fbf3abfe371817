//! From a text to sorted answers: a program with a case, asked again and again.

use crate::case::Case;
use crate::contract::{Engine, Refused};
use crate::derivation::Derivation;
use crate::prepared::{Prepared, Setting, prepare};
use ludolog_logic::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::{self, Analyzed};
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Formula, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostics, Sources, render};
use ludolog_syntax::{Syntax, parse, parse_goal, print_term};
use std::fmt;

/// A program with the facts of a case, ready for questions.
///
/// It hides what the optimizer makes of goals, the order in which engines find answers, and when something has to be
/// planned anew: every answer is that of the program with the facts given so far.
///
/// ```
/// use ludolog_engine::Session;
/// use ludolog_syntax::Syntax;
///
/// let mut session = Session::of_text("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).", Syntax::Datalog)?;
/// session.insert("edge(a, b)")?;
/// session.insert("edge(b, c)")?;
/// let answers = session.query("path(a, Y)")?;
/// assert_eq!(answers.to_string(), "Y = b\nY = c\n");
/// # Ok::<(), ludolog_engine::SessionError>(())
/// ```
pub struct Session {
    program: StratifiedProgram,
    sources: Sources,
    warnings: Diagnostics,
    case: Case,
    setting: Setting,
    budget: Budget,
    loaded: Option<Loaded>,
}

/// An engine that holds all that the case says, for one goal or for all.
struct Loaded {
    asked: Option<Goal>,
    prepared: Prepared,
    engine: Box<dyn Engine>,
    /// Why not all is derived, if so.
    stopped: Option<Stopped>,
}

/// The answers to a goal, sorted: integers before symbols before compounds, column by column.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The names of the columns: the goal's variables.
    pub variables: Vec<Name>,
    /// One row for each answer. A goal without variables that holds has one empty row.
    pub rows: Vec<Vec<Term>>,
    /// Why there may be more answers, if so.
    pub stopped: Option<Stopped>,
}

impl Solution {
    /// Whether there is an answer.
    pub fn holds(&self) -> bool {
        !self.rows.is_empty()
    }
}

/// One line an answer, as in `X = 1, Y = b`; `yes` or `no` for a goal without variables.
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

/// Why a question has no answer.
#[derive(Clone, Debug)]
pub enum SessionError {
    /// A text is wrong; where and how.
    Rejected(Box<Sources>, Diagnostics),
    /// The budget ended, or the engine cannot run the program.
    Stopped(Stopped),
    /// A fact cannot be taken.
    Refused(Refused),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Rejected(sources, wrong) => f.write_str(render::to_text(wrong, sources, false).trim_end()),
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
    /// A session of an analyzed program, with the sources that its places refer to.
    pub fn new(analyzed: Analyzed, sources: Sources) -> Session {
        Session {
            program: analyzed.stratified,
            sources,
            warnings: analyzed.warnings,
            case: Case::default(),
            setting: Setting::default(),
            budget: Budget::unlimited(),
            loaded: None,
        }
    }

    /// Reads and analyzes one text, which includes nothing.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all that is wrong.
    pub fn of_text(text: &str, syntax: Syntax) -> Result<Session, SessionError> {
        let mut sources = Sources::new();
        let source = sources.add("text", text);
        let analyzed = parse(source, &sources, syntax).into_result().and_then(|program| analysis::analyze(&program));
        match analyzed {
            Ok(analyzed) => Ok(Session::new(analyzed, sources)),
            Err(wrong) => Err(SessionError::Rejected(Box::new(sources), wrong)),
        }
    }

    /// Takes this case in place of the present one.
    pub fn with_case(mut self, case: Case) -> Session {
        (self.case, self.loaded) = (case, None);
        self
    }

    /// Runs by this setting from now on.
    pub fn with_setting(mut self, setting: Setting) -> Session {
        (self.setting, self.loaded) = (setting, None);
        self
    }

    /// Gives each question this budget; its time begins anew with each.
    pub fn with_budget(mut self, budget: Budget) -> Session {
        self.budget = budget;
        self
    }

    /// The program.
    pub fn program(&self) -> &StratifiedProgram {
        &self.program
    }

    /// The texts that places refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What is odd about the program.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The case, with all changes so far.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Reads a goal in either syntax and checks it against the program and the case.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all that is wrong with it.
    pub fn goal(&mut self, text: &str) -> Result<Goal, SessionError> {
        parse_goal(text, &mut self.sources, None)
            .and_then(|query| analysis::goal(&query, &self.program, &self.case.predicates()))
            .map_err(|wrong| SessionError::Rejected(Box::new(self.sources.clone()), wrong))
    }

    /// Reads a ground fact.
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

    /// Adds a fact to the case; `false` when the case has it already.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the text is not a ground fact.
    pub fn insert(&mut self, fact: &str) -> Result<bool, SessionError> {
        let fact = self.fact(fact)?;
        Ok(self.insert_fact(fact))
    }

    /// Adds a ground fact to the case; `false` when the case has it already. Where the plan takes the facts of its
    /// predicate as final, the next question plans anew.
    pub fn insert_fact(&mut self, fact: Atom) -> bool {
        if self.case.facts.contains(&fact) {
            return false;
        }
        self.change(|engine| engine.insert(&fact).map(|_| ()));
        self.case.facts.push(fact);
        true
    }

    /// Takes a fact away from the case; `false` when the case does not have it.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the text is not a ground fact.
    pub fn retract(&mut self, fact: &str) -> Result<bool, SessionError> {
        let fact = self.fact(fact)?;
        Ok(self.retract_fact(&fact))
    }

    /// Takes a ground fact away from the case; `false` when the case does not have it.
    pub fn retract_fact(&mut self, fact: &Atom) -> bool {
        let Some(at) = self.case.facts.iter().position(|other| other == fact) else { return false };
        self.case.facts.remove(at);
        // A fact that the program states as well stays.
        match self.program.program.facts.contains(fact) || self.case.geometry.contains(fact) {
            true => {}
            false => self.change(|engine| engine.retract(fact).map(|_| ())),
        }
        true
    }

    /// Tells the loaded engine of a change; one that refuses it is given up.
    fn change(&mut self, change: impl FnOnce(&mut dyn Engine) -> Result<(), Refused>) {
        if let Some(loaded) = &mut self.loaded {
            // Events have been read in the old facts.
            let changed = if self.case.events.is_empty() { change(&mut *loaded.engine).is_ok() } else { false };
            if !changed {
                self.loaded = None;
            }
        }
    }

    /// Plans for a goal, or for all predicates, without running anything.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn prepare(&self, goal: Option<&Goal>) -> Result<Prepared, Stopped> {
        self.prepare_within(goal, &self.budget.renewed())
    }

    fn prepare_within(&self, goal: Option<&Goal>, budget: &Budget) -> Result<Prepared, Stopped> {
        prepare(&self.program, &self.case, goal, &self.setting, budget)
    }

    /// The engine with everything derived that the goal needs, or everything.
    fn load(&mut self, goal: Option<&Goal>, budget: &Budget) -> Result<&mut Loaded, Stopped> {
        let fits = |loaded: &Loaded| loaded.asked.is_none() || loaded.asked.as_ref() == goal;
        let mut loaded = match self.loaded.take().filter(fits) {
            Some(loaded) => loaded,
            None => Loaded::new(self.prepare_within(goal, budget)?, goal, budget)?,
        };
        loaded.update(budget);
        Ok(self.loaded.insert(loaded))
    }

    /// Answers a goal given as text, in either syntax.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the goal is wrong or nothing could be run. A budget that ends in the middle is told in
    /// [`Solution::stopped`].
    pub fn query(&mut self, goal: &str) -> Result<Solution, SessionError> {
        let goal = self.goal(goal)?;
        Ok(self.solve(&goal)?)
    }

    /// Answers a goal.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when nothing could be run. A budget that ends in the middle is told in [`Solution::stopped`].
    pub fn solve(&mut self, goal: &Goal) -> Result<Solution, Stopped> {
        let budget = self.budget.renewed();
        Ok(self.load(Some(goal), &budget)?.solve(goal, false, &budget))
    }

    /// Finds one answer of a goal, whichever comes first.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve).
    pub fn first(&mut self, goal: &Goal) -> Result<Solution, Stopped> {
        let budget = self.budget.renewed();
        Ok(self.load(Some(goal), &budget)?.solve(goal, true, &budget))
    }

    /// The predicates that have rules or facts, sorted.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when nothing could be run.
    pub fn predicates(&mut self) -> Result<Vec<Predicate>, Stopped> {
        let budget = self.budget.renewed();
        Ok(self.load(None, &budget)?.engine.predicates())
    }

    /// The facts of these predicates in canonical order: by predicate name, arity, then arguments from left to right,
    /// integers before symbols before compounds. With a reason to stop, those found until then.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when nothing could be run.
    pub fn facts(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<(Vec<Atom>, Option<Stopped>), Stopped> {
        let budget = self.budget.renewed();
        let loaded = self.load(None, &budget)?;
        let (mut facts, mut stopped) = (Vec::new(), loaded.stopped.clone());
        for predicate in loaded.engine.predicates().iter().filter(|predicate| wanted(predicate)) {
            // After a stop the facts held are still there to be listed.
            let budget = if stopped.is_some() { &Budget::unlimited() } else { &budget };
            match loaded.engine.facts(predicate, budget) {
                Ok(found) => facts.extend(found),
                Err(reason) => stopped = stopped.or(Some(reason)),
            }
        }
        facts.sort_by(|a, b| (&a.predicate, a.args.len(), &a.args).cmp(&(&b.predicate, b.args.len(), &b.args)));
        Ok((facts, stopped))
    }

    /// Explains the first instance of a goal that is a single fact; `None` when it has none. Rules are only put in order
    /// for this, so that the derivation speaks of the rules as written.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, the goal is not a single fact, or the engine cannot explain.
    pub fn why(&self, goal: &Goal) -> Result<Option<Derivation>, Stopped> {
        let [Literal::Positive(atom)] = &goal.body[..] else {
            let reason = "only a single fact can be explained, not a conjunction or a negation";
            return Err(Stopped::Unsupported(reason.to_owned()));
        };
        let budget = self.budget.renewed();
        let optimization = Optimization::Reordering;
        let setting = Setting { optimization, record: true, ..self.setting.clone() };
        let prepared = prepare(&self.program, &self.case, Some(goal), &setting, &budget)?;
        let mut loaded = Loaded::new(prepared, Some(goal), &budget)?;
        loaded.engine.update(&budget)?;
        let solution = loaded.solve(goal, false, &budget);
        let Some(row) = solution.rows.first() else {
            return solution.stopped.map_or(Ok(None), Err);
        };
        let value = |name: &Name| goal.variables.iter().position(|other| other == name).map(|at| &row[at]);
        let args = atom.args.iter().map(|arg| instance(arg, &value)).collect();
        Ok(loaded.engine.derivation(&Atom { args, ..atom.clone() }))
    }
}

impl Loaded {
    fn new(prepared: Prepared, goal: Option<&Goal>, budget: &Budget) -> Result<Loaded, Stopped> {
        let mut engine = prepared.load()?;
        prepared.insert_facts(&mut *engine)?;
        prepared.fire_events(&mut *engine, budget)?;
        Ok(Loaded { asked: goal.cloned(), prepared, engine, stopped: None })
    }

    fn update(&mut self, budget: &Budget) {
        self.stopped = self.engine.update(budget).err();
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Solution {
        let asked = self.asked.as_ref().and_then(|_| self.prepared.goal()).unwrap_or(goal);
        // After a stop the facts held can still be asked, but not forever.
        let budget = if self.stopped.is_some() { &budget.renewed() } else { budget };
        let mut answers = self.engine.solve(asked, first, budget);
        answers.rows.sort();
        let stopped = self.stopped.clone().or(answers.stopped);
        Solution { variables: goal.variables.clone(), rows: answers.rows, stopped }
    }
}

/// A term with the values of its variables filled in.
fn instance<'a>(term: &Term, value: &impl Fn(&Name) -> Option<&'a Term>) -> Term {
    match term {
        Term::Variable(name) => value(name).unwrap_or(term).clone(),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| instance(arg, value)).collect())
        }
        _ => term.clone(),
    }
}
