//! The settings for editors against the words of the language.
//!
//! `LUDOLOG_UPDATE=1 cargo test --test suite -- editors` writes the TextMate grammars anew.

use ludolog::syntax::{Syntax, keywords};
use ludolog::workspace::describe::gdl_keywords;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/lsp/editors")
}

fn text(file: &str) -> String {
    std::fs::read_to_string(editors().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The words that a syntax keeps for itself, GDL's among them in its own.
fn words(syntax: Syntax) -> Vec<&'static str> {
    let mut words = keywords(syntax);
    if syntax == Syntax::Kif {
        words.extend(gdl_keywords().map(|(name, ..)| name));
    }
    words
}

/// A pattern of one scope.
fn pattern(scope: &str, matched: &str) -> Value {
    json!({ "name": scope, "match": matched })
}

fn block(scope: &str, begin: &str, end: &str) -> Value {
    json!({ "name": scope, "begin": begin, "end": end })
}

/// The TextMate grammar of a syntax.
fn grammar(syntax: Syntax) -> Value {
    let words = words(syntax).join("|");
    match syntax {
        Syntax::Datalog => json!({
            "name": "Datalog (Ludolog)",
            "scopeName": "source.datalog",
            "fileTypes": ["dl"],
            "patterns": [
                pattern("comment.line.percentage.datalog", "%.*$"),
                pattern("comment.line.double-slash.datalog", "//.*$"),
                block("comment.block.datalog", r"/\*", r"\*/"),
                pattern("variable.other.datalog", r#"\?(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")"#),
                pattern("string.quoted.single.datalog", r"'(?:[^'\\]|\\.|'')*'"),
                pattern("string.quoted.double.datalog", r#""(?:[^"\\]|\\.)*""#),
                pattern("constant.numeric.datalog", r"(?<![A-Za-z0-9_])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\b"),
                pattern("keyword.other.datalog", &format!(r"\b(?:{words})\b")),
                pattern("variable.other.datalog", r"\b[A-Z_][A-Za-z0-9_]*\b"),
                pattern("entity.name.function.datalog", r"\b[a-z][A-Za-z0-9_]*(?=\s*\()"),
                pattern("constant.other.symbol.datalog", r"\b[a-z][A-Za-z0-9_]*\b"),
                pattern("keyword.operator.datalog", r":-|\?-|==>|=:=|=\\=|\\=|\\\+|[!=<>]=?|=<|\.\.|[&|~,;:+*/-]"),
            ],
        }),
        Syntax::Kif => json!({
            "name": "Game Description Language",
            "scopeName": "source.gdl",
            "fileTypes": ["kif", "gdl"],
            "patterns": [
                pattern("comment.line.semicolon.gdl", ";.*$"),
                block("comment.block.gdl", r"#\|", r"\|#"),
                pattern("variable.other.gdl", r#"\?(?:\|(?:[^|\\]|\\.)*\||[^\s()|";-][^\s()|";]*)"#),
                pattern("string.quoted.other.gdl", r"\|(?:[^|\\]|\\.)*\|"),
                pattern("string.quoted.double.gdl", r#""(?:[^"\\]|\\.)*""#),
                pattern("constant.numeric.gdl", r"(?<=[\s(])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?=[\s)]|$)"),
                pattern("keyword.operator.gdl", r"(?<=\()(?:<=|==>|\?-|=:=|=\\=|>=|[=<>])(?=[\s)]|$)"),
                pattern("keyword.other.gdl", &format!(r"(?i)(?<=[\s(]|^)(?:{words})(?=[\s)]|$)")),
                pattern("entity.name.function.gdl", r#"(?<=\()[^\s()|";?]+"#),
                pattern("constant.other.symbol.gdl", r#"[^\s()|";]+"#),
            ],
        }),
    }
}

#[test]
fn textmate_grammars_have_the_words_of_the_language() {
    for (syntax, name) in [(Syntax::Datalog, "datalog"), (Syntax::Kif, "gdl")] {
        let file = format!("vscode/syntaxes/{name}.tmLanguage.json");
        let made = format!("{:#}\n", grammar(syntax));
        if std::env::var_os("LUDOLOG_UPDATE").is_some() {
            std::fs::write(editors().join(&file), &made).expect("the grammar is written");
        }
        assert_eq!(text(&file), made, "{file}: LUDOLOG_UPDATE=1 writes it");
    }
}

/// The queries of the tree-sitter grammars name the same words, and so does the grammar whose syntax has them as tokens.
#[test]
fn tree_sitter_grammars_have_the_words_of_the_language() {
    let file = "tree-sitter/gdl/queries/highlights.scm";
    let listed = words(Syntax::Kif).iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ");
    let line = format!("((word) @keyword (#any-of? @keyword {listed}))");
    let is_of_words = |line: &&str| line.starts_with("((word) @keyword (#any-of?");
    if std::env::var_os("LUDOLOG_UPDATE").is_some() {
        let made = text(file)
            .lines()
            .map(|old| if is_of_words(&old) { &line } else { old }.to_owned() + "\n")
            .collect::<String>();
        std::fs::write(editors().join(file), made).expect("the queries are written");
    }
    assert_eq!(text(file).lines().find(is_of_words), Some(line.as_str()), "{file}: LUDOLOG_UPDATE=1 writes it");
    let grammar = text("tree-sitter/datalog/grammar.js");
    for word in words(Syntax::Datalog) {
        assert!(grammar.contains(&format!("{word:?}")), "{word}");
    }
}

#[test]
fn every_editor_knows_the_words_the_marks_and_the_extensions() {
    let emacs = text("emacs/ludolog.el");
    for (syntax, list) in [(Syntax::Datalog, "ludolog-datalog-keywords"), (Syntax::Kif, "ludolog-gdl-keywords")] {
        let start = emacs.find(&format!("(defvar {list}")).expect(list);
        let quoted = &emacs[start..][..emacs[start..].find(')').expect("the end of the list")];
        let known: BTreeSet<&str> = quoted.split('"').skip(1).step_by(2).collect();
        assert_eq!(known, words(syntax).into_iter().collect(), "{list}");
    }
    let extensions = ["dl", "kif", "gdl"];
    for extension in extensions {
        assert!(Syntax::of(Path::new(&format!("rules.{extension}"))).is_some());
        assert!(text("neovim/ludolog.lua").contains(&format!("{extension} = \"")));
        assert!(text("helix/languages.toml").contains(&format!("\"{extension}\"")));
        assert!(text("vscode/package.json").contains(&format!("\".{extension}\"")));
        assert!(emacs.contains(extension));
    }
    // Comments begin as the languages say.
    for (syntax, mark, file) in [(Syntax::Datalog, "%", "datalog"), (Syntax::Kif, ";", "gdl")] {
        let program = ludolog::syntax::print(
            &ludolog::syntax::ast::Program { trailing: vec!["remark".into()], ..Default::default() },
            syntax,
        );
        assert_eq!(program, format!("{mark} remark\n"));
        let settings: Value =
            serde_json::from_str(&text(&format!("vscode/language-configuration.{file}.json"))).unwrap();
        assert_eq!(settings["comments"]["lineComment"], mark);
        assert!(text("helix/languages.toml").contains(&format!("comment-tokens = \"{mark}\"")));
        assert!(text("neovim/ludolog.lua").contains(&format!("{file} = \"{mark} %s\"")));
    }
}

/// The commands of lenses are those that editors have.
#[test]
fn every_command_of_a_lens_is_known() {
    for command in ["run", "play", "ask", "why"] {
        let name = format!("ludolog.{command}");
        assert!(text("neovim/ludolog.lua").contains(&name));
        assert!(text("vscode/package.json").contains(&name));
    }
}

/// Emacs reads its file, where it is installed.
#[test]
fn emacs_reads_its_file() {
    let file = editors().join("emacs/ludolog.el");
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/games/tic-tac-toe.kif");
    let tested = "(progn (find-file (getenv \"RULES\")) (unless (eq major-mode 'ludolog-gdl-mode) (kill-emacs 3)))";
    let ran = Command::new("emacs")
        .args(["--batch", "--load"])
        .arg(&file)
        .args(["--eval", tested])
        .env("RULES", rules)
        .output();
    let Ok(output) = ran else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Neovim speaks with the server, where it is installed: a typo is told.
#[test]
fn neovim_shows_what_the_server_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rules.dl"), "edge(a, b).\npath(X, Y) :- egde(X, Y).\n").expect("the rules");
    let script = "
        local told
        vim.wait(20000, function()
          told = vim.diagnostic.get(0)[1]
          return told ~= nil
        end, 50)
        io.stdout:write(told and (told.lnum .. ' ' .. told.message) or 'nothing')
        vim.cmd('qall!')";
    std::fs::write(folder.path().join("told.lua"), script).expect("the script");
    let binaries = crate::binary::path();
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = Command::new("nvim")
        .args(["--headless", "--clean", "--cmd"])
        .arg(format!("luafile {}", editors().join("neovim/ludolog.lua").display()))
        .args(["rules.dl", "-c", "luafile told.lua"])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", binaries.parent().expect("its folder").display()))
        .env("XDG_STATE_HOME", folder.path())
        .output();
    let Ok(output) = ran else { return };
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("1 nothing defines `egde/2`") && told.contains("did you mean `edge`?"), "{told}");
}
