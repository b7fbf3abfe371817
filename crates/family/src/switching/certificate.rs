//! The file of a proof that Short wins, JSON.
//!
//! ```json
//! {
//!   "certificate": "ludolog switching",
//!   "version": 1,
//!   "edges": [["e", "source", "a"], ["f", "a", "target"], ["g", "source", "a"], ["h", "a", "target"]],
//!   "begins": false,
//!   "trees": [["e", "f"], ["g", "h"]]
//! }
//! ```
//!
//! An edge has a name, unlike any other, and two nodes; the nodes to join are called `source` and `target`. If Short
//! begins, a tree may have the edge `(begins)` between these two, which the graph does not have.

use super::{EdgeId, SOURCE, Switching, TARGET, Trees};
use ludolog_certificate::{Calculus, Certificate, Envelope, Refusal};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::counted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// The name of the edge that Short gains by beginning.
pub(super) const GAINED: &str = "(begins)";

/// The names of source and target.
const ENDS: [&str; 2] = ["source", "target"];

/// A proof that Short wins a game, which may be wrong until it is [checked](Certificate::check).
#[derive(Clone, Debug, PartialEq)]
pub struct TreeCertificate {
    /// The game.
    pub game: Switching,
    /// The proof.
    pub trees: Trees,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeFile {
    certificate: String,
    version: u32,
    edges: Vec<[String; 3]>,
    begins: bool,
    trees: [Vec<String>; 2],
}

impl Certificate for TreeCertificate {
    const CALCULUS: Calculus = Calculus { name: "ludolog switching", version: 1 };

    fn to_text(&self) -> String {
        let node = |number: usize| ENDS.get(number).map_or_else(|| format!("n{number}"), |&end| end.to_owned());
        let edges = self.game.names.iter().zip(&self.game.edges);
        let file = TreeFile {
            certificate: Self::CALCULUS.name.to_owned(),
            version: Self::CALCULUS.version,
            edges: edges.map(|(name, &[from, to])| [name.clone(), node(from), node(to)]).collect(),
            begins: self.trees.begins,
            trees: self.edges_of_trees().map(|edges| edges.into_iter().map(str::to_owned).collect()),
        };
        // Names and numbers are JSON.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Takes time in proportion to the file, whatever the budget.
    fn check(file: &[u8], _: &Budget) -> Result<Result<TreeCertificate, Refusal>, Stopped> {
        Ok(TreeCertificate::read(file).and_then(|certificate| {
            certificate.trees.verify(&certificate.game)?;
            Ok(certificate)
        }))
    }

    fn claim(&self) -> String {
        let edges = counted(self.game.edges.len(), "edge");
        let player = if self.trees.begins { "first" } else { "second" };
        format!("Short wins Shannon switching on {edges} as the {player} player")
    }
}

impl TreeCertificate {
    /// The names of the edges of both trees.
    pub fn edges_of_trees(&self) -> [Vec<&str>; 2] {
        self.trees.trees.each_ref().map(|tree| tree.iter().map(|&edge| self.game.name(edge)).collect())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The text is no such file, or names an edge twice, or one that there is not.
    fn read(file: &[u8]) -> Result<TreeCertificate, Refusal> {
        let refused = |reason: String| Refusal::new(reason);
        let file: TreeFile =
            serde_json::from_slice(file).map_err(|error| refused(format!("it is no certificate: {error}")))?;
        Envelope { calculus: file.certificate, version: file.version }.expect(Self::CALCULUS)?;
        let mut nodes = HashMap::from([(ENDS[0].to_owned(), SOURCE), (ENDS[1].to_owned(), TARGET)]);
        let mut numbers = HashMap::new();
        let mut names = Vec::new();
        let mut edges = Vec::new();
        for [name, from, to] in file.edges {
            if name == GAINED || numbers.insert(name.clone(), names.len()).is_some() {
                return Err(refused(format!("the name `{name}` is that of another edge")));
            }
            names.push(name);
            edges.push([from, to].map(|node| {
                let next = nodes.len();
                *nodes.entry(node).or_insert(next)
            }));
        }
        numbers.insert(GAINED.to_owned(), names.len());
        let number = |name: &String| {
            let unknown = || refused(format!("there is no edge `{name}`"));
            numbers.get(name).copied().ok_or_else(unknown)
        };
        let tree = |names: &[String]| names.iter().map(number).collect::<Result<BTreeSet<EdgeId>, Refusal>>();
        let trees = [tree(&file.trees[0])?, tree(&file.trees[1])?];
        Ok(TreeCertificate {
            game: Switching { names, edges, nodes: nodes.len() },
            trees: Trees { begins: file.begins, trees },
        })
    }
}
