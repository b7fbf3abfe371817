//! The words of the protocol: colors, cells, edges.

use crate::board::{Board, Player};
use crate::connection::End;

/// `b`, `black`, `w` or `white`, in either case.
pub fn color(word: &str) -> Option<Player> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::Red),
        "w" | "white" => Some(Player::Blue),
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
const EDGES: [(&str, Player, End); 4] = [
    ("north", Player::Red, End::FIRST),
    ("south", Player::Red, End::LAST),
    ("west", Player::Blue, End::FIRST),
    ("east", Player::Blue, End::LAST),
];

/// The cell or the edge of this player that a word names.
///
/// # Errors
///
/// A message for the answer.
pub fn end(word: &str, board: Board, player: Player) -> Result<End, String> {
    match EDGES.into_iter().find(|(name, ..)| word.eq_ignore_ascii_case(name)) {
        Some((_, owner, edge)) if owner == player => Ok(edge),
        Some((name, ..)) => Err(format!("{name} is no edge of {}", color_name(player))),
        None => board.cell_of_name(word).map(End::Cell).ok_or_else(|| format!("no cell or edge: {word}")),
    }
}

/// The protocol's name of a cell or edge.
pub fn end_name(end: End, board: Board, player: Player) -> String {
    let edge = EDGES.into_iter().find(|&(_, owner, edge)| (owner, edge) == (player, end));
    edge.map_or_else(|| end.name(board, player), |(name, ..)| name.to_owned())
}
