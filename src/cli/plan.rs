//! `ludolog plan`: shows the changes of each optimizer pass, and the expected gain.

use super::case::{self, CaseArgs, LoadedCase};
use super::query::split_goal;
use super::{Failure, Outcome, print_styled};
use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use ludolog::analysis::clause::{CheckedProgram, Goal, Literal};
use ludolog::engine::Prepared;
use ludolog::engine::explanation::passes;
use ludolog::optimize::explain::{Access, PlanLine, explain};
use ludolog::optimize::{CostModel, Optimized, PassRun, ProgramChange, ProgramPart, text};
use ludolog::syntax::ast::{Effect, Predicate, Program, Term};
use ludolog::syntax::{Syntax, print, print_atom};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const TITLE: Style = Style::new().bold();
const ASIDE: Style = Style::new().dimmed();

#[derive(Args)]
pub struct PlanArgs {
    /// Rule files, then the goal to plan for; without a goal the first query of the files, else all predicates
    #[arg(required = true, value_names = ["FILE", "GOAL"])]
    files_and_goal: Vec<String>,
    #[command(flatten)]
    case: CaseArgs,
    #[arg(long, value_enum, default_value_t)]
    format: PlanFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// Each pass with the rules before and after it, then how each body is run
    #[default]
    Text,
    Json,
    /// The optimized program alone, to be run as it is
    Source,
}

/// Prints the plan for the goal, or for all predicates.
pub fn run(args: PlanArgs) -> Result<Outcome, Failure> {
    let (files, goal): (Vec<PathBuf>, _) = split_goal(&args.files_and_goal);
    let mut loaded = args.case.load(&files)?;
    let goal = match goal {
        Some(text) => Some(loaded.session.goal(text)?),
        None => loaded.session.program().program.queries.first().cloned(),
    };
    let prepared = loaded.session.prepare(goal.as_ref()).map_err(|stopped| case::explain(&stopped))?;
    case::warn_of_broken(&prepared.optimized.broken);
    let report = PlanReport::new(&prepared, &loaded)?;
    let as_written = loaded.session.most_as_written(goal.as_ref());
    match args.format {
        PlanFormat::Text => print_styled(&(report.text() + &before(as_written)))?,
        PlanFormat::Json => {
            let mut json = report.json();
            json["probes_as_written"] = json!(as_written);
            json["warnings"] = loaded.warnings_as_json();
            super::output::print_json(&json)?;
        }
        PlanFormat::Source => super::print(&report.source(&loaded))?,
    }
    Ok(Outcome::Success)
}

/// What runs before the optimized program.
fn before(as_written: Option<u64>) -> String {
    let text = |probes: u64| format!("{ASIDE}few facts: runs as written first, for {probes} probes at most{ASIDE:#}\n");
    as_written.map(text).unwrap_or_default()
}

/// A plan to be printed.
pub struct PlanReport<'a> {
    optimized: &'a Optimized,
    /// By rule and round, the order in which the body is joined.
    rounds: Vec<Vec<Vec<usize>>>,
    cost_model: CostModel,
    syntax: Syntax,
}

impl<'a> PlanReport<'a> {
    /// The report on a prepared program, within the budget of its session.
    pub fn new(prepared: &'a Prepared, loaded: &LoadedCase) -> Result<Self, Failure> {
        let rounds = prepared.rounds(loaded.session.budget()).map_err(|stopped| case::explain(&stopped))?;
        let cost_model = prepared.setting().engine.cost_model;
        Ok(PlanReport { optimized: &prepared.optimized, rounds, cost_model, syntax: loaded.syntax })
    }

