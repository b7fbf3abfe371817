//! The catalogue as text.
//!
//! ```text
//! template 2x3
//! bridge bottom b2 a3 b3
//! ```
//!
//! Each template is the size of the board that it is proved on, and the lines of its proof as a
//! [certificate](mod@crate::certificate::text) has them, numbered as there. `#` begins a comment.

use super::EdgeTemplate;
use crate::board::Board;
use crate::certificate::{Inference, Unfounded};
use std::fmt::Write;

/// The text of the catalogue.
pub(super) const CATALOGUE: &str = include_str!("catalogue.txt");

/// The word before the size of a template's board.
const HEAD: &str = "template ";

/// Reads a catalogue: each template, or why it is none. Text before the first one is passed over.
pub fn read(text: &str) -> Vec<Result<EdgeTemplate, Unfounded>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).peekable();
    let mut templates = Vec::new();
    while let Some(line) = lines.next() {
        let Some(size) = line.strip_prefix(HEAD) else { continue };
        let mut proof = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with(HEAD)) {
            proof.push(line);
        }
        templates.push(template(size, &proof));
    }
    templates
}

fn template(size: &str, proof: &[&str]) -> Result<EdgeTemplate, Unfounded> {
    let board: Board = size.parse().map_err(|_| Unfounded::new(format!("`{size}` is no size of a board")))?;
    let parse = |line: &&str| Inference::parse(line, board, EdgeTemplate::PLAYER).map_err(Unfounded::new);
    EdgeTemplate::new(board, proof.iter().map(parse).collect::<Result<Vec<Inference>, Unfounded>>()?)
}

/// Writes templates so that [`read`] reads them.
pub fn to_text(templates: &[EdgeTemplate]) -> String {
    let mut text = String::new();
    for template in templates {
        let _ = writeln!(text, "{HEAD}{}", template.board());
        for step in template.steps() {
            let _ = writeln!(text, "{}", step.to_text(template.board(), EdgeTemplate::PLAYER));
        }
    }
    text
}
