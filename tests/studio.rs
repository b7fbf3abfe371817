//! `ludolog studio` over real sockets; its page is tested beside it, in a browser.

use crate::binary;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A studio on a free port.
struct Served {
    process: Child,
    origin: String,
    token: String,
}

impl Served {
    fn new(folder: &Path, args: &[&str]) -> Served {
        let mut command = binary::process(folder, &[&["studio"], args].concat());
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the studio starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("its output")).read_line(&mut line).expect("its link");
        let link = line.split_whitespace().find(|word| word.starts_with("http")).expect("a link");
        let (origin, token) = link.split_once("/?token=").expect("a token");
        Served { origin: origin.to_owned(), token: token.to_owned(), process }
    }

    /// The status and the answer to a message.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut request = agent.post(format!("{}/{path}", self.origin));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.send(body).expect("an answer");
        let text = response.body_mut().read_to_string().expect("text");
        (response.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The result of a request of a tab, or its error; nothing of a notification.
    fn ask(&self, tab: &str, method: &str, params: Value) -> Value {
        let headers = [("x-ludolog-token", self.token.as_str()), ("x-ludolog-tab", tab)];
        let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        if method.contains("/did") {
            message.as_object_mut().expect("an object").remove("id");
        }
        let (status, answers) = self.post("take", &headers, &message.to_string());
        assert_eq!(status, 200, "{answers}");
        let answer = answers.as_array().and_then(|list| list.iter().find(|one| one["id"] == 1)).cloned();
        answer.map_or(
            Value::Null,
            |one| if one["error"].is_null() { one["result"].clone() } else { one["error"].clone() },
        )
    }

    fn open(&self, tab: &str, uri: &str, text: &str) {
        self.ask(tab, "initialize", json!({ "capabilities": {} }));
        let language = if uri.ends_with("kif") { "gdl" } else { "datalog" };
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.ask(tab, "textDocument/didOpen", json!({ "textDocument": document }));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

#[test]
fn goals_explanations_and_games_have_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let uri = "untitled:rules.dl";
    studio.open("1", uri, "edge(a, b). edge(b, 3). path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).");
    let answers = studio.ask("1", "studio/query", json!({ "uri": uri, "goal": "path(a, X)" }));
    assert_eq!(answers, json!({ "variables": ["X"], "rows": [[3], ["b"]] }));
    let costs = studio.ask("1", "studio/costs", json!({ "uri": uri, "goal": "" }));
    assert_eq!((&costs["answers"], &costs["derived"], &costs["stopped"]), (&json!(3), &json!(3), &Value::Null));
    assert!(costs["rules"].as_array().is_some_and(|rules| rules.iter().any(|rule| rule["line"] == 1)), "{costs}");
    let costs = studio.ask("1", "studio/costs", json!({ "uri": uri, "goal": "path(a, X)" }));
    assert_eq!(costs["answers"], 2);
    assert!(
        costs["passes"].as_array().is_some_and(|passes| passes.iter().all(|one| one["pass"].is_string())),
        "{costs}"
    );
    let why = studio.ask("1", "studio/why", json!({ "uri": uri, "fact": "path(a, 3)" }));
    assert_eq!((&why["holds"], why["steps"].as_array().map(Vec::len)), (&json!(true), Some(4)));
    let why_not = studio.ask("1", "studio/whyNot", json!({ "uri": uri, "fact": "path(3, a)" }));
    assert_eq!((&why_not["holds"], &why_not["denials"][0]["atom"]), (&json!(false), &json!("path(3, a)")));
    assert_eq!(studio.ask("1", "studio/facts", json!({ "uri": uri })).as_array().map(Vec::len), Some(5));
    let refused = studio.ask("1", "studio/game", json!({ "uri": uri }));
    assert!(refused["message"].as_str().unwrap().contains("role"), "{refused}");
    let refused = studio.ask("1", "studio/dance", json!({ "uri": uri }));
    assert_eq!(refused["message"], "`studio/dance` is not a request of the studio");

    let names = studio.ask("1", "studio/library", json!({}));
    assert!(names.as_array().unwrap().contains(&json!("std:games/tic-tac-toe.kif")));
    let text = studio.ask("1", "studio/read", json!({ "name": "std:games/tic-tac-toe.kif" }));
    let game = "untitled:game.kif";
    studio.open("2", game, text.as_str().unwrap());
    let moves = json!([["(put 1 1)", "wait"], ["wait", "(put 2 1)"], ["(put 1 2)", "wait"], ["wait", "(put 2 2)"]]);
    let choice = studio.ask(
        "2",
        "studio/choose",
        json!({ "uri": game, "moves": moves, "role": 0, "player": "mcts", "milliseconds": 300 }),
    );
    assert_eq!((&choice["move"], &choice["value"]), (&json!("(put 1 3)"), &json!(100.0)));
    let shown = studio.ask("2", "studio/game", json!({ "uri": game, "moves": moves }));
    assert_eq!((&shown["isOver"], shown["legal"][0].as_array().map(Vec::len)), (&json!(false), Some(5)));
    let refused = studio.ask("2", "studio/game", json!({ "uri": game, "moves": [["(put 7 7)", "wait"]] }));
    assert_eq!(refused["message"], "`(put 7 7)` is not a legal move of cross");
}

/// Of the positions of a small game, `c` is won and `d` lost; `a` and `b` are draws.
#[test]
fn what_is_undefined_and_what_breaks_constraints_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let uri = "untitled:rules.dl";
    let text = "move(a, b). move(b, a). move(b, c). move(c, d).\nwin(X) :- move(X, Y) & ~win(Y).\n:- win(c).\n";
    studio.open("1", uri, text);
    let answers = studio.ask("1", "studio/query", json!({ "uri": uri, "goal": "win(X)" }));
    assert_eq!((&answers["rows"], &answers["undefined"]), (&json!([["c"]]), &json!([["a"], ["b"]])));
    let concerns = answers["concerns"].as_str().unwrap_or_default();
    assert!(concerns.ends_with("3:1: error[broken-constraint]: a constraint is broken"), "{answers}");
    let odd = studio.ask("1", "studio/query", json!({ "uri": uri, "goal": "win(X) & X > lenght(a)" }));
    let concerns = odd["concerns"].as_str().unwrap_or_default();
    assert!(concerns.contains("goal:1:") && concerns.contains("did you mean `length`?"), "{odd}");
    for request in ["studio/why", "studio/whyNot"] {
        let told = studio.ask("1", request, json!({ "uri": uri, "fact": "win(a)" }));
        let steps = told["cycle"].as_array().map(Vec::len);
        assert_eq!((&told["holds"], steps), (&Value::Null, Some(2)), "{request}: {told}");
    }
}

