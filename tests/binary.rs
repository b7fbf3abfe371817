//! The binary as users run it: once, with a script, or as a process beside the test.

use assert_cmd::Command;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The command `ludolog` with these arguments, in a folder. Nothing says that it runs in continuous integration.
pub fn ludolog<S: AsRef<OsStr>>(folder: &(impl AsRef<Path> + ?Sized), args: &[S]) -> Command {
    Command::from_std(process(folder, args))
}

/// As [`ludolog`], for a process that is held while it runs.
pub fn process<S: AsRef<OsStr>>(folder: &(impl AsRef<Path> + ?Sized), args: &[S]) -> std::process::Command {
    let mut command = std::process::Command::new(path());
    command.current_dir(folder.as_ref()).env_remove("CI").args(args);
    command
}

/// The path of the binary.
pub fn path() -> PathBuf {
    env!("CARGO_BIN_EXE_ludolog").into()
}

/// Exit status, standard output and standard error of a run with this script on standard input.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(folder: &(impl AsRef<Path> + ?Sized), args: &[S], script: &str) -> (i32, String, String) {
    let output = ludolog(folder, args).write_stdin(script).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("it ends by itself"), text(output.stdout), text(output.stderr))
}
