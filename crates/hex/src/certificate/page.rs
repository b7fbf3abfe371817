//! A proof to walk through: play against it, and see what each line says.
//!
//! One page of HTML that needs nothing else. The reader is the opponent: a click on a cell is a move, and the page
//! shows the reply and what is left of the proof, each part that replies for itself in its own shade. The script
//! computes carriers as the verifier does, from the lines alone.

use super::{Inference, Proof, WinCertificate};
use crate::board::{Board, Player};
use crate::connection::{ConnectionBoard, ConnectionEnd};
use crate::draw;
use crate::hexagon::{HexagonBoard, Neighbor};
use ludolog_picture::page::Page;
use ludolog_picture::{Outline, Picture, svg};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

/// The radius of stones, in hundredths of a hexagon's width.
const RADIUS: i32 = 37;

/// The page as HTML. The certificate should have been verified.
pub fn to_html(certificate: &WinCertificate) -> String {
    let board = certificate.board();
    let winner = certificate.winner();
    let loser = winner.opponent();
    let title = format!("{} wins on {board}", capitalized(winner));
    let content = html! {
        header {
            h1 { (title) }
            p.lead { "Try to stop it. You are " (loser) ": choose a cell, and the proof answers. Shaded cells of one color belong to one connection, which answers for itself." }
        }
        main {
            section.board {
                (picture(board))
                p.buttons {
                    button #undo type="button" { "Take back " kbd { "u" } }
                    button #restart type="button" { "From the start " kbd { "r" } }
                }
                p #said role="status" aria-live="polite" {}
            }
            section {
                h2 #heading { "What is left to do" }
                ol #parts {}
                h2 { "Moves" }
                ol #moves {}
            }
            section {
                h2 { "The proof, line by line" }
                p.buttons {
                    button #earlier type="button" { "Earlier" }
                    button #later type="button" { "Later" }
                    span #range {}
                }
                ol #lines {}
            }
        }
        script #proof type="application/json" { (PreEscaped(data(certificate))) }
    };
    let title = format!("{title}: a proof");
    let page = Page { title: &title, style: include_str!("page.css"), script: include_str!("page.js"), refresh: None };
    page.around(&content)
}

fn capitalized(player: Player) -> &'static str {
    match player {
        Player::Red => "Red",
        Player::Blue => "Blue",
    }
}

/// The empty board, and on each cell what the script shows or hides.
fn picture(board: Board) -> Markup {
    let geometry = draw::geometry(board);
    let cells = html! {
        @for (number, cell) in geometry.cells.iter().enumerate() {
            g.cell data-cell=(number) role="button" tabindex="-1" aria-label=(cell.name) {
                @if let Outline::Polygon(corners) = &cell.outline { polygon points=(svg::list(corners)) {} }
                circle cx=(cell.center.x) cy=(cell.center.y) r=(RADIUS) {}
                text x=(cell.center.x) y=(cell.center.y) dy="11" text-anchor="middle" {}
            }
        }
    };
    PreEscaped(svg::with_choices(&Picture::new(&geometry, board.to_string()), &cells))
}

/// The input of the script. Ends are the numbers of cells, −1, −2 and −3 for the edges.
fn data(certificate: &WinCertificate) -> String {
    let board = certificate.board();
    let winner = certificate.winner();
    let stone = |player: Option<Player>| player.map_or("", Player::name);
    let (steps, pairs, win) = match certificate.proof() {
        Proof::Connections { steps, win } => (steps.as_slice(), [].as_slice(), Some(win.index())),
        Proof::Pairing(pairs) => ([].as_slice(), pairs.as_slice(), None),
    };
    let edges: Vec<String> = board.edges().map(|edge| edge.name(board, winner)).collect();
    // For the keys that walk over the board: left, right, above, below.
    let beside = |cell| {
        let [right, below, below_left, left, above, above_right] = board.ring(cell).map(|next| match next {
            Neighbor::Cell(next) => Some(next.index()),
            _ => None,
        });
        [left, right, above.or(above_right), below.or(below_left)]
    };
    let pairs: Vec<[usize; 2]> = pairs.iter().map(|pair| pair.map(|cell| cell.index())).collect();
    json!({
        "winner": winner.name(),
        "loser": winner.opponent().name(),
        "edges": edges,
        "beside": board.cells().map(beside).collect::<Vec<_>>(),
        "cells": board.cells().map(|cell| board.name(cell)).collect::<Vec<_>>(),
        "stones": board.cells().map(|cell| stone(certificate.position().stone(cell))).collect::<Vec<_>>(),
        "header": super::ProofLine::HEADER,
        "steps": steps.iter().map(step).collect::<Vec<_>>(),
        "win": win,
        "pairs": pairs,
    })
    .to_string()
}

fn step(step: &Inference) -> Value {
    let end = |end: ConnectionEnd| match end {
        ConnectionEnd::Edge(edge) => -1 - i64::from(edge),
        ConnectionEnd::Cell(cell) => cell.index() as i64,
    };
    let lines = |rule: &str, lines: &[super::ProofLine]| {
        let lines = lines.iter().map(|line| json!(line.index()));
        [json!(rule)].into_iter().chain(lines).collect()
    };
    match step {
        &Inference::Touch(x, y) => json!(["touch", end(x), end(y)]),
        &Inference::Bridge(x, y, c, d) => json!(["bridge", end(x), end(y), c.index(), d.index()]),
        Inference::And(parts) => lines("and", parts),
        Inference::Move(cell, line) => json!(["move", cell.index(), line.index()]),
        Inference::Three(parts) => lines("three", parts),
        Inference::Or(parts) => lines("or", parts),
        Inference::Given(cells, line) => {
            json!(["given", cells.iter().map(|cell| cell.index()).collect::<Vec<_>>(), line.index()])
        }
        Inference::Captured(c, d, line) => json!(["captured", c.index(), d.index(), line.index()]),
    }
}
