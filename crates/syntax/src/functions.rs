//! Functions in Rust that rules call in comparisons, as `X is soundex(Y)`.
//!
//! They are registered for the process, before texts that call them are read: what a text means does not depend on which session reads it.

use crate::ast::{Operation, Term};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// A function of ground terms.
type TermFunction = dyn Fn(&[Term]) -> Option<Term> + Send + Sync;

/// A function with its name and arity.
struct NamedFunction {
    name: String,
    arity: usize,
    function: Box<TermFunction>,
}

/// A function in Rust that was [registered](register).
#[derive(Clone, Copy)]
pub struct RegisteredFunction(&'static NamedFunction);

impl RegisteredFunction {
    /// The value of the function; `None` if it has none, or one that is no ground term.
    pub fn call(self, arguments: &[Term]) -> Option<Term> {
        (self.0.function)(arguments).filter(Term::is_ground)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        &self.0.name
    }
}

impl PartialEq for RegisteredFunction {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for RegisteredFunction {}

impl Hash for RegisteredFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self.0, state);
    }
}

impl fmt::Debug for RegisteredFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.name, self.0.arity)
    }
}

/// The reason why a function is not registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistrationError {
    /// The language, or a call before, has a function of this name and number of arguments.
    Taken(String, usize),
    /// A function has at least one argument.
    NoArguments(String),
}

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistrationError::Taken(name, arity) => write!(f, "there is a function `{name}/{arity}` already"),
            RegistrationError::NoArguments(name) => write!(f, "`{name}` has no arguments, and would be a symbol"),
        }
    }
}

impl Error for RegistrationError {}

/// All functions, by name and arity. They stay as long as the process, as programs that call them may.
static FUNCTIONS: RwLock<BTreeMap<(String, usize), RegisteredFunction>> = RwLock::new(BTreeMap::new());

/// Whether there is a function, so that programs without ones ask nothing.
static ANY: AtomicBool = AtomicBool::new(false);

/// Registers a function of ground terms under a name, for all texts that are read afterwards in this process. Rules call it as
/// they call `length(S)`: in comparisons, of arguments that are bound. Arguments are computed first, and a function is not called where
/// one has no value, or is an integer of more than 64 bits.
///
/// The function is pure: its value depends on its arguments alone. Engines call it as often as they like, from several threads. It may be
/// partial: a condition with `None` in it is false, as one with a division by zero is. Its value is any ground term; recursion
/// through it is not seen to end.
///
/// ```
/// use ludolog_syntax::ast::{Operation, Term};
/// use ludolog_syntax::functions::register;
///
/// register("initial", 1, |arguments| match arguments {
///     [Term::Symbol(text)] => text.chars().next().map(|first| Term::symbol(&first.to_string())),
///     _ => None,
/// })?;
/// assert!(Operation::of("initial", 1).is_some());
/// assert!(register("length", 1, |_| None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The name is taken for this number of arguments, or there are none.
pub fn register(
    name: &str,
    arity: usize,
    function: impl Fn(&[Term]) -> Option<Term> + Send + Sync + 'static,
) -> Result<(), RegistrationError> {
    if arity == 0 {
        return Err(RegistrationError::NoArguments(name.to_owned()));
    }
    if Operation::of_language(name, arity).is_some() {
        return Err(RegistrationError::Taken(name.to_owned(), arity));
    }
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    let key = (name.to_owned(), arity);
    if functions.contains_key(&key) {
        return Err(RegistrationError::Taken(name.to_owned(), arity));
    }
    let named = NamedFunction { name: name.to_owned(), arity, function: Box::new(function) };
    functions.insert(key, RegisteredFunction(Box::leak(Box::new(named))));
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// The registered function of this name and arity; `None` if there is none.
pub fn find(name: &str, arity: usize) -> Option<RegisteredFunction> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.get(&(name.to_owned(), arity)).copied()
}

/// The names of all registered functions with their arities.
pub fn names() -> Vec<(String, usize)> {
    FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}
