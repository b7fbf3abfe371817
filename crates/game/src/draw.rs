//! The random numbers by which playouts choose moves.

/// The numbers of a seed: Knuth's MMIX generator, of which the high bits are good. The corpus of rulesheets draws by it, too, and
/// holds what it drew, as benchmark positions of Hex hold what SplitMix64 drew (`hex::random`): neither replaces the other.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// A number below `n`.
    ///
    /// # Panics
    ///
    /// When `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}
