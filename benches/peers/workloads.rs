//! The workloads of a folder that ascent has a program for here: the same rules, the same tables.

use ascent::ascent;
use ludolog::bench::measure::ThreadClock;
use ludolog::syntax::budget::Clock;
use ludolog::syntax::{Content, Table};
use std::sync::Arc;
use std::time::Duration;

ascent! {
    struct Closure;
    relation edge(i64, i64);
    relation path(i64, i64);
    path(x, y) <-- edge(x, y);
    path(x, z) <-- path(x, y), edge(y, z);
}

ascent! {
    struct NonLinear;
    relation edge(i64, i64);
    relation p(i64, i64);
    p(x, y) <-- edge(x, y);
    p(x, y) <-- p(x, z), p(z, y);
}

ascent! {
    struct SameGeneration;
    relation parent(i64, i64);
    relation same(i64, i64);
    same(x, y) <-- parent(p, x), parent(p, y);
    same(x, y) <-- parent(a, x), same(a, b), parent(b, y);
}

ascent! {
    struct PointsTo;
    relation addressof(i64, i64);
    relation assign(i64, i64);
    relation load(i64, i64);
    relation store(i64, i64);
    relation pt(i64, i64);
    pt(y, x) <-- addressof(y, x);
    pt(y, x) <-- assign(y, z), pt(z, x);
    pt(y, w) <-- load(y, x), pt(x, z), pt(z, w);
    pt(z, w) <-- store(y, x), pt(y, z), pt(x, w);
}

ascent! {
    struct ValueFlow;
    relation assign(i64, i64);
    relation deref(i64, i64);
    relation vf(i64, i64);
    relation ma(i64, i64);
    relation va(i64, i64);
    vf(y, x) <-- assign(y, x);
    vf(x, x) <-- assign(x, _);
    vf(x, x) <-- assign(_, x);
    ma(x, x) <-- assign(_, x);
    ma(x, x) <-- assign(x, _);
    vf(x, y) <-- assign(x, z), ma(z, y);
    vf(x, y) <-- vf(x, z), vf(z, y);
    ma(x, w) <-- deref(y, x), va(y, z), deref(z, w);
    va(x, y) <-- vf(z, x), vf(z, y);
    va(x, y) <-- vf(z, x), ma(z, w), vf(w, y);
}

ascent! {
    struct NullFlow;
    relation nulledge(i64, i64);
    relation arc(i64, i64);
    relation null(i64, i64);
    null(x, y) <-- nulledge(x, y);
    null(x, y) <-- null(x, w), arc(w, y);
}

ascent! {
    struct Triangles;
    relation e(i64, i64);
    relation tri(i64, i64, i64);
    tri(x, y, z) <-- e(x, y), e(y, z), e(x, z);
}

ascent! {
    struct Wheel;
    relation arc(i64, i64);
    relation tri(i64, i64, i64);
    tri(a, b, c) <-- arc(a, b), arc(b, c), arc(c, a);
}

ascent! {
    struct Collatz;
    relation start(i64);
    relation c(i64, i64, i64);
    c(s, s, 0) <-- start(s);
    c(s, n / 2, k + 1) <-- c(s, n, k), if *k < 400 && *n > 1 && n % 2 == 0;
    c(s, 3 * n + 1, k + 1) <-- c(s, n, k), if *k < 400 && *n > 1 && n % 2 == 1;
}

/// The integers of the rows of a table.
struct Integers<'t>(&'t [Arc<Table>]);

impl Integers<'_> {
    fn rows<const N: usize>(&self, predicate: &str) -> Vec<[i64; N]> {
        let tables = self.0.iter().filter(|table| &*table.predicate().name == predicate);
        let rows = tables.flat_map(|table| {
            table.rows().map(|row| {
                std::array::from_fn(|i| match row[i].content() {
                    Content::Integer(n) => n,
                    Content::Constant(_) => panic!("a table of {predicate} has symbols"),
                })
            })
        });
        rows.collect()
    }

    fn pairs(&self, predicate: &str) -> Vec<(i64, i64)> {
        self.rows::<2>(predicate).into_iter().map(|[x, y]| (x, y)).collect()
    }
}

/// Runs ascent on the tables of a workload, from their rows on: the CPU time, and the number of derived tuples. `None` if there is
/// no program of that name.
pub fn run_peer(name: &str, tables: &[Arc<Table>]) -> Option<(Duration, usize)> {
    let of = Integers(tables);
    let began = ThreadClock.now();
    let tuples = match name {
        "tc" | "tcsparse" | "tcwide" => {
            let mut peer = Closure { edge: of.pairs("edge"), ..Default::default() };
            peer.run();
            peer.path.len()
        }
        "nltc" => {
            let mut peer = NonLinear { edge: of.pairs("edge"), ..Default::default() };
            peer.run();
            peer.p.len()
        }
        "sg" => {
            let mut peer = SameGeneration { parent: of.pairs("parent"), ..Default::default() };
            peer.run();
            peer.same.len()
        }
        "andersen" => {
            let (addressof, assign) = (of.pairs("addressof"), of.pairs("assign"));
            let (load, store) = (of.pairs("load"), of.pairs("store"));
            let mut peer = PointsTo { addressof, assign, load, store, ..Default::default() };
            peer.run();
            peer.pt.len()
        }
        "cspa" => {
            let mut peer = ValueFlow { assign: of.pairs("assign"), deref: of.pairs("deref"), ..Default::default() };
            peer.run();
            peer.vf.len() + peer.ma.len() + peer.va.len()
        }
        "csda" => {
            let mut peer = NullFlow { nulledge: of.pairs("nulledge"), arc: of.pairs("arc"), ..Default::default() };
            peer.run();
            peer.null.len()
        }
        "tri" => {
            let mut peer = Triangles { e: of.pairs("e"), ..Default::default() };
            peer.run();
            peer.tri.len()
        }
        "wheel" => {
            let mut peer = Wheel { arc: of.pairs("arc"), ..Default::default() };
            peer.run();
            peer.tri.len()
        }
        "collatz" => {
            let start = of.rows::<1>("start").into_iter().map(|[n]| (n,)).collect();
            let mut peer = Collatz { start, ..Default::default() };
            peer.run();
            peer.c.len()
        }
        _ => return None,
    };
    Some((ThreadClock.now().saturating_sub(began), tuples))
}
