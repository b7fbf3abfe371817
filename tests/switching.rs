//! Shannon switching on edges: who wins against brute force, strategies against all play, proofs altered.

use crate::binary::run;
use ludolog::certificate::Certificate;
use ludolog::family::games::shannon::bridgit_graph;
use ludolog::family::switching::{EdgeId, Strategy, Switching, SwitchingWinner, TreeCertificate};
use petgraph::algo::{connected_components, is_cyclic_undirected};
use petgraph::graph::UnGraph;
use petgraph::unionfind::UnionFind;
use proptest::prelude::*;
use std::collections::HashMap;

/// A game on nodes of which 0 is the source and 1 the target.
fn game(nodes: usize, edges: &[[usize; 2]]) -> Switching {
    Switching { names: (0..edges.len()).map(|edge| format!("e{edge}")).collect(), edges: edges.to_vec(), nodes }
}

/// Whether the edges that a bit set holds join source and target.
fn joins(game: &Switching, edges: u32) -> bool {
    let mut parts = UnionFind::<usize>::new(game.nodes);
    for (number, [from, to]) in game.edges.iter().enumerate() {
        if edges >> number & 1 == 1 {
            parts.union(*from, *to);
        }
    }
    parts.equiv(0, 1)
}

/// Whether Short wins, by all play: with the edges of Short and of Cut, and who is to move.
fn short_wins(
    game: &Switching,
    short: u32,
    cut: u32,
    moves: bool,
    known: &mut HashMap<(u32, u32, bool), bool>,
) -> bool {
    if joins(game, short) {
        return true;
    }
    let all = (1u32 << game.edges.len()) - 1;
    if !joins(game, all & !cut) {
        return false;
    }
    if let Some(&wins) = known.get(&(short, cut, moves)) {
        return wins;
    }
    let mut free = (0..game.edges.len()).map(|edge| 1 << edge).filter(|edge| (short | cut) & edge == 0);
    let wins = if moves {
        free.any(|edge| short_wins(game, short | edge, cut, false, known))
    } else {
        free.all(|edge| short_wins(game, short, cut | edge, true, known))
    };
    known.insert((short, cut, moves), wins);
    wins
}

fn by_brute_force(game: &Switching) -> SwitchingWinner {
    let mut known = HashMap::new();
    match [true, false].map(|begins| short_wins(game, 0, 0, begins, &mut known)) {
        [_, true] => SwitchingWinner::Short,
        [true, false] => SwitchingWinner::First,
        [false, false] => SwitchingWinner::Cut,
    }
}

/// Whether the strategy wins against every play of Cut from here on.
fn wins_always(strategy: &Strategy<'_>, free: &[EdgeId]) -> bool {
    strategy.has_won()
        || !free.is_empty()
            && free.iter().all(|&edge| {
                let mut strategy = strategy.clone();
                let answer = strategy.answer(edge);
                let left: Vec<EdgeId> =
                    free.iter().copied().filter(|&other| other != edge && Some(other) != answer).collect();
                answer.is_none_or(|answer| free.contains(&answer)) && wins_always(&strategy, &left)
            })
}

/// Holds trees against petgraph: as many edges as nodes less one, no cycle, one part; and no common edge.
fn assert_trees(game: &Switching, certificate: &TreeCertificate) {
    let trees = &certificate.trees.trees;
    assert!(trees[0].is_disjoint(&trees[1]));
    let nodes = trees.each_ref().map(|tree| {
        let ends: Vec<(u32, u32)> = tree
            .iter()
            .map(|&edge| game.edges.get(edge).map_or((0, 1), |&[from, to]| (from as u32, to as u32)))
            .collect();
        let graph = UnGraph::<(), ()>::from_edges(&ends);
        assert!(!is_cyclic_undirected(&graph));
        let touched: std::collections::BTreeSet<u32> = ends.iter().flat_map(|&(from, to)| [from, to]).collect();
        // Nodes that the tree does not touch are parts of their own.
        assert_eq!(connected_components(&graph), 1 + graph.node_count() - touched.len());
        touched
    });
    assert!(nodes[0] == nodes[1] && nodes[0].contains(&0) && nodes[0].contains(&1));
}

