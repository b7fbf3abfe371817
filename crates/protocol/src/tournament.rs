//! Round robins: who plays whom, what is recorded, and what it says about the players.
//!
//! A [`TournamentLog`] is a file of lines that only grows: a header that says what is played, then a line for each
//! match that has ended. Whatever kills the manager, the matches of complete lines are known when it comes back, and a
//! torn last line is cut off.

use ludolog_player::score::mean_with_confidence_95;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fixture {
    /// The number of the round, from 1.
    pub round: u64,
    /// The number of the game.
    pub game: usize,
    /// By role: the number of the player.
    pub players: Vec<usize>,
}

/// The matches of a round robin: in each round and game, each set of as many players as there are roles, with the seats
/// rotated until each has had each seat. `roles` are the numbers of roles of the games. Where players are too few, they
/// sit in several seats.
pub fn schedule(roles: &[usize], players: usize, rounds: u64) -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for round in 1..=rounds {
        for (game, &roles) in roles.iter().enumerate() {
            let groups = if players < roles {
                vec![(0..roles).map(|seat| seat % players).collect()]
            } else {
                subsets(players, roles)
            };
            let mut seen = HashSet::new();
            for group in groups {
                for turn in 0..roles {
                    let mut players: Vec<usize> = group.clone();
                    players.rotate_left(turn);
                    if seen.insert(players.clone()) {
                        fixtures.push(Fixture { round, game, players });
                    }
                }
            }
        }
    }
    fixtures
}

/// The subsets of this size of the numbers below `n`, each in order.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        let longer = |subset: &Vec<usize>| {
            let subset = subset.clone();
            (subset.last().map_or(0, |last| last + 1)..n).map(move |next| [&subset[..], &[next]].concat())
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

/// A match that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMatch {
    /// The match as it was to be played.
    pub fixture: Fixture,
    /// The name of the match.
    pub id: String,
    /// By role: the goal; 0 if there was no single one.
    pub goals: Vec<i64>,
    /// By role: late, illegal and missing answers.
    pub faults: Vec<u64>,
    /// The number of joint moves.
    pub steps: u64,
}

impl PlayedMatch {
    fn to_json(&self) -> Value {
        let PlayedMatch { fixture, id, goals, faults, steps } = self;
        json!({
            "id": id,
            "round": fixture.round,
            "game": fixture.game,
            "players": fixture.players,
            "goals": goals,
            "faults": faults,
            "steps": steps,
        })
    }

    fn of_json(value: &Value) -> Option<PlayedMatch> {
        let numbers = |name: &str| value[name].as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
        let players: Vec<usize> = numbers("players")?.into_iter().map(|player| player as usize).collect();
        let goals = value["goals"].as_array()?.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>()?;
        let faults = numbers("faults")?;
        if goals.len() != players.len() || faults.len() != players.len() {
            return None;
        }
        let fixture = Fixture { round: value["round"].as_u64()?, game: value["game"].as_u64()? as usize, players };
        Some(PlayedMatch {
            fixture,
            id: value["id"].as_str()?.to_owned(),
            goals,
            faults,
            steps: value["steps"].as_u64()?,
        })
    }
}

/// The record of a tournament in a file.
#[derive(Debug)]
pub struct TournamentLog {
    file: File,
    played: Vec<PlayedMatch>,
}

/// Why a record cannot be used.
#[derive(Debug)]
pub enum LogError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// It is the record of something else: the first part of the header that differs, there and here.
    Other {
        /// The name of the part.
        part: String,
        /// Its value in the file.
        there: Box<Value>,
        /// Its value here.
        here: Box<Value>,
    },
    /// Another manager writes it.
    InUse,
    /// A line is no match of this tournament.
    Damaged {
        /// The number of the line, from 1.
        line: usize,
    },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Io(error) => error.fmt(f),
            LogError::Other { part, there, here } => {
                write!(f, "it is the record of another tournament, whose `{part}` is {there} and not {here}")
            }
            LogError::InUse => f.write_str("another manager plays this tournament now"),
            LogError::Damaged { line } => write!(f, "line {line} is no match of this tournament"),
        }
    }
}

