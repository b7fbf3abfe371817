//! Edge templates hold, are all there are, and are used soundly on every board.

use crate::binary::run;
use crate::brute::holds;
use ludolog::engine::Budget;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::{CellSet, MAX_WIDTH};
use ludolog::hex::certificate::ProofBuilder;
use ludolog::hex::connection::complete::ConnectionQuestion;
use ludolog::hex::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections, DerivationWriter};
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use ludolog::hex::template::find::{TemplateQuestion, find};
use ludolog::hex::template::{EdgeTemplate, catalogue, file, placed};
use serde_json::json;
use std::collections::BTreeSet;

type Cells = CellSet<MAX_WIDTH>;

fn board(size: &str) -> Board {
    size.parse().expect("a size")
}

/// Whether the player joins the cell to the edge within these cells, by exact search.
fn joins(board: Board, player: Player, end: ConnectionEnd, edge: ConnectionEnd, needs: Cells, cells: Cells) -> bool {
    let end_cell: Cells = end.cell().into_iter().collect();
    let theirs = Cells::all(board) - needs - cells - end_cell;
    let ends = (end, edge);
    let question = ConnectionQuestion { board, player, mine: needs, theirs, ends, kind: ConnectionKind::Full };
    question.within(cells, &Budget::unlimited()).expect("a small region").carrier.is_some()
}

/// A cell less is too few; the smaller ones by all lines of play, too.
#[test]
fn templates_hold_and_are_minimal() {
    const ALL_LINES: usize = 8;
    let mut tried = 0;
    for template in catalogue() {
        let (board, end, needs) = (template.board(), template.end(), template.needs());
        let bottom = ConnectionEnd::LAST;
        assert!(joins(board, Player::Red, end, bottom, needs, template.carrier()));
        for cell in template.carrier() {
            let fewer = template.carrier().without(cell);
            assert!(!joins(board, Player::Red, end, bottom, needs, fewer), "{} of {template:?}", board.name(cell));
        }
        if template.carrier().len() <= ALL_LINES && needs.is_empty() {
            let cells: Vec<Cell> = template.carrier().iter().collect();
            let ends = [end, bottom];
            assert!(holds(&Position::new(board), Player::Red, ends, ConnectionKind::Full, &cells));
            tried += 1;
        }
    }
    assert!(tried >= 2, "{tried} templates were tried by all lines of play");
}

#[test]
fn the_catalogue_is_read_whole_and_has_each_template_once() {
    let text = file::to_text(catalogue());
    let read: Result<Vec<EdgeTemplate>, _> = file::read(&text).into_iter().collect();
    assert_eq!(read.expect("all are proved"), catalogue());
    let mut shapes = BTreeSet::new();
    for template in catalogue() {
        let is_across = template.end() == ConnectionEnd::FIRST;
        assert!(shapes.insert((is_across, template.shape())), "twice: {template:?}");
        if template.shape() != template.mirrored_shape() {
            assert!(shapes.insert((is_across, template.mirrored_shape())), "a mirror image of another: {template:?}");
        }
    }
}

