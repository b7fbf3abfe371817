//! A triangle, on which tests show that connections, inferior cells, certificates and pictures are not only about the
//! rhombus.

use crate::board::{Cell, Player};
use crate::cells::CellSet;
use crate::certificate::{Inference, Proof, ProofBuilder, WinClaim};
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use crate::draw;
use crate::hexagon::{HexagonBoard, Neighbor, RING};
use crate::inferior::{Rings, Stones};
use ludolog_picture::LabelSide;
use ludolog_syntax::ColdSort;
use std::collections::HashMap;
use std::fmt;

/// Row i has i + 1 cells. Red joins the left side with the right half of the lower one, Blue the right side with the
/// left half: the border belongs to both in turn, so that one of them joins their edges, as in Hex.
///
/// ```text
///      1
///     2 3
///    4 5 6
///   7 8 9 10
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
struct YTriangle {
    side: usize,
}

const FOUR: YTriangle = YTriangle { side: 4 };

impl YTriangle {
    /// Row and column, both from 0.
    fn row_and_column(cell: Cell) -> (usize, usize) {
        let row = (0..).find(|row| (row + 1) * (row + 2) / 2 > cell.index()).expect("rows have no end");
        (row, cell.index() - row * (row + 1) / 2)
    }

    fn cell(self, row: usize, column: usize) -> Option<Cell> {
        (row < self.side && column <= row).then(|| Cell::from_index(row * (row + 1) / 2 + column))
    }

    fn named(self, names: &str) -> CellSet<1> {
        names.split_whitespace().map(|name| self.cell_of_name(name).expect("a cell")).collect()
    }
}

impl fmt::Display for YTriangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a triangle of side {}", self.side)
    }
}

impl ConnectionBoard for YTriangle {
    fn cell_count(self) -> usize {
        self.side * (self.side + 1) / 2
    }

    fn neighbors(self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.ring(cell).into_iter().filter_map(|next| match next {
            Neighbor::Cell(next) => Some(next),
            Neighbor::Edge(_) | Neighbor::Side => None,
        })
    }

    fn is_at_edge(self, player: Player, edge: u8, cell: Cell) -> bool {
        let (row, column) = YTriangle::row_and_column(cell);
        let is_last = row + 1 == self.side;
        match (player, edge) {
            (Player::Red, 0) => column == 0,
            (Player::Red, _) => is_last && column + 1 >= self.side.div_ceil(2),
            (Player::Blue, 0) => column == row,
            (Player::Blue, _) => is_last && column < self.side.div_ceil(2),
        }
    }

    fn cell_name(self, cell: Cell) -> String {
        (cell.index() + 1).to_string()
    }

    fn cell_of_name(self, name: &str) -> Option<Cell> {
        let index = name.parse::<usize>().ok()?.checked_sub(1)?;
        (index < self.cell_count()).then(|| Cell::from_index(index))
    }

    fn edge_name(self, player: Player, edge: u8) -> &'static str {
        match (player, edge) {
            (Player::Red, 0) => "left",
            (Player::Blue, 0) => "right",
            _ => "below",
        }
    }
}

impl HexagonBoard for YTriangle {
    fn ring(self, cell: Cell) -> [Neighbor; 6] {
        let (row, column) = YTriangle::row_and_column(cell);
        // Each row begins half a cell farther left than the one above: below right is one more in both.
        RING.map(|(right, down)| {
            let next = (row.checked_add_signed(down), column.checked_add_signed(right + down));
            match next {
                (Some(row), Some(column)) if row == self.side => {
                    Neighbor::Edge(if column < self.side.div_ceil(2) { Player::Blue } else { Player::Red })
                }
                (Some(row), Some(column)) => {
                    self.cell(row, column).map_or(Neighbor::Edge(Player::Blue), Neighbor::Cell)
                }
                (_, None) => Neighbor::Edge(Player::Red),
                (None, Some(_)) => Neighbor::Edge(Player::Blue),
            }
        })
    }

    fn place(self, cell: Cell) -> (usize, usize) {
        let (row, column) = YTriangle::row_and_column(cell);
        (self.side - 1 - row + 2 * column, row)
    }

