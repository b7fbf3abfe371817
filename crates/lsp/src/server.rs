//! The loop that answers messages, the open texts, and what was published about them.

use crate::background::{Background, Found};
use crate::folders::{Copies, rule_files};
use crate::introduction::Introduction;
use crate::place::{self, Encoding, Lines, TextRanges};
use crate::transport::{Incoming, malformed, to_json};
use crate::{Ended, Settings, requests, show};
use crossbeam_channel::{Receiver, Sender, select};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, LogMessage,
    Notification as _, PublishDiagnostics,
};
use lsp_types::{
    Diagnostic, LogMessageParams, MessageType, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri,
};
use ludolog_syntax::Syntax;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::SourceId;
use ludolog_workspace::findings::Findings;
use ludolog_workspace::{Analysis, Project, Texts};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time that may be taken for a message, in which nothing else is answered.
const TIME: Duration = Duration::from_secs(5);

/// Messages that are taken from the stream before the first of them is answered: those that cancel another are found there.
const AHEAD: usize = 1024;

/// A server in conversation.
pub struct Server {
    settings: Settings,
    outgoing: Sender<Value>,
    /// Whether a change of a text has arrived, so that what is being analyzed is out of date.
    edited: Arc<AtomicBool>,
    stage: Stage,
    /// The requests by which the client is asked to ask again, as far as it takes them.
    refreshes: Vec<&'static str>,
    /// How columns are counted.
    pub encoding: Encoding,
    /// The texts and their analyses.
    pub project: Project,
    /// Copies of the files that come with Ludolog.
    pub copies: Copies,
    /// The rule files of the open folders.
    pub folder_files: Vec<PathBuf>,
    /// The open texts.
    open: BTreeMap<PathBuf, Opened>,
    background: Background,
    /// Open texts about which nothing was said since they changed.
    unjudged: bool,
    /// The diagnostics that the client has, by URI.
    published: HashMap<Uri, Vec<Diagnostic>>,
    /// Requests of the server so far.
    asked: i32,
}

/// An open text.
struct Opened {
    uri: Uri,
    version: i32,
    findings: Option<(Arc<Analysis>, Findings)>,
}

/// How far the conversation is.
#[derive(PartialEq, Eq)]
enum Stage {
    Unknown,
    Open,
    ShutDown,
}

/// Why a request has no answer.
pub enum Refusal {
    /// Time or memory did not suffice, or the text changed meanwhile.
    Stopped(Stopped),
    /// In words.
    Failed(String),
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Refusal::Stopped(stopped)
    }
}

/// A text as it was read, within the analysis that judges it.
pub struct View {
    /// The analysis.
    pub analysis: Arc<Analysis>,
    /// The number of the text in it.
    pub source: SourceId,
    /// Its syntax.
    pub syntax: Syntax,
    /// Its file.
    pub path: PathBuf,
}

impl View {
    /// The text.
    pub fn text(&self) -> &str {
        self.analysis.sources.get(self.source).map_or("", |source| &source.text)
    }
}

impl Server {
    /// A server that nobody has spoken to.
    pub fn new(
        settings: Settings,
        outgoing: Sender<Value>,
        edited: Arc<AtomicBool>,
        background: Background,
        copies: Copies,
    ) -> Server {
        Server {
            background,
            project: Project::new(Texts::new(settings.files.clone())),
            copies,
            settings,
            outgoing,
            edited,
            stage: Stage::Unknown,
            refreshes: Vec::new(),
            encoding: Encoding::Utf16,
            folder_files: Vec::new(),
            open: BTreeMap::new(),
            unjudged: false,
            published: HashMap::new(),
            asked: 0,
        }
    }

    /// Answers messages until there are no more. Texts are judged when no message waits.
    pub fn run(mut self, incoming: &Receiver<Incoming>) -> Ended {
        let mut inbox = VecDeque::new();
        loop {
            inbox.extend(incoming.try_iter().take(AHEAD));
            self.edited.store(inbox.iter().any(is_edit), Ordering::Relaxed);
            self.cancel(&mut inbox);
            if let Some(message) = inbox.pop_front() {
                if let Some(ended) = self.take(message) {
                    return ended;
                }
            } else if self.unjudged {
                self.judge();
            } else {
                let found = self.background.found.clone();
                select! {
                    recv(incoming) -> message => match message {
                        Ok(message) => inbox.push_back(message),
                        Err(_) => return Ended::Abruptly,
                    },
                    recv(found) -> found => if let Ok(found) = found { self.keep(found) },
                }
            }
        }
    }

