//! Tables: facts from CSV and TSV and back, and what is wrong with those that are none.

use crate::binary;
use flate2::Compression;
use flate2::write::GzEncoder;
use ludolog::diagnostic::Span;
use ludolog::diagnostic::{Diagnostics, Sources, render};
use ludolog::engine::{Budget, Case, ENGINES, Engine, Session, Setting};
use ludolog::files::FileSystem;
use ludolog::game::Draw;
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Item, Predicate, Program, Rule, Statement, Term};
use ludolog::syntax::{self, FactFile, Files, Syntax, Unreadable, is_integer};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::iter;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn directory<T: AsRef<[u8]>>(files: &[(&str, T)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, content)| std::fs::write(directory.path().join(name), content).unwrap());
    directory
}

/// Standard output and standard error of a run in a directory.
fn ludolog(directory: &Path, args: &[&str], input: &str) -> (String, String) {
    let (_, told, complaints) = binary::run(directory, args, input);
    (told, complaints)
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn read(files: &dyn Files, file: FactFile) -> Result<String, String> {
    let mut sources = Sources::new();
    let facts = syntax::load_facts(files, &[file], None, None, &mut sources, &Budget::unlimited());
    match facts.expect("nothing stops it") {
        Ok(facts) => {
            Ok(facts.into_atoms().iter().map(|fact| syntax::print_atom(fact, Syntax::Datalog) + " ").collect())
        }
        Err(wrong) => Err(lines(&wrong, &sources)),
    }
}

fn lines(wrong: &Diagnostics, sources: &Sources) -> String {
    render::to_lines(wrong, sources)
}

#[test]
fn names_and_extensions_say_what_a_file_is() {
    let rows = "to,from\n1,2\n";
    let directory = directory(&[
        ("edge.csv", rows.as_bytes().to_vec()),
        ("arc.tsv.gz", compressed("a\t-5\n")),
        ("data.txt", b"1\t2,3\n".to_vec()),
        ("pair.jsonl", b"[1, \"2\"]\r\n\n[-9223372036854775808, \"caf\\u00e9 \\\"x\\\"\"]\n".to_vec()),
        ("zero.jsonl", b"[-0, \"-0.0\"]\n[-0.0, -0e0]\n[0, -0]\n".to_vec()),
        ("of.jsonl.gz", compressed("{\"b\": true, \"a\": 1}\n{\"a\": 2, \"b\": \"no\"}")),
        ("rules.dl", b"p(1).".to_vec()),
    ]);
    let file = |text: &str| text.parse::<FactFile>().unwrap();
    let read = |mut file: FactFile| {
        file.path = directory.path().join(&file.path);
        read(&FileSystem, file)
    };
    assert_eq!(read(file("edge.csv")).unwrap(), "edge(to, from) edge(1, 2) ");
    assert_eq!(read(FactFile { header: true, ..file("road=edge.csv") }).unwrap(), "road(1, 2) ");
    assert_eq!(read(file("arc.tsv.gz")).unwrap(), "arc(a, -5) ");
    assert_eq!(read(file("t=data.txt")).unwrap(), "t(1, '2,3') ");
    assert_eq!(
        read(FactFile { header: true, ..file("pair.jsonl") }).unwrap(),
        "pair(1, '2') pair(-9223372036854775808, 'café \"x\"') "
    );
    // An integer has no negative zero, whatever the reader of JSON makes of it.
    assert_eq!(read(file("zero.jsonl")).unwrap(), "zero(0, '-0.0') zero(0.0, 0.0) zero(0, 0) ");
    assert_eq!(read(file("of.jsonl.gz")).unwrap(), "of(true, 1) of(no, 2) ");
    assert!(read(file("p=rules.dl")).unwrap_err().contains("rule file"));
    assert_eq!(file("./a=b.csv"), PathBuf::from("./a=b.csv").into());
}

#[test]
fn bad_tables_are_told_with_file_line_and_what_was_expected() {
    let mut torn = compressed(&"1,2\n".repeat(1000));
    torn.truncate(torn.len() - 10);
    let long = format!("{}1,2,3\n", "1,2\n".repeat(200_000));
    let cases: &[(&str, &[u8], &str)] = &[
        ("ragged.csv", b"1,2\n\n3\n", "ragged.csv:3:1: error[arity-mismatch]: the rows of this table differ in length"),
        ("long.csv", long.as_bytes(), "long.csv:200001:1: error[arity-mismatch]"),
        ("latin.csv", b"a,b\nc,caf\xE9\n", "latin.csv:2:6: error[not-text]: this text is not in UTF-8"),
        ("wide.tsv", b"\xFF\xFE1\0,\0", "error[not-text]:"),
        ("mac.csv", b"a,b\rc,d\r", "mac.csv:1:4: error[syntax]: a carriage return stands alone"),
        ("open.csv", b"a,b\nc,\"d\ne,f\n", "open.csv:2:3: error[syntax]: a quote is never closed"),
        ("behind.csv", b"\"a\"b,c\n", "behind.csv:1:4: error[syntax]: a field goes on behind its closing quote"),
        ("large.tsv", b"1\t2\n3\t9223372036854775808\n", "large.tsv:2:3: error[syntax]: this integer is too large"),
        ("torn.csv.gz", &torn, "cannot be read: its compressed data has no end"),
        ("plain.csv.gz", b"1,2\n", "plain.csv.gz:1:1: error[unreadable-file]"),
        ("missing.csv.gz", b"", "has no end"),
        ("open.jsonl", b"[1,2]\n[3,\n", "open.jsonl:2:3: error[syntax]: this line is no row of JSON"),
        ("ragged.jsonl", b"[1,2]\n[3]\n", "ragged.jsonl:2:1: error[arity-mismatch]"),
        ("null.jsonl", b"{\"a\":1}\n{\"a\":null}\n", "null.jsonl:2:1: error[syntax]"),
        ("keys.jsonl", b"{\"a\":1,\"b\":2}\n{\"b\":1,\"c\":2}\n", "keys.jsonl:2:1: error[syntax]"),
        ("mixed.jsonl", b"[1]\n{\"a\":2}\n", "mixed.jsonl:2:1: error[syntax]"),
        ("twice.jsonl", b"{\"a\":1,\"b\":2}\n{\"a\":1,\"a\":2,\"b\":3}\n", "twice.jsonl:2:12: error[syntax]"),
        ("nested.jsonl", b"[[1]]\n", "nested.jsonl:1:1: error[syntax]"),
        ("large.jsonl", b"[9223372036854775808]\n", "large.jsonl:1:1: error[syntax]"),
        ("float.jsonl", b"[1.5]\n[1e999]\n", "float.jsonl:2:"),
    ];
    let directory = directory(&cases.iter().map(|(name, content, _)| (*name, *content)).collect::<Vec<_>>());
    for (name, _, expected) in cases {
        let message = read(&FileSystem, directory.path().join(name).into()).unwrap_err();
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn many_mistakes_do_not_fill_the_screen_for_ever() {
    let directory = directory(&[("many.csv", format!("1,2\n{}", "1\n".repeat(5000)))]);
    let message = read(&FileSystem, directory.path().join("many.csv").into()).unwrap_err();
    assert_eq!(message.lines().count(), 1001);
    let last = message.lines().last().unwrap_or_default();
    assert!(last.contains("many.csv:1002:1: error[too-many-mistakes]: there are more than 1000 mistakes"), "{last}");
    // As many as are told are all told.
    let directory = self::directory(&[("many.csv", format!("1,2\n{}", "1\n".repeat(1000)))]);
    let message = read(&FileSystem, directory.path().join("many.csv").into()).unwrap_err();
    assert_eq!((message.lines().count(), message.contains("too-many")), (1000, false));
}

/// A file that changes while it is read.
struct Changing;

impl Read for Changing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it changed while it was read"))
    }
}

impl Files for Changing {
    fn read(&self, _: &Path) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::NotFound)
    }

    fn open(&self, _: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        Ok(Box::new(b"1,2\n3,4\n5".chain(Changing)))
    }

    fn identity(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

#[test]
fn a_file_that_changes_is_told() {
    let directory = directory(&[("edge.csv", "1,2\n")]);
    let path = directory.path().join("edge.csv");
    let mut reader = FileSystem.open(&path).unwrap();
    std::fs::write(&path, "1,2\n3,4\n").unwrap();
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "it changed while it was read");
    let message = read(&Changing, "edge.csv".into()).unwrap_err();
    assert!(
        message.contains("edge.csv:3:2: error[unreadable-file]: `edge.csv` cannot be read: it changed"),
        "{message}"
    );
}

