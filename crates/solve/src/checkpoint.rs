//! A directory from which an enumeration goes on that was stopped.
//!
//! Each peer has a file, to which it appends what a level adds. When the files of all are on the disk, the first peer
//! replaces the file `checkpoint`, which says how much of each file counts. So it always tells of complete levels.

use crate::fingerprint::fingerprint;
use crate::shard::Shard;
use ludolog_propnet::Net;
use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first word of the file; the last byte is the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"ludochk\x02");

/// The bits of the first word but for the version.
const ANY_VERSION: u64 = u64::MAX >> 8;

/// The checksum of nothing.
const CHECKSUM: u64 = 0xcbf2_9ce4_8422_2325;

/// Bytes that a file is read by.
const BUFFER: usize = 1 << 20;

/// A directory for checkpoints of one game.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    directory: PathBuf,
    fingerprint: u64,
    /// By peer: the length of its file; none before the first level is complete.
    lengths: Vec<u64>,
}

impl Checkpoint {
    /// The checkpoint of a game in a directory, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// Of the file system; and [`ErrorKind::InvalidData`], if the directory has a checkpoint of another game, or none
    /// that can be read.
    pub fn open(directory: &Path, net: &Net) -> io::Result<Checkpoint> {
        fs::create_dir_all(directory)?;
        let mut checkpoint =
            Checkpoint { directory: directory.to_owned(), fingerprint: fingerprint(net), lengths: Vec::new() };
        let bytes = match fs::read(checkpoint.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(checkpoint),
            bytes => bytes?,
        };
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        match &words[..] {
            [MAGIC, fingerprint, ..] if *fingerprint != checkpoint.fingerprint => {
                Err(invalid("it has a checkpoint of another game"))
            }
            [MAGIC, _, lengths @ ..] if !lengths.is_empty() && bytes.len() % 8 == 0 => {
                checkpoint.lengths = lengths.to_vec();
                Ok(checkpoint)
            }
            [other, ..] if other & ANY_VERSION == MAGIC & ANY_VERSION && *other != MAGIC => {
                let version = other >> 56;
                let read = MAGIC >> 56;
                Err(invalid(format!(
                    "it has a checkpoint of version {version} of the format, and version {read} is read; solve the game in another \
                     directory"
                )))
            }
            _ => Err(invalid("its file `checkpoint` is none")),
        }
    }

    /// The number of peers whose states it has; `None` if it has no states.
    pub fn peers(&self) -> Option<usize> {
        Some(self.lengths.len()).filter(|&peers| peers > 0)
    }

    fn path(&self) -> PathBuf {
        self.directory.join("checkpoint")
    }

    /// Says that the files of peers count up to these lengths.
    pub(crate) fn write(&self, lengths: &[u64]) -> io::Result<()> {
        let words = [MAGIC, self.fingerprint];
        let bytes: Vec<u8> = words.iter().chain(lengths).flat_map(|word| word.to_le_bytes()).collect();
        let path = self.path();
        let beside = path.with_extension("new");
        let mut file = File::create(&beside)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(beside, path)
    }

