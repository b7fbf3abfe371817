//! The commands as run from a shell: output, files, exit status.

use crate::binary::{self, ludolog};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Red's column from top to bottom.
const WON: &str = "known: red wins\nR B .\n R B .\n  R . .\n";

/// Who knows no command learns of some, and no file is written.
#[test]
fn without_arguments_there_is_a_welcome() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = ludolog(directory.path(), &[""; 0]).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().count() <= 10 && text.contains("ludolog bench hex --quick"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 110) && output.stderr.is_empty());
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 0);
}

#[test]
fn bench_hex_on_one_small_position() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("won.txt"), WON).expect("a file");
    let args = ["bench", "hex", "--position", "won.txt", "--samples", "3", "--format", "json", "--output", "out"];
    let output = ludolog(directory.path(), &args).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("JSON on standard output");

    let environment = &report["environment"];
    assert!(environment["command"].as_str().unwrap().starts_with("ludolog bench hex --position won.txt"));
    assert!(environment["cores"].as_u64().unwrap() >= 1);
    assert_eq!(report["failures"], Value::Array(vec![]));

    let rows = report["rows"].as_array().expect("rows");
    // 8 formulations, 5 optimizations, 3 engines.
    assert_eq!(rows.len(), 8 * 5 * 3);
    for row in rows {
        assert_eq!(row["position"], "won");
        match row["outcome"].as_str().unwrap() {
            "finished" => {
                assert_eq!(row["answer"], true, "{row}");
                let [min, median, max] = ["min_ns", "median_ns", "max_ns"].map(|field| row[field].as_u64().unwrap());
                assert!(min <= median && median <= max, "{row}");
                assert!((1..=3).contains(&row["samples"].as_u64().unwrap()) && row["rsf"].as_f64().unwrap() >= 1.0);
            }
            "unsupported" => assert!(row["reason"].is_string() && row["median_ns"].is_null(), "{row}"),
            "did-not-finish" => assert!(row["median_ns"].is_null() && row["answer"].is_null(), "{row}"),
            other => panic!("{other} is no outcome"),
        }
    }
    let finished = |engine: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row["engine"] == engine && row["outcome"] == "finished").collect()
    };
    assert!(finished("semi-naive").iter().all(|row| row["derived"].is_u64() && row["probes"].is_u64()));
    assert!(finished("semi-naive").len() >= 5 && finished("resolution").len() >= 5);

    let file = |name: &str| std::fs::read_to_string(directory.path().join("out").join(name)).expect(name);
    assert_eq!(serde_json::from_str::<Value>(&file("report.json")).unwrap(), report);
    assert_eq!(file("report.csv").lines().count(), 1 + rows.len());
    assert!(file("report.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn bench_hex_prints_cells_and_findings() {
    let directory = tempfile::tempdir().expect("a directory");
    // Red's chain has a cell in each row in bent, c1 b2 a3, and two in the middle row in long, b1 b2 c2 c3.
    std::fs::write(directory.path().join("bent.txt"), "known: red wins\n. . R\n B R .\n  R B .\n").expect("a file");
    std::fs::write(directory.path().join("long.txt"), "known: red wins\n. R .\n . R R\n  B B R\n").expect("a file");
    let args = ["bench", "hex", "--position", "bent.txt", "long.txt", "--samples", "1", "--engine", "semi-naive"];
    let some = ["--formulation", "power-set", "reachability", "--optimize", "none", "auto"];
    let output = ludolog(directory.path(), &[&args[..], &some].concat()).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("text");
    let told = ["Answers: all 8 are right", "Blind to the chain of long: power-set", "no*", "every table: --all"];
    assert!(told.iter().all(|told| text.contains(told)), "{text}");
    assert!(!text.contains("Blind to the chain of bent"), "{text}");
}

/// From the first line over stones, by an own definition of neighbors.
const OWN: &str = ":- include('std:lib/hex-board.dl').
joined(P, X) :- first(P, X) & stone(P, X).
joined(P, Y) :- stone(P, Y) & adjacent(X, Y) & joined(P, X).
win(P) :- last(P, X) & joined(P, X).
";

#[test]
fn bench_hex_takes_formulations_of_the_user() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    file("won.txt", WON);
    file("own.dl", OWN);
    // Whoever has a stone on its last line: red has, and so it says yes, but of blue too.
    file(
        "hasty.dl",
        ":- include('std:lib/hex-board.dl').\nwin(P) :- last(P, X) & stone(P, X).\nwin(blue) :- stone(red, 1).\n",
    );
    file("none.dl", "won(P) :- stone(P, 1).\n");
    let bench = |formulations: &[&str]| {
        let args = ["bench", "hex", "--position", "won.txt", "--samples", "1", "--format", "json", "--formulation"];
        ludolog(directory.path(), &[&args[..], formulations].concat()).assert()
    };
    let output = bench(&["own.dl", "reachability"]).success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("JSON on standard output");
    let of_own = report["rows"].as_array().expect("rows").iter().filter(|row| row["formulation"] == "own.dl");
    let outcomes: Vec<_> =
        of_own.map(|row| (row["engine"].as_str().unwrap(), row["outcome"].as_str().unwrap())).collect();
    assert_eq!(outcomes.iter().filter(|one| **one == ("semi-naive", "finished")).count(), 5, "{outcomes:?}");
    assert!(outcomes.contains(&("crepe", "unsupported")), "{outcomes:?}");

    let wrong = bench(&["hasty.dl"]).code(1).get_output().stderr.clone();
    let wrong = String::from_utf8(wrong).expect("text");
    assert!(wrong.contains("hasty.dl · none · semi-naive on won: says won by blue and red, but red has"), "{wrong}");
    let missing = bench(&["none.dl"]).code(2).get_output().stdout.clone();
    let missing = String::from_utf8(missing).expect("text");
    assert!(missing.contains("do not derive `win/1`") && missing.contains("std:hex/reachability.dl"), "{missing}");
    let unknown = bench(&["reachabilty"]).code(2).get_output().stdout.clone();
    assert!(String::from_utf8_lossy(&unknown).contains("the formulations are winning-sets"));
}

