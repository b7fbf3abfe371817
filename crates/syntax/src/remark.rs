//! Comments of `.dl` that are probably operations of other languages: `H is N // 2` and `N % 2`, where the rule goes on in the next line, so that nothing
//! else tells.

use crate::diagnostic::{Code, Diagnostic, SourceId, Span};
use std::ops::Range;

/// More characters make a word, and no name that is computed with.
const LONGEST_NAME: usize = 2;

/// Warnings of comments that are an operand, stand directly behind another one, and within a statement.
pub(super) fn operations(text: &str, source: SourceId, comments: &[Range<usize>]) -> Vec<Diagnostic> {
    comments.iter().filter_map(|range| operation(text, source, range)).collect()
}

fn operation(text: &str, source: SourceId, range: &Range<usize>) -> Option<Diagnostic> {
    let comment = text.get(range.clone())?.trim_end();
    let (mark, meant) = if comment.starts_with("//") { ("//", "X / 2") } else { ("%", "X mod 2") };
    let right = comment.strip_prefix(mark)?.trim();
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let left = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    let next = text[range.end..].trim_start().chars().next();
    if !is_operand(left) || !is_operand(right) || !matches!(next, Some('&' | ',' | '|' | '.')) {
        return None;
    }
    let span = Span::new(source, range.start, range.start + comment.len());
    let warning = Diagnostic::warning(Code::UncomputedFunction, format!("`{comment}` is a comment, and not computed"));
    Some(warning.at(span, format!("the condition ends with `{left}`")).help(format!(
        "write `{meant}`: a remainder is `mod`, a division of integers `/`; a comment with more than one word is not told"
    )))
}

/// Whether a word is a number or a short variable.
fn is_operand(word: &str) -> bool {
    let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let is_name = word.starts_with(|c: char| c.is_uppercase()) && word.chars().all(char::is_alphanumeric);
    is_number || is_name && word.chars().count() <= LONGEST_NAME
}
