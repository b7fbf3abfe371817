//! The choice of the program that a session runs.
//!
//! * A program with few facts runs as written, for as long as optimizing it would take; most end before.
//! * All others are optimized. What recursion demands is hard to foresee. Where `auto` has bet on demand, that program runs first, for as
//!   long as the other is expected to; where it has not, the program without demand runs first. Then both run [side by side](super::beside), so
//!   that a wrong guess costs little more than the right one where demand does not pay, and a few times as much where it does.
//! * Parts of rules that are derived on their own may have many more rows than the optimizer expects. Then the program without such parts runs beside.
//! * Facts of some predicates are a goal too, so that nothing is derived that they do not depend on.

use super::beside::Beside;
use super::case_engine::{CaseEngine, is_lone};
use crate::case::Case;
use crate::contract::EngineDescription;
use crate::costs::now;
use crate::prepared::{Prepared, Setting, prepare};
use ludolog_logic::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog_logic::optimize::{Closures, Demand, Optimization, Pass, Split};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use std::collections::BTreeSet;

/// The time to run a program as written for each of its rules, in nanoseconds of work: about half of what optimizing a rule takes.
const AS_WRITTEN_PER_RULE: u64 = 22_000;

/// The factor of the expected work that a bet of the optimizer may take before the other program runs.
const OFF: u64 = 4;

/// The least and the most work of the first turn that the work expected without the bet accounts for, in nanoseconds: about what another
/// program costs to optimize, and some tens of milliseconds.
const FIRST_TURN: (u64, u64) = (2_200_000, 44_000_000);

/// The share of the work of the program without demand that the one with demand has when a bet on it is as good as lost.
const SHARE_OF_BET: u64 = 4;

/// The share where demand is not expected to pay.
const SHARE_OF_DECLINED: u64 = 16;

/// The share where a part of rules is outgrown: either may be the better one.
const SHARE_OF_OUTGROWN: u64 = 1;

/// The least work of a program before demand that is not expected to pay has a turn, in nanoseconds.
const ALONE: u64 = 44_000_000;

/// The time to load a fact, in nanoseconds of work.
const LOADING_PER_FACT: u64 = 44;

/// The most facts stated one by one of a program that is loaded twice: they are copied for each. Tables are shared.
const MOST_STATED: usize = 100_000;

/// The most predicates whose facts are one goal.
const MOST_LISTED: usize = 32;

/// A program with all that decides how it runs.
pub struct Runner<'s> {
    pub program: &'s StratifiedProgram,
    pub case: &'s Case,
    pub setting: &'s Setting,
    pub budget: &'s Budget,
}

/// The goal that needs all facts of predicates, each in a subgoal of its own.
pub fn goal_of<'p>(predicates: impl IntoIterator<Item = &'p Predicate>) -> Goal {
    let subgoal = |(number, predicate): (usize, &Predicate)| {
        let args = (0..predicate.arity).map(|column| Term::variable(&format!("x{number}_{column}")));
        Literal::Positive(Atom::new(predicate.name.clone(), args.collect()))
    };
    let body: Vec<Literal> = predicates.into_iter().enumerate().map(subgoal).collect();
    Goal { body: body.into(), variables: Vec::new(), span: Span::NONE }
}

