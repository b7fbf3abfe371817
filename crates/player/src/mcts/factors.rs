//! Games in which roles choose at once, but each in a factor of its own, as in two games on two boards.
//!
//! Each factor has a tree of its own, whose nodes are states as far as the factor goes. A simulation goes down all trees
//! side by side, a joint move at a time, and all learn from its value: the other factors are chance, whose mean is found.
//! So the moves of a node are those of one role, where joint moves would be the product. Sancho (Draper and Rose, 2014)
//! searches factors one by one.
//!
//! A move in one factor may end the game for all, so that no node has bounds: its state is terminal with some states of the
//! other factors, and with others it is not.

use super::node::{NONE, NodeId, TreeNode};
use super::simulation::Simulation;
use super::tree::{MAX_DEPTH, Tree};
use ludolog_game::{Draw, LegalMoves, Move, Role, State, StateMachine};
use ludolog_propnet::{Factors, Net};

/// The move of a factor in which no role has one.
pub const PASS: Move = Move(u32::MAX);

/// Random playouts that tell whether roles choose in one factor at a time.
const SAMPLES: usize = 16;

/// Joint moves of each of them.
const MAX_STEPS: usize = 200;

/// The factors of a game that are searched side by side.
#[derive(Debug)]
pub struct FactorTrees {
    factors: Factors,
    /// By factor: the bits of a state that it reads.
    masks: Vec<Vec<u32>>,
}

impl FactorTrees {
    /// The trees of a game's factors. Those between which a role may choose are one, as far as random playouts tell; `None` if
    /// only one is left, several roles have a choice in one at a time, one role acts in one alone, or roles take turns.
    pub fn new(net: &Net, machine: &mut dyn StateMachine, seed: u64) -> Option<FactorTrees> {
        let initial = machine.initial_state().clone();
        let legal = machine.all_legal_moves(&[initial]).ok()?.pop()?;
        if legal.iter().filter(|moves| moves.len() > 1).count() < 2 {
            return None;
        }
        let mut factors = Factors::of(net)?;
        join_choices(&mut factors, machine, seed)?;
        let is_played = |factor| roles_of(net, &factors, factor) > 1;
        if factors.count < 2 || !(0..factors.count).all(is_played) {
            return None;
        }
        let trees = FactorTrees::with_masks(factors);
        trees.are_apart(machine, seed)?.then_some(trees)
    }

    fn with_masks(factors: Factors) -> FactorTrees {
        let words = factors.of_fact.len().div_ceil(32);
        let mut masks = vec![vec![0; words]; factors.count];
        for (fact, of) in factors.of_fact.iter().enumerate() {
            let reading = masks.iter_mut().enumerate().filter(|(factor, _)| of.is_none_or(|of| of == *factor));
            reading.for_each(|(_, mask)| mask[fact / 32] |= 1 << (fact % 32));
        }
        FactorTrees { factors, masks }
    }

    /// Whether each role moves in one factor at a time, where no other has a choice, as far as random playouts tell; `None` if
    /// they fail.
    fn are_apart(&self, machine: &mut dyn StateMachine, seed: u64) -> Option<bool> {
        let mut is_apart = true;
        let mut chosen = Vec::new();
        for_each_choice(machine, seed, &mut |role, moves| {
            if role.0 == 0 {
                chosen.clear();
            }
            let factor = self.factor_of(moves);
            is_apart &= factor.is_some_and(|factor| moves.len() == 1 || !chosen.contains(&factor));
            chosen.extend(factor.filter(|_| moves.len() > 1));
        })?;
        Some(is_apart)
    }

    /// The number of factors.
    pub fn count(&self) -> usize {
        self.factors.count
    }

    /// The factor of a role's legal moves, the first one if none has an effect; `None` if they are of several.
    fn factor_of(&self, moves: &[Move]) -> Option<usize> {
        let mut factors = moves.iter().map(|made| self.factors.of_move[made.0 as usize]);
        let first = factors.next()?;
        factors.all(|other| other == first).then_some(first.unwrap_or(0))
    }

    /// A state as far as a factor goes.
    fn project(&self, state: &State, factor: usize) -> State {
        State::of_words(state.words().iter().zip(&self.masks[factor]).map(|(word, mask)| word & mask))
    }

    /// The legal moves in a factor; `None` if they are not of one factor, or several roles have a choice.
    fn legal_in(&self, legal: &LegalMoves, factor: usize) -> Option<LegalMoves> {
        let mut here = vec![Vec::new(); legal.len()];
        for (here, moves) in here.iter_mut().zip(legal) {
            if self.factor_of(moves)? == factor {
                here.clone_from(moves);
            }
        }
        if here.iter().all(Vec::is_empty) {
            here[0].push(PASS);
        }
        (here.iter().filter(|moves| moves.len() > 1).count() <= 1).then_some(here)
    }
}

