//! The flow of values from recursive subgoals to the head of one rule.

use super::guard::{Guards, VariableStep};
use crate::analysis::clause::{Clause, Elements, Literal, cons};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The positive literals of a rule that are in its own component.
pub(super) fn recursive_subgoals<'a>(
    rule: &'a Clause,
    component: &FxHashSet<&Predicate>,
) -> impl Iterator<Item = &'a Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) if component.contains(&atom.signature()) => Some(atom),
        _ => None,
    })
}

/// The argument positions of a component's predicates, numbered.
pub(super) struct Positions {
    first: FxHashMap<Predicate, usize>,
    count: usize,
}

impl Positions {
    pub(super) fn new(component: &FxHashSet<&Predicate>) -> Self {
        let mut predicates: Vec<&Predicate> = component.iter().copied().collect();
        predicates.cold_sort();
        let mut this = Self { first: FxHashMap::default(), count: 0 };
        for predicate in predicates {
            this.first.insert(predicate.clone(), this.count);
            this.count += predicate.arity;
        }
        this
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn of(&self, predicate: &Predicate, argument: usize) -> usize {
        self.first[predicate] + argument
    }
}

/// The change of a value on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gain {
    /// It ends up this many levels deeper inside a term; `builds` when anything was put around it at all.
    Levels { levels: i64, builds: bool },
    /// It is the rest of a list that got an element which it did not have, one of finitely many.
    NewElement,
    /// A symbol is joined from it.
    Joins,
    /// A number is computed from it.
    Counts,
}

/// A value's way from a position of a recursive subgoal to one of the head.
#[derive(Clone, Debug)]
pub(super) struct ValueFlow {
    pub from: usize,
    pub to: usize,
    pub gain: Gain,
    /// The rule, by its index among those of the component, and the argument of its head.
    pub rule: usize,
    pub argument: usize,
}

/// The change of a number from a recursive subgoal to the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    Stays,
    Rises,
    Falls,
}

/// The origin of the values of a variable.
enum ValueOrigin<'a> {
    /// Finitely many values.
    Bounded,
    /// Stands in recursive subgoals: position and depth of each occurrence.
    Recursive(Vec<(usize, i64)>),
    /// Computed from other variables; the way from each position with its gain.
    Computed(FxHashMap<usize, Gain>, Option<&'a Term>),
}

impl ValueOrigin<'_> {
    /// The operands, where it is computed by this operation: no least one is above any of them, and no greatest one below.
    fn sides(&self, operation: Operation) -> &[Term] {
        match self {
            ValueOrigin::Computed(_, Some(Term::Compound(functor, args)))
                if Operation::of(functor, args.len()) == Some(operation) =>
            {
                args
            }
            _ => &[],
        }
    }
}

/// One rule while the origins of its variables are found.
pub(super) struct RuleOrigins<'a> {
    clause: &'a Clause,
    origins: FxHashMap<&'a Name, ValueOrigin<'a>>,
    guards: Guards<'a>,
    bounded: &'a FxHashSet<usize>,
    /// Whether there are finitely many symbols: no rule of the component joins any.
    symbols_are_finite: bool,
}

impl<'a> RuleOrigins<'a> {
    /// The rule, when the `bounded` positions are known to have finitely many values.
    pub(super) fn new(
        clause: &'a Clause,
        component: &FxHashSet<&Predicate>,
        positions: &Positions,
        bounded: &'a FxHashSet<usize>,
        symbols_are_finite: bool,
    ) -> Self {
        let guards = Guards::new(clause);
        let mut rule = Self { clause, origins: FxHashMap::default(), guards, bounded, symbols_are_finite };
        rule.bind_literals(component, positions);
        rule.bind_computed();
        rule
    }

    /// All flows of the rule, which is number `index` of the component.
    pub(super) fn flows(&self, index: usize, positions: &Positions) -> Vec<ValueFlow> {
        let head = self.clause.head.signature();
        let mut flows = Vec::new();
        for (argument, term) in self.clause.head.args.iter().enumerate() {
            let to = positions.of(&head, argument);
            for (from, gain) in self.gains(term, Some((&head, positions))) {
                flows.push(ValueFlow { from, to, gain, rule: index, argument });
            }
        }
        flows
    }

    /// The change of a number from a recursive subgoal to the head, when it only moves towards a bound.
    pub(super) fn progress(&self, subgoal: &Term, head: &Term) -> Option<Growth> {
        let (Term::Variable(old), Term::Variable(new)) = (subgoal, head) else { return None };
        if old == new {
            return Some(Growth::Stays);
        }
        self.moves(old, new, self.clause.body.len())
    }

