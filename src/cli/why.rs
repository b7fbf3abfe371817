//! `ludolog why`: prints the derivation of a fact as a tree.

use super::case::{CaseArgs, FactArgs, LimitArgs, LoadedCase, StateArgs, explain_in};
use super::output::{Format, print_json, term};
use super::query::{goal_text, split_goal};
use super::{Failure, Outcome, counted, has_color, print, tree};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::analysis::clause::{Clause, Goal, Literal};
use ludolog::engine::{AggregatedTuples, Check, Inference, SEMI_NAIVE, Support};
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::draw;
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Formula, Term};
use ludolog::syntax::{Syntax, print_formula, print_term};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
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
    #[arg(required = true, value_names = ["FILE", "FACT"])]
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
    /// The syntax of files whose extension names none, and of the fact
    #[arg(long, value_parser = choice::<Syntax>())]
    syntax: Option<Syntax>,
}

impl QuestionArgs {
    /// Reads the files and the fact.
    pub fn load(&self) -> Result<(LoadedCase, Goal), Failure> {
        let (files, fact) = split_goal(&self.files_and_fact);
        let Some(fact) = fact else {
            return Err(Failure::Message("no fact: give one after the files, as in 'win(blue)'".to_owned()));
        };
        let case = CaseArgs {
            threads: None,
            allow_growing: false,
            position: self.position.clone(),
            facts: self.facts.clone(),
            state: self.state.clone(),
            engine: &SEMI_NAIVE,
            optimize: Optimization::Auto,
            budget: self.budget,
            syntax: self.syntax,
        };
        let mut loaded = case.load(&files)?;
        let goal = loaded.session.goal(fact)?;
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
        Format::Text => print(&(tree(&inferences, &loaded, args.depth) + &picture(&inferences, &loaded)))?,
        Format::Json => print_json(&to_json(&inferences, &loaded))?,
    }
    Ok(if !inferences.is_empty() {
        Outcome::Success
    } else if is_undefined {
        Outcome::Undefined
    } else {
        Outcome::Negative
    })
}

/// The inferences as a tree; a fact that repeats refers to its first occurrence.
pub fn tree(inferences: &[Inference], loaded: &LoadedCase, depth: usize) -> String {
    enum DerivationLine {
        Step(usize),
        /// A condition with the lines below it.
        Check(String, Vec<String>),
        /// An instance of this rule, and what makes it fail.
        Fails(String, usize),
    }
    let mut explained = vec![false; inferences.len()];
    let mut cut = false;
    let mut out = tree::draw(DerivationLine::Step(0), |line, level| {
        let step = match line {
            DerivationLine::Check(text, below) if level >= depth && !below.is_empty() => {
                cut = true;
                return (format!("{text}    …"), Vec::new());
            }
            DerivationLine::Check(text, below) => {
                return (text, below.into_iter().map(|text| DerivationLine::Check(text, Vec::new())).collect());
            }
            DerivationLine::Fails(text, step) => return (text, vec![DerivationLine::Step(step)]),
            DerivationLine::Step(step) => step,
        };
        let fact = fact_text(&inferences[step], loaded);
        if !inferences[step].support.has_reasons() {
            return (fact, Vec::new());
        }
        if std::mem::replace(&mut explained[step], true) {
            return (format!("{fact}    (as above)"), Vec::new());
        }
        if level >= depth {
            cut = true;
            return (format!("{fact}    …"), Vec::new());
        }
        let at = |clause: &Clause| place(clause, loaded).map_or(String::new(), |(file, line)| format!("{file}:{line}"));
        match &inferences[step].support {
            Support::Given => (fact, Vec::new()),
            Support::Rule { clause, premises, checks } => {
                let premises = premises.iter().map(|&premise| DerivationLine::Step(premise));
                let checks = checks.iter().map(|check| {
                    let tuples = check.tuples.as_ref().map(|tuples| tuple_lines(tuples, loaded.syntax));
                    DerivationLine::Check(check_text(check, loaded.syntax), tuples.unwrap_or_default())
                });
                (format!("{fact}    {}", at(clause)).trim_end().to_owned(), premises.chain(checks).collect())
            }
            Support::Unfounded { instances } => {
                let fails = |(clause, step): &(Clause, usize)| {
                    DerivationLine::Fails(format!("{} fails, since", at(clause)), *step)
                };
                (fact, instances.iter().map(fails).collect())
            }
        }
    });
    if cut {
        out += DEEPER;
    }
    out
}

