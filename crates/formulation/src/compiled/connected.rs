//! All pairs of connected stones.
//!
//! Made of `rules/hex/connected.dl` by `LUDOLOG_UPDATE=1 cargo test --test suite -- twins`, with the subgoals of rules in the
//! order of the text (`none`), and in that of the optimizer (`reordering`).

pub mod none {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct First(Symbol, Integer);
        @input pub struct Last(Symbol, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Connected(pub Symbol, pub Integer, pub Integer);
        @output pub struct Touches(pub Symbol, pub Integer, pub Integer);
        @output pub struct Win(pub Symbol);

        Touches(p, x, y) <- Stone(p, x), Stone(p, y), Adjacent(x, y);
        Connected(p, x, x) <- Stone(p, x);
        Connected(p, x, z) <- Connected(p, x, y), Touches(p, y, z);
        Win(p) <- Connected(p, x, y), First(p, x), Last(p, y);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        first: &[(Symbol, Integer)],
        last: &[(Symbol, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Connected>, RowSet<Touches>, RowSet<Win>) {
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
        @output pub struct Connected(pub Symbol, pub Integer, pub Integer);
        @output pub struct Touches(pub Symbol, pub Integer, pub Integer);
        @output pub struct Win(pub Symbol);

        Touches(p, x, y) <- Stone(p, x), Adjacent(x, y), Stone(p, y);
        Connected(p, x, x) <- Stone(p, x);
        Connected(p, x, z) <- Connected(p, x, y), Touches(p, y, z);
        Win(p) <- First(p, x), Connected(p, x, y), Last(p, y);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        first: &[(Symbol, Integer)],
        last: &[(Symbol, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Connected>, RowSet<Touches>, RowSet<Win>) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(first.iter().map(|&(x0, x1)| First(x0, x1)));
        runtime.extend(last.iter().map(|&(x0, x1)| Last(x0, x1)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}
