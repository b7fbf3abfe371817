//! Small sets of numbered things: the variables and the literals of a clause.

/// A set of numbers below a bound that is fixed when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)])
    }

    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] & (1 << (i % 64)) != 0
    }

    pub fn extend(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn is_subset(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub fn intersects(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_more_than_one_word() {
        let (mut a, mut b) = (Bits::new(130), Bits::new(130));
        a.insert(3);
        b.insert(129);
        assert!(!a.intersects(&b) && !a.is_subset(&b));
        b.extend(&a);
        assert!(a.is_subset(&b) && a.intersects(&b) && b.contains(129) && !a.contains(129));
        assert_eq!((a.len(), b.len(), Bits::new(0).is_empty()), (1, 2, true));
    }
}
