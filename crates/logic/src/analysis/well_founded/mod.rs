//! Negation through recursion: the well-founded semantics (A. Van Gelder, K. Ross, J. Schlipf, *The well-founded semantics for
//! general logic programs*, JACM 1991), which gives each atom one of three values: true, false, undefined.
//!
//! A program with negative cycles is rewritten to a stratified one with an operator. Every predicate `p` that may have undefined
//! facts gets a second one, `p@possible`, of the facts that are true or undefined; `p` keeps the true ones. A predicate of a negative
//! cycle is derived by the operator from the ground instances of its rules, which ordinary rules derive:
//!
//! ```text
//! win(X) :- move(X, Y) & ~win(Y).
//!
//! win@envelope(X) :- move(X, Y).      % negation within the cycle left out
//! win, win@possible: the operator, over the instances win(X) :- ~win(Y) for each move(X, Y)
//! ```
//!
//! Above such predicates two versions of a rule are enough, because what reads them is stratified: true facts follow from true
//! facts and from what is not possible, possible facts from possible ones and from what is not true.
//!
//! * `rewrite`: the rewriting.

mod rewrite;

pub use rewrite::{rewritten, undefinable};

use super::body::Body;
use super::clause::{Aggregation, Clause, Goal, Literal};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Predicate, Purpose};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The knowledge of a program about predicates that may have undefined facts, besides its rules; empty unless a program with negative cycles
/// was [rewritten].
#[derive(Clone, Debug, Default)]
pub struct ThreeValued {
    /// The components with negative cycles, each derived as a whole.
    pub components: Vec<NegativeComponent>,
    /// Predicates of which aggregates need that no fact is undefined.
    pub decided: Vec<Decided>,
    /// By predicate that may have undefined facts: the predicate of its facts that are true or undefined.
    pub possible: IndexMap<Predicate, Predicate, FxBuildHasher>,
}

/// Predicates that depend on each other through negation. No rule has one of them as its head: they are derived from ground
/// instances, which are rows of other predicates.
#[derive(Clone, Debug)]
pub struct NegativeComponent {
    /// The predicates, at least one.
    pub predicates: Vec<Founded>,
    /// The rules that ground instances are of.
    pub instances: Vec<GroundedRule>,
}

/// A predicate of a component with negative cycles.
#[derive(Clone, Debug)]
pub struct Founded {
    /// The predicate, of which the true facts are derived.
    pub predicate: Predicate,
    /// The predicate of its true and undefined facts.
    pub possible: Predicate,
    /// The predicate of its given facts.
    pub given: Predicate,
    /// The rule `predicate(X..) :- envelope(X..)`. The facts of the envelope are all heads of instances.
    pub bound: Clause,
}

/// The ground instances of one rule.
#[derive(Clone, Debug)]
pub struct GroundedRule {
    /// An atom over variables; each of its rows is an instance.
    pub rows: Atom,
    /// The head.
    pub head: Atom,
    /// The positive literals of the component.
    pub positive: Vec<Atom>,
    /// The negative literals of the component.
    pub negative: Vec<Atom>,
    /// Literals of earlier strata, without variables of their own. If one does not hold, the body is undefined at best.
    pub certain: Vec<Literal>,
    /// The rule as written; `None` for given facts, and for what a negation says of its own variables.
    pub written: Option<Clause>,
}

/// A copy of a predicate's true facts, which there is if the predicate has no undefined ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The predicate.
    pub predicate: Predicate,
    /// The predicate of its true and undefined facts.
    pub possible: Predicate,
    /// The copy, which no rule has as its head.
    pub copy: Predicate,
    /// The predicate as written that its undefined facts come from.
    pub over: Predicate,
    /// The place of the first aggregate that needs it.
    pub span: Span,
}

/// A literal with the predicates that the rewriting has replaced in it.
pub fn written(literal: &Literal) -> Literal {
    let restored = |atom: &Atom| match atom.predicate.purpose() {
        Some(Purpose::Possible(of) | Purpose::Decided(of)) => Atom { predicate: of.name.clone(), ..atom.clone() },
        _ => atom.clone(),
    };
    match literal {
        Literal::Positive(atom) => Literal::Positive(restored(atom)),
        Literal::Negative(atom) => Literal::Negative(restored(atom)),
        Literal::Aggregate(aggregation) => {
            Literal::Aggregate(Aggregation { atom: restored(&aggregation.atom), ..aggregation.clone() })
        }
        literal => literal.clone(),
    }
}

