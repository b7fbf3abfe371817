//! Queries.

use crate::error::{of_session, told};
use crate::load;
use ludolog::engine::Session;
use ludolog::syntax::ast::{Name, Term};
use ludolog::syntax::{Syntax, print_term};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard};

/// A program with facts that can be inserted and retracted, ready for queries.
#[pyclass(name = "Session", module = "ludolog")]
pub struct PySession(Mutex<Session>);

/// The column names and rows of an answer.
type Table = (Vec<String>, Vec<Vec<Py<PyAny>>>);

impl PySession {
    fn lock(&self) -> PyResult<MutexGuard<'_, Session>> {
        self.0.try_lock().map_err(|_| told("another thread uses this session"))
    }
}

#[pymethods]
impl PySession {
    #[new]
    #[pyo3(signature = (path = None, *, text = None))]
    fn new(py: Python<'_>, path: Option<&str>, text: Option<&str>) -> PyResult<Self> {
        Ok(Self(Mutex::new(load::session(py, path, text, Syntax::Datalog)?)))
    }

    /// Inserts a fact; `False` if it was given already.
    fn insert(&self, py: Python<'_>, fact: &str) -> PyResult<bool> {
        let mut session = self.lock()?;
        session.insert(fact).map_err(|error| of_session(py, &error))
    }

    /// Retracts a fact; `False` if it was not given.
    fn retract(&self, py: Python<'_>, fact: &str) -> PyResult<bool> {
        let mut session = self.lock()?;
        session.retract(fact).map_err(|error| of_session(py, &error))
    }

    /// The names of the variables of a goal, and the rows of its answers, sorted.
    fn table(&self, py: Python<'_>, goal: &str) -> PyResult<Table> {
        let solution = py.detach(|| self.lock().map(|mut session| session.query(goal)))?;
        let solution = solution.map_err(|error| of_session(py, &error))?;
        if let Some(stopped) = &solution.stopped {
            return Err(told(stopped));
        }
        let variable = |name: &Name| print_term(&Term::Variable(name.clone()), Syntax::Datalog);
        let names = solution.variables.iter().map(variable).collect();
        let rows = solution.answers().map(|row| row.iter().map(|term| value(py, term)).collect::<PyResult<_>>());
        Ok((names, rows.collect::<PyResult<_>>()?))
    }
}

/// An integer as `int`, any other term as the text that the rules would have.
fn value(py: Python<'_>, term: &Term) -> PyResult<Py<PyAny>> {
    Ok(match term {
        Term::Integer(number) => number.into_pyobject(py)?.into_any().unbind(),
        Term::Symbol(name) => name.to_string().into_pyobject(py)?.into_any().unbind(),
        _ => print_term(term, Syntax::Datalog).into_pyobject(py)?.into_any().unbind(),
    })
}
