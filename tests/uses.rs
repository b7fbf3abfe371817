//! Rule files used under other names.

use crate::binary::run;
use std::fs;
use tempfile::TempDir;

const CLOSURE: &str = "path(X, Y) :- step(X, Y).\npath(X, Z) :- path(X, Y) & step(Y, Z).\nstep(X, Y) :- edge(X, Y) | edge(Y, X).\n:- output(path).\n?- path(a, X).\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn facts(files: &[(&str, &str)]) -> (i32, String, String) {
    run(&folder(files), &["facts", "main.dl"], "")
}

#[test]
fn a_file_is_used_twice_and_its_own_names_stay_apart() {
    let main = ":- use('lib/closure.dl', edge = road, path = way).\n:- use('lib/closure.dl', edge = rail, path = line).\n\
        road(a, b). road(b, c). rail(1, 2). step(own).\nboth(X) :- way(X, _) | line(X, _) | step(X).\n";
    let (status, out, told) = facts(&[("main.dl", main), ("lib/closure.dl", CLOSURE)]);
    let expected = "both(1).\nboth(2).\nboth(a).\nboth(b).\nboth(c).\nboth(own).\n\
        line(1, 1).\nline(1, 2).\nline(2, 1).\nline(2, 2).\n\
        way(a, a).\nway(a, b).\nway(a, c).\nway(b, a).\nway(b, b).\nway(b, c).\nway(c, a).\nway(c, b).\nway(c, c).\n";
    assert_eq!((status, &*out), (0, expected), "{told}");
    assert_eq!(told, "");
}

#[test]
fn kif_uses_infix_files_and_used_files_use_and_include_others() {
    let main = "(use \"reach.dl\" \"link\" \"road\")\n(road a b)\n(road b c)\n";
    let reach = ":- use('closure.dl', edge = link, path = way).\n:- include('start.dl').\nreached(Y) :- start(X) & way(X, Y).\n:- output(reached).\n";
    let files = [("main.kif", main), ("reach.dl", reach), ("start.dl", "start(a).\n"), ("closure.dl", CLOSURE)];
    let (status, out, told) = run(&folder(&files), &["facts", "main.kif"], "");
    assert_eq!((status, &*out), (0, "(reached a)\n(reached b)\n(reached c)\n"), "{told}");
}

#[test]
fn tables_of_used_files_get_the_names_outside() {
    let part = ":- input(edge, 'edge.csv').\nends(X) :- edge(_, X).\n";
    let main = ":- use('lib/part.dl', edge = road).\n:- output(road).\n:- output(ends).\n";
    let (status, out, told) = facts(&[("main.dl", main), ("lib/part.dl", part), ("lib/edge.csv", "a,b\n")]);
    assert_eq!((status, &*out), (0, "ends(b).\nroad(a, b).\n"), "{told}");
}

#[test]
fn rules_of_used_files_are_explained_at_their_places() {
    let files = [("main.dl", ":- use('closure.dl', edge = road).\nroad(a, b).\n"), ("closure.dl", CLOSURE)];
    let (status, out, told) = run(&folder(&files), &["why", "main.dl", "path(a, b)"], "");
    assert!(status == 0 && out.contains("closure.dl:1") && out.contains("road(a, b)"), "{out} {told}");
    let (_, out, _) = run(&folder(&files), &["why-not", "main.dl", "path(a, z)"], "");
    assert!(out.contains("closure.dl:2"), "{out}");
}

/// Faults with the words that tell them and their way out.
#[test]
fn what_is_wrong_with_a_use_is_told_with_its_place() {
    let closure = ("closure.dl", CLOSURE);
    let cases: [(&str, &[(&str, &str)], &[&str]); 9] = [
        (":- use('other.dl', edge = road).", &[], &["there is no file `other.dl`", "main.dl:1", "used here"]),
        (
            ":- use('closure.dl', egde = road).",
            &[closure],
            &["has no predicate `egde`", "it reads `edge`, and defines `path`, `step`"],
        ),
        (":- use('closure.dl', edge = a, edge = b).", &[closure], &["`edge` is renamed twice", "use the file twice"]),
        (
            ":- use('closure.dl', edge = path).",
            &[closure],
            &["`path` is a predicate of `closure.dl` itself", "rename that one, too"],
        ),
        (
            ":- use('closure.dl', edge = a).\n:- use('closure.dl', edge = b).",
            &[closure],
            &["`path` is defined twice", "main.dl:2", "path = other_path"],
        ),
        (":- use('closure.dl', edge = a).\npath(b, c).", &[closure], &["`path` is defined twice", "say `path = path`"]),
        (":- use('main.dl').", &[], &["`main.dl` uses itself"]),
        (
            ":- use('a.dl').",
            &[("a.dl", ":- include('b.dl')."), ("b.dl", ":- use('a.dl').")],
            &["`a.dl` uses itself", "b.dl:1"],
        ),
        (
            ":- use('closure.dl', edge).",
            &[closure],
            &["this directive has other arguments", ":- use('rules.dl', edge = link)"],
        ),
    ];
    for (main, others, expected) in cases {
        let (status, _, told) = facts(&[&[("main.dl", main)], others].concat());
        assert_eq!(status, 2, "{main}: {told}");
        for words in expected {
            assert!(told.contains(words), "{main}: {words}\n{told}");
        }
    }
}

/// Each file uses the next one twice: 2^n instances.
#[test]
fn uses_that_multiply_stop_at_a_limit() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|i| {
            let next = format!("f{}.dl", i + 1);
            (format!("f{i}.dl"), format!(":- use('{next}', p = a{i}).\n:- use('{next}', p = b{i}).\np(X) :- a{i}(X) | b{i}(X).\n:- output(p).\n"))
        })
        .collect();
    files.push(("f40.dl".to_owned(), "p(1).\n".to_owned()));
    files.push(("main.dl".to_owned(), ":- use('f0.dl', p = all).\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let (status, _, told) = facts(&files);
    assert!(status == 2 && told.contains("files are used more than 1000 times"), "{told}");
    assert_eq!(told.matches("more than 1000 times").count(), 1, "{told}");
}

#[test]
fn a_predicate_called_use_stays_one() {
    let main = "use(a, b). choice(a).\n:- use(X, X).\np(X) :- use(X, _) & choice(X).\n";
    let (status, out, told) = facts(&[("main.dl", main)]);
    assert_eq!((status, &*out), (0, "p(a).\n"), "{told}");
}
