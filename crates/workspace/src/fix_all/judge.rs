//! Whether fixes that were made together help, or which of them do not.
//!
//! The fixes of a text divide it into regions, each from the end of the statement before a fix to that of the statement before the next one. A
//! fix fails if its diagnostic is still there, or if its region has more errors than before. So one that uncovers the next mistake of its
//! statement does not fail, and none makes up for an error that another one brings. Of a text with more mistakes than are told, nothing is known
//! behind the place where reading has stopped, so that only errors that are before it count.

use super::{Judged, Proposal};
use crate::fix::{Moves, Told, start_of};
use crate::rename::TextChange;
use ludolog_syntax::ColdSort;
use ludolog_syntax::diagnostic::{Code, Diagnostics, Label, Severity, SourceId, Sources, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// What has come of a group of fixes.
pub(super) struct Trial {
    /// The fixes that do not help, by their numbers in the group.
    pub failed: BTreeSet<usize>,
    /// Whether errors have come that are in the region of none of them.
    has_other_errors: bool,
}

impl Trial {
    /// That of fixes, all changes of which are `changes`, by what was said before and is said after. O((fixes + diagnostics) · log fixes).
    pub fn of(
        group: &[Proposal],
        changes: &BTreeMap<PathBuf, Vec<TextChange>>,
        before: &Judged,
        after: &Judged,
    ) -> Trial {
        let moves: BTreeMap<&PathBuf, Moves> =
            changes.iter().map(|(path, changes)| (path, Moves::new(changes))).collect();
        let told = Told::new(&after.diagnostics);
        let stays = |one: &Proposal| !told.lacks(one.diagnostic, &one.fix.changes, &moves[&one.path]);
        let staying = group.iter().enumerate().filter(|(_, one)| stays(one)).map(|(i, _)| i);
        let mut trial = Trial { failed: staying.collect(), has_other_errors: false };
        let regions = Regions::of(group, &moves, before);
        let counted = regions.count(&before.diagnostics, &before.sources, false);
        let [old, new] = [counted, regions.count(&after.diagnostics, &after.sources, true)];
        // One fix alone may bring an error elsewhere for the one that it mends.
        if let [_] = group {
            trial.has_other_errors = new.values().sum::<usize>() > old.values().sum();
            return trial;
        }
        for (fix, errors) in new {
            match fix {
                _ if old.get(&fix).is_some_and(|before| errors <= *before) => {}
                Some(fix) => _ = trial.failed.insert(fix),
                None => trial.has_other_errors = true,
            }
        }
        trial
    }

    /// Whether all fixes help.
    pub fn helps(&self) -> bool {
        self.failed.is_empty() && !self.has_other_errors
    }
}

/// The region of one fix.
struct FixRegion {
    start: usize,
    /// The start in the changed text.
    moved: usize,
    /// The number of the fix in its group.
    fix: usize,
}

/// The part of a file that is known, and how fixes divide it.
#[derive(Default)]
struct FileRegions {
    /// In the order of places.
    regions: Vec<FixRegion>,
    /// The place at which reading has stopped, as it was and in the changed text.
    stop: Option<[usize; 2]>,
}

impl FileRegions {
    /// The fix in whose region a place is, of the changed text if `is_moved`.
    fn fix_at(&self, place: usize, is_moved: bool) -> Option<usize> {
        let starts = |region: &FixRegion| if is_moved { region.moved } else { region.start };
        let behind = self.regions.partition_point(|region| starts(region) <= place);
        behind.checked_sub(1).map(|region| self.regions[region].fix)
    }
}

/// All files, by the names of their texts.
struct Regions<'j>(HashMap<&'j str, FileRegions>);

