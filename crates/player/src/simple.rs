//! Players that do not think: opponents to measure others by.

use crate::game::Game;
use crate::hidden::Follower;
use crate::hidden::belief::Observation;
use crate::player::{Choice, Player, SearchReport, legal_moves};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Role, State, StateMachine};
use std::time::Duration;

/// Plays the first legal move.
pub struct LegalPlayer {
    game: Game,
    role: Role,
    follower: Follower,
}

impl LegalPlayer {
    /// A player of this role.
    pub fn new(game: Game, role: Role) -> Self {
        LegalPlayer { game, role, follower: Follower::new(role, 0) }
    }
}

impl Player for LegalPlayer {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, _: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        Ok(SearchReport::default())
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        Ok(Choice { made: legal[0], report: SearchReport::default() })
    }

    fn play_hidden(&mut self, seen: &[Observation], budget: &Budget) -> Result<Choice, GameError> {
        let legal = self.follower.legal_moves(self.game.machine(), seen, budget)?;
        Ok(Choice { made: legal[0], report: SearchReport::default() })
    }
}

/// Plays any legal move, all with the same chance.
pub struct RandomPlayer {
    game: Game,
    role: Role,
    draw: Draw,
    follower: Follower,
}

impl RandomPlayer {
    /// A player of this role. The same seed makes the same choices.
    pub fn new(game: Game, role: Role, seed: u64) -> Self {
        RandomPlayer { game, role, draw: Draw::new(seed), follower: Follower::new(role, seed) }
    }
}

impl Player for RandomPlayer {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, _: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        Ok(SearchReport::default())
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        Ok(Choice { made: legal[self.draw.below(legal.len())], report: SearchReport::default() })
    }

    fn play_hidden(&mut self, seen: &[Observation], budget: &Budget) -> Result<Choice, GameError> {
        let legal = self.follower.legal_moves(self.game.machine(), seen, budget)?;
        Ok(Choice { made: legal[self.draw.below(legal.len())], report: SearchReport::default() })
    }
}
