//! Monte-Carlo tree search.
//!
//! Each round descends from the root to a leaf by the best values, plays one playout from there, and updates the nodes
//! on the way with its winner. A cell that was the mover's in the end counts for the child that would have played it at
//! once (all moves as first, AMAF); its figure is trusted while a child has few visits of its own, and less and less
//! later (rapid action value estimation, RAVE: Gelly, Silver, *Monte-Carlo tree search and rapid action value
//! estimation in computer Go*, 2011). With that no further bonus for unvisited children is needed (Arneson, Hayward,
//! Henderson, *Monte Carlo tree search in Hex*, 2010).
//!
//! At a node that is visited often the connections are computed, as in the same paper: they prove it won or lost, or
//! leave only the must-play region of its children. Proofs go up the tree as in minimax.

use super::Effort;
use super::advice::{Advice, advice};
use super::playout::{BorderedBoard, EMPTY, Playouts, stone};
use crate::board::Player;
use crate::random::Random;
use ludolog_syntax::budget::Budget;

/// Visits after which a leaf gets children.
const VISITS_TO_EXPAND: u32 = 8;

/// Compute connections after this many visits, as a share of the square of the number of cells: their cost grows with
/// it.
const VISITS_TO_ASK: f32 = 1.0 / 16.0;

/// Least number of visits after which connections are computed, on small boards.
const LEAST_VISITS_TO_ASK: f32 = 32.0;

/// The value of a child without any visits.
const FIRST_PLAY: f32 = 0.5;

/// Visits after which the AMAF figures, however many, have half of the weight.
const AMAF_HALF_LIFE: f32 = 1000.0;

/// Rounds between two checks of the budget.
const ROUNDS_BETWEEN_LOOKS: u64 = 32;

/// A move and how it fared, for the player who makes it.
#[derive(Clone, Debug)]
struct MoveNode {
    place: u32,
    visits: u32,
    wins: u32,
    amaf_visits: u32,
    amaf_wins: u32,
    /// The children are neighbors in the list of all nodes.
    first_child: u32,
    children: u32,
    proved: Option<DescentOutcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescentOutcome {
    Won,
    Lost,
}

impl MoveNode {
    fn new(place: usize) -> MoveNode {
        MoveNode {
            place: place as u32,
            visits: 0,
            wins: 0,
            amaf_visits: 0,
            amaf_wins: 0,
            first_child: 0,
            children: 0,
            proved: None,
        }
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first_child as usize..(self.first_child + self.children) as usize
    }

    fn value(&self) -> f32 {
        match self.proved {
            Some(DescentOutcome::Won) => return f32::INFINITY,
            Some(DescentOutcome::Lost) => return f32::NEG_INFINITY,
            None => {}
        }
        let visits = self.visits as f32;
        let amaf_visits = self.amaf_visits as f32;
        let mean = |wins: u32, visits: u32| if visits == 0 { FIRST_PLAY } else { wins as f32 / visits as f32 };
        let trust = amaf_visits / (amaf_visits + visits + amaf_visits * visits / AMAF_HALF_LIFE).max(1.0);
        (1.0 - trust) * mean(self.wins, self.visits) + trust * mean(self.amaf_wins, self.amaf_visits)
    }
}

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

/// Searches for the best of `candidates`, empty places of the field, for `player`, until the budget or the playouts of
/// `effort` are spent; `None` when there are no candidates.
pub fn search(
    root: &BorderedBoard,
    player: Player,
    candidates: &[usize],
    effort: &Effort,
    budget: &Budget,
    random: &mut Random,
) -> Option<TreeResult> {
    let cells = root.board().len() as f32;
    let mut tree = MoveTree {
        nodes: vec![MoveNode::new(0)],
        path: Vec::new(),
        limit: effort.nodes,
        visits_to_ask: (cells * cells * VISITS_TO_ASK).max(LEAST_VISITS_TO_ASK) as u32,
    };
    tree.add_children(0, candidates.iter().copied());
    let mut field = root.clone();
    let mut playouts = Playouts::new(root);
    let mut rounds = 0;
    while candidates.len() > 1 && tree.nodes[0].proved.is_none() && effort.playouts.is_none_or(|most| rounds < most) {
        let look = rounds % ROUNDS_BETWEEN_LOOKS == ROUNDS_BETWEEN_LOOKS - 1;
        if look && budget.check().is_err() {
            break;
        }
        field.copy_from(root);
        tree.round(&mut field, player, &mut playouts, random);
        rounds += 1;
    }
    let children = tree.nodes[0].range().map(|child| &tree.nodes[child]);
    let rank = |outcome| match outcome {
        Some(DescentOutcome::Won) => 2,
        None => 1,
        Some(DescentOutcome::Lost) => 0,
    };
    // Of lost moves the one that was refuted last is the hardest to refute.
    let best = children.max_by_key(|child| (rank(child.proved), child.visits, child.wins))?;
    Some(TreeResult {
        place: best.place as usize,
        wins: match best.proved {
            Some(outcome) => f64::from(u8::from(outcome == DescentOutcome::Won)),
            None => f64::from(best.wins) / f64::from(best.visits.max(1)),
        },
        is_proved: best.proved.is_some(),
        playouts: rounds,
    })
}

struct MoveTree {
    nodes: Vec<MoveNode>,
    path: Vec<usize>,
    /// The number of nodes beyond which no children are added.
    limit: usize,
    visits_to_ask: u32,
}

impl MoveTree {
    fn add_children(&mut self, node: usize, places: impl Iterator<Item = usize>) {
        let first = self.nodes.len();
        self.nodes.extend(places.map(MoveNode::new));
        self.nodes[node].first_child = first as u32;
        self.nodes[node].children = (self.nodes.len() - first) as u32;
    }

