//! A game tried: random playouts that look for states in which the game cannot go on, or is over without one goal for each role.
//!
//! Playouts are those of a fixed seed, at most [`PLAYOUTS`] of at most [`MAX_STEPS`] joint moves each. Of each kind of fault and
//! each role the one after the fewest moves is told. What is told is true, and what is not told may be wrong all the same.

use crate::{Draw, GameError, Interpreted, Move, State, StateMachine};
use ludolog_engine::{Budget, Stopped};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use ludolog_syntax::{Syntax, print_term};
use std::slice;

/// The most playouts.
pub const PLAYOUTS: usize = 100;

/// The most joint moves of a playout.
pub const MAX_STEPS: usize = 1000;

/// The most joint moves that a message shows, the last ones.
const SHOWN: usize = 6;

/// The seed of the playouts.
const SEED: u64 = 1;

/// A playout that came to an end as it should not.
struct Fault {
    kind: Kind,
    moves: Vec<Move>,
}

#[derive(Clone, PartialEq)]
enum Kind {
    /// The role, by its place, has no legal move in a state that is not terminal.
    Stuck(usize),
    /// The role has none or several of these goals in a terminal state.
    Goals(usize, Vec<Term>),
}

impl Kind {
    fn is_as(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Stuck(a), Kind::Stuck(b)) => a == b,
            (Kind::Goals(a, these), Kind::Goals(b, those)) => a == b && these.is_empty() == those.is_empty(),
            _ => false,
        }
    }
}

/// What playouts have found.
#[derive(Default)]
struct Trial {
    faults: Vec<Fault>,
    /// Whether a playout came to a terminal state or could not go on.
    any_ended: bool,
    /// Whether a playout made the most joint moves.
    any_too_long: bool,
}

/// Warnings about a game by playouts within the time of `budget`; terms are written in `syntax`. None if there is too little time,
/// or no way to run the rules.
///
/// # Errors
///
/// [`Stopped::Interrupted`].
pub fn try_out(program: &StratifiedProgram, syntax: Syntax, budget: &Budget) -> Result<Diagnostics, Stopped> {
    let mut trial = Trial::default();
    let mut machine = match Interpreted::new(program, left(budget)) {
        Ok(machine) => machine,
        Err(error) => return interrupted(&error).map(|()| Diagnostics::new()),
    };
    let mut draw = Draw::new(SEED);
    for _ in 0..PLAYOUTS {
        if let Err(error) = play(&mut machine, &mut draw, budget, &mut trial) {
            interrupted(&error)?;
            break;
        }
    }
    let mut found = Diagnostics::new();
    trial.faults.iter().for_each(|fault| found.push(describe(fault, program, &machine, syntax)));
    if trial.any_too_long && !trial.any_ended {
        let message = format!("no playout of random moves ended within {MAX_STEPS} joint moves");
        found.push(
            Diagnostic::warning(Code::IncompleteGame, message)
                .at(place(program, "terminal", None), "the game is over only if this holds")
                .help("let the game end by itself, as by a state fact that counts moves"),
        );
    }
    Ok(found)
}

/// The budget with the time that is left of it: a machine gives every question the whole.
fn left(budget: &Budget) -> Budget {
    budget.time_left().map_or(budget.clone(), |left| budget.clone().with_time(left))
}

fn interrupted(error: &GameError) -> Result<(), Stopped> {
    match error.stopped() {
        Some(Stopped::Interrupted) => Err(Stopped::Interrupted),
        _ => Ok(()),
    }
}

