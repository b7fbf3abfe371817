//! The diagnostics of the analysis: each file of `tests/rejected/analysis` has a snapshot of its own.

use crate::binary::{ludolog, run};
use ludolog::analysis::{self, GivenColumns};
use ludolog::diagnostic::{Severity, Sources, render};
use ludolog::engine::Budget;
use ludolog::files::FileSystem;
use ludolog::game::{Interpreted, PlayoutEnd, StateMachine, StateMachineExt};
use ludolog::player::trial;
use ludolog::syntax::{self, Files, Syntax};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

#[test]
fn what_is_wrong_is_said() {
    insta::glob!("rejected/analysis/*", |path| {
        let file = format!("tests/rejected/analysis/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut sources = Sources::new();
        let loaded =
            syntax::load(&FileSystem, &[&file], None, &mut sources).unwrap_or_else(|found| panic!("{file}: {found:?}"));
        let found = match analysis::analyze(&loaded.program) {
            Ok(_) => panic!("{file} is accepted"),
            Err(found) => found,
        };
        insta::assert_snapshot!(render::to_text(&found, &sources, false));
    });
}

/// The warnings of the analysis and of the lints.
fn warnings(files: &dyn Files, texts: &[&str]) -> String {
    let mut sources = Sources::new();
    let loaded = syntax::load(files, texts, None, &mut sources);
    let loaded = loaded.unwrap_or_else(|found| panic!("{texts:?}: {found:?}"));
    let analyzed = analysis::analyze(&loaded.program).unwrap_or_else(|found| panic!("{texts:?}: {found:?}"));
    let mut warnings = loaded.diagnostics;
    warnings.extend(analyzed.warnings_given(&[]));
    warnings
        .extend(analysis::lint(&loaded.program, &GivenColumns::default(), &Budget::unlimited()).expect("no limits"));
    render::to_text(&warnings, &sources, false)
}

#[test]
fn what_is_odd_is_said() {
    insta::glob!("odd/*", |path| {
        let file = format!("tests/odd/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let warnings = warnings(&FileSystem, &[&*file]);
        assert!(!warnings.is_empty(), "{file} is not odd");
        insta::assert_snapshot!(warnings);
    });
}

#[test]
fn the_rules_are_not_odd() {
    insta::glob!("../rules", "*/*.{dl,kif}", |path| {
        let file = path.to_string_lossy();
        // Parts of games, where other things are odd than in rules alone: who has won Hex, and the rules of the family,
        // which are checked with the rulesheets that include them.
        let is_part = file.contains("lib/") && file.ends_with("kif");
        let board = path.with_file_name("hex.kif").to_string_lossy().into_owned();
        let texts = match file.contains("lib/hex-") {
            true if is_part => vec![&*board, &*file],
            false if is_part => return,
            _ => vec![&*file],
        };
        let warnings = warnings(&FileSystem, &texts);
        assert!(warnings.is_empty(), "{warnings}");
    });
}

#[test]
fn a_text_allows_warnings_for_itself_alone() {
    let odd = "column(1).\np(X) :- column(X) & column(Y).\nq(X) :- colunm(X) & column(X) & X < X.\n";
    let codes = |text: &str| {
        let files = HashMap::from([
            (PathBuf::from("main.dl"), format!(":- include('other.kif').\n{text}")),
            (PathBuf::from("other.kif"), "(r 1)\n(<= (s ?x) (r ?x) (r 2))".to_owned()),
        ]);
        let warnings = warnings(&files, &["main.dl"]);
        let codes = warnings.lines().filter_map(|line| line.strip_prefix("warning[")?.split(']').next());
        codes.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(codes(odd), ["singleton-variable", "unknown-predicate", "never-fires", "never-fires"]);
    let allow = |codes: &str| format!("% ludolog: allow {codes}\n{odd}");
    assert_eq!(codes(&allow("singleton-variable")), ["unknown-predicate", "never-fires", "never-fires"]);
    assert_eq!(codes(&allow("singleton-variable, unknown-predicate,never-fires")), ["never-fires"]);
    assert_eq!(codes(&format!("{odd}/* why\n * ludolog: allow never-fires */")).len(), 3);
    assert_eq!(codes(&allow("singleton-variable, singletons"))[0], "syntax");
    assert_eq!(codes(&format!("p('ludolog: allow never-fires').\n{odd}")).len(), 4);
    let case = "; ludolog: allow inconsistent-case\n(role Red) (role red)";
    assert_eq!(warnings(&HashMap::from([(PathBuf::from("case.kif"), case.to_owned())]), &["case.kif"]), "");
}

/// Red bets on a side, `random` tosses, red sees the side only.
const COIN: &str = "
    (role random) (role red)
    (init hidden) (side heads) (side tails)
    (<= (legal random (toss ?s)) (side ?s))
    (<= (legal red (bet ?s)) (side ?s))
    (<= (next won) (does random (toss ?s)) (does red (bet ?s)))
    (<= (next lost) (does random (toss ?s)) (does red (bet ?t)) (distinct ?s ?t))
    (<= (sees red ?s) (does random (toss ?s)))
    (<= terminal (not (true hidden)))
    (<= (goal red 100) (true won))
    (<= (goal red 0) (true lost))";

#[test]
fn games_of_chance_are_sound_and_played() {
    let files = HashMap::from([(PathBuf::from("coin.kif"), COIN.to_owned())]);
    assert_eq!(warnings(&files, &["coin.kif"]), "");
    let loaded = syntax::load(&files, &["coin.kif"], None, &mut Sources::new()).expect("it is sound");
    let program = analysis::analyze(&loaded.program).expect("it is sound").stratified;
    let mut game = Interpreted::new(&program, Budget::unlimited()).expect("it is a game");
    // Both choose their first move: the coin shows heads, and red bet on it.
    let played = game.playout(&game.initial_state().clone(), 9, |_, legal| legal[0]).expect("no limits");
    assert_eq!((played.end, played.steps, &played.goals[..]), (PlayoutEnd::Terminal, 1, &[None, Some(100)][..]));
    // In GDL, `sees` is a relation as any other.
    let queens = "(role red) (queen 1 1) (init (step 1)) (<= (sees ?x ?y ?z) (queen ?x ?y) (queen ?z ?y)) (<= (next (step 2)) \
                  (sees 1 1 1) (true (step 1))) (legal red noop) (<= terminal (true (step 2))) (goal red 100)";
    let files = HashMap::from([(PathBuf::from("queens.kif"), queens.to_owned())]);
    assert_eq!(warnings(&files, &["queens.kif"]), "");
}

#[test]
fn a_game_that_nobody_plays_may_be_asked_all_the_same() {
    let ludolog = |args: &[&str]| ludolog(".", args).assert();
    let file = "tests/odd/nobody-plays.kif";
    let counts = "5 clauses: 1 error, 0 warnings\n";
    let checked = ludolog(&["check", file]).code(2).stdout(counts).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&checked).starts_with("error[incomplete-game]: no fact defines `role/1`"));
    let asked = ludolog(&["query", file, "(legal ?r noop)", "--format", "csv"]);
    asked.success().stdout("r\nred\n").stderr("");
}

/// Two roles take turns for two moves.
const TURNS: &str = "(role x) (role o) (init (control x)) (init (step 1)) (succ 1 2) (succ 2 3)
    (<= (legal ?p (mark ?n)) (true (control ?p)) (true (step ?n)))
    (<= (legal x noop) (true (control o)))
    (<= (legal o noop) (true (control x)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next (control o)) (true (control x)))
    (<= (next (control x)) (true (control o)))
    (<= terminal (true (step 3)))
    (goal x 100) (goal o 0)";

#[test]
fn games_are_tried() {
    let tried = |written: &str, instead: &str| {
        assert!(TURNS.contains(written));
        let files = HashMap::from([(PathBuf::from("turns.kif"), TURNS.replace(written, instead))]);
        let loaded = syntax::load(&files, &["turns.kif"], None, &mut Sources::new()).expect("it is sound");
        let program = analysis::analyze(&loaded.program).expect("it is sound").stratified;
        let found = trial::try_out(&program, Syntax::Kif, &Budget::unlimited()).expect("no limits");
        found.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>()
    };
    assert!(tried("(role x)", "(role x)").is_empty());
    assert_eq!(tried("(<= (legal o noop) (true (control x)))", ""), ["`o` has no legal move in the first state"]);
    assert_eq!(tried("(init (control x))", "")[0], "`x` has no legal move in the first state");
    assert_eq!(
        tried("(<= (next (control o)) (true (control x)))", ""),
        ["`x` has no legal move after the moves (mark 1) noop"]
    );
    let end = "where the game is over after 2 joint moves: (mark 1) noop; noop (mark 2)";
    assert_eq!(tried("(goal x 100)", "(goal x 100) (goal x 50)"), [format!("`x` has 2 goals, 50 and 100, {end}")]);
    assert_eq!(tried("(goal o 0)", "(<= (goal o 0) (true (step 1)))"), [format!("`o` has no goal {end}")]);
    let over = "(<= terminal (true (step 3))) (<= terminal (true (step 1)))";
    assert_eq!(tried("(<= terminal (true (step 3)))", over), ["the game is over in the first state"]);
    let endless = "no playout of random moves ended within 1000 joint moves, the last of one: (mark 1) noop; noop (mark 2); \
                   (mark 1) noop; noop (mark 2); (mark 1) noop; noop (mark 2)";
    assert_eq!(tried("(succ 2 3)", "(succ 2 1)"), [endless]);
}

/// Who takes two of one thing left loses the count: the game is never over then. From 7 things that comes with a chance of
/// p(7) = 0.336, where p(0) = 0, p(1) = 1/2 and p(n) = (p(n - 1) + p(n - 2)) / 2.
#[test]
fn playouts_that_lose_what_the_end_asks_for_are_told() {
    let rules = "(role red) (role green) (init (control red)) (init (left 7)) (other red green) (other green red)
        (minus 7 6) (minus 6 5) (minus 5 4) (minus 4 3) (minus 3 2) (minus 2 1) (minus 1 0)
        (<= (legal ?p one) (true (control ?p))) (<= (legal ?p two) (true (control ?p)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (left ?m)) (true (left ?n)) (minus ?n ?m) (does ?p one))
        (<= (next (left ?k)) (true (left ?n)) (minus ?n ?m) (minus ?m ?k) (does ?p two))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= nothing-left (true (left 0))) (<= terminal nothing-left) (goal red 50) (goal green 50)";
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("take.kif"), rules).expect("a file");
    let told = ludolog(&directory, &["check", "take.kif"]).assert().success().get_output().stderr.clone();
    let told = String::from_utf8(told).expect("text");
    let end = " of 100 playouts of random moves have not ended within 1000 joint moves: in one no state has a fact `left/1` \
               any more after ";
    let share = told.split_once(end).and_then(|(before, _)| before.rsplit(' ').next()).map(str::parse::<u32>);
    assert!(matches!(share, Some(Ok(20..=48))), "{told}");
}

