//! Boards among the facts of states: `(cell 1 2 x)` stands on a grid.
//!
//! A predicate is laid out as a grid if two of its arguments are short coordinates (integers, letters, words that end
//! in a number) that determine the others in every state, and the cells that occur fill a fair part of the rectangle.
//! The first coordinate counts columns, the second one rows, from below, as most rulesheets that count have it; but of
//! a letter and a number the letter counts columns. Where two coordinates determine too little and three do, the third
//! one counts layers, a board each. A name of a cell, `a1` in `(cell a1 x)`, is two coordinates in one argument. Pairs
//! of numbers, `(peg 1 2)`, say by themselves what stands in a cell. Pairs and layers need to fill more of the
//! rectangle, since most such facts are something else.

use crate::canonical;
use crate::contract::StateMachine;
use crate::draw::Draw;
use ludolog_engine::Budget;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use std::collections::BTreeSet;

/// Least columns, and least rows.
const LEAST_SIDE: usize = 2;

/// Least columns, and least rows, of a grid of pairs.
const LEAST_SIDE_OF_PAIRS: usize = 3;

/// Most columns, and most rows.
const MOST_SIDE: usize = 64;

/// Most layers.
const MOST_LAYERS: usize = 8;

/// The least share of the rectangle in cells that occur in some state.
const SPARSEST: f64 = 0.25;

/// The same of grids of pairs or with layers, which are rarer. A triangle of five rows has three fifths.
const SPARSEST_OF_RARE: f64 = 0.55;

/// The least number of facts in some state: one fact is a place on a board, not a board.
const LEAST_FACTS: usize = 2;

/// Longest symbol that is a coordinate as it stands, in bytes.
const LETTERS: usize = 2;

/// Random playouts that show the cells of a game, and most joint moves of each.
const PLAYOUTS: usize = 6;
const MAX_STEPS: usize = 150;

/// The places of the facts of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactPlaces {
    grids: Vec<Grid>,
}

/// A predicate whose facts stand on a grid.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    functor: String,
    arity: usize,
    /// The places of the coordinates: column, row, and layer if there are layers.
    axes: Vec<Axis>,
    columns: Vec<Term>,
    rows: Vec<Term>,
    layers: Vec<Term>,
    /// By layer, row and column: whether the cell is on the board.
    is_on: Vec<bool>,
    /// The content of empty cells.
    blanks: Vec<Term>,
}

/// The place of a coordinate: an argument, as a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    place: usize,
    part: ArgumentPart,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ArgumentPart {
    Whole,
    /// The letters at the beginning of the name of a cell.
    Letters,
    /// The number at its end.
    Number,
}

impl Axis {
    /// The coordinate of a fact with these arguments; `None` if it has none here.
    fn of(self, args: &[Term]) -> Option<Term> {
        let term = &args[self.place];
        let (letters, number) = coordinate(term)?;
        let has_number = |name: &str| (1..=LETTERS).contains(&letters.len()) && letters.len() < name.len();
        let is_name = matches!(term, Term::Symbol(name) if has_number(name));
        match self.part {
            ArgumentPart::Whole => Some(term.clone()),
            ArgumentPart::Letters => is_name.then(|| Term::symbol(letters)),
            ArgumentPart::Number => is_name.then_some(Term::Integer(number)),
        }
    }
}

/// A state laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct GridView<'f> {
    /// The grids, of which there may be none.
    pub boards: Vec<GridLayer<'f>>,
    /// The facts that stand on no grid, in order.
    pub others: Vec<&'f Term>,
}

/// A grid, or a layer of one, with what stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct GridLayer<'f> {
    /// The predicate.
    pub name: &'f str,
    /// The coordinate of the layer, if there are layers.
    pub layer: Option<&'f Term>,
    /// The coordinates of the columns, from left to right.
    pub columns: &'f [Term],
    /// The coordinates of the rows, from below.
    pub rows: &'f [Term],
    /// By row from below and column: the other arguments; `None` if no fact stands there.
    pub cells: Vec<Option<Vec<&'f Term>>>,
    /// By row from below and column: whether the cell is on the board, as far as that is known.
    is_on: &'f [bool],
    /// The content of empty cells.
    blanks: &'f [Term],
}

