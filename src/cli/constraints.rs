//! Constraints: conditions of rule files that must never hold, asked of the case that a command has loaded.

use super::case::{CaseArgs, LoadedCase};
use super::{Failure, counted};
use ludolog::analysis::clause::Goal;
use ludolog::diagnostic::{Code, Diagnostic, Diagnostics};
use ludolog::engine::Solution;

/// Most bindings that are told of a constraint.
const SHOWN: usize = 5;

/// Asks all constraints of a program.
///
/// # Errors
///
/// Those that are broken, with their places, or the reason why this is not known.
pub fn check(loaded: &mut LoadedCase, args: &CaseArgs) -> Result<(), Failure> {
    let mut broken = Diagnostics::new();
    for constraint in loaded.session.program().program.constraints.clone() {
        let answers = loaded.session.solve(&constraint);
        let answers = answers.map_err(|stopped| args.explain(&loaded.session, &stopped, true))?;
        if let Some(stopped) = &answers.stopped {
            return Err(args.explain(&loaded.session, stopped, true));
        }
        if answers.holds() {
            broken.push(told(&constraint, &answers));
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(Failure::Diagnostics(Box::new(loaded.session.sources().clone()), broken))
    }
}

/// The diagnostic of a broken constraint: the number of its bindings, and the first of them.
fn told(constraint: &Goal, answers: &Solution) -> Diagnostic {
    let error = |message: String| {
        Diagnostic::error(Code::BrokenConstraint, message).at(constraint.span, "these conditions must never hold")
    };
    if answers.variables.is_empty() {
        return error("a constraint is broken".to_owned());
    }
    let table = answers.to_string();
    let shown: Vec<&str> = table.lines().take(SHOWN).collect();
    let count = answers.count();
    let more = if count > SHOWN { format!("; and {} more", count - SHOWN) } else { String::new() };
    error(format!("a constraint is broken by {}", counted(count, "binding")))
        .help(format!("{}{more}", shown.join("; ")))
}
