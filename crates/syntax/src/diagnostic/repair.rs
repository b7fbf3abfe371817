//! Changes of texts that are ways out.
//!
//! A diagnostic that knows what to write instead holds the change itself, beside the help that says it in words. Syntax trees have the places
//! of atoms and conditions, and not of the terms in them; so a replacement may name a word within a place, which is looked for in the text.

use super::Span;
use crate::Syntax;
use crate::split;
use std::ops::Range;

/// A way out that is a change of texts: all of its replacements together.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The replacements, in any order.
    pub replacements: Vec<Replacement>,
    /// Whether a number or a name in them stands for one that the author has to choose, so that nobody makes the change unseen.
    pub is_example: bool,
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

    /// The bytes of `text`, the source of the place, that are replaced, in order; none if the word is not there. O(length of the place).
    pub fn ranges(&self, text: &str, syntax: Syntax) -> Vec<Range<usize>> {
        let range = self.span.start as usize..self.span.end as usize;
        let Some(part) = text.get(range.clone()) else { return Vec::new() };
        match &self.part {
            ReplacedPart::Whole => vec![range],
            ReplacedPart::Lines => vec![lines(text, range)],
            ReplacedPart::First(word) => {
                let mut found = occurrences(part, word, syntax, 1);
                // Without a word, the blank behind it goes too.
                if let Some(one) =
                    found.first_mut().filter(|one| self.text.is_empty() && part[one.end..].starts_with(' '))
                {
                    one.end += 1;
                }
                found.into_iter().map(|one| range.start + one.start..range.start + one.end).collect()
            }
            ReplacedPart::Each(word) => {
                let found = occurrences(part, word, syntax, usize::MAX);
                found.into_iter().map(|one| range.start + one.start..range.start + one.end).collect()
            }
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
