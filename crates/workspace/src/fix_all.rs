//! All fixes of some files at once, as `ludolog check --fix` makes them.

use crate::analysis::check_sound;
use crate::fix::{goes, of_repair};
use crate::rename::TextChange;
use crate::{Texts, fix::Fix};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics, Severity, Source, SourceId, Sources};
use ludolog_syntax::{Syntax, load_again};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter;
use std::path::{Path, PathBuf};

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

/// A fix of a diagnostic, in one of the files.
struct Proposal<'j> {
    diagnostic: &'j Diagnostic,
    path: PathBuf,
    /// The file, as it is.
    source: &'j Source,
    fix: Fix,
}

impl Proposal<'_> {
    /// The start of the line in which a byte of the text is.
    fn line_of(&self, at: usize) -> usize {
        self.source.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The starts of all lines that it changes.
    fn lines(&self) -> impl Iterator<Item = usize> {
        self.fix.changes.iter().flat_map(|change| {
            let ends = self.source.text[change.start..change.end].match_indices('\n');
            iter::once(self.line_of(change.start)).chain(ends.map(|(at, _)| change.start + at + 1))
        })
    }

    /// The lines from the first to the last in which the text and the fixed one differ.
    fn made(&self) -> MadeFix {
        let changes = &self.fix.changes;
        let start = changes.first().map_or(0, |first| self.line_of(first.start));
        let last = changes.last().map_or(start, |last| last.end);
        let end = self.source.text[last..].find('\n').map_or(self.source.text.len(), |at| last + at);
        let shifted = |one: &TextChange| TextChange::new(one.start - start..one.end - start, &*one.text);
        let new = TextChange::apply(&self.source.text[start..end], &changes.iter().map(shifted).collect::<Vec<_>>());
        let [old, new]: [Vec<&str>; 2] = [&self.source.text[start..end], &new].map(|text| text.lines().collect());
        let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rest = old[first..].iter().rev().zip(new[first..].iter().rev());
        let last = rest.take_while(|(a, b)| a == b).count();
        let between = |lines: &[&str]| lines[first..lines.len() - last].iter().map(|line| (*line).to_owned()).collect();
        let line = self.source.line_column(start).0 + first;
        MadeFix { path: self.path.clone(), title: self.fix.title.clone(), line, old: between(&old), new: between(&new) }
    }
}

/// Makes the first repair that helps of each error and warning of `files`, which are read as one program, in the open texts, as long as there is
/// one. A repair helps if its diagnostic is gone then, and there are no more errors than before. Examples are left out, since a number or name in
/// them is for the author to choose; and files that only are included, which others may read.
///
/// Repairs of different lines are made together, and the first half of them where they do not all help. So n mistakes in lines of their own take
/// one reading of the files, and O(log n) more for each repair that does not help.
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
    // The texts that fixes have led to, so that none undo each other for ever.
    let mut seen = HashSet::new();
    // The changes of the texts as they are that do not help.
    let mut refused = BTreeSet::new();
    let mut judged = Judged::of(texts, files, syntax, budget)?;
    let mut group = apart(files, &judged, &refused);
    while !group.is_empty() {
        let fixed = fixed_texts(&group);
        let mut tried = texts.clone();
        fixed.iter().for_each(|(path, text)| tried.set(path, text.as_str()));
        let after = Judged::of(&tried, files, syntax, budget)?;
        if !seen.contains(&fixed) && help(&group, &judged.diagnostics, &after.diagnostics) {
            *texts = tried;
            seen.insert(fixed);
            made.extend(group.iter().map(Proposal::made));
            refused.clear();
            judged = after;
        } else if group.len() > 1 {
            group.truncate(group.len() / 2);
            continue;
        } else {
            refused.extend(group.into_iter().map(|one| (one.path, one.fix.changes)));
        }
        group = apart(files, &judged, &refused);
    }
    Ok(made)
}

