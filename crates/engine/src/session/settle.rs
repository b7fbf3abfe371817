//! Answers that may depend on an integer that does not fit 64 bits.
//!
//! An engine that meets one stops. Then the program as written is run twice: once so that the computation has no value, and
//! once with integers of any size. If the answers are the same, they do not depend on it, and are told; else they are an error.

use super::case_engine::CaseEngine;
use super::runner::{Runner, goal_of};
use crate::case::Case;
use crate::prepared::{Setting, prepare};
use crate::semi_naive::SEMI_NAIVE;
use crate::tuples::Tuples;
use crate::value::Value;
use crate::value::number::Beyond;
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashSet;
use std::num::NonZero;

/// The facts that the run with integers of any size may hold besides twice those of the other run: what grows without end
/// differs anyway.
const SPARE_FACTS: u64 = 10_000;

/// The rows that answer a question: those of the goal, and those that may be undefined, or those of each predicate.
type Judged = Vec<(Option<Predicate>, Tuples)>;

/// The question to a session.
#[derive(Clone, Copy)]
pub enum Wanted<'q> {
    /// The answers of a goal, and the same goal again if the program can be prepared for it.
    Goal(&'q Goal, Option<&'q Goal>),
    /// The facts of the predicates of a kind.
    Facts(&'q dyn Fn(&Predicate) -> bool),
}

impl<'q> Wanted<'q> {
    /// The goal that the program can be prepared for.
    fn planned(self) -> Option<&'q Goal> {
        match self {
            Wanted::Goal(_, planned) => planned,
            Wanted::Facts(_) => None,
        }
    }
}

/// The facts of a predicate with a case, for a question at which an engine stopped since an integer does not fit 64 bits. Runs the
/// program twice, with new engines, as far as the predicate depends on it.
///
/// # Errors
///
/// [`Stopped::Overflow`], if the facts depend on such an integer, or if it takes too much to know; others when the budget ends.
pub fn settled_facts(
    program: &StratifiedProgram,
    case: &Case,
    predicate: &Predicate,
    setting: &Setting,
    budget: &Budget,
) -> Result<Vec<Atom>, Stopped> {
    let goal = goal_of([predicate]);
    let mut settled = Runner { program, case, setting, budget }.settle(Wanted::Goal(&goal, Some(&goal)))?;
    settled.engine.facts(predicate, budget)
}

/// Whether a run has stopped at an integer that does not fit 64 bits.
pub fn is_overflow(stopped: Option<&Stopped>) -> bool {
    matches!(stopped, Some(Stopped::Overflow(_)))
}

impl Runner<'_> {
    /// An engine with the answers, for a question at which another engine stopped.
    ///
    /// # Errors
    ///
    /// [`Stopped::Overflow`], if the answers depend on an integer that does not fit 64 bits, or if it takes too much to know.
    pub fn settle(&self, asked: Wanted) -> Result<CaseEngine, Stopped> {
        let mut without = self.model(asked.planned(), Beyond::Skip, self.budget)?;
        let told = relations(&mut without, asked, self.budget)?;
        let Some(overflow) = overflow_of(&mut without) else { return Ok(without) };
        let held = without.engine.as_count().map_or(0, |count| count.memory().facts);
        let most = held.saturating_mul(2).saturating_add(SPARE_FACTS);
        let budget = self.budget.clone().with_max_facts(self.budget.max_facts().map_or(most, |max| max.min(most)));
        let same = self.model(asked.planned(), Beyond::Keep, &budget).and_then(|mut with| {
            let kept = relations(&mut with, asked, &budget)?;
            Ok(is_same([&mut without, &mut with], [told, kept]))
        });
        match same {
            Ok(true) => Ok(without),
            Err(Stopped::Interrupted) => Err(Stopped::Interrupted),
            Ok(false) | Err(_) => Err(overflow),
        }
    }

    /// The program as written, run to its end.
    fn model(&self, goal: Option<&Goal>, beyond: Beyond, budget: &Budget) -> Result<CaseEngine, Stopped> {
        let setting = Setting {
            engine: SEMI_NAIVE.clone(),
            optimization: Optimization::None,
            left_out: Vec::new(),
            asked_once: false,
            threads: NonZero::<usize>::MIN,
            ..self.setting.clone()
        };
        let prepared = prepare(self.program, self.case, goal, &setting, budget)?;
        let mut engine = prepared.load(budget)?;
        if let Some(rows) = engine.as_rows() {
            rows.interner_mut().set_beyond(beyond);
        }
        let mut loaded = CaseEngine::of_engine(prepared, engine, goal, budget)?;
        loaded.is_single = true;
        loaded.update(budget)?;
        match loaded.stopped.take() {
            Some(stopped) => Err(stopped),
            None => Ok(loaded),
        }
    }
}

/// The rows that answer a question.
fn relations(loaded: &mut CaseEngine, asked: Wanted, budget: &Budget) -> Result<Judged, Stopped> {
    let predicates = loaded.engine.predicates();
    let goals = match asked {
        Wanted::Goal(goal, _) => match (loaded.prepared.goal(), loaded.bounds(goal)) {
            (_, Some(bounds)) => bounds.into(),
            (rewritten, None) => vec![rewritten.unwrap_or(goal).clone()],
        },
        Wanted::Facts(_) => Vec::new(),
    };
    let Some(rows) = loaded.engine.as_rows() else { return Ok(Vec::new()) };
    match asked {
        Wanted::Goal(..) => goals
            .iter()
            .map(|goal| {
                let found = rows.solve_rows(goal, false, budget);
                found.stopped.map_or(Ok((None, found.rows)), Err)
            })
            .collect(),
        Wanted::Facts(wanted) => {
            let mut relations = Vec::new();
            for predicate in predicates.into_iter().filter(|predicate| wanted(predicate)) {
                let mut tuples = Tuples::new(predicate.arity);
                rows.for_each_row(&predicate, budget, &mut |row| tuples.push(row))?;
                relations.push((Some(predicate), tuples));
            }
            Ok(relations)
        }
    }
}

/// The computation that had no value.
fn overflow_of(loaded: &mut CaseEngine) -> Option<Stopped> {
    loaded.engine.as_rows()?.interner_mut().take_overflow().map(Stopped::Overflow)
}

/// Whether two engines have the same rows, in any order.
fn is_same([without, with]: [&mut CaseEngine; 2], mut relations: [Judged; 2]) -> bool {
    let (Some(without), Some(with)) = (without.engine.as_rows(), with.engine.as_rows()) else { return false };
    // A predicate without facts need not be known to both.
    relations.iter_mut().for_each(|relations| relations.retain(|(_, tuples)| tuples.count() > 0));
    let [told, kept] = relations;
    told.len() == kept.len()
        && told.iter().zip(&kept).all(|((predicate, told), (other, kept))| {
            let known: FxHashSet<&[Value]> = told.rows().collect();
            let mut is_known = |row: &[Value]| {
                let is_told = |&value: &Value| !with.interner().is_beyond(value);
                row.iter().all(is_told) && {
                    let terms = row.iter().map(|&value| with.interner().term(value));
                    let same: Vec<Value> = terms.map(|term| without.interner_mut().ground(&term)).collect();
                    known.contains(&same[..])
                }
            };
            predicate == other && known.len() == kept.count() && kept.rows().all(&mut is_known)
        })
}
