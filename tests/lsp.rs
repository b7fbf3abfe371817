//! `ludolog lsp` as editors speak to it.

use crate::binary;
use ludolog::diagnostic::Sources;
use ludolog::diagnostic::{Diagnostics, Severity};
use ludolog::engine::Budget;
use ludolog::files::FileSystem;
use ludolog::formulation::LIBRARY;
use ludolog::syntax::{Syntax, parse, print};
use ludolog::workspace::findings::Findings;
use ludolog::workspace::rename::TextChange;
use ludolog::workspace::{Analysis, Texts, fix};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest wait for a message, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An editor: one server, the diagnostics that it published last, and what it said besides.
struct Editor {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    diagnostics: HashMap<String, Value>,
    remarks: Vec<Value>,
    requests: i64,
    version: i64,
}

impl Editor {
    /// An editor of a folder that has not said anything.
    fn silent(folder: &Path) -> Editor {
        let mut command = binary::process(folder, &["lsp", "--stdio"]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let input = server.stdin.take().expect("its input");
        let mut output = BufReader::new(server.stdout.take().expect("its output"));
        let (send, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let diagnostics = HashMap::new();
        Editor { server, input, messages, diagnostics, remarks: Vec::new(), requests: 0, version: 0 }
    }

    fn new(folder: &Path) -> Editor {
        let mut editor = Editor::silent(folder);
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let params = json!({ "processId": null, "rootUri": uri(folder), "capabilities": capabilities });
        let welcome = editor.ask("initialize", params);
        assert_eq!(welcome["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, text: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request; its number.
    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// The next message; what it publishes is kept.
    fn hear(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("a message in time");
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().expect("a URI").to_owned();
            self.diagnostics.insert(uri, message["params"]["diagnostics"].clone());
        } else if !message["method"].is_null() {
            self.remarks.push(message.clone());
        }
        message
    }

    /// The result of a request, or its error.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        if answer["error"].is_null() { answer["result"].clone() } else { answer["error"].clone() }
    }

    fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    /// Asks about a place: that of the first occurrence of `mark` in `text`, and so many characters on.
    fn ask_at(&mut self, method: &str, file: &Path, text: &str, mark: &str, more: Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": uri(file) }, "position": place(text, mark) });
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn ask_about(&mut self, method: &str, file: &Path, more: Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": uri(file) } });
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn open(&mut self, file: &Path, text: &str) {
        let language = if file.extension().is_some_and(|end| end == "kif") { "gdl" } else { "datalog" };
        let document = json!({ "uri": uri(file), "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, file: &Path, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": uri(file), "version": self.version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Waits for the diagnostics of a file to be such.
    fn wait_for(&mut self, file: &Path, is_right: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = uri(file);
        loop {
            if let Some(Value::Array(list)) = self.diagnostics.get(&uri)
                && is_right(list)
            {
                return list.clone();
            }
            self.hear();
        }
    }

    /// Waits until the server has found out what takes longer.
    fn wait_for_findings(&mut self) {
        self.remarks.clear();
        while !self.remarks.iter().any(|remark| remark["method"] == "workspace/codeLens/refresh") {
            self.hear();
        }
    }

    /// Ends the conversation; the exit status.
    fn leave(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().expect("the server ends").code().expect("a status")
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((_, value)) => length = value.parse().ok()?,
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The position of the first occurrence of a mark.
fn place(text: &str, mark: &str) -> Value {
    let byte = text.find(mark).unwrap_or_else(|| panic!("`{mark}` in {text}"));
    position(text, byte)
}

fn position(text: &str, byte: usize) -> Value {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": before.matches('\n').count(), "character": before[start..].encode_utf16().count() })
}

/// A text with the edits that a server proposes for it.
fn edited(text: &str, edits: &Value) -> String {
    let byte = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let column = position["character"].as_u64().expect("a column") as usize;
        let mut at = start;
        let mut passed = 0;
        for c in text[start..].chars() {
            if passed >= column {
                break;
            }
            passed += c.len_utf16();
            at += c.len_utf8();
        }
        at
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap_or_else(|| panic!("edits, not {edits}"))
        .iter()
        .map(|edit| {
            (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort_unstable();
    let mut changed = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        changed.replace_range(start..end, new);
    }
    changed
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("its path");
    (folder, path)
}

const PATHS: &str = "% Who reaches whom.
edge(a, b). edge(b, c).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y) & egde(Y, Z).
% ? path(a, X)
broken(X :- edge(X, Y).
";

/// A change is preferred if it is another spelling of the same.
#[test]
fn other_spellings_are_preferred() {
    let (_kept, folder) = folder();
    let file = folder.join("signs.dl");
    let mut editor = Editor::new(&folder);
    editor.open(&file, "q(1). r(2).\np(X) :- q(X) && r(X).\n");
    let told = editor.wait_for(&file, |list| list.len() == 1);
    let asked = json!({ "range": told[0]["range"], "context": { "diagnostics": told } });
    let fixes = editor.ask_about("codeAction", &file, asked);
    assert_eq!((&fixes[0]["title"], &fixes[0]["isPreferred"]), (&json!("write `&` in place of `&&`"), &json!(true)));
    assert_eq!(editor.leave(), 0);
}

/// From a broken rule to a mended one, in the way of an editor.
#[test]
fn a_broken_rule_is_told_and_mended_by_its_fix() {
    let (_kept, folder) = folder();
    let file = folder.join("paths.dl");
    let mut editor = Editor::new(&folder);
    editor.open(&file, PATHS);
    // One broken rule does not silence the rest.
    let told = editor.wait_for(&file, |list| list.len() == 2);
    assert_eq!((&told[0]["code"], &told[0]["severity"]), (&json!("syntax"), &json!(1)));
    assert_eq!(told[0]["relatedInformation"][0]["message"], "opened here");
    assert_eq!((&told[1]["code"], &told[1]["severity"]), (&json!("unknown-predicate"), &json!(2)));
    assert_eq!(told[1]["range"]["start"], place(PATHS, "egde"));

    let broken = PATHS.find("broken").unwrap();
    let range = json!({ "start": position(PATHS, broken), "end": position(PATHS, PATHS.len()) });
    editor.change(&file, json!([{ "range": range, "text": "" }]));
    let text = &PATHS[..broken];
    let told = editor.wait_for(&file, |list| list.len() == 1);
    let fixes =
        editor.ask_about("codeAction", &file, json!({ "range": told[0]["range"], "context": { "diagnostics": told } }));
    assert_eq!(fixes[0]["title"], "write `edge` in place of `egde`");
    // Another name may be meant, so that it is offered, and not made with others.
    assert_eq!(fixes[0]["isPreferred"], false);
    assert_eq!(fixes[1]["title"], "allow `unknown-predicate` in this file");
    let mended = edited(text, &fixes[0]["edit"]["changes"][uri(&file)]);
    assert_eq!(mended, text.replace("egde", "edge"));
    editor.change(&file, json!([{ "text": mended }]));
    editor.wait_for(&file, |list| list.is_empty());

    editor.wait_for_findings();
    let hover = editor.ask_at("hover", &file, &mended, "path(X, Y) & ", json!({}));
    insta::assert_snapshot!(hover["contents"]["value"].as_str().unwrap());
    let lenses = editor.ask_about("codeLens", &file, json!({}));
    let titles: Vec<_> = lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].clone()).collect();
    assert_eq!(titles, ["run", "2 facts", "3 facts", "2 answers: b; c"]);
    assert_eq!(lenses[2]["command"]["arguments"], json!([uri(&file), "path(X1, X2)"]));
    assert_eq!(editor.leave(), 0);
}

/// Of the positions of a small game `c` is won, and `a` and `b` are draws. That `c` is won breaks a constraint, which is told as a mistake
/// in the text.
#[test]
fn undefined_answers_and_broken_constraints_are_told() {
    let (_kept, folder) = folder();
    let file = folder.join("game.dl");
    let text = "move(a, b). move(b, a). move(b, c). move(c, d).
win(X) :- move(X, Y) & ~win(Y).
% ? win(X)
% ? win(a)
:- win(c).
";
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    let told = editor.wait_for(&file, |list| list.iter().any(|one| one["code"] == "broken-constraint"));
    let broken = told.iter().find(|one| one["code"] == "broken-constraint").expect("the constraint");
    assert_eq!((&broken["severity"], &broken["range"]["start"]["line"]), (&json!(1), &json!(4)));
    let lenses = editor.ask_about("codeLens", &file, json!({}));
    let titles: Vec<_> = lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].clone()).collect();
    assert!(titles.contains(&json!("1 answer: c; 2 undefined answers")), "{titles:?}");
    assert!(titles.contains(&json!("undefined")), "{titles:?}");
    assert_eq!(editor.leave(), 0);
}

#[test]
fn names_are_followed_and_renamed_in_all_files_that_are_read_together() {
    let (_kept, folder) = folder();
    let library = folder.join("library.kif");
    let main = folder.join("main.dl");
    let library_text = "; Steps of one.\n(succ 1 2)\n(succ 2 3)\n";
    let main_text = ":- include('library.kif').\nmore(Y) :- succ(X, Y) & succ(1, X).\n";
    std::fs::write(&library, library_text).unwrap();
    std::fs::write(&main, main_text).unwrap();
    let mut editor = Editor::new(&folder);
    // The file that includes it is not open: it counts since it lies in the folder.
    editor.open(&library, library_text);
    editor.wait_for(&library, |list| list.is_empty());
    let places = editor.ask_at(
        "references",
        &library,
        library_text,
        "succ",
        json!({ "context": { "includeDeclaration": true } }),
    );
    let of_main = places.as_array().unwrap().iter().filter(|place| place["uri"] == uri(&main)).count();
    assert_eq!((places.as_array().unwrap().len(), of_main), (4, 2));

    let renamed = editor.ask_at("rename", &library, library_text, "succ", json!({ "newName": "|next one|" }));
    assert_eq!(edited(library_text, &renamed["changes"][uri(&library)]), library_text.replace("succ", "|next one|"));
    assert_eq!(edited(main_text, &renamed["changes"][uri(&main)]), main_text.replace("succ", "'next one'"));
    let clash = editor.ask_at("rename", &library, library_text, "succ", json!({ "newName": "?x" }));
    assert_eq!(clash["message"], "`?x` is no name; quote it if it has to be one");

    editor.open(&main, main_text);
    let included = editor.ask_at("definition", &main, main_text, "library", json!({}));
    assert_eq!(included["uri"], uri(&library));
    let defined = editor.ask_at("definition", &main, main_text, "succ", json!({}));
    assert_eq!(defined[0]["uri"], uri(&library));
    assert_eq!(defined[0]["range"]["start"], json!({ "line": 1, "character": 1 }));
    let clash = editor.ask_at("rename", &main, main_text, "X, Y", json!({ "newName": "Y" }));
    assert_eq!(clash["message"], "`Y` is there already: the two would become one");
    let variable = editor.ask_at("rename", &main, main_text, "X, Y", json!({ "newName": "From" }));
    assert_eq!(
        edited(main_text, &variable["changes"][uri(&main)]),
        main_text.replace("(X, Y)", "(From, Y)").replace("1, X", "1, From")
    );

    // A mistake in the included text is told there, also where that is not open.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri(&library) } }));
    std::fs::write(&library, "(succ 1 2").unwrap();
    let changes = json!([{ "uri": uri(&library), "type": 2 }]);
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    editor.wait_for(&library, |list| list.len() == 1 && list[0]["code"] == "syntax");
    let found = editor.ask("workspace/symbol", json!({ "query": "MORE" }));
    assert_eq!((&found[0]["name"], &found[1]), (&json!("more/1"), &Value::Null));
    assert_eq!(editor.leave(), 0);
}

#[test]
fn the_predicate_of_an_order_is_renamed_with_it() {
    let (_kept, folder) = folder();
    let mut editor = Editor::new(&folder);
    let texts = [
        ("main.dl", "above(a, b).\nlevel(x, best(above) a).\n"),
        ("main.kif", "(above a b)\n(level x (best above (: a)))\n"),
    ];
    for (name, text) in texts {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        editor.open(&path, text);
        let renamed = editor.ask_at("rename", &path, text, "above", json!({ "newName": "over" }));
        assert_eq!(edited(text, &renamed["changes"][uri(&path)]), text.replace("above", "over"));
    }
    assert_eq!(editor.leave(), 0);
}

#[test]
fn used_files_are_followed_and_names_in_directives_renamed() {
    let (_kept, folder) = folder();
    let library = folder.join("closure.dl");
    let main = folder.join("main.kif");
    let library_text = "path(X, Y) :- edge(X, Y).\n";
    let main_text = "(use \"closure.dl\" \"edge\" \"road\")\n(road a b)\n(output \"path\")\n";
    std::fs::write(&library, library_text).unwrap();
    std::fs::write(&main, main_text).unwrap();
    let mut editor = Editor::new(&folder);
    editor.open(&main, main_text);
    editor.wait_for(&main, |list| list.is_empty());
    let used = editor.ask_at("definition", &main, main_text, "closure", json!({}));
    assert_eq!(used["uri"], uri(&library));
    for (mark, words) in
        [("use", "`use` is a word of the language"), ("\"closure", "`closure.dl` is the path of a file, and no name")]
    {
        let refused = editor.ask_at("rename", &main, main_text, mark, json!({ "newName": "other" }));
        assert_eq!(refused["message"], words);
        assert_eq!(editor.ask_at("prepareRename", &main, main_text, mark, json!({})), Value::Null);
    }
    let renamed = editor.ask_at("rename", &main, main_text, "road a", json!({ "newName": "rail" }));
    assert_eq!(edited(main_text, &renamed["changes"][uri(&main)]), main_text.replace("road", "rail"));
    let renamed = editor.ask_at("rename", &library, library_text, "edge", json!({ "newName": "arc" }));
    assert_eq!(edited(main_text, &renamed["changes"][uri(&main)]), main_text.replace("edge", "arc"));
    let renamed = editor.ask_at("rename", &library, library_text, "path", json!({ "newName": "way" }));
    assert_eq!(edited(main_text, &renamed["changes"][uri(&main)]), main_text.replace("path", "way"));
    // A mistake in the used text is told there.
    std::fs::write(&library, "path(X, Y) :- edge(X, Y)").unwrap();
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri(&library), "type": 2 }] }));
    editor.wait_for(&library, |list| list.len() == 1 && list[0]["code"] == "syntax");
    assert_eq!(editor.leave(), 0);
}

#[test]
fn files_that_come_with_ludolog_are_shown_and_not_changed() {
    let (_kept, folder) = folder();
    let file = folder.join("own.dl");
    let text = ":- include('std:lib/hex-board.dl').\ncorner(X) :- first(red, X) & first(blue, X).\n";
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    let defined = editor.ask_at("definition", &file, text, "first", json!({}));
    let shown = PathBuf::from(defined[0]["uri"].as_str().unwrap().strip_prefix("file://").unwrap());
    assert!(shown.ends_with("lib/hex-board.dl"), "{defined}");
    let copy = std::fs::read_to_string(&shown).unwrap();
    assert!(copy.contains("first(") && std::fs::metadata(&shown).unwrap().permissions().readonly());
    editor.open(&shown, &copy);
    let hover = editor.ask_at("hover", &shown, &copy, "first(", json!({}));
    assert!(hover["contents"]["value"].as_str().unwrap().starts_with("**first/2**"), "{hover}");
    let refused = editor.ask_at("rename", &file, text, "first", json!({ "newName": "side" }));
    assert!(refused["message"].as_str().unwrap().ends_with("which comes with Ludolog"), "{refused}");
    assert_eq!(editor.leave(), 0);
    assert!(!shown.exists(), "copies go with the server");
}

/// A game in which nobody has a move after one of two.
const GAME: &str = "(role red)\n(role blue)\n(init (turn red))\n(<= (legal red mark) (true (turn red)))\n(<= (legal red jump) (true (turn red)))\n(<= (legal blue wait) (true (turn red)))\n(<= (next (turn blue)) (does red mark))\n(<= (next (turn white)) (does red jump))\n(<= terminal (true (turn white)))\n(goal red 50)\n(goal blue 50)\n; ? (legal red ?m)\n";

/// A game in which nobody has a move after one of two: what random playouts find, and what GDL's words are.
#[test]
fn games_are_tried_and_their_words_known() {
    let (_kept, folder) = folder();
    let file = folder.join("game.kif");
    let text = GAME;
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    editor.wait_for(&file, |list| list.iter().any(|one| one["message"].as_str().unwrap().contains("no legal move")));
    let lenses = editor.ask_about("codeLens", &file, json!({}));
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"play") && titles.contains(&"2 facts"), "{titles:?}");
    let hover = editor.ask_at("hover", &file, text, "legal", json!({}));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("GDL: a move that a role may make"), "{hover}");
    let refused = editor.ask_at("rename", &file, text, "legal", json!({ "newName": "lawful" }));
    assert_eq!(refused["message"], "`legal/2` is a word of GDL");
    let names = editor.ask_at("completion", &file, text, "red mark) (", json!({}));
    let labels: Vec<&str> = names.as_array().unwrap().iter().map(|name| name["label"].as_str().unwrap()).collect();
    for wanted in ["does", "mark", "turn", "distinct", "sees"] {
        assert!(labels.contains(&wanted), "{wanted} in {labels:?}");
    }
    let moves = editor.ask_at("definition", &file, text, "mark))\n(<= (next (turn white", json!({}));
    assert_eq!(moves[0]["range"]["start"], place(text, "mark) (true"), "a move is defined where it is legal");
    assert_eq!(editor.leave(), 0);
}

