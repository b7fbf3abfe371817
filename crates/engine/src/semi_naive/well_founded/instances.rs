//! From the instances of a component's rules, which are rows, to a ground program; and from its model back to rows.
//!
//! The atoms of a predicate are the rows of its envelope. A negative literal that is none of them is true, and left out.

use super::ground::{AtomNumber, GroundProgram};
use super::is_possible;
use super::model::Truth;
use crate::semi_naive::relation::{Relation, RelationId, Relations};
use crate::term::{Slot, Template};
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::Literal;
use ludolog_logic::analysis::well_founded::{Founded, GroundedRule, NegativeComponent};
use ludolog_syntax::ast::{Atom, Name, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};

/// GroundedRule read between two checks of the budget.
const POLL_EVERY: u32 = 4096;

/// Most numbers of a table per row, where rows are single ids: beyond, they are hashed.
const NUMBERS_PER_ROW: usize = 8;

/// A component of predicates with negative cycles.
pub struct GroundedComponent {
    predicates: Vec<ValuedRelations>,
    rules: Vec<CompiledInstances>,
}

/// The relations of a predicate.
struct ValuedRelations {
    truths: RelationId,
    possible: RelationId,
    envelope: RelationId,
}

/// A rule whose instances are the rows of a relation.
struct CompiledInstances {
    rows: RelationId,
    head: AtomTemplate,
    positive: Vec<AtomTemplate>,
    negative: Vec<AtomTemplate>,
    /// Rows of other relations that have to be there, or, negated, must not be.
    certain: Vec<(RelationId, Box<[Template]>, bool)>,
}

/// An atom over the columns of an instance.
struct AtomTemplate {
    /// The number of its predicate in the component.
    predicate: usize,
    row: Box<[Template]>,
}

/// The numbers of a predicate's atoms.
enum AtomTable {
    /// By id, from the first on: the atom of the row that it is; no atom is `AtomNumber::MAX`.
    ById(u32, Vec<AtomNumber>),
    /// The number of the first row.
    ByRow(AtomNumber),
}

impl GroundedComponent {
    pub fn new(component: &NegativeComponent, relations: &mut Relations, interner: &mut Interner) -> Self {
        let valued = component.predicates.iter().map(|founded| ValuedRelations {
            truths: relations.id(&founded.predicate),
            possible: relations.id(&founded.possible),
            envelope: relations.id(&founded.envelope()),
        });
        let predicates: Vec<ValuedRelations> = valued.collect();
        let number = |atom: &Atom| {
            let is_of = |founded: &Founded| founded.predicate == atom.signature();
            component.predicates.iter().position(is_of).expect("the atom is of the component")
        };
        let mut rules = Vec::new();
        for instances in &component.instances {
            let mut row = |atom: &Atom| row_of(atom, instances, interner);
            let mut reference = |atom: &Atom| AtomTemplate { predicate: number(atom), row: row(atom) };
            let head = reference(&instances.head);
            let [positive, negative] =
                [&instances.positive, &instances.negative].map(|atoms| atoms.iter().map(&mut reference).collect());
            let certain = instances.certain.iter().filter_map(|literal| {
                let atom = literal.atom()?;
                Some((relations.id(&atom.signature()), row(atom), matches!(literal, Literal::Negative(_))))
            });
            let certain = certain.collect();
            rules.push(CompiledInstances {
                rows: relations.id(&instances.rows.signature()),
                head,
                positive,
                negative,
                certain,
            });
        }
        GroundedComponent { predicates, rules }
    }

