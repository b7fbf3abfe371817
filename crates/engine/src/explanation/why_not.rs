//! Why a fact does not hold: the rules that could derive it, or the cycle that an undefined one depends on, as text and as JSON.

use super::{DEEPER, goal_text, place, tree};
use crate::{Cause, FailedRule, HeldCondition, Reason, Refutation, Replacement, Session, UndefinedCycle, WhyNot};
use ludolog_logic::analysis::clause::{Clause, Goal, Literal};
use ludolog_syntax::ast::{Formula, Term};
use ludolog_syntax::{Syntax, print_atom, print_formula, print_statement, print_term};
#[cfg(feature = "json")]
use {
    crate::UndefinedStep,
    ludolog_syntax::ast::Atom,
    serde_json::{Map, Value, json},
};

/// What a session says about a fact that may not hold: the refutation as a tree, the cycle of an undefined fact, or that it, or an instance
/// of it, holds.
pub fn to_text(goal: &Goal, why_not: &WhyNot, session: &Session, syntax: Syntax) -> String {
    match why_not {
        WhyNot::Holds => {
            let which = if goal.variables.is_empty() { "" } else { "an instance of " };
            format!("{which}{} holds; `why` shows its derivation\n", goal_text(goal, syntax))
        }
        WhyNot::Refuted(refutation) => refutation_to_text(refutation, session, syntax),
        WhyNot::Undefined(cycle) => cycle_to_text(&goal_text(goal, syntax), cycle.as_ref(), session, syntax),
    }
}

/// The same as an object: the `fact`, whether it `holds` (null of an undefined one), and the `denials` of a refutation; of an undefined fact
/// also the facts of its `cycle`, and the number of the one that the last of them needs as `back_to`.
#[cfg(feature = "json")]
pub fn to_json(goal: &Goal, why_not: &WhyNot, session: &Session, syntax: Syntax) -> Value {
    let mut told = json!({ "fact": goal_text(goal, syntax), "holds": matches!(why_not, WhyNot::Holds), "denials": [] });
    match why_not {
        WhyNot::Holds => {}
        WhyNot::Refuted(refutation) => told["denials"] = denials_to_json(refutation, session, syntax),
        WhyNot::Undefined(cycle) => {
            let steps = cycle.iter().flat_map(|cycle| &cycle.steps).map(|step| step_to_json(step, session, syntax));
            told["holds"] = Value::Null;
            told["cycle"] = steps.collect();
            told["back_to"] = cycle.as_ref().map(|cycle| cycle.back_to).into();
        }
    }
    told
}

/// An undefined fact with the cycle that it leads to, if one was found: a line for each fact of it.
fn cycle_to_text(fact: &str, cycle: Option<&UndefinedCycle>, session: &Session, syntax: Syntax) -> String {
    let mut text = format!("{fact} is undefined, neither true nor false: it depends on its own negation\n");
    for (number, step) in cycle.iter().flat_map(|cycle| cycle.steps.iter().enumerate()) {
        let atom = print_atom(&step.atom, syntax);
        let place = place(&step.clause, session).map_or(String::new(), |(file, line)| format!("    {file}:{line}"));
        let is_last = cycle.is_some_and(|cycle| number + 1 == cycle.steps.len());
        let again = if is_last { "    (as above)" } else { "" };
        text += &format!("{atom} needs {}{place}{again}\n", condition_text(&step.needs, syntax));
    }
    text
}

/// A fact of a cycle and the condition that it needs.
#[cfg(feature = "json")]
fn step_to_json(step: &UndefinedStep, session: &Session, syntax: Syntax) -> Value {
    let place = place(&step.clause, session);
    json!({
        "atom": print_atom(&step.atom, syntax),
        "needs": condition_text(&step.needs, syntax),
        "file": place.map(|(file, _)| file),
        "line": place.map(|(_, line)| line),
    })
}

