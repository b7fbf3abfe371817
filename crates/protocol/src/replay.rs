//! Matches as pages: a state at a time, with pictures of its boards. Pages need nothing but themselves.

mod chart;

use crate::record::{About, end_name, fault_text};
use ludolog_game::canonical;
use ludolog_game::grid::FactPlaces;
use ludolog_game::scene::Scene;
use ludolog_picture::page::{Page, table};
use ludolog_picture::{legend, svg};
use ludolog_player::MatchRecord;
use ludolog_player::analysis::{MatchAnalysis, Mistake};
use ludolog_player::matches::Thought;
use ludolog_syntax::ColdSort;
use maud::{Markup, PreEscaped, html};

/// The style of pages of matches.
pub const STYLE: &str = include_str!("replay.css");

/// The page of a match, drawn as its rulesheet states it, or else by the grids among its facts.
pub fn to_html(about: &About, record: &MatchRecord, stated: Option<&Scene>) -> String {
    page(about, record, stated, None, false)
}

/// The page of a match with what a longer search makes of it: its values are plotted under the boards, and the moves
/// that lost most are marked.
pub fn to_analyzed_html(
    about: &About,
    record: &MatchRecord,
    analysis: &MatchAnalysis,
    stated: Option<&Scene>,
) -> String {
    page(about, record, stated, Some(analysis), false)
}

/// The page of a match that is running: it asks for itself again each second, and follows.
pub fn to_live_html(about: &About, record: &MatchRecord, stated: Option<&Scene>) -> String {
    page(about, record, stated, None, true)
}

/// By role: the goal, or a dash.
pub fn goals(record: &MatchRecord) -> Vec<String> {
    let goal = |role: usize| record.goals.get(role).copied().flatten();
    (0..record.roles.len()).map(|role| goal(role).map_or("–".to_owned(), |goal| goal.to_string())).collect()
}

fn page(
    about: &About,
    record: &MatchRecord,
    stated: Option<&Scene>,
    analysis: Option<&MatchAnalysis>,
    is_live: bool,
) -> String {
    let scene = stated.cloned().unwrap_or_else(|| Scene::of_grids(FactPlaces::of(&record.states, &[]), &record.roles));
    let scene = scene.of_states(&record.states);
    let last = record.states.len().saturating_sub(1);
    let content = html! {
        h1 { (about.game) }
        (players(record))
        p.about {
            (about.id) " · start clock " (record.clocks.start.as_secs_f64()) " s, play clock "
            (record.clocks.play.as_secs_f64()) " s · "
            @if is_live { "running" } @else { (end_name(record).replace('_', " ")) }
        }
        (controls(last))
        div.match {
            main #states data-live[is_live] {
                @for (number, picture) in scene.view(&[]).pictures.iter().enumerate() {
                    (PreEscaped(svg::shared(picture.geometry, &board_id(number))))
                }
                @for number in 0..record.states.len() {
                    section.state id=(state_id(number)) aria-label=(format!("state {number}")) {
                        (state(&scene, record, number))
                        (moves(record, analysis, number))
                    }
                }
                @if let Some(analysis) = analysis { (chart::of_analysis(record, analysis)) (mistakes(record, analysis)) }
            }
            div.side {
                @if analysis.is_none() { (chart::of_chances(record)) }
                (move_list(record, analysis))
            }
        }
    };
    let title = format!("{} · {}", about.game, record.players.join(", "));
    Page { title: &title, style: STYLE, script: include_str!("replay.js"), refresh: None }.around(&content)
}

/// What steps through the states, for browsers that run scripts: others show all states, one below the other.
fn controls(last: usize) -> Markup {
    html! {
        nav aria-label="states" hidden[true] {
            button id="first" aria-label="first state" title="Home" { "|◀" }
            button id="back" aria-label="previous state" title="←" { "◀" }
            button id="play" aria-label="play" aria-pressed="false" title="space" { "play" }
            button id="forward" aria-label="next state" title="→" { "▶" }
            button id="last" aria-label="last state" title="End" { "▶|" }
            span { output id="number" { "0" } " / " span id="count" { (last) } }
            input id="slider" type="range" min="0" max=(last) value="0" aria-label="state";
            label { "speed " select id="speed" {
                @for (states, text) in [("0.5", "½"), ("1", "1"), ("2", "2"), ("5", "5"), ("10", "10")] {
                    option value=(states) selected[states == "1"] { (text) " a second" }
                }
            } }
        }
    }
}

