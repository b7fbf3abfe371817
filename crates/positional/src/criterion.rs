//! The criterion of Erdős and Selfridge: Breaker wins if the sets are few and large.
//!
//! A winning set of which Maker lacks s points, and of which Breaker has none, weighs 2^-s. Breaker, who always takes the
//! point of the greatest weight, keeps Maker from claiming a set if all weights together are less than 1 with Breaker to
//! move, or less than 1/2 with Maker to move (Erdős and Selfridge, *On a combinatorial game*, 1973).

/// The weight of sets with these sizes in units of 2^-[`UNIT`], rounded up; `u128::MAX` if it exceeds what that can say.
/// It is exact for sizes up to `UNIT`.
pub fn weight(sizes: impl IntoIterator<Item = usize>) -> u128 {
    let units = |size: usize| 1u128 << UNIT.saturating_sub(size as u32);
    sizes.into_iter().fold(0, |sum: u128, size| sum.saturating_add(units(size)))
}

/// The exponent of the unit of [`weight`].
pub const UNIT: u32 = 96;

/// Whether Breaker wins by the criterion against sets of these sizes.
pub fn breaker_wins(sizes: impl IntoIterator<Item = usize>, maker_moves: bool) -> bool {
    weight(sizes) < 1 << (UNIT - u32::from(maker_moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_sharp_at_a_half() {
        assert!(!breaker_wins([4; 8], true));
        assert!(breaker_wins([4; 7], true));
        assert!(breaker_wins([4; 15], false));
        assert!(!breaker_wins([4; 16], false));
        assert!(!breaker_wins([0], false));
    }

    #[test]
    fn huge_sets_and_huge_sums_are_rounded_up() {
        assert_eq!(weight([1000]), 1);
        assert!(!breaker_wins([0; 1 << 10], false));
    }
}
