//! Positional games found among rulesheets.
//!
//! The rules are read as a net of gates, and the net is asked. Random playouts suggest what each fact of a state says: that
//! a player has claimed a point, that somebody or nobody has, or whose turn it is. That is then proved of all states, by
//! induction: it holds in the first one, and after each legal move by truth tables over the few facts that a fact depends
//! on. Winning sets are the products of the condition under which a role gets its highest goal, and the game must end
//! exactly when one is complete or no point is free. Goals of a loss and of a draw are compared in the playouts alone.

mod products;

use crate::hypergraph::Hypergraph;
use crate::points::Point;
use crate::position::{Player, Position};
use ludolog_propnet::Net;
use ludolog_propnet::graph::{Graph, Node, Signal};
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::{Syntax, print_term};
use products::{Product, Products, disjuncts};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt;

/// Playouts that suggest what facts say.
const PLAYOUTS: u64 = 64;

/// Most inputs of a truth table.
const MAX_INPUTS: usize = 12;

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

/// What a fact of a state says.
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
    let game = Game::new(net)?;
    let suggested = game.suggest(budget)?;
    let proof = Proof::new(&game, &suggested);
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

/// A net of two roles that take turns, with a point for each move.
struct Game<'n> {
    net: &'n Net,
    /// The role of X and that of O.
    roles: [usize; 2],
    /// The terms of moves.
    points: Vec<&'n Term>,
    /// The move of X and of O that claims a point, by its number among those of the role.
    moves: Vec<[usize; 2]>,
}

/// A fact, and whether it is what the meaning says or the opposite.
type Facts = Vec<(Meaning, bool)>;

/// A state: the values of facts, who has claimed each point, and whether X is to move.
struct State {
    facts: Vec<bool>,
    claimed: Vec<Option<Player>>,
    x_moves: bool,
}

impl<'n> Game<'n> {
    fn new(net: &'n Net) -> Result<Self, NotPositional> {
        if net.roles.len() != 2 {
            return because(format!("it has {} roles, and positional games have two", net.roles.len()));
        }
        if let Some(role) = net.roles.iter().find(|role| role.idle.is_none()) {
            return because(format!("{} does not wait while the other one moves", text(&role.term)));
        }
        let initial: Vec<bool> = net.facts.iter().map(|fact| fact.initial).collect();
        let values = values(net, &initial, &[]);
        let waits = |role: usize| {
            let role = &net.roles[role];
            role.idle.is_some_and(|idle| value(&values, role.moves[idle].legal))
        };
        let roles = match (waits(0), waits(1)) {
            (false, true) => [0, 1],
            (true, false) => [1, 0],
            _ => return because("in its first state not exactly one role moves"),
        };
        let acts = |role: usize, at: &[bool]| -> Vec<usize> {
            let role = &net.roles[roles[role]];
            (0..role.moves.len()).filter(|&made| Some(made) != role.idle && value(at, role.moves[made].legal)).collect()
        };
        // A move of O claims the point of a move of X if that is why it is no longer legal.
        let replies: Vec<(usize, Vec<usize>)> = acts(0, &values)
            .into_iter()
            .map(|made| {
                let waits = net.roles[roles[1]].idle.expect("roles wait");
                let does = [net.roles[roles[0]].moves[made].does, net.roles[roles[1]].moves[waits].does];
                let after = self::values(net, &initial, &does);
                let facts: Vec<bool> = net.facts.iter().map(|fact| value(&after, fact.next)).collect();
                (made, acts(1, &self::values(net, &facts, &[])))
            })
            .collect();
        let of_o: BTreeSet<usize> = replies.iter().flat_map(|(_, legal)| legal.iter().copied()).collect();
        let (mut points, mut moves) = (Vec::new(), Vec::new());
        for (made, legal) in replies {
            let term = &net.roles[roles[0]].moves[made].term;
            let lost: Vec<usize> = of_o.iter().copied().filter(|other| !legal.contains(other)).collect();
            let &[other] = &lost[..] else {
                let role = text(&net.roles[roles[1]].term);
                return because(format!(
                    "{} takes {} moves from {role}, and to claim a point takes one",
                    text(term),
                    lost.len()
                ));
            };
            points.push(term);
            moves.push([made, other]);
        }
        if moves.iter().map(|made| made[1]).collect::<BTreeSet<_>>() != of_o {
            return because("the roles have different moves");
        }
        Ok(Game { net, roles, points, moves })
    }

