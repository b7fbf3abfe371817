//! The canonical layout, of a text or of some of its statements.

use crate::Analysis;
use crate::rename::TextChange;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{SourceId, Sources};
use ludolog_syntax::{Syntax, parse_within, print};
use std::ops::Range;

/// A text in the canonical layout; `None` if there is something wrong with it.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn formatted(text: &str, syntax: Syntax, budget: &Budget) -> Result<Option<String>, Stopped> {
    let mut sources = Sources::new();
    let source = sources.add("", text);
    let parsed = parse_within(source, &sources, syntax, budget)?;
    Ok(parsed.diagnostics.is_empty().then(|| print(&parsed.program, syntax)))
}

/// The changes that bring some statements of a text into the layout that they have in the canonical text. Statements with
/// comments within them are left alone, and so is a text with something wrong in it.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn formatted_statements(
    analysis: &Analysis,
    source: SourceId,
    syntax: Syntax,
    is_wanted: impl Fn(&Range<usize>) -> bool,
    budget: &Budget,
) -> Result<Vec<TextChange>, Stopped> {
    let text = analysis.sources.get(source).map_or("", |source| &source.text);
    let Some(new) = formatted(text, syntax, budget)? else { return Ok(Vec::new()) };
    let mut sources = Sources::new();
    let canonical = sources.add("", new.as_str());
    let statements = parse_within(canonical, &sources, syntax, budget)?.program.items;
    let comments: Vec<Range<usize>> = analysis.comments(source).map(|one| range(one.span)).collect();
    let mut changes = Vec::new();
    // Both texts have the same statements in the same order.
    for (old, new_item) in analysis.statements(source).zip(statements) {
        let old = range(old.span);
        let has_comment = comments.iter().any(|comment| old.start <= comment.start && comment.end <= old.end);
        let laid_out = &new[range(new_item.span)];
        if is_wanted(&old) && !has_comment && text[old.clone()] != *laid_out {
            changes.push(TextChange::new(old, laid_out));
        }
    }
    Ok(changes)
}

fn range(span: ludolog_syntax::diagnostic::Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
