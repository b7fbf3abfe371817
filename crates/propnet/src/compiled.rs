//! The way from a rulesheet to gates, or to the reason why there are none.

use crate::ground::{GroundGame, GroundSizes, Ungrounded};
use crate::net::{Net, NoNet};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::GameError;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_syntax::budget::{Stopwatch, ThreadClock};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A game as gates.
pub struct CompiledGame {
    /// The sizes of the rules, step by step.
    pub sizes: GroundSizes,
    /// The net, which machines share.
    pub net: Arc<Net>,
    /// The time that grounding took.
    pub grounding: Duration,
    /// The time that making the net of the ground rules took.
    pub building: Duration,
}

/// Why a game is not compiled to gates; displays as one line.
#[derive(Clone, Debug)]
pub enum NotCompiled {
    /// The program does not say who plays.
    NoRoles,
    /// The budget ended.
    Stopped(Stopped),
    /// The game has no net, for this reason.
    NoNet(String),
}

impl fmt::Display for NotCompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotCompiled::NoRoles => GameError::NoRoles.fmt(f),
            NotCompiled::Stopped(stopped) => write!(f, "no net: {stopped}"),
            NotCompiled::NoNet(reason) => write!(f, "no net: {reason}"),
        }
    }
}

impl std::error::Error for NotCompiled {}

impl CompiledGame {
    /// Grounds a game and makes its net.
    ///
    /// # Errors
    ///
    /// [`NotCompiled`].
    pub fn new(program: &StratifiedProgram, budget: &Budget) -> Result<CompiledGame, NotCompiled> {
        let watch = Stopwatch::start(budget);
        let ground = GroundGame::new(program, budget).map_err(|ungrounded| match ungrounded {
            Ungrounded::NoRoles => NotCompiled::NoRoles,
            Ungrounded::Aggregates => NotCompiled::NoNet("its rules have aggregates, which have no gates".to_owned()),
            Ungrounded::Stopped(stopped) => NotCompiled::Stopped(stopped),
            Ungrounded::TooManyRules { rule, instances, grows, .. } => {
                let bound = if grows { ", whose terms grow without end unless it bounds them itself" } else { "" };
                NotCompiled::NoNet(format!("there are too many ground rules, {instances} and more of {rule}{bound}"))
            }
            Ungrounded::Grown { rule, instances, stopped } => NotCompiled::NoNet(match stopped {
                Stopped::TermTooLarge(excess) => format!("a term {excess} in {rule}"),
                Stopped::Overflow(overflow) => format!("{overflow}"),
                _ => format!("grounding {stopped}, with {instances} instances of {rule} so far"),
            }),
        })?;
        let grounding = watch.elapsed();
        let net = Net::new(&ground, budget).map_err(|none| match none {
            NoNet::Stopped(stopped) => NotCompiled::Stopped(stopped),
            NoNet::Cyclic => NotCompiled::NoNet("a fact depends on its own negation".to_owned()),
            NoNet::TooManyGates => NotCompiled::NoNet("it would have too many gates".to_owned()),
        })?;
        Ok(CompiledGame { sizes: ground.sizes(), net: Arc::new(net), grounding, building: watch.elapsed() - grounding })
    }

    /// Compiles a game in half of the time that is left, so that there is time for its rules where it has no net. The
    /// half is processor time, so that what else the machine does has no part in whether there is a net; the whole is
    /// not exceeded.
    ///
    /// # Errors
    ///
    /// [`GameError::NoRoles`], and [`GameError::Stopped`] on interruption. Any other reason why there is no net is the
    /// inner error.
    pub fn if_possible(
        program: &StratifiedProgram,
        budget: &Budget,
    ) -> Result<Result<CompiledGame, NotCompiled>, GameError> {
        let half = budget
            .time_left()
            .map_or(budget.clone(), |left| budget.clone().with_limit(Arc::new(ThreadClock), left / 2));
        match CompiledGame::new(program, &half) {
            Err(NotCompiled::NoRoles) => Err(GameError::NoRoles),
            Err(NotCompiled::Stopped(Stopped::Interrupted)) => Err(Stopped::Interrupted.into()),
            tried => Ok(tried),
        }
    }
}
