//! The files that are worked on together, and their analyses as long as nothing that they read changes.

use crate::{Analysis, Texts};
use ludolog_syntax::Files;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Diagnostic;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that a text is judged within, at most.
const MAX_CONTEXTS: usize = 8;

/// Words of which files that include or use others have one.
const INCLUDES: [&[u8]; 2] = [b"include", b"use"];

/// The beginnings of statements that read other files, in both syntaxes.
const READS: [&str; 6] = ["include(", "use(", "input(", "(include", "(use", "(input"];

/// Open texts, the files that may include them, and analyses, which are made when they are asked for and forgotten when a
/// text that they read changes.
#[derive(Debug)]
pub struct Project {
    texts: Texts,
    /// Files that are not open and may include others.
    members: BTreeSet<PathBuf>,
    /// Of open texts and members.
    analyses: HashMap<PathBuf, Arc<Analysis>>,
    /// The open texts and members whose analysis did not end within its budget, and why. It is not begun again before they change.
    failed: HashMap<PathBuf, Stopped>,
    /// The open texts and members that read a file, by that file; `None` since a change.
    readers: Option<HashMap<PathBuf, Vec<PathBuf>>>,
}

impl Project {
    /// A project of these texts.
    pub fn new(texts: Texts) -> Self {
        Project { texts, members: BTreeSet::new(), analyses: HashMap::new(), failed: HashMap::new(), readers: None }
    }

    /// The texts as they are now.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Adds a file that is not open, whose includes count. A file that cannot be read or includes nothing is left out.
    pub fn add_member(&mut self, path: &Path) {
        let holds_include =
            |bytes: Vec<u8>| INCLUDES.iter().any(|word| bytes.windows(word.len()).any(|part| part == *word));
        if self.texts.read(path).is_ok_and(holds_include) {
            self.members.insert(self.texts.key(path));
            self.readers = None;
        }
    }

    /// Opens a text in place of the file at `path`, or changes it.
    pub fn set(&mut self, path: &Path, text: impl Into<Arc<str>>) {
        self.texts.set(path, text);
        self.forget(path);
    }

    /// Closes a text: the file is what is saved.
    pub fn close(&mut self, path: &Path) {
        self.texts.close(path);
        self.forget(path);
        self.add_member(path);
    }

    /// Forgets what was read of a file: it changed, came or went.
    pub fn forget(&mut self, path: &Path) {
        let key = self.texts.key(path);
        // One that looked for a file in vain has no text of it.
        self.analyses.retain(|_, analysis| analysis.source(&key).is_none() && analysis.is_whole);
        // It is not known what else such a text reads, if it reads anything.
        let texts = &self.texts;
        let reads_none =
            |path: &Path| texts.get(path).is_some_and(|text| !READS.iter().any(|word| text.contains(word)));
        self.failed.retain(|path, _| *path != key && reads_none(path));
        self.readers = None;
    }

    /// The analysis of a file with all that it includes. Each has the whole time of the budget, so that one which takes too long does not
    /// use up that of the others.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, or has ended since the file changed last.
    pub fn analysis(&mut self, path: &Path, budget: &Budget) -> Result<Arc<Analysis>, Stopped> {
        let key = self.texts.key(path);
        if let Some(analysis) = self.analyses.get(&key) {
            return Ok(analysis.clone());
        }
        if let Some(stopped) = self.failed.get(&key) {
            return Err(stopped.clone());
        }
        match Analysis::new(&self.texts, &key, &budget.renewed()) {
            Ok(analysis) => {
                let analysis = Arc::new(analysis);
                self.analyses.insert(key, analysis.clone());
                Ok(analysis)
            }
            Err(stopped) => {
                if stopped != Stopped::Interrupted {
                    self.failed.insert(key, stopped.clone());
                }
                Err(stopped)
            }
        }
    }

