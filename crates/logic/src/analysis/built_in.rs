//! Conditions that mean something by their names, unless the program or its case defines a predicate of the name.

use super::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Comparator, Effect, InputTable, Predicate, Program, Statement};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};

/// `member(Element, List)`.
pub(super) const MEMBER: &str = "member";

/// `matches(Symbol, Pattern)`.
pub(super) const MATCHES: &str = "matches";

/// Those of the names that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BuiltIn {
    /// `member/2`, the elements of a list.
    pub member: bool,
    /// `matches/2`, the test of a regular expression.
    pub matches: bool,
}

impl BuiltIn {
    /// Those that a program does not define: by a rule, `matches` by a transition or a table too.
    pub(super) fn of(program: &Program) -> BuiltIn {
        let heads = |name: &str| {
            program.items.iter().any(|item| match &item.statement {
                Statement::Rule(rule) => rule.head.predicate == *name && rule.head.args.len() == 2,
                _ => false,
            })
        };
        let is_changed = |effect: &Effect| effect.atom().predicate == MATCHES && effect.atom().args.len() == 2;
        let is_given = program.items.iter().any(|item| match &item.statement {
            Statement::Transition(transition) => transition.effects.iter().any(is_changed),
            Statement::Input(InputTable { predicate, .. }) => &**predicate == MATCHES,
            _ => false,
        });
        BuiltIn { member: !heads(MEMBER), matches: !heads(MATCHES) && !is_given }
    }

    /// Those that goals may ask beside a program, with facts of these predicates.
    pub(super) fn beside(program: &CheckedProgram, inputs: &[Predicate]) -> BuiltIn {
        let defined = program.defined();
        let matches = Predicate::new(MATCHES, 2);
        BuiltIn {
            member: !defined.contains(&Predicate::new(MEMBER, 2)),
            matches: pattern_test(program).is_some() || !defined.contains(&matches) && !inputs.contains(&matches),
        }
    }
}

/// The place of the first test of a regular expression; `None` of a program without any.
fn pattern_test(program: &CheckedProgram) -> Option<Span> {
    let of_rules = program.rules.iter().flat_map(|rule| rule.body.iter());
    let of_transitions = program.transitions.iter().flat_map(|transition| transition.conditions.iter());
    let goals = program.queries.iter().chain(&program.constraints);
    let mut literals = of_rules.chain(of_transitions).chain(goals.flat_map(|goal| goal.body.iter()));
    literals.find_map(|literal| match literal {
        Literal::Compare(test) | Literal::NotCompare(test) if test.comparator == Comparator::Matches => Some(test.span),
        _ => None,
    })
}

/// The warning for a program that tests regular expressions, if its case has facts of a predicate `matches/2`: they are not read
/// there. `None` of all other programs.
pub(super) fn shadowed(program: &CheckedProgram) -> Option<Diagnostic> {
    let place = pattern_test(program)?;
    let message = "the case has facts of `matches/2`, and this tests a regular expression";
    let help =
        "say that the program has a table of its own: `:- input(matches, 'matches.csv').`, or rename the predicate";
    Some(Diagnostic::warning(Code::RegularExpression, message).at(place, "these facts are not read here").help(help))
}
