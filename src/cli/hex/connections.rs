//! `ludolog hex connections`.

use super::{POSITION_HELP, by_width, position_argument};
use crate::cli::case::{duration, explain};
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, counted, file, has_color, limits, print, table};
use clap::Args;
use ludolog::engine::Stopped;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::connection::complete::{ConnectionAnswer, ConnectionQuestion};
use ludolog::hex::connection::{
    ConnectionBoard, ConnectionEnd, ConnectionKind, ConnectionLimits, ConnectionRule, Connections, DerivationStep,
};
use ludolog::hex::draw;
use ludolog::hex::position::Position;
use ludolog::hex::survey::{MustPlay, names};
use ludolog::syntax::ColdSort;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct ConnectionsArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// Whose connections; both players' unless given, and with --between the one's whose ends they are
    #[arg(long, value_name = "PLAYER")]
    player: Option<Player>,
    /// Only between these: cells, or edges by the names top, bottom, left, right; lists all carriers, and draws the
    /// smallest
    #[arg(long, num_args = 2, value_names = ["X", "Y"])]
    between: Vec<String>,
    /// Only connections that the player has although the opponent moves first (full), or if the player does (semi)
    #[arg(long)]
    kind: Option<ConnectionKind>,
    /// Show how the smallest connection follows from smaller ones
    #[arg(long, requires = "between")]
    why: bool,
    /// Let connections meet at an edge of the board too: more of them, for more time
    #[arg(long)]
    over_edges: bool,
    /// Number of carriers of a kind to keep for a pair of ends, smallest first, or `none` for all that the rules
    /// derive, on boards of few empty cells; by the size of the board unless given
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<Limit>,
    /// Decide by exact search instead of the rules, and give a minimal carrier
    #[arg(long, requires = "between", conflicts_with_all = ["why", "over_edges", "limit"])]
    complete: bool,
    /// Search only within these cells
    #[arg(long, value_name = "CELLS", value_delimiter = ',', requires = "complete")]
    within: Option<Vec<String>>,
    /// Stop searching after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration, requires = "complete")]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the picture as SVG to this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The number of carriers to keep for a pair of ends.
#[derive(Clone, Copy)]
enum Limit {
    None,
    AtMost(usize),
}

/// Most empty cells for which everything that the rules derive is found in seconds.
const EMPTY_WITHOUT_LIMIT: usize = 18;

/// The number of smallest edge-to-edge connections of a kind that the summary lists.
const LISTED: usize = 3;

fn limit(text: &str) -> Result<Limit, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(Limit::None),
        (_, Ok(most)) if most > 0 => Ok(Limit::AtMost(most)),
        _ => Err("a number from 1, or none".to_owned()),
    }
}

pub fn run(args: &ConnectionsArgs) -> Result<Outcome, Failure> {
    let position = position_argument(&args.position)?;
    match &args.between[..] {
        [x, y] => {
            let (player, ends) = ends(&position, args.player, [x, y])?;
            if args.complete {
                by_width!(position.board(), complete(args, &position, player, ends))
            } else {
                by_width!(position.board(), between(args, &position, player, ends))
            }
        }
        _ => by_width!(position.board(), summary(args, &position)),
    }
}

/// Whose ends these names are: of `player`, or else of the only one who has both, or else of who is to move.
fn ends(
    position: &Position,
    player: Option<Player>,
    names: [&str; 2],
) -> Result<(Player, (ConnectionEnd, ConnectionEnd)), Failure> {
    let board = position.board();
    let ends_of = |player: Player| {
        let end = |name: &str| {
            let Some(end) = ConnectionEnd::from_name(name, board, player) else {
                return Err(format!("`{name}` is no cell of {board}, and no edge of {player}"));
            };
            match end.cell().and_then(|cell| position.stone(cell)) {
                Some(owner) if owner != player => Err(format!("on {name} stands a stone of {owner}")),
                _ => Ok(end),
            }
        };
        Ok((player, (end(names[0])?, end(names[1])?)))
    };
    let found = match (player, Player::BOTH.map(ends_of)) {
        (Some(player), _) => ends_of(player),
        (None, [Ok(_), Ok(_)]) => match position.to_move {
            Some(player) => ends_of(player),
            None => Err("whose connection? say it with --player red or --player blue".to_owned()),
        },
        (None, [Ok(found), _] | [_, Ok(found)]) => Ok(found),
        (None, [Err(_), Err(wrong)]) if names.contains(&"left") || names.contains(&"right") => Err(wrong),
        (None, [Err(wrong), _]) => Err(wrong),
    };
    match found.map_err(Failure::Message)? {
        (_, (x, y)) if x == y => Err(Failure::Message(format!("{} is one end, not two", names[0]))),
        found => Ok(found),
    }
}

