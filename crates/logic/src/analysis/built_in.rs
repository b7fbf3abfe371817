//! Conditions that mean something by their names, unless the program or its case defines a predicate of the name.

use super::clause::{CheckedProgram, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Effect, InputTable, Predicate, Program, Statement};
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
    /// Those that a program does not define: by a rule, a transition or a table.
    pub(super) fn of(program: &Program) -> BuiltIn {
        let defines = |name: &str| {
            let is_of_name = |atom: &Atom| atom.predicate == *name && atom.args.len() == 2;
            program.items.iter().any(|item| match &item.statement {
                Statement::Rule(rule) => is_of_name(&rule.head),
                Statement::Transition(transition) => transition.effects.iter().map(Effect::atom).any(is_of_name),
                Statement::Input(InputTable { predicate, .. }) => &**predicate == name,
                _ => false,
            })
        };
        BuiltIn { member: !defines(MEMBER), matches: !defines(MATCHES) }
    }

    /// Those that goals may ask beside a program, with facts of these predicates.
    pub(super) fn beside(program: &CheckedProgram, inputs: &[Predicate]) -> BuiltIn {
        let defined = program.defined();
        let is_free = |name: &str| {
            let predicate = Predicate::new(name, 2);
            !defined.contains(&predicate) && !inputs.contains(&predicate)
        };
        BuiltIn {
            member: program.bodies().flatten().any(is_list_search) || is_free(MEMBER),
            matches: program.bodies().flatten().any(|literal| pattern_test(literal).is_some()) || is_free(MATCHES),
        }
    }
}

/// The place of a test of a regular expression.
fn pattern_test(literal: &Literal) -> Option<Span> {
    match literal {
        Literal::Compare(test) | Literal::NotCompare(test) if test.comparator == Comparator::Matches => Some(test.span),
        _ => None,
    }
}

/// Whether a condition is on the elements of a list.
fn is_list_search(literal: &Literal) -> bool {
    matches!(literal, Literal::Member { elements: Elements::List(_), .. })
}

/// The warning for a program that tests regular expressions, if its case has facts of a predicate `matches/2`: they are not read
/// there. `None` of all other programs.
pub(super) fn shadowed(program: &CheckedProgram) -> Option<Diagnostic> {
    let place = program.bodies().flatten().find_map(pattern_test)?;
    let message = "the case has facts of `matches/2`, and this tests a regular expression";
    let help =
        "say that the program has a table of its own: `:- input(matches, 'matches.csv').`, or rename the predicate";
    Some(Diagnostic::warning(Code::RegularExpression, message).at(place, "these facts are not read here").help(help))
}
