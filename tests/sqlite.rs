//! Tables of SQLite databases, in and out, against the library of SQLite itself; databases that are in use, damaged, cut short.

use crate::binary::run;
use ludolog::files::FileSystem;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PATHS: &str = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).\n";

/// A folder with a database that these statements make, and rules.
fn folder(statements: &str, rules: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).execute_batch(statements).unwrap();
    fs::write(directory.path().join("r.dl"), rules).unwrap();
    directory
}

fn open(folder: &Path) -> Connection {
    Connection::open(folder.join("g.sqlite")).unwrap()
}

/// The rows of a table of a database, in their order.
fn rows(path: &Path, table: &str) -> Vec<Vec<Value>> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY rowid")).unwrap();
    let columns = statement.column_count();
    let row = |row: &rusqlite::Row| (0..columns).map(|column| row.get(column)).collect();
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

const EDGES: &str =
    "CREATE TABLE edge (a, b); INSERT INTO edge VALUES (1, 2), (2, 'x y'), (3, 2.5), (-9223372036854775808, '7');
    CREATE TABLE \"o'dd\" (n INTEGER); CREATE VIEW small AS SELECT a, b FROM edge WHERE a < 2;";

#[test]
fn tables_and_views_are_facts() {
    let files = folder(EDGES, "p(X, Y) :- edge(X, Y).\n");
    let all = "p(-9223372036854775808, '7').\np(1, 2).\np(2, 'x y').\np(3, 2.5).\n";
    for table in ["edge=g.sqlite", "g.sqlite#edge", "edge=g.sqlite#edge", "edge=g.sqlite#EDGE"] {
        let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", table], "");
        assert_eq!((status, &*out), (0, all), "{table}");
        assert!(told.contains("has integers, and symbols that spell integers, as `'7'`"), "{told}");
    }
    let (status, out, _) = run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite#small"], "");
    assert_eq!((status, &*out), (0, "p(-9223372036854775808, '7').\np(1, 2).\n"));
    // An empty table has columns.
    let (_, out, told) = run(&files, &["query", "r.dl", "'o\\'dd'(X)", "--facts", "g.sqlite#o'dd"], "");
    assert!(out.contains("no answers") || out.contains("0 answers"), "{out} {told}");
    // Directives, of both syntaxes, and types.
    for (name, text) in [
        ("d.dl", ":- input(edge, 'g.sqlite').\n:- type(edge, symbol, any).\n:- output(p).\np(X) :- edge(X, 2).\n"),
        ("d.kif", "(input \"edge\" \"g.sqlite#small\")\n(type \"edge\" \"symbol\" \"any\")\n(<= (p ?x) (edge ?x 2))\n"),
    ] {
        fs::write(files.path().join(name), text).unwrap();
        let (status, out, told) = run(&files, &["facts", name, "--format", "dl"], "");
        assert_eq!((status, &*out, &*told), (0, "p('1').\n", ""), "{name}");
    }
    // A use renames the predicate, not the table.
    fs::write(files.path().join("u.dl"), ":- use('d.dl', edge = road, p = q).\n").unwrap();
    assert_eq!(run(&files, &["facts", "u.dl", "--predicate", "q/1"], "").1, "q('1').\n");
}

#[test]
fn rows_that_are_no_facts_are_told_with_their_place() {
    let files = folder(
        "CREATE TABLE edge (a, weight); INSERT INTO edge VALUES (1, 2), (2, NULL), (3, x'00'), (4, 9e999), (5, CAST(x'ff' AS TEXT));",
        PATHS,
    );
    let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite"], "");
    assert!(status == 2 && out.is_empty(), "{out}");
    for (row, what) in [(2, "NULL"), (3, "a BLOB"), (4, "an infinite number"), (5, "a text that is not in UTF-8")] {
        let expected = format!("row {row} of `edge` in `g.sqlite` has {what} in its column `weight`");
        assert!(told.contains(&expected), "{expected}: {told}");
    }
    assert!(told.contains("COALESCE"), "{told}");
}

