//! All fixes of some files at once, as `ludolog check --fix` makes them.
//!
//! `judge.rs` says whether fixes that were made together help, or which of them do not.

mod judge;

use crate::analysis::check_sound;
use crate::fix::of_repair;
use crate::rename::TextChange;
use crate::{Texts, fix::Fix};
use judge::Trial;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{
    Applicability, Code, Diagnostic, Diagnostics, Repair, Severity, Source, SourceId, Sources,
};
use ludolog_syntax::{ColdSort, Syntax, load_again};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter;
use std::path::{Path, PathBuf};

/// Most rounds in a row after which as much is wrong as before them. A statement tells one mistake of reading after the other, so that some are
/// needed; but a fix that makes the next mistake never ends.
const MOST_FRUITLESS_ROUNDS: usize = 50;

/// Most rounds: about a thousand mistakes each.
const MOST_ROUNDS: usize = 200;

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

/// A change that is left to the author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftChange {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The number of its line.
    pub line: usize,
    /// The ways out in words, the best first.
    pub titles: Vec<String>,
}

/// What has come of the fixes of some files.
#[derive(Debug)]
pub struct FixedFiles {
    /// The fixes that were made, in the order in which they were.
    pub made: Vec<MadeFix>,
    /// The number of fixes that were taken back, since one led to the next mistake without end.
    pub taken_back: usize,
    /// The reason why no more were tried; `None` if no other one helps. The texts are those after the fixes that were made.
    pub stopped: Option<Stopped>,
}

/// Some files as one program, and what is said of them.
struct Judged {
    sources: Sources,
    /// The ends of all statements that could be read, by text.
    ends: BTreeSet<(SourceId, usize)>,
    diagnostics: Diagnostics,
}

impl Judged {
    fn of(texts: &Texts, files: &[PathBuf], syntax: Option<Syntax>, budget: &Budget) -> Result<Judged, Stopped> {
        let mut sources = Sources::new();
        let loaded = load_again(texts, files, syntax, &mut sources, &mut texts.memory(), budget)?;
        let (diagnostics, _) = check_sound(&loaded, &sources, budget)?;
        let ends = loaded.program.items.iter().map(|item| (item.span.source, item.span.end as usize)).collect();
        Ok(Judged { sources, ends, diagnostics })
    }

    /// The amount that is wrong: the bytes that were not read after too many mistakes, the errors, and the warnings.
    fn wrong(&self) -> [usize; 3] {
        let cut_off = self.diagnostics.iter().filter(|one| one.code == Code::TooManyMistakes);
        let unread = cut_off.filter_map(|one| {
            let stop = one.labels.first()?.span;
            Some(self.sources.get(stop.source)?.text.len() - stop.start as usize)
        });
        let [errors, warnings] = [Severity::Error, Severity::Warning].map(|severity| self.diagnostics.count(severity));
        [unread.sum(), errors, warnings]
    }
}

/// A fix of a diagnostic, in one of the files.
struct Proposal<'j> {
    diagnostic: &'j Diagnostic,
    path: PathBuf,
    /// The file, as it is.
    source: &'j Source,
    id: SourceId,
    fix: Fix,
}

impl Proposal<'_> {
    /// The start of its first change.
    fn first(&self) -> usize {
        self.fix.changes.first().map_or(0, |first| first.start)
    }

    /// The end of the line in which its last change ends.
    fn end_of_lines(&self) -> usize {
        let last = self.fix.changes.last().map_or(0, |last| last.end);
        self.source.text[last..].find('\n').map_or(self.source.text.len(), |at| last + at)
    }

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
        let start = self.line_of(self.first());
        let end = self.end_of_lines();
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
/// one. A repair helps if its diagnostic is gone then, and there are no more errors than before. Those that are less applicable than `least` are
/// left out, and files that only are included, which others may read.
///
/// Repairs of different lines are made together, and those that do not help are left out. So n mistakes in lines of their own take some readings
/// of the files; O(log n) more where new errors come that are of none of the places that have changed; and one for each thousand mistakes of a
/// text that has more of them than are told.
///
/// Repairs of the same lines after which as much is wrong as before, round by round, are taken back.
///
/// When the budget ends, the texts are those of the last group of repairs that helped.
pub fn fix_all(
    texts: &mut Texts,
    files: &[PathBuf],
    syntax: Option<Syntax>,
    least: Applicability,
    budget: &Budget,
) -> FixedFiles {
    let mut rounds = Rounds::default();
    let stopped = fix_until_stopped(texts, &Wanted { files, syntax, least }, budget, &mut rounds).err();
    let Rounds { made, taken_back, .. } = rounds;
    FixedFiles { made, taken_back, stopped }
}

