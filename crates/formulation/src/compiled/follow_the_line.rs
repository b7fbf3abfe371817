//! Follow the line, with the visited cells as a bit set, for boards of up to 128 cells.
//!
//! ```text
//! path(P, C, [C]) :- stone(P, C) & first(P, C).
//! path(P, D, [D | V]) :- path(P, C, V) & stone(P, D) & ~member(D, V) & adjacent(C, D).
//! win(P) :- path(P, C, V) & last(P, C).
//! ```
//!
//! A set does not record the order of visits, so there are fewer sets than lists.

use super::Compiled;

/// The formulation `follow-the-line`.
pub const COMPILED: Compiled = Compiled {
    naive: naive::win,
    reordered: reordered::win,
    facts: None,
    fits: |position| position.board().len() <= u128::BITS as usize,
};

/// The set of one cell.
fn bit(cell: i32) -> u128 {
    1 << (cell - 1)
}

mod naive {
    use super::super::*;
    use super::bit;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        struct Path(Player, i32, u128);
        @output struct Win(Player);
        Path(p, c, bit(c)) <- Stone(p, c), First(p, c);
        Path(p, d, v | bit(d)) <- Path(p, c, v), Stone(p, d), (v & bit(d) == 0), Adjacent(c, d);
        Win(p) <- Path(p, c, _), Last(p, c);
    }
    winners!(Stone Adjacent First Last);
}

mod reordered {
    use super::super::*;
    use super::bit;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        struct Path(Player, i32, u128);
        @output struct Win(Player);
        Path(p, c, bit(c)) <- First(p, c), Stone(p, c);
        Path(p, d, v | bit(d)) <- Path(p, c, v), Adjacent(c, d), (v & bit(d) == 0), Stone(p, d);
        Win(p) <- Path(p, c, _), Last(p, c);
    }
    winners!(Stone Adjacent First Last);
}
