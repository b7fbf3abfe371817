//! Diagnostics for people and for tools: as plain lines, drawn with carets (cargo feature `render`), or as JSON (`json`).

#[cfg(feature = "render")]
mod caret;
#[cfg(feature = "json")]
mod json;

#[cfg(feature = "render")]
pub use caret::to_text;
#[cfg(feature = "json")]
pub use json::to_json;

use super::{Diagnostic, Diagnostics, Sources};
use crate::ColdSort;

/// Each diagnostic as one line, in the order of the text: place, severity, code, cause, and the way out behind a dash.
/// There is no line break behind the last.
///
/// ```
/// use ludolog_syntax::diagnostic::{Sources, render};
/// use ludolog_syntax::{Syntax, parse};
///
/// let mut sources = Sources::new();
/// let source = sources.add("rules.dl", "p(X) :- q(X)\n");
/// let parsed = parse(source, &sources, Syntax::Datalog);
/// assert_eq!(
///     render::to_lines(&parsed.diagnostics, &sources),
///     "rules.dl:1:13: error[syntax]: the last statement is not ended - end every statement with a period"
/// );
/// ```
pub fn to_lines(diagnostics: &Diagnostics, sources: &Sources) -> String {
    let line = |diagnostic: &Diagnostic| {
        let place = diagnostic.labels.first().and_then(|label| {
            let source = sources.get(label.span.source)?;
            let (line, column) = source.line_column(label.span.start as usize);
            Some(format!("{}:{line}:{column}: ", source.name))
        });
        place.unwrap_or_default() + &diagnostic.to_string()
    };
    sorted(diagnostics).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// By source and position; those without a place come first.
fn sorted(diagnostics: &Diagnostics) -> Vec<&Diagnostic> {
    let mut list: Vec<&Diagnostic> = diagnostics.iter().collect();
    list.cold_sort_by_key(|diagnostic| {
        diagnostic
            .labels
            .first()
            .filter(|label| !label.span.is_none())
            .map(|label| (label.span.source, label.span.start))
    });
    list
}

#[cfg(test)]
fn sample() -> (Diagnostics, Sources) {
    use super::{Code, Span};
    let mut sources = Sources::new();
    let source = sources.add("rules.dl", "p(1).\r\n\tq(é, X) :- r.\n");
    let mut diagnostics = Diagnostics::from(
        Diagnostic::error(Code::UnsafeVariable, "nothing binds `X`")
            .at(Span::new(source, 14, 15), "occurs in the head")
            .help("add a condition with `X`"),
    );
    diagnostics.push(Diagnostic::warning(Code::UnknownPredicate, "odd").at(Span::new(source, 0, 1), "here"));
    (diagnostics, sources)
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_name_their_places_in_the_order_of_the_text() {
        let (diagnostics, sources) = super::sample();
        insta::assert_snapshot!(super::to_lines(&diagnostics, &sources), @r"
        rules.dl:1:1: warning[unknown-predicate]: odd
        rules.dl:2:7: error[unsafe-variable]: nothing binds `X` - add a condition with `X`
        ");
    }
}
