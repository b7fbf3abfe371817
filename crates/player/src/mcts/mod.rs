//! Monte-Carlo tree search for any number of players, with simultaneous moves and playouts in batches.
//!
//! Upper confidence bounds lead down the tree (Kocsis and Szepesvári, 2006), as in CadiaPlayer (Finnsson and Björnsson,
//! *Simulation-based approach to general game playing*, 2008). Many leaves are chosen before the first of them is
//! valued, because a net answers for hundreds of states nearly in the time of one: leaves that are chosen together get
//! their states and legal moves together, and playouts run side by side (`worker.rs`). Where several roles choose at
//! once they mix their moves (`matching.rs`), unless each chooses in a factor of its own, which has a tree of its own
//! (`factors.rs`).
//!
//! Threads share the tree, which is locked while leaves are chosen and outcomes are entered; machines work outside.

mod amaf;
mod answers;
mod bounds;
mod factors;
mod matching;
mod meaning;
mod node;
mod rarity;
mod simulation;
mod store;
mod times;
mod tree;
mod worker;

pub use tree::Policy;

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, is_stop, legal_moves, place};
use factors::FactorTrees;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use ludolog_propnet::{MoveUse, NetMachine, PlayoutPolicy};
use ludolog_syntax::budget::Stopwatch;
use meaning::MoveMeaning;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;
use times::Effort;
use tree::Tree;
use worker::Worker;

/// Joint moves after which a playout is given up.
const MAX_STEPS: usize = 1_000;

/// Most instructions of playouts that look ahead, as a multiple of those of uniform ones. Where they see most they cost
/// five times as much; beyond this, nothing was measured.
const MAX_PLAYOUT_COST: f64 = 10.0;

/// Most moves of a game, of all roles, by which playouts are guided: between breakthrough (310), where that gains, and
/// amazons (3,042), where it loses: moves are asked for one by one, so that playouts are two thirds as many.
const MAX_GUIDING_MOVES: usize = 1 << 10;

/// The part of the start clock in which the programs of such playouts are made: one in so many.
const LOOKAHEAD_SHARE: u32 = 4;

/// The settings of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// The rule by which moves are chosen in the tree.
    pub policy: Policy,
    /// Leaves in a batch. On lanes, where batches overlap, only the playouts of a leaf follow from this.
    pub leaves: usize,
    /// Playouts of a batch, shared among its leaves.
    pub playouts: usize,
    /// Whether playouts of a batch run side by side.
    pub lanes: bool,
    /// The choice of moves in playouts that run side by side, where it suits the game and its cost.
    pub playout_policy: PlayoutPolicy,
    /// Whether values of moves made at any time are used, in games where moves keep their meaning.
    pub amaf: bool,
    /// Whether playouts that run side by side make moves more often that brought more, in games of few moves where each
    /// is made once.
    pub guided: bool,
    /// States in which a turn ends the game won are found as soon as their moves are, in games in which turns are of so many
    /// moves, one or two, or more; `None` for no games. Turns of one move gain nothing, and hex loses simulations by them.
    pub decisive: Option<usize>,
    /// Whether factors have trees of their own, in games where roles choose at once in different ones.
    pub factors: bool,
    /// Whether the tree is kept for the next move.
    pub keep: bool,
    /// Whether to think when there is but one legal move.
    pub ponder: bool,
    /// Threads.
    pub threads: usize,
    /// Most bytes of the tree.
    pub memory: usize,
    /// Most simulations for a move, for searches that shall not depend on the clock.
    pub simulations: Option<u64>,
    /// The seed of all choices.
    pub seed: u64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            policy: Policy { exploration: 0.4, solver: true, transpositions: true },
            leaves: 128,
            playouts: 512,
            lanes: true,
            playout_policy: PlayoutPolicy::Cautious,
            amaf: true,
            guided: true,
            decisive: Some(2),
            factors: true,
            keep: true,
            ponder: false,
            threads: 1,
            memory: 512 << 20,
            simulations: None,
            seed: 1,
        }
    }
}

/// The search without one of its ingredients, or with another setting.
pub struct Variation {
    /// The name.
    pub name: &'static str,
    /// Its description, in a line.
    pub summary: &'static str,
    /// Changes the settings.
    pub change: fn(&mut SearchSettings),
}

