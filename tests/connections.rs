//! Connections by the AND and OR rules: what they say is true.

mod brute;

use brute::holds;
use ludolog::hex::board::{Board, Player};
use ludolog::hex::connection::specification;
use ludolog::hex::random::{Random, scatter};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_specification_is_sound(stones in 0..5usize, seed: u64, over_edges: bool) {
        let board = Board::new(3, 3).unwrap();
        let position = scatter(board, stones, None, &mut Random::new(seed));
        for player in Player::BOTH {
            for (x, y, kind, carrier) in specification::connections(&position, player, 9, over_edges) {
                let cells: Vec<_> = carrier.iter().collect();
                prop_assert!(holds(&position, player, [x, y], kind, &cells), "{x:?} {y:?} {kind} {carrier:?}");
            }
        }
    }
}
