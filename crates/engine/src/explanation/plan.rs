//! How a program is run: the changes of each pass, then the order and the way in which bodies are joined.

use crate::{Prepared, Session};
use ludolog_logic::analysis::clause::{CheckedProgram, Goal, Literal};
use ludolog_logic::optimize::explain::{Access, PlanLine, explain};
use ludolog_logic::optimize::{PassRun, ProgramChange, text};
use ludolog_syntax::ast::{Effect, Predicate, Program, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::{Syntax, print, print_atom};
use rustc_hash::FxHashSet;
#[cfg(feature = "json")]
use {
    super::passes,
    ludolog_logic::optimize::ProgramPart,
    serde_json::{Value, json},
};

/// The part that a piece of a text plays, by which it is colored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// No part of its own.
    Plain,
    /// A heading.
    Title,
    /// A remark.
    Aside,
    /// A rule that a pass removes.
    Removed,
    /// A rule that a pass adds.
    Added,
}

impl TextStyle {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            TextStyle::Plain => "plain",
            TextStyle::Title => "title",
            TextStyle::Aside => "aside",
            TextStyle::Removed => "removed",
            TextStyle::Added => "added",
        }
    }
}

/// A text in pieces.
pub type StyledText = Vec<(TextStyle, String)>;

/// The plan of a program for a goal.
pub struct ProgramPlan {
    /// The optimized program.
    pub prepared: Prepared,
    /// By rule and round, the order in which the body is joined.
    rounds: Vec<Vec<Vec<usize>>>,
    /// The most probes for which the program runs as written first.
    as_written: Option<u64>,
    syntax: Syntax,
}

