//! The facts of each relation that sizes are estimated from: all of them, or a sample.

use super::inputs::CountedSample;
use ludolog_syntax::ast::{Atom, Predicate, PredicateName};
use rustc_hash::FxHashMap;

/// Most rows of a relation that are looked at.
pub const SAMPLE: usize = 4096;

/// At least one fact of a relation.
pub enum KnownFacts<'p> {
    /// Facts, one by one.
    Listed(Vec<&'p Atom>),
    /// Facts of one relation that is counted alone.
    Counted(&'p CountedSample),
}

/// Facts of one relation, or a sample of them.
pub struct Sample<'p> {
    /// The facts.
    pub facts: KnownFacts<'p>,
    /// The number of facts that they are from.
    pub rows: usize,
}

impl<'p> KnownFacts<'p> {
    /// The number of the facts.
    pub fn len(&self) -> usize {
        match self {
            KnownFacts::Listed(facts) => facts.len(),
            KnownFacts::Counted(sample) => sample.len,
        }
    }

    /// The predicate of the facts.
    pub fn predicate(&self) -> Predicate {
        match self {
            KnownFacts::Listed(facts) => facts[0].signature(),
            KnownFacts::Counted(sample) => sample.predicate().clone(),
        }
    }

    /// The number of the facts for which a condition holds.
    pub fn count(&self, is_counted: impl Fn(&&Atom) -> bool) -> usize {
        match self {
            KnownFacts::Listed(facts) => facts.iter().copied().filter(is_counted).count(),
            KnownFacts::Counted(sample) => sample.facts().iter().filter(is_counted).count(),
        }
    }
}

impl<'p> Sample<'p> {
    /// Adds the facts of a relation that is counted.
    fn add(&mut self, sample: &'p CountedSample) {
        let mut facts = match &mut self.facts {
            KnownFacts::Listed(facts) => std::mem::take(facts),
            KnownFacts::Counted(other) => other.facts().iter().collect(),
        };
        facts.extend(sample.facts());
        *self = Sample { facts: KnownFacts::Listed(facts), rows: self.rows + sample.rows };
    }
}

/// The facts by relation, each of which has at least one.
pub fn samples<'p>(facts: impl Iterator<Item = &'p Atom>, counted: &'p [CountedSample]) -> Vec<Sample<'p>> {
    // Facts mostly come predicate by predicate, so the last relation is tried first.
    let mut groups: Vec<Vec<&'p Atom>> = Vec::new();
    let mut index: FxHashMap<(&PredicateName, usize), usize> = FxHashMap::default();
    let mut last: Option<(&'p Atom, usize)> = None;
    for fact in facts {
        let group = match last {
            Some((other, group)) if other.predicate == fact.predicate && other.args.len() == fact.args.len() => group,
            _ => *index.entry((&fact.predicate, fact.args.len())).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            }),
        };
        last = Some((fact, group));
        groups[group].push(fact);
    }
    let mut samples: Vec<Sample<'p>> = Vec::with_capacity(groups.len());
    for facts in groups {
        let stride = facts.len().div_ceil(SAMPLE);
        let sample = facts.iter().copied().step_by(stride).collect();
        samples.push(Sample { facts: KnownFacts::Listed(sample), rows: facts.len() });
    }
    for sample in counted {
        let Predicate { name, arity, .. } = sample.predicate();
        match index.get(&(name, *arity)) {
            Some(&group) => samples[group].add(sample),
            None => {
                index.insert((name, *arity), samples.len());
                samples.push(Sample { facts: KnownFacts::Counted(sample), rows: sample.rows });
            }
        }
    }
    samples
}
