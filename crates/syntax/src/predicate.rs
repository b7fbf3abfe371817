//! Names of predicates: written by the user, or made by a pass for a purpose.
//!
//! A text may say any name, `count@1` and `p@bf` included, and still never means a predicate that a pass has made: the
//! two are variants of one type. Whoever needs the origin of a made predicate matches its [`Purpose`]; no text is taken
//! apart.

use crate::ast::{AggregateFunction, Name, Term};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The name of a predicate. Clones share their text. Names are ordered by their texts, and hashed as these.
#[derive(Clone, PartialEq, Eq)]
pub enum PredicateName {
    /// A name in a text, whatever it says.
    Written(Name),
    /// A name that a pass has made.
    Auxiliary(Arc<Auxiliary>),
}

/// The name of a predicate that a pass has made.
pub struct Auxiliary {
    purpose: Purpose,
    text: Box<str>,
}

impl PartialEq for Auxiliary {
    fn eq(&self, other: &Self) -> bool {
        self.purpose == other.purpose
    }
}

impl Eq for Auxiliary {}

/// The purpose of a predicate that a pass has made, with all that tells it from others of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// `win@1`: a definition that lowering adds for a statement.
    Definition {
        /// The subject of the definition.
        of: LoweredSubject,
        /// The number of the definition in its program.
        number: usize,
    },
    /// `goal@_,100`: the facts of a predicate whose arguments are of these classes.
    Class {
        /// The predicate.
        of: PredicateName,
        /// The class of each argument.
        classes: Vec<ArgumentClass>,
    },
    /// `p@split1`: a part of a body, projected.
    Split {
        /// The head of the rule that was split first.
        of: PredicateName,
        /// The number of the part in its program.
        number: usize,
    },
    /// `p@key1`: a subgoal with a value that is computed of it.
    Key {
        /// The head of the rule from which it was taken.
        of: PredicateName,
        /// The number of the subgoal in its program.
        number: usize,
    },
    /// `group@count@1`: the groups for which the tuples of an aggregate are asked.
    Group(Predicate),
    /// `p@closure`: a predicate with its columns in the order of a closure.
    Closure(PredicateName),
    /// `p@base`: the base of the closure of a predicate.
    Base(PredicateName),
    /// `p@step`: the step of the closure of a predicate.
    Step(PredicateName),
    /// `p@bf`: the facts of a predicate that are demanded.
    Demanded {
        /// The predicate.
        of: Predicate,
        /// The arguments that are bound: bit `i` for argument `i`.
        pattern: u64,
    },
    /// `demand@p@bf`: the bindings for which facts of a predicate are demanded.
    Demand {
        /// The predicate.
        of: Predicate,
        /// The arguments that are bound: bit `i` for argument `i`.
        pattern: u64,
    },
    /// `answer@`: the answers of a goal.
    Answer,
    /// `asked@`: all that a game machine asks for.
    Asked,
    /// `fired@`: the instances of a transition rule.
    Fired,
    /// `step@3`: a predicate without the arguments that nobody reads.
    Read(Predicate),
    /// `some@4@1`: the projection of a negated subgoal.
    Projection {
        /// The number of the rule.
        rule: usize,
        /// The place of the subgoal in the rule's body.
        place: usize,
    },
    /// `list@4@1`: the lists that a `member` looks into, and their ends.
    Lists {
        /// The number of the rule.
        rule: usize,
        /// The place of the `member` in the rule's body.
        place: usize,
    },
    /// `element@4@1`: the elements of those lists.
    Element {
        /// The number of the rule.
        rule: usize,
        /// The place of the `member` in the rule's body.
        place: usize,
    },
    /// `tested@4@1`: the tuples of an aggregate that pass its tests.
    Tested {
        /// The number of the rule.
        rule: usize,
        /// The place of the aggregate in the rule's body.
        place: usize,
    },
    /// `part@7`: the literals that variables are eliminated with, by number.
    Eliminated(usize),
    /// `win@possible`: the facts of a predicate that are true or undefined.
    Possible(Predicate),
    /// `win@given`: the given facts of a predicate that no rule derives.
    Given(Predicate),
    /// `win@envelope`: the facts of a predicate if the negations that depend on it hold.
    Envelope(Predicate),
    /// `count@1@decided`: the facts of a predicate that has no undefined ones.
    Decided(Predicate),
    /// `instance@2`: the instances of a rule, by number.
    Instance(usize),
    /// `choice(X; Y)`: a condition that chooses, of the arguments behind these many, one for each binding of those before.
    Choice {
        /// The number of arguments that another one is chosen for.
        keys: usize,
    },
    /// `candidate@2`: the bindings that a rule chooses from.
    Candidate {
        /// The head of the rule.
        of: PredicateName,
        /// The number of the rule among those that choose.
        number: usize,
    },
    /// `choice@2`: the bindings that a rule has chosen.
    Chosen {
        /// The head of the rule.
        of: PredicateName,
        /// The number of the rule among those that choose.
        number: usize,
    },
    /// `step@use3`: a predicate of a used file that nothing outside of it means.
    Private {
        /// Its name in the file.
        of: Name,
        /// The number of the use in its program.
        used: usize,
    },
}

