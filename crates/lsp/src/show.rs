//! What is seen in a text and at a place of it.

use crate::asked::{AtPlace, InRange, InText};
use crate::place::{Lines, TextRanges};
use crate::server::{Refusal, Server, View};
use lsp_types::{
    CodeLens, Command, CompletionItem, CompletionItemKind, CompletionResponse, Diagnostic as Shown,
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, FoldingRange, FoldingRangeKind, Hover,
    HoverContents, InlayHint, InlayHintKind, InlayHintLabel, Location, MarkupContent, MarkupKind, NumberOrString,
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensResult,
};
use ludolog_syntax::TokenKind;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Severity, Span, counted};
use ludolog_workspace::Analysis;
use ludolog_workspace::complete::CompletionKind;
use ludolog_workspace::describe::is_gdl_keyword;
use ludolog_workspace::symbol::{Occurrence, Symbol};
use serde_json::json;
use std::collections::HashSet;

/// Why a text has no diagnostics, at its first line: its analysis did not end.
pub fn not_analyzed(stopped: &Stopped) -> Shown {
    Shown {
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("ludolog".into()),
        message: format!(
            "not analyzed: {stopped}\nhelp: facts that are many are read faster from a table, `:- input(edge, 'edge.csv').`"
        ),
        ..Default::default()
    }
}

/// A diagnostic as editors show it.
pub fn diagnostic<'a>(
    server: &Server,
    analysis: &'a Analysis,
    diagnostic: &Diagnostic,
    places: &mut TextRanges<'a>,
) -> Shown {
    let mut range = |span: Span| places.range(&analysis.sources, span);
    let mut labels = diagnostic.labels.iter();
    let main = labels.next();
    let place = main.map(|label| range(label.span)).unwrap_or_default();
    let related = labels.filter_map(|label| {
        let uri = server.uri(analysis.path(label.span.source)?)?;
        Some(DiagnosticRelatedInformation {
            location: Location::new(uri, range(label.span)),
            message: label.text.clone(),
        })
    });
    let related: Vec<_> = related.collect();
    let remark = main.map(|label| &label.text).filter(|text| !text.is_empty());
    let mut message = diagnostic.message.clone();
    if let Some(remark) = remark {
        message.push_str(&format!(": {remark}"));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let is_unused = matches!(diagnostic.code, Code::UnusedPredicate | Code::UnusedArgument | Code::SingletonVariable);
    Shown {
        range: place,
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(diagnostic.code.name().into())),
        source: Some("ludolog".into()),
        message,
        related_information: Some(related).filter(|related| !related.is_empty()),
        tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Default::default()
    }
}

/// What stands at a place, in words.
pub fn hover(server: &mut Server, params: AtPlace) -> Result<Option<Hover>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let Some(occurrence) = view.analysis.at(view.source, lines.byte(params.position)) else { return Ok(None) };
    let value = view.analysis.describe(occurrence, server.findings(&view));
    Ok(Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(lines.range(occurrence.span.start as usize, occurrence.span.end as usize)),
    }))
}

/// Names that may be meant.
pub fn completion(server: &mut Server, params: AtPlace) -> Result<Option<CompletionResponse>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let byte = Lines::new(view.text(), server.encoding).byte(params.position);
    let items = view.analysis.completions(view.text(), byte, view.syntax).into_iter().map(|one| CompletionItem {
        label: one.name,
        kind: Some(match one.kind {
            CompletionKind::Variable => CompletionItemKind::VARIABLE,
            CompletionKind::Predicate => CompletionItemKind::FUNCTION,
            CompletionKind::Term => CompletionItemKind::ENUM_MEMBER,
            CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        }),
        detail: Some(one.detail).filter(|detail| !detail.is_empty()),
        sort_text: Some((one.kind as u8).to_string()),
        ..Default::default()
    });
    Ok(Some(CompletionResponse::Array(items.collect())))
}

/// The kinds of semantic tokens, in the order of their numbers.
const TOKEN_TYPES: [SemanticTokenType; 8] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::STRUCT,
    SemanticTokenType::ENUM_MEMBER,
];

/// What the numbers of semantic tokens mean.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TOKEN_TYPES.to_vec(), token_modifiers: vec![SemanticTokenModifier::DEFINITION] }
}

/// All words of a text with their kinds.
pub fn semantic_tokens(server: &mut Server, params: InText) -> Result<Option<SemanticTokensResult>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let text = view.text();
    let lines = Lines::new(text, server.encoding);
    let is_game = view.analysis.is_game();
    let predicates: HashSet<u32> = view.analysis.occurrences(view.source).filter(is_predicate).map(start).collect();
    let mut data = Vec::new();
    let mut before = lsp_types::Position::new(0, 0);
    let mut end = 0;
    for token in view.analysis.tokens(view.source) {
        // In a text with errors, a comment may be read as one and as words.
        if token.span.start < end {
            continue;
        }
        end = token.span.end;
        let is_predicate = predicates.contains(&token.span.start);
        let kind = match &token.kind {
            TokenKind::Comment => SemanticTokenType::COMMENT,
            TokenKind::Variable(_) => SemanticTokenType::VARIABLE,
            TokenKind::Number => SemanticTokenType::NUMBER,
            TokenKind::Operator => SemanticTokenType::OPERATOR,
            TokenKind::Name(name, arity) if is_predicate && is_game && is_gdl_keyword(name, *arity) => {
                SemanticTokenType::KEYWORD
            }
            TokenKind::Name(..) if is_predicate => SemanticTokenType::FUNCTION,
            TokenKind::Name(_, 0) => SemanticTokenType::ENUM_MEMBER,
            TokenKind::Name(..) => SemanticTokenType::STRUCT,
        };
        let token_type = TOKEN_TYPES.iter().position(|one| *one == kind).unwrap_or_default() as u32;
        let is_defined = token.in_head && is_predicate;
        // A token of several lines is several tokens.
        for (start, end) in lines.parts(token.span.start as usize, token.span.end as usize) {
            let position = lines.position(start);
            let delta_line = position.line - before.line;
            data.push(SemanticToken {
                delta_line,
                delta_start: if delta_line == 0 { position.character - before.character } else { position.character },
                length: lines.length(&text[start..end]),
                token_type,
                token_modifiers_bitset: u32::from(is_defined),
            });
            before = position;
        }
    }
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
}

