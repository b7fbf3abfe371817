//! Connections by exact search: what the AND and OR rules cannot prove.
//!
//! Anshelevich's generalization of the two rules is complete, but needs sets of sets of cells. Exact search within a
//! region decides the same. The region's cells are the vertices of a graph with two terminals, the ends; the player's
//! stones and edges are contracted, all other cells are the opponent's. The players take vertices by turns; one wants
//! the terminals joined, the other wants them cut, and one of them gets it.
//!
//! Each result comes with its *carrier*: empty cells that the winner needs, and no others. A move that loses to a
//! carrier is answered by the same carrier wherever it does not touch it, so the next move to try lies in all the
//! carriers found so far, the *must-play region*; when that is empty, the mover has lost, with the union for a carrier.
//! A transposition table holds positions by the cells that still lie on some path. In the worst case there are 3ⁿ of
//! them for n cells; in practice there are far fewer.
//!
//! A carrier is then made minimal: a cell without which the ends can still be joined is left out, one after the other.
//! Having fewer cells never helps, so one pass is enough.
//!
//! Sources: V. Anshelevich, *A hierarchical approach to computer Hex*, Artificial Intelligence 134 (2002), section 5;
//! J. van Rijswijck, *Search and evaluation in Hex*, 2002, on must-play and reported patterns.

use super::{ConnectionBoard, ConnectionEnd, ConnectionKind};
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::iter::successors;

/// Most cells of a region that is searched.
pub const MAX_REGION: usize = 64;

/// The most positions that the transposition table holds; later ones are searched again.
const MAX_ENTRIES: usize = 8_000_000;

/// Whether a player can join two ends. An end on an empty cell counts as the player's.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionQuestion<const W: usize, B: ConnectionBoard = Board> {
    /// The board.
    pub board: B,
    /// Who wants to join the ends.
    pub player: Player,
    /// The player's stones.
    pub mine: CellSet<W>,
    /// The opponent's stones.
    pub theirs: CellSet<W>,
    /// The ends, on no stones of the opponent.
    pub ends: (ConnectionEnd, ConnectionEnd),
    /// Full if the opponent moves first, semi if the player does.
    pub kind: ConnectionKind,
}

/// The result of an exact search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionAnswer<const W: usize> {
    /// A minimal carrier, where the ends can be joined.
    pub carrier: Option<CellSet<W>>,
    /// The empty cells that were searched.
    pub region: CellSet<W>,
    /// Positions searched.
    pub nodes: u64,
}

impl<const W: usize, B: ConnectionBoard> ConnectionQuestion<W, B> {
    /// Decides it within a region, of which only the empty cells count.
    ///
    /// # Errors
    ///
    /// Why the budget stopped the search, or [`Stopped::Unsupported`] where more than [`MAX_REGION`] cells are left.
    pub fn within(&self, region: CellSet<W>, budget: &Budget) -> Result<ConnectionAnswer<W>, Stopped> {
        let region = region & self.empty();
        let (carrier, mut nodes) = self.search(region, budget)?;
        let Some(mut carrier) = carrier else { return Ok(ConnectionAnswer { carrier: None, region, nodes }) };
        for cell in carrier {
            if !carrier.contains(cell) {
                continue;
            }
            let (smaller, more) = self.search(carrier.without(cell), budget)?;
            carrier = smaller.unwrap_or(carrier);
            nodes += more;
        }
        Ok(ConnectionAnswer { carrier: Some(carrier), region, nodes })
    }

