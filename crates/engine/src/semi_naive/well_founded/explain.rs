//! Why a fact of a negative cycle is true or false: the order in which facts were decided leads to a derivation without
//! circles, and the false literal that was decided first is the reason against an instance.

use super::model::{Truth, WellFoundedModel};
use crate::contract::Engine;
use crate::derivation::Support;
use crate::semi_naive::SemiNaive;
use crate::semi_naive::provenance::{ProvenanceStep, Steps, bind, fill_in, value_of};
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Clause, Goal, Literal};
use ludolog_logic::analysis::well_founded::{GroundedRule, ThreeValued};
use ludolog_syntax::ast::{Atom, Name, Term};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashMap;

type Bindings = FxHashMap<Name, Term>;

/// By atom: its value and its place among the decided ones.
#[derive(Default)]
pub struct Ranks {
    truth: Vec<Truth>,
    places: Vec<u32>,
}

impl Ranks {
    pub fn of(model: &WellFoundedModel) -> Self {
        let mut places = vec![u32::MAX; model.truth.len()];
        model.decided.iter().zip(0..).for_each(|(&atom, place)| places[atom as usize] = place);
        Ranks { truth: model.truth.clone(), places }
    }
}

impl SemiNaive {
    /// The rule instance that made a fact of a component true.
    pub(in crate::semi_naive) fn support_in(
        &mut self,
        component: usize,
        three_valued: &ThreeValued,
        fact: &Atom,
        steps: &mut Steps,
    ) -> Support {
        let rules = &three_valued.components[component].instances;
        let (_, rank) = self.value(component, three_valued, fact);
        for rule in rules.iter().filter(|rule| rule.head.signature() == fact.signature()) {
            for values in self.instances(rule, fact) {
                let is = |engine: &mut Self, atom: &Atom, truth| {
                    let (value, place) = engine.value(component, three_valued, &instance(atom, &values));
                    value == truth && place < rank
                };
                let is_proof = rule.positive.iter().all(|atom| is(self, atom, Truth::True))
                    && rule.negative.iter().all(|atom| is(self, atom, Truth::False));
                let certain: Vec<Literal> = rule.certain.iter().map(|literal| fill_in(literal, &values)).collect();
                if is_proof && self.solution(certain).is_some() {
                    return match &rule.written {
                        Some(written) => self.support_by(written, values, three_valued, steps),
                        None => Support::Given,
                    };
                }
            }
        }
        Support::Given
    }

    /// The support of an instance of a rule as written, whose literals of the component are bound by these values.
    fn support_by(
        &mut self,
        written: &Clause,
        mut values: Bindings,
        three_valued: &ThreeValued,
        steps: &mut Steps,
    ) -> Support {
        let certain = written.body.iter().map(|literal| fill_in(&three_valued.certain(literal), &values));
        values.extend(self.solution(certain.collect()).unwrap_or_default());
        let mut premises = Vec::new();
        let mut checks = Vec::new();
        for literal in written.body.iter().map(|literal| fill_in(literal, &values)) {
            match &literal {
                Literal::Positive(atom) if let Some(row) = self.row(atom) => premises.push(steps.number(row)),
                _ if steps.explain_negation(&literal, three_valued, &mut premises) => {}
                _ => checks.push(self.check(literal)),
            }
        }
        Support::Rule { clause: written.clone(), premises, checks }
    }

