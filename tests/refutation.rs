//! Refutations: worked by hand, and against the oracle on random programs.

use crate::binary::run;
use crate::oracle::Oracle;
use crate::random;
use ludolog::analysis::clause::{Clause, Goal, Literal};
use ludolog::engine::{Budget, Case, Cause, ENGINES, Engine, Reason, Refutation, SEMI_NAIVE, Session, Setting, WhyNot};
use ludolog::syntax::ast::{Atom, Name, Term};
use ludolog::syntax::{Syntax, print_atom};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const RULES: &str = "edge(a, b). edge(b, c). blocked(c). pair(f(a), f(b)).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y) & edge(Y, Z).
free(X, Y) :- path(X, Y) & ~blocked(Y).
late(X, N) :- edge(X, _) & N is 1 + 1 & N < 2.
typo(X) :- egde(X, _).
same(X, X) :- edge(X, _).
inner(X, Y) :- pair(X, Y).
made(Y) :- edge(X, _) & Y = g(X).
";

/// `ludolog why-not` on these rules: exit status and output.
fn why_not(rules: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rules.dl"), rules).unwrap();
    let (status, told, _) = run(&folder, &[&["why-not", "rules.dl"], args].concat(), "");
    (status, told)
}

#[track_caller]
fn check(args: &[&str], expected: &str) {
    assert_eq!(why_not(RULES, args), (0, expected.trim_start().to_owned()));
}

#[test]
fn the_first_failing_condition_of_each_rule() {
    check(
        &["path(b, a)"],
        "
path(b, a) does not hold
├─ path(X, Y) :- edge(X, Y).    rules.dl:2    X = b, Y = a
│  └─ ✗ edge(b, a)    no fact or rule matches
└─ path(X, Z) :- path(X, Y) & edge(Y, Z).    rules.dl:3    X = b, Z = a, Y = c
   ├─ ✓ path(b, c)
   └─ ✗ edge(c, a)    no fact or rule matches
",
    );
}

#[test]
fn a_fact_stands_against_a_negation() {
    check(
        &["free(a, c)"],
        "
free(a, c) does not hold
└─ free(X, Y) :- path(X, Y) & ~blocked(Y).    rules.dl:4    X = a, Y = c
   ├─ ✓ path(a, c)
   └─ ✗ ~blocked(c)    blocked(c) holds
",
    );
}

/// The head is matched before the body computes: 3 is not 1 + 1, and 2 is not less than 2.
#[test]
fn comparisons_fail_by_their_values() {
    check(
        &["late(a, 3)"],
        "
late(a, 3) does not hold
└─ late(X, N) :- edge(X, _) & N is 1 + 1 & N < 2.    rules.dl:5    X = a, N = 3
   ├─ ✓ edge(a, b)
   └─ ✗ 3 is 1 + 1    false
",
    );
    check(
        &["late(b, N)"],
        "
late(b, N) does not hold
└─ late(X, N) :- edge(X, _) & N is 1 + 1 & N < 2.    rules.dl:5    X = b, N = 2
   ├─ ✓ edge(b, c)
   ├─ ✓ 2 is 1 + 1
   └─ ✗ 2 < 2    false
",
    );
}

#[test]
fn depth_explains_failing_conditions_and_cycles_end() {
    let deeper = "… deeper levels are left out; --depth shows more\n";
    let (code, text) = why_not(RULES, &["path(c, a)"]);
    assert!(code == 0 && text.ends_with(deeper) && text.contains("✗ path(c, Y)    …"), "{text}");
    check(
        &["path(c, a)", "--depth", "9"],
        "
path(c, a) does not hold
├─ path(X, Y) :- edge(X, Y).    rules.dl:2    X = c, Y = a
│  └─ ✗ edge(c, a)    no fact or rule matches
└─ path(X, Z) :- path(X, Y) & edge(Y, Z).    rules.dl:3    X = c, Z = a
   └─ ✗ path(c, Y)
      ├─ path(X, Y) :- edge(X, Y).    rules.dl:2    X = c
      │  └─ ✗ edge(c, Y)    no fact or rule matches
      └─ path(X, Z) :- path(X, Y) & edge(Y, Z).    rules.dl:3    X = c
         └─ ✗ path(c, Y)    (as above)
",
    );
}

