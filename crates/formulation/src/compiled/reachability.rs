//! Follow the line as plain reachability.
//!
//! Made of `rules/hex/reachability.dl` by `LUDOLOG_UPDATE=1 cargo test --test suite -- twins`, with the subgoals of rules in the
//! order of the text (`none`), and in that of the optimizer (`reordering`).

pub mod none {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct First(Symbol, Integer);
        @input pub struct Last(Symbol, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Reach(pub Symbol, pub Integer);
        @output pub struct Win(pub Symbol);

        Reach(p, c) <- Stone(p, c), First(p, c);
        Reach(p, d) <- Reach(p, c), Stone(p, d), Adjacent(c, d);
        Win(p) <- Reach(p, c), Last(p, c);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        first: &[(Symbol, Integer)],
        last: &[(Symbol, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Reach>, RowSet<Win>) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(first.iter().map(|&(x0, x1)| First(x0, x1)));
        runtime.extend(last.iter().map(|&(x0, x1)| Last(x0, x1)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct First(Symbol, Integer);
        @input pub struct Last(Symbol, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Reach(pub Symbol, pub Integer);
        @output pub struct Win(pub Symbol);

        Reach(p, c) <- First(p, c), Stone(p, c);
        Reach(p, d) <- Reach(p, c), Adjacent(c, d), Stone(p, d);
        Win(p) <- Reach(p, c), Last(p, c);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        first: &[(Symbol, Integer)],
        last: &[(Symbol, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Reach>, RowSet<Win>) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(first.iter().map(|&(x0, x1)| First(x0, x1)));
        runtime.extend(last.iter().map(|&(x0, x1)| Last(x0, x1)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}
