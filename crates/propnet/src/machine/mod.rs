//! The net as a game machine: states and joint moves in, answers out, as many at once as there are.
//!
//! A state is a bit for each fact of the net. Many states are lanes of a batch; a few are walked to one after the other
//! with an incremental net, which looks at what changes; random playouts run in [lanes](crate::lanes).

mod batch;
mod expansion;
mod game;
mod incremental;
mod stepped;
mod stream;

use crate::bits::{StateBits, ones};
use crate::graph::{GateGraph, Signal};
use crate::lanes::{MoveUse, PlayoutPolicy};
use crate::net::Net;
use crate::symmetry::Symmetries;
use batch::{Batch, LANES};
use game::{MachineRole, NetGame};
use incremental::IncrementalNet;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::canonical::text;
use ludolog_game::{
    Chooser, GameError, Goals, LegalMoves, Move, Percept, Percepts, Playout, PlayoutEnd, PlayoutOutcome, Role, State,
    StateMachine,
};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use expansion::{Expansion, MoveChooser};
pub use stepped::SteppedStates;
pub use stream::PlayoutStream;

/// Fewer states than this are walked to one after the other.
const LEAST_BATCH: usize = 8;

/// Joint moves between two checks of the budget.
const POLL_EVERY: usize = 1024;

/// The parts of the incremental net, each settled when it is asked for.
const LOOK: usize = 0;
const STEP: usize = 1;
const GOALS: usize = 2;
const SEES: usize = 3;

/// A game machine that evaluates a net. Clones share the net, so that each thread can have one.
#[derive(Clone)]
pub struct NetMachine {
    game: Arc<NetGame>,
    incremental: IncrementalNet,
    /// The facts of the state that the incremental net is in.
    now: Box<[u64]>,
    /// The inputs of the moves that it is told are made.
    made: Vec<u32>,
    batch: Batch,
    /// The symmetries up to which rows are distinct.
    symmetries: Option<Arc<Symmetries>>,
    /// The choice of moves in random playouts.
    policy: PlayoutPolicy,
    /// The use of the moves of random playouts.
    uses: MoveUse,
    /// Whether streams of playouts find decisive turns.
    finds_turns: bool,
    budget: Budget,
}

/// The words of a state in pairs.
fn words(state: &State) -> impl Iterator<Item = u64> {
    (0..state.words().len().div_ceil(2)).map(|number| state.word(number))
}

/// Places for signals, from a whole word on.
fn places(signals: Vec<Signal>, tier: &mut Vec<(Signal, u32)>, end: &mut usize) -> Range<usize> {
    let start = *end;
    tier.extend((64 * start as u32..).zip(signals).map(|(place, signal)| (signal, place)));
    *end = tier.last().map_or(start, |&(_, last)| start.max(last as usize / 64 + 1));
    start..*end
}