/// Joins the factors between which a role may choose in random playouts; `None` if they fail.
fn join_choices(factors: &mut Factors, machine: &mut dyn StateMachine, seed: u64) -> Option<()> {
    for_each_choice(machine, seed, &mut |_, moves| {
        let mut first = None;
        for made in moves.iter().map(|made| made.0 as usize) {
            if let Some(factor) = factors.of_move[made] {
                let kept = factors.of_move[*first.get_or_insert(made)].unwrap_or(factor);
                factors.join(kept, factor);
            }
        }
    })
}

/// The number of roles that have moves in a factor.
fn roles_of(net: &Net, factors: &Factors, factor: usize) -> usize {
    let mut first = 0;
    let has_moves = |count: usize| {
        let moves = &factors.of_move[first..first + count];
        first += count;
        moves.contains(&Some(factor))
    };
    net.roles.iter().map(|role| role.moves.len()).map(has_moves).filter(|&has_moves| has_moves).count()
}

/// Calls `visit` with the legal moves of each role in turn in each state of some random playouts; `None` if they fail.
fn for_each_choice(machine: &mut dyn StateMachine, seed: u64, visit: &mut dyn FnMut(Role, &[Move])) -> Option<()> {
    let initial = machine.initial_state().clone();
    let mut draw = Draw::new(seed);
    for _ in 0..SAMPLES {
        let mut choose = |_: usize, role: Role, moves: &[Move]| {
            visit(role, moves);
            moves[draw.below(moves.len())]
        };
        machine.playouts(std::slice::from_ref(&initial), MAX_STEPS, &mut choose).ok()?;
    }
    Some(())
}

/// The state of which these are the parts.
fn merge<'s>(mut parts: impl Iterator<Item = &'s State>) -> State {
    let Some(first) = parts.next() else { return State::default() };
    let mut words = first.words().to_vec();
    for part in parts {
        words.iter_mut().zip(part.words()).for_each(|(word, other)| *word |= other);
    }
    State::of_words(words)
}

impl Tree {
    /// Makes a state the root, as far as each factor goes: the node of the whole state has those of the factors as children.
    pub(super) fn set_factor_roots(&mut self, state: &State) {
        let Some(trees) = self.factors.take() else { return };
        let root = self.nodes.find(state).unwrap_or_else(|| {
            let mut root = TreeNode::new(None, self.roles);
            root.expand(&vec![vec![PASS; trees.count()]]);
            self.nodes.insert_root(state.clone(), || root)
        });
        self.nodes.set_root(root);
        for factor in 0..trees.count() {
            if self.nodes.node(root).child(factor as u64) == NONE {
                let part = trees.project(state, factor);
                let child = self.nodes.insert_root_of(part, factor, || TreeNode::new(None, self.roles));
                self.nodes.link(root, factor as u64, child);
            }
        }
        self.factors = Some(trees);
    }

    /// The nodes of the root's factors.
    pub(super) fn factor_roots(&self) -> Vec<NodeId> {
        let count = self.factors.as_ref().map_or(0, FactorTrees::count);
        (0..count as u64).map(|factor| self.root().child(factor)).collect()
    }

    /// Goes down the trees of all factors from the root, and counts the way, to the first state in which one of them has no
    /// moves yet, or the first joint move that is new to one.
    pub(super) fn descend_factors(&mut self, simulation: &mut Simulation) {
        simulation.parts = self.factor_roots();
        let count = simulation.parts.len();
        let state_of = |tree: &Tree, parts: &[NodeId]| merge(parts.iter().map(|&part| tree.nodes.state(part)));
        loop {
            let is_open = |&part: &NodeId| !self.nodes.node(part).is_expanded();
            if simulation.path.len() >= MAX_DEPTH * count || simulation.parts.iter().any(is_open) {
                simulation.opened = simulation.parts.iter().map(is_open).collect();
                simulation.may_be_over =
                    simulation.path.is_empty() || simulation.parts.iter().any(|&part| self.nodes.node(part).was_over);
                simulation.parts.iter().for_each(|&part| self.nodes.node_mut(part).visits += 1);
                simulation.opens = true;
                simulation.state = state_of(self, &simulation.parts);
                break;
            }
            let joints: Vec<u64> = simulation.parts.iter().map(|&part| self.choose_in_factor(part)).collect();
            let next: Vec<NodeId> =
                simulation.parts.iter().zip(&joints).map(|(&at, &joint)| self.visit(at, joint)).collect();
            simulation.path.extend(simulation.parts.iter().copied().zip(joints));
            let above = std::mem::replace(&mut simulation.parts, next);
            if simulation.parts.contains(&NONE) {
                simulation.state = state_of(self, &above);
                simulation.made.resize(self.roles, Move(0));
                for &(at, joint) in &simulation.path[simulation.path.len() - count..] {
                    self.nodes.node(at).moves_of_part(joint, |role, made| {
                        if made != PASS {
                            simulation.made[role] = made;
                        }
                    });
                }
                break;
            }
        }
        self.depth = self.depth.max(simulation.path.len() / count.max(1) + 1);
    }

