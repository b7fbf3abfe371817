//! The requests of the studio, beside those of the language server.

use crate::{PlayedGame, Queries, budget};
use ludolog_engine::{Case, Session, SessionError};
use ludolog_lsp::{Conversation, Settings};
use ludolog_shipped::Library;
use ludolog_workspace::Analysis;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Milliseconds of one request at most: the page waits for it.
const MAX_MILLISECONDS: f64 = 60_000.0;

/// A studio in conversation with one page.
pub struct Studio {
    conversation: Conversation,
    library: Library,
    /// What was made of the text that was asked about last.
    current: Option<Current>,
}

struct Current {
    analysis: Arc<Analysis>,
    queries: Queries,
    game: Option<PlayedGame>,
}

/// The parameters of all requests; each reads those that it has.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Asked {
    uri: String,
    goal: String,
    fact: String,
    name: String,
    moves: Vec<Vec<String>>,
    role: usize,
    player: Option<String>,
    milliseconds: Option<f64>,
}

impl Studio {
    /// A studio that nobody has spoken to.
    pub fn new(settings: Settings) -> Studio {
        let library = settings.library;
        Studio { conversation: Conversation::new(settings), library, current: None }
    }

    /// Answers a message; all that is said back. Requests whose method begins with `studio/` are answered here, all other messages by
    /// the language server.
    pub fn take(&mut self, message: &str) -> Vec<Value> {
        let read: Option<Value> = serde_json::from_str(message).ok();
        let method = read.as_ref().and_then(|message| message["method"].as_str()?.strip_prefix("studio/"));
        let (Some(read), Some(method)) = (&read, method) else { return self.conversation.take(message) };
        let id = &read["id"];
        let answered = match serde_json::from_value(read["params"].clone()) {
            Ok(asked) => self.answer(method, &asked),
            Err(error) => Err(error.to_string()),
        };
        vec![match answered {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(words) => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32803, "message": words } }),
        }]
    }

    /// As [`Conversation::go_on`].
    pub fn go_on(&mut self) -> Option<Vec<Value>> {
        self.conversation.go_on()
    }

    fn answer(&mut self, method: &str, asked: &Asked) -> Result<Value, String> {
        let budget = budget(Some(asked.milliseconds.unwrap_or(MAX_MILLISECONDS / 6.0).min(MAX_MILLISECONDS)));
        match method {
            "library" => return Ok(json!(self.library.names())),
            "read" => {
                return self.library.full_text(&asked.name).map(|text| json!(text)).map_err(|none| none.to_string());
            }
            _ => {}
        }
        let current = self.current(&asked.uri)?;
        let queries = &mut current.queries;
        match method {
            "query" => queries.query(&asked.goal, budget).map_err(|error| told(&error)),
            "facts" => queries.facts(None, budget).map(|facts| json!(facts)).map_err(|stopped| stopped.to_string()),
            "why" => queries.why(&asked.fact, budget).map_err(|error| told(&error)),
            "whyNot" => queries.why_not(&asked.fact, budget).map_err(|error| told(&error)),
            "costs" => queries.costs(&asked.goal, budget).map_err(|error| told(&error)),
            "game" | "choose" | "playouts" => {
                let game = match &mut current.game {
                    Some(game) => game,
                    None => current.game.insert(PlayedGame::new(&queries.session, queries.syntax, &budget)?),
                };
                game.go_to(&asked.moves)?;
                match method {
                    "choose" => game.choose(asked.role, asked.player.as_deref().unwrap_or("auto"), &budget),
                    "playouts" => game.playouts(&budget),
                    _ => game.shown(),
                }
            }
            _ => Err(format!("`studio/{method}` is not a request of the studio")),
        }
    }

    /// What is made of an open text as it stands.
    fn current(&mut self, uri: &str) -> Result<&mut Current, String> {
        let (analysis, syntax) = self.conversation.analysis(uri)?;
        if !self.current.as_ref().is_some_and(|current| Arc::ptr_eq(&current.analysis, &analysis)) {
            let analyzed = analysis.analyzed.clone().ok_or("the rules have errors")?;
            let mut case = Case::default();
            case.extend(analysis.loaded.facts.clone());
            let session = Session::new(analyzed, analysis.sources.clone()).with_case(case);
            let queries = Queries { session, syntax };
            self.current = Some(Current { analysis, queries, game: None });
        }
        self.current.as_mut().ok_or_else(|| "the rules have errors".to_owned())
    }
}

/// An error of a session in one line or several.
fn told(error: &SessionError) -> String {
    match error {
        SessionError::Rejected(_, wrong) => {
            let lines = wrong.iter().map(|one| match &one.help {
                Some(help) => format!("{}; {help}", one.message),
                None => one.message.clone(),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}
