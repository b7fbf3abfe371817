//! Connections by the AND and OR rules: what they say is true.

mod brute;

use brute::holds;
use ludolog::hex::board::{Board, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::connection::{Connections, End, Kind, Limits, specification};
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Found = BTreeSet<(End, End, Kind, CellSet<1>)>;

/// What the engine derives of the position at once, and with the `late` of its stones added afterwards one by one.
fn derived(position: &Position, player: Player, limits: Limits, late: usize) -> [Found; 2] {
    let board = position.board();
    let stones: Vec<(Player, CellSet<1>)> = position.stones().map(|(owner, cell)| (owner, CellSet::of(cell))).collect();
    let (early, late) = stones.split_at(stones.len() - late.min(stones.len()));
    let of = |stones: &[(Player, CellSet<1>)], owner: Player| {
        let sets = stones.iter().filter(|stone| stone.0 == owner);
        sets.fold(CellSet::EMPTY, |all, &(_, cell)| all | cell)
    };
    let new = |stones| Connections::new(board, player, of(stones, player), of(stones, player.opponent()), limits);
    let mut grown = new(early);
    for &(owner, cell) in late {
        match owner == player {
            true => grown.add(cell, CellSet::EMPTY),
            false => grown.add(CellSet::EMPTY, cell),
        }
    }
    [new(&stones), grown].map(|connections| connections.iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

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

    /// The specification, the engine, and the engine stone by stone.
    #[test]
    fn specification_and_engine_agree(
        width in 1..6usize, height in 1..6usize, percent in 0..60usize, late in 0..4usize, seed: u64,
        carrier in 2..10usize, over_edges: bool,
    ) {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, board.len() * percent / 100, None, &mut Random::new(seed));
        // Whoever has won has nothing left to connect.
        prop_assume!(position.winner().is_none());
        let limits = Limits { carrier, over_edges, ..Limits::NONE };
        for player in Player::BOTH {
            let specified = specification::connections(&position, player, carrier, over_edges);
            let [at_once, one_by_one] = derived(&position, player, limits, late);
            prop_assert_eq!(&at_once, &specified, "{} for {}", &position, player);
            // Where the AND rule stops at edges, a stone that joins one hides what was known of it as an empty cell.
            if over_edges {
                prop_assert_eq!(&one_by_one, &specified, "{} for {}, the last {} added", &position, player, late);
            } else {
                for (x, y, kind, carrier) in specified {
                    let covers = |found: &(End, End, Kind, CellSet<1>)| {
                        (found.0, found.1) == (x, y) && found.2 <= kind && found.3.is_subset(&carrier)
                    };
                    prop_assert!(one_by_one.iter().any(covers), "{} lacks {:?} {:?}", &position, x, y);
                }
            }
        }
    }
}

#[test]
fn all_of_small_boards_agrees() {
    for (width, height) in [(3, 3), (4, 3), (3, 5), (4, 4)] {
        let position = Position::new(Board::new(width, height).unwrap());
        for over_edges in [false, true] {
            let limits = Limits { over_edges, ..Limits::NONE };
            let [at_once, _] = derived(&position, Player::Red, limits, 0);
            let specified = specification::connections(&position, Player::Red, width * height, over_edges);
            assert_eq!(at_once, specified, "{width}x{height}");
        }
    }
}