#[test]
fn no_predicate_gets_a_name_that_is_kept() {
    let (_kept, folder) = folder();
    let file = folder.join("kept.kif");
    let text = format!("{GAME}(pair red blue)\n(lit red)\n(<= (shown ?r) (lit ?r) (pair ?r ?s))\n");
    let mut editor = Editor::new(&folder);
    editor.open(&file, &text);
    for (old, word, of) in [
        ("pair red", "does", "GDL"),
        ("lit red", "true", "GDL"),
        ("lit red", "sees", "GDL"),
        ("lit red", "not", "the language"),
        ("lit red", "or", "the language"),
        ("lit red", "<=", "the language"),
        ("pair red", "distinct", "the language"),
        ("pair red", "=", "the language"),
        ("red)\n(role blue", "random", "GDL"),
        ("mark) (true", "nil", "GDL"),
    ] {
        let refused = editor.ask_at("rename", &file, &text, old, json!({ "newName": word }));
        assert_eq!(refused["message"], format!("`{word}` is a word of {of}"));
    }
    let renamed = editor.ask_at("rename", &file, &text, "pair red", json!({ "newName": "couple" }));
    assert_eq!(edited(&text, &renamed["changes"][uri(&file)]), text.replace("pair", "couple"));
    assert_eq!(editor.leave(), 0);
}

