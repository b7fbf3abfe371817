//! Hex as a game in several wordings: the same game, and the one that union-find judges.

use crate::binary::ludolog;
use crate::games::sound;
use assert_cmd::Command;
use ludolog::engine::{Budget, ENGINES, Setting};
use ludolog::formulation::LIBRARY;
use ludolog::formulation::game::{GAMES, GameFormulation, ORDINARY, named};
use ludolog::game::{Draw, Interpreted, StateMachine, canonical};
use ludolog::hex::board::{Board, Player};
use ludolog::hex::position::Position;
use ludolog::optimize::Optimization;
use ludolog::propnet::{CompiledGame, Lockstep, NetMachine};
use serde_json::Value;
use std::time::Duration;

fn name(formulation: &GameFormulation, board: Board) -> String {
    format!("std:games/{}", formulation.file_name(board))
}

fn board(columns: usize, rows: usize) -> Board {
    Board::new(columns, rows).expect("there are such boards")
}

fn interpreted(formulation: &GameFormulation, board: Board) -> Interpreted {
    Interpreted::new(&sound(&name(formulation, board)), Budget::unlimited()).expect("the game starts")
}

/// The machines of a wording: the rules and, where there is one soon, the net.
fn machines(formulation: &GameFormulation, board: Board) -> Vec<Box<dyn StateMachine>> {
    let mut machines: Vec<Box<dyn StateMachine>> = vec![Box::new(interpreted(formulation, board))];
    // The paths on more cells than this are too many to be ground rules.
    if formulation.name != "follow-the-line" || board.len() <= 9 {
        let budget = Budget::unlimited().with_timeout(Duration::from_secs(60));
        let compiled = CompiledGame::new(&sound(&name(formulation, board)), &budget).expect("it has a net");
        machines.push(Box::new(NetMachine::new(&compiled.net, Budget::unlimited())));
    }
    machines
}

#[test]
fn all_wordings_are_one_game() {
    for (board, playouts) in [(board(3, 3), 40), (board(2, 4), 20), (board(4, 4), 5)] {
        let all = GAMES.iter().flat_map(|formulation| {
            machines(formulation, board).into_iter().map(|machine| (formulation.name, machine))
        });
        let mut lockstep = Lockstep::of_rulesheets(all.collect());
        for seed in 1..=playouts {
            let difference = lockstep.walk(seed, 100, &Budget::unlimited()).expect("there is no limit");
            assert!(difference.is_none(), "{board}: {}", difference.expect("there is one"));
        }
        assert!(lockstep.ask_again().expect("there is no limit").is_none());
        assert_eq!(lockstep.playouts, playouts);
    }
}

/// The cell that a move names; `None` for `wait`.
fn cell(text: &str, position: &Position) -> Option<ludolog::hex::board::Cell> {
    let (column, row) = text.strip_prefix("(place ")?.strip_suffix(')')?.split_once(' ')?;
    let [column, row] = [column, row].map(|number| number.parse::<usize>().expect("a number"));
    position.board().cell_of_number((row - 1) * position.board().width() + column)
}

/// Plays at random, and asks a board with union-find about each state.
fn follow(machine: &mut dyn StateMachine, board: Board, seed: u64) {
    let mut draw = Draw::new(seed);
    let mut position = Position::new(board);
    let mut turn = 0;
    let mut state = machine.initial_state().clone();
    loop {
        let winner = position.winner();
        let goal = |player| winner.map_or(50, |winner| if winner == player { 100 } else { 0 });
        assert_eq!(machine.is_terminal(&state), Ok(winner.is_some()), "{position}");
        assert_eq!(machine.goal(&state, ludolog::game::Role(0)), Ok(Some(goal(Player::Red))), "{position}");
        assert_eq!(machine.goal(&state, ludolog::game::Role(1)), Ok(Some(goal(Player::Blue))), "{position}");
        if winner.is_some() {
            return;
        }
        let legal = [0, 1].map(|role| machine.legal_moves(&state, ludolog::game::Role(role)).expect("no limit"));
        let texts = |moves: &[ludolog::game::Move]| -> Vec<String> {
            moves.iter().map(|&made| canonical::text(machine.move_term(made))).collect()
        };
        let [places, waits] = [texts(&legal[turn]), texts(&legal[1 - turn])];
        assert_eq!(waits, ["wait"]);
        let mut cells: Vec<_> = places.iter().map(|text| cell(text, &position).expect("a cell")).collect();
        cells.sort();
        assert_eq!(cells, position.empty_cells().collect::<Vec<_>>(), "{position}");
        let chosen = draw.below(places.len());
        position.place(Player::BOTH[turn], cell(&places[chosen], &position).expect("a cell"));
        let mut joint = [legal[0][0], legal[1][0]];
        joint[turn] = legal[turn][chosen];
        state = machine.next_state(&state, &joint).expect("there is no limit");
        turn = 1 - turn;
    }
}

