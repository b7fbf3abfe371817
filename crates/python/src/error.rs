//! The exception of all mistakes of the caller and of rules.

use ludolog::diagnostic::{Diagnostics, Sources, render};
use ludolog::engine::SessionError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

pyo3::create_exception!(
    ludolog,
    Error,
    PyException,
    "A mistake in rules, goals or arguments; `diagnostics` lists those of a text."
);

/// The exception with a message of one line.
pub fn told(message: impl ToString) -> PyErr {
    Error::new_err(message.to_string())
}

/// The exception of the errors of a text: its message is what the command prints, without color.
pub fn rejected(py: Python<'_>, sources: &Sources, wrong: &Diagnostics) -> PyErr {
    let error = Error::new_err(render::to_text(wrong, sources, false));
    match listed(py, sources, wrong).and_then(|list| error.value(py).setattr("diagnostics", list)) {
        Ok(()) => error,
        Err(failed) => failed,
    }
}

/// The exception of a session.
pub fn of_session(py: Python<'_>, error: &SessionError) -> PyErr {
    match error {
        SessionError::Rejected(sources, wrong) => rejected(py, sources, wrong),
        _ => told(error),
    }
}

fn listed<'py>(py: Python<'py>, sources: &Sources, wrong: &Diagnostics) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for diagnostic in wrong.iter() {
        let entry = PyDict::new(py);
        entry.set_item("severity", diagnostic.severity.to_string())?;
        entry.set_item("code", diagnostic.code.name())?;
        entry.set_item("message", &diagnostic.message)?;
        entry.set_item("help", diagnostic.help.as_deref())?;
        let span = diagnostic.labels.first().map(|label| label.span);
        let place = span.and_then(|span| sources.line_column(span));
        entry.set_item("line", place.map(|(line, _)| line))?;
        entry.set_item("column", place.map(|(_, column)| column))?;
        list.append(entry)?;
    }
    Ok(list)
}
