//! Game rules as logic: check, query, explain, benchmark, prove and play games written in GDL or Datalog.
//!
//! A text becomes a program, a program is analyzed and optimized, an engine derives what follows, and a game asks it for
//! legal moves and next states; Hex is solved besides, by deduction. `docs/architecture.md` shows the house.
//!
//! # Quick start
//!
//! Query a program, and ask why an answer holds:
//!
//! ```
//! use ludolog::prelude::*;
//!
//! let rules = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).";
//! let mut session = Session::of_text(rules, Syntax::Datalog)?;
//! session.insert("edge(a, b)")?;
//! session.insert("edge(b, c)")?;
//! assert_eq!(session.query("path(a, X)")?.to_string(), "X = b\nX = c\n");
//!
//! let goal = session.goal("path(a, c)")?;
//! let derivation = session.why(&goal)?.expect("path(a, c) holds");
//! assert_eq!(derivation.inferences.len(), 4, "path(a, c), path(a, b) and two edges");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Play a game:
//!
//! ```
//! use ludolog::game::{Interpreted, StateMachine, StateMachineExt};
//! use ludolog::prelude::*;
//!
//! let rules = "
//!     (role counter) (init (count 2)) (less 2 1) (less 1 0)
//!     (<= (legal counter count) (true (count ?n)))
//!     (<= (next (count ?k)) (does counter count) (true (count ?n)) (less ?n ?k))
//!     (<= terminal (true (count 0)))
//!     (<= (goal counter 100) terminal)";
//! let session = Session::of_text(rules, Syntax::Kif)?;
//! let mut game = Interpreted::new(session.program(), Budget::unlimited())?;
//! let start = game.initial_state().clone();
//! let played = game.playout(&start, 100, |_, legal| legal[0])?;
//! assert_eq!((played.steps, played.goals), (2, vec![Some(100)]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solve a position of Hex (cargo feature `hex`):
//!
//! ```
//! # #[cfg(feature = "hex")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ludolog::prelude::*;
//!
//! let position = Position::new("3x3".parse()?);
//! let solver = Solver::new(position.board()).expect("3x3 is small enough");
//! assert_eq!(solver.winner(&position, Player::Red, 1, &Budget::unlimited())?, Player::Red);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "hex"))]
//! # fn main() {}
//! ```
//!
//! `examples/` has a program for each of the four: query, explain, play, solve; `toy_engine`, an engine of one's own; and
//! `brouwer`, fixed points of maps by filled boards of Hex.
//!
//! # The rooms
//!
//! | room | what it is for |
//! | --- | --- |
//! | [`syntax`] | texts to programs and back, [`diagnostic`]s, the [`budget`](syntax::budget) that every phase takes |
//! | [`analysis`] | what must hold of a program before it runs |
//! | [`optimize`] | named passes from program to program |
//! | `compile` | a program as the source of other systems |
//! | [`engine`] | engines behind one contract; [`Session`](engine::Session) |
//! | [`game`] | a GDL program as a game |
//! | [`picture`] | boards as SVG and as text; the frame and style of pages |
//! | `propnet` | a game as a network of gates, for many playouts at once |
//! | `player` | general game players, and matches between them |
//! | `solve` | whole games solved: every reachable state with its value |
//! | `workers`, `dataflow` | several processes; the engine that they run together, kept up to date |
//! | `protocol` | game managers and players over HTTP, match records, tournaments |
//! | `certificate` | proofs in files: calculus, version, the check |
//! | `hex` | Hex: connections, evaluations, solver, certificates |
//! | `positional` | games on winning sets: pairings, matching sets, proofs of draws |
//! | `shipped` | the rule files and positions that come with Ludolog, under their `std:` names |
//! | `family` | connection games and positional games as rulesheets, for boards of any size |
//! | `formulation` | the Hex win in several wordings, as texts and compiled |
//! | `bench` | measuring them |
//! | `workspace` | rule files as they are written: what is wrong, where names are, what they mean |
//! | `studio` | rules written, asked and played in a browser |
//! | `lsp` | the same for editors: a language server |
//!
//! # Cargo features
//!
//! Without any, the crate is the core: `syntax` to `game`, which know no clock, file system, command line or plotting;
//! files are handed in ([`files`]).
//!
//! * `certificate`: the room `certificate`.
//! * `hex`: the room `hex`; brings `certificate`.
//! * `positional`: the room `positional`; brings `certificate`.
//! * `propnet`: the room `propnet`.
//! * `player`: the room `player`; brings `propnet`.
//! * `compile`: the room `compile`.
//! * `solve`: the room `solve`; brings `propnet`.
//! * `dataflow`: the rooms `workers` and `dataflow`, and whole games solved by several processes; brings `solve`.
//! * `sqlite`, `parquet`: tables of SQLite databases and Parquet files, in and out ([`files::FileSystem`] reads them).
//! * `protocol`: the room `protocol`; brings `player`.
//! * `shipped`: the room `shipped`, which needs no other.
//! * `family`: the room `family`; brings `shipped`.
//! * `formulation`: the room `formulation`, with the engine `crepe`; brings `hex` and `family`.
//! * `bench`: the room `bench`; brings `compile`, `formulation` and `propnet`.
//! * `python`: what the Python package, `crates/python`, needs; brings `formulation`, `player` and `solve`.
//! * `workspace`: the room `workspace`; brings `player`.
//! * `lsp`: the room `lsp`; brings `workspace` and `shipped`.
//! * `studio`: the room `studio`; brings `lsp`.
//! * `web`: what the npm package, `crates/web`, needs; brings `family`, `positional`, `solve` and `studio`.
//! * `cli` (default): the command `ludolog`; brings all.