#[test]
fn bench_says_what_is_wrong_with_its_positions() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("ragged.txt"), "R B\nR\n").expect("a file");
    let args = ["bench", "hex", "--position", "ragged.txt", "missing.txt"];
    let output = ludolog(directory.path(), &args).assert().code(2).get_output().clone();
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(errors.contains("no file `missing.txt`") && errors.contains("ragged.txt"), "{errors}");
    assert!(!directory.path().join("ludolog-report").exists(), "nothing was measured, nothing is written");
}

#[test]
fn shipped_files_are_listed_shown_and_copied() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| ludolog(directory.path(), args).assert();
    let list = String::from_utf8(run(&["rules", "list"]).success().get_output().stdout.clone()).expect("text");
    for line in ["std:hex/reachability.dl ", "std:hex/power-set-WxH.dl ", "std:games/nim.kif ", "std:positions/p9.txt "]
    {
        assert_eq!(list.lines().filter(|other| other.starts_with(line)).count(), 1, "{line} in\n{list}");
    }
    let shown = run(&["rules", "show", "std:hex/cluster.dl"]).success().get_output().stdout.clone();
    run(&["rules", "copy", "std:hex/cluster.dl"]).success();
    let copy = directory.path().join("cluster.dl");
    assert_eq!(std::fs::read(&copy).expect("the copy"), shown);
    // The copy runs where it is, by its include of a shipped name.
    let won = ["--position", "std:positions/5x5-longest.txt"];
    run(&[&["query", "cluster.dl", "win(blue)"], &won[..]].concat()).success().stdout("yes\n");

    // So does one that is shipped beside what it includes.
    std::fs::create_dir(directory.path().join("games")).expect("a directory");
    for name in ["std:games/nim.kif", "games/connect-four.kif", "std:games/hex-4x4.kif"] {
        run(&["rules", "copy", name, "games"]).success();
        let copy = name.rsplit('/').next().expect("a file");
        run(&["check", &format!("games/{copy}")]).success();
    }

    std::fs::write(&copy, "own.").expect("a file");
    run(&["rules", "copy", "std:hex/cluster.dl"]).code(2);
    assert_eq!(std::fs::read_to_string(&copy).expect("the copy"), "own.");
    run(&["rules", "copy", "std:hex/cluster.dl", ".", "--force"]).success();
    assert_eq!(std::fs::read(&copy).expect("the copy"), shown);
    let wrong = run(&["rules", "show", "std:hex/clutser.dl"]).code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&wrong).contains("did you mean `std:hex/cluster.dl`?"));
}

