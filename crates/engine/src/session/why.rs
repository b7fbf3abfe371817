//! Why a fact holds, why none does, and why one is undefined.

use super::Session;
use super::case_engine::CaseEngine;
use super::runner::Runner;
use super::settle::Wanted;
use super::written::as_written;
use crate::derivation::Derivation;
use crate::prepared::Setting;
use crate::refutation::{Refutation, Refuter};
use crate::undefined::{CycleSearch, UndefinedCycle};
use crate::value::number::Beyond;
use ludolog_logic::analysis;
use ludolog_logic::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{AggregateFunction, Atom, Join, Name, Predicate};
use ludolog_syntax::budget::Stopped;

/// What there is to say about a fact that may not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyNot {
    /// It holds, or an instance of it does.
    Holds,
    /// Neither it nor an instance of it holds.
    Refuted(Refutation),
    /// It is undefined, or instances of it are and none holds: the cycle through negation that one of them depends on, unless there is none
    /// near.
    Undefined(Option<UndefinedCycle>),
}

impl Session {
    /// Explains the first instance of a goal that is a single fact; `None` if it has none. The only pass that runs is
    /// reordering, so that the derivation refers to the rules as written.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, the goal is not a single fact, or the engine cannot explain.
    pub fn why(&self, goal: &Goal) -> Result<Option<Derivation>, Stopped> {
        let atom = single_fact(goal)?;
        self.check_explained(atom)?;
        let budget = &self.budget;
        let optimization = Optimization::Reordering;
        let setting = Setting { optimization, record: true, ..self.setting.clone() };
        let runner = Runner { setting: &setting, ..self.runner()? };
        let run = |program: &StratifiedProgram| {
            let runner = Runner { program, ..runner };
            let mut loaded = runner.optimized(&setting, self.planned(goal), false)?;
            loaded.engine.update(budget)?;
            let solution = loaded.solve(goal, false, budget);
            match solution.stopped {
                Some(stopped @ Stopped::Overflow(_)) => Err(stopped),
                _ => Ok((loaded, solution)),
            }
        };
        let (mut loaded, solution) = match run(runner.program) {
            Err(Stopped::Overflow(_)) => {
                let asked = Wanted::Goal(goal, self.planned(goal));
                let mut settled = runner.settle(asked).map_err(|stopped| self.located(stopped, asked))?;
                let solution = settled.solve(goal, false, budget);
                (settled, solution)
            }
            Err(stopped) if stopped.lacks_value() => run(&self.without_undecided(goal, stopped)?)?,
            ran => ran?,
        };
        let Some(row) = solution.answers().next() else {
            return solution.stopped.map_or(Ok(None), Err);
        };
        let mut value = |name: &Name| goal.variables.iter().position(|other| other == name).map(|at| row[at].clone());
        let args = atom.args.iter().map(|arg| arg.replace_variables(&mut value)).collect();
        let explain = loaded.engine.as_explain();
        let derivation = explain.and_then(|explain| explain.derivation(&Atom { args, ..atom.clone() }));
        Ok(derivation.map(|derivation| as_written(derivation, &self.program().split)))
    }

    /// Checks that no fact that an instance of an atom may be derived from is joined of several derivations.
    fn check_explained(&self, atom: &Atom) -> Result<(), Stopped> {
        let program = &self.program().program;
        let joined =
            program.lattices.iter().filter(|(_, lattice)| lattice.join == Join::Function(AggregateFunction::Union));
        let joined: Vec<&Predicate> = joined.map(|(predicate, _)| predicate).collect();
        if joined.is_empty() {
            return Ok(());
        }
        let needed = program.with_dependencies([atom.signature()]);
        match joined.into_iter().find(|predicate| needed.contains(*predicate)) {
            Some(predicate) => Err(Stopped::Unsupported(format!(
                "`{predicate}` unites values of several derivations, and none of them explains the fact: ask of what they are united"
            ))),
            None => Ok(()),
        }
    }

    /// Refutes a goal that is a single fact: for each rule that could derive an instance of it, the first condition that
    /// fails, and so on, `depth` levels deep; or tells why none can be refuted. The refutation refers to the rules as written;
    /// any engine can make it. Given facts are those after the events of the case.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, the goal is not a single fact, or the program cannot be run.
    pub fn why_not(&mut self, goal: &Goal, depth: usize) -> Result<WhyNot, Stopped> {
        let atom = single_fact(goal)?;
        if self.is_undefined(goal)? {
            return self.cycle(goal, atom).map(WhyNot::Undefined);
        }
        let budget = &self.budget;
        let mut loaded = match self.in_order(goal) {
            Err(Stopped::Overflow(_)) => {
                let asked = Wanted::Goal(goal, self.planned(goal));
                self.runner()?.settle(asked).map_err(|stopped| self.located(stopped, asked))?
            }
            ran => ran?,
        };
        // Conditions are asked that the rules would not come to.
        if let Some(rows) = loaded.engine.as_rows() {
            rows.interner_mut().set_beyond(Beyond::Skip);
        }
        let program = &self.program().program;
        let mut defined = analysis::definable(program, analysis::has_roles(program));
        defined.extend(self.case.predicates());
        let rules = self.program().rules_as_written();
        let three_valued = &loaded.prepared.optimized.program.stratified.program.three_valued;
        let lattices = &program.lattices;
        let choices = &program.choices;
        let refuted = Refuter { engine: &mut *loaded.engine, three_valued, lattices, choices, rules, defined, budget }
            .refute(atom, depth)?;
        Ok(refuted.map_or(WhyNot::Holds, WhyNot::Refuted))
    }

    /// Whether a goal has undefined answers and no true one.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends or the program cannot be run.
    pub fn is_undefined(&mut self, goal: &Goal) -> Result<bool, Stopped> {
        if self.undefinable().is_empty() {
            return Ok(false);
        }
        let answers = self.first(goal)?;
        Ok(!answers.holds() && answers.is_undefined())
    }

    /// The cycle through negation that an undefined instance of a goal, which is one atom, depends on.
    fn cycle(&self, goal: &Goal, atom: &Atom) -> Result<Option<UndefinedCycle>, Stopped> {
        let budget = &self.budget;
        let mut loaded = self.in_order(goal)?;
        let three_valued = &loaded.prepared.optimized.program.stratified.program.three_valued;
        let rules = self.program().rules_as_written();
        CycleSearch { engine: &mut *loaded.engine, three_valued, rules, budget }.cycle(atom)
    }

    /// An engine that has run the rules as written, their conditions in order: all of them, or those that a goal depends on where an
    /// aggregate among the others has no value, or a lattice column no order.
    fn in_order(&self, goal: &Goal) -> Result<CaseEngine, Stopped> {
        let setting = Setting { optimization: Optimization::Reordering, ..self.setting.clone() };
        let runner = self.runner()?;
        let run = |program: &StratifiedProgram| -> Result<CaseEngine, Stopped> {
            let mut loaded = Runner { program, ..runner }.optimized(&setting, None, false)?;
            loaded.engine.update(&self.budget)?;
            Ok(loaded)
        };
        match run(runner.program) {
            Err(stopped) if stopped.lacks_value() => run(&self.without_undecided(goal, stopped)?),
            ran => ran,
        }
    }
}

/// The atom of a goal that can be explained.
fn single_fact(goal: &Goal) -> Result<&Atom, Stopped> {
    match &goal.body[..] {
        [Literal::Positive(atom)] => Ok(atom),
        _ => {
            Err(Stopped::Unsupported("only a single fact can be explained, not a conjunction or a negation".to_owned()))
        }
    }
}
