//! Sessions: a program with a case, from text to sorted answers.
//!
//! * `runner`: the choice of the program that runs, as written or optimized.
//! * `beside`: a program that has turns while another runs; `replan`: one that is planned again while it runs.
//! * `case_engine`: an engine with the facts of the case.
//! * `settle`: answers that may depend on an integer that does not fit 64 bits.
//! * `parts`: facts of predicates that are split by their constants.
//! * `solution`: answers and errors; `why`: why a fact holds, or none does, `written`: in terms of the rules as written; `constraints`: those
//!   that are broken.

mod beside;
mod case_engine;
mod constraints;
mod parts;
mod replan;
mod runner;
mod settle;
mod solution;
mod why;
mod written;

pub use settle::settled_facts;
pub use solution::{SessionError, Solution};
pub use why::WhyNot;

use crate::case::Case;
use crate::contract::{Engine, EngineDescription, Refused};
use crate::costs::now;
use crate::listing::{Gathered, Listing};
use crate::prepared::{Prepared, Setting, prepare};
use crate::profile::Profile;
use case_engine::CaseEngine;
use ludolog_logic::analysis::clause::{CheckedProgram, Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::{self, Analyzed, Arities, ColumnKinds, well_founded};
use ludolog_logic::optimize::prune::relevant;
use ludolog_logic::optimize::{BrokenPass, Demand, Pass};
use ludolog_syntax::ast::{Atom, Formula, Predicate, Purpose, Query};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostics, Sources, Span};
use ludolog_syntax::{ColdSort, Facts, LoadedProgram, Parsed, Syntax, parse, parse_goal};
use parts::Parts;
use runner::Runner;
use rustc_hash::FxHashSet;
use settle::{Wanted, is_overflow};
use std::collections::BTreeSet;
use std::sync::OnceLock;

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
    /// The predicates that may have undefined facts, without those of the case that `parts` has.
    undefinable: FxHashSet<Predicate>,
    /// What runs instead where the case has facts of predicates that are split; empty until it is needed.
    parts: OnceLock<Result<Option<Box<Parts>>, Stopped>>,
    loaded: Option<CaseEngine>,
    /// The constraints that the facts break; `None` until they are asked.
    broken: Option<Diagnostics>,
    /// The kinds of values in the columns of the facts so far; `None` until a goal asks for them.
    kinds: Option<ColumnKinds>,
    /// The numbers of arguments of the program's predicates, from the first inserted fact on.
    arities: OnceLock<Arities>,
    /// The predicates that facts were inserted of.
    inserted: FxHashSet<Predicate>,
}

