//! Why a fact holds: the facts that it was first derived from, down to given ones.

use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::Atom;

/// A derivation as a graph without cycles: inferences that refer to each other by their place, each fact once, the
/// explained one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// At least one; premises come after what they support.
    pub inferences: Vec<Inference>,
}

/// One fact of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The fact that holds.
    pub fact: Atom,
    /// What it rests on.
    pub support: Support,
}

/// What a fact rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// It is given.
    Given,
    /// A rule derives it.
    Rule {
        /// The rule, as the engine runs it.
        clause: Clause,
        /// The places of its positive subgoals in [`Derivation::inferences`], in body order.
        premises: Vec<usize>,
        /// Its other subgoals (comparisons, negations), with the values filled in.
        checks: Vec<Literal>,
    },
}
