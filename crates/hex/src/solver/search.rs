//! Depth-first proof-number search over positions that are filled in.
//!
//! A position's numbers say how many of the positions below it still have to be won (`phi`) or lost (`delta`) by the
//! player to move to decide it. The search goes down to where least is missing and comes back when another place has
//! become more promising (Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002). As in Arneson,
//! Hayward and Henderson (*Solving Hex: beyond humans*, 2010) only the better part of the moves is looked at, until
//! they are refuted.
//!
//! What makes it fast is what need not be searched:
//!
//! * dead and captured cells are filled in before anything else ([`Rings`]);
//! * both players' connections decide many positions at sight ([`Place`]);
//! * a move outside the carrier of an opponent's threat loses to it; and so does one outside the carrier of the proof
//!   that refuted another move. The moves that are left are the must-play region;
//! * dominated and vulnerable moves wait for others, forever;
//! * every proof is a [`Pattern`] that is recognized in other positions.
//!
//! # Why the carriers are right
//!
//! The carrier of a proof claims: though all other empty cells are given to the loser, the winner wins. So a proof must
//! tell more than where its own replies are. A captured cell of the winner belongs to it. A refuted position's carrier is
//! made so that each of its cells is explained, within it: by a proof or threat whose carrier lacks the cell, by a reply
//! (with what it captures) that kills a stone there, or by being dominated: the move that dominates is explained itself or,
//! being outside, is the loser's already, which leaves nothing to be won by the cell. Cells outside need no explanation.

use super::pattern::{Pattern, turned};
use super::place::{Place, Setting, Verdict};
use crate::board::{Cell, Player};
use crate::cells::CellSet;
use crate::connection::Kind;
use crate::inferior::{FillIn, Inferior, Stones};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// More than any sum of numbers comes to.
const INFINITE: u32 = 1 << 30;

/// One in so many of the moves left is looked at, besides the best.
const WIDENING: usize = 4;

/// A place is left when another one has become better by one in so many.
const PATIENCE: u32 = 4;

/// So many patterns are kept; going through them costs some ten microseconds a position then.
const MOST_PATTERNS: usize = 50_000;

/// A position: its stones, filled in, and who is to move.
pub type Key<const W: usize> = (Stones<W>, Player);

/// What is known of positions.
pub type Table<const W: usize> = FxHashMap<Key<W>, Entry<W>>;

/// What is known of a position. Solved when one of the numbers is zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry<const W: usize> {
    phi: u32,
    delta: u32,
    /// Moves that may win, the best first; once won, one that does, if it was found by search.
    moves: Vec<Cell>,
    /// The empty cells among which inferior moves were sorted out.
    candidates: CellSet<W>,
    /// Within each of these carriers the opponent wins against any move outside of it.
    refutations: Vec<CellSet<W>>,
    /// How many patterns were compared.
    compared: usize,
    /// The cells that the proof needs, once solved.
    carrier: CellSet<W>,
    /// How many threads are below.
    #[serde(skip)]
    busy: u32,
}

impl<const W: usize> Entry<W> {
    fn open() -> Entry<W> {
        Entry {
            phi: 1,
            delta: 1,
            moves: Vec::new(),
            candidates: CellSet::EMPTY,
            refutations: Vec::new(),
            compared: 0,
            carrier: CellSet::EMPTY,
            busy: 0,
        }
    }

    fn won(carrier: CellSet<W>, by: Option<Cell>) -> Entry<W> {
        Entry { phi: 0, delta: INFINITE, moves: by.into_iter().collect(), carrier, ..Entry::open() }
    }

    fn lost(carrier: CellSet<W>) -> Entry<W> {
        Entry { phi: INFINITE, delta: 0, carrier, ..Entry::open() }
    }

