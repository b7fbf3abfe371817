//! Marks and words of other languages in a place that the grammar refuses, each with the way to write them here.
//!
//! A mark that is another spelling of one here, and has no other reading, is replaced for certain.

use super::unexpected::{UnexpectedPlace, is_word};
use crate::diagnostic::{Code, Diagnostic, Replacement};
use crate::foreign;
use crate::name;
use crate::{Syntax, split};
use std::ops::Range;

/// A mark of another language.
struct ForeignMark {
    mark: &'static str,
    help: &'static str,
    /// The marks that it may be replaced by.
    meant: &'static [&'static str],
    /// Whether it is another spelling of the first of them, and nothing else.
    is_certain: bool,
}

const fn guess(mark: &'static str, help: &'static str, meant: &'static [&'static str]) -> ForeignMark {
    ForeignMark { mark, help, meant, is_certain: false }
}

const fn same(mark: &'static str, help: &'static str, meant: &'static [&'static str]) -> ForeignMark {
    ForeignMark { mark, help, meant, is_certain: true }
}

/// The marks, each before those that it begins with.
static FOREIGN: [ForeignMark; 36] = [
    guess(":=", "write `:-` between a head and its body; numbers are computed by `is`", &[":-", "is"]),
    guess("->", RULE_OR_TRANSITION, &[":-"]),
    guess(
        "=>",
        "\"at least\" is written `>=`, a rule `head :- body`, and what changes by an event `conditions ==> effects`",
        &["==>", ">="],
    ),
    same("←", "write `:-` between a head and its body", &[":-"]),
    same("⇐", "write `:-` between a head and its body", &[":-"]),
    same("⟸", "write `:-` between a head and its body", &[":-"]),
    guess("→", RULE_OR_TRANSITION, &[":-"]),
    guess("⇒", RULE_OR_TRANSITION, &["==>"]),
    same("&&", "write `&`", &["&"]),
    same("∧", "write `&`", &["&"]),
    guess("||", "write `|`, in parentheses beside other conditions: `p(X) & (X < 1 | X > 9)`", &["|"]),
    guess("∨", "write `|`, in parentheses beside other conditions: `p(X) & (X < 1 | X > 9)`", &["|"]),
    same("¬", "write `~`", &["~"]),
    same("<>", "write `!=`", &["!="]),
    guess("<<", "bits are moved by `bshl(A, N)`, as in `B is bshl(A, 2)`", &[]),
    guess(">>", "bits are moved by `bshr(A, N)`, as in `B is bshr(A, 2)`", &[]),
    guess("=/=", "write `!=` for terms and `=\\=` for values", &["!=", "=\\="]),
    guess("/=", "write `!=`", &["!="]),
    same("\\==", "write `!=`", &["!="]),
    same("!==", "write `!=`", &["!="]),
    same("===", "write `=`", &["="]),
    same("≠", "write `!=`", &["!="]),
    same("≤", "write `<=`", &["<="]),
    same("≥", "write `>=`", &[">="]),
    same("@=<", "write `<=`, which orders numbers and symbols alike", &["<="]),
    same("@<", "write `<`, which orders numbers and symbols alike", &["<"]),
    same("@>=", "write `>=`, which orders numbers and symbols alike", &[">="]),
    same("@>", "write `>`, which orders numbers and symbols alike", &[">"]),
    guess("∈", "write `member(X, [a, b])`, or `X in 1..9` for a range", &[]),
    guess("**", "write `power(X, 2)`", &[]),
    guess("^", "write `power(X, 2)` for a power, and `bxor(A, B)` for bits", &[]),
    guess(":", "write `:-` between a head and its body", &[":-"]),
    guess("{", "there are no sets; a list is written `[a, b]`, and one of several is chosen by `choice(X; Y)`", &[]),
    same("\\+", "write `~` for a negation", &["~"]),
    guess("\\", "write `mod` for a remainder, `!=` for a difference and `~` for a negation", &["mod"]),
    guess("#", "begin a comment with `%`; directives are not known", &["%"]),
];

/// The way to write an arrow from conditions to what follows from them.
const RULE_OR_TRANSITION: &str =
    "a rule is written `head :- body`; what changes by an event is written `conditions ==> effects`";

/// Quotation marks of typesetting.
const CURLY: [char; 8] = ['‘', '’', '‚', '‛', '“', '”', '„', '‟'];

