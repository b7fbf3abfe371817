//! Facts in canonical order, in parts and as a whole.

use crate::{binary, large};
use ludolog::engine::{Budget, ENGINES, Listed, Listing, Session, Setting};
use ludolog::syntax::ast::Predicate;
use ludolog::syntax::{Syntax, print_term};
use proptest::prelude::*;
use std::fs;

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

/// Pairs that have a number of things in common: no output needs all of them, one is asked for three pairs, and nothing needs `left`.
const COMMON: &str = "
    n(X) :- X in 0..2999.
    has(X, Y) :- n(X) & Y is X mod 30.
    has(X, Y) :- n(X) & Y is 30 + X mod 29.
    left(X, Y) :- n(X) & n(Y).
    common(A, B, N) :- has(A, F) & has(B, F) & N = count { G : has(A, G) & has(B, G) }.
    asked(0, 30). asked(1, 30). asked(0, 870).
    found(A, B, N) :- asked(A, B) & common(A, B, N).
    twice(X, Y) :- asked(X, Z) & Y is Z * 2.
";

/// 0 and 30 have 0 modulo 30 in common, 0 and 870 both rests; 1 and 30 have the rest 1 of 29.
#[test]
fn facts_that_are_listed_need_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let facts = |outputs: &str, arguments: &[&str]| {
        fs::write(folder.path().join("common.dl"), format!("{COMMON}{outputs}")).expect("it is written");
        let limited = ["facts", "common.dl", "--max-facts", "20000"];
        binary::run(folder.path(), &[&limited, arguments].concat(), "")
    };
    let found = "found(0, 30, 1).\nfound(0, 870, 2).\nfound(1, 30, 1).\n";
    let twice = "twice(0, 60).\ntwice(0, 1740).\ntwice(1, 60).\n";
    let asked = "asked(0, 30).\nasked(0, 870).\nasked(1, 30).\n";
    let cases: [(&str, &[&str], String); 4] = [
        (":- output(found).", &[], found.to_owned()),
        (":- output(found). :- output(twice).", &[], format!("{found}{twice}")),
        ("", &["--predicate", "found/3"], found.to_owned()),
        ("", &["--predicate", "asked/2", "--predicate", "twice/2"], format!("{asked}{twice}")),
    ];
    for (outputs, arguments, expected) in cases {
        let (status, listed, messages) = facts(outputs, arguments);
        assert_eq!((status, listed), (0, expected), "{outputs} {arguments:?}: {messages}");
    }
    let (status, _, messages) = facts("", &[]);
    assert!(status == 2 && messages.contains("20000"), "{messages}");
}

/// `e` never fires: grounding, which derives what there is beforehand, leaves no rule of it.
#[test]
fn predicates_without_facts_are_listed_under_all_passes() {
    let text = "a(X) :- b(X) & c(X). e(X) :- a(X) & b(X). f(X) :- b(X). b(1). c(2).";
    for passes in ["none", "auto", "both", "grounding", "pruning"] {
        for wanted in [&["a", "e", "f"][..], &["e"]] {
            let setting = Setting { optimization: passes.parse().unwrap(), ..Setting::default() };
            let mut session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
            let listing = session.listing(|predicate| wanted.contains(&predicate.name.text())).unwrap();
            let listed = listing.relations().iter().map(|listed| (listed.predicate().name.text(), listed.count()));
            let expected = wanted.iter().map(|&name| (name, usize::from(name == "f")));
            assert!(listed.eq(expected), "{passes} {wanted:?}");
        }
    }
}

/// A constraint of the program is kept or broken whatever is listed.
#[test]
fn constraints_hold_of_what_is_not_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("{COMMON}:- output(twice). many(X, Y) :- asked(X, Y) & Y > 99. :- many(X, Y).");
    fs::write(folder.path().join("common.dl"), text).expect("it is written");
    let (status, _, messages) = binary::run(folder.path(), &["facts", "common.dl"], "");
    assert!(status == 2 && messages.contains("870"), "{status}: {messages}");
}

/// 1,000 numbers, as many copies, and the 1,000 pairs of a closure and its step are gone when the two pairs of the goal are there.
#[test]
fn facts_that_nothing_reads_any_more_are_given_up() {
    let text = "
        a(X) :- X in 1..1000. b(X) :- a(X). step(X, Y) :- b(X) & Y is -X.
        reach(X, Y) :- step(X, Y). reach(X, Z) :- reach(X, Y) & step(Y, Z).
        found(X, Y) :- reach(X, Y) & X < 3.";
    for (optimization, asked_once, held) in [("none", true, 2), ("closure", true, 2), ("none", false, 4002)] {
        let setting = Setting { optimization: optimization.parse().unwrap(), asked_once, ..Setting::default() };
        let mut session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
        let goal = session.goal("found(X, Y)").unwrap();
        let engine = session.engine(Some(&goal)).unwrap();
        assert_eq!(engine.as_count().unwrap().memory().facts, held, "{optimization}");
        for _ in 0..2 {
            assert_eq!(session.solve(&goal).unwrap().to_string(), "X = 1, Y = -1\nX = 2, Y = -2\n");
        }
        // Other questions have other engines, and new facts count.
        session.insert("b(-1)").unwrap();
        assert_eq!(session.query("found(1, Y)").unwrap().to_string(), "Y = -1\nY = 1\n");
        assert_eq!(session.query("b(1)").unwrap().to_string(), "yes\n");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// What is listed of some predicates is what is listed of all, as far as it is of them, also where the others are given up.
    #[test]
    fn some_predicates_are_listed_as_among_all(
        rows in 100..500usize,
        rules in prop::collection::vec(prop::collection::vec(any::<u8>(), 24), 2..4),
        chosen in 1..7u8,
        asked_once: bool,
    ) {
        let text = large::program(rows, &rules);
        let session = || Session::of_text(&text, Syntax::Datalog).ok().map(|mut session| {
            session.set_budget(Budget::unlimited().with_max_probes(300_000).with_max_facts(100_000));
            session
        });
        let is_chosen = |predicate: &Predicate| {
            let level = predicate.name.text().strip_prefix('p').and_then(|level| level.parse::<u32>().ok());
            level.is_some_and(|level| chosen >> level & 1 == 1)
        };
        let (Some(mut all), Some(some)) = (session(), session()) else { return Ok(()) };
        let mut some = some.with_setting(Setting { asked_once, ..Setting::default() });
        let Ok(listing) = all.listing(|_| true) else { return Ok(()) };
        let expected = listing.atoms().filter(|fact| is_chosen(&fact.signature())).map(|fact| fact.to_string());
        let expected: Vec<String> = expected.collect();
        if listing.stopped.is_none() {
            let listing = some.listing(is_chosen).expect("it needs no more");
            if listing.stopped.is_none() {
                prop_assert_eq!(listing.atoms().map(|fact| fact.to_string()).collect::<Vec<_>>(), expected, "{}", text);
            }
        }
    }
}
