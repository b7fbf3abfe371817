//! Alpha-beta search by iterative deepening, for two players that take turns.
//!
//! The player maximizes its goal, all others minimize it: with two players whose goals have a constant sum this is
//! minimax, and values that rest on terminal states alone are exact. States at the horizon are valued by playouts, all
//! children of a node in one batch. A table from states to values (Greenblatt, Eastlake and Crocker, *The Greenblatt
//! chess program*, 1967) holds the best move of the iteration before, which is tried first, then come the moves that
//! cut off most often (Schaeffer, *The history heuristic*, 1989).
//!
//! If several roles choose at once, the others are taken to know the player's move.

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, is_stop, legal_moves, place};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, JointMove, JointMoves, Move, Role, State, StateMachine};
use ludolog_syntax::budget::Stopwatch;
use rustc_hash::FxHashMap;
use std::mem::size_of;
use std::time::Duration;

/// A value: a goal, times a hundred.
type Hundredths = i32;

/// The value of a goal of 100.
const MAX: Hundredths = 10_000;

/// Joint moves after which a playout at the horizon is given up.
const MAX_STEPS: usize = 1_000;

/// Playouts that value the children of one node.
const PLAYOUTS: usize = 64;

/// Most joint moves of a node. A state with more is valued as one at the horizon.
const MAX_JOINT: usize = 4_096;

/// Deepest iteration.
const MAX_DEPTH: u32 = 512;

/// The depth of values that do not depend on the horizon.
const EXACT: u16 = u16::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
    Both,
}

/// The knowledge of a state.
#[derive(Clone, Copy)]
struct StateEntry {
    check: u64,
    value: Hundredths,
    /// The place of the best joint move, in the order of [`JointMoves`].
    best: u32,
    depth: u16,
    bound: Bound,
}

/// An entry as the table holds it. Zeros are no entry, and a table of them costs nothing before it is written to.
type PackedEntry = [u64; 3];

impl StateEntry {
    fn pack(self) -> PackedEntry {
        let bound = match self.bound {
            Bound::Lower => 0,
            Bound::Upper => 1,
            Bound::Both => 2,
        };
        let value = u64::from(self.value as u32);
        [self.check, value << 32 | u64::from(self.best), u64::from(self.depth) << 2 | bound]
    }

    fn unpack([check, values, rest]: PackedEntry) -> StateEntry {
        let bound = match rest & 3 {
            0 => Bound::Lower,
            1 => Bound::Upper,
            _ => Bound::Both,
        };
        StateEntry { check, value: (values >> 32) as Hundredths, best: values as u32, depth: (rest >> 2) as u16, bound }
    }
}

/// A value with the reason to trust it.
#[derive(Clone, Copy, Debug)]
struct Valued {
    value: Hundredths,
    exact: bool,
}

/// The settings of the player.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaBetaSettings {
    /// Most bytes of the table.
    pub memory: usize,
    /// The deepest iteration; `None` to go on until time is over.
    pub depth: Option<u32>,
    /// The seed of playouts at the horizon.
    pub seed: u64,
}

impl Default for AlphaBetaSettings {
    fn default() -> Self {
        AlphaBetaSettings { memory: 128 << 20, depth: None, seed: 1 }
    }
}

/// Plays by alpha-beta search.
pub struct AlphaBeta {
    game: Game,
    role: Role,
    settings: AlphaBetaSettings,
    table: Vec<PackedEntry>,
    /// The number of times that moves have cut off, weighed by depth.
    history: FxHashMap<Move, u32>,
    draw: Draw,
    nodes: u64,
    playouts: u64,
}

/// A search under way.
struct AlphaBetaSearch<'s> {
    player: &'s mut AlphaBeta,
    budget: &'s Budget,
}

impl AlphaBeta {
    /// A player of this role.
    pub fn new(game: Game, role: Role, settings: AlphaBetaSettings) -> Self {
        let entries = (settings.memory / size_of::<PackedEntry>()).max(1);
        // The greatest power of two within memory.
        let entries = 1 << entries.ilog2();
        let draw = Draw::new(settings.seed);
        let history = FxHashMap::default();
        AlphaBeta { game, role, settings, table: vec![[0; 3]; entries], history, draw, nodes: 0, playouts: 0 }
    }