/// The tasks of each tutorial are not all done at first, and all are in its solution.
#[test]
fn tutorials_check_themselves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tutorials = rule_files(&root.join("rules/tutorials"));
    assert_eq!(tutorials.len(), 6);
    let tasks = |file: &Path| {
        let texts = Texts::new(Arc::new(LIBRARY.with(FileSystem)));
        let budget = Budget::unlimited();
        let analysis = Analysis::new(&texts, file, &budget).unwrap();
        assert!(!analysis.diagnostics.has_errors(), "{}", file.display());
        let (source, _) = analysis.source(&texts.key(file)).unwrap();
        let questions = Findings::of(&analysis, source, &budget).unwrap().questions;
        questions.into_iter().map(|task| (task.goal, task.answer.unwrap())).collect::<Vec<_>>()
    };
    for file in tutorials {
        let solution = root.join("tests/tutorials").join(file.file_name().unwrap());
        let open = tasks(&file);
        assert!(open.iter().any(|(_, answer)| answer == "○ not yet"), "{}", file.display());
        for (goal, answer) in tasks(&solution) {
            assert_eq!(answer, "✓ done", "{goal} in {}", solution.display());
        }
        let goals = |tasks: Vec<(String, String)>| tasks.into_iter().map(|(goal, _)| goal).collect::<Vec<_>>();
        assert_eq!(goals(open), goals(tasks(&solution)), "{}", file.display());
    }
}

