//! Graphs as facts, from which games on graphs are made.
//!
//! ```text
//! edge(a, b).             nodes are named by their edges; given again, or as edge(b, a), it is the same edge
//! edge(e, a, b).          an edge with a name of its own, e; two nodes may have several
//! node(c).                a node without edges
//! at(a, 0, 100).          where a node is drawn: hundredths of a unit to the right and down; without, nodes are on a circle
//! source(a). target(b).   what Short joins
//! border(top, a).         in Hex: red joins `top` and `bottom`, blue `left` and `right`
//! begins(cut).            who moves first, if not the side that usually does
//! ```

use crate::board::picture::{NOBODY, PlanePoint, towards};
use crate::board::{BoardCell, CellGraph};
use crate::rulesheet::{NodeName, Rulesheet};
use crate::size::NoSuchGame;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, counted};
use ludolog_syntax::is_integer;
use std::collections::HashMap;

/// The predicates of a graph.
const FACTS: &str =
    "edge(a, b), edge(name, a, b), node(a), at(a, X, Y), source(a), target(a), border(b, a) and begins(side)";

/// The way to have several edges between two nodes.
const NAME_BOTH: &str = "for two edges between them, name both, as in edge(e1, a, b) and edge(e2, a, b)";

/// The distance of nodes side by side on a circle, in hundredths of a unit.
const APART: f64 = 100.0;

/// An edge between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndirectedEdge {
    /// Its name.
    pub name: NodeName,
    /// Its two nodes by number.
    pub nodes: [usize; 2],
}

/// A graph whose edges have no direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UndirectedGraph {
    /// The names of the nodes.
    pub nodes: Vec<NodeName>,
    /// The edges.
    pub edges: Vec<UndirectedEdge>,
    /// The place where each node is drawn.
    pub places: Vec<PlanePoint>,
    /// The nodes from which Short sets out.
    pub sources: Vec<usize>,
    /// The nodes that Short is to reach.
    pub targets: Vec<usize>,
    /// Names of borders with their nodes.
    pub borders: Vec<(NodeName, usize)>,
    /// Who moves first, if it is not the side that usually does.
    pub begins: Option<NodeName>,
    /// A warning of edges that are given again without names. It is about games in which edges are claimed: in others, two
    /// edges between two nodes are as good as one.
    pub repeated: Diagnostics,
}

impl UndirectedGraph {
    /// Reads a graph off facts.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownPredicate`] for other facts, [`Code::UnknownName`] for nodes without edge that no `node` names,
    /// and [`Code::InconsistentCase`] for names that are no constants, an edge from a node to itself, two edges of one
    /// name, and a graph without nodes.
    pub fn of_facts(facts: &[Atom]) -> Result<UndirectedGraph, Diagnostics> {
        let mut reader = GraphReader::default();
        // Nodes first, so that the order of facts does not matter.
        facts.iter().for_each(|fact| reader.node_or_edge(fact));
        facts.iter().for_each(|fact| reader.other(fact));
        if reader.graph.nodes.is_empty() && !reader.errors.has_errors() {
            let message = "a graph has nodes, and these facts name none";
            reader
                .errors
                .push(Diagnostic::error(Code::InconsistentCase, message).help(format!("the facts are {FACTS}")));
        }
        if reader.errors.has_errors() {
            return Err(reader.errors);
        }
        let repeated = reader.repeated();
        let GraphReader { mut graph, places, .. } = reader;
        graph.repeated = repeated;
        let count = graph.nodes.len();
        let radius = APART / (2.0 * (180.0 / count.max(2) as f64).to_radians().sin());
        let on_circle = |node: usize| towards((0.0, 0.0), radius, 360.0 * node as f64 / count as f64 - 90.0);
        graph.places = (0..count).map(|node| places.get(&node).copied().unwrap_or_else(|| on_circle(node))).collect();
        Ok(graph)
    }

