//! A language server: rule files in editors, over the Language Server Protocol 3.17
//! (<https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/>).
//!
//! It has no logic of its own: [`ludolog_workspace`] knows what is wrong, where names are and what they mean; here that is
//! put into the words of the protocol.
//!
//! ```text
//! stream ─transport→ messages ─server→ requests ─┬─ show · navigate · change
//!                                 ↑              └─ ludolog_workspace
//!                             background: findings
//! ```
//!
//! * `transport`: messages over a pair of streams; what is none is told and skipped.
//! * `server`: the loop that answers them, the open texts, what was published.
//! * [`Conversation`]: the same without streams and threads, for a page in a browser.
//! * `background`: what takes longer than a keystroke, on a thread of its own, given up when its text changes.
//! * `place`: files and positions as editors name them.
//! * `folders`: the rule files of the folders that are open, and copies of those that come with Ludolog.
//! * `introduction`: what a client tells of itself. `asked`: the parameters of requests.
//! * `requests`: which function answers which request. `show`: what is seen at a place. `navigate`: ways from place to
//!   place. `change`: edits of texts.

#![allow(clippy::mutable_key_type, reason = "URIs are compared and hashed by their texts, which do not change")]

mod asked;
mod background;
mod change;
mod conversation;
mod folders;
mod introduction;
mod navigate;
mod place;
mod requests;
mod server;
mod show;
mod transport;

pub use conversation::Conversation;
pub use folders::rule_files;
pub use place::uri;

use background::Background;
use crossbeam_channel::bounded;
use folders::Copies;
use ludolog_shipped::Library;
use ludolog_syntax::Files;
use ludolog_syntax::budget::Budget;
use server::Server;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// Messages that wait on either side; who sends more waits.
const WAITING: usize = 64;

/// What a server stands on.
#[derive(Clone)]
pub struct Settings {
    /// The files that texts include, those that come with Ludolog among them.
    pub files: Arc<dyn Files + Send + Sync>,
    /// The files that come with Ludolog, which editors see as copies that cannot be written.
    pub library: Library,
    /// What holds for all work, such as a limit of memory. Limits of time are the server's own.
    pub limits: Budget,
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client asked for the end, and waited for the answer.
    Orderly,
    /// The client left without a word.
    Abruptly,
}

/// Serves one client, from its first message to its last.
///
/// # Errors
///
/// One of the streams cannot be read or written, or no thread can be had.
pub fn serve(
    settings: Settings,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<Ended> {
    let (to_server, incoming) = bounded(WAITING);
    let (outgoing, to_client) = bounded(WAITING);
    let edited = Arc::new(AtomicBool::new(false));
    let raised = edited.clone();
    // The thread that reads ends with its stream, which may be after the conversation.
    let reader = thread::Builder::new().name("receive".into());
    reader.spawn(move || transport::receive(input, &to_server, &raised))?;
    let writer = thread::Builder::new().name("send".into()).spawn(move || transport::send(output, &to_client))?;
    let background = Background::start(settings.limits.clone())?;
    let copies = Copies::new(settings.library)?;
    let ended = Server::new(settings, outgoing, edited, background, copies).run(&incoming);
    match writer.join() {
        Ok(written) => written.map(|()| ended),
        Err(_) => Err(io::Error::other("the thread that writes has failed")),
    }
}