impl<'f> GridLayer<'f> {
    /// The content of a cell.
    pub fn cell(&self, column: usize, row: usize) -> Option<&[&'f Term]> {
        self.cells[row * self.columns.len() + column].as_deref()
    }

    /// The name of the board: the predicate, with the layer.
    pub fn title(&self) -> String {
        match self.layer {
            Some(layer) => format!("{} {}", self.name, canonical::text(layer)),
            None => self.name.to_owned(),
        }
    }

    /// The text of what stands in a cell: the other arguments in KIF, or the predicate if there are none.
    pub fn text(&self, content: &[&Term]) -> String {
        match content {
            [] => self.name.to_owned(),
            _ => content.iter().map(|term| canonical::text(term)).collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether what stands in a cell says that it is empty.
    pub fn is_blank(&self, content: &[&Term]) -> bool {
        matches!(content, [term] if self.blanks.contains(term))
    }

    /// Whether a cell is on the board. Where empty cells are said to be empty, those of which nothing is said are not.
    pub fn is_on(&self, column: usize, row: usize) -> bool {
        let says_blank = || self.cells.iter().flatten().any(|content| self.is_blank(content));
        self.is_on[row * self.columns.len() + column] && (self.cell(column, row).is_some() || !says_blank())
    }
}

/// Words that say of a cell that it is empty.
pub(crate) const BLANK: [&str; 5] = ["blank", "empty", "none", "nil", "free"];

/// The content that says of cells that they are empty, among all contents. A letter says so where no word does; beside
/// `w`, which is white, `b` is black.
fn blanks(contents: &BTreeSet<&Term>) -> Vec<Term> {
    let symbols = |names: &[&str]| -> Vec<Term> {
        names.iter().map(|name| Term::symbol(name)).filter(|term| contents.contains(term)).collect()
    };
    let words = symbols(&BLANK);
    let has_white = contents.contains(&Term::symbol("w"));
    if words.is_empty() { symbols(if has_white { &["e"] } else { &["b", "e"] }) } else { words }
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

/// The coordinates of a fact with these arguments; `None` if one is none.
fn coordinates(args: &[Term], axes: &[Axis]) -> Option<Vec<Term>> {
    axes.iter().map(|axis| axis.of(args)).collect()
}

fn applied(fact: &Term) -> Option<(&str, &[Term])> {
    match fact {
        Term::Compound(functor, args) => Some((functor, args)),
        _ => None,
    }
}

impl FactPlaces {
    /// The layout of these states of a game. More states show more cells; `possible` are facts that may hold in others,
    /// among which are all that can stand on a board if there are any.
    pub fn of(states: &[Vec<Term>], possible: &[Term]) -> FactPlaces {
        let mut signatures: BTreeSet<(&str, usize)> = BTreeSet::new();
        let facts = states.iter().flatten().filter_map(applied).filter(|(_, args)| args.len() > 1);
        signatures.extend(facts.map(|(functor, args)| (functor, args.len())));
        let best = |functor: &str, arity: usize, axes: Vec<Vec<Axis>>| {
            let grids = axes.into_iter().filter_map(|axes| Grid::of(states, possible, functor, arity, axes));
            // The fullest, and the first of those.
            grids.reduce(|best, grid| if grid.1 > best.1 { grid } else { best })
        };
        let whole = |place| Axis { place, part: ArgumentPart::Whole };
        let named = |place| [ArgumentPart::Letters, ArgumentPart::Number].map(|part| Axis { place, part }).to_vec();
        let grids = signatures.into_iter().filter_map(|(functor, arity)| {
            let pairs = (0..arity).flat_map(|x| (x + 1..arity).map(move |y| [x, y].map(whole).to_vec()));
            let found = best(functor, arity, pairs.collect());
            let found = found.or_else(|| best(functor, arity, (0..arity).map(named).collect()));
            let found = found.or_else(|| {
                let starts = if arity > 3 { 0..arity - 2 } else { 0..0 };
                best(functor, arity, starts.map(|x| [x, x + 1, x + 2].map(whole).to_vec()).collect())
            });
            found.map(|(grid, _)| grid)
        });
        FactPlaces { grids: grids.collect() }
    }

    /// The layout of a game by the states of some random playouts, with those states; by as many as are found within
    /// the budget.
    pub fn sample(machine: &mut dyn StateMachine, possible: &[Term], budget: &Budget) -> (FactPlaces, Vec<Vec<Term>>) {
        let mut draw = Draw::new(1);
        let mut states = vec![machine.facts(machine.initial_state())];
        machine.set_budget(budget.clone());
        for _ in 0..PLAYOUTS {
            let mut state = machine.initial_state().clone();
            for _ in 0..MAX_STEPS {
                let is_over = budget.check().is_err() || machine.is_terminal(&state).unwrap_or(true);
                let legal = if is_over { Err(()) } else { machine.all_legal_moves(&[state.clone()]).map_err(|_| ()) };
                let Ok([legal]) = legal.as_deref() else { break };
                if legal.iter().any(Vec::is_empty) {
                    break;
                }
                let joint: Vec<_> = legal.iter().map(|moves| moves[draw.below(moves.len())]).collect();
                let Ok(next) = machine.next_state(&state, &joint) else { break };
                states.push(machine.facts(&next));
                state = next;
            }
        }
        (FactPlaces::of(&states, possible), states)
    }

    /// Lays out a state.
    pub fn view<'f>(&'f self, facts: &'f [Term]) -> GridView<'f> {
        let mut boards: Vec<Vec<GridLayer>> = self.grids.iter().map(Grid::boards).collect();
        let mut others = Vec::new();
        for fact in facts {
            let stands = self.grids.iter().zip(&mut boards).any(|(grid, boards)| grid.place(fact, boards));
            if !stands {
                others.push(fact);
            }
        }
        GridView { boards: boards.into_iter().flatten().collect(), others }
    }
}

/// A coordinate with its terms.
type Coordinate = (Axis, BTreeSet<Term>);

/// Orders coordinates: columns, rows, layers. Layers are those that differ from two others in number, or else the last
/// ones; a letter counts columns if the other coordinate is a number.
fn order(sides: &mut [Coordinate]) {
    if let [first, second, third] = sides
        && second.1.len() == third.1.len()
        && first.1.len() != second.1.len()
    {
        sides.rotate_left(1);
    }
    let is_number = |(_, side): &Coordinate| side.iter().all(|term| matches!(term, Term::Integer(_)));
    if is_number(&sides[0]) && !is_number(&sides[1]) {
        sides.swap(0, 1);
    }
}

impl Grid {
    /// The grid of a predicate by these coordinates, if it is one, with the share of the rectangle that is in use.
    fn of(
        states: &[Vec<Term>],
        possible: &[Term],
        functor: &str,
        arity: usize,
        axes: Vec<Axis>,
    ) -> Option<(Grid, f64)> {
        let arguments = |fact| applied(fact).filter(|(name, args)| *name == functor && args.len() == arity);
        let mut cells: BTreeSet<Vec<Term>> = BTreeSet::new();
        let mut most = 0;
        for state in states {
            let mut here = BTreeSet::new();
            for (_, args) in state.iter().filter_map(arguments) {
                if !here.insert(coordinates(args, &axes)?) {
                    return None;
                }
            }
            most = most.max(here.len());
            cells.append(&mut here);
        }
        for (_, args) in possible.iter().filter_map(arguments) {
            cells.insert(coordinates(args, &axes)?);
        }
        let side = |(number, &axis): (usize, &Axis)| {
            (axis, cells.iter().map(|cell: &Vec<Term>| cell[number].clone()).collect())
        };
        let mut sides: Vec<Coordinate> = axes.iter().enumerate().map(side).collect();
        let is_pair = arity == 2 && axes[0].place != axes[1].place;
        let least = if is_pair { LEAST_SIDE_OF_PAIRS } else { LEAST_SIDE };
        let sparsest = if is_pair || sides.len() > 2 { SPARSEST_OF_RARE } else { SPARSEST };
        let fits = sides.iter().all(|(_, side)| (least..=MOST_SIDE).contains(&side.len()));
        let is_plain = |term| coordinate(term).is_some_and(|(word, number)| word.is_empty() || number == 0);
        let share = cells.len() as f64 / sides.iter().map(|(_, side)| side.len()).product::<usize>().max(1) as f64;
        let is_plain = !is_pair || sides.iter().flat_map(|(_, side)| side).all(is_plain);
        if !fits || !is_plain || share < sparsest || most < LEAST_FACTS {
            return None;
        }
        order(&mut sides);
        if sides.get(2).is_some_and(|(_, layers)| layers.len() > MOST_LAYERS) {
            return None;
        }
        let axes: Vec<Axis> = sides.iter().map(|(axis, _)| *axis).collect();
        let mut terms = sides.into_iter().map(|(_, side)| {
            let mut terms: Vec<Term> = side.into_iter().collect();
            terms.cold_sort_by(|a, b| coordinate(a).cmp(&coordinate(b)));
            terms
        });
        let mut side = || terms.next().unwrap_or_default();
        let columns = side();
        let rows = side();
        let layers = side();
        let is_on = vec![possible.is_empty(); columns.len() * rows.len() * layers.len().max(1)];
        let mut grid =
            Grid { functor: functor.to_owned(), arity, axes, columns, rows, layers, is_on, blanks: Vec::new() };
        let contents = states.iter().flatten().filter_map(arguments).map(|(_, args)| grid.content(args));
        grid.blanks = blanks(&contents.filter_map(|content| <[&Term; 1]>::try_from(content).ok()).flatten().collect());
        for (_, args) in possible.iter().filter_map(arguments) {
            let (layer, cell) = grid.cell(args)?;
            grid.is_on[layer * grid.columns.len() * grid.rows.len() + cell] = true;
        }
        Some((grid, share))
    }

    /// The board, or the boards of all layers, without anything on them.
    fn boards(&self) -> Vec<GridLayer<'_>> {
        let count = self.columns.len() * self.rows.len();
        let board = |(number, is_on)| {
            let layer = self.layers.get(number);
            let cells = vec![None; count];
            GridLayer {
                name: &self.functor,
                layer,
                columns: &self.columns,
                rows: &self.rows,
                cells,
                is_on,
                blanks: &self.blanks,
            }
        };
        self.is_on.chunks(count).enumerate().map(board).collect()
    }

    /// The layer and the cell of a fact with these arguments, if it stands on this grid.
    fn cell(&self, args: &[Term]) -> Option<(usize, usize)> {
        let at = |side: &[Term], axis: Axis| {
            let coordinate = axis.of(args)?;
            side.iter().position(|other| *other == coordinate)
        };
        let column = at(&self.columns, self.axes[0])?;
        let row = at(&self.rows, self.axes[1])?;
        let layer = self.axes.get(2).map_or(Some(0), |&axis| at(&self.layers, axis))?;
        Some((layer, row * self.columns.len() + column))
    }

    /// The arguments that are no coordinates.
    fn content<'f>(&self, args: &'f [Term]) -> Vec<&'f Term> {
        let is_content = |place: &usize| self.axes.iter().all(|axis| axis.place != *place);
        (0..self.arity).filter(is_content).map(|place| &args[place]).collect()
    }

