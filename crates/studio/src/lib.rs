//! The studio: rules written, asked and played in a browser.
//!
//! A page speaks with a [`Studio`], which lies in a worker beside it, as WebAssembly, or on a local server. It is the language
//! server with some requests more; the page does not know which of the two it has.
//!
//! ```text
//! page ─messages→ Studio ─┬─ language server (ludolog_lsp)
//!                         └─ studio/query, why, whyNot, costs, game, choose, playouts, hex, solveHex, proveHex, library, read, files, open, save
//! ```
//!
//! * [`Queries`]: goals, explanations and costs as JSON. [`PlayedGame`]: a game in some state, as JSON. [`HexBoard`]: a position of Hex.
//! * [`Folder`]: the rule files that are opened and saved.
//! * `messages`: the requests of the studio.
//! * `server` (cargo feature): the page and its messages over HTTP.
//!
//! The page itself lies in `page`.

mod costs;
mod folder;
mod game;
mod hex;
mod messages;
mod queries;
#[cfg(feature = "server")]
pub mod server;

pub use folder::{Folder, SaveFile};
pub use game::PlayedGame;
pub use hex::HexBoard;
pub use messages::Studio;
pub use queries::Queries;

use ludolog_syntax::budget::Budget;
use std::time::Duration;

/// The milliseconds of work, where none are given.
const MILLISECONDS: f64 = 10_000.0;

/// A budget of milliseconds.
pub fn budget(milliseconds: Option<f64>) -> Budget {
    let given = milliseconds.unwrap_or(MILLISECONDS).clamp(0.0, 1e9);
    Budget::unlimited().with_timeout(Duration::from_secs_f64(given / 1000.0))
}
