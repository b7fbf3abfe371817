//! Lists that stand one after the other in memory.

/// Numbered lists.
#[derive(Default)]
pub struct Lists<T> {
    /// Where each list ends.
    pub ends: Vec<usize>,
    pub items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// The items that come with the numbers of their lists, which are less than `lists`; those of one in their order. The pairs are gone through
    /// twice: to count them, and to put them in their places.
    pub fn grouped(lists: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Lists<T> {
        let mut ends = vec![0; lists];
        pairs.clone().for_each(|(list, _)| ends[list] += 1);
        let mut count = 0;
        // Each is where its list begins, until its items have come.
        ends.iter_mut().for_each(|end| (count, *end) = (count + *end, count));
        let mut items = vec![T::default(); count];
        for (list, item) in pairs {
            let end = &mut ends[list];
            items[*end] = item;
            *end += 1;
        }
        Lists { ends, items }
    }

    #[inline]
    pub fn list(&self, list: usize) -> &[T] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.items[start..self.ends[list]]
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<usize>() + self.items.capacity() * size_of::<T>()
    }
}
