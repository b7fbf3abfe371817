//! Known results about the family of connection games, found by our own solvers.
//!
//! Sources: Hayward and Toft, *Hex: the full story* (2019), as cited by Walderhaug, *Hex* (2022), chapters 3, 5 and 8;
//! for k in a row Uiterwijk and van den Herik, *The advantage of the initiative* (2000).

use crate::games;
use ludolog::engine::Budget;
use ludolog::game::{Draw, Role, State, StateMachine, StateMachineExt};
use ludolog::player::{AlphaBeta, GameReasoner};
use ludolog::propnet::NetMachine;
use ludolog::solve::solve;
use ludolog::syntax::ast::Term;
use std::num::NonZero;
use std::time::Duration;

/// The goal of the first role under best play from the beginning, by labels of all states.
fn solved(name: &str) -> i64 {
    let machine = NetMachine::new(&games::net(&format!("std:games/{name}.kif")), Budget::unlimited());
    let two = NonZero::new(2).expect("two threads");
    let solution = solve(&machine, two, None, &Budget::unlimited(), &mut |_| {});
    assert_eq!(solution.ended, None, "{name}");
    solution.initial().and_then(|label| label.value).expect("the first state has a value")
}

/// The exact goal of the first role under best play from a state, by alpha-beta search.
struct Searcher {
    search: AlphaBeta,
}

impl Searcher {
    fn new(name: &str) -> Searcher {
        let rules = GameReasoner::of_net(games::net(&format!("std:games/{name}.kif")));
        let game = rules.game(&Budget::unlimited()).expect("there is no limit");
        Searcher { search: AlphaBeta::new(game, Role(0), Default::default()) }
    }

    fn machine(&mut self) -> &mut dyn StateMachine {
        ludolog::player::Player::machine(&mut self.search)
    }

    fn value(&mut self, state: &State) -> i64 {
        let goals = self.machine().goals(state).expect("there is no limit");
        if self.machine().is_terminal(state).expect("there is no limit") {
            return goals[0].expect("a goal");
        }
        let budget = Budget::unlimited().with_timeout(Duration::from_secs(300));
        let report = self.search.search(state, &budget).expect("it searches");
        assert!(report.proven, "the value is not exact");
        report.value.expect("a value") as i64
    }
}

/// The exact goal of the first role after these moves.
fn searched(name: &str, moves: &[&str]) -> i64 {
    let mut searcher = Searcher::new(name);
    let state = games::after(searcher.machine(), moves);
    searcher.value(&state)
}

/// Strategy stealing: nobody but the first player can win Hex on n×n (5×5 is with the solver of Hex).
#[test]
fn the_first_player_wins_hex_on_a_square() {
    assert_eq!([1, 2, 3].map(|n| solved(&format!("hex-{n}x{n}"))), [100; 3]);
    assert_eq!(searched("hex-4x4", &[]), 100);
    // With the right to swap, it is the second player.
    assert_eq!([2, 3].map(|n| solved(&format!("hex-swap-{n}x{n}"))), [0; 2]);
    assert_eq!([2, 3].map(|n| solved(&format!("y-swap-{n}"))), [0; 2]);
}

/// A pairing lets the side with the shorter way win n×(n+1), as the second player as well.
#[test]
fn the_shorter_way_wins_hex() {
    // Red begins, and joins the first row to the last.
    for (columns, rows, value) in [(2, 3, 0), (3, 4, 0), (3, 2, 100), (4, 3, 100)] {
        assert_eq!(searched(&format!("hex-{columns}x{rows}"), &[]), value, "{columns}x{rows}");
    }
}

