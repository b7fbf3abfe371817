//! Comparisons that bound a column, as sorted indices answer them: on random rows of mixed terms against what the comparisons
//! say of each pair of rows, against resolution, and without the indices.

use crate::ablation::derived;
use crate::binary;
use ludolog::engine::semi_naive::Heuristic;
use ludolog::engine::{EngineDescription, RESOLUTION, SEMI_NAIVE, Session, Setting};
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A term of the compared columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Integer(i64),
    Symbol(String),
    Compound(u8),
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Integer(n) => n.to_string(),
            Term::Symbol(name) => format!("'{name}'"),
            Term::Compound(n) => format!("f({n})"),
        }
    }

    /// Whether `<` holds: of two integers, or of two symbols.
    fn is_less(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Integer(a), Term::Integer(b)) => a < b,
            (Term::Symbol(a), Term::Symbol(b)) => a < b,
            _ => false,
        }
    }

    /// Whether `<=` holds.
    fn is_at_most(&self, other: &Term) -> bool {
        self.is_less(other) || self == other && !matches!(self, Term::Compound(_))
    }

    /// The integer that is greater by `more`, within 64 bits.
    fn plus(&self, more: i64) -> Option<Term> {
        match self {
            Term::Integer(n) => n.checked_add(more).map(Term::Integer),
            _ => None,
        }
    }
}

/// A row `iv(Group, Name, Start, End)`; its name is its number.
#[derive(Clone, Debug)]
struct Row {
    group: u8,
    start: Term,
    end: Term,
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        6 => (-30..120i64).prop_map(Term::Integer),
        // Integers that are no ids themselves; none is so great that sums go beyond 64 bits.
        1 => (0..9i64).prop_map(|n| Term::Integer((1 << 40) + n)),
        1 => (0..9i64).prop_map(|n| Term::Integer(i64::MIN + n)),
        2 => "[abé]{0,3}".prop_map(Term::Symbol),
        1 => (0..3u8).prop_map(Term::Compound),
    ]
}

/// More rows than are joined one by one.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..3u8, term(), term()).prop_map(|(group, start, end)| Row { group, start, end });
    proptest::collection::vec(row, 270..340)
}

fn facts(rows: &[Row]) -> String {
    let fact = |(name, Row { group, start, end }): (usize, &Row)| {
        format!("iv({group}, {name}, {}, {}).\n", start.text(), end.text())
    };
    rows.iter().enumerate().map(fact).collect()
}

