//! The net of a game: for each fact of a state and each move a signal, as a function of the state and the moves made.

use crate::closure::{ClosureGates, ClosureStep, Member};
use crate::graph::{GateGraph, Node, Signal};
use crate::ground::{AtomId, GroundGame, GroundLiteral, Keyword};
use ludolog_engine::value::Value;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::Role;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Poll;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Most gates of a net. More do not fit into any cache.
const MAX_GATES: usize = 4_000_000;

/// Atoms defined between two checks of the budget.
const POLL_EVERY: u32 = 64;

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

/// The value of an atom.
#[derive(Clone)]
enum Defined {
    Signal(Signal),
    /// That one of these moves is made, ascending by number.
    OneOf(Rc<[u32]>),
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
        NetBuilder {
            game,
            graph: GateGraph::default(),
            values: vec![None; game.len()],
            moves: Vec::new(),
            groups: Vec::new(),
            one_of: FxHashMap::default(),
        }
        .build(budget)
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

/// When a move is made.
struct MoveMade {
    signal: Signal,
    /// The group that it is in; none if it is made whenever it is legal.
    group: Option<usize>,
}

struct NetBuilder<'g> {
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

impl NetBuilder<'_> {
    fn build(mut self, budget: &Budget) -> Result<Net, NoNet> {
        let game = self.game;
        let order = self.order();
        let (mut facts, opposites) = self.facts();
        // What the moves made have no part in comes first, because moves are those whose legality is no constant.
        let depends = self.depends_on_moves(&order);
        let mut poll = Poll::new(budget, POLL_EVERY);
        for component in order.iter().filter(|component| !depends[component[0] as usize]) {
            self.define(component, &mut poll)?;
        }
        let mut roles = Vec::new();
        let mut numbers: FxHashMap<(Value, Value), u32> = FxHashMap::default();
        for &role in &game.roles {
            let mut moves: Vec<(Value, NetMove)> = Vec::new();
            for &atom in order.iter().flatten().filter(|&&atom| !depends[atom as usize]) {
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
            moves.sort_by(|(_, a), (_, b)| a.term.cmp(&b.term));
            for (value, _) in &moves {
                numbers.insert((role, *value), numbers.len() as u32);
            }
            let moves = moves.into_iter().map(|(_, made)| made).collect();
            roles.push(NetRole { term: game.term(role), moves, idle: None, goals: Vec::new(), sees: Vec::new() });
        }
        self.take_turns(&mut roles);
        for atom in 0..game.len() as AtomId {
            if let (Some(Keyword::Does), &[role, made]) = game.keyword(atom) {
                self.values[atom as usize] = Some(match numbers.get(&(role, made)) {
                    Some(&number) => Defined::OneOf(Rc::new([number])),
                    None => Defined::Signal(Signal::FALSE),
                });
            }
        }
        for component in order.iter().filter(|component| depends[component[0] as usize]) {
            self.define(component, &mut poll)?;
        }
        let mut terminal = Signal::FALSE;
        for atom in 0..game.len() as AtomId {
            match game.keyword(atom) {
                (Some(Keyword::Terminal), _) => terminal = self.signal(atom),
                (Some(Keyword::Goal), &[role, value]) => {
                    let signal = self.signal(atom);
                    if let (Some(place), Term::Integer(value)) =
                        (game.roles.iter().position(|&other| other == role), game.term(value))
                    {
                        roles[place].goals.push((value, signal));
                    }
                }
                (Some(Keyword::Sees), &[role, percept]) if game.hides => {
                    let signal = self.signal(atom);
                    if let Some(place) = game.roles.iter().position(|&other| other == role)
                        && signal != Signal::FALSE
                    {
                        roles[place].sees.push((game.term(percept), signal));
                    }
                }
                (Some(Keyword::Next), &[fact]) => {
                    let signal = self.signal(atom);
                    if let Some((_, fact)) = facts.iter_mut().find(|(value, _)| *value == fact) {
                        fact.next = signal;
                    }
                }
                _ => {}
            }
        }
        roles.iter_mut().for_each(|role| {
            role.goals.sort_unstable();
            role.sees.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        });
        let mut facts: Vec<NetFact> = facts.into_iter().map(|(_, fact)| fact).collect();
        facts.sort_by(|a, b| a.term.cmp(&b.term));
        let mut constants: Vec<Term> = game.constants.iter().map(|&fact| game.term(fact)).collect();
        constants.sort_unstable();
        let number = |value: Value| facts.iter().position(|fact| fact.term == game.term(value));
        let opposite = |(fact, other): (Value, Value)| (game.term(fact), number(other).expect("it is a fact"));
        let mut opposites: Vec<(Term, usize)> = opposites.into_iter().map(opposite).collect();
        opposites.sort_unstable();
        let rulesheet = game.rulesheet.clone();
        let hides = game.hides;
        Ok(Net { rulesheet, graph: self.graph, facts, constants, opposites, roles, terminal, hides })
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
                moves.sort_unstable();
                moves.dedup();
                (rest, moves.into())
            })
            .collect();
        by_rest.sort_unstable();
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