    /// Judges the texts that have changed, or does the next thing that had to wait; whether there was any.
    pub fn step(&mut self) -> bool {
        if self.unjudged {
            self.judge();
            return true;
        }
        let has_worked = self.background.step();
        while let Ok(found) = self.background.found.try_recv() {
            self.keep(found);
        }
        has_worked
    }

    /// Answers the requests that wait and are cancelled.
    fn cancel(&mut self, inbox: &mut VecDeque<Incoming>) {
        let cancelled: Vec<Value> = inbox
            .iter()
            .filter_map(|incoming| match incoming {
                Incoming::Message(Message::Notification(one)) if one.method == "$/cancelRequest" => {
                    one.params.get("id").cloned()
                }
                _ => None,
            })
            .collect();
        if cancelled.is_empty() {
            return;
        }
        let is_cancelled = |id: &RequestId| serde_json::to_value(id).is_ok_and(|id| cancelled.contains(&id));
        let mut gone = Vec::new();
        inbox.retain(|incoming| match incoming {
            Incoming::Message(Message::Request(request)) if is_cancelled(&request.id) => {
                gone.push(request.id.clone());
                false
            }
            _ => true,
        });
        for id in gone {
            self.refuse(id, ErrorCode::RequestCanceled, "cancelled".into());
        }
    }

    /// Answers a message; the end of the conversation, if it was the last.
    pub fn take(&mut self, incoming: Incoming) -> Option<Ended> {
        match incoming {
            Incoming::Malformed(words) => self.say(malformed(&words)),
            Incoming::Message(Message::Request(request)) => self.answer(request),
            Incoming::Message(Message::Notification(notification)) if notification.method == "exit" => {
                return Some(if self.stage == Stage::ShutDown { Ended::Orderly } else { Ended::Abruptly });
            }
            Incoming::Message(Message::Notification(notification)) if self.stage == Stage::Open => {
                if let Err(words) = self.hear(notification) {
                    self.log(words);
                }
            }
            // Answers to requests of the server ask for nothing.
            Incoming::Message(Message::Response(_) | Message::Notification(_)) => {}
        }
        None
    }

    fn answer(&mut self, request: Request) {
        let id = request.id.clone();
        match (&self.stage, request.method.as_str()) {
            (Stage::Unknown, "initialize") => match Introduction::read(&request.params) {
                Ok(client) => {
                    let welcome = self.initialize(client);
                    self.say(to_json(Response::new_ok(id, welcome)));
                }
                Err(words) => self.refuse(id, ErrorCode::InvalidParams, format!("initialize: {words}")),
            },
            (Stage::Unknown, _) => {
                self.refuse(id, ErrorCode::ServerNotInitialized, "the first request is `initialize`".into());
            }
            (Stage::Open, "shutdown") => {
                self.stage = Stage::ShutDown;
                self.say(to_json(Response::new_ok(id, Value::Null)));
            }
            (Stage::Open, _) => {
                let response = requests::answer(self, request);
                self.say(to_json(response));
            }
            (Stage::ShutDown, _) => self.refuse(id, ErrorCode::InvalidRequest, "the server was shut down".into()),
        }
    }

    fn initialize(&mut self, client: Introduction) -> Value {
        if client.takes_utf8 {
            self.encoding = Encoding::Utf8;
        }
        self.folder_files = client.folders.iter().flat_map(|uri| rule_files(&place::path(uri))).collect();
        for file in &self.folder_files {
            self.project.add_member(file);
        }
        self.refreshes = client.refreshes;
        self.stage = Stage::Open;
        requests::welcome(self.encoding)
    }

