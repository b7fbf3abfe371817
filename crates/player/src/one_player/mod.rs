//! Games for one: a line to the best goal is looked for in four ways at once, and then played.
//!
//! * *Best first*: states nearest to the goal by `relaxation` are expanded first, and those from which it is out of reach
//!   are dropped.
//! * *Part by part*: depth first, only moves that achieve the part of the goal that fewest moves achieve, as in constraint
//!   satisfaction (Haralick and Elliott, *Increasing tree search efficiency for constraint satisfaction problems*, 1980).
//! * *Breadth first*: all states, level by level; finds short lines that no heuristic points to.
//! * *Descents*: from the first state always to the child whose random playouts reached the best goal (a nested search of
//!   level one; Cazenave, *Nested Monte-Carlo search*, 2009), or that leaves the most or the fewest moves. Finds good lines
//!   where the best is out of reach.
//!
//! States that differ in nothing but facts that change by themselves (step counters) are taken for the same, until
//! nothing else is left to find.

mod relaxation;

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, free_elsewhere, is_stop, legal_moves};
use indexmap::IndexMap;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Goals, JointMove, Move, PlayoutOutcome, Role, State, StateMachine};
use ludolog_syntax::budget::Stopwatch;
use relaxation::Relaxation;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::mem::size_of;
use std::time::Duration;

/// The greatest goal.
const BEST: i64 = 100;

/// Joint moves after which a playout is given up.
const MAX_STEPS: usize = 1_000;

/// Playouts at each state of a descent on a net, where they run side by side.
const PLAYOUTS: usize = 256;

/// The time of one search before it is the turn of the next.
const SLICE: Duration = Duration::from_millis(20);

/// States expanded together, breadth first, at most.
const TOGETHER: usize = 64;

/// States that follow those that are expanded together, as far as one does not have more: the clock is looked at between.
const FOLLOWING: usize = 4096;

/// Plays alone.
pub struct OnePlayer {
    game: Game,
    relaxation: Option<Relaxation>,
    memory: usize,
    draw: Draw,
    plan: MovePlan,
}

/// The best line found.
#[derive(Default)]
struct MovePlan {
    /// Its goal; `None` before any line has come to an end.
    goal: Option<i64>,
    moves: FxHashMap<State, Move>,
}

/// A state reached by a search.
struct ReachedState {
    parent: usize,
    made: Move,
    state: State,
    steps: u32,
}

/// States in the order in which they were reached, by what tells them apart.
struct ReachedStates {
    reached: IndexMap<State, ReachedState, FxBuildHasher>,
    bytes: usize,
}

impl ReachedStates {
    fn new(key: State, state: State) -> ReachedStates {
        let root = ReachedState { parent: 0, made: Move(0), state, steps: 0 };
        ReachedStates { reached: IndexMap::from_iter([(key, root)]), bytes: 0 }
    }

    /// Enters a state; `None` if it is known and was reached in no more steps.
    fn enter(&mut self, key: State, reached: ReachedState) -> Option<usize> {
        self.bytes += size_of::<(State, ReachedState)>() + 8 * key.words().len() + 2 * size_of::<u64>();
        match self.reached.get_full(&key) {
            Some((_, _, known)) if known.steps <= reached.steps => None,
            _ => Some(self.reached.insert_full(key, reached).0),
        }
    }

    /// The moves that lead to a state.
    fn line(&self, to: usize) -> Vec<Move> {
        let mut line = Vec::new();
        let mut at = to;
        while at != 0 {
            let reached = &self.reached[at];
            line.push(reached.made);
            at = reached.parent;
        }
        line.reverse();
        line
    }
}

/// The guide of a descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescentGuide {
    /// The best playout.
    Playouts,
    /// The most legal moves: what was done restricts least.
    Most,
    /// The fewest legal moves, but at least one: what is hard to reach comes first (Warnsdorff, *Des Rösselsprunges
    /// einfachste und allgemeinste Lösung*, 1823).
    Fewest,
}

/// The order of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchOrder {
    Breadth,
    Best,
    Parts,
}