/// A rule for pairs of rows, with its meaning.
type PairRule = (&'static str, fn(&Row, &Row) -> bool);

const PAIRS: [PairRule; 7] = [
    ("r(A, B) :- iv(_, A, S1, E1) & iv(_, B, S2, _) & S1 <= S2 & S2 < E1.", |a, b| {
        a.start.is_at_most(&b.start) && b.start.is_less(&a.end)
    }),
    ("r(A, B) :- iv(G, A, S1, E1) & iv(G, B, S2, E2) & S2 > S1 & E2 < E1 & A != B.", |a, b| {
        a.group == b.group && a.start.is_less(&b.start) && b.end.is_less(&a.end)
    }),
    ("r(A, B) :- iv(G, A, S1, E1) & iv(G, B, S2, _) & S2 in S1..E1.", |a, b| {
        let is_integer = |term: &Term| matches!(term, Term::Integer(_));
        let is_within = a.start.is_at_most(&b.start) && b.start.is_at_most(&a.end);
        a.group == b.group && is_integer(&b.start) && is_within
    }),
    ("r(A, B) :- iv(_, A, S1, _) & iv(_, B, _, E2) & E2 >= S1 + 3 & S1 + 9 > E2.", |a, b| {
        let is_within = |low: Term, high: Term| low.is_at_most(&b.end) && b.end.is_less(&high);
        a.start.plus(3).zip(a.start.plus(9)).is_some_and(|(low, high)| is_within(low, high))
    }),
    ("r(A, B) :- iv(_, A, S, E) & iv(_, B, S, E2) & E <= E2.", |a, b| a.start == b.start && a.end.is_at_most(&b.end)),
    ("r(A, B) :- iv(_, A, S, _) & iv(_, B, N, N) & S < N & N < 100.", |a, b| {
        b.start == b.end && a.start.is_less(&b.start) && b.start.is_less(&Term::Integer(100))
    }),
    ("r(A, B) :- iv(_, A, S1, E1) & ~(S1 < E1) & iv(_, B, S2, _) & S2 <= S1 & S2 >= E1.", |a, b| {
        !a.start.is_less(&a.end) && b.start.is_at_most(&a.start) && a.end.is_at_most(&b.start)
    }),
];

/// The facts that the rules of a session derive for a goal.
fn answers(text: &str, goal: &str, engine: &EngineDescription, optimization: Optimization) -> BTreeSet<String> {
    let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
    let session = Session::of_text(text, Syntax::Datalog).expect("a program");
    let mut session = session.with_setting(setting);
    let goal = session.goal(goal).expect("a goal");
    session.solve(&goal).expect("nothing stops it").answers().map(|answer| format!("{answer:?}")).collect()
}

/// The facts that a program derives as written, and the rows that it tries.
fn run(text: &str, engine: &EngineDescription) -> (BTreeSet<String>, u64) {
    let (facts, probes, _) = derived(text, engine, u64::MAX).expect("there is no limit");
    (facts, probes)
}

#[test]
fn a_bounded_column_is_not_scanned() {
    let facts: String = (0..600).map(|n| format!("iv(0, {n}, {}, {}).\n", n * 7 % 600, n * 7 % 600 + 5)).collect();
    for (rule, _) in &PAIRS[..4] {
        let (with, probes) = run(&(facts.clone() + rule), &SEMI_NAIVE);
        let (without, more_probes) = run(&(facts.clone() + rule), &Heuristic::SortedIndices.left_out());
        assert_eq!(with, without, "{rule}");
        // A bound on one side halves the rows, and bounds on both sides leave some for each.
        assert!(probes * 19 < more_probes * 10, "{rule}: {probes} of {more_probes}");
    }
    let (_, probes) = run(&(facts + PAIRS[0].0), &SEMI_NAIVE);
    assert_eq!(probes, 600 + 600 * 5 - (4 + 3 + 2 + 1));
}

#[test]
fn plans_and_profiles_name_the_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let facts: String = (0..300).map(|n| format!("iv(0, {n}, {}, {}).\n", 2 * n, 2 * n + 5)).collect();
    std::fs::write(folder.path().join("rules.dl"), facts + PAIRS[0].0).expect("a file");
    let (_, plan, _) = binary::run(&folder, &["plan", "rules.dl"], "");
    assert!(plan.contains("range look-up") && plan.matches("bound of the range").count() == 2, "{plan}");
    let (_, profile, _) = binary::run(&folder, &["profile", "rules.dl", "--format", "json"], "");
    let profile: Value = serde_json::from_str(&profile).expect("JSON");
    let subgoals = &profile["rules"][0]["joins"][0]["subgoals"];
    assert_eq!(subgoals[1]["within"], json!(["S1 <= S2", "S2 < E1"]), "{profile}");
    // Each begins within itself and the two before it.
    assert_eq!((&subgoals[1]["probes"], &subgoals[2]), (&json!(3 * 300 - 3), &Value::Null));
    assert_eq!(subgoals[0]["within"], Value::Null);
    let (_, text, _) = binary::run(&folder, &["profile", "rules.dl"], "");
    assert!(text.contains("within S1 <= S2, S2 < E1"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Pairs of rows within bounds, as the comparisons say, on both engines.
    #[test]
    fn pairs_within_bounds_are_found(rows in rows(), number in 0..PAIRS.len()) {
        let (rule, is_pair) = PAIRS[number];
        let text = facts(&rows) + rule;
        let numbered = || rows.iter().enumerate();
        let pairs = numbered().flat_map(|(a, first)| numbered().map(move |(b, second)| (a, b, first, second)));
        let is_named = |a: usize, b: usize| a != b || !rule.contains("A != B");
        let expected: BTreeSet<String> = pairs
            .filter(|&(a, b, first, second)| is_pair(first, second) && is_named(a, b))
            .map(|(a, b, ..)| format!("r({a}, {b})"))
            .collect();
        prop_assert_eq!(&run(&text, &SEMI_NAIVE).0, &expected, "{}", rule);
        for optimization in [Optimization::None, Optimization::Auto] {
            let found = answers(&text, "r(A, B)", &SEMI_NAIVE, optimization.clone());
            prop_assert_eq!(&found, &answers(&text, "r(A, B)", &RESOLUTION, optimization), "{}", rule);
            prop_assert_eq!(found.len(), expected.len());
        }
    }

    /// Recursion over rows within bounds, also of the relation that grows: what the definition says, computed naively.
    #[test]
    fn recursion_within_bounds_is_complete(ends in proptest::collection::vec((0..40i64, 0..40i64), 300..500)) {
        let raw: BTreeSet<(i64, i64)> = ends.into_iter().collect();
        let text: String = raw.iter().map(|(start, end)| format!("raw({start}, {end}).\n")).collect();
        let rules = "seg(S, E) :- raw(S, E) & S < 20.
            seg(S1, E2) :- seg(S1, E1) & seg(S2, E2) & S2 > E1 & S2 <= E1 + 2 & E2 <= S1 + 12.
            after(E2) :- raw(_, E) & E < 3 & raw(S, E2) & E < S & S < E + 3.
            after(E2) :- after(E) & raw(S, E2) & E < S & S < E + 3.
            far(E) :- raw(S, E) & seg(_, E1) & E1 > E + 20.";
        let mut segments: BTreeSet<(i64, i64)> = raw.iter().copied().filter(|(start, _)| *start < 20).collect();
        let mut after: BTreeSet<i64> = BTreeSet::new();
        loop {
            let joined = segments.iter().flat_map(|&(start, end)| {
                let next = segments.range((end + 1, i64::MIN)..=(end + 2, i64::MAX));
                next.filter(move |(_, last)| *last <= start + 12).map(move |(_, last)| (start, *last))
            });
            let joined: Vec<(i64, i64)> = joined.collect();
            let from = raw.iter().map(|(_, end)| *end).filter(|end| *end < 3).chain(after.iter().copied());
            let from: BTreeSet<i64> = from.collect();
            let next = raw.iter().filter(|(start, _)| from.range(start - 2..*start).next().is_some());
            let next: Vec<i64> = next.map(|(_, end)| *end).collect();
            let before = segments.len() + after.len();
            segments.extend(joined);
            after.extend(next);
            if segments.len() + after.len() == before {
                break;
            }
        }
        let far = raw.iter().map(|(_, end)| *end).filter(|end| segments.iter().any(|(_, last)| *last > end + 20));
        let mut expected: BTreeSet<String> = segments.iter().map(|(start, end)| format!("seg({start}, {end})")).collect();
        expected.extend(after.iter().map(|end| format!("after({end})")));
        expected.extend(far.map(|end| format!("far({end})")));
        let text = text + rules;
        prop_assert_eq!(&run(&text, &SEMI_NAIVE).0, &expected);
        prop_assert_eq!(&run(&text, &Heuristic::SortedIndices.left_out()).0, &expected);
    }
}