    /// Takes note of what the client tells.
    fn hear(&mut self, notification: Notification) -> Result<(), String> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let told = read::<DidOpenTextDocument>(notification)?.text_document;
                let path = self.path(&told.uri, Some(&told.language_id));
                self.project.set(&path, told.text);
                self.open.insert(path, Opened { uri: told.uri, version: told.version, findings: None });
            }
            DidChangeTextDocument::METHOD => {
                let told = read::<DidChangeTextDocument>(notification)?;
                let path = self.path(&told.text_document.uri, None);
                self.edit(&path, told.text_document.version, told.content_changes)?;
            }
            DidCloseTextDocument::METHOD => {
                let path = self.path(&read::<DidCloseTextDocument>(notification)?.text_document.uri, None);
                self.background.give_up(&path);
                self.project.close(&path);
                self.open.remove(&path);
            }
            DidChangeWatchedFiles::METHOD => {
                for change in read::<DidChangeWatchedFiles>(notification)?.changes {
                    let path = place::path(&change.uri);
                    self.project.forget(&path);
                    self.project.add_member(&path);
                    if !self.folder_files.contains(&path) {
                        self.folder_files.push(path);
                    }
                }
            }
            _ => return Ok(()),
        }
        self.unjudged = true;
        Ok(())
    }

    /// Changes an open text, all of it or nothing.
    fn edit(&mut self, path: &Path, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> Result<(), String> {
        let before = self.project.texts().get(path).cloned();
        let (Some(before), Some(opened)) = (before, self.open.get_mut(path)) else {
            return Err(format!("{} is changed and was never opened", path.display()));
        };
        let mut text = before.to_string();
        for change in changes {
            let Some(range) = change.range else {
                text = change.text;
                continue;
            };
            let lines = Lines::new(&text, self.encoding);
            let range = lines.byte(range.start)..lines.byte(range.end);
            if range.start > range.end {
                let name = path.display();
                return Err(format!("{name}: a change whose end is before its start; none of its message was made"));
            }
            text.replace_range(range, &change.text);
        }
        opened.version = version;
        self.background.give_up(path);
        self.project.set(path, text);
        Ok(())
    }

    /// Publishes what is wrong with the open texts and with what they include, and begins to find out more.
    fn judge(&mut self) {
        let budget = self.budget();
        match self.wrong(&budget) {
            Ok(wrong) => self.publish(wrong),
            // The next change is there already.
            Err(Stopped::Interrupted) => return,
            Err(stopped) => self.log(format!("not analyzed: {stopped}")),
        }
        self.unjudged = false;
        for path in self.open.keys().cloned().collect::<Vec<_>>() {
            if let Ok(view) = self.view_of(&path) {
                self.background.begin(&path, view.analysis, view.source);
            }
        }
    }

    /// The diagnostics of all open texts and of what they include, by URI.
    fn wrong(&mut self, budget: &Budget) -> Result<BTreeMap<Uri, Vec<Diagnostic>>, Stopped> {
        let mut files: BTreeSet<PathBuf> = self.open.keys().cloned().collect();
        // A text that takes too long uses up its own time alone, and is told of; short ones come first.
        let mut open: Vec<&PathBuf> = self.open.keys().collect();
        open.sort_by_key(|path| self.project.texts().get(path).map_or(0, |text| text.len()));
        for path in open {
            match self.project.analysis(path, budget) {
                Ok(analysis) => {
                    files.extend(analysis.paths().filter(|path| path.is_absolute()).map(Path::to_owned));
                }
                Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                Err(_) => {}
            }
        }
        let mut wrong = BTreeMap::new();
        for file in files {
            let found = self.project.diagnostics(&file, budget);
            let Some(uri) = self.uri(&file) else { continue };
            let list: &mut Vec<Diagnostic> = wrong.entry(uri).or_default();
            let found = match found {
                Ok(found) => found,
                Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                Err(stopped) => {
                    list.push(show::not_analyzed(&stopped));
                    continue;
                }
            };
            let mut places = TextRanges::new(self.encoding);
            list.extend(found.iter().map(|(analysis, one)| show::diagnostic(self, analysis, one, &mut places)));
            for (path, opened) in &self.open {
                let Some((analysis, findings)) = &opened.findings else { continue };
                let is_here = |one: &&ludolog_syntax::diagnostic::Diagnostic| {
                    let place = one.labels.first().and_then(|label| analysis.path(label.span.source));
                    place.unwrap_or(path) == file
                };
                let told = findings.told.iter().filter(is_here);
                list.extend(told.map(|one| show::diagnostic(self, analysis, one, &mut places)));
            }
        }
        Ok(wrong)
    }

    /// Tells the client what changed.
    fn publish(&mut self, mut wrong: BTreeMap<Uri, Vec<Diagnostic>>) {
        for uri in self.published.keys() {
            wrong.entry(uri.clone()).or_default();
        }
        for (uri, diagnostics) in wrong {
            if self.published.get(&uri).is_some_and(|before| *before == diagnostics) {
                continue;
            }
            let opened = self.open.values().find(|opened| opened.uri == uri);
            let version = opened.map(|opened| opened.version);
            let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics: diagnostics.clone(), version };
            self.notify::<PublishDiagnostics>(params);
            if diagnostics.is_empty() && opened.is_none() {
                self.published.remove(&uri);
            } else {
                self.published.insert(uri, diagnostics);
            }
        }
    }

    /// Keeps what was found out, unless the text has changed since.
    fn keep(&mut self, found: Found) {
        let Ok(view) = self.view_of(&found.path) else { return };
        if !Arc::ptr_eq(&view.analysis, &found.analysis) {
            return;
        }
        if let Some(opened) = self.open.get_mut(&found.path) {
            opened.findings = Some((found.analysis, found.findings));
            self.unjudged = true;
            self.ask_to_refresh();
        }
    }

    /// Asks the client to ask again for what depends on findings.
    fn ask_to_refresh(&mut self) {
        for method in self.refreshes.clone() {
            self.asked += 1;
            self.say(to_json(Request::new(self.asked.into(), method.into(), Value::Null)));
        }
    }

    /// A budget for one message.
    pub fn budget(&self) -> Budget {
        self.settings.limits.clone().with_timeout(TIME).with_interrupt(self.edited.clone())
    }

    /// The text of a URI, within the analysis that judges it.
    pub fn view(&mut self, uri: &Uri) -> Result<View, Refusal> {
        let path = self.path(uri, None);
        self.view_of(&path)
    }

    fn view_of(&mut self, path: &Path) -> Result<View, Refusal> {
        let budget = self.budget();
        let path = self.project.texts().key(path);
        let analysis = self.project.contexts(&path, &budget)?.into_iter().next();
        let analysis = analysis.ok_or_else(|| Refusal::Failed("there is no such text".into()))?;
        match analysis.source(&path) {
            Some((source, syntax)) => Ok(View { analysis, source, syntax, path }),
            None => Err(Refusal::Failed(format!("{} cannot be read", path.display()))),
        }
    }

    /// What was found out about a text, if that is what it still is.
    pub fn findings(&self, view: &View) -> Option<&Findings> {
        let (analysis, findings) = self.open.get(&view.path)?.findings.as_ref()?;
        Arc::ptr_eq(analysis, &view.analysis).then_some(findings)
    }

    /// The path of a URI. A text that is in no file has the extension of its language.
    fn path(&self, uri: &Uri, language: Option<&str>) -> PathBuf {
        let path = self.copies.meant(place::path(uri));
        if path.is_absolute() || Syntax::of(&path).is_some() {
            return self.project.texts().key(&path);
        }
        if let Some((path, _)) = self.open.iter().find(|(_, opened)| opened.uri == *uri) {
            return path.clone();
        }
        let syntax = if language == Some("gdl") { Syntax::Kif } else { Syntax::Datalog };
        PathBuf::from(format!("{}.{}", path.display(), syntax.name()))
    }

    /// The URI of a file, as the client names it if it is open there.
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        match self.open.get(path) {
            Some(opened) => Some(opened.uri.clone()),
            None => place::uri(&self.copies.shown(path).ok()?),
        }
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, words: String) {
        self.say(to_json(Response::new_err(id, code as i32, words)));
    }

    fn log(&self, words: String) {
        self.notify::<LogMessage>(LogMessageParams { typ: MessageType::WARNING, message: words });
    }

    fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params) {
        self.say(to_json(Notification::new(N::METHOD.into(), params)));
    }

    fn say(&self, message: Value) {
        // If nobody writes any more, the streams have ended, which the loop is told.
        _ = self.outgoing.send(message);
    }
}

fn is_edit(incoming: &Incoming) -> bool {
    matches!(incoming, Incoming::Message(Message::Notification(one)) if one.method == DidChangeTextDocument::METHOD)
}

fn read<N: lsp_types::notification::Notification>(notification: Notification) -> Result<N::Params, String>
where
    N::Params: DeserializeOwned,
{
    serde_json::from_value(notification.params).map_err(|error| format!("{}: {error}", N::METHOD))
}