#[test]
fn tables_that_nothing_reads_are_told() {
    let directory = directory(&[
        ("path.dl", "path(X, Y) :- edge(X, Y)."),
        ("edgs.csv", "1,2\n"),
        ("edge.csv", "1,2,3\n"),
        ("other.tsv", "x\n"),
    ]);
    let (out, told) = ludolog(
        directory.path(),
        &["facts", "path.dl", "--facts", "edgs.csv", "--facts", "edge.csv", "--facts", "other.tsv"],
        "",
    );
    assert_eq!(out, "");
    for expected in
        ["did you mean `edge`? Then give it as `edge=edgs.csv`", "`edge/3`, and the rules read `edge/2`", "`other/1`"]
    {
        assert!(told.contains(expected), "{told}");
    }
    let (out, told) =
        ludolog(directory.path(), &["query", "path.dl", "other(X)", "--facts", "other.tsv", "--format", "csv"], "");
    assert_eq!((out.as_str(), told.matches("nothing").count()), ("X\nx\n", 1), "{told}");
    assert!(told.contains("nothing defines `edge/2`"), "{told}");
    let renamed = ["facts", "path.dl", "--facts", "edge=edgs.csv"];
    assert_eq!(ludolog(directory.path(), &renamed, ""), ("path(1, 2).\n".to_owned(), String::new()));
}

/// Only rows of texts above numbers: names above names, and a table of one row, may be meant.
#[test]
fn a_header_that_is_read_as_a_fact_is_told() {
    let rules = "players(N) :- N = count { X : score(X, _) }.";
    let directory = directory(&[("rules.dl", rules), ("input.dl", ":- input(score, 'score.csv', header).")]);
    for (table, players, is_told) in [
        ("name,points\nann,3\nbob,5\n", 3, true),
        ("name,points\nann,2.5\nbob,-3\n", 3, true),
        ("name,points\nann,3\nbob,none\n", 3, false),
        ("from,to\nann,bob\nbob,cid\n", 3, false),
        ("ann,3\nbob,5\n", 2, false),
        ("name,points\n", 1, false),
    ] {
        std::fs::write(directory.path().join("score.csv"), table).unwrap();
        let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "score.csv"], "");
        assert_eq!(out, format!("players({players}).\n"), "{table}");
        let expected = "warning[header-row]: the first row of `score.csv` looks like a header";
        assert_eq!(told.contains(expected), is_told, "{table}{told}");
        assert!(!is_told || told.contains("`:- input(score, 'score.csv', header).`"), "{told}");
    }
    std::fs::write(directory.path().join("score.csv"), "name,points\nann,3\nbob,5\n").unwrap();
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "input.dl"], "");
    assert_eq!((out.as_str(), told.as_str()), ("players(2).\n", ""));
    // The row behind a header is none, whatever it looks like.
    let table = "name,points\nann,\"2.800.000\"\nbob,\"700.000\"\n";
    std::fs::write(directory.path().join("score.csv"), table).unwrap();
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "input.dl"], "");
    assert!(out == "players(2).\n" && !told.contains("header-row"), "{told}");
    std::fs::write(directory.path().join("my-score.csv"), "name,points\nann,3\n").unwrap();
    let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "my-score.csv"], "");
    assert!(told.contains("`:- input('my-score', 'my-score.csv', header).`"), "{told}");
}

/// A first row that is left out, and would be a row as the others are.
#[test]
fn a_row_that_is_left_out_as_a_header_is_told() {
    let rules = ":- input(way, 'way.csv', header). ways(N) :- N = count { X, Y : way(X, Y) }.";
    let typed = format!(":- type(way, symbol, integer). {rules}");
    let directory = directory(&[("rules.dl", rules), ("typed.dl", &typed)]);
    for (table, ways, is_told) in [
        ("1,2\n3,4\n", 1, true),
        ("1,2.5\n3,4.5\n", 1, true),
        ("a,1\nb,2\na,3\n", 2, true),
        ("a,b\nb,a\na,c\nd,b\n", 3, true),
        ("7,8\n", 0, true),
        ("from,to\na,b\n", 1, false),
        ("country,2025\noslo,12\nrome,31\n", 2, false),
        ("a,b\nb,c\nc,d\n", 2, false),
    ] {
        std::fs::write(directory.path().join("way.csv"), table).unwrap();
        let (out, told) = ludolog(directory.path(), &["facts", "rules.dl"], "");
        assert_eq!(out, format!("ways({ways}).\n"), "{table}");
        let row = table.lines().next().unwrap();
        let expected = format!(
            "warning[header-row]: the first row of `way.csv` is left out as a header, and looks like the others: `{row}`"
        );
        assert_eq!(told.contains(&expected), is_told, "{table}{told}");
    }
    std::fs::write(directory.path().join("way.csv"), "a,1\nb,2\na,3\n").unwrap();
    assert!(
        ludolog(directory.path(), &["facts", "rules.dl"], "")
            .1
            .contains("declare the columns: `:- type(way, any, any).`")
    );
    assert_eq!(ludolog(directory.path(), &["facts", "typed.dl"], ""), ("ways(2).\n".to_owned(), String::new()));
    std::fs::write(directory.path().join("score.csv"), "a,1\nb,2\na,3\n").unwrap();
    std::fs::write(directory.path().join("score.dl"), "p(X) :- score(X, _).").unwrap();
    let (_, told) = ludolog(directory.path(), &["facts", "score.dl", "--facts", "score.csv", "--header"], "");
    assert!(told.contains("`score.csv` is left out as a header"), "{told}");
}

#[test]
fn orders_of_dates_with_the_year_behind_are_told_by_all_values() {
    let rules = [("rules.dl", "before(X, Y) :- held(X, D) & held(Y, E) & D < E."), ("more.dl", "held(gala, unknown).")];
    let directory = directory(&rules);
    for (table, is_told) in [
        ("fair,03.10.2026\nball,28.02.2027\n", true),
        ("fair,10/3/2026\n", true),
        ("fair,3-10-2026\nball,28-2-2027\n", true),
        ("fair,2026-10-03\n", false),
        ("fair,03.10.2026\nball,never\n", false),
        ("fair,03.10.2026\nball,7\n", false),
        ("fair,03.10.26\n", false),
        ("fair,1.2.2026.1\n", false),
    ] {
        std::fs::write(directory.path().join("held.csv"), table).unwrap();
        let told =
            |rules: &[&str]| ludolog(directory.path(), &[&["facts"], rules, &["--facts", "held.csv"]].concat(), "").1;
        let warning = told(&["rules.dl"]);
        assert_eq!(
            warning.contains("warning[character-order]: `D` is ordered by its characters"),
            is_told,
            "{table}{warning}"
        );
        assert!(!told(&["rules.dl", "more.dl"]).contains("character-order"), "{table}");
    }
}

