//! The transposition table: the results of all searches on one board so far.

use super::pattern::WinPattern;
use super::static_evaluation::{self, SearchConstants};
use crate::board::{Cell, Player};
use crate::cells::CellSet;
use crate::inferior::Stones;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// More than any sum of proof numbers comes to.
pub const INFINITE: u32 = 1 << 30;

/// The search looks at the best of the remaining moves and at 1/`WIDENING` of the others.
const WIDENING: usize = 4;

/// Patterns that are kept at most: comparing a position with as many takes some ten microseconds.
const MAX_PATTERNS: usize = 50_000;

/// Entries that are kept at most, some 300 bytes each on boards up to 8×8.
pub const MAX_ENTRIES: usize = 4_000_000;

/// A position: its stones, filled in, and who is to move.
pub type PositionKey<const W: usize> = (Stones<W>, Player);

/// The entries by position.
pub type Entries<const W: usize> = FxHashMap<PositionKey<W>, TableEntry<W>>;

/// The result for a position so far. It is solved when one of the numbers is zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableEntry<const W: usize> {
    /// The proof number: positions that have to be decided at least to prove a win of the player to move.
    pub phi: u32,
    /// The disproof number: positions that have to be decided at least to prove a loss.
    pub delta: u32,
    /// Moves that may win, the best first; once won, one that does, if it was found by search.
    pub moves: Vec<Cell>,
    /// The empty cells among which inferior moves were sorted out.
    pub candidates: CellSet<W>,
    /// Within each of these carriers the opponent wins against any move outside of it.
    pub refutations: Vec<CellSet<W>>,
    /// The number of patterns that the position was compared with.
    pub compared: usize,
    /// The cells that the proof needs, once solved.
    pub carrier: CellSet<W>,
    /// Positions searched below this one: what is lost with the entry.
    #[serde(skip)]
    pub work: u32,
    /// Threads that search below the position.
    #[serde(skip)]
    pub busy: u32,
}

impl<const W: usize> TableEntry<W> {
    /// Nothing is known yet.
    pub fn open() -> TableEntry<W> {
        TableEntry {
            phi: 1,
            delta: 1,
            moves: Vec::new(),
            candidates: CellSet::EMPTY,
            refutations: Vec::new(),
            compared: 0,
            carrier: CellSet::EMPTY,
            work: 0,
            busy: 0,
        }
    }

    /// Won by the player to move.
    pub fn won(carrier: CellSet<W>, by: Option<Cell>) -> TableEntry<W> {
        TableEntry { phi: 0, delta: INFINITE, moves: by.into_iter().collect(), carrier, ..TableEntry::open() }
    }

    /// Lost by the player to move.
    pub fn lost(carrier: CellSet<W>) -> TableEntry<W> {
        TableEntry { phi: INFINITE, delta: 0, carrier, ..TableEntry::open() }
    }

    /// Whether the winner is known.
    pub fn is_solved(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Whether it mentions only these cells, and no more than `patterns` patterns.
    pub fn is_within(&self, cells: &CellSet<W>, patterns: usize) -> bool {
        let mut sets = self.refutations.iter().chain([&self.candidates, &self.carrier]);
        let is_on_board = |cell: &Cell| cell.index() < CellSet::<W>::CAPACITY && cells.contains(*cell);
        sets.all(|set| set.is_subset(cells)) && self.moves.iter().all(is_on_board) && self.compared <= patterns
    }

    /// Takes in that the opponent wins within `within` against any move outside of it.
    pub fn refute(&mut self, within: CellSet<W>) {
        self.refutations.push(within);
        self.moves.retain(|&cell| within.contains(cell));
    }

    /// The number of moves that are searched now.
    pub fn width(&self) -> usize {
        (1 + self.moves.len().div_ceil(WIDENING)).min(self.moves.len())
    }
}

/// The result of a solved position.
#[derive(Clone, Copy, Debug)]
pub struct SolvedEntry {
    /// Whether the player to move wins.
    pub is_won: bool,
    /// A winning move, where search found it.
    pub by: Option<Cell>,
}

/// Removes half of the entries, those with less work below them. Positions that are searched stay, and so do those of
/// which there are too many with equal work (A. Nagai, *Df-pn algorithm for searching AND/OR trees and its
/// applications*, 2002, on small-tree collection). In linear time.
fn make_room<const W: usize>(entries: &mut Entries<W>) {
    let mut work: Vec<u32> = entries.values().filter(|entry| entry.busy == 0).map(|entry| entry.work).collect();
    if work.is_empty() {
        return;
    }
    let mut to_remove = work.len().div_ceil(2);
    let (_, &mut most, _) = work.select_nth_unstable(to_remove - 1);
    entries.retain(|_, entry| {
        let stays = entry.busy > 0 || entry.work > most || to_remove == 0;
        to_remove -= usize::from(!stays);
        stays
    });
}

/// Entries and patterns, shared by all searches on one board.
#[derive(Debug)]
pub struct TranspositionTable<const W: usize> {
    /// The constants of the searches.
    pub setting: SearchConstants,
    /// Entries that are kept at most, besides those that are searched.
    most: usize,
    entries: Mutex<Entries<W>>,
    patterns: RwLock<Vec<WinPattern<W>>>,
    nodes: AtomicU64,
}

impl<const W: usize> TranspositionTable<W> {
    /// An empty table for that many entries.
    pub fn new(setting: SearchConstants, most: usize) -> TranspositionTable<W> {
        TranspositionTable {
            setting,
            most,
            entries: Mutex::default(),
            patterns: RwLock::default(),
            nodes: AtomicU64::new(0),
        }
    }

