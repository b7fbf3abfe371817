//! Edits of texts.

use crate::asked::{AtPlace, InRange, InText, Renamed, ToFix};
use crate::navigate::{at, text_of};
use crate::place::Lines;
use crate::server::{Refusal, Server, View};
use crate::show::range_of;
use lsp_types::{CodeActionKind, Position, PrepareRenameResponse, TextEdit, WorkspaceEdit};
use ludolog_workspace::fix;
use ludolog_workspace::layout::{formatted, formatted_statements};
use ludolog_workspace::rename::{self, TextChange};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;

/// The name at a place, if it may have another one.
pub fn prepare_rename(server: &mut Server, params: AtPlace) -> Result<Option<PrepareRenameResponse>, Refusal> {
    let (view, found) = at(server, &params)?;
    let found = found.filter(|one| rename::check_renamable(&view.analysis, &one.symbol).is_ok());
    Ok(found.map(|one| PrepareRenameResponse::Range(range_of(server, &view, &one))))
}

/// Another name for all places of a name.
pub fn rename(server: &mut Server, params: Renamed) -> Result<Option<WorkspaceEdit>, Refusal> {
    let (view, found) = at(server, &AtPlace { text_document: params.text_document, position: params.position })?;
    let Some(occurrence) = found else { return Err(Refusal::Failed("there is no name here".into())) };
    let budget = server.budget();
    let analyses = server.project.analyses_with(&view.path, &budget)?;
    let changes =
        rename::rename(&analyses, &occurrence.symbol, &view.path, &params.new_name).map_err(Refusal::Failed)?;
    let mut edits = HashMap::new();
    for (file, changes) in changes {
        let (Some(uri), Some(text)) = (server.uri(&file), text_of(&analyses, &file)) else { continue };
        edits.insert(uri, text_edits(server, &text, changes));
    }
    Ok(Some(WorkspaceEdit::new(edits)))
}

fn text_edits(server: &Server, text: &str, changes: Vec<TextChange>) -> Vec<TextEdit> {
    let lines = Lines::new(text, server.encoding);
    let edit = |change: TextChange| TextEdit::new(lines.range(change.start, change.end), change.text);
    changes.into_iter().map(edit).collect()
}

/// The canonical layout of a text.
pub fn format(server: &mut Server, params: InText) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let new = formatted(view.text(), view.syntax, &server.budget())?;
    let Some(new) = new else {
        return Err(Refusal::Failed("a text with errors is left as it is".into()));
    };
    if new == view.text() {
        return Ok(Some(Vec::new()));
    }
    Ok(Some(text_edits(server, view.text(), vec![TextChange::new(0..view.text().len(), new)])))
}

/// The canonical layout of the statements that a range touches.
pub fn format_range(server: &mut Server, params: InRange) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let wanted = lines.byte(params.range.start)..lines.byte(params.range.end);
    format_statements(server, &view, |statement| statement.start <= wanted.end && wanted.start <= statement.end)
}

/// The canonical layout of the statement that ends with what was typed.
pub fn format_on_type(server: &mut Server, params: AtPlace) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let typed = Lines::new(view.text(), server.encoding).byte(params.position);
    format_statements(server, &view, |statement| statement.end == typed)
}

fn format_statements(
    server: &Server,
    view: &View,
    is_wanted: impl Fn(&Range<usize>) -> bool,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let changes = formatted_statements(&view.analysis, view.source, view.syntax, is_wanted, &server.budget())?;
    Ok(Some(text_edits(server, view.text(), changes)))
}

/// Changes that make the diagnostics of a range go away.
pub fn actions(server: &mut Server, params: ToFix) -> Result<Option<Vec<Value>>, Refusal> {
    let uri = params.text_document.uri;
    let view = server.view(&uri)?;
    let budget = server.budget();
    let mut actions = Vec::new();
    for shown in params.context.diagnostics {
        let Some(code) = shown["code"].as_str() else { continue };
        let Some(message) = shown["message"].as_str() else { continue };
        let Ok(start) = serde_json::from_value::<Position>(shown["range"]["start"].clone()) else { continue };
        let start = Lines::new(view.text(), server.encoding).byte(start);
        let diagnostic = view.analysis.diagnostics.iter().find(|one| {
            let place = one.labels.first().map(|label| label.span);
            let is_there = place.is_none_or(|span| (span.source, span.start as usize) == (view.source, start));
            is_there && one.code.name() == code && message.starts_with(&one.message)
        });
        let Some(diagnostic) = diagnostic else { continue };
        let fixes = fix::fixes(server.project.texts(), &view.path, &view.analysis, diagnostic, &budget)?;
        for (number, fix) in fixes.into_iter().enumerate() {
            let edits = text_edits(server, view.text(), fix.changes);
            actions.push(json!({
                "title": fix.title,
                "kind": CodeActionKind::QUICKFIX,
                "diagnostics": [shown],
                "edit": WorkspaceEdit::new(HashMap::from([(uri.clone(), edits)])),
                "isPreferred": fix.is_preferred && number == 0,
            }));
        }
    }
    Ok(Some(actions))
}
