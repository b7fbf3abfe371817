//! Texts: what is wrong with them, their layout, the other syntax.

use crate::error::{rejected, told};
use crate::options::{self, LIBRARY, Options};
use crate::to_js;
use ludolog::diagnostic::{Sources, render};
use ludolog::studio::budget;
use ludolog::syntax::{load_sound, parse, print};
use ludolog::workspace;
use std::path::PathBuf;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Something that is wrong or odd, as `ludolog check --format json` prints it. */
export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  help: string | null;
  labels: { file: string; line: number; column: number; text: string }[];
  /** Changes that may be ways out, each by itself, best first: `start` and `end` are bytes. */
  fixes: {
    title: string;
    /** Whether it is another spelling of what stands there, and no guess. */
    certain: boolean;
    /** Whether a number or name in it is for the author to choose. */
    example: boolean;
    edits: { file: string; line: number; column: number; start: number; end: number; text: string }[];
  }[];
}
"#;

/// All that is wrong or odd with rules. Games are tried by random playouts for half of the time.
#[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
pub fn check(text: &str, options: Option<Options>, milliseconds: Option<f64>) -> Result<JsValue, JsValue> {
    let mut files = options::files(options.as_ref())?;
    let main = PathBuf::from(format!("rules.{}", options::syntax(options.as_ref())?.name()));
    files.insert(main.clone(), text.to_owned());
    let budget = budget(milliseconds);
    let mut sources = Sources::new();
    let loaded = load_sound(&LIBRARY.with(files), &[main], None, &mut sources, &budget).map_err(told)?;
    let (mut found, analyzed) = workspace::check(&loaded, &budget).map_err(told)?;
    if let Some(analyzed) = analyzed.filter(|_| !found.has_errors()) {
        let half = budget.part_of_rest(|left| left / 2);
        found.extend(workspace::try_out(&loaded.program, &analyzed, &found, &half).map_err(told)?);
    }
    to_js(&render::to_json(&found, &sources))
}

/// Rules in the canonical layout. Throws if there is something wrong with them.
#[wasm_bindgen]
pub fn format(text: &str, options: Option<Options>) -> Result<String, JsValue> {
    let syntax = options::syntax(options.as_ref())?;
    printed(text, syntax, syntax)
}

/// Rules in the other syntax. Throws if there is something wrong with them.
#[wasm_bindgen]
pub fn convert(text: &str, options: Option<Options>) -> Result<String, JsValue> {
    let syntax = options::syntax(options.as_ref())?;
    printed(text, syntax, syntax.other())
}

fn printed(text: &str, from: ludolog::syntax::Syntax, to: ludolog::syntax::Syntax) -> Result<String, JsValue> {
    let mut sources = Sources::new();
    let source = sources.add_rules("rules", from, text);
    let program = parse(source, &sources, from).into_result().map_err(|wrong| rejected(&sources, &wrong))?;
    Ok(print(&program, to))
}
