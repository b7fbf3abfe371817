//! Sorting in little machine code.
//!
//! The standard library's sorts are compiled for each type and each order, some 4 kB every time. Here the numbers of the items
//! are sorted, by one function for all types, and the items then put in their places by exchanges along the cycles of the
//! permutation. That costs a call for each comparison, and is for lists that are sorted once in a run or for a message; loops
//! sort by the standard library.

use std::cmp::Ordering;

/// Sorts for lists that are sorted seldom. All of them keep the order of equal items.
pub trait ColdSort<T> {
    /// Sorts by an order.
    fn cold_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Sorts by the order of the type.
    fn cold_sort(&mut self)
    where
        T: Ord,
    {
        self.cold_sort_by(T::cmp);
    }

    /// Sorts by a key, which is computed for each comparison.
    fn cold_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.cold_sort_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> ColdSort<T> for [T] {
    fn cold_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        if self.len() < 2 {
            return;
        }
        let order = sorted_numbers(self.len(), &|a, b| compare(&self[a], &self[b]));
        arrange(order, &mut |a, b| self.swap(a, b));
    }
}

/// The numbers below a count, in an order of theirs.
#[inline(never)]
fn sorted_numbers(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Exchanges items until each place has the item whose number the order gives for it.
#[inline(never)]
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lists of up to seven items with three keys. Their numbers show whether equal keys keep their order.
    #[test]
    fn items_are_sorted_and_equal_ones_keep_their_order() {
        for length in 0..=7_u32 {
            for list in 0..3_u32.pow(length) {
                let mut items: Vec<(u32, String)> =
                    (0..length).map(|i| (list / 3_u32.pow(i) % 3, i.to_string())).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|(key, _)| *key);
                items.cold_sort_by_key(|(key, _)| *key);
                assert_eq!(items, expected);
                expected.sort_by(|(_, a), (_, b)| b.cmp(a));
                items.cold_sort_by(|(_, a), (_, b)| b.cmp(a));
                assert_eq!(items, expected);
                expected.sort();
                items.cold_sort();
                assert_eq!(items, expected);
            }
        }
    }
}
