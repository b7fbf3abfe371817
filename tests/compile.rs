//! Programs in the languages of other systems: their texts, what is refused, and that they derive the same facts there.

use crate::binary;
use ludolog::compile::{System, Translatable, Translation, translate};
use ludolog::diagnostic::Sources;
use ludolog::files::FileSystem;
use ludolog::syntax::ast::{Atom, Predicate, PredicateName, Statement, Term};
use ludolog::{analysis, syntax};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Facts, by the name of their predicate.
type Facts = BTreeSet<(PredicateName, Vec<Term>)>;

/// A program of `tests/programs`.
struct Case {
    name: String,
    program: Translatable,
    /// The facts of its snapshot.
    expected: Facts,
}

fn cases() -> Vec<Case> {
    let mut paths: Vec<PathBuf> =
        Path::new("tests/programs").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| case(path)).collect()
}

fn case(path: &Path) -> Case {
    let mut sources = Sources::new();
    let loaded = syntax::load(&FileSystem, &[path], None, &mut sources).expect("a program").program;
    let stratified = analysis::analyze(&loaded).expect("a sound program").stratified;
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let snapshot = std::fs::read_to_string(format!("tests/snapshots/programs@{name}.snap")).unwrap();
    let text = snapshot.splitn(3, "---\n").nth(2).expect("a snapshot has a header");
    // Behind the facts of the program stand its events and queries.
    let is_fact = |line: &&str| !line.starts_with("?-") && !line.starts_with("==>");
    let listed: String = text.lines().take_while(is_fact).flat_map(|line| [line, "\n"]).collect();
    let outputs = stratified.program.defined().into_iter().filter(|predicate| !predicate.is_auxiliary()).collect();
    let program = Translatable::new(&stratified, Vec::new(), outputs);
    Case { name, program, expected: facts(&listed, &BTreeMap::new()) }
}

/// The facts of a text; the names of another system are replaced by those of the program.
#[track_caller]
fn facts(text: &str, names: &BTreeMap<Predicate, String>) -> Facts {
    let mut sources = Sources::new();
    let source = sources.add("facts.dl", text);
    let parsed = syntax::parse(source, &sources, syntax::Syntax::Datalog).into_result();
    let parsed = parsed.unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    let original = |atom: &Atom| {
        let named = names.iter().find(|(_, name)| **name == *atom.predicate.text());
        named.map_or(atom.predicate.clone(), |(predicate, _)| predicate.name.clone())
    };
    let facts = parsed.items.into_iter().filter_map(|item| match item.statement {
        Statement::Rule(rule) => Some((original(&rule.head), rule.head.args)),
        _ => None,
    });
    facts.collect()
}

/// Whether a program can be run; tells if not.
fn is_installed(program: &str, args: &[&str]) -> bool {
    let found = Command::new(program).args(args).output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: {program} {} does not run here", args.join(" "));
    }
    found
}