/// Plays one random playout.
fn play(machine: &mut Interpreted, draw: &mut Draw, budget: &Budget, trial: &mut Trial) -> Result<(), GameError> {
    let roles = machine.roles().len();
    let mut state = machine.initial_state().clone();
    let mut moves = Vec::new();
    for _ in 0..MAX_STEPS {
        budget.check()?;
        machine.set_budget(left(budget));
        if machine.is_terminal(&state)? {
            trial.any_ended = true;
            return judge(machine, &state, moves, trial);
        }
        let legal = machine.all_legal_moves(slice::from_ref(&state))?.swap_remove(0);
        if let Some(stuck) = legal.iter().position(Vec::is_empty) {
            trial.any_ended = true;
            trial.add(Kind::Stuck(stuck), moves);
            return Ok(());
        }
        moves.extend(legal.iter().map(|moves| moves[draw.below(moves.len())]));
        state = machine.next_state(&state, &moves[moves.len() - roles..])?;
    }
    trial.any_too_long = true;
    Ok(())
}

/// Looks at the goals of a terminal state.
fn judge(machine: &mut Interpreted, state: &State, moves: Vec<Move>, trial: &mut Trial) -> Result<(), GameError> {
    for role in 0..machine.roles().len() {
        // In GDL-II, chance has no goal.
        if machine.roles()[role] == Term::symbol("random") {
            continue;
        }
        let goals = machine.goal_values(state, crate::Role(role as u32))?;
        if goals.len() != 1 {
            trial.add(Kind::Goals(role, goals), moves.clone());
        }
    }
    Ok(())
}

impl Trial {
    /// Keeps the fault with the fewest moves of its kind.
    fn add(&mut self, kind: Kind, moves: Vec<Move>) {
        match self.faults.iter_mut().find(|known| known.kind.is_as(&kind)) {
            Some(known) if known.moves.len() <= moves.len() => {}
            Some(known) => *known = Fault { kind, moves },
            None => self.faults.push(Fault { kind, moves }),
        }
    }
}

fn describe(fault: &Fault, program: &StratifiedProgram, machine: &Interpreted, syntax: Syntax) -> Diagnostic {
    let roles = machine.roles();
    let print = |term: &Term| print_term(term, syntax);
    let after = after(&fault.moves, machine, syntax);
    let warning = |message| Diagnostic::warning(Code::IncompleteGame, message);
    match &fault.kind {
        Kind::Stuck(role) => warning(format!("`{}` has no legal move {after}", print(&roles[*role])))
            .at(place(program, "role", Some(&roles[*role])), "a role")
            .help("each role needs a legal move in every state that is not terminal, as `noop` while another moves"),
        Kind::Goals(role, values) => {
            let of = match &values[..] {
                [] => "no goal".to_owned(),
                values => {
                    let values: Vec<String> = values.iter().map(print).collect();
                    format!("{} goals, {},", values.len(), values.join(" and "))
                }
            };
            warning(format!("`{}` has {of} where the game is over {after}", print(&roles[*role])))
                .at(place(program, "goal", Some(&roles[*role])), "a goal of it")
                .help("give each role exactly one goal in every terminal state")
        }
    }
}

/// The moves that lead to a state, in words.
fn after(moves: &[Move], machine: &Interpreted, syntax: Syntax) -> String {
    if moves.is_empty() {
        return "in the first state".to_owned();
    }
    let joint: Vec<String> = moves
        .chunks(machine.roles().len())
        .map(|joint| {
            let moves: Vec<String> = joint.iter().map(|made| print_term(machine.move_term(*made), syntax)).collect();
            moves.join(" ")
        })
        .collect();
    let last = joint[joint.len().saturating_sub(SHOWN)..].join("; ");
    match joint.len() {
        1 => format!("after the moves {last}"),
        n if n <= SHOWN => format!("after {n} joint moves: {last}"),
        n => format!("after {n} joint moves, the last of them: {last}"),
    }
}

/// The first fact or head of a keyword, of this first argument or of a variable for it.
fn place(program: &StratifiedProgram, keyword: &str, first: Option<&Term>) -> Span {
    let program = &program.program;
    let heads = program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head));
    let mut heads = heads.filter(|head| head.predicate == keyword);
    let fits =
        |head: &&Atom| first.is_none_or(|first| head.args.first().is_some_and(|arg| arg == first || !arg.is_ground()));
    heads.find(fits).map_or(Span::NONE, |head| head.span)
}
