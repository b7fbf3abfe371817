//! Game managers and general game players, near and far.
//!
//! * [`message`]: what they say to each other, as texts.
//! * [`host`]: the player's side of matches, whatever carries the messages.
//! * `stand_in`: a legal move for a player that is not ready.
//! * [`server`]: a host behind HTTP.
//! * [`remote`]: players behind a URL, as seats of a match.
//! * [`record`]: matches as JSON.
//! * [`written`]: matches read from JSON.
//! * [`replay`]: matches as pages.
//! * [`spectate`]: running matches as pages that follow them.
//! * [`standings`]: tournaments as pages.
//! * [`tournament`]: round robins, their records and scores.

pub mod host;
pub mod message;
pub mod record;
pub mod remote;
pub mod replay;
pub mod server;
pub mod spectate;
mod stand_in;
pub mod standings;
pub mod tournament;
pub mod written;

pub use host::{Arrival, Host, MatchSettings, Remark};
pub use ludolog_player::matches::ToldMove;
pub use message::{Malformed, Message, MessageRefusal, PlayerReply};
pub use record::About;
pub use remote::{Remote, Url};
