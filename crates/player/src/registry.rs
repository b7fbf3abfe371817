//! The players there are.

use crate::alpha_beta::{self, AlphaBeta};
use crate::auto::Auto;
use crate::game::Game;
use crate::hidden::Cfr;
use crate::judge::Judge;
use crate::judge::file::JudgeFile;
use crate::mcts::{self, Mcts};
use crate::one_player::OnePlayer;
use crate::perfect::Perfect;
use crate::player::Player;
use crate::simple::{LegalPlayer, RandomPlayer};
use crate::zermelo::Zermelo;
use ludolog_game::Role;
use ludolog_logic::analysis::is_random;
use ludolog_propnet::Net;
use ludolog_solve::Database;
use ludolog_syntax::ast::Term;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

/// The options of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Threads to think on.
    pub threads: usize,
    /// Most bytes of tables and trees.
    pub memory: usize,
    /// Whether to think while others are to move.
    pub ponder: bool,
    /// The seed of all choices.
    pub seed: u64,
    /// Databases of solved games. Where one is that of the game, its values are played by, and the player is asked only
    /// where it has none.
    pub databases: Vec<Arc<Database>>,
    /// Judges that were learned before. Alpha-beta plays by that of its game, if it is among them, and learns none.
    pub judges: Vec<Arc<JudgeFile>>,
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: 1, memory: 512 << 20, ponder: false, seed: 1, databases: Vec::new(), judges: Vec::new() }
    }
}

impl Options {
    /// The database of a game, if it is among them.
    fn database_of(&self, net: &Arc<Net>) -> Option<Arc<Database>> {
        self.databases.iter().find(|database| database.is_of(net)).cloned()
    }

    /// The judge of a role of a game, if it is among them.
    pub fn judge_of(&self, net: &Net, role: Role) -> Option<Arc<Judge>> {
        self.judges.iter().find_map(|file| file.of(net, role)).map(Arc::new)
    }

    /// The settings of a tree search.
    pub fn mcts(&self) -> mcts::SearchSettings {
        let Options { threads, memory, ponder, seed, .. } = *self;
        mcts::SearchSettings { threads, memory, ponder, seed, ..mcts::SearchSettings::default() }
    }

    /// The settings of an alpha-beta search.
    pub fn alpha_beta(&self) -> alpha_beta::AlphaBetaSettings {
        alpha_beta::AlphaBetaSettings {
            memory: self.memory / 4,
            ponder: self.ponder,
            seed: self.seed,
            ..alpha_beta::AlphaBetaSettings::default()
        }
    }
}

/// A player as users choose it.
pub struct PlayerDescription {
    /// The name.
    pub name: &'static str,
    /// Its description, in a line.
    pub summary: &'static str,
    /// The numbers of roles of the games that it plays.
    pub roles: RangeInclusive<usize>,
    /// Whether it plays games that hide their states, and those with a role of chance.
    pub uncertain: bool,
    make: fn(Game, Role, &Options) -> Box<dyn Player>,
}

/// The player does not play a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The name of the player.
    pub player: &'static str,
    /// Why it does not.
    pub reason: UnfitReason,
}

/// Why a player does not play a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitReason {
    /// The game has so many roles.
    Roles(usize),
    /// The game hides its states.
    Hidden,
    /// A role of the game moves at random.
    Chance,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let player = self.player;
        match self.reason {
            UnfitReason::Roles(roles) => write!(f, "the player `{player}` does not play games of {roles} roles"),
            UnfitReason::Hidden => {
                let able = uncertain_players();
                write!(f, "the player `{player}` needs to know the state, which this game hides; choose among {able}")
            }
            UnfitReason::Chance => {
                let able = uncertain_players();
                write!(f, "the player `{player}` would take the role `random` for an opponent; choose among {able}")
            }
        }
    }
}

impl std::error::Error for Unfit {}

/// The names of the players of games with hidden states or chance.
fn uncertain_players() -> String {
    let able: Vec<&str> = PLAYERS.iter().filter(|player| player.uncertain).map(|player| player.name).collect();
    able.join(", ")
}