#[test]
fn undefined_predicates_and_heads_that_do_not_match() {
    check(
        &["typo(a)"],
        "
typo(a) does not hold
└─ typo(X) :- egde(X, _).    rules.dl:6    X = a
   └─ ✗ egde(a, _1)    nothing defines egde/2; did you mean edge/2?
",
    );
    check(&["same(a, b)"], "\nsame(a, b) does not hold    no fact or rule matches\n");
    assert_eq!(why_not(RULES, &["pth(a, b)"]).0, 2);
}

#[test]
fn what_holds_is_not_refuted() {
    let holds = |fact: &str, said: &str| assert_eq!(why_not(RULES, &[fact]), (1, said.to_owned()));
    holds("path(a, c)", "path(a, c) holds; `why` shows its derivation\n");
    holds("path(a, X)", "an instance of path(a, X) holds; `why` shows its derivation\n");
    let mut json: serde_json::Value =
        serde_json::from_str(&why_not(RULES, &["path(a, c)", "--format", "json"]).1).unwrap();
    json["warnings"].take();
    assert_eq!(json, serde_json::json!({ "fact": "path(a, c)", "holds": true, "denials": [], "warnings": null }));
}

#[test]
fn json_refers_to_denials_by_index() {
    let (_, text) = why_not(RULES, &["typo(X)", "--format", "json"]);
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let warnings = json["warnings"].take();
    assert_eq!(warnings[0]["code"], "unknown-predicate");
    let rule = serde_json::json!({
        "rule": "typo(X) :- egde(X, _).", "file": "rules.dl", "line": 6, "bindings": {}, "held": [],
        "failed": "egde(X, _1)", "denied": 1, "contradicted_by": null, "no_value": null,
    });
    let denials = serde_json::json!([
        { "atom": "typo(X)", "undefined": false, "meant": null, "rules": [rule] },
        { "atom": "egde(X, _1)", "undefined": true, "meant": "edge/2", "rules": [] },
    ]);
    assert_eq!(json, serde_json::json!({ "fact": "typo(X)", "holds": false, "denials": denials, "warnings": null }));
}

/// A compound of the goal that has variables is matched with the values that the body finds.
#[test]
fn goals_with_variables_in_compounds() {
    check(
        &["inner(f(b), f(Z))"],
        "
inner(f(b), f(Z)) does not hold
└─ inner(X, Y) :- pair(X, Y).    rules.dl:8    X = f(b), Y = f(Z)
   └─ ✗ pair(f(b), f(Z))    no fact or rule matches
",
    );
    assert_eq!(why_not(RULES, &["inner(f(Z), f(b))"]).0, 1);
    assert_eq!(why_not(RULES, &["made(g(Z))"]).0, 1);
    check(
        &["made(h(Z))"],
        "
made(h(Z)) does not hold
└─ made(Y) :- edge(X, _) & Y = g(X).    rules.dl:9    Y = h(Z), X = a
   ├─ ✓ edge(a, b)
   └─ ✗ h(Z) = g(a)    false
",
    );
}

/// `p(1 + 1)` is a term that `N is 1 + 1` does not make.
#[test]
fn compounds_of_the_goal_do_not_compute() {
    let rules = "q(a). p(N) :- q(_) & N = 1 + 1.\n";
    assert_eq!(why_not(rules, &["p(2)"]).0, 1);
    let (code, text) = why_not(rules, &["p(1 + 1)"]);
    assert!(code == 0 && text.contains("✗ 1 + 1 = 1 + 1    false"), "{text}");
}

