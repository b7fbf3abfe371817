//! The core form that analysis proves, the optimizer rewrites and the engines run.

use crate::diagnostic::Span;
use crate::syntax::ast::{Atom, Comparison, Effect, Name, Predicate, Term};

/// One conjunct of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    Positive(Atom),
    /// Holds when no instance of the atom does. Variables that occur nowhere else are local to it (`~p(X, _)`); all
    /// others are bound by literals before it.
    Negative(Atom),
    Compare(Comparison),
    /// `member(Element, List)`: the built-in test of list membership, unless the program defines `member/2`.
    /// The list is bound before; a positive one binds the variables of its element.
    Member {
        element: Term,
        list: Term,
        negated: bool,
        span: Span,
    },
}

impl Literal {
    /// The atom of a positive or negative literal.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Compare(_) | Literal::Member { .. } => None,
        }
    }

    /// Calls `visit` with every variable occurrence, left to right.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_variable(visit));
            }
            Literal::Compare(comparison) => {
                comparison.left.for_each_variable(visit);
                comparison.right.for_each_variable(visit);
            }
            Literal::Member { element, list, .. } => {
                element.for_each_variable(visit);
                list.for_each_variable(visit);
            }
        }
    }
}

/// `head :- body`, safe when read from left to right: each literal finds bound what it needs bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub head: Atom,
    pub body: Vec<Literal>,
    pub span: Span,
}

/// A transition rule in core form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionClause {
    pub conditions: Vec<Literal>,
    pub effects: Vec<Effect>,
    pub span: Span,
}

/// A conjunction to be solved. The answers bind `variables`, the named ones in the order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub body: Vec<Literal>,
    pub variables: Vec<Name>,
    pub span: Span,
}

/// A program of which is proved: one arity for each use, all clauses safe, no recursion through growing terms.
#[derive(Clone, Debug, Default)]
pub struct CheckedProgram {
    /// Ground facts, in source order.
    pub facts: Vec<Atom>,
    /// Rules with a body, in source order. An `or` has become several rules.
    pub rules: Vec<Clause>,
    pub transitions: Vec<TransitionClause>,
    pub queries: Vec<Goal>,
}

/// A [`CheckedProgram`] of which is proved besides: no recursion through negation.
#[derive(Clone, Debug, Default)]
pub struct StratifiedProgram {
    pub program: CheckedProgram,
    /// The defined predicates (heads of facts and rules) by strongly connected component of the dependency graph, in
    /// evaluation order: each component depends on earlier ones and, only positively, on itself.
    pub strata: Vec<Vec<Predicate>>,
}

/// Names of predicates that the pipeline makes up (`goal@_,100`, `win@bf`) contain this; answers leave them out.
pub const AUXILIARY_MARK: char = '@';

impl Predicate {
    /// Whether the pipeline made this predicate up.
    pub fn is_auxiliary(&self) -> bool {
        self.name.contains(AUXILIARY_MARK)
    }
}
