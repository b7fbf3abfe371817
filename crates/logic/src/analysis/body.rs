//! Bodies: conjunctions whose order is safe by construction.
//!
//! Positive literals bind their variables; `X is E` and `X = T` bind `X` once the other side is bound; `member(X, L)`
//! binds `X` once `L` is. Negative literals and all other comparisons only filter. Rule texts often put filters too
//! early (`(distinct ?a ?b)` before what binds `?b`), and so does whoever takes literals out of a body or puts them
//! into another one. A [`Body`] cannot be made but by placing its literals: one that stands too early, and no other, is
//! moved behind the first one after which all that it needs is bound. Cost: each literal is looked at once for each of
//! its variables.

use super::clause::{Elements, Literal};
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Deref;

/// A range between constants of more elements waits for a subgoal that binds its element: the rows of most are fewer. Which of a
/// shorter range and a subgoal comes first is for the author, and for who counts rows, to say.
const LONGEST_RANGE: i64 = 1000;

/// The literals of a conjunction, in an order in which each finds bound what it needs. Literals that need what nothing
/// binds come last; [`is_safe`](Self::is_safe) tells whether there are any.
///
/// Local to a negation are the variables whose name begins with `_` and that occur nowhere else in the body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Body {
    literals: Vec<Literal>,
    /// The number of literals that find bound what they need.
    placed: usize,
}

impl Body {
    /// Places literals in the order given, as far as it is safe.
    pub fn new(literals: Vec<Literal>) -> Self {
        let locals = locals(&literals);
        Self::with_locals(literals, &locals)
    }

    /// Places literals, with these variables local to the negations that they occur in.
    pub(super) fn with_locals(literals: Vec<Literal>, locals: &FxHashSet<Name>) -> Self {
        let mut order = SafeOrder::new(literals.len());
        let mut open: Vec<Option<Literal>> = literals.into_iter().map(Some).collect();
        let mut literals = Vec::with_capacity(open.len());
        // A range waits for what binds its element. Where that waits for the range, it does not.
        order.awaited = bound_elements(&open);
        order.place_all(&mut open, locals, &mut literals);
        if !order.awaited.is_empty() && literals.len() < open.len() {
            order.awaited.clear();
            order.place_all(&mut open, locals, &mut literals);
        }
        let placed = literals.len();
        literals.extend(open.into_iter().flatten());
        Self { literals, placed }
    }

    /// Whether every literal finds bound what it needs.
    pub fn is_safe(&self) -> bool {
        self.placed == self.literals.len()
    }

    /// Whether the body is safe and binds all variables of a head.
    pub fn is_safe_for(&self, head: &[Term]) -> bool {
        let is_bound = |name: &Name| {
            self.literals.iter().filter(|literal| binds(literal)).any(|literal| {
                let mut occurs = false;
                literal.for_each_variable(&mut |other| occurs |= other == name);
                occurs
            })
        };
        let mut all_bound = true;
        head.iter().for_each(|arg| arg.for_each_variable(&mut |name| all_bound &= is_bound(name)));
        self.is_safe() && all_bound
    }

    /// The literals that need what nothing binds.
    pub fn unsafe_literals(&self) -> &[Literal] {
        &self.literals[self.placed..]
    }

    /// The variables that the body binds, in the order in which it does.
    pub fn bound(&self) -> Vec<Name> {
        bound_by(&self.literals[..self.placed])
    }

    /// Changes each literal, and places all again.
    pub fn change(&mut self, change: impl FnMut(&mut Literal)) {
        let mut literals = std::mem::take(&mut self.literals);
        literals.iter_mut().for_each(change);
        *self = Self::new(literals);
    }

    /// Removes the literals that are not to be kept, and places the others again.
    pub fn retain(&mut self, keep: impl FnMut(&Literal) -> bool) {
        let mut literals = std::mem::take(&mut self.literals);
        literals.retain(keep);
        *self = Self::new(literals);
    }
}

/// The literals in their order.
impl Deref for Body {
    type Target = [Literal];

    fn deref(&self) -> &[Literal] {
        &self.literals
    }
}

impl From<Vec<Literal>> for Body {
    fn from(literals: Vec<Literal>) -> Self {
        Self::new(literals)
    }
}

impl FromIterator<Literal> for Body {
    fn from_iter<I: IntoIterator<Item = Literal>>(literals: I) -> Self {
        Self::new(literals.into_iter().collect())
    }
}

