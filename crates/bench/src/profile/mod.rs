//! A profile of a run of rules, for people and tools: which phase, which rule and which subgoal of it takes the time.
//!
//! The optimizer rewrites rules, so each is told as it ran and, where that is something else, as it was written. Times
//! are of whole runs of a rule; below that, the rows that each subgoal was matched against say where the work is.

mod page;

use crate::environment::Environment;
use ludolog_engine::costs::{Part, PlanCost};
use ludolog_engine::{Phases, Profile};
use ludolog_logic::analysis::clause::{Clause, Goal, Literal, StratifiedProgram};
use ludolog_syntax::ast::{Formula, Predicate, Purpose, Statement};
use ludolog_syntax::diagnostic::{Diagnostics, Sources, Span, render};
use ludolog_syntax::{ColdSort, Syntax, print_formula, print_statement};
use serde::Serialize;
use std::cmp::Reverse;
use std::time::Duration;

/// A profile, told. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct ProfileReport {
    /// The environment of the run.
    pub environment: Environment,
    /// The goal; `None` if all derived facts were listed.
    pub goal: Option<String>,
    /// The reason why the run ended early; all numbers are those until then.
    pub stopped: Option<String>,
    /// The answers, or the facts listed; `None` if it ended before.
    pub answers: Option<usize>,
    /// New facts of all rules.
    pub derived: u64,
    /// Rows that subgoals were matched against.
    pub probes: u64,
    /// Bytes that the engine held at the end.
    pub bytes: Option<u64>,
    /// The whole time: the sum of the phases.
    pub total_ns: u64,
    /// The parts of the whole time, in the order in which they begin.
    pub phases: Vec<PhaseTime>,
    /// The strata with rules, in evaluation order.
    pub strata: Vec<StratumTime>,
    /// What ran, the longest time first.
    pub rules: Vec<RuleCost>,
    /// Warnings about the program, as `check` writes them.
    pub warnings: serde_json::Value,
}

/// A part of the whole time.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseTime {
    /// Its name.
    pub name: &'static str,
    /// Its time.
    pub ns: u64,
}

/// The cost of a stratum.
#[derive(Clone, Debug, Serialize)]
pub struct StratumTime {
    /// The predicates that it derives.
    pub predicates: Vec<String>,
    /// The number of its rules.
    pub rules: usize,
    /// Rounds in which a rule ran.
    pub rounds: u64,
    /// Facts of its predicates at the end, given ones included.
    pub facts: u64,
    /// Its time.
    pub ns: u64,
}

/// The way in which something ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// By joins.
    Rule,
    /// The rules of a predicate as a closure, without joins.
    Closure,
    /// The rules of predicates with negative cycles, whose ground instances other rules have derived, as their
    /// well-founded model.
    #[serde(rename = "well-founded")]
    WellFounded,
    /// The conditions of a transition rule.
    Transition,
    /// The goal.
    Goal,
}

/// The cost of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCost {
    /// The way in which it ran.
    pub kind: RunKind,
    /// The rule as it ran.
    pub rule: String,
    /// The rule as it was written, if it ran as something else.
    pub source: Option<String>,
    /// The file; `None` if the optimizer has made the rule.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The number of its stratum, from 0; `None` for the goal and transition rules.
    pub stratum: Option<usize>,
    /// Its time, with `indexing_ns`.
    pub ns: u64,
    /// The time in which indices for it were brought up to date.
    pub indexing_ns: u64,
    /// The time in which its joins were planned; not in `ns`.
    pub planning_ns: u64,
    /// How often it ran, in any way.
    pub runs: u64,
    /// Rows that its subgoals were matched against.
    pub probes: u64,
    /// New facts.
    pub derived: u64,
    /// Heads found that were facts before.
    pub duplicates: u64,
    /// The ways in which it was joined.
    pub joins: Vec<JoinCost>,
}

