//! Symmetries of a game: permutations of its facts and moves that keep the rules, the roles and the first state.
//!
//! The ground rules are a graph: a vertex for each atom, rule, fact and move; edges from heads to rules, from rules to
//! what they read, positive and negative, and from facts and moves to their atoms. An automorphism of the graph that
//! keeps roles, goals and the first state maps games to games (Schiffel, *Symmetry detection in general game playing*,
//! AAAI 2010, with the rules instead of their ground instances). Automorphisms are found by individualization and
//! refinement (McKay, *Practical graph isomorphism*, 1981): colors of vertices are refined by those of their neighbors;
//! where that does not tell apart all, one vertex gets a color of its own, and its counterpart in turn each vertex of
//! the same color. Colors are hashes, so each automorphism is checked edge by edge.
//!
//! Rules are compared after conjunctions are flattened. A symmetry that shows only by other equivalences is not found:
//! a chain that is followed from one edge of a board to the other is not its own mirror image.
//!
//! * `rules`: the graph of a game.
//! * `automorphisms`: those of any graph with colors.

mod automorphisms;
mod rules;

use crate::ground::GroundGame;
use crate::net::Net;
use automorphisms::automorphisms;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::Move;
use rules::GameGraph;

/// Most symmetries. Of more, those are kept that leave some facts in place.
const MAX_SYMMETRIES: usize = 1024;

/// A permutation of facts and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// By fact of the net: the one that it becomes.
    pub facts: Box<[u32]>,
    /// By move of all roles, as machines number them: the one that it becomes, of the same role.
    pub moves: Box<[Move]>,
}

impl Symmetry {
    /// Permutes a row of facts, in words of 64, to another one of as many words.
    pub fn permute(&self, row: &[u64], permuted: &mut [u64]) {
        permuted.fill(0);
        for fact in crate::bits::ones(row) {
            let there = self.facts[fact] as usize;
            permuted[there / 64] |= 1 << (there % 64);
        }
    }
}

/// A group of symmetries.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// All but the identity.
    others: Vec<Symmetry>,
}

impl Symmetries {
    /// Finds the symmetries of a game, of which the net is made.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(game: &GroundGame, net: &Net, budget: &Budget) -> Result<Symmetries, Stopped> {
        let mut rules = GameGraph::new(game, net);
        let images = loop {
            match automorphisms(&rules.graph, MAX_SYMMETRIES, budget)? {
                Some(images) => break images,
                None => rules.graph.fix_one(),
            }
        };
        let symmetries = images.iter().map(|image| rules.symmetry(image));
        let identity = |symmetry: &Symmetry| {
            let mut facts = (0..).zip(&symmetry.facts);
            let mut moves = (0..).zip(&symmetry.moves);
            facts.all(|(number, &fact)| number == fact) && moves.all(|(number, &made)| Move(number) == made)
        };
        Ok(Symmetries { others: symmetries.filter(|symmetry| !identity(symmetry)).collect() })
    }

    /// The number of symmetries, with the identity.
    pub fn count(&self) -> usize {
        self.others.len() + 1
    }

    /// All but the identity.
    pub fn others(&self) -> &[Symmetry] {
        &self.others
    }

    /// Replaces rows of facts, of `width` words each, by the least of those that they are symmetric to: the same one
    /// for all of them.
    pub fn canonize(&self, rows: &mut [u64], width: usize) {
        if self.others.is_empty() {
            return;
        }
        let mut least = vec![0; width];
        let mut permuted = vec![0; width];
        for row in rows.chunks_exact_mut(width) {
            least.copy_from_slice(row);
            for symmetry in &self.others {
                symmetry.permute(row, &mut permuted);
                if permuted < least {
                    std::mem::swap(&mut least, &mut permuted);
                }
            }
            row.copy_from_slice(&least);
        }
    }
}
