//! Depth-first proof-number search over positions that are filled in.
//!
//! A position's numbers are the least numbers of positions below it that still have to be decided to prove that the
//! player to move wins (`phi`) or loses (`delta`). The search descends to the position where the number is least and
//! returns when another one has become more promising (Nagai, *Df-pn algorithm for searching AND/OR trees and its
//! applications*, 2002). As in Arneson, Hayward and Henderson (*Solving Hex: beyond humans*, 2010) only the better part
//! of the moves is searched, until they are refuted.
//!
//! It is fast because much need not be searched:
//!
//! * dead and captured cells are filled in before anything else ([`Rings`]);
//! * both players' connections decide many positions without search ([`StaticEvaluation`]);
//! * a move outside the carrier of an opponent's threat loses to it; and so does one outside the carrier of the proof
//!   that refuted another move. The moves that are left are the must-play region;
//! * dominated and vulnerable moves are never searched;
//! * every proof is a [`WinPattern`] that is recognized in other positions.
//!
//! # Why the carriers are right
//!
//! The carrier of a proof claims: though all other empty cells are given to the loser, the winner wins. So a proof must
//! tell more than where its own replies are. A captured cell of the winner belongs to it. A refuted position's carrier
//! is made so that each of its cells is explained, within it: by a proof or threat whose carrier lacks the cell, by a
//! reply (with what it captures) that kills a stone there, or by being dominated: the move that dominates is explained
//! itself or, being outside, is the loser's already, which leaves nothing to be won by the cell. Cells outside need no
//! explanation.

use super::left::LeftConnections;
use super::pattern::{WinPattern, image};
use super::static_evaluation::{self, SearchConstants, StaticVerdict};
use super::table::{INFINITE, PositionKey, SolvedEntry, TableEntry, TranspositionTable};
use crate::board::{Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionKind, Connections};
use crate::inferior::{FillIn, Inferior, Stones};
use ludolog_syntax::budget::{Budget, Stopped};

/// 1/ε of the 1+ε threshold: the search leaves a child when it has become worse than its best sibling by the share ε,
/// and not as soon as it is worse at all, since each return to it costs a way through the table (J. Pawlewicz, Ł. Lew,
/// *Improving depth-first PN-search: 1+ε trick*, 2006). Small, since connections stay at hand.
const INVERSE_EPSILON: u32 = 8;

/// Solves a position, alone or beside other threads that search the same one.
///
/// # Errors
///
/// Why the budget stopped the search.
pub fn solve<const W: usize>(
    table: &TranspositionTable<W>,
    stones: &Stones<W>,
    player: Player,
    budget: &Budget,
) -> Result<SolvedEntry, Stopped> {
    let mut stones = *stones;
    table.setting.rings.fill_in(&mut stones);
    let mut search = ProofNumberSearch {
        table,
        budget,
        stopped: None,
        path: Vec::new(),
        connections: Vec::new(),
        left: LeftConnections::default(),
        spare: Vec::new(),
    };
    loop {
        search.visit(stones, player, INFINITE, INFINITE);
        if let Some(solved) = table.solved(&stones, player) {
            return Ok(solved);
        }
        if let Some(stopped) = search.stopped {
            return Err(stopped);
        }
    }
}

/// The search of one thread.
struct ProofNumberSearch<'a, const W: usize> {
    table: &'a TranspositionTable<W>,
    budget: &'a Budget,
    /// Set as soon as the budget is spent.
    stopped: Option<Stopped>,
    path: Vec<PositionKey<W>>,
    /// By depth, the connections of both players, where they were needed.
    connections: Vec<[Option<Connections<W>>; 2]>,
    left: LeftConnections<W>,
    /// Connections whose allocations are used again.
    spare: Vec<Connections<W>>,
}

/// A move and the filled-in position that it leads to.
struct Child<const W: usize> {
    cell: Cell,
    stones: Stones<W>,
    fill_in: FillIn<W>,
}

/// The most promising child.
struct Best<const W: usize> {
    stones: Stones<W>,
    phi: u32,
}