#[test]
fn orders_of_quantities_are_told_by_two_that_are_misread() {
    let directory = directory(&[("rules.dl", "less(A, B) :- share(A, X) & share(B, Y) & X < Y.")]);
    for (table, expected) in [
        ("a,7%\nb,50%\n", "`'50%'` comes before `'7%'`"),
        ("a,$3.50\nb,$10.00\n", "`'$10.00'` comes before `'$3.50'`"),
        ("a,9:30\nb,9:45\nc,10:15\n", "`'10:15'` comes before `'9:30'`"),
        ("a,1.9.0\nb,1.10.0\n", "`'1.10.0'` comes before `'1.9.0'`"),
        // In the order of their numbers.
        ("a,07%\nb,50%\n", ""),
        ("a,$3.50\nb,$3.6\n", ""),
        ("a,09:30\nb,10:15\n", ""),
        ("a,2026-11-29\nb,2026-12-01\n", ""),
        // Names, which are ordered to take each pair once.
        ("a,n9\nb,n10\n", ""),
        ("a,9 kg\nb,10 lb\n", ""),
        ("a,7%\nb,50%\nc,all\n", ""),
    ] {
        std::fs::write(directory.path().join("share.csv"), table).unwrap();
        let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "share.csv"], "");
        assert_eq!(told.contains("warning[character-order]"), !expected.is_empty(), "{table}{told}");
        assert!(told.contains(expected), "{table}{told}");
    }
}

/// The same where the best of a column is kept, and where a column is held against one of such texts.
#[test]
fn orders_of_quantities_are_told_of_lattice_columns_and_constants() {
    for rule in
        ["best(max P) :- share(_, P).", "few(A) :- share(A, P) & P < '9%'.", "few(A) :- share(A, P) & '9%' > P."]
    {
        let directory = directory(&[("rules.dl", rule)]);
        for (table, is_told) in [("a,7%\nb,50%\n", true), ("a,7%\nb,8%\n", false)] {
            std::fs::write(directory.path().join("share.csv"), table).unwrap();
            let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "share.csv"], "");
            assert_eq!(told.contains("warning[character-order]: `P` is ordered"), is_told, "{rule}{table}{told}");
        }
    }
}

/// Decimals of a table are symbols: those of a lattice column, and those that are joined with integers or are to equal one.
#[test]
fn decimals_that_meet_integers_are_told() {
    let of_integers = "is an integer, and the column has none";
    for (rule, expected) in [
        ("best(max P) :- sal(P, _).", "`max` takes the values as symbols"),
        ("r(N, S) :- id(I, N) & sal(I, S).", of_integers),
        ("r(N) :- id(I, N) & ~sal(I, _).", of_integers),
        ("r(S) :- sal(1, S).", of_integers),
        ("r(S) :- sal(P, S) & P = 1.", "an integer and a symbol are never equal"),
        ("r(S) :- sal(P, S) & P != 1.", "an integer and a symbol are never equal"),
        ("best(max S) :- sal(_, S).", ""),
        ("r(N, S) :- id(I, N) & sal(_, I) & sal(_, S).", ""),
    ] {
        let directory = directory(&[("rules.dl", rule), ("sal.csv", "1.0,5\n2.0,6\n"), ("id.csv", "5,ann\n6,bob\n")]);
        let args = ["facts", "rules.dl", "--facts", "sal.csv", "--facts", "id.csv"];
        let (_, told) = ludolog(directory.path(), &args, "");
        assert_eq!(told.contains("mixed-numbers"), !expected.is_empty(), "{rule}\n{told}");
        assert!(told.contains(expected), "{rule}\n{told}");
    }
}

#[test]
fn columns_that_semicolons_separate_are_told_by_decimal_commas() {
    let directory = directory(&[("rules.dl", "wet(X) :- rain(X, Y) & Y > 2."), ("any.dl", ":- type(rain, any, any).")]);
    for (table, is_told) in [
        ("Rome;3,5\nOslo;1,5\n", true),
        ("1,5;a\n2,5;b\n", true),
        ("Rome;3,5\n", true),
        ("Rome;3,5\nOslo,1\n", false),
        ("Rome;3,5\nOslo;1;2,5\n", false),
        ("a;b,c\na;b,d\n", false),
        ("1,2\n3,4\n", false),
    ] {
        std::fs::write(directory.path().join("rain.csv"), table).unwrap();
        let told =
            |rules: &[&str]| ludolog(directory.path(), &[&["facts"], rules, &["--facts", "rain.csv"]].concat(), "").1;
        assert_eq!(told(&["rules.dl"]).contains("warning[column-separator]"), is_told, "{table}");
        assert!(!told(&["rules.dl", "any.dl"]).contains("column-separator"), "{table}");
    }
}

#[test]
fn quotation_marks_that_are_part_of_all_values_of_a_column_are_told() {
    let directory = directory(&[
        ("rules.dl", "friend(X) :- likes(ann, X)."),
        ("more.dl", ":- input(likes, 'likes.csv').\n:- type(likes, symbol, symbol)."),
    ]);
    for (file, table, column) in [
        (
            "likes.csv",
            "'ann','bob'\n'bob','eve'\n",
            "column 1 of `likes.csv` stand in quotation marks, which are part of them: `'\\'ann\\''`",
        ),
        ("likes.csv", "ann,'bob'\nbob,''\n", "column 2 of `likes.csv`"),
        ("likes.csv", "1,“bob”\n2,“eve”\n", "column 2 of `likes.csv`"),
        (
            "likes.tsv",
            "\"ann\"\t1\n\"bob\"\t2\n",
            "column 1 of `likes.tsv` stand in quotation marks, which are part of them: `'\"ann\"'`",
        ),
        // Marks of some values, one mark alone, and those that quote.
        ("likes.csv", "'ann',bob\nbob,'eve'\n", ""),
        ("likes.csv", "'tis,'\n'twas,'\n", ""),
        ("likes.csv", "\"ann\",\"bob\"\n\"bob\",\"eve\"\n", ""),
    ] {
        std::fs::write(directory.path().join(file), table).unwrap();
        let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", file], "");
        assert_eq!(told.contains("warning[quoted-field]"), !column.is_empty(), "{table}{told}");
        assert!(told.contains(column), "{table}{told}");
    }
    let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "more.dl"], "");
    assert!(!told.contains("quoted-field"), "{told}");
}

#[test]
fn missing_values_among_numbers_are_told_where_they_are_compared() {
    let directory = directory(&[("types.dl", ":- input(age, 'age.csv').\n:- type(age, symbol, any).")]);
    let told_of = |table: &str, rule: &str, more: &[&str]| {
        std::fs::write(directory.path().join("age.csv"), table).unwrap();
        std::fs::write(directory.path().join("rules.dl"), rule).unwrap();
        ludolog(directory.path(), &[&["facts", "rules.dl"], more].concat(), "").1
    };
    let given = &["--facts", "age.csv"];
    let over = "over(X) :- age(X, A) & A > 25.";
    for (table, rule, expected) in [
        ("ann,31\nbob,NA\n", over, "`A` is no number in 1 row of `age.csv`: `'NA'`"),
        ("ann,31\nbob,\neve,-\n", over, "`A` is no number in 2 rows of `age.csv`: `''`"),
        ("ann,31\nbob,NA\neve,\n", over, "in 2 rows of `age.csv`: `'NA'` and `''`"),
        ("ann,31\nbob,NA\neve,\n", over, "found by `age(_, 'NA')` and `age(_, '')`; if"),
        ("ann,31\nbob,null\n", "next(X, B) :- age(X, A) & B is A + 1.", "found by `age(_, null)`"),
        ("ann,31\nbob,N/A\n", "young(X) :- age(X, A) & ~(A > 25).", "in 1 row of `age.csv`: `'N/A'`"),
        (
            "ann,31\nbob,?\n",
            "older(X, Y) :- age(X, A) & age(Y, B) & A > B.",
            "`A` is no number in 1 row of `age.csv`: `'?'`",
        ),
        // Other symbols, no numbers, and rules that ask for no number, or tell them from symbols.
        ("ann,31\nbob,NA\n", "over(X) :- age(X, A) & 'NA' != A & A > 25.", ""),
        ("ann,31\nbob,old\n", over, ""),
        ("ann,na\nbob,NA\n", over, ""),
        ("ann,31\nbob,NA\n", "same(X, Y) :- age(X, A) & age(Y, A) & A != 31.", ""),
        ("ann,31\nbob,NA\n", "over(X) :- age(X, A) & A > 25. % ludolog: allow missing-values", ""),
    ] {
        let told = told_of(table, rule, given);
        assert_eq!(told.contains("warning[missing-values]"), !expected.is_empty(), "{table}{rule}\n{told}");
        assert!(told.contains(expected), "{table}{rule}\n{told}");
    }
    let told = told_of("ann,31\nbob,NA\n", over, &["types.dl"]);
    assert!(!told.contains("missing-values"), "{told}");
}

