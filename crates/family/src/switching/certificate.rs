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

use super::{EdgeId, NoProof, SOURCE, Switching, TARGET, Trees};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// The first line of the files.
pub const KIND: &str = "ludolog switching";

/// The version of the format.
const VERSION: u32 = 1;

/// The name of the edge that Short gains by beginning.
pub(super) const GAINED: &str = "(begins)";

/// The names of source and target.
const ENDS: [&str; 2] = ["source", "target"];

/// A proof that Short wins a game, which may be wrong until it is [verified](TreeCertificate::verify).
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

impl TreeCertificate {
    /// Checks the proof.
    ///
    /// # Errors
    ///
    /// [`NoProof`], with what is wrong.
    pub fn verify(&self) -> Result<(), NoProof> {
        self.trees.verify(&self.game)
    }

    /// The names of the edges of both trees.
    pub fn edges_of_trees(&self) -> [Vec<&str>; 2] {
        self.trees.trees.each_ref().map(|tree| tree.iter().map(|&edge| self.game.name(edge)).collect())
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let node = |number: usize| ENDS.get(number).map_or_else(|| format!("n{number}"), |&end| end.to_owned());
        let edges = self.game.names.iter().zip(&self.game.edges);
        let file = TreeFile {
            certificate: KIND.to_owned(),
            version: VERSION,
            edges: edges.map(|(name, &[from, to])| [name.clone(), node(from), node(to)]).collect(),
            begins: self.trees.begins,
            trees: self.edges_of_trees().map(|edges| edges.into_iter().map(str::to_owned).collect()),
        };
        // Names and numbers are JSON.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`NoProof`] if the text is no such file, or names an edge twice, or one that there is not.
    pub fn parse(text: &str) -> Result<TreeCertificate, NoProof> {
        let refused = |reason: String| NoProof { reason };
        let file: TreeFile =
            serde_json::from_str(text).map_err(|error| refused(format!("it is no certificate: {error}")))?;
        if file.certificate != KIND {
            return Err(refused(format!("it is a certificate of another kind, `{}`", file.certificate)));
        }
        if file.version != VERSION {
            return Err(refused(format!("it has version {}; this program reads version {VERSION}", file.version)));
        }
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
        let tree = |names: &[String]| names.iter().map(number).collect::<Result<BTreeSet<EdgeId>, NoProof>>();
        let trees = [tree(&file.trees[0])?, tree(&file.trees[1])?];
        Ok(TreeCertificate {
            game: Switching { names, edges, nodes: nodes.len() },
            trees: Trees { begins: file.begins, trees },
        })
    }
}
