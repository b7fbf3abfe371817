//! Boards among the facts of states: `(cell 1 2 x)` stands on a grid.
//!
//! A predicate is laid out as a grid if two of its arguments are short coordinates (integers, letters, words that end in a
//! number) that determine the others in every state, and the cells that occur fill a fair part of the rectangle. The first
//! coordinate counts columns, the second one rows, from below, as most rulesheets that count have it.

use ludolog_syntax::ast::Term;
use std::collections::{BTreeMap, BTreeSet};

/// Least columns, and least rows.
const LEAST_SIDE: usize = 2;

/// Most columns, and most rows.
const MOST_SIDE: usize = 64;

/// The least share of the rectangle in cells that occur in some state.
const SPARSEST: f64 = 0.25;

/// Longest symbol that is a coordinate as it stands, in bytes.
const LETTERS: usize = 2;

/// Where the facts of a game stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    grids: Vec<Grid>,
}

/// A predicate whose facts stand on a grid.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    functor: String,
    arity: usize,
    /// The places of the two coordinates among the arguments.
    places: [usize; 2],
    columns: Vec<Term>,
    rows: Vec<Term>,
}

/// A state laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct View<'f> {
    /// The grids, of which there may be none.
    pub boards: Vec<Board<'f>>,
    /// The facts that stand on no grid, in order.
    pub others: Vec<&'f Term>,
}

/// A grid with what stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Board<'f> {
    /// The predicate.
    pub name: &'f str,
    /// The coordinates of the columns, from left to right.
    pub columns: &'f [Term],
    /// The coordinates of the rows, from below.
    pub rows: &'f [Term],
    /// By row from below and column: the other arguments; `None` if no fact stands there.
    pub cells: Vec<Option<Vec<&'f Term>>>,
}

impl<'f> Board<'f> {
    /// What stands in a cell.
    pub fn cell(&self, column: usize, row: usize) -> Option<&[&'f Term]> {
        self.cells[row * self.columns.len() + column].as_deref()
    }
}

/// Whether the content of a cell says that it is empty.
pub fn is_blank(content: &Term) -> bool {
    matches!(content, Term::Symbol(name) if ["b", "blank", "empty", "e", "none", "nil", "free"].contains(&&**name))
}

/// The order of a coordinate; `None` if the term is none.
fn coordinate(term: &Term) -> Option<(&str, i64)> {
    match term {
        Term::Integer(number) => Some(("", *number)),
        Term::Symbol(name) => {
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
            match name[letters.len()..].parse() {
                Ok(number) => Some((letters, number)),
                Err(_) => (name.len() <= LETTERS).then_some((&**name, 0)),
            }
        }
        _ => None,
    }
}

fn applied(fact: &Term) -> Option<(&str, &[Term])> {
    match fact {
        Term::Compound(functor, args) => Some((functor, args)),
        _ => None,
    }
}

impl Layout {
    /// The layout of these states of a game. More states show more cells.
    pub fn of(states: &[Vec<Term>]) -> Layout {
        let mut signatures: BTreeSet<(&str, usize)> = BTreeSet::new();
        let facts = states.iter().flatten().filter_map(applied).filter(|(_, args)| args.len() > 2);
        signatures.extend(facts.map(|(functor, args)| (functor, args.len())));
        let grids = signatures.into_iter().filter_map(|(functor, arity)| {
            let places = (0..arity).flat_map(|x| (x + 1..arity).map(move |y| [x, y]));
            let grids = places.filter_map(|places| Grid::of(states, functor, arity, places));
            // The fullest, and the first of those.
            let best = grids.reduce(|best, grid| if grid.1 > best.1 { grid } else { best });
            best.map(|(grid, _)| grid)
        });
        Layout { grids: grids.collect() }
    }

    /// Lays out a state.
    pub fn view<'f>(&'f self, facts: &'f [Term]) -> View<'f> {
        let mut view = View { boards: self.grids.iter().map(Grid::board).collect(), others: Vec::new() };
        for fact in facts {
            let stands = self.grids.iter().zip(&mut view.boards).any(|(grid, board)| grid.place(fact, board));
            if !stands {
                view.others.push(fact);
            }
        }
        view
    }
}

