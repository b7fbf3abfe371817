//! Hex against independent judges: geometry, graph search, brute force.

use crate::binary::run;
use ludolog::diagnostic::{Sources, render};
use ludolog::engine::{Budget, EngineDescription, RESOLUTION, SEMI_NAIVE, Session, Setting, Stopped};
use ludolog::formulation::{self, Formulation, winning_sets};
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::draw;
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use petgraph::algo::has_path_connecting;
use petgraph::graph::UnGraph;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

fn board() -> impl Strategy<Value = Board> {
    (1..9usize, 1..9usize).prop_map(|(width, height)| Board::new(width, height).unwrap())
}

fn position() -> impl Strategy<Value = Position> {
    (board(), any::<u64>(), 0..=100usize)
        .prop_map(|(board, seed, percent)| scatter(board, board.len() * percent / 100, None, &mut Random::new(seed)))
}

fn parse(text: &str) -> Position {
    let mut sources = Sources::new();
    let id = sources.add("position", text);
    Position::parse(text, id).unwrap_or_else(|errors| panic!("{}", render::to_text(&errors, &sources, false)))
}

/// By geometry: the middles of adjacent hexagons are one width apart.
fn are_neighbors(board: Board, a: Cell, b: Cell) -> bool {
    let middle = |cell| {
        let column = board.column(cell) as f64;
        let row = board.row(cell) as f64;
        (column + row / 2.0, row * 3f64.sqrt() / 2.0)
    };
    let (ax, ay) = middle(a);
    let (bx, by) = middle(b);
    ((ax - bx).hypot(ay - by) - 1.0).abs() < 1e-9
}

/// Whether the player's edges are connected in the graph of all adjacent pairs of their stones.
fn joined(position: &Position, player: Player) -> bool {
    let board = position.board();
    let mut graph: UnGraph<(), ()> = UnGraph::new_undirected();
    let nodes: Vec<_> = board.cells().map(|_| graph.add_node(())).collect();
    let first = graph.add_node(());
    let last = graph.add_node(());
    let stones: Vec<Cell> = position.stones_of(player).collect();
    for &a in &stones {
        for &b in stones.iter().filter(|&&b| are_neighbors(board, a, b)) {
            graph.add_edge(nodes[a.index()], nodes[b.index()], ());
        }
        let (line, lines) = match player {
            Player::Red => (board.row(a), board.height()),
            Player::Blue => (board.column(a), board.width()),
        };
        if line == 0 {
            graph.add_edge(nodes[a.index()], first, ());
        }
        if line == lines - 1 {
            graph.add_edge(nodes[a.index()], last, ());
        }
    }
    has_path_connecting(&graph, first, last, None)
}

proptest! {
    #[test]
    fn neighbors_are_what_geometry_says(board in board()) {
        for a in board.cells() {
            let mut neighbors: Vec<Cell> = board.neighbors(a).collect();
            neighbors.sort();
            let expected: Vec<Cell> = board.cells().filter(|&b| are_neighbors(board, a, b)).collect();
            prop_assert_eq!(neighbors, expected);
        }
    }

    #[test]
    fn the_winner_is_who_is_joined(position in position()) {
        for player in Player::BOTH {
            let joined = joined(&position, player);
            prop_assert_eq!(position.winner() == Some(player), joined);
            prop_assert_eq!(position.chain(player).is_some(), joined);
        }
    }

    #[test]
    fn a_full_board_has_exactly_one_winner(board in board(), seed: u64) {
        let position = scatter(board, board.len(), None, &mut Random::new(seed));
        let joined = Player::BOTH.map(|player| joined(&position, player));
        prop_assert!(joined[0] != joined[1]);
    }

    #[test]
    fn positions_survive_printing(mut position in position(), name in "[a-z]{0,8}", order: u64) {
        position.name = (!name.is_empty()).then_some(name);
        prop_assert_eq!(&parse(&position.to_string()), &position);
        let board = position.board();
        let mut game = Position::new(board);
        let mut random = Random::new(order);
        for _ in 0..board.len() {
            game.play(board.cell_of_number(random.below(board.len()) + 1).unwrap());
        }
        prop_assert_eq!(parse(&game.to_string()), game);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn compiled_formulations_see_who_has_won(width in 1..6usize, height in 1..6usize, seed: u64, percent in 0..=100usize) {
        for board in [Board::new(width, height).unwrap(), Board::new(width.max(3), width.max(3)).unwrap()] {
            let position = scatter(board, board.len() * percent / 100, None, &mut Random::new(seed));
            for formulation in formulation::ALL {
                let Some(compiled) = &formulation.compiled else { continue };
                for (grounding, reordering) in [(false, false), (true, false), (false, true), (true, true)] {
                    let Some(run) = compiled.prepare(grounding, reordering, &position) else { continue };
                    let expected: Vec<Player> = formulation.sees(&position).into_iter().collect();
                    prop_assert_eq!(run(), expected, "{} on\n{}", formulation.name, position);
                }
            }
        }
    }
}

/// Every position of `bench-positions/`, with its file name.
fn bench_positions() -> Vec<(String, Position)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench-positions");
    let mut positions: Vec<(String, Position)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), parse(&std::fs::read_to_string(&path).unwrap())))
        .collect();
    positions.sort_by(|a, b| a.0.cmp(&b.0));
    positions
}

