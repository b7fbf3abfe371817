//! Playouts that see the ends of a game one move ahead, as gates.
//!
//! Decisive and anti-decisive moves are those of Teytaud and Teytaud, *On the huge benefit of decisive moves in
//! Monte-Carlo tree search algorithms* (2010): a move that ends the game won is made, and one that lets the opponent
//! make such a move is not. Both are functions of the state, so lanes compute them with the rest of a ply: the gates of
//! the next state are built again for each move, with the move made, and share what the move does not change. Where
//! several roles choose at once a move is looked at as if the others made none, in games in which each fact follows from the
//! moves of one role, as on two boards.

use crate::graph::{GateGraph, Signal};
use crate::net::{Net, NetRole};
use ludolog_engine::{Budget, Stopped};
use std::fmt;

/// Most gates of a net that looks ahead, as a multiple of its own: beyond this, playouts see more but are too few.
const MAX_GROWTH: usize = 16;

/// Most gates walked through to build them: moves of a net times its nodes. One costs some nanoseconds.
const MAX_WORK: usize = 100_000_000;

/// The choice of moves in a playout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlayoutPolicy {
    /// Any legal move, all with the same chance.
    #[default]
    Uniform,
    /// A decisive move where there is one: it ends the game with the best goal of its role. Else one that leaves the
    /// opponent no decisive move, where there is one; else any. Not for games in which roles choose at once and decide a
    /// fact of the next state together.
    Cautious,
}

impl PlayoutPolicy {
    /// All of them, in the order of what they cost.
    pub const ALL: [PlayoutPolicy; 2] = [PlayoutPolicy::Uniform, PlayoutPolicy::Cautious];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            PlayoutPolicy::Uniform => "uniform",
            PlayoutPolicy::Cautious => "cautious",
        }
    }
}

impl fmt::Display for PlayoutPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The moves that end a game at once, as gates over the facts of a state.
pub struct Foresight<'n> {
    net: &'n Net,
    graph: GateGraph,
    /// By fact.
    inputs: Vec<Signal>,
    /// By role and move: whether it is legal, ends the game, and brings the best goal. Never for the idle move.
    decisive: Vec<Vec<Signal>>,
    /// By role: whether one of its moves does.
    any: Vec<Signal>,
    /// Whether several roles have a choice in the first state.
    is_at_once: bool,
}

impl<'n> Foresight<'n> {
    /// Looks one move ahead in the states of a net.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Unsupported`], where that takes too many gates.
    pub fn new(net: &'n Net, budget: &Budget) -> Result<Self, Stopped> {
        let moves: usize = net.roles.iter().map(|role| role.moves.len()).sum();
        if moves.saturating_mul(net.graph.nodes().len()) > MAX_WORK {
            return Err(too_many_gates());
        }
        let is_at_once = choose_at_once(net);
        if is_at_once && !act_apart(net) {
            let why = "playouts do not look ahead where facts follow from what several roles choose at once";
            return Err(Stopped::Unsupported(why.to_owned()));
        }
        let mut graph = GateGraph::for_lanes();
        let inputs: Vec<Signal> = net.facts.iter().map(|_| graph.input()).collect();
        let now = given(net, &inputs);
        let mut decisive = Vec::with_capacity(net.roles.len());
        for role in 0..net.roles.len() {
            decisive.push(self::decisive(net, &mut graph, &now, (role, is_at_once), budget)?);
        }
        let any = decisive.iter().map(|moves| graph.any(moves.iter().copied())).collect();
        Ok(Foresight { net, graph, inputs, decisive, any, is_at_once })
    }

    /// By role and move: whether it is decisive, where facts have these signals in another graph.
    pub fn decisive(&self, there: &mut GateGraph, facts: &[Signal]) -> Vec<Vec<Signal>> {
        let mut built = self.at(facts);
        self.decisive.iter().map(|moves| self.graph.build(moves, there, &mut built)).collect()
    }

    /// By role and move: whether it is legal in the turn of the role, and leaves no other role a decisive move. Never
    /// for the idle move.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn safe(&self, there: &mut GateGraph, facts: &[Signal], budget: &Budget) -> Result<Vec<Vec<Signal>>, Stopped> {
        let now = given(self.net, facts);
        let mut safe = Vec::with_capacity(self.net.roles.len());
        for role in 0..self.net.roles.len() {
            let mut others = self.any.clone();
            others.remove(role);
            let leaves_none = |there: &mut GateGraph, next: &[Signal]| {
                let threats = self.graph.build(&others, there, &mut self.at(next));
                !there.any(threats)
            };
            safe.push(by_move(self.net, there, &now, (role, self.is_at_once), budget, leaves_none)?);
        }
        Ok(safe)
    }

    /// The signals that inputs have there.
    fn at(&self, facts: &[Signal]) -> Vec<Option<Signal>> {
        let mut built = vec![None; self.graph.nodes().len()];
        self.inputs.iter().zip(facts).for_each(|(input, &fact)| built[input.node()] = Some(fact));
        built
    }
}

/// The signals of facts, by node of the net.
fn given(net: &Net, facts: &[Signal]) -> Vec<Option<Signal>> {
    let mut built = vec![None; net.graph.nodes().len()];
    net.facts.iter().zip(facts).for_each(|(fact, &signal)| built[fact.now.node()] = Some(signal));
    built
}

