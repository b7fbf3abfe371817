//! Aggregates, ranges, functions and growth as users of the command meet them.

use crate::binary;
use std::fs;

/// What a command on a rule file and a table prints: status, standard output, standard error.
pub fn run(rules: &str, args: &[&str]) -> (i32, String, String) {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("rules.dl"), rules).expect("a file");
    fs::write(directory.path().join("price.csv"), "apple,9\npear,2\n").expect("a file");
    binary::run(&directory, args, "")
}

#[test]
fn growing_recursion_runs_up_to_a_limit_that_is_given() {
    let rules = "d(a, 0).\nd(Y, D) :- d(X, C) & e(X, Y, W) & D is C + W & D <= 9.\ne(a, b, 1). e(b, a, -2).\n";
    let (status, _, told) = run(rules, &["query", "rules.dl", "d(a, D)"]);
    assert!(status == 2 && told.contains("error[growing-terms]") && told.contains("add `W >= 0`"), "{told}");
    let (status, _, told) = run(rules, &["query", "rules.dl", "d(a, D)", "--allow-growing"]);
    assert!(status == 2 && told.contains("--max-facts"), "{told}");
    let (status, answers, told) =
        run(rules, &["query", "rules.dl", "d(a, D)", "--allow-growing", "--max-facts", "1000"]);
    assert!(status != 0 && told.contains("warning[growing-terms]") && told.contains("1000"), "{status} {told}");
    assert!(answers.contains("-1"), "{answers}");
    let (status, answers, _) = run(&rules.replace("D <= 9", "D <= 9 & W >= 0"), &["query", "rules.dl", "d(b, D)"]);
    assert_eq!((status, answers.contains('1')), (0, true), "{answers}");
}

#[test]
fn what_is_undefined_is_told_once_unless_it_is_given() {
    let rules = "cheap(X) :- price(X, P) & price(X, P) & P < 3.\n";
    let (status, _, told) = run(rules, &["query", "rules.dl", "cheap(X)"]);
    assert_eq!((status, told.matches("nothing defines `price/2`").count()), (1, 1), "{told}");
    let (status, answers, told) = run(rules, &["query", "rules.dl", "cheap(X)", "--facts", "price.csv"]);
    assert!(status == 0 && answers.contains("pear") && !told.contains("nothing defines"), "{answers} {told}");
    let many: String = (0..2000).map(|i| format!("p{i}(X) :- q{i}(X).\n")).collect();
    let (_, _, told) = run(&many, &["check", "rules.dl", "--format", "json"]);
    assert_eq!(told, "");
}

/// Texts of old systems: a comment ends with its line, and not with the text.
#[test]
fn lines_may_end_by_carriage_returns_alone() {
    let rules = "% ages\rage(ann, 3). age(bob, 2).\rold(X) :- age(X, N) & N > 2.\r";
    let (status, answers, told) = run(rules, &["query", "rules.dl", "old(X)", "--format", "csv"]);
    assert_eq!((status, &*answers), (0, "X\nann\n"), "{told}");
    let (_, _, told) = run(&rules.replace("N > 2", "M > 2"), &["check", "rules.dl"]);
    assert!(told.contains("rules.dl:3:"), "{told}");
}

#[test]
fn huge_ranges_and_symbols_stop_at_limits() {
    let range = "n(X) :- X in 1..1000000000000000000.\n";
    let (status, _, told) = run(range, &["facts", "rules.dl", "--max-facts", "10000"]);
    assert!(status == 2 && told.contains("10000"), "{told}");
    let (status, _, told) =
        run("n(X) :- X in 1..1000000000000000000 & X < 0.\n", &["query", "rules.dl", "n(X)", "--timeout", "1"]);
    assert!(status == 2 && told.contains("time"), "{told}");
    let doubled =
        "s(0, ab).\ns(N, T) :- s(M, S) & N is M + 1 & N <= 64 & T is cat(S, S).\nlast(N) :- N = max { M : s(M, _) }.\n";
    let (status, answers, told) = run(doubled, &["query", "rules.dl", "last(N)"]);
    assert!(status == 0 && answers.contains("19"), "{answers} {told}");
}

