//! Regular expressions, as the crate `regex` reads them: without look-around and references back, so that a test takes time
//! proportional to the length of the symbol times the size of the expression.

use ludolog_syntax::ast::Term;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use regex::{Regex, RegexBuilder};

/// Most bytes of a compiled expression, which keeps repetitions of repetitions from exploding.
const MOST_BYTES: usize = 1 << 18;

/// Most parentheses within each other.
const DEEPEST: u32 = 100;

/// A regular expression that whole symbols are tested with.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// The reason, in words, why it is none, or one that is too large.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let compile = |text: &str| {
            let mut builder = RegexBuilder::new(text);
            builder.size_limit(MOST_BYTES).dfa_size_limit(MOST_BYTES).nest_limit(DEEPEST).build().map_err(reason)
        };
        // By itself first: `a)|(b` is none, though it is one in parentheses.
        compile(text)?;
        compile(&format!(r"\A(?:{text})\z")).map(Pattern)
    }

    /// Whether the whole of a text is one of the expression.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// The reason of an error in one line.
fn reason(error: regex::Error) -> String {
    match error {
        regex::Error::Syntax(text) => {
            let last = text.lines().last().unwrap_or_default();
            last.trim().trim_start_matches("error: ").to_owned()
        }
        regex::Error::CompiledTooBig(_) => "it is too large: its repetitions multiply".to_owned(),
        other => other.to_string(),
    }
}

/// The fault of a pattern that stands in a text.
pub(super) fn check(pattern: &Term, place: Span) -> Option<Diagnostic> {
    let wrong = |message: String, label: String| Diagnostic::error(Code::RegularExpression, message).at(place, label);
    match pattern {
        Term::Symbol(text) => {
            let reason = Pattern::new(text).err()?;
            let help =
                "`\\` escapes what has a meaning there, as `\\.`, and is written twice in a quotation: `'\\\\.'`";
            Some(wrong(format!("`{text}` is no regular expression"), reason).help(help))
        }
        Term::Integer(_) | Term::Float(_) => Some(
            wrong(format!("`{pattern}` is no regular expression, but a number"), "expected a symbol".to_owned())
                .help("quote it: `matches(S, '1')`")
                .respelled(place, pattern.to_string(), format!("'{pattern}'")),
        ),
        Term::Variable(_) | Term::Compound(..) => None,
    }
}
