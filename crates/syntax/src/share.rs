//! Shares: the facts that one of several processes holds.

use crate::budget::Budget;
use crate::{Database, Files, Unreadable};
use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// The facts that a process holds where several of them hold all: those whose [hash](crate::content) leaves the number
/// of the process, divided by the number of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    process: u64,
    processes: NonZero<u64>,
}

impl Share {
    /// All facts.
    pub const WHOLE: Share = Share { process: 0, processes: NonZero::<u64>::MIN };

    /// The share of a process, numbered from 0, of so many; all facts, if they are none.
    pub fn new(process: usize, processes: usize) -> Share {
        NonZero::new(processes as u64).map_or(Share::WHOLE, |processes| Share { process: process as u64, processes })
    }

    /// Whether these are all facts.
    pub fn is_whole(self) -> bool {
        self.processes == NonZero::<u64>::MIN
    }

    /// Whether the fact with this hash is one of them.
    #[inline]
    pub fn holds(self, hash: u64) -> bool {
        hash % self.processes == self.process
    }
}

/// Files whose tables are read as one of several processes does.
///
/// ```
/// use ludolog_syntax::budget::Budget;
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::{Share, SharedFiles, load_facts};
/// use std::collections::HashMap;
/// use std::path::PathBuf;
///
/// let files = HashMap::from([(PathBuf::from("edge.csv"), "1,2\n2,3\n3,a\na,4\n")]);
/// let rows = |process: usize| {
///     let (files, mut sources) = (SharedFiles { files: files.clone(), share: Share::new(process, 2) }, Sources::new());
///     let facts = load_facts(&files, &["edge.csv".into()], None, None, &mut sources, &Budget::unlimited());
///     facts.unwrap().unwrap().tables[0].len()
/// };
/// # #[cfg(feature = "tables")]
/// assert_eq!(rows(0) + rows(1), 4);
/// ```
pub struct SharedFiles<F> {
    /// The files.
    pub files: F,
    /// The facts of their tables that are kept.
    pub share: Share,
}

impl<F: Files> Files for SharedFiles<F> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        self.files.read(path)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        self.files.open(path)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        self.files.identity(path)
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        self.files.database(path, budget)
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        self.files.included(directory, path)
    }

    fn share(&self) -> Share {
        self.share
    }
}
