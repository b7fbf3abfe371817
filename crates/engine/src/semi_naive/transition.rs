//! Events: the conditions of transition rules are read in the old state with the event added; then all deletions are
//! made, then all additions.

use super::SemiNaive;
use super::plan::{Plan, compile};
use super::relation::RelationId;
use crate::costs::Part;
use crate::term::{Slot, Template};
use crate::value::Value;
use indexmap::IndexSet;
use ludolog_logic::analysis::clause::{Clause, TransitionClause};
use ludolog_syntax::ast::{Atom, Effect, Name, Purpose, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// A transition rule with its plan, compiled when first run.
pub struct PlannedTransition {
    /// `fired@(V..) :- conditions.` for the variables `V` of the effects.
    clause: Clause,
    effects: Vec<Effect>,
    variables: IndexSet<Name, FxBuildHasher>,
    compiled: Option<CompiledTransition>,
}

struct CompiledTransition {
    plan: Plan,
    fired: RelationId,
    effects: Vec<CompiledEffect>,
}

struct CompiledEffect {
    adds: bool,
    relation: RelationId,
    row: Vec<Template>,
}

impl PlannedTransition {
    pub fn new(transition: &TransitionClause) -> Self {
        let mut variables: IndexSet<Name, FxBuildHasher> = IndexSet::default();
        for Effect::Add(atom) | Effect::Delete(atom) in &transition.effects {
            for arg in &atom.args {
                arg.for_each_variable(&mut |name| _ = variables.insert(name.clone()));
            }
        }
        let head = Atom::new(Purpose::Fired, variables.iter().map(|name| Term::Variable(name.clone())).collect());
        let clause = Clause { head, body: transition.conditions.clone(), span: transition.span };
        Self { clause, effects: transition.effects.clone(), variables, compiled: None }
    }
}

impl SemiNaive {
    pub(super) fn run_transitions(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped> {
        let relation = self.relation_of_given(&event.signature());
        let row = self.row_of(event);
        let added = self.insert_row(relation, &row);
        let result = self.collect_effects(budget);
        if added {
            self.delete_row(relation, &row);
        }
        let (deletions, additions) = result?;
        for (relation, row) in deletions {
            self.delete_row(relation, &row);
        }
        for (relation, row) in additions {
            self.insert_row(relation, &row);
        }
        Ok(())
    }

    /// The deletions and additions of the transition rules whose conditions hold.
    #[expect(clippy::type_complexity, reason = "two lists of rows, used once")]
    fn collect_effects(
        &mut self,
        budget: &Budget,
    ) -> Result<(Vec<(RelationId, Vec<Value>)>, Vec<(RelationId, Vec<Value>)>), Stopped> {
        self.update_for_transitions(budget)?;
        let mut deletions = Vec::new();
        let mut additions = Vec::new();
        for number in 0..self.transitions.len() {
            let compiled = match self.transitions[number].compiled.take() {
                Some(compiled) if !compiled.plan.is_outdated(&mut self.relations, &self.interner) => compiled,
                _ => self.compile_transition(number),
            };
            self.relations[compiled.fired].clear();
            let result = self.run_once(&compiled.plan, Part::Transition(number), usize::MAX, budget);
            let fired = std::mem::replace(&mut self.relations[compiled.fired], super::Relation::new(0));
            for instance in fired.rows() {
                for effect in &compiled.effects {
                    let row = effect.row.iter().map(|part| part.value(instance, &mut self.interner)).collect();
                    let list = if effect.adds { &mut additions } else { &mut deletions };
                    list.push((effect.relation, row));
                }
            }
            self.relations[compiled.fired] = fired;
            self.transitions[number].compiled = Some(compiled);
            result?;
        }
        Ok((deletions, additions))
    }

    fn compile_transition(&mut self, number: usize) -> CompiledTransition {
        let clause = self.transitions[number].clause.clone();
        let names = self.tables().names(&clause);
        let plan = compile(&clause, &names, None, &mut self.tables());
        let fired = names.head;
        let effects = self.transitions[number].effects.clone();
        let changed = effects.iter().map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature());
        let changed: Vec<RelationId> = changed.map(|predicate| self.relation_of_given(&predicate)).collect();
        let Self { transitions, interner, .. } = self;
        let PlannedTransition { variables, .. } = &transitions[number];
        let mut slot_of = |name: &Name| variables.get_index_of(name).expect("collected from the effects") as Slot;
        let mut compiled = |effect: &Effect, relation| {
            let (adds, atom) = match effect {
                Effect::Add(atom) => (true, atom),
                Effect::Delete(atom) => (false, atom),
            };
            let row = atom.args.iter().map(|arg| Template::compile(arg, None, interner, &mut slot_of)).collect();
            CompiledEffect { adds, relation, row }
        };
        let effects = effects.iter().zip(changed).map(|(effect, relation)| compiled(effect, relation)).collect();
        CompiledTransition { plan, fired, effects }
    }

    /// Updates the strata that the conditions of transition rules depend on, and only those.
    fn update_for_transitions(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let needed = match &self.needed_for_transitions {
            Some(needed) => needed.clone(),
            None => {
                let literals = self.transitions.iter().flat_map(|transition| &transition.clause.body);
                let wanted = literals.filter_map(|literal| self.relations.get(&literal.atom()?.signature()));
                let needed: Arc<[usize]> = self.strata_of(wanted).into();
                self.needed_for_transitions.insert(needed).clone()
            }
        };
        self.run_strata(needed.iter().copied(), budget)
    }

    /// Removes a given row; `false` if it was not given.
    pub(super) fn delete_row(&mut self, relation: RelationId, row: &[Value]) -> bool {
        let was_given = self.given_mut(relation).is_none_or(|given| given.remove(row));
        // A better row may have taken its place.
        was_given && (self.relations[relation].remove(row) || self.relations[relation].has_lattice())
    }

    /// Adds a given row; `false` if it held already.
    pub(super) fn insert_row(&mut self, relation: RelationId, row: &[Value]) -> bool {
        if let Some(given) = self.given_mut(relation) {
            given.insert(row);
        }
        if self.relations[relation].has_lattice() {
            return self.improve_given(relation, row);
        }
        self.relations[relation].insert(row)
    }

    /// Adds given rows that stand one after the other.
    pub(super) fn insert_rows(&mut self, relation: RelationId, rows: &[Value]) {
        if let Some(given) = self.given_mut(relation) {
            given.insert_rows(rows);
        }
        let arity = self.relations[relation].arity();
        if self.relations[relation].has_lattice() {
            rows.chunks_exact(arity).for_each(|row| _ = self.improve_given(relation, row));
        } else {
            self.relations[relation].insert_rows(rows);
        }
    }
}
