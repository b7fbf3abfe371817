//! `ludolog game verify`: the reasoners against each other, on random playouts.

use super::reasoner::compile;
use super::{explain, rulesheet};
use crate::cli::case::duration;
use crate::cli::choice::choice;
use crate::cli::{Failure, Outcome, counted, interrupt, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{Draw, GameError, Interpreted, State, StateMachine, StateMachineExt, canonical};
use ludolog::propnet::NetMachine;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most joint moves of a playout.
const MAX_STEPS: usize = 1000;

#[derive(Args)]
pub struct VerifyArgs {
    /// Rulesheets
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,
    /// Compare for this time for each game (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    seconds: Duration,
    /// Stop reading and grounding a game after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

/// Walks random playouts with the interpreted machine and the net in lockstep. The outcome is negative if they part.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Success;
    for game in &args.games {
        match verify(args, game)? {
            Ok(found) => print(&format!("{}: {found}\n", game.display()))?,
            Err(difference) => {
                print(&format!("{}: {difference}\n", game.display()))?;
                outcome = Outcome::Negative;
            }
        }
    }
    Ok(outcome)
}

/// What was compared, or where the reasoners part.
fn verify(args: &VerifyArgs, path: &Path) -> Result<Result<String, String>, Failure> {
    let explain = |error| explain(&error, Syntax::Kif);
    let budget = Budget::unlimited().with_timeout(args.timeout).with_interrupt(interrupt::flag());
    let program = rulesheet(path, args.syntax, &mut Sources::new(), &budget)?;
    let compiled = match compile(&program, &budget) {
        Err(Failure::Message(reason)) => return Ok(Ok(reason)),
        compiled => compiled?,
    };
    let mut net = NetMachine::new(&compiled.net, Budget::unlimited());
    let mut rules = Interpreted::new(&program, budget).map_err(explain)?;
    let time = Budget::unlimited().with_timeout(args.seconds).with_interrupt(interrupt::flag());
    rules.set_budget(time.clone());
    let (mut playouts, mut states, mut seed) = (0, 0, 0u64);
    loop {
        seed += 1;
        match walk(&mut rules, &mut net, seed, &time, &mut states) {
            Ok(None) => playouts += 1,
            Ok(Some(difference)) => {
                return Ok(Err(format!("playout {seed}: {difference}")));
            }
            Err(GameError::Stopped(Stopped::Timeout(_))) => {
                let states = counted(states, "state");
                return Ok(Ok(format!("the same in {states} of {}", counted(playouts, "playout"))));
            }
            Err(error) => return Err(explain(error)),
        }
    }
}

/// One random playout by both; where they part.
fn walk(
    rules: &mut Interpreted,
    net: &mut NetMachine,
    seed: u64,
    time: &Budget,
    states: &mut usize,
) -> Result<Option<String>, GameError> {
    let mut draw = Draw::new(seed);
    let (mut by_rules, mut by_net) = (rules.initial_state().clone(), net.initial_state().clone());
    for step in 0..MAX_STEPS {
        time.check()?;
        if let Some(difference) = difference((rules, &by_rules), (net, &by_net))? {
            return Ok(Some(format!("after {}: {difference}", counted(step, "joint move"))));
        }
        *states += 1;
        if rules.is_terminal(&by_rules)? {
            break;
        }
        let mut joint: Vec<Term> = Vec::new();
        for (_, mut moves) in rules.legal_terms(&by_rules)? {
            if moves.is_empty() {
                return Ok(None);
            }
            joint.push(moves.swap_remove(draw.below(moves.len())));
        }
        let [in_rules, in_net] = [rules.joint_move(&by_rules, &joint)?, net.joint_move(&by_net, &joint)?];
        (by_rules, by_net) = (rules.next_state(&by_rules, &in_rules)?, net.next_state(&by_net, &in_net)?);
    }
    Ok(None)
}

/// What two machines say differently of a state.
fn difference(
    (rules, by_rules): (&mut Interpreted, &State),
    (net, by_net): (&mut NetMachine, &State),
) -> Result<Option<String>, GameError> {
    let (a, b) = (canonical::state_text(&rules.facts(by_rules)), canonical::state_text(&net.facts(by_net)));
    if let Some(difference) = first_difference("state", &a, &b) {
        return Ok(Some(difference));
    }
    let (a, b) = (rules.legal_terms(by_rules)?, net.legal_terms(by_net)?);
    if let Some(difference) = first_difference("legal moves", &canonical::moves_text(&a), &canonical::moves_text(&b)) {
        return Ok(Some(difference));
    }
    let (a, b) = (rules.is_terminal(by_rules)?, net.is_terminal(by_net)?);
    if a != b {
        return Ok(Some(format!("terminal is {a} by the rules and {b} by the net")));
    }
    let (a, b) = (rules.goals(by_rules)?, net.goals(by_net)?);
    Ok((a != b).then(|| format!("the goals are {a:?} by the rules and {b:?} by the net")))
}

fn first_difference(what: &str, by_rules: &str, by_net: &str) -> Option<String> {
    let only = |a: &str, b: &str| {
        let others: std::collections::HashSet<&str> = b.lines().collect();
        a.lines().find(|line| !others.contains(line)).map(str::to_owned)
    };
    let by_rules_only = only(by_rules, by_net).map(|line| format!("the {what}: by the rules alone `{line}`"));
    by_rules_only.or_else(|| only(by_net, by_rules).map(|line| format!("the {what}: by the net alone `{line}`")))
}