/// The percepts of all roles, in the order of their terms.
fn percepts_of(net: &Net) -> Vec<Term> {
    let all = net.roles.iter().flat_map(|role| role.sees.iter().map(|(term, _)| term.clone()));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl NetMachine {
    /// The machine of a net. Each question has the whole budget.
    pub fn new(net: &Arc<Net>, budget: Budget) -> NetMachine {
        let mut tiers = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        let mut end = 0;
        // Where roles take turns, what a role may do in its turn is found whether it has it or not: then few gates
        // change when the turn does.
        let mut graph = GateGraph::default();
        let inputs = net.graph.inputs_in(&mut graph);
        let mut build = |signals: &[Signal], known: Option<Signal>| {
            let mut built = inputs.clone();
            if let Some(known) = known {
                built[known.node()] = Some(Signal::TRUE.complemented(known.is_complemented()));
            }
            net.graph.build(signals, &mut graph, &mut built)
        };
        let terminal = places(build(&[net.terminal], None), &mut tiers[LOOK], &mut end).start;
        let mut first = 0;
        let roles = net.roles.iter().map(|role| {
            let moves = first..first + role.moves.len() as u32;
            first = moves.end;
            let legal: Vec<Signal> = role.moves.iter().map(|made| made.legal).collect();
            let has_turn = role.idle.map(|idle| !legal[idle]);
            let active: Vec<Signal> = (0..)
                .zip(&legal)
                .map(|(number, &legal)| if role.idle == Some(number) { Signal::FALSE } else { legal })
                .collect();
            let legal = places(build(&active, has_turn), &mut tiers[LOOK], &mut end);
            let idle = role.idle.map(|idle| {
                (idle as u32, places(build(&[role.moves[idle].legal], None), &mut tiers[LOOK], &mut end).start)
            });
            MachineRole { moves, legal, idle }
        });
        let roles = roles.collect();
        let next: Vec<Signal> = net.facts.iter().map(|fact| fact.next).collect();
        let next = places(build(&next, None), &mut tiers[STEP], &mut end);
        let goals = net.roles.iter().map(|role| {
            let goals: Vec<Signal> = role.goals.iter().map(|(_, signal)| *signal).collect();
            places(build(&goals, None), &mut tiers[GOALS], &mut end)
        });
        let goals = goals.collect();
        let percepts = percepts_of(net);
        let sees = net.roles.iter().map(|role| {
            let number = |term: &Term| percepts.partition_point(|other| other < term) as u32;
            let numbers = role.sees.iter().map(|(term, _)| Percept(number(term))).collect();
            let signals: Vec<Signal> = role.sees.iter().map(|(_, signal)| *signal).collect();
            (numbers, places(build(&signals, None), &mut tiers[SEES], &mut end))
        });
        let sees = sees.collect();
        let all_moves = || net.roles.iter().flat_map(|role| &role.moves);
        let read = net.facts.iter().map(|fact| fact.now).chain(all_moves().map(|made| made.does));
        let read: Vec<Signal> = read.filter_map(|input| inputs[input.node()]).collect();
        let incremental = IncrementalNet::new(&graph, &read, &tiers, 64 * end as u32);
        let mut game = NetGame {
            numbers: (0..).zip(&net.facts).map(|(number, fact)| (fact.term.clone(), number)).collect(),
            names: net.roles.iter().map(|role| role.term.clone()).collect(),
            moves: all_moves().map(|made| made.term.clone()).collect(),
            roles,
            goals,
            percepts,
            sees,
            next,
            terminal,
            initial: State::default(),
            programs: OnceLock::new(),
            lanes: Default::default(),
            lanes_of_any: Default::default(),
            net: net.clone(),
        };
        game.initial = game.state_of((0..).zip(&net.facts).filter(|(_, fact)| fact.initial).map(|(number, _)| number));
        NetMachine {
            now: vec![0; net.facts.len().div_ceil(64)].into(),
            made: Vec::new(),
            game: Arc::new(game),
            incremental,
            batch: Batch::default(),
            symmetries: None,
            policy: PlayoutPolicy::Uniform,
            uses: MoveUse::default(),
            finds_turns: false,
            budget,
        }
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.game.net
    }

    /// The instructions of a round of random playouts by a policy, as a multiple of those of uniform ones. Makes the
    /// programs where they are not there.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Unsupported`], when the policy takes too many gates.
    pub fn playout_cost(&self, policy: PlayoutPolicy, budget: &Budget) -> Result<f64, Stopped> {
        let instructions = |policy| {
            self.game.lanes(policy, MoveUse::default(), budget).map(|lanes| lanes.instructions().max(1) as f64)
        };
        Ok(instructions(policy)? / instructions(PlayoutPolicy::Uniform)?)
    }

    /// Chooses the moves of random playouts by a policy from now on; where it takes too many gates, playouts fail.
    pub fn set_playout_policy(&mut self, policy: PlayoutPolicy) {
        self.policy = policy;
    }

    /// Makes use of the moves of random playouts from now on, by the policy set before. Makes the programs where they are not there.
    ///
    /// # Errors
    ///
    /// As for [`playout_cost`](Self::playout_cost); playouts are as before then.
    pub fn use_moves(&mut self, uses: MoveUse, budget: &Budget) -> Result<(), Stopped> {
        self.game.lanes(self.policy, uses, budget)?;
        self.uses = uses;
        Ok(())
    }

    /// The use of the moves of random playouts.
    pub fn move_use(&self) -> MoveUse {
        self.uses
    }

    /// Walks to a state.
    fn enter(&mut self, state: &State) {
        for (number, (now, word)) in self.now.iter_mut().zip(words(state)).enumerate() {
            let changed = *now ^ word;
            ones(&[changed]).for_each(|bit| self.incremental.flip((64 * number + bit) as u32));
            *now = word;
        }
    }

    /// Tells what moves are made.
    fn make(&mut self, joint: &[Move]) {
        let facts = self.game.net.facts.len() as u32;
        for (role, made) in joint.iter().enumerate() {
            let input = facts + made.0;
            match self.made.get_mut(role) {
                Some(before) if *before == input => {}
                Some(before) => {
                    self.incremental.flip(std::mem::replace(before, input));
                    self.incremental.flip(input);
                }
                None => {
                    self.made.push(input);
                    self.incremental.flip(input);
                }
            }
        }
    }

    /// Walks to the next state, which is settled.
    fn advance(&mut self) {
        let next = self.game.next.clone();
        for number in 0..self.now.len() {
            let word = self.incremental.output()[next.start + number];
            let changed = self.now[number] ^ word;
            ones(&[changed]).for_each(|bit| self.incremental.flip((64 * number + bit) as u32));
            self.now[number] = word;
        }
    }

    fn look(&mut self) {
        self.incremental.settle(LOOK);
    }

    fn terminal_here(&self) -> bool {
        self.incremental.output()[self.game.terminal] & 1 == 1
    }

    /// The legal moves of a role, as settled.
    fn legal_here(&self, role: usize) -> impl Iterator<Item = Move> {
        let MachineRole { moves, legal, idle } = &self.game.roles[role];
        let output = self.incremental.output();
        let idle = idle.filter(|(_, word)| output[*word] & 1 == 1).map(|(idle, _)| idle);
        let active = if idle.is_some() { &[] } else { &output[legal.clone()] };
        let first = moves.start;
        idle.into_iter().chain(ones(active).map(|place| place as u32)).map(move |number| Move(first + number))
    }

    fn goals_here(&mut self) -> Goals {
        self.incremental.settle(GOALS);
        let output = self.incremental.output();
        self.game
            .goals
            .iter()
            .enumerate()
            .map(|(role, words)| self.game.goal(role, ones(&output[words.clone()])))
            .collect()
    }

    /// Answers for as many states at once as a batch has lanes.
    fn in_batches<T>(
        &mut self,
        states: &[State],
        mut answer: impl FnMut(&mut Batch, &[State], &mut Vec<T>),
    ) -> Result<Vec<T>, GameError> {
        let budget = self.budget.renewed();
        let mut answers = Vec::with_capacity(states.len());
        for states in states.chunks(LANES) {
            budget.check()?;
            answer(&mut self.batch, states, &mut answers);
        }
        Ok(answers)
    }

    fn check_count(&self, joint: &[Move]) -> Result<(), GameError> {
        if joint.len() == self.game.names.len() {
            Ok(())
        } else {
            Err(GameError::WrongCount { given: joint.len(), roles: self.game.names.clone() })
        }
    }

    fn play(
        &mut self,
        number: usize,
        start: &State,
        max_steps: usize,
        choose: &mut Chooser<'_>,
        budget: &Budget,
    ) -> Result<Playout, GameError> {
        self.enter(start);
        let mut legal = Vec::new();
        let mut joint = Vec::new();
        let mut steps = 0;
        let end = 'playout: loop {
            self.look();
            if self.terminal_here() {
                break PlayoutEnd::Terminal;
            }
            if steps == max_steps {
                break PlayoutEnd::MaxSteps;
            }
            joint.clear();
            for role in 0..self.game.roles.len() {
                legal.clear();
                legal.extend(self.legal_here(role));
                if legal.is_empty() {
                    break 'playout PlayoutEnd::Stuck(Role(role as u32));
                }
                joint.push(choose(number, Role(role as u32), &legal));
            }
            self.make(&joint);
            self.incremental.settle(STEP);
            self.advance();
            steps += 1;
            if steps % POLL_EVERY == 0 {
                budget.check()?;
            }
        };
        Ok(Playout { end, steps, state: self.game.state(&self.now), goals: self.goals_here() })
    }
}