impl IntoIterator for Body {
    type Item = Literal;
    type IntoIter = std::vec::IntoIter<Literal>;

    fn into_iter(self) -> Self::IntoIter {
        self.literals.into_iter()
    }
}

impl<'a> IntoIterator for &'a Body {
    type Item = &'a Literal;
    type IntoIter = std::slice::Iter<'a, Literal>;

    fn into_iter(self) -> Self::IntoIter {
        self.literals.iter()
    }
}

/// The variables that literals in a safe order bind, in the order in which they do.
pub fn bound_by(literals: &[Literal]) -> Vec<Name> {
    let mut seen = FxHashSet::default();
    let mut bound = Vec::new();
    for literal in literals.iter().filter(|literal| binds(literal)) {
        literal.for_each_variable(&mut |name| {
            if seen.insert(name.clone()) {
                bound.push(name.clone());
            }
        });
    }
    bound
}

/// Whether variables of the literal are bound after it.
fn binds(literal: &Literal) -> bool {
    match literal {
        Literal::Positive(_) | Literal::Compare(_) | Literal::Aggregate(_) => true,
        Literal::Member { negated, .. } => !negated,
        Literal::Negative(_) | Literal::NotCompare(_) => false,
    }
}

/// Whether a literal may have variables of its own.
fn is_negation(literal: &Literal) -> bool {
    matches!(literal, Literal::Negative(_) | Literal::Member { negated: true, .. })
}

/// Whether a variable that occurs only in one negation is local to it, by its name.
pub fn may_be_local(name: &Name) -> bool {
    name.starts_with('_')
}

/// The variables that are local to the negation that they occur in.
fn locals(literals: &[Literal]) -> FxHashSet<Name> {
    let mut locals = FxHashSet::default();
    if !literals.iter().any(is_negation) {
        return locals;
    }
    let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
    for literal in literals {
        literal.for_each_variable(&mut |name| *counts.entry(name).or_default() += 1);
    }
    for literal in literals.iter().filter(|literal| is_negation(literal)) {
        literal.for_each_variable(&mut |name| {
            if may_be_local(name) && counts[name] == 1 {
                locals.insert(name.clone());
            }
        });
    }
    locals
}

/// The variable that a range goes through, unless it is bound.
fn element_of_range(literal: &Literal) -> Option<&Name> {
    match literal {
        Literal::Member { element: Term::Variable(name), elements: Elements::Range(..), negated: false, .. } => {
            Some(name)
        }
        _ => None,
    }
}

/// Whether the literal computes the variable, or equates it with something.
fn computes(literal: &Literal, variable: &Name) -> bool {
    let is_it = |term: &Term| matches!(term, Term::Variable(name) if name == variable);
    match literal {
        Literal::Compare(Comparison { comparator: Comparator::Is, left, .. }) => is_it(left),
        Literal::Compare(Comparison { comparator: Comparator::Equal, left, right, .. }) => is_it(left) || is_it(right),
        _ => false,
    }
}

/// Whether the literal is a long range between constants.
fn is_long_range(literal: &Literal) -> bool {
    match literal {
        Literal::Member { elements: Elements::Range(Term::Integer(from), Term::Integer(to)), .. } => {
            to.checked_sub(*from).is_none_or(|width| width >= LONGEST_RANGE)
        }
        _ => false,
    }
}

/// The literals that compute the element of the range at `next`: with them in front the range is a test, and it need not be gone through.
fn computing_element(open: &[Option<Literal>], next: usize) -> Vec<usize> {
    let Some(element) = open[next].as_ref().and_then(element_of_range) else { return Vec::new() };
    let computes = |i: &usize| open[*i].as_ref().is_some_and(|literal| computes(literal, element));
    (next + 1..open.len()).filter(computes).collect()
}

/// The variables of ranges that other literals compute, and of long ranges that subgoals bind.
fn bound_elements(literals: &[Option<Literal>]) -> FxHashSet<Name> {
    let mut elements = FxHashSet::default();
    for range in literals.iter().flatten() {
        let Some(element) = element_of_range(range) else { continue };
        let is_long = is_long_range(range);
        let binds = |literal: &Literal| {
            let mut occurs = false;
            if let Literal::Positive(atom) = literal
                && is_long
            {
                atom.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| occurs |= name == element));
            }
            occurs || computes(literal, element)
        };
        if literals.iter().flatten().any(binds) {
            elements.insert(element.clone());
        }
    }
    elements
}

