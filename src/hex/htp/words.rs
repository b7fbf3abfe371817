//! The words of the protocol: colors.

use crate::hex::board::Player;

/// `b`, `black`, `w` or `white`, in either case.
pub fn color(word: &str) -> Option<Player> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::Red),
        "w" | "white" => Some(Player::Blue),
        _ => None,
    }
}

pub fn color_name(player: Player) -> &'static str {
    match player {
        Player::Red => "black",
        Player::Blue => "white",
    }
}
