//! One thread of a search.
//!
//! On lanes, leaves are chosen as lanes get free, and outcomes are entered as playouts end: no lane waits for the
//! longest playout of a batch, and later leaves know of all playouts but those under way. Elsewhere leaves, states and
//! playouts come in batches one after the other.

use super::simulation::Simulation;
use super::times::{BatchTimes, Effort, add_time};
use super::tree::Tree;
use super::{MAX_STEPS, SearchSettings};
use crate::player::{is_stop, place, values};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, LegalMoves, Move, Playout, PlayoutEnd, Role, State, StateMachine};
use ludolog_propnet::{DecisiveTurns, EndedPlayout, PlayoutStart, PlayoutStream};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One thread of a search.
pub struct Worker<'w> {
    pub machine: &'w mut dyn StateMachine,
    /// The playouts of the machine, if they run side by side.
    pub stream: Option<&'w PlayoutStream>,
    /// Finds states in which a turn ends the game won, if that is asked for.
    pub turns: Option<DecisiveTurns<'w>>,
    pub settings: &'w SearchSettings,
    pub role: Role,
    pub effort: &'w Effort,
    pub draw: Draw,
}

/// The simulations whose playouts are under way, and those that are to be entered.
struct Pending {
    /// The playouts of a simulation.
    each: usize,
    /// The last look at the clock.
    since: Option<Duration>,
    /// By number: a simulation, and the number of its playouts that have not ended.
    open: Vec<Option<(Simulation, usize)>>,
    /// Numbers that are free.
    free: Vec<usize>,
    done: Vec<Simulation>,
}

impl Pending {
    fn new(each: usize, since: Option<Duration>) -> Pending {
        Pending { each, since, open: Vec::new(), free: Vec::new(), done: Vec::new() }
    }

    /// Adds a simulation that waits for its playouts. Its number.
    fn add(&mut self, simulation: Simulation) -> usize {
        let number = self.free.pop().unwrap_or(self.open.len());
        if number == self.open.len() {
            self.open.push(None);
        }
        self.open[number] = Some((simulation, self.each));
        number
    }

    /// Enters the outcome of a playout.
    fn note(&mut self, ended: EndedPlayout<'_>) {
        let Some((simulation, left)) = &mut self.open[ended.number] else { return };
        add_outcome(simulation, &ended, self.each);
        *left -= 1;
        if *left == 0
            && let Some((simulation, _)) = self.open[ended.number].take()
        {
            self.done.push(simulation);
            self.free.push(ended.number);
        }
    }

    fn has_open(&self) -> bool {
        self.free.len() < self.open.len()
    }
}

