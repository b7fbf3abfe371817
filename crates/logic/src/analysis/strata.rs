//! Strata: an order of evaluation in which negation only looks back.
//!
//! A program is stratified when no predicate depends on itself through negation (K. Apt, H. Blair, A. Walker: *Towards
//! a theory of declarative knowledge*, 1988); its meaning is then the one perfect model. Game rules are often
//! stratified only by ground atom: `goal(robot, 100) :- ~goal(robot, 0).` Such components are [`specialize`]d first.
//! What still has a negative cycle has a [well-founded model](super::well_founded); in a game, and where the cycle goes
//! through an aggregate, a choice or a predicate with a lattice column, it is an error that shows the cycle.

use super::clause::{CheckedProgram, Literal, StratifiedProgram};
use super::graph::{Component, DependencyGraph};
use super::report::in_reading_order;
use super::specialize::{SplitComponent, specialize, unsplit};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use petgraph::graph::{EdgeIndex, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most negative dependencies of one component for which a cycle is sought; the shortest found is shown.
const MAX_CYCLES: usize = 50;

/// Stratifies; `None` when there is a negative cycle without a meaning, which is reported. GDL forbids even those that
/// splitting breaks, so in a game they are warned of.
pub(super) fn stratify(
    mut program: CheckedProgram,
    is_rulesheet: bool,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<Option<StratifiedProgram>, Stopped> {
    let mut graph = DependencyGraph::new(&program);
    let mut components = graph.components();
    let mut failed = false;
    let mut written = Vec::new();
    let unstratified: Vec<&Component> = components.iter().filter(|c| !c.is_stratified(&graph)).collect();
    if !unstratified.is_empty() {
        let predicates: Vec<FxHashSet<Predicate>> =
            unstratified.iter().map(|component| component.predicates(&graph).cloned().collect()).collect();
        let changed = program.changed();
        let mut split = FxHashSet::default();
        let mut specialized = Vec::new();
        for (part, component) in parts(&program, &predicates).into_iter().zip(&unstratified) {
            budget.check()?;
            // A predicate that has some facts alone of those that its rules derive has no parts.
            let is_selective = part.component.iter().any(|predicate| program.selects(predicate));
            let is_whole = is_selective || !part.component.is_disjoint(&changed);
            let divided = if is_whole { None } else { specialize(&part, budget)? };
            match divided {
                Some(divided) => {
                    if is_rulesheet {
                        let cycle = Diagnostic { severity: Severity::Warning, ..describe_cycle(&graph, component) };
                        found.push(cycle.help(
                            "no fact depends on its own negation, so the game is played; other systems may refuse it: define the \
                             negated predicate without the other",
                        ));
                    }
                    split.extend(part.component.iter().cloned());
                    specialized.push(divided);
                }
                None if !is_rulesheet && !is_selective && !aggregates_itself(&part) => {}
                None => {
                    failed = true;
                    found.push(describe_cycle(&graph, component));
                }
            }
        }
        program.facts.retain(|fact| !split.contains(&fact.signature()));
        written = program.rules.extract_if(.., |rule| split.contains(&rule.head.signature())).collect();
        for part in specialized {
            program.facts.extend(part.facts);
            program.rules.extend(part.rules);
        }
        graph = DependencyGraph::new(&program);
        components = graph.components();
    }
    if failed {
        return Ok(None);
    }
    Ok(Some(StratifiedProgram { split: written, ..in_order_of(program, &graph, &components) }))
}

/// A note for each component that depends on its own negation and gets the well-founded model.
pub fn well_founded_notes(stratified: &StratifiedProgram) -> Diagnostics {
    let mut found = Vec::new();
    if !stratified.negative.is_empty() {
        let graph = DependencyGraph::new(&stratified.program);
        for component in graph.components().iter().filter(|component| !component.is_stratified(&graph)) {
            let cycle = describe_cycle(&graph, component);
            found.push(Diagnostic { severity: Severity::Note, code: Code::WellFounded, ..cycle }.help(
                "its facts have the values of the well-founded model: true, false or undefined; `facts --undefined` lists those",
            ));
        }
    }
    in_reading_order(found)
}

/// Whether an aggregate ranges over what depends on it.
fn aggregates_itself(part: &SplitComponent) -> bool {
    part.rules.iter().flat_map(|rule| &rule.body).any(|literal| match literal {
        Literal::Aggregate(aggregation) => part.component.contains(&aggregation.atom.signature()),
        _ => false,
    })
}

/// The facts and rules of some components of a program.
fn parts<'a>(program: &'a CheckedProgram, components: &'a [FxHashSet<Predicate>]) -> Vec<SplitComponent<'a>> {
    let mut number: FxHashMap<&Predicate, usize> = FxHashMap::default();
    let mut parts = Vec::with_capacity(components.len());
    for (i, component) in components.iter().enumerate() {
        number.extend(component.iter().map(|predicate| (predicate, i)));
        parts.push(SplitComponent { component, facts: Vec::new(), rules: Vec::new() });
    }
    for fact in &program.facts {
        if let Some(&i) = number.get(&fact.signature()) {
            parts[i].facts.push(fact);
        }
    }
    for rule in &program.rules {
        if let Some(&i) = number.get(&rule.head.signature()) {
            parts[i].rules.push(rule);
        }
    }
    parts
}

/// Stratifies a rewritten program; `None` when the rewriting has made a negative cycle.
pub fn restratify(program: CheckedProgram) -> Option<StratifiedProgram> {
    Some(in_order(program)).filter(|stratified| stratified.negative.is_empty())
}

/// An analyzed program with more facts.
pub fn with_facts(program: &StratifiedProgram, facts: impl IntoIterator<Item = Atom>) -> StratifiedProgram {
    let split = program.split.clone();
    let mut program = program.program.clone();
    program.facts.extend(facts);
    StratifiedProgram { split, ..in_order(program) }
}

/// An analyzed program with more facts of predicates that are split by their constants: the facts get to the parts. `None` if with
/// these facts a negative cycle without a meaning stays.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn with_split_facts(
    program: &StratifiedProgram,
    facts: impl IntoIterator<Item = Atom>,
    budget: &Budget,
) -> Result<Option<StratifiedProgram>, Stopped> {
    let mut program = unsplit(program);
    program.facts.extend(facts);
    stratify(program, false, budget, &mut Vec::new())
}

/// Finds the strata of a program.
pub(super) fn in_order(program: CheckedProgram) -> StratifiedProgram {
    let graph = DependencyGraph::new(&program);
    let components = graph.components();
    in_order_of(program, &graph, &components)
}

fn in_order_of(program: CheckedProgram, graph: &DependencyGraph, components: &[Component]) -> StratifiedProgram {
    let defined: FxHashSet<_> = program.defined();
    let mut strata = Vec::new();
    let mut negative = Vec::new();
    for component in components {
        let predicates = component.predicates(graph).filter(|predicate| defined.contains(*predicate));
        let stratum: Vec<Predicate> = predicates.cloned().collect();
        if !component.is_stratified(graph) {
            negative.push(strata.len());
        }
        if !stratum.is_empty() {
            strata.push(stratum);
        }
    }
    StratifiedProgram { program, strata, negative, split: Vec::new() }
}

/// Puts the strata of a program, which have these costs, into the order of evaluation in which the cheapest comes first of those whose callees are
/// done. A program with negative cycles keeps its order.
pub fn cheapest_first(stratified: &mut StratifiedProgram, costs: &[f64]) {
    let count = stratified.strata.len();
    if !stratified.negative.is_empty() {
        return;
    }
    let graph = DependencyGraph::new(&stratified.program).graph;
    let strata = stratified.strata.iter().enumerate();
    let numbers: FxHashMap<&Predicate, usize> = strata.flat_map(|(i, s)| s.iter().map(move |p| (p, i))).collect();
    let number = |node: NodeIndex| numbers.get(&graph[node]).copied();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut left = vec![0; count];
    for (from, to) in graph.edge_indices().filter_map(|edge| graph.edge_endpoints(edge)) {
        if let (Some(caller), Some(callee)) = (number(from), number(to))
            && caller != callee
        {
            callers[callee].push(caller);
            left[caller] += 1;
        }
    }
    // Costs of estimates are finite and positive, and whole ones tell them apart.
    let entry = |stratum: usize| Reverse((costs[stratum] as u64, stratum));
    let mut ready: BinaryHeap<_> = (0..count).filter(|&stratum| left[stratum] == 0).map(entry).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, stratum))) = ready.pop() {
        order.push(stratum);
        for &caller in &callers[stratum] {
            left[caller] -= 1;
            ready.extend((left[caller] == 0).then(|| entry(caller)));
        }
    }
    stratified.strata = order.into_iter().map(|stratum| std::mem::take(&mut stratified.strata[stratum])).collect();
}

