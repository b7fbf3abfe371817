//! Regrets: strategies of all roles by their information sets, learned from sampled lines of play.
//!
//! Counterfactual regret minimization (Zinkevich, Johanson, Bowling and Piccione, *Regret minimization in games with
//! incomplete information*, 2007) plays each move in proportion to how much better it would have been so far; the
//! average of these strategies comes near to an equilibrium of a two-player game of constant sum. Here lines are sampled
//! (Lanctot, Waugh, Zinkevich and Bowling, *Monte Carlo sampling for regret minimization in extensive games*, 2009,
//! outcome sampling): those of one role with exploration, of the others and of chance as they play. What the moves that
//! were not sampled are worth is estimated by baselines, which keeps the estimate unbiased and makes it far less noisy
//! (Schmid, Burch, Lanctot, Moravčík, Kadlec and Bowling, *Variance reduction in Monte Carlo counterfactual regret
//! minimization*, 2019). A line adds at most one information set, and ends by uniformly random moves beyond those there
//! are (Lisý, Lanctot and Bowling, *Online Monte Carlo counterfactual regret minimization for search in imperfect
//! information games*, 2015).
//!
//! A line takes time in proportion to its joint moves and their legal moves.

use super::belief::{Particle, drawn_place};
use super::histories::{Histories, InformationSet, of_role};
use super::is_nature;
use crate::player::{place, values};
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::slice;

/// The chance with which the role that learns explores: then all its moves have the same chance.
const EXPLORATION: f64 = 0.4;

/// The part of a baseline that the last value makes up.
const BASELINE_STEP: f64 = 0.05;

/// What a move is taken to be worth before it was made.
const FIRST_ESTIMATE: f64 = 0.5;

/// The most joint moves of a line.
const MOST_STEPS: usize = 1_000;

/// The bytes of an information set besides those of its numbers, about.
const SET_BYTES: usize = 64;

/// The place of what is learned of an information set. Nothing in it is freed by itself, so that a tree of any size is
/// freed at once.
#[derive(Clone, Copy, Debug)]
struct Learned {
    /// The first of its legal moves.
    moves: usize,
    /// How many there are.
    count: usize,
    /// The first of its numbers: by move, how much better it would have been; by move, the sum of its chances, each by the
    /// number of its line and the chance that the role came here; by role and move, the estimated value.
    numbers: usize,
    /// Lines that came here.
    visits: u64,
}

impl Learned {
    fn moves(self) -> Range<usize> {
        self.moves..self.moves + self.count
    }

    /// The regrets of its moves.
    fn regrets(self) -> Range<usize> {
        self.numbers..self.numbers + self.count
    }

    /// The sums of the chances of its moves.
    fn sums(self) -> Range<usize> {
        self.numbers + self.count..self.numbers + 2 * self.count
    }

    /// The estimated values of its moves for a role.
    fn baselines(self, role: Role) -> Range<usize> {
        let first = self.numbers + (2 + place(role)) * self.count;
        first..first + self.count
    }
}

/// Numbers in the same proportion whose sum is 1; even ones if all are 0.
fn proportional(numbers: impl ExactSizeIterator<Item = f64> + Clone) -> Vec<f64> {
    let total: f64 = numbers.clone().sum();
    let even = 1.0 / numbers.len().max(1) as f64;
    numbers.map(|number| if total > 0.0 { number / total } else { even }).collect()
}

/// A choice on a sampled line.
struct Step {
    set: InformationSet,
    role: Role,
    /// The place of the move among those of the information set.
    made: usize,
    /// The chances of all moves by the regrets.
    strategy: Vec<f64>,
    /// The chance with which the move was drawn.
    drawn: f64,
    /// The chance with which the role that learns has come here by what was drawn, and by its strategy.
    reach: [f64; 2],
}

/// A line under way.
struct Line {
    steps: Vec<Step>,
    /// As in [`Step::reach`].
    reach: [f64; 2],
    /// Whether all information sets so far are known.
    is_known: bool,
}

/// The regrets and average strategies of all roles.
#[derive(Debug, Default)]
pub struct Regrets {
    learned: FxHashMap<InformationSet, Learned>,
    moves: Vec<Move>,
    numbers: Vec<f64>,
    lines: u64,
    /// The longest line within known information sets.
    depth: usize,
    /// By role, the sum of the estimates of its lines, and their number.
    values: Vec<(f64, u64)>,
}