fn is_predicate(occurrence: &&Occurrence) -> bool {
    matches!(occurrence.symbol, Symbol::Predicate(..))
}

fn start(occurrence: &Occurrence) -> u32 {
    occurrence.span.start
}

/// Statements and comments of several lines.
pub fn folding(server: &mut Server, params: InText) -> Result<Option<Vec<FoldingRange>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let fold = |start: usize, end: usize, kind: Option<FoldingRangeKind>| {
        let range = lines.range(start, end);
        let fold = FoldingRange { start_line: range.start.line, end_line: range.end.line, kind, ..Default::default() };
        Some(fold).filter(|fold| fold.start_line < fold.end_line)
    };
    let statements = view.analysis.statements(view.source);
    let statements = statements.filter_map(|item| fold(item.span.start as usize, item.span.end as usize, None));
    let mut folds: Vec<FoldingRange> = statements.collect();
    // Comments with nothing but white space between them fold together.
    let mut run: Option<(usize, usize)> = None;
    let mut runs = Vec::new();
    for comment in view.analysis.comments(view.source) {
        let place = (comment.span.start as usize, comment.span.end as usize);
        match &mut run {
            Some((_, end)) if view.text()[*end..place.0].trim().is_empty() => *end = place.1,
            _ => runs.extend(run.replace(place)),
        }
    }
    runs.extend(run);
    let comment = |(start, end)| fold(start, end, Some(FoldingRangeKind::Comment));
    folds.extend(runs.into_iter().filter_map(comment));
    Ok(Some(folds))
}

/// Above a predicate its number of facts, above a game how to play it, above a question its answer.
pub fn lenses(server: &mut Server, params: InText) -> Result<Option<Vec<CodeLens>>, Refusal> {
    let uri = params.text_document.uri;
    let view = server.view(&uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let lens = |span: Span, title: String, command: &str, goal: Option<&str>| {
        let arguments = std::iter::once(json!(uri)).chain(goal.map(|goal| json!(goal))).collect();
        CodeLens {
            range: lines.range(span.start as usize, span.end as usize),
            command: Some(Command { title, command: format!("ludolog.{command}"), arguments: Some(arguments) }),
            data: None,
        }
    };
    let mut shown = Vec::new();
    if view.analysis.analyzed.is_some() {
        let top = Span::new(view.source, 0, 0);
        shown.push(lens(top, "run".into(), "run", None));
        if view.analysis.is_game() {
            shown.push(lens(top, "play".into(), "play", None));
        }
    }
    let Some(findings) = server.findings(&view) else { return Ok(Some(shown)) };
    let mut seen = HashSet::new();
    for one in view.analysis.occurrences(view.source).filter(|one| one.in_head) {
        let Symbol::Predicate(name, arity) = &one.symbol else { continue };
        let predicate = Predicate::new(name, *arity);
        if let Some((count, _)) = findings.facts.get(&predicate).filter(|_| seen.insert(predicate)) {
            let goal = view.analysis.goal_of(name, *arity, view.syntax);
            shown.push(lens(one.span, counted(*count as usize, "fact"), "ask", Some(&goal)));
        }
    }
    for question in &findings.questions {
        let none = if view.analysis.analyzed.is_some() { "not answered in time" } else { "the rules have errors" };
        let answer = question.answer.as_deref().unwrap_or(none);
        shown.push(lens(question.span, answer.to_owned(), "ask", Some(&question.goal)));
    }
    Ok(Some(shown))
}

/// Behind sub-goals their modes, and behind heads what is asked of them.
pub fn hints(server: &mut Server, params: InRange) -> Result<Option<Vec<InlayHint>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let wanted = lines.byte(params.range.start)..lines.byte(params.range.end).saturating_add(1);
    let hint = |hint: ludolog_workspace::hints::Hint| InlayHint {
        position: lines.position(hint.at),
        label: InlayHintLabel::String(hint.text),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: Some(lsp_types::InlayHintTooltip::String(hint.meaning.to_owned())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    let hints = view.analysis.hints(view.source).into_iter().filter(|hint| wanted.contains(&hint.at));
    Ok(Some(hints.map(hint).collect()))
}

/// The range of a name in the text that it stands in.
pub fn range_of(server: &Server, view: &View, occurrence: &Occurrence) -> Range {
    let text = view.analysis.sources.get(occurrence.span.source).map_or("", |source| &source.text);
    Lines::new(text, server.encoding).range(occurrence.span.start as usize, occurrence.span.end as usize)
}
