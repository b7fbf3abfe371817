//! Rules as operators.
//!
//! A body is joined from left to right. Before each subgoal that reads a relation, the rows so far and the rows of the
//! relation are arranged by the variables that they share:
//!
//! ```text
//! p(X, Z) :- q(X, Y) & r(Y, Z).        q by Y ⋈ r by Y → p
//! p(X)    :- q(X, Y) & ~s(Y).          q by Y − (q by Y ⋉ s by Y) → p
//! p(X, N) :- q(X) & N = count(Y : r(X, Y)).   q by X ⋈ (r by X, each group reduced to its value), and 0 for those without
//! ```
//!
//! An arrangement is an index that is kept up to date and shared by all rules of a scope that read the same columns in
//! the same way (McSherry, Lattuada, Schwarzkopf and Roscoe, *Shared arrangements*, VLDB 2020). Every worker builds the
//! same operators in the same order.

use crate::operators::{Operators, Time};
use crate::plan::{DataflowPlan, columns_of};
use crate::row::Row;
use crate::stage::{BoundSlots, Results, RowStage};
use crate::terms::with_terms;
use ludolog_engine::aggregate::{Aggregator, Total};
use ludolog_engine::term::{Slot, Template};
use ludolog_engine::value::{Interner, Value};
use ludolog_logic::analysis::clause::{Aggregation, Clause, Literal};
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The rows that a body has come to.
enum BodyRows<'s, O: Operators, T: Time, R: Row> {
    /// Rows of so many cells.
    Rows(O::Flow<'s, T, R>, usize),
    /// The rows of a relation, of so many cells, and the atom that reads it.
    Relation(O::Flow<'s, T, R>, Atom),
    /// The join of two indices, with the cells of the key and of both values.
    Join(Box<[O::Index<'s, T, R>; 2]>, [usize; 3]),
}

/// The relations of a scope, and what is built of them.
pub struct ScopeBuilder<'p, 's, O: Operators, T: Time, R: Row> {
    plan: &'p DataflowPlan,
    relations: FxHashMap<Predicate, O::Flow<'s, T, R>>,
    /// A relation with one row, which has no cells.
    unit: O::Flow<'s, T, R>,
    /// The indices of relations, by what is read how.
    indices: FxHashMap<String, O::Index<'s, T, R>>,
}

impl<'p, 's, O: Operators, T: Time, R: Row> ScopeBuilder<'p, 's, O, T, R> {
    /// A scope with these relations, which are sets, and one that has one row.
    pub fn new(
        plan: &'p DataflowPlan,
        relations: FxHashMap<Predicate, O::Flow<'s, T, R>>,
        unit: O::Flow<'s, T, R>,
    ) -> Self {
        ScopeBuilder { plan, relations, unit, indices: FxHashMap::default() }
    }

    /// The relation of a predicate.
    pub fn relation(&self, predicate: &Predicate) -> O::Flow<'s, T, R> {
        self.relations[predicate].clone()
    }

    /// Adds the relation of a predicate, which is a set.
    pub fn add_relation(&mut self, predicate: Predicate, rows: O::Flow<'s, T, R>) {
        self.relations.insert(predicate, rows);
    }

    /// The heads that a rule derives, each as often as it does.
    pub fn rule(&mut self, clause: &Clause) -> O::Flow<'s, T, R> {
        let mut source = BodyRows::Rows(self.unit.clone(), 0);
        let mut frame = BoundSlots::default();
        for (place, literal) in clause.body.iter().enumerate() {
            let later = variables_after(clause, place);
            (source, frame) = match literal {
                // The first relation need not be joined with nothing.
                Literal::Positive(atom) if place == 0 => {
                    let frame = with_terms(|terms| BoundSlots::of_columns(&atom.args, &mut terms.interner));
                    (BodyRows::Relation(self.relation(&atom.signature()), atom.clone()), frame)
                }
                Literal::Positive(atom) => self.join(source, frame, atom, &later),
                Literal::Negative(atom) => self.antijoin(source, &frame, atom, &later),
                Literal::Aggregate(aggregation) => self.aggregate(source, frame, aggregation, &later),
                _ => {
                    with_terms(|terms| frame.add(literal, &mut terms.interner));
                    (source, frame)
                }
            };
        }
        let stage = with_terms(|terms| {
            let interner = &mut terms.interner;
            let cells = clause.head.args.iter().map(|arg| frame.template(arg, None, interner)).collect();
            frame.stage(cells, clause.head.args.len(), interner)
        });
        rows(source, stage)
    }

    /// Joins with a relation.
    fn join(
        &mut self,
        source: BodyRows<'s, O, T, R>,
        frame: BoundSlots,
        atom: &Atom,
        later: &FxHashSet<Name>,
    ) -> (BodyRows<'s, O, T, R>, BoundSlots) {
        let key: Vec<Name> = names_in(&atom.args).into_iter().filter(|name| frame.has(name)).collect();
        let kept: Vec<Name> = kept(&frame, &key, later);
        let fresh: Vec<Name> =
            names_in(&atom.args).into_iter().filter(|name| !frame.has(name) && later.contains(name)).collect();
        let left = self.index(source, &frame, &key, &kept);
        let right = self.index_of(atom, &key, &fresh, false);
        let counts = [key.len(), kept.len(), fresh.len()];
        (BodyRows::Join(Box::new([left, right]), counts), BoundSlots::of(&[key, kept, fresh].concat()))
    }

    /// Keeps the rows for which no instance of the atom holds.
    fn antijoin(
        &mut self,
        source: BodyRows<'s, O, T, R>,
        frame: &BoundSlots,
        atom: &Atom,
        later: &FxHashSet<Name>,
    ) -> (BodyRows<'s, O, T, R>, BoundSlots) {
        let names = names_in(&atom.args);
        let key: Vec<Name> = names.iter().filter(|name| frame.has(name)).cloned().collect();
        let kept = kept(frame, &key, later);
        let left = self.index(source, frame, &key, &kept);
        // A variable that is local to the negation makes a key of several rows.
        let right = self.index_of(atom, &key, &[], key.len() < names.len());
        let counts = [key.len(), kept.len(), 0];
        (
            BodyRows::Rows(without::<O, T, R>(left, right, counts), key.len() + kept.len()),
            BoundSlots::of(&[key, kept].concat()),
        )
    }

    /// Joins with the values of an aggregate: those of its groups, or, where a tuple is tested, those of the tuples
    /// that pass for each row.
    fn aggregate(
        &mut self,
        source: BodyRows<'s, O, T, R>,
        mut frame: BoundSlots,
        aggregation: &Aggregation,
        later: &FxHashSet<Name>,
    ) -> (BodyRows<'s, O, T, R>, BoundSlots) {
        let mut later = later.clone();
        aggregation.result.for_each_variable(&mut |name| _ = later.insert(name.clone()));
        aggregation.parameters.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = later.insert(name.clone())));
        let names: Vec<Name> = frame.variables().into_iter().filter(|name| later.contains(name)).collect();
        let group = aggregation.group();
        let stage = with_terms(|terms| {
            let interner = &mut terms.interner;
            let mut cells: Vec<Template> = group.iter().map(|arg| frame.template(arg, None, interner)).collect();
            cells.extend(names.iter().map(|name| frame.template(&Term::Variable(name.clone()), None, interner)));
            frame.stage(cells, group.len(), interner)
        });
        let left = O::index(O::by_key(pairs(source, stage)));
        let counts = [group.len(), names.len(), TOTAL];
        let cells = group.len() + names.len() + TOTAL;
        // Key, value and total one after the other.
        let whole = move |key: &R, value: &R, total: &[Value]| {
            R::of(key.cells()[..counts[0]].iter().chain(&value.cells()[..counts[1]]).chain(total).copied())
        };
        let all = if aggregation.tests.alternatives.is_empty() {
            self.by_group(left, aggregation, whole)
        } else {
            self.by_row(left, aggregation, &names, whole)
        };
        frame = BoundSlots::default();
        with_terms(|terms| {
            let interner = &mut terms.interner;
            group.iter().for_each(|_| _ = frame.unnamed_slot());
            for name in &names {
                let slot = frame.unnamed_slot();
                frame.match_slot(slot, &Term::Variable(name.clone()), interner);
            }
            let (mark, value): (Slot, Slot) = (frame.unnamed_slot(), frame.unnamed_slot());
            frame.match_slot(mark, &Term::Integer(1), interner);
            frame.match_slot(value, &aggregation.result, interner);
        });
        (BodyRows::Rows(all, cells), frame)
    }

    /// Joins rows with the totals of their groups.
    fn by_group(
        &mut self,
        left: O::Index<'s, T, R>,
        aggregation: &Aggregation,
        whole: impl Fn(&R, &R, &[Value]) -> R + Clone + 'static,
    ) -> O::Flow<'s, T, R> {
        let right = self.totals(aggregation);
        let with_total = whole.clone();
        let found = O::join([left.clone(), right.clone()], move |key, value, total: &R| {
            Results::One(Some(with_total(key, value, &total.cells()[..TOTAL])))
        });
        let of_nothing = with_terms(|terms| {
            Total::default().value(&Aggregator::compile(aggregation, &mut terms.interner), &mut terms.interner)
        });
        match of_nothing {
            None => found,
            Some(value) => {
                let total = [HAS_VALUE, value];
                O::concatenate(found, vec![O::without(left, right, move |key, value| whole(key, value, &total))])
            }
        }
    }

    /// Joins rows of these variables with the totals of the tuples that pass for each of them.
    fn by_row(
        &mut self,
        left: O::Index<'s, T, R>,
        aggregation: &Aggregation,
        names: &[Name],
        whole: impl Fn(&R, &R, &[Value]) -> R + Clone + 'static,
    ) -> O::Flow<'s, T, R> {
        let Aggregation { atom, bound, .. } = aggregation;
        let bound = *bound;
        let arity = atom.args.len();
        let values = names.len();
        let pairs = O::flat_map(self.relation(&atom.signature()), move |row| {
            let (group, others) = row.cells()[..arity].split_at(bound);
            Results::One(Some((R::of(group.iter().copied()), R::of(others.iter().copied()))))
        });
        let is_placed = self.plan.owners[&atom.signature()].0.iter().copied().eq(0..bound);
        let right = O::index(if is_placed { pairs } else { O::by_key(pairs) });
        // The variables of the row, then those of the tuple and what else the tests read.
        let columns = names_in(&atom.args[bound..]);
        let tuple = aggregation.tests.tuple;
        let stages = with_terms(|terms| {
            let interner = &mut terms.interner;
            let stage = |tests: &Vec<Literal>| {
                let mut frame = BoundSlots::of(&[names, &columns].concat());
                tests.iter().for_each(|test| frame.add(test, interner));
                frame.stage(Vec::new(), 0, interner)
            };
            aggregation.tests().iter().map(stage).collect::<Vec<RowStage>>()
        });
        let of = with_terms(|terms| Aggregator::compile(aggregation, &mut terms.interner));
        O::gather(left, right, move |key, value, others| {
            let mut slots = Vec::new();
            let mut taken: FxHashSet<&[Value]> = FxHashSet::default();
            let mut first = Vec::new();
            for other in others {
                let parts = [(value.cells(), values), (other.cells(), arity - bound), (&[][..], 0)];
                let passes = stages.iter().any(|stage| stage.rows::<R>(parts, &mut slots).next().is_some());
                if passes && taken.insert(&other.cells()[..tuple]) {
                    first.push(other.cells()[0]);
                }
            }
            let total = with_terms(|terms| {
                let mut total = Total::default();
                first.iter().for_each(|&first| total.add(&of, first, &terms.interner));
                total.value(&of, &mut terms.interner)
            });
            total.map(|total| whole(key, value, &[HAS_VALUE, total]))
        })
    }

    /// The totals of an aggregate: for each group that has tuples a mark, whether they have a value, and the value.
    fn totals(&mut self, aggregation: &Aggregation) -> O::Index<'s, T, R> {
        let Aggregation { function, atom, bound, .. } = aggregation;
        let bound = *bound;
        let arity = atom.args.len();
        let name = format!("{function:?} {} {bound}", atom.signature());
        if let Some(index) = self.indices.get(&name) {
            return index.clone();
        }
        let tuples = O::flat_map(self.relation(&atom.signature()), move |row| {
            let (group, tuple) = row.cells()[..arity].split_at(bound);
            Results::One(Some((R::of(group.iter().copied()), R::of(tuple.iter().copied()))))
        });
        let is_placed = self.plan.owners[&atom.signature()].0.iter().copied().eq(0..bound);
        let tuples = if is_placed { tuples } else { O::by_key(tuples) };
        let of = with_terms(|terms| Aggregator::compile(aggregation, &mut terms.interner));
        let index = O::totals(tuples, move |tuples| {
            let total = with_terms(|terms| {
                let mut total = Total::default();
                tuples.for_each(|tuple| total.add(&of, tuple.cells()[0], &terms.interner));
                total.value(&of, &mut terms.interner)
            });
            R::of(total.map_or([NO_VALUE, NO_VALUE], |value| [HAS_VALUE, value]).into_iter())
        });
        self.indices.insert(name, index.clone());
        index
    }

    /// The rows of a relation that match an atom, by the variables `key`, with the values of the variables `value`;
    /// with `distinct`, each once.
    fn index_of(&mut self, atom: &Atom, key: &[Name], value: &[Name], distinct: bool) -> O::Index<'s, T, R> {
        let stage = with_terms(|terms| {
            let frame = BoundSlots::of_columns(&atom.args, &mut terms.interner);
            stage(&frame, key, value, &mut terms.interner)
        });
        let name = format!("{} {stage:?} {distinct}", atom.signature());
        if let Some(index) = self.indices.get(&name) {
            return index.clone();
        }
        let matching = self.keyed(BodyRows::Relation(self.relation(&atom.signature()), atom.clone()), stage, key);
        let index = if distinct { O::keys(matching) } else { O::index(matching) };
        self.indices.insert(name, index.clone());
        index
    }

    /// The rows of a source by these variables, with the values of those.
    fn index(
        &self,
        source: BodyRows<'s, O, T, R>,
        frame: &BoundSlots,
        key: &[Name],
        value: &[Name],
    ) -> O::Index<'s, T, R> {
        O::index(self.keyed(source, with_terms(|terms| stage(frame, key, value, &mut terms.interner)), key))
    }

    /// The pairs that a stage makes of a source, with the workers that own the keys.
    fn keyed(&self, source: BodyRows<'s, O, T, R>, stage: RowStage, key: &[Name]) -> O::Flow<'s, T, (R, R)> {
        let is_placed = match &source {
            BodyRows::Relation(_, atom) => {
                columns_of(atom, key).is_some_and(|columns| columns == *self.plan.owners[&atom.signature()].0)
            }
            _ => false,
        };
        let pairs = pairs(source, stage);
        if is_placed { pairs } else { O::by_key(pairs) }
    }
}

