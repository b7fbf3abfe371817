//! The search for recursion that never ends, component by component.

use super::count;
use super::flow::{Gain, Positions, RuleOrigins, ValueFlow, joins_symbols, recursive_subgoals};
use super::guard::Guards;
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use crate::analysis::graph::{DependencyGraph, rules_by_head};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Formula, Lattice, Name, Predicate, Program, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Severity, Span};
use ludolog_syntax::{Syntax, print_formula, print_term};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most rounds of finding bounded positions; each chain of positions that bound each other needs as many as it is long.
const MAX_ROUNDS: usize = 100;
/// Most relaxations in the search for a growing cycle; a larger component in which something grows counts as growing.
const MAX_RELAXATIONS: usize = 10_000_000;

/// Reports rules whose repeated use never ends.
pub(in crate::analysis) fn check(
    program: &CheckedProgram,
    written: &Program,
    is_game: bool,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let unbound = found.iter().filter(|diagnostic| diagnostic.code == Code::UnsafeVariable);
    let unbound: BTreeSet<_> = unbound
        .filter_map(|diagnostic| diagnostic.labels.first())
        .map(|label| (label.span.source, label.span.start))
        .collect();
    // A rule with an unbound variable is reported as such; what it would build without is not known.
    let is_safe = |rule: &Clause| {
        let Span { source, start, end } = rule.span;
        unbound.range((source, start)..(source, end)).next().is_none()
    };
    let graph = DependencyGraph::new(program);
    let rules_of = rules_by_head(&program.rules);
    for component in graph.components().iter().filter(|component| component.recursive) {
        let predicates: FxHashSet<&Predicate> = component.predicates(&graph).collect();
        let rules = component.rules(&graph, &rules_of).into_iter().map(|i| &program.rules[i]);
        let rules: Vec<&Clause> = rules.filter(|rule| recursive_subgoals(rule, &predicates).next().is_some()).collect();
        let growing = growing(&rules, &predicates, &program.lattices, budget)?;
        let mut reported = FxHashSet::default();
        if !growing.is_empty() && !rules.iter().all(|rule| is_restricted(rule, &predicates)) {
            for flow in
                growing.iter().filter(|flow| is_safe(rules[flow.rule]) && reported.insert(rules[flow.rule].span))
            {
                let syntax = written.syntax_at(rules[flow.rule].span);
                let error = describe(rules[flow.rule], flow, &predicates, syntax);
                let severity = if is_game || written.may_grow { Severity::Warning } else { error.severity };
                found.push(Diagnostic { severity, ..error });
            }
        }
        if is_game && reported.is_empty() {
            let unrestricted = rules.iter().filter_map(|rule| Some((rule, unrestricted(rule, &predicates)?)));
            for (rule, (atom, argument)) in unrestricted.filter(|(rule, _)| is_safe(rule) && reported.insert(rule.span))
            {
                found.push(describe_unrestricted(rule, atom, argument));
            }
        }
    }
    Ok(())
}

/// The flows by which terms grow around a cycle; none when the recursion of these rules ends.
fn growing(
    rules: &[&Clause],
    component: &FxHashSet<&Predicate>,
    lattices: &FxHashMap<Predicate, Lattice>,
    budget: &Budget,
) -> Result<Vec<ValueFlow>, Stopped> {
    let positions = Positions::new(component);
    // One value is kept there, however many are computed. Whether it gets better for ever depends on the data.
    let of_lattices = lattices.iter().filter(|(predicate, _)| component.contains(*predicate));
    let of_lattices: FxHashSet<usize> =
        of_lattices.map(|(predicate, lattice)| positions.of(predicate, lattice.column)).collect();
    let symbols_are_finite = !rules.iter().any(|rule| joins_symbols(rule));
    let mut bounded: FxHashSet<usize> = FxHashSet::default();
    let mut last = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let mut read: Vec<RuleOrigins> = Vec::with_capacity(rules.len());
        for rule in rules {
            budget.check()?;
            read.push(RuleOrigins::new(rule, component, &positions, &bounded, symbols_are_finite));
        }
        // All flows, and those of rules that may be used again and again.
        let flows = read.iter().enumerate().flat_map(|(i, rule)| rule.flows(i, &positions));
        let flows: Vec<ValueFlow> = flows.filter(|flow| !of_lattices.contains(&flow.to)).collect();
        let all = flow_graph(flows, &positions);
        last = growing_in(&all, budget)?;
        if !last.is_empty() {
            let counted = count::counted(rules, &read, component, &positions, budget)?;
            if !counted.is_empty() {
                let endless = all.edge_weights().filter(|flow| !counted.contains(&flow.rule)).cloned().collect();
                last = growing_in(&flow_graph(endless, &positions), budget)?;
            }
        }
        let mut unbounded: FxHashSet<usize> = FxHashSet::default();
        let mut open: Vec<NodeIndex> = last.iter().map(|flow| NodeIndex::new(flow.to)).collect();
        while let Some(node) = open.pop() {
            if unbounded.insert(node.index()) {
                open.extend(all.neighbors(node));
            }
        }
        let known = bounded.len();
        bounded = (0..positions.len()).filter(|position| !unbounded.contains(position)).collect();
        if last.is_empty() || bounded.len() == known {
            break;
        }
    }
    Ok(last)
}

