//! What answers for a game: the rules, or gates.

use super::explain;
use crate::cli::Failure;
use crate::cli::progress::Progress;
use clap::ValueEnum;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{GameError, Interpreted, StateMachine};
use ludolog::propnet::ground::{GroundSizes, Ungrounded};
use ludolog::propnet::net::NoNet;
use ludolog::propnet::{GroundGame, Net, NetMachine};
use ludolog::syntax::Syntax;
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
    pub sizes: GroundSizes,
    pub net: Net,
    /// The time that grounding and the net took.
    pub time: [Duration; 2],
}

/// Why a game is not compiled.
pub enum NotCompiled {
    /// It has no net that is worth its size; the reason.
    NoNet(String),
    Failed(Failure),
}

impl From<NotCompiled> for Failure {
    fn from(reason: NotCompiled) -> Self {
        match reason {
            NotCompiled::NoNet(reason) => Failure::Message(format!(
                "{reason}; `ludolog game playouts --reasoner interpreted` plays without a net"
            )),
            NotCompiled::Failed(failure) => failure,
        }
    }
}

/// Makes the net of a game.
pub fn compile(program: &StratifiedProgram, budget: &Budget) -> Result<Compiled, NotCompiled> {
    let start = Instant::now();
    let failed = |error: GameError| NotCompiled::Failed(explain(&error, Syntax::Kif));
    let progress = Progress::new("grounding");
    let ground = GroundGame::new(program, budget).map_err(|ungrounded| match ungrounded {
        Ungrounded::NoRoles => failed(GameError::NoRoles),
        Ungrounded::Stopped(stopped) => failed(stopped.into()),
        Ungrounded::Grown { rule, instances, stopped } => NotCompiled::NoNet(match stopped {
            Stopped::TermTooDeep(depth) => format!("no net: terms nest more than {depth} deep in {rule}"),
            Stopped::TooManyFacts(_) => {
                format!("no net: there are too many ground rules, {instances} and more of {rule}")
            }
            _ => format!("no net: grounding {stopped}, with {instances} instances of {rule} so far"),
        }),
    })?;
    let grounded = start.elapsed();
    progress.say(|| format!("making gates of {} ground rules", ground.rules()));
    let net = Net::new(&ground, budget).map_err(|none| match none {
        NoNet::Stopped(stopped) => failed(stopped.into()),
        NoNet::Cyclic => NotCompiled::NoNet("no net: some facts of a state depend on each other".to_owned()),
        NoNet::TooManyGates => NotCompiled::NoNet("no net: it would have too many gates".to_owned()),
    })?;
    Ok(Compiled { sizes: ground.sizes(), net, time: [grounded, start.elapsed() - grounded] })
}

/// Makes the net of a game in half of the time, or says why the rules are interpreted.
pub fn compile_if_possible(program: &StratifiedProgram, budget: &Budget) -> Result<Option<Compiled>, Failure> {
    let half = budget.time_left().map_or(budget.clone(), |left| budget.clone().with_time(left / 2));
    match compile(program, &half) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(NotCompiled::NoNet(reason) | NotCompiled::Failed(Failure::Message(reason))) => {
            anstream::eprintln!("note: {reason}; the rules are interpreted");
            Ok(None)
        }
        Err(NotCompiled::Failed(failure)) => Err(failure),
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
    let _progress = Progress::new("preparing the rules");
    let mut machine: Box<dyn StateMachine> = match compiled {
        Some(compiled) => Box::new(NetMachine::new(&compiled.net, question.clone())),
        None => Box::new(Interpreted::new(program, budget.clone()).map_err(|error| explain(&error, Syntax::Kif))?),
    };
    machine.set_budget(question.clone());
    Ok(machine)
}