    /// Places a fact, if it stands on this grid.
    fn place<'f>(&'f self, fact: &'f Term, boards: &mut [GridLayer<'f>]) -> bool {
        let Some((_, args)) = applied(fact).filter(|(name, args)| *name == self.functor && args.len() == self.arity)
        else {
            return false;
        };
        let Some((layer, cell)) = self.cell(args) else { return false };
        let content = self.content(args);
        let cell = &mut boards[layer].cells[cell];
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

    fn shown(board: &GridLayer) -> Vec<String> {
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
        let layout = FactPlaces::of(&states, &[]);
        let view = layout.view(&states[0]);
        assert_eq!(view.boards.len(), 1);
        assert_eq!(shown(&view.boards[0]), ["obx", "xb-"]);
        assert_eq!(view.others, [&"control(x)".parse::<Term>().unwrap()]);
    }

    #[test]
    fn letters_and_numbered_words_are_coordinates_in_their_order() {
        let states = [facts("at(k,b,10) at(q,a,9) at(r,a,10)"), facts("at(k,b,9)")];
        let layout = FactPlaces::of(&states, &[]);
        let view = layout.view(&states[0]);
        assert_eq!(shown(&view.boards[0]), ["rk", "q-"]);
        let states = [facts("on(x10,y1,a) on(x9,y2,b)")];
        let layout = FactPlaces::of(&states, &[]);
        assert_eq!(layout.view(&states[0]).boards[0].columns, ["x9".parse().unwrap(), "x10".parse().unwrap()]);
    }

    #[test]
    fn letters_are_columns_and_third_coordinates_layers() {
        let states = [facts("cell(1,a,x) cell(2,a,b) cell(1,b,o) cell(2,b,b)")];
        let layout = FactPlaces::of(&states, &[]);
        assert_eq!(shown(&layout.view(&states[0]).boards[0]), ["bb", "xo"]);
        let states = [facts("mark(1,1,1,x) mark(2,1,1,o) mark(1,2,1,o) mark(2,2,1,x) mark(1,1,2,x)")];
        let layout = FactPlaces::of(&states, &[]);
        let boards = layout.view(&states[0]).boards;
        assert_eq!(boards.iter().map(GridLayer::title).collect::<Vec<_>>(), ["mark 1", "mark 2"]);
        assert_eq!([shown(&boards[0]), shown(&boards[1])], [["ox", "xo"], ["--", "x-"]]);
    }

    #[test]
    fn names_of_cells_are_two_coordinates() {
        let states = [facts("cell(a1,x) cell(b1,o) cell(a2,b) cell(b2,x) cell(a10,o) cell(b10,b)")];
        let layout = FactPlaces::of(&states, &[]);
        let board = &layout.view(&states[0]).boards[0];
        assert_eq!(
            (shown(board), board.rows[2].clone()),
            (vec!["ob".into(), "bx".into(), "xo".into()], Term::Integer(10))
        );
        let words = [facts("on(disc1,disc2) on(disc2,disc3) on(p1,x) on(p2,x)")];
        assert_eq!(FactPlaces::of(&words, &[]).view(&words[0]).boards, []);
    }

    #[test]
    fn what_says_that_cells_are_empty() {
        let empty = |text: &str| {
            let states = [facts(text)];
            let layout = FactPlaces::of(&states, &[]);
            let board = &layout.view(&states[0]).boards[0];
            board.cells.iter().flatten().filter(|content| board.is_blank(content)).count()
        };
        assert_eq!(empty("cell(1,1,x) cell(2,1,b) cell(1,2,o) cell(2,2,b)"), 2);
        assert_eq!(empty("cell(1,1,w) cell(2,1,b) cell(1,2,w) cell(2,2,b)"), 0);
        assert_eq!(empty("cell(1,1,r) cell(2,1,b) cell(1,2,empty) cell(2,2,b)"), 1);
    }

    #[test]
    fn pairs_that_fill_a_triangle_are_a_board() {
        let states = [facts("peg(1,1) peg(2,1) peg(2,2) peg(3,1) peg(3,2) peg(3,3)")];
        let layout = FactPlaces::of(&states, &[]);
        let board = &layout.view(&states[0]).boards[0];
        assert_eq!((board.text(board.cell(2, 2).unwrap()), board.cell(0, 2)), ("peg".to_owned(), None));
        assert!(board.is_on(0, 2));
        // Where all that is possible is known, the rest of the rectangle is no part of the board.
        let layout = FactPlaces::of(&[facts("peg(1,1) peg(2,1)")], &states[0]);
        let board = &layout.view(&[]).boards[0];
        assert!(board.is_on(2, 0) && !board.is_on(0, 2));
    }

    #[test]
    fn what_is_no_board_is_a_list() {
        // Two contents in one cell, one row, coordinates that are words, pairs on a diagonal, pairs in words, a sparse
        // rectangle, a single fact.
        for state in [
            "f(1,1,1) f(1,1,2) f(1,2,1) f(1,2,2) f(2,1,1) f(2,1,2) f(2,2,1) f(2,2,2)",
            "f(1,1,x) f(2,1,x)",
            "f(alpha,beta,gamma) f(delta,epsilon,gamma)",
            "f(1,1) f(2,2) f(3,3) f(4,4)",
            "f(r1,c1) f(r1,c2) f(r1,c3) f(r2,c1) f(r2,c2) f(r2,c3) f(r3,c1) f(r3,c2) f(r3,c3)",
            "f(1,1,a)",
            "f(1,1,a) f(2,2,a) f(3,3,a) f(4,4,a) f(5,5,a)",
        ] {
            let states = [facts(state)];
            let view_of = FactPlaces::of(&states, &[]);
            assert_eq!(view_of.view(&states[0]).boards, [], "{state}");
            assert_eq!(view_of.view(&states[0]).others.len(), states[0].len(), "{state}");
        }
    }
}