/// The subject of a definition that lowering adds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoweredSubject {
    /// A rule for this predicate.
    Rule(PredicateName),
    /// An aggregate.
    Aggregate(AggregateFunction),
    /// A query or goal.
    Query,
    /// A transition rule.
    Transition,
}

/// The class of an argument by which a predicate is split.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArgumentClass {
    /// `_`: any term.
    Any,
    /// This constant.
    Constant(Term),
    /// `*`: any term but the constants of the other classes.
    Other,
}

impl PredicateName {
    /// The name as a text says it; `None` if a pass has made it.
    pub fn written(&self) -> Option<&str> {
        match self {
            PredicateName::Written(name) => Some(name),
            PredicateName::Auxiliary(_) => None,
        }
    }

    /// The purpose for which a pass has made it; `None` if it is written.
    pub fn purpose(&self) -> Option<&Purpose> {
        match self {
            PredicateName::Written(_) => None,
            PredicateName::Auxiliary(made) => Some(&made.purpose),
        }
    }

    /// The predicate of the program that it is made of; the name itself if it is made of none.
    pub fn origin(&self) -> &PredicateName {
        match self.purpose() {
            Some(
                Purpose::Definition { of: LoweredSubject::Rule(of), .. }
                | Purpose::Class { of, .. }
                | Purpose::Split { of, .. }
                | Purpose::Key { of, .. }
                | Purpose::Group(Predicate { name: of, .. })
                | Purpose::Closure(of)
                | Purpose::Base(of)
                | Purpose::Step(of)
                | Purpose::Demanded { of: Predicate { name: of, .. }, .. }
                | Purpose::Demand { of: Predicate { name: of, .. }, .. }
                | Purpose::Read(Predicate { name: of, .. })
                | Purpose::Possible(Predicate { name: of, .. })
                | Purpose::Given(Predicate { name: of, .. })
                | Purpose::Envelope(Predicate { name: of, .. })
                | Purpose::Decided(Predicate { name: of, .. })
                | Purpose::Candidate { of, .. }
                | Purpose::Chosen { of, .. },
            ) => of.origin(),
            _ => self,
        }
    }

    /// The text that is shown. Different names may have the same.
    #[inline]
    pub fn text(&self) -> &str {
        match self {
            PredicateName::Written(name) => name,
            PredicateName::Auxiliary(made) => &made.text,
        }
    }
}

impl From<Purpose> for PredicateName {
    fn from(purpose: Purpose) -> Self {
        let text = purpose.to_string().into();
        PredicateName::Auxiliary(Arc::new(Auxiliary { purpose, text }))
    }
}

impl From<Name> for PredicateName {
    fn from(name: Name) -> Self {
        PredicateName::Written(name)
    }
}

impl From<&Name> for PredicateName {
    fn from(name: &Name) -> Self {
        PredicateName::Written(name.clone())
    }
}

impl From<&str> for PredicateName {
    fn from(name: &str) -> Self {
        PredicateName::Written(name.into())
    }
}

impl From<&String> for PredicateName {
    fn from(name: &String) -> Self {
        name.as_str().into()
    }
}

impl From<&PredicateName> for PredicateName {
    fn from(name: &PredicateName) -> Self {
        name.clone()
    }
}

/// Whether the name is written so.
impl PartialEq<str> for PredicateName {
    fn eq(&self, other: &str) -> bool {
        self.written() == Some(other)
    }
}

/// Whether the name is written so.
impl PartialEq<&str> for PredicateName {
    fn eq(&self, other: &&str) -> bool {
        self.written() == Some(other)
    }
}

impl Hash for PredicateName {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl PartialOrd for PredicateName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PredicateName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text().cmp(other.text()).then_with(|| self.purpose().cmp(&other.purpose()))
    }
}