#[test]
fn rules_that_change_are_asked_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let uri = "untitled:rules.dl";
    studio.open("1", uri, "p(1).");
    let ask = || studio.ask("1", "studio/query", json!({ "uri": uri, "goal": "p(X)" }));
    assert_eq!(ask()["rows"], json!([[1]]));
    let change = |text: &str| {
        let params = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
        studio.ask("1", "textDocument/didChange", params);
    };
    change("p(1). p(2).");
    assert_eq!(ask()["rows"], json!([[1], [2]]));
    change("p(1");
    assert_eq!(ask()["message"], "the rules have errors");
    change("n(X) :- X in 1..100000. p(X, Y, Z) :- n(X) & n(Y) & n(Z).");
    let asked = json!({ "uri": uri, "goal": "p(X, Y, Z) & X > Y & Y > Z", "milliseconds": 200 });
    let stopped = studio.ask("1", "studio/query", asked);
    assert!(stopped["stopped"].is_string() || stopped["message"].is_string(), "{stopped}");
}

/// A file to begin with, what is refused, and the bundle against its sources.
#[test]
fn files_that_are_served_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("own.kif"), "(p a)").expect("a file");
    let studio = Served::new(folder.path(), &["own.kif"]);
    let (_, first) = studio.post("first", &[("x-ludolog-token", studio.token.as_str())], "");
    assert_eq!(first, json!({ "files": ["own.kif"] }));
    assert_eq!(studio.post("first", &[], "").0, 403, "without the token");
    let foreign =
        [("x-ludolog-token", studio.token.as_str()), ("x-ludolog-tab", "1"), ("origin", "http://evil.example")];
    assert_eq!(studio.post("take", &foreign, "{}").0, 403);
    let named = [("x-ludolog-token", studio.token.as_str()), ("x-ludolog-tab", "1"), ("host", "evil.example")];
    assert_eq!(studio.post("take", &named, "{}").0, 403, "another name of this machine");

    let (status, _, told) = binary::run(folder.path(), &["studio", "missing.dl"], "");
    assert!(status == 2 && told.contains("`missing.dl`: there is no such file"), "{told}");
    let (status, _, told) = binary::run(folder.path(), &["studio", "--export", "page", "--package", "nowhere"], "");
    assert!(status == 2 && told.contains("crates/web/build makes the package"), "{told}");

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/studio/page");
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(page.join("src")).expect("the scripts").map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    sources.insert(0, page.join("package.json"));
    let mut hash = Sha256::new();
    sources.iter().for_each(|source| hash.update(std::fs::read(source).expect("a script")));
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let made_of = std::fs::read_to_string(page.join("dist/sources.sha256")).expect("the hash of the bundle");
    assert_eq!(made_of.trim(), hash, "crates/studio/page/build makes the bundle of these sources");
}