impl StateMachine for NetMachine {
    fn roles(&self) -> &[Term] {
        &self.game.names
    }

    fn initial_state(&self) -> &State {
        &self.game.initial
    }

    fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<Move>, GameError> {
        self.enter(state);
        self.look();
        Ok(self.legal_here(role.0 as usize).collect())
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, GameError> {
        self.check_count(joint)?;
        self.enter(state);
        self.make(joint);
        self.incremental.settle(STEP);
        Ok(self.game.state(&self.incremental.output()[self.game.next.clone()]))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        self.enter(state);
        self.look();
        Ok(self.terminal_here())
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Option<i64>, GameError> {
        self.enter(state);
        Ok(self.goals_here()[role.0 as usize])
    }

    fn facts(&self, state: &State) -> Vec<Term> {
        let words: Vec<u64> = words(state).collect();
        let net = &self.game.net;
        let mut facts = net.constants.clone();
        facts.extend(ones(&words).map(|fact| net.facts[fact].term.clone()));
        let opposite = net.opposites.iter().filter(|(_, other)| words[other / 64] >> (other % 64) & 1 == 0);
        facts.extend(opposite.map(|(fact, _)| fact.clone()));
        // Three sorted lists, which the sort only merges.
        facts.cold_sort();
        facts
    }

    fn state_of(&mut self, facts: Vec<Term>) -> Result<State, GameError> {
        let unreachable = |text: String| GameError::Stopped(Stopped::Unsupported(text));
        let net = &self.game.net;
        let mut given: FxHashSet<Term> = facts.into_iter().collect();
        if let Some(missing) = net.constants.iter().find(|fact| !given.remove(fact)) {
            return Err(unreachable(format!("the state lacks {}, which every reachable state has", text(missing))));
        }
        for (fact, other) in &net.opposites {
            let other = &net.facts[*other].term;
            let has_other = given.contains(other);
            if has_other == given.remove(fact) {
                let has = if has_other { "has" } else { "lacks" };
                let [fact, other] = [fact, other].map(text);
                return Err(unreachable(format!(
                    "the state {has} {fact} and {other}, of which reachable states have one"
                )));
            }
        }
        let number = |fact: Term| {
            let number = self.game.numbers.get(&fact).copied();
            number.ok_or_else(|| unreachable(format!("the state has {}, which no reachable state has", text(&fact))))
        };
        let numbers: Vec<usize> = given.into_iter().map(number).collect::<Result<_, _>>()?;
        Ok(self.game.state_of(numbers))
    }

    fn move_term(&self, made: Move) -> &Term {
        &self.game.moves[made.0 as usize]
    }

    fn hides(&self) -> bool {
        self.game.net.hides
    }

    fn percepts(&mut self, state: &State, joint: &[Move]) -> Result<Percepts, GameError> {
        self.check_count(joint)?;
        self.enter(state);
        self.make(joint);
        self.incremental.settle(SEES);
        let output = self.incremental.output();
        let seen = |(numbers, words): &(Vec<Percept>, Range<usize>)| {
            ones(&output[words.clone()]).map(|place| numbers[place]).collect()
        };
        Ok(self.game.sees.iter().map(seen).collect())
    }

    fn percept_term(&self, seen: Percept) -> &Term {
        &self.game.percepts[seen.0 as usize]
    }

    fn percept_of(&mut self, seen: &Term) -> Option<Percept> {
        self.game.percepts.binary_search(seen).ok().map(|number| Percept(number as u32))
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    fn are_terminal(&mut self, states: &[State]) -> Result<Vec<bool>, GameError> {
        if states.len() < LEAST_BATCH {
            return states.iter().map(|state| self.is_terminal(state)).collect();
        }
        let game = self.game.clone();
        self.in_batches(states, |batch, states, answers| {
            let rows = batch.terminal(game.programs(), states);
            answers.extend((0..states.len()).map(|lane| rows.row(lane)[0] & 1 == 1));
        })
    }

    fn all_legal_moves(&mut self, states: &[State]) -> Result<Vec<LegalMoves>, GameError> {
        if states.len() < LEAST_BATCH {
            let of_state = |state| {
                self.enter(state);
                self.look();
                (0..self.game.roles.len()).map(|role| self.legal_here(role).collect()).collect()
            };
            return Ok(states.iter().map(of_state).collect());
        }
        let game = self.game.clone();
        self.in_batches(states, |batch, states, answers| {
            let rows = batch.legal(game.programs(), states);
            let moves = |lane, role: &MachineRole| {
                let mut moves = Vec::with_capacity(rows.count(lane, &role.moves));
                moves.extend(rows.ones(lane, &role.moves).map(Move));
                moves
            };
            answers.extend((0..states.len()).map(|lane| game.roles.iter().map(|role| moves(lane, role)).collect()));
        })
    }

    fn all_goals(&mut self, states: &[State]) -> Result<Vec<Goals>, GameError> {
        if states.len() < LEAST_BATCH {
            let of_state = |state| {
                self.enter(state);
                self.goals_here()
            };
            return Ok(states.iter().map(of_state).collect());
        }
        let game = self.game.clone();
        self.in_batches(states, |batch, states, answers| {
            let rows = batch.goals(game.programs(), states);
            answers.extend((0..states.len()).map(|lane| game.goals_of(&rows, lane).collect()));
        })
    }

    fn next_states(&mut self, steps: &[(&State, &[Move])]) -> Result<Vec<State>, GameError> {
        if steps.len() < LEAST_BATCH {
            return steps.iter().map(|(state, joint)| self.next_state(state, joint)).collect();
        }
        steps.iter().try_for_each(|(_, joint)| self.check_count(joint))?;
        let game = self.game.clone();
        let budget = self.budget.renewed();
        let mut next = Vec::with_capacity(steps.len());
        for steps in steps.chunks(LANES) {
            budget.check()?;
            let rows = self.batch.next(game.programs(), steps);
            next.extend((0..steps.len()).map(|lane| game.state(rows.row(lane))));
        }
        Ok(next)
    }

    fn playouts(
        &mut self,
        starts: &[State],
        max_steps: usize,
        choose: &mut Chooser<'_>,
    ) -> Result<Vec<Playout>, GameError> {
        let budget = self.budget.renewed();
        starts.iter().enumerate().map(|(number, start)| self.play(number, start, max_steps, choose, &budget)).collect()
    }

    fn random_playouts(
        &mut self,
        starts: &[State],
        max_steps: usize,
        seed: u64,
    ) -> Result<Vec<PlayoutOutcome>, GameError> {
        let budget = self.budget.renewed();
        let unlimited = Budget::unlimited();
        let lanes = self.game.lanes_for(starts, self.policy, self.uses, &unlimited)?;
        let outcomes = match starts.len() {
            0..=64 => lanes.play_from::<1>(starts, max_steps, seed, &budget),
            65..=256 => lanes.play_from::<4>(starts, max_steps, seed, &budget),
            _ => lanes.play_from::<8>(starts, max_steps, seed, &budget),
        };
        Ok(outcomes?)
    }
}
