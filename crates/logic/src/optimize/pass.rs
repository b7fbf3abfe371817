//! The interface of a pass: a rewriting of programs that has a name.

use super::change::ProgramChange;
use super::cost::Model;
use super::cost_model::CostModel;
use super::inputs::Inputs;
use super::program::OptimizedProgram;
use super::statistics::RecursionDepth;
use crate::analysis::clause::Goal;
use crate::analysis::restratify;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashSet;
use std::fmt;

/// A pass from program to program that keeps the answers to the goal. Of
/// [selective](crate::analysis::clause::StratifiedProgram::selective) predicates it changes the order of bodies at most.
///
/// A new pass is a type of its own in a file of its own, and one line in [`PASSES`](super::PASSES).
pub trait Pass: Send + Sync {
    /// The name by which users select the pass.
    fn name(&self) -> &'static str;

    /// Rewrites the program, whether that is expected to pay or not.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first; the program may then be half rewritten.
    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped>;

    /// Rewrites the program as far as the cost model expects that to pay; `None` where it does not pay at all.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        self.run(work, context).map(Some)
    }
}

/// Evaluates a program: all facts of each of the predicates given. It stops with [`Stopped::TooManyFacts`] when it
/// would hold more than the number given, and may stop early for any other reason; grounding then keeps the rules.
pub type Evaluate<'a> = dyn Fn(&OptimizedProgram, &[Predicate], u64) -> Result<Vec<Vec<Atom>>, Stopped> + 'a;

/// The engine that evaluates what grounding makes facts.
#[derive(Clone, Copy)]
pub struct Grounder<'a> {
    /// Its cost model.
    pub cost_model: CostModel,
    /// A run of it.
    pub evaluate: &'a Evaluate<'a>,
}

/// The circumstances under which passes run.
pub struct PassContext<'a> {
    /// The engine to optimize for.
    pub cost_model: CostModel,
    /// The predicates whose facts change with the case at hand.
    pub inputs: &'a Inputs,
    /// The engine that grounding needs.
    pub grounder: Grounder<'a>,
    /// The most facts that grounding may make.
    pub max_facts: u64,
    /// Whether a reordering of all bodies follows.
    pub reorders: bool,
    /// Limits the time of all passes together.
    pub budget: &'a Budget,
}

/// The program on its way through the passes.
#[derive(Clone)]
pub struct PassProgram {
    /// The program as rewritten so far.
    pub program: OptimizedProgram,
    /// The goal as rewritten so far.
    pub goal: Option<Goal>,
}

/// The report of one pass.
#[derive(Default)]
pub struct PassReport {
    /// The changes, in the order in which they were made.
    pub changes: Vec<ProgramChange>,
    /// Remarks that the changes do not show.
    pub notes: Vec<String>,
    /// The program with the changes, ready to run, where they are not expected to pay, but may all the same; the program itself stays
    /// as it is then.
    pub declined: Option<Box<PassProgram>>,
}

impl PassReport {
    /// The report, if it has changes.
    pub fn if_changed(self) -> Option<PassReport> {
        (!self.changes.is_empty()).then_some(self)
    }

    /// The report with one more remark.
    pub fn note(mut self, note: &str) -> Self {
        self.notes.push(note.to_owned());
        self
    }
}

impl PassProgram {
    /// Brings the strata up to date with the rules.
    ///
    /// # Errors
    ///
    /// [`Stopped::Internal`], when the pass has made a negative cycle.
    pub fn restratify(&mut self) -> Result<(), Stopped> {
        let program = std::mem::take(&mut self.program.stratified.program);
        let stratified = restratify(program);
        self.program.stratified = stratified.ok_or_else(|| Stopped::Internal("a negative cycle".to_owned()))?;
        Ok(())
    }

    /// The expected cost of the program, or of the goal.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn cost(&self, context: &PassContext) -> Result<f64, Stopped> {
        self.cost_reaching(RecursionDepth::Usual, context)
    }

    /// The expected [cost](Self::cost), with recursion that goes so far.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn cost_reaching(&self, reach: RecursionDepth, context: &PassContext) -> Result<f64, Stopped> {
        let PassContext { inputs, cost_model, budget, .. } = *context;
        let model = Model::reaching(reach, &self.program.stratified, inputs, cost_model, budget)?;
        let closures: FxHashSet<&Predicate> = self.program.closures.iter().map(|closure| &closure.predicate).collect();
        model.program_cost(&self.program.stratified, self.goal.as_ref(), &closures)
    }
}

impl PartialEq for dyn Pass {
    fn eq(&self, other: &dyn Pass) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn Pass {}

impl fmt::Debug for dyn Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for dyn Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
