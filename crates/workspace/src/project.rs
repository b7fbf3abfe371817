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

/// Open texts, the files that may include them, and analyses, which are made when they are asked for and forgotten when a
/// text that they read changes.
#[derive(Debug)]
pub struct Project {
    texts: Texts,
    /// Files that are not open and may include others.
    members: BTreeSet<PathBuf>,
    /// Of open texts and members.
    analyses: HashMap<PathBuf, Arc<Analysis>>,
}

impl Project {
    /// A project of these texts.
    pub fn new(texts: Texts) -> Self {
        Project { texts, members: BTreeSet::new(), analyses: HashMap::new() }
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
    }

    /// The analysis of a file with all that it includes.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn analysis(&mut self, path: &Path, budget: &Budget) -> Result<Arc<Analysis>, Stopped> {
        let key = self.texts.key(path);
        if let Some(analysis) = self.analyses.get(&key) {
            return Ok(analysis.clone());
        }
        let analysis = Arc::new(Analysis::new(&self.texts, &key, budget)?);
        self.analyses.insert(key, analysis.clone());
        Ok(analysis)
    }

    /// The analyses that a file is part of: its own, and those of all that include it.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn analyses_with(&mut self, path: &Path, budget: &Budget) -> Result<Vec<Arc<Analysis>>, Stopped> {
        let mut found = vec![self.analysis(path, budget)?];
        let key = self.texts.key(path);
        let open = self.texts.paths().map(Path::to_owned);
        let others: BTreeSet<PathBuf> =
            open.chain(self.members.iter().cloned()).filter(|other| *other != key).collect();
        for other in others {
            let analysis = self.analysis(&other, budget)?;
            if analysis.source(&key).is_some() {
                found.push(analysis);
            }
        }
        Ok(found)
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
    use std::fmt::Write;

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