/// The variations whose strength is worth a measurement.
pub static VARIATIONS: [Variation; 15] = [
    Variation {
        name: "uniform",
        summary: "Playouts that see no move ahead",
        change: |s| s.playout_policy = PlayoutPolicy::Uniform,
    },
    Variation { name: "no-lanes", summary: "Playouts one after the other", change: |s| s.lanes = false },
    Variation { name: "no-solver", summary: "Nothing is proven", change: |s| s.policy.solver = false },
    Variation {
        name: "no-transpositions",
        summary: "Each line has nodes of its own",
        change: |s| s.policy.transpositions = false,
    },
    Variation { name: "no-tree-kept", summary: "Each move begins with an empty tree", change: |s| s.keep = false },
    Variation {
        name: "no-amaf",
        summary: "A move is worth what it brought first, not at any time",
        change: |s| s.amaf = false,
    },
    Variation {
        name: "unguided",
        summary: "Playouts make all moves with the same chance",
        change: |s| s.guided = false,
    },
    Variation {
        name: "no-decisive",
        summary: "Turns that end the game won are found by trying them",
        change: |s| s.decisive = None,
    },
    Variation {
        name: "decisive-moves",
        summary: "Turns that end the game won are looked for where they are of one move, too",
        change: |s| s.decisive = Some(1),
    },
    Variation {
        name: "no-factors",
        summary: "One tree of joint moves, where each role chooses in a factor of its own",
        change: |s| s.factors = false,
    },
    Variation { name: "one-leaf", summary: "A batch of playouts from one leaf", change: |s| s.leaves = 1 },
    Variation { name: "few-leaves", summary: "A quarter of the leaves in a batch", change: |s| s.leaves /= 4 },
    Variation { name: "many-leaves", summary: "Four times the leaves in a batch", change: |s| s.leaves *= 4 },
    Variation { name: "less-exploration", summary: "A smaller C of UCT", change: |s| s.policy.exploration *= 0.6 },
    Variation { name: "more-exploration", summary: "A greater C of UCT", change: |s| s.policy.exploration *= 2.5 },
];

/// Plays by tree search.
pub struct Mcts {
    game: Game,
    role: Role,
    settings: SearchSettings,
    tree: Tree,
    searches: u64,
}

impl Mcts {
    /// A player of this role.
    pub fn new(game: Game, role: Role, settings: SearchSettings) -> Self {
        let roles = game.reader().roles().len();
        let mut tree = Tree::new(roles, settings.policy, settings.memory, settings.seed);
        tree.keep_amaf(owners(&game));
        Mcts { game, role, settings, tree, searches: 0 }
    }

    /// Makes the programs of the playouts that the settings ask for, if they are worth what they cost; else playouts are
    /// uniform.
    pub fn prepare(&mut self, budget: &Budget) {
        if let Game::Net(_, machine) = &mut self.game {
            prepare_playouts(machine, &self.settings, budget);
        }
        self.tree.keep_amaf(owners(&self.game));
        if let Game::Net(net, machine) = &mut self.game
            && self.settings.factors
        {
            machine.set_budget(budget.rest());
            if let Some(trees) = FactorTrees::new(net, &mut **machine, self.settings.seed) {
                self.tree.search_factors(trees);
            }
        }
    }

    /// The best move of a state as far as the tree knows, without a search.
    fn known_move(&mut self, state: &State) -> Option<Move> {
        self.tree.set_root(state, self.settings.keep);
        self.tree.best_move(place(self.role))
    }

    /// The chances with which a role makes its moves in the state that was searched last, as far as the tree knows; none
    /// without a search. Where the others have no choice the best move has them all.
    pub fn strategy(&self, role: Role) -> Vec<(Move, f32)> {
        self.tree.strategy(place(role))
    }

