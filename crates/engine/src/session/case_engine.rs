//! An engine that holds the facts of a case.

use super::Solution;
use super::replan::Expected;
use crate::contract::{Answers, Engine};
use crate::costs::now;
use crate::listing::sort_apart;
use crate::prepared::Prepared;
use crate::profile::Phases;
use crate::tuples::Tuples;
use crate::value::Interner;
use ludolog_logic::analysis::clause::{Goal, Literal, independent_parts};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};

/// An engine that holds the facts of the case, for one goal or for all.
pub struct CaseEngine {
    /// The goal that it is optimized for; `None` if it derives everything.
    pub asked: Option<Goal>,
    pub prepared: Prepared,
    pub engine: Box<dyn Engine>,
    /// The reason why facts may be missing; `None` if all are derived.
    pub stopped: Option<Stopped>,
    /// The most probes for deriving, if the program runs as written because it is small.
    pub most: Option<u64>,
    /// Whether the engine answers the question that it is loaded for, and no other: what does not fit 64 bits has no value, or facts are given up.
    pub is_single: bool,
    /// Whether its rules do not tell any more what follows from other facts.
    pub is_final: bool,
    /// The sizes outside of which updates stop behind a predicate.
    pub expected: Expected,
    /// The probes of programs that were given up for this one, until the next answer tells them.
    pub given_up: u64,
    /// The probes for earlier answers.
    spent: u64,
    pub phases: Phases,
}

impl CaseEngine {
    /// A new engine with the facts of the case, which counts costs in a profile if asked to.
    pub fn new(prepared: Prepared, goal: Option<&Goal>, profile: bool, budget: &Budget) -> Result<CaseEngine, Stopped> {
        let begin = now(budget);
        let mut engine = prepared.load(budget)?;
        if profile && let Some(profiled) = engine.as_profiled() {
            profiled.start_profile();
        }
        let loading = now(budget) - begin;
        let mut loaded = Self::of_engine(prepared, engine, goal, budget)?;
        loaded.phases.loading = loading;
        Ok(loaded)
    }

    /// Gives a loaded engine the facts and events of the case.
    pub fn of_engine(
        prepared: Prepared,
        mut engine: Box<dyn Engine>,
        goal: Option<&Goal>,
        budget: &Budget,
    ) -> Result<CaseEngine, Stopped> {
        let loaded = now(budget);
        prepared.insert_facts(&mut *engine, budget)?;
        let inserted = now(budget);
        prepared.fire_events(&mut *engine, budget)?;
        let inserting = inserted - loaded;
        let events = now(budget) - inserted;
        let phases = Phases { inserting, events, ..Phases::default() };
        let asked = goal.cloned();
        let is_single = prepared.setting().asked_once && asked.is_some();
        let mut loaded = CaseEngine {
            asked,
            prepared,
            engine,
            stopped: None,
            most: None,
            is_single,
            is_final: false,
            expected: Expected::default(),
            given_up: 0,
            spent: 0,
            phases,
        };
        loaded.keep_only_answers();
        Ok(loaded)
    }

    /// Lets the engine give up what its only question does not need.
    fn keep_only_answers(&mut self) {
        let asks_once = self.prepared.setting().asked_once;
        let answering = self.prepared.goal().or(self.asked.as_ref()).filter(|_| asks_once && self.asked.is_some());
        if let (Some(goal), Some(forget)) = (answering, self.engine.as_forget()) {
            let kept = goal.body.iter().filter_map(Literal::atom).map(Atom::signature);
            forget.keep_only(&kept.collect::<Vec<_>>());
        }
    }

    /// Goes on with another program, for the same goal, that needs the facts which the engine [holds](Prepared::held).
    pub fn go_on_with(&mut self, prepared: Prepared, budget: &Budget) -> Result<(), Stopped> {
        let begin = now(budget);
        self.prepared = prepared;
        let held: Vec<Predicate> = self.prepared.held().predicates().cloned().collect();
        if let Some(replan) = self.engine.as_replan() {
            replan.load_behind(&self.prepared.optimized.program, &held, budget)?;
        }
        let loaded = now(budget);
        self.prepared.insert_facts(&mut *self.engine, budget)?;
        self.phases.loading += loaded - begin;
        self.phases.inserting += now(budget) - loaded;
        self.is_final = true;
        self.keep_only_answers();
        Ok(())
    }

    /// Whether it derives what the goal needs, or everything if there is none.
    pub fn answers(&self, goal: Option<&Goal>) -> bool {
        match &self.asked {
            _ if self.is_single => false,
            Some(asked) => goal == Some(asked),
            None => self.most.is_none() || is_lone(goal),
        }
    }