#[test]
fn fmt_rewrites_what_is_sound_and_leaves_the_rest() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("good.dl"), "p(X):-q(X),not r(X). % why\n").expect("a file");
    std::fs::write(path("bad.dl"), "p(X):-q(X)\n").expect("a file");
    let formatted = "% why\np(X) :- q(X) & ~r(X).\n";

    ludolog(directory.path(), &["fmt", "--check", "good.dl"]).assert().code(1).stdout("good.dl\n");
    ludolog(directory.path(), &["fmt", "--stdout", "good.dl"]).assert().success().stdout(formatted);
    assert_eq!(std::fs::read_to_string(path("good.dl")).unwrap(), "p(X):-q(X),not r(X). % why\n");

    let output = ludolog(directory.path(), &["fmt", "good.dl", "bad.dl"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&output).contains("bad.dl:1:11"));
    assert_eq!(std::fs::read_to_string(path("good.dl")).unwrap(), formatted);
    assert_eq!(std::fs::read_to_string(path("bad.dl")).unwrap(), "p(X):-q(X)\n");
    ludolog(directory.path(), &["fmt", "--check", "good.dl"]).assert().success().stdout("");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2, "nothing is left beside the files");
    // Two spellings of one name are a warning, and no error.
    std::fs::write(path("odd.kif"), "(timeout 1)\n(<= (p ?x) (timeOut  ?x))\n").expect("a file");
    let formatted = "(timeout 1)\n\n(<= (p ?x) (timeout ?x))\n";
    ludolog(directory.path(), &["fmt", "--stdout", "odd.kif"]).assert().success().stdout(formatted);
}

#[test]
fn convert_goes_both_ways() {
    let directory = tempfile::tempdir().expect("a directory");
    let rules = "win(P) :- line(P) & ~lost(P).\n";
    std::fs::write(directory.path().join("rules.dl"), rules).expect("a file");
    let kif = "(<= (win ?p) (line ?p) (not (lost ?p)))\n";
    ludolog(directory.path(), &["convert", "rules.dl"]).assert().success().stdout(kif);
    ludolog(directory.path(), &["convert", "rules.dl", "--output", "rules.kif"]).assert().success().stdout("");
    ludolog(directory.path(), &["convert", "rules.kif"]).assert().success().stdout(rules);
    ludolog(directory.path(), &["convert", "-", "--syntax", "kif"]).write_stdin(kif).assert().success().stdout(rules);
    ludolog(directory.path(), &["convert", "-"]).write_stdin(kif).assert().code(2);
    ludolog(directory.path(), &["convert", "none.dl"]).assert().code(2);
}

#[test]
fn convert_and_fmt_quote_names_that_a_syntax_reserves() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    for (datalog, kif) in [
        ("'<='(a, b).\n", "(|<=| a b)\n"),
        ("'<='(1, 2).\n", "(|<=| 1 2)\n"),
        ("'not'(a) :- 'is'(1, 2) & 1 < 2.\n", "(<= (|not| a) (|is| 1 2) (< 1 2))\n"),
        ("'==>'(a, b) ==> ~'?-'(a).\n", "(==> (|==>| a b) (not (|?-| a)))\n"),
    ] {
        std::fs::write(path("a.dl"), datalog).expect("a file");
        ludolog(directory.path(), &["convert", "a.dl", "--output", "a.kif", "--force"]).assert().success();
        assert_eq!(std::fs::read_to_string(path("a.kif")).unwrap(), kif);
        ludolog(directory.path(), &["fmt", "--check", "a.kif", "a.dl"]).assert().success().stdout("");
        ludolog(directory.path(), &["convert", "a.kif"]).assert().success().stdout(datalog);
    }
}

