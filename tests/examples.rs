//! The programs of `examples/` run and keep what they assert.

#[path = "../examples/brouwer.rs"]
mod brouwer;
#[path = "../examples/explain.rs"]
mod explain;
#[path = "../examples/functions.rs"]
mod functions;
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
    brouwer::main().expect("brouwer");
    query::main().expect("query");
    explain::main().expect("explain");
    functions::main().expect("functions");
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

/// Fixed points that are known by hand: the center of a turn, a corner, and the root of cos x = x. A map that jumps over the
/// diagonal has none.
#[test]
fn filled_boards_find_fixed_points() {
    let turn = |[x, y]: brouwer::Point| [1.0 - y, x];
    let corner = |[x, y]: brouwer::Point| [x * x, y.sqrt()];
    let cosine = |[x, y]: brouwer::Point| [y.cos(), x];
    let dottie = 0.739_085_133_215_160_6;
    let maps: [(&brouwer::PlaneMap, &[brouwer::Point]); 3] = [
        (&turn, &[[0.5, 0.5]]),
        (&corner, &[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
        (&cosine, &[[dottie, dottie]]),
    ];
    for (map, known) in maps {
        let (found, _) = brouwer::fixed_point(map, 0.01);
        let [x, y] = found.expect("the map is continuous");
        assert!(known.iter().any(|point| (point[0] - x).abs().max((point[1] - y).abs()) < 0.02), "{x} {y}");
    }
    let jump = |[x, y]: brouwer::Point| [if x < 0.5 { 1.0 } else { 0.0 }, y];
    let (found, won) = brouwer::fixed_point(&jump, 0.01);
    assert_eq!(found, None);
    // Somebody wins each board that is full, here Blue: all cells move sideways.
    assert!(won.iter().all(|&(_, winner)| winner == ludolog::hex::board::Player::Blue), "{won:?}");
    assert_eq!(won.len(), 10);
}
