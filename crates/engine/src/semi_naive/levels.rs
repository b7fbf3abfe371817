//! Levels of the keys of lattice relations: an order in which a value is the best one when it is passed on.
//!
//! Rounds pass a value on as soon as it is there. Where later values are better, as on longest ways, what a key has led to is improved again and again:
//! on a graph of n keys whose longest way has d steps up to n · d times. So once most rows were replaced, each rule runs once over all keys, to find
//! which of them lead to which others. The strongly connected components of that graph are without cycles; the level of a key is the number of steps of the
//! longest way to its component (levels of a topological order, as of A. B. Kahn, *Topological sorting of large networks*, CACM 5, 1962). From then
//! on a round takes the new rows of the lowest level alone. All that leads to them, but for what is in the same component, is at its end by then.
//!
//! Where all keys lead to each other, as of labels that go along links both ways, levels say nothing. If values only get worse on their way, and each key
//! was improved several times all the same, the ranks of values are the levels of rows from then on: a round takes the rows of the best value alone, as
//! E. W. Dijkstra does.
//!
//! Programs that fill tables, as of edit distances, are *XY-stratified* (Zaniolo, Arni and Ong, *Negation and aggregates in recursive rules: the
//! LDL++ approach*, DOOD 1993): arguments that count tell the order. Here it is found in the keys, whatever they are. It is the order alone
//! that depends on levels, so that keys without one, which came later, do no harm: they are one level above the row that led to them.

use super::components::graph;
use super::heuristics::Heuristic;
use super::lists::Lists;
use super::machine::{Frontier, RunLimits};
use super::plan::{PlanOp, RowRange};
use super::relation::{Relation, RelationId};
use super::stratum::{Held, Taken};
use super::{SemiNaive, room};
use crate::costs::Part;
use crate::value::Value;
use ludolog_syntax::budget::{Budget, Stopped};
use petgraph::algo::kosaraju_scc;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Fewer keys are improved in no time.
const FEWEST_KEYS: usize = 512;

/// Levels are sought when a row was replaced for every so many keys.
const KEYS_PER_REPLACED: usize = 2;

/// Values are ranked when each key was improved so often on average.
const IMPROVED_PER_KEY: usize = 8;

/// More steps between keys, 32 MiB, are not taken in.
const MOST_STEPS: usize = 1 << 22;

/// Levels are sought again when one of so many keys has come since.
const NEW_SHARE: usize = 16;

/// What keys lead to: steps between rows of the relations of a stratum, which have numbers one after the other.
pub struct KeySteps {
    steps: Vec<(u32, u32)>,
    /// The number of the first row of the relation that a step comes from, and of the one that it leads to.
    firsts: [u32; 2],
    /// The operation of the plan that goes through the rows that steps come from.
    at: usize,
}

impl KeySteps {
    /// Notes that a row leads to the key of another; `false` if that has no row.
    pub fn note(&mut self, cursors: &[u32], relation: &Relation, row: &[Value]) -> bool {
        let Some(to) = relation.row_of_key(row) else { return false };
        self.steps.push((self.firsts[0] + cursors[self.at], self.firsts[1] + to as u32));
        true
    }
}

/// The level of each of so many keys, the lowest first.
fn levels(keys: usize, steps: &[(u32, u32)]) -> Vec<u32> {
    let next = Lists::grouped(keys, steps.iter().map(|&(from, to)| (from as usize, to)));
    levels_without_cycles(keys, steps, &next).unwrap_or_else(|| levels_of_components(keys, steps, &next))
}

/// The levels where no key leads back to itself but by one step, which is seen in a part of the time that components take.
fn levels_without_cycles(keys: usize, steps: &[(u32, u32)], next: &Lists<u32>) -> Option<Vec<u32>> {
    let mut before = vec![0u32; keys];
    steps.iter().filter(|(from, to)| from != to).for_each(|&(_, to)| before[to as usize] += 1);
    let mut levels = vec![0; keys];
    let mut taken: Vec<u32> = (0..keys as u32).filter(|&key| before[key as usize] == 0).collect();
    let mut at = 0;
    while let Some(&key) = taken.get(at) {
        at += 1;
        let level = levels[key as usize] + 1;
        for &to in next.list(key as usize).iter().filter(|&&to| to != key) {
            levels[to as usize] = level.max(levels[to as usize]);
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                taken.push(to);
            }
        }
    }
    (taken.len() == keys).then_some(levels)
}

fn levels_of_components(keys: usize, steps: &[(u32, u32)], next: &Lists<u32>) -> Vec<u32> {
    let mut component_of = vec![0; keys];
    // Each comes after those that it leads to.
    let components = kosaraju_scc(&graph(keys, steps));
    for (component, members) in components.iter().enumerate() {
        members.iter().for_each(|key| component_of[key.index()] = component);
    }
    let mut levels = vec![0; components.len()];
    for (component, members) in components.iter().enumerate().rev() {
        for &to in members.iter().flat_map(|key| next.list(key.index())) {
            let other = component_of[to as usize];
            if other != component {
                levels[other] = levels[other].max(levels[component] + 1);
            }
        }
    }
    component_of.into_iter().map(|component| levels[component]).collect()
}

