//! Programs from text and back, for unit tests.

use crate::analysis::analyze;
use crate::analysis::clause::{Clause, Goal, StratifiedProgram};
use ludolog_syntax::diagnostic::Sources;
use ludolog_syntax::{Syntax, parse};

/// A program from `.dl` text. Queries are its goals.
pub fn program(text: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let source = sources.add("test.dl", text);
    let program = parse(source, &sources, Syntax::Datalog).into_result().expect("the text parses");
    analyze(&program).expect("the program is sound").stratified
}

/// A program without its only query, and that.
pub fn program_and_goal(text: &str) -> (StratifiedProgram, Goal) {
    let mut stratified = program(text);
    let goal = stratified.program.queries.pop().expect("the text has a query");
    (stratified, goal)
}

/// The rules as `.dl` text, a line each.
pub fn text(rules: &[Clause]) -> Vec<String> {
    rules.iter().map(super::text::clause).collect()
}
