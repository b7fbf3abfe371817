//! Queries.

use crate::error::{of_session, told};
use crate::interrupt::interruptible;
use crate::load;
use crate::shared::Shared;
use ludolog::diagnostic::render::to_lines;
use ludolog::diagnostic::{Diagnostics, Span};
use ludolog::engine::explanation::plan::ProgramPlan;
use ludolog::engine::{Derivation, Session, Solution, Stopped, WhyNot, explanation};
use ludolog::syntax::ast::{Atom, Float, Name, Term};
use ludolog::syntax::{Syntax, looks_of, print_term};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList};
use std::path::PathBuf;
use std::sync::MutexGuard;

/// Levels of explanations.
const DEPTH: usize = 30;

/// A program with facts that can be inserted and retracted, ready for queries.
#[pyclass(name = "Session", module = "ludolog._ludolog", subclass)]
pub struct PySession(Shared<Session>);

/// The number of rows of answers and their columns: integers of 64 bits as bytes, other values as a list.
type Rows<'py> = (usize, Vec<Bound<'py, PyAny>>);

/// The column names, the answers, the undefined ones if there can be any, and what concerns them: warnings of the program and constraints
/// that its facts break.
type Table<'py> = (Vec<String>, Rows<'py>, Option<Rows<'py>>, Vec<String>);

impl PySession {
    fn lock(&self) -> PyResult<MutexGuard<'_, Session>> {
        self.0.try_lock()
    }
}

#[pymethods]
impl PySession {
    #[new]
    #[pyo3(signature = (path = None, *, text = None))]
    fn new(py: Python<'_>, path: Option<PathBuf>, text: Option<&str>) -> PyResult<Self> {
        let path = load::spelled(path)?;
        Ok(Self(Shared::new(load::session(py, path.as_deref(), text, Syntax::Datalog)?)))
    }

    /// Inserts a fact; `False` if it was given already.
    fn insert(&self, py: Python<'_>, fact: &str) -> PyResult<bool> {
        let mut session = self.lock()?;
        session.insert(fact).map_err(|error| of_session(py, &error))
    }

    /// Inserts the rows of columns, or retracts them; the number of those that were not there, or were. A column is the bytes of integers of
    /// 64 bits, or a list of which each value is an `int`, a `float` or a `str`.
    fn change(&self, py: Python<'_>, predicate: &str, columns: Vec<GivenColumn<'_>>, inserts: bool) -> PyResult<usize> {
        let columns: Vec<Vec<Cell>> = columns.into_iter().map(GivenColumn::cells).collect();
        let rows = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err(told("the columns have different lengths"));
        }
        let name = Name::from(predicate);
        py.detach(|| {
            let mut session = self.lock()?;
            let mut facts = Vec::with_capacity(rows);
            for row in 0..rows {
                let args = columns.iter().map(|column| column[row].term()).collect::<Option<Vec<Term>>>();
                let args = args.ok_or_else(|| told(format!("row {row} has an infinity, or what is no number")))?;
                facts.push(Atom { predicate: name.clone().into(), args, span: Span::NONE });
            }
            if inserts && let Err(error) = session.check_facts(&facts) {
                return Err(Python::attach(|py| of_session(py, &error)));
            }
            let mut change = |fact: Atom| if inserts { session.insert_fact(fact) } else { session.retract_fact(&fact) };
            Ok(facts.into_iter().map(|fact| usize::from(change(fact))).sum())
        })
    }

    /// How the program is run for a goal, without one for its first query, or for all predicates: pieces of a text, each with the name of
    /// its style.
    #[pyo3(signature = (goal = None, *, seconds = None))]
    fn pieces(
        &self,
        py: Python<'_>,
        goal: Option<&str>,
        seconds: Option<f64>,
    ) -> PyResult<Vec<(&'static str, String)>> {
        let planned = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            let goal = match goal {
                Some(text) => session.goal(text).map(Some),
                None => Ok(session.program().program.queries.first().cloned()),
            };
            PyResult::Ok(goal.map(|goal| ProgramPlan::new(&session, goal.as_ref(), Syntax::Datalog)))
        });
        let plan = planned??.map_err(|error| of_session(py, &error))?.map_err(told)?;
        Ok(plan.text().into_iter().map(|(style, text)| (style.name(), text)).collect())
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

    /// Why a fact does not hold, as a tree, or the cycle that an undefined one depends on; `None` if it holds.
    #[pyo3(signature = (fact, *, seconds = None))]
    fn why_not(&self, py: Python<'_>, fact: &str, seconds: Option<f64>) -> PyResult<Option<String>> {
        let told_of = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            let goal = session.goal(fact);
            PyResult::Ok(goal.map(|goal| {
                let told = session.why_not(&goal, 1)?;
                let text = || explanation::why_not::to_text(&goal, &told, &session, Syntax::Datalog);
                Ok::<_, Stopped>((!matches!(told, WhyNot::Holds)).then(text))
            }))
        });
        told_of??.map_err(|error| of_session(py, &error))?.map_err(told)
    }

    /// The answers to a goal, sorted by rows.
    #[pyo3(signature = (goal, *, seconds = None))]
    fn table<'py>(&self, py: Python<'py>, goal: &str, seconds: Option<f64>) -> PyResult<Table<'py>> {
        let solution = interruptible(py, seconds, |budget| {
            let mut session = self.lock()?;
            session.set_budget(budget.clone());
            let syntax = looks_of(goal);
            let goal = session.goal(goal);
            PyResult::Ok(goal.and_then(|goal| {
                let solution = session.solve(&goal)?;
                let is_whole = solution.stopped.is_none();
                let concerns = if is_whole { session.concerns(&goal, syntax)? } else { Diagnostics::new() };
                Ok((solution, to_lines(&concerns, session.sources()).lines().map(str::to_owned).collect()))
            }))
        });
        let (solution, concerns) = solution??.map_err(|error| of_session(py, &error))?;
        if let Some(stopped) = &solution.stopped {
            return Err(told(stopped));
        }
        let variable = |name: &Name| print_term(&Term::Variable(name.clone()), Syntax::Datalog);
        let names: Vec<String> = solution.variables.iter().map(variable).collect();
        let undefined = solution.undefined.as_deref().map(|undefined| rows(py, undefined)).transpose()?;
        Ok((names, rows(py, &solution)?, undefined, concerns))
    }
}

