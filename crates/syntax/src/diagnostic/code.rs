//! Everything that can be wrong, one stable name each.

use std::fmt;

/// Defines the codes, each with its explanation.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident: $name:literal,)*) => {
        /// The kind of a diagnostic. Its name in messages and JSON never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
        pub enum Code {
            $($(#[$doc])* $code,)*
        }

        impl Code {
            /// All codes, in the order of their definition.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The name in messages, as `unsafe-variable`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                }
            }

            /// The meaning of the code, an example that has it, and its repair: Markdown. The first line says it in short.
            pub fn explanation(self) -> &'static str {
                match self {
                    $(Code::$code => include_str!(concat!("explanations/", $name, ".md")),)*
                }
            }
        }
    };
}

codes! {
    /// The text is not in the language.
    Syntax: "syntax",
    /// More mistakes than are told: nothing is known of the text behind the place.
    TooManyMistakes: "too-many-mistakes",
    /// Parentheses, brackets or negations nested deeper than any honest program.
    NestingTooDeep: "nesting-too-deep",
    /// The file could not be read: missing, a directory, no permission.
    UnreadableFile: "unreadable-file",
    /// The file is no text, or not in UTF-8.
    NotText: "not-text",
    /// The file's extension names no known syntax.
    UnknownExtension: "unknown-extension",
    /// A variable that no positive literal binds.
    UnsafeVariable: "unsafe-variable",
    /// One predicate with several arities.
    ArityMismatch: "arity-mismatch",
    /// Recursion through negation.
    NotStratified: "not-stratified",
    /// Recursion through negation that leaves facts undefined, or may.
    WellFounded: "well-founded",
    /// An aggregate under a negation or within another.
    MisplacedAggregate: "misplaced-aggregate",
    /// A lattice column where it has no meaning.
    LatticeColumn: "lattice-column",
    /// Recursion that builds ever larger terms.
    GrowingTerms: "growing-terms",
    /// A predicate that nothing defines.
    UnknownPredicate: "unknown-predicate",
    /// A variable that occurs once in its rule.
    SingletonVariable: "singleton-variable",
    /// A variable that was probably meant as a symbol.
    UnquotedSymbol: "unquoted-symbol",
    /// A constant that was probably meant as a variable.
    LowercaseVariable: "lowercase-variable",
    /// A function or an operation that is a term where it stands, and not computed.
    UncomputedFunction: "uncomputed-function",
    /// A term where a value is computed that is no function.
    UnknownFunction: "unknown-function",
    /// A computation or comparison of terms that it is not of.
    NoValue: "no-value",
    /// Integers and floats in one computation, or compared with each other.
    MixedNumbers: "mixed-numbers",
    /// A condition that wants a term to be of two types.
    DisjointTypes: "disjoint-types",
    /// A sum or an average that takes equal values of different things once.
    EqualValues: "equal-values",
    /// An aggregate over a variable that has one value, since it stands outside of the braces as well.
    FixedTuple: "fixed-tuple",
    /// A row of a table that looks like a header, and is read as a fact.
    HeaderRow: "header-row",
    /// A table whose columns are probably separated otherwise than it is read.
    ColumnSeparator: "column-separator",
    /// Quotation marks of a table that are read as a part of its values.
    QuotedField: "quoted-field",
    /// A date without quotation marks, which is a difference.
    UnquotedDate: "unquoted-date",
    /// Symbols in an order that is not that of the dates or numbers in them.
    CharacterOrder: "character-order",
    /// Missing values among the numbers of a table, compared or computed with.
    MissingValues: "missing-values",
    /// A float that arithmetic rounds, and that is to equal one that it does not.
    RoundedFloat: "rounded-float",
    /// A value in a column that is declared of another type.
    ColumnType: "column-type",
    /// A functional choice where it has no meaning.
    FunctionalChoice: "functional-choice",
    /// A text that is no regular expression, or facts that are not read since a test has their name.
    RegularExpression: "regular-expression",
    /// A rule file that cannot be used as it is.
    UsedFile: "used-file",
    /// An integer that does not fit 64 bits, on which an answer depends.
    IntegerOverflow: "integer-overflow",
    /// A constraint whose conditions hold.
    BrokenConstraint: "broken-constraint",
    /// A constraint of which it is undefined whether its conditions hold.
    UndefinedConstraint: "undefined-constraint",
    /// A rule that never fires, or a predicate that never holds.
    NeverFires: "never-fires",
    /// A part of a body that shares no variable with the rest of the rule.
    CrossProduct: "cross-product",
    /// A goal of a form that cannot be asked.
    UnsupportedGoal: "unsupported-goal",
    /// A name that GDL or the language keeps for itself is used against its meaning.
    MisusedKeyword: "misused-keyword",
    /// A game that does not say who plays, what is legal, what counts, or when it ends.
    IncompleteGame: "incomplete-game",
    /// A predicate that must hold in all states, or before moves, depends on them.
    StateDependence: "state-dependence",
    /// A goal that is no integer from 0 to 100.
    GoalValue: "goal-value",
    /// A state fact, move or role of a game that nothing produces.
    UnknownName: "unknown-name",
    /// Names that differ by case only.
    InconsistentCase: "inconsistent-case",
    /// A predicate of a game that nothing reads.
    UnusedPredicate: "unused-predicate",
    /// An argument of a predicate of a game that nothing reads.
    UnusedArgument: "unused-argument",
    /// A fact, move or rule of a game that no random playout has come to.
    Unreached: "unreached",
    /// Recursion that GDL forbids, since it might build ever larger terms.
    UnrestrictedRecursion: "unrestricted-recursion",
    /// A construct that the system to compile for cannot say.
    Untranslatable: "untranslatable",
    /// A board or position text that is none.
    Position: "position",
    /// A game record, in SGF or as a HexWorld link, that is none.
    GameRecord: "game-record",
    /// A text of winning sets and marks that is none.
    PositionalGame: "positional-game",
}

impl Code {
    /// Whether a program with this oddity may answer something else than its author means. Whoever tells answers tells such
    /// warnings with them; others are for `check`.
    pub fn concerns_answers(self) -> bool {
        use Code::*;
        let (style, cost) = (matches!(self, SingletonVariable | InconsistentCase), self == CrossProduct);
        let of_games = matches!(self, IncompleteGame | UnrestrictedRecursion | StateDependence);
        !(style || cost || of_games)
    }

    /// The code of a name; `None` if there is none.
    pub fn of_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
