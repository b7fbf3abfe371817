//! Inferior cells: empty cells whose color does not matter, or where a player need not move.
//!
//! * A cell is *dead* when no way of filling the board makes its color matter. That is so wherever its ring of six
//!   neighbors cannot be filled so that the stones of one player stand in two separate runs: all neighbors of one color
//!   are then joined around the cell anyhow. The ring is looked up in a table made from this definition.
//! * Two neighboring cells are *captured* by a player when a stone of his on either kills the other: whatever the
//!   opponent does there, both might as well be his.
//! * A move is *dominated* by another that kills its cell: the other one gives both.
//! * A move is *vulnerable* when the opponent has a reply that kills its cell: the move then only gave the reply away.
//!
//! Sources: R. Hayward and J. van Rijswijck, *Hex and combinatorics*, Discrete Mathematics 306 (2006); R. Hayward,
//! *A note on domination in Hex*, 2003; P. Henderson, *Playing and solving the game of Hex*, thesis, Alberta 2010,
//! chapter 3.
//!
//! Deadness only grows as stones are added, so that what is filled in here stays so for the rest of the game.

use super::board::{Cell, Player};
use super::cells::CellSet;
use super::hexagon::{HexagonBoard, Neighbor};
use std::sync::OnceLock;

/// The stones of both players, [`Player::Red`] first.
pub type Stones<const W: usize> = [CellSet<W>; 2];

/// The contents of one cell of a ring, as two bits of the ring's number.
const EMPTY: usize = 0;
const RED: usize = 1;
const BLUE: usize = 2;

fn color(player: Player) -> usize {
    match player {
        Player::Red => RED,
        Player::Blue => BLUE,
    }
}

/// By ring, whether the cell inside is dead.
fn dead_rings() -> &'static [bool] {
    static TABLE: OnceLock<Vec<bool>> = OnceLock::new();
    TABLE.get_or_init(|| {
        (0..1 << 12).map(|ring| is_dead_inside(&std::array::from_fn(|i| ring >> (2 * i) & 3))).collect()
    })
}

/// Whether no filling of the empty cells puts the stones of one player, and so of both, in two runs.
fn is_dead_inside(ring: &[usize; 6]) -> bool {
    (0..1 << 6).all(|filling| {
        let color = |i: usize| match ring[i % 6] {
            EMPTY => RED + (filling >> (i % 6) & 1),
            stone => stone,
        };
        (0..6).filter(|&i| color(i) != color(i + 1)).count() <= 2
    })
}

/// The rings of the cells of one board. Beyond the board lie the edges: stones of their owners.
#[derive(Clone, Debug)]
pub struct Rings {
    /// By cell, its neighbors in the order of the ring.
    cells: Vec<[Option<Cell>; 6]>,
    /// By cell, the part of its ring's number that the edges make up.
    edges: Vec<usize>,
}

impl Rings {
    /// The rings of a board.
    pub fn new<B: HexagonBoard>(board: B) -> Rings {
        let rings = || board.cells().map(|cell| board.ring(cell));
        let cell = |next: Neighbor| match next {
            Neighbor::Cell(cell) => Some(cell),
            Neighbor::Edge(_) => None,
        };
        let edge = |next: Neighbor| match next {
            Neighbor::Cell(_) => EMPTY,
            Neighbor::Edge(owner) => color(owner),
        };
        let number = |ring: [Neighbor; 6]| ring.into_iter().enumerate().map(|(i, next)| edge(next) << (2 * i)).sum();
        Rings { cells: rings().map(|ring| ring.map(cell)).collect(), edges: rings().map(number).collect() }
    }

    fn ring<const W: usize>(&self, cell: Cell, stones: &Stones<W>) -> usize {
        let mut ring = self.edges[cell.index()];
        for (i, next) in self.cells[cell.index()].iter().enumerate() {
            if let Some(next) = *next {
                let state = usize::from(stones[0].contains(next)) * RED + usize::from(stones[1].contains(next)) * BLUE;
                ring |= state << (2 * i);
            }
        }
        ring
    }

    /// Whether the color of the cell cannot matter any more.
    pub fn is_dead<const W: usize>(&self, cell: Cell, stones: &Stones<W>) -> bool {
        dead_rings()[self.ring(cell, stones)]
    }