#[cfg(unix)]
#[test]
fn bench_writes_what_it_has_when_it_is_interrupted() {
    let directory = tempfile::tempdir().expect("a directory");
    // The power-set as written chooses 9 of 40 stones: it does not end within any reasonable time.
    let stones = "R B R B R B R B R\n".repeat(9);
    std::fs::write(directory.path().join("many.txt"), stones).expect("a file");
    let args = ["bench", "hex", "--position", "many.txt", "--timeout", "1m"];
    let mut command = binary::process(&directory, &args);
    command.args(["--formulation", "reachability", "power-set", "--engine", "semi-naive", "--optimize", "none"]);
    command.arg("--verbose").stdout(Stdio::null());
    interrupt(&mut command, "checking power-set");
    let json = std::fs::read_to_string(directory.path().join("ludolog-report/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["rows"].as_array().unwrap().len(), 1, "reachability had been checked");
}

/// Runs a command that names its steps on standard error, with Ctrl-C at this step, and returns its standard output. The signal comes twice, as that
/// of `timeout` does.
#[cfg(unix)]
fn interrupt(command: &mut std::process::Command, step: &str) -> Vec<u8> {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut steps = BufReader::new(child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("text"));
    assert!(steps.any(|line| line.contains(step)), "{step} is never begun");
    let process = child.id().to_string();
    let signal = || std::process::Command::new("kill").args(["-INT", &process]).status().expect("kill runs");
    assert!(signal().success());
    signal();
    steps.for_each(drop);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    output.stdout
}

/// Always the same two moves; the game has no net, since its terms grow without end where the end of the game is not looked at.
const WITHOUT_NET: &str = "(role robot) (init (list nil)) (legal robot grow)
(<= (next (list (cons ?x))) (does robot grow) (true (list ?x)))
(<= terminal (true (list (cons (cons nil))))) (goal robot 100)";

#[test]
fn bench_ggp_measures_what_it_can() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    std::fs::create_dir(directory.path().join("games")).expect("a directory");
    write("games/growing.kif", WITHOUT_NET);
    write("games/notes.txt", "no rulesheet");
    write("games/unsafe.kif", "(role robot) (<= (legal robot ?x) (true ?y))");
    write("nobody.kif", "(init on) (<= terminal (true on))");
    let games = ["tic-tac-toe", "games", "nobody.kif"];
    let bench = |extra: &[&str]| {
        let args = [&["bench", "ggp"], &games[..], &["--time", "50ms"], extra].concat();
        ludolog(directory.path(), &args).assert().code(2).get_output().clone()
    };
    let output = bench(&["--format", "json", "--html", "pages/ggp.html"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON on standard output");
    assert_eq!((&report["benchmark"], &report["interrupted"]), (&"ggp".into(), &false.into()));
    let rows = report["games"].as_array().expect("games");
    let names: Vec<&str> = rows.iter().map(|row| row["game"].as_str().expect("a name")).collect();
    assert_eq!(names, ["tic-tac-toe", "growing", "unsafe", "nobody"]);
    let [tic_tac_toe, growing, wrong, nobody] = &rows[..] else { panic!("{report}") };

    let reasoners = tic_tac_toe["reasoners"].as_array().expect("reasoners");
    let played: Vec<&str> = reasoners.iter().map(|rate| rate["reasoner"].as_str().expect("a name")).collect();
    assert_eq!(played, ["interpreted", "free", "in-step", "refilled"]);
    for rate in reasoners {
        assert!(rate["playouts_per_cpu_second"].as_f64().expect("a rate") > 0.0, "{rate}");
        // From five to nine moves, and a round to begin again.
        match rate["busy"].as_f64() {
            Some(busy) => assert!((0.5..0.95).contains(&busy), "{rate}"),
            None => assert_eq!(rate["reasoner"], "interpreted"),
        }
    }
    assert!((5.0..9.0).contains(&tic_tac_toe["mean_length"].as_f64().expect("a length")), "{tic_tac_toe}");
    for size in ["ground_rules", "gates", "grounding_seconds", "net_seconds"] {
        assert!(tic_tac_toe[size].as_f64().expect(size) > 0.0, "{tic_tac_toe}");
    }
    let published: Vec<Option<f64>> =
        tic_tac_toe["published"].as_array().expect("figures").iter().map(|figure| figure["rate"].as_f64()).collect();
    assert_eq!(published, [Some(157e3), Some(3.19e6), None, Some(1260.0)]);

    assert!(growing["no_net"].as_str().expect("a reason").contains("nests more than"), "{growing}");
    let alone = growing["reasoners"].as_array().expect("reasoners");
    assert_eq!((alone.len(), &alone[0]["reasoner"], &growing["mean_length"]), (1, &"interpreted".into(), &2.0.into()));
    assert!(wrong["error"].as_str().expect("an error").contains("`?x`"), "{wrong}");
    assert!(nobody["error"].as_str().expect("an error").contains("(`role`)"), "{nobody}");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("games/unsafe.kif:1"), "{told}");

    let page = std::fs::read_to_string(directory.path().join("pages/ggp.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg class=\"plot\""), "{page}");
    assert!(page.contains("tic-tac-toe, Sancho 1.61c, published") && page.contains("measured on another machine"));
    // An icon without content is asked of nobody.
    let within = page.replace("<link rel=\"icon\" href=\"data:,\">", "");
    assert!(!within.contains("src=") && !within.contains("<link"), "the page needs nothing else");

    let text = String::from_utf8_lossy(&bench(&[]).stdout).into_owned();
    for expected in
        ["3.19M (2.32M)", "measured on other machines", "growing: no net: a term nests", "nobody: this is no game"]
    {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}

/// A directory with nothing to measure is an error, not a benchmark that passes.
#[test]
fn directories_without_anything_to_measure_are_told() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(directory.path().join("empty")).expect("a directory");
    let kinds = [
        ("bench ggp empty", "rulesheet (.kif)"),
        ("bench hex --position empty", "position (.txt)"),
        ("bench positional empty", "position (.txt)"),
    ];
    for (command, kind) in kinds {
        let words: Vec<&str> = command.split(' ').collect();
        let none = ludolog(directory.path(), &words).assert().code(2).get_output().stderr.clone();
        let told = String::from_utf8_lossy(&none);
        assert!(told.contains(&format!("empty has no {kind}")), "{command}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn bench_ggp_tells_what_it_has_when_it_is_interrupted() {
    let args = ["bench", "ggp", "std:games/nim.kif", "std:games/tic-tac-toe.kif", "--time", "10m", "--verbose"];
    let mut command = binary::process(".", &args);
    command.args(["--format", "json"]).stdout(Stdio::piped());
    let report: Value = serde_json::from_slice(&interrupt(&mut command, "nim: interpreted")).expect("JSON");
    let games = report["games"].as_array().expect("games");
    assert_eq!((&report["interrupted"], games.len(), &games[0]["game"]), (&true.into(), 1, &"nim".into()));
    assert!(games[0]["gates"].as_u64().is_some_and(|gates| gates > 0), "{report}");
}

/// An option's old word does what the new one does, and the new one is told once, where nothing else is.
#[test]
fn old_words_are_understood_and_the_new_ones_told() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("won.txt"), WON).expect("a file");
    let told = |line: &str| {
        let output = ludolog(directory.path(), &line.split(' ').collect::<Vec<_>>()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).expect("text")
    };
    for (line, old, new) in [
        ("game playouts nim --seconds 10ms", "--seconds", "--time"),
        ("game playouts nim --seconds=10ms --format json", "--seconds", "--time"),
        ("hex play 3x3 --time 1ms", "--time", "--play-clock"),
        ("match nim legal legal --replay nim.html", "--replay", "--html"),
        ("tournament nim --player legal random --play-clock 1 --directory t", "--directory", "--output"),
    ] {
        let warning = format!("warning: {old} is {new} now; the old word goes with the next release\n");
        assert_eq!(told(line), warning, "{line}");
        let new = told(&line.replace("nim.html", "nim2.html").replace(old, new));
        assert!(!new.contains("warning: --"), "{new}");
        let command: Vec<&str> = line.split(' ').take_while(|word| *word != "nim" && *word != "3x3").collect();
        let help = ludolog(directory.path(), &[&command[..], &["--help"]].concat()).output().expect("it runs").stdout;
        let is_said = |word: &str| String::from_utf8_lossy(&help).split_whitespace().any(|said| said == word);
        assert!(!is_said(old) && is_said("--help"), "{line}");
    }
    // So does the old word of a command.
    std::fs::write(directory.path().join("3x3.txt"), include_str!("files/hex-3x3.proof")).expect("a file");
    let warning =
        |old: &str, new: &str| format!("warning: {old} is {new} now; the old word goes with the next release\n");
    assert_eq!(told("hex verify 3x3.txt"), warning("hex verify", "verify"));
    assert_eq!(told("game verify nim --time 10ms"), warning("game verify", "game compare"));
    assert_eq!(told("verify 3x3.txt") + &told("game compare nim --time 10ms"), "");
    // A word that means something in one command is no old word of another.
    assert_eq!(told("hex connections 3x3 --limit 1"), "");
    assert_eq!(told("game playouts nim --time 10ms"), "");
}

/// What cannot be read tells the file, the cause and a way out.
#[test]
fn unusable_files_are_told_with_a_way_out() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("empty.kif"), "").expect("a file");
    std::fs::create_dir(directory.path().join("folder")).expect("a folder");
    for (line, told) in [
        ("test missing.dl", "cannot read missing.dl: there is no such file; check the path"),
        ("test folder", "there are no rule files (.dl, .kif, .gdl) in folder"),
        ("verify missing", "cannot read missing: there is no such file; check the path"),
        ("verify folder", "cannot read folder: it is a directory, not a file; name a file in it"),
        ("match nim random random --database missing", "cannot read missing: there is no such file; check the path"),
        ("game compare std:games/nim.kif empty.kif --time 1ms", "empty.kif: this is no game: the rules do not say who"),
        (
            "play empty.kif",
            "empty.kif: this is no game: the rules do not say who plays (`role`); state it, as in `(role red)`",
        ),
    ] {
        let output = ludolog(directory.path(), &line.split(' ').collect::<Vec<_>>()).output().expect("it runs");
        let errors = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.code() == Some(2) && errors.contains(told), "{line}: {errors}");
    }
}