    /// Decides it within growing regions: first the cells on shortest ways between the ends, then those on ways one
    /// cell longer, and so on. Where the answer is no, it is so for the whole board.
    ///
    /// # Errors
    ///
    /// As [`within`](ConnectionQuestion::within).
    pub fn anywhere(&self, budget: &Budget) -> Result<ConnectionAnswer<W>, Stopped> {
        let near = [self.ends.0, self.ends.1].map(|end| self.distances(end));
        let ways: Vec<(usize, Cell)> = self
            .empty()
            .iter()
            .filter_map(|cell| Some((near[0][cell.index()]? + near[1][cell.index()]?, cell)))
            .collect();
        let mut lengths: Vec<usize> = ways.iter().map(|&(length, _)| length).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mut answer = self.within(CellSet::EMPTY, budget)?;
        for longest in lengths {
            if answer.carrier.is_some() {
                break;
            }
            let region = ways.iter().filter(|&&(length, _)| length <= longest).map(|&(_, cell)| cell).collect();
            let wider = self.within(region, budget)?;
            answer = ConnectionAnswer { nodes: answer.nodes + wider.nodes, ..wider };
        }
        Ok(answer)
    }

    /// All minimal carriers within a region, of which only the empty cells count.
    ///
    /// What can be joined without one cell of a carrier is joined by another carrier, or by none. So all carriers come
    /// of one by leaving out each of its cells in turn, where the cells before stay: no carrier comes twice. The searches
    /// share their table.
    ///
    /// # Errors
    ///
    /// As [`within`](ConnectionQuestion::within).
    pub fn minimal_carriers(&self, region: CellSet<W>, budget: &Budget) -> Result<Vec<CellSet<W>>, Stopped> {
        let cells = Self::searchable(region & self.empty())?;
        let search = self.region_search(&cells, budget);
        let is_semi = self.kind == ConnectionKind::Semi;
        let mut carriers = CarrierSearch { search, is_semi, found: Vec::new() };
        carriers.below(all_bits(cells.len()), 0)?;
        Ok(carriers.found.into_iter().map(|carrier| bits(carrier).map(|i| cells[i]).collect()).collect())
    }

    fn empty(&self) -> CellSet<W> {
        let ends: CellSet<W> = [self.ends.0, self.ends.1].into_iter().filter_map(ConnectionEnd::cell).collect();
        CellSet::first_cells(self.board.cell_count()) - self.mine - self.theirs - ends
    }

    fn search(&self, region: CellSet<W>, budget: &Budget) -> Result<(Option<CellSet<W>>, u64), Stopped> {
        let cells = Self::searchable(region)?;
        let mut search = self.region_search(&cells, budget);
        let (is_joined, carrier) = search.solve(0, all_bits(cells.len()), self.kind == ConnectionKind::Semi)?;
        let carrier = is_joined.then(|| bits(carrier).map(|i| cells[i]).collect());
        Ok((carrier, search.nodes))
    }

    /// The cells of a region that is small enough.
    fn searchable(region: CellSet<W>) -> Result<Vec<Cell>, Stopped> {
        if region.len() > MAX_REGION {
            let cells = region.len();
            return Err(Stopped::Unsupported(format!("{cells} cells are too many to search, {MAX_REGION} the most")));
        }
        Ok(region.iter().collect())
    }

