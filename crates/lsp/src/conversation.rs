//! A conversation without streams and threads.

use crate::Settings;
use crate::background::Background;
use crate::folders::Copies;
use crate::server::{Refusal, Server};
use crate::transport::Incoming;
use crossbeam_channel::{Receiver, unbounded};
use lsp_types::Uri;
use ludolog_syntax::Syntax;
use ludolog_workspace::Analysis;
use serde_json::Value;
use std::sync::Arc;

/// A server that is handed messages one by one, and does what takes longer when it is told to go on: what a page in a
/// browser speaks with.
///
/// ```
/// use ludolog_lsp::{Conversation, Settings};
/// use ludolog_shipped::Library;
/// use ludolog_syntax::budget::Budget;
/// use std::collections::HashMap;
/// use std::path::PathBuf;
/// use std::sync::Arc;
///
/// let files = Arc::new(Library::FILES.with(HashMap::<PathBuf, String>::new()));
/// let mut page = Conversation::new(Settings { files, library: Library::FILES, limits: Budget::unlimited() });
/// let welcome = page.take(r#"{ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }"#);
/// assert!(welcome[0]["result"]["capabilities"]["hoverProvider"].as_bool().unwrap());
/// assert_eq!(page.go_on(), None, "nothing is open");
/// ```
pub struct Conversation {
    server: Server,
    outgoing: Receiver<Value>,
}

impl Conversation {
    /// A server that nobody has spoken to.
    pub fn new(settings: Settings) -> Conversation {
        let (sender, outgoing) = unbounded();
        let background = Background::in_turn(settings.limits.clone());
        let copies = Copies::none(settings.library);
        Conversation { server: Server::new(settings, sender, Arc::default(), background, copies), outgoing }
    }

    /// Answers a message; all that is said back. What is no message is answered by an error.
    pub fn take(&mut self, message: &str) -> Vec<Value> {
        let incoming = match serde_json::from_str(message) {
            Ok(message) => Incoming::Message(message),
            Err(error) => Incoming::Malformed(format!("not a message: {error}")),
        };
        self.server.take(incoming);
        self.outgoing.try_iter().collect()
    }

    /// Does the next thing that may wait for calm: judges the texts that have changed, or finds out more about one of them,
    /// which takes 0.3 s at most. What is said then; `None` if there is nothing left to do.
    pub fn go_on(&mut self) -> Option<Vec<Value>> {
        self.server.step().then(|| self.outgoing.try_iter().collect())
    }

    /// What was read of an open text, within the analysis that judges it.
    ///
    /// # Errors
    ///
    /// Why there is none, in words.
    pub fn analysis(&mut self, uri: &str) -> Result<(Arc<Analysis>, Syntax), String> {
        let uri: Uri = uri.parse().map_err(|_| format!("`{uri}` is no URI"))?;
        match self.server.view(&uri) {
            Ok(view) => Ok((view.analysis, view.syntax)),
            Err(Refusal::Failed(words)) => Err(words),
            Err(Refusal::Stopped(stopped)) => Err(stopped.to_string()),
        }
    }
}