fn limits(args: &ConnectionsArgs, position: &Position) -> Result<ConnectionLimits, Failure> {
    let usual = ConnectionLimits { over_edges: args.over_edges, ..ConnectionLimits::USUAL.on(position.board()) };
    match args.limit {
        None => Ok(usual),
        Some(Limit::AtMost(most)) => Ok(ConnectionLimits { fulls: most, semis: most, ..usual }),
        Some(Limit::None) => match position.empty_cells().count() {
            empty if empty > EMPTY_WITHOUT_LIMIT => Err(Failure::Message(format!(
                "{empty} empty cells are too many for --limit none; it takes {EMPTY_WITHOUT_LIMIT} at most"
            ))),
            _ => Ok(ConnectionLimits { over_edges: args.over_edges, ..ConnectionLimits::NONE }),
        },
    }
}

fn stones<const W: usize>(position: &Position, player: Player) -> CellSet<W> {
    position.stones_of(player).collect()
}

fn closure<const W: usize>(
    args: &ConnectionsArgs,
    position: &Position,
    player: Player,
) -> Result<Connections<W>, Failure> {
    Ok(Connections::of_position(position, player, limits(args, position)?))
}

fn list<const W: usize>(board: Board, cells: CellSet<W>) -> String {
    if cells.is_empty() { "no cells".to_owned() } else { names(board, cells).join(" ") }
}

/// `full connection`, `semi-connection`.
fn noun(kind: ConnectionKind) -> &'static str {
    match kind {
        ConnectionKind::Full => "full connection",
        ConnectionKind::Semi => "semi-connection",
    }
}

fn draw<const W: usize>(args: &ConnectionsArgs, position: &Position, marked: CellSet<W>) -> Result<String, Failure> {
    let marked: Vec<Cell> = marked.iter().collect();
    if let Some(path) = &args.svg {
        file::write(path, draw::to_svg(position, &marked).as_bytes())?;
    }
    Ok(draw::to_text(position, &marked, has_color()))
}

fn summary<const W: usize>(args: &ConnectionsArgs, position: &Position) -> Result<Outcome, Failure> {
    let board = position.board();
    let all = [closure::<W>(args, position, Player::Red)?, closure(args, position, Player::Blue)?];
    let shown: Vec<&Connections<W>> =
        all.iter().filter(|of| args.player.is_none_or(|player| player == of.player())).collect();
    let kinds: Vec<ConnectionKind> =
        ConnectionKind::BOTH.into_iter().filter(|&kind| args.kind.is_none_or(|asked| asked == kind)).collect();
    let winner = position.winner();
    let must_play = |mover: Player| MustPlay::against(&all[mover.opponent() as usize]);
    let must_plays: Vec<MustPlay<W>> = match (winner, position.to_move.or(args.player)) {
        (Some(_), _) => Vec::new(),
        (None, Some(mover)) => vec![must_play(mover)],
        (None, None) => Player::BOTH.map(must_play).to_vec(),
    };

    let marked = match &must_plays[..] {
        [MustPlay { cells: Some(cells), .. }] => *cells,
        _ => CellSet::EMPTY,
    };
    let picture = draw(args, position, marked)?;
    if args.format == Format::Json {
        let players = shown.iter().map(|of| (of.player().to_string(), summary_json(of, &kinds))).collect();
        let must_plays = must_plays.iter().map(|MustPlay { mover, cells, carriers, .. }| {
            let found = cells.map(|cells| json!({ "cells": names(board, cells), "carriers": carriers }));
            (mover.to_string(), json!(found))
        });
        print_json(&json!({
            "board": board.to_string(),
            "winner": winner.map(Player::name),
            "players": Value::Object(players),
            "must_play": Value::Object(must_plays.collect()),
        }))?;
        return Ok(Outcome::Success);
    }
    let mut text = picture;
    if let Some(winner) = winner {
        let _ = writeln!(text, "{winner} has won");
    }
    for must_play in &must_plays {
        let _ = writeln!(text, "{must_play}");
    }
    text.push_str(&summary_tables(&shown, &kinds));
    print(&text)?;
    Ok(Outcome::Success)
}

