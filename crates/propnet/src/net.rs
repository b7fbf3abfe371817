//! The net of a game: for each fact of a state and each move a signal, as a function of the state and the moves made.

mod build;

use crate::closure::ClosureGates;
use crate::graph::{GateGraph, Node, Signal};
use crate::ground::GroundGame;
use build::NetBuilder;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::Role;
use ludolog_syntax::ast::Term;
use std::borrow::Cow;
use std::sync::Arc;

/// A fact that is true in some states.
#[derive(Clone, Debug)]
pub struct NetFact {
    /// The argument of `true`.
    pub term: Term,
    /// The input that says whether it is true.
    pub now: Signal,
    /// Whether it is true in the next state.
    pub next: Signal,
    /// Whether it is true in the first state.
    pub initial: bool,
}

/// A move of a role.
#[derive(Clone, Debug)]
pub struct NetMove {
    /// The second argument of `legal`.
    pub term: Term,
    /// Whether it is legal.
    pub legal: Signal,
    /// The input that says whether it is made.
    pub does: Signal,
}

/// A role.
#[derive(Clone, Debug)]
pub struct NetRole {
    /// Its name.
    pub term: Term,
    /// Its moves that may be legal in some state, in the order of their terms.
    pub moves: Vec<NetMove>,
    /// The move that it makes where another role has the turn, if roles take turns: then it is the only legal move, and
    /// that it is legal is an input or its complement.
    pub idle: Option<usize>,
    /// Its goal values and when they hold, ascending. Goals that are no integers are left out.
    pub goals: Vec<(i64, Signal)>,
    /// What it may see of a joint move and when it does, in the order of the terms; none, if the game hides nothing.
    pub sees: Vec<(Term, Signal)>,
}

/// The part that a role has in a joint move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// It waits for others.
    Idle,
    /// It makes its only move.
    Forced,
    /// It has a choice, or the turn.
    Chooses,
}

impl NetRole {
    /// By move: whether it is legal.
    pub(crate) fn legal(&self) -> Vec<Signal> {
        self.moves.iter().map(|made| made.legal).collect()
    }

    /// The part of the role in a state in which it has this legal move only, by its number; `None` if it has several.
    fn part(&self, only: Option<usize>) -> Part {
        match (self.idle, only) {
            (Some(idle), Some(only)) if idle == only => Part::Idle,
            (Some(_), _) | (None, None) => Part::Chooses,
            (None, Some(only)) => match self.moves[only].term {
                Term::Compound(..) => Part::Forced,
                _ => Part::Idle,
            },
        }
    }
}

/// The net of a game.
///
/// It answers for states that are sets of its facts, and for joint moves of one legal move of each role.
#[derive(Clone, Debug)]
pub struct Net {
    /// The rulesheet, as of [`GroundGame::rulesheet`].
    pub rulesheet: Arc<str>,
    /// The gates.
    pub graph: GateGraph,
    /// The facts of states, in the order of their terms.
    pub facts: Vec<NetFact>,
    /// The facts of every state, which have no part in the gates, in the order of their terms.
    pub constants: Vec<Term>,
    /// The facts of the states that another fact is none of, which has a part in the gates for both: `control(black)`
    /// where `control(white)` is not. The term, and the number of the other fact; in the order of terms.
    pub opposites: Vec<(Term, usize)>,
    /// The roles, in the order of the rulesheet.
    pub roles: Vec<NetRole>,
    /// Whether the state is terminal.
    pub terminal: Signal,
    /// Whether the game hides its states (GDL-II).
    pub hides: bool,
}

/// Why there is no net.
#[derive(Debug)]
pub enum NoNet {
    /// The budget ended.
    Stopped(Stopped),
    /// A ground atom depends on its own negation.
    Cyclic,
    /// There would be more gates than a net is worth.
    TooManyGates,
}

impl From<Stopped> for NoNet {
    fn from(stopped: Stopped) -> Self {
        NoNet::Stopped(stopped)
    }
}

impl Net {
    /// The role that has the turn in a state: the only one that has a choice. Where none has, the only one whose move is more than a
    /// word as `noop`, or the first role if no role's is. `None` if several roles move.
    ///
    /// `only` is the number of the only legal move of a role; `None` if it has several.
    pub fn turn(&self, only: impl Fn(Role) -> Option<usize>) -> Option<Role> {
        let mut most = None;
        let mut moving = None;
        let mut is_alone = true;
        for (role, of) in (0..).map(Role).zip(&self.roles) {
            let part = Some(of.part(only(role)));
            if part > most {
                (most, moving, is_alone) = (part, Some(role), true);
            } else {
                is_alone &= part < most;
            }
        }
        moving.filter(|_| is_alone || most == Some(Part::Idle))
    }

    /// Makes the net of a ground game.
    ///
    /// # Errors
    ///
    /// [`NoNet`].
    pub fn new(game: &GroundGame, budget: &Budget) -> Result<Net, NoNet> {
        NetBuilder::new(game).build(budget)
    }

    /// The same net without closures, as far as [`GateGraph::unrolling`] unrolls them.
    pub fn unrolled(&self) -> Cow<'_, Net> {
        if self.graph.closures().is_empty() {
            return Cow::Borrowed(self);
        }
        let mut graph = GateGraph::unrolling();
        let mut built = self.graph.inputs_in(&mut graph);
        let mut net = self.clone();
        let facts = net.facts.iter_mut().flat_map(|fact| [&mut fact.now, &mut fact.next]);
        let roles = net.roles.iter_mut().flat_map(|role| {
            let moves = role.moves.iter_mut().flat_map(|made| [&mut made.legal, &mut made.does]);
            let sees = role.sees.iter_mut().map(|(_, signal)| signal);
            moves.chain(role.goals.iter_mut().map(|(_, signal)| signal)).chain(sees)
        });
        let signals: Vec<&mut Signal> = facts.chain(roles).chain([&mut net.terminal]).collect();
        let roots: Vec<Signal> = signals.iter().map(|signal| **signal).collect();
        let there = self.graph.build(&roots, &mut graph, &mut built);
        signals.into_iter().zip(there).for_each(|(signal, there)| *signal = there);
        net.graph = graph;
        Cow::Owned(net)
    }

    /// The number of gates, without inputs. A closure has one for each member that its steps read.
    pub fn gates(&self) -> usize {
        let goals = self.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal));
        let legal = self.roles.iter().flat_map(|role| role.moves.iter().map(|made| made.legal));
        let next = self.facts.iter().map(|fact| fact.next);
        let cone = self.graph.cone(goals.chain(legal).chain(next).chain([self.terminal]));
        let gates = cone.iter().filter(|&&node| matches!(self.graph.nodes()[node], Node::And(..) | Node::Xor(..)));
        let is_in = |closure: &&ClosureGates| cone.binary_search(&closure.first).is_ok();
        gates.count() + self.graph.closures().iter().filter(is_in).map(ClosureGates::reads).sum::<usize>()
    }
}
