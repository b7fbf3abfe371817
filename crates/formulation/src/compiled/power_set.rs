//! Power-set of length n, for square boards of the benchmark's sizes.
//!
//! ```text
//! win(P) :- stone(P, C1) & … & stone(P, Cn) & line(P, C1, 1) & … & line(P, Cn, n) & adjacent(C1, C2) & … .
//! ```

use super::{BoardRelations, Compiled};
use ludolog_hex::board::Player;
use ludolog_hex::position::Position;
use ludolog_syntax::ast::Atom;

/// The formulation `power-set`.
pub const COMPILED: Compiled =
    Compiled { naive, reordered, facts: Some(facts), fits: |position| size(position).is_some() };

/// The number of columns and of rows, of a square board.
fn size(position: &Position) -> Option<usize> {
    let width = position.board().width();
    let height = position.board().height();
    (width == height && [3, 4, 5, 7, 9, 11].contains(&width)).then_some(width)
}

/// Defines the programs for one size: the first cell of the chain, then each next cell with its line and the cell
/// before it.
macro_rules! power_set {
    ($size:ident: $first:ident $(, $next:ident $line:literal $before:ident)*) => {
        mod $size {
            pub mod naive {
                use super::super::super::*;

                crepe::crepe! {
                    @input struct Stone(Player, i32);
                    @input struct Adjacent(i32, i32);
                    @input struct Line(Player, i32, i32);
                    @output struct Win(Player);
                    Win(p) <-
                        Stone(p, $first) $(, Stone(p, $next))*,
                        Line(p, $first, 1) $(, Line(p, $next, $line))*
                        $(, Adjacent($before, $next))*;
                }
                winners!(Stone Adjacent Line);
            }

            pub mod reordered {
                use super::super::super::*;

                crepe::crepe! {
                    @input struct Stone(Player, i32);
                    @input struct Adjacent(i32, i32);
                    @input struct Line(Player, i32, i32);
                    @output struct Win(Player);
                    Win(p) <-
                        Stone(p, $first), Line(p, $first, 1)
                        $(, Adjacent($before, $next), Line(p, $next, $line), Stone(p, $next))*;
                }
                winners!(Stone Adjacent Line);
            }
        }
    };
}

power_set!(three: a, b 2 a, c 3 b);
power_set!(four: a, b 2 a, c 3 b, d 4 c);
power_set!(five: a, b 2 a, c 3 b, d 4 c, e 5 d);
power_set!(seven: a, b 2 a, c 3 b, d 4 c, e 5 d, f 6 e, g 7 f);
power_set!(nine: a, b 2 a, c 3 b, d 4 c, e 5 d, f 6 e, g 7 f, h 8 g, i 9 h);
power_set!(eleven: a, b 2 a, c 3 b, d 4 c, e 5 d, f 6 e, g 7 f, h 8 g, i 9 h, j 10 i, k 11 j);

/// Defines the function that runs the program for the size of the board.
macro_rules! for_each_size {
    ($order:ident) => {
        fn $order(board: &BoardRelations, position: &Position) -> Vec<Player> {
            let win = match size(position) {
                Some(3) => three::$order::win,
                Some(4) => four::$order::win,
                Some(5) => five::$order::win,
                Some(7) => seven::$order::win,
                Some(9) => nine::$order::win,
                Some(11) => eleven::$order::win,
                _ => return Vec::new(),
            };
            win(board, position)
        }
    };
}

for_each_size!(naive);
for_each_size!(reordered);

fn facts(board: &BoardRelations, position: &Position) -> Vec<Atom> {
    reordered(board, position).into_iter().map(|p| super::atom("win", [super::symbol(p)])).collect()
}
