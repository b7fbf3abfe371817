//! What concerns the answers to a goal besides them: constraints, which are conditions of rule files that must never hold, and oddities of the
//! program and of the goal.

use super::{Session, Solution};
use crate::term::{NoValue, Obstacle};
use ludolog_logic::analysis::clause::{Goal, Literal};
use ludolog_logic::analysis::{self, ColumnKinds};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Comparison, Predicate};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, counted};

/// Most bindings that are told of a constraint.
const SHOWN: usize = 5;

/// What must never hold, as told.
const NEVER: &str = "these conditions must never hold";

impl Session {
    /// What concerns the answers to a goal that is written in a syntax: warnings about the program, whose predicates may all get facts later,
    /// about inserted facts that neither rules nor the goal read, and about the goal, and the constraints that the facts so far break.
    ///
    /// # Errors
    ///
    /// As [`broken_constraints`](Self::broken_constraints).
    pub fn concerns(&mut self, goal: &Goal, syntax: Syntax) -> Result<Diagnostics, Stopped> {
        let case = self.case.predicates();
        let mut concerns = self.analyzed.warnings_so_far(&case);
        let asked = |predicate: &&Predicate| {
            goal.body.iter().filter_map(Literal::atom).any(|atom| atom.signature() == **predicate)
        };
        let unread = case.iter().filter(|predicate| self.inserted.contains(predicate)).filter(|one| !asked(one));
        concerns.extend(self.unread(unread.cloned()));
        concerns.extend(self.goal_warnings(goal, syntax));
        concerns.extend(self.broken_constraints()?.clone());
        Ok(concerns)
    }

    /// Warnings about a goal that is written in a syntax, by the facts so far: conditions that never hold, or not as they read, and symbols that are slips for
    /// others where the facts are not too many. Finds the kinds
    /// of values in the columns of all facts once, and again after a fact came with a value of another kind than its column had, or one went
    /// from columns of several kinds.
    pub fn goal_warnings(&mut self, goal: &Goal, syntax: Syntax) -> Diagnostics {
        if self.kinds.is_none() && analysis::depends_on_kinds(goal) {
            let program = &self.program().program;
            // What takes too long is left out, as the run tells.
            self.kinds = ColumnKinds::new(program, &self.case.columns(program), &self.budget).ok();
        }
        let program = &self.program().program;
        let mut warnings = analysis::lint_goal(goal, syntax, program, self.kinds.as_ref());
        warnings.extend(analysis::lint_symbols(goal, syntax, program, self.case.terms()));
        for (condition, none) in goal.body.iter().filter_map(without_value) {
            let is_told =
                |warning: &Diagnostic| warning.labels.first().is_some_and(|label| label.span == condition.span);
            if !warnings.iter().any(is_told) {
                let warning = "the condition has no value, so that it never holds";
                warnings.push(Diagnostic::warning(Code::NoValue, warning).at(condition.span, none.text(syntax)));
            }
        }
        warnings
    }

    /// The constraints of the program that the facts so far break, each with its place and its first bindings, and warnings of those of
    /// which this is undefined. Asks each of them once after a change of facts.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the program cannot be run or the budget ends before all are answered.
    pub fn broken_constraints(&mut self) -> Result<&Diagnostics, Stopped> {
        let broken = match self.broken.take() {
            Some(broken) => broken,
            None => self.ask_constraints()?,
        };
        Ok(self.broken.insert(broken))
    }

    fn ask_constraints(&mut self) -> Result<Diagnostics, Stopped> {
        let mut broken = Diagnostics::new();
        for constraint in self.program().program.constraints.clone() {
            let answers = self.solve(&constraint)?;
            if let Some(stopped) = answers.stopped {
                return Err(stopped);
            }
            if answers.holds() {
                broken.push(told(&constraint, &answers));
            } else if answers.is_undefined() {
                let warning = "whether a constraint is broken is undefined";
                broken.push(Diagnostic::warning(Code::UndefinedConstraint, warning).at(constraint.span, NEVER));
            }
        }
        Ok(broken)
    }
}

/// The diagnostic of a broken constraint: the number of its bindings, and the first of them.
fn told(constraint: &Goal, answers: &Solution) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::BrokenConstraint, message).at(constraint.span, NEVER);
    if answers.variables.is_empty() {
        return error("a constraint is broken".to_owned());
    }
    let shown: Vec<String> = answers.lines().take(SHOWN).collect();
    let count = answers.count();
    let more = if count > SHOWN { format!("; and {} more", count - SHOWN) } else { String::new() };
    error(format!("a constraint is broken by {}", counted(count, "binding")))
        .help(format!("{}{more}", shown.join("; ")))
}

/// The comparison that a literal is, if it computes constants, and they have no value.
fn without_value(literal: &Literal) -> Option<(&Comparison, NoValue)> {
    let Literal::Compare(comparison) = literal else { return None };
    // What does not fit 64 bits is an error of the run.
    let none = NoValue::of(comparison).filter(|none| !matches!(none.obstacle, Obstacle::Beyond(_)))?;
    Some((comparison, none))
}
