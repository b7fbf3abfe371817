//! The counts of random playouts.

use super::MAX_STEPS;
use super::reached::Probes;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use ludolog_logic::analysis::is_random;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Predicate, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::slice;

/// The joint moves that lead to a state, a term for each role.
pub(super) type Moves = Vec<Vec<Term>>;

/// The most states that recur in a circle, as where moves without effect take turns.
const LONGEST_CYCLE: usize = 16;

/// The counts of playouts. Playouts of one number are the same on all machines.
#[derive(Default)]
pub struct PlayoutCounts {
    /// Playouts that were made to their ends.
    playouts: usize,
    /// Playouts that a machine with probes has made.
    pub(super) probed: usize,
    /// Roles without a legal move, with the fewest moves that lead there.
    pub(super) stuck: Vec<(Role, Moves)>,
    /// Terminal states in which a role has not exactly one integer as its goal.
    pub(super) goals: Vec<(Role, Vec<Term>, Moves)>,
    /// Whether a playout came to a terminal state or could not go on.
    pub(super) any_ended: bool,
    /// Whether the first state is terminal.
    pub(super) is_over_at_first: bool,
    /// Playouts that made the most moves.
    pub(super) endless: usize,
    /// The first of them.
    pub(super) longest: Option<LongPlayout>,
    /// The facts of all states.
    pub(super) facts: FxHashSet<Term>,
    /// The legal moves of all states, by role.
    pub(super) legal: FxHashSet<(Term, Term)>,
    /// The numbers of the rules that have fired.
    pub(super) fired: FxHashSet<usize>,
}

/// A playout that made the most moves.
pub(super) struct LongPlayout {
    pub(super) moves: Moves,
    /// The functions of state facts that the first state has and the last one has not, with the number of joint moves after
    /// which there was none any more.
    pub(super) lost: Vec<(Predicate, usize)>,
    /// The number of joint moves after which no role ever has a choice again, as states recur in which each has one legal move.
    pub(super) without_choice: Option<usize>,
}

/// The counts of one machine, in its numbers.
#[derive(Default)]
struct Met {
    /// The words of states by their places: a state whose words have all been met has no fact that is new.
    words: FxHashSet<(usize, u32)>,
    legal: FxHashSet<(usize, Move)>,
}

impl PlayoutCounts {
    /// The number of playouts that were made to their ends.
    pub fn playouts(&self) -> usize {
        self.playouts
    }

    /// Whether a report needs the rules, to say what goals are where there is not exactly one.
    pub fn asks_rules(&self) -> bool {
        !self.goals.is_empty()
    }

    /// Makes further playouts until there are `playouts`. One that does not end within the budget is made anew by the
    /// next call.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub(super) fn play(
        &mut self,
        machine: &mut dyn StateMachine,
        probes: Option<&Probes>,
        playouts: usize,
        budget: &Budget,
    ) -> Result<(), GameError> {
        let mut met = Met::default();
        let mut played = Ok(());
        while played.is_ok() && self.playouts < playouts {
            played = self.play_one(machine, probes, budget, &mut met);
            self.playouts += usize::from(played.is_ok());
            self.probed += usize::from(played.is_ok() && probes.is_some());
        }
        let roles = machine.roles();
        self.legal
            .extend(met.legal.into_iter().map(|(role, made)| (roles[role].clone(), machine.move_term(made).clone())));
        played
    }

    /// Makes playouts on any machine until there are `playouts`.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn play_on(
        &mut self,
        machine: &mut dyn StateMachine,
        playouts: usize,
        budget: &Budget,
    ) -> Result<(), GameError> {
        self.play(machine, None, playouts, budget)
    }

    fn play_one(
        &mut self,
        machine: &mut dyn StateMachine,
        probes: Option<&Probes>,
        budget: &Budget,
        met: &mut Met,
    ) -> Result<(), GameError> {
        let mut draw = Draw::new(self.playouts as u64 + 1);
        let roles = machine.roles().len();
        let mut state = machine.initial_state().clone();
        let mut moves: Vec<Move> = Vec::new();
        for _ in 0..MAX_STEPS {
            budget.check()?;
            // A machine gives every question the whole time.
            machine.set_budget(budget.rest());
            self.meet(machine, &state, met);
            if machine.is_terminal(&state)? {
                self.is_over_at_first |= moves.is_empty();
                if let Some(probes) = probes {
                    // Goals and ends are read in this state, whatever is done in it.
                    let last = moves.len().saturating_sub(roles);
                    let made = if moves.is_empty() { first_moves(machine, &state)? } else { moves[last..].to_vec() };
                    if made.len() == roles {
                        let behind = machine.next_state(&state, &made)?;
                        probes.take(machine, behind, &mut self.fired)?;
                    }
                }
                return self.judge(machine, &state, &moves);
            }
            let legal = machine.all_legal_moves(slice::from_ref(&state))?.swap_remove(0);
            for (role, moves) in legal.iter().enumerate() {
                met.legal.extend(moves.iter().map(|&made| (role, made)));
            }
            if let Some(stuck) = legal.iter().position(Vec::is_empty) {
                self.any_ended = true;
                self.add_stuck(Role(stuck as u32), terms(&moves, machine));
                return Ok(());
            }
            moves.extend(legal.iter().map(|moves| moves[draw.below(moves.len())]));
            state = machine.next_state(&state, &moves[moves.len() - roles..])?;
            if let Some(probes) = probes {
                state = probes.take(machine, state, &mut self.fired)?;
            }
        }
        self.endless += 1;
        if self.longest.is_none() {
            let lost = lost(machine, &moves, &state)?;
            let without_choice = without_choice(machine, &moves, &state)?;
            self.longest = Some(LongPlayout { moves: terms(&moves, machine), lost, without_choice });
        }
        Ok(())
    }

    fn meet(&mut self, machine: &dyn StateMachine, state: &State, met: &mut Met) {
        let mut is_new = false;
        state.words().iter().enumerate().for_each(|(place, &word)| is_new |= met.words.insert((place, word)));
        if is_new {
            self.facts.extend(machine.facts(state));
        }
    }

    /// Looks at the goals of a terminal state.
    fn judge(&mut self, machine: &mut dyn StateMachine, state: &State, moves: &[Move]) -> Result<(), GameError> {
        self.any_ended = true;
        for role in 0..machine.roles().len() {
            let role_number = Role(role as u32);
            // In GDL-II, chance has no goal.
            if !is_random(&machine.roles()[role]) && machine.goal(state, role_number)?.is_none() {
                self.goals.push((role_number, machine.facts(state), terms(moves, machine)));
            }
        }
        Ok(())
    }

    fn add_stuck(&mut self, role: Role, moves: Moves) {
        match self.stuck.iter_mut().find(|(known, _)| *known == role) {
            Some((_, known)) if known.len() <= moves.len() => {}
            Some((_, known)) => *known = moves,
            None => self.stuck.push((role, moves)),
        }
    }
}