/// A text with more mistakes than are told says so, and `--fix` mends them all.
#[test]
fn check_tells_that_more_is_wrong_than_it_tells() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.dl");
    let right: String = (0..1500).map(|i| format!("p({i}, X) :- q(X) & X != {i}.\n")).collect();
    let wrong = format!("q(1).\n{}", right.replace("!=", "<>"));
    std::fs::write(&file, &wrong).unwrap();
    let (status, told, errors) = binary::run(&folder, &["check", "rules.dl"], "");
    assert_eq!((status, told.as_str()), (2, "at least 1001 errors, 0 warnings\n"));
    assert!(errors.contains("error[too-many-mistakes]: there are more than 1000 mistakes in this text"));
    // The 1,001st rule stands in the line behind the fact and a thousand rules.
    assert!(errors.contains("rules.dl:1002:1"), "{}", &errors[errors.len() - 1000..]);
    let (status, told, errors) = binary::run(&folder, &["check", "--fix", "--timeout", "1us", "rules.dl"], "");
    assert_eq!((status, told.as_str(), std::fs::read_to_string(&file).unwrap()), (2, "", wrong), "{errors}");
    let (status, told, errors) = binary::run(&folder, &["check", "--fix", "rules.dl"], "");
    assert_eq!((status, told.matches("write `!=` in place of `<>`").count()), (0, 1500), "{errors}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("q(1).\n{right}"));
}

