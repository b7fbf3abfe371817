//! The meaning of facts, proved of all states by induction, over a net of points and turn in place of facts.

use super::game::PointGame;
use super::products::{Product, Products, disjuncts};
use super::{Meaning, MeaningFacts, NotPositional, WinningSets, because, text, value};
use ludolog_propnet::graph::{GateGraph, Node, Signal};
use ludolog_syntax::budget::Budget;
use rustc_hash::FxHashSet;

/// Most inputs of a truth table.
const MAX_INPUTS: usize = 12;

/// The net over points and turn in place of facts.
pub struct PointNet<'g> {
    game: &'g PointGame<'g>,
    facts: &'g MeaningFacts,
    graph: GateGraph,
    /// By point: that X and that O has claimed it.
    claimed: Vec<[Signal; 2]>,
    /// That it is X's turn.
    turn: Signal,
}

/// A state as far as a truth table goes.
type TruthRow<'r> = dyn Fn(Signal) -> bool + 'r;

impl<'g> PointNet<'g> {
    pub fn new(game: &'g PointGame<'g>, facts: &'g MeaningFacts) -> Self {
        let mut graph = GateGraph::unrolling();
        let claimed = game.points.iter().map(|_| [graph.input(), graph.input()]).collect();
        let turn = graph.input();
        PointNet { game, facts, graph, claimed, turn }
    }

    /// Signals of the net in the graph of points, with these moves made.
    fn build(&self, graph: &mut GateGraph, roots: &[Signal], made: &[Signal]) -> Vec<Signal> {
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
        graph: &GateGraph,
        signal: Signal,
        also: &[Signal],
        given: &dyn Fn(&TruthRow<'_>) -> bool,
        expected: &dyn Fn(&TruthRow<'_>) -> bool,
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
    pub fn moves(&self, budget: &Budget) -> Result<(), NotPositional> {
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
                let is_free = |at: &TruthRow<'_>| !at(claimed[0]) && !at(claimed[1]);
                let may = |at: &TruthRow<'_>| at(moves_now(player)) && is_free(at);
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
                    let after = |at: &TruthRow<'_>| match meaning {
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
    fn no_other_moves(&self, graph: &GateGraph, player: usize) -> Result<(), NotPositional> {
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
    pub fn winning_sets(&self) -> Result<WinningSets, NotPositional> {
        let mut sets: WinningSets = Default::default();
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
    pub fn end(&self, sets: &WinningSets) -> Result<(), NotPositional> {
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
    fn is_full(&self, graph: &GateGraph, signal: Signal) -> bool {
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
