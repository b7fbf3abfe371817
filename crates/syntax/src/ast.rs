//! The abstract syntax that both surfaces share.
//!
//! A [`Program`] is a list of [`Item`]s: rules (a fact is a rule without a body), transition rules and queries, each
//! with the comments that stand before it. Equality ignores [`Span`]s: two programs are equal when they say the same.

use super::Syntax;
use crate::diagnostic::{SourceId, Span};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A predicate, symbol, functor or variable name. Case has been settled by the parser.
pub type Name = Arc<str>;

/// A term. Lists are `cons(head, tail)` and `nil`. A compound without arguments, `(f)` in `.kif`, is not the symbol `f`:
/// other GDL systems tell them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    Variable(Name),
    Integer(i64),
    Symbol(Name),
    Compound(Name, Vec<Term>),
}

impl Term {
    pub fn variable(name: &str) -> Term {
        Term::Variable(name.into())
    }

    pub fn symbol(name: &str) -> Term {
        Term::Symbol(name.into())
    }

    pub fn compound(functor: &str, args: Vec<Term>) -> Term {
        Term::Compound(functor.into(), args)
    }

    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Integer(_) | Term::Symbol(_) => true,
            Term::Compound(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// Calls `visit` with every variable occurrence, left to right.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        match self {
            Term::Variable(name) => visit(name),
            Term::Integer(_) | Term::Symbol(_) => {}
            Term::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_variable(visit)),
        }
    }
}

/// A predicate with its arity, as in `adjacent/2`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate {
    pub name: Name,
    pub arity: usize,
}

impl Predicate {
    pub fn new(name: &str, arity: usize) -> Self {
        Self { name: name.into(), arity }
    }

    /// Whether the pipeline made this predicate up.
    pub fn is_auxiliary(&self) -> bool {
        self.name.contains(AUXILIARY_MARK)
    }
}

/// Names of predicates that the pipeline makes up (`goal@_,100`, `win@bf`) contain this; answers leave them out.
pub const AUXILIARY_MARK: char = '@';

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A predicate applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    pub predicate: Name,
    pub args: Vec<Term>,
    pub span: Span,
}

impl Atom {
    pub fn new(predicate: &str, args: Vec<Term>) -> Self {
        Self { predicate: predicate.into(), args, span: Span::NONE }
    }

    pub fn signature(&self) -> Predicate {
        Predicate { name: self.predicate.clone(), arity: self.args.len() }
    }

    pub fn is_ground(&self) -> bool {
        self.args.iter().all(Term::is_ground)
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.predicate == other.predicate && self.args == other.args
    }
}

impl Eq for Atom {}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.predicate.hash(state);
        self.args.hash(state);
    }
}

/// How two sides are compared. `Is`, `Equal` and `NotEqual` take any terms, the others only integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `X is E`: the left side equals the integer that `E` computes.
    Is,
    Equal,
    /// `!=`, GDL's `distinct`.
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A comparison. Compounds `+ - * / mod` of two arguments (and `-` of one) compute on either side.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub comparator: Comparator,
    pub left: Term,
    pub right: Term,
    pub span: Span,
}

impl PartialEq for Comparison {
    fn eq(&self, other: &Self) -> bool {
        self.comparator == other.comparator && self.left == other.left && self.right == other.right
    }
}

impl Eq for Comparison {}

/// A body formula as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Atom(Atom),
    Compare(Comparison),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// `head :- body`; a fact when the body is empty. The body is a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub head: Atom,
    pub body: Vec<Formula>,
}

/// What a transition does to the fact set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Add(Atom),
    Delete(Atom),
}

/// `conditions ==> effects`. Fires on an event (a ground atom) when its conditions hold in the old state together with
/// that event; then all deletions of all firing rules are made, then all additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub conditions: Vec<Formula>,
    pub effects: Vec<Effect>,
}

/// `?- body.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub body: Vec<Formula>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Rule(Rule),
    Transition(Transition),
    Query(Query),
    /// Another rule file to be read as if it stood here, once; the path is relative to the file that names it.
    Include(Name),
}

/// A statement with the comments before it (texts without the comment marks).
#[derive(Clone, Debug)]
pub struct Item {
    pub comments: Vec<String>,
    pub statement: Statement,
    pub span: Span,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.comments == other.comments && self.statement == other.statement
    }
}

/// A rule file, or several read as one.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub items: Vec<Item>,
    /// Comments after the last item.
    pub trailing: Vec<String>,
    /// How each text that this was read from is written.
    pub written: Vec<(SourceId, Syntax)>,
}

impl Program {
    /// How the text at `span` is written; as Datalog if it stands in none.
    pub fn syntax_at(&self, span: Span) -> Syntax {
        let text = self.written.iter().find(|(source, _)| *source == span.source);
        text.map_or(Syntax::Datalog, |(_, syntax)| *syntax)
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items && self.trailing == other.trailing
    }
}
