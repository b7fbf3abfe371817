//! Explains a fact: the rules and facts that it was derived from.
//!
//! Run with `cargo run --example explain`.

use ludolog::engine::Support;
use ludolog::prelude::*;

/// Prints why `ancestor(ada, cleo)` holds, one inference a line.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut session = Session::of_text(
        "parent(ada, ben). parent(ben, cleo).
         ancestor(X, Y) :- parent(X, Y).
         ancestor(X, Z) :- parent(X, Y) & ancestor(Y, Z).",
        Syntax::Datalog,
    )?;
    let goal = session.goal("ancestor(ada, cleo)")?;
    let derivation = session.why(&goal)?.ok_or("it does not hold")?;
    for (place, inference) in derivation.inferences.iter().enumerate() {
        match &inference.support {
            Support::Given => println!("{place}: {} is given", inference.fact),
            Support::Rule { premises, .. } => println!("{place}: {} from {premises:?}", inference.fact),
            Support::Unfounded { .. } => println!("{place}: {} is false", inference.fact),
        }
    }
    assert_eq!(derivation.inferences.len(), 4);
    Ok(())
}
