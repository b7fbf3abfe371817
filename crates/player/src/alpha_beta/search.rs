//! The search of one state to a given depth.
//!
//! Moves are tried in the order of what the table holds for best, what cut off beside it (killers), and what cut off most
//! often anywhere (Schaeffer, *The history heuristic*, 1989). The first move is searched with the whole window, the others with an empty
//! one unless they prove better (Marsland and Campbell, *Parallel search of strongly ordered game trees*, 1982); late
//! ones to less depth at first. A state in which nobody has a choice costs no depth.

use super::table::{Bound, EXACT, StateEntry, TranspositionTable};
use super::{Hundredths, MAX, Valued};
use crate::judge::Evaluator;
use crate::player::{place, settled, values};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, LegalMoves, Move, Role, State, StateMachine};
use std::cmp::Reverse;

/// Joint moves after which a playout at the horizon is given up.
const MAX_STEPS: usize = 1_000;

/// Playouts that value a state at the horizon where there is no judge.
const PLAYOUTS: usize = 8;

/// Most joint moves of a state. One with more is valued as one at the horizon.
const MAX_JOINT: usize = 4_096;

/// The longest line. Only games in which nobody has a choice for long come to it.
const MAX_PLY: usize = 1_024;

/// Nodes between two checks of the budget.
const POLL_EVERY: u64 = 64;

/// The least depth at which late moves are searched to less.
const LEAST_REDUCED_DEPTH: u32 = 3;

/// The number of moves that are never searched to less depth.
const FIRST_MOVES: usize = 3;

/// Moves that cut off at the same distance from the root.
const KILLERS: usize = 2;

/// The value of states at the horizon.
pub enum Horizon {
    Judge(Evaluator),
    Playouts(Draw),
}

/// The moves that cut off so far.
#[derive(Default)]
pub struct Ordering {
    /// By move: the number of times, weighed by depth.
    history: Vec<u32>,
    /// By distance from the root.
    killers: Vec<[Option<Move>; KILLERS]>,
}

impl Ordering {
    /// Begins a search: what was before counts less.
    pub fn begin(&mut self) {
        self.history.iter_mut().for_each(|count| *count /= 8);
        self.killers.clear();
    }

    fn history(&self, made: Move) -> u32 {
        self.history.get(made.0 as usize).copied().unwrap_or(0)
    }

    fn killers(&self, ply: usize) -> [Option<Move>; KILLERS] {
        self.killers.get(ply).copied().unwrap_or_default()
    }

    fn cut_off(&mut self, made: Move, depth: u32, ply: usize) {
        let number = made.0 as usize;
        if self.history.len() <= number {
            self.history.resize(number + 1, 0);
        }
        self.history[number] = self.history[number].saturating_add(depth * depth);
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, Default::default());
        }
        let [first, second] = &mut self.killers[ply];
        if *first != Some(made) {
            (*second, *first) = (*first, Some(made));
        }
    }
}

/// The roles that have a choice, the player before the others.
pub fn deciders(legal: &LegalMoves, role: Role) -> impl Iterator<Item = usize> + '_ {
    let me = place(role);
    let others = (0..legal.len()).filter(move |&other| other != me);
    [me].into_iter().chain(others).filter(|&decider| legal[decider].len() > 1)
}

/// A window of values for the one who decides.
#[derive(Clone, Copy)]
struct Window {
    alpha: Hundredths,
    beta: Hundredths,
}

impl Window {
    /// The same window as the opponent sees it.
    fn turned(self) -> Window {
        Window { alpha: MAX - self.beta, beta: MAX - self.alpha }
    }
}

impl Valued {
    fn turned(self) -> Valued {
        Valued { value: MAX - self.value, ..self }
    }
}

/// A state whose moves are tried.
struct SearchNode<'n> {
    state: &'n State,
    legal: LegalMoves,
    deciders: Vec<usize>,
    ply: usize,
    /// The move to be tried first.
    first: Option<Move>,
}

/// A search under way.
pub struct Search<'s> {
    machine: &'s mut dyn StateMachine,
    role: Role,
    table: &'s mut TranspositionTable,
    ordering: &'s mut Ordering,
    horizon: &'s mut Horizon,
    budget: &'s Budget,
    /// The greatest value of an end.
    greatest: Hundredths,
    /// The states from the root to the one that is looked at, as the table tells them apart.
    path: Vec<u64>,
    /// States looked at.
    pub nodes: u64,
    pub playouts: u64,
    /// The best move so far of the first role that decides in the root.
    pub best: Option<Move>,
}