/// The graph of these flows.
fn flow_graph(flows: Vec<ValueFlow>, positions: &Positions) -> DiGraph<(), ValueFlow> {
    let mut graph = DiGraph::with_capacity(positions.len(), flows.len());
    for _ in 0..positions.len() {
        graph.add_node(());
    }
    for flow in flows {
        graph.add_edge(NodeIndex::new(flow.from), NodeIndex::new(flow.to), flow);
    }
    graph
}

/// The flows of a graph that make terms grow around a cycle.
fn growing_in(graph: &DiGraph<(), ValueFlow>, budget: &Budget) -> Result<Vec<ValueFlow>, Stopped> {
    let mut growing = Vec::new();
    for nodes in kosaraju_scc(graph) {
        growing.extend(growing_flows(graph, &nodes, budget)?.into_iter().map(|edge| graph[edge].clone()));
    }
    Ok(growing)
}

/// The flows inside one strongly connected set of positions that make its terms grow.
fn growing_flows(
    graph: &DiGraph<(), ValueFlow>,
    nodes: &[NodeIndex],
    budget: &Budget,
) -> Result<Vec<EdgeIndex>, Stopped> {
    let inside: FxHashSet<NodeIndex> = nodes.iter().copied().collect();
    let edges: Vec<EdgeIndex> = nodes
        .iter()
        .flat_map(|&node| graph.edges(node))
        .filter(|edge| inside.contains(&edge.target()))
        .map(|edge| edge.id())
        .collect();
    let counting: Vec<EdgeIndex> = edges.iter().copied().filter(|&edge| graph[edge].gain >= Gain::Joins).collect();
    if !counting.is_empty() {
        return Ok(counting);
    }
    // A list without duplicates stays one only where nothing else is built.
    let builds = edges.iter().any(|&edge| matches!(graph[edge].gain, Gain::Levels { builds: true, .. }));
    let levels = |edge: EdgeIndex| match graph[edge].gain {
        Gain::Levels { levels, .. } => levels,
        Gain::NewElement => i64::from(builds),
        Gain::Joins | Gain::Counts => unreachable!("counting flows were returned"),
    };
    let rising: Vec<EdgeIndex> = edges.iter().copied().filter(|&edge| levels(edge) > 0).collect();
    let falls = edges.iter().any(|&edge| levels(edge) < 0);
    if rising.is_empty() || !falls {
        return Ok(rising);
    }
    // Longest paths settle within as many rounds as there are nodes, unless a cycle grows.
    let mut height: FxHashMap<NodeIndex, i64> = nodes.iter().map(|&node| (node, 0)).collect();
    for round in 0..=nodes.len() {
        budget.check()?;
        if round.saturating_mul(edges.len()) > MAX_RELAXATIONS {
            break;
        }
        let mut changed = false;
        for &edge in &edges {
            let (from, to) = graph.edge_endpoints(edge).expect("the edge is in the graph");
            let reached = height[&from] + levels(edge);
            if reached > height[&to] {
                height.insert(to, reached);
                changed = true;
            }
        }
        if !changed {
            return Ok(Vec::new());
        }
    }
    Ok(rising)
}

