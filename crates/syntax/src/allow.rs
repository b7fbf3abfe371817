//! Comments that allow warnings: `% ludolog: allow singleton-variable, cross-product`, for the whole text that they stand in.

use super::Syntax;
use super::split;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Span};

const MARK: &str = "ludolog: allow ";

/// The codes that the comments of a text allow, and warnings about what is no code.
pub(super) fn read(text: &str, source: SourceId, syntax: Syntax) -> (Vec<(SourceId, Code)>, Diagnostics) {
    let mut allowed = Vec::new();
    let mut wrong = Diagnostics::new();
    if !text.contains(MARK) {
        return (allowed, wrong);
    }
    for range in split::split(text, source, syntax).comment_ranges {
        let mut start = range.start;
        for line in text[range].split_inclusive('\n') {
            let marks = line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || "%/*;#|".contains(c)).len();
            if let Some(names) = line[marks..].strip_prefix(MARK) {
                let mut at = start + marks + MARK.len();
                for name in names.split_inclusive(|c: char| c == ',' || c.is_whitespace()) {
                    let word = name.trim_end_matches(|c: char| c == ',' || c.is_whitespace());
                    let span = Span::new(source, at, at + word.len());
                    at += name.len();
                    match Code::of_name(word) {
                        Some(code) => allowed.push((source, code)),
                        None if word.is_empty() || matches!(word, "*/" | "|#") => {}
                        None => wrong.push(unknown(word, span)),
                    }
                }
            }
            start += line.len();
        }
    }
    (allowed, wrong)
}

fn unknown(word: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(Code::Syntax, format!("there is no warning `{word}`"))
        .at(span, "allows nothing")
        .help("`ludolog explain` lists them all")
}
