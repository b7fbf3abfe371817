//! Stages: what happens to a row between two joins. Subgoals that need no relation (comparisons, arithmetic, members of
//! lists and ranges) run within the operator before them, on the slots of one row.

use crate::row::Row;
use crate::terms::{Terms, with_terms};
use ludolog_engine::term::{Pattern, Slot, Template, Test, is_in_range, range};
use ludolog_engine::value::{Functor, Interner, Value};
use ludolog_logic::analysis::clause::{Elements, Literal};
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashMap;

/// One step on the slots of a row.
#[derive(Clone, Debug)]
enum SlotStep {
    /// Goes on if the value of the slot matches, and binds.
    Match(Slot, Pattern),
    /// Goes on if the test holds.
    Test(Test),
    /// Goes on if there is a computed value (for `is`) or any that matches, and binds.
    Assign { pattern: Pattern, template: Template, computes: bool },
    /// Goes on for each element of the list that matches.
    Member { element: Pattern, list: Template },
    /// Goes on if the element is (or, negated, is not) in the list.
    MemberTest { element: Pattern, list: Template, negated: bool },
    /// Goes on for each integer of the range that matches.
    Range { element: Pattern, bounds: [Template; 2] },
    /// Goes on if the element is (or, negated, is not) an integer of the range.
    RangeTest { element: Template, bounds: [Template; 2], negated: bool },
}

/// The variables that are bound, by slot, and the steps since the last join.
#[derive(Clone, Debug, Default)]
pub struct BoundSlots {
    slots: usize,
    names: FxHashMap<Name, Slot>,
    steps: Vec<SlotStep>,
}

impl BoundSlots {
    /// A frame whose first slots hold these variables.
    pub fn of(names: &[Name]) -> BoundSlots {
        let numbered = (0..).zip(names).map(|(slot, name)| (name.clone(), slot));
        BoundSlots { slots: names.len(), names: numbered.collect(), steps: Vec::new() }
    }

    /// A frame whose first slots hold the columns of a row that matches these terms.
    pub fn of_columns(terms: &[Term], interner: &mut Interner) -> BoundSlots {
        let mut frame = BoundSlots { slots: terms.len(), ..BoundSlots::default() };
        for (slot, term) in (0..).zip(terms) {
            frame.match_slot(slot, term, interner);
        }
        frame
    }

    /// Matches the value of a slot.
    pub fn match_slot(&mut self, slot: Slot, term: &Term, interner: &mut Interner) {
        match term {
            Term::Variable(name) if !self.names.contains_key(name) => _ = self.names.insert(name.clone(), slot),
            _ => {
                let pattern = self.pattern(term, interner);
                self.steps.push(SlotStep::Match(slot, pattern));
            }
        }
    }