/// Whether the rule keeps GDL's recursion restriction and computes nothing: computed values are beyond GDL.
fn is_restricted(rule: &Clause, component: &FxHashSet<&Predicate>) -> bool {
    let computes = rule.body.iter().any(|literal| match literal {
        Literal::Positive(_) | Literal::Negative(_) => false,
        Literal::Compare(comparison) => comparison.comparator != Comparator::NotEqual,
        Literal::NotCompare(_) | Literal::Member { .. } | Literal::Aggregate(_) => true,
    });
    !computes && unrestricted(rule, component).is_none()
}

/// The first recursive subgoal that breaks GDL's recursion restriction, with the number of the argument that does: one
/// that is not ground, no argument of the head, and has variables that no literal outside the component binds.
fn unrestricted<'a>(rule: &'a Clause, component: &FxHashSet<&Predicate>) -> Option<(&'a Atom, usize)> {
    let mut outside: FxHashSet<&Name> = FxHashSet::default();
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal
            && !component.contains(&atom.signature())
        {
            atom.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = outside.insert(name)));
        }
    }
    let from_outside = |arg: &Term| {
        let mut all = true;
        arg.for_each_variable(&mut |name| all &= outside.contains(name));
        all
    };
    recursive_subgoals(rule, component).find_map(|atom| {
        let argument = atom.args.iter().position(|arg| !rule.head.args.contains(arg) && !from_outside(arg))?;
        Some((atom, argument + 1))
    })
}

fn describe_unrestricted(rule: &Clause, subgoal: &Atom, argument: usize) -> Diagnostic {
    let message = format!("recursion through `{}` breaks GDL's recursion restriction", rule.head.signature());
    Diagnostic::warning(Code::UnrestrictedRecursion, message)
        .at(subgoal.span, format!("argument {argument} is neither in the head nor bound outside the recursion"))
        .help("bind its variables by a condition that does not depend on the head")
}

fn describe(rule: &Clause, flow: &ValueFlow, component: &FxHashSet<&Predicate>, syntax: Syntax) -> Diagnostic {
    let head = rule.head.signature();
    let argument = flow.argument + 1;
    let mut missing = Vec::new();
    let (message, place, help) = match flow.gain {
        Gain::Counts => (
            format!("recursion through `{head}` counts without a bound"),
            format!("argument {argument} is computed from `{}` itself, again and again", head.name),
            missing_bound(rule, &rule.head.args[flow.argument], syntax, &mut missing),
        ),
        Gain::Joins => (
            format!("recursion through `{head}` joins ever longer symbols"),
            format!("argument {argument} is joined from `{}` itself, again and again", head.name),
            {
                let successor = Term::Compound("+".into(), vec![Term::variable("m"), Term::Integer(1)]);
                let counted = comparison("n", Comparator::Is, successor, syntax);
                let limited = comparison("n", Comparator::LessOrEqual, Term::Integer(9), syntax);
                let length = Term::Compound("length".into(), vec![rule.head.args[flow.argument].clone()]);
                let short = of_terms(length, Comparator::LessOrEqual, Term::Integer(9), syntax);
                format!(
                    "limit how long it may be, `{short}`, or how often, by a number that is counted along: `{counted}` and \
                     `{limited}`"
                )
            },
        ),
        _ => (
            format!("recursion through `{head}` builds ever larger terms"),
            format!("argument {argument} is larger each time that this rule is used"),
            {
                let member = Atom::new("member", vec![Term::variable("x"), Term::variable("l")]);
                let is_new = print_formula(&Formula::Not(Box::new(Formula::Atom(member))), syntax);
                format!(
                    "take the parts of the larger term from a literal outside the recursion, or let a list take only new \
                     elements: `{is_new}`"
                )
            },
        ),
    };
    let mut diagnostic = Diagnostic::error(Code::GrowingTerms, message).at(rule.head.span, place);
    if let Some(subgoal) = recursive_subgoals(rule, component).next() {
        diagnostic = diagnostic.at(subgoal.span, "what it is made from comes from here");
    }
    let diagnostic = diagnostic.help(joined_value(&rule.head.args[flow.argument], syntax).unwrap_or(help));
    if missing.is_empty() || rule.span == Span::NONE {
        return diagnostic;
    }
    // Before the period, or the last parenthesis.
    let end = Span { start: rule.span.end.saturating_sub(1), end: rule.span.end.saturating_sub(1), ..rule.span };
    let mark = if syntax == Syntax::Kif { " " } else { " & " };
    diagnostic.example(end, missing.iter().map(|condition| format!("{mark}{condition}")).collect::<String>())
}

