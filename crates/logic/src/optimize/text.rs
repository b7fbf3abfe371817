//! Parts of a program as source text.

use super::change::ProgramPart;
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use ludolog_syntax::ast::{Formula, Statement};
use ludolog_syntax::{Syntax, print_formula, print_statement};

/// A literal in `.dl`.
pub fn literal(literal: &Literal) -> String {
    print_formula(&Formula::from(literal), Syntax::Datalog)
}

/// A rule in `.dl`.
pub fn clause(clause: &Clause) -> String {
    print_statement(&Statement::from(clause), Syntax::Datalog)
}

/// A part of a program in this syntax, with the lattice columns of its predicates; facts only by their number, as a comment.
pub fn part(part: &ProgramPart, of: &CheckedProgram, syntax: Syntax) -> String {
    match part {
        ProgramPart::Rule(rule) => print_statement(&of.statement(rule), syntax),
        ProgramPart::Transition(transition) => print_statement(&Statement::from(transition), syntax),
        ProgramPart::Goal(goal) => print_statement(&Statement::from(goal), syntax),
        ProgramPart::Facts(predicate, count) => {
            let mark = if syntax == Syntax::Kif { ';' } else { '%' };
            format!("{mark} {count} facts of {predicate}")
        }
    }
}
