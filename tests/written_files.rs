//! What commands do to the files that they write: links, pipes, devices, and disks that are full.
#![cfg(unix)]

use crate::binary::{self, ludolog};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Output, Stdio};
use tempfile::TempDir;

const RULES: &str = "p(X) :- q(X).\n";
const CONVERTED: &str = "(<= (p ?x) (q ?x))\n";

/// A directory with the rule file `rules.dl`.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("rules.dl"), RULES).expect("a file");
    directory
}

/// Runs a script with the binary as `$LUDOLOG`.
fn shell(directory: &Path, script: &str) -> Output {
    let mut command = std::process::Command::new("sh");
    command.current_dir(directory).args(["-c", script]).env("LUDOLOG", binary::path());
    command.stdin(Stdio::null()).output().expect("a shell")
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_link_stays_and_its_target_is_written() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("inner")).unwrap();
    fs::write(at("inner/old.kif"), "(old)\n").unwrap();
    fs::set_permissions(at("inner/old.kif"), fs::Permissions::from_mode(0o604)).unwrap();
    for (link, target) in [("old.kif", "inner/old.kif"), ("new.kif", "inner/new.kif")] {
        symlink(target, at(link)).unwrap();
        ludolog(directory.path(), &["convert", "rules.dl", "-o", link, "--force"]).assert().success();
        assert_eq!(fs::read_link(at(link)).unwrap(), Path::new(target));
        assert_eq!(fs::read_to_string(at(target)).unwrap(), CONVERTED);
    }
    assert_eq!(fs::metadata(at("inner/old.kif")).unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(names(&at("inner")), ["new.kif", "old.kif"]);
}

#[test]
fn a_pipe_is_written_to() {
    let directory = directory();
    // Opened for reading too, the pipe does not block the command.
    let script = "mkfifo pipe; exec 3<>pipe; $LUDOLOG convert rules.dl -o pipe && test -p pipe && head -n 1 <&3";
    let output = shell(directory.path(), script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), CONVERTED, "{output:?}");
}

