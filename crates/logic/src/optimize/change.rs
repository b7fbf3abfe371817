//! The changes that passes report.

use crate::analysis::clause::{Clause, Goal, TransitionClause};
use ludolog_syntax::ast::Predicate;

/// One change: parts of a program, and the parts that replace them.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramChange {
    /// The parts that went.
    pub before: Vec<ProgramPart>,
    /// The parts that came.
    pub after: Vec<ProgramPart>,
    /// The reason, unless it is plain.
    pub reason: Option<String>,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramPart {
    /// A rule.
    Rule(Clause),
    /// A transition rule.
    Transition(TransitionClause),
    /// The goal.
    Goal(Goal),
    /// The number of facts of a predicate.
    Facts(Predicate, usize),
}

impl ProgramChange {
    /// A part that went without replacement.
    pub fn removed(part: ProgramPart, reason: &str) -> Self {
        Self { before: vec![part], after: Vec::new(), reason: Some(reason.to_owned()) }
    }

    /// A part that was replaced for the pass's one reason.
    pub fn replaced(before: ProgramPart, after: ProgramPart) -> Self {
        Self { before: vec![before], after: vec![after], reason: None }
    }
}

impl ProgramPart {
    /// Rules as parts.
    pub fn rules(rules: Vec<Clause>) -> Vec<ProgramPart> {
        rules.into_iter().map(ProgramPart::Rule).collect()
    }
}