/// What may be a slip stays as it is, and is told: nothing becomes a fact, a comment, another name or another condition in silence.
#[test]
fn check_leaves_guesses_to_the_author() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("rules.dl", "fact edge(a, b).\n"),
        ("rules.dl", "p(X) :- edge(X, Y), not exists Z : q(Z).\n"),
        ("rules.dl", "; comment\nedge(1, 2).\n"),
        ("rules.dl", "-- comment\nedge(1, 2).\n"),
        ("rules.dl", "name(a, 'It''s').\n"),
        ("rules.dl", "path(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\nedge(a, b).\n"),
        ("rules.dl", "version(a, 3.14.15).\n"),
        ("rules.dl", "ip(a, 10.0.0.1).\n"),
        ("rules.dl", "e(1, )2. e(2, 3).\n"),
        ("rules.dl", "edge(a, b).\np(X, Y) :- edge(X, Z), edge(z, Y).\n"),
        ("rules.dl", "w(a, 3).\np(X) :- w(X, N), N in 3-7.\n"),
        ("rules.dl", "edge(a, b).\np(X) :- edge(X, Y), no edge(Y, d).\n"),
        ("rules.dl", "n(1).\npar(X, Y) :- n(X), Y is X % 2.\neven(X) :- par(X, 0).\n"),
        ("rules.dl", "n(1).\nhalf(X, Y) :- n(X), Y is X // 2.\neven(X) :- half(X, 0).\n"),
        ("rules.dl", "w(a, 3).\np(X, M) :- w(X, N), M is N << 2.\n"),
        ("rules.dl", "w(a, 3).\np(X, M) :- w(X, N), M is sqr(N).\n"),
        ("rules.dl", "e(1, 2). lost(3).\nwin(X) :- e(X, Y) & ~lost(Y0).\n"),
        ("rules.dl", "item(a). has(a, 1).\nnone(X) :- item(X) & ~&has(X, _).\n"),
        ("rules.dl", "edge(a, b). edgeb, c). edge(c, d).\n"),
        ("rules.dl", "name(a, 'Ann').\nlong(I) :- name(I, S) & length(S') > 3.\n"),
        ("rules.dl", "e(1, 2). e(2, 3)%. e(3, 1).\ne(4, 5).\n"),
        ("rules.dl", "w(3).\np(X) :- w(X), X > +2.\n"),
        ("rules.dl", "w(3.0).\np(X) :- w(X), X > .5.\n"),
        ("rules.dl", "edge(a, b).\n.output edge(IO=stdout)\n"),
        ("rules.dl", "p[X] :- w[X, N], N > 3.\n"),
        ("rules.dl", "lit.\nwin(1) :- lit,\nwin(0) :- ~lit.\n"),
        ("rules.kif", "(init (on 2))\n(<= lit (true (on 1))) (true (on 2)) (true (on 3)))\n"),
        ("rules.kif", "(init (at 3))\n(<= (goal robot 0))(not (true (at 3))))\n"),
        ("rules.kif", "(q 1) (r 1)\n(<= (p ?x) (q ?x) (not (r ?o)))\n"),
        ("rules.kif", "(ole p1)\n(role p2)\n(<= (win p1) (does p1 (show ?a)))\n"),
        ("rules.kif", "(role p)\n(init (pile 1))\n(<= (true (pile 0)) (true (pile 1)))\n"),
        ("rules.kif", "(q 1)\n(<= (p ?x) (q ?x) (not r (s ?x)))\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        let (_, told, errors) = binary::run(&folder, &["check", "--fix", "--no-play", "--timeout", "10s", name], "");
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), text, "{told}{errors}");
        assert!(errors.contains("error[") || errors.contains("warning["), "{text}{errors}");
    }
}

