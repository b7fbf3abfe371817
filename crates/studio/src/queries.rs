//! Goals and explanations as JSON.

use ludolog_engine::explanation::{goal_text, term_to_json, why, why_not};
use ludolog_engine::{Session, SessionError};
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::ast::{Name, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::render::to_lines;
use ludolog_syntax::{Syntax, looks_of, print_atom, print_term};
use serde_json::{Value, json};

/// Levels of explanations.
const DEPTH: usize = 30;

/// A session with the syntax of its goals.
pub struct Queries {
    /// The session.
    pub session: Session,
    /// The syntax of goals and answers.
    pub syntax: Syntax,
}

impl Queries {
    /// The answers to a goal: `variables`, `rows`, the rows that are `undefined`, `stopped` if there may be more, and `concerns`: warnings
    /// of the program and of the goal, and constraints that the facts break, in words.
    ///
    /// # Errors
    ///
    /// The goal is rejected, or the budget ends before there is any answer.
    pub fn query(&mut self, goal: &str, budget: Budget) -> Result<Value, SessionError> {
        self.session.set_budget(budget);
        let syntax = looks_of(goal);
        let goal = self.session.goal(goal)?;
        let solution = self.session.solve(&goal)?;
        let variable = |name: &Name| print_term(&Term::Variable(name.clone()), self.syntax);
        let names: Vec<String> = solution.variables.iter().map(variable).collect();
        let row = |row: Vec<Term>| row.iter().map(|term| term_to_json(term, self.syntax)).collect::<Vec<Value>>();
        let rows: Vec<Vec<Value>> = solution.answers().map(row).collect();
        let mut answers = json!({ "variables": names, "rows": rows });
        if let Some(stopped) = &solution.stopped {
            answers["stopped"] = stopped.to_string().into();
        }
        if let Some(undefined) = solution.undefined.filter(|undefined| undefined.holds()) {
            answers["undefined"] = undefined.answers().map(row).collect::<Vec<_>>().into();
        }
        let concerns = match self.session.concerns(&goal, syntax) {
            Ok(concerns) => to_lines(&concerns, self.session.sources()),
            // The answers are right all the same.
            Err(stopped) => format!("whether constraints are broken is not known: {stopped}"),
        };
        if !concerns.is_empty() {
            answers["concerns"] = concerns.into();
        }
        Ok(answers)
    }

    /// All facts of a predicate by its name, or of all predicates, in canonical order.
    ///
    /// # Errors
    ///
    /// The budget ends first.
    pub fn facts(&mut self, predicate: Option<&str>, budget: Budget) -> Result<Vec<String>, Stopped> {
        self.session.set_budget(budget);
        let is_wanted = |name: &str| predicate.is_none_or(|wanted| wanted == name);
        let (facts, stopped) = self.session.facts(|one| is_wanted(one.name.text()))?;
        stopped.map_or_else(|| Ok(facts.iter().map(|fact| print_atom(fact, self.syntax)).collect()), Err)
    }

    /// Why a fact holds: `holds`, `text`, and `steps` as `ludolog why --format json` has them.
    ///
    /// # Errors
    ///
    /// The fact is rejected, or the budget ends first.
    pub fn why(&mut self, fact: &str, budget: Budget) -> Result<Value, SessionError> {
        self.session.set_budget(budget);
        let goal = self.session.goal(fact)?;
        let Some(derivation) = self.session.why(&goal)? else {
            if self.session.is_undefined(&goal)? {
                return self.why_goal_not(&goal);
            }
            let text = format!("{} does not hold\n", goal_text(&goal, self.syntax));
            return Ok(json!({ "holds": false, "text": text, "steps": [] }));
        };
        let mut told = why::to_json(&derivation.inferences, &self.session, self.syntax);
        told["holds"] = true.into();
        told["text"] = why::to_text(&derivation.inferences, &self.session, self.syntax, DEPTH).into();
        Ok(told)
    }

    /// Why a fact does not hold: `holds`, `text`, and `denials` as `ludolog why-not --format json` has them. Of an undefined one, as of
    /// [`why`](Self::why), `holds` is null, and there is the `cycle` through which it depends on its own negation.
    ///
    /// # Errors
    ///
    /// The fact is rejected, or the budget ends first.
    pub fn why_not(&mut self, fact: &str, budget: Budget) -> Result<Value, SessionError> {
        self.session.set_budget(budget);
        let goal = self.session.goal(fact)?;
        self.why_goal_not(&goal)
    }

    fn why_goal_not(&mut self, goal: &Goal) -> Result<Value, SessionError> {
        let why_not = self.session.why_not(goal, 1)?;
        let mut told = why_not::to_json(goal, &why_not, &self.session, self.syntax);
        told["text"] = why_not::to_text(goal, &why_not, &self.session, self.syntax).into();
        Ok(told)
    }
}