/// What random playouts find in an included text is told there, and not in the text that includes it.
#[test]
fn what_is_found_in_an_included_text_is_told_there() {
    let (_kept, folder) = folder();
    let rules = folder.join("rules.kif");
    std::fs::write(&rules, GAME).unwrap();
    let main = folder.join("main.kif");
    let mut editor = Editor::new(&folder);
    editor.open(&main, "(include \"rules.kif\")\n");
    editor.wait_for(&rules, |list| list.iter().any(|one| one["message"].as_str().unwrap().contains("no legal move")));
    editor.wait_for(&main, |list| list.is_empty());
    assert_eq!(editor.leave(), 0);
}

#[test]
fn layout_is_that_of_fmt_for_all_statements_or_for_some() {
    let (_kept, folder) = folder();
    let file = folder.join("rules.dl");
    let text = "p(X):-q(X),r(X). % remark\nq( a ).\nr(X) :- % why\n q(X).\n% end\n";
    std::fs::write(&file, text).unwrap();
    let (_, canonical, _) = binary::run(&folder, &["fmt", "--stdout", "rules.dl"], "");
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let edits = editor.ask_about("formatting", &file, json!({ "options": options }));
    assert_eq!(edited(text, &edits), canonical);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 4 } });
    let edits = editor.ask_about("rangeFormatting", &file, json!({ "options": options, "range": range }));
    assert_eq!(edited(text, &edits), text.replace("p(X):-q(X),r(X).", "p(X) :- q(X) & r(X)."));
    let typed = json!({ "options": options, "ch": ".", "position": { "line": 1, "character": 7 } });
    let edits = editor.ask_about("onTypeFormatting", &file, typed);
    assert_eq!(edited(text, &edits), text.replace("q( a ).", "q(a)."));
    // The comment within the statement would be lost.
    let range = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } });
    assert_eq!(editor.ask_about("rangeFormatting", &file, json!({ "options": options, "range": range })), json!([]));
    editor.change(&file, json!([{ "text": "p(X :- q(X)." }]));
    let refused = editor.ask_about("formatting", &file, json!({ "options": options }));
    assert_eq!(refused["message"], "a text with errors is left as it is");
    assert_eq!(editor.leave(), 0);
}