/// The cells of a total: a mark and a value.
const TOTAL: usize = 2;

/// The mark of a total that has a value: the integer 1.
const HAS_VALUE: Value = Value(1 << 31 | 1);

/// The mark of a total without one, and what stands for it: the integer 0.
const NO_VALUE: Value = Value(1 << 31);

/// The rows on the left whose key the right side does not have; it has each key at most once.
fn without<'s, O: Operators, T: Time, R: Row>(
    left: O::Index<'s, T, R>,
    right: O::Index<'s, T, R>,
    [key, value, _]: [usize; 3],
) -> O::Flow<'s, T, R> {
    O::without(left, right, move |k, v| R::of(k.cells()[..key].iter().chain(&v.cells()[..value]).copied()))
}

/// The rows that a stage makes of a source.
fn rows<'s, O: Operators, T: Time, R: Row>(source: BodyRows<'s, O, T, R>, stage: RowStage) -> O::Flow<'s, T, R> {
    let mut slots = Vec::new();
    match source {
        BodyRows::Relation(relation, atom) => rows(BodyRows::<O, T, R>::Rows(relation, atom.args.len()), stage),
        BodyRows::Rows(rows, cells) => {
            O::flat_map(rows, move |row| stage.rows([(row.cells(), cells), (&[], 0), (&[], 0)], &mut slots))
        }
        BodyRows::Join(indices, [k, l, r]) => O::join(*indices, move |key, left, right| {
            stage.rows([(key.cells(), k), (left.cells(), l), (right.cells(), r)], &mut slots)
        }),
    }
}

