//! Changes that make a diagnostic go away. Each was tried: who applies it does not see the diagnostic again.

use crate::rename::TextChange;
use crate::{Analysis, Texts};
use ludolog_syntax::Syntax;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Replacement, Severity, SourceId};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

/// A change of a text that a diagnostic proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The change.
    pub change: TextChange,
    /// Whether it does what the diagnostic advises, and not only silences it.
    pub is_preferred: bool,
}

/// The changes of the text of `path` that make a diagnostic go away, best first.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn fixes(
    texts: &Texts,
    path: &Path,
    analysis: &Analysis,
    diagnostic: &Diagnostic,
    budget: &Budget,
) -> Result<Vec<Fix>, Stopped> {
    let Some((source, syntax)) = analysis.source(path) else { return Ok(Vec::new()) };
    let text = analysis.sources.get(source).map_or("", |source| &source.text);
    // Reading may get farther, and find the next mistake there.
    let errors = |analysis: &Analysis| analysis.diagnostics.count(Severity::Error);
    let mut found = Vec::new();
    for fix in proposals(text, source, syntax, diagnostic) {
        let mut tried = texts.clone();
        tried.set(path, TextChange::apply(text, std::slice::from_ref(&fix.change)));
        let after = Analysis::new(&tried, path, budget)?;
        if goes(diagnostic, &fix.change, &after.diagnostics) && errors(&after) <= errors(analysis) {
            found.push(fix);
        }
    }
    Ok(found)
}

/// Whether a diagnostic is gone from its place, which the change has moved. Elsewhere the same may be wrong once more.
fn goes(diagnostic: &Diagnostic, change: &TextChange, after: &Diagnostics) -> bool {
    let start = |one: &Diagnostic| one.labels.first().map_or(0, |label| label.span.start as usize);
    let before = start(diagnostic);
    let moved = (before + change.text.len()).saturating_sub(change.end - change.start);
    let place = if change.start <= before { moved } else { before };
    !after.iter().any(|one| {
        (one.code, &one.message) == (diagnostic.code, &diagnostic.message) && [before, place].contains(&start(one))
    })
}

/// What a diagnostic is about.
struct Place<'t> {
    text: &'t str,
    range: Range<usize>,
    written: &'t str,
    syntax: Syntax,
    help: &'t str,
}

/// What a diagnostic proposes: what its help names, in the place of what is written.
fn proposals(text: &str, source: SourceId, syntax: Syntax, diagnostic: &Diagnostic) -> Vec<Fix> {
    let help = diagnostic.help.as_deref().unwrap_or_default();
    let places = diagnostic.labels.iter().filter(|label| label.span.source == source).map(|label| {
        let range = label.span.start as usize..label.span.end as usize;
        let written = text.get(range.clone()).unwrap_or_default();
        Place { text, range, written, syntax, help }
    });
    let places: Vec<Place> = places.collect();
    let Some(place) = places.first() else { return Vec::new() };
    let replacements = diagnostic.replacements.iter().filter(|one| one.span.source == source);
    let mut list: Vec<Fix> = replacements.filter_map(|one| place.replacement(one)).collect();
    list.extend(places.iter().flat_map(|place| place.names(diagnostic)));
    list.extend(place.signs());
    list.extend(match diagnostic.code {
        Code::Syntax => place.ends(diagnostic),
        Code::UncomputedFunction => place.comparators(),
        _ => Vec::new(),
    });
    let mut seen = HashSet::new();
    list.retain(|fix| seen.insert(fix.title.clone()));
    if diagnostic.severity != Severity::Error {
        let mark = if syntax == Syntax::Kif { ";" } else { "%" };
        let line = format!("{mark} ludolog: allow {}\n", diagnostic.code);
        let title = format!("allow `{}` in this file", diagnostic.code);
        list.push(Fix { title, change: TextChange::new(0..0, line), is_preferred: false });
    }
    list
}