#[test]
fn union_find_judges_every_wording() {
    for (board, playouts) in [(board(3, 3), 20), (board(4, 3), 10), (board(1, 4), 3), (board(4, 4), 4)] {
        for formulation in GAMES {
            for machine in &mut machines(formulation, board) {
                (1..=playouts).for_each(|seed| follow(&mut **machine, board, seed));
            }
        }
    }
}

/// Resolution runs what does not call itself first; every optimization of what it runs is the same game.
#[test]
fn every_engine_and_optimization_plays_the_same() {
    let board = board(3, 3);
    for formulation in GAMES {
        let program = sound(&name(formulation, board));
        for engine in ENGINES {
            let calls_itself = ["follow-the-line", "reachability", "maker-breaker"].contains(&formulation.name);
            for optimization in Optimization::NAMED {
                let setting =
                    Setting { engine: engine.clone(), optimization: optimization.clone(), ..Setting::default() };
                let machine = Interpreted::with_setting(&program, setting, Budget::unlimited());
                let plays = engine.name != "resolution" || !calls_itself;
                assert_eq!(machine.is_ok(), plays, "{} on {}: {:?}", formulation.name, engine.name, machine.err());
                let Ok(mut machine) = machine else { continue };
                follow(&mut machine, board, 7);
            }
        }
    }
}

#[test]
fn wordings_are_compared_by_what_players_see() {
    let walk = |mut lockstep: Lockstep<'_>| lockstep.walk(1, 100, &Budget::unlimited()).expect("there is no limit");
    let cluster = named("cluster").expect("there is such a wording");
    let both = || -> Vec<(&str, Box<dyn StateMachine>)> {
        vec![
            ("one", Box::new(interpreted(ORDINARY, board(3, 3)))),
            ("other", Box::new(interpreted(cluster, board(3, 3)))),
        ]
    };
    assert_eq!(walk(Lockstep::of_rulesheets(both())), None);
    let difference = walk(Lockstep::new(both())).expect("clusters are facts of the state");
    assert!(difference.question.starts_with("true (cluster "), "{difference}");
    // Another board is another game.
    let larger: Vec<(&str, Box<dyn StateMachine>)> = vec![
        ("one", Box::new(interpreted(ORDINARY, board(3, 3)))),
        ("other", Box::new(interpreted(ORDINARY, board(3, 4)))),
    ];
    let difference = walk(Lockstep::of_rulesheets(larger)).expect("it has more cells");
    assert!(difference.question.contains("(place "), "{difference}");
}

#[test]
fn games_of_every_size_are_found_by_name() {
    for formulation in GAMES {
        let listed = name(formulation, board(3, 3));
        assert!(LIBRARY.names().contains(&listed), "{listed}");
        sound(&name(formulation, board(3, 5)));
    }
    sound("std:games/hex-19x19.kif");
    let refused = LIBRARY.text("std:games/hex-20x20.kif").expect_err("the rules do not count so far").to_string();
    assert!(refused.contains("count to 19"), "{refused}");
}

fn bench(args: &[&str]) -> Command {
    let bench = ["bench", "formulations", "--size", "2", "--time", "20ms", "--timeout", "20"];
    ludolog(".", &[&bench, args].concat())
}

#[test]
fn the_benchmark_tells_its_answer_first() {
    let folder = tempfile::tempdir().expect("there is room");
    let page = folder.path().join("page.html");
    let page_name = page.to_str().expect("a name in UTF-8");
    let args = ["--matches", "2", "--play-clock", "30ms", "--threads", "2", "--format", "json", "--html", page_name];
    let output = bench(&args).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("one document");
    let answer = report["answer"].as_str().expect("an answer");
    assert!(answer.contains("on a board of 2x2") && answer.contains("As nets, "), "{answer}");
    let rows = report["formulations"].as_array().expect("rows");
    assert_eq!(rows.len(), GAMES.len());
    for row in rows {
        assert!(row["compared_states"].as_u64() > Some(50) && row["difference"].is_null(), "{row}");
    }
    let pairings = report["pairings"].as_array().expect("pairs");
    // Five wordings against the ordinary one, twice, and each with and without the optimizer.
    assert_eq!(pairings.len(), 2 * (GAMES.len() - 1) + GAMES.len());
    for pairing in pairings.iter().filter(|pairing| pairing["reason"].is_null()) {
        assert_eq!(pairing["matches"], 2, "{pairing}");
    }
    // Red, who begins, wins with the center diagonal, whatever its rules say: each has each color once.
    let net = pairings.iter().find(|pairing| pairing["kind"] == "net").expect("a pair of nets");
    assert_eq!(net["mean"], 50.0, "{net}");
    let page = std::fs::read_to_string(page).expect("the page is written");
    let first = page.split("<p class=\"lead\">").nth(1).and_then(|rest| rest.split("</p>").next()).expect("a lead");
    assert_eq!(first.replace("&gt;", ">"), answer);

    let text = bench(&["--matches", "0"]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(text).expect("UTF-8");
    for part in ["matters", "as a net", "follow-the-line", "semi-naive", "reachability on resolution: "] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
