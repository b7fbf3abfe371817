//! Plots of the goals that players and longer searches expect, state by state.

use ludolog_game::canonical;
use ludolog_player::MatchRecord;
use ludolog_player::analysis::{MatchAnalysis, Mistake};
use ludolog_player::matches::RecordedPly;
use maud::{Markup, html};

/// The size of a plot, in units of its text.
const SIZE: [f64; 2] = [320.0, 120.0];

/// The size of a plot under the boards.
const WIDE: [f64; 2] = [640.0, 160.0];

/// The space left of a plot and below it.
const MARGIN: f64 = 24.0;

/// The number of colors of roles, which the style has.
const ROLE_COLORS: usize = 4;

/// The places of states and goals in a plot.
struct Axes {
    size: [f64; 2],
    /// States, two at least.
    states: usize,
}

impl Axes {
    fn x(&self, state: usize) -> f64 {
        MARGIN + (self.size[0] - 2.0 * MARGIN) * state as f64 / (self.states - 1) as f64
    }

    fn y(&self, goal: f64) -> f64 {
        self.size[1] - MARGIN - (self.size[1] - 1.5 * MARGIN) * goal / 100.0
    }

    /// The points of the goals that are known by state, for a line; empty if there are less than two.
    fn line(&self, goals: impl Iterator<Item = Option<f64>>) -> String {
        let known = goals.enumerate().filter_map(|(state, goal)| Some((state, goal?)));
        let points: Vec<String> =
            known.map(|(state, goal)| format!("{:.1},{:.1}", self.x(state), self.y(goal))).collect();
        if points.len() > 1 { points.join(" ") } else { String::new() }
    }

    /// The frame of a plot around its lines, with the mark of the state that is shown.
    fn frame(&self, label: &str, lines: &Markup, caption: &Markup) -> Markup {
        let last = self.states - 1;
        html! {
            figure.chances {
                svg viewBox=(format!("0 0 {} {}", self.size[0], self.size[1])) role="img" aria-label=(label) {
                    @for goal in [0, 50, 100] {
                        @let y = self.y(f64::from(goal));
                        line.grid x1=(self.x(0)) x2=(self.x(last)) y1=(y) y2=(y) {}
                        text x=(MARGIN - 4.0) y=(y + 4.0) text-anchor="end" { (goal) }
                    }
                    line #now x1=(self.x(0)) x2=(self.x(0)) y1=(self.y(100.0)) y2=(self.y(0.0))
                        data-first=(self.x(0)) data-last=(self.x(last)) data-states=(self.states) {}
                    (lines)
                }
                figcaption { (caption) }
            }
        }
    }
}

/// The class of the color of a role.
fn color(role: usize) -> String {
    format!("role{}", role % ROLE_COLORS)
}

/// The goal that a player expected before a joint move.
fn thought(ply: &RecordedPly, role: usize) -> Option<f64> {
    ply.thoughts[role].as_ref()?.report.value
}

/// Names of roles, each in its color.
fn names(record: &MatchRecord, roles: impl Iterator<Item = usize>) -> Markup {
    html! { @for role in roles { span class=(color(role)) { "— " (canonical::text(&record.roles[role])) " " } } }
}

/// The goals that players expected before each joint move, where at least one has told two.
pub fn of_chances(record: &MatchRecord) -> Markup {
    let axes = Axes { size: SIZE, states: record.states.len().max(2) };
    let line = |role: usize| axes.line(record.plies.iter().map(|ply| thought(ply, role)));
    let lines: Vec<(usize, String)> =
        (0..record.roles.len()).map(|role| (role, line(role))).filter(|(_, points)| !points.is_empty()).collect();
    if lines.is_empty() {
        return html! {};
    }
    let drawn = html! { @for (role, points) in &lines { polyline class=(color(*role)) points=(points) {} } };
    let caption = html! { "expected goals: " (names(record, lines.iter().map(|(role, _)| *role))) };
    axes.frame("goals that the players expected", &drawn, &caption)
}

/// The goals that a longer search expects in each state, those that the players expected (dashed), and the moves that lost
/// most (dots).
pub fn of_analysis(record: &MatchRecord, analysis: &MatchAnalysis) -> Markup {
    let axes = Axes { size: WIDE, states: record.states.len().max(2) };
    let roles = || 0..record.roles.len();
    let value = |state: usize, role: usize| analysis.goal(state, role).map(|goal| goal.value);
    let searched = |role: usize| axes.line((0..record.states.len()).map(|state| value(state, role)));
    let dot = |mistake: &Mistake| Some((axes.x(mistake.ply), axes.y(value(mistake.ply, mistake.role)?)));
    let drawn = html! {
        @for role in roles() {
            polyline class=(color(role)) points=(searched(role)) {}
            polyline class={ "thought " (color(role)) } points=(axes.line(record.plies.iter().map(|ply| thought(ply, role)))) {}
        }
        @for mistake in analysis.mistakes() {
            @if let Some((x, y)) = dot(&mistake) {
                circle class=(color(mistake.role)) cx=(x) cy=(y) r="4" {
                    title { (mistake.ply + 1) ". " (canonical::text(&record.plies[mistake.ply].joint[mistake.role])) }
                }
            }
        }
    };
    let caption = html! { "goals by search; dashed by the players; dots before mistakes: " (names(record, roles())) };
    axes.frame("goals that a longer search expects", &drawn, &caption)
}
