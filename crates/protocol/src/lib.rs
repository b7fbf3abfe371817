//! Game managers and general game players, near and far.
//!
//! * [`message`]: what they say to each other, as texts.
//! * [`host`]: the player's side of matches, whatever carries the messages.
//! * [`server`]: a host behind HTTP.
//! * [`remote`]: players behind a URL, as seats of a match.

pub mod host;
pub mod message;
pub mod remote;
pub mod server;

pub use host::{Arrival, Host, Settings};
pub use message::{Made, Malformed, Message, Refusal, Reply};
pub use remote::{Remote, Url};