#[test]
fn a_goal_is_asked_of_a_state_or_of_the_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let uri = "untitled:count.dl";
    let rules = "role(she). init(at(0)). legal(she, step) :- true(at(_)). next(at(Y)) :- true(at(X)) & Y is X + 1 & X < 3. \
        terminal :- true(at(3)). goal(she, 100) :- terminal. far(X) :- true(at(X)) & X > 1.";
    studio.open("1", uri, rules);
    let far = |moves: Value, in_state: bool| {
        let asked = json!({ "uri": uri, "goal": "far(X)", "moves": moves, "inState": in_state });
        studio.ask("1", "studio/query", asked)["rows"].clone()
    };
    assert_eq!(far(json!([["step"]]), true), json!([]));
    assert_eq!(far(json!([["step"], ["step"]]), true), json!([[2]]));
    assert_eq!(far(json!([["step"], ["step"]]), false), json!([]));
    let fact = json!({ "uri": uri, "fact": "far(2)", "moves": [["step"], ["step"]], "inState": true });
    assert_eq!(studio.ask("1", "studio/why", fact)["holds"], true);
    let illegal = json!({ "uri": uri, "goal": "far(X)", "moves": [["fly"]], "inState": true });
    assert!(studio.ask("1", "studio/query", illegal)["message"].as_str().is_some_and(|told| told.contains("fly")));
}

