//! Ages of playouts: a number for each lane, one block for each binary digit.

use super::kernel::Block;

/// A number for each lane.
#[derive(Default)]
pub struct Ages<const N: usize> {
    /// The digits, lowest first.
    digits: Vec<Block<N>>,
}

impl<const N: usize> Ages<N> {
    /// Adds one on these lanes, in two digits on the average.
    #[inline(always)]
    pub fn increment(&mut self, lanes: Block<N>) {
        let mut carry = lanes;
        for digit in &mut self.digits {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
            if carry.is_none() {
                return;
            }
        }
        if !carry.is_none() {
            self.digits.push(carry);
        }
    }

    /// Sets the numbers of these lanes to zero.
    #[inline(always)]
    pub fn clear(&mut self, lanes: Block<N>) {
        self.digits.iter_mut().for_each(|digit| *digit = digit.without(lanes));
    }

    /// The sum of the numbers of these lanes.
    pub fn sum(&self, lanes: Block<N>) -> u64 {
        (0..).zip(&self.digits).map(|(place, &digit)| (digit & lanes).count() << place).sum()
    }
}
