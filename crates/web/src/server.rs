//! The language server and the studio.

use crate::options::{self, LIBRARY, Options};
use ludolog::engine::Budget;
use ludolog::lsp::Settings;
use ludolog::studio::Studio;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A language server that is handed messages one by one, as texts in JSON. It answers the requests of the studio besides.
#[wasm_bindgen]
pub struct LanguageServer(Studio);

#[wasm_bindgen]
impl LanguageServer {
    /// A server over the files of the options and those that come with Ludolog.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<Options>) -> Result<LanguageServer, JsValue> {
        let files = Arc::new(LIBRARY.with(options::files(options.as_ref())?));
        Ok(LanguageServer(Studio::new(Settings { files, library: LIBRARY, limits: Budget::unlimited() })))
    }

    /// Answers a message; all that is said back.
    pub fn take(&mut self, message: &str) -> Vec<String> {
        self.0.take(message).iter().map(ToString::to_string).collect()
    }

    /// Does the next thing that may wait until nobody types, which takes 0.3 s at most: what is said then, or nothing if there
    /// is nothing left to do.
    #[wasm_bindgen(js_name = goOn)]
    pub fn go_on(&mut self) -> Option<Vec<String>> {
        Some(self.0.go_on()?.iter().map(ToString::to_string).collect())
    }
}