impl Founded {
    /// The predicate of the heads of instances.
    pub fn envelope(&self) -> Predicate {
        self.bound.body.iter().find_map(Literal::atom).map_or_else(|| self.predicate.clone(), Atom::signature)
    }
}

impl NegativeComponent {
    /// The predicates that it derives.
    pub fn derived(&self) -> impl Iterator<Item = &Predicate> {
        self.predicates.iter().flat_map(|founded| [&founded.predicate, &founded.possible])
    }

    /// The predicates of earlier strata that it reads, some of them several times.
    pub fn read(&self) -> impl Iterator<Item = Predicate> + '_ {
        let envelopes = self.predicates.iter().map(Founded::envelope);
        let certain = |instances: &GroundedRule| {
            let atoms = instances.certain.iter().filter_map(Literal::atom).map(Atom::signature);
            atoms.chain([instances.rows.signature()]).collect::<Vec<_>>()
        };
        envelopes.chain(self.instances.iter().flat_map(certain))
    }
}

impl ThreeValued {
    /// Whether no predicate can have undefined facts.
    pub fn is_empty(&self) -> bool {
        self.possible.is_empty()
    }

    /// The predicates that no rule derives, each group with those that it is derived from.
    pub fn derivations(&self) -> impl Iterator<Item = (Vec<&Predicate>, Vec<Predicate>)> {
        let components =
            self.components.iter().map(|component| (component.derived().collect(), component.read().collect()));
        let decided = self
            .decided
            .iter()
            .map(|decided| (vec![&decided.copy], vec![decided.predicate.clone(), decided.possible.clone()]));
        components.chain(decided)
    }

    /// By predicate of a component: the predicate that holds its given facts.
    pub fn given_as(&self) -> FxHashMap<Predicate, Predicate> {
        let founded = self.components.iter().flat_map(|component| &component.predicates);
        founded.map(|founded| (founded.predicate.clone(), founded.given.clone())).collect()
    }

    /// The number of the component of a predicate; `None` if rules derive it.
    pub fn component_of(&self, predicate: &Predicate) -> Option<usize> {
        self.components.iter().position(|component| component.predicates.iter().any(|one| one.predicate == *predicate))
    }

    /// Keeps what derives one of these predicates.
    pub fn retain(&mut self, relevant: &FxHashSet<Predicate>) {
        self.components.retain(|component| component.derived().any(|predicate| relevant.contains(predicate)));
        self.decided.retain(|decided| relevant.contains(&decided.copy));
    }

    /// The condition that a literal is true.
    pub fn certain(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Negative(atom) => Literal::Negative(self.possible_atom(atom)),
            Literal::Aggregate(aggregation) => Literal::Aggregate(self.decided_tuples(aggregation)),
            literal => literal.clone(),
        }
    }

    /// The condition that a literal is true or undefined.
    pub fn possible(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.possible_atom(atom)),
            Literal::Aggregate(aggregation) => Literal::Aggregate(self.decided_tuples(aggregation)),
            literal => literal.clone(),
        }
    }

    /// Whether a literal reads a predicate that may have undefined facts.
    pub fn may_be_undefined(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => self.possible.contains_key(&atom.signature()),
            _ => false,
        }
    }

    /// The goal whose answers are the true answers of a goal.
    pub fn certain_goal(&self, goal: &Goal) -> Goal {
        Goal { body: self.map(&goal.body, Self::certain), ..goal.clone() }
    }

    /// The goal whose answers are the true and the undefined answers of a goal.
    pub fn possible_goal(&self, goal: &Goal) -> Goal {
        Goal { body: self.map(&goal.body, Self::possible), ..goal.clone() }
    }

    fn map(&self, body: &Body, change: impl Fn(&Self, &Literal) -> Literal) -> Body {
        body.iter().map(|literal| change(self, literal)).collect()
    }

    fn possible_atom(&self, atom: &Atom) -> Atom {
        match self.possible.get(&atom.signature()) {
            Some(possible) => Atom { predicate: possible.name.clone(), ..atom.clone() },
            None => atom.clone(),
        }
    }

    fn decided_tuples(&self, aggregation: &Aggregation) -> Aggregation {
        let tuples = aggregation.atom.signature();
        match self.decided.iter().find(|decided| decided.predicate == tuples) {
            Some(decided) => {
                let atom = Atom { predicate: decided.copy.name.clone(), ..aggregation.atom.clone() };
                Aggregation { atom, ..aggregation.clone() }
            }
            None => aggregation.clone(),
        }
    }
}