/// What has no other reading is written as it is spelled here.
#[test]
fn check_writes_other_spellings_of_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.dl");
    std::fs::write(folder.path().join("more.dl"), "edge(c, d).\n").unwrap();
    for (wrong, right) in [
        ("#include \"more.dl\"\nedge(a, b).\n", ":- include('more.dl').\nedge(a, b).\n"),
        (".include \"more.dl\"\nedge(a, b).\n", ":- include('more.dl').\nedge(a, b).\n"),
        ("edge(a, b).\n.output edge\n", "edge(a, b).\n:- output(edge).\n"),
        ("name(\u{2018}Ann Lee\u{2019}).\n", "name('Ann Lee').\n"),
        ("q(1). r(2).\np(X) :- q(X) AND NOT r(X).\n", "q(1). r(2).\np(X) :- q(X) & ~ r(X).\n"),
        ("q(1).\np(?x) :- q(?x)", "q(1).\np(X) :- q(X)."),
    ] {
        std::fs::write(&file, wrong).unwrap();
        let (status, told, errors) = binary::run(&folder, &["check", "--fix", "--no-play", "rules.dl"], "");
        assert_eq!((status, std::fs::read_to_string(&file).unwrap().as_str()), (0, right), "{told}{errors}");
    }
}

/// What is certain is changed and shown, what is left decides about the exit status, and `--stdout` leaves the file.
#[test]
fn check_makes_the_changes_that_it_proposes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.dl");
    let text = "path(X, Y) :- egde(X, Y) && X <> Y.\nedge(a, b).\nalone(X) :- edge(_, _).\n";
    std::fs::write(&file, text).unwrap();
    let shown = "rules.dl:1: write `&` in place of `&&`\n  - path(X, Y) :- egde(X, Y) && X <> Y.\n  + path(X, Y) :- egde(X, Y) & X <> Y.\n";
    let (status, told, _) = binary::run(&folder, &["check", "--fix", "--stdout", "rules.dl"], "");
    assert!(told.contains(shown), "{told}");
    // The head of the last rule has a variable that nothing binds: where it comes from is for the author to say.
    assert_eq!((status, std::fs::read_to_string(&file).unwrap().as_str()), (2, text));
    let (status, _, errors) = binary::run(&folder, &["check", "--fix", "rules.dl"], "");
    assert_eq!((status, errors.matches("error[").count()), (2, 1), "{errors}");
    let readable = text.replace("&&", "&").replace("<>", "!=");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), readable);
    // Names are judged where there is no error.
    let sound = readable.replace("alone(X)", "alone");
    std::fs::write(&file, &sound).unwrap();
    let (status, told, errors) = binary::run(&folder, &["check", "--fix", "rules.dl"], "");
    assert_eq!((status, told.as_str()), (0, "3 clauses: 0 errors, 1 warning\n"));
    let left =
        "1 proposal left to you, since something else may be meant:\n  rules.dl:1: write `edge` in place of `egde`\n";
    assert!(errors.ends_with(left), "{errors}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), sound);
    // Where they are not made, changes are told, and JSON has them.
    std::fs::write(&file, text.replace("&& X <> Y", "& X <> Y")).unwrap();
    let (status, _, errors) = binary::run(&folder, &["check", "rules.dl"], "");
    assert!(status == 2 && errors.ends_with("\n`ludolog check --fix` has changes for 1 of them\n"), "{errors}");
    let (_, told, _) = binary::run(&folder, &["check", "--format", "json", "rules.dl"], "");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let edit = serde_json::json!({
        "file": "rules.dl", "line": 1, "column": 30, "end_line": 1, "end_column": 32, "start": 29, "end": 31, "text": "!="
    });
    let fix = serde_json::json!({ "title": "write `!=` in place of `<>`", "certain": true, "example": false, "edits": [edit] });
    assert_eq!(told[0]["fixes"], serde_json::json!([fix]));
    let (status, _, told) = binary::run(&folder, &["check", "--fix", "-"], "");
    assert_eq!((status, told.contains("standard input")), (2, true), "{told}");
}