/// The refutation as a tree: below an atom the rules that could derive it, below a rule its conditions up to the first
/// that fails. An atom that repeats refers to its first occurrence.
fn refutation_to_text(refutation: &Refutation, session: &Session, syntax: Syntax) -> String {
    enum RefutationLine<'a> {
        Denial(usize),
        Rule(&'a FailedRule),
        Held(&'a HeldCondition),
        Failed(&'a FailedRule),
    }
    let denials = &refutation.denials;
    let mut explained = vec![false; denials.len()];
    let mut cut = false;
    let added_by_events = session.program().program.changed();
    // The note behind a denied atom, and the rules below it.
    let mut denied = |at: usize| {
        let note = match &denials[at].reason {
            Reason::Undefined { meant } => {
                let meant = meant.as_ref().map_or(String::new(), |meant| format!("; did you mean {meant}?"));
                format!("nothing defines {}{meant}", denials[at].atom.signature())
            }
            Reason::Rules(rules) if rules.is_empty() && added_by_events.contains(&denials[at].atom.signature()) => {
                "no fact or rule matches, and no event has added one that does".to_owned()
            }
            Reason::Rules(rules) if rules.is_empty() => "no fact or rule matches".to_owned(),
            Reason::Rules(_) if std::mem::replace(&mut explained[at], true) => "(as above)".to_owned(),
            Reason::Rules(rules) => return (String::new(), rules.iter().map(RefutationLine::Rule).collect()),
            Reason::Replaced(replacement) => replacement_text(replacement, syntax),
            Reason::Unchosen(other) => format!("{} is chosen", print_atom(other, syntax)),
            Reason::NotSought => {
                cut = true;
                "…".to_owned()
            }
        };
        (format!("    {note}"), Vec::new())
    };
    let mut out = tree::draw(RefutationLine::Denial(0), |line, _| match line {
        RefutationLine::Denial(at) => {
            let (note, rules) = denied(at);
            (format!("{} does not hold{note}", print_atom(&denials[at].atom, syntax)), rules)
        }
        RefutationLine::Rule(rule) => {
            let place = place(&rule.clause, session).map_or(String::new(), |(file, line)| format!("    {file}:{line}"));
            let bindings = rule.bindings.iter().map(|(name, value)| {
                let name = Term::Variable(name.clone());
                format!("{} = {}", print_term(&name, syntax), print_term(value, syntax))
            });
            let bindings: Vec<String> = bindings.collect();
            let gap = if bindings.is_empty() { "" } else { "    " };
            let line = format!("{}{place}{gap}{}", rule_text(&rule.clause, session, syntax), bindings.join(", "));
            (line, rule.held.iter().map(RefutationLine::Held).chain([RefutationLine::Failed(rule)]).collect())
        }
        RefutationLine::Held(held) => {
            let (mark, note) = if held.is_undefined { ("?", "    undefined") } else { ("✓", "") };
            (format!("{mark} {}{note}", condition_text(&held.literal, syntax)), Vec::new())
        }
        RefutationLine::Failed(rule) => {
            let (note, rules) = match &rule.cause {
                Cause::Denied(at) => denied(*at),
                Cause::Contradicted(fact) => (format!("    {} holds", print_atom(fact, syntax)), Vec::new()),
                Cause::Replaced(replacement) => (format!("    {}", replacement_text(replacement, syntax)), Vec::new()),
                Cause::False => ("    false".to_owned(), Vec::new()),
                Cause::OtherValue(None) => ("    it has no value".to_owned(), Vec::new()),
                Cause::OtherValue(Some(value)) => (format!("    it is {}", print_term(value, syntax)), Vec::new()),
                Cause::NoValue(none) => (format!("    {}", none.text(syntax)), Vec::new()),
            };
            (format!("✗ {}{note}", condition_text(&rule.failed, syntax)), rules)
        }
    });
    if cut {
        out += DEEPER;
    }
    out
}

fn replacement_text(replacement: &Replacement, syntax: Syntax) -> String {
    match replacement {
        Replacement::Better(fact) => format!("{} is better", print_atom(fact, syntax)),
        Replacement::Union(fact) => format!("it is united into {}", print_atom(fact, syntax)),
    }
}

/// Adds what replaces a fact.
#[cfg(feature = "json")]
fn tell_replacement(told: &mut Value, replacement: &Replacement, syntax: Syntax) {
    match replacement {
        Replacement::Better(fact) => told["better"] = json!(print_atom(fact, syntax)),
        Replacement::Union(fact) => told["united_into"] = json!(print_atom(fact, syntax)),
    }
}

/// The denials of a refutation.
#[cfg(feature = "json")]
fn denials_to_json(refutation: &Refutation, session: &Session, syntax: Syntax) -> Value {
    let atom = |atom: &Atom| print_atom(atom, syntax);
    let rule = |rule: &FailedRule| {
        let place = place(&rule.clause, session);
        let bindings = rule.bindings.iter().map(|(name, value)| {
            let name = print_term(&Term::Variable(name.clone()), syntax).trim_start_matches('?').to_owned();
            (name, json!(print_term(value, syntax)))
        });
        let (denied, holds, no_value) = match &rule.cause {
            Cause::Denied(at) => (Some(at), None, None),
            Cause::Contradicted(fact) => (None, Some(atom(fact)), None),
            Cause::False | Cause::OtherValue(_) | Cause::Replaced(_) => (None, None, None),
            Cause::NoValue(none) => (None, None, Some(none.text(syntax))),
        };
        let conditions = |is_told: &dyn Fn(&HeldCondition) -> bool| {
            let held = rule.held.iter().filter(|held| is_told(held));
            held.map(|held| condition_text(&held.literal, syntax)).collect::<Vec<_>>()
        };
        let mut told = json!({
            "rule": rule_text(&rule.clause, session, syntax),
            "file": place.map(|(file, _)| file),
            "line": place.map(|(_, line)| line),
            "bindings": bindings.collect::<Map<_, _>>(),
            "held": conditions(&|_| true),
            "failed": condition_text(&rule.failed, syntax),
            "denied": denied,
            "contradicted_by": holds,
            "no_value": no_value,
        });
        let undefined = conditions(&|held| held.is_undefined);
        if !undefined.is_empty() {
            told["held_undefined"] = undefined.into();
        }
        if let Cause::Replaced(replacement) = &rule.cause {
            tell_replacement(&mut told, replacement, syntax);
        }
        if let Cause::OtherValue(value) = &rule.cause {
            told["value"] = json!(value.as_ref().map(|value| print_term(value, syntax)));
        }
        told
    };
    let denials = refutation.denials.iter().map(|denial| {
        let (rules, meant) = match &denial.reason {
            Reason::Undefined { meant } => (Some(Vec::new()), meant.as_ref()),
            Reason::Rules(rules) => (Some(rules.iter().map(rule).collect()), None),
            Reason::NotSought | Reason::Replaced(_) | Reason::Unchosen(_) => (None, None),
        };
        let mut told = json!({
            "atom": atom(&denial.atom),
            "undefined": matches!(denial.reason, Reason::Undefined { .. }),
            "meant": meant.map(ToString::to_string),
            "rules": rules,
        });
        if let Reason::Replaced(replacement) = &denial.reason {
            tell_replacement(&mut told, replacement, syntax);
        }
        if let Reason::Unchosen(other) = &denial.reason {
            told["chosen"] = json!(atom(other));
        }
        told
    });
    denials.collect()
}

/// The rule in one line.
fn rule_text(clause: &Clause, session: &Session, syntax: Syntax) -> String {
    let text = print_statement(&session.program().program.statement(clause), syntax);
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The text of a condition.
pub fn condition_text(condition: &Literal, syntax: Syntax) -> String {
    print_formula(&Formula::from(condition), syntax)
}