    fn round(&mut self, field: &mut BorderedBoard, root_player: Player, playouts: &mut Playouts, random: &mut Random) {
        let mut player = root_player;
        let mut node = 0;
        let mut last = None;
        self.path.clear();
        self.path.push(0);
        let proved = loop {
            if let Some(outcome) = self.nodes[node].proved {
                // The outcome is of the one who moved here.
                break Some(if outcome == DescentOutcome::Won { player.opponent() } else { player });
            }
            if self.nodes[node].children == 0 {
                if self.nodes[node].visits < VISITS_TO_EXPAND || self.nodes.len() >= self.limit {
                    break None;
                }
                self.add_children(node, field.empty());
            }
            // Connections of the root were computed before the search.
            if node != 0 && self.nodes[node].visits == self.visits_to_ask {
                self.ask(node, field, player);
                if self.nodes[node].proved.is_some() {
                    continue;
                }
            }
            let Some(child) = self.best_child(node, random) else { break None };
            node = child;
            let place = self.nodes[node].place as usize;
            field.put(place, player);
            self.path.push(node);
            last = Some(place);
            player = player.opponent();
        };
        match proved {
            Some(winner) => {
                self.conclude();
                self.learn(None, root_player, winner);
            }
            None => {
                let winner = playouts.run(field, player, last, random);
                self.learn(Some(field), root_player, winner);
            }
        }
    }

    /// Computes the connections at a node that has children, `player` to move.
    fn ask(&mut self, node: usize, field: &BorderedBoard, player: Player) {
        let position = field.position();
        self.nodes[node].proved = match position.winner() {
            Some(winner) if winner == player => Some(DescentOutcome::Lost),
            Some(_) => Some(DescentOutcome::Won),
            None => match advice(&position, player) {
                Advice::Won => Some(DescentOutcome::Lost),
                Advice::Lost(_) => Some(DescentOutcome::Won),
                Advice::Among(cells) => {
                    let range = self.nodes[node].range();
                    let mut kept = range.start;
                    for child in range {
                        if cells.iter().any(|&cell| field.place(cell) == self.nodes[child].place as usize) {
                            self.nodes.swap(kept, child);
                            kept += 1;
                        }
                    }
                    self.nodes[node].children = (kept - self.nodes[node].first_child as usize) as u32;
                    None
                }
            },
        };
    }

    /// Carries the proof of the last node on the path up as far as it decides.
    fn conclude(&mut self) {
        for at in (1..self.path.len()).rev() {
            let parent = self.path[at - 1];
            let child = self.path[at];
            let range = self.nodes[parent].range();
            self.nodes[parent].proved = match self.nodes[child].proved {
                Some(DescentOutcome::Won) => Some(DescentOutcome::Lost),
                Some(DescentOutcome::Lost)
                    if self.nodes[range].iter().all(|node| node.proved == Some(DescentOutcome::Lost)) =>
                {
                    Some(DescentOutcome::Won)
                }
                _ => return,
            };
        }
    }

    /// The child of the greatest value; of several equal ones, the first from a random one on.
    fn best_child(&self, node: usize, random: &mut Random) -> Option<usize> {
        let range = self.nodes[node].range();
        let start = range.start + random.below(range.len().max(1));
        let mut best = None;
        for child in (start..range.end).chain(range.start..start) {
            let value = self.nodes[child].value();
            if best.is_none_or(|(other, _)| value > other) {
                best = Some((value, child));
            }
        }
        best.map(|(_, child)| child)
    }

    /// Updates the nodes on the path with the winner, and by AMAF their children when there is a full field.
    fn learn(&mut self, field: Option<&BorderedBoard>, root_player: Player, winner: Player) {
        let mut mover = root_player.opponent();
        for &node in &self.path {
            // `mover` has moved here, and the opponent is to move.
            self.nodes[node].visits += 1;
            self.nodes[node].wins += u32::from(winner == mover);
            mover = mover.opponent();
            let Some(field) = field else { continue };
            let mine = stone(mover);
            let won = u32::from(winner == mover);
            let range = self.nodes[node].range();
            for child in &mut self.nodes[range] {
                debug_assert_ne!(field.content(child.place as usize), EMPTY);
                if field.content(child.place as usize) == mine {
                    child.amaf_visits += 1;
                    child.amaf_wins += won;
                }
            }
        }
    }
}
