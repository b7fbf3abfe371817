//! A net is built: each atom of the ground rules becomes a signal, after those that its rules read.

use super::{Net, NetFact, NetMove, NetRole, NoNet};
use crate::closure::{ClosureStep, Member};
use crate::graph::{GateGraph, Node, Signal};
use crate::ground::{AtomId, GroundGame, GroundLiteral, Keyword};
use ludolog_engine::Budget;
use ludolog_engine::value::Value;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Poll;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most gates of a net. More do not fit into any cache.
const MAX_GATES: usize = 4_000_000;

/// Atoms defined between two checks of the budget.
const POLL_EVERY: u32 = 64;

/// The value of an atom.
#[derive(Clone)]
enum Defined {
    Signal(Signal),
    /// That one of these moves is made, ascending by number.
    OneOf(Rc<[u32]>),
}

/// When a move is made.
struct MoveMade {
    signal: Signal,
    /// The group that it is in; none if it is made whenever it is legal.
    group: Option<usize>,
}

/// A net that is being built.
pub(super) struct NetBuilder<'g> {
    game: &'g GroundGame,
    graph: GateGraph,
    /// By atom, once it is defined.
    values: Vec<Option<Defined>>,
    /// All moves of all roles, and when they are made.
    moves: Vec<MoveMade>,
    /// Moves of which exactly one is made, as numbers.
    groups: Vec<Vec<u32>>,
    /// The signals of sets of moves.
    one_of: FxHashMap<Rc<[u32]>, Signal>,
}

