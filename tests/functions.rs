//! Functions in Rust: on every engine, partial ones, with terms of all kinds; and what is said of those that are none.

use crate::engines::program;
use ludolog::analysis::{self, GivenColumns};
use ludolog::compile::{System, Translatable, translate};
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, ENGINES, EngineDescription, Session, Setting};
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Float, Predicate, Term};
use ludolog::syntax::functions::{RegistrationError, register};
use ludolog::syntax::{self, Syntax};
use std::num::NonZero;
use std::sync::Once;

/// Registers the functions of these tests.
fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The half of an even integer, as a float, and of a pair its parts exchanged.
        register("t_half", 1, |arguments| match arguments {
            [Term::Integer(n)] if n % 2 == 0 => Some(Term::Integer(n / 2)),
            [Term::Float(x)] => Float::new(x.get() / 2.0).map(Term::Float),
            _ => None,
        })
        .unwrap();
        register("t_swap", 1, |arguments| match arguments {
            [Term::Compound(name, parts)] if parts.len() == 2 => {
                Some(Term::compound(name, vec![parts[1].clone(), parts[0].clone()]))
            }
            _ => None,
        })
        .unwrap();
        register("t_join", 2, |arguments| match arguments {
            [Term::Symbol(a), Term::Integer(b)] => Some(Term::symbol(&format!("{a}{b}"))),
            _ => None,
        })
        .unwrap();
    });
}

/// All engines that compute.
fn engines() -> Vec<EngineDescription> {
    let engines = ENGINES.into_iter().cloned();
    #[cfg(feature = "dataflow")]
    let engines = engines.chain([ludolog::dataflow::DATAFLOW.clone()]);
    engines.collect()
}