impl<'j> Regions<'j> {
    fn of(group: &[Proposal<'j>], moves: &BTreeMap<&PathBuf, Moves>, before: &'j Judged) -> Regions<'j> {
        let mut files: HashMap<&str, FileRegions> = HashMap::new();
        let mut in_order: Vec<(usize, &Proposal)> = group.iter().enumerate().collect();
        in_order.cold_sort_by_key(|(_, one)| (one.id, one.first()));
        // The end of the line that the fix before changes.
        let mut line: Option<(SourceId, usize)> = None;
        for (fix, one) in in_order {
            let statement = before.ends.range((one.id, 0)..(one.id, one.first())).next_back();
            let start = statement.copied().max(line).filter(|(id, _)| *id == one.id).map_or(0, |(_, end)| end);
            let file = files.entry(&one.source.name).or_default();
            file.regions.push(FixRegion { start, moved: moves[&one.path].moved(start), fix });
            line = Some((one.id, one.end_of_lines()));
        }
        let names: HashMap<&str, &PathBuf> = group.iter().map(|one| (&*one.source.name, &one.path)).collect();
        for one in before.diagnostics.iter().filter(|one| one.code == Code::TooManyMistakes) {
            let source = one.labels.first().and_then(|label| before.sources.get(label.span.source));
            let Some(source) = source else { continue };
            let stop = start_of(one);
            let moved = names.get(&*source.name).map_or(stop, |path| moves[*path].moved(stop));
            files.entry(&source.name).or_default().stop = Some([stop, moved]);
        }
        Regions(files)
    }

