//! The family: connection games as rules, positional games as hypergraphs.
//!
//! What holds for Hex holds for a family: two sides claim the cells of a board in turn, and a set of cells decides. The
//! games differ in the board, and in which sets decide: a chain between two borders, one that touches three, a ring, or
//! any list of winning sets.
//!
//! ```text
//! name and size ─games→ board, graph or hypergraph ─rulesheet→ facts, with the rules of rules/lib that they need
//! ```
//!
//! * [`board`]: cells, links and borders: rhombus, triangle, hexagon, cylinder, tilings, boards of more dimensions; as
//!   facts, and as a picture.
//! * [`graph`]: graphs from facts.
//! * [`size`]: the numbers behind the name of a game, with their bounds.
//! * [`rulesheet`]: the text of facts and includes.
//! * [`games`]: the games there are.
//! * [`switching`]: Shannon switching on edges, solved, with proofs.
//!
//! A cell is one symbol, as in `c4`, so that the same rules serve every board: `(stone red c4)` is a fact of a state,
//! `(place c4)` a move. The rules of all games are in the files of `rules/lib`, which rulesheets include.
//!
//! ```
//! let rules = ludolog_family::games::rules("y-4").unwrap().unwrap();
//! assert!(rules.contains("(border base a4)"));
//! ```

pub mod board;
pub mod games;
pub mod graph;
pub mod rulesheet;
pub mod size;
pub mod switching;
