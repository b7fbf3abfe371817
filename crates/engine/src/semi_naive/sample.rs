//! Fan-outs of literals, estimated from a sample of the rows, for the order in which a round joins a body.

use super::relation::Relation;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Atom, Name, Term};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::Hasher;

/// Most rows of a relation that are looked at. Orders change the work by powers of the sizes, so a rough estimate does.
const SAMPLE: usize = 32;

/// Estimates the rows of `relation` that match `atom` for each binding of the variables that are `bound`.
///
/// The distinct bindings of a sample are scaled as in Charikar, Chaudhuri, Motwani and Narasayya, *Towards estimation
/// error guarantees for distinct values*, PODS 2000.
pub fn fan_out(atom: &Atom, bound: &dyn Fn(&Name) -> bool, relation: &Relation, interner: &mut Interner) -> f64 {
    let stride = relation.len().div_ceil(SAMPLE).max(1);
    let mut seen = 0u32;
    let mut matching = 0u32;
    // By hash, which needs no memory for each: that two keys share one would hardly change an estimate.
    let mut keys: FxHashMap<u64, u32> = FxHashMap::with_capacity_and_hasher(SAMPLE, FxBuildHasher);
    // By argument that is a variable: whether it is bound, asked once and not for each row.
    let is_bound = |arg: &Term| match arg {
        Term::Variable(name) => Some(bound(name)),
        _ => None,
    };
    let variables: Vec<Option<bool>> = atom.args.iter().map(is_bound).collect();
    for row in (0..relation.len()).step_by(stride).filter(|&row| !relation.is_removed(row)) {
        seen += 1;
        let mut key = FxHasher::default();
        let cells = relation.row(row);
        let matches = atom.args.iter().zip(&variables).zip(cells).all(|((arg, variable), &cell)| match variable {
            Some(is_bound) => {
                if *is_bound {
                    key.write_u32(cell.0);
                }
                true
            }
            None => read(arg, cell, bound, interner, &mut key),
        });
        if matches {
            matching += 1;
            *keys.entry(key.finish()).or_default() += 1;
        }
    }
    if matching == 0 {
        // Rows that the sample has missed are fewer than one of it stands for.
        return 0.0;
    }
    let rows = relation.live() as f64 * f64::from(matching) / f64::from(seen);
    let scale = rows / f64::from(matching);
    let once = keys.values().filter(|&&count| count == 1).count() as f64;
    let distinct = scale.sqrt() * once + keys.len() as f64 - once;
    rows / distinct
}

/// Whether a value matches the constants and functors of a term; adds the values of its bound variables to `key`.
fn read(term: &Term, value: Value, bound: &dyn Fn(&Name) -> bool, interner: &mut Interner, key: &mut FxHasher) -> bool {
    match term {
        Term::Variable(name) => {
            if bound(name) {
                key.write_u32(value.0);
            }
            true
        }
        Term::Compound(name, args) => {
            let functor = interner.functor(name, args.len());
            let Some((found, parts)) = interner.as_compound(value) else { return false };
            let parts = parts.to_vec();
            found == functor && args.iter().zip(parts).all(|(arg, part)| read(arg, part, bound, interner, key))
        }
        Term::Integer(_) | Term::Symbol(_) => interner.ground(term) == value,
    }
}