impl ProgramPlan {
    /// The plan of a session's program for a goal, or for all predicates, within the budget of the session. The program does not run.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(session: &Session, goal: Option<&Goal>, syntax: Syntax) -> Result<ProgramPlan, Stopped> {
        let prepared = session.prepare(goal)?;
        let rounds = prepared.rounds(session.budget())?;
        Ok(ProgramPlan { prepared, rounds, as_written: session.most_as_written(goal), syntax })
    }

    /// Each pass with the rules before and after it, then how each body is run.
    pub fn text(&self) -> StyledText {
        let mut out = Vec::new();
        let optimized = &self.prepared.optimized;
        if optimized.steps.is_empty() {
            out.push((TextStyle::Plain, "no passes: the program runs as written\n".to_owned()));
        }
        for step in &optimized.steps {
            self.step(&mut out, step);
        }
        out.push((TextStyle::Title, "how it runs".to_owned()));
        out.push((TextStyle::Plain, "\n".to_owned()));
        for (head, lines) in self.bodies() {
            out.push((TextStyle::Plain, format!("  {head}\n")));
            let width = lines.iter().map(|line| line.literal.chars().count()).max().unwrap_or(0);
            for PlanLine { literal, pattern, access, first_suffices } in lines {
                let first = if first_suffices { ", one is enough" } else { "" };
                out.push((TextStyle::Plain, format!("      {literal:width$}  ")));
                out.push((TextStyle::Aside, format!("{pattern:4} {}{first}", describe(access))));
                out.push((TextStyle::Plain, "\n".to_owned()));
            }
        }
        if let Some(probes) = self.as_written {
            let text = format!("few facts: runs as written first, for {probes} probes at most");
            out.extend([(TextStyle::Aside, text), (TextStyle::Plain, "\n".to_owned())]);
        }
        out
    }

    fn step(&self, out: &mut StyledText, step: &PassRun) {
        let PassRun { pass, changes, notes, cost, .. } = step;
        let gain = match cost {
            _ if changes.is_empty() => "nothing to do".to_owned(),
            Some((before, after)) => format!("expected cost {} → {}", number(*before), number(*after)),
            None => "of unknown gain".to_owned(),
        };
        out.push((TextStyle::Title, pass.to_string()));
        out.push((TextStyle::Plain, format!(": {gain}\n")));
        out.extend(notes.iter().map(|note| (TextStyle::Plain, format!("  {note}\n"))));
        let mut line = |style, text: String| {
            out.extend([(TextStyle::Plain, "  ".to_owned()), (style, text), (TextStyle::Plain, "\n".to_owned())]);
        };
        let mut last = None;
        for ProgramChange { before, after, reason } in changes {
            if let Some(reason) = reason
                && last != Some(reason)
            {
                line(TextStyle::Aside, reason.clone());
            }
            last = reason.as_ref();
            for (mark, style, parts) in [('-', TextStyle::Removed, before), ('+', TextStyle::Added, after)] {
                for part in parts {
                    let text = text::part(part, self.program(), self.syntax);
                    text.lines().for_each(|text| line(style, format!("{mark} {text}")));
                }
            }
        }
        out.push((TextStyle::Plain, "\n".to_owned()));
    }

    /// The optimized program.
    fn program(&self) -> &CheckedProgram {
        &self.prepared.optimized.program.stratified.program
    }

    /// The bodies of the optimized program, each with a heading.
    fn bodies(&self) -> Vec<(String, Vec<PlanLine>)> {
        let program = self.program();
        let cost_model = self.prepared.setting().engine.cost_model;
        let derived: FxHashSet<Predicate> = program.rules.iter().map(|rule| rule.head.signature()).collect();
        let has_rules = |predicate: &Predicate| derived.contains(predicate);
        let rules = program.rules.iter().zip(&self.rounds).flat_map(|(rule, rounds)| {
            let head = print_atom(&rule.head, self.syntax);
            let lines = |body: &[Literal]| explain(&rule.head.args, body, 0, cost_model, has_rules);
            let first = (format!("{head} from"), lines(&rule.body));
            // A round with one literal besides its delta has no choice.
            let rounds = rounds.iter().filter(|order| order.len() > 2).map(|order| {
                let body: Vec<Literal> = order.iter().map(|&i| rule.body[i].clone()).collect();
                (format!("{head} again from new {}", text::literal(&body[0])), lines(&body))
            });
            [first].into_iter().chain(rounds.collect::<Vec<_>>()).collect::<Vec<_>>()
        });
        let transitions = program.transitions.iter().map(|transition| {
            let effects = transition.effects.iter().map(|(Effect::Add(atom) | Effect::Delete(atom))| atom);
            let changed: Vec<Term> = effects.flat_map(|atom| atom.args.iter().cloned()).collect();
            let lines = explain(&changed, &transition.conditions, 0, cost_model, has_rules);
            let effects = transition.effects.iter().map(|effect| match effect {
                Effect::Add(atom) => print_atom(atom, self.syntax),
                Effect::Delete(atom) => format!("no {}", print_atom(atom, self.syntax)),
            });
            (format!("after an event {} from", effects.collect::<Vec<_>>().join(", ")), lines)
        });
        let goal = self.prepared.optimized.goal.iter().map(|goal: &Goal| {
            let variables: Vec<_> = goal.variables.iter().map(|name| Term::variable(name)).collect();
            ("the goal from".to_owned(), explain(&variables, &goal.body, 0, cost_model, has_rules))
        });
        rules.chain(transitions).chain(goal).collect()
    }

    /// The plan as JSON: engine, passes, bodies, goal, and the probes for which the program runs as written.
    #[cfg(feature = "json")]
    pub fn to_json(&self) -> Value {
        let optimized = &self.prepared.optimized;
        let bodies = self.bodies().into_iter().map(|(of, literals)| json!({ "of": of, "literals": literals }));
        let goal = |goal: &Goal| text::part(&ProgramPart::Goal(goal.clone()), self.program(), self.syntax);
        json!({
            "engine": self.prepared.setting().engine.cost_model.name,
            "steps": passes::to_json(optimized, self.syntax),
            "bodies": bodies.collect::<Vec<_>>(),
            "goal": optimized.goal.as_ref().map(goal),
            "probes_as_written": self.as_written,
        })
    }

    /// The optimized program and its goal as rule text, without the facts of the case.
    pub fn source(&self) -> String {
        let mut program = self.program().clone();
        program.queries = self.prepared.optimized.goal.iter().cloned().collect();
        print(&Program::from(&program), self.syntax)
    }
}

fn describe(access: Access) -> &'static str {
    match access {
        Access::Scan => "scan",
        Access::Lookup => "look-up",
        Access::Range => "range look-up",
        Access::Bound => "bound of the range",
        Access::Check => "check",
        Access::Existence => "existence check",
        Access::Call => "call",
        Access::Absence => "absence",
        Access::Test => "test",
        Access::Compute => "compute",
        Access::Elements => "elements",
        Access::Aggregate => "aggregate",
    }
}

/// A cost in short: with one decimal below 10, with an exponent from a million on.
fn number(x: f64) -> String {
    match x {
        x if x < 10.0 => format!("{x:.1}"),
        x if x < 1e6 => format!("{x:.0}"),
        x => format!("{x:.1e}"),
    }
}
