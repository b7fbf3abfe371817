//! Recursion that counts towards a bound: whatever a rule computes besides, it is used so often only.
//!
//! One argument is chosen for each predicate. If from every recursive subgoal to the head that number stays or moves
//! towards a bound, always upwards or always downwards, then rules that always move it are used only finitely often on
//! any way through the recursion. They are set aside, and the same is tried for what is left: a lexicographic order.

use super::flow::{Growth, Positions, RuleOrigins, recursive_subgoals};
use crate::analysis::clause::Clause;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger components (positions times rules) are taken not to count.
const MAX_WORK: usize = 1_000_000;

/// The argument chosen for each predicate.
type ChosenArguments = FxHashMap<Predicate, usize>;

/// The rules, by index, that a counter limits.
pub(super) fn counted(
    rules: &[&Clause],
    read: &[RuleOrigins],
    component: &FxHashSet<&Predicate>,
    positions: &Positions,
    budget: &Budget,
) -> Result<FxHashSet<usize>, Stopped> {
    let mut limited = FxHashSet::default();
    if positions.len().saturating_mul(rules.len()) > MAX_WORK {
        return Ok(limited);
    }
    let mut starts: Vec<(&Predicate, usize)> =
        component.iter().flat_map(|&predicate| (0..predicate.arity).map(move |i| (predicate, i))).collect();
    starts.cold_sort();
    let search = ArgumentSearch { rules, read, component };
    loop {
        let mut found = None;
        for &(predicate, argument) in &starts {
            found = search.moving(predicate, argument, &limited, budget)?;
            if found.is_some() {
                break;
            }
        }
        let Some(moving) = found else { return Ok(limited) };
        limited.extend(moving);
    }
}

struct ArgumentSearch<'a> {
    rules: &'a [&'a Clause],
    read: &'a [RuleOrigins<'a>],
    component: &'a FxHashSet<&'a Predicate>,
}

impl ArgumentSearch<'_> {
    /// The rules that always move the number at this position, if the choice can be carried through all rules that are
    /// not `limited` yet and have to do with it; `None` if it cannot, or there are none.
    fn moving(
        &self,
        predicate: &Predicate,
        argument: usize,
        limited: &FxHashSet<usize>,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Stopped> {
        let mut choice = ChosenArguments::from_iter([(predicate.clone(), argument)]);
        let open: Vec<usize> = (0..self.rules.len()).filter(|i| !limited.contains(i)).collect();
        while open.iter().any(|&i| self.carry(i, &mut choice)) {
            budget.check()?;
        }
        Ok(self.all_move(open, &choice))
    }

    /// Those of the `open` rules that move the chosen number, all in one direction; `None` if they do not, or there are
    /// none.
    fn all_move(&self, open: Vec<usize>, choice: &ChosenArguments) -> Option<Vec<usize>> {
        let mut direction = None;
        let mut moving = Vec::new();
        for i in open {
            let head = self.rules[i].head.signature();
            let mut moves = true;
            for subgoal in recursive_subgoals(self.rules[i], self.component) {
                let (to, from) = match (choice.get(&head), choice.get(&subgoal.signature())) {
                    (None, None) => {
                        moves = false;
                        continue;
                    }
                    (to, from) => (*to?, *from?),
                };
                match self.read[i].progress(&subgoal.args[from], &self.rules[i].head.args[to])? {
                    Growth::Stays => moves = false,
                    progress if *direction.get_or_insert(progress) == progress => {}
                    _ => return None,
                }
            }
            if moves {
                moving.push(i);
            }
        }
        (!moving.is_empty()).then_some(moving)
    }

    /// Chooses an argument for one more predicate of a rule; whether there was one to choose.
    fn carry(&self, i: usize, choice: &mut ChosenArguments) -> bool {
        let rule = self.rules[i];
        let head = rule.head.signature();
        for subgoal in recursive_subgoals(rule, self.component) {
            let from = subgoal.signature();
            let progress = |a: usize, b: usize| self.read[i].progress(&subgoal.args[a], &rule.head.args[b]).is_some();
            let chosen = match (choice.get(&head).copied(), choice.get(&from).copied()) {
                (Some(to), None) => (0..subgoal.args.len()).find(|&a| progress(a, to)).map(|a| (from, a)),
                (None, Some(a)) => (0..rule.head.args.len()).find(|&to| progress(a, to)).map(|to| (head.clone(), to)),
                _ => None,
            };
            if let Some((predicate, argument)) = chosen {
                choice.insert(predicate, argument);
                return true;
            }
        }
        false
    }
}
