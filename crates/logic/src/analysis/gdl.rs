//! The rules of the Game Description Language, for programs that have roles.
//!
//! N. Love, T. Hinrichs, D. Haley, E. Schkufza, M. Genesereth: *General Game Playing: Game Description Language
//! Specification* (2008), sections 2 and 4. All are warnings: rulesheets in the wild break most of these rules somewhere,
//! and other systems play them.

use super::clause::CheckedProgram;
use super::graph::DependencyGraph;
use super::report::arguments;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use petgraph::visit::Dfs;
use rustc_hash::FxHashSet;

/// The names that GDL keeps for itself, with their arities.
const KEYWORDS: [(&str, usize); 10] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("terminal", 0),
    ("base", 1),
    ("input", 2),
];

/// Whether GDL gives the predicate a meaning of its own.
pub(super) fn is_keyword(predicate: &Predicate) -> bool {
    KEYWORDS.contains(&(&*predicate.name, predicate.arity))
}

/// Whether the program is a game: it says who plays, and what a player may do, begins with, comes to or aims at.
pub(super) fn has_roles(program: &CheckedProgram) -> bool {
    let defines = |name: &str, arity: usize| {
        let is = |atom: &Atom| &*atom.predicate == name && atom.args.len() == arity;
        program.facts.iter().any(is) || program.rules.iter().any(|rule| is(&rule.head))
    };
    defines("role", 1)
        && (defines("legal", 2)
            || defines("init", 1)
            || defines("next", 1)
            || defines("goal", 2)
            || defines("terminal", 0))
}

/// Reports how a game departs from the specification.
pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let misused = |message: String| Diagnostic::warning(Code::MisusedKeyword, message);
    let mut reported = FxHashSet::default();
    program.for_each_atom(&mut |atom| {
        let keyword = KEYWORDS.iter().find(|(name, _)| *name == &*atom.predicate);
        if let Some(&(name, arity)) = keyword
            && arity != atom.args.len()
            && reported.insert(atom.signature())
        {
            let given = arguments(atom.args.len());
            found.push(
                misused(format!("GDL's `{name}` takes {}, not {given}", arguments(arity)))
                    .at(atom.span, format!("{given} here")),
            );
        }
    });
    let heads = || program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head));
    for head in heads() {
        let way_out = match &*head.predicate {
            "true" => "say `init` for the first state, `next` for later ones",
            "does" => "say `legal` for what a role may do",
            _ => continue,
        };
        found.push(
            misused(format!("`{}` is given by the game, not by rules", head.predicate))
                .at(head.span, "stands in a head")
                .help(way_out),
        );
    }
    let place = heads().find(|head| &*head.predicate == "role").map(|head| head.span).unwrap_or(Span::NONE);
    for (name, arity) in [("legal", 2), ("goal", 2), ("terminal", 0)] {
        if !heads().any(|head| &*head.predicate == name && head.args.len() == arity) {
            found.push(misused(format!("no rule defines `{name}/{arity}`")).at(place, "a game begins here").help(
                match name {
                    "legal" => "say what a role may do, as in `legal(R, noop) :- role(R).`",
                    "goal" => "say what a role gets, from 0 to 100, as in `goal(R, 50) :- role(R).`",
                    _ => "say when the game is over",
                },
            ));
        }
    }
    check_independence(program, found);
}

/// `role` and `init` hold before there is a state or a move.
fn check_independence(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let dependencies = DependencyGraph::new(program);
    let graph = &dependencies.graph;
    for (name, arity) in [("role", 1), ("init", 1)] {
        let predicate = Predicate::new(name, arity);
        let Some(start) = graph.node_indices().find(|&node| graph[node] == predicate) else { continue };
        let mut search = Dfs::new(graph, start);
        while let Some(node) = search.next(graph) {
            let read = &graph[node];
            if !matches!((&*read.name, read.arity), ("true", 1) | ("does", 2)) {
                continue;
            }
            let reader = graph.edges_directed(node, petgraph::Direction::Incoming).next();
            let place = reader.map(|edge| edge.weight().span).unwrap_or(Span::NONE);
            found.push(
                Diagnostic::warning(Code::MisusedKeyword, format!("`{name}` depends on `{}`", read.name))
                    .at(place, format!("`{name}` reads this, directly or through other predicates"))
                    .help(format!("`{name}` must hold before there is a state or a move")),
            );
        }
    }
}
