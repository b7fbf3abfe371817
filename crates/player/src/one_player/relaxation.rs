//! The distance of a state from a goal, read off the net: the cost of making each signal hold, and of making it not
//! hold, when nothing that was once achieved is lost.
//!
//! A fact costs nothing while it is as wanted; a move costs one more than its being legal; a conjunction costs the sum
//! of its parts (the additive heuristic of Bonet and Geffner, *Planning as heuristic search*, 2001, here for both
//! values of each signal, so that what can never become false again is known as well). A goal of infinite cost is out
//! of reach. Where a goal is out of reach for facts that stay as they are, one pass over the net tells it of 64 states: each
//! signal has the values that it may have (Kleene's three-valued logic).

use ludolog_game::State;
use ludolog_propnet::Net;
use ludolog_propnet::graph::{Node, Signal};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashMap;

/// A cost that cannot be paid.
const INFINITE: u32 = 1 << 28;

/// Most rounds over the net for one state. Costs that change after as many are far off anyway.
const MAX_ROUNDS: usize = 64;

/// States that are looked at together.
const LANES: usize = 64;

/// Most gates that are evaluated to find which facts stay as they are: less than a tenth of a second's work.
const MAX_WORK: usize = 1 << 25;

/// A signal as a node of the relaxation, doubled, plus one if it is complemented.
type RelaxedEdge = u32;

/// By lane, whether a signal may hold, and whether it may not.
type PossibleValues = [u64; 2];

enum RelaxedGate {
    Input,
    Never,
    And(RelaxedEdge, RelaxedEdge),
    Xor(RelaxedEdge, RelaxedEdge),
}

/// The part of a net that decides about a goal.
pub struct Relaxation {
    /// In an order in which inputs come first.
    gates: Vec<RelaxedGate>,
    /// By fact: its node, and its value in the next state.
    facts: Vec<(u32, RelaxedEdge)>,
    /// By move: its node, and whether it is legal.
    moves: Vec<(u32, RelaxedEdge)>,
    goal: RelaxedEdge,
    /// The facts that the goal is a conjunction of, each with its value: those of its parts that are facts.
    conjuncts: Vec<(usize, bool)>,
    /// By fact: whether it changes by itself, whatever moves are made.
    clocks: Vec<bool>,
    /// By fact: whether it stays as it is once it does not hold, and once it does, whatever moves are made.
    stays: Vec<[bool; 2]>,
    /// By node: the cost of its holding, and of its not holding.
    costs: Vec<[u32; 2]>,
    /// By node: its values in each lane.
    possible: Vec<PossibleValues>,
}

impl Relaxation {
    /// The relaxation of a net of one role for its greatest goal value; `None` if it has no goal, or a closure that is
    /// too large.
    pub fn new(net: &Net) -> Option<(Relaxation, i64)> {
        let net = &net.unrolled();
        let role = net.roles.first()?;
        let &(value, goal) = role.goals.last()?;
        let next = net.facts.iter().map(|fact| fact.next);
        let legal = role.moves.iter().map(|made| made.legal);
        let inputs = net.facts.iter().map(|fact| fact.now).chain(role.moves.iter().map(|made| made.does));
        let mut gates = Vec::new();
        let mut number: FxHashMap<usize, u32> = FxHashMap::default();
        for node in net.graph.cone(next.chain(legal).chain([goal]).chain(inputs)) {
            let edge = |signal: Signal| number[&signal.node()] << 1 | u32::from(signal.is_complemented());
            gates.push(match net.graph.nodes()[node] {
                Node::Closed(_) => return None,
                Node::False => RelaxedGate::Never,
                Node::Input => RelaxedGate::Input,
                Node::And(a, b) => RelaxedGate::And(edge(a), edge(b)),
                Node::Xor(a, b) => RelaxedGate::Xor(edge(a), edge(b)),
            });
            number.insert(node, gates.len() as u32 - 1);
        }
        let edge = |signal: Signal| number[&signal.node()] << 1 | u32::from(signal.is_complemented());
        let facts: Vec<(u32, RelaxedEdge)> =
            net.facts.iter().map(|fact| (number[&fact.now.node()], edge(fact.next))).collect();
        let moves: Vec<(u32, RelaxedEdge)> =
            role.moves.iter().map(|made| (number[&made.does.node()], edge(made.legal))).collect();
        let clocks = clocks(&gates, &facts, &moves);
        let costs = vec![[0; 2]; gates.len()];
        let possible = vec![[u64::MAX; 2]; gates.len()];
        let conjuncts = conjuncts(net, goal);
        let stays = vec![[false; 2]; facts.len()];
        let goal = edge(goal);
        let mut relaxation = Relaxation { goal, gates, facts, moves, conjuncts, clocks, stays, costs, possible };
        relaxation.find_what_stays();
        Some((relaxation, value))
    }

