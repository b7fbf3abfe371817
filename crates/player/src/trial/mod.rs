//! A game tried: random playouts that look for states in which the game cannot go on, or is over without one goal for
//! each role, and for facts, moves and rules that do not come up.
//!
//! * `playouts`: what playouts have come to, on any machine; playout by playout the same on all.
//! * `faults`: warnings of what should not come up.
//! * `reached`: notes of what has not come up, and the rules with probes that tell which of them fire.
//!
//! The playouts are those of fixed seeds. The rules are interpreted at first; a game that has not made all of its
//! playouts in half of the time goes on by its net, if the net is ready then. What is told is true, and what is not
//! told may be wrong all the same.

mod faults;
mod playouts;
mod reached;

pub use playouts::PlayoutCounts;

use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, Interpreted};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_propnet::{CompiledGame, NetMachine};
use ludolog_syntax::Syntax;
use ludolog_syntax::diagnostic::Diagnostics;
use reached::Probes;

/// The most playouts.
pub const PLAYOUTS: usize = 100;

/// The most joint moves of a playout.
pub const MAX_STEPS: usize = 1000;

/// Warnings and notes about a game by playouts within the time of `budget`; terms are written in `syntax`. None if
/// there is too little time, or no way to run the rules.
///
/// # Errors
///
/// [`Stopped::Interrupted`].
pub fn try_out(program: &StratifiedProgram, syntax: Syntax, budget: &Budget) -> Result<Diagnostics, Stopped> {
    let mut trial = PlayoutCounts::default();
    let playing = budget.part_of_rest(|left| left * 9 / 10);
    let machine = play(program, &mut trial, &playing).or_else(|error| match error.stopped() {
        Some(Stopped::Interrupted) => Err(Stopped::Interrupted),
        _ => Ok(None),
    })?;
    Ok(trial.report(program, machine, syntax, budget))
}

/// Plays until all playouts are made or the budget ends. Returns the rules interpreted, if they can be.
fn play(
    program: &StratifiedProgram,
    trial: &mut PlayoutCounts,
    budget: &Budget,
) -> Result<Option<Interpreted>, GameError> {
    let half = budget.part_of_rest(|left| left / 2);
    let mut rules = unless_interrupted(interpreted(program, &half))?;
    if let Some((machine, probes)) = &mut rules {
        unless_interrupted(trial.play(machine, probes.as_ref(), PLAYOUTS, &half))?;
    }
    if trial.playouts() < PLAYOUTS {
        match CompiledGame::if_possible(program, budget)? {
            Ok(compiled) => {
                let mut machine = NetMachine::new(&compiled.net, budget.clone());
                unless_interrupted(trial.play(&mut machine, None, PLAYOUTS, budget))?;
            }
            Err(_) => {
                if let Some((machine, probes)) = &mut rules {
                    unless_interrupted(trial.play(machine, probes.as_ref(), PLAYOUTS, budget))?;
                }
            }
        }
    }
    Ok(rules.map(|(machine, _)| machine))
}

/// The rules with probes, interpreted; without probes, if they do not run with them.
fn interpreted(program: &StratifiedProgram, budget: &Budget) -> Result<(Interpreted, Option<Probes>), GameError> {
    if let Some((probed, probes)) = Probes::added_to(program) {
        let half = budget.part_of_rest(|left| left / 2);
        if let Some(machine) = unless_interrupted(Interpreted::new(&probed, half))? {
            return Ok((machine, Some(probes)));
        }
    }
    Ok((Interpreted::new(program, budget.rest())?, None))
}

/// The result, or `None` on an error that is no interruption.
fn unless_interrupted<T>(result: Result<T, GameError>) -> Result<Option<T>, GameError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.stopped() == Some(&Stopped::Interrupted) => Err(error),
        Err(_) => Ok(None),
    }
}
