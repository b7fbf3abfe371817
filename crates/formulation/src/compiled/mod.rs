//! The formulations as crepe programs: crepe compiles Datalog rules into Rust, so the rules run as machine code.
//!
//! The other files are made from `rules/` by the room `compile`: one for each formulation, and `board` for the relations of the board.
//! Each has a module for each order of the subgoals: `none` that of the text, `reordering` that of the optimizer. With grounding the
//! relations of the board are derived before the run. A compiled program cannot be interrupted.
//!
//! * `follow_the_line` is written by hand: it is no translation of its text.
//! * `term` belongs to all crates of the room; `term/integer` is the one file of it that differs here.

#[allow(clippy::type_complexity, reason = "a result for each relation")]
mod board;
mod connected;
mod follow_the_line;
mod power_set;
mod reachability;
#[allow(dead_code, reason = "a program needs little of it")]
mod term;

use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Term};
use std::sync::LazyLock;
use term::{Integer, RowSet, Symbol, symbol};

/// A formulation as compiled programs.
#[derive(Debug)]
pub struct Compiled {
    /// Finds the programs for a board; `None` if there are none.
    programs: fn(Board) -> Option<Programs>,
}

/// The programs of a formulation.
struct Programs {
    /// Subgoals in the order of the text.
    none: Judge,
    /// Subgoals in the order of the optimizer.
    reordering: Judge,
    /// Lists the derived facts; `None` if the program stands for a text with other relations.
    facts: Option<Lister>,
}

/// Computes the winners of a position.
type Judge = fn(&Relations, &[Stone]) -> Vec<Symbol>;

/// Lists the facts of a formulation's own predicates.
type Lister = fn(&Relations, &[Stone]) -> Vec<Atom>;

/// A player with a cell of one of its stones.
type Stone = (Symbol, Integer);

/// The relations of the board that formulations read.
struct Relations {
    adjacent: Vec<(Integer, Integer)>,
    first: Vec<(Symbol, Integer)>,
    last: Vec<(Symbol, Integer)>,
    line: Vec<(Symbol, Integer, Integer)>,
}

/// The function that derives the relations of a board with the subgoals in one order.
macro_rules! relations {
    ($order:ident) => {
        |board| {
            use board::$order::{Adjacent, First, Last, Line, run};
            let [cell, columns, rows] = geometry(board);
            let (adjacent, _, first, _, last, _, line, _) = run(&cell, &columns, &rows);
            Relations {
                adjacent: adjacent.into_iter().map(|Adjacent(x, y)| (x, y)).collect(),
                first: first.into_iter().map(|First(p, x)| (p, x)).collect(),
                last: last.into_iter().map(|Last(p, x)| (p, x)).collect(),
                line: line.into_iter().map(|Line(p, x, k)| (p, x, k)).collect(),
            }
        }
    };
}

const AS_WRITTEN: fn(Board) -> Relations = relations!(none);
const REORDERED: fn(Board) -> Relations = relations!(reordering);

/// The function that computes the winners by a program.
macro_rules! judge {
    ($formulation:ident::$program:ident: $($relation:ident)*) => {
        |board, stones| {
            use $formulation::$program::{Win, run};
            let (.., win) = run($(&board.$relation,)* stones);
            win.into_iter().map(|Win(player)| player).collect()
        }
    };
}

/// The formulation `reachability`.
pub const REACHABILITY: Compiled = Compiled {
    programs: |_| {
        Some(Programs {
            none: judge!(reachability::none: adjacent first last),
            reordering: judge!(reachability::reordering: adjacent first last),
            facts: Some(|board, stones| {
                use reachability::reordering::{Reach, Win, run};
                let (reach, win) = run(&board.adjacent, &board.first, &board.last, stones);
                let reach = atoms("reach", reach, |Reach(p, c)| [p.into(), c.into()]);
                [reach, atoms("win", win, |Win(p)| [p.into()])].concat()
            }),
        })
    },
};

