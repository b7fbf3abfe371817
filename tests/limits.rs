//! Limits and interruption: they hold in every phase and on every engine, and nothing incomplete is told for complete.

use crate::binary;
use ludolog::analysis::{self, Analyzed};
use ludolog::diagnostic::Sources;
use ludolog::engine::{ENGINES, Session, Setting};
use ludolog::files::FileSystem;
use ludolog::game::{Interpreted, State, StateMachine, StateMachineExt};
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Term};
use ludolog::syntax::budget::{Budget, Clock, Excess, Stopped, ThreadClock};
use ludolog::syntax::{self, Syntax};
#[cfg(unix)]
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(unix)]
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Far more than any of these commands may take, and far less than they would take without limits.
const PATIENCE: Duration = Duration::from_secs(60);

fn ludolog(rules: &str, args: &[&str]) -> Output {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("rules.dl");
    std::fs::write(&file, rules).expect("the file is written");
    let (command, options) = args.split_first().expect("a command");
    let mut process = binary::ludolog(".", &[command]);
    process.arg(&file).args(options).timeout(PATIENCE).output().expect("it runs")
}

/// Asserts that a run was stopped in time and printed nothing.
fn assert_stopped(rules: &str, args: &[&str]) {
    let output = ludolog(rules, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: killed after {PATIENCE:?} if without a code");
    assert!(String::from_utf8_lossy(&output.stderr).contains("did not finish in"), "{args:?}: {output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args:?}");
}

#[test]
fn no_more_facts_are_held_than_allowed() {
    // Each round of this fixpoint derives one fact.
    let rules = "c(0). c(Y) :- c(X) & Y is X + 1 & Y < 20000.";
    for optimization in ["none", "auto"] {
        let output = ludolog(rules, &["facts", "--max-facts", "1000", "--optimize", optimization]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1000);
        let output = ludolog(rules, &["facts", "--max-facts", "20000", "--optimize", optimization]);
        assert_eq!(output.status.code(), Some(0));
    }
}

/// Each of these ranges has more elements than any engine goes through in time.
#[test]
fn ranges_whose_element_is_bound_elsewhere_are_tests() {
    let many: String = (0..2000).map(|i| format!("event(e{i}, {}). ", 1_600_000_000 + 100_000 * i)).collect();
    let inside = format!("r(E) :- event(E, T) & T in 1690000000..1799999999. {many}");
    // 1600000000 + 100000 i is between the bounds for i from 900 to 1999.
    let number = 1100;
    for optimization in ["none", "auto"] {
        let count = |rules: &str| {
            let output = ludolog(rules, &["query", "r(X)", "--optimize", optimization, "--format", "jsonl"]);
            assert_eq!(output.status.code(), Some(0), "{optimization} {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).lines().count()
        };
        assert_eq!(count(&inside), number, "{optimization}");
        for body in [
            "X in 0..100000000000 & X = 5",
            "5 = X & X in 0..100000000000",
            "X in 0..100000000000 & n(X)",
            "n(Y) & X in 0..100000000000 & X = Y",
            "X in 0..100000000000 & n(Y) & Y = X",
            "X in 0..100000000000 & X is Y + 1 & n(Y)",
            "X in 0..100000000000 & f(X, Y) & Y in -100000000000..100000000000",
        ] {
            assert_eq!(count(&format!("n(4). f(1, 2). r(X) :- {body}.")), 1, "{optimization} {body}");
        }
    }
}

/// A range between bounds that are not known is not put in front of what binds its element.
#[test]
fn ranges_between_unknown_bounds_are_tests() {
    let many: String = (0..2000).map(|i| format!("event(e{i}, {i}). ")).collect();
    let rules = format!("limit(-100000000000, 100000000000). r(E) :- limit(A, B) & event(E, T) & T in A..B. {many}");
    let output = ludolog(&rules, &["query", "r(X)", "--format", "jsonl"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2000, "{output:?}");
}

/// Where every row matches every subgoal, no engine comes upon a failure at which it could look at its limits.
#[test]
fn a_product_stops_at_each_limit() {
    let rules = "d(X) :- X in 0..63. p(A, B, C, D, E) :- d(A) & d(B) & d(C) & d(D) & d(E).";
    for engine in ["resolution", "semi-naive"] {
        let query = ["query", "p(A, B, C, D, E)", "--engine", engine];
        for (limit, told) in [
            (["--timeout", "300ms"], "did not finish in 0.3 s"),
            (["--max-facts", "100000"], "limit of 100000 facts"),
            (["--max-memory", "100M"], "limit of 104857600 bytes"),
        ] {
            let output = ludolog(rules, &[&query[..], &limit].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && errors.contains(told), "{engine} {limit:?}: {errors}");
        }
    }
}

#[test]
fn many_short_runs_of_a_rule_count_as_a_long_one() {
    let rules = "c(0). c(Y) :- c(X) & Y is X + 1 & Y < 9000000000000000000.";
    for command in [&["facts"][..], &["query", "c(X)"], &["query", "~c(-1)"]] {
        assert_stopped(rules, &[command, &["--timeout", "200ms"]].concat());
    }
}

/// Terms of 2^(n + 1) - 1 symbols are refused before nothing can write them out: the first is that of n = 20.
#[test]
fn terms_that_double_are_refused_in_time() {
    let rules =
        |most: usize| format!("t(0, a). t(N, f(X, X)) :- t(M, X) & N is M + 1 & N <= {most}. last(N) :- t(N, _).");
    let downwards = "t(0, a). t(N, f(X, X)) :- N in 1..1000 & M is N - 1 & t(M, X).";
    for (rules, command) in [
        (&*rules(1_000), &["facts"][..]),
        (&*rules(1_000), &["facts", "--threads", "2"]),
        (&*rules(1_000), &["facts", "--optimize", "none"]),
        (&*rules(1_000), &["query", "last(N) & N > 900"]),
        (downwards, &["query", "t(1000, X)", "--allow-growing", "--max-facts", "9000"]),
        (downwards, &["query", "t(1000, X)", "--allow-growing", "--max-facts", "9000", "--engine", "resolution"]),
    ] {
        let output = ludolog(rules, command);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {errors}");
        assert!(errors.contains("has more than 1048576 symbols; bound the recursion"), "{command:?}: {errors}");
    }
    for (most, code) in [(19, 0), (20, 2)] {
        let output = ludolog(&rules(most), &["query", "last(19)"]);
        assert_eq!(output.status.code(), Some(code), "up to {most}: {output:?}");
    }
}

/// Each move doubles the term or keeps it. What one move stopped at stops no other.
#[test]
fn a_move_that_is_stopped_stops_no_other() {
    const RULES: &str = "(role robot) (init (t a)) (legal robot double) (legal robot keep)
        (<= (next (t (f ?x ?x))) (true (t ?x)) (does robot double))
        (<= (next (t ?x)) (true (t ?x)) (does robot keep))
        (<= terminal (true (t end))) (<= (goal robot 0) (true (t ?x)))";
    let mut sources = Sources::new();
    let source = sources.add("game.kif", RULES);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    let program = analysis::analyze(&program).expect("the rulesheet is sound").stratified;
    let mut game = Interpreted::new(&program, Budget::unlimited()).expect("the game starts");
    let mut state = game.initial_state().clone();
    let mut play = |state: &State, made: &str| {
        let joint = game.joint_move(state, &[Term::Symbol(made.into())]).expect("it is legal");
        game.next_state(state, &joint)
    };
    for _ in 0..19 {
        state = play(&state, "double").expect("it has at most 2^20 symbols");
    }
    for _ in 0..2 {
        let stopped = play(&state, "double").expect_err("it has 2^21 - 1 symbols");
        assert_eq!(stopped.stopped(), Some(&Stopped::TermTooLarge(Excess::Symbols(1 << 20))));
        assert_eq!(play(&state, "keep").expect("it has 2^20 - 1 symbols"), state);
    }
}

#[test]
fn after_one_predicate_has_stopped_the_others_have_limits_too() {
    let rules = "e(0,0). p6 :- ~p5(_,Y) & p5(W,Y). p5(Z,Z) :- e(Z,Z). p5(W,Y) :- p5(W,Y) & W != 1.";
    assert_stopped(rules, &["facts", "--engine", "resolution", "--optimize", "none", "--timeout", "200ms"]);
}

#[test]
fn long_bodies_and_long_chains_stop_in_every_phase() {
    let path: Vec<String> = (0..2000).map(|i| format!("e(X{i},X{})", i + 1)).collect();
    let cross: Vec<String> = (0..2000).map(|i| format!("e(X{i},Y{i})")).collect();
    // With fewer facts, the rules would run as written.
    let facts: String = (0..600).map(|i| format!("f({i}). ")).collect::<String>() + "e(1,2). e(2,3). ";
    assert_stopped(&format!("{facts} p(X0) :- {}.", path.join(" & ")), &["query", "p(X)", "--timeout", "100ms"]);
    assert_stopped(&format!("{facts} p :- {}.", cross.join(" & ")), &["query", "p", "--timeout", "100ms"]);
    let chain: String = (0..30_000).map(|i| format!("p{}(X) :- p{i}(X).\n", i + 1)).collect();
    for timeout in ["20ms", "100ms"] {
        assert_stopped(&format!("p0(a).\n{chain}"), &["query", "p30000(X)", "--timeout", timeout]);
    }
}

#[test]
fn nobody_is_told_no_after_a_stop() {
    let rules = "c(0). c(Y) :- c(X) & Y is X + 1 & Y < 20000. d(X) :- c(X) & X > 19000.";
    let stop = ["--max-facts", "100", "--optimize", "none"];
    let output = ludolog(rules, &[&["query", "d(X)"][..], &stop].concat());
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
    let output = ludolog(rules, &[&["query", "~c(19999)"][..], &stop].concat());
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
    let output = ludolog(rules, &[&["query", "d(X)", "--format", "json"][..], &stop].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report[0]["holds"], &report[0]["answers"]), (&serde_json::Value::Null, &serde_json::json!([])));
    // What has been derived holds.
    let output = ludolog(rules, &[&["query", "c(3)"][..], &stop].concat());
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b"yes\n"[..]));
}

