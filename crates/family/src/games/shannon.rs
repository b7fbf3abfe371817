//! Shannon switching: Short joins two nodes of a graph, Cut keeps them apart. And Bridg-it, where both sides join.
//!
//! On vertices, the sides claim nodes; Hex is that game on the graph of its board, with two more nodes beyond red's
//! borders. On edges, Short's edges stay and Cut's are gone. Bridg-it is that game, told from both sides at once: where
//! one side's edge is gone, one of the other side has been drawn across it.

use super::hex::{begun_by, roles};
use super::{FamilyGame, GameSources};
use crate::board::hexagons::{name, rhombus};
use crate::board::picture::{self, PlanePoint};
use crate::board::{Border, CellGraph};
use crate::graph::{UndirectedEdge, UndirectedGraph};
use crate::rulesheet::{NodeName, Rulesheet};
use crate::size::{NoSuchGame, Parameter, SizeForm, columns_and_rows};

/// The sides of Shannon switching.
pub const SIDES: [&str; 2] = ["short", "cut"];

/// The sides of Bridg-it.
const BRIDGERS: [&str; 2] = ["red", "blue"];

/// The distance of nodes, in hundredths of a unit.
const APART: f64 = 100.0;

/// Shannon switching on vertices.
pub const VERTICES: FamilyGame = FamilyGame {
    name: "shannon-vertices",
    about: "Shannon switching on vertices, as in Hex; on any graph with --graph",
    form: SizeForm::of(&columns_and_rows(1, 19), &[4, 4]),
    rules: |size| {
        let title = format!(
            "Shannon switching on the vertices of a board of Hex with {} columns and {} rows: Short joins the source above to\n\
             the target below, Cut keeps them apart.",
            size[0], size[1]
        );
        let mut board = rhombus(size[0], size[1]);
        board.borders.truncate(2);
        for (border, name) in board.borders.iter_mut().zip(["source", "target"]) {
            *border = Border { name, owner: Some(SIDES[0]), ..border.clone() };
        }
        Ok(board.draw(on_vertices(&title, &board, SIDES[0])).into_text())
    },
    given: GameSources::Graph(|_, graph| {
        let title =
            "Shannon switching on the vertices of a graph: Short joins source and target, Cut keeps them apart.";
        graph.check_ends()?;
        let is_end = |node: &usize| graph.sources.contains(node) || graph.targets.contains(node);
        if graph.edges.iter().any(|edge| edge.nodes.iter().all(is_end)) {
            let message =
                "an edge joins source and target, or two of a kind, so that there is nothing to claim between them";
            return Err(NoSuchGame { message: message.to_owned() });
        }
        let mut board = CellGraph::of_graph(graph);
        for (name, ends) in [("source", &graph.sources), ("target", &graph.targets)] {
            let neighbors = board.neighbors();
            let cells = (0..graph.nodes.len()).filter(|node| neighbors[*node].iter().any(|next| ends.contains(next)));
            board.borders.push(Border { name, owner: None, cells: cells.collect(), direction: f64::NAN });
        }
        let board = board.without(|cell| is_end(&cell));
        let sheet = on_vertices(title, &board, graph.first_of(&SIDES)?);
        Ok(graph.draw_edges(board.draw(sheet)).into_text())
    }),
};

/// The rules on a board with the borders `source` and `target`, which are the neighbors of the two nodes to join.
fn on_vertices(title: &str, board: &CellGraph, first: &str) -> Rulesheet {
    let rules = ["place", "first-wins", "connection", "joined", "join-wins", "cut"];
    let sheet = begun_by(Rulesheet::new(title).includes(&rules), &SIDES, first);
    board.write(sheet).facts("joins", [["short", "source", "target"]])
}

/// Shannon switching on edges.
pub const EDGES: FamilyGame = FamilyGame {
    name: "shannon-edges",
    about: "Shannon switching on edges, between corners of a grid; on any graph with --graph",
    form: SizeForm::of(&columns_and_rows(2, 12), &[3, 3]),
    rules: |size| {
        let [columns, rows] = [size[0], size[1]];
        let title = format!(
            "Shannon switching on the edges of a grid with {columns} columns and {rows} rows of nodes: Short joins opposite\n\
             corners, Cut keeps them apart."
        );
        let at = |node: usize| (node % columns, node / columns);
        let places = (0..columns * rows).map(|node| (at(node).0 as f64 * APART, at(node).1 as f64 * APART));
        let nodes = (0..columns * rows).map(|node| name(at(node).0, at(node).1).into());
        let pairs = (0..columns * rows).flat_map(|node| {
            let right = (at(node).0 + 1 < columns).then_some([node, node + 1]);
            right.into_iter().chain((at(node).1 + 1 < rows).then_some([node, node + columns]))
        });
        let mut graph = UndirectedGraph::new(nodes.collect(), places.collect(), pairs);
        (graph.sources, graph.targets) = (vec![0], vec![columns * rows - 1]);
        on_edges(&title, &graph)
    },
    given: GameSources::Graph(|_, graph| {
        let title = "Shannon switching on the edges of a graph: Short joins source and target, Cut keeps them apart.";
        on_edges(title, graph)
    }),
};