/// Theorems 8.6.1 and 8.6.3: on n×n Rex the first player wins exactly if n is even, and on others the side whose way is
/// longer.
#[test]
fn rex_goes_by_parity() {
    assert_eq!([1, 2, 3].map(|n| solved(&format!("rex-{n}x{n}"))), [0, 100, 0]);
    for (columns, rows, value) in [(2, 3, 100), (3, 2, 0), (3, 4, 100), (4, 3, 0)] {
        assert_eq!(searched(&format!("rex-{columns}x{rows}"), &[]), value, "{columns}x{rows}");
    }
    // Lemma 8.1.2: if the last cell is not played, nobody need lose.
    assert_eq!([2, 3].map(|n| solved(&format!("trex-{n}x{n}"))), [50; 2]);
}

/// The acute corner loses as the first move (theorem 5.2.1), so the second player chooses it in Beck's Hex.
#[test]
fn the_second_player_wins_becks_hex() {
    assert_eq!([2, 3].map(|n| solved(&format!("hex-beck-{n}x{n}"))), [0; 2]);
}

/// Who joins top and bottom wins on a cylinder of even circumference, and on one of three (Huneke, Hayward and Toft,
/// 2014).
#[test]
fn top_to_bottom_wins_on_cylinders() {
    for (around, height) in [(3, 2), (3, 3), (4, 2), (4, 3)] {
        assert_eq!(searched(&format!("hex-cylinder-{around}x{height}"), &[]), 100, "{around}x{height}");
    }
}

/// Nobody but the first player can win Y; the center is a winning opening, and a corner of this size is not.
#[test]
fn the_first_player_wins_y() {
    assert_eq!([2, 3, 4].map(|n| solved(&format!("y-{n}"))), [100; 3]);
    assert_eq!(searched("y-4", &["(place b3)"]), 100);
    assert_eq!(["a1", "a4", "d4"].map(|corner| searched("y-4", &[&format!("(place {corner})")])), [0; 3]);
}

/// A stone more never hurts its owner, whoever is to move.
#[test]
fn a_stone_more_never_hurts() {
    let mut draw = Draw::new(7);
    for name in ["y-4", "hex-cylinder-3x3", "hex-4.8.8-2x1"] {
        let mut searcher = Searcher::new(name);
        for _ in 0..12 {
            let machine = searcher.machine();
            let mut state = machine.initial_state().clone();
            for _ in 0..draw.below(5) {
                let joint = machine.legal_joint_moves(&state).expect("there is no limit");
                let joint: Vec<_> = joint.collect();
                let next = machine.next_state(&state, &joint[draw.below(joint.len())]).expect("there is no limit");
                if !machine.is_terminal(&next).expect("there is no limit") {
                    state = next;
                }
            }
            let facts = machine.facts(&state);
            let legal = machine.legal_terms(&state).expect("there is no limit");
            let cells = legal.iter().flat_map(|(_, moves)| moves).filter_map(|made| match made {
                Term::Compound(_, args) => args.first().cloned(),
                _ => None,
            });
            let cells: Vec<Term> = cells.collect();
            let cell = &cells[draw.below(cells.len())];
            let value = searcher.value(&state);
            for (side, is_no_worse) in [("red", i64::ge as fn(&i64, &i64) -> bool), ("blue", i64::le)] {
                let stone = Term::Compound("stone".into(), vec![Term::Symbol(side.into()), cell.clone()]);
                let more = facts.iter().cloned().chain([stone.clone()]).collect();
                let more = searcher.machine().state_of(more).expect("it is a state");
                assert!(is_no_worse(&searcher.value(&more), &value), "{name}: {stone:?} after {facts:?}");
            }
        }
    }
}

/// The first player wins Bridg-it.
#[test]
fn the_first_player_wins_bridg_it() {
    assert_eq!([2, 3].map(|n| solved(&format!("bridg-it-{n}"))), [100; 2]);
}

/// k in a row.
#[test]
fn small_boards_of_k_in_a_row() {
    for (columns, rows, k, value) in [(2, 2, 2, 100), (3, 3, 3, 50), (4, 3, 3, 100), (3, 4, 3, 100), (4, 3, 4, 50)] {
        assert_eq!(searched(&format!("in-a-row-{columns}x{rows}x{k}"), &[]), value, "{columns}x{rows}, {k} in a row");
    }
}