/// A range of 4·10^12 integers is a test wherever it stands, if another condition computes its element; one that the element is computed from is gone through.
#[test]
fn ranges_wait_for_what_computes_their_elements() {
    let facts = "q(1). q(2). p(4000000000000).\n";
    for body in [
        "D in 8..X & p(X) & q(W) & D is W + 10",
        "p(X) & q(W) & D in 8..X & D is W + 10",
        "p(X) & D in 8..X & q(W) & D is W + 10",
        "D in 8..X & D is W + 10 & p(X) & q(W)",
    ] {
        for engine in ["semi-naive", "resolution"] {
            let rules = format!("{facts}r(D) :- {body}.\n");
            let (status, answers, told) =
                run(&rules, &["query", "rules.dl", "r(D)", "--engine", engine, "--format", "csv", "--timeout", "20"]);
            assert_eq!((status, &*answers), (0, "D\n11\n12\n"), "{body} by {engine}: {told}");
        }
    }
    let rules = "r(X, Y) :- Y is 6 - X & X in 1..5 & X is Y + 2.\ns(X, Y) :- X in 1..3 & Y in 1..3 & X is Y + 1.\n";
    for (goal, expected) in [("r(X, Y)", "X,Y\n4,2\n"), ("s(X, Y)", "X,Y\n2,1\n3,2\n")] {
        let (status, answers, told) = run(rules, &["query", "rules.dl", goal, "--format", "csv"]);
        assert_eq!((status, &*answers), (0, expected), "{goal}: {told}");
    }
}

/// Rounds that aggregate over the round before, by constants, are stratified as their atoms are; by variables they are refused.
#[test]
fn aggregates_over_other_constants_are_split() {
    let rules = "link(a, b). link(b, c). link(c, a). link(a, c).
rank(0, X, 8) :- link(X, _).
rank(1, X, S) :- link(X, _) & S = sum { V, Y : rank(0, Y, V) & link(Y, X) }.
rank(2, X, S) :- link(X, _) & S = sum { V, Y : rank(1, Y, V) & link(Y, X) }.
top(X) :- rank(2, X, M) & M = max { V : rank(2, _, V) }.
";
    // Round 1: a has 8 of c, b 8 of a, c 16 of a and b. Round 2: a 16, b 8, c 8 + 8.
    for engine in ["semi-naive", "resolution"] {
        let (status, answers, told) =
            run(rules, &["query", "rules.dl", "rank(2, X, S)", "--engine", engine, "--format", "csv"]);
        assert_eq!((status, &*answers), (0, "X,S\na,16\nb,8\nc,16\n"), "{engine}: {told}");
        let (status, answers, told) =
            run(rules, &["query", "rules.dl", "top(X)", "--engine", engine, "--format", "csv"]);
        assert_eq!((status, &*answers), (0, "X\na\nc\n"), "{engine}: {told}");
    }
    let by_variables = rules
        .replace("rank(2, X, S) :- ", "rank(T, X, S) :- T in 1..3 & P is T - 1 & ")
        .replace("rank(1, Y", "rank(P, Y");
    let (status, _, told) = run(&by_variables, &["check", "rules.dl"]);
    assert!(status == 2 && told.contains("not-stratified"), "{told}");
}