impl Runner<'_> {
    /// A goal that needs the facts of all predicates that are wanted, each in a subgoal of its own; `None` if the whole program is to run, since all
    /// is wanted, or nothing is saved or known of the rest.
    pub fn goal_of_facts(&self, wanted: impl Fn(&Predicate) -> bool) -> Option<Goal> {
        let program = &self.program.program;
        let heads: BTreeSet<Predicate> = program.rules.iter().map(|rule| rule.head.signature()).collect();
        let is_whole = heads.iter().all(|head| head.is_auxiliary() || wanted(head));
        let EngineDescription { optimized, cost_model, .. } = &self.setting.engine;
        let has_other_needs = !program.transitions.is_empty() || !program.constraints.is_empty();
        if is_whole || !optimized || cost_model.calls || has_other_needs {
            return None;
        }
        let given: BTreeSet<Predicate> =
            program.facts.iter().map(Atom::signature).chain(self.case.predicates()).collect();
        let predicates: Vec<&Predicate> =
            heads.union(&given).filter(|one| !one.is_auxiliary() && wanted(one)).collect();
        let is_goal = (1..=MOST_LISTED).contains(&predicates.len());
        is_goal.then(|| goal_of(predicates))
    }

    /// The most probes for which the program runs as written before it is optimized; `None` if it is optimized at once.
    pub fn most_as_written(&self, goal: Option<&Goal>) -> Option<u64> {
        let most = self.probes_in(AS_WRITTEN_PER_RULE) * self.program.program.rules.len() as u64;
        // Each fact is looked at, and its loading counts too.
        (self.facts() <= most && is_lone(goal) && self.may_run_as_written()).then_some(most)
    }

    /// A new engine, updated for the goal, or for all predicates.
    pub fn start(&self, goal: Option<&Goal>) -> Result<CaseEngine, Stopped> {
        let Some(most) = self.most_as_written(goal) else { return self.run_optimized(goal, 0) };
        let setting = Setting { optimization: Optimization::None, ..self.setting.clone() };
        let mut loaded = self.optimized(&setting, None, false)?;
        loaded.most = Some(most);
        self.go_on(loaded, goal)
    }

    /// The engine with what is new derived, or another one if it runs a program as written that has become too much work.
    pub fn go_on(&self, mut loaded: CaseEngine, goal: Option<&Goal>) -> Result<CaseEngine, Stopped> {
        let Some(most) = loaded.most else {
            loaded.update(self.budget)?;
            return Ok(loaded);
        };
        loaded.update(&self.budget.clone().with_max_probes(most))?;
        match loaded.stopped {
            None => Ok(loaded),
            Some(_) => self.run_optimized(goal, loaded.engine.work().probes),
        }
    }

    /// The probes that an engine makes in so many nanoseconds.
    pub fn probes_in(&self, nanoseconds: u64) -> u64 {
        nanoseconds / self.setting.engine.cost_model.work_nanoseconds
    }

    fn facts(&self) -> u64 {
        let stated = self.program.program.facts.len() + self.case.geometry.len() + self.case.facts.len();
        stated as u64 + self.case.tables.iter().map(|table| table.rows_of_file() as u64).sum::<u64>()
    }

    /// Whether nothing but cost speaks against the program as written.
    fn may_run_as_written(&self) -> bool {
        let Setting { engine, optimization, .. } = self.setting;
        let is_planned = engine.optimized && !engine.cost_model.calls;
        is_planned && *optimization == Optimization::Auto && self.case.events.is_empty()
    }

    fn run_optimized(&self, goal: Option<&Goal>, given_up: u64) -> Result<CaseEngine, Stopped> {
        let (mut loaded, updated) = self.race(goal, false)?;
        loaded.given_up += given_up;
        updated.map(|()| loaded)
    }

    /// A new engine with the program optimized and loaded, not run.
    pub fn optimized(&self, setting: &Setting, goal: Option<&Goal>, profile: bool) -> Result<CaseEngine, Stopped> {
        let begin = now(self.budget);
        let mut prepared = prepare(self.program, self.case, goal, setting, self.budget)?;
        let expected = self.expect(&mut prepared)?;
        let optimizing = now(self.budget) - begin;
        let mut loaded = CaseEngine::new(prepared, goal, profile, self.budget)?;
        loaded.phases.optimizing = optimizing;
        loaded.expect(expected);
        Ok(loaded)
    }

    /// A new engine with an optimized program, and whether it could be updated for the goal, or for all predicates.
    pub fn race(&self, goal: Option<&Goal>, profile: bool) -> Result<(CaseEngine, Result<(), Stopped>), Stopped> {
        let (mut loaded, updated) = self.race_with_parts(goal, profile)?;
        if !matches!(updated, Err(Stopped::Outgrown(_))) {
            return Ok((loaded, updated));
        }
        loaded.doubt_parts(false);
        // A closure is not stopped in the middle.
        let setting = self.setting_without(&[&Split, &Closures]);
        let without = prepare(self.program, self.case, goal, &setting, self.budget)?;
        if !self.may_run_beside(&without) {
            let updated = self.update(&mut loaded, goal, self.budget);
            return Ok((loaded, updated));
        }
        let beside = Beside::new(without, goal, profile, SHARE_OF_OUTGROWN, self.budget);
        Ok(beside.race(loaded, 0, |loaded, budget| self.update(loaded, goal, budget)))
    }

    /// The setting with these passes left out besides.
    pub fn setting_without(&self, passes: &[&'static dyn Pass]) -> Setting {
        Setting { left_out: [&self.setting.left_out, passes].concat(), ..self.setting.clone() }
    }

    /// The same, perhaps with parts of rules that are [outgrown](Stopped::Outgrown).
    fn race_with_parts(
        &self,
        goal: Option<&Goal>,
        profile: bool,
    ) -> Result<(CaseEngine, Result<(), Stopped>), Stopped> {
        let budget = self.budget;
        let mut loaded = self.optimized(self.setting, goal, profile)?;
        loaded.doubt_parts(self.setting.optimization == Optimization::Auto);
        let Some((without, with)) = loaded.prepared.bet_on(&Demand) else {
            let declined = loaded.prepared.take_declined().filter(|declined| self.may_run_beside(declined));
            let Some(declined) = declined else {
                let updated = self.update(&mut loaded, goal, budget);
                return Ok((loaded, updated));
            };
            let beside = Beside::new(declined, goal, profile, SHARE_OF_DECLINED, budget);
            return Ok(beside.race(loaded, self.work_alone(), |loaded, budget| self.update(loaded, goal, budget)));
        };
        let expected = (without as u64).clamp(self.probes_in(FIRST_TURN.0), self.probes_in(FIRST_TURN.1));
        let first = (with as u64).saturating_mul(OFF).max(expected);
        if let Some(updated) = loaded.update_for(first, budget) {
            return Ok((loaded, updated));
        }
        let other = self.optimized(&self.setting_without(&[&Demand]), goal, profile)?;
        let beside = Beside::of_engine(loaded, SHARE_OF_BET, budget);
        Ok(beside.race(other, first, |other, budget| self.update(other, goal, budget)))
    }

    /// Whether a program with demand may run beside the one without: loading it costs little, and it does nothing that a limit of
    /// probes does not stop.
    fn may_run_beside(&self, declined: &Prepared) -> bool {
        let stated = self.program.program.facts.len() + self.case.geometry.len() + self.case.facts.len();
        let has_closures = !declined.optimized.program.closures.is_empty();
        stated <= MOST_STATED && !has_closures && self.case.events.is_empty()
    }

    /// The work after which the cost of loading another program is a small share.
    fn work_alone(&self) -> u64 {
        let rules = self.program.program.rules.len() as u64;
        let loading = LOADING_PER_FACT * self.facts() + AS_WRITTEN_PER_RULE * rules;
        self.probes_in(ALONE.max(SHARE_OF_DECLINED * loading))
    }
}