impl std::error::Error for LogError {}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        LogError::Io(error)
    }
}

impl TournamentLog {
    /// Opens the record of the tournament with this header, or begins one, and locks it until it is dropped. A last
    /// line that is torn is cut off.
    ///
    /// # Errors
    ///
    /// [`LogError`].
    pub fn open(path: &Path, header: &Value) -> Result<TournamentLog, LogError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        // Where the file system knows no locks, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(LogError::InUse);
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<&[u8]> = text[..whole].split_inclusive(|&byte| byte == b'\n').collect();
        let mut played = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let is_last = number + 1 == lines.len();
            let value = serde_json::from_slice::<Value>(line).ok();
            match value {
                Some(there) if number == 0 => same(&there, header)?,
                Some(value) => played.push(PlayedMatch::of_json(&value).ok_or(LogError::Damaged { line: number + 1 })?),
                // Blocks that a crash of the system left unwritten.
                None if is_last => whole -= line.len(),
                None => return Err(LogError::Damaged { line: number + 1 }),
            }
        }
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        let mut log = TournamentLog { file, played };
        if whole == 0 {
            log.write(header)?;
        }
        Ok(log)
    }

    fn write(&mut self, value: &Value) -> io::Result<()> {
        self.file.write_all(format!("{value}\n").as_bytes())?;
        self.file.sync_data()
    }

    /// Records a match. When this returns, the match is known to whoever opens the record.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn append(&mut self, played: PlayedMatch) -> io::Result<()> {
        self.write(&played.to_json())?;
        self.played.push(played);
        Ok(())
    }

    /// The matches that have ended, in order of their ends.
    pub fn played(&self) -> &[PlayedMatch] {
        &self.played
    }
}

/// Checks that two headers are the same.
fn same(there: &Value, here: &Value) -> Result<(), LogError> {
    let empty = serde_json::Map::new();
    let [of_there, of_here] = [there, here].map(|header| header.as_object().unwrap_or(&empty));
    let differs = of_here.keys().chain(of_there.keys()).find(|part| of_there.get(*part) != of_here.get(*part));
    match differs {
        None => Ok(()),
        Some(part) => Err(LogError::Other {
            part: part.clone(),
            there: Box::new(there[part].clone()),
            here: Box::new(here[part].clone()),
        }),
    }
}

/// The score of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Seats that the player has had.
    pub seats: usize,
    /// The mean of its goals.
    pub mean: f64,
    /// The mean is in this interval with a confidence of 95 %.
    pub confidence_95: [f64; 2],
    /// Late, illegal and missing answers.
    pub faults: u64,
}

