//! Diagnostics drawn for people or written as JSON.

use super::{Code, Diagnostic, Diagnostics, Label, Severity, Source, SourceId, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use serde::Serialize;
use std::ops::Range;

/// Longer lines are shown in part.
const LINE_LIMIT: usize = 200;
/// How much of a long line is shown before and behind the place.
const BEFORE: usize = 50;
const BEHIND: usize = 80;
/// Places further apart than this are drawn apart.
const LINES_TOGETHER: usize = 20;

/// Each diagnostic with its line and a caret under the place, in the order of the text, an empty line after each.
pub fn to_text(diagnostics: &Diagnostics, sources: &Sources, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in sorted(diagnostics) {
        let drawn = renderer.render(&[group(diagnostic, sources)]);
        // An excerpt below its own origin line gets an empty one besides.
        for line in drawn.lines().filter(|line| strip_str(line).to_string().trim() != ":::") {
            out.push_str(line);
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// All diagnostics as a JSON array, in the order of the text. Lines and columns count from 1, columns in characters; an
/// end is behind the last character. `file`, `line` and so on are the main place's, null where there is none.
pub fn to_json(diagnostics: &Diagnostics, sources: &Sources) -> serde_json::Value {
    let list: Vec<Entry> = sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| Entry {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            place: diagnostic.labels.first().and_then(|label| Place::of(label.span, sources)).unwrap_or_default(),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| Labeled { place: Place::of(label.span, sources).unwrap_or_default(), text: &label.text })
                .collect(),
            help: diagnostic.help.as_deref(),
        })
        .collect();
    serde_json::json!(list)
}

#[derive(Serialize)]
struct Entry<'a> {
    severity: Severity,
    code: Code,
    message: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    labels: Vec<Labeled<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Labeled<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    text: &'a str,
}

#[derive(Default, Serialize)]
struct Place<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

impl<'a> Place<'a> {
    fn of(span: Span, sources: &'a Sources) -> Option<Place<'a>> {
        let source = sources.get(span.source)?;
        let (line, column) = source.line_column(span.start as usize);
        let (end_line, end_column) = source.line_column(span.end as usize);
        Some(Place {
            file: Some(&source.name),
            line: Some(line),
            column: Some(column),
            end_line: Some(end_line),
            end_column: Some(end_column),
        })
    }
}

/// By source and position; those without a place come first.
fn sorted(diagnostics: &Diagnostics) -> Vec<&Diagnostic> {
    let mut list: Vec<&Diagnostic> = diagnostics.iter().collect();
    list.sort_by_key(|diagnostic| {
        diagnostic
            .labels
            .first()
            .filter(|label| !label.span.is_none())
            .map(|label| (label.span.source, label.span.start))
    });
    list
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&*diagnostic.message).id(diagnostic.code.to_string()));
    for cluster in clusters(&diagnostic.labels, sources) {
        group = draw(group, cluster);
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(&**help)),
        None => group,
    }
}

/// Labels that one excerpt shows, the first of them the main one of the diagnostic if `primary`.
struct Cluster<'a> {
    source: &'a Source,
    id: SourceId,
    primary: bool,
    /// The lines of the labels, the first and the last.
    lines: (usize, usize),
    labels: Vec<&'a Label>,
}

fn clusters<'a>(labels: &'a [Label], sources: &'a Sources) -> Vec<Cluster<'a>> {
    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        let Some(source) = sources.get(label.span.source) else { continue };
        let (line, _) = source.line_column(label.span.start as usize);
        let near = clusters.iter_mut().find(|cluster| {
            cluster.id == label.span.source
                && line + LINES_TOGETHER >= cluster.lines.1
                && line <= cluster.lines.0 + LINES_TOGETHER
                && (cluster.lines.0.min(line)..=cluster.lines.1.max(line))
                    .all(|line| source.line(line).len() <= LINE_LIMIT)
        });
        match near {
            Some(cluster) => {
                cluster.lines = (cluster.lines.0.min(line), cluster.lines.1.max(line));
                cluster.labels.push(label);
            }
            None => clusters.push(Cluster {
                source,
                id: label.span.source,
                primary: i == 0,
                lines: (line, line),
                labels: vec![label],
            }),
        }
    }
    clusters
}