    fn choose_in_factor(&mut self, at: NodeId) -> u64 {
        let random = self.draw.below(1 << 30);
        let node = self.nodes.node(at);
        match node.chooser() {
            Some(chooser) if node.roles[chooser].moves > 1 => self.choose_by_bounds(node, chooser, at, random),
            _ => 0,
        }
    }

    /// Enters the moves and the state that a simulation has found in the trees of all factors, and what it brought in its
    /// last nodes.
    pub(super) fn enter_factors(&mut self, simulation: &mut Simulation) {
        let Some(trees) = self.factors.take() else { return };
        let next = simulation.next.take();
        if simulation.opens {
            let legal = simulation.legal.take();
            if let Some((legal, next)) = legal.as_ref().zip(next.as_ref()) {
                for factor in (0..trees.count()).filter(|&factor| simulation.opened[factor]).collect::<Vec<_>>() {
                    self.open_part(&trees, simulation, factor, (legal, next));
                }
            }
        } else if let Some(next) = next {
            for factor in 0..trees.count() {
                let (at, joint) = simulation.path[simulation.path.len() - trees.count() + factor];
                simulation.parts[factor] = self.follow(&trees, (at, joint), factor, &next, simulation.over);
            }
        }
        for &part in simulation.parts.iter().filter(|&&part| part != NONE) {
            let node = self.nodes.node_mut(part);
            node.entered += 1;
            node.roles.iter_mut().zip(&simulation.values).for_each(|(role, value)| role.total += value);
        }
        self.factors = Some(trees);
    }

    /// Enters the legal moves of a factor in the last node of a simulation, and the move that it made there.
    fn open_part(
        &mut self,
        trees: &FactorTrees,
        simulation: &mut Simulation,
        factor: usize,
        (legal, next): (&LegalMoves, &State),
    ) {
        let at = simulation.parts[factor];
        if self.is_to_expand(at, self.root().child(factor as u64)) {
            match trees.legal_in(legal, factor) {
                Some(legal) => self.nodes.change(at, |node| node.expand(&legal)),
                None => self.is_entangled = true,
            }
        }
        if let Some(joint) = self.nodes.node(at).number_in_part(&simulation.made) {
            self.nodes.node_mut(at).visits -= 1;
            self.visit(at, joint);
            simulation.path.push((at, joint));
            simulation.parts[factor] = self.follow(trees, (at, joint), factor, next, simulation.over);
        }
    }

    /// The child of a node in a factor, which is made if there is none; [`NONE`] without memory.
    fn follow(
        &mut self,
        trees: &FactorTrees,
        (at, joint): (NodeId, u64),
        factor: usize,
        next: &State,
        is_over: bool,
    ) -> NodeId {
        let mut child = self.nodes.node(at).child(joint);
        if child == NONE {
            let roles = self.roles;
            let made = &mut self.made;
            let part = trees.project(next, factor);
            let found = self.nodes.insert_part(part, factor, || {
                *made += 1;
                TreeNode::new(None, roles)
            });
            let Some(found) = found else { return NONE };
            self.nodes.link(at, joint, found);
            child = found;
        }
        let node = self.nodes.node_mut(child);
        node.visits += 1;
        node.was_over |= is_over;
        child
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, GameReasoner};
    use crate::mcts::{Mcts, SearchSettings};
    use ludolog_engine::{Budget, Session};
    use ludolog_syntax::Syntax;

    fn game(rules: &str) -> Game {
        let session = Session::of_text(rules, Syntax::Kif).expect("the rulesheet is sound");
        let rules = GameReasoner::new(session.program(), &Budget::unlimited()).expect("nothing stops it");
        rules.game(&Budget::unlimited()).expect("it is a game")
    }