#[cfg(feature = "bench")]
pub use ludolog_bench as bench;
#[cfg(feature = "certificate")]
pub use ludolog_certificate as certificate;
#[cfg(feature = "compile")]
pub use ludolog_compile as compile;
#[cfg(feature = "dataflow")]
pub use ludolog_dataflow as dataflow;
pub use ludolog_engine as engine;
#[cfg(feature = "family")]
pub use ludolog_family as family;
#[cfg(feature = "formulation")]
pub use ludolog_formulation as formulation;
pub use ludolog_game as game;
#[cfg(feature = "hex")]
pub use ludolog_hex as hex;
pub use ludolog_logic::{analysis, optimize};
#[cfg(feature = "lsp")]
pub use ludolog_lsp as lsp;
pub use ludolog_picture as picture;
#[cfg(feature = "player")]
pub use ludolog_player as player;
#[cfg(feature = "positional")]
pub use ludolog_positional as positional;
#[cfg(feature = "propnet")]
pub use ludolog_propnet as propnet;
#[cfg(feature = "protocol")]
pub use ludolog_protocol as protocol;
#[cfg(feature = "shipped")]
pub use ludolog_shipped as shipped;
#[cfg(feature = "solve")]
pub use ludolog_solve as solve;
#[cfg(feature = "studio")]
pub use ludolog_studio as studio;
pub use ludolog_syntax as syntax;
pub use ludolog_syntax::diagnostic;
#[cfg(feature = "dataflow")]
pub use ludolog_workers as workers;
#[cfg(feature = "workspace")]
pub use ludolog_workspace as workspace;

pub mod files;
pub mod prelude;

/// The engines to choose from, in the order in which they are listed to users: those of [`engine`], and those of the rooms above
/// it, a line each.
pub fn engines() -> impl Iterator<Item = &'static engine::EngineDescription> {
    let engines = engine::ENGINES.into_iter();
    #[cfg(feature = "formulation")]
    let engines = engines.chain([&formulation::CREPE]);
    #[cfg(feature = "dataflow")]
    let engines = engines.chain([&dataflow::DATAFLOW]);
    engines
}

/// The examples of the guide for users of the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/library.md")]
pub struct Guide;
