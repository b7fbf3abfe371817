//! Reachability.
//!
//! ```text
//! reach(P, C) :- stone(P, C) & first(P, C).
//! reach(P, D) :- reach(P, C) & stone(P, D) & adjacent(C, D).
//! win(P) :- reach(P, C) & last(P, C).
//! ```

use super::Compiled;

/// The formulation `reachability`.
pub const COMPILED: Compiled =
    Compiled { naive: naive::win, reordered: reordered::win, facts: Some(naive::facts), fits: |_| true };

mod naive {
    use super::super::*;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        @output struct Reach(Player, i32);
        @output struct Win(Player);
        Reach(p, c) <- Stone(p, c), First(p, c);
        Reach(p, d) <- Reach(p, c), Stone(p, d), Adjacent(c, d);
        Win(p) <- Reach(p, c), Last(p, c);
    }
    winners!(Stone Adjacent First Last);

    pub fn facts(board: &BoardRelations, position: &Position) -> Vec<Atom> {
        let (reach, win) = load!(board, position: Stone Adjacent First Last).run_with_hasher::<FxBuildHasher>();
        let reach = reach.into_iter().map(|Reach(p, c)| atom("reach", [symbol(p), number(c)]));
        reach.chain(win.into_iter().map(|Win(p)| atom("win", [symbol(p)]))).collect()
    }
}

mod reordered {
    use super::super::*;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        struct Reach(Player, i32);
        @output struct Win(Player);
        Reach(p, c) <- First(p, c), Stone(p, c);
        Reach(p, d) <- Reach(p, c), Adjacent(c, d), Stone(p, d);
        Win(p) <- Reach(p, c), Last(p, c);
    }
    winners!(Stone Adjacent First Last);
}
