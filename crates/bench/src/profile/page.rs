//! The page of a profile: phases, strata, rules by time, and the joins of each rule.

use super::{JoinCost, ProfileReport, RuleCost, RunKind};
use crate::report::page::{PageFrame, section};
use crate::report::{Mark, TextCell, TextTable, format};
use maud::{Markup, html};

impl ProfileReport {
    /// The profile as a page.
    pub fn to_html(&self) -> String {
        to_html(self)
    }
}

fn to_html(report: &ProfileReport) -> String {
    let frame = PageFrame {
        heading: "Which rule takes the time?",
        lead: &lead(report),
        method: "Times are those of one run, read around each phase and around each run of a rule, by the wall clock. Rows \
                 are counted by subgoal: all rows that it was matched against, whether they matched or not. Counting makes the joins \
                 themselves a little slower than they are without a profile.",
        environment: &report.environment,
        interrupted: false,
    };
    frame.around(&html! {
        @if let Some(stopped) = &report.stopped {
            p.alarm { "This run ended early: " (stopped) ". It shows the costs until then." }
        }
        (phases(report))
        (rules(report))
        (joins(report))
        (strata(report))
    })
}

fn time(ns: u64) -> String {
    format::time(ns as f64)
}

fn count(n: u64) -> String {
    format::count(n as f64)
}

/// The question, and the figures that come first.
fn lead(report: &ProfileReport) -> String {
    let what = report.goal.clone().unwrap_or_else(|| "All derived facts".to_owned());
    let answers = report.answers.map_or(String::new(), |answers| format!("{} in ", count(answers as u64)));
    format!(
        "{what} {answers}{}: {} new facts, {} rows matched.",
        time(report.total_ns),
        count(report.derived),
        count(report.probes)
    )
}

/// A cell with a time, the darker the larger its share of a whole.
fn heat(ns: u64, whole: u64) -> TextCell {
    let share = ns as f64 / whole.max(1) as f64;
    TextCell { heat: Some(share), hint: Some(format!("{:.1} %", 100.0 * share)), ..time(ns).into() }
}

/// A cell with a rule or a subgoal.
fn code(text: &str) -> TextCell {
    TextCell { page: Some(html! { code { (text) } }), ..TextCell::default() }
}

fn phases(report: &ProfileReport) -> Markup {
    let mut table = TextTable::new(["phase", "time", "share"]);
    for phase in report.phases.iter().filter(|phase| phase.ns > 0) {
        let share = format!("{:.1} %", report.percent(phase.ns));
        table.push([phase.name.into(), heat(phase.ns, report.total_ns), share.into()]);
    }
    table.push(["the whole run".to_owned(), time(report.total_ns), "100 %".to_owned()]);
    section(
        "The whole run",
        &html! { "How to read: the parts follow each other or are told apart by kind of work; together they are the whole time." },
        &table.to_html(),
    )
}

fn rules(report: &ProfileReport) -> Markup {
    let header = ["rule", "time", "indices", "planning", "runs", "rows", "new", "known", "place"];
    let mut table = TextTable::new(header);
    for (number, rule) in report.rules.iter().enumerate() {
        let name = name(rule);
        let linked =
            html! { @if rule.joins.is_empty() { (name) } @else { a href=(format!("#rule{number}")) { (name) } } };
        let times = [heat(rule.ns, report.rules_ns()), time(rule.indexing_ns).into(), time(rule.planning_ns).into()];
        let counts = [rule.runs, rule.probes, rule.derived, rule.duplicates].map(|n| TextCell::from(count(n)));
        let cells = [TextCell { page: Some(linked), ..TextCell::default() }].into_iter().chain(times).chain(counts);
        table.push(cells.chain([TextCell::marked(rule.place(), Mark::Name)]));
    }
    section(
        "Rules by time",
        &html! {
            "How to read: a row is a rule as it ran, the longest time first. New are the facts that it was the first to derive, known the "
            "heads that were facts before: many of them are work for nothing. The rest of its time is joins. The darker, the more of the time of all rules."
        },
        &table.to_html(),
    )
}

fn name(rule: &RuleCost) -> Markup {
    html! {
        @if rule.kind == RunKind::Closure { "as a closure: " }
        @if rule.kind == RunKind::WellFounded { "as a well-founded model: " }
        code { (rule.rule) }
    }
}

/// Rules whose joins are open at first.
const OPEN: usize = 3;

fn joins(report: &ProfileReport) -> Markup {
    section(
        "Joins by subgoal",
        &html! {
            "How to read: subgoals stand in the order in which they were joined. Each takes the bindings of those before it, is matched "
            "against rows, and passes bindings on. The darker, the more of the rule's rows. Many rows and few bindings passed on: "
            "a subgoal that finds little for its work. Many bindings passed on: one that multiplies them."
        },
        &html! {
            @for (number, rule) in report.rules.iter().enumerate().filter(|(_, rule)| !rule.joins.is_empty()) {
                details id=(format!("rule{number}")) open[number < OPEN] {
                    summary { code { (rule.rule) } " " span { (rule.place()) " " (time(rule.ns)) } }
                    @if let Some(source) = &rule.source { p.how { "Written as " code { (source) } } }
                    @for join in &rule.joins { (joined(rule, join)) }
                }
            }
        },
    )
}

fn joined(rule: &RuleCost, join: &JoinCost) -> Markup {
    let mut table = TextTable::new(["subgoal", "bindings", "rows", "passed on"]);
    for subgoal in &join.subgoals {
        let share = subgoal.probes as f64 / rule.probes.max(1) as f64;
        let rows = TextCell { heat: Some(share), ..count(subgoal.probes).into() };
        table.push([code(&subgoal.text()), count(subgoal.bindings).into(), rows, count(subgoal.matched).into()]);
    }
    let caption = html! {
        @match &join.from_new {
            Some(literal) => { "From new " code { (literal) } },
            None => "From all rows",
        }
        ": " (count(join.runs)) " runs, " (time(join.ns)) " (indices " (time(join.indexing_ns)) "), " (count(join.derived)) " new, " (count(join.duplicates)) " known"
    };
    table.captioned(caption).to_html()
}

fn strata(report: &ProfileReport) -> Markup {
    let mut table = TextTable::new(["predicates", "rules", "rounds", "facts", "time"]);
    for stratum in &report.strata {
        let counts = [stratum.rules.to_string(), count(stratum.rounds), count(stratum.facts)].map(TextCell::from);
        let cells = [stratum.predicates.join(" ").into()].into_iter().chain(counts);
        table.push(cells.chain([heat(stratum.ns, report.total_ns)]));
    }
    section(
        "Strata",
        &html! { "How to read: strata run one after the other, each in rounds until nothing is new." },
        &table.to_html(),
    )
}
