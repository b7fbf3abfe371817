//! A transposition table as a file, for a later search to go on from.
//!
//! The file is: [`MAGIC`]; version, board, entries and patterns in the wire format of the crate postcard; the SHA-256
//! of all that. The digest guards against damage, not against forgery: a solver believes a forged file. A certificate
//! cannot be forged that way.

use super::pattern::WinPattern;
use super::table::{Entries, PositionKey, TranspositionTable};
use crate::board::Board;
use crate::cells::CellSet;
use sha2::{Digest, Sha256};
use std::fmt;

/// The first bytes of a file.
const MAGIC: &[u8] = b"ludolog solver\n";

/// Changes whenever older files would be misread, or what they claim is not to be trusted.
const VERSION: u32 = 1;

const DIGEST: usize = 32;

/// The mark of a cylinder, more than any board has columns.
const CYLINDER: usize = Board::MAX_SIDE + 1;

/// The mark of a triangle.
const TRIANGLE: usize = 2 * CYLINDER;

/// The reason for which a solver does not go on from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateRefused {
    /// It does not begin like one.
    NoState,
    /// It is not, to the byte, what was saved.
    Damaged,
    /// Another version of the solver saved it.
    Version(u32),
    /// It is for this board.
    Board(Board),
}

impl fmt::Display for StateRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateRefused::NoState => f.write_str("it was not saved by the solver"),
            StateRefused::Damaged => f.write_str("it is truncated or altered"),
            StateRefused::Version(version) => write!(f, "it has version {version} of the format, not {VERSION}"),
            StateRefused::Board(board) => write!(f, "it is for the board {board}"),
        }
    }
}

impl std::error::Error for StateRefused {}

/// The file of a table.
pub fn save<const W: usize>(table: &TranspositionTable<W>) -> Vec<u8> {
    let head = head(table.setting.board);
    let mut file = table
        .show(|entries, patterns| postcard::to_extend(&(VERSION, head, entries, patterns), MAGIC.to_vec()))
        .expect("maps and slices know their lengths");
    let digest = Sha256::digest(&file);
    file.extend_from_slice(&digest);
    file
}

/// The size of a board as the file has it: columns, of a cylinder [`CYLINDER`] more, of a triangle [`TRIANGLE`], and rows.
fn head(board: Board) -> (usize, usize) {
    let mark = if board.is_cylinder() {
        CYLINDER
    } else if board.is_triangle() {
        TRIANGLE
    } else {
        0
    };
    (board.width() + mark, board.height())
}

/// The board whose [`head`] that is, if there is one.
fn board_of((width, height): (usize, usize)) -> Option<Board> {
    match (width.checked_sub(TRIANGLE), width.checked_sub(CYLINDER)) {
        (Some(side), _) => Board::triangle(side).filter(|_| side == height),
        (None, Some(around)) => Board::cylinder(around, height),
        (None, None) => Board::new(width, height),
    }
}

/// Fills a table from its file.
///
/// # Errors
///
/// Why the file is refused; the table is left as it was.
pub fn load<const W: usize>(table: &mut TranspositionTable<W>, file: &[u8]) -> Result<(), StateRefused> {
    let sealed = file.strip_prefix(MAGIC).ok_or(StateRefused::NoState)?;
    let (content, digest) = sealed.split_last_chunk::<DIGEST>().ok_or(StateRefused::Damaged)?;
    if Sha256::digest(&file[..file.len() - DIGEST])[..] != digest[..] {
        return Err(StateRefused::Damaged);
    }
    let damaged = |_| StateRefused::Damaged;
    let (version, content): (u32, _) = postcard::take_from_bytes(content).map_err(damaged)?;
    if version != VERSION {
        return Err(StateRefused::Version(version));
    }
    let (size, content) = postcard::take_from_bytes(content).map_err(damaged)?;
    let board = board_of(size).ok_or(StateRefused::Damaged)?;
    if board != table.setting.board {
        return Err(StateRefused::Board(board));
    }
    let (entries, patterns): (Entries<W>, Vec<WinPattern<W>>) = postcard::from_bytes(content).map_err(damaged)?;
    if !is_within(board, &entries, &patterns) {
        return Err(StateRefused::Damaged);
    }
    table.restore(entries, patterns);
    Ok(())
}

