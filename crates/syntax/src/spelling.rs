//! Names that differ by case only.
//!
//! `.kif` does not tell upper from lower case, so `timeOut` and `timeout` are one name. Systems that do tell case apart read
//! two, and play another game.

use super::ast::Name;
use super::name;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Replacement, Span};
use std::collections::HashMap;

/// The words of a text by the names that they spell, and warnings about names spelled in several ways.
#[derive(Default)]
pub(super) struct Spellings {
    first: HashMap<Name, Spelling>,
    found: Vec<Diagnostic>,
}

/// The first spelling of a name.
struct Spelling {
    word: String,
    span: Span,
    /// The number of the warning of another spelling.
    warning: Option<usize>,
}

impl Spellings {
    /// Notes a bare word; the first one that spells a known name otherwise is reported.
    pub(super) fn note(&mut self, word: &str, span: Span) {
        // Most words are spelled as before, in lower case.
        if self.first.get(word).is_some_and(|first| first.word == word) {
            return;
        }
        let lower = name::from_kif_word(word);
        let first = self.first.entry(lower).or_insert_with(|| Spelling { word: word.to_owned(), span, warning: None });
        if first.word == word {
            return;
        }
        if let Some(number) = first.warning {
            // Each further place is to be spelled as the first one, too.
            let as_first = self.found[number].repairs.first_mut();
            as_first.into_iter().for_each(|all| all.replacements.push(Replacement::new(span, first.word.as_str())));
            return;
        }
        first.warning = Some(self.found.len());
        let message =
            format!("`{}` and `{word}` are one name here, and two for systems that tell case apart", first.word);
        self.found.push(
            Diagnostic::warning(Code::InconsistentCase, message)
                .at(span, format!("spelled `{word}`"))
                .at(first.span, format!("spelled `{}`", first.word))
                .help("spell it in one way; if two names are meant, they must differ by more than case")
                .replacement(span, first.word.as_str())
                .replacement(first.span, word),
        );
    }

    /// Takes over the warnings of another text.
    pub(super) fn absorb(&mut self, other: Spellings) {
        self.found.extend(other.found);
    }

    pub(super) fn into_diagnostics(self) -> Diagnostics {
        let mut all = Diagnostics::new();
        self.found.into_iter().for_each(|one| all.push(one));
        all
    }
}
