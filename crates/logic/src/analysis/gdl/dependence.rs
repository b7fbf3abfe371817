//! The predicates that may depend on the state and on the moves.
//!
//! `init`, `base` and `input` hold once and for all, so none may depend on `true` or `does` (nor may `role`, which has no rules at
//! all: see `keywords`). `legal`, `goal` and
//! `terminal` hold in a state, before a move, so none may depend on `does`. What depends on these depends on `true`
//! mostly, so the other bans of the specification (`init` on `legal`, say) are not looked for. Cost: one breadth-first search
//! of the dependency graph for each of these nine pairs.

use crate::analysis::clause::CheckedProgram;
use crate::analysis::graph::DependencyGraph;
use indexmap::IndexMap;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxBuildHasher;

/// The keywords that may not depend on others, the others, and the reason.
type Ban = (&'static [(&'static str, usize)], &'static [(&'static str, usize)], &'static str);

const BANS: [Ban; 3] = [
    (&[("init", 1)], &[("true", 1), ("does", 2)], "must hold before there is a state or a move"),
    (&[("base", 1), ("input", 2)], &[("true", 1), ("does", 2)], "must list what any state and any move may be"),
    (
        &[("legal", 2), ("goal", 2), ("terminal", 0)],
        &[("does", 2)],
        "must hold in a state, before a move: let `next` remember what was moved",
    ),
];

/// Reports each literal that reads what it may not, with all keywords that depend on it; one literal for each keyword.
pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let dependencies = DependencyGraph::new(program);
    let graph = &dependencies.graph;
    let node = |&(name, arity): &(&str, usize)| dependencies.find(&Predicate::new(name, arity));
    for (keywords, banned, reason) in BANS {
        // By the literal that reads, the keywords that depend on it, with the literals of their rules by which they do.
        let mut reads: IndexMap<(Span, &str), Vec<(&str, Span)>, FxBuildHasher> = IndexMap::default();
        for keyword in keywords {
            let path = |given| {
                let from = node(keyword)?;
                let to = node(given)?;
                dependencies.path(from, to, |node| node == to || !is_never_passed(&dependencies.graph[node]))
            };
            let path = banned.iter().find_map(|given| Some((given.0, path(given)?)));
            if let Some((given, [first, .., last] | [first @ last])) =
                path.as_ref().map(|(given, path)| (*given, &path[..]))
            {
                let [first, last] = [first, last].map(|&edge| graph[edge].span);
                reads.entry((last, given)).or_default().push((keyword.0, first));
            }
        }
        for ((read, given), dependents) in reads {
            let names: Vec<String> = dependents.iter().map(|(name, _)| format!("`{name}`")).collect();
            let names = names.join(" and ");
            let depend = if dependents.len() == 1 { "depends" } else { "depend" };
            let mut diagnostic = Diagnostic::warning(Code::StateDependence, format!("{names} {depend} on `{given}`"))
                .help(format!("{names} {reason}"));
            for &(name, by) in dependents.iter().filter(|(_, by)| *by != read) {
                diagnostic = diagnostic.at(by, format!("`{name}` depends on this"));
            }
            found.push(diagnostic.at(read, format!("`{given}` is read here")));
        }
    }
}

/// Whether no path goes by way of the predicate, since it may not be read, or has no rules: `keywords` reports that.
fn is_never_passed(predicate: &Predicate) -> bool {
    matches!((predicate.name.written(), predicate.arity), (Some("init" | "next" | "true"), 1) | (Some("does"), 2))
}