impl PlayerDescription {
    /// Checks that the player plays games of these roles, which hide their states or not.
    ///
    /// # Errors
    ///
    /// [`Unfit`].
    pub fn check(&self, roles: &[Term], hides: bool) -> Result<(), Unfit> {
        let unfit = |reason| Err(Unfit { player: self.name, reason });
        if !self.roles.contains(&roles.len()) {
            unfit(UnfitReason::Roles(roles.len()))
        } else if hides && !self.uncertain {
            unfit(UnfitReason::Hidden)
        } else if !self.uncertain && roles.iter().any(is_random) {
            unfit(UnfitReason::Chance)
        } else {
            Ok(())
        }
    }

    /// A player of a role.
    ///
    /// # Errors
    ///
    /// [`Unfit`].
    pub fn player(&self, game: Game, role: Role, options: &Options) -> Result<Box<dyn Player>, Unfit> {
        self.check(game.reader().roles(), game.reader().hides())?;
        let known = match &game {
            Game::Net(net, machine) => options.database_of(net).map(|database| (database, machine.clone())),
            Game::Interpreted(_) => None,
        };
        let player = (self.make)(game, role, options);
        Ok(match known {
            Some((database, machine)) => Box::new(Perfect::new(machine, role, database, player)),
            None => player,
        })
    }
}

/// The players there are, the default first.
pub static PLAYERS: [PlayerDescription; 8] = [
    PlayerDescription {
        name: "auto",
        summary: "Looks at the game, and plays as one of the others",
        roles: 1..=usize::MAX,
        uncertain: true,
        make: |game, role, options| Box::new(Auto::new(game, role, options.clone())),
    },
    PlayerDescription {
        name: "mcts",
        summary: "Monte-Carlo tree search with proofs, for any number of players",
        roles: 1..=usize::MAX,
        uncertain: false,
        make: |game, role, options| Box::new(Mcts::new(game, role, options.mcts())),
    },
    PlayerDescription {
        name: "alpha-beta",
        summary: "Alpha-beta search by iterative deepening, for two players that take turns",
        roles: 1..=usize::MAX,
        uncertain: false,
        make: |game, role, options| Box::new(AlphaBeta::with_options(game, role, options)),
    },
    PlayerDescription {
        name: "zermelo",
        summary: "The labelled tree of a small game whose roles take turns",
        roles: 1..=usize::MAX,
        uncertain: false,
        make: |game, role, options| Box::new(Zermelo::new(game, role, options.memory)),
    },
    PlayerDescription {
        name: "one-player",
        summary: "Looks for a line to the best goal and plays it, for one player",
        roles: 1..=1,
        uncertain: false,
        make: |game, _, options| Box::new(OnePlayer::new(game, options.memory, options.seed)),
    },
    PlayerDescription {
        name: "cfr",
        summary: "Learns by regret over information sets, for hidden moves and chance",
        roles: 1..=usize::MAX,
        uncertain: true,
        make: |game, role, options| Box::new(Cfr::new(game, role, options.memory, options.seed)),
    },
    PlayerDescription {
        name: "random",
        summary: "Any legal move, all with the same chance",
        roles: 1..=usize::MAX,
        uncertain: true,
        make: |game, role, options| Box::new(RandomPlayer::new(game, role, options.seed)),
    },
    PlayerDescription {
        name: "legal",
        summary: "The first legal move",
        roles: 1..=usize::MAX,
        uncertain: true,
        make: |game, role, _| Box::new(LegalPlayer::new(game, role)),
    },
];

impl fmt::Debug for PlayerDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A player there is, by name.
#[derive(Clone, Copy, Debug)]
pub struct PlayerKind(pub &'static PlayerDescription);

/// There is no player of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlayer(pub String);

impl fmt::Display for UnknownPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = PLAYERS.iter().map(|player| player.name).collect();
        write!(f, "there is no player `{}`; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownPlayer {}

impl FromStr for PlayerKind {
    type Err = UnknownPlayer;

    fn from_str(name: &str) -> Result<Self, UnknownPlayer> {
        let found = PLAYERS.iter().find(|player| player.name == name);
        found.map(PlayerKind).ok_or_else(|| UnknownPlayer(name.to_owned()))
    }
}
