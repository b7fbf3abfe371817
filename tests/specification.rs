//! The AND and OR rules as a crepe program: the specification of the fast engine.
//!
//! An end is an edge with all stones joined to it, a group of other stones, or an empty cell. `full(X, Y, C)` and
//! `semi(X, Y, C)` say that the player has such a connection with carrier C; both hold for X and Y exchanged too.
//!
//! ```text
//! full(X, Y, ∅)           :- adjacent(X, Y).
//! full(X, Z, C ∪ D)       :- full(X, Y, C) & full(Y, Z, D) & ours(Y)  & apart(X, C, Z, D).
//! semi(X, Z, C ∪ D)       :- full(X, Y, C) & semi(Y, Z, D) & ours(Y)  & apart(X, C, Z, D).
//! semi(X, Z, C ∪ D ∪ {Y}) :- full(X, Y, C) & full(Y, Z, D) & empty(Y) & apart(X, C, Z, D).
//! apart(X, C, Z, D)       :- X ≠ Z & C ∩ D = ∅ & X ∉ D & Z ∉ C.
//!
//! choice(X, Y, C, C)         :- semi(X, Y, C).
//! choice(X, Y, M ∩ C, U ∪ C) :- choice(X, Y, M, U) & semi(X, Y, C).
//! full(X, Y, U)              :- choice(X, Y, ∅, U).
//! ```
//!
//! The first three with a middle are the AND rule, the last three the OR rule: a choice is a set of semi-connections,
//! by what their carriers have in common and in all. Whether an edge is `ours` as a middle is a parameter.
//!
//! # Minimal carriers
//!
//! A connection is *covered* by another between the same ends whose carrier is a subset of its own, if that is full, or
//! if both are semi. Only those that nothing else covers are wanted. Rules cannot delete what is covered, so the
//! program runs in rounds: round k derives connections with carriers of exactly k cells, and what is covered goes away
//! between rounds.
//!
//! This gives exactly the uncovered connections of the closure of the rules, for two reasons:
//!
//! * *A rule applied to covering connections covers what it derives from the covered ones.* The conditions ask for sets
//!   to be disjoint or empty and for cells not to be in them, so they hold of subsets too, and carriers only grow by
//!   union. Where a full connection takes the place of a semi, AND derives a full one in place of a semi, and OR
//!   derives nothing that the full one itself does not cover. So what is covered is never needed.
//! * *What is covered is known as such after its round.* Carriers never shrink along a derivation, so a carrier of k
//!   cells rests on carriers of k cells at most. Those of k cells among its premises are used with others of no cells
//!   only, which is a recursion within the round; an OR uses smaller ones only, since a semi with as many cells as the
//!   union would be covered by any other. What covers a connection has fewer cells, so it was found in an earlier
//!   round, or as many and is the full one with the same carrier, found in the same round.
//!
//! The number of minimal carriers grows exponentially with the board, and that of choices with theirs. An unoptimized
//! build derives all of the empty 4×4 board over edges, 299 full and 650 semi-connections, in 0.12 s, and those of the
//! empty 5×5 board with carriers up to 16 cells, 622 and 1,765, in 0.15 s. The rules are those of Anshelevich, *A
//! hierarchical approach to computer Hex*, 2002.

use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::connection::{ConnectionEnd, ConnectionKind};
use ludolog::hex::position::Position;
use std::collections::{BTreeMap, BTreeSet};

/// All minimal connections with carriers up to that size, each with its lesser end first. A group goes by its edge,
/// else by its first cell. `over_edges` lets the AND rule take an edge as its middle.
///
/// # Panics
///
/// On boards of more than 32 cells.
pub fn connections(
    position: &Position,
    player: Player,
    largest_carrier: usize,
    over_edges: bool,
) -> BTreeSet<(ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<1>)> {
    assert!(position.board().len() <= 32, "{} has more cells than a carrier has bits", position.board());
    let ends = Ends::new(position, player, over_edges);
    let mut known: BTreeMap<(u8, u8), Known> = BTreeMap::new();
    for (x, y) in ends.adjacent {
        known.entry((x, y)).or_default().fulls.insert(0);
    }
    for size in 0..=largest_carrier.min(position.board().len()) {
        let (fulls, semis) = rules::round(size as u32, &ends.ours, &ends.empty, &known);
        for (pair, carrier) in fulls {
            known.entry(pair).or_default().add_full(carrier);
        }
        for (pair, carrier) in semis {
            known.entry(pair).or_default().add_semi(carrier);
        }
    }
    let cells = |carrier: u32| (0..32).filter(|i| carrier >> i & 1 == 1).map(Cell::from_index).collect();
    let of_pair = |((x, y), found): ((u8, u8), Known)| {
        let of_kind = move |kind, carriers: BTreeSet<u32>| carriers.into_iter().map(move |c| (kind, c));
        let found = of_kind(ConnectionKind::Full, found.fulls).chain(of_kind(ConnectionKind::Semi, found.semis));
        found.map(move |(kind, carrier)| (end(x), end(y), kind, cells(carrier)))
    };
    known.into_iter().flat_map(of_pair).collect()
}