    /// Whether a stone of `player` on `killer` makes the cell dead. `killer` is a neighbor of the cell.
    fn is_killed<const W: usize>(&self, cell: Cell, killer: Cell, player: Player, stones: &Stones<W>) -> bool {
        let ring = self.ring(cell, stones);
        self.cells[cell.index()]
            .iter()
            .position(|&next| next == Some(killer))
            .is_some_and(|i| dead_rings()[ring | color(player) << (2 * i)])
    }

    /// The neighbors on which a stone of `player` makes the cell dead.
    fn killers<const W: usize>(
        &self,
        cell: Cell,
        player: Player,
        stones: &Stones<W>,
    ) -> impl Iterator<Item = Cell> + use<'_, W> {
        let ring = self.ring(cell, stones);
        let around = self.cells[cell.index()].iter().enumerate();
        around
            .filter(move |(i, next)| next.is_some() && ring >> (2 * i) & 3 == EMPTY)
            .filter(move |(i, _)| dead_rings()[ring | color(player) << (2 * i)])
            .filter_map(|(_, next)| *next)
    }

    /// Fills in dead and captured cells until there are no more. Dead cells become red stones, which is as good as any
    /// color.
    pub fn fill_in<const W: usize>(&self, stones: &mut Stones<W>) -> FillIn<W> {
        self.fill_in_from(self.all(), &Player::BOTH, stones)
    }

    /// As [`fill_in`](Rings::fill_in), where dead cells become stones of the first player given, and `tell` is called with
    /// each pair when it is captured: it rests on the stones and on what was captured before it.
    pub fn fill_in_telling<const W: usize>(
        &self,
        players: [Player; 2],
        stones: &mut Stones<W>,
        tell: impl FnMut(Player, [Cell; 2]),
    ) -> FillIn<W> {
        self.fill_in_near(self.all(), &players, stones, tell)
    }

    /// As [`fill_in`](Rings::fill_in), where only the cells of `look_at`, and what changes, can be new, for
    /// the players given. Dead cells become stones of the first of them.
    fn fill_in_from<const W: usize>(
        &self,
        look_at: CellSet<W>,
        players: &[Player],
        stones: &mut Stones<W>,
    ) -> FillIn<W> {
        self.fill_in_near(look_at, players, stones, |_, _| {})
    }

    fn fill_in_near<const W: usize>(
        &self,
        mut look_at: CellSet<W>,
        players: &[Player],
        stones: &mut Stones<W>,
        mut tell: impl FnMut(Player, [Cell; 2]),
    ) -> FillIn<W> {
        let mut fill_in = FillIn { dead: CellSet::EMPTY, captured: [CellSet::EMPTY; 2] };
        look_at -= stones[0] | stones[1];
        while let Some(cell) = look_at.first() {
            look_at.remove(cell);
            let mut filled = CellSet::EMPTY;
            if self.is_dead(cell, stones) {
                fill_in.dead.insert(cell);
                stones[players[0] as usize].insert(cell);
                filled.insert(cell);
            } else {
                for &player in players {
                    let partner = self
                        .killers(cell, player, stones)
                        .find(|&partner| self.is_killed(partner, cell, player, stones));
                    if let Some(partner) = partner {
                        filled = CellSet::of(cell).with(partner);
                        tell(player, [cell, partner]);
                        fill_in.captured[player as usize] |= filled;
                        stones[player as usize] |= filled;
                        break;
                    }
                }
            }
            if !filled.is_empty() {
                filled.iter().for_each(|changed| look_at |= self.around(changed));
                look_at -= stones[0] | stones[1];
            }
        }
        fill_in
    }

    fn all<const W: usize>(&self) -> CellSet<W> {
        (0..self.cells.len()).map(Cell::from_index).collect()
    }

    /// The neighbors of a cell.
    pub fn around<const W: usize>(&self, cell: Cell) -> CellSet<W> {
        self.cells[cell.index()].iter().flatten().copied().collect()
    }

    /// Plays a stone and fills in what it makes dead or captured, in a position that was filled in before.
    pub fn play<const W: usize>(&self, player: Player, cell: Cell, stones: &mut Stones<W>) -> FillIn<W> {
        stones[player as usize].insert(cell);
        self.fill_in_from(self.around(cell), &Player::BOTH, stones)
    }

    /// Those of `moves` that the player need not search, in a position that is filled in and not won by that.
    pub fn inferior_moves<const W: usize>(&self, player: Player, moves: CellSet<W>, stones: &Stones<W>) -> Inferior<W> {
        let mut inferior = Inferior { vulnerable: Vec::new(), dominated: Vec::new() };
        let mut left = moves;
        for cell in moves {
            if let Some(reply) = self.killing_reply(player, cell, stones) {
                left.remove(cell);
                inferior.vulnerable.push((cell, reply));
            }
        }
        // A move that dominates must itself stay, or be dominated by one that stays.
        let empty = self.all() - (stones[0] | stones[1]);
        let vulnerable = moves - left;
        for by in empty - vulnerable {
            if moves.contains(by) && !left.contains(by) {
                continue;
            }
            let fill_in = self.play(player, by, &mut stones.clone());
            let dominated = (fill_in.dead | fill_in.captured[player as usize]) & left;
            for cell in dominated {
                left.remove(cell);
                inferior.dominated.push((cell, by));
            }
        }
        inferior
    }

    /// The cells that the opponent needs to make a move of `player` dead at once: a reply, and what it captures.
    fn killing_reply<const W: usize>(&self, player: Player, cell: Cell, stones: &Stones<W>) -> Option<CellSet<W>> {
        let opponent = player.opponent();
        if let Some(killer) = self.killers(cell, opponent, stones).next() {
            return Some(CellSet::of(killer));
        }
        let near: CellSet<W> = self.around(cell);
        let mut wider = near;
        near.iter().for_each(|next| wider |= self.around(next));
        wider -= stones[0] | stones[1];
        wider.remove(cell);
        let mut after = *stones;
        after[player as usize].insert(cell);
        for reply in wider {
            let mut after = after;
            after[opponent as usize].insert(reply);
            // Nothing may be given to the mover: it would rest on the stone that is then called dead.
            let fill_in = self.fill_in_from(self.around(reply), &[opponent], &mut after);
            if self.is_dead(cell, &after) {
                return Some(fill_in.captured[opponent as usize].with(reply));
            }
        }
        None
    }
}

