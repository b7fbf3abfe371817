//! The studio: rules written, asked and played in a browser.
//!
//! A page speaks with a [`Studio`], which lies in a worker beside it, as WebAssembly, or on a local server. It is the language
//! server with some requests more; the page does not know which of the two it has.
//!
//! ```text
//! page ─messages→ Studio ─┬─ language server (ludolog_lsp)
//!                         └─ studio/query, why, whyNot, costs, game, choose, playouts, hex, solveHex, proveHex, replay, library, read, files, …
//! ```
//!
//! * [`Queries`]: goals, explanations and costs as JSON. [`PlayedGame`]: a game in some state, as JSON. [`HexBoard`]: a position of Hex.
//!   [`Replay`]: the record of a match.
//! * [`Folder`]: the rule files that are opened and saved.
//! * `messages`: the requests of the studio.
//! * `server` (cargo feature): the page and its messages over HTTP, and what needs threads: `native` with `runs`, `bench`, `tournament`.
//!
//! The page itself lies in `page`.

#[cfg(feature = "server")]
mod bench;
mod costs;
mod folder;
mod game;
mod hex;
mod messages;
#[cfg(feature = "server")]
mod native;
mod queries;
mod replay;
#[cfg(feature = "server")]
mod runs;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
mod tournament;

pub use folder::{Folder, SaveFile};
pub use game::PlayedGame;
pub use hex::HexBoard;
pub use messages::Studio;
pub use queries::Queries;
pub use replay::Replay;

use ludolog_syntax::budget::Budget;
use std::time::Duration;

/// The milliseconds of work, where none are given.
const MILLISECONDS: f64 = 10_000.0;

/// A budget of milliseconds.
pub fn budget(milliseconds: Option<f64>) -> Budget {
    let given = milliseconds.unwrap_or(MILLISECONDS).clamp(0.0, 1e9);
    Budget::unlimited().with_timeout(Duration::from_secs_f64(given / 1000.0))
}
