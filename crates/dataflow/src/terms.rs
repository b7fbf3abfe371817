//! Ground terms of one worker.
//!
//! Rows hold 32-bit ids of an interner, and every worker has one of its own: no locks, and no agreement on numbers.
//! Between workers a term goes as its content, small integers as they are. So what travels needs no dictionary, and a
//! process that has never seen a term understands it. The owner of a row is found by a hash of contents.

use ludolog_engine::value::{Functor, IdTable, Interner, Value};
use ludolog_syntax::ast::{Float, Name};
use ludolog_syntax::content::{hash_float, hash_functor, hash_integer, hash_row, hash_symbol, mix};
use std::cell::RefCell;

/// The terms of a worker.
#[derive(Default)]
pub struct Terms {
    /// The ids.
    pub interner: Interner,
    /// The hash of the content; 0 is unknown.
    hashes: IdTable<u64>,
}

thread_local! {
    /// Serialization and hashing have no other way to the terms than through the thread.
    static TERMS: RefCell<Terms> = RefCell::default();
}

/// Calls `act` with the terms of this thread, which must not ask for them again.
#[inline]
pub fn with_terms<A>(act: impl FnOnce(&mut Terms) -> A) -> A {
    TERMS.with_borrow_mut(act)
}

/// The hash of a row of terms of this thread.
#[inline]
pub fn hash_cells(cells: &[Value]) -> u64 {
    let small = |hash: u64, cell: &Value| Some(mix(hash, hash_integer(cell.as_small_integer()?)));
    match cells.iter().try_fold(0, small) {
        Some(hash) => hash,
        None => with_terms(|terms| terms.hash_row(cells)),
    }
}

impl Terms {
    /// The hash of the content of a term, the same in all processes.
    pub fn hash(&mut self, value: Value) -> u64 {
        if let Some(integer) = value.as_small_integer() {
            return hash_integer(integer);
        }
        let known = *self.hashes.entry(value);
        if known != 0 {
            return known;
        }
        let hash = if let Some(integer) = self.interner.as_integer(value) {
            hash_integer(integer)
        } else if let Some(float) = self.interner.as_float(value) {
            hash_float(float)
        } else if let Some(name) = self.interner.as_symbol(value) {
            hash_symbol(name)
        } else {
            let (functor, parts) = self.interner.as_compound(value).expect("a compound");
            let functor = hash_functor(self.interner.functor_name(functor).0);
            let parts = parts.to_vec();
            hash_row(functor, parts.into_iter().map(|part| self.hash(part)))
        };
        *self.hashes.entry(value) = hash;
        hash
    }

    /// The hash of a row of terms.
    pub fn hash_row(&mut self, row: &[Value]) -> u64 {
        hash_row(0, row.iter().map(|&value| self.hash(value)))
    }
}

/// The first byte of a term: what follows.
const SMALL: u8 = 0;
const INTEGER: u8 = 1;
const SYMBOL: u8 = 2;
const COMPOUND: u8 = 3;
const FLOAT: u8 = 4;

/// Rows as bytes that mean the same to everybody.
#[derive(Clone, Debug, Default)]
pub struct PackedRows {
    /// The number of rows.
    pub rows: usize,
    bytes: Vec<u8>,
}

impl PackedRows {
    /// Adds a row of terms of this interner.
    pub fn push(&mut self, row: &[Value], interner: &Interner) {
        self.rows += 1;
        row.iter().for_each(|&value| encode(value, interner, &mut self.bytes));
    }

    /// Calls `visit` with every row of this many terms, as ids of the interner.
    pub fn for_each(&self, arity: usize, interner: &mut Interner, mut visit: impl FnMut(&[Value], &mut Interner)) {
        let mut bytes = &self.bytes[..];
        let mut row = Vec::with_capacity(arity);
        for _ in 0..self.rows {
            row.clear();
            row.extend((0..arity).map(|_| decode(&mut bytes, interner)));
            visit(&row, interner);
        }
    }
}

/// Adds the content of a term to `bytes`: arguments follow their functor.
pub fn encode(value: Value, interner: &Interner, bytes: &mut Vec<u8>) {
    fn text(name: &Name, bytes: &mut Vec<u8>) {
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    if value.as_small_integer().is_some() {
        bytes.push(SMALL);
        bytes.extend(value.0.to_le_bytes());
        return;
    }
    // Terms nest deep, so that a walk by recursion would need a large stack.
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if value.as_small_integer().is_some() {
            bytes.push(SMALL);
            bytes.extend(value.0.to_le_bytes());
        } else if let Some(integer) = interner.as_integer(value) {
            bytes.push(INTEGER);
            bytes.extend(integer.to_le_bytes());
        } else if let Some(float) = interner.as_float(value) {
            bytes.push(FLOAT);
            bytes.extend(float.get().to_le_bytes());
        } else if let Some(name) = interner.as_symbol(value) {
            bytes.push(SYMBOL);
            text(name, bytes);
        } else if let Some((functor, parts)) = interner.as_compound(value) {
            let (name, arity) = interner.functor_name(functor);
            bytes.push(COMPOUND);
            text(name, bytes);
            bytes.extend((arity as u32).to_le_bytes());
            rest.extend(parts.iter().rev());
        }
    }
}

/// The id of the term at the beginning of `bytes`, which go on behind it.
///
/// # Panics
///
/// If no [`encode`] has written them.
pub fn decode(bytes: &mut &[u8], interner: &mut Interner) -> Value {
    /// Takes an array from the beginning.
    fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
        let (taken, rest) = bytes.split_first_chunk().expect("a whole term");
        *bytes = rest;
        *taken
    }
    fn text(bytes: &mut &[u8]) -> Name {
        let length = u32::from_le_bytes(take(bytes)) as usize;
        let (text, rest) = bytes.split_at(length);
        *bytes = rest;
        Name::from(std::str::from_utf8(text).expect("text"))
    }
    let mut open: Vec<(Functor, usize, Vec<Value>)> = Vec::new();
    loop {
        let [kind] = take(bytes);
        let mut value = match kind {
            SMALL => Value(u32::from_le_bytes(take(bytes))),
            INTEGER => interner.integer(i64::from_le_bytes(take(bytes))),
            FLOAT => interner.float(Float::new(f64::from_le_bytes(take(bytes))).expect("a finite number")),
            SYMBOL => interner.symbol(&text(bytes)),
            _ => {
                let name = text(bytes);
                let arity = u32::from_le_bytes(take(bytes)) as usize;
                open.push((interner.functor(&name, arity), arity, Vec::with_capacity(arity)));
                continue;
            }
        };
        loop {
            let Some((functor, arity, parts)) = open.last_mut() else { return value };
            parts.push(value);
            if parts.len() < *arity {
                break;
            }
            value = interner.compound(*functor, parts);
            open.pop();
        }
    }
}
