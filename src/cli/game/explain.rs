//! `ludolog game explain`: why something holds in a state of a game, or why it does not.

use crate::cli::case::{self, CaseArgs, FactArgs, LimitArgs, StateArgs, StateName};
use crate::cli::output::{Format, print_json};
use crate::cli::query::in_parentheses;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, print, why, why_not};
use clap::Args;
use ludolog::analysis::clause::Literal;
use ludolog::engine::{SEMI_NAIVE, WhyNot, explanation};
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Atom;

#[derive(Args)]
pub struct GameExplainArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// A fact, as in '(legal red ?x)', 'legal red ?x', 'legal(red, X)' or 'terminal'; with variables, it stands for its
    /// instances
    #[arg(value_name = "FACT")]
    fact: String,
    /// Make this joint move first: one move for each role, in order, as in '(mark 1 1) noop' or 'mark(1, 1), noop';
    /// give it again for the next one
    #[arg(long = "move", value_name = "MOVES")]
    moves: Vec<String>,
    /// In the state reached consider this joint move: its `does` facts hold, so that `next` can be asked
    #[arg(long, value_name = "MOVES")]
    does: Option<String>,
    /// How many levels of the tree to print [default: 30 where the fact holds, 1 where it does not]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    budget: LimitArgs,
}

/// Explains the first instance of the fact, or refutes all of them: then the outcome is negative.
pub fn run(args: &GameExplainArgs) -> Result<Outcome, Failure> {
    let explain = |stopped| case::explain(&stopped);
    let rulesheet = args.rulesheet.open()?;
    let state = StateArgs { state: Some(StateName::Init), moves: args.moves.clone(), does: args.does.clone() };
    let case = CaseArgs {
        threads: None,
        allow_growing: false,
        seed: 0,
        position: None,
        facts: FactArgs::default(),
        state,
        engine: &SEMI_NAIVE,
        optimize: Optimization::Auto,
        budget: args.budget,
        syntax: args.rulesheet.syntax.or(Some(Syntax::Kif)),
    };
    let mut loaded = case.load_from(&rulesheet, std::slice::from_ref(&rulesheet.path))?;
    let goal = loaded.goal(&in_parentheses(&args.fact))?;
    loaded.note_case(goal.body.iter().filter_map(Literal::atom).map(Atom::signature));
    let derivation = loaded.session.why(&goal).map_err(explain)?;
    let told = match &derivation {
        Some(_) => WhyNot::Holds,
        None => loaded.session.why_not(&goal, args.depth.unwrap_or(why_not::DEPTH)).map_err(explain)?,
    };
    let inferences = derivation.map(|derivation| derivation.inferences).unwrap_or_default();
    let depth = args.depth.unwrap_or(why::DEPTH);
    match args.format {
        Format::Text if inferences.is_empty() => {
            print(&explanation::why_not::to_text(&goal, &told, &loaded.session, loaded.syntax))?
        }
        Format::Text => print(&explanation::why::to_text(&inferences, &loaded.session, loaded.syntax, depth))?,
        Format::Json => {
            let mut document = explanation::why_not::to_json(&goal, &told, &loaded.session, loaded.syntax);
            document["warnings"] = loaded.warnings_as_json();
            document["steps"] = explanation::why::to_json(&inferences, &loaded.session, loaded.syntax)["steps"].take();
            print_json(&document)?;
        }
    }
    Ok(if inferences.is_empty() { Outcome::Negative } else { Outcome::Success })
}