#[test]
fn tables_that_are_not_there_are_told_with_those_that_are() {
    let files = folder(EDGES, PATHS);
    let ask = |table: &str| run(&files, &["facts", "r.dl", "--facts", table], "");
    let (status, _, told) = ask("edgs=g.sqlite");
    assert!(status == 2 && told.contains("there is no table `edgs` in `g.sqlite`"), "{told}");
    assert!(told.contains("it has `edge`, `o'dd`, `small`"), "{told}");
    let (_, _, told) = ask("g.sqlite");
    assert!(told.contains("several tables") && told.contains("name one: `edge=g.sqlite`"), "{told}");
    let (_, _, told) = ask("edge=h.sqlite");
    assert!(told.contains("there is no file `h.sqlite`"), "{told}");
    fs::write(files.path().join("r.dl"), format!(":- input(edge, 'h.db').\n{PATHS}")).unwrap();
    let (_, _, told) = run(&files, &["facts", "r.dl"], "");
    assert!(told.contains("there is no file `h.db`\n --> r.dl:1:1"), "{told}");
}

#[test]
fn databases_that_are_damaged_cut_short_or_in_use_are_told() {
    let many =
        "CREATE TABLE edge (a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO edge SELECT i, 'a text that takes room ' || i FROM n;";
    let files = folder(many, "p(X) :- edge(X, _).\n");
    let path = files.path().join("g.sqlite");
    let ask = || {
        let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite"], "");
        assert!(status == 2 && out.is_empty(), "{status} {out}");
        told
    };
    let whole = fs::read(&path).unwrap();
    assert_eq!(run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite"], "").1.lines().count(), 3000);
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(ask().contains("`g.sqlite` cannot be read: it is damaged or cut short"), "{}", ask());
    let mut torn = whole.clone();
    torn[8192..20_000].fill(0x55);
    fs::write(&path, torn).unwrap();
    assert!(ask().contains("damaged or cut short"));
    fs::write(&path, "edge(1, 2).\n".repeat(100)).unwrap();
    assert!(ask().contains("it is no database of SQLite"));
    fs::write(&path, &whole).unwrap();
    let writer = open(files.path());
    writer.execute_batch("BEGIN EXCLUSIVE; INSERT INTO edge VALUES (0, 0)").unwrap();
    let told = ask();
    assert!(told.contains("it is in use: another program writes to it"), "{told}");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite"], "").1.lines().count(), 3001);
}

#[test]
fn facts_are_written_as_tables_and_read_back() {
    let rules = "% ludolog: allow mixed-numbers\np(X, Y) :- q(X, Y).\nr(X) :- q(X, 2).\n'o\"dd table'(X) :- q(X, _).\np1(X) :- q(X, 2.0).\n\
                 q(1, 2). q(2, 2.0). q('2', \"it's\"). q('', '2.5.0').\n";
    let files = folder("CREATE TABLE other (x)", rules);
    assert_eq!(run(&files, &["facts", "r.dl", "-o", "out.sqlite"], ""), (0, String::new(), String::new()));
    let out = files.path().join("out.sqlite");
    let text = |text: &str| Value::Text(text.to_owned());
    let integer = Value::Integer;
    let expected = vec![
        vec![integer(1), integer(2)],
        vec![integer(2), Value::Real(2.0)],
        vec![text(""), text("2.5.0")],
        vec![text("2"), text("it's")],
    ];
    assert_eq!(rows(&out, "p"), expected);
    assert_eq!((rows(&out, "p1"), rows(&out, "r")), (vec![vec![integer(2)]], vec![vec![integer(1)]]));
    assert_eq!(rows(&out, "o\"\"dd table").len(), 4);
    fs::write(files.path().join("s.dl"), ":- type(t, any, any).\ns(X, Y) :- t(X, Y).\n").unwrap();
    let (_, again, told) = run(&files, &["facts", "s.dl", "--facts", "t=out.sqlite#p"], "");
    assert_eq!((&*again, &*told), ("s(1, 2).\ns(2, 2.0).\ns('', '2.5.0').\ns('2', 'it\\'s').\n", ""));
    // What is there is kept, unless it is forced, and other tables stay.
    let (status, _, told) = run(&files, &["facts", "r.dl", "-o", "out.sqlite"], "");
    assert!(status == 2 && told.contains("it has a table `o\"dd table` already; --force replaces it"), "{told}");
    let into_other = run(&files, &["facts", "s.dl", "--facts", "t=out.sqlite#p", "-o", "g.sqlite"], "");
    assert_eq!(into_other, (0, String::new(), String::new()));
    let forced = run(&files, &["facts", "s.dl", "--facts", "t=out.sqlite#p", "-o", "g.sqlite", "--force"], "");
    assert_eq!(forced, (0, String::new(), String::new()));
    let other = files.path().join("g.sqlite");
    assert_eq!((rows(&other, "s"), rows(&other, "other")), (expected, Vec::new()));
}

#[test]
fn nothing_is_written_by_half() {
    let rules = "a(1). a(X) :- a(Y) & X is Y + 1 & X < 50.\nz(f(X)) :- a(X).\n";
    let files = folder("CREATE TABLE other (x)", rules);
    let names = || {
        let mut names: Vec<_> = fs::read_dir(files.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let write = |args: &[&str]| {
        let (status, _, told) = run(&files, &[&["facts", "r.dl", "-o"], args].concat(), "");
        assert_eq!(status, 2, "{told}");
        told
    };
    // The table `a` was written before the compound of `z` was met.
    for path in ["new.sqlite", "g.sqlite"] {
        let told = write(&[path]);
        assert!(told.contains(&format!("cannot write {path}: f(1) is no constant")), "{told}");
    }
    assert_eq!(names(), ["g.sqlite", "r.dl"]);
    let tables = "SELECT count(*) FROM sqlite_schema";
    assert_eq!(open(files.path()).query_row(tables, [], |row| row.get(0)), Ok(1));
    fs::write(files.path().join("r.dl"), "a(1). b(X) :- a(X). go :- a(X).\n").unwrap();
    assert!(write(&["new.sqlite"]).contains("`go/0` has no arguments"));
    fs::write(files.path().join("r.dl"), "a(1). b(X) :- a(X).\n").unwrap();
    let writer = open(files.path());
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(write(&["g.sqlite"]).contains("it is in use"));
    writer.execute_batch("COMMIT").unwrap();
    assert!(write(&["r.dl/x.sqlite"]).contains("cannot write r.dl/x.sqlite"));
    assert!(write(&["new.sqlite", "--format", "csv"]).contains("leave --format out"));
    assert!(write(&["new.sqlite", "--max-facts", "1"]).contains("facts"));
    fs::write(
        files.path().join("broken.sqlite"),
        "no database, but a text that is longer than a header of one hundred bytes. ".repeat(3),
    )
    .unwrap();
    assert!(write(&["broken.sqlite"]).contains("no database of SQLite"));
    assert_eq!(names(), ["broken.sqlite", "g.sqlite", "r.dl"]);
    assert_eq!(open(files.path()).query_row(tables, [], |row| row.get(0)), Ok(1));
}

/// A view may take for ever.
#[test]
fn views_without_an_end_stop_in_time() {
    let endless =
        "CREATE VIEW edge AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*), 1 FROM n;";
    let files = folder(endless, PATHS);
    let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "edge=g.sqlite", "--timeout", "0.2"], "");
    assert!(status == 2 && out.is_empty() && told.contains("0.2"), "{told}");
}

#[test]
fn databases_of_confined_files_lie_within_them() {
    use ludolog::engine::Budget;
    use ludolog::syntax::{Files, Unreadable};
    let files = folder(EDGES, PATHS);
    fs::create_dir(files.path().join("in")).unwrap();
    let confined = FileSystem::confined_to([files.path().join("in")]).unwrap();
    let outside = confined.database(&files.path().join("g.sqlite"), &Budget::unlimited());
    assert_eq!(outside.err(), Some(Unreadable::Outside));
    fs::copy(files.path().join("g.sqlite"), files.path().join("in/g.sqlite")).unwrap();
    assert!(confined.database(&files.path().join("in/g.sqlite"), &Budget::unlimited()).is_ok());
}
