//! Inverse roots of numbers of visits.

/// The inverse roots of numbers of visits, which a choice needs for each move: found once for most moves.
pub struct Rarity(Box<[f32]>);

impl Rarity {
    /// Visits whose inverse root is kept.
    const KEPT: u32 = 1 << 10;

    /// The roots of few visits.
    pub fn new() -> Rarity {
        Rarity((0..Rarity::KEPT).map(Rarity::find).collect())
    }

    fn find(visits: u32) -> f32 {
        1.0 / (visits.max(1) as f32).sqrt()
    }

    /// The inverse root of a number of visits; 1 for none.
    pub fn of(&self, visits: u32) -> f32 {
        self.0.get(visits as usize).copied().unwrap_or_else(|| Rarity::find(visits))
    }
}
