//! The relations of the board, from the numbers of cells by modular arithmetic.
//!
//! ```text
//! column(X, C) :- cell(X) & columns(W) & C is (X - 1) mod W + 1.
//! row(X, R) :- cell(X) & columns(W) & R is (X - 1) / W + 1.
//! first_column(X) :- column(X, 1).
//! last_column(X) :- columns(W) & column(X, W).
//!
//! adjacent(X, Y) :- cell(X) & cell(Y) & Y is X + 1 & ~last_column(X).
//! adjacent(X, Y) :- cell(X) & cell(Y) & Y is X - 1 & ~first_column(X).
//! adjacent(X, Y) :- cell(X) & cell(Y) & columns(W) & Y is X + W.
//! adjacent(X, Y) :- cell(X) & cell(Y) & columns(W) & Y is X - W.
//! adjacent(X, Y) :- cell(X) & cell(Y) & columns(W) & Y is X + W - 1 & ~first_column(X).
//! adjacent(X, Y) :- cell(X) & cell(Y) & columns(W) & Y is X - W + 1 & ~last_column(X).
//!
//! line(red, X, K) :- row(X, K).
//! line(blue, X, K) :- column(X, K).
//! first(P, X) :- line(P, X, 1).
//! last(red, X) :- rows(H) & row(X, H).
//! last(blue, X) :- columns(W) & column(X, W).
//! ```
//!
//! The naive order tries every pair of cells; the order of the bindings computes the second cell from the first.

use super::{atom, number, symbol};
use ludolog_hex::board::{Board, Player};
use ludolog_syntax::ast::Atom;

/// The relations that the rules of the board derive. Cells are numbered from 1, row by row.
#[derive(Clone, Debug, Default)]
pub struct BoardRelations {
    /// Each cell with its column.
    pub column: Vec<(i32, i32)>,
    /// Each cell with its row.
    pub row: Vec<(i32, i32)>,
    /// The cells of the first column.
    pub first_column: Vec<i32>,
    /// The cells of the last column.
    pub last_column: Vec<i32>,
    /// The ordered pairs of adjacent cells.
    pub adjacent: Vec<(i32, i32)>,
    /// Each cell with its line, for each player: the distance from the player's first edge.
    pub line: Vec<(Player, i32, i32)>,
    /// The cells of each player's first line.
    pub first: Vec<(Player, i32)>,
    /// The cells of each player's last line.
    pub last: Vec<(Player, i32)>,
}

impl BoardRelations {
    /// The relations as facts.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        let pairs = |name, pairs: &[(i32, i32)]| -> Vec<Atom> {
            pairs.iter().map(|&(x, y)| atom(name, [number(x), number(y)])).collect()
        };
        let cells = |name, cells: &[i32]| -> Vec<Atom> { cells.iter().map(|&x| atom(name, [number(x)])).collect() };
        let edges = |name, edge: &[(Player, i32)]| -> Vec<Atom> {
            edge.iter().map(|&(p, x)| atom(name, [symbol(p), number(x)])).collect()
        };
        let lines = self.line.iter().map(|&(p, x, k)| atom("line", [symbol(p), number(x), number(k)])).collect();
        [
            pairs("column", &self.column),
            pairs("row", &self.row),
            cells("first_column", &self.first_column),
            cells("last_column", &self.last_column),
            pairs("adjacent", &self.adjacent),
            lines,
            edges("first", &self.first),
            edges("last", &self.last),
        ]
        .into_iter()
        .flatten()
    }
}

/// Derives all relations, adjacency in the naive order: each of its six rules tries every pair of cells.
pub fn naive(board: Board) -> BoardRelations {
    let mut relations = lines::derive(board);
    relations.adjacent = naive::derive(board, &relations);
    relations
}

/// Derives all relations, adjacency in the order of the bindings: take a cell, compute the neighbor, test that it is a
/// cell.
pub fn reordered(board: Board) -> BoardRelations {
    let mut relations = lines::derive(board);
    relations.adjacent = reordered::derive(board, &relations);
    relations
}

mod lines {
    use super::BoardRelations;
    use ludolog_hex::board::{Board, Player};
    use rustc_hash::FxBuildHasher;

    crepe::crepe! {
        @input struct Columns(i32);
        @input struct Rows(i32);
        @input struct Cell(i32);
        @output struct Column(i32, i32);
        @output struct Row(i32, i32);
        @output struct FirstColumn(i32);
        @output struct LastColumn(i32);
        @output struct Line(Player, i32, i32);
        @output struct First(Player, i32);
        @output struct Last(Player, i32);

        Column(x, c) <- Cell(x), Columns(w), let c = (x - 1) % w + 1;
        Row(x, r) <- Cell(x), Columns(w), let r = (x - 1) / w + 1;
        FirstColumn(x) <- Column(x, 1);
        LastColumn(x) <- Columns(w), Column(x, w);
        Line(Player::Red, x, k) <- Row(x, k);
        Line(Player::Blue, x, k) <- Column(x, k);
        First(p, x) <- Line(p, x, 1);
        Last(Player::Red, x) <- Rows(h), Row(x, h);
        Last(Player::Blue, x) <- Columns(w), Column(x, w);
    }