/// How many connections there are, and the smallest ones from edge to edge.
fn summary_tables<const W: usize>(shown: &[&Connections<W>], kinds: &[ConnectionKind]) -> String {
    let mut counts = table::new(["player", "kind", "pairs", "edge to edge"]);
    let mut smallest = table::new(["player", "kind", "cells", "smallest carriers from edge to edge"]);
    for of in shown {
        let player = of.player().to_string();
        for &kind in kinds {
            let carriers: Vec<CellSet<W>> = by_size(of.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind));
            let pairs = of.pairs(kind).count().to_string();
            counts.add_row([player.clone(), kind.to_string(), pairs, carriers.len().to_string()]);
            for carrier in carriers.iter().take(LISTED) {
                let cells = list(of.board(), *carrier);
                smallest.add_row([player.clone(), kind.to_string(), carrier.len().to_string(), cells]);
            }
        }
    }
    let mut text = format!("\n{}", table::text(&counts));
    if smallest.row_count() > 0 {
        let _ = write!(text, "\n{}", table::text(&smallest));
    }
    text
}

fn by_size<const W: usize>(carriers: impl Iterator<Item = CellSet<W>>) -> Vec<CellSet<W>> {
    let mut carriers: Vec<CellSet<W>> = carriers.collect();
    carriers.cold_sort_by_key(|carrier| (carrier.len(), carrier.iter().map(Cell::index).collect::<Vec<_>>()));
    carriers
}

fn summary_json<const W: usize>(of: &Connections<W>, kinds: &[ConnectionKind]) -> Value {
    let of_kind = |&kind: &ConnectionKind| {
        let carriers = by_size(of.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind)).into_iter();
        let carriers: Vec<Vec<String>> = carriers.map(|carrier| names(of.board(), carrier)).collect();
        (kind.to_string(), json!({ "pairs": of.pairs(kind).count(), "edge_to_edge": carriers }))
    };
    Value::Object(kinds.iter().map(of_kind).collect())
}

fn between<const W: usize>(
    args: &ConnectionsArgs,
    position: &Position,
    player: Player,
    (x, y): (ConnectionEnd, ConnectionEnd),
) -> Result<Outcome, Failure> {
    let board = position.board();
    let connections = closure::<W>(args, position, player)?;
    let is_joined = connections.is_joined(x, y);
    // A full connection does all that a semi-connection does.
    let kinds: &[ConnectionKind] =
        if args.kind == Some(ConnectionKind::Full) { &[ConnectionKind::Full] } else { &ConnectionKind::BOTH };
    let carriers =
        |&kind: &ConnectionKind| by_size(connections.carriers(x, y, kind)).into_iter().map(move |cells| (kind, cells));
    let found: Vec<(ConnectionKind, CellSet<W>)> = if is_joined {
        vec![(ConnectionKind::Full, CellSet::EMPTY)]
    } else {
        kinds.iter().flat_map(carriers).collect()
    };
    let first = found.first().copied();
    let steps = match first {
        Some((kind, carrier)) if args.why => connections.derive(x, y, kind, carrier).unwrap_or_default(),
        _ => Vec::new(),
    };
    let picture = draw(args, position, first.map_or(CellSet::<W>::EMPTY, |(_, carrier)| carrier))?;
    let [from, to] = [x, y].map(|end| end.name(board, player));
    if args.format == Format::Json {
        let carriers =
            found.iter().map(|(kind, cells)| json!({ "kind": kind.to_string(), "carrier": names(board, *cells) }));
        let mut value = json!({
            "board": board.to_string(),
            "player": player.name(),
            "between": [from, to],
            "connections": carriers.collect::<Vec<_>>(),
        });
        if args.why {
            value["derivation"] = steps.iter().map(|step| step_json(step, board, player)).collect();
        }
        print_json(&value)?;
    } else {
        let what = args.kind.map_or("connection", noun);
        let mut text = picture;
        let _ = match first {
            None => writeln!(
                text,
                "no {what} of {player} between {from} and {to} follows by the rules; --complete decides it"
            ),
            Some(_) if is_joined => writeln!(text, "{player} has joined {from} and {to}"),
            Some(_) => writeln!(text, "{player} between {from} and {to}:"),
        };
        for (kind, carrier) in found.iter().filter(|_| !is_joined) {
            let _ = writeln!(text, "  {kind}, {}: {}", counted(carrier.len(), "cell"), list(board, *carrier));
        }
        if !steps.is_empty() {
            let _ = write!(text, "\n{}", tree(&steps, board, player));
        }
        print(&text)?;
    }
    Ok(if first.is_some() { Outcome::Success } else { Outcome::Negative })
}

/// `x – y full {c d}`.
fn conclusion<const W: usize>(step: &DerivationStep<W>, board: Board, player: Player) -> String {
    let x = step.ends.0.name(board, player);
    let y = step.ends.1.name(board, player);
    format!("{x} – {y} {} {{{}}}", step.kind, names(board, step.carrier).join(" "))
}

