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
//! A cell at a side of a triangle, which is both players', has two places beyond the board in its ring for each side that it touches. Its
//! color does not matter if one of the neighbors' at most differs from the next, in a corner none: the neighbors of one color then touch all that
//! the cell touches, as [certificates](super::certificate) explain.
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
/// Beyond a side of a triangle: both players'.
const SIDE: usize = 3;

fn color(player: Player) -> usize {
    match player {
        Player::Red => RED,
        Player::Blue => BLUE,
    }
}

/// Properties of the cell inside a ring.
#[derive(Clone, Copy, Debug)]
struct RingFacts {
    is_dead: bool,
    /// By player, the empty places of the ring on which a stone makes the cell dead, as bits.
    killers: [u8; 2],
}

/// The facts by the number of the ring.
fn ring_facts() -> &'static [RingFacts] {
    static TABLE: OnceLock<Vec<RingFacts>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let states = |ring: usize| std::array::from_fn(|i| ring >> (2 * i) & 3);
        let dead: Vec<bool> = (0..1 << 12).map(|ring| is_dead_inside(&states(ring))).collect();
        let kills =
            |ring: usize, player, i: usize| ring >> (2 * i) & 3 == EMPTY && dead[ring | color(player) << (2 * i)];
        let killers = |ring, player| (0..6).map(|i| u8::from(kills(ring, player, i)) << i).sum();
        let facts = |ring| RingFacts { is_dead: dead[ring], killers: Player::BOTH.map(|player| killers(ring, player)) };
        (0..1 << 12).map(facts).collect()
    })
}

/// Whether no filling of the empty cells puts the stones of one player, and so of both, in two runs. Each side, of two places, counts as
/// a change of color.
fn is_dead_inside(ring: &[usize; 6]) -> bool {
    let sides = ring.iter().filter(|&&place| place == SIDE).count() / 2;
    (0..1 << 6).all(|filling| {
        let color = |i: usize| match ring[i % 6] {
            EMPTY => RED + (filling >> (i % 6) & 1),
            stone => stone,
        };
        let changes = |&i: &usize| color(i) != color(i + 1) && color(i) != SIDE && color(i + 1) != SIDE;
        sides + (0..6).filter(changes).count() <= 2
    })
}

/// The rings of the cells of one board. Beyond the board lie the edges, stones of their owners, or the sides of a triangle.
#[derive(Clone, Debug)]
pub struct Rings {
    /// By cell, its neighbors in the order of the ring.
    cells: Vec<[Option<Cell>; 6]>,
    /// By cell, the part of its ring's number that the edges make up.
    edges: Vec<u16>,
    facts: &'static [RingFacts],
}

/// By cell, the number of its ring in one position.
#[derive(Clone, Copy, Debug)]
pub struct RingNumbers<const W: usize>([[u16; 64]; W]);

impl<const W: usize> RingNumbers<W> {
    #[inline]
    fn of(&self, cell: Cell) -> usize {
        self.0[cell.index() / 64][cell.index() % 64].into()
    }
}

impl Rings {
    /// The rings of a board.
    pub fn new<B: HexagonBoard>(board: B) -> Rings {
        let rings = || board.cells().map(|cell| board.ring(cell));
        let cell = |next: Neighbor| match next {
            Neighbor::Cell(cell) => Some(cell),
            Neighbor::Edge(_) | Neighbor::Side => None,
        };
        let edge = |next: Neighbor| match next {
            Neighbor::Cell(_) => EMPTY,
            Neighbor::Edge(owner) => color(owner),
            Neighbor::Side => SIDE,
        };
        let number = |ring: [Neighbor; 6]| {
            let parts = ring.into_iter().enumerate().map(|(i, next)| edge(next) << (2 * i));
            parts.sum::<usize>() as u16
        };
        Rings {
            cells: rings().map(|ring| ring.map(cell)).collect(),
            edges: rings().map(number).collect(),
            facts: ring_facts(),
        }
    }

