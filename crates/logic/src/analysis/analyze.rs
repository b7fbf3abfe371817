//! All checks, one after the other.

use super::built_in::MATCHES;
use super::clause::StratifiedProgram;
use super::names::{self, Undefined};
use super::report::{arguments, in_reading_order};
use super::{arity, built_in, choice, gdl, growth, lattice, lower, strata, types};
use ludolog_syntax::ast::{Name, Predicate, Program};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics};
use rustc_hash::FxHashSet;

/// A program that may run, and what is odd about it.
#[derive(Clone, Debug)]
pub struct Analyzed {
    /// The program.
    pub stratified: StratifiedProgram,
    /// Oddities that do not keep it from running, whatever its case.
    pub warnings: Diagnostics,
    /// The predicates that it reads and that nothing defines: they hold of what the case says, or of nothing.
    pub undefined: Vec<Undefined>,
    /// The names of the predicates that it declares as its results.
    pub outputs: Vec<Name>,
    /// The warning for a case with facts that a built-in test is read instead of.
    shadowed: Option<Diagnostic>,
}

impl Analyzed {
    /// Takes predicates of these names for defined: the case has tables of them, though without rows.
    pub fn define(&mut self, empty: &[Name]) {
        self.undefined.retain(|undefined| !empty.iter().any(|name| undefined.predicate.name == **name));
    }

    /// All warnings, for a case with facts of the `given` predicates, in the order of the text.
    pub fn warnings_given(&self, given: &[Predicate]) -> Diagnostics {
        self.told(given, |_| true)
    }

    /// [`warnings_given`](Self::warnings_given), where each predicate may get facts later: of those that nothing defines so far, the ones
    /// whose names are nearly others.
    pub fn warnings_so_far(&self, given: &[Predicate]) -> Diagnostics {
        self.told(given, |undefined| undefined.is_slip)
    }

    fn told(&self, given: &[Predicate], is_told: impl Fn(&Undefined) -> bool) -> Diagnostics {
        let given: FxHashSet<&Predicate> = given.iter().collect();
        let missing = self.undefined.iter().filter(|one| !given.contains(&one.predicate) && is_told(one));
        // Facts with another number of arguments are facts from elsewhere that are not read.
        let of_other_arity = |one: &Undefined| {
            let same = given.iter().filter(|other| other.name == one.predicate.name);
            same.map(|other| other.arity).min().filter(|_| !one.is_slip)
        };
        let missing = missing.map(|undefined| match of_other_arity(undefined) {
            Some(arity) => {
                let help = format!("the facts of `{}` have {}", undefined.predicate.name, arguments(arity));
                undefined.warning.clone().help(help)
            }
            None => undefined.warning.clone(),
        });
        let is_shadowed = given.contains(&Predicate::new(MATCHES, 2));
        let shadowed = self.shadowed.iter().filter(|_| is_shadowed).cloned();
        in_reading_order(self.warnings.iter().cloned().chain(missing).chain(shadowed).collect())
    }
}

/// Proves a program safe, of one arity for each predicate, finite and stratified; or says all that is in the way.
///
/// Queries of the program become [`Goal`](super::clause::Goal)s; its `include` statements must have been followed before.
/// The facts of its inputs are its case.
///
/// # Errors
///
/// All diagnostics, when one of them is an error.
///
/// # Panics
///
/// Never: without limits, nothing stops early.
pub fn analyze(program: &Program) -> Result<Analyzed, Diagnostics> {
    analyze_within(program, &Budget::unlimited()).expect("nothing stops an analysis without limits")
}