/// One search of states, whatever its order.
struct Front {
    table: ReachedStates,
    order: SearchOrder,
    /// Breadth first.
    queue: VecDeque<usize>,
    /// Otherwise: the cost, and the newest of those first.
    heap: BinaryHeap<(Reverse<u32>, usize)>,
    /// Whether states are told apart by facts that change by themselves, too.
    whole: bool,
    /// The moves of a state that was expanded last.
    moves: usize,
}

impl Front {
    /// The next states to be expanded, by number.
    fn next_batch(&mut self) -> Vec<usize> {
        match self.order {
            SearchOrder::Breadth => {
                let together = (FOLLOWING / self.moves.max(1)).clamp(1, TOGETHER);
                self.queue.drain(..self.queue.len().min(together)).collect()
            }
            SearchOrder::Best | SearchOrder::Parts => self.heap.pop().map(|(_, at)| at).into_iter().collect(),
        }
    }
}

impl OnePlayer {
    /// A player of the only role.
    pub fn new(game: Game, memory: usize, seed: u64) -> Self {
        let relaxation = match &game {
            Game::Net(net, _) => Relaxation::new(net).map(|(relaxation, _)| relaxation),
            Game::Interpreted(_) => None,
        };
        OnePlayer { game, relaxation, memory, draw: Draw::new(seed), plan: MovePlan::default() }
    }

    /// The goal of the best line found; `None` before any line has come to an end.
    pub fn goal(&self) -> Option<i64> {
        self.plan.goal
    }