    /// The file of a peer, with what it says of its shard.
    pub(crate) fn file(
        &self,
        peer: usize,
        shard: &mut Shard,
        goals: &mut Vec<Vec<i64>>,
        roles: usize,
    ) -> io::Result<PeerLog> {
        let path = self.directory.join(format!("peer-{peer}"));
        let length = self.lengths.get(peer).copied().unwrap_or_default();
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() < length {
            return Err(invalid("a file of it is too short"));
        }
        file.set_len(length)?;
        let mut reader = BufReader::with_capacity(BUFFER, &file);
        let mut read = 0;
        while read < length {
            read += load(&mut reader, shard, goals, roles)?;
        }
        file.seek(SeekFrom::Start(length))?;
        Ok(PeerLog { file, length, saved: Saved::of(shard) })
    }
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

/// The checksum of bytes that follow others: FNV-1a (Fowler, Noll and Vo), which does not depend on how they are cut.
fn checksum(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The part of a shard that is in its file.
struct Saved {
    rows: usize,
    known: usize,
    edges: usize,
}

impl Saved {
    fn of(shard: &Shard) -> Saved {
        Saved { rows: shard.rows.len(), known: shard.known.len(), edges: shard.edges.len() }
    }
}

/// The file of a peer.
pub(crate) struct PeerLog {
    file: File,
    length: u64,
    saved: Saved,
}

impl PeerLog {
    /// Appends what a level has added. Returns the length of the file.
    pub fn append(&mut self, shard: &Shard, goals: &[Vec<i64>]) -> io::Result<u64> {
        let Saved { rows, known, edges } = self.saved;
        let heads =
            || (0..).zip(&shard.heads).filter(|(_, head)| (edges as u32..shard.edges.len() as u32).contains(head));
        let mut writer = BufWriter::with_capacity(BUFFER, &self.file);
        let mut bytes = 0;
        let mut sum = CHECKSUM;
        let mut put = |part: &[u8]| {
            bytes += part.len() as u64;
            sum = checksum(sum, part);
            writer.write_all(part)
        };
        let counts = [
            shard.rows.len() - rows,
            shard.known.len() - known,
            shard.edges.len() - edges,
            heads().count(),
            goals.len(),
        ];
        counts.iter().try_for_each(|count| put(&(*count as u64).to_le_bytes()))?;
        shard.rows.words()[rows * shard.rows.width()..].iter().try_for_each(|word| put(&word.to_le_bytes()))?;
        let known = &shard.known[known..];
        known.iter().try_for_each(|known| put(&[known.turn]))?;
        known.iter().try_for_each(|known| put(&known.count.to_le_bytes()))?;
        shard.edges[edges..].iter().flatten().try_for_each(|number| put(&number.to_le_bytes()))?;
        heads().try_for_each(|(state, head): (u32, &u32)| {
            [state, *head].iter().try_for_each(|number| put(&number.to_le_bytes()))
        })?;
        goals.iter().flatten().try_for_each(|goal| put(&goal.to_le_bytes()))?;
        writer.write_all(&sum.to_le_bytes())?;
        writer.flush()?;
        drop(writer);
        self.file.sync_data()?;
        self.length += bytes + 8;
        self.saved = Saved::of(shard);
        Ok(self.length)
    }
}

/// Adds a level to a shard. Returns the number of bytes read.
fn load(reader: &mut impl Read, shard: &mut Shard, goals: &mut Vec<Vec<i64>>, roles: usize) -> io::Result<u64> {
    let read = Cell::new(0);
    let sum = Cell::new(CHECKSUM);
    let mut bytes = |count: u64| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        reader.by_ref().take(count).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == count {
            read.set(read.get() + count);
            sum.set(checksum(sum.get(), &bytes));
            Ok(bytes)
        } else {
            Err(invalid("a file of it is damaged"))
        }
    };
    let words = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>();
    let halves = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|half| u32::from_le_bytes(*half)).collect::<Vec<_>>();
    let counts = words(bytes(5 * 8)?);
    let size = |place: usize, unit: usize| {
        counts[place].checked_mul(unit as u64).ok_or_else(|| invalid("a file of it is damaged"))
    };
    let rows = words(bytes(size(0, 8 * shard.rows.width())?)?);
    let turns = bytes(size(1, 1)?)?;
    let successors = halves(bytes(size(1, 4)?)?);
    let edges = halves(bytes(size(2, 8)?)?);
    let heads = halves(bytes(size(3, 8)?)?);
    let ends = words(bytes(size(4, 8 * roles)?)?);
    let expected = sum.get();
    if words(bytes(8)?) != [expected] {
        return Err(invalid("a file of it is damaged"));
    }
    shard.restore(&rows, &turns, &successors, &edges, &heads).ok_or_else(|| invalid("a file of it is damaged"))?;
    *goals = ends.chunks_exact(roles).map(|goals| goals.iter().map(|&goal| goal as i64).collect()).collect();
    Ok(read.get())
}
