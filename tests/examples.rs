//! The programs of `examples/` run and keep what they assert.

#[path = "../examples/explain.rs"]
mod explain;
#[path = "../examples/play.rs"]
mod play;
#[path = "../examples/query.rs"]
mod query;
#[path = "../examples/solve.rs"]
mod solve;

#[test]
fn examples_run() {
    query::main().expect("query");
    explain::main().expect("explain");
    play::main().expect("play");
    solve::main().expect("solve");
}