/// Words of texts with errors are told in the order of the text and within its lines, which end with carriage returns too.
#[test]
fn kinds_of_words_are_told_in_the_order_of_the_text() {
    let (_kept, folder) = folder();
    let mut editor = Editor::new(&folder);
    for (name, text, number) in [
        ("open.kif", "(#|\n(5)\n(", 3),
        ("returns.kif", "; one\rp\n#| a\r\n\r b |# (p 1)\n", 6),
        ("plain.dl", "p(X) :- /* a\nb */ q(X).\n", 7),
    ] {
        let file = folder.join(name);
        editor.open(&file, text);
        let told = editor.ask_about("semanticTokens/full", &file, json!({}));
        let data: Vec<u64> = told["data"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
        let lines: Vec<&str> = text.split('\n').flat_map(|line| line.trim_end_matches('\r').split('\r')).collect();
        let mut line = 0;
        let mut end = 0;
        let mut start = 0;
        for token in data.as_chunks::<5>().0 {
            line += token[0];
            start = if token[0] > 0 { token[1] } else { start + token[1] };
            assert!(token[0] > 0 || start >= end, "{name}: {data:?}");
            end = start + token[2];
            assert!(end <= lines[line as usize].len() as u64, "{name}: {data:?}");
        }
        assert_eq!(data.len(), 5 * number, "{name}: {data:?}");
    }
    assert_eq!(editor.leave(), 0);
}

#[test]
fn symbols_folds_links_hints_and_what_is_derived_from_what() {
    let (_kept, folder) = folder();
    let file = folder.join("rules.dl");
    let text = "% One\n% two.\nq(a).\nq(b).\np(X) :-\n    q(X) &\n    ~r(X).\nr(X) :- s(X, b).\ns(b, b).\n";
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    let symbols = editor.ask_about("documentSymbol", &file, json!({}));
    let names: Vec<String> =
        symbols.as_array().unwrap().iter().map(|one| format!("{}: {}", one["name"], one["detail"])).collect();
    assert_eq!(names, ["\"q/1\": \"2 facts\"", "\"p/1\": \"1 rule\"", "\"r/1\": \"1 rule\"", "\"s/2\": \"1 fact\""]);
    let folds = editor.ask_about("foldingRange", &file, json!({}));
    let mut lines: Vec<_> =
        folds.as_array().unwrap().iter().map(|fold| (fold["startLine"].as_u64(), fold["endLine"].as_u64())).collect();
    lines.sort_unstable();
    assert_eq!(lines, [(Some(0), Some(1)), (Some(4), Some(6))]);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = editor.ask_about("inlayHint", &file, json!({ "range": range }));
    let labels: Vec<_> = hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    // In `s(X, b)` the constant is bound.
    assert_eq!(labels, ["-", "-+"]);
    // A question binds the first argument of `path`, and the recursion hands the binding on.
    let asked = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y) & path(Y, Z).\nedge(a, b).\n% ? path(a, X)\n";
    editor.change(&file, json!([{ "text": asked }]));
    let hints = editor.ask_about("inlayHint", &file, json!({ "range": range }));
    let labels: Vec<_> = hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["asked +-", "--", "--", "+-"]);
    editor.change(&file, json!([{ "text": text }]));
    let item = editor.ask_at("prepareCallHierarchy", &file, text, "p(X)", json!({}))[0].clone();
    let from = editor.ask("callHierarchy/outgoingCalls", json!({ "item": item }));
    let from: Vec<_> = from.as_array().unwrap().iter().map(|call| call["to"]["name"].as_str().unwrap()).collect();
    assert_eq!(from, ["q/1", "r/1"]);
    let item = editor.ask_at("prepareCallHierarchy", &file, text, "s(b", json!({}))[0].clone();
    let with = editor.ask("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!((&with[0]["from"]["name"], &with[1]), (&json!("r/1"), &Value::Null));
    let marked = editor.ask_at("documentHighlight", &file, text, "q(X)", json!({}));
    assert_eq!(marked.as_array().unwrap().len(), 3);
    assert_eq!(editor.leave(), 0);
}

