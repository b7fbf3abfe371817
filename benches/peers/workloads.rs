//! The workloads of a folder that ascent has a program for here: the same rules, the same tables.

use ascent::ascent;
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Content, Table, TableCell};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

ascent! {
    struct Closure;
    relation edge(u32, u32);
    relation path(u32, u32);
    path(x, y) <-- edge(x, y);
    path(x, z) <-- path(x, y), edge(y, z);
}

ascent! {
    struct NonLinear;
    relation edge(u32, u32);
    relation p(u32, u32);
    p(x, y) <-- edge(x, y);
    p(x, y) <-- p(x, z), p(z, y);
}

ascent! {
    struct SameGeneration;
    relation parent(u32, u32);
    relation same(u32, u32);
    same(x, y) <-- parent(p, x), parent(p, y);
    same(x, y) <-- parent(a, x), same(a, b), parent(b, y);
}

ascent! {
    struct PointsTo;
    relation addressof(u32, u32);
    relation assign(u32, u32);
    relation load(u32, u32);
    relation store(u32, u32);
    relation pt(u32, u32);
    pt(y, x) <-- addressof(y, x);
    pt(y, x) <-- assign(y, z), pt(z, x);
    pt(y, w) <-- load(y, x), pt(x, z), pt(z, w);
    pt(z, w) <-- store(y, x), pt(y, z), pt(x, w);
}

ascent! {
    struct ValueFlow;
    relation assign(u32, u32);
    relation deref(u32, u32);
    relation vf(u32, u32);
    relation ma(u32, u32);
    relation va(u32, u32);
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
    relation nulledge(u32, u32);
    relation arc(u32, u32);
    relation null(u32, u32);
    null(x, y) <-- nulledge(x, y);
    null(x, y) <-- null(x, w), arc(w, y);
}

ascent! {
    struct Triangles;
    relation e(u32, u32);
    relation tri(u32, u32, u32);
    tri(x, y, z) <-- e(x, y), e(y, z), e(x, z);
}

ascent! {
    struct Cliques;
    relation e(u32, u32);
    relation k4(u32, u32, u32, u32);
    k4(x, y, z, w) <-- e(x, y), e(x, z), e(y, z), e(x, w), e(y, w), e(z, w);
}

ascent! {
    struct Wheel;
    relation arc(u32, u32);
    relation tri(u32, u32, u32);
    tri(a, b, c) <-- arc(a, b), arc(b, c), arc(c, a);
}

ascent! {
    struct Collatz;
    relation start(u32);
    relation c(i64, i64, i64);
    c(i64::from(*s), i64::from(*s), 0) <-- start(s);
    c(s, n / 2, k + 1) <-- c(s, n, k), if *k < 400 && *n > 1 && n % 2 == 0;
    c(s, 3 * n + 1, k + 1) <-- c(s, n, k), if *k < 400 && *n > 1 && n % 2 == 1;
}

ascent! {
    struct Distances;
    relation src(u32);
    relation e(u32, u32, u32);
    relation dist(u32, u32, u32);
    relation better(u32, u32, u32);
    relation best(u32, u32, u32);
    dist(x, x, 0) <-- src(x);
    dist(s, y, c + w) <-- dist(s, x, c), e(x, y, w), if c + w <= 34;
    better(s, x, d) <-- dist(s, x, d), dist(s, x, c), if c < d;
    best(s, x, d) <-- dist(s, x, d), !better(s, x, d);
}