/// To allow an unknown predicate would hide that the table is not read.
#[test]
fn a_table_of_another_number_of_columns_is_no_reason_to_allow_an_unknown_predicate() {
    let directory = directory(&[("rules.dl", "path(X, Y) :- edge(X, Y)."), ("edge.csv", "a,b,1\nb,c,2\n")]);
    let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "edge.csv"], "");
    assert!(
        told.contains("nothing defines `edge/2`") && told.contains("the facts of `edge` have 3 arguments"),
        "{told}"
    );
    assert!(told.contains("warning[arity-mismatch]") && !told.contains("allow unknown-predicate"), "{told}");
}

/// Codes alone are of one type; integers beside them are of another one.
#[test]
fn numbers_that_are_spelled_in_several_ways_are_told() {
    let directory = directory(&[("rules.dl", "old(X) :- age(X, A) & A > 25.")]);
    let told_of = |table: &str, rules: &[&str]| {
        std::fs::write(directory.path().join("age.csv"), table).unwrap();
        let (_, told) = ludolog(directory.path(), &[&["facts"], rules, &["--facts", "age.csv"]].concat(), "");
        told
    };
    for (second, is_told) in [
        ("007", true),
        ("+31", true),
        ("-05", true),
        ("\"1,000\"", true),
        ("1_000_000", true),
        ("31", false),
        ("-31", false),
        ("\"31\"", false),
        ("unknown", false),
        ("2026-11-26", false),
        ("\"1,5\"", false),
        ("+", false),
    ] {
        let told = told_of(&format!("ann,31\nbob,{second}\n"), &["rules.dl"]);
        let spelled = second.trim_matches('"');
        let expected = format!("column 2 of `age.csv` has integers, and symbols that spell integers, as `'{spelled}'`");
        assert_eq!(told.contains(&expected), is_told, "{second}: {told}");
        assert_eq!(told.contains("`:- type(age, any, symbol).`"), is_told, "{second}: {told}");
    }
    assert!(!told_of("ann,007\nbob,012\n", &["rules.dl"]).contains("mixed-numbers"));
    std::fs::write(directory.path().join("types.dl"), ":- type(age, any, symbol).").unwrap();
    assert!(!told_of("ann,007\nbob,12\n", &["rules.dl", "types.dl"]).contains("mixed-numbers"));
}

/// Goals ask for symbols of a table, of facts and of heads, or for others. A column of a table may have any symbols that rules ask for.
#[test]
fn symbols_that_no_fact_has_are_told_where_they_are_slips() {
    let rules = "ancestor(X, Y) :- parent(X, Y).\nancestor(X, Z) :- ancestor(X, Y) & parent(Y, Z).\n\
                 of_carl(X) :- ancestor(X, carll).\nkind(X, person) :- parent(X, _).\n";
    let directory = directory(&[("rules.dl", rules), ("parent.csv", "anna,Bob\nBob,carl\n")]);
    let told = |goal: &str| ludolog(directory.path(), &["query", "rules.dl", goal, "--facts", "parent.csv"], "").1;
    for (goal, slip, meant) in [
        ("ancestor(ana, X)", "ana", None),
        ("ancestor(annna, X)", "annna", Some("anna")),
        ("ancestor('Anna', X)", "'Anna'", Some("anna")),
        ("ancestor(X, bob)", "bob", Some("'Bob'")),
        ("ancestor(X, Y) & Y != crl", "crl", None),
        ("kind(anna, persn)", "persn", Some("person")),
        ("kind(X, Y) & persno = Y", "persno", Some("person")),
        ("kind(X, thing)", "thing", None),
    ] {
        let told = told(goal);
        let expected = meant.map(|meant| format!("did you mean `{meant}`?"));
        assert_eq!(told.contains(&format!("no fact or rule has `{slip}`")), meant.is_some(), "{goal}: {told}");
        assert!(expected.is_none_or(|expected| told.contains(&expected)), "{goal}: {told}");
        assert!(!told.contains("carll"), "{told}");
    }
}

/// Rules may ask for what the tables of other days have, but hardly for what differs from a name of this one in capitals.
#[test]
fn symbols_and_variables_of_rules_that_a_table_has_in_capitals_are_told() {
    let directory = directory(&[("parent.csv", "Ann,Bob\n")]);
    for (rule, told) in [
        ("to_bob(X) :- parent(X, bob).", Some("no fact or rule has `bob`")),
        ("to_bob(X) :- parent(X, Y) & Y != bob.", Some("no fact or rule has `bob`")),
        ("to_bob(X) :- parent(X, 'Bob').", None),
        ("to_bob(X) :- parent(X, rob).", None),
        ("to_bob(X) :- parent(X, Bob).", Some("`Bob` is a variable here, and a symbol in the facts")),
        ("to_bob(Bob) :- parent(_, Bob).", None),
        ("to_bob(X) :- parent(X, Any).", None),
    ] {
        std::fs::write(directory.path().join("rules.dl"), rule).unwrap();
        let (_, warnings) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "parent.csv"], "");
        assert_eq!(warnings.contains("warning"), told.is_some(), "{rule}: {warnings}");
        assert!(told.is_none_or(|told| warnings.contains(told)), "{rule}: {warnings}");
    }
}

/// Of 17,576 names, each is near many others by its letters, and one by all but capitals.
#[test]
fn a_symbol_of_many_near_ones_is_told_by_capitals() {
    let letters = || 'a'..='z';
    let triples =
        letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| format!("name{a}{b}{c},x\n"))));
    let directory = directory(&[("rules.dl", "named(X) :- name(X, _)."), ("name.csv", &triples.collect::<String>())]);
    for (goal, meant) in [("named('nameXYZ')", Some("namexyz")), ("named(namexyzz)", None)] {
        let (_, told) = ludolog(directory.path(), &["query", "rules.dl", goal, "--facts", "name.csv"], "");
        let expected = meant.map(|meant| format!("did you mean `{meant}`?"));
        assert_eq!(told.contains("no fact or rule has"), meant.is_some(), "{goal}: {told}");
        assert!(expected.is_none_or(|expected| told.contains(&expected)), "{goal}: {told}");
    }
}

