//! Names that may be meant at a place.

use crate::Analysis;
use crate::describe::{built_in, gdl_keywords};
use crate::symbol::Symbol;
use ludolog_logic::analysis::has_roles;
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::{Syntax, keywords};
use std::collections::BTreeSet;

/// A name that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completion {
    /// The kind, most wanted first.
    pub kind: CompletionKind,
    /// The name as it is spelled.
    pub name: String,
    /// The number of arguments.
    pub arity: usize,
    /// A remark: the arity, or what a keyword means.
    pub detail: String,
}

/// The kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompletionKind {
    /// A variable of the statement.
    Variable,
    /// A predicate.
    Predicate,
    /// A functor or a constant.
    Term,
    /// A word that the language or GDL keeps for itself.
    Keyword,
}

impl Analysis {
    /// All names that may be meant at this byte of a text, which is in `syntax`: variables of the statement as far as it is
    /// written, predicates, functors and constants of the program, and keywords. Who asks compares them with what is typed.
    pub fn completions(&self, text: &str, byte: usize, syntax: Syntax) -> Vec<Completion> {
        let mut found = BTreeSet::new();
        for name in variables_before(text, byte, syntax) {
            found.insert(Completion { kind: CompletionKind::Variable, name, arity: 0, detail: String::new() });
        }
        for one in &self.occurrences {
            let spelled = self.spelled(one.span, syntax);
            let (kind, arity, detail) = match &one.symbol {
                Symbol::Predicate(_, arity) => (CompletionKind::Predicate, *arity, one.symbol.to_string()),
                Symbol::Term(_, arity) => (CompletionKind::Term, *arity, String::new()),
                Symbol::Variable(..) | Symbol::Word(..) | Symbol::Path(_) => continue,
            };
            found.insert(Completion {
                kind,
                name: spelled.unwrap_or_else(|| one.symbol.name().to_owned()),
                arity,
                detail,
            });
        }
        for name in keywords(syntax) {
            found.insert(Completion {
                kind: CompletionKind::Keyword,
                name: name.into(),
                arity: 0,
                detail: String::new(),
            });
        }
        let known: BTreeSet<String> = found.iter().map(|one| one.name.clone()).collect();
        for (name, arity, meaning) in built_in().filter(|(name, ..)| !known.contains(*name)) {
            let detail = format!("{name}/{arity}: {meaning}");
            found.insert(Completion { kind: CompletionKind::Keyword, name: name.into(), arity, detail });
        }
        let is_game = self.analyzed.as_ref().map(|analyzed| has_roles(&analyzed.stratified.program));
        if is_game.unwrap_or(syntax == Syntax::Kif) {
            let known: Vec<String> = found.iter().map(|one| one.name.clone()).collect();
            for (name, arity, meaning) in gdl_keywords().filter(|(name, ..)| !known.iter().any(|one| one == name)) {
                let detail = format!("{name}/{arity}: {meaning}");
                found.insert(Completion { kind: CompletionKind::Keyword, name: name.into(), arity, detail });
            }
        }
        found.into_iter().collect()
    }

    /// A name as it stands in a text of the same syntax.
    fn spelled(&self, span: Span, syntax: Syntax) -> Option<String> {
        let is_same = self.loaded.program.syntax_at(span) == syntax;
        let text = &self.sources.get(span.source)?.text;
        text.get(span.start as usize..span.end as usize).filter(|_| is_same).map(str::to_owned)
    }
}

/// The variables between the end of the statement before and a byte.
fn variables_before(text: &str, byte: usize, syntax: Syntax) -> BTreeSet<String> {
    let before = text.get(..byte).unwrap_or(text);
    let start = match syntax {
        Syntax::Kif => before.rfind("\n(").map_or(0, |at| at + 1),
        Syntax::Datalog => before
            .rfind(['.', '\n'])
            .map_or(0, |_| before.rfind(".\n").or_else(|| before.rfind(". ")).map_or(0, |at| at + 1)),
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | '-' | '+');
    let words = before[start..].split(|c: char| !is_part(c));
    let is_variable = |word: &&str| match syntax {
        Syntax::Kif => word.starts_with('?') && word.len() > 1,
        Syntax::Datalog => word.starts_with(|c: char| c.is_ascii_uppercase()),
    };
    // The last word is what is being typed.
    let mut words: Vec<&str> = words.collect();
    words.pop();
    words.into_iter().filter(is_variable).map(str::to_owned).collect()
}