/// Whether all cells are on the board, none has two stones, and entries mention existing patterns only.
fn is_within<const W: usize>(board: Board, entries: &Entries<W>, patterns: &[WinPattern<W>]) -> bool {
    let cells = CellSet::all(board);
    let is_position = |((stones, _), _): &(&PositionKey<W>, _)| {
        stones.iter().all(|stones| stones.is_subset(&cells)) && stones[0].is_disjoint(&stones[1])
    };
    let is_pattern = |pattern: &WinPattern<W>| {
        pattern.needs.is_subset(&cells)
            && pattern.carrier.is_subset(&cells)
            && pattern.by.is_none_or(|cell| cell.index() < board.len())
    };
    patterns.iter().all(is_pattern)
        && entries.iter().all(|row| is_position(&row) && row.1.is_within(&cells, patterns.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Cell, Player};
    use crate::connection::ConnectionLimits;
    use crate::solver::search;
    use crate::solver::static_evaluation::SearchConstants;
    use ludolog_syntax::budget::Budget;

    fn table<const W: usize>(board: Board) -> TranspositionTable<W> {
        TranspositionTable::new(SearchConstants::new(board, ConnectionLimits::SOLVING), 1000)
    }

    #[test]
    fn no_other_file_is_taken() {
        let board = Board::new(4, 4).expect("a board");
        let first = table::<1>(board);
        search::solve(&first, &[CellSet::EMPTY; 2], Player::Red, &Budget::unlimited()).expect("nothing stops it");
        let file = save(&first);
        let refused = |board: Board, file: &[u8]| load(&mut table::<1>(board), file);
        assert_eq!(refused(board, &file), Ok(()));
        let other = StateRefused::Board(board);
        assert_eq!(refused(Board::new(6, 6).expect("a board"), &file), Err(other.clone()));
        assert_eq!(load(&mut table::<2>(Board::new(9, 9).expect("a board")), &file), Err(other.clone()));
        let cylinder = Board::cylinder(4, 4).expect("a board");
        assert_eq!(refused(cylinder, &file), Err(other));
        let around = save(&table::<1>(cylinder));
        assert_eq!(refused(board, &around), Err(StateRefused::Board(cylinder)));
        assert_eq!(refused(cylinder, &around), Ok(()));
        for length in 0..file.len() {
            let why = if length < MAGIC.len() { StateRefused::NoState } else { StateRefused::Damaged };
            assert_eq!(refused(board, &file[..length]), Err(why), "{length} bytes");
        }
        for at in MAGIC.len()..file.len() {
            let mut altered = file.clone();
            altered[at] ^= 1;
            assert_eq!(refused(board, &altered), Err(StateRefused::Damaged), "byte {at}");
        }
        let sealed = |content: &[u8]| {
            let mut file = [MAGIC, content].concat();
            let digest = Sha256::digest(&file);
            file.extend_from_slice(&digest);
            file
        };
        assert_eq!(refused(board, &sealed(&[VERSION as u8 + 1])), Err(StateRefused::Version(VERSION + 1)));
        assert_eq!(refused(board, &sealed(&[VERSION as u8, 4, 4])), Err(StateRefused::Damaged));
        // A pattern that needs a stone outside of the board.
        let outside = postcard::to_stdvec(&(
            VERSION,
            head(board),
            Entries::<1>::default(),
            [WinPattern::<1> {
                winner: Player::Red,
                kind: crate::connection::ConnectionKind::Full,
                needs: CellSet::of(Cell::from_index(16)),
                carrier: CellSet::EMPTY,
                by: None,
            }]
            .as_slice(),
        ))
        .expect("it is written");
        assert_eq!(refused(board, &sealed(&outside)), Err(StateRefused::Damaged));
    }
}