#[test]
fn positions_of_hex_are_seen_solved_and_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let ask = |method: &str, params: Value| studio.ask("1", &format!("studio/{method}"), params);
    let shown = ask("hex", json!({ "position": "3x3", "view": "stones", "cell": "b2", "stone": "red" }));
    assert_eq!((&shown["toMove"], &shown["winner"], &shown["columns"]), (&json!("blue"), &Value::Null, &json!(3)));
    assert_eq!(shown["cells"][4], json!({ "name": "b2", "stone": "red" }));
    // The center of 3x3 is joined to both edges by bridges.
    let position = &shown["position"];
    let seen = ask("hex", json!({ "position": position, "view": "must-play" }));
    assert!(seen["lines"][0].as_str().is_some_and(|line| line.starts_with("blue to move has lost")), "{seen}");
    let seen = ask("hex", json!({ "position": position, "view": "connection", "between": ["b2", "bottom"] }));
    assert!(seen["lines"][0].as_str().is_some_and(|line| line.ends_with("in a3 b3")), "{seen}");
    let solved = ask("solveHex", json!({ "position": position }));
    assert_eq!((&solved["winner"], &solved["move"]), (&json!("red"), &Value::Null));
    let proof = ask("proveHex", json!({ "position": position }));
    let file = folder.path().join("proof.hexproof");
    std::fs::write(&file, proof["certificate"].as_str().expect("a certificate")).expect("it is written");
    assert_eq!(binary::run(folder.path(), &["verify", "proof.hexproof"], "").0, 0);
    let empty = ask("hex", json!({ "position": position, "view": "stones", "cell": "b2" }));
    assert_eq!(empty["cells"][4]["stone"], Value::Null);
    // All moves are decided; the center is one that wins.
    let wins = ask("hex", json!({ "position": empty["position"], "view": "wins" }));
    assert_eq!(wins["lines"].as_array().map(Vec::len), Some(1), "{wins}");
    assert!(wins["lines"][0].as_str().is_some_and(|line| line.contains("wins by") && line.contains("b2")), "{wins}");
    for (params, words) in [
        (json!({ "position": "99x" }), "no stone"),
        (json!({ "position": "3x3", "view": "clouds" }), "no measure"),
        (json!({ "position": "3x3", "view": "stones", "cell": "z9", "stone": "red" }), "no cell"),
        (json!({ "position": "3x3", "view": "connection", "between": ["top", "left"] }), "two ends"),
    ] {
        let refused = ask("hex", params);
        assert!(refused["message"].as_str().is_some_and(|told| told.contains(words)), "{refused}");
    }
}

/// A game without a net: a sum beyond 64 bits stands in the way, on which no answer depends.
#[test]
fn players_of_interpreted_games_know_the_state_by_its_facts() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let uri = "untitled:climb.dl";
    let rules = "role(she). init(n(9223372036854775803)). init(fuel(3)). legal(she, up) :- true(n(_)). legal(she, wait) :- true(n(_)). \
        hot :- true(n(X)) & Y is X + 5 & Y > 0 & X < 10. \
        next(n(Y)) :- true(n(X)) & does(she, up) & Y is X + 1. next(n(X)) :- true(n(X)) & does(she, wait). \
        next(fuel(G)) :- true(fuel(F)) & G is F - 1. terminal :- true(fuel(0)) & ~hot. \
        goal(she, 100) :- true(n(9223372036854775805)). goal(she, 0) :- ~true(n(9223372036854775805)).";
    studio.open("1", uri, rules);
    let game = studio.ask("1", "studio/game", json!({ "uri": uri }));
    assert_eq!(game["hasNet"], false, "{game}");
    let asked = json!({ "uri": uri, "moves": [["wait"]], "role": 0, "player": "mcts", "milliseconds": 500 });
    let choice = studio.ask("1", "studio/choose", asked);
    assert_eq!((&choice["move"], &choice["value"]), (&json!("up"), &json!(100.0)), "{choice}");
}

