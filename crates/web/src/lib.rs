//! The native part of the npm package `ludolog`: JavaScript's names and types for what the library does.
//!
//! * `text`: checking, layout, the other syntax. `session`: queries and explanations. `game`: games and players. `hex`: positions of
//!   Hex. `server`: the language server.
//! * `options`: files and syntax as JavaScript gives them. `error`: what is thrown.
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

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// A panic is a bug of Ludolog: the console has its message, and the page the exception of an unreachable instruction.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

/// A JSON value as JavaScript has it.
fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    js_sys::JSON::parse(&value.to_string())
}
