//! Which function answers which request.

use crate::place::Encoding;
use crate::server::{Refusal, Server};
use crate::{change, navigate, show};
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{self, Request as Kind};
use ludolog_syntax::budget::Stopped;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The error that the protocol has for answers to a text that has changed meanwhile.
const CONTENT_MODIFIED: i32 = -32801;

/// Answers a request of an open conversation.
pub fn answer(server: &mut Server, request: Request) -> Response {
    let id = request.id.clone();
    let method = request.method.clone();
    let answered = match method.as_str() {
        request::HoverRequest::METHOD => with(server, request, show::hover),
        request::Completion::METHOD => with(server, request, show::completion),
        request::SemanticTokensFullRequest::METHOD => with(server, request, show::semantic_tokens),
        request::FoldingRangeRequest::METHOD => with(server, request, show::folding),
        request::CodeLensRequest::METHOD => with(server, request, show::lenses),
        request::InlayHintRequest::METHOD => with(server, request, show::hints),
        request::GotoDefinition::METHOD => with(server, request, navigate::definition),
        request::References::METHOD => with(server, request, navigate::references),
        request::DocumentHighlightRequest::METHOD => with(server, request, navigate::highlights),
        request::DocumentLinkRequest::METHOD => with(server, request, navigate::links),
        request::DocumentSymbolRequest::METHOD => with(server, request, navigate::symbols),
        request::WorkspaceSymbolRequest::METHOD => with(server, request, navigate::workspace_symbols),
        request::CallHierarchyPrepare::METHOD => with(server, request, navigate::prepare_hierarchy),
        request::CallHierarchyIncomingCalls::METHOD => with(server, request, navigate::derived_with),
        request::CallHierarchyOutgoingCalls::METHOD => with(server, request, navigate::derived_from),
        request::PrepareRenameRequest::METHOD => with(server, request, change::prepare_rename),
        request::Rename::METHOD => with(server, request, change::rename),
        request::Formatting::METHOD => with(server, request, change::format),
        request::RangeFormatting::METHOD => with(server, request, change::format_range),
        request::OnTypeFormatting::METHOD => with(server, request, change::format_on_type),
        request::CodeActionRequest::METHOD => with(server, request, change::actions),
        unknown => Err((ErrorCode::MethodNotFound as i32, format!("`{unknown}` is not a request of this server"))),
    };
    match answered {
        Ok(value) => Response::new_ok(id, value),
        Err((code, words)) => Response::new_err(id, code, words),
    }
}

fn with<P: DeserializeOwned, R: Serialize>(
    server: &mut Server,
    request: Request,
    answer: impl FnOnce(&mut Server, P) -> Result<R, Refusal>,
) -> Result<Value, (i32, String)> {
    let params = serde_json::from_value(request.params)
        .map_err(|error| (ErrorCode::InvalidParams as i32, format!("{}: {error}", request.method)))?;
    let answer = answer(server, params).map_err(refused)?;
    serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError as i32, error.to_string()))
}

fn refused(refusal: Refusal) -> (i32, String) {
    match refusal {
        Refusal::Stopped(Stopped::Interrupted) => (CONTENT_MODIFIED, "the text has changed".into()),
        Refusal::Stopped(stopped) => (ErrorCode::RequestFailed as i32, stopped.to_string()),
        Refusal::Failed(words) => (ErrorCode::RequestFailed as i32, words),
    }
}

/// What the server can do.
pub fn welcome(encoding: Encoding) -> Value {
    const INCREMENTAL: u8 = 2;
    json!({
        "capabilities": {
            "positionEncoding": encoding.name(),
            "textDocumentSync": INCREMENTAL,
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": ["(", "?"] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentLinkProvider": {},
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "callHierarchyProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "codeLensProvider": {},
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "documentOnTypeFormattingProvider": { "firstTriggerCharacter": ".", "moreTriggerCharacter": [")"] },
            "renameProvider": { "prepareProvider": true },
            "foldingRangeProvider": true,
            "semanticTokensProvider": { "legend": show::legend(), "full": true },
            "inlayHintProvider": true,
        },
        "serverInfo": { "name": "ludolog", "version": env!("CARGO_PKG_VERSION") },
    })
}