fn decisive(
    net: &Net,
    there: &mut GateGraph,
    now: &[Option<Signal>],
    (role, is_at_once): (usize, bool),
    budget: &Budget,
) -> Result<Vec<Signal>, Stopped> {
    let Some(&(_, best)) = net.roles[role].goals.last() else {
        return Ok(vec![Signal::FALSE; net.roles[role].moves.len()]);
    };
    by_move(net, there, now, (role, is_at_once), budget, |there, next| {
        let ends = net.graph.build(&[net.terminal, best], there, &mut given(net, next));
        there.all(ends)
    })
}

/// By move of a role: whether it is legal in its turn, and the facts that follow are as asked for. Never for the idle
/// move. Where roles choose at once, it is always the turn of each.
fn by_move(
    net: &Net,
    there: &mut GateGraph,
    now: &[Option<Signal>],
    (role, is_at_once): (usize, bool),
    budget: &Budget,
    mut asked: impl FnMut(&mut GateGraph, &[Signal]) -> Signal,
) -> Result<Vec<Signal>, Stopped> {
    let legal = net.graph.build(&net.roles[role].legal(), there, &mut now.to_vec());
    let has_turn = if is_at_once { constant(true) } else { has_turn(net, there, now, role) };
    let mut found = Vec::with_capacity(legal.len());
    for (number, legal) in legal.into_iter().enumerate() {
        let active = there.and(legal, has_turn);
        if active == Signal::FALSE || net.roles[role].idle == Some(number) {
            found.push(Signal::FALSE);
            continue;
        }
        let next = next(net, there, now, (role, number), is_at_once);
        let asked = asked(there, &next);
        found.push(there.and(active, asked));
        budget.check()?;
        if there.nodes().len() > MAX_GROWTH * net.graph.nodes().len() {
            return Err(too_many_gates());
        }
    }
    Ok(found)
}

fn too_many_gates() -> Stopped {
    Stopped::Unsupported("playouts that look ahead in this game would have too many gates".to_owned())
}

/// Whether no other role has a choice.
fn has_turn(net: &Net, there: &mut GateGraph, now: &[Option<Signal>], role: usize) -> Signal {
    let mut built = now.to_vec();
    if let Some(idle) = net.roles[role].idle {
        return !net.graph.build(&[net.roles[role].moves[idle].legal], there, &mut built)[0];
    }
    let mut choices = Vec::new();
    for other in net.roles.iter().enumerate().filter(|(place, _)| *place != role).map(|(_, other)| other) {
        let legal = net.graph.build(&other.legal(), there, &mut built);
        choices.push(has_choice(there, &legal));
    }
    !there.any(choices)
}

/// Whether more than one of some moves is legal.
fn has_choice(there: &mut GateGraph, legal: &[Signal]) -> Signal {
    let mut any = Signal::FALSE;
    let mut pairs = Vec::with_capacity(legal.len());
    for &legal in legal {
        pairs.push(there.and(any, legal));
        any = there.or(any, legal);
    }
    there.any(pairs)
}

/// Whether several roles have a choice in the first state.
fn choose_at_once(net: &Net) -> bool {
    let mut there = GateGraph::for_lanes();
    let initial: Vec<Signal> = net.facts.iter().map(|fact| constant(fact.initial)).collect();
    let mut built = given(net, &initial);
    let legal = net.roles.iter().map(|role| net.graph.build(&role.legal(), &mut there, &mut built));
    let choosers = legal.filter(|legal| legal.iter().filter(|&&legal| legal == constant(true)).count() > 1);
    choosers.count() > 1
}

/// Whether each fact follows from the moves of one role at most, so that a role sees what its move does without those of
/// the others.
fn act_apart(net: &Net) -> bool {
    let mut is_owned = vec![false; net.facts.len()];
    net.roles.iter().all(|role| {
        let inputs = role.moves.iter().map(|made| made.does).filter(|does| !does.is_constant());
        let follows = net.graph.dependent_on(inputs.map(Signal::node));
        let mut facts = net.facts.iter().zip(&mut is_owned).filter(|(fact, _)| follows[fact.next.node()]);
        facts.all(|(_, is_owned)| !std::mem::replace(is_owned, true))
    })
}

/// By fact: whether it holds in the next state, if a role makes a legal move, and the others their only one, or none where
/// roles choose at once.
fn next(
    net: &Net,
    there: &mut GateGraph,
    now: &[Option<Signal>],
    (role, number): (usize, usize),
    is_at_once: bool,
) -> Vec<Signal> {
    let NetRole { moves, idle, .. } = &net.roles[role];
    let mut built = now.to_vec();
    // What the legal move is a conjunction of is not assumed: gates that all moves share would be others for each.
    let has_turn = idle.map(|idle| !moves[idle].legal);
    for signal in has_turn.into_iter().chain([moves[number].legal]).filter(|signal| !signal.is_constant()) {
        built[signal.node()] = Some(constant(!signal.is_complemented()));
    }
    for (place, other) in net.roles.iter().enumerate() {
        let legal: Vec<Signal> = match other.idle {
            _ if place == role => (0..other.moves.len()).map(|made| constant(made == number)).collect(),
            Some(idle) => (0..other.moves.len()).map(|made| constant(made == idle)).collect(),
            None if is_at_once => vec![Signal::FALSE; other.moves.len()],
            None => net.graph.build(&other.legal(), there, &mut built),
        };
        for (made, legal) in other.moves.iter().zip(legal) {
            built[made.does.node()] = Some(legal);
        }
    }
    let next: Vec<Signal> = net.facts.iter().map(|fact| fact.next).collect();
    net.graph.build(&next, there, &mut built)
}

fn constant(holds: bool) -> Signal {
    Signal::FALSE.complemented(holds)
}
