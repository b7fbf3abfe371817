//! Enumerations and records: held against facts, rules, conditions and tables, in both syntaxes.

use crate::binary::run;
use std::fs;
use tempfile::TempDir;

const TYPES: &str = ":- enumeration(color, red, green, 'dark blue').\n:- record(point, integer, integer).\n:- record(line, point, point, color).\n\
                     :- type(car, symbol, color).\n:- type(at, symbol, point).\n:- type(drawn, line).\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(directory.path().join(name), text).unwrap());
    directory
}

/// Status, output and diagnostics of `facts` on these rules behind the types.
fn facts(rules: &str, args: &[&str]) -> (i32, String, String) {
    let files = folder(&[("r.dl", &format!("{TYPES}{rules}")), ("car.csv", "a,red\nb,gren\nc,blue\n")]);
    run(&files, &[&["facts", "r.dl"], args].concat(), "")
}

#[test]
fn values_of_defined_types_pass() {
    let rules = "car(a, red). car(b, 'dark blue'). at(a, point(1, 2)). at(b, point(3, 4)).\n\
                 drawn(line(P, Q, C)) :- at(X, P) & at(Y, Q) & X != Y & car(X, C).\n\
                 red(X) :- car(X, C) & C = red & at(X, point(1, _)).\n";
    let expected =
        "drawn(line(point(1, 2), point(3, 4), red)).\ndrawn(line(point(3, 4), point(1, 2), 'dark blue')).\nred(a).\n";
    assert_eq!(facts(rules, &[]), (0, expected.to_owned(), String::new()));
    // The other syntax has them too, and the printers keep them.
    let files = folder(&[("r.dl", &format!("{TYPES}{rules}"))]);
    let (_, kif, told) = run(&files, &["convert", "r.dl"], "");
    assert!(
        kif.contains("(enumeration \"color\" \"red\" \"green\" \"dark blue\")\n") && told.is_empty(),
        "{kif} {told}"
    );
    assert!(kif.contains("(record \"line\" \"point\" \"point\" \"color\")\n"), "{kif}");
    fs::write(files.path().join("r.kif"), kif).unwrap();
    assert_eq!(run(&files, &["facts", "r.kif", "--format", "dl"], ""), (0, expected.to_owned(), String::new()));
    let (_, again, _) = run(&files, &["convert", "r.kif"], "");
    assert!(again.starts_with(TYPES), "{again}");
}

#[test]
fn values_of_other_types_are_told_with_what_was_meant() {
    for (rules, message, help) in [
        (
            "car(a, gren).",
            "column 2 of `car` is declared `color`, and `gren` is of another type",
            "did you mean `green`?",
        ),
        ("car(a, 7).", "`7` is of another type", "the values of `color` are `red`, `green`, `dark blue`"),
        ("at(a, point(1)).", "`point(1)` is of another type", "a `point` is `point(integer, integer)`"),
        ("at(a, point(1, x)).", "`x` in `point(1, x)` is no `integer`", "correct it"),
        ("drawn(line(P, P, C)) :- at(X, P) & C = X.", "column 1", ""),
        ("drawn(line(P, P, redd)) :- at(_, P).", "is no `color`", "did you mean `red`?"),
        ("car(X, N) :- at(X, _) & N is 1 + 1.", "`N` is of another type", "the values of `color`"),
        ("p(X) :- car(X, reed).", "`reed` is no value of the type `color`", "did you mean `red`?"),
        ("p(X) :- at(X, _) & ~car(X, reed).", "`reed` is no value of the type `color`", "did you mean `red`?"),
        ("p(X) :- car(X, C) & C != gren.", "`gren` is no value of the type `color`", "did you mean `green`?"),
        ("p(X) :- at(X, point(y, _)).", "`y` is no value of the type `integer`", "correct it"),
        (":- type(q, colour).", "there is no type `colour`", "did you mean `color`?"),
        (":- type(q, interger).", "there is no type `interger`", "did you mean `integer`?"),
        (":- type(q, int).", "there is no type `int`", "did you mean `integer`?"),
        (":- type(q, string).", "there is no type `string`", "did you mean `symbol`?"),
        (":- type(q, float64).", "there is no type `float64`", "did you mean `float`?"),
        (":- type(q, number).", "there is no type `number`", "did you mean `integer` or `float`?"),
        (":- enumeration(color, red).", "there is another type `color`", "another name"),
        (":- record(integer, symbol).", "there is another type `integer`", "another name"),
    ] {
        let (status, out, told) = facts(rules, &[]);
        if rules.contains("C = X") {
            // A symbol may be a color.
            assert_eq!(status, 0, "{told}");
            continue;
        }
        assert!(status == 2 && out.is_empty() && told.contains("error[column-type]"), "{rules}: {told}");
        assert!(told.contains(message) && told.contains(help), "{rules}: {told}");
    }
}