fn lock<'t, 's>(shared: &'t Mutex<&'s mut Tree>) -> MutexGuard<'t, &'s mut Tree> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker<'_> {
    /// Searches from a state, the root of the tree, until the budget ends or its value is known.
    pub fn run(self, shared: &Mutex<&mut Tree>, root: &State, budget: &Budget) -> Result<(), GameError> {
        let result = match self.stream {
            Some(stream) => self.run_stream(stream, shared, root, budget),
            None => self.run_batches(shared, budget),
        };
        result.or_else(|error| if is_stop(&error) { Ok(()) } else { Err(error) })
    }

    fn run_stream(
        mut self,
        stream: &PlayoutStream,
        shared: &Mutex<&mut Tree>,
        root: &State,
        budget: &Budget,
    ) -> Result<(), GameError> {
        let each = (self.settings.playouts / self.settings.leaves.max(1)).max(1);
        let seed = self.draw.below(1 << 30) as u64;
        let mut pending = Pending::new(each, budget.now());
        let mut begun = Vec::new();
        let mut failure = None;
        let result = stream.run(root, MAX_STEPS, seed, budget, &mut |ended, free, starts| {
            self.effort.playouts.fetch_add(ended.len() as u64, Ordering::Relaxed);
            ended.iter().for_each(|ended| pending.note(ended));
            add_time(&self.effort.playing, &mut pending.since, budget);
            let fed = self.feed(shared, &mut pending, &mut begun, free, starts, budget);
            fed.unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        });
        let mut tree = lock(shared);
        pending.done.drain(..).for_each(|simulation| tree.finish(simulation));
        pending.open.into_iter().flatten().for_each(|(simulation, _)| tree.abandon(simulation));
        failure.map_or(Ok(result?), Err)
    }

    /// Enters simulations that are done, and begins others for the free lanes. Whether the search goes on.
    fn feed(
        &mut self,
        shared: &Mutex<&mut Tree>,
        pending: &mut Pending,
        begun: &mut Vec<Simulation>,
        free: usize,
        starts: &mut Vec<PlayoutStart>,
        budget: &Budget,
    ) -> Result<bool, GameError> {
        while starts.is_empty() {
            {
                let mut tree = lock(shared);
                add_time(&self.effort.choosing, &mut pending.since, budget);
                pending.done.drain(..).for_each(|simulation| tree.finish(simulation));
                add_time(&self.effort.entering, &mut pending.since, budget);
                if tree.is_solved(place(self.role)) || budget.check().is_err() {
                    return Ok(false);
                }
                if self.settings.simulations.is_some_and(|most| tree.simulations >= most) {
                    return Ok(pending.has_open());
                }
                tree.select((free / pending.each).max(1), pending.each, begun);
            }
            add_time(&self.effort.choosing, &mut pending.since, budget);
            self.effort.batches.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = self.step(begun, budget) {
                let mut tree = lock(shared);
                begun.drain(..).for_each(|simulation| tree.abandon(simulation));
                return Err(error);
            }
            for simulation in begun.drain(..) {
                match simulation.next.clone() {
                    Some(state) => {
                        let number = pending.add(simulation);
                        starts.push(PlayoutStart { number, state, playouts: pending.each });
                    }
                    None => pending.done.push(simulation),
                }
            }
            add_time(&self.effort.playing, &mut pending.since, budget);
        }
        Ok(true)
    }

    fn run_batches(mut self, shared: &Mutex<&mut Tree>, budget: &Budget) -> Result<(), GameError> {
        let mut simulations: Vec<Simulation> = Vec::new();
        let mut sizes = BatchTimes::new(self.settings, budget);
        let effort = self.effort;
        let mut since = budget.now();
        loop {
            let size = {
                let mut tree = lock(shared);
                add_time(&effort.choosing, &mut since, budget);
                simulations.drain(..).for_each(|simulation| tree.finish(simulation));
                add_time(&effort.entering, &mut since, budget);
                let spent = self.settings.simulations.is_some_and(|most| tree.simulations >= most);
                if spent || tree.is_solved(place(self.role)) || budget.check().is_err() {
                    return Ok(());
                }
                let size = sizes.next(budget);
                let leaves = self.settings.leaves.min(size);
                tree.select(leaves, size / leaves, &mut simulations);
                size
            };
            add_time(&effort.choosing, &mut since, budget);
            let start = since;
            if let Err(error) = self.evaluate(&mut simulations, size, budget) {
                let mut tree = lock(shared);
                simulations.drain(..).for_each(|simulation| tree.abandon(simulation));
                return Err(error);
            }
            effort.batches.fetch_add(1, Ordering::Relaxed);
            add_time(&effort.playing, &mut since, budget);
            if let (Some(start), Some(end)) = (start, since) {
                sizes.took(size, end.saturating_sub(start));
            }
        }
    }

    /// Finds the states that simulations reach, and their values by so many playouts.
    fn evaluate(&mut self, simulations: &mut [Simulation], playouts: usize, budget: &Budget) -> Result<(), GameError> {
        self.reach(simulations, budget)?;
        let each = (playouts / simulations.len().max(1)).max(1);
        let mut starts = Vec::new();
        let mut of_start = Vec::new();
        for (i, simulation) in simulations.iter().enumerate().filter(|(_, simulation)| !simulation.over) {
            if let Some(next) = &simulation.next {
                starts.extend(std::iter::repeat_n(next.clone(), each));
                of_start.extend(std::iter::repeat_n(i, each));
            }
        }
        let draw = &mut self.draw;
        let mut choose = |_: usize, _: Role, moves: &[_]| moves[draw.below(moves.len())];
        let played = self.machine.playouts(&starts, MAX_STEPS, &mut choose)?;
        self.effort.playouts.fetch_add(played.len() as u64, Ordering::Relaxed);
        for (number, Playout { end, steps, goals, .. }) in of_start.into_iter().zip(&played) {
            let ended = EndedPlayout { number, end: *end, steps: *steps, goals, moves: &[] };
            add_outcome(&mut simulations[number], &ended, each);
        }
        Ok(())
    }

    /// Finds the states that simulations reach, and the values of those that are over.
    fn reach(&mut self, simulations: &mut [Simulation], budget: &Budget) -> Result<(), GameError> {
        self.step(simulations, budget)?;
        let steps: Vec<usize> = (0..simulations.len()).filter(|&i| simulations[i].next.is_some()).collect();
        let next: Vec<State> = steps.iter().filter_map(|&i| simulations[i].next.clone()).collect();
        let over = self.machine.are_terminal(&next)?;
        let ended: Vec<usize> = steps.into_iter().zip(over).filter_map(|(i, over)| over.then_some(i)).collect();
        ended.iter().for_each(|&i| simulations[i].over = true);
        self.find_goals(simulations, &ended)
    }

    /// Finds the states that simulations reach by a step, and the values of those that nobody can leave.
    fn step(&mut self, simulations: &mut [Simulation], budget: &Budget) -> Result<(), GameError> {
        let machine = &mut *self.machine;
        machine.set_budget(budget.rest());
        // Moves of leaves whose moves are not known.
        let open: Vec<usize> = (0..simulations.len()).filter(|&i| simulations[i].opens).collect();
        let states: Vec<State> = open.iter().map(|&i| simulations[i].state.clone()).collect();
        let all_legal = machine.all_legal_moves(&states)?;
        if let Some(turns) = &mut self.turns {
            value_decisive(turns, &open, simulations, &all_legal);
        }
        for (&i, legal) in open.iter().zip(all_legal) {
            let simulation = &mut simulations[i];
            if simulation.is_decided {
                continue;
            }
            if !simulation.may_be_over || !machine.is_terminal(&simulation.state)? {
                simulation.legal = Some(legal);
                simulation.make_random_joint();
            }
        }
        let made = simulations.iter().filter(|simulation| !simulation.made.is_empty());
        let made: Vec<(&State, &[Move])> = made.map(|simulation| (&simulation.state, &*simulation.made)).collect();
        let next = machine.next_states(&made)?;
        let moved = simulations.iter_mut().filter(|simulation| !simulation.made.is_empty());
        moved.zip(next).for_each(|(simulation, next)| simulation.next = Some(next));
        let is_valued = |simulation: &Simulation| simulation.next.is_some() || simulation.is_decided;
        let ended: Vec<usize> = open.into_iter().filter(|&i| !is_valued(&simulations[i])).collect();
        self.find_goals(simulations, &ended)
    }

    /// Values simulations by the goals of their last states.
    fn find_goals(&mut self, simulations: &mut [Simulation], ended: &[usize]) -> Result<(), GameError> {
        if ended.is_empty() {
            return Ok(());
        }
        let last = |&i: &usize| simulations[i].next.as_ref().unwrap_or(&simulations[i].state).clone();
        let ends: Vec<State> = ended.iter().map(last).collect();
        for (&i, goals) in ended.iter().zip(self.machine.all_goals(&ends)?) {
            let simulation = &mut simulations[i];
            let is_stuck = simulation.legal.as_ref().is_some_and(|legal| legal.iter().any(Vec::is_empty));
            simulation.is_guess = is_stuck || goals.contains(&None);
            simulation.values = values(&goals).collect();
        }
        Ok(())
    }
}

