//! Diagnostics as JSON, for tools.

use super::sorted;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity, Sources, Span};
use serde::Serialize;

/// All diagnostics as a JSON array, in the order of the text. Lines and columns count from 1, columns in characters; an
/// end is behind the last character. `file`, `line` and so on are the main place's, null where there is none.
pub fn to_json(diagnostics: &Diagnostics, sources: &Sources) -> serde_json::Value {
    let list = sorted(diagnostics).into_iter().map(|diagnostic| JsonDiagnostic::of(diagnostic, sources));
    serde_json::json!(list.collect::<Vec<_>>())
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: Severity,
    code: Code,
    message: &'a str,
    #[serde(flatten)]
    place: JsonPlace<'a>,
    labels: Vec<Labeled<'a>>,
    help: Option<&'a str>,
}

impl<'a> JsonDiagnostic<'a> {
    fn of(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Self {
        let place = |span| JsonPlace::of(span, sources).unwrap_or_default();
        JsonDiagnostic {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            place: diagnostic.labels.first().map(|label| place(label.span)).unwrap_or_default(),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| Labeled { place: place(label.span), text: &label.text })
                .collect(),
            help: diagnostic.help.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct Labeled<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    text: &'a str,
}

#[derive(Default, Serialize)]
struct JsonPlace<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

impl<'a> JsonPlace<'a> {
    fn of(span: Span, sources: &'a Sources) -> Option<JsonPlace<'a>> {
        let source = sources.get(span.source)?;
        let (line, column) = source.line_column(span.start as usize);
        let (end_line, end_column) = source.line_column(span.end as usize);
        Some(JsonPlace {
            file: Some(&source.name),
            line: Some(line),
            column: Some(column),
            end_line: Some(end_line),
            end_column: Some(end_column),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn json_counts_characters_from_one() {
        let (diagnostics, sources) = sample();
        let json = to_json(&diagnostics, &sources);
        assert_eq!(json[0]["severity"], "warning");
        assert_eq!(json[1]["code"], "unsafe-variable");
        assert_eq!((json[1]["line"].as_u64(), json[1]["column"].as_u64()), (Some(2), Some(7)));
        assert_eq!((json[1]["end_line"].as_u64(), json[1]["end_column"].as_u64()), (Some(2), Some(8)));
        assert_eq!(json[1]["labels"][0]["text"], "occurs in the head");
        assert_eq!(json[1]["help"], "add a condition with `X`");
    }
}
