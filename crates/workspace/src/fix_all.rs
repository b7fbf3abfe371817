//! All fixes of some files at once, as `ludolog check --fix` makes them.

use crate::analysis::check_sound;
use crate::fix::{goes, of_repair};
use crate::rename::TextChange;
use crate::{Texts, fix::Fix};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics, Severity, SourceId, Sources};
use ludolog_syntax::{Syntax, load_again};
use std::collections::HashSet;
use std::path::PathBuf;

/// A fix that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFix {
    /// The file, as it was named.
    pub path: PathBuf,
    /// What was done, in words.
    pub title: String,
    /// The number of the first line that has changed.
    pub line: usize,
    /// The lines from the first to the last that has changed, as they were.
    pub old: Vec<String>,
    /// The lines in their place.
    pub new: Vec<String>,
}

/// Some files as one program, and what is said of them.
struct Judged {
    sources: Sources,
    written: Vec<(SourceId, Syntax)>,
    diagnostics: Diagnostics,
}

impl Judged {
    fn of(texts: &Texts, files: &[PathBuf], syntax: Option<Syntax>, budget: &Budget) -> Result<Judged, Stopped> {
        let mut sources = Sources::new();
        let loaded = load_again(texts, files, syntax, &mut sources, &mut texts.memory(), budget)?;
        let (diagnostics, _) = check_sound(&loaded, &sources, budget)?;
        Ok(Judged { sources, written: loaded.program.written, diagnostics })
    }
}

/// Makes the first repair that helps of each error and warning of `files`, which are read as one program, in the open texts: one after the
/// other, as long as there is one. A repair helps if its diagnostic is gone then, and there are no more errors than before. Examples are left
/// out, since a number or name in them is for the author to choose; and files that only are included, which others may read.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn fix_all(
    texts: &mut Texts,
    files: &[PathBuf],
    syntax: Option<Syntax>,
    budget: &Budget,
) -> Result<Vec<MadeFix>, Stopped> {
    let mut made = Vec::new();
    let mut seen = HashSet::new();
    let mut judged = Judged::of(texts, files, syntax, budget)?;
    while let Some((fix, after)) = next(texts, files, syntax, &judged, &mut seen, budget)? {
        made.push(fix);
        judged = after;
    }
    Ok(made)
}

/// Makes the next fix. `seen` has the texts that were tried, so that no two fixes undo each other for ever.
fn next(
    texts: &mut Texts,
    files: &[PathBuf],
    syntax: Option<Syntax>,
    judged: &Judged,
    seen: &mut HashSet<(PathBuf, String)>,
    budget: &Budget,
) -> Result<Option<(MadeFix, Judged)>, Stopped> {
    let errors = judged.diagnostics.count(Severity::Error);
    for diagnostic in judged.diagnostics.iter().filter(|one| one.severity != Severity::Note) {
        for (path, text, fix) in proposals(files, judged, diagnostic) {
            let new = TextChange::apply(&text, &fix.changes);
            if !seen.insert((path.clone(), new.clone())) {
                continue;
            }
            let mut tried = texts.clone();
            tried.set(&path, new.as_str());
            let after = Judged::of(&tried, files, syntax, budget)?;
            if goes(diagnostic, &fix.changes, &after.diagnostics) && after.diagnostics.count(Severity::Error) <= errors
            {
                *texts = tried;
                return Ok(Some((changed_lines(path, fix.title, &text, &new), after)));
            }
        }
    }
    Ok(None)
}

/// The repairs of a diagnostic that change one of the files, with its text.
fn proposals(files: &[PathBuf], judged: &Judged, diagnostic: &Diagnostic) -> Vec<(PathBuf, String, Fix)> {
    let in_file = |source: SourceId| {
        let text = judged.sources.get(source)?;
        let path = files.iter().find(|path| path.display().to_string() == text.name)?;
        let (_, syntax) = judged.written.iter().find(|(written, _)| *written == source)?;
        Some((path.clone(), text.text.clone(), *syntax))
    };
    let repairs = diagnostic.repairs.iter().filter(|repair| !repair.is_example);
    let found = repairs.filter_map(|repair| {
        let source = repair.replacements.first()?.span.source;
        let (path, text, syntax) = in_file(source)?;
        let fix = of_repair(&text, source, syntax, repair)?;
        Some((path, text, fix))
    });
    found.collect()
}

/// The lines in which two texts differ, from the first to the last.
fn changed_lines(path: PathBuf, title: String, old: &str, new: &str) -> MadeFix {
    let [old, new]: [Vec<&str>; 2] = [old, new].map(|text| text.lines().collect());
    let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old[first..].iter().rev().zip(new[first..].iter().rev());
    let last = rest.take_while(|(a, b)| a == b).count();
    let between = |lines: &[&str]| lines[first..lines.len() - last].iter().map(|line| (*line).to_owned()).collect();
    MadeFix { path, title, line: first + 1, old: between(&old), new: between(&new) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    #[test]
    fn fixes_are_made_until_nothing_is_left_and_examples_are_not() {
        let [rules, facts] = ["rules.dl", "facts.dl"].map(PathBuf::from);
        let text = "path(X, Y) :- egde(X, Y) && X <> Y.\n";
        let other = "edge(a, b).\nedge(b, c)";
        let files = HashMap::from([(rules.clone(), text), (facts.clone(), other)]);
        let mut texts = Texts::new(Arc::new(files));
        let made = fix_all(&mut texts, &[rules.clone(), facts.clone()], None, &Budget::unlimited()).unwrap();
        let places: Vec<(&str, usize)> = made.iter().map(|fix| (fix.path.to_str().unwrap(), fix.line)).collect();
        assert_eq!(places.iter().filter(|place| **place == ("rules.dl", 1)).count(), 3, "{made:?}");
        assert_eq!(places.iter().filter(|place| **place == ("facts.dl", 2)).count(), 1, "{made:?}");
        assert_eq!(made.len(), 4);
        let of = |path: &PathBuf| texts.get(path).expect("a changed text").to_string();
        assert_eq!(of(&rules), text.replace("egde", "edge").replace("&&", "&").replace("<>", "!="));
        assert_eq!(of(&facts), "edge(a, b).\nedge(b, c).");
        // What counts without a bound gets none: 100 is an example.
        texts.set(&rules, "n(0). step(1).\nn(Y) :- n(X) & step(Z) & Z >= 0 & Y is X + Z.\n");
        assert_eq!(fix_all(&mut texts, &[rules], None, &Budget::unlimited()).unwrap(), []);
    }
}
