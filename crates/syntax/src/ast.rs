//! The abstract syntax that both surfaces share.
//!
//! A [`Program`] is a list of [`Item`]s: rules (a fact is a rule without a body), transition rules and queries, each
//! with the comments that stand before it. Equality ignores [`Span`]s: two programs are equal when they say the same.

mod operation;
mod types;

pub use super::float::Float;
pub use super::predicate::{ArgumentClass, LoweredSubject, Predicate, PredicateName, Purpose, pattern_text};
pub use operation::Operation;
pub use types::{ColumnType, ColumnTypes, TypeDefinition, TypeDefinitions, TypeValues, nearest};

use super::Syntax;
use crate::diagnostic::{Code, Diagnostic, Severity, SourceId, Span};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A symbol, functor or variable name, or a predicate's as written. Case has been settled by the parser.
pub type Name = Arc<str>;

/// A term. Lists are `cons(head, tail)` and `nil`. A compound without arguments, `(f)` in `.kif`, is not the symbol
/// `f`: other GDL systems tell them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable; the name is the same in both syntaxes.
    Variable(Name),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(Float),
    /// A constant that is no number.
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
    #[inline]
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => true,
            Term::Compound(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// The depth to which compounds nest in it: 0 if it is none.
    pub fn depth(&self) -> usize {
        match self {
            Term::Compound(_, args) => 1 + args.iter().map(Term::depth).max().unwrap_or_default(),
            _ => 0,
        }
    }

    /// Whether it is written so that its value, if it has one, is a float: as one, or as arithmetic of such a term.
    pub fn makes_float(&self) -> bool {
        match self {
            Term::Variable(_) | Term::Integer(_) | Term::Symbol(_) => false,
            Term::Float(_) => true,
            Term::Compound(functor, args) => match Operation::of(functor, args.len()) {
                Some(operation) if operation.makes_floats() => true,
                Some(operation) if operation.is_of_floats() && !operation.rounds() => {
                    args.iter().any(Term::makes_float)
                }
                _ => false,
            },
        }
    }

    /// Calls `visit` with every variable occurrence, left to right.
    pub fn for_each_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        match self {
            Term::Variable(name) => visit(name),
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => {}
            Term::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_variable(visit)),
        }
    }

    /// The term with every variable replaced that `value` knows.
    pub fn replace_variables(&self, value: &mut impl FnMut(&Name) -> Option<Term>) -> Term {
        match self {
            Term::Variable(name) => value(name).unwrap_or_else(|| self.clone()),
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => self.clone(),
            Term::Compound(functor, args) => {
                Term::Compound(functor.clone(), args.iter().map(|arg| arg.replace_variables(value)).collect())
            }
        }
    }
}

/// A predicate applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The predicate's name.
    pub predicate: PredicateName,
    /// The arguments.
    pub args: Vec<Term>,
    /// The place in the source; equality ignores it.
    pub span: Span,
}

impl Atom {
    /// An atom that stands in no source.
    pub fn new(predicate: impl Into<PredicateName>, args: Vec<Term>) -> Self {
        Self { predicate: predicate.into(), args, span: Span::NONE }
    }

    /// The predicate with its arity.
    #[inline]
    pub fn signature(&self) -> Predicate {
        Predicate { name: self.predicate.clone(), arity: self.args.len() }
    }

    /// Whether there is no variable in it.
    #[inline]
    pub fn is_ground(&self) -> bool {
        self.args.iter().all(Term::is_ground)
    }
}

impl Atom {
    /// `choice(X, Z; Y)`: the condition that chooses a binding of the values for each of the keys.
    pub fn choice(keys: Vec<Term>, values: Vec<Term>, span: Span) -> Self {
        let predicate = Purpose::Choice { keys: keys.len() }.into();
        Self { predicate, args: keys.into_iter().chain(values).collect(), span }
    }