/// The answers to a goal, a line each, under a setting.
fn answers(text: &str, goal: &str, setting: Setting) -> String {
    let mut session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
    let solution = session.query(goal).unwrap();
    assert!(solution.stopped.is_none(), "{:?}", solution.stopped);
    solution.answers().map(|row| row.iter().map(Term::to_string).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn all_engines_call_them() {
    registered();
    let facts = "n(1). n(2). n(8). n(2.5). n(a). n(f(1, x)). halves(N) :- N = count { Y : n(X) & Y is t_half(X) }.";
    for (goal, expected) in [
        ("n(X) & Y is t_half(X)", "2 1\n8 4\n2.5 1.25\n"),
        ("n(X) & Y is t_half(X) + 1", "2 2\n8 5\n"),
        ("n(X) & Y is t_half(t_half(X))", "8 2\n2.5 0.625\n"),
        ("n(X) & t_half(X) > 1", "8\n"),
        ("n(X) & n(Y) & X =:= t_half(Y)", "1 2\n"),
        ("n(X) & n(Y) & X is t_half(Y)", "1 2\n"),
        ("n(X) & n(Y) & ~(X is t_half(Y)) & Y = 2", "2 2\n8 2\n2.5 2\na 2\nf(1, x) 2\n"),
        ("n(X) & Y is t_swap(X)", "f(1, x) f(x, 1)\n"),
        ("n(X) & X is t_swap(t_swap(X))", "f(1, x)\n"),
        ("n(X) & Y is t_swap(g(X, 1 + 1)) & X = 1", "1 g(2, 1)\n"),
        ("n(X) & Y is t_join(X, 1 + 2)", "a a3\n"),
        ("n(X) & Y is length(t_join(X, 12))", "a 3\n"),
        ("n(X) & Y is cat(t_join(X, 1), '-')", "a 'a1-'\n"),
        ("n(X) & t_join(X, 1) < b", "a\n"),
        ("n(X) & X in 1..t_half(4)", "1\n2\n"),
        ("halves(N)", "3\n"),
        // Under `=`, a function is a term.
        ("n(X) & Y = t_half(X) & X = 8", "8 t_half(8)\n"),
    ] {
        for engine in engines() {
            for optimization in [Optimization::None, Optimization::default()] {
                let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
                assert_eq!(answers(facts, goal, setting), expected, "{engine}: {goal}");
            }
        }
    }
}

/// Threads share the terms that there are; values that are new are left to one.
#[test]
fn threads_call_them() {
    registered();
    let text = "h(X, Y) :- X in 0..20000 & Y is t_half(X). s(Y, Z) :- h(X, Y) & Z is t_join(n, X).";
    let expected: String = (0..=3).map(|y| format!("{y} n{}\n", 2 * y)).collect();
    for threads in [1, 3] {
        let threads = NonZero::new(threads).unwrap();
        let setting = Setting { threads, ..Setting::default() };
        assert_eq!(answers(text, "s(Y, Z) & Y < 4", setting), expected);
    }
}

#[test]
fn kif_calls_them_and_why_not_tells_where_they_have_no_value() {
    registered();
    let text = "(<= (half ?x ?y) (n ?x) (is ?y (t_half ?x)))\n(n 3)\n(n 4)\n";
    let mut session = Session::of_text(text, Syntax::Kif).unwrap();
    assert_eq!(session.query("(half ?x ?y)").unwrap().to_string(), "X = 4, Y = 2\n");
    let mut session = Session::of_text("half(X, Y) :- n(X) & Y is t_half(X). n(3).", Syntax::Datalog).unwrap();
    let goal = session.goal("half(3, 1)").unwrap();
    let refuted = format!("{:?}", session.why_not(&goal, 3).unwrap());
    assert!(refuted.contains("NoResult"), "{refuted}");
}

#[test]
fn recursion_through_them_is_not_seen_to_end_but_of_values_from_outside() {
    registered();
    let reject = |text: &str| Session::of_text(text, Syntax::Datalog).err().map(|error| error.to_string());
    let endless = reject("p(8). p(Y) :- p(X) & Y is t_half(X).").unwrap();
    assert!(endless.contains("p(Y) :- ") || endless.contains("growing-terms") || endless.contains("grow"), "{endless}");
    assert!(reject("p(8). p(Y) :- p(X) & Y is t_half(X) & Y > 0 & Y < 9.").is_some());
    assert_eq!(reject("p(8). n(8). p(Y) :- p(X) & n(X) & Y is t_half(X)."), None);
}

#[test]
fn names_that_are_none_are_told_with_those_that_are() {
    registered();
    let warnings = |text: &str| -> Vec<String> {
        let mut sources = Sources::new();
        let source = sources.add("test.dl", text);
        let program = syntax::parse(source, &sources, Syntax::Datalog).into_result().unwrap();
        let found = analysis::lint(&program, &GivenColumns::default(), &Budget::unlimited()).unwrap();
        let unknown = found.iter().filter(|one| one.code.name() == "unknown-function");
        unknown.map(|one| format!("{}: {}", one.message, one.help.clone().unwrap_or_default())).collect()
    };
    for (rule, expected) in [
        (
            "p(N) :- q(X) & N is lenght(X).",
            "`lenght(X)` is no function, so that the condition never holds: did you mean `length`?",
        ),
        (
            "p(N) :- q(X) & N is t_hafl(X) + 1.",
            "`t_hafl(X)` is no function, so that the condition never holds: did you mean `t_half`?",
        ),
        (
            "p(X) :- q(X) & length(X, 1) > 2.",
            "`length(X, 1)` is no function, so that the condition never holds: `length` has 1 argument",
        ),
    ] {
        assert_eq!(warnings(&format!("{rule} q(a).")), [expected], "{rule}");
    }
    for sound in ["p(Y) :- q(X) & Y is t_swap(f(X, X)).", "p(Y) :- q(X) & Y = f(X).", "p(X) :- q(X) & ~(X is f(X))."] {
        assert_eq!(warnings(&format!("{sound} q(a).")), [""; 0], "{sound}");
    }
}

#[test]
fn taken_names_are_refused_and_other_systems_have_none() {
    registered();
    let taken = |name: &str, arity| register(name, arity, |_| None).unwrap_err();
    assert_eq!(taken("t_half", 1), RegistrationError::Taken("t_half".to_owned(), 1));
    assert_eq!(taken("cat", 7).to_string(), "there is a function `cat/7` already");
    assert_eq!(taken("t_constant", 0), RegistrationError::NoArguments("t_constant".to_owned()));
    let program = program("p(Y) :- q(X) & Y is 1 + t_half(X). q(2).");
    let translatable = Translatable::new(&program, Vec::new(), [Predicate::new("p", 1)].into());
    for system in [System::Souffle, System::Clingo, System::Prolog, System::Crepe] {
        let refused = translate(&translatable, system).unwrap_err().to_string();
        assert!(refused.contains("the function `t_half`, which is written in Rust"), "{system}: {refused}");
    }
}
