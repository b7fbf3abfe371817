//! `ludolog facts`: prints the facts that rule files derive, one per line or as JSON, in canonical order.

use super::case::{CaseArgs, Loaded, explain};
use super::output::{Format, print_json, term};
use super::watch::{self, WatchArgs};
use super::{Failure, Outcome, print};
use clap::Args;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::{Budget, Stopped};
use ludolog::syntax::ast::{Atom, Effect, Predicate, Rule, Statement};
use ludolog::syntax::budget::Poll;
use ludolog::syntax::{Syntax, print_statement};
use serde_json::{Value, json};
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
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    case: CaseArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Prints the facts of the selection.
pub fn run(args: &FactsArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == Format::Json, || list(args))
}

fn list(args: &FactsArgs) -> Result<Outcome, Failure> {
    let mut loaded = args.case.load(&args.files)?;
    let selection = match (args.all, &args.predicate[..]) {
        (true, _) => Selection::All,
        (false, []) => Selection::Derived,
        (false, wanted) => Selection::These(wanted.to_vec()),
    };
    match &selection {
        Selection::These(wanted) => loaded.note_missing_state(wanted.clone()),
        Selection::Derived | Selection::All => loaded.note_missing_state(derived_predicates(loaded.session.program())),
    }
    let (facts, stopped) = collect(&mut loaded, &selection)?;
    let (syntax, budget) = (loaded.syntax, loaded.session.budget());
    let explain = |stopped| explain(&stopped);
    match args.format {
        Format::Text => print(&to_text(&facts, syntax, budget).map_err(explain)?)?,
        // An array has no place for the reason why it is not complete.
        Format::Json if stopped.is_some() => {}
        Format::Json => print_json(&to_json(&facts, syntax, budget).map_err(explain)?)?,
    }
    match stopped {
        Some(stopped) => Err(explain(stopped)),
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

fn to_json(facts: &[Atom], syntax: Syntax, budget: &Budget) -> Result<Value, Stopped> {
    let mut poll = Poll::new(budget, POLL_EVERY);
    let mut objects = Vec::with_capacity(facts.len());
    for fact in facts {
        poll.step()?;
        let arguments: Vec<Value> = fact.args.iter().map(|argument| term(argument, syntax)).collect();
        objects.push(json!({ "predicate": &*fact.predicate, "arguments": arguments }));
    }
    Ok(Value::Array(objects))
}

/// Parses a predicate with its arity.
pub fn predicate(text: &str) -> Result<Predicate, String> {
    let arity = |arity: &str| arity.parse::<usize>().ok();
    match text.rsplit_once('/').and_then(|(name, rest)| Some((name, arity(rest)?))) {
        Some((name, arity)) if !name.is_empty() => Ok(Predicate::new(name, arity)),
        _ => Err("a predicate with its arity, as in reach/2".to_owned()),
    }
}
