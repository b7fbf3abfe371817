//! Connections by the AND and OR rules are connections in play.

use crate::binary;
use crate::brute::{holds, touch, with};
use crate::specification;
use ludolog::diagnostic::Sources;
use ludolog::engine;
use ludolog::hex::board::{Board, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::connection::complete::ConnectionQuestion;
use ludolog::hex::connection::{
    ConnectionEnd, ConnectionKind, ConnectionLimits, ConnectionRule, Connections, DerivationStep,
};
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Found = BTreeSet<(ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<1>)>;

/// The connections of the position, derived at once, and with the last `late` stones added one by one.
fn derived(position: &Position, player: Player, limits: ConnectionLimits, late: usize) -> [Found; 2] {
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
        if owner == player { grown.add(cell, CellSet::EMPTY) } else { grown.add(CellSet::EMPTY, cell) }
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
        // A won position has nothing left to connect.
        prop_assume!(position.winner().is_none());
        let limits = ConnectionLimits { carrier, over_edges, ..ConnectionLimits::NONE };
        for player in Player::BOTH {
            let specified = specification::connections(&position, player, carrier, over_edges);
            let [at_once, one_by_one] = derived(&position, player, limits, late);
            prop_assert_eq!(&at_once, &specified, "{} for {}", &position, player);
            // Without the AND rule over edges, a stone that joins an edge loses the connections of its empty cell.
            if over_edges {
                prop_assert_eq!(&one_by_one, &specified, "{} for {}, the last {} added", &position, player, late);
            } else {
                for (x, y, kind, carrier) in specified {
                    let covers = |found: &(ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<1>)| {
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
            let limits = ConnectionLimits { over_edges, ..ConnectionLimits::NONE };
            let [at_once, _] = derived(&position, Player::Red, limits, 0);
            let specified = specification::connections(&position, Player::Red, width * height, over_edges);
            assert_eq!(at_once, specified, "{width}x{height}");
        }
    }
}

fn sets(position: &Position, player: Player) -> [CellSet<1>; 2] {
    [player, player.opponent()].map(|owner| position.stones_of(owner).collect())
}

fn parse(text: &str) -> Position {
    Position::parse(text, Sources::new().add("test", text)).unwrap()
}

fn named(board: Board, names: &str) -> CellSet<1> {
    names.split_whitespace().map(|name| board.cell_of_name(name).unwrap()).collect()
}

fn question(
    position: &Position,
    player: Player,
    ends: [ConnectionEnd; 2],
    kind: ConnectionKind,
) -> ConnectionQuestion<1> {
    let [mine, theirs] = sets(position, player);
    ConnectionQuestion { board: position.board(), player, mine, theirs, ends: (ends[0], ends[1]), kind }
}

/// Ends of a player in a position: the edges, his stones, the empty cells.
fn ends(position: &Position, player: Player) -> Vec<ConnectionEnd> {
    let cells = position.board().cells().filter(|&cell| position.stone(cell) != Some(player.opponent()));
    [ConnectionEnd::FIRST, ConnectionEnd::LAST].into_iter().chain(cells.map(ConnectionEnd::Cell)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Exact search with memory against all lines of play, and its carriers are minimal.
    #[test]
    fn exact_search_is_exact(
        width in 2..5usize, height in 2..5usize, empty in 3..8usize, seed: u64, x: prop::sample::Index, y: prop::sample::Index,
    ) {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, board.len().saturating_sub(empty), None, &mut Random::new(seed));
        for player in Player::BOTH {
            let all = ends(&position, player);
            let ends = [*x.get(&all), *y.get(&all)];
            prop_assume!(ends[0] != ends[1]);
            for kind in [ConnectionKind::Full, ConnectionKind::Semi] {
                let question = question(&position, player, ends, kind);
                let holds = |cells: CellSet<1>| holds(&position, player, ends, kind, &cells.iter().collect::<Vec<_>>());
                let empty = position.empty_cells().filter(|&cell| !ends.contains(&ConnectionEnd::Cell(cell))).collect();
                let found = question.anywhere(&engine::Budget::unlimited()).unwrap().carrier;
                prop_assert_eq!(found.is_some(), holds(empty), "{} {} {:?} {}", &position, player, ends, kind);
                prop_assert_eq!(found.is_some(), question.within(empty, &engine::Budget::unlimited()).unwrap().carrier.is_some());
                if let Some(carrier) = found {
                    prop_assert!(holds(carrier), "{} {} {:?} {}: {:?}", &position, player, ends, kind, carrier);
                    for cell in carrier {
                        prop_assert!(!holds(carrier.without(cell)), "{} {} {:?} {}: {:?}", &position, player, ends, kind, carrier);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Every connection that the rules derive is one, and is derived by steps that obey them.
    #[test]
    fn derived_connections_are_true(width in 3..5usize, height in 3..5usize, percent in 10..60usize, seed: u64, over_edges: bool) {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, board.len() * percent / 100, None, &mut Random::new(seed));
        let limits = ConnectionLimits { over_edges, ..ConnectionLimits::NONE };
        for player in Player::BOTH {
            let [mine, theirs] = sets(&position, player);
            let connections = Connections::new(board, player, mine, theirs, limits);
            for (x, y, kind, carrier) in connections.iter() {
                let exact = question(&position, player, [x, y], kind).within(carrier, &engine::Budget::unlimited()).unwrap();
                prop_assert!(exact.carrier.is_some(), "{} {} {:?} {:?} {} {:?}", &position, player, x, y, kind, carrier);
                let steps = connections.derive(x, y, kind, carrier);
                prop_assert!(steps.is_some(), "{} {} {:?} {:?} {} {:?}", &position, player, x, y, kind, carrier);
                check(&position, player, &steps.unwrap(), over_edges);
            }
        }
    }

    /// Limits drop connections, but add none.
    #[test]
    fn limits_only_lose(percent in 0..50usize, seed: u64, fulls in 1..4usize, semis in 1..6usize, alternatives in 2..4usize, carrier in 2..12usize) {
        let board = Board::new(4, 4).unwrap();
        let position = scatter(board, board.len() * percent / 100, None, &mut Random::new(seed));
        let limits = ConnectionLimits { fulls, semis, alternatives, carrier, over_edges: true, templates: false };
        for player in Player::BOTH {
            let [mine, theirs] = sets(&position, player);
            let all = Connections::new(board, player, mine, theirs, ConnectionLimits::NONE);
            for (x, y, kind, carrier) in Connections::new(board, player, mine, theirs, limits).iter() {
                let covers = |kind| all.carriers(x, y, kind).any(|smaller| smaller.is_subset(&carrier));
                prop_assert!(covers(ConnectionKind::Full) || kind == ConnectionKind::Semi && covers(ConnectionKind::Semi), "{} {:?} {:?}", &position, x, y);
            }
        }
    }

    /// Several stones of both players at once.
    #[test]
    fn stones_may_come_together(width in 3..5usize, height in 3..5usize, before in 0..4usize, added in 1..6usize, seed: u64) {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, before + added, None, &mut Random::new(seed));
        prop_assume!(position.winner().is_none());
        let mut random = Random::new(seed);
        for player in Player::BOTH {
            let [mine, theirs] = sets(&position, player);
            let late: CellSet<1> = (mine | theirs).iter().filter(|_| random.below(before + added) >= before).collect();
            let mut grown = Connections::new(board, player, mine - late, theirs - late, ConnectionLimits::NONE);
            grown.add(mine & late, theirs & late);
            let at_once: Found = Connections::new(board, player, mine, theirs, ConnectionLimits::NONE).iter().collect();
            prop_assert_eq!(grown.iter().collect::<Found>(), at_once, "{} for {}, late {:?}", &position, player, late);
        }
    }
}

/// Asserts that each step follows by its rule from earlier ones.
fn check(position: &Position, player: Player, steps: &[DerivationStep<1>], over_edges: bool) {
    let board = position.board();
    let neighbors = |x: ConnectionEnd, y: ConnectionEnd| touch(board, player, x, y);
    let is_ours = |end: ConnectionEnd| end.cell().is_none_or(|cell| position.stone(cell) == Some(player));
    // All that is one group with an end.
    let group = |end: ConnectionEnd| {
        let mut group = vec![end];
        let mut rest: Vec<ConnectionEnd> =
            ends(position, player).into_iter().filter(|&other| is_ours(other) && other != end).collect();
        let mut at = 0;
        while is_ours(end) && at < group.len() {
            let (joined, others) =
                rest.into_iter().partition::<Vec<ConnectionEnd>, _>(|&other| neighbors(group[at], other));
            group.extend(joined);
            rest = others;
            at += 1;
        }
        group
    };
    let contains = |carrier: CellSet<1>, end: ConnectionEnd| end.cell().is_some_and(|cell| carrier.contains(cell));
    for (number, step) in steps.iter().enumerate() {
        assert!(step.from.iter().all(|&from| from < number), "{position}{steps:?}");
        let from: Vec<&DerivationStep<1>> = step.from.iter().map(|&from| &steps[from]).collect();
        let union = from.iter().fold(CellSet::EMPTY, |all, premise| all | premise.carrier);
        let (x, y) = step.ends;
        let is_right = match (step.rule, &from[..]) {
            (ConnectionRule::Adjacent, []) => {
                let touch = group(x).iter().any(|&x| group(y).iter().any(|&y| neighbors(x, y)));
                touch && step.kind == ConnectionKind::Full && step.carrier.is_empty()
            }
            (ConnectionRule::And(middle), [one, other]) => {
                let far = |step: &DerivationStep<1>| if step.ends.0 == middle { step.ends.1 } else { step.ends.0 };
                let meet = [one, other].iter().all(|step| step.ends.0 == middle || step.ends.1 == middle);
                let outer = [far(one), far(other)];
                let apart = one.carrier.is_disjoint(&other.carrier)
                    && !contains(one.carrier, outer[1])
                    && !contains(other.carrier, outer[0]);
                let (kind, carrier) = match middle.cell() {
                    Some(cell) if !is_ours(middle) => (ConnectionKind::Semi, union.with(cell)),
                    _ => (one.kind.max(other.kind), union),
                };
                let fulls = [one, other].iter().filter(|step| step.kind == ConnectionKind::Full).count();
                meet && apart
                    && (outer == [x, y] || outer == [y, x])
                    && (fulls == 2 || fulls == 1 && is_ours(middle))
                    && (over_edges || middle.cell().is_some())
                    && (step.kind, step.carrier) == (kind, carrier)
            }
            (ConnectionRule::Or, [first, ..]) => {
                let common = from.iter().fold(first.carrier, |common, premise| common & premise.carrier);
                let same = from.iter().all(|premise| premise.ends == (x, y) || premise.ends == (y, x));
                same && common.is_empty() && (step.kind, step.carrier) == (ConnectionKind::Full, union)
            }
            _ => false,
        };
        assert!(is_right, "{position}{player}, step {number} of {steps:#?}");
    }
}

/// A semi-connection that the rules cannot prove, built to the description of figure 2 of van Rijswijck's *Search and
/// evaluation in Hex* (after Anshelevich), with the property of `bxya` in HexWiki's *AND and OR rules*: the only moves
/// that join b2 and c5 are c2 and b4, in either order. After c2 Blue has to take d3, and Red's only answer is b4; if
/// Blue then takes c3, the chain runs over a3, and c2 is not part of it. So no AND rule with c2 as its middle applies.
const UNPROVED: &str = include_str!("positions/beyond-and-or.txt");

#[test]
fn the_rules_do_not_prove_all() {
    let position = parse(UNPROVED);
    let board = position.board();
    let [b2, c5] = ["b2", "c5"].map(|name| ConnectionEnd::Cell(board.cell_of_name(name).unwrap()));
    let [mine, theirs] = sets(&position, Player::Red);
    let rules = Connections::new(board, Player::Red, mine, theirs, ConnectionLimits::NONE);
    assert_eq!(
        rules.carriers(b2, c5, ConnectionKind::Full).chain(rules.carriers(b2, c5, ConnectionKind::Semi)).count(),
        0
    );
    assert!(specification::connections(&position, Player::Red, 7, true).iter().all(|&(x, y, ..)| (x, y) != (b2, c5)));

    let decide = |position: &Position, kind| {
        question(position, Player::Red, [b2, c5], kind).anywhere(&engine::Budget::unlimited()).unwrap().carrier
    };
    let carrier = named(board, "c2 a3 c3 d3 b4 c4 b5");
    assert_eq!(decide(&position, ConnectionKind::Semi), Some(carrier));
    assert_eq!(decide(&position, ConnectionKind::Full), None);
    // The properties of the description.
    let wins_by = |position: &Position| -> CellSet<1> {
        position
            .empty_cells()
            .filter(|&cell| decide(&with(position, Player::Red, cell), ConnectionKind::Full).is_some())
            .collect()
    };
    let after = |moves: &[(Player, &str)]| {
        moves.iter().fold(position.clone(), |position, &(player, name)| {
            with(&position, player, board.cell_of_name(name).unwrap())
        })
    };
    assert_eq!(wins_by(&position), named(board, "c2 b4"));
    let forced = after(&[(Player::Red, "c2"), (Player::Blue, "d3")]);
    assert_eq!(wins_by(&forced), named(board, "b4"));
    let cut = after(&[(Player::Red, "c2"), (Player::Blue, "d3"), (Player::Red, "b4"), (Player::Blue, "c3")]);
    assert_eq!(wins_by(&cut), named(board, "a3"));
}

/// The worked example 4.1.6 of Walderhaug's thesis, on a position of our own with the structure of its figure 4.5: Red
/// to move, Blue wins, for both edges x and y have bridges to two empty cells u₁ and u₂. By OR these bridges are full
/// connections (x, A₁, u₁), (x, A₂, u₂), (y, B₁, u₁), (y, B₂, u₂), by AND over each u a semi-connection, by OR a full
/// one.
#[test]
fn two_ways_over_two_cells() {
    let position = parse("R R .\n . . .\n  . R .\n   . . .\n    . R R\n");
    let board = position.board();
    let [mine, theirs] = sets(&position, Player::Blue);
    let connections = Connections::new(board, Player::Blue, mine, theirs, ConnectionLimits::NONE);
    let carriers: Vec<_> =
        connections.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Full).collect();
    let whole = named(board, "a2 a3 b2 c1 c2 a4 a5 b4 c3 c4");
    assert_eq!(carriers, [whole]);

    let steps = connections.derive(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Full, whole).unwrap();
    let premises = |step: &DerivationStep<1>| step.from.iter().map(|&from| steps[from].clone()).collect::<Vec<_>>();
    let last = steps.last().unwrap();
    assert_eq!((last.rule, last.kind, last.carrier), (ConnectionRule::Or, ConnectionKind::Full, whole));
    let mut found = Vec::new();
    for semi in premises(last) {
        assert_eq!(semi.kind, ConnectionKind::Semi);
        let ConnectionRule::And(ConnectionEnd::Cell(u)) = semi.rule else { panic!("{semi:?}") };
        for bridge in premises(&semi) {
            assert_eq!((bridge.rule, bridge.kind), (ConnectionRule::Or, ConnectionKind::Full));
            let edge = if bridge.ends.0 == ConnectionEnd::Cell(u) { bridge.ends.1 } else { bridge.ends.0 };
            found.push((edge.name(board, Player::Blue), board.name(u), bridge.carrier));
        }
    }
    found.sort();
    let expected =
        [("left", "b2", "a2 a3"), ("left", "b4", "a4 a5"), ("right", "b2", "c1 c2"), ("right", "b4", "c3 c4")];
    assert_eq!(found, expected.map(|(edge, u, carrier)| (edge.to_owned(), u.to_owned(), named(board, carrier))));
}

/// More time does not make a region smaller.
#[test]
fn a_region_that_is_too_large_is_told_without_advice_about_time() {
    let args = ["hex", "connections", "9x9", "--player", "red", "--between", "top", "bottom", "--complete"];
    let told = binary::ludolog(".", &args).assert().code(2).get_output().stderr.clone();
    let told = String::from_utf8(told).expect("text");
    assert!(told.contains("81 cells are too many to search, 64 the most; name fewer cells with --within"), "{told}");
    assert!(!told.contains("--timeout"), "{told}");
}