/// `AND at y`.
fn rule(rule: ConnectionRule, board: Board, player: Player) -> String {
    match rule {
        ConnectionRule::Adjacent => "neighbors".to_owned(),
        ConnectionRule::And(middle) => format!("AND at {}", middle.name(board, player)),
        ConnectionRule::Three(end) => format!("three at {}", end.name(board, player)),
        ConnectionRule::Or => "OR".to_owned(),
        ConnectionRule::Template(index) => {
            let number = board.templates(player).get(index).map_or(0, |placed| placed.number + 1);
            format!("template {number}")
        }
    }
}

/// The last step with what it follows from below it, each step's own derivation once.
fn tree<const W: usize>(steps: &[DerivationStep<W>], board: Board, player: Player) -> String {
    let mut text = String::new();
    let mut explained = vec![false; steps.len()];
    // The steps still to be printed, the next one last.
    let mut stack: Vec<(String, &str, usize)> = vec![(String::new(), "", steps.len() - 1)];
    while let Some((prefix, branch, at)) = stack.pop() {
        let step = &steps[at];
        let is_new = !std::mem::replace(&mut explained[at], true);
        let reason = match step.rule {
            _ if is_new || step.rule == ConnectionRule::Adjacent => rule(step.rule, board, player),
            _ => "as above".to_owned(),
        };
        let _ = writeln!(text, "{prefix}{branch}{}    {reason}", conclusion(step, board, player));
        if !is_new {
            continue;
        }
        let below = prefix
            + match branch {
                "" => "",
                "└─ " => "   ",
                _ => "│  ",
            };
        for (i, &premise) in step.from.iter().enumerate().rev() {
            stack.push((below.clone(), if i + 1 == step.from.len() { "└─ " } else { "├─ " }, premise));
        }
    }
    text
}

/// `from` are the numbers of earlier steps, from 0.
fn step_json<const W: usize>(step: &DerivationStep<W>, board: Board, player: Player) -> Value {
    json!({
        "between": [step.ends.0.name(board, player), step.ends.1.name(board, player)],
        "kind": step.kind.to_string(),
        "carrier": names(board, step.carrier),
        "rule": rule(step.rule, board, player),
        "from": step.from,
    })
}

fn complete<const W: usize>(
    args: &ConnectionsArgs,
    position: &Position,
    player: Player,
    ends: (ConnectionEnd, ConnectionEnd),
) -> Result<Outcome, Failure> {
    let board = position.board();
    let kind = args.kind.unwrap_or(ConnectionKind::Full);
    let mine = stones(position, player);
    let theirs = stones(position, player.opponent());
    let question = ConnectionQuestion::<W> { board, player, mine, theirs, ends, kind };
    let limits = limits::budget().with_timeout(args.timeout);
    let answer = match &args.within {
        None => question.anywhere(&limits),
        Some(cells) => {
            let cell = |name: &String| {
                board.cell_of_name(name).ok_or_else(|| Failure::Message(format!("`{name}` is no cell of {board}")))
            };
            question.within(cells.iter().map(cell).collect::<Result<_, _>>()?, &limits)
        }
    };
    let ConnectionAnswer { carrier, region, nodes } = answer.map_err(|stopped| match stopped {
        Stopped::Timeout(_) => {
            Failure::Message(format!("{stopped}; name fewer cells with --within, or give it more time with --timeout"))
        }
        Stopped::Unsupported(_) => Failure::Message(format!("{stopped}; name fewer cells with --within")),
        _ => explain(&stopped),
    })?;
    let [from, to] = [ends.0, ends.1].map(|end| end.name(board, player));
    let picture = draw(args, position, carrier.unwrap_or_default())?;
    if args.format == Format::Json {
        let value = json!({
            "board": board.to_string(),
            "player": player.name(),
            "between": [from, to],
            "kind": kind.to_string(),
            "carrier": carrier.map(|carrier| names(board, carrier)),
            "region": names(board, region),
            "nodes": nodes,
        });
        print_json(&value)?;
    } else {
        let searched = format!("{}, {}", counted(region.len(), "cell"), counted(nodes as usize, "node"));
        let verdict = match carrier {
            Some(carrier) => format!(
                "{player} has a {} between {from} and {to}, {}: {}\nno cell of it can be missed (searched {searched})\n",
                noun(kind),
                counted(carrier.len(), "cell"),
                list(board, carrier)
            ),
            None if args.within.is_some() => {
                format!(
                    "{player} has no {} between {from} and {to} within these cells (searched {searched})\n",
                    noun(kind)
                )
            }
            None => format!("{player} has no {} between {from} and {to} (searched {searched})\n", noun(kind)),
        };
        print(&(picture + &verdict))?;
    }
    Ok(if carrier.is_some() { Outcome::Success } else { Outcome::Negative })
}
