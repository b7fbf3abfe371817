//! Random bits for lanes.

use super::kernel::Block;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A generator of random blocks: xorshift128+ (S. Vigna, *Further scramblings of Marsaglia's xorshift generators*,
/// 2017), one for each word of a block.
pub struct RandomBlocks<const N: usize>([Block<N>; 2]);

impl<const N: usize> RandomBlocks<N> {
    /// A generator with this seed. Its words start apart by SplitMix64 (Steele, Lea and Flood, 2014).
    pub fn new(seed: u64) -> Self {
        let mut words = SplitMix64::seed_from_u64(seed);
        RandomBlocks(std::array::from_fn(|_| Block(std::array::from_fn(|_| words.next_u64()))))
    }

    /// A random bit for each lane.
    #[inline(always)]
    pub fn bits(&mut self) -> Block<N> {
        let [first, second] = &mut self.0;
        let mut bits = Block::NONE;
        for i in 0..N {
            let mut x = first.0[i];
            let y = second.0[i];
            bits.0[i] = x.wrapping_add(y);
            x ^= x << 23;
            first.0[i] = y;
            second.0[i] = x ^ y ^ (x >> 18) ^ (y >> 5);
        }
        bits
    }
}