/// All subsets of a region tried by all lines of play.
#[test]
fn all_carriers_of_a_region_are_found() {
    let board = board("4x4");
    let end = board.cell_of_name("c2").expect("a cell");
    let region: Vec<Cell> =
        ["b3", "c3", "d3", "a4", "b4", "c4", "d4", "d2"].map(|name| board.cell_of_name(name).expect("a cell")).to_vec();
    let ends = [ConnectionEnd::Cell(end), ConnectionEnd::LAST];
    let of = |bits: usize| (0..region.len()).filter(|i| bits >> i & 1 == 1).map(|i| region[i]).collect::<Vec<Cell>>();
    let is_joined: Vec<bool> = (0..1 << region.len())
        .map(|bits| holds(&Position::new(board), Player::Red, ends, ConnectionKind::Full, &of(bits)))
        .collect();
    let is_minimal = |bits: &usize| {
        is_joined[*bits] && (0..region.len()).all(|i| bits >> i & 1 == 0 || !is_joined[bits & !(1 << i)])
    };
    let expected: BTreeSet<Cells> =
        (0..1 << region.len()).filter(is_minimal).map(|bits| of(bits).into_iter().collect()).collect();
    let question = ConnectionQuestion {
        board,
        player: Player::Red,
        mine: Cells::EMPTY,
        theirs: Cells::EMPTY,
        ends: (ends[0], ends[1]),
        kind: ConnectionKind::Full,
    };
    let all = region.iter().copied().collect();
    let found = question.minimal_carriers(all, &Budget::unlimited()).expect("a small region");
    assert!(!expected.is_empty());
    assert_eq!(found.len(), expected.len(), "none comes twice");
    assert_eq!(found.into_iter().collect::<BTreeSet<Cells>>(), expected);
}

/// The part of the catalogue that is found at once is the same as in the file.
#[test]
fn the_catalogue_is_what_the_search_finds() {
    let low = |template: &&EdgeTemplate| template.row() <= 3;
    let kept: BTreeSet<_> = catalogue().iter().filter(low).map(EdgeTemplate::shape).collect();
    let questions = [
        TemplateQuestion::OfCells { width: 3, rows: 2 },
        TemplateQuestion::OfCells { width: 7, rows: 3 },
        TemplateQuestion::Across { rows: 1 },
        TemplateQuestion::Across { rows: 2 },
        TemplateQuestion::Across { rows: 3 },
    ];
    let templates = find(&questions, &Budget::unlimited(), &mut |_| ()).expect("small regions");
    let found: BTreeSet<_> = templates.iter().map(EdgeTemplate::shape).collect();
    assert_eq!(found, kept);
}

/// On all edges, for both players, in both mirrors.
#[test]
fn templates_hold_wherever_they_are_placed() {
    for size in ["7x5", "5x8", "7x4"] {
        let board = board(size);
        for player in Player::BOTH {
            let placed = placed(board, player);
            assert!(placed.len() > 5, "{} on {board} for {player}", placed.len());
            for template in placed.iter() {
                assert!(joins(board, player, template.end, template.edge, template.needs, template.carrier));
                let mut builder = ProofBuilder::new(board, player);
                let line = template.write(&mut builder).expect("its proof holds here");
                assert_eq!(builder.ends(line), [template.edge.min(template.end), template.edge.max(template.end)]);
                assert_eq!(builder.carrier(line), template.carrier);
                assert_eq!(builder.needs(line), template.needs);
            }
        }
    }
}