    /// The keys and the values of a choice; `None` of any other atom.
    pub fn as_choice(&self) -> Option<(&[Term], &[Term])> {
        match self.predicate.purpose() {
            Some(Purpose::Choice { keys }) => Some(self.args.split_at(*keys)),
            _ => None,
        }
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

/// An operator of comparison. The orderings, `SameValue` and `OtherValue` relate two integers, two floats or two symbols that their
/// sides compute, `Matches` two symbols; `Equal` and `NotEqual` take any terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `X is E`: the left side equals the number or symbol that `E` computes.
    Is,
    /// `=`
    Equal,
    /// `!=`, GDL's `distinct`.
    NotEqual,
    /// `=:=`: both sides compute the same.
    SameValue,
    /// `=\=`: both sides compute something, and not the same.
    OtherValue,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `matches(S, P)`: the whole symbol on the left is one of the regular expression on the right. It is read as an atom;
    /// analysis tells it from a predicate of that name.
    Matches,
}

impl Comparator {
    /// Whether the comparator relates numbers by their order.
    pub fn orders(self) -> bool {
        use Comparator::*;
        matches!(self, Less | LessOrEqual | Greater | GreaterOrEqual)
    }

    /// Whether the comparator computes a compound of this functor and arity.
    pub fn computes(self, functor: &str, arity: usize) -> bool {
        let compares_terms = matches!(self, Comparator::Equal | Comparator::NotEqual);
        Operation::of(functor, arity).is_some_and(|operation| operation.is_operator() || !compares_terms)
    }
}

/// A comparison. Compounds of an [`Operation`] compute on either side, functions not under `=` and `!=`.
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

/// `X in 1..9`: the element is one of the integers from the first bound to the last. The bounds compute.
#[derive(Clone, Debug)]
pub struct Range {
    /// A variable or an integer.
    pub element: Term,
    /// The first bound.
    pub from: Term,
    /// The last bound. With one below the first, there are no elements.
    pub to: Term,
    /// The place in the source; equality ignores it.
    pub span: Span,
}

impl PartialEq for Range {
    fn eq(&self, other: &Self) -> bool {
        self.element == other.element && self.from == other.from && self.to == other.to
    }
}

impl Eq for Range {}

/// The function that an aggregate computes of a set of tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AggregateFunction {
    /// The number of tuples.
    Count,
    /// The sum of their first terms.
    Sum,
    /// The least of their first terms.
    Minimum,
    /// The greatest of their first terms.
    Maximum,
    /// The mean of their first terms, of integers rounded towards negative infinity.
    Average,
    /// The bits that one of their first terms has, which are integers: a set of the numbers from 0 to 62, as bits.
    Union,
}

impl AggregateFunction {
    /// All functions with their names.
    pub const ALL: [(AggregateFunction, &str); 6] = [
        (AggregateFunction::Count, "count"),
        (AggregateFunction::Sum, "sum"),
        (AggregateFunction::Minimum, "min"),
        (AggregateFunction::Maximum, "max"),
        (AggregateFunction::Average, "avg"),
        (AggregateFunction::Union, "union"),
    ];

    /// The function of this name; `None` if there is none.
    pub fn of(name: &str) -> Option<AggregateFunction> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(function, _)| function)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(other, _)| *other == self).map_or("", |(_, name)| name)
    }

    /// The name of the function for which other languages have this name, in small letters or capitals; `None` for the name of a
    /// [function](AggregateFunction::of).
    pub fn named_elsewhere(name: &str) -> Option<&'static str> {
        Some(match &*name.to_ascii_lowercase() {
            "average" | "mean" => "avg",
            "total" => "sum",
            "minimum" => "min",
            "maximum" => "max",
            "number" | "cardinality" | "size" => "count",
            _ => return None,
        })
    }

    /// Whether the value is one of the first terms; the value of any other function is a number.
    pub fn chooses(self) -> bool {
        matches!(self, AggregateFunction::Minimum | AggregateFunction::Maximum)
    }

    /// Whether a lattice column may join its values by it.
    pub fn joins(self) -> bool {
        self.chooses() || self == AggregateFunction::Union
    }

    /// Whether there is a value of no tuples, which is 0.
    pub fn has_value_of_nothing(self) -> bool {
        matches!(self, AggregateFunction::Count | AggregateFunction::Sum | AggregateFunction::Union)
    }
}

