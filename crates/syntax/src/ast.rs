//! The abstract syntax that both surfaces share.
//!
//! A [`Program`] is a list of [`Item`]s: rules (a fact is a rule without a body), transition rules and queries, each
//! with the comments that stand before it. Equality ignores [`Span`]s: two programs are equal when they say the same.

use super::Syntax;
use crate::diagnostic::{Code, Diagnostic, Severity, SourceId, Span};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A predicate, symbol, functor or variable name. Case has been settled by the parser.
pub type Name = Arc<str>;

/// A term. Lists are `cons(head, tail)` and `nil`. A compound without arguments, `(f)` in `.kif`, is not the symbol `f`:
/// other GDL systems tell them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable; the name is the same in both syntaxes.
    Variable(Name),
    /// An integer.
    Integer(i64),
    /// A constant that is no integer.
    Symbol(Name),
    /// A functor with its arguments.
    Compound(Name, Vec<Term>),
}

impl Term {
    /// The variable of this name.
    pub fn variable(name: &str) -> Term {
        Term::Variable(name.into())
    }

    /// The symbol of this name.
    pub fn symbol(name: &str) -> Term {
        Term::Symbol(name.into())
    }

    /// The functor applied to the arguments.
    pub fn compound(functor: &str, args: Vec<Term>) -> Term {
        Term::Compound(functor.into(), args)
    }

    /// Whether there is no variable in it.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Integer(_) | Term::Symbol(_) => true,
            Term::Compound(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// How deep compounds nest in it: 0 if it is none.
    pub fn depth(&self) -> usize {
        match self {
            Term::Compound(_, args) => 1 + args.iter().map(Term::depth).max().unwrap_or_default(),
            _ => 0,
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

    /// The term with every variable replaced that `value` knows.
    pub fn replace_variables(&self, value: &mut impl FnMut(&Name) -> Option<Term>) -> Term {
        match self {
            Term::Variable(name) => value(name).unwrap_or_else(|| self.clone()),
            Term::Integer(_) | Term::Symbol(_) => self.clone(),
            Term::Compound(functor, args) => {
                Term::Compound(functor.clone(), args.iter().map(|arg| arg.replace_variables(value)).collect())
            }
        }
    }
}

/// A predicate with its arity, as in `adjacent/2`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate {
    /// The name.
    pub name: Name,
    /// The number of arguments.
    pub arity: usize,
}

impl Predicate {
    /// The predicate of this name and arity.
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
    /// The predicate's name.
    pub predicate: Name,
    /// The arguments.
    pub args: Vec<Term>,
    /// The place in the source; equality ignores it.
    pub span: Span,
}

impl Atom {
    /// An atom that stands in no source.
    pub fn new(predicate: &str, args: Vec<Term>) -> Self {
        Self { predicate: predicate.into(), args, span: Span::NONE }
    }

    /// The predicate with its arity.
    pub fn signature(&self) -> Predicate {
        Predicate { name: self.predicate.clone(), arity: self.args.len() }
    }

    /// Whether there is no variable in it.
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

/// An operator of comparison. `Is`, `Equal` and `NotEqual` take any terms, the others only integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `X is E`: the left side equals the integer that `E` computes.
    Is,
    /// `=`
    Equal,
    /// `!=`, GDL's `distinct`.
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A comparison. Compounds `+ - * / mod` of two arguments (and `-` of one) compute on either side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The operator.
    pub comparator: Comparator,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
    /// The place in the source; equality ignores it.
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
    /// An atom holds.
    Atom(Atom),
    /// A comparison holds.
    Compare(Comparison),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// All of them hold.
    And(Vec<Formula>),
    /// One of them holds.
    Or(Vec<Formula>),
}

/// `head :- body`; a fact when the body is empty. The body is a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The atom that the rule derives.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
}

/// A change of the fact set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The fact holds afterwards.
    Add(Atom),
    /// The fact does not hold afterwards, unless another effect adds it.
    Delete(Atom),
}

impl Effect {
    /// The fact that is added or deleted.
    pub fn atom(&self) -> &Atom {
        match self {
            Effect::Add(atom) | Effect::Delete(atom) => atom,
        }
    }
}

/// `conditions ==> effects`. Fires on an event (a ground atom) when its conditions hold in the old state together with
/// that event; then all deletions of all firing rules are made, then all additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The conditions, all of which must hold in the old state.
    pub conditions: Vec<Formula>,
    /// The changes.
    pub effects: Vec<Effect>,
}

/// `?- body.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
}

/// One statement of a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A fact or a rule.
    Rule(Rule),
    /// A transition rule.
    Transition(Transition),
    /// A query.
    Query(Query),
    /// Another rule file to be read as if it stood here, once; the path is relative to the file that names it.
    Include(Name),
}

/// A statement with the comments before it (texts without the comment marks).
#[derive(Clone, Debug)]
pub struct Item {
    /// The comments, one a line.
    pub comments: Vec<String>,
    /// The statement.
    pub statement: Statement,
    /// The place in the source; equality ignores it.
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
    /// The statements in order.
    pub items: Vec<Item>,
    /// Comments after the last item.
    pub trailing: Vec<String>,
    /// The texts that this was read from, with their syntax.
    pub written: Vec<(SourceId, Syntax)>,
    /// The warnings that a text allows in itself, by comments as `% ludolog: allow singleton-variable`.
    pub allowed: Vec<(SourceId, Code)>,
}

impl Program {
    /// Whether the diagnostic is a warning that the text of its main place allows.
    pub fn allows(&self, diagnostic: &Diagnostic) -> bool {
        let source = diagnostic.labels.first().map(|label| label.span.source);
        let is_allowed = |(text, code): &(SourceId, Code)| Some(*text) == source && *code == diagnostic.code;
        diagnostic.severity == Severity::Warning && self.allowed.iter().any(is_allowed)
    }

    /// The syntax of the text at `span`; Datalog if it stands in none.
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
