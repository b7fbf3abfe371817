//! Functional choices: `advised(S, A) :- student(S) & advisor(A) & choice(S; A).`
//!
//! A rule that chooses becomes three, whose made predicates have the variables of its choices and of its head:
//!
//! candidate(S, A) :- student(S) & advisor(A).
//! chosen(S, A) :- candidate(S, A).
//! advised(S, A) :- chosen(S, A).
//!
//! Of the candidates those are chosen, one after the other, that agree with all that were chosen before: the columns of a
//! key have one binding of the columns of its values. So the second rule says more than holds, and all that analysis proves
//! of it holds of what is chosen. The facts are a stable model of the program in which a choice is the negation of a different one
//! (D. Saccà, C. Zaniolo, *Stable models and non-determinism in logic programs with negation*, PODS 1990; S. Greco,
//! C. Zaniolo, *Greedy algorithms in Datalog*, 2001). In recursion the rules run to their end before the next candidates are
//! looked at, so that the choice depends on facts and rules alone, and on no order of evaluation.

use super::body::Body;
use super::clause::{CheckedProgram, Clause, ColumnDependency, FunctionalChoice, Literal, StratifiedProgram};
use super::graph::DependencyGraph;
use super::well_founded::undefinable;
use ludolog_syntax::ast::{Atom, Formula, Name, Predicate, Purpose, Rule, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// The choices of a rule.
pub(super) struct RuleChoices<'r> {
    choices: Vec<&'r Atom>,
    /// The variables of the choices and of the head.
    variables: Vec<Name>,
    head: &'r Atom,
    number: usize,
    span: Span,
}

impl<'r> RuleChoices<'r> {
    /// The choices of the rule of this number among those that choose, with its other conditions; `None` if it has none.
    pub(super) fn of(rule: &'r Rule, number: usize, span: Span) -> Option<(RuleChoices<'r>, Vec<Formula>)> {
        let as_choice = |formula: &'r Formula| match formula {
            Formula::Atom(atom) if atom.as_choice().is_some() => Some(atom),
            _ => None,
        };
        let choices: Vec<&Atom> = rule.body.iter().filter_map(as_choice).collect();
        if choices.is_empty() {
            return None;
        }
        let mut variables: Vec<Name> = Vec::new();
        for term in choices.iter().flat_map(|choice| &choice.args).chain(&rule.head.args) {
            term.for_each_variable(&mut |name| {
                if !variables.contains(name) {
                    variables.push(name.clone());
                }
            });
        }
        let rest = rule.body.iter().filter(|formula| as_choice(formula).is_none()).cloned().collect();
        Some((RuleChoices { choices, variables, head: &rule.head, number, span }, rest))
    }

    /// The head of the rules for candidates.
    pub(super) fn candidate(&self) -> Atom {
        self.made(Purpose::Candidate { of: self.head.predicate.clone(), number: self.number })
    }

    fn chosen(&self) -> Atom {
        self.made(Purpose::Chosen { of: self.head.predicate.clone(), number: self.number })
    }

    fn made(&self, purpose: Purpose) -> Atom {
        let args = self.variables.iter().map(|name| Term::Variable(name.clone())).collect();
        Atom { predicate: purpose.into(), args, span: self.span }
    }

    /// Adds what is chosen, and the head that it has, to a program.
    pub(super) fn finish(&self, seed: u64, program: &mut CheckedProgram) {
        let candidate = self.candidate();
        let chosen = self.chosen();
        let column = |term: &Term| match term {
            Term::Variable(name) => self.variables.iter().position(|other| other == name),
            _ => None,
        };
        let dependencies = self.choices.iter().filter_map(|choice| choice.as_choice()).map(|(keys, values)| {
            let columns = |terms: &[Term]| terms.iter().filter_map(column).collect();
            ColumnDependency { keys: columns(keys), values: columns(values) }
        });
        let choice = FunctionalChoice { candidates: candidate.signature(), dependencies: dependencies.collect(), seed };
        program.choices.insert(chosen.signature(), choice);
        let clause = |head: &Atom, of: &Atom| Clause {
            head: head.clone(),
            body: Body::new(vec![Literal::Positive(of.clone())]),
            span: self.span,
        };
        program.rules.push(clause(&chosen, &candidate));
        program.rules.push(clause(self.head, &chosen));
    }
}

/// The fault of a choice that is no condition of a rule by itself.
pub(super) fn misplaced(place: Span) -> Diagnostic {
    wrong("a choice stands beside the other conditions of a rule alone".to_owned())
        .at(place, "under a negation, in a disjunction, an aggregate, a goal or a transition rule")
        .help("give what is chosen a rule of its own, and read its head")
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(Code::FunctionalChoice, message)
}

/// Reports choices in games, and in recursion that may take back what was chosen from.
pub(super) fn check(program: &CheckedProgram, is_game: bool, found: &mut Vec<Diagnostic>) {
    if program.choices.is_empty() {
        return;
    }
    let place = |predicate: &Predicate| {
        program.rules.iter().find(|rule| rule.head.signature() == *predicate).map_or(Span::NONE, |rule| rule.span)
    };
    if is_game {
        let places = program.choices.keys().map(place);
        let first = places.min_by_key(|span| (span.source, span.start)).unwrap_or(Span::NONE);
        let help = "say by `legal` what players choose from, and by the role `random` what chance does";
        found.push(wrong("a game has no choices of rules".to_owned()).at(first, "a choice").help(help));
    }
    if program.lattices.is_empty() {
        return;
    }
    let graph = DependencyGraph::new(program);
    for component in graph.components() {
        let predicates: FxHashSet<&Predicate> = component.predicates(&graph).collect();
        let lattice = predicates.iter().find(|predicate| program.lattices.contains_key(**predicate));
        let chosen = predicates.iter().find(|predicate| program.choices.contains_key(**predicate));
        if let (Some(lattice), Some(chosen)) = (lattice, chosen) {
            let help = "choose from the best values, by a rule that they do not depend on";
            let message = format!("a choice depends on values of `{lattice}` that a better one may replace");
            found.push(wrong(message).at(place(chosen), "this choice").help(help));
        }
    }
}

/// Reports choices from facts that may be undefined.
pub(super) fn check_decided(stratified: &StratifiedProgram, found: &mut Vec<Diagnostic>) {
    let program = &stratified.program;
    if program.choices.is_empty() || stratified.negative.is_empty() {
        return;
    }
    let undefinable = undefinable(stratified);
    let is_undecided = |rule: &&Clause| {
        let head = rule.head.signature();
        program.choices.contains_key(&head) && undefinable.contains(&head)
    };
    found.extend(program.rules.iter().find(is_undecided).map(|rule| {
        wrong("a choice is made of facts that may be undefined".to_owned())
            .at(rule.span, "this choice depends on its own negation, or on facts that do")
            .help("let the rule depend on predicates without negative cycles only")
    }));
}