impl<'g> NetBuilder<'g> {
    /// Nothing of the net of this game yet.
    pub(super) fn new(game: &'g GroundGame) -> NetBuilder<'g> {
        NetBuilder {
            game,
            graph: GateGraph::default(),
            values: vec![None; game.len()],
            moves: Vec::new(),
            groups: Vec::new(),
            one_of: FxHashMap::default(),
        }
    }

    /// The net of the game.
    pub(super) fn build(mut self, budget: &Budget) -> Result<Net, NoNet> {
        let game = self.game;
        let order = self.order();
        let (mut facts, opposites) = self.facts();
        // What the moves made have no part in comes first, because moves are those whose legality is no constant.
        let depends = self.depends_on_moves(&order);
        let mut poll = Poll::new(budget, POLL_EVERY);
        for component in order.iter().filter(|component| !depends[component[0] as usize]) {
            self.define(component, &mut poll)?;
        }
        let independent = || order.iter().flatten().copied().filter(|&atom| !depends[atom as usize]);
        let mut roles = self.roles(independent);
        self.take_turns(&mut roles);
        for component in order.iter().filter(|component| depends[component[0] as usize]) {
            self.define(component, &mut poll)?;
        }
        let terminal = self.outputs(&mut facts, &mut roles);
        let mut facts: Vec<NetFact> = facts.into_iter().map(|(_, fact)| fact).collect();
        facts.cold_sort_by(|a, b| a.term.cmp(&b.term));
        let mut constants: Vec<Term> = game.constants.iter().map(|&fact| game.term(fact)).collect();
        constants.cold_sort();
        let number = |value: Value| facts.iter().position(|fact| fact.term == game.term(value));
        let opposite = |(fact, other): (Value, Value)| (game.term(fact), number(other).expect("it is a fact"));
        let mut opposites: Vec<(Term, usize)> = opposites.into_iter().map(opposite).collect();
        opposites.cold_sort();
        let rulesheet = game.rulesheet.clone();
        Ok(Net { rulesheet, graph: self.graph, facts, constants, opposites, roles, terminal, hides: game.hides })
    }

    /// The roles with their moves, each with an input, in the order of their terms. Defines the atoms that ask for moves.
    fn roles<A: Iterator<Item = AtomId>>(&mut self, independent: impl Fn() -> A) -> Vec<NetRole> {
        let game = self.game;
        let mut roles = Vec::new();
        let mut numbers: FxHashMap<(Value, Value), u32> = FxHashMap::default();
        for &role in &game.roles {
            let mut moves: Vec<(Value, NetMove)> = Vec::new();
            for atom in independent() {
                if let (Some(Keyword::Legal), &[of, made]) = game.keyword(atom)
                    && of == role
                {
                    let legal = self.signal(atom);
                    if legal != Signal::FALSE {
                        let does = self.graph.input();
                        moves.push((made, NetMove { term: game.term(made), legal, does }));
                    }
                }
            }
            moves.cold_sort_by(|(_, a), (_, b)| a.term.cmp(&b.term));
            for (value, _) in &moves {
                numbers.insert((role, *value), numbers.len() as u32);
            }
            let moves = moves.into_iter().map(|(_, made)| made).collect();
            roles.push(NetRole { term: game.term(role), moves, idle: None, goals: Vec::new(), sees: Vec::new() });
        }
        for atom in 0..game.len() as AtomId {
            if let (Some(Keyword::Does), &[role, made]) = game.keyword(atom) {
                self.values[atom as usize] = Some(match numbers.get(&(role, made)) {
                    Some(&number) => Defined::OneOf(Rc::new([number])),
                    None => Defined::Signal(Signal::FALSE),
                });
            }
        }
        roles
    }

    /// Gives the facts what makes them come next and the roles their goals and percepts, and returns what ends the game.
    fn outputs(&mut self, facts: &mut [(Value, NetFact)], roles: &mut [NetRole]) -> Signal {
        let game = self.game;
        let places: FxHashMap<Value, usize> = facts.iter().map(|(value, _)| *value).zip(0..).collect();
        let role_of = |role: Value| game.roles.iter().position(|&other| other == role);
        let mut terminal = Signal::FALSE;
        for atom in 0..game.len() as AtomId {
            match game.keyword(atom) {
                (Some(Keyword::Terminal), _) => terminal = self.signal(atom),
                (Some(Keyword::Goal), &[role, value]) => {
                    let signal = self.signal(atom);
                    if let (Some(place), Term::Integer(value)) = (role_of(role), game.term(value)) {
                        roles[place].goals.push((value, signal));
                    }
                }
                (Some(Keyword::Sees), &[role, percept]) if game.hides => {
                    let signal = self.signal(atom);
                    if let Some(place) = role_of(role).filter(|_| signal != Signal::FALSE) {
                        roles[place].sees.push((game.term(percept), signal));
                    }
                }
                (Some(Keyword::Next), &[fact]) => {
                    let signal = self.signal(atom);
                    if let Some(&place) = places.get(&fact) {
                        facts[place].1.next = signal;
                    }
                }
                _ => {}
            }
        }
        roles.iter_mut().for_each(|role| {
            role.goals.cold_sort();
            role.sees.cold_sort_by(|(a, _), (b, _)| a.cmp(b));
        });
        terminal
    }

    /// The atoms in components that depend on each other, each after those that its rules read.
    fn order(&self) -> Vec<Vec<AtomId>> {
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(self.game.len(), self.game.rules());
        (0..self.game.len()).for_each(|_| _ = graph.add_node(()));
        for atom in 0..self.game.len() as AtomId {
            if matches!(self.game.keyword(atom).0, Some(Keyword::True | Keyword::Does)) {
                continue;
            }
            let read: FxHashSet<AtomId> =
                self.game.bodies(atom).iter().flatten().map(|literal| literal.atom()).collect();
            for other in read {
                graph.add_edge(atom.into(), other.into(), ());
            }
        }
        let atoms = |component: Vec<NodeIndex>| component.into_iter().map(|node| node.index() as AtomId).collect();
        kosaraju_scc(&graph).into_iter().map(atoms).collect()
    }

    /// The facts of states, each with an input, and the facts that are the opposite of one. Defines the atoms that ask
    /// for them.
    fn facts(&mut self) -> (Vec<(Value, NetFact)>, FxHashMap<Value, Value>) {
        let game = self.game;
        let mut seen: FxHashSet<Value> = game.initial.iter().copied().collect();
        let mut values: Vec<Value> = game.initial.clone();
        values.dedup();
        for atom in 0..game.len() as AtomId {
            if let (Some(Keyword::Next), &[fact]) = game.keyword(atom)
                && seen.insert(fact)
            {
                values.push(fact);
            }
        }
        let initial: FxHashSet<Value> = game.initial.iter().copied().collect();
        let mut inputs: FxHashMap<Value, Signal> = game.constants.iter().map(|&fact| (fact, Signal::TRUE)).collect();
        let opposites = self.opposites(&initial);
        values.retain(|value| !opposites.contains_key(value));
        let facts = values.into_iter().map(|value| {
            let now = self.graph.input();
            inputs.insert(value, now);
            let fact = NetFact { term: game.term(value), now, next: Signal::FALSE, initial: initial.contains(&value) };
            (value, fact)
        });
        let facts = facts.collect();
        for (&fact, other) in &opposites {
            inputs.insert(fact, !inputs[other]);
        }
        for atom in 0..game.len() as AtomId {
            if let (Some(Keyword::True), &[fact]) = game.keyword(atom) {
                let signal = inputs.get(&fact).copied().unwrap_or(Signal::FALSE);
                self.values[atom as usize] = Some(Defined::Signal(signal));
            }
        }
        (facts, opposites)
    }

    /// Facts that follow each other by turns, of which the first state has one: each is what the other is not.
    ///
    /// ```text
    /// next(control(white)) :- true(control(black)).    next(control(black)) :- true(control(white)).
    /// ```
    fn opposites(&self, initial: &FxHashSet<Value>) -> FxHashMap<Value, Value> {
        let mut before: FxHashMap<Value, Value> = FxHashMap::default();
        for atom in 0..self.game.len() as AtomId {
            if let (Some(Keyword::Next), &[fact]) = self.game.keyword(atom)
                && let [body] = self.game.bodies(atom)
                && let [literal] = body[..]
                && !literal.is_negated()
                && let (Some(Keyword::True), &[other]) = self.game.keyword(literal.atom())
            {
                before.insert(fact, other);
            }
        }
        let pairs = before.iter().map(|(&fact, &other)| (fact, other));
        let pairs = pairs.filter(|(fact, other)| before.get(other) == Some(fact));
        pairs.filter(|(fact, other)| !initial.contains(fact) && initial.contains(other)).collect()
    }

    /// Finds out whether two roles take turns, and groups their moves: exactly one move is made of those that are not
    /// idle.
    fn take_turns(&mut self, roles: &mut [NetRole]) {
        let idle = self.idle_moves(roles);
        for (place, role) in roles.iter_mut().enumerate() {
            let group = if idle.is_some() { 0 } else { place };
            self.groups.resize(self.groups.len().max(group + 1), Vec::new());
            role.idle = idle.map(|idle| idle[place]);
            for (number, made) in role.moves.iter().enumerate() {
                let is_idle = role.idle == Some(number);
                if !is_idle {
                    self.groups[group].push(self.moves.len() as u32);
                }
                let signal = if is_idle { made.legal } else { made.does };
                self.moves.push(MoveMade { signal, group: (!is_idle).then_some(group) });
            }
        }
    }

    fn idle_moves(&self, roles: &[NetRole]) -> Option<[usize; 2]> {
        let [first, second] = roles else { return None };
        let is_input = |signal: Signal| self.graph.nodes()[signal.node()] == Node::Input;
        let inputs = |role: &NetRole| -> Vec<(usize, Signal)> {
            let legal = role.moves.iter().map(|made| made.legal).enumerate();
            legal.filter(|(_, legal)| is_input(*legal)).collect()
        };
        let of_first = inputs(first);
        let of_second = inputs(second);
        let pairs = of_first.iter().flat_map(|&a| of_second.iter().map(move |&b| (a, b)));
        let mut pairs = pairs.filter(|((_, a), (_, b))| *a == !*b);
        let ((a, of_a), (b, of_b)) = pairs.next()?;
        (self.is_alone(first, a, of_a) && self.is_alone(second, b, of_b)).then_some([a, b])
    }

    /// Whether a role has no other legal move where an input holds.
    fn is_alone(&self, role: &NetRole, idle: usize, input: Signal) -> bool {
        let others = role.moves.iter().enumerate().filter(|(number, _)| *number != idle);
        let legal: Vec<Signal> = others.map(|(_, made)| made.legal).collect();
        let mut there = GateGraph::default();
        let mut built = self.graph.inputs_in(&mut there);
        built[input.node()] = Some(Signal::TRUE.complemented(input.is_complemented()));
        self.graph.build(&legal, &mut there, &mut built).iter().all(|&legal| legal == Signal::FALSE)
    }

    fn depends_on_moves(&self, order: &[Vec<AtomId>]) -> Vec<bool> {
        let mut depends = vec![false; self.game.len()];
        for component in order {
            let depends_on_moves = component.iter().any(|&atom| match self.game.keyword(atom).0 {
                Some(Keyword::Does) => true,
                Some(Keyword::True) => false,
                _ => self.game.bodies(atom).iter().flatten().any(|literal| depends[literal.atom() as usize]),
            });
            component.iter().for_each(|&atom| depends[atom as usize] = depends_on_moves);
        }
        depends
    }

    /// Defines atoms that depend on each other by their rules, unless they are inputs.
    ///
    /// Atoms of a cycle are the members of a closure.
    fn define(&mut self, component: &[AtomId], poll: &mut Poll) -> Result<(), NoNet> {
        if let &[atom] = component
            && self.values[atom as usize].is_some()
        {
            return Ok(());
        }
        let reads = |atom: AtomId| self.game.bodies(atom).iter().flatten();
        let is_cyclic = component.len() > 1 || reads(component[0]).any(|literal| literal.atom() == component[0]);
        if !is_cyclic {
            let value = self.by_bodies(self.game.bodies(component[0]).iter().map(|body| &body[..]));
            return self.set(component[0], value, poll);
        }
        let members: FxHashSet<AtomId> = component.iter().copied().collect();
        if component.iter().any(|&atom| reads(atom).any(|read| read.is_negated() && members.contains(&read.atom()))) {
            return Err(NoNet::Cyclic);
        }
        // Ground atoms are near to those they were derived from, so that chains turn rarely against their order.
        let mut component = component.to_vec();
        component.sort_unstable();
        let numbers: FxHashMap<AtomId, u32> = component.iter().copied().zip(0..).collect();
        let mut recursive = Vec::with_capacity(component.len());
        for &atom in &component {
            recursive.push(self.member(atom, &numbers));
            poll.step()?;
        }
        for (&atom, signal) in component.iter().zip(self.graph.close(recursive)) {
            self.set(atom, Defined::Signal(signal), poll)?;
        }
        Ok(())
    }

    /// An atom by its rules, which ask for other members of its component by their numbers.
    ///
    /// Rules under the same condition that ask for one member each are one step.
    fn member(&mut self, atom: AtomId, numbers: &FxHashMap<AtomId, u32>) -> Member {
        let mut by_members: BTreeMap<Vec<u32>, Vec<Vec<GroundLiteral>>> = BTreeMap::new();
        for body in self.game.bodies(atom) {
            let mut members: Vec<u32> =
                body.iter().filter_map(|literal| numbers.get(&literal.atom())).copied().collect();
            members.sort_unstable();
            members.dedup();
            let rest = body.iter().copied().filter(|literal| !numbers.contains_key(&literal.atom())).collect();
            by_members.entry(members).or_default().push(rest);
        }
        let mut base = Signal::FALSE;
        let mut alone: BTreeMap<Signal, Vec<u32>> = BTreeMap::new();
        let mut steps = Vec::new();
        for (members, bodies) in by_members {
            let guard = match self.by_bodies(bodies.iter().map(Vec::as_slice)) {
                Defined::OneOf(moves) => self.one_of(&moves),
                Defined::Signal(signal) => signal,
            };
            match members[..] {
                [] => base = guard,
                [one] => alone.entry(guard).or_default().push(one),
                _ => steps.push(ClosureStep { guard, any: members.into_iter().map(|member| vec![member]).collect() }),
            }
        }
        steps.extend(alone.into_iter().map(|(guard, any)| ClosureStep { guard, any: vec![any] }));
        Member { base, steps }
    }

    fn set(&mut self, atom: AtomId, value: Defined, poll: &mut Poll) -> Result<(), NoNet> {
        self.values[atom as usize] = Some(value);
        poll.step()?;
        if self.graph.nodes().len() > MAX_GATES { Err(NoNet::TooManyGates) } else { Ok(()) }
    }

    /// Whether one of these bodies holds.
    ///
    /// Bodies that differ only in the move that they ask for are one body that asks for one of several moves.
    fn by_bodies<'b>(&mut self, bodies: impl Iterator<Item = &'b [GroundLiteral]>) -> Defined {
        let mut by_rest: FxHashMap<Vec<Signal>, Vec<u32>> = FxHashMap::default();
        let mut products: Vec<Vec<Signal>> = Vec::new();
        for body in bodies {
            let mut rest: Vec<Signal> = Vec::with_capacity(body.len());
            let mut moves: Option<Rc<[u32]>> = None;
            for &literal in body {
                match self.values[literal.atom() as usize].clone() {
                    Some(Defined::OneOf(set)) if !literal.is_negated() && moves.is_none() => moves = Some(set),
                    _ => rest.push(self.signal(literal.atom()).complemented(literal.is_negated())),
                }
            }
            if rest.contains(&Signal::FALSE) {
                continue;
            }
            rest.retain(|&signal| signal != Signal::TRUE);
            rest.sort_unstable();
            rest.dedup();
            match moves {
                Some(moves) => by_rest.entry(rest).or_default().extend(moves.iter()),
                None => products.push(rest),
            }
        }
        let mut by_rest: Vec<(Vec<Signal>, Rc<[u32]>)> = by_rest
            .into_iter()
            .map(|(rest, mut moves)| {
                moves.cold_sort();
                moves.dedup();
                (rest, moves.into())
            })
            .collect();
        by_rest.cold_sort();
        match (&by_rest[..], products.is_empty()) {
            ([(rest, moves)], true) if rest.is_empty() => Defined::OneOf(moves.clone()),
            _ => {
                for (mut rest, moves) in by_rest {
                    rest.push(self.one_of(&moves));
                    products.push(rest);
                }
                Defined::Signal(self.graph.any_of_all(products))
            }
        }
    }