#[test]
fn bench_positions_are_what_they_say() {
    for (path, position) in bench_positions() {
        let known = position.known.unwrap_or_else(|| panic!("{path} does not say what is known"));
        assert_eq!(position.winner(), known.winner(), "{path}");
        let from = position.from.as_deref().unwrap_or_else(|| panic!("{path} does not say where it is from"));
        if let Some(args) = from.strip_prefix("ludolog ") {
            let (_, made, _) = run(".", &args.split(' ').collect::<Vec<_>>(), "");
            let made = parse(&made);
            assert!(made.stones().eq(position.stones()), "{path} is not what its command makes");
        }
    }
}

#[test]
fn game11_is_won_by_red_with_move_93() {
    let (_, game) = bench_positions().into_iter().find(|(path, _)| path.ends_with("game11.txt")).unwrap();
    let mut position = Position::new(game.board());
    let won = game.moves().position(|(player, cell)| {
        assert!(position.place(player, cell));
        position.winner().is_some()
    });
    assert_eq!((game.moves().len(), won, position.winner()), (121, Some(92), Some(Player::Red)));
}

#[test]
fn generated_rule_files_are_what_the_generator_gives() {
    for (name, size) in [("power-set", "9x9"), ("power-set-any", "4x4"), ("winning-sets", "4x4")] {
        let text = formulation::named(name).unwrap().file(size.parse().unwrap()).unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("rules/hex/{name}-{size}.dl"));
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{} is out of date", path.display());
    }
}

/// What an engine answers to `win(P)` with a rule text, by a limit of 20 s.
fn ask(
    text: &str,
    position: &Position,
    engine: &'static EngineDescription,
    optimization: &str,
) -> Result<Vec<Player>, Stopped> {
    let session = Session::of_text(text, Syntax::Datalog).unwrap_or_else(|wrong| panic!("{wrong}"));
    let case = formulation::case(position, session.program());
    let setting = Setting { engine: engine.clone(), optimization: optimization.parse().unwrap(), ..Setting::default() };
    let budget = Budget::unlimited().with_timeout(Duration::from_secs(20));
    let mut session = session.with_case(case).with_setting(setting).with_budget(budget);
    let goal = session.goal("win(P)").unwrap();
    let answers = session.solve(&goal)?;
    if let Some(stopped) = answers.stopped {
        return Err(stopped);
    }
    let mut winners: Vec<Player> = answers
        .answers()
        .map(|row| match row.as_slice() {
            [Term::Symbol(name)] => name.parse::<Player>().unwrap(),
            other => panic!("no player: {other:?}"),
        })
        .collect();
    winners.sort();
    Ok(winners)
}

/// The combinations that can be waited for on a small board.
fn combinations(formulation: &Formulation) -> Vec<(&'static EngineDescription, &'static str)> {
    let optimizations: &[&str] = match formulation.name {
        // In the naive order all choices of stones are made first.
        "power-set" | "power-set-any" => &["reordering", "both", "auto"],
        _ => &["none", "grounding", "reordering", "both", "auto"],
    };
    let engines: &[&EngineDescription] =
        if formulation.top_down { &[&SEMI_NAIVE, &RESOLUTION] } else { &[&SEMI_NAIVE] };
    engines.iter().flat_map(|&engine| optimizations.iter().map(move |&optimization| (engine, optimization))).collect()
}

fn assert_sees(formulation: &Formulation, position: &Position, engine: &'static EngineDescription, optimization: &str) {
    let text = formulation.text(position.board()).unwrap();
    let expected: Vec<Player> = formulation.sees(position).into_iter().collect();
    let found = ask(&text, position, engine, optimization);
    assert_eq!(found, Ok(expected), "{} by {engine:?}, {optimization}, on\n{position}", formulation.name);
}

#[test]
fn every_formulation_answers_alike_on_small_boards() {
    for (path, position) in bench_positions().iter().filter(|(_, position)| position.board().len() <= 16) {
        for formulation in formulation::ALL {
            for (engine, optimization) in combinations(formulation) {
                eprintln!("{} {engine:?} {optimization} {path}", formulation.name);
                assert_sees(formulation, position, engine, optimization);
            }
        }
    }
}

#[test]
fn winning_sets_explode() {
    let sets = |n| {
        let board = Board::new(n, n).unwrap();
        let mut census = winning_sets::Census::default();
        let _ = winning_sets::for_each(board, Player::Red, |chain| {
            census.add(chain);
            ControlFlow::Continue(())
        });
        census.sets
    };
    assert_eq!([1, 2, 3, 4].map(sets), [1, 3, 11, 54]);
    let seven = Board::new(7, 7).unwrap();
    let error = formulation::named("winning-sets").unwrap().text(seven).err().unwrap();
    insta::assert_snapshot!("winning_sets_7x7", error);
}

#[test]
fn rejected_positions() {
    insta::glob!("rejected/positions/*.txt", |path| {
        let name = format!("positions/{}", path.file_name().unwrap().to_str().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        let mut sources = Sources::new();
        let id = sources.add(name, text.as_str());
        let errors = Position::parse(&text, id).expect_err("this position is to be rejected");
        insta::assert_snapshot!(render::to_text(&errors, &sources, false));
    });
}

#[test]
fn pictures() {
    let position = parse("name: <bridge>\nR . B\n B R .\n");
    let chain: Vec<Cell> = ["c1", "b2"].iter().filter_map(|name| position.board().cell_of_name(name)).collect();
    insta::assert_snapshot!("terminal", draw::to_text(&position, &chain, false));
    insta::assert_snapshot!("svg", draw::to_svg(&position, &chain));
}