/// Counts the errors and warnings of `files` that have a change that may be made without the author.
pub fn count_certain(files: &[PathBuf], sources: &Sources, diagnostics: &Diagnostics) -> usize {
    let is_certain = |one: &&Diagnostic| !proposals(files, sources, one, Applicability::Certain).is_empty();
    diagnostics.iter().filter(is_certain).count()
}

/// The changes of `files` that are left to the author, in the order of files and lines: of each error and warning that has guesses alone.
pub fn left_to_author(files: &[PathBuf], sources: &Sources, diagnostics: &Diagnostics) -> Vec<LeftChange> {
    let mut found = Vec::new();
    for diagnostic in diagnostics.iter() {
        let guesses = proposals(files, sources, diagnostic, Applicability::Guess);
        let Some(first) = guesses.first().filter(|_| guesses.iter().all(|one| !one.fix.is_preferred)) else { continue };
        let line = first.source.line_column(first.first()).0;
        let titles = guesses.iter().map(|one| one.fix.title.clone()).collect();
        found.push(((first.id, line), LeftChange { path: first.path.clone(), line, titles }));
    }
    found.cold_sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, change)| change).collect()
}

/// The files that are fixed, and the repairs that are made.
struct Wanted<'w> {
    files: &'w [PathBuf],
    syntax: Option<Syntax>,
    least: Applicability,
}

/// The rounds of fixes so far.
#[derive(Default)]
struct Rounds {
    count: usize,
    made: Vec<MadeFix>,
    taken_back: usize,
    /// The texts that fixes have led to, so that none undo each other for ever.
    seen: HashSet<BTreeMap<PathBuf, String>>,
    /// The state in which the least is wrong.
    best: Option<BestState>,
    /// The lines that have changed since then.
    lines: HashSet<(PathBuf, usize)>,
    /// The rounds since then that have changed none for the first time.
    fruitless: usize,
    /// The number of fixes that have been looked at.
    judged: usize,
}

/// A state in which less is wrong than in all before it.
struct BestState {
    wrong: [usize; 3],
    texts: Texts,
    /// The number of fixes that were made until then.
    made: usize,
}

impl Rounds {
    /// Looks at the texts before the first round or after a round. Whether another one may follow: else the texts may be those before the
    /// rounds that have not helped.
    fn judge(&mut self, texts: &mut Texts, judged: &Judged) -> bool {
        let wrong = judged.wrong();
        self.count += 1;
        let changed = self.made[self.judged..].iter().map(|fix| (fix.path.clone(), fix.line));
        let mut is_new = false;
        changed.for_each(|line| is_new |= self.lines.insert(line));
        self.judged = self.made.len();
        let Some(best) = self.best.as_ref().filter(|best| wrong >= best.wrong) else {
            self.best = Some(BestState { wrong, texts: texts.clone(), made: self.made.len() });
            self.lines.clear();
            self.fruitless = 0;
            return self.count < MOST_ROUNDS;
        };
        // Of some mistakes the first place is told alone: then the next one is in another line.
        self.fruitless += usize::from(!is_new);
        if self.fruitless < MOST_FRUITLESS_ROUNDS {
            return self.count < MOST_ROUNDS;
        }
        *texts = best.texts.clone();
        self.taken_back = self.made.len() - best.made;
        self.made.truncate(best.made);
        self.judged = best.made;
        false
    }
}

