//! All choices of n stones, one a line.
//!
//! Made of `ludolog_formulation::power_set` by `LUDOLOG_UPDATE=1 cargo test --test suite -- twins`, with the subgoals of rules in the
//! order of the text (`none`), and in that of the optimizer (`reordering`).

pub mod none_3 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Line(p, c1, 1), Line(p, c2, 2), Line(p, c3, 3), Adjacent(c1, c2),
            Adjacent(c2, c3);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_3 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c1, e_1), (e_1 == 1), Stone(p, c1), Adjacent(c1, c2), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c2, c3), Stone(p, c3), Line(p, c3, 3);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod none_4 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Stone(p, c4), Line(p, c1, 1), Line(p, c2, 2), Line(p, c3, 3),
            Line(p, c4, 4), Adjacent(c1, c2), Adjacent(c2, c3), Adjacent(c3, c4);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_4 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c1, e_1), (e_1 == 1), Stone(p, c1), Adjacent(c1, c2), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c2, c3), Stone(p, c3), Line(p, c3, 3), Adjacent(c3, c4), Stone(p, c4), Line(p, c4, 4);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod none_5 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Stone(p, c4), Stone(p, c5), Line(p, c1, 1), Line(p, c2, 2),
            Line(p, c3, 3), Line(p, c4, 4), Line(p, c5, 5), Adjacent(c1, c2), Adjacent(c2, c3), Adjacent(c3, c4),
            Adjacent(c4, c5);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_5 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c1, e_1), (e_1 == 1), Stone(p, c1), Adjacent(c1, c2), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c2, c3), Stone(p, c3), Line(p, c3, 3), Adjacent(c3, c4), Stone(p, c4), Line(p, c4, 4),
            Adjacent(c4, c5), Stone(p, c5), Line(p, c5, 5);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod none_7 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Stone(p, c4), Stone(p, c5), Stone(p, c6), Stone(p, c7),
            Line(p, c1, 1), Line(p, c2, 2), Line(p, c3, 3), Line(p, c4, 4), Line(p, c5, 5), Line(p, c6, 6),
            Line(p, c7, 7), Adjacent(c1, c2), Adjacent(c2, c3), Adjacent(c3, c4), Adjacent(c4, c5), Adjacent(c5, c6),
            Adjacent(c6, c7);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_7 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c1, e_1), (e_1 == 1), Stone(p, c1), Adjacent(c1, c2), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c2, c3), Stone(p, c3), Line(p, c3, 3), Adjacent(c3, c4), Stone(p, c4), Line(p, c4, 4),
            Adjacent(c4, c5), Stone(p, c5), Line(p, c5, 5), Adjacent(c5, c6), Stone(p, c6), Line(p, c6, 6),
            Adjacent(c6, c7), Stone(p, c7), Line(p, c7, 7);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod none_9 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Stone(p, c4), Stone(p, c5), Stone(p, c6), Stone(p, c7),
            Stone(p, c8), Stone(p, c9), Line(p, c1, 1), Line(p, c2, 2), Line(p, c3, 3), Line(p, c4, 4), Line(p, c5, 5),
            Line(p, c6, 6), Line(p, c7, 7), Line(p, c8, 8), Line(p, c9, 9), Adjacent(c1, c2), Adjacent(c2, c3),
            Adjacent(c3, c4), Adjacent(c4, c5), Adjacent(c5, c6), Adjacent(c6, c7), Adjacent(c7, c8), Adjacent(c8, c9);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_9 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c1, e_1), (e_1 == 1), Stone(p, c1), Adjacent(c1, c2), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c2, c3), Stone(p, c3), Line(p, c3, 3), Adjacent(c3, c4), Stone(p, c4), Line(p, c4, 4),
            Adjacent(c4, c5), Stone(p, c5), Line(p, c5, 5), Adjacent(c5, c6), Stone(p, c6), Line(p, c6, 6),
            Adjacent(c6, c7), Stone(p, c7), Line(p, c7, 7), Adjacent(c7, c8), Stone(p, c8), Line(p, c8, 8),
            Adjacent(c8, c9), Stone(p, c9), Line(p, c9, 9);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod none_11 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Stone(p, c1), Stone(p, c2), Stone(p, c3), Stone(p, c4), Stone(p, c5), Stone(p, c6), Stone(p, c7),
            Stone(p, c8), Stone(p, c9), Stone(p, c10), Stone(p, c11), Line(p, c1, 1), Line(p, c2, 2), Line(p, c3, 3),
            Line(p, c4, 4), Line(p, c5, 5), Line(p, c6, 6), Line(p, c7, 7), Line(p, c8, 8), Line(p, c9, 9),
            Line(p, c10, 10), Line(p, c11, 11), Adjacent(c1, c2), Adjacent(c2, c3), Adjacent(c3, c4), Adjacent(c4, c5),
            Adjacent(c5, c6), Adjacent(c6, c7), Adjacent(c7, c8), Adjacent(c8, c9), Adjacent(c9, c10),
            Adjacent(c10, c11);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}

pub mod reordering_11 {
    use super::super::term::{Integer, RowSet, Symbol};
    use crepe::crepe;

    crepe! {
        @input pub struct Adjacent(Integer, Integer);
        @input pub struct Line(Symbol, Integer, Integer);
        @input pub struct Stone(Symbol, Integer);
        @output pub struct Win(pub Symbol);

        Win(p) <-
            Line(p, c10, e_1), (e_1 == 10), Stone(p, c10), Line(p, c11, 11), Stone(p, c11), Adjacent(c10, c11),
            Adjacent(c9, c10), Stone(p, c9), Line(p, c9, 9), Adjacent(c8, c9), Stone(p, c8), Line(p, c8, 8),
            Adjacent(c7, c8), Stone(p, c7), Line(p, c7, 7), Adjacent(c6, c7), Stone(p, c6), Line(p, c6, 6),
            Adjacent(c5, c6), Stone(p, c5), Line(p, c5, 5), Adjacent(c4, c5), Stone(p, c4), Line(p, c4, 4),
            Adjacent(c3, c4), Stone(p, c3), Line(p, c3, 3), Adjacent(c2, c3), Stone(p, c2), Line(p, c2, 2),
            Adjacent(c1, c2), Stone(p, c1), Line(p, c1, 1);
    }

    /// Derives the rows.
    pub fn run(
        adjacent: &[(Integer, Integer)],
        line: &[(Symbol, Integer, Integer)],
        stone: &[(Symbol, Integer)],
    ) -> (RowSet<Win>,) {
        let mut runtime = Crepe::new();
        runtime.extend(adjacent.iter().map(|&(x0, x1)| Adjacent(x0, x1)));
        runtime.extend(line.iter().map(|&(x0, x1, x2)| Line(x0, x1, x2)));
        runtime.extend(stone.iter().map(|&(x0, x1)| Stone(x0, x1)));
        runtime.run_with_hasher()
    }
}