/// The way out where an argument of a head is `min(D)`, which is a term, and probably meant as the least value.
fn joined_value(argument: &Term, syntax: Syntax) -> Option<String> {
    let Term::Compound(name, args) = argument else { return None };
    let ([variable @ Term::Variable(_)], "min" | "max", Syntax::Datalog) = (&args[..], &**name, syntax) else {
        return None;
    };
    let [term, variable] = [argument, variable].map(|term| print_term(term, syntax));
    Some(format!("`{term}` is a term here: `{name} {variable}`, without parentheses, keeps one value for all others"))
}

/// The condition that is missing for a number to be seen to end: the bound that it moves to, or that it moves to it
/// always. Those that are known are added to `missing`.
fn missing_bound(rule: &Clause, number: &Term, syntax: Syntax, missing: &mut Vec<String>) -> String {
    let general = || {
        let bound = comparison("x", Comparator::Less, Term::Integer(100), syntax);
        format!(
            "compare it with a bound in the direction that it moves, as in `{bound}`, or take the new value from a finite relation"
        )
    };
    let Term::Variable(name) = number else { return general() };
    let sum = rule.body.iter().find_map(|literal| match literal {
        Literal::Compare(Comparison { comparator: Comparator::Is | Comparator::Equal, left, right, .. })
            if left == number =>
        {
            Some(right)
        }
        _ => None,
    });
    let Some(Term::Compound(functor, args)) = sum else { return general() };
    let is_sum = matches!(&**functor, "+" | "-");
    if !is_sum || args.iter().any(|arg| matches!(arg, Term::Compound(..))) {
        return missing_sides(rule, name, syntax, missing).unwrap_or_else(general);
    }
    let (up, [Term::Variable(left), Term::Variable(right)]) = (&**functor == "+", &args[..]) else {
        return general();
    };
    let is_given = |name: &Name| {
        rule.body.iter().any(|literal| {
            matches!(literal, Literal::Positive(atom) if atom.signature() != rule.head.signature()
                && atom.args.iter().any(|arg| matches!(arg, Term::Variable(other) if other == name)))
        })
    };
    let by = if up && is_given(left) && !is_given(right) { left } else { right };
    let guards = Guards::new(rule);
    let is_bounded = if up { guards.has_upper(name, &|_| true) } else { guards.has_lower(name, &|_| true) };
    let is_one_way = guards.is_not_negative(by);
    let bound = if up {
        comparison(name, Comparator::LessOrEqual, Term::Integer(100), syntax)
    } else {
        comparison(name, Comparator::GreaterOrEqual, Term::Integer(0), syntax)
    };
    let one_way = comparison(by, Comparator::GreaterOrEqual, Term::Integer(0), syntax);
    let [name, by] = [name, by].map(|name| print_term(&Term::Variable(name.clone()), syntax));
    if !is_one_way {
        missing.push(one_way.clone());
    }
    if !is_bounded {
        missing.push(bound.clone());
    }
    match (is_bounded, is_one_way) {
        (true, false) => {
            format!(
                "no lower bound of `{by}` is known, and on a cycle `{name}` might move away from its bound: add `{one_way}`"
            )
        }
        (false, true) => {
            format!("nothing bounds `{name}` in the direction that it moves: add a bound, as in `{bound}`")
        }
        _ => format!("say that it moves in one direction, and how far: add `{one_way}`, and a bound, as in `{bound}`"),
    }
}

