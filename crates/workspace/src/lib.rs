//! Rule files as they are written: what is wrong with them, where their names are, and what these mean.
//!
//! Whoever shows rules while they change asks here: the command `check`, the language server. It has no logic of its
//! own: reading is [`ludolog_syntax`]'s, judging [`ludolog_logic`]'s, answers come from [`ludolog_engine`].
//!
//! ```text
//! Texts ─Project→ Analysis ─→ diagnostics · symbols · descriptions · completions · fixes
//!                      └─ in the background → Findings: facts counted, answers, random playouts
//! ```
//!
//! * [`Texts`]: the texts that are open, over the files below them.
//! * [`Project`]: what is read together, analyzed again only where it changed.
//! * [`analysis`]: a file with all that it includes, read as far as it is sound; [`check()`].
//! * [`symbol`]: names, where they stand, and which of them are the same.
//! * [`rename`]: another name, in all files that are read together.
//! * [`describe`]: what a name means, in words; [`complete`]: names that may be meant.
//! * [`hints`]: which arguments are bound where.
//! * [`fix`]: changes that make a diagnostic go away, each of which was tried. [`fix_all`](mod@fix_all): those of files at once.
//! * [`layout`]: the canonical layout, of a text or of some statements.
//! * [`findings`]: what takes longer than a keystroke.

pub mod analysis;
pub mod complete;
pub mod describe;
pub mod findings;
pub mod fix;
pub mod fix_all;
pub mod hints;
pub mod layout;
mod project;
pub mod rename;
pub mod symbol;
mod texts;

pub use analysis::{Analysis, check, try_out};
pub use project::Project;
pub use texts::{MAX_TEXT, Texts};
