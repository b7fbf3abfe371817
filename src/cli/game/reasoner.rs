//! What answers for a game: the rules, or gates.

use super::explain;
use crate::cli::Failure;
use crate::cli::case;
use clap::ValueEnum;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::Budget;
use ludolog::game::{GameError, Interpreted, StateMachine};
use ludolog::propnet::ground::Ungrounded;
use ludolog::propnet::net::NoNet;
use ludolog::propnet::{GroundGame, Net, NetMachine};
use ludolog::syntax::Syntax;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reasoner {
    /// The net where there is one, else the interpreted machine
    #[default]
    Auto,
    /// The rules, state by state
    Interpreted,
    /// A network of gates, for many playouts at once
    Net,
}

/// A game as gates.
pub struct Compiled {
    pub ground_rules: usize,
    pub net: Arc<Net>,
    /// The time that grounding and the net took.
    pub time: [Duration; 2],
}

/// Makes the net of a game.
pub fn compile(program: &StratifiedProgram, budget: &Budget) -> Result<Compiled, Failure> {
    let start = Instant::now();
    let ground = GroundGame::new(program, budget).map_err(|ungrounded| match ungrounded {
        Ungrounded::NoRoles => explain(&GameError::NoRoles, Syntax::Kif),
        Ungrounded::Stopped(stopped) => case::explain(&stopped),
        Ungrounded::TooManyRules { rule, instances, .. } => {
            Failure::Message(format!("no net: there are too many ground rules, {instances} and more of {rule}"))
        }
    })?;
    let grounded = start.elapsed();
    let net = Net::new(&ground, budget).map_err(|none| match none {
        NoNet::Stopped(stopped) => case::explain(&stopped),
        NoNet::Cyclic => Failure::Message("no net: a fact depends on its own negation".to_owned()),
        NoNet::TooManyGates => Failure::Message("no net: it would have too many gates".to_owned()),
    })?;
    Ok(Compiled { ground_rules: ground.rules(), net: Arc::new(net), time: [grounded, start.elapsed() - grounded] })
}

/// Makes the net of a game in half of the time, or says why the rules are interpreted.
pub fn compile_if_possible(program: &StratifiedProgram, budget: &Budget) -> Result<Option<Compiled>, Failure> {
    let half = budget.time_left().map_or(budget.clone(), |left| budget.clone().with_time(left / 2));
    match compile(program, &half) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(Failure::Message(reason)) => {
            anstream::eprintln!("note: {reason}; the rules are interpreted");
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// A machine that answers for a game; each question has the whole of `question`.
pub fn machine(
    program: &StratifiedProgram,
    reasoner: Reasoner,
    budget: &Budget,
    question: &Budget,
) -> Result<Box<dyn StateMachine>, Failure> {
    let compiled = match reasoner {
        Reasoner::Auto => compile_if_possible(program, budget)?,
        Reasoner::Net => Some(compile(program, budget)?),
        Reasoner::Interpreted => None,
    };
    let mut machine: Box<dyn StateMachine> = match compiled {
        Some(compiled) => Box::new(NetMachine::new(&compiled.net, question.clone())),
        None => Box::new(Interpreted::new(program, budget.clone()).map_err(|error| explain(&error, Syntax::Kif))?),
    };
    machine.set_budget(question.clone());
    Ok(machine)
}