impl<'s> Search<'s> {
    /// A search for the goal of a role. Questions to the machine have the budget that was set.
    pub fn new(
        machine: &'s mut dyn StateMachine,
        role: Role,
        table: &'s mut TranspositionTable,
        ordering: &'s mut Ordering,
        horizon: &'s mut Horizon,
        budget: &'s Budget,
    ) -> Self {
        Search {
            machine,
            role,
            table,
            ordering,
            horizon,
            budget,
            greatest: MAX,
            path: Vec::new(),
            nodes: 0,
            playouts: 0,
            best: None,
        }
    }

    /// The search, where no goal of the role is greater.
    pub fn up_to(self, goal: i64) -> Self {
        Search { greatest: goal as Hundredths * (MAX / 100), ..self }
    }

    /// The goal that the role reaches from a state that is not terminal.
    ///
    /// # Errors
    ///
    /// [`GameError`]; if the budget ends, `best` is the best of the moves that were searched.
    pub fn root(&mut self, state: &State, depth: u32) -> Result<Valued, GameError> {
        self.best = None;
        self.path.clear();
        self.budget.check()?;
        self.value(state, depth, 0, Window { alpha: -1, beta: MAX + 1 })
    }

    /// The role's value of a state, if it is between `alpha` and `beta`; else a bound.
    fn value(&mut self, state: &State, depth: u32, ply: usize, window: Window) -> Result<Valued, GameError> {
        if self.nodes.is_multiple_of(POLL_EVERY) {
            self.budget.check()?;
        }
        self.nodes += 1;
        let check = self.table.check(state);
        if self.path.contains(&check) {
            return Ok(self.circle());
        }
        let known = self.table.get(state);
        let usable = known.and_then(|known| known.usable(depth, window.alpha, window.beta));
        if let Some(valued) = usable.filter(|_| ply > 0) {
            return Ok(valued);
        }
        if self.machine.is_terminal(state)? {
            return self.end(state);
        }
        if depth == 0 || ply >= MAX_PLY {
            return self.estimate(state);
        }
        let legal = self.machine.all_legal_moves(std::slice::from_ref(state))?.swap_remove(0);
        let combinations = legal.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
        if combinations.is_none_or(|count| count == 0 || count > MAX_JOINT) {
            return self.estimate(state);
        }
        let deciders: Vec<usize> = deciders(&legal, self.role).collect();
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let first = known.and_then(|known| known.best);
        let left = depth - u32::from(!deciders.is_empty());
        let node = SearchNode { state, legal, deciders, ply, first };
        self.path.push(check);
        let found = self.decide(&node, &mut joint, 0, left, window)?;
        self.path.pop();
        let Valued { value, exact, steps } = found.valued;
        let bound = match value {
            // The ends of the scale are values, not bounds.
            value if value >= window.beta && value < self.greatest => Bound::Lower,
            value if value <= window.alpha && value > 0 => Bound::Upper,
            _ => Bound::Both,
        };
        let depth = if exact { EXACT } else { (depth as u16).min(EXACT - 1) };
        self.table.enter(state, StateEntry { value, best: found.best, depth, bound, steps });
        Ok(found.valued)
    }

    /// The value of a line that comes back to one of its states: between those of a win and a loss, and less than that of an
    /// end between them, since it leads to none.
    fn circle(&self) -> Valued {
        Valued { value: self.greatest / 2 - 1, exact: false, steps: 0 }
    }

    /// The value of a terminal state. Without a single goal of the role there is no certainty.
    fn end(&mut self, state: &State) -> Result<Valued, GameError> {
        let given = self.machine.goal(state, self.role)?;
        let goal = match given {
            Some(goal) => goal,
            None => {
                let goals = self.machine.all_goals(std::slice::from_ref(state))?.swap_remove(0);
                settled(&goals).nth(place(self.role)).unwrap_or(0)
            }
        };
        Ok(Valued { value: goal.clamp(0, 100) as Hundredths * (MAX / 100), exact: given.is_some(), steps: 0 })
    }