/// The cost of joining a rule in one way.
#[derive(Clone, Debug, Serialize)]
pub struct JoinCost {
    /// The subgoal from whose new rows it starts; `None` if it starts from all rows.
    pub from_new: Option<String>,
    /// How often it ran.
    pub runs: u64,
    /// Its time, with `indexing_ns`.
    pub ns: u64,
    /// The time in which indices for it were brought up to date.
    pub indexing_ns: u64,
    /// Rows that subgoals were matched against.
    pub probes: u64,
    /// New facts.
    pub derived: u64,
    /// Heads found that were facts before.
    pub duplicates: u64,
    /// The subgoals in the order in which they were joined last.
    pub subgoals: Vec<Subgoal>,
}

/// The cost of a subgoal.
#[derive(Clone, Debug, Serialize)]
pub struct Subgoal {
    /// The subgoal.
    pub literal: String,
    /// The comparisons that a sorted index answers while it looks up the rows of the subgoal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Bindings that came to it.
    pub bindings: u64,
    /// Rows that it was matched against.
    pub probes: u64,
    /// Bindings that it passed on.
    pub matched: u64,
}

/// The question that was profiled, with what is needed to tell of it.
pub struct ProfiledQuestion<'a> {
    /// The program as written.
    pub program: &'a StratifiedProgram,
    /// The texts that it was read from.
    pub sources: &'a Sources,
    /// The syntax in which to tell rules.
    pub syntax: Syntax,
    /// The goal; `None` for all derived facts.
    pub goal: Option<&'a Goal>,
    /// The time in which rules and facts were read and analyzed.
    pub reading: Duration,
    /// The warnings about the program.
    pub warnings: &'a Diagnostics,
}

impl ProfileReport {
    /// The profile of a question, told.
    pub fn new(profile: &Profile, question: &ProfiledQuestion, environment: Environment) -> ProfileReport {
        let program = &profile.prepared.optimized.program.stratified.program;
        let evaluation = &profile.evaluation;
        let mut rules: Vec<RuleCost> = Vec::new();
        let mut known: Vec<Part> = Vec::new();
        for plan in &evaluation.plans {
            let (kind, statement, body, span) = match plan.part {
                Part::Rule(number) => {
                    let clause = &program.rules[number];
                    (RunKind::Rule, program.statement(clause), &clause.body, clause.span)
                }
                Part::Transition(number) => {
                    let clause = &program.transitions[number];
                    (RunKind::Transition, Statement::from(clause), &clause.conditions, clause.span)
                }
                Part::Goal => {
                    let Some(goal) = profile.prepared.goal().or(question.goal) else { continue };
                    (RunKind::Goal, Statement::from(goal), &goal.body, Span::NONE)
                }
            };
            let at = known.iter().position(|part| *part == plan.part).unwrap_or_else(|| {
                known.push(plan.part);
                rules.push(question.rule(kind, &[statement], span));
                rules.len() - 1
            });
            let rule = &mut rules[at];
            if let Part::Rule(number) = plan.part {
                rule.stratum = evaluation.strata.iter().position(|stratum| stratum.rules.contains(&number));
                rule.source = question.source(&program.rules[number]);
            }
            rule.add(plan, body, question.syntax);
        }
        for (number, stratum) in evaluation.strata.iter().enumerate().filter(|(_, stratum)| !stratum.closure.is_zero())
        {
            // The optimizer brings the rules of a closure into one form; those who wrote them know them as written.
            let written = &question.program.program.rules;
            let derives = |clause: &&Clause| stratum.predicates.contains(&clause.head.signature());
            let mut clauses: Vec<&Clause> = written.iter().filter(derives).collect();
            if clauses.is_empty() {
                clauses = stratum.rules.iter().map(|&rule| &program.rules[rule]).collect();
            }
            let statements: Vec<Statement> = clauses.iter().map(|clause| program.statement(clause)).collect();
            let span = clauses.first().map_or(Span::NONE, |clause| clause.span);
            let kind = if stratum.rules.is_empty() { RunKind::WellFounded } else { RunKind::Closure };
            let mut rule = question.rule(kind, &statements, span);
            (rule.stratum, rule.ns, rule.derived) = (Some(number), nanoseconds(stratum.closure), stratum.facts);
            rules.push(rule);
        }
        rules.cold_sort_by_key(|rule| Reverse((rule.ns, rule.probes)));
        let strata = evaluation.strata.iter().map(|stratum| StratumTime {
            predicates: question.names(&stratum.predicates, &program.rules),
            rules: stratum.rules.len(),
            rounds: stratum.rounds,
            facts: stratum.facts,
            ns: nanoseconds(stratum.time),
        });
        let phases = phases(&profile.phases, question.reading, &rules);
        ProfileReport {
            environment,
            goal: question.goal.map(|goal| print_statement(&Statement::from(goal), question.syntax)),
            stopped: profile.stopped.as_ref().map(ToString::to_string),
            answers: profile.answers,
            derived: profile.work.derived,
            probes: profile.work.probes,
            bytes: profile.memory.map(|memory| memory.bytes),
            total_ns: phases.iter().map(|phase| phase.ns).sum(),
            phases,
            strata: strata.collect(),
            rules,
            warnings: render::to_json(question.warnings, question.sources),
        }
    }

