//! Files and syntax as JavaScript gives them.

use crate::error::{of_session, rejected, told};
use js_sys::{Object, Reflect};
use ludolog::diagnostic::Sources;
use ludolog::engine::Session;
use ludolog::family::games::GENERATOR;
use ludolog::shipped::Library;
use ludolog::syntax::{Syntax, load};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How a text is read. */
export interface Options {
  /** `"dl"` for infix rules, the default, or `"kif"` for GDL's parentheses. */
  syntax?: "dl" | "kif";
  /** The texts of the files that rules may include, by path. */
  files?: Record<string, string>;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The type above.
    #[wasm_bindgen(typescript_type = "Options")]
    pub type Options;
}

/// The files that come with Ludolog.
pub const LIBRARY: Library = Library::new(&[GENERATOR]);

/// The files of the options.
pub fn files(options: Option<&Options>) -> Result<HashMap<PathBuf, String>, JsValue> {
    let mut files = HashMap::new();
    let given = options.map(|options| Reflect::get(options.as_ref(), &"files".into())).transpose()?;
    if let Some(given) = given.as_ref().and_then(Object::try_from) {
        for entry in Object::entries(given) {
            let entry: js_sys::Array = entry.unchecked_into();
            let text = |at| entry.get(at).as_string().ok_or_else(|| told("`files` has a text for each path"));
            files.insert(PathBuf::from(text(0)?), text(1)?);
        }
    }
    Ok(files)
}

/// The syntax of the options.
pub fn syntax(options: Option<&Options>) -> Result<Syntax, JsValue> {
    let given = options.map(|options| Reflect::get(options.as_ref(), &"syntax".into())).transpose()?;
    match given.as_ref().filter(|given| !given.is_undefined()) {
        None => Ok(Syntax::Datalog),
        Some(name) => named(name.as_string().as_deref().unwrap_or_default()),
    }
}

/// The syntax of a name.
pub fn named(name: &str) -> Result<Syntax, JsValue> {
    let found = Syntax::ALL.into_iter().find(|syntax| syntax.names().contains(&name));
    found.ok_or_else(|| told(format!("`{name}` is no syntax; there are `dl` and `kif`")))
}

/// The session of a text, or of a name that begins with `std:`.
pub fn session(text: &str, options: Option<&Options>) -> Result<(Session, Syntax), JsValue> {
    let syntax = syntax(options)?;
    let mut own = files(options)?;
    let is_name = text.starts_with("std:") && !text.contains('\n');
    let main = PathBuf::from(if is_name { text.to_owned() } else { format!("rules.{}", syntax.name()) });
    if !is_name {
        own.insert(main.clone(), text.to_owned());
    }
    let mut sources = Sources::new();
    let loaded = load(&LIBRARY.with(own), &[&main], None, &mut sources).map_err(|wrong| rejected(&sources, &wrong))?;
    let session = Session::of_program(loaded, sources).map_err(|error| of_session(&error))?;
    Ok((session, Syntax::of(Path::new(&main)).unwrap_or(syntax)))
}