/// The bounds that are missing for a number that may move either way, as a product does. Those are added to `missing`; `None` if it has
/// both.
fn missing_sides(rule: &Clause, name: &Name, syntax: Syntax, missing: &mut Vec<String>) -> Option<String> {
    let guards = Guards::new(rule);
    let lower = comparison(name, Comparator::GreaterOrEqual, Term::Integer(0), syntax);
    let upper = comparison(name, Comparator::LessOrEqual, Term::Integer(100), syntax);
    let shown = print_term(&Term::Variable(name.clone()), syntax);
    match (guards.has_lower(name, &|_| true), guards.has_upper(name, &|_| true)) {
        (true, true) => None,
        (false, true) => {
            missing.push(lower.clone());
            Some(format!("`{shown}` has an upper bound, and might go down for ever: add a lower one, as in `{lower}`"))
        }
        (true, false) => {
            missing.push(upper.clone());
            Some(format!("`{shown}` has a lower bound, and might go up for ever: add an upper one, as in `{upper}`"))
        }
        (false, false) => {
            missing.extend([lower.clone(), upper.clone()]);
            Some(format!(
                "`{shown}` might go up or down for ever: add bounds on both sides, as in `{lower}` and `{upper}`"
            ))
        }
    }
}

/// A comparison as the file at hand spells it.
fn comparison(variable: &str, comparator: Comparator, right: Term, syntax: Syntax) -> String {
    of_terms(Term::variable(variable), comparator, right, syntax)
}

fn of_terms(left: Term, comparator: Comparator, right: Term, syntax: Syntax) -> String {
    let comparison = Comparison { comparator, left, right, span: Span::NONE };
    print_formula(&Formula::Compare(comparison), syntax)
}

#[cfg(test)]
mod tests {
    use ludolog_syntax::diagnostic::{Code, Sources};
    use ludolog_syntax::{Syntax, parse};

    /// Counts the rules refused as growing; nothing else may be wrong.
    fn refused(text: &str) -> usize {
        let mut sources = Sources::new();
        let source = sources.add("test.dl", text);
        let program = parse(source, &sources, Syntax::Datalog).into_result().expect("the test parses");
        let Err(found) = crate::analysis::analyze(&program) else { return 0 };
        assert!(found.iter().all(|diagnostic| diagnostic.code == Code::GrowingTerms), "{text}: {found:?}");
        found.iter().count()
    }

