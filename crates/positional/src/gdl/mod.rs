//! Positional games found among rulesheets.
//!
//! The rules are read as a net of gates, and the net is asked. Random playouts suggest what each fact of a state says:
//! that a player has claimed a point, that somebody or nobody has, or whose turn it is. That is then proved of all
//! states, by induction: it holds in the first one, and after each legal move by truth tables over the few facts that a
//! fact depends on. Winning sets are the products of the condition under which a role gets its highest goal, and the
//! game must end exactly when one is complete or no point is free. Goals of a loss and of a draw are compared in the
//! playouts alone.
//!
//! * `game`: moves as points, and random playouts: what facts seem to say, and whether goals agree.
//! * `proof`: the induction over all states, winning sets, and the end.
//! * `products`: conditions as sums of products.

mod game;
mod products;
mod proof;

use crate::points::Point;
use crate::position::{Player, Position};
use game::PointGame;
use ludolog_propnet::Net;
use ludolog_propnet::graph::Signal;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::{Syntax, print_term};
use proof::PointNet;
use std::collections::BTreeSet;
use std::fmt;

/// Why a game is not positional, or not seen to be.
#[derive(Clone, Debug, PartialEq)]
pub enum NotPositional {
    /// The reason, in a sentence.
    Because(String),
    /// The budget ends.
    Stopped(Stopped),
}

impl From<Stopped> for NotPositional {
    fn from(stopped: Stopped) -> Self {
        NotPositional::Stopped(stopped)
    }
}

impl fmt::Display for NotPositional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPositional::Because(reason) => write!(f, "the game is not positional: {reason}"),
            NotPositional::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

impl std::error::Error for NotPositional {}

fn because<T>(reason: impl Into<String>) -> Result<T, NotPositional> {
    Err(NotPositional::Because(reason.into()))
}

/// The meaning of a fact of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    /// X or O has claimed the point.
    Claimed(Player, Point),
    /// Somebody has.
    Taken(Point),
    /// It is X's turn.
    Turn,
}

/// The game of a net in its first state. X is the role that moves first.
///
/// # Errors
///
/// [`NotPositional`].
pub fn position(net: &Net, budget: &Budget) -> Result<Position, NotPositional> {
    let game = PointGame::new(net)?;
    let suggested = game.suggest(budget)?;
    let proof = PointNet::new(&game, &suggested);
    proof.moves(budget)?;
    let sets = proof.winning_sets()?;
    let [of_x, of_o] = sets.each_ref().map(|sets| sets.iter().collect::<BTreeSet<_>>());
    if of_x != of_o {
        return because("the roles have different winning sets");
    }
    proof.end(&sets)?;
    game.compare_goals(&sets, budget)?;
    game.position(&suggested, &sets)
}

/// A fact, and whether it is what the meaning says or the opposite.
type MeaningFacts = Vec<(Meaning, bool)>;

/// The winning sets of X and of O.
type WinningSets = [Vec<Vec<Point>>; 2];

fn text(term: &Term) -> String {
    print_term(term, Syntax::Kif)
}

/// The values of all gates in a state, with these moves made.
fn values(net: &Net, facts: &[bool], made: &[Signal]) -> Vec<bool> {
    let mut values = vec![false; net.graph.nodes().len()];
    for (fact, &holds) in net.facts.iter().zip(facts) {
        values[fact.now.node()] = holds ^ fact.now.is_complemented();
    }
    for does in made {
        values[does.node()] = !does.is_complemented();
    }
    net.graph.evaluate(&mut values);
    values
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] ^ signal.is_complemented()
}
