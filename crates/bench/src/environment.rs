//! The command, the versions and the machine of a run: without them a time means nothing.

use serde::Serialize;
use std::time::SystemTime;

/// The environment of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Environment {
    /// The exact command.
    pub command: String,
    /// The version of Ludolog.
    pub ludolog: String,
    /// The compiler, when known at build.
    pub rustc: Option<String>,
    /// `release` or `debug`; times of a debug build are for tests of the benchmark only.
    pub profile: String,
    /// The operating system, its version and architecture.
    pub os: String,
    /// The processor model, if known.
    pub cpu: Option<String>,
    /// The number of cores available to the process.
    pub cores: usize,
    /// The time when the run began, UTC.
    pub date: String,
}

impl Environment {
    /// The environment of this process.
    pub fn current() -> Environment {
        let system = |path| std::fs::read_to_string(path).ok();
        let kernel = system("/proc/sys/kernel/osrelease").map(|release| format!(" {}", release.trim()));
        Environment {
            command: command_line(std::env::args()),
            ludolog: env!("CARGO_PKG_VERSION").to_string(),
            rustc: option_env!("LUDOLOG_RUSTC").map(String::from),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_string(),
            os: format!("{}{} {}", std::env::consts::OS, kernel.unwrap_or_default(), std::env::consts::ARCH),
            cpu: system("/proc/cpuinfo").as_deref().and_then(cpu_model),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        }
    }
}

/// The arguments, quoted for a shell, with the program's bare name.
fn command_line(args: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = args.map(|arg| quoted(&arg)).collect();
    if let Some(program) = words.first_mut() {
        *program = "ludolog".to_string();
    }
    words.join(" ")
}

fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%@".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        return arg.to_string();
    }
    format!("'{}'", arg.replace('\'', r"'\''"))
}

/// The model name in the text of `/proc/cpuinfo`.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_typed_again() {
        let args = ["target/debug/ludolog", "bench", "hex", "--positions", "my boards/it's.txt"];
        assert_eq!(
            command_line(args.map(String::from).into_iter()),
            r"ludolog bench hex --positions 'my boards/it'\''s.txt'"
        );
    }

    #[test]
    fn cpu_model_is_read() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Abacus 9000\n"), Some("Abacus 9000".to_string()));
        assert_eq!(cpu_model(""), None);
    }
}
