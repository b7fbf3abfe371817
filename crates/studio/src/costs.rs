//! The costs of a goal as JSON: the passes of the optimizer, and the work of each rule.

use crate::Queries;
use ludolog_engine::costs::{Part, PlanCost, StratumCost};
use ludolog_engine::explanation::passes;
use ludolog_engine::{Profile, SessionError};
use ludolog_logic::analysis::clause::{Clause, Goal};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Predicate, Statement};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::print_statement;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::HashSet;

/// The work of the joins of one rule.
#[derive(Default)]
struct RuleWork {
    nanoseconds: u64,
    runs: u64,
    probes: u64,
    derived: u64,
    duplicates: u64,
}

impl RuleWork {
    fn add(&mut self, plan: &PlanCost) {
        self.nanoseconds += plan.time.as_nanos() as u64;
        self.runs += plan.runs;
        self.probes += plan.probes;
        self.derived += plan.derived;
        self.duplicates += plan.duplicates;
    }
}

impl Queries {
    /// Runs a goal, or derives all facts if it is empty, with a count of costs: `passes`, as `ludolog plan --format json` has
    /// them, `rules` with the work of each, the most time first, `strata`, and the sums.
    ///
    /// # Errors
    ///
    /// The goal is rejected, or the budget ends before the engine runs.
    pub fn costs(&mut self, goal: &str, budget: Budget) -> Result<Value, SessionError> {
        self.session.set_budget(budget);
        let goal = if goal.trim().is_empty() { None } else { Some(self.session.goal(goal)?) };
        let program = &self.session.program().program;
        let derived: HashSet<Predicate> = program.rules.iter().map(|rule| rule.head.signature()).collect();
        let profile = self.session.profile(goal.as_ref(), |predicate| derived.contains(predicate));
        let profile = profile.map_err(SessionError::Stopped)?;
        let strata = profile.evaluation.strata.iter().map(|stratum| {
            let names: Vec<String> = stratum.predicates.iter().map(ToString::to_string).collect();
            json!({ "predicates": names, "rounds": stratum.rounds, "facts": stratum.facts, "nanoseconds": stratum.time.as_nanos() as u64 })
        });
        Ok(json!({
            "passes": passes::to_json(&profile.prepared.optimized, self.syntax),
            "rules": self.rules(&profile, goal.as_ref()),
            "strata": strata.collect::<Vec<_>>(),
            "answers": profile.answers,
            "probes": profile.work.probes,
            "derived": profile.work.derived,
            "nanoseconds": profile.phases.total().as_nanos() as u64,
            "stopped": profile.stopped.as_ref().map(ToString::to_string),
        }))
    }

    fn rules(&self, profile: &Profile, goal: Option<&Goal>) -> Vec<Value> {
        let mut works: Vec<(Part, RuleWork)> = Vec::new();
        for plan in &profile.evaluation.plans {
            let place = works.iter().position(|(part, _)| *part == plan.part).unwrap_or_else(|| {
                works.push((plan.part, RuleWork::default()));
                works.len() - 1
            });
            works[place].1.add(plan);
        }
        let mut rules: Vec<(String, Span, RuleWork)> = Vec::new();
        for (part, work) in works {
            if let Some((statement, span)) = statement(part, profile, goal) {
                rules.push((print_statement(&statement, self.syntax), span, work));
            }
        }
        rules.extend(profile.evaluation.strata.iter().filter_map(|stratum| self.closure(stratum)));
        rules.cold_sort_by_key(|(_, _, work)| Reverse((work.nanoseconds, work.probes)));
        let told = |(rule, span, work): (String, Span, RuleWork)| {
            json!({
                "rule": rule,
                "line": self.session.sources().line_column(span).map(|(line, _)| line),
                "nanoseconds": work.nanoseconds,
                "runs": work.runs,
                "probes": work.probes,
                "derived": work.derived,
                "duplicates": work.duplicates,
            })
        };
        rules.into_iter().map(told).collect()
    }

    /// The rules of a closure as they were written, with its work; `None` if the stratum has none.
    fn closure(&self, stratum: &StratumCost) -> Option<(String, Span, RuleWork)> {
        let program = &self.session.program().program;
        let written = &program.rules;
        let derives = |rule: &&Clause| stratum.predicates.contains(&rule.head.signature());
        let span = written.iter().find(derives).filter(|_| !stratum.closure.is_zero())?.span;
        let texts = written.iter().filter(derives).map(|rule| print_statement(&program.statement(rule), self.syntax));
        let nanoseconds = stratum.closure.as_nanos() as u64;
        let work = RuleWork { nanoseconds, derived: stratum.facts, ..RuleWork::default() };
        Some((texts.collect::<Vec<_>>().join(" "), span, work))
    }
}

/// The rule of a plan as the optimizer left it, and where it stands.
fn statement(part: Part, profile: &Profile, goal: Option<&Goal>) -> Option<(Statement, Span)> {
    let program = &profile.prepared.optimized.program.stratified.program;
    Some(match part {
        Part::Rule(number) => (program.statement(&program.rules[number]), program.rules[number].span),
        Part::Transition(number) => (Statement::from(&program.transitions[number]), program.transitions[number].span),
        Part::Goal => (Statement::from(profile.prepared.goal().or(goal)?), Span::NONE),
    })
}
