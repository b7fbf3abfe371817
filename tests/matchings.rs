//! Matching sets that cover winning sets, and positional games solved with them and without.

use ludolog::engine::Budget;
use ludolog::positional::matching::{Configuration, Cover, CoverTarget, MatchingPart, check, cover, cover_game};
use ludolog::positional::strong::{StrongOutcome, solve};
use ludolog::positional::{Hypergraph, Player, Point, PointBoard, Points, Position};
use proptest::prelude::*;

fn sets(board: &str) -> Vec<Points> {
    PointBoard::parse_mnk(board).unwrap().hypergraph().unwrap().as_bits().unwrap()
}

fn found(sets: &[Points], effort: CoverTarget) -> Option<Vec<MatchingPart>> {
    cover(sets, effort, &Budget::unlimited()).unwrap()
}

fn sizes(matching: &[MatchingPart]) -> Vec<usize> {
    let mut sizes: Vec<usize> = matching.iter().map(|part| part.markers().len()).collect();
    sizes.sort_unstable();
    sizes
}

/// Section 4.2 of the paper: two BiTriangles take all 16 squares of the empty 4x4 board.
#[test]
fn two_bitriangles_cover_empty_4x4() {
    let bitriangle = Configuration::named().into_iter().filter(|configuration| configuration.name == "BiTriangle");
    let mut cover = Cover::new(bitriangle.collect());
    let found = cover.find(&sets("4x4x4"), CoverTarget::Configurations, &Budget::unlimited()).unwrap();
    assert_eq!(sizes(&found.expect("a matching")), [8, 8]);
}

/// Beyond the paper: one FlatStar and four pairs do so as well.
#[test]
fn a_flat_star_and_pairs_cover_empty_4x4() {
    assert_eq!(found(&sets("4x4x4"), CoverTarget::Pairing), None);
    assert_eq!(sizes(&found(&sets("4x4x4"), CoverTarget::Configurations).expect("a matching")), [2, 2, 2, 2, 8]);
    assert!(found(&sets("4x4x4"), CoverTarget::Search).is_some());
}

/// Twelve lines of nine in a row of twenty have less than 24 points, but neighbors have eight in common.
#[test]
fn overlapping_sets_are_covered_by_what_they_have_in_common() {
    let matching = found(&sets("20x1x9"), CoverTarget::Pairing).expect("a pairing");
    assert!(matching.len() < 12, "{matching:?}");
}

#[test]
fn what_maker_wins_has_no_matching() {
    // Three in a row on 3x4 is a win of the first player.
    assert_eq!(found(&sets("3x4x3"), CoverTarget::Search), None);
    assert_eq!(found(&[Points([1])], CoverTarget::Search), None);
    assert_eq!(found(&[], CoverTarget::Pairing), Some(Vec::new()));
}

/// Boards of 4x4 among up to 2,000 points: each needs matching sets.
#[test]
fn boards_side_by_side_are_covered_in_sets_of_any_width() {
    let board = PointBoard::parse_mnk("4x4x4").unwrap().hypergraph().unwrap();
    for (copies, apart) in [(2, 16), (2, 130), (3, 200), (4, 500)] {
        let moved = |copy: usize| {
            let by = (copy * apart) as Point;
            board.sets().iter().map(move |set| set.iter().map(|point| point + by).collect::<Vec<Point>>())
        };
        let sets: Vec<Vec<Point>> = (0..copies).flat_map(moved).collect();
        let names = (0..copies * apart).map(|point| point.to_string()).collect();
        let game = Hypergraph::new(names, sets.clone()).unwrap();
        let find = |effort| cover_game(&game, &sets, effort, &Budget::unlimited()).unwrap();
        assert_eq!(find(CoverTarget::Pairing), None);
        let matching = find(CoverTarget::Configurations).expect("a matching");
        assert_eq!(check(&matching, &sets, |_| true), Ok(()));
        assert!(sizes(&matching).contains(&8), "{copies} boards {apart} apart");
    }
}

const CUTOFFS: [Option<CoverTarget>; 4] =
    [None, Some(CoverTarget::Pairing), Some(CoverTarget::Configurations), Some(CoverTarget::Search)];

/// All lines of play, by definition: 1 if X wins, -1 if O wins, 0 for a draw.
fn brute(position: &Position) -> i8 {
    match position.winner() {
        Some(Player::X) => return 1,
        Some(Player::O) => return -1,
        None => {}
    }
    let free = (0..position.game().len() as Point).filter(|&point| position.mark(point).is_none());
    let values = free.map(|point| {
        let mut next = position.clone();
        next.claim(position.to_move, point);
        next.to_move = position.to_move.opponent();
        brute(&next)
    });
    let value = match position.to_move {
        Player::X => values.max(),
        Player::O => values.min(),
    };
    value.unwrap_or(0)
}

proptest! {
    #[test]
    fn all_cutoffs_agree_with_all_lines_of_play(
        sets in prop::collection::vec(prop::collection::btree_set(0u32..7, 1..5), 1..8),
        marks in prop::collection::vec((0u32..7, any::<bool>()), 0..4),
        x_moves: bool,
    ) {
        let names = (0..7).map(|point| point.to_string()).collect();
        let game = Hypergraph::new(names, sets.into_iter().map(|set| set.into_iter().collect()).collect()).unwrap();
        let mut position = Position::new(game);
        for (point, is_x) in marks {
            position.claim(if is_x { Player::X } else { Player::O }, point);
        }
        position.to_move = if x_moves { Player::X } else { Player::O };
        let expected = match brute(&position) {
            1 => StrongOutcome::Win(Player::X),
            -1 => StrongOutcome::Win(Player::O),
            _ => StrongOutcome::Draw,
        };
        for cutoff in CUTOFFS {
            prop_assert_eq!(solve(&position, cutoff, &Budget::unlimited()).unwrap().outcome, expected, "{:?}", cutoff);
        }
    }
}

fn outcome(board: PointBoard, cutoff: Option<CoverTarget>) -> StrongOutcome {
    let position = Position::new(board.hypergraph().unwrap());
    solve(&position, cutoff, &Budget::unlimited()).unwrap().outcome
}

#[test]
fn boards_have_their_published_values() {
    let mnk = |text| PointBoard::parse_mnk(text).unwrap();
    for cutoff in CUTOFFS {
        assert_eq!(outcome(mnk("3x3x3"), cutoff), StrongOutcome::Draw);
        assert_eq!(outcome(mnk("3x4x3"), cutoff), StrongOutcome::Win(Player::X));
        assert_eq!(outcome(mnk("4x4x3"), cutoff), StrongOutcome::Win(Player::X));
        assert_eq!(outcome(mnk("2x6x2"), cutoff), StrongOutcome::Win(Player::X));
        assert_eq!(outcome(PointBoard::parse_cube("3^3").unwrap(), cutoff), StrongOutcome::Win(Player::X));
    }
    for cutoff in &CUTOFFS[1..] {
        assert_eq!(outcome(mnk("4x4x4"), *cutoff), StrongOutcome::Draw);
        assert_eq!(outcome(mnk("5x5x5"), *cutoff), StrongOutcome::Draw);
    }
}

#[test]
fn empty_4x4_is_one_node_with_matching_sets() {
    let position = Position::new(PointBoard::parse_mnk("4x4x4").unwrap().hypergraph().unwrap());
    let nodes = |effort| solve(&position, Some(effort), &Budget::unlimited()).unwrap().nodes;
    assert!(nodes(CoverTarget::Pairing) > 1);
    assert_eq!((nodes(CoverTarget::Configurations), nodes(CoverTarget::Search)), (1, 1));
}
