//! Derivations: the facts and rules from which a fact was first derived, down to given facts.

use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::Atom;

/// A derivation as an acyclic graph. Inferences refer to each other by index; each fact occurs once, the explained fact
/// first.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// At least one inference; the premises of an inference come after it.
    pub inferences: Vec<Inference>,
}

/// One fact of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The fact that holds.
    pub fact: Atom,
    /// Its justification.
    pub support: Support,
}

/// The justification of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// The fact is given, by the program or by the case.
    Given,
    /// A rule derives the fact.
    Rule {
        /// The rule, as the engine runs it.
        clause: Clause,
        /// The indices of its positive subgoals in [`Derivation::inferences`], in body order.
        premises: Vec<usize>,
        /// Its other subgoals (comparisons, negations), with their variables replaced by values.
        checks: Vec<Literal>,
    },
}