    /// Counts the errors in the region of each fix, and in that of none, which are known before the changes; of the changed texts, if `is_moved`.
    fn count(&self, diagnostics: &Diagnostics, sources: &Sources, is_moved: bool) -> HashMap<Option<usize>, usize> {
        let file = |span: Span| sources.get(span.source).and_then(|source| self.0.get(&*source.name));
        let is_known = |label: &Label| {
            let stop = file(label.span).and_then(|file| file.stop);
            stop.is_none_or(|stop| (label.span.start as usize) < stop[usize::from(is_moved)])
        };
        let mut counts = HashMap::new();
        for one in diagnostics.iter().filter(|one| one.severity == Severity::Error && one.code != Code::TooManyMistakes)
        {
            if one.labels.iter().all(is_known) {
                let file = one.labels.first().and_then(|label| file(label.span));
                let fix = file.and_then(|file| file.fix_at(start_of(one), is_moved));
                *counts.entry(fix).or_insert(0) += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FixedFiles, Judged, fix_all};
    use crate::Texts;
    use ludolog_syntax::budget::{Budget, Clock, Stopped};
    use ludolog_syntax::diagnostic::Applicability;
    use std::collections::{BTreeSet, HashMap};
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// A clock on which each look takes a microsecond, so that it shows work.
    #[derive(Default)]
    struct LookClock(AtomicU64);

    impl LookClock {
        fn looks(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    impl Clock for LookClock {
        fn now(&self) -> Duration {
            Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    struct Mended {
        text: String,
        fixed: FixedFiles,
        /// The work, and that of reading the mended text once.
        looks: [u64; 2],
    }

    fn mend(name: &str, text: &str, most_looks: u64) -> Mended {
        let path = PathBuf::from(name);
        let files = [path.clone()];
        let mut texts = Texts::new(Arc::new(HashMap::from([(path.clone(), text.to_owned())])));
        let limited = |looks| {
            let clock = Arc::new(LookClock::default());
            (clock.clone(), Budget::unlimited().with_clock(clock).with_time(Duration::from_micros(looks)))
        };
        let [(once, budget), (clock, limit)] = [limited(u64::MAX / 2), limited(most_looks)];
        let fixed = fix_all(&mut texts, &files, None, Applicability::Guess, &limit);
        Judged::of(&texts, &files, None, &budget).expect("no limit");
        let text = texts.get(&path).map_or(text.to_owned(), ToString::to_string);
        Mended { text, fixed, looks: [clock.looks(), once.looks()] }
    }

    /// Rules with two mistakes in each line, of which reading tells one after the other.
    fn signs(n: usize) -> (String, String) {
        let rules: String = (0..n).map(|i| format!("p{i}(X) :- edge(X, Y) & Y != {i} & X < Y.\n")).collect();
        let right = format!("edge(1, 2).\n{rules}");
        (right.replace(" !=", " <>").replace(" & X", " && X"), right)
    }

    #[test]
    fn a_thousand_mistakes_and_more_take_a_few_readings() {
        for n in [300, 3000] {
            let (wrong, right) = signs(n);
            let mended = mend("rules.dl", &wrong, u64::MAX / 2);
            assert!(mended.text == right && mended.fixed.stopped.is_none());
            assert_eq!(mended.fixed.made.len(), 2 * n);
            // A reading ends after the 1,000th mistake, and the last finds none: that is 3 or 7 readings.
            let [looks, once] = mended.looks;
            assert!(looks <= 7 * once, "{n} rules: {looks} looks at the clock, {once} to read them once");
        }
    }

    /// Parentheses are told before statements are read, and are cut off at as many.
    #[test]
    fn thousands_of_parentheses_are_removed() {
        let right: String = (0..2500).map(|i| format!("(<= (p {i} ?x) (q ?x))\n")).collect();
        let right = format!("(q a)\n{right}");
        let mended = mend("rules.kif", &right.replace("))\n", ")))\n"), u64::MAX / 2);
        assert!(mended.text == right && mended.fixed.stopped.is_none());
        assert_eq!(mended.fixed.made.len(), 2500);
    }

    /// Mistakes of reading and of safety, with and without a change that helps: `~r(Y, Y)` would need two.
    #[test]
    fn mistakes_that_stay_keep_no_others_from_being_mended() {
        let rule = |i: usize| match i % 5 {
            0 => format!("p{i}(X) :- edge(X, Y) & Y <> {i} & X < Y.\n"),
            1 => format!("p{i}(X, Z) :- edge(X, _).\n"),
            2 => format!("p{i}(X) :-\n    edge(X, _) & ~edge(Y, Y).\n"),
            3 => format!("p{i}(X) :-\n    edge(X, _) &&\n    ~edge(Y, X).\n"),
            _ => format!("p{i}(X) :- edge(X, _).\n"),
        };
        let wrong: String = (0..1500).map(rule).collect();
        let wrong = format!("edge(1, 2).\n{wrong}");
        let right = wrong.replace("<>", "!=").replace("&&", "&").replace("~edge(Y, X)", "~edge(_Y, X)");
        let mended = mend("rules.dl", &wrong, u64::MAX / 2);
        assert!(mended.fixed.stopped.is_none());
        assert_eq!(mended.text, right);
        assert_eq!(mended.fixed.made.len(), 900);
        let [looks, once] = mended.looks;
        assert!(looks <= 7 * once, "{looks} looks at the clock, {once} to read the rules once");
    }

    #[test]
    fn thousands_of_unbound_variables_are_mended() {
        let right: String = (0..2000).map(|i| format!("(<= (p {i} ?x) (q ?x))\n")).collect();
        let mended = mend("rules.kif", &format!("(q a)\n{}", right.replace("(q ?x)", "(q x?)")), u64::MAX / 2);
        assert!(mended.text == format!("(q a)\n{right}") && mended.fixed.stopped.is_none());
        assert_eq!(mended.fixed.made.len(), 2000);
    }

    /// What was mended when time ends stays, and no line is half mended.
    #[test]
    fn the_end_of_time_keeps_what_was_mended() {
        let (wrong, right) = signs(1500);
        let [all, _] = mend("rules.dl", &wrong, u64::MAX / 2).looks;
        let mended = mend("rules.dl", &wrong, all / 2);
        assert!(matches!(mended.fixed.stopped, Some(Stopped::Timeout(_))));
        let made: Vec<(usize, &str)> = mended.fixed.made.iter().map(|one| (one.line, one.new[0].as_str())).collect();
        assert!(made.len() >= 1000 && made.len() < 3000, "{} changes", made.len());
        let touched: BTreeSet<usize> = made.iter().map(|(line, _)| *line).collect();
        let last: HashMap<usize, &str> = made.into_iter().collect();
        for (i, line) in mended.text.lines().enumerate() {
            let before = wrong.lines().nth(i).unwrap_or_default();
            assert_eq!(line, last.get(&(i + 1)).copied().unwrap_or(before));
            assert!(touched.contains(&(i + 1)) || line != right.lines().nth(i).unwrap_or_default() || i == 0);
        }
        // Without time for the first reading, nothing changes.
        let none = mend("rules.dl", &wrong, 1);
        assert!(none.text == wrong && none.fixed.made.is_empty() && none.fixed.stopped.is_some());
    }
}