/// Every change that is proposed for the rejected and the odd files. Each makes its diagnostic go away, and adds no error; and where a help asks
/// whether a name was meant, there is one.
#[test]
fn what_is_proposed_for_wrong_texts() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut told = String::new();
    for folder in ["rejected/analysis", "rejected/syntax", "odd"] {
        for file in rule_files(&tests.join(folder)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let mut texts = Texts::new(Arc::new(FileSystem));
            texts.set(&file, text);
            let budget = Budget::unlimited();
            let analysis = Analysis::new(&texts, &file, &budget).unwrap();
            for diagnostic in analysis.diagnostics.iter() {
                let fixes = fix::fixes(&texts, &file, &analysis, diagnostic, &budget).unwrap();
                let mended = fixes.iter().filter(|fix| !fix.title.starts_with("allow "));
                let titles = mended.clone().map(|fix| fix.title.as_str()).collect::<Vec<_>>().join(", or ");
                let asks = diagnostic.help.as_deref().is_some_and(|help| help.contains("did you mean"));
                assert!(!asks || !titles.is_empty(), "{}: {diagnostic}", file.display());
                let alike = |all: &Diagnostics| {
                    all.iter().filter(|one| (one.code, &one.message) == (diagnostic.code, &diagnostic.message)).count()
                };
                for fix in mended {
                    let mut changed = Texts::new(Arc::new(FileSystem));
                    changed.set(&file, TextChange::apply(texts.get(&file).unwrap(), &fix.changes));
                    let after = Analysis::new(&changed, &file, &budget).unwrap().diagnostics;
                    let before = &analysis.diagnostics;
                    assert!(
                        after.count(Severity::Error) <= before.count(Severity::Error),
                        "{}: {fix:?}",
                        file.display()
                    );
                    assert!(alike(&after) <= alike(before), "{}: {fix:?}", file.display());
                }
                if !titles.is_empty() {
                    let name = file.strip_prefix(&tests).unwrap().display();
                    writeln!(told, "{name}: {}\n    {titles}", diagnostic.message).unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(told);
}

/// What is read by a memory of other texts is what is read anew, with all places: of each rule file, after a comment and a statement were
/// put before it.
#[test]
fn what_is_remembered_of_statements_is_what_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let budget = Budget::unlimited();
    for folder in ["rules", "tests/rejected/analysis", "tests/rejected/syntax", "tests/odd"] {
        let mut warm = Texts::new(Arc::new(FileSystem));
        for file in rule_files(&root.join(folder)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            warm.set(&file, text.clone());
            Analysis::new(&warm, &file, &budget).unwrap();
            let before =
                if file.extension().is_some_and(|end| end == "kif") { "; é\n(m a)\n" } else { "% é\nm(a).\n" };
            let mut cold = Texts::new(Arc::new(FileSystem));
            let [told, expected] = [&mut warm, &mut cold].map(|texts| {
                texts.set(&file, format!("{before}{text}"));
                let analysis = Analysis::new(texts, &file, &budget).unwrap();
                let names: Vec<_> = analysis.all_occurrences().cloned().collect();
                format!("{:?}\n{names:?}\n{:?}", analysis.loaded.program.items, analysis.diagnostics)
            });
            assert_eq!(told, expected, "{}", file.display());
            warm.close(&file);
        }
    }
}

/// What is no message, what is none of this server's, and what makes no sense: told, and the rest goes on.
#[test]
fn nonsense_is_answered_in_words() {
    let (_kept, folder) = folder();
    let file = folder.join("rules.dl");
    let mut editor = Editor::silent(&folder);
    let early = editor.ask("textDocument/hover", json!({}));
    assert_eq!(early["code"], -32002);
    editor.tell("textDocument/didOpen", json!({}));
    assert_eq!(editor.ask("initialize", json!({ "capabilities": 7 }))["code"], -32602);
    assert!(editor.ask("initialize", json!({ "capabilities": {} }))["serverInfo"]["name"] == "ludolog");

    editor.send("{ not JSON");
    assert_eq!(editor.hear()["error"]["code"], -32700);
    editor.input.write_all(b"what is this\r\n").unwrap();
    assert_eq!(editor.hear()["error"]["code"], -32700);
    editor.send("[]");
    assert_eq!(editor.hear()["error"]["code"], -32700);
    assert_eq!(editor.ask("textDocument/colour", json!({}))["code"], -32601);
    assert_eq!(editor.ask("textDocument/hover", json!({ "position": 3 }))["code"], -32602);
    let missing = editor.ask_at("hover", &file, "p", "p", json!({}));
    assert!(missing["message"].as_str().unwrap().contains("cannot be read"), "{missing}");

    let warnings = |editor: &Editor| editor.remarks.iter().filter(|one| one["method"] == "window/logMessage").count();
    editor.change(&file, json!([{ "text": "p(a)." }]));
    editor.open(&file, "p(a).\n");
    let backwards = json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 1 } });
    editor.change(&file, json!([{ "text": "lost" }, { "range": backwards, "text": "x" }]));
    let behind = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 3 } });
    editor.change(&file, json!([{ "range": behind, "text": ", b" }, { "range": { "start": { "line": 70, "character": 7 }, "end": { "line": 99, "character": 1 } }, "text": "% end" }]));
    let hover = editor.ask_at("hover", &file, "p", "p", json!({}));
    assert!(hover["contents"]["value"].as_str().unwrap().starts_with("**p/2**"), "{hover}");
    assert_eq!(warnings(&editor), 2, "a text that was not open, a change backwards: {:?}", editor.remarks);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": "untitled:never" } }));
    assert_eq!(editor.leave(), 0);
}