/// The formulation `connected`.
pub const CONNECTED: Compiled = Compiled {
    programs: |_| {
        Some(Programs {
            none: judge!(connected::none: adjacent first last),
            reordering: judge!(connected::reordering: adjacent first last),
            facts: Some(|board, stones| {
                use connected::reordering::{Connected, Touches, Win, run};
                let (connected, touches, win) = run(&board.adjacent, &board.first, &board.last, stones);
                let connected = atoms("connected", connected, |Connected(p, x, y)| [p.into(), x.into(), y.into()]);
                let touches = atoms("touches", touches, |Touches(p, x, y)| [p.into(), x.into(), y.into()]);
                [connected, touches, atoms("win", win, |Win(p)| [p.into()])].concat()
            }),
        })
    },
};

/// The formulation `cluster`, by the program of `connected`: crepe has no transitions, and a cluster is the set of stones connected
/// with one stone.
pub const CLUSTER: Compiled =
    Compiled { programs: |board| (CONNECTED.programs)(board).map(|programs| Programs { facts: None, ..programs }) };

/// The formulation `follow-the-line`, for boards whose cells are as many as the bits of a set.
pub const FOLLOW_THE_LINE: Compiled = Compiled {
    programs: |board| {
        (board.len() <= u128::BITS as usize).then_some(Programs {
            none: judge!(follow_the_line::none: adjacent first last),
            reordering: judge!(follow_the_line::reordering: adjacent first last),
            facts: None,
        })
    },
};

/// The programs of the power set by the sides of square boards.
macro_rules! power_set {
    ($board:ident: $($side:literal $none:ident $reordering:ident)*) => {
        match ($board.width(), $board.height()) {
            $(($side, $side) => Some(Programs {
                none: judge!(power_set::$none: adjacent line),
                reordering: judge!(power_set::$reordering: adjacent line),
                facts: Some(|board, stones| {
                    use power_set::$reordering::{Win, run};
                    let (win,) = run(&board.adjacent, &board.line, stones);
                    atoms("win", win, |Win(p)| [p.into()])
                }),
            }),)*
            _ => None,
        }
    };
}

/// The formulation `power-set`, for square boards of the benchmark's sides.
pub const POWER_SET: Compiled = Compiled {
    programs: |board| {
        power_set!(board: 3 none_3 reordering_3 4 none_4 reordering_4 5 none_5 reordering_5 7 none_7 reordering_7
            9 none_9 reordering_9 11 none_11 reordering_11)
    },
};

impl Compiled {
    /// Whether there are programs for boards of this size.
    pub fn fits(&self, position: &Position) -> bool {
        (self.programs)(position.board()).is_some()
    }

    /// A function that computes the winners, red first. With `grounding`, the relations of the board are derived now
    /// instead of in the function; with `reordering`, it uses the programs in the order of the optimizer. `None` if no
    /// program [`fits`](Compiled::fits).
    pub fn prepare<'a>(
        &self,
        grounding: bool,
        reordering: bool,
        position: &'a Position,
    ) -> Option<impl Fn() -> Vec<Player> + use<'a>> {
        let board = position.board();
        let programs = (self.programs)(board)?;
        let (derive, judge) = if reordering { (REORDERED, programs.reordering) } else { (AS_WRITTEN, programs.none) };
        // Both orders derive the same relations.
        let given = grounding.then(|| REORDERED(board));
        Some(move || {
            let stones = stones(position);
            let winners = match &given {
                Some(relations) => judge(relations, &stones),
                None => judge(&derive(board), &stones),
            };
            Player::BOTH.into_iter().filter(|player| winners.contains(&player_symbol(*player))).collect()
        })
    }

    /// All facts that the rule text derives, sorted. `None` if no program fits, or if the programs have other relations than the
    /// rule text.
    pub fn facts(&self, position: &Position) -> Option<Vec<Atom>> {
        let board = position.board();
        let list = (self.programs)(board)?.facts?;
        let mut atoms = list(&REORDERED(board), &stones(position));
        atoms.extend(board_facts(board));
        atoms.cold_sort_by(|a, b| (&a.predicate, &a.args).cmp(&(&b.predicate, &b.args)));
        Some(atoms)
    }
}