    /// A graph with edges between nodes, which are drawn at places.
    pub fn new(
        nodes: Vec<NodeName>,
        places: Vec<PlanePoint>,
        pairs: impl IntoIterator<Item = [usize; 2]>,
    ) -> UndirectedGraph {
        let edges = pairs
            .into_iter()
            .map(|pair| UndirectedEdge { name: edge_name(pair.map(|node| &nodes[node])), nodes: pair });
        UndirectedGraph { edges: edges.collect(), nodes, places, ..UndirectedGraph::default() }
    }
}

impl UndirectedGraph {
    /// The one of two sides that moves first, usually the first one.
    ///
    /// # Errors
    ///
    /// [`NoSuchGame`] if another one is to begin.
    pub fn first_of<'s>(&self, sides: &[&'s str; 2]) -> Result<&'s str, NoSuchGame> {
        let Some(begins) = &self.begins else { return Ok(sides[0]) };
        let wrong = || NoSuchGame { message: format!("begins({begins}): the sides are {} and {}", sides[0], sides[1]) };
        sides.iter().copied().find(|&side| NodeName::from(side) == *begins).ok_or_else(wrong)
    }

    /// Checks that there is a source and a target, and that no node is both.
    ///
    /// # Errors
    ///
    /// [`NoSuchGame`] if not.
    pub(crate) fn check_ends(&self) -> Result<(), NoSuchGame> {
        let missing =
            [("source", &self.sources), ("target", &self.targets)].into_iter().find(|(_, ends)| ends.is_empty());
        if let Some((name, _)) = missing {
            return Err(NoSuchGame {
                message: format!("there is no {name}: write {name}(a) for the node that Short joins"),
            });
        }
        match self.sources.iter().find(|node| self.targets.contains(node)) {
            Some(&node) => {
                Err(NoSuchGame { message: format!("`{}` is source and target: Short has won", self.nodes[node]) })
            }
            None => Ok(()),
        }
    }

    /// Draws the edges as lines of the board.
    #[must_use]
    pub(crate) fn draw_edges(&self, sheet: Rulesheet) -> Rulesheet {
        let lines = self.edges.iter().map(|edge| {
            let places = edge.nodes.map(|node| self.places[node]);
            (NOBODY, places)
        });
        sheet.facts("picture_line", lines)
    }
}

impl CellGraph {
    /// The board whose cells are the nodes of a graph, without borders.
    pub(crate) fn of_graph(graph: &UndirectedGraph) -> CellGraph {
        let cell =
            |(name, &center): (&NodeName, &PlanePoint)| BoardCell { name: name.clone(), center, outline: Vec::new() };
        let mut links: Vec<(usize, usize)> = graph.edges.iter().map(|edge| edge.nodes.into()).collect();
        links.iter_mut().for_each(|(a, b)| (*a, *b) = (*a.min(b), *a.max(b)));
        links.cold_sort();
        links.dedup();
        CellGraph { cells: graph.nodes.iter().zip(&graph.places).map(cell).collect(), links, ..CellGraph::default() }
    }
}

/// The name of an edge without one of its own: a symbol of both nodes. No other two have the same: symbols that are
/// empty, look like integers, or contain a dash or a quotation mark are quoted.
fn edge_name(nodes: [&NodeName; 2]) -> NodeName {
    let [from, to] = nodes.map(|node| match node.constant() {
        Some(Term::Symbol(name)) if name.is_empty() || is_integer(name) || name.contains(['-', '"']) => {
            format!("{name:?}")
        }
        Some(Term::Symbol(name)) => name.to_string(),
        _ => node.to_string(),
    });
    Term::symbol(&format!("{from}-{to}")).into()
}

#[derive(Default)]
struct GraphReader {
    graph: UndirectedGraph,
    numbers: HashMap<NodeName, usize>,
    edges: HashMap<NodeName, [usize; 2]>,
    places: HashMap<usize, PlanePoint>,
    /// The edges that are given again without names.
    again: Vec<([usize; 2], Span)>,
    errors: Diagnostics,
}

