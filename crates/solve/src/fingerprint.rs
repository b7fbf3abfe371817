//! Numbers that tell games apart.

use crate::shard::hash;
use ludolog_propnet::Net;
use ludolog_syntax::ast::Term;
use ludolog_syntax::{Syntax, print_term};

/// A hash of bytes, the same in all processes. Files of values and checkpoints hold it: it cannot become that of
/// `ludolog_syntax::content` while they are to be read.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).fold(bytes.len() as u64, |before, chunk| hash(&[before, word(chunk)]))
}

/// A number that differs for nets of other rulesheets, and for nets that number their facts differently. It depends on texts
/// alone, as they are printed: neither on the gates, which stay what they are under any other way to make them, nor on types.
pub(crate) fn fingerprint(net: &Net) -> u64 {
    let text = |term: &Term| print_term(term, Syntax::Kif);
    let mut lines = vec![net.rulesheet.to_string()];
    lines.extend(net.facts.iter().map(|fact| format!("fact {}", text(&fact.term))));
    lines.extend(net.constants.iter().map(|term| format!("constant {}", text(term))));
    lines.extend(net.opposites.iter().map(|(term, of)| format!("opposite {of} {}", text(term))));
    for role in &net.roles {
        lines.push(format!("role {}", text(&role.term)));
        lines.extend(role.moves.iter().map(|made| format!("move {}", text(&made.term))));
    }
    lines.iter().fold(0, |before, line| hash(&[before, hash_bytes(line.as_bytes())]))
}
