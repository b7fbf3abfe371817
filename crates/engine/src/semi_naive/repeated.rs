//! Rows that are equal to earlier ones, found among many at once.
//!
//! A hash table of millions of rows waits for memory at each of them. Here rows are first parted by their hashes, so that those of a part are
//! told apart in the cache (after the partitioned hash join of Shatdal, Kant and Naughton, *Cache conscious algorithms for relational query
//! processing*, VLDB 1994).

use super::lists::Lists;
use super::members::hash;
use crate::value::Value;

/// The rows of a part, about: their table is in the first caches.
const ROWS_PER_PART: usize = 1 << 12;

/// Most parts: writes to more of them miss the translation look-aside buffer.
const MOST_PARTS: usize = 1 << 10;

/// A row of a part.
#[derive(Clone, Copy, Default)]
struct HashedRow {
    hash: u32,
    number: u32,
}

/// A bit for each row that is equal to an earlier one, and the number of these rows. The rows stand one after the other.
pub fn repeated_rows(cells: &[Value], arity: usize) -> (Vec<u64>, usize) {
    let rows = cells.len() / arity;
    let parted = parted(cells, arity, rows);
    let mut repeated = vec![0; rows.div_ceil(64)];
    let mut count = 0;
    // The place of a row in the part, counted from one; nothing in a slot that is free.
    let mut slots: Vec<u32> = Vec::new();
    for part in (0..parted.len()).map(|part| parted.list(part)) {
        let size = (2 * part.len()).next_power_of_two();
        slots.clear();
        slots.resize(size, 0);
        for (place, row) in (1..).zip(part) {
            let mut slot = row.hash as usize & (size - 1);
            let is_repeated = loop {
                let Some(other) = (slots[slot] as usize).checked_sub(1).map(|place| part[place]) else { break false };
                if other.hash == row.hash && at(cells, other.number, arity) == at(cells, row.number, arity) {
                    break true;
                }
                slot = (slot + 1) & (size - 1);
            };
            if is_repeated {
                repeated[row.number as usize / 64] |= 1 << (row.number % 64);
                count += 1;
            } else {
                slots[slot] = place;
            }
        }
    }
    (repeated, count)
}

/// Rows with the halves of their hashes, by parts.
fn parted(cells: &[Value], arity: usize, rows: usize) -> Lists<HashedRow> {
    let parts = (rows / ROWS_PER_PART).clamp(1, MOST_PARTS).next_power_of_two();
    let hashed = (0..).zip(cells.chunks_exact(arity)).map(|(number, row)| {
        let hash = hash(row);
        // Tables take the low bits of a hash, parts the high ones.
        let part = ((hash >> 32) * parts as u64) >> 32;
        (part as usize, HashedRow { hash: hash as u32, number })
    });
    Lists::grouped(parts, hashed)
}

fn at(cells: &[Value], number: u32, arity: usize) -> &[Value] {
    &cells[number as usize * arity..(number as usize + 1) * arity]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Rows at random of so many ids, which a set tells apart.
    #[test]
    fn rows_that_came_before_are_repeated() {
        for (arity, rows, ids) in
            [(1, 100, 60), (1, 70_000, 50_000), (2, 70_000, 300), (3, 20_000, 1 << 20), (5, 9_000, 5)]
        {
            let mut state = 7u64;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                Value(((state >> 33) as u32) % ids)
            };
            let cells: Vec<Value> = (0..rows * arity).map(|_| random()).collect();
            let (repeated, count) = repeated_rows(&cells, arity);
            let mut seen = HashSet::new();
            for (number, row) in cells.chunks_exact(arity).enumerate() {
                let is_repeated = repeated[number / 64] >> (number % 64) & 1 == 1;
                assert_eq!(is_repeated, !seen.insert(row), "row {number} of {rows} of {ids} ids");
            }
            assert_eq!(count, rows - seen.len());
        }
    }
}