    /// Stores what is known of a position that `came` more threads search, unless one of them has solved it meanwhile.
    pub fn store(&self, key: PositionKey<W>, entry: &TableEntry<W>, came: i32) {
        let mut entries = self.entries();
        let stored = entries.entry(key).or_insert_with(TableEntry::open);
        let busy = stored.busy.saturating_add_signed(came);
        if !stored.is_solved() {
            *stored = entry.clone();
        }
        stored.busy = busy;
        if entries.len() > self.most {
            make_room(&mut entries);
        }
    }

    /// The number of positions searched, each with a closure of both players' connections.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Counts a position that is searched for the first time.
    pub fn count_node(&self) {
        self.nodes.fetch_add(1, Ordering::Relaxed);
    }

    /// The patterns found so far.
    pub fn patterns(&self) -> RwLockReadGuard<'_, Vec<WinPattern<W>>> {
        self.patterns.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a pattern and its images under the symmetries of the board, as long as there is room.
    pub fn learn(&self, pattern: WinPattern<W>) {
        let mut patterns = self.patterns.write().unwrap_or_else(PoisonError::into_inner);
        if patterns.len() < MAX_PATTERNS {
            patterns.push(pattern);
            patterns.extend(self.setting.symmetries.iter().map(|symmetry| pattern.image(symmetry)));
        }
    }

    /// Takes entries and patterns from another table of the same board.
    pub fn restore(&mut self, entries: Entries<W>, patterns: Vec<WinPattern<W>>) {
        (self.entries, self.patterns) = (Mutex::new(entries), RwLock::new(patterns));
    }

    /// Shows entries and patterns as they are at one moment. Patterns are locked last: no entry was compared with more.
    pub fn show<T>(&self, to: impl FnOnce(&Entries<W>, &[WinPattern<W>]) -> T) -> T {
        let entries = self.entries();
        let patterns = self.patterns();
        to(&entries, &patterns)
    }

    /// The entries, locked.
    pub fn entries(&self) -> MutexGuard<'_, Entries<W>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a position, where it is solved.
    pub fn known(&self, stones: &Stones<W>, player: Player) -> Option<SolvedEntry> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        self.solved(&stones, player)
    }

    /// The result of a filled-in position, where it is solved.
    pub fn solved(&self, stones: &Stones<W>, player: Player) -> Option<SolvedEntry> {
        let entries = self.entries();
        let entry = entries.get(&(*stones, player)).filter(|entry| entry.is_solved())?;
        Some(SolvedEntry { is_won: entry.phi == 0, by: entry.moves.first().copied() })
    }

    /// The first move of a connection that wins the position, if the rules find one.
    pub fn key(&self, stones: &Stones<W>, player: Player) -> Option<Cell> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        static_evaluation::key(&self.setting.connections(&stones, player))
    }

    /// The proof and disproof numbers of the position.
    pub fn numbers(&self, stones: &Stones<W>, player: Player) -> Option<(u32, u32)> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        self.entries().get(&(stones, player)).map(|entry| (entry.phi, entry.delta))
    }
}