/// The uncovered carriers of a pair of ends, the lesser first.
#[derive(Default)]
struct Known {
    fulls: BTreeSet<u32>,
    semis: BTreeSet<u32>,
}

impl Known {
    /// A round adds its full connections before its semi-connections, to cover those with the same carrier.
    fn add_full(&mut self, carrier: u32) {
        if !covers(&self.fulls, carrier) {
            self.fulls.insert(carrier);
        }
    }

    fn add_semi(&mut self, carrier: u32) {
        if !covers(&self.fulls, carrier) && !covers(&self.semis, carrier) {
            self.semis.insert(carrier);
        }
    }
}

fn covers(carriers: &BTreeSet<u32>, carrier: u32) -> bool {
    carriers.iter().any(|smaller| smaller & !carrier == 0)
}

/// The number of an end: the edges, then the cells.
fn end(number: u8) -> ConnectionEnd {
    match number {
        0 => ConnectionEnd::FIRST,
        1 => ConnectionEnd::LAST,
        _ => ConnectionEnd::Cell(Cell::from_index(usize::from(number) - 2)),
    }
}

/// The input of the rules.
struct Ends {
    /// The ends that may be the middle of an AND and hold stones.
    ours: Vec<u8>,
    empty: Vec<u8>,
    /// Pairs of different ends that touch, the lesser first.
    adjacent: BTreeSet<(u8, u8)>,
}

impl Ends {
    fn new(position: &Position, player: Player, over_edges: bool) -> Ends {
        let board = position.board();
        let number = |cell: Cell| cell.index() as u8 + 2;
        let free = board.cells().filter(|&cell| position.stone(cell) != Some(player.opponent()));
        let touching: Vec<(u8, u8)> = free
            .flat_map(|cell| {
                let edges = [(board.is_first(player, cell), 0), (board.is_last(player, cell), 1)];
                let edges = edges.into_iter().filter_map(|(touches, edge)| touches.then_some(edge));
                let neighbors = board.neighbors(cell).filter(|&next| position.stone(next) != Some(player.opponent()));
                edges.chain(neighbors.map(number)).map(move |other| (number(cell), other))
            })
            .collect();
        let is_ours = |end: u8| end < 2 || position.stone(Cell::from_index(usize::from(end) - 2)) == Some(player);
        let group = groups(board, touching.iter().copied().filter(|&(x, y)| is_ours(x) && is_ours(y)));
        let named = |end: u8| group[usize::from(end)];
        let pairs = touching.iter().map(|&(x, y)| (named(x).min(named(y)), named(x).max(named(y))));
        let ours = position.stones_of(player).map(|cell| named(number(cell))).chain([named(0), named(1)]);
        let ours: BTreeSet<u8> = ours.filter(|&end| over_edges || end >= 2).collect();
        Ends {
            ours: ours.into_iter().collect(),
            empty: position.empty_cells().map(number).collect(),
            adjacent: pairs.filter(|(x, y)| x != y).collect(),
        }
    }
}

/// For each end the least one that it is joined to.
fn groups(board: Board, joined: impl Iterator<Item = (u8, u8)>) -> Vec<u8> {
    let mut group: Vec<u8> = (0..board.len() as u8 + 2).collect();
    for (x, y) in joined {
        let x = group[usize::from(x)];
        let y = group[usize::from(y)];
        group.iter_mut().filter(|name| **name == x.max(y)).for_each(|name| *name = x.min(y));
    }
    group
}

mod rules {
    use super::Known;
    use std::collections::BTreeMap;

    crepe::crepe! {
        // The number of cells of a new carrier.
        @input struct Round(u32);
        @input struct Ours(u8);
        @input struct Empty(u8);
        // Two ends in both orders, the number of cells of the carrier, the carrier.
        @input struct KnownFull(u8, u8, u32, u32);
        @input struct KnownSemi(u8, u8, u32, u32);
        struct Choice(u8, u8, u32, u32);
        @output struct Full(u8, u8, u32, u32);
        @output struct Semi(u8, u8, u32, u32);

        Full(x, y, s, c) <- KnownFull(x, y, s, c);
        Semi(x, y, s, c) <- KnownSemi(x, y, s, c);
        Full(y, x, s, c) <- Full(x, y, s, c);
        Semi(y, x, s, c) <- Semi(x, y, s, c);

        Full(x, z, k, u) <- Round(k), Full(x, y, s, c), Ours(y), (s <= k), let t = k - s, Full(y, z, t, d),
            (apart(x, c, z, d)), let u = c | d;
        Semi(x, z, k, u) <- Round(k), Full(x, y, s, c), Ours(y), (s <= k), let t = k - s, Semi(y, z, t, d),
            (apart(x, c, z, d)), let u = c | d;
        Semi(x, z, k, u) <- Round(k), KnownFull(x, y, s, c), Empty(y), (s < k), let t = k - s - 1, KnownFull(y, z, t, d),
            (apart(x, c, z, d)), let u = c | d | bit(y);

        Choice(x, y, c, c) <- KnownSemi(x, y, _, c), (x < y);
        Choice(x, y, n, v) <- Round(k), Choice(x, y, m, u), KnownSemi(x, y, _, c), let n = m & c, let v = u | c,
            (n != m && v.count_ones() <= k);
        Full(x, y, k, u) <- Round(k), Choice(x, y, 0, u), (u.count_ones() == k);
    }