    /// Adds a slot without a name, to be filled by a row.
    pub fn unnamed_slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots as Slot - 1
    }

    /// Whether a variable is bound.
    pub fn has(&self, name: &Name) -> bool {
        self.names.contains_key(name)
    }

    /// Whether all variables of a term are bound.
    fn binds(&self, term: &Term) -> bool {
        let mut all = true;
        term.for_each_variable(&mut |name| all &= self.has(name));
        all
    }

    /// The bound variables, in the order of their slots.
    pub fn variables(&self) -> Vec<Name> {
        let mut named: Vec<(Slot, &Name)> = self.names.iter().map(|(name, &slot)| (slot, name)).collect();
        named.sort_unstable();
        named.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// The template of a term whose variables are bound.
    pub fn template(&self, term: &Term, side_of: Option<(Comparator, Span)>, interner: &mut Interner) -> Template {
        Template::compile(term, side_of, interner, &mut |name| self.names[name])
    }

    /// The pattern of a term. Its variables are bound afterwards.
    fn pattern(&mut self, term: &Term, interner: &mut Interner) -> Pattern {
        match term {
            Term::Variable(name) => match self.names.get(name) {
                Some(&slot) => Pattern::Check(slot),
                None => {
                    let slot = self.unnamed_slot();
                    self.names.insert(name.clone(), slot);
                    Pattern::Bind(slot)
                }
            },
            Term::Compound(name, args) => {
                let functor = interner.functor(name, args.len());
                Pattern::Compound(functor, args.iter().map(|arg| self.pattern(arg, interner)).collect())
            }
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => Pattern::Constant(interner.ground(term)),
        }
    }

    /// Adds the step of a literal that reads no relation.
    ///
    /// # Panics
    ///
    /// If it reads one.
    pub fn add(&mut self, literal: &Literal, interner: &mut Interner) {
        let step = match literal {
            Literal::Compare(comparison) => self.comparison(comparison, interner),
            Literal::NotCompare(comparison) => self.test(comparison, true, interner),
            Literal::Member { element, elements: Elements::Range(from, to), negated, span } => {
                let bounds = [from, to].map(|bound| self.template(bound, Some((Comparator::Is, *span)), interner));
                match (self.binds(element), negated) {
                    (false, false) => SlotStep::Range { element: self.pattern(element, interner), bounds },
                    // With a local variable, a negation says that the range is empty: not even its first bound is in
                    // it.
                    (false, true) => SlotStep::RangeTest { element: bounds[0].clone(), bounds, negated: true },
                    (true, &negated) => {
                        SlotStep::RangeTest { element: self.template(element, None, interner), bounds, negated }
                    }
                }
            }
            Literal::Member { element, elements: Elements::List(list), negated, .. } => {
                let list = self.template(list, None, interner);
                let is_test = *negated || self.binds(element);
                let before = self.names.clone();
                let element = self.pattern(element, interner);
                if is_test {
                    // The local variables of a negation are bound nowhere else.
                    self.names = before;
                    SlotStep::MemberTest { element, list, negated: *negated }
                } else {
                    SlotStep::Member { element, list }
                }
            }
            Literal::Positive(_) | Literal::Negative(_) | Literal::Aggregate(_) => unreachable!("it reads a relation"),
        };
        self.steps.push(step);
    }

    fn comparison(&mut self, comparison: &Comparison, interner: &mut Interner) -> SlotStep {
        let Comparison { comparator, left, right, span } = comparison;
        let (pattern, template) = match (self.binds(left), self.binds(right)) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            _ => return self.test(comparison, false, interner),
        };
        let template = self.template(template, Some((*comparator, *span)), interner);
        SlotStep::Assign { pattern: self.pattern(pattern, interner), template, computes: *comparator == Comparator::Is }
    }

    fn test(&self, comparison: &Comparison, negated: bool, interner: &mut Interner) -> SlotStep {
        let &Comparison { comparator, ref left, ref right, span } = comparison;
        let [left, right] = [left, right].map(|side| self.template(side, Some((comparator, span)), interner));
        SlotStep::Test(Test { comparator, negated, left, right })
    }

    /// The stage from the first slots to rows of these cells: the first `keys` of them are a key, the others its value.
    pub fn stage(&self, cells: Vec<Template>, keys: usize, interner: &mut Interner) -> RowStage {
        let is_plain = |cell: &Template| matches!(cell, Template::Slot(_) | Template::Constant(_));
        RowStage {
            is_plain: self.steps.is_empty() && cells.iter().all(is_plain),
            slots: self.slots,
            steps: self.steps.clone().into(),
            cells: cells.into(),
            keys,
            list: interner.functor(&"cons".into(), 2),
        }
    }
}

/// The steps from the slots that a row fills to the rows that follow.
#[derive(Clone, Debug)]
pub struct RowStage {
    slots: usize,
    steps: Box<[SlotStep]>,
    cells: Box<[Template]>,
    keys: usize,
    /// Whether all cells are copied, so that no term is looked at.
    is_plain: bool,
    list: Functor,
}

/// The destination of cells.
trait Destination<D> {
    /// Makes it.
    fn of(&self, cells: impl Iterator<Item = Value>) -> D;
}

/// A row.
struct WholeRow;

impl<R: Row> Destination<R> for WholeRow {
    #[inline]
    fn of(&self, cells: impl Iterator<Item = Value>) -> R {
        R::of(cells)
    }
}

/// A key of so many cells with its value.
struct Keyed(usize);

impl<R: Row> Destination<(R, R)> for Keyed {
    #[inline]
    fn of(&self, mut cells: impl Iterator<Item = Value>) -> (R, R) {
        let key = R::of(cells.by_ref().take(self.0));
        (key, R::of(cells))
    }
}

/// The rows that follow from one.
pub enum Results<D> {
    /// At most one.
    One(Option<D>),
    /// Any number.
    Many(std::vec::IntoIter<D>),
}

impl<D> Iterator for Results<D> {
    type Item = D;