struct SafeOrder {
    bound: FxHashSet<Name>,
    /// Literals put off, under each variable that they still miss.
    waiting: FxHashMap<Name, Vec<usize>>,
    put_off: Vec<bool>,
    /// The variables for which ranges over them wait.
    awaited: FxHashSet<Name>,
}

impl SafeOrder {
    fn new(literals: usize) -> Self {
        Self {
            bound: FxHashSet::default(),
            waiting: FxHashMap::default(),
            put_off: vec![false; literals],
            awaited: FxHashSet::default(),
        }
    }

    /// Places open literals in their order, as far as it is safe.
    fn place_all(&mut self, open: &mut [Option<Literal>], locals: &FxHashSet<Name>, literals: &mut Vec<Literal>) {
        for next in 0..open.len() {
            for first in computing_element(open, next).into_iter().chain([next]) {
                self.place_from(first, open, locals, literals);
            }
        }
    }

    /// Places the literal `first`, if it can stand here, and those put off that may follow.
    fn place_from(
        &mut self,
        first: usize,
        open: &mut [Option<Literal>],
        locals: &FxHashSet<Name>,
        literals: &mut Vec<Literal>,
    ) {
        let mut candidates = BTreeSet::from([first]);
        while let Some(i) = candidates.pop_first() {
            let Some(literal) = &open[i] else { continue };
            if self.try_place(i, literal, locals, &mut candidates) {
                literals.extend(open[i].take());
            }
        }
    }

    /// Whether literal `i` can stand here. If so, adds to `candidates` those put off that may follow.
    fn try_place(
        &mut self,
        i: usize,
        literal: &Literal,
        locals: &FxHashSet<Name>,
        candidates: &mut BTreeSet<usize>,
    ) -> bool {
        let mut missing = missing(literal, &self.bound, locals);
        let awaited = element_of_range(literal).filter(|name| self.awaited.contains(*name));
        missing.extend(awaited.filter(|name| !self.bound.contains(*name)));
        if !missing.is_empty() {
            if !std::mem::replace(&mut self.put_off[i], true) {
                for name in missing {
                    self.waiting.entry(name.clone()).or_default().push(i);
                }
            }
            return false;
        }
        if !binds(literal) {
            return true;
        }
        literal.for_each_variable(&mut |name| {
            if !self.bound.contains(name) {
                self.bound.insert(name.clone());
                candidates.extend(self.waiting.remove(name).unwrap_or_default());
            }
        });
        true
    }
}

/// The unbound variables in the way of a literal; none when it can stand here.
fn missing<'a>(literal: &'a Literal, bound: &FxHashSet<Name>, locals: &FxHashSet<Name>) -> Vec<&'a Name> {
    let unbound = |term: &'a Term| {
        let mut names = Vec::new();
        term.for_each_variable(&mut |name| {
            if !bound.contains(name) {
                names.push(name);
            }
        });
        names
    };
    match literal {
        Literal::Positive(_) => Vec::new(),
        Literal::Aggregate(aggregation) => aggregation.outer().flat_map(unbound).collect(),
        Literal::Negative(atom) => {
            let names = atom.args.iter().flat_map(unbound);
            names.filter(|name| !locals.contains(*name)).collect()
        }
        Literal::Compare(comparison) => {
            let left = unbound(&comparison.left);
            let right = unbound(&comparison.right);
            let binds = |side: &Term, other: &[&Name]| matches!(side, Term::Variable(_)) && other.is_empty();
            let computed = match comparison.comparator {
                Comparator::Is => binds(&comparison.left, &right),
                Comparator::Equal => binds(&comparison.left, &right) || binds(&comparison.right, &left),
                _ => false,
            };
            if computed { Vec::new() } else { [left, right].concat() }
        }
        Literal::NotCompare(comparison) => [unbound(&comparison.left), unbound(&comparison.right)].concat(),
        Literal::Member { element, elements, negated, .. } => {
            let names = elements.terms().into_iter().flatten().flat_map(unbound);
            if *negated {
                names.chain(unbound(element).into_iter().filter(|name| !locals.contains(*name))).collect()
            } else {
                names.collect()
            }
        }
    }
}
