//! Matches as pages: a state at a time, with pictures of its boards. Pages need nothing but themselves.

use crate::record::{About, end_name, fault_text};
use ludolog_game::canonical;
use ludolog_game::grid::FactPlaces;
use ludolog_game::scene::Scene;
use ludolog_picture::{legend, svg};
use ludolog_player::MatchRecord;
use ludolog_player::matches::Thought;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page of a match, drawn as its rulesheet states it, or else by the grids among its facts.
pub fn to_html(about: &About, record: &MatchRecord, stated: Option<&Scene>) -> String {
    page(about, record, stated, false)
}

/// The page of a match that is running: it asks for itself again each second, and follows.
pub fn to_live_html(about: &About, record: &MatchRecord, stated: Option<&Scene>) -> String {
    page(about, record, stated, true)
}

/// By role: the goal, or a dash.
pub fn goals(record: &MatchRecord) -> Vec<String> {
    let goal = |role: usize| record.goals.get(role).copied().flatten();
    (0..record.roles.len()).map(|role| goal(role).map_or("–".to_owned(), |goal| goal.to_string())).collect()
}

/// The head of all pages.
pub fn head(title: &str, more: Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            (more)
            title { (title) }
            style { (PreEscaped(include_str!("replay.css"))) }
        }
    }
}

fn page(about: &About, record: &MatchRecord, stated: Option<&Scene>, is_live: bool) -> String {
    let scene = stated.cloned().unwrap_or_else(|| Scene::of_grids(FactPlaces::of(&record.states, &[]), &record.roles));
    let scene = scene.of_states(&record.states);
    let last = record.states.len().saturating_sub(1);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{} · {}", about.game, record.players.join(", ")), html! {}))
            body data-live[is_live] {
                h1 { (about.game) }
                table.players {
                    tr { th { "role" } th { "player" } th { "goal" } th { "faults" } }
                    @for (role, goal) in goals(record).iter().enumerate() {
                        tr {
                            td { (canonical::text(&record.roles[role])) }
                            td { (record.players[role]) }
                            td { (goal) }
                            td { (record.faults(role).count()) }
                        }
                    }
                }
                p.about {
                    (about.id) " · start clock " (record.clocks.start.as_secs_f64()) " s, play clock "
                    (record.clocks.play.as_secs_f64()) " s · "
                    @if is_live { "running" } @else { (end_name(record).replace('_', " ")) }
                }
                nav {
                    button id="first" title="Home" { "|◀" }
                    button id="back" title="←" { "◀" }
                    output id="number" { "0" }
                    "/ " span id="count" { (last) }
                    button id="forward" title="→" { "▶" }
                    button id="last" title="End" { "▶|" }
                    input id="slider" type="range" min="0" max=(last) value="0" aria-label="state";
                }
                main {
                    @for (number, picture) in scene.view(&[]).pictures.iter().enumerate() {
                        (PreEscaped(svg::shared(picture.geometry, &board_id(number))))
                    }
                    @for number in 0..record.states.len() {
                        section.state { (state(&scene, record, number)) (moves(record, number)) }
                    }
                }
                script { (PreEscaped(include_str!("replay.js"))) }
            }
        }
    };
    page.into_string()
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
    others.sort();
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

/// The moves of the roles in a state.
fn moves(record: &MatchRecord, number: usize) -> Markup {
    let Some(ply) = record.plies.get(number) else { return html! {} };
    html! {
        table.moves {
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
                }
            }
        }
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
