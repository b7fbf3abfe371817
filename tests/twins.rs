//! The compiled formulations against the rules that they are made of.
//!
//! `LUDOLOG_UPDATE=1 cargo test --test suite -- twins` makes `crates/formulation/src/compiled/*.rs` from `rules/` anew.

use ludolog::compile::{Translatable, crepe_modules};
use ludolog::engine::{Budget, Case, Session, Setting, prepare};
use ludolog::formulation::{self, case};
use ludolog::hex::board::Board;
use ludolog::hex::random::{Random, scatter};
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::{Atom, Predicate};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// The rules of the board, and the statement by which formulations include them.
const BOARD: [&str; 2] = ["rules/lib/hex-board.dl", ":- include('../lib/hex-board.dl').\n"];

/// The side of the board from whose facts the sorts of columns and the orders of subgoals are reckoned.
const SIDE: usize = 9;

/// The sides of the boards that the power set is compiled for, those of the benchmark.
const POWER_SET_SIDES: [usize; 6] = [3, 4, 5, 7, 9, 11];

fn session(text: &str) -> Session {
    Session::of_text(text, Syntax::Datalog).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn board(side: usize) -> Board {
    Board::new(side, side).expect("there is such a board")
}

/// The facts of a position with as many stones as empty cells, and what the rules of the board derive of them.
static FACTS: LazyLock<Vec<Atom>> = LazyLock::new(|| {
    let board = board(SIDE);
    let position = scatter(board, board.len() / 2, None, &mut Random::new(1));
    let rules = session(&std::fs::read_to_string(BOARD[0]).expect("the rules of the board"));
    let case = case(&position, rules.program());
    let (derived, _) = rules.with_case(case.clone()).facts(|_| true).expect("no limit");
    case.geometry.into_iter().chain(case.facts).chain(derived).collect()
});

/// The rules of a text as a module for each order of their subgoals, which is named by the optimization and what follows.
fn modules(text: &str, suffix: &str) -> String {
    let session = session(text);
    let rules = &session.program().program.rules;
    let outputs: BTreeSet<Predicate> = rules.iter().map(|rule| rule.head.signature()).collect();
    let read = rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| literal.atom());
    let inputs: BTreeSet<Predicate> = read.map(Atom::signature).filter(|read| !outputs.contains(read)).collect();
    let given: Vec<Atom> = FACTS.iter().filter(|fact| inputs.contains(&fact.signature())).cloned().collect();
    let of_order = |optimization: Optimization| {
        let name = format!("{optimization}{suffix}");
        let setting = Setting { optimization, ..Setting::default() };
        let case = Case::of_facts(given.clone());
        let prepared = prepare(session.program(), &case, None, &setting, &Budget::unlimited()).expect("no limit");
        let program = Translatable::new(&prepared.optimized.program.stratified, given.clone(), outputs.clone());
        crepe_modules(&program, &name).expect("crepe can say it")
    };
    [Optimization::None, Optimization::Reordering].into_iter().map(of_order).collect()
}

/// The file of modules that are made of a text.
fn file(what: &str, of: &str, modules: &str) -> String {
    let what = what[..1].to_uppercase() + &what[1..];
    format!(
        "//! {what}.\n//!\n//! Made of `{of}` by `LUDOLOG_UPDATE=1 cargo test --test suite -- twins`, with the subgoals of \
         rules in the\n//! order of the text (`none`), and in that of the optimizer (`reordering`).\n{modules}"
    )
}

fn of_board() -> String {
    let text = std::fs::read_to_string(BOARD[0]).expect("the rules of the board");
    file("the relations of the board", BOARD[0], &modules(&text, ""))
}

fn of_formulation(name: &str) -> String {
    let formulation = formulation::named(name).expect("there is such a formulation");
    let of_side = |side: usize, suffix: &str| {
        let text = formulation.file(board(side)).expect("it is short");
        modules(&text.replacen(BOARD[1], "", 1), suffix)
    };
    if formulation.is_generated() {
        let modules: String = POWER_SET_SIDES.iter().map(|&side| of_side(side, &format!("_{side}"))).collect();
        file(formulation.title, "ludolog_formulation::power_set", &modules)
    } else {
        file(formulation.title, &format!("rules/hex/{name}.dl"), &of_side(SIDE, ""))
    }
}

#[test]
fn compiled_formulations_are_those_of_the_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/formulation/src/compiled");
    let of = |name: &str| (name.replace('-', "_") + ".rs", of_formulation(name));
    let mut files = vec![("board.rs".to_owned(), of_board())];
    files.extend(["connected", "power-set", "reachability"].map(of));
    for (name, text) in files {
        let path = folder.join(&name);
        if std::env::var_os("LUDOLOG_UPDATE").is_some() {
            std::fs::write(&path, text).expect("the file can be written");
        } else {
            let current = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(current == text, "{name} is not of the rules: LUDOLOG_UPDATE=1 cargo test --test suite -- twins");
        }
    }
}