/// A column of rows that are inserted or retracted.
#[derive(FromPyObject)]
enum GivenColumn<'py> {
    /// Integers of 64 bits in the machine's own order.
    Integers(Bound<'py, PyBytes>),
    Values(Vec<Cell>),
}

impl GivenColumn<'_> {
    fn cells(self) -> Vec<Cell> {
        match self {
            GivenColumn::Values(cells) => cells,
            GivenColumn::Integers(bytes) => {
                let numbers = bytes.as_bytes().as_chunks::<8>().0.iter();
                numbers.map(|bytes| Cell::Integer(i64::from_ne_bytes(*bytes))).collect()
            }
        }
    }
}

/// A value of a row.
#[derive(FromPyObject)]
enum Cell {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl Cell {
    /// The term; `None` of an infinity and of what is no number.
    fn term(&self) -> Option<Term> {
        match self {
            Cell::Integer(number) => Some(Term::Integer(*number)),
            Cell::Float(number) => Float::new(*number).map(Term::Float),
            Cell::Text(text) => Some(Term::Symbol(Name::from(text.as_str()))),
        }
    }
}

fn rows<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Rows<'py>> {
    let count = solution.count();
    let mut columns = vec![Vec::with_capacity(count); solution.variables.len()];
    for row in solution.answers() {
        columns.iter_mut().zip(row).for_each(|(column, term)| column.push(term));
    }
    let columns = columns.iter().map(|terms| column(py, terms));
    Ok((count, columns.collect::<PyResult<_>>()?))
}

/// Integers as their bytes, any other column as a list.
fn column<'py>(py: Python<'py>, terms: &[Term]) -> PyResult<Bound<'py, PyAny>> {
    let numbers = terms.iter().map(|term| if let Term::Integer(number) = term { Some(*number) } else { None });
    match numbers.collect::<Option<Vec<i64>>>() {
        Some(numbers) => {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            Ok(PyByteArray::new(py, &bytes).into_any())
        }
        None => {
            let values = terms.iter().map(|term| value(py, term)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
    }
}

/// An integer as `int`, a float as `float`, any other term as the text that the rules would have.
fn value(py: Python<'_>, term: &Term) -> PyResult<Py<PyAny>> {
    Ok(match term {
        Term::Integer(number) => number.into_pyobject(py)?.into_any().unbind(),
        Term::Float(float) => float.get().into_pyobject(py)?.into_any().unbind(),
        Term::Symbol(name) => name.to_string().into_pyobject(py)?.into_any().unbind(),
        _ => print_term(term, Syntax::Datalog).into_pyobject(py)?.into_any().unbind(),
    })
}
