//! Players behind a URL.

use crate::message::Message;
use ludolog_engine::Budget;
use ludolog_game::canonical::term;
use ludolog_player::matches::{Clocks, Seat, Thought, ToldMove};
use ludolog_syntax::ast::Term;
use std::fmt;
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use ureq::Agent;

/// The address of a player: `http://host:port`, perhaps with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(String);

/// The text is no address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoUrl(String);

impl fmt::Display for NoUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no address of a player; write as in http://localhost:9147", self.0)
    }
}

impl std::error::Error for NoUrl {}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Url {
    type Err = NoUrl;

    fn from_str(text: &str) -> Result<Url, NoUrl> {
        let uri = text.parse::<ureq::http::Uri>().ok();
        match uri.filter(|uri| uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty())) {
            Some(_) => Ok(Url(text.to_owned())),
            None => Err(NoUrl(text.to_owned())),
        }
    }
}

/// The time beyond its clock for which an answer is waited for, to tell late from absent.
const GRACE: Duration = Duration::from_millis(500);

/// The time for an answer that nobody needs.
const FAREWELL: Duration = Duration::from_secs(2);

/// The time between two looks at an interruption.
const LOOK: Duration = Duration::from_millis(50);

/// Most bytes of an answer.
const MAX_ANSWER: u64 = 1 << 20;

/// Most characters of an answer that is shown.
const SHOWN: usize = 80;

/// A seat with a player behind a URL.
pub struct Remote {
    url: Url,
    agent: Agent,
    id: String,
    role: Term,
    rules: String,
}

impl Remote {
    /// A seat for a role in a match of this name, with the rules in KIF.
    pub fn new(url: Url, id: String, role: Term, rules: String) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(None)
            .build();
        Remote { url, agent: Agent::new_with_config(config), id, role, rules }
    }

    /// Sends a message and waits for the answer, on a thread of its own, so that an interruption ends the wait.
    fn ask(&self, message: &Message, patience: Duration, budget: &Budget) -> Result<String, String> {
        let agent = self.agent.clone();
        let url = self.url.0.clone();
        let text = message.to_string();
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let post = agent.post(&url).config().timeout_global(Some(patience)).build();
            let answer = post.content_type("text/acl").send(text).and_then(|mut response| {
                let status = response.status();
                if !status.is_success() {
                    return Ok(Err(format!("the answer has the HTTP status {status}")));
                }
                response.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true).read_to_string().map(Ok)
            });
            // Nobody may wait any more.
            _ = sender.send(answer);
        });
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(Ok(answer)) => return answer.map(|answer| answer.trim().to_owned()),
                Ok(Err(ureq::Error::Timeout(_))) => {
                    return Err(format!("no answer within {:.1} s", patience.as_secs_f64()));
                }
                Ok(Err(error)) => return Err(error.to_string()),
                Err(RecvTimeoutError::Timeout) => budget.check().map_err(|stopped| stopped.to_string())?,
                Err(RecvTimeoutError::Disconnected) => return Err("the request failed".to_owned()),
            }
        }
    }
}

/// An answer in an error message.
fn shown(answer: &str) -> String {
    let line: String = answer.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    let rest = if answer.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("`{line}{rest}`")
}

impl Seat for Remote {
    fn name(&self) -> &str {
        &self.url.0
    }

    fn start(&mut self, clocks: Clocks, budget: &Budget) -> Result<Thought, String> {
        let message = Message::Start {
            id: self.id.clone(),
            role: self.role.clone(),
            rules: self.rules.clone(),
            start_clock: clocks.start,
            play_clock: clocks.play,
        };
        let answer = self.ask(&message, clocks.start.saturating_add(GRACE), budget)?;
        if answer.eq_ignore_ascii_case("ready") {
            Ok(Thought::default())
        } else {
            Err(format!("{} instead of `ready`", shown(&answer)))
        }
    }

    fn play(&mut self, told: &ToldMove, clocks: Clocks, budget: &Budget) -> Result<(Term, Thought), String> {
        let message = Message::Play { id: self.id.clone(), made: told.clone() };
        let answer = self.ask(&message, clocks.play.saturating_add(GRACE), budget)?;
        match term(&answer) {
            Some(term) => Ok((term, Thought::default())),
            None => Err(format!("{} is no move", shown(&answer))),
        }
    }

    fn stop(&mut self, told: Option<&ToldMove>) {
        let id = self.id.clone();
        let message = match told {
            Some(told) => Message::Stop { id, made: told.clone() },
            None => Message::Abort { id },
        };
        // The match is over, whatever the player says; an interruption is no reason to leave without a word.
        _ = self.ask(&message, FAREWELL, &Budget::unlimited());
    }
}
