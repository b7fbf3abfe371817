//! The programs of `examples/` run and keep what they assert.

#[path = "../examples/explain.rs"]
mod explain;
#[path = "../examples/play.rs"]
mod play;
#[path = "../examples/query.rs"]
mod query;
#[path = "../examples/solve.rs"]
mod solve;
#[expect(dead_code, reason = "its `main` reads the arguments of the process")]
#[path = "../examples/toy_engine.rs"]
mod toy_engine;

#[test]
fn examples_run() {
    query::main().expect("query");
    explain::main().expect("explain");
    play::main().expect("play");
    solve::main().expect("solve");
}

/// Programs of atoms alone. The engine `toy` is chosen by its name like those of the library, and gives the same answers.
#[test]
fn the_toy_engine_agrees_with_the_others() {
    let answers =
        |file: &str, goal: &str, engine: &str| toy_engine::query(&format!("tests/programs/{file}.dl"), goal, engine);
    let both = &["semi-naive", "resolution"][..];
    let asked = [
        ("transitive-closure", both, &["path(X, Y)", "path(X, d)", "path(X, a)"][..]),
        ("strata", both, &["alarm(X)", "calm(X) & hidden(X)", "calm(X) & ~watched(X)", "all_calm"]),
        ("even-and-odd", both, &["even(X) & next(X, Y) & odd(Y)", "odd(6)"]),
        ("peano", both, &["plus(X, Y, s(s(s(zero))))", "plus(X, Y, Z)"]),
        ("win-by-depth", both, &["won3(X)", "lost2(X)", "position(X) & ~won1(X)"]),
        ("left-recursion", &["semi-naive"], &["left(X, Y)", "differ(X, Y)"]),
    ];
    for (file, others, goals) in asked {
        for (goal, other) in goals.iter().flat_map(|goal| others.iter().map(move |other| (goal, other))) {
            let [toy, expected] = ["toy", other].map(|engine| answers(file, goal, engine).expect("it runs"));
            assert_eq!(toy, expected, "{file}: {goal}, as {other} answers");
        }
    }
    assert_eq!(answers("strata", "alarm(X)", "toy").expect("it runs"), "X = 5\n");
    let refused = answers("queens", "queens(A, B, C, D)", "toy").expect_err("it knows atoms alone").to_string();
    assert!(refused.contains("the engine toy"), "{refused}");
}
