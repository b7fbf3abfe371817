//! Random bits for lanes.

use super::kernel::Block;

/// A generator of random blocks: xorshift128+ (S. Vigna, *Further scramblings of Marsaglia's xorshift generators*,
/// 2017), one for each word of a block.
pub struct RandomBlocks<const N: usize>([Block<N>; 2]);

impl<const N: usize> RandomBlocks<N> {
    /// A generator with this seed. Its words start apart by SplitMix64 (Steele, Lea and Flood, 2014).
    pub fn new(mut seed: u64) -> Self {
        let mut split_mix = || {
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = seed;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        RandomBlocks([Block(std::array::from_fn(|_| split_mix())), Block(std::array::from_fn(|_| split_mix()))])
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