    fn bit(end: u8) -> u32 {
        if end < 2 { 0 } else { 1 << (end - 2) }
    }

    fn apart(x: u8, c: u32, z: u8, d: u32) -> bool {
        x != z && c & d == 0 && bit(x) & d == 0 && bit(z) & c == 0
    }

    type Carriers = Vec<((u8, u8), u32)>;

    /// The connections with carriers of `size` cells that follow from the known ones, whose carriers have at most as
    /// many.
    pub fn round(size: u32, ours: &[u8], empty: &[u8], known: &BTreeMap<(u8, u8), Known>) -> (Carriers, Carriers) {
        let mut runtime = Crepe::new();
        runtime.extend([Round(size)]);
        runtime.extend(ours.iter().map(|&end| Ours(end)));
        runtime.extend(empty.iter().map(|&end| Empty(end)));
        for (&(x, y), Known { fulls, semis }) in known {
            let both = [(x, y), (y, x)];
            runtime
                .extend(both.iter().flat_map(|&(x, y)| fulls.iter().map(move |&c| KnownFull(x, y, c.count_ones(), c))));
            runtime
                .extend(both.iter().flat_map(|&(x, y)| semis.iter().map(move |&c| KnownSemi(x, y, c.count_ones(), c))));
        }
        let (fulls, semis) = runtime.run();
        let new = |(x, y, s, c)| (x < y && s == size).then_some(((x, y), c));
        (
            fulls.into_iter().filter_map(|Full(x, y, s, c)| new((x, y, s, c))).collect(),
            semis.into_iter().filter_map(|Semi(x, y, s, c)| new((x, y, s, c))).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;

    /// The carriers between two ends, as names.
    fn carriers(text: &str, between: [&str; 2], kind: ConnectionKind, largest: usize, over_edges: bool) -> Vec<String> {
        let position = Position::parse(text, Sources::new().add("test", text)).unwrap();
        let board = position.board();
        let [x, y] = between.map(|name| ConnectionEnd::from_name(name, board, Player::Red).unwrap());
        let found = connections(&position, Player::Red, largest, over_edges);
        let of_pair = found.into_iter().filter(|&(a, b, of, _)| (a, b, of) == (x.min(y), x.max(y), kind));
        of_pair.map(|(.., carrier)| carrier.iter().map(|cell| board.name(cell)).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn neighbors_and_bridges() {
        let empty = ". . .\n . . .\n  . . .";
        assert_eq!(carriers(empty, ["b2", "c1"], ConnectionKind::Full, 2, false), [""]);
        // A bridge, and one to the edge.
        assert_eq!(carriers(empty, ["a2", "c1"], ConnectionKind::Full, 2, false), ["b1 b2"]);
        assert_eq!(carriers(empty, ["top", "b2"], ConnectionKind::Full, 2, false), ["b1 c1"]);
        // Over one cell; over two cells that nobody can bridge.
        assert_eq!(carriers(empty, ["a1", "a3"], ConnectionKind::Semi, 1, false), ["a2"]);
        assert_eq!(carriers(empty, ["a1", "c1"], ConnectionKind::Full, 2, false), [""; 0]);
    }

    #[test]
    fn stones_and_edges_as_middles() {
        let stone = ". B .\n . R .\n  B . .";
        // By b3; the way by c2 and c3 takes two moves.
        assert_eq!(carriers(stone, ["b2", "bottom"], ConnectionKind::Semi, 3, false), ["b3"]);
        assert_eq!(carriers(stone, ["b2", "top"], ConnectionKind::Semi, 1, false), ["c1"]);
        // Over the stone, which both touch.
        assert_eq!(carriers(stone, ["a2", "c2"], ConnectionKind::Full, 0, false), [""]);
        // Over the edge, if that is wanted.
        assert_eq!(carriers(". B .\n . . .", ["a1", "c1"], ConnectionKind::Full, 0, true), [""]);
        assert_eq!(carriers(". B .\n . . .", ["a1", "c1"], ConnectionKind::Full, 0, false), [""; 0]);
        // A stone at the edge belongs to it.
        assert_eq!(carriers("R . .\n . . .", ["a2", "top"], ConnectionKind::Full, 0, false), [""]);
    }

    /// From the third row to the edge with two cells beside the stone and four at the edge.
    #[test]
    fn the_third_row_template() {
        let text = "B B B B B\n . . R . .\n  . . . . .\n   . . . . .";
        assert_eq!(carriers(text, ["c2", "bottom"], ConnectionKind::Full, 7, false), [""; 0]);
        assert_eq!(carriers(text, ["c2", "bottom"], ConnectionKind::Full, 8, false), ["d2 b3 c3 d3 a4 b4 c4 d4"]);
    }
}
