//! The words of the protocol: colors, cells, edges.

use crate::board::{Board, Player};
use crate::connection::ConnectionEnd;

/// `b`, `black`, `w` or `white`, in either case, or the color by its name here.
pub fn color(word: &str) -> Option<Player> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" | "red" => Some(Player::Red),
        "w" | "white" | "blue" => Some(Player::Blue),
        _ => None,
    }
}

/// The protocol's name of a player.
pub fn color_name(player: Player) -> &'static str {
    match player {
        Player::Red => "black",
        Player::Blue => "white",
    }
}

/// Each edge with its owner and which of the owner's edges it is.
const EDGES: [(&str, Player, ConnectionEnd); 4] = [
    ("north", Player::Red, ConnectionEnd::FIRST),
    ("south", Player::Red, ConnectionEnd::LAST),
    ("west", Player::Blue, ConnectionEnd::FIRST),
    ("east", Player::Blue, ConnectionEnd::LAST),
];

/// The cell or the edge of this player that a word names.
///
/// # Errors
///
/// A message for the answer.
pub fn end(word: &str, board: Board, player: Player) -> Result<ConnectionEnd, String> {
    match EDGES.into_iter().find(|(name, ..)| word.eq_ignore_ascii_case(name)) {
        Some((_, owner, edge)) if owner == player => Ok(edge),
        Some((name, ..)) => Err(format!("{name} is no edge of {}", color_name(player))),
        None => board.cell_of_name(word).map(ConnectionEnd::Cell).ok_or_else(|| format!("no cell or edge: {word}")),
    }
}

/// The protocol's name of a cell or edge.
pub fn end_name(end: ConnectionEnd, board: Board, player: Player) -> String {
    let edge = EDGES.into_iter().find(|&(_, owner, edge)| (owner, edge) == (player, end));
    edge.map_or_else(|| end.name(board, player), |(name, ..)| name.to_owned())
}