#[test]
fn tables_are_held_to_enumerations() {
    let (status, out, told) = facts("p(X) :- car(X, red).", &["--facts", "car.csv"]);
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(
        told.contains("column 2 of `car` is declared `color`, and row 2 of `car.csv` has `gren`, the first of 2"),
        "{told}"
    );
    assert!(told.contains("did you mean `green`?"), "{told}");
    let rules = ":- enumeration(level, '1', '2').\n:- type(car, symbol, level).\np(X) :- car(X, '1').\n";
    let files = folder(&[("r.dl", rules), ("car.csv", "a,1\nb,2\n")]);
    assert_eq!(run(&files, &["facts", "r.dl", "--facts", "car.csv"], ""), (0, "p(a).\n".to_owned(), String::new()));
}

#[test]
fn conditions_may_have_the_names_of_the_directives() {
    let files = folder(&[(
        "r.dl",
        "record(a, 1). record(b, 2). enumeration(a).\n:- record(X, Y) & Y > 1 & enumeration(X).\n:- record(X, 7).\n",
    )]);
    let (status, out, told) = run(&files, &["check", "r.dl"], "");
    assert!(status == 0 && !out.contains("error["), "{out} {told}");
    let (_, _, told) = run(&folder(&[("r.dl", ":- record(point).\n")]), &["check", "r.dl"], "");
    assert!(told.contains("write `:- record(point, integer, integer).`"), "{told}");
}

/// Goals and facts that come later are held to types as those of texts are.
#[test]
fn goals_and_further_facts_are_held_to_types() {
    let files = folder(&[("r.dl", &format!("{TYPES}car(a, red). at(a, point(1, 2)).\nred(X) :- car(X, red).\n"))]);
    for (goal, message) in [
        ("car(X, gren)", "`gren` is no value of the type `color`"),
        ("car(X, C) & ~red(X) & C != gren", "`gren` is no value of the type `color`"),
        ("at(X, point(y, _))", "`y` is no value of the type `integer`"),
        ("~car(a, 7)", "`7` is no value of the type `color`"),
        ("car(7, red)", "`7` is no value of the type `symbol`"),
    ] {
        let (status, out, told) = run(&files, &["query", "r.dl", goal], "");
        assert!(status == 2 && out.is_empty() && told.contains("error[column-type]"), "{goal}: {told}");
        assert!(told.contains(message) && told.contains("declared here"), "{goal}: {told}");
    }
    assert_eq!(run(&files, &["query", "r.dl", "car(X, green)"], "").0, 1);
    let (status, out, told) = run(&files, &["watch", "r.dl"], "+car(b, gren)\n\n-car(b, gren)\n+car(c, red)\n");
    assert_eq!((status, out.trim()), (2, "+red(c)."), "{told}");
    assert!(told.contains("`gren` is of another type") && told.contains("did you mean `green`?"), "{told}");
    let (_, out, told) = run(&files, &["repl", "r.dl"], "car(b, gren).\n?- car(b, C).\n");
    assert!(told.contains("`gren` is of another type") && out.contains("no"), "{out} {told}");
}

#[test]
fn constants_of_other_types_are_errors_in_conditions() {
    let types = ":- type(price, symbol, float).\n:- type(count, symbol, integer).\nprice(a, 2.0). count(a, 2).\n";
    for (rule, message) in [
        ("p(X) :- price(X, 2).", "`2` is no value of the type `float`"),
        ("p(X) :- count(X, '2').", "`'2'` is no value of the type `integer`"),
        ("p(X) :- count(X, N) & N = two.", "`two` is no value of the type `integer`"),
        ("p(X) :- count(X, N) & member(N, [1, two]).", "`two` is no value of the type `integer`"),
        (
            ":- enumeration(e, a, b). :- type(q, e). q(a). p(X) :- q(X) & member(X, [a, c]).",
            "`c` is no value of the type `e`",
        ),
        ("p(X) :- count(X, _) & ~price(X, none).", "`none` is no value of the type `float`"),
    ] {
        let files = folder(&[("r.dl", &format!("{types}{rule}"))]);
        let (status, _, told) = run(&files, &["check", "r.dl"], "");
        assert!(status == 2 && told.contains("error[column-type]") && told.contains(message), "{rule}: {told}");
    }
}