#[test]
fn standard_output_is_written_to() {
    let directory = directory();
    ludolog(directory.path(), &["convert", "rules.dl", "-o", "/dev/stdout"]).assert().success().stdout(CONVERTED);
    // By another name, which this test may lose.
    symlink("/proc/self/fd/1", directory.path().join("out")).unwrap();
    if directory.path().join("out").exists() {
        ludolog(directory.path(), &["convert", "rules.dl", "-o", "out"]).assert().success().stdout(CONVERTED);
        assert!(directory.path().join("out").is_symlink());
    }
    // A regular file behind it keeps what the command and others print.
    let script = "(echo before; $LUDOLOG hex show 1x1 --svg /dev/stdout; echo after) > all; cat all";
    let text = String::from_utf8(shell(directory.path(), script).stdout).unwrap();
    let (before, picture) = text.split_once("<svg").expect("a picture");
    assert!(
        before.starts_with("before\n") && before.len() > "before\n".len() && picture.ends_with("</svg>\nafter\n"),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_told() {
    let directory = directory();
    let full = "No space left on device (os error 28)\n";
    symlink("/dev/full", directory.path().join("full.svg")).unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    symlink("/dev/full", directory.path().join("out/report.json")).unwrap();
    fs::write(directory.path().join("won.txt"), "R B .\n R B .\n  R . .\n").unwrap();
    let bench = "bench hex --position won.txt --samples 1 --formulation connected --engine semi-naive --output out";
    for (args, file) in [
        ("convert rules.dl -o /dev/full", "/dev/full"),
        ("hex show 3x3 --svg full.svg", "full.svg"),
        ("hex evaluate 3x3 --only resistance --svg full.svg", "full.svg"),
        ("hex solve 3x3 --proof full.svg", "full.svg"),
        (bench, "out/report.json"),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let failed = ludolog(directory.path(), &args).assert().code(2);
        failed.stderr(format!("error: cannot write {file}: {full}"));
    }
    assert_eq!(names(&directory.path().join("out")), ["report.json"]);
    for command in ["plan rules.dl", "convert rules.dl", "convert rules.dl -o /dev/stdout"] {
        let output = shell(directory.path(), &format!("$LUDOLOG {command} > /dev/full"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        // `plan` warns of the predicate that the rules read first.
        let told = error.lines().last().unwrap_or_default();
        assert!(told.starts_with("error: cannot ") && error.ends_with(full), "{command}: {error}");
        assert_eq!(output.status.code(), Some(2), "{command}");
    }
}

/// A limit on the size of files stands for a disk that fills up while a regular file is written.
#[test]
fn a_file_that_cannot_be_written_whole_stays_as_it_was() {
    let directory = directory();
    fs::write(directory.path().join("old.kif"), "(old)\n").unwrap();
    for file in ["old.kif", "new.kif"] {
        let output = shell(
            directory.path(),
            &format!("trap '' XFSZ; ulimit -f 0; exec $LUDOLOG convert rules.dl --force -o {file}"),
        );
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.starts_with(&format!("error: cannot write {file}: File too large")), "{error}");
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(fs::read_to_string(directory.path().join("old.kif")).unwrap(), "(old)\n");
    assert_eq!(names(directory.path()), ["old.kif", "rules.dl"]);
}

/// One rule everywhere: a file that is there is told and kept, unless `--force` is given.
#[test]
fn a_file_that_is_there_is_told_and_kept() {
    let directory = directory();
    fs::write(directory.path().join("facts.dl"), "q(1).\np(X) :- q(X).\n").unwrap();
    for (args, file) in [
        ("convert rules.dl -o old.kif", "old.kif"),
        ("hex show 2x2 --svg old.svg", "old.svg"),
        ("hex evaluate 2x2 --only flow --svg old.svg", "old.svg"),
        ("hex solve 2x2 --proof old.txt", "old.txt"),
        ("game solve std:games/nim.kif --database old.values", "old.values"),
        ("profile rules.dl --html old.html", "old.html"),
        ("hex connections 2x2 --svg old.svg", "old.svg"),
        ("hex inferior 2x2 --svg old.svg", "old.svg"),
        ("hex templates 1 --svg old.svg", "old.svg"),
        ("hex templates --find --size 3x2 --output old.txt", "old.txt"),
        ("game show std:games/tic-tac-toe.kif --svg old.svg", "old.svg"),
        ("match std:games/nim.kif random random --record old.json", "old.json"),
        ("match std:games/nim.kif random random --html old.html", "old.html"),
        ("prove short --bridg-it 2 --proof old.proof", "old.proof"),
        ("prove draw --mnk 4x4x4 --proof old.proof", "old.proof"),
        ("facts facts.dl --output .", "./p.dl"),
        ("games copy nim .", "./nim.kif"),
        ("rules copy std:hex/cluster.dl .", "./cluster.dl"),
    ] {
        fs::write(directory.path().join(file), "old").unwrap();
        let args: Vec<&str> = args.split(' ').collect();
        let refused = ludolog(directory.path(), &args).assert().code(2).get_output().clone();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(told.contains(&format!("cannot write {file}: it is there already; --force replaces it")), "{told}");
        assert_eq!(fs::read(directory.path().join(file)).unwrap(), b"old", "{args:?}");
        ludolog(directory.path(), &[&args[..], &["--force"]].concat()).assert().success();
        assert_ne!(fs::read(directory.path().join(file)).unwrap(), b"old", "{args:?}");
    }
}

/// `t` has no table, since its facts have compounds, and `s.csv` is of someone else: nothing is written beside either.
#[test]
fn all_tables_are_written_or_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    fs::write(at("part.dl"), "p(1). r(X) :- p(X). s(X) :- p(X). t(f(X)) :- p(X).\n").unwrap();
    let run = |more: &[&str]| {
        let args = [&["facts", "part.dl", "-o", "out", "--format", "csv"], more].concat();
        let (status, _, told) = binary::run(directory.path(), &args, "");
        (status, told)
    };
    let (status, told) = run(&[]);
    assert!(status == 2 && told.contains("the facts of `t/1` are no table"), "{told}");
    assert!(!at("out").exists());
    fs::create_dir(at("out")).unwrap();
    fs::write(at("out/s.csv"), "2\n").unwrap();
    let chosen = ["--predicate", "r/1", "--predicate", "s/1"];
    let (status, told) = run(&chosen);
    assert!(status == 2 && told.contains("s.csv: it is there already"), "{told}");
    assert_eq!(names(&at("out")), ["s.csv"]);
    assert_eq!(run(&[&chosen[..], &["--force"]].concat()).0, 0);
    assert_eq!(names(&at("out")), ["r.csv", "s.csv"]);
    assert_eq!(fs::read_to_string(at("out/s.csv")).unwrap(), "1\n");
}
