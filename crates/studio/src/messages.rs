//! The requests of the studio, beside those of the language server.

#[cfg(feature = "server")]
use crate::native::{RunAsked, Runs};
use crate::{Folder, HexBoard, PlayedGame, Queries, Replay, budget};
use ludolog_engine::{Case, Session, SessionError};
use ludolog_hex::board::Player;
use ludolog_lsp::{Conversation, Settings, uri};
use ludolog_player::PLAYERS;
use ludolog_player::registry::PlayerDescription;
use ludolog_shipped::Library;
use ludolog_syntax::Syntax;
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::Diagnostics;
use ludolog_workspace::Analysis;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Milliseconds of one request at most: the page waits for it.
const MAX_MILLISECONDS: f64 = 60_000.0;

/// Why there are no answers about a text.
const WRONG: &str = "the rules have errors";

/// A studio in conversation with one page.
pub struct Studio {
    conversation: Conversation,
    library: Library,
    /// The files that the page may open and save.
    folder: Option<Arc<Folder>>,
    /// What was made of the text that was asked about last.
    current: Option<Current>,
    /// The board of Hex that was asked about last.
    hex: Option<HexBoard>,
    /// The match that is walked through.
    replay: Option<Replay>,
    /// The benchmark and the tournament that are running.
    #[cfg(feature = "server")]
    runs: Runs,
}

/// What was made of an open text.
pub(crate) struct Current {
    pub analysis: Arc<Analysis>,
    pub queries: Queries,
    game: Option<PlayedGame>,
    /// The facts of the text, without those of a state.
    case: Case,
    /// The joint moves to the state that goals are asked of; `None` if they are asked of the rules alone.
    entered: Option<Vec<Vec<String>>>,
}

impl Current {
    /// The game after these joint moves.
    pub fn game(&mut self, moves: &[Vec<String>], budget: &Budget) -> Result<&mut PlayedGame, String> {
        let game = match self.game.take() {
            Some(game) => game,
            None => PlayedGame::new(&self.queries.session, self.queries.syntax, budget)?,
        };
        let game = self.game.insert(game);
        game.go_to(moves)?;
        Ok(game)
    }

    /// Lets goals be asked of the state after these joint moves, or of the rules alone.
    fn enter(&mut self, moves: Option<&[Vec<String>]>, budget: &Budget) -> Result<(), String> {
        if self.entered.as_deref() == moves {
            return Ok(());
        }
        let mut case = self.case.clone();
        if let Some(moves) = moves {
            case.facts.extend(self.game(moves, budget)?.state_facts());
        }
        self.queries.session.set_case(case);
        self.entered = moves.map(<[_]>::to_vec);
        Ok(())
    }
}

/// The parameters of all requests; each reads those that it has.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Asked {
    uri: String,
    pub goal: String,
    fact: String,
    pub name: String,
    moves: Vec<Vec<String>>,
    in_state: bool,
    role: usize,
    player: Option<String>,
    pub milliseconds: Option<f64>,
    text: String,
    before: String,
    pub position: String,
    view: String,
    between: Vec<String>,
    cell: Option<String>,
    stone: Option<String>,
    pub from: usize,
    /// What benchmarks and tournaments are made of.
    #[cfg(feature = "server")]
    #[serde(flatten)]
    pub run: RunAsked,
}

/// The requests that are answered by a local server alone.
#[cfg(not(feature = "server"))]
const NATIVE: [&str; 7] =
    ["bench", "benchChoices", "benchProgress", "tournament", "tournamentProgress", "record", "stop"];

impl Studio {
    /// A studio that nobody has spoken to.
    pub fn new(settings: Settings) -> Studio {
        let library = settings.library;
        Studio {
            #[cfg(feature = "server")]
            runs: Runs::new(settings.limits.clone()),
            conversation: Conversation::new(settings),
            library,
            folder: None,
            current: None,
            hex: None,
            replay: None,
        }
    }

