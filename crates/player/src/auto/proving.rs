//! Tree search with alpha-beta before it, which finds proofs that tree search finds later or not at all.

use crate::alpha_beta::AlphaBeta;
use crate::mcts::Mcts;
use crate::player::{Choice, Player, SearchReport, is_stop};
use ludolog_engine::Budget;
use ludolog_game::{GameError, State, StateMachine};
use std::time::Duration;

/// The part of a move's time in which alpha-beta looks for a proof: one in so many.
const SHARE: u32 = 8;

/// Plays as tree search, unless alpha-beta proves that a state is worth something: then as that.
pub struct Proving {
    prover: AlphaBeta,
    player: Mcts,
}

impl Proving {
    /// Two players of one role.
    pub fn new(prover: AlphaBeta, player: Mcts) -> Proving {
        Proving { prover, player }
    }
}

impl Player for Proving {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.player.machine()
    }

    fn start(&mut self, budget: &Budget, play_clock: Duration) -> Result<SearchReport, GameError> {
        self.player.start(budget, play_clock)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        match self.prover.play(state, &budget.part_of_rest(|left| left / SHARE)) {
            // In a lost state tree search tells which move is hardest to answer.
            Ok(choice) if choice.report.proven && choice.report.value > Some(0.0) => Ok(choice),
            Err(error) if !is_stop(&error) => Err(error),
            _ => self.player.play(state, budget),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::{AlphaBetaSettings, Training};
    use crate::game::GameReasoner;
    use crate::mcts::SearchSettings;
    use ludolog_engine::Session;
    use ludolog_game::Role;
    use ludolog_syntax::Syntax;

    /// One or two are taken of a heap in turn; who takes the last one wins. Heaps of three or six are lost.
    const TAKE_AWAY: &str = "
        (role left) (role right) (init (control left)) (other left right) (other right left)
        (number 5) (init (heap 5)) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
        (<= (base (heap ?n)) (less ?n ?m)) (base (heap 0)) (<= (base (control ?p)) (role ?p))
        (<= (input ?p one) (role ?p)) (<= (input ?p two) (role ?p)) (<= (input ?p wait) (role ?p))
        (<= (two-less ?n ?l) (less ?n ?m) (less ?m ?l))
        (<= (legal ?p one) (true (control ?p)) (true (heap ?n)) (less ?n ?m))
        (<= (legal ?p two) (true (control ?p)) (true (heap ?n)) (two-less ?n ?m))
        (<= (legal ?q wait) (true (control ?p)) (other ?p ?q))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= (next (heap ?m)) (does ?p one) (true (heap ?n)) (less ?n ?m))
        (<= (next (heap ?m)) (does ?p two) (true (heap ?n)) (two-less ?n ?m))
        (<= terminal (true (heap 0)))
        (<= (goal ?p 0) (true (control ?p))) (<= (goal ?q 100) (true (control ?p)) (other ?p ?q))";

    fn player(rules: &GameReasoner, simulations: u64) -> Proving {
        let game = || rules.game(&Budget::unlimited()).expect("it is a game");
        let judge = Training::new(rules.net().expect("it has a net"), Role(0), 1).judge();
        let settings = AlphaBetaSettings { memory: 1 << 16, ..AlphaBetaSettings::default() };
        let prover = AlphaBeta::with_judge(game(), Role(0), settings, judge);
        let settings = SearchSettings { simulations: Some(simulations), memory: 1 << 22, ..SearchSettings::default() };
        Proving::new(prover, Mcts::new(game(), Role(0), settings))
    }

    /// The state after a role has made a move of this name, while the other one waits.
    fn after(machine: &mut dyn StateMachine, state: &State, role: usize, name: &str) -> State {
        let mut legal = machine.all_legal_moves(std::slice::from_ref(state)).expect("no limit").swap_remove(0);
        legal[role].retain(|&made| machine.move_term(made).to_string() == name);
        let joint: Vec<_> = legal.iter().map(|moves| moves[0]).collect();
        machine.next_state(state, &joint).expect("no limit")
    }

    #[test]
    fn proofs_are_played_and_lost_states_searched() {
        let session = Session::of_text(TAKE_AWAY, Syntax::Kif).expect("the rulesheet is sound");
        let rules = GameReasoner::new(session.program(), &Budget::unlimited()).expect("nothing stops it");
        let mut player = player(&rules, 100);
        let five = player.machine().initial_state().clone();
        let choice = player.play(&five, &Budget::unlimited()).expect("nothing stops it");
        assert_eq!((choice.report.value, choice.report.proven, choice.report.playouts), (Some(100.0), true, 0));
        assert_eq!(player.machine().move_term(choice.made).to_string(), "two", "three are lost");
        let four = after(player.machine(), &five, 0, "one");
        let three = after(player.machine(), &four, 1, "one");
        let choice = player.play(&three, &Budget::unlimited()).expect("nothing stops it");
        assert!(choice.report.playouts > 0, "nothing is to be won by a proof");
    }
}