impl Score {
    /// The score of a player in these matches; `None` if it was in none.
    pub fn of<'p>(player: usize, matches: impl Iterator<Item = &'p PlayedMatch>) -> Option<Score> {
        let mut goals = Vec::new();
        let mut faults = 0;
        for played in matches {
            for (seat, _) in played.fixture.players.iter().enumerate().filter(|(_, sits)| **sits == player) {
                goals.push(played.goals[seat] as f64);
                faults += played.faults[seat];
            }
        }
        let (mean, confidence_95) = mean_with_confidence_95(&goals)?;
        Some(Score { seats: goals.len(), mean, confidence_95, faults })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    fn played(round: u64, goals: [i64; 2]) -> PlayedMatch {
        let fixture = Fixture { round, game: 0, players: vec![0, 1] };
        PlayedMatch { fixture, id: format!("m{round}"), goals: goals.into(), faults: vec![0, 1], steps: 9 }
    }

    /// A file of its own for a test.
    fn file(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ludolog-log-{}-{name}", std::process::id()));
        _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn each_set_of_players_has_each_rotation_of_seats() {
        let seats = |roles: usize, players: usize| {
            schedule(&[roles], players, 1).into_iter().map(|fixture| fixture.players).collect::<Vec<_>>()
        };
        assert_eq!(seats(2, 3), [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
        assert_eq!(seats(1, 2), [[0], [1]]);
        assert_eq!(seats(3, 3), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        assert_eq!(seats(3, 2), [[0, 1, 0], [1, 0, 0], [0, 0, 1]]);
        assert_eq!(seats(2, 1), [[0, 0]]);
        assert_eq!(schedule(&[2, 1], 4, 3).len(), 3 * (12 + 4));
    }

    #[test]
    fn a_record_is_found_again_whole_or_torn() {
        let path = file("torn");
        let header = json!({ "players": ["a", "b"], "play_clock": 1.0 });
        let mut log = TournamentLog::open(&path, &header).unwrap();
        log.append(played(1, [100, 0])).unwrap();
        log.append(played(2, [50, 50])).unwrap();
        drop(log);
        let whole = fs::read(&path).unwrap();
        assert_eq!(TournamentLog::open(&path, &header).unwrap().played(), [played(1, [100, 0]), played(2, [50, 50])]);
        // Cut anywhere, the complete lines are found, and the record goes on from there.
        let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut log = TournamentLog::open(&path, &header).unwrap();
            let lines = ends.iter().filter(|&&end| end < cut).count();
            assert_eq!(log.played().len(), lines.saturating_sub(1), "{cut}");
            log.append(played(3, [0, 100])).unwrap();
            drop(log);
            let found = TournamentLog::open(&path, &header).unwrap();
            assert_eq!(found.played().last(), Some(&played(3, [0, 100])), "{cut}");
        }
        // Blocks of zeros, as file systems leave them, with a line end by chance.
        fs::write(&path, [&whole[..], &[0; 20], b"\n"].concat()).unwrap();
        assert_eq!(TournamentLog::open(&path, &header).unwrap().played().len(), 2);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_record_of_another_tournament_and_a_damaged_one_are_refused() {
        let path = file("other");
        let header = json!({ "players": ["a", "b"], "play_clock": 1.0 });
        TournamentLog::open(&path, &header).unwrap().append(played(1, [100, 0])).unwrap();
        let other = json!({ "players": ["a", "b"], "play_clock": 2.0 });
        let error = TournamentLog::open(&path, &other).unwrap_err().to_string();
        assert!(error.contains("`play_clock` is 1.0 and not 2.0"), "{error}");
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().last().unwrap();
        fs::write(&path, format!("{text}nonsense\n{line}\n")).unwrap();
        assert!(matches!(TournamentLog::open(&path, &header), Err(LogError::Damaged { line: 3 })));
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_record_has_one_manager_at_a_time() {
        let path = file("locked");
        let header = json!({ "players": ["a", "b"] });
        let first = TournamentLog::open(&path, &header).unwrap();
        assert!(matches!(TournamentLog::open(&path, &header), Err(LogError::InUse)));
        drop(first);
        TournamentLog::open(&path, &header).unwrap();
        fs::remove_file(&path).unwrap();
    }

    /// Of goals that are 0 or 100 with even chances, the standard error of the mean of 100 is 5: the interval is some
    /// 1.96 · 5 on either side.
    #[test]
    fn intervals_are_as_wide_as_the_normal_approximation_says() {
        let matches: Vec<PlayedMatch> =
            (0..100).map(|n| played(n, if n % 2 == 0 { [100, 0] } else { [0, 100] })).collect();
        let score = Score::of(0, matches.iter()).unwrap();
        assert_eq!((score.seats, score.mean, score.faults), (100, 50.0, 0));
        let [low, high] = score.confidence_95;
        assert!((38.0..=42.5).contains(&low) && (57.5..=62.0).contains(&high), "{low} {high}");
        assert_eq!(Score::of(1, matches.iter()).unwrap().faults, 100);
        assert_eq!(Score::of(2, matches.iter()), None);
    }
}
