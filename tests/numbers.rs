//! Integers at the limits of 64 bits, on every engine and optimization: when an answer is an error, and what is undefined.

use crate::binary;
use crate::language::run;
use ludolog::analysis::analyze;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, ENGINES, EngineDescription, Session, Setting, Stopped};
use ludolog::game::{Draw, GameError, Interpreted, PlayoutEnd, StateMachine, StateMachineExt};
use ludolog::syntax::{Syntax, parse};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;

/// The answers of a goal, sorted, a line each; or the text of the overflow.
pub fn outcome(text: &str, goal: &str, setting: &Setting) -> Result<Vec<String>, String> {
    let mut session = Session::of_text(text, Syntax::Datalog).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    session.set_setting(setting.clone());
    let goal = session.goal(goal).unwrap_or_else(|wrong| panic!("{text}\n{goal}\n{wrong}"));
    match session.solve(&goal) {
        Ok(solution) => {
            assert_eq!(solution.stopped, None, "{text}");
            Ok(solution.to_string().lines().map(str::to_owned).collect())
        }
        Err(stopped @ Stopped::Overflow(_)) => Err(stopped.to_string()),
        Err(stopped) => panic!("{text}\n{stopped}"),
    }
}

/// In `.kif` a word of too many digits is a symbol, as is one with zeros in front, which is told but in games.
#[test]
fn words_of_kif_that_spell_numbers_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |text: &str| {
        fs::write(folder.path().join("q.kif"), text).expect("it is written");
        binary::run(folder.path(), &["query", "q.kif", "(big ?x)", "--format", "csv"], "")
    };
    for (word, rule) in [
        ("99999999999999999999", "(q 99999999999999999999) (q 5) (<= (big ?x) (q ?x) (> ?x 3))"),
        ("-9223372036854775809", "(q 5) (<= (big ?x) (q ?x) (> ?x -9223372036854775809))"),
        ("007", "(q 007) (q 5) (<= (big ?x) (q ?x) (> ?x 3))"),
    ] {
        let (_, _, messages) = told(rule);
        assert!(messages.contains("mixed-numbers") && messages.contains(word), "{messages}");
    }
    let (status, answers, messages) = told("(q 9223372036854775807) (q 5) (<= (big ?x) (q ?x) (> ?x 3))");
    assert_eq!((status, &*answers, &*messages), (0, "x\n5\n9223372036854775807\n", ""));
    let game = "(role a) (init (at 01)) (<= (legal a (go 1)) (true (at ?x))) (next (at 1)) (<= terminal (true (at 1))) (goal a 100)
        (cell 01) (cell 2) (<= (big ?x) (cell ?x))";
    assert!(!told(game).2.contains("mixed-numbers"), "{}", told(game).2);
}

/// Engines that run any program, with all optimizations that change how they run, on one thread and on three.
fn settings() -> Vec<Setting> {
    let named = |engine: &EngineDescription, passes: &str, threads| Setting {
        engine: engine.clone(),
        optimization: passes.parse().unwrap_or_else(|_| panic!("no optimization {passes}")),
        threads: NonZero::new(threads).expect("a thread"),
        ..Setting::default()
    };
    let mut settings = Vec::new();
    #[cfg(feature = "dataflow")]
    settings.extend(["none", "auto"].map(|passes| named(&ludolog::dataflow::DATAFLOW, passes, 1)));
    for engine in ENGINES {
        let passes = [
            "none",
            "grounding",
            "reordering",
            "both",
            "demand",
            "groups",
            "keys",
            "split",
            "pruning",
            "closure",
            "auto",
        ];
        settings.extend(passes.map(|passes| named(engine, passes, 1)));
    }
    settings.push(named(&ludolog::engine::SEMI_NAIVE, "none", 3));
    settings.push(named(&ludolog::engine::SEMI_NAIVE, "auto", 3));
    settings
}

fn told(setting: &Setting) -> String {
    format!("{} with {:?} on {} threads", setting.engine.name, setting.optimization, setting.threads)
}