/// Values the simulations among those whose moves were found in which a turn ends the game won. The root is not among them:
/// a move is to be found there.
fn value_decisive(
    turns: &mut DecisiveTurns<'_>,
    open: &[usize],
    simulations: &mut [Simulation],
    all_legal: &[LegalMoves],
) {
    let is_stuck = |legal: &LegalMoves| legal.iter().any(Vec::is_empty);
    let count = |legal: &LegalMoves| if is_stuck(legal) { 0 } else { legal.iter().map(Vec::len).max().unwrap_or(0) };
    let below = open.iter().zip(all_legal).filter(|(i, _)| !simulations[**i].path.is_empty());
    let (numbers, states): (Vec<usize>, Vec<(&State, usize)>) =
        below.map(|(&i, legal)| (i, (&simulations[i].state, count(legal)))).unzip();
    for (place, goals) in turns.find(&states).iter() {
        let simulation = &mut simulations[numbers[*place]];
        simulation.values = values(goals).collect();
        (simulation.is_decided, simulation.is_guess) = (true, goals.contains(&None));
    }
}

/// Enters the outcome of a playout in a simulation, which is valued by the mean of so many, or by its end.
fn add_outcome(simulation: &mut Simulation, ended: &EndedPlayout<'_>, each: usize) {
    let is_over = ended.steps == 0 && ended.end == PlayoutEnd::Terminal;
    let share = 1.0 / each as f32;
    for (sum, value) in simulation.values.iter_mut().zip(values(ended.goals)) {
        // The values of an end are exact, not sums.
        *sum = if is_over { value } else { *sum + value * share };
    }
    simulation.over = is_over;
    simulation.is_guess |= is_over && ended.goals.contains(&None);
    if !ended.moves.is_empty() {
        simulation.played.push(ended.moves, values(ended.goals));
    }
}