    #[test]
    fn endless_recursion_is_refused() {
        for text in [
            "p(f(X)) :- p(X).",
            "p([X | L]) :- p(L) & d(X).",
            "p(Y) :- p(X) & Y = f(X).",
            "n(Y) :- n(X) & Y is X + 1.",
            "n(Y) :- n(X) & Y = X + 1.",
            "n(Y) :- n(X) & Y is X - 1 & Y < 10.",
            "n(Y) :- n(X) & d(D) & Y is min(X - 1, D) & Y <= 9.",
            "n(Y) :- n(X) & n(D) & Y is min(X + 1, D + 1) & Y >= 0.",
            "s(Z) :- s(X) & s(Y) & Z is cat(X, Y) & length(X) < 8.",
            "s(Z) :- s(X) & s(Y) & Z is cat(X, Y) & length(Z) >= 8.",
            "n(Y) :- n(X) & Y is X * 2 & Y < 10.",
            "n(Y) :- n(X) & Y is X + 1 & X != 10.",
            // The limit grows too.
            "n(Y, Z) :- n(X, L) & Y is X + 1 & Y < L & Z is L + 1.",
            // The length of paths on a cycle.
            "path(X, Z, N) :- path(X, Y, M) & edge(Y, Z) & N is M + 1.",
            // Through another predicate, and by turns.
            "p(f(X)) :- q(X). q(X) :- p(X).",
            "p(f(f(X))) :- q(X). q(X) :- p(f(X)).",
            // The test is of another list, or the element comes from the recursion.
            "v([D | V]) :- v(V) & d(D) & ~member(D, [D]).",
            "v([D | V]) :- v([D | V]) & v(V) & ~member(D, V). v(f(V)) :- v(V).",
            // A list without duplicates, whose first element another rule replaces.
            "v([D | V]) :- v(V) & d(D) & ~member(D, V). v([a | V]) :- v([_ | V]).",
            // The summands may be negative.
            "sum(S) :- sum(T) & step(D) & S is T + D & S < 100.",
            // The counter is bounded, but only one of the two rules counts.
            "f(M, G) :- f(N, F) & N < 9 & M is N + 1 & G is F * M. f(N, G) :- f(N, F) & G is F + 1.",
            // Costs may be negative, so that a cycle goes down for ever.
            "d(D) :- d(C) & e(W) & D is C + W & D <= 34.",
            "d(D) :- d(C) & e(W) & W >= 0 & D is C - W & D <= 34.",
            "d(D) :- d(C) & W in -1..9 & D is C + W & D <= 34.",
            "d(D) :- d(C) & e(W) & W >= 0 & D is C + W & D >= -5.",
            // Between two symbols there are symbols without end.
            "s(T) :- s(S) & T is cat(S, a) & T > a & T < b.",
            "s(T) :- s(S) & lo(L) & hi(H) & L < S & S < H & T is cat(S, a).",
            "s(T) :- s(S) & T is substring(S, 0, 2) & b(T). s(T) :- s(S) & T is cat(S, S).",
            "n(Y) :- n(X) & Y in X..X + 1.",
            "n(Y) :- n(X) & Y is X + 1 & X < Y & Y - 1 <= X.",
            "n(Y) :- n(X) & Y is max(X, X + 1).",
            // Counted down and up, not always down, from no limit, and by a term.
            "f(N, F) :- N in 2..90 & A is N - 1 & B is N + 1 & f(A, X) & f(B, Y) & F is X + Y.",
            "f(N, F) :- N in 2..90 & d(D) & D >= 0 & A is N - D & f(A, X) & F is X + 1.",
            "f(N, F) :- f(N, X) & f(A, X) & A is N - 1 & F is X + 1.",
            "bal(Y, B) :- bal(X, A) & t(Y, D) & step(S) & Y is X + S & B is A + D.",
            "bal(Y, B) :- bal(X, A) & t(Y, D) & Y =:= X + 1 & B is A + D. bal(Y, B) :- bal(X, B) & t(Y, _) & Y is X - 1.",
            "bal(Y, B) :- bal(X, A) & t(Y, D) & ~(Y =:= X + 1) & B is A + D.",
            "f(N, F) :- m(N) & A = N - 1 & f(A, X) & F is X + 1. f(N, F) :- m(N) & A is N + 1 & f(A, F).",
            // It rises and falls.
            "f(M, s(F)) :- f(N, F) & N < 9 & M is N + 1. f(M, F) :- f(N, F) & N > 0 & M is N - 1.",
        ] {
            assert!(refused(text) > 0, "{text}");
        }
    }

