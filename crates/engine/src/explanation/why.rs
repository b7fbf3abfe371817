//! Why a fact holds: its derivation as a tree, and as JSON.

use super::{DEEPER, place, tree};
use crate::{AggregatedTuples, Check, Inference, Session, Support};
use ludolog_logic::analysis::clause::Clause;
use ludolog_syntax::ast::{Formula, Term};
use ludolog_syntax::diagnostic::counted;
use ludolog_syntax::{Syntax, print_formula, print_term};
#[cfg(feature = "json")]
use {super::term_to_json, serde_json::json};

/// The inferences as a tree; a fact that repeats refers to its first occurrence.
pub fn to_text(inferences: &[Inference], session: &Session, syntax: Syntax, depth: usize) -> String {
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
        let fact = fact_text(&inferences[step], syntax);
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
        let at =
            |clause: &Clause| place(clause, session).map_or(String::new(), |(file, line)| format!("{file}:{line}"));
        match &inferences[step].support {
            Support::Given => (fact, Vec::new()),
            Support::Rule { clause, premises, checks } => {
                let premises = premises.iter().map(|&premise| DerivationLine::Step(premise));
                let checks = checks.iter().map(|check| {
                    let tuples = check.tuples.as_ref().map(|tuples| tuple_lines(tuples, syntax));
                    DerivationLine::Check(check_text(check, syntax), tuples.unwrap_or_default())
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
fn fact_text(inference: &Inference, syntax: Syntax) -> String {
    let fact = Formula::Atom(inference.fact.clone());
    let is_false = matches!(inference.support, Support::Unfounded { .. });
    print_formula(&if is_false { Formula::Not(Box::new(fact)) } else { fact }, syntax)
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
#[cfg(feature = "json")]
fn tuples_as_json(check: usize, tuples: &AggregatedTuples, syntax: Syntax) -> serde_json::Value {
    let tuple = |tuple: &Vec<Term>| tuple.iter().map(|value| term_to_json(value, syntax)).collect::<Vec<_>>();
    json!({ "check": check, "tuples": tuples.first.iter().map(tuple).collect::<Vec<_>>(), "more": tuples.more })
}

/// The inferences as `steps`.
#[cfg(feature = "json")]
pub fn to_json(inferences: &[Inference], session: &Session, syntax: Syntax) -> serde_json::Value {
    let steps = inferences.iter().map(|step| {
        let fact = fact_text(step, syntax);
        match &step.support {
            Support::Unfounded { instances } => {
                let instances = instances.iter().map(|(clause, against)| {
                    let place = place(clause, session);
                    json!({ "file": place.map(|(file, _)| file), "line": place.map(|(_, line)| line), "against": against })
                });
                json!({ "fact": fact, "instances": instances.collect::<Vec<_>>() })
            }
            Support::Given => json!({ "fact": fact }),
            Support::Rule { clause, premises, checks } => {
                let place = place(clause, session);
                let mut step = json!({
                    "fact": fact,
                    "file": place.map(|(file, _)| file),
                    "line": place.map(|(_, line)| line),
                    "premises": premises,
                    "checks": checks.iter().map(|check| check_text(check, syntax)).collect::<Vec<_>>(),
                });
                let tuples = checks.iter().enumerate().filter_map(|(at, check)| Some((at, check.tuples.as_ref()?)));
                let aggregates: Vec<_> = tuples.map(|(at, tuples)| tuples_as_json(at, tuples, syntax)).collect();
                if !aggregates.is_empty() {
                    step["aggregates"] = aggregates.into();
                }
                step
            }
        }
    });
    json!({ "steps": steps.collect::<Vec<_>>() })
}
