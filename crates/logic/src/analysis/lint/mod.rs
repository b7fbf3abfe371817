//! Oddities of programs that may run: what is allowed, and probably not meant.
//!
//! * `variables`: variables that occur once; constants that look like variables.
//! * `firing`: rules that never fire; `comparisons`: comparisons that never hold together; `shape`: the terms that a
//!   predicate's arguments may be.
//! * `functions`: functions that are compared as terms; `calls`: terms that are computed and are no functions; `numbers`: integers and
//!   floats that meet; `rounded`: floats that are rounded and to equal others; `values`: what is computed and has no value; `decimals`: decimals of tables, which are symbols, in the place of numbers;
//!   `spelled`: symbols that spell numbers; `mixed`: facts with integers and floats in one column; `missing`: marks of missing values among numbers; `dates`: dates without quotation marks,
//!   and with the year behind; `orders`: the columns whose values are ordered; `lists`: lists in the place of symbols; `expressions`: regular
//!   expressions in the place of texts, and of parts of texts; `quotients`: those of two constants that are rounded.
//! * `arguments`: operations in heads and facts, which are terms; `aggregates`: sums that take equal values once; `tables`: tables that are
//!   read otherwise than they are meant.
//! * `disjoint`: conditions that want a variable to be of two types; `constants`: symbols that are slips for others.
//! * `slips`: predicates that nothing reads, and whose names are slips for others.
//! * `reached`: state facts that no state has.
//! * `unread`: predicates and arguments of a game that nothing reads.
//! * `product`: bodies whose literals have nothing to do with each other.

mod aggregates;
mod arguments;
mod calls;
mod comparisons;
mod constants;
mod dates;
mod decimals;
mod disjoint;
mod expressions;
mod firing;
mod functions;
mod joined;
mod lists;
mod missing;
mod mixed;
mod numbers;
mod orders;
mod product;
mod quotients;
mod reached;
mod rounded;
mod shape;
mod slips;
mod spelled;
mod tables;
mod unread;
mod values;
mod variables;

use super::clause::{CheckedProgram, Clause, Goal, Literal};
use super::given::GivenColumns;
use super::kinds::{ColumnKinds, VariableKinds};
use super::report::in_reading_order;
use super::{gdl, lower, names};
use constants::Nearness;
use ludolog_syntax::ast::{Atom, Predicate, Program, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics, Severity, Span};
use ludolog_syntax::{Syntax, is_decimal, is_integer, print_term};
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
    variables::check_single(program, &checked, given, &mut found);
    let misspelled = variables::check_lowercase(program, &mut found);
    variables::check_mark_behind(program, &mut found);
    variables::check_unmarked(program, given, &mut found);
    budget.check()?;
    if !is_game {
        gdl::check_roles(&checked, &mut found);
    }
    let mut never = if is_game { gdl::check_produced(&checked, &mut found) } else { FxHashSet::default() };
    if is_game {
        gdl::check_misspelled(&checked, &mut found);
        gdl::check_bare(&checked, &gdl::BareWords::of(&checked), |span| program.syntax_at(span), &mut found);
        gdl::check_unread(&checked, &mut found);
        gdl::check_hidden(&checked, &mut found);
        reached::check(&checked, &mut never, &mut found, budget)?;
    }
    let predicates: Vec<Predicate> = given.predicates().cloned().collect();
    let is_kept = |predicate: &Predicate| is_game && unread::is_of_game(&checked, predicate);
    slips::check(&checked, program, &predicates, is_kept, &mut found);
    if is_game {
        unread::check(&checked, program, &mut found);
    }
    names::check_typed(program, &checked, &predicates, &mut found);
    if !is_game && given.are_complete() && names::all_defined(&checked, &predicates) {
        let told = found.len();
        let nearness = if given.have_symbols() { Nearness::Capitals } else { Nearness::Letters };
        let syntax_at = |span| program.syntax_at(span);
        constants::check(checked.bodies(), &checked, given.terms(), MOST_TERMS, nearness, syntax_at, &mut found);
        never.extend(places(&found[told..]));
    }
    let reads_such = |rule: &&Clause| rule.body.iter().any(|literal| never.contains(&literal.span()));
    let explained = checked.rules.iter().filter(reads_such).map(|rule| rule.span).chain(misspelled).collect();
    firing::check(&checked, &predicates, is_game, &explained, &mut found);
    budget.check()?;
    product::check(&checked, program, &mut found);
    functions::check(checked.bodies(), &checked, |span| program.syntax_at(span), &mut found);
    calls::check(checked.bodies(), &mut found);
    let kinds = ColumnKinds::new(&checked, given, budget)?;
    tables::check(&checked, given, &mut found);
    dates::check(&checked, &mut found);
    orders::check(&checked, given, &mut found);
    missing::check(&checked, given, &mut found);
    joined::check(&checked, given, &mut found);
    aggregates::check_rows(checked.bodies(), given, &mut found);
    arguments::check(&checked, &kinds, |span| program.syntax_at(span), &mut found);
    let may_mean_integers = |span| !is_game || program.syntax_at(span) == Syntax::Datalog;
    spelled::check_facts(&checked, &kinds, may_mean_integers, &mut found);
    spelled::check_long(&checked, |span| program.syntax_at(span), &mut found);
    spelled::check_orders(&checked, &kinds, |span| program.syntax_at(span), &mut found);
    mixed::check(&checked, |span| program.syntax_at(span), &mut found);
    // Of comparisons that contradict each other, the rest is not told.
    let sound = checked.bodies().filter(|body| comparisons::contradiction(body).is_none());
    check_values(sound, &kinds, &mut found);
    spelled::check_conversions(&checked, given, places(&found), &mut found);
    lists::check(&checked, given, &mut found);
    expressions::check(&checked, given, &mut found);
    expressions::check_parts(&checked, given, &mut found);
    numbers::check_lattices(&checked, &kinds, &mut found);
    rounded::check(&checked, &kinds, &mut found);
    found.retain(|diagnostic| !program.allows(diagnostic));
    Ok(in_reading_order(found))
}