/// Chomp on three by two pieces. With `lefft` for `left`, whoever moves third has no turn: there are at most two choices, after which both wait for
/// ever, unless the first two moves ate all. The first mover eats all with a chance of 1/6, and else the second does.
#[test]
fn playouts_in_which_nobody_has_a_choice_any_more_are_told() {
    let rules = "(role left) (role right) (row 1) (row 2) (col 1) (col 2) (col 3)
        (<= (init (piece ?c ?r)) (col ?c) (row ?r)) (init (turn left))
        (le 1 1) (le 1 2) (le 1 3) (le 2 2) (le 2 3) (le 3 3)
        (<= (legal ?p (eat ?c ?r)) (true (turn ?p)) (true (piece ?c ?r)))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= (eaten ?x ?y) (does ?p (eat ?c ?r)) (le ?c ?x) (le ?r ?y))
        (<= (next (piece ?x ?y)) (true (piece ?x ?y)) (not (eaten ?x ?y)))
        (<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
        (<= terminal (not (true (piece 1 1))))
        (<= (goal ?p 100) (true (turn ?p)) terminal) (<= (goal ?p 0) (role ?p) (not (true (turn ?p))) terminal)";
    let directory = tempfile::tempdir().expect("a directory");
    let told = |rules: &str| {
        std::fs::write(directory.path().join("chomp.kif"), rules).expect("a file");
        let told = ludolog(&directory, &["check", "chomp.kif"]).assert().success().get_output().stderr.clone();
        String::from_utf8(told).expect("text")
    };
    assert_eq!(told(rules), "");
    let told = told(&rules.replace("(next (turn left))", "(next (turn lefft))"));
    let end = " of 100 playouts of random moves have not ended within 1000 joint moves: in one no role has a choice any more \
               after 2 joint moves: ";
    let share = told.split_once(end).and_then(|(before, _)| before.rsplit(' ').next()).map(str::parse::<u32>);
    assert!(matches!(share, Some(Ok(1..=99))), "{told}");
    assert!(told.contains("`next` gives a fact `turn/1` after all moves"), "{told}");
}