    fn legal(&self, player: usize, point: usize) -> Signal {
        self.net.roles[self.roles[player]].moves[self.moves[point][player]].legal
    }

    fn does(&self, player: usize, point: usize) -> Signal {
        self.net.roles[self.roles[player]].moves[self.moves[point][player]].does
    }

    /// The signal that a player waits.
    fn waits(&self, player: usize) -> Signal {
        let role = &self.net.roles[self.roles[player]];
        role.moves[role.idle.expect("roles wait")].does
    }

    /// Plays at random, and calls `see` with each state and the values of its gates.
    fn playouts(&self, budget: &Budget, mut see: impl FnMut(&State, &[bool])) -> Result<(), NotPositional> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..PLAYOUTS {
            let facts = self.net.facts.iter().map(|fact| fact.initial).collect();
            let mut state = State { facts, claimed: vec![None; self.points.len()], x_moves: true };
            // A positional game ends when there are no points left.
            for ply in 0..=self.points.len() {
                budget.check()?;
                let at = values(self.net, &state.facts, &[]);
                see(&state, &at);
                if value(&at, self.net.terminal) {
                    break;
                }
                let mover = usize::from(!state.x_moves);
                let legal: Vec<usize> =
                    (0..self.points.len()).filter(|&point| value(&at, self.legal(mover, point))).collect();
                if ply == self.points.len() {
                    return because(
                        "it goes on after as many moves as there are points: moves do not claim points for ever",
                    );
                }
                if legal.is_empty() {
                    return because("a state is not terminal, and the role whose turn it is cannot claim a point");
                }
                // Xorshift (Marsaglia, 2003).
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let point = legal[(random % legal.len() as u64) as usize];
                let made = [self.does(mover, point), self.waits(1 - mover)];
                let after = values(self.net, &state.facts, &made);
                state.facts = self.net.facts.iter().map(|fact| value(&after, fact.next)).collect();
                state.claimed[point] = Some(Player::BOTH[mover]);
                state.x_moves = !state.x_moves;
            }
        }
        Ok(())
    }

    /// What each fact seems to say.
    fn suggest(&self, budget: &Budget) -> Result<Facts, NotPositional> {
        let meanings: Vec<Meaning> = (0..self.points.len() as Point)
            .flat_map(|point| {
                let [x, o] = Player::BOTH.map(|player| Meaning::Claimed(player, point));
                [x, o, Meaning::Taken(point)]
            })
            .chain([Meaning::Turn])
            .collect();
        // The values in all states seen, one after the other.
        let mut of_meanings: Vec<Vec<bool>> = vec![Vec::new(); meanings.len()];
        let mut of_facts: Vec<Vec<bool>> = vec![Vec::new(); self.net.facts.len()];
        self.playouts(budget, |state, _| {
            for (seen, meaning) in of_meanings.iter_mut().zip(&meanings) {
                seen.push(match *meaning {
                    Meaning::Claimed(player, point) => state.claimed[point as usize] == Some(player),
                    Meaning::Taken(point) => state.claimed[point as usize].is_some(),
                    Meaning::Turn => state.x_moves,
                });
            }
            of_facts.iter_mut().zip(&state.facts).for_each(|(seen, &holds)| seen.push(holds));
        })?;
        let known: FxHashMap<&Vec<bool>, Meaning> = of_meanings.iter().zip(meanings.iter().copied()).collect();
        let mut facts = Vec::new();
        for (seen, fact) in of_facts.iter().zip(&self.net.facts) {
            let opposite: Vec<bool> = seen.iter().map(|holds| !holds).collect();
            match (known.get(seen), known.get(&opposite)) {
                (Some(&meaning), _) => facts.push((meaning, true)),
                (_, Some(&meaning)) => facts.push((meaning, false)),
                _ => {
                    let fact = text(&fact.term);
                    return because(format!("{fact} says neither who has claimed a point nor whose turn it is"));
                }
            }
        }
        Ok(facts)
    }

    /// Compares goals with who has a winning set, at the ends of playouts.
    fn compare_goals(&self, sets: &Sets, budget: &Budget) -> Result<(), NotPositional> {
        // Goals of each player, when the player wins, at a draw, and when the other one wins.
        let mut seen: [[BTreeSet<i64>; 3]; 2] = Default::default();
        self.playouts(budget, |state, at| {
            if !value(at, self.net.terminal) {
                return;
            }
            let has_set = |player: Player| {
                let has = |&point: &Point| state.claimed[point as usize] == Some(player);
                sets[player as usize].iter().any(|set| set.iter().all(has))
            };
            let wins = Player::BOTH.map(has_set);
            for player in 0..2 {
                let kind = if wins[player] { 0 } else { 1 + usize::from(wins[1 - player]) };
                let goals = &self.net.roles[self.roles[player]].goals;
                seen[player][kind].extend(goals.iter().filter(|(_, holds)| value(at, *holds)).map(|(goal, _)| *goal));
            }
        })?;
        for (player, kinds) in seen.iter().enumerate() {
            let ordered: Vec<i64> = kinds.iter().rev().flatten().copied().collect();
            if kinds.iter().any(|goals| goals.len() > 1) || !ordered.is_sorted_by(|worse, better| worse < better) {
                let role = text(&self.net.roles[self.roles[player]].term);
                return because(format!("the goals of {role} do not depend on who has won alone, or not in its favor"));
            }
        }
        Ok(())
    }

    /// The position of the first state.
    fn position(&self, facts: &Facts, sets: &Sets) -> Result<Position, NotPositional> {
        let names: Vec<String> = self.points.iter().map(|term| name(term)).collect();
        if names.iter().collect::<FxHashSet<_>>().len() < names.len() {
            return because("two moves have the same name but for punctuation");
        }
        let game = Hypergraph::new(names, sets[0].clone()).map_err(|why| NotPositional::Because(why.to_string()))?;
        let mut position = Position::new(game);
        for (&(meaning, is_so), fact) in facts.iter().zip(&self.net.facts) {
            if let (Meaning::Claimed(player, point), true) = (meaning, fact.initial == is_so) {
                position.claim(player, point);
            }
        }
        Ok(position)
    }
}

