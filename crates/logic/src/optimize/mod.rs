//! From program to program: named passes that can be switched off, printed and read.
//!
//! [`optimize`] is the whole story: it runs the selected [`Pass`]es and says of each what it changed and what it expects
//! to gain. What it needs to know beside the program: the goal, the engine ([`Target`]) and what changes with the case
//! at hand ([`Inputs`]).
//!
//! * [`pipeline`]: the passes, one after the other; what a step reports.
//! * [`passes`]: their names, and the selections users ask for.
//! * [`inputs`]: what changes with the case at hand.
//! * [`statistics`], [`cost`]: sizes of relations, and what an order of subgoals is expected to cost on an engine.
//! * [`binding`]: what a literal needs bound; [`bits`]: small sets.
//! * [`prune`]: subgoals and rules that the others imply go.
//! * [`ground`]: what does not depend on the inputs becomes facts.
//! * [`closure`]: a transitive or equivalence closure is told to the engine as one.
//! * [`demand`]: only what the goal asks for is derived (magic sets).
//! * [`reorder`]: the cheapest safe order of every body.
//! * [`explain`], [`text`]: plans for people to read.
//! * `auto`: each of them where it pays.

mod auto;
pub mod binding;
pub mod bits;
pub mod closure;
pub mod cost;
pub mod demand;
pub mod explain;
pub mod ground;
pub mod inputs;
pub mod passes;
pub mod pipeline;
pub mod prune;
pub mod reorder;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod text;

pub use cost::{Model, Target};
pub use inputs::Inputs;
pub use passes::{Optimization, Pass};
pub use pipeline::{Change, MAX_FACTS, Optimized, Part, Settings, Step, optimize};

use crate::analysis::clause::{CheckedProgram, Clause, StratifiedProgram};
use crate::analysis::split_predicates;
use ludolog_syntax::ast::Predicate;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the engines run: the rewritten program, and what the text alone cannot say about how to run it.
///
/// Every predicate is *open* or *closed*. Inserting or removing facts of an open predicate changes the answers to the
/// goal (without a goal, to any) as it would in the program as written. The rewritten program relies on the facts of a
/// closed one as they are; with others it would give wrong answers.
#[derive(Clone, Debug, Default)]
pub struct OptimizedProgram {
    /// The rewritten program.
    pub stratified: StratifiedProgram,
    /// Predicates to be run as a closure instead of by their rules; empty unless the closure pass ran.
    pub closures: Vec<Closure>,
    /// The predicates that are not open.
    pub closed: FxHashSet<Predicate>,
}

impl OptimizedProgram {
    /// Whether facts of the predicate may be inserted and removed.
    ///
    /// [Inputs] are open, except that no pass can open what analysis split by its constants.
    pub fn is_open(&self, predicate: &Predicate) -> bool {
        !self.closed.contains(predicate)
    }
}

/// The program as written. All predicates are open, except those that analysis split by their constants: facts that
/// come later would not reach the parts.
impl From<StratifiedProgram> for OptimizedProgram {
    fn from(stratified: StratifiedProgram) -> Self {
        let closed = split_predicates(&stratified.program);
        Self { stratified, closures: Vec::new(), closed }
    }
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

/// The rules of each predicate, in source order.
fn rules_by_head(program: &CheckedProgram) -> FxHashMap<Predicate, Vec<&Clause>> {
    let mut rules: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
    for rule in &program.rules {
        rules.entry(rule.head.signature()).or_default().push(rule);
    }
    rules
}