    fn region_search<'b>(&self, cells: &[Cell], budget: &'b Budget) -> RegionSearch<'b> {
        RegionSearch { graph: self.graph(cells), table: FxHashMap::default(), nodes: 0, budget }
    }

    /// The cells as a graph, with stones and edges contracted.
    fn graph(&self, cells: &[Cell]) -> RegionGraph {
        let vertex = |end: &ConnectionEnd| {
            cells.iter().position(|&cell| *end == ConnectionEnd::Cell(cell)).map_or(0, |i| 1 << i)
        };
        let vertices = |ends: &mut dyn Iterator<Item = ConnectionEnd>| ends.fold(0, |mask, end| mask | vertex(&end));
        let mut graph = RegionGraph { neighbors: Vec::new(), from: 0, to: 0, is_joined: false };
        graph.neighbors =
            cells.iter().map(|&cell| vertices(&mut self.board.neighbors(cell).map(ConnectionEnd::Cell))).collect();
        let mut seen = BTreeSet::new();
        for start in self.joints() {
            if !seen.insert(start) {
                continue;
            }
            let mut group = vec![start];
            let mut around = 0;
            let mut stack = vec![start];
            while let Some(end) = stack.pop() {
                around |= vertices(&mut self.board.adjacent(self.player, end).into_iter());
                for next in self.board.adjacent(self.player, end) {
                    if self.is_joint(next) && seen.insert(next) {
                        group.push(next);
                        stack.push(next);
                    }
                }
            }
            bits(around).for_each(|i| graph.neighbors[i] |= around);
            let [from, to] = [self.ends.0, self.ends.1].map(|end| group.contains(&end));
            graph.is_joined |= from && to;
            graph.from |= if from { around } else { 0 };
            graph.to |= if to { around } else { 0 };
        }
        graph
    }

    /// The ends that are the player's: the edges, the stones, and the ends of the question.
    fn joints(&self) -> impl Iterator<Item = ConnectionEnd> {
        let stones = self.mine.iter().map(ConnectionEnd::Cell);
        self.board.edges().chain([self.ends.0, self.ends.1]).chain(stones)
    }

    fn is_joint(&self, end: ConnectionEnd) -> bool {
        end == self.ends.0 || end == self.ends.1 || end.cell().is_none_or(|cell| self.mine.contains(cell))
    }

    /// By cell, how many empty cells a way from `end` to it needs, itself counted.
    fn distances(&self, end: ConnectionEnd) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.board.cell_count()];
        let mut seen = BTreeSet::from([end]);
        let mut at = vec![end];
        let mut distance = 0;
        while !at.is_empty() {
            let mut next = Vec::new();
            while let Some(here) = at.pop() {
                for there in self.board.adjacent(self.player, here) {
                    if there.cell().is_some_and(|cell| self.theirs.contains(cell)) || !seen.insert(there) {
                        continue;
                    }
                    match there {
                        ConnectionEnd::Cell(cell) if !self.is_joint(there) => {
                            distances[cell.index()] = Some(distance + 1);
                            next.push(there);
                        }
                        _ => at.push(there),
                    }
                }
            }
            at = next;
            distance += 1;
        }
        distances
    }
}

/// The places of the bits that are set.
fn bits(mask: u64) -> impl Iterator<Item = usize> {
    let some = |mask: u64| (mask != 0).then_some(mask);
    successors(some(mask), move |mask| some(mask & (mask - 1))).map(|mask| mask.trailing_zeros() as usize)
}

/// As many bits.
fn all_bits(count: usize) -> u64 {
    u64::MAX.checked_shr(MAX_REGION as u32 - count as u32).unwrap_or(0)
}

/// A region as sets of bits.
struct RegionGraph {
    neighbors: Vec<u64>,
    /// The neighbors of one end.
    from: u64,
    /// Those of the other.
    to: u64,
    /// Whether the ends are joined without the region.
    is_joined: bool,
}

impl RegionGraph {
    /// The vertices reached from `start` on, over those of `open`.
    fn spread(&self, start: u64, open: u64) -> u64 {
        let mut reached = start;
        let mut passed = 0;
        loop {
            let next = reached & open & !passed;
            if next == 0 {
                return reached;
            }
            passed |= next;
            bits(next).for_each(|i| reached |= self.neighbors[i]);
        }
    }

    /// By empty cell, in the order of `around`, its two-distance from an end of which `near` are the neighbors: one
    /// more than the second nearest of its own neighbors has, since the opponent takes the nearest.
    fn two_distances(near: u64, around: &[(u64, u64)]) -> Vec<usize> {
        let mut reached = near;
        let mut distances: Vec<usize> = around.iter().map(|&(cell, _)| if near & cell != 0 { 1 } else { 0 }).collect();
        for distance in 2.. {
            let mut next = reached;
            for (found, &(cell, neighbors)) in distances.iter_mut().zip(around) {
                if *found == 0 && (neighbors & reached).count_ones() >= 2 {
                    *found = distance;
                    next |= cell;
                }
            }
            if next == reached {
                distances.iter_mut().filter(|found| **found == 0).for_each(|found| *found = around.len() + 1);
                break;
            }
            reached = next;
        }
        distances
    }
}

