//! Moves that are made at once: how much an opponent who knows with what chances tree search makes its moves could gain.

use ludolog::engine::{Budget, Session};
use ludolog::game::{Move, Role, State, StateMachine};
use ludolog::player::mcts::SearchSettings;
use ludolog::player::{GameReasoner, Mcts};
use ludolog::syntax::Syntax;
use std::collections::HashMap;

const GOOFSPIEL: &str = include_str!("../rules/games/goofspiel-4.kif");

/// Rock, paper, scissors, whose wins are worth more or less: rock against scissors 50 above a draw, paper against rock 25,
/// scissors against paper 10.
const BIASED: &str = "
    (role left) (role right) (init start) (shape rock) (shape paper) (shape scissors)
    (<= (base (shown ?p ?s)) (role ?p) (shape ?s)) (base start) (<= (input ?p ?s) (role ?p) (shape ?s))
    (<= (legal ?p ?s) (role ?p) (shape ?s))
    (<= (next (shown ?p ?s)) (does ?p ?s))
    (<= terminal (true (shown left ?s)))
    (worth rock scissors 100 0) (worth paper rock 75 25) (worth scissors paper 60 40)
    (<= (goal ?p 50) (role ?p) (true (shown left ?s)) (true (shown right ?s)))
    (<= (goal ?p ?g) (true (shown ?p ?s)) (true (shown ?q ?t)) (distinct ?p ?q) (worth ?s ?t ?g ?h))
    (<= (goal ?q ?h) (true (shown ?p ?s)) (true (shown ?q ?t)) (distinct ?p ?q) (worth ?s ?t ?g ?h))";

fn rules(rulesheet: &str) -> GameReasoner {
    let session = Session::of_text(rulesheet, Syntax::Kif).expect("the rulesheet is sound");
    GameReasoner::new(session.program(), &Budget::unlimited()).expect("nothing stops it")
}

/// The chances with which both roles make their moves in a state, after so many simulations from there.
fn strategies(rules: &GameReasoner, state: &State, simulations: u64, seed: u64) -> [Vec<(Move, f32)>; 2] {
    let game = rules.game(&Budget::unlimited()).expect("it is a game");
    let settings =
        SearchSettings { simulations: Some(simulations), memory: 1 << 24, seed, ..SearchSettings::default() };
    let mut player = Mcts::new(game, Role(0), settings);
    player.search(state, &Budget::unlimited()).expect("nothing stops it");
    [Role(0), Role(1)].map(|role| player.strategy(role))
}

/// What each of two roles gets by best play against the other one, whose strategy it knows in every state; by backward induction.
struct BestResponse<'r> {
    rules: &'r GameReasoner,
    machine: Box<dyn StateMachine>,
    simulations: u64,
    known: HashMap<State, [f64; 2]>,
}

impl BestResponse<'_> {
    fn new(rules: &GameReasoner, simulations: u64) -> BestResponse<'_> {
        let GameReasoner::Net(_, machine) = rules else { panic!("the game has a net") };
        BestResponse { rules, machine: machine.clone(), simulations, known: HashMap::new() }
    }

    fn values(&mut self, state: &State) -> [f64; 2] {
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let values = if self.machine.is_terminal(state).expect("no limit") {
            [0, 1].map(|role| self.machine.goal(state, Role(role)).expect("no limit").expect("a goal") as f64)
        } else {
            let legal = self.machine.all_legal_moves(std::slice::from_ref(state)).expect("no limit").swap_remove(0);
            let chances = if legal.iter().all(|moves| moves.len() == 1) {
                [0, 1].map(|role: usize| vec![(legal[role][0], 1.0)])
            } else {
                strategies(self.rules, state, self.simulations, self.known.len() as u64)
            };
            let mut gains = [0, 1].map(|role: usize| vec![0.0; chances[role].len()]);
            for (left, &(of_left, chance_left)) in chances[0].iter().enumerate() {
                for (right, &(of_right, chance_right)) in chances[1].iter().enumerate() {
                    let next = self.machine.next_state(state, &[of_left, of_right]).expect("no limit");
                    let [value_left, value_right] = self.values(&next);
                    gains[0][left] += f64::from(chance_right) * value_left;
                    gains[1][right] += f64::from(chance_left) * value_right;
                }
            }
            gains.map(|gains| gains.into_iter().fold(0.0, f64::max))
        };
        self.known.insert(state.clone(), values);
        values
    }
}

/// Both games are the same for both roles, so that each can have 50 and no more against best play.
fn gains(rulesheet: &str, simulations: u64) -> [f64; 2] {
    let rules = rules(rulesheet);
    let mut best = BestResponse::new(&rules, simulations);
    let initial = best.machine.initial_state().clone();
    best.values(&initial).map(|value| value - 50.0)
}

/// The equilibrium makes rock, paper and scissors as 10 : 50 : 25, since each chance is in proportion to what the other
/// two gain from each other.
#[test]
fn biased_rock_paper_scissors_is_mixed_as_it_should_be() {
    let rules = rules(BIASED);
    let GameReasoner::Net(_, machine) = &rules else { panic!("the game has a net") };
    for chances in strategies(&rules, machine.initial_state(), 60_000, 1) {
        assert_eq!(chances.len(), 3);
        for (made, chance) in chances {
            let expected = match machine.move_term(made).to_string().as_str() {
                "rock" => 10.0 / 85.0,
                "paper" => 50.0 / 85.0,
                _ => 25.0 / 85.0,
            };
            assert!((chance - expected).abs() < 0.05, "{made:?} {chance} {expected}");
        }
    }
    let gains = gains(BIASED, 60_000);
    assert!(gains.iter().all(|&gain| (-0.01..1.5).contains(&gain)), "{gains:?}");
}

#[test]
fn nobody_gains_much_from_knowing_how_goofspiel_is_played() {
    let gains = gains(GOOFSPIEL, 4_000);
    assert!(gains.iter().all(|&gain| (-0.01..3.0).contains(&gain)), "{gains:?}");
}