/// What a role sees is a word of GDL in games of chance.
#[test]
fn a_slip_in_what_is_seen_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let shipped = include_str!("../rules/games/monty-hall.kif");
    let check = |text: &str| {
        std::fs::write(directory.path().join("hall.kif"), text).expect("a file");
        let output = ludolog(&directory, &["check", "hall.kif"]).assert().success().get_output().clone();
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"))
    };
    assert_eq!(check(shipped)[1], "");
    let [counts, told] = check(&shipped.replace("(sees ", "(see "));
    assert!(counts.contains("1 warning"), "{counts}");
    assert!(told.contains("`see/2`, whose name is nearly `sees`") && told.contains("did you mean `sees`?"), "{told}");
}

/// Of what is not reached, causes are noted: not `(<= (goal x 50) (true (step 4)))`, whose fact is noted, and not a
/// rule that reads a predicate whose only rule never fires.
#[test]
fn what_no_playout_reaches_is_noted() {
    let files = HashMap::from([(
        PathBuf::from("turns.kif"),
        format!(
            "{TURNS} (<= (legal x pass) (true (step 4))) (<= (goal x 50) (true (step 4)))
             (<= both (true (step 1)) (true (step 2))) (<= (legal o both) both) (<= (goal o 50) (true (step ?n)) (succ ?n ?n))"
        ),
    )]);
    let loaded = syntax::load(&files, &["turns.kif"], None, &mut Sources::new()).expect("it is sound");
    let program = analysis::analyze(&loaded.program).expect("it is sound").stratified;
    let found = trial::try_out(&program, Syntax::Kif, &Budget::unlimited()).expect("no limits");
    assert!(found.iter().all(|diagnostic| diagnostic.severity == Severity::Note), "{found:?}");
    let messages: Vec<&str> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    let state = "no state of 100 random playouts has the";
    let rule = "this rule fired in no state of 100 random playouts";
    let fact = format!("{state} fact `(step 4)`");
    let moves = ["pass` of `x", "both` of `o"].map(|made| format!("{state} legal move `{made}`"));
    assert_eq!(messages, [&*fact, &moves[0], &moves[1], rule, rule]);
}