fn on_edges(title: &str, graph: &UndirectedGraph) -> Result<String, NoSuchGame> {
    graph.check_ends()?;
    if graph.edges.is_empty() {
        return Err(NoSuchGame { message: "the graph has no edges to claim".to_owned() });
    }
    let node = |node: usize| &graph.nodes[node];
    let ends = |nodes: &[usize]| nodes.iter().map(|&end| (SIDES[0], node(end))).collect::<Vec<_>>();
    let wires = graph.edges.iter().map(|edge| (SIDES[0], &edge.name, edge.nodes.map(node)));
    let links = graph.edges.iter().map(|edge| {
        let places = edge.nodes.map(|node| graph.places[node]);
        (&edge.name, places)
    });
    let sheet = Rulesheet::new(title).includes(&["place", "first-wins", "wires", "wires-cut"]);
    let sheet = begun_by(sheet, &SIDES, graph.first_of(&SIDES)?)
        .paragraph("The graph: edges, which are the cells, with their nodes; what to join.")
        .facts("cell", graph.edges.iter().map(|edge| &edge.name))
        .facts("wire", wires)
        .facts("source", ends(&graph.sources))
        .facts("target", ends(&graph.targets))
        .paragraph(picture::TITLE)
        .facts("picture_link", links);
    Ok(sheet.into_text())
}

/// The largest Bridg-it.
pub const MOST_BRIDGIT: usize = 12;

/// Bridg-it.
pub const BRIDGIT: FamilyGame = FamilyGame {
    name: "bridg-it",
    about: "Bridg-it: two grids of dots across each other, top to bottom against left to right",
    form: SizeForm::of(&[Parameter { name: "size", least: 1, most: MOST_BRIDGIT }], &[3]),
    rules: |size| Ok(bridgit(size[0])),
    given: GameSources::Nothing,
};

/// A place on a board of Bridg-it: a square of lines from 0 to twice the size. Red's dots are on odd columns and even
/// rows, blue's on even columns and odd rows. Where both are even or both odd, and not on the edge, is a cell, between
/// two dots of each.
type Spot = (usize, usize);

/// The cells of Bridg-it.
fn bridgit_cells(size: usize) -> Vec<Spot> {
    let inside = 1..2 * size;
    let spots = inside.clone().flat_map(|y| inside.clone().map(move |x| (x, y)));
    spots.filter(|(x, y)| (x + y).is_multiple_of(2)).collect()
}

fn bridgit_cell((x, y): Spot) -> NodeName {
    name(x - 1, y - 1).into()
}

/// The dots of each side that a cell is between. Red's line goes down where columns are odd, and across where they are
/// even.
fn bridgit_dots((x, y): Spot) -> [[Spot; 2]; 2] {
    let [down, across] = [[(x, y - 1), (x, y + 1)], [(x - 1, y), (x + 1, y)]];
    if x % 2 == 1 { [down, across] } else { [across, down] }
}

fn bridgit_dot((x, y): Spot) -> NodeName {
    format!("d{x}.{y}").into()
}

fn bridgit_place((x, y): Spot) -> PlanePoint {
    (x as f64 * APART / 2.0, y as f64 * APART / 2.0)
}

/// The grid of red's dots, on which Bridg-it is Shannon switching with red as Short; edges have the names of cells.
pub fn bridgit_graph(size: usize) -> UndirectedGraph {
    let dots: Vec<Spot> =
        (0..=2 * size).step_by(2).flat_map(|y| (1..2 * size).step_by(2).map(move |x| (x, y))).collect();
    let number = |dot: Spot| dot.1 / 2 * size + dot.0 / 2;
    let edges = bridgit_cells(size)
        .into_iter()
        .map(|cell| UndirectedEdge { name: bridgit_cell(cell), nodes: bridgit_dots(cell)[0].map(number) });
    UndirectedGraph {
        edges: edges.collect(),
        nodes: dots.iter().map(|&dot| bridgit_dot(dot)).collect(),
        places: dots.iter().map(|&dot| bridgit_place(dot)).collect(),
        sources: (0..size).collect(),
        targets: (size * size..size * (size + 1)).collect(),
        ..UndirectedGraph::default()
    }
}

fn bridgit(size: usize) -> String {
    let edge = 2 * size;
    let cells = bridgit_cells(size);
    let cell = bridgit_cell;
    let dot = bridgit_dot;
    let place = bridgit_place;
    let wires = |side: usize| {
        let wire = move |&at: &(usize, usize)| (BRIDGERS[side], cell(at), bridgit_dots(at)[side].map(dot));
        cells.iter().map(wire)
    };
    let odd = || (1..edge).step_by(2);
    let corners = cells.iter().flat_map(|&(x, y)| {
        let outline = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)].into_iter().enumerate();
        outline.map(move |(k, corner)| (cell((x, y)), k, place(corner)))
    });
    let borders = [("red", [(0, 0), (edge, 0)]), ("red", [(0, edge), (edge, edge)])]
        .into_iter()
        .chain([("blue", [(0, 0), (0, edge)]), ("blue", [(edge, 0), (edge, edge)])]);
    let title = format!(
        "Bridg-it of size {size}: {size} by {more} dots of red, and {more} by {size} of blue between them.\n\
         A cell lies between two dots of each side: a stone there is a line between those of its side, across the other's.\n\
         Red's lines join top and bottom, blue's left and right. Dots are named by places: d1.0 is red's in the upper row.",
        more = size + 1
    );
    roles(Rulesheet::new(&title).includes(&["place", "first-wins", "wires"]), &BRIDGERS)
        .paragraph("The board: cells, lines, and the dots at the edge.")
        .facts("cell", cells.iter().map(|&at| cell(at)))
        .facts("wire", wires(0).chain(wires(1)))
        .facts("source", odd().flat_map(|k| [("red", dot((k, 0))), ("blue", dot((0, k)))]))
        .facts("target", odd().flat_map(|k| [("red", dot((k, edge))), ("blue", dot((edge, k)))]))
        .paragraph(picture::TITLE)
        .facts("picture_cell", cells.iter().map(|&at| (cell(at), place(at))))
        .facts("picture_corner", corners)
        .facts("picture_line", borders.map(|(side, ends)| (side, ends.map(place))))
        .into_text()
}
