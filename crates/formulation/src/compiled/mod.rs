//! The formulations written for crepe, which compiles Datalog rules into Rust: the same rules, as machine code.
//!
//! Each module is one formulation, with the rules of `rules/` quoted above it, as two programs: the subgoals in the naive
//! order, and in the order of their bindings. [`board_rules`] does the same for the relations of the board, which are
//! either derived or, with grounding, there from the start. A compiled program cannot be interrupted.
//!
//! Two traps of crepe 0.2 are kept out: its output comes in random order, so it is sorted here; and a variable of
//! `for x in …` counts as unbound in the atoms that follow, so no rule here has one.

pub mod board_rules;
pub mod connected;
pub mod follow_the_line;
pub mod power_set;
pub mod reachability;

use board_rules::BoardRelations;
use ludolog_hex::board::Player;
use ludolog_hex::position::Position;
use ludolog_syntax::ast::{Atom, Term};

/// A formulation as compiled programs.
#[derive(Debug)]
pub struct Compiled {
    /// Subgoals in the order of the rule text.
    naive: Judge,
    /// Subgoals in the order of their bindings.
    reordered: Judge,
    facts: Option<Facts>,
    fits: fn(&Position) -> bool,
}

/// Says who has won.
type Judge = fn(&BoardRelations, &Position) -> Vec<Player>;

/// Lists the facts of a formulation's own predicates.
type Facts = fn(&BoardRelations, &Position) -> Vec<Atom>;

impl Compiled {
    /// Whether there is a program for boards of this size.
    pub fn fits(&self, position: &Position) -> bool {
        (self.fits)(position)
    }

    /// What is to be timed: a run that says who has won, red first. `grounding` derives the relations of the board
    /// beforehand, `reordering` takes the programs with the better order. `None` where none [`fits`](Compiled::fits).
    pub fn prepare<'a>(
        &self,
        grounding: bool,
        reordering: bool,
        position: &'a Position,
    ) -> Option<impl Fn() -> Vec<Player> + use<'a>> {
        if !self.fits(position) {
            return None;
        }
        let (board, derive, judge): (_, fn(_) -> _, _) = match reordering {
            false => (position.board(), board_rules::naive, self.naive),
            true => (position.board(), board_rules::reordered, self.reordered),
        };
        // What is derived beforehand is the same in either order.
        let given = grounding.then(|| board_rules::reordered(board));
        Some(move || {
            let mut winners = match &given {
                Some(relations) => judge(relations, position),
                None => judge(&derive(board), position),
            };
            winners.sort();
            winners
        })
    }

    /// Every fact that the rule text derives, sorted. `None` where no program fits, or when the programs keep something else
    /// than the text does.
    pub fn facts(&self, position: &Position) -> Option<Vec<Atom>> {
        let facts = self.facts.filter(|_| self.fits(position))?;
        let relations = board_rules::reordered(position.board());
        let mut atoms = facts(&relations, position);
        atoms.extend(relations.atoms());
        atoms.sort_by(|a, b| (&a.predicate, &a.args).cmp(&(&b.predicate, &b.args)));
        Some(atoms)
    }
}

fn atom<const N: usize>(predicate: &str, args: [Term; N]) -> Atom {
    Atom::new(predicate, args.into())
}

fn number(n: i32) -> Term {
    Term::Integer(i64::from(n))
}

fn symbol(player: Player) -> Term {
    Term::symbol(player.name())
}

/// A runtime of the program of the module around it, with these of its input relations loaded.
macro_rules! load {
    ($board:ident, $position:ident: $($relation:ident)*) => {{
        let mut runtime = Crepe::new();
        $(load!(runtime $board $position $relation);)*
        runtime
    }};
    ($runtime:ident $board:ident $position:ident Stone) => {
        $runtime.extend($position.stones().map(|(p, cell)| Stone(p, cell.number() as i32)))
    };
    ($runtime:ident $board:ident $position:ident Adjacent) => {
        $runtime.extend($board.adjacent.iter().map(|&(x, y)| Adjacent(x, y)))
    };
    ($runtime:ident $board:ident $position:ident Line) => {
        $runtime.extend($board.line.iter().map(|&(p, x, k)| Line(p, x, k)))
    };
    ($runtime:ident $board:ident $position:ident First) => {
        $runtime.extend($board.first.iter().map(|&(p, x)| First(p, x)))
    };
    ($runtime:ident $board:ident $position:ident Last) => {
        $runtime.extend($board.last.iter().map(|&(p, x)| Last(p, x)))
    };
}

/// Defines a function that runs the program of the module around it, with these inputs, for the winners.
macro_rules! winners {
    ($($relation:ident)*) => {
        pub fn win(board: &BoardRelations, position: &Position) -> Vec<Player> {
            let (.., win) = load!(board, position: $($relation)*).run();
            win.into_iter().map(|Win(player)| player).collect()
        }
    };
}

use {load, winners};
