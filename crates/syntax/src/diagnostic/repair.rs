//! Changes of texts that are ways out.
//!
//! A diagnostic that knows what to write instead holds the change itself, beside the help that says it in words. Syntax trees have the places
//! of atoms and conditions, and not of the terms in them; so a replacement may name a word within a place, which is looked for in the text.

use super::{Source, Sources, Span};
use crate::split;
use crate::{ColdSort, Syntax};
use std::ops::Range;

/// Most changes of a repair that its title names.
const MOST_NAMED: usize = 3;

/// Whether a change may be made without its author, the least certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// A number or a name in it stands for one that the author has to choose.
    Example,
    /// It may be what is meant, and another change too: the author knows.
    Guess,
    /// What stands there is another spelling of it, and has no other reading. So no sign of a mistake is lost by it.
    Certain,
}

/// A way out that is a change of texts: all of its replacements together.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The replacements, in any order.
    pub replacements: Vec<Replacement>,
    /// Whether it may be made without the author.
    pub applicability: Applicability,
}

impl Repair {
    /// The changes of texts, each a place and what stands there then, in the order of texts and places; `None` if a word is not there, a
    /// text is no rule file, or two of them overlap. O(length of the places).
    pub fn edits(&self, sources: &Sources) -> Option<Vec<(Span, &str)>> {
        let mut edits = Vec::new();
        for replacement in &self.replacements {
            let (_, ranges) = replacement.places(sources)?;
            let place = |range: Range<usize>| Span::new(replacement.span.source, range.start, range.end);
            edits.extend(ranges.into_iter().map(|range| (place(range), &*replacement.text)));
        }
        edits.cold_sort_by_key(|(span, text)| (span.source, span.start, span.end, *text));
        edits.dedup();
        let overlap = |pair: &[(Span, &str)]| pair[0].0.source == pair[1].0.source && pair[0].0.end > pair[1].0.start;
        (!edits.is_empty() && !edits.windows(2).any(overlap)).then_some(edits)
    }

    /// What it does to what stands there, in words; `None` as [`edits`](Self::edits) has it.
    pub fn title(&self, sources: &Sources) -> Option<String> {
        let mut titles: Vec<String> = Vec::new();
        for replacement in &self.replacements {
            let (source, ranges) = replacement.places(sources)?;
            let title = replacement.title(&source.text[ranges.into_iter().next()?]);
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        if titles.len() > MOST_NAMED {
            titles.truncate(MOST_NAMED);
            titles.push("…".to_owned());
        }
        Some(titles.join(", "))
    }
}

/// A change of a text: what stands at the place, or a part of it, is replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    /// The place.
    pub span: Span,
    /// The part of the place that is replaced.
    pub part: ReplacedPart,
    /// What stands there then.
    pub text: String,
}

/// The part of a place that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplacedPart {
    /// All of it.
    Whole,
    /// All of it, and its lines as wholes where nothing else stands in them.
    Lines,
    /// The first time that this word or sign stands there by itself, outside of quotations and comments.
    First(String),
    /// Each time that this word or sign does.
    Each(String),
}

impl Replacement {
    /// Another text for a place; an insertion for an empty one.
    pub fn new(span: Span, text: impl Into<String>) -> Replacement {
        Replacement { span, part: ReplacedPart::Whole, text: text.into() }
    }

    /// Another text for the first `word` within a place.
    pub fn first(span: Span, word: impl Into<String>, text: impl Into<String>) -> Replacement {
        Replacement { span, part: ReplacedPart::First(word.into()), text: text.into() }
    }

    /// Another text for each `word` within a place.
    pub fn each(span: Span, word: impl Into<String>, text: impl Into<String>) -> Replacement {
        Replacement { span, part: ReplacedPart::Each(word.into()), text: text.into() }
    }

    /// Its text with the bytes of it that are replaced, in order, at least one range; `None` if its word is not there, or the text is no rule
    /// file.
    fn places<'s>(&self, sources: &'s Sources) -> Option<(&'s Source, Vec<Range<usize>>)> {
        let source = sources.get(self.span.source)?;
        let ranges = self.ranges(&source.text, source.syntax?);
        (!ranges.is_empty()).then_some((source, ranges))
    }

    fn ranges(&self, text: &str, syntax: Syntax) -> Vec<Range<usize>> {
        let range = self.span.start as usize..self.span.end as usize;
        let Some(part) = text.get(range.clone()) else { return Vec::new() };
        let (word, most) = match &self.part {
            ReplacedPart::Whole => return vec![range],
            ReplacedPart::Lines => return vec![lines(text, range)],
            ReplacedPart::First(word) => (word, 1),
            ReplacedPart::Each(word) => (word, usize::MAX),
        };
        let is_removed = most == 1 && self.text.is_empty();
        let place = |found: Range<usize>| {
            // Without a word, the blank behind it goes too.
            let blank = usize::from(is_removed && part[found.end..].starts_with(' '));
            range.start + found.start..range.start + found.end + blank
        };
        occurrences(part, word, syntax, most).into_iter().map(place).collect()
    }

    /// What it does to what stands there, in words.
    fn title(&self, old: &str) -> String {
        let new = self.text.trim();
        let shown = old.trim();
        let first = shown.lines().next().unwrap_or_default();
        let more = if first.len() < shown.len() { " …" } else { "" };
        if old.is_empty() {
            format!("insert `{new}`")
        } else if new.is_empty() && self.part == ReplacedPart::Lines && old.ends_with('\n') {
            "remove the line".to_owned()
        } else if new.is_empty() {
            format!("remove `{first}{more}`")
        } else {
            format!("write `{new}` in place of `{first}{more}`")
        }
    }
}

