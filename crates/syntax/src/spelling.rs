//! Names that differ by case only.
//!
//! `.kif` does not tell upper from lower case, so `timeOut` and `timeout` are one name. Systems that do tell case apart read
//! two, and play another game.

use super::ast::Name;
use super::name;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use std::collections::HashMap;

/// The words of a text by the names that they spell, and warnings about names spelled in several ways.
#[derive(Default)]
pub(super) struct Spellings {
    first: HashMap<Name, Spelling>,
    found: Diagnostics,
}

/// The first spelling of a name.
struct Spelling {
    word: String,
    span: Span,
    /// Whether another spelling has been reported.
    reported: bool,
}

impl Spellings {
    /// Notes a bare word; the first one that spells a known name otherwise is reported.
    pub(super) fn note(&mut self, word: &str, span: Span) {
        // Most words are spelled as before, in lower case.
        if self.first.get(word).is_some_and(|first| first.word == word) {
            return;
        }
        let lower = name::from_kif_word(word);
        let first =
            self.first.entry(lower).or_insert_with(|| Spelling { word: word.to_owned(), span, reported: false });
        if first.word == word || first.reported {
            return;
        }
        first.reported = true;
        let message =
            format!("`{}` and `{word}` are one name here, and two for systems that tell case apart", first.word);
        self.found.push(
            Diagnostic::warning(Code::InconsistentCase, message)
                .at(span, format!("spelled `{word}`"))
                .at(first.span, format!("spelled `{}`", first.word))
                .help("spell it in one way; if two names are meant, they must differ by more than case"),
        );
    }

    /// Takes over the warnings of another text.
    pub(super) fn absorb(&mut self, other: Spellings) {
        self.found.extend(other.found);
    }

    pub(super) fn into_diagnostics(self) -> Diagnostics {
        self.found
    }
}
