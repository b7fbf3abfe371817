//! Players that do not think: opponents to measure others by.

use crate::game::Game;
use crate::player::{Choice, Player, Report, legal_moves};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Role, State, StateMachine};
use std::time::Duration;

/// Plays the first legal move.
pub struct Legal {
    game: Game,
    role: Role,
}

impl Legal {
    /// A player of this role.
    pub fn new(game: Game, role: Role) -> Self {
        Legal { game, role }
    }
}

impl Player for Legal {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, _: &Budget, _: Duration) -> Result<Report, GameError> {
        Ok(Report::default())
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        Ok(Choice { made: legal[0], report: Report::default() })
    }
}

/// Plays any legal move, all with the same chance.
pub struct Random {
    game: Game,
    role: Role,
    draw: Draw,
}

impl Random {
    /// A player of this role. The same seed makes the same choices.
    pub fn new(game: Game, role: Role, seed: u64) -> Self {
        Random { game, role, draw: Draw::new(seed) }
    }
}

impl Player for Random {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, _: &Budget, _: Duration) -> Result<Report, GameError> {
        Ok(Report::default())
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        Ok(Choice { made: legal[self.draw.below(legal.len())], report: Report::default() })
    }
}
