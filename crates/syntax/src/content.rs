//! Hashes of ground terms by content: the same in all processes, whatever numbers these give to terms.

use crate::ast::{Atom, Float, Term};

/// Mixes one more word into a hash (the finalizer of MurmurHash3, Appleby 2011).
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    let mut mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^= mixed >> 33;
    mixed = mixed.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

/// The hash of bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| mix(hash, word(chunk)))
}

/// The hash of an integer.
#[inline]
pub fn hash_integer(integer: i64) -> u64 {
    mix(1, integer as u64)
}

/// The hash of a float.
pub fn hash_float(float: Float) -> u64 {
    mix(4, float.get().to_bits())
}

/// The hash of a symbol.
pub fn hash_symbol(name: &str) -> u64 {
    mix(2, hash_bytes(name.as_bytes()))
}

/// The hash of a functor, into which those of its arguments are [mixed](mix), one after the other.
pub fn hash_functor(name: &str) -> u64 {
    mix(3, hash_bytes(name.as_bytes()))
}

/// The hash of a ground term.
pub fn hash_term(term: &Term) -> u64 {
    match term {
        Term::Integer(integer) => hash_integer(*integer),
        Term::Float(float) => hash_float(*float),
        Term::Symbol(name) | Term::Variable(name) => hash_symbol(name),
        Term::Compound(name, args) => hash_row(hash_functor(name), args.iter().map(hash_term)),
    }
}

/// The hash of a row whose terms have these hashes, mixed into that of what stands before it: 0 if that is nothing.
#[inline]
pub fn hash_row(before: u64, terms: impl Iterator<Item = u64>) -> u64 {
    terms.fold(before, mix)
}

/// The hash of a fact of the predicate of this name, whose arguments have these hashes.
#[inline]
pub fn hash_fact(predicate: &str, args: impl Iterator<Item = u64>) -> u64 {
    mix(hash_row(0, args), hash_bytes(predicate.as_bytes()))
}

/// The hash of a ground atom.
pub fn hash_atom(atom: &Atom) -> u64 {
    hash_fact(atom.predicate.text(), atom.args.iter().map(hash_term))
}
