//! A tournament as a page: scores of all players, in all games and in each, and the matches with links to them.

use crate::replay::STYLE;
use crate::tournament::{PlayedMatch, Score};
use ludolog_picture::page::{Page, table};
use ludolog_syntax::ColdSort;
use maud::{Markup, html};

/// The page of a tournament of which these matches have ended. Pages of matches are beside it, in the folder `matches`.
pub fn to_html(games: &[&str], players: &[String], played: &[PlayedMatch], scheduled: usize) -> String {
    let content = html! {
        h1 { "Tournament of " (players.join(", ")) }
        p.about {
            (played.len()) " of " (scheduled) " matches. Means of goals, from 0 to 100, with intervals of 95 % "
            "confidence (bootstrap)."
        }
        h2 { "All games" }
        (scores(players, played))
        @for (game, name) in games.iter().enumerate() {
            @let here: Vec<PlayedMatch> = played.iter().filter(|played| played.fixture.game == game).cloned().collect();
            h2 { (name) }
            (scores(players, &here))
            details { summary { "Matches" } (matches(players, &here)) }
        }
    };
    let title = format!("Tournament of {}", players.join(", "));
    Page { title: &title, style: STYLE, ..Page::default() }.around(&content)
}

fn scores(players: &[String], played: &[PlayedMatch]) -> Markup {
    let score = |player: usize| Score::of(player, played.iter()).map(|score| (player, score));
    let mut scores: Vec<(usize, Score)> = (0..players.len()).filter_map(score).collect();
    scores.cold_sort_by(|(_, one), (_, other)| other.mean.total_cmp(&one.mean));
    let rows = html! {
        @for (player, score) in scores {
            tr {
                th { (players[player]) }
                td { (format!("{:.1}", score.mean)) }
                td { (format!("{:.1} to {:.1}", score.confidence_95[0], score.confidence_95[1])) }
                td { (score.seats) }
                td { (score.faults) }
            }
        }
    };
    table(&["player", "mean goal", "95 %", "seats", "faults"], &rows)
}

fn matches(players: &[String], played: &[PlayedMatch]) -> Markup {
    let rows = html! { @for played in played { (row(players, played)) } };
    table(&["round", "players", "goals", "faults", "joint moves", ""], &rows)
}

fn row(players: &[String], played: &PlayedMatch) -> Markup {
    let joined = |texts: Vec<String>| texts.join(", ");
    html! {
        tr {
            th { (played.fixture.round) }
            td { (joined(played.fixture.players.iter().map(|&player| players[player].clone()).collect())) }
            td { (joined(played.goals.iter().map(i64::to_string).collect())) }
            td { (played.faults.iter().sum::<u64>()) }
            td { (played.steps) }
            td { a href=(format!("matches/{}.html", played.id)) { "replay" } }
        }
    }
}