/// The rows that a stage makes of a source, as keys with values.
fn pairs<'s, O: Operators, T: Time, R: Row>(source: BodyRows<'s, O, T, R>, stage: RowStage) -> O::Flow<'s, T, (R, R)> {
    let mut slots = Vec::new();
    match source {
        BodyRows::Relation(relation, atom) => pairs(BodyRows::<O, T, R>::Rows(relation, atom.args.len()), stage),
        BodyRows::Rows(rows, cells) => {
            O::flat_map(rows, move |row| stage.pairs([(row.cells(), cells), (&[], 0), (&[], 0)], &mut slots))
        }
        BodyRows::Join(indices, [k, l, r]) => O::join(*indices, move |key, left, right| {
            stage.pairs([(key.cells(), k), (left.cells(), l), (right.cells(), r)], &mut slots)
        }),
    }
}

/// The stage that ends with these variables as key and value.
fn stage(frame: &BoundSlots, key: &[Name], value: &[Name], interner: &mut Interner) -> RowStage {
    let names = key.iter().chain(value);
    let cells = names.map(|name| frame.template(&Term::Variable(name.clone()), None, interner)).collect();
    frame.stage(cells, key.len(), interner)
}

/// The variables of terms, each once, in the order of their first occurrences.
pub fn names_in<'t>(terms: impl IntoIterator<Item = &'t Term>) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for term in terms {
        term.for_each_variable(&mut |name| {
            if !names.contains(name) {
                names.push(name.clone());
            }
        });
    }
    names
}