#[test]
fn files_of_a_folder_are_opened_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    std::fs::create_dir(folder.path().join("lib")).expect("a folder in it");
    write("main.dl", ":- include('lib/facts.dl').\nq(X) :- p(X).\n");
    write("lib/facts.dl", "p(1). p(2).\n");
    write("notes.txt", "no rules");
    std::fs::write(folder.path().with_extension("secret.dl"), "s(1).").expect("a file beside it");
    let studio = Served::new(folder.path(), &["."]);
    let ask = |method: &str, params: Value| studio.ask("1", &format!("studio/{method}"), params);
    assert_eq!(ask("files", json!({})), json!(["lib/facts.dl", "main.dl"]));
    let opened = ask("open", json!({ "name": "main.dl" }));
    let uri = opened["uri"].as_str().expect("a URI");
    studio.open("1", uri, opened["text"].as_str().expect("a text"));
    // Includes are found beside the file.
    assert_eq!(ask("query", json!({ "uri": uri, "goal": "q(X)" }))["rows"], json!([[1], [2]]));

    let save = |name: &str, before: &str| ask("save", json!({ "name": name, "text": "p(3).\n", "before": before }));
    assert_eq!(save("lib/facts.dl", "p(1). p(2).\n"), Value::Null);
    assert_eq!(std::fs::read_to_string(folder.path().join("lib/facts.dl")).expect("it is there"), "p(3).\n");
    // What somebody else has written is left as it is.
    write("lib/facts.dl", "p(4).\n");
    assert!(save("lib/facts.dl", "p(3).\n")["message"].as_str().is_some_and(|told| told.contains("has changed")));
    assert_eq!(std::fs::read_to_string(folder.path().join("lib/facts.dl")).expect("it is there"), "p(4).\n");
    for name in ["notes.txt", "../secret.dl", "/etc/passwd", "missing.dl"] {
        for refused in [save(name, ""), ask("open", json!({ "name": name }))] {
            assert!(refused["message"].as_str().is_some_and(|told| told.contains("no rule file")), "{refused}");
        }
    }
    // A file that has become a link leads out of the folder.
    #[cfg(unix)]
    {
        let secret = folder.path().with_extension("secret.dl");
        std::fs::remove_file(folder.path().join("lib/facts.dl")).expect("it was there");
        std::os::unix::fs::symlink(&secret, folder.path().join("lib/facts.dl")).expect("a link");
        for refused in [save("lib/facts.dl", "s(1)."), ask("open", json!({ "name": "lib/facts.dl" }))] {
            assert!(refused["message"].as_str().is_some_and(|told| told.contains("a link")), "{refused}");
        }
        assert_eq!(std::fs::read_to_string(&secret).expect("it is there"), "s(1).");
    }
    let unknown = ask("nope", json!({}));
    assert!(
        unknown["message"].as_str().is_some_and(|told| told.starts_with("`studio/nope` is no request")),
        "{unknown}"
    );
    std::fs::remove_file(folder.path().with_extension("secret.dl")).expect("it was there");
    let (status, _, told) = binary::run(folder.path(), &["studio", "no-such-game"], "");
    assert!(status == 2 && told.contains("no-such-game"), "{told}");
    let game = Served::new(folder.path(), &["hex-3"]);
    let (_, first) = game.post("first", &[("x-ludolog-token", game.token.as_str())], "");
    assert!(first["text"].as_str().is_some_and(|text| text.contains("(columns 3)")), "{first}");
}

/// Asks how far a run is until it ends.
fn ended(ask: &impl Fn(&str, Value) -> Value, method: &str) -> Value {
    loop {
        let told = ask(method, json!({}));
        if told["isRunning"] != true {
            return told;
        }
        std::thread::yield_now();
    }
}

#[test]
fn benchmarks_run_row_by_row_and_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let ask = |method: &str, params: Value| studio.ask("1", &format!("studio/{method}"), params);
    let uri = "untitled:rules.dl";
    studio.open("1", uri, "edge(a, b). edge(b, c). path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).");
    assert_eq!(ask("benchProgress", json!({}))["message"], "nothing is running");
    let names = |list: &Value| -> Vec<Value> {
        list.as_array().expect("a list").iter().map(|one| one["name"].clone()).collect()
    };
    let choices = ask("benchChoices", json!({}));
    assert_eq!(names(&choices["engines"]), ["resolution", "semi-naive"]);
    assert!(names(&choices["positions"]).contains(&json!("p9")), "{choices}");
    // Three paths, by hand.
    let asked =
        json!({ "uri": uri, "engines": ["semi-naive"], "optimizations": ["none", "auto"], "milliseconds": 100 });
    assert_eq!(ask("bench", asked.clone()), true);
    let told = ended(&ask, "benchProgress");
    let report: Value = serde_json::from_str(told["result"]["report"].as_str().expect("a report")).expect("JSON");
    let tuples: Vec<&Value> = report["rows"].as_array().expect("rows").iter().map(|row| &row["tuples"]).collect();
    assert_eq!((tuples, &report["interrupted"]), (vec![&json!(3), &json!(3)], &json!(false)));
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(2), "they came one by one");
    for (name, value, words) in [
        ("goal", json!("path(a,"), ""),
        ("goal", json!("road(X)"), "road"),
        ("engines", json!([]), "choose an engine"),
        ("engines", json!(["steam"]), "no engine `steam`"),
        ("optimizations", json!(["prayer"]), "`prayer` is no optimization"),
        ("formulations", json!(["prayer"]), "no formulation `prayer`"),
        ("formulations", json!(["this program"]), "win/1"),
    ] {
        let mut wrong = asked.clone();
        wrong[name] = value;
        let refused = ask("bench", wrong);
        assert!(refused["message"].as_str().is_some_and(|told| told.contains(words)), "{words}: {refused}");
    }
}