/// The winning sets of X and of O.
type Sets = [Vec<Vec<Point>>; 2];

fn text(term: &Term) -> String {
    print_term(term, Syntax::Kif)
}

/// The name of a point: the move without punctuation.
fn name(term: &Term) -> String {
    let text = text(term);
    let words = text.split(|c: char| c.is_whitespace() || "()#:".contains(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
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

/// The net over points and turn in place of facts.
struct Proof<'g> {
    game: &'g Game<'g>,
    facts: &'g Facts,
    graph: Graph,
    /// By point: that X and that O has claimed it.
    claimed: Vec<[Signal; 2]>,
    /// That it is X's turn.
    turn: Signal,
}

/// A state as far as a truth table goes.
type Row<'r> = dyn Fn(Signal) -> bool + 'r;

impl<'g> Proof<'g> {
    fn new(game: &'g Game<'g>, facts: &'g Facts) -> Self {
        let mut graph = Graph::unrolling();
        let claimed = game.points.iter().map(|_| [graph.input(), graph.input()]).collect();
        let turn = graph.input();
        Proof { game, facts, graph, claimed, turn }
    }

    /// Signals of the net in the graph of points, with these moves made.
    fn build(&self, graph: &mut Graph, roots: &[Signal], made: &[Signal]) -> Vec<Signal> {
        let net = self.game.net;
        let mut built = vec![None; net.graph.nodes().len()];
        for role in &net.roles {
            for does in role.moves.iter().map(|made| made.does) {
                let is_made = if made.contains(&does) { Signal::TRUE } else { Signal::FALSE };
                built[does.node()] = Some(is_made.complemented(does.is_complemented()));
            }
        }
        for (fact, &(meaning, is_so)) in net.facts.iter().zip(self.facts) {
            let says = match meaning {
                Meaning::Claimed(player, point) => self.claimed[point as usize][player as usize],
                Meaning::Taken(point) => {
                    let [x, o] = self.claimed[point as usize];
                    graph.or(x, o)
                }
                Meaning::Turn => self.turn,
            };
            built[fact.now.node()] = Some(says.complemented(!is_so ^ fact.now.is_complemented()));
        }
        net.graph.build(roots, graph, &mut built)
    }

    /// Whether a signal is what is expected in all states that are possible; `None` if it depends on too much. `given`
    /// says which states matter.
    fn holds(
        &self,
        graph: &Graph,
        signal: Signal,
        also: &[Signal],
        given: &dyn Fn(&Row<'_>) -> bool,
        expected: &dyn Fn(&Row<'_>) -> bool,
    ) -> Option<bool> {
        let cone = graph.cone([signal].into_iter().chain(also.iter().copied()));
        let inputs: Vec<usize> = cone.iter().copied().filter(|&node| graph.nodes()[node] == Node::Input).collect();
        if inputs.len() > MAX_INPUTS {
            return None;
        }
        if cone.iter().any(|&node| matches!(graph.nodes()[node], Node::Closed(_))) {
            return None;
        }
        let mut values = vec![false; graph.nodes().len()];
        for row in 0..1u32 << inputs.len() {
            inputs.iter().enumerate().for_each(|(i, &node)| values[node] = row >> i & 1 == 1);
            for &node in &cone {
                match graph.nodes()[node] {
                    Node::And(a, b) => values[node] = value(&values, a) && value(&values, b),
                    Node::Xor(a, b) => values[node] = value(&values, a) != value(&values, b),
                    Node::False | Node::Input | Node::Closed(_) => {}
                }
            }
            let at = |signal: Signal| value(&values, signal);
            let is_possible = self.claimed.iter().all(|&[x, o]| !(at(x) && at(o)));
            if is_possible && given(&at) && at(signal) != expected(&at) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Proves that exactly free points may be claimed by whose turn it is, and what becomes of facts then.
    fn moves(&self, budget: &Budget) -> Result<(), NotPositional> {
        let game = self.game;
        let moves_now = |player: usize| self.turn.complemented(player == 1);
        for player in 0..2 {
            let role = &game.net.roles[game.roles[player]];
            let idle = role.moves[role.idle.expect("roles wait")].legal;
            for point in 0..game.points.len() {
                budget.check()?;
                let mut graph = self.graph.clone();
                let claimed = self.claimed[point];
                let also = [claimed[0], claimed[1], self.turn];
                let term = text(game.points[point]);
                let next: Vec<Signal> = game.net.facts.iter().map(|fact| fact.next).collect();
                let roots = [game.legal(player, point), idle];
                let [legal, waits] = self.build(&mut graph, &roots, &[])[..] else { unreachable!("two roots") };
                let next = self.build(&mut graph, &next, &[game.does(player, point), game.waits(1 - player)]);
                let is_free = |at: &Row<'_>| !at(claimed[0]) && !at(claimed[1]);
                let may = |at: &Row<'_>| at(moves_now(player)) && is_free(at);
                if point == 0 {
                    self.no_other_moves(&graph, player)?;
                }
                if self.holds(&graph, legal, &also, &|_| true, &may) != Some(true) {
                    return because(format!("{term} is not legal exactly on a free point by whose turn it is"));
                }
                if point == 0 && self.holds(&graph, waits, &also, &|_| true, &|at| !at(moves_now(player))) != Some(true)
                {
                    return because(format!("{} does not wait exactly while the other one moves", text(&role.term)));
                }
                for ((&signal, &(meaning, is_so)), fact) in next.iter().zip(self.facts).zip(&game.net.facts) {
                    let after = |at: &Row<'_>| match meaning {
                        Meaning::Claimed(of, which) => {
                            (of as usize == player && which as usize == point)
                                || at(self.claimed[which as usize][of as usize])
                        }
                        Meaning::Taken(which) => {
                            let [x, o] = self.claimed[which as usize];
                            which as usize == point || at(x) || at(o)
                        }
                        Meaning::Turn => !at(self.turn),
                    };
                    let mut also = also.to_vec();
                    match meaning {
                        Meaning::Claimed(_, which) | Meaning::Taken(which) => also.extend(self.claimed[which as usize]),
                        Meaning::Turn => {}
                    }
                    if self.holds(&graph, signal, &also, &may, &|at| after(at) == is_so) != Some(true) {
                        let fact = text(&fact.term);
                        return because(format!("{term} changes {fact} otherwise than by claiming a point for ever"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Proves that moves that claim no point are never legal, but for waiting.
    fn no_other_moves(&self, graph: &Graph, player: usize) -> Result<(), NotPositional> {
        let role = &self.game.net.roles[self.game.roles[player]];
        for (made, other) in role.moves.iter().enumerate() {
            if Some(made) == role.idle || self.game.moves.iter().any(|known| known[player] == made) {
                continue;
            }
            let mut graph = graph.clone();
            let legal = self.build(&mut graph, &[other.legal], &[])[0];
            if self.holds(&graph, legal, &[], &|_| true, &|_| false) != Some(true) {
                return because(format!("{} claims no point that is free in the first state", text(&other.term)));
            }
        }
        Ok(())
    }

    /// The sets of points with which X and O get their highest goals.
    fn winning_sets(&self) -> Result<Sets, NotPositional> {
        let mut sets: Sets = Default::default();
        for (player, sets) in sets.iter_mut().enumerate() {
            let role = &self.game.net.roles[self.game.roles[player]];
            let Some(&(goal, signal)) = role.goals.last() else {
                return because(format!("{} has no goals", text(&role.term)));
            };
            let mut graph = self.graph.clone();
            let root = self.build(&mut graph, &[signal], &[])[0];
            let products = Products::new(&self.claimed, &graph).of(root, 0);
            let own = |product: &Product| product.iter().all(|&(of, _)| of == player);
            match products {
                Ok(products) if products.iter().all(own) => {
                    *sets = products
                        .into_iter()
                        .map(|product| product.into_iter().map(|(_, point)| point).collect())
                        .collect();
                }
                _ => {
                    let role = text(&role.term);
                    return because(format!("{role} does not get {goal} for its own points alone"));
                }
            }
            if sets.iter().any(Vec::is_empty) {
                return because(format!("{} has won before the first move", text(&role.term)));
            }
        }
        Ok(sets)
    }

    /// Proves that the game ends exactly when a winning set is complete or no point is free.
    fn end(&self, sets: &Sets) -> Result<(), NotPositional> {
        let mut graph = self.graph.clone();
        let root = self.build(&mut graph, &[self.game.net.terminal], &[])[0];
        let mut ends: Vec<Product> = Vec::new();
        let mut has_full = false;
        for part in disjuncts(&graph, root) {
            if self.is_full(&graph, part) {
                has_full = true;
                continue;
            }
            match Products::new(&self.claimed, &graph).of(part, 0) {
                Ok(products) => ends.extend(products),
                Err(_) => return because("it ends otherwise than by a winning set or for want of free points"),
            }
        }
        let wins: Vec<Product> = (0..2)
            .flat_map(|player| sets[player].iter().map(move |set| set.iter().map(|&point| (player, point)).collect()))
            .collect();
        if !ends.iter().all(|end| wins.iter().any(|win| win.is_subset(end))) {
            return because("it ends before a winning set is complete");
        }
        if !wins.iter().all(|win| ends.iter().any(|end| end.is_subset(win))) {
            return because("it goes on after a winning set is complete");
        }
        if !has_full {
            return because("it does not end when no point is free");
        }
        Ok(())
    }

    /// Whether a signal says that all points are claimed.
    fn is_full(&self, graph: &Graph, signal: Signal) -> bool {
        let mut claimed: FxHashSet<usize> = FxHashSet::default();
        for part in disjuncts(graph, !signal) {
            // The complement of a part of the conjunction.
            let found = (0..self.claimed.len()).find(|&point| {
                let [x, o] = self.claimed[point];
                let inputs = graph.cone([part]);
                inputs.contains(&x.node())
                    && self.holds(graph, !part, &[x, o], &|_| true, &|at| at(x) || at(o)) == Some(true)
            });
            match found {
                Some(point) => _ = claimed.insert(point),
                None => return false,
            }
        }
        claimed.len() == self.claimed.len()
    }
}