/// The bound variables besides those of the key that are needed.
fn kept(frame: &BoundSlots, key: &[Name], later: &FxHashSet<Name>) -> Vec<Name> {
    let is_kept = |name: &Name| later.contains(name) && !key.contains(name);
    frame.variables().into_iter().filter(is_kept).collect()
}

/// The variables that the head or the literals after a place need.
fn variables_after(clause: &Clause, place: usize) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    clause.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = names.insert(name.clone())));
    for literal in &clause.body[place + 1..] {
        literal.for_each_variable(&mut |name| _ = names.insert(name.clone()));
    }
    names
}

/// The number of cells of the widest row that a rule makes: that of a subgoal, or of the variables bound before the
/// others.
pub fn width(clause: &Clause) -> usize {
    let mut widest = clause.head.args.len();
    let mut bound = 0;
    let mut names: FxHashSet<Name> = FxHashSet::default();
    for literal in &clause.body {
        literal.for_each_variable(&mut |name| _ = names.insert(name.clone()));
        let atom = literal.atom().map_or(0, |atom| atom.args.len());
        // The rows with totals have the group, the variables and the total.
        let total = if matches!(literal, Literal::Aggregate(_)) { atom + TOTAL } else { 0 };
        widest = widest.max(atom).max(bound + total);
        bound = names.len();
    }
    widest
}