/// The types of columns: inferred from facts through rules, or declared.
#[test]
fn hovering_over_a_predicate_tells_the_types_of_its_columns() {
    let (_kept, folder) = folder();
    let file = folder.join("types.dl");
    let text = ":- type(price, symbol, float).\nn(1). n(2). n(a).\ntwice(X, f(X), Y) :- n(X) & Y is X * 2.\nall(N) :- N = count { X : n(X) }.\ndear(X) :- price(X, P) & P > 2.0.\n";
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    for (word, expected) in [
        ("price(X", "columns, as declared: symbol, float"),
        ("n(1)", "columns: integer or symbol"),
        ("twice(", "columns: integer or symbol, compound, integer"),
        ("all(", "columns: integer"),
        ("dear(", "columns: symbol"),
    ] {
        let hover = editor.ask_at("hover", &file, text, word, json!({}));
        let told = hover["contents"]["value"].as_str().unwrap();
        assert!(told.lines().any(|line| line == expected), "{word}: {told}");
    }
    assert_eq!(editor.leave(), 0);
}

/// A client that leaves without a word has status 1; one that leaves in the middle of a message too.
#[test]
fn clients_that_vanish() {
    let (_kept, folder) = folder();
    for last in ["", "Content-Length: 100\r\n\r\n{\"jsonrpc\""] {
        let mut editor = Editor::new(&folder);
        editor.input.write_all(last.as_bytes()).unwrap();
        let Editor { mut server, input, .. } = editor;
        drop(input);
        assert_eq!(server.wait().unwrap().code(), Some(1), "{last}");
    }
}

