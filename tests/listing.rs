//! Facts in canonical order, in parts and as a whole.

use ludolog::engine::{Budget, ENGINES, Listed, Listing, Session, Setting};
use ludolog::syntax::{Syntax, print_term};

/// As many pairs of different numbers up to this one are listed in parts.
const NODES: usize = 512;

/// Worked out by hand from the order that `docs/architecture.md` states.
#[test]
fn integers_come_before_symbols_before_compounds() {
    let terms = "p(f(b)). p(b). p(-1). p(f(a, a)). p(9000000000). p('10'). p(10). p(-9000000000). p(a). p(f(10)).
        p(e(z)). p(2). p(1073741824). p(1073741823). p(-1073741824). p(-1073741825).";
    let sorted =
        "-9000000000 -1073741825 -1073741824 -1 2 10 1073741823 1073741824 9000000000 '10' a b e(z) f(10) f(a, a) f(b)";
    for engine in ENGINES {
        let session = Session::of_text(terms, Syntax::Datalog).unwrap();
        let mut session = session.with_setting(Setting { engine: engine.clone(), ..Setting::default() });
        let listing = session.listing(|_| true).unwrap();
        let texts: Vec<String> = listing.atoms().map(|fact| print_term(&fact.args[0], Syntax::Datalog)).collect();
        assert_eq!(texts.join(" "), sorted);
        let solution = session.query("p(X)").unwrap();
        let texts: Vec<String> = solution.answers().map(|row| print_term(&row[0], Syntax::Datalog)).collect();
        assert_eq!(texts.join(" "), sorted);
    }
}

/// Facts with first arguments of all kinds, one of which a third have, and the pairs of closures with one context, none, and two anchors.
#[test]
fn parts_come_in_the_order_of_the_whole() {
    let text = format!(
        "n(0). n(-7). n(12). n(9000000000). n(-9000000000). n(1.5). n(a). n(b). n(f(1)). n(f(a)). n(g(0, b)).
        p(X, Y) :- n(X) & Y in 1..9000. p(c, Y) :- I in 1..50000 & Y is I * 7.
        edge(k, X, Y) :- X in 1..{NODES} & Y is X + 1. edge(j, X, Y) :- X in 1..40 & Y is X * 2. edge(j, 3, 1).
        step(X, Y) :- edge(_, X, Y).
        reach(X, Y) :- step(X, Y). reach(X, Z) :- reach(X, Y) & step(Y, Z).
        along(C, X, Y) :- edge(C, X, Y). along(C, X, Z) :- along(C, X, Y) & edge(C, Y, Z).
        tag(S, K, X) :- X in 1..{NODES} & S is X * 7 & K is X mod 3.
        tagged(S, K, X) :- tag(S, K, X). tagged(S, K, Y) :- tagged(S, K, X) & step(X, Y)."
    );
    for optimization in ["none", "closure"] {
        let setting = Setting { optimization: optimization.parse().unwrap(), ..Setting::default() };
        let mut session = Session::of_text(&text, Syntax::Datalog).unwrap().with_setting(setting);
        // Answers are sorted as a whole, but where a goal is one predicate without a test.
        let goals = [
            ("along/3", "along(X, Y, Z) & 0 < 1"),
            ("p/2", "p(X, Y) & 0 < 1"),
            ("reach/2", "reach(X, Y) & 0 < 1"),
            ("tagged/3", "tagged(X, Y, Z) & 0 < 1"),
        ];
        let expected = goals.map(|(predicate, goal)| (predicate, session.query(goal).unwrap()));
        let listing = session.listing(|_| true).unwrap();
        let in_parts = listing.relations().iter().filter(|listed| listing.parts(listed).count() > 1);
        let in_parts: Vec<&Listed> = in_parts.collect();
        assert_eq!(in_parts.len(), expected.len(), "{optimization}");
        let parts: Vec<usize> = in_parts.iter().map(|listed| listing.parts(listed).count()).collect();
        assert!(parts.iter().sum::<usize>() > 3 * in_parts.len(), "{optimization}: {parts:?}");
        for (listed, (predicate, solution)) in in_parts.into_iter().zip(&expected) {
            assert_eq!(listed.predicate().to_string(), *predicate);
            assert_eq!(listed.count(), solution.count());
            let mut answers = solution.answers();
            for part in listing.parts(listed) {
                let mut rows = part.rows().map(|row| row.iter().map(|&value| listing.term(value)));
                assert!(
                    rows.all(|row| answers.next().is_some_and(|answer| row.eq(answer))),
                    "{predicate}, {optimization}"
                );
            }
        }
    }
}

/// The pairs of a closure that are more than the limit of facts are not listed, in parts as at once.
#[test]
fn pairs_beyond_the_limit_of_facts_are_refused() {
    for nodes in [100, NODES] {
        let text = format!(
            "edge(X, Y) :- X in 1..{nodes} & Y is X + 1.
            reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y) & edge(Y, Z)."
        );
        let setting = Setting { optimization: "closure".parse().unwrap(), ..Setting::default() };
        let session = Session::of_text(&text, Syntax::Datalog).unwrap().with_setting(setting);
        let mut engine = session.prepare(None).unwrap().load(&Budget::unlimited()).unwrap();
        engine.update(&Budget::unlimited()).unwrap();
        let pairs = (nodes * (nodes + 1) / 2) as u64;
        for max in [pairs - 1, pairs] {
            let budget = Budget::unlimited().with_max_facts(max);
            let predicates = engine.predicates().into_iter();
            let listing = Listing::new(&mut *engine, predicates, &budget).unwrap();
            assert_eq!(listing.stopped.is_some(), max < pairs, "{max}");
            assert_eq!(listing.relations().len(), if max < pairs { 1 } else { 2 });
        }
    }
}