/// The joint moves, each a link to the state that it led to.
fn move_list(record: &MatchRecord, analysis: Option<&MatchAnalysis>) -> Markup {
    let mistakes = analysis.map(MatchAnalysis::mistakes).unwrap_or_default();
    html! {
        aside aria-label="moves" {
            ol #moves start="0" {
                li { a href=(format!("#{}", state_id(0))) { "start" } }
                @for (number, ply) in (1..).zip(&record.plies) {
                    li class=[mistakes.iter().any(|mistake| mistake.ply + 1 == number).then_some("mistake")] {
                        a href=(format!("#{}", state_id(number))) {
                            @for (role, made) in ply.joint.iter().enumerate() {
                                @if role > 0 { " · " }
                                span class=[ply.faults[role].is_some().then_some("fault")] { (canonical::text(made)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The place of a state on the page.
fn state_id(number: usize) -> String {
    format!("state{number}")
}

/// Who played which role, and to which end.
fn players(record: &MatchRecord) -> Markup {
    let rows = html! {
        @for (role, goal) in goals(record).iter().enumerate() {
            tr {
                th { (canonical::text(&record.roles[role])) }
                td { (record.players[role]) }
                td { (goal) }
                td { (record.faults(role).count()) }
            }
        }
    };
    html! { div #players { (table(&["role", "player", "goal", "faults"], &rows)) } }
}

/// The id of the drawing that all states share of a board.
fn board_id(number: usize) -> String {
    format!("board{number}")
}

/// A state: its boards, then the other facts, sorted.
fn state(scene: &Scene, record: &MatchRecord, number: usize) -> Markup {
    let before = number.checked_sub(1).map(|before| &*record.states[before]);
    let view = scene.view_after(&record.states[number], before);
    let mut others: Vec<String> = view.others.iter().map(|fact| canonical::text(fact)).collect();
    others.cold_sort();
    html! {
        div.boards {
            @for (number, picture) in view.pictures.iter().enumerate() {
                figure {
                    (PreEscaped(svg::with_shared(picture, &board_id(number))))
                    @if view.pictures.len() > 1 { figcaption { (picture.title) } }
                }
            }
        }
        ul.facts {
            @for (symbol, content) in legend(&view.pictures) { li { (symbol) " = " (content) } }
            @for fact in others { li { (fact) } }
        }
    }
}

/// The mistakes, the greatest first, each a link to the state in which it was made.
fn mistakes(record: &MatchRecord, analysis: &MatchAnalysis) -> Markup {
    let rows = html! {
        @for mistake in analysis.mistakes() {
            tr {
                td { (mistake.ply + 1) }
                th { (canonical::text(&record.roles[mistake.role])) }
                td { a.mistake href=(format!("#{}", state_id(mistake.ply))) data-state=(mistake.ply) {
                    (canonical::text(&record.plies[mistake.ply].joint[mistake.role]))
                } }
                td { (format!("{:.1}", mistake.loss)) }
                td { (better(analysis, mistake)) }
            }
        }
    };
    let heads = ["step", "role", "move", "goal lost", "better"];
    html! {
        p.about {
            "searched by " (analysis.player) ", " (analysis.time.as_secs_f64()) " s a state"
            @for note in &analysis.notes { " · " (note) }
        }
        @if !rows.0.is_empty() { (table(&heads, &rows)) }
    }
}

/// The move that the search prefers to a mistake; empty if it has none.
fn better(analysis: &MatchAnalysis, mistake: Mistake) -> String {
    analysis.better(mistake).map(canonical::text).unwrap_or_default()
}

/// The moves of the roles in a state.
fn moves(record: &MatchRecord, analysis: Option<&MatchAnalysis>, number: usize) -> Markup {
    let Some(ply) = record.plies.get(number) else { return html! {} };
    html! {
        div.scroll { table.moves {
            @for role in 0..record.roles.len() {
                tr {
                    th { (canonical::text(&record.roles[role])) }
                    td { code { (canonical::text(&ply.joint[role])) } }
                    td { (format!("{:.2} s", ply.times[role].as_secs_f64())) }
                    td {
                        @match &ply.faults[role] {
                            Some(fault) => span.fault { (fault_text(fault)) "; a random move instead" },
                            None => (ply.thoughts[role].as_ref().map_or(String::new(), thought)),
                        }
                    }
                    @if let Some(analysis) = analysis { td { (judged(analysis, number, role)) } }
                }
            }
        } }
    }
}

fn thought(thought: &Thought) -> String {
    let report = &thought.report;
    let value = report
        .value
        .map(|value| if report.proven { format!("{value:.0} proven") } else { format!("{value:.1} expected") });
    let playouts = (report.playouts > 0).then(|| format!("{} playouts", report.playouts));
    value.into_iter().chain(playouts).collect::<Vec<_>>().join(", ")
}

/// What a longer search expects for a role in a state, and what its move lost.
fn judged(analysis: &MatchAnalysis, number: usize, role: usize) -> String {
    let Some(goal) = analysis.goal(number, role) else { return String::new() };
    let expected =
        if goal.proven { format!("search: {:.0} proven", goal.value) } else { format!("search: {:.1}", goal.value) };
    match analysis.losses.get(number).and_then(|losses| losses[role]) {
        Some(loss) if loss > 0.0 => {
            let better = better(analysis, Mistake { ply: number, role, loss });
            format!("{expected}; lost {loss:.1}, {better} is better")
        }
        _ => expected,
    }
}