impl SemiNaive {
    /// Finds the levels of the keys of a stratum if rounds have replaced most rows, and rows have come since levels were found last.
    pub(super) fn find_levels_if_due(
        &mut self,
        stratum: usize,
        rules: &[usize],
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let heads = self.strata[stratum].heads();
        if heads.iter().any(|&head| self.relations[head].is_ranked()) {
            return Ok(());
        }
        // Values of several relations may be of several orders.
        if let &[head] = heads
            && self.relations[head].live() >= self.relations[head].begins_at(FEWEST_KEYS)
            && self.relations[head].is_improved_often(self.relations[head].begins_at(IMPROVED_PER_KEY))
            && self.may_be_ordered(stratum)
        {
            self.relations[head].rank_values();
            return Ok(());
        }
        let keys: usize = heads.iter().map(|&head| self.relations[head].live()).sum();
        let replaced: usize = heads.iter().map(|&head| self.relations[head].replaced()).sum();
        let known = self.strata[stratum].keys_with_levels;
        let is_due = keys >= self.relations[heads[0]].begins_at(FEWEST_KEYS)
            && replaced * KEYS_PER_REPLACED > keys
            && keys > known + known / NEW_SHARE;
        if !is_due || !self.may_have_levels(stratum, rules) {
            return Ok(());
        }
        let heads = heads.to_vec();
        self.strata[stratum].keys_with_levels = keys;
        let steps = self.key_steps(rules, &heads, frontiers, held, budget)?;
        let mut first = 0;
        let rows: usize = heads.iter().map(|&head| self.relations[head].len()).sum();
        let levels = steps.map(|steps| levels(rows, &steps));
        for &head in &heads {
            let end = first + self.relations[head].len();
            self.relations[head].set_levels(levels.as_ref().map(|levels| levels[first..end].to_vec()));
            first = end;
        }
        Ok(())
    }

    /// Whether each rule passes on values of one row at a time, and rows may be taken in any order.
    fn may_have_levels(&self, stratum: usize, rules: &[usize]) -> bool {
        let Self { strata, rules: all, .. } = self;
        let heads = strata[stratum].heads();
        let is_linear = |rule: &usize| all[*rule].starts().filter(|start| heads.contains(start)).count() <= 1;
        self.may_be_ordered(stratum) && rules.iter().all(is_linear)
    }

    /// Whether rows of a stratum may be taken in any order.
    fn may_be_ordered(&self, stratum: usize) -> bool {
        let Self { strata, relations, .. } = self;
        relations.heuristics().has(Heuristic::Levels)
            && self.derivations.is_none()
            && strata[stratum].heads().iter().all(|&head| relations[head].has_lattice())
    }

    /// The steps between keys that rules make; `None` if they are too many.
    fn key_steps(
        &mut self,
        rules: &[usize],
        heads: &[RelationId],
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<Option<Vec<(u32, u32)>>, Stopped> {
        let mut frontiers = frontiers.to_vec();
        let mut first = 0;
        let mut firsts: FxHashMap<RelationId, u32> = FxHashMap::default();
        for &head in heads {
            let end = self.relations[head].len();
            firsts.insert(head, first);
            frontiers[head] = Frontier { old: 0, end };
            first += end as u32;
        }
        let mut plans = Vec::new();
        self.take_plans(rules, &mut frontiers, budget, &mut plans);
        let mut steps = Vec::new();
        let mut result = Ok(());
        for Taken { rule, delta, plan, .. } in &plans {
            let names = &self.rules[*rule].names;
            let Some(from) = delta.and_then(|place| firsts.get(&names.source(place).relation)) else { continue };
            // Before it stand tests of constants.
            let is_new = |op: &PlanOp| matches!(op, PlanOp::Rows(rows) if rows.range == RowRange::Delta);
            let Some(at) = plan.ops.iter().position(is_new) else { continue };
            let most = MOST_STEPS - steps.len();
            self.key_steps = Some(KeySteps { steps, firsts: [*from, firsts[&names.head]], at });
            let start = self.start_of_cost(budget);
            let extent = RunLimits { most, ..RunLimits::all(room(held.now(self.work), budget)) };
            result = self.run_plan(plan, Some(*rule), &frontiers, extent, budget).map(|_| ());
            self.note_run(Part::Rule(*rule), *delta, plan, start, Duration::ZERO, budget);
            steps = self.key_steps.take().map_or(Vec::new(), |found| found.steps);
            if result.is_err() || steps.len() >= MOST_STEPS {
                break;
            }
        }
        self.put_plans_back(&mut plans);
        result.map(|()| (steps.len() < MOST_STEPS).then_some(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle of three keys is one component, at the end of the longest way to it.
    #[test]
    fn levels_are_those_of_the_longest_ways() {
        let steps = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 3), (1, 4), (4, 6), (8, 6)];
        assert_eq!(levels(9, &steps), [0, 1, 2, 3, 3, 3, 4, 0, 0]);
        assert_eq!(levels(2, &[]), [0, 0]);
        let without_cycles = [(3, 3), (0, 1), (1, 2), (0, 2), (2, 3), (4, 2)];
        assert_eq!(levels(5, &without_cycles), [0, 1, 2, 3, 0]);
        let next = Lists::grouped(5, without_cycles.iter().map(|&(from, to)| (from as usize, to)));
        assert_eq!(levels_of_components(5, &without_cycles, &next), [0, 1, 2, 3, 0]);
    }
}