    /// Finds the facts that no move changes any more once they have a value, as far as that is seen of one fact alone.
    fn find_what_stays(&mut self) {
        let passes = 2 * self.facts.len().div_ceil(LANES);
        if passes.saturating_mul(self.gates.len()) > MAX_WORK {
            return;
        }
        for first in (0..self.facts.len()).step_by(LANES) {
            let lanes = first..self.facts.len().min(first + LANES);
            for value in [false, true] {
                // Each lane knows one fact.
                let mut values = vec![[u64::MAX; 2]; self.facts.len()];
                for fact in lanes.clone() {
                    values[fact][usize::from(value)] = !(1 << (fact - first));
                }
                self.evaluate_possible(&values);
                for fact in lanes.clone() {
                    let other = self.possible(self.facts[fact].1)[usize::from(value)];
                    self.stays[fact][usize::from(value)] = other >> (fact - first) & 1 == 0;
                }
            }
        }
    }

    /// By state: whether the goal may still be reached, as far as what stays as it is tells.
    pub fn may_be_reached(&mut self, states: &[State]) -> Vec<bool> {
        let mut may_be = Vec::with_capacity(states.len());
        for states in states.chunks(LANES) {
            let mut values = vec![[u64::MAX; 2]; self.facts.len()];
            for (fact, (values, stays)) in values.iter_mut().zip(&self.stays).enumerate() {
                for (lane, state) in states.iter().enumerate() {
                    let value = usize::from(holds(state, fact));
                    values[value] &= !(u64::from(stays[value]) << lane);
                }
            }
            self.evaluate_possible(&values);
            let goal = self.possible(self.goal)[0];
            may_be.extend((0..states.len()).map(|lane| goal >> lane & 1 == 1));
        }
        may_be
    }

    #[inline]
    fn possible(&self, edge: RelaxedEdge) -> PossibleValues {
        let [holds, fails] = self.possible[(edge >> 1) as usize];
        if edge & 1 == 0 { [holds, fails] } else { [fails, holds] }
    }

    /// Finds the values that signals may have with those of the facts, whatever moves are made; some that they cannot have
    /// are among them.
    fn evaluate_possible(&mut self, facts: &[PossibleValues]) {
        for (&(node, _), &values) in self.facts.iter().zip(facts) {
            self.possible[node as usize] = values;
        }
        for node in 0..self.gates.len() {
            self.possible[node] = match self.gates[node] {
                RelaxedGate::Input => continue,
                RelaxedGate::Never => [0, u64::MAX],
                RelaxedGate::And(a, b) => {
                    let [a, b] = [a, b].map(|edge| self.possible(edge));
                    [a[0] & b[0], a[1] | b[1]]
                }
                RelaxedGate::Xor(a, b) => {
                    let [a, b] = [a, b].map(|edge| self.possible(edge));
                    [a[0] & b[1] | a[1] & b[0], a[0] & b[0] | a[1] & b[1]]
                }
            };
        }
    }

    /// Whether there are facts that change by themselves.
    pub fn has_clocks(&self) -> bool {
        self.clocks.contains(&true)
    }

    /// The state without the facts that change by themselves.
    pub fn without_clocks(&self, state: &State) -> State {
        let mut words = state.words().to_vec();
        for (fact, _) in self.clocks.iter().enumerate().filter(|(_, clock)| **clock) {
            words[fact / 32] &= !(1 << (fact % 32));
        }
        State::of_words(words)
    }

    /// Whether some parts of the goal can be achieved one by one.
    pub fn has_conjuncts(&self) -> bool {
        self.conjuncts.len() > 1
    }