    #[inline]
    fn next(&mut self) -> Option<D> {
        match self {
            Results::One(row) => row.take(),
            Results::Many(rows) => rows.next(),
        }
    }
}

impl RowStage {
    /// The rows that follow from these parts of the first slots, each with its number of cells. `slots` is a buffer.
    #[inline]
    pub fn rows<R: Row>(&self, parts: [(&[Value], usize); 3], slots: &mut Vec<Value>) -> Results<R> {
        self.run(parts, slots, &WholeRow)
    }

    /// As [`rows`](Self::rows), as keys with values.
    #[inline]
    pub fn pairs<R: Row>(&self, parts: [(&[Value], usize); 3], slots: &mut Vec<Value>) -> Results<(R, R)> {
        self.run(parts, slots, &Keyed(self.keys))
    }

    #[inline]
    fn run<D>(&self, parts: [(&[Value], usize); 3], slots: &mut Vec<Value>, form: &impl Destination<D>) -> Results<D> {
        if self.is_plain {
            let cell = |mut place: usize| {
                for &(cells, count) in &parts {
                    if place < count {
                        return cells[place];
                    }
                    place -= count;
                }
                unreachable!("a slot that no row fills")
            };
            let cells = self.cells.iter().map(|template| match template {
                Template::Slot(slot) => cell(*slot as usize),
                Template::Constant(value) => *value,
                _ => unreachable!("a plain stage copies"),
            });
            return Results::One(Some(form.of(cells)));
        }
        slots.clear();
        parts.iter().for_each(|&(cells, count)| slots.extend_from_slice(&cells[..count]));
        slots.resize(self.slots, Value::default());
        with_terms(|terms| {
            let mut first = None;
            let mut others = Vec::new();
            self.step(0, slots, terms, &mut |slots, terms| {
                let row = form.of(self.cells.iter().map(|cell| cell.value(slots, &mut terms.interner)));
                match first {
                    None => first = Some(row),
                    Some(_) => others.push(row),
                }
            });
            if others.is_empty() {
                Results::One(first)
            } else {
                Results::Many(first.into_iter().chain(others).collect::<Vec<_>>().into_iter())
            }
        })
    }

    /// Runs the steps from `at` on, and `emit` at each end of them.
    fn step(&self, at: usize, slots: &mut [Value], terms: &mut Terms, emit: &mut dyn FnMut(&[Value], &mut Terms)) {
        let interner = &mut terms.interner;
        let Some(step) = self.steps.get(at) else { return emit(slots, terms) };
        let goes_on = match step {
            SlotStep::Match(slot, pattern) => pattern.matches(slots[*slot as usize], slots, interner),
            SlotStep::Test(test) => test.holds(slots, interner),
            SlotStep::Assign { pattern, template, computes } => {
                let value =
                    if *computes { template.computed(slots, interner) } else { Some(template.value(slots, interner)) };
                value.is_some_and(|value| pattern.matches(value, slots, interner))
            }
            SlotStep::MemberTest { element, list, negated } => {
                let mut list = list.value(slots, interner);
                let mut found = false;
                while let Some((head, tail)) = self.uncons(list, interner).filter(|_| !found) {
                    found = element.matches(head, slots, interner);
                    list = tail;
                }
                found != *negated
            }
            SlotStep::RangeTest { element, bounds, negated } => {
                is_in_range(element, bounds, slots, interner) != *negated
            }
            SlotStep::Member { element, list } => {
                let mut list = list.value(slots, interner);
                while let Some((head, tail)) = self.uncons(list, &terms.interner) {
                    if element.matches(head, slots, &terms.interner) {
                        self.step(at + 1, slots, terms, emit);
                    }
                    list = tail;
                }
                return;
            }
            SlotStep::Range { element, bounds } => {
                let Some((from, to)) = range(bounds, slots, interner) else { return };
                for integer in from..=to {
                    let value = terms.interner.integer(integer);
                    if element.matches(value, slots, &terms.interner) {
                        self.step(at + 1, slots, terms, emit);
                    }
                }
                return;
            }
        };
        if goes_on {
            self.step(at + 1, slots, terms, emit);
        }
    }

    /// The first element of a list and the rest of it; `None` of anything else.
    fn uncons(&self, list: Value, interner: &Interner) -> Option<(Value, Value)> {
        match interner.as_compound(list) {
            Some((functor, &[head, tail])) if functor == self.list => Some((head, tail)),
            _ => None,
        }
    }
}