fn draw<'a>(group: Group<'a>, cluster: Cluster<'a>) -> Group<'a> {
    let Cluster { source, primary, lines: (first, last), labels, .. } = cluster;
    let shown = source.line(first).start..source.line(last).end;
    let kind = |i: usize| if primary && i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    if shown.len() > LINE_LIMIT && first == last {
        let label = labels[0];
        let (line, column) = source.line_column(label.span.start as usize);
        let (text, place) = excerpt(source, shown, label.span);
        let origin = Origin::path(&*source.name).line(line).char_column(column);
        let annotation = kind(0).span(place).label(&*label.text);
        return group.element(origin).element(Snippet::source(text).line_start(line).annotation(annotation));
    }
    let annotations = labels.into_iter().enumerate().map(|(i, label)| {
        // A place of several lines is marked in its first.
        let (line, _) = source.line_column(label.span.start as usize);
        let end = (label.span.end as usize).min(source.line(line).end.max(label.span.start as usize));
        kind(i).span(label.span.start as usize - shown.start..end - shown.start).label(&*label.text)
    });
    let text = &source.text[shown.clone()];
    group.element(Snippet::source(text).path(&*source.name).line_start(first).annotations(annotations))
}

/// The part of a long line around a place, and where the place is in it.
fn excerpt(source: &Source, line: Range<usize>, span: Span) -> (String, Range<usize>) {
    let text = &source.text;
    let start = (span.start as usize).min(line.end);
    let end = (span.end as usize).clamp(start, line.end);
    let from = boundary(text, start.saturating_sub(BEFORE).max(line.start));
    let to = boundary(text, (start + BEHIND).min(line.end));
    let lead = if from > line.start { "… " } else { "" };
    let tail = if to < line.end { " …" } else { "" };
    let at = lead.len() + start - from;
    (format!("{lead}{}{tail}", &text[from..to]), at..at + end.min(to) - start)
}

/// The last character boundary up to `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Diagnostics, Sources) {
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

    #[test]
    fn text_shows_the_line_and_a_caret_in_the_order_of_the_text() {
        let (diagnostics, sources) = sample();
        insta::assert_snapshot!(to_text(&diagnostics, &sources, false), @r"
        warning[unknown-predicate]: odd
         --> rules.dl:1:1
          |
        1 | p(1).
          | ^ here

        error[unsafe-variable]: nothing binds `X`
         --> rules.dl:2:7
          |
        2 |     q(é, X) :- r.
          |          ^ occurs in the head
          |
          = help: add a condition with `X`
        ");
    }

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

    #[test]
    fn long_lines_are_shown_in_part() {
        let mut sources = Sources::new();
        let text = format!("{}here{}", "a é ".repeat(100_000), " b".repeat(100_000));
        let source = sources.add("long.dl", text);
        let at = 500_000;
        let diagnostic = Diagnostic::error(Code::Syntax, "odd").at(Span::new(source, at, at + 4), "this");
        insta::assert_snapshot!(to_text(&diagnostic.into(), &sources, false), @r"
        error[syntax]: odd
         --> long.dl:1:400001
          |
        1 | … a é a é a é a é a é a é a é a é a é a é here b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b …
          |                                           ^^^^ this
        ");
    }

    #[test]
    fn a_place_behind_the_text_and_no_place_at_all() {
        let mut sources = Sources::new();
        let source = sources.add("end.dl", "p\n");
        let mut diagnostics =
            Diagnostics::from(Diagnostic::error(Code::Syntax, "ends").at(Span::new(source, 2, 2), "here"));
        diagnostics.push(Diagnostic::error(Code::UnreadableFile, "there is no file").help("look"));
        diagnostics.push(Diagnostic::error(Code::Syntax, "made up").at(Span::NONE, "nowhere"));
        insta::assert_snapshot!(to_text(&diagnostics, &sources, false), @r"
        error[unreadable-file]: there is no file
         |
         = help: look

        error[syntax]: made up

        error[syntax]: ends
         --> end.dl:2:1
          |
        2 |
          | ^ here
        ");
    }
}
