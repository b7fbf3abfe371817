//! `ludolog facts`: prints the facts that rule files derive, one per line, in canonical order.

use super::case::{CaseArgs, Loaded, explain};
use super::{Failure, Outcome, print};
use clap::Args;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::{Budget, Stopped};
use ludolog::syntax::ast::{Atom, Effect, Predicate, Rule, Statement};
use ludolog::syntax::budget::Poll;
use ludolog::syntax::{Syntax, print_statement};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Facts printed between two checks of the budget.
const POLL_EVERY: u32 = 1024;

#[derive(Args)]
pub struct FactsArgs {
    /// Rule files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only the facts of this predicate, as in reach/2; given facts too
    #[arg(long, value_name = "P/N", value_parser = predicate)]
    predicate: Vec<Predicate>,
    /// The given facts too, not only those that rules and events make
    #[arg(long, conflicts_with = "predicate")]
    all: bool,
    #[command(flatten)]
    case: CaseArgs,
}

/// Prints the facts of the selection.
pub fn run(args: FactsArgs) -> Result<Outcome, Failure> {
    let mut loaded = args.case.load(&args.files)?;
    let selection = match (args.all, args.predicate) {
        (true, _) => Selection::All,
        (false, wanted) if wanted.is_empty() => Selection::Derived,
        (false, wanted) => Selection::These(wanted),
    };
    let (facts, stopped) = collect(&mut loaded, &selection)?;
    let text = to_text(&facts, loaded.syntax, loaded.session.budget()).map_err(|stopped| explain(&stopped))?;
    print(&text)?;
    match stopped {
        Some(stopped) => Err(explain(&stopped)),
        None => Ok(Outcome::Success),
    }
}

/// The facts to print.
pub enum Selection {
    /// Facts of predicates that rules or transition rules derive.
    Derived,
    /// All facts.
    All,
    /// Facts of these predicates.
    These(Vec<Predicate>),
}

/// The facts of a loaded case, in canonical order. If the run stopped early, though in time, the facts found before the
/// stop, with the reason.
pub fn collect(loaded: &mut Loaded, selection: &Selection) -> Result<(Vec<Atom>, Option<Stopped>), Failure> {
    let derived = derived_predicates(loaded.session.program());
    let wanted = |predicate: &Predicate| match selection {
        Selection::Derived => derived.contains(predicate),
        Selection::All => true,
        Selection::These(wanted) => wanted.contains(predicate),
    };
    loaded.session.facts(wanted).map_err(|stopped| explain(&stopped))
}

fn derived_predicates(program: &StratifiedProgram) -> BTreeSet<Predicate> {
    let program = &program.program;
    let heads = program.rules.iter().map(|rule| rule.head.signature());
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    heads.chain(effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature())).collect()
}

/// Facts as statements of a rule file, one per line.
pub fn to_text(facts: &[Atom], syntax: Syntax, budget: &Budget) -> Result<String, Stopped> {
    let mut poll = Poll::new(budget, POLL_EVERY);
    let mut text = String::new();
    for fact in facts {
        poll.step()?;
        let rule = Rule { head: fact.clone(), body: Vec::new() };
        text.push_str(print_statement(&Statement::Rule(rule), syntax).trim_end());
        text.push('\n');
    }
    Ok(text)
}

/// Parses a predicate with its arity.
pub fn predicate(text: &str) -> Result<Predicate, String> {
    let arity = |arity: &str| arity.parse::<usize>().ok();
    match text.rsplit_once('/').and_then(|(name, rest)| Some((name, arity(rest)?))) {
        Some((name, arity)) if !name.is_empty() => Ok(Predicate::new(name, arity)),
        _ => Err("a predicate with its arity, as in reach/2".to_owned()),
    }
}