    fn signal(&mut self, atom: AtomId) -> Signal {
        match self.values[atom as usize].clone() {
            Some(Defined::Signal(signal)) => signal,
            Some(Defined::OneOf(moves)) => self.one_of(&moves),
            None => Signal::FALSE,
        }
    }

    /// That one of these moves is made. More than half of a group, of which exactly one is made, are written as the
    /// complement of the others.
    fn one_of(&mut self, moves: &Rc<[u32]>) -> Signal {
        if let Some(&signal) = self.one_of.get(moves) {
            return signal;
        }
        let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        let mut any = Vec::new();
        for &number in moves.iter() {
            match self.moves[number as usize].group {
                Some(group) => chosen[group].push(number),
                None => any.push(self.moves[number as usize].signal),
            }
        }
        for (chosen, group) in chosen.iter().zip(&self.groups) {
            let is_most = 2 * chosen.len() > group.len();
            let is_other = |number: &&u32| chosen.binary_search(number).is_err();
            let made = |number: &u32| self.moves[*number as usize].signal;
            let inputs: Vec<Signal> = if is_most {
                group.iter().filter(is_other).map(made).collect()
            } else {
                chosen.iter().map(made).collect()
            };
            any.push(self.graph.any(inputs).complemented(is_most));
        }
        let signal = self.graph.any(any);
        self.one_of.insert(moves.clone(), signal);
        signal
    }
}