impl Regrets {
    /// The lines sampled.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The information sets there are.
    pub fn len(&self) -> usize {
        self.learned.len()
    }

    /// Whether nothing is learned.
    pub fn is_empty(&self) -> bool {
        self.learned.is_empty()
    }

    /// The longest line within known information sets, in choices.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The bytes that they take, about.
    pub fn bytes(&self) -> usize {
        SET_BYTES * self.learned.len() + size_of_val(&self.numbers[..])
    }

    /// What is learned of an information set, if it has these legal moves.
    fn of(&self, set: InformationSet, moves: &[Move]) -> Option<Learned> {
        self.learned.get(&set).copied().filter(|learned| self.moves[learned.moves()] == *moves)
    }

    fn add(&mut self, set: InformationSet, moves: &[Move]) {
        let learned = Learned { moves: self.moves.len(), count: moves.len(), numbers: self.numbers.len(), visits: 0 };
        self.moves.extend(moves);
        self.numbers.resize(self.numbers.len() + 2 * moves.len(), 0.0);
        self.numbers.resize(self.numbers.len() + self.values.len() * moves.len(), FIRST_ESTIMATE);
        self.learned.insert(set, learned);
    }

    /// The goal of a role as estimated in the mean of the lines from which it learned, without its exploration; `None`
    /// without a line.
    pub fn value(&self, role: Role) -> Option<f64> {
        let (sum, lines) = self.values.get(place(role))?;
        (*lines > 0).then(|| (100.0 * sum / *lines as f64).clamp(0.0, 100.0))
    }

    /// The lines that came to an information set.
    pub fn visits(&self, set: InformationSet) -> u64 {
        self.learned.get(&set).map_or(0, |learned| learned.visits)
    }

    /// The average strategy of an information set with these legal moves: a chance for each, which sum to 1; all the
    /// same, if nothing is learned of it.
    pub fn average(&self, set: InformationSet, moves: &[Move]) -> Vec<f64> {
        match self.of(set, moves) {
            Some(learned) => proportional(self.numbers[learned.sums()].iter().copied()),
            None => vec![1.0 / moves.len() as f64; moves.len()],
        }
    }

    /// Samples a line from a state, and learns from it for one of the roles that choose, each in its turn. With `most` bytes
    /// no information set is added any more.
    ///
    /// # Errors
    ///
    /// As [`StateMachine::next_state`].
    pub fn sample(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        from: &Particle,
        draw: &mut Draw,
        most: usize,
    ) -> Result<(), GameError> {
        let roles = machine.roles().len();
        let choosers: Vec<Role> = (0..roles as u32).map(Role).filter(|&role| !is_nature(machine, role)).collect();
        let Some(&learner) = choosers.get(self.lines as usize % choosers.len().max(1)) else { return Ok(()) };
        let is_alone = choosers.len() == 1;
        self.values.resize(roles, (0.0, 0));
        let mut line = Line { steps: Vec::new(), reach: [1.0; 2], is_known: true };
        let has_room = self.bytes() + histories.bytes() < most;
        let end = self.walk(machine, histories, from, (learner, has_room), &mut line, draw)?;
        let goals = machine.all_goals(slice::from_ref(&end))?.swap_remove(0);
        let goal = values(&goals).nth(place(learner)).map_or(0.0, f64::from);
        self.lines += 1;
        self.depth = self.depth.max(line.steps.len());
        let estimate = self.learn(&line.steps, learner, goal, is_alone);
        let (sum, lines) = &mut self.values[place(learner)];
        (*sum, *lines) = (*sum + estimate, *lines + 1);
        Ok(())
    }

    /// The chances of the moves of an information set by the regrets so far.
    fn strategy(&self, learned: Learned) -> Vec<f64> {
        proportional(self.numbers[learned.regrets()].iter().map(|regret| regret.max(0.0)))
    }