    /// Of the states that can follow a state, and in which the goal is in reach, those that achieve the part of it that fewest of
    /// them achieve.
    pub fn most_constrained(&mut self, state: &State, next: &[State]) -> Vec<usize> {
        let in_reach = self.may_be_reached(next);
        let holds = |state: &State, &(fact, value): &(usize, bool)| holds(state, fact) == value;
        let open = self.conjuncts.iter().filter(|conjunct| !holds(state, conjunct));
        let achievers = open.map(|conjunct| {
            let achieve = |number: &usize| in_reach[*number] && holds(&next[*number], conjunct);
            (0..next.len()).filter(achieve).collect::<Vec<usize>>()
        });
        achievers.min_by_key(Vec::len).unwrap_or_default()
    }

    /// The cost of the goal in a state; `None` if it is out of reach.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first: on a large net that takes as long as a move may.
    pub fn distance(&mut self, state: &State, budget: &Budget) -> Result<Option<u32>, Stopped> {
        self.costs.fill([INFINITE; 2]);
        for (fact, &(node, _)) in self.facts.iter().enumerate() {
            self.costs[node as usize][usize::from(!holds(state, fact))] = 0;
        }
        for &(node, _) in &self.moves {
            self.costs[node as usize] = [INFINITE, 0];
        }
        for _ in 0..MAX_ROUNDS {
            budget.check()?;
            self.evaluate();
            // Nothing costs less.
            if self.cost(self.goal)[0] == 0 {
                break;
            }
            let mut changed = false;
            for &(node, next) in &self.facts {
                let next = self.cost(next);
                for (now, next) in self.costs[node as usize].iter_mut().zip(next) {
                    if next < *now {
                        (*now, changed) = (next, true);
                    }
                }
            }
            for &(node, legal) in &self.moves {
                let cost = (self.cost(legal)[0] + 1).min(INFINITE);
                let known = &mut self.costs[node as usize][0];
                if cost < *known {
                    (*known, changed) = (cost, true);
                }
            }
            if !changed {
                break;
            }
        }
        let cost = self.cost(self.goal)[0];
        Ok((cost < INFINITE).then_some(cost))
    }

    #[inline]
    fn cost(&self, edge: RelaxedEdge) -> [u32; 2] {
        let [holds, fails] = self.costs[(edge >> 1) as usize];
        if edge & 1 == 0 { [holds, fails] } else { [fails, holds] }
    }

    fn evaluate(&mut self) {
        for node in 0..self.gates.len() {
            self.costs[node] = match self.gates[node] {
                RelaxedGate::Input => continue,
                RelaxedGate::Never => [INFINITE, 0],
                RelaxedGate::And(a, b) => {
                    let a = self.cost(a);
                    let b = self.cost(b);
                    [(a[0] + b[0]).min(INFINITE), a[1].min(b[1])]
                }
                RelaxedGate::Xor(a, b) => {
                    let a = self.cost(a);
                    let b = self.cost(b);
                    let either = (a[0] + b[1]).min(a[1] + b[0]);
                    [either.min(INFINITE), (a[0] + b[0]).min(a[1] + b[1]).min(INFINITE)]
                }
            };
        }
    }
}

/// Whether a fact of the net is true.
fn holds(state: &State, fact: usize) -> bool {
    state.words()[fact / 32] >> (fact % 32) & 1 == 1
}

/// The facts among the parts of a conjunction.
fn conjuncts(net: &Net, goal: Signal) -> Vec<(usize, bool)> {
    let facts: FxHashMap<usize, usize> = net.facts.iter().enumerate().map(|(fact, of)| (of.now.node(), fact)).collect();
    let mut open = vec![goal];
    let mut conjuncts = Vec::new();
    while let Some(signal) = open.pop() {
        match net.graph.nodes()[signal.node()] {
            Node::And(a, b) if !signal.is_complemented() => open.extend([a, b]),
            Node::Input => {
                conjuncts.extend(facts.get(&signal.node()).map(|&fact| (fact, !signal.is_complemented())));
            }
            _ => {}
        }
    }
    conjuncts
}