/// A program that takes for ever, a text of 50 MB, and a flood of edits: each keystroke is answered all the same.
#[test]
fn what_takes_long_does_not_hold_up_who_types() {
    let (_kept, folder) = folder();
    let file = folder.join("endless.dl");
    let huge = folder.join("huge.dl");
    let text = "n(X) :- X in 1..100000.\npair(X, Y, Z) :- n(X) & n(Y) & n(Z).\n% ? pair(1, 2, 3)\n";
    let mut editor = Editor::new(&folder);
    editor.open(&file, text);
    for number in 0..200 {
        let start = json!({ "line": 0, "character": 0 });
        editor.change(&file, json!([{ "range": { "start": start, "end": start }, "text": format!("p({number}).\n") }]));
    }
    let begun = Instant::now();
    let hover = editor.ask_at("hover", &file, "p", "p", json!({}));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("200 facts as written"), "{hover}");
    let cancelled =
        editor.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri(&file) } }));
    editor.tell("$/cancelRequest", json!({ "id": cancelled }));
    let answer = editor.answer(cancelled);
    assert!(answer["result"].is_object() || answer["error"]["code"] == -32800, "{answer}");
    editor.open(&huge, &"p(abcdefgh).\n".repeat(1_500_000));
    editor.wait_for(&huge, |list| list.iter().any(|one| one["message"].as_str().unwrap().contains("16 MiB")));
    let hover = editor.ask_at("hover", &file, "p", "p", json!({}));
    assert!(hover["contents"]["value"].is_string(), "{hover}");
    assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
    assert_eq!(editor.leave(), 0);
}

/// All rule files that come with Ludolog, open together: every request has an answer that is none of an error.
#[test]
fn every_shipped_rule_file_has_answers() {
    let (_kept, folder) = folder();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let files = rule_files(&rules);
    assert!(files.len() > 20, "{}", files.len());
    let mut editor = Editor::new(&folder);
    for file in &files {
        editor.open(file, &std::fs::read_to_string(file).unwrap());
    }
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for method in ["codeLens", "foldingRange", "documentSymbol", "documentLink", "semanticTokens/full", "inlayHint"]
        {
            let answer = editor.ask_about(method, file, json!({ "range": range }));
            assert!(answer["message"].is_null(), "{method} of {}: {answer}", file.display());
        }
        let options = json!({ "options": { "tabSize": 4, "insertSpaces": true } });
        let edits = editor.ask_about("formatting", file, options);
        let syntax = Syntax::of(file).unwrap();
        let mut sources = Sources::new();
        let source = sources.add("text", text.as_str());
        let canonical = print(&parse(source, &sources, syntax).program, syntax);
        assert_eq!(edited(&text, &edits), canonical, "{}", file.display());
    }
    assert_eq!(editor.leave(), 0);
}

/// The rule files below a folder.
fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if Syntax::of(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// A text that was edited bit by bit is the text that is opened as a whole.
    #[test]
    fn edits_one_by_one_make_the_text(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[a-c𝔸ü()., X\n\r%]{0,6}"), 1..40)
    ) {
        let (_kept, folder) = folder();
        let mut editor = Editor::new(&folder);
        let edited_file = folder.join("edited.dl");
        let mut text = "p(a). 𝔸% ü\nq(X) :- p(X).\n".to_owned();
        editor.open(&edited_file, &text);
        for (from, to, new) in edits {
            let bounds: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            // Between `\r` and `\n` there is no position.
            let is_place = |at: &usize| !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'));
            let bounds: Vec<usize> = bounds.into_iter().filter(is_place).collect();
            let [a, b] = [bounds[from.index(bounds.len())], bounds[to.index(bounds.len())]];
            let [start, end] = [a.min(b), a.max(b)];
            let range = json!({ "start": position_of(&text, start), "end": position_of(&text, end) });
            editor.change(&edited_file, json!([{ "range": range, "text": new }]));
            text.replace_range(start..end, &new);
        }
        let whole = folder.join("whole.dl");
        editor.open(&whole, &text);
        let of_edited = editor.ask_about("semanticTokens/full", &edited_file, json!({}));
        let of_whole = editor.ask_about("semanticTokens/full", &whole, json!({}));
        prop_assert_eq!(of_edited, of_whole);
        prop_assert_eq!(editor.leave(), 0);
    }
}

/// The position of a byte in a text with line ends of all kinds.
fn position_of(text: &str, byte: usize) -> Value {
    let before = text[..byte].replace("\r\n", "\n").replace('\r', "\n");
    position(&before, before.len())
}
