//! Monte-Carlo tree search.
//!
//! Each round descends from the root to a leaf by the best values, plays one playout from there, and updates the nodes
//! on the way with its winner. A cell that was the mover's in the end counts for the child that would have played it at
//! once (all moves as first, AMAF); its figure is trusted while a child has few visits of its own, and less and less
//! later (rapid action value estimation, RAVE: Gelly, Silver, *Monte-Carlo tree search and rapid action value
//! estimation in computer Go*, 2011). Children are preferred by a prior, less as they are visited (Rosin, *Multi-armed
//! bandits with episode context*, 2011): their chance by [`pattern`](super::pattern).
//!
//! At a node that is visited often the [`expert`](super::expert) is asked, as in Arneson, Hayward, Henderson, *Monte
//! Carlo tree search in Hex*, 2010: it proves the node won or lost, or fills in cells, leaves only the must-play region of
//! its children, and multiplies their priors by weights. Proofs go up the tree as in minimax.
//!
//! A tree lasts over the moves of a game: [`MoveTree::follow`] keeps what is below a move.

use super::Effort;
use super::expert::{Expert, Opinion};
use super::node::{DescentOutcome, MoveNodes, NONE};
use super::pattern::MovePatterns;
use super::playout::{BorderedBoard, Playouts, stone};
use crate::board::Player;
use crate::random::Random;
use ludolog_syntax::budget::Budget;

/// Visits after which a leaf gets children.
const VISITS_TO_EXPAND: u32 = 8;

/// Visits after which the expert is asked of a node; on 9×9 it takes about half of the time so.
const VISITS_TO_ASK: u32 = 64;

/// Playouts that the expert's advantage counts for.
const ADVANTAGE_VISITS: u32 = 10;

/// By how much a player's chance grows with the advantage: of the logistic function.
const ADVANTAGE_SCALE: f32 = 2.0;

/// The weight of priors against values.
const PRIOR_WEIGHT: f32 = 0.3;

/// Share of current that every move has besides its own, so that none is without a prior.
const LEAST_SHARE: f32 = 0.01;

/// Rounds between two checks of the budget.
const ROUNDS_BETWEEN_LOOKS: u64 = 32;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct TreeResult {
    /// The place of the move on the field.
    pub place: usize,
    /// The share of playouts through the move that its player won; 1 or 0 where that is proved.
    pub wins: f64,
    /// Whether the outcome of the move is proved.
    pub is_proved: bool,
    /// The number of playouts.
    pub playouts: u64,
}

/// A tree of the moves from one position on.
#[derive(Debug)]
pub struct MoveTree {
    root: BorderedBoard,
    player: Player,
    nodes: MoveNodes,
    /// Cells that the expert filled in, each with its place.
    filled: Vec<Vec<(u32, Player)>>,
    path: Vec<usize>,
    /// The values of the children of a node, while one of them is chosen.
    values: Vec<f32>,
    patterns: MovePatterns,
    /// The number of nodes beyond which no children are added.
    limit: usize,
}

impl MoveTree {
    /// The tree of a position where `player` moves.
    pub fn new(root: BorderedBoard, player: Player, patterns: MovePatterns) -> MoveTree {
        MoveTree {
            root,
            player,
            nodes: MoveNodes::new(),
            filled: Vec::new(),
            path: Vec::new(),
            values: Vec::new(),
            patterns,
            limit: 0,
        }
    }

    /// Keeps what is below the moves that lead from the root to `field`, where `player` moves: none, or one of each
    /// player. Otherwise, and where the tree does not know them, begins again.
    pub fn follow(&mut self, field: BorderedBoard, player: Player) {
        let added: Vec<usize> =
            self.root.empty().filter(|&place| field.content(place) != self.root.content(place)).collect();
        let by = |player: Player| added.iter().copied().find(|&place| field.content(place) == stone(player));
        let stones = |field: &BorderedBoard| field.board().len() - field.empty().count();
        let is_later = self.player == player && stones(&field) == stones(&self.root) + added.len();
        let node = match (by(player), by(player.opponent()), added.len()) {
            (None, None, 0) if is_later => Some(0),
            (Some(mine), Some(theirs), 2) if is_later => self.after(mine, theirs),
            _ => None,
        };
        *self = match node {
            Some(node) => self.below(node, field),
            None => MoveTree::new(field, player, self.patterns.clone()),
        };
    }