impl Session {
    /// A session of an analyzed program, with the sources that its spans refer to.
    pub fn new(analyzed: Analyzed, sources: Sources) -> Session {
        Session {
            undefinable: well_founded::undefinable(&analyzed.stratified),
            analyzed,
            sources,
            case: Case::default(),
            setting: Setting::default(),
            budget: Budget::unlimited(),
            parts: OnceLock::new(),
            loaded: None,
            broken: None,
            kinds: None,
            arities: OnceLock::new(),
            inserted: FxHashSet::default(),
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
        let Parsed { program, diagnostics } = parse(source, &sources, syntax);
        Session::of_program(LoadedProgram { program, diagnostics, facts: Facts::default() }, sources)
    }

    /// Analyzes a program that was read, whose tables are its case. All its predicates may get more facts.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all errors of the texts.
    pub fn of_program(read: LoadedProgram, sources: Sources) -> Result<Session, SessionError> {
        let LoadedProgram { program, facts, diagnostics: mut warnings } = read;
        let analyzed =
            if warnings.has_errors() { Err(std::mem::take(&mut warnings)) } else { analysis::analyze(&program) };
        let mut analyzed = match analyzed {
            Ok(analyzed) => analyzed,
            Err(wrong) => return Err(SessionError::Rejected(Box::new(sources), wrong)),
        };
        analyzed.define(&facts.empty);
        let mut case = Case::default();
        case.extend(facts);
        let checked = &analyzed.stratified.program;
        let given = case.columns(checked).with_others(checked.mentioned());
        warnings.extend(std::mem::take(&mut analyzed.warnings));
        warnings.extend(analysis::lint_answers(&program, &given, &Budget::unlimited()));
        analyzed.warnings = warnings;
        Ok(Session::new(analyzed, sources).with_case(case))
    }

    /// Replaces the case.
    pub fn with_case(mut self, case: Case) -> Session {
        self.set_case(case);
        self
    }

    /// Sets the case of all queries from now on.
    pub fn set_case(&mut self, case: Case) {
        self.case = case;
        (self.loaded, self.broken, self.kinds) = (None, None, None);
        self.parts = OnceLock::new();
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
        // With more time it may be made.
        if matches!(self.parts.get(), Some(Err(_))) {
            self.parts = OnceLock::new();
        }
    }

    /// The program; where the case has facts of predicates that are split by their constants, with these facts.
    pub fn program(&self) -> &StratifiedProgram {
        self.parts().ok().flatten().map_or(&self.analyzed.stratified, |parts| &parts.program)
    }

    /// What runs instead of the program and the case, where the case has facts of predicates that are split.
    fn parts(&self) -> Result<Option<&Parts>, Stopped> {
        let make = || Ok(Parts::of(&self.analyzed.stratified, &self.case, &self.budget)?.map(Box::new));
        self.parts.get_or_init(make).as_ref().map(Option::as_deref).map_err(Clone::clone)
    }

    /// Forgets what was made of the facts of a predicate that is split.
    fn forget_parts(&mut self, changed: &Atom) {
        let mut split = self.analyzed.stratified.split.iter().map(|rule| &rule.head);
        if split.any(|head| head.predicate == changed.predicate && head.args.len() == changed.args.len()) {
            self.parts = OnceLock::new();
        }
    }

    /// The texts that spans refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
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
        let query = parse_goal(text, &mut self.sources, None)
            .map_err(|wrong| SessionError::Rejected(Box::new(self.sources.clone()), wrong))?;
        self.goal_of(&query)
    }

    /// Checks a goal against the program and the case.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], with all errors of the goal.
    pub fn goal_of(&self, query: &Query) -> Result<Goal, SessionError> {
        analysis::goal(query, &self.analyzed.stratified, &self.case.predicates())
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

    /// Holds ground facts to the numbers of arguments that the program has, and to the types that it declares.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], when the program has the predicate with another number of arguments alone, or a value is of another type.
    pub fn check_facts<'f>(&self, facts: impl IntoIterator<Item = &'f Atom> + Clone) -> Result<(), SessionError> {
        self.check_arities(facts.clone())?;
        analysis::check_facts(&self.program().program, facts).map_err(|wrong| self.rejected(wrong))
    }