#[track_caller]
fn answers(text: &str, goal: &str, expected: &[&str]) {
    for setting in settings() {
        let found = outcome(text, goal, &setting);
        let expected: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
        assert_eq!(found, Ok(expected), "{text} ?- {goal}. {}", told(&setting));
    }
}

#[track_caller]
fn overflows(text: &str, goal: &str, parts: &[&str]) {
    for setting in settings() {
        match outcome(text, goal, &setting) {
            Err(overflow) => {
                for part in parts {
                    assert!(overflow.contains(part), "{overflow} lacks {part}: {}", told(&setting));
                }
            }
            Ok(found) => panic!("{text} ?- {goal}. {found:?} {}", told(&setting)),
        }
    }
}

const MAX: &str = "9223372036854775807";
const MIN: &str = "-9223372036854775808";

#[test]
fn what_does_not_fit_is_an_error_with_the_rule_and_the_values() {
    let of = |value: &str, step: &str| format!("p({value}).\nq(Y) :- p(P) & {step}.\n");
    let sums = ["9223372036854775807 + 1", "is 9223372036854775808", "q(Y) :- p(P) & Y is P + 1."];
    overflows(&of(MAX, "Y is P + 1"), "q(Y)", &sums);
    overflows(&of(MIN, "Y is P - 1"), "q(Y)", &["-9223372036854775809"]);
    overflows(&of(MAX, "Y is P * P"), "q(Y)", &["85070591730234615847396907784232501249"]);
    overflows(&of(MIN, "Y is -P"), "q(Y)", &["is 9223372036854775808"]);
    overflows(&of(MIN, "Y is abs(P)"), "q(Y)", &["abs(-9223372036854775808)"]);
    overflows(&of(MIN, "Y is P / -1"), "q(Y)", &["/ -1"]);
    overflows(&of(MAX, "Y is P + 1 - 1"), "q(Y)", &["9223372036854775807 + 1"]);
    overflows(&of(MAX, "Y = P + 1"), "q(Y)", &[]);
    overflows(&of(MAX, "P + 1 > 0 & Y = yes"), "q(Y)", &["P + 1 > 0"]);
    overflows(&of(MAX, "P + 1 =\\= 0 & Y = yes"), "q(Y)", &[]);
    overflows(&of(MAX, "Y in P..P + 1"), "q(Y)", &[]);
    overflows(&of(MAX, "5 in 1..P + 1 & Y = yes"), "q(Y)", &[]);
    overflows(&of(MAX, "Y is max(P, 1) + min(P, 7)"), "q(Y)", &[]);
    overflows(
        "v(a, 9223372036854775807). v(b, 1).\nt(S) :- S = sum { X, I : v(I, X) }.\n",
        "t(S)",
        &["the `sum` is 9223372036854775808", "t(S) :- S = sum { X, I : v(I, X) }."],
    );
    overflows("v(9223372036854775807). v(1).", "v(X) & v(Y) & Z is X + Y & Z > 0", &[]);
}

#[test]
fn what_fits_is_computed_up_to_the_limits() {
    let of = |value: &str, step: &str| format!("p({value}).\nq(Y) :- p(P) & {step}.\n");
    answers(&of(MIN, "Y is P mod -1"), "q(Y)", &["Y = 0"]);
    answers(&of(MAX, "Y is -P - 1"), "q(Y)", &["Y = -9223372036854775808"]);
    answers(&of(MAX, "Y in P..P"), "q(Y)", &["Y = 9223372036854775807"]);
    let values = "v(a, 9223372036854775807). v(b, 9223372036854775805). v(c, -9223372036854775808).\n";
    answers(&format!("{values}t(S) :- S = avg {{ X, I : v(I, X) & I != c }}.\n"), "t(S)", &["S = 9223372036854775806"]);
    answers(&format!("{values}t(S) :- S = sum {{ X, I : v(I, X) }}.\n"), "t(S)", &["S = 9223372036854775804"]);
}