/// What a rule derives for the open argument holds no more: a better value does, or the union.
#[test]
fn what_a_lattice_column_replaces_is_told() {
    let rules =
        |column: &str| format!("e(k, 3). e(k, 2).\np(X, {column} B) :- e(X, B).\nr :- p(_, 3).\nt :- p(_, 2).\n");
    let best = "p(X, 3) does not hold
└─ p(X, min B) :- e(X, B).    rules.dl:2    X = k, B = 3
   ├─ ✓ e(k, 3)
   └─ ✗ p(k, 3)    p(k, 2) is better
";
    assert_eq!(why_not(&rules("min"), &["p(X, 3)"]), (0, best.to_owned()));
    let of_r = why_not(&rules("min"), &["r", "--depth", "2"]).1;
    assert!(of_r.ends_with("└─ ✗ p(k, 3)    p(k, 2) is better\n"), "{of_r}");
    let united = "p(X, 2) does not hold
└─ p(X, union B) :- e(X, B).    rules.dl:2    X = k, B = 2
   ├─ ✓ e(k, 2)
   └─ ✗ p(k, 2)    it is united into p(k, 3)
";
    assert_eq!(why_not(&rules("union"), &["p(X, 2)"]), (0, united.to_owned()));
    assert_eq!(why_not(&rules("union"), &["p(k, 2)"]).1, "p(k, 2) does not hold    it is united into p(k, 3)\n");
    // No part of the union is refuted by the rules.
    assert!(why_not(&rules("union"), &["p(k, 4)"]).1.contains("✗ e(k, 4)"));
    let json = why_not(&rules("union"), &["p(X, 2)", "--format", "json"]).1;
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["denials"][0]["rules"][0]["united_into"],
        "p(k, 3)"
    );
}

/// `goal` is stratified by its constants only: the parts into which analysis splits it do not show.
#[test]
fn split_predicates_show_as_written() {
    let rules = "role(robot). line(blue).
goal(R, 100) :- role(R) & line(R).
goal(R, 0) :- role(R) & ~goal(R, 100).
happy(R) :- goal(R, 100).
";
    let found = |goal: &str| why_not(rules, &[goal, "--depth", "2"]).1;
    let expected = "goal(robot, 100) does not hold
└─ goal(R, 100) :- role(R) & line(R).    rules.dl:2    R = robot
   ├─ ✓ role(robot)
   └─ ✗ line(robot)    no fact or rule matches
";
    assert_eq!(found("goal(robot, 100)"), expected);
    let expected = "goal(blue, X) does not hold
├─ goal(R, 100) :- role(R) & line(R).    rules.dl:2    R = blue
│  └─ ✗ role(blue)    no fact or rule matches
└─ goal(R, 0) :- role(R) & ~goal(R, 100).    rules.dl:3    R = blue
   └─ ✗ role(blue)    no fact or rule matches
";
    assert_eq!(found("goal(blue, X)"), expected);
    let expected = "happy(robot) does not hold
└─ happy(R) :- goal(R, 100).    rules.dl:4    R = robot
   └─ ✗ goal(robot, 100)
      └─ goal(R, 100) :- role(R) & line(R).    rules.dl:2    R = robot
         ├─ ✓ role(robot)
         └─ ✗ line(robot)    no fact or rule matches
";
    assert_eq!(found("happy(robot)"), expected);
    let won = rules.replace("line(blue)", "line(robot)");
    let expected = "goal(robot, 0) does not hold
└─ goal(R, 0) :- role(R) & ~goal(R, 100).    rules.dl:3    R = robot
   ├─ ✓ role(robot)
   └─ ✗ ~goal(robot, 100)    goal(robot, 100) holds
";
    assert_eq!(why_not(&won, &["goal(robot, 0)"]).1, expected);
}

/// From the goal down, the first rule builds ever larger terms, the second doubles them.
#[test]
fn growing_goals_end() {
    for head in ["p(f(X))", "p(g(X, X))"] {
        let rules = format!("q(a).\np(X) :- {head} & q(X).\n");
        let (code, text) = why_not(&rules, &["p(a)", "--depth", "1000000"]);
        assert!(code == 0 && text.ends_with("--depth shows more\n"), "{code} {}", text.len());
    }
    // Unifying the head with the goal would make a term of 2^60 symbols.
    let pairs = |f: &dyn Fn(usize) -> String| (1..60).map(f).collect::<Vec<_>>().join(", ");
    let head = pairs(&|i| format!("f(X{i}, X{i}, X{})", i + 1));
    let goal = pairs(&|i| format!("f(Y{i}, g(Y{}, Y{}), Y{i})", i + 1, i + 1));
    let rules =
        format!("q(a).\nwide({head}) :- {}.\n", (1..=60).map(|i| format!("q(X{i})")).collect::<Vec<_>>().join(" & "));
    assert!(why_not(&rules, &[&format!("wide({goal})")]).0 <= 2);
}