#[test]
fn aggregates_are_explained() {
    let rules = "e(a, b). e(a, c). e(b, c).\nn(X) :- e(X, _).\ndegree(X, N) :- n(X) & N = count { Y : e(X, Y) }.\n";
    let (status, why, _) = run(rules, &["why", "rules.dl", "degree(a, 2)"]);
    assert!(status == 0 && why.contains("2 = count { Y : e(a, Y) }"), "{why}");
    let (_, why, _) = run(rules, &["why-not", "rules.dl", "degree(a, 3)"]);
    assert!(why.contains("3 = count { Y : e(a, Y) }"), "{why}");
    let (status, _, told) = run(rules, &["query", "rules.dl", "N = count { Y : e(a, Y) }"]);
    assert!(status == 2 && told.contains("error[unsupported-goal]"), "{told}");
    for engine in ["semi-naive", "resolution"] {
        let (status, answers, _) =
            run(rules, &["query", "rules.dl", "degree(X, N)", "--engine", engine, "--format", "csv"]);
        assert_eq!((status, &*answers), (0, "X,N\na,2\nb,1\n"));
    }
    let (status, _, told) = run(rules, &["query", "rules.dl", "degree(X, N)", "--engine", "crepe"]);
    assert!(status == 2 && told.contains("formulations"), "{told}");
}

#[test]
fn a_game_with_aggregates_is_played_on_its_rules() {
    let directory = tempfile::tempdir().expect("a directory");
    let game = "(role red) (init (n 1)) (succ 1 2) (succ 2 3)\n(legal red more)\n\
                (<= (next (n ?x)) (true (n ?x)))\n(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))\n\
                (<= (size ?n) (= ?n (count (: ?x) (true (n ?x)))))\n(<= terminal (size 3))\n(goal red 100)\n";
    fs::write(directory.path().join("game.kif"), game).expect("a file");
    let (status, shown, told) = binary::run(&directory, &["game", "playouts", "game.kif", "--count", "3"], "");
    assert!(!told.contains("panicked"), "{status} {shown} {told}");
    let (_, _, told) = binary::run(&directory, &["game", "net", "game.kif"], "");
    assert!(told.contains("aggregates"), "{told}");
}

/// A number of a range or of a finite relation that is counted down, whatever grows with it; and what only seems to be that.
#[test]
fn counting_down_ends_where_something_bounds_it() {
    let fib = |conditions: &str| {
        format!("size(2). size(9). fib(0, 0). fib(1, 1).\nfib(N, F) :- {conditions} & fib(B, Y) & F is X + Y.\n")
    };
    for bounded in [
        "N in 2..9 & A is N - 1 & B is N - 2 & fib(A, X)",
        "A is N - 1 & N in 1..9 & N > 1 & B is A - 1 & fib(A, X)",
        "fib(A, X) & N is A + 1 & N <= 9 & B is N - 2",
        "fib(A, X) & B is A - 1 & N is A + 1 & N < 10",
    ] {
        let (status, answers, told) = run(&fib(bounded), &["query", "rules.dl", "fib(9, F)", "--format", "csv"]);
        assert_eq!((status, &*answers), (0, "F\n34\n"), "{bounded}: {told}");
    }
    let relation = fib("size(N) & N > 1 & A is N - 1 & B is N - 2 & fib(A, X)");
    let (status, answers, told) = run(&relation, &["query", "rules.dl", "fib(2, F)", "--format", "csv"]);
    assert_eq!((status, &*answers), (0, "F\n1\n"), "{told}");
    for endless in [
        "fib(A, X) & N is A + 1 & N > 1 & B is N - 2",
        "fib(A, X) & N is A + 1 & N >= 2 & B is N - 2 & A < N",
        "fib(A, X) & fib(C, _) & N is A + C & B is N - 2",
    ] {
        let (status, _, told) = run(&fib(endless), &["query", "rules.dl", "fib(9, F)"]);
        assert!(status == 2 && told.contains("error[growing-terms]"), "{endless}: {told}");
    }
    let climbing = "n(0).\nn(X) :- n(Y) & X is Y + 1 & N in 2..90 & A is N - 1 & n(A).\n";
    let (status, _, told) = run(climbing, &["query", "rules.dl", "n(3)"]);
    assert!(status == 2 && told.contains("error[growing-terms]"), "{told}");
}

