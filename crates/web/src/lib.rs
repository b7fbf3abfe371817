//! The native part of the npm package `ludolog`: JavaScript's names and types for what the library does.
//!
//! * `text`: checking, layout, the other syntax. `session`: queries and explanations. `game`: games and players. `hex`: positions of
//!   Hex. `server`: the language server.
//! * `options`: files and syntax as JavaScript gives them. `error`: what is thrown.
//!
//! A panic is a bug of Ludolog. It has no message here, which would be a tenth of the code: JavaScript gets the exception of an unreachable
//! instruction, and its stack has numbers of functions.
//!
//! All work ends after the milliseconds that it is given, and has told by then what it knows.

mod error;
mod game;
mod hex;
mod options;
mod server;
mod session;
mod text;

use serde_json::Value;
use wasm_bindgen::prelude::*;

/// A JSON value as JavaScript has it.
fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    js_sys::JSON::parse(&value.to_string())
}