    /// The node after two moves from the root, with all cells that were filled in on the way as its own; `None` unless
    /// the expert was asked of it.
    fn after(&mut self, mine: usize, theirs: usize) -> Option<usize> {
        let child = self.child(0, mine)?;
        let node = self.child(child, theirs)?;
        let filled = |node: usize| self.filled.get(self.nodes.links[node].filled as usize);
        let own = filled(node)?;
        let all: Vec<(u32, Player)> =
            [filled(0), filled(child), Some(own)].into_iter().flatten().flatten().copied().collect();
        self.filled[self.nodes.links[node].filled as usize] = all;
        Some(node)
    }

    fn child(&self, node: usize, place: usize) -> Option<usize> {
        self.nodes.children(node).find(|&child| self.nodes.places[child] as usize == place)
    }

    /// The tree below a node.
    fn below(&mut self, node: usize, field: BorderedBoard) -> MoveTree {
        let mut tree = MoveTree::new(field, self.player, self.patterns.clone());
        tree.nodes.count(0, self.nodes.visits[node], self.nodes.wins[node]);
        // The nodes that were copied, by their numbers here; what is proved of the root came by way of moves that have been made.
        let mut copied = vec![node];
        let mut next = 0;
        while next < copied.len() {
            let links = &self.nodes.links[copied[next]];
            if links.filled != NONE {
                let filled = std::mem::take(&mut self.filled[links.filled as usize]);
                tree.nodes.links[next].filled = tree.filled.len() as u32;
                tree.filled.push(filled);
            }
            let children = self.nodes.children(copied[next]);
            tree.nodes.copy_children(next, &self.nodes, children.clone());
            copied.extend(children);
            next += 1;
        }
        tree
    }

    /// Searches for the best move until the budget or the playouts of `effort` are spent. With `candidates`, empty places
    /// of the field, only these are searched at the root, and the expert is not asked of it. `None` where there is no move.
    pub fn search(
        &mut self,
        candidates: Option<&[usize]>,
        expert: &mut Option<Box<dyn Expert>>,
        effort: &Effort,
        budget: &Budget,
        random: &mut Random,
    ) -> Option<TreeResult> {
        self.limit = effort.nodes;
        let root = self.root.clone();
        let mut field = root.clone();
        let mut playouts = Playouts::new(&root);
        self.prepare_root(candidates, expert);
        let mut rounds = 0;
        while self.nodes.children(0).len() > 1
            && self.nodes.links[0].proved.is_none()
            && effort.playouts.is_none_or(|most| rounds < most)
        {
            let look = rounds % ROUNDS_BETWEEN_LOOKS == ROUNDS_BETWEEN_LOOKS - 1;
            if look && budget.check().is_err() {
                break;
            }
            field.copy_from(&root);
            self.round(&mut field, &mut playouts, expert, random);
            rounds += 1;
        }
        self.result(rounds)
    }

    /// Gives the root its children, and asks the expert of it.
    fn prepare_root(&mut self, candidates: Option<&[usize]>, expert: &mut Option<Box<dyn Expert>>) {
        if let Some(candidates) = candidates {
            self.nodes = MoveNodes::new();
            self.nodes.add_children(0, candidates.iter().copied());
            return;
        }
        let mut field = self.root.clone();
        if self.nodes.children(0).is_empty() {
            self.expand(0, &field, self.player, None);
        }
        if let Some(expert) = expert
            && self.nodes.links[0].filled == NONE
        {
            self.path.clear();
            self.path.push(0);
            self.ask(0, &mut field, self.player, &mut **expert);
            // A verdict is no move: the children have to show which one wins, or resists longest.
            self.nodes.links[0].proved = None;
        }
    }

    /// `None` if the root has no moves.
    fn result(&self, playouts: u64) -> Option<TreeResult> {
        let nodes = &self.nodes;
        let rank = |outcome| match outcome {
            Some(DescentOutcome::Won) => 2,
            None => 1,
            Some(DescentOutcome::Lost) => 0,
        };
        // Of lost moves the one that was refuted last is the hardest to refute.
        let best = nodes.children(0).max_by(|&a, &b| {
            let key = |node: usize| (rank(nodes.links[node].proved), nodes.visits[node]);
            key(a).cmp(&key(b)).then(nodes.wins[a].total_cmp(&nodes.wins[b]))
        })?;
        let proved = nodes.links[best].proved;
        Some(TreeResult {
            place: nodes.places[best] as usize,
            wins: match proved {
                Some(outcome) => f64::from(u8::from(outcome == DescentOutcome::Won)),
                None => f64::from(nodes.wins[best]) / f64::from(nodes.visits[best].max(1)),
            },
            is_proved: proved.is_some(),
            playouts,
        })
    }