    /// Tries the moves of the roles that decide, from the one at `place` on; those before it have made theirs.
    fn decide(
        &mut self,
        node: &SearchNode<'_>,
        joint: &mut Vec<Move>,
        at: usize,
        depth: u32,
        window: Window,
    ) -> Result<Decision, GameError> {
        let Some(&decider) = node.deciders.get(at) else {
            let next = self.machine.next_state(node.state, joint)?;
            let valued = self.value(&next, depth, node.ply + 1, window)?;
            return Ok(Decision { best: None, valued: Valued { steps: valued.steps + 1, ..valued } });
        };
        let is_me = decider == place(self.role);
        let turned = |valued: Valued| if is_me { valued } else { valued.turned() };
        let seen = |window: Window| if is_me { window } else { window.turned() };
        let Window { alpha, beta } = seen(window);
        let moves = self.in_order(node, decider, at);
        let most = if is_me { self.greatest } else { MAX };
        let mut best = Valued { value: -1, exact: true, steps: 0 };
        let mut best_move = None;
        let mut all_exact = true;
        for (number, &made) in moves.iter().enumerate() {
            joint[decider] = made;
            let low = alpha.max(best.value);
            let mut try_to = |search: &mut Self, depth, alpha, beta| {
                let window = seen(Window { alpha, beta });
                search.decide(node, joint, at + 1, depth, window).map(|found| turned(found.valued))
            };
            let reduced = depth - reduction(node, number, depth);
            let mut found =
                if number == 0 { try_to(self, depth, low, beta)? } else { try_to(self, reduced, low, low + 1)? };
            if found.value > low && !found.exact && reduced < depth {
                found = try_to(self, depth, low, low + 1)?;
            }
            if number > 0 && found.value > low && found.value < beta && !(found.exact && found.value >= most) {
                found = try_to(self, depth, low, beta)?;
            }
            all_exact &= found.exact;
            // The others delay what they cannot avoid.
            found.steps = if is_me { found.steps } else { found.steps.max(best.steps) };
            best.steps = if is_me { best.steps } else { found.steps };
            if found.value > best.value {
                (best, best_move) = (found, Some(made));
                if node.ply == 0 && at == 0 {
                    self.best = best_move;
                }
            }
            if best.value >= beta || best.value >= most && best.exact {
                // The others do not count: this one refutes what came before.
                all_exact = best.exact;
                self.ordering.cut_off(made, depth + 1, node.ply);
                break;
            }
        }
        best.exact = all_exact;
        if best.exact && best.value >= most && node.ply == 0 && is_me && node.deciders.len() == 1 {
            self.hasten(node, joint, &mut best)?;
            best_move = self.best;
        }
        Ok(Decision { best: best_move, valued: turned(best) })
    }

    /// Takes the move to the best end whose proof is the shortest in the table: a move that leads back to where the role was
    /// before has a longer one.
    fn hasten(&mut self, node: &SearchNode<'_>, joint: &mut [Move], best: &mut Valued) -> Result<(), GameError> {
        let me = place(self.role);
        for &made in &node.legal[me] {
            joint[me] = made;
            let next = self.machine.next_state(node.state, joint)?;
            let known = if self.machine.is_terminal(&next)? {
                Some(self.end(&next)?)
            } else {
                let known = self.table.get(&next).filter(|known| known.bound == Bound::Both);
                known.and_then(|known| known.usable(0, best.value, best.value))
            };
            if let Some(known) = known.filter(|known| known.exact && known.value >= best.value)
                && known.steps + 1 < best.steps
            {
                (best.steps, self.best) = (known.steps + 1, Some(made));
            }
        }
        Ok(())
    }

    /// The moves of a role, the most promising first.
    fn in_order(&self, node: &SearchNode<'_>, decider: usize, at: usize) -> Vec<Move> {
        let mut moves = node.legal[decider].clone();
        let first = node.first.filter(|_| at == 0);
        let killers = self.ordering.killers(node.ply);
        moves.sort_by_cached_key(|&made| {
            let made = Some(made);
            let killer = killers.iter().position(|&killer| killer == made).unwrap_or(KILLERS);
            (made != first, killer, Reverse(made.map_or(0, |made| self.ordering.history(made))))
        });
        moves
    }

    /// The value of a state at the horizon. Estimates never look like certainties, and lie between the values of ends: nothing
    /// is expected that no end gives.
    fn estimate(&mut self, state: &State) -> Result<Valued, GameError> {
        let value = match &mut *self.horizon {
            Horizon::Judge(evaluator) => evaluator.value(state),
            Horizon::Playouts(draw) => {
                let starts = vec![state.clone(); PLAYOUTS];
                let played = self.machine.random_playouts(&starts, MAX_STEPS, draw.below(1 << 30) as u64)?;
                self.playouts += PLAYOUTS as u64;
                let goals = played.iter().filter_map(|outcome| values(&outcome.goals).nth(place(self.role)));
                goals.sum::<f32>() / PLAYOUTS as f32
            }
        };
        let value = ((value * MAX as f32) as Hundredths).clamp(1, self.greatest - 1);
        Ok(Valued { value, exact: false, steps: 0 })
    }
}

/// The value of a node, with the best move of the first role that decides.
struct Decision {
    best: Option<Move>,
    valued: Valued,
}

/// The depth that a move is searched to less, by its place among those of a node.
fn reduction(node: &SearchNode<'_>, number: usize, depth: u32) -> u32 {
    if number < FIRST_MOVES || depth < LEAST_REDUCED_DEPTH || node.deciders.len() > 1 {
        return 0;
    }
    let late = ((depth as f32).ln() * (number as f32).ln() / 2.0) as u32;
    late.clamp(1, depth - 1)
}