    #[test]
    fn recursion_that_ends_is_accepted() {
        for text in [
            "reach(Y) :- reach(X) & edge(X, Y).",
            "path(X, Z) :- path(X, Y) & path(Y, Z).",
            "p(X) :- p(f(X)).",
            "p(g(X)) :- p(f(X)).",
            "p(f(X)) :- q(X). q(X) :- p(f(X)).",
            "p(f(f(X))) :- q(X). q(X) :- p(f(f(X))).",
            "p(X, f(X)) :- p(X, X).",
            "p(X, f(Y)) :- p(X, _) & d(Y).",
            "n(Y) :- n(X) & succ(X, Y).",
            "n(Y) :- n(X) & X < 10 & Y is X + 1.",
            "n(Y) :- n(X) & Y is X + 1 & 10 >= Y.",
            "n(Y) :- n(X) & d(D) & Y is min(X - 1, D) & Y >= 0.",
            "n(Y) :- n(X) & d(D) & Y is max(D, X + 1) & Y < 9.",
            "s(Z) :- s(X) & s(Y) & Z is cat(X, Y) & length(Z) <= 8.",
            "s(Z) :- s(X) & d(Y) & length(X) < 8 & Z is cat(Y, X).",
            "s(Z) :- s(X) & s(Y) & d(D) & D > length(X) & D > length(Y) & Z is cat(Y, X).",
            "n(Y) :- n(X) & Y is X - 2 & Y > -10.",
            "n(Y) :- n(X) & Y = X + 1 & Y < 10.",
            "n(Y) :- n(X) & limit(L) & Y is X + 1 & Y < L.",
            "n(Y, L) :- n(X, L) & Y is X + 1 & Y < L.",
            "n(Y) :- n(X) & Y is X * 2 & Y < 10 & Y > -10.",
            "n(Y) :- n(X) & Y is (X * 3 + 1) mod 7.",
            "n(Y) :- n(X) & Y is X + 1 & cell(Y).",
            "n(Y) :- n(X) & Y in 0..X mod 4.",
            "sum(S) :- sum(T) & step(D) & D >= 0 & S is T + D & S < 100.",
            "path(D, [D | V]) :- path(C, V) & adjacent(C, D) & ~member(D, V).",
            "path(D, [D, C | V]) :- path(C, V) & adjacent(C, D) & bound(V).",
            "v(W) :- v(V) & d(D) & ~member(D, V) & W = [D | V].",
            "m(X) :- m(L) & member(X, L).",
            "u(M, Y) :- u(Y, f(Z)) & member(M, [Y, Y]) & d(Z).",
            "f(M, G) :- f(N, F) & limit(K) & N < K & M is N + 1 & G is F * M.",
            "f(M, s(F)) :- f(N, F) & N < 9 & M is N + 1. f(N, F) :- g(N, F). g(N, F) :- f(N, F).",
            "f(M, s(F)) :- f(N, F) & after(N, M) & N < M.",
            "t(N, f(X, Y)) :- t(M, X) & t(M, Y) & N is M + 1 & N <= 3.",
            "d(Y, D) :- d(X, C) & e(X, Y, W) & W >= 0 & D is C + W & D <= 34.",
            "d(Y, D) :- d(X, C) & e(X, Y, W) & W in 1..9 & D is C + W & D <= 34.",
            "d(Y, D) :- d(X, C) & e(X, Y, W) & D is C + W & D >= C & D <= 34.",
            "d(Y, D) :- d(X, C) & e(X, Y, W) & D is W + C & D < C & D >= 0.",
            "d(Y, D) :- d(X, C) & e(X, Y, W) & D is C + W & D <= 34 & D >= 0.",
            "n(Y) :- n(X) & Y in 1..9 & Y > X.",
            "n(Y) :- n(X) & d(L) & Y in X..L.",
            "n(Y) :- n(X) & m(Z) & Y is min(X, Z). n(Y) :- n(X) & Y is abs(X).",
            "s(T) :- s(S) & T is substring(S, 1, 2).",
            "s(M, T) :- s(N, S) & N < 9 & M is N + 1 & T is cat(S, S).",
            // From a number of a finite relation down to smaller ones.
            "fib(N, F) :- N in 2..90 & A is N - 1 & B is N - 2 & fib(A, X) & fib(B, Y) & F is X + Y.",
            "fib(N, F) :- fib(A, X) & N is A + 1 & N <= 90 & B is N - 2 & fib(B, Y) & F is X + Y.",
            "fact(N, F) :- m(N) & N > 0 & M is N - 1 & fact(M, G) & F is N * G.",
            "f(N, F) :- N in 2..90 & d(D) & D > 0 & A is N - D & f(A, X) & F is X + 1.",
            "up(N, F) :- N in 0..9 & M is N + 1 & up(M, G) & F is G + G.",
            "even(N, F) :- N in 1..9 & M is N - 1 & odd(M, G) & F is G + 1. odd(N, F) :- N in 1..9 & M is N - 1 & even(M, G) & F is G * 2.",
            // Along numbers of a finite relation, which are tested to come one after the other.
            "bal(Y, B) :- bal(X, A) & t(Y, D) & Y is X + 1 & B is A + D.",
            "bal(Y, B) :- bal(X, A) & t(Y, D) & X - 1 =:= Y & B is A + D.",
            "bal(Y, B) :- bal(X, A) & t(Y, D) & step(S) & S > 0 & Y = X + S & B is A + D.",
            // GDL's restriction: whatever else the head builds, what comes back is from `d`.
            "p(X, f(X)) :- q(X). q(X) :- p(Y, X) & d(Y).",
            "app(E, [H | T], [H | N]) :- app(E, T, N) & list(T) & list(N) & d(H).",
        ] {
            assert_eq!(refused(text), 0, "{text}");
        }
    }
}
