//! Diagnostics as JSON, for tools.

use super::sorted;
use crate::diagnostic::{Applicability, Code, Diagnostic, Diagnostics, Repair, Severity, Sources, Span};
use serde::Serialize;

/// All diagnostics as a JSON array, in the order of the text. Lines and columns count from 1, columns in characters; an
/// end is behind the last character. `file`, `line` and so on are the main place's, null where there is none. `fixes` are the changes of texts
/// that may be ways out, each by itself, best first; whether they are has to be tried, and one that is not certain may mean something else. Their `start` and `end` are bytes, for what changes a text.
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
    fixes: Vec<JsonFix<'a>>,
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
            fixes: diagnostic.repairs.iter().filter_map(|repair| JsonFix::of(repair, sources)).collect(),
        }
    }
}

#[derive(Serialize)]
struct Labeled<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: String,
    /// Whether it may be made without the author.
    certain: bool,
    /// Whether a number or name in it stands for one that the author has to choose.
    example: bool,
    edits: Vec<JsonEdit<'a>>,
}

impl<'a> JsonFix<'a> {
    fn of(repair: &'a Repair, sources: &'a Sources) -> Option<JsonFix<'a>> {
        let edit = |(span, text): (Span, &'a str)| {
            let place = JsonPlace::of(span, sources)?;
            Some(JsonEdit { place, start: span.start, end: span.end, text })
        };
        let edits = repair.edits(sources)?.into_iter().filter_map(edit).collect();
        Some(JsonFix {
            title: repair.title(sources)?,
            certain: repair.applicability == Applicability::Certain,
            example: repair.applicability == Applicability::Example,
            edits,
        })
    }
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    start: u32,
    end: u32,
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
    use crate::Syntax;
    use crate::diagnostic::Replacement;

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
        assert_eq!(json[1]["fixes"], serde_json::json!([]));
    }

    #[test]
    fn fixes_have_bytes_lines_and_columns() {
        let mut sources = Sources::new();
        let text = "p(1).\n'é'(X) :- p(X) & q(X), q(X).\n";
        let [rules, goal] = [sources.add_rules("rules.dl", Syntax::Datalog, text), sources.add("goal", text)];
        let told = |source| {
            let condition = Span::new(source, 17, 34);
            Diagnostic::error(Code::Syntax, "odd")
                .at(condition, "here")
                .repair(vec![Replacement::each(condition, "q", "p"), Replacement::first(condition, ",", " &")])
                .replacement(Span::new(source, 0, 1), "q")
                .certain()
                .example(condition.behind(), " & X < 100")
        };
        let json = to_json(&told(rules).into(), &sources);
        let edit = |start: u64, end: u64, column: u64, text: &str| {
            let (at, to) = (column, column + end - start);
            serde_json::json!({
                "file": "rules.dl", "line": 2, "column": at, "end_line": 2, "end_column": to, "start": start, "end": end, "text": text
            })
        };
        let mut first = edit(0, 1, 1, "q");
        first["line"] = 1.into();
        first["end_line"] = 1.into();
        let expected = serde_json::json!([
            {
                "title": "write `p` in place of `q`, write `&` in place of `,`",
                "certain": false,
                "example": false,
                "edits": [edit(24, 25, 18, "p"), edit(28, 29, 22, " &"), edit(30, 31, 24, "p")],
            },
            { "title": "write `q` in place of `p`", "certain": true, "example": false, "edits": [first] },
            { "title": "insert `& X < 100`", "certain": false, "example": true, "edits": [edit(34, 34, 28, " & X < 100")] },
        ]);
        assert_eq!(json[0]["fixes"], expected);
        // The text of a goal is no rule file.
        assert_eq!(to_json(&told(goal).into(), &sources)[0]["fixes"], serde_json::json!([]));
    }
}
