//! Most general unifiers, within limits: they can be exponentially larger than what they unify.

use super::variables_of;
use crate::value::MAX_DEPTH;
use ludolog_logic::analysis::clause::Clause;
use ludolog_syntax::ast::{Atom, Name, Term};
use ludolog_syntax::budget::{Excess, Stopped};
use rustc_hash::FxHashMap;

/// Most steps of one unification, and most symbols of its result.
const MAX_STEPS: usize = 100_000;

/// A most general unifier of an atom and the head of a rule. The variables of the atom are renamed where the rule has
/// variables of the same name.
#[derive(Default)]
pub(super) struct Unifier {
    /// The terms that variables stand for. They may contain bound variables in turn, but not in a circle.
    pub(super) bound: FxHashMap<Name, Term>,
}

impl Unifier {
    /// `None` if the atom and the head do not unify.
    pub(super) fn of(atom: &Atom, clause: &Clause) -> Result<Option<Unifier>, Stopped> {
        let taken = variables_of(clause);
        let mut names: FxHashMap<Name, Name> = FxHashMap::default();
        let mut apart = |name: &Name| {
            let fresh = names.entry(name.clone()).or_insert_with(|| {
                let candidates = (1..).map(|number| Name::from(format!("{name}_{number}")));
                std::iter::once(name.clone()).chain(candidates).find(|name| !taken.contains(name)).unwrap_or_default()
            });
            Some(Term::Variable(fresh.clone()))
        };
        let mut unifier = Unifier::default();
        let mut steps = Steps::default();
        for (arg, pattern) in atom.args.iter().zip(&clause.head.args) {
            if !unifier.unify(&arg.replace_variables(&mut apart), pattern, &mut steps)? {
                return Ok(None);
            }
        }
        Ok(Some(unifier))
    }

    /// Extends the unifier so that both terms become equal, if that is possible: binds a variable where they disagree,
    /// and begins again (Robinson, *A machine-oriented logic based on the resolution principle*, 1965).
    fn unify(&mut self, a: &Term, b: &Term, steps: &mut Steps) -> Result<bool, Stopped> {
        loop {
            match self.disagreement(a, b, 0, steps)? {
                None => return Ok(true),
                Some((Term::Variable(name), term) | (term, Term::Variable(name)))
                    if !self.occurs(name, term, 0, steps)? =>
                {
                    let name = name.clone();
                    let term = term.clone();
                    self.bound.insert(name, term);
                }
                Some(_) => return Ok(false),
            }
        }
    }

    /// The first parts in which two terms differ.
    fn disagreement<'t>(
        &'t self,
        a: &'t Term,
        b: &'t Term,
        depth: u32,
        steps: &mut Steps,
    ) -> Result<Option<(&'t Term, &'t Term)>, Stopped> {
        steps.count(depth)?;
        let a = self.value(a);
        let b = self.value(b);
        match (a, b) {
            (Term::Compound(f, args), Term::Compound(g, others)) if f == g && args.len() == others.len() => {
                for (arg, other) in args.iter().zip(others) {
                    if let Some(found) = self.disagreement(arg, other, depth + 1, steps)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            (Term::Compound(..), Term::Compound(..)) => Ok(Some((a, b))),
            _ => Ok((a != b).then_some((a, b))),
        }
    }

    /// The term that is not a bound variable.
    pub(super) fn value<'t>(&'t self, mut term: &'t Term) -> &'t Term {
        while let Term::Variable(name) = term
            && let Some(value) = self.bound.get(name)
        {
            term = value;
        }
        term
    }

    fn occurs(&self, name: &Name, term: &Term, depth: u32, steps: &mut Steps) -> Result<bool, Stopped> {
        steps.count(depth)?;
        match self.value(term) {
            Term::Variable(other) => Ok(name == other),
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => Ok(false),
            Term::Compound(_, args) => {
                for arg in args {
                    if self.occurs(name, arg, depth + 1, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// The term with all variables replaced that stand for a term.
    pub(super) fn resolve(&self, term: &Term) -> Result<Term, Stopped> {
        self.resolve_within(term, 0, &mut Steps::default())
    }

    fn resolve_within(&self, term: &Term, depth: u32, steps: &mut Steps) -> Result<Term, Stopped> {
        steps.count(depth)?;
        match self.value(term) {
            Term::Compound(functor, args) => {
                let args = args.iter().map(|arg| self.resolve_within(arg, depth + 1, steps));
                Ok(Term::Compound(functor.clone(), args.collect::<Result<_, _>>()?))
            }
            value => Ok(value.clone()),
        }
    }
}

/// The work on one pair of terms. Unifiers can be exponentially larger than the terms that they unify.
#[derive(Default)]
struct Steps(usize);

impl Steps {
    fn count(&mut self, depth: u32) -> Result<(), Stopped> {
        self.0 += 1;
        match () {
            () if depth > MAX_DEPTH => Err(Stopped::TermTooLarge(Excess::Depth(MAX_DEPTH))),
            () if self.0 > MAX_STEPS => {
                Err(Stopped::Unsupported("a head and the atom that it should derive unify to too large a term".into()))
            }
            () => Ok(()),
        }
    }
}
