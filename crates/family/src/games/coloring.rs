//! The vertex coloring game: Alice wants all nodes of a graph colored, neighbors differently, and Bob does not.

use super::{FamilyGame, GameSources};
use crate::board::picture;
use crate::graph::UndirectedGraph;
use crate::rulesheet::{NodeName, Rulesheet};
use crate::size::{NoSuchGame, Parameter, SizeForm};

/// The colors, of which a game has the first few.
const COLORS: [&str; 8] = ["red", "blue", "green", "yellow", "orange", "purple", "cyan", "brown"];

/// The vertex coloring game.
pub const COLORING: FamilyGame = FamilyGame {
    name: "coloring",
    about: "The vertex coloring game on five countries; on any graph with --graph",
    form: SizeForm::of(&[Parameter { name: "colors", least: 1, most: COLORS.len() }], &[4]),
    rules: |size| on_graph(size, &five_countries()),
    given: GameSources::Graph(on_graph),
};

/// Five countries, of which all but two, d and e, are neighbors (Walderhaug, *Hex*, 2022, section 6.1).
///
/// The source says that Bob wins with four colors. Alice does: she begins with a, answers d by e in the same color and
/// the other way round, and b by c; then d and e get what is left.
fn five_countries() -> UndirectedGraph {
    let names = ["a", "b", "c", "d", "e"].map(NodeName::from).to_vec();
    let pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| [a, b])).filter(|pair| *pair != [3, 4]);
    // The triangle of a, b and e is around c, and that of a, b and c around d.
    let places = [(0.0, 300.0), (400.0, 300.0), (200.0, 150.0), (200.0, 240.0), (200.0, 0.0)];
    UndirectedGraph::new(names, places.to_vec(), pairs)
}

fn on_graph(size: &[usize], graph: &UndirectedGraph) -> Result<String, NoSuchGame> {
    let colors = &COLORS[..size[0]];
    let title = format!("The vertex coloring game with {} colors.", colors.len());
    let node = |node: usize| &graph.nodes[node];
    let links = graph.edges.iter().map(|edge| edge.nodes.map(node));
    let sheet = Rulesheet::new(&title)
        .includes(&["coloring"])
        .paragraph("The graph and the colors.")
        .facts("node", &graph.nodes)
        .facts("link", links)
        .facts("color", colors.iter().copied())
        .facts("begins", [graph.first_of(&["alice", "bob"])?])
        .paragraph(picture::TITLE)
        .facts("picture_cell", graph.nodes.iter().zip(&graph.places).map(|(name, &place)| (name, place)));
    Ok(graph.draw_edges(sheet).into_text())
}