    fn is_solved(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Whether it speaks of these cells only, and of so many patterns.
    pub fn is_within(&self, cells: &CellSet<W>, patterns: usize) -> bool {
        let mut sets = self.refutations.iter().chain([&self.candidates, &self.carrier]);
        let is_on_board = |cell: &Cell| cell.index() < CellSet::<W>::CAPACITY && cells.contains(*cell);
        sets.all(|set| set.is_subset(cells)) && self.moves.iter().all(is_on_board) && self.compared <= patterns
    }

    fn refute(&mut self, within: CellSet<W>) {
        self.refutations.push(within);
        self.moves.retain(|&cell| within.contains(cell));
    }

    /// How many of the moves are looked at now.
    fn width(&self) -> usize {
        (1 + self.moves.len().div_ceil(WIDENING)).min(self.moves.len())
    }
}

/// What a solved position says.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// Whether the player to move wins.
    pub is_won: bool,
    /// A winning move, where search found it.
    pub by: Option<Cell>,
}

/// What all searches on one board share.
#[derive(Debug)]
pub struct Memory<const W: usize> {
    pub setting: Setting,
    table: Mutex<Table<W>>,
    patterns: RwLock<Vec<Pattern<W>>>,
    nodes: AtomicU64,
}

impl<const W: usize> Memory<W> {
    pub fn new(setting: Setting) -> Memory<W> {
        Memory { setting, table: Mutex::default(), patterns: RwLock::default(), nodes: AtomicU64::new(0) }
    }

    /// How many positions were looked at, each with a closure of both players' connections.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// How many positions were solved by search.
    pub fn patterns(&self) -> usize {
        self.patterns.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Takes table and patterns from another memory of the same board.
    pub fn restore(&mut self, table: Table<W>, patterns: Vec<Pattern<W>>) {
        (self.table, self.patterns) = (Mutex::new(table), RwLock::new(patterns));
    }

    /// Shows table and patterns as they are at one moment. Patterns are locked last: no entry was compared with more.
    pub fn show<T>(&self, to: impl FnOnce(&Table<W>, &[Pattern<W>]) -> T) -> T {
        let table = self.table();
        let patterns = self.patterns.read().unwrap_or_else(PoisonError::into_inner);
        to(&table, &patterns)
    }

    fn table(&self) -> MutexGuard<'_, Table<W>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Solves a position, alone or beside other threads that search the same one.
    ///
    /// # Errors
    ///
    /// Why the budget stopped the search.
    pub fn solve(&self, stones: &Stones<W>, player: Player, budget: &Budget) -> Result<Solved, Stopped> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        let mut search =
            Search { memory: self, budget, stopped: None, path: Vec::new(), places: Vec::new(), spare: Vec::new() };
        search.visit(stones, player, INFINITE, INFINITE);
        let stopped = search.stopped;
        self.solved(&stones, player).ok_or_else(|| stopped.expect("nothing but the budget ends a search unsolved"))
    }

    /// What is known of a position without searching.
    pub fn known(&self, stones: &Stones<W>, player: Player) -> Option<Solved> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        self.solved(&stones, player)
    }

    /// What is known of a filled-in position.
    fn solved(&self, stones: &Stones<W>, player: Player) -> Option<Solved> {
        let table = self.table();
        let entry = table.get(&(*stones, player)).filter(|entry| entry.is_solved())?;
        Some(Solved { is_won: entry.phi == 0, by: entry.moves.first().copied() })
    }

    /// The first move of a connection that wins the position, if the rules find one.
    pub fn key(&self, stones: &Stones<W>, player: Player) -> Option<Cell> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        Place::new(&self.setting, &stones).key(player)
    }

    /// The numbers of the position: how far its proof and its disproof are.
    pub fn numbers(&self, stones: &Stones<W>, player: Player) -> Option<(u32, u32)> {
        let mut stones = *stones;
        self.setting.rings.fill_in(&mut stones);
        self.table().get(&(stones, player)).map(|entry| (entry.phi, entry.delta))
    }
}