#[test]
fn small_graphs_by_hand() {
    // One edge: who begins has it. Two edges side by side: Cut cannot take both. Two in a row: Cut takes one.
    assert_eq!(game(2, &[[0, 1]]).outcome(), SwitchingWinner::First);
    assert_eq!(game(2, &[[0, 1], [0, 1]]).outcome(), SwitchingWinner::Short);
    assert_eq!(game(3, &[[0, 2], [2, 1]]).outcome(), SwitchingWinner::Cut);
    // The bridge of Wheatstone is fair; with each node next to every other, one more edge is enough.
    let bridge = [[0, 2], [0, 3], [2, 3], [2, 1], [3, 1]];
    assert_eq!(game(4, &bridge).outcome(), SwitchingWinner::First);
    assert_eq!(game(4, &[&bridge[..], &[[0, 1]]].concat()).outcome(), SwitchingWinner::Short);
    // What hangs on a node, loops and parts that nobody reaches do not matter.
    assert_eq!(game(6, &[[0, 1], [0, 1], [0, 0], [1, 2], [4, 5]]).outcome(), SwitchingWinner::Short);
    assert_eq!(game(2, &[]).outcome(), SwitchingWinner::Cut);
}

proptest! {
    #[test]
    fn who_wins_is_what_all_play_comes_to(
        nodes in 2usize..7,
        edges in prop::collection::vec([0usize..7, 0usize..7], 0..10),
    ) {
        let edges: Vec<[usize; 2]> = edges.into_iter().map(|edge| edge.map(|node| node % nodes)).collect();
        let game = game(nodes, &edges);
        prop_assert_eq!(game.outcome(), by_brute_force(&game));
        for begins in [true, false] {
            let Some(trees) = game.trees(begins) else { continue };
            let certificate = TreeCertificate { game: game.clone(), trees: trees.clone() };
            prop_assert!(TreeCertificate::accept(certificate.to_text().as_bytes()).is_ok());
            assert_trees(&game, &certificate);
            let mut strategy = Strategy::new(&game, trees);
            let first = strategy.first_move();
            let free: Vec<EdgeId> = (0..edges.len()).filter(|&edge| Some(edge) != first).collect();
            prop_assert!(wins_always(&strategy, &free));
        }
    }

    /// A proof in which an edge is left out, added, or put into the other tree is refused.
    #[test]
    fn altered_proofs_are_refused(size in 1usize..5, tree in 0usize..2, place in 0usize..100, how in 0usize..3) {
        let game = Switching::of_graph(&bridgit_graph(size)).unwrap();
        let mut trees = game.trees(true).expect("red wins Bridg-it");
        let edge = *trees.trees[tree].iter().nth(place % trees.trees[tree].len()).expect("a tree has edges");
        match how {
            0 => _ = trees.trees[tree].remove(&edge),
            1 => _ = trees.trees[1 - tree].insert(edge),
            _ => trees.begins = false,
        }
        prop_assert!(trees.verify(&game).is_err());
    }
}

/// Who begins wins Bridg-it of every size (Lehman 1964; Gross's strategy is another proof).
#[test]
fn who_begins_wins_bridg_it() {
    for size in 1..=12 {
        let game = Switching::of_graph(&bridgit_graph(size)).unwrap();
        assert_eq!(game.outcome(), SwitchingWinner::First, "size {size}");
        let trees = game.trees(true).expect("Short wins by beginning");
        let certificate = TreeCertificate { game: game.clone(), trees: trees.clone() };
        assert_eq!(TreeCertificate::accept(certificate.to_text().as_bytes()).map(|read| read.trees.begins), Ok(true));
        assert_trees(&game, &certificate);
        // Cut takes an edge by turns from the front and from the back.
        let mut strategy = Strategy::new(&game, trees);
        let mut free: Vec<EdgeId> = (0..game.edges.len()).collect();
        let first = strategy.first_move();
        free.retain(|&edge| Some(edge) != first);
        while !strategy.has_won() {
            let taken = if free.len() % 4 < 2 { free.remove(0) } else { free.pop().expect("Short has won by now") };
            let answer = strategy.answer(taken);
            free.retain(|&edge| Some(edge) != answer);
        }
    }
    let game = Switching::of_graph(&bridgit_graph(2)).unwrap();
    assert_eq!(by_brute_force(&game), SwitchingWinner::First);
}

