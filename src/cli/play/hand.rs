//! The seat of whoever plays by hand: the move is known before the seat is asked for it.

use ludolog::engine::Budget;
use ludolog::player::matches::{Thought, ToldMove};
use ludolog::player::{Clocks, Seat};
use ludolog::syntax::ast::Term;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Gives moves to a seat.
pub struct MoveSender(Sender<Term>);

/// The seat.
pub struct Handed(Receiver<Term>);

impl MoveSender {
    pub fn new() -> (MoveSender, Handed) {
        let (sender, receiver) = channel();
        (MoveSender(sender), Handed(receiver))
    }

    /// Sets the move that the seat is asked for next.
    pub fn play(&self, made: Term) {
        self.0.send(made).expect("the seat is there as long as its session");
    }
}

impl Seat for Handed {
    fn name(&self) -> &str {
        "hand"
    }

    fn start(&mut self, _: Clocks, _: &Budget) -> Result<Thought, String> {
        Ok(Thought::default())
    }

    fn play(&mut self, _: &ToldMove, _: Clocks, _: &Budget) -> Result<(Term, Thought), String> {
        let made = self.0.recv().map_err(|error| error.to_string())?;
        Ok((made, Thought::default()))
    }

    fn return_to(&mut self, _: &[Term]) -> Result<(), String> {
        Ok(())
    }

    fn stop(&mut self, _: Option<&ToldMove>) {}
}