/// A clock by which a second goes by with each look.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Reads, analyzes, prepares and runs a program.
/// The files of `tests/programs`, in their order.
fn programs() -> Vec<PathBuf> {
    let files = std::fs::read_dir("tests/programs").expect("the programs").map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<PathBuf> = files.filter(|path| Syntax::of(path).is_some()).collect();
    programs.sort();
    programs
}

/// The program of a file.
fn read(path: &Path, budget: &Budget) -> Result<(Analyzed, Sources), Stopped> {
    let mut sources = Sources::new();
    let loaded = syntax::load_within(&FileSystem, &[path], None, &mut sources, budget)?.expect("the file parses");
    Ok((analysis::analyze_within(&loaded.program, budget)?.expect("the program is sound"), sources))
}

fn facts((analyzed, sources): &(Analyzed, Sources), setting: &Setting, budget: &Budget) -> Result<Vec<Atom>, Stopped> {
    let session = Session::new(analyzed.clone(), sources.clone());
    match session.with_setting(setting.clone()).with_budget(budget.clone()).facts(|_| true)? {
        (_, Some(stopped)) => Err(stopped),
        (facts, None) => Ok(facts),
    }
}

/// What a run comes to by a clock with so many ticks, and how many it took.
fn ticking<T>(seconds: u64, run: impl FnOnce(&Budget) -> T) -> (T, u64) {
    let clock = Arc::new(Ticking::default());
    let budget = Budget::unlimited().with_clock(clock.clone()).with_time(Duration::from_secs(seconds));
    (run(&budget), clock.0.load(Ordering::Relaxed))
}

