//! Programs from text and back, for unit tests.

use super::cost_model::CostModel;
use super::pass::{Evaluate, Grounder};
use super::{Inputs, MAX_FACTS, Optimization, PassSettings, optimize};
use crate::analysis::analyze;
use crate::analysis::clause::{Clause, Goal, StratifiedProgram};
use ludolog_syntax::budget::Budget;
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

/// The rules of a text after passes, alone and whether they pay or not, or as part of `auto`.
pub fn rules_after(source: &str, optimization: Optimization) -> Vec<String> {
    let stratified = program(source);
    let settings = PassSettings {
        optimization,
        left_out: &[],
        cost_model: BOTTOM_UP,
        goal: None,
        inputs: &Inputs::of(&stratified),
        grounder: grounder(&|_, _, _| Ok(Vec::new())),
        max_facts: MAX_FACTS,
        priced: false,
        budget: &Budget::unlimited(),
    };
    text(&optimize(stratified, &settings).expect("no limits").program.stratified.program.rules)
}

/// The rules as `.dl` text, a line each.
pub fn text(rules: &[Clause]) -> Vec<String> {
    rules.iter().map(super::text::clause).collect()
}

/// An engine that derives every relation once, recursion in rounds.
pub const BOTTOM_UP: CostModel = CostModel {
    name: "bottom-up",
    calls: false,
    rounds: true,
    closures: true,
    ranges: true,
    proves_once: true,
    work_nanoseconds: 1,
};

/// An engine that derives what is called.
pub const TOP_DOWN: CostModel = CostModel {
    name: "top-down",
    calls: true,
    rounds: false,
    closures: false,
    ranges: false,
    proves_once: false,
    ..BOTTOM_UP
};

/// An engine for grounding.
pub fn grounder<'a>(evaluate: &'a Evaluate<'a>) -> Grounder<'a> {
    Grounder { cost_model: BOTTOM_UP, evaluate }
}