    /// The numbers of all rings.
    pub fn numbers<const W: usize>(&self, stones: &Stones<W>) -> RingNumbers<W> {
        let mut numbers = RingNumbers([[0; 64]; W]);
        for (cell, &edges) in self.edges.iter().enumerate() {
            numbers.0[cell / 64][cell % 64] = edges;
        }
        for player in Player::BOTH {
            stones[player as usize].iter().for_each(|cell| self.surround(player, cell, &mut numbers));
        }
        numbers
    }

    /// Takes a stone in.
    #[inline]
    fn surround<const W: usize>(&self, player: Player, cell: Cell, numbers: &mut RingNumbers<W>) {
        for (i, next) in self.cells[cell.index()].iter().enumerate() {
            if let Some(next) = next {
                // Seen from the neighbor, the stone lies in the opposite direction.
                numbers.0[next.index() / 64][next.index() % 64] |= (color(player) << (2 * ((i + 3) % 6))) as u16;
            }
        }
    }

    /// The number of one ring.
    fn number<const W: usize>(&self, cell: Cell, stones: &Stones<W>) -> usize {
        let mut ring = usize::from(self.edges[cell.index()]);
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
        self.facts[self.number(cell, stones)].is_dead
    }

    /// The neighbor on which a stone of `player` kills the cell while one on the cell kills the neighbor: the two are captured.
    #[inline]
    fn partner<const W: usize>(&self, cell: Cell, player: Player, numbers: &RingNumbers<W>) -> Option<Cell> {
        let mut killers = self.facts[numbers.of(cell)].killers[player as usize];
        while killers != 0 {
            let i = killers.trailing_zeros() as usize;
            killers &= killers - 1;
            let back = 1 << ((i + 3) % 6);
            if let Some(partner) = self.cells[cell.index()][i]
                && self.facts[numbers.of(partner)].killers[player as usize] & back != 0
            {
                return Some(partner);
            }
        }
        None
    }

    /// Fills in dead and captured cells until there are no more. Dead cells become red stones, which is as good as any
    /// color.
    pub fn fill_in<const W: usize>(&self, stones: &mut Stones<W>) -> FillIn<W> {
        self.fill_in_near(self.all(), &Player::BOTH, stones, &mut self.numbers(stones), |_, _| {})
    }

    /// As [`fill_in`](Rings::fill_in), where dead cells become stones of the first player given, and `tell` is called with
    /// each pair when it is captured: it rests on the stones and on what was captured before it.
    pub fn fill_in_telling<const W: usize>(
        &self,
        players: [Player; 2],
        stones: &mut Stones<W>,
        tell: impl FnMut(Player, [Cell; 2]),
    ) -> FillIn<W> {
        self.fill_in_near(self.all(), &players, stones, &mut self.numbers(stones), tell)
    }

    /// As [`fill_in`](Rings::fill_in), where only the cells of `look_at`, and what changes, can be new, for
    /// the players given. Dead cells become stones of the first of them.
    fn fill_in_near<const W: usize>(
        &self,
        mut look_at: CellSet<W>,
        players: &[Player],
        stones: &mut Stones<W>,
        numbers: &mut RingNumbers<W>,
        mut tell: impl FnMut(Player, [Cell; 2]),
    ) -> FillIn<W> {
        let mut fill_in = FillIn { dead: CellSet::EMPTY, captured: [CellSet::EMPTY; 2] };
        look_at -= stones[0] | stones[1];
        while let Some(cell) = look_at.first() {
            look_at.remove(cell);
            let mut filled = CellSet::EMPTY;
            let mut owner = players[0];
            if self.facts[numbers.of(cell)].is_dead {
                fill_in.dead.insert(cell);
                filled.insert(cell);
            } else if let Some((player, partner)) =
                players.iter().find_map(|&player| Some((player, self.partner(cell, player, numbers)?)))
            {
                owner = player;
                filled = CellSet::of(cell).with(partner);
                tell(player, [cell, partner]);
                fill_in.captured[player as usize] |= filled;
            }
            stones[owner as usize] |= filled;
            for changed in filled {
                self.surround(owner, changed, numbers);
                look_at |= self.around(changed);
            }
            look_at -= stones[0] | stones[1];
        }
        fill_in
    }

    fn all<const W: usize>(&self) -> CellSet<W> {
        (0..self.cells.len()).map(Cell::from_index).collect()
    }

