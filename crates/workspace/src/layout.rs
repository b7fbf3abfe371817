//! The canonical layout, of a text or of some of its statements.

use crate::Analysis;
use crate::rename::TextChange;
use ludolog_syntax::ast::Program;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{SourceId, Sources};
use ludolog_syntax::{Syntax, parse_within, print};
use std::ops::Range;

/// A text in the canonical layout; `None` if there is something wrong with it that the layout would lose.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn formatted(text: &str, syntax: Syntax, budget: &Budget) -> Result<Option<String>, Stopped> {
    Ok(statements(text, syntax, budget)?.map(|program| print(&program, syntax)))
}

/// The statements of a text alone, without those of files that it includes; `None` if the layout would lose some of it.
fn statements(text: &str, syntax: Syntax, budget: &Budget) -> Result<Option<Program>, Stopped> {
    let mut sources = Sources::new();
    let source = sources.add("", text);
    let parsed = parse_within(source, &sources, syntax, budget)?;
    Ok(parsed.may_be_printed().then_some(parsed.program))
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
    // The analysis has no includes and uses among its statements: it has the statements of their files.
    let Some(program) = statements(text, syntax, budget)? else { return Ok(Vec::new()) };
    let new = print(&program, syntax);
    let Some(canonical) = statements(&new, syntax, budget)? else { return Ok(Vec::new()) };
    let comments: Vec<Range<usize>> = analysis.comments(source).map(|one| range(one.span)).collect();
    let mut changes = Vec::new();
    // Both texts have the same statements in the same order.
    for (old, new_item) in program.items.into_iter().zip(canonical.items) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Texts;
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// A text after each of its statements was laid out alone.
    fn one_by_one(name: &str, text: &str) -> String {
        let mut texts = Texts::new(Arc::new(HashMap::<PathBuf, String>::new()));
        texts.set(Path::new("part.dl"), "part(1).\n");
        texts.set(Path::new("part.kif"), "(part 1)\n");
        let path = Path::new(name);
        let budget = Budget::unlimited();
        let mut text = text.to_owned();
        for line in 0..text.lines().count() {
            texts.set(path, text.as_str());
            let analysis = Analysis::new(&texts, path, &budget).unwrap();
            let (source, syntax) = analysis.source(path).unwrap();
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let is_wanted = |statement: &Range<usize>| statement.start == start;
            let changes = formatted_statements(&analysis, source, syntax, is_wanted, &budget).unwrap();
            text = TextChange::apply(&text, &changes);
        }
        text
    }

    #[test]
    fn statements_behind_directives_are_laid_out_in_their_places() {
        let text = ":- include('part.dl').\nside( 6).\n:-use('part.dl', part=piece).\np( 7). % seven\n";
        let laid_out = ":- include('part.dl').\nside(6).\n:- use('part.dl', part = piece).\np(7). % seven\n";
        assert_eq!(one_by_one("rules.dl", text), laid_out);
        let text = "(include \"part.kif\")\n(side  6)\n; seven\n(p  7)\n";
        assert_eq!(one_by_one("rules.kif", text), text.replace("  ", " "));
    }

    /// Names of `.kif` are laid out in small letters, so that one statement alone makes the text warn of two spellings.
    #[test]
    fn texts_with_warnings_alone_are_laid_out() {
        let text = "(timeOut  1)\n(<= (p ?x)  (timeOut ?x))\n";
        let laid_out = "(timeout 1)\n\n(<= (p ?x) (timeout ?x))\n";
        assert_eq!(one_by_one("rules.kif", text), laid_out.replace("\n\n", "\n"));
        let formatted = |text, syntax| formatted(text, syntax, &Budget::unlimited()).unwrap();
        assert_eq!(formatted("(timeout 1)\n(<= (p ?x) (timeOut ?x))\n", Syntax::Kif).as_deref(), Some(laid_out));
        // The comment would be moved before the statement.
        assert_eq!(formatted("p(X) :- q(Y) & X is Y % 2\n.", Syntax::Datalog), None);
    }
}