/// The lines of a range with their ends, if nothing but blanks stands in them besides; else the range.
fn lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    let is_alone = text[start..range.start].trim().is_empty() && text[range.end..end].trim().is_empty();
    if is_alone { start..end } else { range }
}

/// The first places in a text, at most `most`, at which a word stands by itself.
fn occurrences(text: &str, word: &str, syntax: Syntax, most: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = None;
    while let Some(next) = text[at..].chars().next() {
        let end = at + word.len();
        let is_word = text.get(at..end).is_some_and(|there| match syntax {
            Syntax::Kif => there.eq_ignore_ascii_case(word),
            Syntax::Datalog => there == word,
        });
        if is_word && !word.is_empty() && is_apart(before, word, text[end..].chars().next(), syntax) {
            found.push(at..end);
            if found.len() == most {
                break;
            }
            (before, at) = (word.chars().next_back(), end);
            continue;
        }
        let skipped = match (syntax, next) {
            (Syntax::Kif, '|' | '"') | (Syntax::Datalog, '\'' | '"') => split::quotation_end(text.as_bytes(), at),
            (Syntax::Kif, ';') | (Syntax::Datalog, '%') => {
                Some(text[at..].find('\n').map_or(text.len(), |length| at + length))
            }
            _ => None,
        };
        (before, at) = (Some(next), skipped.unwrap_or(at + next.len_utf8()));
    }
    found
}

/// Whether a word between these characters is not a part of a longer one.
fn is_apart(before: Option<char>, word: &str, behind: Option<char>, syntax: Syntax) -> bool {
    let goes_on = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(inner), Some(outer)) => match syntax {
            Syntax::Kif => is_of_kif_word(inner) && is_of_kif_word(outer),
            Syntax::Datalog => is_of_word(inner) && is_of_word(outer) || is_of_sign(inner) && is_of_sign(outer),
        },
        _ => false,
    };
    !goes_on(word.chars().next(), before) && !goes_on(word.chars().next_back(), behind)
}

fn is_of_kif_word(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | ';' | '|' | '"')
}

/// Whether a character is one of a name, variable or number of `.dl`. A period is one of a number, as a place ends before the one that ends a
/// statement.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '?' | '.')
}

fn is_of_sign(c: char) -> bool {
    matches!(c, '=' | '<' | '>' | '!' | ':' | '\\' | '-' | '&' | '|' | '#' | '*' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceId;

    fn replaced(text: &str, syntax: Syntax, replacement: impl Fn(Span) -> Replacement) -> String {
        let one = replacement(Span::new(SourceId(0), 0, text.len()));
        let mut new = text.to_owned();
        for range in one.ranges(text, syntax).into_iter().rev() {
            new.replace_range(range, &one.text);
        }
        new
    }

    #[test]
    fn words_are_replaced_where_they_stand_by_themselves() {
        let datalog = |text, old: &str, new: &str| {
            let each = |span| Replacement::each(span, old, new);
            replaced(text, Syntax::Datalog, each)
        };
        assert_eq!(datalog("xy(x, f(x1, x), 'x x', X) % x", "x", "X"), "xy(X, f(x1, X), 'x x', X) % x");
        assert_eq!(datalog("D is 2 * P - 2.5 + 12", "2", "2.0"), "D is 2.0 * P - 2.5 + 12");
        assert_eq!(datalog("A <= B & C = D", "=", "=:="), "A <= B & C =:= D");
        assert_eq!(datalog("p(Q)", "", "x"), "p(Q)");
        let kif = |text, old: &str, new: &str| {
            let first = |span| Replacement::first(span, old, new);
            replaced(text, Syntax::Kif, first)
        };
        assert_eq!(kif("(a-b ?a |a| A a)", "a", "c"), "(a-b ?a |a| c a)");
        assert_eq!(kif("(does ?r (noop))", "(noop)", "noop"), "(does ?r noop)");
    }

    #[test]
    fn lines_go_where_nothing_else_stands_in_them() {
        let remove = |text: &str, place: Range<usize>| {
            let span = Span::new(SourceId(0), place.start, place.end);
            let one = Replacement { span, part: ReplacedPart::Lines, text: String::new() };
            let mut new = text.to_owned();
            one.ranges(text, Syntax::Datalog).into_iter().for_each(|range| new.replace_range(range, ""));
            new
        };
        assert_eq!(remove("a.\n  b.  \nc.", 5..7), "a.\nc.");
        assert_eq!(remove("a. b.\nc.", 3..5), "a. \nc.");
    }
}
