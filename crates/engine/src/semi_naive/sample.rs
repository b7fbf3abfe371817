//! Fan-outs of literals, estimated from a sample of the rows, for the order in which a round joins a body.

use super::relation::Relation;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Atom, Name, Term};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Rows of a relation that are looked at first. Orders change the work by powers of the sizes, so a rough estimate does.
const SAMPLE: usize = 32;

/// Rows that are looked at where the first hardly repeat a binding: how many bindings there are is what they do not tell.
const LARGE_SAMPLE: usize = 512;

/// A large sample has at most one of so many rows: where there are few, no order takes long.
const LARGEST_SHARE: usize = 8;

/// The bindings that a sample should have twice.
const FEWEST_TWICE: usize = 4;

/// Estimates the rows of `relation` that match `atom` for each binding of the variables that are `bound`.
///
/// The distinct bindings of a sample are scaled as in A. Chao, *Nonparametric estimation of the number of classes in a
/// population*, Scandinavian Journal of Statistics 11, 1984: by those that it has once, and those that it has twice.
pub fn fan_out(atom: &Atom, bound: &dyn Fn(&Name) -> bool, relation: &Relation, interner: &mut Interner) -> f64 {
    let sample = Sample::of(atom, bound, relation, SAMPLE, interner);
    let large = LARGE_SAMPLE.min(relation.len() / LARGEST_SHARE);
    let tells = large < 2 * SAMPLE || sample.keys.is_empty() || sample.twice() >= FEWEST_TWICE;
    let sample = if tells { sample } else { Sample::of(atom, bound, relation, large, interner) };
    if sample.keys.is_empty() {
        // Rows that the sample has missed are fewer than one of it stands for.
        return 0.0;
    }
    let rows = relation.live() as f64 * sample.keys.len() as f64 / sample.seen as f64;
    rows / sample.distinct().min(rows)
}

/// The bindings of some rows.
struct Sample {
    /// The number of rows.
    seen: usize,
    /// The bindings of those that match, sorted: by hash, since that two share one would hardly change an estimate.
    keys: Vec<u64>,
    /// Whether these are all rows.
    is_whole: bool,
}

impl Sample {
    fn of(
        atom: &Atom,
        bound: &dyn Fn(&Name) -> bool,
        relation: &Relation,
        most: usize,
        interner: &mut Interner,
    ) -> Self {
        let stride = relation.len().div_ceil(most).max(1);
        let mut seen = 0;
        let mut keys = Vec::with_capacity(most);
        // What a row tells: the values of variables that are bound, asked once and not for each row, and whether it
        // matches the other arguments.
        let tells = |arg: &Term| !matches!(arg, Term::Variable(name) if !bound(name));
        let telling: Vec<(usize, &Term)> = atom.args.iter().enumerate().filter(|(_, arg)| tells(arg)).collect();
        for row in (0..relation.len()).step_by(stride).filter(|&row| !relation.is_removed(row)) {
            seen += 1;
            let mut key = FxHasher::default();
            let cells = relation.row(row);
            let matches = telling.iter().all(|&(column, arg)| match arg {
                Term::Variable(_) => {
                    key.write_u32(cells[column].0);
                    true
                }
                _ => read(arg, cells[column], bound, interner, &mut key),
            });
            if matches {
                keys.push(key.finish());
            }
        }
        keys.sort_unstable();
        Sample { seen, keys, is_whole: stride == 1 }
    }

    /// The number of bindings that it has so many times.
    fn with_count(&self, count: usize) -> usize {
        self.keys.chunk_by(|a, b| a == b).filter(|same| same.len() == count).count()
    }

    fn twice(&self) -> usize {
        self.with_count(2)
    }

    /// The estimated number of bindings in all rows.
    fn distinct(&self) -> f64 {
        let observed = self.keys.chunk_by(|a, b| a == b).count() as f64;
        let once = self.with_count(1) as f64;
        let others = if self.is_whole { 0.0 } else { once * (once - 1.0) / (2.0 * (self.twice() as f64 + 1.0)) };
        observed + others.max(0.0)
    }
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
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => interner.ground(term) == value,
    }
}