/// [`analyze`] within a budget.
///
/// # Errors
///
/// The reason, when the budget ends first. Otherwise the inner result is that of [`analyze`].
pub fn analyze_within(program: &Program, budget: &Budget) -> Result<Result<Analyzed, Diagnostics>, Stopped> {
    let mut found = Vec::new();
    let checked = lower::lower(program, budget, &mut found)?;
    let is_game = gdl::has_roles(&checked);
    arity::check(&checked, is_game, &mut found);
    if is_game {
        gdl::check(&checked, &mut found);
    }
    let outputs = names::outputs(program, &checked, &mut found);
    let shadowed = built_in::shadowed(&checked).filter(|warning| !program.allows(warning));
    let is_rulesheet = is_game || gdl::lacks_roles(&checked);
    let mut undefined = names::undefined(&checked, is_rulesheet, |span| program.syntax_at(span), budget)?;
    undefined.retain(|undefined| !program.allows(&undefined.warning));
    types::check(program, &checked, budget, &mut found)?;
    lattice::check(&checked, is_game, &mut found);
    choice::check(&checked, is_game, &mut found);
    growth::check(&checked, program, is_game, budget, &mut found)?;
    let stratified = strata::stratify(checked, is_rulesheet, budget, &mut found)?;
    if let Some(stratified) = &stratified {
        lattice::check_decided(stratified, &mut found);
        choice::check_decided(stratified, &mut found);
    }
    found.retain(|diagnostic| !program.allows(diagnostic));
    let found = in_reading_order(found);
    Ok(match stratified {
        Some(stratified) if !found.has_errors() => {
            Ok(Analyzed { stratified, warnings: found, undefined, outputs, shadowed })
        }
        _ => Err(found),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::body::Body;
    use crate::analysis::clause::Literal;
    use crate::analysis::goal;
    use ludolog_syntax::ast::{Atom, Formula, Item, Predicate, Query, Rule, Statement, Term};
    use ludolog_syntax::diagnostic::{Code, Span};

    /// `p(x, a)`: one-letter lower-case words from `u` on are variables, others symbols.
    fn atom(text: &str) -> Atom {
        let (predicate, rest) = text.split_once('(').unwrap_or((text, ")"));
        let args = rest.trim_end_matches(')').split(',').map(str::trim).filter(|arg| !arg.is_empty());
        let term = |arg: &str| {
            if arg.starts_with('_') || (arg.len() == 1 && arg >= "u") {
                Term::variable(arg)
            } else {
                arg.parse().map_or_else(|_| Term::symbol(arg), Term::Integer)
            }
        };
        Atom::new(predicate, args.map(term).collect())
    }

    fn yes(text: &str) -> Formula {
        Formula::Atom(atom(text))
    }

    fn no(text: &str) -> Formula {
        Formula::Not(Box::new(yes(text)))
    }

    fn rule(head: &str, body: Vec<Formula>) -> Item {
        let statement = Statement::Rule(Rule::new(atom(head), body));
        Item { comments: Vec::new(), statement, span: Span::NONE }
    }

    fn program(items: Vec<Item>) -> Program {
        Program { items, ..Program::default() }
    }

    fn codes(items: Vec<Item>) -> Vec<Code> {
        let found = analyze(&program(items)).expect_err("the program is wrong");
        found.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn disjunction_becomes_clauses_and_early_filters_move() {
        let body = vec![no("bad(x)"), Formula::Or(vec![yes("p(x)"), yes("q(x)")]), yes("r(x)")];
        let analyzed = analyze(&program(vec![rule("win(x)", body)])).unwrap();
        let rules = analyzed.stratified.program.rules;
        let bodies: Vec<_> = rules.iter().map(|rule| rule.body.clone()).collect();
        let expected = ["p(x)", "q(x)"].map(|first| {
            Body::new(vec![
                Literal::Positive(atom(first)),
                Literal::Negative(atom("bad(x)")),
                Literal::Positive(atom("r(x)")),
            ])
        });
        assert_eq!(bodies, expected);
    }

    #[test]
    fn negated_conjunction_is_a_disjunction_of_negations() {
        let both = Formula::Not(Box::new(Formula::And(vec![yes("p(x)"), no("q(x)")])));
        let analyzed = analyze(&program(vec![rule("win(x)", vec![yes("r(x)"), both])])).unwrap();
        let bodies: Vec<_> = analyzed.stratified.program.rules.into_iter().map(|rule| rule.body).collect();
        let r = || Literal::Positive(atom("r(x)"));
        let expected = [vec![r(), Literal::Negative(atom("p(x)"))], vec![r(), Literal::Positive(atom("q(x)"))]];
        assert_eq!(bodies, expected.map(Body::new));
    }

    #[test]
    fn thirty_disjunctions_stay_small() {
        let either = |i: usize| Formula::Or(vec![yes(&format!("p{i}(x)")), yes(&format!("q{i}(x)"))]);
        let analyzed = analyze(&program(vec![rule("win(x)", (0..30).map(either).collect())])).unwrap();
        assert!(analyzed.stratified.program.rules.len() < 4000, "{}", analyzed.stratified.program.rules.len());
    }

    #[test]
    fn all_unsafe_variables_are_reported_at_once() {
        assert_eq!(codes(vec![rule("p(x, y)", vec![no("q(z)")]), rule("fact(w)", vec![])]), [Code::UnsafeVariable; 4]);
    }

    #[test]
    fn a_single_underscored_variable_is_local_to_its_negation() {
        assert!(analyze(&program(vec![rule("p(x)", vec![yes("q(x)"), no("r(x, _1)")])])).is_ok());
        let twice = vec![yes("q(x)"), no("r(x, _1)"), no("s(_1)")];
        assert_eq!(codes(vec![rule("p(x)", twice)])[0], Code::UnsafeVariable);
    }

    #[test]
    fn a_negative_cycle_of_a_game_is_refused_with_every_step() {
        let items = vec![
            rule("role(red)", vec![]),
            rule("legal(red, go)", vec![]),
            rule("p(x)", vec![yes("d(x)"), yes("q(x)")]),
            rule("q(x)", vec![yes("d(x)"), no("p(x)")]),
        ];
        let found = analyze(&program(items)).unwrap_err();
        let cycle = found.iter().find(|found| found.code == Code::NotStratified).unwrap();
        let steps: Vec<_> = cycle.labels.iter().map(|label| label.text.as_str()).collect();
        assert_eq!(steps, ["`q/1` needs not `p/1`", "`p/1` needs `q/1`"]);
    }

    #[test]
    fn a_negative_cycle_that_constants_break_is_split() {
        let items = vec![
            rule("role(red)", vec![]),
            rule("goal(x, 100)", vec![yes("role(x)"), yes("line(x)")]),
            rule("goal(x, 0)", vec![yes("role(x)"), no("goal(x, 100)")]),
        ];
        let stratified = analyze(&program(items)).unwrap().stratified;
        let order: Vec<String> = stratified.strata.iter().flatten().map(|p| p.name.to_string()).collect();
        let place = |name: &str| order.iter().position(|other| other == name).unwrap();
        assert!(place("goal@_,100") < place("goal@_,0") && place("goal@_,0") < place("goal"));
    }

    #[test]
    fn hundred_thousand_rules_in_a_chain() {
        let link = |i: usize| rule(&format!("p{i}(x)"), vec![yes(&format!("p{}(x)", i + 1))]);
        let stratified = analyze(&program((0..100_000).map(link).collect())).unwrap().stratified;
        assert_eq!(stratified.strata.len(), 100_000);
        assert_eq!(stratified.strata[0], [Predicate::new("p99999", 1)]);
    }

    #[test]
    fn goals_name_what_was_meant() {
        let stratified = analyze(&program(vec![rule("cluster(a, 1)", vec![])])).unwrap().stratified;
        let ask = |text: &str| goal(&Query { body: vec![yes(text)] }, &stratified, &[Predicate::new("empty", 1)]);
        assert!(ask("empty(x)").is_ok());
        let typo = ask("clutser(x, y)").unwrap_err();
        let typo = typo.iter().next().unwrap();
        assert_eq!((typo.code, typo.help.as_deref()), (Code::UnknownPredicate, Some("did you mean `cluster/2`?")));
        let arity = ask("cluster(x)").unwrap_err();
        assert_eq!(arity.iter().next().unwrap().message, "`cluster` has 2 arguments, not 1 argument");
    }
}
