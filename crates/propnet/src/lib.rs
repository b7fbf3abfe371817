//! Games as networks of gates ("propnets"): a rulesheet grounded by our own engine, evaluated for many playouts at once,
//! one bit each.
//!
//! ```text
//! rulesheet ─ground→ GroundGame ─net→ Net ─choice→ gates that choose moves ─program→ instructions ─lanes→ playouts
//! ```
//!
//! * [`ground`]: the rules without variables.
//! * [`graph`]: gates.
//! * [`net`]: which fact and which move is which signal.

pub mod graph;
pub mod ground;
pub mod net;

pub use ground::GroundGame;
pub use net::Net;