    /// The report as indented JSON.
    ///
    /// # Panics
    ///
    /// Never: a report has only string keys.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a report has only string keys");
        json.push('\n');
        json
    }

    /// The time of all rules.
    pub fn rules_ns(&self) -> u64 {
        self.rules.iter().map(|rule| rule.ns).sum()
    }

    /// The part of the whole time, in percent.
    pub fn percent(&self, ns: u64) -> f64 {
        100.0 * ns as f64 / self.total_ns.max(1) as f64
    }
}

/// The phase of what few programs have.
const MODELS: &str = "well-founded models";

/// The parts of the whole time. What rules take is told apart by kind of work.
fn phases(phases: &Phases, reading: Duration, rules: &[RuleCost]) -> Vec<PhaseTime> {
    let sum =
        |of: &dyn Fn(&RuleCost) -> u64| rules.iter().filter(|rule| rule.kind != RunKind::Goal).map(of).sum::<u64>();
    let of = |kind: RunKind| sum(&|rule| if rule.kind == kind { rule.ns } else { 0 });
    let closures = of(RunKind::Closure);
    let models = of(RunKind::WellFounded);
    let joins = sum(&|rule| rule.ns - rule.indexing_ns) - closures - models;
    let indexing = sum(&|rule| rule.indexing_ns);
    let planning = sum(&|rule| rule.planning_ns);
    let deriving = nanoseconds(phases.events + phases.deriving);
    let named = [
        ("reading and analyzing", nanoseconds(reading)),
        ("optimizing", nanoseconds(phases.optimizing)),
        ("loading the program", nanoseconds(phases.loading)),
        ("loading facts", nanoseconds(phases.inserting)),
        ("turns of the other program", nanoseconds(phases.rival)),
        ("planning joins", planning),
        ("bringing indices up to date", indexing),
        ("joining", joins),
        ("closures", closures),
        (MODELS, models),
        ("between joins", deriving.saturating_sub(planning + indexing + joins + closures + models)),
        ("answering or listing", nanoseconds(phases.answering)),
    ];
    let told = named.into_iter().filter(|&(name, ns)| name != MODELS || ns > 0);
    told.map(|(name, ns)| PhaseTime { name, ns }).collect()
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

impl ProfiledQuestion<'_> {
    /// A rule without costs.
    fn rule(&self, kind: RunKind, statements: &[Statement], span: Span) -> RuleCost {
        let place = self.sources.get(span.source).zip(self.sources.line_column(span));
        let statements: Vec<String> = statements.iter().map(|rule| print_statement(rule, self.syntax)).collect();
        RuleCost {
            kind,
            rule: statements.join(" "),
            source: None,
            file: place.map(|(source, _)| source.name.clone()),
            line: place.map(|(_, (line, _))| line),
            stratum: None,
            ns: 0,
            indexing_ns: 0,
            planning_ns: 0,
            runs: 0,
            probes: 0,
            derived: 0,
            duplicates: 0,
            joins: Vec::new(),
        }
    }

    /// The predicates that a stratum derives, each name once. Those that the pipeline has made are named after what
    /// they are made for: an aggregate as written, or a predicate of the program.
    fn names(&self, predicates: &[Predicate], rules: &[Clause]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for predicate in predicates {
            let name = if predicate.is_auxiliary() {
                self.purpose(predicate, rules).unwrap_or_else(|| predicate.to_string())
            } else {
                predicate.to_string()
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn purpose(&self, predicate: &Predicate, rules: &[Clause]) -> Option<String> {
        let written = &self.program.program.rules;
        let is_made_for = |literal: &&Literal| {
            matches!(literal, Literal::Aggregate(_))
                && literal.atom().is_some_and(|atom| atom.signature() == *predicate)
        };
        if let Some(aggregate) = written.iter().flat_map(|rule| &rule.body).find(is_made_for) {
            return Some(print_formula(&Formula::from(aggregate), self.syntax));
        }
        if let Some(Purpose::Demand { of, .. }) = predicate.name.purpose() {
            return Some(format!("demand for {}", of.name.origin()));
        }
        let span = rules.iter().find(|rule| rule.head.signature() == *predicate)?.span;
        let heads =
            written.iter().filter(|rule| rule.span == span && span != Span::NONE).map(|rule| rule.head.signature());
        let named = heads.into_iter().find(|head| !head.is_auxiliary()).map(|head| head.to_string());
        Some(format!("part of {}", named.unwrap_or_else(|| predicate.name.origin().to_string())))
    }

    /// The text of a rule on one line, if the rule is not one of the program as written.
    fn source(&self, clause: &Clause) -> Option<String> {
        let is_same = |other: &Clause| other.head == clause.head && other.body == clause.body;
        if self.program.program.rules.iter().any(|rule| rule.span == clause.span && is_same(rule)) {
            return None;
        }
        let text = &self.sources.get(clause.span.source)?.text;
        let text = text.get(clause.span.start as usize..clause.span.end as usize)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl Subgoal {
    /// The subgoal with the bounds within which it is looked up.
    pub fn text(&self) -> String {
        match &self.within[..] {
            [] => self.literal.clone(),
            bounds => format!("{} within {}", self.literal, bounds.join(", ")),
        }
    }
}

impl RuleCost {
    /// Adds the cost of one of its plans.
    fn add(&mut self, plan: &PlanCost, body: &[Literal], syntax: Syntax) {
        let text = |place: usize| print_formula(&Formula::from(&body[place]), syntax);
        self.ns += nanoseconds(plan.time);
        self.indexing_ns += nanoseconds(plan.indexing);
        self.planning_ns += nanoseconds(plan.planning);
        self.runs += plan.runs;
        self.probes += plan.probes;
        self.derived += plan.derived;
        self.duplicates += plan.duplicates;
        let subgoals = plan.order.iter().map(|&place| {
            let cost = plan.subgoals[place];
            let answered = plan.answered.iter().filter(|(_, subgoal)| *subgoal == place);
            Subgoal {
                literal: text(place),
                within: answered.map(|&(comparison, _)| text(comparison)).collect(),
                bindings: cost.entered,
                probes: cost.probes,
                matched: cost.matched,
            }
        });
        self.joins.push(JoinCost {
            from_new: plan.delta.map(text),
            runs: plan.runs,
            ns: nanoseconds(plan.time),
            indexing_ns: nanoseconds(plan.indexing),
            probes: plan.probes,
            derived: plan.derived,
            duplicates: plan.duplicates,
            subgoals: subgoals.collect(),
        });
    }

    /// The file and line; empty if the optimizer has made the rule.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => String::new(),
        }
    }
}