    /// Two heaps, from which two roles take one or two things in turns, the other way round; who takes the last of a heap has
    /// won at once. `rules` may join the heaps.
    fn heaps(first: usize, second: usize, rules: &str) -> Game {
        let less: String = (1..=8).map(|n| format!("(less {n} {}) (many {n}) ", n - 1)).collect();
        let two: String = (2..=8).map(|n| format!("(less {n} {}) ", n - 2)).collect();
        game(
            &format!(
                "(role left) (role right) (heap a) (heap b) (many 0) {less} {two}
             (init (turn left a)) (init (turn right b)) (init (size a {first})) (init (size b {second}))
             (<= (base (turn ?r ?h)) (role ?r) (heap ?h)) (<= (base (size ?h ?n)) (heap ?h) (many ?n))
             (<= (input ?r (leave ?h ?n)) (role ?r) (heap ?h) (many ?n))
             (<= (legal ?r (leave ?h ?n)) (true (turn ?r ?h)) (true (size ?h ?m)) (less ?m ?n))
             (<= (next (turn left ?h)) (true (turn right ?h))) (<= (next (turn right ?h)) (true (turn left ?h)))
             (<= (next (size ?h ?n)) (does ?r (leave ?h ?n)))
             (<= (won left) (true (size ?h 0)) (true (turn right ?h)))
             (<= (won right) (true (size ?h 0)) (true (turn left ?h))) (<= terminal (true (size ?h 0)))
             (<= (goal ?r 100) (won ?r) (not (drawn))) (<= (goal ?r 50) (role ?r) drawn)
             (<= (goal ?r 0) (role ?r) (not (won ?r))) (<= drawn (won left) (won right)) {rules}"
            )
            .replace("(not (drawn))", "(not drawn)"),
        )
    }

    fn has_factors(mut game: Game) -> bool {
        let Game::Net(net, machine) = &mut game else { panic!("the game has a net") };
        FactorTrees::new(net, &mut **machine, 1).is_some_and(|trees| trees.count() == 2)
    }

    #[test]
    fn only_games_where_each_role_chooses_in_a_factor_of_its_own_have_trees_for_each() {
        assert!(has_factors(heaps(4, 7, "")));
        let joined = "(<= (next (size b 0)) (true (size a 1)) (does ?r (leave b 1)))";
        assert!(!has_factors(heaps(4, 7, joined)), "one heap has an effect on the other");
        let free = "(<= (legal ?r (leave b ?n)) (role ?r) (true (size b ?m)) (less ?m ?n))";
        assert!(!has_factors(heaps(4, 7, free)), "both roles may choose a heap");
        let shown = "(role left) (role right) (shape rock) (shape paper) (<= (base (shown ?p ?s)) (role ?p) (shape ?s))
            (base start) (init start) (<= (input ?p ?s) (role ?p) (shape ?s)) (<= (legal ?p ?s) (role ?p) (shape ?s))
            (<= (next (shown ?p ?s)) (does ?p ?s)) (<= terminal (true (shown left ?s))) (<= (goal ?p 50) (role ?p))";
        assert!(!has_factors(game(shown)), "each role acts alone in what it shows");
    }

    /// Whoever has to take of three things or six loses a heap. On the first heap *left* leaves three, and wins with its next
    /// move but one; on the second one *right* leaves six, and would win later.
    #[test]
    fn a_role_wins_in_the_factor_where_it_is_first() {
        let settings = SearchSettings { simulations: Some(4_000), ..SearchSettings::default() };
        let mut player = Mcts::new(heaps(4, 7, ""), Role(0), settings);
        player.prepare(&Budget::unlimited());
        assert!(player.tree.factors.is_some());
        let state = player.game.machine().initial_state().clone();
        let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
        let likely = |role| player.strategy(role).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(made, _)| made);
        let made = likely(Role(0)).expect("it has moves");
        let made = player.game.reader().move_term(made).to_string();
        assert_eq!(made, "leave(a, 3)");
        assert!(report.value.is_some_and(|value| value > 90.0), "{:?}", report.value);
        assert_eq!(report.line.first().map(|joint| joint.len()), Some(2));
    }

    /// Without any memory the moves of each factor are still weighed.
    #[test]
    fn roots_of_factors_have_moves_without_memory() {
        let settings = SearchSettings { simulations: Some(4_000), memory: 1, ..SearchSettings::default() };
        let mut player = Mcts::new(heaps(4, 7, ""), Role(0), settings);
        player.prepare(&Budget::unlimited());
        let state = player.game.machine().initial_state().clone();
        player.search(&state, &Budget::unlimited()).expect("nothing stops it");
        assert_eq!([Role(0), Role(1)].map(|role| player.strategy(role).len()), [2, 2]);
    }
}