ascent! {
    struct Borrows;
    relation borrow(u32, u32, u32);
    relation cfg(u32, u32);
    relation defined(u32, u32);
    relation invalidates(u32, u32);
    relation killed(u32, u32);
    relation outlives(u32, u32, u32);
    relation used(u32, u32);
    relation uses(u32, u32);
    relation live_var(u32, u32);
    relation live(u32, u32);
    relation subset(u32, u32, u32);
    relation requires(u32, u32, u32);
    relation borrow_live_at(u32, u32);
    relation error(u32, u32);
    live_var(v, p) <-- used(v, p);
    live_var(v, p) <-- live_var(v, q), cfg(p, q), !defined(v, p);
    live(o, p) <-- uses(v, o), live_var(v, p);
    subset(a, b, p) <-- outlives(a, b, p);
    subset(a, c, p) <-- subset(a, b, p), subset(b, c, p);
    subset(a, b, q) <-- subset(a, b, p), cfg(p, q), live(a, q), live(b, q);
    requires(o, l, p) <-- borrow(o, l, p);
    requires(b, l, p) <-- requires(a, l, p), subset(a, b, p);
    requires(o, l, q) <-- requires(o, l, p), !killed(l, p), cfg(p, q), live(o, q);
    borrow_live_at(l, p) <-- requires(o, l, p), live(o, p);
    error(l, p) <-- invalidates(p, l), borrow_live_at(l, p);
}

ascent! {
    struct Orders;
    relation cust(u32, u32, u32, u32, u32, u32);
    relation order(u32, u32, u32, u32, u32, u32, u32);
    /// The numbers of `gold`, `shipped` and `returned`.
    relation words(u32, u32, u32);
    relation person(u32, (u32, u32), (u32, u32));
    relation ev(u32, u32, (u32, u32), (u32, u32));
    relation back(u32, u32, (u32, u32), (u32, u32));
    relation pair(u32, u32, u32, u32, u32, u32, u32);
    relation suspect((u32, u32), (u32, u32), u32, u32, u32, u32, u32);
    person(c, (*f, *l), (*t, *z)) <-- words(gold, _, _), cust(c, f, l, t, z, gold);
    ev(i, c, (*r, *d), (*p, *q)) <-- words(_, shipped, _), order(i, c, p, q, r, d, shipped);
    back(i, c, (*r, *d), (*p, *q)) <-- words(_, _, returned), order(i, c, p, q, r, d, returned);
    pair(i, j, c, k, at.0, at.1, item.0) <-- ev(i, c, at, item), back(j, k, at, other), if item.0 == other.0;
    suspect(*n, *m, r, d, p, i, j) <--
        pair(i, j, c, k, r, d, p), person(c, n, from), person(k, m, to), if from.0 == to.0 && c != k;
}

/// Tables as rows of numbers.
pub struct Numbers<'t> {
    tables: &'t [Arc<Table>],
    /// The numbers of constants.
    constants: RefCell<HashMap<Term, u32>>,
}

/// Constants are numbered from here on.
const CONSTANTS: u32 = 1 << 31;

impl<'t> Numbers<'t> {
    pub fn of(tables: &'t [Arc<Table>]) -> Self {
        Numbers { tables, constants: RefCell::default() }
    }

    fn constant(&self, constant: &Term) -> u32 {
        let mut constants = self.constants.borrow_mut();
        let next = CONSTANTS + constants.len() as u32;
        *constants.entry(constant.clone()).or_insert(next)
    }

    fn rows<const N: usize>(&self, predicate: &str) -> impl Iterator<Item = [u32; N]> {
        let tables = self.tables.iter().filter(move |table| table.predicate().name == predicate);
        tables.flat_map(|table| {
            let constants: Vec<u32> = table.constants().iter().map(|constant| self.constant(constant)).collect();
            let number = move |cell: TableCell| match cell.content() {
                Content::Integer(n) => u32::try_from(n).expect("no negative numbers"),
                Content::Constant(number) => constants[number],
            };
            table.rows().map(move |row| std::array::from_fn(|i| number(row[i])))
        })
    }

    fn singles(&self, predicate: &str) -> Vec<(u32,)> {
        self.rows(predicate).map(|[x]| (x,)).collect()
    }

    fn pairs(&self, predicate: &str) -> Vec<(u32, u32)> {
        self.rows(predicate).map(|[x, y]| (x, y)).collect()
    }

    fn triples(&self, predicate: &str) -> Vec<(u32, u32, u32)> {
        self.rows(predicate).map(|[x, y, z]| (x, y, z)).collect()
    }
}