/// A note changes neither the exit status nor the number of warnings.
#[test]
fn notes_are_told_by_check_and_may_be_allowed() {
    let directory = tempfile::tempdir().expect("a directory");
    let check = |text: &str| {
        std::fs::write(directory.path().join("turns.kif"), text).expect("a file");
        let output = ludolog(&directory, &["check", "turns.kif"]).assert().success().get_output().clone();
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"))
    };
    let unused = format!("{TURNS} (color red) (pair 1 2) (<= (goal x 100) (true (step 3)) (pair 1 ?x))");
    let [counts, told] = check(&unused);
    assert!(counts.ends_with("0 errors, 0 warnings, 2 notes\n"), "{counts}");
    assert!(told.contains("note[unused-predicate]: nothing reads `color/1`\n"), "{told}");
    assert!(told.contains("note[unused-argument]: nothing reads argument 2 of `pair/2`\n"), "{told}");
    let [counts, told] = check(&format!("; ludolog: allow unused-predicate, unused-argument\n{unused}"));
    assert!(counts.ends_with("0 errors, 0 warnings\n") && told.is_empty(), "{counts}{told}");
}

/// What is odd with the facts of a table is told with the answers, and what is not is not.
#[test]
fn odd_conditions_are_told_with_the_facts_that_they_give() {
    let files = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(files.path().join(name), text).unwrap();
    write("role.csv", "alice,admin\nbob,dev\n");
    write("file.csv", "a.txt\nlib/c.rs\n");
    write("bom.csv", "part,price\nA,1.50\nB,2.00\nC,\n");
    let inputs = [
        ("role(", ":- input(role, 'role.csv').\n"),
        ("file(", ":- input(file, 'file.csv').\n"),
        ("bom(", ":- type(bom, any, any).\n:- input(bom, 'bom.csv', header).\n"),
    ];
    let told = |rule: &str| {
        let declared: String = inputs.iter().filter(|(read, _)| rule.contains(read)).map(|(_, text)| *text).collect();
        write("r.dl", &format!("{declared}{rule}\n"));
        let (status, facts, told) = run(&files, &["facts", "r.dl"], "");
        assert_eq!(status, 0, "{told}");
        (facts, told)
    };
    let cases = [
        ("admin(U) :- role(U, Admin).", "admin(alice).\nadmin(bob).\n", "its column has the symbol `admin`"),
        ("known(U) :- role(U, _) & U = Bob.", "known(alice).\nknown(bob).\n", "its column has the symbol `bob`"),
        ("source(F) :- file(F) & matches(F, '\\\\.rs$').", "", "write `'.*\\\\.rs'`"),
        ("cheap(P) :- bom(P, C) & to_number(C) < 2.", "", "`to_float(C)`"),
        ("cheap(P) :- bom(P, C) & C < 2.", "", "`to_float(X)` the float of an integer or a decimal"),
        ("odd(R) :- n(X) & R is X mod 2. n(3). n(4.5).", "odd(1).\n", "`X` may be a float"),
        ("root(R) :- n(X) & R is sqrt(X). n(3). n(4.0).", "root(2.0).\n", "`X` may be an integer"),
    ];
    for (rule, expected, word) in cases {
        let (facts, told) = told(rule);
        assert_eq!((facts.as_str(), told.matches("warning[").count()), (expected, 1), "{rule}: {told}");
        assert!(told.contains(word), "{rule}: {told}");
    }
    let meant = [
        ("admin(U) :- role(U, admin).", "admin(alice).\n"),
        ("some(U) :- role(U, Kind).", "some(alice).\nsome(bob).\n"),
        ("source(F) :- file(F) & matches(F, '.*\\\\.rs').", "source('lib/c.rs').\n"),
        ("cheap(P) :- bom(P, C) & to_float(C) < 2.0.", "cheap('A').\n"),
        ("root(R) :- n(X) & R is sqrt(to_float(X)). n(4). n(9.0).", "root(2.0).\nroot(3.0).\n"),
    ];
    for (rule, expected) in meant {
        assert_eq!(told(rule), (expected.to_owned(), String::new()), "{rule}");
    }
}
