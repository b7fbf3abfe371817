//! Derivations: the facts and rules from which a fact was first derived, down to given facts.
//!
//! If predicates depend on their own negation, a derivation is ranked: a true fact follows from facts found true or false before
//! it, and a false one has no rule left but those that such facts, or false ones found at the same time, make false.

use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Term};
use std::collections::BTreeSet;

/// A derivation as a graph without cycles but between false facts. Inferences refer to each other by index; each fact occurs once,
/// the explained fact first.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// At least one inference.
    pub inferences: Vec<Inference>,
}

/// One fact of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The fact, which holds unless it is [unfounded](Support::Unfounded).
    pub fact: Atom,
    /// Its justification.
    pub support: Support,
}

impl Support {
    /// Whether other facts support it.
    pub fn has_reasons(&self) -> bool {
        match self {
            Support::Given => false,
            Support::Rule { .. } => true,
            Support::Unfounded { instances } => !instances.is_empty(),
        }
    }
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
        /// The indices of its positive subgoals in [`Derivation::inferences`], in body order, and of the negated facts that are
        /// explained.
        premises: Vec<usize>,
        /// Its other subgoals (comparisons, negations, aggregates).
        checks: Vec<Check>,
    },
    /// The fact is false: each ground instance of a rule for it has a false literal. Perhaps there are none.
    Unfounded {
        /// The rule of each instance, and the index of the fact that makes it false: a true one that it negates, or a false
        /// one that it needs.
        instances: Vec<(Clause, usize)>,
    },
}

/// A subgoal that holds without a fact for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The subgoal, with its variables replaced by values.
    pub literal: Literal,
    /// The tuples of an aggregate.
    pub tuples: Option<AggregatedTuples>,
}

/// The tuples over which an aggregate is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregatedTuples {
    /// The first [`LISTED`](Self::LISTED) of them, in canonical order.
    pub first: Vec<Vec<Term>>,
    /// How many there are besides.
    pub more: usize,
}

impl AggregatedTuples {
    /// The most tuples that a derivation lists.
    pub const LISTED: usize = 20;

    /// Lists the first ones of these.
    pub(crate) fn of(all: BTreeSet<Vec<Term>>) -> AggregatedTuples {
        let more = all.len().saturating_sub(Self::LISTED);
        AggregatedTuples { first: all.into_iter().take(Self::LISTED).collect(), more }
    }
}