    /// Gives a node all moves as children, with their chances by patterns as priors, `player` to move after the opponent's
    /// move at `last`.
    fn expand(&mut self, node: usize, field: &BorderedBoard, player: Player, last: Option<usize>) {
        self.nodes.add_children(node, field.empty());
        for child in self.nodes.children(node) {
            let place = self.nodes.places[child] as usize;
            self.nodes.priors[child] = self.patterns.strength(field, place, player, last);
        }
        self.nodes.scale_priors(node);
    }

    fn round(
        &mut self,
        field: &mut BorderedBoard,
        playouts: &mut Playouts,
        expert: &mut Option<Box<dyn Expert>>,
        random: &mut Random,
    ) {
        let mut player = self.player;
        let mut node = 0;
        let mut last = None;
        self.path.clear();
        self.path.push(0);
        let proved = loop {
            if let Some(outcome) = self.nodes.links[node].proved {
                // The outcome is of the one who moved here.
                break Some(if outcome == DescentOutcome::Won { player.opponent() } else { player });
            }
            if self.nodes.children(node).is_empty() {
                if self.nodes.visits[node] < VISITS_TO_EXPAND || self.nodes.len() >= self.limit {
                    break None;
                }
                self.expand(node, field, player, last);
            }
            let filled = self.nodes.links[node].filled;
            if filled != NONE {
                for &(place, player) in &self.filled[filled as usize] {
                    field.put(place as usize, player);
                }
            } else if node != 0
                && self.nodes.visits[node] >= VISITS_TO_ASK
                && let Some(expert) = expert
            {
                self.ask(node, field, player, &mut **expert);
                if self.nodes.links[node].proved.is_some() {
                    continue;
                }
            }
            let Some(child) = self.best_child(node, random) else { break None };
            node = child;
            let place = self.nodes.places[node] as usize;
            field.put(place, player);
            self.path.push(node);
            last = Some(place);
            player = player.opponent();
        };
        match proved {
            Some(winner) => {
                self.conclude();
                self.learn(None, winner);
            }
            None => {
                let winner = playouts.run(field, player, last, random);
                self.learn(Some(field), winner);
            }
        }
    }

    /// Asks the expert of a node that has children, `player` to move.
    fn ask(&mut self, node: usize, field: &mut BorderedBoard, player: Player, expert: &mut dyn Expert) {
        let opinion = match field.winner() {
            Some(winner) if winner == player => Opinion::Won,
            Some(_) => Opinion::Lost,
            None => expert.opinion(field, player),
        };
        let (filled, moves, advantage) = match opinion {
            Opinion::Won => {
                self.nodes.links[node].proved = Some(DescentOutcome::Lost);
                return;
            }
            Opinion::Lost => {
                self.nodes.links[node].proved = Some(DescentOutcome::Won);
                return;
            }
            Opinion::Open { filled, moves, advantage } => (filled, moves, advantage),
        };
        self.count_advantage(advantage);
        let filled: Vec<(u32, Player)> =
            filled.into_iter().map(|(cell, player)| (field.place(cell) as u32, player)).collect();
        filled.iter().for_each(|&(place, player)| field.put(place as usize, player));
        self.nodes.weigh_children(node, |place| {
            let (_, share) = moves.iter().find(|&&(cell, _)| field.place(cell) == place)?;
            Some(share + LEAST_SHARE)
        });
        self.nodes.links[node].filled = self.filled.len() as u32;
        self.filled.push(filled);
    }

    /// Counts the advantage of the player to move at the end of the path as playouts.
    fn count_advantage(&mut self, advantage: f32) {
        let chance = 1.0 / (1.0 + (-ADVANTAGE_SCALE * advantage).exp());
        let mut for_mover = 1.0 - chance;
        for &node in self.path.iter().rev() {
            self.nodes.count(node, ADVANTAGE_VISITS, ADVANTAGE_VISITS as f32 * for_mover);
            for_mover = 1.0 - for_mover;
        }
    }