impl GraphReader {
    fn error(&mut self, code: Code, message: String, at: Span, help: &str) {
        self.errors.push(Diagnostic::error(code, message).at(at, "in this fact").help(help.to_owned()));
    }

    /// The name that a constant is.
    fn name(&mut self, term: &Term, at: Span) -> Option<NodeName> {
        match term {
            Term::Symbol(_) | Term::Integer(_) => Some(term.clone().into()),
            Term::Variable(_) | Term::Float(_) | Term::Compound(..) => {
                self.error(
                    Code::InconsistentCase,
                    "a name is a constant".to_owned(),
                    at,
                    "write a symbol or an integer",
                );
                None
            }
        }
    }

    /// The number of a node, which is added if there is none of this name.
    fn node(&mut self, term: &Term, at: Span) -> Option<usize> {
        let name = self.name(term, at)?;
        let next = self.graph.nodes.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.graph.nodes.push(name);
        }
        Some(number)
    }

    /// The number of a node that there is.
    fn known(&mut self, term: &Term, at: Span) -> Option<usize> {
        let name = self.name(term, at)?;
        let number = self.numbers.get(&name).copied();
        if number.is_none() {
            let help = "name it in an edge, or as a `node` of its own";
            self.error(Code::UnknownName, format!("there is no node `{name}`"), at, help);
        }
        number
    }

    fn node_or_edge(&mut self, fact: &Atom) {
        let at = fact.span;
        match (fact.predicate.text(), &fact.args[..]) {
            ("node", [node]) => _ = self.node(node, at),
            ("edge", [from, to]) => _ = self.pair(from, to, at).map(|pair| self.edge(None, pair, at)),
            ("edge", [name, from, to]) => {
                if let (Some(name), Some(pair)) = (self.name(name, at), self.pair(from, to, at)) {
                    self.edge(Some(name), pair, at);
                }
            }
            _ => {}
        }
    }

    fn pair(&mut self, from: &Term, to: &Term, at: Span) -> Option<[usize; 2]> {
        Some([self.node(from, at)?, self.node(to, at)?])
    }

    fn edge(&mut self, name: Option<NodeName>, nodes: [usize; 2], at: Span) {
        let [from, to] = nodes;
        if from == to {
            let message = format!("an edge leads from `{}` to itself", self.graph.nodes[from]);
            return self.error(Code::InconsistentCase, message, at, "leave it out: it links nothing");
        }
        // Of edges without names each pair of nodes has one, in whatever order it is given.
        let plain = name.is_none();
        let names = nodes.map(|node| &self.graph.nodes[node]);
        let [same, reversed] = [names, [names[1], names[0]]].map(edge_name);
        if plain && self.edges.get(&reversed).is_some_and(|&other| other == [to, from]) {
            return self.again.push((nodes, at));
        }
        let name = name.unwrap_or(same);
        match self.edges.insert(name.clone(), nodes) {
            None => self.graph.edges.push(UndirectedEdge { name, nodes }),
            Some(other) if plain && other == nodes => self.again.push((nodes, at)),
            Some(_) => {
                let message = format!("two edges have the name `{name}`");
                self.error(Code::InconsistentCase, message, at, "give each edge a name of its own");
            }
        }
    }

    /// One warning of all edges that are given again: a file may have each in both directions.
    fn repeated(&self) -> Diagnostics {
        let mut warnings = Diagnostics::new();
        if let [([from, to], at), more @ ..] = &self.again[..] {
            let [from, to] = [from, to].map(|&node| &self.graph.nodes[node]);
            let message = format!("an edge between `{from}` and `{to}` is given again, and is the same edge");
            let help = match more.len() {
                0 => NAME_BOTH.to_owned(),
                more => format!("{NAME_BOTH}; the same holds of {}", counted(more, "further edge")),
            };
            warnings.push(Diagnostic::warning(Code::InconsistentCase, message).at(*at, "again here").help(help));
        }
        warnings
    }

    fn other(&mut self, fact: &Atom) {
        let at = fact.span;
        match (fact.predicate.text(), &fact.args[..]) {
            ("node", [_]) | ("edge", [_, _] | [_, _, _]) => {}
            ("source", [node]) => _ = self.known(node, at).map(|node| self.graph.sources.push(node)),
            ("target", [node]) => _ = self.known(node, at).map(|node| self.graph.targets.push(node)),
            ("border", [border, node]) => {
                if let (Some(border), Some(node)) = (self.name(border, at), self.known(node, at)) {
                    self.graph.borders.push((border, node));
                }
            }
            ("at", [node, Term::Integer(x), Term::Integer(y)]) => {
                if let Some(node) = self.known(node, at) {
                    self.places.insert(node, (*x as f64, *y as f64));
                }
            }
            ("begins", [side]) => self.graph.begins = self.name(side, at),
            (predicate, arguments) => {
                let message = format!("`{predicate}` with {} arguments is no fact of a graph", arguments.len());
                self.error(
                    Code::UnknownPredicate,
                    message,
                    at,
                    &format!("the facts are {FACTS}; X and Y are integers"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::budget::Budget;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::load_facts;
    use std::path::PathBuf;

    fn graph(text: &str) -> Result<UndirectedGraph, String> {
        let files = HashMap::from([(PathBuf::from("graph.dl"), text.to_owned())]);
        let facts = load_facts(&files, &["graph.dl".into()], None, None, &mut Sources::new(), &Budget::unlimited());
        let read = UndirectedGraph::of_facts(&facts.expect("there is no limit").expect("facts").into_atoms());
        read.map_err(|wrong| wrong.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn graphs_are_read_off_facts() {
        let read =
            graph("source(a). edge(a, b). edge(b, a). edge(x, a, b). at(a, 5, 7). node(c). begins(cut).").unwrap();
        assert_eq!(read.nodes, ["a", "b", "c"].map(NodeName::from));
        assert_eq!(read.edges.iter().map(|edge| edge.name.to_string()).collect::<Vec<_>>(), ["a-b", "x"]);
        assert_eq!((read.places[0], read.sources, read.begins), ((5.0, 7.0), vec![0], Some("cut".into())));
    }

    #[test]
    fn edges_that_are_given_again_are_told_once() {
        let told = |text: &str| {
            let repeated = graph(text).unwrap().repeated;
            repeated.iter().map(|warning| format!("{}; {:?}", warning.message, warning.help)).collect::<Vec<_>>()
        };
        assert_eq!(told("edge(a, b). edge(e1, a, b). edge(e2, b, a)."), [""; 0]);
        let [one] = &told("edge(a, b). edge(b, a).")[..] else { panic!("one warning") };
        assert!(one.starts_with("an edge between `b` and `a` is given again, and is the same edge"), "{one}");
        let [three] = &told("edge(a, b). edge(b, a). edge(a, b). edge(b, c). edge(c, b).")[..] else {
            panic!("one warning")
        };
        assert!(three.contains("the same holds of 2 further edges"), "{three}");
    }

    #[test]
    fn wrong_graphs_are_told() {
        assert_eq!(graph("edge(a, a).").unwrap_err(), "an edge leads from `a` to itself");
        assert_eq!(graph("edge(x, a, b). edge(x, b, c).").unwrap_err(), "two edges have the name `x`");
        assert_eq!(graph("edge(a, b). source(d).").unwrap_err(), "there is no node `d`");
        assert_eq!(graph("edge(a, b). arc(a, b).").unwrap_err(), "`arc` with 2 arguments is no fact of a graph");
        assert!(graph("").unwrap_err().contains("name none"));
    }
}