    fn labels(self) -> Vec<(Cell, LabelSide, String)> {
        let rows = (0..self.side).filter_map(|row| Some((self.cell(row, 0)?, LabelSide::Left, (row + 1).to_string())));
        rows.collect()
    }
}

#[test]
fn connections() {
    let with = |player: Player, names: &str| {
        Connections::new(FOUR, player, FOUR.named(names), CellSet::EMPTY, ConnectionLimits::USUAL)
    };
    // The cell in the middle has a bridge to either edge.
    let connections = with(Player::Red, "5");
    assert!(!connections.is_won());
    assert!(
        connections
            .carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Full)
            .any(|carrier| carrier == FOUR.named("2 4 8 9"))
    );
    assert!(with(Player::Red, "4 5 9").is_won() && with(Player::Red, "7 8").is_won());
    assert!(with(Player::Blue, "3 5 8").is_won() && !with(Player::Blue, "3 5 9").is_won());
}

/// Whether the player's stones join the edges, by flooding.
fn has_won(board: YTriangle, player: Player, stones: &Stones<1>) -> bool {
    let mine = stones[player as usize];
    let mut group: Vec<Cell> = mine.iter().filter(|&cell| board.is_at_edge(player, 0, cell)).collect();
    let mut i = 0;
    while let Some(&at) = group.get(i) {
        i += 1;
        let next = board.neighbors(at).filter(|next| mine.contains(*next) && !group.contains(next));
        group.extend(next.collect::<Vec<_>>());
    }
    group.iter().any(|&cell| board.is_at_edge(player, 1, cell))
}

/// Whether Red wins with this player to move, by trying everything.
fn red_wins(
    board: YTriangle,
    stones: Stones<1>,
    mover: Player,
    known: &mut HashMap<(Stones<1>, Player), bool>,
) -> bool {
    if let Some(&known) = known.get(&(stones, mover)) {
        return known;
    }
    let empty = CellSet::first_cells(board.cell_count()) - (stones[0] | stones[1]);
    let wins = if empty.is_empty() {
        let [red, blue] = Player::BOTH.map(|player| has_won(board, player, &stones));
        assert_ne!(red, blue, "a full board has one winner: {stones:?}");
        red
    } else {
        let is_red = mover == Player::Red;
        let wins_by = |cell| {
            let mut stones = stones;
            stones[mover as usize].insert(cell);
            red_wins(board, stones, mover.opponent(), known) == is_red
        };
        empty.iter().any(wins_by) == is_red
    };
    known.insert((stones, mover), wins);
    wins
}

#[test]
fn filling_in_does_not_change_who_wins() {
    let rings = Rings::new(FOUR);
    let mut known = HashMap::new();
    let mut dead = 0;
    let mut captured = 0;
    // All positions, written in base 3.
    for number in 0..3u32.pow(10) {
        let mut stones: Stones<1> = [CellSet::EMPTY; 2];
        for cell in FOUR.cells() {
            match number / 3u32.pow(cell.index() as u32) % 3 {
                0 => {}
                stone => stones[stone as usize - 1].insert(cell),
            }
        }
        let mut filled = stones;
        let fill_in = rings.fill_in(&mut filled);
        dead += fill_in.dead.len();
        captured += (fill_in.captured[0] | fill_in.captured[1]).len();
        for mover in Player::BOTH {
            let [before, after] = [stones, filled].map(|stones| red_wins(FOUR, stones, mover, &mut known));
            assert_eq!(before, after, "{mover} to move: {stones:?}");
        }
    }
    assert!(dead > 10_000 && captured > 10_000, "{dead} and {captured}");
}

#[test]
fn dead_and_captured_cells() {
    let fill_in = |red: &str, blue: &str| Rings::new(FOUR).fill_in(&mut [FOUR.named(red), FOUR.named(blue)]);
    // Around the upper corner, clockwise from the right: Blue's edge, 3, 2, Red's edge twice, Blue's edge.
    let corner = Cell::from_index(0);
    assert!(fill_in("2 3", "").dead.contains(corner));
    assert!(fill_in("2", "3").dead.contains(corner));
    assert!(!fill_in("3", "2").dead.contains(corner));
    // A bridge to the lower edge.
    let captured = fill_in("5", "").captured[0];
    assert!(FOUR.named("8 9").is_subset(&captured), "{captured:?}");
}

