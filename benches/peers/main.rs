//! The semi-naive engine compared with ascent, which compiles the same rules into Rust: on the same facts, in one
//! process.
//!
//! `cargo bench --bench peers` prints a table of generated facts. The times exclude loading. Both engines build their
//! indices while they derive.
//!
//! `cargo bench --bench peers -- DIR` prints one of the [workloads] in the folders of a directory, as `ludolog bench
//! datalog DIR` takes them: CPU seconds from the rows of the tables on, with the passes of the optimizer.

mod workloads;

use ascent::ascent;
use comfy_table::{CellAlignment, Table, presets};
use ludolog::bench::datalog::{GenericProgram, PROGRAMS};
use ludolog::bench::measure::{Sampling, Spread, measure, time};
use ludolog::bench::report::format;
use ludolog::bench::workload;
use ludolog::engine::Setting;
use ludolog::files::FileSystem;
use ludolog::optimize::{Closures, Optimization};
use ludolog::syntax::ast::{Atom, Term};
use ludolog::syntax::budget::{Clock, ThreadClock};
use std::path::Path;
use std::time::Duration;
use workloads::{Numbers, closure, same_generation};

ascent! {
    struct Connected;
    relation stone(u32);
    relation adjacent(u32, u32);
    relation touches(u32, u32);
    relation connected(u32, u32);
    touches(x, y) <-- stone(x), adjacent(x, y), stone(y);
    connected(x, x) <-- stone(x);
    connected(x, z) <-- connected(x, y), touches(y, z);
}

ascent! {
    struct Reachability;
    relation first(u32);
    relation stone(u32);
    relation adjacent(u32, u32);
    relation reach(u32);
    reach(x) <-- first(x), stone(x);
    reach(y) <-- reach(x), adjacent(x, y), stone(y);
}

/// The integers of the facts of a predicate.
fn rows<const N: usize>(facts: &[Atom], predicate: &str) -> Vec<[u32; N]> {
    let integer = |term: &Term| match term {
        Term::Integer(n) => u32::try_from(*n).expect("nodes are small numbers"),
        other => panic!("{other:?} is no node"),
    };
    let of = facts.iter().filter(|fact| fact.predicate == predicate);
    of.map(|fact| std::array::from_fn(|i| integer(&fact.args[i]))).collect()
}

fn pairs(facts: &[Atom], predicate: &str) -> Vec<(u32, u32)> {
    rows::<2>(facts, predicate).into_iter().map(|[x, y]| (x, y)).collect()
}

fn singles(facts: &[Atom], predicate: &str) -> Vec<(u32,)> {
    rows::<1>(facts, predicate).into_iter().map(|[x]| (x,)).collect()
}

/// Runs ascent on a program: the time of the derivation, and the number of tuples.
fn run_peer(name: &str, facts: &[Atom]) -> (Duration, usize) {
    match name {
        "transitive-closure" => {
            let edge = pairs(facts, "edge");
            time(|| closure(edge))
        }
        "same-generation" => {
            let parent = pairs(facts, "parent");
            time(|| same_generation(parent))
        }
        "connected-pairs" => {
            let stone = singles(facts, "stone");
            let adjacent = pairs(facts, "adjacent");
            let mut peer = Connected { stone, adjacent, ..Default::default() };
            (time(|| peer.run()).0, peer.connected.len())
        }
        "reachability" => {
            let stone = singles(facts, "stone");
            let adjacent = pairs(facts, "adjacent");
            let mut peer = Reachability { first: singles(facts, "first"), stone, adjacent, ..Default::default() };
            (time(|| peer.run()).0, peer.reach.len())
        }
        other => panic!("no peer for {other}"),
    }
}

fn measure_ours(program: &GenericProgram, optimization: &Optimization, sampling: &Sampling) -> (Spread, u64) {
    let task = program.task(program.made_facts(), optimization, &sampling.budget()).expect("the rules are sound");
    let (spread, run) = measure(sampling, || task.run(sampling)).expect("within the limit");
    (spread, run.tuples.expect("semi-naive counts"))
}

fn main() {
    let sampling =
        Sampling { budget: Duration::from_secs(3), max_samples: 15, ..Sampling::new(Duration::from_secs(60)) };
    // Cargo passes options of its own.
    let table = match std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        Some(folder) => of_workloads(Path::new(&folder), &sampling),
        None => of_programs(&sampling),
    };
    println!("{table}");
}

/// The workloads of a directory that ascent has a program for.
fn of_workloads(folder: &Path, sampling: &Sampling) -> Table {
    let read = workload::read(&FileSystem, folder, &sampling.budget());
    let workloads = read.unwrap_or_else(|wrong| panic!("{}: {wrong}", folder.display()));
    let mut table = empty(&["program", "tuples", "ascent", "none", "× ascent", "auto", "× ascent"]);
    for mut workload in workloads {
        let tables = workload.tables().to_vec();
        let Some(peer) = workloads::peer(&workload.name) else { continue };
        let run = || {
            let began = ThreadClock.now();
            let tuples = peer(&Numbers::of(&tables));
            (ThreadClock.now().saturating_sub(began), tuples)
        };
        let (peer, tuples) = measure(sampling, || Ok(run())).expect("within the limit");
        let mut cells = vec![workload.name.clone(), tuples.to_string(), time_of(peer)];
        for optimization in [Optimization::None, Optimization::Auto] {
            let setting = Setting { optimization, ..Setting::default() };
            let (ours, run) = measure(sampling, || workload.run(None, &setting, sampling)).expect("within the limit");
            assert_eq!(run.tuples, Some(tuples as u64), "{}", workload.name);
            cells.extend([time_of(ours), ratio(ours, peer)]);
        }
        table.add_row(cells);
    }
    table
}

fn empty(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn time_of(spread: Spread) -> String {
    format::time(spread.median_ns as f64)
}

fn ratio(ours: Spread, peer: Spread) -> String {
    format!("{:.2}", ours.median_ns as f64 / peer.median_ns as f64)
}

/// The programs with generated facts.
fn of_programs(sampling: &Sampling) -> Table {
    let header = ["program", "tuples", "ascent", "none", "× ascent", "auto", "× ascent", "closure", "× ascent"];
    let mut table = empty(&header);
    for program in &PROGRAMS {
        let facts = program.made_facts();
        let peer = measure(sampling, || Ok(run_peer(program.name, &facts)));
        let (peer, tuples) = peer.expect("within the limit");
        let mut cells = vec![program.name.to_string(), tuples.to_string(), time_of(peer)];
        for optimization in [Optimization::None, Optimization::Auto, Optimization::Passes(vec![&Closures])] {
            let (ours, count) = measure_ours(program, &optimization, sampling);
            assert_eq!(count, tuples as u64, "{} {optimization}", program.name);
            cells.extend([time_of(ours), ratio(ours, peer)]);
        }
        table.add_row(cells);
    }
    table
}
