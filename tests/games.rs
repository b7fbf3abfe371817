//! The games that come with Ludolog: sound, the same as nets, and what they should be in positions worked by hand.

use ludolog::analysis::clause::StratifiedProgram;
use ludolog::analysis::{GivenColumns, analyze, lint};
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Setting};
use ludolog::files::FileSystem;
use ludolog::formulation::LIBRARY;
use ludolog::game::trace::playout;
use ludolog::game::{Interpreted, PlayoutEnd, State, StateMachine, StateMachineExt, canonical};
use ludolog::optimize::Optimization;
use ludolog::propnet::{GroundGame, Net, NetMachine};
use ludolog::syntax::{self, Syntax};
use std::sync::Arc;

fn names() -> Vec<String> {
    let names: Vec<String> = LIBRARY.names().into_iter().filter(|name| name.starts_with("std:games/")).collect();
    assert!(names.len() >= 12, "{names:?}");
    names
}

/// A shipped game, of which `check` says nothing.
pub fn sound(name: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let loaded = syntax::load(&LIBRARY.with(FileSystem), &[name], None, &mut sources).expect("it loads");
    let analyzed = analyze(&loaded.program).expect("it is sound");
    let hints = lint(&loaded.program, &GivenColumns::default(), &Budget::unlimited()).expect("there is no limit");
    let warnings = analyzed.warnings_given(&[]);
    assert!(
        loaded.diagnostics.is_empty() && warnings.is_empty() && hints.is_empty(),
        "{name}: {:?} {warnings:?} {hints:?}",
        loaded.diagnostics
    );
    analyzed.stratified
}

/// The net of a shipped game.
pub fn net(name: &str) -> Arc<Net> {
    let ground = GroundGame::new(&sound(name), &Budget::unlimited()).expect("it grounds");
    Arc::new(Net::new(&ground, &Budget::unlimited()).expect("it has a net"))
}

#[test]
fn shipped_games_are_the_same_as_nets() {
    for name in names() {
        let mut rules = Interpreted::new(&sound(&name), Budget::unlimited()).expect("the game starts");
        let mut net = NetMachine::new(&net(&name), Budget::unlimited());
        for seed in 1..=3 {
            let [by_rules, by_net] = [
                playout(&mut rules, seed, 1000, &Budget::unlimited()).expect("it ends"),
                playout(&mut net, seed, 1000, &Budget::unlimited()).expect("it ends"),
            ];
            assert_eq!(by_rules, by_net, "{name} by seed {seed}");
        }
    }
}

/// The state after moves, each of the role that has a choice or a move other than `wait`.
pub fn after(game: &mut (impl StateMachine + ?Sized), moves: &[&str]) -> State {
    let mut state = game.initial_state().clone();
    for made in moves {
        let legal = game.legal_terms(&state).expect("there is no limit");
        let of = |moves: &Vec<_>| moves.iter().find(|term| canonical::text(term) == *made).or(moves.first()).cloned();
        let joint: Vec<_> = legal.iter().map(|(_, moves)| of(moves).expect("a move")).collect();
        assert!(joint.iter().any(|term| canonical::text(term) == *made), "{made} is not legal: {legal:?}");
        let joint = game.joint_move(&state, &joint).expect("it is legal");
        state = game.next_state(&state, &joint).expect("there is no limit");
    }
    state
}

/// Whether a game is over after these moves, and the goals.
pub fn end(name: &str, moves: &[&str]) -> (bool, Vec<i64>) {
    let mut game = Interpreted::new(&sound(name), Budget::unlimited()).expect("the game starts");
    let state = after(&mut game, moves);
    let goals = game.goals(&state).expect("there is no limit");
    (
        game.is_terminal(&state).expect("there is no limit"),
        goals.into_iter().map(|goal| goal.expect("one goal")).collect(),
    )
}

/// The game of a rulesheet that counts stones by a walk, played once with little work.
fn counted(text: &str) -> (StratifiedProgram, Interpreted) {
    let mut sources = Sources::new();
    let source = sources.add("counting.kif", text);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("it parses");
    let program = analyze(&program).expect("it is sound").stratified;
    let mut game = Interpreted::new(&program, Budget::unlimited()).expect("the game starts");
    let before = game.work().probes;
    let start = game.initial_state().clone();
    // Five stones each: black has put the first, and white has put the last.
    let played = game.playout(&start, 100, |_, legal| legal[0]).expect("there is no limit");
    assert_eq!((played.end, played.steps, played.goals), (PlayoutEnd::Terminal, 10, vec![Some(5), Some(5)]));
    assert!(game.work().probes - before < 100_000, "{:?}", game.work());
    (program, game)
}