fn ground_atoms() -> Vec<Atom> {
    let terms: Vec<Term> = ["0", "1", "x", "2", "f(0)", "f(x)"].map(|text| text.parse().unwrap()).into();
    let mut atoms = vec![Atom::new("t", Vec::new())];
    for predicate in ["d", "p", "r"] {
        atoms.extend(terms.iter().map(|term| Atom::new(predicate, vec![term.clone()])));
    }
    for predicate in ["q", "s", "u"] {
        let pairs = terms.iter().flat_map(|a| terms.iter().map(move |b| vec![a.clone(), b.clone()]));
        atoms.extend(pairs.map(|args| Atom::new(predicate, args)));
    }
    atoms
}

/// What variables stand for.
pub type Binding = BTreeMap<Name, Term>;

/// Whether `pattern` has `value` as an instance that agrees with `binding`, which is extended.
fn matches(pattern: &Term, value: &Term, binding: &mut Binding) -> bool {
    match (pattern, value) {
        (Term::Variable(name), _) => binding.entry(name.clone()).or_insert_with(|| value.clone()) == value,
        (Term::Compound(f, patterns), Term::Compound(g, values)) => {
            f == g && patterns.len() == values.len() && all_match(patterns, values, binding)
        }
        _ => pattern == value,
    }
}

/// Whether each of these patterns has its value as an instance, and all agree with the binding, which is extended.
pub fn all_match(patterns: &[Term], values: &[Term], binding: &mut Binding) -> bool {
    patterns.iter().zip(values).all(|(pattern, value)| matches(pattern, value, binding))
}

/// Whether the first conditions of a rule have a solution with which the head may be `atom`.
fn has_solution(oracle: &mut Oracle, clause: &Clause, conditions: usize, atom: &Atom) -> bool {
    let body = clause.body[..conditions].to_vec();
    let mut variables: BTreeSet<Name> = BTreeSet::new();
    for literal in &body {
        if matches!(
            literal,
            Literal::Positive(_) | Literal::Compare(_) | Literal::Aggregate(_) | Literal::Member { negated: false, .. }
        ) {
            literal.for_each_variable(&mut |name| _ = variables.insert(name.clone()));
        }
    }
    let goal = Goal { body: body.into(), variables: variables.into_iter().collect(), span: clause.span };
    let solutions = oracle.solve(&goal, false, &Budget::unlimited()).rows;
    solutions.into_iter().any(|row| {
        let mut binding: Binding = goal.variables.iter().cloned().zip(row).collect();
        all_match(&clause.head.args, &atom.args, &mut binding)
    })
}

/// Whether replacing variables of `general` makes it `special`.
fn is_instance(special: &Atom, general: &Atom) -> bool {
    special.predicate == general.predicate && all_match(&general.args, &special.args, &mut Binding::new())
}

fn holds(oracle: &mut Oracle, atom: &Atom) -> bool {
    let body = vec![Literal::Positive(atom.clone())];
    let goal = Goal { body: body.into(), variables: Vec::new(), span: atom.span };
    !oracle.solve(&goal, true, &Budget::unlimited()).rows.is_empty()
}

