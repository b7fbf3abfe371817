//! The native part of the Python package `ludolog`: rules and games of the library `ludolog` as Python objects.
//!
//! * `error`: the exception `ludolog.Error`.
//! * `interrupt`: work that Ctrl-C stops.
//! * `load`: programs from files and texts.
//! * `shared`: data that one thread at a time uses.
//! * `session`: queries.
//! * `game`: games and their states. `player`: players.
//! * `view`: what a role knows in a game that hides its states.
//! * `matches`: matches between players.
//! * `solve`: solved games.
//! * `hex`: positions of Hex, their connections, evaluations and solver.
//! * `vector`: many states of a game at once.
//!
//! Arrays cross the border as bytes in the machine's own order, which numpy reads in place; so the module needs the stable part of
//! Python's interface only, and no unsafe code.

mod error;
mod game;
mod hex;
mod interrupt;
mod load;
mod matches;
mod player;
mod session;
mod shared;
mod solve;
mod vector;
mod view;

use pyo3::prelude::*;

/// The module `ludolog._ludolog`.
#[pymodule]
fn _ludolog(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let error = module.py().get_type::<error::Error>();
    error.setattr("diagnostics", pyo3::types::PyList::empty(module.py()))?;
    module.add("Error", error)?;
    module.add_class::<session::PySession>()?;
    module.add_class::<game::PyGame>()?;
    module.add_class::<game::PyState>()?;
    module.add_class::<player::PyPlayer>()?;
    module.add_class::<view::PyView>()?;
    module.add_class::<matches::PyMatch>()?;
    module.add_class::<solve::PySolution>()?;
    module.add_class::<hex::PyPosition>()?;
    module.add_class::<hex::PySolver>()?;
    module.add_class::<hex::PyCertificate>()?;
    module.add_class::<hex::PyEvaluation>()?;
    module.add_class::<vector::PyLanes>()
}