#[test]
fn an_overflow_that_no_answer_depends_on_is_no_error() {
    let table = "n(1). n(9223372036854775807).\nnext(X, Y) :- n(X) & Y is X + 1.\n";
    answers(table, "next(1, Y)", &["Y = 2"]);
    overflows(table, "next(X, Y)", &["9223372036854775807 + 1"]);
    // Whatever stands first, the condition leaves it out.
    answers("n(1). n(9223372036854775807).\nq(Y) :- n(X) & Y is X + 1 & X < 9.\n", "q(Y)", &["Y = 2"]);
    answers("n(9223372036854775807). s(4).\nq(Y) :- n(X) & Y is X + 1 & s(Y).\n", "q(Y)", &[]);
    answers(&format!("{table}some :- n(1) & ~next(2, _).\n"), "some", &["yes"]);
    answers(&format!("{table}q(X) :- n(X) & ~next(X, 5).\n"), "q(X)", &["X = 1", "X = 9223372036854775807"]);
    overflows(&format!("{table}q(X) :- n(X) & ~next(X, _).\n"), "q(X)", &[]);
    overflows(&format!("{table}t(N) :- N = count {{ X : next(X, _) }}.\n"), "t(N)", &[]);
}

#[test]
fn facts_that_come_and_go_decide_anew() {
    for setting in settings() {
        let mut session = Session::of_text("q(Y) :- p(P) & Y is P + 1.", Syntax::Datalog).expect("a program");
        session.set_setting(setting.clone());
        let ask = |session: &mut Session| session.query("q(Y)").map(|solution| solution.to_string()).ok();
        session.insert("p(1)").expect("a fact");
        assert_eq!(ask(&mut session).as_deref(), Some("Y = 2\n"), "{}", told(&setting));
        session.insert(&format!("p({MAX})")).expect("a fact");
        assert_eq!(ask(&mut session), None, "{}", told(&setting));
        assert_eq!(ask(&mut session), None, "{}", told(&setting));
        session.retract(&format!("p({MAX})")).expect("a fact");
        assert_eq!(ask(&mut session).as_deref(), Some("Y = 2\n"), "{}", told(&setting));
    }
}

