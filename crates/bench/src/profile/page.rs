//! The page of a profile: phases, strata, rules by time, and the joins of each rule.

use super::{Join, Kind, Report, Rule};
use crate::report::format;
use crate::report::page::Frame;
use maud::{Markup, html};

impl Report {
    /// The profile as a page.
    pub fn to_html(&self) -> String {
        to_html(self)
    }
}

fn to_html(report: &Report) -> String {
    let frame = Frame {
        benchmark: "profile",
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
fn lead(report: &Report) -> String {
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
fn heat(ns: u64, whole: u64) -> Markup {
    let percent = 100.0 * ns as f64 / whole.max(1) as f64;
    html! { td.heat style=(format!("--heat: {percent:.0}%")) title=(format!("{percent:.1} %")) { (time(ns)) } }
}

fn phases(report: &Report) -> Markup {
    html! {
        section {
            h2 { "The whole run" }
            p.how { "How to read: the parts follow each other or are told apart by kind of work; together they are the whole time." }
            div.scroll {
                table {
                    thead { tr { th { "phase" } th { "time" } th { "share" } } }
                    tbody {
                        @for phase in report.phases.iter().filter(|phase| phase.ns > 0) {
                            tr { th { (phase.name) } (heat(phase.ns, report.total_ns)) td { (format!("{:.1} %", report.percent(phase.ns))) } }
                        }
                        tr { th { "the whole run" } td { (time(report.total_ns)) } td { "100 %" } }
                    }
                }
            }
        }
    }
}

fn rules(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Rules by time" }
            p.how {
                "How to read: a row is a rule as it ran, the longest time first. New are the facts that it was the first to derive, known the "
                "heads that were facts before: many of them are work for nothing. The rest of its time is joins. The darker, the more of the time of all rules."
            }
            div.scroll {
                table {
                    thead { tr {
                        th { "rule" } th { "time" } th { "indices" } th { "planning" } th { "runs" } th { "rows" } th { "new" } th { "known" }
                        th { "place" }
                    } }
                    tbody {
                        @for (number, rule) in report.rules.iter().enumerate() {
                            tr {
                                th { @if rule.joins.is_empty() { (name(rule)) } @else { a href=(format!("#rule{number}")) { (name(rule)) } } }
                                (heat(rule.ns, report.rules_ns()))
                                td { (time(rule.indexing_ns)) } td { (time(rule.planning_ns)) } td { (count(rule.runs)) }
                                td { (count(rule.probes)) } td { (count(rule.derived)) } td { (count(rule.duplicates)) }
                                td.name { (rule.place()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name(rule: &Rule) -> Markup {
    html! {
        @if rule.kind == Kind::Closure { "as a closure: " }
        @if rule.kind == Kind::WellFounded { "as a well-founded model: " }
        code { (rule.rule) }
    }
}

/// Rules whose joins are open at first.
const OPEN: usize = 3;

fn joins(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Joins by subgoal" }
            p.how {
                "How to read: subgoals stand in the order in which they were joined. Each takes the bindings of those before it, is matched "
                "against rows, and passes bindings on. The darker, the more of the rule's rows. Many rows and few bindings passed on: "
                "a subgoal that finds little for its work. Many bindings passed on: one that multiplies them."
            }
            @for (number, rule) in report.rules.iter().enumerate().filter(|(_, rule)| !rule.joins.is_empty()) {
                details id=(format!("rule{number}")) open[number < OPEN] {
                    summary { code { (rule.rule) } " " span { (rule.place()) " " (time(rule.ns)) } }
                    @if let Some(source) = &rule.source { p.how { "Written as " code { (source) } } }
                    @for join in &rule.joins { (joined(rule, join)) }
                }
            }
        }
    }
}

fn joined(rule: &Rule, join: &Join) -> Markup {
    let share = |probes: u64| format!("--heat: {:.0}%", 100.0 * probes as f64 / rule.probes.max(1) as f64);
    html! {
        div.scroll {
            table {
                caption {
                    @match &join.from_new {
                        Some(literal) => { "From new " code { (literal) } },
                        None => "From all rows",
                    }
                    ": " (count(join.runs)) " runs, " (time(join.ns)) " (indices " (time(join.indexing_ns)) "), " (count(join.derived)) " new, " (count(join.duplicates)) " known"
                }
                thead { tr { th { "subgoal" } th { "bindings" } th { "rows" } th { "passed on" } } }
                tbody {
                    @for subgoal in &join.subgoals {
                        tr {
                            th { code { (subgoal.literal) } }
                            td { (count(subgoal.bindings)) }
                            td.heat style=(share(subgoal.probes)) { (count(subgoal.probes)) }
                            td { (count(subgoal.matched)) }
                        }
                    }
                }
            }
        }
    }
}

fn strata(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Strata" }
            p.how { "How to read: strata run one after the other, each in rounds until nothing is new." }
            div.scroll {
                table {
                    thead { tr { th { "predicates" } th { "rules" } th { "rounds" } th { "facts" } th { "time" } } }
                    tbody {
                        @for stratum in &report.strata {
                            tr {
                                th { (stratum.predicates.join(" ")) }
                                td { (stratum.rules) } td { (count(stratum.rounds)) } td { (count(stratum.facts)) }
                                (heat(stratum.ns, report.total_ns))
                            }
                        }
                    }
                }
            }
        }
    }
}