    /// Each pass with the rules before and after it, then how each body is run; with ANSI styles.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.optimized.steps.is_empty() {
            out.push_str("no passes: the program runs as written\n");
        }
        for step in &self.optimized.steps {
            self.step(&mut out, step);
        }
        let _ = writeln!(out, "{TITLE}how it runs{TITLE:#}");
        for (head, lines) in self.bodies() {
            let _ = writeln!(out, "  {head}");
            let width = lines.iter().map(|line| line.literal.chars().count()).max().unwrap_or(0);
            for line in lines {
                let PlanLine { literal, pattern, access, first_suffices } = line;
                let first = if first_suffices { ", one is enough" } else { "" };
                let does = describe(access);
                let _ = writeln!(out, "      {literal:width$}  {ASIDE}{pattern:4} {does}{first}{ASIDE:#}");
            }
        }
        out
    }

    fn step(&self, out: &mut String, step: &PassRun) {
        let PassRun { pass, changes, notes, cost, .. } = step;
        let gain = match cost {
            _ if changes.is_empty() => "nothing to do".to_owned(),
            Some((before, after)) => format!("expected cost {} → {}", number(*before), number(*after)),
            None => "of unknown gain".to_owned(),
        };
        let _ = writeln!(out, "{TITLE}{pass}{TITLE:#}: {gain}");
        for note in notes {
            let _ = writeln!(out, "  {note}");
        }
        let mut last = None;
        for ProgramChange { before, after, reason } in changes {
            if let Some(reason) = reason
                && last != Some(reason)
            {
                let _ = writeln!(out, "  {ASIDE}{reason}{ASIDE:#}");
            }
            last = reason.as_ref();
            for (mark, style, parts) in [('-', REMOVED, before), ('+', ADDED, after)] {
                for part in parts {
                    for line in text::part(part, self.program(), self.syntax).lines() {
                        let _ = writeln!(out, "  {style}{mark} {line}{style:#}");
                    }
                }
            }
        }
        out.push('\n');
    }

    /// The optimized program.
    fn program(&self) -> &CheckedProgram {
        &self.optimized.program.stratified.program
    }

    /// The bodies of the optimized program, each with a heading.
    fn bodies(&self) -> Vec<(String, Vec<PlanLine>)> {
        let program = self.program();
        let derived: HashSet<Predicate> = program.rules.iter().map(|rule| rule.head.signature()).collect();
        let has_rules = |predicate: &Predicate| derived.contains(predicate);
        let rules = program.rules.iter().zip(&self.rounds).flat_map(|(rule, rounds)| {
            let head = print_atom(&rule.head, self.syntax);
            let lines = |body: &[Literal]| explain(&rule.head.args, body, 0, self.cost_model, has_rules);
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
            let lines = explain(&changed, &transition.conditions, 0, self.cost_model, has_rules);
            let effects = transition.effects.iter().map(|effect| match effect {
                Effect::Add(atom) => print_atom(atom, self.syntax),
                Effect::Delete(atom) => format!("no {}", print_atom(atom, self.syntax)),
            });
            (format!("after an event {} from", effects.collect::<Vec<_>>().join(", ")), lines)
        });
        let goal = self.optimized.goal.iter().map(|goal: &Goal| {
            let variables: Vec<_> = goal.variables.iter().map(|name| Term::variable(name)).collect();
            ("the goal from".to_owned(), explain(&variables, &goal.body, 0, self.cost_model, has_rules))
        });
        rules.chain(transitions).chain(goal).collect()
    }

    fn json(&self) -> Value {
        let bodies = self.bodies().into_iter().map(|(of, literals)| json!({ "of": of, "literals": literals }));
        json!({
            "engine": self.cost_model.name,
            "steps": passes::to_json(self.optimized, self.syntax),
            "bodies": bodies.collect::<Vec<_>>(),
            "goal": self.optimized.goal.as_ref().map(|goal| text::part(&ProgramPart::Goal(goal.clone()), self.program(), self.syntax)),
        })
    }

    /// The program and its goal as rule text, without the facts of the case.
    fn source(&self, loaded: &LoadedCase) -> String {
        let mut program = self.optimized.program.stratified.program.clone();
        program.queries = self.optimized.goal.iter().cloned().collect();
        print(&Program::from(&program), loaded.syntax)
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