/// Describes a cycle through an aggregate, whose tuples are an auxiliary predicate that nobody has written.
fn describe_aggregate_cycle(graph: &DependencyGraph, cycle: &[EdgeIndex]) -> Option<Diagnostic> {
    let ends = |edge: &EdgeIndex| {
        let (from, to) = graph.graph.edge_endpoints(*edge).expect("the edge is in the graph");
        (&graph.graph[from], &graph.graph[to], graph.graph[*edge])
    };
    let first = cycle.iter().position(|edge| ends(edge).1.is_auxiliary() && ends(edge).2.negative)?;
    let cycle: Vec<&EdgeIndex> = cycle[first..].iter().chain(&cycle[..first]).collect();
    let start = ends(cycle[0]).0;
    let names: Vec<String> = cycle
        .iter()
        .map(|edge| ends(edge))
        .filter(|(from, ..)| !from.is_auxiliary())
        .map(|(from, ..)| format!("{from} → "))
        .collect();
    let message = format!("`{start}` depends on an aggregate over itself: {}{start}", names.concat());
    let mut diagnostic = Diagnostic::error(Code::NotStratified, message);
    for (from, to, dependency) in cycle.into_iter().map(ends) {
        let label = match (from.is_auxiliary(), to.is_auxiliary(), dependency.negative) {
            (false, true, _) => format!("`{from}` needs all of this"),
            (true, _, _) => format!("which needs `{to}`"),
            (_, _, true) => format!("`{from}` needs not `{to}`"),
            _ => format!("`{from}` needs `{to}`"),
        };
        diagnostic = diagnostic.at(dependency.span, label);
    }
    Some(diagnostic.help(
        "an aggregate needs all of what it counts: derive that by a predicate which does not depend on this one, then aggregate",
    ))
}