/// What a converted file names is what the file itself named, wherever the result is.
#[test]
fn a_converted_file_includes_what_it_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write(
        "sub/a.dl",
        ":- include('lib.dl').\n:- use('../up.dl', r = s).\n:- input(w, 'data/t.csv').\np(X) :- q(X).\np(X) :- s(X).\np(X) :- w(X).\n",
    );
    write("sub/lib.dl", "q(1).\n");
    write("up.dl", "r(2).\n");
    write("sub/data/t.csv", "3\n");
    write("out/kept", "");
    let told = |args: &[&str]| {
        let (code, out, errors) = binary::run(&directory, args, "");
        assert_eq!((code, &*errors), (0, ""), "{args:?}");
        out
    };
    assert_eq!(told(&["facts", "sub/a.dl", "--predicate", "p/1"]), "p(1).\np(2).\np(3).\n");
    for (output, named) in [
        ("out/a.kif", ["../sub/lib.dl", "../up.dl", "../sub/data/t.csv"]),
        ("a.kif", ["sub/lib.dl", "up.dl", "sub/data/t.csv"]),
        ("sub/a.kif", ["lib.dl", "../up.dl", "data/t.csv"]),
    ] {
        told(&["convert", "sub/a.dl", "-o", output]);
        let text = std::fs::read_to_string(directory.path().join(output)).expect("the file");
        assert!(named.iter().all(|path| text.contains(&format!("\"{path}\""))), "{output}: {text}");
        assert_eq!(told(&["facts", output, "--predicate", "p/1"]), "(p 1)\n(p 2)\n(p 3)\n", "{output}");
    }
    // Nothing says where standard output goes.
    assert!(told(&["convert", "sub/a.dl"]).contains("(include \"lib.dl\")"));
    // What comes with Ludolog is named so that it is found from everywhere.
    told(&["convert", "std:games/nim.kif", "-o", "out/nim.dl"]);
    let moves = |game: &str| told(&["game", "perft", game, "--depth", "2"]);
    assert_eq!(
        moves("out/nim.dl").lines().skip(1).collect::<Vec<_>>(),
        moves("nim").lines().skip(1).collect::<Vec<_>>()
    );
    let shown = told(&["rules", "show", "std:games/nim.kif"]);
    write("shown.kif", &shown);
    assert!(shown.contains("(include \"std:lib/nim.kif\")"), "{shown}");
    told(&["check", "shown.kif"]);
}

#[test]
fn copies_make_their_folder() {
    let directory = tempfile::tempdir().expect("a directory");
    for (command, name, copy) in
        [("games", "nim", "new/games/nim.kif"), ("rules", "std:hex/cluster.dl", "new/rules/cluster.dl")]
    {
        let folder = format!("new/{command}");
        let (code, _, errors) = binary::run(&directory, &[command, "copy", name, &folder], "");
        assert_eq!((code, &*errors), (0, ""), "{command}");
        assert!(directory.path().join(copy).exists(), "{copy}");
    }
}

#[test]
fn arguments_are_refused_with_what_is_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("w.dl"), "edge(1, 2).\npath(X, Y) :- edge(X, Y).\n").expect("a file");
    let refused = |args: &[&str]| {
        let (code, out, errors) = binary::run(&directory, args, "");
        assert_eq!((code, &*out), (2, ""), "{args:?}");
        errors
    };
    for args in [
        &["query", "w.dl", "path(X, Y)", "edge(X, Y)"][..],
        &["query", "path(X, Y)", "w.dl"],
        &["why", "w.dl", "path(X, Y)", "edge(1, 2)"],
        &["plan", "w.dl", "path(X, Y)", "edge(1, 2)"],
    ] {
        let errors = refused(args);
        assert!(errors.contains("`path(X, Y)` is no file: one goal stands behind the files"), "{args:?}: {errors}");
    }
    for threads in ["0", "1000"] {
        let errors = refused(&["facts", "w.dl", "--threads", threads]);
        assert!(errors.contains("a number from 1 to 255 is needed"), "{errors}");
    }
    let (code, help, _) = binary::run(&directory, &["query", "--help"], "");
    assert!(code == 0 && help.contains("ludolog query [OPTIONS] <FILE>... [GOAL]\n"), "{help}");
}
