//! The passes of the optimizer as JSON: each with the rules before and after it.

use ludolog_logic::optimize::{Optimized, ProgramPart, text};
use ludolog_syntax::Syntax;
use serde_json::{Value, json};

/// The passes in the order in which they ran: `pass`, `changes` (`before`, `after`, `reason`), `notes`, `cost_before` and
/// `cost_after` as expected, and `duration_ns`, each null if it is not known.
pub fn to_json(optimized: &Optimized, syntax: Syntax) -> Vec<Value> {
    let program = &optimized.program.stratified.program;
    let parts = |parts: &[ProgramPart]| parts.iter().map(|part| text::part(part, program, syntax)).collect::<Vec<_>>();
    let step = |step: &ludolog_logic::optimize::PassRun| {
        let changes = step.changes.iter().map(
            |change| json!({ "before": parts(&change.before), "after": parts(&change.after), "reason": change.reason }),
        );
        json!({
            "pass": step.pass.name(),
            "changes": changes.collect::<Vec<_>>(),
            "notes": step.notes,
            "cost_before": step.cost.map(|(before, _)| before),
            "cost_after": step.cost.map(|(_, after)| after),
            "duration_ns": step.duration.map(|duration| duration.as_nanos() as u64),
        })
    };
    optimized.steps.iter().map(step).collect()
}
