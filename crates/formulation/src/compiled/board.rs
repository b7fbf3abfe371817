//! The relations of the board.
//!
//! Made of `rules/lib/hex-board.dl` by `LUDOLOG_UPDATE=1 cargo test --test suite -- twins`, with the subgoals of rules in the
//! order of the text (`none`), and in that of the optimizer (`reordering`).

pub mod none {
    use super::super::term::{Integer, RowSet, Symbol, add, divide, modulo, subtract, symbol};
    use crepe::crepe;
    use std::sync::LazyLock;

    static BLUE: LazyLock<Symbol> = LazyLock::new(|| symbol("blue"));
    static RED: LazyLock<Symbol> = LazyLock::new(|| symbol("red"));

    crepe! {
        @input pub struct Cell(Integer);
        @input pub struct Columns(Integer);
        @input pub struct Rows(Integer);
        @output pub struct Adjacent(pub Integer, pub Integer);
        @output pub struct Column(pub Integer, pub Integer);
        @output pub struct First(pub Symbol, pub Integer);
        @output pub struct FirstColumn(pub Integer);
        @output pub struct Last(pub Symbol, pub Integer);
        @output pub struct LastColumn(pub Integer);
        @output pub struct Line(pub Symbol, pub Integer, pub Integer);
        @output pub struct Row(pub Integer, pub Integer);

        Column(x, c) <- Cell(x), Columns(w), let Some(c) = add(modulo(subtract(x, 1), w), 1);
        Row(x, r) <- Cell(x), Columns(w), let Some(r) = add(divide(subtract(x, 1), w), 1);
        FirstColumn(x) <- Column(x, e_1), (e_1 == 1);
        LastColumn(x) <- Columns(w), Column(x, w);
        Adjacent(x, y) <- Cell(x), Cell(y), let Some(e_1) = add(x, 1), (y == e_1), !LastColumn(x);
        Adjacent(x, y) <- Cell(x), Cell(y), let Some(e_1) = subtract(x, 1), (y == e_1), !FirstColumn(x);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), let Some(e_1) = add(x, w), (y == e_1);
        Adjacent(x, y) <- Cell(x), Cell(y), Columns(w), let Some(e_1) = subtract(x, w), (y == e_1);
        Adjacent(x, y) <-
            Cell(x), Cell(y), Columns(w), let Some(e_1) = subtract(add(x, w), 1), (y == e_1), !FirstColumn(x);
        Adjacent(x, y) <-
            Cell(x), Cell(y), Columns(w), let Some(e_1) = add(subtract(x, w), 1), (y == e_1), !LastColumn(x);
        Line(*RED, x, k) <- Row(x, k);
        Line(*BLUE, x, k) <- Column(x, k);
        First(p, x) <- Line(p, x, e_1), (e_1 == 1);
        Last(*RED, x) <- Rows(h), Row(x, h);
        Last(*BLUE, x) <- Columns(w), Column(x, w);
    }

    /// Derives the rows.
    pub fn run(
        cell: &[(Integer,)],
        columns: &[(Integer,)],
        rows: &[(Integer,)],
    ) -> (
        RowSet<Adjacent>,
        RowSet<Column>,
        RowSet<First>,
        RowSet<FirstColumn>,
        RowSet<Last>,
        RowSet<LastColumn>,
        RowSet<Line>,
        RowSet<Row>,
    ) {
        let mut runtime = Crepe::new();
        runtime.extend(cell.iter().map(|&(x0,)| Cell(x0)));
        runtime.extend(columns.iter().map(|&(x0,)| Columns(x0)));
        runtime.extend(rows.iter().map(|&(x0,)| Rows(x0)));
        runtime.run_with_hasher()
    }
}

pub mod reordering {
    use super::super::term::{Integer, RowSet, Symbol, add, divide, modulo, subtract, symbol};
    use crepe::crepe;
    use std::sync::LazyLock;

    static BLUE: LazyLock<Symbol> = LazyLock::new(|| symbol("blue"));
    static RED: LazyLock<Symbol> = LazyLock::new(|| symbol("red"));

    crepe! {
        @input pub struct Cell(Integer);
        @input pub struct Columns(Integer);
        @input pub struct Rows(Integer);
        @output pub struct Adjacent(pub Integer, pub Integer);
        @output pub struct Column(pub Integer, pub Integer);
        @output pub struct First(pub Symbol, pub Integer);
        @output pub struct FirstColumn(pub Integer);
        @output pub struct Last(pub Symbol, pub Integer);
        @output pub struct LastColumn(pub Integer);
        @output pub struct Line(pub Symbol, pub Integer, pub Integer);
        @output pub struct Row(pub Integer, pub Integer);

        Column(x, c) <- Columns(w), Cell(x), let Some(c) = add(modulo(subtract(x, 1), w), 1);
        Row(x, r) <- Columns(w), Cell(x), let Some(r) = add(divide(subtract(x, 1), w), 1);
        FirstColumn(x) <- Column(x, e_1), (e_1 == 1);
        LastColumn(x) <- Columns(w), Column(x, w);
        Adjacent(x, y) <- Cell(x), let Some(y) = add(x, 1), Cell(y), !LastColumn(x);
        Adjacent(x, y) <- Cell(x), let Some(y) = subtract(x, 1), Cell(y), !FirstColumn(x);
        Adjacent(x, y) <- Columns(w), Cell(x), let Some(y) = add(x, w), Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), let Some(y) = subtract(x, w), Cell(y);
        Adjacent(x, y) <- Columns(w), Cell(x), let Some(y) = subtract(add(x, w), 1), Cell(y), !FirstColumn(x);
        Adjacent(x, y) <- Columns(w), Cell(x), let Some(y) = add(subtract(x, w), 1), Cell(y), !LastColumn(x);
        Line(*RED, x, k) <- Row(x, k);
        Line(*BLUE, x, k) <- Column(x, k);
        First(p, x) <- Line(p, x, e_1), (e_1 == 1);
        Last(*RED, x) <- Rows(h), Row(x, h);
        Last(*BLUE, x) <- Columns(w), Column(x, w);
    }

    /// Derives the rows.
    pub fn run(
        cell: &[(Integer,)],
        columns: &[(Integer,)],
        rows: &[(Integer,)],
    ) -> (
        RowSet<Adjacent>,
        RowSet<Column>,
        RowSet<First>,
        RowSet<FirstColumn>,
        RowSet<Last>,
        RowSet<LastColumn>,
        RowSet<Line>,
        RowSet<Row>,
    ) {
        let mut runtime = Crepe::new();
        runtime.extend(cell.iter().map(|&(x0,)| Cell(x0)));
        runtime.extend(columns.iter().map(|&(x0,)| Columns(x0)));
        runtime.extend(rows.iter().map(|&(x0,)| Rows(x0)));
        runtime.run_with_hasher()
    }
}
