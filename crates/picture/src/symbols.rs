//! Short forms of texts: the initials of their words, all different.

use std::collections::{BTreeMap, BTreeSet};

/// Longest texts that need no short form, in characters.
const SHORT: usize = 2;

/// Short forms of the texts that are too long for a cell.
pub fn symbols(texts: &BTreeSet<String>) -> BTreeMap<String, String> {
    shortened(texts, SHORT)
}

/// Short forms of all texts.
pub fn initials(texts: &BTreeSet<String>) -> BTreeMap<String, String> {
    shortened(texts, 0)
}

/// Characters of a text.
pub(crate) fn count(text: &str) -> usize {
    text.chars().count()
}

/// Short forms of the texts with more characters than `most`: the initials of their words, with as many letters of the
/// last word as it takes for all to differ.
fn shortened(texts: &BTreeSet<String>, most: usize) -> BTreeMap<String, String> {
    let mut taken: BTreeSet<String> = texts.iter().filter(|text| count(text) <= most).cloned().collect();
    let mut left: Vec<&String> = texts.iter().filter(|text| count(text) > most).collect();
    let mut short = BTreeMap::new();
    let longest = left.iter().map(|text| count(text)).max().unwrap_or(0);
    for letters in 1..=longest {
        let forms: Vec<String> = left.iter().map(|text| form(text, letters)).collect();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        forms.iter().for_each(|form| *uses.entry(form).or_default() += 1);
        let is_free = |form: &String| !form.is_empty() && !taken.contains(form) && uses[&**form] == 1;
        let free: Vec<bool> = forms.iter().map(is_free).collect();
        let mut kept = Vec::new();
        for ((text, form), is_free) in left.into_iter().zip(forms).zip(free) {
            if is_free {
                taken.insert(form.clone());
                if form != *text {
                    short.insert(text.clone(), form);
                }
            } else {
                kept.push(text)
            }
        }
        left = kept;
    }
    short
}

/// The first letters of the words of a text, and so many of the last one. Numbers are words, and stay whole.
fn form(text: &str, letters: usize) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let (name, number) = word.split_at(word.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        words.extend([name, number].into_iter().filter(|part| !part.is_empty()));
    }
    let last_name = words.iter().rposition(|word| !is_number(word));
    let mut form = String::new();
    for (place, word) in words.iter().enumerate() {
        let taken = if is_number(word) {
            word.len()
        } else if Some(place) == last_name {
            letters
        } else {
            1
        };
        form.extend(word.chars().take(taken));
    }
    form
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> BTreeSet<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    fn short(texts: &[&str]) -> Vec<(String, String)> {
        symbols(&set(texts)).into_iter().collect()
    }

    #[test]
    fn long_texts_get_different_short_forms() {
        let form = |text: &str, short: &str| (text.to_owned(), short.to_owned());
        assert_eq!(short(&["x", "o", "wp"]), []);
        assert_eq!(short(&["white", "black"]), [form("black", "b"), form("white", "w")]);
        assert_eq!(short(&["w", "white"]), [form("white", "wh")]);
        assert_eq!(short(&["player1", "player12"]), [form("player1", "p1"), form("player12", "p12")]);
        let pieces = ["white king", "white knight", "black king", "white pawn"];
        let expected = [("black king", "bk"), ("white king", "wki"), ("white knight", "wkn"), ("white pawn", "wp")];
        assert_eq!(short(&pieces), expected.map(|(text, short)| form(text, short)));
        assert_eq!(initials(&set(&["x", "red"])).into_iter().collect::<Vec<_>>(), [form("red", "r")]);
    }
}
