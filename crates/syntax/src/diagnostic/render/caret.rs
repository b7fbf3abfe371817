//! Diagnostics drawn with their lines and a caret under the place.

use super::sorted;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Severity, Source, SourceId, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use std::ops::Range;

/// Longer lines are shown in part.
const LINE_LIMIT: usize = 200;
/// Bytes of a long line that are shown before the place.
const BEFORE: usize = 50;
/// Bytes of a long line that are shown from the place on.
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

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
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
    use super::super::sample;
    use super::*;
    use crate::diagnostic::Code;

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