/// By fact: whether no move has a part in its next value, nor in those of the facts that do.
fn clocks(gates: &[RelaxedGate], facts: &[(u32, RelaxedEdge)], moves: &[(u32, RelaxedEdge)]) -> Vec<bool> {
    let mut moved = vec![false; gates.len()];
    moves.iter().for_each(|(node, _)| moved[*node as usize] = true);
    loop {
        for node in 0..gates.len() {
            if let RelaxedGate::And(a, b) | RelaxedGate::Xor(a, b) = gates[node] {
                moved[node] = moved[(a >> 1) as usize] || moved[(b >> 1) as usize];
            }
        }
        let mut changed = false;
        for &(node, next) in facts {
            if moved[(next >> 1) as usize] && !moved[node as usize] {
                (moved[node as usize], changed) = (true, true);
            }
        }
        if !changed {
            return facts.iter().map(|(node, next)| !moved[*node as usize] && next >> 1 != *node).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, GameReasoner};
    use ludolog_engine::Session;
    use ludolog_game::StateMachine;
    use ludolog_syntax::Syntax;

    const SIDE: usize = 4;

    /// Whether queens on two squares, each a row and a column, attack each other.
    fn attack([first, second]: [[usize; 2]; 2]) -> bool {
        let [rows, columns] = [0, 1].map(|i| first[i].abs_diff(second[i]));
        first != second && (rows == 0 || columns == 0 || rows == columns)
    }

    /// Queens are placed anywhere, and stay; each of them has to be attacked by none.
    fn queens() -> Game {
        let squares: Vec<[usize; 2]> = (0..SIDE * SIDE).map(|i| [i / SIDE, i % SIDE]).collect();
        let square = |[row, column]: [usize; 2]| format!("(square s{row}{column}) ");
        let pair = |a: [usize; 2], b: [usize; 2]| format!("(attack s{}{} s{}{}) ", a[0], a[1], b[0], b[1]);
        let pairs = squares.iter().flat_map(|&a| squares.iter().map(move |&b| [a, b])).filter(|&both| attack(both));
        let board: String = squares.iter().map(|&at| square(at)).chain(pairs.map(|[a, b]| pair(a, b))).collect();
        let rules = format!(
            "(role placer) {board} (init (queens 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
             (<= (legal placer (put ?s)) (square ?s) (not (true (queen ?s))))
             (<= (next (queen ?s)) (does placer (put ?s))) (<= (next (queen ?s)) (true (queen ?s)))
             (<= (next (queens ?m)) (true (queens ?n)) (after ?n ?m)) (<= terminal (true (queens 4)))
             (<= clash (attack ?a ?b) (true (queen ?a)) (true (queen ?b)))
             (<= (goal placer 100) (not clash)) (<= (goal placer 0) clash)"
        );
        let session = Session::of_text(&rules, Syntax::Kif).expect("the rulesheet is sound");
        let rules = GameReasoner::new(session.program(), &Budget::unlimited()).expect("nothing stops it");
        rules.game(&Budget::unlimited()).expect("it is a game")
    }

    #[test]
    fn a_goal_is_out_of_reach_where_what_stays_rules_it_out() {
        let Game::Net(net, mut machine) = queens() else { panic!("the game has a net") };
        let (mut relaxation, goal) = Relaxation::new(&net).expect("there is a goal");
        assert_eq!(goal, 100);
        let initial = machine.initial_state().clone();
        let all = 0..SIDE * SIDE;
        let moves = net.roles[0].moves.iter().map(|made| made.term.to_string());
        let of_square: FxHashMap<String, u32> = moves.zip(0..).collect();
        let mut states = Vec::new();
        let mut expected = Vec::new();
        for pair in all.clone().flat_map(|a| all.clone().map(move |b| [a, b])).filter(|[a, b]| a != b) {
            let squares = pair.map(|i| [i / SIDE, i % SIDE]);
            let state = squares.iter().fold(initial.clone(), |state, [row, column]| {
                let made = ludolog_game::Move(of_square[&format!("put(s{row}{column})")]);
                machine.next_state(&state, &[made]).expect("there is no limit")
            });
            states.push(state);
            expected.push(!attack(squares));
        }
        assert_eq!(states.len(), 240);
        assert_eq!(relaxation.may_be_reached(&states), expected);
        for (state, may_be) in states.iter().zip(expected) {
            assert_eq!(relaxation.distance(state, &Budget::unlimited()), Ok(may_be.then_some(0)));
        }
    }
}