/// More ticks than any run takes.
const NO_END: u64 = u32::MAX as u64;

#[test]
fn wherever_time_ends_reading_stops_there() {
    for path in programs() {
        let (complete, looks) = ticking(NO_END, |budget| read(&path, budget).map(|_| ()));
        assert_eq!(complete, Ok(()), "{}", path.display());
        for seconds in 0..looks {
            let (found, spent) = ticking(seconds, |budget| read(&path, budget).map(|_| ()));
            let is_stopped = matches!(found, Err(Stopped::Timeout(_))) && spent <= seconds + 2;
            assert!(is_stopped || found == complete, "{}: {found:?}, {spent} after {seconds}", path.display());
        }
    }
}

#[test]
fn wherever_time_ends_the_run_stops_there() {
    for (path, engine) in programs().iter().flat_map(|path| ENGINES.map(|engine| (path, engine))) {
        let program = read(path, &Budget::unlimited()).expect("nothing stops it");
        let setting = Setting { engine: engine.clone(), optimization: Optimization::Auto, ..Setting::default() };
        let complete = facts(&program, &setting, &Budget::unlimited());
        let within = |seconds| ticking(seconds, |budget| facts(&program, &setting, budget));
        // Every look at the clock of a complete run, or some where they are many, since a run that stops late takes as long as a complete one.
        let (unlimited, looks) = within(NO_END);
        assert_eq!(unlimited, complete, "{} on {engine}", path.display());
        let last = if looks < 2_000 { 30 } else { 5 };
        let stride = (looks / 10).max(211);
        for seconds in (0..looks).filter(|at| *at < 60 || at + last > looks || at % stride == 0) {
            match within(seconds) {
                (Err(Stopped::Timeout(_)), spent) => {
                    // Grounding looks some more times: to take its share of the time left, and to see that it is over.
                    assert!(spent <= seconds + 8, "{} on {engine}: {spent} after {seconds}", path.display());
                }
                (found, _) => assert_eq!(found, complete, "{} on {engine} in {seconds}", path.display()),
            }
        }
    }
}