impl Grid {
    /// The grid of a predicate by these coordinates, if it is one, with the share of the rectangle that is in use.
    fn of(states: &[Vec<Term>], functor: &str, arity: usize, places: [usize; 2]) -> Option<(Grid, f64)> {
        let mut cells: BTreeSet<[(&str, i64); 2]> = BTreeSet::new();
        let mut sides: [BTreeMap<(&str, i64), &Term>; 2] = Default::default();
        for state in states {
            let mut here = BTreeSet::new();
            for (_, args) in
                state.iter().filter_map(applied).filter(|(name, args)| *name == functor && args.len() == arity)
            {
                let cell = [coordinate(&args[places[0]])?, coordinate(&args[places[1]])?];
                if !here.insert(cell) {
                    return None;
                }
                for side in 0..2 {
                    sides[side].insert(cell[side], &args[places[side]]);
                }
            }
            cells.append(&mut here);
        }
        let fits = sides.iter().all(|side| (LEAST_SIDE..=MOST_SIDE).contains(&side.len()));
        let share = cells.len() as f64 / (sides[0].len() * sides[1].len()).max(1) as f64;
        if !fits || share < SPARSEST {
            return None;
        }
        let [columns, rows] = sides.map(|side| side.into_values().cloned().collect());
        Some((Grid { functor: functor.to_owned(), arity, places, columns, rows }, share))
    }

    fn board(&self) -> Board<'_> {
        let cells = vec![None; self.columns.len() * self.rows.len()];
        Board { name: &self.functor, columns: &self.columns, rows: &self.rows, cells }
    }

    /// Places a fact, if it stands on this grid.
    fn place<'f>(&'f self, fact: &'f Term, board: &mut Board<'f>) -> bool {
        let Some((_, args)) = applied(fact).filter(|(name, args)| *name == self.functor && args.len() == self.arity)
        else {
            return false;
        };
        let [x, y] = self.places;
        let column = self.columns.iter().position(|column| *column == args[x]);
        let row = self.rows.iter().position(|row| *row == args[y]);
        let Some((column, row)) = column.zip(row) else { return false };
        let content = (0..self.arity).filter(|place| !self.places.contains(place)).map(|place| &args[place]).collect();
        let cell = &mut board.cells[row * self.columns.len() + column];
        // A state that the layout was not made from may have two facts for one cell.
        let is_free = cell.is_none();
        if is_free {
            *cell = Some(content);
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Vec<Term> {
        text.split_whitespace().map(|fact| fact.parse().expect("a term")).collect()
    }

    fn shown(board: &Board) -> Vec<String> {
        let row = |row: usize| {
            let cell = |column| board.cell(column, row).map_or("-".to_owned(), |cell| cell[0].to_string());
            (0..board.columns.len()).map(cell).collect::<Vec<_>>().join("")
        };
        (0..board.rows.len()).rev().map(row).collect()
    }

    #[test]
    fn cells_stand_where_their_coordinates_say() {
        let state = facts("cell(1,1,x) cell(2,1,b) cell(1,2,o) cell(2,2,b) cell(3,2,x) control(x)");
        let states = [state];
        let layout = Layout::of(&states);
        let view = layout.view(&states[0]);
        assert_eq!(view.boards.len(), 1);
        assert_eq!(shown(&view.boards[0]), ["obx", "xb-"]);
        assert_eq!(view.others, [&"control(x)".parse::<Term>().unwrap()]);
    }

    #[test]
    fn letters_and_numbered_words_are_coordinates_in_their_order() {
        let states = [facts("at(k,b,10) at(q,a,9) at(r,a,10)"), facts("at(k,b,9)")];
        let layout = Layout::of(&states);
        let view = layout.view(&states[0]);
        assert_eq!(shown(&view.boards[0]), ["rk", "q-"]);
        let states = [facts("on(x10,y1,a) on(x9,y2,b)")];
        let layout = Layout::of(&states);
        assert_eq!(layout.view(&states[0]).boards[0].columns, ["x9".parse().unwrap(), "x10".parse().unwrap()]);
    }

    #[test]
    fn what_is_no_board_is_a_list() {
        // Two contents in one cell, one row, coordinates that are words, pairs, a sparse rectangle.
        for state in [
            "f(1,1,1) f(1,1,2) f(1,2,1) f(1,2,2) f(2,1,1) f(2,1,2) f(2,2,1) f(2,2,2)",
            "f(1,1,x) f(2,1,x)",
            "f(alpha,beta,gamma) f(delta,epsilon,gamma)",
            "f(1,1) f(2,2)",
            "f(1,1,a) f(2,2,a) f(3,3,a) f(4,4,a) f(5,5,a)",
        ] {
            let states = [facts(state)];
            let view_of = Layout::of(&states);
            assert_eq!(view_of.view(&states[0]).boards, [], "{state}");
            assert_eq!(view_of.view(&states[0]).others.len(), states[0].len(), "{state}");
        }
    }
}
