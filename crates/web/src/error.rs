//! What is thrown: an `Error` with a message for people, and `diagnostics` where a text is wrong.

use crate::to_js;
use js_sys::{Error, Reflect};
use ludolog::diagnostic::{Diagnostics, Sources, render};
use ludolog::engine::SessionError;
use wasm_bindgen::JsValue;

/// An error of one line.
pub fn told(message: impl ToString) -> JsValue {
    Error::new(&message.to_string()).into()
}

/// The error of a text: its message is what the command prints, without color.
pub fn rejected(sources: &Sources, wrong: &Diagnostics) -> JsValue {
    let error = Error::new(&render::to_text(wrong, sources, false));
    let listed = to_js(&render::to_json(wrong, sources));
    // An error without its list still has its message.
    _ = listed.and_then(|list| Reflect::set(&error, &"diagnostics".into(), &list));
    error.into()
}

/// The error of a session.
pub fn of_session(error: &SessionError) -> JsValue {
    match error {
        SessionError::Rejected(sources, wrong) => rejected(sources, wrong),
        other => told(other),
    }
}