    /// The change from one number to another one, perhaps by others between them, so many at most: from `B` to `N` by
    /// `A`, where `A is N - 1` and `B is A - 1`.
    fn moves(&self, old: &Name, new: &Name, most: usize) -> Option<Growth> {
        if let Some(progress) = self.moves_at_once(old, new) {
            return Some(progress);
        }
        let mut steps = self.steps_to(old).filter(|step| step.strict && most > 0);
        steps.find_map(|step| match (self.moves(step.from, new, most - 1)?, step.up) {
            (Growth::Rises, false) => Some(Growth::Rises),
            (Growth::Falls, true) => Some(Growth::Falls),
            _ => None,
        })
    }

    /// The steps by which the rule computes a variable from another one.
    fn steps_to(&self, name: &Name) -> impl Iterator<Item = VariableStep<'_>> {
        self.clause.body.iter().filter_map(move |literal| {
            let Literal::Compare(Comparison { comparator, left, right, .. }) = literal else { return None };
            let is_named = |term: &Term| matches!(term, Term::Variable(other) if other == name);
            let value = match comparator {
                Comparator::Is | Comparator::SameValue | Comparator::Equal if is_named(left) => right,
                Comparator::SameValue | Comparator::Equal if is_named(right) => left,
                _ => return None,
            };
            self.guards.step(name, value, &|step| self.is_bounded(step))
        })
    }

    fn moves_at_once(&self, old: &Name, new: &Name) -> Option<Growth> {
        if self.is_finite(new) && self.guards.is_less(old, new) {
            return Some(Growth::Rises);
        }
        if self.is_finite(new) && self.guards.is_less(new, old) {
            return Some(Growth::Falls);
        }
        // The head has one of finitely many values, tested to be a step away.
        if self.is_finite(new)
            && let Some(step) = self.steps_to(new).find(|step| step.strict && step.from == old)
        {
            return Some(if step.up { Growth::Rises } else { Growth::Falls });
        }
        if let Some(rises) = self.counts_down(new, old) {
            return Some(if rises { Growth::Rises } else { Growth::Falls });
        }
        let Some(ValueOrigin::Computed(_, Some(value))) = self.origins.get(new) else { return None };
        let step = self.guards.step(new, value, &|step| self.is_bounded(step))?;
        if step.from != old || !self.is_bounded_step(new, value) {
            return None;
        }
        Some(match (step.strict, step.up) {
            (false, _) => return None,
            (true, true) => Growth::Rises,
            (true, false) => Growth::Falls,
        })
    }

    /// Whether the head's `new` is more than `old` (or less), where the rule computes `old` as a step away from `new`,
    /// as in `N in 2..90 & A is N - 1 & fib(A, X)`; `None` if it does not, or if `new` is not one of finitely many
    /// values.
    fn counts_down(&self, new: &Name, old: &Name) -> Option<bool> {
        let is_bounded = match self.origins.get(new)? {
            ValueOrigin::Bounded => true,
            ValueOrigin::Computed(_, Some(value)) => self.is_bounded_step(new, value),
            ValueOrigin::Computed(_, None) | ValueOrigin::Recursive(_) => false,
        };
        let step = self.steps_to(old).find(|step| is_bounded && step.from == new)?;
        step.strict.then_some(!step.up)
    }

    fn is_finite(&self, name: &Name) -> bool {
        matches!(self.origins.get(name), Some(ValueOrigin::Bounded))
    }

    /// Variables of positive literals: bounded outside the component, else where they stand.
    fn bind_literals(&mut self, component: &FxHashSet<&Predicate>, positions: &Positions) {
        let atoms = || {
            self.clause.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some((atom, component.contains(&atom.signature()))),
                _ => None,
            })
        };
        let mut origins: FxHashMap<&'a Name, ValueOrigin<'a>> = FxHashMap::default();
        for (atom, _) in atoms().filter(|(_, recursive)| !recursive) {
            atom.args.iter().for_each(|arg| {
                arg.for_each_variable(&mut |name| {
                    origins.insert(name, ValueOrigin::Bounded);
                })
            });
        }
        for literal in &self.clause.body {
            // Aggregates are of lower strata: finitely many groups, and one value each.
            if let Literal::Aggregate(aggregation) = literal {
                aggregation.result.for_each_variable(&mut |name| _ = origins.insert(name, ValueOrigin::Bounded));
            }
        }
        for (atom, _) in atoms().filter(|(_, recursive)| *recursive) {
            let predicate = atom.signature();
            for (i, arg) in atom.args.iter().enumerate() {
                let position = positions.of(&predicate, i);
                for_each_at_depth(arg, 0, &mut |name, depth| {
                    let origin = origins.entry(name).or_insert_with(|| ValueOrigin::Recursive(Vec::new()));
                    if let ValueOrigin::Recursive(places) = origin {
                        places.push((position, depth));
                    }
                });
            }
        }
        for origin in origins.values_mut() {
            if let ValueOrigin::Recursive(places) = origin
                && places.iter().any(|(position, _)| self.bounded.contains(position))
            {
                *origin = ValueOrigin::Bounded;
            }
        }
        self.origins = origins;
    }

    /// Variables that comparisons and `member` bind, in the order of the body, in which inputs come first.
    fn bind_computed(&mut self) {
        let body = &self.clause.body;
        for literal in body {
            match literal {
                Literal::Compare(c) if matches!(c.comparator, Comparator::Is | Comparator::Equal) => {
                    let sides = [(&c.left, &c.right), (&c.right, &c.left)];
                    let directions = if c.comparator == Comparator::Is { &sides[..1] } else { &sides[..] };
                    for &(variable, value) in directions {
                        let Term::Variable(name) = variable else { continue };
                        if self.is_bounded_term(value) {
                            self.origins.insert(name, ValueOrigin::Bounded);
                        } else if !self.origins.contains_key(name) {
                            let origin = self.computed(value, c.comparator);
                            self.origins.insert(name, origin);
                        }
                    }
                }
                Literal::Member {
                    element: Term::Variable(name), elements: Elements::Range(from, to), negated, ..
                } => {
                    let is_bounded = |bound| self.is_bounded_term(bound) || self.is_from_few(bound);
                    let is_bounded = is_bounded(from) && is_bounded(to);
                    if !negated && !self.origins.contains_key(name) {
                        let ways = [from, to].into_iter().flat_map(|bound| self.computed_ways(bound)).collect();
                        let origin = if is_bounded { ValueOrigin::Bounded } else { ValueOrigin::Computed(ways, None) };
                        self.origins.insert(name, origin);
                    } else if !negated && is_bounded {
                        self.origins.insert(name, ValueOrigin::Bounded);
                    }
                }
                Literal::Member { element, elements: Elements::List(list), negated: false, .. } => {
                    let ways = self.element_gains(list);
                    for_each_at_depth(element, 0, &mut |name, depth| {
                        let ways = ways.iter().map(|(&from, &gain)| (from, deeper(gain, -depth))).collect();
                        self.origins.entry(name).or_insert(ValueOrigin::Computed(ways, None));
                    });
                }
                _ => {}
            }
        }
    }

    /// The ways by which values become elements of `list`: as written, or out of the list that it ends in.
    fn element_gains(&self, mut list: &Term) -> FxHashMap<usize, Gain> {
        let mut all: FxHashMap<usize, Gain> = FxHashMap::default();
        let mut add = |gains: FxHashMap<usize, Gain>, depth| {
            for (from, gain) in gains {
                let gain = deeper(gain, depth);
                all.entry(from).and_modify(|known| *known = gain.max(*known)).or_insert(gain);
            }
        };
        while let Some((element, rest)) = cons(list) {
            add(self.gains(element, None), 0);
            list = rest;
        }
        add(self.gains(list, None), -1);
        all
    }

    fn computed(&self, value: &'a Term, comparator: Comparator) -> ValueOrigin<'a> {
        let Term::Compound(functor, args) = value else {
            return ValueOrigin::Computed(self.gains(value, None), Some(value));
        };
        if !comparator.computes(functor, args.len()) {
            ValueOrigin::Computed(self.gains(value, None), Some(value))
        } else if comparator == Comparator::Is && self.is_from_few(value) {
            ValueOrigin::Bounded
        } else {
            ValueOrigin::Computed(self.computed_ways(value), Some(value))
        }
    }

    /// The ways by which values get into one that is computed. Some operations make nothing that is greater or longer
    /// than all that they are made from: `min`, `max`, `abs`, `bshr`, `to_number`, `to_string` and `substring` of variables
    /// add no values without end.
    fn computed_ways(&self, value: &Term) -> FxHashMap<usize, Gain> {
        let (operation, parts): (_, &[Term]) = match value {
            Term::Compound(functor, args) => (Operation::of(functor, args.len()), args),
            _ => (None, std::slice::from_ref(value)),
        };
        let parts = match operation {
            None
            | Some(
                Operation::Minimum | Operation::Maximum | Operation::Absolute | Operation::Number | Operation::Spelling,
            ) => parts,
            Some(Operation::Part | Operation::ShiftRight) => &parts[..1],
            Some(_) => &[],
        };
        let are_plain = !parts.is_empty() && !parts.iter().any(|part| matches!(part, Term::Compound(..)));
        let mut ways = FxHashMap::default();
        let gain = if operation == Some(Operation::Join) { Gain::Joins } else { Gain::Counts };
        if are_plain {
            parts.iter().for_each(|part| ways.extend(self.gains(part, None)));
        } else {
            value.for_each_variable(&mut |name| {
                ways.extend(self.variable_gains(name, None).into_keys().map(|from| (from, gain)));
            });
        }
        ways
    }

    /// Whether the variable is computed as a number.
    fn is_number(&self, name: &Name) -> bool {
        self.clause.body.iter().any(|literal| match literal {
            Literal::Compare(c) if c.comparator == Comparator::Is && c.left == Term::Variable(name.clone()) => {
                !matches!(&c.right, Term::Compound(functor, args)
                    if Operation::of(functor, args.len()).is_some_and(Operation::makes_symbols))
            }
            Literal::Member { element, elements: Elements::Range(..), negated: false, .. } => {
                *element == Term::Variable(name.clone())
            }
            _ => false,
        })
    }

    /// Whether there are finitely many values: of `E mod M` with finitely many for `M`, and of `band(E, N)` with a constant
    /// that is not negative.
    fn is_from_few(&self, value: &Term) -> bool {
        let Term::Compound(functor, args) = value else { return false };
        match Operation::of(functor, args.len()) {
            Some(Operation::Modulo) => self.is_bounded_term(&args[1]),
            Some(Operation::BitAnd) => args.iter().any(|arg| matches!(arg, Term::Integer(mask) if *mask >= 0)),
            _ => false,
        }
    }

    fn is_bounded_term(&self, term: &Term) -> bool {
        let mut bounded = true;
        term.for_each_variable(&mut |name| bounded &= self.is_bounded(name));
        bounded
    }

    /// Whether the variable takes finitely many values: by where it comes from, or because it is a number between
    /// two bounds.
    fn is_bounded(&self, name: &Name) -> bool {
        match self.origins.get(name) {
            Some(ValueOrigin::Bounded) => true,
            Some(ValueOrigin::Computed(ways, _)) if ways.is_empty() => true,
            // There are finitely many numbers between two, and as many symbols as there are at all.
            Some(origin) => {
                let limit = |term: &Term| self.is_bounded_by_origin(term);
                let is_limited = |operation| origin.sides(operation).iter().any(limit);
                let is_within_limits = || {
                    (is_limited(Operation::Minimum) || self.guards.has_upper(name, &limit))
                        && (is_limited(Operation::Maximum) || self.guards.has_lower(name, &limit))
                };
                // So have all symbols of a length, since there are finitely many characters.
                (self.symbols_are_finite || self.is_number(name)) && is_within_limits()
                    || self.guards.has_length_limit(name, &limit)
            }
            // Unbound: unsafe, and reported as such.
            None => true,
        }
    }

    fn is_bounded_by_origin(&self, term: &Term) -> bool {
        let mut bounded = true;
        term.for_each_variable(&mut |name| {
            bounded &= match self.origins.get(name) {
                Some(ValueOrigin::Computed(ways, _)) => ways.is_empty(),
                Some(ValueOrigin::Bounded) => true,
                // What is not bound yet may be bound from what it is to limit.
                Some(ValueOrigin::Recursive(_)) | None => false,
            };
        });
        bounded
    }

    /// The ways by which values get into `term`. `head` is the predicate whose argument the term is, if any.
    fn gains(&self, term: &Term, head: Option<(&Predicate, &Positions)>) -> FxHashMap<usize, Gain> {
        let mut gains = FxHashMap::default();
        if let Some(rest) = self.new_element(term) {
            let ways = self.variable_gains(rest, head).into_iter();
            return ways
                .map(|(from, gain)| match gain {
                    Gain::Levels { levels: ..=0, builds: false } => (from, Gain::NewElement),
                    other => (from, deeper(other, 1)),
                })
                .collect();
        }
        for_each_at_depth(term, 0, &mut |name, depth| {
            for (from, gain) in self.variable_gains(name, head) {
                let gain = deeper(gain, depth);
                gains.entry(from).and_modify(|known| *known = gain.max(*known)).or_insert(gain);
            }
        });
        gains
    }

    fn variable_gains(&self, name: &Name, head: Option<(&Predicate, &Positions)>) -> FxHashMap<usize, Gain> {
        if self.is_bounded(name) {
            return FxHashMap::default();
        }
        match &self.origins[name] {
            ValueOrigin::Bounded => FxHashMap::default(),
            ValueOrigin::Recursive(places) => {
                let (from, depth) = self.best_place(name, places, head);
                FxHashMap::from_iter([(from, Gain::Levels { levels: -depth, builds: false })])
            }
            ValueOrigin::Computed(_, Some(value)) if self.is_bounded_step(name, value) => FxHashMap::default(),
            ValueOrigin::Computed(ways, _) => ways.clone(),
        }
    }

    /// Each occurrence bounds the variable. The deepest is best, then one at a position that the head just copies.
    fn best_place(&self, name: &Name, places: &[(usize, i64)], head: Option<(&Predicate, &Positions)>) -> (usize, i64) {
        let copied = |position: usize| {
            head.is_some_and(|(predicate, positions)| {
                let args = self.clause.head.args.iter().enumerate();
                let mut copies = args.filter(|(_, arg)| matches!(arg, Term::Variable(other) if other == name));
                copies.any(|(i, _)| positions.of(predicate, i) == position)
            })
        };
        let rank = |&&(position, depth): &&(usize, i64)| (depth, copied(position), std::cmp::Reverse(position));
        *places.iter().max_by_key(rank).expect("a recursive variable stands somewhere")
    }

    /// Whether `value` is one step up from a variable of a recursive subgoal, below an upper bound; or down, above a
    /// lower.
    fn is_bounded_step(&self, name: &Name, value: &Term) -> bool {
        let Some(step) = self.guards.step(name, value, &|step| self.is_bounded(step)) else { return false };
        let limit = |term: &Term| self.is_bounded_by_origin(term);
        matches!(self.origins.get(step.from), Some(ValueOrigin::Recursive(_)))
            && [name, step.from].iter().any(|name| {
                if step.up { self.guards.has_upper(name, &limit) } else { self.guards.has_lower(name, &limit) }
            })
    }

    /// The rest `V` of a list `cons(D, V)` that takes one of finitely many elements under `~member(D, V)`.
    fn new_element<'t>(&self, term: &'t Term) -> Option<&'t Name> {
        let (element, Term::Variable(rest)) = cons(term)? else { return None };
        let guarded = self.clause.body.iter().any(|literal| {
            matches!(literal, Literal::Member { element: tested, elements: Elements::List(list), negated: true, .. }
                if tested == element && rest_variable(list) == Some(rest))
        });
        (guarded && self.is_bounded_term(element)).then_some(rest)
    }
}