/// Whether analysis accepts 480 predicates that lead to each other, by two rules each, within two seconds of processor time. Each goes by this
/// body to the next one, but the last by another.
fn accepts_mutual(head: &str, body: &str, last: &str) -> bool {
    let count = 480;
    let rules = (0..count).map(|i| {
        let body = if i + 1 == count { last } else { body };
        let nearest = format!("r{}({head}) :- r{i}(X, N) & {body}.\n", (i + 1) % count);
        nearest + &format!("r{}(X, N) :- r{i}(X, N) & e(X, _).\n", (i * 7 + 3) % count)
    });
    let text = "r0(1, 0). e(1, 2). e(2, 1).\n".to_owned() + &rules.collect::<String>();
    let mut sources = Sources::new();
    let source = sources.add("mutual.dl", text);
    let program = syntax::parse(source, &sources, Syntax::Datalog).into_result().expect("the text parses");
    let budget = Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(Duration::from_secs(2));
    analysis::analyze_within(&program, &budget).expect("time is left").is_ok()
}

/// The search for recursion that never ends looks at a rule again where an argument is chosen for one of its predicates, and is left out
/// where nothing grows.
#[test]
fn many_mutual_rules_are_analyzed_in_time() {
    let step = "e(X, Y) & M is N + 1";
    assert!(accepts_mutual("X, Y", "e(N, Y)", "e(N, Y)"));
    assert!(accepts_mutual("Y, M", &format!("N < 9 & {step}"), &format!("N < 9 & {step}")));
    // Whoever comes to the last one again comes by the others, whose numbers have a bound.
    assert!(accepts_mutual("Y, M", &format!("N < 9 & {step}"), step));
    assert!(!accepts_mutual("Y, M", step, step));
}

/// Rules of which each reads a name that is nearly each of the names that rules define. To compare them takes minutes, by far
/// the most time of a check.
fn nearly_the_same_names() -> String {
    (0..5000).map(|i| format!("line{i}(X) :- lane{i}(X).\n")).collect()
}