/// What does not fit is an error, also where the exact value would not fit in memory; what is undefined is false, and told.
#[test]
fn powers_shifts_and_spelled_numbers_keep_the_rules_of_numbers() {
    let overflows = [
        ("power(2, 63)", "9223372036854775808"),
        ("power(10, 1000000000000)", "more than 4096 bits"),
        ("bshl(1, 63)", "9223372036854775808"),
        ("bshl(3, 9000000000)", "more than 4096 bits"),
        ("to_number('9223372036854775808')", "9223372036854775808"),
        ("power(power(2, 62), 2) - 1", "does not fit 64 bits"),
    ];
    for (expression, told) in overflows {
        let (status, answers, error) =
            run(&format!("n(1).\nv(X) :- n(_) & X is {expression}.\n"), &["query", "rules.dl", "v(X)"]);
        assert!(
            status == 2 && answers.is_empty() && error.contains("error[integer-overflow]"),
            "{expression}: {error}"
        );
        assert!(error.contains(told), "{expression}: {error}");
    }
    let undefined = [
        ("power(2, -1)", "its second argument is negative"),
        ("bshr(1, -1)", "its second argument is negative"),
        ("to_number(abc)", "`abc` spells no integer"),
        ("to_number('+1')", "`'+1'` spells no integer"),
        ("band(a, 1)", "`a` is a symbol"),
    ];
    for (expression, told) in undefined {
        let rules = format!("n(1).\nv(X) :- n(_) & X is {expression}.\n");
        let (status, answers, error) = run(&rules, &["query", "rules.dl", "v(X)"]);
        assert_eq!((status, answers.contains("X =")), (1, false), "{expression}: {error}");
        let (_, why_not, _) = run(&rules, &["why-not", "rules.dl", "v(1)"]);
        assert!(why_not.contains(told), "{expression}: {why_not}");
    }
    let (status, _, error) =
        run("v(X) :- X is power(1, 1000000000000) + power(-1, 7) + power(0, 0).\n", &["query", "rules.dl", "v(1)"]);
    assert_eq!(status, 0, "{error}");
}

/// An answer that does not depend on what does not fit is told.
#[test]
fn powers_that_do_not_fit_and_do_not_matter_are_passed() {
    let (status, answers, error) =
        run("n(2). n(10).\nv(N, X) :- n(N) & X is power(N, 30) & N < 5.\n", &["query", "rules.dl", "v(N, X)"]);
    assert!(status == 0 && answers.contains("1073741824"), "{answers} {error}");
    let (status, _, error) =
        run("n(2).\nodd(N) :- n(N) & ~(power(N, 2000000) < 3).\n", &["query", "rules.dl", "odd(N)"]);
    assert!(status == 2 && error.contains("more than 4096 bits"), "{error}");
}

#[test]
fn regular_expressions_are_linear_and_limited() {
    let text = "a".repeat(50_000);
    let rules = format!("w('{text}').\nm(X) :- w(W) & matches(W, '(a*)*(a|aa)+b?') & X = 1.\n");
    let (status, _, error) = run(&rules, &["query", "rules.dl", "m(X)", "--timeout", "20"]);
    assert_eq!(status, 0, "{error}");
    let rules = "w(abc). p('a.c'). p('(').\nm(P) :- w(W) & p(P) & matches(W, P).\n";
    let (status, answers, error) = run(rules, &["query", "rules.dl", "m(P)"]);
    assert!(status == 0 && answers.contains("'a.c'") && !answers.contains("'('"), "{answers} {error}");
    let (_, why_not, _) = run(rules, &["why-not", "rules.dl", "m('(')"]);
    assert!(why_not.contains("is no regular expression"), "{why_not}");
    let (_, _, error) = run("w(abc).\nm(W) :- w(W) & matches(W, 'a').\n", &["check", "rules.dl"]);
    assert!(error.is_empty() || !error.contains("matches/2"), "{error}");
}
