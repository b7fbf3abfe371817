//! Plays a game written in GDL: legal moves, next states, goals.
//!
//! Run with `cargo run --example play`.

use ludolog::game::{Interpreted, StateMachine, StateMachineExt};
use ludolog::prelude::*;

/// Nim with one heap of five: take one or two; who takes the last wins.
const NIM: &str = "
    (role first) (role second)
    (init (heap 5)) (init (control first))
    (takes 5 1 4) (takes 4 1 3) (takes 3 1 2) (takes 2 1 1) (takes 1 1 0)
    (takes 5 2 3) (takes 4 2 2) (takes 3 2 1) (takes 2 2 0)
    (other first second) (other second first)
    (<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (takes ?h ?n ?k))
    (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
    (<= (next (heap ?k)) (true (heap ?h)) (does ?r (take ?n)) (takes ?h ?n ?k))
    (<= (next (control ?r)) (true (control ?s)) (other ?s ?r))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 0) (true (control ?r)))
    (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
";

/// Plays a game in which everybody takes as much as possible.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::of_text(NIM, Syntax::Kif)?;
    let mut game = Interpreted::new(session.program(), Budget::unlimited())?;
    let mut state = game.initial_state().clone();
    while !game.is_terminal(&state)? {
        for fact in game.facts(&state) {
            print!("{fact} ");
        }
        println!();
        let mut joint = Vec::new();
        for role in game.role_numbers() {
            let legal = game.legal_moves(&state, role)?;
            joint.push(*legal.last().ok_or("a role has no legal move")?);
        }
        state = game.next_state(&state, &joint)?;
    }
    let goals = game.goals(&state)?;
    println!("{goals:?}");
    // Two, two, one: the first takes the last.
    assert_eq!(goals, [Some(100), Some(0)]);
    Ok(())
}
