//! Random playouts from states that come one by one, as lanes get free.

use super::{NetGame, NetMachine};
use crate::lanes::{DecisiveTurns, MoveUse, PlayoutFeed, PlayoutPolicy};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::State;
use std::slice;
use std::sync::Arc;

/// Words of the lanes of a stream. With more, more playouts would begin before the first has ended; with four, which are
/// what AVX2 takes at once, each playout takes longer by a fifth.
const WORDS: usize = 8;

/// The random playouts of a machine, apart from its other questions.
pub struct PlayoutStream {
    game: Arc<NetGame>,
    policy: PlayoutPolicy,
    uses: MoveUse,
    finds_turns: bool,
}

impl NetMachine {
    /// Random playouts as this machine makes them.
    pub fn playout_stream(&self) -> PlayoutStream {
        PlayoutStream { game: self.game.clone(), policy: self.policy, uses: self.uses, finds_turns: self.finds_turns }
    }

    /// Lets streams of playouts find decisive turns from now on. Makes the programs where they are not there.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn find_decisive_turns(&mut self, budget: &Budget) -> Result<(), Stopped> {
        self.game.lanes(PlayoutPolicy::Uniform, MoveUse::default(), budget)?;
        self.finds_turns = true;
        Ok(())
    }
}

impl PlayoutStream {
    /// Plays from the states of a feed, with at most `max_steps` joint moves, until it ends them, or
    /// adds none and all playouts have ended. The states can be reached from `root`.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn run(
        &self,
        root: &State,
        max_steps: usize,
        seed: u64,
        budget: &Budget,
        feed: &mut PlayoutFeed<'_>,
    ) -> Result<(), Stopped> {
        let lanes = self.game.lanes_for(slice::from_ref(root), self.policy, self.uses, &Budget::unlimited())?;
        lanes.play_fed::<WORDS>(max_steps, seed, self.uses.guiding, budget, feed)
    }

    /// What finds decisive turns; `None` where the machine was not [told](NetMachine::find_decisive_turns) to, or where programs
    /// do not tell whose turn it is or are too long, or where turns have fewer moves than `least`.
    pub fn decisive_turns(&self, least: usize) -> Option<DecisiveTurns<'_>> {
        let made = self.game.lanes[PlayoutPolicy::Uniform as usize][MoveUse::default().number()].get();
        made.filter(|_| self.finds_turns).and_then(|lanes| DecisiveTurns::new(lanes, least))
    }
}