fn fix_until_stopped(texts: &mut Texts, wanted: &Wanted, budget: &Budget, rounds: &mut Rounds) -> Result<(), Stopped> {
    // The changes of the texts as they are that do not help.
    let mut refused = BTreeSet::new();
    let mut judged = Judged::of(texts, wanted.files, wanted.syntax, budget)?;
    rounds.judge(texts, &judged);
    let mut group = apart(wanted, &judged, &refused);
    while !group.is_empty() {
        let changes = changes_of(&group);
        let fixed = fixed_texts(&group, &changes);
        let mut tried = texts.clone();
        fixed.iter().for_each(|(path, text)| tried.set(path, text.as_str()));
        let after = Judged::of(&tried, wanted.files, wanted.syntax, budget)?;
        let trial = Trial::of(&group, &changes, &judged, &after);
        if trial.helps() && !rounds.seen.contains(&fixed) {
            *texts = tried;
            rounds.seen.insert(fixed);
            rounds.made.extend(group.iter().map(Proposal::made));
            refused.clear();
            judged = after;
            if !rounds.judge(texts, &judged) {
                return Ok(());
            }
            group = apart(wanted, &judged, &refused);
            continue;
        }
        if trial.failed.is_empty() && group.len() > 1 {
            group.truncate(group.len() / 2);
            continue;
        }
        let is_single = group.len() == 1;
        let tried = group.into_iter().enumerate();
        let (failed, left): (Vec<_>, Vec<_>) = tried.partition(|(i, _)| is_single || trial.failed.contains(i));
        refused.extend(failed.into_iter().map(|(_, one)| (one.path, one.fix.changes)));
        group = left.into_iter().map(|(_, one)| one).collect();
        if group.is_empty() {
            group = apart(wanted, &judged, &refused);
        }
    }
    Ok(())
}

/// The first fix of each diagnostic that is not refused, but those that change a line that one before them changes.
fn apart<'j>(wanted: &Wanted, judged: &'j Judged, refused: &BTreeSet<(PathBuf, Vec<TextChange>)>) -> Vec<Proposal<'j>> {
    let mut group: Vec<Proposal> = Vec::new();
    let mut taken = HashSet::new();
    for diagnostic in judged.diagnostics.iter() {
        let mut proposals = proposals(wanted.files, &judged.sources, diagnostic, wanted.least).into_iter();
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
    changes.values_mut().for_each(|changes| changes.cold_sort());
    changes
}

/// The texts that change, with these fixes.
fn fixed_texts(group: &[Proposal], changes: &BTreeMap<PathBuf, Vec<TextChange>>) -> BTreeMap<PathBuf, String> {
    let current: BTreeMap<&Path, &str> = group.iter().map(|one| (one.path.as_path(), &*one.source.text)).collect();
    let fixed = |(path, changes): (&PathBuf, &Vec<TextChange>)| {
        (path.clone(), TextChange::apply(current[path.as_path()], changes))
    };
    changes.iter().map(fixed).collect()
}

