//! Queries on the command line: output, exit status, and the messages for bad input.

use crate::binary;
use std::path::Path;
use std::process::Output;

fn ludolog<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    binary::ludolog(".", args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A directory with these files.
fn files(list: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in list {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn path(directory: &tempfile::TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

const FAMILY: &str = "parent(ann, bob).
parent(bob, cid).
parent(bob, dan).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y) & ancestor(Y, Z).
?- ancestor(ann, X).
";

/// Red has connected top and bottom: a1, a2, b2, b3.
const RED_WON: &str = "R B .\n R R B\n  B R .\n";

/// The formulations that decide any position, with the engines that can run them.
const FORMULATIONS: [(&str, &[&str]); 4] = [
    ("reachability", &["semi-naive", "crepe"]),
    ("connected", &["semi-naive", "crepe"]),
    ("cluster", &["semi-naive", "resolution", "crepe"]),
    ("follow-the-line", &["semi-naive", "resolution", "crepe"]),
];

#[test]
fn query_answers_by_exit_status() {
    let dir = files(&[("family.dl", FAMILY)]);
    let file = path(&dir, "family.dl");
    for engine in ["semi-naive", "resolution"] {
        let yes = ludolog(&["query", &file, "ancestor(ann, cid)", "--engine", engine]);
        assert_eq!((code(&yes), stdout(&yes).as_str()), (0, "yes\n"));
        let no = ludolog(&["query", &file, "ancestor(cid, ann)", "--engine", engine]);
        assert_eq!((code(&no), stdout(&no).as_str()), (1, "no\n"));
    }
    let wrong = ludolog(&["query", &file, "ancester(ann, X)"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("did you mean `ancestor/2`?"), "{}", stderr(&wrong));
    let wrong = ludolog(&["query", &file, "ancestor(ann)"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("arity-mismatch"), "{}", stderr(&wrong));
}

#[test]
fn query_formats() {
    let dir = files(&[("family.dl", FAMILY)]);
    let file = path(&dir, "family.dl");
    let csv = ludolog(&["query", &file, "ancestor(X, dan)", "--format", "csv"]);
    assert_eq!(stdout(&csv), "X\nann\nbob\n");
    let json = ludolog(&["query", &file, "ancestor(X, dan)", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json[0]["answers"], serde_json::json!([{ "X": "ann" }, { "X": "bob" }]));
    let first = ludolog(&["query", &file, "ancestor(ann, X)", "--format", "csv", "--first"]);
    assert_eq!(stdout(&first).lines().count(), 2);
    // Without a goal, the file's own query: ann is an ancestor of all three.
    let own = ludolog(&["query", &file]);
    assert!(stdout(&own).contains("3 answers"), "{}", stdout(&own));
}

/// Integers come before symbols before compounds, whatever their size, and each format has its own spelling of them.
#[test]
fn answers_of_all_kinds_in_every_format() {
    let dir = files(&[("p.dl", "p(b, 2). p(1, f(b, [1])). p(1, a). p(-9000000000, 'Two Words'). p(1, '1').")]);
    for engine in ["semi-naive", "resolution"] {
        let ask = |format: &str| {
            stdout(&ludolog(&["query", &path(&dir, "p.dl"), "p(X, Y)", "--engine", engine, "--format", format]))
        };
        let table = "X            Y
──────────────────────────
-9000000000  'Two Words'
1            '1'
1            a
1            f(b, [1])
b            2
5 answers
";
        assert_eq!(ask("text"), table);
        assert_eq!(ask("csv"), "X,Y\n-9000000000,'Two Words'\n1,'1'\n1,a\n1,\"f(b, [1])\"\nb,2\n");
        let json: serde_json::Value = serde_json::from_str(&ask("json")).unwrap();
        let answers = serde_json::json!([
            { "X": -9_000_000_000_i64, "Y": "Two Words" },
            { "X": 1, "Y": "1" },
            { "X": 1, "Y": "a" },
            { "X": 1, "Y": "f(b, [1])" },
            { "X": "b", "Y": 2 },
        ]);
        assert_eq!(json[0]["answers"], answers);
        assert_eq!(ask("tsv"), "X\tY\n-9000000000\t'Two Words'\n1\t'1'\n1\ta\n1\tf(b, [1])\nb\t2\n");
        let lines = ask("jsonl");
        let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(serde_json::Value::from(lines), answers);
        assert_eq!(ask("dl"), "p(-9000000000, 'Two Words').\np(1, '1').\np(1, a).\np(1, f(b, [1])).\np(b, 2).\n");
        let kif = "(p -9000000000 |Two Words|)\n(p 1 |1|)\n(p 1 a)\n(p 1 (f b (cons 1 nil)))\n(p b 2)\n";
        assert_eq!(ask("kif"), kif);
    }
}

/// What is printed as statements is a rule file with the same answers; what is no statement is refused.
#[test]
fn answers_as_statements_are_read_back() {
    let dir = files(&[("move.dl", "move(a, a). move(b, c). win(X, f(X)) :- move(X, Y), ~win(Y, f(Y)).")]);
    let file = path(&dir, "move.dl");
    let ask = |goal: &str, format: &str| ludolog(&["query", &file, goal, "--format", format]);
    for (syntax, goal, answers) in [("dl", "win(X, Y)", "X\tY\nb\tf(b)\n"), ("kif", "(win ?x ?y)", "x\ty\nb\t(f b)\n")]
    {
        let statements = stdout(&ask("win(b, X)", syntax));
        let again = path(&dir, &format!("again.{syntax}"));
        std::fs::write(&again, statements).unwrap();
        assert_eq!(stdout(&ludolog(&["query", &again, goal, "--format", "tsv"])), answers);
    }
    // One answer is undefined.
    assert_eq!(stdout(&ask("win(X, Y)", "tsv")), "X\tY\ttruth value\nb\tf(b)\ttrue\na\tf(a)\tundefined\n");
    let lines = "{\"X\":\"b\",\"truth value\":\"true\"}\n{\"X\":\"a\",\"truth value\":\"undefined\"}\n";
    assert_eq!(stdout(&ask("win(X, _)", "jsonl")), lines);
    assert_eq!(stdout(&ask("move(b, c)", "dl")), "move(b, c).\n");
    for goal in ["move(X, Y), move(Y, Z)", "move(X, _)"] {
        let refused = ask(goal, "dl");
        assert_eq!((code(&refused), stdout(&refused).as_str()), (2, ""), "{goal}");
        assert!(
            stderr(&refused).contains("are no statements: ") && stderr(&refused).contains("--format tsv"),
            "{goal}"
        );
    }
}

#[test]
fn query_works_the_same_on_kif() {
    let kif = "(edge a b) (edge b c)
        (<= (path ?x ?y) (edge ?x ?y))
        (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))";
    let dir = files(&[("graph.kif", kif)]);
    let answers = ludolog(&["query", &path(&dir, "graph.kif"), "(path a ?x)", "--format", "csv"]);
    assert_eq!((code(&answers), stdout(&answers).as_str()), (0, "x\nb\nc\n"));
}

#[test]
fn every_formulation_finds_the_winner() {
    let dir = files(&[("won.txt", RED_WON)]);
    let position = path(&dir, "won.txt");
    for (formulation, engines) in FORMULATIONS {
        let rules = format!("rules/hex/{formulation}.dl");
        for engine in engines {
            for optimization in ["none", "grounding", "reordering", "both", "auto"] {
                let options = ["--position", &position, "--engine", engine, "--optimize", optimization];
                let red = ludolog(&[&["query", &rules, "win(red)"], &options[..]].concat());
                assert_eq!(stdout(&red), "yes\n", "{formulation} {engine} {optimization}: {}", stderr(&red));
                let blue = ludolog(&[&["query", &rules, "win(blue)"], &options[..]].concat());
                assert_eq!((code(&blue), stdout(&blue).as_str()), (1, "no\n"), "{formulation} {engine} {optimization}");
            }
        }
    }
}

#[test]
fn a_program_that_an_engine_cannot_run_has_no_answer() {
    let output = ludolog(&["query", "rules/hex/cluster.dl", "win(P)", "--engine", "crepe"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert!(stderr(&output).contains("--position"), "{}", stderr(&output));
}

#[test]
fn facts_are_the_same_from_every_engine() {
    let dir = files(&[("family.dl", FAMILY), ("won.txt", RED_WON)]);
    let expected =
        "ancestor(ann, bob).\nancestor(ann, cid).\nancestor(ann, dan).\nancestor(bob, cid).\nancestor(bob, dan).\n";
    for engine in ["semi-naive", "resolution"] {
        let facts = ludolog(&["facts", &path(&dir, "family.dl"), "--engine", engine]);
        assert_eq!(stdout(&facts), expected, "{engine}");
        let clusters = ludolog(&[
            "facts",
            "rules/hex/cluster.dl",
            "--position",
            &path(&dir, "won.txt"),
            "--predicate",
            "cluster/3",
            "--engine",
            engine,
        ]);
        // The last red stone, 8, has merged the clusters of 1, 4 and 5; no two blue stones touch.
        let expected = "cluster(blue, 2, 2).\ncluster(blue, 6, 6).\ncluster(blue, 7, 7).\n\
            cluster(red, 8, 1).\ncluster(red, 8, 4).\ncluster(red, 8, 5).\ncluster(red, 8, 8).\n";
        assert_eq!(stdout(&clusters), expected, "{engine}");
    }
}

#[test]
fn predicates_that_nothing_mentions_are_errors() {
    let dir = files(&[("path.dl", "path(X, Y) :- edge(X, Y).\n"), ("hop.tsv", "1\t2\n")]);
    let [rules, table] = ["path.dl", "hop.tsv"].map(|name| path(&dir, name));
    for (predicate, told) in [
        ("pth/2", Some("did you mean `path/2`?")),
        ("path/3", Some("`path` has 2 arguments, not 3")),
        ("zebra/1", Some("there is no predicate `zebra/1`")),
        ("edge/2", None),
        ("hop/2", None),
    ] {
        for command in ["facts", "watch"] {
            let output = ludolog(&[command, &rules, "--facts", &table, "--predicate", predicate]);
            assert_eq!(code(&output), if told.is_some() { 2 } else { 0 }, "{command} {predicate}");
            assert!(stderr(&output).contains(told.unwrap_or_default()), "{command}: {}", stderr(&output));
        }
    }
}

#[test]
fn facts_from_tables() {
    let rules = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n";
    let dir = files(&[("path.dl", rules), ("edge.tsv", "1\t2\n2\t3\n"), ("bad.csv", "1,2\n3\n")]);
    let facts = ludolog(&["facts", &path(&dir, "path.dl"), "--facts", &path(&dir, "edge.tsv")]);
    assert_eq!(stdout(&facts), "path(1, 2).\npath(1, 3).\npath(2, 3).\n");
    let ragged = ludolog(&["facts", &path(&dir, "path.dl"), "--facts", &path(&dir, "bad.csv")]);
    assert_eq!(code(&ragged), 2);
    assert!(stderr(&ragged).contains("bad.csv:2"), "{}", stderr(&ragged));
}

#[test]
fn why_shows_the_derivation_and_the_chain() {
    let dir = files(&[("won.txt", RED_WON)]);
    let why = ludolog(&["why", "rules/hex/reachability.dl", "win(P)", "--position", &path(&dir, "won.txt")]);
    insta::assert_snapshot!(stdout(&why));
    let not = ludolog(&["why", "rules/hex/reachability.dl", "win(blue)", "--position", &path(&dir, "won.txt")]);
    assert_eq!((code(&not), stdout(&not).as_str()), (1, "win(blue) does not hold\n"));
}

#[test]
fn why_ends_on_given_facts_also_in_a_cycle() {
    let cycle = "e(1, 2). e(2, 1).\np(X, Y) :- e(X, Y).\np(X, Z) :- p(X, Y) & p(Y, Z).\n";
    let dir = files(&[("cycle.dl", cycle)]);
    let why = ludolog(&["why", &path(&dir, "cycle.dl"), "p(1, 1)", "--format", "json"]);
    let why: serde_json::Value = serde_json::from_slice(&why.stdout).unwrap();
    let steps = why["steps"].as_array().unwrap();
    assert_eq!(steps[0]["fact"], "p(1, 1)");
    // p(1, 1) is derived from p(1, 2) and p(2, 1), those from the two edges: no step depends on itself.
    let facts: Vec<&str> = steps.iter().map(|step| step["fact"].as_str().unwrap()).collect();
    assert_eq!(facts, ["p(1, 1)", "p(1, 2)", "p(2, 1)", "e(1, 2)", "e(2, 1)"]);
}

#[test]
fn a_game_is_asked_in_a_state() {
    let nim = "std:games/nim.kif";
    let ask = |goal: &str, extra: &[&str]| ludolog(&[&["query", nim, goal, "--format", "csv"], extra].concat());
    // Without a state nothing is true, so nothing is legal; that is said.
    let stateless = ask("(true (turn ?r))", &[]);
    assert_eq!((code(&stateless), stdout(&stateless).as_str()), (1, "r\n"));
    assert!(stderr(&stateless).contains("--state init"), "{}", stderr(&stateless));
    // What does not depend on the state is answered without a word.
    let constant = ask("(role ?r)", &[]);
    assert_eq!((stdout(&constant).as_str(), stderr(&constant).as_str()), ("r\nfirst\nsecond\n", ""));

    let initial = ask("(true (turn ?r))", &["--state", "init"]);
    assert_eq!((code(&initial), stdout(&initial).as_str(), stderr(&initial).as_str()), (0, "r\nfirst\n", ""));
    // The state is the one that `game show` plays to.
    let moves = ["--move", "(take 5 large) wait"];
    let shown = ludolog(&[&["game", "show", nim, "--format", "json"], &moves[..]].concat());
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    let after = ludolog(&[&["facts", nim, "--predicate", "true/1", "--state", "init"], &moves[..]].concat());
    let facts: Vec<String> =
        shown["facts"].as_array().unwrap().iter().map(|fact| format!("(true {})\n", fact.as_str().unwrap())).collect();
    assert!(!facts.is_empty(), "{shown}");
    assert_eq!(stdout(&after), facts.concat(), "{}", stderr(&after));

    let illegal = ask("(role ?r)", &["--state", "init", "--move", "wait wait"]);
    assert!(code(&illegal) == 2 && stderr(&illegal).contains("not legal"), "{}", stderr(&illegal));
    assert_eq!(code(&ask("(role ?r)", &moves)), 2, "moves begin in a state");
    let no_game = ludolog(&["query", "std:datalog/transitive-closure.dl", "path(X, Y)", "--state", "init"]);
    assert!(code(&no_game) == 2 && stderr(&no_game).contains("no game"), "{}", stderr(&no_game));
}

/// Whoever presses alone opens the door; nobody enters while it is shut.
const DOOR: &str = "(role ann) (role bob) (init shut)
(<= (legal ?r press) (role ?r))
(<= (legal ?r rest) (role ?r))
(<= (presses-alone ?r) (does ?r press) (does ?s rest))
(<= (next (open ?r)) (true shut) (presses-alone ?r))
(<= (next shut) (true shut) (does ann ?x) (does bob ?x))
(<= terminal (not (true shut)))
(<= (goal ?r 100) (true (open ?r)))
(<= (goal ?r 0) (role ?r) (not (true (open ?r))))
";

#[test]
fn a_game_explains_what_holds_after_moves() {
    let explain = |game: &str, extra: &[&str]| ludolog(&[&["game", "explain", game], extra].concat());
    let tic_tac_toe = "std:games/tic-tac-toe.kif";
    let corner = ["--move", "(put 1 1) wait"];
    let ask = |goal: &str, extra: &[&str]| explain(tic_tac_toe, &[&corner[..], &[goal], extra].concat());
    // Nought is to move, and every cell but the corner is free; either spelling asks.
    let derivation = "(legal nought (put 3 2))    std:games/tic-tac-toe.kif:22
├─ (cell 3 2)    std:games/tic-tac-toe.kif:11
│  ├─ (index 3)
│  └─ (index 2)
├─ (true (turn nought))
└─ (not (marked 3 2))
";
    for goal in ["(legal nought (put 3 2))", "legal nought (put 3 2)", "legal(nought, put(3, 2))"] {
        let legal = ask(goal, &[]);
        assert_eq!((code(&legal), stdout(&legal).as_str(), stderr(&legal).as_str()), (0, derivation, ""));
    }
    let instance = ask("legal nought (put 3 ?y)", &[]);
    assert_eq!(code(&instance), 0);
    assert!(stdout(&instance).starts_with("(legal nought (put 3 1))    std:"), "{}", stdout(&instance));
    let taken = ask("(legal nought (put 1 1))", &[]);
    assert_eq!(code(&taken), 1);
    assert!(stdout(&taken).ends_with("   └─ ✗ (not (marked 1 1))    (marked 1 1) holds\n"), "{}", stdout(&taken));
    // Three in a line: the end, by the third of the rules for a line.
    let line = ["--move", "wait (put 2 1)", "--move", "(put 2 2) wait", "--move", "wait (put 3 1)"];
    let last = ["--move", "(put 3 3) wait", "terminal", "--format", "json"];
    let end = explain(tic_tac_toe, &[&corner[..], &line, &last].concat());
    let end: serde_json::Value = serde_json::from_slice(&end.stdout).unwrap();
    let steps = |document: &serde_json::Value| -> Vec<String> {
        document["steps"].as_array().unwrap().iter().map(|step| step["fact"].as_str().unwrap().to_owned()).collect()
    };
    let marks = ["(true (mark 1 1 cross))", "(true (mark 2 2 cross))", "(true (mark 3 3 cross))"];
    assert_eq!(steps(&end)[..3], ["terminal", "somebody-won", "(line cross)"], "{end}");
    let mut given = steps(&end)[3..].to_vec();
    given.sort();
    assert_eq!(
        (given, &end["holds"], &end["denials"]),
        (marks.map(String::from).to_vec(), &true.into(), &serde_json::json!([]))
    );

    let dir = files(&[("door.kif", DOOR)]);
    let door = path(&dir, "door.kif");
    let ask = |goal: &str, extra: &[&str]| explain(&door, &[&[goal], extra].concat());
    // What comes next depends on a joint move: without one, that is said.
    let idle = ask("(next (open bob))", &[]);
    assert_eq!(code(&idle), 1);
    assert!(stderr(&idle).contains("--does"), "{}", stderr(&idle));
    let opens = ask("(next (open ?who))", &["--does", "rest press", "--format", "json"]);
    let opens: serde_json::Value = serde_json::from_slice(&opens.stdout).unwrap();
    let facts: std::collections::BTreeSet<String> = steps(&opens).into_iter().collect();
    let expected = ["(next (open bob))", "(presses-alone bob)", "(does ann rest)", "(does bob press)", "(true shut)"];
    assert_eq!(facts, expected.map(String::from).into(), "{opens}");
    let both = ask("(next (open ?who))", &["--does", "press press", "--depth", "2", "--format", "json"]);
    assert_eq!(code(&both), 1);
    let both: serde_json::Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!((&both["holds"], &both["denials"][0]["rules"][0]["line"]), (&false.into(), &5.into()));
    let last = both["denials"].as_array().unwrap().last().unwrap();
    assert_eq!(last["atom"], "(does ?s rest)", "{both}");
    // After bob has pressed alone the game is over, by a fact that is not there.
    let over = ["--move", "rest press"];
    assert_eq!(code(&ask("terminal", &over)), 0);
    assert_eq!(code(&ask("terminal", &[])), 1);
    assert_eq!(code(&ask("(goal bob 100)", &over)), 0);
    assert_eq!(code(&ask("(goal ann 100)", &over)), 1);
    let queried =
        ludolog(&["query", &door, "(next ?x)", "--state", "init", "--does", "press press", "--format", "csv"]);
    assert_eq!(stdout(&queried), "x\nshut\n");
    for (wrong, message) in [
        (&["terminal", "--move", "rest press", "--does", "rest rest"][..], "the game is over after 1 joint move"),
        (&["terminal", "--does", "rest sleep"], "`sleep` is not legal for bob"),
        (&["(opened ?who)"], "there is no predicate `opened/1`"),
        (&["(true shut) terminal"], "only a single fact can be explained"),
    ] {
        let refused = ask(wrong[0], &wrong[1..]);
        assert!(code(&refused) == 2 && stderr(&refused).contains(message), "{}", stderr(&refused));
    }
}

#[test]
fn snapshots_are_proposed_accepted_and_held() {
    let dir = files(&[("family.dl", FAMILY)]);
    let test = |extra: &[&str]| ludolog(&[&["test", &dir.path().display().to_string()], extra].concat());
    let missing = test(&[]);
    assert_eq!(code(&missing), 1, "{}", stdout(&missing));
    assert!(Path::new(&path(&dir, "snapshots/family.dl.snap.new")).exists());
    assert_eq!(code(&test(&["--accept"])), 0);
    assert!(!Path::new(&path(&dir, "snapshots/family.dl.snap.new")).exists());
    for engine in ["semi-naive", "resolution"] {
        assert_eq!(stdout(&test(&["--engine", engine])), "1 passed, 0 failed\n");
    }
    // The file has insta's format: insta itself compares with it.
    insta::with_settings!({ snapshot_path => dir.path().join("snapshots"), prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("family.dl", stdout(&ludolog(&["facts", &path(&dir, "family.dl")])));
    });
    std::fs::write(dir.path().join("family.dl"), FAMILY.replace("dan", "eva")).unwrap();
    let changed = test(&[]);
    assert_eq!(code(&changed), 1);
    let text = stdout(&changed);
    assert!(text.contains("- ancestor(ann, dan).") && text.contains("+ ancestor(ann, eva)."), "{text}");
}

/// The snapshots of a folder with family.dl, written, and then two facts changed.
fn outdated() -> tempfile::TempDir {
    let dir = files(&[("family.dl", FAMILY)]);
    assert_eq!(code(&ludolog(&["test", &dir.path().display().to_string(), "--accept"])), 0);
    std::fs::write(dir.path().join("family.dl"), FAMILY.replace("dan", "eva")).unwrap();
    dir
}

fn snapshot_of(dir: &tempfile::TempDir) -> String {
    std::fs::read_to_string(path(dir, "snapshots/family.dl.snap")).unwrap()
}

#[test]
fn snapshots_are_reviewed_one_by_one() {
    let review = |dir: &tempfile::TempDir, answers: &str| {
        let mut command = binary::ludolog(".", &["test", &dir.path().display().to_string(), "--review"]);
        command.write_stdin(answers.to_owned()).output().unwrap()
    };
    let proposal = |dir: &tempfile::TempDir| Path::new(&path(dir, "snapshots/family.dl.snap.new")).exists();
    let dir = outdated();
    let before = snapshot_of(&dir);
    for (answers, proposed) in [("r\n", false), ("s\n", true), ("q\n", true), ("", true), ("what?\nr\n", false)] {
        let output = review(&dir, answers);
        let text = stdout(&output);
        assert_eq!((code(&output), proposal(&dir)), (1, proposed), "{answers:?}: {text}");
        assert!(text.contains("- ancestor(ann, dan).") && text.contains("+ ancestor(ann, eva)."), "{text}");
        assert_eq!(snapshot_of(&dir), before, "{answers:?}");
    }
    let accepted = review(&dir, "a\n");
    assert_eq!((code(&accepted), proposal(&dir)), (0, false), "{}", stdout(&accepted));
    assert!(snapshot_of(&dir).contains("ancestor(ann, eva)."));
    assert_eq!(stdout(&review(&dir, "")), "1 passed, 0 failed\n");
}

#[test]
fn nothing_is_written_in_continuous_integration() {
    let dir = outdated();
    let ci = |extra: &[&str]| {
        let mut command = binary::ludolog(".", &["test"]);
        command.env("CI", "true").arg(dir.path()).args(extra).output().unwrap()
    };
    let before = snapshot_of(&dir);
    assert_eq!(code(&ci(&[])), 1);
    for refused in [ci(&["--accept"]), ci(&["--review"])] {
        assert!(code(&refused) == 2 && stderr(&refused).contains("CI"), "{}", stderr(&refused));
    }
    assert_eq!(snapshot_of(&dir), before);
    assert_eq!(std::fs::read_dir(dir.path().join("snapshots")).unwrap().count(), 1, "nothing is proposed");
}

#[test]
fn damaged_and_stale_snapshots_are_told() {
    let dir = outdated();
    let snapshots = dir.path().join("snapshots");
    let test = |extra: &[&str]| ludolog(&[&["test", &dir.path().display().to_string()], extra].concat());
    std::fs::rename(snapshots.join("family.dl.snap"), snapshots.join("gone.dl@p9.snap")).unwrap();
    std::fs::write(snapshots.join("family.dl.snap"), "---\nsource: x\nancestor(ann, bob).\n").unwrap();
    // Snapshots of other tests in the same folder are none of ours.
    let foreign = "---\nsource: tests/other.rs\nexpression: text\n---\nx\n";
    std::fs::write(snapshots.join("other.snap"), foreign).unwrap();

    let told = test(&[]);
    let text = stdout(&told);
    assert_eq!(code(&told), 1, "{text}");
    assert!(text.contains("family.dl.snap is damaged: no second `---` ends the header"), "{text}");
    assert!(text.contains("gone.dl@p9.snap: stale, there is no gone.dl any more"), "{text}");
    assert!(text.contains("0 passed, 1 failed, 1 stale"), "{text}");

    let json = test(&["--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&report["passed"], &report["failed"], &report["stale"]), (&0.into(), &1.into(), &1.into()));
    let verdicts: Vec<&str> =
        report["snapshots"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["damaged", "stale"]);
    assert_eq!(report["snapshots"][0]["reason"], "no second `---` ends the header");

    assert_eq!(code(&test(&["--accept"])), 0);
    assert_eq!(stdout(&test(&[])), "1 passed, 0 failed\n");
    assert!(!snapshots.join("gone.dl@p9.snap").exists() && snapshots.join("other.snap").exists());
}

#[test]
fn differences_as_json() {
    let dir = outdated();
    std::fs::write(dir.path().join("wrong.dl"), "p(X) :- q(Y).\n").unwrap();
    let output = ludolog(&["test", &dir.path().display().to_string(), "--format", "json"]);
    assert_eq!(code(&output), 2, "a file could not be run");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let [family, wrong] = &report["snapshots"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(family["verdict"], "different");
    assert_eq!(family["missing"], serde_json::json!(["ancestor(ann, dan).", "ancestor(bob, dan)."]));
    assert_eq!(family["added"], serde_json::json!(["ancestor(ann, eva).", "ancestor(bob, eva)."]));
    assert_eq!(wrong["verdict"], "error");
    assert!(wrong["reason"].to_string().contains("unsafe-variable"), "{wrong}");
}

#[test]
fn limits_stop_with_what_there_is() {
    let dir = files(&[("count.dl", "n(0).\nn(Y) :- n(X) & X < 1000000 & Y is X + 1.\n")]);
    let file = path(&dir, "count.dl");
    let stopped = ludolog(&["query", &file, "n(X)", "--max-facts", "1000", "--optimize", "none", "--format", "csv"]);
    assert_eq!(code(&stopped), 2);
    assert!(stderr(&stopped).contains("limit of 1000 facts"), "{}", stderr(&stopped));
    // A thousand numbers have a thousand million triples, none of which is an answer, and no sum of two tells which third one might be.
    let numbers: String = (0..1000).map(|n| format!("n({n}). ")).collect();
    let slow = numbers + "big(A, B, C) :- n(A) & n(B) & n(C) & (A + B + C) mod 5000 =:= 4999.";
    std::fs::write(dir.path().join("slow.dl"), slow).unwrap();
    for engine in ["semi-naive", "resolution"] {
        let options = ["--timeout", "300ms", "--optimize", "none", "--engine", engine];
        let stopped = ludolog(&[&["query", &path(&dir, "slow.dl"), "big(X, Y, Z)"], &options[..]].concat());
        assert_eq!(code(&stopped), 2);
        assert!(stderr(&stopped).contains("did not finish in 0.3 s"), "{engine}: {}", stderr(&stopped));
        // Of the ways out only those are told that may lead out.
        assert!(stderr(&stopped).contains("--optimize auto"), "{engine}: {}", stderr(&stopped));
        let options = ["--timeout", "300ms", "--engine", engine];
        let stopped = ludolog(&[&["query", &path(&dir, "slow.dl"), "big(X, Y, Z)"], &options[..]].concat());
        assert!(!stderr(&stopped).contains("--optimize"), "{engine}: {}", stderr(&stopped));
    }
}

#[test]
fn bad_files_get_a_message_each() {
    let dir = files(&[
        ("unsafe.dl", "p(X, Y) :- q(X).\n"),
        ("cycle.dl", "p(N) :- N = count { X : p(X) }.\n"),
        ("grows.dl", "p(a).\np(f(X)) :- p(X).\n"),
        ("two.txt", "R X\nB R\n"),
        ("plain", "p(1).\n"),
    ]);
    std::fs::write(dir.path().join("binary.dl"), [0u8, 159, 146, 150]).unwrap();
    std::fs::write(dir.path().join("latin.dl"), b"p(\"caf\xe9\").\n").unwrap();
    std::fs::create_dir(dir.path().join("folder.dl")).unwrap();
    let expected = [
        ("unsafe.dl", "unsafe-variable"),
        ("cycle.dl", "not-stratified"),
        ("grows.dl", "growing-terms"),
        ("binary.dl", "not-text"),
        ("latin.dl", "not-text"),
        ("folder.dl", "unreadable-file"),
        ("missing.dl", "unreadable-file"),
        ("plain", "unknown-extension"),
    ];
    for (file, wanted) in expected {
        let output = ludolog(&["query", &path(&dir, file), "p(X)"]);
        let message = stderr(&output);
        assert_eq!(code(&output), 2, "{file}: {message}");
        assert!(message.contains(wanted) && !message.contains("panicked"), "{file}: {message}");
    }
    let position = ludolog(&["query", "rules/hex/reachability.dl", "win(P)", "--position", &path(&dir, "two.txt")]);
    assert_eq!(code(&position), 2);
    assert!(stderr(&position).contains("two.txt:1:3"), "{}", stderr(&position));
}
