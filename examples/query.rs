//! Queries a program: from a goal's text to sorted answers.
//!
//! Run with `cargo run --example query`.

use ludolog::prelude::*;

/// Who may cross the road, and who may not.
const RULES: &str = "
    near(X, Y) :- road(X, Y).
    near(X, Z) :- near(X, Y) & road(Y, Z).
    apart(X, Y) :- town(X) & town(Y) & X != Y & ~near(X, Y).
";

/// Prints the towns that cannot be reached from `a`.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut session = Session::of_text(RULES, Syntax::Datalog)?;
    for fact in ["town(a)", "town(b)", "town(c)", "town(d)", "road(a, b)", "road(b, c)", "road(d, a)"] {
        session.insert(fact)?;
    }
    let apart = session.query("apart(a, Y)")?;
    print!("{apart}");
    assert_eq!(apart.to_string(), "Y = d\n");

    // Facts may come and go; every answer is that of the facts so far.
    session.insert("road(c, d)")?;
    assert!(!session.query("apart(a, Y)")?.holds());
    Ok(())
}