impl UnexpectedPlace<'_> {
    /// What is told of a mark of another language.
    pub(super) fn of_foreign_mark(&self) -> Option<Diagnostic> {
        let (at, ForeignMark { mark, help, meant, is_certain }) = self.foreign_mark()?;
        let place = self.span(at, at + mark.len());
        let is_arrow = *help == RULE_OR_TRANSITION;
        let help = if is_arrow && self.before.contains(":-") { foreign::CASES } else { help };
        let wrong = Self { at, found: mark, ..*self }.error(format!("`{mark}` means nothing here"), "not known", help);
        if help == foreign::CASES {
            return Some(wrong);
        }
        // An arrow may lead either way, and one of them may be a comparison.
        if is_arrow || *mark == "=>" {
            return Some(meant.iter().fold(wrong, |wrong, meant| wrong.example(place, *meant)));
        }
        let wrong = meant.iter().fold(wrong, |wrong, meant| wrong.replacement(place, *meant));
        Some(if *is_certain { wrong.certain() } else { wrong })
    }

    /// A mark of another language that begins where reading stopped, or before and ends behind that place.
    fn foreign_mark(&self) -> Option<(usize, &'static ForeignMark)> {
        if self.text[self.at..].starts_with(":-") {
            return None;
        }
        FOREIGN.iter().find_map(|foreign| {
            let begins = |at: &usize| self.text.get(*at..).is_some_and(|rest| rest.starts_with(foreign.mark));
            let at = (self.at.saturating_sub(foreign.mark.len() - 1)..=self.at).rev().find(begins)?;
            Some((at, foreign))
        })
    }

    /// What is told of quotation marks as typesetters set them.
    pub(super) fn curly_quotation(&self) -> Option<Diagnostic> {
        let rest = &self.text[self.at..];
        let open = rest.chars().next().filter(|c| CURLY.contains(c))?;
        let wrong = self.error(
            format!("`{open}` is no quotation mark here"),
            "not known",
            "names are quoted by straight marks: 'Ann' or \"Ann\"",
        );
        let inside = &rest[open.len_utf8()..];
        let end = inside.find(|c| CURLY.contains(&c) || matches!(c, '\n' | '\'' | '"' | '\\'));
        let Some((end, close)) = end.and_then(|end| Some((end, inside[end..].chars().next()?))) else {
            return Some(wrong);
        };
        if !CURLY.contains(&close) {
            return Some(wrong);
        }
        let whole = self.span(self.at, self.at + open.len_utf8() + end + close.len_utf8());
        Some(wrong.replacement(whole, format!("'{}'", &inside[..end])).certain())
    }

    /// What is told of a quotation directly behind another one, whose marks together stand for one in other languages.
    pub(super) fn doubled_mark(&self) -> Option<Diagnostic> {
        let is_doubled = self.before.len() == self.at && self.before.ends_with(self.found);
        (is_doubled && matches!(self.found, "'" | "\"")).then(|| {
            let mark = self.found;
            let wrong = Self { at: self.at - 1, ..*self }.error(
                "two quotations stand side by side",
                "the first one ends here",
                format!("a mark within a quotation has a backslash before it: `\\{mark}`"),
            );
            wrong.replacement(self.span(self.at - 1, self.at + 1), format!("\\{mark}"))
        })
    }

    /// What is told of `p[X]`.
    pub(super) fn arguments_in_brackets(&self, word: &str) -> Option<Diagnostic> {
        let is_adjacent = self.before.len() == self.at && word.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_adjacent || self.found != "[" {
            return None;
        }
        let wrong = self.error("arguments stand in parentheses", "brackets hold a list", format!("write `{word}(…)`"));
        let inside = self.at + 1;
        let end = self.text[inside..].find(['[', ']', '\'', '"']).map(|end| inside + end);
        Some(match end.filter(|&end| self.text[end..].starts_with(']')) {
            Some(end) => wrong.repair(vec![
                Replacement::new(self.span(self.at, inside), "("),
                Replacement::new(self.span(end, end + 1), ")"),
            ]),
            None => wrong,
        })
    }

    /// What is told of a word before an operand that is an operator of another language, as in `NOT p(X)`, and begins at `start`.
    pub(super) fn word_before_operand(&self, start: usize, word: &str) -> Option<Diagnostic> {
        let place = self.span(start, start + word.len());
        let wrong = |help: &str| {
            let message = format!("`{word}` means nothing here");
            Diagnostic::error(Code::Syntax, message).at(place, "not known").help(help)
        };
        if word == "if" {
            return Some(wrong(foreign::CASES));
        }
        if !self.found.starts_with(|c: char| is_word(c) || matches!(c, '(' | '\'')) || self.has_line_end_before() {
            return None;
        }
        if let Some(help) = foreign::quantifier(word) {
            return Some(wrong(help));
        }
        match word {
            "NOT" | "Not" if self.found != "(" => {
                Some(wrong("write `~` for a negation").replacement(place, "~").certain())
            }
            "no" | "none" | "unless" | "without" if self.found != "(" => {
                Some(wrong("write `~` for a negation").replacement(place, "~"))
            }
            _ => None,
        }
    }

    /// Whether what was found stands in another line than what comes before.
    pub(super) fn has_line_end_before(&self) -> bool {
        self.text[self.before.len()..self.at].contains('\n')
    }

    /// What is told of a number with more than one point, as that of a version.
    pub(super) fn several_points(&self) -> Option<Diagnostic> {
        let goes_on = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let rest = self.text[self.at..].strip_prefix('.').filter(|rest| goes_on(rest))?;
        let is_of_number = |c: char| is_word(c) || c == '.';
        let start = self.text[..self.at].trim_end_matches(is_of_number).len();
        let end = self.at + 1 + rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
        let number = self.text[start..end].trim_end_matches('.');
        (start < self.at && goes_on(number)).then(|| {
            Self { at: start, found: number, ..*self }
                .error(
                    format!("`{number}` is neither a number nor a name"),
                    "a number has one point",
                    format!("if a symbol is meant, quote it: '{number}'"),
                )
                .replacement(self.span(start, start + number.len()), format!("'{number}'"))
        })
    }

    /// What is told of a number that has a plus sign.
    pub(super) fn plus_sign(&self) -> Option<Diagnostic> {
        let number = self.text[self.at..].strip_prefix('+')?;
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let number = &number[..digits];
        (digits > 0).then(|| {
            self.error("a number has no plus sign", "not known", format!("write `{number}`"))
                .replacement(self.span(self.at, self.at + 1), "")
        })
    }

    /// What is told where reading stopped behind a variable with a question mark before its name, as `.kif` has them, or behind it.
    pub(super) fn marked_variable(&self) -> Option<Diagnostic> {
        let is_behind = self.found == "?";
        let at = if is_behind { self.at } else { self.text[..self.at].strip_suffix('?')?.len() };
        let variables = marked_variables(self.text);
        let wrong = Self { at, found: "?", ..*self }.error(
            "this is no variable",
            "question marks make none",
            "variables begin upper-case or with `_`; any other name is quoted: ?'my-var'",
        );
        if !variables.iter().any(|(range, _)| range.contains(&at)) {
            return Some(wrong);
        }
        // A variable of that name may be another one.
        let words: Vec<&str> = self.text.split(|c| !is_word(c)).collect();
        let is_certain = !variables.iter().any(|(_, name)| words.contains(&&**name));
        let respelled =
            |(range, name): (Range<usize>, String)| Replacement::new(self.span(range.start, range.end), name);
        let wrong = wrong.repair(variables.into_iter().map(respelled).collect());
        Some(if is_certain { wrong.certain() } else { wrong })
    }
}

/// The words of a text that have a question mark before or behind them, outside of quotations, with the variables that they are to be.
fn marked_variables(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let before = usize::from(next == '?');
        let word = super::unexpected::token(&text[at + before..]);
        let is_word = word.starts_with(is_word);
        let end = at + before + if is_word { word.len() } else { 0 };
        let behind = usize::from(is_word && before == 0 && text[end..].starts_with('?'));
        if is_word && before + behind > 0 {
            let mut variable = String::new();
            name::write_variable(&mut variable, word, Syntax::Datalog);
            found.push((at..end + behind, variable));
        }
        let skipped = matches!(next, '\'' | '"').then(|| split::quotation_end(text.as_bytes(), at)).flatten();
        at = skipped.unwrap_or((end + behind).max(at + next.len_utf8()));
    }
    found
}