    /// The instances of rules for a false fact, each with the fact that makes it false.
    pub(in crate::semi_naive) fn unfounded(
        &mut self,
        component: usize,
        three_valued: &ThreeValued,
        fact: &Atom,
        steps: &mut Steps,
    ) -> Vec<(Clause, usize)> {
        let mut found = Vec::new();
        let rules = &three_valued.components[component].instances;
        for rule in rules.iter().filter(|rule| rule.head.signature() == fact.signature()) {
            for values in self.instances(rule, fact) {
                let literals = rule.positive.iter().map(|atom| (atom, Truth::False));
                let literals = literals.chain(rule.negative.iter().map(|atom| (atom, Truth::True)));
                let against = literals.filter_map(|(atom, truth)| {
                    let atom = instance(atom, &values);
                    let (value, place) = self.value(component, three_valued, &atom);
                    (value == truth).then_some((place, atom, truth))
                });
                let Some((_, atom, truth)) = against.min_by_key(|(place, ..)| *place) else { continue };
                let step = match truth {
                    Truth::True => self.proved(component, three_valued, atom),
                    _ => Some(ProvenanceStep::False(atom)),
                };
                let Some(step) = step else { continue };
                let as_projection = || {
                    let body: Body = rule.positive.iter().cloned().map(Literal::Positive).collect();
                    Clause { head: rule.head.clone(), body, span: Span::NONE }
                };
                found.push((rule.written.clone().unwrap_or_else(as_projection), steps.number(step)));
            }
        }
        found
    }

    /// The row of a true fact; of one that it is the projection of, if it is one.
    fn proved(&mut self, component: usize, three_valued: &ThreeValued, fact: Atom) -> Option<ProvenanceStep> {
        if !fact.signature().is_auxiliary() {
            return self.row(&fact);
        }
        let rules = &three_valued.components[component].instances;
        for rule in rules.iter().filter(|rule| rule.head.signature() == fact.signature()) {
            for values in self.instances(rule, &fact) {
                let projected = rule.positive.iter().map(|atom| instance(atom, &values));
                if let Some(row) = projected.filter_map(|atom| self.row(&atom)).next() {
                    return Some(row);
                }
            }
        }
        self.row(&fact)
    }

    /// The row of a fact that holds.
    fn row(&mut self, fact: &Atom) -> Option<ProvenanceStep> {
        let relation = self.relations.get(&fact.signature())?;
        let row = fact.is_ground().then(|| self.row_of(fact))?;
        self.relations[relation].find(&row).map(|row| ProvenanceStep::Row(relation, row as u32))
    }

    /// The value of a ground atom of a component, and its place in the order of decisions; no place comes before all
    /// others.
    fn value(&mut self, component: usize, three_valued: &ThreeValued, atom: &Atom) -> (Truth, Option<u32>) {
        let mut first = 0;
        for founded in &three_valued.components[component].predicates {
            let Some(envelope) = self.relations.get(&founded.envelope()) else { continue };
            if founded.predicate == atom.signature() {
                let row = self.row_of(atom);
                let number = self.relations[envelope].find(&row).map(|row| first + row);
                let Ranks { truth, places } = &self.evaluators[component].ranks;
                let decided = number.and_then(|number| truth.get(number).copied().zip(places.get(number).copied()));
                return decided.map_or((Truth::False, None), |(truth, place)| (truth, Some(place)));
            }
            first += self.relations[envelope].len();
        }
        (Truth::False, None)
    }

    /// The values of a rule's columns in its instances for a fact.
    fn instances(&mut self, rule: &GroundedRule, fact: &Atom) -> Vec<Bindings> {
        let mut values = Bindings::default();
        bind(&rule.head.args, &fact.args, &mut values);
        let rows = self.solutions(vec![Literal::Positive(instance(&rule.rows, &values))], false);
        let with =
            |row: Bindings| values.iter().map(|(name, value)| (name.clone(), value.clone())).chain(row).collect();
        let mut found: Vec<Bindings> = rows.into_iter().map(with).collect();
        found.retain(|values| instance(&rule.head, values) == *fact);
        found
    }

    pub(in crate::semi_naive) fn solution(&mut self, body: Vec<Literal>) -> Option<Bindings> {
        self.solutions(body, true).pop()
    }

    fn solutions(&mut self, body: Vec<Literal>, first: bool) -> Vec<Bindings> {
        let body = Body::new(body);
        let goal = Goal { variables: body.bound(), body, span: Span::NONE };
        let rows = self.solve(&goal, first, &Budget::unlimited()).rows.into_iter();
        rows.map(|row| goal.variables.iter().cloned().zip(row).collect()).collect()
    }
}

fn instance(atom: &Atom, values: &Bindings) -> Atom {
    Atom { args: atom.args.iter().map(|arg| value_of(arg, values)).collect(), ..atom.clone() }
}
