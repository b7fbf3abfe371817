//! Queries and explanations.

use crate::error::{of_session, told};
use crate::options::{self, Options};
use crate::to_js;
use ludolog::studio::{Queries, budget};
use serde_json::Value;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** The answers to a goal, sorted. */
export interface Answers {
  variables: string[];
  /** Integers are numbers, all other terms texts. */
  rows: (string | number)[][];
  /** The rows that are undefined, neither true nor false. */
  undefined?: (string | number)[][];
  /** Why there may be more, in words. */
  stopped?: string;
  /** What concerns the answers, in words: warnings of the program, and constraints that its facts break. */
  concerns?: string;
}
/** Why a fact holds or does not: a tree as text, and its parts as `ludolog why --format json` prints them. */
export interface Explanation {
  /** Null of what is undefined. */
  holds: boolean | null;
  text: string;
  [part: string]: unknown;
}
"#;

/// A program with facts that can be inserted and retracted, ready for queries.
#[wasm_bindgen]
pub struct Session(Queries);

#[wasm_bindgen]
impl Session {
    /// The program of a text, or of a file that comes with Ludolog, by its name: `std:hex/reachability.dl`.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, options: Option<Options>) -> Result<Session, JsValue> {
        let (session, syntax) = options::session(text, options.as_ref())?;
        Ok(Session(Queries { session, syntax }))
    }

    /// Inserts a fact; false if it was given already.
    pub fn insert(&mut self, fact: &str) -> Result<bool, JsValue> {
        self.0.session.insert(fact).map_err(|error| of_session(&error))
    }

    /// Retracts a fact; false if it was not given.
    pub fn retract(&mut self, fact: &str) -> Result<bool, JsValue> {
        self.0.session.retract(fact).map_err(|error| of_session(&error))
    }

    /// The answers to a goal.
    #[wasm_bindgen(unchecked_return_type = "Answers")]
    pub fn query(&mut self, goal: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        shown(self.0.query(goal, budget(milliseconds)))
    }

    /// All facts of a predicate by its name, or of all predicates, in canonical order.
    pub fn facts(&mut self, predicate: Option<String>, milliseconds: Option<f64>) -> Result<Vec<String>, JsValue> {
        self.0.facts(predicate.as_deref(), budget(milliseconds)).map_err(told)
    }

    /// Why a fact holds.
    #[wasm_bindgen(unchecked_return_type = "Explanation")]
    pub fn why(&mut self, fact: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        shown(self.0.why(fact, budget(milliseconds)))
    }

    /// Why a fact does not hold.
    #[wasm_bindgen(js_name = whyNot, unchecked_return_type = "Explanation")]
    pub fn why_not(&mut self, fact: &str, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
        shown(self.0.why_not(fact, budget(milliseconds)))
    }
}

fn shown(answered: Result<Value, ludolog::engine::SessionError>) -> Result<JsValue, JsValue> {
    to_js(&answered.map_err(|error| of_session(&error))?)
}
