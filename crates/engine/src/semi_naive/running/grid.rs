//! Totals of the rows in a part of an order whose values of another column are within limits.
//!
//! The rows are in blocks, and those in larger ones, of each the values sorted and the sums of what belongs to them. A part consists of a few blocks of each
//! size and of a few rows at its ends; in a block the values within limits stand next to each other (the range tree with sorted lists: J. L. Bentley,
//! *Decomposable searching problems*, Information Processing Letters 1979). n rows take O(n · log n) time and memory, and a part O(log² n) time.

use crate::aggregate::PlainTotal;
use crate::term::{Limit, order, side};
use crate::value::{Interner, Value};
use std::ops::Range;

/// The rows of the smallest blocks. To test as many takes no longer than to find one's way in some blocks.
const LEAF: usize = 32;

/// The blocks that are one of the next size.
const FANOUT: usize = 8;

/// Blocks of a size.
struct Level {
    width: usize,
    values: Vec<Value>,
    /// By row, the sum of what belongs to the values of its block up to its own; none if all is 0.
    sums: Vec<i64>,
}

/// The rows under a key, in an order, with a term of each.
pub struct Grid {
    rows: Vec<(Value, i64)>,
    levels: Vec<Level>,
}

/// The number and the sum of the terms of rows.
#[derive(Default)]
struct GridTotal {
    count: u64,
    sum: i64,
}

impl Level {
    /// Adds the rows of a block within limits.
    fn add_block(&self, block: usize, limits: &[Limit], interner: &Interner, total: &mut GridTotal) {
        let start = block * self.width;
        let values = &self.values[start..start + self.width];
        let first = values.partition_point(|value| side(limits, *value, interner).is_lt());
        let count = values[first..].partition_point(|value| side(limits, *value, interner).is_eq());
        total.count += count as u64;
        if let (1.., Some(sums)) = (count, self.sums.get(start..start + self.width)) {
            let before = first.checked_sub(1).map_or(0, |last| sums[last]);
            total.sum += sums[first + count - 1] - before;
        }
    }
}

impl Grid {
    /// The grid of rows, of which the magnitudes of all terms together fit 64 bits.
    pub fn of(rows: Vec<(Value, i64)>, interner: &Interner) -> Grid {
        let has_terms = rows.iter().any(|(_, term)| *term != 0);
        let mut levels = Vec::new();
        let mut sorted = rows.clone();
        let mut width = LEAF;
        while width <= rows.len() {
            // From the second size on, blocks consist of sorted ones, which a stable sort merges.
            let mut sums = Vec::new();
            for block in sorted.chunks_exact_mut(width) {
                block.sort_by(|a, b| order(a.0, b.0, interner));
                if has_terms {
                    let terms = block.iter().map(|(_, term)| *term);
                    sums.extend(terms.scan(0, |sum, term| {
                        *sum += term;
                        Some(*sum)
                    }));
                }
            }
            levels.push(Level { width, values: sorted.iter().map(|row| row.0).collect(), sums });
            width *= FANOUT;
        }
        Grid { rows, levels }
    }

    /// Whether the row at a place is within limits.
    pub fn is_within(&self, place: usize, limits: &[Limit], interner: &Interner) -> bool {
        side(limits, self.rows[place].0, interner).is_eq()
    }

    /// The rows of a part within limits.
    pub fn within(&self, part: Range<usize>, limits: &[Limit], interner: &Interner) -> PlainTotal {
        let mut total = GridTotal::default();
        self.add_part(&self.levels, part, limits, interner, &mut total);
        PlainTotal::of(total.count, total.sum)
    }

    fn add_part(
        &self,
        levels: &[Level],
        part: Range<usize>,
        limits: &[Limit],
        interner: &Interner,
        total: &mut GridTotal,
    ) {
        let Some((level, smaller)) = levels.split_last() else {
            for &(value, term) in &self.rows[part] {
                if side(limits, value, interner).is_eq() {
                    total.count += 1;
                    total.sum += term;
                }
            }
            return;
        };
        let blocks = part.start.div_ceil(level.width)..part.end / level.width;
        if blocks.is_empty() {
            return self.add_part(smaller, part, limits, interner, total);
        }
        self.add_part(smaller, part.start..blocks.start * level.width, limits, interner, total);
        self.add_part(smaller, blocks.end * level.width..part.end, limits, interner, total);
        blocks.for_each(|block| level.add_block(block, limits, interner, total));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{LimitTemplate, Template};
    use ludolog_syntax::ast::Comparator;

    /// Parts of few and of many rows, within limits of both sides, against a loop over them.
    #[test]
    fn totals_within_limits_are_those_of_a_loop() {
        let interner = Interner::new();
        let small = |n: usize| Value::small_integer(n as i64).expect("it is small");
        for len in [0, 1, 31, 32, 33, 300, 2_048, 5_000] {
            let value = |row: usize| row * 7_919 % 101;
            let grid = Grid::of((0..len).map(|row| (small(value(row)), row as i64 - 90)).collect(), &interner);
            for [from, to] in
                [[0, len], [0, len / 2], [len / 3, len], [len / 3, len / 3 + len / 40], [len / 2, len / 2]]
            {
                for [least, greatest] in [[0, 200], [20, 60], [60, 20], [50, 50], [0, 0]] {
                    let limit = |comparator, n| {
                        let template = Template::Constant(small(n));
                        let limit = LimitTemplate { comparator, template, of_integers: false };
                        Limit::of(&limit, &[], &interner).expect("it is a number")
                    };
                    let limits = [limit(Comparator::GreaterOrEqual, least), limit(Comparator::LessOrEqual, greatest)];
                    let passing = (from..to).filter(|&row| (least..=greatest).contains(&value(row)));
                    let [count, sum] = passing.fold([0, 0], |[count, sum], row| [count + 1, sum + row as i64 - 90]);
                    let found = grid.within(from..to, &limits, &interner);
                    assert_eq!(found, PlainTotal::of(count as u64, sum), "{len}: {from}..{to}, {least}..{greatest}");
                }
            }
        }
    }
}