    /// Carries the proof of the last node on the path up as far as it decides.
    fn conclude(&mut self) {
        for at in (1..self.path.len()).rev() {
            let parent = self.path[at - 1];
            let child = self.path[at];
            let is_lost = |node: usize| self.nodes.links[node].proved == Some(DescentOutcome::Lost);
            self.nodes.links[parent].proved = match self.nodes.links[child].proved {
                Some(DescentOutcome::Won) => Some(DescentOutcome::Lost),
                Some(DescentOutcome::Lost) if self.nodes.children(parent).all(is_lost) => Some(DescentOutcome::Won),
                _ => return,
            };
        }
    }

    /// The child of the greatest value; of several equal ones, the first from a random one on.
    fn best_child(&mut self, node: usize, random: &mut Random) -> Option<usize> {
        self.nodes.child_values(node, PRIOR_WEIGHT, &mut self.values);
        let start = random.below(self.values.len().max(1));
        let best = greatest(&self.values);
        let [before, after] = [&self.values[..start], &self.values[start..]];
        let is_best = |&value: &f32| value == best;
        let child =
            after.iter().position(is_best).map(|child| start + child).or_else(|| before.iter().position(is_best))?;
        Some(self.nodes.children(node).start + child)
    }

    /// Updates the nodes on the path with the winner, and by AMAF their children when there is a full field.
    fn learn(&mut self, field: Option<&BorderedBoard>, winner: Player) {
        let mut mover = self.player.opponent();
        for &node in &self.path {
            // `mover` has moved here, and the opponent is to move.
            let is_won = winner == mover;
            self.nodes.count(node, 1, f32::from(u8::from(is_won)));
            mover = mover.opponent();
            if let Some(field) = field {
                self.nodes.count_amaf(node, field, stone(mover), !is_won);
            }
        }
    }
}

/// The greatest of the values, in lanes that are compared at once.
fn greatest(values: &[f32]) -> f32 {
    let greater = |a: f32, b: f32| if b > a { b } else { a };
    let mut lanes = [f32::NEG_INFINITY; 8];
    let (chunks, rest) = values.as_chunks();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip::<&[f32; 8]>(chunk) {
            *lane = greater(*lane, value);
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, greater)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Cell};
    use crate::player::expert::ConnectionExpert;
    use crate::player::pattern::PatternWeights;
    use crate::position::Position;
    use std::sync::Arc;

    fn searched(field: &BorderedBoard) -> (MoveTree, TreeResult) {
        let patterns = MovePatterns::new(field, Arc::new(PatternWeights::shipped()));
        let mut tree = MoveTree::new(field.clone(), Player::Red, patterns);
        let effort = Effort { time: None, playouts: Some(2000), nodes: 100_000 };
        let mut expert = Some(Box::new(ConnectionExpert::<1>::new(field.board())) as Box<dyn Expert>);
        let result = tree.search(None, &mut expert, &effort, &Budget::unlimited(), &mut Random::new(1));
        (tree, result.unwrap())
    }

    #[test]
    fn a_tree_lasts_over_two_moves() {
        let field = BorderedBoard::new(&Position::new(Board::new(7, 7).unwrap()));
        let (mut tree, result) = searched(&field);
        let child = tree.child(0, result.place).unwrap();
        let reply = tree.nodes.children(child).max_by_key(|&node| tree.nodes.visits[node]).unwrap();
        let [before, place] = [tree.nodes.visits[reply], tree.nodes.places[reply]];
        let below = |tree: &MoveTree, node: usize| {
            tree.nodes.children(node).map(|child| tree.nodes.visits[child]).collect::<Vec<u32>>()
        };
        let replies = below(&tree, reply);
        assert!(before > 20 && !replies.is_empty(), "{before}");
        let mut later = field.clone();
        later.put(result.place, Player::Red);
        later.put(place as usize, Player::Blue);
        tree.follow(later.clone(), Player::Red);
        assert_eq!((tree.nodes.visits[0], below(&tree, 0)), (before, replies.clone()));
        // The same position again keeps it; one that does not follow begins again.
        tree.follow(later, Player::Red);
        assert_eq!(below(&tree, 0), replies);
        tree.follow(field, Player::Red);
        assert_eq!((tree.nodes.len(), tree.nodes.visits[0]), (1, 0));
    }

    #[test]
    fn where_connections_win_by_filling_in_a_move_is_found() {
        // Red wins whoever moves: b2 is joined to both edges.
        let mut position = Position::new(Board::new(3, 3).unwrap());
        position.place(Player::Red, Cell::from_index(4));
        let (_, result) = searched(&BorderedBoard::new(&position));
        assert!(result.is_proved && result.wins == 1.0, "{result:?}");
    }
}
