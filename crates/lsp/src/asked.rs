//! The parameters of requests, as far as the server goes by them.
//!
//! `lsp_types` has a type for each request, most of them flattened from others. Reading one such type takes more machine code
//! than all of these.

use lsp_types::{Position, Range, TextDocumentIdentifier, Uri};
use serde::Deserialize;
use serde_json::Value;

/// A text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InText {
    pub text_document: TextDocumentIdentifier,
}

/// A place in a text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AtPlace {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
}

/// A range of a text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InRange {
    pub text_document: TextDocumentIdentifier,
    pub range: Range,
}

/// A name whose places are listed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Referenced {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    pub context: Wanted,
}

/// Which places of a name are listed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    pub include_declaration: bool,
}

/// A name and the one in its place.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Renamed {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    pub new_name: String,
}

/// Diagnostics for which fixes are wanted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToFix {
    pub text_document: TextDocumentIdentifier,
    pub context: Diagnosed,
}

/// Diagnostics of a text, which fixes have back as they came.
#[derive(Deserialize)]
pub struct Diagnosed {
    pub diagnostics: Vec<Value>,
}

/// Words that names hold.
#[derive(Deserialize)]
pub struct Named {
    pub query: String,
}

/// A predicate of a hierarchy.
#[derive(Deserialize)]
pub struct InHierarchy {
    pub item: HierarchyPlace,
}

/// The place at which a predicate of a hierarchy was found.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyPlace {
    pub uri: Uri,
    pub selection_range: Range,
}