    pub fn derive(board: Board) -> BoardRelations {
        let mut runtime = Crepe::new();
        runtime.extend([Columns(board.width() as i32)]);
        runtime.extend([Rows(board.height() as i32)]);
        runtime.extend(board.cells().map(|cell| Cell(cell.number() as i32)));
        let (column, row, first_column, last_column, line, first, last) = runtime.run_with_hasher::<FxBuildHasher>();
        BoardRelations {
            column: column.into_iter().map(|Column(x, c)| (x, c)).collect(),
            row: row.into_iter().map(|Row(x, r)| (x, r)).collect(),
            first_column: first_column.into_iter().map(|FirstColumn(x)| x).collect(),
            last_column: last_column.into_iter().map(|LastColumn(x)| x).collect(),
            adjacent: Vec::new(),
            line: line.into_iter().map(|Line(p, x, k)| (p, x, k)).collect(),
            first: first.into_iter().map(|First(p, x)| (p, x)).collect(),
            last: last.into_iter().map(|Last(p, x)| (p, x)).collect(),
        }
    }
}

/// Defines a function that runs the enclosing module's adjacency rules.
macro_rules! derive_adjacency {
    () => {
        pub fn derive(board: Board, relations: &BoardRelations) -> Vec<(i32, i32)> {
            let mut runtime = Crepe::new();
            runtime.extend([Columns(board.width() as i32)]);
            runtime.extend(board.cells().map(|cell| Cell(cell.number() as i32)));
            runtime.extend(relations.first_column.iter().map(|&x| FirstColumn(x)));
            runtime.extend(relations.last_column.iter().map(|&x| LastColumn(x)));
            let (adjacent,) = runtime.run_with_hasher::<FxBuildHasher>();
            adjacent.into_iter().map(|Adjacent(x, y)| (x, y)).collect()
        }
    };
}

mod naive {
    use super::BoardRelations;
    use ludolog_hex::board::Board;
    use rustc_hash::FxBuildHasher;

    crepe::crepe! {
        @input struct Columns(i32);
        @input struct Cell(i32);
        @input struct FirstColumn(i32);
        @input struct LastColumn(i32);
        @output struct Adjacent(i32, i32);

        Adjacent(x, y) <- Cell(x), Cell(y), (y == x + 1), !LastColumn(x);
        Adjacent(x, y) <- Cell(x), Cell(y), (y == x - 1), !FirstColumn(x);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), (y == x + w);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), (y == x - w);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), (y == x + w - 1), !FirstColumn(x);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), (y == x - w + 1), !LastColumn(x);
    }
    derive_adjacency!();
}

mod reordered {
    use super::BoardRelations;
    use ludolog_hex::board::Board;
    use rustc_hash::FxBuildHasher;

    crepe::crepe! {
        @input struct Columns(i32);
        @input struct Cell(i32);
        @input struct FirstColumn(i32);
        @input struct LastColumn(i32);
        @output struct Adjacent(i32, i32);

        Adjacent(x, y) <- Cell(x), !LastColumn(x), let y = x + 1, Cell(y);
        Adjacent(x, y) <- Cell(x), !FirstColumn(x), let y = x - 1, Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), let y = x + w, Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), let y = x - w, Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), !FirstColumn(x), let y = x + w - 1, Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), !LastColumn(x), let y = x - w + 1, Cell(y);
    }
    derive_adjacency!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_derive_the_board() {
        for (width, height) in [(1, 1), (1, 4), (4, 1), (2, 2), (3, 5), (9, 9)] {
            let board = Board::new(width, height).unwrap();
            let mut expected: Vec<(i32, i32)> = board
                .cells()
                .flat_map(|x| board.neighbors(x).map(move |y| (x.number() as i32, y.number() as i32)))
                .collect();
            expected.sort();
            for relations in [naive(board), reordered(board)] {
                let mut adjacent = relations.adjacent;
                adjacent.sort();
                assert_eq!(adjacent, expected, "{board}");
                for player in Player::BOTH {
                    let on = |edge: &[(Player, i32)]| edge.iter().filter(|&&(p, _)| p == player).count();
                    let ends = board.len() / board.lines(player);
                    assert_eq!((on(&relations.first), on(&relations.last)), (ends, ends), "{board}");
                }
            }
        }
    }
}
