//! Which function answers which request.

use crate::place::Encoding;
use crate::server::{Refusal, Server};
use crate::{change, navigate, show};
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{self, Request as Kind};
use lsp_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DocumentLinkOptions, DocumentOnTypeFormattingOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeResult, OneOf, RenameOptions, SemanticTokensFullOptions, SemanticTokensOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
};
use ludolog_syntax::budget::Stopped;
use serde_json::Value;

/// The error that the protocol has for answers to a text that has changed meanwhile.
const CONTENT_MODIFIED: i32 = -32801;

/// Answers a request of an open conversation.
pub fn answer(server: &mut Server, request: Request) -> Response {
    let id = request.id.clone();
    let params = request.params;
    let answered = match request.method.as_str() {
        request::HoverRequest::METHOD => with::<request::HoverRequest>(server, params, show::hover),
        request::Completion::METHOD => with::<request::Completion>(server, params, show::completion),
        request::SemanticTokensFullRequest::METHOD => {
            with::<request::SemanticTokensFullRequest>(server, params, show::semantic_tokens)
        }
        request::FoldingRangeRequest::METHOD => with::<request::FoldingRangeRequest>(server, params, show::folding),
        request::CodeLensRequest::METHOD => with::<request::CodeLensRequest>(server, params, show::lenses),
        request::InlayHintRequest::METHOD => with::<request::InlayHintRequest>(server, params, show::hints),
        request::GotoDefinition::METHOD => with::<request::GotoDefinition>(server, params, navigate::definition),
        request::References::METHOD => with::<request::References>(server, params, navigate::references),
        request::DocumentHighlightRequest::METHOD => {
            with::<request::DocumentHighlightRequest>(server, params, navigate::highlights)
        }
        request::DocumentLinkRequest::METHOD => with::<request::DocumentLinkRequest>(server, params, navigate::links),
        request::DocumentSymbolRequest::METHOD => {
            with::<request::DocumentSymbolRequest>(server, params, navigate::symbols)
        }
        request::WorkspaceSymbolRequest::METHOD => {
            with::<request::WorkspaceSymbolRequest>(server, params, navigate::workspace_symbols)
        }
        request::CallHierarchyPrepare::METHOD => {
            with::<request::CallHierarchyPrepare>(server, params, navigate::prepare_hierarchy)
        }
        request::CallHierarchyIncomingCalls::METHOD => {
            with::<request::CallHierarchyIncomingCalls>(server, params, navigate::derived_with)
        }
        request::CallHierarchyOutgoingCalls::METHOD => {
            with::<request::CallHierarchyOutgoingCalls>(server, params, navigate::derived_from)
        }
        request::PrepareRenameRequest::METHOD => {
            with::<request::PrepareRenameRequest>(server, params, change::prepare_rename)
        }
        request::Rename::METHOD => with::<request::Rename>(server, params, change::rename),
        request::Formatting::METHOD => with::<request::Formatting>(server, params, change::format),
        request::RangeFormatting::METHOD => with::<request::RangeFormatting>(server, params, change::format_range),
        request::OnTypeFormatting::METHOD => with::<request::OnTypeFormatting>(server, params, change::format_on_type),
        request::CodeActionRequest::METHOD => with::<request::CodeActionRequest>(server, params, change::actions),
        unknown => Err((ErrorCode::MethodNotFound as i32, format!("`{unknown}` is not a request of this server"))),
    };
    match answered {
        Ok(value) => Response::new_ok(id, value),
        Err((code, words)) => Response::new_err(id, code, words),
    }
}

fn with<R: Kind>(
    server: &mut Server,
    params: Value,
    answer: impl FnOnce(&mut Server, R::Params) -> Result<R::Result, Refusal>,
) -> Result<Value, (i32, String)> {
    let params = serde_json::from_value(params)
        .map_err(|error| (ErrorCode::InvalidParams as i32, format!("{}: {error}", R::METHOD)))?;
    match answer(server, params) {
        Ok(answer) => {
            serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError as i32, error.to_string()))
        }
        Err(Refusal::Stopped(Stopped::Interrupted)) => Err((CONTENT_MODIFIED, "the text has changed".into())),
        Err(Refusal::Stopped(stopped)) => Err((ErrorCode::RequestFailed as i32, stopped.to_string())),
        Err(Refusal::Failed(words)) => Err((ErrorCode::RequestFailed as i32, words)),
    }
}

/// What the server can do.
pub fn welcome(encoding: Encoding) -> Value {
    let on_type = DocumentOnTypeFormattingOptions {
        first_trigger_character: ".".into(),
        more_trigger_character: Some(vec![")".into()]),
    };
    let semantic_tokens = SemanticTokensOptions {
        legend: show::legend(),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..Default::default()
    };
    let fixes = CodeActionOptions { code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]), ..Default::default() };
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding.name()),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["(".into(), "?".into()]),
            ..Default::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: Default::default(),
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(fixes)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: None }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(on_type),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(semantic_tokens.into()),
        inlay_hint_provider: Some(OneOf::Left(true)),
        ..Default::default()
    };
    let info = ServerInfo { name: "ludolog".into(), version: Some(env!("CARGO_PKG_VERSION").into()) };
    // A structure of strings and flags is always a JSON value.
    serde_json::to_value(InitializeResult { capabilities, server_info: Some(info) }).unwrap_or_default()
}
