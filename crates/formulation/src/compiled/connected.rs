//! All pairs of connected stones. Clusters use the same programs, since crepe has no transitions: a cluster is the set
//! of stones connected with one stone.
//!
//! ```text
//! touches(P, X, Y) :- stone(P, X) & stone(P, Y) & adjacent(X, Y).
//! connected(P, X, X) :- stone(P, X).
//! connected(P, X, Z) :- connected(P, X, Y) & touches(P, Y, Z).
//! win(P) :- connected(P, X, Y) & first(P, X) & last(P, Y).
//! ```

use super::Compiled;

/// The formulation `connected`.
pub const COMPILED: Compiled = Compiled { facts: Some(naive::facts), ..CLUSTERS };

/// The formulation `cluster`. Its rule text represents clusters differently, so there are no facts to list.
pub const CLUSTERS: Compiled = Compiled { naive: naive::win, reordered: reordered::win, facts: None, fits: |_| true };

mod naive {
    use super::super::*;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        @output struct Touches(Player, i32, i32);
        @output struct Connected(Player, i32, i32);
        @output struct Win(Player);
        Touches(p, x, y) <- Stone(p, x), Stone(p, y), Adjacent(x, y);
        Connected(p, x, x) <- Stone(p, x);
        Connected(p, x, z) <- Connected(p, x, y), Touches(p, y, z);
        Win(p) <- Connected(p, x, y), First(p, x), Last(p, y);
    }
    winners!(Stone Adjacent First Last);

    pub fn facts(board: &BoardRelations, position: &Position) -> Vec<Atom> {
        let (touches, connected, win) =
            load!(board, position: Stone Adjacent First Last).run_with_hasher::<FxBuildHasher>();
        let pair = |name, (p, x, y)| atom(name, [symbol(p), number(x), number(y)]);
        let touches = touches.into_iter().map(|Touches(p, x, y)| pair("touches", (p, x, y)));
        let connected = connected.into_iter().map(|Connected(p, x, y)| pair("connected", (p, x, y)));
        touches.chain(connected).chain(win.into_iter().map(|Win(p)| atom("win", [symbol(p)]))).collect()
    }
}

mod reordered {
    use super::super::*;

    crepe::crepe! {
        @input struct Stone(Player, i32);
        @input struct Adjacent(i32, i32);
        @input struct First(Player, i32);
        @input struct Last(Player, i32);
        struct Touches(Player, i32, i32);
        struct Connected(Player, i32, i32);
        @output struct Win(Player);
        Touches(p, x, y) <- Stone(p, x), Adjacent(x, y), Stone(p, y);
        Connected(p, x, x) <- Stone(p, x);
        Connected(p, x, z) <- Connected(p, x, y), Touches(p, y, z);
        Win(p) <- First(p, x), Connected(p, x, y), Last(p, y);
    }
    winners!(Stone Adjacent First Last);
}
