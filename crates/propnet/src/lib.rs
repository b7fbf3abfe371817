//! Games as networks of gates ("propnets"): a rulesheet grounded by our own engine, evaluated for many playouts at
//! once, one bit each.
//!
//! ```text
//! rulesheet ─ground→ GroundGame ─net→ Net ─choice→ gates that choose moves ─program→ instructions ─lanes→ playouts
//! ```
//!
//! * [`compiled`]: the way from a rulesheet to a net, or to why there is none.
//! * [`ground`]: the rules without variables.
//! * [`graph`]: conjunctions and exclusive disjunctions, each once.
//! * [`closure`]: facts that depend on each other.
//! * [`net`]: which fact and which move is which signal.
//! * [`choice`]: a random legal move, as gates.
//! * [`factors`]: parts of a game whose moves have no effect on each other.
//! * [`program`]: gates in an order, with slots for their values.
//! * [`lanes`]: random playouts, a bit each.
//! * [`machine`]: the net as a game machine.
//! * [`symmetry`]: permutations of facts and moves that keep a game.
//! * [`lockstep`]: reasoners compared on the same playouts.

mod bits;
pub mod choice;
pub mod closure;
pub mod compiled;
pub mod factors;
pub mod graph;
pub mod ground;
pub mod lanes;
pub mod lockstep;
pub mod machine;
pub mod net;
pub mod program;
pub mod symmetry;

pub use compiled::{CompiledGame, NotCompiled};
pub use factors::Factors;
pub use ground::GroundGame;
pub use lanes::{
    DecisiveTurns, EndGoals, EndedPlayout, EndedPlayouts, Lanes, MAX_STEPS, MoveFinder, MoveUse, PlayoutFeed,
    PlayoutPolicy, PlayoutStart, PlyGroup, TRIAL, Tally, WatchedState, Width, fastest,
};
pub use lockstep::{Lockstep, ReplyDifference, Said};
pub use machine::{NetMachine, PlayoutStream, SteppedStates};
pub use net::Net;
pub use symmetry::{Symmetries, Symmetry};
