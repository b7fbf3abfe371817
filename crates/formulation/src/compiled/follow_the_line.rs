//! Follow the line with a set of visited cells, on boards of up to 128 cells.
//!
//! ```text
//! path(P, C, [C]) :- stone(P, C) & first(P, C).
//! path(P, D, [D | V]) :- path(P, C, V) & stone(P, D) & ~member(D, V) & adjacent(C, D).
//! win(P) :- path(P, C, V) & last(P, C).
//! ```
//!
//! Written by hand, since it is not a translation of `rules/hex/follow-the-line.dl`: a set of visited cells stands for all lists in which a
//! path may visit them, and the way back, which the text has for resolution, is left out. A translation derives every list, which takes some
//! thirty times as long.

use super::term::{Integer, Symbol};

/// The set of one cell.
fn bit(cell: Integer) -> u128 {
    1 << (cell - 1)
}

/// Defines the function that runs the program of a module.
macro_rules! run {
    () => {
        /// Derives the players that have won.
        pub fn run(
            adjacent: &[(Integer, Integer)],
            first: &[(Symbol, Integer)],
            last: &[(Symbol, Integer)],
            stone: &[(Symbol, Integer)],
        ) -> (HashSet<Win, FxBuildHasher>,) {
            let mut runtime = Crepe::new();
            runtime.extend(adjacent.iter().map(|&(x, y)| Adjacent(x, y)));
            runtime.extend(first.iter().map(|&(p, x)| First(p, x)));
            runtime.extend(last.iter().map(|&(p, x)| Last(p, x)));
            runtime.extend(stone.iter().map(|&(p, x)| Stone(p, x)));
            runtime.run_with_hasher()
        }
    };
}

pub mod none {
    use super::{Integer, Symbol, bit};
    use crepe::crepe;
    use rustc_hash::FxBuildHasher;
    use std::collections::HashSet;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct First(Symbol, Integer);
        @input pub struct Last(Symbol, Integer);
        @input pub struct Stone(Symbol, Integer);
        struct Path(Symbol, Integer, u128);
        @output pub struct Win(pub Symbol);

        Path(p, c, bit(c)) <- Stone(p, c), First(p, c);
        Path(p, d, v | bit(d)) <- Path(p, c, v), Stone(p, d), (v & bit(d) == 0), Adjacent(c, d);
        Win(p) <- Path(p, c, _), Last(p, c);
    }
    run!();
}

pub mod reordering {
    use super::{Integer, Symbol, bit};
    use crepe::crepe;
    use rustc_hash::FxBuildHasher;
    use std::collections::HashSet;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct First(Symbol, Integer);
        @input pub struct Last(Symbol, Integer);
        @input pub struct Stone(Symbol, Integer);
        struct Path(Symbol, Integer, u128);
        @output pub struct Win(pub Symbol);

        Path(p, c, bit(c)) <- First(p, c), Stone(p, c);
        Path(p, d, v | bit(d)) <- Path(p, c, v), Adjacent(c, d), (v & bit(d) == 0), Stone(p, d);
        Win(p) <- Path(p, c, _), Last(p, c);
    }
    run!();
}