/// The number of paths over edges.
pub fn closure(edge: Vec<(u32, u32)>) -> usize {
    let mut peer = Closure { edge, ..Default::default() };
    peer.run();
    peer.path.len()
}

/// The number of pairs of the same generation.
pub fn same_generation(parent: Vec<(u32, u32)>) -> usize {
    let mut peer = SameGeneration { parent, ..Default::default() };
    peer.run();
    peer.same.len()
}

/// A program of ascent: runs on tables, from their rows on; the number of tuples that it derives.
pub type Peer = fn(&Numbers) -> usize;

/// The program for a workload.
pub fn peer(name: &str) -> Option<Peer> {
    Some(match name {
        "tc" | "tcsparse" | "tcwide" => |of| closure(of.pairs("edge")),
        "nltc" => |of| {
            let mut peer = NonLinear { edge: of.pairs("edge"), ..Default::default() };
            peer.run();
            peer.p.len()
        },
        "sg" => |of| same_generation(of.pairs("parent")),
        "andersen" => |of| {
            let addressof = of.pairs("addressof");
            let assign = of.pairs("assign");
            let load = of.pairs("load");
            let store = of.pairs("store");
            let mut peer = PointsTo { addressof, assign, load, store, ..Default::default() };
            peer.run();
            peer.pt.len()
        },
        "cspa" => |of| {
            let mut peer = ValueFlow { assign: of.pairs("assign"), deref: of.pairs("deref"), ..Default::default() };
            peer.run();
            peer.vf.len() + peer.ma.len() + peer.va.len()
        },
        "csda" => |of| {
            let mut peer = NullFlow { nulledge: of.pairs("nulledge"), arc: of.pairs("arc"), ..Default::default() };
            peer.run();
            peer.null.len()
        },
        "tri" => |of| {
            let mut peer = Triangles { e: of.pairs("e"), ..Default::default() };
            peer.run();
            peer.tri.len()
        },
        "clique" => |of| {
            let mut peer = Cliques { e: of.pairs("e"), ..Default::default() };
            peer.run();
            peer.k4.len()
        },
        "wheel" => |of| {
            let mut peer = Wheel { arc: of.pairs("arc"), ..Default::default() };
            peer.run();
            peer.tri.len()
        },
        "collatz" => |of| {
            let mut peer = Collatz { start: of.singles("start"), ..Default::default() };
            peer.run();
            peer.c.len()
        },
        "sp" => |of| {
            let mut peer = Distances { src: of.singles("src"), e: of.triples("e"), ..Default::default() };
            peer.run();
            peer.dist.len() + peer.better.len() + peer.best.len()
        },
        "polonius" => |of| {
            let borrow = of.triples("borrow");
            let outlives = of.triples("outlives");
            let cfg = of.pairs("cfg");
            let invalidates = of.pairs("invalidates");
            let killed = of.pairs("killed");
            let defined = of.pairs("defined");
            let used = of.pairs("used");
            let uses = of.pairs("uses");
            let given =
                Borrows { borrow, outlives, cfg, invalidates, killed, defined, used, uses, ..Default::default() };
            let mut peer = given;
            peer.run();
            let found = [peer.live_var.len(), peer.live.len(), peer.borrow_live_at.len(), peer.error.len()];
            found.iter().sum::<usize>() + peer.subset.len() + peer.requires.len()
        },
        "wide" => |of| {
            let cust = of.rows("cust").map(|[a, b, c, d, e, f]| (a, b, c, d, e, f)).collect();
            let order = of.rows("order").map(|[a, b, c, d, e, f, g]| (a, b, c, d, e, f, g)).collect();
            let word = |name: &str| of.constant(&Term::symbol(name));
            let words = vec![(word("gold"), word("shipped"), word("returned"))];
            let mut peer = Orders { cust, order, words, ..Default::default() };
            peer.run();
            peer.person.len() + peer.ev.len() + peer.back.len() + peer.pair.len() + peer.suspect.len()
        },
        _ => return None,
    })
}