/// The functions of the first state's facts that the last state of a playout has no fact of, each with the number of joint
/// moves after which it has none.
fn lost(machine: &mut dyn StateMachine, moves: &[Move], end: &State) -> Result<Vec<(Predicate, usize)>, GameError> {
    let functions = |machine: &dyn StateMachine, state: &State| -> FxHashSet<Predicate> {
        machine.facts(state).iter().filter_map(function).collect()
    };
    let mut state = machine.initial_state().clone();
    let mut lost = functions(machine, &state);
    functions(machine, end).iter().for_each(|kept| _ = lost.remove(kept));
    let mut last_seen: FxHashMap<Predicate, usize> = lost.into_iter().map(|name| (name, 0)).collect();
    let roles = machine.roles().len();
    for (number, joint) in (1..).zip(moves.chunks(roles)) {
        if last_seen.is_empty() {
            break;
        }
        state = machine.next_state(&state, joint)?;
        for name in functions(machine, &state) {
            last_seen.entry(name).and_modify(|seen| *seen = number);
        }
    }
    let mut lost: Vec<(Predicate, usize)> = last_seen.into_iter().map(|(name, seen)| (name, seen + 1)).collect();
    lost.cold_sort();
    Ok(lost)
}

/// The number of the joint moves of a playout after which no role ever has a choice again; `None` if one has, if none ever had, or if no
/// state recurs within a few moves behind the playout.
fn without_choice(machine: &mut dyn StateMachine, moves: &[Move], end: &State) -> Result<Option<usize>, GameError> {
    let mut state = end.clone();
    let mut first = None;
    let mut recurs = false;
    while !recurs {
        let Some(joint) = only_moves(machine, &state)? else { return Ok(None) };
        state = machine.next_state(&state, &joint)?;
        let facts = machine.facts(&state);
        // The first state has the facts of probes, as those behind it have.
        let Some((first, steps)) = &mut first else {
            first = Some((facts, 0));
            continue;
        };
        recurs = facts == *first;
        *steps += 1;
        if *steps > LONGEST_CYCLE {
            return Ok(None);
        }
    }
    let mut state = machine.initial_state().clone();
    let mut choices = 0;
    for (number, joint) in (1..).zip(moves.chunks(machine.roles().len())) {
        if only_moves(machine, &state)?.is_none() {
            choices = number;
        }
        state = machine.next_state(&state, joint)?;
    }
    // Where nobody ever had a choice, play just goes on.
    Ok((choices > 0).then_some(choices))
}

/// The joint move of a state in which each role has one legal move; `None` of others, and of one that is terminal.
fn only_moves(machine: &mut dyn StateMachine, state: &State) -> Result<Option<Vec<Move>>, GameError> {
    if machine.is_terminal(state)? {
        return Ok(None);
    }
    let legal = machine.all_legal_moves(slice::from_ref(state))?.swap_remove(0);
    let only = |moves: &Vec<Move>| match moves[..] {
        [one] => Some(one),
        _ => None,
    };
    Ok(legal.iter().map(only).collect())
}

/// The function of a state fact, with the number of its arguments.
pub(super) fn function(fact: &Term) -> Option<Predicate> {
    match fact {
        Term::Compound(name, args) => Some(Predicate::new(name, args.len())),
        Term::Symbol(name) => Some(Predicate::new(name, 0)),
        _ => None,
    }
}

/// The first legal move of each role that has one.
fn first_moves(machine: &mut dyn StateMachine, state: &State) -> Result<Vec<Move>, GameError> {
    let legal = machine.all_legal_moves(slice::from_ref(state))?.swap_remove(0);
    Ok(legal.iter().filter_map(|moves| moves.first().copied()).collect())
}

fn terms(moves: &[Move], machine: &dyn StateMachine) -> Moves {
    let term = |made: &Move| machine.move_term(*made).clone();
    moves.chunks(machine.roles().len()).map(|joint| joint.iter().map(term).collect()).collect()
}