/// The fact of an inference as a condition that holds.
fn fact_text(inference: &Inference, loaded: &LoadedCase) -> String {
    let fact = Formula::Atom(inference.fact.clone());
    let is_false = matches!(inference.support, Support::Unfounded { .. });
    print_formula(&if is_false { Formula::Not(Box::new(fact)) } else { fact }, loaded.syntax)
}

/// The text of a condition.
fn check_text(check: &Check, syntax: Syntax) -> String {
    print_formula(&Formula::from(&check.literal), syntax)
}

/// The tuples of an aggregate, a line each, and how many more there are.
fn tuple_lines(tuples: &AggregatedTuples, syntax: Syntax) -> Vec<String> {
    let separator = if syntax == Syntax::Kif { " " } else { ", " };
    let line =
        |tuple: &Vec<Term>| tuple.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>().join(separator);
    let more = match tuples.more {
        0 if tuples.first.is_empty() => Some("no tuples".to_owned()),
        0 => None,
        more => Some(format!("… and {}", counted(more, "more tuple"))),
    };
    tuples.first.iter().map(line).chain(more).collect()
}

/// The tuples of an aggregate as JSON; `check` is the number of the condition.
fn tuples_as_json(check: usize, tuples: &AggregatedTuples, syntax: Syntax) -> serde_json::Value {
    let tuple = |tuple: &Vec<Term>| tuple.iter().map(|value| term(value, syntax)).collect::<Vec<_>>();
    json!({ "check": check, "tuples": tuples.first.iter().map(tuple).collect::<Vec<_>>(), "more": tuples.more })
}

/// The last line of a tree that is not shown as a whole.
pub const DEEPER: &str = "… deeper levels are left out; --depth shows more\n";

/// The file and the line of a rule.
pub fn place<'a>(clause: &Clause, loaded: &'a LoadedCase) -> Option<(&'a str, usize)> {
    let sources = loaded.session.sources();
    let (source, (line, _)) = sources.get(clause.span.source).zip(sources.line_column(clause.span))?;
    Some((&source.name, line))
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

/// The inferences as `steps`.
pub fn to_json(inferences: &[Inference], loaded: &LoadedCase) -> serde_json::Value {
    let steps = inferences.iter().map(|step| {
        let fact = fact_text(step, loaded);
        match &step.support {
            Support::Unfounded { instances } => {
                let instances = instances.iter().map(|(clause, against)| {
                    let place = place(clause, loaded);
                    json!({ "file": place.map(|(file, _)| file), "line": place.map(|(_, line)| line), "against": against })
                });
                json!({ "fact": fact, "instances": instances.collect::<Vec<_>>() })
            }
            Support::Given => json!({ "fact": fact }),
            Support::Rule { clause, premises, checks } => {
                let place = place(clause, loaded);
                let mut step = json!({
                    "fact": fact,
                    "file": place.map(|(file, _)| file),
                    "line": place.map(|(_, line)| line),
                    "premises": premises,
                    "checks": checks.iter().map(|check| check_text(check, loaded.syntax)).collect::<Vec<_>>(),
                });
                let tuples = checks.iter().enumerate().filter_map(|(at, check)| Some((at, check.tuples.as_ref()?)));
                let aggregates: Vec<_> = tuples.map(|(at, tuples)| tuples_as_json(at, tuples, loaded.syntax)).collect();
                if !aggregates.is_empty() {
                    step["aggregates"] = aggregates.into();
                }
                step
            }
        }
    });
    json!({ "steps": steps.collect::<Vec<_>>(), "warnings": loaded.warnings_as_json() })
}
