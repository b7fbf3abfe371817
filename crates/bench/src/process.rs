//! Runs of other programs as processes of their own, within a limit.

use crate::measure::Sampling;
use ludolog_engine::Stopped;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Time between two looks at a process: short against any time limit.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A process that has ended by itself.
pub struct Ended {
    /// The time from its start to the end of its output.
    pub took: Duration,
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub complaints: String,
    /// The most memory that it and its children held at once, in bytes; `None` where the system does not tell, or it ended before it was
    /// asked.
    pub peak_bytes: Option<u64>,
}

/// Runs a process with this input. One that takes longer than the limit is killed, with its children.
///
/// # Errors
///
/// [`Stopped::Timeout`] and [`Stopped::Interrupted`], when the process was killed; [`Stopped::Unsupported`], when it cannot be started.
pub fn run(command: &mut Command, input: &[u8], limit: Duration, sampling: &Sampling) -> Result<Ended, Stopped> {
    let failed = |error: std::io::Error| Stopped::Unsupported(format!("cannot run a process for it: {error}"));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // The loop below notices a process that ended early.
        _ = stdin.write_all(input);
    }
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    std::thread::scope(|scope| {
        let output = scope.spawn(move || (read(stdout), start.elapsed()));
        let complaints = scope.spawn(move || read(stderr));
        let waited = wait(&mut child, start, limit, sampling);
        if waited.is_err() {
            kill(&mut child);
        }
        let (output, took) = output.join().unwrap_or_default();
        let complaints = String::from_utf8_lossy(&complaints.join().unwrap_or_default()).into_owned();
        let (status, peak_bytes) = waited?;
        Ok(Ended { took, status, output, complaints, peak_bytes })
    })
}

fn read(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What a process wrote before it was killed is not asked for.
    _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    bytes
}

/// Waits for the end of a process: its status, and the most memory that was seen.
fn wait(
    child: &mut Child,
    start: Instant,
    limit: Duration,
    sampling: &Sampling,
) -> Result<(ExitStatus, Option<u64>), Stopped> {
    let mut peak = None;
    loop {
        let status = child.try_wait().map_err(|error| Stopped::Unsupported(error.to_string()))?;
        if let Some(status) = status {
            return Ok((status, peak));
        }
        if sampling.is_interrupted() {
            return Err(Stopped::Interrupted);
        }
        if start.elapsed() > limit {
            return Err(Stopped::Timeout(sampling.limit));
        }
        std::thread::sleep(POLL_INTERVAL);
        peak = peak.max(resident(child.id()));
    }
}

/// The greatest resident memory of a process and of its children, in bytes; `None` where the system does not tell.
fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| resident(child.parse().ok()?));
    Some((kilobytes << 10) + children.sum::<u64>())
}

/// Kills a process and its children, and waits for its end.
fn kill(child: &mut Child) {
    if cfg!(unix) {
        // The library kills a single process; one that was started by a script would go on.
        _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    }
    // An error says that it has ended.
    _ = child.kill();
    _ = child.wait();
}