impl Place<'_> {
    fn replace(&self, new: impl Into<String>) -> Fix {
        self.replace_part(self.range.clone(), new)
    }

    fn replace_part(&self, range: Range<usize>, new: impl Into<String>) -> Fix {
        let new = new.into();
        let old = &self.text[range.clone()];
        let first = old.lines().next().unwrap_or_default();
        let more = if first.len() < old.len() { " …" } else { "" };
        let title = format!("write `{new}` in place of `{first}{more}`");
        Fix { title, change: TextChange::new(range, new), is_preferred: true }
    }

    /// A replacement that the diagnostic has itself.
    fn replacement(&self, one: &Replacement) -> Option<Fix> {
        let range = one.span.start as usize..one.span.end as usize;
        let old = self.text.get(range.clone())?;
        Some(if range.is_empty() {
            self.insert(range.start, &one.text)
        } else if one.text.is_empty() {
            let title = format!("remove `{}`", old.trim());
            Fix { title, change: TextChange::new(range, ""), is_preferred: true }
        } else {
            self.replace_part(range, &*one.text)
        })
    }

    fn insert(&self, at: usize, new: &str) -> Fix {
        Fix { title: format!("insert `{}`", new.trim()), change: TextChange::new(at..at, new), is_preferred: true }
    }

    /// Names: the one that is meant, another spelling of the same, or what is written in quotes.
    fn names(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let mut meant: Vec<&str> = Vec::new();
        meant.extend(self.help.split_once("did you mean `").and_then(|(_, rest)| rest.split('`').next()));
        let in_quotes = self.help.split_once("quote it: ").map(|(_, rest)| rest.trim_matches('`'));
        let in_quotes = in_quotes.into_iter().chain(quoted(self.help).filter(|one| one.starts_with(['|', '\''])));
        meant.extend(in_quotes.filter(|one| one.trim_matches(['|', '\'']) == self.written));
        match diagnostic.code {
            Code::InconsistentCase => meant.extend(quoted(&diagnostic.message)),
            Code::LowercaseVariable => meant.extend(quoted(self.help).next()),
            Code::SingletonVariable => meant.extend(quoted(self.help).last()),
            Code::MisusedKeyword => meant.extend(quoted(self.help).filter(|one| !one.contains(' '))),
            _ => {}
        }
        // A variable that is negated alone means that there is none, if it begins with an underscore.
        let is_negated = |name: &&str| {
            !name.starts_with('_')
                && diagnostic.labels.len() == 1
                && diagnostic.message.contains("in a negative literal")
        };
        let negated = quoted(&diagnostic.message).next().filter(is_negated);
        let negated = negated.map(|name| name.strip_prefix('?').map_or(format!("_{name}"), |name| format!("?_{name}")));
        meant.extend(negated.as_deref());
        let mut list = Vec::new();
        for meant in meant {
            let meant = without_arity(meant);
            // The message or the help names what is written; without, it is all that stands there.
            let is_word = |text: &&str| !text.is_empty() && !text.contains([' ', '(']);
            let named = quoted(&diagnostic.message).chain(quoted(self.help)).map(without_arity);
            for wrong in named.chain([self.written]).filter(|wrong| *wrong != meant).filter(is_word) {
                let at = word(self.written, wrong).map(|at| self.range.start + at);
                list.extend(at.map(|start| self.replace_part(start..start + wrong.len(), meant)));
            }
        }
        list.truncate(if diagnostic.code == Code::MisusedKeyword { 2 } else { 1 });
        list
    }

    /// Signs and connectives of other languages: those that the help names.
    fn signs(&self) -> Vec<Fix> {
        let is_sign = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_punctuation());
        let is_short = |one: &&str| (is_sign(one) || matches!(*one, "is" | "not" | "mod")) && *one != self.written;
        if self.help.starts_with("remove the line") {
            let start = self.text[..self.range.start].rfind('\n').map_or(0, |at| at + 1);
            let end = self.text[self.range.end..].find('\n').map_or(self.text.len(), |at| self.range.end + at + 1);
            let title = "remove the line".to_owned();
            return vec![Fix { title, change: TextChange::new(start..end, ""), is_preferred: true }];
        }
        let proposes = ["write", "did you mean", "begin comments"].iter().any(|start| self.help.starts_with(start));
        if !is_sign(self.written) || !proposes {
            return Vec::new();
        }
        quoted(self.help).filter(is_short).map(|sign| self.replace(sign)).collect()
    }

    /// What ends a statement or closes what is open.
    fn ends(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let opened =
            diagnostic.labels.get(1).and_then(|label| self.text.get(label.span.start as usize..)?.chars().next());
        let closing = match opened.or(self.written.chars().next()) {
            Some('[') => "]",
            Some('{') => "}",
            _ => ")",
        };
        let mut list = Vec::new();
        if self.help.starts_with("remove it") {
            let title = format!("remove `{}`", self.written);
            return vec![Fix { title, change: TextChange::new(self.range.clone(), ""), is_preferred: true }];
        }
        if self.help.contains("close") {
            let before = self.text[..self.range.start].trim_end().len();
            list.push(self.insert(before, closing));
        }
        if self.help.contains("closing parenthesis is missing") {
            let next = self.text[self.range.end..].find("\n(").map_or(self.text.len(), |at| self.range.end + at);
            list.push(self.insert(self.text[..next].trim_end().len(), closing));
        }
        if self.help.contains("period") && self.syntax == Syntax::Datalog {
            let before = self.text[..self.range.start].trim_end().len();
            list.extend([before, self.range.end].map(|at| self.insert(at, ".")));
        }
        list
    }

    /// The comparator that computes, for the one that is written.
    fn comparators(&self) -> Vec<Fix> {
        let signs = [("!=", "=\\="), ("=", "=:=")];
        let found =
            signs.into_iter().find_map(|(plain, computing)| Some((self.written.find(plain)?, plain, computing)));
        let replace = |(at, plain, computing): (usize, &str, &str)| {
            let start = self.range.start + at;
            self.replace_part(start..start + plain.len(), computing)
        };
        found.map(replace).into_iter().collect()
    }
}

/// Where a word stands by itself.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?');
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let behind = text[at + word.len()..].starts_with(is_part);
        let before = text[..*at].ends_with(is_part);
        !before && !behind
    })
}

/// A name without the arity that messages have behind it.
fn without_arity(name: &str) -> &str {
    let is_arity = |end: &str| end.parse::<u8>().is_ok();
    name.rsplit_once('/').filter(|(_, end)| is_arity(end)).map_or(name, |(name, _)| name)
}

/// The parts of a message between backticks.
pub(crate) fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}