#[test]
fn certificates() {
    let cell = |name: &str| FOUR.cell_of_name(name).expect("a cell");
    let end = |name: &str| ConnectionEnd::from_name(name, FOUR, Player::Red).expect("an end");
    let verify = |blue: &str, proof: &Proof| {
        let Proof::Connections { steps, win } = proof else { panic!("a pairing") };
        let stones = [FOUR.named("5"), FOUR.named(blue)];
        let stone = |cell| Player::BOTH.into_iter().find(|&player| stones[player as usize].contains(cell));
        let claim = WinClaim { board: FOUR, stone, to_move: Some(Player::Blue), winner: Player::Red };
        claim.verify(steps, *win).map_err(|refusal| refusal.reason)
    };

    // Two bridges.
    let mut builder = ProofBuilder::new(FOUR, Player::Red);
    let left = builder.bridge(end("left"), end("5"), cell("2"), cell("4")).expect("a bridge");
    let below = builder.bridge(end("below"), end("5"), cell("8"), cell("9")).expect("a bridge");
    let both = builder.and(&[left, below]).expect("a chain");
    let proof = builder.finish(both);
    let Proof::Connections { steps, .. } = &proof else { panic!("a pairing") };
    let lines: Vec<String> = steps.iter().map(|step: &Inference| step.to_text(FOUR, Player::Red)).collect();
    assert_eq!(lines, ["bridge left 5 2 4", "bridge below 5 8 9", "and 7 8"]);
    assert_eq!(verify("1 3 6 7 10", &proof), Ok(()));
    assert_eq!(verify("8", &proof), Err("8 is in the carrier of 9 and not empty".to_owned()));

    // The same with a stone on 9, which is captured together with 8.
    let mut builder = ProofBuilder::new(FOUR, Player::Red);
    let left = builder.bridge(end("left"), end("5"), cell("2"), cell("4")).expect("a bridge");
    let below = builder.path(&[end("5"), end("9"), end("below")]).expect("stones that touch");
    let both = builder.and(&[left, below]).expect("a chain");
    let captured = builder.captured(cell("8"), cell("9"), both).expect("captured cells");
    // With 2 Blue's, the corner joins Red's 3 with Red's edge.
    let refused = builder.captured(cell("1"), cell("3"), both).map_err(|reason| reason.to_string());
    assert_eq!(refused, Err("a stone of red on 3 does not kill 1".to_owned()));
    assert_eq!(verify("1 3 6 7 10", &builder.clone().finish(captured)), Ok(()));
    assert_eq!(verify("", &builder.finish(both)), Err("10 needs a stone of red on 9".to_owned()));
}

#[test]
fn pictures() {
    let svg = draw::board_to_svg(YTriangle { side: 2 }, |cell| (cell.index() == 0).then_some(Player::Red), "two", &[]);
    // The upper cell is half a unit to the right; its radius is 0.74 of half a unit.
    assert!(svg.contains(r##"<circle cx="50" cy="0" r="37" fill="#d55e00""##), "{svg}");
    // The label of the second row ends 22 hundredths before its first cell, whose left side is 50 left of the middle.
    assert!(svg.contains(r#"<text x="-72" y="97" text-anchor="end">2</text>"#), "{svg}");
    // Red's edges have four sides of hexagons on the left and three below, Blue's one below and four on the right.
    let line = |line: &str| {
        let color = if line.contains("#d55e00") { Player::Red } else { Player::Blue };
        (color, line.split(['"', ' ']).filter(|word| word.contains(',')).count() - 1)
    };
    let mut border: Vec<(Player, usize)> = svg.lines().filter(|line| line.starts_with("<polyline")).map(line).collect();
    border.cold_sort();
    assert_eq!(border, [(Player::Red, 3), (Player::Red, 4), (Player::Blue, 1), (Player::Blue, 4)]);
}
