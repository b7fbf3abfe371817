//! Why something holds in a state of a game, or why it does not.

use super::super::case::{LoadedCase, explain};
use super::super::query::in_parentheses;
use super::super::{Failure, why};
use ludolog::analysis::Analyzed;
use ludolog::diagnostic::Sources;
use ludolog::engine::explanation;
use ludolog::engine::{Budget, Case, Session};
use ludolog::syntax::ast::{Atom, Formula, Predicate, Query, Term};
use ludolog::syntax::{Syntax, parse_goal};
use std::collections::BTreeSet;

/// Levels of refutations that are shown.
const WHY_NOT_DEPTH: usize = 3;

/// A state that was reached, with what led to it.
pub struct LedTo<'s> {
    pub facts: &'s [Term],
    /// The state before, with the move that each role made there; `None` for the first state.
    pub before: Option<(&'s [Term], &'s [Term])>,
}

/// The rulesheet, ready to be asked for derivations.
pub struct Reasons {
    loaded: LoadedCase,
    roles: Vec<Term>,
    known: BTreeSet<Predicate>,
}

impl Reasons {
    pub fn new(analyzed: Analyzed, sources: Sources, roles: &[Term], syntax: Syntax) -> Self {
        let known = analyzed.stratified.program.mentioned();
        Reasons { loaded: LoadedCase::plain(Session::new(analyzed, sources), syntax), roles: roles.to_vec(), known }
    }

    /// The atom that a text stands for: KIF, also without outer parentheses, or infix; `true` may stand before a fact
    /// of the state.
    pub fn atom(&self, text: &str) -> Option<Atom> {
        let text = text.strip_prefix("true ").unwrap_or(text);
        let text = in_parentheses(text);
        let syntax = if text.starts_with('(') { Syntax::Kif } else { self.loaded.syntax };
        let parsed = [syntax, Syntax::Datalog].map(|syntax| parse_goal(&text, &mut Sources::new(), Some(syntax)).ok());
        let query = parsed.into_iter().flatten().next()?;
        match &query.body[..] {
            [Formula::Atom(atom)] => Some(atom.clone()),
            _ => None,
        }
    }

    /// Explains an atom in a state: a relation of the rules, a fact of the state, or else a move of a role.
    pub fn explain(&mut self, atom: Atom, role: &Term, reached: &LedTo, budget: Budget) -> Result<String, Failure> {
        let fact = term(&atom);
        match (atom.predicate.written(), &atom.args[..]) {
            (Some("true" | "next"), [fact]) => self.fact(fact.clone(), reached, budget),
            _ if reached.facts.contains(&fact) => self.fact(fact, reached, budget),
            _ if self.known.contains(&atom.signature()) => self.ask(&atom, reached.facts, None, budget),
            _ if reached.facts.iter().any(|other| is_alike(other, &fact)) => self.fact(fact, reached, budget),
            _ => {
                let legal = Atom::new("legal", vec![role.clone(), fact]);
                self.ask(&legal, reached.facts, None, budget)
            }
        }
    }

    /// Explains a fact of a state by the joint move that led there, or by the first state.
    fn fact(&mut self, fact: Term, reached: &LedTo, budget: Budget) -> Result<String, Failure> {
        match reached.before {
            Some((facts, joint)) => self.ask(&Atom::new("next", vec![fact]), facts, Some(joint), budget),
            None => self.ask(&Atom::new("init", vec![fact]), &[], None, budget),
        }
    }

    fn ask(&mut self, atom: &Atom, facts: &[Term], joint: Option<&[Term]>, budget: Budget) -> Result<String, Failure> {
        let mut case: Vec<Atom> = facts.iter().map(|fact| Atom::new("true", vec![fact.clone()])).collect();
        let does = self.roles.iter().zip(joint.into_iter().flatten());
        case.extend(does.map(|(role, made)| Atom::new("does", vec![role.clone(), made.clone()])));
        let session = &mut self.loaded.session;
        session.set_case(Case::of_facts(case));
        session.set_budget(budget);
        let goal = session.goal_of(&Query { body: vec![Formula::Atom(atom.clone())] })?;
        let stopped = |stopped| explain(&stopped);
        if let Some(derivation) = session.why(&goal).map_err(stopped)? {
            return Ok(explanation::why::to_text(
                &derivation.inferences,
                &self.loaded.session,
                self.loaded.syntax,
                why::DEPTH,
            ));
        }
        let told = session.why_not(&goal, WHY_NOT_DEPTH).map_err(stopped)?;
        Ok(explanation::why_not::to_text(&goal, &told, &self.loaded.session, self.loaded.syntax))
    }
}

/// An atom as a term.
fn term(atom: &Atom) -> Term {
    match &atom.args[..] {
        [] => Term::symbol(atom.predicate.text()),
        args => Term::compound(atom.predicate.text(), args.to_vec()),
    }
}

/// Whether two terms have the same functor and as many arguments.
fn is_alike(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Compound(f, some), Term::Compound(g, others)) => f == g && some.len() == others.len(),
        _ => false,
    }
}