    /// Reads the instances.
    pub fn ground(
        &self,
        relations: &mut Relations,
        interner: &mut Interner,
        budget: &Budget,
    ) -> Result<GroundProgram, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut ground = GroundProgram::default();
        let mut numbers = Vec::new();
        for predicate in &self.predicates {
            budget.check()?;
            let envelope = &mut relations[predicate.envelope];
            numbers.push(AtomTable::of(envelope, ground.atoms as AtomNumber));
            ground.atoms += envelope.len();
        }
        let instances: usize = self.rules.iter().map(|rule| relations[rule.rows].live()).sum();
        ground.heads.reserve_exact(instances);
        ground.literals.reserve_exact(instances);
        let mut buffer = Vec::new();
        for rule in &self.rules {
            let mut atom = |reference: &AtomTemplate, instance: &[Value], interner: &mut Interner| {
                let envelope = &relations[self.predicates[reference.predicate].envelope];
                numbers[reference.predicate].atom(build(&reference.row, instance, interner, &mut buffer), envelope)
            };
            let mut certain_row = Vec::new();
            for instance in relations[rule.rows].rows() {
                poll.step()?;
                let Some(head) = atom(&rule.head, instance, interner) else { continue };
                let number = ground.rule(head);
                for reference in &rule.positive {
                    match atom(reference, instance, interner) {
                        Some(atom) => ground.add_positive(number, atom),
                        None => ground.add_undefined(number),
                    }
                }
                for reference in &rule.negative {
                    if let Some(atom) = atom(reference, instance, interner) {
                        ground.add_negative(number, atom);
                    }
                }
                let is_certain = |(relation, row, negated): &(RelationId, Box<[Template]>, bool),
                                  buffer: &mut Vec<Value>,
                                  interner: &mut Interner| {
                    relations[*relation].contains(build(row, instance, interner, buffer)) != *negated
                };
                if !rule.certain.iter().all(|literal| is_certain(literal, &mut certain_row, interner)) {
                    ground.add_undefined(number);
                }
            }
        }
        Ok(ground)
    }

    /// Inserts the true and the possible rows, at most `room`; their number.
    pub fn give_out(
        &self,
        truth: &[Truth],
        relations: &mut Relations,
        room: usize,
        budget: &Budget,
    ) -> Result<u64, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut first = 0;
        let mut given = 0;
        for predicate in &self.predicates {
            let envelope = std::mem::replace(&mut relations[predicate.envelope], Relation::new(0));
            let result = (0..envelope.len()).filter(|&row| !envelope.is_removed(row)).try_for_each(|row| {
                poll.step()?;
                let truth = truth[first + row];
                let into = [(predicate.truths, truth == Truth::True), (predicate.possible, is_possible(truth))];
                for (relation, _) in into.into_iter().filter(|(_, is_given)| *is_given) {
                    given += u64::from(relations[relation].insert(envelope.row(row)));
                }
                if given as usize > room {
                    Err(Stopped::TooManyFacts(budget.max_facts().unwrap_or_default()))
                } else {
                    Ok(())
                }
            });
            first += envelope.len();
            relations[predicate.envelope] = envelope;
            result?;
        }
        Ok(given)
    }
}

/// The row of an atom over the columns of instances.
fn row_of(atom: &Atom, instances: &GroundedRule, interner: &mut Interner) -> Box<[Template]> {
    let mut slot_of = |name: &Name| {
        let is_column = |arg: &Term| matches!(arg, Term::Variable(other) if other == name);
        instances.rows.args.iter().position(is_column).expect("instances have all variables of their literals") as Slot
    };
    atom.args.iter().map(|arg| Template::compile(arg, None, interner, &mut slot_of)).collect()
}

/// Builds a row in the buffer.
#[inline]
fn build<'r>(row: &[Template], instance: &[Value], interner: &mut Interner, buffer: &'r mut Vec<Value>) -> &'r [Value] {
    buffer.clear();
    buffer.extend(row.iter().map(|part| part.value(instance, interner)));
    buffer
}

impl AtomTable {
    /// AtomTable the rows of an envelope.
    fn of(envelope: &mut Relation, first: AtomNumber) -> Self {
        if envelope.arity() == 1 && envelope.live() > 0 {
            let ids = || envelope.rows().map(|row| row[0].0);
            let (least, most) = ids().fold((u32::MAX, 0), |(least, most), id| (least.min(id), most.max(id)));
            let size = (most - least) as usize + 1;
            if size <= NUMBERS_PER_ROW * envelope.live() {
                let mut numbers = vec![AtomNumber::MAX; size];
                for row in (0..envelope.len()).filter(|&row| !envelope.is_removed(row)) {
                    numbers[(envelope.row(row)[0].0 - least) as usize] = first + row as AtomNumber;
                }
                return AtomTable::ById(least, numbers);
            }
        }
        envelope.keep_row_numbers();
        AtomTable::ByRow(first)
    }

    #[inline]
    fn atom(&self, row: &[Value], envelope: &Relation) -> Option<AtomNumber> {
        match self {
            AtomTable::ById(least, numbers) => {
                let number = *numbers.get(row[0].0.checked_sub(*least)? as usize)?;
                Some(number).filter(|&number| number != AtomNumber::MAX)
            }
            AtomTable::ByRow(first) => envelope.find(row).map(|row| first + row as AtomNumber),
        }
    }
}