/// The warnings of [`lint`] that concern answers; none if the budget ends first, as the run tells.
pub fn lint_answers(program: &Program, given: &GivenColumns, budget: &Budget) -> Diagnostics {
    let mut warnings = lint(program, given, budget).unwrap_or_default();
    warnings.retain(|found| found.severity == Severity::Warning && found.code.concerns_answers());
    warnings
}

/// Reports conditions that never hold, or not as they read, for their values: each once for each reason.
fn check_values<'c>(bodies: impl Iterator<Item = &'c [Literal]>, kinds: &ColumnKinds, found: &mut Vec<Diagnostic>) {
    let mut reported: FxHashSet<(usize, Span)> = FxHashSet::default();
    let mut told_of = places(found);
    for body in bodies {
        let mut variables = VariableKinds::default();
        for literal in body {
            if let Some(date) = dates::of_literal(literal) {
                if told_of.insert(literal.span()) {
                    found.push(date);
                }
                kinds.bind(literal, &mut variables);
                continue;
            }
            let told = [
                numbers::of_literal(literal, kinds, &variables),
                values::of_literal(literal, &variables),
                decimals::of_literal(literal, kinds, &variables),
                aggregates::of_literal(literal),
                spelled::of_literal(literal, body, kinds, &variables),
                quotients::of_literal(literal, &variables),
            ];
            for (check, warning) in told.into_iter().enumerate() {
                if let Some(warning) = warning
                    && reported.insert((check, literal.span()))
                {
                    told_of.insert(literal.span());
                    found.push(warning);
                }
            }
            // What is told for another reason is not told for this one.
            if let Some(warning) = disjoint::of_literal(literal, kinds, &variables)
                && told_of.insert(literal.span())
            {
                found.push(warning);
            }
            kinds.bind(literal, &mut variables);
        }
    }
}

/// The main places of what was found.
fn places(found: &[Diagnostic]) -> FxHashSet<Span> {
    found.iter().filter_map(|one| one.labels.first()).map(|label| label.span).collect()
}

/// A term as messages show it.
fn shown(term: &Term) -> String {
    print_term(term, Syntax::Datalog)
}

/// Warnings about a goal of a program, written in a syntax: conditions that never hold, or not as they read. Those of numbers are told where the
/// kinds are known that columns have in the facts that it is asked of.
pub fn lint_goal(goal: &Goal, syntax: Syntax, checked: &CheckedProgram, kinds: Option<&ColumnKinds>) -> Diagnostics {
    let body = std::iter::once(&goal.body[..]);
    let mut found = Vec::new();
    functions::check(body.clone(), checked, |_| syntax, &mut found);
    calls::check(body.clone(), &mut found);
    if let Some(kinds) = kinds {
        check_values(body, kinds, &mut found);
    }
    in_reading_order(found)
}

/// The symbols of a program are looked for among this many terms, in a part of the time that it takes to read them.
const MOST_TERMS: usize = 1 << 20;

/// The symbols of a goal are looked for among fewer, since each goal takes as long.
const MOST_TERMS_OF_GOAL: usize = 1 << 16;

/// Warnings about symbols of a goal, written in a syntax, that nothing has, and that are spelled nearly as one that the program or the terms of `given` facts have.
///
/// Nothing is told where these are many. Cost: linear in their number, if the goal asks for a symbol.
pub fn lint_symbols<'p>(
    goal: &'p Goal,
    syntax: Syntax,
    checked: &'p CheckedProgram,
    given: impl Iterator<Item = &'p Term> + Clone,
) -> Diagnostics {
    let mut found = Vec::new();
    if !gdl::has_roles(checked) {
        let body = std::iter::once(&goal.body[..]);
        constants::check(body, checked, given, MOST_TERMS_OF_GOAL, Nearness::Letters, |_| syntax, &mut found);
    }
    in_reading_order(found)
}

/// Whether what [`lint_goal`] tells of a goal may depend on the kinds of columns.
pub fn depends_on_kinds(goal: &Goal) -> bool {
    let is_number = |arg: &Term| match arg {
        Term::Symbol(text) => is_integer(text) || is_decimal(text),
        arg => matches!(arg, Term::Integer(_) | Term::Float(_)),
    };
    let has_number = |atom: &Atom| atom.args.iter().any(is_number);
    let is_plain = |literal: &Literal| literal.atom().is_some_and(|atom| !has_number(atom));
    goal.body.len() > 1 || !goal.body.iter().all(is_plain)
}
