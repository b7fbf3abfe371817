//! The formulations as crepe programs: crepe compiles Datalog rules into Rust, so the rules run as machine code.
//!
//! Each module is one formulation: its docs quote the rules, and it has two programs, with the subgoals in the naive
//! order and in the order of their bindings. [`board_rules`] does the same for the relations of the board, which are
//! derived in the run or, with grounding, before it. A compiled program cannot be interrupted.
//!
//! Three properties of crepe 0.2 matter here: its output is in random order, so it is sorted; a variable of `for x in
//! …` counts as unbound in later atoms, so no rule has one; and unless it is told otherwise it hashes rows against attackers, which takes
//! most of its time.

pub mod board_rules;
pub mod connected;
pub mod follow_the_line;
pub mod power_set;
pub mod reachability;

use board_rules::BoardRelations;
use ludolog_hex::board::Player;
use ludolog_hex::position::Position;
use ludolog_syntax::ast::{Atom, Term};
use rustc_hash::FxBuildHasher;

/// A formulation as compiled programs.
#[derive(Debug)]
pub struct Compiled {
    /// Subgoals in the order of the rule text.
    naive: Judge,
    /// Subgoals in the order of their bindings.
    reordered: Judge,
    /// Lists the derived facts; `None` if the programs represent their relations differently from the rule text.
    facts: Option<Facts>,
    /// Whether there is a program for the board of a position.
    fits: fn(&Position) -> bool,
}

/// Computes the winners of a position.
type Judge = fn(&BoardRelations, &Position) -> Vec<Player>;

/// Lists the facts of a formulation's own predicates.
type Facts = fn(&BoardRelations, &Position) -> Vec<Atom>;

impl Compiled {
    /// Whether there is a program for boards of this size.
    pub fn fits(&self, position: &Position) -> bool {
        (self.fits)(position)
    }

    /// A function that computes the winners, red first. With `grounding`, the relations of the board are derived now
    /// instead of in the function; with `reordering`, it uses the programs in the order of the bindings. `None` if no
    /// program [`fits`](Compiled::fits).
    pub fn prepare<'a>(
        &self,
        grounding: bool,
        reordering: bool,
        position: &'a Position,
    ) -> Option<impl Fn() -> Vec<Player> + use<'a>> {
        if !self.fits(position) {
            return None;
        }
        let (board, derive, judge): (_, fn(_) -> _, _) = if reordering {
            (position.board(), board_rules::reordered, self.reordered)
        } else {
            (position.board(), board_rules::naive, self.naive)
        };
        // Both orders derive the same relations.
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

    /// All facts that the rule text derives, sorted. `None` if no program fits, or if the programs represent their
    /// relations differently from the rule text.
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

/// Expands to a runtime of the enclosing module's program, with the given input relations loaded.
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

/// Defines a function that runs the enclosing module's program on the given inputs and returns the winners.
macro_rules! winners {
    ($($relation:ident)*) => {
        pub fn win(board: &BoardRelations, position: &Position) -> Vec<Player> {
            let (.., win) = load!(board, position: $($relation)*).run_with_hasher::<FxBuildHasher>();
            win.into_iter().map(|Win(player)| player).collect()
        }
    };
}

use {load, winners};
