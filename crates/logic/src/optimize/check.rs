//! The check of a pass's result: what analysis proves of a text must hold of what a pass makes of it.
//!
//! * Safety: bodies find bound what they need, and bind the variables of their heads.
//! * Arity: a made-up predicate has one arity; no other predicate appears that the program as written does not have.
//! * Definition: a made-up predicate that is read has rules or facts.
//! * Strata: each rule reads its own stratum or earlier ones, and only earlier ones where it needs all facts.
//! * Closures: none is the base or the step of another one, since an engine has no rows of it.
//! * Closedness: made-up predicates of the pass are closed, predicates of the case stay open, and what was closed stays closed.
//!
//! A pass that breaks one of these could lose facts or invent them. Takes time linear in the size of rules.

use super::inputs::Inputs;
use super::pass::PassProgram;
use super::program::OptimizedProgram;
use crate::analysis::clause::{CheckedProgram, Goal, Literal};
use ludolog_syntax::ast::{Atom, Name, Predicate, PredicateName};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program before any pass, as far as results of passes are held against it.
pub struct OriginalProgram {
    /// The predicates in rules, transitions and goals.
    mentioned: FxHashSet<Predicate>,
    /// The made-up predicates that analysis has defined.
    made: FxHashSet<Predicate>,
    closed: FxHashSet<Predicate>,
    variables: Option<Vec<Name>>,
}

impl OriginalProgram {
    /// The outline of a program on which no pass has run.
    pub fn of(work: &PassProgram) -> Self {
        let program = &work.program.stratified.program;
        let mut mentioned = FxHashSet::default();
        for_each_atom(program, work.goal.as_ref(), &mut |atom| _ = mentioned.insert(atom.signature()));
        let made = program.defined().into_iter().filter(Predicate::is_auxiliary).collect();
        let variables = work.goal.as_ref().map(|goal| goal.variables.clone());
        Self { mentioned, made, closed: work.program.closed.clone(), variables }
    }

    /// Checks the result of a pass.
    ///
    /// # Errors
    ///
    /// The first fault found, in words.
    pub fn check(&self, work: &PassProgram, inputs: &Inputs) -> Result<(), String> {
        let program = &work.program.stratified.program;
        program.check_safety()?;
        if let Some(goal) = &work.goal
            && (!goal.body.is_safe() || Some(&goal.variables) != self.variables.as_ref())
        {
            return Err("an unsafe goal, or one with other variables".to_owned());
        }
        self.check_predicates(&work.program, work.goal.as_ref())?;
        check_strata(&work.program)?;
        self.check_closed(&work.program, inputs)
    }

    fn check_predicates(&self, optimized: &OptimizedProgram, goal: Option<&Goal>) -> Result<(), String> {
        let program = &optimized.stratified.program;
        let defined: FxHashSet<Predicate> = program.defined().into_iter().filter(Predicate::is_auxiliary).collect();
        let mut arities: FxHashMap<PredicateName, usize> = FxHashMap::default();
        let mut fault = None;
        for_each_atom(program, goal, &mut |atom| {
            let predicate = atom.signature();
            if predicate.is_auxiliary() {
                let arity = *arities.entry(predicate.name.clone()).or_insert(predicate.arity);
                if arity != predicate.arity {
                    fault = Some(format!("`{predicate}` has {arity} arguments elsewhere"));
                }
                if !defined.contains(&predicate) && !self.mentioned.contains(&predicate) {
                    fault = Some(format!("nothing defines `{predicate}`"));
                }
            } else if !self.mentioned.contains(&predicate) {
                fault = Some(format!("`{predicate}` is not in the program as written"));
            }
        });
        let mut read = program.three_valued.derivations().flat_map(|(_, read)| read);
        // A closed predicate of which no fact and no rule is left is known to be empty.
        let is_lost =
            |read: &Predicate| self.made.contains(read) && !defined.contains(read) && !optimized.closed.contains(read);
        if let Some(predicate) = read.find(is_lost) {
            fault = Some(format!("nothing defines `{predicate}`"));
        }
        fault.map_or(Ok(()), Err)
    }

    fn check_closed(&self, program: &OptimizedProgram, inputs: &Inputs) -> Result<(), String> {
        let closed = &program.closed;
        if let Some(predicate) = self.closed.iter().find(|predicate| !closed.contains(predicate)) {
            return Err(format!("`{predicate}` is open again"));
        }
        let newly = |predicate: &&Predicate| closed.contains(*predicate) && !self.closed.contains(*predicate);
        if let Some(predicate) = inputs.predicates.iter().find(newly) {
            return Err(format!("`{predicate}` is closed, though its facts change with the case"));
        }
        let heads = program.stratified.program.rules.iter().map(|rule| rule.head.signature());
        let is_loose = |head: &Predicate| head.is_auxiliary() && !self.made.contains(head) && !closed.contains(head);
        match heads.into_iter().find(is_loose) {
            Some(head) => Err(format!("`{head}` is made up and open")),
            None => Ok(()),
        }
    }
}

fn check_strata(program: &OptimizedProgram) -> Result<(), String> {
    let strata = program.stratified.strata.iter().enumerate();
    let stratum: FxHashMap<&Predicate, usize> =
        strata.flat_map(|(number, predicates)| predicates.iter().map(move |predicate| (predicate, number))).collect();
    for rule in &program.stratified.program.rules {
        let head = rule.head.signature();
        let Some(&own) = stratum.get(&head) else { return Err(format!("`{head}` is of no stratum")) };
        for literal in &rule.body {
            let Some(read) = literal.atom().map(Atom::signature) else { continue };
            let Some(&number) = stratum.get(&read) else { continue };
            if number > own || number == own && literal.needs_all() {
                return Err(format!("`{head}` needs `{read}` of a later stratum: {}", super::text::clause(rule)));
            }
        }
    }
    for (derived, read) in program.stratified.program.three_valued.derivations() {
        for predicate in derived {
            let own = stratum.get(predicate).copied();
            if let Some(read) = read.iter().find(|read| stratum.get(read).is_some_and(|&number| Some(number) >= own)) {
                return Err(format!("`{predicate}` needs `{read}` of a later stratum"));
            }
        }
    }
    let closures: FxHashSet<&Predicate> = program.closures.iter().map(|closure| &closure.predicate).collect();
    for closure in &program.closures {
        let [own, base, step] =
            [&closure.predicate, &closure.base, &closure.step].map(|predicate| stratum.get(predicate).copied());
        if base.is_some_and(|base| Some(base) >= own) || step.is_some_and(|step| Some(step) >= own) {
            return Err(format!("the closure `{}` depends on itself", closure.predicate));
        }
        if let Some(read) = [&closure.base, &closure.step].into_iter().find(|read| closures.contains(read)) {
            return Err(format!("the closure `{}` reads rows of `{read}`, which is one", closure.predicate));
        }
    }
    Ok(())
}

/// Calls `visit` with every atom of rules, transitions, queries and the goal; facts are left out.
fn for_each_atom<'a>(program: &'a CheckedProgram, goal: Option<&'a Goal>, visit: &mut impl FnMut(&'a Atom)) {
    let rules = program.rules.iter();
    rules.clone().for_each(|rule| visit(&rule.head));
    let transitions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    let goals = program.goals().chain(goal).flat_map(|goal| &goal.body);
    rules.flat_map(|rule| &rule.body).chain(transitions).chain(goals).filter_map(Literal::atom).for_each(visit);
}