/// The first fix of each diagnostic that is not refused, but those that change a line that one before them changes.
fn apart<'j>(
    files: &[PathBuf],
    judged: &'j Judged,
    refused: &BTreeSet<(PathBuf, Vec<TextChange>)>,
) -> Vec<Proposal<'j>> {
    let mut group: Vec<Proposal> = Vec::new();
    let mut taken = HashSet::new();
    for diagnostic in judged.diagnostics.iter().filter(|one| one.severity != Severity::Note) {
        let mut proposals = proposals(files, judged, diagnostic).into_iter();
        let is_open = |one: &Proposal| !refused.contains(&(one.path.clone(), one.fix.changes.clone()));
        let Some(first) = proposals.find(is_open) else { continue };
        let lines: Vec<(PathBuf, usize)> = first.lines().map(|line| (first.path.clone(), line)).collect();
        if !lines.iter().any(|line| taken.contains(line)) {
            taken.extend(lines);
            group.push(first);
        }
    }
    group
}

/// The changes of all fixes of each file, in the order of places.
fn changes_of(group: &[Proposal]) -> BTreeMap<PathBuf, Vec<TextChange>> {
    let mut changes: BTreeMap<PathBuf, Vec<TextChange>> = BTreeMap::new();
    for one in group {
        changes.entry(one.path.clone()).or_default().extend(one.fix.changes.iter().cloned());
    }
    changes.values_mut().for_each(|changes| changes.sort());
    changes
}

/// The texts that change, with these fixes.
fn fixed_texts(group: &[Proposal]) -> BTreeMap<PathBuf, String> {
    let current: BTreeMap<&Path, &str> = group.iter().map(|one| (one.path.as_path(), &*one.source.text)).collect();
    let fixed = |(path, changes): (PathBuf, Vec<TextChange>)| {
        let text = TextChange::apply(current[path.as_path()], &changes);
        (path, text)
    };
    changes_of(group).into_iter().map(fixed).collect()
}

/// Whether fixes help: all of their diagnostics are gone, and there are no more errors than before. Where there are several, none of them makes up
/// for an error that another one brings.
fn help(group: &[Proposal], before: &Diagnostics, after: &Diagnostics) -> bool {
    let is_error = |one: &&Proposal| one.diagnostic.severity == Severity::Error;
    let mended = if group.len() > 1 { group.iter().filter(is_error).count() } else { 0 };
    let changes = changes_of(group);
    let all_go = group.iter().all(|one| goes(one.diagnostic, &changes[&one.path], after));
    all_go && after.count(Severity::Error) + mended <= before.count(Severity::Error)
}

/// The repairs of a diagnostic that change one of the files.
fn proposals<'j>(files: &[PathBuf], judged: &'j Judged, diagnostic: &'j Diagnostic) -> Vec<Proposal<'j>> {
    let in_file = |source: SourceId| {
        let text = judged.sources.get(source)?;
        let path = files.iter().find(|path| path.display().to_string() == text.name)?;
        let (_, syntax) = judged.written.iter().find(|(written, _)| *written == source)?;
        Some((path.clone(), text, *syntax))
    };
    let repairs = diagnostic.repairs.iter().filter(|repair| !repair.is_example);
    let found = repairs.filter_map(|repair| {
        let id = repair.replacements.first()?.span.source;
        let (path, source, syntax) = in_file(id)?;
        let fix = of_repair(&source.text, id, syntax, repair)?;
        Some(Proposal { diagnostic, path, source, fix })
    });
    found.collect()
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

    /// Repairs of different lines are made together: many mistakes take as many readings of the text as one line has mistakes, and not
    /// one each.
    #[test]
    fn many_mistakes_are_mended_together() {
        let path = PathBuf::from("rules.dl");
        let right: String = (0..60).map(|i| format!("p{i}(X) :- edge(X, Y) & Y != {i} & X < Y.\n")).collect();
        let wrong = right.replace("edge", "egde").replace(" !=", " <>").replacen(" & X", " && X", 3);
        let facts = "edge(1, 2).\n";
        let files = HashMap::from([(path.clone(), format!("{facts}{wrong}"))]);
        let mut texts = Texts::new(Arc::new(files));
        let made = fix_all(&mut texts, std::slice::from_ref(&path), None, &Budget::unlimited()).unwrap();
        assert_eq!(texts.get(&path).expect("a text").to_string(), format!("{facts}{right}"));
        assert_eq!(made.len(), 123);
        let lines: Vec<usize> = made.iter().filter(|fix| fix.title.contains("!=")).map(|fix| fix.line).collect();
        assert_eq!(lines, (2..62).collect::<Vec<_>>());
    }
}