struct RegionSearch<'a> {
    graph: RegionGraph,
    /// By the player's cells, the empty cells that still matter, and who moves.
    table: FxHashMap<(u64, u64, bool), (bool, u64)>,
    nodes: u64,
    budget: &'a Budget,
}

/// The search for all minimal carriers.
struct CarrierSearch<'a> {
    search: RegionSearch<'a>,
    is_semi: bool,
    found: Vec<u64>,
}

impl CarrierSearch<'_> {
    /// Finds the carriers within `open` that have all cells of `kept`. Goes as deep as there are cells.
    fn below(&mut self, open: u64, mut kept: u64) -> Result<(), Stopped> {
        let known = self.found.iter().copied().find(|carrier| carrier & !open == 0);
        let Some(carrier) = known.map_or_else(|| self.minimal(open), |carrier| Ok(Some(carrier)))? else {
            return Ok(());
        };
        for cell in bits(carrier & !kept) {
            self.below(open & !(1 << cell), kept)?;
            kept |= 1 << cell;
        }
        Ok(())
    }

    /// A minimal carrier within `open`, which is put among those found.
    fn minimal(&mut self, open: u64) -> Result<Option<u64>, Stopped> {
        let (is_joined, mut carrier) = self.search.solve(0, open, self.is_semi)?;
        if !is_joined {
            return Ok(None);
        }
        for cell in bits(carrier) {
            if carrier & 1 << cell != 0 {
                let (is_joined, smaller) = self.search.solve(0, carrier & !(1 << cell), self.is_semi)?;
                carrier = if is_joined { smaller } else { carrier };
            }
        }
        self.found.push(carrier);
        Ok(Some(carrier))
    }
}

impl RegionSearch<'_> {
    /// Whether the ends get joined, and the winner's carrier, where the player has `ours` and all but `empty` is taken.
    /// Goes as deep as there are cells.
    fn solve(&mut self, ours: u64, empty: u64, ours_to_move: bool) -> Result<(bool, u64), Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) {
            self.budget.check_facts(self.table.len() as u64)?;
        }
        let graph = &self.graph;
        if graph.is_joined || graph.spread(graph.from, ours) & ours & graph.to != 0 {
            return Ok((true, 0));
        }
        // Cells on no way between the ends do not matter.
        let [from, to] = [graph.from, graph.to].map(|end| graph.spread(end, ours | empty) & (ours | empty));
        if from & graph.to == 0 {
            return Ok((false, 0));
        }
        let empty = empty & from & to;
        let key = (ours, empty, ours_to_move);
        if let Some(&known) = self.table.get(&key) {
            return Ok(known);
        }
        let mut must_play = empty;
        let mut union = 0;
        let mut found = None;
        for cell in self.order(ours, empty) {
            if must_play & cell == 0 {
                continue;
            }
            let next = if ours_to_move { ours | cell } else { ours };
            let (is_joined, carrier) = self.solve(next, empty & !cell, !ours_to_move)?;
            if is_joined == ours_to_move {
                found = Some((ours_to_move, carrier | cell));
                break;
            }
            must_play &= carrier;
            union |= carrier;
        }
        let found = found.unwrap_or((!ours_to_move, union));
        if self.table.len() < MAX_ENTRIES {
            self.table.insert(key, found);
        }
        Ok(found)
    }

    /// The empty cells, those with the least sum of two-distances from both ends first: there both players want to be.
    fn order(&self, ours: u64, empty: u64) -> Vec<u64> {
        let graph = &self.graph;
        let around: Vec<(u64, u64)> =
            bits(empty).map(|i| (1 << i, graph.spread(graph.neighbors[i], ours) & empty & !(1 << i))).collect();
        let [from, to] =
            [graph.from, graph.to].map(|end| RegionGraph::two_distances(graph.spread(end, ours) & empty, &around));
        let mut cells: Vec<(usize, u64)> =
            around.iter().zip(from.iter().zip(&to)).map(|(&(cell, _), (from, to))| (from + to, cell)).collect();
        cells.sort_by_key(|&(sum, _)| sum);
        cells.into_iter().map(|(_, cell)| cell).collect()
    }
}