    /// Looks for the best line from a state until it is found, or the budget ends.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn search(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        let mut report = SearchReport::default();
        match self.run(state, budget, &mut report) {
            Err(error) if !is_stop(&error) => return Err(error),
            _ => {}
        }
        report.time = watch.elapsed();
        report.value = self.plan.goal.map(|goal| goal as f64);
        report.proven |= self.plan.goal == Some(BEST);
        report.line = self.line(state)?;
        Ok(report)
    }

    fn run(&mut self, state: &State, budget: &Budget, report: &mut SearchReport) -> Result<(), GameError> {
        let clocks = self.relaxation.as_ref().is_some_and(Relaxation::has_clocks);
        let mut orders = vec![SearchOrder::Breadth];
        if let Some(relaxation) = &self.relaxation {
            orders.push(SearchOrder::Best);
            orders.extend(relaxation.has_conjuncts().then_some(SearchOrder::Parts));
        }
        let mut fronts: Vec<Front> = orders.into_iter().map(|order| self.front(state, order, !clocks)).collect();
        let result = self.advance_all(&mut fronts, state, budget, report);
        // Millions of states take longer to free than the margin of a clock.
        free_elsewhere(fronts);
        result
    }

    fn advance_all(
        &mut self,
        fronts: &mut [Front],
        state: &State,
        budget: &Budget,
        report: &mut SearchReport,
    ) -> Result<(), GameError> {
        let memory = self.memory / fronts.len();
        while self.plan.goal != Some(BEST) {
            for front in fronts.iter_mut().filter(|front| front.table.bytes < memory) {
                self.advance(front, state, budget, report)?;
                if front.order == SearchOrder::Breadth && front.queue.is_empty() {
                    if front.whole {
                        // All that can be reached was seen.
                        report.proven = true;
                        return Ok(());
                    }
                    *front = self.front(state, SearchOrder::Breadth, true);
                }
            }
            for guide in [DescentGuide::Playouts, DescentGuide::Most, DescentGuide::Fewest] {
                if self.plan.goal != Some(BEST) {
                    self.descend(state, guide, budget, report)?;
                }
            }
        }
        Ok(())
    }

    fn front(&self, state: &State, order: SearchOrder, whole: bool) -> Front {
        let table = ReachedStates::new(self.key(state, whole), state.clone());
        Front { table, order, queue: VecDeque::from([0]), heap: BinaryHeap::from([(Reverse(0), 0)]), whole, moves: 1 }
    }

    fn key(&self, state: &State, whole: bool) -> State {
        let relaxation = self.relaxation.as_ref().filter(|_| !whole);
        relaxation.map_or_else(|| state.clone(), |relaxation| relaxation.without_clocks(state))
    }

    /// Expands states for a slice of time.
    fn advance(
        &mut self,
        front: &mut Front,
        start: &State,
        budget: &Budget,
        report: &mut SearchReport,
    ) -> Result<(), GameError> {
        let watch = Stopwatch::start(budget);
        while watch.elapsed() < SLICE && self.plan.goal != Some(BEST) {
            budget.check()?;
            self.game.machine().set_budget(budget.rest());
            let batch = front.next_batch();
            if batch.is_empty() {
                break;
            }
            let states: Vec<State> = batch.iter().map(|&at| front.table.reached[at].state.clone()).collect();
            report.nodes += states.len() as u64;
            let machine = self.game.machine();
            let legal = machine.all_legal_moves(&states)?;
            let steps: Vec<(usize, Move)> =
                legal.iter().enumerate().flat_map(|(i, moves)| moves[0].iter().map(move |&made| (i, made))).collect();
            front.moves = steps.len() / states.len();
            let joint: Vec<[Move; 1]> = steps.iter().map(|&(_, made)| [made]).collect();
            let asked: Vec<(&State, &[Move])> =
                steps.iter().zip(&joint).map(|(&(i, _), joint)| (&states[i], &joint[..])).collect();
            let next = machine.next_states(&asked)?;
            let terminal = machine.are_terminal(&next)?;
            let wanted = self.wanted(front.order, &states[0], &next);
            for ((((i, made), next), terminal), wanted) in steps.into_iter().zip(next).zip(terminal).zip(wanted) {
                let parent = batch[i];
                if terminal {
                    let goal = self.game.machine().goal(&next, Role(0))?.unwrap_or(0);
                    if self.plan.goal.is_none_or(|known| goal > known) {
                        let mut line = front.table.line(parent);
                        line.push(made);
                        self.take(start, &line)?;
                    }
                    continue;
                }
                if !wanted {
                    continue;
                }
                let depth = front.table.reached[parent].steps + 1;
                report.depth = report.depth.max(depth as usize);
                let reached = ReachedState { parent, made, state: next, steps: depth };
                let key = self.key(&reached.state, front.whole);
                let state = reached.state.clone();
                let Some(at) = front.table.enter(key, reached) else { continue };
                match (front.order, &mut self.relaxation) {
                    (SearchOrder::Best, Some(relaxation)) => {
                        if let Some(cost) = relaxation.distance(&state, budget)? {
                            front.heap.push((Reverse(cost), at));
                        }
                    }
                    (SearchOrder::Parts, _) => front.heap.push((Reverse(0), at)),
                    _ => front.queue.push_back(at),
                }
            }
        }
        Ok(())
    }

    /// By state that follows a state: whether a search goes on there.
    fn wanted(&mut self, order: SearchOrder, state: &State, next: &[State]) -> Vec<bool> {
        let Some(relaxation) = self.relaxation.as_mut().filter(|_| order != SearchOrder::Breadth) else {
            return vec![true; next.len()];
        };
        if order == SearchOrder::Best {
            return relaxation.may_be_reached(next);
        }
        let mut wanted = vec![false; next.len()];
        relaxation.most_constrained(state, next).into_iter().for_each(|number| wanted[number] = true);
        wanted
    }

    /// Makes a line the plan, if its moves are legal and lead to a better goal.
    fn take(&mut self, start: &State, line: &[Move]) -> Result<(), GameError> {
        let machine = self.game.machine();
        let mut state = start.clone();
        let mut moves = FxHashMap::default();
        for &made in line {
            if machine.is_terminal(&state)? || !machine.legal_moves(&state, Role(0))?.contains(&made) {
                return Ok(());
            }
            let next = machine.next_state(&state, &[made])?;
            moves.insert(state, made);
            state = next;
        }
        let goal = machine.goal(&state, Role(0))?.unwrap_or(0);
        if machine.is_terminal(&state)? && self.plan.goal.is_none_or(|known| goal > known) {
            self.plan = MovePlan { goal: Some(goal), moves };
        }
        Ok(())
    }

    /// Goes down once, always to the child that the guide points to.
    fn descend(
        &mut self,
        start: &State,
        guide: DescentGuide,
        budget: &Budget,
        report: &mut SearchReport,
    ) -> Result<(), GameError> {
        let is_net = matches!(self.game, Game::Net(..));
        let mut state = start.clone();
        let mut line = Vec::new();
        while line.len() < MAX_STEPS {
            budget.check()?;
            self.game.machine().set_budget(budget.rest());
            let seed = self.draw.below(1 << 30) as u64;
            let machine = self.game.machine();
            if machine.is_terminal(&state)? {
                break;
            }
            let moves = machine.legal_moves(&state, Role(0))?;
            if moves.is_empty() {
                return Ok(());
            }
            // Of very many moves some are looked at, evenly spread.
            let first = self.draw.below(moves.len());
            let spread = moves.len().div_ceil(FOLLOWING);
            let moves: Vec<Move> = (0..moves.len()).step_by(spread).map(|i| moves[(first + i) % moves.len()]).collect();
            let joint: Vec<[Move; 1]> = moves.iter().map(|&made| [made]).collect();
            let steps: Vec<(&State, &[Move])> = joint.iter().map(|joint| (&state, &joint[..])).collect();
            let mut next = machine.next_states(&steps)?;
            let ranks: Vec<(i64, i64)> = match guide {
                DescentGuide::Playouts => {
                    let each = if is_net { (PLAYOUTS / next.len()).max(1) } else { 1 };
                    let starts: Vec<State> =
                        next.iter().flat_map(|state| std::iter::repeat_n(state.clone(), each)).collect();
                    let played = machine.random_playouts(&starts, MAX_STEPS, seed)?;
                    report.playouts += played.len() as u64;
                    let rank = |outcomes: &[PlayoutOutcome]| {
                        let goals = || outcomes.iter().map(|outcome| outcome.goals[0].unwrap_or(0));
                        (goals().max().unwrap_or(0), goals().sum::<i64>())
                    };
                    played.chunks(each).map(rank).collect()
                }
                DescentGuide::Most | DescentGuide::Fewest => {
                    let counts = machine.all_legal_moves(&next)?.into_iter().map(|legal| legal[0].len() as i64);
                    let ends = machine.are_terminal(&next)?.into_iter().zip(machine.all_goals(&next)?);
                    // Of ends only the best is better than going on.
                    let rank = |(count, (is_end, goals)): (i64, (bool, Goals))| match (is_end, goals[0].unwrap_or(0)) {
                        (true, BEST) => (1, 0),
                        (true, goal) => (-1, goal),
                        (false, _) if count == 0 => (-2, 0),
                        (false, _) => (0, if guide == DescentGuide::Most { count } else { -count }),
                    };
                    counts.zip(ends).map(rank).collect()
                }
            };
            let first = self.draw.below(ranks.len());
            let best = (0..ranks.len()).map(|i| (i + first) % ranks.len()).max_by_key(|&i| ranks[i]).unwrap_or(0);
            line.push(moves[best]);
            state = next.swap_remove(best);
        }
        self.take(start, &line)
    }

    /// The line of the plan from a state on.
    fn line(&mut self, state: &State) -> Result<Vec<JointMove>, GameError> {
        let machine = self.game.machine();
        machine.set_budget(Budget::unlimited());
        let mut state = state.clone();
        let mut line = Vec::new();
        while let Some(&made) = self.plan.moves.get(&state) {
            line.push(JointMove::from([made]));
            state = machine.next_state(&state, &[made])?;
        }
        Ok(line)
    }
}

impl Player for OnePlayer {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        let initial = self.game.machine().initial_state().clone();
        self.search(&initial, budget)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, Role(0), budget)?;
        let planned = self.plan.moves.get(state).copied();
        if planned.is_none() {
            self.plan = MovePlan::default();
        }
        let report = match planned {
            // Nothing can be better, and nothing is to be chosen.
            Some(_) if self.plan.goal == Some(BEST) => {
                SearchReport { value: Some(BEST as f64), proven: true, ..SearchReport::default() }
            }
            _ if legal.len() == 1 => SearchReport::default(),
            _ => self.search(state, budget)?,
        };
        let made = self.plan.moves.get(state).copied().filter(|made| legal.contains(made)).unwrap_or(legal[0]);
        Ok(Choice { made, report })
    }
}