/// Empty cells that were given a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillIn<const W: usize> {
    /// Dead cells.
    pub dead: CellSet<W>,
    /// By player, [`Player::Red`] first. The owner needs these cells to stay empty or to reply in them.
    pub captured: [CellSet<W>; 2],
}

impl<const W: usize> Inferior<W> {
    /// All these moves.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.vulnerable.iter().map(|&(cell, _)| cell).chain(self.dominated.iter().map(|&(cell, _)| cell))
    }
}

/// Moves that need not be searched as long as others are.
#[derive(Clone, Debug, Default)]
pub struct Inferior<const W: usize> {
    /// Each with the reply that kills it and what that captures. If one of them wins, then so does a move that is not vulnerable.
    pub vulnerable: Vec<(Cell, CellSet<W>)>,
    /// Each with a move that is as good.
    pub dominated: Vec<(Cell, Cell)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn stones(board: Board, red: &str, blue: &str) -> Stones<1> {
        [red, blue].map(|names| names.split_whitespace().map(|name| board.cell_of_name(name).unwrap()).collect())
    }

    #[test]
    fn rings() {
        // Counted by hand: of the fillings of a ring, those in two runs or one are harmless; a ring without a stone can
        // be filled otherwise.
        assert!(!is_dead_inside(&[EMPTY; 6]));
        assert!(is_dead_inside(&[RED, RED, RED, RED, EMPTY, EMPTY]));
        assert!(is_dead_inside(&[RED, RED, RED, EMPTY, BLUE, EMPTY]));
        assert!(is_dead_inside(&[RED, RED, EMPTY, BLUE, BLUE, EMPTY]));
        assert!(!is_dead_inside(&[RED, RED, RED, EMPTY, EMPTY, EMPTY]));
        assert!(!is_dead_inside(&[RED, BLUE, RED, BLUE, RED, BLUE]));
    }

    #[test]
    fn a_bridge_to_the_edge_is_captured() {
        let board = Board::new(5, 5).unwrap();
        let mut stones = stones(board, "c4", "");
        let fill_in = Rings::new(board).fill_in(&mut stones);
        for name in ["b5", "c5"] {
            assert!(fill_in.captured[0].contains(board.cell_of_name(name).unwrap()), "{name}");
        }
    }
}
