//! Queries and explanations.

use crate::error::{of_session, told};
use crate::options::{self, Options, budget};
use crate::to_js;
use ludolog::engine::Session as Queries;
use ludolog::engine::explanation::{term_to_json, why, why_not};
use ludolog::syntax::ast::{Name, Term};
use ludolog::syntax::{Syntax, print_atom, print_term};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Levels of explanations.
const DEPTH: usize = 30;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** The answers to a goal, sorted. */
export interface Answers {
  variables: string[];
  /** Integers are numbers, all other terms texts. */
  rows: (string | number)[][];
  /** Why there may be more, in words. */
  stopped?: string;
}
/** Why a fact holds or does not: a tree as text, and its parts as `ludolog why --format json` prints them. */
export interface Explanation {
  holds: boolean;
  text: string;
  [part: string]: unknown;
}
"#;

/// A program with facts that can be inserted and retracted, ready for queries.
#[wasm_bindgen]
pub struct Session {
    queries: Queries,
    syntax: Syntax,
}

#[wasm_bindgen]
impl Session {
    /// The program of a text, or of a file that comes with Ludolog, by its name: `std:hex/reachability.dl`.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, options: Option<Options>) -> Result<Session, JsValue> {
        let (queries, syntax) = options::session(text, options.as_ref())?;
        Ok(Session { queries, syntax })
    }

    /// Inserts a fact; false if it was given already.
    pub fn insert(&mut self, fact: &str) -> Result<bool, JsValue> {
        self.queries.insert(fact).map_err(|error| of_session(&error))
    }

    /// Retracts a fact; false if it was not given.
    pub fn retract(&mut self, fact: &str) -> Result<bool, JsValue> {
        self.queries.retract(fact).map_err(|error| of_session(&error))
    }

    /// The answers to a goal.
    #[wasm_bindgen(unchecked_return_type = "Answers")]
    pub fn query(&mut self, goal: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        self.queries.set_budget(budget(milliseconds));
        let solution = self.queries.query(goal).map_err(|error| of_session(&error))?;
        let variable = |name: &Name| print_term(&Term::Variable(name.clone()), self.syntax);
        let names: Vec<String> = solution.variables.iter().map(variable).collect();
        let row = |row: Vec<Term>| row.iter().map(|term| term_to_json(term, self.syntax)).collect::<Vec<Value>>();
        let rows: Vec<Vec<Value>> = solution.answers().map(row).collect();
        let mut answers = json!({ "variables": names, "rows": rows });
        if let Some(stopped) = &solution.stopped {
            answers["stopped"] = stopped.to_string().into();
        }
        to_js(&answers)
    }

    /// All facts of a predicate by its name, or of all predicates, in canonical order.
    pub fn facts(&mut self, predicate: Option<String>, milliseconds: Option<f64>) -> Result<Vec<String>, JsValue> {
        self.queries.set_budget(budget(milliseconds));
        let is_wanted = |name: &str| predicate.as_deref().is_none_or(|wanted| wanted == name);
        let (facts, stopped) = self.queries.facts(|one| is_wanted(one.name.text())).map_err(told)?;
        match stopped {
            Some(stopped) => Err(told(stopped)),
            None => Ok(facts.iter().map(|fact| print_atom(fact, self.syntax)).collect()),
        }
    }

    /// Why a fact holds.
    #[wasm_bindgen(unchecked_return_type = "Explanation")]
    pub fn why(&mut self, fact: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        self.queries.set_budget(budget(milliseconds));
        let goal = self.queries.goal(fact).map_err(|error| of_session(&error))?;
        let Some(derivation) = self.queries.why(&goal).map_err(told)? else {
            return to_js(&json!({ "holds": false, "text": format!("{fact} does not hold\n"), "steps": [] }));
        };
        let mut told = why::to_json(&derivation.inferences, &self.queries, self.syntax);
        told["holds"] = true.into();
        told["text"] = why::to_text(&derivation.inferences, &self.queries, self.syntax, DEPTH).into();
        to_js(&told)
    }

    /// Why a fact does not hold.
    #[wasm_bindgen(js_name = whyNot, unchecked_return_type = "Explanation")]
    pub fn why_not(&mut self, fact: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        self.queries.set_budget(budget(milliseconds));
        let goal = self.queries.goal(fact).map_err(|error| of_session(&error))?;
        let refutation = self.queries.why_not(&goal, 1).map_err(told)?;
        let mut told = why_not::to_json(fact, refutation.as_ref(), &self.queries, self.syntax);
        told["text"] = match &refutation {
            Some(refutation) => why_not::to_text(refutation, &self.queries, self.syntax),
            None => why_not::holds(fact, goal.variables.is_empty()),
        }
        .into();
        to_js(&told)
    }
}
