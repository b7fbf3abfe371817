//! From program to program: named passes that can be switched off, printed and read.

use crate::analysis::clause::StratifiedProgram;
use crate::syntax::ast::Predicate;

/// What the engines run: the rewritten program, and what the text alone cannot say about how to run it.
#[derive(Clone, Debug, Default)]
pub struct OptimizedProgram {
    pub stratified: StratifiedProgram,
    /// Predicates to be run as a closure instead of by their rules; empty unless the closure pass ran.
    pub closures: Vec<Closure>,
}

/// `predicate = base ∘ step*`: its rules are `p(C.., X, Y) :- base(C.., X, Y).` and
/// `p(C.., X, Z) :- p(C.., X, Y) & step(C.., Y, Z).`, where the last two columns are the nodes and the columns before
/// them, the context, pass through unchanged. `base` and `step` are predicates of earlier strata and of the same arity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    pub predicate: Predicate,
    pub base: Predicate,
    pub step: Predicate,
}