    /// Finds the best move of a state that is not terminal, deeper and deeper until the budget ends or the value is
    /// exact.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn search(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        (self.nodes, self.playouts) = (0, 0);
        self.history.clear();
        let mut report = SearchReport::default();
        let deepest = self.settings.depth.unwrap_or(MAX_DEPTH);
        for depth in 1..=deepest {
            let searched = AlphaBetaSearch { player: self, budget }.value(state, depth, 0, MAX);
            match searched {
                Ok(valued) => {
                    report.depth = depth as usize;
                    (report.value, report.proven) = (Some(f64::from(valued.value) / 100.0), valued.exact);
                    report.line = self.line(state, depth as usize)?;
                    if valued.exact {
                        break;
                    }
                }
                Err(error) if is_stop(&error) => break,
                Err(error) => return Err(error),
            }
        }
        (report.nodes, report.playouts, report.time) = (self.nodes, self.playouts, watch.elapsed());
        Ok(report)
    }

    /// The joint moves that the table holds for best, from a state on.
    fn line(&mut self, state: &State, most: usize) -> Result<Vec<JointMove>, GameError> {
        let mut state = state.clone();
        let mut line = Vec::new();
        self.game.machine().set_budget(Budget::unlimited());
        while line.len() < most {
            let Some(entry) = self.entry(&state) else { break };
            let machine = self.game.machine();
            if machine.is_terminal(&state)? {
                break;
            }
            let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
            let Some(joint) = JointMoves::new(legal).nth(entry.best as usize) else { break };
            state = machine.next_state(&state, &joint)?;
            line.push(joint);
        }
        Ok(line)
    }

    fn slot(&self, state: &State) -> (usize, u64) {
        let [mut a, mut b] = [0x9E37_79B9_7F4A_7C15u64, 0xD1B5_4A32_D192_ED03];
        for &word in state.words() {
            a = (a ^ u64::from(word)).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(31);
            b = (b ^ u64::from(word)).wrapping_mul(0xC4CE_B9FE_1A85_EC53).rotate_left(29);
        }
        ((a ^ a >> 32) as usize & (self.table.len() - 1), b | 1)
    }

    /// The entry of the table for a state.
    fn entry(&self, state: &State) -> Option<StateEntry> {
        let (slot, check) = self.slot(state);
        Some(StateEntry::unpack(self.table[slot])).filter(|entry| entry.check == check)
    }

    /// Enters a value. An exact one of another state stays, unless the entry is exact as well.
    fn enter(&mut self, state: &State, entry: StateEntry) {
        let (slot, check) = self.slot(state);
        let known = StateEntry::unpack(self.table[slot]);
        if known.check == check || known.depth != EXACT || entry.depth == EXACT {
            self.table[slot] = StateEntry { check, ..entry }.pack();
        }
    }
}