/// The examples of the reference on numbers and comparisons: a goal in a comment, and its answers or its error behind it.
#[test]
fn the_examples_of_the_reference_answer_as_it_says() {
    let reference = include_str!("../docs/language.md");
    let sections = reference.split("\n## ").filter(|section| {
        ["Numbers\n", "Regular expressions\n", "Comparisons\n"].iter().any(|name| section.starts_with(name))
    });
    let mut asked = 0;
    for block in sections.flat_map(|section| section.split("```dl\n").skip(1)) {
        let rules = block.split("```").next().unwrap_or_default();
        for example in rules.lines().filter_map(|line| line.strip_prefix("% ?- ")) {
            let (goal, expected) = example.split_once(".  ").expect("a goal and what comes of it");
            match expected.strip_prefix("error: ") {
                Some(error) => overflows(rules, goal, &[error]),
                None => answers(rules, goal, &expected.split("; ").collect::<Vec<_>>()),
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 19);
}

#[test]
fn commands_tell_the_place_and_end_with_2() {
    let rules = "p(1). p(9223372036854775807).\nq(Y) :- p(P) & Y is P + 1.\n";
    for args in [
        &["query", "rules.dl", "q(Y)"][..],
        &["query", "rules.dl", "q(Y)", "--engine", "resolution"],
        &["facts", "rules.dl"],
        &["facts", "rules.dl", "--engine", "resolution"],
        &["why", "rules.dl", "q(Y)"],
        &["profile", "rules.dl", "q(Y)"],
    ] {
        let (status, out, err) = run(rules, args);
        assert_eq!(status, 2, "{args:?} {out} {err}");
        assert!(err.contains("9223372036854775807 + 1"), "{args:?} {err}");
        assert!(args[0] == "profile" || out.is_empty() && err.contains("rules.dl:2:16"), "{args:?} {out} {err}");
    }
    let (status, out, err) = run(rules, &["query", "rules.dl", "q(Y)", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let found = &json["error"]["diagnostics"][0];
    assert_eq!((status, &*err), (2, ""));
    assert_eq!((found["code"].as_str(), found["line"].as_u64()), (Some("integer-overflow"), Some(2)));
    let (status, out, _) = run(rules, &["query", "rules.dl", "q(2)"]);
    assert_eq!((status, &*out), (0, "yes\n"));
}

#[test]
fn why_not_names_what_is_undefined() {
    let rules = "p(a). z(0). t(3).\nq(Y) :- p(P) & Y is P + 1.\nd(Y) :- z(Z) & Y is 7 / Z.\nl(x) :- p(P) & P < 3.\n\
                 m(x) :- t(T) & T > 5.\nn(x) :- t(T) & 4 / 0 =:= T.\n";
    for (fact, reason) in [
        ("q(Y)", "`a + 1` has no value: `a` is a symbol"),
        ("d(Y)", "`7 / 0` has no value: division by zero"),
        ("l(x)", "`a` is a symbol, `3` is an integer"),
        ("m(x)", "false"),
        ("n(x)", "division by zero"),
    ] {
        let (status, out, err) = run(rules, &["why-not", "rules.dl", fact]);
        assert!(status == 0 && out.contains(reason), "{fact} {out} {err}");
    }
    let (_, out, _) = run(rules, &["why-not", "rules.dl", "q(Y)", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let reason = &json["denials"][0]["rules"][0]["no_value"];
    assert_eq!(reason.as_str(), Some("`a + 1` has no value: `a` is a symbol"));
}

/// A goal whose constants have no value is told, as one whose variables have none.
#[test]
fn goals_are_told_that_they_compute_nothing() {
    let told = |goal: &str| run("p(1).\n", &["query", "rules.dl", goal]);
    for (goal, reason) in [
        ("Y is 1 / (2 - 2)", "`1 / (2 - 2)` has no value: division by zero"),
        ("p(X) & Y is sqrt(-1.0)", "`sqrt(-1.0)` has no value: its result is no finite number"),
        ("Y is X / 0 & p(X)", "nothing is divided by zero"),
        ("Y is power(2, 1 - 2)", "its second argument is negative"),
        ("Y is substring(a, 2, 1)", "there is no such symbol"),
        ("Y is to_number('1' + 0)", "`'1'` is no number"),
    ] {
        let (status, out, told) = told(goal);
        assert_eq!((status, told.matches("warning[no-value]").count()), (1, 1), "{goal} {out} {told}");
        assert!(told.contains(reason), "{goal} {told}");
    }
    for goal in ["Y is 4 / (3 - 1)", "p(X) & 1 < 2", "p(X) & ~(1 / 0 > X)"] {
        assert_eq!(told(goal).2, "", "{goal}");
    }
    let (status, _, told) = told("Y is 9223372036854775807 + 1");
    assert!(status == 2 && !told.contains("no-value"), "{told}");
}

/// A quotient of integers that loses what it is computed for; others are meant as they are.
#[test]
fn quotients_that_are_rounded_too_early_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |sum: &str| {
        let rules = format!("e(7, 2). f(7.0, 2.0). r(X) :- e(S, T) & f(U, V) & U > V & S > T & X is {sum}.\n");
        fs::write(folder.path().join("rules.dl"), rules).unwrap();
        let (code, _, warnings) = binary::run(&folder, &["check", "rules.dl"], "");
        assert_eq!(code, 0, "{warnings}");
        warnings
    };
    for (sum, wanted) in [
        ("S / T * 100", "`S / T` is rounded down before it is multiplied by 100"),
        ("100 * (S / T)", "multiply before dividing: `S * 100 / T`"),
        ("1 + (S + 1) / T * 1000", "multiply before dividing: `(S + 1) * 1000 / T`"),
        ("to_float(S / T) * 100.0", "divide floats: `to_float(S) / to_float(T)`"),
    ] {
        assert!(warnings(sum).contains(wanted), "{sum}: {}", warnings(sum));
    }
    for sum in [
        "S * 100 / T",
        "S / 100 * 100",
        "S / T * 10",
        "S / 60 * 100 + S mod 60",
        "U / V * 100.0",
        "to_float(S) / to_float(T)",
    ] {
        assert!(!warnings(sum).contains("rounded down"), "{sum}: {}", warnings(sum));
    }
}

/// A sum of integers is one, whether `is` or `=` computes it: the column has no terms besides.
#[test]
fn sums_that_equations_compute_are_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let rules = |sum: &str| {
        format!("e(a, b, 1). e(b, c, 2).\nd(a, min D) :- D = 0.\nd(Y, min D) :- d(X, C) & e(X, Y, W) & D = {sum}.\n")
    };
    let warnings = |sum: &str| {
        fs::write(folder.path().join("rules.dl"), rules(sum)).unwrap();
        let (code, told, warnings) = binary::run(&folder, &["facts", "rules.dl"], "");
        assert_eq!((code, told.as_str()), (0, "d(a, 0).\nd(b, 1).\nd(c, 3).\n"), "{warnings}");
        warnings
    };
    assert_eq!(warnings("C + W"), "");
    assert_eq!(warnings("C + W * 1"), "");
}

#[test]
fn comparisons_of_values_compute_on_every_engine() {
    let rules = "n(X) :- X in 1..4.\nfar(X, Y) :- n(X) & n(Y) & abs(X - Y) =\\= 1 & X =\\= Y.\n\
                 two(A, B, C, D) :- far(A, B) & far(B, C) & far(C, D) & A =\\= C & B =\\= D & A =\\= D & \
                 abs(A - C) =\\= 2 & abs(B - D) =\\= 2 & abs(A - D) =\\= 3.\n";
    answers(rules, "far(1, 2)", &["no"]);
    answers(rules, "two(A, B, C, D)", &["A = 2, B = 4, C = 1, D = 3", "A = 3, B = 1, C = 4, D = 2"]);
    answers("n(2). n(4).", "n(X) & n(Y) & X * 2 =:= Y", &["X = 2, Y = 4"]);
    for goal in ["Y =:= X + 1", "X + 1 =:= Y", "Y =\\= X"] {
        let (status, _, told) =
            run("n(2).\nq(X) :- n(X) & Y =:= X.\n".replace("Y =:= X", goal).as_str(), &["facts", "rules.dl"]);
        assert!(status == 2 && told.contains("error[unsafe-variable]") && told.contains("help"), "{told}");
    }
}

#[test]
fn warnings_that_concern_answers_stand_where_the_answers_are() {
    let rules = "queen(1). queen(2).\nfar(A, B) :- queen(A) & queen(B) & abs(A - B) != 1.\n";
    for (command, key) in
        [("query", "/0/warnings"), ("why", "/warnings"), ("plan", "/warnings"), ("profile", "/warnings")]
    {
        let args = [command, "rules.dl", "far(1, 2)", "--format", "json"];
        let (_, out, err) = run(rules, &args);
        assert_eq!(err.matches("warning[uncomputed-function]").count(), 1, "{command} {err}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let found = json.pointer(key).unwrap_or_else(|| panic!("{command} {out}"));
        assert_eq!(found[0]["code"].as_str(), Some("uncomputed-function"), "{command} {out}");
    }
    let (_, out, err) = run(rules, &["why-not", "rules.dl", "far(3, 2)", "--format", "json"]);
    assert!(out.contains("uncomputed-function") && err.contains("warning[uncomputed-function]"), "{out} {err}");
    let (_, _, err) = run(rules, &["facts", "rules.dl"]);
    assert_eq!(err.matches("warning[uncomputed-function]").count(), 1, "{err}");
    // The array of facts has no place for them.
    let (_, out, err) = run(rules, &["facts", "rules.dl", "--format", "json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok_and(|facts| facts.is_array()), "{out}");
    assert_eq!(err.matches("warning[uncomputed-function]").count(), 1, "{err}");
    // What is only odd is left to `check`.
    let (_, _, err) = run("p(1). q(2).\nr(X) :- p(X) & q(Unused).\n", &["facts", "rules.dl"]);
    assert_eq!(err, "");
    // Facts of the case count.
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("rules.dl"), "e(a, 1).\nr(X) :- e(b, X).\n").expect("a file");
    fs::write(directory.path().join("e.csv"), "b,2\n").expect("a file");
    let (_, _, err) = binary::run(&directory, &["facts", "rules.dl"], "");
    assert!(err.contains("warning[never-fires]"), "{err}");
    let (_, out, err) = binary::run(&directory, &["facts", "rules.dl", "--facts", "e.csv"], "");
    assert_eq!((&*out, &*err), ("r(2).\n", ""));
}

/// A value of the evaluation that follows: an integer of any size, or a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Integer(i128),
    Symbol,
}

#[derive(Clone, Debug)]
enum Expression {
    Variable(usize),
    Constant(i128),
    Of(&'static str, Box<[Expression; 2]>),
}

const NAMES: [&str; 3] = ["X", "Z", "Y"];

impl Expression {
    fn text(&self) -> String {
        match self {
            Expression::Variable(at) => NAMES[*at].to_owned(),
            Expression::Constant(n) => n.to_string(),
            Expression::Of(name @ ("min" | "max"), parts) => {
                format!("{name}({}, {})", parts[0].text(), parts[1].text())
            }
            Expression::Of("abs", parts) => format!("abs({})", parts[0].text()),
            Expression::Of(name, parts) => format!("({} {name} {})", parts[0].text(), parts[1].text()),
        }
    }

    /// The value; `None` if there is none. With `narrow`, no operation has a result beyond 64 bits.
    fn value(&self, slots: &[Value], narrow: bool) -> Option<i128> {
        let integer = match self {
            Expression::Variable(at) => match slots[*at] {
                Value::Integer(n) => n,
                Value::Symbol => return None,
            },
            Expression::Constant(n) => *n,
            Expression::Of(name, parts) => {
                let a = parts[0].value(slots, narrow)?;
                let b = if *name == "abs" { 0 } else { parts[1].value(slots, narrow)? };
                let floor = |a: i128, b: i128| a / b - i128::from(a % b != 0 && (a < 0) != (b < 0));
                match *name {
                    // Sums of three products may need 128 bits and more; they are beyond any other value then.
                    "+" => a.saturating_add(b),
                    "-" => a.saturating_sub(b),
                    "*" => a * b,
                    "/" if b != 0 => floor(a, b),
                    "mod" if b != 0 => a - b * floor(a, b),
                    "min" => a.min(b),
                    "max" => a.max(b),
                    "abs" => a.abs(),
                    _ => return None,
                }
            }
        };
        (!narrow || i64::try_from(integer).is_ok()).then_some(integer)
    }
}

/// Bytes as choices.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn pick(&mut self, most: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % most
    }

    fn constant(&mut self) -> i128 {
        let limits = [i128::from(i64::MAX), i128::from(i64::MIN), 0, 3_037_000_500, -1, 1 << 62, 2, -3];
        let near = limits[self.pick(limits.len())] + self.pick(5) as i128 - 2;
        near.clamp(i64::MIN.into(), i64::MAX.into())
    }

    /// An expression of variables, of which products are only of variables and constants that fit 64 bits.
    fn expression(&mut self, variables: &[usize], products: bool) -> Expression {
        let leaf = |choices: &mut Self| match choices.pick(3) {
            0 => Expression::Constant(choices.constant()),
            _ => Expression::Variable(variables[choices.pick(variables.len())]),
        };
        let names: &[&str] =
            if products { &["+", "-", "*", "/", "mod", "min", "max", "abs"] } else { &["+", "-", "min", "max"] };
        let name = names[self.pick(names.len())];
        let inner = match self.pick(3) {
            // So that no product needs more than 128 bits.
            0 if name != "*" => Expression::Of(["+", "-", "abs"][self.pick(3)], Box::new([leaf(self), leaf(self)])),
            _ => leaf(self),
        };
        if self.pick(4) == 0 { inner } else { Expression::Of(name, Box::new([inner, leaf(self)])) }
    }
}

/// A condition between expressions.
#[derive(Clone, Debug)]
struct Condition {
    sides: [Expression; 2],
    comparator: &'static str,
    negated: bool,
}

impl Condition {
    fn of(choices: &mut Choices, variables: &[usize], products: bool) -> Condition {
        let comparators = ["<", "<=", ">", ">=", "=:=", "=\\="];
        Condition {
            sides: [choices.expression(variables, products), choices.expression(variables, products)],
            comparator: comparators[choices.pick(comparators.len())],
            negated: choices.pick(4) == 0,
        }
    }

    fn text(&self) -> String {
        let inner = format!("{} {} {}", self.sides[0].text(), self.comparator, self.sides[1].text());
        if self.negated { format!("~({inner})") } else { inner }
    }

    fn holds(&self, slots: &[Value], narrow: bool) -> bool {
        // Two plain symbols are the only one there is.
        let is_symbol = |side: &Expression| matches!(side, Expression::Variable(at) if slots[*at] == Value::Symbol);
        let order = if self.sides.iter().all(is_symbol) {
            Some(std::cmp::Ordering::Equal)
        } else {
            self.sides[0].value(slots, narrow).zip(self.sides[1].value(slots, narrow)).map(|(a, b)| a.cmp(&b))
        };
        let related = order.is_some_and(|order| match self.comparator {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "=:=" => order.is_eq(),
            _ => order.is_ne(),
        });
        related != self.negated
    }
}

/// `q(X, Y)` of two facts and a computed value, `r(X)` of a condition on both, and `s(X)` where `r` does not hold.
#[derive(Clone, Debug)]
struct Case {
    facts: BTreeSet<Value>,
    step: Expression,
    conditions: Vec<Condition>,
    last: Condition,
    /// Whether the step stands before the facts.
    early: bool,
}

impl Case {
    fn of(bytes: &[u8]) -> Case {
        let mut choices = Choices(bytes.iter());
        let mut facts: BTreeSet<Value> = (0..1 + choices.pick(4)).map(|_| Value::Integer(choices.constant())).collect();
        if choices.pick(4) == 0 {
            facts.insert(Value::Symbol);
        }
        let step = choices.expression(&[0, 1], true);
        let conditions = (0..choices.pick(3)).map(|_| Condition::of(&mut choices, &[0, 1], true)).collect();
        let last = Condition::of(&mut choices, &[0, 2], false);
        Case { facts, step, conditions, last, early: choices.pick(2) == 0 }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for fact in &self.facts {
            match fact {
                Value::Integer(n) => text += &format!("p({n}).\n"),
                Value::Symbol => text += "p(a).\n",
            }
        }
        let conditions: Vec<String> = self.conditions.iter().map(Condition::text).collect();
        let step = format!("Y is {}", self.step.text());
        let facts = "p(X) & p(Z)".to_owned();
        let mut body = if self.early { vec![step, facts] } else { vec![facts, step] };
        body.splice(usize::from(self.early)..usize::from(self.early), conditions);
        text + &format!(
            "q(X, Y) :- {}.\nr(X) :- q(X, Y) & {}.\ns(X) :- p(X) & ~r(X).\n",
            body.join(" & "),
            self.last.text()
        )
    }

    /// The facts of `q`, `r` and `s`.
    fn model(&self, narrow: bool) -> [BTreeSet<Vec<Value>>; 3] {
        let mut model = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        for &x in &self.facts {
            for &z in &self.facts {
                let Some(y) = self.step.value(&[x, z], narrow).map(Value::Integer) else { continue };
                if self.conditions.iter().all(|condition| condition.holds(&[x, z], narrow)) {
                    model[0].insert(vec![x, y]);
                    if self.last.holds(&[x, z, y], narrow) {
                        model[1].insert(vec![x]);
                    }
                }
            }
        }
        model[2] = self.facts.iter().map(|&x| vec![x]).filter(|row| !model[1].contains(row)).collect();
        model
    }
}

fn line(names: &[&str], row: &[Value]) -> String {
    let text = |value: &Value| match value {
        Value::Integer(n) => n.to_string(),
        Value::Symbol => "a".to_owned(),
    };
    names.iter().zip(row).map(|(name, value)| format!("{name} = {}", text(value))).collect::<Vec<_>>().join(", ")
}

/// The random programs that follow are of both kinds.
#[test]
fn random_arithmetic_fits_and_does_not() {
    let mut draw = Draw::new(1);
    let mut differ = 0;
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..48).map(|_| draw.below(256) as u8).collect();
        let case = Case::of(&bytes);
        differ += usize::from(case.model(true) != case.model(false));
    }
    assert!((60..240).contains(&differ), "{differ}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Answers are errors where they are others with integers of any size, on every engine and optimization.
    #[test]
    fn random_arithmetic_agrees_with_wide_integers(bytes in proptest::collection::vec(any::<u8>(), 48)) {
        let case = Case::of(&bytes);
        let text = case.text();
        let narrow = case.model(true);
        let wide = case.model(false);
        let goals = [("q(X, Y)", &["X", "Y"][..], 0), ("r(X)", &["X"], 1), ("s(X)", &["X"], 2)];
        for setting in settings() {
            for (goal, names, at) in goals {
                let found = outcome(&text, goal, &setting);
                if narrow[at] == wide[at] {
                    let lines: BTreeSet<String> = narrow[at].iter().map(|row| line(names, row)).collect();
                    let found = found.map(|lines| lines.into_iter().collect::<BTreeSet<_>>());
                    prop_assert_eq!(found, Ok(lines), "{} {}\n{}", goal, told(&setting), text);
                } else {
                    prop_assert!(found.is_err(), "{} {} {:?}\n{}", goal, told(&setting), found, text)
                }
            }
        }
    }
}

/// A counter near the greatest integer. In all states but the last, `hot` adds what does not fit, and whatever that is, `hot` is false.
const COUNTER: &str = "role(counter). init(n(9223372036854775805)).\n\
    hot :- true(n(X)) & Y is X + 3 & Y > 0 & X < 10.\n\
    legal(counter, up) :- true(n(_)) & ~hot.\n\
    next(n(Y)) :- true(n(X)) & does(counter, up) & Y is X + 1.\n\
    terminal :- true(n(9223372036854775807)) & ~hot.\n\
    goal(counter, 100) :- terminal.\n\
    goal(counter, 0) :- ~terminal.\n";

#[test]
fn a_game_goes_on_where_no_answer_depends_on_an_overflow() {
    let mut sources = Sources::new();
    let source = sources.add("counter.dl", COUNTER);
    let program = parse(source, &sources, Syntax::Datalog).into_result().expect("it parses");
    let program = analyze(&program).expect("it is sound").stratified;
    for setting in settings().into_iter().filter(|setting| setting.threads.get() == 1) {
        let told = told(&setting);
        let mut game = Interpreted::with_setting(&program, setting, Budget::unlimited()).expect(&told);
        let first = game.initial_state().clone();
        let played = game.playout(&first, 9, |_, legal| legal[0]).expect(&told);
        assert_eq!(
            (played.end, played.steps, &played.goals[..]),
            (PlayoutEnd::Terminal, 2, &[Some(100)][..]),
            "{told}"
        );
        // The state after the last one has a number that does not fit.
        let joint = game.legal_joint_moves(&played.state).expect(&told).next().expect("one is legal");
        let beyond = game.next_state(&played.state, &joint);
        let Err(GameError::Stopped(Stopped::Overflow(overflow))) = beyond else { panic!("{told}: {beyond:?}") };
        assert!(overflow.to_string().contains("9223372036854775807 + 1"), "{told}: {overflow}");
        // The question after that is answered.
        assert_eq!(game.goals(&first), Ok(vec![Some(0)]), "{told}");
    }
}

#[test]
fn commands_play_where_no_answer_depends_on_an_overflow() {
    let (status, out, err) = run(COUNTER, &["game", "playouts", "rules.dl", "--time", "0.1", "--seed", "1"]);
    assert_eq!(status, 0, "{out} {err}");
    assert!(out.contains("counter: goal 100.00") && out.contains("2.0 moves a playout"), "{out}");
}