/// One thread's way through the positions.
struct Search<'a, const W: usize> {
    memory: &'a Memory<W>,
    budget: &'a Budget,
    /// Set as soon as the budget is spent.
    stopped: Option<Stopped>,
    path: Vec<Key<W>>,
    /// By depth, the connections, where they were needed.
    places: Vec<Option<Place<W>>>,
    /// Places to be used again, for their memory.
    spare: Vec<Place<W>>,
}

/// A move and the filled-in position that it leads to.
struct Child<const W: usize> {
    cell: Cell,
    stones: Stones<W>,
    fill_in: FillIn<W>,
}

/// Where to go on.
struct Best<const W: usize> {
    stones: Stones<W>,
    phi: u32,
}

impl<const W: usize> Search<'_, W> {
    /// Searches below a position until it is solved or its numbers reach these.
    fn visit(&mut self, stones: Stones<W>, player: Player, most_phi: u32, most_delta: u32) {
        let key = (stones, player);
        self.path.push(key);
        let known = self.memory.table().get(&key).cloned();
        let mut entry = match known {
            Some(entry) if entry.is_solved() => entry,
            Some(entry) => self.compare(entry, &stones, player),
            None => self.look(&stones, player),
        };
        let was_solved = entry.is_solved();
        self.store(key, &entry, 1);
        let mut children: Vec<Child<W>> = Vec::new();
        while !entry.is_solved() && !self.is_stopped() && !self.is_overtaken() {
            match self.step(&mut entry, &stones, player, &mut children, (most_phi, most_delta)) {
                Step::Down(best, child_phi, child_delta) => {
                    if self.path.len() == 1 {
                        // Nobody comes back to the root before the end, but its numbers are shown.
                        self.store(key, &entry, 0);
                    }
                    self.visit(best, player.opponent(), child_phi, child_delta);
                }
                Step::Again => {}
                Step::Up => break,
            }
        }
        if entry.is_solved() && !was_solved {
            self.learn(&entry, &stones, player);
        }
        self.store(key, &entry, -1);
        self.leave();
    }

    /// Looks at the children and says what to do next.
    fn step(
        &self,
        entry: &mut Entry<W>,
        stones: &Stones<W>,
        player: Player,
        children: &mut Vec<Child<W>>,
        (most_phi, most_delta): (u32, u32),
    ) -> Step<W> {
        let opponent = player.opponent();
        let (mut phi, mut second, mut delta) = (INFINITE, INFINITE, 0u32);
        let mut best = None;
        for i in 0..entry.width() {
            let cell = entry.moves[i];
            if children.get(i).is_none_or(|child| child.cell != cell) {
                children.truncate(i);
                let mut stones = *stones;
                let fill_in = self.memory.setting.rings.play(player, cell, &mut stones);
                children.push(Child { cell, stones, fill_in });
            }
            let Child { stones: next, fill_in, .. } = &children[i];
            let known = self.memory.table().get(&(*next, opponent)).map(|e| (e.phi, e.delta, e.carrier, e.busy));
            let (child_phi, child_delta, carrier, busy) = known.unwrap_or((1, 1, CellSet::EMPTY, 0));
            if child_phi == 0 {
                let carrier = (carrier | fill_in.captured[opponent as usize]).without(cell);
                self.refute(entry, stones, player, carrier);
                return Step::Again;
            }
            if child_delta == 0 {
                *entry = Entry::won(carrier.with(cell) | fill_in.captured[player as usize], Some(cell));
                return Step::Again;
            }
            delta = (delta + child_phi).min(INFINITE - 1);
            // Where other threads are already, this one is wanted less.
            let wanted = child_delta.saturating_add(busy * child_delta.div_ceil(2)).min(INFINITE - 1);
            if wanted < phi {
                (second, phi) = (phi, wanted);
                best = Some(Best { stones: *next, phi: child_phi });
            } else {
                second = second.min(wanted);
            }
        }
        (entry.phi, entry.delta) = (phi, delta);
        match best {
            Some(best) if phi < most_phi && delta < most_delta => {
                let child_phi = (most_delta - delta).saturating_add(best.phi).min(INFINITE);
                let child_delta = most_phi.min((second + second / PATIENCE).saturating_add(1));
                Step::Down(best.stones, child_phi, child_delta)
            }
            _ => Step::Up,
        }
    }

    /// Takes in that the opponent wins within `carrier` against any move outside of it.
    fn refute(&self, entry: &mut Entry<W>, stones: &Stones<W>, player: Player, carrier: CellSet<W>) {
        entry.refute(carrier);
        if self.is_symmetric(stones) {
            entry.refute(turned(self.memory.setting.board, &carrier));
        }
        if entry.moves.is_empty() {
            *entry = self.lost(entry, stones, player);
        }
    }

    fn is_symmetric(&self, stones: &Stones<W>) -> bool {
        let board = self.memory.setting.board;
        stones.iter().all(|stones| turned(board, stones) == *stones)
    }

    /// Sees a position for the first time.
    fn look(&mut self, stones: &Stones<W>, player: Player) -> Entry<W> {
        let mut entry = self.compare(Entry::open(), stones, player);
        if entry.is_solved() {
            return entry;
        }
        self.memory.nodes.fetch_add(1, Ordering::Relaxed);
        let threats = match self.place().verdict(player) {
            Verdict::Won(carrier) => return Entry::won(carrier, None),
            Verdict::Lost(carrier) => return Entry::lost(carrier),
            Verdict::Open(threats) => threats,
        };
        let setting = &self.memory.setting;
        let empty = CellSet::all(setting.board) - (stones[0] | stones[1]);
        let mut must_play = entry.refutations.iter().fold(empty, |must_play, carrier| must_play & *carrier);
        for threat in threats {
            if !must_play.is_subset(&threat) {
                must_play &= threat;
                entry.refutations.push(threat);
            }
        }
        entry.candidates = must_play;
        let inferior = setting.rings.inferior_moves(player, must_play, stones);
        inferior.cells().for_each(|cell| must_play.remove(cell));
        if must_play.is_empty() {
            return self.lost(&entry, stones, player);
        }
        entry.moves = self.place().order(must_play);
        entry
    }

    /// Compares a position with the patterns found since it was last compared.
    fn compare(&self, mut entry: Entry<W>, stones: &Stones<W>, player: Player) -> Entry<W> {
        let is_new = entry.refutations.is_empty() && entry.moves.is_empty();
        let empty = CellSet::all(self.memory.setting.board) - (stones[0] | stones[1]);
        let mut must_play = entry.refutations.iter().fold(empty, |must_play, carrier| must_play & *carrier);
        let patterns = self.memory.patterns.read().unwrap_or_else(PoisonError::into_inner);
        for pattern in &patterns[entry.compared..] {
            if !pattern.fits(stones) {
                continue;
            }
            let carrier = pattern.carrier & empty;
            if pattern.winner == player {
                return Entry::won(carrier, pattern.by.filter(|&cell| empty.contains(cell)));
            }
            if pattern.kind == Kind::Full {
                return Entry::lost(carrier);
            }
            if !must_play.is_subset(&carrier) {
                must_play &= carrier;
                entry.refute(carrier);
            }
        }
        entry.compared = patterns.len();
        drop(patterns);
        if !is_new && entry.moves.is_empty() { self.lost(&entry, stones, player) } else { entry }
    }

    /// A position in which each move is refuted or inferior, with a small carrier that explains all its cells.
    fn lost(&self, entry: &Entry<W>, stones: &Stones<W>, player: Player) -> Entry<W> {
        let inferior = self.memory.setting.rings.inferior_moves(player, entry.candidates, stones);
        let explained = |start: CellSet<W>| {
            let (mut carrier, mut todo) = (start, start);
            while let Some(cell) = todo.first() {
                todo.remove(cell);
                let why = explanation(cell, &entry.refutations, &inferior, &carrier);
                todo |= why - carrier;
                carrier |= why;
            }
            carrier
        };
        let starts = entry.refutations.iter().copied();
        // Where all moves are inferior from the start, the whole board explains it.
        let smallest = starts.map(explained).min_by_key(CellSet::len).unwrap_or_else(|| explained(entry.candidates));
        Entry::lost(smallest)
    }

    /// Keeps a proof for other positions.
    fn learn(&self, entry: &Entry<W>, stones: &Stones<W>, player: Player) {
        let (winner, kind) = match entry.phi {
            0 => (player, Kind::Semi),
            _ => (player.opponent(), Kind::Full),
        };
        let Setting { board, rings, .. } = &self.memory.setting;
        let by = entry.moves.first().copied();
        let pattern = Pattern { winner, kind, needs: stones[winner as usize], carrier: entry.carrier, by };
        let pattern = pattern.with_least_needs(*board, rings);
        let mut patterns = self.memory.patterns.write().unwrap_or_else(PoisonError::into_inner);
        if patterns.len() < MOST_PATTERNS {
            patterns.extend([pattern, pattern.turned(*board)]);
        }
    }

    /// Stores what is known, unless another thread has solved the position meanwhile.
    fn store(&self, key: Key<W>, entry: &Entry<W>, came: i32) {
        let mut table = self.memory.table();
        let stored = table.entry(key).or_insert_with(Entry::open);
        let busy = stored.busy.saturating_add_signed(came);
        if !stored.is_solved() {
            *stored = entry.clone();
        }
        stored.busy = busy;
    }

    /// The connections at the end of the path, from the nearest position above that has them.
    fn place(&mut self) -> &Place<W> {
        let depth = self.path.len() - 1;
        let setting = &self.memory.setting;
        let (stones, _) = self.path[depth];
        if self.places.len() <= depth {
            self.places.resize_with(depth + 1, || None);
        }
        let (above, here) = self.places.split_at_mut(depth);
        let spare = &mut self.spare;
        here[0].get_or_insert_with(|| match above.iter().rev().find_map(Option::as_ref) {
            None => Place::new(setting, &stones),
            Some(before) => {
                let mut place = spare.pop().unwrap_or_else(|| before.clone());
                place.follow(before, &stones);
                place
            }
        })
    }

    fn is_stopped(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.budget.check().err();
        }
        self.stopped.is_some()
    }

    /// Whether another thread has solved a position on the path.
    fn is_overtaken(&self) -> bool {
        let table = self.memory.table();
        self.path.iter().any(|key| table.get(key).is_some_and(Entry::is_solved))
    }

    fn leave(&mut self) {
        let depth = self.path.len() - 1;
        let left = self.places.get_mut(depth).and_then(Option::take);
        self.spare.extend(left);
        self.path.pop();
    }
}

/// What a position is left with after a look at its children.
enum Step<const W: usize> {
    /// Visit this child, until its numbers reach these.
    Down(Stones<W>, u32, u32),
    /// Something was solved: look again.
    Again,
    /// Another place is more promising.
    Up,
}

/// The cells that explain why a move on `cell` does not win, as few as possible beyond those in `carrier`.
fn explanation<const W: usize>(
    cell: Cell,
    refutations: &[CellSet<W>],
    inferior: &Inferior<W>,
    carrier: &CellSet<W>,
) -> CellSet<W> {
    if inferior.dominated.iter().any(|&(dominated, _)| dominated == cell) {
        return CellSet::EMPTY;
    }
    let refuting = refutations.iter().filter(|refutation| !refutation.contains(cell)).copied();
    let killing = inferior.vulnerable.iter().filter(|&&(vulnerable, _)| vulnerable == cell).map(|&(_, reply)| reply);
    refuting.chain(killing).min_by_key(|why| (*why - *carrier).len()).unwrap_or_default()
}
