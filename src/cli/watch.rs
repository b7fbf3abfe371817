//! `--watch`: runs a command again whenever a file that it has read changes.
//!
//! Events of the file system only say when to look. A file has changed if its size or its time of modification differ from
//! those before it was read, so nothing is missed: neither a change during a run, nor a file that an editor replaces by
//! another, nor one that was missing. The directories of the files are watched, since a watch on a file ends with it.

use super::snapshot::FOLDER;
use super::{Failure, Outcome, conclude, interrupt, print};
use clap::Args;
use ludolog::engine::Budget;
use ludolog::files::FileSystem;
use ludolog::syntax::{Database, Files, Syntax, Unreadable};
use notify::{Event, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, Read, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Time for which files must stay the same after a change: editors save a file in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Time between two looks at the flag of Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Clears a terminal with its scrollback, and goes to the top left.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

#[derive(Args)]
pub struct WatchArgs {
    /// Run again whenever one of the files changes, included ones too; Ctrl-C ends it, with exit status 130
    #[arg(long)]
    watch: bool,
}

/// The files and directories that were read in this run.
static READ: Mutex<BTreeMap<PathBuf, Stamp>> = Mutex::new(BTreeMap::new());

fn read() -> MutexGuard<'static, BTreeMap<PathBuf, Stamp>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that a file or directory is about to be read.
pub fn record(path: &Path) {
    read().entry(path.to_owned()).or_insert_with(|| Stamp::of(path));
}

/// The file system, of which all reading is recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedFileSystem;

impl Files for RecordedFileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        record(path);
        FileSystem.read(path)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        record(path);
        FileSystem.open(path)
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        record(path);
        FileSystem.database(path, budget)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        FileSystem.identity(path)
    }
}

/// The properties of a file or directory that tell whether it has changed.
#[derive(Debug, PartialEq, Eq)]
enum Stamp {
    Missing,
    /// Its size and its time of modification.
    File(u64, Option<SystemTime>),
    /// The names of the rule files and directories in it, without snapshots, which a run may add.
    Directory(BTreeSet<OsString>),
}

impl Stamp {
    fn of(path: &Path) -> Stamp {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let entries = fs::read_dir(path).into_iter().flatten().flatten();
                let is_source = |path: &Path| Syntax::of(path).is_some() || path.is_dir() && !path.ends_with(FOLDER);
                let sources = entries.filter(|entry| is_source(&entry.path()));
                Stamp::Directory(sources.map(|entry| entry.file_name()).collect())
            }
            Ok(metadata) => Stamp::File(metadata.len(), metadata.modified().ok()),
            Err(_) => Stamp::Missing,
        }
    }
}

/// Runs a command: once, or with `--watch` until Ctrl-C. `is_json` is whether it tells errors as JSON.
pub fn run(
    args: &WatchArgs,
    is_json: bool,
    command: impl Fn() -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    if !args.watch {
        return command();
    }
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(|error| unwatchable(&error))?;
    loop {
        read().clear();
        match command() {
            interrupted @ (Ok(Outcome::Interrupted) | Err(Failure::Interrupted)) => return interrupted,
            result => _ = conclude(result, is_json),
        }
        let files = std::mem::take(&mut *read());
        if files.contains_key(Path::new("-")) {
            return Err(Failure::Message("standard input cannot be watched; name a file".to_owned()));
        }
        if files.is_empty() {
            return Err(Failure::Message("there is no file to watch".to_owned()));
        }
        anstream::eprintln!("watching for changes; Ctrl-C ends");
        let Some(changed) = wait(&files, &mut watcher, &events)? else { return Ok(Outcome::Interrupted) };
        if stdout().is_terminal() {
            print(CLEAR)?;
        }
        let time = humantime::format_rfc3339_seconds(SystemTime::now());
        let names: Vec<String> = changed.iter().map(|path| path.display().to_string()).collect();
        anstream::eprintln!("{time} changed: {}", names.join(", "));
    }
}

/// Waits until some of the files change; `None` after Ctrl-C.
fn wait<'a>(
    files: &'a BTreeMap<PathBuf, Stamp>,
    watcher: &mut dyn Watcher,
    events: &Receiver<notify::Result<Event>>,
) -> Result<Option<Vec<&'a PathBuf>>, Failure> {
    let interrupted = interrupt::flag();
    loop {
        // Each time anew, for a directory may have been removed, and with it its watch, or created.
        for directory in files.iter().flat_map(|(path, stamp)| directories(path, stamp)).collect::<BTreeSet<_>>() {
            if let Err(error) = watcher.watch(&directory, RecursiveMode::NonRecursive)
                && directory.exists()
            {
                return Err(unwatchable(&error));
            }
        }
        let mut found = changes(files);
        while !found.is_empty() {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            std::thread::sleep(QUIET);
            let before = std::mem::replace(&mut found, changes(files));
            if found == before {
                return Ok(Some(found.into_iter().map(|(path, _)| path).collect()));
            }
        }
        loop {
            match events.recv_timeout(POLL_INTERVAL) {
                _ if interrupted.load(Ordering::Relaxed) => return Ok(None),
                // Runs read files themselves.
                Ok(Ok(event)) if event.kind.is_access() => {}
                Ok(Ok(_)) => break,
                Ok(Err(error)) => return Err(unwatchable(&error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(unwatchable(&"no more events")),
            }
        }
    }
}

/// The files that have changed, with their stamps of this moment.
fn changes(files: &BTreeMap<PathBuf, Stamp>) -> Vec<(&PathBuf, Stamp)> {
    let stamps = files.iter().map(|(path, before)| (path, before, Stamp::of(path)));
    stamps.filter(|(_, before, stamp)| *before != stamp).map(|(path, _, stamp)| (path, stamp)).collect()
}

/// The directories in which changes of a file show: its own, or the nearest that exists, and that of the file that
/// symbolic links lead to; for a directory also itself.
fn directories(path: &Path, stamp: &Stamp) -> Vec<PathBuf> {
    let parent = |path: &Path| {
        let parents =
            path.ancestors().skip(1).map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
        parents.into_iter().find(|parent| parent.is_dir()).map(Path::to_owned)
    };
    let target = path.canonicalize().ok();
    let itself = matches!(stamp, Stamp::Directory(_)).then(|| path.to_owned()).filter(|path| path.is_dir());
    [parent(path), target.as_deref().and_then(parent), itself].into_iter().flatten().collect()
}

fn unwatchable(error: &dyn std::fmt::Display) -> Failure {
    Failure::Message(format!("cannot watch the files: {error}"))
}
