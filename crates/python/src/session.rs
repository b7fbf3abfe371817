//! Queries.

use crate::error::{of_session, told};
use crate::interrupt::interruptible;
use crate::load;
use ludolog::diagnostic::Span;
use ludolog::engine::{Derivation, Refutation, Session, Stopped, explanation};
use ludolog::syntax::ast::{Atom, Name, Term};
use ludolog::syntax::{Syntax, print_term};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard};

/// Levels of explanations.
const DEPTH: usize = 30;

/// A program with facts that can be inserted and retracted, ready for queries.
#[pyclass(name = "Session", module = "ludolog._ludolog", subclass)]
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

    /// Inserts the rows of columns, or retracts them, each value an `int` or a `str`; the number of those that were not there, or were.
    fn change(&self, predicate: &str, columns: Vec<Vec<Cell>>, inserts: bool) -> PyResult<usize> {
        let rows = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err(told("the columns have different lengths"));
        }
        let mut session = self.lock()?;
        let mut changed = 0;
        for row in 0..rows {
            let args = columns.iter().map(|column| column[row].term()).collect();
            let fact = Atom { predicate: Name::from(predicate).into(), args, span: Span::NONE };
            changed += usize::from(if inserts { session.insert_fact(fact) } else { session.retract_fact(&fact) });
        }
        Ok(changed)
    }

    /// Retracts a fact; `False` if it was not given.
    fn retract(&self, py: Python<'_>, fact: &str) -> PyResult<bool> {
        let mut session = self.lock()?;
        session.retract(fact).map_err(|error| of_session(py, &error))
    }

    /// Why a fact holds, as a tree; `None` if it does not.
    #[pyo3(signature = (fact, *, seconds = None))]
    fn why(&self, py: Python<'_>, fact: &str, seconds: Option<f64>) -> PyResult<Option<String>> {
        let told_of = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            let goal = session.goal(fact);
            PyResult::Ok(goal.map(|goal| {
                let derivation = session.why(&goal)?;
                let text = |derivation: Derivation| {
                    explanation::why::to_text(&derivation.inferences, &session, Syntax::Datalog, DEPTH)
                };
                Ok::<_, Stopped>(derivation.map(text))
            }))
        });
        told_of??.map_err(|error| of_session(py, &error))?.map_err(told)
    }

    /// Why a fact does not hold, as a tree; `None` if it does.
    #[pyo3(signature = (fact, *, seconds = None))]
    fn why_not(&self, py: Python<'_>, fact: &str, seconds: Option<f64>) -> PyResult<Option<String>> {
        let told_of = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            let goal = session.goal(fact);
            PyResult::Ok(goal.map(|goal| {
                let refutation = session.why_not(&goal, 1)?;
                let text =
                    |refutation: Refutation| explanation::why_not::to_text(&refutation, &session, Syntax::Datalog);
                Ok::<_, Stopped>(refutation.map(text))
            }))
        });
        told_of??.map_err(|error| of_session(py, &error))?.map_err(told)
    }

    /// The names of the variables of a goal, and the rows of its answers, sorted.
    #[pyo3(signature = (goal, *, seconds = None))]
    fn table(&self, py: Python<'_>, goal: &str, seconds: Option<f64>) -> PyResult<Table> {
        let solution = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            PyResult::Ok(session.query(goal))
        });
        let solution = solution??.map_err(|error| of_session(py, &error))?;
        if let Some(stopped) = &solution.stopped {
            return Err(told(stopped));
        }
        let variable = |name: &Name| print_term(&Term::Variable(name.clone()), Syntax::Datalog);
        let names = solution.variables.iter().map(variable).collect();
        let rows = solution.answers().map(|row| row.iter().map(|term| value(py, term)).collect::<PyResult<_>>());
        Ok((names, rows.collect::<PyResult<_>>()?))
    }
}

/// A value of a row.
#[derive(FromPyObject)]
enum Cell {
    Integer(i64),
    Text(String),
}

impl Cell {
    fn term(&self) -> Term {
        match self {
            Cell::Integer(number) => Term::Integer(*number),
            Cell::Text(text) => Term::Symbol(Name::from(text.as_str())),
        }
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