    /// Plays a line to its end, and notes the choices in known information sets.
    fn walk(
        &mut self,
        machine: &mut dyn StateMachine,
        histories: &mut Histories,
        from: &Particle,
        (learner, has_room): (Role, bool),
        line: &mut Line,
        draw: &mut Draw,
    ) -> Result<State, GameError> {
        let mut state = from.state.clone();
        let mut sets = from.sets.clone();
        for step in 0..MOST_STEPS {
            if machine.is_terminal(&state)? {
                return Ok(state);
            }
            if !line.is_known {
                let rest = MOST_STEPS - step;
                let mut choose = |_: usize, _: Role, moves: &[Move]| moves[draw.below(moves.len())];
                return Ok(machine.playouts(slice::from_ref(&state), rest, &mut choose)?.swap_remove(0).state);
            }
            let legal = machine.all_legal_moves(slice::from_ref(&state))?.swap_remove(0);
            if legal.iter().any(Vec::is_empty) {
                return Ok(state);
            }
            let mut joint = Vec::with_capacity(legal.len());
            for (role, moves) in (0..).map(Role).zip(&legal) {
                let is_nature = is_nature(machine, role);
                joint.push(self.choose(
                    (role, is_nature, moves),
                    of_role(&sets, role),
                    (learner, has_room),
                    line,
                    draw,
                ));
            }
            let next = machine.next_state(&state, &joint)?;
            if line.is_known {
                sets = histories.after(machine, &sets, (&state, &joint, &next))?;
            }
            state = next;
        }
        Ok(state)
    }

    /// Draws a move of a role.
    fn choose(
        &mut self,
        (role, is_nature, moves): (Role, bool, &[Move]),
        set: InformationSet,
        (learner, has_room): (Role, bool),
        line: &mut Line,
        draw: &mut Draw,
    ) -> Move {
        if let [only] = moves {
            return *only;
        }
        if !line.is_known {
            return moves[draw.below(moves.len())];
        }
        if !self.learned.contains_key(&set) {
            // The first one that is not known is added, and the line goes on at random.
            line.is_known = false;
            if has_room {
                self.add(set, moves);
            }
        }
        let Some(learned) = self.of(set, moves) else { return moves[draw.below(moves.len())] };
        self.learned.entry(set).and_modify(|learned| learned.visits += 1);
        let even = 1.0 / moves.len() as f64;
        let strategy = if is_nature { vec![even; moves.len()] } else { self.strategy(learned) };
        let explores = if role == learner { EXPLORATION } else { 0.0 };
        let chances: Vec<f64> = strategy.iter().map(|chance| explores * even + (1.0 - explores) * chance).collect();
        let made = drawn_place(&chances, draw);
        let reach = line.reach;
        if role == learner {
            line.reach = [reach[0] * chances[made], reach[1] * strategy[made]];
        }
        line.steps.push(Step { set, role, made, strategy, drawn: chances[made], reach });
        moves[made]
    }

    /// Learns from a line, from its end to its beginning. `value` is that of its end for the role that learns; returns the
    /// estimate for its beginning.
    fn learn(&mut self, steps: &[Step], learner: Role, mut value: f64, is_alone: bool) -> f64 {
        let weight = self.lines as f64;
        for step in steps.iter().rev() {
            let Some(learned) = self.learned.get(&step.set).copied() else { continue };
            let baselines = &mut self.numbers[learned.baselines(learner)];
            let mut estimates: Vec<f64> = baselines.to_vec();
            estimates[step.made] += (value - baselines[step.made]) / step.drawn;
            baselines[step.made] += BASELINE_STEP * (value - baselines[step.made]);
            value = step.strategy.iter().zip(&estimates).map(|(chance, estimate)| chance * estimate).sum();
            let [drawn, reach] = step.reach;
            if step.role == learner {
                let regrets = self.numbers[learned.regrets()].iter_mut().zip(&estimates);
                regrets.for_each(|(regret, estimate)| *regret += (estimate - value) / drawn);
            }
            // Others are on this line as often as they play so; who is alone has explored.
            let share = match (step.role == learner, is_alone) {
                (true, true) => reach / drawn,
                (false, _) => 1.0 / drawn,
                (true, false) => continue,
            };
            let sums = self.numbers[learned.sums()].iter_mut().zip(&step.strategy);
            sums.for_each(|(sum, chance)| *sum += weight * share * chance);
        }
        value
    }
}
