//! The options of players of this process, and the files that they play by.

use super::matches::Arena;
use super::{Failure, file};
use clap::Args;
use ludolog::game::Role;
use ludolog::player::Options;
use ludolog::player::judge::file::JudgeFile;
use ludolog::solve::Database;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most bytes of a mebibyte.
pub const MEBIBYTE: usize = 1 << 20;

/// The options of players of this process.
#[derive(Args)]
pub struct PlayerArgs {
    /// Threads of each player
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Mebibytes that each player may fill with what it remembers
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// The seed of all players, and of moves that replace missing ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
}

/// The files that players play by.
#[derive(Args)]
pub struct KnowledgeArgs {
    /// Play by the values in this file, as `game solve --database` writes them; again for each further game
    #[arg(long = "database", value_name = "FILE")]
    databases: Vec<PathBuf>,
    /// Let alpha-beta judge states by this file, as `game learn` writes it, instead of learning; again for each further
    /// game. A file that is none is told, and left aside
    #[arg(long = "judge", value_name = "FILE")]
    judges: Vec<PathBuf>,
}

impl KnowledgeArgs {
    /// Reads the databases.
    pub fn databases(&self) -> Result<Vec<Arc<Database>>, Failure> {
        self.databases.iter().map(|path| database(path).map(Arc::new)).collect()
    }

    /// Reads the judges. Those that are none are told and left out.
    pub fn judges(&self) -> Vec<Arc<JudgeFile>> {
        self.judges.iter().filter_map(|path| judge(path)).map(Arc::new).collect()
    }

    /// Reads the judges of these games; others are told and left out.
    fn judges_of(&self, arenas: &[Arena]) -> Vec<Arc<JudgeFile>> {
        let is_of =
            |judge: &JudgeFile, arena: &Arena| arena.rules.net().is_some_and(|net| judge.of(net, Role(0)).is_some());
        let mut judges = self.judges();
        judges.retain(|judge| {
            let fits = arenas.iter().any(|arena| is_of(judge, arena));
            if !fits {
                anstream::eprintln!("note: a judge of {} is of another game, and is left aside", judge.role);
            }
            fits
        });
        judges
    }
}

/// Reads a judge, or says why it is none.
fn judge(path: &Path) -> Option<JudgeFile> {
    let read = file::read(path).map(|bytes| JudgeFile::read(&bytes));
    let reason = match read {
        Ok(Ok(judge)) => return Some(judge),
        Ok(Err(reason)) => reason.to_string(),
        Err(_) => "it cannot be read".to_owned(),
    };
    anstream::eprintln!("note: {} is left aside: {reason}; write one with `game learn`", path.display());
    None
}

/// Reads a database of a solved game.
pub fn database(path: &Path) -> Result<Database, Failure> {
    Database::read(file::read(path)?).map_err(|reason| {
        Failure::Message(format!("{}: {reason}; write it with `game solve --database`", path.display()))
    })
}

impl PlayerArgs {
    /// The threads of each player.
    pub fn threads(&self) -> usize {
        self.threads as usize
    }

    /// Whether players play by databases.
    pub fn have_databases(&self) -> bool {
        !self.knowledge.databases.is_empty()
    }

    /// The seed of moves that replace missing ones.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The options of players in these games. Each database has to be that of one of them.
    pub fn read(&self, arenas: &[Arena]) -> Result<PlayerOptions, Failure> {
        let databases = self.knowledge.databases()?;
        for (database, path) in databases.iter().zip(&self.knowledge.databases) {
            if !arenas.iter().any(|arena| arena.rules.net().is_some_and(|net| database.is_of(net))) {
                let names: Vec<&str> = arenas.iter().map(|arena| &*arena.name).collect();
                let path = path.display();
                let names = names.join(" or ");
                return Err(Failure::Message(format!(
                    "{path} is no database of {names}, or another version of Ludolog has written it; write one with \
                     `game solve --database`"
                )));
            }
        }
        Ok(PlayerOptions(Options {
            threads: self.threads(),
            memory: self.memory as usize * MEBIBYTE,
            ponder: false,
            seed: self.seed,
            databases,
            judges: self.knowledge.judges_of(arenas),
        }))
    }
}

/// The options of players of this process.
pub struct PlayerOptions(Options);

impl PlayerOptions {
    /// The options of the player of a role, in a match of this number.
    pub fn of(&self, number: u64, role: u32) -> Options {
        let seed = self.0.seed.wrapping_add(number.wrapping_mul(1_000)).wrapping_add(u64::from(role));
        Options { seed, ..self.0.clone() }
    }
}