/// Facts are a set: of the sales, one and five are alike, and two of one column. The last aggregates take no rows one by one.
#[test]
fn equal_rows_that_are_counted_once_are_told() {
    let sales = "ann,3\nbob,5\nann,3\nann,4\nann,3\n";
    let directory = directory(&[("sale.csv", sales), ("price.csv", "3\n5\n3\n")]);
    for (rules, is_told) in [
        ("n(N) :- N = count { X, P : sale(X, P) }.", true),
        ("total(S) :- S = sum { P, X : sale(X, P) & P > 1 }.", true),
        ("mean(X, M) :- sale(X, _) & M = avg { P : sale(X, P) }.", true),
        ("people(N) :- N = count { X : sale(X, _) }.", false),
        ("most(M) :- M = max { P, X : sale(X, P) }.", false),
        ("both(N) :- N = count { X, Y : sale(X, P) & sale(Y, P) }.", false),
        ("bought(X) :- sale(X, _).", false),
        ("% ludolog: allow equal-values\nn(N) :- N = count { X, P : sale(X, P) }.", false),
    ] {
        std::fs::write(directory.path().join("rules.dl"), rules).unwrap();
        let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "sale.csv"], "");
        let expected = "warning[equal-values]: 2 rows of `sale.csv` are equal to earlier ones";
        assert_eq!(told.contains(expected), is_told, "{rules}{told}");
        assert_eq!(told.matches("warning").count(), usize::from(is_told), "{rules}{told}");
    }
    std::fs::write(directory.path().join("rules.dl"), "total(S) :- S = sum { P : price(P) }.").unwrap();
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "price.csv"], "");
    assert_eq!(out, "total(8).\n");
    assert!(told.contains("1 row of `price.csv` is equal to an earlier one"), "{told}");
    std::fs::write(directory.path().join("rules.dl"), "p(1). p(1). p(2). n(N) :- N = count { X : p(X) }.").unwrap();
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "--predicate", "n/1"], "");
    assert_eq!(out, "n(2).\n");
    assert!(told.contains("1 fact of `p/1` is equal to an earlier one"), "{told}");
}

/// Each table has the two columns that the rules read, for who wrote it.
#[test]
fn columns_that_no_comma_separates_are_told() {
    let directory = directory(&[("rules.dl", "old(X) :- age(X, A) & A > 25.")]);
    for (table, help) in [
        ("ann;31\n", "its rows have 2 columns if `;` separates them"),
        ("ann\t31\n", "its rows have 2 columns if `\\t` separates them"),
        ("ann|31\n", "its rows have 2 columns if `|` separates them"),
        ("ann;31;7\n", "its rows need 2 columns each"),
        ("31\n", "its rows need 2 columns each"),
    ] {
        std::fs::write(directory.path().join("age.csv"), table).unwrap();
        let (_, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "age.csv"], "");
        assert!(told.contains(help), "{table}{told}");
    }
}

/// A built-in condition has no facts, unless the rules say that their predicate does.
#[test]
fn a_table_named_as_a_built_in_condition_is_declared() {
    let rules = "boss(X) :- member(X, chess).";
    let directory = directory(&[
        ("rules.dl", rules),
        ("input.dl", ":- input(member, 'member.csv')."),
        ("member.csv", "ann,chess\nbob,go\n"),
    ]);
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "--facts", "member.csv"], "");
    assert_eq!(out, "");
    assert!(told.contains("`:- input(member, 'member.csv').`, in place of `--facts`"), "{told}");
    let declared = ludolog(directory.path(), &["facts", "rules.dl", "input.dl"], "");
    assert_eq!(declared, ("boss(ann).\n".to_owned(), String::new()));
    let asked = ludolog(directory.path(), &["query", "input.dl", "member(X, go)", "--format", "csv"], "");
    assert_eq!(asked, ("X\nbob\n".to_owned(), String::new()));
}

/// An empty file says nothing of its columns, but its predicate is no slip.
#[test]
fn a_table_without_rows_has_no_facts_and_no_warning() {
    let directory = directory(&[
        ("path.dl", "path(X, Y) :- edge(X, Y)."),
        ("with-input.dl", ":- input(edge, 'edge.tsv').\npath(X, Y) :- edge(X, Y) & ~closed(X)."),
        ("edge.tsv", ""),
    ]);
    let silent = (String::new(), String::new());
    assert_eq!(ludolog(directory.path(), &["facts", "path.dl", "--facts", "edge.tsv"], ""), silent);
    for command in ["facts", "check"] {
        let (_, told) = ludolog(directory.path(), &[command, "with-input.dl"], "");
        assert!(told.contains("`closed/1`") && !told.contains("`edge/2`"), "{told}");
    }
}

/// As the shell makes of `--facts *.tsv`.
#[test]
fn a_table_among_the_rule_files_is_told_its_place() {
    let directory =
        directory(&[("path.dl", "path(X, Y) :- edge(X, Y)."), ("edge.tsv", "1\t2\n"), ("edges.tsv.gz", "1\t2\n")]);
    let (out, told) =
        ludolog(directory.path(), &["facts", "path.dl", "--facts", "edge.tsv", "edges.tsv.gz", "Makefile"], "");
    assert_eq!(out, "");
    assert_eq!(told.matches("`--facts edges.tsv.gz`").count(), 1, "{told}");
}

#[test]
fn facts_come_in_every_format() {
    let directory =
        directory(&[("rules.dl", "p(X, Y) :- q(X, Y).\nr(X) :- q(X, f(X)).\nq(b, \"\").\nq(a, f(a)). z :- q(b, b).")]);
    let facts = |args: &[&str], input: &str| ludolog(directory.path(), &[&["facts", "rules.dl"], args].concat(), input);
    // The quotes of `""` in a rule file are a string, which is a symbol.
    let input = "k\tv\n2\t1\n1\tx y\n";
    let given = ["--facts", "q=-", "--header", "--predicate", "p/2"];
    let of = |format: &str| facts(&[&given[..], &["--format", format]].concat(), input);
    assert_eq!(of("dl").0, "p(1, 'x y').\np(2, 1).\np(a, f(a)).\np(b, '').\n");
    assert_eq!(of("kif").0, "(p 1 |x y|)\n(p 2 1)\n(p a (f a))\n(p b ||)\n");
    let jsonl = "{\"predicate\":\"p\",\"arguments\":[1,\"x y\"]}\n{\"predicate\":\"p\",\"arguments\":[2,1]}\n\
        {\"predicate\":\"p\",\"arguments\":[\"a\",\"f(a)\"]}\n{\"predicate\":\"p\",\"arguments\":[\"b\",\"\"]}\n";
    assert_eq!(of("jsonl").0, jsonl);
    let (_, told) = of("csv");
    assert!(told.contains("the facts of `p/2` are no table: f(a) is no constant"), "{told}");
    let (_, told) = facts(&["--format", "tsv"], "");
    assert!(told.contains("a table holds the facts of one predicate, and there are `p/2` and `r/1`"), "{told}");
}

#[test]
fn each_predicate_gets_its_file() {
    let directory = directory(&[(
        "rules.dl",
        "p(X, Y) :- q(X, Y).\n'a/b'(X) :- q(_, X).\nq(1, x). q(2, 'a,b').\nnone(X) :- q(X, _) & X > 2.",
    )]);
    let (out, told) = ludolog(directory.path(), &["facts", "rules.dl", "--format", "csv", "--output", "out"], "");
    assert_eq!((out.as_str(), told.as_str()), ("", ""));
    let file = |name: &str| std::fs::read_to_string(directory.path().join("out").join(name)).unwrap();
    assert_eq!(file("p.csv"), "1,x\n2,\"a,b\"\n");
    assert_eq!(file("a%2Fb.csv"), "\"a,b\"\nx\n");
    assert_eq!(file("none.csv"), "");
    assert_eq!(std::fs::read_dir(directory.path().join("out")).unwrap().count(), 3);
}