/// Bottom-up, a state of this game has a quarter of a million facts; asked for, it is a walk over 60 cells.
#[test]
fn a_relation_that_nobody_asks_for_whole_costs_nothing() {
    let (program, mut game) = counted(include_str!("rulesheets/counting.kif"));
    let two = after(&mut game, &["(put 7)", "(put 0)"]);
    let facts = game.facts(&two);
    let setting = Setting { optimization: Optimization::None, ..Setting::default() };
    let mut whole = Interpreted::with_setting(&program, setting, Budget::unlimited()).expect("the game starts");
    let state = after(&mut whole, &["(put 7)", "(put 0)"]);
    assert_eq!(whole.facts(&state), facts);
    assert_eq!((whole.goals(&state), game.goals(&two)), (Ok(vec![Some(1); 2]), Ok(vec![Some(1); 2])));
}

/// The counting walk with a way past two blank cells at a time: there are more ways over the cells than one could walk,
/// and a count from each cell is asked for with few of the pairs of counts that a state has facts for.
#[test]
fn what_is_asked_for_again_and_again_is_derived_once_and_by_demand() {
    let ways = "(<= (count ?c ?b ?w ?black ?white)
        (true (cell ?c blank)) (after ?c ?d) (true (cell ?d blank)) (after ?d ?e) (count ?e ?b ?w ?black ?white))";
    let text = [include_str!("rulesheets/counting.kif"), ways].concat();
    // The ways lead over blank cells, so they change no count.
    counted(&text);
}

