//! The words of a statement around a place that is not understood, and names for what has none there.

use super::unexpected::is_word;

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

/// What stands of a statement before the end of a text.
pub(super) fn statement_before(text: &str) -> &str {
    let start = text.rfind(". ").max(text.rfind(".\n"));
    &text[start.unwrap_or_default()..]
}

/// What stands of a statement at the beginning of a text.
pub(super) fn statement_behind(text: &str) -> &str {
    let ends = [text.find(". "), text.find(".\n")];
    &text[..ends.into_iter().flatten().min().unwrap_or(text.len())]
}

/// Names of variables that are not taken.
pub(super) fn fresh_names(is_taken: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
    let numbered = (1..).map(|number| format!("X{number}"));
    ["X", "Y", "Z"].map(str::to_owned).into_iter().chain(numbered).filter(move |name| !is_taken(name))
}

/// The text with a name in the place of each `_`.
pub(super) fn with_names(text: &str, names: Vec<String>) -> String {
    let mut names = names.into_iter();
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let length = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        named.push_str(&rest[..start]);
        match names.as_slice() {
            [_, ..] if word == "_" => named.extend(names.next()),
            _ => named.push_str(word),
        }
        rest = &rest[start + length..];
    }
    named + rest
}
