//! What answers for a game: the rules, or gates.

use super::explain;
use crate::cli::Failure;
use crate::cli::progress::ProgressLine;
use clap::ValueEnum;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::Budget;
use ludolog::game::{GameError, Interpreted, StateMachine};
use ludolog::player::GameReasoner;
use ludolog::propnet::{CompiledGame, NetMachine, NotCompiled};
use ludolog::syntax::Syntax;

/// What progress says while a net is made.
const COMPILING: &str = "grounding, and making gates";

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

/// Makes the net of a game.
pub fn compile(program: &StratifiedProgram, budget: &Budget) -> Result<CompiledGame, NotCompiled> {
    let _progress = ProgressLine::new(COMPILING);
    CompiledGame::new(program, budget)
}

/// The way out for those who want playouts, or to know what a net is for.
pub const PLAYS_WITHOUT: &str = "`ludolog game playouts --reasoner interpreted` plays without a net";

/// The failure of a command that needs the net, with what to do without one.
pub fn without_net(error: &NotCompiled, way_out: &str) -> Failure {
    match error {
        NotCompiled::NoRoles => explain(&GameError::NoRoles, Syntax::Kif),
        NotCompiled::Stopped(stopped) => explain(&stopped.clone().into(), Syntax::Kif),
        NotCompiled::NoNet(_) => Failure::Message(format!("{error}; {way_out}")),
    }
}

/// Makes the net of a game in half of the time, or says why the rules are interpreted.
pub fn compile_if_possible(program: &StratifiedProgram, budget: &Budget) -> Result<Option<CompiledGame>, Failure> {
    let _progress = ProgressLine::new(COMPILING);
    match CompiledGame::if_possible(program, budget).map_err(|error| explain(&error, Syntax::Kif))? {
        Ok(compiled) => Ok(Some(compiled)),
        Err(reason) => {
            anstream::eprintln!("note: {reason}; the rules are interpreted");
            Ok(None)
        }
    }
}

/// The rules of a game as players get them.
pub fn rules(program: &StratifiedProgram, budget: &Budget) -> Result<GameReasoner, Failure> {
    Ok(match compile_if_possible(program, budget)? {
        Some(compiled) => GameReasoner::of_net(compiled.net),
        None => GameReasoner::interpreted(program),
    })
}

/// The game as its rules say, on an engine that has made some moves within what is left of the budget.
pub fn interpreted(program: &StratifiedProgram, budget: &Budget) -> Result<Interpreted, Failure> {
    let explain = |error| explain(&error, Syntax::Kif);
    let budget = budget.rest();
    let game = Interpreted::new(program, budget.clone()).map_err(explain)?;
    budget.check().map_err(|stopped| explain(game.stopped(stopped)))?;
    Ok(game)
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
        Reasoner::Net => {
            Some(compile(program, budget).map_err(|error| without_net(&error, "--reasoner interpreted needs none"))?)
        }
        Reasoner::Interpreted => None,
    };
    let _progress = ProgressLine::new("preparing the rules");
    let mut machine: Box<dyn StateMachine> = match compiled {
        Some(compiled) => Box::new(NetMachine::new(&compiled.net, question.clone())),
        None => Box::new(interpreted(program, budget)?),
    };
    machine.set_budget(question.clone());
    Ok(machine)
}