    /// The neighbors of a cell.
    #[inline]
    pub fn around<const W: usize>(&self, cell: Cell) -> CellSet<W> {
        self.cells[cell.index()].iter().flatten().copied().collect()
    }

    /// Plays a stone and fills in what it makes dead or captured, in a position that was filled in before and whose rings
    /// have these numbers.
    pub fn play<const W: usize>(
        &self,
        player: Player,
        cell: Cell,
        stones: &mut Stones<W>,
        mut numbers: RingNumbers<W>,
    ) -> FillIn<W> {
        stones[player as usize].insert(cell);
        self.surround(player, cell, &mut numbers);
        self.fill_in_near(self.around(cell), &Player::BOTH, stones, &mut numbers, |_, _| {})
    }

    /// Those of `moves` that the player need not search, in a position that is filled in and not won by that.
    pub fn inferior_moves<const W: usize>(&self, player: Player, moves: CellSet<W>, stones: &Stones<W>) -> Inferior<W> {
        let mut inferior = Inferior { vulnerable: Vec::new(), dominated: Vec::new() };
        let numbers = self.numbers(stones);
        let empty = self.all() - (stones[0] | stones[1]);
        let mut left = moves;
        for cell in moves {
            if let Some(reply) = self.killing_reply(player, cell, stones, empty, &numbers) {
                left.remove(cell);
                inferior.vulnerable.push((cell, reply));
            }
        }
        // A move that dominates must itself stay, or be dominated by one that stays.
        let vulnerable = moves - left;
        for by in empty - vulnerable {
            if moves.contains(by) && !left.contains(by) || !self.may_fill(player, by, empty, &numbers) {
                continue;
            }
            let fill_in = self.play(player, by, &mut stones.clone(), numbers);
            let dominated = (fill_in.dead | fill_in.captured[player as usize]) & left;
            for cell in dominated {
                left.remove(cell);
                inferior.dominated.push((cell, by));
            }
        }
        inferior
    }

    /// Whether a stone of `player` on an empty cell can make another one dead or captured. Most cannot, and this asks
    /// without a copy of the position.
    fn may_fill<const W: usize>(
        &self,
        player: Player,
        cell: Cell,
        empty: CellSet<W>,
        numbers: &RingNumbers<W>,
    ) -> bool {
        self.cells[cell.index()].iter().enumerate().any(|(i, &next)| {
            next.is_some_and(|next| {
                let facts = &self.facts[numbers.of(next) | color(player) << (2 * ((i + 3) % 6))];
                empty.contains(next) && (facts.is_dead || facts.killers != [0; 2])
            })
        })
    }

    /// The cells that the opponent needs to make a move of `player` dead at once: a reply, and what it captures.
    fn killing_reply<const W: usize>(
        &self,
        player: Player,
        cell: Cell,
        stones: &Stones<W>,
        mut empty: CellSet<W>,
        numbers: &RingNumbers<W>,
    ) -> Option<CellSet<W>> {
        let opponent = player.opponent();
        let killers = self.facts[numbers.of(cell)].killers[opponent as usize];
        if killers != 0 {
            return self.cells[cell.index()][killers.trailing_zeros() as usize].map(CellSet::of);
        }
        let near: CellSet<W> = self.around(cell);
        let mut wider = near;
        near.iter().for_each(|next| wider |= self.around(next));
        empty.remove(cell);
        wider &= empty;
        let mut after = *stones;
        after[player as usize].insert(cell);
        let mut numbers = *numbers;
        self.surround(player, cell, &mut numbers);
        for reply in wider {
            // The reply alone does not kill the cell, as was seen above.
            if !self.may_fill(opponent, reply, empty, &numbers) {
                continue;
            }
            let mut after = after;
            let mut numbers = numbers;
            after[opponent as usize].insert(reply);
            self.surround(opponent, reply, &mut numbers);
            // Nothing may be given to the mover: it would rest on the stone that is then called dead.
            let fill_in = self.fill_in_near(self.around(reply), &[opponent], &mut after, &mut numbers, |_, _| {});
            if self.facts[numbers.of(cell)].is_dead {
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
