//! Short's play by two trees.

use super::{EdgeId, SOURCE, Switching, TARGET, Trees};
use petgraph::unionfind::UnionFind;

/// Short's strategy in the middle of a game.
#[derive(Clone, Debug)]
pub struct Strategy<'g> {
    game: &'g Switching,
    trees: Trees,
    claimed: Vec<EdgeId>,
    taken: Vec<EdgeId>,
}

impl<'g> Strategy<'g> {
    /// The strategy by [verified](Trees::verify) trees, at the beginning of the game.
    pub fn new(game: &'g Switching, trees: Trees) -> Strategy<'g> {
        Strategy { game, trees, claimed: Vec::new(), taken: Vec::new() }
    }

    /// Short's first move; `None` if Short does not begin, or there is no edge.
    pub fn first_move(&mut self) -> Option<EdgeId> {
        self.trees.begins.then(|| self.answer(self.game.gained())).flatten()
    }

    /// Short's answer to an edge that Cut takes: the one that its tree needs, or else any that is left; `None` if none is left.
    pub fn answer(&mut self, taken: EdgeId) -> Option<EdgeId> {
        self.taken.push(taken);
        let is_left = |edge: &EdgeId| !self.claimed.contains(edge) && !self.taken.contains(edge);
        let any = (0..self.game.edges.len()).find(is_left);
        let answer = self.mend(taken).or(any)?;
        self.claimed.push(answer);
        Some(answer)
    }

    /// Puts an edge of the other tree in the place of one that is taken, and returns it if it is not claimed yet. `None` if there is
    /// nothing to claim: no tree has the edge that is taken, or Short has claimed the other one when nothing was needed.
    fn mend(&mut self, taken: EdgeId) -> Option<EdgeId> {
        let broken = self.trees.trees.iter().position(|tree| tree.contains(&taken))?;
        self.trees.trees[broken].remove(&taken);
        let parts = joined(self.game, &self.trees.trees[broken]);
        let joins = |edge: &EdgeId| {
            let [from, to] = self.game.ends(*edge);
            !parts.equiv(from, to)
        };
        let found = self.trees.trees[1 - broken].iter().copied().find(joins)?;
        self.trees.trees[broken].insert(found);
        (!self.claimed.contains(&found)).then_some(found)
    }

    /// Whether Short's edges join source and target.
    pub fn has_won(&self) -> bool {
        joined(self.game, &self.claimed).equiv(SOURCE, TARGET)
    }
}

/// The nodes that edges join.
fn joined<'e>(game: &Switching, edges: impl IntoIterator<Item = &'e EdgeId>) -> UnionFind<usize> {
    let mut parts = UnionFind::new(game.nodes);
    for &edge in edges {
        let [from, to] = game.ends(edge);
        parts.union(from, to);
    }
    parts
}