    /// Derives. A stop for want of anything but time is noted, since what is derived can still be asked.
    pub fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let begin = now(budget);
        let updated = self.engine.update(budget);
        self.phases.deriving += now(budget) - begin;
        self.note(updated)
    }

    /// Lets updates stop where a part of rules is [outgrown](Stopped::Outgrown), or not, if the engine can.
    pub fn doubt_parts(&mut self, doubts: bool) {
        if let Some(parts) = self.engine.as_parts() {
            parts.doubt_parts(doubts);
        }
    }

    /// Lets updates stop where a predicate has not as many facts as [expected](Stopped::Misjudged), if the engine can.
    pub fn expect(&mut self, expected: Expected) {
        if let Some(replan) = self.engine.as_replan() {
            replan.expect(expected.bounds());
        }
        self.expected = expected;
    }

    /// Derives with at most so many probes; `None` if they were not enough.
    pub fn update_for(&mut self, probes: u64, budget: &Budget) -> Option<Result<(), Stopped>> {
        let limit = self.engine.work().probes.saturating_add(probes);
        match self.update(&budget.clone().with_max_probes(limit)) {
            Ok(()) if matches!(self.stopped, Some(Stopped::TooManyProbes(_))) => None,
            updated => Some(updated),
        }
    }

    fn note(&mut self, updated: Result<(), Stopped>) -> Result<(), Stopped> {
        match updated {
            Err(stopped)
                if stopped.is_out_of_time()
                    || stopped.lacks_value()
                    || matches!(stopped, Stopped::Outgrown(_) | Stopped::Misjudged(_))
                    || matches!(stopped, Stopped::Unsupported(_) | Stopped::Internal(_)) =>
            {
                Err(stopped)
            }
            updated => {
                self.stopped = updated.err();
                Ok(())
            }
        }
    }

    /// Solves a goal; where it may have undefined answers, these too, if all facts are derived.
    pub fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Solution {
        let Some([certain, possible]) = self.bounds(goal) else { return self.solve_as_written(goal, first, budget) };
        let mut solution = self.solve_as_written(&certain, first, budget);
        if solution.stopped.is_none() && !(first && solution.holds()) {
            let possible = self.solve_as_written(&possible, first, budget);
            solution.stopped = possible.stopped.clone();
            solution.probes += possible.probes;
            solution.undefined = Some(Box::new(possible.without(&solution)));
        }
        solution
    }

    /// The goals whose answers are those that are true, and those that are true or undefined; `None` if none can be undefined.
    pub fn bounds(&self, goal: &Goal) -> Option<[Goal; 2]> {
        let three_valued = &self.prepared.optimized.program.stratified.program.three_valued;
        let may_be_undefined = goal.body.iter().any(|literal| three_valued.may_be_undefined(literal));
        (self.asked.is_none() && may_be_undefined)
            .then(|| [three_valued.certain_goal(goal), three_valued.possible_goal(goal)])
    }

    /// Predicates that may have undefined facts, each with that of its facts that are true or undefined.
    ///
    /// # Errors
    ///
    /// The reason for which facts may be missing.
    pub fn possible(&self, wanted: impl Fn(&Predicate) -> bool) -> Result<Vec<(Predicate, Predicate)>, Stopped> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let possible = &self.prepared.optimized.program.stratified.program.three_valued.possible;
        let wanted = possible.iter().filter(|(predicate, _)| !predicate.is_auxiliary() && wanted(predicate));
        Ok(wanted.map(|(predicate, possible)| (predicate.clone(), possible.clone())).collect())
    }

    fn solve_as_written(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Solution {
        let asked = self.asked.as_ref().and_then(|_| self.prepared.goal()).unwrap_or(goal);
        // Facts may be missing after a stop, so that a negation may hold in vain, and an aggregate be too small.
        let negates = asked.body.iter().any(Literal::needs_all);
        let mut tuples = Tuples::new(goal.variables.len());
        let mut interner = Interner::new();
        let mut stopped = self.stopped.clone();
        if stopped.is_none() || !negates {
            let found = match self.engine.as_rows() {
                Some(rows) => {
                    let mut found = rows.solve_rows(asked, first, budget);
                    interner = sort_apart(&mut found.rows, rows.interner());
                    found
                }
                None => {
                    let mut found = self.engine.solve(asked, first, budget);
                    found.rows.cold_sort();
                    found.rows.iter().for_each(|row| tuples.push(&interner.row(row)));
                    Answers { rows: tuples, stopped: found.stopped }
                }
            };
            (tuples, stopped) = (found.rows, stopped.or(found.stopped));
        }
        let spent = std::mem::replace(&mut self.spent, self.engine.work().probes);
        let probes = self.spent - spent + std::mem::take(&mut self.given_up);
        Solution { variables: goal.variables.clone(), tuples, interner, stopped, probes, undefined: None }
    }
}

/// Whether a goal, if there is one, has no subgoals to reorder.
pub fn is_lone(goal: Option<&Goal>) -> bool {
    goal.is_none_or(|goal| independent_parts(&goal.body).len() == goal.body.len())
}