fn constant() -> impl Strategy<Value = Term> {
    prop_oneof![
        any::<i64>().prop_map(Term::Integer),
        (-20i64..20).prop_map(Term::Integer),
        any::<f64>().prop_map(|number| Term::symbol(&format!("{number:?}"))),
        "[a-e. ,\"'\t\n\r0-9é\u{a0}-]{0,5}"
            .prop_filter("integers are no symbols in tables", |text| !is_integer(text))
            .prop_map(|text| Term::symbol(&text)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Facts of integers and symbols are the same after a way through CSV.
    #[test]
    fn csv_round_trips(rows in (1usize..4).prop_flat_map(|arity| prop::collection::vec(prop::collection::vec(constant(), arity), 1..60))) {
        let items = rows.into_iter().map(|args| {
            let rule = Rule::new(Atom::new("t", args), Vec::new());
            Item { comments: Vec::new(), statement: Statement::Rule(rule), span: Span::NONE }
        });
        let text = syntax::print(&Program { items: items.collect(), ..Program::default() }, Syntax::Datalog);
        // Symbols that spell integers are meant.
        let text = format!("% ludolog: allow mixed-numbers\n{text}");
        let directory = directory(&[("t.dl", text.as_str()), ("none.dl", "")]);
        let facts = |args: &[&str]| ludolog(directory.path(), &[&["facts"], args].concat(), "");
        let (before, _) = facts(&["t.dl", "--all"]);
        let (_, told) = facts(&["t.dl", "--all", "--format", "csv", "--output", "."]);
        prop_assert_eq!(told, "");
        let (after, _) = facts(&["none.dl", "--facts", "t.csv", "--all"]);
        prop_assert_eq!(after, before);
    }
}

/// Standard output and standard error of a run without input.
fn told_in(directory: &TempDir, args: &[&str]) -> (String, String) {
    ludolog(directory.path(), args, "")
}

#[test]
fn rule_files_name_their_tables_and_results() {
    let rules = ":- input(edge, '../data/graph.csv', header).\n:- input(start, '../data/start.tsv.gz').\n:- output(reach).\n\n\
                 reach(X) :- start(X).\nreach(Y) :- reach(X) & edge(X, Y).\nstep(X, Y) :- edge(X, Y).\n";
    let directory = directory(&[("main.dl", b":- include('rules/reach.dl').".to_vec())]);
    for (name, content) in [
        ("rules/reach.dl", rules.as_bytes().to_vec()),
        ("data/graph.csv", b"from,to\n1,2\n2,\"b c\"\n".to_vec()),
        ("data/start.tsv.gz", compressed("1\n")),
    ] {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let reached = "reach(1).\nreach(2).\nreach('b c').\n";
    for file in ["main.dl", "rules/reach.dl"] {
        assert_eq!(told_in(&directory, &["facts", file]), (reached.to_owned(), String::new()), "{file}");
        assert_eq!(told_in(&directory, &["check", file]).0.lines().last(), Some("3 clauses: 0 errors, 0 warnings"));
    }
    let (all, _) = told_in(&directory, &["facts", "main.dl", "--predicate", "step/2"]);
    assert_eq!(all, "step(1, 2).\nstep(2, 'b c').\n");
    assert_eq!(told_in(&directory, &["query", "main.dl", "edge(X, 'b c')"]).0, "X\n───\n2\n1 answer\n");
    // Formatting keeps the directives, and the other syntax has them too.
    let (kif, told) = told_in(&directory, &["convert", "rules/reach.dl"]);
    assert_eq!(told, "");
    assert!(kif.starts_with(
        "(input \"edge\" \"../data/graph.csv\" \"header\")\n(input \"start\" \"../data/start.tsv.gz\")\n"
    ));
    assert!(kif.contains("\n(output \"reach\")\n"), "{kif}");
    std::fs::write(directory.path().join("rules/reach.kif"), kif).unwrap();
    let (facts, _) = told_in(&directory, &["facts", "rules/reach.kif"]);
    assert_eq!(facts, "(reach 1)\n(reach 2)\n(reach |b c|)\n");
    // What plays no part in answers is no part of the program, so that a prompt and a game take the facts as well.
    let (prompt, _) = ludolog(directory.path(), &["repl", "rules/reach.dl"], "?- edge(1, X).\n");
    assert!(prompt.contains('2'), "{prompt}");
}

#[test]
fn wrong_inputs_and_outputs_are_told_where_they_stand() {
    let rules = ":- input(edge, 'missing.csv').\n:- input(edge, 'edge.dl').\n:- input(edge, 'long.csv').\np(X) :- edge(X, _).\n";
    let directory = directory(&[
        ("main.dl", rules),
        ("edge.dl", "edge(1, 2)."),
        ("long.csv", "1,2\n1,2,3\n"),
        ("output.dl", "reach(1).\n:- output(raech).\n"),
    ]);
    let (_, told) = told_in(&directory, &["facts", "main.dl"]);
    for part in [
        "there is no file `missing.csv`\n --> main.dl:1:1",
        "`edge.dl` is a rule file, whose facts name their predicates\n --> main.dl:2:1",
        "the rows of this table differ in length\n --> long.csv:2:1",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let (_, told) = told_in(&directory, &["check", "output.dl"]);
    assert!(told.contains("there is no predicate `raech`\n --> output.dl:2:1"), "{told}");
    assert!(told.contains("did you mean `reach`?"), "{told}");
}

#[test]
fn decimals_are_symbols_with_quotes_and_without() {
    let directory = directory(&[
        ("q.csv", "\"2.50\",1e999,e5,1.0\n".to_owned()),
        ("rules.dl", "q(A, B, C, D) :- q(A, B, C, D).".to_owned()),
    ]);
    let symbols = read(&FileSystem, FactFile::from(directory.path().join("q.csv"))).unwrap();
    assert_eq!(symbols, "q('2.50', '1e999', e5, '1.0') ");
    // What was read comes out so that it is read again.
    for (format, separator) in [("csv", ","), ("tsv", "\t")] {
        let (text, _) = told_in(&directory, &["facts", "rules.dl", "--facts", "q.csv", "--all", "--format", format]);
        assert_eq!(text, ["2.50", "1e999", "e5", "1.0\n"].join(separator));
    }
}

/// Facts of a table, which has one of them twice, and facts of the program come and go in no order; answers and what changes say
/// are those of a set.
#[test]
fn facts_of_tables_come_and_go() {
    let directory = directory(&[("t.tsv", "0\ta\n1\tb\n0\ta\n2\tc\n3\ta\n")]);
    let rules = "t(3, c). both(X) :- t(X, Y) & t(X, Z) & Y < Z.";
    for engine in ENGINES.into_iter().filter(|engine| engine.has(|engine| engine.as_retract().is_some())) {
        let mut sources = Sources::new();
        let budget = Budget::unlimited();
        let file = FactFile::from(directory.path().join("t.tsv"));
        let facts = syntax::load_facts(&FileSystem, &[file], None, None, &mut sources, &budget).unwrap().unwrap();
        let mut case = Case::default();
        case.extend(facts);
        let mut session = Session::of_text(rules, Syntax::Datalog).unwrap().with_case(case);
        session.set_setting(Setting { engine: engine.clone(), ..Setting::default() });
        let mut given: BTreeSet<(u64, char)> = [(0, 'a'), (1, 'b'), (2, 'c'), (3, 'a')].into();
        let mut draw = Draw::new(7);
        for step in 0..200 {
            let x = draw.below(4) as u64;
            let y = ['a', 'b', 'c'][draw.below(3)];
            let fact = format!("t({x}, {y})");
            let (changed, expected) = match draw.below(2) {
                0 => (session.insert(&fact), given.insert((x, y))),
                _ => (session.retract(&fact), given.remove(&(x, y))),
            };
            assert_eq!(changed.unwrap(), expected, "{engine}, step {step}: {fact}");
            let holds = |x: u64, y: char| given.contains(&(x, y)) || (x, y) == (3, 'c');
            let both = (0..4).filter(|&x| ['a', 'b', 'c'].iter().filter(|&&y| holds(x, y)).count() > 1);
            let both: String = both.map(|x| format!("X = {x}\n")).collect();
            assert_eq!(session.query("both(X)").unwrap().to_string(), both, "{engine}, step {step}");
        }
    }
}

/// A command without a feature says which one it needs.
#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_files_need_a_feature() {
    let files = directory(&[("r.dl", "p(X) :- edge(X).\n"), ("edge.parquet", "PAR1")]);
    let (_, told) = ludolog(files.path(), &["facts", "r.dl", "--facts", "edge.parquet"], "");
    assert!(told.contains("Parquet files are not read here") && told.contains("--features parquet"), "{told}");
    let (_, told) = ludolog(files.path(), &["facts", "r.dl", "-o", "out.parquet"], "");
    assert!(told.contains("cannot write out.parquet") && told.contains("--features parquet"), "{told}");
    assert!(!files.path().join("out.parquet").exists());
}

/// A session of rules as they are written, over the rows of a table `e`.
fn session_over(rules: &str, rows: String) -> Session {
    let directory = directory(&[("e.csv", rows)]);
    let file = directory.path().join("e.csv");
    let budget = Budget::unlimited();
    let facts = syntax::load_facts(&FileSystem, &[file.into()], None, None, &mut Sources::new(), &budget);
    let mut case = Case::default();
    case.extend(facts.expect("nothing stops it").expect("the table is sound"));
    let setting = Setting { optimization: Optimization::None, ..Setting::default() };
    Session::of_text(rules, Syntax::Datalog).expect("the rules are sound").with_case(case).with_setting(setting)
}

/// Edges of a binary tree, whose set goes once it is loaded, and comes back for a goal that tests one and for rows that come and go.
#[test]
fn large_tables_that_no_rule_tests_are_still_sets() {
    const NODES: usize = 40_000;
    let rows: String = (2..=NODES).map(|node| format!("{},{node}\n", node / 2)).collect();
    let rules = "reach(Y) :- start(X) & e(X, Y). reach(Z) :- reach(Y) & e(Y, Z). start(1). e(0, 0).";
    let mut session = session_over(rules, rows);
    let budget = Budget::unlimited();
    let prepared = session.prepare(None).expect("nothing stops it");
    let mut engine = prepared.load(&budget).expect("the engine takes all programs");
    prepared.insert_facts(&mut *engine, &budget).expect("nothing stops it");
    engine.update(&budget).expect("nothing stops it");
    let bytes = |engine: &mut dyn Engine| engine.as_count().expect("it counts").memory().bytes;
    let reached =
        |engine: &mut dyn Engine| engine.as_count().expect("it counts").count(&Predicate::new("reach", 1)) as usize;
    let edge = |node: usize| format!("e({}, {node})", node / 2).parse().expect("it is a fact");
    assert_eq!(reached(&mut *engine), NODES - 1);
    let dropped = bytes(&mut *engine);
    for (goal, holds) in [("e(7, 14)", true), ("e(7, 13)", false)] {
        let goal = session.goal(goal).expect("it is a goal");
        assert_eq!(engine.solve(&goal, false, &budget).rows.len(), usize::from(holds));
    }
    // The number of a row in each of the places, of which some are free.
    assert!(bytes(&mut *engine) >= dropped + 4 * NODES as u64, "the set has come back");
    assert!(!engine.insert(&edge(7)).expect("it is open"));
    assert!(engine.insert(&edge(NODES + 1)).expect("it is open"));
    engine.update(&budget).expect("nothing stops it");
    assert_eq!(reached(&mut *engine), NODES);
    // The nodes below 3 are left.
    assert!(engine.as_retract().expect("it retracts").retract(&edge(2)).expect("it is open"));
    engine.update(&budget).expect("nothing stops it");
    let is_left = |node: &usize| iter::successors(Some(*node), |node| Some(node / 2)).take(16).any(|node| node == 3);
    assert_eq!(reached(&mut *engine), (2..=NODES + 1).filter(is_left).count());
}

/// Engines hold the cells of a table of integers together, if no row comes twice. What one of them adds or takes away is its own.
#[test]
fn engines_that_share_a_table_change_it_alone() {
    const ROWS: usize = 40_000;
    let budget = Budget::unlimited();
    for is_doubled in [false, true] {
        let row = |n: usize| format!("{n},{}\n", n * 7 % 1_000);
        let rows = (0..ROWS).chain(if is_doubled { 0..100 } else { 0..0 }).map(row).collect();
        let mut session = session_over("low(X) :- e(X, Y) & Y < 10.", rows);
        let prepared = session.prepare(None).expect("nothing stops it");
        let [mut changed, mut kept] = [(); 2].map(|_| {
            let mut engine = prepared.load(&budget).expect("the engine takes all programs");
            prepared.insert_facts(&mut *engine, &budget).expect("nothing stops it");
            engine.update(&budget).expect("nothing stops it");
            engine
        });
        let fact = |text: &str| text.parse().expect("it is a fact");
        assert!(!changed.insert(&fact("e(1, 7)")).expect("it is open"));
        assert!(changed.insert(&fact("e(2, 8)")).expect("it is open"));
        assert!(changed.as_retract().expect("it retracts").retract(&fact("e(0, 0)")).expect("it is open"));
        assert!(session.retract("e(2, 14)").expect("it is a fact"));
        changed.update(&budget).expect("nothing stops it");
        let counts = |engine: &mut dyn Engine| {
            let counted = engine.as_count().expect("it counts");
            [("e", 2), ("low", 1)].map(|(name, arity)| counted.count(&Predicate::new(name, arity)) as usize)
        };
        // One in a hundred is low, of which one goes and another comes.
        assert_eq!(counts(&mut *kept), [ROWS, ROWS / 100]);
        assert_eq!(counts(&mut *changed), [ROWS, ROWS / 100]);
        let holds = |engine: &mut dyn Engine, session: &mut Session, goal: &str| {
            let goal = session.goal(goal).expect("it is a goal");
            !engine.solve(&goal, false, &budget).rows.is_empty()
        };
        for (goal, holds_changed, holds_kept) in [
            ("e(0, 0)", false, true),
            ("e(2, 8)", true, false),
            ("e(2, 14)", true, true),
            ("low(0)", false, true),
            ("low(1)", true, true),
            ("low(2)", true, false),
        ] {
            assert_eq!(holds(&mut *changed, &mut session, goal), holds_changed, "{goal}");
            assert_eq!(holds(&mut *kept, &mut session, goal), holds_kept, "{goal}");
        }
        assert_eq!(session.query("e(X, Y)").expect("it is a goal").count(), ROWS - 1);
    }
}

/// A plan rests on the facts, whether they are read as a table, as rules, or partly as either: constants, repeated variables and
/// distinct values are counted alike.
#[test]
fn a_plan_is_that_of_the_facts_however_they_come() {
    let rules = "
        green(X) :- t(X, _, green).
        same(X) :- t(X, X, _).
        none(X) :- t(X, 7, blue).
        path(X, Y) :- t(X, Y, green).
        path(X, Z) :- path(X, Y) & t(Y, Z, red).
        far(X, Y) :- t(X, Y, C) & t(Y, X, C) & t(X, 900, C).
        ";
    // The first are all looked at, of the others a sample.
    for count in [3_000, 9_000] {
        let row = |x: usize| (x, x * 7 % 1_001, if x.is_multiple_of(3) { "green" } else { "red" });
        let rows = |from: usize, to: usize| (from..to).map(row).map(|(x, y, c)| format!("{x},{y},{c}\n"));
        let facts = |from: usize, to: usize| (from..to).map(row).map(|(x, y, c)| format!("t({x}, {y}, {c}).\n"));
        let whole: String = rows(0, count).collect();
        let half = count / 2;
        let directory = directory(&[
            ("rules.dl", rules.to_owned()),
            ("t.csv", whole),
            ("facts.dl", facts(0, count).collect()),
            ("first.csv", rows(0, half).collect()),
            ("second.csv", rows(half, count).collect()),
            ("second.dl", facts(half, count).collect()),
        ]);
        let plan = |files: &[&str]| {
            let given = files.iter().flat_map(|file| ["--facts", file]);
            let args: Vec<&str> = ["plan", "rules.dl"].into_iter().chain(given).collect();
            ludolog(directory.path(), &args, "").0
        };
        let listed = plan(&["facts.dl"]);
        assert!(listed.contains("reordering: expected cost"), "{listed}");
        assert_eq!(plan(&["t.csv"]), listed);
        if count == 3_000 {
            assert_eq!(plan(&["t=first.csv", "t=second.csv"]), listed);
            assert_eq!(plan(&["t=first.csv", "second.dl"]), listed);
        }
    }
}

/// What is odd in a table of symbols alone, and is not once its columns are declared.
#[test]
fn symbols_that_are_read_otherwise_than_meant_are_told() {
    let directory = directory(&[
        ("rain.csv", "Rome;3\nOslo;4\n"),
        ("tags.csv", "a;b\nc\n"),
        ("city.csv", "name,country\nrome,italy\noslo,norway\n"),
        ("pair.csv", "x,y\na,b\n"),
        ("again.csv", "name,name\nname,a\n"),
        ("padded.csv", "\"Ann \",1\n\"Bob\",2\n\" eve\",3\n"),
        ("person.csv", "Ann\nBob\n"),
    ]);
    let told = |rules: &str, tables: &[&str]| {
        std::fs::write(directory.path().join("rules.dl"), rules).unwrap();
        let facts = tables.iter().flat_map(|table| ["--facts", table]);
        let args: Vec<&str> = ["facts", "rules.dl"].into_iter().chain(facts).collect();
        ludolog(directory.path(), &args, "").1
    };
    let semicolons = told("r(X) :- rain(X).", &["rain.csv"]);
    assert!(semicolons.contains("warning[column-separator]: each row of `rain.csv` is one field"), "{semicolons}");
    let header = told("r(X) :- city(Name, Country) & X = Name & Country != italy.", &["city.csv"]);
    assert!(header.contains("warning[header-row]: the first row of `city.csv` looks like a header"), "{header}");
    let padded = told("r(X, S) :- person(X) & padded(X, S).", &["person.csv", "padded.csv"]);
    assert!(padded.contains("warning[quoted-field]: `'Ann '` of `padded.csv` has blanks around it"), "{padded}");
    for (rules, table) in [
        (":- type(rain, symbol). r(X) :- rain(X).", "rain.csv"),
        ("r(X) :- tags(X).", "tags.csv"),
        (":- type(city, symbol, symbol). r(Name) :- city(Name, Country) & Country != italy.", "city.csv"),
        ("r(X) :- city(X, Y) & Y != italy.", "city.csv"),
        ("r(X) :- pair(X, Y) & Y != a.", "pair.csv"),
        ("r(Name) :- again(Name, Name).", "again.csv"),
        ("r(X) :- padded(X, _).", "padded.csv"),
    ] {
        assert_eq!(told(rules, &[table]), "", "{rules}");
    }
}

/// JSON has its own extensions, and rows in another notation are no rows.
#[test]
fn what_is_no_table_is_told() {
    let directory = directory(&[
        ("rows.ndjson", "[1,2]\n[2,3]\n"),
        ("rows.json", "[[1,2],[2,3]]\n"),
        ("rows.txt", "[1,2]\n[2,3]\n"),
        ("objects.csv", "{\"a\":1,\"b\":2}\n"),
        ("facts.csv", "edge(1,2).\nedge(2,3).\n"),
        ("facts.tsv", "edge(1, 2).\n"),
        ("marks.csv", "[a],[b]\nf(x),{y}\n"),
        ("list.tsv", "[1, 2]\n"),
    ]);
    let at = |name: &str| FactFile { predicate: Some("edge".into()), ..directory.path().join(name).into() };
    let read = |name: &str| read(&FileSystem, at(name));
    assert_eq!(read("rows.ndjson").unwrap(), "edge(1, 2) edge(2, 3) ");
    for (name, expected) in [
        ("rows.json", "is a document of JSON, and no table"),
        ("rows.txt", "1:1: error[syntax]: a row of this table is one of JSON"),
        ("objects.csv", "1:1: error[syntax]: a row of this table is one of JSON"),
        ("facts.csv", "1:1: error[syntax]: a row of this table is a statement"),
        ("facts.tsv", "1:1: error[syntax]: a row of this table is a statement"),
    ] {
        let told = read(name).unwrap_err();
        assert!(told.contains(expected), "{name}: {told}");
    }
    // Brackets alone make no JSON, and a list is a term that tables hold.
    assert_eq!(read("marks.csv").unwrap(), "edge('[a]', '[b]') edge('f(x)', '{y}') ");
    assert_eq!(read("list.tsv").unwrap(), "edge('[1, 2]') ");
    let named = FactFile::from(directory.path().join("rows.json"));
    assert!(
        syntax::load_facts(&FileSystem, &[named], None, None, &mut Sources::new(), &Budget::unlimited())
            .unwrap()
            .is_err()
    );
}

/// A name that says a format is that of a file, and a table that cannot hold a fact is not begun.
#[test]
fn facts_are_written_to_what_a_name_says() {
    let directory = directory(&[
        ("w.dl", "e(1, 2). e(2, 3). p(X, Y) :- e(X, Y). q(X) :- e(X, _). r(a) :- e(1, 2). r(f(1)) :- e(1, 2).\n"),
        ("given.dl", "e(1, 2).\n"),
    ]);
    let run = |args: &[&str]| binary::run(&directory, &[&["facts"], args].concat(), "");
    let text = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let success = (0, String::new(), String::new());
    assert_eq!(run(&["w.dl", "--predicate", "p/2", "-o", "p.csv"]), success);
    assert_eq!(text("p.csv"), "1,2\n2,3\n");
    assert_eq!(run(&["w.dl", "-o", "all.kif"]), success);
    assert_eq!(text("all.kif"), "(p 1 2)\n(p 2 3)\n(q 1)\n(q 2)\n(r a)\n(r (f 1))\n");
    for (args, expected) in [
        (&["w.dl", "-o", "two.csv"][..], "a table holds the facts of one predicate"),
        (&["w.dl", "--predicate", "p/2", "-o", "p.tsv", "--format", "csv"], "change one of them"),
        (&["w.dl", "--predicate", "p/2", "-o", "p.csv"], "--force"),
    ] {
        let (code, out, errors) = run(args);
        assert!(code == 2 && out.is_empty() && errors.contains(expected), "{args:?}: {errors}");
    }
    assert!(!directory.path().join("two.csv").exists());
    std::fs::create_dir(directory.path().join("folder.csv")).unwrap();
    assert_eq!(run(&["w.dl", "--predicate", "q/1", "-o", "folder.csv"]), success);
    assert_eq!(text("folder.csv/q.dl"), "q(1).\nq(2).\n");
    // The row of `a` would come before.
    let (code, out, errors) = run(&["w.dl", "--predicate", "r/1", "--format", "csv"]);
    assert!(code == 2 && out.is_empty() && errors.contains("r/1"), "{out}{errors}");
    let (code, out, errors) = run(&["given.dl"]);
    assert!(code == 0 && out.is_empty() && errors.contains("--all lists the given ones"), "{errors}");
    assert_eq!(run(&["given.dl", "--all"]), (0, "e(1, 2).\n".to_owned(), String::new()));
}
