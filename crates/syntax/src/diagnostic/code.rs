//! Everything that can be wrong, one stable name each.

use std::fmt;

/// The kind of a diagnostic. Its name in messages and JSON is the variant in kebab case and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Code {
    /// The text is not in the language.
    Syntax,
    /// Parentheses, brackets or negations nested deeper than any honest program.
    NestingTooDeep,
    /// The file could not be read: missing, a directory, no permission.
    UnreadableFile,
    /// The file is no text, or not in UTF-8.
    NotText,
    /// The file's extension names no known syntax.
    UnknownExtension,
    /// A variable that no positive literal binds.
    UnsafeVariable,
    /// One predicate with several arities.
    ArityMismatch,
    /// Recursion through negation.
    NotStratified,
    /// Recursion that builds ever larger terms.
    GrowingTerms,
    /// A predicate that nothing defines.
    UnknownPredicate,
    /// A variable that occurs once in its rule.
    SingletonVariable,
    /// A constant that was probably meant as a variable.
    LowercaseVariable,
    /// A rule that never fires, or a predicate that never holds.
    NeverFires,
    /// A part of a body that shares no variable with the rest of the rule.
    CrossProduct,
    /// A goal of a form that cannot be asked.
    UnsupportedGoal,
    /// A name that GDL or the language keeps for itself is used against its meaning.
    MisusedKeyword,
    /// A board or position text that is none.
    Position,
    /// A game record, in SGF or as a HexWorld link, that is none.
    GameRecord,
}

impl Code {
    /// All codes, in the order of their definition.
    pub const ALL: [Code; 18] = [
        Code::Syntax,
        Code::NestingTooDeep,
        Code::UnreadableFile,
        Code::NotText,
        Code::UnknownExtension,
        Code::UnsafeVariable,
        Code::ArityMismatch,
        Code::NotStratified,
        Code::GrowingTerms,
        Code::UnknownPredicate,
        Code::SingletonVariable,
        Code::LowercaseVariable,
        Code::NeverFires,
        Code::CrossProduct,
        Code::UnsupportedGoal,
        Code::MisusedKeyword,
        Code::Position,
        Code::GameRecord,
    ];
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The Debug name is CamelCase; kebab case is it with dashes.
        for (i, c) in format!("{self:?}").char_indices() {
            match c.is_ascii_uppercase() {
                true if i > 0 => write!(f, "-{}", c.to_ascii_lowercase())?,
                true => write!(f, "{}", c.to_ascii_lowercase())?,
                false => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}