/// The variable that a list ends in.
fn rest_variable(mut list: &Term) -> Option<&Name> {
    while let Some((_, rest)) = cons(list) {
        list = rest;
    }
    match list {
        Term::Variable(name) => Some(name),
        _ => None,
    }
}

/// Whether a rule joins symbols to others, or calls a function that may.
pub(super) fn joins_symbols(clause: &Clause) -> bool {
    fn joins(term: &Term) -> bool {
        matches!(term, Term::Compound(functor, args)
            if matches!(Operation::of(functor, args.len()), Some(Operation::Join | Operation::Called(_))) || args.iter().any(joins))
    }
    let is_joined = |literal: &Literal| matches!(literal, Literal::Compare(c) if joins(&c.left) || joins(&c.right));
    clause.body.iter().any(is_joined)
}

fn deeper(gain: Gain, depth: i64) -> Gain {
    match gain {
        Gain::Levels { levels, builds } => Gain::Levels { levels: levels + depth, builds: builds || depth > 0 },
        Gain::NewElement if depth > 0 => Gain::Levels { levels: 1 + depth, builds: true },
        other => other,
    }
}

fn for_each_at_depth<'a>(term: &'a Term, depth: i64, visit: &mut impl FnMut(&'a Name, i64)) {
    match term {
        Term::Variable(name) => visit(name, depth),
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => {}
        Term::Compound(_, args) => args.iter().for_each(|arg| for_each_at_depth(arg, depth + 1, visit)),
    }
}