#[test]
fn tournaments_are_told_match_by_match_and_records_are_walked_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let studio = Served::new(folder.path(), &[]);
    let ask = |method: &str, params: Value| studio.ask("1", &format!("studio/{method}"), params);
    let uri = "untitled:count.dl";
    let rules = "role(she). init(at(0)). legal(she, step) :- true(at(_)). next(at(Y)) :- true(at(X)) & Y is X + 1 & X < 3. \
        terminal :- true(at(3)). goal(she, 100) :- terminal.";
    studio.open("1", uri, rules);
    let asked = json!({ "uri": uri, "name": "count", "players": ["legal", "random"], "rounds": 2, "startClock": 1000, "playClock": 1000 });
    assert_eq!(ask("tournament", asked.clone()), true);
    let told = ended(&ask, "tournamentProgress");
    // One role: each player plays once a round, and whoever steps three times has 100.
    assert_eq!((&told["scheduled"], told["rows"].as_array().map(Vec::len)), (&json!(4), Some(4)), "{told}");
    for score in told["scores"].as_array().expect("scores") {
        assert_eq!(
            (&score["mean"], &score["confidence_95"], &score["seats"]),
            (&json!(100.0), &json!([100.0, 100.0]), &json!(2))
        );
    }
    let record = ask("record", json!({ "from": 3 }));
    let replay = ask("replay", json!({ "uri": uri, "text": record.to_string() }));
    assert_eq!((&replay["roles"], &replay["moves"]), (&json!(["she"]), &json!([["step"], ["step"], ["step"]])));
    assert_eq!(ask("frame", json!({ "from": 2 }))["facts"], json!(["at(2)"]));
    assert!(ask("frame", json!({ "from": 4 }))["message"].as_str().is_some_and(|told| told.contains("no state 4")));
    // As other servers write it: with `true` around the facts of states, without anything of ours.
    let foreign = json!({ "gameRoleNames": ["xplayer"], "states": ["( (true (cell 1 1 b)) )", "( (true (cell 1 1 x)) )"], "moves": [["(mark 1 1)"]] });
    let replay = ask("replay", json!({ "uri": "untitled:none.kif", "text": foreign.to_string() }));
    assert_eq!((&replay["moves"], &replay["states"]), (&json!([["(mark 1 1)"]]), &json!(2)));
    for (text, words) in [
        ("nonsense", "no record of a match"),
        ("{}", "`gameRoleNames`"),
        (r#"{ "gameRoleNames": ["a"], "states": ["((p)"], "moves": [] }"#, "a state is"),
        (r#"{ "gameRoleNames": ["a"], "states": ["(p)"], "moves": [["x"]] }"#, "1 states and 1 joint moves"),
        (r#"{ "gameRoleNames": ["a"], "states": ["(p)", "(q)"], "moves": [["x", "y"]] }"#, "2 moves for 1 roles"),
    ] {
        let refused = ask("replay", json!({ "uri": uri, "text": text }));
        assert!(refused["message"].as_str().is_some_and(|told| told.contains(words)), "{words}: {refused}");
    }
    for (name, value, words) in [
        ("players", json!([]), "choose a player"),
        ("players", json!(["oracle"]), "no player `oracle`"),
        ("rounds", json!(100_000_000_000_u64), "500 matches at most"),
        ("playClock", json!(1e12), "1 ms to 600 s"),
    ] {
        let mut wrong = asked.clone();
        wrong[name] = value;
        let refused = ask("tournament", wrong);
        assert!(refused["message"].as_str().is_some_and(|told| told.contains(words)), "{words}: {refused}");
    }
}