/// `N = count { X, Y : p(X, Y) }`: a function of the set of tuples for which a body holds.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The term that the value is compared with; a variable is bound to it.
    pub result: Term,
    /// The function.
    pub function: AggregateFunction,
    /// The terms of a tuple, one at least.
    pub template: Vec<Term>,
    /// The conditions, all of which must hold of a tuple.
    pub body: Vec<Formula>,
    /// The place in the source; equality ignores it.
    pub span: Span,
}

impl Aggregate {
    /// Calls `visit` with every variable occurrence within the braces, left to right.
    pub fn for_each_inner_variable<'a>(&'a self, visit: &mut impl FnMut(&'a Name)) {
        self.template.iter().for_each(|term| term.for_each_variable(visit));
        self.body.iter().for_each(|formula| formula.for_each_variable(visit));
    }
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Self) -> bool {
        (&self.result, self.function, &self.template, &self.body)
            == (&other.result, other.function, &other.template, &other.body)
    }
}

impl Eq for Aggregate {}

/// A body formula as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// An atom holds.
    Atom(Atom),
    /// A comparison holds.
    Compare(Comparison),
    /// An integer is in a range.
    Range(Range),
    /// A term is the value of an aggregate.
    Aggregate(Aggregate),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// All of them hold.
    And(Vec<Formula>),
    /// One of them holds.
    Or(Vec<Formula>),
}

impl Formula {
    /// Calls `visit` with every variable occurrence, those within aggregates included, left to right.
    pub fn for_each_variable<'a, V: FnMut(&'a Name)>(&'a self, visit: &mut V) {
        match self {
            Formula::Atom(atom) => atom.args.iter().for_each(|arg| arg.for_each_variable(visit)),
            Formula::Compare(comparison) => {
                comparison.left.for_each_variable(visit);
                comparison.right.for_each_variable(visit);
            }
            Formula::Range(range) => {
                [&range.element, &range.from, &range.to].into_iter().for_each(|term| term.for_each_variable(visit));
            }
            Formula::Aggregate(aggregate) => {
                aggregate.result.for_each_variable(visit);
                aggregate.for_each_inner_variable(visit);
            }
            Formula::Not(inner) => inner.for_each_variable(visit),
            Formula::And(list) | Formula::Or(list) => list.iter().for_each(|part| part.for_each_variable(visit)),
        }
    }

    /// Whether one of the terms that stand in it, as a whole, is such.
    pub fn any_term(&self, is_such: &dyn Fn(&Term) -> bool) -> bool {
        match self {
            Formula::Atom(atom) => atom.args.iter().any(is_such),
            Formula::Compare(comparison) => is_such(&comparison.left) || is_such(&comparison.right),
            Formula::Range(range) => [&range.element, &range.from, &range.to].into_iter().any(is_such),
            Formula::Aggregate(aggregate) => {
                is_such(&aggregate.result)
                    || aggregate.template.iter().any(is_such)
                    || aggregate.body.iter().any(|inner| inner.any_term(is_such))
            }
            Formula::Not(inner) => inner.any_term(is_such),
            Formula::And(list) | Formula::Or(list) => list.iter().any(|inner| inner.any_term(is_such)),
        }
    }

    /// The place in the source.
    pub fn span(&self) -> Span {
        match self {
            Formula::Atom(atom) => atom.span,
            Formula::Compare(comparison) => comparison.span,
            Formula::Range(range) => range.span,
            Formula::Aggregate(aggregate) => aggregate.span,
            Formula::Not(inner) => inner.span(),
            Formula::And(list) | Formula::Or(list) => list.iter().map(Formula::span).fold(Span::NONE, Span::to),
        }
    }
}

/// `dist(Y, min D)`: the lattice column of a predicate. Of all facts that agree in the other columns the one with the best
/// value holds; with `union B` the one with the bits of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// The number of the column, from 0 on.
    pub column: usize,
    /// The join of its values.
    pub join: Join,
}