fn ludolog(arguments: &[&str]) -> (Option<i32>, String) {
    let (status, told, complaints) = run(".", arguments, "");
    (Some(status), told + &complaints)
}

#[test]
fn edges_that_are_given_again_without_names_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.dl").to_string_lossy().into_owned();
    let again = "an edge between `b` and `a` is given again, and is the same edge";
    // Two parallel edges are two trees, and one edge is Cut's if Cut begins.
    let cases = [
        ("edge(a, b). edge(b, a).", 1, "who begins wins, and cut begins", true),
        ("edge(e1, a, b). edge(e2, b, a).", 0, "Short wins, whoever begins", false),
    ];
    for (edges, expected, outcome, is_told) in cases {
        std::fs::write(&file, format!("{edges} source(a). target(b).")).unwrap();
        let (status, told) = ludolog(&["prove", "short", "--graph", &file, "--begins", "cut"]);
        assert_eq!(
            (status, told.starts_with(outcome), told.contains(again)),
            (Some(expected), true, is_told),
            "{told}"
        );
        let (_, told) = ludolog(&["game", "solve", "shannon-edges", "--graph", &file]);
        assert_eq!(told.contains(again), is_told, "{told}");
    }
    // On vertices, two edges between two nodes are as good as one.
    std::fs::write(&file, "edge(a, b). edge(b, a). edge(b, c). source(a). target(c).").unwrap();
    let (_, told) = ludolog(&["game", "solve", "shannon-vertices", "--graph", &file]);
    assert!(!told.contains("given again"), "{told}");
}

#[test]
fn proofs_of_short_are_written_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (status, told) = ludolog(&["prove", "short", "--bridg-it", "3", "--proof", &path("bridg-it.json")]);
    assert_eq!(status, Some(0), "{told}");
    assert!(told.starts_with("who begins wins, and short begins\nShort begins with "), "{told}");
    let (status, told) = ludolog(&["verify", &path("bridg-it.json")]);
    assert_eq!(
        (status, told.as_str()),
        (Some(0), "accepted: Short wins Shannon switching on 13 edges as the first player\n")
    );

    let text = std::fs::read_to_string(path("bridg-it.json")).unwrap();
    std::fs::write(path("second.json"), text.replace("\"begins\": true", "\"begins\": false")).unwrap();
    let (status, told) = ludolog(&["verify", &path("second.json")]);
    assert_eq!(status, Some(1));
    assert!(told.contains("a tree has an edge that the graph does not have"), "{told}");

    std::fs::write(path("row.dl"), "source(a). target(c). edge(a, b). edge(b, c).").unwrap();
    let (status, told) = ludolog(&["prove", "short", "--graph", &path("row.dl")]);
    assert_eq!(status, Some(1));
    assert!(told.starts_with("Cut wins, whoever begins"), "{told}");

    std::fs::write(path("none.dl"), "edge(a, b).").unwrap();
    let (status, told) = ludolog(&["prove", "short", "--graph", &path("none.dl")]);
    assert_eq!(status, Some(2));
    assert!(told.contains("there is no source"), "{told}");
    let (status, told) = ludolog(&["prove", "short", "--graph", &path("none.dl"), "--bridg-it", "2"]);
    assert_eq!(status, Some(2), "{told}");
}