/// Checks each denial, and each rule of the denials of ground atoms.
fn verify(oracle: &mut Oracle, rules: &[Clause], refutation: &Refutation) -> Result<(), TestCaseError> {
    for denial in &refutation.denials {
        prop_assert!(!holds(oracle, &denial.atom), "{}", denial.atom);
        let Reason::Rules(failed) = &denial.reason else { continue };
        for rule in failed {
            match &rule.cause {
                Cause::Denied(at) => {
                    let Literal::Positive(failed) = &rule.failed else { panic!("{:?} is no atom", rule.failed) };
                    let denied = &refutation.denials[*at].atom;
                    prop_assert!(is_instance(denied, failed) && is_instance(failed, denied), "{} {}", failed, denied);
                }
                Cause::Contradicted(fact) => prop_assert!(fact.is_ground() && holds(oracle, fact)),
                Cause::Replaced(_) | Cause::False | Cause::OtherValue(_) | Cause::NoValue(_) => {}
            }
        }
        if !denial.atom.is_ground() {
            continue;
        }
        let unify = |rule: &&Clause| {
            rule.head.signature() == denial.atom.signature()
                && all_match(&rule.head.args, &denial.atom.args, &mut Binding::new())
        };
        let expected: Vec<&Clause> = rules.iter().filter(unify).collect();
        prop_assert_eq!(failed.iter().map(|rule| &rule.clause).collect::<Vec<_>>(), expected);
        for rule in failed {
            let held = rule.held.len();
            prop_assert!(has_solution(oracle, &rule.clause, held, &denial.atom), "{}", denial.atom);
            prop_assert!(!has_solution(oracle, &rule.clause, held + 1, &denial.atom), "{}", denial.atom);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// After the events of a random program, what the oracle denies is refuted rightly, and nothing else. Resolution may
    /// stop on recursion.
    #[test]
    fn refutations_are_right(case in random::case(), first in 0..7usize) {
        let session = Session::of_text(&case.text, Syntax::Datalog).expect("a program");
        let program = session.program().clone();
        let atom = |text: &String| text.parse::<Atom>().expect("an atom");
        let facts: Vec<Atom> = case.insertions.iter().flatten().map(atom).collect();
        let events: Vec<Atom> = case.events.iter().map(atom).collect();
        let mut oracle = Oracle::new(&program);
        for fact in &facts {
            oracle.insert(fact).expect("the oracle takes any fact");
        }
        for event in &events {
            oracle.fire(event, &Budget::unlimited()).expect("nothing stops it");
        }
        oracle.update(&Budget::unlimited()).expect("nothing stops it");
        let mut session = session.with_case(Case { events, ..Case::of_facts(facts) });
        for engine in ENGINES {
            let budget = Budget::unlimited().with_timeout(Duration::from_secs(if *engine == SEMI_NAIVE { 60 } else { 1 }));
            session = session.with_setting(Setting { engine: engine.clone(), ..Setting::default() }).with_budget(budget);
            for atom in ground_atoms().into_iter().skip(first).step_by(7) {
                let goal = session.goal(&print_atom(&atom, Syntax::Datalog)).expect("a goal");
                match session.why_not(&goal, 2) {
                    Ok(WhyNot::Refuted(refutation)) => verify(&mut oracle, &program.program.rules, &refutation)?,
                    Ok(WhyNot::Holds) => prop_assert!(holds(&mut oracle, &atom), "{} holds in vain", atom),
                    Ok(WhyNot::Undefined(_)) => prop_assert!(false, "{} has a value", atom),
                    Err(stopped) => prop_assert!(*engine != SEMI_NAIVE, "{}", stopped),
                }
            }
        }
    }
}

/// The value that an aggregate has, by hand: three edges of `a`, whose weights sum to 6.
#[test]
fn an_aggregate_tells_the_value_that_it_has() {
    let rules = "w(a, 1). w(a, 2). w(a, 3). v(a). v(b).
few(X, N) :- v(X) & N = count { W : w(X, W) }.
least(X, N) :- v(X) & N = min { W : w(X, W) }.
six(X) :- v(X) & 7 = sum { W : w(X, W) }.
";
    for (fact, expected) in [
        ("few(a, 2)", "✗ 2 = count { W : w(a, W) }    it is 3"),
        ("few(b, 2)", "✗ 2 = count { W : w(b, W) }    it is 0"),
        ("least(a, 2)", "✗ 2 = min { W : w(a, W) }    it is 1"),
        ("least(b, 2)", "✗ 2 = min { W : w(b, W) }    it has no value"),
        ("six(a)", "✗ 7 = sum { W : w(a, W) }    it is 6"),
    ] {
        let (status, told) = why_not(rules, &[fact]);
        assert_eq!(status, 0);
        assert!(told.contains(expected), "{fact}: {told}");
    }
    let (_, told) = why_not(rules, &["few(a, 2)", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["denials"][0]["rules"][0]["value"], "3", "{told}");
}