impl fmt::Display for PredicateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for PredicateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text(), f)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Purpose::Definition { of, number } => write!(f, "{of}@{number}"),
            Purpose::Class { of, classes } => {
                write!(f, "{of}@")?;
                for (i, class) in classes.iter().enumerate() {
                    write!(f, "{}{class}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Purpose::Split { of, number } => write!(f, "{of}@split{number}"),
            Purpose::Key { of, number } => write!(f, "{of}@key{number}"),
            Purpose::Group(of) => write!(f, "group@{}", of.name),
            Purpose::Closure(of) => write!(f, "{of}@closure"),
            Purpose::Base(of) => write!(f, "{of}@base"),
            Purpose::Step(of) => write!(f, "{of}@step"),
            Purpose::Demanded { of, pattern } => write!(f, "{}@{}", of.name, pattern_text(*pattern, of.arity)),
            Purpose::Demand { of, pattern } => write!(f, "demand@{}@{}", of.name, pattern_text(*pattern, of.arity)),
            Purpose::Answer => write!(f, "answer@"),
            Purpose::Asked => write!(f, "asked@"),
            Purpose::Fired => write!(f, "fired@"),
            Purpose::Read(of) => write!(f, "{}@{}", of.name, of.arity),
            Purpose::Projection { rule, place } => write!(f, "some@{rule}@{place}"),
            Purpose::Lists { rule, place } => write!(f, "list@{rule}@{place}"),
            Purpose::Element { rule, place } => write!(f, "element@{rule}@{place}"),
            Purpose::Tested { rule, place } => write!(f, "tested@{rule}@{place}"),
            Purpose::Eliminated(number) => write!(f, "part@{number}"),
            Purpose::Possible(of) => write!(f, "{}@possible", of.name),
            Purpose::Given(of) => write!(f, "{}@given", of.name),
            Purpose::Envelope(of) => write!(f, "{}@envelope", of.name),
            Purpose::Decided(of) => write!(f, "{}@decided", of.name),
            Purpose::Instance(number) => write!(f, "instance@{number}"),
            Purpose::Choice { .. } => write!(f, "choice"),
            Purpose::Candidate { number, .. } => write!(f, "candidate@{number}"),
            Purpose::Chosen { number, .. } => write!(f, "choice@{number}"),
            Purpose::Private { of, used } => write!(f, "{of}@use{used}"),
        }
    }
}

impl fmt::Display for LoweredSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoweredSubject::Rule(head) => write!(f, "{head}"),
            LoweredSubject::Aggregate(function) => write!(f, "{}", function.name()),
            LoweredSubject::Query => write!(f, "query"),
            LoweredSubject::Transition => write!(f, "transition"),
        }
    }
}

impl fmt::Display for ArgumentClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentClass::Any => write!(f, "_"),
            ArgumentClass::Constant(Term::Symbol(name)) => write!(f, "{name}"),
            ArgumentClass::Constant(constant) => write!(f, "{constant}"),
            ArgumentClass::Other => write!(f, "*"),
        }
    }
}

/// A binding pattern in words: `b` for each argument that is bound, `f` for each that is free.
pub fn pattern_text(pattern: u64, arity: usize) -> String {
    (0..arity).map(|i| if i < 64 && pattern >> i & 1 == 1 { 'b' } else { 'f' }).collect()
}

/// A predicate with its arity, as in `adjacent/2`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate {
    /// The name.
    pub name: PredicateName,
    /// The number of arguments.
    pub arity: usize,
}

impl Predicate {
    /// The predicate of this name and arity.
    pub fn new(name: impl Into<PredicateName>, arity: usize) -> Self {
        Self { name: name.into(), arity }
    }

    /// Whether a pass has made this predicate. Answers leave it out.
    pub fn is_auxiliary(&self) -> bool {
        self.name.purpose().is_some()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_written_name_is_a_made_one() {
        let p = Predicate::new("p", 2);
        for purpose in [
            Purpose::Answer,
            Purpose::Definition { of: LoweredSubject::Aggregate(AggregateFunction::Count), number: 1 },
            Purpose::Definition { of: LoweredSubject::Rule("count".into()), number: 1 },
            Purpose::Demanded { of: p.clone(), pattern: 1 },
            Purpose::Demand { of: p, pattern: 1 },
            Purpose::Class { of: "goal".into(), classes: vec![ArgumentClass::Any, ArgumentClass::Other] },
        ] {
            let made = PredicateName::from(purpose.clone());
            let written = PredicateName::from(made.text());
            assert_ne!(made, written);
            assert_ne!(made.cmp(&written), Ordering::Equal);
            assert!(made != *written.text() && made == PredicateName::from(purpose));
        }
    }

    #[test]
    fn made_names_of_one_text_stay_apart() {
        let demand_of = |of: PredicateName| Purpose::Demand { of: Predicate::new(of, 1), pattern: 1 };
        let of_written: PredicateName = demand_of("p@b".into()).into();
        let of_made = Purpose::Demanded { of: Predicate::new("p", 1), pattern: 1 };
        let of_made: PredicateName = demand_of(of_made.into()).into();
        assert_eq!(of_written.text(), of_made.text());
        assert_ne!(of_written, of_made);
        assert_ne!(of_written.cmp(&of_made), Ordering::Equal);
        let constant = |term| vec![ArgumentClass::Constant(term)];
        let of_class = |classes| PredicateName::from(Purpose::Class { of: "p".into(), classes });
        assert_ne!(of_class(constant(Term::Integer(1))), of_class(constant(Term::symbol("1"))));
        assert_ne!(of_class(constant(Term::symbol("_"))), of_class(vec![ArgumentClass::Any]));
    }

    #[test]
    fn a_name_takes_two_words() {
        assert_eq!(size_of::<PredicateName>(), size_of::<Name>());
    }
}