fn write(translation: &Translation, directory: &Path) {
    for (name, text) in &translation.files {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Holds each translated program against its snapshot.
fn agree(system: System, run: impl Fn(&Path) -> Output, read: impl Fn(&Case, &str) -> Option<String>) {
    for case in cases() {
        let Ok(translation) = translate(&case.program, system) else { continue };
        let directory = tempfile::tempdir().unwrap();
        write(&translation, directory.path());
        let output = run(directory.path());
        let text = String::from_utf8(output.stdout).unwrap();
        let Some(text) = read(&case, &text) else { continue };
        let found = facts(&text, &translation.names);
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert_eq!(found, case.expected, "{} on {system}: {complaints}", case.name);
    }
}

#[test]
fn prolog_derives_the_same_facts() {
    if is_installed("swipl", &["--version"]) {
        let run = |directory: &Path| {
            let mut command = Command::new("swipl");
            command.arg(directory.join("program.pl")).stdin(Stdio::null()).output().unwrap()
        };
        agree(System::Prolog, run, |_, text| Some(text.to_owned()));
    }
}

/// Programs that need more than the 32 bits of clingo: there they have no answer.
const TOO_LARGE: [&str; 2] = ["counting-down.dl", "counting.dl"];

#[test]
fn clingo_derives_the_same_facts() {
    let python = ["-m", "clingo"];
    let as_module = !Command::new("clingo").arg("--version").output().is_ok_and(|output| output.status.success());
    if as_module && !is_installed("python3", &["-m", "clingo", "--version"]) {
        return;
    }
    let run = |directory: &Path| {
        let mut command = Command::new(if as_module { "python3" } else { "clingo" });
        command.args(if as_module { &python[..] } else { &[] });
        command
            .args(["--verbose=0", "--warn=no-operation-undefined"])
            .arg(directory.join("program.lp"))
            .output()
            .unwrap()
    };
    agree(System::Clingo, run, |case, text| {
        let is_too_large = TOO_LARGE.contains(&&*case.name);
        assert_eq!(text.trim_end().ends_with("UNSATISFIABLE"), is_too_large, "{}: {text}", case.name);
        (!is_too_large).then(|| model(text))
    });
}

/// The atoms of clingo's one answer, as facts.
fn model(text: &str) -> String {
    let atoms = text.strip_suffix("SATISFIABLE\n").unwrap_or(text).trim();
    let mut facts = String::new();
    let mut in_quotes = false;
    let mut is_escaped = false;
    for c in atoms.chars() {
        in_quotes ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        if c == ' ' && !in_quotes { facts.push_str(".\n") } else { facts.push(c) }
    }
    if facts.is_empty() { facts } else { facts + ".\n" }
}

/// One after the other, since a build waits for the folder of targets while another has it, and a test that waits keeps a processor idle.
#[test]
fn crates_with_crepe_are_built_and_run() {
    if is_installed("cargo", &["--version"]) {
        crepe_derives_the_same_facts();
        a_compiled_crate_reads_and_writes_tables();
    }
}

/// All programs as modules of one crate, whose `main` prints the facts of each behind its name.
fn crepe_derives_the_same_facts() {
    let directory = tempfile::tempdir().unwrap();
    let mut modules = String::new();
    let mut calls = String::new();
    let mut expected = Vec::new();
    for (number, case) in cases().into_iter().enumerate() {
        let Ok(translation) = translate(&case.program, System::Crepe) else { continue };
        write(&translation, directory.path());
        let source = directory.path().join("src");
        std::fs::rename(source.join("program.rs"), source.join(format!("p{number}.rs"))).unwrap();
        let _ = writeln!(modules, "pub mod p{number};");
        let _ = writeln!(calls, "    show({:?}, p{number}::run(&Default::default()).tables());", case.name);
        expected.push((case.name, case.expected));
    }
    let show = "fn show(name: &str, tables: Vec<(&str, Vec<Vec<term::Term>>)>) {
    println!(\"== {name}\");
    for (predicate, rows) in tables {
        for row in rows {
            let mut name = String::new();
            term::write_name(&mut name, predicate).unwrap();
            let args: Vec<String> = row.iter().map(ToString::to_string).collect();
            if args.is_empty() { println!(\"{name}.\") } else { println!(\"{name}({}).\", args.join(\", \")) }
        }
    }
}";
    let main = format!("use compiled_rules::*;\n\n{show}\n\nfn main() {{\n{calls}}}\n");
    std::fs::write(directory.path().join("src/main.rs"), main).unwrap();
    std::fs::write(directory.path().join("src/lib.rs"), format!("pub mod tables;\npub mod term;\n{modules}")).unwrap();
    let text = String::from_utf8(build_and_run(directory.path(), &[]).stdout).unwrap();
    let found: BTreeMap<&str, Facts> = text
        .split("== ")
        .skip(1)
        .map(|part| part.split_once('\n').expect("a name"))
        .map(|(name, text)| (name, facts(text, &BTreeMap::new())))
        .collect();
    for (name, expected) in &expected {
        assert_eq!(&found[name.as_str()], expected, "{name}");
    }
    assert!(expected.len() > 35, "{} programs", expected.len());
}

/// Builds a crate offline, with the versions of this workspace and its folder of targets, where crepe and what it needs are built already, and
/// runs it.
#[track_caller]
fn build_and_run(directory: &Path, args: &[&str]) -> Output {
    let binary = binary::path();
    let target = binary.ancestors().nth(2).expect("a folder of targets");
    std::fs::copy("Cargo.lock", directory.join("Cargo.lock")).unwrap();
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0");
    let output = cargo.args(["run", "--offline", "--quiet", "--"]).args(args).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !complaints.contains("warning"), "{complaints}");
    output
}

/// The names of the programs that a system refuses, with the reasons.
#[test]
fn what_is_refused() {
    let mut text = String::new();
    for case in cases() {
        for system in System::ALL {
            if let Err(refused) = translate(&case.program, system) {
                let reasons: BTreeSet<String> = refused.iter().map(|one| one.message.clone()).collect();
                let _ = writeln!(text, "{}", case.name);
                reasons.iter().for_each(|reason| _ = writeln!(text, "  {reason}"));
            }
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn texts() {
    let names = [
        "left-recursion.dl",
        "early-filters.dl",
        "lists.dl",
        "aggregates-average.kif",
        "negated-comparisons.kif",
        "values-of-is.dl",
    ];
    for name in names {
        let case = case(&Path::new("tests/programs").join(name));
        for system in System::ALL {
            let text = match translate(&case.program, system) {
                Ok(translation) => translation.files.last().expect("a file").1.clone(),
                Err(refused) => refused.iter().fold(String::new(), |text, one| text + &one.message + "\n"),
            };
            // The predicates behind operations are the same in all programs for Prolog.
            let text = text.split("\n% What cannot be computed").next().unwrap();
            insta::assert_snapshot!(format!("{name}-{system}"), text);
        }
    }
}

fn ludolog(args: &[&str]) -> Output {
    binary::ludolog(".", args).output().unwrap()
}

#[test]
fn the_command_prints_and_writes() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out").display().to_string();
    let printed = ludolog(&["compile", "tests/programs/ancestors.dl", "--to", "clingo", "--optimize", "none"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.status.success() && text.contains("ancestor(X, Y) :- parent(X, Y).\n"), "{text}");
    // Facts of the case are part of the text, also of predicates that the rules do not define.
    let rules = directory.path().join("rules.dl").display().to_string();
    let edges = directory.path().join("edge.csv").display().to_string();
    std::fs::write(&rules, "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n").unwrap();
    std::fs::write(&edges, "a,1\n1,c\n").unwrap();
    let printed = ludolog(&["compile", &rules, "--facts", &edges, "--to", "prolog"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(text.contains("edge(a, 1).\nedge(1, c).\n") && text.contains(":- table path/2.\n"), "{text}");
    let written = ludolog(&["compile", &rules, "--facts", &edges, "--to", "souffle", "--output", &out]);
    assert!(written.status.success() && Path::new(&out).join("program.dl").exists());
    let kept = ludolog(&["compile", &rules, "--to", "souffle", "--output", &out]);
    assert_eq!(kept.status.code(), Some(2), "a file is there");
}

/// Facts of `few` are not enough for a file, those of `mixed` have two types in a column, and one of `blank` is the empty symbol.
#[test]
fn many_facts_stand_beside_a_program_for_souffle() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let rows = |first: fn(u32) -> String| (0..1000).map(|n| format!("{},{n}\n", first(n))).collect::<String>();
    let tables = [
        ("edge", rows(|n| format!("n{n}"))),
        ("few", "a,1\n".to_owned()),
        ("mixed", rows(|n| if n == 0 { "none".to_owned() } else { n.to_string() })),
        ("blank", rows(|n| if n == 0 { "\"\"".to_owned() } else { "c".to_owned() })),
    ];
    let rules = "p(X, Y) :- edge(X, Y) & few(_, _) & mixed(_, Y) & blank(_, Y).\n";
    std::fs::write(path("rules.dl"), rules).unwrap();
    let mut args = vec!["compile".to_owned(), path("rules.dl"), "--to".to_owned(), "souffle".to_owned()];
    for (name, rows) in tables {
        let file = path(&format!("{name}.csv"));
        std::fs::write(&file, rows).unwrap();
        args.extend(["--facts".to_owned(), file]);
    }
    let run = |more: &[&str]| {
        let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let output = ludolog(&args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["--output", &path("out")]);
    let mut files: Vec<_> = std::fs::read_dir(path("out")).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["edge.facts", "program.dl"]);
    let facts = std::fs::read_to_string(path("out/edge.facts")).unwrap();
    assert_eq!((facts.lines().count(), facts.lines().last()), (1000, Some("n999\t999")));
    let program = std::fs::read_to_string(path("out/program.dl")).unwrap();
    let is_told = |text: &str| program.contains(text);
    assert!(is_told(".input edge\n") && !is_told("edge(\"n7\", 7).") && is_told("few(\"a\", 1)."), "{program}");
    // A text that is printed has all facts.
    let printed = run(&[]);
    assert!(printed.contains("edge(\"n999\", 999).") && !printed.contains(".input"), "{printed}");
}

/// Soufflé says of a second variable for the content of the same term that it is not grounded.
#[test]
fn the_content_of_a_variable_has_one_name_for_souffle() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.dl").display().to_string();
    let text = "v(a). v(3). v(5).\nbig(X) :- v(X) & X * X > X + 1.\nmid(X) :- v(X) & X > 3 & X < 9.\n";
    std::fs::write(&rules, text).unwrap();
    let printed = ludolog(&["compile", &rules, "--to", "souffle", "--optimize", "none"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    let of = |head: &str| text.lines().find(|line| line.starts_with(head)).unwrap_or_default();
    assert_eq!(of("big(x) :-"), "big(x) :- v(x), x = $Integer(v_1), (v_1 * v_1) > (v_1 + 1).");
    let names: BTreeSet<&str> =
        of("mid(x) :-").split("$Integer(").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert_eq!(names.len(), 1, "{text}");
}

/// Whether another rule reads such a predicate or not, and whether aggregates do.
#[test]
fn what_depends_on_its_own_negation_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.dl").display().to_string();
    let win = "move(a, b). move(b, a). move(b, c). win(X) :- move(X, Y) & ~win(Y).\n";
    for more in ["", "lost(X) :- move(X, _) & ~win(X).", "n(N) :- N = count { X : win(X) }.", "p(X) :- move(X, _)."] {
        std::fs::write(&rules, format!("{win}{more}\n")).unwrap();
        for system in System::ALL {
            let refused = ludolog(&["compile", &rules, "--to", system.name(), "--output", &rules]);
            let told = String::from_utf8(refused.stderr).unwrap();
            assert_eq!(refused.status.code(), Some(2), "{more}, {system}: {told}");
            assert!(told.contains("depend on their own negation"), "{more}, {system}: {told}");
        }
    }
}

fn a_compiled_crate_reads_and_writes_tables() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let rules = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n:- output(path).\n";
    std::fs::write(path("rules.dl"), rules).unwrap();
    std::fs::write(path("edge.csv"), "a,\"b, c\"\n\"b, c\",7\n").unwrap();
    let written = ludolog(&["compile", &path("rules.dl"), "--to", "crepe", "--output", &path("crate")]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let printed = build_and_run(Path::new(&path("crate")), &[&path("edge.csv")]);
    let text = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(text, "path(a, 7).\npath(a, 'b, c').\npath('b, c', 7).\n");
    build_and_run(Path::new(&path("crate")), &[&path("edge.csv"), "--output", &path("out")]);
    assert_eq!(std::fs::read_to_string(path("out/path.csv")).unwrap(), "a,7\na,\"b, c\"\n\"b, c\",7\n");
    let expected = ludolog(&["facts", &path("rules.dl"), "--facts", &path("edge.csv")]);
    assert_eq!(text, String::from_utf8(expected.stdout).unwrap());
}

#[test]
fn what_a_system_cannot_say_is_told_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.dl").display().to_string();
    std::fs::write(&rules, "word(a).\npair(S) :- word(X) & S is cat(X, X).\n").unwrap();
    let refused = ludolog(&["compile", &rules, "--to", "clingo", "--optimize", "none"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        refused.stdout.is_empty() && text.contains("error[untranslatable]") && text.contains("rules.dl:2:"),
        "{text}"
    );
    let refused = ludolog(&["compile", &rules, "--to", "crepe"]);
    assert_eq!(refused.status.code(), Some(2), "a crate needs a directory");
}

/// Soufflé tests conditions in its own order, and looks for the symbol of what is none: comparisons of symbols take them from a relation. It takes
/// compounds without arguments with parentheses alone, and rules that never fire are left out.
#[test]
fn souffle_unpacks_symbols_before_it_compares_them() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.dl").display().to_string();
    let text = "age(ann, 31). age(bob, unknown). age(eve, 25). age(eve, g()).
late(X) :- age(X, A) & A > m.
other(X) :- age(X, A) & (A =\\= z | A = g()).
empty(X) :- age(X, g()).
never(X) :- age(X, A) & A =\\= A & A < 3.
twin(X) :- age(X, A) & age(_, B) & A =:= B & B =\\= 31 & A < 30.
";
    std::fs::write(&rules, text).unwrap();
    let printed = ludolog(&["compile", &rules, "--to", "souffle", "--optimize", "none"]);
    let program = String::from_utf8(printed.stdout).unwrap();
    let of = |head: &str| program.lines().find(|line| line.starts_with(head)).unwrap_or_default();
    assert_eq!(of("symbols_0("), "symbols_0(a, v_1) :- age(_, a), a = $Symbol(v_1).");
    assert_eq!(of("late("), "late(x) :- age(x, a), symbols_0(a, v_2), v_2 > \"m\".");
    // Of two names of one term, neither is unpacked in the rule.
    assert!(of("twin(").contains("integers_") && !of("twin(").contains('$'), "{program}");
    assert_eq!((of("empty("), of("never(")), ("empty(x) :- age(x, $G_0_0()).", ""), "{program}");
    if is_installed("souffle", &["--version"]) {
        let path = directory.path().join("program.dl");
        std::fs::write(&path, &program).unwrap();
        let run = Command::new("souffle").args(["-w", "-D", "-"]).arg(&path).output().unwrap();
        let out = String::from_utf8(run.stdout).unwrap();
        let rows = |predicate: &str| {
            let behind = out.split(&format!("{predicate}\n")).nth(1).unwrap_or_default();
            behind
                .lines()
                .filter(|line| !line.contains('=') && *line != "x0")
                .take_while(|line| !line.starts_with('-'))
                .count()
        };
        // By hand: bob is later than m; bob is another than z and eve has g(); nothing differs from itself; of 31 and 25, one is below 30.
        let found = ["late", "other", "empty", "never", "twin"].map(rows);
        assert_eq!(found, [1, 2, 1, 0, 1], "{out}");
    }
}

/// Facts are printed by the names and in the notation of the rules, whatever their predicates are called in Prolog.
#[test]
fn prolog_prints_facts_as_the_rules_state_them() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.dl").display().to_string();
    let text = "p(1). p(2). main(X) :- p(X). halt :- p(1). number(X) :- p(X). 'Own'(X) :- p(X).
l([1, g()]) :- p(1). l([1 | 2]) :- p(1). l(f([])) :- p(1).
";
    std::fs::write(&rules, text).unwrap();
    let printed = ludolog(&["compile", &rules, "--to", "prolog", "--optimize", "none"]);
    let program = String::from_utf8(printed.stdout).unwrap();
    assert!(program.contains("ludolog_print(main_2, main, 1)") && program.contains("ludolog_print(l, 1)"), "{program}");
    if is_installed("swipl", &["--version"]) {
        let path = directory.path().join("program.pl");
        std::fs::write(&path, &program).unwrap();
        let run = Command::new("swipl").arg(&path).stdin(Stdio::null()).output().unwrap();
        let expected = ludolog(&["facts", &rules]);
        let lines = |bytes: Vec<u8>| -> BTreeSet<String> {
            String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
        };
        assert_eq!(lines(run.stdout), lines(expected.stdout));
    }
}
