//! Numbers that tell games apart.

use crate::shard::hash;
use ludolog_propnet::Net;
use std::fmt::{self, Write};

/// A hash of bytes, the same in all processes.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).fold(bytes.len() as u64, |before, chunk| hash(&[before, word(chunk)]))
}

/// A hash of what is written to it.
struct Hasher(u64);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = hash(&[self.0, hash_bytes(text.as_bytes())]);
        Ok(())
    }
}

/// A number that differs for nets that number their facts differently, or that play differently.
pub(crate) fn fingerprint(net: &Net) -> u64 {
    let Net { graph, facts, constants, opposites, roles, terminal } = net;
    let mut hasher = Hasher(0);
    let (nodes, closures) = (graph.nodes(), graph.closures());
    let written = write!(hasher, "{nodes:?} {closures:?} {facts:?} {constants:?} {opposites:?} {roles:?} {terminal:?}");
    written.expect("a hasher takes all text");
    hasher.0
}
