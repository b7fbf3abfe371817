//! `ludolog why`: prints the derivation of a fact as a tree.

use super::case::{CaseArgs, FactArgs, LimitArgs, LoadedCase, StateArgs, explain_in};
use super::output::{Format, print_json};
use super::query::split_goal;
use super::{Failure, Outcome, has_color, print};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::analysis::clause::{Goal, Literal};
use ludolog::engine::explanation::{goal_text, why};
use ludolog::engine::{Inference, SEMI_NAIVE};
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::draw;
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::{Atom, Term};
use std::path::PathBuf;

#[derive(Args)]
#[command(override_usage = "ludolog why [OPTIONS] <FILE>... <FACT>")]
pub struct WhyArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// How many levels of the tree to print
    #[arg(long, value_name = "N", default_value_t = DEPTH)]
    depth: usize,
}

/// Levels of a derivation that are printed unless asked otherwise.
pub const DEPTH: usize = 30;

/// A fact to explain, with the case that it is asked of.
#[derive(Args)]
pub struct QuestionArgs {
    /// Rule files, then the fact, as in 'win(blue)'; with variables, it stands for its instances
    #[arg(required = true, value_name = "FILE")]
    files_and_fact: Vec<String>,
    /// Take the facts from a board position
    #[arg(long, value_name = "FILE")]
    position: Option<PathBuf>,
    #[command(flatten)]
    facts: FactArgs,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    budget: LimitArgs,
    /// The seed of functional choices; without, the first ones in the order of output are chosen
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seed: u64,
    /// The syntax of files whose extension names none, and of the fact
    #[arg(long, value_parser = choice::<Syntax>())]
    syntax: Option<Syntax>,
}

impl QuestionArgs {
    /// Reads the files and the fact.
    pub fn load(&self) -> Result<(LoadedCase, Goal), Failure> {
        let (files, fact) = split_goal(&self.files_and_fact)?;
        let Some(fact) = fact else {
            return Err(Failure::Message("no fact: give one after the files, as in 'win(blue)'".to_owned()));
        };
        let case = CaseArgs {
            threads: None,
            allow_growing: false,
            seed: self.seed,
            position: self.position.clone(),
            facts: self.facts.clone(),
            state: self.state.clone(),
            engine: &SEMI_NAIVE,
            optimize: Optimization::Auto,
            budget: self.budget,
            syntax: self.syntax,
        };
        let mut loaded = case.load(&files)?;
        let goal = loaded.goal(fact)?;
        loaded.note_case(goal.body.iter().filter_map(Literal::atom).map(Atom::signature));
        Ok((loaded, goal))
    }
}

/// Explains the first instance of the fact. The outcome is negative if there is none.
pub fn run(args: &WhyArgs) -> Result<Outcome, Failure> {
    let (mut loaded, goal) = args.question.load()?;
    let derivation = loaded.session.why(&goal).map_err(|stopped| explain_in(&loaded.session, &stopped))?;
    let inferences = derivation.map(|derivation| derivation.inferences).unwrap_or_default();
    let is_undefined = inferences.is_empty() && loaded.is_undefined(&goal)?;
    match args.question.format {
        Format::Text if is_undefined => {
            let fact = goal_text(&goal, loaded.syntax);
            print(&format!("{fact} is undefined, neither true nor false; `why-not` shows why\n"))?;
        }
        Format::Text if inferences.is_empty() => {
            print(&format!("{} does not hold\n", goal_text(&goal, loaded.syntax)))?;
        }
        Format::Text => {
            let tree = why::to_text(&inferences, &loaded.session, loaded.syntax, args.depth);
            print(&(tree + &picture(&inferences, &loaded)))?;
        }
        Format::Json => {
            let mut document = why::to_json(&inferences, &loaded.session, loaded.syntax);
            document["warnings"] = loaded.warnings_as_json();
            print_json(&document)?;
        }
    }
    Ok(if !inferences.is_empty() {
        Outcome::Success
    } else if is_undefined {
        Outcome::Undefined
    } else {
        Outcome::Negative
    })
}

/// The picture for `win(P)` on a board: the board with the chain of the derivation, or with a shortest chain if the
/// derivation has no stones (that of a cluster has none).
fn picture(inferences: &[Inference], loaded: &LoadedCase) -> String {
    let (Some(position), [Inference { fact, .. }, ..]) = (&loaded.position, inferences) else { return String::new() };
    let player: Option<Player> = match &fact.args[..] {
        [Term::Symbol(name)] if fact.predicate == "win" => name.parse().ok(),
        _ => None,
    };
    let Some(player) = player else { return String::new() };
    let stone = |step: &Inference| match &step.fact.args[..] {
        [Term::Symbol(owner), Term::Integer(number)] if step.fact.predicate == "stone" && **owner == *player.name() => {
            usize::try_from(*number).ok().and_then(|number| position.board().cells().nth(number.checked_sub(1)?))
        }
        _ => None,
    };
    let mut chain: Vec<Cell> = inferences.iter().filter_map(stone).collect();
    if chain.is_empty() {
        chain = position.chain(player).unwrap_or_default();
    }
    format!("\n{}", draw::to_text(position, &chain, has_color()))
}