    /// Holds ground facts to the numbers of arguments that the program has.
    ///
    /// # Errors
    ///
    /// [`SessionError::Rejected`], when the program has the predicate with another number of arguments alone.
    pub fn check_arities<'f>(&self, facts: impl IntoIterator<Item = &'f Atom>) -> Result<(), SessionError> {
        let arities = self.arities();
        let mut before: Option<&Atom> = None;
        for fact in facts {
            let is_same = |other: &Atom| other.predicate == fact.predicate && other.args.len() == fact.args.len();
            if !before.replace(fact).is_some_and(is_same) {
                arities.check(&fact.signature()).map_err(|wrong| self.rejected(wrong))?;
            }
        }
        Ok(())
    }

    fn rejected(&self, wrong: Diagnostics) -> SessionError {
        SessionError::Rejected(Box::new(self.sources.clone()), wrong)
    }

    /// Warnings of predicates that get facts and that the program does not have. Of a program without predicates there are none.
    pub fn unread(&self, given: impl IntoIterator<Item = Predicate>) -> Diagnostics {
        self.arities().unread(given)
    }

    fn arities(&self) -> &Arities {
        self.arities.get_or_init(|| Arities::of(&self.program().program))
    }

    /// Adds a fact to the case; `false` if the case has it already.
    ///
    /// # Errors
    ///
    /// [`SessionError`], when the text is not a ground fact, or not one that [`check_facts`](Self::check_facts) takes.
    pub fn insert(&mut self, fact: &str) -> Result<bool, SessionError> {
        let fact = self.fact(fact)?;
        self.check_facts([&fact])?;
        Ok(self.insert_fact(fact))
    }

    /// Adds a ground fact to the case; `false` if the case has it already. If the plan treats the facts of its
    /// predicate as final, the next query replans. It is not held to types: [`check_facts`](Self::check_facts) does that.
    pub fn insert_fact(&mut self, fact: Atom) -> bool {
        if self.case.contains(&fact) {
            return false;
        }
        self.change(|engine| engine.insert(&fact).map(|_| ()));
        self.broken = None;
        self.kinds = self.kinds.take().filter(|kinds| kinds.admit(&fact));
        self.forget_parts(&fact);
        self.inserted.insert(fact.signature());
        self.case.facts.insert(fact);
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
        self.broken = None;
        self.forget_parts(fact);
        self.kinds = self.kinds.take().filter(|kinds| !kinds.are_mixed(&fact.signature()));
        // A fact that the program also states still holds.
        if !(self.analyzed.stratified.program.facts.contains(fact) || self.case.geometry.contains(fact)) {
            let name = self.setting.engine.name;
            self.change(|engine| engine.as_retract().ok_or(Refused::NoRetraction(name))?.retract(fact).map(|_| ()));
        }
        true
    }

    /// Applies a change to the loaded engine, and drops the engine if it refuses.
    fn change(&mut self, change: impl FnOnce(&mut dyn Engine) -> Result<(), Refused>) {
        if let Some(loaded) = &mut self.loaded {
            // Events were applied to the old facts, so the engine has to replay them.
            let keeps = self.case.events.is_empty() && !loaded.is_single && !loaded.is_final;
            let changed = if keeps { change(&mut *loaded.engine).is_ok() } else { false };
            if !changed {
                self.loaded = None;
            }
        }
    }

    /// Optimizes for a goal, or for all predicates, without running the program. The steps tell the expected costs.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn prepare(&self, goal: Option<&Goal>) -> Result<Prepared, Stopped> {
        let setting = Setting { priced: true, ..self.setting.clone() };
        let Runner { program, case, budget, .. } = self.runner()?;
        prepare(program, case, goal, &setting, budget)
    }

    /// The engine, updated for the goal, or for all predicates.
    fn load(&mut self, goal: Option<&Goal>) -> Result<&mut CaseEngine, Stopped> {
        let loaded = match self.loaded.take().filter(|loaded| loaded.answers(goal)) {
            Some(loaded) => self.runner()?.go_on(loaded, goal)?,
            None => self.runner()?.start(goal)?,
        };
        Ok(self.loaded.insert(loaded))
    }

    /// The most probes for which the program runs as written, since it has few facts, before what [`prepare`](Self::prepare) makes
    /// of it runs; `None` if that runs at once.
    pub fn most_as_written(&self, goal: Option<&Goal>) -> Option<u64> {
        self.runner().ok()?.most_as_written(goal)
    }

    /// The passes that were left out of the last run because they are broken.
    pub fn broken_passes(&self) -> &[BrokenPass] {
        self.loaded.as_ref().map_or(&[], |loaded| &loaded.prepared.optimized.broken)
    }

    /// Whether the last run derived only what its goal demands.
    pub fn ran_on_demand(&self) -> bool {
        let steps = self.loaded.as_ref().map_or(&[][..], |loaded| &loaded.prepared.optimized.steps);
        steps.iter().any(|step| step.pass.name() == Demand.name())
    }

    /// Whether the last run was planned again, since a predicate had many more or fewer facts than expected.
    pub fn was_planned_again(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| loaded.is_final)
    }

    fn runner(&self) -> Result<Runner<'_>, Stopped> {
        let (program, case) = match self.parts()? {
            Some(parts) => (&parts.program, &parts.case),
            None => (&self.analyzed.stratified, &self.case),
        };
        Ok(Runner { program, case, setting: &self.setting, budget: &self.budget })
    }

    /// Runs a goal, or lists the derived facts that are wanted, with a count of costs. Runs anew each time, as a query of a new session
    /// does. A run that is stopped while it derives or answers has the costs until then.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the engine has no profile, or the budget ends before the engine runs.
    pub fn profile(&self, goal: Option<&Goal>, wanted: impl Fn(&Predicate) -> bool) -> Result<Profile, Stopped> {
        let EngineDescription { name, .. } = self.setting.engine;
        if !self.setting.engine.has(|engine| engine.as_profiled().is_some()) {
            return Err(Stopped::Unsupported(format!("the engine {name} cannot tell what a rule costs")));
        }
        let listed = if goal.is_none() { self.goal_of_facts(&wanted) } else { None };
        let asked = goal.or(listed.as_ref());
        let runner = self.runner()?;
        let run = |program: &StratifiedProgram| Runner { program, ..runner }.race(asked, true);
        let (mut loaded, mut updated) = run(runner.program)?;
        if let (Err(stopped), Some(goal)) = (&updated, goal)
            && stopped.lacks_value()
            && let Ok(part) = self.without_undecided(goal, stopped.clone())
        {
            (loaded, updated) = run(&part)?;
        }
        let begin = now(&self.budget);
        let (answers, stopped) = match (updated, goal) {
            (Err(stopped), _) => (None, Some(stopped)),
            (Ok(()), Some(goal)) => {
                let solution = loaded.solve(goal, false, &self.budget);
                (Some(solution.count()), solution.stopped)
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
            evaluation: loaded.engine.as_profiled().map(|profiled| profiled.evaluation()).unwrap_or_default(),
            work: loaded.engine.work(),
            memory: loaded.engine.as_count().map(|count| count.memory()),
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
        self.answer(goal, false)
    }

    /// Finds one answer of a goal: the first one that the engine finds. A limit that the engine comes to behind it is no stop.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve).
    pub fn first(&mut self, goal: &Goal) -> Result<Solution, Stopped> {
        let mut found = self.answer(goal, true)?;
        if found.holds() {
            found.stopped = found.stopped.filter(|stopped| !stopped.is_limit());
        }
        Ok(found)
    }

    fn answer(&mut self, goal: &Goal, first: bool) -> Result<Solution, Stopped> {
        let budget = self.budget.clone();
        let settled = match self.load(self.planned(goal)) {
            Ok(loaded) => {
                let solution = loaded.solve(goal, first, &budget);
                if !is_overflow(solution.stopped.as_ref()) {
                    return Ok(solution);
                }
                self.settle(Wanted::Goal(goal, self.planned(goal)))?
            }
            // An event, before the goal is asked.
            Err(stopped) if is_overflow(Some(&stopped)) => self.settle(Wanted::Goal(goal, self.planned(goal)))?,
            Err(stopped) => {
                let program = self.without_undecided(goal, stopped)?;
                let runner = Runner { program: &program, ..self.runner()? };
                return Ok(runner.start(None)?.solve(goal, first, &budget));
            }
        };
        Ok(settled.solve(goal, first, &budget))
    }

    /// The part of the program that a goal depends on, where an aggregate has no value, or a lattice column no order, and stands in the rest.
    ///
    /// # Errors
    ///
    /// The reason for the stop, if it is another one, or the goal depends on the whole program.
    fn without_undecided(&self, goal: &Goal, stopped: Stopped) -> Result<StratifiedProgram, Stopped> {
        let mut part = self.program().clone();
        let relevant = relevant(&part.program, goal);
        let size = |program: &CheckedProgram| program.rules.len() + program.lattices.len();
        let whole = size(&part.program);
        part.program.rules.retain(|rule| relevant.contains(&rule.head.signature()));
        part.program.lattices.retain(|predicate, _| relevant.contains(predicate));
        (part.program.queries, part.program.constraints) = (Vec::new(), Vec::new());
        let is_other = stopped.lacks_value() && size(&part.program) < whole;
        if is_other { Ok(part) } else { Err(stopped) }
    }

    /// The engine for a question that another one stopped at, since an integer does not fit 64 bits.
    fn settle(&mut self, asked: Wanted) -> Result<&mut CaseEngine, Stopped> {
        let settled = self.runner()?.settle(asked).map_err(|stopped| self.located(stopped, asked))?;
        Ok(self.loaded.insert(settled))
    }

    /// Adds the rule, as written, in which an integer does not fit.
    fn located(&self, mut stopped: Stopped, asked: Wanted) -> Stopped {
        if let Stopped::Overflow(overflow) = &mut stopped {
            let at = overflow.span;
            let covers = |span: &Span| span.source == at.source && span.start <= at.start && at.end <= span.end;
            let program = self.program();
            let rules = program.program.rules.iter().map(|rule| rule.span);
            let transitions = program.program.transitions.iter().map(|rule| rule.span);
            let goal = match asked {
                Wanted::Goal(goal, _) => Some(goal.span),
                Wanted::Facts(_) => None,
            };
            // A rule that is made of an aggregate is a part of the one written.
            let spans = rules.chain(transitions).chain(goal).filter(covers);
            let span = spans.max_by_key(|span| span.end - span.start).unwrap_or(at);
            let text = self
                .sources
                .get(span.source)
                .and_then(|source| source.text.get(span.start as usize..span.end as usize));
            overflow.rule = text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        stopped
    }

    /// The goal, if the program can be optimized for it: one with undefined answers is two goals, to the same facts.
    fn planned<'g>(&self, goal: &'g Goal) -> Option<&'g Goal> {
        let undefinable = self.undefinable();
        let is_undefinable = |atom: &Atom| undefinable.contains(&atom.signature());
        Some(goal).filter(|goal| !goal.body.iter().filter_map(Literal::atom).any(is_undefinable))
    }

    /// The predicates that may have undefined facts: those that depend on their own negation, and what depends on them.
    pub fn undefinable(&self) -> &FxHashSet<Predicate> {
        self.parts().ok().flatten().map_or(&self.undefinable, |parts| &parts.undefinable)
    }

    /// The engine, with all facts derived that the goal needs, or all facts; it counts them and its work.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run or the budget ended before all facts were derived.
    pub fn engine(&mut self, goal: Option<&Goal>) -> Result<&dyn Engine, Stopped> {
        let stopped = match self.load(goal) {
            Ok(loaded) => loaded.stopped.clone(),
            Err(stopped) => Some(stopped),
        };
        match stopped {
            Some(Stopped::Overflow(_)) => {
                let asked = goal.map_or(Wanted::Facts(&|_| true), |goal| Wanted::Goal(goal, self.planned(goal)));
                Ok(&*self.settle(asked)?.engine)
            }
            Some(stopped) => Err(stopped),
            None => Ok(&*self.kept()?.engine),
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
        // Grounding leaves nothing of what never fires.
        let heads = self.program().program.rules.iter().map(|rule| rule.head.signature());
        let heads: BTreeSet<Predicate> = heads.filter(|head| !head.is_auxiliary()).collect();
        let gather = |loaded: &mut CaseEngine| {
            let mut predicates = heads.clone();
            predicates.extend(loaded.engine.predicates());
            let predicates = predicates.into_iter().filter(&wanted);
            let gathered = Gathered::new(&mut *loaded.engine, predicates, &budget);
            let mut gathered = gathered.map_err(|reason| reason.as_known(loaded.stopped.as_ref()))?;
            gathered.stopped = loaded.stopped.clone().or(gathered.stopped);
            Ok(gathered)
        };
        let mut gathered = self.load_facts(&wanted).and_then(gather);
        let stopped = gathered.as_ref().map_or_else(Some, |gathered| gathered.stopped.as_ref());
        if is_overflow(stopped) {
            gathered = self.settle(Wanted::Facts(&wanted)).and_then(gather);
        }
        let gathered = gathered?;
        let known = gathered.stopped.clone();
        let listed = gathered.listed(&mut *self.kept()?.engine, &budget);
        listed.map_err(|reason| reason.as_known(known.as_ref()))
    }

    /// A goal for which a program is [prepared](Self::prepare) that lists the facts of the predicates that are wanted, each in a subgoal of its
    /// own; `None` if it is prepared for all predicates, since all derived ones are wanted, or more must be known.
    pub fn goal_of_facts(&self, wanted: impl Fn(&Predicate) -> bool) -> Option<Goal> {
        self.runner().ok()?.goal_of_facts(wanted).filter(|goal| self.planned(goal).is_some())
    }

    /// The engine, with the facts of the predicates that are wanted, and perhaps no others where they are the first question of the session.
    fn load_facts(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<&mut CaseEngine, Stopped> {
        let goal = if self.loaded.is_none() { self.goal_of_facts(wanted) } else { None };
        let Some(goal) = &goal else { return self.load(None) };
        let loaded = self.load(Some(goal))?;
        let keeps_predicate = |asked: &Goal| goal.body.iter().all(|literal| asked.body.contains(literal));
        let has_facts = loaded.prepared.goal().is_none_or(keeps_predicate);
        if has_facts { self.kept() } else { self.load(None) }
    }

    /// The engine of the last question.
    fn kept(&mut self) -> Result<&mut CaseEngine, Stopped> {
        self.loaded.as_mut().ok_or_else(|| Stopped::Internal("an engine is not kept".to_owned()))
    }

    /// The undefined facts of these predicates, in the same order: those that are neither true nor false. If the run stopped early,
    /// none are known, and the reason is an error.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run or the budget ended before all facts were derived.
    pub fn undefined_listing(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<Listing<'_>, Stopped> {
        let budget = self.budget.clone();
        let gather = |loaded: &mut CaseEngine| {
            let mut pairs = loaded.possible(&wanted)?;
            pairs.cold_sort();
            Gathered::of_differences(&mut *loaded.engine, pairs, &budget)
        };
        let mut gathered = self.load(None).and_then(gather);
        if is_overflow(gathered.as_ref().err()) {
            let undefinable = self.undefinable().clone();
            let is_compared = |predicate: &Predicate| match predicate.name.purpose() {
                Some(Purpose::Possible(of)) => undefinable.contains(of) && wanted(of),
                _ => undefinable.contains(predicate) && wanted(predicate),
            };
            gathered = self.settle(Wanted::Facts(&is_compared)).and_then(gather);
        }
        let gathered = gathered?;
        gathered.listed(&mut *self.kept()?.engine, &budget)
    }

    /// The number of undefined facts of these predicates. Counts without copying them.
    ///
    /// # Errors
    ///
    /// As [`undefined_listing`](Self::undefined_listing).
    pub fn undefined_count(&mut self, wanted: impl Fn(&Predicate) -> bool) -> Result<u64, Stopped> {
        if !self.undefinable().iter().any(&wanted) {
            return Ok(0);
        }
        let loaded = self.load(None)?;
        let pairs = loaded.possible(wanted)?;
        let Some(engine) = loaded.engine.as_count() else { return Ok(0) };
        // What is true is possible.
        Ok(pairs
            .iter()
            .map(|(predicate, possible)| engine.count(possible).saturating_sub(engine.count(predicate)))
            .sum())
    }
}