impl<const W: usize> ProofNumberSearch<'_, W> {
    /// Searches below a position until it is solved or its numbers reach these.
    fn visit(&mut self, stones: Stones<W>, player: Player, most_phi: u32, most_delta: u32) {
        let key = (stones, player);
        self.path.push(key);
        let nodes = self.table.nodes();
        let known = self.table.entries().get(&key).cloned();
        let work = known.as_ref().map_or(0, |entry| entry.work);
        let mut entry = match known {
            Some(entry) if entry.is_solved() => entry,
            Some(entry) => self.compare(entry, &stones, player),
            None => self.look(&stones, player),
        };
        let was_solved = entry.is_solved();
        self.table.store(key, &entry, 1);
        let mut children: Vec<Child<W>> = Vec::new();
        while !entry.is_solved() && !self.is_stopped() && !self.is_overtaken() {
            match self.step(&mut entry, &stones, player, &mut children, (most_phi, most_delta)) {
                Next::Down(best, child_phi, child_delta) => {
                    if self.path.len() == 1 {
                        // The root is not left before the end, but its numbers are shown as progress.
                        self.table.store(key, &entry, 0);
                    }
                    self.visit(best, player.opponent(), child_phi, child_delta);
                }
                Next::Again => {}
                Next::Up => break,
            }
        }
        if entry.is_solved() && !was_solved {
            self.learn(&entry, &stones, player);
        }
        entry.work = work.saturating_add((self.table.nodes() - nodes) as u32);
        self.table.store(key, &entry, -1);
        self.leave(entry.is_solved());
    }

    /// Looks at the children and decides how to go on.
    fn step(
        &self,
        entry: &mut TableEntry<W>,
        stones: &Stones<W>,
        player: Player,
        children: &mut Vec<Child<W>>,
        (most_phi, most_delta): (u32, u32),
    ) -> Next<W> {
        let opponent = player.opponent();
        let mut phi = INFINITE;
        let mut second = INFINITE;
        let mut delta = 0u32;
        let mut best = None;
        let mut numbers = None;
        for i in 0..entry.width() {
            let cell = entry.moves[i];
            if children.get(i).is_none_or(|child| child.cell != cell) {
                children.truncate(i);
                let rings = &self.table.setting.rings;
                let numbers = *numbers.get_or_insert_with(|| rings.numbers(stones));
                let mut stones = *stones;
                let fill_in = rings.play(player, cell, &mut stones, numbers);
                children.push(Child { cell, stones, fill_in });
            }
            let Child { stones: next, fill_in, .. } = &children[i];
            let known = self.table.entries().get(&(*next, opponent)).map(|e| (e.phi, e.delta, e.carrier, e.busy));
            let (child_phi, child_delta, carrier, busy) = known.unwrap_or((1, 1, CellSet::EMPTY, 0));
            if child_phi == 0 {
                let carrier = (carrier | fill_in.captured[opponent as usize]).without(cell);
                self.refute(entry, stones, player, carrier);
                return Next::Again;
            }
            if child_delta == 0 {
                *entry = TableEntry::won(carrier.with(cell) | fill_in.captured[player as usize], Some(cell));
                return Next::Again;
            }
            delta = (delta + child_phi).min(INFINITE - 1);
            // A child that other threads search already is less attractive.
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
                let child_delta = most_phi.min((second + second / INVERSE_EPSILON).saturating_add(1));
                Next::Down(best.stones, child_phi, child_delta)
            }
            _ => Next::Up,
        }
    }

    /// Takes in that the opponent wins within `carrier` against any move outside of it.
    fn refute(&self, entry: &mut TableEntry<W>, stones: &Stones<W>, player: Player, carrier: CellSet<W>) {
        entry.refute(carrier);
        for symmetry in &self.table.setting.symmetries {
            if stones.iter().all(|stones| image(symmetry, stones) == *stones) {
                entry.refute(image(symmetry, &carrier));
            }
        }
        if entry.moves.is_empty() {
            *entry = self.lost(entry, stones, player);
        }
    }

    /// The entry of a position that is met for the first time.
    fn look(&mut self, stones: &Stones<W>, player: Player) -> TableEntry<W> {
        let mut entry = self.compare(TableEntry::open(), stones, player);
        if entry.is_solved() {
            return entry;
        }
        self.table.count_node();
        // The opponent's connections are not needed where the player's own tell who wins.
        let verdict = match static_evaluation::own_verdict(self.connections(player, ConnectionKind::Semi)) {
            Some(verdict) => verdict,
            None => static_evaluation::verdict_against(self.connections(player.opponent(), ConnectionKind::Full)),
        };
        let threats = match verdict {
            StaticVerdict::Won(carrier) => return TableEntry::won(carrier, None),
            StaticVerdict::Lost(carrier) => return TableEntry::lost(carrier),
            StaticVerdict::Open(threats) => threats,
        };
        let setting = &self.table.setting;
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
        entry.moves = match self.connections.get(self.path.len() - 1) {
            Some([Some(red), Some(blue)]) => static_evaluation::order([red, blue], must_play),
            _ => must_play.iter().collect(),
        };
        entry
    }

    /// Compares a position with the patterns found since it was last compared.
    fn compare(&self, mut entry: TableEntry<W>, stones: &Stones<W>, player: Player) -> TableEntry<W> {
        let is_new = entry.refutations.is_empty() && entry.moves.is_empty();
        let empty = CellSet::all(self.table.setting.board) - (stones[0] | stones[1]);
        let mut must_play = entry.refutations.iter().fold(empty, |must_play, carrier| must_play & *carrier);
        let patterns = self.table.patterns();
        for pattern in &patterns[entry.compared..] {
            if !pattern.fits(stones) {
                continue;
            }
            let carrier = pattern.carrier & empty;
            if pattern.winner == player {
                return TableEntry::won(carrier, pattern.by.filter(|&cell| empty.contains(cell)));
            }
            if pattern.kind == ConnectionKind::Full {
                return TableEntry::lost(carrier);
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
    fn lost(&self, entry: &TableEntry<W>, stones: &Stones<W>, player: Player) -> TableEntry<W> {
        let inferior = self.table.setting.rings.inferior_moves(player, entry.candidates, stones);
        let explained = |start: CellSet<W>| {
            start.closed_under(|cell, carrier| explanation(cell, &entry.refutations, &inferior, carrier))
        };
        let starts = entry.refutations.iter().copied();
        // If all moves are inferior from the start, the whole board explains it.
        let smallest = starts.map(explained).min_by_key(CellSet::len).unwrap_or_else(|| explained(entry.candidates));
        TableEntry::lost(smallest)
    }

    /// Keeps a proof for other positions.
    fn learn(&self, entry: &TableEntry<W>, stones: &Stones<W>, player: Player) {
        let (winner, kind) = match entry.phi {
            0 => (player, ConnectionKind::Semi),
            _ => (player.opponent(), ConnectionKind::Full),
        };
        let SearchConstants { board, rings, .. } = &self.table.setting;
        let by = entry.moves.first().copied();
        let pattern = WinPattern { winner, kind, needs: stones[winner as usize], carrier: entry.carrier, by };
        self.table.learn(pattern.with_least_needs(*board, rings));
    }

    /// The connections of a player at the end of the path, from the nearest position above that has them. Where there is
    /// one of the kind that decides between the edges, others may be missing: nothing is searched below.
    fn connections(&mut self, player: Player, decides: ConnectionKind) -> &Connections<W> {
        let depth = self.path.len() - 1;
        let (stones, _) = self.path[depth];
        if self.connections.len() <= depth {
            self.connections.resize_with(depth + 1, || [None, None]);
        }
        self.recall(player, depth);
        let (above, here) = self.connections.split_at_mut(depth);
        let TranspositionTable { setting, .. } = self.table;
        let spare = &mut self.spare;
        here[0][player as usize].get_or_insert_with(|| {
            let Some(before) = above.iter().rev().find_map(|both| both[player as usize].as_ref()) else {
                return setting.connections(&stones, player);
            };
            let mut connections = spare.pop().unwrap_or_else(|| before.clone());
            let [mine, theirs] = [player, player.opponent()].map(|player| stones[player as usize]);
            connections.follow(before, mine - before.mine(), theirs - before.theirs(), Some(decides));
            connections
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
        let entries = self.table.entries();
        self.path.iter().any(|key| entries.get(key).is_some_and(TableEntry::is_solved))
    }

    /// Brings back the connections of the nearest position above that depth which has any.
    fn recall(&mut self, player: Player, depth: usize) {
        for (both, (stones, _)) in self.connections[..depth].iter_mut().zip(&self.path).rev() {
            let here = &mut both[player as usize];
            if here.is_none() {
                *here = self.left.take(&(*stones, player));
            }
            if here.is_some() {
                return;
            }
        }
    }

    fn leave(&mut self, is_solved: bool) {
        let depth = self.path.len() - 1;
        let (stones, _) = self.path[depth];
        let here = self.connections.get_mut(depth).map(std::mem::take);
        for (player, connections) in Player::BOTH.into_iter().zip(here.into_iter().flatten()) {
            match connections {
                // Those of a position that is decided may lack some.
                Some(connections) if is_solved => self.spare.push(connections),
                Some(connections) => self.left.keep((stones, player), connections, |old| self.spare.push(old)),
                None => {}
            }
        }
        self.path.pop();
    }
}

/// The next step of the search at a position.
enum Next<const W: usize> {
    /// Visit this child, until its numbers reach these.
    Down(Stones<W>, u32, u32),
    /// Something was solved: look again.
    Again,
    /// Another position is more promising.
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