#[test]
fn checking_stops_in_every_phase() {
    let facts: String = (0..100_000).map(|n| format!("p({n}). ")).collect();
    let chain: String = (0..30_000).map(|i| format!("p{}(X) :- p{i}(X).\n", i + 1)).collect();
    assert_stopped(&facts, &["check", "--timeout", "20ms"]);
    assert_stopped(&format!("p0(a).\n{chain}"), &["check", "--timeout", "100ms"]);
    // Names are compared with few others, so nearly equal ones take no time to speak of.
    assert_eq!(ludolog(&nearly_the_same_names(), &["check", "--timeout", "30s"]).status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn checking_ends_on_interruption() {
    let mut command = binary::process(".", &["check", "-", "--syntax", "dl"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    // More than a pipe holds: that all is written means that the command reads, prepared for interruption.
    let rules: String = (0..100_000).map(|i| format!("p{}(X) :- p{i}(X).\n", i + 1)).collect();
    assert!(rules.len() > 1 << 16);
    child.stdin.take().expect("a pipe").write_all(rules.as_bytes()).expect("the rules are read");
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// A product of 300 million rows holds gigabytes; the limit of memory is told before the system has to end the process.
#[test]
fn memory_is_refused_in_words() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.dl"), "n(X) :- X in 1..20000.\np(X, Y) :- n(X) & n(Y).\n").expect("a file");
    let limits = ["facts", "a.dl", "--max-memory", "100M", "--max-facts", "1000000000", "--timeout", "60s"];
    let output = binary::ludolog(&directory, &limits).assert().code(2).get_output().clone();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("stopped at the limit of 104857600 bytes") && told.contains("--max-memory"), "{told}");
}

/// Every command that derives or searches stops at the limit of memory, which is less than the program itself takes here, and tells it;
/// what it prints says nothing that it has not found out.
#[test]
fn every_command_refuses_memory_in_words() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.dl"), "n(X) :- X in 1..500.\np(X, Y) :- n(X) & n(Y).\n").expect("a file");
    std::fs::create_dir(directory.path().join("work")).expect("a directory");
    std::fs::copy(directory.path().join("a.dl"), directory.path().join("work/a.dl")).expect("a file");
    for (line, code) in [
        ("query a.dl p(X,X)", 2),
        ("facts a.dl", 2),
        ("why a.dl p(500,1)", 2),
        ("why-not a.dl p(500,501)", 2),
        ("check a.dl", 2),
        ("plan a.dl", 2),
        ("profile a.dl", 2),
        ("test a.dl", 2),
        ("compile a.dl --to souffle", 2),
        ("repl a.dl", 2),
        ("watch a.dl", 2),
        ("bench datalog work --quick", 2),
        // A cell of a benchmark tells why it has no figure, as at its limit of time.
        ("bench datalog --quick --program reachability", 0),
        ("bench hex --quick --position std:positions/p9.txt --formulation reachability --engine semi-naive", 0),
        ("bench positional std:positional/triangle.txt", 0),
        ("bench formulations --size 2 --matches 0", 0),
        ("bench ggp nim", 2),
        ("bench players nim", 2),
        ("prove draw --mnk 3x3x3 --means search", 1),
        ("positional solve --mnk 4x4x4", 1),
        ("hex solve 8x8", 1),
        ("game show hex-4x4", 2),
        ("game explain hex-4x4 terminal", 2),
        ("game net hex-4x4", 2),
        ("game playouts hex-4x4", 2),
        ("game perft hex-4x4", 2),
        ("game trace hex-4x4", 2),
        ("game tree hex-2x2", 2),
        ("game compare hex-4x4", 2),
        ("game solve hex-3x3", 2),
        ("match hex-4x4 mcts mcts", 2),
        ("tournament nim --player mcts random", 2),
        ("play hex-4x4", 2),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = binary::ludolog(&directory, &[&words[..], &["--max-memory", "64K"]].concat());
        let output = command.timeout(PATIENCE).write_stdin("p(X, X)").output().expect("it runs");
        let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert!(told.contains("stopped at the limit of 65536 bytes"), "{line}: {told}");
    }
}

/// A player of Hex moves by what it has found when memory ends, long before its clock.
#[test]
fn players_of_hex_move_at_the_limit_of_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let commands = "boardsize 11\ngenmove black\nquit\n";
    for line in ["hex play 11x11 --to-move red", "hex htp"] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command =
            binary::ludolog(&directory, &[&words[..], &["--play-clock", "10m", "--max-memory", "64K"]].concat());
        let output = command.timeout(PATIENCE).write_stdin(commands).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && told.chars().any(|letter| letter.is_ascii_digit()), "{line}: {told}");
    }
}