/// The repairs of an error or warning that change one of the files, and are at least so applicable.
fn proposals<'j>(
    files: &[PathBuf],
    sources: &'j Sources,
    diagnostic: &'j Diagnostic,
    least: Applicability,
) -> Vec<Proposal<'j>> {
    let is_wanted = |one: &&Repair| one.applicability >= least && diagnostic.severity != Severity::Note;
    let repairs = diagnostic.repairs.iter().filter(is_wanted);
    let found = repairs.filter_map(|repair| {
        let id = repair.replacements.first()?.span.source;
        let source = sources.get(id)?;
        let path = files.iter().find(|path| path.display().to_string() == source.name)?.clone();
        let fix = of_repair(sources, id, repair)?;
        Some(Proposal { diagnostic, path, source, id, fix })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn mended(texts: &mut Texts, files: &[PathBuf]) -> Vec<MadeFix> {
        let fixed = fix_all(texts, files, None, Applicability::Guess, &Budget::unlimited());
        assert_eq!((fixed.stopped, fixed.taken_back), (None, 0));
        fixed.made
    }

    #[test]
    fn fixes_are_made_until_nothing_is_left_and_examples_are_not() {
        let [rules, facts] = ["rules.dl", "facts.dl"].map(PathBuf::from);
        let text = "path(X, Y) :- egde(X, Y) && X <> Y.\n";
        let other = "edge(a, b).\nedge(b, c)";
        let files = HashMap::from([(rules.clone(), text), (facts.clone(), other)]);
        let mut texts = Texts::new(Arc::new(files));
        let made = mended(&mut texts, &[rules.clone(), facts.clone()]);
        let places: Vec<(&str, usize)> = made.iter().map(|fix| (fix.path.to_str().unwrap(), fix.line)).collect();
        assert_eq!(places.iter().filter(|place| **place == ("rules.dl", 1)).count(), 3, "{made:?}");
        assert_eq!(places.iter().filter(|place| **place == ("facts.dl", 2)).count(), 1, "{made:?}");
        assert_eq!(made.len(), 4);
        let of = |path: &PathBuf| texts.get(path).expect("a changed text").to_string();
        assert_eq!(of(&rules), text.replace("egde", "edge").replace("&&", "&").replace("<>", "!="));
        assert_eq!(of(&facts), "edge(a, b).\nedge(b, c).");
        // What counts without a bound gets none: 100 is an example.
        texts.set(&rules, "n(0). step(1).\nn(Y) :- n(X) & step(Z) & Z >= 0 & Y is X + Z.\n");
        assert_eq!(mended(&mut texts, &[rules]), []);
    }

    #[test]
    fn fixes_write_what_is_meant() {
        let fixed = |name: &str, wrong: &'static str| {
            let path = PathBuf::from(name);
            let mut texts = Texts::new(Arc::new(HashMap::from([(path.clone(), wrong)])));
            let files = mended(&mut texts, std::slice::from_ref(&path));
            (files, texts.get(&path).map_or_else(|| wrong.to_owned(), ToString::to_string))
        };
        for (name, wrong, right) in [
            ("a.dl", "p(b, 'stay) :- q(s(0)).\nq(s(0)).\n", "p(b, 'stay') :- q(s(0)).\nq(s(0)).\n"),
            ("a.kif", "(<= (p |go it) (q ?x))\n(q 1)\n", "(<= (p |go it|) (q ?x))\n(q 1)\n"),
            ("a.kif", "(q 1)\n(=> (q ?x) (p ?x))\n", "(q 1)\n(<= (p ?x) (q ?x))\n"),
            ("a.dl", "LIVES(X) :- born(X).\nborn(ann).\n", "lives(X) :- born(X).\nborn(ann).\n"),
        ] {
            assert_eq!(fixed(name, wrong).1, right);
        }
        // The author knows what is meant.
        for (name, wrong) in [
            ("a.kif", "(q 1)\n(r 2)\n(=> (q ?x) (r ?x) (p ?x))\n"),
            ("a.kif", "#| a #| b |# c |# (q 1)\n"),
            ("a.dl", "likes(ann, tea).\ndrinks(X) :- likes(X, Tea).\n"),
        ] {
            assert_eq!(fixed(name, wrong).0, []);
        }
    }

    /// Rounds that do not help are taken back, and what was made before them stays.
    #[test]
    fn rounds_without_end_are_taken_back() {
        let path = PathBuf::from("a.dl");
        let files = std::slice::from_ref(&path);
        let mut texts = Texts::new(Arc::new(HashMap::from([(path.clone(), "p(1)..2.\n")])));
        let mut rounds = Rounds::default();
        let made = || MadeFix { path: path.clone(), title: String::new(), line: 1, old: Vec::new(), new: Vec::new() };
        let judged = |texts: &Texts| Judged::of(texts, files, None, &Budget::unlimited()).expect("no limit");
        let first = judged(&texts);
        assert!(first.diagnostics.has_errors() && rounds.judge(&mut texts, &first));
        // The first round changes a line that none has changed.
        for round in 0..=MOST_FRUITLESS_ROUNDS {
            texts.set(&path, format!("p(1).{}.2.\n", ".0".repeat(round)));
            rounds.made.push(made());
            let after = judged(&texts);
            assert_eq!(rounds.judge(&mut texts, &after), round < MOST_FRUITLESS_ROUNDS);
        }
        assert_eq!(texts.get(&path).map_or("p(1)..2.\n".to_owned(), ToString::to_string), "p(1)..2.\n");
        assert_eq!((rounds.made.len(), rounds.taken_back), (0, MOST_FRUITLESS_ROUNDS + 1));
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
        let made = mended(&mut texts, std::slice::from_ref(&path));
        assert_eq!(texts.get(&path).expect("a text").to_string(), format!("{facts}{right}"));
        assert_eq!(made.len(), 123);
        let lines: Vec<usize> = made.iter().filter(|fix| fix.title.contains("!=")).map(|fix| fix.line).collect();
        assert_eq!(lines, (2..62).collect::<Vec<_>>());
    }
}