impl AlphaBetaSearch<'_> {
    /// The value of a state that is not terminal, if it is between `alpha` and `beta`; else a bound.
    fn value(&mut self, state: &State, depth: u32, alpha: Hundredths, beta: Hundredths) -> Result<Valued, GameError> {
        self.budget.check()?;
        self.player.nodes += 1;
        let known = self.player.entry(state);
        if let Some(known) = known.filter(|known| u32::from(known.depth) >= depth) {
            let exact = known.depth == EXACT;
            let usable = match known.bound {
                Bound::Both => true,
                Bound::Lower => known.value >= beta,
                Bound::Upper => known.value <= alpha,
            };
            if usable {
                return Ok(Valued { value: known.value, exact });
            }
        }
        let machine = self.player.game.machine();
        machine.set_budget(self.budget.rest());
        let legal = machine.all_legal_moves(std::slice::from_ref(state))?.swap_remove(0);
        let combinations = legal.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
        if combinations.is_none_or(|count| count == 0 || count > MAX_JOINT) {
            return Ok(self.estimates(std::slice::from_ref(state), PLAYOUTS)?[0]);
        }
        let me = place(self.player.role);
        // The player's moves in blocks, each with all answers of the others.
        let joint: Vec<JointMove> = JointMoves::new(legal).collect();
        let machine = self.player.game.machine();
        let steps: Vec<(&State, &[Move])> = joint.iter().map(|joint| (state, &**joint)).collect();
        let next = machine.next_states(&steps)?;
        let mut valued = self.ends(&next)?;
        let is_last = depth == 1;
        if is_last {
            self.estimate_open(&next, &mut valued)?;
        }
        let mut order: Vec<usize> = (0..joint.len()).collect();
        let first = known.map(|known| known.best as usize);
        let history = &self.player.history;
        let moves_together = |number: usize| joint[number][me];
        let rank = |number: usize| {
            let of_history: u32 = joint[number].iter().map(|made| history.get(made).copied().unwrap_or(0)).sum();
            (Some(number) != first, std::cmp::Reverse(of_history))
        };
        order.sort_by_cached_key(|&number| rank(number));
        // All answers to one move stay together, in the order in which the first of them stands.
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut block_of: FxHashMap<Move, usize> = FxHashMap::default();
        for number in order {
            let block = *block_of.entry(moves_together(number)).or_insert_with(|| {
                blocks.push(Vec::new());
                blocks.len() - 1
            });
            blocks[block].push(number);
        }
        let mut best = Valued { value: -1, exact: true };
        let mut best_number = blocks[0][0];
        let mut all_exact = true;
        for block in blocks {
            let mut worst = Valued { value: MAX + 1, exact: true };
            let mut worst_number = block[0];
            let mut answers_exact = true;
            for number in block {
                let alpha = alpha.max(best.value);
                let beta = beta.min(worst.value);
                let found = match valued[number] {
                    Some(found) => found,
                    None => self.value(&next[number], depth - 1, alpha, beta)?,
                };
                answers_exact &= found.exact;
                if found.value < worst.value {
                    (worst, worst_number) = (found, number);
                }
                if worst.value <= alpha {
                    // The others refute the move; all that counts is this answer.
                    answers_exact = found.exact;
                    self.remember(&joint[number], depth);
                    break;
                }
            }
            worst.exact = answers_exact;
            all_exact &= worst.exact;
            if worst.value > best.value {
                (best, best_number) = (worst, worst_number);
            }
            if best.value >= beta {
                all_exact = best.exact;
                self.remember(&joint[best_number], depth);
                break;
            }
            if best.value >= MAX && best.exact {
                all_exact = true;
                break;
            }
        }
        let bound = match best.value {
            // The ends of the scale are values, not bounds.
            value if value >= beta && value < MAX => Bound::Lower,
            value if value <= alpha && value > 0 => Bound::Upper,
            _ => Bound::Both,
        };
        let depth = if all_exact { EXACT } else { depth as u16 };
        self.player.enter(state, StateEntry { check: 0, value: best.value, best: best_number as u32, depth, bound });
        Ok(Valued { value: best.value, exact: all_exact })
    }

    fn remember(&mut self, joint: &JointMove, depth: u32) {
        for &made in joint {
            let count = self.player.history.entry(made).or_default();
            *count = count.saturating_add(depth * depth);
        }
    }

    /// The values of those states that are terminal.
    fn ends(&mut self, states: &[State]) -> Result<Vec<Option<Valued>>, GameError> {
        let role = self.player.role;
        let machine = self.player.game.machine();
        let terminal = machine.are_terminal(states)?;
        let mut valued = vec![None; states.len()];
        for (number, _) in terminal.into_iter().enumerate().filter(|(_, terminal)| *terminal) {
            let value = goal_value(machine.goal(&states[number], role)?);
            valued[number] = Some(Valued { value, exact: true });
        }
        Ok(valued)
    }

    /// Values the states that have no value yet by the table, or else by playouts.
    fn estimate_open(&mut self, states: &[State], valued: &mut [Option<Valued>]) -> Result<(), GameError> {
        let mut open = Vec::new();
        for (number, state) in
            states.iter().enumerate().filter(|(number, _)| valued[*number].is_none()).collect::<Vec<_>>()
        {
            match self.player.entry(state).filter(|entry| entry.bound == Bound::Both) {
                Some(entry) => valued[number] = Some(Valued { value: entry.value, exact: entry.depth == EXACT }),
                None => open.push(number),
            }
        }
        let starts: Vec<State> = open.iter().map(|&number| states[number].clone()).collect();
        let each = (PLAYOUTS / starts.len().max(1)).clamp(1, PLAYOUTS);
        for (number, estimate) in open.into_iter().zip(self.estimates(&starts, each)?) {
            valued[number] = Some(estimate);
        }
        Ok(())
    }

    /// The means of some playouts from each state.
    fn estimates(&mut self, states: &[State], each: usize) -> Result<Vec<Valued>, GameError> {
        let me = place(self.player.role);
        let starts: Vec<State> = states.iter().flat_map(|state| std::iter::repeat_n(state.clone(), each)).collect();
        let seed = self.player.draw.below(1 << 30) as u64;
        let machine = self.player.game.machine();
        machine.set_budget(self.budget.rest());
        let played = machine.random_playouts(&starts, MAX_STEPS, seed)?;
        self.player.playouts += played.len() as u64;
        let mean = |played: &[ludolog_game::PlayoutOutcome]| {
            let sum: Hundredths = played.iter().map(|outcome| goal_value(outcome.goals[me])).sum();
            // Estimates never look like certainties.
            Valued { value: (sum / each as Hundredths).clamp(1, MAX - 1), exact: false }
        };
        Ok(played.chunks(each).map(mean).collect())
    }
}

fn goal_value(goal: Option<i64>) -> Hundredths {
    goal.unwrap_or(0).clamp(0, 100) as Hundredths * (MAX / 100)
}

impl Player for AlphaBeta {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        let initial = self.game.machine().initial_state().clone();
        match self.game.machine().is_terminal(&initial) {
            Ok(false) => self.search(&initial, budget),
            Ok(true) => Ok(SearchReport::default()),
            Err(error) if is_stop(&error) => Ok(SearchReport::default()),
            Err(error) => Err(error),
        }
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        if legal.len() == 1 {
            return Ok(Choice { made: legal[0], report: SearchReport::default() });
        }
        let report = self.search(state, budget)?;
        let best = report.line.first().map(|joint| joint[place(self.role)]);
        Ok(Choice { made: best.filter(|made| legal.contains(made)).unwrap_or(legal[0]), report })
    }
}