/// Connections of random positions, with templates among them, by exact search.
#[test]
fn connections_with_templates_hold() {
    let mut random = Random::new(35);
    let mut tried = 0;
    for (size, stones) in [("6x4", 2), ("7x5", 6), ("5x6", 5)] {
        let position = scatter(board(size), stones, None, &mut random);
        for player in Player::BOTH {
            let connections = Connections::<1>::of_position(&position, player, ConnectionLimits::USUAL);
            let (mine, theirs) = (connections.mine(), connections.theirs());
            for (x, y, kind, carrier) in connections.iter().filter(|found| found.3.len() <= 14) {
                let question = ConnectionQuestion { board: position.board(), player, mine, theirs, ends: (x, y), kind };
                let answer = question.within(carrier, &Budget::unlimited()).expect("a small region");
                assert!(answer.carrier.is_some(), "{x:?} {y:?} {kind} {carrier:?} of {player} in\n{position}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried} were tried");
}

/// A stone of a group, its first one and another, with a stone in the carrier.
#[test]
fn a_connection_of_a_group_is_written_into_a_proof() {
    let board = board("8x6");
    let named =
        |names: &str| -> Cells { names.split(' ').map(|name| board.cell_of_name(name).expect("a cell")).collect() };
    for (mine, x) in [("e3", "e3"), ("e2 e3", "e2"), ("e2 e3", "e3"), ("e2 e3 g6", "e3")] {
        let mine = named(mine);
        let x = ConnectionEnd::Cell(board.cell_of_name(x).expect("a cell"));
        let connections = Connections::new(board, Player::Red, mine, Cells::EMPTY, ConnectionLimits::USUAL);
        let carriers: Vec<Cells> = connections.carriers(x, ConnectionEnd::LAST, ConnectionKind::Full).collect();
        let carrier = carriers.into_iter().max_by_key(Cells::len).expect("the template of the fourth row");
        let mut builder = ProofBuilder::new(board, Player::Red);
        let mut writer = DerivationWriter::new(&mut builder, &connections);
        let line = writer.write((x, ConnectionEnd::LAST), ConnectionKind::Full, carrier).expect("it follows");
        assert_eq!(builder.ends(line), [ConnectionEnd::LAST, x]);
        assert!(builder.carrier(line).is_subset(&carrier));
        assert!(builder.needs(line).is_subset(&mine));
    }
}

/// Exit status and output of the command.
fn command(args: &[&str]) -> (i32, String) {
    let (status, output, errors) = run(".", args, "");
    (status, output + &errors)
}

/// On a board that is wider than high Red joins the edges though Blue moves first, by pairing (Gale; Nash), so that each
/// cell below the top is joined to the bottom over the top.
#[test]
fn cells_are_joined_to_the_bottom_of_wide_boards_over_the_top() {
    for (width, height) in [(3, 2), (4, 3), (5, 3), (5, 4), (6, 4), (7, 4), (8, 4)] {
        let board = Board::new(width, height).expect("a board");
        let position = Position::new(board);
        let connections = Connections::<MAX_WIDTH>::of_position(&position, Player::Red, ConnectionLimits::USUAL);
        for cell in board.cells().filter(|&cell| board.row(cell) == 0) {
            let x = ConnectionEnd::Cell(cell);
            let carrier = connections.carriers(x, ConnectionEnd::LAST, ConnectionKind::Full).next();
            let carrier = carrier.unwrap_or_else(|| panic!("{} on {board}", board.name(cell)));
            let mut builder = ProofBuilder::new(board, Player::Red);
            let mut writer = DerivationWriter::new(&mut builder, &connections);
            let line = writer.write((x, ConnectionEnd::LAST), ConnectionKind::Full, carrier).expect("it follows");
            assert!(builder.carrier(line).is_subset(&carrier) && builder.needs(line).is_empty());
        }
    }
}

#[test]
fn the_fourth_row_is_connected_by_default() {
    let question =
        ["hex", "connections", "8x4", "--player", "red", "--between", "d1", "bottom", "--kind", "full", "--why"];
    let (status, found) = command(&question);
    assert_eq!(status, 0, "{found}");
    assert!(found.contains("full, 19 cells: ") && found.contains("AND at top"), "{found}");
}

#[test]
fn the_command_lists_shows_and_finds_templates() {
    let (_, list) = command(&["hex", "templates"]);
    assert!(list.contains("template 1: b2 to bottom in 2 cells, 1 line\n"), "{list}");
    let (_, one) = command(&["hex", "templates", "1"]);
    assert!(one.contains("carrier: ") && one.contains("   7 bridge b2 bottom a3 b3"), "{one}");
    let (_, found) = command(&["hex", "templates", "--find", "--size", "3x2", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["templates"].as_array().map(Vec::len), Some(1));
    assert_eq!((&found["templates"][0]["row"], &found["templates"][0]["end"]), (&json!(2), &json!("b2")));
    for wrong in [&["hex", "templates", "0"][..], &["hex", "templates", "--find", "--size", "40x9"]] {
        let (status, told) = command(wrong);
        assert_eq!(status, 2, "{told}");
    }
}