    /// The analyses that a file is part of: its own, and those of all that include it.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn analyses_with(&mut self, path: &Path, budget: &Budget) -> Result<Vec<Arc<Analysis>>, Stopped> {
        let mut found = vec![self.analysis(path, budget)?];
        if self.readers.is_none() {
            self.readers = Some(self.read_all(budget)?);
        }
        let key = self.texts.key(path);
        let readers = self.readers.as_ref().and_then(|readers| readers.get(&key));
        let others = readers.into_iter().flatten().filter(|reader| **reader != key);
        found.extend(others.filter_map(|reader| self.analyses.get(reader).cloned()));
        Ok(found)
    }

    /// The open texts and members that read a file, by that file, without those that cannot be analyzed.
    fn read_all(&mut self, budget: &Budget) -> Result<HashMap<PathBuf, Vec<PathBuf>>, Stopped> {
        let open = self.texts.paths().map(Path::to_owned);
        let all: BTreeSet<PathBuf> = open.chain(self.members.iter().cloned()).collect();
        let mut readers: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        for reader in all {
            let analysis = match self.analysis(&reader, budget) {
                Ok(analysis) => analysis,
                Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                // What it reads is not known.
                Err(_) => continue,
            };
            for file in analysis.read_paths() {
                readers.entry(file.to_owned()).or_default().push(reader.clone());
            }
        }
        Ok(readers)
    }

    /// The analyses that judge a file: of those that include it, where there are any, for what is missing in it may be there; else
    /// its own.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn contexts(&mut self, path: &Path, budget: &Budget) -> Result<Vec<Arc<Analysis>>, Stopped> {
        let mut found = self.analyses_with(path, budget)?;
        if found.len() > 1 {
            found.remove(0);
            found.truncate(MAX_CONTEXTS);
        }
        Ok(found)
    }

    /// What is wrong or odd in a file, each said once.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn diagnostics(&mut self, path: &Path, budget: &Budget) -> Result<Vec<(Arc<Analysis>, Diagnostic)>, Stopped> {
        let key = self.texts.key(path);
        let mut found: Vec<(Arc<Analysis>, Diagnostic)> = Vec::new();
        let mut told = HashSet::new();
        for analysis in self.contexts(path, budget)? {
            for diagnostic in analysis.diagnostics_of(&key) {
                let place = diagnostic.labels.first().map(|label| (label.span.start, label.span.end));
                if told.insert((diagnostic.code.name(), diagnostic.message.clone(), place)) {
                    found.push((analysis.clone(), diagnostic.clone()));
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::Unreadable;
    use std::fmt::Write;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// No files, counting how often they are asked for.
    #[derive(Default)]
    struct Asked(AtomicUsize);

    impl Files for Asked {
        fn read(&self, _path: &Path) -> Result<Vec<u8>, Unreadable> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(Unreadable::NotFound)
        }

        fn identity(&self, _path: &Path) -> Option<PathBuf> {
            self.0.fetch_add(1, Ordering::Relaxed);
            None
        }
    }

    /// After a change of one of many open texts, judging all of them asks for files a few times a text, and not for each pair of texts.
    #[test]
    fn a_keystroke_asks_for_files_in_proportion_to_the_open_texts() {
        let files = Arc::new(Asked::default());
        let mut project = Project::new(Texts::new(files.clone()));
        let paths: Vec<PathBuf> = (0..100).map(|number| PathBuf::from(format!("{number}.dl"))).collect();
        for path in &paths {
            project.set(path, "p(1).\n");
        }
        project.set(Path::new("main.dl"), ":- include('7.dl').\nq(X) :- p(X).\n");
        let budget = Budget::unlimited();
        let judge = |project: &mut Project| {
            let before = files.0.load(Ordering::Relaxed);
            let mut contexts = paths.iter().map(|path| project.contexts(path, &budget).unwrap().len());
            assert!(contexts.all(|number| number == 1));
            files.0.load(Ordering::Relaxed) - before
        };
        judge(&mut project);
        project.set(&paths[3], "p(2).\n");
        assert!(judge(&mut project) <= 5 * paths.len());
        let seventh = project.contexts(&paths[7], &budget).unwrap();
        assert!(seventh[0].source(Path::new("main.dl")).is_some(), "it is judged within what includes it");
        project.set(Path::new("main.dl"), "q(1).\n");
        let seventh = project.contexts(&paths[7], &budget).unwrap();
        assert!(seventh[0].source(Path::new("main.dl")).is_none());
    }

    /// A made program of so many rules and facts, one a line.
    fn program(lines: usize) -> String {
        let mut text = String::new();
        for line in 0..lines {
            let e = line % 37;
            if line % 5 == 0 {
                writeln!(text, "e{e}(a{}, b{}).", line % 91, line % 53).unwrap();
            } else {
                writeln!(text, "p{}(X, Z) :- p{}(X, Y) & e{e}(Y, Z) & X != Z.", line % 400, (line * 7 + 1) % 400)
                    .unwrap();
            }
        }
        text
    }

    /// A text that takes longer than its budget is read once, and leaves the others their time.
    #[test]
    fn a_text_that_takes_too_long_is_not_read_again_before_it_changes() {
        let [large, small] = ["large.dl", "small.dl"].map(Path::new);
        let mut project = Project::new(Texts::new(Arc::new(HashMap::<PathBuf, String>::new())));
        project.set(large, program(200_000));
        project.set(small, "p(1).\n");
        let budget = Budget::unlimited().with_timeout(Duration::from_millis(100));
        let stopped = project.analysis(large, &budget).map(|_| ());
        assert_eq!(stopped, Err(Stopped::Timeout(Duration::from_millis(100))));
        let unlimited = Budget::unlimited();
        let before = project.texts().parsed();
        for typed in ["p(2).\n", "p(3).\n"] {
            assert_eq!(project.contexts(small, &unlimited).map(|found| found.len()), Ok(1));
            assert_eq!(project.analysis(large, &unlimited).map(|_| ()), stopped);
            project.set(small, typed);
        }
        assert!(project.texts().parsed() - before < 10, "the large text was read again");
        project.set(large, "q(1).\n");
        assert_eq!(project.contexts(large, &budget).map(|found| found.len()), Ok(1));
    }

    /// A keystroke costs the parsing of one statement, for its tree and for its words; the statements that an edit has moved are not
    /// parsed again.
    #[test]
    fn a_keystroke_parses_the_statement_that_it_is_in() {
        let path = Path::new("rules.dl");
        let text = program(500);
        let middle = text.len() / 2 + text[text.len() / 2..].find('\n').unwrap() + 1;
        let mut project = Project::new(Texts::new(Arc::new(HashMap::<PathBuf, String>::new())));
        let budget = Budget::unlimited();
        let mut parsed = |text: String| {
            project.set(path, text);
            let before = project.texts().parsed();
            project.analysis(path, &budget).unwrap();
            project.texts().parsed() - before
        };
        assert!(parsed(text.clone()) > 500);
        for typed in ["q", "qx", "qxy", "qx"] {
            let typed = [&text[..middle], typed, &text[middle..]].concat();
            assert!(parsed(typed) <= 2);
        }
        assert_eq!(parsed(text), 0, "it is as it was");
    }
}