/// The cells, the number of columns, and that of rows, as rows.
fn geometry(board: Board) -> [Vec<(Integer,)>; 3] {
    let cells = board.cells().map(|cell| (cell.number() as Integer,)).collect();
    [cells, vec![(board.width() as Integer,)], vec![(board.height() as Integer,)]]
}

/// The stones of a position, as rows.
fn stones(position: &Position) -> Vec<Stone> {
    let mut stones = Vec::with_capacity(position.board().len());
    stones.extend(position.stones().map(|(player, cell)| (player_symbol(player), cell.number() as Integer)));
    stones
}

fn player_symbol(player: Player) -> Symbol {
    static SYMBOLS: LazyLock<[Symbol; 2]> = LazyLock::new(|| Player::BOTH.map(|player| symbol(player.name())));
    let [red, blue] = *SYMBOLS;
    if player == Player::Red { red } else { blue }
}

/// The facts that the rules of the board derive.
fn board_facts(board: Board) -> Vec<Atom> {
    use board::reordering::{Adjacent, Column, First, FirstColumn, Last, LastColumn, Line, Row, run};
    let [cell, columns, rows] = geometry(board);
    let (adjacent, column, first, first_column, last, last_column, line, row) = run(&cell, &columns, &rows);
    [
        atoms("adjacent", adjacent, |Adjacent(x, y)| [x.into(), y.into()]),
        atoms("column", column, |Column(x, c)| [x.into(), c.into()]),
        atoms("first", first, |First(p, x)| [p.into(), x.into()]),
        atoms("first_column", first_column, |FirstColumn(x)| [x.into()]),
        atoms("last", last, |Last(p, x)| [p.into(), x.into()]),
        atoms("last_column", last_column, |LastColumn(x)| [x.into()]),
        atoms("line", line, |Line(p, x, k)| [p.into(), x.into(), k.into()]),
        atoms("row", row, |Row(x, r)| [x.into(), r.into()]),
    ]
    .concat()
}

/// The rows of a predicate as facts.
fn atoms<R, const N: usize>(predicate: &str, rows: RowSet<R>, terms: impl Fn(R) -> [term::Term; N]) -> Vec<Atom> {
    rows.into_iter().map(|row| Atom::new(predicate, terms(row).map(ast).into())).collect()
}

fn ast(term: term::Term) -> Term {
    match term {
        term::Term::Integer(integer) => Term::Integer(integer.into()),
        term::Term::Symbol(symbol) => Term::symbol(symbol.text()),
        term::Term::Compound(compound) => {
            Term::compound(compound.functor().text(), compound.args().iter().map(|arg| ast(*arg)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_derive_the_board() {
        for (width, height) in [(1, 1), (1, 4), (4, 1), (2, 2), (3, 5), (9, 9)] {
            let board = Board::new(width, height).unwrap();
            let mut expected: Vec<(Integer, Integer)> = board
                .cells()
                .flat_map(|x| board.neighbors(x).map(move |y| (x.number() as Integer, y.number() as Integer)))
                .collect();
            expected.sort();
            for derive in [AS_WRITTEN, REORDERED] {
                let Relations { mut adjacent, first, last, .. } = derive(board);
                adjacent.sort();
                assert_eq!(adjacent, expected, "{board}");
                for player in Player::BOTH {
                    let on =
                        |edge: &[(Symbol, Integer)]| edge.iter().filter(|(p, _)| p.text() == player.name()).count();
                    let ends = board.len() / board.lines(player);
                    assert_eq!((on(&first), on(&last)), (ends, ends), "{board}");
                }
            }
        }
    }
}