#[test]
fn a_row_that_unpacks_to_more_than_a_limit_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = std::fs::File::create(directory.path().join("t.csv.gz")).expect("a file");
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let piece = vec![b'a'; 1 << 20];
    (0..80).for_each(|_| std::io::Write::write_all(&mut packed, &piece).expect("written"));
    packed.finish().expect("written");
    std::fs::write(directory.path().join("a.dl"), "q(X) :- t(X).\n").expect("a file");
    let output = binary::ludolog(&directory, &["facts", "a.dl", "--facts", "t.csv.gz"]).assert().code(2);
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(told.contains("a row of this table has more than 64 MiB"), "{told}");
}

#[test]
fn convert_writes_the_syntax_that_a_name_says() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.dl"), "p(X) :- q(X).\nq(a).\n").expect("a file");
    let ludolog = |args: &[&str]| binary::ludolog(&directory, args).assert();
    ludolog(&["convert", "a.dl", "-o", "b.dl"]).success();
    assert!(std::fs::read_to_string(directory.path().join("b.dl")).expect("a file").contains(":-"));
    ludolog(&["convert", "a.dl", "-o", "b.kif"]).success();
    assert!(std::fs::read_to_string(directory.path().join("b.kif")).expect("a file").contains("<="));
    ludolog(&["convert", "a.dl", "--to", "kif", "-o", "c.dl"]).code(2);
    assert!(!directory.path().join("c.dl").exists());
}

/// Whoever asks for one answer has it: what the engine would have derived behind it says nothing of that.
#[test]
fn one_answer_is_found_at_every_limit() {
    let rules = "a(X) :- X in 1..20000. b(X, Y) :- a(X) & a(Y) & X != Y.";
    for limit in [["--max-facts", "100000"], ["--max-memory", "100M"]] {
        let query = |options: &[&str]| ludolog(rules, &[&["query", "b(X, Y)"], &limit[..], options].concat());
        let first = query(&["--first"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(first.status.code(), Some(0), "{limit:?}: {first:?}");
        assert_eq!(text(&first.stderr), "", "{limit:?}");
        // Columns of width 1, a line, the first pair in the order of the rule.
        assert_eq!(
            text(&first.stdout).lines().collect::<Vec<_>>(),
            ["X  Y", "──────", "1  2", "1 answer"],
            "{limit:?}"
        );
        let json: serde_json::Value = serde_json::from_slice(&query(&["--first", "--format", "json"]).stdout).unwrap();
        assert_eq!((&json[0]["stopped"], &json[0]["holds"]), (&serde_json::Value::Null, &true.into()), "{limit:?}");
        assert_eq!(query(&[]).status.code(), Some(2), "{limit:?}");
    }
    // Nothing was found before the limit, so that it is not known whether there is something.
    let none = ludolog(rules, &["query", "b(X, 0)", "--first", "--max-facts", "100", "--optimize", "none"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
}

/// Advice helps, and does not lead back to where it came from.
#[test]
fn advice_at_a_limit_helps() {
    let rules = "a(X) :- X in 1..20000. b(X, Y) :- a(X) & a(Y) & X != Y.";
    let told = |goal: &str, optimize: &str| {
        let output = ludolog(rules, &["query", goal, "--max-facts", "100000", "--optimize", optimize]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, advice) = told("b(7, Y)", "none");
    assert!(code == Some(2) && advice.contains("--optimize auto"), "{advice}");
    assert_eq!(told("b(7, Y)", "auto").0, Some(0), "as advised");
    // No pass helps a goal that asks for everything.
    for optimize in ["auto", "demand"] {
        let (code, advice) = told("b(X, Y)", optimize);
        assert!(code == Some(2) && advice.contains("--max-facts") && !advice.contains("--optimize"), "{advice}");
    }
}

/// At the limit of memory nothing incomplete is printed, and the message says what took it, with the limit as it was given.
#[test]
fn the_largest_relation_is_told_at_the_limit_of_memory() {
    let rules = "n(X) :- X in 1..20000. p(X, Y) :- n(X) & n(Y). q(X, Y) :- p(X, Y) & X < Y.";
    for args in [&["query", "q(X, Y)"][..], &["facts"], &["facts", "--predicate", "p/2"]] {
        let output = ludolog(rules, &[args, &["--max-memory", "100M"]].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}: {told}");
        assert!(
            told.contains("stopped at the limit of 104857600 bytes (100M); most are taken by `p/2`: "),
            "{args:?}: {told}"
        );
    }
}
