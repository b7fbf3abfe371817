//! Matches as pages: a state at a time, with boards where facts stand on a grid. Pages need nothing but themselves.

use crate::record::{About, end_name, fault_text};
use ludolog_game::canonical;
use ludolog_game::grid::{Board, Layout};
use ludolog_player::Record;
use ludolog_player::matches::Thought;
use ludolog_syntax::ast::Term;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page of a match.
pub fn to_html(about: &About, record: &Record) -> String {
    page(about, record, false)
}

/// The page of a match that is running: it asks for itself again each second, and follows.
pub fn to_live_html(about: &About, record: &Record) -> String {
    page(about, record, true)
}

/// By role: the goal, or a dash.
pub fn goals(record: &Record) -> Vec<String> {
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

fn page(about: &About, record: &Record, is_live: bool) -> String {
    let layout = Layout::of(&record.states, &[]);
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
                    @for (number, facts) in record.states.iter().enumerate() {
                        section.state { (state(&layout, facts)) (moves(record, number)) }
                    }
                }
                script { (PreEscaped(include_str!("replay.js"))) }
            }
        }
    };
    page.into_string()
}

/// A state: its boards, then the other facts, sorted.
pub fn state(layout: &Layout, facts: &[Term]) -> Markup {
    let view = layout.view(facts);
    let mut others: Vec<String> = view.others.iter().map(|fact| canonical::text(fact)).collect();
    others.sort();
    html! {
        div.boards { @for shown in &view.boards { (board(shown)) } }
        ul.facts { @for fact in others { li { (fact) } } }
    }
}

fn board(board: &Board) -> Markup {
    html! {
        table.board {
            caption { (board.title()) }
            @for row in (0..board.rows.len()).rev() {
                tr {
                    th { (canonical::text(&board.rows[row])) }
                    @for column in 0..board.columns.len() {
                        @match board.cell(column, row) {
                            None => td.off[!board.is_on(column, row)] {},
                            Some(content) if board.is_blank(content) => td {},
                            Some(content) => {
                                @let text = board.text(content);
                                td.(hue(&text)) title=(text) { (text) }
                            }
                        }
                    }
                }
            }
            tr { th {} @for column in board.columns { th { (canonical::text(column)) } } }
        }
    }
}

/// Classes of colors, which the style sheet has.
const HUES: usize = 8;

/// The color of a content, the same wherever it stands.
fn hue(text: &str) -> String {
    let sum = text.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("hue{}", sum % HUES)
}

/// What the roles do in a state.
fn moves(record: &Record, number: usize) -> Markup {
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
    let value = report.value.map(|value| match report.proven {
        true => format!("{value:.0} proven"),
        false => format!("{value:.1} expected"),
    });
    let playouts = (report.playouts > 0).then(|| format!("{} playouts", report.playouts));
    value.into_iter().chain(playouts).collect::<Vec<_>>().join(", ")
}