    /// Searches from a state until the budget ends or the value of the state is known.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn search(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        self.searches += 1;
        self.tree.set_root(state, self.settings.keep);
        let made = self.tree.made;
        let seed = self.settings.seed ^ self.searches.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let effort = Effort::default();
        // A page has no further threads.
        let further = if cfg!(target_family = "wasm") { 0 } else { self.settings.threads.saturating_sub(1) };
        let mut others = if further > 0 { self.game.others(further) } else { Vec::new() };
        let settings = &self.settings;
        let role = self.role;
        let stream = match &self.game {
            Game::Net(_, machine) if settings.lanes => Some(machine.playout_stream()),
            Game::Net(..) | Game::Interpreted(_) => None,
        };
        let stream = stream.as_ref();
        let turns = || stream.zip(settings.decisive).and_then(|(stream, least)| stream.decisive_turns(least));
        let shared = Mutex::new(&mut self.tree);
        let result = std::thread::scope(|scope| {
            let shared = &shared;
            let effort = &effort;
            for (number, machine) in (1..).zip(&mut others) {
                let draw = Draw::new(seed.wrapping_add(number));
                scope.spawn(move || {
                    Worker { machine, stream, turns: turns(), settings, role, effort, draw }.run(shared, state, budget)
                });
            }
            let machine = self.game.machine();
            let draw = Draw::new(seed);
            Worker { machine, stream, turns: turns(), settings, role, effort, draw }.run(shared, state, budget)
        });
        result?;
        let (value, proven) = self.tree.value(place(self.role));
        Ok(SearchReport {
            playouts: effort.playouts.load(Ordering::Relaxed),
            batches: effort.batches.load(Ordering::Relaxed),
            times: effort.times(),
            nodes: self.tree.made - made,
            depth: self.tree.depth,
            value: Some(f64::from(value) * 100.0),
            proven,
            line: self.tree.line(),
            time: watch.elapsed(),
            note: None,
        })
    }
}

/// By move of a game: the role whose it is; none where playouts do not tell the moves made.
fn owners(game: &Game) -> Vec<u32> {
    match game {
        Game::Net(net, machine) if machine.move_use().told => {
            (0..).zip(&net.roles).flat_map(|(place, role)| std::iter::repeat_n(place, role.moves.len())).collect()
        }
        Game::Net(..) | Game::Interpreted(_) => Vec::new(),
    }
}

/// Lets a machine choose the moves of playouts by the policy of a search, if that is worth what it costs, tell them
/// where the search makes use of that, be guided by them, and find decisive turns.
pub(crate) fn prepare_playouts(machine: &mut NetMachine, settings: &SearchSettings, budget: &Budget) {
    if is_affordable(machine, settings.playout_policy, budget) {
        machine.set_playout_policy(settings.playout_policy);
    }
    let moves: usize = machine.net().roles.iter().map(|role| role.moves.len()).sum();
    let may_tell = settings.amaf && moves <= amaf::MAX_MOVES;
    let may_guide = settings.guided && moves <= MAX_GUIDING_MOVES;
    if settings.lanes && (may_tell || may_guide) {
        let meaning = MoveMeaning::of(machine, settings.seed, budget);
        let uses = MoveUse {
            told: may_tell && meaning == MoveMeaning::Kept,
            guiding: may_guide && meaning != MoveMeaning::Changing,
        };
        // Without their programs playouts are as they were.
        _ = machine.use_moves(uses, budget);
    }
    if settings.lanes && settings.decisive.is_some() {
        // Without their programs the search finds such turns itself.
        _ = machine.find_decisive_turns(budget);
    }
}

/// Whether the lookahead of playouts is worth what it costs, as far as the budget tells.
fn is_affordable(machine: &NetMachine, policy: PlayoutPolicy, budget: &Budget) -> bool {
    machine.playout_cost(policy, budget).is_ok_and(|cost| cost <= MAX_PLAYOUT_COST)
}

impl Player for Mcts {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        self.prepare(&budget.part_of_rest(|left| left / LOOKAHEAD_SHARE));
        let initial = self.game.machine().initial_state().clone();
        self.search(&initial, budget)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = match legal_moves(self.game.machine(), state, self.role, budget) {
            Ok(legal) => legal,
            // Time is over before the search begins: what the tree knows of the state is all there is.
            Err(error) => {
                let known = is_stop(&error).then(|| self.known_move(state)).flatten();
                return known.map(|made| Choice { made, report: SearchReport::default() }).ok_or(error);
            }
        };
        if legal.len() == 1 && !self.settings.ponder {
            return Ok(Choice { made: legal[0], report: SearchReport::default() });
        }
        let report = self.search(state, budget)?;
        let made = self.tree.best_move(place(self.role)).unwrap_or(legal[0]);
        Ok(Choice { made, report })
    }
}
