//! Regular expressions that were compiled.

use super::Interner;
use ludolog_logic::analysis::pattern::Pattern;
use rustc_hash::FxHashMap;
use std::sync::{PoisonError, RwLock};

/// Most expressions that are kept. Rules have few; this bounds those that facts have.
const MOST_PATTERNS: usize = 256;

/// The expressions that were compiled, by their texts; `None` of a text that is none. Threads share them.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RwLock<FxHashMap<Box<str>, Option<Pattern>>>);

impl Clone for Patterns {
    /// A copy begins without any.
    fn clone(&self) -> Self {
        Patterns::default()
    }
}

impl Interner {
    /// Whether the whole of a text is one of a regular expression; `false` if there is no such expression. Each is compiled once, as
    /// long as there are few.
    pub(crate) fn matches(&self, text: &str, pattern: &str) -> bool {
        let Patterns(compiled) = &self.patterns;
        // A thread that panics leaves the table as it was.
        let known = compiled.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(pattern) = known.get(pattern) {
            return pattern.as_ref().is_some_and(|pattern| pattern.matches(text));
        }
        drop(known);
        let new = Pattern::new(pattern).ok();
        let is_match = new.as_ref().is_some_and(|pattern| pattern.matches(text));
        let mut known = compiled.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_PATTERNS {
            known.clear();
        }
        known.insert(pattern.into(), new);
        is_match
    }
}