    /// The same with files that the page may open and save.
    pub fn with_folder(self, folder: Option<Arc<Folder>>) -> Studio {
        Studio { folder, ..self }
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
            "players" => {
                let player = |one: &PlayerDescription| json!({ "name": one.name, "title": one.summary });
                return Ok(PLAYERS.iter().map(player).collect());
            }
            "read" => {
                return self.library.full_text(&asked.name).map(|text| json!(text)).map_err(|none| none.to_string());
            }
            "files" | "open" | "save" => return self.file(method, asked),
            "hex" | "solveHex" | "proveHex" => return self.hex(method, asked, &budget),
            "replay" | "frame" => return self.replay(method, asked),
            #[cfg(not(feature = "server"))]
            _ if NATIVE.contains(&method) => {
                return Err("this runs with an engine on this machine: start `ludolog studio`".to_owned());
            }
            _ => {}
        }
        #[cfg(feature = "server")]
        if let Some(answered) = self.runs.answer(method, asked) {
            return answered;
        }
        self.about_text(method, asked, budget)
    }

    /// Requests about an open text.
    fn about_text(&mut self, method: &str, asked: &Asked, budget: Budget) -> Result<Value, String> {
        if asked.uri.is_empty() {
            return Err(format!("`studio/{method}` is no request of the studio, or needs the `uri` of an open text"));
        }
        self.current(&asked.uri)?;
        let Some(current) = &mut self.current else { return Err(WRONG.to_owned()) };
        match method {
            "game" => return current.game(&asked.moves, &budget)?.shown(),
            "playouts" => return current.game(&asked.moves, &budget)?.playouts(&budget),
            "choose" => {
                let player = asked.player.as_deref().unwrap_or("auto");
                return current.game(&asked.moves, &budget)?.choose(asked.role, player, &budget);
            }
            _ => {}
        }
        current.enter(asked.in_state.then_some(&*asked.moves), &budget)?;
        #[cfg(feature = "server")]
        if let Some(begun) = self.runs.begin(method, asked, current, &budget) {
            return begun;
        }
        let queries = &mut current.queries;
        match method {
            "query" => queries.query(&asked.goal, budget).map_err(|error| told(&error)),
            "facts" => queries.facts(None, budget).map(|facts| json!(facts)).map_err(|stopped| stopped.to_string()),
            "why" => queries.why(&asked.fact, budget).map_err(|error| told(&error)),
            "whyNot" => queries.why_not(&asked.fact, budget).map_err(|error| told(&error)),
            "costs" => queries.costs(&asked.goal, budget).map_err(|error| told(&error)),
            _ => Err(format!("`studio/{method}` is not a request of the studio")),
        }
    }

    /// Requests about the files of the folder.
    fn file(&self, method: &str, asked: &Asked) -> Result<Value, String> {
        let Some(folder) = &self.folder else {
            return if method == "files" {
                Ok(json!([]))
            } else {
                Err("this studio has no files of its own".to_owned())
            };
        };
        match method {
            "files" => Ok(folder.names().collect()),
            "open" => {
                let uri = uri(folder.path(&asked.name)?).ok_or("the path of the file is no text")?;
                Ok(json!({ "name": asked.name, "text": folder.read(&asked.name)?, "uri": uri.as_str() }))
            }
            _ => folder.save(&asked.name, &asked.text, &asked.before).map(|()| Value::Null),
        }
    }

    /// Requests about a position of Hex, after a stone is put on a cell or taken from it if the request says so.
    fn hex(&mut self, method: &str, asked: &Asked, budget: &Budget) -> Result<Value, String> {
        let given = HexBoard::read(&asked.position).map_err(|(_, wrong)| words(&wrong))?;
        let board = match &mut self.hex {
            Some(board) => {
                board.go_to(given);
                board
            }
            None => self.hex.insert(given),
        };
        if let Some(cell) = &asked.cell {
            let player = asked.stone.as_ref().map(|stone| stone.parse::<Player>().map_err(|error| error.to_string()));
            board.put(player.transpose()?, cell)?;
        }
        match method {
            "solveHex" => board.solve(board.position().turn(), budget),
            "proveHex" => board.prove(budget),
            _ => board.shown(&asked.view, &asked.between, budget),
        }
    }

    /// Requests about the record of a match; it is drawn as the open text states its board, if that is a game.
    fn replay(&mut self, method: &str, asked: &Asked) -> Result<Value, String> {
        if method == "replay" {
            let read = self.conversation.analysis(&asked.uri).ok();
            let syntax = read.as_ref().map_or(Syntax::Kif, |(_, syntax)| *syntax);
            let program = read.as_ref().and_then(|(analysis, _)| Some(&analysis.analyzed.as_ref()?.stratified.program));
            let replay = self.replay.insert(Replay::read(&asked.text, program, syntax)?);
            return Ok(replay.about().clone());
        }
        self.replay.as_ref().ok_or("no match is open")?.frame(asked.from)
    }

    /// Makes of an open text what goals and games are asked of.
    fn current(&mut self, uri: &str) -> Result<(), String> {
        let (analysis, syntax) = self.conversation.analysis(uri)?;
        if !self.current.as_ref().is_some_and(|current| Arc::ptr_eq(&current.analysis, &analysis)) {
            let analyzed = analysis.analyzed.clone().ok_or(WRONG)?;
            let mut case = Case::default();
            case.extend(analysis.loaded.facts.clone());
            let session = Session::new(analyzed, analysis.sources.clone()).with_case(case.clone());
            let queries = Queries { session, syntax };
            self.current = Some(Current { analysis, queries, game: None, case, entered: None });
        }
        Ok(())
    }
}

/// An error of a session in one line or several.
pub(crate) fn told(error: &SessionError) -> String {
    match error {
        SessionError::Rejected(_, wrong) => words(wrong),
        other => other.to_string(),
    }
}

/// Diagnostics, a line each.
pub(crate) fn words(wrong: &Diagnostics) -> String {
    let lines = wrong.iter().map(|one| match &one.help {
        Some(help) => format!("{}; {help}", one.message),
        None => one.message.clone(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
