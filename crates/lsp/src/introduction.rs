//! What a client tells of itself in its first request, as far as the server goes by it.
//!
//! The fields are looked up one by one. A client describes itself in some four hundred fields, and code that reads all of
//! them would be a fifth of this room's.

use lsp_types::Uri;
use serde_json::Value;

/// The requests that ask a client to ask again for lenses and hints, each with the field that says whether it takes them.
const REFRESHES: [(&str, &str); 2] = [
    ("/capabilities/workspace/codeLens/refreshSupport", "workspace/codeLens/refresh"),
    ("/capabilities/workspace/inlayHint/refreshSupport", "workspace/inlayHint/refresh"),
];

/// A client, and the folders that it has opened.
pub struct Introduction {
    /// Whether columns may be counted in bytes.
    pub takes_utf8: bool,
    /// The open folders.
    pub folders: Vec<Uri>,
    /// The requests by which the client is asked to ask again.
    pub refreshes: Vec<&'static str>,
}

impl Introduction {
    /// Reads the parameters of `initialize`.
    ///
    /// # Errors
    ///
    /// A description if there are no capabilities, or a folder is not given by a URI.
    pub fn read(params: &Value) -> Result<Introduction, String> {
        if !params["capabilities"].is_object() {
            return Err("missing field `capabilities`".into());
        }
        let encodings = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        // Older clients name one folder.
        let folders = match params["workspaceFolders"].as_array() {
            Some(folders) => folders.iter().map(|folder| uri(&folder["uri"])).collect(),
            None if params["rootUri"].is_null() => Ok(Vec::new()),
            None => uri(&params["rootUri"]).map(|root| vec![root]),
        };
        let takes = |field: &str| params.pointer(field) == Some(&Value::Bool(true));
        Ok(Introduction {
            takes_utf8: encodings.is_some_and(|offered| offered.iter().any(|one| one == "utf-8")),
            folders: folders?,
            refreshes: REFRESHES.iter().filter(|(field, _)| takes(field)).map(|&(_, method)| method).collect(),
        })
    }
}

fn uri(value: &Value) -> Result<Uri, String> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| format!("{value} is no URI"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(params: Value) -> Result<(bool, Vec<String>, Vec<&'static str>), String> {
        let client = Introduction::read(&params)?;
        Ok((client.takes_utf8, client.folders.iter().map(|uri| uri.to_string()).collect(), client.refreshes))
    }

    /// The fields are those of `InitializeParams`, `ClientCapabilities` and `WorkspaceFolder` in version 3.17 of the protocol.
    #[test]
    fn a_client_is_read_by_the_fields_of_the_protocol() {
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-32", "utf-8"] },
            "workspace": { "codeLens": { "refreshSupport": false }, "inlayHint": { "refreshSupport": true } },
        });
        let folders = json!([{ "uri": "file:///a", "name": "a" }, { "uri": "file:///b", "name": "b" }]);
        let both = json!({ "capabilities": capabilities, "rootUri": "file:///old", "workspaceFolders": folders });
        let folders = vec!["file:///a".to_owned(), "file:///b".to_owned()];
        assert_eq!(read(both), Ok((true, folders, vec!["workspace/inlayHint/refresh"])));
        let old = json!({ "capabilities": {}, "rootUri": "file:///old", "workspaceFolders": null });
        assert_eq!(read(old), Ok((false, vec!["file:///old".to_owned()], Vec::new())));
        assert_eq!(read(json!({ "capabilities": {}, "rootUri": null })), Ok((false, Vec::new(), Vec::new())));
    }

    #[test]
    fn a_client_without_capabilities_or_with_folders_that_are_none_is_refused() {
        assert!(read(json!({ "rootUri": "file:///old" })).is_err());
        assert!(read(json!({ "capabilities": {}, "workspaceFolders": [{ "name": "a" }] })).is_err());
        assert!(read(json!({ "capabilities": {}, "rootUri": 7 })).is_err());
    }
}