#[test]
fn connect_four_ends_with_four_in_a_line() {
    let drops = |columns: &str| columns.chars().map(|column| format!("(drop {column})")).collect::<Vec<_>>();
    let end = |name: &str, columns: &str| {
        let moves = drops(columns);
        end(name, &moves.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let game = "std:games/connect-four.kif";
    // Upright, across, up to the right, and up to the left, of yellow.
    assert_eq!(end(game, "1212121"), (true, vec![100, 0]));
    assert_eq!(end(game, "4455667"), (true, vec![100, 0]));
    assert_eq!(end(game, "12233434464"), (true, vec![100, 0]));
    assert_eq!(end(game, "6756554444"), (true, vec![0, 100]));
    // Three are not enough.
    assert_eq!(end(game, "12121"), (false, vec![50, 50]));
    // A full board without a line: columns of two and two, shifted in the middle.
    let full = "1111222234333444";
    assert!(!end("std:games/connect-four-4x4.kif", &full[..15]).0);
    assert_eq!(end("std:games/connect-four-4x4.kif", full), (true, vec![50, 50]));
}

#[test]
fn pawns_break_through() {
    let game = "std:games/breakthrough-5x5.kif";
    // White 1,2 - 1,3 - takes 2,4 - takes 1,5 in the far row.
    let moves = ["(move 1 2 1 3)", "(move 5 4 5 3)", "(move 1 3 2 4)", "(move 5 3 4 2)"];
    assert_eq!(end(game, &moves), (false, vec![50, 50]));
    assert_eq!(end(game, &[&moves[..], &["(move 2 4 1 5)"]].concat()), (true, vec![100, 0]));
    // Black takes 4,2 and reaches the near row.
    let moves = [&moves[..], &["(move 1 1 1 2)", "(move 4 2 3 1)"]].concat();
    assert_eq!(end(game, &moves), (true, vec![0, 100]));
    // Straight ahead nothing is taken.
    let mut rules = Interpreted::new(&sound(game), Budget::unlimited()).expect("the game starts");
    let state = after(&mut rules, &["(move 1 2 1 3)"]);
    let legal = rules.legal_terms(&state).expect("there is no limit");
    let black: Vec<String> = legal[1].1.iter().map(canonical::text).collect();
    assert!(!black.contains(&"(move 1 4 1 3)".to_owned()) && black.contains(&"(move 2 4 1 3)".to_owned()), "{black:?}");
}

#[test]
fn lines_go_through_the_cube() {
    let game = "std:games/tic-tac-toe-3d.kif";
    let play = |cross: [&str; 3]| {
        let nought = ["(put 1 2 1)", "(put 3 1 2)"];
        end(game, &[cross[0], nought[0], cross[1], nought[1], cross[2]])
    };
    assert_eq!(play(["(put 1 1 1)", "(put 2 2 2)", "(put 3 3 3)"]), (true, vec![100, 0]));
    assert_eq!(play(["(put 2 1 3)", "(put 2 2 2)", "(put 2 3 1)"]), (true, vec![100, 0]));
    assert_eq!(play(["(put 3 3 1)", "(put 3 3 2)", "(put 3 3 3)"]), (true, vec![100, 0]));
    // A bend is no line.
    assert_eq!(play(["(put 1 1 1)", "(put 2 2 2)", "(put 3 3 1)"]), (false, vec![50, 50]));
}

#[test]
fn disks_are_turned_over() {
    let game = "std:games/reversi-4x4.kif";
    let mut rules = Interpreted::new(&sound(game), Budget::unlimited()).expect("the game starts");
    let first = after(&mut rules, &[]);
    let legal = rules.legal_terms(&first).expect("there is no limit");
    let black: Vec<String> = legal[0].1.iter().map(canonical::text).collect();
    // White is on (2 2) and (3 3), black on (2 3) and (3 2).
    assert_eq!(black, ["(place 1 2)", "(place 2 1)", "(place 3 4)", "(place 4 3)"]);
    let second = after(&mut rules, &["(place 1 2)"]);
    let disks: Vec<String> = rules.facts(&second).iter().map(canonical::text).collect();
    let expected = ["(disk 1 2 black)", "(disk 2 2 black)", "(disk 2 3 black)", "(disk 3 2 black)", "(disk 3 3 white)"];
    assert_eq!(disks, [&expected[..], &["(turn white)"]].concat());
    // Black is ahead by four to one, white's reply makes it three to three.
    assert_eq!(end(game, &["(place 1 2)"]), (false, vec![100, 0]));
    assert_eq!(end(game, &["(place 1 2)", "(place 1 1)"]), (false, vec![50, 50]));
}

#[test]
fn pegs_that_cannot_jump_end_the_game() {
    let game = "std:games/peg-solitaire.kif";
    assert_eq!(end(game, &["(jump 3 1 1 1)"]), (false, vec![0]));
    // As found by hand: thirteen jumps leave one peg.
    let solution = [
        "(jump 3 1 1 1)",
        "(jump 3 3 3 1)",
        "(jump 1 1 3 3)",
        "(jump 4 1 2 1)",
        "(jump 4 4 2 2)",
        "(jump 5 2 3 2)",
        "(jump 5 3 3 3)",
        "(jump 2 1 4 3)",
        "(jump 2 2 4 4)",
        "(jump 5 5 3 3)",
        "(jump 3 3 5 3)",
        "(jump 5 4 5 2)",
    ];
    assert_eq!(end(game, &solution), (false, vec![0]));
    assert_eq!(end(game, &[&solution[..], &["(jump 5 1 5 3)"]].concat()), (true, vec![100]));
}

/// Four bids of both, in order.
#[test]
fn the_higher_bid_takes_the_prize() {
    let play = |bids: &[[u8; 2]]| {
        let mut game = Interpreted::new(&sound("std:games/goofspiel-4.kif"), Budget::unlimited()).expect("it starts");
        let mut state = game.initial_state().clone();
        for bid in bids {
            let legal = game.legal_terms(&state).expect("there is no limit");
            let bid = legal.iter().zip(bid).map(|((_, moves), card)| {
                let text = format!("(bid {card})");
                moves.iter().find(|made| canonical::text(made) == text).expect("the card is in the hand").clone()
            });
            let bid: Vec<_> = bid.collect();
            let joint = game.joint_move(&state, &bid).expect("it is legal");
            state = game.next_state(&state, &joint).expect("there is no limit");
        }
        (game.is_terminal(&state), game.goals(&state))
    };
    // Left takes 4 and 1, right takes 3 and 2.
    assert_eq!(play(&[[4, 1], [1, 4], [2, 3], [3, 2]]), (Ok(true), Ok(vec![Some(50), Some(50)])));
    // Nobody takes 4; right takes 3, left takes 2 and 1.
    assert_eq!(play(&[[2, 2], [1, 4], [4, 3], [3, 1]]), (Ok(true), Ok(vec![Some(50), Some(50)])));
    // Left takes 4, 3 and 2.
    assert_eq!(play(&[[2, 1], [3, 2], [4, 3], [1, 4]]), (Ok(true), Ok(vec![Some(100), Some(0)])));
    assert_eq!(play(&[[1, 2]]), (Ok(false), Ok(vec![Some(0), Some(100)])));
}
