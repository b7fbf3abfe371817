//! Recursion that counts towards a bound: whatever a rule computes besides, it is used so often only.
//!
//! One argument is chosen for each predicate. If from every recursive subgoal to the head that number stays or moves
//! towards a bound, always upwards or always downwards, then rules that always move it are used only finitely often on
//! any way through the recursion. They are set aside, and the same is tried for what is left: a lexicographic order.

use super::flow::{Growth, Positions, RuleOrigins, recursive_subgoals};
use crate::analysis::clause::Clause;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Larger components (positions times rules) are taken not to count.
const MAX_WORK: usize = 1_000_000;

/// The argument chosen for each predicate, if one is.
type ChosenArguments = Vec<Option<usize>>;

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
    let search = ArgumentSearch::new(rules, read, component);
    let starts =
        || search.arities.iter().enumerate().flat_map(|(predicate, &arity)| (0..arity).map(move |i| (predicate, i)));
    loop {
        let mut found = None;
        for (predicate, argument) in starts() {
            found = search.moving(predicate, argument, &limited, budget)?;
            if found.is_some() {
                break;
            }
        }
        let Some(moving) = found else { return Ok(limited) };
        limited.extend(moving);
    }
}

/// A recursive subgoal of a rule.
struct Step<'a> {
    /// Its predicate.
    from: usize,
    subgoal: &'a Atom,
    /// The change from each argument of the subgoal to each of the head, as far as it has been asked for.
    changes: Vec<OnceCell<Option<Growth>>>,
}

/// A rule of the component, with its predicates by their numbers.
struct SteppingRule<'a> {
    head: usize,
    args: usize,
    steps: Vec<Step<'a>>,
}

struct ArgumentSearch<'a> {
    rules: &'a [&'a Clause],
    read: &'a [RuleOrigins<'a>],
    stepping: Vec<SteppingRule<'a>>,
    /// The number of arguments of each predicate.
    arities: Vec<usize>,
    /// The rules that have to do with each predicate.
    rules_of: Vec<Vec<usize>>,
}

impl<'a> ArgumentSearch<'a> {
    fn new(rules: &'a [&'a Clause], read: &'a [RuleOrigins<'a>], component: &FxHashSet<&Predicate>) -> Self {
        let mut predicates: Vec<&Predicate> = component.iter().copied().collect();
        predicates.cold_sort();
        let numbers: FxHashMap<&Predicate, usize> = predicates.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        let mut rules_of = vec![Vec::new(); predicates.len()];
        let mut stepping = Vec::with_capacity(rules.len());
        for (i, rule) in rules.iter().enumerate() {
            let head = numbers[&rule.head.signature()];
            let args = rule.head.args.len();
            let step = |subgoal: &'a Atom| Step {
                from: numbers[&subgoal.signature()],
                subgoal,
                changes: vec![OnceCell::new(); subgoal.args.len() * args],
            };
            let steps: Vec<Step> = recursive_subgoals(rule, component).map(step).collect();
            let touched: BTreeSet<usize> = steps.iter().map(|step| step.from).chain([head]).collect();
            touched.into_iter().for_each(|predicate| rules_of[predicate].push(i));
            stepping.push(SteppingRule { head, args, steps });
        }
        let arities = predicates.iter().map(|predicate| predicate.arity).collect();
        Self { rules, read, stepping, arities, rules_of }
    }

    /// The change of the number at argument `from` of a subgoal to argument `to` of the head.
    fn change(&self, rule: usize, step: &Step, from: usize, to: usize) -> Option<Growth> {
        let change = || self.read[rule].progress(&step.subgoal.args[from], &self.rules[rule].head.args[to]);
        *step.changes[from * self.stepping[rule].args + to].get_or_init(change)
    }

    /// The rules that always move the number at this position, if the choice can be carried through all rules that are
    /// not `limited` yet and have to do with it; `None` if it cannot, or there are none.
    fn moving(
        &self,
        predicate: usize,
        argument: usize,
        limited: &FxHashSet<usize>,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Stopped> {
        let mut choice: ChosenArguments = vec![None; self.arities.len()];
        let mut reached: BTreeSet<usize> = BTreeSet::new();
        // The first rule that can choose does; a rule may only once one of its predicates is chosen for.
        let mut open: BTreeSet<usize> = BTreeSet::new();
        let mut chosen = Some((predicate, argument));
        loop {
            if let Some((predicate, argument)) = chosen {
                budget.check()?;
                choice[predicate] = Some(argument);
                let touched = || self.rules_of[predicate].iter().filter(|i| !limited.contains(i));
                open.extend(touched());
                reached.extend(touched());
            }
            let Some(&first) = open.first() else { break };
            chosen = self.carry(first, &choice);
            if chosen.is_none() {
                open.pop_first();
            }
        }
        Ok(self.all_move(&reached, &choice))
    }

    /// Those of the rules that move the chosen number, all in one direction; `None` if they do not, or there are none.
    fn all_move(&self, reached: &BTreeSet<usize>, choice: &ChosenArguments) -> Option<Vec<usize>> {
        let mut direction = None;
        let mut moving = Vec::new();
        for &i in reached {
            let rule = &self.stepping[i];
            let mut moves = true;
            for step in &rule.steps {
                let (to, from) = match (choice[rule.head], choice[step.from]) {
                    (None, None) => {
                        moves = false;
                        continue;
                    }
                    (to, from) => (to?, from?),
                };
                match self.change(i, step, from, to)? {
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

    /// An argument to choose for one more predicate of a rule, if there is one.
    fn carry(&self, i: usize, choice: &ChosenArguments) -> Option<(usize, usize)> {
        let rule = &self.stepping[i];
        rule.steps.iter().find_map(|step| match (choice[rule.head], choice[step.from]) {
            (Some(to), None) => {
                let mut arguments = 0..step.subgoal.args.len();
                arguments.find(|&a| self.change(i, step, a, to).is_some()).map(|a| (step.from, a))
            }
            (None, Some(a)) => {
                (0..rule.args).find(|&to| self.change(i, step, a, to).is_some()).map(|to| (rule.head, to))
            }
            _ => None,
        })
    }
}
