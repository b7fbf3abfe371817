//! Oddities of programs that may run: what is allowed, and probably not meant.
//!
//! * `variables`: variables that occur once; constants that look like variables.
//! * `firing`: rules that never fire; `comparisons`: comparisons that never hold together; `shape`: the terms that a
//!   predicate's arguments may be.
//! * `functions`: functions that are compared as terms; `calls`: terms that are computed and are no functions; `numbers`: integers and floats that meet; `decimals`: decimals of tables, which are
//!   symbols, in the place of numbers.
//! * `reached`: state facts that no state has.
//! * `unread`: predicates and arguments of a game that nothing reads.
//! * `product`: bodies whose literals have nothing to do with each other.

mod calls;
mod comparisons;
mod decimals;
mod firing;
mod functions;
mod numbers;
mod product;
mod reached;
mod shape;
mod unread;
mod variables;

use super::clause::Clause;
use super::kinds::{ColumnKinds, GivenColumns};
use super::report::in_reading_order;
use super::{gdl, lower};
use ludolog_syntax::ast::{Predicate, Program};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostics, Severity};
use rustc_hash::FxHashSet;

/// Warnings and notes about a program without errors, besides those of [`analyze`](super::analyze), in the order of the text. Codes
/// that a text allows are left out. Predicates in `given` have facts besides those of the program. One error: a game without roles,
/// which may be asked but not played.
///
/// Cost: linear in the length of the program, but for rules of `next` that wait for each other.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn lint(program: &Program, given: &GivenColumns, budget: &Budget) -> Result<Diagnostics, Stopped> {
    let mut found = Vec::new();
    let checked = lower::lower(program, budget, &mut found)?;
    // Errors are those of the analysis.
    found.clear();
    let is_game = gdl::has_roles(&checked);
    variables::check_single(program, &mut found);
    let misspelled = variables::check_lowercase(program, &mut found);
    variables::check_mark_behind(program, &mut found);
    budget.check()?;
    if !is_game {
        gdl::check_roles(&checked, &mut found);
    }
    let mut never = if is_game { gdl::check_produced(&checked, &mut found) } else { FxHashSet::default() };
    if is_game {
        gdl::check_misspelled(&checked, &mut found);
        gdl::check_hidden(&checked, &mut found);
        reached::check(&checked, &mut never, &mut found, budget)?;
        unread::check(&checked, program, &mut found);
    }
    let reads_such = |rule: &&Clause| rule.body.iter().any(|literal| never.contains(&literal.span()));
    let explained = checked.rules.iter().filter(reads_such).map(|rule| rule.span).chain(misspelled).collect();
    let predicates: Vec<Predicate> = given.predicates().cloned().collect();
    firing::check(&checked, &predicates, is_game, &explained, &mut found);
    budget.check()?;
    product::check(&checked, program, &mut found);
    functions::check(&checked, program, &mut found);
    calls::check(&checked, &mut found);
    if let Some(kinds) = ColumnKinds::new(program, &checked, given, budget)? {
        numbers::check(&checked, &kinds, &mut found);
        decimals::check(&checked, &kinds, given, &mut found);
    }
    found.retain(|diagnostic| !program.allows(diagnostic));
    Ok(in_reading_order(found))
}

/// The warnings of [`lint`] that concern answers; none if the budget ends first, as the run tells.
pub fn lint_answers(program: &Program, given: &GivenColumns, budget: &Budget) -> Diagnostics {
    let mut warnings = lint(program, given, budget).unwrap_or_default();
    warnings.retain(|found| found.severity == Severity::Warning && found.code.concerns_answers());
    warnings
}