/// The join of the values of a lattice column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Join {
    /// By a function that [joins](AggregateFunction::joins).
    Function(AggregateFunction),
    /// `best(above) V`: by the atom `above(A, B)`, which says that `A` is better than `B`.
    Order(Box<Atom>),
}

impl Join {
    /// The name of joins by order.
    pub const BEST: &str = "best";

    /// The join by the predicate of this name, which stands at `span`.
    pub fn by(predicate: Name, span: Span) -> Join {
        let args = ["Better", "Worse"].map(Term::variable).into();
        Join::Order(Box::new(Atom { predicate: predicate.into(), args, span }))
    }

    /// The atom by which values are ordered; `None` of a function.
    pub fn order(&self) -> Option<&Atom> {
        match self {
            Join::Function(_) => None,
            Join::Order(order) => Some(order),
        }
    }
}

impl fmt::Display for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Join::Function(function) => f.write_str(function.name()),
            Join::Order(order) => write!(f, "{}({})", Join::BEST, order.predicate),
        }
    }
}

/// `head :- body`; a fact when the body is empty. The body is a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The atom that the rule derives.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// The lattice column of the head.
    pub lattice: Option<Lattice>,
}

impl Rule {
    /// A rule whose head has no lattice column.
    pub fn new(head: Atom, body: Vec<Formula>) -> Self {
        Rule { head, body, lattice: None }
    }

    /// The atom by which the values of its lattice column are ordered.
    pub fn order(&self) -> Option<&Atom> {
        self.lattice.as_ref()?.join.order()
    }

    pub(crate) fn order_mut(&mut self) -> Option<&mut Atom> {
        match &mut self.lattice.as_mut()?.join {
            Join::Function(_) => None,
            Join::Order(order) => Some(order),
        }
    }
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
    /// A constraint: a rule without a head, whose conditions must never hold together.
    Constraint(Query),
    /// Another rule file to be read as if it stood here, once; the path is relative to the file that names it.
    Include(Name),
    /// Another rule file, with predicates renamed and all other names kept apart.
    Use(Use),
    /// The facts of a predicate, in a table.
    Input(InputTable),
    /// A predicate whose facts are the result, whatever the number of its arguments.
    Output(Name),
    /// The types of the columns of a predicate.
    Type(ColumnTypes),
    /// A type of the program's own.
    Define(TypeDefinition),
}

/// `:- use('closure.dl', edge = link)`: the rules of a file under other names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The path, relative to the file that names it.
    pub path: Name,
    /// Predicates of that file, each with its name outside of it.
    pub renamed: Vec<(Name, Name)>,
}

/// A table that a rule file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputTable {
    /// The predicate of its facts.
    pub predicate: Name,
    /// The path, relative to the file that names it.
    pub path: Name,
    /// Whether its first row is a header.
    pub header: bool,
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

impl Item {
    /// A fact without comments.
    pub fn fact(head: Atom) -> Self {
        let span = head.span;
        Item { comments: Vec::new(), statement: Statement::Rule(Rule::new(head, Vec::new())), span }
    }
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
    /// The warnings and notes that a text allows in itself, by comments as `% ludolog: allow singleton-variable`.
    pub allowed: Vec<(SourceId, Code)>,
    /// The seed of functional choices; 0 chooses the first ones in the order of output.
    pub seed: u64,
    /// Whether recursion that is not seen to end is warned of only: whoever runs the program limits its facts.
    pub may_grow: bool,
}

impl Program {
    /// Whether the diagnostic is a warning or note that the text of its main place allows.
    pub fn allows(&self, diagnostic: &Diagnostic) -> bool {
        let source = diagnostic.labels.first().map(|label| label.span.source);
        let is_allowed = |(text, code): &(SourceId, Code)| Some(*text) == source && *code == diagnostic.code;
        diagnostic.severity != Severity::Error && self.allowed.iter().any(is_allowed)
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