/// A cycle through an order, each step with its place; `None` of any other cycle.
fn describe_order_cycle(graph: &DependencyGraph, cycle: &[EdgeIndex]) -> Option<Diagnostic> {
    let ends = |edge: EdgeIndex| Some((graph.graph.edge_endpoints(edge)?, graph.graph[edge]));
    let first = cycle.iter().position(|&edge| graph.graph[edge].orders)?;
    let ((of, order), _) = ends(cycle[first])?;
    let message = format!(
        "`{}` keeps the best value by `{}`, which depends on it: what is best would have to be known before",
        graph.graph[of], graph.graph[order]
    );
    let mut diagnostic = Diagnostic::error(Code::NotStratified, message);
    for &edge in cycle[first..].iter().chain(&cycle[..first]) {
        let ((from, to), dependency) = ends(edge)?;
        let needs = match (dependency.orders, dependency.negative) {
            (true, _) => "is ordered by",
            (false, true) => "needs not",
            (false, false) => "needs",
        };
        diagnostic = diagnostic.at(dependency.span, format!("`{}` {needs} `{}`", graph.graph[from], graph.graph[to]));
    }
    Some(
        diagnostic.help(format!(
            "derive `{}` from predicates that do not depend on `{}`",
            graph.graph[order], graph.graph[of]
        )),
    )
}

/// The shortest cycle through one of the negative edges, each step with its place.
fn describe_cycle(graph: &DependencyGraph, component: &Component) -> Diagnostic {
    let cycle = component
        .negative_edges(graph)
        .take(MAX_CYCLES)
        .map(|edge| shortest_cycle(graph, component, edge))
        .min_by_key(Vec::len)
        .expect("the component has a negative edge");
    if let Some(diagnostic) = describe_aggregate_cycle(graph, &cycle).or_else(|| describe_order_cycle(graph, &cycle)) {
        return diagnostic;
    }
    let names: Vec<String> = cycle
        .iter()
        .map(|&edge| {
            let (from, _) = graph.graph.edge_endpoints(edge).expect("the edge is in the graph");
            let mark = if graph.graph[edge].negative { "~" } else { "" };
            format!("{} → {mark}", graph.graph[from])
        })
        .collect();
    let (start, _) = graph.graph.edge_endpoints(cycle[0]).expect("the edge is in the graph");
    let start = &graph.graph[start];
    let mut diagnostic = Diagnostic::error(
        Code::NotStratified,
        format!("`{start}` depends on its own negation: {}{start}", names.concat()),
    );
    for &edge in &cycle {
        let (from, to) = graph.graph.edge_endpoints(edge).expect("the edge is in the graph");
        let from = &graph.graph[from];
        let to = &graph.graph[to];
        let dependency = graph.graph[edge];
        let not = if dependency.negative { "not " } else { "" };
        diagnostic = diagnostic.at(dependency.span, format!("`{from}` needs {not}`{to}`"));
    }
    diagnostic.help("break the cycle: define the negated predicate without the other, or split it by its arguments")
}

/// `edge` and the shortest way back from its end to its start.
fn shortest_cycle(graph: &DependencyGraph, component: &Component, edge: EdgeIndex) -> Vec<EdgeIndex> {
    let inside: FxHashSet<NodeIndex> = component.nodes.iter().copied().collect();
    let (from, to) = graph.graph.edge_endpoints(edge).expect("the edge is in the graph");
    let back = graph.path(to, from, |node| inside.contains(&node)).expect("a component is strongly connected");
    [vec![edge], back].concat()
}
